"""Questions on melds of an old page, late questions, repeated ones, and refused ones.

Hand 1: aces are wild. On a ``table``, Ben has laid 5♣ 6♣ 7♣, and then 9♦ 9♥ 9♠.
"""

import re

import pytest

from tests.web.asking import ANA, BEN, ask, lay, record, text_of, undo
from tests.web.conftest import Marker, begin, checked

CLUBS, NINES = "5C 6C 7C", "9D 9H 9S"


@pytest.fixture
def table(marker: Marker, game: str) -> str:
    """The game, with both melds on record."""
    for meld in (CLUBS, NINES):
        lay(marker, game, BEN, *meld.split())
    return game


# The question, the melds that the form showed, and the chosen meld after the play; empty if that
# is not on record. tests/notebook/test_board.py has all ways to find it.
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


def test_a_play_goes_onto_the_meld_that_the_form_showed(marker, table):
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
            assert "is not on the recorded table now. Choose another, or record it." in said.text


def test_a_meld_that_is_not_found_is_not_chosen_when_the_form_is_shown_again(marker, table):
    said = ask(marker, table, "lay_off", BEN, cards="8C", onto="0", lying="KD KH KS")
    assert "The meld K♦ K♥ K♠ is not on the recorded table now." in text_of(said.text)
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


def test_a_swapped_card_is_not_ticked_among_those_of_another_meld(marker, game):
    lay(marker, game, BEN, "JD", "AS=QD", "KD")
    missed = ask(marker, game, "swap", BEN, card="QD", onto="0", lying="KD KH KS")
    assert missed.status_code == 422
    chosen = marker.open(f"{game}/ruling?ask=swap&player={BEN}&cards=QD&onto=0")
    for page in (missed.text, chosen):
        assert not re.search('checked name="cards"', page)
    # The card is tapped again for another meld, and not only because no player was named.
    said = ask(marker, game, "swap", "", card="QD", onto="0")
    assert said.status_code == 422
    for page, is_kept in ((missed.text, False), (said.text, True)):
        assert ("Rule on Q♦" in text_of(page)) is is_kept
    # Cards that do not lie there as a meld can be changed.
    lies = ask(marker, game, "swap", BEN, add="lies", cards=["9C", "9D"], onto="0")
    assert lies.text.count('checked name="cards"') == 2


def test_a_question_sent_again_is_the_same_question(marker, game):
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


# -- refused questions ----------------------------------------------------------------------------

# IND-5: two clean sequences, a sequence with a joker, and a set.
RUMMY = ["4H", "5H", "6H", "7H", "9C", "TC", "JC", "2S", "XX", "4S", "KC", "KD", "KH"]
STRANGE = ("", "x", "🂡 🂢", "5C" * 5000, "; ".join(["2C 3C 4C"] * 500))


LIES, ADDS = {"add": "lies", "cards": ["5C"]}, {"add": "meld", "cards": "9S"}
NO_QUESTION = (
    ("meld", {}, "Tap the cards that were played."),
    ("meld", {"cards": ["5C", "6C", "7C"], "player": "9"}, "Say whose play it was."),
    ("meld", {"cards": ["<b>", "6C", "7C"]}, "“&lt;b&gt;” is not a card."),
    ("meld", {"cards": ["TC", "JC", "QC"]}, "10♣ is in the melds on the table"),
    ("lay_off", {"cards": ["5C"]}, "Say on which meld of the table."),
    ("swap", {"add": "lies"}, "Tap the cards of the meld that is on the table."),
    ("swap", LIES | {"seen": ["9C 9D 9H"] * 10}, "No more melds can be named here. Record them"),
    ("swap", LIES | {"play": "discard 9D"}, "Add the melds on the table before the plays of"),
    ("turn", {"unsee": "0", "play": "discard 9D"}, "Add the melds on the table before the plays"),
    ("lay_off", {"cards": ["5C"], "onto": "7"}, "There is no meld 7 on the table"),
    ("swap", {"cards": ["5C", "6C"], "onto": "0"}, "One card is put in another&#39;s place."),
    ("discard", {"cards": ["5C", "6C"], "top": "9D"}, "A discard is one card."),
    ("discard", {"cards": ["9C"], "top": "9Z"}, "“9Z” is not a card."),
    ("discard", {"cards": ["9C"], "top": "9D", "under": "?"}, "“?” is not a card."),
    ("", {"cards": ["5C"]}, "Say on which meld of the table."),
    ("meld", {"cards": ["5C", "6C", "7C"], "reading": "?"}, "“?” is not a card."),
    ("meld", {"cards": ["5C", "6C", "7C"], "key": ""}, "Part of this form was missing."),
    # Plays of a turn that are none.
    ("turn", {}, "Add the plays of the turn first"),
    ("turn", {"add": "meld"}, "Tap the cards that were played."),
    ("turn", {"add": "lay_off", "cards": "9S"}, "Say on which meld of the table."),
    ("turn", {"drop": ""}, "Tap the cards that were played."),
    ("turn", {"add": "dance 0", "cards": "9S"}, "Say what was played."),
    ("turn", ADDS | {"play": ["discard 9D"] * 20}, "No turn has that many plays."),
    ("turn", ADDS | {"play": "sing"}, "“sing” is not a play."),
    ("contract", {}, "Tap the cards of a meld first, then those of the next one."),
    ("contract", {"play": "discard 7C"}, "A contract consists of melds only."),
    ("contract", {"play": ["meld 7C", "?"]}, "“?” is not a play."),
    ("declare", {"cards": RUMMY[:12]}, "A declaration is 13 cards, not 12"),
    ("declare", {}, "Tap the cards that were declared."),
    ("declare", {"play": ["meld 1C"]}, "“1C” is not a card"),
    ("declare", {"play": ["take_pile"]}, "Tap the cards"),
)


def test_an_impossible_question_is_refused_with_a_sentence_and_kept(marker, game, rummy, carioca):
    lay(marker, game, ANA, "TC", "TD", "TS")
    tables = {"declare": rummy, "contract": carioca}
    for kind, fields, sentence in NO_QUESTION:
        table = tables.get(kind, game)
        sent = {"ask": kind, "player": BEN} | fields
        answer = marker.refused(f"{table}/ruling", sent)
        assert sentence in answer.text
        assert 'role="alert"' in answer.text
        if fields.get("cards") == "9S":
            assert "9S" in checked(answer.text, "cards")


def test_everything_that_is_missing_is_named_at_once(marker, table):
    player, cards = "#player: Say whose play it was.", "#cards: Tap the cards that were played."
    onto = "#onto: Say on which meld of the table."
    for kind, says in {
        "discard": [player, cards],
        "meld": [player, cards],
        "lay_off": [player, onto, cards],
        "turn": [player, "#cards: Add the plays of the turn first, one after the other."],
    }.items():
        page = marker.refused(f"{table}/ruling", {"ask": kind}).text
        told = re.findall('<li><a href="(#[a-z]+)">(.*?)</a>', page)
        assert [f"{field}: {sentence}" for field, sentence in told] == says
        assert all(f'id="{field[1:]}"' in page for field, _ in told)


def test_whatever_is_asked_is_answered(marker, game, kalooki):
    tables = {"call": kalooki}
    tables["draw"] = begin(marker, game="contract_rummy", sheet="gamerules")
    turn = {"play": ["meld 4D 5D 6D", "meld TC JC AS", "take_pile"], "reading": "AS=QC"}
    for kind, fields in (
        # An answer about another card of the turn.
        *(("turn", turn | {"wild": wild}) for wild in ("9", "0", "2", "x", "")),
        # What changes nothing, and what was counted with melds that there are not.
        ("meld", {"change": "pile", "cards": "7D"}),
        ("", {"change": "pile"}),
        ("meld", {"change": "contract", "cards": ["9C", "9D", "9S"]}),
        ("discard", {"change": "turn_melded", "cards": "7D", "turn": "99"}),
        ("discard", {"change": "dance", "cards": "7D", "top": "nonsense"}),
        ("discard", {"change": "pile", "cards": "7D", "instead_of": "99"}),
        ("turn", {"change": "pile", "play": "sing"}),
        ("draw", {"change": "above"}),
        ("lay_off", {"seen": ["nonsense", "5C"], "onto": "7", "instead_of": "99"}),
        ("swap", {"player": "9", "contract": "never", "melded_this_turn": "2"}),
        *(("turn", {"play": ["lay_off 8C onto 0", "x"], "lying": lying}) for lying in STRANGE),
        *(("call", {"turn": odd, "calls": odd, "change": "turn_melded"}) for odd in STRANGE),
        *(("draw", {"drawn": "7C", "above": odd, "add": odd, "drop": odd}) for odd in STRANGE),
        ("draw", {"drawn": "x", "above": "none", "play": "x"}),
        # "none" where it does not say that no card lies there.
        *(("discard", {name: "none"}) for name in ("cards", "card", "swap")),
        *(("lay_off", {name: "none"}) for name in ("cards", "laid_off")),
        *(("draw", {"drawn": "none", "above": above}) for above in ("", "8D", "none")),
    ):
        table = tables.get(kind, game)
        sent = {"ask": kind, "player": BEN} | fields
        answer = marker.post(f"{table}/ruling", sent, **marker.fresh(table))
        assert answer.status_code in {200, 303, 422}, fields
        assert "wild" not in fields or "A♠ stand for?" in answer.text
        shown = marker.client.get(f"{table}/ruling", query_string=sent)
        assert shown.status_code in {200, 422}, fields
