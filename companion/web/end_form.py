"""The form of a hand's end: what is entered, and the event that it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Self

from wtforms import BooleanField

from companion.notebook.events import HandEntry, HandMarked, Marks, NotPossible
from companion.notebook.hand_marks import must_have_played, recorded_melds
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import SUITS, Rank, parse_cards
from companion.web.endings import Answers, ending_of
from companion.web.fields import (
    CardsField,
    Form,
    LineField,
    NumberField,
    SmallNumberField,
    WordField,
    one_line,
)


class PlayerForm(Form):
    """What is entered for one player. The names of its fields end with the seat: ``cards-0``.

    Cards, or points and the wild cards among them. ``melded`` is empty if it is left to the record.
    Where hands are arranged at their end, ``cards`` are all that were held. ``otherwise`` says that
    the player insists on another arrangement than the best; ``kept`` is then what that leaves, once
    it was ``chosen``. ``penalty_cards`` says that the player drew some. ``laid_as`` says what wild
    cards laid off stand for.

    Where melds are shown for boxes: the ``suit`` named, the cards to ``split`` off, and with points
    the ``box`` that they are for, as the number of its cards.
    """

    class Meta:
        """Add the seat to the fields' names."""

        def bind_field(self, form: PlayerForm, unbound_field: Any, options: dict[str, Any]) -> Any:
            """Return the field of the form."""
            return unbound_field.bind(form, **options | {"name": f"{options['name']}-{form.seat}"})

    cards = CardsField()
    points = NumberField()
    wilds = NumberField(default=0)
    melded = WordField(Answers)
    otherwise = BooleanField()
    chosen = BooleanField()
    kept = CardsField(name="left")
    penalty_cards = BooleanField()
    laid_as = LineField(filters=[lambda text: text[:200]])
    suit = WordField([suit.text for suit in SUITS])
    split = LineField(filters=[lambda text: one_line(text.replace(",", " "))[:60]])
    box = LineField()

    def __init__(self, seat: int, formdata: Any = None, **entered: Any) -> None:
        self.seat = seat
        super().__init__(formdata, **entered)


class EndForm(Form):
    """What is entered for a hand, before anybody asks whether it can be.

    ``out`` is a seat, ``none``, or empty while nobody has said; ``by`` is how the form is laid
    out; ``holders`` has every seat, the one who went out included. ``turned`` is the rank of the
    card that was turned before the deal, empty where nothing is said of it here. ``lays_off_first``
    is empty for the order of play. ``rest`` says what holds for all who do not say it themselves.

    ``arranges`` says whether hands are shown and arranged at their end, and ``lays_off`` whether
    the cards of who went out are then the melds that others lay off on.
    """

    out = LineField()
    by = WordField(("cards", "points"), default="cards")
    out_no_meld = BooleanField()
    bent = BooleanField()
    table_is_old = BooleanField()
    turned = WordField([rank.text for rank in Rank])
    lays_off_first = SmallNumberField()
    rest = WordField(("melded",))

    def __init__(
        self,
        sheet: ScoreSheet,
        formdata: Any = None,
        holders: Mapping[int, dict[str, Any]] | None = None,
        **entered: Any,
    ) -> None:
        super().__init__(formdata, **entered)
        self.sheet = sheet
        self.arranges = sheet.hand.rules.arranges
        self.lays_off = sheet.game.lays_off_at_end
        self.asks_first = sheet.house.get("lay_off_order") == "free"  # PAY-9
        melded = {"melded": "yes" if self.rest.data else ""}
        self.holders = [
            PlayerForm(seat, formdata, **melded | (holders or {}).get(seat, {}))
            for seat in sheet.players
        ]

    @classmethod
    def blank(cls, sheet: ScoreSheet) -> Self:
        """An empty form, laid out as the last hand was marked."""
        before = sheet.marked[-1].marking if sheet.marked else None
        return cls(sheet, by=_way(before.event.entries if before else ()))

    @classmethod
    def filled(cls, sheet: ScoreSheet, hand: HandSheet, event: Marks) -> Self:
        """The form of a hand, filled with marks that were made for it."""
        holders = {entry.player: _entered(sheet, hand, entry) for entry in event.entries}
        if event.out is not None:
            holders[event.out] = {"cards": _texts(event.out_held)}
        return cls(
            sheet,
            holders=holders,
            out="none" if event.out is None else str(event.out),
            by=_way(event.entries),
            out_no_meld=event.out is not None and not event.out_melded,
            bent=event.bent,
            table_is_old=event.table_is_old,
            turned=event.turned,
            lays_off_first=event.lays_off_first,
        )

    @classmethod
    def undone(cls, sheet: ScoreSheet) -> Self | None:
        """The form of the open hand as it was saved, if that was undone last; otherwise None."""
        event = sheet.can_redo.event if sheet.can_redo else None
        return cls.filled(sheet, sheet.hand, event) if isinstance(event, HandMarked) else None

    def marks(self, number: int) -> tuple[HandMarked, list[NotPossible]]:
        """Return the event for hand ``number``, and what is wrong with fields that can't be read.

        A player for whom nothing was entered has no entry: blank is missing, and never zero.
        """
        names, ending = self.sheet.names, ending_of(self.sheet)
        entries: list[HandEntry] = []
        problems: list[NotPossible] = []
        out = {str(seat): seat for seat in self.sheet.players}.get(self.out.data)
        if ending.in_turns and out is None and self.out.data != "none":
            problems.append(NotPossible(ending.lacks_out, "out"))
        for holder in self.holders:
            name, is_out = names[holder.seat], holder.seat == out
            try:
                entry = ending.entry(self, holder, name, is_out=is_out)
            except NotPossible as problem:
                problems.append(problem)
            else:
                entries += [entry] if entry else []
        if not ending.in_turns:
            return HandMarked(number, None, tuple(entries)), problems
        held = " ".join(self.holders[out].cards.data) if self.lays_off and out is not None else ""
        first = self.lays_off_first.data if self.asks_first and held else None
        event = HandMarked(
            number,
            out,
            tuple(entries),
            out_melded=out is None or not self.out_no_meld.data,
            table_is_old=self.table_is_old.data,
            bent=out is not None and self.bent.data,
            out_held=held or None,
            turned=self.turned.data or None,
            lays_off_first=first if first in self.sheet.players else None,
        )
        return event, problems


def _entered(sheet: ScoreSheet, hand: HandSheet, entry: HandEntry) -> dict[str, Any]:
    """Return what the form of a player is filled with.

    "Laid a meld?" is left open where the cards or the record would answer it alike, so that it is
    asked again if what is changed leaves it open.
    """
    told = ending_of(sheet).in_turns and (
        entry.player in recorded_melds(sheet, hand) or must_have_played(sheet, hand, entry)
    )
    left = _texts(entry.cards)
    # Of cards left whose player's other cards are not known, none is put into a meld again.
    is_only_left = hand.rules.arranges and bool(left) and entry.held is None
    otherwise = entry.otherwise or is_only_left
    boxes = {box.title: str(box.cards) for box in hand.rules.boxes}
    as_they_are = {one.name: getattr(entry, one.name) for one in fields(entry)}
    return as_they_are | {
        "cards": left if entry.held is None else _texts(entry.held),
        "points": None if entry.points is None else abs(entry.points),
        "melded": "no" if not entry.melded else "" if told else "yes",
        "otherwise": otherwise,
        "chosen": otherwise,
        "kept": left,
        "box": boxes.get(entry.box, ""),
    }


def _texts(cards: str | None) -> tuple[str, ...]:
    return tuple(card.text for card in parse_cards(cards or ""))


def _way(entries: Sequence[HandEntry]) -> str:
    """How a hand was marked: by ``points`` if no cards of anybody were given, or by ``cards``."""
    return "points" if entries and all(entry.cards is None for entry in entries) else "cards"
