"""Codes that hand a notebook, or one game of it, on to another browser."""

from datetime import datetime, timedelta

from sqlalchemy import bindparam, delete, or_, select
from sqlmodel import Session

from companion.store.database import require_write
from companion.store.records import HandoverRecord
from companion.store.tables import HANDOVER, in_utc

# So long after its time a code that was taken can still tell its taker so.
KEPT_FOR = timedelta(days=1)

_COLUMNS = tuple(HANDOVER.c[name] for name in HandoverRecord.__slots__)
_CAN_BE_TAKEN = (HANDOVER.c.taken_by.is_(None), HANDOVER.c.expires_at > bindparam("at"))
_BY_LINK = select(*_COLUMNS).where(
    HANDOVER.c.link_digest == bindparam("digest"), HANDOVER.c.expires_at > bindparam("at")
)
_BY_CODE = select(*_COLUMNS).where(
    HANDOVER.c.code_digest == bindparam("digest"), HANDOVER.c.expires_at > bindparam("at")
)


def put_handover(session: Session, handover: HandoverRecord, at: datetime) -> None:
    """Keep a code; what its marker gave away before and nobody took is worth nothing any more.

    Must be called inside Database.write(). Raises ValueError if the time is naive.
    """
    require_write(session)
    connection = session.connection()
    connection.execute(
        delete(HANDOVER).where(
            or_(
                (HANDOVER.c.by_marker_id == handover.by_marker_id) & HANDOVER.c.taken_by.is_(None),
                HANDOVER.c.expires_at < in_utc(at) - KEPT_FOR,
            )
        )
    )
    connection.execute(
        HANDOVER.insert(), {name: getattr(handover, name) for name in HandoverRecord.__slots__}
    )


def handover_by_link(session: Session, digest: str, at: datetime) -> HandoverRecord | None:
    """The code whose link has this digest, taken or not, unless its time is over."""
    row = session.connection().execute(_BY_LINK, {"digest": digest, "at": at}).first()
    return None if row is None else HandoverRecord(*row)


def handover_by_code(session: Session, digest: str, at: datetime) -> HandoverRecord | None:
    """The code whose digits have this digest, taken or not, unless its time is over."""
    row = session.connection().execute(_BY_CODE, {"digest": digest, "at": at}).first()
    return None if row is None else HandoverRecord(*row)


def count_wrong_digits(session: Session, at: datetime) -> None:
    """Note on every code that can be taken that somebody tried digits which are none of theirs.

    Must be called inside Database.write().
    """
    require_write(session)
    session.connection().execute(
        HANDOVER.update().where(*_CAN_BE_TAKEN).values(wrong_digits=HANDOVER.c.wrong_digits + 1),
        {"at": in_utc(at)},
    )


def take_handover(session: Session, link_digest: str, marker_id: str, taker_digest: str) -> bool:
    """Note who took a code; False if somebody has taken it before.

    Must be called inside Database.write().
    """
    require_write(session)
    taken = session.connection().execute(
        HANDOVER.update()
        .where(HANDOVER.c.link_digest == link_digest, HANDOVER.c.taken_by.is_(None))
        .values(taken_by=marker_id, taker_digest=taker_digest)
    )
    return taken.rowcount == 1
