"""Malformed questions: each line has a question, the field at fault, and words of the error.

What the case tables say of errors in ``tests/rules/cases`` is not repeated here.
"""

import io
import json
import sys
from typing import Any

import pytest

from companion.check import answer_line, main
from tests.rules.case_tables import named

MELD = {"game": "proter", "ask": "meld", "hand": 8, "cards": "5C 6C 7C"}
TURN = {"game": "proter", "ask": "turn", "hand": 8}
SCORE = {"game": "proter", "ask": "score", "hand": 8}
LAY_OFF = MELD | {"ask": "lay_off", "table": ["9C 9D 9H"]}
SWAP = {"game": "proter", "ask": "swap", "hand": 8, "onto": 0}
DISCARD = {"game": "proter", "ask": "discard"}
ARRANGE = {"game": "proter", "ask": "arrange", "hand": 8, "cards": "5C 6C"}
RUMMY = {"game": "indian_rummy", "ask": "declare", "wild_rank": None, "cards": "3S 4S 5S"}
ANA = {"name": "Ana", "left": "5C"}
ROUND = {"game": "indian_chief", "ask": "round"}
THIEF = {"name": "Ana", "cards": "7C"}
SIX = {"game": "pay_me", "ask": "turn", "hand": 6, "table": ["5C XX=6C 7C"], "pile": "2C"}


def score(**said: Any) -> dict[str, Any]:
    players = [{"name": "Ana", "left": "5C", **said}]
    return {"game": "kalooki", "ask": "score", "hand": 1, "players": players}


NOT_UNDERSTOOD: list[tuple[Any, str, str]] = [
    # the question as a whole
    ("5C 6C 7C", "question", "must be a JSON object"),
    ({}, "game", "“game” is missing; there is proter"),
    ({"game": "proter"}, "ask", "“ask” must be one of meld, lay_off, swap, discard, turn, arrange"),
    (MELD | {"ask": "melt"}, "ask", "“ask” must be one of meld"),
    (MELD | {"game": "whist"}, "game", "There is no game “whist” here; there is proter"),
    (MELD | {"game": 8}, "game", "There is no game"),
    # sheet and house rules
    (MELD | {"sheet": "pagat"}, "sheet", "Proter has no sheet “pagat”; it has catsatcards"),
    (MELD | {"sheet": 1}, "sheet", "must be the id of a sheet"),
    (MELD | {"rules": []}, "rules", "must be an object"),
    (MELD | {"rules": {"aces": "high"}}, "rules", "Proter has no house rule “aces”"),
    (
        MELD | {"rules": {"ace_in_runs": "up"}},
        "rules",
        "ace_in_runs has no choice “up”; it has high, low, both",
    ),
    (MELD | {"rules": {"ace_in_runs": ["high"]}}, "rules", "ace_in_runs has no choice"),
    (MELD | {"rules": {"min_naturals": 3}}, "rules", "min_naturals has no choice “3”"),
    (MELD | {"rules": {"penalty_points": 501}}, "rules", "takes a whole number from 0 to 500"),
    (MELD | {"rules": {"penalty_points": 2.5}}, "rules", "takes a whole number from 0 to 500"),
    (MELD | {"rules": {"penalty_points": "²"}}, "rules", "not “²”"),
    # hand and packs
    (MELD | {"hand": 0}, "hand", "Proter has hands 1 to 13"),
    (MELD | {"hand": 14}, "hand", "Proter has hands 1 to 13"),
    (MELD | {"hand": 8.0}, "hand", "must be a whole number from 1 to 13"),
    (MELD | {"hand": True}, "hand", "must be a whole number from 1 to 13"),
    (MELD | {"packs": 2}, "packs", "Proter is played with 1 pack"),
    (MELD | {"packs": True}, "packs", "Proter is played with 1 pack"),
    # cards
    ({"game": "proter", "ask": "meld", "hand": 8}, "cards", "“cards” is missing"),
    (MELD | {"cards": 5}, "cards", "“cards” must be cards, like"),
    (MELD | {"cards": ["5C", 6]}, "cards", "“cards” must be cards, like"),
    (MELD | {"cards": ""}, "cards", "“cards” is empty"),
    (MELD | {"cards": ["5C 6C", "7C"]}, "cards", "“5C 6C” is not a card"),
    (MELD | {"cards": "5C 6C 7X"}, "cards", "“7X” is not a card"),
    (MELD | {"cards": "\ud800"}, "cards", "“\ud800” is not a card"),
    (MELD | {"cards": "5C 6C 8H="}, "cards", "“8H=” is not a card that stands for another"),
    (MELD | {"cards": "5C 6C 8H=7C=7C"}, "cards", "“8H=7C=7C” is not a card that stands"),
    (MELD | {"cards": "5C 6C 8H=XX"}, "cards", "8♥ cannot stand for a joker"),
    # the table and the pile
    (MELD | {"table": "9C 9D 9H"}, "table", "“table” must be a list of melds"),
    (MELD | {"table": [9]}, "table", "“table” must be cards, like"),
    (MELD | {"table": [""]}, "table", "A meld on the table has no cards"),
    (MELD | {"table": ["9C 9D 9C"]}, "table", "9♣ is twice in the melds on the table"),
    (MELD | {"table": ["9C 9D 9H", "9C TC JC"]}, "table", "9♣ is twice in the melds on the table"),
    (MELD | {"table": ["9C 9D 9H"], "pile": "2C 9H"}, "table", "9♥ is in the melds on the table"),
    (MELD | {"table": ["9C 9D 9H=9S"]}, "table", "9♥ is not wild in this hand"),
    (
        MELD | {"table": ["8C=8C 8D=8D 8H=8H"], "rules": {"min_naturals": 1}},
        "table",
        "This meld has no natural cards, and needs at least 1. (PRO-6)",
    ),
    (MELD | {"table": ["9C 9D 8H"]}, "table", "8♥ could be 9♥, 9♠. Say which, like 8H=9H"),
    (MELD | {"pile": "2C 2Y"}, "pile", "“2Y” is not a card"),
    (MELD | {"pile": "2C 2C 2C"}, "pile", "2♣ is three times in the pile"),
    (MELD | {"pile": "2C 8H=2D"}, "pile", "“8H=2D” is not a card"),
    # the player
    (MELD | {"player": "Ana"}, "player", "“player” must be an object"),
    (MELD | {"player": {"melded": True}}, "player", "There is no entry “melded” here"),
    (MELD | {"player": {"melded_this_turn": 1}}, "player", "must be true or false"),
    # single plays
    (MELD | {"ask": "lay_off"}, "onto", "must be the index of a meld on the table, from 0"),
    (MELD | {"ask": "lay_off", "onto": True}, "onto", "must be the index"),
    (LAY_OFF | {"onto": -1}, "onto", "There is no meld -1 on the table; it has 1, counted from 0"),
    (SWAP, "card", "“card” is missing"),
    (SWAP | {"card": "6C", "joker_to": "left"}, "joker_to", "“joker_to” must be low or high"),
    (DISCARD | {"card": "8H=6C"}, "card", "“8H=6C” is not a card"),
    # turns
    (TURN, "plays", "“plays” must be a list of plays, with at least one"),
    (TURN | {"plays": {"meld": "5C 6C 7C"}}, "plays", "must be a list of plays"),
    (TURN | {"plays": ["5C"]}, "plays[0]", "must be an object"),
    (TURN | {"plays": [{}]}, "plays[0]", "must be one of meld, lay_off"),
    (
        TURN | {"plays": [{"discard": "2C"}, {"meld": "5C 6C 7C", "discard": "2D"}]},
        "plays[1]",
        "must be one of meld, lay_off",
    ),
    (TURN | {"plays": [{"meld": "5C 6C 7C", "onto": 0}]}, "plays[0]", "no entry “onto” here"),
    (TURN | {"plays": [{"lay_off": "5C", "onto": 0}]}, "plays[0]", "There is no meld 0"),
    (TURN | {"plays": [{"meld": ""}]}, "plays[0]", "“meld” is empty"),
    (TURN | {"plays": [{"discard": "2C 3C"}]}, "plays[0]", "must be one card, not 2"),
    (TURN | {"plays": [{"discard": "2C"}], "holding": None}, "holding", "must be cards"),
    (TURN | {"plays": [{"discard": "2C"}], "holding": "3C"}, "plays[0]", "2♣ is not among"),
    # arrangements
    (ARRANGE | {"cards": "5C 5C"}, "cards", "5♣ is twice in the cards"),
    (ARRANGE | {"onto": ["5C 5D 5H"]}, "cards", "5♣ is in the melds on the table and in the cards"),
    (ARRANGE | {"onto": ["9C 9D 8H"]}, "onto", "8♥ could be 9♥, 9♠"),
    # marks
    (SCORE, "players", "“players” must be a list of players, with at least one"),
    (SCORE | {"players": [{"name": " ", "left": "5C"}]}, "players[0]", "needs a “name”"),
    (SCORE | {"players": [{"name": "Ana"}]}, "players[0]", "Ana's cards are missing"),
    (SCORE | {"players": [{"name": "Ana", "cards": "5C"}]}, "players[0]", "no entry “cards” here"),
    (SCORE | {"players": [{"name": "Ana", "out": 1}]}, "players[0]", "must be true or false"),
    (SCORE | {"players": [ANA | {"penalties": "PRO-13.3"}]}, "players[0]", "list of rule numbers"),
    (SCORE | {"players": [ANA | {"penalties": [13]}]}, "players[0]", "must be a list of rule"),
    # rounds
    (ROUND | {"plays": [{"name": "Ana"}]}, "plays[0]", "Ana shows no card"),
    (ROUND | {"plays": [THIEF | {"suits": "H"}]}, "plays[0]", "no entry “suits” here"),
    (ROUND | {"plays": [THIEF | {"suit": 1}]}, "plays[0]", "must be a suit"),
    (ROUND | {"plays": [THIEF | {"split": ""}]}, "plays[0]", "“split” is empty"),
    # declarations
    (RUMMY | {"melds": ["3S 4S 5S", ""]}, "melds", "A meld has no cards"),
    # what a game does not have
    (SIX | {"ask": "swap", "card": "6C", "onto": 0}, "ask", "Pay Me has no question “swap”"),
    (SIX | {"plays": [{"swap": "6C", "onto": 0}]}, "plays[0]", "Pay Me has no swaps"),
    (SIX | {"plays": [{"take_pile": True}]}, "plays[0]", "In Pay Me nobody takes the whole pile"),
    (ARRANGE | {"ask": "declare"}, "ask", "Proter has no question “declare”"),
    (RUMMY | {"ask": "arrange", "onto": ["5C 6C 7C"]}, "ask", "Indian Rummy has no lay-offs"),
    # bounds
    (score(calls=100), "players[0]", "from 0 to 99"),
    (score(penalties=["KAL-"]), "players[0]", "must be a list of rule numbers"),
    (score(penalties=["KAL-4"] * 100), "players[0]", "“penalties” has 100 entries; 99 is"),
    (score(name="A" * 61), "players[0]", "A “name” has at most 60 letters"),
    (score(left=["5C"] * 163), "players[0]", "“left” has 163 entries; 162 is the most"),
    (score(left="5C " * 163), "players[0]", "“left” has 163 entries; 162 is the most"),
    (MELD | {"cards": "5" * 2001}, "cards", "“cards” is longer than cards can be"),
    (MELD | {"table": ["5C"] * 61}, "table", "“table” has 61 entries; 60 is the most"),
    (MELD | {"ask": "lay_off", "onto": 10**9}, "onto", "must be the index of a meld"),
    (TURN | {"plays": [{}] * 61}, "plays", "“plays” has 61 entries"),
    (MELD | {"sheet": "s" * 99}, "sheet", f"has no sheet “{'s' * 30}”"),
    (MELD | {"rules": {"r" * 99: 1}}, "rules", f"has no house rule “{'r' * 30}”"),
    (MELD | {"packs": 10**9}, "packs", "Proter is played with 1 pack"),
    (MELD | {"hand": 10**20}, "question", "is too long a number"),
    (MELD | {"note": "n" * 100_000}, "question", "This line is longer than 100000 letters"),
    (
        {"game": "pay_me", "ask": "arrange", "hand": 1, "cards": "AC " * 31},
        *("cards", "31 cards are more than a player can hold"),
    ),
    (
        score(left="AC " * 31) | {"game": "indian_rummy", "wild_rank": None},
        *("players[0]", "31 cards are more than a player can hold in Indian Rummy"),
    ),
    (MELD | {"id": "i" * 200}, "id", "“id” is longer than 200 letters"),
]


def test_the_largest_allowed_values_are_answered():
    assert reply(score(calls=99))[0]["scores"]["Ana"]["points"] == 5 + 96 * 50
    assert reply(MELD | {"id": "i" * 180})[0]["id"] == "i" * 180
    assert reply(score(name="A" * 60))[0]["scores"]


def reply(question: Any) -> tuple[dict[str, Any], bool]:
    text, ruled = answer_line(json.dumps(question))
    assert text.encode("utf-8")
    return json.loads(text), ruled


def test_an_error_names_what_is_wrong_and_where():
    for question, where, words in NOT_UNDERSTOOD:
        with named(json.dumps(question)):
            given, ruled = reply(question)
            assert not ruled
            assert set(given) == {"error", "where"}
            assert (given["where"], words in given["error"]) == (where, True), given


NO_JSON = [
    "",
    "meld 5C 6C 7C",
    '{"ask": "meld"',
    '{"ask": "meld"} {"ask": "meld"}',
    "{'ask': 'meld'}",
    '{"id": NaN}',
    '{"id": -Infinity}',
    '{"id": 1e999}',
    f'{{"id": {"9" * 5000}}}',
]


def test_a_line_that_is_not_json_gets_an_error():
    for line in NO_JSON:
        with named(line[:99]):
            text, ruled = answer_line(line)
            assert not ruled
            given = json.loads(text)
            assert given["where"] == "question"
            assert given["error"].startswith("This line is not JSON: ")


@pytest.mark.parametrize("depth", [300, 980, 990, 1000, 100_000])
def test_a_question_of_any_depth_is_answered(depth):
    deep = "[" * depth + "]" * depth
    for line in (
        deep,
        f'{{"id": {deep}}}',
        f'{{"ask": {deep}}}',
        f'{{"ask": "meld", "hand": {deep}}}',
    ):
        text, ruled = answer_line(line)
        assert not ruled
        assert "error" in text


@pytest.mark.parametrize("id_", [7, "a", None, ["x", 1.5], {"y": True}, "", "♣", "\ud800"])
def test_an_id_comes_back_with_a_ruling_and_with_an_error(id_):
    ruling, ruled = reply(MELD | {"id": id_})
    assert ruled
    assert (ruling["id"], ruling["legal"]) == (id_, True)
    error, ruled = reply({"id": id_, "game": "proter", "ask": "melt"})
    assert not ruled
    assert (error["id"], error["where"]) == (id_, "ask")


def test_different_spellings_of_a_question_get_the_same_answer():
    for said in (
        {"sheet": None},
        {"sheet": "catsatcards"},
        {"rules": {}},
        {"rules": {"ace_in_runs": None}},
        {"rules": {"ace_in_runs": "high", "min_naturals": "0", "penalty_points": " 20 "}},
        {"rules": {"lay_off_needs_meld": False, "winner_pays_no_meld": True}},
        {"rules": {"claim_until": "next_draw"}},
        {"packs": 1},
        {"table": []},
        {"pile": ""},
        {"pile": []},
        {"player": {}},
        {"player": {"name": "Ana", "contract_met": True}},
        {"cards": ["5C", "6C", "7C"]},
        {"cards": "7c,6C , 5♣"},
        {"cards": ["7C=7C", "6♣\ufe0f", "5C"]},
        {"joker_to": "low", "note": "by phone"},  # what is not asked for is ignored
    ):
        assert reply(MELD | said) == reply(MELD)


def test_a_ruling_has_these_entries():
    asked = MELD | {"cards": "5C 8H 7C", "table": [["6C", "6D", "6S"]]}
    given, ruled = reply(asked | {"player": {"melded_this_turn": True}})
    assert ruled
    assert given == {
        "legal": False,
        "broken": ["PRO-9"],
        "readings": ["5C 8H=6C 7C"],
        "points": 20,
        "take_back": "turn",
        "turn_passes": True,
        "says": "6♣ is already on the table, in 6♣ 6♦ 6♠; 8♥ would stand for it. "
        "20 points; the whole turn is taken back and the next player plays.",
        "elsewhere": {"playginrummyonline": False},
    }


def test_a_turn_has_these_entries():
    given, ruled = reply(
        TURN
        | {
            "plays": [{"swap": "6C", "onto": 0}, {"discard": "8H"}],
            "table": ["5C 8H=6C 7C"],
            "pile": "2C",
            "holding": "6C JD",
        }
    )
    assert ruled
    plays = given.pop("plays")
    assert given == {
        "legal": True,
        "broken": [],
        "readings": [],
        "points": 0,
        "take_back": "none",
        "turn_passes": False,
        "says": "Legal: the whole turn.",
        "elsewhere": {"playginrummyonline": False},
        "table_after": ["5C 6C 7C"],
        "pile_after": ["2C", "8H"],
        "holding_after": ["JD"],
    }
    assert (plays[0]["took"], plays[0]["meld_after"]) == ("8H", "5C 6C 7C")
    assert "took" not in plays[1]


def test_an_arrangement_has_these_entries():
    given, ruled = reply(ARRANGE | {"cards": "5C 6C 7C 9S KH", "onto": ["9C 9D 9H"]})
    assert ruled
    assert given == {
        "points": 13,
        "melds": ["5C 6C 7C"],
        "laid_off": [{"cards": "9S", "onto": 0}],
        "deadwood": ["KH"],
    }


def test_each_ruling_is_flushed_before_the_next_question_is_read():
    class Sink(io.StringIO):
        flushed = 0

        def flush(self) -> None:
            self.flushed += 1

    sink = Sink()

    def questions() -> Any:
        for asked in range(3):
            assert sink.flushed == asked
            yield json.dumps(MELD)

    assert main(questions(), sink) == 0  # every line was ruled on
    assert sink.flushed == 3
    assert main(io.StringIO(""), sink) == 0


def test_standard_input_may_hold_any_bytes_and_each_line_is_answered(monkeypatch):
    first, last = (json.dumps(MELD | {"id": id_}).encode() for id_ in (1, 2))
    bad = b'{"game": "proter", "ask": "\xff\xfe"}'
    lines = b"\xef\xbb\xbf" + first + b"\n\n" + bad + b"\n" + last + b"\r\n"
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines), encoding="ascii"))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main() == 2
    ruling, error, other = (json.loads(line) for line in written.getvalue().decode().splitlines())
    assert ruling["legal"]
    assert (ruling["id"], error["where"], other["id"]) == (1, "ask", 2)


def test_answering_ends_when_the_output_is_closed(monkeypatch, tmp_path):
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    with (tmp_path / "stdout").open("w") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        assert main(io.StringIO("nonsense\n" * 3), Closed()) == 2
