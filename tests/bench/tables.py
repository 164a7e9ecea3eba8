"""Many tables at once: a marker and four who look on at each, for two minutes.

Each marker opens a form, marks the hand, charges a penalty or takes the last act back, and looks at
the page that follows, every few seconds: far more often than anybody does at a table. Who looks on
asks every two seconds whether there is something new, as the viewers' page does. In the end
everything that was acknowledged must be in the database, once and in its order, and be what every
viewer has seen.
"""

import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import median
from time import monotonic, perf_counter, sleep

from companion.store import Database, load
from tests.bench import servers
from tests.bench.report import Row, within
from tests.browsing import PHONE_ENCODINGS, Answer, Browser, Lost

TABLES, VIEWERS = 50, 4
SECONDS = 120.0
EVERY = 2.0  # seconds between two questions of a viewer, as its page asks them
ACTS = (2.0, 6.0)  # seconds between two acts of a marker, at the least and at the most
ALONE = 500  # questions, one after the other, when all have left
AIM_MS = 150

NAMES = ("Ana", "Ben", "Chandi", "Dee", "Ewa")
HANDS = 13
Sent = tuple[str, dict[str, list[str]]]
"""Where a form goes, and its fields."""

_VIEWER = re.compile(r"/v/([\w-]+)")
_SINCE = re.compile(r"since=(\d+)")


@dataclass
class Seen:
    """What was measured at all tables together. Threads append to it."""

    saves: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    looks: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    """Seconds from the answer to a save until a viewer of that table had it on the screen."""
    errors: list[str] = field(default_factory=list)


@dataclass
class Place:
    """A table: its game, what its marker was told, and where its viewers look."""

    marker: Browser
    game: str = ""
    viewer: str = ""
    number: int = 1
    hand: int = 1
    stands: list[str] = field(default_factory=list)
    """What was done and not undone: where it was sent to."""
    saved_at: dict[int, float] = field(default_factory=dict)


@dataclass
class Looker:
    """Somebody who looks on: the last entry that is on the screen."""

    browser: Browser
    place: Place
    since: int = 0


def run(server: servers.Server, seconds: float, what: str) -> Iterator[Row]:
    """The rows for one server; ``what`` says what it runs on."""
    seen = Seen()
    places = [_seated(server) for _ in range(TABLES)]
    lookers = [
        Looker(Browser(server.port, encodings=PHONE_ENCODINGS), place, 1)
        for place in places
        for _ in range(VIEWERS)
    ]
    used, begun = servers.processor_time(server), monotonic()
    end = begun + seconds
    threads = [
        threading.Thread(target=_keep_score, args=(place, seen, end, Random(seed)))
        for seed, place in enumerate(places)
    ]
    threads += [
        threading.Thread(target=_look_on, args=(looker, seen, end, Random(seed)))
        for seed, looker in enumerate(lookers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    busy = (servers.processor_time(server) - used) / (monotonic() - begun)
    for looker in lookers:
        _look(looker, seen)
    behind = sum(looker.since != looker.place.number for looker in lookers)
    lost = _lost(server, places)
    asking, acting = _processor_times(server, lookers[0], places[0])
    for place in places:
        place.marker.close()
    for looker in lookers:
        looker.browser.close()
    title = f"{TABLES} tables, {VIEWERS} viewers each, {what}"
    slow = within(seen.saves)
    yield Row(
        f"{title}: {len(seen.saves):,} saves in {seconds:.0f} s",
        f"median {median(seen.saves) * 1000:.0f} ms, 95 % within {slow * 1000:.0f} ms",
        f"95 % within {AIM_MS} ms",
        slow * 1000 < AIM_MS,
    )
    wrong = len(seen.errors) + lost + behind
    yield Row(
        f"{title}: errors, lost entries, viewers left behind",
        f"{len(seen.errors)}, {lost}, {behind}",
        "none",
        wrong == 0,
    )
    yield Row(
        f"{title}: {len(seen.looks):,} questions of viewers",
        f"95 % within {within(seen.looks) * 1000:.0f} ms; an entry is seen after "
        f"{median(seen.late):.1f} s, 95 % within {within(seen.late):.1f} s",
    )
    yield Row(f"{title}: the page after a save", f"95 % within {within(seen.pages) * 1000:.0f} ms")
    if busy:
        yield Row(
            f"{title}: processor used by the server",
            f"{busy:.0%} of a core; by itself a question takes {asking:.1f} ms, and an act with "
            f"the form before it and the page after it {acting:.0f} ms",
        )
    for error in seen.errors[:5]:
        yield Row(f"{title}: an error", error)


def _processor_times(server: servers.Server, looker: Looker, place: Place) -> tuple[float, float]:
    """The server's milliseconds for a question with no news, and for an act with its pages."""
    chance = Random(0)
    used = servers.processor_time(server)
    for _ in range(ALONE):
        _look(looker, Seen())
    asked = servers.processor_time(server)
    for _ in range(ALONE // 10):
        _act(place, Seen(), chance)
    acted = servers.processor_time(server)
    return (asked - used) * 1000 / ALONE, (acted - asked) * 1000 / (ALONE // 10)


def _seated(server: servers.Server) -> Place:
    """A table whose game has begun, and the key of its viewers."""
    place = Place(Browser(server.port, encodings=PHONE_ENCODINGS))
    place.marker.enter(server.house_key)
    fields = place.marker.form("/games/new", "/games/new") | {"name": [*NAMES]}
    begun = place.marker.post("/games/new", fields)
    assert begun.status == 303, begun
    place.game = begun.location
    found = _VIEWER.search(place.marker.get(f"{place.game}/code").text)
    assert found is not None
    place.viewer = found[1]
    return place


def _keep_score(place: Place, seen: Seen, end: float, chance: Random) -> None:
    sleep(chance.uniform(0, ACTS[1]))
    while monotonic() < end:
        try:
            _act(place, seen, chance)
        except (Lost, AssertionError, KeyError) as error:
            seen.errors.append(f"{place.game}: {error!r}")
        sleep(chance.uniform(*ACTS))


def _act(place: Place, seen: Seen, chance: Random) -> None:
    does = chance.choice((_mark, _charge, _charge, _undo))
    action, fields = does(place, chance) or _charge(place, chance)
    begun = perf_counter()
    answer = place.marker.post(action, fields)
    took = perf_counter() - begun
    assert answer.status == 303, (answer, answer.says)
    place.saved_at[place.number + 1] = monotonic()
    place.number += 1
    if not action.endswith("/undo"):
        place.stands.append(action)
    undone = place.stands.pop() if action.endswith("/undo") else ""
    place.hand += action.endswith("/end") - undone.endswith("/end")
    seen.saves.append(took)
    begun = perf_counter()
    shown = place.marker.get(place.game)
    seen.pages.append(perf_counter() - begun)
    assert shown.status == 200, shown


def _mark(place: Place, chance: Random) -> Sent | None:
    """The end of the open hand: one is out, the others have points."""
    if place.hand == HANDS:  # the page would no longer be that of a hand
        return None
    action = f"{place.game}/end"
    entered = {f"points-{seat}": [str(chance.randrange(30, 60))] for seat in range(1, len(NAMES))}
    melded = {f"melded-{seat}": ["yes"] for seat in range(1, len(NAMES))}
    return action, place.marker.form(action, action) | entered | melded | {"out": ["0"]}


def _charge(place: Place, chance: Random) -> Sent:
    action = f"{place.game}/penalty"
    charged = {"player": [str(chance.randrange(len(NAMES)))], "rule": ["PRO-13.3"]}
    return action, place.marker.form(action, action) | charged


def _undo(place: Place, _: Random) -> Sent | None:
    if not place.stands:
        return None
    action = f"{place.game}/undo"
    return action, place.marker.form(place.game, action)


def _look_on(looker: Looker, seen: Seen, end: float, chance: Random) -> None:
    """Ask every two seconds, from the moment that the viewer came."""
    sleep(chance.uniform(0, EVERY))
    while monotonic() < end:
        asked = monotonic()
        try:
            _look(looker, seen)
        except (Lost, AssertionError) as error:
            seen.errors.append(f"a viewer of {looker.place.game}: {error!r}")
        sleep(max(0.0, asked + EVERY - monotonic()))


def _look(looker: Looker, seen: Seen) -> None:
    begun = perf_counter()
    answer = looker.browser.get(f"/v/{looker.place.viewer}/live?since={looker.since}")
    seen.looks.append(perf_counter() - begun)
    assert answer.status in (200, 204), answer
    if answer.status == 200:
        _follow(looker, answer, seen)


def _follow(looker: Looker, answer: Answer, seen: Seen) -> None:
    found = _SINCE.search(answer.text)
    assert found is not None
    number, now = int(found[1]), monotonic()
    saved = looker.place.saved_at
    seen.late += [now - saved[n] for n in range(looker.since + 1, number + 1) if n in saved]
    looker.since = number


def _lost(server: servers.Server, places: Sequence[Place]) -> int:
    """How many acknowledged entries are not there, or there twice, or out of their order."""
    database = Database(server.database)
    wrong = 0
    with database.read() as session:
        for place in places:
            numbers = [one.number for one in load(session, place.game.rpartition("/")[2])]
            wrong += abs(len(numbers) - place.number) + (numbers != [*range(1, len(numbers) + 1)])
    database.close()
    return wrong
