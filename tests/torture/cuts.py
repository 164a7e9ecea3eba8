"""Cut the line between a phone and the server again and again while the phone sends marks."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from playwright.sync_api import BrowserContext, Error, expect, sync_playwright

from companion.notebook.events import Entry, Event, GameStarted, HandMarked, PenaltyCharged
from companion.notebook.replay import replay
from tests.browser.conftest import PATIENCE, begin, launched, pocket_in, ready
from tests.browser.house import Server
from tests.killing import Mortal
from tests.markers import NAMES, PENALTY, RANKS, SUITS, WORTH
from tests.relay import Line
from tests.torture.storage import Place, Result, on_disk

_COUNT = """() => new Promise((yes, no) => {
    const asked = indexedDB.open("companion");
    asked.onerror = () => no(asked.error);
    asked.onsuccess = () => {
        const count = asked.result.transaction("acts").objectStore("acts").count();
        count.onerror = () => no(count.error);
        count.onsuccess = () => { asked.result.close(); yes(count.result); };
    };
})"""
# The event that a browser fires when the network is back.
_ONLINE = "() => { dispatchEvent(new Event('online')); }"
OF_A_HAND = 8  # marks, of which the last one ends the hand: 104 on an evening of 13 hands


@dataclass(frozen=True)
class Mark:
    """An entry of the marker, and its points for each player, computed by hand."""

    kind: type[Event]
    who: int | None
    """The seat of the player who was charged, or who went out."""
    points: tuple[int, ...]


class _Evening:
    """A phone that keeps one game over a line that is cut."""

    def __init__(self, pocket: BrowserContext, line: Line, house_key: str, chance: Random) -> None:
        self._pocket, self._line, self._chance = pocket, line, chance
        self.marks: list[Mark] = []
        self.ways: Counter[str] = Counter()
        self.reopened = 0
        self._hand = 1
        address = f"http://127.0.0.1:{line.port}"
        self.page = pocket.new_page()
        self.page.goto(f"{address}/k/{house_key}")
        begin(self.page, Server(address, address), *NAMES)
        self.game = self.page.url.partition("?")[0]

    @property
    def entered(self) -> list[tuple[type[Event], int | None]]:
        return [(mark.kind, mark.who) for mark in self.marks]

    @property
    def over(self) -> bool:
        return self._hand > len(RANKS)

    def charge(self, more: int) -> None:
        """Charge a player, and `more` players before the line is healed."""
        self._open(f"{self.game}/penalty")
        self._arm()
        for waiting in range(1, more + 2):
            seat = self._chance.randrange(len(NAMES))
            self.page.locator("#player label.tile", has_text=NAMES[seat]).tap()
            self.page.locator("button.tile[value='PRO-13.3']").tap()
            points = [PENALTY if player == seat else 0 for player in range(len(NAMES))]
            self.marks.append(Mark(PenaltyCharged, seat, (*points,)))
            self._line.wait_for_cut()
            self._waits(waiting)
        self._settle()

    def end_hand(self) -> None:
        """Mark the open hand: one player is out, the others have one card left each."""
        self._open(f"{self.game}/end")
        self._arm()
        out = self._chance.randrange(len(NAMES))
        points = [0, 0, 0]
        self.page.locator("#out label", has_text=NAMES[out]).tap()
        left = [seat for seat in range(len(NAMES)) if seat != out]
        for seat in left:
            rank = self._chance.choice(RANKS.replace(RANKS[self._hand - 1], ""))
            points[seat] = WORTH[rank]
            step = self.page.locator("[data-step]:not([hidden])")
            expect(step.locator("legend").first).to_have_text(NAMES[seat])
            step.locator(f'input[value="{rank}{SUITS[seat]}"]').tap()
            press = "Save" if seat == left[-1] else "Next"
            self.page.get_by_role("button", name=press, exact=True).tap()
        self.marks.append(Mark(HandMarked, out, (*points,)))
        self._line.wait_for_cut()
        self._waits(1)
        self._settle()
        self._hand += 1

    def _arm(self) -> None:
        way = self._chance.choice(Line.WAYS)
        self.ways[way] += 1
        self._line.arm(way)

    def _waits(self, count: int) -> None:
        summary = self.page.locator("#waiting summary")
        expect(summary).to_contain_text(f"{count} waiting to be saved", timeout=PATIENCE)

    def _settle(self) -> None:
        """Heal the line, now and then cut it once more, and wait until everything is saved."""
        if self._chance.random() < 0.25:
            self._arm()
            self._line.heal()
            self._ask(_ONLINE)
            self._line.wait_for_cut()
        if self._chance.random() < 0.2:  # as if the marker had closed the page
            self.page.close()
            self._line.heal()
            self.reopened += 1
            self.page = self._pocket.new_page()
        else:
            self._line.heal()
            self._ask(_ONLINE)
        self._open(self.game)
        self._none_kept()
        self._open(self.game)
        written = str(1 + len(self.marks))  # the game's beginning is the first entry
        expect(self.page.locator("body")).to_have_attribute("data-base", written, timeout=PATIENCE)

    def _none_kept(self) -> None:
        """Wait until no action waits on the phone.

        The bar does not show that, as it is missing on a page that has just opened; nor do the
        entries, as the server may have saved an action whose answer the phone still waits for. An
        action that is sent later would meet the next cut in place of the next mark.
        """
        until = time.monotonic() + PATIENCE / 1000
        while (kept := self._ask(_COUNT)) != 0:
            if time.monotonic() > until:
                waiting = self.page.locator("#waiting").all_inner_texts()
                raise AssertionError(f"{kept} marks go on to wait. The page says: {waiting}")
            self.page.wait_for_timeout(50)

    def _ask(self, script: str) -> object:
        """Return the result of a script on the page; None while the page opens the next one."""
        try:
            return self.page.evaluate(script)
        except Error as error:
            if "context" not in str(error):
                raise
            return None

    def _open(self, address: str) -> None:
        while True:
            try:
                self.page.goto(address)
                break
            except Error as error:  # the page was about to reload itself
                if "interrupted" not in str(error) and "ERR_ABORTED" not in str(error):
                    raise
        ready(self.page)


def run(place: Place, instance: Path, pocket: BrowserContext, cuts: int, seed: int) -> Result:
    """Cut the line `cuts` times, on one evening or more of 13 hands each."""
    begun, chance = time.monotonic(), Random(seed)
    server = Mortal(instance, place.address)
    evenings: list[_Evening] = []
    try:
        server.start()
        line = Line(server.port)
        while line.cuts < cuts:
            evening = _Evening(pocket, line, server.house_key, chance)
            evenings.append(evening)
            of_hand = 0
            while line.cuts < cuts and not evening.over:
                more = chance.choice((0, 0, 0, 1, 2))
                of_hand += 1
                if of_hand % OF_A_HAND == 0 or (cuts < OF_A_HAND**2 and of_hand % 3 == 0):
                    evening.end_hand()
                else:
                    evening.charge(more)
            evening.page.close()
        line.close()
        server.kill()
    finally:
        server.close()
    entries, wrong = on_disk(place.address)
    wrong += place.faults()
    if len(entries) != len(evenings):
        wrong.append(f"{len(entries)} games are there, and {len(evenings)} were begun")
    lost = doubled = 0
    for evening in evenings:
        of_game = entries.get(f"/games/{evening.game.rpartition('/')[2]}", [])
        wrong += _wrong(evening, of_game)
        stored, entered = Counter(_stored(of_game)), Counter(evening.entered)
        lost += (entered - stored).total()
        doubled += (stored - entered).total()
    ways = sum((evening.ways for evening in evenings), Counter[str]())
    met = ", ".join(f"{ways[way]} {way}" for way in Line.WAYS)
    marks, reopened = (len(one.marks) for one in evenings), (one.reopened for one in evenings)
    sentence = (
        f"Cuts, {place.name}: {line.cuts} cuts of the line to the phone ({met}) in "
        f"{time.monotonic() - begun:.0f} s, and {line.refused} connections that found it cut. The "
        f"marker entered {sum(marks)} marks, all of them acknowledged in the end: {lost} lost, "
        f"{doubled} doubled. {sum(reopened)} times the page was closed with marks that waited."
    )
    return Result(sentence, wrong)


def _wrong(evening: _Evening, entries: Sequence[Entry]) -> Iterator[str]:
    sheet = replay(list(entries))
    totals = [sheet.total(seat) for seat in range(len(NAMES))]
    by_hand = [sum(points) for points in zip(*(mark.points for mark in evening.marks), strict=True)]
    if totals != by_hand:
        yield f"{evening.game} comes to {totals}, and to {by_hand} by hand"
    if _stored(entries) != evening.entered:
        yield f"{evening.game}: not what was entered, in that order"
    if len({entry.key for entry in entries}) != len(entries):
        yield f"{evening.game}: a key is there twice"


def _stored(entries: Sequence[Entry]) -> list[tuple[type[Event], int | None]]:
    """Return the events after the game's start, with the player of each mark."""
    stored: list[tuple[type[Event], int | None]] = []
    for entry in entries:
        match entry.event:
            case PenaltyCharged(player=who) | HandMarked(out=who):
                stored.append((type(entry.event), who))
            case event if type(event) is not GameStarted:
                stored.append((type(event), None))
    return stored


@contextmanager
def phone() -> Iterator[BrowserContext]:
    """Yield the browser of a new phone."""
    with sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        yield pocket_in(browser, service_workers="block")
        browser.close()
