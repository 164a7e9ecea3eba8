"""Damaged rows and strange games: pages are shown, or say why not, and are never a 500."""

import json
from collections.abc import Iterable
from typing import Any

import pytest
from flask import Flask

from companion.notebook.events import RulingEnforced
from companion.services import export
from companion.web.auth import database
from tests.notebook.evening import LEGAL, Evening, started
from tests.services.seven_at_table import whole_game
from tests.web.conftest import begin, read_in, text, viewers_link
from tests.web.test_people import listed
from tests.web.test_seasons import link, made

LINE = '"hand": 1, "hands": 13, "over": false, "totals": [0, 0]'


def damage(app: Flask, statement: str, *given: object) -> None:
    """Run SQL that damages the database, with a ? for each value."""
    with app.app_context(), database().write() as session:
        sign = "%s" if session.get_bind().dialect.name == "postgresql" else "?"
        session.connection().exec_driver_sql(statement.replace("?", sign), given)


def id_of(game: str) -> str:
    return game.rpartition("/")[2]


SUMMARIES = [
    *("no", "7", "[]", "{}", '{"names": []}', "[" * 100_000),
    f'{{"game": "chess", "names": ["Ana", "Ben"], "marked": 0, {LINE}, "leaders": [0]}}',
    f'{{"game": "proter", "names": ["Ana", "Ben"], "marked": 1, {LINE}, "leaders": [2]}}',
    f'{{"game": "proter", "names": ["Ana", "Ben"], "marked": 1, {LINE}, "leaders": []}}',
    f'{{"game": "proter", "names": ["Ana", 7], "marked": 1, {LINE}, "leaders": [0]}}',
]


def test_a_game_with_a_damaged_summary_is_listed_as_damaged(app, marker, game):
    begin(marker, ("Dilani", "Esha"))
    for summary in SUMMARIES:
        damage(app, "UPDATE game SET summary = ? WHERE id = ?", summary, id_of(game))
        said = text(marker.open("/"))
        assert "A damaged game The list entry of this game is damaged. Open the game to" in said
        assert "Dilani, Esha" in said
    assert "Ana" in marker.open(game)  # the game itself is not
    assert "Same as last time Dilani , Esha" in text(marker.open("/games/new"))
    assert game in marker.open("/?q=ana")
    damage(app, "UPDATE game SET archived = ? WHERE id = ?", True, id_of(game))
    assert "A damaged game" in text(marker.open("/games/archive"))
    damage(app, "UPDATE game SET deleted_at = created_at WHERE id = ?", id_of(game))
    assert "The list entry of this game is damaged" in text(marker.open("/games/deleted"))


def test_pages_of_a_game_with_damaged_entries_say_so(app, marker, stranger, game, caplog):
    form = marker.hidden(f"{game}/end")
    watched = viewers_link(marker, game)
    damage(app, "UPDATE event SET payload = ? WHERE game_id = ?", "{}", id_of(game))
    damage(app, "UPDATE game SET updated_at = ? WHERE id = ?", "2024-05-03 20:00:00", id_of(game))
    assert "A damaged game" not in marker.open("/")  # its line is as it was
    for page in ("", "/sheet", "/tally", "/log", "/manage", "/end", "/precache"):
        said = text(marker.open(f"{game}{page}", 503))
        assert "This game is damaged" in said
        assert "`python3 -m companion doctor`" in said
    assert "This game is damaged" in stranger.open(watched, 503)
    answer = marker.post(f"{game}/end", form)
    assert answer.status_code == 503
    assert answer.headers["X-Not-Saved"] == "1"
    assert "What you entered is not saved yet." in text(answer.text)
    assert f"Game {id_of(game)} is damaged: its score sheet cannot be computed" in caplog.text


def test_damaged_times_are_unknown_times(app, marker, game, stored_in):
    known = marker.me
    soon = "'soon'" if stored_in == "sqlite" else "'infinity'"  # which is no time in Python
    damage(app, f"UPDATE marker SET created_at = {soon}, seen_at = {soon} WHERE id = ?", known)
    other = f"'other ' || id, notebook_id, label, {soon}, NULL, nickname, game_id, {soon}"
    damage(app, f"INSERT INTO marker SELECT {other} FROM marker WHERE id = ?", known)
    damage(app, f"UPDATE game SET updated_at = {soon} WHERE id = ?", id_of(game))
    page = marker.open("/phones")
    assert "since an unknown time · this phone" in text(page)
    assert "since an unknown time · seen: at an unknown time" in text(page)
    phone = page.partition('href="/phones/')[2].partition('"')[0]
    assert "an unknown time" in text(marker.open(f"/phones/{phone}"))
    assert "The list entry of this game is damaged." in text(marker.open("/"))
    assert "Ana" in marker.open(game)


@pytest.mark.database("sqlite")
def test_a_game_whose_title_is_not_text_is_listed(app, marker, game):
    damage(app, "UPDATE game SET title = CAST(x'41ff' AS TEXT) WHERE id = ?", id_of(game))
    assert "A\ufffd" in text(marker.open("/"))
    damage(app, "UPDATE game SET title = x'ff' WHERE id = ?", id_of(game))
    assert "A damaged game" in text(marker.open("/"))


def test_a_damaged_season_says_so_and_can_be_deleted(app, marker, stranger):
    begin(marker, ("Ana", "Ben"))
    season = made(marker)
    shown = link(marker, season)
    damage(app, "UPDATE season SET points = '5 x' WHERE id = ?", id_of(season))
    for page in ("", "/change", "/season.csv"):
        assert "This season is damaged" in marker.open(f"{season}{page}", 503)
    for page in ("", "/season.csv"):
        assert "This season is damaged" in stranger.open(f"{shown}{page}", 503)
    assert "The cup This season is damaged" in text(marker.open("/seasons"))
    marker.saved("/seasons", to=f"{season}/delete")
    assert "The cup" not in marker.open("/seasons")


def test_a_person_with_a_seat_of_absurd_numbers_or_of_an_unknown_game_is_shown(app, marker):
    for title in ("First", "Second", "Third"):
        read_in(marker, whole_game(title=title))
    address = next(iter(listed(marker).values()))
    with app.app_context(), database().read() as session:
        rows = session.connection().exec_driver_sql(
            f"SELECT game_id, seat, played FROM seat WHERE person_id = '{id_of(address)}'"
        )
        game, seat, played = rows.first()
    for number in ("players", "comeback"):
        told = json.dumps(json.loads(played) | {number: 10**400})
        damage(app, "UPDATE seat SET played = ? WHERE game_id = ? AND seat = ?", told, game, seat)
        assert "2 games" in text(marker.open(address))
    damage(app, "UPDATE seat SET game = ? WHERE game_id = ?", "chess", game)
    assert "chess" not in marker.open("/people")


# -- strange games from files ---------------------------------------------------------------------


# A ruling in words, and the fields of impossible ones that differ.
VERDICT = LEGAL | {
    "legal": False,
    "broken": ["PRO-9"],
    "points": 20,
    "take_back": "turn",
    "turn_passes": True,
    "says": "That is no run.",
    "charge": "PRO-13.1",
}
FREE = {"charge": None, "take_back": "none", "turn_passes": False}
MELD = ("meld", "meld 5C 6C 7C")
STRANGE: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    (MELD, {"broken": ["PRO-99", "PRO-1"]}),
    (MELD, {"readings": ["5C", "5C 6C 7C=8C"]}),
    (MELD, {"elsewhere": {"playginrummyonline": False}}),
    (("discard", "meld 5C 6C 7C"), {}),
    (("turn", "discard 5C", "meld 5C 5C 5C", "take_pile"), {}),
    (("turn", "lay_off 5C onto 7", "swap 6C onto 9"), {}),
    (("swap", "swap 5C=6C onto 0"), {}),
    (("meld", "meld 5C=6H 6C=6D 7C"), {}),
    (MELD, {"points": 0, **FREE}),
    (MELD, {"take_back": "play", "says": ""}),
    (MELD, {"says": "A run, that is no run: 5♣. " * 70}),
]
# Impossible fields of a game, and words of the refusal.
FORGED: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    (MELD, {"broken": ["<b>"]}),
    (MELD, {"readings": ["no cards", "", "ZZ=5C"]}),
    (MELD, {"elsewhere": {"moon": True, "": True}}),
    (("poker", "meld 5C 6C 7C"), {}),
    (MELD, {"points": -999_999_999}),
    (MELD, {"points": 999_999_999, **FREE}),
    (MELD, {"says": "=cmd|' /C calc'!A0<script>alert(1)</script>" + "x" * 1900}),
    (MELD, {"says": "So it was said."}),
    (("meld", "discard 5C"), {"legal": True, "charge": None}),
]


def evening_of(rulings: Iterable[tuple[tuple[str, ...], dict[str, Any]]]) -> Evening:
    evening = Evening(started(title="<i>Strange</i>"))
    for (ask, *plays), fields in rulings:
        evening.rule(1, *plays, verdict=VERDICT | fields, ask=ask)
    return evening


def test_a_strange_game_is_imported_once(marker):
    game = read_in(marker, evening_of(STRANGE))
    assert "The game is imported." in text(marker.open(game))
    assert read_in(marker, evening_of(STRANGE)) == game
    assert "This game is here already." in text(marker.open(game))


def test_every_page_of_a_strange_game_can_be_opened(app, marker, monkeypatch):
    monkeypatch.setattr(export, "check_imported", lambda *_: None)  # an earlier version let it in
    evening = evening_of([*STRANGE, *FORGED])
    numbers = [line.entry.number for line in evening.hand.rulings]
    for number in numbers:
        evening.write(RulingEnforced(1, number))
    game = read_in(marker, evening)
    urls = app.url_map.bind("localhost")
    opened = set()
    for rule in app.url_map.iter_rules():
        if "game_id" not in rule.arguments or "GET" not in (rule.methods or ()):
            continue
        for number in [1, *numbers] if "number" in rule.arguments else [1]:
            known = {"game_id": game.rpartition("/")[2], "number": number, "player": 1}
            address = urls.build(rule.endpoint, {name: known[name] for name in rule.arguments})
            answer = marker.client.get(address)
            assert answer.status_code < 500, address
            if answer.mimetype == "text/html":  # a download holds text, not markup
                assert "<script>alert" not in answer.text, address
                assert "<i>Strange" not in answer.text, address
            opened |= {address} if answer.status_code == 200 else set()
    assert len(opened) > 12 + len(numbers)
    for number, (_, fields) in zip(numbers, [*STRANGE, *FORGED], strict=True):
        says = (VERDICT | fields)["says"]
        assert says[:50] in text(marker.open(f"{game}/rulings/{number}"))
