"""Unknown facts (``null``) are judged both ways, and asked for only if they decide."""

from itertools import product
from random import Random
from typing import Any

from hypothesis import given

from companion.check import answer
from companion.rules.cards import PACK, format_cards
from companion.rules.games import GAMES
from tests.rules.case_tables import FACTS, plays
from tests.rules.drawing import CHANCE, a_position

OUTCOME = ("legal", "broken", "points", "take_back", "turn_passes")

PROTER = {"game": "proter", "hand": 8}
CARIOCA = {"game": "carioca", "hand": 2}
TRIO = ["8D 8H 8S"]


def asked(question: dict[str, Any], **player: bool | None) -> dict[str, Any]:
    return answer(question | {"player": player} if player else question)


def test_a_ruling_mentions_no_reason_that_depends_on_an_unknown_fact():
    # CAR-5 either way: the six is not a five; before the contract it would also be too early.
    question = CARIOCA | {"ask": "lay_off", "cards": "6S", "onto": 0, "table": ["5C 5D 5H"]}
    found = asked(question, contract_met=None)
    assert found["broken"] == ["CAR-5"]
    assert "earlier turn" not in found["says"]
    assert "earlier turn" in asked(question, contract_met=False)["says"]


def test_an_unknown_pile_is_not_listed_and_its_taker_may_hold_any_cards():
    turn = PROTER | {"ask": "turn", "plays": [{"meld": "5C 6C 7C"}], "pile": None}
    assert "pile_after" not in asked(turn)
    assert asked(turn | {"pile": "9S"})["pile_after"] == ["9S"]
    plays = [{"take_pile": True}, {"meld": "5C 6C 7C"}, {"discard": "9D"}]
    turn = PROTER | {"ask": "turn", "plays": plays, "holding": "5C 6C 9D"}
    found = asked(turn | {"pile": None})
    assert found["legal"] is True
    assert "holding_after" not in found
    assert asked(turn | {"pile": "7C"})["holding_after"] == []


def test_elsewhere_is_null_in_a_case_for_a_sheet_where_another_unknown_fact_decides():
    # PRO-7: on this sheet no Proter in the first meld of a turn, on the other none in that of the
    # hand. With a Proter in it after a meld of this turn it is legal on both.
    found = asked(
        PROTER | {"ask": "meld", "cards": "5C 8H 7C"}, melded_this_hand=None, melded_this_turn=None
    )
    assert found["depends_on"] == ["melded_this_turn"]
    _, first = found["cases"]
    assert (first["broken"], first["elsewhere"]) == (["PRO-7"], {"playginrummyonline": None})


def test_a_turns_ruling_leaves_out_plays_that_an_unknown_fact_decides():
    # CAR-5: in the turn of the contract no lay-off, after it no further meld.
    plays = [{"meld": "5C 5D 5H"}, {"meld": "7C 7D 7H"}, {"lay_off": "8C", "onto": 0}]
    turn = {"game": "carioca", "hand": 1, "ask": "turn", "table": TRIO, "plays": plays}
    found = asked(turn, contract_met=None)
    assert (found["broken"], found["regardless_of"]) == (["CAR-5"], ["contract_met"])
    assert not {"plays", "table_after"} & {*found}
    # Nor does it mention a fact about the player that is unknown.
    assert found["says"].startswith("Only a player who met the contract in an earlier turn may add")
    for met, legal in ((True, [False, False, True]), (False, [True, True, False])):
        assert [play["legal"] for play in asked(turn, contract_met=met)["plays"]] == legal


# -- whatever the question is ---------------------------------------------------------------------


def drawn(chance: Random) -> dict[str, Any]:
    """Draw a question of Proter, on a possible table."""
    rules, table, play, _ = a_position(chance, GAMES["proter"])
    return plays(play.text) | {
        "game": "proter",
        "sheet": rules.house.sheet,
        "rules": dict(rules.house.values),
        "hand": rules.hand,
        "table": list(table.meld_texts),
        "pile": format_cards(table.pile),
        "player": {fact: chance.choice((True, False, None)) for fact in FACTS},
    }


@given(CHANCE)
def test_a_ruling_holds_for_every_value_or_each_case_has_its_own(chance):
    question = drawn(chance)
    unknown = [fact for fact, value in question["player"].items() if value is None]
    found = answer(question)
    each = {}
    for values in product((True, False), repeat=len(unknown)):
        known = question["player"] | dict(zip(unknown, values, strict=True))
        ruling = answer(question | {"player": known})
        each[values] = tuple(str(ruling[name]) for name in OUTCOME)
    if found["legal"] is not None:
        assert found.get("regardless_of", []) == unknown
        assert set(each.values()) == {tuple(str(found[name]) for name in OUTCOME)}
        return
    decide = found["depends_on"]
    for at, fact in enumerate(unknown):
        turned = [
            each[values] != each[(*values[:at], not values[at], *values[at + 1 :])]
            for values in each
        ]
        assert any(turned) == (fact in decide)
    for values, outcome in each.items():
        said = dict(zip(unknown, values, strict=True))
        (case,) = (c for c in found["cases"] if all(c[fact] == said[fact] for fact in decide))
        assert tuple(str(case[name]) for name in OUTCOME) == outcome


@given(CHANCE)
def test_an_unknown_pile_is_asked_for_only_if_it_makes_a_difference(chance):
    question = drawn(chance) | {"player": {}}
    found = answer(question | {"pile": None})
    if found["legal"] is None:
        assert found["depends_on"] == ["pile"]
        assert question["ask"] == "discard"
        return
    lying = {card.partition("=")[0] for meld in question["table"] for card in meld.split()}
    played = {
        card.partition("=")[0] for card in question.get("cards", question.get("card")).split()
    }
    free = [card.text for card in PACK if card.text not in lying | played]
    piles = ["", *free, *(f"{under} {top}" for top in free for under in free if under != top)]
    some = [piles[0], *chance.sample(piles, 12)]
    outcomes = {
        tuple(str(answer(question | {"pile": pile})[name]) for name in OUTCOME) for pile in some
    }
    assert outcomes == {tuple(str(found[name]) for name in OUTCOME)}
