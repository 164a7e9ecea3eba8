"""How much may be sent where, and what is said of more."""

from io import BytesIO

import pytest
from werkzeug.test import TestResponse

from companion.web.security import FORM, SAVED_GAME
from tests.web.conftest import Marker, text


def import_file(marker: Marker, size: int) -> TestResponse:
    token = marker.hidden("/games/new")["csrf_token"].encode()
    body = b"".join(
        (
            b'--edge\r\nContent-Disposition: form-data; name="csrf_token"\r\n\r\n' + token,
            b'\r\n--edge\r\nContent-Disposition: form-data; name="file"; filename="game.json"\r\n',
            b"\r\n" + b"x" * size,
            b"\r\n--edge--\r\n",
        )
    )
    return marker.client.post(
        "/games/import", data=body, content_type="multipart/form-data; boundary=edge"
    )


def test_a_form_may_be_so_large(marker):
    fields = marker.hidden("/games/new")
    room = FORM - sum(len(name) + len(value) + 2 for name, value in fields.items()) - 100
    assert marker.post("/games/new", {"title": "x" * room}, **fields).status_code == 422
    answer = marker.post("/games/new", {"title": "x" * FORM}, **fields)
    assert answer.status_code == 413
    assert "What was sent is larger than any form or saved game." in text(answer.text)


def test_so_are_a_forms_fields_in_parts(marker):
    token = marker.hidden("/games/new")["csrf_token"]
    fields = {"csrf_token": token, "title": "x" * (FORM + 1), "file": (BytesIO(b""), "game.json")}
    assert marker.client.post("/games/import", data=fields).status_code == 413


def test_a_saved_game_may_be_larger(marker):
    answer = import_file(marker, SAVED_GAME - 2000)
    assert answer.status_code == 422
    answer = import_file(marker, SAVED_GAME)
    assert answer.status_code == 413


def test_a_strangers_may_not(stranger):
    answer = stranger.client.post("/games/import", data={"file": (BytesIO(b"x" * FORM), "a")})
    assert answer.status_code == 413


@pytest.mark.parametrize("address", ["/", "/nothing", "/v/wrong", "/static/x/app.css"])
def test_nothing_is_read_of_what_nobody_wants(stranger, address):
    answer = stranger.client.post(address, data=b"x" * (FORM + 1), content_type="text/plain")
    assert answer.status_code in (400, 404, 405, 413)
