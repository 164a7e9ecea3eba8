"""A key that changes with the seats of a notebook, for figures that are kept in memory."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    # SQLite writes an added column behind the constraints, unless the table is copied.
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    with op.batch_alter_table("notebook", recreate="always" if on_sqlite else "never") as notebook:
        notebook.add_column(sa.Column("seats_key", sa.String(), nullable=True))
