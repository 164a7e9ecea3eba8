"""Notebooks and their markers, and the ids and keys of everything that is stored.

Keys cannot be guessed: they come from the operating system's source of randomness.
"""

import hashlib
import hmac
import secrets
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, delete, select

from companion.store.models import MarkerRecord, NotebookRow, TransferRecord

# Lower-case base32 without i, l, o and u, which people mix up when they copy from paper.
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID_LENGTH = 10


def add_notebook(session: Session, label: str, at: datetime) -> MarkerRecord:
    """Make a notebook, inside Database.write(), and return its first marker, labelled `label`."""
    notebook = NotebookRow(id=random_key(), created_at=at)
    session.add(notebook)
    session.flush()
    return add_marker(session, notebook.id, label, at)


def add_marker(
    session: Session,
    notebook_id: str,
    label: str,
    at: datetime,
    *,
    nickname: str | None = None,
    game_id: str | None = None,
) -> MarkerRecord:
    """Add a marker to a notebook, or only to its game `game_id`, and return the marker.

    Call it inside Database.write().
    """
    record = MarkerRecord(
        id=random_key(),
        notebook_id=notebook_id,
        label=label,
        created_at=at,
        nickname=nickname,
        game_id=game_id,
    )
    session.add(record)
    session.flush()
    return record


def marker(session: Session, marker_id: str) -> MarkerRecord | None:
    """Return the marker with this id, None if it is unknown or was revoked."""
    record = any_marker(session, marker_id)
    return None if record is None or record.revoked_at is not None else record


def any_marker(session: Session, marker_id: str) -> MarkerRecord | None:
    """Return the marker with this id, revoked or not, None if it is unknown."""
    return session.get(MarkerRecord, marker_id) if can_be_kept(marker_id) else None


def markers_of(session: Session, notebook_id: str) -> list[MarkerRecord]:
    """Return the markers of a notebook that were not revoked, the oldest first."""
    return [
        *session.exec(
            select(MarkerRecord)
            .where(MarkerRecord.notebook_id == notebook_id, col(MarkerRecord.revoked_at).is_(None))
            .order_by(col(MarkerRecord.created_at), MarkerRecord.id)
        )
    ]


def marker_labels(session: Session, notebook_id: str) -> dict[str, str]:
    """Return the names of a notebook's markers by id, the revoked ones too."""
    records = session.exec(select(MarkerRecord).where(MarkerRecord.notebook_id == notebook_id))
    return {record.id: record.name for record in records}


def revoke_marker(session: Session, marker_id: str, at: datetime) -> None:
    """Revoke a marker and the codes that it made. Its entries stay.

    Deletes its transfer codes, and the recovery code if it made that; if the maker is unknown, any
    marker of the whole notebook will do. Does nothing for an unknown or revoked marker.

    Call it inside Database.write().
    """
    record = marker(session, marker_id)
    if record is None:
        return
    record.revoked_at = at
    session.exec(
        delete(TransferRecord).where(
            col(TransferRecord.by_marker_id) == marker_id, col(TransferRecord.taken_by).is_(None)
        )
    )
    notebook = session.get_one(NotebookRow, record.notebook_id)
    if record.game_id is None and notebook.recovery_marker_id in (None, marker_id):
        notebook.recovery_digest = notebook.recovery_made_at = notebook.recovery_marker_id = None
    session.flush()


# -- ids and keys ---------------------------------------------------------------------------------


def random_code(length: int) -> str:
    """Return `length` random characters of ALPHABET, of five bits each."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def random_id() -> str:
    """Return a new id of a game, person or season: 50 bits in 10 characters. It is no secret."""
    return random_code(ID_LENGTH)


def next_game_id(game_id: str) -> str:
    """Return the id of the rematch of a game: every phone and server computes the same one.

    So its pages have addresses before it begins, and several phones that begin it make one game.
    """
    octets = hashlib.sha256(f"again after {game_id}".encode()).digest()
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in octets[:ID_LENGTH])


def random_key() -> str:
    """Return 128 random bits as 22 characters that need no quoting in a URL."""
    return secrets.token_urlsafe(16)


def digest(key: str) -> str:
    """Return the SHA-256 of a key as 64 hexadecimal digits. Keys are looked up by their digest.

    How long an index takes to find a value depends on the value. With a digest, that time does not
    show how near a guess was.
    """
    return hashlib.sha256(_octets(key)).hexdigest()


def can_be_kept(key: str) -> bool:
    """True if the database can store an id or key that somebody sent."""
    return key.isascii() and "\0" not in key  # PostgreSQL refuses NUL in text


def viewers_link() -> dict[str, Any]:
    """Return a new viewers' key with its digest, as the columns that hold them."""
    key = random_key()
    return {"viewer_key": key, "viewer_digest": digest(key)}


def same_key(one: str, other: str) -> bool:
    """True if two keys are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(_octets(one), _octets(other))


def _octets(key: str) -> bytes:
    # A key from a URL may hold anything. It must count as wrong and not raise an error.
    return key.encode("utf-8", "surrogatepass")
