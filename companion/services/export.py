"""Export games as files, and import them into another installation without loss."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain, count
from time import monotonic
from typing import Any, Final

from sqlmodel import Session

from companion import store
from companion.notebook.checks import check, check_start
from companion.notebook.events import (
    Entry,
    Event,
    GameDeleted,
    GameRestored,
    GameStarted,
    NotPossible,
    Ruled,
)
from companion.notebook.replay import sheets
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.serialize import ASKS, from_record, is_worded_by_rules, to_record
from companion.rules.language import noted
from companion.rules.question import DECLARE, DRAW
from companion.rules.ruling import NO_CONSEQUENCE, is_rule_number
from companion.services import people
from companion.services.game_log import LoadedGame, project, row_of, who_wrote
from companion.store import Database, EventRow, MarkerRecord
from companion.store.models import in_utc

FORMAT = "companion-game"
VERSION = 1
# More than `checks.MOST_ENTRIES`: earlier versions had no limit. An upload can hold about as many.
MOST_IN_FILE = 10_000
# How many seconds the check may take. A real game takes one; only an attack takes longer.
PATIENCE = 15.0

# A nickname of 30 characters may have 360 code points, followed by a number.
_NAME = re.compile("[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,400}")
_UNNAMED = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_FIRST_YEAR = 1970  # where the clock of a small machine begins when it was without power
# How far ahead the clock of the exporting server may be.
_AHEAD = timedelta(days=1)


class NotAGame(NotPossible):
    """The file is not an exported game, or its entries are not possible."""


def as_json(db: Database, loaded: LoadedGame) -> str:
    """Return a game as JSON: every entry as it was written, and the totals for readers.

    It names markers rather than their ids, which only this installation knows. If another
    installation imports and exports the game, the file is the same.
    """
    called = _writers(loaded.entries, who_wrote(db, loaded))
    lines = []
    for entry in loaded.entries:
        kind, payload = to_record(entry.event)
        line = {"number": entry.number, "key": entry.key, "at": entry.at.isoformat()}
        line |= {"by": called[entry.by], "kind": kind, "payload": payload}
        lines.append(_json(line))
    head = _json({"format": FORMAT, "version": VERSION, "totals": _totals(loaded.sheet)})
    # One entry a line, so that two files of a game can be compared line by line.
    return head[:-1] + ', "events": [\n' + ",\n".join(lines) + "\n]}\n"


def _totals(sheet: ScoreSheet) -> dict[str, int]:
    return {sheet.names[player]: sheet.total(player) for player in sheet.players}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _writers(entries: Sequence[Entry], labels: Mapping[str, str]) -> dict[str, str]:
    """Return the name of each writer in the file. A number tells writers of the same name apart.

    Removes characters that the file cannot hold: older nicknames were not checked.
    """
    called: dict[str, str] = {}
    for by in dict.fromkeys(entry.by for entry in entries):
        label = _UNNAMED.sub("", labels.get(by, by)) or "Phone"
        names = chain([label], (f"{label} {number}" for number in count(2)))
        called[by] = next(name for name in names if name not in called.values())
    return called


def import_game(db: Database, writer: MarkerRecord, text: str) -> tuple[str, bool]:
    """Import an exported file into the writer's notebook; return the game's id and if it is new.

    The entries keep their numbers, keys, times and the names of their writers. A game that the
    notebook already has is not imported again. Raises `NotAGame`, with a sentence for people, if
    the file is not a whole game; then writes nothing.
    """
    with db.read() as session:
        latest = store.now_in(session) + _AHEAD
    whole = _read_file(text)
    entries = _read_entries(whole, latest)
    sheet = _replayed(entries)
    if "totals" in whole and _comparable(whole["totals"]) != _comparable(_totals(sheet)):
        raise NotAGame("The totals in this file do not match its entries.")
    rows = [row_of(entry) for entry in entries]
    with db.write(writer.notebook_id) as session:
        known = _same_game(session, writer, rows)
        if known is not None:
            return known, False
        now = store.now_in(session)
        game_id = store.create_game(session, writer.notebook_id, project(sheet, now), now, rows).id
        people.keep_seats(session, game_id, sheet)
        return game_id, True


def _same_game(session: Session, writer: MarkerRecord, rows: Sequence[EventRow]) -> str | None:
    """Return the id of the notebook's game with the same entries, if any, deleted or not."""
    imported = _of_play(rows)
    for game_id in store.games_begun_with(session, writer.notebook_id, rows[0].key):
        if _of_play(store.load(session, game_id)) == imported:
            return game_id
    return None


def _of_play(rows: Sequence[EventRow]) -> list[tuple[object, ...]]:
    """Return what entries say, without those that delete the game or restore it."""
    return [
        (row.key, row.at, row.kind, json.loads(row.payload))
        for row in rows
        if row.kind not in {GameDeleted.__name__, GameRestored.__name__}
    ]


# -- reading an uploaded file -------------------------------------------------------------------


def _read_file(text: str) -> dict[str, Any]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        raise NotAGame("This file is not JSON. Choose a game that was saved here.") from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise NotAGame("This file is not a saved game. Choose a game that was saved here.")
    if whole.get("version") != VERSION:
        raise NotAGame(
            "This game was saved by another version of the companion. Update the older one first."
        )
    return whole


def _comparable(totals: object) -> str:
    """Return totals as text to compare: in Python 1, 1.0 and True are equal."""
    return json.dumps(totals, sort_keys=True)


def _read_entries(whole: Mapping[str, Any], latest: datetime) -> list[Entry]:
    events = whole.get("events")
    if not isinstance(events, list) or not 1 <= len(events) <= MOST_IN_FILE:
        raise NotAGame("This file holds no entries, or more than a game can have.")
    entries = [_read_entry(number, given) for number, given in enumerate(events, start=1)]
    if len({entry.key for entry in entries}) < len(entries):
        raise NotAGame("Two entries of this file have the same key.")
    for entry in entries:
        if entry.at > latest:
            raise NotAGame(
                "Entry %(number)s of this file is from %(date)s, which is yet to come. "
                "Correct that time, or the clock of this server if it is slow.",
                number=entry.number,
                date=f"{entry.at:%d %B %Y}",
            )
    return entries


def _read_entry(number: int, given: Any) -> Entry:
    try:
        if not isinstance(given, dict) or given["number"] != number:
            raise ValueError
        at, by, key, kind = (given[name] for name in ("at", "by", "key", "kind"))
        if not all(isinstance(one, str) for one in (at, by, key, kind)):
            raise ValueError
        if not store.is_key(key) or not _NAME.fullmatch(by):
            raise ValueError
        moment = in_utc(datetime.fromisoformat(at))
        if moment.year < _FIRST_YEAR:
            raise ValueError
        return Entry(number, moment, by, from_record(kind, given["payload"]), key)
    except (ValueError, KeyError, OverflowError):  # OverflowError: the time has no year in UTC
        raise NotAGame("Entry %(number)s of this file cannot be read.", number=number) from None


def _replayed(entries: Sequence[Entry]) -> ScoreSheet:
    """Check each entry as if it were new, and return the score sheet after the last one."""
    entry, until = entries[0], monotonic() + PATIENCE
    try:
        if not isinstance(entry.event, GameStarted):
            raise NotPossible("it does not begin a game.")
        check_start(entry.event)
        steps = sheets(entries)
        sheet = next(steps)
        for entry in entries[1:]:
            check(entry.event, sheet)
            check_imported(entry.event, sheet)
            sheet = next(steps)
            if monotonic() > until:
                raise NotAGame("This file takes too long to check. No real game does.")
    except NotAGame:
        raise
    except ValueError as problem:
        says = noted("Entry %(number)s of this file does not fit: %(problem)s")
        raise NotAGame(says, number=entry.number, problem=problem) from None
    return sheet


# -- imported rulings -----------------------------------------------------------------------------

_OF_SEVERAL_PLAYS: Final = frozenset({"turn", "contract", DECLARE, DRAW})
_COSTS: Final = re.compile(r"\bpoints?;")  # in a consequence: "20 points; the turn is taken back."


def check_imported(event: Event, sheet: ScoreSheet) -> None:
    """Raise `NotPossible` for a ruling that this program cannot have given. Call `check` first."""
    if not isinstance(event, Ruled):
        return
    question, ruling, charge = event.question, event.ruling, event.charge
    if question.ask not in _OF_SEVERAL_PLAYS and len(question.plays) > 1:
        raise NotPossible("a ruling on several plays is one on a whole turn.", "plays")
    if event.in_words:
        _check_words(event.in_words["verdict"], event)
    if ruling.legal and ruling.consequence != NO_CONSEQUENCE:
        raise NotPossible("a legal play costs nothing.")
    game = sheet.game
    letters = {rule.rule.partition("-")[0] for rule in game.house_rules}
    if not all(is_rule_number(one) and one.partition("-")[0] in letters for one in ruling.broken):
        raise NotPossible("the ruling names a rule that %(game)s does not have.", game=game.name)
    if not {*ruling.elsewhere} <= {one.id for one in game.sheets}:
        raise NotPossible("the ruling names a sheet that %(game)s does not have.", game=game.name)
    costs = sheet.hands[event.hand - 1].rules.charge_points
    if ruling.consequence.points != (0 if charge is None else costs(charge)):
        raise NotPossible("the ruling costs other points than the table charges.")


def _check_words(verdict: Mapping[str, Any], event: Ruled) -> None:
    """Raise `NotPossible` unless a ruling kept in words can come from these rules."""
    ruling = event.ruling
    if event.question.ask not in ASKS:
        raise NotPossible("there are no such rulings.")
    if verdict["legal"] != ruling.legal:
        raise NotPossible("the ruling is legal with a broken rule, or illegal without one.")
    says = verdict["says"].removesuffix("" if ruling.legal else ruling.consequence.says)
    if not is_worded_by_rules(says) or _COSTS.search(says):
        raise NotPossible("no ruling has this wording.")
    if len(ruling.readings) < len(verdict["readings"]):
        raise NotPossible("the ruling reads cards that do not exist.")
