"""“May I?” (CON-9): the asker nearest the active player's left, and nobody twice in a row."""

import pytest

from companion.rules.errors import Malformed
from companion.rules.may_i import who_gets


@pytest.mark.parametrize(
    ("asked", "active", "players", "last_taker", "gets"),
    [
        # Seat 1 is at the left of seat 0, and seat 0 at the left of the last.
        ([], 0, 4, None, None),
        ([2], 0, 4, None, 2),
        ([2, 1], 0, 4, None, 1),
        ([3, 1, 2], 0, 4, None, 1),
        ([0, 1], 3, 4, None, 0),
        ([0, 1], 2, 4, None, 0),
        ([3, 0], 1, 4, None, 3),
        ([0, 3], 2, 4, None, 3),
        ([0, 1, 3, 4], 2, 5, None, 3),
        ([0, 1], 2, 3, None, 0),
        # Who took the upcard on top of this one does not get it.
        ([1], 0, 4, 1, None),
        ([1, 3], 0, 4, 1, 3),
        ([1, 3], 0, 4, 3, 1),
        ([1, 3], 0, 4, 2, 1),
    ],
)
def test_who_gets_the_upcard(asked, active, players, last_taker, gets):
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
def test_who_cannot_ask(asked, active, words):
    with pytest.raises(Malformed, match=words) as raised:
        who_gets(asked, active, 4)
    assert raised.value.where == "asked"
