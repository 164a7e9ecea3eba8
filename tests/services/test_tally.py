"""The tally: its notes, and the spreadsheet, in which no name is a formula."""

import csv
import io

import pytest

from companion.notebook.events import GameEnded, HousePenalty, PlayerRenamed, UpcardGiven
from companion.services import tally
from companion.services.tally import as_csv, safe_cell
from tests.notebook.evening import ANA, BEN, CEM, WRONG_MELD, Evening, of_game, started
from tests.notebook.test_calls_and_upcards import evening as at_table
from tests.notebook.test_rummies import indian_rummy
from tests.services.seven_at_table import NAMES, PENALTIES, TOTALS, whole_game


def table(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def parts(evening: Evening) -> list[list[list[str]]]:
    """Return the tables of the file, which empty lines separate."""
    found: list[list[list[str]]] = [[]]
    for row in table(as_csv(evening.sheet)):
        if row:
            found[-1].append(row)
        else:
            found.append([])
    return found


def test_the_spreadsheet_has_a_row_for_each_hand_and_a_column_for_each_player():
    evening = Evening(started(("Ana", "Ben", "Cem"), first_dealer=1))
    evening.charge(2, "PRO-13.3")
    evening.mark(0, {1: "QC", 2: "5C AH"})  # Cem 5 and an ace, the Proter of hand 1: 6 + 20 + 20
    evening.charge(1, "PRO-13.2")
    hands, penalties, house_rules, rulings = parts(evening)
    assert hands == [
        ["Hand", "Wild", "Dealer", "Out", "Ana", "Ben", "Cem"],
        ["1", "A", "Ben", "Ana", "0", "12", "46"],
        ["2", "2", "Cem", "", "", "20", ""],
        ["Total", "", "", "", "0", "32", "46"],
        ["Place", "", "", "", "1", "2", "3"],
    ]
    assert penalties == [
        ["Hand", "Player", "Rule", "Points", "Penalty"],
        ["1", "Cem", "PRO-13.3", "20", "Touched stock or pile"],
        ["1", "Cem", "PRO-13.4", "20", "Proter in hand"],
        ["2", "Ben", "PRO-13.2", "20", "Wrong discard"],
    ]
    assert house_rules == [["Rule", "House rule", "Here"]]
    assert rulings == [["Hand", "Player", "Rules", "Ruling", "Plays", "Carried out"]]


def test_a_whole_game_with_every_penalty_and_every_ruling():
    hands, penalties, _, rulings = parts(whole_game(rulings=True))
    assert hands[0][4:] == list(NAMES)
    assert len(hands) == 1 + 13 + 2
    # The ruling that was carried out is one penalty more, for the first seat.
    assert hands[14][4:] == [str(TOTALS[0] + 20), *map(str, TOTALS[1:])]
    assert len(penalties) == 1 + PENALTIES + 1
    assert rulings[1:] == [
        ["13", NAMES[0], "", "legal", "Meld 3♣, 4♣, 5♣", ""],
        ["13", NAMES[1], "PRO-5", "illegal", "Meld 3♦, 4♦, 6♦", "no"],
        ["13", NAMES[0], "PRO-11", "illegal", "Discard 9♥", "yes"],
    ]


def test_house_rules_that_differ_from_the_sheet_are_named_and_equal_penalties_are_one_line():
    evening = Evening(started(penalty_points=25, discard_run="off", proters_left="each"))
    evening.write(HousePenalty(1, BEN, -10, "=HYPERLINK(1)"))  # which becomes no formula
    evening.mark(0, {1: "AC AD AH", 2: "QC"})
    assert parts(evening)[1][1:] == [
        ["1", "Ben", "PRO-13.4", "75", "Proter in hand, 3 times"],
        ["1", "Ben", "house", "-10", "'=HYPERLINK(1)"],
    ]
    assert parts(evening)[2][1:] == [
        ["PRO-12", "Discards near the top card", "Only the rank of the top card matters."],
        ["PRO-13", "Points for a penalty", "25 points."],
        ["PRO-13.4", "Proters in hand at the end", "One penalty for each of them."],
    ]
    as_written = Evening(started(sheet="playginrummyonline")).sheet
    assert tally.changed_rules(as_written) == []


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "-1", "@SUM(1)", "＝1", "＋1", "－1", "＠x", "﹣1", "=cmd|' /C calc'!A0"]
)
def test_no_name_begins_a_formula_anywhere_in_the_file(name):
    evening = Evening(started((name, "Ben", "Cem"), title=name))
    evening.charge(0, "PRO-13.3")
    evening.mark(0, {1: "QC", 2: "JC"})
    cells = [cell for row in table(as_csv(evening.sheet)) for cell in row]
    assert cells.count(f"'{name}") == 4  # a column, who deals, who is out, who was charged
    assert name not in cells


def test_text_that_a_spreadsheet_would_compute_stays_text():
    for text in ("Ana", "A=1", "A-B", "'=1", "", "Ana; Ben"):
        assert safe_cell(text) == text
    for space in ("\t", "\r", "\n", " ", "\u00a0", "\u200b", "\ufeff"):
        assert safe_cell(f"{space}=1") == f"'{space}=1"
    assert [safe_cell(text) for text in (" Ana", "\tAna")] == ["' Ana", "'\tAna"]
    assert safe_cell("Ana;=1") == "Ana;'=1"
    assert safe_cell("Ana; +1;@x") == "Ana; '+1;'@x"


# What each kind of dispute is about, as it is kept and as it is read.
DISPUTES = {
    "meld": (("meld 5C 5D 7H",), "Meld 5♣, 5♦, 7♥"),
    "lay_off": (("lay_off 5S onto 0",), "Lay-off 5♠ on meld 1"),
    "swap": (("swap 5S onto 0",), "Swap 5♠ into meld 1"),
    "discard": (("discard 9H",), "Discard 9♥"),
    "contract": (("meld 5C 5D 7H", "meld 9C 9D 9H"), "Meld 5♣, 5♦, 7♥; Meld 9♣, 9♦, 9♥"),
    "turn": (("meld 5C 5D 7H", "discard 9H"), "Meld 5♣, 5♦, 7♥; Discard 9♥"),
    "declare": (("meld 5C 5D 7H 9C", "meld 5C 5D 7H"), "Declared 5♣ 5♦ 7♥ 9♣, grouped as 5♣ 5♦ 7♥"),
}


@pytest.mark.parametrize(
    ("game", "in_hand"), [("carioca", ()), ("indian_rummy", ("declare", "meld"))]
)
def test_a_ruling_of_every_kind_has_its_row(game, in_hand):
    evening = of_game(game)
    kinds = sorted(evening.sheet.game.judge.asks & DISPUTES.keys())
    for kind in kinds:
        evening.rule(BEN, *DISPUTES[kind][0], verdict=WRONG_MELD, ask=kind)
    # Where cards stay in hand, and nothing is charged, nothing can be carried out.
    assert parts(evening)[-1][1:] == [
        ["1", "Ben", "PRO-5", "illegal", DISPUTES[kind][1], "" if kind in in_hand else "no"]
        for kind in kinds
    ]


def test_a_may_i_ruling_is_listed_with_the_rulings():
    evening = at_table()
    evening.rule(BEN, "discard 9H", verdict=WRONG_MELD, ask="discard")
    evening.write(UpcardGiven(1, ANA, (BEN, CEM), None, BEN))
    evening.write(UpcardGiven(1, CEM, (BEN,), BEN, None))
    evening.rule(CEM, "discard 8H", verdict=WRONG_MELD, ask="discard")
    assert parts(evening)[-1][1:] == [
        ["1", "Ben", "PRO-5", "illegal", "Discard 9♥", "no"],
        ["1", "Ana", "CON-9", "Ben gets the card", "“May I?”: Ben, Cem", ""],
        ["1", "Cem", "CON-9", "nobody gets the card", "“May I?”: Ben", ""],
        ["1", "Cem", "PRO-5", "illegal", "Discard 8♥", "no"],
    ]


# -- notes ----------------------------------------------------------------------------------------


def test_hands_that_were_thrown_in_or_corrected_are_noted():
    evening = Evening()
    assert tally.notes(evening.sheet) == []
    evening.throw_in()
    evening.mark_hands(1)
    evening.throw_in()
    evening.throw_in()
    evening.mark_hands(1)
    for _ in range(3):
        evening.throw_in()
    evening.correct(1, 0, {1: "QC", 2: "KC"})
    assert tally.notes(evening.sheet) == [
        "Hand 1 was thrown in and dealt again.",
        "Hand 2 was thrown in twice and dealt again.",
        "Hand 3 was thrown in 3 times and dealt again.",
        "Corrected after marking: hand 1.",
    ]
    evening.correct(2, 0, {1: "QC", 2: "KC"})
    assert tally.notes(evening.sheet)[-1] == "Corrected after marking: hands 1, 2."


def test_a_game_ended_early_says_how_many_hands_were_played():
    evening = Evening()
    evening.mark_hands(9)  # Ben and Cem hold 12 points in each
    assert tally.played(evening.sheet) == "9 of 13 hands so far"
    evening.write(GameEnded(10))
    assert tally.played(evening.sheet) == "9 of 13 hands"
    assert tally.result(evening.sheet) == "Proter, 9 of 13 hands: 1. Ana 0, 2. Ben 108, 2. Cem 108"
    # A name that is written from right to left leaves place and points where they are.
    evening.write(PlayerRenamed(BEN, "سارة"))
    line = "Proter, 9 of 13 hands: 1. Ana 0, 2. \u2068سارة\u2069 108, 2. Cem 108"
    assert tally.result(evening.sheet) == line
    rummies = indian_rummy()
    rummies.mark(0, {})
    rummies.write(GameEnded(2))
    assert tally.headline(rummies.sheet) == "Indian Rummy, 1 Rummy"


def test_a_bent_table_is_noted_with_its_effect():
    evening = of_game("kalooki")
    evening.mark(0, {1: "KC", 2: "2S"}, bent=True)
    evening.charge(1, "KAL-4")
    evening.mark(1, {0: "KC", 2: "2S"}, bent=True)
    evening.mark(0, {1: "KC", 2: "2S"})
    noted = [
        "Hand 1: Ana bent the table: doubled.",
        "Hand 2: Ben bent the table, but called more than 3 times: not doubled (KAL-4).",
    ]
    assert tally.bendings(evening.sheet) == noted
    assert tally.notes(evening.sheet) == noted

    evening = Evening()  # in which nothing doubles
    evening.mark(0, {1: "KC", 2: "2S"}, bent=True)
    assert evening.sheet.total(1) == 13  # PRO-15
    assert tally.bendings(evening.sheet) == []
