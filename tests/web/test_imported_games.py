"""An imported game: whatever it holds, its pages can be opened and played on."""

from copy import deepcopy

import pytest

from companion.notebook.events import RulingEnforced
from companion.services import export
from tests.notebook.evening import Evening, started
from tests.web.conftest import read_in, text


def strange(**fields: object) -> Evening:
    """An evening with a ruling that nobody here would have given."""
    verdict = {
        "legal": False,
        "broken": ["PRO-9"],
        "readings": [],
        "points": 20,
        "take_back": "turn",
        "turn_passes": True,
        "says": "That is no run.",
        "elsewhere": {},
        "charge": "PRO-13.1",
    }
    ask = str(fields.pop("ask", "meld"))
    plays = fields.pop("plays", ("meld 5C 6C 7C",))
    evening = Evening(started(title="<i>Strange</i>"))
    evening.rule(1, *plays, verdict=verdict | fields, ask=ask)  # type: ignore[misc]
    return evening


STRANGE = [
    strange(broken=["PRO-99", "PRO-1"]),
    strange(readings=["5C", "5C 6C 7C=8C"]),
    strange(elsewhere={"playginrummyonline": False}),
    strange(ask="discard"),
    strange(ask="turn", plays=("discard 5C", "meld 5C 5C 5C", "take_pile")),
    strange(ask="turn", plays=("lay_off 5C onto 7", "swap 6C onto 9")),
    strange(ask="swap", plays=("swap 5C=6C onto 0",)),
    strange(plays=("meld 5C=6H 6C=6D 7C",)),
    strange(points=0, charge=None, take_back="none", turn_passes=False),
    strange(take_back="play", says=""),
    strange(says="A run, that is no run: 5♣. " * 70),
]
# What no game can hold, and what is refused with a sentence.
FORGED = [
    strange(broken=["<b>"]),
    strange(readings=["no cards", "", "ZZ=5C"]),
    strange(elsewhere={"moon": True, "": True}),
    strange(ask="poker"),
    strange(points=-999_999_999),
    strange(points=999_999_999, charge=None, take_back="none", turn_passes=False),
    strange(says="=cmd|' /C calc'!A0<script>alert(1)</script>" + "x" * 1900),
    strange(says="So it was said."),
    strange(legal=True, broken=["PRO-9"], charge=None, plays=("discard 5C",)),
]


# All that shows a ruling, or what follows from it.
PAGES = (
    *("", "/sheet", "/hands/1", "/log", "/table", "/rulings", "/rulings/2", "/ruling?ask=meld"),
    *("/tally", "/tally.csv", "/game.json", "/penalty", "/end", "/manage"),
)


@pytest.mark.parametrize("evening", [*STRANGE, *FORGED], ids=range(len(STRANGE) + len(FORGED)))
def test_every_page_of_a_strange_game_can_be_opened(marker, evening, monkeypatch):
    if evening in FORGED:  # an earlier version let it in
        monkeypatch.setattr(export, "check_imported", lambda *_: None)
    evening = deepcopy(evening)  # it is written in, on each kind of database
    if not evening.sheet.hands[0].rulings[0].ruling.legal:
        evening.write(RulingEnforced(1, 2))
    game = read_in(marker, evening)
    for page in PAGES:
        answer = marker.client.get(game + page)
        assert answer.status_code == 200, page
        if answer.mimetype == "text/html":  # a download holds text, not markup
            assert "<script>alert" not in answer.text, page
            assert "<i>Strange" not in answer.text, page
    shown = text(marker.open(f"{game}/rulings/2"))
    assert evening.sheet.hands[0].rulings[0].given.in_words["verdict"]["says"][:50] in shown
