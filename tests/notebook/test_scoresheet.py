"""What is charged (PRO-13), how a game is set up, who is ahead, and when the game is over."""

import pytest

from companion.notebook import events
from companion.notebook.events import HandEntry, HandMarked, NotPossible
from tests.notebook.evening import ANA, BEN, CEM, LEGAL, NAMES, Evening, in_words, started


def test_a_penalty_counts_at_once_and_lands_in_the_cell_of_its_hand():
    evening = Evening()
    evening.mark_hands(1)
    assert evening.totals == [0, 12, 12]
    charge = evening.charge(BEN, "PRO-13.3")
    evening.throw_in()  # which takes back no penalty, and the same player deals again
    assert (evening.hand.number, evening.sheet.places(evening.hand).dealer) == (2, BEN)
    assert evening.totals == [0, 32, 12]
    assert evening.points(1) == [0, 12, 12]
    assert evening.points(2) == [0, 20, 0]
    assert evening.hand.is_blank(ANA)
    assert not evening.hand.is_blank(BEN)
    assert [penalty.entry for penalty in evening.hand.charges(BEN)] == [charge]
    evening.mark(ANA, {BEN: "9C", CEM: "3D"})
    assert evening.points(2) == [0, 29, 3]
    assert evening.totals == [0, 41, 15]
    assert evening.sheet.total(BEN, through=1) == 12
    assert evening.sheet.total(BEN, through=0) == 0


def test_an_impossible_penalty_is_refused():
    for charge, sentence in (
        (events.PenaltyCharged(1, 3, "PRO-13.3"), "Say which player"),
        (events.PenaltyCharged(1, -1, "PRO-13.3"), "Say which player"),
        (events.PenaltyCharged(2, BEN, "PRO-13.3"), "Hand 2 has not begun"),
        (events.PenaltyCharged(0, BEN, "PRO-13.3"), "Hand 0 has not begun"),
        (events.PenaltyCharged(1, BEN, "PRO-13.4"), "worked out when the hand is marked"),
        (events.PenaltyCharged(1, BEN, "PRO-13.5"), "worked out when the hand is marked"),
        (events.PenaltyWithdrawn(1, 1), "taken back already"),
        (events.PenaltyWithdrawn(3, 1), "Hand 3 has not begun"),
    ):
        with pytest.raises(NotPossible, match=sentence):
            Evening().write(charge)


STARTS = [
    (started(("Ana",)), "Enter the names of 2 to 7 players", "names"),
    (started((*NAMES, "Hal")), "2 to 7 players, not 8", "names"),
    (started(("Ana", "")), "needs a name", "names.1"),
    (started(("Ana", "Ben", "ana")), "Two players are called ana", "names.2"),
    (started(first_dealer=3), "Say who deals first", "first_dealer"),
    (started(first_dealer=-1), "Say who deals first", "first_dealer"),
    (started(title="x" * 61), "60 characters", "title"),
]


@pytest.mark.parametrize(("event", "sentence", "field"), STARTS)
def test_an_impossible_setup_is_refused(event, sentence, field):
    with pytest.raises(NotPossible, match=sentence) as refused:
        Evening(event)
    assert refused.value.field == field


def table(evening: Evening) -> list[tuple[int, str, int, int]]:
    """Return place, name, total and penalties, from first to last."""
    return [(s.place, s.name, s.total, s.penalties) for s in evening.sheet.standings()]


TIES = [
    ("shared", [(1, "Ana", 20, 1), (1, "Ben", 20, 0), (3, "Cem", 25, 0)], [ANA, BEN]),
    ("fewest_penalties", [(1, "Ben", 20, 0), (2, "Ana", 20, 1), (3, "Cem", 25, 0)], [BEN]),
]


@pytest.mark.parametrize(("ties", "standings", "leaders"), TIES)
def test_equal_totals_share_a_place_or_not_by_house_rule(ties, standings, leaders):
    evening = Evening(started(ties=ties))
    evening.charge(ANA, "PRO-13.3")
    evening.mark(ANA, {BEN: "KC 7C", CEM: "KD QD"})
    assert table(evening) == standings
    assert evening.sheet.leaders() == leaders


def test_the_game_is_over_when_the_thirteenth_hand_is_marked_and_nothing_is_played_after_it():
    # Ben and Cem held a queen in all hands but the queens' own, where it was a jack.
    over = Evening()
    over.mark_hands(12)
    assert not over.sheet.over
    over.mark_hands(1)
    assert over.sheet.over
    assert len(over.sheet.hands) == len(over.sheet.marked) == 13
    assert over.hand.number == 13
    assert over.totals == [0, 12 * 12 + 11, 12 * 12 + 11]
    left = (HandEntry(BEN, "9C", melded=True), HandEntry(CEM, "9D", melded=True))
    for event in (
        HandMarked(13, ANA, left),
        HandMarked(14, ANA, left),
        events.HandThrownIn(13),
        events.PlayRecorded(13, ANA, "meld 5C 6C 7C"),
        events.PileSeen(13, "9C"),
        in_words(ANA, "turn", "discard 9C", verdict=LEGAL, hand=13),
    ):
        with pytest.raises(NotPossible, match="The game is over"):
            over.write(event)
    # Hands can be corrected and charged then.
    over.correct(13, BEN, {ANA: "9C", CEM: "QC"})
    over.charge(CEM, "PRO-13.2", hand=1)
    assert over.sheet.over
    # Hand 13 was 0, 12, 12 and is 9, 0, 12; hand 1 has 20 more for Cem.
    assert over.totals == [9, 155 - 12, 155 + 20]
    # Undoing the last mark opens the game again.
    for _ in range(3):
        over.undo()
    assert not over.sheet.over
    assert over.hand.number == 13
    assert over.hand.marking is None
    assert over.totals == [0, 155 - 12, 155 - 12]
    over.mark(BEN, {ANA: "2C", CEM: "3C"})
    assert over.sheet.over
    assert over.totals == [2, 155 - 12, 155 - 12 + 3]
