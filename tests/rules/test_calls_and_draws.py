"""Calls for the discard (KAL-4), draws from inside the pile and “May I?” (CON-9)."""

import pytest

from companion.rules.cards import parse_cards, parse_meld_text
from companion.rules.errors import Malformed
from companion.rules.game import Deck
from companion.rules.question import CALL, DRAW, Call, Depends, Pile, Question, rule_on
from companion.rules.ruling import Ruling
from companion.rules.seating import who_gets
from companion.rules.table import MeldPlay, Player, parse_table
from tests.rules.judges import rules_of

MAY = "may refuse by taking the card; a refused call does not count."
MAY_UNLESS = "may refuse by taking the card, unless that player has melded in this hand; a refused"
CANNOT = "The player whose turn it is has melded, and cannot refuse."
LEGAL = "Legal: the player may call for the top of the pile."
ONLY = "Only a player who has laid nothing in the hand may call."
OWN = "Players may call only in another player's turn"
CALLS = [
    # the caller has melded; it is the caller's turn; the player at turn has melded; successful
    # calls before; points, or None for a legal call; what is said, and what the others may do
    (False, False, False, 0, None, LEGAL, MAY),
    (False, False, False, 2, None, LEGAL, MAY),
    (False, False, None, 0, None, LEGAL, MAY_UNLESS),
    (False, False, True, 0, None, LEGAL, CANNOT),
    (True, False, False, 5, 0, ONLY, ""),
    (False, True, False, 5, 0, OWN, ""),
    (True, True, False, 5, 0, OWN, ""),
    (True, True, False, 5, 0, ONLY, ""),
    (False, False, True, 3, 50, "3 calls of this player succeeded before", CANNOT),
    (False, False, True, 9, 50, "9 calls of this player succeeded before", CANNOT),
]


@pytest.mark.parametrize(
    ("melded", "own_turn", "active_melded", "calls", "points", "says", "follows"), CALLS
)
def test_calls_by_kal_4(melded, own_turn, active_melded, calls, points, says, follows):
    asked = Call(None if own_turn else 1, calls, active_melded)
    call = rules_of("kalooki").rule_on_call(asked, Player(melded_this_hand=melded))
    assert call.broken == (() if points is None else ("KAL-4",))
    assert (call.consequence.points, call.consequence.take_back.text) == (points or 0, "none")
    assert says in call.says
    assert bool(call.follows) is bool(follows)
    if follows:
        refusal, penalty_card = (message.says for message in call.follows)
        assert follows in refusal
        assert penalty_card == "The caller takes the card, and a penalty card from the stock."
    if points is not None:
        costs = f"{points} points" if points else "No points"
        assert call.says.endswith(f"{costs}; nothing is taken back.")


def facts_or_rules(turn: int | None, *, laid: bool | None) -> object:
    """Return the facts that a call depends on, or the rules that it breaks."""
    question, known = Question(CALL, (), call=Call(turn)), "melded_this_hand"
    asked = question.without(known) if laid is None else question.with_flag(known, laid)
    found = rule_on(rules_of("kalooki"), asked)
    return found.on if isinstance(found, Depends) else found.broken


def test_whether_the_caller_laid_anything_matters_in_the_turn_of_another():
    assert facts_or_rules(0, laid=None) == ("melded_this_hand",)
    assert facts_or_rules(0, laid=False) == ()
    assert facts_or_rules(0, laid=True) == ("KAL-4",)
    assert facts_or_rules(None, laid=None) == ("KAL-4",)


# -- CON-9 -----------------------------------------------------------------------------------------

MET = Player(contract_met=True)


def drawn(taken: str, melds: str, player: Player = MET, *, deck: Deck | None = None) -> Ruling:
    rules = rules_of("contract_rummy", 2, "gamerules", deck)
    table = parse_table(["TH JH QH"], parse_cards(taken), rules)
    groups = [parse_meld_text(meld) for meld in melds.split("/") if meld.strip()]
    return rules.rule_on_draw(table, groups, player)


@pytest.mark.parametrize(
    ("taken", "melds", "player", "broken"),
    [
        ("7C KD 4H", "5C 6C 7C", MET, ()),
        # A card above it may go into a meld as well.
        ("7C KD 4H", "5C 6C 7C / KD KC KS", MET, ()),
        ("2C 7C KD 4H", "2C 2D 2S", MET, ()),
        ("7C KD 4H", "", MET, ("CON-9",)),
        # The king is melded, and not the seven that was drawn.
        ("7C KD 4H", "KD KC KS", MET, ("CON-9",)),
        ("7C KD 4H", "5C 6C 7C 9C", MET, ("CON-5", "CON-9")),
        # Before the contract of hand 2, a set and a run, only that.
        ("7C KD 4H", "5C 6C 7C", Player(), ("CON-3", "CON-9")),
        ("7C KD 4H", "5C 6C 7C / KD KC KS", Player(), ()),
        # Jokers make a run of the seven, as the contract needs, though they could make a set.
        ("7C KD 4H", "7C XX XX / KD KC KS", Player(), ()),
    ],
)
def test_a_card_inside_the_pile_is_melded_at_once(taken, melds, player, broken):
    assert drawn(taken, melds, player).broken == broken


def test_the_ruling_on_a_draw_names_the_cards_taken():
    assert drawn("7C KD 4H", "5C 6C 7C").says.startswith("Legal: 7♣ is melded at once")
    says = drawn("7C KD 4H", "").says
    assert says.startswith("7♣ lies inside the pile. It may be taken, with all cards above it")
    # A single card from the top needs no meld.
    says = drawn("4H", "").says
    assert says == "Legal: 4♥ is taken alone, and may not be discarded in this turn."


def test_an_impossible_draw_is_refused():
    with pytest.raises(Malformed, match="10♥ is in the melds on the table"):
        drawn("7C KD 4H", "7C 7D 7S / TH TD TS", deck=Deck(1, 1))


def draw(melds: str, contract_met: bool | None = None, taken: str = "7C 4H") -> Ruling | Depends:
    """A draw of hand 1, which asks for 2 sets, with two packs and two jokers."""
    plays = tuple(MeldPlay(parse_meld_text(meld)) for meld in melds.split("/"))
    question = Question(DRAW, plays, pile=Pile(parse_cards(taken), whole=False))
    rules = rules_of("contract_rummy", 1, "gamerules", Deck(2, 2))
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


def test_a_draw_does_not_depend_on_the_cards_that_stay_in_the_pile():
    ruling = draw("7C 7D 7S / KC KD KS", taken="7C")
    assert (ruling.legal, ruling.regardless_of) == (True, ("contract_met",))


def test_the_upper_one_of_two_equal_cards_is_the_one_that_is_drawn():
    with pytest.raises(Malformed, match="Another 7♣ lies above it") as problem:
        draw("7C 7D 7S", taken="7C 7C")
    assert problem.value.where == "above"


@pytest.mark.parametrize(
    ("asked", "active", "players", "last_taker", "gets"),
    [
        # Seat 1 is at the left of seat 0, and seat 0 at the left of the last.
        ([], 0, 4, None, None),
        ([2, 1], 0, 4, None, 1),
        ([3, 1, 2], 0, 4, None, 1),
        ([0, 1], 3, 4, None, 0),
        ([0, 1, 3, 4], 2, 5, None, 3),
        # Who took the upcard on top of this one does not get it.
        ([1], 0, 4, 1, None),
        ([1, 3], 0, 4, 1, 3),
        ([1, 3], 0, 4, 3, 1),
    ],
)
def test_the_nearest_asker_gets_the_upcard(asked, active, players, last_taker, gets):
    assert who_gets(asked, active, players, last_taker) == gets


@pytest.mark.parametrize(
    ("asked", "active", "words"),
    [
        ([4], 0, "There is no seat 4; there are 4, from 0"),
        ([-1], 0, "There is no seat -1"),
        ([1], 4, "There is no seat 4"),
        ([1, 0], 0, "The player whose turn it is drew another card and cannot ask"),
    ],
)
def test_some_players_cannot_ask_for_the_upcard(asked, active, words):
    with pytest.raises(Malformed, match=words) as raised:
        who_gets(asked, active, 4)
    assert raised.value.where == "asked"
