"""Sessions are believed only if we signed them; each has one token against forged forms."""

import pytest
from flask import Flask, Request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from flask_wtf.csrf import generate_csrf, validate_csrf
from itsdangerous import TimestampSigner
from werkzeug.test import EnvironBuilder
from wtforms import ValidationError

from companion.web.security import CookieSessions, csrf_token
from tests.web.conftest import Marker


def cookie_of(app: Flask, content: dict[str, object]) -> str:
    """A session's cookie as Flask signs it."""
    signer = SecureCookieSessionInterface().get_signing_serializer(app)
    assert signer is not None
    return str(signer.dumps(content))


def opened(app: Flask, sessions: CookieSessions, cookie: str) -> dict[str, object]:
    return dict(open_session(app, sessions, cookie))


def open_session(app: Flask, sessions: CookieSessions, cookie: str) -> SecureCookieSession:
    """The session of a request with this cookie."""
    environ = EnvironBuilder(headers={"Cookie": f"companion={cookie}"}).get_environ()
    found = sessions.open_session(app, Request(environ))
    assert found is not None
    return found


def test_a_forged_cookie_is_never_believed(app):
    sessions = CookieSessions()
    good = cookie_of(app, {"marker": "m"})
    assert opened(app, sessions, good) == {"marker": "m"}
    swapped = good[:-2] + ("A" if good[-2] != "A" else "B") + good[-1]
    for forged in (good[:-1], swapped, "x" + good, ""):
        assert opened(app, sessions, forged) == {}


def test_a_cookie_of_a_server_whose_clock_is_ahead_is_believed_and_one_of_last_year_is_not(
    app, monkeypatch
):
    sessions, offset = CookieSessions(), 0
    present = TimestampSigner.get_timestamp
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda self: present(self) + offset)
    cookies = {}
    for offset in (1, 7 * 60, -366 * 24 * 3600):
        cookies[offset] = cookie_of(app, {"marker": "m"})
    offset = 0
    assert opened(app, sessions, cookies[1]) == {"marker": "m"}
    assert opened(app, sessions, cookies[7 * 60]) == {"marker": "m"}
    assert opened(app, sessions, cookies[-366 * 24 * 3600]) == {}
    assert opened(app, sessions, cookies[7 * 60][:-1]) == {}, "it is forged, whatever its time"


def test_a_session_has_one_token_and_another_session_another(app, marker, other_marker):
    def token(of: Marker) -> str:
        cookie = of.client.get_cookie("companion")
        assert cookie is not None
        with app.test_request_context(headers={"Cookie": f"companion={cookie.value}"}):
            return csrf_token()

    for one in (marker, other_marker):
        one.open("/")  # which makes the secret that is signed
    assert token(marker) == token(marker)
    assert token(marker) != token(other_marker)


def test_it_is_the_token_of_the_whole_request_that_forms_are_checked_with(app):
    with app.test_request_context():
        first = csrf_token()
        assert generate_csrf() == first
        assert app.jinja_env.globals["csrf_token"]() == first  # type: ignore[operator]
        validate_csrf(first)
        secret = session["csrf_token"]
    with app.test_request_context():
        session["csrf_token"] = secret
        assert csrf_token() == first
    with app.test_request_context():
        csrf_token()  # of a session with another secret
        with pytest.raises(ValidationError):
            validate_csrf(first)
