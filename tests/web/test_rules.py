"""The rules pages of all games: every number and house rule, in agreement with the engine."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from html import unescape
from pathlib import Path

import pytest
from flask import Flask, render_template

from companion.rules.cards import parse_cards
from companion.rules.contracts import ContractJudge
from companion.rules.game import Game
from companion.rules.games import GAMES, game_named
from companion.rules.games.indian_chief_boxes import Box
from companion.rules.house_rules import House
from companion.web.rules import rules_context, rules_template
from tests.web.conftest import rows, text

ROOT = Path(__file__).parents[2]
# The rulebook's numbers, by hand: each game's prefix, and the number of its last rule.
RULEBOOK = {
    "proter": ("PRO", 16),
    "pay_me": ("PAY", 10),
    "carioca": ("CAR", 7),
    "indian_chief": ("CHI", 6),
    "kalooki": ("KAL", 9),
    "contract_rummy": ("CON", 11),
    "indian_rummy": ("IND", 8),
    "three_thirteen": ("TTN", 9),
}
# The parts of rules that have numbers of their own.
PARTS = {
    "proter": [f"PRO-13.{n}" for n in range(1, 7)],
    "indian_rummy": ["IND-7.1", "IND-7.2"],
}
PREFIXES = "|".join(prefix for prefix, _last in RULEBOOK.values())
# Rules have two digits at most: SHA-256 is none.
NUMBER = re.compile(rf"\b(?:{PREFIXES})-\d{{1,2}}(?:\.\d+)?\b")

Pages = Mapping[tuple[str, str | None], str]


def rulebook(name: str) -> list[str]:
    """Return the numbers of a game's rules in the rulebook."""
    prefix, last = RULEBOOK[name]
    return [f"{prefix}-{n}" for n in range(1, last + 1)]


def page_of(app: Flask, game: Game, house: House | None = None) -> str:
    """Return the rules page of a game, for everybody or for a table with these house rules."""
    with app.test_request_context():
        return render_template(rules_template(game), **rules_context(game, house))


@pytest.fixture(scope="module")
def plain_app(shared_app: Callable[[str], Flask]) -> Flask:
    """The application, for pages that only read."""
    return shared_app("sqlite")


@pytest.fixture(scope="module")
def pages(plain_app: Flask) -> Pages:
    """Each page for everybody (None), and for a table with the defaults of its sheet."""
    made: dict[tuple[str, str | None], str] = {}
    for name, game in GAMES.items():
        made[name, None] = page_of(plain_app, game)
        for sheet in game.sheets:
            made[name, sheet.id] = page_of(plain_app, game, game.house(sheet.id))
    return made


def ids(page: str) -> list[str]:
    return re.findall(r' id="([^"]+)"', page)


def section(page: str, number: str) -> str:
    return page.partition(f'<section class="rule" id="{number}">')[2].partition("</section>")[0]


def house_rule(page: str, name: str) -> str:
    return page.partition(f'<div class="house" id="{name}">')[2].partition("</div>")[0]


def table(page: str, caption: str) -> list[list[str]]:
    """Return the rows of a table, without its head, by the table's caption."""
    return rows(page, f">{caption}</caption>")[1:]


# -- complete -------------------------------------------------------------------------------------


def test_every_game_has_its_page_and_is_listed(stranger):
    assert set(GAMES) == set(RULEBOOK)
    index = stranger.open("/rules")
    for name, game in GAMES.items():
        assert f'href="/rules/{name}"' in index
        assert f"<h1>Rules of {game.name}</h1>" in stranger.open(f"/rules/{name}")
        assert (ROOT / "templates" / "rules" / f"{name}.html").is_file()


def test_every_rule_of_the_rulebook_has_one_place_and_is_in_the_contents(pages):
    for (name, _sheet), page in pages.items():
        game = GAMES[name]
        places = re.findall(r'<section class="rule" id="([^"]+)">', page)
        parts = PARTS.get(game.id, [])
        assert sorted(places) == sorted(rulebook(game.id) + parts)
        for number in places:
            assert text(section(page, number)).strip().startswith(number)
        contents = page.partition('aria-label="Contents"')[2].partition("</nav>")[0]
        assert re.findall(r'href="#([^"]+)"', contents) == rulebook(game.id)
        titles = [one.partition("</b>")[2] for one in re.findall(r"<a [^>]+>(.*?)</a>", contents)]
        headings = re.findall(r"<h2><span class=\"number\">[A-Z]+-\d+</span> (.*?)</h2>", page)
        assert [title.strip() for title in titles] == headings


def test_every_rule_number_in_the_code_has_its_place(pages):
    cited = {rule.rule for game in GAMES.values() for rule in game.house_rules}
    cited |= {charge.rule for game in GAMES.values() for charge in game.charges}
    for folder, kind in (("companion", "*.py"), ("templates", "*.html")):
        for file in (ROOT / folder).rglob(kind):
            cited |= set(NUMBER.findall(file.read_text(encoding="utf-8")))
    known = {place for page in pages.values() for place in ids(page)}
    assert cited >= {"PRO-13.6", "PAY-9", "CAR-6", "CHI-5", "KAL-4", "CON-10", "IND-7.2"}
    assert cited <= known


def test_every_house_rule_is_there_with_all_its_choices(pages):
    for (name, sheet), page in pages.items():
        game = GAMES[name]
        assert game.house_rules
        for rule in game.house_rules:
            assert f'id="{rule.id}"' in section(page, rule.rule), rule.id
            said = unescape(house_rule(page, rule.id))
            assert rule.title in said
            for choice in rule.choices:
                assert choice.says in said
            assert said.count("<b>Here:</b>") == (0 if sheet is None else 1)
            assert "changed here" not in said
            if len(game.sheets) == 1:
                assert said.count("<small>the usual way</small>") == 1


def test_every_link_within_a_page_has_its_target(pages):
    for page in pages.values():
        known = Counter(ids(page))
        assert {name for name, times in known.items() if times > 1} == set()
        assert set(re.findall(r'href="#([^"]+)"', page)) <= set(known)


# -- as a table plays -----------------------------------------------------------------------------


def test_differences_between_sheets_are_marked(pages):
    everybody = pages["contract_rummy", None]
    differ = [
        n for n in rulebook("contract_rummy") if "The sheets differ:" in section(everybody, n)
    ]
    assert differ == ["CON-1", "CON-2", "CON-3", "CON-4", "CON-5", "CON-6", "CON-9"]
    assert "Here:" not in everybody
    for sheet, runs in (("denexa", "Four cards."), ("gamerules", "Three cards.")):
        page = pages["contract_rummy", sheet]
        assert f"<b>Here:</b> {runs}" in section(page, "CON-3")
        for number in differ:
            assert "<b>Here:</b>" in section(page, number)
    assert "by the Denexa sheet" in text(pages["contract_rummy", "denexa"])
    assert "As your table plays." in text(pages["kalooki", "kalooki"])


def test_the_cost_of_leaving_is_the_tables_house_rule(plain_app):
    game = game_named("indian_rummy")
    page = page_of(plain_app, game, game.house(None, {"leave_early": 25}))
    assert "pays 25 points" in text(section(page, "IND-7.1"))
    assert "pays 40 points" in text(section(page, "IND-7.2"))
    assert "changed here" in house_rule(page, "leave_early")
    assert "<b>Here:</b> 25 points." in house_rule(page, "leave_early")


def test_a_game_without_a_rules_page_gets_one_from_its_data(plain_app):
    proter = game_named("proter")
    parts = {field: getattr(proter, field) for field in Game.__slots__}
    invented = Game(**parts | {"id": "invented", "name": "Invented"})
    page = page_of(plain_app, invented, invented.house("catsatcards"))
    assert "<h1>Rules of Invented</h1>" in page
    for rule in invented.house_rules:
        assert rule.title in unescape(house_rule(page, rule.id))
    for charge in invented.charges:
        assert f'<section class="rule" id="{charge.rule}">' in page
    assert max(Counter(ids(page)).values()) == 1
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids(page))


# -- true to the engine ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "caption", "sets_from"),
    [
        ("carioca", "The contract of each hand", 2),
        ("kalooki", "Cards dealt and contract of each hand", 2),
        ("contract_rummy", "The contract of each hand", 1),
    ],
)
def test_contracts_and_cards_dealt_are_those_of_the_engine(pages, name, caption, sets_from):
    game = GAMES[name]
    lines = table(pages[name, None], caption)
    assert [int(row[0]) for row in lines] == [*range(1, game.hands + 1)]
    for hand, row in enumerate(lines, start=1):
        rules = game.rules(game.house(), hand)
        assert isinstance(rules, ContractJudge)
        told = tuple(int(cell.replace("–", "0")) for cell in row[sets_from:])
        assert told == rules.contract
        if sets_from == 2:
            assert int(row[1]) == game.dealt(hand)


GROWING = {"pay_me": {}, "three_thirteen": {"jokers": "two_a_pack"}}


@pytest.mark.parametrize(("name", "agreed"), GROWING.items())
def test_the_growing_hands_and_their_packs_are_those_of_the_engine(pages, name, agreed):
    game = GAMES[name]
    lines = table(pages[name, None], "The wild rank of each hand")
    for hand, row in enumerate(lines, start=1):
        wild = game.wild_rank(hand)
        assert wild is not None
        assert row == [str(hand), str(game.dealt(hand)), wild.shown]
    assert len(lines) == game.hands
    lines = table(pages[name, None], "Packs by the number of players")
    for row, players in zip(lines, ((2,), (3, 4), (5, 6, 7, 8)), strict=True):
        for count in players:
            assert (int(row[1]), int(row[2])) == game.deck(game.house(None, agreed), count)


COUNTED = {
    "pay_me": ("XX 2S 6H", "8C 9C TC JC QC KC", "AC 3C 4C 5C 7C"),
    "three_thirteen": ("KC QC JC", "TC 9C 8C 7C 6C 5C 4C 3C 2C", "AC"),
    "carioca": ("XX", "AS", "JS QS KS", "2H 3H 4H 5H 6H 7H 8H 9H TH"),
    "kalooki": ("XX", "AS AC", "AH AD", "TS JS QS KS", "2H 3H 4H 5H 6H 7H 8H 9H"),
    "contract_rummy": ("XX AS", "JS QS KS", "2H 3H 4H 5H 6H 7H 8H 9H TH"),
    "indian_rummy": ("TS JS QS KS AS", "2H 3H 4H 5H 6H 7H 8H 9H", "XX"),
}


@pytest.mark.parametrize(("name", "cards"), COUNTED.items())
def test_what_cards_left_count_is_what_the_engine_counts(pages, name, cards):
    game = GAMES[name]
    # Of Pay Me it is hand 4, when sixes are wild.
    rules = game.rules(game.house(), 4)
    lines = table(pages[name, None], "Points for each card left")
    for (_, told), group in zip(lines, cards, strict=True):
        for card in parse_cards(group):
            assert rules.value(card) == (int(card.rank) if told == "its number" else int(told))


def test_what_an_ace_and_a_king_count_is_the_tables_house_rule(plain_app):
    game = game_named("three_thirteen")
    house = game.house(None, {"ace_left": 15, "court_left": "11-13"})
    page = page_of(plain_app, game, house)
    lines = table(page, "Points for each card left")
    ten_to_two = ["10 to 2", "its number"]
    assert lines == [["K", "13"], ["Q", "12"], ["J", "11"], ten_to_two, ["Ace", "15"]]


def test_who_lays_off_first_is_said_by_the_house_rule_alone(plain_app):
    # PAY-9 has a choice "free": then the players do not go in the order of play.
    game = game_named("pay_me")
    page = page_of(plain_app, game, game.house(None, {"lay_off_order": "free"}))
    assert section(page, "PAY-9").count("order of play") == 1
    assert "order of play" in house_rule(page, "lay_off_order")


def test_every_table_of_values_is_compared_with_the_engine(pages):
    of_games = {name: pages[name, None] for name in GAMES}
    growing = {name for name, page in of_games.items() if table(page, "The wild rank of each hand")}
    counted = {name for name, page in of_games.items() if table(page, "Points for each card left")}
    assert (growing, counted) == (set(GROWING), set(COUNTED))
    # And the boxes of Indian Chief are named as the engine does.
    lines = table(pages["indian_chief", None], "The seven boxes")
    assert [(row[0], int(row[1])) for row in lines] == [(box.title, box.cards) for box in Box]


# -- the pages ------------------------------------------------------------------------------------


def test_in_a_game_the_tables_choice_of_each_house_rule_is_marked(marker, stranger, game, pages):
    everybody = stranger.open("/rules/proter")
    assert "Here:" not in everybody
    assert "CatsAtCards and Play Gin Rummy Online" in everybody
    both = "<small>CatsAtCards and Play Gin Rummy Online</small>"
    assert both in house_rule(everybody, "min_naturals")
    page = marker.open(f"{game}/rules")
    assert page.count('class="here"') == len(GAMES["proter"].house_rules)
    assert "<b>Here:</b> In every turn" in house_rule(page, "natural_first_meld")
    # A penalty that this table does not charge is marked.
    assert "Not charged at this table" in text(section(page, "PRO-13.6"))
    assert page.count("Not charged at this table") == 1
    assert "Not charged" not in pages["proter", "playginrummyonline"]


def test_a_game_that_is_not_known_has_no_rules(stranger):
    for name in ("chess", "PROTER", "..", "index", "_rule", "proter.html", "%00"):
        assert stranger.client.get(f"/rules/{name}", follow_redirects=True).status_code == 404
