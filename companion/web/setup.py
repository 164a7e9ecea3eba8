"""The setup of a new game: names in their seats, who deals, the title and the house rules."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, zip_longest
from typing import Any, Final

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.checks import check_players
from companion.notebook.describe import hands_of
from companion.notebook.events import GameStarted, NotPossible
from companion.notebook.names import check_title, name_key
from companion.rules.cards import RANKS, Rank
from companion.rules.game import Game
from companion.rules.games import GAMES
from companion.rules.language import gettext as _, listed, ngettext, noted
from companion.rules.seating import seats_from_draw
from companion.services import games, people
from companion.services.game_log import load_game
from companion.web.actions import Errors, key_sent, loaded_game, refusals
from companion.web.auth import database, marker, notebook_marker
from companion.web.fields import FactField, Form, LineField, LinesField, SmallNumberField, one_line
from companion.web.games import look_alikes, wrong_names
from companion.web.pages import with_errors
from companion.web.rules import HouseRuleField, by_sheet, draw_says

bp = Blueprint("setup", __name__)

FEWEST_ROWS: Final = 4
_MOST_KNOWN: Final = 14
_CARDS_OF_A_RANK: Final = 4
_RANKS: Final = {rank.text: rank for rank in RANKS}


@dataclass(slots=True)
class Row:
    """A seat as entered: the name, the cards drawn for it, and whether its player deals first.

    ``drew`` is the rank drawn in this round, as text, empty while there is none; ``earlier`` are
    those of the rounds that are over, separated by spaces.
    """

    name: str = ""
    drew: str = ""
    earlier: str = ""
    deals: bool = False

    @property
    def ranks(self) -> list[Rank]:
        """The ranks drawn so far."""
        return [_RANKS[rank] for rank in (*self.earlier.split(), self.drew) if rank in _RANKS]

    @property
    def drawn(self) -> str:
        """The cards drawn in the rounds that are over, as people write them."""
        ranks = Row(earlier=self.earlier).ranks
        return listed([rank.shown for rank in ranks], "standard-narrow")


class SetupForm(Form):
    """What is entered for a new game; any of it may be missing or wrong. `form_of` makes the class.

    ``drawing`` is true while cards are drawn for the seats. ``dealer`` is the row of the first
    dealer as it was sent, from 1. ``asked`` has the looks of names that the marker was asked about,
    as `look_alikes` keeps them.
    """

    game: Game
    rows: list[Row]

    name = LinesField()
    drew = LinesField()
    earlier = LinesField()
    drawing = FactField()
    dealer = SmallNumberField(default=1)
    title = LineField()
    sheet = LineField()
    asked = LinesField()

    def __init__(self, formdata: Any = None) -> None:
        super().__init__(formdata)
        entered = zip_longest(self.name.data, self.drew.data, self.earlier.data, fillvalue="")
        self.rows = [Row(*texts) for texts in islice(entered, len(self.name.data))]
        self.pad()
        for number, row in enumerate(self.rows, start=1):
            row.deals = number == self.dealer.data

    @property
    def house_rules(self) -> list[HouseRuleField]:
        """The fields of the house rules."""
        return [field for field in self if isinstance(field, HouseRuleField)]

    @property
    def named(self) -> list[Row]:
        """The rows that have a name, in the order of play."""
        return [row for row in self.rows if row.name]

    @property
    def sheet_id(self) -> str:
        """The rule sheet that was chosen, or the game's first."""
        return self.sheet.data or self.game.sheets[0].id

    @property
    def has_room(self) -> bool:
        """True if there can be one more row."""
        return len(self.rows) < self.game.players[1]

    def pad(self) -> None:
        """Add empty rows until there are as many as the page shows at least."""
        missing = min(self.game.players[1], FEWEST_ROWS) - len(self.rows)
        self.rows += [Row() for _row in range(missing)]

    # -- what its buttons do ----------------------------------------------------------------------

    def begin_like(self, started: GameStarted) -> None:
        """Fill in the people of a start; its sheet and house rules too, if the game is the same."""
        self.drawing.data = False
        self.rows = [
            Row(name, deals=seat == started.first_dealer) for seat, name in enumerate(started.names)
        ]
        if started.game == self.game.id:
            self.sheet.data = started.sheet
            for field in self.house_rules:
                value = started.rules.get(field.rule.id)
                is_default = value in {None, field.rule.default_on(started.sheet)}
                field.data = "" if is_default else str(value)

    def is_seated(self, name: str) -> bool:
        """True if a row has that name."""
        return name_key(name) in {name_key(row.name) for row in self.named}

    def toggle(self, name: str) -> Errors:
        """Put this person into the first empty row, or take them out if they have a row.

        If the dealer is taken out, the next row deals. Returns an error if there is no room.
        """
        if self.is_seated(name):
            at = [name_key(row.name) for row in self.rows].index(name_key(name))
            if self.rows.pop(at).deals:
                self.rows[at % len(self.rows)].deals = True
        elif empty := next((row for row in self.rows if not row.name), None):
            empty.name = name
        elif self.has_room:
            self.rows.append(Row(name))
        else:
            says = noted("All %(most)s seats are taken. Take somebody out first.")
            return [("people", _(says, most=self.game.players[1]))]
        return []

    def add_row(self, *, if_full: bool = False) -> None:
        """Add an empty row, if there is room; ``if_full`` only if every row has a name."""
        if self.has_room and (not if_full or len(self.named) == len(self.rows)):
            self.rows.append(Row())

    def move(self, where: str) -> None:
        """Move a row by one: ``up-2`` moves the second row up."""
        for at in range(1, len(self.rows)):
            if where in {f"up-{at + 1}", f"down-{at}"}:
                self.rows[at - 1 : at + 1] = self.rows[at], self.rows[at - 1]

    def set_drawing(self, *, on: bool) -> None:
        """Begin the draw for seats, or end it; either way forget the cards drawn."""
        self.drawing.data = on
        for row in self.rows:
            row.drew = row.earlier = ""

    def draws(self, row: Row) -> bool:
        """True if a row has to draw: it has no card of an earlier round, or the same as another."""
        return bool(self.drawing.data) and (
            not row.earlier or [other.earlier for other in self.rows].count(row.earlier) > 1
        )

    def seat(self) -> Errors:
        """Begin the draw, or seat the players by it; return what is missing, or who draws again."""
        if not self.drawing.data:
            self.set_drawing(on=True)
            return []
        errors = self._problems_of_names()
        if errors:
            return errors
        drawn = {n: row.ranks for n, row in enumerate(self.rows) if row.name}
        lowest_deals = self.game.seat_draw(self.sheet_id).lowest_deals
        seats = seats_from_draw(drawn, lowest_deals=lowest_deals)
        if seats.missing:
            says = noted("Which card did %(name)s draw?")
            return [(f"drew-{n}", _(says, name=self.rows[n].name)) for n in seats.missing]
        rank, players = Counter(ranks[0] for ranks in drawn.values()).most_common(1)[0]
        if players > _CARDS_OF_A_RANK:
            says = noted(
                "A pack has only %(most)s cards of one rank (%(rank)s): "
                "%(players)s players cannot all have drawn one."
            )
            last = [n for n, ranks in drawn.items() if ranks[0] is rank][_CARDS_OF_A_RANK]
            values = {"most": _CARDS_OF_A_RANK, "players": players, "rank": rank.word}
            return [(f"drew-{last}", _(says, **values))]
        if seats.ties:
            for row in self.rows:
                row.drew, row.earlier = "", " ".join(rank.text for rank in row.ranks)
            return [self._tie(tie, drawn[tie[0]][-1]) for tie in seats.ties]
        self.rows = [Row(self.rows[n].name, deals=n == seats.order[0]) for n in seats.order]
        self.drawing.data = False
        return []

    def _tie(self, tie: Sequence[int], rank: Rank) -> tuple[str, str]:
        says = noted("%(names)s drew the same rank (%(rank)s): they draw again.")
        names = listed([self.rows[n].name for n in tie])
        return f"drew-{tie[0]}", _(says, names=names, rank=rank.word)

    # -- beginning --------------------------------------------------------------------------------

    def problems(self) -> Errors:
        """Return everything that keeps the game from beginning, each with the id of its field."""
        errors = self._problems_of_names()
        if not errors and not any(row.deals for row in self.named):
            errors.append(("dealer", _("Say who deals first: tap “deals” beside a name.")))
        errors += refusals(lambda: check_title(self.title.data))
        if self.sheet_id not in {sheet.id for sheet in self.game.sheets}:
            errors.append(("sheet", _("Choose one of the rule sheets.")))
        wrong = [field for field in self.house_rules if not field.validate(self)]
        return errors + [(field.name, field.errors[0]) for field in wrong]

    def _problems_of_names(self) -> Errors:
        empty = next((n for n, row in enumerate(self.rows) if not row.name), len(self.rows))
        wrong_number = refusals(lambda: check_players(self.game, len(self.named)))
        errors = [(f"name-{empty}", says) for _field, says in wrong_number]
        return errors or wrong_names({n: row.name for n, row in enumerate(self.rows) if row.name})

    def event(self) -> GameStarted:
        """Return the start of the game, if there are no `problems`."""
        rules = {field.rule.id: field.data for field in self.house_rules if field.data}
        house = self.game.house(self.sheet_id, rules)
        names = tuple(row.name for row in self.named)
        dealer = [row.deals for row in self.named].index(True)
        values = dict(house.values)
        return GameStarted(self.game.id, house.sheet, values, names, dealer, self.title.data)


def form_of(game: Game) -> type[SetupForm]:
    """Return the form of a game, which has a field for each house rule that leaves a choice."""
    fields = {
        f"rule-{rule.id}": HouseRuleField(game, rule)
        for rule in game.house_rules
        if len(rule.choices) > 1 or rule.numbers
    }
    return type("SetupFormOfGame", (SetupForm,), {"game": game, **fields})


# -- the pages ------------------------------------------------------------------------------------


@bp.get("/games/new")
def new() -> ResponseReturnValue:
    """Show the setup of a new game; with ``like``, that of a rematch of this other game."""
    like = request.args.get("like")
    if like is None:  # most families play the same game again
        recent = _recent()
        game = _chosen(request.args.get("game", recent[0].game if recent else ""))
        return _page(form_of(game)(), fresh=True)
    sheet = loaded_game(like).sheet
    form = form_of(sheet.game)()
    form.begin_like(games.rematch(sheet))
    return _page(form)


@bp.post("/games/new")
def start() -> ResponseReturnValue:
    """Begin the game, or do to the form what the pressed button says."""
    if "play" in request.form:  # another game: the people stay, and its rules are as written
        form = form_of(_chosen(request.form["play"]))(request.form)
        form.sheet.data = ""
        for field in form.house_rules:
            field.data = ""
        return _page(form)
    form = form_of(_chosen(request.values.get("game", "")))(request.form)
    # During the draw, Enter seats the players: they see their seats before the game begins.
    without_button = "draw" if form.drawing.data else ""
    pressed = next((name for name in _BUTTONS if name in request.form), without_button)
    if pressed:
        return _page(form, _BUTTONS[pressed](form, request.form.get(pressed, "")))
    errors = form.problems()
    if not errors:
        names = [row.name for row in form.rows]
        errors = look_alikes(names, form.asked, _("Start"))
    if errors:
        return _page(form, errors)
    try:
        game_id = games.start(database(), notebook_marker(), form.event(), key_sent())
    except NotPossible as problem:
        return _page(form, [("", str(problem))])
    except games.BegunAlready as begun:
        return _page(form, [("", _(_BEGUN))], begun=begun.game_id)[0], 409
    return redirect(url_for("hand.show", game_id=game_id), 303)


_BEGUN: Final = noted(
    "You have already started a game from this page, with other entries. Open that one, or tap "
    "“Start” again to start this one too."
)


def _same_people(form: SetupForm) -> None:
    recent = _recent()
    if recent:
        form.begin_like(games.rematch(load_game(database(), recent[0].id, marker().id).sheet))


_BUTTONS: Final[dict[str, Callable[[SetupForm, str], Errors | None]]] = {
    "last": lambda form, _: _same_people(form),
    "person": lambda form, name: form.toggle(one_line(name)),
    "stay": lambda form, _: form.add_row(if_full=True),
    "more": lambda form, _: form.add_row(),
    "move": lambda form, where: form.move(where),
    "draw": lambda form, _: form.seat(),
    "again": lambda form, _: form.set_drawing(on=True),
    "undraw": lambda form, _: form.set_drawing(on=False),
}


def _chosen(game: str) -> Game:
    """Return the game of this id, or the first one if there is none."""
    return GAMES.get(game) or next(iter(GAMES.values()))


def _page(form: SetupForm, errors: Errors | None = None, **context: Any) -> tuple[str, int]:
    """Return the setup page and its status; if ``fresh``, the phone may fill in a kept draft.

    ``begun`` is the id of a game that the page has begun already, with other entries.
    """
    game, recent, wrong = form.game, _recent(), dict(errors or [])
    form.pad()
    # Without guests and hidden people; those of the latest game come first.
    known = people.people_at(database(), [line.id for line in recent])[:_MOST_KNOWN]
    return with_errors(
        "setup/new.html",
        errors or [],
        form=form,
        others=[(one.id, one.name, _summary(one)) for one in GAMES.values() if one is not game],
        last=recent[0].names if recent and not form.named else (),
        people=[] if form.drawing.data else [(name, form.is_seated(name)) for name in known],
        draws=by_sheet(game, partial(draw_says, game)),
        ranks=[(rank.text, rank.shown) for rank in reversed(RANKS)],
        dealer=next((n for n, row in enumerate(form.rows, start=1) if row.deals), 0),
        is_title_open="title" in wrong or bool(form.title.data),
        is_rules_open="sheet" in wrong or any(at.startswith("rule-") for at in wrong),
        sheets=[(sheet.id, sheet.title, _(sheet.says)) for sheet in game.sheets],
        decks=_deck_notes(game),
        key=secrets.token_urlsafe(12),
        **context,
    )


def _summary(game: Game) -> str:
    """Return how long a game is, for how many players, and its packs: a line under its name."""
    fewest, most = game.players
    hands = hands_of(game, game.hands)
    if not game.won_by.totals:
        hands = _("up to %(hands)s", hands=hands)
    players = _("%(fewest)s to %(most)s players", fewest=fewest, most=most)
    return f"{hands} · {players} · {_packs(game)}"


def _packs(game: Game) -> str:
    """Return what a game is played with: ``1 pack``, ``1 to 3 packs with jokers``."""
    decks = [choice.deck for sheet in game.sheets for choice in game.decks_of(game.house(sheet.id))]
    packs = sorted({deck.packs for deck in decks})
    counts = ngettext("%(number)s pack", "%(number)s packs", packs[0])
    if len(packs) > 1:
        counts = _("%(fewest)s to %(most)s packs", fewest=packs[0], most=packs[-1])
    if any(deck.jokers for deck in decks):
        return _("%(packs)s with jokers", packs=counts)
    return counts


def _deck_notes(game: Game) -> list[str]:
    """Return why there are so many packs, where that is said; by sheet, if there are several."""
    return [
        f"{sheet.title}: {_(deck.says)}" if len(game.sheets) > 1 else _(deck.says)
        for sheet in game.sheets
        for deck in game.decks_of(game.house(sheet.id))
        if deck.says
    ]


def _recent() -> list[games.GameLine]:
    lines = games.lines(database(), notebook_marker()).lines
    return [line for line in lines if not line.damaged]
