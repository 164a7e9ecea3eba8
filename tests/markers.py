"""Markers who keep score over real HTTP while a test kills the server.

As a phone does, a marker sends an action again, with its key, if it got no whole answer. After a
refusal, because the game has changed, the marker goes on from the current page. If several markers
keep a game, one of them now and then gives up an action whose answer was lost.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from secrets import token_urlsafe

from companion.notebook.events import GameStarted, HandMarked, PenaltyCharged, Undone
from tests.browsing import Answer, Browser, Lost, forms
from tests.killing import Mortal

PATIENCE = 60.0  # seconds, for requests that should take a fraction of one

# The Proter of hands 1 to 13, and what each rank counts (PRO-15).
RANKS = "A23456789TJQK"
WORTH = {rank: worth for worth, rank in enumerate(RANKS, start=1)}
PENALTY = 20  # PRO-13
NAMES = ("Ana", "Ben", "Chandi")
SEATS = range(len(NAMES))
# The players' cards left have different suits, so that no card is held twice.
SUITS = "CDH"
ENTERED = ("cards-", "points-", "melded-", "out")


class GivenUp(Exception):
    """The marker does not send an action again whose answer was lost."""


@dataclass
class Act:
    """An action of a marker, and the points that it adds to each player's total."""

    kind: type
    key: str
    points: Sequence[int] = (0, 0, 0)
    game: str = ""
    lost_at: float | None = None
    """When an answer to it was first lost; None if none was."""


class Ledger:
    """The answers that all markers got. Threads may share it, and wait for it to grow."""

    def __init__(self) -> None:
        self.acknowledged: list[Act] = []
        self.refused: list[Act] = []
        """Actions answered with 409: not saved, because the game had changed meanwhile."""
        self.given_up: list[Act] = []
        """Actions without an answer that were not sent again."""
        self.sent = 0
        self.answered = 0
        self.closed = False
        self._problem: BaseException | None = None
        self._grown = threading.Condition()

    def send(self) -> None:
        with self._grown:
            self.sent += 1
            self._grown.notify_all()

    def answer(self, act: Act, status: int) -> None:
        with self._grown:
            self.answered += 1
            (self.acknowledged if status == 303 else self.refused).append(act)
            self._grown.notify_all()

    def give_up(self, act: Act) -> None:
        with self._grown:
            self.given_up.append(act)

    def fail(self, problem: BaseException) -> None:
        with self._grown:
            self._problem = problem
            self._grown.notify_all()

    def wait_for(self, until: Callable[[], bool]) -> None:
        """Wait until `until` returns True. Raises a marker's error if one fails meanwhile."""
        with self._grown:
            in_time = self._grown.wait_for(lambda: until() or self._problem is not None, PATIENCE)
        self.check()
        assert in_time, f"Nothing has happened since answer {self.answered}."

    def check(self) -> None:
        """Raise a marker's error, if there is one."""
        if self._problem is not None:
            raise self._problem


class Table:
    """A table that plays one game after the other; its markers share their cookies."""

    def __init__(self) -> None:
        self.cookies: dict[str, str] = {}
        self.games: list[str] = []
        self.lock = threading.Lock()


class Marker(threading.Thread):
    """Keeps score until the ledger is closed: penalties, ends of hands, and if alone, undo."""

    def __init__(
        self, server: Mortal, ledger: Ledger, table: Table, *, alone: bool, seed: int
    ) -> None:
        super().__init__(daemon=True)
        self._server, self._ledger, self._table, self._alone = server, ledger, table, alone
        self._chance = Random(seed)
        self._starts = server.starts
        self._browser = Browser(server.port, table.cookies, patience=PATIENCE)
        self._stands: list[Act] = []

    def run(self) -> None:
        """Do one action after the other; the ledger raises any error in the test's thread."""
        try:
            with self._table.lock:
                if not self._table.games:
                    answer = self._again(lambda: self._browser.get(f"/k/{self._server.house_key}"))
                    assert answer.status == 303, answer
                    self._begin()
            while not self._ledger.closed:
                self._act()
        except BaseException as problem:  # noqa: BLE001 - the ledger raises it
            self._ledger.fail(problem)
        finally:
            self._browser.close()

    def _act(self) -> None:
        does = self._chance.choice((self._mark, self._mark, self._charge, self._charge, self._undo))
        game = self._table.games[-1]
        try:
            if does(game):
                return
        except GivenUp:
            return
        with self._table.lock:  # the game is over
            if self._table.games[-1] == game:
                self._begin()

    def _begin(self) -> None:
        form = self._form("/games/new", "/games/new")
        act = Act(GameStarted, form["key"][0])
        answer = self._send("/games/new", form | {"name": NAMES}, act)
        act.game = answer.location
        self._table.games.append(act.game)
        self._stands = []

    def _charge(self, game: str) -> bool:
        form = self._form(f"{game}/penalty", f"{game}/penalty")
        seat = self._chance.choice(SEATS)
        points = [PENALTY if player == seat else 0 for player in SEATS]
        act = Act(PenaltyCharged, form["key"][0], points, game)
        fields = form | {"player": [str(seat)], "rule": ["PRO-13.3"]}
        if self._send(f"{game}/penalty", fields, act).status == 303:
            self._stands.append(act)
        return True

    def _mark(self, game: str) -> bool:
        """Mark the open hand: one player is out, one has cards left, one has points."""
        form = self._form(f"{game}/end", f"{game}/end")
        if not form:
            return False
        out, by_cards, by_points = self._chance.sample(SEATS, 3)
        proter = RANKS[int(form["hand"][0]) - 1]
        left = self._chance.sample(RANKS.replace(proter, ""), 3)
        counted = self._chance.randrange(30, 60)
        melded = self._chance.random() < 0.8
        points = [0, 0, 0]
        points[by_cards] = sum(WORTH[rank] for rank in left)
        points[by_points] = counted + (0 if melded else PENALTY)
        act = Act(HandMarked, form["key"][0], points, game)
        # After an undo the form has the old entries, which do not belong to this mark.
        fields = {name: value for name, value in form.items() if not name.startswith(ENTERED)} | {
            "out": [str(out)],
            f"cards-{by_cards}": [rank + SUITS[by_cards] for rank in left],
            f"melded-{by_cards}": ["yes"],
            f"points-{by_points}": [str(counted)],
            f"melded-{by_points}": ["yes" if melded else "no"],
        }
        if self._send(f"{game}/end", fields, act).status == 303:
            self._stands.append(act)
        return True

    def _undo(self, game: str) -> bool:
        """Undo the last action; a penalty instead if other markers may have written since."""
        if not self._alone or not self._stands:
            return self._charge(game)
        form = self._form(game, f"{game}/undo")
        points = [-given for given in self._stands[-1].points]
        self._send(f"{game}/undo", form, Act(Undone, form["key"][0], points, game))
        self._stands.pop()
        return True

    # -- sending until there is an answer ---------------------------------------------------------

    def _form(self, page: str, action: str) -> dict[str, Sequence[str]]:
        """Return a page's form with a new key; empty if the page redirects, as the game is over."""
        answer = self._again(lambda: self._browser.get(page))
        assert answer.status in (200, 303), answer
        if answer.status == 303:
            return {}
        return {**forms(answer.text, page)[action], "key": [token_urlsafe(12)]}

    def _send(self, action: str, fields: Mapping[str, Sequence[str]], act: Act) -> Answer:
        def send() -> Answer:
            self._ledger.send()
            return self._browser.post(action, fields)

        answer = self._again(send, act)
        assert answer.status == 303 or (answer.status == 409 and not self._alone), (
            f"{answer} {answer.says}"
        )
        self._ledger.answer(act, answer.status)
        return answer

    def _again(self, send: Callable[[], Answer], act: Act | None = None) -> Answer:
        patient = time.monotonic() + PATIENCE
        while True:
            try:
                answer = send()
                if answer.status != 503:  # 503: it has no database now
                    return answer
            except Lost:
                answer = None
            if act is not None and act.lost_at is None:
                act.lost_at = time.time()
            if answer is None:
                assert self._server.started_after(self._starts, PATIENCE), "It never came back."
                self._starts = self._server.starts
                self._browser.move(self._server.port)
                patient = time.monotonic() + PATIENCE
            else:
                assert self._server.recovered(PATIENCE), "Its database never came back."
                assert time.monotonic() < patient, f"It has no database: {answer.says}"
            # A marker who keeps a game alone has to know its state, and so never gives up.
            if act is not None and act.game and not self._alone and self._chance.random() < 0.25:
                self._ledger.give_up(act)
                raise GivenUp
