"""A database server that is gone: the page says so, nothing is acknowledged, and it goes on."""

import threading
from collections.abc import Iterator
from time import monotonic

import pytest

from tests.databases import Another, Shelf
from tests.postgres_server import USER
from tests.relay import Relay
from tests.web.conftest import text

pytestmark = [pytest.mark.database("postgresql"), pytest.mark.own_app]

PATIENCE = 60.0


@pytest.fixture
def relay(stored_in: str, shelf: Shelf) -> Iterator[Relay]:
    """A relay to PostgreSQL, which seems gone when the relay is cut."""
    relay = Relay(shelf.server.place / ".s.PGSQL.5432")
    yield relay
    relay.close()


@pytest.fixture
def database_url(relay: Relay, another: Another) -> str:
    name = another().partition("@/")[2].partition("?")[0]
    return f"postgresql://{USER}@127.0.0.1:{relay.port}/{name}?connect_timeout=2"


def test_an_entry_is_saved_once_when_the_database_server_is_back(app, marker, game, relay, caplog):
    hidden = marker.hidden(f"{game}/manage", f"{game}/names")
    relay.cut()
    answer = marker.post(f"{game}/names", {"title": "Friday"}, **hidden)
    assert answer.status_code == 503
    page = " ".join(text(answer.text).split())
    assert "The database server cannot be reached. Your last entry may not be saved" in page
    assert "What you entered is not saved yet. Go back: the form still has it" in page
    assert "X-Not-Saved" not in answer.headers
    marker.open(game, 503)
    assert "not ready: unreachable" in marker.open("/readyz", 503)
    assert marker.open("/healthz") == "alive\n"
    relay.heal()
    begun = monotonic()
    while answer.status_code == 503:
        assert monotonic() - begun < PATIENCE
        threading.Event().wait(0.05)
        answer = marker.post(f"{game}/names", {"title": "Friday"}, **hidden)
    assert answer.status_code == 303
    assert marker.post(f"{game}/names", {"title": "Friday"}, **hidden).status_code == 303
    assert "Friday" in marker.open(game)
    told = [line.getMessage() for line in caplog.records if line.name == "companion.database"]
    assert [line[:31] for line in told] == [
        "The database server cannot be r",
        "The database can be used again;",
    ]
