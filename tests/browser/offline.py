"""Steps of a marker whose phone may have no server."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import PATIENCE, arrive
from tests.browser.thumb import tap_cards


def waits(page: Page, count: int) -> None:
    """Expect that `count` actions wait to be saved, and the page lists them."""
    expect(page.locator("#waiting")).to_have_count(min(count, 1))
    expect(page.locator("#waiting li")).to_have_count(count)


def open_page(page: Page, link: str, heading: str) -> None:
    """Tap a button of the thumb bar and wait for its page."""
    page.locator(".actions a", has_text=link).tap()
    arrive(page, heading)


def charge(page: Page, name: str, rule: str = "PRO-13.3") -> None:
    """Charge a player 20 points, on the page for it."""
    page.locator("#player label.tile", has_text=name).tap()
    page.locator(f"button.tile[value='{rule}']").tap()


def penalty(page: Page, name: str, hand: int = 1, waiting: int = 0, rule: str = "PRO-13.3") -> None:
    """Charge a player, from the page of the hand and back to it; then so many actions wait."""
    open_page(page, "Penalty", "Penalty")
    charge(page, name, rule)
    on_hand(page, hand, waiting)


def enter(page: Page, hand: int, out: str, **cards: str) -> None:
    """Fill in the end of a hand by cards, from the hand's page."""
    open_page(page, "End the hand", f"End of hand {hand}")
    page.locator("#out label.tile", has_text=out).tap()
    for name, card in cards.items():
        tap_in(page, name, card)


def tap_in(page: Page, name: str, cards: str) -> None:
    """Tap in a player's cards, on the form of a hand's end."""
    page.locator(".chips .chip", has_text=name).tap()
    tap_cards(page.locator(f"fieldset[data-step='{name}']"), cards)


def mark(page: Page, hand: int, out: str, waiting: int = 0, **cards: str) -> None:
    """End a hand by cards, from its page, and expect the next one, and how many actions wait."""
    enter(page, hand, out, **cards)
    page.locator(".actions .save").tap()
    on_hand(page, hand + 1, waiting)


def on_hand(page: Page, number: int, waiting: int = 0) -> None:
    """Expect the page of a hand, and that `count` actions wait."""
    arrive(page, f"Hand {number}")
    waits(page, waiting)


def question(page: Page, who: str, ask: str) -> None:
    """Open the form for a player's kind of play, from a kept page of the hand."""
    open_page(page, "Ruling", "What is in dispute?")
    player = page.locator("#player label.tile", has_text=who)
    player.tap()
    page.locator(f"button[name=ask][value={ask}]").tap()
    arrive(page, re.compile("the player|Which meld is on the table|A whole turn"))
    expect(page.locator("#copy")).to_contain_text("no connection")
    if player.count():  # otherwise the last tap says whose play it was
        expect(player.locator("input")).to_be_checked()
    else:
        expect(page.locator(".whose > .btn:not(.quiet)")).to_have_text(who)


def rule_on(page: Page, who: str) -> None:
    """Ask for the ruling, with the button that says whose play it was."""
    page.locator(".whose button", has_text=who).tap()


def see_a_ruling(page: Page, word: str, says: str) -> None:
    """Open a ruling that was given meanwhile, from the list of what waits."""
    bar = page.locator("#waiting")
    expect(bar).to_contain_text("Ruled on.")
    bar.get_by_role("link", name="See the ruling").first.tap()
    arrive(page, word)
    expect(page.locator(".verdict")).to_contain_text(says)


def total(page: Page, **points: int) -> None:
    """Expect these totals on the page of the hand, now or once they are saved."""
    for name, total in points.items():
        place = page.locator(".totals li", has_text=name).locator("b")
        expect(place).to_have_text(str(total))


def kept(page: Page, game: str, last: str = "") -> None:
    """Wait until the phone has a current copy of every page that it is told to keep.

    With ``last``, a pattern, only those up to the first page whose address has it.
    """
    expect(page.locator("#copy")).to_have_count(0)  # an old copy reloads in a moment
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
    """Wait until the phone has the pages of its game, go offline, and return the game's address."""
    game = page.url
    kept(page, game, last)
    page.context.set_offline(True)
    return game


def back_online(pocket: BrowserContext) -> None:
    """Go online again, and tell the pages."""
    pocket.set_offline(True)
    pocket.set_offline(False)


def entries(page: Page, game: str) -> list[str]:
    """Return the entries of the game, the newest first, in the words of the log page."""
    log = page.request.get(f"{game}/log").text().partition("<main")[2].partition("<footer")[0]
    return [
        one or other for one, other in re.findall(r"20 points to (\w+)|(Hand \d+)[^<]* marked", log)
    ]
