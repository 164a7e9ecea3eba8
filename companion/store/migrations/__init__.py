"""Migrations. Imported only when one has to run, because Alembic is slow to load.

To add one, change `models.py`, write the next file in `versions`, and set `HEAD` in `database.py`
to its number. `tests/store/test_migrations.py` says where the two differ.
"""

from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Index

from companion.store.database import HEAD
from companion.store.models import VERSION_TABLE, StoredRow

_TRIGGERS = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal ORDER BY tgname",
}


def revisions() -> set[str]:
    """Return the numbers of the migrations that this version of the program has."""
    return {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}


def upgrade(connection: Connection) -> None:
    """Run the missing migrations, in the transaction that the connection is in."""
    command.upgrade(_config(connection), HEAD)


def differences(connection: Connection) -> tuple[list[Index], list[str], list[str]]:
    """Compare a database with the models.

    Returns the missing indexes, all other differences in words, and the names of its triggers, as
    the models have none. Ignores additional tables.
    """
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    found = compare_metadata(context, StoredRow.metadata)
    indexes = [one[1] for one in found if one[0] == "add_index"]
    # For a changed column there is a list of its differences.
    others = [one[0] if isinstance(one, list) else one for one in found]
    passed_over = {"add_index", "remove_index", "remove_table"}
    different = [_in_words(one) for one in others if one[0] not in passed_over]
    triggers = connection.exec_driver_sql(_TRIGGERS[connection.dialect.name]).scalars()
    return indexes, different, [*triggers]


def _in_words(difference: tuple[object, ...]) -> str:
    kind, *things = difference
    named = (getattr(one, "name", one) for one in things)
    return f"{str(kind).replace('_', ' ')} {' '.join(one for one in named if isinstance(one, str))}"


def _config(connection: Connection | None = None) -> Config:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    return config
