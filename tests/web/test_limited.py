"""Rate limits on pages: how many tries pass, messages for the others, and who never waits."""

import re

import pytest
from flask import Flask
from sqlalchemy import select
from werkzeug.test import TestResponse

from companion.services import rate_limits
from companion.services.rate_limits import Allowance, Tried
from companion.store.models import RateRow
from companion.web.auth import client, database
from tests.web.conftest import Marker, begin, text, viewers_link
from tests.web.test_transfer import code

HOUSE = "203.0.113.7"
ELSEWHERE = "198.51.100.9"


@pytest.fixture(autouse=True)
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow three tries at once, then one every 90 seconds; no limit for all together."""
    for what in Tried:
        monkeypatch.setitem(rate_limits.ALLOWED, what, (Allowance(3, 90), Allowance(1000, 1)))


def get(browser: Marker, address: str, come_from: str = HOUSE) -> TestResponse:
    return browser.client.get(address, environ_overrides={"REMOTE_ADDR": come_from})


def guess(browser: Marker, times: int, address: str = "/k/wrong", come_from: str = HOUSE) -> None:
    for _ in range(times):
        assert get(browser, address, come_from).status_code == 404


def rows(app: Flask) -> list[tuple[str, str]]:
    with app.app_context(), database().read() as session:
        return [(what, who) for what, who, _ in session.connection().execute(select(RateRow)).all()]


WRONG = (
    *("/k/wrong", "/v/wrong", "/v/wrong/live", "/v/wrong/live?since=None", "/v/wrong/tally"),
    *("/v/wrong/hands/1", "/s/wrong", "/s/wrong/season.csv"),
)


def test_after_some_wrong_keys_of_any_kind_a_client_has_to_wait(stranger):
    for start in range(0, len(WRONG), 2):
        house = f"192.0.2.{start}"
        for at in range(3):
            guess(stranger, 1, WRONG[(start + at) % len(WRONG)], house)
        for wrong in WRONG:
            answer = get(stranger, wrong, house)
            assert answer.status_code == 429
            assert int(answer.headers["Retry-After"]) in (89, 90)
    assert "Too many tries" in answer.text
    assert "Too many wrong links or recovery codes" in text(answer.text)


def test_a_right_key_always_works_and_is_not_counted(app, marker, stranger, game):
    shown = viewers_link(marker, game)
    guess(stranger, 3)
    before = rows(app)
    for address in (shown, f"{shown}/live", f"{shown}/tally"):
        assert get(stranger, address).status_code == 200
    assert get(marker, game).status_code == 200
    assert get(marker, f"/k/{app.config['HOUSE_KEY']}").status_code == 303
    assert rows(app) == before
    assert get(stranger, f"/k/{app.config['HOUSE_KEY']}").status_code == 303
    assert get(stranger, "/games/new").status_code == 200


def test_too_many_new_notebooks_have_to_wait_and_existing_ones_do_not(app):
    door = f"/k/{app.config['HOUSE_KEY']}"
    phones = [Marker(app.test_client()) for _ in range(4)]
    assert [get(phone, door).status_code for phone in phones] == [303, 303, 303, 429]
    answer = get(phones[3], door)
    assert "Too many notebooks were started from here." in text(answer.text)
    assert "Set-Cookie" not in answer.headers
    assert get(phones[0], door).status_code == 303
    assert get(phones[3], door, ELSEWHERE).status_code == 303


def test_wrong_digits_are_limited_and_right_ones_are_not_counted(app, marker, game):
    other = begin(marker, ("Ida", "Jon"))
    for _ in range(4):
        phone = Marker(app.test_client())
        _, digits = code(marker, game, "notebook")
        # As people type them.
        arabic = digits.translate({ord("0") + n: ord("٠") + n for n in range(10)})
        answer = phone.act("/join", {"code": f" {arabic.replace(' ', '-')}."})
        assert (answer.status_code, answer.location) == (303, "/")
        phone.open(other)
    fields = phone.hidden("/join")
    _, digits = code(marker, game)
    wrong = f"{(int(digits.replace(' ', '')) + 1) % 10**8:08}"
    tried = [phone.post("/join", {"code": wrong}, **fields).status_code for _ in range(4)]
    assert tried == [422, 422, 422, 429]
    answer = phone.post("/join", {"code": digits}, **fields)
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) >= 1
    assert "Too many wrong digits" in text(answer.text)


def test_wrong_recovery_codes_have_to_wait_and_the_right_one_does_not(marker, stranger):
    paper = re.findall(r'<p class="typed long">([0-9a-z-]+)</p>', marker.act("/recovery-code").text)
    fields = stranger.hidden("/recover")
    tried = [stranger.post("/recover", {"code": "x"}, **fields).status_code for _ in range(4)]
    assert tried == [422, 422, 422, 429]
    assert stranger.post("/recover", {"code": paper}, **fields).status_code == 303


def test_no_client_address_is_stored_and_limits_can_be_switched_off(app, stranger):
    guess(stranger, 1)
    ((first, everybody), (second, who)) = sorted(rows(app))
    assert (first, second, everybody) == ("wrong key", "wrong key", "")
    assert len(who) == 32
    assert who != HOUSE
    # Without the secret nobody can find the address again by trying all there are.
    app.config["SECRET_KEY"] = "another secret, of the same length"
    with app.test_request_context(environ_overrides={"REMOTE_ADDR": HOUSE}):
        assert client() != who
    before = rows(app)
    app.config["RATE_LIMITS"] = False
    guess(stranger, 6)
    assert rows(app) == before


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("203.0.113.7", "203.0.113.7", True),
        ("203.0.113.7", "203.0.113.8", False),
        ("203.0.113.7", "::ffff:203.0.113.7", True),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("", "203.0.113.7", False),
    ],
)
def test_a_client_is_an_ipv4_address_or_an_ipv6_network(app, one, other, same):
    found = []
    for address in (one, other):
        with app.test_request_context(environ_overrides={"REMOTE_ADDR": address}):
            found.append(client())
    assert (found[0] == found[1]) is same


def test_a_long_wait_is_given_in_minutes(stranger, monkeypatch):
    monkeypatch.setitem(rate_limits.ALLOWED, Tried.WRONG_KEY, (Allowance(1, 119), Allowance(9, 1)))
    guess(stranger, 1)
    assert "Wait 2 minutes." in text(get(stranger, "/k/wrong").text)
