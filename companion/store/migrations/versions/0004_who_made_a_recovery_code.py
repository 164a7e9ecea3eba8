"""Which phone made a recovery code, and how many wrong digits were tried while a code was good."""

from typing import Literal

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # SQLite writes an added column behind the constraints, unless the table is copied.
    recreate: Literal["always", "never"] = (
        "always" if op.get_bind().dialect.name == "sqlite" else "never"
    )
    with op.batch_alter_table("notebook", recreate=recreate) as notebook:
        notebook.add_column(sa.Column("recovery_marker_id", sa.String(), nullable=True))
    with op.batch_alter_table("handover", recreate=recreate) as handover:
        handover.add_column(
            sa.Column("wrong_digits", sa.Integer(), server_default="0", nullable=False)
        )


def downgrade() -> None:
    with op.batch_alter_table("handover") as handover:
        handover.drop_column("wrong_digits")
    with op.batch_alter_table("notebook") as notebook:
        notebook.drop_column("recovery_marker_id")
