"""What tests ask of a stored game."""

from sqlmodel import Session, select

from companion.store.models import GameRecord


def last_number(session: Session, game_id: str) -> int:
    """The number of the game's last event, 0 before the first."""
    return session.exec(select(GameRecord.last_number).where(GameRecord.id == game_id)).one()
