"""Static files: their addresses change with them, so that phones may cache them for good."""

import gzip
import re
from pathlib import Path

import pytest

from companion.web import templating
from companion.web.templating import asset, without_comments


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of static files that may be changed."""
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "a.css").write_text("a{}")
    monkeypatch.setattr(templating, "FOLDER", folder)
    templating.version.cache_clear()
    yield folder
    templating.version.cache_clear()


def version() -> str:
    """The version of the files as they are now."""
    templating.version.cache_clear()
    return templating.version()


def test_every_file_that_a_page_names_exists_and_may_be_cached(stranger, app):
    addresses = re.findall(r'(?:href|src)="(/static/[^"]+)"', stranger.open("/"))
    assert len(addresses) >= 4
    for address in addresses:
        with stranger.client.get(address) as answer:
            assert answer.status_code == 200
            assert answer.cache_control.immutable
            assert answer.cache_control.max_age == 365 * 24 * 60 * 60
    # Modules import each other by addresses with the version.
    with app.test_request_context():
        address = asset("js/app.js")
    assert re.fullmatch(r"/static/[0-9a-f]{12}/js/app\.js", address)
    with app.test_client().get(address) as answer:
        assert 'from "./' in answer.text


def test_the_version_follows_the_files(folder):
    for change, changes in (
        (lambda: (folder / "a.css").write_text("b{}"), True),
        (lambda: (folder / "b.css").write_text(""), True),
        (lambda: (folder / "a.css").rename(folder / "c.css"), True),
        ((folder / "empty").mkdir, False),
        ((folder / "c.css").touch, False),
    ):
        before = version()
        change()
        assert (version() != before) is changes


def test_another_version_serves_the_current_file_without_caching(stranger):
    with stranger.client.get("/static/000000000000/app.css") as answer:
        assert answer.status_code == 200
        assert not answer.cache_control.immutable
        assert answer.cache_control.max_age == 0
    with stranger.client.head("/static/x/app.css") as answer:
        assert (answer.status_code, answer.data) == (200, b"")


def test_nothing_else_is_served(app, stranger):
    with app.test_request_context():
        start = asset("app.css").removesuffix("app.css")
    ways_out = ("../companion/cli.py", "..%2f..%2fpyproject.toml")
    for name in ("nothing.css", *ways_out, "js", "js/", "%00", "ä" * 300):
        answer = stranger.client.get(start + name)
        assert answer.status_code == 404
        assert answer.headers["Cache-Control"] == "no-store"
    assert stranger.client.get("/favicon.ico").status_code == 404  # pages name another one


def test_files_are_compressed_and_say_what_they_are(stranger):
    headers = {"Accept-Encoding": "gzip"}
    for name, kind in (("app.css", "text/css"), ("js/app.js", "text/javascript")):
        with stranger.client.get(f"/static/x/{name}", headers=headers) as answer:
            assert answer.headers["Content-Encoding"] == "gzip"
            assert answer.mimetype == kind
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            sent, lies_there = gzip.decompress(answer.data), (templating.FOLDER / name).read_bytes()
            assert sent == (without_comments(lies_there) if name.endswith(".js") else lies_there)


def test_scripts_are_sent_without_their_comments_and_are_the_same_otherwise():
    script = b"// Reads.\nlet a = 1; // one\n  // two\nlet b = `//${a}`;\n"
    assert without_comments(script) == b"let a = 1; // one\nlet b = `//${a}`;\n"
