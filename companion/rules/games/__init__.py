"""The games, one file each: data, and code only for what no other game has."""

from companion.rules.errors import Malformed
from companion.rules.game import Game
from companion.rules.games.carioca import CARIOCA
from companion.rules.games.contract_rummy import CONTRACT_RUMMY
from companion.rules.games.indian_chief import INDIAN_CHIEF
from companion.rules.games.indian_rummy import INDIAN_RUMMY
from companion.rules.games.kalooki import KALOOKI
from companion.rules.games.pay_me import PAY_ME
from companion.rules.games.proter import PROTER
from companion.rules.games.three_thirteen import THREE_THIRTEEN
from companion.rules.language import noted

GAMES: dict[str, Game] = {
    game.id: game
    for game in (
        PROTER,
        PAY_ME,
        CARIOCA,
        INDIAN_CHIEF,
        KALOOKI,
        CONTRACT_RUMMY,
        INDIAN_RUMMY,
        THREE_THIRTEEN,
    )
}


def game_named(game_id: object) -> Game:
    """Return the game with this id. Raises `Malformed` if there is none."""
    game = GAMES.get(game_id) if isinstance(game_id, str) else None
    if game is None:
        known = ", ".join(GAMES)
        if game_id is None:
            raise Malformed("“game” is missing; there is %(known)s.", "game", known=known)
        says = noted("There is no game “%(game_id)s” here; there is %(known)s.")
        raise Malformed(says, "game", game_id=str(game_id)[:30], known=known)
    return game
