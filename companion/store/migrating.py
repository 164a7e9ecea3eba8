"""Migrations, apart from the database because Alembic is slow to load and seldom needed.

A new one: change `models.py`, draft it with
`python -c "from companion.store import migrating; migrating.draft('What changes')"`, read and
correct the file that this names, and set `HEAD` in `database.py` to its number.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Index, create_engine

from companion.store.database import HEAD, Database
from companion.store.models import VERSION_TABLE, StoredRow

MIGRATIONS = Path(__file__).parent / "migrations"
VERSIONS = MIGRATIONS / "versions"


def revisions() -> set[str]:
    """The migrations that this version of the program has."""
    return {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}


def upgrade(connection: Connection) -> None:
    """Runs what is missing, in the transaction that the connection is in."""
    command.upgrade(_config(connection=connection), HEAD)


def differences(connection: Connection) -> tuple[list[Index], list[str]]:
    """The indexes that a database lacks, and in words what else is not as this version makes it.

    Tables that are there in addition are somebody else's affair.
    """
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    found = compare_metadata(context, StoredRow.metadata)
    indexes = [one[1] for one in found if one[0] == "add_index"]
    # Of a column that is otherwise there is a list of what is otherwise about it.
    others = [one[0] if isinstance(one, list) else one for one in found]
    passed_over = {"add_index", "remove_index", "remove_table"}
    return indexes, [_in_words(one) for one in others if one[0] not in passed_over]


def _in_words(difference: tuple[object, ...]) -> str:
    kind, *things = difference
    named = (getattr(one, "name", one) for one in things)
    return f"{str(kind).replace('_', ' ')} {' '.join(one for one in named if isinstance(one, str))}"


def draft(sentence: str, folder: Path = VERSIONS) -> Path:
    """Writes a migration from the last one to what `models.py` says; answers where it is."""
    with TemporaryDirectory() as scratch:
        url = f"sqlite:///{scratch}/draft.sqlite"
        database = Database(url)
        database.migrate()
        database.close()
        engine = create_engine(url)
        with engine.connect() as connection:
            command.revision(
                _config(folder, connection=connection),
                sentence,
                autogenerate=True,
                rev_id=f"{int(HEAD) + 1:04}",
                version_path=str(folder),
            )
        engine.dispose()
    (written,) = folder.glob(f"{int(HEAD) + 1:04}_*.py")
    return written


def _config(*folders: Path, connection: Connection | None = None) -> Config:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.set_main_option(
        "version_locations",
        "\n".join(str(folder).replace("%", "%%") for folder in {VERSIONS, *folders}),
    )
    return config
