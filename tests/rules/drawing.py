"""Random rules, cards, melds, plays and questions of the games, mostly close to something legal.

Hypothesis only draws the seed: drawing card by card with it takes ten times as long.
"""

from random import Random

from hypothesis import strategies as st

from companion.rules.cards import JOKER, PACK, SUITS, Card, Offered
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed
from companion.rules.game import Game
from companion.rules.games import GAMES
from companion.rules.judge import Judge
from companion.rules.melds import Meld
from companion.rules.question import CALL, DRAW, FLAGS, UNKNOWN_PILE, Call, Pile, Question, rule_on
from companion.rules.readings import readings
from companion.rules.ruling import Ruling
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Player, Swap, Table, TakePile
from companion.rules.turn import Turn

Position = tuple[Judge, Table, Play, Player]

CHANCE = st.randoms(use_true_random=True)
# Games in which melds are laid on the table.
TABLE_GAMES = [game for game in GAMES.values() if game.lays_on_table]


def some_rules(chance: Random, *games: Game) -> Judge:
    """Return the rules of a hand, by default of any game with rulings on plays."""
    game = chance.choice(games or [game for game in GAMES.values() if game.has_rulings])
    chosen = {
        rule.id: chance.choice(rule.choices).value
        for rule in game.house_rules
        if chance.random() < 0.3
    }
    house = game.house(chance.choice(game.sheets).id, chosen)
    deck = chance.choice(game.decks_of(house)).deck
    return game.rules(house, chance.randint(1, game.hands), deck, chance.choice(PACK).rank)


def near_meld(chance: Random, rules: Judge, most_open: int = 6) -> tuple[Offered, ...]:
    """Return cards that are a meld, or nearly, with some wild cards among them."""
    low, suit = chance.choice(PACK)
    size = chance.choice([1, 2, 3, 3, 3, 4, 4, 5, 6])
    if chance.random() < 0.5:
        size = chance.choice([size, size, size, 12, 13])
        meant = [PACK[13 * suit + (low - 1 + n) % 13] for n in range(size)]
    else:
        meant = [Card(low, SUITS[n % 4]) for n in range(size)]
    wilds = [card for card in PACK if rules.limits.is_wild(card)]
    cards = [Offered(chance.choice(PACK) if chance.random() < 0.1 else card) for card in meant]
    for place, offered in enumerate(cards):
        open_ones = sum(rules.limits.is_wild(card) and said is None for card, said in cards)
        named = offered.card if chance.random() < 0.5 or open_ones >= most_open else None
        if wilds and (rules.limits.is_wild(offered.card) or chance.random() < 0.25):
            cards[place] = Offered(chance.choice(wilds), named)
        elif rules.deck.jokers and chance.random() < 0.2:
            cards[place] = Offered(JOKER, named)
    chance.shuffle(cards)
    return tuple(cards)


def some_player(chance: Random) -> Player:
    return Player(*(chance.random() < 0.5 for _ in range(3)), drew=chance.choice(PACK))


def some_play(chance: Random, rules: Judge, table: Table, most_open: int = 6) -> Play:
    if not table.melds or chance.random() < 0.3:
        return MeldPlay(near_meld(chance, rules, most_open))
    onto = chance.randrange(len(table.melds))
    near = chance.choice(table.melds[onto].cards).stands_for
    if "swap" in rules.asks and chance.random() < 0.4:
        return Swap(Offered(near), onto, chance.choice(["", *rules.joker_ends]))
    if chance.random() < 0.3:
        return Discard(chance.choice([near, chance.choice(PACK)]))
    return LayOff(near_lay_off(chance, rules, table.melds[onto], most_open), onto)


def near_lay_off(chance: Random, rules: Judge, meld: Meld, most_open: int) -> tuple[Offered, ...]:
    """Return one or two cards that fit the meld, or nearly."""
    suits, ranks = {c.suit for c in meld.identities}, {c.rank for c in meld.identities}
    near = [card for card in PACK if (card.suit in suits) is (len(ranks) > 1)] or PACK
    cards = [Offered(card) for card in chance.sample(near, chance.choice([1, 1, 2]))]
    if chance.random() < 0.4:
        cards[:1] = near_meld(chance, rules, most_open)[:1]
    return tuple(cards)


def some_table(chance: Random, rules: Judge) -> Table:
    """Return a table with melds that can lie together, and a pile."""
    melds: list[Meld] = []
    for _ in range(3):
        there = [card for meld in melds for card in meld.identities if rules.one_of_each_card]
        found = [
            meld
            for meld in readings(near_meld(chance, rules), rules.limits)
            if not rules.limits.breaches(meld) and not {*there} & {*meld.identities}
        ]
        melds += [chance.choice(found)] if found else []
    return Table(tuple(melds), tuple(chance.sample(PACK, chance.randint(0, 3))))


def a_position(chance: Random, *games: Game, kind: type = object) -> Position:
    """Return a play that is possible with the packs, legal or not; of one kind, if given."""
    while True:
        rules = some_rules(chance, *games)
        table = some_table(chance, rules)
        play = some_play(chance, rules, table, most_open=2)
        try:
            rules.check_cards(table, play)
        except Malformed:
            continue
        if isinstance(play, kind):
            return rules, table, play, some_player(chance)


def a_legal_position(chance: Random, *games: Game) -> Position:
    while True:
        rules, table, play, player = a_position(chance, *games)
        if rules.judge(table, play, player).legal:
            return rules, table, play, player


def a_turn(chance: Random, *games: Game) -> Turn:
    """Return one to four plays that are possible with the packs, perhaps after taking the pile."""
    while True:
        rules = some_rules(chance, *games)
        table = some_table(chance, rules)
        plays = [some_play(chance, rules, table, most_open=2) for _ in range(chance.randint(1, 4))]
        cards = tuple(card for play in plays for card in play.cards)
        try:
            rules.check_cards(table, MeldPlay(cards))
        except Malformed:
            continue
        if len(cards) <= rules.most_in_turn:
            takes = [TakePile()] if rules.takes_pile and chance.random() < 0.2 else []
            return Turn(rules, table, [*takes, *plays], some_player(chance))


# -- questions ------------------------------------------------------------------------------------

_ASKS: dict[type, str] = {MeldPlay: "meld", LayOff: "lay_off", Swap: "swap", Discard: "discard"}


def a_question(chance: Random) -> tuple[Judge, Question]:
    """Return the rules of a hand and a question with some stated and some unknown facts."""
    rules = some_rules(chance)
    table = some_table(chance, rules)
    ask, plays = _plays(chance, rules, [some_play(chance, rules, table) for _ in range(4)])
    pile = chance.choice([UNKNOWN_PILE, Pile(table.pile, chance.random() < 0.5)])
    question = Question(ask, plays, table.melds, pile, Player())
    if rules.calls_allowed and chance.random() < 0.2:
        call = Call(chance.choice([None, 0, 3]), chance.randrange(6), chance.choice([None, True]))
        question = Question(CALL, (), table.melds, call=call)
    elif "draw" in rules.allowed_by and table.pile and chance.random() < 0.3:
        melds = tuple(MeldPlay(near_meld(chance, rules)) for _ in range(chance.randrange(3)))
        question = Question(DRAW, melds, table.melds, Pile(table.pile, whole=False))
    for flag in FLAGS:
        value = chance.choice([True, False, None])
        stated = value is not None
        question = question.with_flag(flag, bool(value)) if stated else question.without(flag)
    return rules, question


def _plays(chance: Random, rules: Judge, plays: list[Play]) -> tuple[str, tuple[Play, ...]]:
    kind = chance.random()
    if kind < 0.15 and isinstance(rules, ContractJudge):
        melds = sum(rules.contracts[rules.hand - 1])
        return "contract", tuple(MeldPlay(near_meld(chance, rules)) for _ in range(melds))
    if kind < 0.3 and isinstance(rules, DeclaringJudge):
        groups = [near_meld(chance, rules) for _ in range(4)]
        cards = MeldPlay(tuple(card for group in groups for card in group))
        return "declare", (cards, *map(MeldPlay, groups if kind < 0.2 else ()))
    if kind < 0.5 and "turn" in rules.asks:
        begins = [TakePile()] if rules.takes_pile and chance.random() < 0.3 else []
        return "turn", (*begins, *plays[: chance.randint(1, 4)])
    return _ASKS[type(plays[0])], (plays[0],)


def a_ruling(chance: Random) -> tuple[Judge, Question, Ruling]:
    """Return a question and its ruling: the cards are possible, and no unknown fact decides."""
    while True:
        rules, question = a_question(chance)
        try:
            found = rule_on(rules, question)
        except Malformed:
            continue
        if isinstance(found, Ruling):
            return rules, question, found
