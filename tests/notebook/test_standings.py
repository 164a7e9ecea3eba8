"""Who is ahead, and when the game is over (PRO-16)."""

import pytest

from companion.notebook.events import (
    Event,
    HandEntry,
    HandMarked,
    HandThrownIn,
    NotPossible,
    PileSeen,
    PlayRecorded,
)
from tests.notebook.evening import ANA, BEN, CEM, DIL, LEGAL, Evening, said, started

FOUR = ("Ana", "Ben", "Cem", "Dil")


def table(evening: Evening) -> list[tuple[int, str, int, int]]:
    """Place, name, total and penalties, from first to last."""
    return [(s.place, s.name, s.total, s.penalties) for s in evening.sheet.standings()]


def test_everybody_is_first_before_anything_is_written():
    evening = Evening()
    assert table(evening) == [(1, "Ana", 0, 0), (1, "Ben", 0, 0), (1, "Cem", 0, 0)]
    assert evening.sheet.leaders() == [ANA, BEN, CEM]


def test_the_lowest_total_is_first_and_equal_totals_share_a_place():
    evening = Evening(started(FOUR))
    evening.mark(DIL, {ANA: "KC", BEN: "TC", CEM: "TD"})
    evening.mark(ANA, {BEN: "9C", CEM: "9D", DIL: "JC QC KC"})
    # Ana 13, Ben 10 + 9, Cem 10 + 9, Dil 11 + 12 + 13.
    assert table(evening) == [
        (1, "Ana", 13, 0),
        (2, "Ben", 19, 0),
        (2, "Cem", 19, 0),
        (4, "Dil", 36, 0),
    ]
    assert evening.sheet.leaders() == [ANA]


TIES = [
    ("shared", [(1, "Ana", 20, 1), (1, "Ben", 20, 0), (3, "Cem", 25, 0)], [ANA, BEN]),
    ("fewest_penalties", [(1, "Ben", 20, 0), (2, "Ana", 20, 1), (3, "Cem", 25, 0)], [BEN]),
]


@pytest.mark.parametrize(("ties", "standings", "leaders"), TIES)
def test_equal_totals_are_told_apart_as_the_house_says(ties, standings, leaders):
    evening = Evening(started(ties=ties))
    evening.charge(ANA, "PRO-13.3")
    evening.mark(ANA, {BEN: "KC 7C", CEM: "KD QD"})
    assert table(evening) == standings
    assert evening.sheet.leaders() == leaders


def test_equal_totals_with_as_many_penalties_share_a_place_even_then():
    evening = Evening(started(ties="fewest_penalties"))
    evening.charge(ANA, "PRO-13.3")
    evening.mark(ANA, {BEN: "KC 7C", CEM: said(True, "TC TD")})
    assert table(evening)[:2] == [(1, "Ben", 20, 0), (1, "Cem", 20, 0)]
    assert table(evening)[2] == (3, "Ana", 20, 1)


def test_penalties_are_all_those_of_the_list_worked_out_or_charged():
    evening = Evening()
    evening.charge(BEN, "PRO-13.3")
    evening.mark(ANA, {BEN: said(False, "AS KC"), CEM: "2S"})  # PRO-13.4 and PRO-13.5 as well
    assert evening.sheet.penalties(BEN) == 3
    assert table(evening)[2] == (3, "Ben", 14 + 60, 3)


def test_a_game_is_called_by_its_players_unless_it_has_a_title():
    assert Evening().sheet.name == "Ana, Ben, Cem"
    assert Evening(started(title="Saturday")).sheet.name == "Saturday"


@pytest.fixture
def over() -> Evening:
    """Thirteen hands: Ben and Cem held a queen in all but the queens' own, where it was a jack."""
    evening = Evening()
    evening.mark_hands(12)
    assert not evening.sheet.over
    evening.mark_hands(1)
    return evening


def test_the_game_is_over_when_the_thirteenth_hand_is_marked(over):
    assert over.sheet.over
    assert len(over.sheet.hands) == len(over.sheet.marked) == 13
    assert over.hand.number == 13
    assert over.totals == [0, 12 * 12 + 11, 12 * 12 + 11]


LATE: list[Event] = [
    HandMarked(13, ANA, (HandEntry(BEN, "9C", melded=True), HandEntry(CEM, "9D", melded=True))),
    HandMarked(14, ANA, (HandEntry(BEN, "9C", melded=True), HandEntry(CEM, "9D", melded=True))),
    HandThrownIn(13),
    PlayRecorded(13, ANA, "meld 5C 6C 7C"),
    PileSeen(13, "9C"),
]


@pytest.mark.parametrize("event", LATE)
def test_nothing_more_is_played_then(over, event):
    with pytest.raises(NotPossible, match="The game is over"):
        over.write(event)


def test_no_ruling_is_asked_for_then(over):
    with pytest.raises(NotPossible, match="The game is over"):
        over.rule(ANA, "discard 9C", verdict=LEGAL)


def test_hands_can_be_corrected_and_charged_then(over):
    over.correct(13, BEN, {ANA: "9C", CEM: "QC"})
    over.charge(CEM, "PRO-13.2", hand=1)
    assert over.sheet.over
    # Hand 13 was 0, 12, 12 and is 9, 0, 12; hand 1 has 20 more for Cem.
    assert over.totals == [9, 155 - 12, 155 + 20]


def test_undoing_the_last_mark_opens_the_game_again(over):
    over.undo()
    assert not over.sheet.over
    assert over.hand.number == 13
    assert over.hand.marking is None
    assert over.totals == [0, 155 - 12, 155 - 12]
    over.mark(BEN, {ANA: "2C", CEM: "3C"})
    assert over.sheet.over
    assert over.totals == [2, 155 - 12, 155 - 12 + 3]
