"""Facts that nobody stated: a call (KAL-4) and a draw from inside the pile (CON-9), both ways."""

import pytest

from companion.notebook.events import CallNoted, PenaltyCharged
from companion.rules.cards import parse_cards, parse_meld_text
from companion.rules.errors import Malformed
from companion.rules.game import Deck
from companion.rules.games.contract_rummy import CONTRACT_RUMMY
from companion.rules.games.kalooki import KALOOKI
from companion.rules.question import CALL, DRAW, Call, Depends, Pile, Question, rule_on
from companion.rules.ruling import Ruling
from companion.rules.table import MeldPlay
from companion.services.rulings import calls_on_record
from tests.notebook.evening import ANA, BEN, of_game

REFUSABLE, FIRM = "call_may_be_refused", "call_cannot_be_refused"


def call(turn: int | None, *, laid: bool | None = False, melded: bool | None = None) -> object:
    """What follows from a call; the facts that it depends on if there is no ruling yet."""
    question = Question(CALL, (), call=Call(turn, 0, melded))
    known = "melded_this_hand"
    asked = question.without(known) if laid is None else question.with_flag(known, laid)
    found = rule_on(KALOOKI.rules(KALOOKI.house(), 1), asked)
    return found.on if isinstance(found, Depends) else [one.id for one in found.follows][:1]


@pytest.mark.parametrize(
    ("melded", "follows"),
    [(None, "call_may_be_refused_unless_melded"), (True, FIRM), (False, REFUSABLE)],
)
def test_what_follows_from_a_call(melded, follows):
    assert call(ANA, melded=melded) == [follows]


def test_whether_the_caller_laid_anything_matters_in_the_turn_of_another():
    assert call(ANA, laid=None) == ("melded_this_hand",)
    assert call(None, laid=None) == []
    assert call(ANA, laid=True) == []


def test_calls_of_a_deal_that_was_thrown_in_are_not_counted():
    evening = of_game("kalooki")
    evening.write(PenaltyCharged(1, BEN, "KAL-4"))
    assert calls_on_record(evening.hand, BEN) == 4
    evening.throw_in()
    assert calls_on_record(evening.hand, BEN) == 0
    evening.write(CallNoted(1, BEN))
    assert calls_on_record(evening.hand, BEN) == 1


def draw(
    melds: str, contract_met: bool | None = None, taken: str = "7C 4H", hand: int = 1
) -> Ruling | Depends:
    """A draw on the gamerules sheet, with two packs and two jokers. Hand 1 asks for 2 sets."""
    rules = CONTRACT_RUMMY.rules(CONTRACT_RUMMY.house("gamerules"), hand, Deck(2, 2))
    plays = tuple(MeldPlay(parse_meld_text(meld)) for meld in melds.split("/"))
    question = Question(DRAW, plays, pile=Pile(parse_cards(taken), whole=False))
    known = "contract_met"
    if contract_met is None:
        return rule_on(rules, question.without(known))
    return rule_on(rules, question.with_flag(known, contract_met))


@pytest.mark.parametrize(
    ("melds", "contract_met", "legal"),
    [
        ("5C 6C 7C", None, None),
        ("5C 6C 7C", True, True),
        ("5C 6C 7C", False, False),
        ("7C 7D 7S / KC KD KS", None, True),
        ("5C 6D 7C", None, False),
    ],
)
def test_a_draw_before_the_contract_and_after_it(melds, contract_met, legal):
    found = draw(melds, contract_met)
    assert (None if isinstance(found, Depends) else found.legal) is legal


@pytest.mark.parametrize(
    ("melds", "hand", "if_not_met"),
    [
        ("6C 7C XX", 1, False),  # as 5♣ or 8♣
        ("7C XX XX", 1, False),  # a set or a run
        ("7C 7D XX / KC KD XX", 1, True),
        ("7C XX=7H XX / KC KD KS", 1, True),
        # Hand 2 asks for a set and a run: the first meld may be either.
        ("7C XX XX / KC KD KS", 2, True),
        ("7C XX XX / 2D 3D 4D", 2, True),
    ],
)
def test_a_meld_with_open_jokers_is_legal_if_one_reading_of_it_is(melds, hand, if_not_met):
    met, not_met = draw(melds, True, hand=hand), draw(melds, False, hand=hand)
    assert isinstance(met, Ruling)
    assert isinstance(not_met, Ruling)
    assert (met.legal, not_met.legal) == (True, if_not_met)


def test_the_upper_one_of_two_equal_cards_is_the_one_that_is_drawn():
    with pytest.raises(Malformed, match="another 7♣ above it") as problem:
        draw("7C 7D 7S", taken="7C 7C")
    assert problem.value.where == "above"
