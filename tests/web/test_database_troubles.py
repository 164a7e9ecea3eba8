"""A full or read-only disk, a locked, damaged or vanished database: messages and recovery."""

import logging
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from companion.hosting import gunicorn_conf
from companion.serving import THREADS
from companion.store import DatabaseProblem
from companion.web import phones
from companion.web.auth import database
from companion.web.monitoring import QUIET, Troubles
from tests.web.conftest import Marker, close_database, text
from tests.web.test_auth import moved

LINES = "companion.database"

pytestmark = [pytest.mark.database("sqlite"), pytest.mark.own_app]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """The instance folder on a disk of its own, of one megabyte."""

    def mount(*words: str) -> bool:
        return subprocess.run(["mount", *words], capture_output=True, check=False).returncode == 0

    try:
        if not mount("-t", "tmpfs", "-o", "size=1m", "none", str(tmp_path)):
            pytest.skip("Only root can mount a disk here.")
    except FileNotFoundError:
        pytest.skip("There is no mount here.")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


def file_of(app: Flask) -> Path:
    return Path(app.instance_path) / "companion.sqlite3"


def refused(marker: Marker, game: str, hidden: dict[str, str], sentence: str) -> TestResponse:
    """Rename the game, which cannot be saved; return the page, which says so and what to do."""
    answer = marker.post(f"{game}/names", {"title": "Friday"}, **hidden)
    assert answer.status_code == 503, answer.text
    page = " ".join(text(answer.text).split())
    assert "The database cannot be used now" in page
    assert sentence in page
    assert "What you entered is not saved yet. Go back: the form still has it" in page
    assert "Traceback" not in page
    return answer


def entries(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("SELECT count(*) FROM event").fetchone()[0])


def renaming(marker: Marker, game: str) -> dict[str, str]:
    return marker.hidden(f"{game}/manage", f"{game}/names")


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == LINES]


def fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while True:
            filler.write(bytes(4096))


def test_a_full_disk(small_disk, app, marker, game, caplog):
    hidden = renaming(marker, game)
    fill(small_disk)
    # First use up the room that the log already has.
    sentence = "The disk is full. Nothing was saved"
    answer = marker.post(f"{game}/names", {"title": "Thursday"}, **hidden)
    while answer.status_code == 303:
        hidden = renaming(marker, game)
        answer = marker.post(f"{game}/names", {"title": "Thursday"}, **hidden)
    before = entries(file_of(app))
    for _ in range(3):
        assert refused(marker, game, hidden, sentence).headers["X-Not-Saved"] == "1"
        marker.open(game)  # what is there can be read
    assert entries(file_of(app)) == before
    (small_disk / "filler").unlink()
    assert marker.post(f"{game}/names", {"title": "Friday"}, **hidden).status_code == 303
    assert entries(file_of(app)) == before + 1
    first, last = told(caplog)
    assert first.startswith(sentence)
    assert last == "The database can be used again; 4 requests had failed."


def test_a_disk_that_is_full_when_the_file_is_opened(small_disk, app, marker, game, caplog):
    close_database(app)
    fill(small_disk)
    assert "The disk is full. Nothing was saved" in marker.open(game, 503)
    (small_disk / "filler").unlink()
    marker.open(game)


def test_a_disk_that_may_only_be_read(small_disk, app, marker, game, caplog):
    hidden = renaming(marker, game)
    close_database(app)
    small_disk.chmod(0o755)

    def remount(how: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{how}", str(small_disk)], check=True)

    remount("ro")
    try:
        answer = marker.post(f"{game}/names", {"title": "Friday"}, **hidden)
        assert answer.status_code == 503
        assert answer.headers["X-Not-Saved"] == "1"
    finally:
        close_database(app)
        remount("rw")
    assert marker.post(f"{game}/names", {"title": "Friday"}, **hidden).status_code == 303
    assert len(told(caplog)) == 2


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_database_that_vanished_while_it_served(how, app, marker, game, caplog):
    hidden = renaming(marker, game)
    file = file_of(app)
    away = file.with_name("away")
    file.rename(away)
    if how == "replaced":
        file.write_bytes(b"")
    for _ in range(3 if how == "removed" else 1):
        answer = refused(marker, game, hidden, "The database file is not where it was.")
        assert answer.headers["X-Not-Saved"] == "1"
    if how == "removed":
        marker.open(game, 503)
        assert not file.exists()  # and no empty one in its place
    away.replace(file)
    if how == "replaced":
        marker.client.get(game)  # finds what is open to be of another file once more
    assert marker.post(f"{game}/names", {"title": "Friday"}, **hidden).status_code == 303
    assert "Friday" in marker.open(game)
    first, last = told(caplog)
    assert first.startswith("The database file is not where it was.")
    assert last.startswith("The database can be used again; ")


def test_a_save_is_not_acknowledged_if_its_file_vanished_meanwhile(app):
    with app.app_context():
        db = database()
    with pytest.raises(DatabaseProblem, match="not where it was") as problem:  # noqa: PT012, SIM117
        with db.write() as session:
            session.connection().exec_driver_sql("DELETE FROM event")
            file_of(app).rename(file_of(app).with_name("away"))
    assert problem.value.reason == "gone"


FULL = DatabaseProblem("full", "The disk is full.")
LOCKED = DatabaseProblem("locked", "It is locked.")


def steps(troubles: Troubles) -> dict[str, Callable[[], None]]:
    return {
        "full": lambda: troubles.met(FULL, writing=True),
        "locked": lambda: troubles.met(LOCKED, writing=True),
        "unread": lambda: troubles.met(LOCKED, writing=False),
        "saved": lambda: troubles.went_well(writing=True),
        "read": lambda: troubles.went_well(writing=False),
    }


@pytest.mark.parametrize(
    ("happens", "lines"),
    [
        ("saved read", []),
        ("full full full", ["The disk is full."]),
        ("full read read full", ["The disk is full."]),
        ("full locked full", ["The disk is full.", "It is locked."]),
        ("full full saved saved", ["The disk is full.", "again; 2 "]),
        ("unread read", ["It is locked.", "again; 1 "]),
        ("locked unread locked read saved", ["It is locked.", "again; 3 "]),
        ("unread later locked read saved", ["It is locked.", "again; 2 "]),
        ("unread full read saved", ["It is locked.", "The disk is full.", "again; 2 "]),
        ("full saved full saved", ["The disk is full.", "again; 1 "]),
        ("full saved later full saved", ["The disk is full.", "again; 1 "] * 2),
    ],
)
def test_the_log_has_a_line_when_a_problem_begins_and_ends(happens, lines, caplog):
    clock = [0.0]
    troubles = Troubles(lambda: clock[0])
    caplog.set_level(logging.INFO)
    for step in happens.split():
        if step == "later":
            clock[0] += QUIET
        else:
            steps(troubles)[step]()
    found = told(caplog)
    assert len(found) == len(lines)
    assert all(part in line for part, line in zip(lines, found, strict=True))


def test_opening_a_page_does_not_wait_for_writers(app, marker, game, monkeypatch):
    hidden, phone = renaming(marker, game), moved(marker, app)
    with app.app_context():
        db = database()
    db._kind.busy_timeout = 600_000
    db.close()
    places = db._queue._value  # for saves that wait; other threads show pages
    assert 2 * places <= min(THREADS, gunicorn_conf.threads)
    monkeypatch.setattr(phones, "_SEEN", {})
    with ThreadPoolExecutor() as threads:
        with closing(sqlite3.connect(file_of(app), isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            saved = threads.submit(phone.post, f"{game}/names", {"title": "Friday"}, **hidden)
            while db._queue._value == places:
                threading.Event().wait(0.01)
            marker.open(game)
        assert saved.result().status_code == 303
    assert phones._SEEN
