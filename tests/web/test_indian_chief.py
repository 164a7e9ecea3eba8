"""Indian Chief from setup to tally: seven hands and a sheet of seven boxes (CHI-1 … CHI-6)."""

import re

import pytest

from tests.web.conftest import (
    Marker,
    begin,
    carried,
    checked,
    copies,
    preview,
    text,
    totals,
    value,
    viewers_link,
)

CHIEF = ["KC", "KD", "KH", "5H", "5S", "9C", "9D"]
DOCTOR = ["AC", "4H", "6H", "9H", "JC", "KS"]
THIEF, LAWYER = ["7C"], ["TC", "9S", "5D", "AD"]


@pytest.fixture
def chief(marker: Marker) -> str:
    """The address of a game of Ana, Ben and Chandi in its first hand."""
    return begin(marker, game="indian_chief")


def melds(*shown: list[str], **said: str) -> dict[str, str | list[str]]:
    return {f"cards-{seat}": cards for seat, cards in enumerate(shown)} | {
        name.replace("_", "-"): what for name, what in said.items()
    }


FIRST = melds(THIEF, ["9C", "9D"], ["9S", "2S", "3H"])  # 7; one nine matches: 2; spades: 11


def test_the_hand_says_which_boxes_are_open_and_offers_no_ruling(marker, chief):
    page = marker.open(chief)
    assert "All seven, for everyone: Thief (1) , Beggar Man (2)" in text(page)
    assert "8 cards each, one at a time, clockwise, beginning with Ben" in text(page)
    assert "No card is turned up" in text(page)
    for gone in ("Plays first", "Ruling", "/table", ">Penalty<", "went out"):
        assert gone not in page.replace("/rulings", "Ruling")
    for path in ("/rulings", "/ruling", "/ruling?ask=meld&player=0", "/table"):
        marker.open(chief + path, status=404)
    marker.saved(f"{chief}/end", FIRST)
    ana = re.findall(r"<dt><bdi>Ana</bdi></dt><dd>(.*?)</dd>", marker.open(chief))[0]
    assert text(ana).startswith("Beggar Man (2)")
    assert "Thief" not in ana


def test_the_end_of_upcoming_rounds_is_fetched_again_when_boxes_are_filled(marker, chief):
    def changed() -> set[str]:
        now = copies(marker, chief)
        return {one for one in now if "hand=7" in one and now[one] != before[one]}

    before = copies(marker, chief)
    marker.saved(f"{chief}/end", FIRST)
    assert changed() == {f"{chief}/end?hand=7"}
    assert "Thief: filled in round 1|Beggar Man|" in marker.open(f"{chief}/end?hand=7")
    before = copies(marker, chief)
    marker.saved(f"{chief}/hands/1/correct", FIRST | melds(["9H", "2H", "4H", "KH"]))
    assert changed() == {f"{chief}/end?hand=7"}
    before = copies(marker, chief)
    marker.saved(f"{chief}/penalty", {"player": "0", "house": "add", "text": "x", "points": "1"})
    assert changed() == set()


def test_every_meld_is_marked_in_its_box_which_has_a_row_in_the_tally(marker, chief, other_marker):
    marker.saved(f"{chief}/end", FIRST)
    assert totals(marker, chief) == [7, 2, 11]
    hand = text(marker.open(f"{chief}/hands/1"))
    assert "1 card of the other melds matches" in hand
    assert "Nobody went out" not in hand
    assert "Laid" not in hand
    # CHI-5: the thief may take a card when hands are filled up again.
    assert "A card from another player's meld is taken by Ana." in hand
    # A sentence, and not in the narrow columns of what a hand needs.
    assert "<p>Thieves: A card from another player" in marker.open(chief)
    assert "A card from another player's meld is taken by Ana." in text(marker.open(chief))
    assert "leads with 11 points" in text(marker.open(f"{chief}/sheet"))  # CHI-6
    seen = marker.open(viewers_link(marker, chief))
    assert "Beggar Man" in seen
    for of_others in ("/games/", "Plays first"):
        assert of_others not in seen
    tally = text(marker.open(f"{chief}/tally"))
    assert "leads with 11 points" in tally
    assert "The highest total wins." in tally
    assert "Beggar Man open 2 ( in round 1) open" in tally
    assert "Penalties None" not in tally
    assert totals(other_marker, carried(marker, other_marker, chief)) == [7, 2, 11]


def test_the_sums_are_shown_before_a_round_is_saved(marker, chief):
    fields = melds(["7C", "9H"], ["9C"], [])
    sums = text(preview(marker, chief, fields))
    assert "Ana · Beggar Man waits for the others' melds" in sums
    assert "Ben · Thief the face value of its card 9 9" in sums
    assert "Still missing: Chandi ." in sums
    fields["cards-2"] = CHIEF
    # 9♣ is in Ben's cards and in Chandi's, and there is one pack.
    assert "9♣ is in Ben's cards and in Chandi's cards" in text(preview(marker, chief, fields))
    fields["cards-1"] = ["8C"]
    sums = text(preview(marker, chief, fields, part=False))
    assert "Ana · Beggar Man 2 cards of the other melds match 4 4" in sums
    assert "is a full house, 35, and 9♣ 9♦ is 8 at baccarat, the best split 43 43" in sums
    assert "Nothing is missing: this can be saved." in sums
    assert "Thieves: A card from another player's meld is taken by Ben." in sums


def test_hands_are_filled_up_after_the_first_round_and_dealt_when_thrown_in(marker, chief):
    asks = text(marker.open(f"{chief}/throw-in"))
    assert "Nobody fills a box." in asks
    assert "recorded table" not in asks
    marker.saved(f"{chief}/throw-in")
    assert "8 cards each, one at a time" in text(marker.open(chief))
    marker.saved(f"{chief}/end", FIRST)
    assert totals(marker, chief) == [7, 2, 11]
    filled = text(marker.open(chief))
    assert "Nobody is dealt eight new cards now. Set the cards that were shown aside." in filled
    assert "8 cards each" not in filled
    assert "Thieves: A card from another player's meld is taken by Ana." in filled
    marker.act(f"{chief}/throw-in", {"hand": "2"})
    dealt = text(marker.open(chief))
    assert "8 cards each, one at a time" in dealt
    assert "Thieves" not in dealt


def points(*entered: tuple[str, str]) -> dict[str, str]:
    """The fields of a round by boxes (as numbers of cards) and points."""
    fields = {"by": "points"}
    for seat, (box, score) in enumerate(entered):
        fields |= {f"box-{seat}": box, f"points-{seat}": score}
    return fields


def test_a_round_is_entered_by_boxes_and_points(marker, chief):
    form = marker.open(f"{chief}/end")
    assert "Rich Man: enter its points without a minus." in text(form)
    marker.saved(f"{chief}/end", points(("1", "7"), ("5", "−16"), ("4", "25")))
    assert totals(marker, chief) == [7, -16, 25]
    # The next round is entered as this one was, and only open boxes are offered.
    form = marker.open(f"{chief}/end")
    assert checked(form, "by") == ["points"]
    assert re.findall(r'name="box-0" value="(\d)"', form) == list("234567")
    assert re.findall(r'name="box-1" value="(\d)"', form) == list("123467")
    page = text(marker.open(f"{chief}/hands/1"))
    assert "Rich Man as it was entered, without the cards" in page
    form = marker.open(f"{chief}/hands/1/correct")
    assert checked(form, "box-1") == ["5"]
    assert value(form, "points-1") == "16"
    marker.saved(f"{chief}/hands/1/correct", points(("1", "8"), ("5", "16"), ("4", "25")))
    assert totals(marker, chief) == [8, -16, 25]


def test_an_impossible_entry_is_refused_beside_its_field_and_kept(marker, chief):
    marker.saved(f"{chief}/end", FIRST)  # Ana fills Thief, Ben Beggar Man, Chandi Poor Man
    others = ("4", "0"), ("4", "25")
    for fields, field, sentence in (
        # tests/services/test_boxes.py has all that the notebook refuses.
        (melds(["2C", "2D"], DOCTOR, ["4D", "5D"]), "suit-1", "Ben shows a Doctor and has to name"),
        (melds(["2C", "2D"], CHIEF, ["4D"], split_1="KC KD"), "split-1", "Ben's split must be"),
        (melds(["2C", "2D"], [], ["4D", "6D"]), "cards-1", "Still missing: Ben. Every player"),
        (points(("", "7"), *others), "box-0", "Which box does Ana fill? Tap it."),
        (points(("2", ""), *others), "points-0", "How many points does Ana's Beggar Man score?"),
        (points(("2", "x"), *others), "points-0", "“x” is not a number of points. Enter Ana"),
        (points(("", ""), *others), "points-0", "Still missing: Ana."),
    ):
        answer = marker.refused(f"{chief}/end", fields)
        assert f'<a href="#{field}">' in answer.text
        assert f'id="{field}"' in answer.text
        assert sentence in text(answer.text)
        for name, sent in fields.items():
            if name.startswith("cards"):
                assert sorted(checked(answer.text, name)) == sorted(sent)
            if name.startswith("points"):
                assert value(answer.text, name) == sent
    assert totals(marker, chief) == [7, 2, 11]


def test_refused_seats_are_marked_for_the_chips(marker, chief):
    marker.act(f"{chief}/end", points(("1", "7"), ("4", "0"), ("4", "25")))

    def refused(fields: dict[str, str | list[str]]) -> list[str]:
        return re.findall(r'data-refused="([^"]*)"', preview(marker, chief, fields))

    # A box filled before, a Doctor without its suit, eight cards; what is missing is not refused.
    assert refused(melds(["8C"], DOCTOR, [])) == ["0", "1"]
    assert refused(melds(["2C", "3C"], [f"{rank}H" for rank in "A2345678"], ["9C"])) == ["1"]
    assert refused(melds(["2C", "3C"], DOCTOR, ["9C"], suit_1="H")) == []
    assert refused(melds(["2C", "3C"], ["2C"], ["9C"])) == ["1"]
    assert refused(dict(points(("", "7"), ("1", "11"), ("1", "3")))) == ["0", "1"]


def test_a_suit_and_a_split_are_kept_with_the_hand(marker, chief):
    fields = melds(CHIEF, DOCTOR, THIEF, split_0="KC KD 5H 9C 9D", suit_1="C", suit_2="H")
    fields["cards-1"] = ["AC", "4H", "6H", "8H", "JC", "KS"]
    marker.saved(f"{chief}/end", fields)
    # Two pair 15 and K + 5 = 15, so 5; the ace and the jack are clubs, 20; the thief 7.
    assert totals(marker, chief) == [20, 20, 7]
    page = marker.open(f"{chief}/hands/1/correct")
    assert checked(page, "suit-1") == ["C"]
    assert checked(page, "suit-2") == []  # it was said of no Doctor
    assert value(page, "split-0") == "KC KD 5H 9C 9D"


def test_an_earlier_hand_is_corrected_and_its_old_marks_stay_readable(marker, chief):
    marker.saved(f"{chief}/end", FIRST)
    marker.saved(f"{chief}/end", melds(LAWYER, THIEF, ["KC", "KD"]))  # 25, 7, 0
    assert f"{chief}/hands/1/correct" in marker.open(f"{chief}/sheet")
    marker.saved(f"{chief}/hands/1/correct", FIRST | {"cards-0": ["8C"]})
    assert totals(marker, chief) == [33, 9, 11]
    assert "Before the correction: 7 Thief" in text(marker.open(f"{chief}/hands/1"))
    assert "corrected 8" in text(marker.open(f"{chief}/sheet"))


def test_no_request_breaks_the_form(marker, chief):
    for fields in (
        {"cards-0": ["ZZ"], "cards-1": ["XX"], "cards-2": ["5C=6C"]},
        {"cards-0": ["XX"] * 70, "suit-0": "X", "split-0": "∞" * 200, "hand": "99"},
        melds(CHIEF, ["XX"] * 7, DOCTOR, suit_2="Q", split_0="5C=XX,,;"),
        {"out": "0", "points-0": "5", "bent": "1"},
    ):
        refused = 400 if "hand" in fields else 422
        assert marker.act(f"{chief}/end", fields).status_code == refused


def test_hands_are_called_rounds_on_every_page(marker, chief):
    assert "Round 1 of 7" in text(marker.open(chief))
    marker.act(f"{chief}/throw-in")
    marker.act(f"{chief}/end", FIRST)
    marker.act(f"{chief}/hands/1/correct", FIRST | {"cards-0": ["8C"]})
    house = {"player": "1", "house": "off", "text": "Late", "points": "3", "hand": "2"}
    marker.saved(f"{chief}/penalty", house)
    pages = ("", "/end", "/sheet", "/hands/1", "/hands/1/correct", "/tally", "/throw-in", "/log")
    pages += ("/penalty", "/end-game", "/manage", "/again")
    for page in (*(chief + path for path in pages), viewers_link(marker, chief), "/"):
        said = text(marker.open(page).partition("<body")[2])
        # The rules have poker and baccarat hands, and hands are filled up.
        said = said.replace("hands are filled up", "")
        assert re.findall(r"\b[Hh]ands?\b.{20}", said) == [], page
