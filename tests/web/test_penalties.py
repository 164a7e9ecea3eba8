"""Penalties by the rules, like the list of PRO-13, and house penalties."""

import re

import pytest
from werkzeug.test import TestResponse

from tests.web.asking import ANA, BEN, CHANDI, lay, mark, record, text_of
from tests.web.conftest import Marker, begin, checked, preview, sent_again, text, totals, value


def charge(marker: Marker, game: str, **fields: str) -> TestResponse:
    return marker.act(f"{game}/penalty", fields, to=f"{game}/penalty")


def test_a_penalty_is_charged_with_its_rule_taken_back_and_brought_back(marker, game):
    done = charge(marker, game, player=BEN, rule="PRO-13.3")
    assert (done.status_code, done.location) == (303, game)
    page = marker.open(game)
    whole = '<span class="nowrap">(PRO-13.3).</span>'  # which a browser breaks after the hyphen
    assert f"20 points to Ben: Touched stock or pile {whole}" in page
    assert "Undo: 20 points to Ben (PRO-13.3)" in text(page)
    assert f'href="{game}/penalty#charged"' in page
    form = marker.open(f"{game}/penalty")
    assert "20 points to Ben" in form.partition('id="charged"')[2]
    # Where something is entered there is Cancel, and no undo.
    assert f'href="{game}" data-cancel="penalty">Cancel</a>' in form
    assert f'action="{game}/undo"' not in form
    address = f"{game}/penalties/2/withdraw"
    fields = marker.hidden(f"{game}/penalty", address)
    for _ in range(2):  # the same action
        assert marker.post(address, fields).location == game
    page = marker.open(game)
    assert "20 points taken back from Ben (PRO-13.3). Undo brings it back." in text(page)
    assert totals(marker, game) == [0, 0, 0]
    assert "taken back" in marker.open(f"{game}/penalty")
    answer = marker.post(address, fields | {"key": "newer", "base": "3"})
    assert answer.status_code == 422
    assert "That penalty has been taken back already." in answer.text
    marker.saved(game, to=f"{game}/undo")
    assert totals(marker, game) == [0, 20, 0]


def test_it_takes_the_turn_off_the_recorded_table(marker, game, kalooki):
    lay(marker, game, ANA, "5C", "6C", "7C")
    record(marker, game, {"player": BEN, "add": "take_pile"})
    lay(marker, game, BEN, "9C", "9D", "9S")
    form = text_of(marker.open(f"{game}/penalty"))
    plays = "Took the pile; Meld 9♣, 9♦, 9♠"
    assert f"Ben played the last recorded turn: {plays}." in form
    done = charge(marker, game, player=BEN, rule="PRO-13.1")
    assert done.location == game
    page = marker.open(game)
    assert "20 points to Ben: " in page
    assert "The whole turn is taken back; Chandi plays next." in page
    assert f"Removed from the recorded table: {plays}." in page
    table = text_of(marker.open(f"{game}/table"))
    assert "5♣ 6♣ 7♣" in table
    assert "9♣ 9♦ 9♠" not in table
    assert "the last recorded turn" not in marker.open(f"{game}/penalty")
    number = marker.loaded(game).sheet.number
    done = marker.act(f"{game}/penalty", to=f"{game}/penalties/{number}/withdraw")
    assert "The recorded table stays as it is." in marker.open(done.location)
    assert "9♣ 9♦ 9♠" not in text_of(marker.open(f"{game}/table"))
    lay(marker, kalooki, BEN, "9C", "9D", "9S")  # where no penalty takes a turn back
    assert "the last recorded turn" not in marker.open(f"{kalooki}/penalty")


def test_a_turn_that_is_not_the_last_recorded_one_stays_and_the_page_says_so(marker, game):
    lay(marker, game, BEN, "9C", "9D", "9S")
    # Of a turn of which nothing is on record there is nothing to say.
    for player, following in ((CHANDI, "Ana"), (ANA, "Ben")):
        done = charge(marker, game, player=player, rule="PRO-13.2")
        assert done.location == game
        page = marker.open(game)
        assert f"The whole turn is taken back; {following} plays next." in page
        assert "ecorded table:" not in page
    lay(marker, game, CHANDI, "TC", "TD", "TS")
    done = charge(marker, game, player=BEN, rule="PRO-13.1")
    assert done.location == f"{game}/table"
    page = text_of(marker.open(done.location))
    assert "Later plays were recorded, so Ben's cards stay on the recorded table: " in page
    assert "9♣ 9♦ 9♠" in page
    assert marker.loaded(game).sheet.total(1) == 20


def test_the_reasons_are_those_of_the_house_and_say_who_plays_on(marker, game):
    def rules(game: str) -> list[str]:
        return re.findall(r'name="rule" value="([^"]*)"', marker.open(f"{game}/penalty"))

    assert rules(game) == ["PRO-13.3", "PRO-13.1", "PRO-13.2"]
    online = begin(marker, ("Ana", "Ben"), sheet="playginrummyonline")
    assert rules(online) == ["PRO-13.3", "PRO-13.1", "PRO-13.2", "PRO-13.6"]
    assert "added by the companion when the hand is marked" in marker.open(f"{game}/penalty")
    form = marker.open(f"{game}/penalty")
    # What needs no ruling stands first.
    assert "What for? Touched stock or pile 20 points What for? These take" in text_of(form)
    assert form.index("These take the turn back.") < form.index('value="PRO-13.1"')
    done = charge(marker, game, player=CHANDI, rule="PRO-13.2")
    assert "The whole turn is taken back; Ana plays next." in marker.open(done.location)


def test_a_past_hand_can_be_charged_and_the_last_one_when_the_game_is_over(marker, game):
    mark(marker, game)  # Ben 9, Chandi 10
    for rule, total in (("PRO-13.3", 20), ("PRO-13.2", 40)):
        done = charge(marker, game, player=ANA, rule=rule, hand="1")
        assert done.location == f"{game}/hands/1"
        assert totals(marker, game) == [total, 9, 10]
    form = marker.open(f"{game}/penalty?hand=1")
    assert "Penalty <small>in hand 1</small>" in form
    assert "These take the turn back." in form
    done = marker.act(f"{game}/penalty?hand=1", to=f"{game}/penalties/3/withdraw")
    assert done.location == f"{game}/hands/1"
    mark(marker, game, hands=12)
    done = charge(marker, game, player=BEN, rule="PRO-13.3")
    assert done.location == f"{game}/hands/13"
    assert marker.loaded(game).sheet.hands[12].mark(1).points == 29


def test_a_name_that_looks_like_a_rule_number_stays_a_name(marker):
    game = begin(marker, ("ABC-1 <b>", "<i> XYZ-2", "Cem"))
    charge(marker, game, player="0", rule="PRO-13.3")
    assert "20 points to ABC-1 <b>: Touched" in text(marker.open(game))
    charge(marker, game, player=BEN, rule="PRO-13.3")
    assert "20 points to <i> XYZ-2: Touched" in text(marker.open(game))


def test_every_missing_part_of_a_house_penalty_is_named_at_once(marker, game):
    wrong = {"player": "", "house": "add", "text": " ", "points": "1o"}
    answer = charge(marker, game, **wrong)
    assert answer.status_code == 422
    summary = text(answer.text.partition('class="summary"')[2].partition("</ul>")[0])
    for sentence in ("Say which player", "Say what for, in a few words.", "from 1 to 500."):
        assert sentence in summary
    assert value(answer.text, "points") == "1o"
    answer = charge(marker, game, **wrong | {"player": BEN, "text": "Late"})
    summary = answer.text.partition('class="summary"')[2].partition("</ul>")[0]
    assert text(summary).count("Say") == 1


def test_an_impossible_penalty_is_refused_with_a_sentence_and_kept(marker, game):
    who, why, where = "Say which player, then tap", "Say what for: tap one", "Say in which hand"
    house, points = {"player": BEN, "text": "Late", "points": "10"}, "from 1 to 500"
    for fields, sentence in (
        ({"rule": "PRO-13.3"}, who),
        ({"rule": "PRO-13.3", "player": "Ben"}, who),
        ({"player": BEN}, why),
        ({"player": BEN, "rule": "PRO-13.4"}, why),
        ({"player": BEN, "rule": "<b>"}, why),
        ({"player": BEN, "rule": "PRO-13.3", "hand": "2"}, where),
        ({"player": BEN, "rule": "PRO-13.3", "hand": "-"}, where),
        (house | {"player": "", "house": "add"}, "Say which player"),
        (house | {"text": "", "house": "add"}, "Say what for"),
        (house | {"points": "", "house": "add"}, points),
        (house | {"points": "ten", "house": "add"}, points),
        (house | {"house": "twice"}, points),
        (house, why),  # Enter in a field presses no button
    ):
        answer = charge(marker, game, **fields)
        assert answer.status_code == 422
        assert sentence in text(answer.text)
        if fields.get("player") == BEN:
            assert checked(answer.text, "player") == [BEN]
        for name in {"text", "points"} & fields.keys():
            assert value(answer.text, name) == fields[name]


def test_of_two_phones_that_charge_at_once_both_are_shown_and_one_tap_saves_both(marker, game):
    hidden = marker.hidden(f"{game}/penalty", f"{game}/penalty")
    charge(marker, game, player=CHANDI, rule="PRO-13.1")
    answer = marker.post(f"{game}/penalty", {"player": BEN, "rule": "PRO-13.3"}, **hidden)
    says = text(answer.text)
    assert "Saved meanwhile 20 points to Chandi (PRO-13.1) Unknown device" in says
    assert "Yours, not saved 20 points to Ben (PRO-13.3)" in says
    assert 'form="again">Save mine as well' in answer.text
    form = answer.text[answer.text.index('<form id="again"') :]
    again = dict(sent_again(form, f"{game}/penalty"))
    assert again["key"] != hidden["key"]
    assert marker.post(f"{game}/penalty", again).status_code == 303
    assert totals(marker, game) == [0, 20, 20]


def charged(marker: Marker, game: str, **fields: str) -> str:
    """Send the form of a house penalty; return the text of the next page."""
    answer = marker.saved(f"{game}/penalty", fields, to=f"{game}/penalty")
    return text(marker.open(answer.location))


def test_a_house_penalty_is_on_every_page_and_can_be_undone(marker, game):
    assert f'href="{game}/penalty">Penalty</a>' in marker.open(game)
    form = marker.open(f"{game}/penalty")
    assert form.index("PRO-13.1") < form.index('id="house"')
    page = charged(marker, game, player=BEN, house="add", text="Spilled wine", points="10")
    assert "10 points to Ben: Spilled wine. Your table's own, not in the rules." in page
    assert "Ben +10 Spilled wine house" in page
    assert "Undo: 10 points to Ben: Spilled wine (house)" in page
    page = charged(marker, game, player=CHANDI, house="off", text="Best <hat>", points="5")
    assert "5 points off for Chandi: Best <hat>." in page
    assert "Chandi −5 Best <hat> house" in page
    page = text(marker.open(f"{game}/sheet"))
    assert ", penalties ▲10" in page
    assert ", bonus ▼5" in page
    hand = marker.open(f"{game}/hands/1")
    assert '<b>−5</b> <span class="tag">house</span> Best &lt;hat&gt;' in hand
    tally = text(marker.open(f"{game}/tally"))
    assert "Penalties and bonuses" in tally
    assert "Chandi : Best <hat> house −5" in tally
    assert "▲10 penalties" in tally
    assert "▼5 bonus" in tally
    assert "▲ with penalties, ▼ with a bonus" in tally
    assert "5 points off for Chandi Best <hat> (house)" in text(marker.open(f"{game}/penalty"))
    done = marker.act(f"{game}/penalty", to=f"{game}/penalties/3/withdraw")
    says = "Taken back: 5 points off for Chandi: Best <hat> (house). Undo brings it back."
    assert says in text(marker.open(done.location))
    assert "taken back" in text(marker.open(f"{game}/hands/1"))


def test_a_game_without_penalties_does_not_use_the_word(marker, carioca):
    called, page = "House penalty or bonus", marker.open(carioca)
    assert f'href="{carioca}/penalty">{called}</a>' in page
    assert ">Penalty</a>" not in page
    form = marker.open(f"{carioca}/penalty")
    assert f"<h1>{called} <small>hand 1</small></h1>" in form
    assert "What for?" not in text(form)
    assert "For a reason of your own" in text(form)
    assert f"{called} for this hand" in marker.open(f"{carioca}/hands/1")
    for address in ("sheet", "tally", "throw-in"):
        said = text(marker.open(f"{carioca}/{address}")).partition("Spreadsheet")[0]
        assert "enalties" not in said


def test_on_a_sheet_of_boxes_house_penalties_have_a_line_and_points_are_a_bonus(marker):
    game = begin(marker, game="indian_chief")  # where the highest total wins
    for page in ("sheet", "tally"):
        assert "House" not in text(marker.open(f"{game}/{page}"))
    charged(marker, game, player=BEN, house="off", text="Late", points="3")
    for page in ("sheet", "tally"):
        assert "House penalties +0 −3 +0" in text(marker.open(f"{game}/{page}"))
    assert "Ben −3 points −3 house Late" in text(marker.open(f"{game}/hands/1"))
    tally = text(marker.open(f"{game}/tally"))
    assert "▲ with a bonus, ▼ with penalties" in tally
    assert "▼3 penalties" in tally
    assert "Penalties and bonuses" not in tally
    charged(marker, game, player=CHANDI, house="add", text="Best hat", points="5")
    tally = text(marker.open(f"{game}/tally"))
    assert "Penalties and bonuses" in tally
    assert "▲5 bonus" in tally


@pytest.mark.parametrize("name", ["proter", "indian_chief"])  # a sheet of hands, one of boxes
def test_a_total_below_zero_has_the_same_sign_wherever_it_stands(marker, name):
    game = begin(marker, game=name)
    charged(marker, game, player=BEN, house="off", text="Best hat", points="5")
    fields = {"out": "0", "by": "points", "points-2": "7", "points-1": "2", "melded-1": "yes"}
    if name == "indian_chief":
        fields = {"cards-0": "7C", "cards-1": "AC", "cards-2": "9C"}
    told = [preview(marker, game, fields)]
    told += [marker.open(f"{game}{page}") for page in ("", "/end", "/penalty")]
    marker.saved(f"{game}/end", fields)
    pages = ("", "/sheet", "/hands/1", "/tally", "/hands/1/correct")
    told += [marker.open(f"{game}{page}") for page in pages]
    assert [page for page in map(text, told) if re.search(r"-5| -[34]", page)] == []
    assert "−" in text(marker.open(f"{game}/tally"))
