"""Plays: what a form says was played, and the pages on which plays are entered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from flask import get_template_attribute, url_for
from markupsafe import Markup
from werkzeug.datastructures import MultiDict

from companion.notebook.describe import say
from companion.notebook.events import NotPossible, PlayRecorded
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.shown_table import ShownTable, shown_table
from companion.rules.cards import parse_card, parse_meld_text
from companion.rules.errors import Malformed
from companion.rules.judge import Judge
from companion.rules.language import gettext as _, noted
from companion.rules.question import DECLARE, DRAW
from companion.rules.table import (
    ENDS,
    Discard,
    LayOff,
    MeldPlay,
    Play,
    Swap,
    TakePile,
    parse_play,
    position_text,
)
from companion.services.game_log import LoadedGame
from companion.services.rulings import next_to_play
from companion.web.actions import Refused
from companion.web.fields import LineField, small_number

if TYPE_CHECKING:
    from companion.web.rulings.form import RulingForm

# What is stated of one player, and does not hold for another.
_OF_PLAYER: Final = ("melded_hand", "melded_turn", "contract", "drew", "fresh", "calls")
_TAPPED: Final = frozenset(
    {"card", "swap", "other", "add", "drop", "unsee", "turned", "wild", "stands", "reading"}
)
# Questions about several plays, which are added one after the other.
OF_SEVERAL: Final = ("contract", "turn", DECLARE)


def play_of(kind: str, cards: Sequence[str], onto: int | None, joker_to: str = "") -> Play:
    """Return the play of these cards. Raises `NotPossible` or `Malformed`, naming the field."""
    if not cards:
        raise NotPossible("Tap the cards that were played.", "cards")
    if len(cards) > 1 and kind in _OF_ONE_CARD:
        raise NotPossible(_OF_ONE_CARD[kind], "cards")
    if onto is None and kind not in {"meld", "discard"}:
        raise NotPossible("Say on which meld of the table.", "onto")
    offered = parse_meld_text(cards)
    match kind, onto:
        case "meld", _:
            return MeldPlay(offered)
        case "discard", _:
            return Discard(parse_card(cards[0]))
        case "lay_off", int():
            return LayOff(offered, onto)
        case "swap", int():
            return Swap(offered[0], onto, joker_to if joker_to in ENDS else "")
    raise NotPossible("Say what was played.", "ask")


_OF_ONE_CARD: Final = {
    "discard": noted("A discard is one card. Tap only that one."),
    "swap": noted("One card is put in another's place. Tap only that one."),
}


def parsed_plays(plays: Sequence[str]) -> tuple[Play, ...]:
    """Return the plays that are written so. Raises `Malformed`."""
    return tuple(map(parse_play, plays))


class PlayField(LineField):
    """The button that adds a play, such as ``meld``, ``lay_off 0`` or ``swap 1 low``."""

    kind = joker_to = ""
    onto: int | None = None

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read the kind of play, and the meld and the end of it."""
        super().process_formdata(valuelist)
        self.kind, onto, self.joker_to, *_ = f"{self.data}   ".split(" ")
        with suppress(ValueError):
            self.onto = small_number(onto)

    def play(self, cards: Sequence[str]) -> Play:
        """Return the play of these cards. Raises `NotPossible` or `Malformed`."""
        if self.kind == "take_pile":
            return TakePile()
        return play_of(self.kind, cards, self.onto, self.joker_to)


def values_of_plays(kind: str, player: int | None, plays: Sequence[str]) -> dict[str, Any]:
    """Return the values that ask about plays that are written down already, as text."""
    values: dict[str, Any] = {"ask": kind, "player": player}
    if kind == DECLARE and plays:
        groups = parsed_plays(plays[1:])
        rest = Counter(one.card.text for one in parse_play(plays[0]).plays)
        rest -= Counter(one.card.text for group in groups for one in group.plays)
        return values | {"cards": tuple(rest.elements()), "play": plays[1:]}
    if kind in OF_SEVERAL or (kind != DRAW and len(plays) != 1) or not plays:
        return values | {"play": plays}
    *others, last = plays  # its cards are tapped, so that they can be changed
    play = parse_play(last)
    values |= {"cards": [offered.card.text for offered in play.plays], "play": others}
    if isinstance(play, LayOff | Swap):
        values["onto"] = play.onto
    if isinstance(play, Swap):
        values["joker_to"] = play.joker_to
    return values


# -- the form's values, for links and hidden fields ------------------------------------------------


def fields_of(values: Mapping[str, Any], *without: str) -> list[tuple[str, str]]:
    """Return the names and texts that send these values of a `RulingForm`, but for some fields."""
    fields: list[tuple[str, str]] = []
    for name, value in values.items():
        if name in _TAPPED.union(without) or value is None or value == "":
            continue
        several = value if isinstance(value, tuple | list) else (value,)
        if name == "lying":
            several = ("; ".join(value),)
        texts = [str(int(one)) if isinstance(one, bool) else str(one) for one in several]
        fields += [(name, text) for text in texts]
    return fields


def form_address(game_id: str, values: Mapping[str, Any], **more: str) -> str:
    """Return the address of the form with these values.

    ``change`` asks for a fact again; ``lying`` says what was counted with on the recorded table.
    """
    entered = MultiDict([*more.items(), *fields_of(values, "lying")]).to_dict(flat=False)
    return url_for("rulings.form", game_id=game_id, **entered)  # type: ignore[arg-type]


def of_player(player: int | None) -> dict[str, Any]:
    """Return the values that ask about another player: what was stated of the first is left out."""
    return {"player": player, **dict.fromkeys(_OF_PLAYER)}


def drawn(macro: str, cards: Sequence[str] | str) -> Markup:
    """Return cards as a macro of templates/_cards.html draws them."""
    return Markup(get_template_attribute("_cards.html", macro)(cards))  # noqa: S704 (from a macro)


def kept(what: str, game_id: str, address: str = "", upcoming: int | None = None) -> dict[str, str]:
    """Return the attributes by which static/js/outbox.js keeps a question and leads to its ruling.

    ``address`` is the page of its form, if that is another page; ``upcoming`` is the number of an
    upcoming hand.
    """
    then = url_for("hand.show", game_id=game_id, hand=upcoming)
    attributes = {"data-what": what, "data-shows": "", "data-then": then}
    attributes |= {"data-page": address} if address else {}
    return attributes | ({"data-ahead": ""} if upcoming else {})


# -- a page on which plays are entered ------------------------------------------------------------


@dataclass(frozen=True)
class PlayPage:
    """A page on which plays on the recorded table of the open hand are entered.

    ``table`` is the table after the plays that are entered so far; ``melds`` and ``pile`` are what
    is recorded, as card text. ``player`` is None if nobody has said yet. Errors stand beside the
    fields of a form that ``beside`` has, and beside the cards otherwise.
    """

    beside: ClassVar = frozenset[str]()
    loaded: LoadedGame
    form: RulingForm
    table: ShownTable
    melds: Sequence[str]
    pile: str
    player: int | None

    @classmethod
    def of(
        cls, loaded: LoadedGame, form: RulingForm, refused: Refused | None = None, **more: Any
    ) -> Self:
        """Return the page of a form, with what is wrong in its fields, and ``more`` of its own."""
        sheet, player = loaded.sheet, form.player.data
        try:
            plays = parsed_plays(form.play.data)
        except Malformed:
            plays = ()
        errors = refused.errors if refused else []
        errors[:] = [(at if at in cls.beside else "cards", says) for at, says in errors]
        for name, sentence in errors:
            if name:
                form[name].errors = [sentence]
        melds, pile = position_text(form.board(sheet).table)
        table = shown_table((*melds, *form.seen.data), sheet.hand.rules, plays)
        player = player if player in sheet.players else None
        return cls(loaded, form, table, melds, pile, player, **more)

    @property
    def sheet(self) -> ScoreSheet:
        """The score sheet, with the hand of the page open."""
        return self.loaded.sheet

    @property
    def rules(self) -> Judge:
        """The rules of the hand."""
        return self.sheet.hand.rules

    @property
    def name(self) -> str:
        """The name of the player."""
        return _("the player") if self.player is None else self.sheet.names[self.player]

    @property
    def players(self) -> list[tuple[str, str]]:
        """The players, as choices of a form."""
        return [(str(seat), self.sheet.names[seat]) for seat in self.sheet.playing]

    @property
    def next_to_play(self) -> str:
        """The player to play next by the record, as a choice of a form."""
        return str(next_to_play(self.sheet))

    @property
    def recorded_last(self) -> str:
        """The play that was written down last, in words; empty if something else was."""
        last = self.sheet.can_undo.event if self.sheet.can_undo else None
        return say(last, self.sheet) if isinstance(last, PlayRecorded) else ""

    def wrong(self, name: str) -> str:
        """Return what is wrong with a field."""
        return " ".join(self.form[name].errors)

    @property
    def hand_and_melds(self) -> list[tuple[str, str]]:
        """The fields that say which hand and which melds the page counts with."""
        fields = [("hand", str(self.sheet.hand.number))]
        if self.sheet.game.lays_on_table:
            fields.append(("lying", "; ".join(self.melds)))
        return fields

    def fields_as_sent(self, *without: str) -> list[tuple[str, str]]:
        """Return what a page sends that asks back: all that was entered, as it was."""
        return fields_of(self.form.data | {"hand": self.sheet.hand.number}, *without)

    @property
    def url(self) -> str:
        """The address of the form with all of it entered."""
        return form_address(self.loaded.record.id, self.form.data)

    @property
    def by_rules(self) -> bool:
        """True if only the rules of the hand are asked about: nothing is put on record."""
        return self.form.by_rules.data is True

    @property
    def attributes(self) -> dict[str, str]:
        """The form's attributes for a phone: to keep what is asked, if it is put on record."""
        if self.by_rules:
            return {"data-unkept": ""}
        called = _("Ruling on %(name)s’s play", name=self.name)
        return kept(called, self.loaded.record.id, self.url)

    @property
    def on_table(self) -> dict[str, str]:
        """The form's attributes by which static/js/table.js counts in what waits to be recorded."""
        deck, attributes = self.sheet.deck, {"data-melds": "; ".join(self.melds), "data-pile": ""}
        attributes |= {"data-packs": str(deck.packs), "data-jokers": str(deck.jokers)}
        attributes |= {} if self.rules.swap_gives_wild else {"data-wilds-stay": ""}
        return attributes | ({"data-swaps": ""} if "swap" in self.rules.asks else {})

    @property
    def taken(self) -> dict[str, str]:
        """The cards that nobody can play any more, and where they lie."""
        return self.table.taken

    @property
    def tagged(self) -> dict[str, str]:
        """The notes on cards: by which wild card one is on the table."""
        return self.table.tagged

    def grid(self, name: str, **shown: Any) -> Markup:
        """Return the pack to tap for a field, with the cards that nobody can play any more."""
        table = {
            "wild_rank": "".join(rank.text for rank in self.rules.limits.wild_ranks),
            "wild_word": _(self.sheet.game.wild_called),
            "copies": self.sheet.deck.packs,
            "jokers": self.sheet.deck.jokers,
            "taken": self.taken,
        }
        cells: Markup = self.form[name](**table | shown)
        return cells
