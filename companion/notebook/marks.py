"""The end of a hand as the marker enters it: complete, possible, and nothing guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from companion.notebook import rummies
from companion.notebook.arranged import check_held, settle_left
from companion.notebook.events import HandEntry, Marks
from companion.notebook.held import UNLIMITED, Limits, check_apart, check_most, known_wilds, limits
from companion.notebook.points import check_points
from companion.notebook.refusal import NotPossible
from companion.notebook.rummies import check_declared
from companion.notebook.scoresheet import HandSheet, ScoreSheet
from companion.notebook.showing import check_shown, missing_melds
from companion.notebook.totals import whole_packs
from companion.rules.cards import Card, check_packs, parse_cards, split_cards
from companion.rules.errors import Malformed


def settle_marks(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> Marks:
    """Return new marks as they are written down: complete, and checked by `check_marks`.

    Raises `NotPossible`, also if the marker must still say whether players laid a meld.
    """
    asked = open_melds(sheet, hand, event)
    if asked:
        raise NotPossible(
            f"Did {sheet.named(asked)} lay a meld in this hand? None is recorded, and the cards "
            "left do not tell.",
            f"melded.{asked[0]}",
        )
    event = settle_left(sheet, hand, with_melds(event))
    check_marks(sheet, hand, event, new=True)
    return event


def settle_known(
    sheet: ScoreSheet, hand: HandSheet, event: Marks
) -> tuple[Marks, Mapping[int, NotPossible]]:
    """Return the entries so far that can be, settled, and by seat why the others are refused.

    Takes a meld as laid where the marker has not said.
    """
    entries = tuple(
        replace(entry, otherwise=entry.otherwise and entry.cards is not None)
        for entry in with_melds(event).entries
        if not _is_blank(entry)
    )
    event = replace(event, entries=entries)
    refused: dict[int, NotPossible] = {}
    while True:
        settled = event
        try:
            settled = settle_left(sheet, hand, event)
            check_entered(sheet, hand, settled, new=True)
        except NotPossible as problem:
            name, _, seat = problem.field.partition(".")
            if not seat:
                return settled, refused  # said of the whole hand, not of one player
            refused[int(seat)] = problem
            event = replace(
                event,
                entries=tuple(entry for entry in event.entries if entry.player != int(seat)),
                out_held=None if name == "cards" and int(seat) == event.out else event.out_held,
            )
        else:
            return settled, refused


def with_melds(event: Marks) -> Marks:
    """Return the event with a meld for each player where the marker has not said."""
    return replace(
        event,
        entries=tuple(
            replace(entry, melded=True) if entry.melded is None else entry
            for entry in event.entries
        ),
    )


def open_melds(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> list[int]:
    """Return the seats of players who may or may not have laid a meld: the marker has to say."""
    if not sheet.game.asks_melded:
        return []
    known = recorded_melds(sheet, hand)
    return [
        entry.player
        for entry in event.entries
        if entry.melded is None
        and entry.player in sheet.players
        and entry.player != event.out
        and entry.player not in known
        and not must_have_played(sheet, hand, entry)
    ]


def recorded_melds(sheet: ScoreSheet, hand: HandSheet) -> frozenset[int]:
    """Return the seats that have laid a meld on the recorded table (PRO-13.5)."""
    board = hand.board
    return board.melded | board.laid_off if _lay_offs_count(sheet) else board.melded


def _lay_offs_count(sheet: ScoreSheet) -> bool:
    return sheet.house.get("lay_off_counts_as_meld") == "yes"


def must_have_played(sheet: ScoreSheet, hand: HandSheet, entry: HandEntry) -> bool:
    """Return whether the player has fewer cards left than were dealt, and so laid a meld.

    Few cards prove nothing of a player with a recorded lay-off, if a lay-off is no meld. Points
    alone prove it if as many cards as were dealt, or more, cannot make them.
    """
    if entry.player in hand.board.laid_off and not _lay_offs_count(sheet):
        return False
    dealt = sheet.game.dealt(hand.number, sheet.house.sheet)
    if entry.cards is not None:
        return len(split_cards(entry.cards)) < dealt
    wilds = known_wilds(hand, entry.wilds)
    return not whole_packs(hand.rules, dealt).can_make(entry.points or 0, wilds, dealt)


def check_marks(sheet: ScoreSheet, hand: HandSheet, event: Marks, *, new: bool = False) -> None:
    """Raise `NotPossible` if a player is missing, or as `check_entered` does."""
    if hand.rules.boxes:
        check_entered(sheet, hand, event, new=new)
        missing = missing_melds(sheet, event)
        says = "Every player shows a meld."
    else:
        _check_out(sheet, hand, event)
        given = {entry.player for entry in event.entries if not _is_blank(entry)}
        wanted = rummies.counting(sheet, event.hand, event.out)
        missing = [seat for seat in wanted if seat not in given]
        says = "Give the cards left, or their points; only who went out has none."
    if missing:
        won = ""
        if event.out is not None and sheet.game.judge.declares:
            won = f"{sheet.names[event.out]} wins by this Rummy. "
        raise NotPossible(
            f"{won}Still missing: {sheet.named(missing)}. {says}", f"cards.{missing[0]}"
        )
    check_entered(sheet, hand, event, new=new)


def check_entered(sheet: ScoreSheet, hand: HandSheet, event: Marks, *, new: bool) -> None:
    """Raise `NotPossible` unless the entries are possible; players may be missing.

    No player is there twice, no card lies in two places, and the free cards can make the points
    that were entered without cards (PRO-14, PRO-15). Melds for boxes: see `check_shown`.

    ``new`` also checks that players can hold so many cards. Older records did not ask for penalty
    cards, so they are not checked for it.
    """
    if hand.rules.boxes:
        check_shown(sheet, hand, event)
        return
    hand = sheet.with_turned(hand, event.turned)
    _check_turned(sheet, hand, event)
    _check_players(sheet, event)
    check_held(sheet, hand, event)
    held = {
        entry.player: _held(sheet, hand, entry)
        for entry in event.entries
        if entry.cards is not None
    }
    most = _check_most(sheet, hand, event) if new else UNLIMITED
    places = [(seat, f"{sheet.names[seat]}'s cards", cards) for seat, cards in held.items()]
    if event.out is not None and event.out_held:
        melds = parse_cards(event.out_held)
        places.insert(0, (event.out, f"{sheet.names[event.out]}'s melds", melds))
    check_apart(hand, places, "Take it from one of them.")
    if not event.table_is_old:
        _check_table(sheet, hand, held)
    check_points(sheet, hand, event, held, most)


def _check_most(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> Limits:
    for entry in event.entries:
        check_most(sheet, hand, event, entry)
    return limits(sheet, hand, event)


def _check_turned(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> None:
    if event.turned is not None and not sheet.game.wild_turned:
        raise NotPossible(f"No card is turned before the deal in {sheet.game.name}.", "turned")
    cards = any(entry.cards or entry.held for entry in event.entries)
    if sheet.game.wild_turned and hand.turned is None and cards:
        raise NotPossible(
            f"Say which card was turned up: it makes its rank wild ({sheet.game.deal_rule}).",
            "turned",
        )


def _check_out(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> None:
    if hand.rules.declares:
        check_declared(sheet, hand, event)
    elif event.out is not None and event.out not in sheet.players:
        raise NotPossible("Say who went out, or that nobody did.", "out")


def _check_players(sheet: ScoreSheet, event: Marks) -> None:
    times = Counter(entry.player for entry in event.entries)
    for seat, count in times.items():
        if seat not in sheet.players:
            raise NotPossible("Say whose cards they are.", "cards")
        name = sheet.names[seat]
        if seat == event.out:
            raise NotPossible(
                f"{name} went out and has no cards left. Clear them, or say who went out.",
                f"cards.{seat}",
            )
        if count > 1:
            raise NotPossible(f"{name} is there twice.", f"cards.{seat}")
    for entry in event.entries:
        _check_entry(sheet.names[entry.player], entry)


def _is_blank(entry: HandEntry) -> bool:
    """Return whether the entry has neither cards nor points. Blank is missing, and never zero."""
    return entry.points is None and not split_cards(entry.held or entry.cards or "")


def _check_entry(name: str, entry: HandEntry) -> None:
    at = entry.player
    if entry.points is not None and entry.cards is not None:
        raise NotPossible(f"Give {name}'s cards left or their points, not both.", f"points.{at}")
    if entry.points is not None and entry.points < 0:
        raise NotPossible(f"{name}'s points cannot be below 0.", f"points.{at}")
    if entry.wilds < 0:
        raise NotPossible(f"{name} cannot have fewer than no wild cards.", f"wilds.{at}")
    if entry.melded is None:
        raise NotPossible(f"Did {name} lay a meld in this hand?", f"melded.{at}")


def _held(sheet: ScoreSheet, hand: HandSheet, entry: HandEntry) -> tuple[Card, ...]:
    """Return the cards of an entry: all that were held, or those left. Raises `NotPossible`."""
    try:
        cards = parse_cards(entry.held or entry.cards or "")
        place = f"{sheet.names[entry.player]}'s cards"
        check_packs([(place, cards)], *hand.rules.deck)
    except Malformed as problem:
        raise NotPossible(str(problem), f"cards.{entry.player}") from None
    return cards


def _check_table(sheet: ScoreSheet, hand: HandSheet, held: Mapping[int, Sequence[Card]]) -> None:
    """Raise `NotPossible` if a card left lies on the recorded table as well.

    Where all cards are shown at the end of the hand, the recorded melds are among them.
    """
    table = hand.board.table
    places = [
        ("the recorded melds", () if hand.rules.arranges else table.melded_cards),
        ("the recorded pile", table.pile),
        *((f"{sheet.names[seat]}'s cards", cards) for seat, cards in held.items()),
    ]
    try:
        check_packs(places, *hand.rules.deck)
    except Malformed as problem:
        says = f"{problem} Correct the cards, or say that the recorded table was not kept up."
        raise NotPossible(says, "table_is_old") from None
