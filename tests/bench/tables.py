"""Measure many tables at once: a marker and four viewers at each, for two minutes.

Every few seconds, far more often than at a real table, each marker opens a form, marks the hand,
charges a penalty or undoes the last action, and opens the next page. Viewers poll every two
seconds, as their page does. In the end the database must have every acknowledged action once, the
totals must be those that the markers entered, and every viewer must have seen the last entry.
"""

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from statistics import median
from time import monotonic, perf_counter, sleep

from tests.bench import servers
from tests.bench.report import Row, within
from tests.browsing import PHONE_ENCODINGS, Answer, Browser, Lost
from tests.markers import Act, Ledger, Marker, Table
from tests.torture.kills import reckon, totals_shown
from tests.torture.storage import on_disk

TABLES, VIEWERS = 50, 4
SECONDS = 120.0
EVERY = 2.0  # seconds between two polls of a viewer's page
ACTS = (2.0, 6.0)  # seconds between two actions of a marker, at least and at most
ALONE = 500  # polls, one after the other, when all others have left
AIM_MS = 150

_VIEWER = re.compile(r"/v/([\w-]+)")
_SINCE = re.compile(r"since=(\d+)")


@dataclass
class Seen:
    """The measurements at all tables together. Threads append to it."""

    saves: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    looks: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    """Seconds from the answer to a save until a viewer of that table had it on the screen."""
    errors: list[str] = field(default_factory=list)


class Keeper(Marker):
    """The marker of one table, who pauses before each action and opens the next page after it."""

    def __init__(self, server: servers.Server, ledger: Ledger, seen: Seen, seed: int) -> None:
        self.table = Table()
        super().__init__(server, ledger, self.table, alone=True, seed=seed)
        self._browser.encodings = PHONE_ENCODINGS
        self._seen = seen
        self.saved_at: dict[int, float] = {}
        """When each entry of the first game was acknowledged."""
        self._browser.enter(server.house_key)
        self._begin()
        self.game = self.table.games[0]
        self.viewer = _VIEWER.search(self._browser.get(f"{self.game}/code").text)[1]

    def act(self) -> None:
        """Do one action without a pause."""
        super()._act()

    def _act(self) -> None:
        sleep(self._chance.uniform(*ACTS))
        self.act()

    def _send(self, action: str, fields, act: Act) -> Answer:
        begun = perf_counter()
        answer = super()._send(action, fields, act)
        self._seen.saves.append(perf_counter() - begun)
        if len(self.table.games) < 2:  # a second game follows when all hands are marked
            self.saved_at[len(self.saved_at) + 1] = monotonic()
        begun = perf_counter()
        shown = self._browser.get(answer.location)
        self._seen.pages.append(perf_counter() - begun)
        assert shown.status == 200, shown
        return answer

    def _again(self, send, act: Act | None = None) -> Answer:
        return send()  # nobody kills this server: a lost answer is an error


class Looker(threading.Thread):
    """A viewer; `since` is the number of the last entry on the screen."""

    def __init__(self, server: servers.Server, keeper: Keeper, seen: Seen, seed: int) -> None:
        super().__init__(daemon=True)
        self.browser = Browser(server.port, encodings=PHONE_ENCODINGS)
        self.keeper, self._seen, self._chance = keeper, seen, Random(seed)
        self.since, self.left = 1, False

    def run(self) -> None:
        """Poll every two seconds, beginning at a random moment."""
        sleep(self._chance.uniform(0, EVERY))
        while not self.left:
            asked = monotonic()
            try:
                self.look()
            except (Lost, AssertionError) as error:
                self._seen.errors.append(f"a viewer of {self.keeper.game}: {error!r}")
            sleep(max(0.0, asked + EVERY - monotonic()))

    def look(self) -> None:
        begun = perf_counter()
        answer = self.browser.get(f"/v/{self.keeper.viewer}/live?since={self.since}")
        self._seen.looks.append(perf_counter() - begun)
        assert answer.status in (200, 204), answer
        if answer.status == 200:
            number = int(_SINCE.search(answer.text)[1])
            now, saved = monotonic(), self.keeper.saved_at
            news = range(self.since + 1, number + 1)
            self._seen.late += [now - saved[n] for n in news if n in saved]
            self.since = number


def run(server: servers.Server, seconds: float, what: str) -> Iterator[Row]:
    """Yield the rows for one server; ``what`` names its database."""
    seen, ledger = Seen(), Ledger()
    keepers = [Keeper(server, ledger, seen, seed) for seed in range(TABLES)]
    lookers = [Looker(server, keeper, seen, seed) for seed, keeper in enumerate(keepers * VIEWERS)]
    used, begun = servers.processor_time(server), monotonic()
    seen.saves.clear()
    for thread in (*keepers, *lookers):
        thread.start()
    sleep(seconds)
    ledger.closed = True
    for keeper in keepers:
        keeper.join()
    for looker in lookers:
        looker.left = True
    for looker in lookers:
        looker.join()
    busy = (servers.processor_time(server) - used) / (monotonic() - begun)
    for looker in lookers:
        looker.look()
    saves, looks = len(seen.saves), len(seen.looks)
    wrong = _wrong(server, ledger, keepers, lookers)
    asking, acting = _processor_times(server, lookers[0], keepers[0])
    title = f"{TABLES} tables, {VIEWERS} viewers each, {what}"
    slow = within(seen.saves[:saves])
    yield Row(
        f"{title}: {saves:,} saves in {seconds:.0f} s",
        f"median {median(seen.saves) * 1000:.0f} ms, 95 % within {slow * 1000:.0f} ms",
        f"95 % within {AIM_MS} ms",
        slow * 1000 < AIM_MS,
    )
    count = len(seen.errors) + len(wrong)
    yield Row(f"{title}: errors, lost entries, viewers left behind", str(count), "none", not count)
    yield Row(
        f"{title}: {looks:,} polls of viewers",
        f"95 % within {within(seen.looks[:looks]) * 1000:.0f} ms; an entry is seen after "
        f"{median(seen.late):.1f} s, 95 % within {within(seen.late):.1f} s",
    )
    yield Row(f"{title}: the page after a save", f"95 % within {within(seen.pages) * 1000:.0f} ms")
    if busy:
        yield Row(
            f"{title}: processor used by the server",
            f"{busy:.0%} of a core; by itself a poll takes {asking:.1f} ms, and an action with "
            f"the form before it and the page after it {acting:.0f} ms",
        )
    for error in (*seen.errors, *wrong)[:5]:
        yield Row(f"{title}: an error", error)


def _wrong(
    server: servers.Server, ledger: Ledger, keepers: list[Keeper], lookers: list[Looker]
) -> list[str]:
    """Return the errors of a marker, in the database, and on viewers' screens."""
    wrong = []
    try:
        ledger.check()
    except (Lost, AssertionError, KeyError) as error:
        wrong.append(f"a marker: {error!r}")
    entries, faults = on_disk(server.database)
    shown = totals_shown(server, [keeper.table for keeper in keepers])
    found = reckon(entries, ledger.acknowledged, (), shown)
    wrong += [*faults, *(f"{kind}: {act}" for kind, acts in found.items() for act in acts)]
    for looker in lookers:
        if looker.since != len(entries[looker.keeper.game]):
            wrong.append(f"A viewer of {looker.keeper.game} is left behind.")
    return wrong


def _processor_times(server: servers.Server, looker: Looker, keeper: Keeper) -> tuple[float, float]:
    """Return the server's milliseconds for a poll without news, and for an action and its pages."""
    used = servers.processor_time(server)
    for _ in range(ALONE):
        looker.look()
    asked = servers.processor_time(server)
    for _ in range(ALONE // 10):
        keeper.act()
    acted = servers.processor_time(server)
    return (asked - used) * 1000 / ALONE, (acted - asked) * 1000 / (ALONE // 10)
