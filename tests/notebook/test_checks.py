"""An impossible end of a hand is refused with the reason, at its field."""

import pytest

from companion.notebook.checks import check
from companion.notebook.events import HandCorrected, HandEntry, HandMarked, NotPossible
from tests.notebook.evening import ANA, BEN, CEM, DIL, Evening, Left, of_game, said, started

FOUR = ("Ana", "Ben", "Cem", "Dil")


def refused(evening: Evening, out: int | None, left: dict[int, Left], **more: bool) -> NotPossible:
    """Return the error for these marks; the notebook stays unchanged."""
    before = list(evening.entries)
    with pytest.raises(NotPossible) as problem:
        evening.mark(out, left, **more)
    assert evening.entries == before
    return problem.value


# In hand 1 (aces are Proters) of a game of four Ana goes out, and Ben holds the K♣ and Dil the J♣:
# what Cem has, the sentence, the field.
OF_CEM: list[tuple[Left, str, str]] = [
    # Cards or points, and nothing below zero.
    (HandEntry(0, "QC", 12, 0, True), "Cem's cards left or their points, not both", "points.2"),
    (-1, "Cem's points cannot be below 0", "points.2"),
    (said(True, points=5, wilds=-1), "Cem's wild cards can't be negative", "wilds.2"),
    # Text that is not a card, a card that the game lacks, or a card in two places.
    ("1C", "“1C” is not a card", "cards.2"),
    ("QC XX", "no jokers in this game", "cards.2"),
    ("QC 5H QC", "Q♣ is twice in Cem's cards", "cards.2"),
    # Points that no cards make.
    (0, "Cem did not go out, so at least one card", "points.2"),
    (1, "can't have 1 point without a Proter: no cards still free", "points.2"),
    (said(True, points=4, wilds=5), "can't have 4 points with 5 Proters among them", "points.2"),
    (said(True, points=2, wilds=1), "can't have 2 points with 1 Proter among them", "points.2"),
]
TWO_ACES = said(True, points=2, wilds=2)
# Who went out, what is left, the sentence, the field.
REFUSED: list[tuple[int | None, dict[int, Left], str, str]] = [
    *((ANA, {BEN: "KC", CEM: cem, DIL: "JC"}, says, field) for cem, says, field in OF_CEM),
    # Blank is never zero, and everyone who is missing is named.
    (ANA, {}, "Still missing: Ben, Cem and Dil.", "cards.1"),
    (ANA, {DIL: "KC", BEN: 3}, "Still missing: Cem.", "cards.2"),
    (None, {BEN: "KC", CEM: "QC", DIL: "JC"}, "Still missing: Ana.", "cards.0"),
    (ANA, {BEN: "", CEM: HandEntry(0), DIL: " , "}, "missing: Ben, Cem and Dil.", "cards.1"),
    # Who went out has no cards, and everyone is there once.
    (ANA, {ANA: "5C", BEN: "KC", CEM: "QC", DIL: "JC"}, "Ana went out and has no", "cards.0"),
    (4, {ANA: "5C", BEN: "KC", CEM: "QC", DIL: "JC"}, "Say who went out", "out"),
    (-1, {ANA: "5C", BEN: "KC", CEM: "QC", DIL: "JC"}, "Say who went out", "out"),
    (ANA, {BEN: "KC", CEM: "QC", DIL: "JC", 4: "9C"}, "Say whose cards", "cards"),
    (ANA, {BEN: "KC", CEM: "QC", DIL: "JC", -1: "9C"}, "Say whose cards", "cards"),
    (ANA, {BEN: "KC 7H", CEM: "QC", DIL: "7H"}, "7♥ is in Ben's cards and in Dil's", "cards.3"),
    (ANA, {BEN: "7H", CEM: "7H", DIL: "7H"}, "7♥ is in Ben's cards and in Cem's cards", "cards.2"),
    # Without its aces the pack comes to 4 × (2 + … + 13) = 360.
    (None, {ANA: "KC", BEN: "QC", CEM: 361, DIL: "JC"}, "can't have 361 points wit", "points.2"),
    # All four twos are elsewhere, so nobody can have 2 points.
    (ANA, {BEN: "2C 2D", CEM: 2, DIL: "2H 2S"}, "can't have 2 points without a Proter", "points.2"),
    # The aces too: the three remaining ones are 3 points, and Cem has two of them.
    (
        *(ANA, {BEN: "AC", CEM: TWO_ACES, DIL: TWO_ACES}),
        *("Cem and Dil can't have 4 points with 4 Proters among them together", "points.3"),
    ),
    # Together they would hold more than the pack.
    (ANA, {BEN: 200, CEM: 161, DIL: "2C"}, "Cem and Ben can't have 361 points", "points.1"),
]


@pytest.mark.parametrize(("out", "left", "sentence", "field"), REFUSED)
def test_these_marks_are_refused(out, left, sentence, field):
    problem = refused(Evening(started(FOUR)), out, left)
    assert sentence in str(problem)
    assert problem.field == field


def test_marks_at_the_limit_are_possible():
    for out, left in (
        # 360 points are every card of the pack but the aces; the aces can be somebody else's.
        (ANA, {BEN: 200, CEM: 160, DIL: "AC"}),
        (ANA, {BEN: said(True, points=4, wilds=4), CEM: 9, DIL: "JC"}),
        (ANA, {BEN: 2, CEM: 2, DIL: 2}),
        (ANA, {BEN: "2C 2D 2H", CEM: 2, DIL: "3C"}),
    ):
        evening = Evening(started(FOUR))
        evening.mark(out, left)
        assert evening.hand.number == 2


def test_each_of_several_players_holds_at_least_one_card():
    # In hand 2 an ace is an ordinary card of 1 point, and there are four of them. Five players
    # cannot have one each, although a five would make their sum.
    names = ("Ana", "Ben", "Cem", "Dil", "Eva", "Fay")
    evening = Evening(started(names))
    evening.mark_hands(1)
    problem = refused(evening, ANA, dict.fromkeys(range(1, 6), 1))
    assert "Ben, Cem, Dil, Eva and Fay can't have 5 points" in str(problem)
    # Nor can one of them hold more beside it.
    assert refused(evening, None, {ANA: 60, **dict.fromkeys(range(1, 6), 1)})
    evening.mark(ANA, {**dict.fromkeys(range(1, 5), 1), 5: 3})
    assert evening.hand.number == 3


def test_zero_points_are_possible_if_a_proter_left_counts_nothing():
    evening = Evening(started(proter_left_value="zero"))
    problem = refused(evening, ANA, {BEN: "KC", CEM: 0})
    assert "only a Proter counts 0. Say how many Proters are left" in str(problem)
    evening.mark(ANA, {BEN: "KC", CEM: said(True, points=0, wilds=1)})
    assert evening.points(1) == [0, 13, 20]


def test_who_went_out_may_be_entered_with_0_points():
    evening = Evening(started())
    evening.mark(ANA, {ANA: 0, BEN: "KC", CEM: 12})
    assert evening.points(1) == [0, 13, 12]
    for entry in (5, said(False, points=0), said(True, points=0, wilds=1)):
        problem = refused(evening, ANA, {ANA: entry, BEN: "KC", CEM: 12})
        assert "Clear what is entered for Ana, or say who went out." in str(problem)


def test_recorded_marks_always_say_whether_a_meld_was_laid():
    # The pages settle it before they write; an entry that leaves it open is not kept.
    ben, cem = HandEntry(BEN, "KC", melded=True), HandEntry(CEM, "QC", melded=True)
    with pytest.raises(NotPossible, match="Did Ben lay a meld") as problem:
        check(HandMarked(1, ANA, (HandEntry(BEN, "KC"), cem)), Evening().sheet)
    assert problem.value.field == "melded.1"
    with pytest.raises(NotPossible, match="Ben is entered twice"):
        check(HandMarked(1, ANA, (ben, cem, ben)), Evening().sheet)


# -- the recorded table --------------------------------------------------------------------------


def with_a_table() -> Evening:
    """Hand 1: Ben has laid 5♣ 6♣ 7♣ and the four twos, and the 9♥ has been discarded."""
    evening = Evening()
    evening.play(BEN, "meld 5C 6C 7C", "meld 2C 2D 2H 2S", "discard 9H")
    return evening


@pytest.mark.parametrize(
    ("cards", "sentence"),
    [
        ("6C", "6♣ is in the recorded melds and in Cem's cards."),
        ("9H KC", "9♥ is in the recorded pile and in Cem's cards."),
        (
            "6C 9H",
            "6♣ is in the recorded melds and in Cem's cards; 9♥ is in the recorded pile and in",
        ),
    ],
)
def test_a_card_on_the_recorded_table_cannot_be_left(cards, sentence):
    evening = with_a_table()
    problem = refused(evening, ANA, {BEN: "KH", CEM: cards})
    assert sentence in str(problem)
    assert "say that the recorded table is out of date" in str(problem)
    assert problem.field == "table_is_old"
    evening.mark(ANA, {BEN: "KH", CEM: cards}, table_is_old=True)
    assert evening.hand.number == 2


def test_points_are_not_made_of_the_cards_on_the_recorded_table():
    # 2 points without an ace are a two, and the twos are on the table.
    evening = with_a_table()
    problem = refused(evening, ANA, {BEN: "KH", CEM: 2})
    assert "With the recorded table" in str(problem)
    assert "the points of Cem" in str(problem)
    assert problem.field == "table_is_old"
    evening.mark(ANA, {BEN: "KH", CEM: 3})  # which the table leaves possible
    evening.correct(1, ANA, {BEN: "KH", CEM: 2}, table_is_old=True)
    assert evening.points(1) == [0, 13, 2]


@pytest.mark.parametrize("ben", ["6H", 6], ids=["by cards", "by points"])
def test_a_discard_may_have_been_drawn_where_the_pile_is_not_taken_as_a_whole(ben):
    # CON-1: one pack. Ben drew the 6♥ and kept it; of the other sixes, one lies in each meld.
    evening = of_game("contract_rummy", "gamerules")
    evening.play(CEM, "meld 6C 7C 8C", "meld 6D 7D 8D", "meld 6S 7S 8S", "discard 6H")
    evening.mark(CEM, {ANA: "2C", BEN: ben})
    assert evening.points(1) == [2, 6, 0]


# -- which hand ----------------------------------------------------------------------------------


def test_only_the_hand_that_is_played_is_marked_and_only_a_marked_one_corrected():
    evening = Evening()
    evening.mark_hands(1)
    entries = (HandEntry(BEN, "KC", melded=True), HandEntry(CEM, "QC", melded=True))
    for hand in (-1, 0, 1, 3, 14):
        with pytest.raises(NotPossible, match=f"Hand 2 is being played now, not hand {hand}"):
            evening.write(HandMarked(hand, ANA, entries))
    for hand, sentence in ((2, "Hand 2 has not been marked"), (3, "Hand 3 has not begun")):
        with pytest.raises(NotPossible, match=sentence):
            evening.write(HandCorrected(hand, ANA, entries))


@pytest.mark.parametrize(
    ("game", "rules", "offered"),
    [
        ("indian_rummy", {"wrong_declare": 1}, {"IND-8"}),
        ("indian_rummy", {"wrong_declare": 0}, set()),
        # PRO-13.1 and 2 take the turn back, whatever they cost; 4 and 5 are worked out.
        ("proter", {"penalty_points": 0}, {"PRO-13.1", "PRO-13.2"}),
        # PRO-16: of equal totals, the one with fewer penalties wins.
        (
            "proter",
            {"penalty_points": 0, "ties": "fewest_penalties"},
            {"PRO-13.1", "PRO-13.2", "PRO-13.3"},
        ),
    ],
)
def test_a_charge_that_changes_nothing_is_not_offered(game, rules, offered):
    sheet = of_game(game, **rules).sheet
    assert {charge.rule for charge in sheet.reasons(sheet.hand)} == offered
