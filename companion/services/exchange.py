"""Games carried from one installation to another, and sheets for spreadsheets."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from companion.notebook.events import Entry, GameStarted
from companion.notebook.possible import check, check_start
from companion.notebook.records import from_record, to_record
from companion.notebook.refusal import NotPossible
from companion.notebook.replay import replay
from companion.notebook.scoresheet import ScoreSheet
from companion.services.acts import project
from companion.services.books import Book, who_wrote
from companion.store import Database, MarkerRecord, Record, create_game_with

FORMAT = "companion-game"
VERSION = 1
MOST_ENTRIES = 2000
LARGEST_FILE = 2_000_000


class NotAGame(ValueError):
    """A file that is no exported game, or one that no game could have made."""


def as_json(db: Database, book: Book) -> str:
    """The whole game: every entry as it was written, and the totals for those who only read."""
    labels = who_wrote(db, book)
    sheet = book.sheet
    events = []
    for entry in book.entries:
        kind, payload = to_record(entry.event)
        events.append(
            {
                "number": entry.number,
                "key": entry.key,
                "at": entry.at.isoformat(),
                "by": labels.get(entry.by, entry.by),
                "kind": kind,
                "payload": payload,
            }
        )
    totals = {sheet.names[player]: sheet.total(player) for player in sheet.players}
    whole = {"format": FORMAT, "version": VERSION, "totals": totals, "events": events}
    return json.dumps(whole, ensure_ascii=False, indent=1)


def read_in(db: Database, writer: MarkerRecord, text: str) -> str:
    """Make a game of an exported file, in the writer's notebook; its id.

    All or nothing. Raises `NotAGame`, with a sentence, for anything that is not a whole game.
    """
    entries = _entries(text)
    sheet = _replayed(entries)
    now = datetime.now(UTC)
    records = [_record(entry) for entry in entries]
    with db.write() as session:
        projection = project(sheet, now)
        return create_game_with(session, writer.notebook_id, records, projection, now).id


def _record(entry: Entry) -> Record:
    kind, payload = to_record(entry.event)
    return Record(entry.number, entry.key, entry.at, entry.by, kind, payload)


def _entries(text: str) -> list[Entry]:
    if len(text) > LARGEST_FILE:
        raise NotAGame("This file is too large for a game.")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        raise NotAGame("This file is not JSON. Choose a game that was saved here.") from None
    if not isinstance(whole, Mapping) or whole.get("format") != FORMAT:
        raise NotAGame("This file is not a game that was saved here.")
    if whole.get("version") != VERSION:
        raise NotAGame("This game was saved by another version of the companion.")
    events = whole.get("events")
    if not isinstance(events, list) or not 1 <= len(events) <= MOST_ENTRIES:
        raise NotAGame("This file holds no entries, or more than a game can have.")
    return [_entry(number, given) for number, given in enumerate(events, start=1)]


def _entry(number: int, given: Any) -> Entry:
    try:
        if given["number"] != number:
            raise ValueError
        at = datetime.fromisoformat(given["at"]).astimezone(UTC)
        key, by, kind = (str(given[name]) for name in ("key", "by", "kind"))
        if not (1 <= len(key) <= 100 and key.isascii() and key.isprintable() and " " not in key):
            raise ValueError
        if len(by) > 100:
            raise ValueError
        return Entry(number, at, by, from_record(kind, given["payload"]), key)
    except (ValueError, KeyError, TypeError, OverflowError):
        raise NotAGame(f"Entry {number} of this file cannot be read.") from None


def _replayed(entries: list[Entry]) -> ScoreSheet:
    first = entries[0].event
    number = 1
    try:
        if not isinstance(first, GameStarted):
            raise NotPossible("it does not begin a game.")
        check_start(first)
        sheet = replay(entries[:1])
        for number in range(2, len(entries) + 1):
            check(entries[number - 1].event, sheet)
            sheet = replay(entries[:number])
    except ValueError as problem:
        raise NotAGame(f"Entry {number} of this file does not fit: {problem}") from None
    if len({entry.key for entry in entries}) < len(entries):
        raise NotAGame("Two entries of this file have the same key.")
    return sheet


def as_csv(sheet: ScoreSheet) -> str:
    """The sheet for a spreadsheet: a row a hand, then the penalties and who went out.

    Text that a spreadsheet would take for a formula is quoted with an apostrophe.
    """
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\r\n")
    names = [_plain(name) for name in sheet.names]
    rows.writerow(["Hand", "Wild", "Dealer", "Out", *names])
    for hand in sheet.hands:
        wild = sheet.game.wild_rank(hand.number)
        rows.writerow(
            [
                hand.number,
                wild.shown if wild else "",
                names[hand.places.dealer],
                "" if hand.out is None else names[hand.out],
                *(
                    "" if hand.is_blank(player) else hand.mark(player).points
                    for player in sheet.players
                ),
            ]
        )
    rows.writerow(["Total", "", "", "", *(sheet.total(player) for player in sheet.players)])
    rows.writerow([])
    rows.writerow(["Hand", "Player", "Rule", "Points", "Reason"])
    for hand in sheet.hands:
        for player in sheet.players:
            for charge in hand.mark(player).charges:
                reason = sheet.game.charge(charge.rule).title
                rows.writerow([hand.number, names[player], charge.rule, charge.points, reason])
    return out.getvalue()


def _plain(text: str) -> str:
    return (
        f"'{text}"
        if text.startswith(("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"))
        else text
    )
