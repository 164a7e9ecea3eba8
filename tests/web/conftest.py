"""The application on a real database, and browsers with or without its key."""

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, cached_property
from html import unescape
from io import BytesIO
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2 import FileSystemBytecodeCache
from sqlalchemy import delete
from werkzeug.datastructures import MultiDict
from werkzeug.test import TestResponse

from companion.notebook.events import Event
from companion.services import game_log
from companion.services.game_log import LoadedGame, load_game
from companion.store.models import RateRow
from companion.web.app import create_app
from companion.web.auth import database
from tests.browsing import forms
from tests.databases import copied
from tests.notebook.evening import Evening
from tests.services.seven_at_table import as_file

NAMES = ("Ana", "Ben", "Chandi")
OF_GAME = re.compile(r"/games/(?!(?:new|import|archive|deleted)\b)([a-z0-9]+)(?!.*before=)")
OF_HAND = re.compile(r"(?:[?&]hand=|/hands/)(\d+)")
HIDDEN = ("csrf_token", "key", "base", "hand")


class Marker:
    """A browser and a person's steps in it: open a page, fill in its form, send it."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client

    @cached_property
    def token(self) -> str:
        """The token of its forms, from a page that takes a quarter of the time of others."""
        return self.hidden("/settings")["csrf_token"]

    @property
    def me(self) -> str:
        """The id of this marker."""
        with self.client.session_transaction() as session:
            return str(session["marker"])

    @property
    def cookie(self) -> str:
        """The value of this browser's cookie."""
        cookie = self.client.get_cookie("companion")
        assert cookie is not None
        return cookie.value

    def open(self, address: str, status: int = 200) -> str:
        """Open a page, which must have this status; return its text."""
        answer = self.client.get(address)
        assert answer.status_code == status, answer.text
        return answer.text

    def hidden(self, address: str, action: str | None = None) -> dict[str, str]:
        """Return the hidden fields of an action's form on a page: csrf_token, key, base and hand.

        ``action`` names the form by the path it goes to; without it, it is the first one.
        """
        page = self.open(address)
        found = forms(page[page.index("<main") :], address.partition("?")[0])
        first = (fields for fields in found.values() if "csrf_token" in fields)
        fields = found[action] if action else next(first)
        return {name: fields[name][0] for name in HIDDEN if name in fields}

    def post(self, address: str, fields: Any = (), **hidden: str) -> TestResponse:
        """Send fields: pairs, or a mapping with lists for repeated fields."""
        entered = MultiDict(fields)
        sent = MultiDict({name: one for name, one in hidden.items() if name not in entered})
        sent.update(entered)
        return self.client.post(address, data=sent)

    def fresh(self, game: str) -> dict[str, str]:
        """Return the hidden fields of a game page's form as it is now, without drawing the page."""
        sheet = self.loaded(game).sheet
        hand = (OF_HAND.findall(game) or [str(sheet.hand.number)])[0]
        key, base = token_urlsafe(12), str(sheet.number)
        return {"csrf_token": self.token, "key": key, "base": base, "hand": hand}

    def loaded(self, game: str) -> LoadedGame:
        """Return a game as it is now."""
        with self.client.application.app_context():
            return load_game(database(), OF_GAME.findall(game)[0], self.me)

    def write(self, game: str, event: Event) -> None:
        """Save an event as another phone of the same notebook would."""
        before = self.loaded(game)
        base = before.sheet.number
        with self.client.application.app_context():
            game_log.write(
                database(),
                before.record.id,
                self.me,
                base=base,
                key=f"test-{base}",
                make=lambda _: event,
            )

    def follow(self, page: str, words: str) -> str:
        """Open the link of a page that begins with these words; return the page it leads to."""
        return self.open(find(page, rf'href="([^"]+)">(?:<span>)?{words}'))

    def act(self, address: str, fields: Any = (), to: str | None = None) -> TestResponse:
        """Fill in the form of a page and send it, by default to the same address.

        The page is drawn only if it is of no game, or of one that has not begun.
        """
        target = to or address
        if OF_GAME.match(address):
            return self.post(target, fields, **self.fresh(address))
        return self.post(target, fields, **self.hidden(address, target if to else None))

    def saved(self, address: str, fields: Any = (), to: str | None = None) -> TestResponse:
        """Send a form as `act` does, which must be accepted."""
        answer = self.act(address, fields, to)
        assert answer.status_code == 303, text(answer.text)
        return answer

    def refused(self, address: str, fields: Any = (), to: str | None = None) -> TestResponse:
        """Send a form as `act` does, which must be refused with a sentence."""
        answer = self.act(address, fields, to)
        assert answer.status_code == 422, text(answer.text)
        return answer


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> FileSystemBytecodeCache:
    """The templates, compiled once for all processes of a run."""
    folder = tmp_path_factory.getbasetemp()
    place = (folder.parent if os.environ.get("PYTEST_XDIST_WORKER") else folder) / "templates"
    place.mkdir(exist_ok=True)
    return FileSystemBytecodeCache(str(place))


@contextmanager
def made(address: str, instance: Path, compiled: FileSystemBytecodeCache) -> Iterator[Flask]:
    """Make the application, as it is served, on the database at this address."""
    with pytest.MonkeyPatch.context() as patched:
        _name(patched, address, instance)
        app = create_app({"TESTING": False, "PROPAGATE_EXCEPTIONS": True})
    app.jinja_env.bytecode_cache = compiled
    yield app
    close_database(app)


def _name(patched: pytest.MonkeyPatch, address: str, instance: Path) -> None:
    patched.setenv("COMPANION_INSTANCE", str(instance))
    patched.setenv("COMPANION_DATABASE_URL", address)


@pytest.fixture(scope="session")
def shared_app(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    compiled: FileSystemBytecodeCache,
) -> Iterator[Callable[[str], Flask]]:
    """The application on a kind of database, made once in each process of the tests."""
    with ExitStack() as used:

        @cache
        def on(kind: str) -> Flask:
            instance = tmp_path_factory.mktemp("instance")
            if kind == "postgresql":
                address = request.getfixturevalue("shelf").migrated()
            else:
                address = copied(request.getfixturevalue("migrated"), instance / "shared.sqlite3")
            return used.enter_context(made(address, instance, compiled))

        yield on


@pytest.fixture
def app(
    request: pytest.FixtureRequest, stored_in: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Flask]:
    """The application that most tests share, with unchanged settings and all limits reset.

    Each test has notebooks of its own in the shared database. A test that is marked `own_app` gets
    an application, a database and an instance folder that no other test has used.
    """
    if request.node.get_closest_marker("own_app"):
        names = ("database_url", "tmp_path", "compiled")
        address, instance, compiled = (request.getfixturevalue(name) for name in names)
        _name(monkeypatch, address, instance)
        with made(address, instance, compiled) as app:
            yield app
        return
    app = request.getfixturevalue("shared_app")(stored_in)
    _name(monkeypatch, app.config["DATABASE_URL"], Path(app.instance_path))
    settings = {**app.config}
    with app.app_context(), database().write() as session:
        session.connection().execute(delete(RateRow))
    yield app
    app.config.clear()
    app.config.update(settings)


@pytest.fixture
def served(app: Flask, compiled: FileSystemBytecodeCache) -> Iterator[Callable[..., Flask]]:
    """A function that makes another application on the same database, with these settings."""
    with ExitStack() as running:

        def serve(propagate: bool = True, **environ: str) -> Flask:
            with pytest.MonkeyPatch.context() as patched:
                for name, value in environ.items():
                    patched.setenv(f"COMPANION_{name}", value)
                other = create_app({"PROPAGATE_EXCEPTIONS": propagate})
            other.jinja_env.bytecode_cache = compiled
            running.callback(close_database, other)
            return other

        yield serve


def close_database(app: Flask) -> None:
    """Close what an application has open of its database."""
    with app.app_context():
        database().close()


def _with_key(app: Flask) -> Marker:
    marker = Marker(app.test_client())
    marker.client.get(f"/k/{app.config['HOUSE_KEY']}")
    return marker


@pytest.fixture
def marker(app: Flask) -> Marker:
    """A browser that has opened the address that is printed at the start."""
    return _with_key(app)


@pytest.fixture
def other_marker(app: Flask) -> Marker:
    """Another browser with the house key, and so with another notebook."""
    return _with_key(app)


@pytest.fixture
def stranger(app: Flask) -> Marker:
    """A browser without the house key."""
    return Marker(app.test_client())


def begin(marker: Marker, names: Sequence[str] = NAMES, **fields: str) -> str:
    """Begin a game of these people, in the order of play; return its address, ``/games/…``."""
    sent = {"csrf_token": marker.token, "key": token_urlsafe(12)}
    answer = marker.post("/games/new", sent | {"name": names} | fields)
    assert answer.status_code == 303, answer.text
    return answer.location


@pytest.fixture
def game(marker: Marker) -> str:
    """The address of a new game of Ana, who deals first, Ben and Chandi."""
    return begin(marker)


@pytest.fixture
def rummy(marker: Marker) -> str:
    """The address of a new game of Indian Rummy."""
    return begin(marker, game="indian_rummy")


@pytest.fixture
def carioca(marker: Marker) -> str:
    """The address of a new game of Carioca."""
    return begin(marker, game="carioca")


@pytest.fixture
def kalooki(marker: Marker) -> str:
    """The address of a new game of Kalooki."""
    return begin(marker, game="kalooki")


def imported(marker: Marker, content: bytes) -> TestResponse:
    """Import a file, and return the answer."""
    fields = {**marker.hidden("/games/import"), "file": (BytesIO(content), "game.json")}
    return marker.client.post("/games/import", data=fields)


def read_in(marker: Marker, evening: Evening) -> str:
    """Import a game as its marker would; return its address."""
    answer = imported(marker, as_file(evening).encode())
    assert answer.status_code == 303, answer.text
    return answer.location


def carried(marker: Marker, other: Marker, game: str) -> str:
    """Import a game with unchanged entries for another marker; return its address."""
    saved = marker.client.get(f"{game}/game.json").data
    answer = imported(other, saved)
    assert answer.status_code == 303
    again = other.client.get(f"{answer.location}/game.json").data
    assert json.loads(again)["events"] == json.loads(saved)["events"]
    return answer.location


def viewers_link(marker: Marker, game: str) -> str:
    """Return the address for a game's viewers, ``/v/…``."""
    return find(marker.open(f"{game}/code"), r"(/v/[\w-]+)")


def copies(marker: Marker, game: str) -> dict[str, str]:
    """Return the pages of a game that a phone is to keep: addresses with their X-Keep values."""
    answer = marker.client.get(f"{game}/precache")
    assert answer.status_code == 200
    return {at: known for at, known, *_ in answer.json["pages"]}


def preview(marker: Marker, game: str, fields: Any, part: bool = True, **hidden: str) -> str:
    """Return the preview of a hand: the fragment that htmx requests, or the whole page."""
    sent = {**marker.fresh(game), **fields, **hidden}
    headers = {"HX-Request": "true"} if part else {}
    answer = marker.client.post(f"{game}/end/preview", data=sent, headers=headers)
    assert answer.status_code == 200
    assert ("<html" in answer.text) is not part
    return answer.text


def totals(marker: Marker, game: str) -> list[int]:
    """Return the totals of the score sheet, in the order of play."""
    return totals_on(marker.open(f"{game}/sheet"))


def totals_on(page: str) -> list[int]:
    """Return the totals at the foot of a sheet."""
    foot = page.partition("<tfoot>")[2].partition("</tfoot>")[0]
    return [int(total.replace("−", "-")) for total in re.findall(r"<td[^>]*>(−?\d+)", foot)]


def text(page: str) -> str:
    """Return the text of a page, without its tags."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page)))


def find(page: str, pattern: str) -> str:
    """Return what the group of a pattern finds on a page, which must have it."""
    found = re.search(pattern, page)
    assert found is not None, page
    return unescape(found[1])


def sent_again(page: str, form: str) -> list[tuple[str, str]]:
    """Return the fields that a browser sends for a page's form, by the path that it goes to."""
    fields = forms(unescape(page), form)[form]
    return [(name, value) for name, values in fields.items() for value in values]


def checked(page: str, name: str) -> list[str]:
    """Return the values of the checked boxes and radio buttons of a name."""
    return [
        re.findall(r'value="([^"]*)"', one)[0]
        for one in re.findall(r"<input[^>]*>", page)
        if f'name="{name}"' in one and " checked" in one
    ]


def value(page: str, name: str) -> str:
    """Return the value of the first field of a name."""
    return find(find(page, rf'(<input[^>]*name="{name}"[^>]*>)'), r'value="([^"]*)"')


def rows(page: str, start: str) -> list[list[str]]:
    """Return the texts in the rows of the table that begins with these words, its head first."""
    table = page.partition(start)[2].partition("</table>")[0]
    return [
        [text(cell).strip() for cell in re.findall(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", row, re.DOTALL)]
        for row in table.split("<tr>")[1:]
    ]
