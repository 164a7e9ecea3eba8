"""Contracts, turns and moving jokers against the rulebook said once more, in the plainest way."""

from collections import Counter
from itertools import product
from random import Random

import pytest
from hypothesis import given, strategies as st

from companion.rules.cards import JOKER, PACK, RANKS, SUITS, Card, Offered, Rank
from companion.rules.contracts import ContractJudge
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.games.carioca import CARIOCA
from companion.rules.games.kalooki import KALOOKI
from companion.rules.melds import Meld
from companion.rules.readings import readings
from companion.rules.table import LayOff, MeldPlay, Player, Table
from companion.rules.turn import Turn, rule_on_turn

CHANCE = st.randoms(use_true_random=True)
TRIO, ESCALERA = "trio", "escalera"
LATER = Player(contract_met=True)


def a_judge(chance: Random, game: str) -> ContractJudge:
    known = {"carioca": CARIOCA, "kalooki": KALOOKI}[game]
    chosen = {
        rule.id: chance.choice([choice.value for choice in rule.choices])
        for rule in known.house_rules
    }
    rules = known.rules(known.house(None, chosen), chance.randint(1, known.hands))
    assert isinstance(rules, ContractJudge)
    return rules


def near_a_meld(chance: Random, stock: list[Card], runs: bool) -> list[Card]:
    """Return cards close to a meld, and remove them from the stock."""
    if runs:
        suit, low, count = (
            chance.choice(SUITS),
            chance.randint(1, 14),
            chance.choice([3, 4, 4, 4, 5]),
        )
        wanted = [Card(RANKS[(low + n - 1) % 13], suit) for n in range(count)]
    else:
        rank, count = chance.choice(RANKS), chance.choice([2, 3, 3, 3, 3, 4])
        wanted = [Card(rank, chance.choice(SUITS)) for _ in range(count)]
    cards = []
    for card in wanted:
        found = JOKER if card not in stock or chance.random() < 0.15 else card
        if found in stock:
            stock.remove(found)
            cards.append(found)
    return cards or [stock.pop()]


def kinds(cards: list[Card], game: str) -> set[str]:
    """What cards are by CAR-2 and KAL-2: a trio, an escalera, both or nothing."""
    naturals = [card for card in cards if card != JOKER]
    found = set()
    enough = game == "carioca" or len(naturals) >= 2
    if len(cards) >= 3 and len({card.rank for card in naturals}) <= 1 and enough:
        found.add(TRIO)
    if len(cards) >= 4 and len({card.suit for card in naturals}) <= 1 and escaleras(cards, game):
        found.add(ESCALERA)
    return found


def escaleras(cards: list[Card], game: str) -> list[int]:
    """Where an escalera of these cards can begin, from 1 (the ace) up."""
    naturals = [card for card in cards if card != JOKER]
    lows = []
    for low in range(1, 16 - len(cards)):
        places = range(low, low + len(cards))
        here = [p for card in naturals for p in places if (p - 1) % 13 + 1 == card.rank]
        if len(set(here)) < len(here) or len(here) < len(naturals):
            continue
        jokers = [place for place in places if place not in here]
        apart = all(place + 1 not in jokers for place in jokers)
        if game == "carioca" or apart:
            lows.append(low)
    return lows


def is_contract(rules: ContractJudge, melds: list[list[Card]]) -> bool:
    """CAR-3 and CAR-4, KAL-1 to KAL-3."""
    game, house = rules.game.id, rules.house
    for way in product(*(sorted(kinds(meld, game)) for meld in melds)):
        laid = Counter(way)
        wanted = Counter({TRIO: rules.contract.sets, ESCALERA: rules.contract.runs})
        if game == "carioca":
            sizes = {TRIO: 3, ESCALERA: 4}
            right = laid == wanted and all(
                meld.count(JOKER) <= 1
                and (not house.yes("exact_contract") or len(meld) == sizes[kind])
                for meld, kind in zip(melds, way, strict=True)
            )
        else:
            natural = [next(card for card in meld if card != JOKER) for meld in melds]
            suits = [card.suit for card, kind in zip(natural, way, strict=True) if kind == ESCALERA]
            ranks = [card.rank for card, kind in zip(natural, way, strict=True) if kind == TRIO]
            right = wanted <= laid and len(set(suits)) == len(suits)
            if not house.yes("same_rank_threes"):
                right = right and len(set(ranks)) == len(ranks)
        if right:
            return True
    return False


@pytest.mark.parametrize("game", ["carioca", "kalooki"])
@given(chance=CHANCE)
def test_a_contract_is_what_the_rulebook_says(game, chance):
    rules, stock = a_judge(chance, game), [*PACK, *PACK, *[JOKER] * 4]
    chance.shuffle(stock)
    wanted = [False] * rules.contract.sets + [True] * rules.contract.runs
    wanted += [chance.random() < 0.5] if chance.random() < 0.2 else []
    melds = [near_a_meld(chance, stock, runs) for runs in wanted]
    offered = [[Offered(card) for card in meld] for meld in melds]
    found = rules.judge_contract(offered)
    assert found.legal is is_contract(rules, melds)
    for way in found.ways:
        said = rules.judge_contract([as_offered(meld) for meld in way])
        assert (said.ways, said.broken) == ((way,), found.broken)
    if sum(map(len, melds)) > rules.most_in_turn:
        with pytest.raises(Malformed, match="cards are played, and the player can hold"):
            rules.rule_on_contract(offered)
        return
    # A turn in which they are laid one after the other is judged alike.
    if found.legal:
        plays = [MeldPlay(as_offered(meld)) for meld in found.ways[0]]
        turn = rule_on_turn(Turn(rules, Table(), plays, Player()))
        assert turn.legal
        assert turn.table.melds == found.ways[0]
        return
    try:
        assert not rule_on_turn(
            Turn(rules, Table(), [MeldPlay(tuple(m)) for m in offered], Player())
        ).legal
    except Ambiguous:
        return


def as_offered(meld: Meld) -> tuple[Offered, ...]:
    return tuple(Offered(one.card, one.stands_for if one.wild else None) for one in meld.cards)


def grown(meld: list[Card], low: int, added: list[Card], game: str) -> bool:
    """CAR-5, KAL-5: whether a run of these cards from ``low`` on can take those that are added.

    A joker in it stays what it is.
    """
    high, size = low + len(meld) - 1, len(meld) + len(added)
    naturals = [card for card in added if card != JOKER]
    for start in range(max(1, high - size + 1), low + 1):
        end = start + size - 1
        if end > 14 or size > 13:
            continue
        new = [place for place in range(start, end + 1) if not low <= place <= high]
        filled = {p for card in naturals for p in new if (p - 1) % 13 + 1 == card.rank}
        right = all(card.suit == meld[0].suit for card in naturals)
        jokers = {low + n for n, card in enumerate(meld) if card == JOKER} | {*new} - filled
        if game == "kalooki":
            right = right and not any(place + 1 in jokers for place in jokers)
            right = right and (start == low or end == 14 or size == 13)
        if right and len(filled) == len(naturals) == len({card.rank for card in naturals}):
            return True
    return False


@pytest.mark.parametrize("game", ["carioca", "kalooki"])
@given(chance=CHANCE)
def test_a_run_grows_as_the_rulebook_says(game, chance):
    rules = a_judge(chance, game)
    suit, count = chance.choice(SUITS), chance.choice([4, 4, 5, 7, 10, 11, 12])
    low = chance.randint(1, 15 - count)
    places = [Card(Rank((low + n - 1) % 13 + 1), suit) for n in range(count)]
    # The first card stays natural, so that the suit is known.
    meld = [card if not n or chance.random() < 0.8 else JOKER for n, card in enumerate(places)]
    laid = [
        Offered(JOKER, card) if one == JOKER else Offered(card)
        for one, card in zip(meld, places, strict=True)
    ]
    (before,) = readings(laid, rules.limits)
    if rules.limits.breaches(before):
        return
    near = [low - 2, low - 1, low - 1, low + count, low + count, low + count + 1]
    ranks = chance.sample(near, chance.choice([1, 1, 1, 2, 2, 3]))
    other = suit if chance.random() < 0.9 else chance.choice(SUITS)
    added = [
        JOKER if chance.random() < 0.25 else Card(Rank((place - 1) % 13 + 1), other)
        for place in ranks
    ]
    if any(n > (4 if card == JOKER else 2) for card, n in Counter([*meld, *added]).items()):
        return
    # A whole suit is read from its ace up, wherever that lay: its neighbour is the 2.
    if len(meld) + len(added) == 13 and JOKER in [*meld, *added]:
        return
    play = LayOff(tuple(Offered(card) for card in added), 0)
    ruling = rules.judge(Table((before,)), play, LATER)
    assert ruling.legal is grown(meld, low, added, game)


def test_the_plain_rules_agree_with_examples():
    cards = [Card(Rank.KING, SUITS[0]), JOKER, JOKER]
    assert kinds(cards, "carioca") == {TRIO}
    assert kinds(cards, "kalooki") == set()
    assert kinds([*cards, JOKER], "carioca") == {TRIO, ESCALERA}
