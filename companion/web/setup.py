"""The setup of a new game: names in their seats, who deals, the title and the house rules."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, zip_longest

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.events import GameStarted, NotPossible
from companion.notebook.names import check_name, check_title, drawn_name, same_name
from companion.rules.cards import RANKS, Rank
from companion.rules.game import Game
from companion.rules.games import GAMES
from companion.services import games
from companion.services.game_log import load_game
from companion.web.actions import Errors, key_sent, loaded_game
from companion.web.auth import database, marker, notebook_marker
from companion.web.fields import (
    Form,
    LineField,
    LinesField,
    SmallNumberField,
    one_line,
)
from companion.web.rules import changed_rules, house_rule_fields, house_rule_problems
from companion.web.seat_draw import article, draw_says, rank_of, seats_of

FEWEST_ROWS = 4

Changed = tuple["Setup", Errors]

bp = Blueprint("setup", __name__)


@dataclass(frozen=True, slots=True)
class Row:
    """A seat as entered: the name, and the ranks drawn for it, one a round, as text.

    ``earlier`` are those of the rounds that are over, with a space between; ``drew`` is this
    round's, empty while there is none.
    """

    name: str = ""
    drew: str = ""
    earlier: str = ""

    @property
    def ranks(self) -> list[Rank]:
        """The ranks drawn so far."""
        texts = [*self.earlier.split(), self.drew]
        return [rank for rank in map(rank_of, texts) if rank is not None]


@dataclass(frozen=True, slots=True)
class Setup:
    """What has been entered for a new game so far; any of it may still be missing or wrong.

    ``dealer`` is the row of the first dealer, from 0; ``drawing`` is true while cards are drawn
    for the seats; ``rules`` has the house rules by their ids, empty where the sheet decides;
    ``asked`` is what the marker was asked about: how names are drawn that look alike.
    """

    rows: tuple[Row, ...] = ()
    drawing: bool = False
    dealer: int = 0
    title: str = ""
    sheet: str = ""
    rules: dict[str, str] = field(default_factory=dict)
    asked: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names that were entered, in the order of play."""
        return [row.name for row in self.rows if row.name]

    def padded(self, most: int) -> Setup:
        """The setup with as many rows as the form shows at least."""
        missing = min(most, FEWEST_ROWS) - len(self.rows)
        return replace(self, rows=self.rows + (Row(),) * missing)

    def is_seated(self, name: str) -> bool:
        """Whether somebody of that name has a row."""
        return same_name(name) in {same_name(known) for known in self.names}

    def toggled(self, name: str, most: int) -> Setup:
        """The setup with this person in the first empty row, or without them if they had one.

        Raises `NotPossible` if there is no room.
        """
        if self.is_seated(name):
            at = next(
                n for n, row in enumerate(self.rows) if same_name(row.name) == same_name(name)
            )
            return self._without(at)
        at = next((n for n, row in enumerate(self.rows) if not row.name), len(self.rows))
        if at >= most:
            raise NotPossible(f"All {most} seats are taken. Take somebody out first.", "people")
        return replace(self, rows=(*self.rows[:at], Row(name), *self.rows[at + 1 :]))

    def _without(self, at: int) -> Setup:
        """The setup without a row; who deals goes with the name, or to the next one."""
        rows = self.rows[:at] + self.rows[at + 1 :]
        dealer = self.dealer - (self.dealer > at)
        return replace(self, rows=rows, dealer=dealer if dealer < len(rows) else 0)

    def with_row(self, most: int) -> Setup:
        """The setup with one more empty row."""
        rows = self.padded(most).rows
        return replace(self, rows=rows + (Row(),) * (len(rows) < most))

    def moved(self, where: str) -> Setup:
        """The setup with one row moved: ``up-2`` moves the second row up. Who deals moves along."""
        direction, _, row = where.partition("-")
        if row not in map(str, range(1, len(self.rows) + 1)):
            return self
        at = int(row) - 1
        to = at + {"up": -1, "down": 1}.get(direction, 0)
        if not 0 <= to < len(self.rows):
            return self
        order = list(range(len(self.rows)))
        order[at], order[to] = to, at
        dealer = order.index(self.dealer) if self.dealer in order else self.dealer
        return replace(self, rows=tuple(self.rows[n] for n in order), dealer=dealer)

    def without_draw(self, *, drawing: bool) -> Setup:
        """The setup with no cards drawn, about to draw or no more drawing."""
        rows = tuple(Row(row.name) for row in self.rows)
        return replace(self, rows=rows, drawing=drawing)

    def draws(self, row: Row) -> bool:
        """Whether a row is to draw: nothing was drawn yet, or others drew the same."""
        return self.drawing and (
            not row.earlier or [other.earlier for other in self.rows].count(row.earlier) > 1
        )

    def seated(self, game: Game) -> tuple[Setup, Errors]:
        """The setup with the seats from the draw, by the rule of the game's sheet.

        If cards are missing or players draw again, the setup for that and who they are.
        """
        errors = self._problems_of_names(game)
        if errors:
            return self, errors
        drawn = {n: row.ranks for n, row in enumerate(self.rows) if row.name}
        try:
            lowest_deals = game.seat_draw(self.sheet or game.sheets[0].id).lowest_deals
            seats = seats_of(drawn, lowest_deals=lowest_deals)
        except NotPossible as problem:
            return self, [(problem.field.replace(".", "-"), str(problem))]
        if seats.missing:
            asked = [
                (f"drew-{n}", f"Which card did {self.rows[n].name} draw?") for n in seats.missing
            ]
            return self, asked
        if seats.ties:
            return self._drawing_again(), [self._tie(tie, drawn) for tie in seats.ties]
        rows = tuple(Row(self.rows[n].name) for n in seats.order)
        return replace(self, rows=rows, drawing=False, dealer=0), []

    def _drawing_again(self) -> Setup:
        rows = (Row(row.name, "", " ".join(rank.text for rank in row.ranks)) for row in self.rows)
        return replace(self, rows=tuple(rows))

    def _tie(self, tie: Sequence[int], drawn: dict[int, list[Rank]]) -> tuple[str, str]:
        *others, last = [self.rows[n].name for n in tie]
        all_of_them = "both" if len(tie) == 2 else "all"
        rank = drawn[tie[0]][-1]
        return (
            f"drew-{tie[0]}",
            f"{', '.join(others)} and {last} {all_of_them} drew {article(rank)}: they draw again.",
        )

    def problems(self, game: Game) -> Errors:
        """All that keeps the game from beginning, each with the id of its field."""
        errors = self._problems_of_names(game)
        if not errors and not self._dealer_is_there:
            errors.append(("dealer", "Say who deals first: tap “deals” beside a name."))
        errors += _refusal("title", partial(check_title, self.title))
        if self.sheet and self.sheet not in {sheet.id for sheet in game.sheets}:
            errors.append(("sheet", "Choose one of the rule sheets."))
        return errors + house_rule_problems(self.rules, game)

    def asking(self) -> tuple[Setup, Errors]:
        """The setup with each two names noted that look alike, and a question about the new ones.

        For a setup without `problems`: no two of its names are the same.
        """
        errors, asked = look_alikes([row.name for row in self.rows], self.asked, "Start")
        return replace(self, asked=asked), errors

    def _problems_of_names(self, game: Game) -> Errors:
        fewest, most = game.players
        if not fewest <= len(self.names) <= most:
            count = f"{game.name} is played by {fewest} to {most} players, not {len(self.names)}."
            rows = self.padded(most).rows
            at = next((n for n, row in enumerate(rows) if not row.name), most)
            return [(f"name-{at}", count)]
        errors: Errors = []
        for n, row in enumerate(self.rows):
            if row.name:
                errors += _refusal(f"name-{n}", partial(check_name, row.name, self._above(n), ""))
        return errors

    def _above(self, at: int) -> list[str]:
        return [row.name for row in self.rows[:at] if row.name]

    @property
    def _dealer_is_there(self) -> bool:
        return 0 <= self.dealer < len(self.rows) and bool(self.rows[self.dealer].name)

    def event(self, game: Game) -> GameStarted:
        """The start of the game, if there are no `problems`."""
        house = game.house(self.sheet or None, {k: v for k, v in self.rules.items() if v})
        dealer = len(self._above(self.dealer))
        names = tuple(self.names)
        return GameStarted(game.id, house.sheet, dict(house.values), names, dealer, self.title)


_ALIKE = "“{}” and “{}” look alike. Change one of them, or press {} again if both play."


def look_alikes(
    names: Sequence[str], asked: Sequence[str], button: str
) -> tuple[Errors, tuple[str, ...]]:
    """Return a question about each two names that look alike, and how all those asked are drawn.

    The marker was ``asked`` about those before. The errors are by the names' places.
    """
    errors: Errors = []
    all_asked, known = [*asked], dict[str, str]()
    for n, name in enumerate(names):
        mark = drawn_name(name)
        other = known.setdefault(mark, name)
        if name and other != name and mark not in all_asked:
            all_asked.append(mark)
            errors.append((f"name-{n}", _ALIKE.format(other, name, button)))
    return errors, tuple(all_asked)


def _refusal(field_id: str, check: Callable[[], None]) -> Errors:
    try:
        check()
    except NotPossible as problem:
        return [(field_id, str(problem))]
    return []


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
        return _page(Setup(), _game(), fresh=True)
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
        return _page(setup, game, [("", _BEGUN)], begun=begun.game_id), 409
    return redirect(url_for("hand.show", game_id=game_id), 303)


_BEGUN = (
    "A game was begun from this page before, with other entries. Open that one, or press Start "
    "again to begin this one too."
)


def _same_people(setup: Setup, game: Game, _: str) -> Changed:
    recent = _recent()
    if not recent:
        return setup, []
    sheet = load_game(database(), recent[0].id, marker().id).sheet
    return replace(setup_like(games.rematch(sheet), sheet.game), title=setup.title), []


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


def _page(
    setup: Setup,
    game: Game,
    errors: Errors | None = None,
    *,
    fresh: bool = False,
    begun: str | None = None,
) -> str:
    """The form; ``fresh`` if nothing was entered, so that what the phone kept may come back."""
    recent = _recent()
    setup = setup.padded(game.players[1])
    return render_template(
        "setup/new.html",
        setup=setup,
        rules_game=game,
        games=list(GAMES.values()),
        draw_says=draw_says(game, setup.sheet or game.sheets[0].id),
        ranks=[(rank.text, rank.shown) for rank in reversed(RANKS)],
        shown={rank.text: rank.shown for rank in RANKS},
        sheets=[(one.id, one.title, one.says) for one in game.sheets],
        house_rules=house_rule_fields(game),
        errors=errors or [],
        people=games.people(recent),
        last=recent[0] if recent and not setup.names else None,
        key=secrets.token_urlsafe(12),
        fresh=fresh,
        begun=begun,
    )


def _recent() -> list[games.GameLine]:
    lines = games.lines(database(), notebook_marker()).lines
    return [line for line in lines if not line.damaged]
