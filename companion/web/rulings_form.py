"""What the marker has entered of a question, read from a form or an address, whatever it holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from flask import url_for
from werkzeug.datastructures import MultiDict

from companion.notebook.events import DECLARE, PileSeen, RulingGiven
from companion.notebook.refusal import NotPossible
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import (
    Card,
    Offered,
    format_cards,
    identified,
    parse_card,
    parse_meld_text,
    parse_offered,
)
from companion.rules.errors import Malformed
from companion.rules.judge import position_text
from companion.rules.table import (
    ENDS,
    Discard,
    LayOff,
    MeldPlay,
    Play,
    Swap,
    Table,
    TakePile,
    parse_play,
)
from companion.services.rulings import Question
from companion.web.ahead import check_hand
from companion.web.lying import place, placed, read_lying
from companion.web.play_form import number_in, parsed_plays, play_of

ASKS: Final = ("discard", "meld", "lay_off", "swap", "contract", "turn", DECLARE)
# Questions about several plays, which are added one after the other.
OF_SEVERAL: Final = ("contract", "turn", DECLARE)
MOST_CARDS: Final = 60
MOST_PLAYS: Final = 20
FEWEST_IN_MELD: Final = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as far as it has been entered. Nothing in it is sure to be possible.

    ``cards`` and ``onto`` are those of a single play; ``plays`` those of a whole turn so far, or
    the first melds, to which ``cards`` are the last.
    The flags overrule the record where they are not None. ``top`` says what lies on the pile: a
    card, ``none``, ``ask`` (the record is wrong), or empty for what is recorded; ``under`` what
    lies beneath the cards that are known. Of declared cards ``plays`` are the groups so far, and
    ``cards`` the others. ``drew`` says that the card discarded was just taken from the pile.
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
    top: str = ""
    under: str = ""
    joker_to: str = ""
    drew: bool = False
    hand: int | None = None
    lying: tuple[str, ...] | None = None

    def parsed(self) -> tuple[Play, ...]:
        """The plays that are asked about. Raises `NotPossible` or `Malformed`."""
        if self.ask == DECLARE:
            return self._declared()
        if self.ask not in OF_SEVERAL:
            return (play_of(self.ask, self.cards, self.onto, self.joker_to),)
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
            groups.append(others)  # the last group, of which that need not be said
        whole = MeldPlay(tuple(Offered(card) for card in every))
        return (whole, *(MeldPlay(group) for group in groups))

    def question(self, sheet: ScoreSheet) -> Question:
        """The question for the rules. Raises `NotPossible` or `Malformed` for one that is none."""
        check_hand(sheet, self.hand)
        if self.player not in sheet.players:
            raise NotPossible("Say whose play it was.", "player")
        return Question(
            self.player or 0,
            self.parsed(),
            self.ask,
            self.melded_this_hand,
            self.melded_this_turn,
            self.drew,
        )

    @property
    def whole(self) -> Asked:
        """The same with the cards that are tapped as the last of the first melds. May raise."""
        if self.ask != "contract" or not self.cards:
            return self
        last = play_of("meld", self.cards, None)
        return replace(self, cards=(), plays=(*self.plays, last.text)[:MOST_PLAYS])

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Everything entered, as the hidden fields or the address of another page."""
        flags = (("melded_hand", self.melded_this_hand), ("melded_turn", self.melded_this_turn))
        pairs = [
            ("ask", self.ask),
            ("player", "" if self.player is None else str(self.player)),
            *(("cards", card) for card in self.cards),
            ("onto", "" if self.onto is None else str(self.onto)),
            *(("play", play) for play in self.plays),
            *((name, str(int(flag))) for name, flag in flags if flag is not None),
            ("top", self.top),
            ("under", self.under),
            ("joker_to", self.joker_to),
            ("drew", "1" if self.drew else ""),
            ("hand", "" if self.hand is None else str(self.hand)),
        ]
        said = [(name, value) for name, value in pairs if value]
        return said if self.lying is None else [*said, ("lying", "; ".join(self.lying))]

    @property
    def shown(self) -> Asked:
        """The same for a form to show again: what is no card is left out, identities are open."""
        cards = tuple(card for text in self.cards if (card := _card_in(text)))
        top = self.top if self.top in {"none", "ask"} else _card_in(self.top)
        return replace(self, cards=cards, top=top, under="")

    # -- the melds that it is about ---------------------------------------------------------------

    def found(self, sheet: ScoreSheet) -> Asked:
        """The question on the melds that are recorded, wherever they lie now.

        Raises `NotPossible` if one that was meant is not on record, or if another hand is being
        played; `Malformed` for what is no play.
        """
        check_hand(sheet, self.hand)
        recorded, _ = position_text(sheet.hand.board.table)
        if self.lying is None or self.lying == recorded:
            return self
        plays = [placed(play, self.lying, recorded) for play in parsed_plays(self.plays)]
        onto = None if self.onto is None else place(self.onto, self.lying, recorded)
        return replace(self, onto=onto, plays=tuple(play.text for play in plays), lying=recorded)

    def found_in_part(self, sheet: ScoreSheet) -> Asked:
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

    # -- what the wild cards stand for ------------------------------------------------------------

    def moved(self, cards: Sequence[Offered], table: Table) -> Asked:
        """The question with a swapped joker at the end where it is in the reading ``cards``."""
        before = table.meld(self.onto or 0)
        low = cards[0].stands_for or cards[0].card
        return replace(self, joker_to="high" if low == before.identities[0] else "low")

    def standing(self, number: int, cards: Sequence[Offered]) -> Asked:
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

    # -- the pile ---------------------------------------------------------------------------------

    def discarded(self) -> Card | None:
        """The card whose ruling depends on the recorded pile; None if none does."""
        for play in self.parsed():
            if isinstance(play, TakePile):
                return None
            if isinstance(play, Discard):
                return play.card
        return None

    def pile(self, recorded: Sequence[Card]) -> tuple[Card, ...]:
        """The pile as the marker says, or as recorded. Raises `Malformed`."""
        if self.top in {"none", "ask"}:
            return ()
        pile = (parse_card(self.top, "top"),) if self.top else tuple(recorded)
        under = self.under not in {"", "none"}
        return (parse_card(self.under, "under"), *pile) if under else pile

    @property
    def tells_pile(self) -> bool:
        """Whether the marker said something of the pile that the record does not hold."""
        return self.top not in {"", "ask"} or self.under not in {"", "none"}

    def pile_seen(self, sheet: ScoreSheet) -> PileSeen:
        """What the marker said of the pile, to be written down. Raises `Malformed`."""
        hand = sheet.hand
        return PileSeen(hand.number, format_cards(self.pile(hand.board.table.pile)))

    def is_pile_told(self, whole: bool) -> bool:
        """Whether nothing can lie under the pile, or the marker has said what does."""
        return bool(self.under) or self.top == "none" or (whole and not self.top)

    def table(self, table: Table) -> Table:
        """The recorded table with the pile as the marker says."""
        return table.with_pile(self.pile(table.pile))


def _card_in(text: str) -> str:
    """The card that was played, without what it stands for; empty if the text is none."""
    try:
        return parse_offered(text).card.text
    except Malformed:
        return ""


def read_asked(form: MultiDict[str, str]) -> Asked:
    """The question that a form or an address holds. Any input gives one."""
    ask = form.get("ask", "")
    # One tap says all: the real card, the meld, and to which end a joker goes that is moved.
    chosen = form.get("swap", "")
    cards = form.getlist("cards")[:MOST_CARDS]
    onto, joker_to = form.get("onto", ""), form.get("joker_to", "")
    if chosen:
        card, onto, joker_to, *_ = f"{chosen}   ".split(" ")
        cards = [card]
    return Asked(
        ask=ask if ask in ASKS else "",
        player=number_in(form.get("other") or form.get("player", "")),
        cards=tuple(card[:8] for card in cards if card.strip()),
        onto=number_in(onto),
        plays=tuple(play[:300] for play in form.getlist("play")[:MOST_PLAYS]),
        melded_this_hand=_flag(form, "melded_hand"),
        melded_this_turn=_flag(form, "melded_turn"),
        top=form.get("top", "")[:8],
        under=form.get("under", "")[:8],
        joker_to=joker_to if joker_to in ENDS else "",
        drew="drew" in form,
        hand=number_in(form.get("hand", "")),
        lying=read_lying(form.get("lying")),
    )


def _flag(form: MultiDict[str, str], name: str) -> bool | None:
    """A switch of the form; None if it was left as the record had it, which ``was_…`` says."""
    was, now = form.get(f"was_{name}"), form.get(name)
    if was is not None:
        return None if (now == "1") == (was == "1") else now == "1"
    return {"0": False, "1": True}.get(now or "")


def asked_about(ask: str, player: int, plays: Sequence[str]) -> Asked:
    """A question about plays that are written down already, to be asked (again)."""
    asked = Asked(ask if ask in ASKS else "", player)
    if ask == DECLARE and plays:
        groups = parsed_plays(plays[1:])
        over = Counter(one.card.text for one in parse_play(plays[0]).plays)
        over -= Counter(one.card.text for group in groups for one in group.plays)
        return replace(asked, cards=tuple(over.elements()), plays=tuple(plays[1:]))
    if ask in OF_SEVERAL or len(plays) != 1:
        return replace(asked, plays=tuple(plays))
    play = parse_play(plays[0])
    return replace(
        asked,
        cards=tuple(offered.card.text for offered in play.plays),
        onto=play.onto if isinstance(play, LayOff | Swap) else None,
        joker_to=play.joker_to if isinstance(play, Swap) else "",
    )


def asked_again(given: RulingGiven) -> Asked:
    """The question of a ruling that was given, with what was said of the player then."""
    return replace(
        asked_about(given.ask, given.player, given.plays),
        melded_this_hand=given.melded_this_hand,
        melded_this_turn=given.melded_this_turn,
    )


def ask_url(game_id: str, asked: Asked) -> str:
    """The address of the form with this question entered."""
    values: dict[str, list[str]] = {}
    for name, value in replace(asked, lying=None).fields:
        values.setdefault(name, []).append(value)
    return url_for("rulings.form", game_id=game_id, **values)  # type: ignore[arg-type]
