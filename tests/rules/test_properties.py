"""Properties that hold for all cards, house rules and tables."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from companion.rules.cards import Rank, format_cards, parse_cards, parse_offered
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.games.proter import PROTER
from companion.rules.judge import Judge
from companion.rules.melds import Kind, Meld
from companion.rules.readings import readings, ways
from companion.rules.ruling import TakeBack
from companion.rules.table import LayOff, MeldPlay, Play, Swap, parse_table, with_identities
from companion.rules.turn import Turn, rule_on_turn
from tests.rules import slow_readings
from tests.rules.drawing import CHANCE, TABLE_GAMES, a_legal_position, a_position, a_turn
from tests.rules.slow_arrange import as_offered
from tests.rules.slow_readings import Choice


def choice_of(meld: Meld) -> Choice:
    return frozenset((laid.card, laid.stands_for) for laid in meld.cards)


# -- text ------------------------------------------------------------------------------------------


@given(CHANCE)
def test_a_written_table_is_read_back_unchanged(chance):
    rules, table, _, _ = a_position(chance, *TABLE_GAMES)
    melds, pile = table.meld_texts, format_cards(table.pile)
    assert parse_table(melds, parse_cards(pile), rules) == table
    assert parse_table([meld.split() for meld in melds], table.pile, rules) == table


@given(CHANCE)
def test_an_open_wild_card_on_a_table_is_read_as_before_or_asked_for(chance):
    rules, table, _, _ = a_position(chance, PROTER)
    said = [
        [laid.card.text if chance.random() < 0.5 else laid.text for laid in meld.cards]
        for meld in table.melds
    ]
    try:
        read = parse_table(said, table.pile, rules)
    except Ambiguous as problem:
        laid = {one.card.text: one for meld in table.melds for one in meld.cards}
        assert laid[problem.card].stands_for.text in problem.choices  # noqa: PT017
        assert len(problem.choices) > 1  # noqa: PT017
    else:
        assert read == table


# -- melds -----------------------------------------------------------------------------------------


@given(CHANCE)
def test_readings_are_the_same_as_by_trying_every_card(chance):
    rules, _, play, _ = a_position(chance, PROTER, kind=MeldPlay)
    offered = play.cards
    found = [meld for way in ways(offered, rules.limits) for meld in way.readings()]
    expected = slow_readings.melds(offered, wild(rules), ace(rules))
    assert {choice_of(meld) for meld in found} == expected
    assert len(found) == len(expected)
    own_place, fewest = str(rules.house["proter_in_own_place"]), rules.house.number("min_naturals")
    for meld in found:
        check_order(meld, rules)
        naturals = slow_readings.naturals(choice_of(meld), wild(rules), own_place)
        assert (not rules.limits.breaches(meld)) is (naturals >= fewest)


@given(CHANCE)
def test_lay_offs_are_the_same_as_by_trying_every_card(chance):
    rules, table, play, _ = a_position(chance, PROTER, kind=LayOff)
    meld = table.meld(play.onto)
    found = [one for way in ways(play.cards, rules.limits, meld) for one in way.readings()]
    expected = slow_readings.lay_offs(as_offered(meld.cards), play.cards, wild(rules), ace(rules))
    assert {choice_of(longer) for longer in found} == expected
    assert len(found) == len(expected)
    for longer in found:
        assert longer.kind is meld.kind
        assert choice_of(meld) < choice_of(longer)
        check_order(longer, rules)


def wild(rules: Judge) -> Rank:
    return Rank(rules.hand)


def ace(rules: Judge) -> str:
    return str(rules.house["ace_in_runs"])


def check_order(meld: Meld, rules: Judge) -> None:
    """Assert that a set is in the order of suits, and a run begins at its low end."""
    if meld.kind is Kind.SET:
        suits = [identity.suit for identity in meld.identities]
        assert suits == sorted(suits)
        return
    ranks = [int(identity.rank) for identity in meld.identities]
    if ranks[-1] == 1:
        ranks[-1] = 14
    assert slow_readings.consecutive(ranks)
    assert (meld.low, meld.high) == (ranks[0], ranks[-1])
    assert meld.low >= rules.limits.ace_in_runs.lowest
    assert meld.high <= rules.limits.ace_in_runs.highest


@given(CHANCE)
def test_a_legal_reading_is_legal_and_forced_when_it_is_given(chance):
    rules, table, play, player = a_legal_position(chance, PROTER)
    for reading in rules.judge(table, play, player).readings:
        said = with_identities(play, reading.cards)
        again = rules.judge(table, said, player)
        after = rules.after(table, said, again)
        assert again.readings == (reading,)
        # A meld stays one of its kind, a swap changes nothing of it but whose card it is,
        # and no card lies there twice.
        assert reading in after.melds
        assert reading in readings(as_offered(reading.cards), rules.limits)
        if isinstance(play, LayOff | Swap):
            assert reading.kind is table.meld(play.onto).kind
        if isinstance(play, Swap):
            assert reading.identities == table.meld(play.onto).identities
        identities = [identity for meld in after.melds for identity in meld.identities]
        assert len(set(identities)) == len(identities)


@given(CHANCE)
def test_a_ruling_says_what_follows_only_if_it_is_illegal(chance):
    rules, table, play, player = a_position(chance, PROTER)
    ruling = rules.rule_on(table, play, player)
    assert ruling.legal is (not ruling.broken)
    assert ruling.says.startswith("Legal") is ruling.legal
    assert (rules.charge_for(ruling) is None) is (ruling.consequence.take_back is not TakeBack.TURN)
    for sheet, legal in ruling.elsewhere.items():
        there = PROTER.rules(PROTER.house(sheet), rules.hand)
        melds = [meld.text for meld in table.melds]
        if legal is None:
            with pytest.raises(Malformed):
                parse_table(melds, table.pile, there)
        else:
            lying = parse_table(melds, table.pile, there)
            assert there.judge(lying, play, player).legal is legal


# -- turns -----------------------------------------------------------------------------------------


@given(CHANCE)
def test_a_turn_breaks_its_plays_rules_and_loses_no_card(chance):
    turn = a_turn(chance, *TABLE_GAMES)
    _, table, made, *_ = turn
    held = [offered.card for play in made for offered in play.cards]
    try:
        ruling = rule_on_turn(turn._replace(holding=held))
    except Ambiguous:
        return
    assert ruling.legal is all(play.legal for play in ruling.plays)
    assert set(ruling.broken) == {rule for play in ruling.plays for rule in play.broken}
    assert ruling.consequence == max(play.consequence for play in ruling.plays)
    for sheet, legal in ruling.elsewhere.items():
        there = {play.elsewhere[sheet] for play in ruling.plays}
        assert legal is (False not in there) or None in there
    assert ruling.table.take_back() == table
    assert sorted([*ruling.table.cards, *ruling.holding]) == sorted([*table.cards, *held])
    if ruling.consequence.take_back is TakeBack.TURN:
        assert (ruling.table, list(ruling.holding)) == (table, held)


@given(CHANCE)
def test_a_turn_of_one_play_is_ruled_on_like_the_play(chance):
    rules, table, play, player = a_position(chance, PROTER)
    alone = rules.rule_on(table, play, player)
    try:
        turn = rule_on_turn(Turn(rules, table, [play], player))
    except Ambiguous:
        assert alone.legal
        assert len(alone.readings) > 1
        return
    # Only at its end does a turn show that a Proter that was taken is not melded (PRO-10).
    if alone.took is None or rules.house["swapped_proter"] == "keep":
        assert turn.broken == alone.broken
        assert turn.plays[0].readings == alone.readings
    else:
        assert turn.broken == ("PRO-10",)


# -- turns in which a wild card has several readings -----------------------------------------------


def outcome(ruling: Any) -> Any:
    return [(one.broken, one.consequence, one.took) for one in (ruling, *ruling.plays)]


def said_of(plays: list[Play], number: int, stands_for: str, card: str) -> list[Play]:
    """Return the plays with the identity of one open card filled in."""
    play = plays[number]
    cards = list(play.cards)
    at = next(n for n, one in enumerate(cards) if one.text == card)
    cards[at] = parse_offered(f"{card}={stands_for}")
    return [*plays[:number], replace(play, cards=tuple(cards)), *plays[number + 1 :]]


def outcomes(rules: Judge, table: Any, plays: list[Play], player: Any) -> list[Any]:
    """Return the outcome of each identity of an open card."""
    try:
        return [outcome(rule_on_turn(Turn(rules, table, plays, player)))]
    except Ambiguous as problem:
        number = int(problem.where.removeprefix("plays[").removesuffix("]"))
        return [
            one
            for choice in problem.choices
            for one in outcomes(rules, table, said_of(plays, number, choice, problem.card), player)
        ]


@given(CHANCE)
def test_a_turn_is_ruled_on_if_all_its_readings_are_ruled_alike(chance):
    turn = a_turn(chance, PROTER)
    rules, table, made, player, _ = turn
    try:
        ruling = rule_on_turn(turn)
    except Ambiguous:
        found = outcomes(rules, table, made, player)
        assert any(one != found[0] for one in found)
        return
    for number, one in enumerate(ruling.plays):
        if not one.legal or len(one.readings) < 2 or isinstance(made[number], Swap):
            continue
        for reading in one.readings:
            said = [
                *made[:number],
                with_identities(made[number], reading.cards),
                *made[number + 1 :],
            ]
            assert outcome(rule_on_turn(Turn(rules, table, said, player))) == outcome(ruling)
        return
