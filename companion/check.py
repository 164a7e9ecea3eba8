"""Ask the rules engine from outside: one question a line in, one ruling a line out, both JSON.

Questions and answers are described in ``python3 -m companion check --help``. Only the standard
library and `companion.rules` are needed.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Mapping
from io import TextIOWrapper
from typing import IO, Any, NamedTuple, NoReturn

from companion.rules.arrange import arrange
from companion.rules.cards import (
    RANKS,
    Card,
    Offered,
    Rank,
    Suit,
    check_packs,
    format_cards,
    parse_cards,
    parse_meld_text,
    suit_named,
)
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed, NotInThisGame
from companion.rules.game import Deck, Game
from companion.rules.games import game_named
from companion.rules.games.indian_chief import IndianChiefJudge
from companion.rules.games.indian_chief_rounds import RoundMeld
from companion.rules.house import House
from companion.rules.judge import Judge
from companion.rules.player import Player
from companion.rules.position import parse_table
from companion.rules.ruling import Ruling
from companion.rules.scoring import HandEnd
from companion.rules.table import ENDS, Discard, LayOff, MeldPlay, Play, Swap, Table, TakePile
from companion.rules.turn import rule_on_turn

Answer = dict[str, Any]

_CARDS = "like “5C 6C 7C”"
_RANKS = {rank.text: rank for rank in RANKS} | {"10": Rank.TEN, "XX": Rank.JOKER}
_PLAYS = frozenset({"meld", "lay_off", "swap", "discard", "take_pile"})
_PLAYER = frozenset({"name", "melded_this_hand", "melded_this_turn", "contract_met", "drew"})
_ROUND_MELD = frozenset({"name", "cards", "suit", "split"})
_END = frozenset({"name", "left", "melded", "out", "penalties", "bent", "calls"})


class Entries(NamedTuple):
    """What was given by name: a question, or at a ``place`` in it an object of its own.

    Each method reads one entry, and raises `Malformed` with its name, or with the place, if it is
    missing or not what it should be.
    """

    given: Mapping[str, Any]
    place: str = ""

    def where(self, key: str) -> str:
        """What is to be changed if this entry is wrong."""
        return self.place or key

    def text(self, key: str) -> str | list[str]:
        """Cards as text: a string, or a list with a string a card."""
        return self._as_text(self.given.get(key), key)

    def offered(self, key: str) -> tuple[Offered, ...]:
        """At least one card, with the identity that was given for it, if any."""
        return parse_meld_text(self.text(key), self.where(key)) or self._empty(key)

    def cards(self, key: str) -> tuple[Card, ...]:
        """At least one card."""
        return parse_cards(self.text(key), self.where(key)) or self._empty(key)

    def one_offered(self, key: str) -> Offered:
        """Just one card, with the identity that was given for it, if any."""
        offered = self.offered(key)
        return offered[0] if len(offered) == 1 else self._not_one(key, len(offered))

    def one_card(self, key: str) -> Card:
        """Just one card."""
        cards = self.cards(key)
        return cards[0] if len(cards) == 1 else self._not_one(key, len(cards))

    def any_cards(self, key: str) -> tuple[Card, ...]:
        """Cards, or none if there is no such entry."""
        return parse_cards(self.text(key), self.where(key)) if key in self.given else ()

    def melds(self, key: str) -> list[str | list[str]]:
        """Melds as text; none if there is no such entry."""
        given = self.given.get(key, [])
        if not isinstance(given, list):
            raise Malformed(f"“{key}” must be a list of melds, each {_CARDS}.", key)
        return [self._as_text(meld, key) for meld in given]

    def onto(self, key: str) -> int:
        """The index of a meld on the table."""
        given = self.given.get(key)
        if isinstance(given, bool) or not isinstance(given, int):
            says = f"“{key}” must be the index of a meld on the table, from 0."
            raise Malformed(says, self.where(key))
        return given

    def swap(self, key: str) -> Swap:
        """A swap of this card."""
        joker_to = self.given.get("joker_to", "")
        if joker_to not in ("", *ENDS):
            raise Malformed("“joker_to” must be low or high.", self.where("joker_to"))
        return Swap(self.one_offered(key), self.onto("onto"), joker_to)

    def number(self, key: str, default: int = 0) -> int:
        """A whole number from 0."""
        given = self.given.get(key, default)
        if isinstance(given, bool) or not isinstance(given, int) or given < 0:
            raise Malformed(f"“{key}” must be a whole number from 0.", self.where(key))
        return given

    def wild_rank(self) -> Rank | None:
        """The rank of the card that was turned; None for none."""
        if "wild_rank" not in self.given:
            raise Malformed("“wild_rank” is missing: the rank that is wild, or null.", "wild_rank")
        given = self.given["wild_rank"]
        if given is None:
            return None
        rank = _RANKS.get(given.upper()) if isinstance(given, str) else None
        if rank is None:
            raise Malformed("“wild_rank” must be a rank, like “8” or “T”, or null.", "wild_rank")
        return rank

    def name(self) -> str:
        """A player's name."""
        given = self.given.get("name")
        if not isinstance(given, str) or not given.strip():
            raise Malformed("Every player needs a “name”.", self.place)
        return given

    def suit(self) -> Suit | None:
        """A suit that was named; None if none was."""
        given = self.given.get("suit")
        if given is None:
            return None
        suit = suit_named(given) if isinstance(given, str) else None
        if suit is None:
            raise Malformed("“suit” must be a suit: C, D, H or S.", self.where("suit"))
        return suit

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false."""
        given = self.given.get(key, default)
        if not isinstance(given, bool):
            raise Malformed(f"“{key}” must be true or false.", self.where(key))
        return given

    def some(self, key: str, what: str) -> list[Any]:
        """A list that is not empty."""
        given = self.given.get(key)
        if not isinstance(given, list) or not given:
            raise Malformed(f"“{key}” must be a list of {what}, with at least one.", key)
        return given

    def only(self, known: frozenset[str]) -> None:
        """Raise `Malformed` for an entry that is none of the known ones."""
        for key in self.given:
            if key not in known:
                raise Malformed(f"There is no entry “{key[:30]}” here.", self.place)

    def _as_text(self, given: object, key: str) -> str | list[str]:
        if isinstance(given, str):
            return given
        if isinstance(given, list) and all(isinstance(card, str) for card in given):
            return given
        missing = key not in self.given
        says = f"is missing; it names cards, {_CARDS}" if missing else f"must be cards, {_CARDS}"
        raise Malformed(f"“{key}” {says}.", self.where(key))

    def _empty(self, key: str) -> NoReturn:
        raise Malformed(f"“{key}” is empty; name the cards.", self.where(key))

    def _not_one(self, key: str, cards: int) -> NoReturn:
        raise Malformed(f"“{key}” must be one card, not {cards}.", self.where(key))


def _entries(given: object, place: str) -> Entries:
    if not isinstance(given, dict):
        raise Malformed(f"“{place}” must be an object, with its entries by name.", place)
    return Entries(given, place)


class Asked(NamedTuple):
    """A question, and the rules of its game, house and hand."""

    entries: Entries
    rules: Judge

    def table(self) -> Table:
        """The melds and the pile. Raises `Malformed`, or `Ambiguous` for an open wild card."""
        if "table" not in self.entries.given and "pile" not in self.entries.given:
            return _EMPTY_TABLE
        return parse_table(self.entries.melds("table"), self.entries.any_cards("pile"), self.rules)

    def player(self) -> Player:
        """What is said of the player. Raises `Malformed` for what a player has not."""
        if "player" not in self.entries.given:
            return _NOTHING_SAID
        said = _entries(self.entries.given["player"], "player")
        said.only(_PLAYER)
        return Player(
            said.flag("melded_this_hand"),
            said.flag("melded_this_turn"),
            said.flag("contract_met"),
            drew=said.one_card("drew") if "drew" in said.given else None,
        )

    def rule_on(self, play: Play) -> Answer:
        """The answer to a question about one play."""
        return _ruled(self.rules.rule_on(self.table(), play, self.player()))


_EMPTY_TABLE = Table()
_NOTHING_SAID = Player()


def _ruled(ruling: Ruling) -> Answer:
    answer: Answer = {
        "legal": ruling.legal,
        "broken": list(ruling.broken),
        "readings": [meld.text for meld in ruling.readings],
        "points": ruling.consequence.points,
        "take_back": ruling.consequence.take_back.text,
        "turn_passes": ruling.consequence.turn_passes,
        "says": ruling.says,
        "elsewhere": dict(ruling.elsewhere),
    }
    if ruling.took is not None:
        answer["took"] = ruling.took.text
    if ruling.meld_after is not None:
        answer["meld_after"] = ruling.meld_after.text
    return answer


def _meld(asked: Asked) -> Answer:
    return asked.rule_on(MeldPlay(asked.entries.offered("cards")))


def _lay_off(asked: Asked) -> Answer:
    return asked.rule_on(LayOff(asked.entries.offered("cards"), asked.entries.onto("onto")))


def _swap(asked: Asked) -> Answer:
    return asked.rule_on(asked.entries.swap("card"))


def _discard(asked: Asked) -> Answer:
    return asked.rule_on(Discard(asked.entries.one_card("card")))


def _turn(asked: Asked) -> Answer:
    given = asked.entries.some("plays", "plays")
    plays = [_play(_entries(play, f"plays[{number}]")) for number, play in enumerate(given)]
    held = asked.entries.any_cards("holding") if "holding" in asked.entries.given else None
    turn = rule_on_turn(asked.rules, asked.table(), plays, asked.player(), held)
    answer = _ruled(turn.whole)
    answer["plays"] = [_ruled(ruling) for ruling in turn.plays]
    answer["table_after"] = [meld.text for meld in turn.table.melds]
    answer["pile_after"] = [card.text for card in turn.table.pile]
    if turn.holding is not None:
        answer["holding_after"] = [card.text for card in turn.holding]
    return answer


def _play(entries: Entries) -> Play:
    kinds = _PLAYS.intersection(entries.given)
    if len(kinds) != 1:
        says = "A play must be one of meld, lay_off (with onto), swap (with onto) or discard."
        raise Malformed(says, entries.place)
    (kind,) = kinds
    entries.only(_ENTRIES_OF.get(kind, frozenset({kind})))
    match kind:
        case "meld":
            return MeldPlay(entries.offered("meld"))
        case "lay_off":
            return LayOff(entries.offered("lay_off"), entries.onto("onto"))
        case "swap":
            return entries.swap("swap")
        case "discard":
            return Discard(entries.one_card("discard"))
        case _:  # take_pile
            return TakePile()


_ENTRIES_OF = {
    "lay_off": frozenset({"lay_off", "onto"}),
    "swap": frozenset({"swap", "onto", "joker_to"}),
}


def _contract(asked: Asked) -> Answer:
    asked.entries.some("melds", "melds")
    melds = [parse_meld_text(text, "melds") for text in asked.entries.melds("melds")]
    if not all(melds):
        raise Malformed("A meld has no cards.", "melds")
    if not isinstance(asked.rules, ContractJudge):
        asked.rules.not_here("contracts")
    found = asked.rules.rule_on_contract(melds)
    return _ruled(found.ruling) | {
        "readings": [" / ".join(meld.text for meld in way) for way in found.ways]
    }


def _declare(asked: Asked) -> Answer:
    cards = asked.entries.cards("cards")
    grouping = [parse_meld_text(text, "melds") for text in asked.entries.melds("melds")]
    if not all(grouping):
        raise Malformed("A meld has no cards.", "melds")
    if not isinstance(asked.rules, DeclaringJudge):
        asked.rules.not_here("declarations")
    found = asked.rules.rule_on_declaration(cards, grouping)
    melds = [meld.text for meld in found.melds]
    return _ruled(found.ruling) | {"readings": [" / ".join(melds)] if melds else [], "melds": melds}


def _arrange(asked: Asked) -> Answer:
    cards = asked.entries.cards("cards")
    onto = parse_table(asked.entries.melds("onto"), (), asked.rules, "onto").melds
    if onto and "lay_off" not in asked.rules.asks:
        asked.rules.not_here("lay-offs")
    places = (
        ("the melds on the table", [laid.card for meld in onto for laid in meld.cards]),
        ("the cards", cards),
    )
    check_packs(places, *asked.rules.deck)
    best = arrange(cards, asked.rules, onto)
    return {
        "points": best.points,
        "melds": [meld.text for meld in best.melds],
        "laid_off": [
            {"cards": format_cards(laid.cards), "onto": laid.onto} for laid in best.laid_off
        ],
        "deadwood": [card.text for card in best.deadwood],
    }


def _score(asked: Asked) -> Answer:
    given = asked.entries.some("players", "players")
    fewest, most = asked.rules.game.players
    if len(given) > most:
        says = f"{asked.rules.game.name} is played by {fewest} to {most}, not {len(given)}."
        raise Malformed(says, "players")
    ends = [
        _end(_entries(player, f"players[{number}]"), asked.rules)
        for number, player in enumerate(given)
    ]
    return {
        "scores": {
            name: {
                "points": mark.points,
                "cards": mark.cards,
                "penalties": [{"rule": c.rule, "points": c.points} for c in mark.charges],
            }
            for name, mark in asked.rules.score(ends).items()
        }
    }


def _end(entries: Entries, rules: Judge) -> HandEnd:
    name = entries.name()
    entries.only(_END)
    out = entries.flag("out")
    if "left" not in entries.given and not out:
        raise Malformed(f"{name}'s cards are missing: “left” names them.", entries.place)
    penalties = entries.given.get("penalties", [])
    if not isinstance(penalties, list) or not all(isinstance(rule, str) for rule in penalties):
        raise Malformed(f"{name}'s “penalties” must be a list of rule numbers.", entries.place)
    left = rules.left(entries.any_cards("left"))
    return HandEnd(
        name,
        left,
        entries.flag("melded", default=True),
        out,
        tuple(penalties),
        entries.flag("bent"),
        entries.number("calls"),
    )


def _round(asked: Asked) -> Answer:
    given = asked.entries.some("plays", "plays")
    fewest, most = asked.rules.game.players
    if len(given) > most:
        says = f"{asked.rules.game.name} is played by {fewest} to {most}, not {len(given)}."
        raise Malformed(says, "plays")
    if not isinstance(asked.rules, IndianChiefJudge):
        asked.rules.not_here("rounds")
    found = asked.rules.score_round(
        [_round_meld(_entries(play, f"plays[{number}]")) for number, play in enumerate(given)]
    )
    return {
        "scores": {name: score.points for name, score in found.boxes.items()},
        "boxes": {name: score.box.title for name, score in found.boxes.items()},
        "splits": {
            name: format_cards(score.split) for name, score in found.boxes.items() if score.split
        },
        "thieves": [name for equal in found.thieves for name in equal],
        "says": found.says,
    }


def _round_meld(entries: Entries) -> RoundMeld:
    name = entries.name()
    entries.only(_ROUND_MELD)
    cards = entries.any_cards("cards")
    split = entries.cards("split") if entries.given.get("split") is not None else None
    return RoundMeld(name, cards, entries.suit(), split)


def _not_here(game: Game, ask: str) -> NoReturn:
    raise NotInThisGame(f"{game.name} has no question “{ask}”.")


_ASKS: Mapping[str, Callable[[Asked], Answer]] = {
    "meld": _meld,
    "lay_off": _lay_off,
    "swap": _swap,
    "discard": _discard,
    "turn": _turn,
    "arrange": _arrange,
    "score": _score,
    "contract": _contract,
    "round": _round,
    "declare": _declare,
}


ASKS = tuple(_ASKS)


def answer(question: object) -> Answer:
    """The answer to one question, in the form of its JSON.

    Raises `Malformed` or `NotInThisGame` if it cannot be understood.
    """
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
        _not_here(game, ask)
    hand = question.get("hand")
    if hand is None:
        if ask not in game.judge.asks_without_hand:
            raise Malformed("“hand” is missing: the number of the hand.", "hand")
        hand = 1
    entries = Entries(question)
    wild_rank = entries.wild_rank() if ask in game.judge.asks_with_wild_rank else None
    return _ASKS[ask](
        Asked(entries, game.rules(house, hand, _deck(game, house, question), wild_rank))
    )


def _deck(game: Game, house: House, question: Mapping[str, Any]) -> Deck:
    """The packs that were named; else those for so many players as were named; else the largest."""
    if "packs" in question:
        return game.deck_of(house.sheet, question["packs"])
    if question.get("ask") not in ("score", "round"):
        return game.deck(house.sheet)
    players = question.get("players", question.get("plays"))
    fewest, most = game.players
    if isinstance(players, list) and fewest <= len(players) <= most:
        return game.deck(house.sheet, len(players))
    return game.deck(house.sheet)


def answer_line(line: str) -> tuple[str, bool]:
    """The answer to a line of JSON, as a line of JSON, and whether it was ruled on."""
    try:
        try:
            question = _DECODER.decode(line)
        except ValueError as problem:
            return _ENCODER.encode(_error(f"This line is not JSON: {problem}.", "question")), False
        reply, ruled = _reply(question)
        if isinstance(question, dict) and "id" in question:
            reply = {"id": question["id"], **reply}
        text = _ENCODER.encode(reply)
        # Half a surrogate pair, which JSON can hold and UTF-8 cannot, goes out as it came: escaped.
        if "\\u" in line:
            text = text.encode("utf-8", "backslashreplace").decode("utf-8")
        return text, ruled
    except RecursionError:
        return _ENCODER.encode(_error("This question is nested too deeply.", "question")), False


def _reply(question: object) -> tuple[Answer, bool]:
    try:
        return answer(question), True
    except NotInThisGame as problem:
        return _error(str(problem), "ask"), False
    except Malformed as problem:
        return _error(str(problem), problem.where), False


def _error(says: str, where: str) -> Answer:
    return {"error": says, "where": where}


def _finite(text: str) -> float:
    # Python reads and writes NaN and Infinity, which are no JSON.
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a number")
    return number


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def main(questions: IO[str] | None = None, answers: IO[str] | None = None) -> int:
    """Answer every line of standard input; the exit status is 2 if any could not be ruled on."""
    for stream, encoding in ((sys.stdin, "utf-8-sig"), (sys.stdout, "utf-8")):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding=encoding, errors="replace")
    source = questions or sys.stdin
    sink = answers or sys.stdout
    status = 0
    try:
        for line in source:
            if not line.strip():
                continue
            reply, ruled = answer_line(line)
            if not ruled:
                status = 2
            sink.write(reply + "\n")
            sink.flush()
    except BrokenPipeError:
        # Nobody reads on, as behind `| head`. What is still in the buffer has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status
