"""Servers on several machines have clocks of their own, and use that of the database."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from companion.services import games, phones
from companion.services.rate_limits import Tried, attempt, forgiven_at
from companion.store import Database, load, now_in
from tests.databases import bring_up_to_date
from tests.notebook.evening import started

pytestmark = pytest.mark.database("postgresql")

SECRET = "a secret of the installation"
AHEAD = timedelta(minutes=7)
# Seconds of tolerance for a busy machine: far less than the clocks differ.
SLOW = timedelta(minutes=3)

# A function that hides PostgreSQL's own, as its schema comes first in the search path.
_CLOCK = """
    CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql
        AS $$ SELECT pg_catalog.clock_timestamp() + interval '7 minutes' $$
"""


@pytest.fixture
def ahead(bare: str) -> Iterator[Database]:
    """A database whose clock is seven minutes ahead of this machine's."""
    bring_up_to_date(bare)
    with psycopg.connect(bare, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA ahead")
        connection.execute(_CLOCK)
    database = Database(f"{bare}&options=-csearch_path%3Dahead,pg_catalog,public")
    yield database
    database.close()


def by_its_clock(moment: datetime) -> bool:
    return timedelta() <= moment - (datetime.now(UTC) + AHEAD - SLOW) <= SLOW


def test_times_of_entries_and_codes_are_the_databases(ahead):
    ana = games.start_notebook(ahead, "iPhone")
    game = games.start(ahead, ana, started(("Ana", "Ben")), "first")
    with ahead.read() as session:
        (begun,) = load(session, game)
    assert by_its_clock(begun.at)
    made = phones.offer(ahead, game, ana.id, secret=SECRET, whole=False, resigns=False)
    assert by_its_clock(made.expires_at - timedelta(minutes=10))
    taker = phones.Taker("ben's browser", "Android phone")
    assert phones.take_digits(ahead, made.digits, taker, secret=SECRET)


def test_tries_are_forgiven_by_the_databases_clock(ahead):
    for _ in range(10):  # each for a minute
        assert attempt(ahead, Tried.CODE, "ana") == 0
    with ahead.read() as session:
        at = forgiven_at(session, Tried.CODE, "ana", int(now_in(session).timestamp() * 1000))
    forgiven = datetime.fromtimestamp(at / 1000, UTC)
    assert by_its_clock(forgiven - timedelta(minutes=10))
