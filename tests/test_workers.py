"""Two processes on one PostgreSQL: several phones keep one game, and nothing is lost or doubled."""

import threading
from secrets import token_urlsafe

import pytest

from companion.store import Database, load
from tests.browsing import Browser
from tests.workers import Server, workers

PHONES, ACTS = 4, 6


def charge(server: Server, cookies: dict[str, str], game: str, saved: list[str]) -> None:
    """Charge penalties until so many are saved; who was overtaken or waited long tries again."""
    browser = Browser(server.port, cookies)
    count = 0
    while count < ACTS:
        form = browser.form(f"{game}/penalty", f"{game}/penalty")
        form["key"] = [token_urlsafe(12)]  # otherwise what two of them send alike is one act
        answer = browser.post(f"{game}/penalty", form | {"player": "1", "rule": "PRO-13.3"})
        busy = answer.status == 503 and "was busy for too long" in answer.text
        assert busy or answer.status in (303, 409), answer
        if answer.status == 303:
            saved.append(form["key"][0])
            count += 1
    browser.close()


@pytest.mark.database("postgresql")
def test_what_several_phones_save_through_two_processes_is_there_once(bare):
    saved: list[str] = []
    with workers(bare) as server:
        first = Browser(server.port)
        first.enter(server.house_key)
        form = first.form("/games/new", "/games/new")
        game = first.post("/games/new", form | {"name": ["Ana", "Ben", "Chandi"]}).location
        phones = [
            threading.Thread(target=charge, args=(server, first.cookies, game, saved))
            for _ in range(PHONES)
        ]
        for phone in phones:
            phone.start()
        for phone in phones:
            phone.join()
        sheet = first.get(f"{game}/sheet").text
        first.close()
    assert len(saved) == PHONES * ACTS  # or somebody met an error, which is above
    assert f"{20 * PHONES * ACTS}" in sheet
    database = Database(bare)
    with database.read() as session:
        entries = load(session, game.rpartition("/")[2])
    database.close()
    assert [entry.number for entry in entries] == list(range(1, len(saved) + 2))
    assert {entry.key for entry in entries[1:]} == set(saved)
