"""Two servers behind one nginx, as a club runs them: they share games and rate limits.

One of them is killed, or the line to PostgreSQL is cut from one of them, and then from both.
"""

import re
import socket
import ssl
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from secrets import token_urlsafe
from time import monotonic

import pytest

from companion.store import Database, load
from companion.web.app import HEADERS
from tests.browsing import Answer, Browser, forms
from tests.club import Behind, Club, again, answered, club
from tests.databases import Shelf
from tests.postgres_server import USER
from tests.relay import Relay
from tests.workers import HOUSE_KEY

OTHERS = ("127.0.0.2", "127.0.0.3")  # addresses of this machine: of clients elsewhere
POINTS = ((0, 31, 47), (52, 0, 38), (44, 35, 0), (0, 60, 33))
TOTALS = (96, 126, 118)  # 0+52+44+0, 31+0+35+60, 47+38+0+33
PHONES, ACTS, LOOKS = 3, 4, 12
WRONG, FORGIVEN = 30, 10  # wrong keys at once, and seconds until one more may be tried
OWN_POLICY = "default-src 'none'; frame-ancestors 'none'"

_VIEWER = re.compile(r"https://scores\.example(/v/[\w-]+)")
_SINCE = re.compile(r"since=(\d+)")


pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="Only there a machine has many addresses."),
    pytest.mark.nginx,
    pytest.mark.database("postgresql"),
]


def test_two_servers_behind_one_proxy_keep_one_game(bare, tmp_path):
    with club([bare, bare], tmp_path) as house:
        answers_of_the_proxy_itself_are_like_all_others(house)
        first, game = a_game_is_begun_over_https(house)
        hands_are_marked_on_both_and_seen_on_both(house, first, game)
        wrong_keys_are_counted_once(house)
        saved = one_is_killed_and_nothing_is_lost(house, first, game)
        first.close()
        entries = of_the_game(bare, game)
        assert [number for number, _ in entries] == list(range(1, 1 + len(POINTS) + len(saved) + 1))
        assert Counter(key for _, key in entries[1 + len(POINTS) :]) == Counter(saved)
        house.servers[1].kill()
        nobody_is_there(house)


def of_the_game(database: str, game: str) -> list[tuple[int, str]]:
    """Return the number and the key of each entry of a game."""
    kept = Database(database)
    with kept.read() as session:
        entries = [(entry.number, entry.key) for entry in load(session, game.rpartition("/")[2])]
    kept.close()
    return entries


def answers_of_the_proxy_itself_are_like_all_others(house: Club) -> None:
    rest = b"\r\nHost: scores.example\r\nConnection: close\r\n\r\n"
    for sent, status, says in (
        (b"GET /metrics HTTP/1.1" + rest, 404, "Page not found."),
        (b"GET / HTTP/1.1\r\nX: SECRET\r\n\r\n", 400, "We couldn't read that request"),
        (b"SECRET\r\n\r\n", 400, "We couldn't read that request"),
        (b"GET /SECRET".ljust(9_000, b"x") + b" HTTP/1.1" + rest, 414, "We couldn't read that"),
        (b"GET / HTTP/1.1\r\nX: SECRET".ljust(9_000, b"x") + rest, 400, "We couldn't read that"),
        (b"POST / HTTP/1.1\r\nContent-Length: 9000000" + rest, 413, "That is larger"),
    ):
        answer = answer_to(sent, house.https, house.trust)
        assert said(answer, status).startswith(says)
    plain = answer_to(b"GET / HTTP/1.1" + rest, house.https)
    assert said(plain, 400).startswith("We couldn't read that request")
    sent_on = answer_to(b"GET /rules HTTP/1.1" + rest, house.http).decode()
    assert sent_on.startswith("HTTP/1.1 301 ")
    assert "\r\nLocation: https://scores.example/rules\r\n" in sent_on


def answer_to(request: bytes, port: int, trust: ssl.SSLContext | None = None) -> bytes:
    """Return a server's answer to these bytes, until it closes the connection."""
    with ExitStack() as open_lines:
        line = open_lines.enter_context(socket.create_connection(("127.0.0.1", port), 120))
        if trust is not None:
            line = open_lines.enter_context(trust.wrap_socket(line, server_hostname="127.0.0.1"))
        line.sendall(request)
        return b"".join(iter(lambda: line.recv(65536), b""))


def said(answer: bytes, status: int) -> str:
    """Return the body of an answer, and assert its status and the headers of every answer."""
    head, _, body = answer.decode().partition("\r\n\r\n")
    first, *lines = head.split("\r\n")
    assert first.split()[1] == str(status), answer
    headers = [tuple(line.split(": ", 1)) for line in lines]
    expected = {**HEADERS, "Content-Security-Policy": OWN_POLICY, "Cache-Control": "no-store"}
    for name, value in expected.items():
        assert [one for known, one in headers if known == name] == [value], (name, head)
    assert "HTTP/1." not in body, "There is a second answer."
    for word in ("SECRET", "gunicorn", "nginx", "Traceback"):
        assert word not in body
    return body


def a_game_is_begun_over_https(house: Club) -> tuple[Behind, str]:
    first = house.browser()
    first.enter(HOUSE_KEY)
    assert first.answered is not None
    assert "; Secure;" in first.answered.headers["Set-Cookie"]
    form = first.form("/games/new", "/games/new")
    game = first.post("/games/new", form | {"name": ["Ana", "Ben", "Chandi"]}).location
    return first, game


def hands_are_marked_on_both_and_seen_on_both(house: Club, first: Behind, game: str) -> None:
    found = _VIEWER.search(first.get(f"{game}/code").text)  # an address of https, and of the name
    assert found is not None
    viewer = house.browser(OTHERS[0])
    for number, points in enumerate(POINTS, start=2):
        form = first.form(f"{game}/end", f"{game}/end")
        out = str(points.index(0))
        left = {f"points-{seat}": str(worth) for seat, worth in enumerate(points) if worth}
        melded = {f"melded-{seat}": "yes" for seat, worth in enumerate(points) if worth}
        marked = first.post(f"{game}/end", form | {"out": out} | left | melded)
        assert marked.status == 303, marked.says
        first.get(marked.location)  # the third request: the next hand is marked on the other server
        for _ in house.servers:
            live = viewer.get(f"{found[1]}/live?since={number - 1}")
            assert live.status == 200
            assert _SINCE.findall(live.text) == [str(number)]
    viewer.close()
    sheet = first.get(f"{game}/sheet").text
    totals = sheet.partition("<tfoot>")[2].partition("</tfoot>")[0]
    assert tuple(map(int, re.findall(r"<td[^>]*>(\d+)", totals))) == TOTALS
    for server in house.servers:
        assert ("POST", "/games/<game_id>/end", 303) in answered(server)
        assert ("GET", "/v/<key>/live", 200) in answered(server)


def wrong_keys_are_counted_once(house: Club) -> None:
    guessing = house.browser()
    before = [len(answered(server)) for server in house.servers]
    begun = monotonic()
    count = tried(guessing)
    assert count >= WRONG
    for server, sooner in zip(house.servers, before, strict=True):
        assert ("GET", "/k/<key>", 404) in answered(server)[sooner:]
    # What the client claims is not believed; what the proxy says of somebody else is.
    claiming = house.browser(**{"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=203.0.113.9"})
    count += tried(claiming)
    assert count <= WRONG + 1 + (monotonic() - begun) / FORGIVEN
    elsewhere = house.browser(OTHERS[0])
    assert elsewhere.get("/k/wrong").status == 404
    guessing.enter(HOUSE_KEY)  # the right one always opens
    for browser in (guessing, claiming, elsewhere):
        browser.close()
    one = house.servers[0]
    direct = Browser(one.port, host=one.host, claims={"X-Forwarded-For": OTHERS[1]})
    assert direct.get("/k/wrong").status == 404  # whoever asks without the proxy is believed
    direct.close()


def tried(browser: Browser) -> int:
    """Return how many wrong keys a client may try before it has to wait."""
    count = 0
    while (answer := browser.get("/k/wrong")).status != 429:
        assert answer.status == 404
        count += 1
    return count


def one_is_killed_and_nothing_is_lost(house: Club, first: Behind, game: str) -> list[str]:
    """Return the keys acknowledged to several phones while a server is killed."""
    saved: list[str] = []
    killed = threading.Event()
    with ThreadPoolExecutor() as pool:
        phones = []
        for _ in range(PHONES):
            phone = house.browser()
            phone.cookies = first.cookies
            phones.append(pool.submit(charge, phone, game, saved, killed))
        try:
            while len(saved) < PHONES and not any(phone.done() for phone in phones):
                killed.wait(0.01)
            house.servers[0].kill()
        finally:
            killed.set()
    for charged in phones:
        charged.result()  # raises what went wrong
    return saved


def charge(phone: Behind, game: str, saved: list[str], killed: threading.Event) -> None:
    """Charge penalties until a number of them are saved after the kill.

    What got no answer is sent again with its key; who was overtaken fills in the form anew.
    """
    count = 0
    while count < ACTS:
        after = killed.is_set()
        page = again(lambda: phone.get(f"{game}/penalty"))
        assert page.status == 200, page
        form = forms(page.text, "")[f"{game}/penalty"] | {"player": ["1"], "rule": ["PRO-13.3"]}
        form["key"] = [token_urlsafe(12)]  # otherwise what two of them send alike is one act
        answer = again(lambda form=form: phone.post(f"{game}/penalty", form))
        assert answer.status in (303, 409), answer
        if answer.status == 303:
            saved.append(form["key"][0])
            count += after
    phone.close()


def nobody_is_there(house: Club) -> None:
    asked = b"GET /rules HTTP/1.1\r\nHost: scores.example\r\nConnection: close\r\n\r\n"
    answer = answer_to(asked, house.https, house.trust)
    assert said(answer, 502).startswith("The companion is not answering now.")


# -- the line to PostgreSQL is cut ----------------------------------------------------------------

UNREACHABLE = "The database server cannot be reached."


@pytest.fixture
def relays(stored_in: str, shelf: Shelf) -> Iterator[tuple[Relay, Relay]]:
    """The lines of the two servers."""
    socket = shelf.server.place / ".s.PGSQL.5432"
    both = (Relay(socket), Relay(socket))
    yield both
    for relay in both:
        relay.close()


@pytest.mark.exhaustive
def test_a_server_that_is_cut_off_holds_nobody_up(relays, bare, tmp_path):
    name = bare.partition("@/")[2].partition("?")[0]
    here = [f"postgresql://{USER}@127.0.0.1:{one.port}/{name}?connect_timeout=2" for one in relays]
    with club(here, tmp_path) as house:
        first, game = a_game_is_begun_over_https(house)
        form = first.form(f"{game}/penalty", f"{game}/penalty")
        form |= {"player": ["1"], "rule": ["PRO-13.3"]}
        found = _VIEWER.search(first.get(f"{game}/code").text)
        assert found is not None
        # It sends as the outbox does.
        phone, viewer = house.browser(**{"X-Action": "later"}), house.browser()
        phone.cookies = first.cookies
        first.close()
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
    assert [key for _, key in of_the_game(bare, game)[1:]] == form["key"]


def an_act_is_never_sent_to_another_server(
    house: Club, phone: Behind, game: str, form: dict[str, list[str]]
) -> None:
    """The phone itself sends it again, with its key: one of the servers, in turn, can save it."""
    answers = [phone.post(f"{game}/penalty", form) for _ in range(ACTS)]
    for server, status in zip(house.servers, (503, 200), strict=True):
        met = [answer for answer in answered(server) if answer[0] == "POST"]
        mine = [status for _, route, status in met if route == "/games/<game_id>/penalty"]
        assert mine == [status] * (ACTS // 2)
    assert sorted(answer.status for answer in answers) == [200] * (ACTS // 2) + [503] * (ACTS // 2)
    assert all(UNREACHABLE in answer.text for answer in answers if answer.status == 503)


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
    """The error page is the companion's own, even if no server has worked for a while."""
    for _ in range(LOOKS):
        assert_is_our_own(viewer.get(live), viewer)
    for _ in range(ACTS):
        answer = phone.post(f"{game}/penalty", form)
        assert_is_our_own(answer, phone)
        assert phone.answered is not None
        assert phone.answered.headers["X-Action"] == "answered"


def assert_is_our_own(answer: Answer, browser: Behind) -> None:
    assert answer.status == 503, answer
    assert UNREACHABLE in answer.text
    assert browser.answered is not None
    assert "X-Not-Saved" not in browser.answered.headers  # an answer that was lost may have saved
