"""The form of a hand in which every player shows a meld, and the event that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from werkzeug.datastructures import MultiDict

from companion.notebook.events import HandEntry, HandMarked
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import SUITS, parse_cards
from companion.rules.hand_rules import MeldBox
from companion.web.end_form import LONGEST, MOST_CARDS, Entered, Holder, Problems

LONGEST_SPLIT = 60
_SUIT_LETTERS = frozenset(suit.text for suit in SUITS)


@dataclass(frozen=True, slots=True)
class Shower(Holder):
    """What was entered of one player's meld: its cards, the suit named, the part set apart."""

    suit: str = ""
    split: str = ""


@dataclass(frozen=True, slots=True)
class EnteredMelds(Entered):
    """What was entered for a hand that nobody goes out of; ``showers`` has every seat."""

    showers: tuple[Shower, ...] = ()
    boxes: tuple[MeldBox, ...] = ()

    def marks(
        self,
        number: int,
        names: Sequence[str],  # noqa: ARG002
    ) -> tuple[HandMarked, Problems]:
        """The event for hand ``number``; nothing of it cannot be read, so there are no problems.

        A suit or a split that stands beside a meld for another box is left out: it was said of
        cards that are not shown any more.
        """
        asks = {box.cards: box.asks for box in self.boxes}
        entries = []
        for seat, shower in enumerate(self.showers):
            if shower.cards:
                said = asks.get(len(shower.cards), "")
                suit = shower.suit if said == "suit" else ""
                split = (shower.split or None) if said == "split" else None
                cards = " ".join(shower.cards)
                entries.append(HandEntry(seat, cards, melded=True, suit=suit, split=split))
        return HandMarked(number, None, tuple(entries)), []


def read_melds(form: MultiDict[str, str], players: int, boxes: Sequence[MeldBox]) -> EnteredMelds:
    """What a form holds, whatever was sent."""
    return _entered([_read(form, seat) for seat in range(players)], boxes)


def _read(form: MultiDict[str, str], seat: int) -> Shower:
    suit = form.get(f"suit-{seat}", "")
    return Shower(
        tuple(card.strip()[:LONGEST] for card in form.getlist(f"cards-{seat}")[:MOST_CARDS]),
        suit=suit if suit in _SUIT_LETTERS else "",
        split=" ".join(form.get(f"split-{seat}", "")[:LONGEST_SPLIT].replace(",", " ").split()),
    )


def blank_melds(sheet: ScoreSheet) -> EnteredMelds:
    """An empty form."""
    return _entered([Shower() for _ in sheet.names], sheet.game.judge.boxes)


def filled_melds(sheet: ScoreSheet, event: HandMarked) -> EnteredMelds:
    """The form of a hand, filled with marks that were made for it."""
    showers = [Shower() for _ in sheet.names]
    for entry in event.entries:
        cards = tuple(card.text for card in parse_cards(entry.cards or ""))
        showers[entry.player] = Shower(cards, suit=entry.suit, split=entry.split or "")
    return _entered(showers, sheet.game.judge.boxes)


def undone_melds(sheet: ScoreSheet) -> EnteredMelds | None:
    """The form of the open hand as it was saved, if that was undone last; otherwise None."""
    event = sheet.can_redo.event if sheet.can_redo else None
    return filled_melds(sheet, event) if isinstance(event, HandMarked) else None


def _entered(showers: Sequence[Shower], boxes: Sequence[MeldBox]) -> EnteredMelds:
    return EnteredMelds((), out="none", showers=tuple(showers), boxes=tuple(boxes))
