"""Send forms directly, so that a test quickly gets to its starting point."""

from collections.abc import Sequence
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import Page

from tests.browsing import forms

HIDDEN = ("csrf_token", "key", "base", "hand")


def send(page: Page, form: str, fields: Sequence[tuple[str, str]], to: str = "") -> str:
    """Send a page's form with these fields, by default to its address; return the redirect."""
    target = to or form
    shown = forms(page.request.get(form).text(), urlsplit(form).path)[urlsplit(target).path]
    said = {name for name, _ in fields}
    names = [name for name in HIDDEN if name not in said]
    hidden = [(name, value) for name in names for value in shown.get(name, ())]
    answer = page.request.post(
        target,
        data=urlencode([*hidden, *fields]),
        headers={"Content-Type": "application/x-www-form-urlencoded", "Referer": form},
    )
    assert answer.ok, answer.text()
    return answer.url


def listed(name: str, texts: str) -> list[tuple[str, str]]:
    """Return a field with several values, which are separated by spaces in `texts`."""
    return [(name, text) for text in texts.split()]


def by_seat(name: str, texts: Sequence[str], first: int = 0) -> list[tuple[str, str]]:
    """Return the fields of a player each, such as ``cards-1``, with the values in `texts`."""
    seats = enumerate(texts, first)
    return [field for seat, text in seats for field in listed(f"{name}-{seat}", text)]


def import_game(page: Page, server: str, file: str) -> str:
    """Import a game from a saved file's text; return the game's address."""
    form = f"{server}/games/import"
    shown = forms(page.request.get(form).text(), "/games/import")["/games/import"]
    saved = {"name": "game.json", "mimeType": "application/json", "buffer": file.encode()}
    sent = {"csrf_token": shown["csrf_token"][0], "file": saved}
    answer = page.request.post(form, multipart=sent, headers={"Referer": form})
    assert answer.ok, answer.text()
    return answer.url
