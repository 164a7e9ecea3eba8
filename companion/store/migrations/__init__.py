"""Migrations. Imported only when one has to run, because Alembic is slow to load.

To add one, change `models.py`, write the next file in `versions`, and set `HEAD` in `database.py`
to its number. `tests/store/test_migrations.py` compares the migrations with the models.
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

    Returns the missing indexes, all other differences in words, and the names of the triggers: the
    models have none. Ignores additional tables and indexes.
    """
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    found = compare_metadata(context, StoredRow.metadata)
    indexes = [difference[1] for difference in found if difference[0] == "add_index"]
    # A changed column has a list of differences, of which the first is enough.
    firsts = [entry[0] if isinstance(entry, list) else entry for entry in found]
    ignored = {"add_index", "remove_index", "remove_table"}
    others = [_in_words(difference) for difference in firsts if difference[0] not in ignored]
    triggers = connection.exec_driver_sql(_TRIGGERS[connection.dialect.name]).scalars()
    return indexes, others, [*triggers]


def _in_words(difference: tuple[object, ...]) -> str:
    kind, *objects = difference
    names = (getattr(item, "name", item) for item in objects)
    return f"{str(kind).replace('_', ' ')} {' '.join(n for n in names if isinstance(n, str))}"


def _config(connection: Connection | None = None) -> Config:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    return config
