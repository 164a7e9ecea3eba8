"""Indian Rummy on the pages: the turned card, Rummies, leaving, and who pays whom (IND-1 … IND-8).

Ana, Ben and Chandi play with two packs; where an 8 was turned, eights are wild.
"""

import csv
import io
import re

from companion.rules.cards import Rank
from tests.web.asking import the_book
from tests.web.conftest import carried, checked, preview, text, totals, viewers_link
from tests.web.indian_hands import (
    ANA,
    BEN,
    BENS,
    BENS_LEFT,
    CHANDI,
    CHANDIS,
    CHANDIS_LEFT,
    EARLY,
    WRONG,
    charged,
    declared,
    main,
    saved,
    turn,
)


def declare(marker, game, out, **fields):
    saved(marker, f"{game}/end", {"out": out} | fields)


# -- the turned card ------------------------------------------------------------------------------


def test_one_tap_on_the_hands_page_says_which_card_was_turned(app, marker, rummy):
    page = marker.open(rummy)
    assert "Which card was turned up?" in main(page)
    assert re.findall(r'name="rank" value="(.)"', page) == [*"A23456789TJQKX"]
    answer = marker.saved(rummy, {"rank": "8"}, to=f"{rummy}/turned")
    assert answer.location == rummy
    page = marker.open(rummy)
    assert "Turned up: 8. Wild: jokers and 8s." in text(page)
    assert "Which card was turned up?" not in main(page)
    assert 'aria-label="Turned up: 8"' in page
    assert "Undo: Turned up: 8" in text(page)
    assert the_book(app, marker, rummy).sheet.hand.turned is Rank.EIGHT
    assert f"{rummy}/turned" in page  # another card can be said while the game goes on
    saved(marker, f"{rummy}/turned", {"rank": "X"})
    assert "Turned up: joker. Wild: jokers and aces." in text(marker.open(rummy))


def test_what_is_no_rank_is_refused_beside_the_ranks(marker, rummy):
    seen = marker.hidden(f"{rummy}/turned")
    for rank in ("", "ace", "1", "<script>", "8" * 3000):
        answer = marker.refused(f"{rummy}/turned", {"rank": rank})
        assert "is not a rank." in text(answer.text)
        assert 'id="turned-error"' in answer.text
        assert "<script>alert" not in answer.text
    turn(marker, rummy, "8")
    answer = marker.post(f"{rummy}/turned", {"rank": "ace"}, **seen)
    assert answer.status_code == 409
    assert "The game has changed" in text(answer.text)
    assert "Yours, not saved" not in text(answer.text)


# -- the end of a hand ----------------------------------------------------------------------------


def test_a_first_rummy_is_two_taps_and_no_cards(marker, rummy):
    form = marker.open(f"{rummy}/end")
    assert "Who declared Rummy?" in form
    assert 'name="cards-1"' not in form
    assert "Nobody" not in main(form)
    declare(marker, rummy, ANA)
    page = main(marker.open(rummy))
    assert "Hand 2" in page
    assert "of 11" not in page
    assert "Goes on: Ana takes 13 new cards, the others keep theirs" in page
    assert "Plays next: Ben" in page
    assert "Plays first" not in page
    assert "How to deal" not in page
    assert "1 Rummy" in page


def test_a_second_rummy_wins_and_the_others_cards_are_arranged(marker, rummy):
    turn(marker, rummy, "8")
    declared(marker, rummy, ANA)
    form = marker.open(f"{rummy}/end")
    assert "second Rummy: wins" in form
    assert 'data-step-only="out=0"' in form
    assert "melds?" not in form
    assert 'name="turned"' not in form
    fields = {"out": ANA, "cards-1": BENS, "cards-2": CHANDIS}
    sums = preview(marker, rummy, fields)
    said = text(sums)
    assert "Ana wins: the others pay 124 points" in said
    assert "Tap in their melds" not in said
    assert re.findall(r"<td><b>(\d+)</b>", sums) == ["0", "40", "84"]
    declare(marker, rummy, ANA, **{"cards-1": BENS, "cards-2": CHANDIS})
    page = main(marker.open(rummy))
    assert "Ana wins" in page
    assert "Is paid 124 points." in page
    assert "Chandi pays Ana 84" in page
    assert totals(marker, rummy) == [0, BENS_LEFT, CHANDIS_LEFT]


def test_the_card_turned_is_asked_for_where_cards_are_to_be_arranged(marker, rummy):
    declared(marker, rummy, ANA)
    fields = {"out": ANA, "cards-1": BENS, "cards-2": CHANDIS}
    assert 'name="turned"' in marker.open(f"{rummy}/end")
    answer = marker.refused(f"{rummy}/end", fields)
    assert "Say which card was turned up: it makes its rank wild (IND-1)." in text(answer.text)
    assert sorted(checked(answer.text, "cards-1")) == sorted(BENS)
    answer = marker.refused(f"{rummy}/end", {"out": ANA, "cards-1": BENS, "turned": "8"})
    assert 'value="8" selected' in answer.text  # Chandi's are missing


# -- leaving --------------------------------------------------------------------------------------


def test_who_left_is_in_no_form_any_more(marker, rummy):
    assert "Left the game early" not in marker.open(f"{rummy}/penalty")
    assert "Somebody leaves the game" not in marker.open(rummy)
    declared(marker, rummy, ANA)
    assert "Left the game early 10 points" in text(marker.open(f"{rummy}/penalty"))
    charged(marker, rummy, BEN, EARLY)
    assert re.search(r"Ben\s+left", main(marker.open(rummy)))
    for form in ("ruling", "penalty"):
        players = re.findall(r'name="player" value="(\d)"', marker.open(f"{rummy}/{form}"))
        assert players == [ANA, CHANDI]
    form = marker.open(f"{rummy}/end")
    assert 'name="out" value="1"' not in form
    assert 'name="cards-1"' not in form
    declare(marker, rummy, ANA, **{"points-2": "17"})
    assert totals(marker, rummy) == [0, 10, 17]


def test_a_leave_has_a_page_titled_so(marker, rummy):
    address, titled = f"{rummy}/penalty?leaves=1", "<h1>Somebody leaves the game <small>hand 2"
    assert "<h1>Penalty <small>hand 1</small></h1>" in marker.open(address)  # nobody can leave yet
    declared(marker, rummy, ANA)
    assert f'href="{address}#leaves">Somebody leaves the game' in marker.open(rummy)
    page = marker.open(address)
    assert titled in page
    assert '<input type="hidden" name="leaves" value="1">' in page
    for other in ("Wrong declaration", "House penalty"):
        assert other not in text(page)
    # What is wrong is told on a page of the same title.
    answer = marker.refused(address, {"leaves": "1", "rule": EARLY}, to=f"{rummy}/penalty")
    assert titled in answer.text


# -- to the tally ---------------------------------------------------------------------------------


def test_a_game_is_kept_to_its_tally_and_read_in_elsewhere(marker, other_marker, rummy):
    turn(marker, rummy, "8")
    charged(marker, rummy, CHANDI, WRONG)
    declared(marker, rummy, ANA)
    declared(marker, rummy, BEN)
    sheet = main(marker.open(f"{rummy}/sheet"))
    assert "After hand 2: Ana and Ben lead with a Rummy." in sheet
    declare(marker, rummy, BEN, **{"points-0": "25", "cards-2": CHANDIS})
    sums = [25, 0, 80 + CHANDIS_LEFT]
    assert totals(marker, rummy) == sums
    tally = main(marker.open(f"{rummy}/tally"))
    for said in ("Ben wins and is paid 189 points.", "Chandi pays Ben 164", "3 Rummies"):
        assert said in tally
    rows = [*csv.reader(io.StringIO(marker.client.get(f"{rummy}/tally.csv").text[1:]))]
    assert rows[1] == ["1", "8", "Ana", "Ana", "0", "", "80"]
    assert rows[3] == ["3", "8", "", "Ben", "25", "0", "84"]
    assert ["Paid", "", "", "", "-25", "189", "-164"] in rows
    assert totals(other_marker, carried(marker, other_marker, rummy)) == sums
    assert "Ben won" in text(marker.open("/"))
    code = viewers_link(marker, rummy)
    assert "Ben wins and is paid 189 points." in text(marker.open(code))
    assert "Chandi pays Ben 164" in text(marker.open(f"{code}/tally"))
