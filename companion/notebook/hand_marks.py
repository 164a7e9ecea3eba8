"""The marks of a hand as the marker enters them: completed, checked, and previewed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from companion.notebook.arrangements import (
    Arranged,
    arranged,
    laid_as_question,
    settle_left,
    unsure_lay_offs,
    unsure_order,
    waiting_for,
)
from companion.notebook.describe import in_points
from companion.notebook.endings import ending_of, is_blank
from companion.notebook.events import HandEntry, Marks, NotPossible
from companion.notebook.hand_sheet import HandSheet, Marking, hand_ends
from companion.notebook.possible_left import known_wilds, whole_packs
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import Card, parse_cards, show_cards, split_cards
from companion.rules.hand_rules import Need
from companion.rules.language import gettext, noted
from companion.rules.laying_off import Unsure
from companion.rules.scoring import NOTHING_LEFT, Left, Mark


def settle_marks(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> Marks:
    """Return new marks ready to record: completed, and checked by `check_marks`.

    Raises `NotPossible`, also if the marker must say whether players laid a meld, what a laid-off
    wild card stands for, or who lays off first.
    """
    asked = unanswered_melds(sheet, hand, event)
    if asked:
        says = noted(
            "Did %(named)s lay a meld in this hand? No meld is recorded, and the cards left do "
            "not show it."
        )
        raise NotPossible(says, f"melded.{asked[0]}", named=sheet.named(asked))
    for seat, wilds in unsure_lay_offs(hand, event).items():
        if wilds.said is None:
            raise NotPossible(laid_as_question(sheet, wilds), f"laid_as.{seat}")
    if others := unsure_order(hand, event):
        says = noted("Who lays off first? It decides what %(others)s can lay off.")
        raise NotPossible(says, "lays_off_first", others=sheet.named(others))
    event = settled(sheet, hand, with_melds(event))
    check_marks(sheet, hand, event, new=True)
    return event


def settled(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> Marks:
    """Return the event with the cards left filled in, and without cards that do not count.

    Raises `NotPossible` as `settle_left` does.
    """
    return settle_left(sheet, hand, ending_of(sheet).counted_only(sheet, event))


def check_marks(sheet: ScoreSheet, hand: HandSheet, event: Marks, *, new: bool = False) -> None:
    """Raise `NotPossible` if a player is missing or an entry is not possible.

    ``new`` also checks how many cards players can hold. Older records did not ask for penalty
    cards, so they are not checked for it.
    """
    ending = ending_of(sheet)
    ending.check_complete(sheet, hand, event)
    ending.check_entered(sheet, hand, event, new=new)


def settle_known(
    sheet: ScoreSheet, hand: HandSheet, event: Marks
) -> tuple[Marks, Mapping[int, NotPossible]]:
    """Return the possible entries so far, settled, and the errors of the others by seat.

    Assumes a meld if the marker has not said.
    """
    entries = tuple(
        replace(entry, otherwise=entry.otherwise and entry.cards is not None)
        for entry in with_melds(event).entries
        if not is_blank(entry)
    )
    event = replace(event, entries=entries)
    refused: dict[int, NotPossible] = {}
    while True:
        known = event
        try:
            known = settled(sheet, hand, event)
            ending_of(sheet).check_entered(sheet, hand, known, new=True)
        except NotPossible as problem:
            name, _, seat = problem.field.partition(".")
            if not seat:
                return known, refused  # it is about the whole hand, not one player
            refused[int(seat)] = problem
            others = tuple(entry for entry in event.entries if entry.player != int(seat))
            of_out = name == "cards" and int(seat) == event.out
            event = replace(event, entries=others, out_held=None if of_out else event.out_held)
        else:
            return known, refused


def with_melds(event: Marks) -> Marks:
    """Return the event with ``melded`` true for players for whom the marker has not said."""
    said = [replace(one, melded=True) if one.melded is None else one for one in event.entries]
    return replace(event, entries=tuple(said))


def unanswered_melds(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> list[int]:
    """Return the seats for which the marker must say whether they laid a meld."""
    if not ending_of(sheet).asks_melded(sheet, hand):
        return []
    known = recorded_melds(sheet, hand, event)
    return [
        entry.player
        for entry in event.entries
        if entry.melded is None
        and entry.player in sheet.players
        and entry.player != event.out
        and entry.player not in known
        and not must_have_laid(sheet, hand, entry)
    ]


def recorded_melds(
    sheet: ScoreSheet, hand: HandSheet, event: Marks | None = None
) -> frozenset[int]:
    """Return the seats that have laid a meld on the recorded table (PRO-13.5).

    None has if the marks say that the table is out of date.
    """
    if event is not None and event.table_is_old:
        return frozenset()
    board = hand.board
    return board.melded | board.laid_off if lay_offs_count(sheet) else board.melded


def lay_offs_count(sheet: ScoreSheet) -> bool:
    """True if a lay-off is enough to escape the penalty for no meld (PRO-13.5)."""
    return sheet.house.get("lay_off_counts_as_meld") == "yes"


def melded_question(sheet: ScoreSheet) -> str:
    """Return the question that decides about the penalty for no meld, without a name."""
    if lay_offs_count(sheet):
        return gettext("Laid a meld or laid off?")
    return gettext("Laid a meld?")


def must_have_laid(sheet: ScoreSheet, hand: HandSheet, entry: HandEntry) -> bool:
    """True if fewer cards are left than were dealt: the player melded or laid off the others.

    Then nobody has to say whether it was a meld, unless the player has a recorded lay-off, which is
    no meld. Points alone show it if as many cards as were dealt, or more, cannot make them.
    """
    if entry.player in hand.board.laid_off and not lay_offs_count(sheet):
        return False
    dealt, wilds = hand.rules.dealt, known_wilds(hand, entry.wilds)
    if entry.cards is not None:
        return len(split_cards(entry.cards)) < dealt
    return not whole_packs(hand.rules, dealt).can_make(entry.points or 0, wilds, dealt)


# -- marks before they are saved ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Preview:
    """One player's mark as it would be; ``mark`` is None while it is missing or refused.

    ``asks`` is what the marker must still say: ``melded``, ``penalty_cards`` or ``laid_as``.
    ``problem`` is why the entry is refused, ``field`` the form field to answer or to change.
    ``so_far`` is true if the mark may still change: with missing melds, with the missing cards of a
    player who lays off first, with what another's wild card stands for, with who lays off first, or
    with the card that was turned up. ``arranged`` has the player's cards where all are shown at the
    end of the hand. ``unsure`` are laid-off wild cards whose identity the marker must give, or
    gave; ``question`` asks for it, or whether a meld was laid. ``counts`` is false if none of the
    player's cards count in this hand. ``incomplete`` is true if the cards shown are not as many as
    were dealt; whoever went out may show the discard, too.
    """

    player: int
    out: bool
    mark: Mark | None
    left: Left
    asks: str
    problem: str
    field: str
    so_far: bool
    arranged: Arranged | None
    unsure: Unsure | None
    question: str
    counts: bool
    incomplete: bool


def preview(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> list[Preview]:
    """Return every player's mark as it will be once saved; none while missing or refused."""
    hand = sheet.with_turned(hand, event.turned)
    known, refused = settle_known(sheet, hand, event)
    ending = ending_of(sheet)
    counting = ending.counting(sheet, hand.number, event.out)
    unknown = {*ending.missing(sheet, known), *refused}
    every = enumerate(hand_ends(hand, known, sheet.names))
    ends = {seat: end for seat, end in every if seat not in unknown}
    marks, dealt = hand.rules.marks(list(ends.values())), hand.rules.dealt
    by_seat = arranged(hand, known)
    asked = unanswered_melds(sheet, hand, event)
    possible = replace(known, entries=tuple(one for one in event.entries if one.player in ends))
    unsure = unsure_lay_offs(hand, possible)
    may_change = {other for one in unsure.values() if one.said is None for other in one.others}
    may_change.update(unsure_order(hand, possible))
    may_change.update(waiting_for(unknown, by_seat, hand, known))
    if ending.lacks_turned(hand):
        may_change.update(by_seat)
    lines = []
    for seat in sheet.players:
        mark, problem, question = marks.get(sheet.names[seat]), refused.get(seat), ""
        drew_more = problem is not None and problem.field.startswith("penalty_cards.")
        asks = "penalty_cards" if drew_more else ""
        if seat in unsure:
            asks = "" if unsure[seat].said else "laid_as"
            question = laid_as_question(sheet, unsure[seat])
        elif seat in ends and seat in asked:
            asks = "melded"
            question = gettext("Did %(name)s lay a meld?", name=sheet.names[seat])
        waits = mark is not None and mark.box is not None and mark.box.needs_all
        is_out, shown = seat == event.out, by_seat.get(seat) if seat in ends else None
        lines.append(
            Preview(
                seat,
                is_out,
                None if mark is None else hand.with_house_penalties(seat, mark),
                ends[seat].left if seat in ends else NOTHING_LEFT,
                asks,
                "" if problem is None else str(problem),
                problem.field if problem else asks and f"{asks}.{seat}",
                so_far=seat in may_change or (waits and len(ends) < len(sheet.names)),
                arranged=shown,
                unsure=unsure.get(seat),
                question=question,
                counts=seat in (event.out, *counting),
                incomplete=shown is not None and len(shown.held) not in (dealt, dealt + is_out),
            )
        )
    return lines


def saved_and_entered(
    sheet: ScoreSheet, hand: HandSheet, event: Marks, lines: Iterable[Preview]
) -> list[tuple[str, str, str]]:
    """Return each player's name, the saved mark of a hand, and the mark that ``event`` gives.

    ``lines`` are the previews of the event. A mark has points, the box if one is shown, and the
    cards where only these differ.
    """
    rows = []
    marked = hand.marking.event if hand.marking else event
    for line in lines:
        seat = line.player
        saved, entered = _mark_in_words(hand.mark(seat)), _mark_in_words(line.mark)
        if line.mark is not None and saved == entered:  # and so the cards can be read
            cards, others = _cards_of(marked, seat), _cards_of(event, seat)
            if Counter(cards) != Counter(others):
                saved, entered = f"{saved} {show_cards(cards)}", f"{entered} {show_cards(others)}"
        rows.append((sheet.names[seat], saved.strip(), entered.strip()))
    return rows


def _mark_in_words(mark: Mark | None) -> str:
    if mark is None:
        return gettext("missing")
    points = in_points(mark.points)
    return f"{gettext(mark.box.title)}: {points}" if mark.box else points


def _cards_of(marks: Marks, seat: int) -> tuple[Card, ...]:
    shown = [entry.shown for entry in marks.entries if entry.player == seat]
    return parse_cards(marks.out_held or "" if seat == marks.out else " ".join(shown))


def afterwards(sheet: ScoreSheet, hand: HandSheet) -> Sequence[Need]:
    """Return what players have to know after a marked hand, before the next deal."""
    return () if hand.marking is None else afterwards_if_saved(sheet, hand, hand.marking.event)


def afterwards_if_saved(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> Sequence[Need]:
    """Return what `afterwards` will give once these marks are saved, or who wins by them."""
    event = settled(sheet, hand, event)
    hand = sheet.with_turned(hand, event.turned)
    if event.out is None or not sheet.wins(hand.number, event.out):
        follows = hand.rules.afterwards(hand_ends(hand, event, sheet.names))
        return [*follows, *ending_of(sheet).goes_on(sheet, event)]
    marked = hand.copy()
    marked.markings.append(Marking(sheet.last, event, hand.rules, len(sheet.names)))
    hands = [*sheet.hands[: hand.number - 1], marked, *sheet.hands[hand.number :]]
    paid = in_points(replace(sheet, hands=hands).payments()[event.out])
    says = gettext("%(name)s, who is paid %(points)s", name=sheet.names[event.out], points=paid)
    return [Need(gettext("Winner"), says)]


def why_not_saved(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> NotPossible | None:
    """Return why these marks could not be saved as they are; None if they could."""
    try:
        settle_marks(sheet, hand, event)
    except NotPossible as problem:
        return problem
    return None
