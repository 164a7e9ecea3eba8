"""Killed without warning while marks are being written, the server has lost and doubled nothing.

Runs with --all; the long version is ``python3 -m companion torture --only kills``.
"""

import os

import pytest

from tests.torture import kills

KILLS = 8

# The store's own kills, in tests/store/test_kill.py, guard each change.
pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL"),
]


def test_every_acknowledged_mark_is_there_once_after_many_kills(place, tmp_path, figures):
    killed = kills.run(place, tmp_path, KILLS, seed=8)
    figures(killed.sentence())
    assert killed.reckoning.sentences() == []
    assert killed.kills >= KILLS
    assert killed.unanswered >= KILLS // 4  # or the kills did not meet what they were meant for
