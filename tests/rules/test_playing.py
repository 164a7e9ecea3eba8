"""Plays as text, judged and made one by one, as the notebook does; tables, turns and houses."""

import re
from copy import copy

import pytest

from companion.rules.errors import Ambiguous, Malformed
from companion.rules.game import Deal, Deck
from companion.rules.games.carioca import CARIOCA
from companion.rules.games.proter import PROTER
from companion.rules.judge import Judge
from companion.rules.melds import Shape
from companion.rules.ruling import Breach, Ruling, rule_order
from companion.rules.table import (
    Player,
    Table,
    describe,
    parse_play,
    parse_table,
    without_play,
)
from companion.rules.turn import Turn, rule_on_turn

MELDED = Player(melded_this_hand=True, melded_this_turn=True)


@pytest.fixture
def rules() -> Judge:
    return PROTER.rules(PROTER.house(), 8)


PLAYS = [
    # as it is written, and in words
    ("meld 5C 8H=6C 7C", "Meld 5♣, 8♥ for 6♣, 7♣"),
    ("meld 8H=8H 9H TH", "Meld 8♥, 9♥, 10♥"),
    ("lay_off 8C onto 0", "Lay-off 8♣ on meld 1"),
    ("lay_off 3C 8H=4C onto 2", "Lay-off 3♣, 8♥ for 4♣ on meld 3"),
    ("swap 6C onto 1", "Swap 6♣ into meld 2"),
    ("discard TS", "Discard 10♠"),
    ("take_pile", "Took the pile"),
]


@pytest.mark.parametrize(("text", "words"), PLAYS)
def test_a_play_is_written_and_described(text, words):
    play = parse_play(text)
    assert (play.text, describe(play)) == (text, words)


# Two melds lie on the table, so the first meld of the turn is the one with index 2.
TURN = [
    "meld 3S 4S 5S",
    "lay_off 6S onto 2",
    "meld 4D 5D 6D",
    "meld 7C 8C 9C",
    "lay_off 7D onto 3",
    "lay_off TC onto 4",
    "swap 6C onto 1 low",
    "discard KH",
]
WITHOUT = [
    (0, [*TURN[2:4], "lay_off 7D onto 2", "lay_off TC onto 3", *TURN[6:]]),
    (1, [TURN[0], *TURN[2:]]),
    (2, [*TURN[:2], TURN[3], "lay_off TC onto 3", *TURN[6:]]),
    (3, [*TURN[:3], TURN[4], *TURN[6:]]),
    (7, TURN[:7]),
    (8, TURN),
]


@pytest.mark.parametrize(("number", "left"), WITHOUT)
def test_without_a_meld_other_plays_stay_on_the_melds_they_were_made_on(number, left):
    plays = [parse_play(text) for text in TURN]
    assert [play.text for play in without_play(plays, number, melds=2)] == left


def test_a_play_that_cannot_be_read_is_malformed():
    for text, where in (
        ("", "plays"),
        ("5C 6C 7C", "plays"),
        ("meld", "cards"),
        ("meld ", "cards"),
        ("meld 5C 6Y", "cards"),
        ("lay_off 5C", "plays"),
        ("lay_off 5C onto", "plays"),
        ("lay_off 5C onto x", "plays"),
        ("lay_off 5C onto -1", "plays"),
        ("lay_off 5C onto ²", "plays"),
        ("lay_off  onto 0", "cards"),
        ("swap 5C 6C onto 0", "card"),
        ("throw 5C onto 0", "plays"),
        ("discard", "discard"),
        ("discard 5C 6C", "discard"),
        ("discard 8H=6C", "discard"),
        ("take_pile 5C", "plays"),
    ):
        with pytest.raises(Malformed) as raised:
            parse_play(text)
        assert raised.value.where == where


def test_before_a_turn_has_begun_nothing_is_taken_back():
    assert Table().take_back() == Table()


def after(rules: Judge, table: Table, text: str, player: Player) -> Table:
    play = parse_play(text)
    return rules.after(table, play, rules.judge(table, play, player))


def test_a_play_that_leaves_a_wild_card_open_is_not_made(rules):
    with pytest.raises(Ambiguous) as raised:
        after(rules, Table(), "meld 5C 6C 8H", MELDED)
    assert (raised.value.card, raised.value.choices) == ("8H", ("4C", "7C"))
    with pytest.raises(Ambiguous) as raised:
        after(rules, Table(), "meld 5C 8H 7C 8D=4C 8S", MELDED)
    assert (raised.value.card, raised.value.choices) == ("8H", ("3C", "6C", "8C"))
    carioca = CARIOCA.rules(CARIOCA.house(), 1)
    table = parse_table(["5C XX=6C 7C 8C"], (), carioca)
    with pytest.raises(Ambiguous, match="Say which: low or high") as raised:
        after(carioca, table, "swap 6C onto 0", Player(contract_met=True))
    assert raised.value.where == "joker_to"


CHARGES = [
    (["PRO-9"], "PRO-13.1", "PRO-13.1"),
    (["PRO-11"], "PRO-13.2", "PRO-13.2"),
    (["PRO-12"], "PRO-13.2", "PRO-13.2"),
    (["PRO-5", "PRO-9"], "PRO-13.1", "PRO-13.1"),
    (["PRO-4", "PRO-5"], None, "PRO-13.6"),
    (["PRO-10"], None, "PRO-13.6"),
    (["PRO-3"], None, None),
    (["PRO-14"], None, None),
    ([], None, None),
]


@pytest.mark.parametrize(("broken", "catsatcards", "online"), CHARGES)
def test_broken_rules_lead_to_a_charge(broken, catsatcards, online):
    for sheet, charge in (("catsatcards", catsatcards), ("playginrummyonline", online)):
        ruling = Ruling(tuple(Breach(rule, "turn_over") for rule in broken))
        assert PROTER.rules(PROTER.house(sheet), 8).charge_for(ruling) == charge


def test_rules_are_in_the_order_of_the_rulebook():
    mixed = ["PRO-13.1", "PRO-9", "PRO-13", "PRO-10", "PRO-2"]
    in_order = ["PRO-2", "PRO-9", "PRO-10", "PRO-13", "PRO-13.1"]
    assert sorted(mixed, key=rule_order) == in_order
    # A game that was read in by an earlier version may name what is no number.
    assert sorted(["a rule", "PRO-10", "PRO-9"], key=rule_order) == ["PRO-9", "PRO-10", "a rule"]


# -- tables ----------------------------------------------------------------------------------------

TABLES = [
    # melds as they are said, in hand 8; how they lie
    (["5C 8H 7C"], ["5C 8H=6C 7C"]),
    (["5C 6C 8H", "4C 4D 4H"], ["5C 6C 8H=7C", "4C 4D 4H"]),
    (["5C 6C 8H", "4D 4H 8D=4C"], ["5C 6C 8H=7C", "8D=4C 4D 4H"]),
    (["5C 6C 8H", "4D 4H 4S 8D"], ["5C 6C 8H=7C", "8D=4C 4D 4H 4S"]),
    (["5C 6C 8H", "7D 7H 7S 8D"], ["8H=4C 5C 6C", "8D=7C 7D 7H 7S"]),
    (["9C 9D 8H", "9H TH JH"], ["9C 9D 8H=9S", "9H TH JH"]),
    # only all together say what each Proter is: 9♠ is natural in a meld that is open itself, so
    # that the 8♥ is the 9♥, and the 8♦ cannot be the J♠ that the 8♣ must be
    (["9C 9D 8H", "9S TS 8D", "JC JD JH 8C"], ["9C 9D 8H=9H", "8D=8S 9S TS", "JC JD JH 8C=JS"]),
]


@pytest.mark.parametrize(("said", "lying"), TABLES)
def test_a_wild_card_on_the_table_is_what_it_must_be(rules, said, lying):
    assert list(parse_table(said, (), rules).meld_texts) == lying


def test_a_card_that_is_natural_in_an_open_meld_is_on_the_table_too(rules):
    # 9♠ 10♠ and a Proter are 8♠ 9♠ 10♠ or 9♠ 10♠ J♠, and so the 9♠ is not the 8♥'s.
    with pytest.raises(Ambiguous) as raised:
        parse_table(["9C 9D 8H", "9S TS 8D"], (), rules)
    assert (raised.value.card, raised.value.choices) == ("8D", ("8S", "JS"))

    # Melds that contradict each other are read one by one: 6♣ lies there already, and is all that
    # the Proter can be; nobody claimed it in time.
    table = parse_table(["6C 6D 6H", "5C 8H 7C"], (), rules)
    assert table.meld_texts == ("6C 6D 6H", "5C 8H=6C 7C")
    with pytest.raises(Ambiguous, match="8♥ could be 4♣, 7♣"):
        parse_table(["5C 6C 8H", "4D 4H 8S=4C", "7D 7H 8D=7C"], (), rules)


# -- turns -----------------------------------------------------------------------------------------


def test_readings_that_concern_no_other_play_are_judged_together(rules, monkeypatch):
    judged = []
    judge = type(rules).judge
    monkeypatch.setattr(Judge, "judge", lambda *given: judged.append(given) or judge(*given))
    # Each Proter lies below or above the others. The turn is played to the first that is open, on
    # to each of the next ones, to its end, and on the other sheet: six times, not 31 and 16.
    melds = ("JD QD 8D", "9C TC 8C", "5H 6H 8H", "JS QS 8S")
    plays = [parse_play(f"meld {cards}") for cards in melds]
    turn = rule_on_turn(Turn(rules, Table(), plays, MELDED))
    assert [len(ruling.readings) for ruling in turn.plays] == [2, 2, 2, 2]
    assert len(judged) == 6 * len(plays)


def test_readings_that_are_not_needed_are_not_made(rules, monkeypatch):
    made = []
    with_cards = Shape.with_cards
    monkeypatch.setattr(
        Shape, "with_cards", lambda *given: made.append(given) or with_cards(*given)
    )
    ruling = rules.judge(Table(), parse_play("meld 8C 8D 8H 8S"), MELDED)
    # 13 sets and 40 runs, each in 24 orders. In the sets alone each Proter stands for every card,
    # so of a run only one reading is made, to see whether it is allowed.
    assert (ruling.number, len(made)) == (53 * 24, 53 + 13 * 24)


def test_a_game_without_rules_on_whole_turns_finds_no_fault_in_them():
    class PlainJudge(type(PROTER.rules(PROTER.house(), 6))):  # type: ignore[misc]
        turn_breaches = Judge.turn_breaches

    house = PROTER.house("playginrummyonline")
    plain = PlainJudge(PROTER, house, Deal(6, Deck(1)))
    for rules, broken in ((PROTER.rules(house, 6), ("PRO-10",)), (plain, ())):
        table = parse_table(["8D 9D 6D=TD"], (), rules)
        swap = parse_play("swap TD onto 0")  # the 6♦ is melded nowhere
        assert rule_on_turn(Turn(rules, table, [swap], MELDED)).broken == broken


# -- houses --------------------------------------------------------------------------------------


def test_a_house_is_its_sheet_and_its_choices():
    house = PROTER.house(None, {"penalty_points": "25"})
    assert house == PROTER.house("catsatcards", {"penalty_points": 25})
    assert hash(house) == hash(PROTER.house("catsatcards", {"penalty_points": 25}))
    assert house != PROTER.house()
    assert house.number("penalty_points") == 25
    with pytest.raises(KeyError):
        house["aces"]


def test_plays_of_a_kind_that_the_game_lacks_are_errors_alone_and_in_a_turn():
    rules = copy(CARIOCA.rules(CARIOCA.house(), 1))
    rules.asks = rules.asks - {"swap", "lay_off", "discard"}
    table = parse_table(["5S 6S XX=7S 8S"], (), rules)
    for play, says in {
        "swap 7S onto 0": "Carioca has no swaps.",
        "lay_off 9S onto 0": "Carioca has no lay-offs.",
        "lay_off KS onto 0": "Carioca has no lay-offs.",
        "discard KS": "Carioca has no discards.",
        "take_pile": "In Carioca nobody takes the whole pile.",
    }.items():
        with pytest.raises(Malformed, match=re.escape(says)):
            rules.judge(table, parse_play(play), Player(contract_met=True))
        with pytest.raises(Malformed, match=re.escape(says)) as refused:
            rule_on_turn(Turn(rules, table, [parse_play(play)], Player()))
        assert refused.value.where == "plays[0]"
    # One that lets players take the pile needs no rule on it.
    rules.takes_pile = True
    assert rules.judge(table, parse_play("take_pile"), Player()).legal


def test_the_rule_against_melds_after_the_contract_holds_in_its_turn_too():
    rules = copy(CARIOCA.rules(CARIOCA.house(), 1))
    rules.meld_too_early, rules.no_more_melds = (), (Breach("CAR-5", "no_more_melds"),)
    for player in (Player(contract_met=True), Player(melded_this_turn=True)):
        assert rules.judge(Table(), parse_play("meld 7C 7D 7H"), player).broken == ("CAR-5",)
