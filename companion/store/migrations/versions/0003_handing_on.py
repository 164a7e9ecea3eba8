"""Markers of a single game, nicknames of markers, one-time codes and recovery codes."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    with op.batch_alter_table("notebook") as notebook:
        notebook.add_column(sa.Column("recovery_digest", sa.String(), nullable=True))
        notebook.add_column(
            sa.Column("recovery_made_at", sa.DateTime(timezone=True), nullable=True)
        )
        notebook.create_unique_constraint("uq_notebook_recovery_digest", ["recovery_digest"])
    with op.batch_alter_table("marker") as marker:
        marker.add_column(sa.Column("nickname", sa.String(), nullable=True))
        marker.add_column(sa.Column("game_id", sa.String(), nullable=True))
        marker.add_column(sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True))
        marker.create_foreign_key("fk_marker_game_id_game", "game", ["game_id"], ["id"])
    op.create_table(
        "handover",
        sa.Column("link_digest", sa.String(), nullable=False),
        sa.Column("code_digest", sa.String(), nullable=False),
        sa.Column("notebook_id", sa.String(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=True),
        sa.Column("by_marker_id", sa.String(), nullable=False),
        sa.Column("resigns", sa.Boolean(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken_by", sa.String(), nullable=True),
        sa.Column("taker_digest", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("link_digest", name="pk_handover"),
        sa.ForeignKeyConstraint(
            ["notebook_id"], ["notebook.id"], name="fk_handover_notebook_id_notebook"
        ),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_handover_game_id_game"),
        sa.ForeignKeyConstraint(
            ["by_marker_id"], ["marker.id"], name="fk_handover_by_marker_id_marker"
        ),
    )
    op.create_index("ix_handover_by_marker_id", "handover", ["by_marker_id"])
    op.create_index("ix_handover_code_digest", "handover", ["code_digest"])
