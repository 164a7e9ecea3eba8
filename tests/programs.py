"""Programs of other people that tests need: where they are, and how to get them."""

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

# The first is the same without windows, which take a third of the processor's time.
_BROWSERS = (
    *("chromium-headless-shell", "chromium", "chromium-browser"),
    *("google-chrome", "google-chrome-stable"),
)


def find_chromium() -> str | None:
    """Return the path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


class Safari(NamedTuple):
    """The programs that drive Safari's engine: its driver, a browser, and a screen for that."""

    driver: str
    browser: str
    screen: str


def find_webkit() -> Safari | None:
    """Return the programs for Safari's engine, or None where one of them is missing."""
    driver, screen = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
    # Debian puts the browser beside its library, by architecture and version.
    browser = max(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"), default=None)
    return Safari(driver, str(browser), screen) if driver and screen and browser else None


def find_postgres() -> Path | None:
    """Return the folder of PostgreSQL's programs, the newest that Debian has, or None."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    programs = Path("/usr/lib/postgresql").glob("*/bin/initdb")  # Debian puts none on the path
    versions = {int(file.parent.parent.name): file.parent for file in programs}
    return versions[max(versions)] if versions else None


def find_nginx() -> str | None:
    """Return the path of nginx, or None."""
    return shutil.which("nginx") or shutil.which("/usr/sbin/nginx")


# What finds the programs for tests with this mark, and what is said where there are none.
MISSING: Final[Mapping[str, tuple[Callable[[], object], str]]] = {
    "browser": (find_chromium, NO_CHROMIUM),
    "webkit": (find_webkit, NO_WEBKIT),
    "nginx": (find_nginx, NO_NGINX),
    "postgresql": (find_postgres, NO_POSTGRES),
}
