"""Take pictures of every page on four screens, in light and dark, to look at them together.

``python3 -m companion screens DIR`` writes them into a folder, and an ``index.html`` that has all.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlsplit

from playwright.sync_api import Page, sync_playwright

from tests.browser.accessibility import LETTERS, LIGHTS, letters
from tests.browser.conftest import launched, visit
from tests.browser.house import House
from tests.browser.made_games import PAGES_OF, addresses
from tests.programs import find_chromium

SCREENS: Final = {
    "phone": (360, 640),
    "phone-on-its-side": (640, 360),
    "tablet": (820, 1180),
    "desktop": (1366, 768),
}


def main(arguments: Sequence[str]) -> int:
    """Take the pictures and return the exit status: 0, or 1 without a browser."""
    parser = argparse.ArgumentParser("python3 -m companion screens", description=__doc__)
    parser.add_argument("folder", metavar="DIR", type=Path, help="where the pictures go")
    parser.add_argument("--game", choices=[*PAGES_OF], action="append", help="of this game alone")
    asked = parser.parse_args(arguments)
    if find_chromium() is None:
        print("No Chromium was found: get it with `apt-get install chromium`.", file=sys.stderr)
        return 1
    asked.folder.mkdir(parents=True, exist_ok=True)
    taken: dict[str, list[str]] = {}
    with TemporaryDirectory() as instance, sync_playwright() as playwright:
        house = House(Path(instance))
        browser = launched(playwright.chromium)
        try:
            page = browser.new_page(is_mobile=True, has_touch=True)
            assert page.request.get(house.server.house).ok
            for game in asked.game or ("", *PAGES_OF):
                for address in addresses(page, house.server, *filter(None, [game])):
                    name = _name(game, address)
                    taken[name] = [*_pictures(page, address, asked.folder, name)]
                    print(f"{name}: {len(taken[name])} pictures", flush=True)
        finally:
            browser.close()
            house.kill()
    _write_index(asked.folder, taken)
    print(f"All of them: {asked.folder / 'index.html'}")
    return 0


def _name(game: str, address: str) -> str:
    """Return a file name for a page, without the keys in its address."""
    at = urlsplit(address)
    path = re.sub(r"/(games|people|seasons|s|v|phones)/[\w-]{8,}", r"/\1", at.path)
    said = re.findall(r"(?:ask|player)=(\w+)", at.query)
    return "-".join([game or "any", *re.findall(r"[\w-]+", path), *said])


def _pictures(page: Page, address: str, folder: Path, name: str) -> Iterator[str]:
    """Take the pictures of a page, and yield the names of the files."""

    def take(what: str) -> str:
        file = f"{name}.{what}.png"
        page.screenshot(path=folder / file, full_page=True)
        return file

    visit(page, address)
    for screen, (width, height) in SCREENS.items():
        page.set_viewport_size({"width": width, "height": height})
        for light in LIGHTS:
            page.emulate_media(color_scheme=light)
            yield take(f"{screen}.{light}")
    width, height = SCREENS["phone"]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="light")
    letters(page, 2 * LETTERS)
    yield take("phone.large")
    letters(page, LETTERS)


def _write_index(folder: Path, taken: dict[str, list[str]]) -> None:
    """Write the page that shows all pictures, with a row for each page."""
    lines = []
    for name, files in taken.items():
        pictures = "".join(
            f'<a href="{escape(file)}"><img loading="lazy" height="400" src="{escape(file)}" '
            f'alt="{escape(file)}"></a> '
            for file in files
        )
        lines.append(f"<h2>{escape(name)}</h2><p>{pictures}</p>")
    page = f"<!doctype html><meta charset=utf-8><title>Every page</title>{''.join(lines)}"
    (folder / "index.html").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
