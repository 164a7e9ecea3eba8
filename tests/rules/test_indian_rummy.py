"""Indian Rummy: who has won, and who pays whom (IND-7, IND-8)."""

import pytest

from companion.rules.games import game_named
from companion.rules.games.indian_rummy import INDIAN_RUMMY
from companion.rules.scoring import paid_to_winner

ANA, BEN, CEM, DIA = range(4)

WINNERS = [
    # who declared, in order; who still plays; who has won
    ([], [ANA, BEN], None),
    ([ANA], [ANA, BEN], None),
    ([ANA, BEN, CEM], [ANA, BEN, CEM], None),
    ([ANA, ANA], [ANA, BEN], ANA),
    ([ANA, BEN, ANA], [ANA, BEN, CEM], ANA),
    ([ANA, BEN, CEM, CEM], [ANA, BEN, CEM], CEM),
    ([ANA], [BEN], BEN),
    ([ANA], [ANA], ANA),
]


@pytest.mark.parametrize(("rummies", "playing", "won"), WINNERS)
def test_a_second_rummy_wins_and_so_does_the_last_player_left(rummies, playing, won):
    assert INDIAN_RUMMY.judge.winner(rummies, playing) == won


PAYMENTS = [
    # points of the scores; the winner; who receives what, or pays it
    (
        {ANA: 0, BEN: 28, CEM: 10, DIA: 40},
        ANA,
        {ANA: 78, BEN: -28, CEM: -10, DIA: -40},
    ),
    ({ANA: 89, BEN: 0}, BEN, {ANA: -89, BEN: 89}),
    ({ANA: 0, BEN: 0}, BEN, {ANA: 0, BEN: 0}),
    # A winner who declared wrongly before owes it to nobody.
    ({ANA: 80, BEN: 12}, ANA, {ANA: 12, BEN: -12}),
]


@pytest.mark.parametrize(("points", "won", "paid"), PAYMENTS)
def test_all_pay_the_winner(points, won, paid):
    assert paid_to_winner(points, won) == paid
    assert sum(paid.values()) == 0


def test_nobody_wins_by_declaring_if_the_total_decides():
    assert game_named("proter").judge.winner([ANA, ANA], [ANA]) is None
