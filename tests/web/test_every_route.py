"""Every route, also future ones: headers, limits, and readable pages."""

import re

import pytest

from companion.web.app import MAX_FORM
from tests.web.conftest import text
from tests.web.test_security import is_protected
from tests.web.test_who_may import HIDDEN, MAY, MAY_GET_TO, NOBODY, addresses, world

__all__ = ["world"]

READS_GAMES = "games.import_game"  # tests/web/test_security.py has what it takes
SQLITE = pytest.mark.database("sqlite")


@SQLITE
def test_requests_that_no_form_sends_are_refused_and_write_nothing(app, world):
    app.config["WTF_CSRF_ENABLED"] = True
    marker = world.people["a marker of this notebook"]
    before = marker.open(f"{world.game}/game.json")
    form = "application/x-www-form-urlencoded"
    large = {"data": b"name=" + b"x" * MAX_FORM, "content_type": form}
    in_pieces = {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}
    in_pieces |= {"wsgi.input_terminated": True}
    known: dict[str, set[str]] = {}
    posts = 0
    for endpoint, address, method in addresses(app, world):
        known.setdefault(address, set()).add(method)
        if method != "GET":
            posts += 1
            without_token = marker.client.post(address, data={"base": "3", "key": "k"})
            assert without_token.status_code == 400, endpoint
            if endpoint != READS_GAMES:
                assert marker.client.post(address, **large).status_code == 413, endpoint
                sent = marker.client.post(address, environ_overrides=in_pieces, **large)
                assert sent.status_code == 411, endpoint
    assert posts > 25
    for address, methods in known.items():
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - methods:
            answer = marker.client.open(address, method=method)
            assert answer.status_code == 405, (method, address)
            assert is_protected(answer), (method, address)
    assert marker.open(f"{world.game}/game.json") == before


NOWHERE = (
    {"game_id": "nosuchgame"},
    {"handle": "0" * 16},
    {"person_id": "nosuchpers"},
    {"season_id": "nosuchseas"},
    *({"number": n} for n in (0, 99, 10**12)),
)


@SQLITE
def test_unknown_ids_are_not_found(app, world):
    marker = world.people["a marker of this notebook"]
    for wrong in NOWHERE:
        asked = [*addresses(app, world, **wrong)]
        assert asked
        for endpoint, address, method in asked:
            answer = marker.client.open(address, method=method)
            assert answer.status_code == 404, (endpoint, method, address, answer.status)
            assert is_protected(answer), (endpoint, method, address)


# -- pages as they are read -----------------------------------------------------------------------

# The end of a sentence before the next one's first letter, and a letter before a link or a name,
# with nothing but the tags of parts of a line between them.
_TAGS = r"(?:</?(?:a|b|bdi|i|span|em)\b[^>]*>)*"
GLUED = re.compile(
    rf"[^\W\d_][.?!]{_TAGS}[A-Z]|[^\W\d_]<(?:a|bdi)\b[^>]*>[^\W\d_]|</(?:a|bdi)>[^\W\d_]"
    rf"|[^\W\d_.]{_TAGS}<small\b[^>]*>{_TAGS}[^\W\d_]|<i>D</i>\d|</a><a\b"
)
NOT_SAID = re.compile(r"<(script|style|svg|textarea)\b.*?</\1>|<head>.*?</head>", re.DOTALL)
TAG = re.compile(r"<(/?[a-z]\w*)[^>]*>")


def glued(page: str) -> list[str]:
    """Return every place where words or links run together, with the text before it."""
    said = TAG.sub(r"<\1>", NOT_SAID.sub("", page))
    return [said[max(0, found.start() - 40) : found.end() + 20] for found in GLUED.finditer(said)]


def unreadable(page: str) -> list[str]:
    """Return what is unreadable on a page without scripts and styles, as in a text browser."""
    buttons = re.findall(r"(<(a|button)\b[^>]*>(.*?)</\2>)", page, re.DOTALL)
    return glued(page) + [button for button, _, words in buttons if not text(words).strip()]


def too_early(page: str) -> list[str]:
    """Return texts that must stay hidden until scripts show them, but that a text browser shows."""
    hidden = ("not answer", "No connection", "Without a connection", "keep the screen awake")
    return [one for one in hidden if one in text(page)]


def forbidden(page: str) -> list[str]:
    """Return what the content security policy forbids, so that it has no effect."""
    inline = r"<script(?![^>]* src=)(?![^>]*json)|<style| style=| onclick="
    return re.findall(inline, page)


# What opens nothing more to a viewer.
TRICKS = {
    "HX-Request": "true",
    "HX-Current-URL": "/games",
    "X-Forwarded-For": "127.0.0.1",
    "X-Forwarded-User": "marker",
    "Forwarded": "for=127.0.0.1",
    "X-Original-URL": "/",
    "X-Rewrite-URL": "/",
    "X-HTTP-Method-Override": "GET",
    "Authorization": "Basic bWFya2VyOm1hcmtlcg==",
}


def test_every_answer_has_the_headers_and_no_secret_and_every_page_can_be_read(app, world):
    roles = ("a marker of this notebook", "a viewer", "a stranger")
    people = [world.people[role] for role in roles]
    key = world.viewer.rpartition("/")[2]
    secrets = {app.config["HOUSE_KEY"], str(app.config["SECRET_KEY"]), people[0].cookie}
    of_game = {"Chandi", world.game.rpartition("/")[2]}
    viewer_gets = {name: row[1] for row, names in MAY_GET_TO.items() for name in names.split()}
    # Pages come first: the other requests may delete what they show.
    everything = sorted(addresses(app, world), key=lambda one: one[2] != "GET")
    assert len(everything) > 75
    pages = 0
    for endpoint, address, method in everything:
        for role, person in zip(roles, people, strict=True):
            headers = TRICKS if role == "a viewer" else {}
            with person.client.open(address, method=method, headers=headers) as answer:
                assert is_protected(answer), (endpoint, method, answer.status)
                kept = endpoint == "static" and answer.status_code == 200
                stored = answer.headers["Cache-Control"] != "no-store"
                assert stored == kept, (endpoint, method, answer.status)
                is_text = endpoint != "static" and answer.mimetype != "image/png"
                said = f"{answer.text if is_text else ''} {answer.location}"
            assert not [secret for secret in secrets if secret in said], endpoint
            shows = endpoint == "viewers.code" or address.startswith("/v/")
            assert shows or key not in said, endpoint
            if role == "a viewer":
                got = {403: NOBODY, 404: HIDDEN}.get(answer.status_code, MAY)
                assert got == viewer_gets[endpoint], (method, address, answer.status)
                told = "" if shows else said.replace(address, "")
                assert not [secret for secret in of_game if secret in told], endpoint
            if answer.status_code == 200 and answer.mimetype == "text/html":
                assert unreadable(said) + too_early(said) + forbidden(said) == [], endpoint
                pages += 1
    assert pages > 50
