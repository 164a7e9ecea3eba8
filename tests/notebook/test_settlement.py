"""Who owes whom, worked out by hand."""

from fractions import Fraction

from hypothesis import given, strategies as st

from companion.notebook.seasons import MOST_EXACT, by_prizes, by_stake, payments

LOWEST, HIGHEST = False, True


def test_everyone_pays_the_winners_for_the_points_behind_them():
    for points, places, stake, highest, balances in (
        # Ben is 10 behind, Cem 30.
        ([5, 15, 35], [1, 2, 3], 2, LOWEST, [80, -20, -60]),
        ([35, 15, 5], [1, 2, 3], 1, HIGHEST, [50, -20, -30]),
        # The two winners share 30.
        ([5, 5, 35], [1, 1, 3], 1, LOWEST, [15, 15, -30]),
        # 5 do not halve: the first seat gets the one that is left.
        ([0, 0, 5], [1, 1, 3], 1, LOWEST, [3, 2, -5]),
        # Fewer penalties decided: nothing is between them.
        ([5, 5], [2, 1], 3, LOWEST, [0, 0]),
        # Whoever was there more often is ahead with more points, and gets nothing for them.
        ([90, 10, 20], [1, 2, 3], 1, LOWEST, [0, 0, 0]),
        # 4 1/2 and 2 1/4 points behind the first, at 10: 45 and 22 1/2; the half goes to the first.
        (
            [Fraction(5), Fraction(1, 2), Fraction(11, 4)],
            [1, 3, 2],
            10,
            HIGHEST,
            [68, -45, -23],
        ),
        ([5, 5, 5], [1, 1, 1], 7, LOWEST, [0, 0, 0]),
    ):
        found = by_stake(points, places, stake, highest_wins=highest)
        assert found == balances


def test_everyone_pays_an_equal_share_of_the_prizes():
    for places, prizes, balances in (
        # Each of three pays 5.
        ([1, 2, 3], [10, 5], [5, 0, -5]),
        ([3, 1, 2], [10, 5], [-5, 5, 0]),
        # 15 for the two firsts, who get 7 1/2 each and pay 5; the half goes to the first seat.
        ([1, 1, 3], [10, 5], [3, 2, -5]),
        # The two seconds share the second prize; there is no third one.
        ([1, 2, 2, 4], [10, 6], [6, -1, -1, -4]),
        # A third of 10 each: 6 2/3, -3 1/3, -3 1/3. The remainders above 6, -4, -4 are 2/3 each.
        ([1, 2, 3], [10], [7, -3, -4]),
        # Nobody is third of two: each pays 7 1/2.
        ([1, 2], [10, 5, 3], [3, -3]),
        ([1, 1, 1], [9], [0, 0, 0]),
        ([1, 2], [], [0, 0]),
    ):
        assert by_prizes(places, prizes) == balances


def test_debts_are_settled_with_the_fewest_payments():
    for balances, found in (
        ([], []),
        ([0, 0], []),
        ([5, -5], [(1, 0, 5)]),
        ([80, -20, -60], [(2, 0, 60), (1, 0, 20)]),
        # Two pairs: from the largest to the largest it would be three payments.
        ([7, 4, -7, -4], [(3, 1, 4), (2, 0, 7)]),
        # 6 = 4 + 2 and 5 = 5: three payments, where the largest first would take four.
        ([6, 5, -5, -4, -2], [(3, 0, 4), (4, 0, 2), (2, 1, 5)]),
    ):
        assert sorted(payments(balances)) == sorted(found)


def test_with_too_many_people_to_search_the_largest_debts_pay_the_largest_credits():
    debts = [10 * at for at in range(1, MOST_EXACT + 1)]
    found = payments([sum(debts), *(-debt for debt in debts)])
    assert found == [(at, 0, 10 * at) for at in range(MOST_EXACT, 0, -1)]


def settled(balances: list[int], found: list[tuple[int, int, int]]) -> list[int]:
    left = [*balances]
    for payer, payee, amount in found:
        assert amount > 0
        left[payer] += amount
        left[payee] -= amount
    return left


def fewest(balances: list[int]) -> int:
    """Return the fewest payments, by letting the first person settle with each of the others."""
    left = [balance for balance in balances if balance]
    if not left:
        return 0
    first, *others = left
    return 1 + min(
        fewest([*others[:at], other + first, *others[at + 1 :]])
        for at, other in enumerate(others)
        if (other > 0) != (first > 0)
    )


amounts = st.lists(st.integers(-12, 12), min_size=1, max_size=5)


@given(amounts)
def test_no_slow_search_finds_fewer_payments(some):
    balances = [*some, -sum(some)]
    found = payments(balances)
    assert not any(settled(balances, found))
    assert len(found) == fewest(balances)


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=20))
def test_there_are_never_as_many_payments_as_people(some):
    balances = [*some, -sum(some)]
    found = payments(balances)
    assert not any(settled(balances, found))
    assert len(found) < len(balances)


tables = st.lists(st.fractions(0, 50, max_denominator=6), min_size=2, max_size=7)


@given(
    tables,
    st.integers(0, 99),
    st.booleans(),
    st.lists(st.integers(0, 99), max_size=9),
)
def test_balances_add_up_to_zero(points, stake, highest, prizes):
    sign = 1 if highest else -1
    places = [1 + sum(sign * other > sign * own for other in points) for own in points]
    by_points = by_stake(points, places, stake, highest_wins=highest)
    assert sum(by_points) == 0
    assert sum(by_prizes(places, prizes)) == 0
    assert all(balance >= 0 for balance, place in zip(by_points, places, strict=True) if place == 1)
