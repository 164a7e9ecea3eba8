"""Alembic runs this: it migrates on the given connection, in its transaction."""

from typing import Any, Literal

from alembic import context

from companion.store.models import VERSION_TABLE, StoredRow, UtcDateTime


def _plain_types(kind: str, item: Any, _context: object) -> str | Literal[False]:
    """Write SQLAlchemy's own types into migrations, which must not change when ours do."""
    if kind == "type" and isinstance(item, UtcDateTime):
        return "sa.DateTime(timezone=True)"
    return False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=StoredRow.metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,
    render_item=_plain_types,
    compare_server_default=True,
    # Alembic's default for SQLite is False, as the driver commits. Ours is set not to.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
