"""Every word for users comes from the catalogue of a language."""

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from flask import Flask
from jinja2 import nodes

from companion.notebook.events import GameEnded, HandEntry
from companion.rules.games import GAMES
from companion.rules.language import listed
from companion.web.templating import (
    TEMPLATE,
    catalogue,
    chosen_language,
    names_of,
    script_sentences,
)
from tests.notebook.evening import of_game
from tests.web.conftest import Marker, begin, read_in
from tests.web.pseudo import LANGUAGE, NAMES, READ, WORD, compiled, outside
from tests.web.test_every_route import unreadable
from tests.web.test_people import listed as people
from tests.web.test_seasons import finished, link, made
from tests.web.test_who_may import WRITTEN, addresses, world

__all__ = ["world"]

TEMPLATES = Path(__file__).parents[2] / "templates"
EVERY = sorted(path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.html"))
# What stands for an expression; a name of a tag can be one, too.
VALUE = "zq"
# Attributes that a macro writes, outside of any tag.
ATTRIBUTES = re.compile(r'[\w-]+="[^"]*"|\bformnovalidate\b')
SENTENCE = re.compile(r"[A-Z][a-z]|[a-z]{2,} [a-z]")


class Words(HTMLParser):
    """Collects the words of a template, in text and in attributes for people."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        text = ATTRIBUTES.sub("", data).replace(VALUE, "")
        if WORD.search(text):
            self.found.append(text.strip())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = [(value or "").replace(VALUE, "") for name, value in attrs if name in READ]
        self.found += filter(WORD.search, said)


def untranslated(app: Flask, name: str) -> Iterator[str]:
    """Yield the words of a template that are not translated."""
    tree = app.jinja_env.parse((TEMPLATES / name).read_text(encoding="utf-8"))
    written = Words()
    written.feed(
        "".join(
            part.data if isinstance(part, nodes.TemplateData) else VALUE
            for output in tree.find_all(nodes.Output)
            for part in output.nodes
        )
    )
    yield from written.found
    asked = [call for call in tree.find_all(nodes.Call) if is_asked(call)]
    # What `_` answers is not escaped: what comes from elsewhere is written `| translated`.
    yield from (str(call) for call in asked for _ in call.args[0].find_all(nodes.Name))
    yield from (str(call) for call in asked if isinstance(call.args[0], nodes.Name))
    known = {id(one) for call in asked for one in call.find_all(nodes.Const)}
    for const in tree.find_all(nodes.Const):
        said = const.value if isinstance(const.value, str) and '="' not in const.value else ""
        if SENTENCE.search(said) and id(const) not in known:
            yield said


def is_asked(call: nodes.Call) -> bool:
    return isinstance(call.node, nodes.Name) and call.node.name in {"_", "gettext", "ngettext"}


STATIC = Path(__file__).parents[2] / "static"
SCRIPTS = sorted([STATIC / "sw.js", *(STATIC / "js").glob("*.js")])
# The calls whose texts the catalogue has; where selectors, classes and names stand; a text.
ASKED = re.compile(r'\bn?gettext\((?:"(?:\\.|[^"\\])*"(?:, )?)+')
UNREAD = re.compile(
    r"""(?:\b(?:querySelector(?:All)?|matches|closest|within)\(|className[:=] )[^\n]*?["`'][,;) ]"""
)
TEXT = re.compile(r"""(["`'])((?:\\.|(?!\1)[^\\\n])*)\1""")

# A text in a text is not found for the catalogue.
NESTED = re.compile(r"\$\{[^}]*gettext")
# Names of data, headers, keys and classes.
OF_CODE = re.compile(r"[a-z]+[A-Z]\w+|(?:X|Content)-[\w-]+|Arrow\w*|Enter|btn \w+")


def said_by(script: str) -> Iterator[str]:
    """Yield the words of a script that are not translated."""
    bare = UNREAD.sub("", ASKED.sub("", re.sub(r"(?<!:)//.*", "", script)))
    yield from NESTED.findall(script)
    for text in TEXT.finditer(bare):
        said = re.sub(r"\$\{[^}]*\}|<[^>]*>?", VALUE, text[2])
        if SENTENCE.search(said.replace(VALUE, "")) and not OF_CODE.fullmatch(said):
            yield said


def test_a_page_has_the_words_of_its_scripts_unless_it_is_english(pseudo, game):
    english = pseudo.client.get(game, headers={"Accept-Language": "en"}).text
    assert 'id="words"' not in english
    [block] = re.findall(
        r'<script type="application/json" id="words">(.*?)</script>', pseudo.open(game)
    )
    words = json.loads(block)
    assert {one if isinstance(one, str) else one[0] for one in script_sentences()} == (
        {*words} - {""}
    )
    assert words["Discard this entry? It can't be recovered."].startswith("⟦Discard this")
    assert words["%(number)s card"] == ["⟦%(number)s card⟧", "⟦%(number)s cards⟧"]
    assert (words[""][:4], len(words[""])) == ([1, 0, 1, 1], 200)


def test_the_service_worker_speaks_the_language_of_the_browser(pseudo):
    foreign = pseudo.client.get("/sw.js").text
    english = pseudo.client.get("/sw.js", headers={"Accept-Language": "en"}).text
    head, text = foreign.split("const STATIC")
    assert text == english.split("const STATIC")[1]
    assert head.count("\\u27e6") == 7


def test_templates_and_scripts_have_only_sentences_from_the_catalogue(app):
    found = {file.name: [*said_by(file.read_text(encoding="utf-8"))] for file in SCRIPTS}
    found |= {name: [*untranslated(app, name)] for name in EVERY}
    assert {name: said for name, said in found.items() if said} == {}


# Pages for which each game has words of its own, and those that some games alone have. The others
# are those of one game (test_all_other_pages_have_only_sentences_from_the_catalogue).
OF_GAME = (
    *("", "/end", "/penalty", "/throw-in", "/end-game", "/sheet", "/tally", "/hands/1"),
    *("/hands/1/correct", "/log", "/rules", "/rulings", "/ruling"),
)
OF_SOME = {
    "contract_rummy": ("/contract", "/may-i", "/may-i/2"),
    "indian_rummy": ("/turned",),
    "indian_chief": ("/box",),
}


@pytest.fixture(scope="session")
def catalogues(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder with the catalogue of the pseudo-language."""
    folder = tmp_path_factory.mktemp("translations")
    compiled(folder)
    return str(folder)


@pytest.fixture
def pseudo(app: Flask, marker: Marker, catalogues: str) -> Iterator[Marker]:
    """A marker whose browser asks for the pseudo-language."""
    app.extensions["babel"].translation_directories.append(catalogues)
    app.extensions["companion_languages"].append(LANGUAGE)
    marker.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = LANGUAGE
    yield marker
    app.extensions["companion_languages"].remove(LANGUAGE)
    app.extensions["babel"].translation_directories.remove(catalogues)


@pytest.mark.parametrize("game", GAMES)
def test_pages_of_games_have_only_sentences_from_the_catalogue(pseudo, game):
    address = begin(pseudo, game=game)
    for page, fields in WRITTEN.get(game, ()):
        pseudo.saved(f"{address}/{page}", fields)
    ends = {"out": "0", "cards-0": ["7C"], "cards-1": ["9C"], "cards-2": ["KD"]}
    ends |= {"melded-1": "yes", "melded-2": "yes"}
    if not GAMES[game].judge.boxes:
        del ends["cards-0"]
    pseudo.saved(f"{address}/end", ends)
    pages = [*OF_GAME, *(f"/ruling?ask={ask}&player=0" for ask in GAMES[game].judge.asks)]
    assert untold(pseudo, [address + page for page in pages]) == {}
    some = OF_SOME.get(game, ())
    assert untold(pseudo, [address + page for page in some]) == {}
    assert [pseudo.client.get(address + page).status_code for page in some] == [200] * len(some)


def test_all_other_pages_have_only_sentences_from_the_catalogue(app, pseudo, world):
    pages = [address for _, address, method in addresses(app, world) if method == "GET"]
    assert len(pages) > 60
    assert untold(pseudo, pages) == {}


def test_charges_have_only_sentences_from_the_catalogue(pseudo):
    game = begin(pseudo, game="kalooki")
    for _call in range(4):  # the fourth one is charged (KAL-4)
        pseudo.saved(game, {"player": "1"}, to=f"{game}/call")
    of_its_own = {"player": "2", "house": "add", "text": "Ana", "points": "5"}
    pseudo.saved(f"{game}/penalty", of_its_own, to=f"{game}/penalty")
    assert untold(pseudo, [game, f"{game}/penalty", f"{game}/hands/1"]) == {}


def test_pages_of_people_have_only_sentences_from_the_catalogue(pseudo, marker):
    begin(pseudo, ("Ana", "Ben"))
    begin(pseudo, ("Chandi", "Ben"))
    ana, chandi = (people(pseudo)[name] for name in ("Ana", "Chandi"))
    other = {"other": chandi.rpartition("/")[2]}
    pseudo.saved(f"{ana}/change", other | {"do": "merge"})
    assert untold(pseudo, ["/people", ana, f"{ana}/change"]) == {}
    # Averages come with three finished games, here of contracts and of boxes.
    for day in (6, 13, 20):
        finished(pseudo, day, (0, 1, 2))
        evening = of_game("indian_chief", names=("Ana", "Ben"))
        boxes = (HandEntry(0, points=7, box="Thief"), HandEntry(1, points=25, box="Lawyer"))
        evening.mark(None, dict(enumerate(boxes)))
        evening.write(GameEnded(2))
        evening.end_at(datetime(2025, 3, day, 20, tzinfo=UTC))
        read_in(pseudo, evening)
    asked = ("?game=carioca", "?game=indian_chief", "?year=2026", "?year=2026&month=3")
    assert untold(pseudo, [ana, *(ana + one for one in asked)]) == {}
    assert "⟦Thief⟧" in pseudo.open(f"{ana}?game=indian_chief")
    pseudo.saved(f"{ana}/change", {"name": "Ana", "colour": "red", "hidden": "1"})
    assert untold(pseudo, ["/people", ana, f"{ana}/change"]) == {}


def test_pages_of_seasons_have_only_sentences_from_the_catalogue(pseudo):
    games = [finished(pseudo, day, (0, 1, 2), ("Ana", "Ben", "Chandi")) for day in (6, 13)]
    season = made(pseudo, name="Ana")
    asked = ("", "?settle=points&stake=1", "?settle=prizes&prizes=9&sign=€", "?settle=prizes")
    pages = [*(season + one for one in asked), *(f"{games[0]}/tally{one}" for one in asked)]
    pages += ["/seasons", "/seasons/new", f"{season}/change"]
    assert untold(pseudo, [*pages, link(pseudo, season)]) == {}
    other = made(pseudo, name="Ben", points="", best="2", last="2026-12-31")
    assert untold(pseudo, [other, "/seasons"]) == {}


def untold(marker: Marker, addresses: Iterable[str]) -> dict[str, list[str]]:
    """Return words of pages that are not in the catalogue, and unreadable places, by address."""
    found = {}
    for address in addresses:
        with marker.client.get(address) as answer:
            if answer.status_code == 200 and answer.mimetype == "text/html":
                assert f'lang="{LANGUAGE}"' in answer.text or "<html" not in answer.text
                said = answer.text
                found[address] = outside(said, NAMES) + unreadable(re.sub("[⟦⟧]", "", said))
    return {address: words for address, words in found.items() if words}


def test_refusals_and_rulings_are_in_the_language_of_the_page(pseudo):
    game = begin(pseudo, game="contract_rummy")
    fields = {"ask": "meld", "player": "0", "cards": ["5C", "9D", "KH"], "contract": "earlier"}
    ruled = pseudo.saved(game, fields, to=f"{game}/ruling")
    page = pseudo.open(ruled.location)
    assert outside(page, NAMES) == []
    assert "⟦Illegal⟧" in page
    pseudo.saved(f"{game}/end", {"out": "0", "points-1": "5", "points-2": "5"})
    late = {"player": "0", "asked": "1"} | fields
    for to in ("ruling", "may-i"):  # after its hand
        answer = pseudo.act(game, late | {"hand": "1"}, to=f"{game}/{to}")
        assert answer.status_code == 422
        assert outside(answer.text, NAMES) == []


def test_each_choice_of_a_house_rule_has_its_own_sentence(pseudo, game):
    says = "⟦Claims are made when the turn is over, before the next player draws.⟧"
    assert says in pseudo.open(f"{game}/ruling")


@pytest.mark.parametrize(
    ("asks", "gets"),
    [
        ("si-LK,en;q=0.9", "si"),
        ("en-GB,si;q=0.8", "en"),
        ("en,si", "en"),
        ("en;q=0.5, SI_LK", "si"),
        ("pt,en;q=0.9", "pt-BR"),
        ("de,si;q=0.1", "si"),
        *((asks, "en") for asks in ("*", "de,*", "si;q=0", "de", "", "x;q=y,,;")),
    ],
)
def test_the_first_language_of_ours_is_chosen_that_the_browser_asks_for(
    app, monkeypatch, asks, gets
):
    monkeypatch.setitem(app.extensions, "companion_languages", ["pt-BR", "si", "en"])
    with app.test_request_context(headers={"Accept-Language": asks}):
        assert chosen_language() == gets


def test_a_page_is_kept_for_each_language(pseudo, game):
    for address in (game, f"{game}/rules", f"{game}/ruling?ask=meld&player=0"):
        foreign = pseudo.client.get(address)
        english = pseudo.client.get(address, headers={"Accept-Language": "de, en;q=0.5"})
        assert (foreign.text.count("⟦") > 20, english.text.count("⟦")) == (True, 0)
        assert 'lang="en"' in english.text
        assert "Accept-Language" in foreign.vary
        assert foreign.text == pseudo.open(address)
    kept = [
        pseudo.client.get(f"{game}/precache").json,
        pseudo.client.get(f"{game}/precache", headers={"Accept-Language": "en"}).json,
    ]
    assert kept[0] != kept[1]


def test_a_list_is_written_by_the_rules_of_its_language(pseudo, app):
    names = ["Ana", "Ben", "\u05d3\u05df"]
    with app.test_request_context(headers={"Accept-Language": LANGUAGE}):
        app.preprocess_request()
        said = [listed(names), listed(names, "or")]
        # Babel knows no other list of that language.
        assert listed(["+5", "\u22125", "+7"], "standard-narrow") == "+5, \u22125 kaj +7"
        assert names_of(["Ana", "<Ben>"]) == "<bdi>Ana</bdi> kaj <bdi>&lt;Ben&gt;</bdi>"
    apart = "\u2068\u05d3\u05df\u2069"
    assert said == [f"Ana, Ben kaj {apart}", f"Ana, Ben a\u016d {apart}"]


@pytest.mark.slow
def test_the_catalogue_for_translators_has_every_sentence():
    with TEMPLATE.open("rb") as file:
        written = {message.id for message in read_po(file) if message.id}
    said = {*catalogue()} - {""}
    said -= {one[0] for one in said if isinstance(one, tuple)}  # both are kept under the first form
    assert (said - written, written - said) == (set(), set())  # python3 -m companion.web.templating
