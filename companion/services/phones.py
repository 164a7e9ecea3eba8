"""The phones that keep a notebook: listed, called, revoked, recovered when lost."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from sqlmodel import Session

from companion.notebook.names import check_nickname
from companion.services.game_log import NotFound
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
    recovery_of,
    revoke_marker,
    set_recovery,
    was_revoked,
)

RECOVERY_LENGTH: Final = 20

# What is read for something else on paper, and never stands in a code itself.
_LOOKS_LIKE: Final = str.maketrans({"o": "0", "i": "1", "l": "1", "u": "v"})


class LastPhone(Exception):
    """Nobody would be left who keeps the notebook, and nothing to recover it with.

    The recovery code is nothing then: it goes with the phone that made it.
    """


class AnotherCode(Exception):
    """The notebook's recovery code is another one than the one that was to be replaced."""


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
    has_code: bool
    """Whether the notebook's recovery code goes with it, when it is revoked."""

    @property
    def name(self) -> str:
        """Its nickname, or what it runs on."""
        return self.nickname or self.label


class RecoveryCode(NamedTuple):
    """What is known of a notebook's recovery code."""

    made_at: datetime
    by: str
    """What the phone is called that made it; empty if nobody knows."""
    here: bool
    """Whether that is the one that asks."""

    @property
    def mark(self) -> str:
        """What tells it from the codes before and after it; no secret."""
        return self.made_at.isoformat()


class TakenOff(NamedTuple):
    """What became of a phone that was revoked."""

    marker: MarkerRecord
    code_made_at: datetime | None
    """When the recovery code was made that is void now; None if none is."""


def handle_of(marker_id: str) -> str:
    """What addresses a marker without giving its id away."""
    return digest(f"phone {marker_id}")[:16]


def phones(db: Database, asking: MarkerRecord) -> list[Phone]:
    """The phones that keep the notebook, the oldest first. Only a marker of all of it may ask."""
    with db.read() as session:
        found = markers_of(session, asking.notebook_id)
        code = recovery_of(session, asking.notebook_id)
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
            code is not None and one.game_id is None and code.marker_id in (None, one.id),
        )
        for one in found
    ]


def call(db: Database, asking: MarkerRecord, handle: str, nickname: str) -> None:
    """Give a phone of the notebook a nickname; an empty one takes it away.

    Raises `NotFound` if the notebook has no such phone, and `NotPossible` if none can be called so.
    """
    called = as_nickname(nickname)
    with db.write(asking.notebook_id) as session:
        one = _of_handle(_markers(session, asking), handle)
        call_marker(session, one.id, called)


def as_nickname(text: str) -> str | None:
    """What a phone is to be called; None for nothing. Raises `NotPossible`."""
    called = " ".join(text.split())
    if called:
        check_nickname(called)
    return called or None


def revoke(db: Database, asking: MarkerRecord, handle: str) -> TakenOff:
    """Revoke a phone, at once, and with it the recovery code that it made.

    Raises `NotFound` if the notebook has no such phone, and `LastPhone` if none would be left that
    keeps all of it.
    """
    with db.write(asking.notebook_id) as session:
        found = _markers(session, asking)
        one = _of_handle(found, handle)
        if not any(other.game_id is None and other.id != one.id for other in found):
            raise LastPhone
        code = recovery_of(session, asking.notebook_id)
        revoke_marker(session, one.id, now_in(session))
        is_void = code is not None and recovery_of(session, asking.notebook_id) is None
    return TakenOff(one, code.made_at if code and is_void else None)


def known_again(db: Database, marker_ids: Sequence[str]) -> list[MarkerRecord]:
    """Those of the markers that were not revoked."""
    with db.read() as session:
        found = [marker(session, one) for one in marker_ids]
    return [one for one in found if one is not None]


def is_revoked(db: Database, marker_id: str) -> bool:
    """Whether there was such a marker, who was revoked."""
    with db.read() as session:
        return was_revoked(session, marker_id)


def seen(db: Database, marker_id: str) -> None:
    """Note that a marker asked for something. Raises DatabaseProblem if somebody else writes."""
    with db.write(marker_id, wait=False) as session:
        marker_seen(session, marker_id, now_in(session))


# -- lost -----------------------------------------------------------------------------------------


def recovery_code(db: Database, asking: MarkerRecord) -> RecoveryCode | None:
    """What is known of the notebook's recovery code; None if it has none."""
    with db.read() as session:
        return _recovery_code(session, asking)


def _recovery_code(session: Session, asking: MarkerRecord) -> RecoveryCode | None:
    known = recovery_of(session, asking.notebook_id)
    if known is None:
        return None
    maker = marker(session, known.marker_id) if known.marker_id else None
    return RecoveryCode(known.made_at, maker.name if maker else "", known.marker_id == asking.id)


def new_recovery_code(db: Database, asking: MarkerRecord, replaces: str = "") -> str:
    """A recovery code for the notebook, in groups of four; the one before is good no more.

    Nothing but its digest is kept, so it can be shown this once. ``replaces`` is the mark of the
    code before, empty for none: raises `AnotherCode` if that is not the one that there is, so that
    nobody's paper becomes worthless unsaid. Raises `NotFound` if the marker is none any more.
    """
    code = "".join(secrets.choice(ALPHABET) for _ in range(RECOVERY_LENGTH))
    with db.write(asking.notebook_id) as session:
        _markers(session, asking)
        known = _recovery_code(session, asking)
        if (known.mark if known else "") != replaces:
            raise AnotherCode
        set_recovery(session, asking, digest(code), now_in(session))
    return "-".join(code[at : at + 4] for at in range(0, RECOVERY_LENGTH, 4))


def recover(db: Database, code: str, label: str) -> MarkerRecord:
    """A new marker of the notebook whose recovery code somebody typed. Raises `NotRecovered`.

    The code stays good: an answer that is lost on its way must not lose the notebook.
    """
    wanted = digest(as_meant(code))
    with db.read() as session:  # nobody who saves waits for a wrong code
        _recovered(session, wanted)
    with db.write() as session:
        return add_marker(session, _recovered(session, wanted), label, now_in(session))


def _recovered(session: Session, code_digest: str) -> str:
    notebook_id = notebook_to_recover(session, code_digest)
    if notebook_id is None:
        raise NotRecovered
    return notebook_id


def as_meant(code: str) -> str:
    """A recovery code as it was written down: without spaces and dashes, whatever the case.

    The letters that are not in it are the digits that they look like.
    """
    plain = unicodedata.normalize("NFKC", code).casefold()
    return "".join(sign for sign in plain if sign.isalnum()).translate(_LOOKS_LIKE)


def _markers(session: Session, asking: MarkerRecord) -> list[MarkerRecord]:
    """The markers of the notebook. Raises `NotFound` if the one that asks is one no more."""
    found = markers_of(session, asking.notebook_id)
    if asking.id not in {one.id for one in found}:
        raise NotFound("phone")
    return found


def _of_handle(found: Sequence[MarkerRecord], handle: str) -> MarkerRecord:
    for one in found:
        if handle_of(one.id) == handle:
            return one
    raise NotFound("phone")
