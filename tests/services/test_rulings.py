"""Rulings on the recorded table, kept and carried out. Hand 1: aces are wild, and high in runs."""

from dataclasses import replace

import pytest

from companion.notebook.events import RulingEnforced, RulingGiven
from companion.notebook.possible import check
from companion.rules.errors import Ambiguous
from companion.rules.table import parse_play
from companion.services.rulings import Question, enforced, given, judge
from tests.notebook.evening import ANA, BEN, CEM, WRONG_MELD, Evening, started


def turn(*plays: str, melded: bool | None = None, player: int = BEN) -> Question:
    """A question about a whole turn; ``melded`` says whether there was a meld in it before."""
    return Question(player, tuple(map(parse_play, plays)), "turn", None, melded)


def meld(cards: str) -> Question:
    """A question about one meld, after another one in the turn (PRO-7)."""
    return Question(BEN, (parse_play(f"meld {cards}"),), "meld", True, True)


# -- whole turns on the other sheet --------------------------------------------------------------


def test_a_proter_that_is_open_on_the_other_sheet_alone_refuses_no_turn() -> None:
    # With the ace high, the A♥ can only be the 4♣; on the other sheet, where A-2-3 is a run too
    # (PRO-5), it could be the A♣. There it is what it was here.
    answer = judge(Evening().sheet, turn("meld 5D 6D 7D", "meld 2C 3C AH", "discard KS"))
    assert answer.whole.legal
    assert answer.whole.elsewhere == {"playginrummyonline": True}


def test_a_proter_that_is_open_here_still_has_to_be_said() -> None:
    with pytest.raises(Ambiguous, match="A♥ could be"):
        judge(Evening().sheet, turn("meld 5D 6D 7D", "meld TC JC AH"))


def test_what_the_other_sheet_forbids_is_said_of_a_turn() -> None:
    # PRO-12: 6♦ on 7♦ is within two ranks; with nothing under the 7♦ it makes no run of three.
    evening = Evening()
    evening.play(ANA, "discard 7D")
    answer = judge(evening.sheet, turn("discard 6D"))
    assert answer.whole.legal
    assert answer.whole.elsewhere == {"playginrummyonline": False}


def test_nothing_is_kept_of_a_sheet_whose_rules_do_not_know_the_table() -> None:
    # PRO-5: A-2-3 is a run where the ace is low too; on the sheet of catsatcards it is none.
    evening = Evening(started(sheet="playginrummyonline"))
    evening.play(ANA, "meld AC=AC 2C 3C", "discard 9S")
    question = Question(BEN, (parse_play("lay_off 4C onto 0"),), "lay_off")
    ruling = judge(evening.sheet, question).whole
    assert (ruling.legal, ruling.elsewhere) == (True, {"catsatcards": None})
    assert given(evening.sheet, question).verdict.elsewhere == {}


# -- taking the pile after something was played (PRO-3) ------------------------------------------


def test_the_pile_is_not_taken_after_a_lay_off_or_a_meld_of_the_turn() -> None:
    evening = Evening()
    evening.play(ANA, "meld 5C 6C 7C", "discard 9S")
    assert judge(evening.sheet, turn("take_pile")).whole.legal
    evening.play(BEN, "lay_off 8C onto 0")
    answer = judge(evening.sheet, turn("take_pile", "discard KS"))
    assert answer.whole.broken == ("PRO-3",)
    assert answer.charge is None
    assert judge(evening.sheet, turn("take_pile", player=CEM)).whole.legal
    evening.play(BEN, "discard KS")
    assert judge(evening.sheet, turn("take_pile")).whole.legal
    evening.play(CEM, "meld 2C 2D 2H")
    assert judge(evening.sheet, turn("take_pile", player=CEM)).whole.broken == ("PRO-3",)


def test_a_meld_of_an_earlier_turn_is_no_hindrance() -> None:
    evening = Evening()
    evening.play(BEN, "meld 2C 2D 2H")
    assert judge(evening.sheet, turn("take_pile", melded=False)).whole.legal


def test_a_pile_that_is_on_record_already_is_taken_once() -> None:
    evening = Evening()
    evening.play(ANA, "discard 9S")
    evening.play(BEN, "take_pile")
    assert judge(evening.sheet, turn("take_pile", "meld 9S 9D 9H", "discard KS")).whole.legal


# -- a ruling as it is kept ----------------------------------------------------------------------


def test_a_legal_ruling_is_kept_with_the_identities_that_are_settled() -> None:
    assert given(Evening().sheet, meld("2C 3C AH")).plays == ("meld 2C 3C AH=4C",)
    whole = given(Evening().sheet, turn("meld 5D 6D 7D", "meld 2C 3C AH", "discard AS"))
    assert whole.plays == ("meld 5D 6D 7D", "meld 2C 3C AH=4C", "discard AS")


def test_no_identity_is_made_up_where_several_are_open() -> None:
    # 10♣ J♣ A♥: the 9♣ or the Q♣.
    event = given(Evening().sheet, meld("TC JC AH"))
    assert event.verdict.legal
    assert event.plays == ("meld TC JC AH",)
    with pytest.raises(Ambiguous, match="A♥ could be"):
        check(event, Evening().sheet)
    chosen = given(Evening().sheet, meld("TC JC AH=QC"))
    assert chosen.plays == ("meld TC JC AH=QC",)
    check(chosen, Evening().sheet)


def test_an_illegal_one_is_kept_as_it_was_asked() -> None:
    event = given(Evening().sheet, turn("meld 2C 3C AH"))  # no Proter in the first meld (PRO-7)
    assert event.verdict.broken == ("PRO-7",)
    assert event.plays == ("meld 2C 3C AH",)


# -- the rest of a turn of which a play is taken back (PRO-13.6) ---------------------------------


def ruled(*plays: str, evening: Evening | None = None) -> tuple[Evening, int]:
    """An evening with a ruling on a turn of Ben's, and the number of its entry."""
    evening = evening or Evening()
    event = given(evening.sheet, turn(*plays))
    return evening, evening.write(event).number


def test_the_legal_plays_of_the_turn_come_to_the_table() -> None:
    evening = Evening()
    evening.play(ANA, "meld 9C TC JC", "discard 9S")
    evening, number = ruled(
        "meld 2S 3D 9H",  # no set, no run: taken back, and meld 1 of the turn is none
        "meld 5D 6D 7D",
        "meld 2C 3C AH",  # A♥ can only be the 4♣
        "lay_off 8D onto 2",
        "lay_off QC onto 0",
        "swap 4C onto 3",
        "discard KS",
        evening=evening,
    )
    event = enforced(evening.sheet, 1, number)
    assert event.plays == (
        "meld 5D 6D 7D",
        "meld 2C 3C AH=4C",
        "lay_off 8D onto 1",
        "lay_off QC onto 0",
        "swap 4C onto 2",
        "discard KS",
    )
    evening.write(event)
    assert evening.melds == ["9C TC JC QC", "5D 6D 7D 8D", "2C 3C 4C"]
    assert evening.pile == ["9S", "KS"]
    assert evening.totals == [0, 0, 0]


def test_what_was_played_on_a_meld_that_is_taken_back_does_not() -> None:
    evening, number = ruled("meld 5D 6D 7D", "meld 2S 3D 9H", "lay_off 4S onto 1", "discard KS")
    assert enforced(evening.sheet, 1, number).plays == ("meld 5D 6D 7D", "discard KS")


def test_nothing_of_a_turn_that_is_taken_back_whole_does() -> None:
    evening = Evening()
    evening.play(ANA, "discard 9S")
    evening, number = ruled("meld 5D 6D 7D", "discard 9H", evening=evening)
    assert enforced(evening.sheet, 1, number) == RulingEnforced(1, number)
    # Where a wrong meld costs 20 points, it takes the turn with it.
    evening, number = ruled(
        "meld 5D 6D 7D", "meld 2S 3D 9H", evening=Evening(started(sheet="playginrummyonline"))
    )
    assert enforced(evening.sheet, 1, number) == RulingEnforced(1, number)


def test_a_table_that_has_changed_takes_no_plays_that_were_judged_on_another() -> None:
    evening, number = ruled("meld 5D 6D 7D", "meld 2S 3D 9H")
    assert enforced(evening.sheet, 1, number).plays == ("meld 5D 6D 7D",)
    evening.play(CEM, "meld TC JC QC")
    assert enforced(evening.sheet, 1, number).plays == ()
    evening.charge(CEM, "PRO-13.1")  # the table is as it was, but another turn has begun since
    assert evening.melds == []
    assert enforced(evening.sheet, 1, number).plays == ()
    evening.undo()
    evening.undo()
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    assert enforced(evening.sheet, 1, number) == RulingEnforced(1, number)


@pytest.mark.parametrize(
    "plays",
    [
        ("meld 5D 6D 7D", "meld TC JC AH"),  # A♥ is open
        ("meld 5D 6D 7D",),  # legal
        ("meld 5D 6D 7D", "meld 2S 3D 9H", "discard 5D"),  # 5♦ is in the meld
    ],
)
def test_a_ruling_that_was_read_in_and_cannot_be_judged_so_brings_nothing(
    plays: tuple[str, ...],
) -> None:
    evening = Evening()
    ruling = RulingGiven(1, BEN, "turn", plays, False, False, WRONG_MELD)
    number = evening.write(ruling).number
    assert enforced(evening.sheet, 1, number).plays == ()
    other = evening.write(replace(ruling, plays=("meld 2S 3D 9H",))).number
    assert enforced(evening.sheet, 1, other).plays == ()
