"""Facts that nobody stated: a call (KAL-4) and a draw from inside the pile (CON-9), both ways."""

import pytest

from companion.notebook.events import CallNoted, GameStarted, PenaltyCharged
from companion.rules.cards import parse_cards, parse_meld_text
from companion.rules.errors import Malformed
from companion.rules.game import Deck
from companion.rules.games.contract_rummy import CONTRACT_RUMMY, ContractRummyJudge, Draw
from companion.rules.games.kalooki import KALOOKI, KalookiJudge
from companion.rules.table import Table
from companion.services.calls_and_draws import (
    calls_on_record,
    is_same,
    rule_on_call,
    rule_on_draw,
)
from tests.notebook.evening import BEN, NAMES, Evening

REFUSABLE, FIRM = "call_may_be_refused", "call_cannot_be_refused"


def call(
    *, own_turn: bool = False, laid: bool | None = False, melded: bool | None = None
) -> tuple[list[str], list[str]] | None:
    """What follows from a call if the player at turn has melded, and if not."""
    rules = KALOOKI.rules(KALOOKI.house(), 1)
    assert isinstance(rules, KalookiJudge)
    ways = rule_on_call(rules, own_turn=own_turn, laid=laid, melded=melded, calls=0)
    if ways is None:
        return None
    if_melded, if_not = ([one.id for one in way.follows][:1] for way in ways)
    return if_melded, if_not


@pytest.mark.parametrize(
    ("melded", "ways"),
    [
        (None, ([FIRM], [REFUSABLE])),
        (True, ([FIRM], [FIRM])),
        (False, ([REFUSABLE], [REFUSABLE])),
    ],
)
def test_what_follows_from_a_call(melded: bool | None, ways: tuple[list[str], list[str]]) -> None:
    assert call(melded=melded) == ways


def test_whether_the_caller_laid_anything_matters_in_the_turn_of_another() -> None:
    assert call(laid=None) is None
    assert call(laid=None, own_turn=True) == ([], [])
    assert call(laid=True) == ([], [])


def test_calls_of_a_deal_that_was_thrown_in_are_not_counted() -> None:
    house = KALOOKI.house()
    evening = Evening(GameStarted("kalooki", house.sheet, dict(house.values), NAMES[:3], 0, ""))
    evening.write(PenaltyCharged(1, BEN, "KAL-4"))
    assert calls_on_record(evening.hand, BEN) == 4
    evening.throw_in()
    assert calls_on_record(evening.hand, BEN) == 0
    evening.write(CallNoted(1, BEN))
    assert calls_on_record(evening.hand, BEN) == 1


def draw(
    melds: str, contract_met: bool | None = None, taken: str = "7C 4H", hand: int = 1
) -> tuple[Draw, Draw]:
    """A draw on the gamerules sheet, with two packs and two jokers. Hand 1 asks for 2 sets."""
    rules = CONTRACT_RUMMY.rules(CONTRACT_RUMMY.house("gamerules"), hand, Deck(2, 2))
    assert isinstance(rules, ContractRummyJudge)
    groups = [parse_meld_text(meld) for meld in melds.split("/")]
    return rule_on_draw(rules, Table(), parse_cards(taken), groups, contract_met)


@pytest.mark.parametrize(
    ("melds", "contract_met", "legal"),
    [
        ("5C 6C 7C", None, (True, False)),
        ("5C 6C 7C", True, (True, True)),
        ("5C 6C 7C", False, (False, False)),
        ("7C 7D 7S / KC KD KS", None, (True, True)),
        ("5C 6D 7C", None, (False, False)),
    ],
)
def test_a_draw_before_the_contract_and_after_it(
    melds: str, contract_met: bool | None, legal: tuple[bool, bool]
) -> None:
    if_met, if_not = draw(melds, contract_met)
    assert (if_met.ruling.legal, if_not.ruling.legal) == legal
    assert is_same(if_met, if_not) == (legal[0] == legal[1])


@pytest.mark.parametrize(
    ("melds", "hand", "legal"),
    [
        ("6C 7C XX", 1, (True, False)),  # as 5♣ or 8♣
        ("7C XX XX", 1, (True, False)),  # a set or a run
        ("7C 7D XX / KC KD XX", 1, (True, True)),
        ("7C XX=7H XX / KC KD KS", 1, (True, True)),
        # Hand 2 asks for a set and a run: the first meld may be either.
        ("7C XX XX / KC KD KS", 2, (True, True)),
        ("7C XX XX / 2D 3D 4D", 2, (True, True)),
    ],
)
def test_a_meld_with_open_jokers_is_legal_if_one_reading_of_it_is(
    melds: str, hand: int, legal: tuple[bool, bool]
) -> None:
    if_met, if_not = draw(melds, hand=hand)
    assert (if_met.ruling.legal, if_not.ruling.legal) == legal


def test_the_upper_one_of_two_equal_cards_is_the_one_that_is_drawn() -> None:
    with pytest.raises(Malformed, match="another 7♣ above it") as problem:
        draw("7C 7D 7S", taken="7C 7C")
    assert problem.value.where == "above"
