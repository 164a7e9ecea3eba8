"""What other engines of Indian Rummy have in their tests."""

from typing import Any

import pytest

from companion.check import answer
from companion.rules.cards import Rank, parse_cards, parse_meld_text
from companion.rules.errors import Malformed
from companion.rules.games.indian_rummy import INDIAN_RUMMY, IndianRummyJudge
from companion.rules.melds import Kind, Meld
from companion.rules.readings import ways
from tests.vectors.peers import Case, cases, check_all

UTILS, GO = "card_games_utils_indian", "go_trumpcards_indian_rummy"

# Of one clean sequence, sets of four, and a joker that is one even in its own place.
GO_RULES = {
    "clean_sequences": 1,
    "set_size": "3-4",
    "wild_in_own_place": "wild",
    "cap": 80,
}

_CORNER = "IND-2: never around the corner"
_ONE_NATURAL = "IND-5: one natural card in a meld is enough"

# Where ours is another answer, or another question: by which rule, and what it is.
OURS: dict[str, dict[int, tuple[str, Any]]] = {
    UTILS: {
        4: (_CORNER, False),
        14: (_CORNER, False),
        19: (_ONE_NATURAL, True),
        23: (_CORNER, False),
        28: (_ONE_NATURAL, True),
    },
    GO: {
        2: ("IND-5: what is not 13 cards cannot be declared", "cards"),
        9: ("IND-8: without a clean sequence all cards count what they are, at most 80", 20),
    },
}


def rules_of(case: Case) -> IndianRummyJudge:
    wild = case.input.get("wild_rank")
    rank = None if wild is None else next(rank for rank in Rank if rank.text == wild)
    house = INDIAN_RUMMY.house(None, GO_RULES if case.file == GO else {})
    rules = INDIAN_RUMMY.rules(house, 1, None, rank)
    assert isinstance(rules, IndianRummyJudge)
    return rules


def melds_of(case: Case, rules: IndianRummyJudge) -> list[Meld]:
    found = [way.meld for way in ways(parse_meld_text(case.cards), rules.limits)]
    legal = [meld for meld in found if not rules.limits.breaches(meld)]
    assert bool(legal) is answer(asked(case) | {"ask": "meld", "cards": case.cards})["legal"]
    return legal


def asked(case: Case) -> dict[str, Any]:
    return {
        "game": "indian_rummy",
        "rules": GO_RULES if case.file == GO else {},
        "wild_rank": case.input.get("wild_rank"),
    }


def declared(case: Case) -> Any:
    try:
        return answer(asked(case) | {"ask": "declare", "cards": case.cards})["legal"]
    except Malformed as problem:
        return problem.where


def ours(case: Case) -> Any:
    rules = rules_of(case)
    match case.question:
        case "declare_valid":
            return declared(case)
        case "card_value":
            (card,) = parse_cards(case.input["card"])
            return rules.value(card)
        case "deadwood_points":
            player = {"name": "Ana", "left": case.cards}
            scored = answer(asked(case) | {"ask": "score", "players": [player]})
            return scored["scores"]["Ana"]["points"]
        case "set_valid":
            return any(meld.kind is Kind.SET for meld in melds_of(case, rules))
        case "sequence_valid":
            return any(meld.kind is Kind.RUN for meld in melds_of(case, rules))
        case _:  # pure_sequence, has_pure_sequence
            melds = melds_of(case, rules)
            return any(meld.kind is Kind.RUN and rules.is_clean(meld) for meld in melds)


@pytest.mark.parametrize("file", OURS)
def test_the_cases_of_a_peer(file: str) -> None:
    check_all(file, ours, OURS[file])


def test_one_clean_sequence_is_too_few_by_our_sheet() -> None:
    # IND-5: two clean sequences, if nothing else was agreed; the peer asks for one.
    case = cases(GO)[4]
    ruling = answer(asked(case) | {"ask": "declare", "cards": case.cards, "rules": {}})
    assert (case.expected, ruling["broken"]) == (True, ["IND-5"])
