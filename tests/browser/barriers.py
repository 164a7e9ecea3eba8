"""What keeps somebody from reading a page on a phone, as far as a machine can tell."""

from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# In the dark only the colours are others.
LIGHTS: dict[Literal["light", "dark"], tuple[str, ...]] = {
    "light": (),
    "dark": ("color-contrast", "link-in-text-block"),
}

_AXE = Axe().axe_script


def barriers(page: Page, *rules: str) -> list[str]:
    """What on the page that is shown breaks one of axe's rules, or of these, or is too wide."""
    # Once a page: to load the script takes as long as to ask it about two rules.
    if not page.evaluate("'axe' in window"):
        page.evaluate(_AXE)
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": rules}
    found = page.evaluate("options => axe.run(document, options)", options)["violations"]
    return [*(f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found), *too_wide(page)]


def barriers_in_any_light(page: Page) -> list[str]:
    """The same by day and at night; the page is left as it is by day."""
    found: list[str] = []
    for light, rules in LIGHTS.items():
        page.emulate_media(color_scheme=light)
        found += [f"{light}: {one}" for one in barriers(page, *rules)]
    page.emulate_media(color_scheme="light")
    return found


def too_wide(page: Page) -> list[str]:
    """What is wrong with the width of the page that is shown."""
    width = page.evaluate("document.documentElement.scrollWidth")
    shown = page.evaluate("document.documentElement.clientWidth")
    return [f"{width} wide on a screen of {shown}"] if width > shown else []
