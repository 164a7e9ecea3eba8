"""Browsers other than Chromium, as a thumb and an eye have them.

Safari's engine is driven by WebDriver, with selenium. Firefox is driven by Marionette, its own
protocol: Debian has no geckodriver, and what Mozilla publishes for Python brings eighteen packages
for what a few lines say. https://firefox-source-docs.mozilla.org/testing/marionette/
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, Protocol
from warnings import catch_warnings, simplefilter

from tests.programs import Safari, find_firefox, find_webkit

SIZE = {"width": 400, "height": 800}
PATIENCE = 60  # seconds: nothing is measured by it
LOOK = 2000  # ms that a page is watched at a time
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the name that WebDriver gives to them

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


class Left(Exception):
    """The page went while it was watched."""


class Engine(Protocol):
    """What a browser does for whoever drives it."""

    def open(self, address: str) -> None: ...
    def back(self) -> None: ...
    def reload(self) -> None: ...
    def watch(self, script: str, *args: object) -> Any: ...
    def tap(self, element: Any) -> None: ...
    def type(self, element: Any, text: str) -> None: ...


class Phone:
    """A phone's browser: what is on its page is waited for, and then touched."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def open(self, address: str) -> None:
        """Go to an address."""
        self.engine.open(address)
        self.until("return true")

    def back(self) -> None:
        """Press the browser's Back."""
        self.engine.back()

    def reload(self) -> None:
        """Load the page once more."""
        self.engine.reload()

    def until(self, script: str, *args: object) -> Any:
        """Wait until a script finds something on a page that is there as a whole, and return it."""
        end = monotonic() + PATIENCE
        went = "it was there"
        while monotonic() < end:
            try:
                found = self.engine.watch(_WATCH % (LOOK, _READY + script), *args)
            except Left as problem:
                went = str(problem)
                continue
            if found is not None:
                return found
        raise AssertionError(f"{script} {args}: not on this page ({went}):\n{self.text()}")

    def text(self) -> str:
        """What the page says, for whoever has to see what went wrong."""
        says = "return `${location}\\n${document.body.innerText}`"
        return str(self.engine.watch(_WATCH % (0, says)))

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
                return self.engine.tap(self.there(css, text))
            except Left:  # replaced just now
                continue

    def type(self, css: str, text: str) -> None:
        """Type into a field, in the place of what it has."""
        self.there(css)
        field = self.until("const one = find(args[0], ''); one.select(); return one;", css)
        self.engine.type(field, text)

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


# -- Safari's engine -------------------------------------------------------------------------------


class WebKit:
    """A browser around Safari's engine."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        driver.set_window_rect(x=0, y=0, **SIZE)
        driver.set_script_timeout(PATIENCE)

    def open(self, address: str) -> None:
        self.driver.get(address)

    def back(self) -> None:
        self.driver.back()

    def reload(self) -> None:
        self.driver.refresh()

    def watch(self, script: str, *args: object) -> Any:
        with self._may_go():
            return self.driver.execute_async_script(script, *args)

    def tap(self, element: Any) -> None:
        with self._may_go():
            element.click()

    @contextmanager
    def _may_go(self) -> Iterator[None]:
        from selenium.common import exceptions as wrong

        try:
            yield
        except (
            wrong.JavascriptException,
            wrong.NoSuchFrameException,  # so it says that another page was loaded
            wrong.StaleElementReferenceException,
        ) as gone:
            raise Left(gone.msg) from gone

    def type(self, element: Any, text: str) -> None:
        element.send_keys(text)


@contextmanager
def webkit(folder: Path) -> Iterator[Engine]:
    """Safari's engine on a screen that nobody sees."""
    from selenium.webdriver import WebKitGTK
    from selenium.webdriver.webkitgtk.options import Options
    from selenium.webdriver.webkitgtk.service import Service

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
            yield WebKit(driver)
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


# -- Firefox ---------------------------------------------------------------------------------------


_GONE = ("javascript error", "no such element", "stale element reference")


class Firefox:
    """Firefox, over a connection on which each message is its length, a colon, and JSON."""

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self.stream = line.makefile("rb")
        self.asked = 0
        self._receive()  # who it is
        self.ask("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {}}})
        self.ask("WebDriver:SetTimeouts", {"script": PATIENCE * 1000})
        self.ask("WebDriver:SetWindowRect", SIZE)

    def ask(self, command: str, parameters: dict[str, Any] | None = None) -> Any:
        """Ask for one thing and return the answer. Raises Left if the page went meanwhile."""
        self.asked += 1
        message = json.dumps([0, self.asked, command, parameters or {}]).encode()
        self.line.sendall(b"%d:%s" % (len(message), message))
        _, number, wrong, answer = self._receive()
        assert number == self.asked
        if wrong and wrong["error"] in _GONE:
            raise Left(wrong["message"])
        assert wrong is None, wrong
        return answer["value"] if isinstance(answer, dict) and "value" in answer else answer

    def _receive(self) -> Any:
        length = b"".join(iter(lambda: self.stream.read(1), b":"))
        return json.loads(self.stream.read(int(length)))

    def open(self, address: str) -> None:
        self.ask("WebDriver:Navigate", {"url": address})

    def back(self) -> None:
        self.ask("WebDriver:Back")

    def reload(self) -> None:
        self.ask("WebDriver:Refresh")

    def watch(self, script: str, *args: object) -> Any:
        asked = {"script": script, "args": [*args], "sandbox": None}
        return self.ask("WebDriver:ExecuteAsyncScript", asked)

    def tap(self, element: Any) -> None:
        self.ask("WebDriver:ElementClick", {"id": element[ELEMENT]})

    def type(self, element: Any, text: str) -> None:
        self.ask("WebDriver:ElementSendKeys", {"id": element[ELEMENT], "text": text})


# It says where it listens; it asks nobody on the network for anything; and it is a new one.
_PREFERENCES = {
    "app.update.enabled": False,
    "browser.dom.window.dump.enabled": True,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "marionette.port": 0,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "remote.log.level": "Info",
    "services.settings.server": "data:,",
    "toolkit.telemetry.enabled": False,
}


@contextmanager
def firefox(folder: Path) -> Iterator[Engine]:
    """Firefox without a window, with a profile in a folder."""
    program = find_firefox()
    assert program is not None
    lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in _PREFERENCES.items()]
    (folder / "user.js").write_text("\n".join(lines), encoding="utf-8")
    command = [program, "--headless", "--no-remote", "--marionette", "--profile", str(folder)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"HOME": str(folder)},
    ) as process:
        assert process.stdout is not None
        try:
            said = next(line for line in process.stdout if "Listening on port" in line)
            with socket.create_connection(("127.0.0.1", int(said.split()[-1])), PATIENCE) as line:
                browser = Firefox(line)
                yield browser
                browser.stream.close()
        finally:
            process.terminate()


ENGINES = {"webkit": webkit, "firefox": firefox}
