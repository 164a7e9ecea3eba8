"""The figures on a person's page: words, filters and pictures."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask, get_template_attribute
from werkzeug.datastructures import MultiDict

from companion.notebook.figures import Finished, Played
from companion.services.people import Person
from companion.store import PersonRecord
from companion.web.figures import Filters, figures_context
from companion.web.templating import decimal
from tests.web.conftest import rows, text

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


class Section:
    """The section's HTML, and the view model of its template."""

    def __init__(self, context: dict[str, Any]) -> None:
        self.context = context
        draw = get_template_attribute("people/_figures.html", "figures_section")
        self.html = draw(context)

    @property
    def figures(self) -> list[tuple[str, ...]]:
        """Title, value, of how many, and definition of each figure."""
        found = re.findall(r"<dt>(.*?)</dl>", self.html, re.DOTALL)
        parts = [part for one in found for part in one.split("<dt>")]
        return [tuple(map(words, re.split(r"</dt>|<small>|<dd class=", one))) for one in parts]

    @property
    def titles(self) -> list[str]:
        return [one[0] for one in self.figures]

    @property
    def tables(self) -> dict[str, list[list[str]]]:
        """The rows of each table, its head first."""
        titles = re.findall(r'aria-label="([^"]*)" tabindex', self.html)
        return {title: rows(self.html, f'aria-label="{title}" tabindex') for title in titles}

    @property
    def pictures(self) -> list[str]:
        return re.findall(r"<svg.*?</svg>", self.html, re.DOTALL)

    @property
    def headings(self) -> dict[str, str]:
        """What stands above tables and pictures, and of how many each is."""
        found = re.findall(r"<h3>(.*?) <small>(.*?)</small>", self.html)
        return dict(found)


def words(html: str) -> str:
    """Return the words of a piece of HTML, which may begin within a tag."""
    return " ".join(text(html.partition(">")[2] if ">" in html.partition("<")[0] else html).split())


@pytest.fixture
def page_of(app: Flask):
    """A function that makes the section for these games."""

    def made(
        games: list[Finished] = SEASON,
        wanted: dict[str, Any] | None = None,
        tables: dict[str, list[Played]] | None = None,
    ) -> Section:
        ana = PersonRecord(id="a1", notebook_id="n", name="Ana", colour="red")
        person = Person(ana, [], games, {"b1": "Ben", "c2": "Chandi"})
        filters = Filters(MultiDict(wanted or {}))
        if tables is None:
            tables = {one.id: [one.played] for one in games}
        return Section(figures_context(person, filters, filters.apply(games), tables))

    with app.test_request_context():
        yield made


def figure(page: Section, title: str) -> tuple[str, ...]:
    (found,) = [one for one in page.figures if one[0] == title]
    return found


FIGURES = [
    ("Won", "3", "5 games"),
    ("Wins by luck", "1.62", "5 games"),  # 1/3 + 1/5 + 1/2 + 1/4 + 1/3
    ("Average place", "0.25", "5 games"),
    ("Won in a row", "1 now, longest 2", "5 games"),
    ("Without a win", "0 now, longest 1", "5 games"),
    ("Rulings", "3 asked, 1 upheld, 2 against", "5 games"),
    ("Nemesis", "Ben, 2 times above", "3 games"),
    # 0 0 0 0 0 0 2 4 6 8 10 12 20 30 44: the 8th is in the middle. The quartiles are 3.5 and 10.5
    # steps from the lowest: between 0 and 0, and between 10 and 12.
    ("Points a hand", "4, half of them 0 to 11", "15 hands"),
    ("Went out", "6", "15 hands"),
    ("Best hand", "0 points", "20 Dec 2025"),
    ("Worst hand", "44 points", "20 Dec 2025"),
    ("Best game", "16 points", "9 Jan 2026"),
    ("Worst game", "44 points", "20 Dec 2025"),
    ("Largest comeback", "9 points", "29 Jan 2026"),
]


def test_every_figure_has_its_number_and_its_definition(page_of):
    page = page_of()
    assert [one[:3] for one in page.figures] == FIGURES
    assert all(one[3].endswith(".") for one in page.figures)
    assert 'class="notice"' not in page.html
    assert '<a href="/games/g2/tally"><bdi>16 points</bdi></a>' in page.html


def test_if_the_highest_total_wins_it_is_the_best(page_of):
    highest = [one._replace(played=replace(one.played, game="indian_chief")) for one in SEASON]
    page = page_of(highest)
    titles = ("Best round", "Worst round", "Best game", "Worst game")
    assert [figure(page, one)[1].split()[0] for one in titles] == ["44", "0", "44", "16"]
    assert "Went out" not in page.titles  # all show a meld, and nobody goes out
    # Nobody who never was behind has come back.
    page = page_of([row(n, 1, (0, 0, 0)) for n in range(3)])
    assert "Largest comeback" not in page.titles


def test_the_tables_have_the_costs_of_hands_their_decisions_and_head_to_head(page_of):
    page = page_of()
    assert page.tables["Points by hand"] == [
        ["Hand", "Times", "Average points"],
        ["A", "5", "10.4"],
        ["2", "5", "9.6"],
        ["3", "5", "7.2"],
    ]
    assert page.headings["Points by hand"] == "15 hands"
    assert page.tables["Decided after"][1:] == [["3", "3"], ["1", "1"], ["2", "1"]]
    assert page.tables["Penalties"] == [
        ["Rule", "Charges", "Per game"],
        ["House penalties", "1", "0.2"],
        ["Touched stock or pile (PRO-13.3)", "3", "0.6"],
    ]
    assert page.tables["Head to head"] == [
        ["Player", "Above", "Equal", "Below"],
        ["Ben", "1", "0", "2"],
        ["Chandi", "2", "1", "0"],
    ]


def test_under_three_games_only_counts_are_shown(page_of):
    page = page_of(SEASON[:2])
    assert "Averages come with three finished games." in text(page.html)
    assert page.titles == ["Won", "Rulings", "Went out"]
    assert figure(page, "Went out")[1:3] == ("2", "6 hands")
    assert page.pictures == []
    # Rates by game are not there either.
    heads = [table[0] for table in page.tables.values()]
    assert heads == [["Player", "Above", "Equal", "Below"], ["Rule", "Charges"]]


def test_without_games_there_are_no_figures_and_a_link_that_removes_filters(page_of):
    page = page_of([])
    assert (filters(page), page.pictures) == ({}, [])
    assert figure(page, "Won")[1:3] == ("0", "0 games")
    assert CLEAR not in page.html
    page = page_of(SEASON, {"game": "canasta", "year": "1999"})
    assert figure(page, "Won")[1:3] == ("0", "0 games")
    assert CLEAR in page.html


def test_points_of_different_games_are_not_combined(page_of):
    page = page_of([CARIOCA, *SEASON])
    assert "Choose one game for points" in page.html
    assert figure(page, "Won")[1:3] == ("4", "6 games")
    assert "Points a hand" not in page.titles
    assert [*page.headings] == ["Head to head"]


# -- filters --------------------------------------------------------------------------------------


CLEAR = '<a class="btn plain" href="?#figures">Clear the filter</a>'


def filters(page: Section) -> dict[str, list[tuple[str, str, bool]]]:
    return {title: [(*one,) for one in choices] for title, choices in page.context["filters"]}


def test_each_filter_is_one_tap(page_of):
    found = filters(page_of([CARIOCA, *SEASON]))
    assert found == {
        "Game": [("Carioca", "?game=carioca", False), ("Proter", "?game=proter", False)],
        "Year": [("2026", "?year=2026", False), ("2025", "?year=2025", False)],
        "Players": [(str(n), f"?players={n}", False) for n in (2, 3, 4, 5)],
        "With": [("Ben", "?company=b1", False), ("Chandi", "?company=c2", False)],
    }
    # One other person is a choice, and one year is none.
    found = filters(page_of(SEASON[:1]))
    assert found == {"With": [("Ben", "?company=b1", False)]}


def test_a_chosen_filter_is_marked_and_its_link_removes_it(page_of):
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
    assert page.html.count('aria-current="true"') == 4
    assert CLEAR in page.html
    assert "Figures · Proter · 2026 · Jan · Ben" in text(page.html)
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


def test_games_must_match_all_filters():
    may = [one._replace(at=datetime(2026, 5, 5 - n, tzinfo=UTC)) for n, one in enumerate(SEASON)]
    games = [*may, CARIOCA._replace(at=datetime(2025, 6, 9, tzinfo=UTC))]
    for wanted, days in CHOICES:
        assert [one.at.day for one in Filters(MultiDict(wanted)).apply(games)] == days, wanted


def test_several_people_are_chosen_and_left_out_one_by_one(page_of):
    page = page_of(SEASON, {"company": ["c2", "b1"]})
    assert filters(page)["With"] == [("Ben", "?company=c2", True), ("Chandi", "?company=b1", True)]
    # Head to head is of the games that were chosen.
    assert page.tables["Head to head"][1:] == [["Ben", "0", "0", "1"], ["Chandi", "0", "1", "0"]]


# -- pictures -------------------------------------------------------------------------------------


def test_pictures_can_be_read_aloud_and_have_their_numbers_in_a_table(page_of):
    page = page_of()
    titles = [re.search(r"<title id=[^>]*>([^<]*)<", svg)[1] for svg in page.pictures]
    assert titles == ["Running totals", "Spread of points"]
    assert page.html.count("<details>") == 2
    captions = re.findall(r"<figcaption[^>]*>([^<]*)<", page.html)
    for svg, title, caption in zip(page.pictures, titles, captions, strict=True):
        assert 'role="img"' in svg
        assert re.search(r"<desc id=[^>]*>([^<]*)<", svg)[1] == caption
        assert len(page.tables[title]) > 2
    ids = re.findall(r' id="([^"]*)"', page.html)
    assert len(ids) == len(set(ids))
    # They need no colour, no script and no style of their own: who it is stands at the end of each
    # line, the number above each bar.
    assert not re.search(r"<script|<style|style=|\bon\w+=|fill=|stroke=", page.html)
    totals, spread = page.pictures
    assert re.findall(r"\u2068|&#x2068;(\w+)", totals) == ["Player", "Table"]
    assert re.findall(r'y="[\d.]+" text-anchor="middle">(\d+)<', spread)[:1] == ["10"]


def test_running_totals_are_compared_with_those_of_all_players(page_of):
    tables = {
        "g4": [SEASON[0][2], replace(SEASON[0][2], points=(20, 0, 0))],
        "g3": [SEASON[1][2], replace(SEASON[1][2], points=(0, 40, 0))],
    }
    page = page_of(tables=tables)
    assert page.headings["Running totals"] == "2 games"
    # Of the two games: 0, 21 and 28; of all four seats 20/4, 82/4 more, 14/4 more.
    assert page.tables["Running totals"] == [
        ["Hand", "Player", "Table"],
        ["1", "0", "5"],
        ["2", "21", "25.5"],
        ["3", "28", "29"],
    ]
    assert "Running totals" not in page_of(tables={}).headings


def test_points_are_grouped_below_zero_too(page_of):
    page = page_of([row(n, 1, (-15, 0, 40)) for n in range(3)])
    assert page.tables["Spread of points"][1:] == [
        *(["−20–−1", "3"], ["0–19", "3"], ["20–39", "0"], ["40–59", "3"])
    ]
    assert page.context["hands"]["spread"].bars == [1, 1, 0, 1]


def test_numbers_have_two_places_at_most(page_of):
    assert [*map(decimal, (0.25, 2.0, -3.456, 10 / 3))] == ["0.25", "2", "−3.46", "3.33"]
