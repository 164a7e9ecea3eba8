"""What a PostgreSQL server, or the way to it, reports, in sentences without names or secrets."""

from typing import Final

import psycopg

from companion.store.problems import BUSY, DISK, FULL, UNREACHABLE, DatabaseProblem

_REFUSED: Final = (
    "refused",
    (
        "The database server lets nobody in with this name and password. Correct them in"
        " COMPANION_DATABASE_URL."
    ),
)
_NO_DATABASE: Final = (
    "cannot_open",
    (
        "The database server has no database of that name. Create it, or correct"
        " COMPANION_DATABASE_URL."
    ),
)
_NO_ROOM: Final = (
    "locked",
    (
        "The database server takes no more connections. Try again, and start fewer workers or let"
        " it take more (max_connections)."
    ),
)
_NOT_OURS: Final = (
    "read_only",
    "The database's user may not do this. Make that user the owner of the database.",
)
_READ_ONLY: Final = (
    "read_only",
    "The database may only be read: the server is a copy, or set so. Name the one that is written.",
)
_DAMAGED: Final = (
    "damaged",
    "The database is damaged. Stop the server and put back the latest backup.",
)
_STOPPED: Final = (
    "disk",
    (
        "The database server's disk is full, and the server has stopped. Nothing was acknowledged;"
        " free some space there, and start it again if it does not start by itself."
    ),
)
_NOT_UNDERSTOOD: Final = (
    "unsuitable",
    "COMPANION_DATABASE_URL holds an option that the database's driver does not know or take.",
)

# By the code that the server sends, whole or only its first two characters, the class.
_BY_CODE: Final = {
    "08": UNREACHABLE,
    "25006": _READ_ONLY,
    "28": _REFUSED,
    "3D000": _NO_DATABASE,
    "3F000": _NOT_OURS,
    "40001": BUSY,
    "40P01": BUSY,
    "42501": _NOT_OURS,
    "53100": FULL,
    "53300": _NO_ROOM,
    "53": BUSY,
    "55P03": BUSY,
    "57014": BUSY,
    "57": UNREACHABLE,
    "25P03": BUSY,
    "58": DISK,
    "XX001": _DAMAGED,
    "XX002": _DAMAGED,
}
# When a connection cannot be made the driver has no code, only what the server said. If that is
# in another language, it counts as unreachable.
_BY_WORDS: Final = (
    ("password", _REFUSED),
    ("pg_hba.conf", _REFUSED),
    ("authentication failed", _REFUSED),
    ("role ", _REFUSED),
    ("database system", UNREACHABLE),  # is starting up, or shutting down
    ("database ", _NO_DATABASE),
    ("too many clients", _NO_ROOM),
    ("connection slots", _NO_ROOM),
    ("too many connections", _NO_ROOM),
)


def problem_of(error: BaseException) -> DatabaseProblem | None:
    """The problem that a driver's error tells of, or None if it is a mistake in this program."""
    code = getattr(error, "sqlstate", None)
    if code:
        diagnosis = getattr(error, "diag", None)
        if getattr(diagnosis, "severity_nonlocalized", None) == "PANIC":
            # It could not write its log, and ends itself. What was being committed then may be
            # there when it is back, or not.
            return DatabaseProblem(*(_STOPPED if code == "53100" else UNREACHABLE))
        reason = _BY_CODE.get(code) or _BY_CODE.get(code[:2])
        return None if reason is None else DatabaseProblem(*reason)
    if isinstance(error, psycopg.OperationalError):
        return DatabaseProblem(*_by_words(str(error)))
    if isinstance(error, psycopg.ProgrammingError) and "connection option" in str(error):
        return DatabaseProblem(*_NOT_UNDERSTOOD)
    return None


def _by_words(said: str) -> tuple[str, str]:
    # The first lines name the place that was asked, which may be called anything.
    if "no password supplied" in said:  # the driver's own words: it did not even ask
        return _REFUSED
    _, fatal, said = said.rpartition("FATAL:")
    if not fatal:
        return UNREACHABLE
    return next((reason for words, reason in _BY_WORDS if words in said), UNREACHABLE)
