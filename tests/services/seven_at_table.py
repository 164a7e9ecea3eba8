"""A whole game of seven people with names as long as they may be, worked out by hand.

In hand n, seat (n - 1) mod 7 goes out, and the next ones hold a king, a queen, a jack, a nine, a
five and a two. Over 13 hands seat s has 104 points less those that it holds d = (s + 1) mod 7
seats after who is out. Beside the six Proters left (hands 2, 5, 9, 11, 12, 13) 18 penalties are
charged: 24, of 20 points each.
"""

import json

from companion.notebook.events import RulingEnforced
from companion.notebook.serialize import to_record
from tests.notebook.evening import LEGAL, WRONG_DISCARD, WRONG_MELD, Evening, started

NAMES = (
    "Wolfeschlegelsteinhausenberger",
    "Maximiliana-Friederike Schulze",
    "Chandrasekharampillai Jeyaratn",
    "Björn-Åke Överström-Sjöqvistsn",
    "Señorita María José de la Cruz",
    "Oluwaseun Adébáyò-Okonkwo Jrii",
    "Анастасия Константинопольсская",
)
LEFT = ("", "KH", "QD", "JC", "9S", "5H", "2D")
# Cards: 91, 92, 93, 95, 99, 102, 104. Penalties: 4, 3, 4, 3, 3, 3, 4.
TOTALS = (171, 152, 173, 155, 159, 162, 184)
PENALTIES = 24


def whole_game(*, rulings: bool = False, title: str = "") -> Evening:
    """The evening; with rulings of the last hand, of which one is carried out (20 for seat 0)."""
    evening = Evening(started(NAMES, title=title))
    for hand in range(1, 14):
        out = (hand - 1) % 7
        evening.charge(out, "PRO-13.3")
        if hand == 3:
            for seat in (0, 1, 2):
                evening.charge(seat, "PRO-13.1")
        if hand == 7:
            for seat in (3, 4):
                evening.charge(seat, "PRO-13.2")
        if rulings and hand == 13:
            _dispute(evening)
        evening.mark(out, {(out + at) % 7: LEFT[at] for at in range(1, 7)})
    return evening


def _dispute(evening: Evening) -> None:
    evening.rule(0, "meld 3C 4C 5C", verdict=LEGAL, ask="meld")
    evening.rule(1, "meld 3D 4D 6D", verdict=WRONG_MELD, ask="meld")
    wrong = evening.rule(0, "discard 9H", verdict=WRONG_DISCARD, ask="discard")
    evening.write(RulingEnforced(13, wrong.number))


def as_file(evening: Evening) -> str:
    """The evening as a file that can be read in."""
    events = []
    for entry in evening.entries:
        kind, payload = to_record(entry.event)
        written = {"number": entry.number, "key": entry.key, "at": entry.at.isoformat()}
        events.append(written | {"by": "Ana's phone", "kind": kind, "payload": payload})
    return json.dumps({"format": "companion-game", "version": 1, "events": events})
