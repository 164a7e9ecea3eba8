"""The facts of a call (KAL-4), a draw from inside the pile and “May I?” (CON-9)."""

import pytest

from companion.notebook.describe import why_upcard
from companion.notebook.events import CallNoted, NotPossible, PenaltyCharged, UpcardGiven
from companion.rules.cards import parse_cards, parse_meld_text
from companion.rules.errors import Malformed
from companion.rules.game import Deck
from companion.rules.games.contract_rummy import CONTRACT_RUMMY
from companion.rules.games.kalooki import KALOOKI
from companion.rules.question import CALL, DRAW, Call, Depends, Pile, Question, rule_on
from companion.rules.ruling import Ruling
from companion.rules.table import MeldPlay
from companion.services.rulings import calls_on_record, last_taker, rule_on_upcard
from tests.notebook.evening import ANA, BEN, of_game
from tests.notebook.test_calls_and_upcards import TO_BEN, evening


def call(turn: int | None, *, laid: bool | None) -> object:
    """Return the facts that a call depends on, or the rules that it breaks."""
    question, known = Question(CALL, (), call=Call(turn)), "melded_this_hand"
    asked = question.without(known) if laid is None else question.with_flag(known, laid)
    found = rule_on(KALOOKI.rules(KALOOKI.house(), 1), asked)
    return found.on if isinstance(found, Depends) else found.broken


def test_whether_the_caller_laid_anything_matters_in_the_turn_of_another():
    assert call(ANA, laid=None) == ("melded_this_hand",)
    assert call(ANA, laid=False) == ()
    assert call(ANA, laid=True) == ("KAL-4",)
    assert call(None, laid=None) == ("KAL-4",)


def test_calls_of_a_deal_that_was_thrown_in_are_not_counted():
    kalooki = of_game("kalooki")
    kalooki.write(CallNoted(1, BEN))
    kalooki.write(PenaltyCharged(1, BEN, "KAL-4"))
    assert calls_on_record(kalooki.hand, BEN) == 4
    kalooki.throw_in()
    assert calls_on_record(kalooki.hand, BEN) == 0
    kalooki.write(CallNoted(1, BEN))
    assert calls_on_record(kalooki.hand, BEN) == 1


def draw(
    melds: str, contract_met: bool | None = None, taken: str = "7C 4H", hand: int = 1
) -> Ruling | Depends:
    """A draw on the gamerules sheet, with two packs and two jokers. Hand 1 asks for 2 sets."""
    rules = CONTRACT_RUMMY.rules(CONTRACT_RUMMY.house("gamerules"), hand, Deck(2, 2))
    plays = tuple(MeldPlay(parse_meld_text(meld)) for meld in melds.split("/"))
    question = Question(DRAW, plays, pile=Pile(parse_cards(taken), whole=False))
    return rule_on(rules, question.with_flag("contract_met", contract_met))


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


def test_the_upper_one_of_two_equal_cards_is_the_one_that_is_drawn():
    with pytest.raises(Malformed, match="Another 7♣ lies above it") as problem:
        draw("7C 7D 7S", taken="7C 7C")
    assert problem.value.where == "above"


# -- who gets the card that the player at turn does not want: Ben sits at Ana's left, Cem at Ben's -


def test_missing_facts_are_asked_for():
    for player, asked, sentence, field in (
        (None, (1,), "Say whose turn it was.", "player"),
        (7, (1,), "Say whose turn it was.", "player"),
        (0, (), "Say who asked for the card.", "asked"),
        (0, (0, 1), "It is Ana's turn. Choose only others who asked.", "asked"),
    ):
        with pytest.raises(NotPossible) as raised:
            rule_on_upcard(evening().sheet, player, asked, None)
        assert (str(raised.value), raised.value.field) == (sentence, field)


def test_the_last_taker_is_known_if_that_was_recorded_last():
    loaded = evening()
    assert last_taker(loaded.hand, loaded.sheet) is None
    loaded.write(TO_BEN)
    assert last_taker(loaded.hand, loaded.sheet) == 1
    loaded.play(2, "discard 9S")
    assert last_taker(loaded.hand, loaded.sheet) is None


IN_A_ROW = "Ben took the card before it, and nobody takes two in a row."
STOCK = "A card from the stock goes with it."
NEAREST = "Of Ben and Cem, Ben sits nearest to the left of Ana, whose turn it is."


@pytest.mark.parametrize(
    ("asked", "before", "gets", "says"),
    [
        ((2,), None, 2, STOCK),
        ((1, 2), None, 1, f"{NEAREST} {STOCK}"),
        ((1, 2), 1, 2, f"{IN_A_ROW} {STOCK}"),
        ((1,), 1, None, f"{IN_A_ROW} The card stays, and Ana plays on."),
        ((2,), 1, 2, STOCK),
    ],
)
def test_the_ruling_names_the_deciding_facts(asked, before, gets, says):
    sheet = evening().sheet
    given = rule_on_upcard(sheet, 0, asked, before)
    assert given == UpcardGiven(1, 0, asked, before, gets)
    assert why_upcard(sheet, given) == says
