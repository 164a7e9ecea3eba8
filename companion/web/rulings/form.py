"""The form of a question: what the marker has entered so far, and the question that it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from flask import url_for
from werkzeug.datastructures import MultiDict

from companion.notebook.board import place_on_record, play_on_record
from companion.notebook.events import NotPossible
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import Offered, parse_card, parse_cards, parse_meld_text
from companion.rules.contracts import ContractJudge
from companion.rules.errors import Malformed
from companion.rules.judge import Judge
from companion.rules.language import gettext as _, noted
from companion.rules.question import (
    CALL,
    DECLARE,
    DRAW,
    FLAGS,
    NO_PILE,
    UNKNOWN_PILE,
    Call,
    Pile,
    Question,
)
from companion.rules.table import ENDS, MeldPlay, Play, TakePile, parse_play, without_play
from companion.services.rulings import melds_on_table, with_record
from companion.web import fields
from companion.web.actions import Errors, check_hand, refusals

ASKS: Final = ("discard", "meld", "lay_off", "swap", "contract", "turn", DECLARE)
# Questions that need the server: their pages are not kept for when there is no network.
ONLINE_ASKS: Final = (CALL, DRAW)
# Questions about several plays, which are added one after the other.
OF_SEVERAL: Final = ("contract", "turn", DECLARE)
# The parts of a draw that are entered on pages of their own.
OF_DRAW: Final = ("drawn", "above")
MOST_PLAYS: Final = 20
MOST_SEEN: Final = 10
FEWEST_IN_MELD: Final = 3

# When the player met the contract: in an earlier turn, in this turn, or not yet.
CONTRACT: Final[Mapping[str, Mapping[str, bool]]] = {
    "earlier": {"contract_met": True},
    "turn": {"contract_met": False, "melded_this_turn": True},
    "no": {"contract_met": False, "melded_this_turn": False},
}
_ON_A_MELD: Final = ("lay_off", "swap")
_OF_ONE_CARD: Final = {
    "discard": noted("A discard is one card. Tap only that one."),
    "swap": noted("One card is put in another's place. Tap only that one."),
}
_NO_PLAYS: Final = {
    DRAW: noted("Tap the cards of the meld."),
    "contract": noted("Tap the cards of a meld first, then those of the next one."),
    "turn": noted("Add the plays of the turn first, one after the other."),
}
# Facts of one player, which are dropped if the question is about another.
_OF_PLAYER: Final = (
    *("melded_this_hand", "melded_this_turn", "contract"),
    *("drew", "fresh", "laid_unowned", "penalty_cards", "calls"),
)
# Buttons, which are no part of the question.
_BUTTONS: Final = frozenset(
    {"card", "swap", "other", "add", "drop", "unsee", "turned", "wild", "reading", "change"}
)


def play_of(kind: str, cards: Sequence[str], onto: int | None, joker_to: str = "") -> Play:
    """Return the play of these cards. Raises `NotPossible` or `Malformed`, naming the field."""
    if kind == "take_pile":
        return TakePile()
    if not cards:
        raise NotPossible("Tap the cards that were played.", "cards")
    if len(cards) > 1 and kind in _OF_ONE_CARD:
        raise NotPossible(_OF_ONE_CARD[kind], "cards")
    text = " ".join([kind, *cards])
    if kind in {"meld", "discard"}:
        return parse_play(text)
    _check_onto(onto)
    if kind not in _ON_A_MELD:
        raise NotPossible("Say what was played.", "ask")
    return parse_play(f"{text} onto {onto} {joker_to if joker_to in ENDS else ''}")


def _check_onto(onto: int | None) -> None:
    if onto is None:
        raise NotPossible("Say on which meld of the table.", "onto")


class PlayField(fields.LineField):
    """A button for a play, such as ``meld``, ``lay_off 0`` or ``swap 1 low``.

    ``word`` is the kind of play, which comes first; ``onto`` and ``joker_to`` are the play's.
    """

    word = joker_to = ""
    onto: int | None = None

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read the button's parts."""
        super().process_formdata(valuelist)
        self.word, onto, self.joker_to, *_ = f"{self.data}   ".split(" ")
        with suppress(ValueError):
            self.onto = fields.small_number(onto)

    def play(self, cards: Sequence[str]) -> Play:
        """Return the play of these cards. Raises `NotPossible` or `Malformed`."""
        return play_of(self.word, cards, self.onto, self.joker_to)


def field_of(fact: str, rules: Judge) -> str:
    """Return the form's field that states a fact."""
    return "contract" if isinstance(rules, ContractJudge) and fact in CONTRACT["turn"] else fact


class RulingForm(fields.Form):
    """A question as far as it has been entered; nothing in it is checked.

    Facts that were not stated are None or empty, and "none" says that no card lies there.
    """

    ask = fields.WordField((*ASKS, *ONLINE_ASKS))
    player = fields.SmallNumberField()
    # The cards of a single play, and the meld that it is played on. Where several plays are asked
    # about: the cards of the last first meld, or the declared cards that are in no group.
    cards = fields.CardsField()
    onto = fields.SmallNumberField()
    joker_to = fields.WordField(ENDS)
    # The plays of a whole turn so far, the first melds, or the groups of declared cards.
    play = fields.TextsField(MOST_PLAYS, fields.LONGEST_MELD)
    # Facts, by the names that the rules give them; `CONTRACT` has two of them in one.
    melded_this_hand = fields.FactField()
    melded_this_turn = fields.FactField()
    drew = fields.FactField()
    fresh = fields.FactField()
    laid_unowned = fields.FactField()
    penalty_cards = fields.FactField()
    contract = fields.WordField(CONTRACT)
    # For a call: whose turn it is, whether that player has melded in this hand, and how many calls
    # of the caller succeeded before.
    turn = fields.SmallNumberField()
    turn_melded = fields.FactField()
    calls = fields.SmallNumberField()
    # The top of the pile, and the card under it.
    top = fields.CardField()
    under = fields.CardField()
    # For a draw: the card drawn from the pile, the cards above it, and that it goes into no meld.
    drawn = fields.CardField()
    above = fields.CardsField()
    no_meld = fields.FactField()
    # Melds that lie on the table and are not on record.
    seen = fields.TextsField(MOST_SEEN, fields.LONGEST_MELD)
    # The cards of a lay-off, while the cards of the meld that it goes onto are asked for.
    laid_off = fields.CardsField()
    # The number of the ruling that the new one replaces.
    instead_of = fields.SmallNumberField()
    # The hand that it is asked in, and the melds on the table as the page showed them. With
    # ``by_rules`` only that hand's rules count: nothing is read from the record, or put there.
    hand = fields.SmallNumberField()
    lying = fields.MeldsField()
    by_rules = fields.FactField()
    # One tap fills several fields: ``card`` is the only card, ``swap`` has a card, a meld and the
    # end to which its joker goes, and ``other`` is a player to ask about instead.
    card = fields.CardField()
    swap = PlayField()
    other = fields.SmallNumberField()
    # Buttons. ``drop`` removes a play and ``unsee`` a named meld, by its number. ``turned`` is the
    # rank turned up, ``reading`` is of the play number ``wild``, ``change`` asks for a fact again.
    add = PlayField()
    drop = fields.SmallNumberField()
    unsee = fields.SmallNumberField()
    turned = fields.LineField()
    wild = fields.SmallNumberField()
    reading = fields.LineField()
    change = fields.LineField()

    def process(self, *args: Any, **kwargs: Any) -> None:
        """Read the fields, and fill the other fields of a button that was tapped."""
        super().process(*args, **kwargs)
        if self.swap.data:
            tapped = self.swap
            self.cards.data = (tapped.word[: fields.LONGEST_CARD],)
            self.onto.data, self.joker_to.data = tapped.onto, tapped.joker_to
        elif self.card.data:
            self.cards.data, self.joker_to.data = (self.card.data,), ""
        if "none" in self.above.data:
            self.above.data = ("none",)
        if self.other.data not in {None, self.player.data}:
            self.fill({"player": self.other.data, **dict.fromkeys(_OF_PLAYER)})

    def fill(self, values: Mapping[str, Any]) -> None:
        """Put these values into the fields of these names."""
        for name, value in values.items():
            self[name].data = value

    # -- the same form elsewhere ------------------------------------------------------------------

    def sent(self, *without: str) -> list[tuple[str, str]]:
        """Return names and texts of the hidden fields that send this form, without some fields."""
        hidden: list[tuple[str, str]] = []
        # By the rules alone, the card turned up is not on record.
        buttons = _BUTTONS - {"turned"} if self.by_rules.data else _BUTTONS
        for name, value in self.data.items():
            if name in buttons.union(without) or value is None or value == "":
                continue
            several = value if isinstance(value, tuple | list) else (value,)
            if name == "lying":
                several = ("; ".join(value),)
            texts = [str(int(item)) if isinstance(item, bool) else str(item) for item in several]
            hidden += [(name, text) for text in texts]
        return hidden

    def address(self, game_id: str, *without: str) -> str:
        """Return the address of the form with what is entered, without some fields."""
        entered = MultiDict(self.sent(*without)).to_dict(flat=False)
        return url_for("rulings.form", game_id=game_id, **entered)  # type: ignore[arg-type]

    def start(self, game_id: str) -> str:
        """Return the address where the kind of play is chosen, with no player named."""
        return self.address(game_id, "ask", "player", *_OF_PLAYER)

    # -- the question that it makes ---------------------------------------------------------------

    def question(self, sheet: ScoreSheet) -> Question:
        """Return the question, completed from the record. Raises `NotPossible` or `Malformed`."""
        check_hand(sheet, self.hand.data)
        player, instead_of = self.seat(sheet), self.instead_of.data
        plays, pile, call = self.plays(), self._pile(), self._call(sheet)
        melds = melds_on_table(sheet, self.seen.data, instead_of)
        stated = Question(self.ask.data, plays, melds, pile, call=call)
        flags = {flag: self[flag].data for flag in FLAGS if flag in self}
        flags |= {"contract_met": None, **CONTRACT.get(self.contract.data, {})}
        for flag, value in flags.items():
            stated = stated.with_flag(flag, value)
        return with_record(sheet, player, stated, instead_of, by_rules=bool(self.by_rules.data))

    def seat(self, sheet: ScoreSheet) -> int:
        """Return whose play it is; by rules alone, any seat. Raises `NotPossible` if not said."""
        player = 0 if self.by_rules.data else self.player.data
        if player is None or player not in sheet.players:
            says = _("Tap who calls.") if self.ask.data == CALL else _("Say whose play it was.")
            raise NotPossible(says, "player")
        return player

    def lacking(self, sheet: ScoreSheet) -> Errors:
        """Return everything that is missing for a question, each with its field."""
        is_on_a_meld = self.ask.data in _ON_A_MELD
        onto = [lambda: _check_onto(self.onto.data)] if is_on_a_meld else []
        return refusals(lambda: self._call(sheet), lambda: self.seat(sheet), *onto, self.plays)

    def _call(self, sheet: ScoreSheet) -> Call | None:
        if self.ask.data != CALL:
            return None
        turn = self.turn.data
        if turn not in sheet.players:
            raise NotPossible("Say whose turn it is.", "turn")
        is_own = turn == self.player.data
        return Call(None) if is_own else Call(turn, self.calls.data, self.turn_melded.data)

    def plays(self) -> tuple[Play, ...]:
        """Return the plays that are asked about. Raises `NotPossible` or `Malformed`."""
        kind = self.ask.data
        if kind == DECLARE:
            return self._declared()
        if kind == CALL or (kind == DRAW and self.takes_no_meld):
            return ()
        if kind not in (*OF_SEVERAL, DRAW):
            return (play_of(kind, self.cards.data, self.onto.data, self.joker_to.data),)
        if not self.play.data:
            raise NotPossible(_NO_PLAYS[kind], "cards")
        return self.added

    def _declared(self) -> tuple[Play, ...]:
        groups = [play.cards for play in self.added]
        others = parse_meld_text(self.cards.data)
        every = [offered.card for group in (*groups, others) for offered in group]
        if not every:
            raise NotPossible("Tap the cards that were declared.", "cards")
        if groups and len(others) >= FEWEST_IN_MELD:
            groups.append(others)  # the last group needs no “Next group”
        whole = MeldPlay(tuple(map(Offered, every)))
        return (whole, *map(MeldPlay, groups))

    def _pile(self) -> Pile:
        top, under = self.top.data, self.under.data
        if self.ask.data == DRAW:
            drawn = parse_card(self.drawn.data, "drawn")
            self.check_above()
            above = [] if self.above.data == ("none",) else self.above.data
            return Pile((drawn, *parse_cards(above, "above")), whole=False)
        if top in {"", "none"}:
            return NO_PILE if top else UNKNOWN_PILE
        lower = () if under in {"", "none"} else (parse_card(under, "under"),)
        return Pile((*lower, parse_card(top, "top")), whole=under == "none")

    # -- a draw from the pile ---------------------------------------------------------------------

    @property
    def takes_no_meld(self) -> bool:
        """True if a drawn card goes into no meld: that was said, or it was the top of the pile."""
        return self.no_meld.data is True or self.above.data == ("none",)

    @property
    def draw_step(self) -> str:
        """The step of a draw: ``drawn``, ``above``, ``cards`` (of melds) or ``who``; else empty."""
        if self.ask.data != DRAW:
            return ""
        if not self.drawn.data or self.change.data == "drawn":
            return "drawn"
        if not self.above.data or self.change.data == "above":
            return "above"
        is_of_nobody = self.player.data is None and not self.by_rules.data and self.takes_no_meld
        return "who" if is_of_nobody or self.above.data == ("none",) else "cards"

    def check_above(self) -> None:
        """Raise `NotPossible` if nobody said what lay above the drawn card."""
        if not self.above.data:
            raise NotPossible("Tap the cards that lay above it, or say that none did.", "above")

    @property
    def drawn_into(self) -> str:
        """The drawn card, if it goes into the tapped meld: no meld before has it. Else empty."""
        before = [card.partition("=")[0] for card in " ".join(self.play.data).split()]
        return "" if self.draw_step != "cards" or self.drawn.data in before else self.drawn.data

    # -- questions about several plays ------------------------------------------------------------

    @property
    def added(self) -> tuple[Play, ...]:
        """The plays that were added so far. Raises `Malformed`."""
        return tuple(map(parse_play, self.play.data))

    def add_or_drop(self) -> None:
        """Add the tapped cards as a play, or take one out. Raises `NotPossible` or `Malformed`."""
        plays = [*self.added]
        if self.drop.data is not None:
            lying = len(self.lying.data or ()) + len(self.seen.data)
            plays = without_play(plays, self.drop.data, lying)
        elif len(plays) < MOST_PLAYS:
            plays.append(self.add.play(self._tapped()))
        else:
            raise NotPossible("No turn has that many plays.", "cards")
        texts = tuple([play.text for play in plays])
        self.fill({"cards": (), "onto": None, "play": texts})

    def add_last_meld(self) -> None:
        """Add the tapped cards as the last of several melds. Raises `NotPossible`, `Malformed`."""
        if self.ask.data in {"contract", DRAW} and self.cards.data:
            last = play_of("meld", self._tapped(), None)
            self.fill({"cards": (), "play": (*self.play.data, last.text)[:MOST_PLAYS]})

    def _tapped(self) -> Sequence[str]:
        """Return the tapped cards; in the first meld of a draw, with the drawn card."""
        tapped, drawn = self.cards.data, self.drawn_into
        if not tapped or not drawn or drawn in tapped:
            return tapped
        return (parse_card(drawn, "drawn").text, *tapped)

    # -- the melds of the question ----------------------------------------------------------------

    def hand_on_record(self, sheet: ScoreSheet) -> HandSheet:
        """Return the hand being played, without the ruling to replace if it can be taken out."""
        with suppress(NotPossible):
            return sheet.hand.without_ruling(self.instead_of.data)
        return sheet.hand

    def find_melds(self, sheet: ScoreSheet, *, lenient: bool = False) -> None:
        """Number the melds as they lie on the recorded table now.

        Raises `NotPossible` if one of them is not on record, or if another hand is being played;
        `Malformed` for text that is no play. With ``lenient`` it raises nothing, and drops the
        first play on a meld that is not on record, and the plays after it.
        """
        if not lenient:
            check_hand(sheet, self.hand.data)
        recorded, counted = self.hand_on_record(sheet).board.table.meld_texts, self.lying.data
        ignored = (NotPossible, Malformed) if lenient else ()
        onto, plays = None, list[str]()
        with suppress(*ignored):
            for play in self.play.data:
                plays.append(play_on_record(parse_play(play), counted, recorded).text)
        with suppress(*ignored):
            if self.onto.data is not None:
                onto = place_on_record(self.onto.data, counted, recorded)
        lying = None if counted is None else recorded
        self.fill({"onto": onto, "play": tuple(plays), "lying": lying})
