"""Notebooks, their markers, and the codes that make another browser a marker."""

from datetime import datetime, timedelta

from sqlmodel import Session, col, delete, or_, select, update

from companion.store.database import require_write
from companion.store.keys import can_be_kept, random_key
from companion.store.models import (
    HandoverRecord,
    MarkerRecord,
    NotebookRow,
    in_utc,
)

# How long after it expires a code is still stored, to answer the phone that took it.
KEPT_FOR = timedelta(days=1)


def open_notebook(session: Session, label: str, at: datetime) -> MarkerRecord:
    """Make a notebook, and return its first marker, who is called `label`.

    Call it inside Database.write(). Raises ValueError if the time is naive.
    """
    require_write(session)
    notebook = NotebookRow(id=random_key(), created_at=in_utc(at))
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
    """Add a marker to a notebook, or to one of its games alone, and return it.

    Call it inside Database.write(). Raises ValueError if the time is naive.
    """
    require_write(session)
    added = MarkerRecord(
        id=random_key(),
        notebook_id=notebook_id,
        label=label,
        created_at=in_utc(at),
        nickname=nickname,
        game_id=game_id,
    )
    session.add(added)
    session.flush()
    return added


def marker(session: Session, marker_id: str) -> MarkerRecord | None:
    """Return the marker with this id, None if it is unknown or was revoked."""
    found = _marker(session, marker_id)
    return None if found is None or found.revoked_at is not None else found


def was_revoked(session: Session, marker_id: str) -> bool:
    """True if the marker with this id was revoked."""
    found = _marker(session, marker_id)
    return found is not None and found.revoked_at is not None


def _marker(session: Session, marker_id: str) -> MarkerRecord | None:
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
    found = session.exec(select(MarkerRecord).where(MarkerRecord.notebook_id == notebook_id))
    return {one.id: one.name for one in found}


def revoke_marker(session: Session, marker_id: str, at: datetime) -> None:
    """Revoke a marker and the codes that it made. What it wrote stays.

    Deletes its transfer codes, and the recovery code if it made that. A recovery code whose maker
    is unknown goes with any marker of the whole notebook. Does nothing if the marker is unknown.

    Call it inside Database.write(). Raises ValueError if the time is naive.
    """
    require_write(session)
    found = marker(session, marker_id)
    if found is None:
        return
    found.revoked_at = in_utc(at)
    session.exec(
        delete(HandoverRecord).where(
            col(HandoverRecord.by_marker_id) == marker_id, col(HandoverRecord.taken_by).is_(None)
        )
    )
    notebook = session.get_one(NotebookRow, found.notebook_id)
    if found.game_id is None and notebook.recovery_marker_id in (None, marker_id):
        notebook.recovery_digest = notebook.recovery_made_at = notebook.recovery_marker_id = None
    session.flush()


def notebook_to_recover(session: Session, digest: str) -> str | None:
    """Return the id of the notebook whose recovery code has this digest, if any."""
    return session.exec(
        select(NotebookRow.id).where(NotebookRow.recovery_digest == digest)
    ).one_or_none()


def put_handover(session: Session, handover: HandoverRecord, at: datetime) -> None:
    """Store a transfer code, and delete the marker's earlier ones that nobody took.

    Call it inside Database.write(). Raises ValueError if the time is naive.
    """
    require_write(session)
    of_this_marker = col(HandoverRecord.by_marker_id) == handover.by_marker_id
    session.exec(
        delete(HandoverRecord).where(
            or_(
                of_this_marker & col(HandoverRecord.taken_by).is_(None),
                col(HandoverRecord.expires_at) < in_utc(at) - KEPT_FOR,
            )
        )
    )
    session.add(handover)
    session.flush()


def handover(session: Session, digest: str, at: datetime) -> HandoverRecord | None:
    """Return the code whose link or digits have this digest, taken or not, if still valid."""
    form = or_(HandoverRecord.link_digest == digest, HandoverRecord.code_digest == digest)
    return session.exec(select(HandoverRecord).where(form, HandoverRecord.expires_at > at)).first()


def count_wrong_digits(session: Session, at: datetime) -> None:
    """Count a try of wrong digits on every code that can be taken.

    Call it inside Database.write().
    """
    require_write(session)
    session.exec(
        update(HandoverRecord)
        .where(col(HandoverRecord.taken_by).is_(None), col(HandoverRecord.expires_at) > in_utc(at))
        .values(wrong_digits=HandoverRecord.wrong_digits + 1)
    )


def take_handover(session: Session, link_digest: str, marker_id: str, taker_digest: str) -> bool:
    """Store who took a code; return False if another phone took it before.

    Call it inside Database.write().
    """
    require_write(session)
    taken = session.exec(
        update(HandoverRecord)
        .where(
            col(HandoverRecord.link_digest) == link_digest, col(HandoverRecord.taken_by).is_(None)
        )
        .values(taken_by=marker_id, taker_digest=taker_digest)
    )
    return taken.rowcount == 1
