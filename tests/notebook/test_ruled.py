"""Rulings with their facts: kept, replaced, carried out; and what is known of the pile after."""

from dataclasses import replace
from typing import Any

import pytest

from companion.notebook.events import (
    GameStarted,
    NotPossible,
    PenaltyWithdrawn,
    PileSeen,
    PlayRecorded,
    Ruled,
    RulingEnforced,
)
from companion.notebook.scoresheet import RulingLine
from companion.rules.cards import parse_cards
from companion.rules.errors import Ambiguous, Illegal, Malformed
from companion.rules.games import game_named
from companion.rules.melds import Meld
from companion.rules.question import CALL, DRAW, NO_PILE, UNKNOWN_PILE, Call, Pile, Question
from companion.rules.ruling import Ruling
from companion.rules.table import parse_play
from tests.notebook.evening import ANA, BEN, CEM, LEGAL, WRONG_DISCARD, Evening, started
from tests.notebook.test_stepwise import assert_steps_are_replays


def begun(event: GameStarted | None = None) -> Evening:
    """Hand 1 (aces are Proters): Ana has melded 5♣ 6♣ 7♣ and discarded the 9♠."""
    evening = Evening(event)
    evening.play(ANA, "meld 5C 6C 7C", "discard 9S")
    return evening


def of_game(game: str, hand: int = 1) -> Evening:
    house = game_named(game).house()
    names = ("Ana", "Ben", "Cem")
    return Evening(GameStarted(game, house.sheet, dict(house.values), names, 0, ""))


def pile(cards: str, *, whole: bool = False) -> Pile:
    return Pile(parse_cards(cards), whole)


def melds(*texts: str) -> tuple[Meld, ...]:
    """Melds that lie on no recorded table."""
    evening = Evening()
    evening.play(ANA, *(f"meld {text}" for text in texts))
    return evening.hand.board.table.melds


def known(evening: Evening) -> dict[int, str]:
    """Which seat knows what of the pile; ``.`` marks that nothing lies under it."""
    board = evening.hand.board
    piles = {seat: board.pile_for(seat) for seat in evening.sheet.players}
    return {
        seat: ("." if one.whole else "") + "".join(card.text for card in one.cards)
        for seat, one in piles.items()
        if one != UNKNOWN_PILE
    }


def line(evening: Evening, number: int = -1) -> RulingLine:
    return evening.hand.rulings[number]


# -- keeping a ruling ----------------------------------------------------------------------------


def test_a_ruling_is_kept_with_its_question_and_the_table_it_was_given_on():
    evening = begun()
    event = evening.judged(BEN, "discard", "discard 9H", pile=pile("9S"), sources={"pile": 3})
    entry = evening.write(event)
    evening.play(BEN, "meld 2C 2D 2H")
    kept = line(evening)
    assert (kept.entry, kept.given) == (entry, event)
    assert kept.question == event.question
    assert kept.ruling == event.ruling
    assert (kept.charge, kept.sources) == ("PRO-13.2", {"pile": 3})
    assert (kept.melds, kept.pile) == (("5C 6C 7C",), "9S")
    assert (kept.enforced, kept.replaced) == (None, None)
    assert evening.hand.all_rulings == [kept]


def test_an_old_ruling_rests_on_no_facts_that_were_kept():
    evening = begun()
    evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD)
    kept = line(evening)
    assert kept.sources == {}
    assert kept.charge == "PRO-13.2"
    assert kept.ruling.broken == ("PRO-11",)
    assert kept.ruling.says.startswith("9♥ has the rank of 9♠.")
    assert kept.melded_before is False


def test_the_plays_of_a_legal_one_stand_on_the_table_and_those_of_another_do_not():
    evening = begun()
    turn = ("meld 2C 2D 2H", "lay_off 8C onto 0", "discard KD")
    evening.write(evening.judged(BEN, "turn", *turn, pile=pile("9S")))
    assert evening.melds == ["5C 6C 7C 8C", "2C 2D 2H"]
    assert evening.pile == ["9S", "KD"]
    assert (evening.hand.board.melded, evening.hand.board.laid_off) == ({ANA, BEN}, {BEN})
    before = evening.hand.board
    evening.write(evening.judged(CEM, "meld", "meld 3C 4C 9D"))
    assert evening.hand.board == before
    evening.undo()
    evening.undo()
    assert (evening.melds, evening.pile) == (["5C 6C 7C"], ["9S"])
    evening.redo()
    assert evening.melds == ["5C 6C 7C 8C", "2C 2D 2H"]
    assert_steps_are_replays(evening.entries)


def test_a_legal_declaration_lays_nothing_on_a_table():
    evening = of_game("indian_rummy")
    cards = "2C 3C 4C 5D 6D 7D 9H 9S 9C KC KD KH KS"
    groups = ("2C 3C 4C", "5D 6D 7D", "9H 9S 9C")
    plays = [f"meld {one}" for one in (cards, *groups)]
    evening.write(evening.judged(BEN, "declare", *plays))
    assert evening.melds == []
    assert evening.hand.board.turn_of is None


def test_which_recorded_turn_a_discard_was_in_is_not_asked():
    # Ben's meld on record may be of this turn: his discard, which is taken back, takes it along.
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    entry = evening.write(evening.judged(BEN, "discard", "discard 9H", pile=pile("9S")))
    evening.write(RulingEnforced(1, entry.number))
    assert evening.melds == ["5C 6C 7C"]
    # Where the marker said that no meld was laid before it in the turn, it was another turn.
    evening = begun(started(sheet="playginrummyonline"))
    evening.play(BEN, "meld 2C 2D 2H")
    wrong = evening.judged(BEN, "meld", "meld 3C 3D 4H", melded_this_hand=True)
    evening.write(RulingEnforced(1, evening.write(wrong).number))
    assert evening.melds == ["5C 6C 7C", "2C 2D 2H"]


# -- melds that only lie there -------------------------------------------------------------------


def test_melds_of_a_question_are_on_record_from_then_on_and_nobodys():
    evening = begun()
    lying = (*evening.hand.board.table.melds, *melds("TD JD QD"))
    evening.write(
        evening.judged(BEN, "lay_off", "lay_off KD onto 1", lying=lying, melded_this_hand=True)
    )
    assert evening.melds == ["5C 6C 7C", "TD JD QD KD"]
    assert evening.hand.board.melded == {ANA}
    assert evening.hand.board.laid_off == {BEN}
    # They lie there also if what was asked is illegal.
    evening = begun()
    evening.write(
        evening.judged(BEN, "lay_off", "lay_off 2D onto 1", lying=lying, melded_this_hand=True)
    )
    assert evening.melds == ["5C 6C 7C", "TD JD QD"]
    assert evening.hand.board.laid_off == frozenset()


def test_they_stay_when_the_turn_is_taken_back():
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    lying = (*evening.hand.board.table.melds, *melds("TD JD QD"))
    event = evening.judged(
        BEN, "turn", "lay_off KD onto 2", "discard 9H", lying=lying, pile=pile("9S")
    )
    evening.write(RulingEnforced(1, evening.write(event).number))
    assert evening.melds == ["5C 6C 7C", "2C 2D 2H", "TD JD QD"]


def test_a_meld_is_recorded_for_nobody():
    evening = begun()
    evening.write(PlayRecorded(1, None, "meld TD JD QD"))
    assert evening.melds == ["5C 6C 7C", "TD JD QD"]
    assert evening.hand.board.melded == {ANA}
    assert known(evening) == {BEN: "9S"}
    evening.charge(ANA, "PRO-13.1")  # Ana's turn is the last on record: it is taken back
    assert evening.melds == ["TD JD QD"]


@pytest.mark.parametrize("play", ["discard 9H", "take_pile", "lay_off 8C onto 0"])
def test_nothing_else_is_nobodys(play):
    with pytest.raises(NotPossible, match="Say which player"):
        begun().write(PlayRecorded(1, None, play))


def test_a_meld_that_cannot_lie_there_is_not_recorded_for_nobody():
    with pytest.raises(Malformed, match="5♣ is in the melds"):
        begun().write(PlayRecorded(1, None, "meld 5C 5D 5H"))


# -- who knows the pile --------------------------------------------------------------------------


def test_nobody_knows_a_pile_of_which_nothing_is_on_record():
    assert known(Evening()) == {}


def test_after_a_recorded_discard_only_the_next_player_knows_its_card():
    evening = begun()
    assert known(evening) == {BEN: "9S"}
    assert evening.hand.board.known_by == evening.entries[-1].number
    evening.play(BEN, "discard KD")
    assert known(evening) == {CEM: "9SKD"}
    evening.play(ANA, "discard 4H")  # Cem has played too, and nobody noted what
    assert known(evening) == {BEN: "4H"}


def test_the_last_player_is_followed_by_the_first():
    evening = Evening()
    evening.play(CEM, "discard 9S")
    assert known(evening) == {ANA: "9S"}


def test_who_takes_the_pile_knows_that_nothing_lies_there():
    evening = begun()
    evening.play(BEN, "take_pile")
    assert known(evening) == {BEN: "."}
    assert evening.hand.board.known_by == evening.entries[-1].number
    evening.play(BEN, "meld 9S 9D 9H", "discard KD")
    assert known(evening) == {CEM: ".KD"}
    evening.play(CEM, "discard 4H")
    assert known(evening) == {ANA: ".KD4H"}


def test_a_pile_that_was_seen_is_known_to_nobody():
    evening = begun()
    evening.write(PileSeen(1, "KD 4H"))
    assert evening.pile == ["KD", "4H"]
    assert known(evening) == {}


def test_a_meld_or_lay_off_of_the_one_who_knows_it_changes_nothing():
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H", "lay_off 8C onto 0")
    evening.write(evening.judged(BEN, "meld", "meld TD JD QD", melded_this_turn=True))
    assert known(evening) == {BEN: "9S"}


@pytest.mark.parametrize("seat", [ANA, CEM])
def test_a_play_of_anybody_else_is_a_later_one(seat):
    evening = begun()
    evening.play(seat, "meld 2C 2D 2H")
    assert known(evening) == {}
    evening = begun()
    evening.write(evening.judged(seat, "meld", "meld 2C 2D 2H"))
    assert known(evening) == {}
    evening = begun()
    evening.write(evening.judged(seat, "meld", "meld 2C 3D 4H"))
    assert known(evening) == {}


def test_a_second_turn_of_the_one_who_knew_it_is_a_later_one():
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    evening.write(evening.judged(BEN, "meld", "meld TD JD QD", melded_this_turn=False))
    assert known(evening) == {}
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    evening.write(evening.judged(BEN, "meld", "meld TD JD 4H", melded_this_turn=False))
    assert known(evening) == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (pile("9S"), "9SKH"),
        (pile("3D 9S"), "3D9SKH"),
        (pile("9S", whole=True), ".9SKH"),
        (NO_PILE, ".KH"),
    ],
)
def test_a_discard_that_was_ruled_legal_lies_on_what_was_known(before, after):
    evening = Evening()
    entry = evening.write(evening.judged(BEN, "discard", "discard KH", pile=before))
    assert known(evening) == {CEM: after}
    assert evening.hand.board.known_by == entry.number
    assert evening.pile == [card.text for card in (*before.cards, parse_cards("KH")[0])]


def test_one_that_was_ruled_legal_on_whatever_lies_there_is_known_alone():
    # Carioca has no rule on discards: no pile was asked for.
    evening = of_game("carioca")
    evening.play(ANA, "discard 9S")
    evening.write(evening.judged(CEM, "discard", "discard KH", pile=UNKNOWN_PILE))
    assert known(evening) == {ANA: "KH"}
    assert evening.pile == ["9S", "KH"]


def test_a_legal_turn_that_took_the_pile_leaves_its_discard_alone():
    evening = begun()
    evening.write(evening.judged(BEN, "turn", "take_pile", "meld 9S 9D 9H", "discard KD"))
    assert evening.pile == ["KD"]
    assert known(evening) == {CEM: ".KD"}


def test_a_legal_turn_without_a_discard_leaves_the_pile_as_known_as_it_was():
    evening = begun()
    evening.write(evening.judged(BEN, "turn", "meld 2C 2D 2H"))
    assert known(evening) == {BEN: "9S"}


def test_an_illegal_discard_passes_the_turn_so_that_the_pile_is_known_no_longer():
    # Ben may have drawn and discarded since, if it was carried out; or the 9♥ lies there, if not.
    evening = begun()
    entry = evening.write(evening.judged(BEN, "discard", "discard 9H", pile=pile("9S")))
    assert known(evening) == {}
    evening.write(RulingEnforced(1, entry.number))
    assert known(evening) == {}
    assert evening.pile == ["9S"]


def test_an_illegal_meld_that_is_taken_back_alone_leaves_the_turn_to_the_player():
    evening = begun()
    entry = evening.write(evening.judged(BEN, "meld", "meld 2C 3D 4H"))
    assert known(evening) == {BEN: "9S"}
    evening.write(RulingEnforced(1, entry.number))
    assert known(evening) == {BEN: "9S"}


def test_another_pile_than_the_known_one_was_said_so_that_nobody_knows_it():
    evening = begun()
    turn = ("meld 2C 3D 4H", "discard KD")
    evening.write(evening.judged(BEN, "turn", *turn, pile=pile("QC TS")))
    assert evening.pile == ["QC", "TS"]
    assert known(evening) == {}
    evening = begun()
    evening.write(evening.judged(BEN, "turn", *turn, pile=pile("9S")))
    assert known(evening) == {BEN: "9S"}


@pytest.mark.parametrize("rule", ["PRO-13.1", "PRO-13.2"])
@pytest.mark.parametrize("seat", [ANA, BEN])
def test_a_charge_that_takes_a_turn_back_makes_the_pile_unknown(rule, seat):
    evening = begun()
    evening.charge(seat, rule)
    assert known(evening) == {}
    other = begun()
    other.charge(seat, "PRO-13.3")
    assert known(other) == {BEN: "9S"}


def test_the_rest_of_a_turn_ends_with_a_discard_that_the_next_player_knows():
    evening = begun()
    turn = ("meld 2C 3D 4H", "meld TD JD QD", "discard KH")
    entry = evening.write(evening.judged(BEN, "turn", *turn, pile=pile("9S")))
    enforced = evening.write(RulingEnforced(1, entry.number, turn[1:]))
    assert evening.pile == ["9S", "KH"]
    assert known(evening) == {CEM: "9SKH"}
    assert evening.hand.board.known_by == enforced.number


def test_a_new_deal_has_a_pile_that_nobody_knows():
    evening = begun()
    evening.throw_in()
    assert known(evening) == {}
    evening = begun()
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    assert known(evening) == {}


def test_an_old_legal_ruling_says_no_more_of_the_pile_than_was_known():
    # Then the recorded pile was taken for what lay there, whoever played.
    evening = begun()
    evening.rule(CEM, "discard KH", verdict=LEGAL)
    assert evening.pile == ["9S", "KH"]
    assert known(evening) == {ANA: "KH"}
    evening = begun()
    evening.rule(BEN, "discard KH", verdict=LEGAL)
    assert known(evening) == {CEM: "9SKH"}


# -- the contract --------------------------------------------------------------------------------

TRIOS = ("meld 7C 7D 7H", "meld 9C 9D 9H")


def met(evening: Evening) -> list[bool]:
    return [evening.hand.board.has_met_contract(seat) for seat in evening.sheet.players]


def test_a_contract_that_was_ruled_legal_is_met_from_the_next_turn_on():
    evening = of_game("carioca")
    evening.write(evening.judged(BEN, "contract", *TRIOS))
    assert evening.melds == ["7C 7D 7H", "9C 9D 9H"]
    assert met(evening) == [False, False, False]
    evening.play(BEN, "discard KS")
    assert met(evening) == [False, True, False]
    evening.undo()
    evening.undo()
    assert evening.hand.board.contract == frozenset()


def test_so_is_one_in_a_whole_turn():
    evening = of_game("carioca")
    evening.write(evening.judged(BEN, "turn", *TRIOS, "discard KS"))
    assert met(evening) == [False, True, False]


@pytest.mark.parametrize(
    ("ask", "plays", "stated"),
    [
        ("contract", TRIOS[:1], {}),  # a trio is missing (CAR-3)
        ("turn", ("discard KS",), {}),
        ("lay_off", ("lay_off 7S onto 0",), {"contract_met": True}),
    ],
)
def test_no_other_ruling_says_that_it_was_met(ask, plays, stated):
    evening = of_game("carioca")
    evening.play(ANA, *TRIOS)
    evening.write(evening.judged(BEN, ask, *plays, pile=UNKNOWN_PILE, **stated))
    assert evening.hand.board.contract == frozenset()


def test_melds_on_record_are_no_contract():
    evening = of_game("carioca")
    evening.play(BEN, *TRIOS, "discard KS")
    assert met(evening) == [False, False, False]


def test_an_old_ruling_on_a_contract_says_that_it_lies_there():
    evening = of_game("carioca")
    evening.rule(BEN, *TRIOS, verdict=LEGAL, ask="contract")
    evening.play(BEN, "discard KS")
    assert met(evening) == [False, True, False]


def test_in_a_game_without_contracts_there_is_none_to_meet():
    evening = begun()
    evening.write(evening.judged(BEN, "turn", "meld 2C 2D 2H", "discard KS", pile=pile("9S")))
    assert evening.hand.board.contract == frozenset()


# -- carrying out --------------------------------------------------------------------------------


def test_a_ruling_is_carried_out_as_it_says():
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    entry = evening.write(evening.judged(BEN, "discard", "discard 9H", pile=pile("9S")))
    enforced = evening.write(RulingEnforced(1, entry.number))
    assert evening.melds == ["5C 6C 7C"]
    assert evening.totals == [0, 20, 0]
    assert line(evening).enforced == enforced
    with pytest.raises(NotPossible, match="carried out already"):
        evening.write(RulingEnforced(1, entry.number))


def test_one_without_a_charge_costs_nothing():
    evening = begun()
    entry = evening.write(evening.judged(BEN, "meld", "meld 2C 3D 4H"))
    evening.write(RulingEnforced(1, entry.number))
    assert evening.totals == [0, 0, 0]
    assert evening.hand.penalties == []


# -- replacing -----------------------------------------------------------------------------------


def wrong_discard(evening: Evening) -> int:
    event = evening.judged(BEN, "discard", "discard 9H", pile=pile("9S"), sources={"pile": 3})
    return evening.write(event).number


def right_discard(evening: Evening, number: int, table: tuple[Meld, ...] | None = None) -> Ruled:
    """The same with the fact changed: the 4♦ lies on top."""
    return evening.judged(
        BEN, "discard", "discard 9H", pile=pile("4D"), instead_of=number, lying=table
    )


def test_a_ruling_that_replaces_another_takes_its_charge_out_of_the_way():
    evening = begun()
    number = wrong_discard(evening)
    enforced = evening.write(RulingEnforced(1, number))
    assert evening.totals == [0, 20, 0]
    event = right_discard(evening, number)
    entry = evening.write(event)
    assert evening.totals == [0, 0, 0]
    (penalty,) = evening.hand.penalties
    assert (penalty.entry, penalty.withdrawn) == (enforced, entry)
    old, new = evening.hand.rulings
    assert (old.replaced, new.replaced) == (entry, None)
    assert evening.hand.standing_rulings == evening.hand.all_rulings == [new]
    assert evening.pile == ["4D", "9H"]
    assert known(evening) == {CEM: "4D9H"}
    evening.undo()
    assert evening.totals == [0, 20, 0]
    assert [one.replaced for one in evening.hand.rulings] == [None]
    assert evening.pile == ["9S"]
    assert_steps_are_replays(evening.entries)


def test_the_turn_that_the_replaced_one_took_back_lies_there_again():
    evening = begun()
    evening.play(BEN, "meld 2C 2D 2H")
    table = evening.hand.board.table.melds
    number = wrong_discard(evening)
    evening.write(RulingEnforced(1, number))
    assert evening.melds == ["5C 6C 7C"]
    evening.write(right_discard(evening, number, table))
    assert evening.melds == ["5C 6C 7C", "2C 2D 2H"]
    assert evening.hand.board.melded == {ANA, BEN}


def test_what_the_replaced_one_put_on_the_table_is_taken_away():
    evening = begun()
    table = evening.hand.board.table.melds
    first = evening.write(evening.judged(BEN, "lay_off", "lay_off 8C onto 0"))
    assert evening.melds == ["5C 6C 7C 8C"]
    other = evening.judged(
        CEM, "lay_off", "lay_off 8C onto 0", lying=table, instead_of=first.number
    )
    evening.write(other)
    assert evening.melds == ["5C 6C 7C 8C"]
    assert evening.hand.board.laid_off == {CEM}
    third = evening.judged(
        CEM, "lay_off", "lay_off 9C onto 0", lying=table, instead_of=evening.sheet.number
    )
    evening.write(third)
    assert evening.melds == ["5C 6C 7C"]
    assert evening.hand.board.laid_off == frozenset()
    assert len(evening.hand.standing_rulings) == 1


def test_one_that_left_the_table_alone_is_replaced_also_after_other_plays():
    evening = begun()
    number = wrong_discard(evening)
    evening.write(RulingEnforced(1, number))
    evening.play(CEM, "meld TD JD QD", "discard 2S")
    evening.write(right_discard(evening, number))
    assert evening.melds == ["5C 6C 7C", "TD JD QD"]
    assert evening.totals == [0, 0, 0]


def test_one_that_changed_the_table_is_not_once_something_came_after_it():
    evening = begun()
    first = evening.write(evening.judged(BEN, "lay_off", "lay_off 8C onto 0"))
    evening.play(CEM, "meld TD JD QD")
    other = evening.judged(CEM, "lay_off", "lay_off 9C onto 0", instead_of=first.number)
    with pytest.raises(NotPossible, match="The recorded table has changed since that ruling"):
        evening.write(other)
    evening.undo()
    table = line(evening).before.table.melds
    evening.write(
        evening.judged(CEM, "meld", "meld TD JD QD", lying=table, instead_of=first.number)
    )
    assert evening.melds == ["5C 6C 7C", "TD JD QD"]


def test_plays_between_a_ruling_and_its_carrying_out_stay_when_it_is_replaced():
    evening = begun()
    number = wrong_discard(evening)
    evening.play(CEM, "meld TD JD QD")
    evening.write(RulingEnforced(1, number))
    evening.write(right_discard(evening, number))
    assert evening.melds == ["5C 6C 7C", "TD JD QD"]
    assert evening.totals == [0, 0, 0]


def test_a_charge_that_was_withdrawn_already_is_not_withdrawn_again():
    evening = begun()
    number = wrong_discard(evening)
    charge = evening.write(RulingEnforced(1, number))
    back = evening.write(PenaltyWithdrawn(1, charge.number))
    evening.write(right_discard(evening, number))
    (penalty,) = evening.hand.penalties
    assert penalty.withdrawn == back
    assert evening.totals == [0, 0, 0]


def test_other_charges_stay():
    evening = begun()
    evening.charge(BEN, "PRO-13.3")
    number = wrong_discard(evening)
    evening.write(right_discard(evening, number))
    assert evening.totals == [0, 20, 0]


@pytest.mark.parametrize("number", [2, 99])
def test_what_is_no_ruling_is_not_replaced(number):
    evening = begun()
    with pytest.raises(NotPossible, match="has been replaced already"):
        evening.write(right_discard(evening, number))


def test_a_ruling_is_replaced_once_and_not_carried_out_after():
    evening = begun()
    number = wrong_discard(evening)
    evening.write(right_discard(evening, number))
    with pytest.raises(NotPossible, match="has been replaced already"):
        evening.write(right_discard(evening, number))
    with pytest.raises(NotPossible, match="no such ruling in hand 1"):
        evening.write(RulingEnforced(1, number))


def test_an_old_ruling_is_replaced_by_one_with_its_facts():
    evening = begun()
    old = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD)
    evening.write(RulingEnforced(1, old.number))
    evening.write(right_discard(evening, old.number))
    assert evening.totals == [0, 0, 0]
    assert [one.replaced is None for one in evening.hand.rulings] == [False, True]


# -- what cannot be kept -------------------------------------------------------------------------


def changed(evening: Evening, **fields: Any) -> Ruled:
    """A legal ruling with other fields, or with another question."""
    event = evening.judged(BEN, "lay_off", "lay_off 8C onto 0")
    of_question = {name: fields.pop(name) for name in ("ask", "plays", "melds") if name in fields}
    if "plays" in of_question:
        of_question["plays"] = tuple(map(parse_play, of_question["plays"]))
    return replace(event, question=replace(event.question, **of_question), **fields)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"player": 3}, "Say which player"),
        ({"player": -1}, "Say which player"),
        ({"hand": 2}, "Hand 1 is being played"),
        ({"charge": "PRO-13.6"}, "does not apply"),
        ({"charge": "PRO-13.5"}, "worked out"),
        ({"melds": ()}, "another table than the recorded one"),
        ({"melds": melds("TD JD QD", "5C 6C 7C")}, "another table than the recorded one"),
        ({"ask": "declare"}, "There are no such rulings in Proter"),
        ({"ask": "contract"}, "There are no such rulings in Proter"),
        ({"plays": ("lay_off 8C onto 1",)}, "no meld 1 on the table"),
        ({"plays": ("swap 8C onto 7",)}, "no meld 7 on the table"),
        ({"plays": ("lay_off KD onto 0",)}, "cannot be added"),
        ({"plays": ("lay_off AS onto 0",)}, "A♠ could be"),
        ({"plays": ("meld 5C 5D 5H",)}, "5♣ is in"),
    ],
)
def test_a_ruling_that_cannot_be_is_refused(fields, sentence):
    evening = begun()
    evening.write(changed(evening))
    evening.undo()
    with pytest.raises((NotPossible, Malformed, Illegal, Ambiguous), match=sentence):
        evening.write(changed(evening, **fields))


def test_a_ruling_that_is_not_one_on_its_plays_is_refused():
    evening = begun()
    event = evening.judged(BEN, "turn", "meld 2C 3D 4H", "discard KH", pile=pile("9S"))
    short = replace(event, ruling=replace(event.ruling, plays=event.ruling.plays[:1]))
    with pytest.raises(NotPossible, match="not one on these plays"):
        evening.write(short)
    # A meld of the same turn may be meant by a later play of it.
    evening.write(
        evening.judged(BEN, "turn", "meld 2C 2D 2H", "lay_off 2S onto 1", melded_this_turn=False)
    )


def test_a_pile_that_cannot_lie_there_is_refused():
    evening = begun()
    event = evening.judged(BEN, "discard", "discard 9H", pile=pile("9S"))
    question = replace(event.question, pile=pile("5C 9S"))
    with pytest.raises(Malformed, match="5♣ is in the melds on the table and in the pile"):
        evening.write(replace(event, question=question))


def test_a_meld_of_a_question_that_cannot_lie_there_is_refused():
    evening = begun()
    event = evening.judged(BEN, "lay_off", "lay_off 8C onto 0")
    lying = (*event.question.melds, *melds("5D 5H 5S", "5C AH=6C 7C")[1:])
    with pytest.raises(Malformed, match="5♣ is in the melds"):
        evening.write(replace(event, question=replace(event.question, melds=lying)))


def test_no_ruling_makes_a_player_leave_the_game():
    evening = of_game("indian_rummy")
    event = evening.judged(BEN, "discard", "discard KH", pile=UNKNOWN_PILE)
    with pytest.raises(NotPossible, match="makes a player leave"):
        evening.write(replace(event, charge="IND-7.1"))


def test_there_are_no_rulings_in_indian_chief():
    evening = of_game("indian_chief")
    event = Evening().judged(BEN, "discard", "discard KH")
    with pytest.raises(NotPossible, match="There are no such rulings in Indian Chief"):
        evening.write(event)


@pytest.mark.parametrize(
    ("game", "change", "sentence"),
    [
        ("kalooki", {"call": Call(BEN)}, "A call is made in the turn of another"),
        ("kalooki", {"call": None}, "A call is made in the turn of another"),
        ("kalooki", {"call": Call(9)}, "Say which player"),
        ("carioca", {}, "There are no such rulings"),
        ("kalooki", {"ask": DRAW}, "There are no such rulings"),
    ],
)
def test_a_call_that_cannot_be_is_refused(game, change, sentence):
    question = replace(Question(CALL, (), call=Call(ANA)), **change)
    event = Ruled(1, BEN, question, Ruling(), None, {})
    with pytest.raises(NotPossible, match=sentence):
        of_game(game).write(event)


@pytest.mark.parametrize(("cards", "play"), [("", "meld 7C 7D 7S"), ("7C KD", "discard 7C")])
def test_a_draw_that_cannot_be_is_refused(cards, play):
    house = game_named("contract_rummy").house("gamerules")
    start = GameStarted("contract_rummy", "gamerules", dict(house.values), ("A", "B", "C"), 0, "")
    drawn = Question(DRAW, (parse_play(play),), pile=pile(cards))
    with pytest.raises(NotPossible, match="A draw takes cards from the pile, and only melds"):
        Evening(start).write(Ruled(1, BEN, drawn, Ruling(), None, {}))


def test_a_draw_leaves_the_recorded_melds_and_an_unknown_pile():
    house = game_named("contract_rummy").house("gamerules")
    start = GameStarted("contract_rummy", "gamerules", dict(house.values), ("A", "B", "C"), 0, "")
    evening = Evening(start)
    evening.play(ANA, "discard 7C")
    evening.play(BEN, "discard KD")
    melds = (parse_play("meld 7C 7D 7S"), parse_play("meld KD KC KS"))
    drawn = Question(DRAW, melds, pile=pile("7C KD"))
    evening.write(Ruled(1, CEM, drawn, Ruling(), None, {}))
    assert evening.hand.board.table.melds == ()
    assert known(evening) == {}
    assert_steps_are_replays(evening.entries)
