"""Games as files: exported, imported on another installation, and wrong files refused.

Rulings of every game are imported, and forged ones are refused.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from hypothesis import given

from companion.notebook import events
from companion.notebook.events import Event, GameStarted, HandEntry, HandMarked, NotPossible, Ruled
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.serialize import ruling_data, ruling_from
from companion.rules.judge import Judge
from companion.rules.question import CALL, DRAW, FLAGS
from companion.rules.ruling import Ruling
from companion.services import export, game_log, phones
from companion.services.export import NotAGame, as_json, import_game
from companion.services.game_log import LoadedGame, load_game, who_wrote
from companion.services.games import start as begun
from companion.store import Database, MarkerRecord, add_notebook, list_games
from tests.databases import Another
from tests.notebook.evening import (
    ANA,
    BEN,
    NAMES,
    WRONG_DISCARD,
    WRONG_MELD,
    Evening,
    in_words,
    started,
)
from tests.rules.drawing import CHANCE, a_ruling
from tests.services.seven_at_table import TOTALS, as_file, whole_game

THREE = NAMES[:3]

EIGHT = datetime(2024, 5, 3, 20, 0, 0, 123456, tzinfo=UTC)

Opened = tuple[Database, MarkerRecord]


def opened(address: str, label: str) -> Iterator[Opened]:
    database = Database(address)
    with database.write() as session:
        writer = add_notebook(session, label, EIGHT)
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
    """Import a file, and return the game."""
    database, writer = place
    return load_game(database, import_game(database, writer, text)[0], writer.id)


def written(place: Opened, loaded: LoadedGame, event: Event) -> LoadedGame:
    """Record another event, and return the game."""
    database, writer = place
    number = loaded.sheet.number
    game, make = loaded.record.id, {"make": lambda _: event}
    return game_log.write(database, game, writer.id, base=number, key=f"act-{number}", **make)[0]


def games(place: Opened, *, deleted: bool = False) -> int:
    with place[0].read() as session:
        return len(list_games(session, place[1].notebook_id, deleted=deleted))


def everything() -> Evening:
    """Return a game with an event of nearly every kind, undone and redone."""
    evening = Evening(started(title="Friday", wrong_meld="penalty"))
    evening.write(events.PlayerRenamed(2, "Chandi 🎴"))
    evening.play(ANA, "meld 5C 6C 7C", "discard KD")
    evening.write(events.PileSeen(1, "9H KD"))
    wrong = evening.rule(BEN, "discard KH", verdict=WRONG_DISCARD, ask="discard")
    evening.write(events.RulingEnforced(1, wrong.number))
    touched = evening.charge(2, "PRO-13.3")
    evening.write(events.PenaltyWithdrawn(1, touched.number))
    evening.undo()
    evening.undo()
    evening.redo()
    evening.throw_in()
    evening.mark(ANA, {1: "QC", 2: "JC"})
    evening.correct(1, None, {0: "2C", 1: 25, 2: "AC"})
    evening.write(events.GameRenamed("Friday, at Ana's"))
    evening.undo()
    evening.write(events.GameEnded(2))
    evening.write(events.GameArchived())
    return evening


# -- export and import ----------------------------------------------------------------------------


with_rulings = partial(whole_game, rulings=True)


@pytest.mark.parametrize("make", [everything, with_rulings, Evening])
def test_a_game_imported_elsewhere_is_the_same_game(here, there, make):
    evening = make()
    loaded = loaded_game(here, as_file(evening))
    text = as_json(here[0], loaded)
    copy = loaded_game(there, text)
    assert as_json(there[0], copy) == text
    assert copy.entries == loaded.entries
    assert copy.sheet == loaded.sheet
    assert [entry.event for entry in copy.entries] == [entry.event for entry in evening.entries]
    totals = [copy.sheet.total(seat) for seat in copy.sheet.players]
    assert totals == evening.totals == [*json.loads(text)["totals"].values()]
    if make is with_rulings:  # whose ruling costs the first seat 20
        assert totals == [TOTALS[0] + 20, *TOTALS[1:]]


def test_an_imported_game_can_be_played_on_and_exported_with_all_its_writers(here, there):
    loaded = loaded_game(there, as_json(here[0], loaded_game(here, as_file(everything()))))
    after = written(there, loaded, events.PenaltyCharged(loaded.sheet.hand.number, 0, "PRO-13.3"))
    text = as_json(there[0], after)
    assert there[1].id not in text
    back = loaded_game(here, text)
    assert back.sheet.total(0) == after.sheet.total(0)
    assert {entry.by for entry in back.entries[:-1]} == {"Ana's phone"}
    assert back.entries[-1].by == "Android phone"
    assert as_json(here[0], back) == text
    # Another phone of the same name is told apart.
    on = written(here, back, events.PenaltyCharged(loaded.sheet.hand.number, 0, "PRO-13.3"))
    copy = loaded_game(there, as_json(here[0], on))
    assert copy.entries[-1].by == "Ana's phone 2"
    writers = {"Ana's phone", "Android phone", "Ana's phone 2"}
    assert {*who_wrote(there[0], copy).values()} == writers


def test_a_file_makes_one_game_however_often_it_is_imported(here):
    shorter, longer, other = Evening(), Evening(), Evening()
    longer.charge(0, "PRO-13.3")
    other.charge(1, "PRO-13.3")
    first, *others = (loaded_game(here, as_file(one)).record.id for one in (longer, shorter, other))
    assert len({first, *others}) == games(here) == 3
    again = [loaded_game(here, as_file(one)).record.id for one in (longer, shorter, other)]
    assert again == [first, *others]
    deleted = written(here, load_game(here[0], first, here[1].id), events.GameDeleted())
    assert loaded_game(here, as_file(longer)).record.id == first  # where it can be restored
    assert (games(here), games(here, deleted=True)) == (2, 1)
    written(here, deleted, events.GameRestored())
    assert loaded_game(here, as_file(longer)).record.id == first
    other.write(events.GameDeleted())
    assert not loaded_game(here, as_file(other)).sheet.deleted
    assert (games(here), games(here, deleted=True)) == (3, 0)


def test_the_file_of_a_deleted_game_makes_a_deleted_game(here):
    evening = Evening()
    evening.write(events.GameDeleted())
    assert loaded_game(here, as_file(evening)).sheet.deleted
    assert (games(here), games(here, deleted=True)) == (0, 1)


# -- refused files --------------------------------------------------------------------------------


def entry(number: int, kind: str, payload: dict[str, Any], **other: Any) -> dict[str, Any]:
    at = "2024-11-21T21:00:00+00:00"
    whole = {"number": number, "key": f"key-{number}", "at": at, "by": "Ana's phone"}
    return whole | {"kind": kind, "payload": payload} | other


START = json.loads(as_file(Evening()))["events"][0]
CHARGE = {"hand": 1, "player": 0, "rule": "PRO-13.3"}


def file_of(*entries: object, **other: Any) -> str:
    whole = {"format": "companion-game", "version": 1, "events": list(entries)}
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
NOT_SAVED_HERE = "This file is not a saved game. Choose a game that was saved here."
NO_ENTRIES = "This file holds no entries, or more than a game can have."
OTHER_VERSION = (
    "This game was saved by another version of the companion. Update the older one first."
)
FORGED = "The totals in this file do not match its entries."
YET_TO_COME = (
    "Entry 1 of this file is from 01 January 3000, which is yet to come. "
    "Correct that time, or the clock of this server if it is slow."
)
UNREADABLE = "Entry 1 of this file cannot be read."
# Values that a field of an entry cannot have.
BAD: dict[str, list[object]] = {
    "number": [2, "1"],
    "key": ["", "a b", "k" * 101, "ключ", 7],
    "by": ["", "b" * 401, {"name": "Ana"}, "\ud800", "An\na"],
    "at": [
        *("yesterday", 1732222800, "2026-11-21T21:00:00", "0001-01-01T00:00:00+14:00"),
        *("9999-12-31T23:59:59-14:00", "1970-01-01T00:00:00+14:00"),
    ],
    "kind": ["GameWon", ["GameStarted"]],
    "payload": [None],
}


def refusal(place: Opened, text: str) -> str:
    """Return why a file is refused, and assert that nothing of it is stored."""
    with pytest.raises(NotAGame) as refused:
        import_game(*place, text)
    assert games(place) == 0
    return str(refused.value)


NO_FILES = [
    *((text, NOT_JSON) for text in ("", "[" * 100_000, "9" * 5_000)),
    *((text, NOT_SAVED_HERE) for text in ("[]", "{}")),
    *((file_of(START, format=kind), NOT_SAVED_HERE) for kind in ("chess", ["companion-game"])),
    (file_of(START, version=2), OTHER_VERSION),
    *((file_of(events=entries), NO_ENTRIES) for entries in ([], None, "entries", [0] * 10_001)),
    (file_of(None), UNREADABLE),
    *((without(field), UNREADABLE) for field in ("key", "payload")),
    *((changed(**{name: one}), UNREADABLE) for name, values in BAD.items() for one in values),
    (changed(at="2999-12-31T23:59:59-14:00"), YET_TO_COME),
    *(
        (file_of(START, totals=totals), FORGED)
        for totals in (
            *({"Ana": 0, "Ben": 0, "Cem": cem} for cem in (20, False, 0.0)),
            *({"Ana": 0, "Ben": 0}, {}, None),
        )
    ),
    (file_of(START, entry(3, "GameArchived", {})), "Entry 2 of this file cannot be read."),
    (then("GameArchived", {}, key="key-1"), "Two entries of this file have the same key."),
]


def test_a_file_that_is_not_a_game_is_refused_with_a_sentence(here):
    for text, says in NO_FILES:
        assert refusal(here, text) == says, text[:200]


def test_a_game_from_a_machine_without_a_clock_is_imported(here):
    assert loaded_game(here, changed(at="1970-01-01T00:00:20+00:00")).entries[0].at.year == 1970


def test_a_time_may_be_a_day_ahead_of_the_clock_and_no_more(here, there, monkeypatch):
    monkeypatch.setattr(export.store, "now_in", lambda _: EIGHT)
    with pytest.raises(NotAGame, match="Entry 1 of this file is from 04 May 2024, which is yet"):
        import_game(*here, changed(at="2024-05-04T20:00:01+00:00"))
    assert games(here) == 0
    text = changed(at="2024-05-04T22:00:00.123456+02:00")
    (entry,) = loaded_game(there, as_json(here[0], loaded_game(here, text))).entries
    # Numbers, keys and times stay to the microsecond.
    assert (entry.number, entry.key) == (1, "key-1")
    assert entry.at.isoformat() == "2024-05-04T20:00:00.123456+00:00"


IMPOSSIBLE = [
    (file_of(entry(1, "PenaltyCharged", CHARGE)), "it does not begin a game"),
    (started_with(game="chess"), "There is no game “chess”"),
    (started_with(names=["Ana"]), "Enter the names of 2 to 7 players"),
    (file_of(START, START | {"number": 2, "key": "k2"}), "The game has begun already"),
    (then("PenaltyCharged", CHARGE | {"rule": "PRO-99"}), "Proter has no penalty “PRO-99”"),
    (then("RulingEnforced", {"hand": 1, "ruling": 1}), "There is no such ruling"),
    (then("PlayRecorded", {"hand": 1, "player": 0, "play": "meld ZZ"}), "“ZZ” is not a card"),
    (then("PileSeen", {"hand": 1, "cards": "5C 5C"}), "5♣ is twice in the pile"),
    (then("HandMarked", {"hand": 1, "out": 0, "entries": []}), "Still missing: Ben and Cem"),
    # What was undone must have been possible, too.
    (
        file_of(
            START,
            entry(2, "PenaltyCharged", CHARGE | {"rule": "PRO-99"}),
            entry(3, "Undone", {"act": 2}),
        ),
        "Proter has no penalty “PRO-99”",
    ),
]


def test_an_impossible_game_is_refused_and_the_entry_named(here):
    for text, says in IMPOSSIBLE:
        number = len(json.loads(text)["events"][:2])
        found = refusal(here, text)
        assert found.startswith(f"Entry {number} of this file does not fit: {says}"), text


def test_a_file_that_takes_too_long_to_check_is_refused(here, monkeypatch):
    monkeypatch.setattr(export, "PATIENCE", -1.0)
    with pytest.raises(NotAGame, match="takes too long"):
        import_game(*here, as_file(whole_game()))
    assert games(here) == 0


def asked(ask: str, *plays: str, **verdict: Any) -> str:
    """A file of a game with a ruling that was kept in words."""
    question = {"hand": 1, "player": 1, "ask": ask, "plays": plays}
    flags = {"melded_this_hand": False, "melded_this_turn": False}
    return then("RulingGiven", question | flags | {"verdict": WRONG_MELD | verdict})


def ruled(ask: str, *plays: str, **ruling: Any) -> str:
    """The same with the facts that it rests on."""
    question = {"ask": ask, "plays": plays, "melds": [], "pile": "9S", "pile_is_whole": False}
    breach = {"rule": "PRO-14", "message": "last_card_discarded", "values": {}}
    given = {"breaches": [breach], "points": 0, "take_back": "play", "turn_passes": False}
    event = {"hand": 1, "player": 1, "question": question | {"player": dict.fromkeys(FLAGS, False)}}
    event |= {"ruling": given | ruling}
    return then("Ruled", event | {"charge": None, "sources": {"pile": 0}, "instead_of": None})


MELD, DISCARD = "meld 5C 6C 7C", "discard KD"
SEVERAL = "a ruling on several plays is one on a whole turn"
OTHER_POINTS = "the ruling costs other points than the table charges"
NO_SUCH_RULE = "the ruling names a rule that Proter does not have"
NO_SUCH_SHEET = "the ruling names a sheet that Proter does not have"
NOT_BY_A_RULE = "the ruling is legal with a broken rule, or illegal without one"
FREE = "a legal play costs nothing"
FORGED_RULINGS = [
    (asked("roof", MELD), "there are no such rulings"),
    *((asked(ask, MELD, DISCARD), SEVERAL) for ask in ("meld", "discard", "lay_off", "swap")),
    *((ruled(ask, MELD, DISCARD), SEVERAL) for ask in ("meld", "discard", "lay_off", "swap")),
    *(
        (asked("meld", MELD, says=says), "no ruling has this wording")
        for says in (
            *("You win.", "<script>alert(1)</script>", "That is no run.\x00", "http://example.com"),
            *("L\u0435gal.", "\u202eLegal.", "Legal.\n", "=1+1"),  # one letter is Cyrillic
        )
    ),
    (
        asked("meld", MELD, says="That is no run. No points; nothing is taken back.", points=20),
        "no ruling has this wording",
    ),
    (asked("meld", MELD, legal=True), NOT_BY_A_RULE),
    (asked("meld", MELD, broken=[]), NOT_BY_A_RULE),
    (asked("meld", MELD, broken=["<b>"]), NO_SUCH_RULE),
    (asked("meld", MELD, broken=["PAY-3"]), NO_SUCH_RULE),
    (asked("meld", MELD, elsewhere={"moon": True}), NO_SUCH_SHEET),
    (asked("meld", MELD, readings=["no cards"]), "the ruling reads cards that do not exist"),
    (asked("meld", MELD, points=20), OTHER_POINTS),
    (asked("meld", MELD, points=-999_999_999), OTHER_POINTS),
    (asked("meld", MELD, points=40, charge="PRO-13.2"), OTHER_POINTS),
    (asked("meld", MELD, legal=True, broken=[]), FREE),
    (ruled("discard", DISCARD, points=20), OTHER_POINTS),
    (ruled("discard", DISCARD, breaches=[]), FREE),
    (ruled("discard", DISCARD, elsewhere={"moon": True}), NO_SUCH_SHEET),
    (
        ruled(
            *("discard", DISCARD),
            breaches=[{"rule": "XYZ-9", "message": "last_card_discarded", "values": {}}],
        ),
        NO_SUCH_RULE,
    ),
]


def test_a_forged_ruling_is_refused(here):
    for text, says in FORGED_RULINGS:
        assert refusal(here, text) == f"Entry 2 of this file does not fit: {says}.", text


# A ruling that was kept in words has those that its version used.
ONCE_SAID = [
    "The player has not melded in this hand, as this table asks.",
    "The turn was over with the discard.",
    "There are 0 natural cards in it; a meld needs 1 here.",
    "Hand 1 asks for 2 trios; here are 1 trio.",
    "5♣ 6♣ ★ ★ has 2 jokers; in the first melds one a meld is allowed.",
    "Either end of 5♣ 6♣ ★ is closed by the ace, and the joker cannot go there.",
    "5♣ 6♣ ★ has no open end, and the joker cannot go anywhere.",
    "13 cards are played, and the player can hold 12 at most.",
    "In the turn of the contract no other meld may be laid.",
    "2 cards left over: a player who goes out has the whole hand in melds.",
    "2 trios had to be on the table before that.",
    "7♣ is not the 6♣; only the real card swaps.",
]


def test_a_ruling_in_words_that_are_not_used_any_more_is_imported(here):
    for count, says in enumerate(ONCE_SAID, start=1):
        import_game(*here, asked("meld", MELD, says=f"{says} No points; the play is taken back."))
        assert games(here) == count


def sheet_of(rules: Judge) -> ScoreSheet:
    """The sheet of a game that is played by these rules, in the hand that they are of."""
    house = rules.house
    sheet = Evening(GameStarted(rules.game.id, house.sheet, dict(house.values), THREE, 0, "")).sheet
    sheet.hands = [sheet.open_hand(1)] * rules.hand
    sheet.hands[-1].rules = rules
    return sheet


def in_a_sentence(ruling: Ruling, charge: str | None) -> dict[str, Any]:
    """The verdict of a ruling as it was kept before its facts were."""
    points, take_back, turn_passes = ruling.consequence
    return {
        "legal": ruling.legal,
        "broken": [*ruling.broken],
        "readings": [meld.text for meld in ruling.readings[:24]],
        "points": points,
        "take_back": take_back.text,
        "turn_passes": turn_passes,
        "says": ruling.says,
        "elsewhere": {one: legal for one, legal in ruling.elsewhere.items() if legal is not None},
        "charge": charge,
    }


@given(CHANCE)
def test_every_ruling_of_every_game_is_imported(chance):
    rules, question, ruling = a_ruling(chance)
    sheet, charge = sheet_of(rules), rules.charge_for(ruling)
    kept = ruling_from(ruling_data(ruling), "ruling")
    export.check_imported(Ruled(rules.hand, 1, question, kept, charge, {}), sheet)
    if question.ask in {CALL, DRAW}:
        return  # these were never kept in words
    plays, verdict = [play.text for play in question.plays], in_a_sentence(ruling, charge)
    export.check_imported(
        in_words(1, question.ask, *plays, verdict=verdict, hand=rules.hand), sheet
    )


# -- everything that can be stored can be exported ------------------------------------------------


def test_every_possible_nickname_can_be_exported():
    for code in (*range(0xA0), *range(0xD800, 0xE000), 0xFFFF):
        with suppress(NotPossible):  # white space is left out
            assert export._NAME.fullmatch(phones.as_nickname(f"A{chr(code)}b") or "")


def test_an_old_nickname_is_exported_without_characters_that_files_cannot_hold(here, there):
    database, writer = here
    loaded = loaded_game(here, as_file(Evening()))
    odd = "Ana\x1b[31m\x85"
    with database.write() as session:
        session.get_one(MarkerRecord, writer.id).nickname = odd
    after = written(here, loaded, events.PenaltyCharged(1, 0, "PRO-13.3"))
    copy = loaded_game(there, as_json(database, after))
    assert copy.entries[-1].by == "Ana[31m"


def test_an_event_that_could_not_be_read_again_is_not_stored(here, monkeypatch):
    database, writer = here
    game = begun(database, writer, started(("Ana", "Ben")), "start")
    for number, event in enumerate(
        (
            events.PlayRecorded(1, 0, "meld 5C 6C 7C" + " " * 3000),
            HandMarked(1, 0, (HandEntry(1, "KC" + " " * 3000, melded=True),)),
            HandMarked(1, 0, (HandEntry(1, "KC", melded=True, box="\ud800"),)),
        )
    ):
        with suppress(ValueError):
            base = load_game(database, game, writer.id).sheet.number
            key, make = f"act-{number}", {"make": lambda _, event=event: event}
            game_log.write(database, game, writer.id, base=base, key=key, **make)
    monkeypatch.setattr(game_log, "_CACHE", {})  # a server that has just been started
    text = as_json(database, load_game(database, game, writer.id))
    assert import_game(database, writer, text) == (game, False)
