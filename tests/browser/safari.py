"""A phone's browser with Safari's engine, driven by selenium."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

from selenium.common import exceptions
from selenium.webdriver import WebKitGTK
from selenium.webdriver.support.wait import WebDriverWait
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from tests.programs import Safari, find_webkit

PATIENCE = 60  # how many seconds to wait for something
# Errors if the page was replaced meanwhile; this engine raises the last one for a loaded page.
LEFT = (
    exceptions.JavascriptException,
    exceptions.StaleElementReferenceException,
    exceptions.NoSuchFrameException,
)

# Put before each script, so that nothing is found on a page that is not completely loaded.
_FIND = """
if (!document.querySelector('html[data-ready]:not([data-sending])')) return null;
const find = (css, text) => [...document.querySelectorAll(css)]
    .find((one) => one.textContent.includes(text) && one.getClientRects().length);
"""
# Finds the element of a selector that has a text, scrolls it into view, and returns its place.
_PLACE = """
const one = find(arguments[0], arguments[1]);
if (!one) return null;
one.scrollIntoView({ block: "center", behavior: "instant" });
return [one, JSON.stringify(one.getBoundingClientRect())];
"""


class Phone:
    """A phone's browser, which waits for elements before it touches them."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        driver.set_window_rect(x=0, y=0, width=400, height=800)
        self._wait = WebDriverWait(driver, PATIENCE, 0.02, LEFT)

    def open(self, address: str) -> None:
        """Open an address."""
        self.driver.get(address)
        self.until("return true")

    def back(self) -> None:
        self.driver.back()

    def reload(self) -> None:
        self.driver.refresh()

    def until(self, script: str, *args: object) -> Any:
        """Wait until a script returns something on a completely loaded page, and return it."""
        return self._wait.until(
            lambda driver: driver.execute_script(_FIND + script, *args),
            f"{script} {args}: not on this page",
        )

    def there(self, css: str, text: str = "") -> Any:
        """Wait for a visible element with this text, and scroll it into view.

        It stands still: two looks in a row find it in the same place.
        """
        before = ""

        def still(driver: Any) -> Any:
            nonlocal before
            one, place = driver.execute_script(_FIND + _PLACE, css, text) or (None, "")
            was, before = before, place
            return one if was == place else None

        return self._wait.until(still, f"{css} {text}: not on this page")

    def tap(self, css: str, text: str = "") -> None:
        """Tap a visible element with this text."""
        self._wait.until(lambda _: self.there(css, text).click() or True)

    def type(self, css: str, text: str) -> None:
        """Replace the text of a field."""
        self.there(css)
        field = self.until("const one = find(arguments[0], ''); one.select(); return one;", css)
        field.send_keys(text)

    def heading(self, text: str) -> None:
        """Wait for the page with this heading."""
        self.there("h1", text)

    def card(self, text: str) -> None:
        """Tap a card of the visible grid."""
        self.tap(f"label.c:has([value='{text}']), button.c[value='{text}']")

    def checked(self, *expected: str) -> None:
        """Wait until exactly these boxes of the form of a hand's end are checked."""
        self.until(
            "return [...document.querySelectorAll('#end input:checked:not([name=by])')]"
            ".map((one) => `${one.name} ${one.value}`).sort().join() === arguments[0]",
            ",".join(sorted(expected)),
        )


@contextmanager
def safari(folder: Path) -> Iterator[Phone]:
    """Start Safari's engine on a virtual screen."""

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
    """Start a virtual screen, and yield its name, which Xvfb chooses."""
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
