"""What is written down late costs no more than what was written early: the work of many entries."""

import pytest

from companion.notebook import checks
from companion.notebook.events import (
    Entry,
    Event,
    GameDeleted,
    GameRestored,
    HandCorrected,
    HousePenalty,
    NotPossible,
    PenaltyCharged,
    PenaltyWithdrawn,
    Redone,
    Undone,
)
from companion.notebook.replay import replay, sheets
from companion.notebook.scoresheet import ScoreSheet
from companion.rules import scoring
from tests.notebook.evening import ANA, BEN, CEM, NINE_O_CLOCK, Evening, entries, started

FIRST = 3  # the number of the first entry after the start and a marked hand


def charge(number: int) -> Event:
    return PenaltyCharged(1, number % 3, "PRO-13.3")


def charges(count: int) -> list[Event]:
    return [charge(number) for number in range(count)]


def charges_and_corrections(count: int) -> list[Event]:
    corrected = HandCorrected(1, ANA, entries({BEN: "KC", CEM: "2S"}))
    return [corrected if number % 2 else charge(number) for number in range(count)]


def charged_and_taken_back(count: int) -> list[Event]:
    half = count // 2
    return charges(half) + [PenaltyWithdrawn(1, FIRST + number) for number in range(half)]


def done_and_undone(count: int) -> list[Event]:
    half = count // 2
    return charges(half) + [Undone(FIRST + number) for number in reversed(range(half))]


def undone_and_redone(count: int) -> list[Event]:
    last = FIRST + count // 2 - 1
    return charges(count // 2) + [Undone(last), Redone(last)] * (count // 4)


KINDS = [
    charges,
    charges_and_corrections,
    charged_and_taken_back,
    done_and_undone,
    undone_and_redone,
]


def game_of(events: list[Event]) -> list[Entry]:
    evening = Evening()
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    return evening.entries + [
        Entry(number, NINE_O_CLOCK, "marker", event, f"key-{number}")
        for number, event in enumerate(events, start=FIRST)
    ]


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows with each penalty that is scored and each pair of entries that is compared."""
    seen: list[str] = []
    order, equal = scoring.rule_order, Entry.__eq__
    monkeypatch.setattr(scoring, "rule_order", lambda rule: seen.append("scored") or order(rule))
    monkeypatch.setattr(Entry, "__eq__", lambda *two: seen.append("compared") or equal(*two))
    return seen


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stepwise", [False, True])
def test_four_times_the_entries_are_four_times_the_work(kind, stepwise, looks):
    def work(count: int) -> int:
        played = game_of(kind(count))
        looks.clear()
        sheet = [*sheets(played)][-1] if stepwise else replay(played)
        assert sum(sheet.total(player) for player in sheet.players) >= 15
        return len(looks)

    assert work(400) <= 4.5 * work(100)


def test_who_is_next_is_found_once_a_play(monkeypatch):
    evening = Evening(started(("Ana", "Ben", "Cem", "Dil", "Eva")))
    asked: list[int] = []
    monkeypatch.setattr(
        ScoreSheet, "playing", property(lambda sheet: asked.append(1) or [*sheet.players])
    )
    assert evening.sheet.next_player(ANA) == BEN
    assert len(asked) == 1


def test_a_hand_takes_so_many_penalties_and_no_more(monkeypatch):
    monkeypatch.setattr(checks, "MOST_PENALTIES", 3)
    evening = Evening()
    for player in (ANA, BEN):
        evening.charge(player, "PRO-13.3")
    withdrawn = evening.write(HousePenalty(1, CEM, 5, "late"))
    evening.write(PenaltyWithdrawn(1, withdrawn.number))
    for one in (charge(0), HousePenalty(1, ANA, 5, "late")):
        with pytest.raises(NotPossible, match=r"^Hand 1 has had 3 penalties, and takes no more\."):
            evening.write(one)
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    evening.charge(ANA, "PRO-13.3", hand=2)


def test_a_game_takes_so_many_entries_and_can_then_only_be_deleted(monkeypatch):
    monkeypatch.setattr(checks, "MOST_ENTRIES", 4)
    evening = Evening()
    evening.mark_hands(3)
    for one in (charge(0), Undone(4)):
        with pytest.raises(NotPossible, match=r"^This game has 4 entries, and no game takes more"):
            evening.write(one)
    evening.write(GameDeleted())
    evening.write(GameRestored())
