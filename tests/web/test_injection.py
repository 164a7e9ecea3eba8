"""Typed text stays text on pages, in files and in previews; no request is answered with a 500."""

import re
from html.parser import HTMLParser

import pytest
from flask import Flask

from tests.browsing import forms
from tests.torture.requests import one_seed
from tests.web.asking import BEN, ruling
from tests.web.conftest import Marker, begin, viewers_link
from tests.web.test_transfer import code, handles, taken
from tests.web.test_who_may import World, addresses

SCRIPTS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'-alert(1)-'",
    "javascript:alert(1)",
    "{{7*7}}${7*7}",
    "</title><svg onload=alert(1)>",
)


class Page(HTMLParser):
    """Collects what a browser would run on a page, and the addresses that it would follow."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.runs: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script" and "src" not in given:
            self.runs.append(tag)
        for name, value in attrs:
            address = name in ("href", "src", "action", "formaction") and (value or "").strip()
            if name.startswith("on") or (address and address.lower().startswith("javascript:")):
                self.runs.append(f"{tag} {name}={value}")


@pytest.fixture
def hostile(app: Flask, marker: Marker) -> str:
    """A game in which every text is a script or a formula."""
    game = begin(marker, SCRIPTS, title=SCRIPTS[1])
    phone = Marker(app.test_client())
    taken(phone, code(marker, game)[0], SCRIPTS[1])
    marker.act(f"{game}/penalty", {"player": "1", "rule": "PRO-13.3"})
    ruling(marker, game, "meld", BEN, cards=["5C", "6C", "8C"])
    marker.act(f"{game}/end", {"out": "0"} | {f"points-{seat}": "5" for seat in range(1, 6)})
    return game


BREAKS_OUT = (
    "\"'>--></title></textarea></option><script>alert(1)</script><img src=x onerror=alert(1)>"
)
# What the pages look for after the question mark; “back” becomes an address.
ASKED_FOR = (
    *("ask", "cards", "fresh", "game", "hand"),
    *("like", "lost", "out", "page", "player", "q", "since"),
)
ASKED = dict.fromkeys(ASKED_FOR, BREAKS_OUT) | {"back": "javascript:alert(1)"}


def test_no_page_or_error_message_runs_what_was_typed(app, marker, hostile):
    (handle,) = (one for name, one in handles(marker).items() if "img" in name)
    found: dict[str, dict[str, list[str]]] = {}
    looked = told = shown = 0
    person = re.findall(r'href="/people/(\w+)"', marker.open("/people"))[0]
    world = World(
        hostile, viewers_link(marker, hostile), handle.rpartition("/")[2], person, "x", "x", {}
    )
    for endpoint, address, method in addresses(app, world):
        if method != "GET" or endpoint in {"static", "auth.open_house"}:
            continue
        for asked in (ASKED, None):
            with marker.client.get(address, query_string=asked) as answer:
                assert answer.status_code < 500, address
                if answer.mimetype == "text/html":
                    assert Page(answer.text).runs == [], address
                    looked += answer.status_code == 200
                    told += "&lt;script&gt;" in answer.text and address.startswith("/v/")
                    found |= forms(answer.text, address)
            if answer.status_code == 200:  # else it is asked for as it is
                break
    assert looked > 35
    assert told >= 4  # of viewers' pages
    for address, fields in found.items():
        kept = {name: fields.get(name, "") for name in ("csrf_token", "key", "base")}
        sent = dict.fromkeys([*fields, "name", "title", "code", "nickname"], BREAKS_OUT) | kept
        answer = marker.client.post(address, data=sent)
        assert answer.status_code < 500, address
        assert Page(answer.text).runs == [], address
        shown += answer.status_code == 422
    assert shown > 5


# -- odd requests ---------------------------------------------------------------------------------


SEEDS = ((0, 250), *(pytest.param(n, 400, marks=pytest.mark.exhaustive) for n in range(1, 8)))


@pytest.mark.own_app
@pytest.mark.slow
@pytest.mark.parametrize(("seed", "requests"), SEEDS)
def test_no_request_is_answered_with_a_500(app, seed, requests):
    app.config["PROPAGATE_EXCEPTIONS"] = False
    fuzzer, _games, wrong = one_seed(app, requests, seed)
    assert wrong == []
    assert fuzzer.statuses[200] > requests // 5  # or nothing was asked of what is behind the door
    assert fuzzer.statuses[303] > requests // 25
