"""What waits on the phone outlasts whatever happens before it is saved, and is saved once."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from tests.browser.conftest import (
    MOBILE,
    PATIENCE,
    arrive,
    begin,
    chromium_with,
    launched,
    pocket_in,
    ready,
    visit,
)
from tests.browser.house import copied_program
from tests.browser.offline import (
    back_online,
    charge,
    enter,
    entries,
    kept,
    leave_the_network,
    mark,
    on_hand,
    open_page,
    penalty,
    tap_in,
    total,
    waits,
)
from tests.browser.sending import send
from tests.browser.thumb import press

pytestmark = pytest.mark.browser

FORMS = "/penalty$"  # the hand and its end come before it


def discard(entry: Locator) -> None:
    """Discard what waits, with the second tap that the button asks for."""
    for says in ("Discard", "Discard this entry? It can't be recovered."):
        entry.get_by_role("button", name=says, exact=True).tap()


def change(page: Page, hand: int, texts: str) -> None:
    """Open the end of a hand that waits last or alone, and tap these cards of Ben's."""
    bar = page.locator("#waiting")
    bar.locator("summary").tap()
    bar.get_by_role("button", name="Change it").last.tap()
    arrive(page, f"End of hand {hand}")
    tap_in(page, "Ben", texts)


def test_a_refused_entry_stays_and_later_entries_wait_behind_it(pocket, marker):
    game = leave_the_network(marker, FORMS)
    open_page(marker, "Penalty", "Penalty")
    seat = marker.locator("#player input").first
    seat.evaluate("seat => { seat.value = 9; }")  # which the server refuses
    charge(marker, "Ana")
    expect(marker.locator("h1")).to_contain_text("Hand 1")
    penalty(marker, "Ben", waiting=2)
    # Meanwhile somebody else of the same notebook charges Chandi.
    send(marker, f"{game}/penalty", [("player", "2"), ("rule", "PRO-13.3")])
    back_online(pocket)
    bar = marker.locator("#waiting")
    changed = "The game has changed since this page was opened"
    expect(bar.locator("summary")).to_have_text("1 waiting to be saved, 1 not accepted: look")
    expect(bar).to_contain_text(changed)
    expect(bar).to_contain_text("waits for the one above")
    expect(bar).not_to_contain_text("sent automatically")  # the marker settles it first
    for _ in range(2):  # however often the page is opened
        visit(marker, game)
        waits(marker, 2)
        expect(bar).to_contain_text(changed)
    assert entries(marker, game) == ["Chandi"]
    # The first is opened and saved on the game as it is now; the second is refused, and dropped.
    bar.get_by_role("button", name="Open it").tap()
    arrive(marker, "Penalty hand 1")
    charge(marker, "Ana")
    expect(marker.locator("h1")).to_contain_text("Hand 1")
    waits(marker, 1)
    total(marker, Ana=20)
    expect(bar.locator("summary")).to_have_text("1 not accepted: look")
    discard(bar)
    waits(marker, 0)
    assert entries(marker, game) == ["Ana", "Chandi"]


def test_a_hand_that_was_changed_is_saved_before_the_next_one(pocket, marker):
    game = leave_the_network(marker, "hand=3$")
    mark(marker, 1, "Ana", waiting=1, Ben="5C", Chandi="KC")
    penalty(marker, "Chandi", 2, waiting=2)
    # The marker sees that hand 1 was wrong, and changes it: Ben had a 6.
    bar = marker.locator("#waiting")
    change(marker, 1, "5C 6C")
    waits(marker, 1)
    marker.locator(".actions .save").tap()
    on_hand(marker, 2, waiting=2)
    in_order = [re.compile("End of hand 1"), re.compile("Penalty")]
    expect(bar.locator("li b")).to_have_text(in_order)
    # An end of a hand that waits already must not hold up the next hand when it is refused.
    visit(marker, game)
    mark(marker, 1, "Ana", waiting=3, Ben="7C", Chandi="KC")
    expect(bar.locator("li b")).to_have_text([*in_order, re.compile("End of hand 1")])
    back_online(pocket)
    on_hand(marker, 2, 1)
    expect(bar).to_contain_text("Hand 2 is being played now, not hand 1")
    total(marker, Ben=6, Chandi=13 + 20)
    assert entries(marker, game) == ["Chandi", "Hand 1"]


def test_an_upcoming_hand_that_was_changed_is_saved_as_it_is_now(pocket, marker):
    game = leave_the_network(marker, "hand=3$")
    mark(marker, 1, "Ana", waiting=1, Ben="5C", Chandi="KC")
    mark(marker, 2, "Ana", waiting=2, Ben="7C", Chandi="QC")
    change(marker, 2, "7C 8C")
    back_online(pocket)
    waits(marker, 0)
    press(marker, "Save").tap()
    on_hand(marker, 3)
    total(marker, Ben=5 + 8, Chandi=13 + 12)
    assert entries(marker, game) == ["Hand 2", "Hand 1"]


def test_an_entry_made_while_an_earlier_one_is_sent_is_answered_on_its_page(pocket, marker):
    game = marker.url
    pocket.route("**/penalty", lambda sent: sent.abort())
    visit(marker, f"{game}/penalty?player=1")
    marker.locator("button.tile[value='PRO-13.3']").tap()
    waits(marker, 1)
    marker.goto("about:blank")  # no page asks for anything
    pocket.unroute("**/penalty")
    asked: list[Route] = []
    pocket.route("**/outbox", lambda one: asked.append(one))  # noqa: PLW0108  # no builtin
    with marker.expect_request("**/outbox"):
        visit(marker, f"{game}/penalty")
    charge(marker, "Chandi")
    expect(marker.locator("html[data-sending]")).to_have_count(1)
    asked[0].continue_()
    pocket.unroute("**/outbox")
    expect(marker.locator("#messages .good")).to_contain_text("Chandi")
    waits(marker, 0)
    assert entries(marker, game) == ["Chandi", "Ben"]


def test_the_list_describes_each_entry(pocket, marker):
    kept(marker, marker.url, FORMS)
    visit(marker, f"{marker.url}/table")
    pocket.set_offline(True)
    marker.locator("#top summary").tap()
    marker.get_by_role("button", name="There is no pile").tap()
    waits(marker, 1)
    said = marker.locator("#waiting li > span")
    expect(said).to_have_text(
        re.compile("^The recorded table, hand 1: There is no pile entered .{1,20}$")
    )
    marker.get_by_role("link", name="Hand", exact=True).tap()
    open_page(marker, "Penalty", "Penalty")
    marker.locator("#player label.tile", has_text="Chandi").tap()
    marker.get_by_label("Reason").fill("Spilled tea")
    marker.locator("#points").fill("15")
    marker.get_by_role("button", name=re.compile("^Add the points")).tap()
    waits(marker, 2)
    penalty(marker, "Ben", waiting=3)
    enter(marker, 1, "Ana", Ben="5C")
    marker.locator("label", has_text="Points").first.tap()
    marker.locator("#points-2").fill("64")
    marker.locator(".actions .save-rest").tap()
    waits(marker, 4)
    expect(said.nth(1)).to_contain_text("Chandi, Add the points (penalty) Spilled tea, 15 entered")
    expect(said.nth(2)).to_contain_text("Ben, Touched stock or pile 20 points entered")
    expect(said.nth(3)).to_contain_text(
        re.compile("^End of hand 1.* Ana out, Ben 5, Chandi 64 entered")
    )


def test_a_waiting_entry_survives_a_new_version_and_an_old_token(
    pocket, house, marker, tmp_path_factory
):
    game = marker.url
    kept(marker, game, FORMS)
    house.kill()
    penalty(marker, "Ben", waiting=1)
    script = marker.locator("script[src$='/js/app.js']")
    before = script.get_attribute("src")
    program = copied_program(tmp_path_factory.mktemp("program"))
    with (program / "static" / "app.css").open("a") as style:
        style.write("/* of another version */")
    house.rotate()
    house.start(program)
    back_online(pocket)
    total(marker, Ben=20)
    waits(marker, 0)
    ready(marker)
    open_page(marker, "Penalty", "Penalty")
    expect(marker.locator("#copy")).to_have_count(0)
    marker.evaluate("document.querySelector('meta[name=csrf-token]').content = 'expired'")
    charge(marker, "Chandi")
    expect(marker.locator("h1")).to_contain_text("Hand 1")
    total(marker, Ben=20, Chandi=20)
    waits(marker, 0)
    assert entries(marker, game) == ["Chandi", "Ben"]
    expect(script).not_to_have_attribute("src", before or "")
    # The new version works without a network too.
    ready(marker)
    kept(marker, game, FORMS)
    house.kill()
    penalty(marker, "Ana", waiting=1)
    expect(script).not_to_have_attribute("src", before or "")
    house.start(program)
    back_online(pocket)
    total(marker, Ana=20)
    waits(marker, 0)


def test_a_waiting_entry_is_sent_after_the_storage_has_failed_once(house, marker):
    kept(marker, marker.url, FORMS)
    house.kill()
    penalty(marker, "Ben", waiting=1)
    marker.evaluate("""() => {
        const { open } = IDBFactory.prototype;
        IDBFactory.prototype.open = () => {
            IDBFactory.prototype.open = open;
            throw new Error("not now");
        };
    }""")
    house.start()
    waits(marker, 0)
    total(marker, Ben=20)


@pytest.mark.parametrize("what", ["Cache.prototype.put", "CacheStorage.prototype.open"])
def test_pages_open_even_if_the_browser_can_keep_none(pocket, house, marker, what):
    kept(marker, marker.url, FORMS)
    (worker,) = pocket.service_workers
    worker.evaluate(f"() => {{ {what} = () => Promise.reject(new Error('no room')) }}")
    open_page(marker, "Penalty", "Penalty")
    assert marker.locator("#copy").count() == 0
    charge(marker, "Ben")
    total(marker, Ben=20)


# -- the browser itself ---------------------------------------------------------------------------


def installed(chromium: Browser, profile: Path) -> BrowserContext:
    """A browser that keeps what it has in a folder, as a phone's does."""
    kind = chromium.browser_type
    context = kind.launch_persistent_context(profile, **chromium_with(), **MOBILE)
    context.set_default_timeout(PATIENCE)
    return context


def kill(profile: Path) -> None:
    """Kill the browser that has this folder, as a phone does that needs its memory."""
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().decode().split("\0")
        except OSError:
            continue
        is_browser = not any(word.startswith("--type=") for word in words)
        if is_browser and f"--user-data-dir={profile}" in words:
            os.kill(int(process.parent.name), signal.SIGKILL)


def test_an_installed_app_sends_waiting_entries_after_it_was_killed(chromium, house, tmp_path):
    first = installed(chromium, tmp_path)
    page = first.pages[0]
    page.goto(house.server.house)
    game = begin(page, house.server, "Ana", "Ben", "Chandi").url
    kept(page, game, FORMS)
    developer = first.new_cdp_session(page)
    assert developer.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
    manifest = developer.send("Page.getAppManifest")
    assert manifest["errors"] == []
    first.close()  # as it should be: the browser writes its cookies down at leisure
    second = installed(chromium, tmp_path)
    second.set_offline(True)
    page = second.pages[0]
    page.goto(f"{house.server.address}/")  # where the app starts
    arrive(page, "Hand 1")
    penalty(page, "Ben", waiting=1)
    penalty(page, "Chandi", waiting=2)
    with second.expect_event("close"):
        kill(tmp_path)
    third = installed(chromium, tmp_path)
    page = third.pages[0]
    page.goto(f"{house.server.address}/")
    visit(page, game)
    total(page, Ben=20, Chandi=20)
    waits(page, 0)
    assert entries(page, game) == ["Chandi", "Ben"]
    third.close()


# -- plain HTTP -----------------------------------------------------------------------------------


def test_over_plain_http_an_entry_waits_while_the_page_is_open(chromium, house):
    # A name that is not this machine's own: what is so entered is not secure to a browser.
    lan = launched(chromium.browser_type, "--host-resolver-rules=MAP rummy.lan 127.0.0.1")
    context = pocket_in(lan)
    page = context.new_page()
    address = f"http://rummy.lan:{house.port}"
    page.goto(house.server.house.replace(house.server.address, address))
    visit(page, f"{address}/games/new")
    for seat, name in enumerate(("Ana", "Ben", "Chandi")):
        page.locator(f"#name-{seat}").fill(name)
    page.get_by_role("button", name="Start", exact=True).tap()
    arrive(page, "Hand 1")
    game = page.url
    assert page.evaluate("isSecureContext || 'serviceWorker' in navigator") is False
    expect(page.locator("[data-insecure]")).to_have_count(0)
    open_page(page, "Penalty", "Penalty")
    context.set_offline(True)
    for count, name in enumerate(("Ben", "Chandi"), start=1):
        charge(page, name)
        waits(page, count)
        arrive(page, "Penalty")
        expect(page.locator(".draft")).to_have_count(0)  # what was entered is no draft any more
    back_online(context)
    waits(page, 0)
    visit(page, game)
    total(page, Ben=20, Chandi=20)
    page.goto(f"{address}/settings")
    expect(page.locator("[data-insecure]")).to_contain_text("All of that works over HTTPS")
    lan.close()
