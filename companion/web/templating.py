"""How the templates write cards, numbers, names and times, in which language, and static files.

``python3 -m companion.web.templating`` rewrites the catalogue of all words that users read, for
translators. Sentences stand in the code and the templates where they are used; titles and
sentences of the games are data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Final

import flask_babel
from babel import Locale
from babel.dates import format_date, format_datetime
from babel.lists import format_list
from babel.numbers import format_decimal
from babel.support import NullTranslations
from flask import (
    Flask,
    Response,
    abort,
    current_app,
    has_request_context,
    request,
    send_from_directory,
    url_for,
)
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup
from werkzeug.datastructures import LanguageAccept

from companion.notebook.arrangements import Arranged
from companion.notebook.describe import hand_name, in_points, say, score, signed
from companion.notebook.scoresheet import ScoreSheet
from companion.rules import language
from companion.rules.cards import Laid, Offered, parse_card, parse_offered
from companion.rules.game import Game
from companion.rules.games import GAMES
from companion.rules.games.disputes import BOX_DISPUTES, DISPUTES
from companion.rules.hand_rules import MeldBox
from companion.rules.language import gettext as _, ngettext
from companion.rules.melds import Meld, MeldLimits
from companion.rules.messages import NUMBERS, SENTENCES, TERMS
from companion.rules.readings import as_on_table
from companion.services.tally import hands_played
from companion.store import UNREADABLE

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "static"
TRANSLATIONS = ROOT / "companion/web/translations"
TEMPLATE: Final = TRANSLATIONS / "messages.pot"
ENGLISH: Final = "en"
# All that plurals can depend on: small numbers, and the last two digits of large ones.
_NUMBERS: Final = range(200)


def card_name(text: str) -> str:
    """Return a card in words, for a screen reader: ``8 of hearts``."""
    return parse_card(text).word


def shown(text: str) -> str:
    """Return the cards of a meld or a pile as people write them: ``5♣ 8♥ for 6♣ 7♣``."""
    says = [parse_offered(part).shown for part in text.split()]
    return language.listed(says, "standard-narrow")


def chips(
    cards: Meld | str | Sequence[Laid | Offered], limits: MeldLimits | None = None
) -> list[str]:
    """Return the cards of a meld, a lay-off or a card text, one by one, for the ``meld`` macro.

    A wild card that stands for itself is shown plainly, and with the ``limits`` of the game also
    one in a set of any suits, unless all its cards are wild.
    """
    if isinstance(cards, Meld):
        cards = (as_on_table(cards, limits) if limits else cards).cards
    texts = cards.split() if isinstance(cards, str) else [laid.text for laid in cards]
    return [text[:2] if text[:2] == text[3:] else text for text in texts]


def fewer(shown: Arranged) -> str:
    """Return how far an arrangement is from the best one: ``could be 5 points fewer``."""
    if shown.points > shown.best:
        return _("could be %(points)s fewer", points=in_points(shown.points - shown.best))
    return _("%(points)s fewer than possible", points=in_points(shown.best - shown.points))


def clock(at: datetime) -> str:
    """Return a moment in the server's time: ``21 Nov 2026, 23:05``."""
    if at == UNREADABLE:
        return _("an unknown time")
    pattern = _("d MMM y, HH:mm")
    return format_datetime(at.astimezone(), pattern, locale=flask_babel.get_locale() or ENGLISH)


def day(at: date, pattern: str = "") -> str:
    """Return a day: ``5 Mar 2026``."""
    return format_date(at, pattern or _("d MMM y"), flask_babel.get_locale() or ENGLISH)


def decimal(number: float | Fraction) -> str:
    """Return a number with at most two decimal places: ``0.25``, ``−3.5``."""
    locale = flask_babel.get_locale() or ENGLISH
    return str(format_decimal(float(number), "0.##", locale)).replace("-", "−")


def marked(sentence: str, /, **values: object) -> Markup:
    """Return a translated sentence, perhaps with tags; its values are escaped, except Markup."""
    text = language.current_language().gettext(language.in_game_words(sentence, values))
    return Markup(text) % values  # noqa: S704 (sentences of our own)


def arrow(number: int) -> str:
    """Return the penalties in a hand's points, ``▲20``, or the bonus, ``▼10``."""
    return f"▲{number}" if number >= 0 else f"▼{-number}"


def names_of(names: Iterable[str], style: language.Style = "standard") -> Markup:
    """Return a list of names, ``Ana, Ben and Dora``, each written in its own direction."""
    apart = [Markup("<bdi>{}</bdi>").format(name) for name in names]
    return Markup(language.current_language().listed(apart, style))  # noqa: S704 (are escaped)


def leader_names(sheet: ScoreSheet) -> list[str]:
    """Return the names of the players in first place."""
    return [sheet.names[player] for player in sheet.leaders()]


def with_cards(boxes: Iterable[MeldBox]) -> Markup:
    """Return a list of boxes, each with the number of its cards in brackets."""
    named = Markup('{} <span class="nowrap">({})</span>')
    says = [named.format(_(box.title), box.cards) for box in boxes]
    return Markup(language.current_language().listed(says, "standard-narrow"))  # noqa: S704 (are escaped)


def hand_heading(game: Game, number: int) -> str:
    """Return which hand it is: ``Hand 5 of 13``; ``Hand 5`` if their number is not fixed."""
    return f"{hand_name(game, number)} {of_hands(game)}".strip()


def of_hands(game: Game) -> str:
    """Return how many hands the game has, ``of 13``; empty if their number is not fixed."""
    return _("of %(hands)s", hands=game.hands) if game.won_by.totals else ""


def winners(sheet: ScoreSheet) -> Markup:
    """Return who has won: ``Ana wins``, ``Ana and Ben share the win``, ``Nobody has won``."""
    names = leader_names(sheet)
    if not names:
        return marked("Nobody has won")
    says = ngettext("%(names)s wins", "%(names)s share the win", len(names), names="%(names)s")
    return Markup(says) % {"names": names_of(names)}  # noqa: S704 (a sentence of our own)


def deck_says(sheet: ScoreSheet) -> str:
    """Return what this table plays with, and sometimes why: ``2 packs and 2 jokers.``"""
    fits = sheet.game.deck_for(sheet.house, len(sheet.names))
    packs = ngettext("%(number)s pack", "%(number)s packs", fits.deck.packs)
    if fits.deck.jokers:
        jokers = ngettext("%(number)s joker", "%(number)s jokers", fits.deck.jokers)
        packs = _("%(packs)s and %(jokers)s", packs=packs, jokers=jokers)
    return f"{packs}. {_(fits.says)}".strip()


@lru_cache(maxsize=1)
def version() -> str:
    """Return a short text that changes when any static file does."""
    digest = hashlib.sha256()
    for path in sorted(FOLDER.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(FOLDER).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def asset(name: str) -> str:
    """Return the address of a static file with its version, so that a phone can keep it."""
    return url_for("static", at=version(), filename=name)


def send(at: str, filename: str) -> Response:
    """Send a static file. An old version's address gives the current file, but not to cache."""
    fresh = at == version()
    response = send_from_directory(FOLDER, filename, max_age=None if fresh else 0)
    # Read it whole: a file that is passed on in pieces is never compressed with gzip.
    response.direct_passthrough = False
    whole = response.get_data()
    response.set_data(without_comments(whole) if filename.endswith(".js") else whole)
    if fresh:
        response.cache_control.immutable = True
    return response


def without_comments(script: bytes) -> bytes:
    """Return a script without the lines that are comments."""
    lines = script.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.lstrip().startswith(b"//"))


def chosen_language() -> str:
    """Return the first language of ours that the browser asks for; English if there is none."""
    if not has_request_context():
        return ENGLISH
    languages = current_app.extensions["companion_languages"]
    # One wish at a time: of all together, `en` would win over an earlier `si-LK`, and `*` is any.
    for wish, quality in request.accept_languages:
        ours = LanguageAccept([(wish, quality)]).best_match(languages)
        if ours and wish != "*":
            return ours
    return ENGLISH


class Translated(language.Language):
    """A language that has a catalogue."""

    def __init__(self, catalogue: NullTranslations, locale: Locale | None) -> None:
        super().__init__()
        self.add_fallback(catalogue)
        self._locale = locale

    def listed(self, items: Sequence[str], style: language.Style, /) -> str:
        """Return the items as a list, as CLDR writes it."""
        try:
            # Babel's types lack narrow lists; its data have them.
            return format_list(items, style, self._locale)  # type: ignore[arg-type]
        except KeyError:  # its data lack a narrow list where that is like the standard one
            return format_list(items, "standard", self._locale)


def _ngettext(one: str, many: str, number: int, /, **values: object) -> Markup:
    """Return a sentence of a template for a number of things; its values are escaped."""
    one, many = (language.in_game_words(sentence, values) for sentence in (one, many))
    text = language.current_language().ngettext(one, many, number)
    return Markup(text) % values  # noqa: S704 (sentences of our own)


def _set_language() -> None:
    """Find the catalogue, once in a request: a page has hundreds of sentences."""
    if chosen_language() != ENGLISH:
        language.set_language(Translated(flask_babel.get_translations(), flask_babel.get_locale()))


@lru_cache(maxsize=32)
def _script_words(language: str) -> Markup:
    """Return the JSON in which static/js/page.js looks up sentences, made once for a language.

    It has each sentence in the language, or a list of its plural forms; under "" it has for each
    number the place of its form in these lists.
    """
    translations = flask_babel.get_translations()
    forms = [translations.plural(number) for number in _NUMBERS]
    sentences: dict[str, object] = {"": forms}
    for message in script_sentences():
        if isinstance(message, tuple):
            one, many = message
            numbers = [forms.index(form) for form in range(max(forms) + 1)]
            sentences[one] = [translations.ngettext(one, many, number) for number in numbers]
        else:
            sentences[message] = translations.gettext(message)
    return htmlsafe_json_dumps(sentences, ensure_ascii=False, separators=(",", ":"))


def _vary(response: Response) -> Response:
    """Add the header that says that pages depend on the language, if there are several."""
    if len(current_app.extensions["companion_languages"]) > 1 and response.mimetype == "text/html":
        response.vary.add("Accept-Language")
    return response


def init_app(app: Flask) -> None:
    """Give the templates their words, and serve the static files."""
    babel = flask_babel.Babel(
        app,
        configure_jinja=False,
        default_locale=ENGLISH,
        default_translation_directories=str(TRANSLATIONS),
        locale_selector=chosen_language,
    )
    with app.app_context():
        languages = [str(locale).replace("_", "-") for locale in babel.list_translations()]
    app.extensions["companion_languages"] = languages
    app.before_request(_set_language)
    app.teardown_request(lambda _problem: language.set_language(language.ENGLISH))
    app.after_request(_vary)
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.policies["ext.i18n.trimmed"] = True
    # Not install_gettext_callables: Jinja's wrappers of these functions would translate a sentence
    # before they see its values.
    app.jinja_env.newstyle_gettext = True  # type: ignore[attr-defined]  # by the extension
    app.jinja_env.globals |= {"gettext": marked, "ngettext": _ngettext}
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.add_url_rule("/static/<at>/<path:filename>", "static", send)
    app.add_url_rule("/favicon.ico", "favicon", lambda: abort(404))
    known = (asset, card_name, deck_says, say, winners)
    app.jinja_env.globals |= {function.__name__: function for function in known}
    app.jinja_env.globals["language"] = chosen_language
    app.jinja_env.globals["script_words"] = lambda: _script_words(chosen_language())
    filters = (
        *(chips, shown, fewer, clock, decimal, score, signed, arrow, hands_played),
        *(hand_name, hand_heading, of_hands, names_of, with_cards),
    )
    app.jinja_env.filters |= {function.__name__: function for function in filters}
    # For data, never for a literal: they return plain text, which is escaped.
    words = {"translated": language.gettext, "listed": language.listed, "points": in_points}
    app.jinja_env.filters |= words


# -- the catalogue: its imports are not loaded with the pages --------------------------------------

# Functions and exceptions whose first argument is a sentence to translate.
_KEYWORDS: Final = (
    *("noted", "marked"),
    *("NotPossible", "Malformed", "Ambiguous", "NotAGame", "WrongCode"),
)
Sentence = str | tuple[str, ...]
"""A sentence, or its singular and plural."""


def _written_in(folder: str, **methods: str) -> Iterator[Sentence]:
    """Yield the sentences of a folder. ``methods`` has Babel's method for each kind of file."""
    from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir

    messages = extract_from_dir(
        ROOT / folder,
        [(f"**.{kind}", method) for kind, method in methods.items()],
        {"**.html": {"trimmed": "true"}},
        DEFAULT_KEYWORDS | dict.fromkeys(_KEYWORDS),
    )
    yield from (message for _, _, message, _, _ in messages)


@lru_cache(maxsize=1)
def script_sentences() -> Sequence[Sentence]:
    """Return every sentence of the scripts."""
    return [*dict.fromkeys(_written_in("static/js", js="javascript"))]


def catalogue() -> Iterator[Sentence]:
    """Yield every sentence of the code, templates, scripts and games, some of them repeatedly."""
    written = _written_in("companion", py="python"), _written_in("templates", html="jinja2")
    for sentence in chain(*written):
        forms = (sentence,) if isinstance(sentence, str) else sentence
        for game in GAMES.values():
            words = {name: getattr(game, name) for name in language.GAME_WORDS}
            named = tuple(language.in_game_words(form, words) for form in forms)
            yield named[0] if isinstance(sentence, str) else named
    yield from script_sentences()
    yield from _game_sentences()


def _game_sentences() -> Iterator[Sentence]:
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
            yield from (charge.title, charge.says, charge.no_charge)
        for rule in game.house_rules:
            yield rule.title
            yield from (choice.says for choice in rule.choices)
    for disputes in DISPUTES.values():
        yield from (dispute.title for dispute in disputes)
    yield from (dispute.title for dispute in BOX_DISPUTES)


if __name__ == "__main__":
    from babel.messages.catalog import Catalog
    from babel.messages.pofile import write_po

    made = Catalog(project="Rummy companion", charset="utf-8", fuzzy=False)
    for sentence in catalogue():
        made.add(sentence)
    with TEMPLATE.open("wb") as file:
        write_po(file, made, no_location=True, omit_header=True, sort_output=True)
