"""Find barriers to reading a page on a phone, with axe and checks of our own."""

from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

LIGHTS: tuple[Literal["light", "dark"], ...] = ("light", "dark")

# These rules depend only on how a text looks, and take longer than all other rules of axe.
COLOURS = ("color-contrast", "link-in-text-block")

LETTERS = 16  # px, the default size of letters on a phone

# The file of the looks that were found good, so that axe checks each of them only once, on whatever
# page it occurs. A fixture sets it.
GOOD_LOOKS = Path()

_AXE = Axe().axe_script

# The looks of all visible texts: everything that contrast depends on, and whether it is a link. The
# page keeps the elements of each look.
_LOOKS = """() => {
    const behind = (one) => {
        if (!one) return [];
        const { backgroundColor, backgroundImage, opacity } = getComputedStyle(one);
        const own = [backgroundColor, backgroundImage, opacity].join();
        return [...(own === "rgba(0, 0, 0, 0),none,1" ? [] : [own]), ...behind(one.parentElement)];
    };
    const look = (one) => {
        const { color, fontSize, fontWeight, textDecorationLine } = getComputedStyle(one);
        const isBold = fontWeight >= 700;
        const isLarge = parseFloat(fontSize) >= (isBold ? 18.66 : 24);
        const isOff = Boolean(one.closest(":disabled, [aria-disabled=true]"));
        const { color: around } = getComputedStyle(one.parentElement);
        const link = one.matches("a") && [around, isBold, textDecorationLine];
        return JSON.stringify([color, isLarge, isOff, link, behind(one)]);
    };
    const isText = ({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim();
    const says = (one) => "value" in one || [...one.childNodes].some(isText);
    window.looks = {};
    for (const one of document.body.querySelectorAll("*")) {
        if (says(one) && one.getClientRects().length) (window.looks[look(one)] ??= []).push(one);
    }
    return Object.keys(window.looks);
}"""


def barriers(page: Page) -> list[str]:
    """Return what breaks one of axe's rules on the open page, or is too wide."""
    rules = {name: {"enabled": False} for name in COLOURS}
    return [*_asked(page, "document", {"rules": rules}), *badly_coloured(page), *too_wide(page)]


def barriers_in_any_light(page: Page) -> list[str]:
    """Return the barriers in light and in dark colours; leave the page in light ones."""
    page.emulate_media(color_scheme="dark")
    found = [f"dark: {one}" for one in badly_coloured(page)]
    page.emulate_media(color_scheme="light")
    return [*found, *barriers(page)]


def badly_coloured(page: Page) -> list[str]:
    """Return the texts with too little contrast to their background or the text around a link."""
    notes = {look: GOOD_LOOKS / sha256(look.encode()).hexdigest() for look in page.evaluate(_LOOKS)}
    new = [look for look, note in notes.items() if not note.exists()]
    if not new:
        return []
    elements = f"{{ include: {new}.flatMap((look) => looks[look]) }}"
    found = _asked(page, elements, {"runOnly": {"type": "rule", "values": COLOURS}})
    for look in new:
        if not found:
            notes[look].touch()
    return found


def unreachable(page: Page) -> list[str]:
    """Return the elements that can be scrolled, but not by keyboard."""
    rule = {"type": "rule", "values": ["scrollable-region-focusable"]}
    return _asked(page, "document", {"runOnly": rule})


def too_wide(page: Page) -> list[str]:
    """Return what is wrong with the width of the open page."""
    width = page.evaluate("document.documentElement.scrollWidth")
    shown = page.evaluate("document.documentElement.clientWidth")
    return [f"{width} wide on a screen of {shown}"] if width > shown else []


def _asked(page: Page, what: str, options: dict[str, Any]) -> list[str]:
    """Return what axe finds wrong with a part of the page: `what` is its JavaScript expression."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_AXE)
    options |= {"resultTypes": ["violations"], "preload": False}
    found = page.evaluate(
        f"async (options) => (await axe.run({what}, options)).violations", options
    )
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]


def letters(page: Page, size: int) -> None:
    """Set the size of letters in the browser's settings, in px."""
    settings = page.context.new_cdp_session(page)
    settings.send("Page.setFontSizes", {"fontSizes": {"standard": size}})
