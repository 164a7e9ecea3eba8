"""Plays: what a form says was played, and the pages on which plays are entered."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from flask import get_template_attribute, url_for
from markupsafe import Markup

from companion.notebook.board import Board
from companion.notebook.describe import say
from companion.notebook.events import NotPossible, PlayRecorded
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.shown_table import ShownTable, shown_table
from companion.rules.cards import parse_card, parse_meld_text
from companion.rules.errors import Malformed
from companion.rules.judge import Judge
from companion.rules.language import gettext as _, noted
from companion.rules.question import DECLARE
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

# Questions about several plays, which are added one after the other.
OF_SEVERAL: Final = ("contract", "turn", DECLARE)
_OF_ONE_CARD: Final = {
    "discard": noted("A discard is one card. Tap only that one."),
    "swap": noted("One card is put in another's place. Tap only that one."),
}


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


def parsed_plays(plays: Sequence[str]) -> tuple[Play, ...]:
    """Return the plays that are written so. Raises `Malformed`."""
    return tuple(map(parse_play, plays))


class PlayField(LineField):
    """A button for a play, such as ``meld``, ``lay_off 0`` or ``swap 1 low``.

    ``word`` is what stands first, the kind of play; ``onto`` and ``joker_to`` are those of a play.
    """

    word = joker_to = ""
    onto: int | None = None

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read the parts."""
        super().process_formdata(valuelist)
        self.word, onto, self.joker_to, *_ = f"{self.data}   ".split(" ")
        with suppress(ValueError):
            self.onto = small_number(onto)

    def play(self, cards: Sequence[str]) -> Play:
        """Return the play of these cards. Raises `NotPossible` or `Malformed`."""
        if self.word == "take_pile":
            return TakePile()
        return play_of(self.word, cards, self.onto, self.joker_to)


def drawn(macro: str, cards: Sequence[str] | str) -> Markup:
    """Return cards as a macro of templates/_cards.html draws them."""
    return Markup(get_template_attribute("_cards.html", macro)(cards))  # noqa: S704 (from a macro)


def kept(what: str, game_id: str, upcoming: int | None = None) -> dict[str, str]:
    """Return the attributes by which static/js/outbox.js keeps a question and leads to its ruling.

    ``upcoming`` is the number of an upcoming hand.
    """
    then = url_for("hand.show", game_id=game_id, hand=upcoming)
    attributes = {"data-what": what, "data-shows": "", "data-then": then}
    return attributes | ({"data-ahead": ""} if upcoming else {})


# -- a page on which plays are entered ------------------------------------------------------------


@dataclass(frozen=True)
class PlayPage:
    """A page on which plays on the recorded table of the open hand are entered."""

    loaded: LoadedGame
    form: RulingForm

    def tell(self, refused: Refused | None, beside: Collection[str]) -> None:
        """Put what was refused beside these fields, and beside the cards if it is about others."""
        errors = refused.errors if refused else []
        errors[:] = [(at if at in beside else "cards", says) for at, says in errors]
        for name, sentence in errors:
            if name:
                self.form[name].errors = [sentence]

    @property
    def sheet(self) -> ScoreSheet:
        """The score sheet, with the hand of the page open."""
        return self.loaded.sheet

    @property
    def rules(self) -> Judge:
        """The rules of the hand."""
        return self.sheet.hand.rules

    @cached_property
    def board(self) -> Board:
        """The recorded table."""
        return self.form.board(self.sheet)

    @property
    def melds(self) -> Sequence[str]:
        """The melds on record, as card text."""
        return position_text(self.board.table)[0]

    @cached_property
    def table(self) -> ShownTable:
        """The table after the plays that are entered so far."""
        plays: tuple[Play, ...] = ()
        with suppress(Malformed):
            plays = parsed_plays(self.form.play.data)
        return shown_table((*self.melds, *self.form.seen.data), self.rules, plays)

    @property
    def player(self) -> int | None:
        """The player; None if nobody has said yet."""
        return self.form.player.data if self.form.player.data in self.sheet.players else None

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

    def hidden(self, *asked: str) -> list[tuple[str, str]]:
        """Return what the page sends beside the fields that it asks for."""
        return [*self.hand_and_melds, *self.form.sent("hand", "lying", *asked)]

    @property
    def url(self) -> str:
        """The address of the form with all of it entered."""
        return self.form.address(self.loaded.record.id)

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
        return kept(called, self.loaded.record.id)

    @property
    def on_table(self) -> dict[str, str]:
        """The form's attributes by which static/js/table.js counts in what waits to be recorded."""
        deck, attributes = self.sheet.deck, {"data-melds": "; ".join(self.melds)}
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
