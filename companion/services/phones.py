"""The phones that keep a notebook: listed, called, taken off the book, recovered when lost."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from companion.services.books import NotFound
from companion.services.games import game_line
from companion.store import (
    ALPHABET,
    Database,
    MarkerRecord,
    add_marker,
    call_marker,
    digest,
    game_of_marker,
    marker,
    marker_seen,
    markers_of,
    notebook_to_recover,
    now_in,
    recovery_made_at,
    revoke_marker,
    set_recovery,
    was_revoked,
)

RECOVERY_LENGTH: Final = 20
LONGEST_NICKNAME: Final = 30

# What is read for something else on paper, and never stands in a code itself.
_LOOKS_LIKE: Final = str.maketrans({"o": "0", "i": "1", "l": "1", "u": "v"})


class LastPhone(Exception):
    """Nobody would be left who keeps the notebook, and nothing to recover it with."""


class NotRecovered(Exception):
    """No notebook has this recovery code."""


@dataclass(frozen=True, slots=True)
class Phone:
    """A phone that keeps the notebook, as its markers see it."""

    handle: str
    """What addresses it; it is no secret, as a marker's id is."""
    nickname: str
    label: str
    since: datetime
    seen: datetime
    game_id: str | None
    game: str
    """What the only game is called that it keeps; empty if it keeps all of them."""
    here: bool
    """Whether it is the one that asks."""

    @property
    def name(self) -> str:
        """Its nickname, or what it runs on."""
        return self.nickname or self.label


def handle_of(marker_id: str) -> str:
    """What addresses a marker without giving its id away."""
    return digest(f"phone {marker_id}")[:16]


def phones(db: Database, asking: MarkerRecord) -> list[Phone]:
    """The phones that keep the notebook, the oldest first. Only a marker of all of it may ask."""
    with db.read() as session:
        found = markers_of(session, asking.notebook_id)
        titles = {
            one.game_id: game_line(game).name
            for one in found
            if one.game_id and (game := game_of_marker(session, one.game_id, one.id))
        }
    return [
        Phone(
            handle_of(one.id),
            one.nickname or "",
            one.label,
            one.created_at,
            one.seen_at or one.created_at,
            one.game_id,
            titles.get(one.game_id or "", ""),
            one.id == asking.id,
        )
        for one in found
    ]


def call(db: Database, asking: MarkerRecord, handle: str, nickname: str) -> None:
    """Give a phone of the notebook a nickname; an empty one takes it away.

    Raises `NotFound` if the notebook has no such phone.
    """
    with db.write(asking.notebook_id) as session:
        one = _of_handle(markers_of(session, asking.notebook_id), handle)
        call_marker(session, one.id, " ".join(nickname.split())[:LONGEST_NICKNAME] or None)


def revoke(db: Database, asking: MarkerRecord, handle: str) -> MarkerRecord:
    """Take a phone off the book, at once; the marker that it was.

    Raises `NotFound` if the notebook has no such phone, and `LastPhone` if none would be left that
    keeps all of it and no recovery code was made.
    """
    with db.write(asking.notebook_id) as session:
        found = markers_of(session, asking.notebook_id)
        one = _of_handle(found, handle)
        left = [other for other in found if other.game_id is None and other.id != one.id]
        if not left and recovery_made_at(session, asking.notebook_id) is None:
            raise LastPhone
        revoke_marker(session, one.id, now_in(session))
    return one


def known_again(db: Database, marker_ids: Sequence[str]) -> list[MarkerRecord]:
    """Those of the markers that were not revoked."""
    with db.read() as session:
        found = [marker(session, one) for one in marker_ids]
    return [one for one in found if one is not None]


def is_revoked(db: Database, marker_id: str) -> bool:
    """Whether there was such a marker, who was taken off the book."""
    with db.read() as session:
        return was_revoked(session, marker_id)


def seen(db: Database, marker_id: str) -> None:
    """Note that a marker asked for something. Raises DatabaseProblem if somebody else writes."""
    with db.write(marker_id, wait=False) as session:
        marker_seen(session, marker_id, now_in(session))


# -- lost -----------------------------------------------------------------------------------------


def recovery_made(db: Database, asking: MarkerRecord) -> datetime | None:
    """When the notebook's recovery code was made; None if it has none yet."""
    with db.read() as session:
        return recovery_made_at(session, asking.notebook_id)


def new_recovery_code(db: Database, asking: MarkerRecord) -> str:
    """A recovery code for the notebook, in groups of four; the one before is good no more.

    Nothing but its digest is kept, so it can be shown this once.
    """
    code = "".join(secrets.choice(ALPHABET) for _ in range(RECOVERY_LENGTH))
    with db.write(asking.notebook_id) as session:
        set_recovery(session, asking.notebook_id, digest(code), now_in(session))
    return "-".join(code[at : at + 4] for at in range(0, RECOVERY_LENGTH, 4))


def recover(db: Database, code: str, label: str) -> MarkerRecord:
    """A new marker of the notebook whose recovery code somebody typed. Raises `NotRecovered`.

    The code stays good: an answer that is lost on its way must not lose the notebook.
    """
    with db.write() as session:
        notebook_id = notebook_to_recover(session, digest(as_meant(code)))
        if notebook_id is None:
            raise NotRecovered
        return add_marker(session, notebook_id, label, now_in(session))


def as_meant(code: str) -> str:
    """A recovery code as it was written down: without spaces and dashes, whatever the case.

    The letters that are not in it are the digits that they look like.
    """
    plain = unicodedata.normalize("NFKC", code).casefold()
    return "".join(sign for sign in plain if sign.isalnum()).translate(_LOOKS_LIKE)


def _of_handle(found: Sequence[MarkerRecord], handle: str) -> MarkerRecord:
    for one in found:
        if handle_of(one.id) == handle:
            return one
    raise NotFound("phone")
