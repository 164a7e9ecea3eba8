"""People: the list, a person's page, and the people of a game's seats."""

import re
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

from sqlalchemy import text as sql

from companion.notebook.events import GameEnded
from companion.services.people import COLOURS
from companion.web.auth import database
from tests.notebook.evening import of_game
from tests.web.conftest import Marker, begin, checked, read_in, rows, text, value

STATIC = Path(__file__).parents[2] / "static"
LINE = re.compile(r'href="(/people/\w+)">.*?class="dot (\w+)".*?<bdi>(.*?)</bdi>', re.DOTALL)


def listed(marker: Marker) -> dict[str, str]:
    """The address of everybody in the list of people, by the name."""
    return {unescape(name): address for address, _, name in LINE.findall(marker.open("/people"))}


def do(marker: Marker, address: str, what: str, **fields: str) -> str:
    """Send a form of the page that changes a person; return the text of the next page."""
    answer = marker.saved(f"{address}/change", {"do": what, **fields})
    return text(marker.open(answer.location))


def whose(marker: Marker, game: str) -> list[str]:
    """Return the chosen person for each seat of a game."""
    page = marker.open(f"{game}/people")
    return [unescape(one) for one in re.findall(r"<option[^>]* selected>(.*?)</option>", page)]


def give(marker: Marker, game: str, *choices: str) -> None:
    """Choose a person for each seat, by the page's options."""
    page = marker.open(f"{game}/people")
    offered = {
        unescape(says): one for one, says in re.findall(r'<option value="(\w*)"[^>]*>(.*?)<', page)
    }
    marker.saved(f"{game}/people", {"person": [offered[one] for one in choices]})


# -- the list and a person's page -----------------------------------------------------------------


def test_home_leads_to_everybody_who_has_played(marker):
    assert "People appear here with the first game." in text(marker.open("/people"))
    begin(marker, ("Ana", "Ben"))
    begin(marker, ("Ana", "Chandi"))
    assert 'href="/people"' in marker.open("/")
    page = marker.open("/people")
    assert [name for _, _, name in LINE.findall(page)] == ["Ana", "Ben", "Chandi"]
    assert [colour for _, colour, _ in LINE.findall(page)] == ["red", "blue", "green"]
    assert "2 games" in text(page)
    assert text(page).count("1 game ") == 2


def ended(marker: Marker, day: int) -> None:
    """Import a game that was ended after its first hand; Ana is first, then Ben and Cem."""
    evening = of_game("proter", names=("Ana", "Ben", "Cem"))
    evening.mark(0, {1: 10, 2: 20})
    evening.write(GameEnded(2))
    evening.end_at(datetime(2026, 3, day, 20, tzinfo=UTC))
    read_in(marker, evening)


def test_the_best_at_a_game_are_shown_from_three_games_on(marker):
    page = marker.open("/people")
    assert "Best at" not in text(page)
    assert '<a class="where" href="/">Rummy companion</a>' in page
    for day in (1, 2):
        ended(marker, day)
    assert "Best at Proter Nobody has three finished games of it yet." in text(
        marker.open("/people")
    )
    ended(marker, 3)
    assert rows(marker.open("/people?game=proter"), "<table") == [
        ["Player", "Games", "Won", "By luck", "Average place"],
        ["Ana", "3", "3", "1", "0"],
        ["Ben", "3", "0", "1", "0.5"],
        ["Cem", "3", "0", "1", "1"],
    ]
    assert "Best at Proter" in text(marker.open("/people?game=nothing"))
    # Figures are of games with others where that is asked.
    ana, ben, _cem = listed(marker).values()
    assert "With" in text(marker.open(f"{ana}?company={ben.rpartition('/')[2]}"))
    marker.open(f"{ana}?" + "&".join(["company=%00nobody"] * 30))


def test_a_person_leads_to_their_games_under_each_name(marker):
    begin(marker, ("José", "Ben"))
    begin(marker, ("Ana", "Ben"))
    jose = begin(marker, ("Jose", "Ben"))
    page = marker.open(listed(marker)["José"])
    found = re.findall(r'href="(/\?q=[^"]*)"', page)
    assert found == ["/?q=Jose", "/?q=Jos%C3%A9"]
    games = marker.open(found[0])
    assert f'href="{jose}' in games
    assert "Ana, Ben" not in text(games)


def test_each_colour_is_seen_by_day_and_by_night():
    """The contrast to the paper and to a panel is 3:1 at least."""

    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [
            one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    styles = (STATIC / "people.css").read_text()
    found = dict(re.findall(r"\.(\w+) { --person: (#\w{6}); }", styles))
    papers = re.findall(r"--(?:paper|raised): (#\w{6})", (STATIC / "app.css").read_text())
    assert {*found} == {*COLOURS}
    assert len({*papers}) == 4
    for colour in found.values():
        for paper in papers:
            dark, bright = sorted([light(colour), light(paper)])
            assert (bright + 0.05) / (dark + 0.05) >= 3, (colour, paper)


# -- changing a person ----------------------------------------------------------------------------


def test_a_person_gets_another_name_and_colour(marker):
    game = begin(marker, ("Ana", "Ben"))
    address = listed(marker)["Ana"]
    page = marker.open(f"{address}/change")
    assert (value(page, "name"), checked(page, "colour")) == ("Ana", ["red"])
    assert re.findall(r'name="colour" value="(\w+)"', page) == [*COLOURS]
    says = do(marker, address, "save", name="  Grandma  Ana ", colour="teal")
    assert "The changes are saved." in says
    assert "Grandma Ana" in says
    assert "Find games with Ana" in says
    assert "Ana, Ben" in text(marker.open(f"{game}/sheet"))


def test_an_impossible_change_is_refused_and_kept(marker):
    begin(marker, ("Ana", "Ben"))
    address = listed(marker)["Ana"]
    for name, colour, says in (
        ("BEN", "red", "Two players are called BEN. Tell them apart."),
        ("A\u202eb", "red", "This has a character that cannot be shown. Type it again."),
        ("Ida", "mauve", "Choose one of the colours."),
    ):
        answer = marker.refused(f"{address}/change", {"name": name, "colour": colour})
        assert says in text(answer.text)
        assert value(answer.text, "name") == name
    ben = listed(marker)["Ben"].rpartition("/")[2]
    answer = marker.refused(f"{address}/change", {"do": "merge", "other": ben})
    assert "Ana and Ben played in the same game, so they are two people." in text(answer.text)
    assert (value(answer.text, "name"), checked(answer.text, "colour")) == ("Ana", ["red"])
    assert re.findall(r'<option value="(\w*)" selected>', answer.text) == [ben]
    assert {*listed(marker)} == {"Ana", "Ben"}


def test_hidden_people_are_listed_separately_and_not_offered_until_they_count_again(marker):
    begin(marker, ("Ana", "Ben"))
    address = listed(marker)["Ben"]
    says = do(marker, address, "save", name="Ben", colour="blue", hidden="1")
    assert "Taken out of all figures and lists." in says
    assert "Ana" in text(marker.open("/people")).partition("Taken out of all figures")[0]
    assert "Ben" in text(marker.open("/people")).partition("Taken out of all figures")[2]
    assert offered(marker) == ["Ana"]
    refused = marker.refused(f"{address}/change", {"do": "merge", "other": ""})
    assert checked(refused.text, "hidden") == ["1"]
    assert "Taken out" not in do(marker, address, "save", name="Ben", colour="blue")
    assert offered(marker) == ["Ana", "Ben"]


def offered(marker: Marker) -> list[str]:
    """The people whom the setup of a new game offers."""
    return re.findall(r'name="person" value="([^"]*)"', marker.open("/games/new"))


def test_two_spellings_are_merged_and_separated(marker):
    begin(marker, ("Ana", "Ben"))
    begin(marker, ("Anna", "Ben"))
    ana, anna = (listed(marker)[name] for name in ("Ana", "Anna"))
    says = do(marker, ana, "merge", other=anna.rpartition("/")[2])
    assert "Anna's games now belong to this person." in says
    assert "Anna is somebody else" in text(marker.open(f"{ana}/change"))
    assert {*listed(marker)} == {"Ana", "Ben"}
    assert "Find games with Anna" in text(marker.open(ana))
    assert "Anna is now a separate person." in do(marker, ana, "part", spelling="Anna")
    assert {*listed(marker)} == {"Ana", "Anna", "Ben"}
    marker.open(anna, 404)


# -- the seats of a game --------------------------------------------------------------------------


def test_a_seat_is_given_to_a_guest_to_a_new_person_and_back(marker):
    first = begin(marker, ("Ana", "Ben"))
    second = begin(marker, ("Ana", "Visitor"))
    assert f'href="{second}/people"' in marker.open(f"{second}/manage")
    give(marker, second, "A new person", "A guest, counted for nobody")
    assert whose(marker, second) == ["Ana 2", "A guest, counted for nobody"]
    assert {*listed(marker)} == {"Ana", "Ana 2", "Ben"}
    assert sorted(offered(marker)) == ["Ana", "Ana 2", "Ben"]
    give(marker, second, "Ana", "A new person")
    assert whose(marker, second) == ["Ana", "Visitor"]
    assert whose(marker, first) == ["Ana", "Ben"]


def test_nobody_sits_twice_and_what_was_chosen_is_kept(marker):
    game = begin(marker, ("Ana", "Ben"))
    ana = listed(marker)["Ana"].rpartition("/")[2]
    answer = marker.refused(f"{game}/people", {"person": [ana, ana]})
    assert "Ana cannot sit twice in one game." in text(answer.text)
    assert 'href="#person-1"' in answer.text
    assert len(re.findall(r"<option[^>]* selected>Ana<", answer.text)) == 2
    answer = marker.refused(f"{game}/people", {"person": [ana]})
    assert "Part of this form was missing." in text(answer.text)
    assert whose(marker, game) == ["Ana", "Ben"]


def test_joined_older_games_are_shown_until_a_marker_has_read_that(app, marker):
    games = [begin(marker, ("Ana", name)) for name in ("Ben", "Chandi")]
    assert "older game" not in marker.open("/people")
    with app.app_context(), database().write() as session:
        session.connection().execute(
            sql("UPDATE notebook SET joined_until = (SELECT max(created_at) FROM game)")
        )
    page = marker.open("/people")
    assert "2 older games were joined to people by the names in them." in text(page)
    assert all(f'href="{game}/people"' in page for game in games)
    marker.saved("/people")
    assert "older game" not in marker.open("/people")
