"""Notebooks and their markers: who may write, and where."""

from datetime import datetime

from sqlalchemy import bindparam, select
from sqlmodel import Session

from companion.store.database import require_write
from companion.store.keys import random_key
from companion.store.records import MarkerRecord
from companion.store.tables import MARKER, NOTEBOOK, in_utc

_MARKER = select(*(MARKER.c[name] for name in MarkerRecord.__slots__)).where(
    MARKER.c.id == bindparam("marker_id"), MARKER.c.revoked_at.is_(None)
)

_LABELS = select(MARKER.c.id, MARKER.c.label).where(
    MARKER.c.notebook_id == bindparam("notebook_id")
)


def open_notebook(session: Session, label: str, at: datetime) -> MarkerRecord:
    """A new notebook and its first marker, who is called `label`.

    Must be called inside Database.write(). Raises ValueError if the time is naive.
    """
    require_write(session)
    connection = session.connection()
    opened = MarkerRecord(random_key(), random_key(), label, in_utc(at), None)
    connection.execute(
        NOTEBOOK.insert(), {"id": opened.notebook_id, "created_at": opened.created_at}
    )
    connection.execute(
        MARKER.insert(),
        {
            "id": opened.id,
            "notebook_id": opened.notebook_id,
            "label": opened.label,
            "created_at": opened.created_at,
        },
    )
    return opened


def marker(session: Session, marker_id: str) -> MarkerRecord | None:
    """The marker with this id, unless revoked."""
    if not marker_id.isascii():
        return None
    row = session.connection().execute(_MARKER, {"marker_id": marker_id}).first()
    return None if row is None else MarkerRecord(*row)


def marker_labels(session: Session, notebook_id: str) -> dict[str, str]:
    """What the markers of a notebook are called, by id, the revoked ones too."""
    found = session.connection().execute(_LABELS, {"notebook_id": notebook_id}).all()
    return {row.id: row.label for row in found}


def revoke_marker(session: Session, marker_id: str, at: datetime) -> None:
    """From now on this marker finds nothing. What it wrote stays. Nothing happens if unknown.

    Must be called inside Database.write(). Raises ValueError if the time is naive.
    """
    require_write(session)
    session.connection().execute(
        MARKER.update().where(MARKER.c.id == marker_id, MARKER.c.revoked_at.is_(None)),
        {"revoked_at": in_utc(at)},
    )
