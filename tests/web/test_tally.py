"""The tally: what it says, its downloads, and settling up."""

import csv
import io
import re
from html import unescape
from urllib.parse import urlencode
from xml.etree import ElementTree as ET

import pytest
from markupsafe import escape
from werkzeug.http import parse_options_header

from companion.notebook.events import (
    CardTurned,
    GameEnded,
    GameRenamed,
    HousePenalty,
    PenaltyWithdrawn,
)
from tests.notebook.evening import ANA, BEN, CEM, Evening, of_game, started
from tests.services.seven_at_table import NAMES, TOTALS, whole_game
from tests.web.asking import ruling
from tests.web.conftest import Marker, begin, checked, read_in, rows, text, value, viewers_link


def lead(page: str) -> str:
    """The sentence below the heading."""
    found = re.search(r'<p class="lead">(.*?)</p>', page, re.DOTALL)
    return "" if found is None else unescape(re.sub(r"<[^>]*>", "", found[1]))


def items(page: str) -> list[str]:
    """The lines of the small print: penalties, and house rules that differ."""
    lists = re.findall(r'<ul class="small-print[^>]*>(.*?)</ul>', page, re.DOTALL)
    return [text(one).strip() for found in lists for one in re.findall(r"<li>.*?</li>", found, 16)]


# -- the page -------------------------------------------------------------------------------------


def test_a_whole_game_has_places_totals_and_each_hands_penalties(marker):
    page = marker.open(f"{read_in(marker, whole_game())}/tally")
    order = sorted(range(7), key=TOTALS.__getitem__)
    assert rows(page, "tally standings")[1:] == [
        [str(place), NAMES[seat], str(TOTALS[seat]), "4" if seat in (0, 2, 6) else "3", ""]
        for place, seat in enumerate(order, start=1)
    ]
    assert lead(page) == f"{NAMES[1]} wins with 152 points."
    assert "Proter by the CatsAtCards sheet · begun" in page
    assert " · 13 hands" in page
    lines = items(page)
    assert len(lines) == 13
    assert lines[2] == (
        f"Hand 3 {NAMES[0]} 20 ( PRO-13.1 ) ; {NAMES[1]} 20 ( PRO-13.1 ) ; "
        f"{NAMES[2]} 20 ( PRO-13.1 ) + 20 ( PRO-13.3 )"
    )
    assert "PRO-13.2 Wrong discard · PRO-13.3 Touched stock or pile" in text(page)


def test_equal_totals_share_a_place_and_the_win(marker):
    evening = Evening()
    evening.mark(None, {0: "QC", 1: "QD", 2: "KC"})
    page = marker.open(f"{read_in(marker, evening)}/tally")
    assert [row[:3] for row in rows(page, "tally standings")[1:]] == [
        ["1 = , shared", "Ana", "12"],
        ["1 = , shared", "Ben", "12"],
        ["3", "Cem", "13"],
    ]
    assert lead(page) == "Ana and Ben lead with 12 points."
    evening.write(GameEnded(2))
    page = marker.open(f"{read_in(marker, evening)}/tally")
    assert lead(page) == "Ana and Ben share the win with 12 points."


def test_every_hand_has_its_proter_dealer_points_and_who_went_out(marker):
    evening = Evening(started(first_dealer=2))
    evening.charge(1, "PRO-13.3")
    evening.mark(0, {1: "QC", 2: "5C"})
    page = marker.open(f"{read_in(marker, evening)}/tally")
    shown = rows(page, "tally hands")
    assert shown[0] == ["Hand", "Ana", "Ben", "Cem"]
    assert shown[1] == [
        "1 ( Proter A)",
        "0 out total 0",
        "32 ▲20 penalties total 32",
        "5 D eals total 5",
    ]
    assert shown[2] == ["2 ( Proter 2)", "not marked D eals", "not marked", "not marked"]
    assert shown[13][0] == "13 ( Proter K)"
    assert shown[14] == ["Total", "0", "32", "5"]
    assert "1 of 13 hands so far" in page


def test_the_result_is_a_line_to_send_and_a_picture(marker):
    evening = Evening(started(("Ana", "සඳුනි <b>", "Cem")))
    evening.mark(0, {1: "QC", 2: "5C"})
    game = read_in(marker, evening)
    line = "Proter, 1 of 13 hands so far: 1. Ana 0, 2. Cem 5, 3. සඳුනි <b> 12"
    assert escape(line) in marker.open(f"{game}/tally")
    answer = marker.client.get(f"{game}/result.svg")
    assert answer.content_type == "image/svg+xml; charset=utf-8"
    drawn = ET.fromstring(answer.text)
    says = " ".join("".join(drawn.itertext()).replace("\u2068", "").replace("\u2069", "").split())
    assert "Proter, 1 of 13 hands so far" in says
    assert "1. Ana 0 2. Cem 5 3. සඳුනි <b> 12 " in says


def test_penalties_have_hand_player_reason_rule_and_points(marker):
    evening = Evening(started(penalty_points=25))
    for _ in range(2):
        evening.charge(2, "PRO-13.1")
    game = read_in(marker, evening)
    page = marker.open(f"{game}/tally")
    assert items(page) == [
        "Hand 1 Cem : Card already on the table PRO-13.1 2 × 25",
        "PRO-13 Points for a penalty: 25 points.",
    ]
    assert f'href="{game}/rules#PRO-13.1"' in page
    head, *standings = rows(page, '<table class="tally standings">')
    assert head == ["Place", "Player", "Total", "Number of penalties", "Signature"]
    assert [line[1:4] for line in standings] == [
        ["Ana", "0", "0"],
        ["Ben", "0", "0"],
        ["Cem", "50", "2"],
    ]


def test_a_bonus_is_not_among_the_number_of_penalties(marker, game):
    marker.write(game, HousePenalty(1, 0, -7, "Best cake"))
    page = marker.open(f"{game}/tally")
    assert "Penalties and bonuses Hand 1 Ana : Best cake house" in text(page)
    assert "Number of penalties" not in text(page)


def test_the_signs_of_the_table_are_explained_in_a_sentence_of_its_own(marker):
    for game, begins in (
        ("proter", "In brackets the Proter · after each mark the total so far"),
        ("kalooki", "After each mark the total so far"),
    ):
        page = marker.open(f"{begin(marker, ('Ana', 'Ben', 'Cleo'), game=game)}/tally")
        assert re.findall(r'<p class="key">(.*?) · ▲', page) == [begins]


def test_a_game_without_penalties_or_marks_says_so_and_is_not_settled(marker, game):
    page = settled(marker, game, settle="points", stake="1")
    assert "Settle up" not in page
    assert 'id="settled"' not in page
    assert "Penalties None." in text(page)
    assert "House rules" not in page
    assert "rulings" not in page.partition("<article")[2].partition("</article>")[0]
    assert lead(page) == ""
    assert "Send the result" not in page
    assert re.search(r"<button[^>]* data-print data-scripted>", page)
    assert "To print, choose “Print” in the browser's menu." in text(page)
    # The spreadsheet is CSV that spreadsheets know as UTF-8.
    answer = marker.client.get(f"{game}/tally.csv")
    assert answer.content_type == "text/csv; charset=utf-8"
    assert answer.data.startswith(b"\xef\xbb\xbfHand,Wild,Dealer,Out,Ana,Ben,Chandi\r\n")
    lines = list(csv.reader(io.StringIO(answer.data.decode("utf-8-sig"), newline="")))
    assert lines[1] == ["1", "A", "Ana", "", "", "", ""]


def test_rulings_have_question_verdict_rule_and_whether_they_were_carried_out(marker):
    evening = whole_game(rulings=True)
    part = marker.open(f"{read_in(marker, evening)}/tally").partition('<section class="rulings"')[2]
    said = re.findall(r"<li>.*?</li>", part.partition("</section>")[0], re.DOTALL)
    said = [text(re.sub(r'<span class="k" role="img" aria-label="[^"]*">', "", s)) for s in said]
    assert f"Hand 13, {NAMES[0]} : legal" in said[0]
    assert "Not carried out" not in said[0]
    assert f"Hand 13, {NAMES[1]} : illegal PRO-5" in said[1]
    assert "That is no run. No points; the play is taken back. Not carried out." in said[1]
    assert f"Hand 13, {NAMES[0]} : illegal PRO-11" in said[2]
    assert "Discard 9 ♥" in said[2].replace("\ufe0e", "")
    assert "Carried out." in said[2]
    charge = evening.sheet.hands[12].penalties[-1].entry
    evening.write(PenaltyWithdrawn(13, charge.number))
    page = text(marker.open(f"{read_in(marker, evening)}/tally"))
    assert "Carried out; the points were taken back." in page


@pytest.mark.parametrize(("false_call", "then"), [(0, ""), (25, " 25 points. Not carried out.")])
def test_the_rulings_say_nothing_of_taking_back_cards_that_stay_in_hand(marker, false_call, then):
    game = begin(marker, NAMES[:3], game="pay_me", **{"rule-false_call": str(false_call)})
    ruling(marker, game, "meld", "1", cards=["QH", "KH", "AH"])  # PAY-5: the ace is low
    ruling(marker, game, "declare", "1", cards=["9H", "9S", "KD", "5C"])  # PAY-7
    said = text(marker.open(f"{game}/tally"))
    assert "taken back" not in said
    assert "the ace below the 2. Hand 1" in said
    wrong = "4 cards would be in no meld, and only one of them may be discarded."
    assert f"{wrong}{then} To print" in said
    # Where nothing follows, there is nothing to carry out.
    assert text(marker.open(f"{game}/rulings")).count("Not carried out.") == bool(false_call)
    rows = [*csv.reader(io.StringIO(marker.open(f"{game}/tally.csv")))]
    assert [row[-1] for row in rows[-2:]] == ["", "no" if false_call else ""]


# -- downloads ------------------------------------------------------------------------------------


FILE_NAMES = {
    "Friday": "Friday DAY",
    "Ana's: the 7/8?": "Ana's- the 7-8 DAY",
    '"; filename="x.exe': "; filename=-x.exe DAY",
    "..": "DAY",
    "../../etc/passwd": "etc-passwd DAY",
    "Café": "Café DAY",
    "火曜日": "火曜日 DAY",
    "x" * 60: "x" * 60 + " DAY",
}


def test_a_file_is_named_after_the_game_whatever_that_is_called(marker, game):
    for title, name in FILE_NAMES.items():
        marker.write(game, GameRenamed(title))
        for part in ("tally.csv", "game.json"):
            header = marker.client.get(f"{game}/{part}").headers["Content-Disposition"]
            assert header.isascii()
            kind, said = parse_options_header(header)
            assert kind == "attachment"
            shown = re.sub(r"\d{4}-\d\d-\d\d", "DAY", said["filename"])
            assert shown == f"{name}.{part.rpartition('.')[2]}"
    game = read_in(marker, whole_game())  # of players with long names
    header = marker.client.get(f"{game}/tally.csv").headers["Content-Disposition"]
    assert len(header) < 1000
    assert "Wolfeschlegelsteinhausenberger" in header


# -- settling up ----------------------------------------------------------------------------------


@pytest.fixture
def over(marker: Marker) -> str:
    """The address of a game that is over: Cem has won with 12 points, Ana has 24 and Ben 36."""
    evening = of_game("carioca")
    evening.mark(CEM, {ANA: 24, BEN: 30})
    evening.mark(ANA, {BEN: 6, CEM: 12})
    evening.write(GameEnded(3))
    return read_in(marker, evening)


def settled(marker: Marker, game: str, **asked: str) -> str:
    """Return the tally with these fields of the form for settling up."""
    return marker.open(f"{game}/tally?{urlencode(asked)}")


def paid(page: str) -> list[str]:
    """The lines of the payments."""
    part = page.partition('id="settled"')[2].partition("</section>")[0]
    return [" ".join(text(one).split()) for one in re.findall(r"<li>.*?</li>", part, re.DOTALL)]


def balances(page: str) -> dict[str, str]:
    part = page.partition('id="settled"')[2].partition("</section>")[0]
    return dict(re.findall(r'"row"><bdi>(.*?)</bdi></th><td><bdi>(.*?)</bdi>', part))


def test_settling_up_is_off_by_default_and_hidden_from_viewers(marker, stranger, over):
    page = marker.open(f"{over}/tally")
    assert '<details class="settle screen">' in page
    assert 'id="settled"' not in page
    assert checked(page, "settle") == ["points"]
    page = settled(stranger, viewers_link(marker, over), settle="points", stake="1")
    assert "12 points" in text(page)
    assert "Settle up" not in page
    assert "pays" not in page


# Ana is 12 points behind Cem, and Ben 24. tests/notebook/test_settlement.py has who pays how much;
# nobody halves a chip: with a decimal point it is money, whose sign may be left out.
SETTLED = (
    (
        {"settle": "points", "stake": "0,05", "sign": "€"},
        ["Ben pays Cem €1.20", "Ana pays Cem €0.60"],
        {"Ana": "−€0.60", "Ben": "−€1.20", "Cem": "+€1.80"},
    ),
    (
        {"settle": "points", "stake": "2"},
        ["Ben pays Cem 48 chips", "Ana pays Cem 24 chips"],
        {"Ana": "−24 chips", "Ben": "−48 chips", "Cem": "+72 chips"},
    ),
    (
        {"settle": "prizes", "prizes": "1,50"},
        ["Ana pays Cem 0.50", "Ben pays Cem 0.50"],
        {"Ana": "−0.50", "Ben": "−0.50", "Cem": "+1.00"},
    ),
    # Each pays 5.
    (
        {"settle": "prizes", "prizes": " 10  5 "},
        ["Ben pays Cem 5 chips"],
        {"Ana": "0 chips", "Ben": "−5 chips", "Cem": "+5 chips"},
    ),
    # Each pays 4.17, and the rest, a cent, goes to the first seat: 4.16 2/3 are rounded.
    (
        {"settle": "prizes", "prizes": "10,50, 2", "sign": "Rs"},
        ["Ben pays Cem Rs4.17", "Ana pays Cem Rs2.16"],
        {"Ana": "−Rs2.16", "Ben": "−Rs4.17", "Cem": "+Rs6.33"},
    ),
)


def test_who_pays_whom_stands_open_in_the_tally(marker, over):
    for asked, lines, table in SETTLED:
        page = settled(marker, over, **asked)
        assert paid(page) == lines
        assert balances(page) == table
        assert '<details class="settle screen" open>' in page
        assert page.index('id="settled"') < page.index("</article>") < page.index("<details")
    # Twenty prizes are as many as can be: three places have a chip each, which everyone pays.
    page = settled(marker, over, settle="prizes", prizes=" ".join("1" * 20))
    assert paid(page) == ["Nobody owes anything."]


STAKE, PRIZES = {"settle": "points", "stake": "1"}, {"settle": "prizes"}
REFUSED = (
    (STAKE | {"stake": ""}, "stake", "Enter what a point costs."),
    (STAKE | {"stake": "0,00", "sign": "€"}, "stake", "Enter what a point costs."),
    (STAKE | {"stake": "-1"}, "stake", "“-1” is not an amount."),
    (STAKE | {"stake": "1.005", "sign": "€"}, "stake", "“1.005” is not an amount."),
    (STAKE | {"stake": "1 5"}, "stake", "“1 5” is not an amount."),
    (STAKE | {"stake": "9" * 99}, "stake", f"“{'9' * 20}” is not an amount."),
    (STAKE | {"stake": "<b>"}, "stake", "“<b>” is not an amount."),
    (PRIZES | {"prizes": ""}, "prizes", "Enter the prizes, starting with the first place."),
    (PRIZES | {"prizes": "0 0"}, "prizes", "Enter the prizes, starting"),
    (PRIZES | {"prizes": "10 five"}, "prizes", "“five” is not an amount."),
    (PRIZES | {"prizes": " ".join("9" * 21)}, "prizes", "20 places at most have prizes."),
    (STAKE | {"sign": "sixsix"}, "sign", "A currency sign has 5 letters at most."),
    (STAKE | {"sign": "5"}, "sign", "A currency sign has no digits."),
    (STAKE | {"sign": "\u202e"}, "sign", "A currency sign has no digits."),
)


def test_an_unreadable_entry_is_refused_beside_its_field_and_kept(marker, over):
    for asked, field, says in REFUSED:
        page = settled(marker, over, **asked)
        assert says in text(page)
        assert f'href="#{field}"' in page
        assert value(page, field) == asked[field].strip()
        assert 'id="settled"' not in page


def test_odd_questions_are_answered(marker, over):
    for asked in ({"settle": "nothing", "stake": "1"}, {"settle": "points", "stake": "٣"}):
        assert paid(settled(marker, over, **asked))
    page = settled(marker, over, settle="points", stake="1", sign="<i>")
    assert "Ben pays Cem <i>24.00" in text(page)


def test_in_a_game_with_its_own_payments_a_point_of_them_costs_the_stake(marker):
    evening = of_game("indian_rummy")
    evening.write(CardTurned(1, "8"))
    evening.mark(ANA, {})
    evening.mark(ANA, {BEN: 40, CEM: 6})
    game = read_in(marker, evening)
    page = settled(marker, game, settle="points", stake="2")
    assert paid(page) == ["Ben pays Ana 80 chips", "Cem pays Ana 12 chips"]
