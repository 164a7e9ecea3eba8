"""Marking Indian Chief: each player shows a meld for a box that is still open (CHI-1)."""

import pytest

from companion.notebook.checks import check
from companion.notebook.events import (
    Event,
    HandCorrected,
    HandEntry,
    HandMarked,
    NotPossible,
    PileSeen,
    PlayRecorded,
)
from companion.notebook.hand_marks import afterwards, preview, why_not_saved
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.serialize import from_record, to_record
from companion.services.tally import as_csv, box_rows
from tests.notebook.evening import of_game

NAMES = ("Ana", "Ben", "Chandi")
# Ana's Indian Chief (7): kings full of fives 35, and 9 + 9 = 18, so 8 at baccarat (CHI-4).
CHIEF = "KC KD KH 5H 5S 9C 9D"


def sheet_of(*events: Event) -> ScoreSheet:
    evening = of_game("indian_chief", names=NAMES)
    for event in events:
        evening.write(event)
    return evening.sheet


def shown(hand: int, *cards: str, **said: str) -> HandMarked:
    """Return a hand with these melds in the order of seats; suit and split are the first one's."""
    first, *others = (HandEntry(seat, text) for seat, text in enumerate(cards) if text)
    first = HandEntry(first.player, first.cards, **said)  # type: ignore[arg-type]
    return HandMarked(hand, None, (first, *others))


def scored(hand: int, *boxes: tuple[str, int]) -> HandMarked:
    """Return a hand that is entered by boxes and points."""
    entries = (HandEntry(n, points=points, box=box) for n, (box, points) in enumerate(boxes))
    return HandMarked(hand, None, tuple(entries))


ROUND = shown(1, "TC", "9C 9D", "9S 2S 3H")
DOCTOR = "AH 2C 3C 4C 5C 6C"
NINE = HandEntry(1, "9H")
FILLED = (
    "Ana filled the box Thief in round 1 already (CHI-1). Show another meld, or correct round 1."
)
NO_SUIT = (
    "Ana shows a Doctor and has to name a suit: clubs, diamonds, hearts or spades. "
    "The most is 50, with clubs."
)
FOR_WHAT = "Which box are Ana's 5 points for? Points alone do not say."
# In round 2: what Ana shows and says of it, beside Ben's 9♥ and Chandi's 4♦ 5♦; and other marks.
REFUSED = [
    *(
        (shown(2, cards, "9H", "4D 5D", **said), sentence, field)
        for cards, said, sentence, field in (
            ("KC", {}, FILLED, "cards.0"),
            ("KC ZZ", {}, "“ZZ” is not a card", "cards.0"),
            (DOCTOR, {}, NO_SUIT, "suit.0"),
            (DOCTOR, {"suit": "Z"}, "There is no suit “Z” for Ana to name.", "suit.0"),
            (CHIEF, {"split": "KC KD"}, "Ana's split must be five of the seven cards.", "split.0"),
            (CHIEF, {"split": "KC 1Z"}, "“1Z” is not a card", "split.0"),
        )
    ),
    (shown(2, "KC QC", "9H", "KC 5D"), "K♣ is in Ana's cards and in Chandi's cards", "cards.2"),
    (shown(2, "KC QC", "", "4D 5D"), "Still missing: Ben. Every player shows a meld.", "cards.1"),
    (HandMarked(2, 0, (NINE,)), "Nobody goes out in Indian Chief: every player shows", "out"),
    (HandMarked(2, None, (HandEntry(7, "9H"),)), "Say whose meld it is.", "cards"),
    (HandMarked(2, None, (NINE, NINE)), "Ben is entered twice.", "cards.1"),
    (HandMarked(2, None, (HandEntry(0, points=5), *ROUND.entries[1:])), FOR_WHAT, "box.0"),
    (scored(2, ("Thief", 7), ("Lawyer", 0), ("Lawyer", 0)), FILLED, "box.0"),
]


@pytest.mark.parametrize(("event", "sentence", "field"), REFUSED)
def test_an_impossible_meld_is_refused(event, sentence, field):
    with pytest.raises(NotPossible) as refused:
        check(event, sheet_of(ROUND))
    assert str(refused.value).startswith(sentence)
    assert refused.value.field == field


def test_a_hand_is_corrected_to_a_box_that_no_other_hand_fills():
    sheet = sheet_of(ROUND, shown(2, "KC QC", "9H", "4D 5D"))
    entries = ROUND.entries
    filled = HandCorrected(1, None, (HandEntry(0, "4C 4H"), *entries[1:]))
    # Round 2 cannot take the box of this one before it is open either.
    swap = "Correct round 2 first; to swap the two, give it a box that is still open"
    with pytest.raises(NotPossible, match=f"Ana filled the box Beggar Man in round 2.*{swap}"):
        check(filled, sheet)
    same = HandCorrected(1, None, (HandEntry(0, "QC"), *entries[1:]))
    check(same, sheet)
    other = HandCorrected(1, None, (HandEntry(0, "TC 9H 5D AC"), *entries[1:]))
    check(other, sheet)
    corrected = sheet_of(ROUND, shown(2, "KC QC", "9H", "4D 5D"), other)
    # CHI-3: Lawyer 10 + 9 + 5 + 1 = 25; now Ben's nines match Ana's and Chandi's, 4.
    assert corrected.hands[0].mark(0).points == 25
    assert corrected.hands[0].mark(1).points == 4
    rows = {box.title: cells[0] for box, cells in box_rows(corrected)}
    lawyer = rows["Lawyer"]
    assert (lawyer.mark.cards, lawyer.hand) == (25, 1)
    assert rows["Thief"] is None


def test_two_rounds_are_swapped_after_the_last_one_is_undone():
    boxes = [("Thief", 7), ("Beggar Man", 0), ("Poor Man", 0), ("Lawyer", 25)]
    boxes += [("Rich Man", -9), ("Doctor", 10), ("Indian Chief", 30)]
    rounds = [scored(number, *[box] * 3) for number, box in enumerate(boxes, 1)]
    swapped = HandCorrected(4, None, (HandEntry(0, "KS QS 9S"), *rounds[3].entries[1:]))
    with pytest.raises(NotPossible) as refused:
        check(swapped, sheet_of(*rounds))
    assert str(refused.value) == (
        "Ana filled the box Poor Man in round 3 already (CHI-1). "
        "To swap the two, undo the last round first: then a box is open."
    )
    evening = of_game("indian_chief", names=NAMES)
    for event in rounds:
        evening.write(event)
    evening.undo()
    others = {number: rounds[number - 1].entries[1:] for number in (3, 4)}
    for number, (box, points) in ((3, boxes[6]), (4, boxes[2]), (3, boxes[3])):
        ana = HandEntry(0, points=points, box=box)
        evening.write(HandCorrected(number, None, (ana, *others[number])))
    evening.write(rounds[6])
    rows = {box.title: cells[0] for box, cells in box_rows(evening.sheet)}
    assert (rows["Lawyer"].hand, rows["Poor Man"].hand) == (3, 4)
    assert evening.totals == [63, 63, 63]


def test_a_mark_that_depends_on_other_players_waits_for_theirs():
    sheet = sheet_of()
    partly = HandMarked(1, None, ROUND.entries[:2])
    ana, ben, chandi = preview(sheet, sheet.hand, partly)
    assert (ana.so_far, ben.so_far, chandi.mark) == (False, True, None)
    ana, ben, chandi = preview(sheet, sheet.hand, ROUND)
    assert not ben.so_far
    assert ben.mark.points == 2
    assert why_not_saved(sheet, sheet.hand, ROUND) is None
    # What the others show bounds a Beggar Man once all are there.
    beggar, thief, lawyer = scored(1, ("Beggar Man", 12), ("Thief", 7), ("Lawyer", 25)).entries
    alone, _, _ = preview(sheet, sheet.hand, HandMarked(1, None, (beggar,)))
    assert (alone.problem, alone.mark and alone.mark.points) == ("", 12)
    told, _, _ = preview(sheet, sheet.hand, HandMarked(1, None, (beggar, thief, lawyer)))
    assert "scores 10 at most: the others show 5 cards" in told.problem


def test_a_wrong_meld_leaves_the_other_marks_unchanged():
    sheet = sheet_of()
    event = shown(1, "AC 2C 3C 4C 5C 6C 7C 8C", "KC", "")
    ana, ben, chandi = preview(sheet, sheet.hand, event)
    assert ana.problem == "Ana shows 8 cards; a meld has one to seven (CHI-1)."
    assert (ana.mark, ben.mark and ben.mark.points) == (None, 10)
    assert (chandi.mark, chandi.problem) == (None, "")
    # Of a card that two players show the second is refused.
    event = shown(1, "KC", "KC", "2C")
    ana, ben, chandi = preview(sheet, sheet.hand, event)
    assert ben.mark is None
    for says in (ben.problem, str(why_not_saved(sheet, sheet.hand, event))):
        assert "K♣ is in Ana's cards and in Ben's cards" in says
    # A Thief scores its face value (CHI-2, CHI-3).
    assert (ana.mark and ana.mark.points, chandi.mark and chandi.mark.points) == (10, 2)


def test_thieves_are_named_in_their_order():
    event = shown(1, "KC", "TD", "2C")
    by_rank = sheet_of(event)
    assert [need.says for need in afterwards(by_rank, by_rank.hands[0])] == [
        "Each takes a card from another player's meld, in this order: 1. Chandi, 2. Ben, 3. Ana."
    ]
    assert not afterwards(by_rank, by_rank.hand)
    nobody = sheet_of(shown(1, "KC 2C", "3D 4D", "5D 6D"))
    assert not afterwards(nobody, nobody.hands[0])


def test_a_round_can_be_entered_by_boxes_and_points():
    event = scored(1, ("Thief", 7), ("Rich Man", -16), ("Beggar Man", 4))
    sheet = sheet_of()
    check(event, sheet)
    assert why_not_saved(sheet, sheet.hand, event) is None
    points = [line.mark.points for line in preview(sheet, sheet.hand, event) if line.mark]
    assert points == [7, -16, 4]
    sheet = sheet_of(event)
    assert [sheet.total(player) for player in sheet.players] == [7, -16, 4]
    assert "Thief" not in [box.title for box in sheet.open_boxes(0)]
    kind, payload = to_record(event)
    assert from_record(kind, payload) == event
    # By cards in the next round, the same boxes are filled.
    with pytest.raises(NotPossible, match="Ana filled the box Thief in round 1 already"):
        check(shown(2, "8C", "9C", "TC"), sheet)


def test_impossible_boxes_and_points_are_refused():
    for entry, words, field in (
        (HandEntry(0, points=11, box="Thief"), "scores 1 to 10, not 11", "points.0"),
        (HandEntry(0, points=3, box="Robber"), "There is no box “Robber”", "box.0"),
        (HandEntry(0, box="Lawyer"), "Enter Ana's cards, or a box and its points", "points.0"),
        (HandEntry(0, "7C", 7, box="Thief"), "Enter Ana's cards, or a box", "points.0"),
        (HandEntry(0, points=20, box="Beggar Man"), "scores an even number, 0 to 12", "points.0"),
        (HandEntry(0, points=12, box="Beggar Man"), "scores 10 at most", "points.0"),
        (HandEntry(0, "9C 9D"), "the cards of Ben and Chandi are not entered", "cards.0"),
    ):
        others = scored(1, ("Thief", 1), ("Thief", 7), ("Lawyer", 25)).entries[1:]
        with pytest.raises(NotPossible, match=words) as refused:
            check(HandMarked(1, None, (entry, *others)), sheet_of())
        assert refused.value.field == field


def test_no_cards_are_laid_on_a_table():
    for event in (PlayRecorded(1, 0, "meld 5C 5D 5H"), PileSeen(1, "5C")):
        with pytest.raises(NotPossible, match="No cards are laid on a table in Indian Chief"):
            check(event, sheet_of())


def test_the_spreadsheet_has_the_boxes_and_the_hands_in_which_they_were_filled():
    lines = as_csv(sheet_of(ROUND)).split("\r\n")
    assert "Thief,1,,,10,," in lines
    assert "Beggar Man,2,,,,2," in lines
    assert "Poor Man,3,,,,,1" in lines  # filled in hand 1
