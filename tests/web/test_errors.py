"""Error pages: each says what happened and what to do, and none shows a traceback."""

from unittest.mock import Mock

import pytest
from flask import Flask
from werkzeug.exceptions import BadRequestKeyError, HTTPException, TooManyRequests
from werkzeug.test import EnvironBuilder, TestResponse

from companion.store import DatabaseProblem
from companion.web.errors import SAYS
from tests.web.conftest import text


def failing(app: Flask, error: Exception) -> TestResponse:
    """Return the answer of a view that raises an error."""
    app.config["PROPAGATE_EXCEPTIONS"] = False
    app.view_functions["monitoring.alive"] = Mock(side_effect=error, __name__="alive")
    return app.test_client().get("/healthz")


def heading(page: str) -> str:
    return text(page.partition("<h1>")[2].partition("</h1>")[0]).strip()


def test_unknown_addresses_and_methods_have_error_pages(marker, game):
    page = marker.open("/nothing", 404)
    assert heading(page) == "Page not found"
    assert ">All games</a>" in page
    assert "Try again" not in page
    for game_id in ("x", "0000000000", "%00", "ä", "a" * 5000, "..", "1 OR 1=1"):
        assert heading(marker.open(f"/games/{game_id}", 404)) == "Page not found"
    answer = marker.client.get(f"{game}/undo")
    assert answer.status_code == 405
    assert heading(answer.text) == "Not at this address"
    assert set(answer.headers["Allow"].split(", ")) == {"POST", "OPTIONS"}


def test_a_stranger_is_told_how_to_become_a_marker(stranger, game):
    page = stranger.open(game, 403)
    assert heading(page) == "This phone does not keep the score here"
    assert "Open the address that was printed at the start, or scan its code." in page
    assert ">To the start</a>" in page


def test_a_form_without_its_token_is_too_old(marker, other_marker, game):
    marker.open(game)
    theirs = other_marker.hidden("/games/new")["csrf_token"]
    for token in (None, "", "x", "é", "IjEi.aaaa.bbbb", theirs):
        fields = {} if token is None else {"csrf_token": token}
        for address in (f"{game}/undo", "/games/new", "/settings"):
            answer = marker.post(address, fields)
            assert answer.status_code == 400
            assert heading(answer.text) == "This page is too old to save from"
            assert "Go back, reload the page, and save again." in answer.text


def test_a_browser_without_cookies_is_told_so(app, marker):
    token = marker.hidden("/games/new")["csrf_token"]
    answer = app.test_client(use_cookies=False).post("/games/new", data={"csrf_token": token})
    assert answer.status_code == 400
    assert heading(answer.text) == "This browser sent no cookie"


def test_over_https_a_form_must_come_from_here(marker):
    secure = "https://localhost"
    token = marker.hidden("/games/new")["csrf_token"]

    def send(**headers: str) -> tuple[int, str]:
        answer = marker.client.post(
            "/games/new", base_url=secure, data={"csrf_token": token}, headers=headers
        )
        return answer.status_code, heading(answer.text)

    hidden = (400, "This browser hides where a form came from")
    assert send() == hidden
    assert send(Referer="https://elsewhere.example/") == hidden
    assert send(Referer="https://localhost/games/new")[0] == 422


@pytest.mark.own_app
def test_every_error_has_a_page_of_its_own(app, marker):
    fault = failing(app, KeyError("innards"))
    assert fault.status_code == 500
    assert heading(fault.text) == "Something went wrong"
    assert "What was saved before is safe" in fault.text
    assert "innards" not in fault.text
    assert "Try again</a>" in fault.text
    too_many = failing(app, TooManyRequests(retry_after=7))
    assert (too_many.status_code, too_many.headers["Retry-After"]) == (429, "7")
    assert "ack and try again." in too_many.text
    not_understood = failing(app, BadRequestKeyError("missing"))  # what was sent lacks something
    assert not_understood.status_code == 400
    assert heading(not_understood.text) == SAYS[400][0]
    assert "missing" not in not_understood.text
    full = failing(app, DatabaseProblem("full", "The disk is <full>."))
    assert full.status_code == 503
    assert "The disk is &lt;full&gt;." in full.text
    # Whether the last entry was saved is not claimed if that is unsure.
    unsure = failing(app, DatabaseProblem("disk", "The disk did not do what it was asked."))
    assert (unsure.status_code, "X-Not-Saved" in unsure.headers) == (503, False)
    made = failing(app, HTTPException(response=app.make_response(("as it is", 418))))
    assert (made.status_code, made.text) == (418, "as it is")


# -- requests of scripts --------------------------------------------------------------------------


def test_an_error_for_a_fragment_is_a_whole_page(marker):
    answer = marker.client.get("/nothing", headers={"HX-Request": "true"})
    assert answer.status_code == 404
    assert answer.headers["HX-Retarget"] == answer.headers["HX-Reselect"] == "body"
    assert answer.headers["HX-Reswap"] == "outerHTML"
    assert "HX-Retarget" not in marker.client.get("/nothing").headers


def test_an_invalid_host_is_a_400(app):
    statuses: list[str] = []
    for host in ("..", ".", "a..b", "a" * 64):
        for address in ("/", "/nothing", "/games/new", "/v/" + "A" * 22):
            environ = EnvironBuilder(path=address).get_environ() | {"HTTP_HOST": host}
            body = b"".join(app(environ, lambda status, *_: statuses.append(status)))
            assert statuses.pop().startswith("400 ")
            assert b"printed at the start" in body
