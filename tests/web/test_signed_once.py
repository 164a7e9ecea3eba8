"""Sessions and tokens: believed only if this process verified them, and then not verified again."""

import pytest
from flask import Flask, Request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import TimestampSigner
from werkzeug.test import EnvironBuilder

from companion.web import signed_once
from companion.web.signed_once import VerifiedOnce, form_token
from tests.web.conftest import Marker


def cookie_of(app: Flask, content: dict[str, object]) -> str:
    """A session's cookie as Flask signs it."""
    signer = SecureCookieSessionInterface().get_signing_serializer(app)
    assert signer is not None
    return str(signer.dumps(content))


def opened(app: Flask, sessions: VerifiedOnce, cookie: str) -> dict[str, object]:
    return dict(open_session(app, sessions, cookie))


def open_session(app: Flask, sessions: VerifiedOnce, cookie: str) -> SecureCookieSession:
    """The session of a request with this cookie."""
    environ = EnvironBuilder(headers={"Cookie": f"companion={cookie}"}).get_environ()
    found = sessions.open_session(app, Request(environ))
    assert found is not None
    return found


@pytest.fixture
def verifications(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The cookies whose signature was looked at."""
    seen: list[str] = []
    verify = SecureCookieSessionInterface.open_session

    def watched(self: SecureCookieSessionInterface, app: Flask, request: object) -> object:
        seen.append(request.cookies.get("companion", ""))  # type: ignore[attr-defined]
        return verify(self, app, request)  # type: ignore[arg-type]

    monkeypatch.setattr(SecureCookieSessionInterface, "open_session", watched)
    return seen


def test_a_cookie_is_verified_once(app: Flask, verifications: list[str]) -> None:
    sessions = VerifiedOnce()
    cookie = cookie_of(app, {"marker": "m"})
    assert opened(app, sessions, cookie) == {"marker": "m"}
    assert opened(app, sessions, cookie) == {"marker": "m"}
    assert verifications == [cookie]


def test_after_an_hour_it_is_verified_again(
    app: Flask, verifications: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 5000.0
    monkeypatch.setattr(signed_once.time, "monotonic", lambda: now)
    sessions = VerifiedOnce()
    cookie = cookie_of(app, {"marker": "m"})
    opened(app, sessions, cookie)
    now += 3599
    opened(app, sessions, cookie)
    assert len(verifications) == 1
    now += 1
    opened(app, sessions, cookie)
    assert len(verifications) == 2


def test_a_forged_cookie_is_never_believed(app: Flask, verifications: list[str]) -> None:
    sessions = VerifiedOnce()
    good = cookie_of(app, {"marker": "m"})
    opened(app, sessions, good)
    swapped = good[:-2] + ("A" if good[-2] != "A" else "B") + good[-1]
    for forged in (good[:-1], swapped, "x" + good, ""):
        assert opened(app, sessions, forged) == {}
        assert opened(app, sessions, forged) == {}, "nor the second time"
    assert len(verifications) == 9


def test_a_cookie_of_a_server_whose_clock_is_ahead_is_believed_and_one_of_last_year_is_not(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions, offset = VerifiedOnce(), 0
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


def test_what_one_request_does_to_a_session_does_not_reach_the_next(app: Flask) -> None:
    sessions = VerifiedOnce()
    cookie = cookie_of(app, {"marker": "m"})
    for _ in range(2):
        open_session(app, sessions, cookie)["marker"] = "somebody else"
    assert opened(app, sessions, cookie) == {"marker": "m"}


def test_messages_are_not_remembered_with_it(app: Flask, verifications: list[str]) -> None:
    sessions = VerifiedOnce()
    cookie = cookie_of(app, {"marker": "m", "_flashes": [("success", "Saved.")]})
    for _ in range(2):
        found = open_session(app, sessions, cookie)
        assert found["_flashes"] == [("success", "Saved.")]
        found["_flashes"].clear()
    assert len(verifications) == 2


def test_only_so_many_are_remembered(
    app: Flask, verifications: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signed_once, "_MOST", 2)
    sessions = VerifiedOnce()
    cookies = [cookie_of(app, {"marker": name}) for name in "abc"]
    for cookie in (*cookies, cookies[2], cookies[0]):
        opened(app, sessions, cookie)
    assert verifications == [*cookies, cookies[0]]


def test_a_session_has_one_token_and_another_session_another(
    app: Flask, marker: Marker, other_marker: Marker
) -> None:
    def token(of: Marker) -> str:
        cookie = of.client.get_cookie("companion")
        assert cookie is not None
        with app.test_request_context(headers={"Cookie": f"companion={cookie.value}"}):
            return form_token()

    for one in (marker, other_marker):
        one.open("/")  # which makes the secret that is signed
    assert token(marker) == token(marker)
    assert token(marker) != token(other_marker)


def test_it_is_the_token_of_the_whole_request(app: Flask) -> None:
    with app.test_request_context():
        first = form_token()
        secret = session["csrf_token"]
    with app.test_request_context():
        session["csrf_token"] = secret
        assert form_token() == first
        assert app.jinja_env.globals["csrf_token"]() == first  # type: ignore[operator]


def test_only_so_many_tokens_are_remembered(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed_once, "_MOST", 2)
    monkeypatch.setattr(signed_once, "_TOKENS", {})
    for _ in range(3):
        with app.test_request_context():
            form_token()
    assert len(signed_once._TOKENS) == 1
