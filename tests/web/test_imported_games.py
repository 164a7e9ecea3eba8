"""An imported game: whatever it holds, its pages can be opened and played on."""

from collections.abc import Iterable
from typing import Any

from companion.notebook.events import RulingEnforced
from companion.services import export
from tests.notebook.evening import LEGAL, Evening, started
from tests.web.conftest import read_in, text

# A ruling that was kept in words, and what is different in those that nobody here would have given.
VERDICT = LEGAL | {
    "legal": False,
    "broken": ["PRO-9"],
    "points": 20,
    "take_back": "turn",
    "turn_passes": True,
    "says": "That is no run.",
    "charge": "PRO-13.1",
}
FREE = {"charge": None, "take_back": "none", "turn_passes": False}
MELD = ("meld", "meld 5C 6C 7C")
STRANGE: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    (MELD, {"broken": ["PRO-99", "PRO-1"]}),
    (MELD, {"readings": ["5C", "5C 6C 7C=8C"]}),
    (MELD, {"elsewhere": {"playginrummyonline": False}}),
    (("discard", "meld 5C 6C 7C"), {}),
    (("turn", "discard 5C", "meld 5C 5C 5C", "take_pile"), {}),
    (("turn", "lay_off 5C onto 7", "swap 6C onto 9"), {}),
    (("swap", "swap 5C=6C onto 0"), {}),
    (("meld", "meld 5C=6H 6C=6D 7C"), {}),
    (MELD, {"points": 0, **FREE}),
    (MELD, {"take_back": "play", "says": ""}),
    (MELD, {"says": "A run, that is no run: 5♣. " * 70}),
]
# What no game can hold, and what is refused with a sentence.
FORGED: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    (MELD, {"broken": ["<b>"]}),
    (MELD, {"readings": ["no cards", "", "ZZ=5C"]}),
    (MELD, {"elsewhere": {"moon": True, "": True}}),
    (("poker", "meld 5C 6C 7C"), {}),
    (MELD, {"points": -999_999_999}),
    (MELD, {"points": 999_999_999, **FREE}),
    (MELD, {"says": "=cmd|' /C calc'!A0<script>alert(1)</script>" + "x" * 1900}),
    (MELD, {"says": "So it was said."}),
    (("meld", "discard 5C"), {"legal": True, "charge": None}),
]


def evening_of(rulings: Iterable[tuple[tuple[str, ...], dict[str, Any]]]) -> Evening:
    evening = Evening(started(title="<i>Strange</i>"))
    for (ask, *plays), fields in rulings:
        evening.rule(1, *plays, verdict=VERDICT | fields, ask=ask)
    return evening


def test_it_is_said_that_a_game_is_here_already(marker):
    for said in ("The game is imported.", "This game is here already."):
        assert said in text(marker.open(read_in(marker, Evening())))


def test_a_strange_game_is_read_in(marker):
    assert read_in(marker, evening_of(STRANGE)).startswith("/games/")


def test_every_page_of_a_strange_game_can_be_opened(app, marker, monkeypatch):
    monkeypatch.setattr(export, "check_imported", lambda *_: None)  # an earlier version let it in
    evening = evening_of([*STRANGE, *FORGED])
    numbers = [line.entry.number for line in evening.hand.rulings]
    for number in numbers:
        evening.write(RulingEnforced(1, number))
    game = read_in(marker, evening)
    urls = app.url_map.bind("localhost")
    opened = set()
    for rule in app.url_map.iter_rules():
        if "game_id" not in rule.arguments or "GET" not in (rule.methods or ()):
            continue
        for number in [1, *numbers] if "number" in rule.arguments else [1]:
            known = {"game_id": game.rpartition("/")[2], "number": number, "player": 1}
            address = urls.build(rule.endpoint, {name: known[name] for name in rule.arguments})
            answer = marker.client.get(address)
            assert answer.status_code < 500, address
            if answer.mimetype == "text/html":  # a download holds text, not markup
                assert "<script>alert" not in answer.text, address
                assert "<i>Strange" not in answer.text, address
            opened |= {address} if answer.status_code == 200 else set()
    assert len(opened) > 12 + len(numbers)
    for number, (_, fields) in zip(numbers, [*STRANGE, *FORGED], strict=True):
        says = (VERDICT | fields)["says"]
        assert says[:50] in text(marker.open(f"{game}/rulings/{number}"))
