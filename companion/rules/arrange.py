"""The fewest points that a handful of cards can be left with, and melds that leave no more.

For games in which a player may arrange cards as they like. What a turn forbids (PRO-7) and what is
on the table already (PRO-9) does not count, but every meld is one by the game's limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from companion.rules.best_ground import CardCosts
from companion.rules.best_melds import BestMelds, Question, best_melds
from companion.rules.best_naturals import natural_melds
from companion.rules.best_runs import NEVER
from companion.rules.cards import JOKER, PACK, Card, check_packs
from companion.rules.judge import Judge
from companion.rules.melds import Meld
from companion.rules.planned_melds import LaidOff, lay_down

# A point weighs more than all the cards that can be left: first the points count, then the cards.
_POINT = 1 << 8
_NOTHING = BestMelds(NEVER, (), (), (), 0, ())
_LISTED = {card: number for number, card in enumerate((*PACK, JOKER))}


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Cards as melds, lay-offs and deadwood; ``points`` is what the deadwood counts."""

    points: int
    melds: tuple[Meld, ...]
    laid_off: tuple[LaidOff, ...]
    deadwood: tuple[Card, ...]


def arrange(cards: Sequence[Card], rules: Judge, onto: Sequence[Meld] = ()) -> Arrangement:
    """An arrangement of the cards that leaves the fewest points, and of those the fewest cards.

    ``onto`` are melds on the table that may be laid off on, the runs as the game lets them grow
    (KAL-5). The same cards in another order have
    the same answer. Points are as in PRO-15, melds as in PRO-4 to PRO-6, lay-offs as in PRO-8, and
    likewise in the other games. Where a game asks for a number of runs, and of clean ones (IND-5,
    IND-8), there are so many among the melds, or no melds but clean runs. All wild cards have to
    count the same, as they do in every game. Raises `Malformed` if the game's packs cannot hold the
    cards.
    """
    natural = None if onto else natural_melds(cards, rules)
    if natural:
        left = sorted(natural.left, key=_LISTED.__getitem__)
        cost = sum(map(_costs(rules).of.__getitem__, left))
        return Arrangement(cost // _POINT, natural.melds, (), tuple(left))
    asked = _question(cards, rules, onto)
    best = _NOTHING
    if rules.clean_runs or rules.all_runs:
        alone = asked._replace(clean_runs=0, all_runs=0, clean_only=True)
        best = best_melds(alone) or best
    found = best_melds(asked, min(best.cost + 1, NEVER)) or best
    melds, laid_off, unused = lay_down(found, asked)
    deadwood = tuple(sorted((*found.left, *unused), key=_LISTED.__getitem__))
    return Arrangement(found.cost // _POINT, melds, laid_off, deadwood)


def complete(cards: Sequence[Card], rules: Judge) -> tuple[Meld, ...] | None:
    """Melds that use every one of the cards, with the runs that the game asks for; None if none do.

    Raises `Malformed` if the game's packs cannot hold the cards.
    """
    asked = _question(cards, rules, ())
    found = best_melds(asked, below=1)
    return lay_down(found, asked).melds if found else None


def _question(cards: Sequence[Card], rules: Judge, onto: Sequence[Meld]) -> Question:
    check_packs([("the cards", cards)], *rules.deck)
    held: dict[Card, int] = {}
    for card in sorted(cards, key=_LISTED.__getitem__):
        held[card] = held.get(card, 0) + 1
    grows_anyhow = type(rules).longer_breaches is Judge.longer_breaches
    return Question(
        _costs(rules),
        held,
        rules.limits,
        onto,
        None if grows_anyhow else rules.longer_breaches,
        rules.clean_runs,
        rules.all_runs,
    )


@lru_cache(maxsize=512)
def _costs(rules: Judge) -> CardCosts:
    return CardCosts(lambda card: rules.value(card) * _POINT + 1)
