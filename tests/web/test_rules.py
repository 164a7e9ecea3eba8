"""Proter's rules, for everybody and in a game: complete, true to the engine, choices marked.

What holds for the pages of all games is in test_rules_of_all_games.
"""

import pytest

from companion.rules.cards import parse_cards
from companion.rules.games import game_named
from companion.rules.judge import Player
from companion.rules.position import parse_table
from companion.rules.table import Discard, Table, parse_play
from tests.notebook.evening import Evening, started
from tests.web.conftest import read_in, text

PROTER = game_named("proter")


def house_rule(page: str, name: str) -> str:
    """What the page says of one house rule."""
    return page.partition(f'<div class="house" id="{name}">')[2].partition("</div>")[0]


def section(page: str, number: str) -> str:
    return text(page.partition(f'id="{number}">')[2].partition("</section>")[0])


# -- complete -------------------------------------------------------------------------------------


# -- as this table plays --------------------------------------------------------------------------


def test_outside_a_game_nothing_is_here(stranger):
    page = stranger.open("/rules/proter")
    assert "Here:" not in page
    assert "CatsAtCards and Play Gin Rummy Online" in page
    assert "both sheets" in house_rule(page, "min_naturals")


def test_in_a_game_one_choice_of_each_house_rule_is_here(marker, game):
    page = marker.open(f"{game}/rules")
    for rule in PROTER.house_rules:
        said = house_rule(page, rule.id)
        assert said.count("<b>Here:</b>") == 1, rule.id
        assert said.count('class="here"') == 1, rule.id
        assert "changed here" not in said, rule.id
    assert "<b>Here:</b> In every turn" in house_rule(page, "natural_first_meld")


def test_what_a_table_changed_is_marked_in_words(marker):
    house = {"penalty_points": 25, "ties": "fewest_penalties"}
    evening = Evening(started(sheet="playginrummyonline", **house))
    game = read_in(marker, evening)
    page = marker.open(f"{game}/rules")
    assert "As this table plays, by the Play Gin Rummy Online sheet" in text(page)
    assert page.count("changed here") == 2
    assert "<b>Here:</b> 25." in house_rule(page, "penalty_points")
    assert "changed here" in house_rule(page, "penalty_points")
    assert "<b>Here:</b> The one with fewer" in house_rule(page, "ties")
    assert "<b>Here:</b> It costs a penalty" in house_rule(page, "wrong_meld")
    assert "A penalty is 25 points" in section(page, "PRO-13")
    assert "Not charged" not in page


def test_a_penalty_that_this_table_does_not_charge_is_marked(marker, game):
    page = marker.open(f"{game}/rules")
    assert "Not charged at this table" in section(page, "PRO-13.6")
    assert page.count("Not charged at this table") == 1


# -- the examples on the page are ruled as it says ------------------------------------------------

HOUSES = [
    {"ace_in_runs": ace, "discard_run": run, "natural_first_meld": "off"}
    for ace in ("high", "low", "both")
    for run in ("three_in_suit", "two_adjacent")
]


def broken(play: str, hand: int, table: Table, **house: str) -> tuple[str, ...]:
    rules = PROTER.rules(PROTER.house(None, house), hand)
    return rules.rule_on(table, parse_play(play), Player(melded_this_turn=True)).broken


@pytest.mark.parametrize("house", HOUSES)
def test_the_melds_of_the_examples(house):
    assert broken("meld 9C 9D 9H", 8, Table(), **house) == ()
    assert broken("meld 6D 7D 8D", 9, Table(), **house) == ()
    assert broken("meld KS AS 2S", 9, Table(), **house) == ("PRO-5",)
    assert broken("meld 5C 8H=6C 7C", 8, Table(), **house) == ()
    rules = PROTER.rules(PROTER.house(None, house), 8)
    sixes = parse_table(["6C 6D 6H 6S"], (), rules)
    assert broken("meld 5C 8H=6C 7C", 8, sixes, **house) == ("PRO-9",)
    stood = parse_table(["5C 8H=6C 7C"], (), rules)
    assert broken("meld 6C 6D 6S", 8, stood, **house) == ("PRO-9",)
    assert broken("swap 6C onto 0", 8, stood, **house) == ()


def may_not_follow(pile: str, card: str, **house: str) -> bool:
    table = Table(pile=parse_cards(pile))
    rules = PROTER.rules(PROTER.house(None, house), 8)
    return rules.rule_on(table, Discard(parse_cards(card)[0]), Player()).broken == ("PRO-12",)


@pytest.mark.parametrize("order", ["any", "in_order"])
def test_the_discards_of_the_example_of_three(order):
    assert may_not_follow("5S 6S", "7S", discard_run="three_in_suit", discard_run_order=order)


@pytest.mark.parametrize(
    ("ace", "on_queen", "king_and_two"),
    [("high", True, False), ("low", False, False), ("both", True, False)],
)
def test_the_discards_of_the_example_of_two_ranks(ace, on_queen, king_and_two):
    house = {"discard_run": "two_adjacent", "ace_in_runs": ace}
    for card in ("TC", "JC", "KC"):
        assert may_not_follow("QC", card, **house)
    assert may_not_follow("QC", "AC", **house) is on_queen
    assert may_not_follow("KC", "2C", **house) is king_and_two


# -- who may see them -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["chess", "PROTER", "..", "index", "_rule", "proter.html", "%00"])
def test_a_game_that_is_not_known_has_no_rules(stranger, name):
    assert stranger.client.get(f"/rules/{name}", follow_redirects=True).status_code == 404
    assert stranger.client.post("/rules/proter").status_code in (400, 405)
