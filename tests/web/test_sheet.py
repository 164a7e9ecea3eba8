"""The score sheet, the page of a hand, and the log of entries."""

import re

import pytest

from companion.notebook.events import (
    Event,
    HandCorrected,
    HandEntry,
    HandMarked,
    HandThrownIn,
    HousePenalty,
    PenaltyCharged,
    PenaltyWithdrawn,
    PlayRecorded,
)
from tests.notebook.evening import WRONG_MELD, in_words
from tests.web.conftest import Marker, begin, rows, text, totals


def row(page: str, number: int) -> str:
    """The row of a hand on the sheet."""
    return re.findall(r"<tr>.*?</tr>", page.partition("<tbody>")[2], re.DOTALL)[number - 1]


def cells(page: str, number: int) -> list[str]:
    return rows(page, "<tbody>")[number - 1][1:]


def section(page: str, player: int) -> str:
    return page.partition(f'id="player-{player}"')[2].partition("</section>")[0]


@pytest.fixture
def played(marker: Marker, game: str) -> str:
    """Hand 1: Ana out, Ben K♣ A♥ and a penalty taken back, Chandi touched the stock, 5 left, no
    meld. Hand 2: thrown in, then nobody out and points given; corrected for Chandi: 9, not 26.
    """
    same = (HandEntry(0, "4C"), HandEntry(1, points=6))
    events: list[Event] = [
        PenaltyCharged(1, 2, "PRO-13.3"),  # entry 2
        PenaltyCharged(1, 1, "PRO-13.2"),
        HandMarked(1, 0, (HandEntry(1, "KC AH"), HandEntry(2, "2D 3S", melded=False))),
        PenaltyWithdrawn(1, 3),  # entry 5
        HandThrownIn(2),
        HandMarked(2, None, (*same, HandEntry(2, None, 26, 1, True))),
        HandCorrected(2, None, (*same, HandEntry(2, None, 9, 0, True))),
    ]
    for event in events:
        marker.write(game, event)
    return game


# -- the sheet ------------------------------------------------------------------------------------


def test_the_sheet_has_points_totals_the_leader_links_and_a_chart(marker, played):
    page = marker.open(f"{played}/sheet")
    assert page.partition("<tbody>")[2].partition("</tbody>")[0].count("<tr>") == 13
    # Ben 13 + 1 + 20; Chandi 5 + 20 + 20.
    assert cells(page, 1) == [
        "D 0 , total 0 , deals , went out",
        "34 , penalties ▲20 , total 34",
        "45 , penalties ▲40 , total 45",
    ]
    assert cells(page, 2) == ["4 , total 4", "D 6 , total 40 , deals", "corrected 9 , total 54"]
    assert cells(page, 13) == ["D – , deals", "–", "–"]
    assert totals(marker, played) == [4, 40, 54]
    heads = [cells[0] for cells in rows(page, "<thead>")[1:]]
    assert heads[:2] == ["Correct Hand 1 , Proter A", "Correct Hand 2 , Proter 2"]
    ranks = [*map(str, range(3, 11)), "J", "Q", "K"]
    assert heads[2:] == [f"Hand {n} , Proter {rank}" for n, rank in enumerate(ranks, 3)] + ["All"]
    assert f'href="{played}/hands/1#player-2"' in row(page, 1)
    assert f'href="{played}/hands/1/correct"' in row(page, 1)
    assert f'href="{played}/hands/3#player-0"' in row(page, 3)  # it has begun
    assert "correct" not in row(page, 3)
    assert "href" not in row(page, 4)
    foot = page.partition("<tfoot>")[2].partition("</tfoot>")[0]
    assert text(foot).count("★ leads") == 1
    assert "Ana leads with 4 points." in text(page)
    svg = page.partition('<svg class="chart"')[2].partition("</svg>")[0]
    assert svg.count("<polyline") == 3
    assert len(set(re.findall(r'marker-end="([^"]*)"', svg))) == 3
    assert "Running totals after hand 2: Ana 4, Ben 40, Chandi 54." in svg


def test_before_the_first_hand_is_marked_it_has_a_page_and_nobody_leads(marker, game):
    page = text(marker.open(f"{game}/sheet"))
    assert page.count("★ leads") == 1  # the key alone
    assert "with 0 points" not in page
    assert '<svg class="chart"' not in page
    page = marker.open(f"{game}/hands/1")
    # It may not be dealt yet.
    assert "Ana deals, Ben plays first. Not marked yet." in text(page)
    assert f'href="{game}/end"' in page
    assert text(page).count("Nothing yet. Total so far: 0") == 3
    marker.write(game, in_words(1, "meld", "meld 5C 6C 7C", verdict=WRONG_MELD))
    page = marker.open(f"{game}/hands/1")
    assert f'href="{game}/rulings/2"' in page
    assert "Ruling on Ben" in text(page)


# -- one hand -------------------------------------------------------------------------------------


def test_one_point_is_read_as_one(marker):
    game = begin(marker, game="three_thirteen")  # an ace left is 1 (TTN-9)
    marker.write(game, HandMarked(1, 0, (HandEntry(1, "2C"), HandEntry(2, points=1, melded=True))))
    page = marker.open(f"{game}/hands/1")
    heads = [re.findall(r"\d points?", text(section(page, seat)))[0] for seat in range(3)]
    assert heads == ["0 points", "2 points", "1 point"]


def test_a_hand_shows_cards_charges_thrown_in_deals_and_corrections(marker, played):
    page = marker.open(f"{played}/hands/1")
    ben, chandi = section(page, 1), section(page, 2)
    assert 'aria-label="king of clubs"' in ben
    assert re.search(r"K.*13.*A.*1 ", text(ben))
    assert "34 points" in text(ben)
    assert f'href="{played}/rules#PRO-13.4"' in ben
    # A penalty that was taken back is struck out.
    struck = text(ben.partition("<del>")[2].partition("</del>")[0])
    assert "taken back: ▲ 20 PRO-13.2 Wrong discard" in struck
    assert "entry 3" in ben
    assert "entry 5" in ben
    assert "Went out" in text(section(page, 0))
    assert "a meld" not in text(section(page, 0))  # nobody said how
    assert "▲ 20 PRO-13.3 Touched stock or pile" in text(chandi)
    assert f'{played}/log#entry-2">entry 2</a>' in chandi
    assert "▲ 20 PRO-13.5 No meld" in text(chandi)
    assert "Laid no meld. Total after the hand: 45" in text(chandi)
    page = marker.open(f"{played}/hands/2")
    assert "Thrown in and dealt again." in text(page)
    assert "Nobody went out." in text(page)
    assert "6 points, entered without cards 6" in text(section(page, 1))
    chandi = section(page, 2)
    assert "9 points" in text(chandi)
    struck = text(chandi.partition("<del>")[2].partition("</del>")[0])
    assert "46 26 points, entered without cards, 1 Proter among them" in struck  # PRO-13.4: 20
    assert "Marked: " in text(page)
    assert "Corrected: " in text(page)
    assert f'href="{played}/hands/2/correct"' in page


def test_where_a_lay_off_is_enough_the_question_and_the_sheet_say_so(marker):
    game = begin(marker, ("Ana", "Ben"), **{"rule-lay_off_counts_as_meld": "yes"})
    assert ">Laid a meld or laid off?<" in marker.open(f"{game}/end")
    marker.write(game, HandMarked(1, 0, (HandEntry(1, "KC"),)))
    ben = text(section(marker.open(f"{game}/hands/1"), 1))
    assert "Laid a meld or laid off. Total after the hand: 13" in ben


def test_few_cards_left_show_a_meld_or_a_lay_off_and_a_recorded_meld_shows_more(marker):
    game = begin(marker, ("Ana", "Ben", "Cem", "Dil"))
    marker.write(game, PlayRecorded(1, 2, "meld 5C 6C 7C"))
    six = HandEntry(3, "2D 3D 4D 5D 6D 7D", melded=True)
    marker.write(game, HandMarked(1, 0, (HandEntry(1, "KC"), HandEntry(2, "QC"), six)))
    page = marker.open(f"{game}/hands/1")
    says = [text(section(page, seat)) for seat in (1, 2, 3)]
    assert "Laid a meld or laid off. Total after the hand: 13" in says[0]  # PRO-13.5
    assert "Laid a meld. Total after the hand: 12" in says[1]
    assert "Laid a meld. Total after the hand: 27" in says[2]


def test_a_correction_of_who_went_out_is_readable(marker, game):
    marker.write(game, HandMarked(1, 0, (HandEntry(1, "5C"), HandEntry(2, "6C")), False))
    marker.write(game, HandCorrected(1, 1, (HandEntry(0, "7C"), HandEntry(2, "6C"))))
    page = marker.open(f"{game}/hands/1")
    ana = section(page, 0).partition("<del>")[2].partition("</del>")[0]
    assert "20 Went out without a meld" in text(ana)
    assert "five" not in ana
    ben = section(page, 1).partition("<del>")[2].partition("</del>")[0]
    assert "5 of clubs" in ben
    assert "<del>" not in section(page, 2)


def test_a_correction_of_what_the_cards_count_is_readable(marker):
    kalooki = begin(marker, game="kalooki")
    bent = {"out": "0", "bent": "1", "cards-1": ["XX", "AS", "AH"], "cards-2": "9D"}
    marker.saved(f"{kalooki}/end", bent)
    marker.saved(f"{kalooki}/hands/1/correct", bent | {"bent": ""})
    page = marker.open(f"{kalooki}/hands/1")
    for seat, twice in ((1, 2 * (50 + 15 + 1)), (2, 2 * 9)):  # KAL-9
        struck = section(page, seat).partition("<del>")[2].partition("</del>")[0]
        assert text(struck).split()[:1] == [str(twice)]
    assert "<del>" not in section(page, 0)


def test_the_charges_that_bending_doubles_add_up_to_the_points(marker):
    kalooki = begin(marker, game="kalooki", **{"rule-bending_doubles": "all"})
    for _call in range(2):
        marker.write(kalooki, PenaltyCharged(1, 1, "KAL-4"))
    marker.write(kalooki, PenaltyWithdrawn(1, 2))
    marker.write(kalooki, HousePenalty(1, 1, 10, "Spilled wine"))
    marker.write(kalooki, HandMarked(1, 0, (HandEntry(1, "KC"), HandEntry(2, "6C")), bent=True))
    ben = text(section(marker.open(f"{kalooki}/hands/1"), 1))
    # KAL-9: the king 10 and the call 50 count double; the wine 10 once.
    assert "Ben 130 points" in ben
    assert "× 2 = 20" in ben
    assert ben.count("Call beyond the third × 2 = 100") == 1
    assert ben.count("×") == 2


def test_a_finished_game_says_which_charge_of_its_last_hand_is_doubled(marker):
    kalooki = begin(marker, game="kalooki", **{"rule-bending_doubles": "all"})
    left = (HandEntry(1, "KC"), HandEntry(2, "6C"))
    for hand in range(1, 9):
        marker.write(kalooki, HandMarked(hand, 0, left))
    marker.write(kalooki, PenaltyCharged(9, 1, "KAL-4"))
    marker.write(kalooki, HandMarked(9, 0, left, bent=True))
    # KAL-9: the call counts 2 × 50.
    assert "Ben +50 Call beyond the third × 2 = 100" in text(marker.open(kalooki))


# -- the record -----------------------------------------------------------------------------------


def test_the_record_has_every_entry_the_newest_first_and_undoing_too(marker, played):
    page = marker.open(f"{played}/log")
    numbers = re.findall(r'<li value="(\d+)"', page)
    assert numbers == [str(n) for n in range(8, 0, -1)]
    says = text(page)
    assert "Hand 2 corrected, nobody out" in says
    assert "20 points taken back from Ben (PRO-13.2)" in says
    assert "Game started" in says
    assert len(re.findall(r"· <bdi>[^<]+</bdi></small>", page)) == 8
    marker.saved(played, to=f"{played}/undo")
    page = marker.open(f"{played}/log")
    assert "<del>Hand 2 corrected, nobody out</del>" in page
    assert "Undone: Hand 2 corrected, nobody out" in page
    marker.saved(played, to=f"{played}/redo")
    page = marker.open(f"{played}/log")
    assert "<del>" not in page
    assert "Redone: Hand 2 corrected, nobody out" in page
