"""Forms sent without being filled in by hand, to come quickly to where a test begins."""

import re
from collections.abc import Sequence
from html import unescape
from urllib.parse import urlencode

from playwright.sync_api import Page

HIDDEN = re.compile(r'<input type="hidden" name="(csrf_token|key|base)" value="([^"]*)"')


def send(page: Page, form: str, fields: Sequence[tuple[str, str]], to: str = "") -> str:
    """Send a page's form with these fields, to its own address unless told; where that leads."""
    shown = page.request.get(form).text()
    hidden: dict[str, str] = {}
    for name, value in HIDDEN.findall(shown, shown.index("<main")):
        hidden.setdefault(name, unescape(value))
    answer = page.request.post(
        to or form,
        data=urlencode([*hidden.items(), *fields]),
        headers={"Content-Type": "application/x-www-form-urlencoded", "Referer": form},
    )
    assert answer.ok, answer.text()
    return answer.url


def listed(name: str, texts: str) -> list[tuple[str, str]]:
    """A field that is there several times: card texts, or seats, with spaces between them."""
    return [(name, text) for text in texts.split()]
