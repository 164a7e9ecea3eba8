"""What holds of every route, those to come included: headers on its answers, and bounds."""

import pytest

from companion.web.app import FORM
from tests.web.test_security import is_protected
from tests.web.test_who_may import addresses, world

__all__ = ["world"]


READS_GAMES = "games.import_game"  # tests/web/test_security.py has what it takes


def test_every_answer_has_the_headers_and_nothing_is_stored(app, world):
    people = [world.people["a marker of this notebook"], world.people["a stranger"]]
    # Those that only show come first: what they are about may be gone after the others.
    everything = sorted(addresses(app, world), key=lambda one: one[2] != "GET")
    assert len(everything) > 75
    for endpoint, address, method in everything:
        for person in people:
            with person.client.open(address, method=method) as answer:
                assert is_protected(answer), (endpoint, method, answer.status)
                kept = endpoint == "static" and answer.status_code == 200
                stored = answer.headers["Cache-Control"] != "no-store"
                assert stored == kept, (endpoint, method, answer.status)


@pytest.mark.parametrize(("size_is_told", "status"), [(True, 413), (False, 411)])
def test_no_form_may_be_larger_than_a_form(app, world, size_is_told, status):
    app.config["WTF_CSRF_ENABLED"] = True
    marker = world.people["a marker of this notebook"]
    in_pieces = {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}
    asked = 0
    for endpoint, address, method in addresses(app, world):
        if method == "GET" or endpoint == READS_GAMES:
            continue
        answer = marker.client.open(
            address,
            method=method,
            data=b"name=" + b"x" * FORM,
            content_type="application/x-www-form-urlencoded",
            environ_overrides={} if size_is_told else in_pieces | {"wsgi.input_terminated": True},
        )
        assert answer.status_code == status, (endpoint, method, answer.status)
        asked += 1
    assert asked > 25


def test_no_page_has_a_secret_but_the_code_that_hands_it_out(app, world):
    people = [world.people[role] for role in ("a marker of this notebook", "a viewer of this game")]
    cookie = people[0].client.get_cookie("companion")
    assert cookie is not None
    key = world.viewer.rpartition("/")[2]
    secrets = {app.config["HOUSE_KEY"], str(app.config["SECRET_KEY"]), cookie.value}
    for endpoint, address, method in addresses(app, world):
        if endpoint == "static" or method != "GET":
            continue
        for person in people:
            with person.client.get(address) as answer:
                said = f"{answer.text if answer.mimetype != 'image/png' else ''} {answer.location}"
            assert not [secret for secret in secrets if secret in said], endpoint
            shows = endpoint == "viewers.code" or "<key>" in address or address.startswith("/v/")
            assert shows or key not in said, endpoint


def game_of(marker, world):
    return marker.open(f"{world.game}/game.json")


def test_nothing_is_written_without_the_forms_token(app, world):
    app.config["WTF_CSRF_ENABLED"] = True
    marker = world.people["a marker of this notebook"]
    before = game_of(marker, world)
    asked = 0
    for endpoint, address, method in addresses(app, world):
        if method != "GET":
            answer = marker.client.open(address, method=method, data={"base": "3", "key": "k"})
            assert answer.status_code == 400, (endpoint, method)
            asked += 1
    assert asked > 25
    assert game_of(marker, world) == before


def test_no_address_takes_another_method_than_its_own(app, world):
    marker = world.people["a marker of this notebook"]
    known = {}
    for _, address, method in addresses(app, world):
        known.setdefault(address, set()).add(method)
    before = game_of(marker, world)
    for address, methods in known.items():
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - methods:
            assert marker.client.open(address, method=method).status_code == 405, (method, address)
    assert game_of(marker, world) == before


NOWHERE = (
    {"game_id": "nosuchgame"},
    {"handle": "0" * 16},
    {"person_id": "nosuchpers"},
    {"season_id": "nosuchseas"},
    *({"number": n} for n in (0, 99, 10**12)),
)


@pytest.mark.parametrize("wrong", NOWHERE, ids=str)
def test_what_there_is_not_is_not_found(app, world, wrong):
    marker = world.people["a marker of this notebook"]
    asked = [*addresses(app, world, **wrong)]
    assert asked
    for endpoint, address, method in asked:
        answer = marker.client.open(address, method=method)
        assert answer.status_code == 404, (endpoint, method, address, answer.status)
