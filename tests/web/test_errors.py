"""Errors: each page says what happened and what to do, and none of them is a trace."""

import pytest
from flask import Flask, abort, request
from werkzeug.exceptions import TooManyRequests
from werkzeug.test import EnvironBuilder

from companion.store import DatabaseProblem
from companion.web.errors import SAYS
from tests.web.conftest import text


def with_failing_view(app: Flask, error: Exception) -> str:
    """An address whose view raises the error."""
    app.config["PROPAGATE_EXCEPTIONS"] = False
    app._got_first_request = False

    def fail() -> str:
        raise error

    app.add_url_rule("/fails", "fails", fail)
    return "/fails"


def heading(page: str) -> str:
    return text(page.partition("<h1>")[2].partition("</h1>")[0]).strip()


def test_what_is_not_there(marker):
    page = marker.open("/nothing", 404)
    assert heading(page) == "There is nothing here"
    assert ">To the games</a>" in page
    assert "Try again" not in page


@pytest.mark.parametrize("game_id", ["x", "0000000000", "%00", "ä", "a" * 5000, "..", "1 OR 1=1"])
def test_a_game_that_is_not_there(marker, game_id):
    assert heading(marker.open(f"/games/{game_id}", 404)) == "There is nothing here"


def test_a_stranger_is_told_how_to_become_a_marker(stranger, game):
    page = stranger.open(game, 403)
    assert heading(page) == "This phone does not keep the score here"
    assert "Open the address that was printed at the start, or scan its code." in page
    assert ">To the start</a>" in page


def test_a_method_that_is_not_for_this_address(marker, game):
    answer = marker.client.get(f"{game}/undo")
    assert answer.status_code == 405
    assert heading(answer.text) == "Not at this address"
    assert set(answer.headers["Allow"].split(", ")) == {"POST", "OPTIONS"}


def test_more_fields_than_any_form_has(marker):
    answer = marker.client.post(
        "/games/import",
        data={f"f{n}": "1" for n in range(2100)},
        content_type="multipart/form-data",
    )
    assert answer.status_code == 413


@pytest.mark.parametrize("token", [None, "", "x", "é", "IjEi.aaaa.bbbb"])
def test_a_form_without_its_token_is_too_old(marker, game, token):
    marker.open(game)
    fields = {} if token is None else {"csrf_token": token}
    for address in (f"{game}/undo", "/games/new", "/settings"):
        answer = marker.post(address, fields)
        assert answer.status_code == 400
        assert heading(answer.text) == "This page is too old to be saved from"
        assert "Go back, reload the page, and save again." in answer.text


def test_somebody_elses_token_is_worth_nothing(marker, other_marker, game):
    other_marker.open("/")
    token = marker.hidden("/games/new")["csrf_token"]
    assert other_marker.post("/games/new", {"csrf_token": token}).status_code == 400


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
def test_a_fault_of_ours_is_said_to_be_ours(app, marker):
    answer = marker.client.get(with_failing_view(app, KeyError("innards")))
    assert answer.status_code == 500
    assert heading(answer.text) == "Something went wrong"
    assert "What was saved before is safe" in answer.text
    assert "innards" not in answer.text
    assert "Try again</a>" in answer.text


@pytest.mark.own_app
@pytest.mark.parametrize(
    ("error", "status"), [(TooManyRequests(retry_after=7), 429), (OSError("disk"), 500)]
)
def test_any_other_trouble_has_a_page_too(app, marker, error, status):
    answer = marker.client.get(with_failing_view(app, error))
    assert answer.status_code == status
    assert "ack and try again." in answer.text
    assert answer.headers.get("Retry-After") == ("7" if status == 429 else None)


@pytest.mark.own_app
def test_what_the_client_sent_is_called_not_understood(app, marker):
    app._got_first_request = False
    app.add_url_rule("/wants", "wants", lambda: request.args["missing"])
    page = marker.open("/wants", 400)
    assert heading(page) == SAYS[400][0]
    assert "missing" not in page


# -- the database ---------------------------------------------------------------------------------


@pytest.mark.own_app
def test_the_sentence_of_a_database_problem_is_the_pages(app, marker):
    problem = DatabaseProblem("full", "The disk is <full>.")
    page = marker.client.get(with_failing_view(app, problem))
    assert page.status_code == 503
    assert "The disk is &lt;full&gt;." in page.text


# -- where scripts ask ----------------------------------------------------------------------------


def test_to_a_part_of_a_page_the_whole_page_answers_with_an_error(marker):
    answer = marker.client.get("/nothing", headers={"HX-Request": "true"})
    assert answer.status_code == 404
    assert answer.headers["HX-Retarget"] == answer.headers["HX-Reselect"] == "body"
    assert answer.headers["HX-Reswap"] == "outerHTML"
    assert "HX-Retarget" not in marker.client.get("/nothing").headers


@pytest.mark.own_app
def test_an_answer_that_is_made_already_is_left_alone(app, marker):
    app._got_first_request = False
    app.add_url_rule("/moved", "moved", lambda: abort(app.make_response(("as it is", 418))))
    answer = marker.client.get("/moved")
    assert (answer.status_code, answer.text) == (418, "as it is")


@pytest.mark.parametrize("host", ["..", ".", "a..b", "a" * 64])
@pytest.mark.parametrize("address", ["/", "/nothing", "/games/new", "/v/" + "A" * 22])
def test_a_host_that_is_no_name_is_the_senders_fault(app, address, host):
    statuses: list[str] = []
    environ = EnvironBuilder(path=address).get_environ() | {"HTTP_HOST": host}
    body = b"".join(app(environ, lambda status, *_: statuses.append(status)))  # type: ignore[arg-type]
    assert statuses[0].startswith("400 ")
    assert b"printed at the start" in body
