"""Notebooks, their markers, and the codes that make another browser a marker."""

from datetime import datetime, timedelta

from sqlmodel import Session, col, delete, or_, select, update

from companion.store.database import require_write
from companion.store.keys import can_be_kept, random_key
from companion.store.models import (
    HandoverRecord,
    MarkerRecord,
    NotebookRow,
    RecoveryRecord,
    in_utc,
)

# So long after its time a code that was taken can still tell its taker so.
KEPT_FOR = timedelta(days=1)


def open_notebook(session: Session, label: str, at: datetime) -> MarkerRecord:
    """A new notebook and its first marker, who is called `label`.

    Must be called inside Database.write(). Raises ValueError if the time is naive.
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
    """Another marker of a notebook, or of one of its games alone.

    Must be called inside Database.write(). Raises ValueError if the time is naive.
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
    """The marker with this id, unless revoked."""
    found = _marker(session, marker_id)
    return None if found is None or found.revoked_at is not None else found


def was_revoked(session: Session, marker_id: str) -> bool:
    """Whether there was a marker with this id, who was revoked."""
    found = _marker(session, marker_id)
    return found is not None and found.revoked_at is not None


def _marker(session: Session, marker_id: str) -> MarkerRecord | None:
    return session.get(MarkerRecord, marker_id) if can_be_kept(marker_id) else None


def markers_of(session: Session, notebook_id: str) -> list[MarkerRecord]:
    """The markers of a notebook that were not revoked, the oldest first."""
    return [
        *session.exec(
            select(MarkerRecord)
            .where(MarkerRecord.notebook_id == notebook_id, col(MarkerRecord.revoked_at).is_(None))
            .order_by(col(MarkerRecord.created_at), MarkerRecord.id)
        )
    ]


def marker_labels(session: Session, notebook_id: str) -> dict[str, str]:
    """What the markers of a notebook are called, by id, the revoked ones too."""
    found = session.exec(select(MarkerRecord).where(MarkerRecord.notebook_id == notebook_id))
    return {one.id: one.name for one in found}


def call_marker(session: Session, marker_id: str, nickname: str | None) -> None:
    """Give a marker another nickname, or none. Must be called inside Database.write()."""
    require_write(session)
    if found := _marker(session, marker_id):
        found.nickname = nickname
        session.flush()


def marker_seen(session: Session, marker_id: str, at: datetime) -> None:
    """Note when a marker asked for something.

    Must be called inside Database.write(). Raises ValueError if the time is naive.
    """
    require_write(session)
    if found := _marker(session, marker_id):
        found.seen_at = in_utc(at)
        session.flush()


def revoke_marker(session: Session, marker_id: str, at: datetime) -> None:
    """From now on this marker finds nothing, and the codes that it made make nobody a marker.

    Its handover codes go, and the recovery code if it made that. If nobody knows who made the
    recovery code, it goes with any marker of the whole notebook. What it wrote stays. Nothing
    happens if it is unknown.

    Must be called inside Database.write(). Raises ValueError if the time is naive.
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


def recovery_of(session: Session, notebook_id: str) -> RecoveryRecord | None:
    """When the recovery code of a notebook was made, and by whom; None if it has none."""
    notebook = session.get(NotebookRow, notebook_id)
    if notebook is None or notebook.recovery_digest is None or notebook.recovery_made_at is None:
        return None
    return RecoveryRecord(notebook.recovery_made_at, notebook.recovery_marker_id)


def set_recovery(session: Session, marker: MarkerRecord, digest: str, at: datetime) -> None:
    """Replace the recovery code of a marker's notebook; only its digest is kept.

    Must be called inside Database.write(). Raises ValueError if the time is naive.
    """
    require_write(session)
    notebook = session.get_one(NotebookRow, marker.notebook_id)
    notebook.recovery_digest = digest
    notebook.recovery_made_at = in_utc(at)
    notebook.recovery_marker_id = marker.id
    session.flush()


def notebook_to_recover(session: Session, digest: str) -> str | None:
    """The id of the notebook whose recovery code has this digest."""
    return session.exec(
        select(NotebookRow.id).where(NotebookRow.recovery_digest == digest)
    ).one_or_none()


def put_handover(session: Session, handover: HandoverRecord, at: datetime) -> None:
    """Keep a code; what its marker gave away before and nobody took is worth nothing any more.

    Must be called inside Database.write(). Raises ValueError if the time is naive.
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


def handover_by_link(session: Session, digest: str, at: datetime) -> HandoverRecord | None:
    """The code whose link has this digest, taken or not, unless its time is over."""
    return session.exec(
        select(HandoverRecord).where(
            HandoverRecord.link_digest == digest, HandoverRecord.expires_at > at
        )
    ).first()


def handover_by_code(session: Session, digest: str, at: datetime) -> HandoverRecord | None:
    """The code whose digits have this digest, taken or not, unless its time is over."""
    return session.exec(
        select(HandoverRecord).where(
            HandoverRecord.code_digest == digest, HandoverRecord.expires_at > at
        )
    ).first()


def count_wrong_digits(session: Session, at: datetime) -> None:
    """Note on every code that can be taken that somebody tried digits which are none of theirs.

    Must be called inside Database.write().
    """
    require_write(session)
    session.exec(
        update(HandoverRecord)
        .where(col(HandoverRecord.taken_by).is_(None), col(HandoverRecord.expires_at) > in_utc(at))
        .values(wrong_digits=HandoverRecord.wrong_digits + 1)
    )


def take_handover(session: Session, link_digest: str, marker_id: str, taker_digest: str) -> bool:
    """Note who took a code; False if somebody has taken it before.

    Must be called inside Database.write().
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
