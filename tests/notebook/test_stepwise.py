"""A game replayed entry by entry is, after each, what the whole replay makes of it so far."""

from companion.notebook.events import (
    Entry,
    GameRenamed,
    PenaltyWithdrawn,
    PlayerRenamed,
    RulingEnforced,
)
from companion.notebook.replay import replay, sheets, with_entry
from tests.notebook.evening import ANA, BEN, CEM, WRONG_DISCARD, Evening


def assert_steps_are_replays(entries: list[Entry], every: int = 1) -> None:
    """Compare the sheet after every so many entries, and after the last, with a whole replay."""
    numbers = []
    for number, sheet in enumerate(sheets(entries), start=1):
        numbers.append(number)
        if number % every == 0 or number == len(entries):
            assert sheet == replay(entries[:number])
    assert len(numbers) == len(entries)
    for number in range(every, len(entries), every):
        before = replay(entries[:number])
        totals = [before.total(player) for player in before.players]
        after = with_entry(before, entries[: number + 1])
        whole = replay(entries[: number + 1])
        assert after == whole
        assert [after.total(player) for player in after.players] == [
            whole.total(player) for player in whole.players
        ]
        assert before == replay(entries[:number])
        assert [before.total(player) for player in before.players] == totals


def test_every_kind_of_act_done_undone_and_redone():
    evening = Evening()
    evening.play(ANA, "meld 5C 6C 7C", "discard 9S")
    evening.play(BEN, "meld 2C 2D 2H")
    ruling = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD, melded_this_turn=True)
    evening.write(RulingEnforced(1, ruling.number))
    charge = evening.charge(CEM, "PRO-13.3")
    evening.write(PenaltyWithdrawn(1, charge.number))
    evening.throw_in()
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    evening.charge(CEM, "PRO-13.2", hand=1)
    evening.correct(1, BEN, {ANA: "9C", CEM: "2S"})
    evening.mark(CEM, {BEN: "KC", ANA: "2S"})
    evening.write(PlayerRenamed(BEN, "Benjamin"))
    acts = 0
    while evening.sheet.can_undo:
        evening.undo()
        acts += 1
    evening.write(GameRenamed("Saturday"))
    while evening.sheet.can_redo:
        evening.redo()
        acts -= 1
    assert acts == 0
    evening.undo()
    evening.charge(BEN, "PRO-13.1")
    assert_steps_are_replays(evening.entries)


def test_more_acts_are_undone_in_a_row_than_are_remembered():
    evening = Evening()
    evening.mark_hands(2)
    for number in range(110):
        evening.charge((ANA, BEN, CEM)[number % 3], "PRO-13.3")
    for _ in range(105):
        evening.undo()
    evening.write(PlayerRenamed(BEN, "Benjamin"))
    for _ in range(7):
        evening.undo()
    for _ in range(10):
        evening.redo()
    assert evening.sheet.names[BEN] == "Benjamin"
    assert_steps_are_replays(evening.entries, every=7)


def test_a_game_may_have_only_begun():
    assert_steps_are_replays(Evening().entries)
