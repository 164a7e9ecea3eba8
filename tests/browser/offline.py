"""A companion that can be killed and started again on its port, and phones that find it."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import thumb
from tests.browser.conftest import PATIENCE, ROOT, Server, arrive, environment_of, started


class House:
    """A server with an instance folder of its own, which outlives it."""

    def __init__(self, folder: Path, database: str | None) -> None:
        """On the file in its folder, or on a database at this address."""
        self.folder = folder
        self.database = database
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()

    def start(self, program: Path = ROOT) -> Server:
        """Start it, on the port that it had before; ``program`` is the folder of its version."""
        environment = environment_of(self.folder, self.database)
        self.process, self.server = started(environment, self.port, program)
        assert urlsplit(self.server.address).port == self.port
        return self.server

    def rotate(self, *how: str) -> None:
        """Change the secret that signs, from the next start on."""
        command = [sys.executable, "-m", "companion", "rotate", *how]
        environment = environment_of(self.folder, self.database)
        subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)

    def kill(self) -> None:
        """Pull the plug."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def waits(page: Page, count: int) -> None:
    """So many acts wait, and the page says so."""
    if count:
        expect(page.locator("#waiting summary")).to_contain_text(f"{count} waiting to be saved")
    else:
        expect(page.locator("#waiting")).to_have_count(0)


def open_page(page: Page, link: str, heading: str) -> None:
    """Tap a button of the thumb bar and wait for its page."""
    page.locator(".actions a", has_text=link).tap()
    arrive(page, heading)


def charge(page: Page, name: str, rule: str = "PRO-13.3") -> None:
    """Charge a player 20 points, on the page for it."""
    page.locator("#player label.tile", has_text=name).tap()
    page.locator(f"button.tile[value='{rule}']").tap()


def enter(page: Page, hand: int, out: str, **cards: str) -> None:
    """Enter the end of a hand by cards, from its page."""
    open_page(page, "End the hand", f"End of hand {hand}")
    page.locator("#out label.tile", has_text=out).tap()
    for name, card in cards.items():
        page.locator(".chips .chip", has_text=name).tap()
        page.locator(f"fieldset[data-step='{name}'] label.c:has(input[value='{card}'])").tap()


def mark(page: Page, hand: int, out: str, **cards: str) -> None:
    """End a hand by cards, from its page, and save it."""
    enter(page, hand, out, **cards)
    page.locator(".actions .save").tap()


def on_hand(page: Page, number: int, waiting: int = 0) -> None:
    """The page of the hand is there, and so many acts wait."""
    arrive(page, f"Hand {number}")
    waits(page, waiting)


def question(page: Page, who: str, ask: str) -> None:
    """Ask about a play of somebody, from the page of the hand, as it was kept."""
    open_page(page, "Ruling", "What is in dispute?")
    player = page.locator("#player label.tile", has_text=who)
    player.tap()
    page.locator(f"button[name=ask][value={ask}]").tap()
    arrive(page, re.compile("the player|Which meld lies there"))
    expect(page.locator("#copy")).to_contain_text("no connection")
    if player.count():  # else the last tap says whose it was
        expect(player.locator("input")).to_be_checked()


def rule_on(page: Page, who: str) -> None:
    """Have it ruled on, by the button that says whose play it was."""
    page.locator(".whose button", has_text=who).tap()


def see_a_ruling(page: Page, word: str, says: str) -> None:
    """Open a ruling that was given meanwhile, from the list of what waits."""
    bar = page.locator("#waiting")
    expect(bar).to_contain_text("Ruled on.")
    bar.get_by_role("link", name="See the ruling").first.tap()
    arrive(page, word)
    expect(page.locator(".verdict")).to_contain_text(says)


def tap_cards(page: Page, *cards: str) -> None:
    """Tap cards of the one grid on the page."""
    thumb.tap_cards(page, " ".join(cards))


def total(page: Page, name: str, points: int) -> None:
    """The page of the hand shows a player's total, now or as soon as it is saved."""
    place = page.locator(".totals li", has_text=name).locator("b")
    expect(place).to_have_text(str(points))


def kept(page: Page, game: str, last: str = "") -> None:
    """Wait until the phone has every page of the game that it is told to keep, as it is now.

    With ``last``, a pattern, only those up to the first page whose address has it.
    """
    expect(page.locator("#copy")).to_have_count(0)  # else it is opened anew in a moment
    page.evaluate(
        """async ([game, last, patience]) => {
            const { pages } = await (await fetch(`${game}/precache`)).json();
            const mark = async (address) => (await caches.match(address))?.headers.get("X-Keep");
            const until = Date.now() + patience;
            let found = !last;
            for (const [address, wanted] of pages) {
                while ((await mark(address)) !== wanted) {
                    if (Date.now() > until) throw new Error(`no copy of ${address}`);
                    await new Promise((yes) => setTimeout(yes, 50));
                }
                found ||= new RegExp(last).test(address);
                if (last && found) break;
            }
            if (!found) throw new Error(`no page to keep is ${last}`);
        }""",
        [game, last, PATIENCE],
    )


def leave_the_network(page: Page, last: str = "") -> str:
    """Wait until the phone has the pages of its game, and go offline; the game's address."""
    game = page.url
    kept(page, game, last)
    page.context.set_offline(True)
    return game


def back_online(pocket: BrowserContext) -> None:
    """The network is there (again), and the pages are told."""
    pocket.set_offline(True)
    pocket.set_offline(False)


def entries(page: Page, game: str) -> list[str]:
    """What was written down, the newest first, in the words of the log."""
    log = page.request.get(f"{game}/log").text().partition("<main")[2].partition("<footer")[0]
    return [
        one or other for one, other in re.findall(r"20 points to (\w+)|(Hand \d+)[^<]* marked", log)
    ]
