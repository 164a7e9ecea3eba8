"""Seasons of a notebook: making and changing them, their games, people and viewers."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import date, datetime, timedelta

import pytest
from sqlmodel import select

from companion.notebook.events import GameDeleted, GameRestored, NotPossible, PlayerRenamed
from companion.notebook.seasons import Plan, standings as ranked
from companion.services import NotFound, people, seasons
from companion.store import Database, MarkerRecord, digest, people as store
from companion.store.models import SeasonPersonRow
from tests.services.test_people import Table, damage

YEARS = Plan("All the years", "proter", date(2000, 1, 1), None, "all", (5, 3, 2, 1), "shared", 0)
SUMS = replace(YEARS, name="Sums", points=())


@pytest.fixture
def table(db: Database, marker: MarkerRecord) -> Table:
    return Table(db, marker)


def add(table: Table, plan: Plan = YEARS, people: Sequence[str] = ()) -> str:
    """Add a season with these people, by name; return its id."""
    names = [one.name for one in seasons.seasons(table.db, table.marker)]
    if plan.name in names:
        plan = replace(plan, name=f"{plan.name} {len(names) + 1}")
    return seasons.save(table.db, table.marker, plan, [table.id(name) for name in people])


def rows(shown: seasons.Season) -> list[str]:
    """Return the final standings: place, name, points and games."""
    last = ranked(shown.plan, shown.evenings)
    return [f"{row.place} {row.name} {row.total.points} {row.total.games}" for row in last]


def standings(table: Table, season_id: str) -> list[str]:
    return rows(seasons.season(table.db, table.marker, season_id))


def chosen(table: Table, season_id: str) -> list[str]:
    shown = seasons.season(table.db, table.marker, season_id)
    return [one.name for one in shown.record.people]


def finished(table: Table, game: str, at: datetime) -> None:
    """Set the time at which a game ended."""
    with table.db.write() as session:
        for row in store.seats_of(session, game):
            row.finished_at = at


# -- made, changed and deleted --------------------------------------------------------------------


def test_a_season_is_kept_as_it_was_planned(table, db, marker):
    table.begin("Ana", "Ben", "Cem")
    plan = Plan("Spring", "proter", date(2026, 3, 1), date(2026, 5, 31), "last", (7, 0), "full", 4)
    season_id = add(table, plan, ["Cem", "Ana"])
    shown = seasons.season(db, marker, season_id)
    assert shown.plan == plan
    assert [one.name for one in shown.record.people] == ["Ana", "Cem"]
    assert (shown.record.everybody, shown.evenings) == (False, [])
    other_plan = replace(SUMS, game="kalooki")
    seasons.save(db, marker, other_plan, [], season_id)
    shown = seasons.season(db, marker, season_id)
    assert (shown.plan, shown.record.people, shown.record.everybody) == (other_plan, [], True)


def test_the_season_that_began_last_comes_first(table, db, marker, other):
    assert seasons.seasons(db, marker) == []
    for name, first in (("Old", 2), ("Older", 1), ("New", 3), ("Newer", 3)):
        add(table, replace(YEARS, name=name, first_day=date(2026, first, 1)))
    names = [one.name for one in seasons.seasons(db, marker)]
    assert names == ["Newer", "New", "Old", "Older"]
    assert seasons.seasons(db, other) == []


def test_what_is_no_season_is_refused(table, db, marker, other):
    table.begin("Ana", "Ben")
    there = Table(db, other)
    there.begin("Ana", "Ben")
    season_id = add(table)
    add(table, replace(YEARS, name="Taken"))
    ana, ben = table.id("Ana"), table.id("Ben")
    for plan, among, field in (
        (replace(YEARS, name="Taken"), [], "name"),
        (YEARS, [ana], "people"),
        (YEARS, [ana, ana], "people"),
        (YEARS, [ana, "nobody"], "people"),
        (YEARS, [ana, "\0"], "people"),
        (YEARS, [ben, there.id("Ana")], "people"),
    ):
        for ask in (
            lambda plan=plan, among=among: seasons.save(db, marker, plan, among),
            lambda plan=plan, among=among: seasons.save(db, marker, plan, among, season_id),
        ):
            with pytest.raises(NotPossible) as refused:
                ask()
            assert refused.value.field == field
    assert {one.name for one in seasons.seasons(db, marker)} == {YEARS.name, "Taken"}


def test_a_plan_is_read_from_the_form_and_an_error_names_its_field():
    entered = {"first_day": "2000-01-01", "points": ["5", "3", "2", "1"], "best": "0", "more": "1"}
    assert seasons.read_plan(asdict(YEARS) | entered) == YEARS
    no_day, no_number = "Enter the day as in 2026-01-31.", "Enter whole numbers."
    for name, entered, field, says in (
        ("first_day", "", "first", no_day),
        ("last_day", "tomorrow", "last", no_day),
        ("points", ["5", "2.5"], "points", no_number),
        ("best", "few", "best", no_number),
        ("best", "-1", "best", "At most 100 evenings count for each player, or all."),
    ):
        with pytest.raises(NotPossible) as refused:
            seasons.read_plan(asdict(YEARS) | {name: entered})
        assert (refused.value.field, str(refused.value)) == (field, says)


def test_no_two_seasons_have_the_same_name_in_any_letters(table, db, marker):
    for name in ("Friday cup", "É 1"):
        season_id = add(table, replace(YEARS, name=name))
    for name in ("friday  CUP", "Ｆriday cup", "Friday\u200b cup", "e\u0301 1"):
        with pytest.raises(NotPossible, match=r"^Another season has this name\.$"):
            seasons.save(db, marker, replace(YEARS, name=name), [])
    with pytest.raises(NotPossible, match="Another season"):
        seasons.save(db, marker, replace(YEARS, name="FRIDAY CUP"), [], season_id)
    seasons.save(db, marker, replace(YEARS, name="é 1"), [], season_id)  # its own
    assert {one.name for one in seasons.seasons(db, marker)} == {"Friday cup", "é 1"}


def test_another_notebook_is_told_nothing_and_changes_nothing(table, db, marker, other):
    season_id = add(table)
    key = seasons.season(db, marker, season_id).record.viewer_key
    for who, id_ in ((other, season_id), (marker, "nothing"), (marker, "\0"), (marker, "é")):
        for ask in (
            lambda who=who, id_=id_: seasons.season(db, who, id_),
            lambda who=who, id_=id_: seasons.save(db, who, SUMS, [], id_),
            lambda who=who, id_=id_: seasons.delete(db, who, id_),
            lambda who=who, id_=id_: seasons.change_link(db, who, id_, digest(key)),
        ):
            with pytest.raises(NotFound):
                ask()
    assert seasons.season(db, marker, season_id).plan == YEARS
    assert seasons.season_for_viewer(db, key).record.id == season_id


def test_a_viewers_key_shows_its_season_until_there_is_another(table, db, marker):
    table.over("Ana", "Ben")
    first, second = add(table), add(table, SUMS)
    old = seasons.season(db, marker, first).record.viewer_key
    assert seasons.season_for_viewer(db, old).plan == YEARS
    seasons.change_link(db, marker, first, digest(old))
    new = seasons.season(db, marker, first).record.viewer_key
    assert new != old
    seasons.change_link(db, marker, first, digest(old))  # sent twice
    assert rows(seasons.season_for_viewer(db, new)) == ["1 Ana 5 1", "2 Ben 3 1"]
    assert seasons.season(db, marker, first).record.viewer_key == new
    for key in (old, "", "\0", "\ud800", first, second):
        with pytest.raises(NotFound):
            seasons.season_for_viewer(db, key)
    # It is deleted, and its games and people stay.
    seasons.delete(db, marker, first)
    for ask in (
        lambda: seasons.season_for_viewer(db, new),
        lambda: seasons.season(db, marker, first),
    ):
        with pytest.raises(NotFound):
            ask()
    assert [one.id for one in seasons.seasons(db, marker)] == [second]
    assert table.names() == {"Ana": 1, "Ben": 1}
    assert len(standings(table, second)) == 2


# -- which games count ----------------------------------------------------------------------------


def test_deleted_unfinished_and_other_games_do_not_count(table, db, other):
    season_id = add(table)
    game = table.over("Ana", "Ben")
    table.begin("Ana", "Ben")
    assert standings(table, season_id) == ["1 Ana 5 1", "2 Ben 3 1"]
    assert standings(table, add(table, replace(YEARS, game="carioca"))) == []
    there = Table(db, other)
    assert standings(there, add(there)) == []
    table.write(game, GameDeleted())
    assert standings(table, season_id) == []
    table.write(game, GameRestored())
    assert standings(table, season_id) == ["1 Ana 5 1", "2 Ben 3 1"]
    # Any days that can be entered are days of a season.
    first, last = date(1900, 1, 1), date(2999, 12, 31)
    for days, count in (((first, last), 2), ((last, None), 0), ((first, first), 0)):
        plan = replace(YEARS, first_day=days[0], last_day=days[1])
        assert len(standings(table, add(table, plan))) == count


@pytest.fixture(params=["Pacific/Kiritimati", "Etc/GMT+12"])
def far_away(request, monkeypatch) -> Iterator[None]:
    """A time zone in which days begin first, or last."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


def test_days_are_those_of_the_servers_time_zone(table, far_away):
    day = date(2026, 3, 14)
    season_id = add(table, replace(YEARS, first_day=day, last_day=day))
    game = table.over("Ana", "Ben")
    midnight = datetime(2026, 3, 14).astimezone()
    for hour, counts in ((5.9, False), (6, True), (29.9, True), (30, False)):
        finished(table, game, midnight + timedelta(hours=hour))
        assert (standings(table, season_id) != []) is counts


# -- who counts -----------------------------------------------------------------------------------


def test_guests_and_hidden_people_take_places_but_are_not_in_the_standings(table, db, marker):
    game = table.over("Ana", "Ben", "Cem", "Dil")
    season_id = add(table)
    table.give(game, "", "Ben", "Cem", "Dil")
    assert standings(table, season_id) == ["1 Ben 3 1", "2 Cem 2 1", "3 Dil 1 1"]
    table.hide("Ben")
    key = seasons.season(db, marker, season_id).record.viewer_key
    assert rows(seasons.season_for_viewer(db, key)) == ["1 Cem 2 1", "2 Dil 1 1"]
    table.hide("Ben", hidden=False)
    assert standings(table, season_id) == ["1 Ben 3 1", "2 Cem 2 1", "3 Dil 1 1"]


def test_a_chosen_person_who_is_hidden_is_not_named_until_shown_again(table, db, marker):
    table.over("Ana", "Ben", "Cem")
    season_id = add(table, people=["Ana", "Ben", "Cem"])
    ana, ben, cem = map(table.id, ("Ana", "Ben", "Cem"))
    table.hide("Ben")
    assert chosen(table, season_id) == ["Ana", "Ben", "Cem"]
    assert standings(table, season_id) == ["1 Ana 5 1", "2 Cem 2 1"]
    seasons.save(db, marker, SUMS, [ana, ben, cem], season_id)  # all that the form shows
    table.hide("Ben", hidden=False)
    assert chosen(table, season_id) == ["Ana", "Ben", "Cem"]
    table.hide("Ben")
    seasons.save(db, marker, SUMS, [ana, cem], season_id)
    table.hide("Ben", hidden=False)
    assert chosen(table, season_id) == ["Ana", "Cem"]


def test_merged_people_take_over_each_others_seasons(table, db, marker):
    table.over("Ana", "Ben")
    table.over("Anna", "Ben", out=1)
    of_ana = add(table, people=["Ana", "Ben"])
    of_anna = add(table, people=["Anna", "Ben"])
    of_both = add(table, people=["Ana", "Anna", "Ben"])
    assert standings(table, of_anna) == ["1 Ben 5 1", "2 Anna 3 1"]
    people.merge(db, marker, table.id("Ana"), table.id("Anna"))
    for season_id in (of_ana, of_anna, of_both):
        assert chosen(table, season_id) == ["Ana", "Ben"]
        assert standings(table, season_id) == ["1 Ana 8 2", "1 Ben 8 2"]
    # Parted again, nobody's games leave a season.
    people.split_off(db, marker, table.id("Ana"), "Anna")
    for season_id in (of_ana, of_anna, of_both):
        assert chosen(table, season_id) == ["Ana", "Anna", "Ben"]
        assert standings(table, season_id) == ["1 Ben 8 2", "2 Ana 5 1", "3 Anna 3 1"]
    # Whose name is changed stands under the new one, and their only spelling takes it along.
    table.call("Ana", "Grandma", "teal")
    assert standings(table, of_ana) == ["1 Ben 8 2", "2 Grandma 5 1", "3 Anna 3 1"]
    assert chosen(table, of_ana) == ["Anna", "Ben", "Grandma"]
    people.split_off(db, marker, table.id("Grandma"), "Ana")
    assert chosen(table, of_ana) == ["Ana", "Anna", "Ben"]


def test_people_without_a_seat_leave_their_seasons_which_still_have_chosen_people(table, db):
    game = table.over("Ana", "Ben")
    season_id = add(table, people=["Ana", "Ben"])
    table.write(game, PlayerRenamed(0, "Cem"))
    assert chosen(table, season_id) == ["Ben"]
    table.give(game, "Cem", "")
    table.over("Cem", "Dil")
    shown = seasons.season(db, table.marker, season_id)
    assert (shown.record.people, shown.evenings, shown.record.everybody) == ([], [], False)
    with db.read() as session:
        assert session.exec(select(SeasonPersonRow)).all() == []
    with pytest.raises(NotPossible, match="None of those who were chosen") as refused:
        seasons.save(db, table.marker, SUMS, [], season_id)
    assert refused.value.field == "people"
    assert seasons.season(db, table.marker, season_id).plan == YEARS
    cem, dil = table.id("Cem"), table.id("Dil")
    seasons.save(db, table.marker, YEARS, [cem, dil], season_id)
    assert chosen(table, season_id) == ["Cem", "Dil"]
    seasons.save(db, table.marker, YEARS, [], season_id)
    assert seasons.season(db, table.marker, season_id).record.everybody


# -- seasons of earlier versions, and damage -------------------------------------------------------


# Earlier versions took any year, as it was typed. The field is the first that is refused now.
OLD_DAYS = [
    (date(1, 1, 1), date(9999, 12, 31), "first", 2),
    (date(202, 1, 31), None, "first", 2),
    (date(1899, 12, 31), date(1899, 12, 31), "first", 0),
    (date(2026, 1, 1), date(3000, 1, 1), "last", 2),
    (date(3000, 1, 1), None, "first", 0),
]


def test_a_season_of_an_earlier_version_is_scored_in_whatever_years(table, db, marker):
    table.over("Ana", "Ben")
    for first, last, field, count in OLD_DAYS:
        season_id = add(table)
        damage(db, f"UPDATE season SET first_day = '{first}'")
        if last:
            damage(db, f"UPDATE season SET last_day = '{last}'")
        shown = seasons.season(db, marker, season_id)
        assert (shown.plan.first_day, shown.plan.last_day) == (first, last)
        assert len(rows(shown)) == count
        with pytest.raises(NotPossible, match="Enter a year from 1900 to 2999") as refused:
            seasons.save(db, marker, shown.plan, [], season_id)
        assert refused.value.field == field
        seasons.delete(db, marker, season_id)


RUBBISH = [
    ("points", "'5 x'"),
    ("games", "'5 x'"),
    ("ties", "'x'"),
    ("best", "-1"),
    ("game", "'chess'"),
    ("first_day", "'infinity'"),
    ("last_day", "'-infinity'"),
    ("first_day", "'0044-03-15 BC'"),
]
# What only a file can hold.
IN_A_FILE = [
    (column, rubbish)
    for column in ("first_day", "last_day", "best")
    for rubbish in ("''", "'rubbish'", "7.5", "'infinity'")
]


def test_a_damaged_season_is_not_scored_and_can_be_deleted(table, db, marker):
    is_file = db._engine.url.drivername == "sqlite"
    if is_file:  # a game that ended at no time is left out
        table.over("Ana", "Ben")
        season_id = add(table)
        damage(db, "UPDATE seat SET finished_at = '2026-13-01'")
        assert standings(table, season_id) == []
        seasons.delete(db, marker, season_id)
    for column, rubbish in RUBBISH + IN_A_FILE * is_file:
        season_id = add(table)
        damage(db, f"UPDATE season SET {column} = {rubbish}")
        assert [*map(seasons.plan_of, seasons.seasons(db, marker))] == [None]
        with pytest.raises(seasons.DamagedSeason):
            seasons.season(db, marker, season_id)
        seasons.delete(db, marker, season_id)
        assert seasons.seasons(db, marker) == []
