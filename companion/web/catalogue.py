"""The catalogue of all words that users read.

``python3 -m companion.web.catalogue`` rewrites it for those who translate. Sentences stand in
the code and the templates where they are said; titles and sentences of the games are data.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import write_po

from companion.rules.games import GAMES
from companion.rules.games.disputes import BOX_DISPUTES, DISPUTES
from companion.rules.language import GAME_WORDS, in_game_words
from companion.rules.messages import NUMBERS, SENTENCES, TERMS
from companion.web.templating import TRANSLATIONS, script_sentences

ROOT: Final = Path(__file__).resolve().parents[2]
TEMPLATE: Final = TRANSLATIONS / "messages.pot"
_METHODS: Final = [("**.py", "python"), ("**.html", "jinja2")]
# What takes a sentence as its first argument, and translates it.
_TAKERS: Final = (
    *("noted", "marked", "not_here"),
    *("NotPossible", "Malformed", "Ambiguous", "NotInThisGame", "NotAGame", "WrongCode"),
)


def catalogue() -> Catalog:
    """Return every sentence of the code, templates, scripts and games, in English alone."""
    made = Catalog(project="Rummy companion", charset="utf-8", fuzzy=False)
    keywords = DEFAULT_KEYWORDS | dict.fromkeys(_TAKERS)
    options = {"**.html": {"trimmed": "true"}}
    for folder in ("companion", "templates"):
        found = extract_from_dir(ROOT / folder, _METHODS, options, keywords)
        for _, _, message, _, _ in found:
            for one in _in_game_words(message):
                made.add(one)
    for words in (*script_sentences(), *_data()):
        made.add(words)
    return made


def _in_game_words(message: str | tuple[str, ...]) -> Iterator[str | tuple[str, ...]]:
    """Yield a sentence with each game's own words, once."""
    forms = (message,) if isinstance(message, str) else message
    said = dict.fromkeys(
        tuple(
            in_game_words(one, {name: getattr(game, name) for name in GAME_WORDS}) for one in forms
        )
        for game in GAMES.values()
    )
    yield from (one[0] if isinstance(message, str) else one for one in said)


def _data() -> Iterator[str | tuple[str, str]]:
    yield from SENTENCES.values()
    yield from NUMBERS
    for term in TERMS.values():
        yield from (term.one, term.a)
        yield (f"%(number)s {term.one}", f"%(number)s {term.many}")
    for game in GAMES.values():
        yield from (game.says, game.won_by.says, game.won_by.in_short)
        yield from (game.hand_word, game.hand_title, game.wild_word, game.wild_called)
        for sheet in game.sheets:
            yield sheet.says
            yield from (deck.says for deck in game.decks_of(game.house(sheet.id)))
        yield from (box.title for box in game.judge.boxes)
        for charge in game.charges:
            yield from (charge.title, charge.says, charge.says_free)
        for rule in game.house_rules:
            yield rule.title
            yield from (choice.says for choice in rule.choices)
    for disputes in DISPUTES.values():
        yield from (dispute.title for dispute in disputes)
    yield from (dispute.title for dispute in BOX_DISPUTES)


def write() -> None:
    """Write the template of the catalogues."""
    with TEMPLATE.open("wb") as file:
        write_po(file, catalogue(), no_location=True, omit_header=True, sort_output=True)


if __name__ == "__main__":
    write()
