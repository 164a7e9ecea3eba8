"""Ask the rules engine from outside: one question a line in, one ruling a line out, both JSON.

Questions and answers are described in ``python3 -m companion check --help``. Only the standard
library and `companion.rules` are needed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, NamedTuple

from companion.rules.arrange import arrange
from companion.rules.cards import (
    check_packs,
    format_cards,
    parse_cards,
    parse_meld_text,
)
from companion.rules.errors import Malformed, NotInThisGame
from companion.rules.games import game_named
from companion.rules.judge import Judge, Player
from companion.rules.position import parse_table
from companion.rules.ruling import Ruling
from companion.rules.scoring import HandEnd
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Swap, Table, TakePile
from companion.rules.turn import judge_turn

Question = Mapping[str, Any]
Answer = dict[str, Any]

_PLAYER_KEYS = {"name", "melded_this_hand", "melded_this_turn", "contract_met"}


class Asked(NamedTuple):
    """A question whose game, house and hand are known."""

    question: Question
    rules: Judge

    def text(self, key: str) -> str | list[str]:
        """The cards under a key, as text. Raises `Malformed` if they are missing or no text."""
        given = self.question.get(key)
        if isinstance(given, str) or (
            isinstance(given, list) and all(isinstance(card, str) for card in given)
        ):
            return given
        if given is None:
            raise Malformed(f"“{key}” is missing; it names cards, like “5C 6C 7C”.", key)
        raise Malformed(f"“{key}” must be cards as text, like “5C 6C 7C”.", key)

    def some(self, key: str) -> str | list[str]:
        """The cards under a key. Raises `Malformed` if there is none."""
        text = self.text(key)
        if not text or (isinstance(text, str) and not text.strip(" ,")):
            raise Malformed(f"“{key}” is empty; name the cards.", key)
        return text

    def onto(self, holder: Question, key: str = "onto") -> int:
        """A meld's index. Raises `Malformed` if it is no whole number."""
        given = holder.get(key)
        if isinstance(given, bool) or not isinstance(given, int):
            raise Malformed(f"“{key}” must be the index of a meld on the table, from 0.", key)
        return given

    def flag(self, holder: Question, key: str, default: bool) -> bool:
        """True or false. Raises `Malformed` for anything else."""
        given = holder.get(key, default)
        if not isinstance(given, bool):
            raise Malformed(f"“{key}” must be true or false.", key)
        return given

    def player(self) -> Player:
        """What is said of the player. Raises `Malformed` for what a player has not."""
        given = self.question.get("player", {})
        if not isinstance(given, Mapping):
            raise Malformed("“player” must be an object.", "player")
        unknown = [key for key in given if key not in _PLAYER_KEYS]
        if unknown:
            raise Malformed(f"“player” has no “{str(unknown[0])[:30]}”.", "player")
        return Player(
            self.flag(given, "melded_this_hand", False),
            self.flag(given, "melded_this_turn", False),
            self.flag(given, "contract_met", False),
        )

    def melds(self, key: str) -> list[str | list[str]]:
        """A list of melds as text. Raises `Malformed` for anything else."""
        given = self.question.get(key, [])
        if not isinstance(given, list):
            raise Malformed(f"“{key}” must be a list of melds, like [“5C 6C 7C”].", key)
        return [Asked({key: meld}, self.rules).some(key) for meld in given]

    def table(self) -> Table:
        """The melds and the pile. Raises `Malformed`, or `Ambiguous` for an open wild card."""
        pile = parse_cards(self.text("pile"), "pile") if "pile" in self.question else ()
        return parse_table(self.melds("table"), pile, self.rules)


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
    if ruling.took is not None and ruling.meld_after is not None:
        answer["took"] = ruling.took.text
        answer["meld_after"] = ruling.meld_after.text
    return answer


def _one_play(asked: Asked, play: Play) -> Answer:
    return _ruled(asked.rules.rule_on(asked.table(), play, asked.player()))


def _meld(asked: Asked) -> Answer:
    return _one_play(asked, MeldPlay(parse_meld_text(asked.some("cards"))))


def _lay_off(asked: Asked) -> Answer:
    cards = parse_meld_text(asked.some("cards"))
    return _one_play(asked, LayOff(cards, asked.onto(asked.question)))


def _swap(asked: Asked) -> Answer:
    card = asked.some("card")
    (offered,) = _just_one(parse_meld_text(card, "card"), "card")
    return _one_play(asked, Swap(offered, asked.onto(asked.question)))


def _discard(asked: Asked) -> Answer:
    (card,) = _just_one(parse_cards(asked.some("card"), "card"), "card")
    return _one_play(asked, Discard(card))


def _just_one(cards: Sequence[Any], key: str) -> Sequence[Any]:
    if len(cards) != 1:
        raise Malformed(f"“{key}” must be one card, not {len(cards)}.", key)
    return cards


def _play(asked: Asked, number: int, given: object) -> Play:
    where = f"plays[{number}]"
    if not isinstance(given, Mapping):
        raise Malformed("A play must be an object, like {“meld”: “5C 6C 7C”}.", where)
    kinds = [kind for kind in ("meld", "lay_off", "swap", "discard", "take_pile") if kind in given]
    if len(kinds) != 1 or set(given) - {*kinds, "onto"}:
        raise Malformed(
            "A play must be one of meld, lay_off (with onto), swap (with onto) or discard.", where
        )
    holder = Asked(given, asked.rules)
    try:
        match kinds[0]:
            case "meld":
                return MeldPlay(parse_meld_text(holder.some("meld")))
            case "lay_off":
                return LayOff(parse_meld_text(holder.some("lay_off")), holder.onto(given))
            case "swap":
                (card,) = _just_one(parse_meld_text(holder.some("swap")), "swap")
                return Swap(card, holder.onto(given))
            case "discard":
                (thrown,) = _just_one(parse_cards(holder.some("discard")), "discard")
                return Discard(thrown)
            case _:
                return TakePile()
    except Malformed as problem:
        raise Malformed(str(problem), where) from None


def _turn(asked: Asked) -> Answer:
    given = asked.question.get("plays")
    if not isinstance(given, list) or not given:
        raise Malformed("“plays” must be a list of at least one play.", "plays")
    plays = [_play(asked, number, play) for number, play in enumerate(given)]
    holding = parse_cards(asked.text("holding"), "holding") if "holding" in asked.question else None
    table, player = asked.table(), asked.player()
    turn = judge_turn(asked.rules, table, plays, player, holding)
    rulings = [_ruled(ruling) for ruling in turn.plays]
    answer = _ruled(turn.whole)
    for sheet, rules in asked.rules.game.elsewhere(asked.rules.house, asked.rules.hand):
        other = judge_turn(rules, table, plays, player, holding)
        answer["elsewhere"][sheet] = other.legal
        for ruling, there in zip(rulings, other.plays, strict=True):
            ruling["elsewhere"][sheet] = there.legal
    answer["plays"] = rulings
    answer["table_after"] = [meld.text for meld in turn.table.melds]
    answer["pile_after"] = [card.text for card in turn.table.pile]
    if turn.holding is not None:
        answer["holding_after"] = [card.text for card in turn.holding]
    return answer


def _arrange(asked: Asked) -> Answer:
    cards = parse_cards(asked.some("cards"))
    onto = parse_table(asked.melds("onto"), (), asked.rules, "onto").melds
    game = asked.rules.game
    places = (
        ("the melds on the table", [laid.card for meld in onto for laid in meld.cards]),
        ("the cards", cards),
    )
    check_packs(places, game.packs, game.jokers)
    best = arrange(cards, asked.rules, onto)
    return {
        "points": best.points,
        "melds": [meld.text for meld in best.melds],
        "laid_off": [
            {"cards": format_cards(laid.cards), "onto": laid.onto} for laid in best.laid_off
        ],
        "deadwood": [card.text for card in best.deadwood],
    }


_END_KEYS = {"name", "left", "melded", "out", "penalties", "bent", "calls"}


def _end(asked: Asked, number: int, given: object) -> HandEnd:
    where = f"players[{number}]"
    if not isinstance(given, Mapping):
        raise Malformed("A player must be an object with “name” and “left”.", where)
    name = given.get("name")
    if not isinstance(name, str) or not name.strip():
        raise Malformed("Every player needs a “name”.", where)
    unknown = [key for key in given if key not in _END_KEYS]
    if unknown:
        raise Malformed(f"{name} has an unknown entry “{unknown[0]}”.", where)
    holder = Asked(given, asked.rules)
    out = holder.flag(given, "out", False)
    if "left" not in given and not out:
        raise Malformed(f"{name}'s cards are missing: “left” names them.", where)
    cards = parse_cards(holder.text("left"), where) if "left" in given else ()
    penalties = given.get("penalties", [])
    if not isinstance(penalties, list) or not all(isinstance(rule, str) for rule in penalties):
        raise Malformed(f"{name}'s “penalties” must be a list of rule numbers.", where)
    left = asked.rules.left(cards)
    return HandEnd(name, left, holder.flag(given, "melded", True), out, tuple(penalties))


def _score(asked: Asked) -> Answer:
    given = asked.question.get("players")
    if not isinstance(given, list) or not given:
        raise Malformed("“players” must be a list of players.", "players")
    fewest, most = asked.rules.game.players
    if len(given) > most:
        raise Malformed(f"{asked.rules.game.name} is played by {fewest} to {most}.", "players")
    marks = asked.rules.score([_end(asked, number, end) for number, end in enumerate(given)])
    return {
        "scores": {
            name: {
                "points": mark.points,
                "cards": mark.cards,
                "penalties": [{"rule": c.rule, "points": c.points} for c in mark.charges],
            }
            for name, mark in marks.items()
        }
    }


def _not_here(asked: Asked) -> Answer:
    return asked.rules.not_here(f"question “{asked.question['ask']}”")


_ASKS: Mapping[str, Callable[[Asked], Answer]] = {
    "meld": _meld,
    "lay_off": _lay_off,
    "swap": _swap,
    "discard": _discard,
    "turn": _turn,
    "arrange": _arrange,
    "score": _score,
    "contract": _not_here,
    "declare": _not_here,
    "round": _not_here,
}


def answer(question: object) -> Answer:
    """The answer to one question, in the form of its JSON.

    Raises `Malformed` or `NotInThisGame` if it cannot be understood.
    """
    if not isinstance(question, Mapping):
        raise Malformed("A question must be a JSON object.", "question")
    game = game_named(question.get("game"))
    ask = question.get("ask")
    reply = _ASKS.get(ask) if isinstance(ask, str) else None
    if reply is None:
        raise Malformed(f"“ask” must be one of {', '.join(_ASKS)}, not “{str(ask)[:30]}”.", "ask")
    chosen = question.get("rules", {})
    if not isinstance(chosen, Mapping):
        raise Malformed("“rules” must be an object: house rule ids and choices.", "rules")
    sheet = question.get("sheet")
    if sheet is not None and not isinstance(sheet, str):
        raise Malformed("“sheet” must be the id of a sheet.", "sheet")
    hand = question.get("hand")
    if hand is None and ask not in game.judge.asks_without_hand:
        raise Malformed("“hand” is missing: the number of the hand.", "hand")
    packs = question.get("packs", game.packs)
    if isinstance(packs, bool) or packs != game.packs:
        raise Malformed(f"{game.name} is played with {game.packs} pack.", "packs")
    house = game.house(sheet, chosen)
    return reply(Asked(question, game.rules(house, 1 if hand is None else hand)))


def answer_line(line: str) -> tuple[str, bool]:
    """The answer to a line of JSON, as a line of JSON, and whether it was ruled on."""
    given: object = None
    try:
        given = json.loads(line)
        reply = answer(given)
        ruled = True
    except NotInThisGame as problem:
        reply, ruled = {"error": str(problem), "where": "ask"}, False
    except Malformed as problem:
        reply, ruled = {"error": str(problem), "where": problem.where}, False
    except (ValueError, RecursionError) as problem:
        says = f"This line is not JSON: {problem}."
        reply, ruled = {"error": says, "where": "question"}, False
    if isinstance(given, Mapping) and "id" in given:
        reply = {"id": given["id"], **reply}
    return json.dumps(reply, ensure_ascii=False), ruled


def main(questions: IO[str] | None = None, answers: IO[str] | None = None) -> int:
    """Answer every line of standard input; the exit status is 2 if any could not be ruled on."""
    source = questions or sys.stdin
    sink = answers or sys.stdout
    status = 0
    for line in source:
        if not line.strip():
            continue
        reply, ruled = answer_line(line)
        if not ruled:
            status = 2
        sink.write(reply + "\n")
        sink.flush()
    return status
