"""What Alembic runs: the migrations, on the connection and in the transaction that it is given."""

from typing import Any, Literal

from alembic import context

from companion.store.models import VERSION_TABLE, StoredRow, UtcDateTime


def _plain_types(kind: str, item: Any, _context: object) -> str | Literal[False]:
    """A migration names SQLAlchemy's own types, so that it stays true when ours change."""
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
    # Alembic thinks that SQLite cannot, because its driver would commit; ours leaves that to us.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
