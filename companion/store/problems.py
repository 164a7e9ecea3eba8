"""What can be wrong with a database, in sentences for the person who runs the server."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

BUSY = ("locked", "The database was busy for too long. Nothing was written; try again.")
FULL = ("full", "The disk is full. Nothing was written; free some space and try again.")
DISK = ("disk", "The disk did not do what it was asked. Nothing was acknowledged; check the disk.")

UNREACHABLE = (
    "unreachable",
    (
        "The database server cannot be reached. Nothing was acknowledged; check that it runs and"
        " that COMPANION_DATABASE_URL names it, and try again."
    ),
)


class DatabaseProblem(Exception):
    """The database cannot be used, or could not be just now.

    `reason` is one word for the program: locked, full, read_only, damaged, cannot_open, disk, gone
    (the file was removed while it was open), in_use, newer (written by a later version), foreign
    (not this program's), unsuitable, or of a server: unreachable or refused (it lets nobody in with
    this name and password). The message is a sentence that says what to do, and holds no secret.
    """

    def __init__(self, reason: str, sentence: str) -> None:
        """`reason` is the word and `sentence` the message."""
        super().__init__(sentence)
        self.reason = reason


@contextmanager
def told_as_problems(
    errors: type[Exception], problem_of: Callable[[BaseException], DatabaseProblem | None]
) -> Iterator[None]:
    """Turns what a driver reports of its database into a DatabaseProblem.

    `errors` is what the driver raises and `problem_of` knows the sentence for one, or None. What
    has none, a broken constraint among it, is a mistake in this program and stays as it is.
    """
    try:
        yield
    except (DBAPIError, errors) as error:
        problem = problem_of((error.orig or error) if isinstance(error, DBAPIError) else error)
        if problem is None:
            raise
        raise problem from error
