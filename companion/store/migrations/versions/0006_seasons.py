"""Seasons, and the people who were chosen for them."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "season",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("notebook_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("first_day", sa.Date(), nullable=False),
        sa.Column("last_day", sa.Date(), nullable=True),
        sa.Column("games", sa.String(), nullable=False),
        sa.Column("points", sa.String(), nullable=False),
        sa.Column("ties", sa.String(), nullable=False),
        sa.Column("best", sa.Integer(), nullable=False),
        sa.Column("everybody", sa.Boolean(), nullable=False),
        sa.Column("viewer_key", sa.String(), nullable=False),
        sa.Column("viewer_digest", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_season"),
        sa.ForeignKeyConstraint(
            ["notebook_id"], ["notebook.id"], name="fk_season_notebook_id_notebook"
        ),
        sa.UniqueConstraint("viewer_digest", name="uq_season_viewer_digest"),
    )
    op.create_index("ix_season_notebook_id", "season", ["notebook_id"])
    op.create_table(
        "season_person",
        sa.Column("season_id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("season_id", "person_id", name="pk_season_person"),
        sa.ForeignKeyConstraint(
            ["season_id"], ["season.id"], name="fk_season_person_season_id_season"
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name="fk_season_person_person_id_person"
        ),
    )
    op.create_index("ix_season_person_person_id", "season_person", ["person_id"])
