"""Saving events and beginning games through the services, on a real database."""

from collections.abc import Sequence

import pytest

from companion.notebook.events import (
    Entry,
    Event,
    GameDeleted,
    GameRenamed,
    HandCorrected,
    HandEntry,
    HandMarked,
    NotPossible,
    PenaltyCharged,
    Undone,
)
from companion.notebook.replay import replay
from companion.notebook.scoresheet import ScoreSheet
from companion.services import NotFound, game_log, games, phones
from companion.services.game_log import Conflict, load_game, open_for_viewer, who_wrote
from companion.services.phones import Taker
from companion.store import Database, MarkerRecord
from tests.at_once import at_once
from tests.notebook.evening import started
from tests.services.installations import MARKED, TOUCHED


@pytest.fixture
def game(db: Database, marker: MarkerRecord) -> str:
    """A game of three."""
    return games.start(db, marker, started(("Ana", "Ben", "Chandi")), "start")


def write(db: Database, marker: MarkerRecord, game: str, event: Event, base: int, key: str) -> int:
    """Save an event; return its number."""
    _, entry = game_log.write(db, game, marker.id, base=base, key=key, make=lambda _: event)
    return entry.number


def test_an_action_sent_repeatedly_or_simultaneously_is_saved_once(db, marker, game):
    answers = at_once(8, lambda _: write(db, marker, game, TOUCHED, 1, "a"))
    assert answers == [2] * 8
    assert [entry.number for entry in load_game(db, game, marker.id).entries] == [1, 2]
    for _ in range(2):
        assert write(db, marker, game, TOUCHED, 1, "a") == 2
        assert write(db, marker, game, MARKED, 2, "b") == 3
        assert write(db, marker, game, GameRenamed("Saturday"), 3, "c") == 4
    (line,) = games.lines(db, marker).lines
    assert (line.name, line.last_number) == ("Saturday", 4)
    assert (line.totals, line.leaders) == ((0, 33, 7), (0,))
    sheet = load_game(db, game, marker.id).sheet
    assert [sheet.total(seat) for seat in sheet.players] == [0, 33, 7]


def test_a_used_key_or_an_old_base_is_a_conflict_with_the_new_entries(db, marker, game):
    write(db, marker, game, TOUCHED, 1, "a")
    could_never_be = HandMarked(1, 0, (HandEntry(1, "KH"), HandEntry(2, "3C 4D 5D 6D 7D 9D")))
    for event, base, key in (
        (PenaltyCharged(1, 2, "PRO-13.3"), 2, "a"),
        (could_never_be, 2, "a"),
        (MARKED, 1, "b"),
    ):
        with pytest.raises(Conflict) as conflict:
            write(db, marker, game, event, base, key)
        assert [entry.event for entry in conflict.value.meanwhile] == [TOUCHED]
        assert conflict.value.loaded.sheet.number == 2


# -- events for a later hand, and after unseen entries --------------------------------------------

NEXT = HandMarked(2, 1, (HandEntry(0, "5C"), HandEntry(2, "KH")))
IN_NEXT = PenaltyCharged(2, 0, "PRO-13.3")


@pytest.fixture
def other(db: Database, marker: MarkerRecord, game: str) -> MarkerRecord:
    """A second phone that keeps the same game."""
    offered = phones.offer(db, game, marker.id, secret="secret", whole=False, resigns=False)
    return phones.take_link(db, offered.link, Taker("proof", "Phone", "Ben", None))


def write_ahead(db: Database, marker: MarkerRecord, game: str, event: Event, key: str) -> int:
    """Save an event for hand 2 that was made when only the game's start was known."""
    _, entry = game_log.write(db, game, marker.id, base=1, key=key, make=lambda _: event, hand=2)
    return entry.number


def test_the_next_hand_is_saved_behind_one_of_another_phone(db, marker, other, game):
    write(db, other, game, MARKED, 1, "a")
    write(db, other, game, HandCorrected(1, 0, MARKED.entries), 2, "b")
    write(db, other, game, Undone(3), 3, "c")
    assert write_ahead(db, marker, game, IN_NEXT, "d") == 5
    assert write_ahead(db, marker, game, NEXT, "e") == 6  # behind an entry of this phone's own
    assert write_ahead(db, marker, game, NEXT, "e") == 6
    sheet = load_game(db, game, marker.id).sheet
    assert [sheet.total(seat) for seat in sheet.players] == [20 + 5, 13, 7 + 13]


@pytest.mark.parametrize("later", [(IN_NEXT,), (IN_NEXT, Undone(3)), (GameRenamed("Saturday"),)])
def test_the_next_hand_is_not_saved_behind_other_entries(db, marker, other, game, later):
    for base, event in enumerate((MARKED, *later), start=1):
        write(db, other, game, event, base, f"other-{base}")
    with pytest.raises(Conflict) as conflict:
        write_ahead(db, marker, game, NEXT, "mine")
    assert len(conflict.value.meanwhile) == 1 + len(later)
    meant = conflict.value.meant
    assert (meant.hand, meant.out) == (2, 1)


def test_an_entry_of_another_hands_form_is_not_saved_behind_a_hand(db, marker, other, game):
    write(db, other, game, MARKED, 1, "a")
    with pytest.raises(Conflict):
        write_ahead(db, marker, game, PenaltyCharged(1, 0, "PRO-13.3"), "b")
    with pytest.raises(Conflict):
        game_log.write(db, game, marker.id, base=0, key="c", make=lambda _: NEXT, hand=2)
    write(db, other, game, NEXT, 2, "d")
    with pytest.raises(Conflict):  # made on a page that showed the beginning of this hand
        game_log.write(db, game, marker.id, base=2, key="e", make=lambda _: IN_NEXT, hand=2)


def test_the_next_hand_waits_for_the_end_of_the_one_before(db, marker, other, game):
    write(db, other, game, TOUCHED, 1, "a")
    with pytest.raises(NotPossible):
        write_ahead(db, marker, game, NEXT, "b")


def test_an_impossible_event_is_not_saved(db, marker, game):
    for event in (HandMarked(2, 0, ()), HandMarked(9, 0, ())):
        with pytest.raises(NotPossible):
            write(db, marker, game, event, 1, "a")
    for make in (game_log.undo, game_log.redo):
        with pytest.raises(NotPossible, match="nothing"):
            game_log.write(db, game, marker.id, base=1, key="a", make=make)
    assert load_game(db, game, marker.id).sheet.number == 1

    # Undo and redo are acts too.
    write(db, marker, game, TOUCHED, 1, "a")
    for make, base, key, total in (
        (game_log.undo, 2, "b", 0),
        (game_log.redo, 3, "c", 20),
        (game_log.redo, 3, "c", 20),
    ):
        loaded, _ = game_log.write(db, game, marker.id, base=base, key=key, make=make)
        assert loaded.sheet.total(1) == total


def test_a_game_is_found_by_its_own_marker_only(db, marker, game):
    other = games.start_notebook(db, "Another phone")
    for game_id, marker_id in ((game, other.id), (game, "nobody"), ("nothing", marker.id)):
        with pytest.raises(NotFound):
            load_game(db, game_id, marker_id)
    with pytest.raises(NotFound):
        game_log.write(db, game, other.id, base=1, key="a", make=game_log.undo)
    loaded = load_game(db, game, marker.id)
    assert games.hand_of(loaded, 1).number == 1
    for number in (0, 2, 14):  # which have not begun
        with pytest.raises(NotFound):
            games.hand_of(loaded, number)
    assert games.find_marker(db, marker.id) == marker
    assert games.find_marker(db, "nobody") is None


def test_a_viewer_finds_the_game_by_its_key_until_it_is_deleted(db, marker, game):
    loaded = load_game(db, game, marker.id)
    assert open_for_viewer(db, loaded.record.viewer_key).sheet.names == ["Ana", "Ben", "Chandi"]
    assert who_wrote(db, loaded) == {marker.id: "Phone"}
    with pytest.raises(NotFound):
        open_for_viewer(db, "no such key")
    write(db, marker, game, GameDeleted(), 1, "a")
    with pytest.raises(NotFound):
        open_for_viewer(db, loaded.record.viewer_key)


def test_the_key_of_a_setup_begins_only_one_game(db, marker, game):
    assert games.start(db, marker, started(("Ana", "Ben", "Chandi")), "start") == game
    with pytest.raises(games.BegunAlready) as begun:
        games.start(db, marker, started(("Dilani", "Esha")), "start")
    assert begun.value.game_id == game
    named = games.start(db, marker, started(("Dilani", "Esha"), title="Friday"), "other")
    names = {line.id: line.name for line in games.lines(db, marker)[0]}
    assert names == {game: "Ana, Ben, Chandi", named: "Friday"}


def test_a_game_has_one_rematch_whatever_keys_are_used(db, marker, game):
    to_come = games.next_game(load_game(db, game, marker.id))
    assert (to_come.entries, to_come.sheet.number, to_come.record.viewer_key) == ((), 0, "")
    assert not games.has_next_game(db, marker.id, game)
    begun = games.begin_next_game(db, marker, game, "a")
    assert begun == to_come.record.id != game
    assert games.has_next_game(db, marker.id, game)
    assert games.is_newest(db, marker, begun)
    write(db, marker, begun, TOUCHED, 1, "b")
    for key in ("a", "b", "c"):
        assert games.begin_next_game(db, marker, game, key) == begun
    loaded = load_game(db, begun, marker.id)
    assert (loaded.sheet.number, loaded.sheet.first_dealer) == (2, 1)  # the next one deals first
    assert loaded.sheet.names == to_come.sheet.names == ["Ana", "Ben", "Chandi"]
    write(db, marker, game, TOUCHED, 1, "d")
    assert not games.is_newest(db, marker, begun)
    with pytest.raises(NotFound):
        games.begin_next_game(db, marker, "nothing", "e")


def test_only_the_games_markers_can_change_the_viewers_link_and_only_once(db, marker, game):
    old = load_game(db, game, marker.id).record.viewer_digest
    stranger = games.start_notebook(db, "Phone")
    with pytest.raises(NotFound):
        games.change_viewers_link(db, game, stranger.id, old)
    games.change_viewers_link(db, game, marker.id, old)
    new = load_game(db, game, marker.id).record.viewer_digest
    assert new != old
    games.change_viewers_link(db, game, marker.id, old)  # the same request, sent again
    assert load_game(db, game, marker.id).record.viewer_digest == new


def test_others_can_write_while_a_game_is_loaded(db, marker, game, database_url, monkeypatch):
    impatient = Database(database_url, busy_timeout=100)
    replays: list[int] = []

    def replay_beside_a_writer(entries: Sequence[Entry]) -> ScoreSheet:
        with impatient.write(game):
            replays.append(len(entries))
        return replay(entries)

    monkeypatch.setattr(game_log, "_CACHE", {})
    monkeypatch.setattr(game_log, "replay", replay_beside_a_writer)
    assert write(db, marker, game, TOUCHED, 1, "a") == 2
    assert replays == [1]
    impatient.close()


def test_only_the_last_loaded_games_are_cached(db, marker, monkeypatch):
    kept: dict[str, game_log.LoadedGame] = {}
    monkeypatch.setattr(game_log, "_CACHE", kept)
    monkeypatch.setattr(game_log, "_MOST_KEPT", 2)
    begun = [games.start(db, marker, started(("Ana", "Ben")), key) for key in "abc"]
    for game in (*begun, begun[1]):
        assert load_game(db, game, marker.id).record.id == game
    assert [*kept] == begun[1:]
