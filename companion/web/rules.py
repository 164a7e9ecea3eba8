"""The rules of the games, numbered as in the rulebook, their house rules, and what melds score."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

from flask import Blueprint, abort, current_app, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup
from wtforms import ValidationError

from companion.rules.cards import SUITS, parse_cards
from companion.rules.errors import Malformed
from companion.rules.game import Game
from companion.rules.games import GAMES
from companion.rules.games.disputes import DISPUTES, BoxDispute
from companion.rules.games.indian_chief import IndianChiefJudge
from companion.rules.games.indian_chief_boxes import box_for
from companion.rules.house_rules import House, HouseRule, Value
from companion.rules.language import gettext as _, listed, noted
from companion.services.game_log import LoadedGame
from companion.store import folded
from companion.web.actions import Refused, field_id, loaded_game
from companion.web.disputes import Example, examples, scored
from companion.web.fields import CardsField, Form, LineField, WordField
from companion.web.pages import form_page, game_page
from companion.web.templating import chosen_language, marked

bp = Blueprint("rules", __name__)

_BY_DATA: Final = "rules/_page.html"
LONGEST_SEARCH: Final = 100
MOST_FOUND: Final = 30


class Option(NamedTuple):
    """A choice of a house rule: ``where`` names its sheets, ``here`` says if the table has it."""

    says: str
    where: str
    here: bool


class HouseRuleText(NamedTuple):
    """A house rule in words; ``changed`` is true if the table's choice is not its sheet's."""

    id: str
    title: str
    options: Sequence[Option]
    changed: bool


def rules_context(
    game: Game, house: House | None = None, loaded: LoadedGame | None = None
) -> dict[str, Any]:
    """Return what a page of rules shows: for a table with these ``house`` rules, or for everybody.

    On a page of a ``loaded`` game, the usual disputes have links that ask for a ruling.
    """
    disputes = examples(game, house, loaded)
    by_number = house_rules(game, house)
    return {"rules_of": game, "house": house, "house_rules": by_number, "disputes": disputes}


def house_rules(game: Game, house: House | None) -> dict[str, list[HouseRuleText]]:
    """Return the house rules by the number of the rule that they belong to."""
    by_number: dict[str, list[HouseRuleText]] = defaultdict(list)
    for rule in game.house_rules:
        chosen = None if house is None else house[rule.id]
        values = [choice.value for choice in rule.choices]
        if chosen is not None and chosen not in values:
            values.append(chosen)
        options = [Option(rule.says(one), _where(game, rule, one), one == chosen) for one in values]
        changed = house is not None and chosen != rule.default_on(house.sheet)
        by_number[rule.rule].append(HouseRuleText(rule.id, _(rule.title), options, changed))
    return by_number


def _where(game: Game, rule: HouseRule, value: Value) -> str:
    """Return which sheets have a choice, in words."""
    titles = [sheet.title for sheet in game.sheets if rule.default_on(sheet.id) == value]
    return _("the usual way") if titles and len(game.sheets) == 1 else listed(titles)


class HouseRuleField(LineField):
    """The choice for a house rule; empty means the sheet's own."""

    def __init__(self, game: Game, rule: HouseRule, **kwargs: Any) -> None:
        super().__init__(_(rule.title), **kwargs)
        self.game, self.rule = game, rule

    def pre_validate(self, _form: object) -> None:
        """Raise `ValidationError` unless this is a choice, or empty."""
        try:
            if self.data:
                self.rule.read(self.data)
        except Malformed:
            says, numbers = _("choose one of these."), self.rule.numbers
            if numbers is not None:
                says = noted("a whole number from %(fewest)s to %(most)s, or nothing.")
                says = _(says, fewest=numbers[0], most=numbers[-1])
            raise ValidationError(f"{self.label.text}: {says}") from None

    @property
    def defaults(self) -> list[tuple[int, str, str]]:
        """The sheets' own choices, as `by_sheet` has them."""
        return by_sheet(self.game, lambda sheet: self.rule.says(self.rule.default_on(sheet)))

    @property
    def options(self) -> list[tuple[str, str, str]]:
        """The choices, each with its value, its name and its sentence."""
        values = [(str(choice.value), _(choice.says)) for choice in self.rule.choices]
        named = [(value, value.replace("_", " ").capitalize(), says) for value, says in values]
        return [("", _("As on the sheet"), ""), *named]


Of = TypeVar("Of", bound=Hashable)


def by_sheet(game: Game, of: Callable[[str], Of]) -> list[tuple[int, str, Of]]:
    """Return what each sheet of a game has: the sheet's place from 1, its title, and ``of`` its id.

    If the sheets agree there is only one, with the place 0 and no title.
    """
    own = [(place, one.title, of(one.id)) for place, one in enumerate(game.sheets, start=1)]
    return own if len({has for *_sheet, has in own}) > 1 else [(0, "", own[0][2])]


def draw_says(game: Game, sheet: str) -> tuple[str, str]:
    """Return how cards are drawn for the seats, in sentences, and the rule that says so, if any."""
    rule, lowest_deals = game.seat_draw(sheet)
    says = _(
        "Each draws a card: the highest (king high, ace low) deals first, the others follow in "
        "descending order. Equal cards draw again."
    )
    if lowest_deals:
        says = _(
            "Each draws a card: the lowest (king high, ace low) deals first, the others follow in "
            "ascending order. Equal cards draw again."
        )
    if not rule:
        unsaid = _("The rules of %(game)s do not say who deals first.", game=game.name)
        says = f"{unsaid} {says}"
    return says, rule


def rules_template(game: Game) -> str:
    """Return the template of a game's rules: its own, or the one that is filled from its data."""
    template = current_app.jinja_env.select_template([f"rules/{game.id}.html", _BY_DATA])
    return template.name or _BY_DATA


@lru_cache(maxsize=64)
def _sections(game: Game, house: House | None, language: str) -> Mapping[str, tuple[str, Markup]]:
    """Return the title and text of every rule by its number, for a table or for everybody.

    ``language`` is that of the request, in which the page is drawn: the cache needs it.
    """
    page = render_template(rules_template(game), part=True, **rules_context(game, house))
    return {
        number: (Markup(title).striptags(), Markup(text.strip()))  # noqa: S704 - our own template
        for number, title, text in _SECTION.findall(page)
    }


_SECTION: Final = re.compile(
    r'<section class="rule" id="([A-Z]+-[\d.]+)">\s*<h[23]>.*?</span>(.*?)</h[23]>(.*?)</section>',
    re.DOTALL,
)


@bp.app_template_filter()
def headings(rules: str) -> list[tuple[str, str]]:
    """Return the number and the title of each rule in this text, but not of a rule's parts."""
    return [
        (number, Markup(title).striptags())  # noqa: S704 - our own template
        for number, title, _text in _SECTION.findall(rules)
        if "." not in number
    ]


@bp.app_template_global()
def rule_link(number: str, css: str = "cite") -> Markup:
    """Return the number of a rule, on a marker's page with a link to the rules of the game."""
    game_id = (request.view_args or {}).get("game_id")
    if game_id is None:
        return Markup('<span class="cite">{}</span>').format(number)
    address = url_for("rules.of_game", game_id=game_id, _anchor=number)
    return Markup('<a class="{}" href="{}">{}</a>').format(css, address, number)


def words_of_rules(loaded: LoadedGame, rules: Sequence[str]) -> list[tuple[str, Markup]]:
    """Return the rules' own words, as the game's page has them, each with its number."""
    sections = _sections(loaded.sheet.game, loaded.sheet.house, chosen_language())
    link = Markup('href="{}#').format(url_for("rules.of_game", game_id=loaded.record.id))
    return [
        (rule, sections[rule][1].replace('href="#', link)) for rule in rules if rule in sections
    ]


# -- search ---------------------------------------------------------------------------------------


class RuleText(NamedTuple):
    """A rule or a house rule as it is searched. ``place`` is its id on the page of its game."""

    game: Game
    place: str
    heading: str
    sentences: Sequence[str]


@lru_cache(maxsize=64)
def _texts(game: Game, house: House | None, language: str) -> Sequence[tuple[RuleText, str]]:
    """Return every rule, followed by its house rules, in the language of the request.

    Each comes with all its words, folded for the search.
    """
    texts, by_rule = [], house_rules(game, house)
    for number, (title, text) in _sections(game, house, language).items():
        disputed = (_(one.title) for one in DISPUTES.get(game.id, ()) if one.rule == number)
        says = [*_sentences(_NO_SENTENCE.sub("", text)), *disputed]
        texts.append(RuleText(game, number, f"{number} {title}", says))
        for rule in by_rule.get(number, ()):
            heading = _("House rule: %(title)s", title=rule.title)
            says = [option.says for option in rule.options]
            texts.append(RuleText(game, rule.id, f"{number} {heading}", says))
    return [(text, folded(" ".join((text.heading, *text.sentences)))) for text in texts]


# What is not in the rule's own sentences: its house rules, and the heads of its tables.
_NO_SENTENCE: Final = re.compile(r'<div class="house" id=.*?</div>|<caption.*?</thead>', re.DOTALL)


def _sentences(text: str) -> Iterator[str]:
    for block in re.split(r"</(?:p|tr|li)>", text):
        spaced = Markup(re.sub(r"</(?:th|td|small)>", " ", block)).striptags()  # noqa: S704
        yield from filter(None, re.split(r"(?<=[.?!]) (?=[A-Z“])", spaced))


class Search(NamedTuple):
    """The words that were searched, what was found, and a sentence about that.

    ``found`` has the address of each rule, the rule, and its sentence with most of the words.
    """

    words: str
    found: Sequence[tuple[str, RuleText, str]]
    says: Markup | str


def search(loaded: LoadedGame | None = None, first: Game | None = None) -> Search:
    """Return the rules and house rules of all games that have all the words in ``q``.

    The game ``first``, or the loaded game as its table plays it, comes before all others. Of one
    game, the rule with ``q`` as its number comes first, then those with the words in their title.
    """
    words = request.args.get("q", "")[:LONGEST_SEARCH]
    first = first if loaded is None else loaded.sheet.game
    parts = [re.escape(word.rstrip(".-")) for word in re.findall(r"\w[\w.-]*", folded(words))]
    patterns = [re.compile(rf"(?<!\w){part}") for part in parts]

    def missing(says: str) -> int:
        return sum(not pattern.search(says) for pattern in patterns)

    def rank(text: RuleText) -> tuple[bool, bool, bool]:
        is_number, in_title = folded(text.place) == folded(words), not missing(folded(text.heading))
        return text.game is not first, not is_number, not in_title

    def address(text: RuleText) -> str:
        if loaded is not None and text.game is first:
            return url_for("rules.of_game", game_id=loaded.record.id, _anchor=text.place)
        return url_for("rules.show", game=text.game.id, _anchor=text.place)

    texts: list[RuleText] = []
    for game in GAMES.values() if patterns else ():
        house = loaded.sheet.house if loaded is not None and game is first else None
        in_game = _texts(game, house, chosen_language())
        texts += [text for text, says in in_game if not missing(says)]
    texts.sort(key=rank)
    found = [
        (address(one), one, min(one.sentences, key=lambda says: missing(folded(says)), default=""))
        for one in texts[:MOST_FOUND]
    ]
    says: Markup | str = ""
    if words.strip() and not found:
        says = marked("No rule has all of “<bdi>%(words)s</bdi>” in it.", words=words)
    elif len(texts) > MOST_FOUND:
        many = noted("These are %(shown)s of %(found)s. Add a word to find fewer.")
        says = _(many, shown=MOST_FOUND, found=len(texts))
    return Search(words, found, says)


# -- the pages ------------------------------------------------------------------------------------


@bp.get("/rules")
def index() -> ResponseReturnValue:
    """List the games whose rules can be read."""
    return render_template("rules/index.html", games=GAMES.values(), search=search())


@bp.get("/rules/<game>")
def show(game: str) -> ResponseReturnValue:
    """Show a game's rules, with every house rule's choices and where they come from."""
    if game not in GAMES:
        abort(404)
    known = GAMES[game]
    found = search(first=known)
    return render_template(rules_template(known), search=found, **rules_context(known))


@bp.get("/games/<game_id>/rules")
def of_game(game_id: str) -> ResponseReturnValue:
    """Show a game's rules as this table plays them."""
    loaded = loaded_game(game_id)
    game, found = loaded.sheet.game, search(loaded)
    context = rules_context(game, loaded.sheet.house, loaded)
    return game_page(rules_template(game), loaded, "Rules", search=found, **context)


# -- what a meld scores in its box: asked beside the game, and nothing is written down ------------

_SUITS: Final = {suit.text: suit for suit in SUITS}


class MeldForm(Form):
    """The cards of a meld, those that all the others show, and the suit that the player names."""

    cards = CardsField()
    others = CardsField()
    suit = WordField(_SUITS)

    def score(self, rules: IndianChiefJudge) -> Example:
        """Return what the meld scores, and why. Raises `Malformed` if the form lacks something."""
        if not self.cards.data:
            raise Malformed("Tap the cards of the meld.", "cards")
        cards, others = " ".join(self.cards.data), " ".join(self.others.data)
        box = box_for(parse_cards(cards))
        suit = _SUITS.get(self.suit.data)
        return scored(BoxDispute(box.title, box.rule, cards, others, suit), rules)


@bp.get("/games/<game_id>/box")
def box(game_id: str) -> ResponseReturnValue:
    """Show the cards of the game, and what the tapped ones score, by which rule."""
    loaded, form = loaded_game(game_id), MeldForm(request.args)
    rules = loaded.sheet.hand.rules
    if not isinstance(rules, IndianChiefJudge):
        abort(404)
    score, refused = None, None
    try:
        score = form.score(rules) if request.args else None
    except Malformed as problem:
        refused = Refused(422, [(field_id(problem), str(problem))], loaded)
    words = words_of_rules(loaded, score.rules) if score else []
    context: dict[str, Any] = {"form": form, "suits": SUITS, "score": score, "words": words}
    return form_page("rules/box.html", loaded, "Rules", refused, is_entry=True, **context)
