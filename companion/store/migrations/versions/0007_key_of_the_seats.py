"""A key of all seats of a notebook, for figures that are kept in memory."""

from typing import Literal

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # SQLite writes an added column behind the constraints, unless the table is copied.
    recreate: Literal["always", "never"] = (
        "always" if op.get_bind().dialect.name == "sqlite" else "never"
    )
    with op.batch_alter_table("notebook", recreate=recreate) as notebook:
        notebook.add_column(sa.Column("seats_key", sa.String(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("notebook") as notebook:
        notebook.drop_column("seats_key")
