"""What tests ask of a stored game."""

from sqlmodel import Session, select

from companion.store.models import GameRow


def last_number(session: Session, game_id: str) -> int:
    """The number of the game's last event, 0 before the first."""
    return session.exec(select(GameRow.last_number).where(GameRow.id == game_id)).one()
