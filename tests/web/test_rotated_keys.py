"""New secrets and house keys, and a start after them: nobody notices who need not."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from flask import Flask

from companion.store.installation import kept_keys, replace_key
from companion.web.app import FORMER
from tests.web.conftest import Marker, begin

pytestmark = pytest.mark.own_app

PEOPLE = ("Ana", "Ben", "Chandi")


def folder(app: Flask) -> Path:
    return Path(app.instance_path)


def new_secret(app: Flask, former: int = FORMER) -> None:
    replace_key(folder(app) / "secret.key", former)


def secrets(app: Flask) -> list[str]:
    return kept_keys(folder(app) / "secret.key")


def cookie_of(marker: Marker) -> str:
    cookie = marker.client.get_cookie("companion")
    assert cookie is not None
    return cookie.value


def moved(marker: Marker, to: Flask) -> Marker:
    """The browser, at another server."""
    browser = Marker(to.test_client())
    browser.client.set_cookie("companion", cookie_of(marker))
    return browser


def test_a_cookie_of_before_is_good_until_its_secret_is_dropped(app, marker, game, served):
    new_secret(app)
    for _ in range(2):
        assert "Hand 1" in moved(marker, served()).open(game)
    (folder(app) / "secret.key").write_text(f"{secrets(app)[0]}\n")
    moved(marker, served()).open(game, 403)


def test_a_static_file_brings_no_cookie(app, marker, served):
    new_secret(app)
    answer = moved(marker, served()).client.get("/static/x/app.css")
    assert "Set-Cookie" not in answer.headers
    assert "Cookie" not in answer.headers.get("Vary", "")
    answer.close()


@pytest.mark.slow
def test_a_page_that_lay_open_can_still_be_saved(app, marker, served):
    fields = marker.hidden("/games/new")
    new_secret(app)
    phone = moved(marker, served())
    answer = phone.post("/games/new", [("name", name) for name in PEOPLE], **fields)
    assert answer.status_code == 303
    for _ in range(2):
        new_secret(app)
    undone = moved(phone, served()).post(f"{answer.location}/undo", fields)
    assert undone.status_code == 409, "its key began the game, but its token is good"


def test_a_server_that_runs_goes_on_with_the_keys_that_it_began_with(app, marker, stranger, game):
    former = app.config["SECRET_KEY"], app.config["HOUSE_KEY"]
    new_secret(app, 0)
    replace_key(folder(app) / "house.key")
    assert "Hand 1" in marker.open(game)
    assert stranger.client.get(f"/k/{former[1]}").status_code == 303
    assert (app.config["SECRET_KEY"], app.config["HOUSE_KEY"]) == former


def test_a_new_house_key_opens_and_the_former_one_does_not(app, marker, game, served):
    former = app.config["HOUSE_KEY"]
    key = replace_key(folder(app) / "house.key")
    assert kept_keys(folder(app) / "house.key")[0] == key
    started = served()
    stranger = Marker(started.test_client())
    assert stranger.client.get(f"/k/{former}").status_code == 404
    assert stranger.client.get(f"/k/{key}").status_code == 303
    assert "Hand 1" in moved(marker, started).open(game)


# -- keys from the environment --------------------------------------------------------------------

OLD, NEW = "o" * 43, "n" * 43


def opened(app: Flask, key: str, people: Sequence[str] = PEOPLE) -> tuple[Marker, str]:
    marker = Marker(app.test_client())
    assert marker.client.get(f"/k/{key}").status_code == 303
    return marker, begin(marker, people)


def test_servers_take_a_new_secret_one_by_one(served):
    keys = {"HOUSE_KEY": "the-key-of-our-club"}
    marker, game = opened(served(SECRET_KEY=OLD, **keys), "the-key-of-our-club")
    fields = marker.hidden("/games/new")
    # First every server gets to know it, then they sign with it, then the former one goes.
    knows = served(SECRET_KEY=OLD, SECRET_KEY_FALLBACKS=NEW, **keys)
    signs = served(SECRET_KEY=NEW, SECRET_KEY_FALLBACKS=f"{'m' * 43}, {OLD}", **keys)
    phone = moved(marker, signs)
    assert (
        phone.post("/games/new", [("name", name) for name in PEOPLE], **fields).status_code == 303
    )
    newcomer, begun = opened(signs, "the-key-of-our-club")
    forgot = served(SECRET_KEY=NEW, **keys)
    for server in (knows, forgot):
        assert "Hand 1" in moved(newcomer, server).open(begun)
    moved(marker, forgot).open(game, 403)
