"""Which phone made a recovery code, and how many wrong digits were tried while a code was valid."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    # SQLite writes an added column behind the constraints, unless the table is copied.
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    with op.batch_alter_table("notebook", recreate="always" if on_sqlite else "never") as notebook:
        notebook.add_column(sa.Column("recovery_marker_id", sa.String(), nullable=True))
    with op.batch_alter_table("handover", recreate="always" if on_sqlite else "never") as handover:
        handover.add_column(
            sa.Column("wrong_digits", sa.Integer(), server_default="0", nullable=False)
        )
