"""The form of a hand in which every player shows a meld, and the event that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from werkzeug.datastructures import MultiDict

from companion.notebook.events import HandEntry, HandMarked
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import SUITS, parse_cards
from companion.rules.hand_rules import MeldBox
from companion.web.end_form import (
    LONGEST,
    MOST_CARDS,
    EndForm,
    Holder,
    Problems,
    number_of,
    way,
)

LONGEST_SPLIT = 60
_SUIT_LETTERS = frozenset(suit.text for suit in SUITS)


@dataclass(frozen=True, slots=True)
class Shower(Holder):
    """What was entered of one player's meld: its cards, the suit named, the part set apart.

    Or the box that it is for, as the number of its cards, and its points.
    """

    suit: str = ""
    split: str = ""
    box: str = ""


@dataclass(frozen=True, slots=True)
class MeldsForm(EndForm):
    """What was entered for a hand that nobody goes out of; ``showers`` has every seat."""

    showers: tuple[Shower, ...] = ()
    boxes: tuple[MeldBox, ...] = ()

    @classmethod
    def of(cls, sheet: ScoreSheet, showers: Sequence[Shower], by: str) -> Self:
        """What these players show."""
        shown, boxes = tuple(showers), tuple(sheet.game.judge.boxes)
        return cls(shown, out="none", by=by, showers=shown, boxes=boxes)

    @classmethod
    def read(cls, form: MultiDict[str, str], sheet: ScoreSheet) -> Self:
        """What a form holds, whatever was sent."""
        by = "points" if form.get("by") == "points" else "cards"
        return cls.of(sheet, [_read(form, seat) for seat in sheet.players], by)

    @classmethod
    def blank(cls, sheet: ScoreSheet) -> Self:
        """An empty form, laid out as the last hand was marked."""
        before = sheet.marked[-1].marking if sheet.marked else None
        by = way(before.event.entries if before else ())
        return cls.of(sheet, [Shower() for _ in sheet.names], by)

    @classmethod
    def filled(cls, sheet: ScoreSheet, hand: HandSheet, event: HandMarked) -> Self:
        """The form of a hand, filled with marks that were made for it."""
        showers = [Shower() for _ in sheet.names]
        cards_of = {box.title: str(box.cards) for box in hand.rules.boxes}
        for entry in event.entries:
            cards = tuple(card.text for card in parse_cards(entry.cards or ""))
            showers[entry.player] = Shower(
                cards,
                "" if entry.points is None else str(abs(entry.points)),
                suit=entry.suit,
                split=entry.split or "",
                box=cards_of.get(entry.box, ""),
            )
        return cls.of(sheet, showers, way(event.entries))

    def marks(self, number: int, names: Sequence[str]) -> tuple[HandMarked, Problems]:
        """Return the event for hand ``number``, and each field that cannot be read with a sentence.

        A suit or a split that stands beside a meld for another box is left out: it was said of
        cards that are not shown any more.
        """
        problems: Problems = []
        entries = []
        for seat, shower in enumerate(self.showers):
            if shower.cards and shower.points:
                text = f"There are cards and points for {names[seat]}. Clear one of them."
                problems.append((f"points-{seat}", text))
            elif shower.cards:
                entries.append(self._by_cards(seat, shower))
            elif shower.points or shower.box:
                entry = self._by_points(seat, shower, names[seat], problems)
                entries += [] if entry is None else [entry]
        return HandMarked(number, None, tuple(entries)), problems

    def _by_cards(self, seat: int, shower: Shower) -> HandEntry:
        asks = {box.cards: box.asks for box in self.boxes}
        said = asks.get(len(shower.cards), "")
        suit = shower.suit if said == "suit" else ""
        split = (shower.split or None) if said == "split" else None
        return HandEntry(seat, " ".join(shower.cards), melded=True, suit=suit, split=split)

    def _by_points(
        self, seat: int, shower: Shower, name: str, problems: Problems
    ) -> HandEntry | None:
        box = next((box for box in self.boxes if str(box.cards) == shower.box), None)
        if box is None:
            problems.append((f"box-{seat}", f"Which box does {name} fill? Tap it."))
            return None
        # People may type the minus that a box has by itself.
        text = shower.points.lstrip("-−") if box.minus else shower.points
        points = number_of(text)
        if points is None:
            what = f"“{shower.points}” is not a number of points. " if shower.points else ""
            asks = f"{what}How many points does {name}'s {box.title} score? Give them in digits."
            problems.append((f"points-{seat}", asks))
            return None
        score = -points if box.minus else points
        return HandEntry(seat, points=score, melded=True, box=box.title)


def _read(form: MultiDict[str, str], seat: int) -> Shower:
    suit = form.get(f"suit-{seat}", "")
    return Shower(
        tuple(card.strip()[:LONGEST] for card in form.getlist(f"cards-{seat}")[:MOST_CARDS]),
        suit=suit if suit in _SUIT_LETTERS else "",
        points=form.get(f"points-{seat}", "").strip()[:LONGEST],
        box=form.get(f"box-{seat}", "")[:LONGEST],
        split=" ".join(form.get(f"split-{seat}", "")[:LONGEST_SPLIT].replace(",", " ").split()),
    )
