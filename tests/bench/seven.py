"""A game of seven people in its eighth hand: penalties, rulings, melds on the table."""

from datetime import UTC, datetime
from random import Random
from urllib.parse import urlencode

from companion.notebook.events import (
    Event,
    GameStarted,
    HandEntry,
    HandMarked,
    PenaltyCharged,
    PlayRecorded,
    RulingEnforced,
)
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import PACK
from companion.rules.games import game_named
from companion.rules.question import FLAGS, Pile, Question
from companion.rules.table import parse_play
from companion.services import game_log, games, rulings
from companion.services.game_log import load_game
from companion.store import Database, MarkerRecord, create_game
from tests.browsing import Browser

NAMES = ("Ana", "Ben", "Chandi", "Dee", "Ewa", "Femi", "Gus")
HAND = 8
OUT = 0

# Hand 8 as far as it was recorded: what was laid, and what lies on the pile.
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


class Writer:
    """Writes one event after the other down, as the pages do."""

    def __init__(self, database: Database, marker: MarkerRecord) -> None:
        house = game_named("proter").house(None, {})
        start = GameStarted("proter", house.sheet, dict(house.values), NAMES, 0, "")
        self.database, self.marker = database, marker
        self.game = games.start(database, marker, start, "start")
        self.number = 1

    def write(self, make: game_log.Make) -> None:
        base, key = self.number, f"act-{self.number}"
        game_log.write(self.database, self.game, self.marker.id, base=base, key=key, make=make)
        self.number += 1

    def event(self, event: Event) -> None:
        self.write(lambda _: event)

    def rule(self, player: int, play: str) -> None:
        """Ask for a ruling on a play; one that is against the rules is carried out.

        The pile is stated as recorded: who plays is not always the next after who discarded.
        """
        kind = play.partition(" ")[0]

        def given(sheet: ScoreSheet) -> Event:
            table = sheet.hand.board.table
            question = Question(kind, (parse_play(play),), table.melds, Pile(table.pile))
            for flag in FLAGS:
                question = question.without(flag)
            question = rulings.with_record(sheet, player, question)
            return rulings.ruling_on(sheet, player, question)

        self.write(given)
        hand = load_game(self.database, self.game, self.marker.id).sheet.hand
        if not hand.rulings[-1].ruling.legal:
            self.event(RulingEnforced(hand.number, self.number))


def play(database: Database, marker: MarkerRecord) -> str:
    """Keep the game up to its eighth hand; its id."""
    writer = Writer(database, marker)
    for hand in range(1, HAND):
        writer.event(PlayRecorded(hand, hand - 1, "discard 9C"))
        writer.rule(hand % len(NAMES), "discard 9D")
        writer.rule(hand % len(NAMES), "discard QD")
        writer.event(PenaltyCharged(hand, (hand + 2) % len(NAMES), "PRO-13.3"))
        ends = tuple(
            HandEntry(seat, " ".join(cards), melded=seat % 4 != 1)
            for seat, cards in left(hand, {"9C", "QD"}, hand - 1).items()
        )
        writer.event(HandMarked(hand, hand - 1, ends))
    for player, said in LAID:
        writer.event(PlayRecorded(HAND, player, said))
    for player, said in (*DISPUTED, LAST):
        writer.rule(player, said)
    writer.event(PenaltyCharged(HAND, 6, "PRO-13.3"))
    return writer.game


def copies(database: Database, marker: MarkerRecord, game: str, count: int) -> list[str]:
    """So many games with the same entries; their ids."""
    now = datetime.now(UTC)
    loaded = load_game(database, game, marker.id)
    projection = game_log.project(loaded.sheet, now)
    made = []
    with database.write() as session:
        for _ in range(count):
            events = [game_log.row_of(entry) for entry in loaded.entries]
            made.append(create_game(session, marker.notebook_id, projection, now, events).id)
    return made


def left(hand: int, laid: set[str], out: int) -> dict[int, list[str]]:
    """Two to five cards for everyone but who went out, none of which lies on the table."""
    chance = Random(hand)
    free = [card.text for card in PACK if card.text not in laid]
    chance.shuffle(free)
    seats = [seat for seat in range(len(NAMES)) if seat != out]
    return {seat: [free.pop() for _ in range(chance.randint(2, 5))] for seat in seats}


_LAID = {card for _, said in (*LAID, LAST) for card in said.replace("=", " ").split()}
_END = {
    "out": [str(OUT)],
    **{f"cards-{seat}": cards for seat, cards in left(HAND, _LAID, OUT).items()},
    **{f"melded-{seat}": ["yes"] for seat in range(len(NAMES)) if seat != OUT},
}


def end(browser: Browser, game: str) -> bytes:
    """Open the form of the hand's end and fill it in: what is sent when it is saved."""
    page = f"/games/{game}/end"
    return urlencode(browser.form(page, page) | _END, doseq=True).encode()
