"""Static files, with their version in their address so that a phone need never ask again."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from flask import Flask, Response, abort, send_from_directory, url_for

FOLDER = Path(__file__).resolve().parents[2] / "static"
YEAR = 365 * 24 * 60 * 60


@lru_cache(maxsize=1)
def version() -> str:
    """A short text that changes when any static file does."""
    digest = hashlib.sha256()
    for path in sorted(FOLDER.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(FOLDER).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def asset(name: str) -> str:
    """The address of a static file, its version in it."""
    return url_for("static", version=version(), filename=name)


def send(version: str, filename: str) -> Response:
    """A static file; another version's address gives today's file, but is not to be kept."""
    fresh = version == globals()["version"]()
    response = send_from_directory(FOLDER, filename, max_age=YEAR if fresh else 0)
    # Read as a whole, since what is handed on piece by piece is never compressed with gzip.
    response.direct_passthrough = False
    whole = response.get_data()
    response.set_data(without_comments(whole) if filename.endswith(".js") else whole)
    if fresh:
        response.cache_control.immutable = True
    return response


def without_comments(script: bytes) -> bytes:
    """A script without the lines that only say something to its readers."""
    lines = script.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.lstrip().startswith(b"//"))


def init_app(app: Flask) -> None:
    """Serve the files and give the templates ``asset(name)``."""
    app.add_url_rule("/static/<version>/<path:filename>", "static", send)
    app.add_url_rule("/favicon.ico", "favicon", lambda: abort(404))
    app.jinja_env.globals["asset"] = asset
