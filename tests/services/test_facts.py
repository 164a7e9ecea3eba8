"""The facts that a question has: said by the marker, recorded and still sure, or not known."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given

from companion.notebook.events import PileSeen, Ruled
from companion.rules.cards import PACK, parse_cards
from companion.rules.errors import Malformed
from companion.rules.judge import Judge
from companion.rules.question import FLAGS, NO_PILE, UNKNOWN_PILE, Depends, Pile, Question, rule_on
from companion.rules.ruling import Ruling
from companion.rules.table import parse_play
from companion.services.rulings import (
    ON_RECORD,
    STATED,
    judge,
    melds_there,
    ruling_on,
    sources_kept,
    with_record,
)
from tests.notebook.drawn_questions import a_ruling
from tests.notebook.evening import ANA, BEN, CEM, Evening, begun, of_game, started
from tests.rules.drawing import CHANCE

MELDS = ("melded_this_hand", "melded_this_turn", "contract_met")


def asked(
    evening: Evening,
    kind: str,
    *plays: str,
    player: int = BEN,
    instead_of: int | None = None,
    seen: Iterable[str] = (),
    pile: Pile | None = None,
    **flags: bool,
) -> Question:
    """The question with what is stated, and what the record says of the rest."""
    melds = melds_there(evening.sheet, [*seen], instead_of)
    known = UNKNOWN_PILE if pile is None else pile
    stated = Question(kind, tuple(map(parse_play, plays)), melds, known)
    for flag in FLAGS:
        stated = stated.with_flag(flag, flags.get(flag))
    return with_record(evening.sheet, player, stated, instead_of)


def found(evening: Evening, one: Question) -> tuple[str, ...]:
    """The facts that the ruling depends on; ``legal`` or the broken rules if none is open."""
    ruling = judge(evening.sheet, one)
    if isinstance(ruling, Depends):
        return ruling.on
    return ruling.broken or ("legal",)


def kept(
    evening: Evening, one: Question, player: int = BEN, instead_of: int | None = None
) -> Ruled:
    return ruling_on(evening.sheet, player, one, instead_of)


def pile(cards: str, *, whole: bool = False) -> Pile:
    return Pile(parse_cards(cards), whole)


# -- the pile ------------------------------------------------------------------------------------


def test_a_pile_of_which_nobody_said_anything_is_asked_for():
    evening = Evening()
    one = asked(evening, "discard", "discard 9H")
    assert (one.pile, one.sources) == (UNKNOWN_PILE, {})
    assert found(evening, one) == ("pile",)
    evening.write(PileSeen(1, "9S"))  # which may be long ago
    assert found(evening, asked(evening, "discard", "discard 9H")) == ("pile",)


def test_after_a_recorded_discard_it_is_sure_for_the_next_player_and_for_nobody_else():
    evening = begun()
    one = asked(evening, "discard", "discard 9H")
    assert (one.pile, one.sources) == (pile("9S"), {"pile": 3})
    assert found(evening, one) == ("PRO-11",)
    assert kept(evening, one).sources == {"pile": 3}
    for player in (ANA, CEM):
        one = asked(evening, "discard", "discard 9H", player=player)
        assert one.pile == UNKNOWN_PILE
        assert found(evening, one) == ("pile",)


def test_nor_for_the_next_player_once_a_turn_was_ruled_on_since():
    # Ben's 9♥ was refused; whether he comes to play again the same evening or the next round,
    # three other cards may lie on top.
    evening = begun()
    evening.write(kept(evening, asked(evening, "discard", "discard 9H")))
    assert found(evening, asked(evening, "discard", "discard 9C")) == ("pile",)
    # Here he is in a later turn, by what is asked: the recorded meld was laid before it.
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    assert found(evening, asked(evening, "discard", "discard 9C")) == ("PRO-11",)
    assert found(evening, asked(evening, "turn", "discard 9C")) == ("pile",)


def test_what_was_said_wins():
    evening = begun()
    one = asked(evening, "discard", "discard 9H", pile=pile("4D"))
    assert one.pile == pile("4D")
    assert one.sources == {"pile": STATED}
    assert found(evening, one) == ("legal",)
    assert kept(evening, one).sources == {"pile": STATED}


def test_the_card_under_the_top_is_asked_for_only_where_it_decides():
    evening = begun()
    # PRO-12: 8♠ on 9♠ is a run with the 7♠ or the 10♠ under it.
    assert found(evening, asked(evening, "discard", "discard 8S")) == ("pile",)
    other = judge(evening.sheet, asked(evening, "discard", "discard 4H"))
    assert isinstance(other, Ruling)
    assert other.regardless_of == ("pile",)
    said = asked(evening, "discard", "discard 8S", pile=pile("7S 9S"))
    assert found(evening, said) == ("PRO-12",)
    alone = asked(evening, "discard", "discard 8S", pile=pile("9S", whole=True))
    assert found(evening, alone) == ("legal",)


def test_a_pile_that_was_taken_is_sure_for_who_took_it():
    evening = begun()
    evening.play(BEN, "take_pile", "meld 9S 9D 9H")
    one = asked(evening, "discard", "discard KS")
    assert one.pile == NO_PILE
    assert one.sources == {"pile": 4}
    assert found(evening, one) == ("legal",)


def test_a_pile_with_a_card_that_is_played_now_is_not_known():
    evening = begun()
    one = asked(evening, "turn", "meld 9S 9D 9H", "discard KD")
    assert one.pile == UNKNOWN_PILE
    assert one.sources == {}
    assert found(evening, one) == ("pile",)


def test_where_no_discard_depends_on_it_the_pile_is_no_fact():
    evening = begun()
    for plays in (
        ("meld 2C 2D 2H",),
        ("take_pile", "meld 9S 9D 9H", "discard KD"),
        ("lay_off 8C onto 0",),
    ):
        for said in (None, pile("4D")):
            one = asked(evening, "turn", *plays, pile=said)
            assert (one.pile, one.sources) == (NO_PILE, {})
            assert found(evening, one) == ("legal",)


# -- melds in this turn, and in this hand --------------------------------------------------------

A_PROTER = "meld 2C 3C AH=4C"  # hand 1: aces are Proters


def test_whether_a_meld_was_laid_before_in_the_turn_is_asked_where_it_decides():
    evening = begun()
    one = asked(evening, "meld", A_PROTER)
    assert set(MELDS) <= one.unknown
    found_it = judge(evening.sheet, one)
    assert isinstance(found_it, Depends)
    assert found_it.on == ("melded_this_turn",)
    cases = [(facts["melded_this_turn"], ruling.broken) for facts, ruling in found_it.cases]
    assert cases == [(True, ()), (False, ("PRO-7",))]
    assert found(evening, asked(evening, "meld", "meld 2C 3C 4C")) == ("legal",)


def test_a_recorded_meld_of_this_hand_says_nothing_of_this_turn():
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    one = asked(evening, "meld", "meld 3D 4D AH")
    assert one.sources == {"melded_this_hand": ON_RECORD}
    assert found(evening, one) == ("melded_this_turn",)


def online() -> Evening:
    """A table where a player's first meld in the hand is without a Proter (PRO-7)."""
    return Evening(started(sheet="playginrummyonline"))


def test_a_recorded_meld_is_a_meld_in_this_hand():
    evening = online()
    one = asked(evening, "meld", A_PROTER)
    assert found(evening, one) == ("melded_this_hand", "melded_this_turn")
    evening.play(BEN, "meld 5D 6D 7D")
    one = asked(evening, "meld", A_PROTER)
    assert found(evening, one) == ("legal",)
    assert kept(evening, one).sources == {"melded_this_hand": ON_RECORD}
    other = asked(evening, "meld", A_PROTER, player=CEM)
    assert "melded_this_hand" in other.unknown


def test_a_meld_that_only_lies_there_is_no_meld_of_the_player():
    evening = online()
    one = asked(evening, "lay_off", "lay_off 8D onto 0", seen=("5D 6D 7D",))
    evening.write(kept(evening, one))
    assert found(evening, asked(evening, "meld", A_PROTER)) == (
        "melded_this_hand",
        "melded_this_turn",
    )


def test_who_has_laid_none_in_the_hand_has_laid_none_in_the_turn_and_no_contract():
    evening = online()
    evening.play(BEN, "meld 5D 6D 7D")
    one = asked(evening, "meld", A_PROTER, melded_this_hand=False)
    assert one.unknown.isdisjoint(MELDS)
    assert one.sources == dict.fromkeys(MELDS, STATED)
    assert found(evening, one) == ("PRO-7",)


def test_the_plays_of_a_whole_turn_are_all_of_it():
    evening = begun()
    evening.play(BEN, "meld 5D 6D 7D")
    one = asked(evening, "turn", A_PROTER, melded_this_turn=True)
    assert one.player.melded_this_turn is False
    assert "melded_this_turn" not in one.sources
    assert found(evening, one) == ("PRO-7",)
    # The same of another player, of whom nothing is on record.
    assert found(evening, asked(evening, "turn", A_PROTER, player=CEM)) == ("PRO-7",)


# -- the contract --------------------------------------------------------------------------------

TRIOS = ("meld 7C 7D 7H", "meld 9C 9D 9H")


def with_contract(*, over: bool) -> Evening:
    """Carioca: Ben's two trios were ruled legal; his turn is over, or goes on."""
    evening = of_game("carioca")
    evening.write(kept(evening, asked(evening, "contract", *TRIOS)))
    if over:
        evening.play(BEN, "discard KS")
    return evening


def test_a_contract_that_was_ruled_legal_in_an_earlier_turn_is_on_record():
    evening = with_contract(over=True)
    one = asked(evening, "lay_off", "lay_off 7S onto 0")
    assert one.sources["contract_met"] == ON_RECORD
    assert found(evening, one) == ("legal",)
    assert kept(evening, one).sources == {"contract_met": ON_RECORD}
    assert found(evening, asked(evening, "lay_off", "lay_off 7S onto 0", player=CEM)) == (
        "contract_met",
    )


def test_one_of_this_turn_is_not_yet_one_of_an_earlier_turn():
    evening = with_contract(over=False)
    assert found(evening, asked(evening, "lay_off", "lay_off 7S onto 0")) == ("contract_met",)


def test_what_was_said_of_the_contract_wins():
    evening = with_contract(over=True)
    one = asked(evening, "lay_off", "lay_off 7S onto 0", contract_met=False)
    assert one.sources["contract_met"] == STATED
    assert found(evening, one) == ("CAR-5",)


def test_melds_that_were_only_recorded_are_no_contract():
    evening = of_game("carioca")
    evening.play(BEN, *TRIOS, "discard KS")
    assert found(evening, asked(evening, "lay_off", "lay_off 7S onto 0")) == ("contract_met",)


def test_a_contract_itself_rests_on_no_such_fact():
    evening = of_game("carioca")
    one = asked(evening, "contract", *TRIOS, melded_this_hand=True, contract_met=True)
    assert one.sources == {}
    assert one.unknown == frozenset()
    assert found(evening, one) == ("legal",)


# -- a wild card laid in this turn, a card just drawn --------------------------------------------


def test_a_turn_that_is_illegal_either_way_leaves_no_play_that_only_the_contract_decides():
    # CAR-5: in the turn of the contract no lay-off, after it no further meld.
    evening = of_game("carioca")
    plays = "meld 5C 5D 5H", "meld 7C 7D 7H", "lay_off 8C onto 0"
    seen = ("8D 8H 8S",)
    one = asked(evening, "turn", *plays, seen=seen)
    assert found(evening, one) == ("CAR-5",)
    assert kept(evening, one).ruling.plays == ()
    said = kept(evening, asked(evening, "turn", *plays, seen=seen, contract_met=True))
    assert [play.legal for play in said.ruling.plays] == [False, False, True]


def test_whether_a_wild_card_was_laid_in_this_turn_is_asked_where_it_decides():
    # PRO-10: at this table a Proter that the same player laid in this turn stays.
    evening = begun(started(swap_own_fresh_proter="no"))
    evening.play(CEM, "meld TD AH=JD QD")
    one = asked(evening, "swap", "swap JD onto 1")
    assert found(evening, one) == ("fresh",)
    said = asked(evening, "swap", "swap JD onto 1", fresh=True)
    assert found(evening, said) == ("PRO-10",)
    assert said.player.fresh == set(parse_cards("AH"))
    assert kept(evening, said).sources == {"fresh": STATED}
    assert found(evening, asked(evening, "swap", "swap JD onto 1", fresh=False)) == ("legal",)
    # Where no Proter stands for the card, it does not matter who laid it.
    assert found(evening, asked(evening, "swap", "swap KD onto 1")) == ("PRO-10",)


def test_whether_the_card_was_just_drawn_is_asked_where_a_rule_asks():
    evening = of_game("contract_rummy", "gamerules")  # CON-9
    one = asked(evening, "discard", "discard KS")
    assert found(evening, one) == ("drew",)
    drawn = asked(evening, "discard", "discard KS", drew=True)
    assert found(evening, drawn) == ("CON-9",)
    assert kept(evening, drawn).sources == {"drew": STATED}
    assert found(evening, asked(evening, "discard", "discard KS", drew=False)) == ("legal",)
    whole = asked(evening, "turn", "discard KS", contract_met=True)
    assert found(evening, whole) == ("drew",)
    # Proter has no such rule.
    assert "drew" not in asked(Evening(), "discard", "discard KS", drew=True).sources


# -- melds that lie there ------------------------------------------------------------------------


def test_melds_that_are_said_to_lie_there_come_after_the_recorded_ones():
    evening = begun()
    one = asked(evening, "lay_off", "lay_off KD onto 1", seen=("TD JD QD",))
    assert [meld.text for meld in one.melds] == ["5C 6C 7C", "TD JD QD"]
    assert found(evening, one) == ("legal",)
    with pytest.raises(Malformed, match="5♣ is"):
        asked(evening, "lay_off", "lay_off KD onto 1", seen=("5C 5D 5H",))


# -- facts that are kept with a ruling -----------------------------------------------------------


def test_a_fact_that_was_said_and_does_not_decide_is_not_kept():
    evening = begun()
    natural = asked(evening, "meld", "meld 2C 3C 4C", melded_this_turn=False)
    assert natural.sources == {"melded_this_turn": STATED}
    assert kept(evening, natural).sources == {}
    proter = asked(evening, "meld", A_PROTER, melded_this_turn=True)
    assert kept(evening, proter).sources == {"melded_this_turn": STATED}


def test_of_facts_that_decide_only_together_those_are_kept_that_are_needed():
    # KAL-5: tacked on once the contract is met; when it was, does not matter then.
    evening = of_game("kalooki")
    evening.play(ANA, "meld 7C 7D 7H")
    play = "lay_off 7S onto 0"
    one = asked(evening, "lay_off", play, contract_met=True, melded_this_turn=False)
    assert found(evening, one) == ("legal",)
    assert kept(evening, one).sources == {"contract_met": STATED}
    neither = asked(evening, "lay_off", play, contract_met=False, melded_this_turn=False)
    assert found(evening, neither) == ("KAL-5",)
    assert kept(evening, neither).sources == {"contract_met": STATED, "melded_this_turn": STATED}


def test_of_two_facts_that_each_suffice_one_is_kept():
    # A meld of this turn is one of this hand, whatever was laid before.
    evening = online()
    evening.play(BEN, "meld 5D 6D 7D")
    one = asked(evening, "meld", A_PROTER, melded_this_turn=True)
    assert set(one.sources) == {"melded_this_hand", "melded_this_turn"}
    assert len(kept(evening, one).sources) == 1


# -- whatever the question is --------------------------------------------------------------------

Outcome = tuple[object, ...]


def outcome(rules: Judge, question: Question) -> Outcome:
    ruling = rule_on(rules, question)
    if isinstance(ruling, Depends):
        return ("depends",)
    return ruling.legal, ruling.broken, ruling.consequence


def possible(rules: Judge, questions: Iterable[Question]) -> set[Outcome]:
    """The outcomes of those questions in which the cards can be there."""
    found = set()
    for question in questions:
        with suppress(Malformed):
            found.add(outcome(rules, question))
    return found


def with_other_value(question: Question, fact: str) -> list[Question]:
    """The question with every other value of a fact."""
    if fact != "pile":
        return [question.with_flag(fact, not question.flag(fact))]
    free = set(PACK) - {offered.card for play in question.plays for offered in play.plays}
    free -= {laid.card for meld in question.melds for laid in meld.cards}
    piles = [(), *((top,) for top in free), *product(free, repeat=2)]
    return [replace(question, pile=Pile(cards)) for cards in piles if len(set(cards)) == len(cards)]


@given(CHANCE)
def test_another_value_of_a_fact_that_is_kept_changes_the_outcome_and_of_no_other(chance):
    rules, question, ruling = a_ruling(chance)
    stated = {flag: STATED for flag in FLAGS if flag not in question.unknown}
    if question.discarded is not None and question.pile != UNKNOWN_PILE:
        stated["pile"] = STATED
    sources = sources_kept(rules, replace(question, sources=stated))
    assert set(sources) <= set(stated)
    resting = question
    for fact in set(stated) - set(sources):
        resting = resting.without(fact)
    same = ruling.legal, ruling.broken, ruling.consequence
    assert outcome(rules, resting) == same
    for fact in sources:
        assert possible(rules, with_other_value(resting, fact)) - {same}, fact
    for fact in ruling.regardless_of:
        if fact != "pile":
            either = [question.with_flag(fact, value=value) for value in (True, False)]
            assert possible(rules, either) == {same}
