"""The questions, their rules and their hands, which are the same in every run."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from companion.rules.cards import JOKER, PACK, RANKS, Card, Rank
from companion.rules.game import Deck
from companion.rules.games.indian_rummy import INDIAN_RUMMY
from companion.rules.games.pay_me import PAY_ME
from companion.rules.judge import Judge
from companion.rules.melds import AceInRuns
from tests.bench.arrange import (
    TWO_PACKS,
    Deal,
    few_ranks,
    long_and_beside,
    of_two_packs,
    random_cards,
)
from tests.rules.invented import InventedRules, invented

ONE_PACK = Deck(1, 0)
CARDS = 13
DEALS: tuple[tuple[str, Deal], ...] = (
    ("random", random_cards),
    ("dense", long_and_beside),
    ("few ranks", few_ranks),
)


class Question(NamedTuple):
    """A row of the table: the hands, each with the judge whose rules count."""

    name: str
    deal: str
    wilds: int
    hands: Sequence[tuple[Sequence[Card], Judge]]


class _Gin(InventedRules):
    """Gin: one pack, no wild cards; an ace is low and counts 1, K Q J 10."""

    def value(self, card: Card) -> int:
        return min(int(card.rank), 10)


class _Tiles(InventedRules):
    """Tiles: any number of wild cards; each natural card left counts 1, and a wild card nothing."""

    def value(self, card: Card) -> int:
        return int(not self.limits.is_wild(card))


def gin() -> Judge:
    """Return the rules of toolkits for gin rummy."""
    return _Gin(invented(ONE_PACK, frozenset()).limits, ONE_PACK)


def tiles() -> Judge:
    """Return the rules of solvers for tile rummy: sets of different suits, runs with a low ace."""
    return _Tiles(invented(TWO_PACKS, ace_in_runs=AceInRuns.LOW).limits, TWO_PACKS)


def gin_hands(count: int, cards: int, deals: Sequence[tuple[str, Deal]]) -> Iterator[Question]:
    rules = gin()
    for name, deal in deals:
        chance = Random(f"gin {name} {cards}")
        hands = [(deal(chance, PACK, cards), rules) for _ in range(count)]
        yield Question(f"gin, {cards} cards", name, 0, hands)


def hands_of_two_packs(name: str, rules: Judge, count: int) -> Iterator[Question]:
    """Yield questions with thirteen cards and 0 to 4 jokers; other wild cards come by chance."""
    for deal_name, deal in DEALS:
        for jokers in range(TWO_PACKS.jokers + 1):
            chance = Random(f"{name} {deal_name} {jokers}")
            hands = [(of_two_packs(chance, deal, CARDS, jokers), rules) for _ in range(count)]
            yield Question(name, deal_name, jokers, hands)


def declarations(count: int) -> Iterator[Question]:
    """Yield questions with thirteen cards of Indian Rummy: melds, or melds with one card changed.

    The wild rank goes through all ranks, and its cards come by chance.
    """
    pack = [card for card in PACK for _ in range(TWO_PACKS.packs)]
    judges = [INDIAN_RUMMY.rules(INDIAN_RUMMY.house(), 1, TWO_PACKS, rank) for rank in RANKS]
    for jokers in range(TWO_PACKS.jokers + 1):
        chance = Random(f"declare {jokers}")
        hands = []
        for number in range(count):
            cards = _melded(chance, jokers)
            if number % 2:
                cards[chance.randrange(CARDS - jokers)] = chance.choice(pack)
            while max(map(cards.count, set(cards) - {JOKER})) > TWO_PACKS.packs:
                cards = _melded(chance, jokers)
            chance.shuffle(cards)
            hands.append((cards, judges[number % len(judges)]))
        yield Question("declare", "melds, or a card off", jokers, hands)


def _melded(chance: Random, jokers: int) -> list[Card]:
    """Return a clean run of four, two runs of three and a set; jokers replace some of the rest."""
    cards = []
    for length in (4, 3, 3):
        suit, first = chance.choice(PACK).suit, chance.randrange(1, 14 - length)
        cards += [Card(Rank(first + place), suit) for place in range(length)]
    rank = chance.choice(RANKS)
    cards += chance.sample([card for card in PACK if card.rank is rank], 3)
    for place in chance.sample(range(4, CARDS), jokers):
        cards[place] = JOKER
    return sorted(cards, key=lambda card: card == JOKER)


def questions(count: int) -> Iterator[Question]:
    yield from gin_hands(count, 10, DEALS)
    yield from gin_hands(count, CARDS, DEALS)
    yield from hands_of_two_packs("tiles", tiles(), count)
    pay_me = PAY_ME.rules(PAY_ME.house(), PAY_ME.hands, TWO_PACKS)
    yield from hands_of_two_packs("Pay Me", pay_me, count)
    yield from declarations(count)
