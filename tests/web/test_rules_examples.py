"""The examples on the rules' pages of the six games after Proter are ruled as the pages say."""

from typing import Any

import pytest

from companion.check import answer

MET = {"contract_met": True}


def ruled(game: str, ask: str, **question: Any) -> dict[str, Any]:
    """The engine's answer."""
    return answer({"game": game, "ask": ask} | question)


def broken(game: str, ask: str, **question: Any) -> list[str]:
    """The numbers of the rules that something breaks; none if it is legal."""
    found = ruled(game, ask, **question)
    assert found["legal"] is (found["broken"] == [])
    return list(found["broken"])


PAY, CAR, KAL, CON, IND = "pay_me", "carioca", "kalooki", "contract_rummy", "indian_rummy"
# A meld that is laid after the contract; of Carioca, the melds of the contract together. In hand 2
# of Pay Me fours are wild, which none of these is.
MELDS = [
    *((PAY, 2, "9C 9D 9H", ""), (PAY, 2, "9C 9C 9H", "PAY-4"), (PAY, 2, "6D 7D 8D", "")),
    *((PAY, 2, "9C 9D XX", ""), (PAY, 2, "9C XX XX", "PAY-6")),
    *((PAY, 2, "XX=6H 7H 8H XX=9H", ""), (PAY, 2, "7H 8H XX=9H XX=TH", "PAY-6")),
    (PAY, 2, "KD AD 2D=2D", "PAY-5"),  # as a wild card the two could be the queen
    *((CAR, 1, "9S 9S 9H; KC KD KH", ""), (CAR, 1, "9S XX XX; KC KD KH", "CAR-4")),
    *((CAR, 3, "5C 6C 7C 8C; 8H 9H TH JH", ""), (CAR, 3, "AD 2D 3D 4D; 8H 9H TH JH", "")),
    (CAR, 3, "JD QD KD AD; 8H 9H TH JH", ""),
    (CAR, 3, "QD KD AD 2D; 8H 9H TH JH", "CAR-2"),
    (CAR, 2, "5C 5D 5S; 6H 7H 8H 9H", ""),
    *((CAR, 2, "5C 5D 5S; 9C 9D 9H", "CAR-3"), (CAR, 2, "5C 5D 5S", "CAR-3")),
    *((KAL, 2, "9C 9C XX", ""), (KAL, 2, "9C XX XX", "KAL-2"), (KAL, 2, "KD AD 2D 3D", "KAL-2")),
    *((KAL, 2, "7H XX=8H 9H XX=TH", ""), (KAL, 2, "7H 8H XX=9H XX=TH", "KAL-2")),
]


@pytest.mark.parametrize(("game", "hand", "cards", "breaks"), MELDS)
def test_melds(game, hand, cards, breaks):
    question = {"hand": hand, "player": MET} if game == KAL else {"hand": hand}
    if game == CAR:
        found = [broken(game, "contract", **question, melds=cards.split("; "))]
    else:
        # Whatever a table of Pay Me plays of aces and wild ranks changes none of these.
        aces = ("low", "high", "both") if game == PAY else ()
        rules = [{"ace_in_runs": ace, "wild_in_own_place": "natural"} for ace in aces]
        found = [broken(game, "meld", **question, cards=cards, rules=one) for one in rules or [{}]]
    assert found == [breaks.split()] * len(found)


# Two packs on either sheet, so that 9♣ can be there twice: what breaks on Denexa's, and the other.
@pytest.mark.parametrize(
    ("hand", "cards", "denexa", "gamerules"),
    [
        (1, "9C 9D 9H", "", ""),
        (1, "9C 9C 9H", "", "CON-4"),
        (3, "AS 2S 3S 4S", "", ""),
        (3, "JS QS KS AS", "", ""),
        (3, "QS KS AS 2S", "CON-5", "CON-5"),
        (3, "6D 7D 8D", "CON-5", ""),
        (3, "3C 4C 5C 6C; 7C 8C 9C TC", "CON-5", "CON-5"),
        (3, "3C 4C 5C 6C; 8C 9C TC JC", "", "CON-5"),
        (3, "3C 4C 5C 6C; 5C 6C 7C 8C", "", "CON-5"),
    ],
)
def test_melds_of_contract_rummy(hand, cards, denexa, gamerules):
    for sheet, breaks in (("denexa", denexa), ("gamerules", gamerules)):
        question = {"sheet": sheet, "packs": 2, "hand": hand}
        if ";" in cards:
            found = broken(CON, "contract", **question, melds=cards.split("; "))
        else:
            found = broken(CON, "meld", **question, cards=cards, player=MET)
        assert found == breaks.split()


def test_wild_cards_left_in_pay_me():
    players = [{"name": "Ana", "left": "8C 2C"}, {"name": "Ben", "left": "", "out": True}]
    scores = ruled("pay_me", "score", hand=6, players=players)["scores"]
    assert scores["Ana"]["points"] == 15 + 15


@pytest.mark.parametrize(
    ("game", "table", "card", "to", "after"),
    [
        ("carioca", "5S XX=6S 7S 8S", "6S", "low", "XX=4S 5S 6S 7S 8S"),
        ("carioca", "5S XX=6S 7S 8S", "6S", "high", "5S 6S 7S 8S XX=9S"),
        ("carioca", "JH XX=QH KH AH", "QH", None, "XX=TH JH QH KH AH"),
        ("kalooki", "9S TS XX=JS QS KS", "JS", None, "9S TS JS QS KS XX=AS"),
        ("kalooki", "9S TS XX=JS QS KS AS", "JS", None, "XX=8S 9S TS JS QS KS AS"),
    ],
)
def test_jokers_that_move(game, table, card, to, after):
    question = {"hand": 3, "table": [table], "onto": 0, "card": card, "player": MET}
    found = ruled(game, "swap", **question | ({"joker_to": to} if to else {}))
    assert found["legal"]
    assert found["meld_after"] == after


def test_a_joker_does_not_move_beyond_the_ace_in_carioca():
    question = {"hand": 3, "table": ["JH XX=QH KH AH"], "onto": 0, "card": "QH", "player": MET}
    assert broken("carioca", "swap", **question, joker_to="high") == ["CAR-6"]


@pytest.mark.parametrize(
    ("cards", "others", "suit", "points"),
    [
        ("KD", [], None, 10),
        ("9C KH", ["9D 9S KC 2C"], None, 6),
        ("9C 9H", ["9D 9S KC 2C"], None, 4),
        ("KS 7S 4H", [], None, 17),
        ("KC 9D 5H AS", [], None, 25),
        ("KC 9D 5H 2S", [], None, 0),
        ("AC AD 2H 3S 4C", [], None, -11),
        ("AC 4H 6H 9H JC KS", [], "H", 30),
        # High card 5 and a baccarat of 16, so 6; with A 2 3 4 5 as a straight, 25.
        ("QC KD AH 2S 3C 9C 7D", [], "split", 5 + 6),
    ],
)
def test_boxes_of_indian_chief(cards, others, suit, points):
    play: dict[str, Any] = {"name": "Ana", "cards": cards}
    if suit == "split":
        play["split"] = "QC KD AH 2S 3C"
    elif suit:
        play["suit"] = suit
    plays = [play, *({"name": f"Ben {n}", "cards": one} for n, one in enumerate(others))]
    assert ruled("indian_chief", "round", packs=2, plays=plays)["scores"]["Ana"] == points


def test_two_jokers_beside_each_other_in_kalooki():
    found = ruled("kalooki", "meld", hand=2, cards="7H 8H XX XX", player=MET)
    assert (found["legal"], found["readings"]) == (True, ["XX=6H 7H 8H XX=9H"])


@pytest.mark.parametrize(
    ("table", "card", "breaks"),
    [
        ("6D 7D 8D 9D", "TD", []),
        ("6D 7D 8D 9D", "5D", ["KAL-5"]),
        ("JS QS KS AS", "TS", []),
    ],
)
@pytest.mark.parametrize("player", [MET, {"melded_this_turn": True}])
def test_tacking_on_in_kalooki(table, card, breaks, player):
    question = {"hand": 2, "table": [table], "onto": 0, "cards": card, "player": player}
    assert broken("kalooki", "lay_off", **question) == breaks


def test_discards_of_kalooki():
    assert broken("kalooki", "discard", hand=1, card="XX", pile="") == ["KAL-7"]
    assert broken("kalooki", "discard", hand=1, card="9C", pile="9D") == []


def test_the_joker_of_the_example_in_contract_rummy():
    for sheet in ("denexa", "gamerules"):
        question: dict[str, Any] = {"sheet": sheet, "hand": 2, "table": ["5S 6S XX=7S 8S"]}
        question |= {"onto": 0, "card": "7S"}
        assert broken("contract_rummy", "swap", **question, player=MET) == []
        assert broken("contract_rummy", "swap", **question) == ["CON-7"]


@pytest.mark.parametrize(
    ("cards", "packs", "breaks"),
    [
        ("AH 2H 3H", 2, []),
        ("QH KH AH", 2, []),
        ("KH AH 2H", 2, ["IND-2"]),
        ("5C 5D 5S", 2, []),
        ("7C 7C 7H", 2, ["IND-3"]),
        ("TD TD TD", 3, []),
        ("7D 8D 9D", 2, []),
        ("9C 9D 9H", 2, []),
    ],
)
def test_melds_of_indian_rummy(cards, packs, breaks):
    question = {"cards": cards, "packs": packs, "wild_rank": None}
    assert broken("indian_rummy", "meld", **question) == breaks


def test_two_packs_hold_no_card_three_times():
    with pytest.raises(ValueError, match="10♦"):
        ruled("indian_rummy", "meld", packs=2, wild_rank=None, cards="TD TD TD")


def test_the_rummy_of_the_example():
    melds = ["4H 5H 6H 7H", "9C TC JC", "2S XX=3S 4S", "KC KD XX=KH"]
    cards = "4H 5H 6H 7H 9C TC JC 2S XX 4S KC KD XX"
    question = {"packs": 2, "wild_rank": None, "cards": cards}
    assert broken("indian_rummy", "declare", **question, melds=melds) == []


@pytest.mark.parametrize(("own_place", "breaks"), [("natural", []), ("wild", ["IND-5"])])
def test_a_wild_rank_in_its_own_place_is_clean_if_the_house_says_so(own_place, breaks):
    melds = ["7S 8S 9S", "4H 5H 6H 7H", "2S XX=3S 4S", "KC KD XX=KH"]
    cards = "7S 8S 9S 4H 5H 6H 7H 2S XX 4S KC KD XX"
    question = {"packs": 2, "wild_rank": "8", "cards": cards, "melds": melds}
    rules = {"wild_in_own_place": own_place}
    assert broken("indian_rummy", "declare", **question, rules=rules) == breaks
