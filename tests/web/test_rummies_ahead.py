"""Pages of hands that have not begun in Indian Rummy, and what is entered on them (IND-1, IND-7).

Ana, Ben and Chandi play; where an 8 was turned, eights are wild. Three players can have a first
Rummy each, and then one of them a second: there can be four hands.
"""

import re

import pytest

from tests.web.conftest import Marker, begin, copies, text
from tests.web.indian_hands import (
    ANA,
    BEN,
    CHANDI,
    EARLY,
    charged,
    declared,
    main,
    saved,
    turn,
)


def after(marker: Marker, game: str, rummies: str, left: str = "") -> None:
    """Write down who declared, one after the other, and then who has left since."""
    for out in rummies:
        declared(marker, game, out)
    for player in left:
        charged(marker, game, player, EARLY)


def hands(marker: Marker, game: str) -> list[int]:
    """The hands that have not begun and have a page."""
    found = re.findall(rf"{game}\?hand=(\d+)", " ".join(copies(marker, game)))
    return [int(hand) for hand in found]


# -- which hands ----------------------------------------------------------------------------------


def test_hands_to_come_are_those_up_to_the_last_that_there_can_be(marker, rummy):
    assert hands(marker, rummy) == [2, 3, 4]
    after(marker, rummy, ANA)
    assert hands(marker, rummy) == [3, 4]
    after(marker, rummy, "", BEN)  # Chandi can have a first one in hand 2
    assert hands(marker, rummy) == [3]
    after(marker, rummy, "", ANA)  # Chandi has won
    assert hands(marker, rummy) == []


def test_a_table_of_ten_keeps_no_more_than_a_game_of_thirteen_hands(marker):
    ten = begin(marker, [f"Player {seat}" for seat in range(10)], game="indian_rummy")
    assert hands(marker, ten) == [*range(2, 12)]
    thirteen = begin(marker, ("Ana", "Ben", "Chandi"))
    assert len(copies(marker, ten)) == 86 < len(copies(marker, thirteen))


# -- the page of the hand -------------------------------------------------------------------------


def test_a_hand_ahead_has_the_card_that_was_turned_for_the_open_one(marker, rummy):
    turn(marker, rummy)
    for hand in (2, 4):
        page = marker.open(f"{rummy}?hand={hand}")
        assert f"<h1>Hand {hand}</h1>" in page
        assert 'aria-label="Turned up: 8"' in page
        assert "Wild jokers and 8s" in main(page)
        assert f"Hand {hand - 1} is not saved yet. There are no totals here." in main(page)
        assert f"Whoever declared in hand {hand - 1} takes 13 new cards" in main(page)
        # Hand 1 wins nothing.
        asked = "Was it a second Rummy, or is" if hand > 2 else "The next player plays on. Is"
        assert f"{asked} one player left? Then the game is won" in main(page)
        assert "Deals" not in main(page)
        for link in (f"/end?hand={hand}", f"/penalty?hand={hand}", f"/ruling?hand={hand}"):
            assert f'href="{rummy}{link}"' in page


def test_where_it_is_not_on_record_which_card_was_turned_the_pages_say_so(marker, rummy):
    for address in ("?hand=2", "/ruling?hand=2"):
        page = main(marker.open(rummy + address))
        assert "The card turned up was not saved yet when this page was kept" in page
        assert "Which card was turned up?" not in page
        assert "Wild" not in page
    assert '<option value="" selected>As it was entered before<' in marker.open(
        f"{rummy}/end?hand=2"
    )
    turn(marker, rummy)
    for address in ("?hand=2", "/ruling?hand=2"):
        assert "was not saved yet when" not in main(marker.open(rummy + address))
    assert 'name="turned"' not in marker.open(f"{rummy}/end?hand=2")
    for ask in ("discard", "meld", "declare"):
        page = marker.open(f"{rummy}/ruling?hand=2&ask={ask}")
        assert "8 of spades, a joker" in page or "8 of spades, wild" in page


# -- the end of the hand --------------------------------------------------------------------------


WINS = "second Rummy: wins"


@pytest.mark.parametrize(
    ("rummies", "left", "hand", "outs", "which", "steps", "then", "won"),
    [
        # The open hand: Ana has a Rummy.
        (
            *(ANA, "", 2, {ANA: WINS, BEN: "", CHANDI: ""}, ""),
            *({BEN: "out=0", CHANDI: "out=0"}, "?hand=3", "out=0"),
        ),
        # Hands ahead: of nobody, or of Ana alone, is it known that another Rummy wins.
        (
            *("", "", 2, {ANA: "", BEN: "", CHANDI: ""}, "out=0,1,2"),
            *({ANA: "second=yes", BEN: "second=yes", CHANDI: "second=yes"}, "?hand=3"),
            "second=yes",
        ),
        (
            *(ANA, "", 3, {ANA: WINS, BEN: "", CHANDI: ""}, "out=1,2"),
            {ANA: "second=yes", BEN: "out=0 second=yes", CHANDI: "out=0 second=yes"},
            *("?hand=4", "out=0 second=yes"),
        ),
        # By the last hand that there can be everyone has one.
        (
            *("", "", 4, {ANA: WINS, BEN: WINS, CHANDI: WINS}, ""),
            *({ANA: "out=1,2", BEN: "out=0,2", CHANDI: "out=0,1"}, "/again", ""),
        ),
        (
            *(ANA, BEN, 3, {ANA: WINS, CHANDI: WINS}, ""),
            *({ANA: "out=2", CHANDI: "out=0"}, "/again", ""),
        ),
    ],
)
def test_the_form_of_the_end_asks_for_what_only_the_marker_can_know(
    marker, rummy, rummies, left, hand, outs, which, steps, then, won
):
    after(marker, rummy, rummies, left)
    page = marker.open(f"{rummy}/end?hand={hand}")
    assert f"<h1>End of hand {hand}</h1>" in page
    found = re.findall(
        r'name="out" value="(\d)".*?</bdi>(?: <small>([^<]*)</small>)?', page.replace("\n", " ")
    )
    assert dict(found) == outs
    assert re.findall(r'data-step="Which" data-step-only="([^"]*)"', page) == [which][: len(which)]
    names = {"Ana": ANA, "Ben": BEN, "Chandi": CHANDI}
    only = re.findall(r'data-step="(Ana|Ben|Chandi)"[^>]* data-step-only="([^"]*)"', page)
    assert {names[name]: text for name, text in only} == steps
    assert f'data-then="{rummy}{then}"' in page
    assert re.findall(r'data-won="([^"]*)"', page) == ([won] if won else [])
    assert (f'data-won-then="{rummy}/again"' in page) is bool(won)
    assert ("Is it their first Rummy or their second?" in page) is bool(which)
    # What it comes to cannot be said before the hands before it are saved.
    assert ("What it comes to" in page) is ("data-ahead" not in page)


# -- leaving --------------------------------------------------------------------------------------


def test_who_still_plays_can_leave_in_a_hand_ahead_for_what_the_house_says(marker):
    rules = {"rule-leave_early": "15", "rule-leave_late": "40"}
    game = begin(marker, ("Ana", "Ben", "Chandi"), game="indian_rummy", **rules)
    assert "Left the game early" not in marker.open(f"{game}/penalty")
    leaves = f'href="{game}/penalty?hand=2&amp;leaves=1#leaves">Somebody leaves'
    assert leaves in marker.open(f"{game}?hand=2")
    page = marker.open(f"{game}/penalty?hand=2")
    assert "Left the game early 15 points Left the game later 40 points" in text(page)
    assert "IND-8 · 80 points" in text(page)
    saved(marker, f"{game}/end", {"out": ANA})
    saved(marker, f"{game}/penalty", {"player": BEN, "rule": EARLY, "hand": "2"})
    for form in ("penalty", "ruling"):
        page = marker.open(f"{game}/{form}?hand=3")
        assert re.findall(r'name="player" value="(\d)"', page) == [ANA, CHANDI]


# -- which copies are fetched anew ----------------------------------------------------------------


def changed(marker: Marker, game: str, before: dict[str, str]) -> set[str]:
    """The kinds of pages of hands ahead whose marks are others now."""
    now = copies(marker, game)
    addresses = [one for one in now if "?hand=" in one and now[one] != before[one]]
    return {one.removeprefix(game).partition("?")[0] for one in addresses}


def test_pages_ahead_are_fetched_anew_when_what_they_show_has_changed(marker, rummy):
    before = copies(marker, rummy)
    turn(marker, rummy)
    all_kinds = {"", "/end", "/penalty", "/ruling"}
    assert changed(marker, rummy, before) == all_kinds  # what is wild
    before = copies(marker, rummy)
    saved(marker, f"{rummy}/penalty", {"player": CHANDI, "rule": "IND-8"})
    assert changed(marker, rummy, before) == set()
    saved(marker, f"{rummy}/end", {"out": ANA})
    assert changed(marker, rummy, before) == all_kinds  # who has a Rummy
    before = copies(marker, rummy)
    saved(marker, f"{rummy}/penalty", {"player": ANA, "rule": EARLY})
    assert changed(marker, rummy, before) == all_kinds  # who plays
    marker.act(rummy, to=f"{rummy}/undo")
    assert changed(marker, rummy, before) == set()


def test_a_ruling_that_says_the_turned_card_is_given_behind_a_hand_that_was_saved_meanwhile(
    marker, rummy
):
    hidden = marker.hidden(f"{rummy}/ruling?ask=meld&player=1&hand=2", f"{rummy}/ruling")
    assert (hidden["hand"], hidden["base"]) == ("2", "1")
    after(marker, rummy, ANA)
    fields = {"ask": "meld", "player": BEN, "cards": ["5C", "6C", "7C"], "turned": "8"}
    for _ in range(2):
        answer = marker.client.post(
            f"{rummy}/ruling", data=hidden | fields, headers={"X-Action": "later"}
        )
        # After the start and hand 1: the turned card, and the ruling.
        says = "Ruling on Ben: Meld 5♣, 6♣, 7♣: legal"
        told = {"to": f"{rummy}/rulings/4", "entry": 4, "after": 2, "says": says}
        assert answer.json == told
