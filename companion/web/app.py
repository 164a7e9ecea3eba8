"""The Flask application: configuration, its parts, and how each answer leaves the house."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from flask import Flask
from flask_compress import Compress
from flask_wtf.csrf import CSRFProtect

from companion.store import Database
from companion.store.backup_file import finish_restore
from companion.store.installation import Installation
from companion.web import (
    again,
    assets,
    bounds,
    contracts,
    daily,
    end,
    endings,
    errors,
    games,
    hand,
    house,
    monitoring,
    offline,
    penalties,
    phones,
    rules,
    security,
    settings,
    setup,
    sheet,
    table,
    tally,
    templating,
    turned,
    viewers,
)
from companion.web.config import from_environment, read_keys, trust_proxies
from companion.web.rulings import ask, may_i

ROOT = Path(__file__).resolve().parents[2]
YEAR = 365 * 24 * 60 * 60

PARTS = (
    house,
    phones,
    games,
    again,
    hand,
    turned,
    penalties,
    ask,
    may_i,
    contracts,
    table,
    end,
    sheet,
    tally,
    rules,
    settings,
    setup,
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
        instance_path=os.environ.get("COMPANION_INSTANCE", str(ROOT / "instance")),
    )
    app.config.from_mapping(
        SESSION_COOKIE_NAME="companion",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=YEAR,
        # A phone that lay on the table for hours must still be able to save.
        WTF_CSRF_TIME_LIMIT=None,
        # Half of the threads of a server or a worker: the others go on showing pages.
        DATABASE_QUEUE=4,
        MAX_CONTENT_LENGTH=bounds.FORM,
        MAX_FORM_MEMORY_SIZE=bounds.FORM,
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
    daily.init_app(app, installation)
    for first in (monitoring, bounds):  # what they measure and bound begins before the forms
        first.init_app(app)
    CSRFProtect(app)
    Compress(app)
    app.jinja_options = {"autoescape": True}
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    for part in (assets, security, errors, templating, endings):
        part.init_app(app)
    trust_proxies(app)
    for part in PARTS:
        app.register_blueprint(part.bp)
    return app
