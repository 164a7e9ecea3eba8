"""PRO-2: seats from a draw, and who deals, cuts and plays first."""

import pytest

from companion.rules.cards import Rank, parse_card
from companion.rules.games import GAMES
from companion.rules.seating import Places, SeatDraw, Seats, places, seats_from_draw

NAMES = ("Ana", "Ben", "Cem", "Dia", "Eli", "Fay", "Gus")

DRAWS = [
    # drawn; seats in the order of play, the dealer first; who draws again
    ("Ana AH, Ben 2C, Cem KD", "Cem Ben Ana", []),
    ("Ana TH, Ben 9C, Cem JD, Dia QS", "Dia Cem Ana Ben", []),
    ("Ana KH, Ben KC, Cem AD", "Ana Ben Cem", ["Ana Ben"]),
    ("Ana 5H, Ben 5C, Cem 5D", "Ana Ben Cem", ["Ana Ben Cem"]),
    ("Ana 5H, Ben 9C, Cem 5D, Dia 9S, Eli AC", "Ben Dia Ana Cem Eli", ["Ben Dia", "Ana Cem"]),
    ("Ana 2H, Ben 3C, Cem 4D, Dia 6S, Eli 7C, Fay 9D, Gus KS", "Gus Fay Eli Dia Cem Ben Ana", []),
]


LOWEST = ("Ana KH, Ben AC, Cem 5D, Dia 5S", "Ben Cem Dia Ana", ["Cem Dia"], True)


def seats_of(names: str) -> tuple[int, ...]:
    return tuple(NAMES.index(name) for name in names.split())


@pytest.mark.parametrize(
    ("drawn", "order", "ties", "lowest_deals"), [*((*one, False) for one in DRAWS), LOWEST]
)
def test_seats_follow_the_cards_drawn_king_high_and_ace_low(drawn, order, ties, lowest_deals):
    draw = {}
    for one in drawn.split(", "):
        name, card = one.split()
        draw[NAMES.index(name)] = [parse_card(card).rank]
    expected = Seats(seats_of(order), tuple(map(seats_of, ties)))
    assert seats_from_draw(draw, lowest_deals=lowest_deals) == expected


AGAIN = [
    # ranks drawn, one a round; seats in the order of play; who draws again; whose card is missing
    ("Ana KQ, Ben K5, Cem A", "Ana Ben Cem", [], ""),
    ("Ana K5, Ben K5, Cem A", "Ana Ben Cem", ["Ana Ben"], ""),
    ("Ana 5, Ben K, Cem 52, Dia 59", "Ben Dia Cem Ana", [], "Ana"),
    ("Ana 5, Ben , Cem 9", "Ana Ben Cem", [], "Ben"),
]


@pytest.mark.parametrize(("drawn", "order", "ties", "missing"), AGAIN)
def test_players_with_equal_cards_draw_again_for_the_same_places(drawn, order, ties, missing):
    rank_of = {rank.text: rank for rank in Rank}
    draw = {
        NAMES.index(name): [rank_of[text] for text in ranks]
        for name, ranks in (one.split(" ") for one in drawn.split(", "))
    }
    seats = seats_from_draw(draw)
    assert seats.order == seats_of(order)
    assert seats.ties == tuple(map(seats_of, ties))
    assert seats.missing == seats_of(missing)


def test_every_game_draws_by_its_own_rule():
    for game, sheet, rule, lowest_deals in (
        ("proter", "catsatcards", "PRO-2", False),
        ("proter", "playginrummyonline", "PRO-2", False),
        ("indian_rummy", "indian_rummy", "IND-6", True),
        ("contract_rummy", "gamerules", "CON-1", True),
        # Their texts do not say, and the highest deals.
        ("contract_rummy", "denexa", "", False),
        ("indian_chief", "indian_chief", "", False),
    ):
        assert GAMES[game].seat_draw(sheet) == SeatDraw(rule, lowest_deals)


HANDS = [
    # players, first dealer, hand; dealer, cutter (at the dealer's left), first (at the right)
    (4, 0, 1, 0, 3, 1),
    (4, 0, 5, 0, 3, 1),
    (4, 2, 13, 2, 1, 3),
    (4, 3, 2, 0, 3, 1),
    (2, 0, 2, 1, 0, 0),
    (2, 1, 13, 1, 0, 0),
]


@pytest.mark.parametrize(("players", "first_dealer", "hand", "dealer", "cutter", "first"), HANDS)
def test_the_deal_passes_hand_by_hand(players, first_dealer, hand, dealer, cutter, first):
    assert places(players, first_dealer, hand) == Places(dealer, cutter, first)


def test_the_deal_skips_players_who_are_gone():
    assert places(4, 0, 2, gone={1}) == Places(2, 0, 3)
    assert places(4, 0, 3, gone={1, 3}) == Places(2, 0, 0)
    assert places(4, 0, 4, gone={0, 1, 2}) == Places(3, 3, 3)
