"""The ways a hand can end: by cards left, by declaring, or by boxes.

Each checks the marks that end a hand: who must be in them, and which are possible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from companion.notebook.arrangements import check_held
from companion.notebook.events import HandEntry, Marks, NotPossible, refused_at
from companion.notebook.hand_sheet import HandSheet, end_of
from companion.notebook.possible_left import check_apart, check_points, most_each
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import Card, check_packs, parse_cards, split_cards
from companion.rules.errors import Malformed
from companion.rules.game import EndsBy
from companion.rules.hand_rules import Need
from companion.rules.language import gettext, noted
from companion.rules.scoring import HandEnd, held_by


class ByCardsLeft:
    """A player went out, or nobody did, and the cards left of all others count."""

    # True if a card is turned up before the deal, and its rank is wild.
    turns_card = False
    lacks_out = noted("Say who went out.")
    still_missing = noted(
        "Still missing: %(named)s. Enter the cards left, or their points; "
        "only the player who went out has none."
    )

    def says(self, sheet: ScoreSheet, event: Marks) -> str:
        """Return how the hand ended, for the record: ``Ana out``."""
        if event.out is None:
            return gettext("nobody out")
        return gettext("%(name)s out", name=sheet.names[event.out])

    def lacks_turned(self, hand: HandSheet) -> bool:
        """True if a card was turned before the deal and nobody has said which."""
        return self.turns_card and hand.turned is None

    def last_hand(self, sheet: ScoreSheet) -> int:
        """Return the number of the last possible hand."""
        return sheet.game.hands

    def counting(self, sheet: ScoreSheet, hand: int, out: int | None) -> list[int]:
        """Return the seats whose cards count if ``out`` goes out."""
        return [player for player in sheet.players if player != out]

    def missing(self, sheet: ScoreSheet, event: Marks) -> list[int]:
        """Return the seats whose cards count but have no entry."""
        given = {entry.player for entry in event.entries if not is_blank(entry)}
        wanted = self.counting(sheet, event.hand, event.out)
        return [seat for seat in wanted if seat not in given]

    def counted_only(self, sheet: ScoreSheet, event: Marks) -> Marks:
        """Return the event without an entry of 0 points for the player who went out."""
        entries = [
            one
            for one in event.entries
            if one.player != event.out or one.points != 0 or one.wilds or one.melded is False
        ]
        return replace(event, entries=tuple(entries))

    def goes_on(self, sheet: ScoreSheet, event: Marks) -> Sequence[Need]:
        """Return how the game goes on if no new hand is dealt."""
        return ()

    def asks_melded(self, sheet: ScoreSheet, hand: HandSheet) -> bool:
        """True if the points, or who wins, depend on whether a player laid a meld (PRO-13.5)."""
        with_meld, without = (hand.rules.mark(HandEnd("", melded=one)) for one in (True, False))
        if sheet.counts_penalties:
            return with_meld != without
        return with_meld.points != without.points

    def check_complete(self, sheet: ScoreSheet, hand: HandSheet, event: Marks) -> None:
        """Raise `NotPossible` if nobody said who went out, or a player is missing."""
        self._check_out(sheet, hand, event)
        missing = self.missing(sheet, event)
        if missing:
            at, winner = f"cards.{missing[0]}", "" if event.out is None else sheet.names[event.out]
            named = sheet.named(missing)
            raise NotPossible(self.still_missing, at, named=named, winner=winner)

    def _check_out(self, sheet: ScoreSheet, hand: HandSheet, event: Marks) -> None:
        if event.out is not None and event.out not in sheet.players:
            raise NotPossible(self.lacks_out, "out")

    def check_entered(self, sheet: ScoreSheet, hand: HandSheet, event: Marks, *, new: bool) -> None:
        """Raise `NotPossible` unless the entries are possible; players may be missing.

        No player and no card may be entered twice, and free cards must be able to make the points
        entered without cards (PRO-14, PRO-15). ``new`` also checks how many cards players can hold.
        """
        hand = sheet.with_turned(hand, event.turned)
        if event.turned is not None:
            check_turns_card(sheet)
        if self.lacks_turned(hand) and any(one.shown for one in event.entries):
            says = noted("Say which card was turned up: it makes its rank wild (%(deal_rule)s).")
            raise NotPossible(says, "turned", deal_rule=sheet.game.deal_rule)
        _check_players(sheet, event)
        most = most_each(sheet, hand, event) if new else {}
        check_held(sheet, hand, event, new=new)
        held: dict[int, Sequence[Card]] = {}
        for entry in event.entries:
            if entry.cards is not None:
                with refused_at(f"cards.{entry.player}"):
                    held[entry.player] = parse_cards(entry.shown)
        places = [(seat, held_by(sheet.names[seat]), cards) for seat, cards in held.items()]
        if event.out is not None and event.out_held:
            melds = gettext("in %(name)s's melds", name=sheet.names[event.out])
            places.insert(0, (event.out, melds, parse_cards(event.out_held)))
        check_apart(hand, places, gettext("Take it from one of them."))
        if not event.table_is_old:
            _check_table(sheet, hand, held)
        check_points(sheet, hand, event, held, most)


class ByDeclaring(ByCardsLeft):
    """A player declared; the others keep their cards, which count when the game is won (IND-7)."""

    turns_card = True  # IND-1
    lacks_out = noted("Say who declared Rummy.")
    still_missing = noted(
        "%(winner)s wins by this Rummy. Still missing: %(named)s. Enter the cards left, or their "
        "points; only the player who went out has none."
    )

    def says(self, sheet: ScoreSheet, event: Marks) -> str:
        """Return how the hand ended, for the record: ``Rummy of Ana``."""
        if event.out is None:
            return gettext("no Rummy")
        return gettext("Rummy of %(name)s", name=sheet.names[event.out])

    def last_hand(self, sheet: ScoreSheet) -> int:
        """Return the number of the last possible hand while the game goes on."""
        declared = sheet.declared()
        # Every player without a Rummy may declare a first one, and then somebody a second (IND-7).
        to_come = sum(player not in declared for player in sheet.playing)
        return min(sheet.hand.number + to_come, sheet.game.hands)

    def counting(self, sheet: ScoreSheet, hand: int, out: int | None) -> list[int]:
        """Return the other players' seats if the game is won, none before."""
        if not sheet.wins(hand, out):
            return []
        return [player for player in sheet.playing_in(hand) if player != out]

    def missing(self, sheet: ScoreSheet, event: Marks) -> list[int]:
        """Return the seats whose cards count but have no entry; all if nobody declared."""
        return [*sheet.players] if event.out is None else super().missing(sheet, event)

    def goes_on(self, sheet: ScoreSheet, event: Marks) -> Sequence[Need]:
        """Return who plays next: after a Rummy the next player goes on (IND-7)."""
        out = event.out
        seats = [] if out is None else [sheet.next_player(out, event.hand + 1)]
        return [Need(gettext("Plays next"), sheet.names[seat]) for seat in seats]

    def counted_only(self, sheet: ScoreSheet, event: Marks) -> Marks:
        """Return the event without cards that do not count."""
        count = self.counting(sheet, event.hand, event.out)
        return replace(event, entries=tuple(one for one in event.entries if one.player in count))

    def check_entered(self, sheet: ScoreSheet, hand: HandSheet, event: Marks, *, new: bool) -> None:
        """Raise as for other games, and if cards were counted with another card turned up."""
        if new and event.turned is not None:
            _check_counted(sheet, hand)
        super().check_entered(sheet, hand, event, new=new)

    def _check_out(self, sheet: ScoreSheet, hand: HandSheet, event: Marks) -> None:
        if event.out is None or event.out not in sheet.players:
            raise NotPossible(self.lacks_out, "out")
        if event.out not in sheet.playing_in(hand.number):
            says = noted("%(name)s has left the game, and declares no Rummy.")
            raise NotPossible(says, "out", name=sheet.names[event.out])
        _check_later(sheet, hand, event.out)
        count = self.counting(sheet, hand.number, event.out)
        others = [entry.player for entry in event.entries if entry.player not in count]
        if others:
            says = noted(
                "Cards count only when the game is won, and only those of players still in it."
            )
            raise NotPossible(says, f"cards.{others[0]}")


class ByBoxes(ByCardsLeft):
    """Every player shows a meld for a box of the score sheet; nobody goes out (CHI-1)."""

    still_missing = noted("Still missing: %(named)s. Every player shows a meld.")

    def says(self, sheet: ScoreSheet, event: Marks) -> str:
        """Return an empty text: nobody goes out."""
        return ""

    def _check_out(self, sheet: ScoreSheet, hand: HandSheet, event: Marks) -> None:
        # Report wrong melds before missing ones.
        self.check_entered(sheet, hand, event, new=False)

    def check_entered(self, sheet: ScoreSheet, hand: HandSheet, event: Marks, *, new: bool) -> None:
        """Raise `NotPossible` unless each meld is for a box its player has not filled.

        Players may be missing.
        """
        if event.out is not None:
            says = noted("Nobody goes out in %(game)s: every player shows a meld.")
            raise NotPossible(says, "out", game=sheet.game.name)
        _check_once(sheet, event, noted("Say whose meld it is."))
        for entry in event.entries:
            _check_alone(sheet, hand, entry)
        entries = {entry.player: entry for entry in event.entries}
        ends = [end_of(hand, entry, sheet.names[entry.player]) for entry in event.entries]
        shown = zip(entries, ends, strict=True)
        check_apart(hand, [(seat, held_by(end.name), end.left.cards or ()) for seat, end in shown])
        if self.missing(sheet, event):
            return
        try:
            hand.rules.check_boxes(ends)
        except Malformed as problem:
            seat = sheet.names.index(problem.where)
            at = "points" if entries[seat].box else "cards"
            raise NotPossible(str(problem), f"{at}.{seat}") from None


_ENDINGS: Final = {
    EndsBy.CARDS_LEFT: ByCardsLeft(),
    EndsBy.DECLARING: ByDeclaring(),
    EndsBy.BOXES: ByBoxes(),
}


def ending_of(sheet: ScoreSheet) -> ByCardsLeft:
    """Return the way the hands of this game end."""
    return _ENDINGS[sheet.game.ends_by]


def check_turns_card(sheet: ScoreSheet) -> None:
    """Raise `NotPossible` if no card is turned before the deal."""
    if not ending_of(sheet).turns_card:
        says = noted("No card is turned before the deal in %(name)s.")
        raise NotPossible(says, "turned", name=sheet.game.name)


def is_blank(entry: HandEntry) -> bool:
    """True if the entry has neither cards nor points. Blank is missing, never zero."""
    return entry.points is None and not split_cards(entry.shown)


def _check_once(sheet: ScoreSheet, event: Marks, whose: str) -> None:
    """Raise `NotPossible` unless each entry is of a different player; ``whose`` asks for one."""
    for seat, count in Counter(entry.player for entry in event.entries).items():
        if seat not in sheet.players:
            raise NotPossible(whose, "cards")
        if count > 1:
            name = sheet.names[seat]
            raise NotPossible("%(name)s is entered twice.", f"cards.{seat}", name=name)


def _check_players(sheet: ScoreSheet, event: Marks) -> None:
    _check_once(sheet, event, noted("Say whose cards they are."))
    if event.out is not None and any(entry.player == event.out for entry in event.entries):
        says = noted(
            "%(name)s went out and has no cards left. "
            "Clear what is entered for %(name)s, or say who went out."
        )
        raise NotPossible(says, f"cards.{event.out}", name=sheet.names[event.out])
    for entry in event.entries:
        name, at = sheet.names[entry.player], entry.player
        if entry.points is not None and entry.cards is not None:
            says = gettext("Enter %(name)s's cards left or their points, not both.", name=name)
            raise NotPossible(says, f"points.{at}")
        if entry.points is not None and entry.points < 0:
            raise NotPossible("%(name)s's points cannot be below 0.", f"points.{at}", name=name)
        if entry.wilds < 0:
            raise NotPossible("%(name)s's wild cards can't be negative.", f"wilds.{at}", name=name)
        if entry.melded is None:
            raise NotPossible("Did %(name)s lay a meld in this hand?", f"melded.{at}", name=name)


def _check_table(sheet: ScoreSheet, hand: HandSheet, held: Mapping[int, Sequence[Card]]) -> None:
    """Raise `NotPossible` if a card left is also on the recorded table.

    If all cards are shown at the end of the hand, the recorded melds are among them.
    """
    table = hand.board.table
    places = [
        (gettext("in the recorded melds"), () if hand.rules.arranges else table.melded_cards),
        (gettext("in the recorded pile"), hand.pile_on_table),
        *((held_by(sheet.names[seat]), cards) for seat, cards in held.items()),
    ]
    advice = gettext("Correct the cards, or say that the recorded table is out of date.")
    with refused_at("table_is_old", advice):
        check_packs(places, *hand.rules.deck)


# -- declaring -----------------------------------------------------------------------------------


def _check_later(sheet: ScoreSheet, hand: HandSheet, out: int) -> None:
    """Raise `NotPossible` if a correction wins the game too early, or undoes a later win.

    Too early is before a hand that has entries. For a later win, cards were counted.
    """
    later = sheet.hands[hand.number :]
    declared = [*sheet.declared(hand.number), out]
    for each in later:
        is_touched = each.markings or each.penalties or each.rulings or each.thrown_in
        if is_touched and sheet.winner_with(declared, each.number - 1) is not None:
            says = noted(
                "The game would be won before hand %(number)s, "
                "which already has entries. Correct or undo those first."
            )
            raise NotPossible(says, "out", number=each.number)
        if each.out is not None:
            declared.append(each.out)
    last = sheet.hand
    if later and last.marking is not None and sheet.winner_with(declared, last.number) is None:
        says = noted(
            "Hand %(number)s would then not win the game, but its cards were counted. "
            "Correct hand %(number)s first."
        )
        raise NotPossible(says, "out", number=last.number)


def _check_counted(sheet: ScoreSheet, hand: HandSheet) -> None:
    """Raise `NotPossible` if cards of a later hand of the same deal were counted."""
    last, later = sheet.hand, sheet.hands[hand.number :]
    is_counted = last.marking and any(entry.shown for entry in last.marking.event.entries)
    if later and is_counted and not any(each.is_dealt for each in later):
        says = noted(
            "The cards of hand %(number)s, of the same deal, were counted with the card that was "
            "turned up. Correct it in hand %(number)s."
        )
        raise NotPossible(says, "turned", number=last.number)


# -- boxes ---------------------------------------------------------------------------------------


def _check_alone(sheet: ScoreSheet, hand: HandSheet, entry: HandEntry) -> None:
    """Raise `NotPossible` for a meld that is impossible whatever the others show.

    That includes one for a box that its player has filled in another hand (CHI-1).
    """
    name, seat = sheet.names[entry.player], entry.player
    if entry.points is not None and not entry.box:
        says = noted("Which box are %(name)s's %(points)s points for? Points alone do not say.")
        raise NotPossible(says, f"box.{seat}", name=name, points=entry.points)
    if entry.box and (entry.points is None or entry.cards is not None):
        says = noted("Enter %(name)s's cards, or a box and its points.")
        raise NotPossible(says, f"points.{seat}", name=name)
    try:
        end = end_of(hand, entry, name)
        mark = hand.rules.marks([end])[name]
    except Malformed as problem:
        raise NotPossible(str(problem), f"{_field(hand, entry, problem)}.{seat}") from None
    before = None if mark.box is None else sheet.filled_boxes(seat).get(mark.box.title)
    if mark.box is not None and before is not None and before.hand != hand.number:
        says = noted(
            "%(name)s filled the box %(box)s in %(hand_word)s %(hand)s already (%(turn_rule)s). "
            "Show another meld, or correct %(hand_word)s %(hand)s."
        )
        if hand.marking is not None:
            says = noted(
                "%(name)s filled the box %(box)s in %(hand_word)s %(hand)s already "
                "(%(turn_rule)s). To swap the two, undo the last %(hand_word)s first: then a box "
                "is open."
            )
        if hand.marking is not None and sheet.open_boxes(seat):
            says = noted(
                "%(name)s filled the box %(box)s in %(hand_word)s %(hand)s already "
                "(%(turn_rule)s). Correct %(hand_word)s %(hand)s first; to swap the two, give it "
                "a box that is still open."
            )
        raise NotPossible(
            says,
            f"{'box' if entry.box else 'cards'}.{seat}",
            name=name,
            box=mark.box.title,
            hand_word=sheet.game.hand_word,
            hand=before.hand,
            turn_rule=hand.rules.turn_rule,
        )


def _field(hand: HandSheet, entry: HandEntry, problem: Malformed) -> str:
    """Return which field of an entry is wrong."""
    if problem.where in {"points", "box"}:
        return problem.where
    if problem.where in {"cards", "plays"}:
        return "cards"
    count = len(split_cards(entry.cards or ""))
    asks = next((box.asks for box in hand.rules.boxes if box.cards == count), "")
    return asks or "cards"
