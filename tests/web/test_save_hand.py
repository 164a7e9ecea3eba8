"""The end of a hand in the browser. In hand 1 the aces are the Proters, in hand 2 the twos."""

import re

import pytest

from companion.notebook.events import HousePenalty, PenaltyCharged, PlayRecorded
from tests.web.asking import mark
from tests.web.conftest import (
    Marker,
    begin,
    checked,
    copies,
    find,
    preview,
    text,
    totals,
    value,
    viewers_link,
)

BEN_AND_CHANDI = {"out": "0", "cards-1": ["KC", "AH"], "cards-2": ["2D", "3S"]}
SIX = ["2C", "3C", "4D", "5D", "6H", "7H"]
TOUCHED = PenaltyCharged(1, 2, "PRO-13.3")
LAY_OFF = "lay_off TC onto 0"


# -- marking --------------------------------------------------------------------------------------


def test_the_button_of_a_page_left_open_ends_no_later_hand(marker, game):
    link = find(marker.open(game), rf'href="({game}/end[^"]*)"')
    marker.saved(f"{game}/end", BEN_AND_CHANDI | {"melded-1": "yes", "melded-2": "yes"})
    answer = marker.client.get(link)
    assert (answer.status_code, answer.location) == (303, f"{game}/hands/1/correct")
    assert "Hand 1 is marked." in marker.open(answer.location)


def test_the_form_asks_for_every_player_and_marks_the_proters_among_52_cards(marker, game):
    page = marker.open(f"{game}/end")
    assert "<h1>End of hand 1</h1>" in page
    for seat in range(3):
        assert page.count(f'name="cards-{seat}"') == 52
        assert value(page, f"points-{seat}") == ""
    assert page.count("ace of hearts, the Proter") == 3
    assert "2 of hearts, the Proter" not in page
    assert checked(page, "out") == []
    assert "Still missing" not in page
    assert "Who went out?" in page
    # The next one is laid out as this hand was marked.
    for fields, way in (({"points-1": "5"}, "points"), ({"cards-1": "5C"}, "cards")):
        marker.saved(f"{game}/end", {"out": "0", "points-2": "6"} | fields)
        assert checked(marker.open(f"{game}/end"), "by") == [way]


@pytest.mark.parametrize(
    ("fields", "points"),
    [
        # Ben K 13 + A 1 + 20 for the Proter; Chandi 2 + 3.
        (BEN_AND_CHANDI, [0, 34, 5]),
        (
            {"out": "2", "points-0": "14", "wilds-0": "1", "points-1": "7", "melded-0": "yes"},
            [34, 7, 0],
        ),
        ({"out": "0", "cards-1": ["KC"], "points-2": "6"}, [0, 13, 6]),
        ({"out": "none", "cards-0": ["4C"], "cards-1": ["5C"], "cards-2": ["6C"]}, [4, 5, 6]),
        (BEN_AND_CHANDI | {"melded-2": "no", "out_no_meld": "1"}, [20, 34, 25]),
        ({"out": "0", "points-1": "٧", "points-2": "６"}, [0, 7, 6]),
        # The button says of those who do not say it themselves that they have melded.
        (
            {"out": "0", "points-1": "40", "points-2": "41", "melded-2": "no", "rest": "melded"},
            [0, 40, 61],
        ),
    ],
)
def test_marks_are_entered_by_cards_points_and_switches(marker, game, fields, points):
    assert marker.saved(f"{game}/end", fields).location == game
    assert totals(marker, game) == points
    assert "Hand 2" in marker.open(game)


KING = {"out": "0", "cards-1": "KC"}
REFUSED = (
    ({"cards-1": "KC", "cards-2": "2D"}, "out", "Say who went out."),
    (KING, "cards-2", "Still missing: Chandi."),
    ({"out": "0", "by": "points", "points-2": "5"}, "points-1", "Still missing: Ben."),
    (KING | {"points-2": "x"}, "points-2", "“x” is not a number"),
    (KING | {"points-2": "9999"}, "points-2", "can't have 9999 points"),
    (
        KING | {"cards-2": "2D", "points-2": "2"},
        *("points-2", "There are cards and points for Chandi."),
    ),
    (KING | {"cards-2": "ZZ"}, "cards-2", "“ZZ” is not a card."),
    (
        {"out": "0", "points-1": "5", "wilds-1": "", "points-2": "6"},
        "wilds-1",
        "How many Proters are in Ben's points?",
    ),
    ({"out": "0", "cards-1": SIX, "cards-2": "2D"}, "melded-1", "Did Ben lay a meld"),
    # Of two who must be asked both are, at once.
    ({"out": "0", "points-1": "60", "points-2": "61"}, "melded-1", "lay a meld"),
    ({"out": "0", "points-1": "60", "points-2": "61"}, "melded-2", "lay a meld"),
    # Of two with points that no cards make both are named.
    ({"out": "0", "points-1": "999", "points-2": "998"}, "points-1", "can't have 999 points"),
    ({"out": "0", "points-1": "999", "points-2": "998"}, "points-2", "can't have 998 points"),
    ({"out": "0", "points-1": "-5", "points-2": "-6"}, "points-2", "Chandi's points cannot be"),
    # A text that is not a number as a whole.
    *(
        ({"out": "0", "points-1": text, "points-2": "6"}, "points-1", "is not a number of points")
        for text in ("1_0", "5            or 6", "0000000000015")
    ),
)


def test_what_cannot_be_is_refused_beside_its_field(marker, game):
    for fields, field, sentence in REFUSED:
        answer = marker.refused(f"{game}/end", fields)
        assert f'<a href="#{field}">' in answer.text
        assert f'id="{field}"' in answer.text
        assert f'id="{field}-error"' in answer.text
        assert sentence in text(answer.text)
        for name, given in fields.items():
            if name.startswith("cards") and given != "ZZ":
                assert checked(answer.text, name) == ([given] if isinstance(given, str) else given)
            if name.startswith("points"):
                assert value(answer.text, name) == given
    assert totals(marker, game) == [0, 0, 0]


def test_one_card_left_asks_whether_a_player_who_laid_off_has_melded(marker, game):
    """The question comes above the cards from so many cards on (static/js/cards.js)."""
    for event in (PlayRecorded(1, None, "meld KC QC JC"), PlayRecorded(1, 1, LAY_OFF)):
        marker.write(game, event)
    asked = re.findall(r'id="melded-(\d)".*?data-ask-from="(\d)"', marker.open(f"{game}/end"))
    assert asked == [("0", "6"), ("1", "1"), ("2", "6")]


def test_a_card_on_the_recorded_table_asks_whether_the_record_is_outdated(marker, game):
    marker.write(game, PlayRecorded(1, 1, "meld KC QC JC"))
    page = marker.open(f"{game}/end")
    assert page.count("<em>table</em>") == 9
    assert "king of clubs, table" in page
    assert "table_is_old" not in page
    answer = marker.refused(f"{game}/end", BEN_AND_CHANDI)
    assert 'name="table_is_old"' in answer.text
    assert "K♣ is in the recorded melds and in Ben's cards." in text(answer.text)
    marker.saved(f"{game}/end", BEN_AND_CHANDI | {"table_is_old": "1"})
    assert totals(marker, game) == [0, 34, 5]


def test_the_ends_of_several_hands_are_forms_of_their_own(marker, game):
    """A phone drops the draft of the form that the last entry came from, and of no other."""
    for _ in range(2):
        marker.saved(f"{game}/end", BEN_AND_CHANDI)
    pages = (f"{game}/end", f"{game}/hands/1/correct", f"{game}/hands/2/correct")
    keys = [marker.hidden(page, page)["key"] for page in pages]
    assert len({*keys}) == len(pages)
    pages = (f"{game}/penalty", f"{game}/penalty?hand=1")
    keys = [marker.hidden(page, f"{game}/penalty")["key"] for page in pages]
    assert len({*keys}) == len(pages)


# -- the sums -------------------------------------------------------------------------------------


SUMS = (
    (
        *(BEN_AND_CHANDI | {"melded-2": "no"}, "Ana went out 0 0"),
        "Ben 14 in 2 cards + 20 Proter in hand 34 34",
        "Chandi 5 in 2 cards + 20 Touched stock or pile + 20 No meld 45 45",
        "Nothing is missing",
    ),
    (KING | {"points-2": " "}, "Chandi missing – –", "Still missing: Chandi"),
    (
        KING | {"points-2": "60"},
        "Chandi 60 points + 20 Touched stock or pile Did they lay a meld? Answer 80 80",
    ),
    (KING | {"points-2": "abc"}, "“abc” is not a number of points."),
    (
        KING | {"points-2": "9999", "melded-2": "yes"},
        "Chandi can't have 9999 points without a Proter: no cards still free",
    ),
)


def test_the_sums_follow_the_entries(marker, game):
    marker.write(game, TOUCHED)
    for fields, *says in SUMS:
        shown = text(preview(marker, game, fields))
        for one in says:
            assert one in shown
    # Without scripts working it out gives the whole page.
    hidden = marker.hidden(f"{game}/end")
    answer = marker.post(f"{game}/end/preview", BEN_AND_CHANDI, **hidden)
    assert answer.status_code == 200
    assert "Ben 14 in 2 cards + 20 Proter in hand 34 34" in text(answer.text)
    assert sorted(checked(answer.text, "cards-1")) == ["AH", "KC"]
    assert f'value="{hidden["key"]}"' in answer.text
    assert totals(marker, game) == [0, 0, 20]


# -- marks on an older state ----------------------------------------------------------------------


def test_two_entries_at_once_say_which_cards_differ_where_the_points_are_the_same(marker, game):
    hidden = marker.hidden(f"{game}/end")
    saved = {"out": "0", "cards-1": ["9C", "8D"], "cards-2": "TD"}
    marker.saved(f"{game}/end", saved)
    for entered, ben in (
        ({"cards-1": ["8D", "9C"]}, "17 points 17 points"),
        ({"cards-1": ["KC", "4D"]}, "17 points 9♣ 8♦ 17 points K♣ 4♦"),
        ({"cards-1": [], "points-1": "17"}, "17 points 9♣ 8♦ 17 points"),
        ({"cards-1": ["KC", "5D"]}, "17 points 18 points"),
        ({"cards-1": ["ZZ"]}, "17 points missing"),
        ({"cards-0": ["ZZ"]}, "17 points 17 points"),
    ):
        answer = marker.post(f"{game}/end", saved | entered | {"hand": "1"}, **hidden)
        assert answer.status_code == 409
        assert f"Ben {ben} Chandi 10 points 10 points" in text(answer.text)


def test_a_hand_that_was_marked_meanwhile_is_corrected_and_not_the_next_one_marked(marker, game):
    hidden = marker.hidden(f"{game}/end")
    marker.saved(f"{game}/end", {"out": "1", "cards-0": "9C", "cards-2": "TD"})
    answer = marker.post(f"{game}/end", BEN_AND_CHANDI | {"hand": "1"}, **hidden)
    assert answer.status_code == 409
    said = text(answer.text)
    assert "Hand 1 has been marked meanwhile." in said
    assert "Saved meanwhile Hand 1 marked, Ben out Unknown device" in said
    assert "Yours, not saved Hand 1 marked, Ana out" in said
    # Saved: 9 and 10 for a nine and a ten. Entered: 13 for a king, 1 for an ace and 20 because
    # that is the Proter of hand 1 (PRO-15); 2 and 3 for Chandi.
    assert "Ana 9 points 0 points Ben 0 points 34 points Chandi 10 points 5 points" in said
    assert '<button class="btn" form="end">Correct hand 1</button>' in answer.text
    assert "data-discard" in answer.text
    assert f'action="{game}/hands/1/correct"' in answer.text
    assert sorted(checked(answer.text, "cards-1")) == ["AH", "KC"]
    form = answer.text.partition('id="end"')[2]
    fresh = {name: value(form, name) for name in ("csrf_token", "key", "base")}
    # The same on the newest entry; and what the button said of everybody is said on that form.
    late = BEN_AND_CHANDI | {"rest": "melded", "hand": "1"}
    answer = marker.post(f"{game}/end", late, **fresh)
    assert answer.status_code == 422
    assert "<h1>Correct hand 1</h1>" in answer.text
    assert "Ben 0 points 34 points Chandi 10 points 5 points" in text(answer.text)
    assert (checked(answer.text, "melded-1"), checked(answer.text, "melded-2")) == (["yes"],) * 2
    again = marker.post(f"{game}/hands/1/correct", BEN_AND_CHANDI, **fresh)
    assert again.status_code == 303
    assert totals(marker, game) == [0, 34, 5]


def test_undone_marks_are_in_the_form_again(marker, game):
    marker.saved(f"{game}/end", BEN_AND_CHANDI | {"melded-2": "no"})
    marker.saved(game, to=f"{game}/undo")
    page = marker.open(f"{game}/end")
    assert "This is what was saved before it was undone." in text(page)
    assert checked(page, "out") == ["0"]
    assert sorted(checked(page, "cards-1")) == ["AH", "KC"]
    assert checked(page, "melded-2") == ["no"]
    assert checked(marker.open(f"{game}/end?fresh=1"), "cards-1") == []
    marker.write(game, TOUCHED)
    marker.saved(game, to=f"{game}/undo")
    assert "before it was undone" not in marker.open(f"{game}/end")


# -- correcting -----------------------------------------------------------------------------------


def test_a_correction_begins_with_the_current_marks(marker, game):
    fields = {"out": "0", "cards-1": ["KC", "AH"], "points-2": "41", "wilds-2": "1"}
    marker.saved(f"{game}/end", fields | {"melded-2": "no", "out_no_meld": "1"})
    marker.write(game, PenaltyCharged(1, 0, "PRO-13.3"))
    page = marker.open(f"{game}/hands/1/correct")
    assert "<h1>Correct hand 1</h1>" in page
    assert checked(page, "out") == ["0"]
    assert checked(page, "out_no_meld") == ["1"]
    assert sorted(checked(page, "cards-1")) == ["AH", "KC"]
    assert value(page, "points-2") == "41"
    assert re.search(r'id="wilds-2".*?value="1" selected', page, re.DOTALL)
    assert (checked(page, "melded-1"), checked(page, "melded-2")) == ([], ["no"])
    assert "Thrown in" not in page
    assert f'action="{game}/penalties/3/withdraw"' in page
    assert "20 points to Ana" in text(page)
    assert "Take back : 20 points to Ana" in text(page)


def test_a_bonus_is_off_a_score_where_it_can_be_taken_back(marker, game):
    marker.saved(f"{game}/end", BEN_AND_CHANDI)
    marker.write(game, HousePenalty(1, 0, -5, "Best hat"))
    for address in ("/hands/1/correct", "/penalty?hand=1"):
        page = text(marker.open(game + address))
        assert page.count("5 points off for Ana") == 2, address
        assert "Take back : 5 points off for Ana" in page
        assert "−5" not in page.partition("5 points off for Ana")[2]


def test_a_correction_counts_as_its_preview_said(marker, game):
    marker.saved(f"{game}/end", BEN_AND_CHANDI | {"melded-2": "no"})
    marker.saved(f"{game}/end", {"out": "0", "cards-1": "9C", "cards-2": "TC"})
    changed = {"out": "0", "cards-1": "QC", "cards-2": ["2D", "3S"], "melded-2": "no"}
    shown = text(preview(marker, game, changed, hand="1"))
    # Ben 12 now and 9 in hand 2; Chandi 5 + 20 and 10.
    assert "Ben 12 in 1 card 12 21" in shown
    # Chandi's penalty for no meld was not charged by anybody (PRO-13.5).
    page = text(marker.open(f"{game}/hands/1/correct"))
    assert "+ 20 No meld" in page
    assert "Penalties of this hand The marker charged none." in page
    assert "Chandi 5 in 2 cards + 20 No meld 25 35" in shown
    answer = marker.saved(f"{game}/hands/1/correct", changed)
    assert answer.location == f"{game}/hands/1"
    assert totals(marker, game) == [0, 21, 35]


def test_a_hand_that_is_not_marked_is_not_corrected(marker, game):
    assert marker.client.get(f"{game}/hands/1/correct").location == f"{game}/end"
    answer = marker.refused(f"{game}/hands/1/correct", BEN_AND_CHANDI)
    assert sorted(checked(answer.text, "cards-1")) == ["AH", "KC"]


# -- throwing in ----------------------------------------------------------------------------------


def test_a_hand_thrown_in_is_dealt_again_by_the_same_dealer(marker, game, carioca):
    marker.write(game, TOUCHED)
    draft = f'data-draft="{game.rpartition("/")[2]}:hand-1:end'
    form = marker.open(f"{game}/end")
    assert draft + '"' in form
    assert f'href="{game}/throw-in"' in form
    asks = text(marker.open(f"{game}/throw-in"))
    assert "Throw hand 1 in?" in asks
    assert "Ana deals hand 1 again" in asks
    assert "Penalties that were charged stay" in asks
    assert "20 points to Chandi" in asks
    assert marker.saved(f"{game}/throw-in").location == game
    assert "Hand 1 is thrown in. Ana deals it again." in text(marker.open(game))
    assert totals(marker, game) == [0, 0, 20]
    # What was half entered before was of another deal.
    assert draft + '-1"' in marker.open(f"{game}/end")
    assert "CAR-7" not in marker.open(f"{carioca}/throw-in")  # a rule on marks


# -- ending the game early ------------------------------------------------------------------------


def test_a_game_can_be_ended_once_a_hand_is_marked(marker, game):
    assert f"{game}/end-game" not in marker.open(game)
    assert f"{game}/end-game" not in copies(marker, game)
    refused = marker.refused(f"{game}/end-game")
    assert "No hand is marked yet. Mark one, or delete the game instead." in text(refused.text)
    marker.saved(f"{game}/end", BEN_AND_CHANDI)
    assert f'href="{game}/end-game"' in marker.open(game)
    assert f"{game}/end-game" in copies(marker, game)
    # A hand in which nothing counts has no row.
    marker.saved(f"{game}/end-game")
    for page in ("sheet", "tally"):
        assert f'href="{game}/hands/2"' not in marker.open(f"{game}/{page}")
    assert marker.open(f"{game}/sheet").count("<tr>") == 1 + 1 + 1
    assert "not marked" not in text(marker.open(f"{game}/tally"))


def test_a_game_ended_early_is_over_on_every_page(marker, stranger, game):
    marker.saved(f"{game}/end", BEN_AND_CHANDI)
    marker.write(game, PenaltyCharged(2, 2, "PRO-13.3"))
    viewed = viewers_link(marker, game)
    asks = text(marker.open(f"{game}/end-game"))
    for says in (
        "Ana leads with 0 points.",
        "The game counts as finished, with 1 of 13 hands.",
        "The cards of hand 2 do not count. Penalties that were charged stay, unless you take them",
        "20 points to Chandi",
    ):
        assert says in asks
    marker.saved(f"{game}/end-game")
    page = marker.open(game)
    assert "Game ended after 1 of 13 hands. Undo takes that back." in text(page)
    assert "0 points after 1 of 13 hands." in text(page)
    assert f'href="{game}/again"' in page
    sheet = marker.open(f"{game}/sheet")
    assert sheet.count("<tr>") == 1 + 2 + 1
    assert text(sheet).count("★ wins") == 2  # the winner's total, and the key
    assert "★ leads" not in text(sheet)
    assert "Ana wins with 0 points." in text(marker.open(f"{game}/tally"))
    assert "over after 1 of 13 hands · Ana won with 0" in text(marker.open("/"))
    assert "Is a play in dispute?" not in marker.open(f"{game}/penalty")  # nobody can ask now
    hand = text(marker.open(f"{game}/hands/2"))
    assert "The game was over before it was marked." in hand
    assert "dealt" not in hand  # nobody said that it was
    assert "so far" not in hand
    assert "Total after the hand: 25" in hand  # Chandi: 2 + 3, and the penalty
    assert "End the hand" not in hand
    seen = stranger.open(viewed)
    assert "Final score" in text(seen)
    assert "Game ended after 1 hand" in text(seen)
    assert "every 15s" in seen
    begun = marker.saved(f"{game}/again").location
    assert viewers_link(marker, begun) in stranger.open(viewed)


def test_no_entry_is_saved_after_a_game_was_ended(marker, game):
    mark(marker, game)
    sent = {page: marker.hidden(f"{game}/{page}") for page in ("end", "throw-in")}
    marker.saved(f"{game}/end-game")
    assert marker.client.get(f"{game}/end").location == game
    assert "The game was ended after 1 hand. Undo that to play on." in text(marker.open(game))
    for page, hidden in sent.items():
        late = marker.post(f"{game}/{page}", BEN_AND_CHANDI, **hidden)
        assert late.status_code == 409
        assert "Game ended after 1 hand" in text(late.text)
    # After the last hand there is no hand to end.
    game = begin(marker)
    mark(marker, game, hands=13)
    for page in ("end", "throw-in", "end-game"):
        assert marker.client.get(f"{game}/{page}").location == game


# -- odd requests ---------------------------------------------------------------------------------


HOSTILE = [
    {"out": "9" * 400},
    {"out": "-1", "points-1": "1e9"},
    {"out": "²", "points-1": "²"},
    {"out": "0", "cards-1": ["KC"] * 400},
    {"out": "0", "cards-1": "XX", "cards-2": "XX XX XX"},
    {"out": "0", "cards-1": "8H=6C"},
    {"out": "0", "cards-1": "<b>", "melded-1": "<b>", "by": "<b>", "rest": "<b>"},
    {"out": "0", "wilds-1": "-3", "points-1": "3", "wilds-2": "99999999999999", "points-2": "4"},
    {"out": "0", "points-1": "\u202e\u0000--5"},
]


def test_no_input_breaks_the_page(marker: Marker):
    game = begin(marker)
    hidden = marker.hidden(f"{game}/end")
    for fields in HOSTILE:  # the page that refuses them shows what they come to, too
        answer = marker.post(f"{game}/end", fields, **hidden)
        assert answer.status_code == 422, fields
        assert "<b>&lt;" not in answer.text
    for base in ("", "x", "-1", "999999999999"):
        answer = marker.post(f"{game}/end", BEN_AND_CHANDI, **hidden | {"base": base})
        assert answer.status_code in {409, 422}
        assert sorted(checked(answer.text, "cards-1")) == ["AH", "KC"]
