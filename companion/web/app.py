"""The Flask application: configuration, its parts, and how each answer leaves the house."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from flask import Flask
from flask_compress import Compress
from flask_wtf.csrf import CSRFProtect

from companion.store import Database
from companion.store.installation import Installation
from companion.store.replacing import finish_restore
from companion.web import (
    assets,
    contracts,
    end,
    errors,
    games,
    hand,
    handing_on,
    house,
    joining,
    penalties,
    phones,
    rules,
    rulings,
    security,
    settings,
    sheet,
    table,
    tally,
    upcards,
    viewers,
    words,
)

ROOT = Path(__file__).resolve().parents[2]
YEAR = 365 * 24 * 60 * 60

PARTS = (
    house,
    phones,
    handing_on,
    joining,
    games,
    hand,
    penalties,
    rulings,
    upcards,
    contracts,
    table,
    end,
    sheet,
    tally,
    rules,
    settings,
    viewers,
)


def create_app(config: Mapping[str, object] | None = None) -> Flask:
    """The application, its database opened and brought up to date.

    ``config`` overrides what the environment says (``COMPANION_INSTANCE``,
    ``COMPANION_DATABASE_URL``). Raises `companion.store.DatabaseProblem` if the database cannot
    be used.
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
        SESSION_COOKIE_SECURE=os.environ.get("COMPANION_HTTPS") == "1",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=YEAR,
        # A phone that lay on the table for hours must still be able to save.
        WTF_CSRF_TIME_LIMIT=None,
        MAX_CONTENT_LENGTH=3_000_000,
        MAX_FORM_PARTS=2000,
        COMPRESS_ALGORITHM=["br", "gzip"],
        COMPRESS_BR_LEVEL=4,
        COMPRESS_LEVEL=6,
        RATE_LIMITS=os.environ.get("COMPANION_RATE_LIMITS") != "off",
        DATABASE_URL=os.environ.get("COMPANION_DATABASE_URL"),
    )
    app.config.from_mapping(config or {})
    installation = Installation.in_folder(Path(app.instance_path), app.config["DATABASE_URL"])
    finish_restore(installation)
    house.keep_keys(app)
    database = Database(installation.url)
    database.migrate()
    app.extensions["companion_database"] = database
    CSRFProtect(app)
    Compress(app)
    app.jinja_options = {"autoescape": True}
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    for part in (assets, security, errors, words):
        part.init_app(app)
    for part in PARTS:
        app.register_blueprint(part.bp)
    return app
