"""Programs of other people that tests need: browsers, PostgreSQL and nginx, and where they are."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

NO_CHROMIUM = (
    "NO CHROMIUM WAS FOUND: get it with `apt-get install chromium` (or name one in "
    "COMPANION_CHROMIUM); without it the browser tests cannot run."
)

NO_POSTGRES = (
    "NO POSTGRESQL WAS FOUND: get it with `apt-get install postgresql` (or name the folder of its "
    "programs in COMPANION_POSTGRES); without it no test runs on PostgreSQL."
)

NO_NGINX = (
    "NO NGINX WAS FOUND: get it with `apt-get install nginx` (or name one in COMPANION_NGINX); "
    "without it nothing is tried behind a proxy."
)

NO_WEBKIT = (
    "SAFARI'S ENGINE WAS NOT FOUND: get it with `apt-get install webkit2gtk-driver xvfb`; without "
    "it nothing is tried in it."
)

NO_FIREFOX = (
    "NO FIREFOX WAS FOUND: get it with `apt-get install firefox-esr`; without it nothing is tried "
    "in it."
)

# The first is the same without windows, which take a third of the processor's time.
_BROWSERS = (
    *("chromium-headless-shell", "chromium", "chromium-browser"),
    *("google-chrome", "google-chrome-stable"),
)

# Debian puts Safari's engine beside its library, by architecture and version.
_WEBKIT = "*/webkit2gtk-4.*/MiniBrowser"

_POSTGRES = ("initdb", "postgres")


def find_chromium(environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the path of a Chromium: what COMPANION_CHROMIUM names, if it is set, or none."""
    named = environ.get("COMPANION_CHROMIUM")
    if named:
        return shutil.which(named)
    paths = (shutil.which(name, path=environ.get("PATH")) for name in _BROWSERS)
    return next((path for path in paths if path), None)


def is_required(what: str, environ: Mapping[str, str] = os.environ) -> bool:
    """True if a missing BROWSER, POSTGRES or NGINX fails the run, as it does in CI."""
    return environ.get("CI") == "true" or environ.get(f"COMPANION_REQUIRE_{what}") == "1"


class Safari(NamedTuple):
    """The programs that drive Safari's engine: its driver, a browser, and a screen for that."""

    driver: str
    browser: str
    screen: str


def find_webkit(
    environ: Mapping[str, str] = os.environ, libraries: Path = Path("/usr/lib")
) -> Safari | None:
    """Return the programs for Safari's engine, or None where one of them is missing."""
    path = environ.get("PATH")
    driver, screen = (shutil.which(name, path=path) for name in ("WebKitWebDriver", "Xvfb"))
    browser = max(libraries.glob(_WEBKIT), default=None)
    return Safari(driver, str(browser), screen) if driver and screen and browser else None


def find_firefox(environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the path of a Firefox, or None."""
    path = environ.get("PATH")
    return shutil.which("firefox-esr", path=path) or shutil.which("firefox", path=path)


def find_postgres(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder of PostgreSQL's programs: COMPANION_POSTGRES if set, or the newest."""
    named = environ.get("COMPANION_POSTGRES")
    if named:
        folders = [Path(named)]
    else:
        on_path = shutil.which("initdb", path=environ.get("PATH"))
        debian = Path("/usr/lib/postgresql").glob("*/bin")  # it puts none of them on the path
        newest = sorted(debian, key=lambda folder: int(folder.parent.name), reverse=True)
        folders = [*([Path(on_path).resolve().parent] if on_path else []), *newest]
    whole = (one for one in folders if all((one / name).is_file() for name in _POSTGRES))
    return next(whole, None)


def find_nginx(environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the path of nginx; what COMPANION_NGINX names, if it is set, or none."""
    named = environ.get("COMPANION_NGINX")
    if named:
        return shutil.which(named)
    # Debian puts it where only root looks for programs.
    return shutil.which("nginx", path=f"{environ.get('PATH', '')}{os.pathsep}/usr/sbin")
