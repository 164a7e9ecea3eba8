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
