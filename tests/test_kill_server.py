"""A killed server loses and doubles nothing.

The long version of the kills is ``python3 -m companion torture --only kills``.
"""

import os

import pytest

from tests.torture import kills

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


@pytest.mark.slow
@pytest.mark.database("sqlite")
def test_every_acknowledged_mark_is_saved_once_after_some_kills(place, tmp_path):
    assert kills.run(place, tmp_path, 3, seed=8).wrong == []


@pytest.mark.exhaustive
@pytest.mark.database("postgresql")
def test_no_mark_is_lost_if_the_database_is_killed_too(place, tmp_path):
    assert kills.run(place, tmp_path, kills.TO_THE_DATABASE, seed=8).wrong == []
