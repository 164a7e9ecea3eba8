"""Cards drawn for the seats: who sits where, and who must draw again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.notebook.events import NotPossible
from companion.rules.cards import Card, Rank, Suit
from companion.rules.game import Game
from companion.rules.seating import seats_from_draw

_OF_A_RANK = 4


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a draw comes to: the rows of the form in the order of play, the first dealer first.

    ``ties`` are the groups of rows that drew equal cards and draw again; ``missing`` the rows
    whose card is not known. While there is either, the order is not settled.
    """

    order: tuple[int, ...]
    ties: tuple[tuple[int, ...], ...] = ()
    missing: tuple[int, ...] = ()


def seats_of(drawn: Mapping[int, Sequence[Rank]], *, lowest_deals: bool = False) -> Drawn:
    """The seats from the ranks that each row drew, one a round: the highest or the lowest deals.

    Only who tied in one round takes part in the next, and only for the places that they tied for.
    Raises `NotPossible` if more than four drew one rank in one round.
    """
    return _round(tuple(drawn), drawn, 0, lowest_deals)


def _round(
    rows: tuple[int, ...], drawn: Mapping[int, Sequence[Rank]], number: int, lowest_deals: bool
) -> Drawn:
    missing = tuple(row for row in rows if len(drawn[row]) <= number)
    if number and missing == rows:
        return Drawn(rows, ties=(rows,))
    if missing:
        return Drawn(rows, missing=missing)
    ranks = {row: drawn[row][number] for row in rows}
    _check_pack(ranks)
    # Only the rank decides, so any suit will do.
    cards = {str(row): Card(rank, Suit.CLUBS) for row, rank in ranks.items()}
    seats = seats_from_draw(cards, lowest_deals=lowest_deals)
    tied = {int(tie[0]): tuple(map(int, tie)) for tie in seats.ties}
    order: list[int] = []
    ties: tuple[tuple[int, ...], ...] = ()
    missing = ()
    for row in map(int, seats.order):
        if row in order:
            continue
        if row not in tied:
            order.append(row)
            continue
        again = _round(tied[row], drawn, number + 1, lowest_deals)
        order += again.order
        ties += again.ties
        missing += again.missing
    return Drawn(tuple(order), ties, missing)


def _check_pack(ranks: Mapping[int, Rank]) -> None:
    for rank, times in Counter(ranks.values()).items():
        if times > _OF_A_RANK:
            last = [row for row, drew in ranks.items() if drew is rank][_OF_A_RANK]
            raise NotPossible(
                f"A pack has only {_OF_A_RANK} cards of one rank: {times} players cannot all have "
                f"drawn {article(rank)}.",
                f"drew.{last}",
            )


def draw_says(game: Game, sheet: str) -> tuple[str, str]:
    """Return how cards are drawn for the seats, in sentences, and the rule that says so, if any."""
    rule, lowest_deals = game.seat_draw(sheet)
    which, order = ("lowest", "ascending") if lowest_deals else ("highest", "descending")
    says = (
        f"Each draws a card: the {which} (king high, ace low) deals first, the others follow in "
        f"{order} order. Equal cards draw again."
    )
    if not rule:
        says = f"The rules of {game.name} do not say who deals first. {says}"
    return says, rule


def article(rank: Rank) -> str:
    """A card of a rank, in words: ``an ace``, ``a 9``, ``an 8``."""
    return f"{'an' if rank in (Rank.ACE, Rank.EIGHT) else 'a'} {rank.word}"


def rank_of(text: str) -> Rank | None:
    """The rank that a form's choice means; None for none and for anything else."""
    return next((rank for rank in Rank if rank.text == text and rank is not Rank.JOKER), None)
