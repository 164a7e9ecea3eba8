"""Games carried from one installation to another, as files, without loss."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any, Final

from sqlmodel import Session

from companion.notebook.checks import check, check_start
from companion.notebook.events import (
    Entry,
    Event,
    GameStarted,
    NotPossible,
    Ruled,
    RulingGiven,
    Verdict,
)
from companion.notebook.replay import sheets
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.serialize import ASKS, from_record, melds_written, to_record
from companion.rules.game import Game
from companion.rules.messages import is_worded_by_rules
from companion.rules.question import DECLARE, DRAW
from companion.rules.ruling import NO_CONSEQUENCE, is_rule_number
from companion.services.game_log import LoadedGame, project, who_wrote
from companion.store import (
    Database,
    MarkerRecord,
    Record,
    create_game_with,
    game_begun_with,
    game_of_marker,
    load,
    now_in,
)

FORMAT = "companion-game"
VERSION = 1
# Far more than an evening makes; the file of so many is about as large as an upload may be.
MOST_ENTRIES = 10_000
LARGEST_FILE = 3_000_000
# A real game is checked in a second. What takes longer was made to keep the server busy.
PATIENCE = 15.0

_KEY = re.compile(r"[!-~]{1,100}")
# A nickname of 30 characters may have 360 code points, and a number behind it.
_NAME = re.compile("[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,400}")
_UNNAMED = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_FIRST_YEAR = 2000
# By how much the clock of the server that saved a game may have been fast.
_AHEAD = timedelta(days=1)


class NotAGame(ValueError):
    """A file that is no exported game, or one that no game could have made."""


def as_json(db: Database, loaded: LoadedGame) -> str:
    """The whole game: every entry as it was written, and the totals for those who only read.

    Markers are written by their names, not by the ids that are known here alone. Imported
    elsewhere and written again, the file is the same.
    """
    called = _writers(loaded.entries, who_wrote(db, loaded))
    lines = []
    for entry in loaded.entries:
        kind, payload = to_record(entry.event)
        at, by = entry.at.isoformat(), called[entry.by]
        line = {"number": entry.number, "key": entry.key, "at": at, "by": by}
        lines.append(_text(line | {"kind": kind, "payload": payload}))
    head = _text({"format": FORMAT, "version": VERSION, "totals": _totals(loaded.sheet)})
    # A line an entry: small, and two files of one game can be compared line by line.
    return head[:-1] + ', "events": [\n' + ",\n".join(lines) + "\n]}\n"


def _totals(sheet: ScoreSheet) -> dict[str, int]:
    return {sheet.names[player]: sheet.total(player) for player in sheet.players}


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _writers(entries: Sequence[Entry], labels: Mapping[str, str]) -> dict[str, str]:
    """What each writer is called in the file: those with one name are told apart by a number.

    A nickname from before nicknames were checked is written without what no file can hold.
    """
    called: dict[str, str] = {}
    for entry in entries:
        if entry.by in called:
            continue
        label = name = _UNNAMED.sub("", labels.get(entry.by, entry.by)) or "Phone"
        number = 1
        while name in called.values():
            number += 1
            name = f"{label} {number}"
        called[entry.by] = name
    return called


def import_game(db: Database, writer: MarkerRecord, text: str) -> str:
    """Make a game of an exported file, in the writer's notebook; its id.

    All or nothing. Numbers, keys and times of the entries stay, and so do the names of those who
    wrote them. A game that the notebook holds already, entry by entry, is not made twice. Raises
    `NotAGame`, with a sentence, for anything that is not a whole game.
    """
    with db.read() as session:
        latest = now_in(session) + _AHEAD
    whole = _file(text)
    entries = _entries(whole, latest)
    sheet = _replayed(entries)
    if "totals" in whole and _in_order(whole["totals"]) != _in_order(_totals(sheet)):
        raise NotAGame("The totals in this file are not what its entries come to.")
    records = [
        Record(entry.number, entry.key, entry.at, entry.by, *to_record(entry.event))
        for entry in entries
    ]
    with db.write(writer.notebook_id) as session:
        known = _known(session, writer, records)
        if known is not None:
            return known
        now = now_in(session)
        projection = project(sheet, now)
        return create_game_with(session, writer.notebook_id, records, projection, now).id


def _known(session: Session, writer: MarkerRecord, records: Sequence[Record]) -> str | None:
    """The notebook's game with just these entries: the file was sent twice, or comes from here."""
    game_id = game_begun_with(session, writer.notebook_id, records[0].key)
    game = None if game_id is None else game_of_marker(session, game_id, writer.id)
    if game is None or game.deleted_at is not None or game.last_number != len(records):
        return None
    here = load(session, game.id)
    same = all(
        (one.key, one.at, one.kind, one.payload) == (other.key, other.at, other.kind, other.payload)
        for one, other in zip(here, records, strict=True)
    )
    return game.id if same else None


# -- reading what somebody sent -----------------------------------------------------------------


def _file(text: str) -> dict[str, Any]:
    if len(text) > LARGEST_FILE:
        raise NotAGame("This file is too large for a game.")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        raise NotAGame("This file is not JSON. Choose a game that was saved here.") from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise NotAGame("This file is not a game that was saved here.")
    if whole.get("version") != VERSION:
        raise NotAGame("This game was saved by another version of the companion.")
    return whole


def _in_order(totals: object) -> str:
    """The totals as text, for Python takes 1, 1.0 and True to be equal."""
    return json.dumps(totals, sort_keys=True)


def _entries(whole: Mapping[str, Any], latest: datetime) -> list[Entry]:
    events = whole.get("events")
    if not isinstance(events, list) or not 1 <= len(events) <= MOST_ENTRIES:
        raise NotAGame("This file holds no entries, or more than a game can have.")
    entries = [_entry(number, given) for number, given in enumerate(events, start=1)]
    if len({entry.key for entry in entries}) < len(entries):
        raise NotAGame("Two entries of this file have the same key.")
    for entry in entries:
        if entry.at > latest:
            raise NotAGame(
                f"Entry {entry.number} of this file is from {entry.at:%d %B %Y}, which is yet to"
                " come. Correct that time, or the clock of this server if it is slow."
            )
    return entries


def _entry(number: int, given: Any) -> Entry:
    try:
        if not isinstance(given, dict) or given["number"] != number:
            raise ValueError
        at, by, key, kind = (given[name] for name in ("at", "by", "key", "kind"))
        if not all(isinstance(one, str) for one in (at, by, key, kind)):
            raise ValueError
        if not _KEY.fullmatch(key) or not _NAME.fullmatch(by):
            raise ValueError
        event = from_record(kind, given["payload"])
        return Entry(number, _moment(at), by, event, key)
    except (ValueError, KeyError, OverflowError):
        raise NotAGame(f"Entry {number} of this file cannot be read.") from None


def _moment(text: str) -> datetime:
    """Return a time in UTC.

    Raises ``ValueError`` for one without a zone or before 2000, and ``OverflowError`` for one that
    has no year in UTC.
    """
    told = datetime.fromisoformat(text)
    moment = told.astimezone(UTC)
    if told.tzinfo is None or moment.year < _FIRST_YEAR:
        raise ValueError
    return moment


def _replayed(entries: Sequence[Entry]) -> ScoreSheet:
    """The sheet after the last entry, each of them checked as when it is written down."""
    first = entries[0].event
    number = 1
    until = monotonic() + PATIENCE
    try:
        if not isinstance(first, GameStarted):
            raise NotPossible("it does not begin a game.")
        check_start(first)
        steps = sheets(entries)
        sheet = next(steps)
        for number in range(2, len(entries) + 1):
            event = entries[number - 1].event
            check(event, sheet)
            check_imported(event, sheet)
            sheet = next(steps)
            if monotonic() > until:
                raise NotAGame("This file takes too long to check. No real game does.")
    except NotAGame:
        raise
    except ValueError as problem:
        raise NotAGame(f"Entry {number} of this file does not fit: {problem}") from None
    return sheet


# -- rulings from elsewhere -----------------------------------------------------------------------


_OF_SEVERAL_PLAYS: Final = frozenset({"turn", "contract", DECLARE, DRAW})
_COSTS: Final = re.compile(r"\bpoints?;")


def check_imported(event: Event, sheet: ScoreSheet) -> None:
    """Raise `NotPossible` for a ruling that nobody can have been given.

    For an event that `check` has let pass on the sheet.
    """
    match event:
        case RulingGiven(ask=ask, plays=plays, verdict=verdict):
            _check_plays(ask, len(plays))
            if ask not in ASKS:
                raise NotPossible("there are no such rulings.")
            _check_verdict(verdict)
            if len([*melds_written(verdict.readings)]) < len(verdict.readings):
                raise NotPossible("the ruling reads cards that are none.")
            consequence, charge = verdict.consequence, verdict.charge
            rules, sheets = verdict.broken, [*verdict.elsewhere]
        case Ruled(question=question, ruling=ruling, charge=charge):
            _check_plays(question.ask, len(question.plays))
            consequence = ruling.consequence
            rules, sheets = ruling.broken, [*ruling.elsewhere]
        case _:
            return
    if not rules and consequence != NO_CONSEQUENCE:
        raise NotPossible("a legal play costs nothing.")
    _check_names(sheet.game, rules, sheets)
    costs = sheet.hands[event.hand - 1].rules.charge_points
    if consequence.points != (0 if charge is None else costs(charge)):
        raise NotPossible("the ruling costs other points than the table charges.")


def _check_plays(ask: str, count: int) -> None:
    """Nobody can ask for several plays at once here, and it would not say which it is about."""
    if ask not in _OF_SEVERAL_PLAYS and count > 1:
        raise NotPossible("a ruling on several plays is one on a whole turn.", "plays")


def _check_verdict(verdict: Verdict) -> None:
    if verdict.legal == bool(verdict.broken):
        raise NotPossible("a ruling is illegal by a rule, or legal.")
    says = verdict.says if verdict.legal else verdict.says.removesuffix(verdict.consequence.says)
    if not is_worded_by_rules(says) or _COSTS.search(says):
        raise NotPossible("no ruling is worded so.")


def _check_names(game: Game, rules: Iterable[str], sheets: Iterable[str]) -> None:
    letters = {rule.rule.partition("-")[0] for rule in game.house_rules}
    if not all(is_rule_number(one) and one.partition("-")[0] in letters for one in rules):
        raise NotPossible(f"the ruling names a rule that is none of {game.name}.")
    if not {*sheets} <= {one.id for one in game.sheets}:
        raise NotPossible(f"the ruling names a sheet that is none of {game.name}.")
