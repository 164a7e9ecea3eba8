"""Answer questions that come as lines of JSON."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping
from io import TextIOWrapper
from typing import IO, Any

from companion.check.entries import Entries
from companion.check.questions import ASKS, Answer, Asked
from companion.rules.errors import Malformed, NotInThisGame
from companion.rules.game import Deck, Game
from companion.rules.games import game_named
from companion.rules.house_rules import House

_LONGEST_LINE = 100_000
_LONGEST_ID = 200
_LONGEST_NUMBER = 20


def answer(question: object) -> Answer:
    """Return the answer to one question, ready for JSON.

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
        raise NotInThisGame(f"{game.name} has no question “{ask}”.")
    hand = question.get("hand")
    if hand is None:
        if ask not in game.judge.asks_without_hand:
            raise Malformed("“hand” is missing: the number of the hand.", "hand")
        hand = 1
    entries = Entries(question)
    wild_rank = entries.wild_rank() if ask in game.judge.asks_with_wild_rank else None
    return ASKS[ask](
        Asked(entries, game.rules(house, hand, _deck(game, house, question), wild_rank))
    )


def _deck(game: Game, house: House, question: Mapping[str, Any]) -> Deck:
    """Return the deck named, else the one for the players named, else the largest."""
    if "packs" in question:
        return game.deck_of(house, question["packs"])
    if question.get("ask") not in ("score", "round"):
        return game.deck(house)
    players = question.get("players", question.get("plays"))
    fewest, most = game.players
    if isinstance(players, list) and fewest <= len(players) <= most:
        return game.deck(house, len(players))
    return game.deck(house)


def answer_line(line: str) -> tuple[str, bool]:
    """Return the answer to a line of JSON, as such a line, and whether it was ruled on.

    Every line gets an answer, whatever it holds.
    """
    if len(line) > _LONGEST_LINE:
        return _refused(f"This line is longer than {_LONGEST_LINE} letters.")
    try:
        question = _DECODER.decode(line)
        named = {"id": question["id"]} if isinstance(question, dict) and "id" in question else {}
        too_long = bool(named) and len(_ENCODER.encode(named)) > _LONGEST_ID
    except RecursionError:
        return _refused("This question is nested too deeply.")
    except ValueError as problem:
        return _refused(f"This line is not JSON: {problem}.")
    if too_long:
        return _refused(f"“id” is longer than {_LONGEST_ID} letters.", "id")
    reply, ruled = _reply(question)
    text = _ENCODER.encode(named | reply)
    # JSON can hold half a surrogate pair, UTF-8 cannot: it is written escaped, as it was read.
    if "\\u" in line:
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text, ruled


def _refused(says: str, where: str = "question") -> tuple[str, bool]:
    return _ENCODER.encode(_error(says, where)), False


def _reply(question: object) -> tuple[Answer, bool]:
    try:
        return answer(question), True
    except Malformed as problem:
        return _error(str(problem), problem.where), False
    except Exception as problem:  # noqa: BLE001 - one failure must not stop the run
        fault = type(problem).__name__
        return _error(f"The rules engine failed on this question ({fault}).", "question"), False


def _error(says: str, where: str) -> Answer:
    return {"error": says, "where": where}


def _finite(text: str) -> float:
    # Python reads and writes NaN and Infinity, which are no JSON.
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a number")
    return number


def _whole(text: str) -> int:
    if len(text) > _LONGEST_NUMBER:
        raise ValueError(f"{text[:_LONGEST_NUMBER]}… is too long a number")
    return int(text)


_DECODER = json.JSONDecoder(parse_float=_finite, parse_int=_whole, parse_constant=_finite)
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def main(questions: IO[str] | None = None, answers: IO[str] | None = None) -> int:
    """Answer every line of standard input. Return 2 if any could not be ruled on, else 0."""
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
        # The reader stopped, like `| head`. Drop what is still in the buffer.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status
