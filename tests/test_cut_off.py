"""Two servers behind one nginx; the line to PostgreSQL is cut from one of them, then from both."""

import re
import sys
from collections.abc import Iterator

import pytest

from companion.store import Database, load
from tests.browsing import Answer, Browser
from tests.club import Behind, Club, again, answered, club
from tests.databases import Shelf
from tests.postgres_server import USER
from tests.relay import Relay
from tests.workers import HOUSE_KEY

ACTS, LOOKS = 4, 12
SAYS = "The database server cannot be reached."

_VIEWER = re.compile(r"https://scores\.example(/v/[\w-]+)")


@pytest.fixture
def relays(stored_in: str, shelf: Shelf) -> Iterator[tuple[Relay, Relay]]:
    """The lines of the two servers."""
    socket = shelf.server.place / ".s.PGSQL.5432"
    both = (Relay(socket), Relay(socket))
    yield both
    for relay in both:
        relay.close()


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="Only there a machine has many addresses.")
@pytest.mark.nginx
@pytest.mark.database("postgresql")
def test_a_server_that_is_cut_off_holds_nobody_up(relays, bare, tmp_path):
    name = bare.partition("@/")[2].partition("?")[0]
    here = [f"postgresql://{USER}@127.0.0.1:{one.port}/{name}?connect_timeout=2" for one in relays]
    with club(here, tmp_path) as house:
        phone, game, form = a_penalty_is_filled_in(house)
        viewer, shows = house.browser(), house.browser()
        shows.cookies = phone.cookies
        found = _VIEWER.search(shows.get(f"{game}/code").text)
        shows.close()
        assert found is not None
        live = f"{found[1]}/live?since=0"
        relays[0].cut()
        an_act_is_never_sent_to_another_server(house, phone, game, form)
        who_looks_on_notices_nothing(house, viewer, live)
        relays[1].cut()
        the_page_that_says_so_reaches_the_phone(phone, game, form, viewer, live)
        for relay in relays:
            relay.heal()
        assert again(lambda: phone.post(f"{game}/penalty", form)).status == 200
        assert again(lambda: viewer.get(live)).status == 200
        phone.close()
        viewer.close()
    database = Database(bare)
    with database.read() as session:
        entries = load(session, game.rpartition("/")[2])
    database.close()
    assert [entry.key for entry in entries[1:]] == form["key"]


def a_penalty_is_filled_in(house: Club) -> tuple[Behind, str, dict[str, list[str]]]:
    """The phone of the marker, which sends as the outbox does; the game; and what it is to send."""
    phone = house.browser(**{"X-Action": "later"})
    begun = house.browser()
    begun.enter(HOUSE_KEY)
    form = begun.form("/games/new", "/games/new")
    game = begun.post("/games/new", form | {"name": ["Ana", "Ben", "Chandi"]}).location
    form = begun.form(f"{game}/penalty", f"{game}/penalty")
    phone.cookies = begun.cookies
    begun.close()
    return phone, game, form | {"player": ["1"], "rule": ["PRO-13.3"]}


def an_act_is_never_sent_to_another_server(
    house: Club, phone: Behind, game: str, form: dict[str, list[str]]
) -> None:
    """It is the phone that sends it again, with its key: they take turns, and one can do it."""
    answers = [phone.post(f"{game}/penalty", form) for _ in range(ACTS)]
    for server, status in zip(house.servers, (503, 200), strict=True):
        met = [answer for answer in answered(server) if answer[0] == "POST"]
        mine = [status for _, route, status in met if route == "/games/<game_id>/penalty"]
        assert mine == [status] * (ACTS // 2)
    assert sorted(answer.status for answer in answers) == [200] * (ACTS // 2) + [503] * (ACTS // 2)
    assert all(SAYS in answer.text for answer in answers if answer.status == 503)


def who_looks_on_notices_nothing(house: Club, viewer: Behind, live: str) -> None:
    for _ in range(LOOKS):
        assert viewer.get(live).status == 200
    one = house.servers[0]
    asked = [status for method, route, status in answered(one) if route == "/v/<key>/live"]
    assert {*asked} == {503}  # it was asked, and what it said was not what the viewer saw
    assert len(asked) < LOOKS / 2  # nor was it asked in its turn
    direct = Browser(one.port, host=one.host)
    assert direct.get("/healthz").status == 200
    ready = direct.get("/readyz")
    assert (ready.status, ready.text) == (503, "not ready: unreachable\n")
    direct.close()


def the_page_that_says_so_reaches_the_phone(
    phone: Behind, game: str, form: dict[str, list[str]], viewer: Behind, live: str
) -> None:
    """It is the companion's own, also when none of the servers has answered well for a while."""
    for _ in range(LOOKS):
        assert_is_our_own(viewer.get(live), viewer)
    for _ in range(ACTS):
        answer = phone.post(f"{game}/penalty", form)
        assert_is_our_own(answer, phone)
        assert phone.answered is not None
        assert phone.answered.headers["X-Action"] == "answered"


def assert_is_our_own(answer: Answer, browser: Behind) -> None:
    assert answer.status == 503, answer
    assert SAYS in answer.text
    assert browser.answered is not None
    assert "X-Not-Saved" not in browser.answered.headers  # an answer that was lost may have saved
