"""The cards players show at the end of a hand, arranged in melds, lay-offs and cards left.

For games in which melds stay in hand until somebody goes out (PAY-7). The record has the cards held
and the cards left, so the points never change, even if several arrangements are best. The pages
work out the melds again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import dropwhile
from typing import NamedTuple

from companion.notebook.events import HandEntry, Marks, NotPossible, refused_at
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.arrange import Arrangement
from companion.rules.cards import Card, Laid, format_cards, parse_cards, parse_meld_text, show_cards
from companion.rules.errors import Malformed
from companion.rules.language import gettext, ngettext, noted
from companion.rules.laying_off import (
    Placed,
    Shown,
    Unsure,
    arrange_in_turn,
    melds_as_said,
    melds_of,
    unsure,
    unsure_groups,
    unsure_melds,
)
from companion.rules.melds import Meld


class LaidOnto(NamedTuple):
    """Cards laid off together, and the meld they were laid off on."""

    cards: tuple[Laid, ...]
    onto: Meld


class Taken(NamedTuple):
    """Cards that no longer fit on the melds, because the player ``by`` laid off ``laid`` first."""

    cards: tuple[Card, ...]
    by: int
    laid: tuple[Laid, ...]


class Arranged(NamedTuple):
    """A player's cards, arranged: melds, lay-offs, and the cards left.

    ``points`` is what the cards left cost, ``best`` the fewest possible points. ``unexplained`` are
    cards that a player who insists on an arrangement does not count as left, but which fit nowhere.
    ``taken`` are those for which another player's lay-off took the place. ``too_many_ways`` is true
    if nobody said in which melds the cards were laid, and there are too many ways to ask.
    """

    held: tuple[Card, ...]
    melds: tuple[Meld, ...]
    laid_off: tuple[LaidOnto, ...]
    left: tuple[Card, ...]
    points: int
    best: int
    unexplained: tuple[Card, ...] = ()
    taken: tuple[Taken, ...] = ()
    too_many_ways: bool = False


def lay_off_order(players: Sequence[int], event: Marks) -> list[int]:
    """Return the player who went out, then the others in the order they lay off (PAY-9).

    That is the order of play, except that a player whom the marker chose lays off first.
    """
    out = -1 if event.out is None else event.out
    return sorted(
        players, key=lambda seat: (seat != out, seat != event.lays_off_first, seat < out, seat)
    )


def arranged(hand: HandSheet, event: Marks) -> dict[int, Arranged]:
    """Return by seat the cards shown at the end of a hand, arranged as the marks say.

    By default that is the best arrangement (PAY-10), with lay-offs on the melds as the players
    before left them (PAY-9). Players whose cards are not known, or are impossible, are left out.
    """
    result: dict[int, Arranged] = {}
    shown, best = _shown_by_seat(hand, event), _arrangement_of_out(hand, event)
    onto = () if best is None else best.melds
    if best is not None and event.out is not None:
        cards = parse_cards(event.out_held or "")
        groups = unsure_groups(cards, tuple(shown.values()), hand.rules, "")
        too_many = groups is not None and not groups.ways and not _melds_said(hand, event, cards)
        of_out = Arranged(cards, best.melds, (), best.deadwood, best.points, best.points)
        result[event.out] = of_out._replace(too_many_ways=too_many)
    cards_shown = [*shown.values()]
    placed_in_turn = arrange_in_turn(cards_shown, hand.rules, onto)
    if any(placed.out_of_place for placed in placed_in_turn):
        # A player may have laid off more than deadwood, and so may the app in earlier versions.
        more = arrange_in_turn(cards_shown, hand.rules, onto, only_deadwood=False)
        if not any(placed.out_of_place for placed in more):
            placed_in_turn = more
    turns = list(zip(shown, placed_in_turn, strict=True))
    insists = {entry.player for entry in event.entries if entry.otherwise}
    for at, (seat, in_turn) in enumerate(turns):
        cards, kept, placed = shown[seat].cards, shown[seat].left, in_turn
        if placed.out_of_place and seat not in insists:
            # Before lay-offs went in the order of play, all players laid off at once.
            at_once = arrange_in_turn([shown[seat]], hand.rules, onto)[0]
            placed = placed if at_once.out_of_place else at_once
        fewest = cards if hand.rules.counts_all else placed.best.deadwood
        left = fewest if kept is None else kept
        result[seat] = Arranged(
            cards,
            placed.way.melds,
            tuple(LaidOnto(laid.cards, placed.onto[laid.onto]) for laid in placed.way.laid_off),
            left,
            hand.rules.unmelded(left).points,
            hand.rules.unmelded(fewest).points,
            placed.out_of_place,
            _taken(hand, cards, turns[:at], placed),
        )
    return result


def _arrangement_of_out(hand: HandSheet, event: Marks) -> Arrangement | None:
    """Return the best arrangement of the player who went out; None for no or impossible cards."""
    if event.out is None or not event.out_held:
        return None
    try:
        cards = _read(hand, event.out_held)
    except Malformed:
        return None  # `check_held` refuses these cards
    best = arrange_in_turn([Shown(cards)], hand.rules)[0].best
    if melds := _melds_said(hand, event, cards):
        best = Arrangement(0, melds, (), ())
    said = _laid_as_of_out(event)
    return best._replace(melds=melds_as_said(best.melds, said, hand.rules)) if said else best


def _laid_as_of_out(event: Marks) -> list[str]:
    """Return what the wild cards of the player who went out stand for, as far as it was said."""
    if event.out_laid_as and "/" not in event.out_laid_as:
        return event.out_laid_as.split()
    return [text for text in _said_of_out(event).split() if "=" in text]


def _said_of_out(event: Marks) -> str:
    """Return the melds that the marker said, as text: chosen for this hand, or else declared."""
    return event.out_laid_as if "/" in event.out_laid_as else event.out_melds


def _melds_said(hand: HandSheet, event: Marks, cards: Sequence[Card]) -> tuple[Meld, ...]:
    """Return the melds in which the player who went out laid the cards; none if it is not known."""
    with suppress(Malformed):
        groups = [parse_meld_text(text) for text in _said_of_out(event).split("/") if text.strip()]
        if Counter(one.card for group in groups for one in group) == Counter(cards):
            return melds_of(groups, hand.rules)
    return ()


def _taken(
    hand: HandSheet, cards: tuple[Card, ...], before: Sequence[tuple[int, Placed]], placed: Placed
) -> tuple[Taken, ...]:
    """Return which of the cards cannot be laid off because players ``before`` laid off first."""
    kept = Counter(cards) - _laid_off(placed.best)
    after, taken = placed.best, list[Taken]()
    for seat, turn in reversed(before):
        then = arrange_in_turn([Shown(cards)], hand.rules, turn.onto)[0].best
        late = kept & (_laid_off(then) - _laid_off(after))
        if late and then.points < after.points:
            kept -= late
            taken.append(Taken(tuple(late.elements()), seat, _in_place_of(late, then, turn.way)))
        after = then
    return tuple(reversed(taken))


def _laid_off(arrangement: Arrangement) -> Counter[Card]:
    return Counter(one.card for laid in arrangement.laid_off for one in laid.cards)


def _in_place_of(late: Counter[Card], then: Arrangement, way: Arrangement) -> tuple[Laid, ...]:
    """Return the cards laid off in the places of the late ones, or else on the same melds."""
    places = {one.stands_for for laid in then.laid_off for one in laid.cards if one.card in late}
    melds = {laid.onto for laid in then.laid_off}
    on_same_melds = [one for laid in way.laid_off if laid.onto in melds for one in laid.cards]
    return tuple([one for one in on_same_melds if one.stands_for in places] or on_same_melds)


def _shown_by_seat(hand: HandSheet, event: Marks) -> dict[int, Shown]:
    """Return the cards of the players who lay off, in their order (PAY-9).

    Skips players with impossible cards, which `check_held` refuses.
    """
    held = {one.player: one for one in event.entries if one.held and one.player != event.out}
    shown = {}
    for seat in lay_off_order(list(held), event):
        entry = held[seat]
        with suppress(Malformed):
            cards = _read(hand, entry.held or "")
            left = None if entry.cards is None else parse_cards(entry.cards)
            shown[seat] = Shown(cards, left, tuple(entry.laid_as.split()))
    return shown


def unsure_lay_offs(hand: HandSheet, event: Marks) -> dict[int, Unsure]:
    """Return by seat the wild cards whose identity must be given, or the melds of who went out.

    The points of players who lay off later depend on them (PAY-9). In each, ``player`` and
    ``others`` are seats.
    """
    best = _arrangement_of_out(hand, event)
    if best is None or event.out is None:
        return {}
    shown = _shown_by_seat(hand, event)
    seats, hands = [*shown, event.out], tuple(shown.values())  # the index of ``out`` is -1
    cards = parse_cards(event.out_held or "")
    of_out = None
    if not event.out_laid_as or "/" in event.out_laid_as:
        of_out = unsure_groups(cards, hands, hand.rules, _said_of_out(event))
    if of_out is None or not of_out.ways:
        of_out = unsure_melds(best.melds, hands, hand.rules, _laid_as_of_out(event))
    in_order = unsure(hands, hand.rules, best.melds)
    return {
        seats[wilds.player]: wilds._replace(
            player=seats[wilds.player], others=tuple(seats[other] for other in wilds.others)
        )
        for wilds in ([of_out] if of_out else []) + in_order
    }


def unsure_order(hand: HandSheet, event: Marks) -> list[int]:
    """Return the seats whose points depend on who lays off first, if that is open (PAY-9)."""
    in_order = arranged(hand, event) if _anybody_is_first(hand, event) else {}
    if not any(one.laid_off for one in in_order.values()):
        return []
    others = [seat for seat in in_order if seat != event.out]
    ways = [arranged(hand, replace(event, lays_off_first=seat)) for seat in others]
    return [seat for seat in others if len({way[seat].points for way in ways}) > 1]


def waiting_for(
    missing: Collection[int], by_seat: Mapping[int, Arranged], hand: HandSheet, event: Marks
) -> list[int]:
    """Return the seats whose points may change with the cards of ``missing`` seats (PAY-9).

    The missing ones lay off before them, and the melds to lay off on are known. ``by_seat`` has the
    cards as they are `arranged` without the missing ones.
    """
    if not missing or event.out not in by_seat:
        return []
    order: Iterable[int] = lay_off_order([*by_seat, *missing], event)
    if not _anybody_is_first(hand, event):
        order = dropwhile(lambda seat: seat not in missing, order)
    shown = [(seat, by_seat[seat]) for seat in order if seat in by_seat]
    return [seat for seat, one in shown if one.laid_off or one.left]


def _anybody_is_first(hand: HandSheet, event: Marks) -> bool:
    """True if any of the players may lay off first, and the marker has not said who does."""
    return hand.rules.house.get("lay_off_order") == "free" and event.lays_off_first is None


def laid_as_question(sheet: ScoreSheet, wilds: Unsure) -> str:
    """Return the sentence that asks what wild cards stand for, or which melds were laid."""
    if wilds.of_melds:
        return gettext(
            "In which melds did %(name)s lay the cards? It decides what %(others)s can lay off.",
            name=sheet.names[wilds.player],
            others=sheet.named(wilds.others),
        )
    asked = wilds.asked(wilds.ways[0])
    return ngettext(
        "What does %(name)s's %(cards)s stand for? It decides what %(others)s can lay off.",
        "What do %(name)s's %(cards)s stand for? It decides what %(others)s can lay off.",
        len(asked),
        name=sheet.names[wilds.player],
        cards=show_cards(laid.card for laid in asked if isinstance(laid, Laid)),
        others=sheet.named(wilds.others),
    )


def settle_left(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> Marks:
    """Return the event with each player's cards left, by default those of the best arrangement.

    Leaves impossible cards for `check_held` to refuse. Raises `NotPossible` for an unknown rank.
    """
    if not hand.rules.arranges:
        return event
    if hand.turned is not None and event.turned == hand.turned.text:
        event = replace(event, turned=None)  # already recorded
    with refused_at("turned"):
        hand = sheet.with_turned(hand, event.turned)
    by_seat = arranged(hand, event)
    entries = tuple(
        replace(entry, held=format_cards(shown.held), cards=format_cards(shown.left))
        if (shown := by_seat.get(entry.player)) and not (entry.otherwise and entry.cards is None)
        else entry
        for entry in event.entries
    )
    out = None if event.out is None else by_seat.get(event.out)
    held = event.out_held if out is None else format_cards(out.held)
    said = "" if out is None or "/" in event.out_laid_as else event.out_melds
    said = said if out is not None and _melds_said(hand, event, out.held) else ""
    return replace(event, entries=entries, out_held=held, out_melds=said)


def check_held(sheet: ScoreSheet, hand: HandSheet, event: Marks, *, new: bool) -> None:
    """Raise `NotPossible` unless the cards held are possible and include the cards left.

    Does not check that the arrangement is the best. ``new`` also checks that the player who went
    out has all cards in melds (PAY-8).
    """
    if not hand.rules.arranges:
        shown = any(entry.held or entry.otherwise or entry.laid_as for entry in event.entries)
        of_out = event.out_held or event.out_melds or event.out_laid_as
        if shown or of_out or event.lays_off_first is not None:
            says = noted("In %(name)s melds are laid in the hand, and not after it.")
            raise NotPossible(says, name=sheet.game.name)
        return
    if event.lays_off_first is not None:
        _check_first(sheet, hand, event)
    if event.out_held:
        if event.out is None:
            raise NotPossible("Nobody went out, so there are no melds to lay off on.", "out")
        name = sheet.names[event.out]
        with refused_at(f"cards.{event.out}"):
            cards = _read(hand, event.out_held, name)
        if new:
            _check_out(name, hand, event, len(cards))
    for entry in event.entries:
        _check_shown(sheet.names[entry.player], hand, entry)


def _check_out(name: str, hand: HandSheet, event: Marks, cards: int) -> None:
    """Raise `NotPossible` unless the player who went out has enough cards, all in melds."""
    best, at = _arrangement_of_out(hand, event), f"cards.{event.out}"
    dealt, rule = hand.rules.dealt, hand.rules.game.end_rule
    if cards < dealt:
        says = noted(
            "%(name)s went out with all %(dealt)s cards in melds (%(rule)s), not with %(cards)s. "
            "Enter all of them, or none."
        )
        raise NotPossible(says, at, name=name, dealt=dealt, rule=rule, cards=cards)
    if best is not None and best.deadwood:
        says = noted(
            "The cards of %(name)s are not all in melds. Left over: %(left)s. "
            "Enter the cards of the melds alone, or none."
        )
        raise NotPossible(says, at, name=name, left=show_cards(best.deadwood))


def _check_shown(name: str, hand: HandSheet, entry: HandEntry) -> None:
    """Raise `NotPossible` unless a player's cards are possible, and those left are among them."""
    at = f"cards.{entry.player}"
    if entry.held is None:
        if entry.otherwise:
            raise NotPossible("Enter all of the cards that %(name)s held.", at, name=name)
        return
    with refused_at(at):
        held, left = (_read(hand, cards or "", name) for cards in (entry.held, entry.cards))
    if entry.cards is None or entry.points is not None:
        raise NotPossible("Say which cards %(name)s has left.", f"left.{entry.player}", name=name)
    over = Counter(left) - Counter(held)
    if over:
        says = noted("%(name)s is left with cards that are not among those held: %(cards)s.")
        raise NotPossible(says, at, name=name, cards=show_cards(over))


def _check_first(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> None:
    """Raise `NotPossible` unless the marker may say who lays off first."""
    if hand.rules.house.get("lay_off_order") != "free":
        raise NotPossible("At this table lay-offs go in the order of play.", "lays_off_first")
    if event.lays_off_first not in sheet.players or event.lays_off_first == event.out:
        raise NotPossible("Say which of the others lays off first.", "lays_off_first")


def _read(hand: HandSheet, text: str, name: str = "") -> tuple[Card, ...]:
    """Return one player's cards. Raises `Malformed` for impossible cards or too many.

    A player holds one card more than was dealt between the draw and the discard (PAY-7, PAY-8).
    `check_most` checks how many the player can be left with.
    """
    cards, most = parse_cards(text), hand.rules.most_in_turn
    if len(cards) > most:
        says = noted("%(name)s holds %(most)s cards at most, not %(cards)s.")
        raise Malformed(says, name=name, most=most, cards=len(cards))
    hand.rules.check_held(cards)
    return cards
