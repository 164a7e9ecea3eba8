"""The section of a person's page with what that person's games came to, in words and pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from functools import partial
from operator import attrgetter, not_
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

import flask_babel
from babel.dates import format_date
from babel.numbers import format_decimal
from flask import url_for
from werkzeug.datastructures import MultiDict

from companion.notebook import figures
from companion.notebook.describe import hand_name, hands_of, in_points, score
from companion.notebook.figures import FEWEST, Against, Finished, Played
from companion.rules.game import Game
from companion.rules.games import game_named
from companion.rules.language import gettext as _, in_english, ngettext
from companion.services.people import Person
from companion.web.chart import Choice, Picture, Table, ladder, nice_levels, running
from companion.web.templating import ENGLISH

# The pictures show so many of the latest games.
MOST_GAMES = 20
# What a filter compares with the field of `Wanted` that is called so.
_ITS: Final[Mapping[str, Callable[[Finished], Any]]] = {
    "game": attrgetter("played.game"),
    "sheet": attrgetter("played.sheet"),
    "year": attrgetter("at.year"),
    "month": attrgetter("at.month"),
    "players": attrgetter("played.players"),
}
_points: Final[Callable[[Played], Sequence[int]]] = attrgetter("points")
# A rule sheet is of one game, and a month of one year: another choice of these leaves it open.
_NARROWER: Final[Mapping[str, dict[str, Any]]] = {"game": {"sheet": ""}, "year": {"month": 0}}


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

    def of(self, games: Sequence[Finished]) -> Sequence[Finished]:
        """Return the games that are wanted, with whatever company."""
        for field, its in _ITS.items():
            if asked := getattr(self, field):
                games = [one for one in games if its(one) == asked]
        return games

    def has(self, name: str, value: Any) -> bool:
        """True if this value is chosen for a field."""
        now = getattr(self, name)
        return value in now if name == "company" else value == now

    def address(self, name: str, value: Any) -> str:
        """Return the query with this value of a field chosen, or no longer: ``?game=proter``."""
        is_chosen = self.has(name, value)
        if name == "company":
            others = tuple(one for one in self.company if one != value)
            value = others if is_chosen else (*others, value)
        elif is_chosen:
            value = type(value)()
        asked = self._replace(**{name: value, **_NARROWER.get(name, {})})._asdict()
        return "?" + urlencode({field: one for field, one in asked.items() if one}, doseq=True)


class Figure(NamedTuple):
    """A figure with its definition. ``of`` says of how many it is; ``address`` leads to a game."""

    title: str
    value: str
    of: str
    says: str
    address: str = ""


class FiguresPage(NamedTuple):
    """What the section shows, in its order. ``note`` says what is missing and why."""

    filters: Sequence[tuple[str, Sequence[Choice]]]
    clear: str
    note: str
    figures: Sequence[Figure]
    tables: Sequence[Table]
    pictures: Sequence[Picture]


def figures_page(person: Person, wanted: Wanted) -> FiguresPage:
    """Return the section about a person with the games that are wanted."""
    fit = wanted.of(person.played)[::-1]
    seats = [one.played for one in fit]
    kinds, enough = {seat.game for seat in seats}, len(fit) >= FEWEST
    note = ""
    if not enough:
        note = _("Averages come with %(fewest)s finished games.", fewest=FEWEST)
    elif len(kinds) > 1:
        note = _("Choose one game for points: those of different games do not compare.")
    shown, laid, drawn = [*_standing(seats, person.versus, enough)], [_versus(person.versus)], []
    if enough:
        drawn.append(_ladder(person.record.name, fit[-MOST_GAMES:]))
    if len(kinds) == 1:
        game = game_named(kinds.pop())
        points = figures.counted(seats, _points)
        shown += _hands(game, fit, points, enough)
        laid = [*_tables(game, seats, enough), *laid]
        if enough:
            drawn += [_totals(person, game, fit), _spread(game, points)]
    filters = [*_filters(person.played, wanted, person.met)]
    clear = "?" if any(wanted) else ""
    return FiguresPage(filters, clear, note, shown, [one for one in laid if one.rows], drawn)


def _filters(
    games: Sequence[Finished], wanted: Wanted, people: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, Sequence[Choice]]]:
    """Yield the title and the choices of each filter, where there is anything to choose.

    What is chosen leads back to the games without that choice.
    """
    its = {field: dict.fromkeys(map(of, games)) for field, of in _ITS.items()}
    kinds = {id_: game_named(id_) for id_ in its["game"]}
    sheets = kinds[wanted.game].sheets if wanted.game in kinds else ()
    months = {one.at.month: one.at for one in Wanted(year=wanted.year).of(games) if wanted.year}
    years, tables = sorted(its["year"], reverse=True), sorted(its["players"])
    choices: list[tuple[str, str, dict[Any, str]]] = [
        (_("Game"), "game", {id_: game.name for id_, game in kinds.items()}),
        (_("Rule sheet"), "sheet", {one.id: one.title for one in sheets if one.id in its["sheet"]}),
        (_("Year"), "year", {year: str(year) for year in years}),
        (_("Month"), "month", {month: day(at, "LLL") for month, at in sorted(months.items())}),
        (_("Players"), "players", {number: str(number) for number in tables}),
        (_("With"), "company", dict(people)),
    ]
    for title, field, labels in choices:
        if len(labels) > (field != "company"):
            yield (
                title,
                [
                    Choice(label, wanted.address(field, one), wanted.has(field, one))
                    for one, label in labels.items()
                ],
            )


# -- figures --------------------------------------------------------------------------------------


def _standing(
    seats: Sequence[Played], against: Sequence[Against], enough: bool
) -> Iterator[Figure]:
    """Yield what games of any kind come to."""
    of = _games(len(seats))
    found = figures.ranks(Counter(map(attrgetter("place", "players"), seats)))
    yield Figure(_("Won"), str(found.wins), of, _("Games finished first; a shared place counts."))
    if enough:
        says = _("The wins that chance alone would bring: 1 ÷ players, added up over the games.")
        yield Figure(_("Expected wins"), decimal(found.expected), of, says)
        says = _("0 is first and 1 is last, whatever the number of players.")
        yield Figure(_("Average place"), decimal(found.place), of, says)
        won = [seat.won for seat in seats]
        for title, says, rows in (
            (_("Won in a row"), _("Games won one after the other."), won),
            (_("Without a win"), _("Games one after the other that others won."), map(not_, won)),
        ):
            now, longest = figures.streak(rows)
            value = _("%(now)s now, %(longest)s at most", now=now, longest=longest)
            yield Figure(title, value, of, says)
    upheld, refused = (sum(seat.rulings[at] for seat in seats) for at in (0, 1))
    counts = {"asked": upheld + refused, "upheld": upheld, "against": refused}
    says = _("Rulings on this player's plays; upheld are those that found the play legal.")
    asked = _("%(asked)s: %(upheld)s upheld, %(against)s against", **counts)
    yield Figure(_("Rulings"), asked, of, says)
    says = _("Of all games: who finished above this player more often than not, by the most games.")
    for one in figures.nemeses(against):
        times = _("%(name)s, %(times)s times above", name=one.name, times=one.below)
        yield Figure(_("Nemesis"), times, _games(one.games), says)


def _hands(
    game: Game, games: Sequence[Finished], points: Counter[int], enough: bool
) -> Iterator[Figure]:
    """Yield what the hands of one kind of game come to, and the records there.

    ``points`` are how many hands had which.
    """
    of, word = hands_of(game, points.total()), {"hand_word": game.hand_word}
    if enough:
        low, median, high = map(decimal, figures.quartiles(points))
        value = _("%(median)s, middle half %(low)s to %(high)s", median=median, low=low, high=high)
        says = _(
            "Half of them have the first number or less. The middle half lies between the other "
            "two."
        )
        yield Figure(_("Points a %(hand_word)s", **word), value, of, says)
    out = sum(len(one.played.out) for one in games)
    yield Figure(_("Went out"), str(out), of, _("How many of them this player ended."))
    if not enough:
        return
    of_hand = _("The points of one %(hand_word)s, and the first game that had it.", **word)
    of_game = _("The total of a game, and the first that had it.")
    behind = _("The most points behind after a %(hand_word)s in a game that was won.", **word)
    hands = figures.records(games, _points, points)
    seats = [one.played for one in games]
    totals, comebacks = (
        figures.records(games, of, figures.counted(seats, of))
        for of in (lambda seat: (seat.total,), lambda seat: (seat.comeback,))
    )
    best, worst = (1, 0) if game.won_by.highest else (0, 1)
    for title, (most, times, first, hand), says in (
        (_("Best %(hand_word)s", **word), hands[best], of_hand),
        (_("Worst %(hand_word)s", **word), hands[worst], of_hand),
        (_("Best game"), totals[best], of_game),
        (_("Worst game"), totals[worst], of_game),
        (_("Largest comeback"), comebacks[1], behind),
    ):
        value = f"{in_points(most)}, {ngettext('once', '%(number)s times', times)}"
        which = f"{hand_name(game, hand)}, " if says == of_hand else ""
        address = url_for("tally.show", game_id=first.id)
        if most or says != behind:
            yield Figure(title, value, which + day(first.at), says, address)


# -- tables ---------------------------------------------------------------------------------------


def _tables(game: Game, seats: Sequence[Played], enough: bool) -> Iterator[Table]:
    """Yield what hands of one kind of game cost and decide, and the penalties."""
    if enough:
        found = figures.points_by_label(seats)
        rules = [game.rules(game.house(), hand) for hand in range(1, game.hands + 1)]
        labels = {in_english(partial(getattr, one, "label")): one.label for one in rules}
        yield Table(
            _("Points by %(hand_word)s", hand_word=game.hand_word),
            hands_of(game, sum(map(len, found.values()))),
            _("The mean of the points by wild rank, contract or box."),
            [_(game.hand_title), _("Times"), _("Mean points")],
            [
                [labels.get(label) or _(label), str(len(all_)), decimal(sum(all_) / len(all_))]
                for label, all_ in found.items()
            ],
        )
        decided = Counter(map(attrgetter("decided"), seats)).most_common()
        ranks = [game.wild_rank(hand) for hand in range(1, game.hands + 1)]
        wild = {hand: f"{hand} ({rank.shown})" for hand, rank in enumerate(ranks, 1) if rank}
        yield Table(
            _("Decided after"),
            _games(len(seats)),
            _(
                "The %(hand_word)s after which no winner was behind again.",
                hand_word=game.hand_word,
            ),
            [_(game.hand_title), _("Games")],
            [[wild.get(hand, str(hand)), str(times)] for hand, times in decided],
        )
    titles = {one.rule: f"{_(one.title)} ({one.rule})" for one in game.charges}
    titles[""] = _("House penalties")
    penalties: Counter[str] = Counter()
    for seat in seats:
        for rule, times in seat.penalties.items():
            penalties[rule] += times
    rates = [_("A game")] if enough else []
    yield Table(
        _("Penalties"),
        _games(len(seats)),
        _("Penalties that were not taken back, by rule."),
        [_("Rule"), _("Charges"), *rates],
        [
            [titles.get(rule, rule), str(times), *(decimal(times / len(seats)) for _rate in rates)]
            for rule, times in sorted(penalties.items())
        ],
    )


def _versus(rows: Iterable[Against]) -> Table:
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
    days = [day(one.at, _("d MMM")) for one in games]
    places = [one.played.place for one in games]
    return Picture(table, ladder([name], [places], most, days))


def _totals(person: Person, game: Game, games: Sequence[Finished]) -> Picture:
    known = [one for one in games if one.id in person.tables] or games
    own = figures.running_totals([one.played for one in known])
    seats = [seat for one in known for seat in person.tables.get(one.id, ())]
    every = figures.running_totals(seats)
    drawn = [own, every[: len(own)]] if every else [own]
    table = Table(
        _("Running totals"),
        _games(len(known)),
        _("The mean total after each %(hand_word)s.", hand_word=game.hand_word),
        [_(game.hand_title), person.record.name, _("Table")][: len(drawn) + 1],
        [[str(at), *map(decimal, row)] for at, row in enumerate(zip(*drawn, strict=True), 1)],
    )
    hands = [row[0] for row in table.rows]
    return Picture(table, running(table.head[1:], drawn, hands))


def _spread(game: Game, points: Counter[int]) -> Picture:
    first, second, *_others = nice_levels(max(points), min(points))
    step = second - first
    counts: Counter[int] = Counter()
    for number, times in points.items():
        counts[number // step] += times
    groups = range(min(counts), max(counts) + 1)
    table = Table(
        _("Spread of points"),
        hands_of(game, points.total()),
        _("How often each number of points came up."),
        [_("Points"), _("Times")],
        [[f"{score(at * step)}–{score(at * step + step - 1)}", str(counts[at])] for at in groups],
    )
    return Picture(table, bars=[counts[at] / max(counts.values()) for at in groups])


# -- numbers and dates ----------------------------------------------------------------------------


def decimal(number: float | Fraction) -> str:
    """Return a number with at most two places behind the point: ``0.25``, ``−3.5``."""
    locale = flask_babel.get_locale() or ENGLISH
    return str(format_decimal(float(number), "0.##", locale)).replace("-", "−")


def day(at: date, pattern: str = "") -> str:
    """Return a day: ``5 Mar 2026``."""
    return format_date(at, pattern or _("d MMM y"), flask_babel.get_locale() or ENGLISH)


def _games(number: int) -> str:
    return ngettext("%(number)s game", "%(number)s games", number)
