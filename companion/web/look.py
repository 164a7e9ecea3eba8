"""How the pages look in this browser, read from its cookie."""

from __future__ import annotations

from flask import g, request

COOKIE = "look"
YEAR = 365 * 24 * 60 * 60
CHOICES = {
    "theme": ("auto", "light", "dark"),
    "suits": ("two", "four"),
    "text": ("normal", "large"),
}


def settings() -> dict[str, str]:
    """The look that this browser has chosen, each setting with its default."""
    if "look" not in g:
        chosen = request.cookies.get(COOKIE, "").split(".")
        g.look = {
            name: next((one for one in chosen if one in known), known[0])
            for name, known in CHOICES.items()
        }
    look: dict[str, str] = g.look
    return look
