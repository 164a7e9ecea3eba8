"""The house key and the cookie: who becomes a marker, and who stays a stranger."""

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.sessions import SecureCookieSessionInterface

from companion.services import games
from companion.store.installation import replace_key
from companion.web.auth import database, device
from companion.web.config import MOST_FORMER
from tests.web.conftest import NAMES, Marker, begin

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
    "Gecko) Version/18.1 Mobile/15E148 Safari/604.1"
)


def opens(app: Flask, browser: Marker, key: str = "", **options: Any) -> Any:
    """Open the address printed at the start, or one with another key; return the answer."""
    return browser.client.get(f"/k/{key or app.config['HOUSE_KEY']}", **options)


def marker_of(browser: Marker) -> object:
    with browser.client.session_transaction() as session:
        return session.get("marker")


# -- the key --------------------------------------------------------------------------------------


def test_the_cookie_is_for_this_site_and_lasts_a_year(app, marker, game, stranger):
    before = marker_of(marker)
    answer = opens(app, marker)
    assert answer.status_code == 303
    assert "Expires=" in answer.headers["Set-Cookie"]
    assert marker_of(marker) == before
    assert game in marker.open("/")
    (cookie,) = opens(app, stranger).headers.getlist("Set-Cookie")
    parts = cookie.split("; ")
    assert parts[0].startswith("companion=")
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= {*parts}
    assert "Secure" not in parts
    kept = stranger.client.get_cookie("companion")
    assert kept is not None
    assert kept.expires is not None
    lasts = kept.expires - datetime.now(UTC)
    assert 364 <= lasts.days <= 365


def test_a_wrong_key_and_a_head_request_make_no_marker(app, stranger):
    key = app.config["HOUSE_KEY"]
    for wrong in (
        *("x", "%20", "%00", "%ff%fe", "ключ", "%F0%9F%82%A1", "a" * 3000),
        *(f"{key}x", f"x{key}", key[:-1], key[1:], key.swapcase()),
    ):
        assert opens(app, stranger, wrong).status_code == 404
    assert marker_of(stranger) is None
    answer = stranger.client.head(f"/k/{app.config['HOUSE_KEY']}")
    assert (answer.status_code, answer.data) == (303, b"")
    assert "Set-Cookie" not in answer.headers
    assert stranger.client.head("/k/wrong").status_code == 404


# -- the cookie -----------------------------------------------------------------------------------


def signed(app: Flask, content: dict[str, Any]) -> str:
    """Return a session's cookie, signed with an application's secret."""
    signer = SecureCookieSessionInterface().get_signing_serializer(app)
    assert signer is not None
    return str(signer.dumps(content))


ELSEWHERE = Flask("elsewhere")
ELSEWHERE.secret_key = "x" * 43

COOKIES = {
    "no cookie of ours": lambda app: "nonsense",
    "nothing": lambda app: "",
    "dots": lambda app: "...",
    "not ASCII": lambda app: "ключ",
    "signed with another secret": lambda app: signed(ELSEWHERE, {"marker": "m"}),
    "a marker that never was": lambda app: signed(app, {"marker": "m"}),
    "a marker that is not ASCII": lambda app: signed(app, {"marker": "ключ"}),
    "a marker that is no text": lambda app: signed(app, {"marker": ["m"]}),
    "a marker that is a number": lambda app: signed(app, {"marker": 1}),
    "nobody": lambda app: signed(app, {"marker": None}),
    "an empty session": lambda app: signed(app, {}),
}


def test_a_foreign_cookie_is_a_strangers(app, marker, game):
    head, _, signature = marker.cookie.rpartition(".")
    made = {kind: cookie(app) for kind, cookie in COOKIES.items()}
    for kind, cookie in (made | {"another signature": f"{head}.{signature[::-1]}"}).items():
        browser = Marker(app.test_client())
        browser.client.set_cookie("companion", cookie)
        assert browser.client.get("/games/new").status_code == 403, kind
        assert browser.client.get("/games/archive").status_code == 403, kind
        assert browser.client.get(game).status_code in (403, 404), kind
        home = browser.open("/")
        assert "open the address that was printed" in home, kind
        assert game not in home
        assert opens(app, browser).status_code == 303, kind


# -- who wrote ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("user_agent", "words"),
    [
        (IPHONE, "iPhone"),
        ("Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) Mobile/15E148 Safari/604.1", "iPad"),
        ("Mozilla/5.0 (iPod touch; CPU iPhone OS 12_5 like Mac OS X) Safari/604.1", "iPhone"),
        ("Mozilla/5.0 (Linux; Android 10; K) Chrome/130 Mobile Safari/537.36", "Android phone"),
        ("Mozilla/5.0 (Android 14; Mobile; rv:131.0) Gecko/131.0 Firefox/131.0", "Android phone"),
        ("Mozilla/5.0 (Linux; Android 10; K) Chrome/130 Safari/537.36", "Android tablet"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/130 Safari/537.36", "Windows computer"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18 Safari/605.1.15", "Mac"),
        ("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) Chrome/130 Safari/537.36", "Chromebook"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131", "Linux computer"),
        ("curl/8.5.0", "Unknown device"),
        ("", "Unknown device"),
        ("<script>" * 500, "Unknown device"),
    ],
)
def test_a_user_agent_names_a_kind_of_device(user_agent, words):
    assert device(user_agent) == words


def test_the_log_names_the_device_of_each_entry(app, stranger):
    opens(app, stranger, headers={"User-Agent": IPHONE})
    with app.app_context():
        assert games.find_marker(database(), stranger.me).label == "iPhone"
    game = begin(stranger, ("Ana", "Ben"))
    assert re.search(r"\biPhone\b", stranger.open(f"{game}/log"))


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
def test_only_the_owner_can_use_the_instance_folder_from_the_start(app, served):
    folder(app).chmod(0o777)
    served()
    assert folder(app).stat().st_mode & 0o777 == 0o700


# -- new secrets and house keys, and a start after them -------------------------------------------


def folder(app: Flask) -> Path:
    return Path(app.instance_path)


def new_secret(app: Flask, former: int = MOST_FORMER) -> None:
    replace_key(folder(app) / "secret.key", former)


def moved(marker: Marker, to: Flask) -> Marker:
    """Return the browser's client at another server."""
    browser = Marker(to.test_client())
    browser.client.set_cookie("companion", marker.cookie)
    return browser


@pytest.mark.own_app
def test_cookies_of_a_former_secret_are_valid_until_it_is_dropped(app, marker, game, served):
    fields = marker.hidden("/games/new")
    new_secret(app)
    phone = moved(marker, served())
    assert "Hand 1" in phone.open(game)
    # A page that lay open can still be saved.
    names = [("name", name) for name in NAMES]
    assert phone.post("/games/new", names, **fields).status_code == 303
    with phone.client.get("/static/x/app.css") as answer:
        assert "Set-Cookie" not in answer.headers
        assert "Cookie" not in answer.headers.get("Vary", "")
    new_secret(app, former=0)
    moved(marker, served()).open(game, 403)


@pytest.mark.own_app
def test_a_new_house_key_opens_from_the_next_start_on(app, marker, stranger, game, served):
    former = app.config["HOUSE_KEY"]
    new_secret(app)
    key = replace_key(folder(app) / "house.key")
    # A server that runs goes on with the keys that it began with.
    assert "Hand 1" in marker.open(game)
    assert stranger.client.get(f"/k/{former}").status_code == 303
    started = served()
    newcomer = Marker(started.test_client())
    assert newcomer.client.get(f"/k/{former}").status_code == 404
    assert newcomer.client.get(f"/k/{key}").status_code == 303
    assert "Hand 1" in moved(marker, started).open(game)
