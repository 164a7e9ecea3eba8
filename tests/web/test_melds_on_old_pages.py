"""Questions about melds that the form counted with: where they lie on record when they come.

Hand 1: aces are wild. Ben has laid 5♣ 6♣ 7♣, then 9♦ 9♥ 9♠, unless a test says otherwise.
"""

import pytest

from tests.web.asking import BEN, ask, lay, record, text_of, undo
from tests.web.conftest import Marker

CLUBS, NINES = "5C 6C 7C", "9D 9H 9S"


@pytest.fixture
def table(marker: Marker, game: str) -> str:
    """The game, with both melds on record."""
    for meld in (CLUBS, NINES):
        lay(marker, game, BEN, *meld.split())
    return game


# What is asked, what the form counted with, and how a meld lies then; empty if what was meant is
# not on record. All ways to find it are in tests/notebook/test_board.py.
THREE = f"KD KH KS; {CLUBS}; {NINES}"
MEANT = (
    ("turn", {"play": "lay_off 9C onto 2"}, THREE, "9C 9D 9H 9S"),
    ("turn", {"play": "lay_off 9C onto 0"}, "KD KH KS", ""),
    ("lay_off", {"cards": "9C", "onto": "2"}, THREE, "9C 9D 9H 9S"),
    ("lay_off", {"cards": "9C", "onto": "0"}, "KD KH KS", ""),
    ("table", {"cards": "9C", "add": "lay_off 2"}, THREE, "9C 9D 9H 9S"),
    ("table", {"cards": "9C", "add": "lay_off 0"}, "KD KH KS", ""),
    # What a turn lays itself comes after all that lies there.
    ("turn", {"play": ["meld 2D 2H 2S", "lay_off 2C onto 1"]}, CLUBS, "2C 2D 2H 2S"),
    # A swap by one tap, or by the card and the meld.
    ("swap", {"swap": "QD 0"}, "JD AS KD", "JD KD QD"),
    ("swap", {"cards": "QD", "onto": "0"}, "JD AS KD", "JD KD QD"),
)


def test_a_play_is_on_the_meld_that_was_meant(marker, table):
    lay(marker, table, BEN, "JD", "AS=QD", "KD")
    for kind, fields, lying, lies in MEANT:
        entered = fields | {"lying": lying, "melded_this_turn": "1"}
        if kind == "table":
            said = record(marker, table, entered | {"player": BEN})
        else:
            said = ask(marker, table, kind, BEN, **entered)
        if lies:
            assert said.status_code == 303, said.text
            page = marker.open(f"{table}/table")
            melds = page.partition('data-melds="')[2].partition('"')[0].split("; ")
            assert lies in [" ".join(sorted(meld.split())) for meld in melds]
            undo(marker, table)
        else:
            assert said.status_code == 422
            assert "is not on the recorded table. Record it, or choose another." in said.text


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
