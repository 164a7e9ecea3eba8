"""Notebooks, their markers, their games, and the events of each game."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "notebook",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_notebook"),
    )
    op.create_table(
        "marker",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("notebook_id", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_marker"),
        sa.ForeignKeyConstraint(
            ["notebook_id"], ["notebook.id"], name="fk_marker_notebook_id_notebook"
        ),
    )
    op.create_index("ix_marker_notebook_id", "marker", ["notebook_id"])
    op.create_table(
        "game",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("notebook_id", sa.String(), nullable=False),
        sa.Column("viewer_key", sa.String(), nullable=False),
        sa.Column("viewer_digest", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_number", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("names", sa.String(), nullable=False),
        sa.Column("summary", sa.String(), nullable=False),
        sa.Column("archived", sa.Boolean(), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_game"),
        sa.ForeignKeyConstraint(
            ["notebook_id"], ["notebook.id"], name="fk_game_notebook_id_notebook"
        ),
        sa.UniqueConstraint("viewer_digest", name="uq_game_viewer_digest"),
    )
    op.create_index("ix_game_notebook_id_updated_at", "game", ["notebook_id", "updated_at"])
    op.create_table(
        "event",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("marker_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("payload", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "number", name="pk_event"),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_event_game_id_game"),
        sa.UniqueConstraint("game_id", "key", name="uq_event_game_id_key"),
        sa.CheckConstraint("number >= 1", name=op.f("ck_event_number_from_1")),
    )
