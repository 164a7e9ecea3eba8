"""What a browser runs on, in words, so that people can tell who wrote what."""

from __future__ import annotations

# The first word that a User-Agent contains decides: a tablet with Android names Android as well,
# and every browser claims to be several others.
_KINDS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("CrOS", "Chromebook"),
    ("Windows", "Windows computer"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux computer"),
)


# What opens a link that was sent, to show what is behind it, before any person does.
_PREVIEWS = ("bot", "facebookexternalhit", "whatsapp", "preview", "embed", "snapchat", "skype")


def is_preview(user_agent: str) -> bool:
    """Whether a User-Agent header is that of a program which draws previews, if it says so."""
    lower = user_agent.lower()
    return any(mark in lower for mark in _PREVIEWS)


def device(user_agent: str) -> str:
    """The kind of device that a User-Agent header names: ``Android phone``, ``iPad``, ``Mac`` …

    An iPad that asks for desktop pages says that it is a Mac, and is believed.
    """
    if "Android" in user_agent:
        return "Android phone" if "Mobile" in user_agent else "Android tablet"
    for mark, words in _KINDS:
        if mark in user_agent:
            return words
    return "Unknown device"
