"""The section of a person's page with the figures: its words, its filters, its pictures."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask, get_template_attribute
from werkzeug.datastructures import MultiDict

from companion.notebook.figures import Finished, Played
from companion.rules import language
from companion.rules.games import GAMES
from companion.services.people import Person
from companion.store import PersonRecord
from companion.web.figures import Figure, FiguresPage, Wanted, decimal, figures_page
from tests.web.conftest import text
from tests.web.pseudo import outside

RANKS = ("A", "2", "3")
FIRST = datetime(2025, 12, 20, 12, tzinfo=UTC)


def row(
    number: int, place: int, points: tuple[int, ...], players: int = 3, **more: Any
) -> Finished:
    """A game, 10 days after the one before: 20 and 30 December, 9, 19 and 29 January."""
    beside = more.pop("beside", {})
    seat = Played("proter", "catsatcards", players, place, points, RANKS, (), {}, (0, 0), 0, 1)
    at = FIRST + timedelta(days=10 * number)
    return Finished(f"g{number}", at, replace(seat, **more), beside)


# Newest first. Ben is b1, and Chandi c2.
SEASON = [
    row(4, 1, (0, 12, 4), out=(1,), comeback=9, decided=3, rulings=(1, 0), beside={"b1": 2}),
    row(3, 2, (0, 30, 10), 5, out=(1,), penalties={"PRO-13.3": 1}, decided=2, beside={"b1": 1}),
    row(2, 1, (8, 6, 2), 2, decided=3, rulings=(0, 2), beside={"c2": 2}),
    row(1, 1, (0, 0, 20), 4, out=(1, 2), penalties={"PRO-13.3": 2, "": 1}, beside={"c2": 2}),
    row(0, 3, (44, 0, 0), out=(2, 3), decided=3, beside={"b1": 1, "c2": 3}),
]
CONTRACTS = ("2 trios", "1 trio and 1 escalera", "2 escaleras")
CARIOCA = row(5, 1, (0, 5, 5), game="carioca", sheet="carioca", labels=CONTRACTS)
CARIOCAS = [CARIOCA._replace(id=f"c{n}") for n in range(3)]


@pytest.fixture
def page_of(app: Flask):
    """Makes the section of a page for these games."""

    def made(
        games: list[Finished] = SEASON,
        wanted: dict[str, Any] | None = None,
        tables: dict[str, list[Played]] | None = None,
    ) -> FiguresPage:
        ana = PersonRecord(id="a1", notebook_id="n", name="Ana", colour="red")
        person = Person(ana, None, [], [], games, {"b1": "Ben", "c2": "Chandi"})
        asked = Wanted(MultiDict(wanted or {}))
        if tables is None:
            tables = {one.id: [one.played] for one in games}
        return figures_page(person, asked, asked.of(games), tables)

    with app.test_request_context():
        yield made


def drawn(page: FiguresPage) -> str:
    return get_template_attribute("people/_parts.html", "figures_section")(page)


def figure(page: FiguresPage, title: str) -> Figure:
    (found,) = [one for one in page.figures if one.title == title]
    return found


FIGURES = [
    ("Won", "3", "5 games"),
    ("Wins by luck", "1.62", "5 games"),  # 1/3 + 1/5 + 1/2 + 1/4 + 1/3
    ("Average place", "0.25", "5 games"),
    ("Won in a row", "1 now, longest 2", "5 games"),
    ("Without a win", "0 now, longest 1", "5 games"),
    ("Rulings", "3 asked, 1 upheld, 2 against", "5 games"),
    ("Nemesis", "Ben, 2 times above", "3 games"),
    ("Points a hand", "4, half of them 0 to 11", "15 hands"),
    ("Went out", "6", "15 hands"),
    ("Best hand", "0 points, 6 times", "Hand 2, 20 Dec 2025"),
    ("Worst hand", "44 points, once", "Hand 1, 20 Dec 2025"),
    ("Best game", "16 points, 2 times", "9 Jan 2026"),
    ("Worst game", "44 points, once", "20 Dec 2025"),
    ("Largest comeback", "9 points, once", "29 Jan 2026"),
]


def test_every_figure_has_its_number_and_its_definition(page_of):
    page = page_of()
    assert [one[:3] for one in page.figures] == FIGURES
    assert page.note == ""
    said = text(drawn(page))
    for one in page.figures:
        assert one.says.endswith(".")
        assert f"{one.title} {one.value} {one.of} {one.says}" in said


def test_where_the_highest_wins_the_highest_is_the_best(page_of):
    rows = [one._replace(played=replace(one.played, game="indian_chief")) for one in SEASON]
    page = page_of(rows)
    records = [figure(page, f"{which} {of}") for of in ("round", "game") for which in BEST]
    assert [int(one.value.split()[0]) for one in records] == [44, 0, 44, 16]


BEST = ("Best", "Worst")


def test_nobody_who_never_was_behind_has_come_back(page_of):
    page = page_of([row(n, 1, (0, 0, 0)) for n in range(3)])
    assert "Largest comeback" not in [one.title for one in page.figures]


def test_a_record_leads_to_its_game(page_of):
    page = page_of()
    assert figure(page, "Best game").address == "/games/g2/tally"
    assert '<a href="/games/g2/tally"><bdi>16 points, 2 times</bdi></a>' in drawn(page)


def test_the_tables_have_what_hands_cost_and_decide_and_who_finished_above(page_of):
    tables = {table.title: table for table in page_of().tables}
    assert tables["Points by hand"].rows == [
        ["A", "5", "10.4"],
        ["2", "5", "9.6"],
        ["3", "5", "7.2"],
    ]
    assert tables["Points by hand"].of == "15 hands"
    assert tables["Decided after"].rows == [["3 (3)", "3"], ["1 (A)", "1"], ["2 (2)", "1"]]
    assert tables["Penalties"].rows == [
        ["House penalties", "1", "0.2"],
        ["Touched stock or pile (PRO-13.3)", "3", "0.6"],
    ]
    assert tables["Head to head"].rows == [["Ben", "1", "0", "2"], ["Chandi", "2", "1", "0"]]


@pytest.mark.parametrize("count", [1, 2])
def test_under_three_games_there_are_only_counts(page_of, count):
    page = page_of(SEASON[:count])
    assert page.note == "Averages come with 3 finished games."
    assert page.note in text(drawn(page))
    titles = [one.title for one in page.figures]
    assert titles == ["Won", "Rulings", "Went out"]
    assert figure(page, "Went out")[1:3] == (str(count), f"{3 * count} hands")
    assert page.pictures == []
    # Rates by game are not there either.
    heads = [table.head for table in page.tables]
    assert heads == [["Player", "Above", "Equal", "Below"]] + [["Rule", "Charges"]] * (count - 1)


def test_without_a_game_there_is_nothing_to_count(page_of):
    page = page_of([])
    assert (page.filters, page.pictures, page.clear) == ([], [], "")
    assert figure(page, "Won")[1:3] == ("0", "0 games")
    assert "<svg" not in drawn(page)


def test_points_of_different_games_are_not_put_together(page_of):
    page = page_of([CARIOCA, *SEASON])
    assert page.note.startswith("Choose one game for points")
    assert figure(page, "Won")[1:3] == ("4", "6 games")
    assert "Points a hand" not in [one.title for one in page.figures]
    assert [one.table.title for one in page.pictures] == ["Places"]
    assert [table.title for table in page.tables] == ["Head to head"]


# -- filters --------------------------------------------------------------------------------------


def filters(page: FiguresPage) -> dict[str, list[tuple[str, str, bool]]]:
    return {title: [(*one,) for one in choices] for title, choices in page.filters}


def test_each_filter_is_one_tap(page_of):
    found = filters(page_of([CARIOCA, *SEASON]))
    assert found == {
        "Game": [("Carioca", "?game=carioca", False), ("Proter", "?game=proter", False)],
        "Year": [("2026", "?year=2026", False), ("2025", "?year=2025", False)],
        "Players": [(str(n), f"?players={n}", False) for n in (2, 3, 4, 5)],
        "With": [("Ben", "?company=b1", False), ("Chandi", "?company=c2", False)],
    }


def test_one_other_person_is_a_choice_and_one_year_is_none(page_of):
    found = filters(page_of(SEASON[:1]))
    assert found == {"With": [("Ben", "?company=b1", False)]}


def test_what_is_chosen_is_marked_and_leads_back(page_of):
    wanted = {"game": "proter", "year": "2026", "month": "1", "company": "b1"}
    page = page_of([CARIOCA, *SEASON], wanted)
    found = filters(page)
    rest = "game=proter&year=2026&month=1&company=b1"
    assert found["Game"] == [
        ("Carioca", "?game=carioca&year=2026&month=1&company=b1", False),
        ("Proter", "?year=2026&month=1&company=b1", True),
    ]
    assert found["Year"][0] == ("2026", "?game=proter&company=b1", True)
    # A month of one year is none of another.
    assert found["Year"][1] == ("2025", "?game=proter&year=2025&company=b1", False)
    assert found["With"] == [
        ("Ben", "?game=proter&year=2026&month=1", True),
        ("Chandi", f"?{rest}&company=c2", False),
    ]
    assert page.clear == "?"
    shown = drawn(page)
    assert shown.count('aria-current="true"') == 4
    assert '<a class="btn plain" href="?#figures">All games</a>' in shown
    assert "Figures · Proter · 2026 · Jan · Ben" in text(shown)
    # 19 and 29 January.
    assert figure(page, "Won")[1:3] == ("1", "2 games")


def test_a_year_has_its_months_and_a_game_its_rule_sheets(page_of):
    online = row(6, 1, (1, 1, 1), sheet="playginrummyonline")
    page = page_of([online, *SEASON], {"game": "proter", "year": "2026"})
    assert [one[0] for one in filters(page)["Month"]] == ["Jan", "Feb"]
    assert [one[0] for one in filters(page)["Rule sheet"]] == [
        "CatsAtCards",
        "Play Gin Rummy Online",
    ]
    assert "Month" not in filters(page_of())


CHOICES = [
    ({}, [5, 4, 3, 2, 1, 9]),
    ({"game": "proter"}, [5, 4, 3, 2, 1]),
    ({"game": "carioca"}, [9]),
    ({"sheet": "carioca"}, [9]),
    ({"players": "3"}, [5, 1, 9]),
    ({"year": "2026"}, [5, 4, 3, 2, 1]),
    ({"year": "2026", "month": "6"}, []),
    ({"year": "2025", "month": "6"}, [9]),
    ({"year": "2025", "game": "proter"}, []),
    ({"year": "MMXX"}, []),
    ({"players": "9" * 5000}, []),
    ({"game": "", "other": "1"}, [5, 4, 3, 2, 1, 9]),
    ({"company": "b1"}, [5, 4, 1]),
    ({"company": ["b1", "c2"]}, [1]),
    ({"company": "nobody"}, []),
]


@pytest.mark.parametrize(("wanted", "days"), CHOICES)
def test_games_are_chosen_by_all_that_is_asked(wanted, days):
    may = [one._replace(at=datetime(2026, 5, 5 - n, tzinfo=UTC)) for n, one in enumerate(SEASON)]
    games = [*may, CARIOCA._replace(at=datetime(2025, 6, 9, tzinfo=UTC))]
    assert [one.at.day for one in Wanted(MultiDict(wanted)).of(games)] == days


def test_several_people_are_chosen_and_left_out_one_by_one(page_of):
    found = filters(page_of(SEASON, {"company": ["c2", "b1"]}))
    assert found["With"] == [
        ("Ben", "?company=c2", True),
        ("Chandi", "?company=b1", True),
    ]


def test_head_to_head_is_of_the_games_that_were_chosen(page_of):
    tables = {table.title: table for table in page_of(SEASON, {"company": "c2"}).tables}
    assert tables["Head to head"].rows == [["Chandi", "2", "1", "0"], ["Ben", "0", "0", "1"]]


def test_a_filter_that_no_game_fits_shows_how_to_get_back(page_of):
    page = page_of(SEASON, {"game": "canasta", "year": "1999"})
    assert figure(page, "Won")[1:3] == ("0", "0 games")
    assert page.clear == "?"


# -- pictures -------------------------------------------------------------------------------------


def pictures(page: FiguresPage) -> list[str]:
    return re.findall(r"<svg.*?</svg>", drawn(page), re.DOTALL)


def test_pictures_can_be_read_aloud_and_have_their_numbers_in_a_table(page_of):
    page = page_of()
    assert [one.table.title for one in page.pictures] == [
        "Places",
        "Running totals",
        "Spread of points",
    ]
    shown = drawn(page)
    assert shown.count("<details>") == len(pictures(page)) == 3
    for svg, one in zip(pictures(page), page.pictures, strict=True):
        assert 'role="img"' in svg
        assert re.search(r"<title id=[^>]*>([^<]*)<", svg)[1] == one.table.title
        assert re.search(r"<desc id=[^>]*>([^<]*)<", svg)[1] == one.table.says
        assert len(one.table.rows) > 1
        for cells in one.table.rows:
            assert "".join(f"<td>{cell}</td>" for cell in cells[1:]) in shown
    ids = re.findall(r' id="([^"]*)"', shown)
    assert len(ids) == len(set(ids))


def test_pictures_need_no_colour_no_script_and_no_style_of_their_own(page_of):
    shown = drawn(page_of())
    assert not re.search(r"<script|<style|style=|\bon\w+=|fill=|stroke=", shown)
    lines, totals, spread = pictures(page_of())
    # The person's name is at the end of the line, the number above each bar.
    assert "Ana" in lines
    assert "Ana" in totals
    assert re.findall(r'y="[\d.]+" text-anchor="middle">(\d+)<', spread)[:1] == ["10"]


def test_the_ladder_has_first_places_on_top_and_the_newest_game_at_the_right(page_of):
    picture = page_of().pictures[0]
    assert picture.table.rows[0] == ["20 Dec 2025", "3", "3"]
    assert picture.table.rows[-1] == ["29 Jan 2026", "1", "3"]
    # 14 is the top, 250 the bottom; the largest table was of five.
    heights = [y for _, y in picture.lines.lines[0].points]
    assert heights == [132, 14, 14, 73, 14]
    assert [tick.text for tick in picture.lines.hands] == ["20 Dec", "29 Jan"]


def test_the_ladder_shows_the_latest_games(page_of):
    page = page_of([row(n, 1 + n % 2, (0, 0, 0)) for n in range(30)])
    assert len(page.pictures[0].table.rows) == 20
    assert page.pictures[0].table.of == "20 games"


def test_running_totals_stand_beside_those_of_the_tables(page_of):
    tables = {
        "g4": [SEASON[0][2], replace(SEASON[0][2], points=(20, 0, 0))],
        "g3": [SEASON[1][2], replace(SEASON[1][2], points=(0, 40, 0))],
    }
    both = page_of(tables=tables).pictures[1]
    assert (both.table.head, both.table.of) == (["Hand", "Ana", "Table"], "2 games")
    # Of the two games: 0, 21 and 28; of all four seats 20/4, 82/4 more, 14/4 more.
    assert both.table.rows == [["1", "0", "5"], ["2", "21", "25.5"], ["3", "28", "29"]]
    assert [line.label for line in both.lines.lines] == ["Ana", "Table"]


def test_points_are_spread_in_groups_below_nothing_too(page_of):
    spread = page_of([row(n, 1, (-15, 0, 40)) for n in range(3)]).pictures[2]
    assert spread.table.rows == [["−20–−1", "3"], ["0–19", "3"], ["20–39", "0"], ["40–59", "3"]]
    assert spread.bars == [1, 1, 0, 1]


def test_contracts_and_boxes_are_said_in_the_language_of_the_page(page_of, brackets):
    rows = page_of(CARIOCAS).tables[0].rows
    assert rows[0][0] == "⟦2 trios⟧"
    assert rows[1][0] == "⟦1 trio⟧ and ⟦1 escalera⟧"
    chief = [
        Finished(id_, at, replace(seat, game="indian_chief", labels=("Thief", "Lawyer", "Doctor")))
        for id_, at, seat, _ in CARIOCAS
    ]
    assert [one[0] for one in page_of(chief).tables[0].rows] == ["⟦Thief⟧", "⟦Lawyer⟧", "⟦Doctor⟧"]


class Brackets(language.English):
    """The language that nobody speaks, as tests/web/pseudo.py has it."""

    def gettext(self, message: str, /) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int, /) -> str:
        return f"⟦{super().ngettext(msgid1, msgid2, n)}⟧"


@pytest.fixture
def brackets() -> Iterator[None]:
    language.speak(Brackets())
    yield
    language.speak(language.ENGLISH)


MONTHS = re.compile(r"\b(Ana|Ben|Chandi|Proter|Carioca|CatsAtCards|Dec|Jan|Feb|PRO-13\.3)\b")


def test_the_section_says_nothing_that_is_in_no_catalogue(page_of, brackets):
    for games in (SEASON, SEASON[:1], [CARIOCA, *SEASON]):
        wanted = {"game": "proter", "year": "2026"} if games is SEASON else {}
        assert outside(drawn(page_of(games, wanted)), MONTHS) == []


@pytest.mark.parametrize(
    ("number", "written"), [(0.25, "0.25"), (2.0, "2"), (-3.456, "−3.46"), (10 / 3, "3.33")]
)
def test_numbers_have_two_places_at_most(page_of, number, written):
    assert decimal(number) == written


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_section(page_of, game):
    rows = [
        Finished(id_, at, replace(seat, game=game, sheet=GAMES[game].sheets[0].id))
        for id_, at, seat, _ in SEASON
    ]
    assert "Points a" in text(drawn(page_of(rows)))
