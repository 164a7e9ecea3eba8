"""How often something was tried: one moment for each who tries, and nothing else about them.

The moment is when everything that was tried will have been forgiven; each try puts it off. So one
row a client is enough, a row from the past says nothing any more, and one statement both decides
and counts, whatever other processes do meanwhile. Moments are milliseconds since 1970.
"""

from sqlalchemy import bindparam, delete, select, text
from sqlmodel import Session

from companion.store.database import require_write
from companion.store.models import RATE

_FORGIVEN_AT = select(RATE.c.forgiven_at).where(
    RATE.c.what == bindparam("what"), RATE.c.who == bindparam("who")
)
# In words that SQLite and PostgreSQL share, for SQLAlchemy knows each one's upsert by another name.
_TRY = text(
    "INSERT INTO rate (what, who, forgiven_at) VALUES (:what, :who, :now + :cost)"
    " ON CONFLICT (what, who) DO UPDATE SET forgiven_at ="
    " CASE WHEN rate.forgiven_at > :now THEN rate.forgiven_at ELSE :now END + :cost"
    " WHERE rate.forgiven_at <= :latest RETURNING forgiven_at"
)
_PAST = delete(RATE).where(
    RATE.c.what == bindparam("what_is_past"), RATE.c.forgiven_at < bindparam("now")
)


def forgiven_at(session: Session, what: str, who: str) -> int:
    """When all that one client has tried will be forgiven; 0 if it has tried nothing."""
    found: int | None = (
        session.connection().execute(_FORGIVEN_AT, {"what": what, "who": who}).scalar()
    )
    return found or 0


def count_try(session: Session, what: str, who: str, *, now: int, cost: int, latest: int) -> bool:
    """Puts the moment off by `cost`, unless it is after `latest`; answers whether it did.

    Must be called inside Database.write().
    """
    require_write(session)
    tried = {"what": what, "who": who, "now": now, "cost": cost, "latest": latest}
    return bool(session.connection().execute(_TRY, tried).all())


def forget_past_tries(session: Session, what: str, now: int) -> None:
    """Removes whoever has been forgiven all of it. Must be called inside Database.write()."""
    require_write(session)
    session.connection().execute(_PAST, {"what_is_past": what, "now": now})
