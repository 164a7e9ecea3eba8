"""Requests that no page of ours would send, made from the real routes and forms.

A fuzzer is a marker who opens pages, changes the fields of their forms, and sends them; now and
then it fills in an address with odd values. The answer must always be a page in words, never a
500. tests/services/test_exchange.py has changed files.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from flask import Flask, got_request_exception
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from companion.rules.games import GAMES
from tests.browsing import forms

_GAME = re.compile(r"/games/[0-9a-z]{10}")
_VIEWER = re.compile(r"/v/([\w-]{22})")

# Values that people, machines and attackers put into a field, a file or a header.
ODD = (
    *("", " ", "0", "-1", "1", "2", "13", "14", "99999999999999999999", "1e9", "1.5", "NaN", "+5"),
    *("٣", "²", "１", "\x00", "\u202e", "\ufeff", "\u2028", "e\u0301" * 300, "🂡", "👨‍👩‍👧", "שלום"),
    *("5C", "5c", "10H", "JKR", "8H=6C", "=", "5C 5C", "AS 2S 3S 4S", "XX", "5C=", "JKR=", "? ?"),
    *("meld", "lay_off 5S onto 1", "swap", "discard", "take pile", "up-1", "down-9", "0:8H", "on"),
    *(
        "<script>alert(1)</script>",
        "=1+1",
        "@x",
        "{{7*7}}",
        "%s%n",
        "../../x",
        "' OR 1=1 --",
        "a" * 5000,
    ),
    *("none", "None", "null", "true", "proter", "kalooki"),
    *("PRO-13.3", "PRO-13.5", "IND-7.1", "x-y"),
)
CARDS = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"] + ["JKR"]

HEADERS: Sequence[Mapping[str, str]] = (
    {},
    {},
    {},
    {"HX-Request": "true"},
    {"HX-Request": "true", "HX-Target": "x" * 300},
    {"Accept-Language": "\u00e9;q=x", "Accept-Encoding": "br;q=9, *;q=-1"},
    {"Referer": "http://elsewhere.example/"},
    {"Range": "bytes=5-1"},
    {"If-None-Match": "*", "If-Modified-Since": "yesterday"},
    {"User-Agent": ""},
    {"X-Forwarded-For": "1.2.3.4, x", "X-Forwarded-Proto": "gopher", "X-Forwarded-Host": "a b"},
    {"Content-Type": "multipart/form-data; boundary=x"},
    {"Content-Type": "application/json"},
    {"Content-Type": "application/x-www-form-urlencoded; charset=utf-7"},
)


class Fuzzer:
    """A marker's browser that sends odd requests to an application, the same for the same seed."""

    def __init__(self, app: Flask, client: FlaskClient, seed: int) -> None:
        self.app, self.client = app, client
        self.chance = Random(seed)
        self.statuses: Counter[int] = Counter()
        self.failed: list[str] = []
        self.games: list[str] = []
        self._problem: BaseException | None = None
        rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint != "static"]
        # The address with the right key would only make this browser another marker.
        self._rules = [rule for rule in rules if rule.endpoint != "auth.open_house"]
        self._pages = [rule for rule in self._rules if "GET" in (rule.methods or ())]
        got_request_exception.connect(self._raised, app)

    def run(self, count: int) -> None:
        """Send `count` requests, and a few more to open the pages that they are made from."""
        for game in GAMES:
            self._begin(game)
        ways = (self._change_a_form, self._any_address, self._fill_in_well)
        while self.statuses.total() < count:
            if self.chance.random() < 0.1:
                self._keep_enough()
            self.chance.choices(ways, (40, 15, 45))[0]()

    # -- actions ----------------------------------------------------------------------------------

    def _begin(self, game: str) -> None:
        page = self.client.get(f"/games/new?game={game}").text
        fields = forms(page, "/games/new")["/games/new"]
        fields |= {"game": [game], "name": ["Ana", "Ben", "Chandi"]}
        begun = self._send("POST", "/games/new", fields, well=True)
        assert begun is not None, f"{game} could not be sent"
        assert begun[0] == 303, f"{game} was not begun: {begun}"

    def _keep_enough(self) -> None:
        """Forget games that were deleted or given away, and begin others if few are left."""
        if self.client.get("/games/new").status_code != 200:  # this browser was signed out
            self.client.get(f"/k/{self.app.config['HOUSE_KEY']}")
        self.games = [game for game in self.games if self.client.get(game).status_code == 200]
        if len(self.games) < len(GAMES):
            self._begin(self.chance.choice(sorted(GAMES)))

    def _change_a_form(self) -> None:
        """Open a page, take one of its forms, and send it changed in a few places."""
        action, fields = self._some_form()
        for _ in range(self.chance.randint(0, 4)):
            self._change(fields)
        self._send("POST", action, fields)

    def _fill_in_well(self) -> None:
        """Send a form with plausible values, so that games go on and have more to show."""
        action, fields = self._some_form()
        for name in [*fields]:
            if name in ("csrf_token", "key", "base", "hand"):
                continue
            if name.startswith("points-"):
                fields[name] = [str(self.chance.randrange(60))]
            elif name.startswith("melded-"):
                fields[name] = ["yes"]
            elif self.chance.random() < 0.3:
                fields[name] = [self._plausible(name)]
        if action.endswith("/end"):
            fields["out"] = [str(self.chance.randrange(3))]
        elif action.endswith("/penalty"):
            fields |= {"player": ["1"], "rule": ["PRO-13.3"]}
        self._send("POST", action, fields)

    def _some_form(self) -> tuple[str, dict[str, list[str]]]:
        """Return the action and the fields of a form, from any page."""
        while True:
            path = self._address(self.chance.choice(self._pages), "GET")
            if "/delete" in path and self.chance.random() < 0.9:
                continue
            answer = self._send("GET", path, None)
            if answer is not None and answer[0] == 200 and "<form" in answer[1]:
                found = forms(answer[1], path)
                action = self.chance.choice(sorted(found))
                return action, {name: [*values] for name, values in found[action].items()}

    def _any_address(self) -> None:
        method = self.chance.choice(("GET", "GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS"))
        path = self._address(self.chance.choice(self._rules), method, odd=0.5)
        names = ("since", "ask", "player", "hand", "q", "page", "x", "cards")
        query = [
            f"{self.chance.choice(names)}={self.chance.choice(ODD)}"
            for _ in range(self.chance.randint(0, 3))
        ]
        self._send(method, f"{path}?{'&'.join(query)}".replace("#", "%23"), None)

    # -- addresses and fields ---------------------------------------------------------------------

    def _address(self, rule: Rule, method: str, odd: float = 0.02) -> str:
        values: dict[str, Any] = {}
        for name in sorted(rule.arguments):
            game = self.chance.choice(self.games)
            match name:
                case "game_id":
                    values[name] = game.rpartition("/")[2]
                case "number":
                    values[name] = self.chance.randint(1, 9)
                case "key":
                    code = self.client.get(f"{game}/code").text
                    values[name] = next(iter(_VIEWER.findall(code)), "x")
                case "game":
                    values[name] = self.chance.choice(sorted(GAMES))
                case _:
                    values[name] = "x"
            if self.chance.random() < odd:
                strange = self.chance.choice(ODD).replace("/", "-") or "-"
                huge = self.chance.choice((0, 10**9, 10**20))
                values[name] = huge if name == "number" else strange
        wanted = method if method in (rule.methods or ()) else min(rule.methods or {"GET"})
        return self.app.url_map.bind("localhost").build(rule.endpoint, values, method=wanted)

    def _change(self, fields: dict[str, list[str]]) -> None:
        names = [name for name in fields if name != "csrf_token"] or ["x"]
        name, odd = self.chance.choice(names), self.chance.choice(ODD)
        match self.chance.randrange(7):
            case 0:
                fields.pop(name, None)
            case 1:
                fields[name] = [odd]
            case 2:
                fields[name] = [*fields.get(name, []), odd]
            case 3:
                fields[name] = [self._plausible(name)]
            case 4:
                fields[name] = self.chance.choices(CARDS, k=self.chance.randint(1, 20))
            case 5:
                fields[name] = [*fields.get(self.chance.choice(names), [])]
            case _:
                others = (f"{name}-1", "play", "last", "person", "move", "more")
                fields[self.chance.choice(others)] = [odd]

    def _plausible(self, name: str) -> str:
        if "card" in name or name in ("top", "under", "play", "add"):
            return " ".join(self.chance.choices(CARDS, k=self.chance.randint(1, 5)))
        if name in ("player", "dealer", "out"):
            return str(self.chance.randrange(5))
        number, odd = str(self.chance.randrange(100)), self.chance.choice(ODD)
        return self.chance.choice((number, "Ana", "yes", odd))

    # -- sending ----------------------------------------------------------------------------------

    def _send(
        self, method: str, path: str, fields: Any, *, well: bool = False
    ) -> tuple[int, str] | None:
        odd = not well and self.chance.random() < 0.3
        headers = dict(self.chance.choice(HEADERS)) if odd else {}
        self._problem = None
        try:
            answer = self.client.open(path, method=method, data=fields, headers=headers)
        except (UnicodeError, ValueError) as unsendable:
            if self._problem is None:  # the client could not make a request of this
                return None
            raise unsendable from self._problem
        with answer:
            self.statuses[answer.status_code] += 1
            if answer.status_code >= 500:
                self.failed.append(f"{method} {path} {fields!r:.2000} {headers}: {self._problem!r}")
            begun = answer.location if answer.status_code == 303 else None
            if begun and _GAME.fullmatch(begun) and begun not in self.games:
                self.games.append(begun)  # of many games the oldest are dropped
                del self.games[len(GAMES) : -10]
            readable = "text" in answer.mimetype and not answer.content_encoding
            return answer.status_code, answer.text if readable else ""

    def _raised(self, _app: Flask, exception: BaseException, **_: object) -> None:
        self._problem = exception
