"""The Flask application: its parts, its daily backups, and the headers of every answer."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from flask import Flask, Response, abort, request, session
from flask_compress import Compress
from werkzeug.middleware.proxy_fix import ProxyFix

from companion.services.backups import back_up_daily, finish_restore
from companion.store import Database
from companion.store.installation import ROOT, Installation, make_folder
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
from companion.web.config import from_environment, read_keys
from companion.web.rulings import ask, verdict

YEAR = 365 * 24 * 60 * 60
# Seconds between two checks for today's backup.
BACKUP_CHECK_EVERY = 600.0

# Modules: the notebook's pages, a game's, rulings; then offline use, monitoring and errors.
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
    # Not no-referrer: over HTTPS the CSRF check needs the Referer.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

# The most bytes of a form, and of an import. The largest form, the end of a hand with every card of
# every player, needs a twentieth of `MAX_FORM`.
MAX_FORM: Final = 256 * 1024
MAX_IMPORT: Final = 3_000_000


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
        instance_path=str(Installation.from_environment(os.environ).folder.absolute()),
    )
    app.config.from_mapping(
        SESSION_COOKIE_NAME="companion",
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=YEAR,
        SEND_FILE_MAX_AGE_DEFAULT=YEAR,
        # A phone that lay on the table for hours must still be able to save.
        WTF_CSRF_TIME_LIMIT=None,
        # The most threads that wait for the database: half of a worker's. The others show pages.
        DATABASE_QUEUE=4,
        MAX_CONTENT_LENGTH=MAX_FORM,
        MAX_FORM_MEMORY_SIZE=MAX_FORM,
        MAX_FORM_PARTS=2000,
        COMPRESS_ALGORITHM=["br", "gzip"],
        # Only the highest level finds that a page with ten packs of cards repeats one pack.
        COMPRESS_LEVEL=9,
    )
    app.config.from_mapping(from_environment())
    app.config.from_mapping(config or {})
    installation = Installation.in_folder(Path(app.instance_path), app.config["DATABASE_URL"])
    finish_restore(installation)
    read_keys(app)
    if app.config["DATABASE_URL"] is None:  # with both keys in the environment, it is not made yet
        make_folder(installation.folder)
    installation.keep_private()
    database = Database(installation.url, queue=app.config["DATABASE_QUEUE"])
    database.migrate()
    app.extensions["companion_database"] = database
    app.extensions["companion_installation"] = installation
    make_daily_backups(app, installation)
    monitoring.init_app(app)  # first, so that it measures all the rest
    app.before_request(_limit_size)  # before the CSRF check reads the form
    app.after_request(_add_headers)
    auth.init_app(app)
    Compress(app)
    templating.init_app(app)
    if proxies := app.config["TRUST_PROXY"]:
        # Not X-Forwarded-Host: a proxy that does not set it passes on what the client claims.
        # The proxy has to pass on Host instead.
        wsgi = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=proxies, x_host=0)
        app.wsgi_app = wsgi  # type: ignore[method-assign]
    blueprints = dict.fromkeys(part.bp for part in PARTS)  # several modules may share one
    for blueprint in (*blueprints, hand.table, people.seasons_bp):
        app.register_blueprint(blueprint)
    return app


def _limit_size() -> None:
    # Browsers send the length. A request without one would be cut at the limit, unnoticed.
    if "Transfer-Encoding" in request.headers and request.content_length is None:
        abort(411)
    if request.endpoint == "games.import_game" and "marker" in session:
        request.max_content_length = MAX_IMPORT


def _add_headers(response: Response) -> Response:
    response.headers.extend(HEADERS)
    if request.endpoint != "static" or response.status_code >= 400:
        response.headers["Cache-Control"] = "no-store"
    return response


def make_daily_backups(app: Flask, installation: Installation) -> None:
    """Make the daily backups in a thread of each process, which starts with the first request.

    Not before: a server that makes the application and then forks its workers would lose the
    thread. `DAILY_BACKUPS` false switches backups off.
    """
    if not app.config["DAILY_BACKUPS"]:
        return
    stop, lock = threading.Event(), threading.Lock()

    def back_up() -> None:
        trouble = back_up_daily(installation, datetime.now(UTC))
        while not stop.wait(BACKUP_CHECK_EVERY):
            trouble = back_up_daily(installation, datetime.now(UTC), trouble)

    def start_once() -> None:
        # Never released: only one of the first requests starts the thread.
        if lock.acquire(blocking=False):
            threading.Thread(target=back_up, name="daily backup", daemon=True).start()

    app.extensions["companion_daily"] = stop
    app.before_request(start_once)
