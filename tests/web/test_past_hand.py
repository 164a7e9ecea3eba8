"""What was entered for a hand is written to that hand, or to none."""

from typing import Any

import pytest
from flask import Flask

from companion.notebook.events import PenaltyCharged
from tests.web.asking import mark, text_of, the_book, write
from tests.web.conftest import Marker, begin, text

MELD = ["5C", "6C", "7C"]
# The page of each form that belongs to one hand, where it goes, and what it says.
ENTRIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "marks": ("end", "end", {"out": "0", "cards-1": ["KC"], "cards-2": ["2D"], "rest": "melded"}),
    "throw-in": ("throw-in", "throw-in", {}),
    "ruling": ("ruling?ask=meld", "ruling", {"ask": "meld", "player": "1", "cards": MELD}),
    "turn": ("ruling?ask=turn", "ruling", {"ask": "turn", "player": "1", "play": "meld 5C 6C 7C"}),
    "table": ("table", "table", {"player": "1", "cards": MELD, "add": "meld"}),
    "may I": ("may-i", "may-i", {"player": "1", "asked": ["2"], "last_taker": "nobody"}),
    "turned": ("turned", "turned", {"rank": "7"}),
}
GAMES = {"may I": "contract_rummy", "turned": "indian_rummy"}


@pytest.fixture(params=ENTRIES)
def entry(
    request: pytest.FixtureRequest, marker: Marker
) -> tuple[str, str, str, dict[str, Any], dict[str, str]]:
    """A game in its first hand, a form of that hand, what it says, and its hidden fields."""
    page, to, fields = ENTRIES[request.param]
    kind = GAMES.get(request.param, "proter")
    game = begin(marker, ("Ana", "Ben", "Chandi"), game=kind)
    hidden = marker.hidden(f"{game}/{page}", f"{game}/{to}")
    assert hidden["hand"] == "1"
    return game, page, to, fields, hidden


def entries(app: Flask, marker: Marker, game: str) -> int:
    return the_book(app, marker, game).sheet.number


@pytest.mark.parametrize("hand", ["", "0", "2", "999", "x", "-1", "1.0"])
def test_a_form_of_another_hand_than_the_open_one_writes_nothing(app, marker, entry, hand):
    game, _, to, fields, hidden = entry
    before = entries(app, marker, game)
    answer = marker.post(f"{game}/{to}", fields, **hidden | {"hand": hand})
    assert answer.status_code in {400, 422}
    assert entries(app, marker, game) == before
    del hidden["hand"]
    assert marker.post(f"{game}/{to}", fields, **hidden).status_code == 400
    assert entries(app, marker, game) == before


@pytest.mark.parametrize("is_new", [True, False], ids=["on the newest entry", "on an old page"])
def test_what_was_entered_for_a_hand_that_is_over_has_no_form_for_the_next_one(
    app, marker, entry, is_new
):
    game, _, to, fields, hidden = entry
    if "turned" in to:
        declared = {"hand": "1", "out": "0", "turned": "5"}
        assert marker.act(f"{game}/end", declared).status_code == 303
    else:
        marks = {"out": "0", "by": "points", "points-1": "9", "points-2": "10", "rest": "melded"}
        assert marker.act(f"{game}/end", marks).status_code == 303
    before = entries(app, marker, game)
    assert the_book(app, marker, game).sheet.hand.number == 2
    if is_new:
        hidden |= {"base": str(before), "key": "kept-on-the-phone"}
    answer = marker.post(f"{game}/{to}", fields, **hidden)
    assert answer.status_code == (422 if is_new else 409)
    said = text_of(answer.text)
    assert "hand 1" in said.lower()
    assert "Correct hand 1" in said
    assert "Discard" in said
    assert is_new or "Saved meanwhile Hand 1 marked" in said
    assert entries(app, marker, game) == before
    # Whatever form of that page is sent: hand 2 gets nothing of it.
    assert 'name="hand" value="2"' not in answer.text


def test_marks_of_a_hand_that_is_marked_stand_beside_those_that_are_saved(app, marker, game):
    hidden = marker.hidden(f"{game}/end")
    mark(app, marker, game)
    hidden["base"] = str(entries(app, marker, game))
    fields = {"out": "0", "cards-1": ["KC"], "cards-2": ["2D"], "rest": "melded"}
    answer = marker.post(f"{game}/end", fields, **hidden)
    assert answer.status_code == 422
    said = text(answer.text)
    assert "Ben 9 points 13 points Chandi 10 points 2 points" in said
    assert f'action="{game}/hands/1/correct"' in answer.text
    assert "<h1>Correct hand 1</h1>" in answer.text
    # What the button said of everybody is said on the form that is sent next.
    for seat in (1, 2):
        assert f'name="melded-{seat}" value="yes" checked' in answer.text


def test_an_old_address_of_a_question_does_not_ask_it_in_the_next_hand(app, marker, game):
    mark(app, marker, game)
    for page in ("ruling?ask=meld&player=1", "ruling?ask=turn&player=1&play=meld+5C+6C+7C"):
        address = f"{game}/{page}&cards=5H&cards=6H&hand="
        assert 'value="5H" checked' not in marker.open(f"{address}1")
        assert "meld 5C 6C 7C" not in marker.open(f"{address}1")
    assert "checked" not in marker.open(f"{game}/table?hand=1&cards=5H").partition('id="cards"')[2]


def test_a_hand_that_goes_on_keeps_the_entry_and_says_its_hand(app, marker, game):
    for name in ("marks", "throw-in", "ruling", "turn", "table"):
        page, to, fields = ENTRIES[name]
        hidden = marker.hidden(f"{game}/{page}", f"{game}/{to}")
        write(app, marker, game, PenaltyCharged(1, 2, "PRO-13.3"))
        answer = marker.post(f"{game}/{to}", fields, **hidden)
        assert answer.status_code == 409
        heading = answer.text.partition("<h1")[2].partition("</h1>")[0]
        assert "hand 1" in heading
        assert 'name="hand" value="1"' in answer.text
