"""A marker's steps on the pages of a game."""

import re
from collections.abc import Callable

from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.conftest import Taps, arrive, begun, ready, visit
from tests.browser.house import Server


class Thumb:
    """A marker who keeps a game of these people, tap by tap."""

    def __init__(self, phone: Page, name: str, players: tuple[str, ...]) -> None:
        self.phone = phone
        self.name = name
        self.players = players
        self.game = ""

    def set_up(self, server: Server, change: Callable[[], object] = lambda: None) -> None:
        """Set up a game: choose it and type the names. ``change`` is called before Start."""
        phone = self.phone
        phone.goto(server.address)
        phone.get_by_role("link", name="New game").tap()
        ready(phone)
        if self.name != "Proter":
            phone.locator("summary", has_text="Another game").tap()
            named = re.compile(rf"^{self.name}\b")
            phone.locator("#which").get_by_role("button", name=named).tap()
        expect(phone.locator("h1")).to_have_text(f"New game of {self.name}")
        ready(phone)
        names = phone.locator("input[name=name]")
        while names.count() < len(self.players):
            seats = names.count()
            phone.get_by_role("button", name="Another player").tap()
            expect(names).to_have_count(seats + 1)
        for seat, name in enumerate(self.players):
            phone.locator(f"#name-{seat}").fill(name)
        change()
        self.bar("Start").tap()
        phone.wait_for_url(re.compile(r"/games/[a-z0-9]{10}$"))
        ready(phone)
        self.game = phone.url

    def bar(self, name: str) -> Locator:
        """Return a button or link of the thumb bar."""
        return self.phone.locator(".actions").get_by_text(name, exact=True).locator("visible=true")

    def open(self, path: str = "") -> None:
        """Open a page of the game."""
        visit(self.phone, self.game + path)

    def settled(self) -> None:
        """Wait for the page that says that something was saved."""
        expect(self.phone.locator("#messages .notice.good").first).to_be_visible()
        ready(self.phone)

    def charge(self, name: str, rule: str) -> None:
        """Charge a player with a penalty, from the hand's page."""
        taps = Taps()
        taps(self.bar("Penalty"))
        ready(self.phone)
        taps(self.phone.locator("#player label.tile", has_text=name))
        taps(self.phone.locator(f"button.tile[value='{rule}']"))
        self.settled()
        assert taps.count <= 3

    def undo(self) -> None:
        """Undo the last action by one tap on the visible button."""
        undo = self.phone.locator(".dock .undo form").first.locator("button")
        expect(undo).to_be_in_viewport()
        undo.tap()

    def past(self, hand: str) -> None:
        """Open a past hand for a correction, by two taps from the game's page."""
        self.open()
        self.phone.get_by_role("link", name=re.compile("^Sheet")).first.tap()
        named = re.compile(rf"^Correct {hand}\b", re.IGNORECASE)
        self.phone.get_by_role("link", name=named).tap()
        arrive(self.phone, f"Correct {hand.lower()}")

    def play_again(self, server: Server) -> None:
        """Begin the same game with the same people."""
        phone, taps = self.phone, Taps()
        visit(phone, server.address)
        taps(phone.get_by_role("link", name="New game"))
        expect(phone.locator("h1")).to_have_text(f"New game of {self.name}")
        ready(phone)
        taps(press(phone, re.compile("^Same as last time")))
        expect(press(phone, re.compile("^Same as last time"))).to_have_count(0)
        taps(self.bar("Start"))
        expect(phone.locator(".totals li bdi")).to_have_text([*self.players])
        assert taps.count <= 4

    def step(self, name: str) -> Locator:
        """Return a player's step in the form of the hand's end."""
        return self.phone.locator(f"fieldset[data-step='{name}']")

    def totals(self) -> dict[str, int]:
        """Return everyone's total from the score sheet."""
        self.open("/sheet")
        names = self.phone.locator("table.sheet thead th bdi").all_inner_texts()
        cells = self.phone.locator("table.sheet tfoot td").all_inner_texts()
        return {n: int(re.findall(r"\d+", cell)[0]) for n, cell in zip(names, cells, strict=True)}


def card(place: Page | Locator, text: str) -> Locator:
    """Return a card of a grid, whether it is a checkbox or a button."""
    return place.locator(f'.c:has([value="{text}"]), button.c[value="{text}"]').first


def box_of(place: Locator) -> FloatRect:
    """Return where an element stands and how large it is."""
    box = place.bounding_box()
    assert box is not None, place
    return box


def press(page: Page, name: str | re.Pattern[str]) -> Locator:
    """Return a button by its text."""
    return page.get_by_role("button", name=name, exact=isinstance(name, str))


def tap_cards(
    place: Page | Locator, cards: str, tap: Callable[[Locator], None] = Locator.tap
) -> None:
    """Tap cards on a grid, and "+" below it for every further copy of a card."""
    before = ""
    for text in sorted(cards.split()):
        again = text == before
        tap(place.get_by_role("button", name="One more") if again else card(place, text))
        before = text


def whose(page: Page, name: str) -> Locator:
    """Return a player's choice in a form."""
    return page.locator("#player label", has_text=name)


def at_the_end(page: Page, out: str = "", tap: Callable[[Locator], None] = Locator.tap) -> None:
    """Open the end of the hand from the hand's page, and choose who went out."""
    tap(page.get_by_role("link", name="End the hand"))
    ready(page)
    if out:
        tap(page.locator("#out label", has_text=out))


def end_of(
    page: Page,
    server: Server,
    *names: str,
    out: str,
    game: str = "proter",
    tap: Callable[[Locator], None] = Locator.tap,
) -> str:
    """Begin a game, open the end of its first hand, choose who went out; the game's address."""
    address = begun(page, server, names, game)
    visit(page, f"{address}/end")
    tap(page.locator("#out label", has_text=out))
    return address


def save_by_points(page: Page, others: int, save: str = "Save: everyone laid a meld") -> None:
    """End the hand by points: the first player is out, and the others have 30 points each."""
    at_the_end(page)
    page.locator(".seg label", has_text="Points").tap()
    page.locator("#out label").first.tap()
    for _ in range(others):
        page.keyboard.type("30")
        page.keyboard.press("Enter")
    press(page, save).tap()


def ruling_link(page: Page) -> Locator:
    """Return the link from a hand to its disputes."""
    return page.get_by_role("link", name="Ruling", exact=True)


def verdict(page: Page, word: str, rule: str = "") -> None:
    """Expect a verdict on the page, and the rule that is broken."""
    expect(page.locator(".verdict .word")).to_have_text(re.compile(word))
    if rule:
        expect(page.locator(".verdict a.ruleno").first).to_have_text(rule)
