"""Setting up a game: its people, their seats and the dealer."""

import re
from html import unescape

import pytest

from tests.web.conftest import begin, checked, find, sent_again, text

NAMES = re.compile(r'name="name" value="([^"]*)"')


def names_in(page: str) -> list[str]:
    """The names in the form's rows, in the order of the seats."""
    return [name for name in NAMES.findall(page) if name]


def named(*names: str) -> list[tuple[str, str]]:
    """The fields of these names, a row each."""
    return [("name", name) for name in names]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ([], "Enter the names of 2 to 7 players."),
        (named("Ana"), "Enter the names of 2 to 7 players."),
        (named("Ana", "ana"), "Two players are called"),
        (named("Ana", "B" * 31), "30 characters"),
        ([*named("Ana", "Ben"), ("rule-min_naturals", "9")], "choose one of these"),
        ([*named("Ana", "Ben"), ("rule-penalty_points", "x")], "whole number"),
        ([*named("Ana", "Ben"), ("sheet", "none")], "sheet"),
        ([*named("Ana", "Ben"), ("dealer", "x")], "Say who deals first"),
        ([*named("Ana", "Ben"), ("title", "t" * 61)], "60 characters"),
    ],
)
def test_an_impossible_setup_says_why_and_keeps_the_names(marker, fields, sentence):
    answer = marker.refused("/games/new", fields)
    assert sentence in answer.text
    assert answer.text.count("<li><a href=") == 1  # and nothing else
    for name, value in fields:
        if name == "name":
            assert f'value="{value}"' in answer.text


def test_the_same_setup_sent_twice_begins_one_game(marker):
    fields = marker.hidden("/games/new")
    first = marker.post("/games/new", named("Ana", "Ben"), **fields)
    again = marker.post("/games/new", named("Ana", "Ben"), **fields)
    assert first.location == again.location
    other = marker.post("/games/new", named("Ana", "Chandi"), **fields)
    assert other.status_code == 409
    assert first.location in other.text


def test_rows_move_and_grow(marker):
    page = marker.act("/games/new", [*named("Ana", "Ben", "Chandi"), ("move", "up-3")]).text
    assert names_in(page) == ["Ana", "Chandi", "Ben"]
    page = marker.act("/games/new", [*named("Ana", "Ben"), ("move", "down-1")]).text
    assert names_in(page) == ["Ben", "Ana"]
    for nonsense in ("up-1", "down-9", "up-x", "sideways", "up-"):
        answer = marker.act("/games/new", [*named("Ana", "Ben"), ("move", nonsense)])
        assert answer.status_code == 200
        assert names_in(answer.text) == ["Ana", "Ben"]
    page = marker.act("/games/new", [*named("Ana"), ("more", "1")]).text
    assert page.count('name="name"') >= 5


def test_people_of_last_time_are_one_tap_away(marker, other_marker, game):
    assert other_marker.act("/games/new", [("last", "1")]).status_code == 200  # nobody has played
    page = marker.act("/games/new", [("last", "1")]).text
    assert sorted(names_in(page)) == ["Ana", "Ben", "Chandi"]
    page = marker.act("/games/new", [*named("Dilani"), ("person", "Ben")]).text
    assert names_in(page) == ["Dilani", "Ben"]
    assert re.findall(r'value="(\w+)" id="person-\d"\s+aria-pressed="true"', page) == ["Ben"]
    page = marker.act("/games/new", [*named("Dilani", "Ben"), ("person", "Ben")]).text
    assert names_in(page) == ["Dilani"]
    assert 'aria-pressed="true"' not in page
    full = named(*"ABCDEFG")
    marker.refused("/games/new", [*full, ("person", "Ben")])
    page = marker.open(f"/games/new?like={game.rpartition('/')[2]}")
    assert sorted(names_in(page)) == ["Ana", "Ben", "Chandi"]
    marker.open("/games/new?like=nothing", 404)
    # A new game is one like the last, and another game takes its people alone.
    begin(marker, game="kalooki")
    page = marker.open("/games/new")
    assert "New game of Kalooki" in text(page)
    proter = [("game", "proter"), ("sheet", "playginrummyonline"), ("last", "1")]
    page = marker.act("/games/new?game=proter", proter).text
    assert "New game of Proter" in text(page)
    assert sorted(names_in(page)) == ["Ana", "Ben", "Chandi"]
    assert checked(page, "sheet") == ["playginrummyonline"]


def test_equal_and_missing_cards_are_named_with_their_players(marker):
    for drew, says in (
        ("KKA", "Ana and Ben drew the same rank (king): they draw again."),
        ("999", "Ana, Ben and Chandi drew the same rank (9): they draw again."),
        ("99999", "only 4 cards of one rank (9): 5 players cannot all have drawn one."),
        ("9A", "Which card did Chandi draw?"),
    ):
        names = ["Ana", "Ben", "Chandi", "Dee", "Eve"][: max(3, len(drew))]
        fields = [*named(*names), *(("drew", card) for card in drew)]
        answer = marker.refused("/games/new", [*fields, ("drawing", "1"), ("draw", "1")])
        assert says in text(answer.text)
    for button in ("again", "undraw"):
        answer = marker.act("/games/new", [*fields, ("drawing", "1"), (button, "1")])
        assert answer.status_code == 200


def test_names_that_look_alike_are_asked_about_once(marker):
    answer = marker.refused("/games/new", [*named("Zoe", "O’Brien", "O'Brien"), ("title", "Cup")])
    page = unescape(answer.text)
    assert "“O’Brien” and “O'Brien” look alike. Change one of them" in page
    assert names_in(page) == ["Zoe", "O’Brien", "O'Brien"]
    # The answer stays while the form changes, and others are asked about too.
    fields = sent_again(answer.text, "/games/new")
    page = marker.post("/games/new", [*fields, ("move", "down-1")]).text
    assert names_in(unescape(page)) == ["O’Brien", "Zoe", "O'Brien"]
    fields = [(name, value) for name, value in sent_again(page, "/games/new") if name != "name"]
    answer = marker.post("/games/new", [*fields, *named("O’Brien", "O'Brien", "Ian", "lan")])
    assert answer.status_code == 422
    assert "“Ian” and “lan” look alike" in answer.text
    answer = marker.post("/games/new", sent_again(answer.text, "/games/new"))
    assert answer.status_code == 303
    assert "Cup" in marker.open(answer.location)


# tests/rules/test_seating.py has how every game draws.
@pytest.mark.parametrize(
    ("game", "says", "seats"),
    [
        ("proter", "highest (king high, ace low) deals first", ["Ben", "Ana", "Cem"]),
        ("indian_rummy", "lowest (king high, ace low) deals first", ["Cem", "Ana", "Ben"]),
        ("kalooki", "The rules of Kalooki do not say who deals first.", ["Ben", "Ana", "Cem"]),
    ],
)
def test_seats_are_drawn_by_the_rule_of_the_sheet(marker, game, says, seats):
    fields = {"game": game, "name": ["Ana", "Ben", "Cem"], "draw": "1"}
    page = marker.act("/games/new", fields).text
    assert says in text(page)
    fields |= {"drawing": "1", "drew": ["5", "K", "A"]}
    assert names_in(marker.act("/games/new", fields).text) == seats


def test_where_sheets_draw_seats_differently_the_page_has_both_ways(marker):
    """The style sheet shows that of the sheet that is chosen."""
    page = marker.act("/games/new", {"game": "contract_rummy", "draw": "1"}).text
    ways = re.findall(r'<p class="hint of-(\d)">(.*?)</p>', page, re.DOTALL)
    says = {sheet: text(words).split(":")[0] for sheet, words in ways}
    assert says == {"1": "Denexa", "2": "Game Rules"}
    assert "highest (king high, ace low) deals first" in ways[0][1]
    assert "lowest (king high, ace low) deals first" in ways[1][1]


def test_a_dealer_without_a_name_is_asked_for_by_what_the_button_says(marker):
    answer = marker.refused("/games/new", {"name": ["", "Ana", "Ben"], "dealer": "1"})
    button = find(answer.text, r'<label class="first-deal">.*?<span[^>]*>(.*?)</span>')
    assert f"Say who deals first: tap “{button}” beside a name." in text(answer.text)
