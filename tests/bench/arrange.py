"""Measure `companion.rules.arrange`.

Times are processor time of one call, in milliseconds; each hand is arranged once. Processor time
does not include the time of other programs.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from random import Random
from statistics import median
from time import process_time

from companion.rules.arrange import arrange
from companion.rules.cards import CARD_OF, JOKER, PACK, RANKS, SUITS, Card
from companion.rules.game import Deck
from companion.rules.games.proter import PROTER
from companion.rules.judge import Judge
from tests.bench.report import Row

TWO_PACKS = Deck(2, 4)
MEDIAN, WORST = 1.0, 10.0


Deal = Callable[[Random, Sequence[Card], int], list[Card]]


def random_cards(chance: Random, naturals: Sequence[Card], count: int) -> list[Card]:
    return chance.sample(naturals, count)


def neighbouring_suits(chance: Random, naturals: Sequence[Card], count: int) -> list[Card]:
    """Return a long run of one suit, and the cards of the same ranks of another suit."""
    suit, other = chance.sample(SUITS, 2)
    first = chance.randrange(6)
    long = [card for card in naturals if card.suit is suit][first : first + (count + 1) // 2]
    beside = [CARD_OF[card.rank, other] for card in long]
    return [*long, *beside][:count]


def few_ranks(chance: Random, naturals: Sequence[Card], count: int) -> list[Card]:
    """Return all four cards, or nearly all, of consecutive ranks."""
    ranks = sorted({card.rank for card in naturals})
    first = chance.randrange(len(ranks) - (count + 6) // 4)
    near = ranks[first : first + (count + 6) // 4]
    return chance.sample([card for card in naturals if card.rank in near], count)


def two_suits(chance: Random, naturals: Sequence[Card], count: int) -> list[Card]:
    suits = chance.sample(SUITS, 2)
    return chance.sample([card for card in naturals if card.suit in suits], count)


DENSE: tuple[tuple[str, Deal], ...] = (
    ("neighbouring suits", neighbouring_suits),
    ("few ranks", few_ranks),
    ("two suits", two_suits),
)


def long_and_beside(chance: Random, naturals: Sequence[Card], count: int) -> list[Card]:
    """Return a run of nine of one suit, and the cards of the same ranks of another suit."""
    suit, other = chance.sample(SUITS, 2)
    first = chance.randrange(5)
    long = [CARD_OF[rank, suit] for rank in RANKS[first : first + 9]]
    beside = [CARD_OF[card.rank, other] for card in long]
    return [card for card in [*long, *beside] if card in naturals][:count]


def _rules(**house: object) -> list[Judge]:
    return [PROTER.rules(PROTER.house(None, house), hand) for hand in range(1, 14)]


def of_two_packs(chance: Random, deal: Deal, cards: int, jokers: int) -> list[Card]:
    """Return cards of two packs with this number of jokers; other wild cards come by chance."""
    pack = [card for card in PACK for _ in range(TWO_PACKS.packs)]
    handful = [*deal(chance, pack, cards - jokers), *[JOKER] * jokers]
    chance.shuffle(handful)
    return handful


def _of_one_pack(chance: Random, deal: Deal, cards: int, wilds: int, rules: Judge) -> list[Card]:
    proters = [card for card in PACK if rules.limits.is_wild(card)]
    naturals = [card for card in PACK if card not in proters]
    handful = [*deal(chance, naturals, cards - wilds), *chance.sample(proters, wilds)]
    chance.shuffle(handful)
    return handful


def _times(
    what: str, deal: Deal, cards: int, wilds: int, judges: Sequence[Judge], hands: int
) -> tuple[float, float]:
    """Return the median and the worst time; the rules of several hands take turns."""
    chance = Random(f"{what} {cards} {wilds}")
    times = []
    for rules in islice(cycle(judges), hands):
        handful = _of_one_pack(chance, deal, cards, wilds, rules)
        start = process_time()
        arrange(handful, rules)
        times.append((process_time() - start) * 1000)
    return median(times), max(times)


def run(hands: int) -> Iterator[Row]:
    """Yield a row for each kind of cards, and one for 13 cards with 4 Proters, which has an aim.

    Each is of `hands` handfuls, the same in every run; Proter's 13 hands take turns.
    """
    usual, most = _rules(), len(RANKS)
    kinds = [("random", random_cards, cards, usual) for cards in range(6, most + 1)]
    kinds += [(what, deal, most, usual) for what, deal in DENSE]
    for what, deal, cards, judges in kinds:
        given = range(4 if cards == most else 5)
        each = [_times(what, deal, cards, wilds, judges, hands) for wilds in given]
        medians = " ".join(f"{one:.2f}" for one, _ in each)
        worst = " ".join(f"{one:.2f}" for _, one in each)
        title = f"arrange {cards} cards, {what}, 0 to {given[-1]} Proters"
        yield Row(title, f"median {medians} ms, worst {worst} ms")
        if cards == most:
            yield _aimed(what, deal, judges, hands)
    natural = _rules(min_naturals=2, proter_in_own_place="natural", ace_in_runs="both")
    yield _aimed("random, two naturals a meld", random_cards, natural, hands)


def _aimed(what: str, deal: Deal, judges: Sequence[Judge], hands: int) -> Row:
    middle, worst = _times(what, deal, len(RANKS), 4, judges, hands)
    return Row(
        f"arrange {len(RANKS)} cards, {what}, 4 Proters",
        f"median {middle:.2f} ms, worst {worst:.2f} ms",
        f"under {MEDIAN:g} ms, at worst {WORST:g} ms",
        middle < MEDIAN and worst <= WORST,
    )
