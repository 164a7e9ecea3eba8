"""A game of seven people in its eighth hand: penalties, rulings, melds on the table."""

from datetime import UTC, datetime
from random import Random
from urllib.parse import urlencode

from companion.notebook.events import HandEntry, RulingEnforced
from companion.rules.cards import PACK
from companion.rules.question import Pile
from companion.services import game_log, people
from companion.store import Database, MarkerRecord, create_game
from tests.browsing import Browser
from tests.notebook.evening import Evening, started

NAMES = ("Ana", "Ben", "Chandi", "Dee", "Ewa", "Femi", "Gus")
HAND = 8
OUT = 0

# The recorded plays of hand 8.
LAID = (
    (1, "meld 9C 9D 9H"),
    (1, "discard KD"),
    (2, "meld 2S 3S 4S"),
    (2, "lay_off 5S onto 1"),
    (2, "discard JH"),
    (3, "meld 5C 8H=6C 7C"),
)
DISPUTED = ((4, "meld 6C 6D 6H"), (5, "discard JC"))
LAST = (5, "discard 3D")


def rule(evening: Evening, player: int, play: str) -> None:
    """Ask for a ruling on a play, and enforce it if the play is illegal."""
    pile = Pile(evening.hand.board.table.pile)
    judged = evening.judged(player, play.partition(" ")[0], play, pile=pile)
    number = evening.write(judged).number
    if not judged.ruling.legal:
        evening.write(RulingEnforced(evening.hand.number, number))


def kept() -> Evening:
    """Return the game up to its eighth hand."""
    evening = Evening(started(NAMES))
    for hand in range(1, HAND):
        evening.play(hand - 1, "discard 9C")
        rule(evening, hand % len(NAMES), "discard 9D")
        rule(evening, hand % len(NAMES), "discard QD")
        evening.charge((hand + 2) % len(NAMES), "PRO-13.3")
        held = left(hand, {"9C", "QD"}, hand - 1).items()
        evening.mark(
            hand - 1,
            {seat: HandEntry(seat, " ".join(cards), melded=seat % 4 != 1) for seat, cards in held},
        )
    for player, play_text in LAID:
        evening.play(player, play_text)
    for player, play_text in (*DISPUTED, LAST):
        rule(evening, player, play_text)
    evening.charge(6, "PRO-13.3")
    return evening


def play(database: Database, marker: MarkerRecord, count: int) -> list[str]:
    """Store this game `count` times; return the ids."""
    return written(database, marker, kept(), count)


def written(database: Database, marker: MarkerRecord, evening: Evening, count: int) -> list[str]:
    """Store an evening as `count` games; return the ids."""
    now = datetime.now(UTC)
    projection = game_log.project(evening.sheet, now)
    made = []
    with database.write() as session:
        for _ in range(count):
            events = [game_log.row_of(entry) for entry in evening.entries]
            made.append(create_game(session, marker.notebook_id, projection, now, events).id)
            people.keep_seats(session, made[-1], evening.sheet)
    return made


def left(hand: int, laid: set[str], out: int) -> dict[int, list[str]]:
    """Return two to five cards left for each other player, none of them on the table."""
    chance = Random(hand)
    free = [card.text for card in PACK if card.text not in laid]
    chance.shuffle(free)
    seats = [seat for seat in range(len(NAMES)) if seat != out]
    return {seat: [free.pop() for _ in range(chance.randint(2, 5))] for seat in seats}


_LAID = {card for _, play_text in (*LAID, LAST) for card in play_text.replace("=", " ").split()}
_END = {
    "out": [str(OUT)],
    **{f"cards-{seat}": cards for seat, cards in left(HAND, _LAID, OUT).items()},
    **{f"melded-{seat}": ["yes"] for seat in range(len(NAMES)) if seat != OUT},
}


def end(browser: Browser, game: str) -> bytes:
    """Open the form of the hand's end, fill it in, and return the body of its request."""
    page = f"/games/{game}/end"
    return urlencode(browser.form(page, page) | _END, doseq=True).encode()
