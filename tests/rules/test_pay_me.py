"""Pay Me: false calls, arrangements, and “Pay me!”, with all cards held in melds (PAY-7, PAY-8)."""

from typing import Any

import pytest

from companion.check import answer
from companion.rules.cards import Card, parse_card, parse_cards, parse_meld_text
from companion.rules.declaring import Declaration
from companion.rules.errors import Malformed
from companion.rules.games.indian_rummy import INDIAN_RUMMY
from companion.rules.games.pay_me import PAY_ME, PayMeJudge
from companion.rules.table import Player, Table, parse_play
from companion.rules.turn import judge_turn


@pytest.mark.parametrize(
    ("false_call", "plays", "charge"),
    [
        (0, ["meld 5C 6C 7C"], None),
        (25, ["meld 5C 6C 7C"], "PAY-10"),
        (25, ["meld 5C 6C 9C", "discard 5C"], None),
        (25, ["meld 5C 6C 7C", "discard 9H"], None),
        # PAY-7 as well, and no call.
        (25, ["discard 9H", "discard 5C"], None),
    ],
)
def test_a_false_call_is_charged_if_the_table_says_so(false_call, plays, charge):
    house = PAY_ME.house(None, {"false_call": false_call})
    rules = PAY_ME.rules(house, 1)
    turn = judge_turn(rules, Table(), [parse_play(play) for play in plays], Player())
    assert rules.charge_for(turn) == charge
    assert PAY_ME.charge("PAY-10").applies(house) is bool(false_call)


ARRANGEMENTS = [
    # cards; melds that may be laid off on; house rules; points and deadwood; what is laid off
    ("9C 9D 9H KS 4C", "5C 6C 7C", {}, "10 KS", ["4C onto 0"]),
    ("9C 9D 9H KS 4C", "", {}, "15 4C KS", []),
    ("9C 9D XX KS", "", {}, "10 KS", []),
    # Two wild cards are more than half of three; one at each end of a run they are not.
    ("XX 2D TH KS", "", {}, "50 XX 2D TH KS", []),
    ("XX 2D TH KS", "5C 6C 7C", {}, "20 TH KS", ["2 cards onto 0"]),
    # The 9♣ follows a wild 8♣, and parts it from another wild card.
    ("XX 2D 9C KS", "5C 6C 7C", {}, "10 KS", ["3 cards onto 0"]),
    ("8C 8D 8H", "", {}, "0", []),
    ("8C 8D 8H", "", {"wild_in_own_place": "wild"}, "45 8C 8D 8H", []),
    ("QH KH AH 2S", "", {}, "5 AH", []),
    ("QH KH AH 2S", "", {"ace_in_runs": "high"}, "0", []),
    # Two sets of one rank are two melds, and the same suit is twice in none.
    ("9C 9D 9H 9C 9D 9S", "", {}, "0", []),
    ("9C 9C 9D", "", {}, "30 9C 9C 9D", []),
    ("9S 9C TD", "9C 9D 9H", {}, "20 9C TD", ["9S onto 0"]),
]


@pytest.mark.parametrize(("cards", "onto", "agreed", "left", "laid_off"), ARRANGEMENTS)
def test_the_best_arrangement_in_hand_six(cards, onto, agreed, left, laid_off):
    question = {"game": "pay_me", "hand": 6, "ask": "arrange", "cards": cards, "rules": agreed}
    best = answer(question | {"onto": [onto] if onto else []})
    points, _, deadwood = left.partition(" ")
    assert (best["points"], sorted(best["deadwood"])) == (int(points), sorted(deadwood.split()))
    assert [said(one) for one in best["laid_off"]] == laid_off


def said(laid: dict[str, Any]) -> str:
    cards = laid["cards"].split()
    what = cards[0] if len(cards) == 1 else f"{len(cards)} cards"
    return f"{what} onto {laid['onto']}"


def rules_of(hand: int, false_call: int = 0) -> PayMeJudge:
    rules = PAY_ME.rules(PAY_ME.house(None, {"false_call": false_call}), hand)
    assert isinstance(rules, PayMeJudge)
    return rules


def called(
    cards: str, melds: str = "", discard: str = "", *, hand: int = 4, false_call: int = 0
) -> Declaration:
    """The answer on a call; ``melds`` are the groups that the player made."""
    groups = [parse_meld_text(meld) for meld in melds.split("/") if meld.strip()]
    card: Card | None = parse_card(discard) if discard else None
    return rules_of(hand, false_call).rule_on_declaration(parse_cards(cards), groups, card)


def melds_of(found: Declaration) -> list[str]:
    return sorted(meld.text for meld in found.melds)


def test_seven_cards_in_melds_are_legal_with_one_discard_or_none():
    # Hand 4 deals six cards; sixes are wild.
    with_one = called("3C 4C 5C 9C 9D 9H KH")
    assert with_one.ruling.legal
    assert (melds_of(with_one), with_one.discard) == (["3C 4C 5C", "9C 9D 9H"], parse_card("KH"))
    assert with_one.ruling.says == "Legal: 6 cards in 2 melds, and K♥ is discarded."
    without = called("3C 4C 5C 9C 9D 9H 9S")
    assert (melds_of(without), without.discard) == (["3C 4C 5C", "9C 9D 9H 9S"], None)
    assert without.ruling.says == "Legal: 7 cards in 2 melds."


def test_the_named_discard_is_in_no_meld():
    named = called("3C 4C 5C 9C 9D 9H 9S", discard="9S")
    assert (melds_of(named), named.discard) == (["3C 4C 5C", "9C 9D 9H"], parse_card("9S"))
    wrong = called("3C 4C 5C 9C 9D 9H KH", discard="9H")
    assert wrong.ruling.broken == ("PAY-7",)
    # Without the 9♥ only the run is left: two nines and the king are over.
    assert (wrong.unmelded, wrong.melds, wrong.discard) == (3, (), None)


@pytest.mark.parametrize(
    ("cards", "unmelded"),
    [
        ("3C 4C 5C 9C 9D JH KH", 4),
        ("3C 4C 7C 9C 9D JH KH", 7),
        # A wild six makes three of the two nines.
        ("3C 4C 5C 9C 9D 6H KH", 0),
        ("3C 4C 5C 9C TD 6H KH", 3),
    ],
)
def test_a_false_call_says_how_many_cards_are_in_no_meld(cards, unmelded):
    found = called(cards)
    assert (found.unmelded, found.ruling.legal) == (unmelded, unmelded == 0)
    if unmelded:
        says = f"However the cards are arranged, {unmelded} cards would be in no meld."
        assert found.ruling.says.startswith(says)


@pytest.mark.parametrize(
    ("melds", "discard", "broken", "unmelded"),
    [
        ("3C 4C 5C / 9C 9D 9H", "", (), 0),
        ("3C 4C 5C / 9C 9D 9H", "KH", (), 0),
        ("3C 4C 5C", "", ("PAY-7",), 4),
        ("3C 4C 5C", "KH", ("PAY-7",), 3),
        ("3C 4C 5C / 9C 9D 9H", "9H", None, 0),
        ("3C 4C 5C / 9C 9D KH", "9H", ("PAY-4", "PAY-5", "PAY-7"), 3),
        ("3C 4C 5C / 9C 9D", "", ("PAY-4", "PAY-7"), 4),
    ],
)
def test_a_call_is_ruled_on_as_the_player_grouped_the_cards(melds, discard, broken, unmelded):
    cards = "3C 4C 5C 9C 9D 9H KH"
    if broken is None:
        with pytest.raises(Malformed, match="9♥ is in a meld, and cannot be discarded"):
            called(cards, melds, discard)
        return
    found = called(cards, melds, discard)
    assert (found.ruling.broken, found.unmelded) == (broken, unmelded)
    assert found.discard == (parse_card("KH") if not broken else None)


def test_leftover_cards_are_named_with_the_rule():
    says = called("3C 4C 5C 9C 9D JH KH", "3C 4C 5C", "KH").ruling.says
    assert "In no meld: 9♣ 9♦ J♥." in says
    assert "3 cards in no meld: a player who goes out has the whole hand in melds" in says


@pytest.mark.parametrize("melds", ["", "3C 4C 5C"])
def test_a_false_call_costs_what_the_table_agreed_on(melds):
    cards = "3C 4C 5C 9C 9D JH KH"
    for points in (0, 25):
        ruling = called(cards, melds, false_call=points).ruling
        assert (ruling.consequence.points, ruling.consequence.take_back.text) == (points, "play")
        charge = rules_of(4, points).charge_for(ruling)
        assert charge == ("PAY-10" if points else None)


def test_wild_cards_beyond_a_limit_make_no_meld():
    found = called("5C XX XX 9C 9D 9H KH", "5C XX XX / 9C 9D 9H", "KH")
    assert found.ruling.broken == ("PAY-6", "PAY-7")
    assert found.unmelded == 3


@pytest.mark.parametrize(
    ("cards", "discard", "says", "where"),
    [
        ("3C 4C 5C 9C 9D 9H", "", "A declaration is 7 cards, not 6", "cards"),
        ("3C 4C 5C 9C 9D 9H KH QH", "", "is one of them", "cards"),
        ("3C 4C 5C 9C 9D 9H KH", "QH", "Q♥ is not among the cards", "discard"),
    ],
)
def test_a_call_is_about_all_cards_held_after_the_draw(cards, discard, says, where):
    with pytest.raises(Malformed, match=says) as problem:
        called(cards, discard=discard)
    assert problem.value.where == where


def test_every_hand_is_called_with_the_cards_dealt_and_one_more():
    for hand in range(1, 12):
        rules = rules_of(hand)
        assert rules.declared == rules.most_in_turn == rules.held_in_turn == hand + 3


def test_indian_rummy_discards_none_of_the_declared_cards():
    rules = INDIAN_RUMMY.rules(INDIAN_RUMMY.house(None, {"set_size": "3-4"}), 1)
    cards = parse_cards("5C 6C 7C 5D 6D 7D 9C 9D 9H JC JD JH JS")
    legal = rules.rule_on_declaration(cards)
    assert (legal.ruling.legal, legal.discard, legal.unmelded) == (True, None, 0)
    with pytest.raises(Malformed, match="not one of the declared cards"):
        rules.rule_on_declaration(cards, (), cards[0])
    # One queen for a knave: three knaves are a set, and the queen is over.
    wrong = rules.rule_on_declaration((*cards[:-1], parse_card("QS")))
    assert (wrong.ruling.broken, wrong.unmelded) == (("IND-5",), 1)
