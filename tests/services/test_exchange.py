"""Games as files: written, imported on another installation, and what is no game refused."""

import json
import secrets
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from companion.notebook.events import (
    Event,
    GameArchived,
    GameDeleted,
    GameEnded,
    GameRenamed,
    HandEntry,
    HandMarked,
    HousePenalty,
    NotPossible,
    PenaltyCharged,
    PenaltyWithdrawn,
    PileSeen,
    PlayerRenamed,
    PlayRecorded,
    RulingEnforced,
)
from companion.notebook.replay import replay
from companion.services import export, game_log, phones
from companion.services.export import NotAGame, as_json, import_game
from companion.services.game_log import LoadedGame, load_game, who_wrote
from companion.services.games import start as begun
from companion.store import Database, MarkerRecord, list_games, open_notebook
from tests.databases import Another
from tests.notebook.evening import ANA, BEN, WRONG_DISCARD, Evening, started
from tests.services.seven_at_table import NAMES, TOTALS, as_file, whole_game

EIGHT = datetime(2024, 5, 3, 20, 0, 0, 123456, tzinfo=UTC)

Opened = tuple[Database, MarkerRecord]


def opened(address: str, label: str) -> Iterator[Opened]:
    database = Database(address)
    with database.write() as session:
        writer = open_notebook(session, label, EIGHT)
    yield database, writer
    database.close()


@pytest.fixture
def here(another: Another) -> Iterator[Opened]:
    """An installation, and a marker of it."""
    yield from opened(another(), "Ana's phone")


@pytest.fixture
def there(another: Another) -> Iterator[Opened]:
    """Another installation, and a marker of that."""
    yield from opened(another(), "Android phone")


def loaded_game(place: Opened, text: str) -> LoadedGame:
    """The book that a file makes."""
    database, writer = place
    return load_game(database, import_game(database, writer, text), writer.id)


def written(place: Opened, loaded: LoadedGame, event: Event) -> LoadedGame:
    """The game with one act more."""
    database, writer = place
    number = loaded.sheet.number
    game, make = loaded.record.id, {"make": lambda _: event}
    return game_log.write(database, game, writer.id, base=number, key=f"act-{number}", **make)[0]


def games(place: Opened, *, deleted: bool = False) -> int:
    with place[0].read() as session:
        return len(list_games(session, place[1].notebook_id, deleted=deleted))


def everything() -> Evening:
    """An evening with an event of nearly every kind, undone and done again."""
    evening = Evening(started(title="Friday", wrong_meld="penalty"))
    evening.write(PlayerRenamed(2, "Chandi 🎴"))
    evening.play(ANA, "meld 5C 6C 7C", "discard KD")
    evening.write(PileSeen(1, "9H KD"))
    wrong = evening.rule(BEN, "discard KH", verdict=WRONG_DISCARD, ask="discard")
    evening.write(RulingEnforced(1, wrong.number))
    touched = evening.charge(2, "PRO-13.3")
    evening.write(PenaltyWithdrawn(1, touched.number))
    evening.undo()
    evening.undo()
    evening.redo()
    evening.throw_in()
    evening.mark(ANA, {1: "QC", 2: "JC"})
    evening.correct(1, None, {0: "2C", 1: 25, 2: "AC"})
    evening.write(GameRenamed("Friday, at Ana's"))
    evening.undo()
    evening.write(GameEnded(2))
    evening.write(GameArchived())
    return evening


# -- there and back -------------------------------------------------------------------------------


def with_rulings() -> Evening:
    return whole_game(rulings=True)


@pytest.mark.parametrize("make", [everything, with_rulings, Evening])
def test_a_game_read_in_elsewhere_is_the_same_game(here, there, make):
    evening = make()
    loaded = loaded_game(here, as_file(evening))
    text = as_json(here[0], loaded)
    copy = loaded_game(there, text)
    assert as_json(there[0], copy) == text
    assert copy.entries == loaded.entries
    assert copy.sheet == loaded.sheet
    assert [entry.event for entry in copy.entries] == [entry.event for entry in evening.entries]
    assert [copy.sheet.total(seat) for seat in copy.sheet.players] == evening.totals


def test_the_totals_of_a_game_that_was_carried_are_those_worked_out_by_hand(here, there):
    loaded = loaded_game(here, as_file(whole_game()))
    text = as_json(here[0], loaded)
    assert json.loads(text)["totals"] == dict(zip(NAMES, TOTALS, strict=True))
    copy = loaded_game(there, text).sheet
    assert tuple(copy.total(seat) for seat in copy.players) == TOTALS


def test_numbers_keys_and_times_stay_to_the_microsecond(here, there):
    text = json.loads(as_file(Evening()))
    text["events"][0]["at"] = "2024-05-03T22:00:00.123456+02:00"
    loaded = loaded_game(there, as_json(here[0], loaded_game(here, json.dumps(text))))
    entry = loaded.entries[0]
    assert (entry.number, entry.key, entry.at) == (1, "key-1", EIGHT)


def test_who_wrote_an_entry_is_told_by_name_and_not_by_the_id_of_a_marker(here, there):
    database, writer = here
    loaded = loaded_game(here, as_file(Evening()))
    after = written(here, loaded, PenaltyCharged(1, 0, "PRO-13.3"))
    text = as_json(database, after)
    assert writer.id not in text
    assert [one["by"] for one in json.loads(text)["events"]] == ["Ana's phone", "Ana's phone 2"]
    copy = loaded_game(there, text)
    assert [entry.by for entry in copy.entries] == ["Ana's phone", "Ana's phone 2"]
    assert [*who_wrote(there[0], copy).values()] == ["Ana's phone", "Ana's phone 2"]


def test_a_game_that_was_read_in_can_be_played_on_and_carried_again(here, there):
    database, _ = there
    loaded = loaded_game(there, as_json(here[0], loaded_game(here, as_file(everything()))))
    hand = loaded.sheet.hand.number
    after = written(there, loaded, PenaltyCharged(hand, 0, "PRO-13.3"))
    text = as_json(database, after)
    back = loaded_game(here, text)
    assert back.sheet.total(0) == after.sheet.total(0)
    assert back.entries[-1].by == "Android phone"
    assert as_json(here[0], back) == text


def test_a_file_that_is_sent_twice_makes_one_game(here):
    text = as_file(whole_game())
    assert loaded_game(here, text).record.id == loaded_game(here, text).record.id
    assert games(here) == 1


def test_the_same_start_with_other_entries_is_another_game(here):
    shorter, longer, other = Evening(), Evening(), Evening()
    longer.charge(0, "PRO-13.3")
    other.charge(1, "PRO-13.3")
    ids = {loaded_game(here, as_file(one)).record.id for one in (shorter, longer, other)}
    assert len(ids) == 3


def test_a_game_that_was_deleted_can_be_read_in_again(here):
    text = as_file(Evening())
    loaded = loaded_game(here, text)
    written(here, loaded, GameDeleted())
    assert loaded_game(here, text).record.id != loaded.record.id
    assert games(here) == 1


def test_a_file_of_a_deleted_game_makes_a_deleted_game(here):
    evening = Evening()
    evening.write(GameDeleted())
    assert loaded_game(here, as_file(evening)).sheet.deleted
    assert (games(here), games(here, deleted=True)) == (0, 1)


@pytest.mark.slow
def test_a_game_of_two_thousand_entries_is_read_in(here):
    evening = Evening()
    start = json.loads(as_file(evening))["events"][0]
    charges = [
        entry(number, "PenaltyCharged", {"hand": 1, "player": number % 3, "rule": "PRO-13.3"})
        for number in range(2, 2001)
    ]
    loaded = loaded_game(here, file_of(start, *charges))
    assert loaded.sheet == replay(loaded.entries)
    assert sum(loaded.sheet.total(seat) for seat in loaded.sheet.players) == 1999 * 20


# -- what is refused ------------------------------------------------------------------------------


def entry(number: int, kind: str, payload: dict[str, Any], **other: Any) -> dict[str, Any]:
    """An entry of a file."""
    at = "2024-11-21T21:00:00+00:00"
    whole = {"number": number, "key": f"key-{number}", "at": at, "by": "Ana's phone"}
    return whole | {"kind": kind, "payload": payload} | other


START = json.loads(as_file(Evening()))["events"][0]
CHARGE = {"hand": 1, "player": 0, "rule": "PRO-13.3"}


def file_of(*events: object, **other: Any) -> str:
    whole = {"format": "companion-game", "version": 1, "events": list(events)}
    return json.dumps(whole | other)


def changed(**fields: Any) -> str:
    """A file of a game whose first entry has other fields."""
    return file_of(START | fields)


def without(field: str) -> str:
    return file_of({name: value for name, value in START.items() if name != field})


def started_with(**fields: Any) -> str:
    """A file of a game whose setup has other fields."""
    return changed(payload=START["payload"] | fields)


def then(kind: str, payload: dict[str, Any], **other: Any) -> str:
    """A file of a game with a second entry."""
    return file_of(START, entry(2, kind, payload, **other))


NOT_JSON = "This file is not JSON. Choose a game that was saved here."
NOT_SAVED_HERE = "This file is not a game that was saved here."
NO_ENTRIES = "This file holds no entries, or more than a game can have."
FORGED = "The totals in this file do not match its entries."
UNREADABLE = "Entry 1 of this file cannot be read."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", NOT_JSON),
        ("[" * 100_000, NOT_JSON),
        ("9" * 5_000, NOT_JSON),
        ("[]", NOT_SAVED_HERE),
        ("{}", NOT_SAVED_HERE),
        (file_of(START, format="chess"), NOT_SAVED_HERE),
        (file_of(START, format=["companion-game"]), NOT_SAVED_HERE),
        (file_of(START, version=2), "This game was saved by another version of the companion."),
        (file_of(), NO_ENTRIES),
        (file_of(events=None), NO_ENTRIES),
        (file_of(events="entries"), NO_ENTRIES),
        (file_of(*[0] * 10_001), NO_ENTRIES),
        ("x" * 3_000_001, "This file is too large for a game."),
        (file_of(None), UNREADABLE),
        (changed(number=2), UNREADABLE),
        (changed(number="1"), UNREADABLE),
        (without("key"), UNREADABLE),
        (without("payload"), UNREADABLE),
        (changed(key=""), UNREADABLE),
        (changed(key="a b"), UNREADABLE),
        (changed(key="k" * 101), UNREADABLE),
        (changed(key="ключ"), UNREADABLE),
        (changed(key=7), UNREADABLE),
        (changed(by=""), UNREADABLE),
        (changed(by="b" * 401), UNREADABLE),
        (changed(by={"name": "Ana"}), UNREADABLE),
        (changed(by="\ud800"), UNREADABLE),
        (changed(by="An\na"), UNREADABLE),
        (changed(at="yesterday"), UNREADABLE),
        (changed(at=1732222800), UNREADABLE),
        (changed(at="2026-11-21T21:00:00"), UNREADABLE),
        (changed(at="0001-01-01T00:00:00+14:00"), UNREADABLE),
        (changed(at="9999-12-31T23:59:59-14:00"), UNREADABLE),
        (changed(at="2000-01-01T00:00:00+14:00"), UNREADABLE),
        (
            changed(at="2999-12-31T23:59:59-14:00"),
            (
                "Entry 1 of this file is from 01 January 3000, which is yet to come."
                " Correct that time, or the clock of this server if it is slow."
            ),
        ),
        (file_of(START, totals={"Ana": 0, "Ben": 0, "Cem": 20}), FORGED),
        (file_of(START, totals={"Ana": 0, "Ben": 0, "Cem": False}), FORGED),
        (file_of(START, totals={"Ana": 0, "Ben": 0, "Cem": 0.0}), FORGED),
        (file_of(START, totals={"Ana": 0, "Ben": 0}), FORGED),
        (file_of(START, totals={}), FORGED),
        (file_of(START, totals=None), FORGED),
        (changed(kind="GameWon"), UNREADABLE),
        (changed(kind=["GameStarted"]), UNREADABLE),
        (changed(payload=None), UNREADABLE),
        (file_of(START, entry(3, "GameArchived", {})), "Entry 2 of this file cannot be read."),
        (then("GameArchived", {}, key="key-1"), "Two entries of this file have the same key."),
    ],
    ids=range(46),
)
def test_what_is_no_file_of_a_game_is_refused_with_a_sentence(here, text, says):
    with pytest.raises(NotAGame) as refused:
        import_game(*here, text)
    assert str(refused.value) == says
    assert games(here) == 0


def test_a_time_may_be_a_day_ahead_of_the_clock_and_no_more(
    here: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export.store, "now_in", lambda _: EIGHT)
    with pytest.raises(NotAGame, match="Entry 1 of this file is from 04 May 2024, which is yet"):
        import_game(*here, changed(at="2024-05-04T20:00:01+00:00"))
    assert games(here) == 0
    import_game(*here, changed(at="2024-05-04T22:00:00+02:00"))
    assert games(here) == 1


@pytest.mark.parametrize(
    ("text", "number", "says"),
    [
        (file_of(entry(1, "PenaltyCharged", CHARGE)), 1, "it does not begin a game"),
        (started_with(game="chess"), 1, "chess"),
        (started_with(names=["Ana"]), 1, "2 to 7 players"),
        (file_of(START, START | {"number": 2, "key": "k2"}), 2, "has begun already"),
        (then("PenaltyCharged", CHARGE | {"rule": "PRO-99"}), 2, "PRO-99"),
        (then("RulingEnforced", {"hand": 1, "ruling": 1}), 2, "no such ruling"),
        (then("PlayRecorded", {"hand": 1, "player": 0, "play": "meld ZZ"}), 2, "ZZ"),
        (then("PileSeen", {"hand": 1, "cards": "5C 5C"}), 2, "5♣"),
        (then("HandMarked", {"hand": 1, "out": 0, "entries": []}), 2, "Still missing"),
    ],
    ids=range(9),
)
def test_a_game_that_cannot_have_been_is_refused_and_the_entry_named(here, text, number, says):
    with pytest.raises(NotAGame) as refused:
        import_game(*here, text)
    assert str(refused.value).startswith(f"Entry {number} of this file does not fit: ")
    assert says in str(refused.value)
    assert games(here) == 0


def test_an_entry_that_was_undone_must_have_been_possible_too(here):
    text = file_of(
        START,
        entry(2, "PenaltyCharged", CHARGE | {"rule": "PRO-99"}),
        entry(3, "Undone", {"act": 2}),
    )
    with pytest.raises(NotAGame, match=r"^Entry 2 of this file does not fit: "):
        import_game(*here, text)


def test_a_file_that_takes_too_long_to_check_is_refused(here, monkeypatch):
    monkeypatch.setattr(export, "PATIENCE", -1.0)
    with pytest.raises(NotAGame, match="takes too long"):
        import_game(*here, as_file(whole_game()))
    assert games(here) == 0


def test_a_long_row_of_undoing_and_redoing_is_checked_like_any_other(here):
    evening = Evening()
    for _ in range(150):
        evening.charge(0, "PRO-13.3")
    for _ in range(150):
        evening.undo()
    for _ in range(140):
        evening.redo()
    evening.charge(1, "PRO-13.3")
    assert loaded_game(here, as_file(evening)).sheet.total(0) == 140 * 20


ILLEGAL = {
    "legal": False,
    "broken": ["PRO-5"],
    "readings": [],
    "points": 0,
    "take_back": "play",
    "turn_passes": False,
    "says": "5♣ 6♣ 8♣ is no run.",
    "elsewhere": {},
    "charge": None,
}


def asked(ask: str, *plays: str) -> str:
    """A file of a game with a ruling on a question."""
    question = {"hand": 1, "player": 1, "ask": ask, "plays": plays}
    flags = {"melded_this_hand": False, "melded_this_turn": False}
    return then("RulingGiven", question | flags | {"verdict": ILLEGAL})


def test_a_ruling_must_be_on_a_question_that_there_is(here):
    with pytest.raises(NotAGame, match="Entry 2 of this file does not fit: there are no such rul"):
        import_game(*here, asked("roof", "meld 5C 6C 8C"))


def ruled(ask: str, *plays: str) -> str:
    """The same with the facts that it rests on."""
    flags = ("melded_this_hand", "melded_this_turn", "contract_met", "drew", "fresh")
    question = {
        "ask": ask,
        "plays": plays,
        "melds": [],
        "pile": "9S",
        "pile_is_whole": False,
        "player": dict.fromkeys(flags, False),
    }
    breach = {"rule": "PRO-14", "message": "last_card_discarded", "values": {}}
    ruling = {"breaches": [breach], "points": 0, "take_back": "play", "turn_passes": False}
    event = {"hand": 1, "player": 1, "question": question, "ruling": ruling}
    return then("Ruled", event | {"charge": None, "sources": {"pile": 0}, "instead_of": None})


@pytest.mark.parametrize("make", [asked, ruled])
@pytest.mark.parametrize("ask", ["meld", "discard", "lay_off", "swap"])
def test_a_ruling_on_several_plays_must_be_one_on_a_turn(here, make, ask):
    with pytest.raises(NotAGame, match="Entry 2 of this file does not fit: a ruling on several"):
        import_game(*here, make(ask, "meld 5C 6C 8C", "discard KD"))
    assert games(here) == 0


@pytest.mark.parametrize("kind", ["RulingGiven", "Ruled"])
def test_a_ruling_is_exported_as_it_was_written(here, kind):
    make = asked if kind == "RulingGiven" else ruled
    text = make("turn", "meld 5C 6C 8C", "discard KD")
    again = as_json(here[0], loaded_game(here, text))
    before, after = (json.loads(one)["events"][1] for one in (text, again))
    assert before["kind"] == kind
    assert json.dumps(after["payload"]) == json.dumps(before["payload"])


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"says": "You win."}, "worded so"),
        ({"says": "<script>alert(1)</script>"}, "worded so"),
        ({"says": "That is no run. No points; nothing is taken back.", "points": 20}, "worded so"),
        ({"says": "That is no run.\x00"}, "worded so"),
        ({"legal": True}, "illegal by a rule, or legal"),
        ({"broken": []}, "illegal by a rule, or legal"),
        ({"broken": ["<b>"]}, "a rule that Proter does not have"),
        ({"broken": ["PAY-3"]}, "a rule that Proter does not have"),
        ({"elsewhere": {"moon": True}}, "a sheet that Proter does not have"),
        ({"readings": ["no cards"]}, "cards that do not exist"),
        ({"points": 20}, "other points than the table charges"),
        ({"points": -999_999_999}, "other points than the table charges"),
        ({"points": 40, "charge": "PRO-13.2"}, "other points than the table charges"),
        ({"legal": True, "broken": []}, "a legal play costs nothing"),
    ],
)
def test_a_forged_ruling_is_refused(here, fields, says):
    flags = {"melded_this_hand": False, "melded_this_turn": False}
    question = {"hand": 1, "player": 1, "ask": "meld", "plays": ["meld 5C 6C 7C"]}
    text = then("RulingGiven", question | flags | {"verdict": ILLEGAL | fields})
    with pytest.raises(NotAGame, match=r"^Entry 2 of this file does not fit: ") as refused:
        import_game(*here, text)
    assert says in str(refused.value)
    assert games(here) == 0


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"points": 20}, "other points than the table charges"),
        ({"breaches": []}, "a legal play costs nothing"),
        ({"elsewhere": {"moon": True}}, "a sheet that Proter does not have"),
        (
            {"breaches": [{"rule": "XYZ-9", "message": "last_card_discarded", "values": {}}]},
            "a rule that Proter does not have",
        ),
    ],
)
def test_so_is_one_with_its_facts(here, fields, says):
    whole = json.loads(ruled("discard", "discard KD"))
    whole["events"][1]["payload"]["ruling"] |= fields
    with pytest.raises(NotAGame, match=r"^Entry 2 of this file does not fit: ") as refused:
        import_game(*here, json.dumps(whole))
    assert says in str(refused.value)


# -- whatever can be stored -----------------------------------------------------------------------

ANY_TEXT = st.text(st.characters(codec=None), min_size=1, max_size=12) | st.sampled_from(
    ["\x00", "Ana\x00", "\ud800", "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 30, "=1", "x" * 61]
)


@settings(suppress_health_check=[*HealthCheck])
@given(
    names=st.lists(ANY_TEXT, min_size=2, max_size=4),
    title=st.just("") | ANY_TEXT,
    reason=ANY_TEXT,
    nickname=st.just("") | ANY_TEXT,
    renamed=ANY_TEXT,
    turns=st.data(),
)
def test_whatever_can_be_stored_can_be_exported_and_read_in_again(
    here, there, names, title, reason, nickname, renamed, turns
):
    database, writer = here
    with suppress(NotPossible):
        phones.call(database, writer, phones.handle_of(writer.id), nickname)
    try:
        game = begun(database, writer, started(tuple(names), title=title), secrets.token_hex(8))
    except NotPossible:
        game = begun(database, writer, started(), secrets.token_hex(8))
    for event in (
        PlayerRenamed(1, renamed),
        GameRenamed(title),
        HousePenalty(1, 0, turns.draw(st.integers(-500, 500)), reason),
        PlayRecorded(1, 0, "meld 5C 6C 7C"),
    ):
        with suppress(NotPossible):
            written(here, load_game(database, game, writer.id), event)
    loaded = load_game(database, game, writer.id)
    text = as_json(database, loaded)
    copy = loaded_game(there, json.loads(json.dumps(text)))
    assert [entry.event for entry in copy.entries] == [entry.event for entry in loaded.entries]
    assert as_json(there[0], copy) == text


def test_a_nickname_from_before_they_were_checked_is_exported_without_what_no_file_holds(
    here, there
):
    database, writer = here
    loaded = loaded_game(here, as_file(Evening()))
    odd = "Ana\x1b[31m\x85"
    with database.write() as session:
        session.get_one(MarkerRecord, writer.id).nickname = odd
    after = written(here, loaded, PenaltyCharged(1, 0, "PRO-13.3"))
    copy = loaded_game(there, as_json(database, after))
    assert copy.entries[-1].by == "Ana[31m"


@pytest.mark.parametrize(
    "event",
    [
        PlayRecorded(1, 0, "meld 5C 6C 7C" + " " * 3000),
        HandMarked(1, 0, (HandEntry(1, "KC" + " " * 3000, melded=True),)),
        HandMarked(1, 0, (HandEntry(1, "KC", melded=True, box="\ud800"),)),
    ],
    ids=range(3),
)
def test_what_could_not_be_read_again_is_not_written_down(here, event, monkeypatch):
    database, writer = here
    game = begun(database, writer, started(("Ana", "Ben")), "start")
    with suppress(ValueError):
        game_log.write(database, game, writer.id, base=1, key="act", make=lambda _: event)
    monkeypatch.setattr(game_log, "_CACHE", {})  # a server that has just been started
    assert import_game(database, writer, as_json(database, load_game(database, game, writer.id)))
