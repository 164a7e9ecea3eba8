"""Rulings are kept with their question; a legal one is played, an enforced one taken back."""

from dataclasses import replace

import pytest

from companion.notebook.events import (
    NotPossible,
    PenaltyWithdrawn,
    PileSeen,
    RulingEnforced,
    RulingGiven,
    Verdict,
)
from companion.rules.errors import Ambiguous, Illegal, Malformed
from companion.rules.table import Table
from tests.notebook.evening import ANA, BEN, CEM, LEGAL, WRONG_DISCARD, WRONG_MELD, Evening, unsaid


def begun() -> Evening:
    """Hand 1 (aces are Proters): Ana has melded 5♣ 6♣ 7♣ and discarded the 9♠."""
    evening = Evening()
    evening.play(ANA, "meld 5C 6C 7C", "discard 9S")
    return evening


def test_a_ruling_is_kept_with_its_question_its_table_and_its_pile():
    evening = begun()
    written = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD, ask="discard")
    evening.play(BEN, "meld 2C 2D 2H")
    (line,) = evening.hand.rulings
    assert line.entry == written
    assert line.given == written.event
    assert line.given.plays == ("discard 9H",)
    assert line.melds == ("5C 6C 7C",)
    assert line.pile == "9S"
    assert line.enforced is None


def test_the_plays_of_a_legal_ruling_stand_on_the_recorded_table():
    evening = begun()
    evening.rule(BEN, "meld 2C 2D 2H", "lay_off AS=8C onto 0", "discard TS", verdict=LEGAL)
    assert evening.melds == ["5C 6C 7C AS=8C", "2C 2D 2H"]
    assert evening.pile == ["9S", "TS"]
    assert evening.hand.board.melded == {ANA, BEN}
    assert evening.hand.board.laid_off == {BEN}


def test_the_plays_of_an_illegal_one_do_not():
    evening = begun()
    before = evening.hand.board
    evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD)
    evening.rule(BEN, "meld 2C 3C 9D", verdict=WRONG_MELD)
    # Only that nobody knows the pile any more: after the discard the next player is at turn.
    assert evening.hand.board == before.with_pile_known(None)
    assert evening.totals == [0, 0, 0]


def test_enforcing_a_ruling_charges_and_takes_the_turn_back():
    evening = begun()
    before = evening.hand.board
    evening.play(BEN, "lay_off 8C onto 0", "meld 2C 2D 2H")
    ruling = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD, melded_this_turn=True)
    enforced = evening.write(RulingEnforced(1, ruling.number))
    assert evening.hand.board.table == Table(before.table.melds, before.table.pile)
    assert evening.melds == ["5C 6C 7C"]
    assert evening.pile == ["9S"]
    assert evening.hand.board.melded == {ANA}
    assert evening.hand.board.laid_off == frozenset()
    assert evening.hand.board.turn_of is None
    assert evening.totals == [0, 20, 0]
    (penalty,) = evening.hand.penalties
    assert (penalty.entry, penalty.player) == (enforced, BEN)
    assert (penalty.charged.rule, penalty.charged.points) == ("PRO-13.2", 20)
    assert evening.hand.rulings[0].enforced == enforced
    # Ben has no recorded meld any more, so the end of the hand asks.
    with pytest.raises(NotPossible, match="Did Ben lay a meld"):
        evening.mark(ANA, {BEN: unsaid("KC QC JC TC 9C 8C"), CEM: "2S"})


def test_a_ruling_is_carried_out_once_and_only_against_a_player():
    evening = begun()
    ruling = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD)
    evening.write(RulingEnforced(1, ruling.number))
    with pytest.raises(NotPossible, match="carried out already"):
        evening.write(RulingEnforced(1, ruling.number))
    legal = evening.rule(BEN, "meld 2C 2D 2H", verdict=LEGAL)
    with pytest.raises(NotPossible, match="The play is legal"):
        evening.write(RulingEnforced(1, legal.number))
    with pytest.raises(NotPossible, match="no such ruling in hand 1"):
        evening.write(RulingEnforced(1, 2))
    with pytest.raises(NotPossible, match="Hand 2 has not begun"):
        evening.write(RulingEnforced(2, ruling.number))


def test_a_ruling_without_points_takes_back_the_play_and_charges_nothing():
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    before = evening.hand.board
    ruling = evening.rule(BEN, "meld 3C 4C 9D", verdict=WRONG_MELD, melded_this_turn=True)
    evening.write(RulingEnforced(1, ruling.number))
    assert evening.hand.board == before
    assert evening.hand.penalties == []


def test_undoing_an_enforcement_brings_the_turn_back():
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    ruling = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD, melded_this_turn=True)
    before = evening.hand.board
    evening.write(RulingEnforced(1, ruling.number))
    evening.undo()
    assert evening.hand.board == before
    assert evening.totals == [0, 0, 0]
    assert evening.hand.rulings[0].enforced is None


def test_the_charge_of_a_ruling_can_be_taken_back():
    evening = begun()
    ruling = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD)
    enforced = evening.write(RulingEnforced(1, ruling.number))
    evening.write(PenaltyWithdrawn(1, enforced.number))
    assert evening.totals == [0, 0, 0]


def test_a_ruling_on_a_hand_that_is_marked_by_now_still_charges():
    evening = begun()
    ruling = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD)
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    evening.write(RulingEnforced(1, ruling.number))
    assert evening.points(1) == [0, 33, 2]


# -- which turn is taken back --------------------------------------------------------------------


def test_a_later_turn_is_not_taken_back_for_an_earlier_one():
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    ruling = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD, melded_this_turn=True)
    evening.play(CEM, "meld TD JD QD")
    evening.play(BEN, "meld 3C 3D 3H")
    evening.write(RulingEnforced(1, ruling.number))
    assert evening.melds == ["5C 6C 7C", "2C 2D 2H", "TD JD QD", "3C 3D 3H"]
    assert evening.totals == [0, 20, 0]


def test_another_players_turn_is_not_taken_back():
    evening = begun()
    ruling = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD)
    evening.play(CEM, "meld TD JD QD")
    evening.write(RulingEnforced(1, ruling.number))
    assert evening.melds == ["5C 6C 7C", "TD JD QD"]
    assert evening.totals == [0, 20, 0]


def test_a_new_deal_is_not_taken_back_for_one_that_was_thrown_in():
    evening = Evening()
    evening.play(BEN, "meld 2C 2D 2H")
    ruling = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD, melded_this_turn=True)
    evening.throw_in()
    evening.play(BEN, "meld 3C 3D 3H")
    evening.write(RulingEnforced(1, ruling.number))
    assert evening.melds == ["3C 3D 3H"]
    assert evening.totals == [0, 20, 0]


def test_a_meld_of_an_earlier_turn_stays_when_the_marker_says_that_it_was_one():
    # The record holds Ben's meld, and neither his discard nor anybody's turn after it. Asked in
    # his next turn, the marker says that he has not melded in this one.
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    ruling = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD, melded_this_turn=False)
    evening.write(RulingEnforced(1, ruling.number))
    assert evening.melds == ["5C 6C 7C", "2C 2D 2H"]
    assert evening.totals == [0, 20, 0]


def test_so_does_one_before_the_pile_was_taken():
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    ruling = evening.rule(
        BEN, "take_pile", "meld 9S 9H 9D", verdict=WRONG_DISCARD, melded_this_turn=False
    )
    evening.write(RulingEnforced(1, ruling.number))
    assert evening.melds == ["5C 6C 7C", "2C 2D 2H"]
    assert evening.pile == ["9S"]


def test_a_meld_before_the_pile_was_taken_goes_with_the_turn_that_it_was_laid_in():
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    ruling = evening.rule(
        BEN, "take_pile", "meld 9S 9H 9D", verdict=WRONG_DISCARD, melded_this_turn=True
    )
    evening.write(RulingEnforced(1, ruling.number))
    assert evening.melds == ["5C 6C 7C"]
    assert evening.pile == ["9S"]


def test_a_turn_of_a_hand_that_is_marked_stays_on_its_table():
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    ruling = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD, melded_this_turn=True)
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    evening.write(RulingEnforced(1, ruling.number))
    melds = evening.sheet.hands[0].board.table.melds
    assert [meld.text for meld in melds] == ["5C 6C 7C", "2C 2D 2H"]
    assert evening.points(1) == [0, 33, 2]


# -- the rest of a turn of which a play is taken back --------------------------------------------

REST = ("meld 2C 2D 2H", "discard KS")


def wrong_meld_in_a_turn(evening: Evening, melded: bool = False) -> int:
    plays = (REST[0], "meld 3C 4C 9D", REST[1])
    return evening.rule(BEN, *plays, verdict=WRONG_MELD, melded_this_turn=melded).number


def test_the_rest_of_the_turn_comes_to_the_table_in_one_act():
    evening = begun()
    before = evening.hand.board
    ruling = wrong_meld_in_a_turn(evening)
    evening.write(RulingEnforced(1, ruling, REST))
    assert evening.melds == ["5C 6C 7C", "2C 2D 2H"]
    assert evening.pile == ["9S", "KS"]
    assert evening.hand.board.melded == {ANA, BEN}
    assert [play.text for play in evening.hand.board.turn] == list(REST)
    assert evening.totals == [0, 0, 0]
    evening.undo()
    assert evening.hand.board == before


def test_it_goes_on_with_the_recorded_turn_or_begins_another():
    for melded, number in ((True, 2), (False, 3)):
        evening = begun()
        evening.play(BEN, "meld TC TD TH")
        ruling = wrong_meld_in_a_turn(evening, melded)
        evening.write(RulingEnforced(1, ruling, REST))
        assert evening.hand.board.number == number


def test_a_rest_that_cannot_lie_on_the_table_is_refused():
    evening = begun()
    whole = evening.rule(BEN, "meld 2C 2D 2H", "discard 9H", verdict=WRONG_DISCARD)
    with pytest.raises(NotPossible, match="The whole turn is taken back"):
        evening.write(RulingEnforced(1, whole.number, ("meld 2C 2D 2H",)))
    ruling = wrong_meld_in_a_turn(evening)
    with pytest.raises(Illegal, match="no"):
        evening.write(RulingEnforced(1, ruling, ("meld 3C 4C 9D",)))
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    with pytest.raises(NotPossible, match="Hand 2 is being played"):
        evening.write(RulingEnforced(1, ruling, REST))
    evening.write(RulingEnforced(1, ruling))


# -- charges that take the turn back (PRO-13.1, PRO-13.2) ----------------------------------------


@pytest.mark.parametrize("rule", ["PRO-13.1", "PRO-13.2"])
def test_such_a_charge_takes_the_recorded_turn_back(rule):
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H", "discard KS")
    before = evening.hand.board
    evening.charge(BEN, rule)
    assert evening.melds == ["5C 6C 7C"]
    assert evening.pile == ["9S"]
    assert evening.totals == [0, 20, 0]
    evening.undo()
    assert evening.hand.board == before
    assert evening.totals == [0, 0, 0]


@pytest.mark.parametrize(
    ("player", "rule"), [(BEN, "PRO-13.3"), (ANA, "PRO-13.1"), (CEM, "PRO-13.2")]
)
def test_a_charge_of_points_only_or_for_another_turn_takes_nothing_back(player, rule):
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    before = evening.hand.board
    evening.charge(player, rule)
    # With a turn that is taken back, on record or not, the discard of that turn goes too.
    known = before if rule == "PRO-13.3" else before.with_pile_known(None)
    assert evening.hand.board == known
    assert evening.totals[player] == 20


def test_a_charge_in_a_marked_hand_takes_nothing_back():
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    evening.play(BEN, "meld TC TD TH")
    before = [hand.board for hand in evening.sheet.hands]
    evening.charge(BEN, "PRO-13.1", hand=1)
    assert [hand.board for hand in evening.sheet.hands] == before
    assert evening.points(1) == [0, 33, 2]


def test_a_legal_turn_that_took_the_pile_stands_whole():
    evening = begun()
    evening.rule(BEN, "take_pile", "meld 9S 9H 9D", "discard KS", verdict=LEGAL)
    assert evening.melds == ["5C 6C 7C", "9D 9H 9S"]
    assert evening.pile == ["KS"]


def test_a_legal_play_in_a_new_turn_is_taken_back_alone():
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    evening.rule(BEN, "meld 3C 3D 3H", verdict=LEGAL, melded_this_turn=False)
    ruling = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD, melded_this_turn=True)
    evening.write(RulingEnforced(1, ruling.number))
    assert evening.melds == ["5C 6C 7C", "2C 2D 2H"]


# -- what cannot be kept -------------------------------------------------------------------------


def test_a_legal_verdict_on_what_the_table_cannot_hold_is_refused():
    evening = begun()
    with pytest.raises(Illegal, match="already on the table"):
        evening.rule(BEN, "meld 5D AS=5C 5S", verdict=LEGAL)
    with pytest.raises(Ambiguous, match="A♠ could be"):
        evening.rule(BEN, "meld 9D AS 9H", verdict=LEGAL)
    with pytest.raises(Malformed, match="5♣ is in"):
        evening.rule(BEN, "meld 5C 5D 5H", verdict=LEGAL)
    with pytest.raises(Malformed, match="no meld 4"):
        evening.rule(BEN, "lay_off 8C onto 4", verdict=LEGAL)


DISCARD = RulingGiven(1, BEN, "turn", ("discard 9H",), False, False, WRONG_DISCARD)


def judged(**verdict: str) -> RulingGiven:
    """A ruling with another verdict."""
    return replace(DISCARD, verdict=replace(WRONG_DISCARD, **verdict))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (replace(DISCARD, player=3), "Say which player"),
        (replace(DISCARD, hand=2), "Hand 1 is being"),
        (replace(DISCARD, plays=()), "Say which play"),
        (replace(DISCARD, plays=("shuffle",)), "is not a play"),
        (judged(take_back="all"), "takes back a play, a turn or nothing"),
        (judged(charge="PRO-13.6"), "does not apply"),
        (judged(charge="PRO-13.5"), "worked out"),
    ],
)
def test_a_ruling_that_cannot_be_is_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence) as problem:
        begun().write(given)
    assert isinstance(problem.value, NotPossible | Malformed)


def test_a_pile_that_the_pack_cannot_hold_is_refused():
    evening = begun()
    with pytest.raises(Malformed, match="6♣ is in the melds on the table and in the pile"):
        evening.write(PileSeen(1, "8S 6C"))
    with pytest.raises(Malformed, match="twice in the pile"):
        evening.write(PileSeen(1, "8S 8S"))
    with pytest.raises(NotPossible, match="Hand 1 is being played"):
        evening.write(PileSeen(2, "8S"))


def test_a_verdict_keeps_what_was_said_then():
    evening = begun()
    verdict = Verdict(
        False,
        ("PRO-9", "PRO-11"),
        ("5C AS=6C 7C",),
        20,
        "turn",
        True,
        "6♣ is already on the table.",
        {"playginrummyonline": True},
        "PRO-13.1",
    )
    evening.rule(CEM, "meld 5H 6H 7H", verdict=verdict)
    assert evening.hand.rulings[0].given.verdict == verdict
