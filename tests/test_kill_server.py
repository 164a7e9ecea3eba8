"""A killed server loses and doubles nothing; a server with a locked database still shows pages.

The long version of the kills is ``python3 -m companion torture --only kills``.
"""

import os
import statistics
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import monotonic

import pytest

from companion.store import Database
from tests.browsing import Browser
from tests.killing import Mortal
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


# -- a database that is locked --------------------------------------------------------------------

SAVES = 20


@pytest.fixture
def server(tmp_path: Path, database_url: str) -> Iterator[Mortal]:
    server = Mortal(tmp_path, database_url)
    server.start()
    yield server
    server.close()


@pytest.mark.slow
@pytest.mark.database("sqlite")
def test_pages_are_answered_within_a_second_while_twenty_saves_wait(server, database_url):
    marker = Browser(server.port)
    marker.enter(server.house_key)
    form = marker.form("/games/new", "/games/new")
    game = marker.post("/games/new", form | {"name": ["Ana", "Ben", "Chandi"]}).location
    form = marker.form(f"{game}/penalty", f"{game}/penalty")
    answers: list[int] = []

    def save(number: int) -> None:
        phone = Browser(server.port, dict(marker.cookies))
        sent = form | {"player": ["1"], "rule": ["PRO-13.3"], "key": [f"save-{number}"]}
        answers.append(phone.post(f"{game}/penalty", sent).status)
        phone.close()

    phones = [threading.Thread(target=save, args=(number,)) for number in range(SAVES)]
    took = []
    with closing(Database(database_url)) as other, other.write():
        for phone in phones:
            phone.start()
        threading.Event().wait(0.3)  # they are there now; each may wait for five seconds
        for page in (game, f"{game}/sheet", f"{game}/tally", "/", f"{game}/penalty"):
            reader = Browser(server.port, dict(marker.cookies))
            begun = monotonic()
            assert reader.get(page).status == 200
            took.append(monotonic() - begun)
            reader.close()
        waiting = SAVES - len(answers)
    for phone in phones:
        phone.join()
    marker.close()
    assert statistics.median(took) < 1
    assert max(took) < 2.5  # of a page that came while other work went on
    assert waiting <= 4
    assert answers.count(503) >= SAVES - 4
    assert answers.count(303) <= 1  # all were made on one state of the game
