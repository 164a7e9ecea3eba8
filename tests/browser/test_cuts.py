"""The line is cut while marks are sent from a phone: each is there once, and none is lost.

The long version is ``python3 -m companion torture --only cuts``.
"""

from __future__ import annotations

import os

import pytest

from tests.torture import cuts

CUTS = 6

pytestmark = [
    pytest.mark.browser,
    pytest.mark.exhaustive,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL"),
]


def test_every_mark_of_an_evening_is_saved_once_after_many_cuts(place, pocket, tmp_path):
    assert cuts.run(place, tmp_path, pocket, CUTS, seed=4).wrong == []
