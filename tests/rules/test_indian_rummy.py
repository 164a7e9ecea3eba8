"""Indian Rummy: who has won, and who pays whom (IND-7, IND-8)."""

import pytest

from companion.rules.games import game_named
from companion.rules.games.indian_rummy import INDIAN_RUMMY
from companion.rules.scoring import paid_to_winner

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
def test_a_second_rummy_wins_and_so_does_the_last_player_left(rummies, playing, won):
    assert INDIAN_RUMMY.judge.winner(rummies, playing) == won


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
    assert paid_to_winner(points, won) == paid
    assert sum(paid.values()) == 0


def test_nobody_wins_by_declaring_if_the_total_decides():
    assert game_named("proter").judge.winner(["Ana", "Ana"], ["Ana"]) is None
