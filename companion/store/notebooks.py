"""Notebooks and their markers: who may write, and where."""

from datetime import datetime

from sqlalchemy import bindparam, delete, func, or_, select
from sqlmodel import Session

from companion.store.database import require_write
from companion.store.keys import can_be_kept, random_key
from companion.store.records import MarkerRecord, RecoveryRecord
from companion.store.tables import HANDOVER, MARKER, NOTEBOOK, in_utc

_COLUMNS = tuple(MARKER.c[name] for name in MarkerRecord.__slots__)
_MARKER = select(*_COLUMNS).where(
    MARKER.c.id == bindparam("marker_id"), MARKER.c.revoked_at.is_(None)
)
_MARKERS = (
    select(*_COLUMNS)
    .where(MARKER.c.notebook_id == bindparam("notebook_id"), MARKER.c.revoked_at.is_(None))
    .order_by(MARKER.c.created_at, MARKER.c.id)
)
_REVOKED = select(MARKER.c.id).where(
    MARKER.c.id == bindparam("marker_id"), MARKER.c.revoked_at.is_not(None)
)
_LABELS = select(MARKER.c.id, func.coalesce(MARKER.c.nickname, MARKER.c.label)).where(
    MARKER.c.notebook_id == bindparam("notebook_id")
)
_RECOVERED = select(NOTEBOOK.c.id).where(NOTEBOOK.c.recovery_digest == bindparam("digest"))
_RECOVERY = select(NOTEBOOK.c.recovery_made_at, NOTEBOOK.c.recovery_marker_id).where(
    NOTEBOOK.c.id == bindparam("notebook_id"), NOTEBOOK.c.recovery_digest.is_not(None)
)


def open_notebook(session: Session, label: str, at: datetime) -> MarkerRecord:
    """A new notebook and its first marker, who is called `label`.

    Must be called inside Database.write(). Raises ValueError if the time is naive.
    """
    require_write(session)
    connection = session.connection()
    created_at = in_utc(at)
    notebook_id = random_key()
    connection.execute(NOTEBOOK.insert(), {"id": notebook_id, "created_at": created_at})
    return add_marker(session, notebook_id, label, at)


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
        random_key(), notebook_id, label, in_utc(at), nickname=nickname, game_id=game_id
    )
    session.connection().execute(
        MARKER.insert(), {name: getattr(added, name) for name in MarkerRecord.__slots__}
    )
    return added


def marker(session: Session, marker_id: str) -> MarkerRecord | None:
    """The marker with this id, unless revoked."""
    if not can_be_kept(marker_id):
        return None
    row = session.connection().execute(_MARKER, {"marker_id": marker_id}).first()
    return None if row is None else MarkerRecord(*row)


def markers_of(session: Session, notebook_id: str) -> list[MarkerRecord]:
    """The markers of a notebook that were not revoked, the oldest first."""
    found = session.connection().execute(_MARKERS, {"notebook_id": notebook_id}).all()
    return [MarkerRecord(*row) for row in found]


def was_revoked(session: Session, marker_id: str) -> bool:
    """Whether there was a marker with this id, who was revoked."""
    if not can_be_kept(marker_id):
        return False
    return session.connection().execute(_REVOKED, {"marker_id": marker_id}).first() is not None


def marker_labels(session: Session, notebook_id: str) -> dict[str, str]:
    """What the markers of a notebook are called, by id, the revoked ones too."""
    found = session.connection().execute(_LABELS, {"notebook_id": notebook_id}).all()
    return {marker_id: called for marker_id, called in found}  # noqa: C416  # rows, not pairs


def call_marker(session: Session, marker_id: str, nickname: str | None) -> None:
    """Give a marker another nickname, or none. Must be called inside Database.write()."""
    require_write(session)
    session.connection().execute(
        MARKER.update().where(MARKER.c.id == marker_id), {"nickname": nickname}
    )


def marker_seen(session: Session, marker_id: str, at: datetime) -> None:
    """Note when a marker asked for something.

    Must be called inside Database.write(). Raises ValueError if the time is naive.
    """
    require_write(session)
    session.connection().execute(
        MARKER.update().where(MARKER.c.id == marker_id), {"seen_at": in_utc(at)}
    )


def revoke_marker(session: Session, marker_id: str, at: datetime) -> None:
    """From now on this marker finds nothing, and the codes that it made make nobody a marker.

    Its handover codes go, and the recovery code if it made that. If nobody knows who made the
    recovery code, it goes with any marker of the whole notebook. What it wrote stays. Nothing
    happens if it is unknown.

    Must be called inside Database.write(). Raises ValueError if the time is naive.
    """
    require_write(session)
    session.connection().execute(
        MARKER.update().where(MARKER.c.id == marker_id, MARKER.c.revoked_at.is_(None)),
        {"revoked_at": in_utc(at)},
    )
    session.connection().execute(
        delete(HANDOVER).where(HANDOVER.c.by_marker_id == marker_id, HANDOVER.c.taken_by.is_(None))
    )
    of_all = select(MARKER.c.notebook_id).where(
        MARKER.c.id == marker_id, MARKER.c.game_id.is_(None)
    )
    session.connection().execute(
        NOTEBOOK.update().where(
            NOTEBOOK.c.id == of_all.scalar_subquery(),
            or_(
                NOTEBOOK.c.recovery_marker_id == marker_id,
                NOTEBOOK.c.recovery_marker_id.is_(None),
            ),
        ),
        {"recovery_digest": None, "recovery_made_at": None, "recovery_marker_id": None},
    )


def recovery_of(session: Session, notebook_id: str) -> RecoveryRecord | None:
    """When the recovery code of a notebook was made, and by whom; None if it has none."""
    row = session.connection().execute(_RECOVERY, {"notebook_id": notebook_id}).first()
    return None if row is None else RecoveryRecord(*row)


def set_recovery(session: Session, marker: MarkerRecord, digest: str, at: datetime) -> None:
    """Replace the recovery code of a marker's notebook; only its digest is kept.

    Must be called inside Database.write(). Raises ValueError if the time is naive.
    """
    require_write(session)
    session.connection().execute(
        NOTEBOOK.update().where(NOTEBOOK.c.id == marker.notebook_id),
        {
            "recovery_digest": digest,
            "recovery_made_at": in_utc(at),
            "recovery_marker_id": marker.id,
        },
    )


def notebook_to_recover(session: Session, digest: str) -> str | None:
    """The id of the notebook whose recovery code has this digest."""
    found: str | None = session.connection().execute(_RECOVERED, {"digest": digest}).scalar()
    return found
