"""The standings of seasons, worked out by hand."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from fractions import Fraction

import pytest

from companion.notebook.events import NotPossible
from companion.notebook.figures import Played
from companion.notebook.seasons import (
    FinishedGame,
    Plan,
    Result,
    Row,
    check,
    evenings,
    standings as ranked,
)

SPRING = Plan(
    name="Spring",
    game="proter",
    first_day=date(2026, 3, 1),
    last_day=date(2026, 5, 31),
    games="all",
    points=(5, 3, 2, 1),
    ties="shared",
    best=0,
)
SUMS = replace(SPRING, points=())
CHIEF = replace(SUMS, game="indian_chief")  # the highest total wins
IN_LIMA = timezone(timedelta(hours=-5))

# Seats as "Ana1" for a place and "Ana1:40" for a place and a total; small letters are for guests.
# A game is the seats with the day in March 2026 and the time at which it ended, from noon on.


def seat(told: str) -> tuple[str, Played]:
    who, _, total = told.partition(":")
    name, place = who[:-1], int(who[-1])
    return name if name[0].isupper() else "", came(place, int(total or 0))


def came(place: int, total: int) -> Played:
    return Played("", "", 0, place, (total,), ("",), (), {}, (0, 0), 0, 1)


def games(*told: str) -> list[FinishedGame]:
    """Return games on the 1st, 2nd … of March at 21:00, or at the time of "2/22:30"."""
    found = []
    for number, line in enumerate(told, 1):
        at, _, seats = line.rpartition("|")
        day, _, hour = (at or str(number)).partition("/")
        hours, minutes = map(int, (hour or "21:00").split(":"))
        ended = datetime(2026, 3, int(day), hours, minutes, tzinfo=IN_LIMA)
        found.append(FinishedGame(ended, [*map(seat, seats.split())]))
    return found


def standings(plan: Plan, *told: str) -> list[str]:
    """Return the final standings: place, name, points, evenings, games and wins."""
    return [
        f"{place} {name} {total.points} {counted} {total.games} {total.wins}"
        for name, place, total, counted, _ in ranked(plan, evenings(plan, games(*told)))
    ]


FULL = replace(SPRING, ties="full")
CASES = {
    "points for places": (
        SPRING,
        ["Ana1 Ben2 Cem3", "Ben1 Ana2 Cem3"],
        ["1 Ana 8 2 2 1", "1 Ben 8 2 2 1", "3 Cem 4 2 2 0"],  # 5+3, 3+5, 2+2
    ),
    "three firsts get a third of 5 and 3 and 2": (
        SPRING,
        ["Ana1 Ben1 Cem1 Dil4"],
        ["1 Ana 10/3 1 1 1", "1 Ben 10/3 1 1 1", "1 Cem 10/3 1 1 1", "4 Dil 1 1 1 0"],
    ),
    "three seconds get 3 each": (
        FULL,
        ["Ana1 Ben2 Cem2 Dil2"],
        ["1 Ana 5 1 1 1", "2 Ben 3 1 1 0", "2 Cem 3 1 1 0", "2 Dil 3 1 1 0"],
    ),
    "a guest fills places and is nowhere": (
        SPRING,
        ["guest1 Ana1 Ben3", "guest1 Ben2 Ana3"],
        ["1 Ana 6 2 2 1", "2 Ben 5 2 2 0"],  # (5+3)/2 and 2; 2 and 3
    ),
    "a game with one of its people does not count": (
        SPRING,
        ["Ana1 guest2", "Ana1 Ben2", "Ben1 guest2 guest3"],
        ["1 Ana 5 1 1 1", "2 Ben 3 1 1 0"],
    ),
    "the lowest sum of marks stands first": (
        SUMS,
        ["Ana1:10 Ben2:40 Cem3:41", "Ana3:80 Ben1:20 Cem2:30"],
        ["1 Ben 60 2 2 1", "2 Cem 71 2 2 0", "3 Ana 90 2 2 1"],
    ),
    "whoever stays at home does not win by it": (
        SUMS,
        ["Ana1:10 Ben2:40 Cem3:41", "Ben1:20 Cem2:30", "Cem1:5 Ben2:6"],
        ["1 Ben 66 3 3 1", "2 Cem 76 3 3 1", "3 Ana 10 1 1 1"],
    ),
    "the highest sum of marks stands first, however many evenings it took": (
        CHIEF,
        ["Ana1:90 Ben2:40", "Ben1:60 Cem2:-5", "Cem1:-1 Ben2:-30"],
        ["1 Ana 90 1 1 1", "2 Ben 70 3 3 1", "3 Cem -6 2 2 1"],
    ),
    "the best two of three evenings": (
        replace(SPRING, best=2),
        ["Ana1 Ben2 Cem3", "Cem1 Ben2 Ana3", "Ana1 Cem2 Ben3"],
        ["1 Ana 10 2 2 2", "2 Cem 8 2 2 1", "3 Ben 6 2 2 0"],  # 5+5, 5+3, 3+3
    ),
    "more games won decide between equal points": (
        replace(SPRING, points=(4, 2)),
        ["Ana1 Ben2", "Cem1 Ben2", "Dil1 Cem3"],
        # Ben has 2 and 2, Cem 4 and 0, Ana and Dil 4 each.
        ["1 Ana 4 1 1 1", "1 Cem 4 2 2 1", "1 Dil 4 1 1 1", "4 Ben 4 2 2 0"],
    ),
    "of evenings that came to the same, the one with a win counts": (
        replace(SUMS, best=1),
        ["Ana2:10 Ben1:5", "Ana1:10 Ben2:12"],
        ["1 Ben 5 1 1 1", "2 Ana 10 1 1 1"],
    ),
    "the first game of an evening, whatever comes first here": (
        replace(SPRING, games="first"),
        ["1/23:00|Ben1 Ana2", "1|Ana1 Ben2", "2|Ana1 Ben2"],
        ["1 Ana 10 2 2 2", "2 Ben 6 2 2 0"],
    ),
    "the last game of an evening, of those that can count": (
        replace(SPRING, games="last"),
        ["1|Ana1 Ben2", "1/22:00|Ben1 Ana2", "1/23:00|Ana1 guest2"],
        ["1 Ben 5 1 1 1", "2 Ana 3 1 1 0"],
    ),
}


@pytest.mark.parametrize(("plan", "played", "expected"), CASES.values(), ids=CASES)
def test_the_standings_of_a_season(plan, played, expected):
    assert standings(plan, *played) == expected


def test_a_day_lasts_until_six_in_the_morning_of_its_time_zone():
    seats = [seat("Ana1"), seat("Ben2")]
    for ended, day in (
        ("2026-03-07T21:00:00", date(2026, 3, 7)),
        ("2026-03-08T00:40:00", date(2026, 3, 7)),
        ("2026-03-08T05:59:59", date(2026, 3, 7)),
        ("2026-03-08T06:00:00", date(2026, 3, 8)),
        ("2026-06-01T05:59:00", date(2026, 5, 31)),
        ("2026-06-01T06:00:00", None),
        ("2026-03-01T05:59:00", None),
        ("2026-03-01T06:00:00", date(2026, 3, 1)),
    ):
        for zone in (UTC, IN_LIMA):
            at = datetime.fromisoformat(ended).replace(tzinfo=zone)
            found = evenings(SPRING, [FinishedGame(at, seats)])
            assert [its for its, _ in found] == ([day] if day else [])


def test_after_each_evening_the_standings_say_what_counts():
    # Ana 5, then away, then 3 and 5; Ben 3, 5, 5 and 3; Cem came on the second evening alone.
    plan = replace(SPRING, best=2)
    found = evenings(plan, games("Ana1 Ben2", "Ben1 Cem2", "Ben1 Ana2", "Ana1 Ben2"))
    first, second, _, fourth = (ranked(plan, found[:number]) for number in range(1, 5))
    yes = {points: (Fraction(points), True) for points in (3, 5)}
    no = {points: (Fraction(points), False) for points in (3, 5)}
    assert first == [
        Row("Ana", 1, Result(Fraction(5), 1, 1), 1, (yes[5],)),
        Row("Ben", 2, Result(Fraction(3), 1, 0), 1, (yes[3],)),
    ]
    assert second == [
        Row("Ben", 1, Result(Fraction(8), 2, 1), 2, (yes[3], yes[5])),
        Row("Ana", 2, Result(Fraction(5), 1, 1), 1, (yes[5], None)),
        Row("Cem", 3, Result(Fraction(3), 1, 0), 1, (None, yes[3])),
    ]
    assert [(row.name, row.place, row.total.points, row.results) for row in fourth] == [
        ("Ana", 1, 10, (yes[5], None, no[3], yes[5])),
        ("Ben", 1, 10, (no[3], yes[5], yes[5], no[3])),
        ("Cem", 3, 3, (None, yes[3], None, None)),
    ]
    assert found[-1][0] == date(2026, 3, 4)


def test_of_equal_evenings_the_earlier_one_counts():
    plan = replace(SPRING, best=1)
    ana, _ = ranked(plan, evenings(plan, games("Ana1 Ben2", "Ana1 Ben2")))
    assert ana.results == ((Fraction(5), True), (Fraction(5), False))


def test_the_highest_sum_wins_unless_marks_of_a_lowest_total_game_are_summed():
    assert [plan.highest_wins for plan in (SPRING, SUMS, CHIEF)] == [True, False, True]


# -- possible and impossible seasons --------------------------------------------------------------


def test_an_impossible_season_is_refused():
    for field, changed in (
        ("name", {"name": ""}),
        ("name", {"name": " "}),
        ("name", {"name": "x" * 61}),
        ("game", {"game": "chess"}),
        ("last", {"last_day": date(2026, 2, 28)}),
        ("points", {"points": (5, -1)}),
        ("points", {"points": (1001,)}),
        ("best", {"best": -1}),
        ("best", {"best": 101}),
    ):
        with pytest.raises(NotPossible) as refused:
            check(replace(SPRING, **changed))
        assert refused.value.field == field


def test_seasons_at_the_limits_are_accepted():
    for changed in (
        {"name": "x" * 60},
        {"last_day": None},
        {"last_day": SPRING.first_day},
        {"first_day": date(1900, 1, 1), "last_day": date(2999, 12, 31)},
        {"points": (1000, 0) * 10},
        {"points": ()},
        {"best": 100},
        {"games": "first", "ties": "full"},
    ):
        check(replace(SPRING, **changed))
