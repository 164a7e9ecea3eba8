"""Replaying a game, whole or step by step: undo and redo, and the time for many entries."""

import pytest

from companion.notebook import checks, events
from companion.notebook.events import Entry, Event, HandMarked, NotPossible
from companion.notebook.replay import replay, sheets, standing_entries, with_entry
from companion.notebook.scoresheet import ScoreSheet
from companion.rules import scoring
from tests.notebook.evening import (
    ANA,
    BEN,
    CEM,
    NINE_O_CLOCK,
    WRONG_DISCARD,
    Evening,
    entries,
    started,
)


def test_a_game_is_archived_deleted_and_restored_once():
    evening = Evening()
    opposite = {
        events.GameTakenOut(): events.GameArchived(),
        events.GameRestored(): events.GameDeleted(),
    }
    for back, away in opposite.items():
        with pytest.raises(NotPossible, match="done already"):
            evening.write(back)
        evening.write(away)
        with pytest.raises(NotPossible, match="done already"):
            evening.write(away)
    assert (evening.sheet.archived, evening.sheet.deleted) == (True, True)
    with pytest.raises(NotPossible, match="deleted"):  # nothing else is done in it
        evening.write(events.GameTakenOut())
    for back in reversed(opposite):
        evening.write(back)
    assert (evening.sheet.archived, evening.sheet.deleted) == (False, False)


def test_players_and_games_are_renamed():
    evening = Evening()
    evening.write(events.PlayerRenamed(BEN, "Benjamin"))
    evening.write(events.GameRenamed("Saturday"))
    assert evening.sheet.names == ["Ana", "Benjamin", "Cem"]
    assert evening.sheet.name == "Saturday"
    evening.write(events.GameRenamed(""))
    assert evening.sheet.name == "Ana, Benjamin, Cem"
    evening.write(events.PlayerRenamed(BEN, "BENJAMIN"))
    with pytest.raises(NotPossible, match="Two players are called cem"):
        evening.write(events.PlayerRenamed(ANA, "cem"))
    with pytest.raises(NotPossible, match="Say which player"):
        evening.write(events.PlayerRenamed(3, "Dil"))
    with pytest.raises(NotPossible, match="60 characters"):
        evening.write(events.GameRenamed("x" * 61))


def test_another_first_dealer_moves_the_deal_of_every_hand():
    evening = Evening()
    left = entries({ANA: "KC", BEN: "QC", CEM: "JC"})
    evening.write(HandMarked(1, None, left))
    evening.write(events.FirstDealerChanged(BEN))
    evening.write(HandMarked(2, None, left))
    assert [evening.sheet.places(hand).dealer for hand in evening.sheet.hands] == [BEN, CEM, ANA]
    evening.undo()
    assert [evening.sheet.places(hand).dealer for hand in evening.sheet.hands] == [BEN, CEM]
    with pytest.raises(NotPossible, match="Say who deals first"):
        evening.write(events.FirstDealerChanged(3))


def test_only_the_last_action_can_be_undone_and_only_the_last_undone_redone():
    evening = Evening()
    evening.charge(BEN, "PRO-13.3")
    evening.charge(CEM, "PRO-13.3")
    for act in (1, 2, 4, 99):
        with pytest.raises(NotPossible, match="Undo the newer ones first"):
            evening.write(events.Undone(act))
    evening.write(events.GameRenamed("Saturday"))
    evening.write(events.Undone(3))
    evening.undo()
    for act in (1, 3, 99):
        with pytest.raises(NotPossible, match="nothing to redo"):
            evening.write(events.Redone(act))
    evening.write(events.Redone(2))
    for event in (events.Undone(1), events.Redone(1)):  # there may be nothing to undo or redo
        with pytest.raises(NotPossible):
            Evening().write(event)


def loaded(*acts: Event) -> list[Entry]:
    return [Entry(n, NINE_O_CLOCK, "marker", event) for n, event in enumerate(acts, start=1)]


CHARGE = events.PenaltyCharged(1, BEN, "PRO-13.3")


def test_impossible_sequences_of_entries_are_refused():
    for written in (
        [],
        loaded(events.HandThrownIn(1)),
        loaded(started(), events.Undone(1)),
        loaded(started(), CHARGE, CHARGE, events.Undone(2)),
        loaded(started(), CHARGE, events.Undone(2), events.Undone(2)),
        loaded(started(), CHARGE, events.Redone(2)),
        loaded(started(), CHARGE, events.Undone(2), events.Redone(3)),
        loaded(started(), CHARGE, events.Undone(2), events.PileSeen(1, "9C"), events.Redone(2)),
    ):
        with pytest.raises(ValueError, match=r"begins with its setup|is not the last one"):
            replay(written)

    # Undone entries do not count, and redone entries come later.
    entries = loaded(started(), CHARGE, events.Undone(2), events.GameRenamed("Saturday"))
    assert [entry.number for entry in standing_entries(entries)] == [1, 4]
    entries = loaded(*(entry.event for entry in entries), events.Redone(2))
    assert [entry.number for entry in standing_entries(entries)] == [1, 4, 2]


def shown(sheet: ScoreSheet) -> tuple[ScoreSheet, list[int]]:
    """Return the sheet with everybody's total, which is computed on demand."""
    return sheet, [sheet.total(player) for player in sheet.players]


def assert_steps_are_replays(entries: list[Entry]) -> None:
    """Assert that the sheet after every entry equals a whole replay."""
    for number, step in enumerate(sheets(entries), start=1):
        whole = shown(replay(entries[:number]))
        assert shown(step) == whole
        if number > 1:
            before = replay(entries[: number - 1])
            assert shown(with_entry(before, entries[:number])) == whole
            assert shown(before) == shown(replay(entries[: number - 1]))  # unchanged


def test_every_kind_of_action_done_undone_and_redone():
    evening = Evening()
    evening.play(ANA, "meld 5C 6C 7C", "discard 9S")
    evening.play(BEN, "meld 2C 2D 2H")
    ruling = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD, melded_this_turn=True)
    evening.write(events.RulingEnforced(1, ruling.number))
    charge = evening.charge(CEM, "PRO-13.3")
    evening.write(events.PenaltyWithdrawn(1, charge.number))
    evening.throw_in()
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    evening.charge(CEM, "PRO-13.2", hand=1)
    evening.correct(1, BEN, {ANA: "9C", CEM: "2S"})
    evening.mark(CEM, {BEN: "KC", ANA: "2S"})
    evening.write(events.PlayerRenamed(BEN, "Benjamin"))
    acts = 0
    while evening.sheet.can_undo:
        evening.undo()
        acts += 1
    evening.write(events.GameRenamed("Saturday"))
    while evening.sheet.can_redo:
        evening.redo()
        acts -= 1
    assert acts == 0
    evening.undo()
    evening.charge(BEN, "PRO-13.1")
    assert_steps_are_replays(evening.entries)


FIRST = 3  # the number of the first entry after the start and a marked hand


def charge(number: int) -> Event:
    return events.PenaltyCharged(1, number % 3, "PRO-13.3")


def charges(count: int) -> list[Event]:
    return [charge(number) for number in range(count)]


def charges_and_corrections(count: int) -> list[Event]:
    corrected = events.HandCorrected(1, ANA, entries({BEN: "KC", CEM: "2S"}))
    return [corrected if number % 2 else charge(number) for number in range(count)]


def charged_and_taken_back(count: int) -> list[Event]:
    half = count // 2
    return charges(half) + [events.PenaltyWithdrawn(1, FIRST + number) for number in range(half)]


def undone_and_redone(count: int) -> list[Event]:
    last = FIRST + count // 2 - 1
    return charges(count // 2) + [events.Undone(last), events.Redone(last)] * (count // 4)


def game_of(acts: list[Event]) -> list[Entry]:
    marked = HandMarked(1, ANA, entries({BEN: "KC", CEM: "2S"}))
    return loaded(started(), marked, *acts)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that grows with each scored penalty and each comparison of entries."""
    seen: list[str] = []
    order, equal = scoring.rule_order, Entry.__eq__
    monkeypatch.setattr(scoring, "rule_order", lambda rule: seen.append("scored") or order(rule))
    monkeypatch.setattr(Entry, "__eq__", lambda *two: seen.append("compared") or equal(*two))
    return seen


@pytest.mark.parametrize(
    "kind", [charges_and_corrections, charged_and_taken_back, undone_and_redone]
)
def test_four_times_the_entries_are_four_times_the_work(kind, looks):
    def work(count: int) -> int:
        played = game_of(kind(count))
        looks.clear()
        sheet = replay(played)
        assert sum(sheet.total(player) for player in sheet.players) >= 15
        return len(looks)

    assert work(400) <= 4.5 * work(100)


def test_the_penalties_of_a_hand_and_the_entries_of_a_game_are_limited(monkeypatch):
    monkeypatch.setattr(checks, "MOST_PENALTIES", 3)
    evening = Evening()
    for player in (ANA, BEN):
        evening.charge(player, "PRO-13.3")
    withdrawn = evening.write(events.HousePenalty(1, CEM, 5, "late"))
    evening.write(events.PenaltyWithdrawn(1, withdrawn.number))
    for one in (charge(0), events.HousePenalty(1, ANA, 5, "late")):
        with pytest.raises(NotPossible, match=r"^Hand 1 has had 3 penalties, and can have no"):
            evening.write(one)
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    evening.charge(ANA, "PRO-13.3", hand=2)

    # A full game can only be ended and deleted.
    monkeypatch.setattr(checks, "MOST_ENTRIES", 4)
    evening = Evening()
    evening.mark_hands(3)
    for one in (charge(0), events.Undone(4)):
        with pytest.raises(NotPossible, match=r"^This game has 4 entries, the most a game"):
            evening.write(one)
    evening.write(events.GameEnded(4))
    evening.write(events.GameDeleted())
    evening.write(events.GameRestored())
