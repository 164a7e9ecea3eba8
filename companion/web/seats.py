"""What is entered for a new game: names in their seats, the cards drawn for them, who deals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from companion.notebook.checks import check_players
from companion.notebook.describe import turned_word
from companion.notebook.events import GameStarted, NotPossible
from companion.notebook.names import check_name, check_title, drawn_name, same_name
from companion.rules.cards import Rank
from companion.rules.game import Game
from companion.rules.language import gettext as _
from companion.rules.language import listed, noted
from companion.rules.seating import seats_from_draw
from companion.web.actions import Errors
from companion.web.rules import house_rule_problems

FEWEST_ROWS = 4
_OF_A_RANK = 4


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

    def again(self) -> Row:
        """The row in the next round, for who drew the same as others."""
        return Row(self.name, "", " ".join(rank.text for rank in self.ranks))


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
            raise NotPossible(
                "All %(most)s seats are taken. Take somebody out first.", "people", most=most
            )
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
        lowest_deals = game.seat_draw(self.sheet or game.sheets[0].id).lowest_deals
        seats = seats_from_draw(drawn, lowest_deals=lowest_deals)
        if seats.missing:
            asked = [
                (f"drew-{n}", _("Which card did %(name)s draw?", name=self.rows[n].name))
                for n in seats.missing
            ]
            return self, asked
        first = Counter(ranks[0] for ranks in drawn.values())
        rank, players = first.most_common(1)[0]
        if players > _OF_A_RANK:
            says = noted(
                "A pack has only %(most)s cards of one rank: "
                "%(players)s players cannot all have drawn %(card)s."
            )
            last = [n for n, ranks in drawn.items() if ranks[0] is rank][_OF_A_RANK]
            card = turned_word(rank)
            return self, [(f"drew-{last}", _(says, most=_OF_A_RANK, players=players, card=card))]
        if seats.ties:
            again = replace(self, rows=tuple(row.again() for row in self.rows))
            return again, [self._tie(tie, drawn) for tie in seats.ties]
        rows = tuple(Row(self.rows[n].name) for n in seats.order)
        return replace(self, rows=rows, drawing=False, dealer=0), []

    def _tie(self, tie: Sequence[int], drawn: dict[int, list[Rank]]) -> tuple[str, str]:
        names = [self.rows[n].name for n in tie]
        rank = drawn[tie[0]][-1]
        return (
            f"drew-{tie[0]}",
            _(
                noted("%(names)s both drew %(card)s: they draw again.")
                if len(tie) == 2
                else noted("%(names)s all drew %(card)s: they draw again."),
                names=listed(names),
                card=turned_word(rank),
            ),
        )

    def problems(self, game: Game) -> Errors:
        """All that keeps the game from beginning, each with the id of its field."""
        errors = self._problems_of_names(game)
        seated = [n for n, row in enumerate(self.rows) if row.name]
        if not errors and self.dealer not in seated:
            errors.append(("dealer", _("Say who deals first: tap “deals” beside a name.")))
        errors += refusal("title", partial(check_title, self.title))
        if self.sheet and self.sheet not in {sheet.id for sheet in game.sheets}:
            errors.append(("sheet", _("Choose one of the rule sheets.")))
        return errors + house_rule_problems(self.rules, game)

    def asking(self) -> tuple[Setup, Errors]:
        """The setup with each two names noted that look alike, and a question about the new ones.

        For a setup without `problems`: no two of its names are the same.
        """
        errors, asked = look_alikes([row.name for row in self.rows], self.asked, _("Start"))
        return replace(self, asked=asked), errors

    def _problems_of_names(self, game: Game) -> Errors:
        most = game.players[1]
        at = next((n for n, row in enumerate(self.padded(most).rows) if not row.name), most)
        errors = refusal(f"name-{at}", partial(check_players, game, len(self.names)))
        if errors:
            return errors
        for n, row in enumerate(self.rows):
            if row.name:
                errors += refusal(f"name-{n}", partial(check_name, row.name, self._above(n), ""))
        return errors

    def _above(self, at: int) -> list[str]:
        return [row.name for row in self.rows[:at] if row.name]

    def event(self, game: Game) -> GameStarted:
        """The start of the game, if there are no `problems`."""
        house = game.house(self.sheet or None, {k: v for k, v in self.rules.items() if v})
        dealer = len(self._above(self.dealer))
        names = tuple(self.names)
        return GameStarted(game.id, house.sheet, dict(house.values), names, dealer, self.title)


_ALIKE = noted(
    "“%(one)s” and “%(other)s” look alike. "
    "Change one of them, or press %(button)s again if both play."
)


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
            errors.append((f"name-{n}", _(_ALIKE, one=other, other=name, button=button)))
    return errors, tuple(all_asked)


def refusal(field_id: str, check: Callable[[], None]) -> Errors:
    """Return what a check of a field refuses, if it does."""
    try:
        check()
    except NotPossible as problem:
        return [(field_id, str(problem))]
    return []


# -- the draw for seats ---------------------------------------------------------------------------


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


def rank_of(text: str) -> Rank | None:
    """The rank that a form's choice means; None for none and for anything else."""
    return next((rank for rank in Rank if rank.text == text and rank is not Rank.JOKER), None)
