"""The end of a hand of Pay Me: all cards are entered, and the app arranges them (PAY-9, PAY-10).

Ana, Ben and Chandi play with two packs; in hand 1 three cards are dealt, and jokers, twos and
threes are wild.
"""

import re

import pytest

from companion.notebook.events import HandEntry, HandMarked
from tests.web.asking import ruling
from tests.web.conftest import Marker, begin, checked, find, preview, text, totals, value

MELDS, MELDS_SHOWN = ["6C", "7C", "8C"], ["6♣", "7♣", "8♣"]
# Ben can lay off the 9 of clubs and has 10 + 5 left, Chandi melds everything.
BEN, CHANDI = ["9C", "KD", "4S"], ["5D", "6D", "XX"]
FIELDS = {"out": "0", "cards-0": MELDS, "cards-1": BEN, "cards-2": CHANDI}
# In hand 7, beside sets of 5, 6 and 7 only Ben's five fits (PAY-9): 8 10, 4 5, A 5, 8 10, and 40.
OTHERS_7 = {"cards-1": ["8C", "4D", "AC", "8H", "QD", "QH", "KD", "JC", "5S"], "points-2": "5"}
# Ben counts the 9 as left as well.
ALL_LEFT = {"otherwise-1": "1", "chosen-1": "1", "left-1": BEN}


@pytest.fixture
def pay_me(marker: Marker) -> str:
    return begin(marker, game="pay_me")


def to_hand_7(marker: Marker, pay_me: str) -> None:
    """Mark six hands: nine cards are dealt in the seventh."""
    for number in range(1, 7):
        entries = (HandEntry(1, points=5), HandEntry(2, points=5))
        marker.write(pay_me, HandMarked(number, 0, entries))


def declared(marker: Marker, pay_me: str, player: str, **fields: list[str]) -> str:
    """Ask whether a player's melds are legal; return the address that ends the hand with them."""
    page = ruling(marker, pay_me, "declare", player, **fields)
    return find(page, r'href="([^"]+)">End the hand with it')


def cards(page: str) -> list[str]:
    """Return the cards in a part of a page, as text."""
    faces = re.findall(r'<b class="[CDHSJ]">(.*?)</b>', page)
    return [re.sub("<[^>]*>|&#xFE0E;", "", face) for face in faces]


def row(page: str, name: str) -> str:
    """Return a player's row of the sums."""
    found = page.partition("What it comes to")[2].split("<tr>")
    return next(one for one in found if f"<bdi>{name}</bdi>" in one)


def test_everybodys_cards_are_entered_and_shown_as_melds_lay_offs_and_cards_left(marker, pay_me):
    page = preview(marker, pay_me, {"out": "0"}, part=False)
    for name, is_out in (("Ana", True), ("Ben", False)):
        assert ("without them nothing is laid off" in text(row(page, name))) is is_out
    # Points that are entered have the lay-offs in them.
    page_by_points = preview(marker, pay_me, {"out": "0", "by": "points"})
    assert "nothing is laid off" not in text(row(page_by_points, "Ana"))
    for seat in range(3):
        assert page.count(f'name="cards-{seat}"') == 2 * 52 + 4
        assert f'name="otherwise-{seat}"' in page
    assert "data-points" not in page  # not all cards are left, so they are not summed up
    # Ben has one card less than was dealt.
    page = preview(marker, pay_me, FIELDS | {"cards-1": ["9C", "KD"]})
    assert cards(row(page, "Ana")) == MELDS_SHOWN
    ben = row(page, "Ben")
    assert "2 of 3 cards" in ben
    laid, left = ben.split("Left:")
    assert cards(laid) == ["9♣", "6♣", "7♣", "8♣"]
    assert cards(left) == ["K♦"]
    assert "<b>10</b>" in ben
    chandi = row(page, "Chandi")
    assert "of 3 cards" not in chandi
    assert {*cards(chandi)} >= {"5♦", "6♦"}
    assert "Nothing left" in chandi
    assert "<b>0</b>" in chandi
    assert "Nothing is missing" not in page
    assert "Not all cards are entered: <bdi>Ben</bdi>. You can still save." in page
    assert 'data-asks-below="1" data-says="2 of 3"' in page
    # Chandi's points are counted without the cards.
    entered = {**FIELDS, "cards-1": ["9C", "KD"], "cards-2": [], "points-2": "20"}
    marker.saved(f"{pay_me}/end", entered)
    assert totals(marker, pay_me) == [0, 10, 20]
    page = marker.open(f"{pay_me}/hands/1")
    assert "20 points, entered without cards" in text(page)
    ben = page.partition('id="player-1"')[2].partition("</section>")[0]
    assert cards(ben.partition("Left:")[0])[0] == "9♣"
    assert cards(ben.partition("Left:")[2]) == ["K♦"]
    assert "as the player chose" not in ben
    assert "Laid a meld" not in page


def test_points_wait_for_the_cards_of_a_player_who_lays_off_before(marker, pay_me):
    fields = {"out": "0", "cards-0": MELDS, "cards-2": ["9C", "KD"]}
    chandi = row(preview(marker, pay_me, fields), "Chandi")
    assert "It depends on how another player's cards lie. 2 of 3 cards – –" in text(chandi)
    chandi = row(preview(marker, pay_me, fields | {"cards-1": BEN}), "Chandi")
    assert "2 of 3 cards 20 20" in text(chandi)  # Ben has laid off his 9: Chandi has 10 and 10


def test_a_declaration_that_was_ruled_legal_fills_in_who_went_out_and_the_melds(marker, pay_me):
    # PAY-8: three cards in a meld, and the king discarded.
    link = declared(marker, pay_me, "1", cards=["6C", "7C", "2H", "KS"])
    form = marker.open(link)
    assert (checked(form, "out"), sorted(checked(form, "cards-1"))) == (["1"], ["2H", "6C", "7C"])
    # The others have a last turn (PAY-8); then the hand is ended from its page.
    assert find(marker.open(pay_me), r'href="([^"]+)">End the hand<') == link
    # What the two stands for was not said, and an 8 fits only beside a 5 (PAY-5).
    fields = {"out": "1", "cards-1": ["6C", "7C", "2H"], "cards-0": ["8C", "QD", "KD"]}
    asks = "What does Ben's 2♥ stand for?"
    assert asks in text(row(preview(marker, pay_me, fields), "Ben"))
    # Marks that were undone had another player out.
    marker.saved(f"{pay_me}/end", {"out": "0", "points-1": "25", "points-2": "5"})
    marker.saved(pay_me, to=f"{pay_me}/undo")
    form = marker.open(link)
    assert "before it was undone" not in form
    assert (checked(form, "out"), sorted(checked(form, "cards-1"))) == (["1"], ["2H", "6C", "7C"])


def test_a_declaration_fills_in_nothing_in_another_hand_or_a_new_deal(marker, pay_me):
    link = declared(marker, pay_me, "1", cards=["6C", "7C", "2H", "KS"])
    number = len(marker.loaded(pay_me).entries)
    marker.saved(f"{pay_me}/throw-in")
    page = marker.open(f"{pay_me}/rulings/{number}")
    assert "Legal" in text(page)
    assert "End the hand with it" not in page
    marker.saved(f"{pay_me}/end", {"out": "0", "points-1": "25", "points-2": "5"})
    # The browser goes back to the address of the form.
    back = marker.client.get(link)
    assert back.location == f"{pay_me}/hands/1/correct"
    assert "Hand 1 is marked." in text(marker.open(back.location))


def test_penalties_of_an_upcoming_hand_stay_also_if_the_rules_have_none(marker, pay_me):
    assert "Penalties that were charged stay." in text(marker.open(f"{pay_me}/end?hand=2"))


def test_a_declaration_that_does_not_say_what_was_discarded_fills_in_all_its_cards(marker, pay_me):
    # PAY-8: all four cards of the run were laid, or either end of it was discarded.
    form = marker.open(declared(marker, pay_me, "1", cards=["4C", "5C", "6C", "7C"]))
    assert (checked(form, "out"), checked(form, "cards-1")) == (["1"], ["4C", "5C", "6C", "7C"])
    says = "All 4 cards are in melds. If one was discarded, tap it again."
    assert says in text(row(form, "Ben"))
    fields = {"out": "1", "cards-1": ["5C", "6C", "7C"]}
    assert "If one was discarded" not in preview(marker, pay_me, fields)
    form = marker.open(declared(marker, pay_me, "1", play=["meld 4C 5C 6C"], cards=["7C"]))
    assert checked(form, "cards-1") == ["4C", "5C", "6C"]


def test_the_groups_of_a_declaration_are_those_that_others_lay_off_on(marker, pay_me):
    to_hand_7(marker, pay_me)
    groups = ["meld 5C 5D 5H", "meld 6C 6D 6H", "meld 7C 7D 7H"]
    form = marker.open(declared(marker, pay_me, "0", play=groups, cards=["KS"]))
    ana = {"out": "0", "cards-0": checked(form, "cards-0"), "melds-0": value(form, "melds-0")}
    assert "<b>70</b>" in row(preview(marker, pay_me, ana | OTHERS_7), "Ben")
    # Other cards were not declared so.
    other = ana | {"cards-0": ["5C", "6C", "7C", "5D", "6D", "7D", "TH", "JH", "QH"]}
    assert cards(row(preview(marker, pay_me, other | OTHERS_7), "Ana"))[3:6] == ["5♦", "6♦", "7♦"]
    marker.saved(f"{pay_me}/end", ana | OTHERS_7)
    assert totals(marker, pay_me) == [0, 100, 35]
    form = marker.open(f"{pay_me}/hands/7/correct")
    assert value(form, "melds-0") == "5C 5D 5H / 6C 6D 6H / 7C 7D 7H"


def test_one_tap_says_in_which_melds_the_cards_lay(marker, pay_me):
    to_hand_7(marker, pay_me)
    fields = {"out": "0", "cards-0": ["5C", "6C", "7C", "5D", "6D", "7D", "5H", "6H", "7H"]}
    fields |= OTHERS_7
    page = preview(marker, pay_me, fields)
    assert "In which melds did Ana lay the cards?" in text(row(page, "Ana"))
    assert "<span>5♣ 6♣ 7♣<br>5♦ 6♦ 7♦<br>5♥ 6♥ 7♥</span>" in row(page, "Ana")
    assert "It depends on how another player's cards lie." in text(row(page, "Ben"))
    sets = "5C 5D 5H / 6C 6D 6H / 7C 7D 7H /"
    page = preview(marker, pay_me, {**fields, "laid_as-0": sets})
    assert checked(page, "laid_as-0") == [sets]
    assert "<b>70</b>" in row(page, "Ben")
    marker.saved(f"{pay_me}/end", {**fields, "laid_as-0": sets})
    assert totals(marker, pay_me) == [0, 100, 35]
    assert checked(marker.open(f"{pay_me}/hands/7/correct"), "laid_as-0") == [sets]


def test_melds_that_are_one_way_of_many_are_called_so_until_they_are_said(marker, pay_me):
    # Each of three wild cards can lie in any of two runs or of three sets (PAY-4).
    to_hand_7(marker, pay_me)
    ana = ["5C", "6C", "7C", "5D", "6D", "7D", "XX", "XX", "2S"]
    said = {"melds-0": "5C 5D XX / 6C 6D XX / 7C 7D 2S"}
    ben = ["AH", "AD", "4S", "TD", "QH", "QD", "KC", "KH", "JS"]
    fields = {"out": "0", "cards-0": ana, "cards-1": ben, "points-2": "5"}
    page, says = row(preview(marker, pay_me, fields), "Ana"), "One way of many to lay these cards."
    assert says in text(page)
    assert "What did Ana declare?" in text(marker.follow(page, "enter them first"))
    assert says not in text(preview(marker, pay_me, fields | said))
    marker.saved(f"{pay_me}/end", fields)
    assert says in text(marker.open(f"{pay_me}/hands/7"))
    marker.saved(f"{pay_me}/hands/7/correct", fields | said)
    melds = text(marker.open(f"{pay_me}/hands/7")).partition("Before the correction")[0]
    assert says not in melds


# -- another arrangement --------------------------------------------------------------------------


def test_the_marker_can_choose_the_cards_left_and_correct_them(marker, pay_me):
    page = preview(marker, pay_me, {**FIELDS, "otherwise-1": "1"})
    assert sorted(checked(page, "left-1")) == ["4S", "KD"]  # the best to begin with
    assert page.count('name="left-1"') == 3
    assert 'name="left-2"' not in page
    page = preview(marker, pay_me, {**FIELDS, **ALL_LEFT})
    assert "Could be 10 points fewer" in text(row(page, "Ben"))
    assert "<b>25</b>" in row(page, "Ben")
    marker.saved(f"{pay_me}/end", {**FIELDS, **ALL_LEFT})
    assert totals(marker, pay_me) == [0, 25, 0]
    page = text(marker.open(f"{pay_me}/hands/1"))
    assert "Arranged as the player chose: could be 10 points fewer." in page
    form = marker.open(f"{pay_me}/hands/1/correct")
    assert [checked(form, f"otherwise-{seat}") for seat in (1, 2)] == [["1"], []]
    assert [{*checked(form, f"{name}-1")} for name in ("cards", "left")] == [{*BEN}, {*BEN}]
    assert checked(form, "cards-0") == MELDS
    # A card that is tapped away is no longer left; one that is tapped since then is in no meld
    # until the marker says so: 10 + 5 + 5.
    (among,) = re.findall(r'name="among-1" value="([^"]*)"', form)
    fields = {**FIELDS, **ALL_LEFT, "cards-1": ["KD", "4S", "5H"], "among-1": among}
    page = preview(marker, pay_me, fields)
    assert sorted(checked(page, "left-1")) == ["4S", "5H", "KD"]
    marker.saved(f"{pay_me}/hands/1/correct", fields)
    assert totals(marker, pay_me) == [0, 20, 0]


def test_a_player_may_count_nothing_and_the_page_says_what_it_cannot_check(marker, pay_me):
    fields = {**FIELDS, "otherwise-1": "1", "chosen-1": "1"}
    page = preview(marker, pay_me, fields)
    assert "in no meld that the companion can see" in row(page, "Ben")
    assert "15 points fewer than possible" in text(row(page, "Ben"))
    marker.saved(f"{pay_me}/end", fields)
    assert totals(marker, pay_me) == [0, 0, 0]
    form = marker.open(f"{pay_me}/hands/1/correct")
    assert checked(form, "left-1") == []
    assert 'name="chosen-1"' in form


# -- one after the other --------------------------------------------------------------------------

# Both hold a 9 of clubs, and the run of who went out takes one of them (PAY-9). King and nine count
# 10, the four 5.
TWO_NINES = {"cards-1": BEN, "cards-2": ["9C", "KH", "4D"]}
TOO_LATE = "laid off 9 ♣︎ first: no place for 9 ♣︎"


def test_what_a_wild_card_stands_for_is_asked_and_kept(marker, pay_me):
    fields = {**FIELDS, "cards-1": ["2D", "QH", "4S"], "cards-2": ["9C", "KD", "4H"]}
    page = preview(marker, pay_me, fields)
    asks = "What does Ben's 2♦ stand for? It decides what Chandi can lay off."
    assert asks in text(row(page, "Ben"))
    # 4♠ 5 and Q♥ 10 are Ben's in any case; what Chandi has left is not known yet.
    assert "<b>15</b>" in row(page, "Ben")
    assert "It depends on how another player's cards lie." in text(row(page, "Chandi"))
    assert "<b>" not in row(page, "Chandi").partition("<fieldset")[0]
    assert re.findall('name="laid_as-1" value="(.*?)"', page) == ["2D=5C", "2D=9C"]
    assert 'href="#laid_as-1"' in marker.refused(f"{pay_me}/end", fields).text
    assert "<b>25</b>" in row(preview(marker, pay_me, {**fields, "laid_as-1": "2D=9C"}), "Chandi")
    marker.saved(f"{pay_me}/end", {**fields, "laid_as-1": "2D=5C"})
    assert totals(marker, pay_me) == [0, 15, 15]
    assert "Laid off 2 ♦︎ for 5 ♣︎ on 6 ♣︎ 7 ♣︎ 8 ♣︎" in text(marker.open(f"{pay_me}/hands/1"))
    assert checked(marker.open(f"{pay_me}/hands/1/correct"), "laid_as-1") == ["2D=5C"]


def test_if_the_order_is_open_the_form_asks_who_lays_off_first(marker):
    free = begin(marker, game="pay_me", **{"rule-lay_off_order": "free"})
    form = marker.open(f"{free}/end")
    assert "Who lays off first?" in form
    assert re.findall('name="lays_off_first" value="(.*?)"', form) == ["0", "1", "2"]
    fields = {**FIELDS, **TWO_NINES}
    page = preview(marker, free, fields)
    assert "Who lays off first? It decides what Ben and Chandi can lay off." in text(page)
    for name in ("Ben", "Chandi"):
        assert "<td>–</td><td>–</td>" in row(page, name)
    assert 'href="#lays_off_first"' in marker.refused(f"{free}/end", fields).text
    fields["lays_off_first"] = "2"
    page = preview(marker, free, fields)
    assert f"Chandi {TOO_LATE}" in text(row(page, "Ben"))
    assert page.index("<bdi>Chandi</bdi>") < page.index("<bdi>Ben</bdi>")
    marker.saved(f"{free}/end", fields)
    assert totals(marker, free) == [0, 25, 15]
    assert "Chandi laid off first." in text(marker.open(f"{free}/hands/1"))
    assert checked(marker.open(f"{free}/hands/1/correct"), "lays_off_first") == ["2"]
    # Of two players only one lays off.
    free = begin(marker, ("Ana", "Ben"), game="pay_me", **{"rule-lay_off_order": "free"})
    assert "Who lays off first?" not in marker.open(f"{free}/end")


def test_marks_that_saving_would_change_are_not_shown_as_unchanged(marker, pay_me):
    # From before lay-offs went in the order of play: both laid the 9 of clubs off.
    ben = HandEntry(1, "KD 4S", melded=True, held="9C KD 4S")
    chandi = HandEntry(2, "KH 4D", melded=True, held="9C KH 4D")
    marker.write(pay_me, HandMarked(1, 0, (ben, chandi), out_held=" ".join(MELDS)))
    assert totals(marker, pay_me) == [0, 15, 15]
    form = marker.open(f"{pay_me}/hands/1/correct")
    assert "This is how it was saved" not in form
    assert f"Ben {TOO_LATE}" in text(row(form, "Chandi"))
    assert "<b>25</b>" in row(form, "Chandi")


def test_too_few_melds_of_the_player_who_went_out_never_show_as_done(marker, pay_me):
    marker.saved(f"{pay_me}/end", FIELDS)
    entered = {**FIELDS, "hand": "2", "cards-0": ["5C", "6C", "7C"]}
    page = preview(marker, pay_me, entered)
    assert 'data-refused="0"' in page
    assert "all 4 cards in melds (PAY-8), not with 3" in text(row(page, "Ana"))
    assert "this can be saved" not in page
    marker.refused(f"{pay_me}/end", entered)
    # No melds at all are not too few: then nobody lays off.
    marker.saved(f"{pay_me}/end", {**entered, "cards-0": []})


# -- impossible entries ---------------------------------------------------------------------------


def test_what_cannot_be_is_refused_with_all_that_was_entered(marker, pay_me):
    for fields, sentence, field in (
        ({"cards-0": ["6C", "7C", "9D"]}, "The cards of Ana are not all in melds", "cards-0"),
        ({"cards-1": ["6C", "6C"]}, "6♣ is in Ana's melds and in Ben's cards", "cards-1"),
        ({"otherwise-1": "1"}, "Say which cards Ben has left.", "left-1"),
    ):
        answer = marker.refused(f"{pay_me}/end", {**FIELDS, **fields})
        assert sentence in text(answer.text)
        assert f'href="#{field}"' in answer.text
        assert checked(answer.text, "cards-2") == CHANDI
    assert sorted(checked(answer.text, "left-1")) == ["4S", "KD"]


# -- stored marks ---------------------------------------------------------------------------------


def test_an_old_hand_without_arrangements_keeps_its_points(marker, pay_me):
    entries = (HandEntry(1, "5D 6D 7D"), HandEntry(2, None, 20))
    marker.write(pay_me, HandMarked(1, 0, entries))
    assert totals(marker, pay_me) == [0, 15, 20]
    form = marker.open(f"{pay_me}/hands/1/correct")
    assert checked(form, "otherwise-1") == ["1"]
    assert checked(form, "otherwise-2") == []
    assert checked(form, "left-1") == ["5D", "6D", "7D"]
    assert value(form, "points-2") == "20"
    fields = {"out": "0", "cards-1": ["5D", "6D", "7D"], "points-2": "25", "otherwise-1": "1"}
    fields |= {"chosen-1": "1", "left-1": ["5D", "6D", "7D"]}
    marker.saved(f"{pay_me}/hands/1/correct", fields)
    assert totals(marker, pay_me) == [0, 15, 25]


def test_a_wild_card_in_a_set_of_any_suits_is_shown_in_no_suit(marker):
    game = begin(marker, game="three_thirteen")
    # TTN-3, TTN-4: threes are wild in hand 1, and a set is of any suits; a run is of one.
    sets = {"out": "0", "cards-1": ["KC", "KD", "3H"], "cards-2": ["4C", "6C", "3D"]}
    page = preview(marker, game, sets)
    assert cards(row(page, "Ben")) == ["K♣", "K♦", "3♥"]
    assert cards(row(page, "Chandi")) == ["4♣", "3♦", "5♣", "6♣"]  # 3♦ for 5♣
    marker.saved(f"{game}/end", sets)
    assert marker.open(f"{game}/hands/1").count("</b> for <b") == 1
