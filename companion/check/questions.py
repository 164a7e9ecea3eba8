"""The questions that can be asked, and their answers, ready for JSON."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from companion.check.entries import MOST_CHARGES, Entries, entries_of
from companion.rules.arrange import arrange
from companion.rules.cards import Card, check_packs, format_cards
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed
from companion.rules.game import Deck, Game
from companion.rules.games import game_named
from companion.rules.games.indian_chief import IndianChiefJudge
from companion.rules.house_rules import House
from companion.rules.judge import Judge
from companion.rules.question import NOTHING_SAID, UNKNOWN_PILE, Depends, Pile, Question, rule_on
from companion.rules.readings import MOST_READINGS
from companion.rules.ruling import Ruling
from companion.rules.scoring import HandEnd
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Player, TakePile, parse_table

Answer = dict[str, Any]

_FACTS = ("melded_this_hand", "melded_this_turn", "contract_met")
# More cards than a player can hold in any game; the rules of a game may allow fewer.
_MOST_HELD = 999
_MOST_ARRANGED = 30
# The plays of a turn, by the entry with their cards, and the entries that may stand beside it.
_PLAYS = {
    "meld": (),
    "lay_off": ("onto",),
    "swap": ("onto", "joker_to"),
    "discard": (),
    "take_pile": (),
}


def _rule_on(entries: Entries, rules: Judge, *plays: Play) -> Answer:
    """Return the answer to a question about plays. Raises `Malformed` or `Ambiguous`."""
    pile = UNKNOWN_PILE
    if "pile" not in entries.given or entries.given["pile"] is not None:
        pile = Pile(entries.any_cards("pile"))
    table = parse_table(entries.melds("table"), pile.cards, rules)
    holding = entries.any_cards("holding") if "holding" in entries.given else None
    player, unknown = _player(entries)
    asked = Question(entries.given["ask"], plays, table.melds, pile, player, unknown, holding)
    return answer_of(rule_on(rules, asked))


def _player(entries: Entries) -> tuple[Player, frozenset[str]]:
    """Return the player as described, and the names of the unknown facts."""
    if "player" not in entries.given:
        return NOTHING_SAID, frozenset()
    said = entries_of(entries.given["player"], "player")
    said.check_known("name", "drew", "holds", *_FACTS)
    known = {fact: said.known_flag(fact) for fact in _FACTS}
    player = Player(
        bool(known["melded_this_hand"]),
        bool(known["melded_this_turn"]),
        bool(known["contract_met"]),
        drew=said.one_card("drew") if "drew" in said.given else None,
        holds=said.number("holds", _MOST_HELD) if said.given.get("holds") is not None else None,
    )
    return player, frozenset(fact for fact, value in known.items() if value is None)


def answer_of(ruling: Ruling | Depends) -> Answer:
    """Return a ruling, or the facts that it depends on, ready for JSON."""
    if isinstance(ruling, Depends):
        cases = [{**facts, **ruled(one)} for facts, one in ruling.cases]
        return {"legal": None, "depends_on": list(ruling.on)} | ({"cases": cases} if cases else {})
    more = {"regardless_of": list(ruling.regardless_of)} if ruling.regardless_of else {}
    return ruled(ruling) | more


def ruled(ruling: Ruling) -> Answer:
    """Return a ruling, ready for JSON."""
    too_many = ruling.number > MOST_READINGS
    answer: Answer = {
        "legal": ruling.legal,
        "broken": list(ruling.broken),
        "readings": [] if too_many else [meld.text for meld in ruling.readings],
        "points": ruling.consequence.points,
        "take_back": ruling.consequence.take_back.text,
        "turn_passes": ruling.consequence.turn_passes,
        "says": ruling.says,
        "elsewhere": dict(ruling.elsewhere),
    }
    if too_many:
        answer["readings_count"] = ruling.number
    if ruling.took is not None:
        answer["took"] = ruling.took.text
        if len(ruling.readings) == 1:
            answer["meld_after"] = ruling.readings[0].text
    if ruling.table is not None:
        answer["plays"] = [ruled(play) for play in ruling.plays]
        answer["table_after"] = [meld.text for meld in ruling.table.melds]
        if "pile" not in ruling.regardless_of:
            answer["pile_after"] = [card.text for card in ruling.table.pile]
    if ruling.holding is not None:
        answer["holding_after"] = [card.text for card in ruling.holding]
    return answer


# -- plays and turns -------------------------------------------------------------------------------


def single_play(entries: Entries, rules: Judge) -> Answer:
    """Return the ruling on one play."""
    ask = entries.given["ask"]
    cards = "cards" if ask in ("meld", "lay_off") else "card"
    return _rule_on(entries, rules, _play(ask, entries, cards))


def turn_of(entries: Entries, rules: Judge) -> Answer:
    """Return the ruling on a whole turn, and on each of its plays."""
    given = entries.non_empty_list("plays")
    plays = [_in_turn(entries_of(play, f"plays[{number}]")) for number, play in enumerate(given)]
    return _rule_on(entries, rules, *plays)


def _in_turn(entries: Entries) -> Play:
    kinds = _PLAYS.keys() & entries.given.keys()
    if len(kinds) != 1:
        says = "A play must be one of meld, lay_off (onto), swap (onto), discard or take_pile."
        raise Malformed(says, entries.place)
    (kind,) = kinds
    entries.check_known(kind, *_PLAYS[kind])
    return _play(kind, entries, kind)


def _play(kind: str, entries: Entries, cards: str) -> Play:
    """Return the play of this kind; its cards are in the entry ``cards``."""
    match kind:
        case "meld":
            return MeldPlay(entries.offered(cards))
        case "lay_off":
            return LayOff(entries.offered(cards), entries.onto("onto"))
        case "swap":
            return entries.swap(cards)
        case "discard":
            return Discard(entries.one_card(cards))
        case _:  # take_pile
            return TakePile()


# -- whole hands -----------------------------------------------------------------------------------


def contract_of(entries: Entries, rules: ContractJudge) -> Answer:
    """Return the ruling on melds laid together as the contract of the hand."""
    entries.non_empty_list("melds")
    melds = entries.grouped("melds")
    player, _ = _player(entries)
    ruling = rules.rule_on_contract(melds, player.holds)
    return ruled(ruling) | {
        "readings": [" / ".join(meld.text for meld in way) for way in ruling.ways]
    }


def declare_of(entries: Entries, rules: DeclaringJudge) -> Answer:
    """Return the ruling on a declaration of all the cards, and the melds that make it legal."""
    cards = entries.cards("cards")
    grouping = entries.grouped("melds")
    player, _ = _player(entries)
    rules.check_fits(len(cards), player.holds, "cards")
    ruling = rules.rule_on_declaration(cards, grouping)
    melds = [meld.text for meld in ruling.melds]
    return ruled(ruling) | {"readings": [" / ".join(melds)] if melds else [], "melds": melds}


def arrange_of(entries: Entries, rules: Judge) -> Answer:
    """Return an arrangement of the cards with the fewest points left."""
    cards = entries.cards("cards")
    _check_held(cards, rules, "cards")
    table = parse_table(entries.melds("onto"), (), rules, "onto")
    if table.melds:
        rules.check_has("lay_off")
    check_packs([*table.places, ("in the cards", cards)], *rules.deck)
    best = arrange(cards, rules, table.melds)
    return {
        # Counted from the cards: the search takes one value for all wild ones.
        "points": sum(rules.value(card) for card in best.deadwood),
        "melds": [meld.text for meld in best.melds],
        "laid_off": [
            {"cards": format_cards(laid.cards), "onto": laid.onto} for laid in best.laid_off
        ],
        "deadwood": [card.text for card in best.deadwood],
    }


def _check_held(cards: Sequence[Card], rules: Judge, where: str) -> None:
    """Raise `Malformed` for more cards to arrange than anybody holds in the game."""
    if rules.arranges and len(cards) > _MOST_ARRANGED:
        says = f"{len(cards)} cards are more than a player can hold in {rules.game.name}."
        raise Malformed(says, where)


def score_of(entries: Entries, rules: Judge) -> Answer:
    """Return each player's score at the end of a hand."""
    ends = [_end(player, rules) for player in _of_players(entries, rules, "players")]
    return {
        "scores": {
            name: {
                "points": mark.points,
                "cards": mark.cards,
                "penalties": [{"rule": c.rule, "points": c.points} for c in mark.charges],
            }
            for name, mark in rules.score(ends).items()
        }
    }


def _of_players(entries: Entries, rules: Judge, key: str) -> Iterator[Entries]:
    """Yield the entries of each player. Raises `Malformed` for too many players."""
    given = entries.non_empty_list(key)
    fewest, most = rules.game.players
    if len(given) > most:
        says = f"{rules.game.name} is played by {fewest} to {most}, not {len(given)}."
        raise Malformed(says, key)
    for number, player in enumerate(given):
        yield entries_of(player, f"{key}[{number}]")


def _end(entries: Entries, rules: Judge) -> HandEnd:
    name = entries.name()
    entries.check_known("name", "left", "melded", "out", "penalties", "bent", "calls")
    out = entries.flag("out")
    if "left" not in entries.given and not out:
        raise Malformed(f"{name}'s cards are missing: “left” names them.", entries.place)
    left = entries.any_cards("left")
    _check_held(left, rules, entries.place)
    return HandEnd(
        name,
        rules.left(left),
        entries.flag("melded", default=True),
        out,
        entries.charges(),
        entries.flag("bent"),
        entries.number("calls", MOST_CHARGES),
    )


def round_of(entries: Entries, rules: IndianChiefJudge) -> Answer:
    """Return what the melds shown in one round score."""
    ends = [_shown(play, rules) for play in _of_players(entries, rules, "plays")]
    round_score = rules.score_round(ends)
    scores = round_score.boxes.items()
    return {
        "scores": {name: score.points for name, score in scores},
        "boxes": {name: score.title for name, score in scores},
        "splits": {name: format_cards(score.split) for name, score in scores if score.split},
        "thieves": [name for equal in round_score.thieves for name in equal],
        "says": round_score.says,
    }


def _shown(entries: Entries, rules: Judge) -> HandEnd:
    name = entries.name()
    entries.check_known("name", "cards", "suit", "split")
    cards = entries.any_cards("cards")
    split = entries.cards("split") if entries.given.get("split") is not None else None
    return HandEnd(name, rules.left(cards), suit=entries.suit(), split=split)


# The function that answers each question, by the rules of a game that has it.
ASKS: Mapping[str, Callable[[Entries, Any], Answer]] = {
    "meld": single_play,
    "lay_off": single_play,
    "swap": single_play,
    "discard": single_play,
    "turn": turn_of,
    "arrange": arrange_of,
    "score": score_of,
    "contract": contract_of,
    "round": round_of,
    "declare": declare_of,
}


def answer(question: object) -> Answer:
    """Return the answer to one question, ready for JSON. Raises `Malformed`."""
    if not isinstance(question, dict):
        raise Malformed("A question must be a JSON object.", "question")
    game = game_named(question.get("game"))
    ask = question.get("ask")
    if not isinstance(ask, str) or ask not in ASKS:
        raise Malformed(f"“ask” must be one of {', '.join(ASKS)}.", "ask")
    sheet, rules = question.get("sheet"), question.get("rules", {})
    if sheet is not None and not isinstance(sheet, str):
        raise Malformed("“sheet” must be the id of a sheet.", "sheet")
    if not isinstance(rules, dict):
        raise Malformed("“rules” must be an object: house rules by id.", "rules")
    house = game.house(sheet, rules)
    if ask not in game.judge.asks:
        raise Malformed(f"{game.name} has no question “{ask}”.", "ask")
    hand = question.get("hand")
    if hand is None:
        if ask not in game.judge.asks_without_hand:
            raise Malformed("“hand” is missing: the number of the hand.", "hand")
        hand = 1
    entries = Entries(question)
    wild_rank = entries.wild_rank() if ask in game.judge.asks_with_wild_rank else None
    judge = game.rules(house, hand, _deck(game, house, question), wild_rank)
    return ASKS[ask](entries, judge)


def _deck(game: Game, house: House, question: Mapping[str, Any]) -> Deck:
    """Return the deck of ``packs``, or else for the players named, or else the largest."""
    if "packs" in question:
        return game.deck_of(house, question["packs"])
    named = question.get("players", question.get("plays"))
    fewest, most = game.players
    counts = question["ask"] in ("score", "round") and isinstance(named, list)
    return game.deck(house, len(named) if counts and fewest <= len(named) <= most else None)
