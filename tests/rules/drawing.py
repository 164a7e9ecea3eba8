"""Random houses, cards, melds and tables, mostly close to something legal.

Hypothesis chooses the chance and no more: drawing card by card through it takes ten times as long.
"""

from random import Random
from typing import Any

from hypothesis import strategies as st

from companion.rules.cards import JOKER, PACK, RANKS, SUITS, Card, Offered, Rank
from companion.rules.errors import Malformed
from companion.rules.games import GAMES
from companion.rules.games.proter import PROTER
from companion.rules.judge import Judge
from companion.rules.melds import Meld
from companion.rules.readings import readings
from companion.rules.scoring import HandEnd
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Player, Swap, Table, TakePile
from companion.rules.turn import Turn

Position = tuple[Judge, Table, Play, Player]

CHOICES: dict[str, list[Any]] = {
    rule.id: [choice.value for choice in rule.choices] for rule in PROTER.house_rules
} | {"penalty_points": [0, 20, 50]}
EVERY_KIND = ("meld", "meld", "lay_off", "lay_off", "swap", "discard")
NAMES = ["Ana", "Ben", "Cem", "Dia", "Eli", "Fay", "Gus"]

CARDS = st.sampled_from(PACK)
CHANCE = st.randoms(use_true_random=True)


def a_judge(chance: Random) -> Judge:
    chosen = {rule: chance.choice(choices) for rule, choices in CHOICES.items()}
    agreed = {rule: choice for rule, choice in chosen.items() if chance.random() < 0.4}
    sheet = chance.choice(PROTER.sheets).id
    return PROTER.rules(PROTER.house(sheet, agreed), chance.randint(1, PROTER.hands))


def some_identities(chance: Random) -> list[Card]:
    """Cards that are a set or a run, or would be one if the ace or the corner allowed it."""
    if chance.random() < 0.4:
        rank = chance.choice(RANKS)
        return [Card(rank, suit) for suit in chance.sample(SUITS, chance.choice([2, 3, 3, 4]))]
    suit, low = chance.choice(SUITS), chance.randint(1, 13)
    count = chance.choice([2, 3, 3, 3, 3, 4, 5, 7, 12, 13])
    return [Card(Rank((low + n - 1) % 13 + 1), suit) for n in range(count)]


def some_cards(chance: Random, rules: Judge, free: list[Card], most_open: int = 2) -> list[Offered]:
    """Return free cards close to a meld, and remove them from the free ones."""
    offered: list[Offered] = []
    still_open = 0
    for meant in some_identities(chance):
        identity = chance.choice(PACK) if chance.random() < 0.05 else meant
        wilds = [card for card in free if rules.limits.is_wild(card)]
        if wilds and (identity not in free or chance.random() < 0.2):
            wild = chance.choice(wilds)
            named = still_open == most_open or chance.random() < 0.5
            offered.append(Offered(wild, identity if named else None))
            still_open += not named
            free.remove(wild)
        elif identity in free and not rules.limits.is_wild(identity):
            offered.append(Offered(identity))
            free.remove(identity)
    if not offered:
        offered = [Offered(free.pop())]
    chance.shuffle(offered)
    return offered


def a_table(chance: Random, rules: Judge, free: list[Card], fewest: int = 0) -> Table:
    """Return melds that can lie together, and a pile, and remove their cards from the free ones."""
    melds: list[Meld] = []
    tries = chance.randint(0, 4)
    while tries > 0 or len(melds) < fewest:
        tries -= 1
        left = list(free)
        offered = some_cards(chance, rules, left)
        there = {identity for meld in melds for identity in meld.identities}
        found = [
            meld
            for meld in readings(offered, rules.limits)
            if not rules.limits.breaches(meld) and there.isdisjoint(meld.identities)
        ]
        if found:
            melds.append(chance.choice(found))
            free[:] = left
    pile = [free.pop(chance.randrange(len(free))) for _ in range(chance.randint(0, 3))]
    return Table(tuple(melds), tuple(pile))


def a_play(
    chance: Random,
    rules: Judge,
    table: Table,
    free: list[Card],
    kinds: tuple[str, ...] = EVERY_KIND,
) -> Play:
    """A play that can be made with the cards that are free, legal or not."""
    kind = chance.choice(kinds if table.melds else ("meld", "discard"))
    if kind == "meld":
        return MeldPlay(tuple(some_cards(chance, rules, free)))
    if kind == "discard":
        return Discard(free.pop(chance.randrange(len(free))))
    onto = chance.randrange(len(table.melds))
    meld = table.melds[onto]
    if kind == "swap":
        wanted = [laid.stands_for for laid in meld.cards if laid.stands_for in free]
        card = chance.choice(wanted or free)
        free.remove(card)
        return Swap(Offered(card), onto)
    suits, ranks = {c.suit for c in meld.identities}, {c.rank for c in meld.identities}
    near = [
        card
        for card in free
        if rules.limits.is_wild(card) or (card.suit in suits) is (len(ranks) > 1)
    ]
    cards = chance.sample(near or free, 1 if chance.random() < 0.6 or len(near) < 2 else 2)
    for card in cards:
        free.remove(card)
    return LayOff(tuple(Offered(card) for card in cards), onto)


def a_player(chance: Random) -> Player:
    return Player(chance.random() < 0.5, chance.random() < 0.5)


def a_position(
    chance: Random, kinds: tuple[str, ...] = EVERY_KIND, fewest_melds: int = 0
) -> Position:
    rules, free = a_judge(chance), list(PACK)
    table = a_table(chance, rules, free, fewest_melds)
    return rules, table, a_play(chance, rules, table, free, kinds), a_player(chance)


def a_legal_position(chance: Random) -> Position:
    while True:
        rules, table, play, player = a_position(chance)
        if rules.judge(table, play, player).legal:
            return rules, table, play, player


def a_turn(chance: Random) -> Turn:
    rules, free = a_judge(chance), list(PACK)
    table = a_table(chance, rules, free)
    made: list[Play] = [TakePile()] if chance.random() < 0.2 else []
    made += [a_play(chance, rules, table, free) for _ in range(chance.randint(1, 4))]
    return Turn(rules, table, made, a_player(chance))


def some_ends(chance: Random, rules: Judge) -> list[HandEnd]:
    """How a hand may end: one player is out, or nobody; what was charged is this table's."""
    names = chance.sample(NAMES, chance.randint(2, 7))
    pack = chance.sample(PACK, len(PACK))
    charges = [c.rule for c in PROTER.charges if c.applies(rules.house)]
    out = chance.choice([None, *names])
    found = []
    for name in names:
        held = 0 if name == out else chance.randint(1, 7)
        cards, pack = pack[:held], pack[held:]
        penalties = chance.choices(charges, k=chance.choice([0, 0, 1, 2, 3]))
        melded = chance.random() < 0.7
        found.append(HandEnd(name, rules.left(cards), melded, name == out, tuple(penalties)))
    return found


# -- of every game ---------------------------------------------------------------------------------


def some_rules(chance: Random) -> Judge:
    game = chance.choice([game for game in GAMES.values() if game.has_rulings])
    chosen = {
        rule.id: chance.choice(rule.choices).value
        for rule in game.house_rules
        if chance.random() < 0.3
    }
    house = game.house(chance.choice(game.sheets).id, chosen)
    deck = chance.choice(game.decks_of(house)).deck
    return game.rules(house, chance.randint(1, game.hands), deck, chance.choice(PACK).rank)


def near_meld(chance: Random, rules: Judge) -> tuple[Offered, ...]:
    """Cards that are a meld, or nearly, with some wild ones among them."""
    low, suit = chance.choice(PACK)
    size = chance.choice([1, 2, 3, 3, 3, 4, 4, 5, 6])
    if chance.random() < 0.5:
        meant = [PACK[13 * suit + (low - 1 + n) % 13] for n in range(size)]
    else:
        meant = [Card(low, SUITS[n % 4]) for n in range(size)]
    wilds = [card for card in PACK if rules.limits.is_wild(card)]
    cards = [Offered(chance.choice(PACK) if chance.random() < 0.1 else card) for card in meant]
    for place, offered in enumerate(cards):
        named = offered.card if chance.random() < 0.5 else None
        if wilds and chance.random() < 0.25:
            cards[place] = Offered(chance.choice(wilds), named)
        elif rules.deck.jokers and chance.random() < 0.2:
            cards[place] = Offered(JOKER, named)
    chance.shuffle(cards)
    return tuple(cards)


def some_player(chance: Random) -> Player:
    return Player(*(chance.random() < 0.5 for _ in range(3)), drew=chance.choice(PACK))


def some_play(chance: Random, rules: Judge, table: Table) -> Play:
    if not table.melds or chance.random() < 0.3:
        return MeldPlay(near_meld(chance, rules))
    onto = chance.randrange(len(table.melds))
    near = chance.choice(table.melds[onto].cards).stands_for
    if "swap" in rules.asks and chance.random() < 0.5:
        return Swap(Offered(near), onto, chance.choice(["", *rules.joker_ends]))
    if chance.random() < 0.3:
        return Discard(near)
    return LayOff(near_meld(chance, rules)[:2], onto)


def some_table(chance: Random, rules: Judge) -> Table:
    melds: list[Meld] = []
    for _ in range(3):
        play = MeldPlay(near_meld(chance, rules))
        try:
            found = rules.judge(Table(tuple(melds)), play, Player(contract_met=True))
        except Malformed:
            continue
        melds += found.readings[:1]
    return Table(tuple(melds), tuple(chance.sample(PACK, 2)))


JUDGES = st.builds(a_judge, CHANCE)
POSITIONS = st.builds(a_position, CHANCE)
LEGAL_POSITIONS = st.builds(a_legal_position, CHANCE)
LAY_OFFS = st.builds(a_position, CHANCE, st.just(("lay_off",)), st.just(1))
TURNS = st.builds(a_turn, CHANCE)
