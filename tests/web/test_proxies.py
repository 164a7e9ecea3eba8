"""What a proxy says is believed only where one is configured, and only of so many."""

from collections.abc import Callable, Iterator

import pytest
from flask import Flask

from companion.web import create_app
from companion.web.house import database
from tests.web.conftest import Marker

Serve = Callable[..., Flask]


@pytest.fixture
def served(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Makes an application with an environment, which tells of a request what it knows."""
    made = []

    def serve(**environ: str) -> Flask:
        for name, value in environ.items():
            monkeypatch.setenv(f"COMPANION_{name}", value)
        made.append(create_app({"PROPAGATE_EXCEPTIONS": True}))
        made[-1].add_url_rule("/seen", "seen", seen)
        return made[-1]

    yield serve
    for one in made:
        with one.app_context():
            database().close()


def seen() -> dict[str, object]:
    from flask import request

    return {"from": request.remote_addr, "scheme": request.scheme, "host": request.host}


CLAIMS = {
    "X-Forwarded-For": "192.0.2.66, 203.0.113.7",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Port": "444",
    "X-Forwarded-Prefix": "/evil",
    "Forwarded": "for=192.0.2.66;proto=https;host=evil.example",
    "X-Real-IP": "192.0.2.66",
}


def test_without_a_proxy_nothing_is_believed(served):
    answer = served().test_client().get("/seen", headers=CLAIMS)
    assert answer.json == {"from": "127.0.0.1", "scheme": "http", "host": "localhost"}


def test_one_proxy_says_who_it_saw_and_no_more(served):
    answer = served(TRUST_PROXY="1").test_client().get("/seen", headers=CLAIMS)
    assert answer.json == {"from": "203.0.113.7", "scheme": "https", "host": "localhost"}


def test_two_proxies_are_asked_in_turn(served):
    answer = (
        served(TRUST_PROXY="2")
        .test_client()
        .get("/seen", headers=CLAIMS | {"X-Forwarded-Proto": "https, http"})
    )
    assert answer.json == {"from": "192.0.2.66", "scheme": "https", "host": "localhost"}


def test_a_proxy_that_says_nothing_is_the_client(served):
    answer = served(TRUST_PROXY="1").test_client().get("/seen")
    assert answer.json == {"from": "127.0.0.1", "scheme": "http", "host": "localhost"}


def test_the_viewers_address_and_the_cookie_are_those_of_https(served):
    app = served(TRUST_PROXY="1", HTTPS="1", HOSTS="scores.example")
    marker = Marker(app.test_client())
    proxied = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}

    def get(address: str) -> str:
        answer = marker.client.get(address, base_url="http://scores.example", headers=proxied)
        assert answer.status_code in (200, 303)
        return answer.headers.get("Set-Cookie", "") + answer.text

    assert "; Secure;" in get(f"/k/{app.config['HOUSE_KEY']}")


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("scores.example", 200),
        ("scores.example:8443", 200),
        ("one.club.example", 200),
        ("evil.example", 400),
        ("scores.example.evil.example", 400),
        ("127.0.0.1:8000", 400),
    ],
)
def test_only_the_hosts_that_are_named_are_answered(served, host, status):
    client = served(HOSTS="scores.example,.club.example").test_client()
    answer = client.get("/rules", base_url=f"http://{host}")
    assert answer.status_code == status
    assert ("Content-Security-Policy" in answer.headers) is True
