"""What is remembered from one handful to the next changes no answer."""

from collections.abc import Sequence
from random import Random

import pytest

from companion.rules.arrange import Arrangement, arrange, complete
from companion.rules.best_ground import CardCosts, Ground, Mode, ground
from companion.rules.best_lengthenings import TableRun
from companion.rules.cards import JOKER, PACK, Card, Rank, parse_cards
from companion.rules.game import Deck
from companion.rules.judge import Judge
from tests.rules.invented import invented

TWO_PACKS = Deck(2, 4)
ANYHOW = invented(TWO_PACKS)
HALF_WILD = invented(TWO_PACKS, half_wild=True, wilds_apart=True)
CLEAN = invented(TWO_PACKS, clean_runs=1)


def handfuls(count: int) -> list[list[Card]]:
    chance = Random("remembered")
    pack = [*PACK, *PACK, JOKER, JOKER, JOKER, JOKER]
    return [chance.sample(pack, 13) for _ in range(count)]


def afresh(cards: Sequence[Card], rules: Judge) -> Arrangement:
    ground.cache_clear()
    return arrange(cards, rules)


@pytest.mark.parametrize("rules", [ANYHOW, HALF_WILD, CLEAN], ids=["anyhow", "half wild", "clean"])
def test_the_same_cards_have_the_same_answer_whatever_was_asked_before(rules: Judge) -> None:
    hands = handfuls(40)
    alone = [afresh(cards, rules) for cards in hands]
    ground.cache_clear()
    assert [arrange(cards, rules) for cards in hands] == alone
    assert [arrange(cards, rules) for cards in reversed(hands)] == alone[::-1]


def test_what_can_be_completed_does_not_depend_on_what_was_asked_before() -> None:
    cards = parse_cards("5C 6C 7C 5D 5H 5S")
    before = complete(cards, ANYHOW)
    assert complete(cards[:5], ANYHOW) is None
    assert complete(cards, ANYHOW) == before
    assert before is not None


def test_much_that_was_remembered_is_let_go() -> None:
    costs = CardCosts(lambda card: 10)
    of = Ground(ANYHOW.limits, costs, 2, Mode(in_place=False, counted=False, clean_only=False))
    every = sum(1 << rank for rank in Rank if rank is not Rank.JOKER)
    nothing: list[list[TableRun]] = [[], [], [], []]
    twice = every & (1 << 9) - 1
    held, none = [every | twice << 16] * 4, [0] * 4
    (runs, *_) = of.suit_runs(held, none, nothing, free=0)
    runs.row(every)
    of.forget()
    (again, *_) = of.suit_runs(held, none, nothing, free=0)
    assert again is runs
    runs.row(held[0])
    assert runs.remembered > 2000
    of.forget()
    (other, *_) = of.suit_runs(held, none, nothing, free=0)
    assert other is not runs
    assert other.row(every) == runs.row(every)
