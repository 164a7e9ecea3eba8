"""What finished games come to over time: a person's figures, counted from what each seat did.

Nothing is ranked or shown as a rate under `FEWEST` games. Points of different games do not compare,
so whatever is about points is of one game.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import chain
from typing import Any, Final, NamedTuple

from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.games import GAMES, game_named
from companion.rules.language import in_english

FEWEST: Final = 3
# No number of a finished game is larger.
_LARGEST: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Played:
    """What one seat did in one finished game.

    ``game`` and ``sheet`` are ids, ``players`` is how many sat there; equal ones share a ``place``,
    from 1. ``points`` are this seat's hand by hand, with penalties; ``labels`` what each hand was:
    its wild rank, its contract, or the box filled, in English. ``out`` are the hands it went out
    in, from 1. ``penalties`` is how many it had by rule number, house penalties under an empty one.
    ``rulings`` are those that stand on its plays: how many found them legal, how many illegal.
    ``comeback`` is the most points by which the seat was behind after a hand if it came first, or
    0. After hand ``decided`` no winner was behind again; it is the same for every seat.
    """

    game: str
    sheet: str
    players: int
    place: int
    points: tuple[int, ...]
    labels: tuple[str, ...]
    out: tuple[int, ...]
    penalties: Mapping[str, int]
    rulings: tuple[int, int]
    comeback: int
    decided: int

    @property
    def total(self) -> int:
        """The points of all hands."""
        return sum(self.points)

    @property
    def won(self) -> bool:
        """True if the seat came first, alone or with others."""
        return self.place == 1


def played(sheet: ScoreSheet) -> list[Played]:
    """Return what each seat did, in seating order; empty unless the game is over."""
    if not sheet.over:
        return []
    # A game that everyone else has left may end with a hand that nobody marked.
    hands = [hand for hand in sheet.hands if hand.marking or any(map(hand.charges, sheet.players))]
    leads = [_lead(sheet, hand.number) for hand in hands]
    places = {standing.player: standing.place for standing in sheet.standings()}
    winners = {seat for seat, place in places.items() if place == 1}
    after = [at for at, lead in enumerate(leads[:-1], 1) if winners.isdisjoint(lead.seats)]
    return [
        Played(
            game=sheet.game.id,
            sheet=sheet.house.sheet,
            players=len(sheet.names),
            place=places[seat],
            points=tuple(hand.mark(seat).points for hand in hands),
            labels=tuple(_label(hand, seat) for hand in hands),
            out=tuple(hand.number for hand in hands if hand.out == seat),
            penalties=_penalties(sheet, seat),
            rulings=_rulings(sheet, seat),
            comeback=max(lead.behind[seat] for lead in leads) if seat in winners else 0,
            decided=max(after, default=0) + 1,
        )
        for seat in sheet.players
    ]


class _Lead(NamedTuple):
    """Who is in front after a hand, and by how many points each seat is behind."""

    seats: set[int]
    behind: list[int]


def _lead(sheet: ScoreSheet, hand: int) -> _Lead:
    game = sheet.game
    sign = -1 if game.highest_wins else 1
    totals = [sign * sheet.total(seat, through=hand) for seat in sheet.players]
    ahead = game.judge.ahead([*map(str, sheet.declared(before=hand + 1))])
    order = [(str(seat) not in ahead, totals[seat]) for seat in sheet.players]
    # Nobody is behind by points where they do not decide (IND-7).
    behind = [0 if game.won_by else total - min(totals) for total in totals]
    return _Lead({seat for seat in sheet.players if order[seat] == min(order)}, behind)


def _label(hand: HandSheet, seat: int) -> str:
    shown = hand.mark(seat).shown
    return shown.box if shown else in_english(lambda: hand.rules.label)


def _penalties(sheet: ScoreSheet, seat: int) -> dict[str, int]:
    """Return how many penalties a seat had, by rule. A bonus is none."""
    sign = -1 if sheet.game.highest_wins else 1
    charges = [one for hand in sheet.hands for one in hand.mark(seat).charges]
    return dict(Counter(one.rule for one in charges if one.rule or sign * one.points > 0))


def _rulings(sheet: ScoreSheet, seat: int) -> tuple[int, int]:
    lines = [one for hand in sheet.hands for one in hand.standing_rulings]
    found = [one.ruling.legal for one in lines if one.given.player == seat]
    return found.count(True), found.count(False)


# -- stored ---------------------------------------------------------------------------------------


def to_json(played: Played) -> str:
    """Return it as a line of JSON, which `from_json` reads."""
    return json.dumps(asdict(played), ensure_ascii=False, separators=(",", ":"))


def from_json(text: str) -> Played:
    """Read what `to_json` wrote. Raises ``ValueError`` for damaged text."""
    try:
        kept: dict[str, Any] = json.loads(text)
        lists = {name: tuple(one) for name, one in kept.items() if isinstance(one, list)}
        read = Played(**(kept | lists))
        if _is_sound(read):
            return read
    except (AttributeError, TypeError, ValueError, RecursionError):
        pass
    raise ValueError("This is no record of a seat in a finished game.")


def _is_sound(read: Played) -> bool:
    """True if a finished game can have these values. Raises all kinds of errors for others."""
    hands = len(read.points)
    upheld, against = read.rulings
    counts = (read.comeback, upheld, against, *read.penalties.values())
    numbers = (read.players, read.place, read.decided, *read.points, *read.out, *counts)
    texts = (read.game, read.sheet, *read.labels, *read.penalties)
    # To Python a bool is an int; here it is not.
    return (
        {*map(type, (read.points, read.labels, read.out, read.rulings))} == {tuple}
        and {*map(type, numbers)} == {int}
        and max(map(abs, numbers)) <= _LARGEST
        and {*map(type, texts)} == {str}
        and "".join(texts).isprintable()
        and read.game in GAMES
        and 1 <= read.place <= read.players > 1
        and read.players <= GAMES[read.game].players[1]
        and len(read.labels) == hands
        and all(1 <= hand <= hands for hand in (read.decided, *read.out))
        and min(counts) >= 0
    )


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat after the game's last event. All but the name is None until the game is over."""

    name: str
    game: str | None = None
    """The id of what was played: ``proter``."""
    place: int | None = None
    players: int | None = None
    played: str | None = None
    """The seat's `Played`, as text."""
    number: int | None = None
    """The event that all of this was worked out for."""
    finished_at: datetime | None = None


def seats(sheet: ScoreSheet) -> list[Seat]:
    """Return the seats of a game, in the order of play. The same events give the same seats.

    A game was finished when its last hand was first marked: a later correction does not move the
    evening. If no hand was marked, as when all but one have left, it is when the game began.
    """
    if not sheet.over:
        return [Seat(name) for name in sheet.names]
    assert sheet.started is not None  # noqa: S101  # every replayed sheet has it
    at = max((hand.markings[0].entry.at for hand in sheet.marked), default=sheet.started.at)
    return [
        Seat(name, one.game, one.place, one.players, to_json(one), sheet.number, at)
        for name, one in zip(sheet.names, played(sheet), strict=True)
    ]


# -- a person's figures ---------------------------------------------------------------------------


class Finished(NamedTuple):
    """A finished game of a person: its id, when it ended, and what the person's seat did."""

    id: str
    at: datetime
    played: Played


class Streak(NamedTuple):
    """Games in a row: up to the latest one, and the longest that there was."""

    now: int
    longest: int


class Quartiles(NamedTuple):
    """Points in the middle, and those between which the middle half lies."""

    low: float
    median: float
    high: float


class Record(NamedTuple):
    """The points of a hand or a game that is a record, and the first game that has it.

    ``hand`` is 0 and ``label`` empty if it is a whole game's; ``times`` is how often it was
    reached.
    """

    points: int
    game: Finished
    times: int
    hand: int = 0
    label: str = ""


class Cost(NamedTuple):
    """What hands of one wild rank, contract or box come to: how many, and their mean points."""

    label: str
    hands: int
    mean: float


@dataclass(frozen=True, slots=True)
class Points:
    """What points come to in games of one kind, three or more.

    ``hands`` are the points of a hand. The best and the worst ``hand`` and ``game`` are pairs;
    ``comeback`` has the most points made up, None without any. ``decided`` has each hand after
    which games were decided, with how many, the most first.
    """

    hands: Quartiles
    hand: tuple[Record, Record]
    game: tuple[Record, Record]
    comeback: Record | None
    costs: tuple[Cost, ...]
    decided: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Marks:
    """What a person's hands in games of one kind come to.

    ``hands`` is how many were played, ``out`` in how many of them the person went out;
    ``penalties`` is how many by rule. ``points`` are None under `FEWEST` games.
    """

    hands: int
    out: int
    penalties: Mapping[str, int]
    points: Points | None


class Ranks(NamedTuple):
    """How games ended, beside what chance gives.

    ``expected`` is how many wins that is: one over the number of players, summed up. ``place`` is
    the average place, from 0 for first to 1 for last. The streaks are of games won and not won.
    """

    expected: float
    place: float
    won: Streak
    without: Streak


@dataclass(frozen=True, slots=True)
class Figures:
    """What a person's games come to.

    ``wins`` has shared first places too; ``upheld`` and ``against`` are rulings on the person's
    plays. ``ranks`` are None under `FEWEST` games, ``marks`` if the games are not of one kind.
    """

    games: int
    wins: int
    upheld: int
    against: int
    ranks: Ranks | None
    marks: Marks | None


def chosen(
    games: Iterable[Finished],
    game: str = "",
    sheet: str = "",
    year: int = 0,
    month: int = 0,
    players: int = 0,
) -> list[Finished]:
    """Return the games that fit all that is given, in their order."""
    return [
        one
        for one in games
        if game in ("", one.played.game)
        and sheet in ("", one.played.sheet)
        and year in (0, one.at.year)
        and month in (0, one.at.month)
        and players in (0, one.played.players)
    ]


def figures(games: Iterable[Finished]) -> Figures:
    """Return what these games of a person come to, in whatever order they are."""
    rows = sorted(games, key=lambda one: (one.at, one.id))
    seats = [one.played for one in rows]
    return Figures(
        games=len(seats),
        wins=sum(seat.won for seat in seats),
        upheld=sum(seat.rulings[0] for seat in seats),
        against=sum(seat.rulings[1] for seat in seats),
        ranks=_ranks(seats) if len(seats) >= FEWEST else None,
        marks=_marks(rows) if len({seat.game for seat in seats}) == 1 else None,
    )


def _ranks(seats: Sequence[Played]) -> Ranks:
    return Ranks(
        expected=sum(1 / seat.players for seat in seats),
        place=sum((seat.place - 1) / (seat.players - 1) for seat in seats) / len(seats),
        won=_streak([seat.won for seat in seats]),
        without=_streak([not seat.won for seat in seats]),
    )


def _streak(games: Sequence[bool]) -> Streak:
    now = longest = 0
    for one in games:
        now = now + 1 if one else 0
        longest = max(now, longest)
    return Streak(now, longest)


def _marks(rows: Sequence[Finished]) -> Marks:
    seats = [one.played for one in rows]
    penalties: defaultdict[str, int] = defaultdict(int)
    for rule, times in chain.from_iterable(seat.penalties.items() for seat in seats):
        penalties[rule] += times
    return Marks(
        hands=sum(len(seat.points) for seat in seats),
        out=sum(len(seat.out) for seat in seats),
        penalties=dict(penalties),
        points=_points(rows, seats) if len(seats) >= FEWEST else None,
    )


def _points(rows: Sequence[Finished], seats: Sequence[Played]) -> Points:
    best, worst = (max, min) if game_named(seats[0].game).highest_wins else (min, max)
    comeback = _record(rows, lambda seat: (seat.comeback,), max)
    return Points(
        hands=quartiles([number for seat in seats for number in seat.points]),
        hand=(_record_hand(rows, best), _record_hand(rows, worst)),
        game=(
            _record(rows, lambda seat: (seat.total,), best),
            _record(rows, lambda seat: (seat.total,), worst),
        ),
        comeback=comeback if comeback.points else None,
        costs=_costs(seats),
        decided=tuple(Counter(seat.decided for seat in seats).most_common()),
    )


def quartiles(points: Sequence[int]) -> Quartiles:
    """Return the quartiles of points, of one or more hands; those between two hands in proportion.

    The lowest hand is at 0, the highest at 1, and the others at even distances between them.
    """
    ordered = sorted(points)

    def at(quarter: int) -> float:
        below, rest = divmod((len(ordered) - 1) * quarter, 4)
        above = ordered[below + 1] if rest else ordered[below]
        return ordered[below] + (above - ordered[below]) * rest / 4

    return Quartiles(at(1), at(2), at(3))


def _record(
    rows: Sequence[Finished],
    of: Callable[[Played], Sequence[int]],
    best: Callable[[Iterable[int]], int],
) -> Record:
    """Return the best of all points ``of`` a seat, and the first of these games that has it."""
    found = [of(one.played) for one in rows]
    points = best(map(best, found))
    first = next(one for one, its in zip(rows, found, strict=True) if points in its)
    return Record(points, first, sum(its.count(points) for its in found))


def _record_hand(rows: Sequence[Finished], best: Callable[[Iterable[int]], int]) -> Record:
    record = _record(rows, lambda seat: seat.points, best)
    seat = record.game.played
    at = seat.points.index(record.points)
    return record._replace(hand=at + 1, label=seat.labels[at])


def _costs(seats: Sequence[Played]) -> tuple[Cost, ...]:
    """Return what each label costs, in the order in which hands first had them."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for seat in seats:
        for label, points in zip(seat.labels, seat.points, strict=True):
            found[label].append(points)
    found.pop("", None)
    return tuple(Cost(label, len(all_), sum(all_) / len(all_)) for label, all_ in found.items())


def running_totals(seats: Sequence[Played]) -> list[float]:
    """Return the mean total after each hand, as far as all of these games went; empty for none."""
    hands = min((len(seat.points) for seat in seats), default=0)
    return [sum(sum(seat.points[:n]) for seat in seats) / len(seats) for n in range(1, hands + 1)]


# -- head to head ---------------------------------------------------------------------------------


class Against(NamedTuple):
    """How a person's games with somebody else ended: finished ``above``, equal, or ``below``."""

    name: str
    above: int
    equal: int
    below: int

    @property
    def games(self) -> int:
        """The games that both played."""
        return self.above + self.equal + self.below


def nemeses(rows: Iterable[Against]) -> list[Against]:
    """Return who finished above the person most often beyond half of their games.

    Empty if nobody did in `FEWEST` games or more; several if they did so equally often.
    """
    beyond = [(2 * one.below - one.games, one) for one in rows if one.games >= FEWEST]
    most = max((times for times, _ in beyond), default=0)
    return [one for times, one in beyond if times == most > 0]
