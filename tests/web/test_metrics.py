"""Numbers for whoever has the token: counted by route and status, and none of it a secret."""

import re
from collections.abc import Iterator
from itertools import chain

import pytest
from flask import Flask
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from companion.web import create_app
from companion.web.house import database
from companion.web.monitoring import Numbers
from tests.web.conftest import Marker, begin

TOKEN = "a-token-for-prometheus"


@pytest.fixture
def counting(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    """An application whose numbers may be read with the token."""
    monkeypatch.setenv("COMPANION_METRICS_TOKEN", TOKEN)
    counting = create_app({"PROPAGATE_EXCEPTIONS": True})
    yield counting
    with counting.app_context():
        database().close()


def scrape(app: Flask) -> dict[str, float]:
    """Each series by its name and labels, but for the name of the process."""
    answer = app.test_client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.text.endswith("\n")
    return series(answer.text)


def series(text: str) -> dict[str, float]:
    """Each series of a text that Prometheus reads."""
    found = {}
    for sample in chain.from_iterable(one.samples for one in text_string_to_metric_families(text)):
        assert re.fullmatch(r"\d+-\d+", sample.labels.pop("process"))
        labels = ",".join(f'{name}="{value}"' for name, value in sample.labels.items())
        found[f"{sample.name}{{{labels}}}"] = sample.value
    return found


def test_without_a_token_there_are_none(app, stranger):
    answer = stranger.client.get("/metrics", headers={"Authorization": "Bearer None"})
    assert answer.status_code == 404


@pytest.mark.parametrize(
    "given", [None, "", TOKEN, "Bearer", "Bearer x", f"bearer {TOKEN}", "ключ"]
)
def test_without_the_right_token_nothing_is_told(counting, given):
    headers = {} if given is None else {"Authorization": given.encode().decode("latin-1")}
    answer = counting.test_client().get("/metrics", headers=headers)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].lower().startswith("bearer")
    assert "companion_" not in answer.text


def test_answers_are_counted_by_method_route_and_status(counting):
    browser = Marker(counting.test_client())
    browser.client.get(f"/k/{counting.config['HOUSE_KEY']}")
    browser.client.get("/k/wrong")
    browser.client.get("/k/wrong too")
    browser.client.get("/nothing")
    browser.client.open("/", method="BREW")
    found = scrape(counting)
    requests = {name: value for name, value in found.items() if name.startswith("companion_req")}
    assert requests['companion_requests_total{method="GET",route="/k/<key>",status="303"}'] == 1
    assert requests['companion_requests_total{method="GET",route="/k/<key>",status="404"}'] == 2
    assert requests['companion_requests_total{method="GET",route="none",status="404"}'] == 1
    assert requests['companion_requests_total{method="other",route="none",status="405"}'] == 1
    assert requests['companion_request_seconds_count{route="/k/<key>"}'] == 3
    assert requests['companion_request_seconds_bucket{le="+Inf",route="/k/<key>"}'] == 3
    assert counting.config["HOUSE_KEY"] not in str(found)


def test_events_are_counted_when_they_are_committed_and_once(counting):
    browser = Marker(counting.test_client())
    browser.client.get(f"/k/{counting.config['HOUSE_KEY']}")
    assert scrape(counting)["companion_events_written_total{}"] == 0
    game = begin(browser, ("Ana", "Ben"))
    assert scrape(counting)["companion_events_written_total{}"] == 1
    fields = browser.hidden(f"{game}/penalty", f"{game}/penalty")
    for _ in range(2):  # the same act again
        charged = browser.post(f"{game}/penalty", {"player": "0", "rule": "PRO-13.3"}, **fields)
        assert charged.status_code == 303
    refused = browser.post(f"{game}/penalty", {"player": "9", "rule": "PRO-13.3"}, **fields)
    assert refused.status_code in (409, 422)
    assert scrape(counting)["companion_events_written_total{}"] == 2


def test_times_are_told_in_steps(app):
    numbers = Numbers(app.extensions["companion_database"])
    for seconds in (0.004, 0.005, 0.006, 0.15, 7):
        numbers.count("GET", "/", 200, seconds)
    found = series(generate_latest(numbers.registry).decode())
    steps = [
        (re.findall('le="([^"]+)"', name)[0], value)
        for name, value in found.items()
        if name.startswith("companion_request_seconds_bucket")
    ]
    assert steps == [
        ("0.005", 2),
        ("0.01", 3),
        ("0.025", 3),
        ("0.05", 3),
        ("0.1", 3),
        ("0.15", 4),
        ("0.25", 4),
        ("0.5", 4),
        ("1.0", 4),
        ("2.5", 4),
        ("5.0", 4),
        ("+Inf", 5),
    ]
    assert found['companion_request_seconds_sum{route="/"}'] == pytest.approx(7.165)
    assert found['companion_request_seconds_count{route="/"}'] == 5
