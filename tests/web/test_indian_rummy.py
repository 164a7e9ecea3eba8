"""Indian Rummy on the pages: the turned card, Rummies, leaving, who pays whom (IND-1 … IND-8).

Ana, Ben and Chandi play with two packs; where an 8 was turned, eights are wild. Three players can
have a first Rummy each, and then one of them a second: there can be four hands.
"""

import csv
import io
import re
from collections.abc import Callable

import pytest

from companion.notebook.events import CardTurned, Event, HandMarked, PenaltyCharged
from companion.rules.cards import Rank
from tests.web.asking import ANA, BEN, CHANDI
from tests.web.conftest import (
    Marker,
    begin,
    carried,
    checked,
    copies,
    preview,
    text,
    totals,
    viewers_link,
)

EARLY, LATE, WRONG = "IND-7.1", "IND-7.2", "IND-8"


# Two clean sequences, and 2 + 3 + 5 and three kings of two suits left.
BENS = ["4H", "5H", "6H", "7H", "9C", "TC", "JC", "2S", "3D", "5D", "KS", "KS", "KC"]
# No sequence without a wild card: all count, the eight and the joker nothing.
CHANDIS = ["8D", "XX", "AC", "AD", "3H", "5C", "7C", "9D", "JD", "QS", "KH", "4S", "6S"]
BENS_LEFT, CHANDIS_LEFT = 2 + 3 + 5 + 30, 20 + 3 + 5 + 7 + 9 + 30 + 4 + 6


def turn(marker: Marker, game: str, rank: str = "8") -> None:
    """Record which card was turned up."""
    _write(marker, game, lambda hand: CardTurned(hand, rank))


def declared(marker: Marker, game: str, out: str) -> None:
    """Record a first Rummy."""
    _write(marker, game, lambda hand: HandMarked(hand, int(out), ()))


def charged(marker: Marker, game: str, player: str, rule: str) -> None:
    """Record a penalty, or that a player leaves."""
    _write(marker, game, lambda hand: PenaltyCharged(hand, int(player), rule))


def after(marker: Marker, game: str, rummies: str, left: str = "") -> None:
    """Record who declared, one after the other, and then who has left."""
    for out in rummies:
        declared(marker, game, out)
    for player in left:
        charged(marker, game, player, EARLY)


def _write(marker: Marker, game: str, make: Callable[[int], Event]) -> None:
    marker.write(game, make(marker.loaded(game).sheet.hand.number))


def main(page: str) -> str:
    """Return the text of the main part of a page."""
    return text(page.partition("<main")[2])


# -- the turned card ------------------------------------------------------------------------------


def test_one_tap_on_the_hands_page_says_which_card_was_turned(marker, rummy):
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
    assert marker.loaded(rummy).sheet.hand.turned is Rank.EIGHT
    assert f"{rummy}/turned" in page  # another card can be said while the game goes on
    marker.saved(f"{rummy}/turned", {"rank": "X"})
    assert "Turned up: joker. Wild: jokers and aces." in text(marker.open(rummy))


def test_a_wrong_rank_is_refused_beside_the_ranks(marker, rummy):
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
    marker.saved(f"{rummy}/end", {"out": ANA})
    page = main(marker.open(rummy))
    assert "Hand 2" in page
    assert "of 11" not in page
    assert "Goes on: the 13 cards shown go under the stock, Ana takes 13 new cards" in page
    assert "Plays next: Ben" in page
    assert "Plays first" not in page
    assert "How to deal" not in page
    assert "1 Rummy" in page
    assert "D Rummy , deals" in main(marker.open(f"{rummy}/sheet"))
    assert "went out" not in main(marker.open(f"{rummy}/sheet"))  # which nobody does here


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
    assert "Winner: Ana, who is paid 124 points." in said
    assert "Tap in their melds" not in said
    assert re.findall(r"<td><b>(\d+)</b>", sums) == ["0", "40", "84"]
    marker.saved(f"{rummy}/end", fields)
    page = main(marker.open(rummy))
    assert "Ana wins" in page
    assert "Is paid 124 points." in page
    assert "Chandi pays Ana 84" in page
    assert totals(marker, rummy) == [0, BENS_LEFT, CHANDIS_LEFT]
    for hand, has_melds in ((1, False), (2, True)):
        form = marker.open(f"{rummy}/hands/{hand}/correct")
        assert ("the melds are here" in form) is has_melds


def test_cards_before_a_correction_of_the_turned_card_have_the_values_they_had(marker, rummy):
    turn(marker, rummy)
    declared(marker, rummy, ANA)
    fields = {"out": ANA, "cards-1": BENS, "points-2": "5"}
    marker.saved(f"{rummy}/end", fields)
    marker.saved(f"{rummy}/hands/2/correct", fields | {"turned": "K"})
    now, before = text(marker.open(f"{rummy}/hands/2")).split("Before the correction:")
    assert "K ♠︎ 10" not in now
    assert "K ♠︎ 10 K ♠︎ 10" in before  # kings were not wild
    assert "fewer" not in before


def test_where_all_cards_count_up_to_a_limit_no_grouping_is_asked_for(marker):
    """All cards held count, in melds or not, and never more than 80 points (IND-8)."""
    game = begin(marker, **{"game": "indian_rummy", "rule-count": "all", "rule-cap": "80"})
    turn(marker, game)
    declared(marker, game, ANA)
    form = marker.open(f"{game}/end")
    assert "grouped them differently" not in form
    # Ben's are 4+5+6+7, 9+10+10 and 2+3+5+30 = 91, Chandi's 84.
    fields = {"out": ANA, "cards-1": BENS, "points-2": "79"}
    said = text(preview(marker, game, fields))
    assert "80 in 13 cards, the limit" in said
    assert "79 points 79" in said
    assert "80 points, the limit" in text(preview(marker, game, fields | {"points-2": "84"}))
    marker.saved(f"{game}/end", fields)
    assert totals(marker, game) == [0, 80, 79]


def test_a_correction_that_wins_the_game_asks_for_the_cards_of_its_last_hand(marker, rummy):
    """Hand 1 was Ana's, so hers in hand 2 is the second: the others pay their cards (IND-8)."""
    declared(marker, rummy, BEN)
    declared(marker, rummy, ANA)
    says = "Hand 2 wins the game now, but the cards left of Ben and Chandi are not counted yet."
    assert says not in text(marker.open(rummy))
    answer = marker.saved(f"{rummy}/hands/1/correct", {"out": ANA})
    told = text(marker.open(answer.location))
    assert "Hand 1 corrected: Rummy of Ana." in told
    assert says in told
    for page in (rummy, f"{rummy}/tally"):
        said = text(marker.open(page))
        assert says in said
        assert not re.search("Nobody owes anything|[Ii]s paid|Settle up", said)
        assert f'href="{rummy}/hands/2/correct"' in marker.open(page)
    seen = text(marker.open(f"{viewers_link(marker, rummy)}/tally"))
    assert says in seen
    assert "Ana wins." in seen
    assert "is paid" not in seen
    assert "Paid" not in marker.open(f"{rummy}/tally.csv")
    seen = text(marker.open(f"{rummy}/hands/2"))
    assert seen.count("The cards left are not counted yet") == 2
    assert "No cards of this player count" not in seen
    marker.saved(f"{rummy}/hands/2/correct", {"out": ANA, "points-1": "30", "points-2": "45"})
    page = text(marker.open(rummy))
    assert says not in page
    assert "Chandi pays Ana 45" in page
    assert totals(marker, rummy) == [0, 30, 45]


def test_the_turned_card_is_asked_for_before_cards_are_arranged(marker, rummy):
    declared(marker, rummy, ANA)
    fields = {"out": ANA, "cards-1": BENS, "cards-2": CHANDIS}
    assert 'name="turned"' in marker.open(f"{rummy}/end")
    answer = marker.refused(f"{rummy}/end", fields)
    assert "Say which card was turned up: it makes its rank wild (IND-1)." in text(answer.text)
    assert sorted(checked(answer.text, "cards-1")) == sorted(BENS)
    # Until then no points are said that it can change.
    assert "Ben It depends on the card that was turned up." in text(answer.text)
    assert answer.text.count("<td>–</td><td>–</td>") == 2
    answer = marker.refused(f"{rummy}/end", {"out": ANA, "cards-1": BENS, "turned": "8"})
    assert 'value="8" selected' in answer.text  # Chandi's are missing


# -- leaving --------------------------------------------------------------------------------------


def test_a_player_who_left_is_in_no_form(marker, rummy):
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
    marker.saved(f"{rummy}/end", {"out": ANA, "points-2": "17"})
    assert totals(marker, rummy) == [0, 10, 17]


def test_the_page_after_the_last_other_player_left_says_who_won(marker, rummy):
    after(marker, rummy, ANA, BEN)
    answer = marker.saved(f"{rummy}/penalty", {"player": CHANDI, "rule": EARLY, "hand": "2"})
    page = text(marker.open(answer.location))
    assert "Chandi left the game and pays 10 points (IND-7.1)." in page
    assert "Ana wins Is paid 20 points." in page
    sheet = main(marker.open(f"{rummy}/sheet"))
    assert "Ana wins and is paid 20 points." in sheet
    assert "After hand 1" not in sheet  # both payments belong to hand 2


def test_a_refusal_to_take_a_charge_back_is_not_called_a_charge(marker, rummy):
    after(marker, rummy, ANA, BEN)
    marker.saved(f"{rummy}/end", {"out": ANA, "points-2": "17"})
    back = re.findall(
        rf'action="{rummy}(/penalties/\d+/withdraw)"', marker.open(f"{rummy}/penalty")
    )
    answer = text(marker.refused(f"{rummy}{back[0]}", {}).text)
    assert "Not taken back The last hand is marked without the cards" in answer
    assert "Not charged" not in answer
    assert "Not charged" in text(marker.refused(f"{rummy}/penalty", {}).text)


def test_the_page_for_leaving_has_its_own_title(marker, rummy):
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


def test_a_correction_is_of_the_players_and_the_turn_of_its_own_hand(marker, rummy):
    def corrected(hand: int) -> tuple[list[str], str]:
        page = marker.open(f"{rummy}/hands/{hand}/correct")
        return re.findall(r'name="out" value="(\d)"', page), main(page)

    declared(marker, rummy, ANA)
    assert "Plays next: Ben" in corrected(1)[1]
    charged(marker, rummy, BEN, EARLY)
    declared(marker, rummy, CHANDI)
    outs, said = corrected(1)  # Ben played in it, and how play went on is long ago
    assert outs == [ANA, BEN, CHANDI]
    assert "Ben keeps the cards" in said
    for never in ("left the game", "Plays next", "13 new cards"):
        assert never not in said
    assert "Ben left the game" in corrected(2)[1]
    assert "Plays next: Ana" in corrected(2)[1]  # after Chandi (IND-7)


def test_a_declarer_who_leaves_takes_no_new_cards(marker, rummy):
    after(marker, rummy, ANA, ANA)  # IND-7: who has left plays no more
    page = main(marker.open(rummy))
    assert "Ana takes" not in page
    assert "Plays next: Ben" in page


def test_nobody_deals_after_a_rummy_until_a_hand_is_thrown_in(marker, rummy):
    declared(marker, rummy, ANA)  # play goes on, so hand 2 is of the same deal (IND-7)
    page = marker.open(f"{rummy}/manage")
    assert "Dealer of hand 1" in page
    assert re.search(r'value="0"[^>]*checked><span><bdi>Ana<', page)
    marker.saved(f"{rummy}/throw-in")
    page = main(marker.open(rummy))
    assert "Deals Ben Plays first Chandi 13 cards each." in page
    assert "the others keep theirs" not in page
    assert "Plays next" not in page
    page = marker.open(f"{rummy}/manage")
    assert "Dealer of hand 2" in page
    assert re.search(r'value="0"[^>]*checked><span><bdi>Ben<', page)


def test_nobody_leads_before_a_rummy_or_after_its_declarer_left(marker, rummy):
    # The first with two Rummies wins, or the last who still plays: totals decide nothing (IND-7).
    charged(marker, rummy, CHANDI, WRONG)
    assert "leads" not in text(marker.open(rummy))
    declared(marker, rummy, ANA)
    assert "Ana leads with a Rummy." in main(marker.open(f"{rummy}/sheet"))
    charged(marker, rummy, ANA, EARLY)
    for page in (rummy, f"{rummy}/sheet", f"{rummy}/tally", viewers_link(marker, rummy), "/"):
        shown = text(marker.open(page))
        assert not re.search(r"Ben and Chandi|Ben leads?\b|★ lead(?!s\.)", shown), page
    assert "Nobody who still plays has a Rummy." in main(marker.open(f"{rummy}/tally"))
    assert "Indian Rummy" in text(marker.open("/"))  # the list can show the game
    declared(marker, rummy, BEN)
    assert "Ben leads with a Rummy." in main(marker.open(f"{rummy}/sheet"))


# -- to the tally ---------------------------------------------------------------------------------


def test_nobody_has_won_a_game_that_was_ended_after_its_only_declarer_left(marker, stranger, rummy):
    after(marker, rummy, ANA, ANA)
    viewed = viewers_link(marker, rummy)
    marker.saved(f"{rummy}/end-game")
    pages = [marker.open(page) for page in (rummy, "/", f"{rummy}/sheet", f"{rummy}/tally")]
    pages.append(stranger.open(viewed))
    for page in map(text, pages):
        assert not re.search(r"Ben and Chandi|(Ben|Chandi) w[io]n|★ wins(?!\.)", page)
    assert "Nobody has won Ended after 1 hand, so nobody wins or is paid." in text(pages[0])
    assert "Indian Rummy, 1 Rummy: Ben 0, Chandi 0, Ana 10" in re.sub(
        "[\u2068\u2069]", "", text(pages[3])
    )
    assert "Settle up" not in pages[3]
    rows = csv.reader(io.StringIO(marker.open(f"{rummy}/tally.csv")))
    assert ["Place", "", "", "", "", "", ""] in rows


def test_nobody_wins_a_game_that_was_ended_before_a_second_rummy(marker, rummy):
    declared(marker, rummy, ANA)
    asks = text(marker.open(f"{rummy}/end-game"))
    assert "Ana leads with a Rummy." in asks
    assert "Ended after 1 hand, so nobody wins or is paid." in asks
    assert "counts as finished" not in asks
    marker.saved(f"{rummy}/end-game")
    assert "Nobody has won." in main(marker.open(f"{rummy}/tally"))
    for page in (rummy, "/", f"{rummy}/sheet", f"{rummy}/tally"):
        assert not re.search(r"Ana w[io]n|★ wins(?!\.)", text(marker.open(page))), page


def test_a_game_is_played_to_its_tally_and_imported_elsewhere(marker, other_marker, rummy):
    turn(marker, rummy, "8")
    charged(marker, rummy, CHANDI, WRONG)
    declared(marker, rummy, ANA)
    declared(marker, rummy, BEN)
    sheet = main(marker.open(f"{rummy}/sheet"))
    assert "Ana and Ben lead with a Rummy." in sheet
    marker.saved(f"{rummy}/end", {"out": BEN, "points-0": "25", "cards-2": CHANDIS})
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


# -- pages of upcoming hands, and entries on them -------------------------------------------------


def hands(marker: Marker, game: str) -> list[int]:
    """Return the numbers of the upcoming hands that have a page."""
    found = re.findall(rf"{game}\?hand=(\d+)", " ".join(copies(marker, game)))
    return [int(hand) for hand in found]


def test_upcoming_hands_end_with_the_last_possible_hand(marker, rummy):
    # tests/notebook/test_rummies.py has which one that is.
    assert hands(marker, rummy) == [2, 3, 4]
    after(marker, rummy, ANA, BEN)  # Chandi can have a first one in hand 2
    assert hands(marker, rummy) == [3]
    after(marker, rummy, "", ANA)  # Chandi has won
    assert hands(marker, rummy) == []
    # A table of ten keeps no more than a game of thirteen hands.
    ten = begin(marker, [f"Player {seat}" for seat in range(10)], game="indian_rummy")
    assert hands(marker, ten) == [*range(2, 12)]
    assert len(copies(marker, ten)) == 86 < len(copies(marker, begin(marker)))


def test_an_upcoming_hand_has_the_turned_card_of_the_open_hand(marker, rummy):
    turn(marker, rummy)
    for hand in (2, 4):
        page = marker.open(f"{rummy}?hand={hand}")
        assert f"<h1>Hand {hand}</h1>" in page
        assert 'aria-label="Turned up: 8"' in page
        assert "Wild jokers and 8s" in main(page)
        assert f"Hand {hand - 1} is not saved yet. There are no totals here." in main(page)
        assert f"hand {hand - 1} puts the Rummy under the stock, takes 13 new cards" in main(page)
        # Hand 1 wins nothing.
        asked = "Was it a second Rummy, or is" if hand > 2 else "The next player plays on. Is"
        assert f"{asked} one player left? Then the game is won" in main(page)
        assert "Deals" not in main(page)
        for link in (f"/end?hand={hand}", f"/penalty?hand={hand}", f"/ruling?hand={hand}"):
            assert f'href="{rummy}{link}"' in page


def test_pages_say_so_if_the_turned_card_is_not_recorded(marker, rummy):
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
def test_the_form_of_the_end_asks_for_facts_of_hands_that_wait(
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
    assert ("What it comes to" in page) is ("data-upcoming" not in page)


def test_remaining_players_can_leave_in_an_upcoming_hand_for_the_house_rules_points(marker):
    rules = {"rule-leave_early": "15", "rule-leave_late": "40"}
    game = begin(marker, game="indian_rummy", **rules)
    assert "Left the game early" not in marker.open(f"{game}/penalty")
    leaves = f'href="{game}/penalty?hand=2&amp;leaves=1#leaves">Somebody leaves'
    assert leaves in marker.open(f"{game}?hand=2")
    page = marker.open(f"{game}/penalty?hand=2")
    assert "Left the game early 15 points Left the game later 40 points" in text(page)
    assert "IND-8 · 80 points" in text(page)
    marker.saved(f"{game}/end", {"out": ANA})
    marker.saved(f"{game}/penalty", {"player": BEN, "rule": EARLY, "hand": "2"})
    for form in ("penalty", "ruling"):
        page = marker.open(f"{game}/{form}?hand=3")
        assert re.findall(r'name="player" value="(\d)"', page) == [ANA, CHANDI]


def changed(marker: Marker, game: str, before: dict[str, str]) -> set[str]:
    """Return the kinds of upcoming pages whose X-Keep value has changed."""
    now = copies(marker, game)
    addresses = [one for one in now if "?hand=" in one and now[one] != before[one]]
    return {one.removeprefix(game).partition("?")[0] for one in addresses}


def test_precached_pages_are_fetched_again_when_their_content_has_changed(marker, rummy):
    before = copies(marker, rummy)
    turn(marker, rummy)
    all_kinds = {"", "/end", "/penalty", "/ruling"}
    assert changed(marker, rummy, before) == all_kinds  # what is wild
    before = copies(marker, rummy)
    marker.saved(f"{rummy}/penalty", {"player": CHANDI, "rule": "IND-8"})
    assert changed(marker, rummy, before) == set()
    marker.saved(f"{rummy}/end", {"out": ANA})
    assert changed(marker, rummy, before) == all_kinds  # who has a Rummy
    before = copies(marker, rummy)
    marker.saved(f"{rummy}/penalty", {"player": ANA, "rule": EARLY})
    assert changed(marker, rummy, before) == all_kinds  # who plays
    marker.act(rummy, to=f"{rummy}/undo")
    assert changed(marker, rummy, before) == set()


def test_a_ruling_with_the_turned_card_waits_for_the_hand_before(marker, rummy):
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
