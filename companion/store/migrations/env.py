"""Alembic runs this: it migrates on the given connection, in its transaction."""

from alembic import context

from companion.store.models import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    version_table=VERSION_TABLE,
    # Alembic's default for SQLite is False, because its driver commits by itself. Ours does not.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
