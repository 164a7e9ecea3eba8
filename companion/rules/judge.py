"""The rules of one hand in force: what any game of the family judges alike.

A game's own file subclasses `Judge` and states what is peculiar to it in the hooks
``meld_breaches``, ``lay_off_breaches``, ``swap_breaches``, ``discard_breaches``, ``turn_breaches``
and ``consequence``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from companion.rules.cards import Card, Laid, Offered, Rank, all_differ, check_packs, format_cards
from companion.rules.errors import Ambiguous, Illegal, NotInThisGame
from companion.rules.melds import Meld, MeldLimits, extensions, readings, shape_breaches
from companion.rules.ruling import Breach, Consequence, Ruling, strongest
from companion.rules.scoring import HandEnd, Left, Mark
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Swap, Table

if TYPE_CHECKING:
    from companion.rules.game import Deal, Game
    from companion.rules.house import House


@dataclass(frozen=True, slots=True)
class Player:
    """What a ruling must know of the player whose turn it is.

    ``contract_met`` means in an earlier turn. ``fresh`` are the wild cards that the player has
    laid in this turn; ``begun`` says that something was played in it, ``turn_over`` that the
    discard was made.
    """

    melded_this_hand: bool = False
    melded_this_turn: bool = False
    contract_met: bool = False
    fresh: frozenset[Card] = frozenset()
    begun: bool = False
    turn_over: bool = False

    @property
    def has_melded(self) -> bool:
        """Whether a meld was laid in this hand, this turn included."""
        return self.melded_this_hand or self.melded_this_turn


# Of so many readings that break the same rules, it is said of each what it breaks.
_MOST_TOLD = 3

# One way in which a play can be read, and what it breaks.
Reading = tuple[Meld, Sequence[Breach]]


class Made(NamedTuple):
    """A play that was made, and the ruling that found it legal."""

    play: Play
    ruling: Ruling


class Judge(ABC):
    """One hand's rules. Made by `Game.rules`, shared, and never changed.

    ``limits`` say what a meld is; ``hand`` is the hand's number in the game, ``deck`` what it is
    played with.
    """

    limits: MeldLimits
    # Whether a card may be on the table only once, natural or stood for.
    one_of_each_card: bool = False
    # Questions whose answer is the same in every hand.
    asks_without_hand: frozenset[str] = frozenset()

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        self.game = game
        self.house = house
        self.deal = deal
        self.hand = deal.hand
        self.deck = deal.deck

    # -- what a game states -------------------------------------------------------------------

    @classmethod
    @abstractmethod
    def wild_rank_of(cls, hand: int) -> Rank | None:
        """The rank that a hand's number makes wild; None if it makes none."""

    @abstractmethod
    def value(self, card: Card) -> int:
        """What a card left at the end of the hand counts, in points."""

    def left(self, cards: Sequence[Card]) -> Left:
        """What these cards are worth to a player who is left with them."""
        return Left(
            sum(self.value(card) for card in cards),
            sum(self.limits.is_wild(card) for card in cards),
            tuple(cards),
        )

    @abstractmethod
    def meld_breaches(
        self, laid: Sequence[Laid], open_wilds: int, table: Table, player: Player
    ) -> Sequence[Breach]:
        """What laying these cards as a new meld breaks, whatever their shape."""

    @abstractmethod
    def lay_off_breaches(
        self, laid: Sequence[Laid], table: Table, player: Player
    ) -> Sequence[Breach]:
        """What laying off these cards breaks, whatever their shape."""

    @abstractmethod
    def swap_breaches(self, taken: Laid | None, play: Swap, player: Player) -> Sequence[Breach]:
        """What taking this wild card breaks; ``taken`` is None if the card replaces none."""

    @abstractmethod
    def discard_breaches(self, card: Card, table: Table) -> Sequence[Breach]:
        """What this discard breaks on this pile."""

    @abstractmethod
    def take_pile_breaches(self, player: Player) -> Sequence[Breach]:
        """What taking the pile breaks."""

    @abstractmethod
    def turn_over_breach(self) -> Breach:
        """The breach of playing on after the discard."""

    @abstractmethod
    def turn_breaches(self, made: Sequence[Made], left: int | None) -> Mapping[int, Breach]:
        """What a whole turn of legal plays breaks, by the index of the play that is at fault.

        ``left`` is how many cards the player then holds, or None if that is not known.
        """

    @abstractmethod
    def consequence(self, breach: Breach) -> Consequence:
        """What follows from a breach."""

    @abstractmethod
    def charge_points(self, rule: str) -> int:
        """The points of a charge. Raises `Malformed` if this table has no such charge."""

    def wild_left_points(self) -> int:
        """What a wild card left costs as a penalty, besides what it counts."""
        return 0

    @abstractmethod
    def charge_for(self, broken: Sequence[str]) -> str | None:
        """The rule number under which broken rules are charged; None if they cost no points."""

    @abstractmethod
    def mark(self, end: HandEnd) -> Mark:
        """One player's score for the hand. Raises `Malformed` for a charge this table has not."""

    @abstractmethod
    def score(self, ends: Sequence[HandEnd]) -> Mapping[str, Mark]:
        """Every player's points for the hand, by name."""

    # -- judging ------------------------------------------------------------------------------

    def rule_on(self, table: Table, play: Play, player: Player) -> Ruling:
        """Judge one play, and say how the game's other sheets would.

        Raises `Malformed` if the cards cannot all be there or the meld is not on the table.
        """
        self.check_cards(table, play)
        ruling = self._judge(table, play, player)
        others = self.game.elsewhere(self.house, self.deal)
        return ruling.with_elsewhere(
            {sheet: rules.allows(table, play, player) for sheet, rules in others}
        )

    def judge(self, table: Table, play: Play, player: Player) -> Ruling:
        """Judge one play by these rules alone. Raises `Malformed` as `rule_on` does."""
        self.check_cards(table, play)
        return self._judge(table, play, player)

    def allows(self, table: Table, play: Play, player: Player) -> bool:
        """Whether a play whose cards can be there is legal by these rules, without saying why."""
        if player.turn_over:
            return False
        match play:
            case MeldPlay():
                return any(not breaches for _, breaches in self._melds(table, play, player))
            case LayOff():
                return any(not breaches for _, breaches in self._lay_offs(table, play, player))
            case Swap():
                return not self.swap_breaches(self._taken(table, play), play, player)
            case Discard():
                return not self.discard_breaches(play.card, table)
            case _:  # TakePile
                return not self.take_pile_breaches(player)

    def refusal(self, breaches: Sequence[Breach], readings: Sequence[Meld] = ()) -> Ruling:
        """The ruling on a play that breaks these rules: what follows is the strongest of each."""
        return Ruling(
            tuple(breaches),
            tuple(readings),
            strongest([self.consequence(breach) for breach in breaches]),
        )

    def check_cards(self, table: Table, play: Play) -> None:
        """Raise `Malformed` if the packs cannot hold the table, the pile and the cards played."""
        played = [offered.card for offered in play.plays]
        if not all_differ((*table.cards, *played)):
            places = (
                ("the melds on the table", table.melded_cards),
                ("the pile", table.pile),
                ("the cards played", played),
            )
            check_packs(places, *self.deck, play.entry)
        self.limits.check_offered(play.plays, play.entry)

    def _judge(self, table: Table, play: Play, player: Player) -> Ruling:
        if player.turn_over:
            return self.refusal([self.turn_over_breach()])
        match play:
            case MeldPlay():
                return self._judge_meld(table, play, player)
            case LayOff():
                return self._judge_lay_off(table, play, player)
            case Swap():
                return self._judge_swap(table, play, player)
            case Discard():
                breaches = self.discard_breaches(play.card, table)
                return self._ruling(breaches, f"Legal: {play.card.shown} may be discarded.")
            case _:  # TakePile
                return self._ruling(self.take_pile_breaches(player), "Legal: the pile is taken.")

    def _judge_meld(self, table: Table, play: MeldPlay, player: Player) -> Ruling:
        found = list(self._melds(table, play, player))
        if found:
            return self._best(found)
        known, open_wilds = self.limits.sort(play.cards)
        return self.refusal(
            [
                *shape_breaches(play, known, len(play.cards), self.limits),
                *self.limits.too_few_naturals(known, len(open_wilds)),
                *self.meld_breaches(known, len(open_wilds), table, player),
            ]
        )

    def _melds(self, table: Table, play: MeldPlay, player: Player) -> Iterator[Reading]:
        for meld in readings(play.cards, self.limits):
            breaches = self.meld_breaches(meld.cards, 0, table, player)
            yield meld, [*self.limits.breaches(meld), *breaches]

    def _judge_lay_off(self, table: Table, play: LayOff, player: Player) -> Ruling:
        found = list(self._lay_offs(table, play, player))
        if found:
            return self._best(found)
        meld = table.meld(play.onto)
        known, _ = self.limits.sort(play.cards)
        words = f"{{}} cannot be added to the {meld.kind.value} {{}}."
        breach = Breach(self.limits.lay_off_rule, words, (play, meld))
        return self.refusal([breach, *self.lay_off_breaches(known, table, player)])

    def _lay_offs(self, table: Table, play: LayOff, player: Player) -> Iterator[Reading]:
        meld = table.meld(play.onto)
        for longer in extensions(meld, play.cards, self.limits):
            new = list((Counter(longer.cards) - Counter(meld.cards)).elements())
            breaches = self.lay_off_breaches(new, table, player)
            yield longer, [*self.limits.breaches(longer), *breaches]

    def _judge_swap(self, table: Table, play: Swap, player: Player) -> Ruling:
        taken = self._taken(table, play)
        breaches = self.swap_breaches(taken, play, player)
        if breaches or taken is None:
            return self.refusal(breaches)
        meld, card = table.meld(play.onto), play.card.card
        real = Laid(card, card, self.limits.is_wild(card))
        after = Meld(meld.kind, tuple(real if one is taken else one for one in meld.cards))
        return Ruling(
            readings=(after,),
            praise=f"Legal: {card.shown} takes the place of {taken.card.shown}.",
            took=taken.card,
            meld_after=after,
        )

    def _taken(self, table: Table, play: Swap) -> Laid | None:
        """The wild card that stands for the card that is put in its place, if that is real."""
        card, said = play.card
        there = table.meld(play.onto).cards
        if said is not None and said != card:
            return None
        return next((laid for laid in there if laid.wild and laid.stands_for == card), None)

    def _best(self, found: Sequence[Reading]) -> Ruling:
        """The ruling on a play by what each of its readings breaks."""
        legal = tuple([meld for meld, breaches in found if not breaches])
        if legal:
            return Ruling(readings=legal)
        _, best = min(found, key=self._severity) if len(found) > 1 else found[0]
        named = _rules(best)
        alike = [reading for reading in found if _rules(reading[1]) == named]
        if 1 < len(alike) <= _MOST_TOLD:
            best = list(dict.fromkeys(breach for _, broken in alike for breach in broken))
        return self.refusal(best, [meld for meld, _ in alike])

    def _severity(self, reading: Reading) -> tuple[int, Consequence]:
        """How bad a reading is: by the rules it breaks, and among equals by what it costs."""
        _, breaches = reading
        return len(_rules(breaches)), strongest([self.consequence(b) for b in breaches])

    def _ruling(self, breaches: Sequence[Breach], praise: str) -> Ruling:
        return self.refusal(breaches) if breaches else Ruling(praise=praise)

    # -- playing ------------------------------------------------------------------------------

    def push(self, table: Table, play: Play, player: Player) -> tuple[Table, Ruling]:
        """The table after a legal play, and its ruling.

        Raises `Illegal` for a play that a rule forbids and `Ambiguous` if a wild card's identity
        is still open.
        """
        ruling = self.judge(table, play, player)
        if not ruling.legal:
            raise Illegal(ruling.says)
        return self.after(table, play, ruling), ruling

    def after(self, table: Table, play: Play, ruling: Ruling) -> Table:
        """The table after a play that was ruled legal. Raises `Ambiguous` as `push` does."""
        match play:
            case MeldPlay():
                return table.with_meld(one_reading(play.cards, ruling.readings))
            case LayOff():
                return table.with_meld_at(play.onto, one_reading(play.cards, ruling.readings))
            case Swap():
                return table.with_meld_at(play.onto, ruling.readings[0])
            case Discard():
                return table.with_discard(play.card)
            case _:  # TakePile
                return table.with_pile()

    # -- what a game may not have ---------------------------------------------------------------

    def not_here(self, what: str) -> NoReturn:
        """Raise `NotInThisGame`, saying what the game does not have."""
        raise NotInThisGame(f"{self.game.name} has no {what}.")


def _rules(breaches: Sequence[Breach]) -> set[str]:
    return {breach.rule for breach in breaches}


def one_reading(cards: Sequence[Offered], found: Sequence[Meld], where: str = "cards") -> Meld:
    """The only reading. Raises `Ambiguous`, naming an open card and its readings, if several."""
    if len(found) == 1:
        return found[0]
    identities = [(offered.card, _identities(offered.card, found)) for offered in cards]
    card, choices = next((card, several) for card, several in identities if len(several) > 1)
    named = ", ".join(choice.shown for choice in choices)
    raise Ambiguous(
        f"{card.shown} could be {named}. Say which, like {card.text}={choices[0].text}.",
        card.text,
        tuple(choice.text for choice in choices),
        where,
    )


def _identities(card: Card, found: Sequence[Meld]) -> list[Card]:
    """What a card is there in these readings, each once."""
    laid = [one.stands_for for meld in found for one in meld.cards if one.card == card]
    return list(dict.fromkeys(laid))


def describe(play: Play) -> str:
    """A play in words, for the record."""
    match play:
        case MeldPlay():
            return f"Meld {_listed(play.cards)}"
        case LayOff():
            return f"Lay-off {_listed(play.cards)} on meld {play.onto + 1}"
        case Swap():
            return f"Swap {play.card.shown} into meld {play.onto + 1}"
        case Discard():
            return f"Discard {play.card.shown}"
        case _:  # TakePile
            return "Took the pile"


def _listed(cards: Sequence[Offered]) -> str:
    return ", ".join([offered.shown for offered in cards])


def position_text(table: Table) -> tuple[tuple[str, ...], str]:
    """A table as text: its melds, and its pile from the bottom up."""
    return tuple(meld.text for meld in table.melds), format_cards(table.pile)
