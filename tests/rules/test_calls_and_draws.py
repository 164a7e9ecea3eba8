"""Calls for the discard (KAL-4), draws from inside the pile and “May I?” (CON-9)."""

import pytest

from companion.rules.cards import parse_card, parse_cards, parse_meld_text
from companion.rules.errors import Malformed
from companion.rules.game import Deck
from companion.rules.games.contract_rummy import CONTRACT_RUMMY, ContractRummyJudge
from companion.rules.games.kalooki import KALOOKI, KalookiJudge
from companion.rules.question import Call
from companion.rules.ruling import Ruling
from companion.rules.seating import who_gets
from companion.rules.table import Player, parse_table


def kalooki() -> KalookiJudge:
    rules = KALOOKI.rules(KALOOKI.house(), 1)
    assert isinstance(rules, KalookiJudge)
    return rules


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
def test_players_may_call_for_the_discard_by_kal_4(
    melded, own_turn, active_melded, calls, points, says, follows
):
    asked = Call(None if own_turn else 1, calls, active_melded)
    call = kalooki().rule_on_call(asked, Player(melded_this_hand=melded))
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


# -- CON-9 -----------------------------------------------------------------------------------------

MET = Player(contract_met=True)


def gamerules(hand: int = 2, sheet: str = "gamerules") -> ContractRummyJudge:
    rules = CONTRACT_RUMMY.rules(CONTRACT_RUMMY.house(sheet), hand)
    assert isinstance(rules, ContractRummyJudge)
    return rules


def drawn(card: str, melds: str, player: Player = MET, *, pile: str = "2C 7C KD 4H") -> Ruling:
    rules = gamerules()
    table = parse_table(["TH JH QH"], parse_cards(pile), rules)
    groups = [parse_meld_text(meld) for meld in melds.split("/") if meld.strip()]
    return rules.rule_on_draw(table, parse_card(card), groups, player)


@pytest.mark.parametrize(
    ("card", "melds", "player", "broken"),
    [
        ("7C", "5C 6C 7C", MET, ()),
        # A card above it may go into a meld as well.
        ("7C", "5C 6C 7C / KD KC KS", MET, ()),
        ("2C", "2C 2D 2S", MET, ()),
        ("7C", "", MET, ("CON-9",)),
        # The king is melded, and not the seven that was drawn.
        ("7C", "KD KC KS", MET, ("CON-9",)),
        ("7C", "5C 6C 7C 9C", MET, ("CON-5", "CON-9")),
        # Before the contract of hand 2, a set and a run, only that.
        ("7C", "5C 6C 7C", Player(), ("CON-3", "CON-9")),
        ("7C", "5C 6C 7C / KD KC KS", Player(), ()),
        # Jokers make a run of the seven, as the contract needs, though they could make a set.
        ("7C", "7C XX XX / KD KC KS", Player(), ()),
    ],
)
def test_a_card_inside_the_pile_is_melded_at_once(card, melds, player, broken):
    assert drawn(card, melds, player).broken == broken


def test_the_ruling_on_a_draw_names_the_cards_taken():
    assert drawn("7C", "5C 6C 7C").says.startswith("Legal: 7♣ is melded at once")
    says = drawn("7C", "").says
    assert says.startswith("7♣ lies inside the pile. It may be taken, with all cards above it")
    # A single card from the top needs no meld; of two equal ones the topmost is meant.
    says = drawn("4H", "").says
    assert says == "Legal: 4♥ is taken alone, and may not be discarded in this turn."
    assert drawn("7C", "", pile="7C 2C 7C").says.startswith("Legal: 7♣ is taken alone")


@pytest.mark.parametrize(
    ("card", "melds", "words"),
    [
        ("9C", "", "9♣ is not in the pile"),
        # A card under the one that is taken stays in the pile: with one pack it is nowhere else.
        ("7C", "7C 7D 7S / 2C 2D 2S", "2♣ is in the pile and in the melds from the hand"),
        ("7C", "7C 7D 7S / TH TD TS", "10♥ is in the melds on the table"),
    ],
)
def test_an_impossible_draw_is_refused(card, melds, words):
    rules = CONTRACT_RUMMY.rules(CONTRACT_RUMMY.house("gamerules"), 2, Deck(1, 1))
    assert isinstance(rules, ContractRummyJudge)
    table = parse_table(["TH JH QH"], parse_cards("2C 7C KD 4H"), rules)
    groups = [parse_meld_text(meld) for meld in melds.split("/") if meld.strip()]
    with pytest.raises(Malformed, match=words):
        rules.rule_on_draw(table, parse_card(card), groups, MET)

    # On the denexa sheet nothing is drawn from inside the pile.
    rules = gamerules(sheet="denexa")
    table = parse_table([], parse_cards("7C 4H"), rules)
    with pytest.raises(Malformed, match="drawing from inside the pile"):
        rules.rule_on_draw(table, parse_card("7C"), [], MET)


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
def test_the_asker_nearest_the_active_players_left_gets_the_upcard(
    asked, active, players, last_taker, gets
):
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
