"""Other programs' answers about our games, or their cousins, compared with ours.

Their cases are in the ``.jsonl`` files beside this, one a line, and none is left out. A case is
asked as it is, or adapted if our game needs another question. If a program's rule differs from the
rulebook, the rulebook counts: the tables below have our answer and the rule, by the line of the
case.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from companion.check import answer
from companion.rules.cards import Rank, parse_cards, parse_meld_text
from companion.rules.errors import Malformed
from companion.rules.games.carioca import CARIOCA
from companion.rules.games.indian_rummy import INDIAN_RUMMY
from companion.rules.games.pay_me import PAY_ME
from companion.rules.games.three_thirteen import THREE_THIRTEEN
from companion.rules.judge import Judge
from companion.rules.melds import Kind, Meld
from companion.rules.readings import ways
from tests.rules.case_tables import named


class Case(NamedTuple):
    """A case: its line, from 1, its question and input, and the peer's answer."""

    file: str
    line: int
    source: str
    game: str
    question: str
    input: Mapping[str, Any]
    expected: Any
    note: str = ""

    @property
    def cards(self) -> Sequence[str]:
        return self.input.get("cards") or self.input.get("hand") or ()


def cases(file: str) -> list[Case]:
    lines = Path(__file__).with_name(f"{file}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Case(file, number, **json.loads(line)) for number, line in enumerate(lines, 1)]


class Peer(NamedTuple):
    """How we ask its cases; the rule and our answer where it is another."""

    ours: Callable[[Case], Any]
    otherwise: Mapping[int, tuple[str, Any]] = MappingProxyType({})


# -- Carioca: neither program looks at the rest of a turn, nor at other melds ----------------------

# A hand that asks for two such melds, and the other one.
HAND_WITH = {"trio": (1, "KC KS KH"), "escalera": (3, "8H 9H TH JH")}
TRIOS = ["5S 5H 5D", "KC KS KH", "7C 7S 7H", "2D 2C 2H"]
ESCALERAS = ["2S 3S 4S 5S", "8H 9H TH JH", "9C TC JC QC", "7D 8D 9D TD"]


def carioca(case: Case) -> Any:
    given = case.input
    match case.question:
        case "contract_slot":
            hand, other = HAND_WITH[given["slot"]["kind"]]
            return at_carioca(case, ask="contract", hand=hand, melds=[given["cards"], other])
        case "meld_valid" | "set_valid" | "run_valid":
            return at_carioca(case, ask="meld", cards=given["cards"])
        case "layoff_valid" | "layoff_before_contract":
            meld, add = given["meld"], given["add"]
            # Their escalera of three needs a fourth card, below, to be one here.
            table = [["6D", *meld] if meld == ["7D", "8D", "9D"] else meld]
            return at_carioca(case, ask="lay_off", cards=add, onto=0, table=table)
        case "contract_met":
            return at_carioca(case, ask="contract", hand=given["round"], melds=given["melds"])
        case _:
            return contract_of_carioca(case)


def at_carioca(case: Case, **entries: Any) -> bool:
    """True if we rule it legal."""
    later = {"new_melds_after_contract": "yes"}
    given = case.input
    met = given.get("contract_met", not given.get("initial", False))
    question = {"game": "carioca", "hand": 1, "rules": later, "player": {"contract_met": met}}
    return answer(question | entries)["legal"]


def contract_of_carioca(case: Case) -> dict[str, int]:
    """Return the numbers of trios and escaleras in our contract of the hand."""
    found = [
        {"trios": trios, "escaleras": escaleras}
        for trios in range(5)
        for escaleras in range(5)
        # What nobody can hold is malformed.
        if 0 < 3 * trios + 4 * escaleras <= CARIOCA.dealt(case.input["round"]) + 1
        and at_carioca(
            case,
            ask="contract",
            hand=case.input["round"],
            melds=[*TRIOS[:trios], *ESCALERAS[:escaleras]],
        )
    ]
    assert len(found) == 1
    return found[0]


# -- Contract Rummy, on the denexa sheet: neither program asks when a meld is laid -----------------

ELYMAR = "elymar_contract_rummy"
TAKEN = "CON-7: the joker goes to the player, and to no end of the run"
LONGER = "CON-3: a run has four cards or more on this sheet, and further melds too"
OF_THREE = range(21, 27)  # a run of three lies on the table: gamerules


def contract_rummy(case: Case) -> Any:
    given = case.input
    match case.question:
        case "run_valid" | "set_valid" | "meld_valid" | "contract_slot":
            return at_contract_rummy(case, ask="meld", cards=given["cards"])["legal"]
        case "layoff_valid":
            three = case.file != ELYMAR and case.line in OF_THREE
            sheet = "gamerules" if three else "denexa"
            asks = {"ask": "lay_off", "cards": given["add"], "onto": 0, "table": [given["meld"]]}
            return at_contract_rummy(case, sheet=sheet, **asks)["legal"]
        case "replace_joker":
            asks = {"ask": "swap", "card": given["card"], "onto": 0, "table": [given["meld"]]}
            ruling = at_contract_rummy(case, **asks)
            assert ruling["took"] == "XX"
            return ruling["meld_after"].split()
        case "card_value":
            players = [{"name": "Ana", "left": given["card"]}]
            return at_contract_rummy(case, ask="score", players=players)["scores"]["Ana"]["points"]
        case _:
            return findable(case)


def at_contract_rummy(case: Case, **entries: Any) -> dict[str, Any]:
    # One of them asks for two natural cards in every meld.
    rules = {"min_naturals": 2} if case.file == ELYMAR else {}
    met = {"contract_met": True}
    question = {"game": "contract_rummy", "hand": 2, "rules": rules, "player": met}
    return answer(question | entries)


def findable(case: Case) -> bool:
    """True if any two melds of the cards are the contract of the hand, which needs two."""
    cards, hand = case.input["hand"], case.input["round"]
    melds = [
        meld
        for size in (3, 4)
        for meld in combinations(cards, size)
        if at_contract_rummy(case, ask="meld", hand=hand, cards=list(meld))["legal"]
    ]
    return any(
        at_contract_rummy(case, ask="contract", hand=hand, melds=[list(one), list(other)])["legal"]
        for one, other in combinations(melds, 2)
        if not set(one) & set(other)
    )


# -- Indian Rummy ---------------------------------------------------------------------------------

RUMMY = "go_trumpcards_indian_rummy"
# Of one clean sequence, sets of four, and a joker that is one even in its own place.
ITS_RULES = {"clean_sequences": 1, "set_size": "3-4", "wild_in_own_place": "wild", "cap": 80}
CORNER = "IND-2: never around the corner"
ONE_NATURAL = "IND-5: one natural card in a meld is enough"


def indian_rummy(case: Case) -> Any:
    wild = case.input.get("wild_rank")
    rank = None if wild is None else next(rank for rank in Rank if rank.text == wild)
    rules = INDIAN_RUMMY.rules(INDIAN_RUMMY.house(None, at_rummy(case)["rules"]), 1, None, rank)
    match case.question:
        case "declare_valid":
            try:
                return answer(at_rummy(case) | {"ask": "declare", "cards": case.cards})["legal"]
            except Malformed as problem:
                return problem.where
        case "card_value":
            (card,) = parse_cards(case.input["card"])
            return rules.value(card)
        case "deadwood_points":
            player = {"name": "Ana", "left": case.cards}
            scored = answer(at_rummy(case) | {"ask": "score", "players": [player]})
            return scored["scores"]["Ana"]["points"]
        case "set_valid":
            return any(meld.kind is Kind.SET for meld in melds_of(case, rules))
        case "sequence_valid":
            return any(meld.kind is Kind.RUN for meld in melds_of(case, rules))
        case _:  # pure_sequence, has_pure_sequence
            melds = melds_of(case, rules)
            return any(meld.kind is Kind.RUN and rules.is_clean(meld) for meld in melds)


def at_rummy(case: Case) -> dict[str, Any]:
    rules = ITS_RULES if case.file == RUMMY else {}
    return {"game": "indian_rummy", "rules": rules, "wild_rank": case.input.get("wild_rank")}


def melds_of(case: Case, rules: Judge) -> list[Meld]:
    found = [way.meld for way in ways(parse_meld_text(case.cards), rules.limits)]
    legal = [meld for meld in found if not rules.limits.breaches(meld)]
    assert bool(legal) is answer(at_rummy(case) | {"ask": "meld", "cards": case.cards})["legal"]
    return legal


def test_one_clean_sequence_is_too_few_by_our_sheet() -> None:
    # IND-5: two clean sequences, if nothing else was agreed; the peer asks for one.
    case = cases(RUMMY)[4]
    ruling = answer(at_rummy(case) | {"ask": "declare", "cards": case.cards, "rules": {}})
    assert (case.expected, ruling["broken"]) == (True, ["IND-5"])


# -- Kalooki, as an arrangement -------------------------------------------------------------------


def kalooki(case: Case) -> Any:
    """The cards that ours melds; each of them can be laid as the peer has grouped them.

    The peer looks for threes alone, or for fours alone, in hands that hold none of the other kind,
    so that the best arrangement melds the same cards.
    """
    cards = case.input["hand"]
    best = answer({"game": "kalooki", "hand": 1, "ask": "arrange", "cards": cards})
    melds = [meld.split() for meld in best["melds"]]
    laid = [card for meld in melds for card in meld]
    assert sorted([*laid, *best["deadwood"]]) == sorted(cards)
    for meld in melds:
        assert (len({card[0] for card in meld}) == 1) is (case.question == "find_threes")
    for group in {card[1 if case.question == "find_fours" else 0] for card in case.expected}:
        meld = [card for card in case.expected if group in card]
        question = {"game": "kalooki", "hand": 1, "ask": "meld", "cards": meld}
        assert answer(question | {"player": {"contract_met": True}})["legal"]
    return case.expected if sorted(laid) == sorted(case.expected) else laid


# -- Pay Me's cousin Shanghai Rummy, and Three Thirteen -------------------------------------------

# A wild card in its own place is natural in Shanghai Rummy, and the ace lies high or low.
SHANGHAI = {"ace_in_runs": "both", "wild_in_own_place": "natural"}
APART = "PAY-6: no two neighbours in a run are wild"


def hand_of(cards: Sequence[str], wild_ranks: Sequence[str], wild: str | None = None) -> int:
    """The hand with this wild rank; without one, a hand whose own is not among the cards."""
    ranks = {card[0] for card in cards}
    return 1 + next(
        at for at, rank in enumerate(wild_ranks) if (rank == wild if wild else rank not in ranks)
    )


def pay_me(case: Case) -> Any:
    cards = case.cards
    hand = hand_of(cards, [PAY_ME.judge.wild_rank_of(hand).text for hand in range(1, 12)])
    asked = {"game": "pay_me", "rules": SHANGHAI, "hand": hand, "cards": [*cards]}
    ruling = answer(asked | {"ask": "meld"})
    if case.question in ("wild_represents", "wild_positions"):
        stands_for = {
            card.partition("=")[2]
            for reading in ruling["readings"]
            for card in reading.split()
            if card.startswith("XX=")
        }
        return sorted(stands_for, key=lambda card: "23456789TJQKA".index(card[0]))
    return ruling["legal"]


def three_thirteen(case: Case) -> Any:
    if case.question == "deal_and_wild":
        hand = case.input["round"]
        wild = THREE_THIRTEEN.wild_rank(hand).text
        return {"cards": THREE_THIRTEEN.dealt(hand), "wild_rank": wild}
    ranks = [THREE_THIRTEEN.judge.wild_rank_of(hand).text for hand in range(1, 12)]
    hand = hand_of(case.cards, ranks, case.input.get("wild_rank"))
    asked = {"game": "three_thirteen", "hand": hand, "cards": list(case.cards)}
    if case.question == "min_deadwood":
        return answer(asked | {"ask": "arrange"})["points"]
    return answer(asked | {"ask": "meld"})["legal"]


# -- all of them ----------------------------------------------------------------------------------

PEERS = {
    "go_trumpcards_carioca": Peer(
        carioca, {25: ("CAR-4: any number of jokers may be added later", True)}
    ),
    "gzarazaga_carioca": Peer(
        carioca,
        dict.fromkeys((9, 10, 15), ("CAR-2: an escalera has four cards or more", False)),
    ),
    ELYMAR: Peer(contract_rummy, dict.fromkeys((30, 31), (TAKEN, ["2H", "3H", "4H", "5H"]))),
    "go_trumpcards_contract_rummy": Peer(
        contract_rummy,
        dict.fromkeys((12, 15), (LONGER, False)),
    ),
    "card_games_utils_indian": Peer(
        indian_rummy,
        dict.fromkeys((4, 14, 23), (CORNER, False)) | dict.fromkeys((19, 28), (ONE_NATURAL, True)),
    ),
    RUMMY: Peer(
        indian_rummy,
        {
            2: ("IND-5: what is not 13 cards cannot be declared", "cards"),
            9: ("IND-8: without a clean sequence all cards count what they are, at most 80", 20),
        },
    ),
    "kalooki_platform": Peer(kalooki),
    "shanghai_rummy": Peer(
        pay_me,
        {
            20: ("PAY-3: the 2♥ is wild, and may be the J♥", True),
            22: ("PAY-5: a run has three cards or more", True),
            **dict.fromkeys((24, 26), (APART, False)),
            28: ("PAY-5: the joker can be at either end", ["TS", "AS"]),
        },
    ),
    "go_trumpcards_three_thirteen": Peer(
        three_thirteen, {9: ("TTN-6: melds of wild cards alone are allowed", True)}
    ),
}


@pytest.mark.parametrize("file", PEERS)
def test_our_answers_to_a_peers_cases_are_the_same_or_explained(file: str) -> None:
    ours, otherwise = PEERS[file]
    for case in cases(file):
        rule, expected = otherwise.get(case.line, ("", case.expected))
        with named(f"{file}:{case.line} {case.question}: {rule or 'as the peer'}: {case.source}"):
            assert case.source
            assert ours(case) == expected
            assert (expected != case.expected) is bool(rule)
    assert set(otherwise) <= {case.line for case in cases(file)}
