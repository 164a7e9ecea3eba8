"""Safari's engine, as a thumb and an eye have it: driven by WebDriver, with selenium."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any
from warnings import catch_warnings, simplefilter

from selenium.common import exceptions
from selenium.webdriver import WebKitGTK
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from tests.programs import Safari, find_webkit

PATIENCE = 60  # seconds: nothing is measured by it
LOOK = 2000  # ms that a page is watched at a time
# The page went while it was watched; the last is how this engine says that another one was loaded.
LEFT = (
    exceptions.JavascriptException,
    exceptions.StaleElementReferenceException,
    exceptions.NoSuchFrameException,
)

# Answers what the script finds, as soon as it finds something that is true; null after a while.
_WATCH = """
const [args, done, until] = [[...arguments], arguments[arguments.length - 1], Date.now() + %d];
const find = (css, text) => [...document.querySelectorAll(css)]
    .find((one) => one.textContent.includes(text) && one.getClientRects().length);
const look = () => {
    let found = null;
    try { found = (() => { %s })(); } catch (problem) { if (Date.now() > until) throw problem; }
    if (found || Date.now() > until) done(found || null);
    else setTimeout(look, 20);
};
look();
"""
_READY = "if (!document.querySelector('html[data-ready]:not([data-sending])')) return null;"


class Phone:
    """A phone's browser: what is on its page is waited for, and then touched."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        driver.set_window_rect(x=0, y=0, width=400, height=800)
        driver.set_script_timeout(PATIENCE)

    def open(self, address: str) -> None:
        """Go to an address."""
        self.driver.get(address)
        self.until("return true")

    def back(self) -> None:
        """Press the browser's Back."""
        self.driver.back()

    def reload(self) -> None:
        """Load the page once more."""
        self.driver.refresh()

    def until(self, script: str, *args: object) -> Any:
        """Wait until a script finds something on a page that is there as a whole, and return it."""
        end = monotonic() + PATIENCE
        went = "it was there"
        while monotonic() < end:
            try:
                found = self.driver.execute_async_script(_WATCH % (LOOK, _READY + script), *args)
            except LEFT as problem:
                went = str(problem)
                continue
            if found is not None:
                return found
        raise AssertionError(f"{script} {args}: not on this page ({went}):\n{self.text()}")

    def text(self) -> str:
        """What the page says, for whoever has to see what went wrong."""
        says = "return `${location}\\n${document.body.innerText}`"
        return str(self.driver.execute_async_script(_WATCH % (0, says)))

    def there(self, css: str, text: str = "") -> Any:
        """Wait for an element in view that has this text, and bring it before the thumb.

        It stands still: two looks in a row find it in the same place.
        """
        return self.until(
            "const one = find(args[0], args[1]); if (!one) return null;"
            "one.scrollIntoView({ block: 'center', behavior: 'instant' });"
            "const place = JSON.stringify(one.getBoundingClientRect());"
            "const isStill = one.stood === place; one.stood = place; return isStill ? one : null;",
            css,
            text,
        )

    def tap(self, css: str, text: str = "") -> None:
        """Tap an element in view that has this text."""
        while True:
            try:
                return self.there(css, text).click()
            except LEFT:  # replaced just now
                continue

    def type(self, css: str, text: str) -> None:
        """Type into a field, in the place of what it has."""
        self.there(css)
        field = self.until("const one = find(args[0], ''); one.select(); return one;", css)
        field.send_keys(text)

    def heading(self, text: str) -> None:
        """Wait for the page with this heading."""
        self.there("h1", text)

    def card(self, text: str) -> None:
        """Tap a card of the grid in view."""
        self.tap(f"label.c:has([value='{text}']), button.c[value='{text}']")

    def checked(self, *expected: str) -> None:
        """Wait until these boxes of the form of a hand's end are checked, and no other."""
        self.until(
            "return [...document.querySelectorAll('#end input:checked:not([name=by])')]"
            ".map((one) => `${one.name} ${one.value}`).sort().join() === args[0]",
            ",".join(sorted(expected)),
        )


@contextmanager
def safari(folder: Path) -> Iterator[Phone]:
    """Safari's engine on a screen that nobody sees."""

    programs = find_webkit()
    assert programs is not None
    with _screen(programs) as display:
        options = Options()
        options.binary_location = programs.browser
        options.add_argument("--automation")
        own = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
        environment = os.environ | own | {"DISPLAY": display}
        with catch_warnings():
            simplefilter("ignore", DeprecationWarning)  # selenium's, of what selenium does
            driver = WebKitGTK(options, Service(programs.driver, env=environment))
        try:
            yield Phone(driver)
        finally:
            driver.quit()


@contextmanager
def _screen(programs: Safari) -> Iterator[str]:
    """The name of a screen of its own, which Xvfb chooses and tells."""
    told, tell = os.pipe()
    command = [programs.screen, "-displayfd", str(tell), "-screen", "0", "800x1000x24"]
    with (
        subprocess.Popen(
            [*command, "-nolisten", "tcp"], pass_fds=[tell], stderr=subprocess.DEVNULL
        ) as xvfb,
        os.fdopen(told) as lines,
    ):
        os.close(tell)
        try:
            yield f":{lines.readline().strip()}"
        finally:
            xvfb.terminate()
