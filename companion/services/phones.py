"""The phones that keep a notebook: list, name, revoke and recover them.

A phone is recovered by a recovery code, which its notebook has until there is another.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy.exc import NoResultFound
from sqlmodel import Session, col, select, update

from companion import store
from companion.notebook.events import NotPossible
from companion.notebook.names import LONGEST_NAME, check_text
from companion.services import NotFound
from companion.services.games import game_line
from companion.store import Database, MarkerRecord
from companion.store.models import NotebookRow

RECOVERY_LENGTH: Final = 20

# Letters that are never in a code, and the digits that they are mistaken for.
_LOOKS_LIKE: Final = str.maketrans({"o": "0", "i": "1", "l": "1", "u": "v"})


class WrongCode(NotPossible):
    """No such code is valid. Whoever tries codes may be guessing."""


class Phone(NamedTuple):
    """A phone that keeps the notebook, as its markers see it."""

    marker: MarkerRecord
    game: str
    """The name of the only game that it keeps; empty if it keeps all of them."""
    here: bool
    """True for the phone that asks."""
    has_code: bool
    """True if revoking it also revokes the notebook's recovery code."""

    @property
    def handle(self) -> str:
        """Its id in addresses. It is not secret, unlike the marker's id."""
        return handle_of(self.marker.id)

    @property
    def seen(self) -> datetime:
        """When it last sent a request, or got the notebook."""
        return self.marker.seen_at or self.marker.created_at


class RecoveryCode(NamedTuple):
    """When and by which phone a notebook's recovery code was made."""

    made_at: datetime
    marker_id: str | None
    """The marker that made it, None if unknown."""
    by: str
    """The name of its phone; empty if unknown."""
    here: bool
    """True if that is the phone that asks."""

    @property
    def mark(self) -> str:
        """An id that tells it from other codes. It is not secret."""
        return self.made_at.isoformat()


def handle_of(marker_id: str) -> str:
    """Return an id for a marker's phone that does not give the marker's id away."""
    return store.digest(f"phone {marker_id}")[:16]


def phones(db: Database, asking: MarkerRecord) -> list[Phone]:
    """Return the phones that keep the notebook, oldest first, for a marker of all its games."""
    with db.read() as session:
        found = store.markers_of(session, asking.notebook_id)
        code = _recovery_code(session, asking)
        titles = {
            one.game_id: game_line(game).name
            for one in found
            if one.game_id and (game := store.game_of_marker(session, one.game_id, one.id))
        }
    return [
        Phone(
            one,
            titles.get(one.game_id or "", ""),
            one.id == asking.id,
            code is not None and one.game_id is None and code.marker_id in (None, one.id),
        )
        for one in found
    ]


def call(db: Database, asking: MarkerRecord, handle: str, nickname: str) -> None:
    """Give a phone of the notebook a nickname, or remove it if it is empty.

    Raises `NotFound` if the notebook has no such phone, and `NotPossible` for a bad nickname.
    """
    called = as_nickname(nickname)
    with db.write(asking.notebook_id) as session:
        _of_handle(_markers(session, asking), handle).nickname = called


def as_nickname(text: str) -> str | None:
    """Return a nickname as it is stored, None for an empty one. Raises `NotPossible`."""
    called = " ".join(text.split())
    if called:
        check_text(called, LONGEST_NAME, "nickname")
    return called or None


def revoke(db: Database, asking: MarkerRecord, handle: str) -> tuple[MarkerRecord, datetime | None]:
    """Revoke a phone and the recovery code that it made.

    Returns its marker, and when that code was made, None if there was none. Raises `NotFound` if
    the notebook has no such phone, and `NotPossible` if no phone would be left that keeps the whole
    notebook.
    """
    with db.write(asking.notebook_id) as session:
        found = _markers(session, asking)
        one = _of_handle(found, handle)
        if not any(other.game_id is None and other.id != one.id for other in found):
            raise NotPossible(
                "This is the only phone that keeps the notebook, and nothing could bring it back:"
                " the recovery code stops working when the phone that made it is removed. Transfer"
                " the notebook to another phone first."
            )
        notebook = session.get_one(NotebookRow, asking.notebook_id)
        made_at = notebook.recovery_made_at
        store.revoke_marker(session, one.id, store.now_in(session))
        return one, made_at if notebook.recovery_made_at is None else None


def known_again(db: Database, marker_ids: Sequence[str]) -> list[MarkerRecord]:
    """Return those of the markers that were not revoked."""
    with db.read() as session:
        return [one for id_ in marker_ids if (one := store.marker(session, id_))]


def is_revoked(db: Database, marker_id: str) -> bool:
    """True if a marker was revoked."""
    with db.read() as session:
        found = store.any_marker(session, marker_id)
    return found is not None and found.revoked_at is not None


def seen(db: Database, marker_id: str) -> None:
    """Store that a marker sent a request now. Raises DatabaseProblem if somebody else writes."""
    with db.write(marker_id, wait=False) as session:
        of_this = col(MarkerRecord.id) == marker_id
        session.exec(update(MarkerRecord).where(of_this).values(seen_at=store.now_in(session)))


def recovery_code(db: Database, asking: MarkerRecord) -> RecoveryCode | None:
    """Return what is known of the notebook's recovery code, None if it has none."""
    with db.read() as session:
        return _recovery_code(session, asking)


def _recovery_code(session: Session, asking: MarkerRecord) -> RecoveryCode | None:
    notebook = session.get_one(NotebookRow, asking.notebook_id)
    made_at, made_by = notebook.recovery_made_at, notebook.recovery_marker_id
    if made_at is None:
        return None
    maker = store.marker(session, made_by) if made_by else None
    return RecoveryCode(made_at, made_by, maker.name if maker else "", made_by == asking.id)


def new_recovery_code(db: Database, asking: MarkerRecord, replaces: str = "") -> str:
    """Make a recovery code for the notebook, and return it in groups of four characters.

    The old code stops working. Only a digest is stored, so show the code now. ``replaces`` is the
    mark of the old code, empty for none. Raises `NotPossible` if that is not the notebook's code,
    so that nobody replaces a code unknowingly, and `NotFound` if the marker was revoked.
    """
    code = store.random_code(RECOVERY_LENGTH)
    with db.write(asking.notebook_id) as session:
        _markers(session, asking)
        known = _recovery_code(session, asking)
        if (known.mark if known else "") != replaces:
            raise NotPossible(
                "A new recovery code was made since you opened this page. See where it was made,"
                " then decide."
            )
        notebook = session.get_one(NotebookRow, asking.notebook_id)
        notebook.recovery_digest = store.digest(code)
        notebook.recovery_made_at = store.now_in(session)
        notebook.recovery_marker_id = asking.id
    return "-".join(code[at : at + 4] for at in range(0, RECOVERY_LENGTH, 4))


def recover(db: Database, code: str, label: str) -> MarkerRecord:
    """Add a marker to the notebook with this recovery code. Raises `WrongCode`.

    The code stays valid, because the answer may get lost.
    """
    wanted = store.digest(as_meant(code))
    of_code = select(NotebookRow.id).where(NotebookRow.recovery_digest == wanted)
    try:
        with db.read() as session:  # a wrong code must not make writers wait
            session.exec(of_code).one()
        with db.write() as session:
            notebook_id = session.exec(of_code).one()
            return store.add_marker(session, notebook_id, label, store.now_in(session))
    except NoResultFound:
        raise WrongCode(
            "No notebook has this recovery code. Compare it with the paper, letter by letter. It"
            " stops working when a newer one is made, or when the phone that made it is removed"
            " from the notebook.",
            "code",
        ) from None


def as_meant(code: str) -> str:
    """Return a typed recovery code in lower case, without spaces and dashes.

    Letters that no code has become the digits that they look like.
    """
    plain = unicodedata.normalize("NFKC", code).casefold()
    return "".join(sign for sign in plain if sign.isalnum()).translate(_LOOKS_LIKE)


def _markers(session: Session, asking: MarkerRecord) -> list[MarkerRecord]:
    """Return the notebook's markers. Raises `NotFound` if the one that asks was revoked."""
    found = store.markers_of(session, asking.notebook_id)
    if asking.id not in {one.id for one in found}:
        raise NotFound("phone")
    return found


def _of_handle(found: Sequence[MarkerRecord], handle: str) -> MarkerRecord:
    for one in found:
        if handle_of(one.id) == handle:
            return one
    raise NotFound("phone")
