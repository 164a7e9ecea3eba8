"""Permissions: every route, requested by everyone.

Forms are sent without the protection against forgery, which would stop most of them at the door:
what is asked here is who gets in, not who was sent by somebody else's page.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from flask import Flask

from companion.rules.games import GAMES
from tests.web.asking import BEN, ruling
from tests.web.conftest import Marker, begin, viewers_link
from tests.web.test_transfer import code, handles, revoke, taken

ROLES = (
    "a stranger",
    "a viewer",
    "a marker of another notebook",
    "a revoked marker",
    "a marker of another game of this notebook",
    "a marker of this game alone",
    "a marker of this notebook",
)

# The access of each of them, in that order: + allowed, - refused as not a marker (403), . not found
# (404).
NOBODY, HIDDEN, MAY = "-", ".", "+"
OPEN = "+++++++"  # for everybody in the world
DOOR = "+++-+++"  # for a stranger, how to get in; for markers, their games
HOME = "--+-+++"  # the games that one keeps
BOOK = "--+---+"  # of one's own notebook; a marker of one game has none
PHONE = "--.---+"  # what is this notebook's: a phone, a person, seats, a season, the next game
GAME = "--.-.++"  # one game, for those who keep it
NOT_HERE = "--.-..."  # one game, which has no such thing
WRONG = "......."  # the address is a wrong key, or nothing

MAY_GET_TO = {
    OPEN: """
        monitoring.alive monitoring.ready offline.manifest offline.worker
        phones.join phones.join_link phones.recover
        rules.index rules.show seasons.viewed seasons.viewed_spreadsheet
        settings.save settings.show static
        viewers.hand viewers.live viewers.result viewers.screen viewers.screen_live viewers.sheet
        viewers.standings viewers.tally
    """,
    DOOR: "games.home",
    HOME: "games.archive games.deleted offline.token",
    BOOK: """
        games.import_game setup.new setup.start
        people.index seasons.index seasons.new
        phones.index phones.recovery_code
    """,
    PHONE: """
        games.again phones.revoke phones.set_nickname phones.show
        people.change people.seats people.show
        seasons.change seasons.change_link seasons.delete seasons.show seasons.spreadsheet
    """,
    GAME: """
        offline.hands_together offline.precache
        save_hand.correct save_hand.correct_form save_hand.form save_hand.mark save_hand.preview
        save_hand.end_game save_hand.game_form save_hand.throw_in save_hand.throw_in_form
        games.ask_delete games.delete games.manage games.put_away games.restore games.save_names
        games.take_out hand.redo hand.show hand.undo phones.transfer
        penalties.call penalties.charge penalties.form penalties.withdraw rules.of_game
        rulings.ask rulings.enforce rulings.form rulings.index rulings.show
        sheet.hand sheet.log sheet.show table.dispute table.record table.show
        tally.as_csv tally.as_json tally.result_picture tally.show viewers.change_link viewers.code
    """,
    NOT_HERE: """
        disputes.contract phones.switch_to hand.turned_form hand.save_turned
        disputes.ask_may_i disputes.may_i disputes.upcard rules.box
    """,
    WRONG: "monitoring.metrics favicon auth.open_house",
}
# What is not there in Proter, by the game that has it.
SOME_HAVE = {
    "contract_rummy": "disputes.contract disputes.ask_may_i disputes.may_i disputes.upcard",
    "indian_rummy": "hand.turned_form hand.save_turned",
    "indian_chief": "rules.box",
}
# What is written down in each game, as its second entry and the next ones.
WRITTEN = {
    "proter": [("penalty", {"player": BEN, "rule": "PRO-13.3"})],
    "contract_rummy": [("may-i", {"player": BEN, "asked": "0", "last_taker": "nobody"})],
    "indian_rummy": [("turned", {"rank": "8"})],
    "indian_chief": [],
}


@dataclass
class World:
    """Two games of a notebook, and everybody who might open one of them."""

    game: str
    viewer: str
    phone: str
    person: str
    season: str
    watched: str
    people: dict[str, Marker]


@pytest.fixture
def world(request, app: Flask, marker: Marker, other_marker: Marker) -> World:
    """The games and all clients, without CSRF protection."""
    kind = getattr(request, "param", "proter")
    game = begin(marker, game=kind)
    another = begin(marker, ("Ida", "Jon"))
    people = {role: Marker(app.test_client()) for role in ROLES[:6]}
    people["a marker of another notebook"] = other_marker
    people["a marker of this notebook"] = marker
    for role, of in (
        ("a marker of another game of this notebook", another),
        ("a marker of this game alone", game),
        ("a revoked marker", game),
    ):
        taken(people[role], code(marker, of)[0], role[:30].strip())
    for page, fields in WRITTEN[kind]:
        marker.saved(f"{game}/{page}", fields)
    if GAMES[kind].has_rulings:
        ruling(marker, game, "meld", BEN, cards=["3C", "4C", "5C"])
    phones = handles(marker)
    assert revoke(marker, phones.pop("a revoked marker")) == 303
    (phone,) = (one for name, one in phones.items() if not name.startswith("a marker of"))
    viewer = viewers_link(marker, game)
    people["a viewer"].open(viewer)
    fields = {"name": "The cup", "game": kind, "first": "2026-01-01"}
    season = marker.act("/seasons/new", fields | {"points": ""}).location
    (watched,) = {*re.findall(r"/s/([\w-]+)", marker.open(season))}
    app.config["WTF_CSRF_ENABLED"] = False
    person = re.findall(r'href="/people/(\w+)"', marker.open("/people"))[0]
    handle, season_id = phone.rpartition("/")[2], season.rpartition("/")[2]
    return World(game, viewer, handle, person, season_id, watched, people)


# The entries of the penalty, of the ruling and of “May I?”.
NUMBERS = {"penalties": 2, "rulings": 3, "disputes": 2}


def addresses(app: Flask, world: World, **other: Any) -> Iterator[tuple[str, str, str]]:
    """Every route with each of its methods, for this game; ``other`` values: where one is used."""
    values: dict[str, Any] = {
        "game_id": world.game.rpartition("/")[2],
        "key": world.viewer.rpartition("/")[2],
        "handle": world.phone,
        "person_id": world.person,
        "season_id": world.season,
        "game": "proter",
        "at": "x",
        "filename": "app.css",
    }
    values |= other
    urls = app.url_map.bind("localhost")
    # To delete a season takes no fields, and afterwards nobody gets to it.
    rules = sorted(app.url_map.iter_rules(), key=lambda rule: rule.endpoint == "seasons.delete")
    for rule in rules:
        if other and not {*other} & rule.arguments:
            continue
        number = NUMBERS.get(rule.endpoint.partition(".")[0], 1)
        given = {name: values.get(name, number) for name in rule.arguments}
        if rule.endpoint.startswith("seasons.viewed"):
            given["key"] = world.watched
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            yield rule.endpoint, urls.build(rule.endpoint, given, method=method), method


def gets(person: Marker, address: str, method: str) -> str:
    with person.client.open(address, method=method) as answer:
        assert answer.status_code < 500, (address, answer.status_code)
        return {403: NOBODY, 404: HIDDEN}.get(answer.status_code, MAY)


@pytest.mark.slow
def test_everyone_has_access_only_to_what_is_theirs(app, world):
    before = world.people["a marker of this notebook"].open(f"{world.game}/game.json")
    found = {
        (endpoint, method): "".join(gets(world.people[role], address, method) for role in ROLES)
        for endpoint, address, method in addresses(app, world)
    }
    expected = {route: row for row, routes in MAY_GET_TO.items() for route in routes.split()}
    # Every route must be in a row.
    assert {endpoint for endpoint, _ in found} == set(expected)
    assert found == {(endpoint, method): expected[endpoint] for endpoint, method in found}
    # No request has saved anything, as all forms were sent without fields.
    assert world.people["a marker of this notebook"].open(f"{world.game}/game.json") == before


@pytest.mark.parametrize(("world", "endpoints"), SOME_HAVE.items(), indirect=["world"])
def test_pages_of_some_games_are_only_for_their_markers(app, world, endpoints):
    found = {
        endpoint: "".join(gets(world.people[role], address, method) for role in ROLES)
        for endpoint, address, method in addresses(app, world)
        if endpoint in endpoints.split()
    }
    assert found == dict.fromkeys(endpoints.split(), GAME)
