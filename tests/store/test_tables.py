"""Moments in the tables: aware, and in UTC, whatever the database hands back."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy.dialects import sqlite

from companion.store.models import UNREADABLE, UtcDateTime, moment

IN_LIMA = datetime(2024, 5, 3, 15, 0, tzinfo=timezone(timedelta(hours=-5)))
DIALECT = sqlite.dialect()


def test_a_moment_goes_in_as_utc():
    stored = UtcDateTime().process_bind_param(IN_LIMA, DIALECT)
    assert stored.isoformat() == "2024-05-03T20:00:00+00:00"


@pytest.mark.parametrize("stored", [IN_LIMA, IN_LIMA.replace(hour=20, tzinfo=None)])
def test_a_moment_comes_out_as_utc_from_any_zone_or_none(stored):
    told = moment(stored)
    assert told == IN_LIMA
    assert told.tzinfo is UTC


def test_a_naive_moment_does_not_go_in():
    with pytest.raises(ValueError, match="has no time zone"):
        UtcDateTime().process_bind_param(IN_LIMA.replace(tzinfo=None), DIALECT)


def test_no_moment_stays_none():
    assert UtcDateTime().process_bind_param(None, DIALECT) is None
    assert UtcDateTime().result_processor(DIALECT, None)(None) is None


@pytest.mark.parametrize("stored", ["soon", "2024-13-01 00:00:00.000000", 7, b"\xff"])
def test_what_is_no_moment_comes_out_as_unreadable(stored):
    read = UtcDateTime().dialect_impl(DIALECT).result_processor(DIALECT, None)
    assert read(stored) is UNREADABLE
    assert moment(stored) is UNREADABLE
    assert read(None) is None
