"""The setup form: names in their seats, cards drawn for them, and the house rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from werkzeug.datastructures import MultiDict

from companion.notebook.events import GameStarted
from companion.notebook.names import same_name
from companion.notebook.refusal import NotPossible
from companion.rules.cards import Card, Rank, Suit
from companion.rules.game import Game
from companion.rules.house import HouseRule
from companion.rules.seating import seats_from_draw

FEWEST_ROWS = 4


@dataclass(frozen=True, slots=True)
class Setup:
    """What has been entered for a new game so far; names may still be empty or wrong.

    ``drew`` is the rank drawn by the player of each row, as text, empty for none; it is asked for
    only while ``drawing``. ``rules`` has the house rules that differ from the sheet's.
    """

    names: tuple[str, ...] = ()
    drew: tuple[str, ...] = ()
    drawing: bool = False
    dealer: int = 0
    title: str = ""
    sheet: str = ""
    rules: dict[str, str] = field(default_factory=dict)

    def rows(self, most: int) -> list[tuple[str, str]]:
        """The rows of the form, a name and a rank drawn each, with room for more players."""
        count = min(most, max(FEWEST_ROWS, len(self.names)))
        padded = [*self.names, *[""] * (count - len(self.names))]
        drawn = [*self.drew, *[""] * (count - len(self.drew))]
        return list(zip(padded, drawn, strict=False))

    def with_people(self, people: Sequence[str], most: int) -> Setup:
        """The setup with these people in the first empty rows; those who are there stay once."""
        named = [name for name in self.names if name]
        known = {same_name(name) for name in named}
        new = [name for name in people if same_name(name) not in known]
        return replace(self, names=tuple([*named, *new][:most]), drew=())

    def with_row(self, most: int) -> Setup:
        """The setup with one more empty row."""
        rows = len(self.rows(most))
        names = [*self.names, *[""] * (rows + 1 - len(self.names))]
        return replace(self, names=tuple(names[:most]))

    def moved(self, where: str) -> Setup:
        """The setup with one row moved: ``up-2`` moves the second row up."""
        direction, _, row = where.partition("-")
        names = list(self.names)
        if not (row.isascii() and row.isdigit()):
            return self
        at = int(row[:3]) - 1
        to = at - 1 if direction == "up" else at + 1
        if 0 <= at < len(names) and 0 <= to < len(names):
            names[at], names[to] = names[to], names[at]
        return replace(self, names=tuple(names))

    def seated(self) -> Setup:
        """The setup with the seats from the draw, the highest card dealing first (PRO-2).

        Raises `NotPossible` if a card is missing or players must draw again.
        """
        drawn: dict[str, Card] = {}
        for row, name in enumerate(self.names):
            if not name:
                continue
            rank = _rank(self.drew[row] if row < len(self.drew) else "")
            if rank is None:
                raise NotPossible(f"Which card did {name} draw?", f"drew.{row}")
            drawn[name] = Card(rank, Suit.CLUBS)  # only the rank decides
        seats = seats_from_draw(drawn)
        if seats.ties:
            groups = "; ".join(
                f"{' and '.join(tie)} drew a {drawn[tie[0]].rank.word}" for tie in seats.ties
            )
            raise NotPossible(f"{groups}: equal cards draw again.", "names")
        return replace(self, names=seats.order, drew=(), drawing=False, dealer=0)

    def event(self, game: Game) -> GameStarted:
        """The start of the game. Raises `NotPossible` or `Malformed` for an unknown house rule."""
        house = game.house(self.sheet or None, {k: v for k, v in self.rules.items() if v})
        names = tuple(name for name in self.names if name)
        if not 0 <= self.dealer < len(self.names) or not self.names[self.dealer]:
            raise NotPossible("Say who deals first: there is no name in that seat.", "dealer")
        dealer = sum(bool(name) for name in self.names[: self.dealer])
        return GameStarted(game.id, house.sheet, dict(house.values), names, dealer, self.title)


def _rank(text: str) -> Rank | None:
    return next((rank for rank in Rank if rank.text == text and rank is not Rank.JOKER), None)


def read_setup(form: MultiDict[str, str], game: Game) -> Setup:
    """The setup as it was entered; nothing is checked yet, and surplus rows are cut off."""
    most = game.players[1]
    dealer = form.get("dealer", "0")
    return Setup(
        names=tuple(" ".join(name.split()) for name in form.getlist("name")[:most]),
        drew=tuple(form.getlist("drew")[:most]),
        drawing=form.get("drawing") == "1",
        dealer=int(dealer) if dealer.isascii() and dealer.isdigit() and len(dealer) < 3 else -1,
        title=" ".join(form.get("title", "").split()),
        sheet=form.get("sheet", ""),
        rules={rule.id: form.get(f"rule-{rule.id}", "").strip() for rule in game.house_rules},
    )


@dataclass(frozen=True, slots=True)
class RuleTiles:
    """A house rule as the form offers it: the sheet's own choice first, each with its sentence."""

    id: str
    rule: str
    title: str
    options: tuple[tuple[str, str, str], ...]
    numbers: bool
    hint: str


def rule_tiles(game: Game) -> list[RuleTiles]:
    """The house rules that leave a choice, for the form."""
    return [
        _tiles(game, rule) for rule in game.house_rules if len(rule.choices) > 1 or rule.numbers
    ]


def _tiles(game: Game, rule: HouseRule) -> RuleTiles:
    """A house rule for the form. The empty choice leaves it as the sheet has it."""
    defaults = {sheet.title: rule.says(rule.defaults[sheet.id]) for sheet in game.sheets}
    if len(set(defaults.values())) == 1:
        says = next(iter(defaults.values()))
    else:
        says = " ".join(f"{title}: {sentence}" for title, sentence in defaults.items())
    options = (
        ("", "As the sheet has it", says),
        *((str(choice.value), _label(choice.value), choice.says) for choice in rule.choices),
    )
    return RuleTiles(rule.id, rule.rule, rule.title, options, rule.numbers is not None, says)


def _label(value: str | int) -> str:
    return str(value).replace("_", " ").capitalize()
