"""Requests that no browser of ours would send, made from the real routes and forms.

A fuzzer is a marker who opens pages, changes what their forms would send, and sends it; now and
then an address is filled in with anything at all, or a file that was written out is changed and
read in. Whatever comes, the answer must be a page in words: never a 500.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from random import Random
from typing import Any

from flask import Flask, got_request_exception
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from companion.rules.games import GAMES
from tests.browsing import forms
from tests.hostile_input import CARDS, HEADERS, JSON_ODD, ODD

_GAME = re.compile(r"/games/[0-9a-z]{10}")
_VIEWER = re.compile(r"/v/([\w-]{22})")


class Fuzzer:
    """One marker's browser in bad hands, at the application's own door.

    The same seed sends the same requests.
    """

    def __init__(self, app: Flask, client: FlaskClient, seed: int) -> None:
        self.app, self.client = app, client
        self.chance = Random(seed)
        self.statuses: Counter[int] = Counter()
        self.routes: Counter[str] = Counter()
        self.failed: list[str] = []
        self.games: list[str] = []
        self._problem: BaseException | None = None
        self._rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint != "static"]
        self._pages = [rule for rule in self._rules if "GET" in (rule.methods or ())]
        got_request_exception.connect(self._raised, app)

    def run(self, count: int) -> None:
        """Send so many requests, and a few more to open the pages that they are made from."""
        for game in GAMES:
            self._begin(game, ["Ana", "Ben", "Chandi"])
        while self.statuses.total() < count:
            self._keep_enough()
            does = self.chance.choices(
                (self._change_a_form, self._any_address, self._read_in, self._fill_in_well),
                (35, 15, 5, 45),
            )[0]
            does()

    # -- what is done -----------------------------------------------------------------------------

    def _begin(self, game: str, names: Sequence[str]) -> None:
        page = self.client.get(f"/games/new?game={game}").text
        fields = forms(page, "/games/new")["/games/new"] | {"game": [game], "name": [*names]}
        begun = self._send("POST", "/games/new", fields, well=True)
        assert begun is not None, f"{game} could not be sent"
        assert begun[0] == 303, f"{game} was not begun: {begun}"

    def _keep_enough(self) -> None:
        """Let go of games that were deleted or given away; begin others when few are left."""
        if self.chance.random() < 0.9:
            return
        if self.client.get("/games/new").status_code != 200:  # this browser was signed out
            self.client.get(f"/k/{self.app.config['HOUSE_KEY']}")
        self.games = [game for game in self.games if self.client.get(game).status_code == 200]
        if len(self.games) < len(GAMES):
            self._begin(self.chance.choice(sorted(GAMES)), ["Ana", "Ben", "Chandi"])

    def _change_a_form(self) -> None:
        """Open a page, take one of its forms, and send it changed in a few places."""
        found = self._some_form()
        if found is None:
            return
        action, fields = found
        for _ in range(self.chance.randint(0, 4)):
            self._change(fields)
        self._send("POST", action, fields)

    def _fill_in_well(self) -> None:
        """Send a form as somebody might who plays: so that games go on and have more to show."""
        found = self._some_form()
        if found is None:
            return
        action, fields = found
        for name in list(fields):
            if name.startswith("points-"):
                fields[name] = [str(self.chance.randrange(60))]
            elif name.startswith("melded-"):
                fields[name] = ["yes"]
            elif name in ("csrf_token", "key", "base", "hand"):
                continue
            elif self.chance.random() < 0.3:
                fields[name] = [self._plausible(name)]
        if action.endswith("/end"):
            fields["out"] = [str(self.chance.randrange(3))]
        elif action.endswith("/penalty"):
            fields |= {"player": ["1"], "rule": ["PRO-13.3"]}
        self._send("POST", action, fields)

    def _some_form(self) -> tuple[str, dict[str, list[str]]] | None:
        path = self._address(self.chance.choice(self._pages), "GET")
        if path is None or ("/delete" in path and self.chance.random() < 0.9):
            return None
        answer = self._send("GET", path, None)
        if answer is None or answer[0] != 200 or "<form" not in answer[1]:
            return None
        several = forms(answer[1], path)
        action = self.chance.choice(sorted(several))
        return action, {name: [*values] for name, values in several[action].items()}

    def _any_address(self) -> None:
        rule = self.chance.choice(self._rules)
        method = self.chance.choice(("GET", "GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS"))
        path = self._address(rule, method, odd=0.5)
        if path is None:
            return
        asked = "&".join(
            f"{self.chance.choice(('since', 'ask', 'player', 'hand', 'q', 'page', 'x', 'cards'))}="
            f"{self._anything()}"
            for _ in range(self.chance.randint(0, 3))
        ).replace("#", "%23")
        self._send(method, f"{path}?{asked}", None)

    def _read_in(self) -> None:
        """Change a game that was written out in one place, and read it in."""
        game = self.chance.choice(self.games)
        written = self.client.get(f"{game}/game.json")
        if written.status_code != 200:
            return
        content = json.loads(written.text)
        for _ in range(self.chance.randint(1, 3)):
            content = self._spoilt(content)
        text = json.dumps(content)
        if self.chance.random() < 0.1:
            cut = self.chance.randrange(len(text))
            text = text[:cut] + self._anything() + text[cut + self.chance.randint(0, 3) :]
        fields = forms(self.client.get("/games/import").text, "/games/import")["/games/import"]
        data: dict[str, Any] = {
            **fields,
            "file": (BytesIO(text.encode("utf-8", "replace")), "g.json"),
        }
        self._send("POST", "/games/import", data)

    # -- how it is made ---------------------------------------------------------------------------

    def _address(self, rule: Rule, method: str, odd: float = 0.02) -> str | None:
        if rule.endpoint == "auth.open_house":
            return None  # with the true key it would only change who is asking
        values: dict[str, Any] = {}
        for name in rule.arguments:
            if name == "game_id":
                values[name] = self.chance.choice(self.games).rpartition("/")[2]
            elif name in ("number", "player"):
                values[name] = self.chance.randint(1, 9)
            elif name == "key":
                code = self.client.get(f"{self.chance.choice(self.games)}/code").text
                values[name] = next(iter(_VIEWER.findall(code)), "x")
            elif name == "game":
                values[name] = self.chance.choice(sorted(GAMES))
            else:
                values[name] = "x"
            if self.chance.random() < odd:
                strange = self._anything().replace("/", "-") or "-"
                values[name] = (
                    self.chance.choice((0, 10**9, 10**20)) if name == "number" else strange
                )
        urls = self.app.url_map.bind("localhost")
        wanted = method if method in (rule.methods or ()) else min(rule.methods or {"GET"})
        return urls.build(rule.endpoint, values, method=wanted)

    def _change(self, fields: dict[str, list[str]]) -> None:
        names = [name for name in fields if name != "csrf_token"] or ["x"]
        name = self.chance.choice(names)
        match self.chance.randrange(7):
            case 0:
                fields.pop(name, None)
            case 1:
                fields[name] = [self._anything()]
            case 2:
                fields[name] = [*fields.get(name, []), self._anything()]
            case 3:
                fields[name] = [self._plausible(name)]
            case 4:
                fields[name] = self.chance.choices(CARDS, k=self.chance.randint(1, 20))
            case 5:
                other = self.chance.choice(names)
                fields[name] = [*fields.get(other, [])]
            case _:
                fields[
                    self.chance.choice((f"{name}-1", "play", "last", "person", "move", "more"))
                ] = [self._anything()]

    def _plausible(self, name: str) -> str:
        if "card" in name or name in ("top", "under", "play", "add"):
            return " ".join(self.chance.choices(CARDS, k=self.chance.randint(1, 5)))
        if name in ("player", "dealer", "out"):
            return str(self.chance.randrange(5))
        return self.chance.choice((str(self.chance.randrange(100)), "Ana", "yes", self._anything()))

    def _anything(self) -> str:
        return self.chance.choice(ODD)

    def _spoilt(self, content: Any) -> Any:
        """The same with one part of it replaced, left out or doubled, wherever it is."""
        if isinstance(content, dict) and content and self.chance.random() < 0.9:
            name = self.chance.choice(sorted(content))
            rest = {**content}
            if self.chance.random() < 0.1:
                del rest[name]
            else:
                rest[name] = self._spoilt(content[name])
            return rest
        if isinstance(content, list) and content and self.chance.random() < 0.9:
            at = self.chance.randrange(len(content))
            match self.chance.randrange(8):
                case 0:
                    return content[:at] + content[at + 1 :]
                case 1:
                    return [*content[:at], content[at], *content[at:]]
                case _:
                    return [*content[:at], self._spoilt(content[at]), *content[at + 1 :]]
        return self.chance.choice((*JSON_ODD, *ODD))

    # -- how it is sent ---------------------------------------------------------------------------

    def _send(
        self, method: str, path: str, fields: Any, *, well: bool = False
    ) -> tuple[int, str] | None:
        odd = not well and self.chance.random() < 0.3
        headers = dict(self.chance.choice(HEADERS)) if odd else {}
        self._problem = None
        try:
            answer = self.client.open(path, method=method, data=fields, headers=headers)
        except (UnicodeError, ValueError) as unsendable:
            if self._problem is None:  # the client itself could not put it into a request
                return None
            raise unsendable from self._problem
        with answer:
            self.statuses[answer.status_code] += 1
            self.routes[path.partition("?")[0].strip("/").partition("/")[0]] += 1
            if answer.status_code >= 500:
                self.failed.append(f"{method} {path} {fields!r:.2000} {headers}: {self._problem!r}")
            self._remember(answer.location if answer.status_code == 303 else None)
            readable = "text" in answer.mimetype and not answer.content_encoding
            return answer.status_code, answer.text if readable else ""

    def _remember(self, location: str | None) -> None:
        """A game that was begun or read in is one of those to go on with; the eldest make room."""
        if location and _GAME.fullmatch(location) and location not in self.games:
            self.games.append(location)
            del self.games[len(GAMES) : -10]

    def _raised(self, _app: Flask, exception: BaseException, **_: object) -> None:
        self._problem = exception
