"""The figures of finished games, worked out by hand."""

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from companion.notebook.events import GameEnded, HandEntry, HousePenalty, PenaltyWithdrawn
from companion.notebook.figures import (
    Against,
    Finished,
    Played,
    nemesis,
    played,
    points_by_label,
    ranks,
    records,
    running_totals,
    seats,
    streak,
    to_json,
    versus,
)
from companion.rules import language
from tests.notebook.evening import (
    ANA,
    BEN,
    CEM,
    NAMES,
    WRONG_DISCARD,
    Evening,
    of_game,
    started,
)
from tests.notebook.test_rummies import EARLY, indian_rummy
from tests.services.seven_at_table import PENALTIES, TOTALS, whole_game

# -- the figures of a seat ------------------------------------------------------------------------


def carioca() -> Evening:
    """Return a game by points with a correction in hand 1: Ana 335, Ben 161, Chandi 263."""
    evening = of_game("carioca", names=("Ana", "Ben", "Chandi"))
    for out, points in (
        (ANA, {BEN: 64, CEM: 52}),
        (CEM, {ANA: 200, BEN: 22}),
        (BEN, {ANA: 18, CEM: 75}),
        (ANA, {BEN: 40, CEM: 33}),
        (BEN, {ANA: 27, CEM: 61}),
        (BEN, {ANA: 90, CEM: 12}),
        (ANA, {BEN: 42, CEM: 30}),
    ):
        evening.mark(out, points)
    evening.correct(1, ANA, {BEN: 57, CEM: 52})
    return evening


def test_nobody_has_played_before_the_game_is_over():
    evening = Evening()
    evening.mark_hands(12)
    name_alone = {"game", "place", "players", "played", "number", "finished_at"}
    for seat, name in zip(seats(evening.sheet), NAMES, strict=False):
        assert seat == dict.fromkeys(name_alone) | {"name": name}
    evening.mark_hands(1)
    assert [seat["place"] for seat in seats(evening.sheet)] == [1, 2, 2]
    # Ana has led from the first hand on.
    assert {seat.decided for seat in played(evening.sheet)} == {1}


def test_the_figures_of_each_seat_in_a_game_of_contracts():
    # Ana 0 200 218 218 245 335 335, Ben 57 79 79 119 119 119 161, Chandi 52 52 127 160 221 233 263.
    # Ana leads after hand 1, Chandi after hand 2, Ben from hand 3 on; he was 57 and 27 behind.
    ana, ben, chandi = played(carioca().sheet)
    contracts = (
        *("2 trios", "1 trio and 1 escalera", "2 escaleras", "3 trios"),
        *("2 trios and 1 escalera", "1 trio and 2 escaleras", "3 escaleras"),
    )
    points = (57, 22, 0, 40, 0, 0, 42)
    assert ben == Played(
        *("carioca", "carioca", 3, 1, points, contracts, (3, 5, 6), {}, (0, 0), 57, 3)
    )
    assert ana.points == (0, 200, 18, 0, 27, 90, 0)
    assert (ana.place, ana.total, ana.out, ana.comeback) == (3, 335, (1, 4, 7), 0)
    assert (chandi.place, chandi.total, chandi.out, chandi.comeback) == (2, 263, (2,), 0)
    assert {seat.decided for seat in (ana, ben, chandi)} == {3}
    assert [seat.won for seat in (ana, ben, chandi)] == [False, True, False]


class Shouted(language.Language):
    """A language of capital letters, in which every sentence differs."""

    def gettext(self, message: str, /) -> str:
        return message.upper()

    def ngettext(self, msgid1: str, msgid2: str, n: int, /) -> str:
        return super().ngettext(msgid1, msgid2, n).upper()


def test_labels_are_stored_in_english():
    sheet = carioca().sheet
    said = played(sheet)
    language.set_language(Shouted())
    try:
        assert language.gettext("Hand") == "HAND"
        assert played(sheet) == said
    finally:
        language.set_language(language.ENGLISH)


def test_the_figures_of_seven_players_of_proter():
    # Hand n makes rank n wild. Cards and penalties are worked out in tests/services/seven_at_table.
    seats = played(whole_game(rulings=True).sheet)
    assert [seat.total for seat in seats] == [TOTALS[0] + 20, *TOTALS[1:]]
    assert seats[0].labels == ("A", *map(str, range(2, 11)), "J", "Q", "K")
    assert [seat.place for seat in seats] == [7, 1, 5, 2, 3, 4, 6]
    assert sum(sum(seat.penalties.values()) for seat in seats) == PENALTIES + 1
    # Charged: the stock in hands 1 and 8, the pile in hand 3, a discard by ruling. Seat 0 holds
    # a Proter in no hand but 13, a king: 2 of its penalties are of 13.3 and one each of the others.
    assert seats[0].penalties == {"PRO-13.1": 1, "PRO-13.2": 1, "PRO-13.3": 2, "PRO-13.4": 1}
    assert [seat.rulings for seat in seats[:3]] == [(1, 1), (0, 1), (0, 0)]
    assert seats[0].out == (1, 8)


def test_undone_and_replaced_rulings_and_bonuses_are_no_penalties():
    evening = Evening()
    evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD, ask="discard")
    evening.undo()
    charged = evening.charge(BEN, "PRO-13.3")
    evening.write(PenaltyWithdrawn(1, charged.number))
    first = evening.write(evening.judged(BEN, "meld", "meld 4C 5C 6C"))
    evening.write(evening.judged(BEN, "meld", "meld 4C 5C 7C", lying=(), instead_of=first.number))
    evening.write(HousePenalty(1, BEN, 10, "late"))
    evening.write(HousePenalty(1, BEN, -10, "birthday"))
    evening.mark_hands(13)
    ben = played(evening.sheet)[BEN]
    assert ben.penalties == {"": 1}
    assert ben.rulings == (0, 1)


# Each in the order in which Ana fills them; Ben begins with the last.
ANAS = {
    "Thief": 5,
    "Beggar Man": 4,
    "Poor Man": 20,
    "Lawyer": 25,
    "Rich Man": -10,
    "Doctor": 30,
    "Indian Chief": 40,
}
BENS = (10, 20, -30, 0, 30, 2, 9)


def test_if_the_highest_total_wins_a_lower_total_is_behind():
    evening = of_game("indian_chief", names=NAMES[:2])
    for (box, points), other, its in zip(ANAS.items(), [*ANAS][::-1], BENS, strict=True):
        entries = [HandEntry(0, points=n, box=title) for title, n in ((box, points), (other, its))]
        evening.mark(None, dict(enumerate(entries)))
    # Ana 5 9 29 54 44 74 114, Ben 10 30 0 0 30 32 41: she is 5 and 21 behind.
    ana, ben = played(evening.sheet)
    assert ana.labels == tuple(ANAS)
    assert ben.labels == tuple(ANAS)[::-1]
    assert (ana.place, ana.total, ana.comeback, ana.out) == (1, 114, 21, ())
    assert (ben.place, ben.total, ben.comeback, ben.points) == (2, 41, 0, BENS)
    assert ana.decided == ben.decided == 3


def test_a_player_with_a_rummy_leads_whatever_the_points():
    # Ben has a Rummy, then Ana, who has more points, then Ana again: Ben led until hand 2, and
    # after it for he had no points. Ana had 80 for a wrong declaration.
    evening = indian_rummy("Ana", "Ben", turned="8", declared=[BEN])
    evening.charge(ANA, "IND-8")
    evening.mark(ANA, {})
    evening.mark(ANA, {BEN: 40})
    ana, ben = played(evening.sheet)
    assert (ana.place, ana.points, ben.points) == (1, (0, 80, 0), (0, 0, 40))
    assert (ana.decided, ana.comeback) == (3, 0)


def test_the_last_player_left_has_won_in_an_unmarked_hand():
    evening = indian_rummy("Ana", "Ben", turned="8", declared=[BEN])
    evening.charge(BEN, EARLY)
    ana, ben = played(evening.sheet)
    assert (ana.place, ana.points, ana.out, ana.decided) == (1, (0,), (), 2)
    assert (ben.place, ben.points, ben.out, ben.penalties) == (2, (0,), (1,), {EARLY: 1})
    assert (ana.total, ben.total) == (0, 10)


def test_a_hand_that_was_not_played_to_its_end_is_no_hand():
    # Ben touches the stock in hand 2, and then the game is ended.
    evening = Evening(started())
    evening.mark(ANA, {BEN: "5C", CEM: "9C"})
    evening.charge(BEN, "PRO-13.3")
    evening.write(GameEnded(2))
    every = played(evening.sheet)
    assert [(seat.points, seat.labels) for seat in every] == [((at,), ("A",)) for at in (0, 5, 9)]
    assert [(seat.place, seat.total) for seat in every] == [(1, 0), (3, 25), (2, 9)]
    assert all(seat.is_sound for seat in every)
    kept = [json.loads(to_json(seat)) for seat in every]
    assert [one.get("charged") for one in kept] == [None, 20, None]


def test_winners_who_share_the_first_place_decide_it_together():
    # Ana leads after hand 1, Ben after hand 2, Cem with 7 to 12 and 12 after hand 3; then Ana and
    # Ben by turns, who end with 17 each.
    evening = Evening()
    for points in [(0, 5, 4), (9, 0, 3), (3, 7, 0), *[(0, 1, 8), (1, 0, 8)] * 5]:
        out = points.index(0)
        evening.mark(out, {seat: n for seat, n in enumerate(points) if seat != out})
    seats = played(evening.sheet)
    assert [(seat.place, seat.total) for seat in seats] == [(1, 17), (1, 17), (3, 87)]
    assert [(seat.comeback, seat.decided) for seat in seats] == [(5, 4), (5, 4), (0, 4)]


BENS_GAME = Played(
    *("proter", "catsatcards", 3, 1, (12, 0, -5), ("A", "2", "3"), (2,), {"PRO-13.3": 1, "": 2}),
    *((1, 0), 7, 2),
)


def test_figures_that_no_finished_game_has_are_refused():
    assert BENS_GAME.is_sound
    assert replace(BENS_GAME, players=2).is_sound
    for damage in (
        {"game": "canasta"},
        {"players": 1, "place": 1},
        {"players": 8},
        {"points": (), "labels": ()},
        {"comeback": 1_000_001},
        {"penalties": {"": 1_000_001}},
        {"rulings": (1_000_001, 0)},
        {"place": 0},
        {"place": 4},
        {"points": (12, 0)},
        {"points": (12, 0, 1_000_001)},
        {"charged": 1_000_001},
    ):
        assert not replace(BENS_GAME, **damage).is_sound, damage


# -- a person's figures ---------------------------------------------------------------------------

THREES = ("A", "2", "3")


def proter(at: datetime, place: int, points: tuple[int, ...], players: int = 3, **more) -> Finished:
    seat = Played("proter", "catsatcards", players, place, points, THREES, (), {}, (0, 0), 0, 1)
    return Finished(f"{at:%d%H}", at, replace(seat, **more), {})


def day(number: int) -> datetime:
    return datetime(2026, 5, number, 22, tzinfo=UTC)


SEASON = [
    proter(day(1), 3, (44, 0, 0), out=(2, 3), decided=3),
    proter(day(2), 1, (0, 0, 20), 4, out=(1, 2), penalties={"PRO-13.3": 2, "": 1}, comeback=5),
    proter(day(3), 1, (8, 6, 2), 2, comeback=9, decided=3, rulings=(0, 2)),
    proter(day(4), 2, (0, 30, 10), 5, out=(1,), penalties={"PRO-13.3": 1}, decided=2),
    proter(day(5), 1, (0, 12, 4), out=(1,), comeback=9, decided=3, rulings=(1, 0)),
]


def test_wins_are_compared_with_chance_and_places_are_scaled_to_the_table():
    found = ranks(Counter((one.played.place, one.played.players) for one in SEASON))
    assert (found.games, found.wins) == (5, 3)
    # 1/3 + 1/4 + 1/2 + 1/5 + 1/3
    assert found.expected == pytest.approx(97 / 60)
    # Third of 3 is 1, second of 5 is 1/4, and three firsts are 0: 5/4 over 5 games.
    assert found.place == pytest.approx(1 / 4)


def test_a_record_belongs_to_the_first_game_that_set_it():
    assert records(SEASON, lambda seat: seat.points) == [(0, SEASON[0]), (44, SEASON[0])]
    # Totals 44, 20, 16, 40, 16.
    assert records(SEASON, lambda seat: (seat.total,)) == [(16, SEASON[2]), (44, SEASON[0])]
    # What wild ranks cost is not compared in hands that nothing tells apart.
    rows = [replace(one.played, labels=("", "2", "")) for one in SEASON]
    assert points_by_label(rows) == {"2": [0, 0, 6, 30, 12]}


def test_running_totals_are_means_over_the_games_that_had_the_hand():
    first, second = replace(BENS_GAME, points=(4, 0, 8)), replace(BENS_GAME, points=(0, 10))
    assert running_totals([first, second]) == [2, 7, 15]
    assert running_totals([first]) == [4, 4, 12]
    assert running_totals([]) == []


def test_streaks_have_a_current_and_a_longest_length():
    for games, now, longest in (
        ("", 0, 0),
        ("lost", 0, 0),
        ("won", 1, 1),
        ("won won lost won", 1, 2),
        ("won lost won won", 2, 2),
        ("won won lost", 0, 2),
    ):
        assert streak(one == "won" for one in games.split()) == (now, longest)


# -- head to head ---------------------------------------------------------------------------------


def test_opponents_are_listed_by_number_of_games_without_guests():
    # The person's own places are 3, 1, 1 and 2.
    places = [{"b": 2, "c": 5}, {"b": 1, "d": 3}, {"c": 1, "d": 2}, {"c": 3}]
    games = [game._replace(beside=its) for game, its in zip(SEASON, places, strict=False)]
    assert versus(games, {"c": "Cem", "b": "Ben", "e": "Eva"}) == [
        ("Cem", 2, 1, 0),
        ("Ben", 0, 1, 1),
    ]


NEMESES = [
    ([], None),
    ([("Ana", 0, 0, 2)], None),  # two games are too few
    ([("Ana", 1, 0, 2)], "Ana"),  # one game beyond half of three
    ([("Ana", 2, 0, 2)], None),  # just half
    ([("Ana", 1, 1, 2)], None),  # an equal place is no place below
    ([("Ana", 0, 0, 3), ("Ben", 10, 0, 20)], "Ben"),  # 1.5 and 5 beyond half
    ([("Ana", 0, 0, 3), ("Ben", 1, 0, 4), ("Cem", 9, 0, 1)], "Ben"),  # 1.5 each, of 3 and 5
]


def test_the_nemesis_finished_above_most_often_beyond_half():
    for rows, name in NEMESES:
        found = nemesis([Against(*row) for row in rows])
        assert (found and found.name) == name, rows
