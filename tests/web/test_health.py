"""What is told to whatever watches over the server."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from companion.services import rate_limits
from companion.services.rate_limits import Allowance, Tried
from companion.web.house import database


def test_it_is_alive_and_ready(stranger):
    for address, says in (("/healthz", "alive\n"), ("/readyz", "ready\n")):
        answer = stranger.client.get(address)
        assert (answer.status_code, answer.text) == (200, says)
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert "Set-Cookie" not in answer.headers
        assert stranger.client.post(address).status_code in (400, 405)


@pytest.mark.own_app
@pytest.mark.database("sqlite")
def test_at_another_version_it_is_alive_but_not_ready(app, stranger):
    with closing(sqlite3.connect(Path(app.instance_path) / "companion.sqlite3")) as file, file:
        file.execute("UPDATE companion_version SET version_num = '9999'")
    assert stranger.client.get("/healthz").status_code == 200
    answer = stranger.client.get("/readyz")
    assert (answer.status_code, answer.text) == (503, "not ready: other_version\n")


@pytest.mark.own_app
@pytest.mark.database("sqlite")
def test_without_its_database_it_is_alive_but_not_ready(app, stranger):
    with app.app_context():
        database().close()
    file = Path(app.instance_path) / "companion.sqlite3"
    for beside in file.parent.glob("companion.sqlite3*"):
        beside.unlink()
    file.write_bytes(b"no database, but long enough to look like one" * 100)
    assert stranger.client.get("/healthz").status_code == 200
    answer = stranger.client.get("/readyz")
    assert (answer.status_code, answer.text) == (503, "not ready: damaged\n")
    assert str(file) not in answer.text


def test_it_may_be_asked_by_whoever_guesses_keys(stranger, monkeypatch):
    monkeypatch.setitem(rate_limits.ALLOWED, Tried.WRONG_KEY, (Allowance(1, 60), Allowance(9, 1)))
    assert stranger.client.get("/k/wrong").status_code == 404
    assert stranger.client.get("/k/wrong").status_code == 429
    for _ in range(5):
        assert stranger.client.get("/healthz").status_code == 200
        assert stranger.client.get("/readyz").status_code == 200
