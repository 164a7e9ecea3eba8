"""The end of a hand in the browser. In hand 1 the aces are the Proters, in hand 2 the twos."""

import gzip
import re
from html import unescape

import pytest

from companion.notebook.events import PenaltyCharged, PlayRecorded
from tests.web.asking import the_book
from tests.web.conftest import (
    Marker,
    begin,
    checked,
    copies,
    preview,
    text,
    totals,
    value,
    viewers_link,
    write,
)

BEN_AND_CHANDI = {"out": "0", "cards-1": ["KC", "AH"], "cards-2": ["2D", "3S"]}


# -- the form -------------------------------------------------------------------------------------


def test_the_form_asks_for_every_player_with_a_grid_of_52_cards(marker, game):
    page = marker.open(f"{game}/end")
    assert "<h1>End of hand 1</h1>" in page
    for seat in range(3):
        assert page.count(f'name="cards-{seat}"') == 52
        assert value(page, f"points-{seat}") == ""
    assert checked(page, "out") == []
    assert "Still missing" not in page
    assert "Who went out?" in page


def test_the_form_for_seven_players_is_small_enough_for_a_bad_line(marker):
    game = begin(marker, [f"Player with a long name no. {n}" for n in range(7)])
    page = marker.open(f"{game}/end")
    assert len(gzip.compress(page.encode(), 6)) < 8_000


def test_aces_are_marked_as_proters_in_hand_one(marker, game):
    page = marker.open(f"{game}/end")
    assert page.count("ace of hearts, the Proter") == 3
    assert "2 of hearts, the Proter" not in page


# -- marking --------------------------------------------------------------------------------------


def test_a_hand_is_marked_by_cards(marker, game):
    answer = marker.act(f"{game}/end", BEN_AND_CHANDI)
    assert (answer.status_code, answer.location) == (303, game)
    # Ben K 13 + A 1 + 20 for the Proter; Chandi 2 + 3.
    assert totals(marker, game) == [0, 34, 5]
    assert "Hand 2" in marker.open(game)


@pytest.mark.parametrize(
    ("fields", "points"),
    [
        (
            {"out": "2", "points-0": "14", "wilds-0": "1", "points-1": "7", "melded-0": "yes"},
            [34, 7, 0],
        ),
        ({"out": "0", "cards-1": ["KC"], "points-2": "6"}, [0, 13, 6]),
        ({"out": "none", "cards-0": ["4C"], "cards-1": ["5C"], "cards-2": ["6C"]}, [4, 5, 6]),
        (BEN_AND_CHANDI | {"melded-2": "no", "out_no_meld": "1"}, [20, 34, 25]),
        ({"out": "0", "points-1": "٧", "points-2": "６"}, [0, 7, 6]),
    ],
)
def test_marks_are_entered_by_cards_points_and_switches(marker, game, fields, points):
    marker.saved(f"{game}/end", fields)
    assert totals(marker, game) == points


def test_the_others_have_melded_if_the_button_says_so(marker, game):
    fields = {"out": "0", "points-1": "40", "points-2": "41", "melded-2": "no"}
    marker.refused(f"{game}/end", fields)
    marker.saved(f"{game}/end", fields | {"rest": "melded"})
    assert totals(marker, game) == [0, 40, 61]


def test_the_form_remembers_that_the_table_counts_points(marker, game):
    assert checked(marker.open(f"{game}/end"), "by") == ["cards"]
    marker.act(f"{game}/end", {"out": "0", "points-1": "5", "points-2": "6"})
    assert checked(marker.open(f"{game}/end"), "by") == ["points"]
    marker.act(f"{game}/end", {"out": "0", "cards-1": "5C", "points-2": "6"})
    assert checked(marker.open(f"{game}/end"), "by") == ["cards"]


def test_after_the_last_hand_there_is_no_hand_to_end(marker):
    game = begin(marker, ["Ana", "Ben"])
    for _ in range(13):
        marker.saved(f"{game}/end", {"out": "0", "cards-1": "3C"})
    for page in ("end", "throw-in"):
        assert marker.client.get(f"{game}/{page}").location == game
    # 13 threes, and in hand 3 a three is a Proter: 13 × 3 + 20.
    assert totals(marker, game) == [0, 59]


# -- what is refused: a sentence beside the field, the entry kept ----------------------------------


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({"cards-1": "KC", "cards-2": "2D"}, "out", "Say who went out, or that nobody did."),
        ({"out": "0", "cards-1": "KC"}, "cards-2", "Still missing: Chandi."),
        ({"out": "0", "cards-1": "KC", "points-2": "x"}, "points-2", "“x” is not a number"),
        ({"out": "0", "cards-1": "KC", "points-2": "9999"}, "points-2", "can't have 9999 points"),
        (
            {"out": "0", "cards-1": "KC", "cards-2": "2D", "points-2": "2"},
            "points-2",
            "There are cards and points for Chandi.",
        ),
        ({"out": "0", "cards-1": "KC", "cards-2": "ZZ"}, "cards-2", "“ZZ” is not a card."),
        (
            {"out": "0", "points-1": "5", "wilds-1": "", "points-2": "6"},
            "wilds-1",
            "How many wild cards are in Ben's points?",
        ),
        (
            {"out": "0", "cards-1": ["2C", "3C", "4D", "5D", "6H", "7H"], "cards-2": "2D"},
            "melded-1",
            "Did Ben lay a meld in this hand?",
        ),
    ],
)
def test_what_cannot_be_is_refused_beside_its_field(marker, game, fields, field, sentence):
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


def test_everybody_whose_meld_is_open_is_asked_at_once(marker, game):
    six = {"cards-1": ["2C", "3C", "4C", "5C", "6C", "7C"], "points-2": "60"}
    answer = marker.refused(f"{game}/end", {"out": "0"} | six)
    assert 'id="melded-1-error"' in answer.text
    assert 'id="melded-2-error"' in answer.text


def test_by_points_an_error_stands_beside_the_points(marker, game):
    answer = marker.act(f"{game}/end", {"out": "0", "by": "points", "points-2": "5"})
    assert 'id="points-1-error"' in answer.text
    assert checked(answer.text, "by") == ["points"]


def test_a_card_on_the_recorded_table_asks_whether_the_table_is_old(app, marker, game):
    write(app, marker, game, PlayRecorded(1, 1, "meld KC QC JC"))
    page = marker.open(f"{game}/end")
    assert page.count("<em>table</em>") == 9
    assert "king of clubs, table" in page
    assert "table_is_old" not in page
    answer = marker.refused(f"{game}/end", BEN_AND_CHANDI)
    assert 'name="table_is_old"' in answer.text
    assert "K♣ is in the recorded melds and in Ben's cards." in text(answer.text)
    fields = BEN_AND_CHANDI | {"table_is_old": "1"}
    marker.saved(f"{game}/end", fields)
    assert totals(marker, game) == [0, 34, 5]


# -- what it comes to -----------------------------------------------------------------------------


def test_the_sums_show_points_proters_and_what_they_cost(app, marker, game):
    write(app, marker, game, PenaltyCharged(1, 2, "PRO-13.3"))
    shown = text(preview(marker, game, BEN_AND_CHANDI | {"melded-2": "no"}))
    assert "Ana went out 0 0" in shown
    assert "Ben 14 in 2 cards + 20 Proter in hand 34 34" in shown
    assert "Chandi 5 in 2 cards + 20 Touched stock or pile + 20 No meld 45 45" in shown
    assert "Nothing is missing" in shown


def test_the_sums_name_who_is_missing_and_never_take_blank_for_zero(marker, game):
    shown = text(preview(marker, game, {"out": "0", "cards-1": "KC", "points-2": " "}))
    assert "Chandi missing – –" in shown
    assert "Still missing: Chandi" in shown


def test_the_sums_ask_for_the_meld_and_refuse_what_cannot_be(marker, game):
    shown = text(preview(marker, game, {"out": "0", "cards-1": "KC", "points-2": "60"}))
    assert "Chandi 60 points Did they lay a meld? Say so 60 60" in shown
    shown = text(preview(marker, game, {"out": "0", "cards-1": "KC", "points-2": "abc"}))
    assert "“abc” is not a number of points." in shown
    shown = text(
        preview(marker, game, {"out": "0", "cards-1": "KC", "points-2": "9999", "melded-2": "yes"})
    )
    assert "Chandi can't have 9999 points without a wild card: no cards still free" in shown


def test_without_scripts_working_it_out_gives_the_whole_page(marker, game):
    hidden = marker.hidden(f"{game}/end")
    answer = marker.post(f"{game}/end/preview", BEN_AND_CHANDI, **hidden)
    assert answer.status_code == 200
    assert "Ben 14 in 2 cards + 20 Proter in hand 34 34" in text(answer.text)
    assert sorted(checked(answer.text, "cards-1")) == ["AH", "KC"]
    assert f'value="{hidden["key"]}"' in answer.text
    assert totals(marker, game) == [0, 0, 0]


# -- once, and on the state that it was meant for -------------------------------------------------


def test_a_hand_that_was_marked_meanwhile_is_corrected_and_not_the_next_one_marked(marker, game):
    hidden = marker.hidden(f"{game}/end")
    marker.act(f"{game}/end", {"out": "1", "cards-0": "9C", "cards-2": "TD"})
    answer = marker.post(f"{game}/end", BEN_AND_CHANDI | {"hand": "1"}, **hidden)
    assert answer.status_code == 409
    assert "Hand 1 has been marked meanwhile." in text(answer.text)
    assert "Saved meanwhile Hand 1 marked, Ben out Unknown device" in text(answer.text)
    assert "Yours, not saved Hand 1 marked, Ana out" in text(answer.text)
    # Saved: 9 and 10 for a nine and a ten. Entered: 13 for a king, 1 for an ace and 20 because
    # that is the Proter of hand 1 (PRO-15); 2 and 3 for Chandi.
    assert "Ana 9 points 0 points Ben 0 points 34 points Chandi 10 points 5 points" in text(
        answer.text
    )
    assert '<button class="btn" form="end">Correct hand 1</button>' in answer.text
    assert "data-discard" in answer.text
    assert f'action="{game}/hands/1/correct"' in answer.text
    assert sorted(checked(answer.text, "cards-1")) == ["AH", "KC"]
    form = answer.text.partition('id="end"')[2]
    fresh = {name: value(form, name) for name in ("csrf_token", "key", "base")}
    again = marker.post(f"{game}/hands/1/correct", BEN_AND_CHANDI, **fresh)
    assert again.status_code == 303
    assert totals(marker, game) == [0, 34, 5]


@pytest.mark.parametrize("over", [False, True])
def test_a_reload_after_two_phones_marked_one_hand_leads_to_that_hand(marker, game, over):
    for _ in range(12 if over else 0):
        marker.act(f"{game}/end", {"out": "0", "cards-1": "9C", "cards-2": "TD"})
    hand = 13 if over else 1
    page = marker.open(f"{game}/end")
    sent_to = unescape(re.search(r'<form id="end"[^>]* action="([^"]*)"', page)[1])
    hidden = marker.hidden(f"{game}/end")
    marker.act(f"{game}/end", {"out": "1", "cards-0": "9C", "cards-2": "TD"})
    answer = marker.post(sent_to, BEN_AND_CHANDI | {"hand": f"{hand}"}, **hidden)
    assert answer.status_code == 409
    again = marker.client.get(sent_to)
    assert (again.status_code, again.location) == (303, f"{game}/hands/{hand}/correct")
    corrects = marker.open(again.location)
    assert f"Hand {hand} is marked. Correct it here if its points are wrong." in text(corrects)
    assert checked(corrects, "out") == ["1"]


def test_a_form_for_a_hand_whose_beginning_was_undone_keeps_the_entry(marker, game):
    marker.act(f"{game}/end", BEN_AND_CHANDI)
    hidden = marker.hidden(f"{game}/end")
    marker.act(game, to=f"{game}/undo")
    answer = marker.post(f"{game}/end", {"hand": "2", "out": "0", "cards-1": "9C"}, **hidden)
    assert answer.status_code == 409
    assert "End of hand 2" in answer.text
    assert checked(answer.text, "cards-1") == ["9C"]


def test_what_was_undone_is_in_the_form_again(marker, game):
    marker.act(f"{game}/end", BEN_AND_CHANDI | {"melded-2": "no"})
    marker.act(game, to=f"{game}/undo")
    page = marker.open(f"{game}/end")
    assert "This is what was saved before it was undone." in text(page)
    assert checked(page, "out") == ["0"]
    assert sorted(checked(page, "cards-1")) == ["AH", "KC"]
    assert checked(page, "melded-2") == ["no"]
    assert checked(marker.open(f"{game}/end?fresh=1"), "cards-1") == []


def test_another_act_that_was_undone_leaves_the_form_empty(app, marker, game):
    write(app, marker, game, PenaltyCharged(1, 2, "PRO-13.3"))
    marker.act(game, to=f"{game}/undo")
    assert "before it was undone" not in marker.open(f"{game}/end")


def test_a_hand_dealt_again_has_a_draft_of_its_own(marker, game):
    name = f'data-draft="{game.rpartition("/")[2]}:hand-1:end'
    assert name + '"' in marker.open(f"{game}/end")
    marker.act(f"{game}/throw-in", {"hand": "1"})
    assert name + '-1"' in marker.open(f"{game}/end")


# -- correcting -----------------------------------------------------------------------------------


@pytest.fixture
def marked(marker: Marker, game: str) -> str:
    """The game with hand 1 marked: Ana out, Ben K♣ A♥, Chandi 2♦ 3♠ and no meld."""
    marker.act(f"{game}/end", BEN_AND_CHANDI | {"melded-2": "no"})
    return game


def test_a_correction_begins_with_what_stands(marker, marked):
    page = marker.open(f"{marked}/hands/1/correct")
    assert "<h1>Correct hand 1</h1>" in page
    assert checked(page, "out") == ["0"]
    assert sorted(checked(page, "cards-1")) == ["AH", "KC"]
    assert (checked(page, "melded-1"), checked(page, "melded-2")) == ([], ["no"])
    assert "Thrown in" not in page


def test_a_correction_begins_with_points_and_switches_too(marker, game):
    fields = {"out": "0", "points-1": "41", "wilds-1": "1", "points-2": "6"}
    fields |= {"melded-1": "yes", "out_no_meld": "1"}
    marker.saved(f"{game}/end", fields)
    page = marker.open(f"{game}/hands/1/correct")
    assert (value(page, "points-1"), value(page, "points-2")) == ("41", "6")
    assert re.search(r'id="wilds-1".*?value="1" selected', page, re.DOTALL)
    assert checked(page, "melded-1") == ["yes"]
    assert checked(page, "out_no_meld") == ["1"]
    assert checked(page, "by") == ["points"]


def test_a_correction_counts_and_the_old_value_stays_readable(marker, marked):
    assert totals(marker, marked) == [0, 34, 25]
    fields = {"out": "0", "cards-1": ["QC", "AH"], "cards-2": ["2D", "3S"], "melded-2": "no"}
    answer = marker.act(f"{marked}/hands/1/correct", fields)
    assert (answer.status_code, answer.location) == (303, f"{marked}/hands/1")
    assert totals(marker, marked) == [0, 33, 25]
    page = marker.open(f"{marked}/hands/1")
    ben = page.partition('id="player-1"')[2].partition("</section>")[0]
    struck = ben.partition("<del>")[2].partition("</del>")[0]
    assert "<b>34</b>" in struck
    assert "king of clubs" in struck
    chandi = page.partition('id="player-2"')[2].partition("</section>")[0]
    assert "<del>" not in chandi


def test_the_sums_of_a_correction_are_for_that_hand(marker, marked):
    marker.act(f"{marked}/end", {"out": "0", "cards-1": "9C", "cards-2": "TC"})
    shown = text(preview(marker, marked, {"out": "0", "cards-1": "QC", "cards-2": "4C"}, hand="1"))
    # Ben 12 now and 9 in hand 2; Chandi 4 and 10.
    assert "Ben 12 in 1 card 12 21" in shown
    assert "Chandi 4 in 1 card 4 14" in shown


def test_penalties_of_the_hand_can_be_taken_back_from_its_correction(app, marker, marked):
    write(app, marker, marked, PenaltyCharged(1, 0, "PRO-13.3"))
    page = marker.open(f"{marked}/hands/1/correct")
    assert f'action="{marked}/penalties/3/withdraw"' in page
    assert 'aria-label="Take back 20 from Ana"' in page


def test_a_hand_that_is_not_marked_is_not_corrected(marker, game):
    assert marker.client.get(f"{game}/hands/1/correct").location == f"{game}/end"
    answer = marker.saved(f"{game}/end", BEN_AND_CHANDI, to=None)
    hidden = marker.hidden(f"{game}/end")
    answer = marker.post(f"{game}/hands/2/correct", BEN_AND_CHANDI, **hidden)
    assert answer.status_code == 422
    assert sorted(checked(answer.text, "cards-1")) == ["AH", "KC"]


# -- throwing in ----------------------------------------------------------------------------------


def test_throwing_in_says_first_what_stays(app, marker, game):
    write(app, marker, game, PenaltyCharged(1, 2, "PRO-13.3"))
    page = text(marker.open(f"{game}/throw-in"))
    assert "Throw hand 1 in?" in page
    assert "Ana deals hand 1 again" in page
    assert "Penalties that were charged stay" in page
    assert "20 to Chandi" in page


def test_a_hand_thrown_in_is_dealt_again_by_the_same_dealer(app, marker, game):
    write(app, marker, game, PenaltyCharged(1, 2, "PRO-13.3"))
    answer = marker.act(f"{game}/throw-in", {"hand": "1"})
    assert (answer.status_code, answer.location) == (303, game)
    page = text(marker.open(game))
    assert "Hand 1 is thrown in. Ana deals it again." in page
    assert totals(marker, game) == [0, 0, 20]


def test_throwing_in_on_a_stale_page_asks_again(marker, game):
    hidden = marker.hidden(f"{game}/throw-in")
    marker.act(f"{game}/end", BEN_AND_CHANDI)
    answer = marker.post(f"{game}/throw-in", {"hand": "1"}, **hidden)
    assert answer.status_code == 409
    assert "Throwing in hand 1" in text(answer.text)
    assert "Hand 1 marked, Ana out" in text(answer.text)
    assert "Yours, not saved Hand 1 thrown in" in text(answer.text)
    assert f'href="{game}/hands/1/correct">Correct hand 1</a>' in answer.text
    # Nothing on that page can be sent to hand 2.
    assert f'action="{game}/throw-in"' not in answer.text


# -- ending the game early ------------------------------------------------------------------------


@pytest.fixture
def one_hand(app, marker, game) -> str:
    """A game with one hand marked, Ana 0, Ben 34, Chandi 5, and 20 for Chandi in the next one."""
    marker.saved(f"{game}/end", BEN_AND_CHANDI)
    write(app, marker, game, PenaltyCharged(2, 2, "PRO-13.3"))
    return game


def test_a_game_can_be_ended_once_a_hand_is_marked(marker, game):
    assert f"{game}/end-game" not in marker.open(game)
    assert f"{game}/end-game" not in copies(marker, game)
    refused = marker.refused(f"{game}/end-game")
    assert "No hand is marked yet. Mark one, or delete the game instead." in text(refused.text)
    marker.saved(f"{game}/end", BEN_AND_CHANDI)
    assert f'href="{game}/end-game"' in marker.open(game)
    assert f"{game}/end-game" in copies(marker, game)


def test_ending_the_game_says_first_what_happens(marker, one_hand):
    page = text(marker.open(f"{one_hand}/end-game"))
    for says in (
        "Ana leads with 0 points.",
        "The game counts as finished, with 1 of 13 hands.",
        "The cards of hand 2 do not count. Its penalties stay, unless you take them back here.",
        "20 to Chandi",
        "Nothing more can be played. Undo takes this back.",
    ):
        assert says in page


def test_a_game_ended_early_is_over_on_every_page(marker, stranger, one_hand):
    viewed = viewers_link(marker, one_hand)
    marker.saved(f"{one_hand}/end-game")
    page = text(marker.open(one_hand))
    assert "Game ended after 1 of 13 hands. Undo takes that back." in page
    assert "Ana wins" in page
    assert "0 points after 1 of 13 hands." in page
    assert f'href="{one_hand}/again"' in marker.open(one_hand)
    assert marker.open(f"{one_hand}/sheet").count("<tr>") == 1 + 2 + 1
    tally = text(marker.open(f"{one_hand}/tally"))
    assert "Proter, 1 of 13 hands: 1. Ana 0, 2. Chandi 25, 3. Ben 34" in tally
    assert "Ana wins with 0 points." in tally
    assert "Proter, 1 of 13 hands" in marker.open(f"{one_hand}/result.svg")
    assert "over after 1 of 13 hands · Ana won with 0" in text(marker.open("/"))
    hand = text(marker.open(f"{one_hand}/hands/2"))
    assert "The game was over before it was marked." in hand
    assert "End the hand" not in hand
    seen = stranger.open(viewed)
    assert "Final score" in text(seen)
    assert "Game ended after 1 hand" in text(seen)
    assert "every 15s" in seen
    begun = marker.saved(f"{one_hand}/again").location
    assert viewers_link(marker, begun) in stranger.open(viewed)


def test_a_hand_in_which_the_game_was_ended_has_no_row_if_nothing_in_it_counts(marker, game):
    marker.saved(f"{game}/end", BEN_AND_CHANDI)
    marker.saved(f"{game}/end-game")
    for page in ("sheet", "tally"):
        assert f'href="{game}/hands/2"' not in marker.open(f"{game}/{page}")
    assert marker.open(f"{game}/sheet").count("<tr>") == 1 + 1 + 1
    assert "not marked" not in text(marker.open(f"{game}/tally"))


def test_nothing_is_marked_in_a_game_that_was_ended_until_that_is_undone(marker, one_hand):
    marks = marker.hidden(f"{one_hand}/end")
    throw = marker.hidden(f"{one_hand}/throw-in")
    marker.saved(f"{one_hand}/end-game")
    for page in ("end", "throw-in", "end-game"):
        assert marker.client.get(f"{one_hand}/{page}").location == one_hand
    assert "The game was ended after 1 hand. Undo that to play on." in text(marker.open(one_hand))
    late = marker.post(f"{one_hand}/end", BEN_AND_CHANDI, **marks)
    assert late.status_code == 409
    assert "Game ended after 1 hand" in text(late.text)
    assert marker.post(f"{one_hand}/throw-in", {}, **throw).status_code == 409
    marker.saved(one_hand, to=f"{one_hand}/undo")
    assert "Redo: Game ended after 1 hand" in marker.open(one_hand)
    marker.saved(f"{one_hand}/end", BEN_AND_CHANDI)
    assert "Hand 3" in marker.open(one_hand)


def test_an_end_of_the_game_that_is_sent_twice_is_one_entry(app, marker, one_hand):
    hidden = marker.hidden(f"{one_hand}/end-game")
    for _ in range(2):
        assert marker.post(f"{one_hand}/end-game", {}, **hidden).status_code == 303
    assert the_book(app, marker, one_hand).sheet.number == 4


def test_ending_the_game_on_a_stale_page_ends_nothing(app, marker, one_hand):
    hidden = marker.hidden(f"{one_hand}/end-game")
    write(app, marker, one_hand, PenaltyCharged(2, 1, "PRO-13.3"))
    late = marker.post(f"{one_hand}/end-game", {}, **hidden)
    assert late.status_code == 409
    assert "Saved meanwhile 20 points to Ben (PRO-13.3)" in text(late.text)
    assert f'action="{one_hand}/end-game"' in late.text
    marker.saved(f"{one_hand}/end", BEN_AND_CHANDI)
    late = marker.post(f"{one_hand}/end-game", {}, **hidden)
    assert late.status_code == 409
    assert "Ending the game hand 2" in text(late.text)
    assert "Hand 3" in marker.open(one_hand)


# -- who may, and what else is sent ---------------------------------------------------------------


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


@pytest.mark.parametrize("fields", HOSTILE)
def test_no_input_breaks_the_page(marker, game, fields):
    assert preview(marker, game, fields)
    answer = marker.refused(f"{game}/end", fields)
    assert "<b>&lt;" not in answer.text


@pytest.mark.parametrize("base", ["", "x", "-1", "999999999999"])
def test_a_form_without_its_base_is_not_saved(marker, game, base):
    hidden = marker.hidden(f"{game}/end") | {"base": base}
    answer = marker.post(f"{game}/end", BEN_AND_CHANDI, **hidden)
    assert answer.status_code in {409, 422}
    assert sorted(checked(answer.text, "cards-1")) == ["AH", "KC"]
