"""The form of a hand's end: what is entered, and the event that it makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Self

from wtforms import BooleanField

from companion.notebook.events import HandEntry, HandMarked
from companion.notebook.hand_marks import must_have_played, recorded_melds
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import SUITS, Rank, parse_cards
from companion.rules.language import gettext as _
from companion.rules.language import noted
from companion.web.actions import Errors
from companion.web.fields import (
    CardsField,
    Form,
    LineField,
    NumberField,
    SmallNumberField,
    WordField,
    one_line,
)

Answers = {"yes": True, "no": False}
_BOTH: Final = noted("There are cards and points for %(name)s. Clear one of them.")


class PlayerForm(Form):
    """What is entered for one player. The names of its fields end with the seat: ``cards-0``."""

    class Meta:
        """Add the seat to the fields' names."""

        def bind_field(self, form: PlayerForm, unbound_field: Any, options: dict[str, Any]) -> Any:
            """Return the field of the form."""
            return unbound_field.bind(form, **options | {"name": f"{options['name']}-{form.seat}"})

    cards = CardsField()
    points = NumberField()

    def __init__(self, seat: int, formdata: Any = None, **entered: Any) -> None:
        self.seat = seat
        super().__init__(formdata, **entered)


class HolderForm(PlayerForm):
    """What is entered for one player: cards, or points and the wild cards among them.

    ``melded`` is empty if it is left to the record. Where hands are arranged at their end,
    ``cards`` are all that were held. ``otherwise`` says that the player insists on another
    arrangement than the best; ``kept`` is then what that leaves, once it was ``chosen``.
    ``penalty_cards`` says that the player drew some. ``laid_as`` says what wild cards laid off
    stand for.
    """

    wilds = NumberField(default=0)
    melded = WordField(Answers)
    otherwise = BooleanField()
    chosen = BooleanField()
    kept = CardsField(name="left")
    penalty_cards = BooleanField()
    laid_as = LineField(filters=[lambda text: text[:200]])


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

    of_player: ClassVar[type[PlayerForm]] = HolderForm

    def __init__(
        self,
        sheet: ScoreSheet,
        formdata: Any = None,
        holders: Mapping[int, dict[str, Any]] | None = None,
        **entered: Any,
    ) -> None:
        super().__init__(formdata, **entered)
        self.arranges = sheet.hand.rules.arranges
        self.lays_off = sheet.game.lays_off_at_end
        self.asks_first = sheet.house.get("lay_off_order") == "free"  # PAY-9
        melded = {"melded": "yes" if self.rest.data else ""}
        self.holders = [
            self.of_player(seat, formdata, **melded | (holders or {}).get(seat, {}))
            for seat in sheet.players
        ]

    @classmethod
    def blank(cls, sheet: ScoreSheet) -> Self:
        """An empty form, laid out as the last hand was marked."""
        before = sheet.marked[-1].marking if sheet.marked else None
        return cls(sheet, by=way(before.event.entries if before else ()))

    @classmethod
    def filled(cls, sheet: ScoreSheet, hand: HandSheet, event: HandMarked) -> Self:
        """The form of a hand, filled with marks that were made for it.

        "Laid a meld?" is left open where the cards or the record would answer it alike, so that it
        is asked again if what is changed leaves it open.
        """
        holders: dict[int, dict[str, Any]] = {}
        for entry in event.entries:
            told = entry.player in recorded_melds(sheet, hand) or must_have_played(
                sheet, hand, entry
            )
            left = _texts(entry.cards)
            # Of cards left whose player's other cards are not known, none is put into a meld again.
            is_only_left = hand.rules.arranges and bool(left) and entry.held is None
            otherwise = entry.otherwise or is_only_left
            holders[entry.player] = {
                "cards": left if entry.held is None else _texts(entry.held),
                "points": entry.points,
                "wilds": entry.wilds,
                "melded": "no" if not entry.melded else "" if told else "yes",
                "otherwise": otherwise,
                "chosen": otherwise,
                "kept": left,
                "penalty_cards": entry.penalty_cards,
                "laid_as": entry.laid_as,
            }
        if event.out is not None:
            holders[event.out] = {"cards": _texts(event.out_held)}
        return cls(
            sheet,
            holders=holders,
            out="none" if event.out is None else str(event.out),
            by=way(event.entries),
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

    @property
    def _lacks_out(self) -> str:
        """What to say if nobody is out; nothing if the marker said so."""
        return "" if self.out.data == "none" else _("Say who went out, or that nobody did.")

    def marks(self, number: int, names: Sequence[str]) -> tuple[HandMarked, Errors]:
        """The event for hand ``number``, and each field that cannot be read with a sentence.

        A player for whom nothing was entered has no entry: blank is missing, and never zero.
        """
        problems: Errors = []
        out = {str(seat): seat for seat in range(len(names))}.get(self.out.data)
        if out is None and self._lacks_out:
            problems.append(("out", self._lacks_out))
        entries = [
            self._entry(holder, names[holder.seat], problems, is_out=holder.seat == out)
            for holder in self.holders
        ]
        held = " ".join(self.holders[out].cards.data) if self.lays_off and out is not None else ""
        first = self.lays_off_first.data if self.asks_first and held else None
        event = HandMarked(
            number,
            out,
            tuple(entry for entry in entries if entry is not None),
            out is None or not self.out_no_meld.data,
            self.table_is_old.data,
            out is not None and self.bent.data,
            held or None,
            self.turned.data or None,
            first if first in range(len(names)) else None,
        )
        return event, problems

    def _entry(self, holder: Any, name: str, problems: Errors, *, is_out: bool) -> HandEntry | None:
        seat, points, wilds = holder.seat, holder.points.data, holder.wilds.data
        # The cards of who went out of an arranged hand are melds: none is left.
        cards = "" if self.arranges and is_out else " ".join(holder.cards.data)
        field, says = "points", ""
        if points is None and holder.points.entered:
            says = noted("“%(entered)s” is not a number of points. Give %(name)s's in digits.")
            says = _(says, entered=holder.points.entered, name=name)
        elif points is not None and points < 0:
            says = _("%(name)s's points cannot be below 0.", name=name)
        elif wilds is None:
            wilds_of = noted(
                "How many wild cards are in %(name)s's points? Give the number, 0 for none."
            )
            field, says = "wilds", _(wilds_of, name=name)
        elif cards and points is not None:
            says = _(_BOTH, name=name)
        if says:
            problems.append((f"{field}-{seat}", says))
            return None
        if not cards and points is None:
            return None
        melded, otherwise = Answers.get(holder.melded.data), holder.otherwise.data
        if self.arranges and cards:
            # A card that is not among those held any more was taken back, and cannot be left.
            still = Counter(holder.cards.data) & Counter(holder.kept.data)
            left = " ".join(still.elements()) if otherwise and holder.chosen.data else None
            said = holder.laid_as.data
            return HandEntry(
                seat, left, melded=melded, held=cards, otherwise=otherwise, laid_as=said
            )
        more = holder.penalty_cards.data
        wilds = 0 if cards else wilds
        return HandEntry(seat, cards or None, points, wilds, melded, penalty_cards=more)


class DeclaredForm(EndForm):
    """What is entered for a hand that ends with a declaration."""

    @property
    def _lacks_out(self) -> str:
        return _("Say who declared Rummy.")


class ShowerForm(PlayerForm):
    """What is entered of one player's meld: its cards, the suit named, the part set apart.

    Or the box that it is for, as the number of its cards, and its points.
    """

    suit = WordField([suit.text for suit in SUITS])
    split = LineField(filters=[lambda text: one_line(text.replace(",", " "))[:60]])
    box = LineField()


class MeldsForm(EndForm):
    """What is entered for a hand that nobody goes out of."""

    out = LineField(default="none")

    of_player = ShowerForm

    def __init__(self, sheet: ScoreSheet, formdata: Any = None, **entered: Any) -> None:
        super().__init__(sheet, formdata, **entered)
        self.boxes = sheet.game.judge.boxes

    @classmethod
    def filled(cls, sheet: ScoreSheet, hand: HandSheet, event: HandMarked) -> Self:
        """The form of a hand, filled with marks that were made for it."""
        cards_of = {box.title: str(box.cards) for box in hand.rules.boxes}
        showers = {
            entry.player: {
                "cards": _texts(entry.cards),
                "points": None if entry.points is None else abs(entry.points),
                "suit": entry.suit,
                "split": entry.split,
                "box": cards_of.get(entry.box, ""),
            }
            for entry in event.entries
        }
        return cls(sheet, holders=showers, by=way(event.entries))

    def marks(self, number: int, names: Sequence[str]) -> tuple[HandMarked, Errors]:
        """Return the event for hand ``number``, and each field that cannot be read with a sentence.

        A suit or a split that stands beside a meld for another box is left out: it was said of
        cards that are not shown any more.
        """
        problems: Errors = []
        entries = [self._shown(shower, names[shower.seat], problems) for shower in self.holders]
        made = tuple(entry for entry in entries if entry is not None)
        return HandMarked(number, None, made), problems

    def _shown(self, shower: Any, name: str, problems: Errors) -> HandEntry | None:
        cards, entered = shower.cards.data, shower.points.entered
        if cards and entered:
            problems.append((f"points-{shower.seat}", _(_BOTH, name=name)))
            return None
        if cards:
            said = next((box.asks for box in self.boxes if box.cards == len(cards)), "")
            suit = shower.suit.data if said == "suit" else ""
            split = (shower.split.data or None) if said == "split" else None
            return HandEntry(shower.seat, " ".join(cards), melded=True, suit=suit, split=split)
        if not (entered or shower.box.data):
            return None
        box = next((box for box in self.boxes if str(box.cards) == shower.box.data), None)
        if box is None:
            problems.append(
                (f"box-{shower.seat}", _("Which box does %(name)s fill? Tap it.", name=name))
            )
            return None
        points = shower.points.data
        if points is None:
            asks = noted("How many points does %(name)s's %(box)s score? Give them in digits.")
            asks = _(asks, name=name, box=_(box.title))
            if entered:
                wrong = _("“%(entered)s” is not a number of points.", entered=entered)
                asks = f"{wrong} {asks}"
            problems.append((f"points-{shower.seat}", asks))
            return None
        # People may type the minus that a box has by itself.
        score = -abs(points) if box.minus else points
        return HandEntry(shower.seat, points=score, melded=True, box=box.title)


def _texts(cards: str | None) -> tuple[str, ...]:
    return tuple(card.text for card in parse_cards(cards or ""))


def way(entries: Sequence[HandEntry]) -> str:
    """How a hand was marked: by ``points`` if no cards of anybody were given, or by ``cards``."""
    return "points" if entries and all(entry.cards is None for entry in entries) else "cards"
