"""Undo takes back the last act, redo brings it back; what is no act is left alone."""

import pytest

from companion.notebook.events import (
    Entry,
    Event,
    GameArchived,
    GameDeleted,
    GameRenamed,
    GameRestored,
    GameTakenOut,
    HandThrownIn,
    NotPossible,
    PenaltyCharged,
    PenaltyWithdrawn,
    PileSeen,
    PlayerRenamed,
    Redone,
    Undone,
)
from companion.notebook.replay import replay
from tests.notebook.evening import ANA, BEN, CEM, NINE_O_CLOCK, Evening, started


def test_acts_are_undone_from_the_last_and_redone_in_their_order():
    evening = Evening()
    evening.charge(BEN, "PRO-13.3")  # 2
    evening.charge(CEM, "PRO-13.3")  # 3
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})  # 4
    seen = [evening.totals]
    for _ in range(3):
        evening.undo()
        seen.append(evening.totals)
    assert seen == [[0, 33, 22], [0, 20, 20], [0, 20, 0], [0, 0, 0]]
    assert evening.sheet.can_undo is None
    again = []
    for _ in range(3):
        again.append(evening.redo().event)
        seen.append(evening.totals)
    assert again == [Redone(2), Redone(3), Redone(4)]
    assert seen[4:] == [[0, 20, 0], [0, 20, 20], [0, 33, 22]]
    assert evening.sheet.can_redo is None
    assert evening.sheet.can_undo == evening.entries[3]
    assert evening.sheet.number == 10
    assert evening.sheet.last == evening.entries[-1]


def test_a_new_act_ends_what_could_be_redone():
    evening = Evening()
    evening.charge(BEN, "PRO-13.3")
    evening.undo()
    assert evening.sheet.can_redo == evening.entries[1]
    evening.charge(CEM, "PRO-13.3")
    assert evening.sheet.can_redo is None
    assert evening.totals == [0, 0, 20]


def test_undoing_a_mark_closes_the_hand_that_it_opened():
    evening = Evening()
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    assert evening.hand.number == 2
    evening.undo()
    assert evening.hand.number == 1
    assert evening.hand.marking is None
    assert len(evening.sheet.hands) == 1


def test_undoing_a_correction_brings_the_first_marks_back():
    evening = Evening()
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    evening.correct(1, BEN, {ANA: "9C", CEM: "2S"})
    evening.undo()
    assert evening.points(1) == [0, 13, 2]
    assert len(evening.sheet.hands[0].markings) == 1


def test_undoing_a_throw_in_brings_the_recorded_table_back():
    evening = Evening()
    evening.play(BEN, "meld 5C 6C 7C")
    evening.throw_in()
    assert evening.melds == []
    evening.undo()
    assert evening.melds == ["5C 6C 7C"]
    assert evening.hand.thrown_in == []


def test_undoing_a_withdrawal_charges_again():
    evening = Evening()
    charge = evening.charge(BEN, "PRO-13.3")
    evening.write(PenaltyWithdrawn(1, charge.number))
    evening.undo()
    assert evening.totals == [0, 20, 0]


NO_ACTS: list[tuple[Event, ...]] = [
    (GameRenamed("Saturday"),),
    (PlayerRenamed(BEN, "Benjamin"),),
    (GameArchived(), GameTakenOut(), GameArchived()),
    (GameDeleted(), GameRestored()),
]


def named_and_kept(evening: Evening) -> tuple[str, list[str], bool, bool]:
    sheet = evening.sheet
    return sheet.title, sheet.names, sheet.archived, sheet.deleted


@pytest.mark.parametrize("events", NO_ACTS)
def test_renames_archive_and_deletion_neither_undo_nor_clear(events):
    evening = Evening()
    evening.charge(BEN, "PRO-13.3")
    evening.charge(CEM, "PRO-13.3")
    evening.undo()
    for event in events:
        evening.write(event)
    assert evening.sheet.can_undo == evening.entries[1]
    assert evening.sheet.can_redo == evening.entries[2]
    state = (
        evening.sheet.title,
        evening.sheet.names,
        evening.sheet.archived,
        evening.sheet.deleted,
    )
    evening.undo()
    evening.redo()
    evening.redo()
    assert evening.totals == [0, 20, 20]
    after = (
        evening.sheet.title,
        evening.sheet.names,
        evening.sheet.archived,
        evening.sheet.deleted,
    )
    assert after == state


def test_a_game_is_put_away_deleted_and_brought_back_once():
    evening = Evening()
    opposite = {GameTakenOut(): GameArchived(), GameRestored(): GameDeleted()}
    for back, away in opposite.items():
        with pytest.raises(NotPossible, match="done already"):
            evening.write(back)
        evening.write(away)
        with pytest.raises(NotPossible, match="done already"):
            evening.write(away)
    assert (evening.sheet.archived, evening.sheet.deleted) == (True, True)
    with pytest.raises(NotPossible, match="deleted"):  # nothing else is done in it
        evening.write(GameTakenOut())
    for back in reversed(opposite):
        evening.write(back)
    assert (evening.sheet.archived, evening.sheet.deleted) == (False, False)


def test_players_and_games_are_renamed():
    evening = Evening()
    evening.write(PlayerRenamed(BEN, "Benjamin"))
    evening.write(GameRenamed("Saturday"))
    assert evening.sheet.names == ["Ana", "Benjamin", "Cem"]
    assert evening.sheet.name == "Saturday"
    evening.write(GameRenamed(""))
    assert evening.sheet.name == "Ana, Benjamin, Cem"
    evening.write(PlayerRenamed(BEN, "BENJAMIN"))
    with pytest.raises(NotPossible, match="Two players are called cem"):
        evening.write(PlayerRenamed(ANA, "cem"))
    with pytest.raises(NotPossible, match="Say which player"):
        evening.write(PlayerRenamed(3, "Dil"))
    with pytest.raises(NotPossible, match="60 characters"):
        evening.write(GameRenamed("x" * 61))


@pytest.mark.parametrize("act", [1, 2, 4, 99])
def test_only_the_last_act_can_be_undone(act):
    evening = Evening()
    evening.charge(BEN, "PRO-13.3")
    evening.charge(CEM, "PRO-13.3")
    with pytest.raises(NotPossible, match="newer to undo"):
        evening.write(Undone(act))
    evening.write(GameRenamed("Saturday"))
    evening.write(Undone(3))


@pytest.mark.parametrize("act", [1, 2, 99])
def test_only_the_act_that_was_undone_last_can_be_redone(act):
    evening = Evening()
    evening.charge(BEN, "PRO-13.3")
    evening.charge(CEM, "PRO-13.3")
    evening.undo()
    evening.undo()
    with pytest.raises(NotPossible, match="nothing to redo"):
        evening.write(Redone(3 if act == 2 else act))
    evening.write(Redone(2))


def test_there_may_be_nothing_to_undo_or_redo():
    with pytest.raises(NotPossible):
        Evening().write(Undone(1))
    with pytest.raises(NotPossible):
        Evening().write(Redone(1))


def loaded(*events: Event) -> list[Entry]:
    return [Entry(n, NINE_O_CLOCK, "marker", event) for n, event in enumerate(events, start=1)]


CHARGE = PenaltyCharged(1, BEN, "PRO-13.3")


@pytest.mark.parametrize(
    "entries",
    [
        [],
        loaded(HandThrownIn(1)),
        loaded(started(), Undone(1)),
        loaded(started(), CHARGE, CHARGE, Undone(2)),
        loaded(started(), CHARGE, Undone(2), Undone(2)),
        loaded(started(), CHARGE, Redone(2)),
        loaded(started(), CHARGE, Undone(2), Redone(3)),
        loaded(started(), CHARGE, Undone(2), PileSeen(1, "9C"), Redone(2)),
    ],
)
def test_a_book_that_nobody_could_have_written_is_refused(entries):
    with pytest.raises(ValueError, match=r"begins with its setup|is not the last one"):
        replay(entries)
