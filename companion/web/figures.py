"""The section of a person's page with what that person's games came to, in words and pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from math import ceil, floor
from typing import Any, NamedTuple
from urllib.parse import urlencode

import flask_babel
from babel.dates import format_date
from babel.numbers import format_decimal
from flask import url_for
from werkzeug.datastructures import MultiDict

from companion.notebook.describe import hand_name, hands_of, in_points, score
from companion.notebook.figures import (
    FEWEST,
    Against,
    Figures,
    Finished,
    Marks,
    Played,
    Record,
    chosen,
    figures,
    nemeses,
    running_totals,
)
from companion.rules.game import Game
from companion.rules.games import game_named
from companion.rules.language import gettext as _
from companion.rules.language import in_english, ngettext, noted
from companion.web.chart import Chart, lines, nice_levels
from companion.web.templating import ENGLISH

# The pictures show so many of the latest games.
MOST_GAMES = 20


class Wanted(NamedTuple):
    """The games that are wanted; what is empty or 0 makes no difference.

    ``company`` are the ids of people who all sat there; the caller chooses those games.
    """

    game: str = ""
    sheet: str = ""
    year: int = 0
    month: int = 0
    players: int = 0
    company: tuple[str, ...] = ()

    @classmethod
    def read(cls, args: MultiDict[str, str]) -> Wanted:
        """Return what an address asks for, without what cannot be read."""
        texts = (args.get("game", ""), args.get("sheet", ""))
        year, month, players = (args.get(name, 0, int) for name in ("year", "month", "players"))
        return cls(*texts, year, month, players, tuple(args.getlist("company")))

    def address(self, **changes: Any) -> str:
        """Return the query of an address with these changes: ``?game=proter&year=2026``."""
        pairs = self._replace(**changes)._asdict()
        return "?" + urlencode({name: one for name, one in pairs.items() if one}, doseq=True)


class Choice(NamedTuple):
    """One tap of a filter: what it says, where it leads, and whether it is chosen now."""

    label: str
    address: str
    is_chosen: bool


class Figure(NamedTuple):
    """A figure with its definition. ``of`` says of how many it is; ``address`` leads to a game."""

    title: str
    value: str
    of: str
    says: str
    address: str = ""


class Table(NamedTuple):
    """A table with its definition; the first cell of each row is its head."""

    title: str
    of: str
    says: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


class Picture(NamedTuple):
    """A picture and the table behind it: lines, or a bar for each row, from 0 to 1 high."""

    table: Table
    lines: Chart | None = None
    bars: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class FiguresPage:
    """What the section shows, in its order. ``note`` says what is missing and why."""

    filters: Sequence[tuple[str, Sequence[Choice]]]
    clear: str
    note: str
    figures: Sequence[Figure]
    tables: Sequence[Table]
    pictures: Sequence[Picture]


def figures_page(
    name: str,
    games: Iterable[tuple[str, datetime, Played]],
    against: Iterable[tuple[str, int, int, int]],
    wanted: Wanted,
    people: Iterable[tuple[str, str]] = (),
    tables: Mapping[str, Sequence[Played]] | None = None,
) -> FiguresPage:
    """Return the section about a person with these finished games.

    ``against`` has everyone who played with the person: the name, and in how many games the person
    finished above, equal and below. ``people`` are the ids and names to choose as company;
    ``tables`` has all seats of games by the game's id, for what the tables had on average.
    """
    every = [Finished(id_, at.astimezone(), seat) for id_, at, seat in games]
    fit = sorted(chosen(every, *wanted[:-1]), key=lambda one: (one.at, one.id))
    found, rows = figures(fit), [Against(*row) for row in against]
    kinds = {one.played.game for one in fit}
    note = ""
    if len(fit) < FEWEST:
        note = _("Under %(fewest)s games there are only counts.", fewest=FEWEST)
    elif len(kinds) > 1:
        note = _("Choose one game for points: those of different games do not compare.")
    shown, laid, drawn = [*_standing(found, rows)], [_versus(rows)], []
    if found.ranks:
        drawn.append(_ladder(name, fit[-MOST_GAMES:]))
    if found.marks:
        game = game_named(kinds.pop())
        shown += _marks(game, found.marks)
        laid = [*_tables(game, found.marks, len(fit)), *laid]
        if found.marks.points:
            drawn += [_totals(name, game, fit, tables or {}), _spread(game, fit)]
    filters = [one for one in _filters(every, wanted, people) if one[1]]
    clear = "?" if any(wanted) else ""
    return FiguresPage(filters, clear, note, shown, [one for one in laid if one.rows], drawn)


def _filters(
    games: Sequence[Finished], wanted: Wanted, people: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, Sequence[Choice]]]:
    """Yield the title and the choices of each filter, none where there is nothing to choose.

    What is chosen leads back to the games without that choice.
    """

    def choices(field: str, labels: Mapping[Any, str], **also: Any) -> list[Choice]:
        now, none = getattr(wanted, field), getattr(Wanted(), field)
        if len(labels) < 2:
            return []
        return [
            Choice(
                label, wanted.address(**{field: none if one == now else one}, **also), one == now
            )
            for one, label in labels.items()
        ]

    kinds = {one.played.game: game_named(one.played.game) for one in games}
    names = {id_: game.name for id_, game in kinds.items()}
    yield _("Game"), choices("game", names, sheet="")
    if wanted.game in kinds:
        played = {one.played.sheet for one in games}
        sheets = {one.id: one.title for one in kinds[wanted.game].sheets if one.id in played}
        yield _("Rule sheet"), choices("sheet", sheets)
    years = sorted({one.at.year for one in games}, reverse=True)
    yield _("Year"), choices("year", {year: str(year) for year in years}, month=0)
    if wanted.year:
        dates = {one.at.month: one.at for one in games if one.at.year == wanted.year}
        months = {month: day(at, "LLL") for month, at in sorted(dates.items())}
        yield _("Month"), choices("month", months)
    tables = sorted({one.played.players for one in games})
    yield _("Players"), choices("players", {number: str(number) for number in tables})
    company = []
    for id_, name in people:
        others = tuple(one for one in wanted.company if one != id_)
        is_in = id_ in wanted.company
        address = wanted.address(company=others if is_in else (*others, id_))
        company.append(Choice(name, address, is_in))
    yield _("With"), company


# -- figures --------------------------------------------------------------------------------------


def _standing(found: Figures, against: Sequence[Against]) -> Iterator[Figure]:
    of, row = _games(found.games), _("%(now)s now, %(longest)s at most")
    yield Figure(_("Won"), str(found.wins), of, _("Games finished first; a shared place counts."))
    if found.ranks:
        expected, place, won, without = found.ranks
        says = _("What chance gives: one over the number of players, summed up over the games.")
        yield Figure(_("Expected wins"), decimal(expected), of, says)
        says = _("0 is first and 1 is last, whatever the number of players.")
        yield Figure(_("Average place"), decimal(place), of, says)
        says = _("Games won one after the other.")
        yield Figure(_("Won in a row"), row % won._asdict(), of, says)
        says = _("Games one after the other that others won.")
        yield Figure(_("Without a win"), row % without._asdict(), of, says)
    counts = {"upheld": found.upheld, "against": found.against}
    asked = _(
        "%(asked)s: %(upheld)s upheld, %(against)s against", asked=sum(counts.values()), **counts
    )
    says = _("Rulings on this player's plays; upheld are those that found the play legal.")
    yield Figure(_("Rulings"), asked, of, says)
    for one in nemeses(against):
        says = _(
            "Of all games: who finished above this player more often than not, by the most games."
        )
        times = _("%(name)s, %(times)s times above", name=one.name, times=one.below)
        yield Figure(_("Nemesis"), times, _games(one.games), says)


def _marks(game: Game, marks: Marks) -> Iterator[Figure]:
    of, word, points = hands_of(game, marks.hands), game.hand_word, marks.points
    if points:
        low, median, high = map(decimal, points.hands)
        value = _("%(median)s, middle half %(low)s to %(high)s", median=median, low=low, high=high)
        says = _(
            "Half of them have at most the first number. The middle half is between the other two."
        )
        yield Figure(_("Points a %(hand_word)s", hand_word=word), value, of, says)
    yield Figure(_("Went out"), str(marks.out), of, _("How many of them this player ended."))
    if not points:
        return
    says = _("The points of one %(hand_word)s, and the first game that had it.", hand_word=word)
    for title, record in zip(
        (noted("Best %(hand_word)s"), noted("Worst %(hand_word)s")), points.hand, strict=True
    ):
        yield _record(_(title, hand_word=word), record, says, game)
    says = _("The total of a game, and the first that had it.")
    for title, record in zip((_("Best game"), _("Worst game")), points.game, strict=True):
        yield _record(title, record, says, game)
    if points.comeback:
        says = _(
            "The most points behind after a %(hand_word)s in a game that was won.", hand_word=word
        )
        yield _record(_("Largest comeback"), points.comeback, says, game)


def _record(title: str, record: Record, says: str, game: Game) -> Figure:
    which = f"{hand_name(game, record.hand)}, " if record.hand else ""
    value = f"{in_points(record.points)}, {ngettext('once', '%(number)s times', record.times)}"
    address = url_for("tally.show", game_id=record.game.id)
    return Figure(title, value, which + day(record.game.at), says, address)


# -- tables ---------------------------------------------------------------------------------------


def _tables(game: Game, marks: Marks, games: int) -> Iterator[Table]:
    word, points = game.hand_word, marks.points
    if points:
        rules = [game.rules(game.house(), hand) for hand in range(1, game.hands + 1)]
        labels = {in_english(partial(getattr, one, "label")): one.label for one in rules}
        yield Table(
            _("Points by %(hand_word)s", hand_word=word),
            hands_of(game, sum(one.hands for one in points.costs)),
            _("The mean of the points by wild rank, contract or box."),
            [_(game.hand_title), _("Times"), _("Mean points")],
            [
                [labels.get(label) or _(label), str(hands), decimal(mean)]
                for label, hands, mean in points.costs
            ],
        )
        yield Table(
            _("Decided after"),
            _games(games),
            _("The %(hand_word)s after which no winner was behind again.", hand_word=word),
            [_(game.hand_title), _("Games")],
            [[_which(game, hand), str(times)] for hand, times in points.decided],
        )
    titles = {one.rule: f"{_(one.title)} ({one.rule})" for one in game.charges}
    titles[""] = _("House penalties")
    rates = [_("A game")] if points else []
    yield Table(
        _("Penalties"),
        _games(games),
        _("Charges that stand, by their rule."),
        [_("Rule"), _("Charges"), *rates],
        [
            [titles.get(rule, rule), str(times), *(decimal(times / games) for _rate in rates)]
            for rule, times in sorted(marks.penalties.items())
        ],
    )


def _which(game: Game, hand: int) -> str:
    """Return a hand's number with its wild rank, if it has one: ``11 (J)``."""
    rank = game.wild_rank(hand)
    return f"{hand} ({rank.shown})" if rank else str(hand)


def _versus(rows: Sequence[Against]) -> Table:
    return Table(
        _("Head to head"),
        "",
        _("In how many of all games this player finished above, equal to and below the others."),
        [_("Player"), _("Above"), _("Equal"), _("Below")],
        [
            [one.name, *map(str, one[1:])]
            for one in sorted(rows, key=lambda one: (-one.games, one.name))
        ],
    )


# -- pictures -------------------------------------------------------------------------------------


def _ladder(name: str, games: Sequence[Finished]) -> Picture:
    table = Table(
        _("Places"),
        _games(len(games)),
        _("The place in each of the latest games, the newest at the right."),
        [_("Game"), _("Place"), _("Players")],
        [[day(one.at), str(one.played.place), str(one.played.players)] for one in games],
    )
    most = max(one.played.players for one in games)
    levels = [(place, str(place)) for place in range(most, 0, -1)]
    first, last = (day(one.at, _("d MMM")) for one in (games[0], games[-1]))
    ticks = [first, *[""] * (len(games) - 2), last]
    places = [one.played.place for one in games]
    return Picture(table, lines([name], [places], levels, ticks, table.says))


def _totals(
    name: str, game: Game, games: Sequence[Finished], tables: Mapping[str, Sequence[Played]]
) -> Picture:
    known = [one for one in games if one.id in tables] or games
    own = running_totals([one.played for one in known])
    every = running_totals([seat for one in known for seat in tables.get(one.id, ())])
    drawn = [own, every[: len(own)]] if every else [own]
    table = Table(
        _("Running totals"),
        _games(len(known)),
        _("The mean total after each %(hand_word)s.", hand_word=game.hand_word),
        [_(game.hand_title), name, _("Table")][: len(drawn) + 1],
        [[str(at), *map(decimal, row)] for at, row in enumerate(zip(*drawn, strict=True), 1)],
    )
    values = [[0.0, *line] for line in drawn]
    ends = nice_levels(ceil(max(map(max, values))), floor(min(map(min, values))))
    levels, ticks = [(at, score(at)) for at in ends], ["", *(row[0] for row in table.rows)]
    return Picture(table, lines(table.head[1:], values, levels, ticks, table.says))


def _spread(game: Game, games: Sequence[Finished]) -> Picture:
    points = [number for one in games for number in one.played.points]
    first, second, *_others = nice_levels(max(points), min(points))
    step = second - first
    counts = Counter(number // step for number in points)
    groups = range(min(counts), max(counts) + 1)
    table = Table(
        _("Spread of points"),
        hands_of(game, len(points)),
        _("How many had so many points."),
        [_("Points"), _("Times")],
        [[f"{score(at * step)}–{score(at * step + step - 1)}", str(counts[at])] for at in groups],
    )
    return Picture(table, bars=[counts[at] / max(counts.values()) for at in groups])


# -- numbers and dates ----------------------------------------------------------------------------


def decimal(number: float) -> str:
    """Return a number with at most two places behind the point: ``0.25``, ``−3.5``."""
    locale = flask_babel.get_locale() or ENGLISH
    return str(format_decimal(number, "0.##", locale)).replace("-", "−")


def day(at: date, pattern: str = "") -> str:
    """Return a day: ``5 Mar 2026``."""
    return format_date(at, pattern or _("d MMM y"), flask_babel.get_locale() or ENGLISH)


def _games(number: int) -> str:
    return ngettext("%(number)s game", "%(number)s games", number)
