"""The form of a question: what the marker has entered so far, and the question that it makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Self

from flask import url_for
from werkzeug.datastructures import MultiDict

from companion.notebook.board import Board
from companion.notebook.events import NotPossible
from companion.notebook.hand_sheet import RulingLine
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import (
    Offered,
    identified,
    parse_card,
    parse_cards,
    parse_meld_text,
    parse_offered,
)
from companion.rules.errors import Malformed
from companion.rules.melds import Meld
from companion.rules.question import CALL, DECLARE, DRAW, NO_PILE, Pile
from companion.rules.table import (
    ENDS,
    LayOff,
    MeldPlay,
    Play,
    Swap,
    check_onto,
    parse_play,
    position_text,
)
from companion.services.rulings import Asked, Said, ask
from companion.web.fields import (
    LONGEST_MELD,
    CardField,
    CardsField,
    FactField,
    Form,
    MeldsField,
    SmallNumberField,
    TextsField,
    WordField,
)
from companion.web.rulings.plays import on_record, parsed_plays, place, play_of
from companion.web.upcoming import check_hand

ASKS: Final = ("discard", "meld", "lay_off", "swap", "contract", "turn", DECLARE)
# Questions that need the server: their pages are not kept for when there is no network.
ONLINE_ASKS: Final = (CALL, DRAW)
# Questions about several plays, which are added one after the other.
OF_SEVERAL: Final = ("contract", "turn", DECLARE)
MOST_PLAYS: Final = 20
MOST_SEEN: Final = 10
MOST_CALLS: Final = 20
FEWEST_IN_MELD: Final = 3

# What a player's contract can be: met in an earlier turn, laid in this turn, not met yet.
CONTRACT: Final[Mapping[str, tuple[bool, bool | None]]] = {
    "earlier": (True, None),
    "turn": (False, True),
    "no": (False, False),
}


class RulingForm(Form):
    """A question as far as it has been entered. Nothing in it is sure to be possible.

    ``cards`` and ``onto`` are those of a single play; ``plays`` those of a whole turn so far, or
    the first melds, to which ``cards`` are the last. Of declared cards ``plays`` are the groups so
    far, and ``cards`` the others.

    Facts that were not stated are None or empty. ``contract`` is one of `CONTRACT`. ``top`` says
    what lies on the pile: a card, or ``none``; ``under`` what lies beneath it: a card, or ``none``.
    ``seen`` are melds, as card text, that lie on the table and are not on record. ``instead_of``
    is the number of the ruling that the new one replaces.

    ``drawn`` is the card drawn from the pile, ``above`` are those that lay on it, or ``none``, and
    ``no_meld`` says that it goes into no meld. A call is made in the ``turn`` of a seat, who
    ``turn_melded`` in this hand, after so many ``calls`` of the caller that succeeded.

    ``laid_off`` are the cards of a lay-off while those of the meld under them are asked for.

    ``hand`` is the hand that it was asked in, and ``lying`` are the melds that the page counted
    with; both None where that is not said.
    """

    ask = WordField((*ASKS, *ONLINE_ASKS))
    player = SmallNumberField()
    cards = CardsField()
    onto = SmallNumberField()
    plays = TextsField(MOST_PLAYS, LONGEST_MELD, name="play")
    melded_this_hand = FactField(name="melded_hand")
    melded_this_turn = FactField(name="melded_turn")
    drew = FactField()
    fresh = FactField()
    turn_melded = FactField()
    no_meld = FactField()
    contract = WordField(CONTRACT)
    top = CardField()
    under = CardField()
    seen = TextsField(MOST_SEEN, LONGEST_MELD)
    joker_to = WordField(ENDS)
    instead_of = SmallNumberField()
    hand = SmallNumberField()
    drawn = CardField()
    above = CardsField()
    laid_off = CardsField()
    turn = SmallNumberField()
    calls = SmallNumberField()
    lying = MeldsField()
    # One tap says several of them: ``card`` is the only one, ``swap`` has a card, a meld and the
    # end to which its joker goes, and ``other`` is a player that the same is asked about instead.
    card = CardField()
    swap = TextsField(1, LONGEST_MELD)
    other = SmallNumberField()

    @classmethod
    def read(cls, sent: MultiDict[str, str]) -> Self:
        """The question that a form or an address holds. Any input gives one."""
        form = cls(sent)
        said: dict[str, Any] = {"card": "", "swap": (), "other": None}
        if form.swap.data:
            card, onto, joker_to, *_ = f"{form.swap.data[0]}   ".split(" ")
            tapped = cls(MultiDict({"cards": card, "onto": onto, "joker_to": joker_to}))
            said |= {name: tapped[name].data for name in ("cards", "onto", "joker_to")}
        elif form.card.data:
            said["cards"] = (form.card.data,)
        if "none" in form.above.data:
            said["above"] = ("none",)
        other = form.other.data
        form = form.but(**said)
        return form if other in {None, form.player.data} else form.of(other)

    @classmethod
    def about(cls, kind: str, player: int | None, plays: Sequence[str]) -> Self:
        """A question about plays that are written down already, to be asked (again)."""
        form = cls(data={"ask": kind, "player": player})
        if kind == DECLARE and plays:
            groups = parsed_plays(plays[1:])
            over = Counter(one.card.text for one in parse_play(plays[0]).plays)
            over -= Counter(one.card.text for group in groups for one in group.plays)
            return form.but(cards=tuple(over.elements()), plays=plays[1:])
        if kind == DRAW and plays:
            *others, last = plays  # its cards are tapped, so that they can be changed
            cards = tuple(offered.card.text for offered in parse_play(last).plays)
            return form.but(plays=others, cards=cards)
        if kind in OF_SEVERAL or len(plays) != 1:
            return form.but(plays=plays)
        play = parse_play(plays[0])
        return form.but(
            cards=tuple(offered.card.text for offered in play.plays),
            onto=play.onto if isinstance(play, LayOff | Swap) else None,
            joker_to=play.joker_to if isinstance(play, Swap) else "",
        )

    def but(self, **changes: Any) -> Self:
        """The same with other values of some fields."""
        return type(self)(data=self.data | changes)

    def of(self, player: int | None) -> Self:
        """The same question about another player; what was said of the first one is left out."""
        of_player = ("melded_this_hand", "melded_this_turn", "contract", "drew", "fresh", "calls")
        return self.but(player=player, **dict.fromkeys(of_player))

    def sent(self, *without: str) -> list[tuple[str, str]]:
        """What is entered in all but some fields, for the hidden fields of a page or an address."""
        said: list[tuple[str, str]] = []
        for field in self:
            value = field.data
            if field is self.lying:
                value = None if value is None else ("; ".join(value),)
            elif value == "":
                continue
            values = value if isinstance(value, tuple) else (value,)
            texts = [str(int(one)) if isinstance(one, bool) else str(one) for one in values]
            if value is not None and field.name not in without:
                said += [(field.name, text) for text in texts]
        return said

    def url(self, game_id: str, change: str = "") -> str:
        """The address of the form with all of it entered, or of the page to ``change`` a fact."""
        values: dict[str, list[str]] = {"change": [change]} if change else {}
        for name, value in self.sent("lying"):
            values.setdefault(name, []).append(value)
        return url_for("rulings.form", game_id=game_id, **values)  # type: ignore[arg-type]

    # -- the question that it makes ---------------------------------------------------------------

    def asked(self, sheet: ScoreSheet) -> Asked:
        """The question for the rules. Raises `NotPossible` or `Malformed` for one that is none."""
        kind, player = self.ask.data, self.player.data
        check_hand(sheet, self.hand.data)
        if player is None or player not in sheet.players:
            says = "Tap who calls." if kind == CALL else "Say whose play it was."
            raise NotPossible(says, "player")
        return ask(sheet, player, kind, self.parsed(), self.said, self.instead_of.data)

    def parsed(self) -> tuple[Play, ...]:
        """The plays that are asked about. Raises `NotPossible` or `Malformed`."""
        kind, plays = self.ask.data, self.plays.data
        if kind == DECLARE:
            return self._declared()
        if kind == CALL or (kind == DRAW and self.takes_no_meld):
            return ()
        if kind not in (*OF_SEVERAL, DRAW):
            return (play_of(kind, self.cards.data, self.onto.data, self.joker_to.data),)
        if not plays:
            raise NotPossible(_NO_PLAYS[kind], "cards")
        return parsed_plays(plays)

    def _declared(self) -> tuple[Play, ...]:
        groups = [play.plays for play in parsed_plays(self.plays.data)]
        others = parse_meld_text(self.cards.data)
        every = [offered.card for group in (*groups, others) for offered in group]
        if not every:
            raise NotPossible("Tap the cards that were declared.", "cards")
        if groups and len(others) >= FEWEST_IN_MELD:
            groups.append(others)  # the last group needs no “A group”
        whole = MeldPlay(tuple(Offered(card) for card in every))
        return (whole, *(MeldPlay(group) for group in groups))

    @property
    def said(self) -> Said:
        """What the marker stated of the facts. Raises `Malformed` for cards that are none."""
        contract_met, laid_now = CONTRACT.get(self.contract.data, (None, None))
        calls = self.calls.data
        return Said(
            self.melded_this_hand.data,
            self.melded_this_turn.data if laid_now is None else laid_now,
            contract_met,
            self.drew.data,
            self.fresh.data,
            self._pile(),
            self.seen.data,
            self.turn.data,
            self.turn_melded.data,
            None if calls is None else min(calls, MOST_CALLS),
        )

    def _pile(self) -> Pile | None:
        top, under = self.top.data, self.under.data
        if self.ask.data == DRAW:
            above = [] if self.above.data == ("none",) else self.above.data
            taken = (parse_card(self.drawn.data, "drawn"), *parse_cards(above, "above"))
            return Pile(taken, whole=False)
        if not top:
            return None
        if top == "none":
            return NO_PILE
        if under in {"", "none"}:
            return Pile((parse_card(top, "top"),), whole=under == "none")
        return Pile((parse_card(under, "under"), parse_card(top, "top")), whole=False)

    # -- a draw from the pile ---------------------------------------------------------------------

    @property
    def takes_no_meld(self) -> bool:
        """True if a drawn card goes into no meld: that was said, or it was the top card."""
        return self.no_meld.data is True or self.above.data == ("none",)

    @property
    def draw_step(self) -> str:
        """What has to be said next of a draw: ``drawn``, ``above`` or ``cards``."""
        return "drawn" if not self.drawn.data else "cards" if self.above.data else "above"

    @property
    def lacks_player(self) -> bool:
        """True if more has to be said of a draw before who drew is asked for, or just that."""
        above = self.above.data
        return not above or (above == ("none",) and self.player.data is None)

    @property
    def with_drawn(self) -> Self:
        """The same with the drawn card in the meld that is tapped, if it is in none before."""
        if self.ask.data != DRAW or self.takes_no_meld or not self.cards.data:
            return self
        drawn = parse_card(self.drawn.data, "drawn")
        if drawn.text in " ".join((*self.cards.data, *self.plays.data)).split():
            return self
        cards = [Offered(drawn), *parse_meld_text(self.cards.data)]
        cards.sort(key=lambda one: one.card)
        return self.but(cards=tuple(offered.text for offered in cards))

    @property
    def whole(self) -> Self:
        """The same with the cards that are tapped as the last of the first melds. May raise."""
        if self.ask.data not in {"contract", DRAW} or not self.cards.data:
            return self
        last = play_of("meld", self.with_drawn.cards.data, None)
        return self.but(cards=(), plays=(*self.plays.data, last.text)[:MOST_PLAYS])

    @property
    def shown(self) -> Self:
        """The same for a page to show again: what is no card is left out, identities are open."""
        shown: dict[str, Any] = {"seen": tuple(filter(_is_meld_text, self.seen.data))}
        for cards in (self.cards, self.above, self.laid_off):
            shown[cards.name] = tuple(filter(None, map(_card_in, cards.data)))
        for card in (self.top, self.under, self.drawn):
            shown[card.name] = _card_in(card.data)
        for none in (self.top, self.under, self.above):
            if none.data in {"none", ("none",)}:
                shown[none.name] = none.data
        return self.but(**shown)

    # -- the melds that it is about ---------------------------------------------------------------

    def replaces(self, sheet: ScoreSheet) -> RulingLine | None:
        """The ruling that the new one is to replace; None if there is none that counts."""
        lines, number = sheet.hand.standing_rulings, self.instead_of.data
        return next((line for line in lines if line.entry.number == number), None)

    def board(self, sheet: ScoreSheet) -> Board:
        """The recorded table that is asked about: without the ruling that is replaced."""
        line, board = self.replaces(sheet), sheet.hand.board
        if line is None or (line.leaves_table and line.after != board):
            return board
        return line.before

    def found(self, sheet: ScoreSheet) -> Self:
        """The question on the melds that are recorded, wherever they lie now.

        Raises `NotPossible` if one that was meant is not on record, or if another hand is being
        played; `Malformed` for what is no play.
        """
        check_hand(sheet, self.hand.data)
        recorded, _ = position_text(self.board(sheet).table)
        lying, onto = self.lying.data, self.onto.data
        if lying is None or lying == recorded:
            return self
        plays = [on_record(play, lying, recorded) for play in parsed_plays(self.plays.data)]
        onto = None if onto is None else place(onto, lying, recorded)
        return self.but(onto=onto, plays=tuple(play.text for play in plays), lying=recorded)

    def found_in_part(self, sheet: ScoreSheet) -> Self:
        """The same, without what is meant for a meld that is not on record, and what follows it."""
        here = self.but(hand=sheet.hand.number)
        plays = self.plays.data
        for count in range(len(plays), -1, -1):
            for onto in (self.onto.data, None):
                try:
                    found = here.but(onto=onto, plays=plays[:count]).found(sheet)
                except (NotPossible, Malformed):
                    continue
                return found.but(hand=self.hand.data)
        raise AssertionError  # nothing is left that could be meant for a meld

    def asking_for_meld(self, sheet: ScoreSheet) -> Self:
        """The same where a lay-off has cards and no meld to go on: that is asked for first."""
        if self.ask.data != "lay_off" or self.seen.data or self.board(sheet).table.melds:
            return self
        return self.but(cards=(), laid_off=self.cards.data or self.laid_off.data)

    def without_seen(self, at: int | None) -> Self:
        """The question without one of the melds that it says lie there. Raises `NotPossible`."""
        if self.plays.data:
            raise NotPossible("Take the plays of the turn out first.", "cards")
        seen = tuple(meld for number, meld in enumerate(self.seen.data) if number != at)
        return self.but(seen=seen, onto=None, lying=None)

    # -- what the wild cards stand for ------------------------------------------------------------

    def moved(self, cards: Sequence[Offered], melds: Sequence[Meld]) -> Self:
        """The question with a swapped joker at the end where it is in the reading ``cards``."""
        onto = self.onto.data or 0
        check_onto(onto, len(melds))
        low = cards[0].stands_for or cards[0].card
        return self.but(joker_to="high" if low == melds[onto].identities[0] else "low")

    def standing(self, number: int, cards: Sequence[Offered]) -> Self:
        """The question with the identities of ``cards`` given in play ``number``."""
        known = [offered for offered in cards if offered.stands_for is not None]
        if self.ask.data not in OF_SEVERAL:
            said = identified(parse_meld_text(self.cards.data), known)
            return self.but(cards=tuple(offered.text for offered in said))
        plays = list(parsed_plays(self.plays.data))
        if 0 <= number < len(plays):
            play = plays[number]
            if isinstance(play, MeldPlay | LayOff):
                plays[number] = replace(play, cards=identified(play.cards, known))
        return self.but(plays=tuple(play.text for play in plays))


_NO_PLAYS: Final = {
    DRAW: "Tap the cards of the meld.",
    "contract": "Tap the cards of a meld first, then those of the next one.",
    "turn": "Add the plays of the turn first, one after the other.",
}


def _is_meld_text(text: str) -> bool:
    try:
        return bool(parse_meld_text(text))
    except Malformed:
        return False


def _card_in(text: str) -> str:
    """The card that was played, without what it stands for; empty if the text is none."""
    try:
        return parse_offered(text).card.text
    except Malformed:
        return ""
