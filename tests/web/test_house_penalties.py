"""A penalty or a bonus for a reason of the table's own, entered and shown in every game."""

import json

import pytest

from companion.rules.games import KEPT
from tests.web.asking import BEN, CHANDI
from tests.web.conftest import Marker, begin, imported, preview, text, value


def charge(marker: Marker, game: str, **fields: str) -> str:
    """Send the form of a house penalty; the page that it leads to."""
    answer = marker.act(f"{game}/penalty", fields, to=f"{game}/penalty")
    assert answer.status_code == 303, text(answer.text)
    return marker.open(answer.location)


@pytest.mark.parametrize("name", KEPT)
def test_every_game_offers_it_from_its_hand_and_charges_it(marker, name):
    game = begin(marker, ("Ana", "Ben", "Chandi"), game=name)
    assert f'href="{game}/penalty#house">House penalty or bonus' in marker.open(game)
    page = text(charge(marker, game, player=BEN, house="add", text="Spilled wine", points="10"))
    assert "10 points to Ben: Spilled wine. It is the table's own, and no rule's." in page
    assert "Ben +10 Spilled wine house" in page
    assert "Undo: 10 points to Ben: Spilled wine (house)" in page
    page = text(charge(marker, game, player=CHANDI, house="off", text="Best hat", points="5"))
    assert "5 points off for Chandi: Best hat." in page
    assert "Chandi −5 Best hat house" in page


def test_a_penalty_of_the_rules_is_not_offered_where_there_is_none(marker):
    game = begin(marker, ("Ana", "Ben", "Chandi"), game="carioca")
    page = marker.open(game)
    assert ">Penalty</a>" not in page
    form = marker.open(f"{game}/penalty")
    assert "<h1>House penalty or bonus <small>hand 1</small></h1>" in form
    assert "What for?" not in text(form)
    assert '<details id="house" open>' in form
    assert "Charge a penalty" not in marker.open(f"{game}/hands/1")
    assert "House penalty or bonus for this hand" in marker.open(f"{game}/hands/1")
    assert "Penalties" not in text(marker.open(f"{game}/throw-in"))


def test_where_the_rules_have_penalties_they_come_first(marker, game):
    form = marker.open(f"{game}/penalty")
    assert "<h1>Penalty <small>hand 1</small></h1>" in form
    assert '<details id="house">' in form
    assert form.index("PRO-13.1") < form.index('id="house"')
    assert "Charge a penalty for this hand" in marker.open(f"{game}/hands/1")


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"text": "Late", "points": "10", "house": "add"}, "Say which player"),
        ({"player": BEN, "text": "", "points": "10", "house": "add"}, "Say what for"),
        ({"player": BEN, "text": "Late", "points": "", "house": "add"}, "from 1 to 500"),
        ({"player": BEN, "text": "Late", "points": "ten", "house": "add"}, "from 1 to 500"),
        ({"player": BEN, "text": "Late", "points": "501", "house": "off"}, "from 1 to 500"),
        ({"player": BEN, "text": "Late", "points": "10", "house": "twice"}, "from 1 to 500"),
        ({"player": BEN, "text": "x" * 61, "points": "10", "house": "add"}, "60 characters"),
        # Enter in a field presses no button of them.
        ({"player": BEN, "text": "Late", "points": "10"}, "tap one of the reasons"),
    ],
)
def test_what_is_no_house_penalty_is_refused_and_kept(marker, game, fields, says):
    answer = marker.act(f"{game}/penalty", fields, to=f"{game}/penalty")
    assert answer.status_code == 422
    assert says in text(answer.text)
    assert value(answer.text, "text") == fields["text"]
    assert value(answer.text, "points") == fields["points"]
    assert "open>" in answer.text.partition('id="house"')[2][:8]


def test_it_is_on_the_sheet_the_hand_and_the_tally(marker, game):
    charge(marker, game, player=CHANDI, house="off", text="Best <hat>", points="5")
    assert "▼5" in marker.open(f"{game}/sheet")
    hand = marker.open(f"{game}/hands/1")
    assert '<b>−5</b> <span class="tag">house</span> Best &lt;hat&gt;' in hand
    tally = text(marker.open(f"{game}/tally"))
    assert "Penalties and bonuses" in tally
    assert "Chandi : Best <hat> house −5" in tally
    assert "▲ penalties among the points, ▼ a bonus" in tally


def test_a_sheet_of_boxes_has_a_line_for_it(marker):
    game = begin(marker, ("Ana", "Ben", "Chandi"), game="indian_chief")
    assert "House" not in text(marker.open(f"{game}/sheet"))
    assert "Penalties" not in text(marker.open(f"{game}/tally"))
    charge(marker, game, player=BEN, house="off", text="Late", points="3")
    assert "House penalties +0 −3 +0" in text(marker.open(f"{game}/sheet"))
    assert "House penalties +0 −3 +0" in text(marker.open(f"{game}/tally"))
    assert "Ben −3 points −3 house Late" in text(marker.open(f"{game}/hands/1"))
    fields = {"cards-0": "7C", "cards-1": "8C", "cards-2": "9C"}
    assert marker.act(f"{game}/end", fields).status_code == 303
    assert "Ben 5 points Thief" in text(marker.open(f"{game}/hands/1"))
    assert "All 7 5 9" in text(marker.open(f"{game}/sheet"))


# A sheet of hands, one of boxes, and one that is won before the last hand.
@pytest.mark.parametrize("name", ["proter", "indian_chief", "indian_rummy"])
def test_a_total_below_zero_has_the_same_sign_wherever_it_stands(marker, name):
    game = begin(marker, ("Ana", "Ben", "Chandi"), game=name)
    charge(marker, game, player=BEN, house="off", text="Best hat", points="5")
    for page in ("", "/sheet", "/hands/1", "/tally", "/end", "/penalty"):
        shown = text(marker.open(f"{game}{page}"))
        assert "-5" not in shown, page
    fields = {"out": "0", "by": "points", "points-2": "7", "points-1": "0", "melded-1": "yes"}
    if name == "indian_chief":
        fields = {"cards-0": "7C", "cards-1": "AC", "cards-2": "9C"}
    assert "-5" not in text(preview(marker, game, fields))
    marker.act(f"{game}/end", fields)
    for page in ("", "/sheet", "/hands/1", "/tally", "/hands/1/correct"):
        shown = text(marker.client.get(f"{game}{page}").text)
        assert "-5" not in shown, page
        assert " -4" not in shown, page
    assert "−" in text(marker.open(f"{game}/tally"))


@pytest.mark.parametrize("name", ["carioca", "contract_rummy", "pay_me"])
def test_without_penalties_neither_sheet_nor_tally_speaks_of_them(marker, name):
    game = begin(marker, ("Ana", "Ben", "Chandi"), game=name)
    for page in ("sheet", "tally"):
        assert "enalties" not in text(marker.open(f"{game}/{page}")).partition("Spreadsheet")[0]
    assert "Penalty" not in marker.open(f"{game}/tally.csv")


def test_it_is_taken_back_and_undo_brings_it_back(marker, game):
    charge(marker, game, player=BEN, house="off", text="Best hat", points="5")
    form = text(marker.open(f"{game}/penalty"))
    assert "5 points off for Ben Best hat (house)" in form
    done = marker.act(f"{game}/penalty", to=f"{game}/penalties/2/withdraw")
    assert "Taken back: 5 points off for Ben: Best hat. Undo brings it back." in text(
        marker.open(done.location)
    )
    assert "taken back" in text(marker.open(f"{game}/hands/1"))
    marker.act(game, to=f"{game}/undo")
    assert "Ben −5 Best hat" in text(marker.open(game))


def saved(marker: Marker, game: str) -> dict[str, object]:
    whole: dict[str, object] = json.loads(marker.open(f"{game}/game.json"))
    return whole


def read_in(marker: Marker, whole: object) -> tuple[int, str]:
    answer = imported(marker, json.dumps(whole).encode())
    return answer.status_code, text(answer.text)


def test_it_goes_into_a_file_and_back(marker, other_marker, game):
    charge(marker, game, player=BEN, house="off", text="Best hat", points="5")
    status, _ = read_in(other_marker, saved(marker, game))
    assert status == 303


@pytest.mark.parametrize(
    "broken", [{"points": 0}, {"points": 501}, {"points": True}, {"text": ""}, {"text": "\u202e"}]
)
def test_one_that_no_table_can_charge_is_not_read_in(marker, other_marker, game, broken):
    charge(marker, game, player=BEN, house="off", text="Best hat", points="5")
    whole = saved(marker, game)
    whole["events"][1]["payload"] |= broken  # type: ignore[index]
    status, says = read_in(other_marker, whole)
    assert status == 422
    assert "Entry 2 of this file" in says
