"""Rate limits for guessing keys."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "rate",
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("forgiven_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("what", "who", name="pk_rate"),
    )
