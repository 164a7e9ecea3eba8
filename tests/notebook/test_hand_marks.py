"""The points of a hand, and whether a player laid a meld (PRO-13.4, PRO-13.5, PRO-14, PRO-15)."""

import pytest

from companion.notebook.events import HandEntry, HandMarked, NotPossible, PenaltyWithdrawn
from companion.notebook.hand_marks import melded_question, unanswered_melds
from tests.notebook.evening import ANA, BEN, CEM, DIL, Evening, said, started, unsaid


def test_an_entry_can_be_read_again():
    evening = Evening()
    written = evening.mark(
        ANA, {BEN: said(False, "KC"), CEM: said(True, points=9, wilds=0)}, out_melded=False
    )
    marking = evening.sheet.hands[0].marking
    assert marking.entry == written
    assert marking.entered(ANA) is None
    assert marking.entered(BEN) == HandEntry(BEN, cards="KC", melded=False)
    assert marking.entered(CEM) == HandEntry(CEM, points=9, melded=True)
    assert [marking.melded(player) for player in (ANA, BEN, CEM)] == [False, False, True]
    assert evening.sheet.hands[0].out == ANA
    assert not evening.sheet.hands[0].is_blank(ANA)


def test_earlier_marks_keep_the_penalties_of_their_time():
    evening = Evening()
    withdrawn = evening.charge(CEM, "PRO-13.3")
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    evening.correct(1, ANA, {BEN: "KC QC", CEM: "2S"})
    evening.write(PenaltyWithdrawn(1, withdrawn.number))
    evening.correct(1, ANA, {BEN: "QC", CEM: "2S"})
    evening.charge(ANA, "PRO-13.3", hand=1)
    hand = evening.sheet.hands[0]
    points = [[mark.points for mark in hand.marks(version)] for version in hand.markings]
    assert points == [[0, 13, 22], [0, 25, 2], [20, 12, 2]]
    assert evening.points(1) == [20, 12, 2]


# Ben's cards left in hand 1, where aces are Proters, without recorded plays, and whether he laid a
# meld: True is certain, None has to be asked.
NOTHING_RECORDED = [
    # Six are dealt, and a turn leaves as many: fewer than six went to the table.
    (unsaid("KC"), True),
    (unsaid("KC QC JC TC 9C"), True),
    (unsaid("KC QC JC TC 9C 8C"), None),
    (unsaid("KC QC JC TC 9C 8C 7C"), None),
    # The spelling of the cards does not matter.
    (unsaid("KC,QC,JC,TC,9C,8C"), None),
    (unsaid("KC, QC JC"), True),
    # The six lowest natural cards are 2 2 2 2 3 3: with less, no six are left.
    (unsaid(points=13), True),
    (unsaid(points=14), None),
    (unsaid(points=42), None),
    # 45 are four kings and less, and as well six cards like 5 6 7 8 9 10.
    (unsaid(points=45), None),
    # With all four aces: 1 1 1 1 2 2.
    (unsaid(points=7, wilds=4), True),
    (unsaid(points=8, wilds=4), None),
]


@pytest.mark.parametrize(("entry", "melded"), NOTHING_RECORDED)
def test_without_a_record_few_cards_left_show_that_a_meld_was_laid(entry, melded):
    evening = Evening()
    if melded is None:
        with pytest.raises(NotPossible, match="Did Ben lay a meld") as problem:
            evening.mark(ANA, {BEN: entry, CEM: "2S"})
        assert problem.value.field == "melded.1"
    else:
        evening.mark(ANA, {BEN: entry, CEM: "2S"})
        marking = evening.sheet.hands[0].marking
        assert marking.melded(BEN) is melded


@pytest.mark.parametrize(("ties", "asked"), [("shared", []), ("fewest_penalties", [BEN])])
def test_a_meld_without_points_is_asked_about_only_if_the_number_of_penalties_counts(ties, asked):
    sheet = Evening(started(penalty_points=0, ties=ties)).sheet
    six, two = HandEntry(BEN, "KC QC JC TC 9C 8C"), HandEntry(CEM, "2S")
    marks = HandMarked(1, ANA, (six, two))
    assert unanswered_melds(sheet, sheet.hand, marks) == asked  # PRO-13.5, PRO-16


def test_everyone_who_must_be_asked_is_named_at_once():
    evening = Evening(started(("Ana", "Ben", "Cem", "Dil")))
    six = "KC QC JC TC 9C 8C"
    with pytest.raises(NotPossible, match="Did Cem and Dil lay a meld") as problem:
        evening.mark(ANA, {BEN: unsaid("7C"), CEM: unsaid(six), DIL: unsaid(points=50)})
    assert problem.value.field == "melded.2"


def test_a_recorded_meld_answers_the_question():
    evening = Evening()
    evening.play(BEN, "meld 5C 6C 7C")
    evening.mark(ANA, {BEN: unsaid("KC QC JC TC 9C 8C KD"), CEM: "2S"})
    assert evening.points(1) == [0, 13 + 12 + 11 + 10 + 9 + 8 + 13, 2]


def test_a_meld_on_a_table_that_is_out_of_date_answers_nothing():
    evening = Evening()
    evening.play(BEN, "meld 5C 6C 7C")
    left = {BEN: unsaid("KC QC 7C TC 9C 8C"), CEM: "2S"}  # the 7♣ is in Ben's hand
    with pytest.raises(NotPossible, match="Did Ben lay a meld") as problem:
        evening.mark(ANA, left, table_is_old=True)
    assert problem.value.field == "melded.1"


def laid_off(**rules: str | int) -> Evening:
    """Return hand 1: Ana has melded 5♣ 6♣ 7♣, and Ben has laid off the 8♣ on it."""
    evening = Evening(started(**rules))
    evening.play(ANA, "meld 5C 6C 7C")
    evening.play(BEN, "lay_off 8C onto 0")
    return evening


@pytest.mark.parametrize("cards", ["KC QC JC TC 9C KD", "KC QC JC", "KC"])
def test_a_lay_off_explains_few_cards_left_and_is_a_meld_by_house_rule_alone(cards):
    with pytest.raises(NotPossible, match="Did Ben lay a meld"):
        laid_off().mark(ANA, {BEN: unsaid(cards), CEM: "2S"})
    assert melded_question(laid_off().sheet) == "Laid a meld?"
    evening = laid_off(lay_off_counts_as_meld="yes")
    assert melded_question(evening.sheet) == "Laid a meld or laid off?"
    evening.mark(ANA, {BEN: unsaid(cards), CEM: "2S"})
    assert all(charge.rule != "PRO-13.5" for charge in evening.sheet.hands[0].mark(BEN).charges)


def test_errors_are_reported_before_questions_and_nothing_is_asked_about_who_went_out():
    six = unsaid("KC QC JC TC 9C 8C")
    for left, sentence in (
        ({BEN: unsaid(), CEM: "2S"}, "Still missing: Ben"),
        ({BEN: unsaid("five of clubs"), CEM: "2S"}, "is not a card"),
        ({ANA: six, BEN: "3C", CEM: "2S"}, "Ana went out"),
        ({BEN: "3C", CEM: "2S", 7: six}, "Say whose cards"),
    ):
        with pytest.raises(NotPossible, match=sentence):
            Evening().mark(ANA, left)
