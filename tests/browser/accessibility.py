"""What keeps somebody from reading a page on a phone, as far as a machine can tell."""

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# In the dark only the colours are others.
LIGHTS: dict[Literal["light", "dark"], tuple[str, ...]] = {
    "light": (),
    "dark": ("color-contrast", "link-in-text-block"),
}

# Where it is noted what axe said of a page, so that it is asked once about pages that are the same:
# it takes several times as long as to load them. Whoever runs the tests makes the folder.
VERDICTS = Path()

_AXE = Axe().axe_script

# All that axe could see: the page, how it is shown and what was done to it, without what is another
# in every game or for every browser and is not shown.
_SHOWN = r"""() => {
    const every = [...document.querySelectorAll("*")];
    const { game, lastKey } = document.body.dataset;
    const token = document.querySelector("meta[name=csrf-token]")?.content;
    return JSON.stringify([
        [location.origin, game, lastKey, token]
            .reduce((html, name) => name ? html.replaceAll(name, "") : html,
                document.documentElement.outerHTML)
            .replace(/(name="(?:csrf_token|key|base)" value=")[^"]*/g, "$1")
            .replace(/\/(games|v|phones)\/[\w-]{8,}/g, "/$1/"),
        every.filter((one) => "value" in one && one.type !== "hidden")
            .map((one) => [one.value, one.checked]),
        every.map((one, n) => [n, one.scrollLeft, one.scrollTop]).filter(([, x, y]) => x || y),
        every.indexOf(document.activeElement),
        [innerWidth, innerHeight, devicePixelRatio, location.hash],
        ["(prefers-color-scheme: dark)", "print"].map((one) => matchMedia(one).matches),
    ]);
}"""


def barriers(page: Page, *rules: str) -> list[str]:
    """What on the page that is shown breaks one of axe's rules, or of these, or is too wide."""
    noted = VERDICTS / _name(page, rules)
    if not noted.exists():
        writing = noted.with_suffix(f".{os.getpid()}")
        writing.write_text(json.dumps(_ask_axe(page, rules)))
        writing.rename(noted)  # another process finds the whole of it, or nothing
    return [*json.loads(noted.read_text()), *too_wide(page)]


def _name(page: Page, rules: tuple[str, ...]) -> str:
    return sha256(f"{rules} {page.evaluate(_SHOWN)}".encode()).hexdigest()


def _ask_axe(page: Page, rules: tuple[str, ...]) -> list[str]:
    # Once a page: to load the script takes as long as to ask it about two rules.
    if not page.evaluate("'axe' in window"):
        page.evaluate(_AXE)
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    if rules:
        options["runOnly"] = {"type": "rule", "values": rules}
    found = page.evaluate("options => axe.run(document, options)", options)["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]


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
