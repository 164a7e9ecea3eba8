"""Calls for the discard in Kalooki (KAL-4), draws from inside the pile in Contract Rummy (CON-9).

A fact that nobody stated is judged both ways. Nothing is written down.
"""

from __future__ import annotations

from collections.abc import Sequence

from companion.notebook.scoresheet import HandSheet
from companion.rules.cards import Card, Offered, check_packs
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.games.contract_rummy import ContractRummyJudge, Draw
from companion.rules.games.kalooki import Call, KalookiJudge
from companion.rules.player import Player
from companion.rules.readings import readings
from companion.rules.table import Table


def laid_on_record(hand: HandSheet, seat: int) -> bool:
    """True if the record has something that the player laid in this hand; False proves nothing."""
    board = hand.board
    return seat in board.melded | board.laid_off | board.contract


def calls_on_record(hand: HandSheet, seat: int) -> int:
    """Return how many calls of the player the record has since the cards were dealt.

    The free calls come before any that is charged.
    """
    rule, since = hand.rules.calls_rule, hand.dealt_after
    charges = (one for one in hand.charges(seat) if one.entry.number > since)
    charged = sum(one.charged.rule == rule for one in charges)
    return hand.rules.calls_allowed + charged if charged else hand.calls.count(seat)


def rule_on_call(
    rules: KalookiJudge, *, own_turn: bool, laid: bool | None, melded: bool | None, calls: int
) -> tuple[Call, Call] | None:
    """Return the ruling on a call if the player at turn has melded, and the one if not.

    Both are the same if ``melded`` is known. ``laid`` says whether the caller has laid anything in
    this hand. Returns None if the ruling depends on that and nobody stated it.
    """
    if laid is None and not own_turn:
        return None
    if_melded, if_not = (
        # In the caller's own turn no call is legal, whatever was laid.
        rules.rule_on_call(melded=bool(laid), own_turn=own_turn, active_melded=value, calls=calls)
        for value in _ways(melded)
    )
    return if_melded, if_not


def rule_on_draw(
    rules: ContractRummyJudge,
    table: Table,
    taken: Sequence[Card],
    melds: Sequence[Sequence[Offered]],
    contract_met: bool | None,
) -> tuple[Draw, Draw]:
    """Return the ruling on a draw if the contract was met in an earlier turn, and the one if not.

    Both are the same if ``contract_met`` is known. ``taken`` is the card drawn and those above it,
    the topmost last. Raises `Malformed` for cards that cannot be there.
    """
    card, *above = taken
    where = "above" if above else "card"
    if card in above:
        raise Malformed(f"There is another {card.shown} above it: name the upper one.", where)
    places = (("the melds on the table", table.melded_cards), ("the pile", taken))
    check_packs(places, *rules.deck, where)
    lying = table.with_pile(taken)
    if_met, if_not = (
        _judged(rules, lying, card, melds, Player(contract_met=value))
        for value in _ways(contract_met)
    )
    return if_met, if_not


def is_same(one: Draw, other: Draw) -> bool:
    """Return whether two rulings on a draw break the same rules with the same consequence."""
    first, second = one.ruling, other.ruling
    return (first.broken, first.consequence) == (second.broken, second.consequence)


def _ways(known: bool | None) -> tuple[bool, bool]:
    """Return both values of a fact, or the known one twice."""
    return (True, False) if known is None else (known, known)


def _judged(
    rules: ContractRummyJudge,
    table: Table,
    card: Card,
    melds: Sequence[Sequence[Offered]],
    player: Player,
) -> Draw:
    """Return the ruling on a draw. A meld is legal if one of its readings is."""
    try:
        return rules.rule_on_draw(table, card, melds, player)
    except Ambiguous as problem:
        at = int(problem.where.removeprefix("plays[").removesuffix("]"))
        tried = []
        for meld in readings(melds[at], rules.limits):
            known = [Offered(one.card, one.stands_for if one.wild else None) for one in meld.cards]
            named = [*melds[:at], known, *melds[at + 1 :]]
            tried.append(_judged(rules, table, card, named, player))
        return next((one for one in tried if one.ruling.legal), tried[0])
