"""The companion as an app on a phone's home screen: its manifest and its service worker."""

from __future__ import annotations

import json

from flask import Blueprint, Response, url_for

from companion.web.assets import FOLDER, asset, version, without_comments

bp = Blueprint("installed", __name__)

_ICONS = (
    ("icons/icon-192.png", "192x192", "any"),
    ("icons/icon-512.png", "512x512", "any"),
    ("icons/maskable-512.png", "512x512", "maskable"),
)
# What pages load; icons are not kept.
_LOADED = (".css", ".js", ".svg")


@bp.get("/manifest.webmanifest")
def manifest() -> Response:
    """What the app is called, how it looks and where it starts."""
    home = url_for("games.home")
    said = {
        "id": home,
        "name": "Rummy companion",
        "short_name": "Rummy",
        "description": "Keeps the score and settles the disputes of rummy games with real cards",
        "start_url": home,
        "scope": home,
        "display": "standalone",
        "background_color": "#0f4430",
        "theme_color": "#0f4430",
        "icons": [
            {"src": asset(name), "sizes": sizes, "type": "image/png", "purpose": purpose}
            for name, sizes, purpose in _ICONS
        ],
    }
    return Response(json.dumps(said), content_type="application/manifest+json")


@bp.get("/sw.js")
def worker() -> Response:
    """The service worker, which begins with the version of the static files and their addresses.

    So it changes whenever one of them does. It is served at the root, because it may only answer
    for addresses below its own.
    """
    files = [
        asset(path.relative_to(FOLDER).as_posix())
        for path in sorted(FOLDER.rglob("*"))
        if path.suffix in _LOADED and path.name != "sw.js"
    ]
    begins = f"const version = {json.dumps(version())};\nconst files = {json.dumps(files)};\n"
    text = begins + without_comments((FOLDER / "sw.js").read_bytes()).decode()
    return Response(text, content_type="text/javascript; charset=utf-8")
