"""The Flask application: its configuration, keys and parts, and the headers of every answer.

The secret and the house key come from the environment or from files, and are read at the start.
What a former secret signed stays valid, so a new one sends nobody away from a table.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from flask import Flask, Response, abort, request, session
from flask_compress import Compress
from werkzeug.middleware.proxy_fix import ProxyFix

from companion.services.backups import back_up_daily, finish_restore
from companion.store import Database
from companion.store.installation import ROOT, Installation, kept_keys
from companion.web import (
    auth,
    disputes,
    errors,
    games,
    hand,
    monitoring,
    offline,
    pages,
    penalties,
    people,
    phones,
    rules,
    save_hand,
    setup,
    sheet,
    tally,
    templating,
    viewers,
)
from companion.web.rulings import ask, verdict

YEAR = 365 * 24 * 60 * 60
# How often to look whether today's backup is made, in seconds.
LOOKS_EVERY = 600.0

# Pages of a notebook, of a game, and of rulings; what phones do without a network, and the server.
PARTS = (
    *(auth, phones, games, setup, people, pages),
    *(hand, save_hand, penalties, sheet, tally, rules, viewers),
    *(ask, verdict, disputes),
    *(offline, monitoring, errors),
)

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    # Not no-referrer: over HTTPS the form protection looks at where a form came from.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

# How much a request may send. The fullest form, the end of a hand with every card of every player,
# is a twentieth of this.
FORM: Final = 256 * 1024
SAVED_GAME: Final = 3_000_000


def create_app(config: Mapping[str, object] | None = None) -> Flask:
    """Return the application, with its database open and up to date.

    ``config`` overrides the environment (`from_environment`). Raises `Misconfigured` for a wrong
    setting, `DatabaseProblem`, and ``OSError`` if the instance folder cannot be used.
    """
    app = Flask(
        "companion",
        root_path=str(ROOT),
        template_folder=str(ROOT / "templates"),
        static_folder=None,
        instance_path=str(Installation.told_by(os.environ).folder.absolute()),
    )
    app.config.from_mapping(
        SESSION_COOKIE_NAME="companion",
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=YEAR,
        SEND_FILE_MAX_AGE_DEFAULT=YEAR,
        # A phone that lay on the table for hours must still be able to save.
        WTF_CSRF_TIME_LIMIT=None,
        # Half of the threads of a server or a worker: the others go on showing pages.
        DATABASE_QUEUE=4,
        MAX_CONTENT_LENGTH=FORM,
        MAX_FORM_MEMORY_SIZE=FORM,
        MAX_FORM_PARTS=2000,
        COMPRESS_ALGORITHM=["br", "gzip"],
        # Only the highest level finds that a page with ten packs of cards repeats one pack.
        COMPRESS_LEVEL=9,
        TRUST_PROXY=0,
        LOG="text",
        METRICS_TOKEN=None,
    )
    app.config.from_mapping(from_environment(os.environ))
    app.config.from_mapping(config or {})
    installation = Installation.in_folder(Path(app.instance_path), app.config["DATABASE_URL"])
    finish_restore(installation)
    read_keys(app)
    installation.keep_private()
    database = Database(installation.url, queue=app.config["DATABASE_QUEUE"])
    database.migrate()
    app.extensions["companion_database"] = database
    app.extensions["companion_installation"] = installation
    make_daily_backups(app, installation)
    monitoring.init_app(app)  # what it measures begins before anything else
    app.before_request(_limit_size)  # before the forms are read for their tokens
    app.after_request(_protect)
    auth.init_app(app)
    Compress(app)
    templating.init_app(app)
    if proxies := app.config["TRUST_PROXY"]:
        # Not the host: a proxy that does not set X-Forwarded-Host passes on what the client claims.
        # It has to pass on Host instead.
        wsgi = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=proxies, x_host=0)
        app.wsgi_app = wsgi  # type: ignore[method-assign]
    of_parts = dict.fromkeys(part.bp for part in PARTS)  # one may have several modules
    for blueprint in (*of_parts, hand.table, people.seasons_bp):
        app.register_blueprint(blueprint)
    return app


def _limit_size() -> None:
    # Browsers tell the length. Without it a request would be cut at the limit and taken for whole.
    if "Transfer-Encoding" in request.headers and request.content_length is None:
        abort(411)
    if request.endpoint == "games.import_game" and "marker" in session:
        request.max_content_length = SAVED_GAME


def _protect(response: Response) -> Response:
    response.headers.extend(HEADERS)
    if request.endpoint != "static" or response.status_code >= 400:
        response.headers["Cache-Control"] = "no-store"
    return response


def make_daily_backups(app: Flask, installation: Installation) -> None:
    """Make the daily backups in a thread of each process, which starts with the first request.

    Not before: a server that forks its workers after it made the application would lose the
    thread. `DAILY_BACKUPS` false switches it off.
    """
    if not app.config["DAILY_BACKUPS"]:
        return
    stop, begun = threading.Event(), threading.Lock()

    def look() -> None:
        trouble = back_up_daily(installation, datetime.now(UTC))
        while not stop.wait(LOOKS_EVERY):
            trouble = back_up_daily(installation, datetime.now(UTC), trouble)

    def begin() -> None:
        # Never released: only one of the first requests starts the thread.
        if begun.acquire(blocking=False):
            threading.Thread(target=look, name="daily backup", daemon=True).start()

    app.extensions["companion_daily"] = stop
    app.before_request(begin)


# -- the configuration ----------------------------------------------------------------------------

# Visible characters, but no comma, which separates secrets.
_SECRET: Final = r"[!-+\--~]{32,}"  # noqa: S105 (a pattern)
_HOST: Final = r"(\.?[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])"

# How many former secrets stay: with a new one each month, a cookie is good for its year.
FORMER: Final = 12


class Misconfigured(ValueError):
    """A setting that cannot be used. The message says what to do."""


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _several(pattern: str) -> str:
    return rf"{pattern}(\s*,\s*{pattern})*[\s,]*"


# Settings by name: the pattern of the text, the same in words, and what reads it.
_SETTINGS: Final[Mapping[str, tuple[str, str, Callable[[str], object]]]] = {
    "SECRET_KEY": (_SECRET, "must be at least 32 visible ASCII characters, without a comma", str),
    "SECRET_KEY_FALLBACKS": (
        _several(_SECRET),
        "must be secrets of at least 32 visible ASCII characters each, with commas between them",
        lambda text: _parts(text)[::-1],  # here the newest comes first, and for Flask last
    ),
    "HOUSE_KEY": (
        r"[A-Za-z0-9_-]{16,}",
        "goes into an address: at least 16 letters, digits, - or _",
        str,
    ),
    "TRUST_PROXY": ("[0-9]", "is how many proxies are in front, 0 to 9: mostly 1", int),
    "HOSTS": (_several(_HOST), "is a list of host names with commas, without https://", _parts),
    "LOG": ("text|json", "is json or text", str),
    "METRICS_TOKEN": (r"[!-+\--~]{16,}", "must be at least 16 visible ASCII characters", str),
}


def from_environment(environ: Mapping[str, str]) -> dict[str, object]:
    """Return the configuration that the environment gives. An empty variable counts as not set.

    Raises `Misconfigured`, which never repeats a value: it may be a secret.
    """
    found: dict[str, object] = {
        "DATABASE_URL": environ.get("COMPANION_DATABASE_URL") or None,
        "SESSION_COOKIE_SECURE": environ.get("COMPANION_HTTPS") == "1",
        "DAILY_BACKUPS": environ.get("COMPANION_DAILY_BACKUPS") != "off",
        "RATE_LIMITS": environ.get("COMPANION_RATE_LIMITS") != "off",
    }
    for name, (pattern, says, read) in _SETTINGS.items():
        text = environ.get(f"COMPANION_{name}", "").strip()
        if text and not re.fullmatch(pattern, text):
            raise Misconfigured(f"COMPANION_{name} {says}.")
        if text:
            found["TRUSTED_HOSTS" if name == "HOSTS" else name] = read(text)
    if "SECRET_KEY_FALLBACKS" in found and "SECRET_KEY" not in found:
        raise Misconfigured(
            "COMPANION_SECRET_KEY_FALLBACKS goes with COMPANION_SECRET_KEY: set that too."
        )
    return found


def public_address(config: Mapping[str, Any]) -> str | None:
    """Return the pages' address, ``https://scores.example``, if the configuration names a host."""
    for host in config["TRUSTED_HOSTS"] or ():
        if not host.startswith("."):  # which would mean all hosts below it
            return f"{'https' if config['SESSION_COOKIE_SECURE'] else 'http'}://{host}"
    return None


def read_keys(app: Flask) -> None:
    """Read the keys that are not configured from the instance folder, or make them there.

    Raises ``OSError``.
    """
    config = app.config
    secrets, house = Installation.in_folder(Path(app.instance_path)).key_files
    if config.get("SECRET_KEY") is None:
        config["SECRET_KEY"], *config["SECRET_KEY_FALLBACKS"] = kept_keys(secrets)
    if config.get("HOUSE_KEY") is None:
        config["HOUSE_KEY"] = kept_keys(house)[0]
    # Flask's fallbacks are for cookies, but forms need them, too. The last one signs.
    former = config.get("SECRET_KEY_FALLBACKS") or []
    config["WTF_CSRF_SECRET_KEY"] = [*former, config["SECRET_KEY"]]
