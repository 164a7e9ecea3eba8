"""Programs that tests need: where they are, and how to install them."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

NO_CHROMIUM = (
    "NO CHROMIUM WAS FOUND: get it with `apt-get install chromium`; without it the browser tests "
    "cannot run."
)
NO_POSTGRES = (
    "NO POSTGRESQL WAS FOUND: get it with `apt-get install postgresql`; without it no test runs on "
    "PostgreSQL."
)
NO_NGINX = (
    "NO NGINX WAS FOUND: get it with `apt-get install nginx`; without it nothing is tried behind a "
    "proxy."
)
NO_WEBKIT = (
    "SAFARI'S ENGINE WAS NOT FOUND: get it with `apt-get install webkit2gtk-driver xvfb`; without "
    "it nothing is tried in it."
)

# The first one has no windows, which take a third of the processor time.
_BROWSERS = (
    *("chromium-headless-shell", "chromium", "chromium-browser"),
    *("google-chrome", "google-chrome-stable"),
)


def find_chromium() -> str | None:
    """Return the path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


class Safari(NamedTuple):
    """Programs for Safari's engine: the driver, a browser, and a screen for the browser."""

    driver: str
    browser: str
    screen: str


def find_webkit() -> Safari | None:
    """Return the programs for Safari's engine, or None if one of them is missing."""
    driver, screen = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
    # On Debian the browser is in its library's folder, by architecture and version.
    browser = max(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"), default=None)
    return Safari(driver, str(browser), screen) if driver and screen and browser else None


def find_postgres() -> Path | None:
    """Return the folder of PostgreSQL's programs, of the newest version, or None."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    programs = Path("/usr/lib/postgresql").glob("*/bin/initdb")  # on Debian, not on the path
    versions = {int(file.parent.parent.name): file.parent for file in programs}
    return versions[max(versions)] if versions else None


def find_nginx() -> str | None:
    """Return the path of nginx, or None."""
    return shutil.which("nginx") or shutil.which("/usr/sbin/nginx")


# By a test's mark: the function that finds its programs, and the message if they are missing.
MISSING: Final[Mapping[str, tuple[Callable[[], object], str]]] = {
    "browser": (find_chromium, NO_CHROMIUM),
    "webkit": (find_webkit, NO_WEBKIT),
    "nginx": (find_nginx, NO_NGINX),
    "postgresql": (find_postgres, NO_POSTGRES),
}
