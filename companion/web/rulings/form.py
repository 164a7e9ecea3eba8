"""What the marker has entered of a question, read from a form or an address, whatever it holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

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
from companion.rules.judge import position_text
from companion.rules.melds import Meld
from companion.rules.question import CALL, DECLARE, DRAW, NO_PILE, Pile
from companion.rules.table import ENDS, LayOff, MeldPlay, Play, Swap, check_onto, parse_play
from companion.services.rulings import Asked, Said, ask
from companion.web.fields import number_or_none, small_number
from companion.web.lying import place, placed, read_lying
from companion.web.rulings.plays import parsed_plays, play_of
from companion.web.upcoming import check_hand

ASKS: Final = ("discard", "meld", "lay_off", "swap", "contract", "turn", DECLARE)
# Questions that need the server: their pages are not kept for when there is no network.
ONLINE_ASKS: Final = (CALL, DRAW)
# Questions about several plays, which are added one after the other.
OF_SEVERAL: Final = ("contract", "turn", DECLARE)
MOST_CARDS: Final = 60
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


# The fields of the form, in the order in which they are sent, and what they are called here.
_FIELDS: Final = {
    "ask": "ask",
    "player": "player",
    "cards": "cards",
    "onto": "onto",
    "play": "plays",
    "melded_hand": "melded_this_hand",
    "melded_turn": "melded_this_turn",
} | {
    name: name
    for name in (
        *("drew", "fresh", "turn_melded", "no_meld", "contract", "top", "under", "seen"),
        *("joker_to", "instead_of", "hand", "drawn", "above", "laid_off", "turn", "calls"),
    )
}


@dataclass(frozen=True, slots=True)
class RulingForm:
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

    ``hand`` is the hand that it was asked in, and ``lying`` are the melds that the form counted
    with, as card text; both None where that is not said.
    """

    ask: str = ""
    player: int | None = None
    cards: tuple[str, ...] = ()
    onto: int | None = None
    plays: tuple[str, ...] = ()
    melded_this_hand: bool | None = None
    melded_this_turn: bool | None = None
    contract: str = ""
    drew: bool | None = None
    fresh: bool | None = None
    top: str = ""
    under: str = ""
    seen: tuple[str, ...] = ()
    joker_to: str = ""
    instead_of: int | None = None
    hand: int | None = None
    lying: tuple[str, ...] | None = None
    drawn: str = ""
    above: tuple[str, ...] = ()
    no_meld: bool | None = None
    turn: int | None = None
    turn_melded: bool | None = None
    calls: int | None = None
    laid_off: tuple[str, ...] = ()

    def parsed(self) -> tuple[Play, ...]:
        """The plays that are asked about. Raises `NotPossible` or `Malformed`."""
        if self.ask == DECLARE:
            return self._declared()
        if self.ask == CALL or (self.ask == DRAW and self.takes_no_meld):
            return ()
        if self.ask not in (*OF_SEVERAL, DRAW):
            return (play_of(self.ask, self.cards, self.onto, self.joker_to),)
        if self.ask == DRAW and not self.plays:
            raise NotPossible("Tap the cards of the meld.", "cards")
        if self.ask == "contract" and not self.plays:
            raise NotPossible("Tap the cards of a meld first, then those of the next one.", "cards")
        if not self.plays:
            raise NotPossible("Add the plays of the turn first, one after the other.", "cards")
        return parsed_plays(self.plays)

    def _declared(self) -> tuple[Play, ...]:
        groups = [play.plays for play in parsed_plays(self.plays)]
        others = parse_meld_text(self.cards)
        every = [offered.card for group in (*groups, others) for offered in group]
        if not every:
            raise NotPossible("Tap the cards that were declared.", "cards")
        if groups and len(others) >= FEWEST_IN_MELD:
            groups.append(others)  # the last group needs no “A group”
        whole = MeldPlay(tuple(Offered(card) for card in every))
        return (whole, *(MeldPlay(group) for group in groups))

    def asked(self, sheet: ScoreSheet) -> Asked:
        """The question for the rules. Raises `NotPossible` or `Malformed` for one that is none."""
        check_hand(sheet, self.hand)
        if self.player is None or self.player not in sheet.players:
            says = "Tap who calls." if self.ask == CALL else "Say whose play it was."
            raise NotPossible(says, "player")
        return ask(sheet, self.player, self.ask, self.parsed(), self.said, self.instead_of)

    @property
    def said(self) -> Said:
        """What the marker stated of the facts. Raises `Malformed` for cards that are none."""
        contract_met, laid_now = CONTRACT.get(self.contract, (None, None))
        return Said(
            self.melded_this_hand,
            self.melded_this_turn if laid_now is None else laid_now,
            contract_met,
            self.drew,
            self.fresh,
            self._pile(),
            self.seen,
            self.turn,
            self.turn_melded,
            None if self.calls is None else min(self.calls, MOST_CALLS),
        )

    @property
    def takes_no_meld(self) -> bool:
        """True if a drawn card goes into no meld: that was said, or it was the top card."""
        return self.no_meld is True or self.above == ("none",)

    @property
    def lacks_player(self) -> bool:
        """True if more has to be said of a draw before who drew is asked for, or just that."""
        return not self.above or (self.above == ("none",) and self.player is None)

    @property
    def draw_step(self) -> str:
        """What has to be said next of a draw: ``drawn``, ``above`` or ``cards``."""
        return "drawn" if not self.drawn else "cards" if self.above else "above"

    @property
    def with_drawn(self) -> RulingForm:
        """The same with the drawn card in the meld that is tapped, if it is in none before."""
        if self.ask != DRAW or self.takes_no_meld or not self.cards:
            return self
        drawn = parse_card(self.drawn, "drawn")
        if drawn.text in " ".join((*self.cards, *self.plays)).split():
            return self
        cards = sorted([Offered(drawn), *parse_meld_text(self.cards)], key=lambda one: one.card)
        return replace(self, cards=tuple(offered.text for offered in cards))

    def _pile(self) -> Pile | None:
        if self.ask == DRAW:
            above = [] if self.above == ("none",) else self.above
            taken = (parse_card(self.drawn, "drawn"), *parse_cards(above, "above"))
            return Pile(taken, whole=False)
        if not self.top:
            return None
        if self.top == "none":
            return NO_PILE
        top = parse_card(self.top, "top")
        if self.under in {"", "none"}:
            return Pile((top,), whole=self.under == "none")
        return Pile((parse_card(self.under, "under"), top), whole=False)

    @property
    def whole(self) -> RulingForm:
        """The same with the cards that are tapped as the last of the first melds. May raise."""
        if self.ask not in {"contract", DRAW} or not self.cards:
            return self
        last = play_of("meld", self.with_drawn.cards, None)
        return replace(self, cards=(), plays=(*self.plays, last.text)[:MOST_PLAYS])

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Everything entered, as the hidden fields or the address of another page."""
        said = []
        for name, attribute in _FIELDS.items():
            value = getattr(self, attribute)
            values = value if isinstance(value, tuple) else (value,)
            texts = (int(one) if isinstance(one, bool) else one for one in values)
            said += [(name, str(text)) for text in texts if text not in {None, ""}]
        return said if self.lying is None else [*said, ("lying", "; ".join(self.lying))]

    @property
    def shown(self) -> RulingForm:
        """The same for a form to show again: what is no card is left out, identities are open."""
        cards = _cards_in(self.cards)
        seen = tuple(meld for meld in self.seen if _is_meld_text(meld))
        top, under, *above = (
            text if text == "none" else _card_in(text)
            for text in (self.top, self.under, *self.above)
        )
        return replace(
            self,
            cards=cards,
            seen=seen,
            top=top,
            under=under,
            drawn=_card_in(self.drawn),
            above=tuple(card for card in above if card),
            laid_off=_cards_in(self.laid_off),
        )

    def of(self, player: int | None) -> RulingForm:
        """The same question about another player; what was said of the first one is left out."""
        return replace(
            self,
            player=player,
            melded_this_hand=None,
            melded_this_turn=None,
            contract="",
            drew=None,
            fresh=None,
            calls=None,
        )

    # -- the melds that it is about ---------------------------------------------------------------

    def replaces(self, sheet: ScoreSheet) -> RulingLine | None:
        """The ruling that the new one is to replace; None if there is none that counts."""
        lines = sheet.hand.standing_rulings
        return next((line for line in lines if line.entry.number == self.instead_of), None)

    def board(self, sheet: ScoreSheet) -> Board:
        """The recorded table that is asked about: without the ruling that is replaced."""
        line, board = self.replaces(sheet), sheet.hand.board
        if line is None or (line.leaves_table and line.after != board):
            return board
        return line.before

    def found(self, sheet: ScoreSheet) -> RulingForm:
        """The question on the melds that are recorded, wherever they lie now.

        Raises `NotPossible` if one that was meant is not on record, or if another hand is being
        played; `Malformed` for what is no play.
        """
        check_hand(sheet, self.hand)
        recorded, _ = position_text(self.board(sheet).table)
        if self.lying is None or self.lying == recorded:
            return self
        plays = [placed(play, self.lying, recorded) for play in parsed_plays(self.plays)]
        onto = None if self.onto is None else place(self.onto, self.lying, recorded)
        return replace(self, onto=onto, plays=tuple(play.text for play in plays), lying=recorded)

    def found_in_part(self, sheet: ScoreSheet) -> RulingForm:
        """The same, without what is meant for a meld that is not on record, and what follows it."""
        here = replace(self, hand=sheet.hand.number)
        for count in range(len(self.plays), -1, -1):
            for onto in (self.onto, None):
                try:
                    found = replace(here, onto=onto, plays=self.plays[:count]).found(sheet)
                except (NotPossible, Malformed):
                    continue
                return replace(found, hand=self.hand)
        raise AssertionError  # nothing is left that could be meant for a meld

    def asking_for_meld(self, sheet: ScoreSheet) -> RulingForm:
        """The same where a lay-off has cards and no meld to go on: that is asked for first."""
        if self.ask != "lay_off" or self.seen or self.board(sheet).table.melds:
            return self
        return replace(self, cards=(), laid_off=self.cards or self.laid_off)

    def without_seen(self, at: int | None) -> RulingForm:
        """The question without one of the melds that it says lie there. Raises `NotPossible`."""
        if self.plays:
            raise NotPossible("Take the plays of the turn out first.", "cards")
        seen = tuple(meld for number, meld in enumerate(self.seen) if number != at)
        return replace(self, seen=seen, onto=None, lying=None)

    # -- what the wild cards stand for ------------------------------------------------------------

    def moved(self, cards: Sequence[Offered], melds: Sequence[Meld]) -> RulingForm:
        """The question with a swapped joker at the end where it is in the reading ``cards``."""
        check_onto(self.onto or 0, len(melds))
        low = cards[0].stands_for or cards[0].card
        is_high = low == melds[self.onto or 0].identities[0]
        return replace(self, joker_to="high" if is_high else "low")

    def standing(self, number: int, cards: Sequence[Offered]) -> RulingForm:
        """The question with the identities of ``cards`` given in play ``number``."""
        known = [offered for offered in cards if offered.stands_for is not None]
        if self.ask not in OF_SEVERAL:
            said = identified(parse_meld_text(self.cards), known)
            return replace(self, cards=tuple(offered.text for offered in said))
        plays = list(parsed_plays(self.plays))
        if 0 <= number < len(plays):
            play = plays[number]
            if isinstance(play, MeldPlay | LayOff):
                plays[number] = replace(play, cards=identified(play.cards, known))
        return replace(self, plays=tuple(play.text for play in plays))


def _is_meld_text(text: str) -> bool:
    try:
        return bool(parse_meld_text(text))
    except Malformed:
        return False


def _cards_in(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(card for text in texts if (card := _card_in(text)))


def _card_in(text: str) -> str:
    """The card that was played, without what it stands for; empty if the text is none."""
    try:
        return parse_offered(text).card.text
    except Malformed:
        return ""


def read_asked(form: MultiDict[str, str]) -> RulingForm:
    """The question that a form or an address holds. Any input gives one."""
    kind = form.get("ask", "")
    # One tap says all: the real card, the meld, and to which end a joker goes that is moved.
    chosen = form.get("swap", "")
    cards = form.getlist("cards")[:MOST_CARDS]
    onto, joker_to = form.get("onto", ""), form.get("joker_to", "")
    if chosen:
        card, onto, joker_to, *_ = f"{chosen}   ".split(" ")
        cards = [card]
    elif "card" in form:
        cards = [form["card"]]
    contract = form.get("contract", "")
    above = form.getlist("above")[:MOST_CARDS]
    player, other = (form.get(name, type=small_number) for name in ("player", "other"))
    asked = RulingForm(
        ask=kind if kind in (*ASKS, *ONLINE_ASKS) else "",
        player=player,
        cards=tuple(card[:8] for card in cards if card.strip()),
        onto=number_or_none(onto),
        plays=tuple(play[:300] for play in form.getlist("play")[:MOST_PLAYS]),
        melded_this_hand=_flag(form, "melded_hand"),
        melded_this_turn=_flag(form, "melded_turn"),
        contract=contract if contract in CONTRACT else "",
        drew=_flag(form, "drew"),
        fresh=_flag(form, "fresh"),
        top=form.get("top", "")[:8],
        under=form.get("under", "")[:8],
        seen=tuple(meld[:300] for meld in form.getlist("seen")[:MOST_SEEN]),
        joker_to=joker_to if joker_to in ENDS else "",
        instead_of=form.get("instead_of", type=small_number),
        hand=form.get("hand", type=small_number),
        lying=read_lying(form.get("lying")),
        drawn=form.get("drawn", "")[:8].strip(),
        above=("none",) if "none" in above else tuple(card[:8] for card in above if card.strip()),
        no_meld=form.get("no_meld") == "1" or None,
        turn=form.get("turn", type=small_number),
        turn_melded=_flag(form, "turn_melded"),
        calls=form.get("calls", type=small_number),
        laid_off=tuple(card[:8] for card in form.getlist("laid_off")[:MOST_CARDS] if card.strip()),
    )
    return asked if other in {None, player} else asked.of(other)


def _flag(form: MultiDict[str, str], name: str) -> bool | None:
    """A fact that was stated, ``1`` or ``0``; None if it was not."""
    return {"0": False, "1": True}.get(form.get(name, ""))


def asked_about(kind: str, player: int | None, plays: Sequence[str]) -> RulingForm:
    """A question about plays that are written down already, to be asked (again)."""
    asked = RulingForm(kind if kind in (*ASKS, *ONLINE_ASKS) else "", player)
    if kind == DECLARE and plays:
        groups = parsed_plays(plays[1:])
        over = Counter(one.card.text for one in parse_play(plays[0]).plays)
        over -= Counter(one.card.text for group in groups for one in group.plays)
        return replace(asked, cards=tuple(over.elements()), plays=tuple(plays[1:]))
    if kind == DRAW and plays:
        *others, last = plays  # its cards are tapped, so that they can be changed
        cards = tuple(offered.card.text for offered in parse_play(last).plays)
        return replace(asked, plays=tuple(others), cards=cards)
    if kind in OF_SEVERAL or len(plays) != 1:
        return replace(asked, plays=tuple(plays))
    play = parse_play(plays[0])
    return replace(
        asked,
        cards=tuple(offered.card.text for offered in play.plays),
        onto=play.onto if isinstance(play, LayOff | Swap) else None,
        joker_to=play.joker_to if isinstance(play, Swap) else "",
    )


def ask_url(game_id: str, asked: RulingForm, change: str = "") -> str:
    """The address of the form with this question entered, or of the page to ``change`` a fact."""
    values: dict[str, list[str]] = {"change": [change]} if change else {}
    for name, value in replace(asked, lying=None).fields:
        values.setdefault(name, []).append(value)
    return url_for("rulings.form", game_id=game_id, **values)  # type: ignore[arg-type]
