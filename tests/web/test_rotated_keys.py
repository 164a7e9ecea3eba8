"""New secrets and house keys, and a start after them: nobody notices who need not."""

from pathlib import Path

import pytest
from flask import Flask

from companion.store.installation import replace_key
from companion.web.app import FORMER
from tests.web.conftest import Marker

pytestmark = pytest.mark.own_app

PEOPLE = ("Ana", "Ben", "Chandi")


def folder(app: Flask) -> Path:
    return Path(app.instance_path)


def new_secret(app: Flask, former: int = FORMER) -> None:
    replace_key(folder(app) / "secret.key", former)


def moved(marker: Marker, to: Flask) -> Marker:
    """The browser, at another server."""
    cookie, browser = marker.client.get_cookie("companion"), Marker(to.test_client())
    assert cookie is not None
    browser.client.set_cookie("companion", cookie.value)
    return browser


def test_what_a_former_secret_signed_is_good_until_that_is_dropped(app, marker, game, served):
    fields = marker.hidden("/games/new")
    new_secret(app)
    phone = moved(marker, served())
    assert "Hand 1" in phone.open(game)
    # A page that lay open can still be saved.
    names = [("name", name) for name in PEOPLE]
    assert phone.post("/games/new", names, **fields).status_code == 303
    with phone.client.get("/static/x/app.css") as answer:
        assert "Set-Cookie" not in answer.headers
        assert "Cookie" not in answer.headers.get("Vary", "")
    new_secret(app, former=0)
    moved(marker, served()).open(game, 403)


def test_a_new_house_key_opens_after_the_next_start_and_then_the_former_one_does_not(
    app, marker, stranger, game, served
):
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
