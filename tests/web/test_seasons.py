"""Seasons: making and changing them, and their pages for markers and viewers."""

import csv
import io
import re
from datetime import UTC, datetime
from itertools import cycle

import pytest

from companion.notebook.events import GameEnded
from tests.notebook.evening import ANA, BEN, CEM, of_game
from tests.web.conftest import Marker, begin, checked, read_in, rows, sent_again, text, value
from tests.web.test_people import listed

NAMES = ("Ana", "Ben", "Cem")
FORM = {
    "name": "The cup",
    "game": "carioca",
    "first": "2026-01-01",
    "last": "",
    "games": "all",
    "points": "5 3 1",
    "ties": "shared",
    "best": "",
}


def finished(marker: Marker, day: int, order: tuple[int, int, int], names=NAMES) -> str:
    """A game of Carioca that was over on that day of March 2026; the seats from first to last.

    The first has 20 points, the second 50 and the third 60.
    """
    evening = of_game("carioca", names=names)
    first, second, third = order
    evening.mark(first, {second: 50, third: 40})
    evening.mark(second, {first: 20, third: 20})
    evening.write(GameEnded(3))
    evening.end_at(datetime(2026, 3, day, 20, tzinfo=UTC))
    return read_in(marker, evening)


@pytest.fixture
def evenings(marker: Marker) -> list[str]:
    """Three evenings: Ana, Ben and Cem; Ben, Ana and Cem; and the first order again."""
    orders = ((ANA, BEN, CEM), (BEN, ANA, CEM), (ANA, BEN, CEM))
    return [finished(marker, day, order) for day, order in zip((6, 13, 20), orders, strict=True)]


def made(marker: Marker, **fields: object) -> str:
    """Make a season, and return its address."""
    answer = marker.saved("/seasons/new", FORM | fields)
    return answer.location


def standings(page: str) -> list[list[str]]:
    """The rows of the standings: place, name, points, evenings and games won."""
    return rows(page, "tally standings")[1:]


def link(marker: Marker, season: str) -> str:
    """The address that a season's viewers are given, ``/s/…``."""
    return re.findall(r'href="http://[^/"]*(/s/[\w-]+)"', marker.open(season))[0]


# -- making and changing --------------------------------------------------------------------------


def test_home_and_people_lead_to_the_seasons(marker):
    for page in ("/", "/people"):
        assert 'href="/seasons"' in marker.open(page)
    assert "A season adds up the evenings of a game" in text(marker.open("/seasons"))
    first, second = made(marker), made(marker, name="The other", last="2026-12-31")
    page = marker.open("/seasons")
    assert 'href="/seasons/new"' in page
    assert f'href="{first}"' in page
    assert f'href="{second}"' in page
    assert "Carioca · from 1 Jan 2026" in text(page)
    assert "Carioca · 1 Jan 2026 – 31 Dec 2026" in text(page)


def test_a_new_season_is_by_default_of_the_last_game_in_this_year(marker):
    begin(marker, NAMES[:2])
    begin(marker, NAMES[:2], game="carioca")
    page = marker.open("/seasons/new")
    assert '<option value="carioca" selected>' in page
    assert value(page, "first") == f"{datetime.now(UTC).astimezone().year}-01-01"
    assert (value(page, "last"), value(page, "points"), value(page, "best")) == ("", "5 3 2 1", "")
    chosen = [checked(page, name) for name in ("games", "ties", "people")]
    assert chosen == [["all"], ["shared"], []]
    # A name is all that has to be filled in.
    filled_in = dict(sent_again(page, "/seasons/new")) | {"name": "The cup"}
    season = marker.post("/seasons/new", filled_in)
    assert f'href="{season.location}"' in marker.open("/seasons")


REFUSED = [
    ({"name": ""}, "name", "A season needs a name."),
    ({"game": "chess"}, "game", "Choose one of the games."),
    ({"first": ""}, "first", "Enter the day as in 2026-01-31."),
    ({"first": "0202-01-31"}, "first", "Enter a year from 1900 to 2999."),
    ({"last": "2025-12-31"}, "last", "The season ends before it begins."),
    ({"points": "5 3 -1"}, "points", "A place has 0 to 1000 points."),
    ({"best": "few"}, "best", "Enter whole numbers."),
    ({"people": "nobody"}, "people", "Choose two people or more."),
    ({"people": ["nobody", "no1"]}, "people", "Choose one of these people."),
]


def test_an_impossible_season_is_refused_beside_its_field_and_kept(marker):
    begin(marker, NAMES)
    season = made(marker)
    for (fields, field, says), address in zip(REFUSED, cycle(["/seasons/new", f"{season}/change"])):
        answer = marker.refused(address, FORM | fields)
        assert says in text(answer.text)
        assert f'href="#{field}"' in answer.text
        for name in ("name", "first", "last", "points", "best"):
            assert value(answer.text, name) == str((FORM | fields)[name])
    assert "The cup" in marker.open(season)


def test_a_season_is_changed(marker, evenings):
    ana, ben = (listed(marker)[name].rpartition("/")[2] for name in ("Ana", "Ben"))
    season = made(marker, points="٥ ٣ ١")
    page = marker.open(f"{season}/change")
    for name in ("name", "first", "last", "points", "best"):
        assert value(page, name) == FORM[name]
    assert '<option value="carioca" selected>' in page
    fields = {"name": "<b>Cup</b>", "best": "2", "points": "", "people": [ana, ben]}
    assert marker.act(f"{season}/change", FORM | fields).location == season
    page = marker.open(season)
    assert "&lt;b&gt;Cup" in page
    assert "The season is saved." in page
    # Ana has 20, 50 and 20; Ben 50, 20 and 50: of each the two lowest.
    assert standings(page) == [["1", "Ana", "40", "2", "2"], ["2", "Ben", "70", "2", "1"]]
    page = marker.open(f"{season}/change")
    assert {*checked(page, "people")} == {ana, ben}
    assert (value(page, "best"), value(page, "points")) == ("2", "")


def test_a_season_is_deleted_and_its_games_stay(marker, evenings):
    season = made(marker)
    shown = link(marker, season)
    assert marker.saved(season, to=f"{season}/delete").location == "/seasons"
    assert "The season is deleted." in marker.open("/seasons")
    marker.open(season, 404)
    marker.open(shown, 404)
    marker.open(f"{evenings[0]}/sheet")


# -- the page -------------------------------------------------------------------------------------


def test_the_standings_after_each_evening(marker, evenings):
    season = made(marker)
    page = marker.open(season)
    assert (
        "Points for places: 5, 3, 1. Players who tie share the points of their places. "
        "All games of an evening count. All evenings count. "
        "Of equal players, the one who won more games comes first."
    ) in text(page)
    # Ana 5 + 3 + 5, Ben 3 + 5 + 3, Cem 1 each.
    last = [
        ["1", "Ana", "13", "3", "2"],
        ["2", "Ben", "11", "3", "1"],
        ["3", "Cem", "3", "3", "0"],
    ]
    assert standings(page) == last
    assert "After the evening of 20 Mar 2026." in text(page)
    second = marker.open(f"{season}?after=2")
    assert standings(second) == [
        ["1 = , shared", "Ana", "8", "2", "1"],
        ["1 = , shared", "Ben", "8", "2", "1"],
        ["3", "Cem", "2", "2", "0"],
    ]
    assert 'href="?after=2" aria-current="true"' in second
    for nonsense in ("0", "4", "-1", "x", "9" * 99):
        assert standings(marker.open(f"{season}?after={nonsense}")) == last


def test_evenings_that_do_not_count_are_in_brackets_and_missed_ones_have_a_dash(marker, evenings):
    finished(marker, 27, (BEN, ANA, CEM), ("Dora", "Ben", "Ana"))
    page = marker.open(made(marker, best="2"))
    # The two best of each: Ana and Ben 10, Dora 3, Cem 2.
    assert rows(page, "tally hands") == [
        ["Evening", "Ana", "Ben", "Dora", "Cem"],
        ["6 Mar 2026", "5", "(3)", "–", "1"],
        ["13 Mar 2026", "(3)", "5", "–", "1"],
        ["20 Mar 2026", "5", "(3)", "–", "(1)"],
        ["27 Mar 2026", "(1)", "5", "3", "–"],
    ]


def test_the_picture_has_a_line_each_and_a_table_behind_it(marker, evenings):
    season = made(marker)
    assert "polyline" not in marker.open(f"{season}?after=1")
    # Ana and Ben are equal after the second evening; the first place is on top, 14, and the third
    # one at 250.
    points = re.findall(r'<polyline[^>]* points="([^"]*)"', marker.open(season))
    heights = [[float(at.split(",")[1]) for at in one.split()] for one in points]
    assert heights == [[14, 14, 14], [132, 14, 132], [250, 250, 250]]
    finished(marker, 27, (BEN, ANA, CEM), ("Dora", "Ben", "Eva"))
    page = marker.open(season)
    assert page.count("<polyline") == 5
    assert '<title id="places-title">Places</title>' in page
    assert "The places after the latest evenings, of seven people at most." in page
    assert text(page).count("27 Mar") >= 3


def test_people_beyond_the_charts_lines_are_only_in_the_standings(marker):
    for day in (6, 13):
        for names in (NAMES, ("Dil", "Eva", "Fay"), ("Gus", "Hal", "Ida")):
            finished(marker, day, (ANA, BEN, CEM), names)
    page = marker.open(made(marker))
    assert page.count("<polyline") == 7
    assert 'class="tally hands wide"' in page
    assert len(standings(page)) == 9


def test_the_page_says_how_marks_are_added_up(marker, evenings):
    page = text(marker.open(made(marker, points="", games="last", best="1")))
    assert "Whoever played most games comes first, then the lowest sum of marks." in page
    assert "The last game of an evening counts. The best evening of each player counts." in page
    page = text(
        marker.open(made(marker, name="Two", game="three_thirteen", points="", games="first"))
    )
    assert "No game counts for this season yet." in page
    assert "Settle up" not in page


def test_a_season_is_settled_like_a_game(marker, evenings):
    season = made(marker)
    page = marker.open(f"{season}?settle=points&stake=0.5&sign=€")
    # Ben is 2 behind Ana, Cem 10.
    assert "Ben pays Ana €1.00" in text(page)
    assert "Cem pays Ana €5.00" in text(page)
    page = marker.open(f"{season}?settle=prizes&prizes=9+3")
    assert "Cem pays Ana 4 chips" in text(page)
    assert "Enter the prizes" in text(marker.open(f"{season}?settle=prizes"))
    # An earlier evening stays chosen.
    page = marker.open(f"{season}?after=1&settle=points&stake=1")
    assert value(page, "after") == "1"
    assert "After the evening of 6 Mar 2026." in text(page)
    assert "Ben pays Ana 2 chips" in text(page)


def test_the_spreadsheet_has_standings_and_evenings(marker, evenings):
    finished(marker, 27, (ANA, BEN, CEM), ("=1+1", "Ben", "Dora"))
    season = made(marker, points="1000 301 2", best="3", ties="full")
    answer = marker.client.get(f"{season}/season.csv")
    assert answer.content_type == "text/csv; charset=utf-8"
    assert 'filename="The cup 2026-01-01.csv"' in answer.headers["Content-Disposition"]
    rows = [*csv.reader(io.StringIO(answer.data.decode("utf-8-sig"), newline=""))]
    days = ["2026-03-06", "2026-03-13", "2026-03-20", "2026-03-27"]
    assert rows == [
        ["Place", "Player", "Points", "Evenings", "Games", "Won", *days],
        ["1", "Ana", "2301", "3", "3", "2", "1000", "301", "1000", ""],
        ["2", "Ben", "1602", "3", "3", "1", "301", "1000", "301", "301"],
        ["3", "'=1+1", "1000", "1", "1", "1", "", "", "", "1000"],
        ["4", "Cem", "6", "3", "3", "0", "2", "2", "2", ""],
        ["5", "Dora", "2", "1", "1", "0", "", "", "", "2"],
    ]


# -- for viewers ----------------------------------------------------------------------------------


def test_the_link_shows_that_season_alone_until_it_is_changed(marker, stranger, evenings):
    season = made(marker)
    made(marker, name="The other")
    shown = link(marker, season)
    page = stranger.open(shown)
    assert standings(page) == standings(marker.open(season))
    assert standings(stranger.open(f"{shown}?after=1"))[0] == ["1", "Ana", "5", "1", "1"]
    asked = stranger.open(f"{shown}?settle=points&stake=1")
    for never in ("Settle up", "pays", "/games", "/people/", "/seasons", "The other", "csrf"):
        assert never not in asked
    assert stranger.client.get(f"{shown}/season.csv").data == (
        marker.client.get(f"{season}/season.csv").data
    )
    known = value(marker.open(season), "old")
    assert marker.act(season, {"old": known}, to=f"{season}/link").location == season
    assert "The link is changed." in marker.open(season)
    new = link(marker, season)
    # The same form again, from a page that was open: nothing happens.
    marker.act(season, {"old": known}, to=f"{season}/link")
    assert link(marker, season) == new
    assert new != shown
    assert "Nothing is shown here" in stranger.open(shown, 404)
    stranger.open(f"{shown}/season.csv", 404)
    stranger.open(new)
