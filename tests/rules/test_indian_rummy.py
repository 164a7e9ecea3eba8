"""Indian Rummy as the rulebook has it: packs, house rules, who has won, and who pays whom."""

import pytest

from companion.check import answer
from companion.rules.errors import Malformed
from companion.rules.games import game_named
from companion.rules.games.indian_rummy import INDIAN_RUMMY, payments, winner


@pytest.mark.parametrize(("clean_sequences", "clean", "runs"), [(2, 2, 2), (1, 1, 2)])
def test_two_sequences_are_asked_for_and_one_or_two_of_them_clean(clean_sequences, clean, runs):
    house = INDIAN_RUMMY.house(None, {"clean_sequences": clean_sequences})
    rules = INDIAN_RUMMY.rules(house, 1)
    assert (rules.clean_runs, rules.all_runs) == (clean, runs)


def test_an_empty_meld_is_no_grouping():
    cards = "3S 4S 5S 6H 7H 8H 9C 9D 9S TD JD QD KD"
    question = {"game": "indian_rummy", "ask": "declare", "wild_rank": None, "cards": cards}
    with pytest.raises(Malformed, match="A meld has no cards") as raised:
        answer(question | {"melds": ["3S 4S 5S", ""]})
    assert raised.value.where == "melds"


WINNERS = [
    # who declared, in order; who still plays; who has won
    ([], ["Ana", "Ben"], None),
    (["Ana"], ["Ana", "Ben"], None),
    (["Ana", "Ben", "Cem"], ["Ana", "Ben", "Cem"], None),
    (["Ana", "Ana"], ["Ana", "Ben"], "Ana"),
    (["Ana", "Ben", "Ana"], ["Ana", "Ben", "Cem"], "Ana"),
    (["Ana", "Ben", "Cem", "Cem"], ["Ana", "Ben", "Cem"], "Cem"),
    (["Ana"], ["Ben"], "Ben"),
    (["Ana"], ["Ana"], "Ana"),
]


@pytest.mark.parametrize(("rummies", "playing", "won"), WINNERS)
def test_two_rummies_win_and_so_does_who_is_left_alone(rummies, playing, won):
    assert winner(rummies, playing) == won


PAYMENTS = [
    # points of the scores; the winner; who receives what, or pays it
    (
        {"Ana": 0, "Ben": 28, "Cem": 10, "Dia": 40},
        "Ana",
        {"Ana": 78, "Ben": -28, "Cem": -10, "Dia": -40},
    ),
    ({"Ana": 89, "Ben": 0}, "Ben", {"Ana": -89, "Ben": 89}),
    ({"Ana": 0, "Ben": 0}, "Ben", {"Ana": 0, "Ben": 0}),
    # A winner who declared wrongly before owes it to nobody.
    ({"Ana": 80, "Ben": 12}, "Ana", {"Ana": 12, "Ben": -12}),
]


@pytest.mark.parametrize(("points", "won", "paid"), PAYMENTS)
def test_all_pay_the_winner(points, won, paid):
    assert payments(points, won) == paid
    assert sum(payments(points, won).values()) == 0


def test_only_a_player_is_paid():
    with pytest.raises(Malformed, match="Eva does not play"):
        payments({"Ana": 0, "Ben": 12}, "Eva")


def test_of_very_many_wild_cards_the_readings_are_counted():
    question = {"game": "indian_rummy", "ask": "meld", "wild_rank": "8", "packs": 3}
    ruling = answer(question | {"cards": "5C XX XX XX 8C 8D 8H"})
    # Seven cards with the 5♣ among them begin with the ace, 2, 3, 4 or 5; the six wild cards, of
    # which three are equal, fill the other places in 6! / 3! orders.
    assert ruling["legal"]
    assert (ruling["readings"], ruling["readings_count"]) == ([], 5 * 120)


def test_where_the_total_says_who_wins_nobody_pays_anybody():
    proter = game_named("proter")
    assert proter.judge.winner(["Ana", "Ana"], ["Ana"]) is None
    assert proter.judge.payments({"Ana": 0, "Ben": 20}, "Ana") == {}
