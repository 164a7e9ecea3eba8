"""The Flask application: configuration, its parts, and how each answer leaves the house."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from flask import Flask
from flask_compress import Compress

from companion.services.backups import Daily, finish_restore
from companion.store import Database
from companion.store.installation import ROOT, Installation
from companion.web import (
    auth,
    end,
    errors,
    games,
    hand,
    monitoring,
    offline,
    penalties,
    people,
    phones,
    rules,
    seasons,
    security,
    settings,
    setup,
    sheet,
    table,
    tally,
    templating,
    viewers,
)
from companion.web.config import from_environment, read_keys, trust_proxies
from companion.web.rulings import ask, upcards, verdict

YEAR = 365 * 24 * 60 * 60
# Between two looks for the backup of the day, in seconds.
LOOKS_EVERY = 600.0

PARTS = (
    auth,
    phones,
    games,
    hand,
    penalties,
    ask,
    verdict,
    upcards,
    table,
    end,
    sheet,
    tally,
    rules,
    settings,
    setup,
    people,
    seasons,
    viewers,
    offline,
    monitoring,
)


def create_app(config: Mapping[str, object] | None = None) -> Flask:
    """The application, its database opened and brought up to date.

    ``config`` overrides what the environment says (`companion.web.config`). Raises
    `Misconfigured` if that cannot be, `companion.store.DatabaseProblem` if the database cannot be
    used, and ``OSError`` if the instance folder cannot.
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
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=YEAR,
        # A phone that lay on the table for hours must still be able to save.
        WTF_CSRF_TIME_LIMIT=None,
        WTF_I18N_ENABLED=False,  # no sentence of WTForms is shown, so its catalogues are not read
        # Half of the threads of a server or a worker: the others go on showing pages.
        DATABASE_QUEUE=4,
        MAX_CONTENT_LENGTH=security.FORM,
        MAX_FORM_MEMORY_SIZE=security.FORM,
        MAX_FORM_PARTS=2000,
        COMPRESS_ALGORITHM=["br", "gzip"],
        COMPRESS_BR_LEVEL=4,
        # Of a page with ten packs of cards the highest level finds what repeats a pack further up.
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
    security.init_app(app)
    Compress(app)
    for part in (errors, templating):
        part.init_app(app)
    trust_proxies(app)
    for blueprint in dict.fromkeys(part.bp for part in PARTS):  # one may have several modules
        app.register_blueprint(blueprint)
    return app


def make_daily_backups(app: Flask, installation: Installation) -> None:
    """Look for the backup of the day from the first request on, in one thread of each process.

    Not before: a server that forks its workers after it made the application would lose the
    thread. `DAILY_BACKUPS` false switches it off.
    """
    if not app.config.get("DAILY_BACKUPS", True):
        return
    daily = Daily(installation)
    started_in = 0
    stop = threading.Event()

    def look() -> None:
        while True:
            daily.make_if_missing(datetime.now(UTC))
            if stop.wait(LOOKS_EVERY):
                return

    def begin() -> None:
        nonlocal started_in
        if started_in != os.getpid():
            started_in = os.getpid()
            threading.Thread(target=look, name="daily backup", daemon=True).start()

    app.extensions["companion_daily"] = stop
    app.before_request(begin)
