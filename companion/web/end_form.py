"""The form of a hand's end: what was entered, as it was entered, and the event that it makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from werkzeug.datastructures import MultiDict

from companion.notebook.events import HandEntry, HandMarked
from companion.notebook.hand_marks import must_have_played, recorded_melds
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import SUITS, Rank, parse_cards
from companion.rules.hand_rules import MeldBox

# More than any hand can hold, and few enough to be shown again.
MOST_CARDS = 60
LONGEST = 12
LONGEST_SPLIT = 60

Problems = list[tuple[str, str]]
Answers = {"yes": True, "no": False}
_SUIT_LETTERS = frozenset(suit.text for suit in SUITS)


@dataclass(frozen=True, slots=True)
class Holder:
    """What was entered for one player, as text: cards, or points and the Proters among them.

    ``melded`` is ``yes``, ``no``, or empty: left to the record. Where hands are arranged at their
    end, ``cards`` are all that were held; ``otherwise`` says that the player insists on another
    arrangement than the best, and ``left`` what that leaves, or None if it was not shown yet.
    ``penalty_cards`` says that the player drew some.
    """

    cards: tuple[str, ...] = ()
    points: str = ""
    wilds: str = "0"
    melded: str = ""
    otherwise: bool = False
    left: tuple[str, ...] | None = None
    penalty_cards: bool = False


@dataclass(frozen=True, slots=True)
class EndForm:
    """What was entered for a hand, before anybody asks whether it can be.

    ``out`` is a seat, ``none``, or empty while nobody has said; ``by`` is how the form is laid
    out, ``cards`` or ``points``; ``holders`` has every seat, the one who went out included.
    ``arranges`` says whether hands are shown and arranged at their end, and ``lays_off`` whether
    the cards of who went out are then the melds that others lay off on. ``turned`` is the rank of
    the card that was turned before the deal, as text, or empty where nothing is said of it here.
    ``lays_off_first`` is a seat, or empty for the order of play.
    """

    holders: tuple[Holder, ...]
    out: str = ""
    by: str = "cards"
    out_no_meld: bool = False
    bent: bool = False
    table_is_old: bool = False
    arranges: bool = False
    lays_off: bool = False
    turned: str = ""
    lays_off_first: str = ""

    @classmethod
    def read(cls, form: MultiDict[str, str], sheet: ScoreSheet) -> Self:
        """What a form holds, whatever was sent."""
        turned = form.get("turned", "")
        return cls(
            tuple(_holder(form, seat) for seat in sheet.players),
            out=form.get("out", ""),
            by="points" if form.get("by") == "points" else "cards",
            out_no_meld="out_no_meld" in form,
            bent="bent" in form,
            table_is_old="table_is_old" in form,
            arranges=sheet.hand.rules.arranges,
            lays_off=sheet.game.lays_off_at_end,
            turned=turned if turned in {rank.text for rank in Rank} else "",
            lays_off_first=form.get("lays_off_first", "")[:LONGEST] if asks_first(sheet) else "",
        )

    @classmethod
    def blank(cls, sheet: ScoreSheet) -> Self:
        """An empty form, laid out as the last hand was marked."""
        marked = sheet.marked
        before = marked[-1].marking if marked else None
        return cls(
            (Holder(),) * len(sheet.names),
            by=way(before.event.entries if before else ()),
            arranges=sheet.hand.rules.arranges,
            lays_off=sheet.game.lays_off_at_end,
        )

    @classmethod
    def filled(cls, sheet: ScoreSheet, hand: HandSheet, event: HandMarked) -> Self:
        """The form of a hand, filled with marks that were made for it.

        "Laid a meld?" is left open where the cards or the record would answer it alike, so that it
        is asked again if what is changed leaves it open.
        """
        arranges = hand.rules.arranges
        holders = [Holder()] * len(sheet.names)
        for entry in event.entries:
            told = entry.player in recorded_melds(sheet, hand) or must_have_played(
                sheet, hand, entry
            )
            melded = "no" if not entry.melded else "" if told else "yes"
            left = _texts(entry.cards)
            # Of cards left whose player's other cards are not known, none is put into a meld again.
            otherwise = entry.otherwise or (arranges and bool(left) and entry.held is None)
            holders[entry.player] = Holder(
                left if entry.held is None else _texts(entry.held),
                "" if entry.points is None else str(entry.points),
                str(entry.wilds),
                melded,
                otherwise,
                left if otherwise else None,
                entry.penalty_cards,
            )
        if event.out is not None:
            holders[event.out] = Holder(_texts(event.out_held))
        return cls(
            tuple(holders),
            out="none" if event.out is None else str(event.out),
            by=way(event.entries),
            out_no_meld=event.out is not None and not event.out_melded,
            bent=event.bent,
            table_is_old=event.table_is_old,
            arranges=arranges,
            lays_off=sheet.game.lays_off_at_end,
            turned=event.turned or "",
            lays_off_first="" if event.lays_off_first is None else str(event.lays_off_first),
        )

    @classmethod
    def undone(cls, sheet: ScoreSheet) -> Self | None:
        """The form of the open hand as it was saved, if that was undone last; otherwise None."""
        event = sheet.can_redo.event if sheet.can_redo else None
        return cls.filled(sheet, sheet.hand, event) if isinstance(event, HandMarked) else None

    @property
    def _lacks_out(self) -> str:
        """What to say if nobody is out; nothing if the marker said so."""
        return "" if self.out == "none" else "Say who went out, or that nobody did."

    def marks(self, number: int, names: Sequence[str]) -> tuple[HandMarked, Problems]:
        """The event for hand ``number``, and each field that cannot be read with a sentence.

        A player for whom nothing was entered has no entry: blank is missing, and never zero.
        """
        problems: Problems = []
        out = _seat(self.out, len(names))
        if out is None and self._lacks_out:
            problems.append(("out", self._lacks_out))
        entries = []
        for seat, holder in enumerate(self.holders):
            # The cards of who went out of an arranged hand are melds: none is left.
            left = replace(holder, cards=()) if self.arranges and seat == out else holder
            entry = self._entry(seat, left, names[seat], problems)
            if entry is not None:
                entries.append(entry)
        melded = out is None or not self.out_no_meld
        bent = out is not None and self.bent
        held = " ".join(self.holders[out].cards) if self.lays_off and out is not None else ""
        event = HandMarked(
            number,
            out,
            tuple(entries),
            melded,
            self.table_is_old,
            bent,
            held or None,
            self.turned or None,
            _seat(self.lays_off_first, len(names)) if held else None,
        )
        return event, problems

    def _entry(self, seat: int, holder: Holder, name: str, problems: Problems) -> HandEntry | None:
        points = number_of(holder.points)
        if points is None and holder.points:
            text = f"“{holder.points}” is not a number of points. Give {name}'s in digits."
            problems.append((f"points-{seat}", text))
            return None
        if points is not None and points < 0:
            problems.append((f"points-{seat}", f"{name}'s points cannot be below 0."))
            return None
        wilds = number_of(holder.wilds)
        if wilds is None:
            text = f"How many wild cards are in {name}'s points? Give the number, 0 for none."
            problems.append((f"wilds-{seat}", text))
            return None
        cards = " ".join(holder.cards) or None
        if cards is not None and points is not None:
            text = f"There are cards and points for {name}. Clear one of them."
            problems.append((f"points-{seat}", text))
            return None
        if cards is None and points is None:
            return None
        melded = Answers.get(holder.melded)
        if self.arranges and cards is not None:
            chosen = holder.otherwise and holder.left is not None
            left = " ".join(holder.left or ()) if chosen else None
            return HandEntry(seat, left, melded=melded, held=cards, otherwise=holder.otherwise)
        more = holder.penalty_cards
        return HandEntry(seat, cards, points, 0 if cards else wilds, melded, penalty_cards=more)


class DeclaredForm(EndForm):
    """What was entered for a hand that ends with a declaration."""

    @property
    def _lacks_out(self) -> str:
        return "Say who declared Rummy."


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
        return cls.of(sheet, [_shower(form, seat) for seat in sheet.players], by)

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
            cards = _texts(entry.cards)
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


def _seat(text: str, players: int) -> int | None:
    return {str(seat): seat for seat in range(players)}.get(text)


def number_of(text: str) -> int | None:
    """A whole number in anybody's digits; None for blank and for what is no number."""
    try:
        return int(text)
    except ValueError:
        return None


def asks_first(sheet: ScoreSheet) -> bool:
    """True if the marker says who lays off first at the end of a hand (PAY-9)."""
    return sheet.house.get("lay_off_order") == "free"


def _holder(form: MultiDict[str, str], seat: int) -> Holder:
    cards = _cards(form, f"cards-{seat}")
    # A card that is no longer among those held cannot be left: it was taken back above.
    still = Counter(cards) & Counter(_cards(form, f"left-{seat}"))
    return Holder(
        cards,
        form.get(f"points-{seat}", "").strip()[:LONGEST],
        form.get(f"wilds-{seat}", "0").strip()[:LONGEST],
        form.get(f"melded-{seat}", "yes" if form.get("rest") == "melded" else ""),
        f"otherwise-{seat}" in form,
        tuple(still.elements()) if f"chosen-{seat}" in form else None,
        f"penalty_cards-{seat}" in form,
    )


def _cards(form: MultiDict[str, str], name: str) -> tuple[str, ...]:
    return tuple(card.strip()[:LONGEST] for card in form.getlist(name)[:MOST_CARDS])


def _texts(cards: str | None) -> tuple[str, ...]:
    return tuple(card.text for card in parse_cards(cards or ""))


def way(entries: Sequence[HandEntry]) -> str:
    """How a hand was marked: by ``points`` if no cards of anybody were given, or by ``cards``."""
    return "points" if entries and all(entry.cards is None for entry in entries) else "cards"


def _shower(form: MultiDict[str, str], seat: int) -> Shower:
    suit = form.get(f"suit-{seat}", "")
    return Shower(
        _cards(form, f"cards-{seat}"),
        suit=suit if suit in _SUIT_LETTERS else "",
        points=form.get(f"points-{seat}", "").strip()[:LONGEST],
        box=form.get(f"box-{seat}", "")[:LONGEST],
        split=" ".join(form.get(f"split-{seat}", "")[:LONGEST_SPLIT].replace(",", " ").split()),
    )
