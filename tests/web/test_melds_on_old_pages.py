"""Questions about melds that the form counted with: where they lie on record when they come.

Hand 1: aces are wild. Ben has laid 5♣ 6♣ 7♣, then 9♦ 9♥ 9♠, unless a test says otherwise.
"""

from itertools import product

import pytest

from tests.web.asking import ANA, BEN, ask, lay, record, text_of, undo
from tests.web.conftest import Marker

CLUBS, NINES = "5C 6C 7C", "9D 9H 9S"


@pytest.fixture
def table(marker: Marker, game: str) -> str:
    """The game, with both melds on record."""
    for meld in (CLUBS, NINES):
        lay(marker, game, BEN, *meld.split())
    return game


# What the form counted with, on which of it the 9 of clubs is laid off, and whether that is on
# record. All ways to find it are in tests/notebook/test_board.py.
FOUND = [(f"KD KH KS; {CLUBS}; {NINES}", 2, True), ("KD KH KS", 0, False)]


def test_a_lay_off_is_on_the_meld_that_was_meant(marker, table):
    for (lying, onto, is_there), kind in product(FOUND, ("turn", "lay_off", "record")):
        fields = {"lying": lying, "melded_this_turn": "1"}
        laid = {"player": BEN, "cards": "9C", "add": f"lay_off {onto}", "lying": lying}
        if kind == "record":
            said = record(marker, table, laid)
        elif kind == "turn":
            said = ask(marker, table, kind, BEN, play=f"lay_off 9C onto {onto}", **fields)
        else:
            said = ask(marker, table, kind, BEN, cards="9C", onto=str(onto), **fields)
        if is_there:
            assert said.status_code == 303, said.text
            assert "9C 9D 9H 9S" in shown(marker, table)
            undo(marker, table)
        else:
            assert said.status_code == 422
            assert "is not on the recorded table. Record it, or choose another." in said.text


def shown(marker: Marker, game: str) -> list[str]:
    """The recorded melds, the cards of each sorted."""
    page = marker.open(f"{game}/table")
    listed = page[page.index("data-melds=") :].partition('data-melds="')[2].partition('"')[0]
    return [" ".join(sorted(meld.split())) for meld in listed.split("; ")]


def test_what_a_turn_lays_itself_comes_after_all_that_lies_there(marker, table):
    # The form counted with one meld of two: its own is the third on record.
    plays = ["meld KD KH KS", "lay_off KC onto 1"]
    said = ask(marker, table, "turn", BEN, play=plays, lying=CLUBS, melded_this_turn="1")
    assert said.status_code == 303
    assert "Legal" in text_of(marker.open(said.location))
    assert shown(marker, table) == [CLUBS, NINES, "KC KD KH KS"]


def test_a_swap_is_on_the_meld_that_was_meant(marker, table):
    lay(marker, table, BEN, "JD", "AS=QD", "KD")
    # By one tap, or by the card and the meld; the form counted with the last meld alone.
    for fields in ({"swap": "QD 0"}, {"cards": "QD", "onto": "0"}):
        said = ask(marker, table, "swap", BEN, **fields, lying="JD AS KD", melded_this_turn="1")
        assert said.status_code == 303, said.text
        assert "Legal" in text_of(marker.open(said.location))
        undo(marker, table)


def test_what_cannot_be_found_is_not_chosen_when_the_form_is_shown_again(marker, table):
    said = ask(marker, table, "lay_off", BEN, cards="8C", onto="0", lying="KD KH KS")
    assert "The meld K♦ K♥ K♠ is not on the recorded table." in text_of(said.text)
    assert 'name="onto" value="0"' in said.text
    assert 'name="onto" value="0" checked' not in said.text
    assert f'<input type="hidden" name="lying" value="{CLUBS}; {NINES}">' in said.text
    # Of a turn it and what comes after it is left out.
    plays = ["meld QD QH QS", "lay_off 8C onto 0", "discard 2H"]
    said = ask(marker, table, "turn", BEN, play=plays, lying="KD KH KS")
    assert '<input type="hidden" name="play" value="meld QD QH QS">' in said.text
    assert "lay_off 8C" not in said.text
    assert 'value="discard 2H"' not in said.text
    # So is it where the form is opened at an address of its own.
    page = marker.open(f"{table}/ruling?ask=turn&player=1&play=lay_off+8C+onto+0&lying=KD+KH+KS")
    assert "lay_off 8C" not in page
    page = marker.open(f"{table}/ruling?ask=turn&player=1&play=lay_off+9C+onto+0&lying=9D+9H+9S")
    assert '<input type="hidden" name="play" value="lay_off 9C onto 1">' in page


def test_no_text_is_too_strange(marker, table):
    laid_off = {"player": ANA, "cards": "8C", "add": "lay_off 0"}
    many = "; ".join(["2C 3C 4C"] * 500)
    for lying in ("", "x", "🂡 🂢", "5C" * 5000, many):
        address = {"ask": "turn", "play": "lay_off 8C onto 0", "player": "1", "lying": lying}
        for said in (
            ask(marker, table, "turn", ANA, play=["lay_off 8C onto 0", "x"], lying=lying),
            record(marker, table, laid_off | {"lying": lying}),
            marker.client.get(f"{table}/ruling", query_string=address),
        ):
            assert said.status_code in {200, 303, 422}


def test_a_question_that_comes_once_more_is_the_same_question(marker, game):
    lay(marker, game, BEN, *CLUBS.split())
    fields = {"ask": "lay_off", "player": BEN, "cards": "8C", "onto": "0", "melded_this_turn": "1"}
    fields |= {"hand": "1", "lying": CLUBS}
    hidden = marker.hidden(f"{game}/ruling?ask=lay_off&player=1", f"{game}/ruling")
    first = marker.post(f"{game}/ruling", fields, **hidden)
    assert first.status_code == 303
    # By now the meld has grown, and the hand is over.
    marks = {"hand": "1", "out": "0", "by": "points", "table_is_old": "1"}
    marks |= {"points-1": "9", "wilds-1": "0", "points-2": "10", "wilds-2": "0", "rest": "melded"}
    marker.saved(f"{game}/end", marks)
    again = marker.post(f"{game}/ruling", fields, **hidden)
    assert (again.status_code, again.location) == (303, first.location)
    # With another key it is another question, and comes too late.
    late = marker.post(f"{game}/ruling", fields, **hidden | {"key": "another"})
    assert late.status_code == 409
    assert "This was entered for hand 1, and hand 2 is being played." in text_of(late.text)


def test_the_key_that_began_the_game_belongs_to_no_question(marker):
    sent = marker.hidden("/games/new")
    names = [("name", "Ana"), ("name", "Ben")]
    game = marker.post("/games/new", names, **sent).location
    fields = {"ask": "meld", "player": BEN, "cards": CLUBS.split(), "hand": "1"}
    asked = marker.post(f"{game}/ruling", fields, **sent | {"base": "1"})
    assert asked.status_code == 409


FORMS = [
    ("ruling?ask=meld", "ruling", {"ask": "meld", "player": BEN, "cards": CLUBS.split()}),
    ("ruling?ask=discard", "ruling", {"ask": "discard", "player": BEN, "cards": "5C"}),
    ("table", "table", {"player": BEN, "cards": CLUBS.split(), "add": "meld"}),
    ("table", "table", {"top": "5C"}),
]


def test_what_is_asked_on_an_old_page_is_asked_in_its_hand(marker, game):
    for page, _to, _fields in FORMS:
        assert '<input type="hidden" name="hand" value="1">' in marker.open(f"{game}/{page}")
    marks = {"out": "0", "cards-1": ["5C"], "cards-2": ["KC"], "hand": "1"}
    marker.saved(f"{game}/end", marks)
    for page, to, fields in FORMS:
        # What a phone kept without a network comes on the newest entry.
        late = marker.refused(f"{game}/{page}", fields | {"hand": "1"}, to=f"{game}/{to}")
        assert "This was entered for hand 1, and hand 2 is being played." in text_of(late.text)
