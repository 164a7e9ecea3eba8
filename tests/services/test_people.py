"""The people of a notebook: seats by name, changes by the marker, figures from entries."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from functools import partial

import pytest
from sqlalchemy import text

from companion.notebook import events
from companion.notebook.events import Event, HandEntry, HandMarked, NotPossible
from companion.notebook.figures import Played, to_json, versus
from companion.notebook.names import LONGEST_NAME
from companion.services import NotFound, export, game_log, games, people
from companion.services.people import NEW, read_seats
from companion.store import Database, MarkerRecord, SeatRow, people as store
from tests.at_once import at_once
from tests.notebook.evening import started
from tests.notebook.test_figures import BENS_GAME
from tests.services.seven_at_table import as_file, whole_game


@pytest.fixture
def table(db: Database, marker: MarkerRecord) -> "Table":
    return Table(db, marker)


class Table:
    """A notebook's games and people, with the marker's actions."""

    def __init__(self, db: Database, marker: MarkerRecord) -> None:
        self.db, self.marker, self.games = db, marker, 0

    def begin(self, *names: str) -> str:
        """Begin a game of these people; return its id."""
        self.games += 1
        return games.start(self.db, self.marker, started(names), f"start-{self.games}")

    def write(self, game: str, event: Event) -> int:
        """Record an event; return its number."""
        base = game_log.load_game(self.db, game, self.marker.id).sheet.number
        written = game_log.write(
            self.db, game, self.marker.id, base=base, key=f"act-{base}", make=lambda _: event
        )
        return written[1].number

    def play(self, game: str, out: int = 0) -> None:
        """Mark the first hand, which a player wins, and end the game after it.

        In the seat after theirs a seven is left, in the next one an eight, and so on.
        """
        seats = range(len(self.rows(game)))
        cards = {seat: f"{'789T'[(seat - out) % len(seats) - 1]}{'CDHS'[seat]}" for seat in seats}
        left = tuple(HandEntry(seat, cards[seat]) for seat in seats if seat != out)
        self.write(game, HandMarked(1, out, left))
        self.write(game, events.GameEnded(2))

    def over(self, *names: str, out: int = 0) -> str:
        """Play a game, which by default the first of these people wins; return its id."""
        game = self.begin(*names)
        self.play(game, out)
        return game

    def names(self) -> dict[str, int]:
        """Return the people who are not hidden, with the number of their games."""
        found = people.people(self.db, self.marker)
        return {one.name: found.counts[one.id] for one in found.everybody if not one.hidden}

    def id(self, name: str) -> str:
        everybody = people.people(self.db, self.marker).everybody
        (found,) = (one.id for one in everybody if one.name == name)
        return found

    def hide(self, name: str, *, hidden: bool = True) -> None:
        """Hide a person from all figures and lists, or show the person again."""
        one = self.page(name).record
        people.change(self.db, self.marker, one.id, one.name, one.colour, hidden=hidden)

    def call(self, name: str, otherwise: str, colour: str = "red") -> None:
        """Give a person another name."""
        people.change(self.db, self.marker, self.id(name), otherwise, colour, hidden=False)

    def page(self, name: str) -> people.Person:
        return people.person(self.db, self.marker, self.id(name))

    def versus(self, name: str) -> list[tuple[str, int, int, int]]:
        """Return how a person's games with each other person ended: above, equal and below."""
        page = self.page(name)
        return [(*one,) for one in versus(page.played, page.others)]

    def whose(self, game: str) -> list[str]:
        """Return the name of the person in each seat, empty for a guest."""
        _, seats, known = people.seats_at(self.db, self.marker, game)
        called = {one.id: one.name for one in known}
        return [called[seat.person_id] if seat.person_id else "" for seat in seats]

    def give(self, game: str, *whose: str) -> None:
        """Give the seats to these people, by their names."""
        given = [one if one in {"", NEW} else self.id(one) for one in whose]
        people.give_seats(self.db, self.marker, game, given)

    def rows(self, game: str) -> list[SeatRow]:
        with self.db.read() as session:
            return store.seats_of(session, game)


# -- matching names to people ---------------------------------------------------------------------


def test_accents_do_not_matter_unless_there_is_an_exact_match(table, db, marker):
    table.begin("José", "Ana")
    assert table.whose(table.begin("Jose", "Ána")) == ["José", "Ana"]
    assert table.page("José").names == ["Jose", "José"]
    people.split_off(db, marker, table.id("José"), "Jose")
    assert table.whose(table.begin("Jose", "josé")) == ["Jose", "José"]
    table.begin("दीपा", "Ana")  # vowel signs are no accents
    assert table.whose(table.begin("दपा", "Ana")) == ["दपा", "Ana"]


def test_a_new_person_gets_one_of_the_rarest_colours(table):
    table.begin("A", "B", "C", "D", "E", "F", "G")
    table.begin("H", "I", "J")
    shown = people.people(table.db, table.marker).everybody
    colours = dict(zip("ABCDEFGHIJ", [*people.COLOURS] * 2, strict=False))
    assert {one.name: one.colour for one in shown} == colours


def test_an_imported_game_is_joined_with_its_figures(table, db, marker):
    table.begin("Wolfeschlegelsteinhausenberger", "Ben")
    game, _ = export.import_game(db, marker, as_file(whole_game()))
    assert table.names()["Wolfeschlegelsteinhausenberger"] == 2
    # Everybody's points are 171, 152, 173, 155, 159, 162 and 184.
    assert [row.place for row in table.rows(game)] == [5, 1, 6, 2, 3, 4, 7]


def test_a_changed_name_is_matched_again_and_other_seats_keep_their_people(table):
    game = table.begin("Ana", "Bne")
    table.begin("Ben", "Chandi")
    table.give(game, NEW, "Bne")
    table.write(game, events.PlayerRenamed(1, "Ben"))
    assert table.whose(game) == ["Ana", "Ben"]
    # Nobody is called Bne any more. Who has played most comes first.
    assert [*table.names().items()] == [("Ben", 2), ("Ana", 1), ("Chandi", 1)]


def test_a_persons_current_name_matches_before_a_former_one(table):
    first = table.begin("Ana", "Ben")
    second = table.begin("Ana", "Chandi")
    table.give(second, NEW, "Chandi")
    assert table.whose(second) == ["Ana 2", "Chandi"]
    assert table.whose(table.begin("Ana", "Dil")) == ["Ana", "Dil"]
    assert table.whose(table.begin("ana 2", "Dil")) == ["Ana 2", "Dil"]
    assert table.whose(first) == ["Ana", "Ben"]
    table.write(second, events.PlayerRenamed(1, "Eva"))
    assert table.whose(second) == ["Ana 2", "Eva"]  # a name that is not changed keeps its person


def test_a_former_name_of_two_people_matches_the_one_who_played_last(table, db, marker):
    table.begin("Ana", "Ben")
    second = table.begin("Ana", "Chandi")
    table.give(second, NEW, "Chandi")
    table.call("Ana", "Grandma")
    table.call("Ana 2", "Ana of the Bells")
    assert table.whose(table.begin("Ana", "Dil")) == ["Ana of the Bells", "Dil"]


def test_a_guests_name_stays_a_guest_until_a_person_has_it(table):
    game = table.begin("Ana", "Visitor")
    table.give(game, "Ana", "")
    assert table.names() == {"Ana": 1}
    later = table.begin("Ana", "visitor")
    assert table.whose(later) == ["Ana", ""]
    table.give(later, "Ana", NEW)
    assert table.whose(table.begin("Ana", "Visitor")) == ["Ana", "visitor"]


def test_nobody_gets_two_seats_by_two_spellings(table, db, marker):
    table.begin("Anna", "Ben")
    table.begin("Ana", "Ben")
    people.merge(db, marker, table.id("Ana"), table.id("Anna"))
    assert table.whose(table.begin("Anna", "Ana")) == ["Anna", "Ana"]
    assert table.names() == {"Ana": 3, "Ben": 2, "Anna": 1}


def test_a_new_name_is_never_too_long(table):
    long = "Maximiliana-Friederike Schulze"
    game = table.begin(long, "Ben")
    table.begin(long, "Ben")
    table.give(game, NEW, "Ben")
    (new,) = {*table.names()} - {long, "Ben"}
    assert new == "Maximiliana-Friederike Schul 2"
    assert len(new) == LONGEST_NAME


def test_people_of_the_last_games_are_offered_without_guests_and_hidden_people(table, db, marker):
    first = table.begin("Ana", "Ben", "Chandi")
    second = table.begin("ana", "Esha", "Visitor", "Dil")
    table.give(second, "Ana", "Esha", "", "Dil")
    table.hide("Dil")
    assert people.people_at(db, [second, first]) == ["Ana", "Esha", "Ben", "Chandi"]
    assert people.people_at(db, []) == []


def test_several_new_games_with_a_new_name_get_one_person(table):
    begun = [table.begin("Ana", f"Ben {number}") for number in range(4)]
    at_once(4, lambda number: table.write(begun[number], events.PlayerRenamed(1, "Chandi")))
    assert table.names() == {"Ana": 4, "Chandi": 4}


# -- figures --------------------------------------------------------------------------------------


def test_a_game_has_figures_only_while_it_is_over(table):
    game = table.begin("Ana", "Ben", "Chandi")
    assert [row.played for row in table.rows(game)] == [None] * 3
    table.play(game)
    rows = table.rows(game)
    assert [(row.place, row.players, row.number) for row in rows] == [(n, 3, 3) for n in (1, 2, 3)]
    assert [read_played(row.played).points for row in rows] == [(0,), (7,), (8,)]
    marked = game_log.load_game(table.db, game, table.marker.id).entries[1]
    assert {row.finished_at for row in rows} == {marked.at}
    # A correction of an old hand changes them, and not the evening.
    left = (HandEntry(0, points=130, melded=True), HandEntry(2, points=5, melded=True))
    number = table.write(game, events.HandCorrected(1, 1, left))
    rows = table.rows(game)
    assert [read_played(row.played).points for row in rows] == [(130,), (0,), (5,)]
    assert [(row.place, row.number) for row in rows] == [(3, number), (1, number), (2, number)]
    assert {row.finished_at for row in rows} == {marked.at}
    table.write(game, events.Undone(number))
    table.write(game, events.Undone(3))
    none = (None, None, None)
    assert [(row.place, row.played, row.finished_at) for row in table.rows(game)] == [none] * 3


def test_a_person_has_their_games_figures_and_how_they_finished_beside_others(table, db):
    table.over("Ana", "Ben", "Chandi")
    last = table.over("Ben", "Ana", out=1)
    table.begin("Ana", "Dil")
    page = table.page("Ana")
    assert page.names == ["Ana"]
    assert [(one.played.place, one.played.players) for one in page.played] == [(1, 2), (1, 3)]
    assert page.played[0][0] == last
    every = people.played_in(db, [last])
    assert [sorted(one.place for one in seats) for seats in every.values()] == [[1, 2]]
    assert table.versus("Ana") == [("Ben", 2, 0, 0), ("Chandi", 1, 0, 0)]
    assert table.versus("Ben") == [("Ana", 0, 0, 2), ("Chandi", 1, 0, 0)]
    assert table.versus("Dil") == []


def ranking(found: people.People) -> tuple[list[str], str, list[str]]:
    return found.games, found.game, [person.name for person, _ in found.best]


def test_the_best_at_a_game_have_the_best_average_place(table, db, marker, other):
    assert ranking(people.people(db, marker, "proter")) == ([], "", [])
    table.over("Ana", "Ben", "Chandi")  # places 1, 2 and 3
    table.over("Ben", "Ana", out=1)  # 2 and 1
    assert ranking(people.people(db, marker)) == (["proter"], "proter", [])  # two games are too few
    table.over("Ana", "Chandi")
    table.over("Ben", "Chandi", "Ana")
    table.begin("Dil", "Ana")  # which is not over
    found = people.people(db, marker, "kalooki")  # nobody has played it to its end
    assert (found.games, found.game) == (["proter"], "proter")
    assert [(person.name, one.games, one.wins) for person, one in found.best] == [
        ("Ana", 4, 3),
        ("Ben", 3, 1),
        ("Chandi", 3, 0),
    ]
    # One over the number of players: of Ana's games 3, 2, 2 and 3; of the others' 3, 2 and 3.
    chances = [1 / 3 + 1 / 2 + 1 / 2 + 1 / 3, 1 / 3 + 1 / 2 + 1 / 3, 1 / 3 + 1 / 2 + 1 / 3]
    assert [one.expected for _, one in found.best] == pytest.approx(chances)
    # The second of three is halfway between first and last.
    places = [(0 + 0 + 0 + 1) / 4, (1 / 2 + 1 + 0) / 3, (1 + 1 + 1 / 2) / 3]
    assert [one.place for _, one in found.best] == pytest.approx(places)
    table.hide("Ben")
    assert ranking(people.people(db, marker, ""))[2] == ["Ana", "Chandi"]
    assert ranking(people.people(db, other, "proter")) == ([], "", [])


def test_a_persons_page_follows_every_change_of_the_seats(table, db, marker):
    def shown() -> tuple[list[int], list[tuple[str, int, int, int]]]:
        page = table.page("Ana")
        return [one.played.place for one in page.played], table.versus("Ana")

    game = table.over("Ana", "Ben")
    later = table.begin("Ana", "Ben", "Chandi")
    assert shown() == ([1], [("Ben", 1, 0, 0)])
    table.play(later)
    assert shown() == ([1, 1], [("Ben", 2, 0, 0), ("Chandi", 1, 0, 0)])
    table.write(game, events.HandCorrected(1, 1, (HandEntry(0, points=130, melded=True),)))
    assert shown() == ([1, 2], [("Ben", 1, 0, 1), ("Chandi", 1, 0, 0)])
    table.write(game, events.GameDeleted())
    assert shown() == ([1], [("Ben", 1, 0, 0), ("Chandi", 1, 0, 0)])
    assert [*table.names().items()] == [("Ana", 1), ("Ben", 1), ("Chandi", 1)]
    table.write(game, events.GameRestored())
    table.give(game, "Ana", NEW)
    assert shown()[1] == [("Ben", 1, 0, 0), ("Ben 2", 0, 0, 1), ("Chandi", 1, 0, 0)]
    people.merge(db, marker, table.id("Ben"), table.id("Ben 2"))
    assert shown()[1] == [("Ben", 1, 0, 1), ("Chandi", 1, 0, 0)]
    table.call("Ben", "Benno", "teal")
    assert table.page("Benno").record.colour == "teal"
    people.split_off(db, marker, table.id("Benno"), "Ben")
    assert shown()[1] == [("Ben", 1, 0, 1), ("Chandi", 1, 0, 0)]
    ben = table.id("Ben")
    table.hide("Ben")
    assert shown() == ([1, 2], [("Chandi", 1, 0, 0)])
    assert people.person(db, marker, ben).played == []
    table.write(game, events.Undone(game_log.load_game(db, game, marker.id).sheet.can_undo.number))
    assert shown() == ([1, 1], [("Chandi", 1, 0, 0)])  # the correction is undone
    table.give(table.over("Chandi", "Ben"), "Chandi", "Ana")
    assert shown()[1] == [("Chandi", 1, 0, 1)]


def test_two_simultaneous_page_views_count_each_game_once(table, monkeypatch):
    table.over("Ana", "Ben")
    read = people.read_seats

    def read_slowly(rows):  # somebody else asks for the page meanwhile
        monkeypatch.setattr(people, "read_seats", read)
        assert len(table.page("Ana").played) == 1
        return read(rows)

    monkeypatch.setattr(people, "read_seats", read_slowly)
    assert len(table.page("Ana").played) == 1
    assert len(table.page("Ana").played) == 1


# -- changes --------------------------------------------------------------------------------------


def test_an_impossible_change_names_its_field_and_changes_nothing(table, db, marker, other):
    game, there = table.begin("Ana", "Ben"), Table(db, other)
    there.begin("Ana", "Ben")
    ana, ben = table.id("Ana"), table.id("Ben")
    for field, ask, cases in (
        ("name", table.call, [("Ana", "ben"), ("Ana", "")]),
        ("colour", table.call, [("Ana", "Ana", ""), ("Ana", "Ana", "Red")]),
        # What is no other spelling of hers.
        ("", partial(people.split_off, db, marker, ana), [("Ana",), ("Ben",), ("",), ("A\0",)]),
        # Nobody is merged with themselves, with nobody, or with whom they played.
        (
            *("other", partial(people.merge, db, marker, ana)),
            [(one,) for one in (ana, "", "nobody", "\0", there.id("Ben"), ben)],
        ),
        # Nobody sits twice in a game, or elsewhere.
        (
            *("person.1", partial(people.give_seats, db, marker, game)),
            [([ana, ana],), ([ana, "nobody"],), ([ana, there.id("Ben")],)],
        ),
        ("", partial(people.give_seats, db, marker, game), [([ana],), ([ana, ben, NEW],)]),
    ):
        for case in cases:
            with pytest.raises(NotPossible) as refused:
                ask(*case)
            assert refused.value.field == field, case
    assert table.names() == there.names() == {"Ana": 1, "Ben": 1}
    assert table.whose(game) == ["Ana", "Ben"]
    table.write(game, events.GameDeleted())
    with pytest.raises(NotPossible, match="Ana and Ben played in the same game"):
        people.merge(db, marker, ana, ben)


def test_two_spellings_are_merged_and_separated_again(table, db, marker):
    table.over("Ana", "Ben")
    table.over("Anna", "Ben", out=1)
    table.over("anna", "Ben")
    assert people.merge(db, marker, table.id("Ana"), table.id("Anna")) == "Anna"
    assert table.names() == {"Ana": 3, "Ben": 3}
    page = table.page("Ana")
    assert page.names == ["Ana", "Anna", "anna"]
    assert table.versus("Ana") == [("Ben", 2, 0, 1)]
    new = people.split_off(db, marker, page.record.id, "anna")
    assert table.names() == {"Ana": 1, "anna": 2, "Ben": 3}
    assert table.id("anna") == new
    assert table.versus("anna") == [("Ben", 1, 0, 1)]


def test_a_seat_is_given_to_somebody_else_to_a_guest_and_back(table):
    game = table.over("Ana", "Ben", "Chandi")
    table.begin("Dil", "Ben")
    table.give(game, "Dil", "", "Chandi")
    assert table.whose(game) == ["Dil", "", "Chandi"]
    assert table.versus("Dil") == [("Chandi", 1, 0, 0)]
    assert table.names() == {"Ben": 1, "Dil": 2, "Chandi": 1}
    table.give(game, NEW, "Ben", "Chandi")
    assert table.whose(game) == ["Ana", "Ben", "Chandi"]
    assert table.versus("Ana") == [("Ben", 1, 0, 0), ("Chandi", 1, 0, 0)]
    table.give(game, NEW, "Ben", "Chandi")  # the form was sent twice
    assert table.whose(game) == ["Ana", "Ben", "Chandi"]
    table.give(game, "Ben", "Ana", "Chandi")  # two seats change places
    assert table.whose(game) == ["Ben", "Ana", "Chandi"]


def test_another_notebook_is_told_nothing_and_changes_nothing(table, db, other):
    game, ana = table.begin("Ana", "Ben"), table.id("Ana")
    for ask in (
        lambda: people.person(db, other, ana),
        lambda: people.change(db, other, ana, "X", "red", hidden=True),
        lambda: people.merge(db, other, ana, table.id("Ben")),
        lambda: people.split_off(db, other, ana, "Ana"),
        lambda: people.seats_at(db, other, game),
        lambda: people.give_seats(db, other, game, ["", ""]),
        lambda: people.person(db, table.marker, "nobody"),
        lambda: people.seats_at(db, table.marker, "nogame"),
    ):
        with pytest.raises(NotFound):
            ask()
    assert table.names() == {"Ana": 1, "Ben": 1}


# -- older games, and what follows from the entries ------------------------------------------------


def test_joined_older_games_are_listed_until_a_marker_has_looked(table, db, marker):
    game = table.begin("Ana", "Ben")
    gone = table.begin("Ana", "Dil")
    table.write(gone, events.GameDeleted())
    assert people.people(db, marker).joined == []
    with db.write() as session:
        joined = text("UPDATE notebook SET joined_until = :at")
        session.connection().execute(joined, {"at": datetime(2100, 1, 1, tzinfo=UTC)})
    assert [one.id for one in people.people(db, marker).joined] == [game]
    people.dismiss_joined(db, marker)
    assert people.people(db, marker).joined == []


def read_played(text: str | bytes) -> Played | None:
    """Return a seat's figures as read from a row; None if they cannot be read."""
    found = [played for _, _, played, _ in read_seats([("g", datetime.now(UTC), text, None)])]
    return found[0] if found else None


def damage(db: Database, statement: str) -> None:
    """Run SQL on the tables, without foreign keys."""
    url = db._engine.url
    if url.drivername == "sqlite":
        with closing(sqlite3.connect(url.database or "")) as connection, connection:
            connection.execute(statement)
        return
    with db.rewrite() as connection:
        connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
        connection.exec_driver_sql(statement)


DAMAGED = [
    "UPDATE seat SET played = '{}'",
    "UPDATE seat SET place = 3 WHERE place = 1",
    "UPDATE seat SET number = 2",
    "UPDATE seat SET name = 'Eve' WHERE seat = 0",
    "UPDATE seat SET name = x'ff' WHERE seat = 0",
    "UPDATE seat SET played = x'ff'",
    "UPDATE seat SET finished_at = NULL",
    "DELETE FROM seat WHERE seat = 1",
    "DELETE FROM seat",
    "INSERT INTO seat (game_id, seat, name) SELECT id, 9, 'Eve' FROM game",
    "DELETE FROM person WHERE name = 'Ben'",
]


def mended(db):
    """Repair the games, and return what was wrong with them."""
    with db.read() as session:
        found = [fault for fault in games.faults(session) if fault]
    for fault in found:
        games.repair_game(fault.game.id, db)
    return found


def test_wrong_figures_are_computed_again_from_the_entries(table, db):
    game = table.over("Ana", "Ben")
    before = [(row.name, row.place, row.played, row.number) for row in table.rows(game)]
    assert mended(db) == []
    for statement in DAMAGED:
        damage(db, statement)
        (fault,) = mended(db)
        assert str(fault).endswith("the stored figures of its players differ from its entries.")
        assert mended(db) == []
        rows = table.rows(game)
        assert [(row.name, row.place, row.played, row.number) for row in rows] == before
        assert table.whose(game) == ["Ana", "Ben"]


NO_GAMES = ("", "{", "null", "[]", "7", '"Ben"', "{}", "[" * 100_000, '{"1": 2}', b"\xff")


def test_figures_come_back_from_json_unless_no_finished_game_can_have_them():
    text = to_json(BENS_GAME)
    whole = json.loads(text)
    assert "\n" not in text
    assert read_played(text) == BENS_GAME
    for rubbish in (*NO_GAMES, text[:-1], '{"game": "\\ud800"}'):
        assert read_played(rubbish) is None
    for field in whole:
        lacking = {name: value for name, value in whole.items() if name != field}
        assert read_played(json.dumps(lacking)) is None
        for value in (None, True, 0.5, 1e400, [None], [5, 5, "5"], {"": None}):
            assert read_played(json.dumps(whole | {field: value})) is None, (field, value)
    # Of the right types, but of no game that can be.
    assert read_played(json.dumps(whole | {"place": 4})) is None


def test_unreadable_figures_are_left_out_and_a_missing_place_is_compared_with_none(table, db):
    game = table.over("Ana", "Ben")
    damage(db, "UPDATE seat SET place = NULL WHERE seat = 1")
    assert len(table.page("Ana").played) == 1
    assert table.versus("Ana") == []
    mended(db)
    for change, places in (
        ("'no' WHERE seat = 0", [2]),
        ("NULL WHERE seat = 0", [2]),
        ("'no'", []),
    ):
        damage(db, f"UPDATE seat SET played = {change}")
        assert table.page("Ana").played == []
        read = people.played_in(db, [game]).get(game, [])
        assert [one.place for one in read] == places


def test_a_damaged_game_is_named_and_other_games_get_their_figures(table, db, marker):
    game = table.over("Ana", "Ben")
    bad = table.begin("Chandi", "Dil")
    damage(db, "UPDATE seat SET place = 2")
    damage(db, f"UPDATE event SET payload = '{{}}' WHERE game_id = '{bad}'")
    seats = "the stored figures of its players differ from its entries."
    found = [(fault.game.id, fault.says == seats) for fault in mended(db)]
    assert found == [(game, True), (bad, False)]
    assert [row.place for row in table.rows(game)] == [1, 2]
