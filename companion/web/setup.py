"""The setup of a new game: names in their seats, who deals, the title and the house rules."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.describe import hands_of
from companion.notebook.events import GameStarted, NotPossible
from companion.rules.cards import RANKS
from companion.rules.game import Game
from companion.rules.games import GAMES
from companion.rules.language import gettext as _
from companion.rules.language import listed, noted
from companion.services import games, people
from companion.services.game_log import load_game
from companion.web.actions import Errors, key_sent, loaded_game
from companion.web.auth import database, marker, notebook_marker
from companion.web.fields import Form, LineField, LinesField, SmallNumberField, one_line
from companion.web.rules import HouseRuleField, changed_rules, house_rule_fields
from companion.web.seats import Row, Setup, draw_says, rank_of
from companion.web.templating import decks_said, packs_of

Changed = tuple["Setup", Errors]

bp = Blueprint("setup", __name__)

_MOST_KNOWN: Final = 14


class SetupForm(Form):
    """What the page sends, and ``rule-…`` for each house rule of the game; no row is checked."""

    name = LinesField()
    drew = LinesField()
    earlier = LinesField()
    drawing = LineField()
    dealer = SmallNumberField(default=1)
    title = LineField()
    sheet = LineField()
    asked = LinesField()

    def setup(self, game: Game) -> Setup:
        """The setup as it was entered."""
        rows = zip_longest(self.name.data, self.drew.data, self.earlier.data, fillvalue="")
        return Setup(
            rows=tuple(Row(*row) for row in islice(rows, len(self.name.data))),
            drawing=self.drawing.data == "1",
            dealer=(self.dealer.data or 0) - 1,
            title=self.title.data,
            sheet=self.sheet.data,
            rules={
                rule.id: request.form.get(f"rule-{rule.id}", "", type=one_line)
                for rule in game.house_rules
            },
            asked=tuple(self.asked.data),
        )


def setup_like(started: GameStarted, game: Game) -> Setup:
    """The setup of a game that begins as another one did."""
    return Setup(
        rows=tuple(Row(name) for name in started.names),
        dealer=started.first_dealer,
        sheet=started.sheet,
        rules=changed_rules(started, game),
    )


# -- the pages ------------------------------------------------------------------------------------


@bp.get("/games/new")
def new() -> ResponseReturnValue:
    """The setup of a new game; ``like`` another one with its people and rules, the next to deal."""
    like = request.args.get("like")
    if like is None:
        return _page(Setup(), fresh=True)
    sheet = loaded_game(like).sheet
    return _page(setup_like(games.rematch(sheet), sheet.game), sheet.game)


@bp.post("/games/new")
def start() -> ResponseReturnValue:
    """Begin the game, or do to the form what the pressed button says."""
    game = _game()
    setup = SetupForm(request.form).setup(game)
    if "play" in request.form:  # another game: the people stay, and its rules are as written
        return _page(replace(setup, sheet="", rules={}), _chosen(request.form["play"]))
    for button, press in _PRESSED.items():
        if button in request.form:
            setup, errors = press(setup, game, request.form[button])
            return _page(setup, game, errors), 422 if errors else 200
    if setup.drawing:  # nobody begins without having seen where the cards put them
        setup, errors = setup.seated(game)
        return _page(setup, game, errors), 422 if errors else 200
    errors = setup.problems(game)
    if not errors:
        setup, errors = setup.asking()
    if errors:
        return _page(setup, game, errors), 422
    try:
        game_id = games.start(database(), notebook_marker(), setup.event(game), key_sent())
    except NotPossible as problem:
        return _page(setup, game, [("", str(problem))]), 422
    except games.BegunAlready as begun:
        return _page(setup, game, [("", _(_BEGUN))], begun=begun.game_id), 409
    return redirect(url_for("hand.show", game_id=game_id), 303)


_BEGUN = noted(
    "A game was begun from this page before, with other entries. Open that one, or press Start "
    "again to begin this one too."
)


def _same_people(setup: Setup, game: Game, _: str) -> Changed:
    recent = _recent()
    if not recent:
        return setup, []
    last = load_game(database(), recent[0].id, marker().id).sheet
    like = setup_like(games.rematch(last), last.game)
    if last.game is not game:  # its sheet and house rules are those of another game
        like = replace(like, sheet=setup.sheet, rules=setup.rules)
    return replace(like, title=setup.title), []


def _person(setup: Setup, game: Game, name: str) -> Changed:
    try:
        return setup.toggled(one_line(name), game.players[1]), []
    except NotPossible as problem:
        return setup, [(problem.field, str(problem))]


def _draw(setup: Setup, game: Game, _: str) -> Changed:
    if setup.drawing:
        return setup.seated(game)
    return setup.without_draw(drawing=True), []


def _stay(setup: Setup, game: Game, _: str) -> Changed:
    """Return the setup as it is, with room for another name."""
    return setup if any(not row.name for row in setup.rows) else setup.with_row(game.players[1]), []


_PRESSED: dict[str, Callable[[Setup, Game, str], Changed]] = {
    "last": _same_people,
    "person": _person,
    "stay": _stay,
    "more": lambda setup, game, _: (setup.with_row(game.players[1]), []),
    "move": lambda setup, _, where: (setup.moved(where), []),
    "draw": _draw,
    "again": lambda setup, *_: (setup.without_draw(drawing=True), []),
    "undraw": lambda setup, *_: (setup.without_draw(drawing=False), []),
}


def _game() -> Game:
    """The game that the form is for; the first one if it does not say."""
    return _chosen(request.values.get("game", ""))


def _chosen(game: str) -> Game:
    return GAMES.get(game) or next(iter(GAMES.values()))


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat on the page: its row, the cards drawn in earlier rounds, and whether it draws now."""

    row: Row
    drawn: str
    draws: bool
    deals: bool


@dataclass(frozen=True, slots=True)
class SetupPage:
    """The setup as the page shows it.

    ``others`` are the other games with what is said of them, ``people`` those who are known, each
    with whether they have a seat, ``last`` those who played last. ``decks`` say why so many packs
    are needed, ``rules`` the house rules with what was entered, and whether that is shown.
    """

    setup: Setup
    game: Game
    wrong: Mapping[str, str]
    others: Sequence[tuple[str, str, str]]
    last: Sequence[str]
    people: Sequence[tuple[str, bool]]
    draw_says: str
    draw_rule: str
    ranks: Sequence[tuple[str, str]]
    seats: Sequence[Seat]
    has_room: bool
    is_title_open: bool
    is_rules_open: bool
    sheet: str
    sheets: Sequence[tuple[str, str, str]]
    decks: Sequence[str]
    rules: Sequence[tuple[HouseRuleField, str, bool]]


def _setup_page(setup: Setup, game: Game | None, errors: Errors) -> SetupPage:
    recent, wrong = _recent(), dict(errors)
    if game is None:  # most families play again what they played last
        game = _chosen(request.args.get("game", recent[0].game if recent else ""))
    most = game.players[1]
    setup = setup.padded(most)
    says, rule = draw_says(game, setup.sheet or game.sheets[0].id)
    fields = house_rule_fields(game)
    return SetupPage(
        setup,
        game,
        wrong,
        others=[(one.id, one.name, _said_of(one)) for one in GAMES.values() if one is not game],
        last=recent[0].names if recent and not setup.names else (),
        people=[] if setup.drawing else [(name, setup.is_seated(name)) for name in _known(recent)],
        draw_says=says,
        draw_rule=rule,
        ranks=[(rank.text, rank.shown) for rank in reversed(RANKS)],
        seats=[_seat(setup, row, at) for at, row in enumerate(setup.rows)],
        has_room=len(setup.rows) < most,
        is_title_open="title" in wrong or bool(setup.title),
        is_rules_open="sheet" in wrong or any(at.startswith("rule-") for at in wrong),
        sheet=setup.sheet or game.sheets[0].id,
        sheets=[(one.id, one.title, _(one.says)) for one in game.sheets],
        decks=[f"{title}: {why}" if title else why for title, why in decks_said(game)],
        rules=[(one, setup.rules.get(one.id, ""), f"rule-{one.id}" in wrong) for one in fields],
    )


def _seat(setup: Setup, row: Row, at: int) -> Seat:
    drawn = [rank.shown if (rank := rank_of(text)) else "?" for text in row.earlier.split()]
    return Seat(row, listed(drawn, "unit-short"), setup.draws(row), setup.dealer == at)


def _said_of(game: Game) -> str:
    """Say how long a game is, for how many, and what it is played with."""
    fewest, most = game.players
    hands = hands_of(game, game.hands)
    if not game.won_by.totals:
        hands = _("up to %(hands)s", hands=hands)
    players = _("%(fewest)s to %(most)s players", fewest=fewest, most=most)
    return f"{hands} · {players} · {packs_of(game)}"


def _page(
    setup: Setup,
    game: Game | None = None,
    errors: Errors | None = None,
    *,
    fresh: bool = False,
    begun: str | None = None,
) -> str:
    """The form; ``fresh`` if nothing was entered, so that what the phone kept may come back."""
    return render_template(
        "setup/new.html",
        page=_setup_page(setup, game, errors or []),
        errors=errors or [],
        key=secrets.token_urlsafe(12),
        fresh=fresh,
        begun=begun,
    )


def _known(recent: Sequence[games.GameLine]) -> list[str]:
    """The people of the last games, the latest game's first; no guests and nobody hidden."""
    return people.people_at(database(), [line.id for line in recent])[:_MOST_KNOWN]


def _recent() -> list[games.GameLine]:
    lines = games.lines(database(), notebook_marker()).lines
    return [line for line in lines if not line.damaged]
