"""The section of a person's page with what that person's games came to, in words and pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from functools import partial
from itertools import chain
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

# The ladder shows so many of the latest games, and the running totals are of so many.
MOST_GAMES: Final = 20
MOST_TABLES: Final = 50
# What each filter looks at, by the name that it has in an address.
_ITS: Final[Mapping[str, Callable[[Finished], Any]]] = {
    "game": attrgetter("played.game"),
    "sheet": attrgetter("played.sheet"),
    "year": attrgetter("at.year"),
    "month": attrgetter("at.month"),
    "players": attrgetter("played.players"),
    "company": attrgetter("beside"),
}
# A rule sheet is of one game, and a month of one year: another choice of these leaves it open.
_NARROWER: Final = {"game": "sheet", "year": "month"}
_points: Final[Callable[[Played], Sequence[int]]] = attrgetter("points")


class Wanted:
    """The games that an address asks for, by the values that it has for the filters.

    Of ``company`` there can be several, ids of people who all sat there.
    """

    def __init__(self, args: MultiDict[str, str]) -> None:
        self.asked = {name: [*filter(None, args.getlist(name))] for name in _ITS}

    def of(self, games: Sequence[Finished]) -> Sequence[Finished]:
        """Return those of the games that are wanted."""
        for name, its in _ITS.items():
            for asked in self.asked[name]:
                if name == "company":
                    games = [one for one in games if asked in its(one)]
                else:
                    games = [one for one in games if str(its(one)) == asked]
        return games

    def choice(self, label: str, name: str, value: str) -> Choice:
        """Return the choice of a value, which leads to the games without it if it is chosen."""
        now = self.asked[name]
        then = [] if value in now else [value]
        if name == "company":
            then = [one for one in now if one != value] + then
        asked = {**self.asked, name: then}
        if name in _NARROWER:
            asked[_NARROWER[name]] = []
        return Choice(label, "?" + urlencode(asked, doseq=True), value in now)


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


def figures_page(
    person: Person, wanted: Wanted, games: Sequence[Finished], tables: Mapping[str, list[Played]]
) -> FiguresPage:
    """Return the section about a person with these games, which are those that are wanted.

    ``tables`` have what every seat did in the latest of them, by the games' ids.
    """
    games = games[::-1]
    seats = [one.played for one in games]
    against = figures.versus(games, person.others)
    kinds, enough = {seat.game for seat in seats}, len(games) >= FEWEST
    note = ""
    if not enough:
        note = _("Averages come with %(fewest)s finished games.", fewest=FEWEST)
    elif len(kinds) > 1:
        note = _("Choose one game for points: those of different games do not compare.")
    shown, laid, drawn = [*_standing(seats, against, enough)], [_versus(against)], []
    if enough:
        drawn.append(_ladder(person.record.name, games[-MOST_GAMES:]))
    if len(kinds) == 1:
        game = game_named(kinds.pop())
        points = figures.counted(seats, _points)
        shown += _hands(game, games, points, enough)
        laid += _tables(game, seats, enough)
        known = [one for one in games if one.id in tables]
        if enough and known:
            drawn += [_totals(person.record.name, game, known, tables), _spread(game, points)]
    filters = [*_filters(person.played, wanted, person.others)]
    clear = "?" if any(wanted.asked.values()) else ""
    return FiguresPage(filters, clear, note, shown, [one for one in laid if one.rows], drawn)


def _filters(
    games: Sequence[Finished], wanted: Wanted, people: Mapping[str, str]
) -> Iterator[tuple[str, Sequence[Choice]]]:
    """Yield the title and the choices of each filter, where there is anything to choose."""
    its = {name: dict.fromkeys(map(of, games)) for name, of in _ITS.items() if name != "company"}
    met = {*chain.from_iterable(one.beside for one in games)}
    kinds = [game_named(id_) for id_ in its["game"]]
    sheets = [one for game in kinds if game.id in wanted.asked["game"] for one in game.sheets]
    year = wanted.asked["year"]
    months = {one.at.month: one.at for one in games if year and str(one.at.year) == year[0]}
    choices: list[tuple[str, str, Mapping[Any, str]]] = [
        (_("Game"), "game", {game.id: game.name for game in kinds}),
        (_("Rule sheet"), "sheet", {one.id: one.title for one in sheets if one.id in its["sheet"]}),
        (_("Year"), "year", {year: str(year) for year in sorted(its["year"], reverse=True)}),
        (_("Month"), "month", {month: day(at, "LLL") for month, at in sorted(months.items())}),
        (_("Players"), "players", {number: str(number) for number in sorted(its["players"])}),
        (_("With"), "company", {one: name for one, name in people.items() if one in met}),
    ]
    for title, name, labels in choices:
        if len(labels) > (name != "company"):
            yield title, [wanted.choice(says, name, str(one)) for one, says in labels.items()]


# -- figures --------------------------------------------------------------------------------------


def _standing(
    seats: Sequence[Played], against: Sequence[Against], enough: bool
) -> Iterator[Figure]:
    """Yield what games of any kind come to."""
    of = _games(len(seats))
    found = figures.ranks(Counter(map(attrgetter("place", "players"), seats)))
    yield Figure(_("Won"), str(found.wins), of, _("Games finished first; a shared place counts."))
    if enough:
        says = _("Wins by luck alone: a game of three counts 1/3, a game of four 1/4.")
        yield Figure(_("Wins by luck"), decimal(found.expected), of, says)
        says = _("0 is first and 1 is last, whatever the number of players.")
        yield Figure(_("Average place"), decimal(found.place), of, says)
        won = [seat.won for seat in seats]
        for title, says, rows in (
            (_("Won in a row"), _("How many games this player won in a row."), won),
            (_("Without a win"), _("How many games in a row others won."), map(not_, won)),
        ):
            now, longest = figures.streak(rows)
            value = _("%(now)s now, longest %(longest)s", now=now, longest=longest)
            yield Figure(title, value, of, says)
    upheld, refused = (sum(seat.rulings[at] for seat in seats) for at in (0, 1))
    counts = {"asked": upheld + refused, "upheld": upheld, "against": refused}
    says = _("Rulings on this player's plays; upheld are those that found the play legal.")
    asked = _("%(asked)s asked, %(upheld)s upheld, %(against)s against", **counts)
    yield Figure(_("Rulings"), asked, of, says)
    says = _("Who finished above this player more often than not, by the most games.")
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
        value = _("%(median)s, half of them %(low)s to %(high)s", median=median, low=low, high=high)
        says = _(
            "As many are above the first number as below it. The middle half is between the others."
        )
        yield Figure(_("Points a %(hand_word)s", **word), value, of, says)
    out = sum(len(one.played.out) for one in games)
    yield Figure(_("Went out"), str(out), of, _("How many of them this player ended by going out."))
    if not enough:
        return
    of_hand = _("The points of one %(hand_word)s, and when they first came.", **word)
    of_game = _("The total of one game, and when it first came.")
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
            _("The average points by wild rank, contract or box."),
            [_(game.hand_title), _("Times"), _("Average points")],
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
                "The %(hand_word)s after which the winner was never behind again.",
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
    rates = [_("Per game")] if enough else []
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


def _versus(against: Sequence[Against]) -> Table:
    return Table(
        _("Head to head"),
        "",
        _("In how many games this player finished above, equal to and below the others."),
        [_("Player"), _("Above"), _("Equal"), _("Below")],
        [[one.name, *map(str, one[1:])] for one in against],
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


def _totals(
    name: str, game: Game, games: Sequence[Finished], tables: Mapping[str, list[Played]]
) -> Picture:
    own = figures.running_totals([one.played for one in games])
    every = figures.running_totals([seat for one in games for seat in tables[one.id]])
    rows = [*zip(own, every, strict=False)]  # a damaged seat may have more hands or fewer
    table = Table(
        _("Running totals"),
        _games(len(games)),
        _("The average points of each %(hand_word)s, added up.", hand_word=game.hand_word),
        [_(game.hand_title), name, _("Table")],
        [[str(at), *map(decimal, row)] for at, row in enumerate(rows, 1)],
    )
    hands = [row[0] for row in table.rows]
    return Picture(table, running(table.head[1:], [*zip(*rows, strict=True)], hands))


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
        _("How often a %(hand_word)s had that many points.", hand_word=game.hand_word),
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
