"""The rules of one hand: its melds, what each play breaks, the consequences, the marks.

The defaults here fit nearly every game; a game's file states only what differs, in a subclass of
`companion.rules.judge.Judge`, which judges plays by these rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from companion.rules.cards import PACK, Card, Groups, Laid, Rank, check_packs
from companion.rules.errors import Malformed
from companion.rules.language import gettext, listed, ngettext, noted
from companion.rules.melds import Meld, MeldLimits
from companion.rules.ruling import Breach, Breaches, Consequence, Late, Made, Ruling, TakeBack
from companion.rules.scoring import Charged, HandEnd, Left, Mark, check_ends, held_by, in_order
from companion.rules.table import MeldPlay, Player, Swap, Table, TakePile

if TYPE_CHECKING:
    from companion.rules.game import Deal, Game
    from companion.rules.house_rules import House
    from companion.rules.question import Call


class Need(NamedTuple):
    """What players need to know for a hand: a title, ``Wild``, and its text, ``jokers``.

    The page of the hand before puts the title after the text, ``jokers wild``, as they are said;
    only that of a contract stands before it, ``contract 2 trios``.
    """

    what: str
    says: str


class MeldBox(NamedTuple):
    """A box of the score sheet, filled once by each player with a meld of this many cards.

    ``asks`` is what a player may have to say with the meld: ``suit``, ``split`` or nothing. With
    ``minus`` the points count below zero, though people say them without a sign.
    """

    title: str
    cards: int
    asks: str = ""
    minus: bool = False


def too_many(cards: int, most: int) -> str:
    """Return the sentence for more cards played than the player can have held."""
    return ngettext(
        "%(number)s card is played, and the player can hold %(most)s at most.",
        "%(number)s cards are played, and the player can hold %(most)s at most.",
        cards,
        most=most,
    )


COURT_TEN: Final = dict.fromkeys((Rank.JACK, Rank.QUEEN, Rank.KING), 10)
"""Points of cards left where king, queen and jack count ten each."""

_PLAYS = frozenset({"meld", "lay_off", "swap", "discard", "turn", "contract", "declare"})
_MELDING = frozenset({"meld", "lay_off", "discard", "turn", "arrange", "score"})
# What is said of a kind of play that a game does not have.
_HAS_NONE = {
    "lay_off": noted("%(game)s has no lay-offs."),
    "swap": noted("%(game)s has no swaps."),
    "discard": noted("%(game)s has no discards."),
    "take_pile": noted("In %(game)s nobody takes the whole pile."),
}


class HandRules:
    """The rules of one hand: attributes that a game sets, and methods that it overrides.

    ``limits`` define a meld; ``hand`` is the number of the hand, ``deck`` its deck, and ``dealt``
    how many cards each player is dealt.
    """

    limits: MeldLimits
    # The points of a card left, by its rank. A rank that is not listed counts its number.
    counts: Mapping[Rank, int] = {}
    # The number of the rule that defines a turn.
    turn_rule: str
    # The questions that the game answers.
    asks: frozenset[str] = _MELDING
    # What a swap breaks, in a game with ``swap``, given the wild card swapped out, if any.
    swap_breaches: Callable[[Laid | None, Meld, Swap, Player], Breaches]
    # Questions whose answer is the same in every hand.
    asks_without_hand: frozenset[str] = frozenset()
    # Questions that depend on the rank of the card turned before the deal.
    asks_with_wild_rank: frozenset[str] = frozenset()
    # How many clean runs, and runs in all, a player needs before other melds count.
    clean_runs: int = 0
    all_runs: int = 0
    # True if a card may be on the table only once, natural or stood for.
    one_of_each_card: bool = False
    # True if the player gets the wild card that is swapped out, False if it stays on the table.
    swap_gives_wild: bool = True
    # True if a wild card that was swapped out must be in a new meld of the same turn.
    must_meld_swapped: bool = False
    # True if pages offer swaps out of sets too, False if only out of runs. `swap_breaches` decides
    # whether a swap is legal.
    swaps_in_sets: bool = True
    # True if a meld may not lie beside another one that the same player laid in an earlier turn.
    own_melds_clash: bool = False
    # True if a house rule can forbid swapping out a wild card that the player laid in this turn.
    fresh_wilds_can_stay: bool = False
    # The rule against discarding the card just taken from the pile; empty if there is none.
    drawn_rule: str = ""
    # The rule that allows `CALL`, `DRAW` (from inside the pile) or `MAY_I`, of question.py. All of
    # them can give a player more than the cards dealt and one drawn.
    allowed_by: Mapping[str, str] = {}
    # How a game rules on a player's call, and on drawing from the pile with melds.
    rule_on_call: Callable[[Call, Player], Ruling]
    rule_on_draw: Callable[[Table, Groups, Player], Ruling]
    # The ends of a run to which a player may move a wild card that was swapped out.
    joker_ends: Sequence[str] = ()
    # True if a player may take the whole pile.
    takes_pile: bool = False
    # True if an empty hand means the player went out.
    nothing_left_is_out: bool = True
    # The boxes of the score sheet, in a game where every player shows a meld for one each hand.
    boxes: Sequence[MeldBox] = ()
    # True if melds stay in hand until the hand ends: all cards are shown and arranged then.
    arranges: bool = False
    # True if cards in melds count as left too.
    counts_all: bool = False
    # What players draw penalty cards for, as in “Did Ana draw penalty cards for …?”; if empty,
    # nobody is asked, and cards left are refused that only penalty cards would explain.
    penalty_cards: str = ""
    # The penalty for having wild cards left, besides the points that they count, and whether it is
    # for each of them.
    wild_left_points: int = 0
    wild_left_each: bool = False
    # How many calls for the discard are free in a hand, and the rule that charges further ones.
    calls_allowed: int = 0
    calls_rule: str = ""
    # The most points that cards left can cost; None if there is no cap.
    most_points_left: int | None = None
    # The rule number under which a ruling that costs points is charged.
    charged_as: str = ""
    # True if everyone is dealt new cards for the hand.
    is_dealt: bool = True
    # Questions whose plays are not put on the recorded table, even if they are legal.
    asks_off_table: frozenset[str] = frozenset()

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        self.game = game
        self.house = house
        self.deal = deal
        self.hand = deal.hand
        self.deck = deal.deck
        self.dealt = game.dealt(deal.hand, house.sheet)

    @classmethod
    def wild_rank_of(cls, hand: int) -> Rank | None:
        """Return the rank that the hand's number makes wild; None if it makes none."""
        return None

    @classmethod
    def winner(cls, declared: Sequence[int], playing: Collection[int]) -> int | None:
        """Return who has won before the last hand; None while the game goes on.

        ``declared`` are the seats that declared correctly, in order; ``playing`` have not left.
        """
        return None

    @property
    def disputes(self) -> frozenset[str]:
        """The questions that a rule of this hand can decide."""
        decides = self.drawn_rule or type(self).discard_breaches is not HandRules.discard_breaches
        asks = self.asks & (_PLAYS if decides else _PLAYS - {"discard"})
        return asks | self.allowed_by.keys()

    @property
    def refill(self) -> str:
        """How players fill up their cards for this hand, if they are not dealt new ones."""
        return ""

    @property
    def label(self) -> str:
        """What differs in this hand from the game's other hands: its wild rank, or nothing."""
        wild = self.wild_rank_of(self.hand)
        return wild.shown if wild else ""

    def needs(self) -> Sequence[Need]:
        """Return what players need to know for this hand besides its deal."""
        wild = [gettext("%(rank)ss", rank=rank.word) for rank in sorted(self.limits.wild_ranks)]
        return [Need(gettext("Wild"), listed(wild))] if wild else []

    @property
    def contract_cards(self) -> int:
        """The fewest cards of the contract that each player lays first; 0 if there is none."""
        return 0

    # -- cards held -----------------------------------------------------------------------------

    @property
    def most_in_turn(self) -> int:
        """The most cards that a player can hold after the draw."""
        if self.takes_pile or self.allowed_by:  # the pile, calls or penalty cards may give any
            return len(PACK) * self.deck.packs + self.deck.jokers
        return self.dealt + 1

    def most_played(self, holds: int | None, where: str = "player") -> int:
        """Return the most cards a player can play. Raises `Malformed` if ``holds`` is too many."""
        most = self.most_in_turn
        if holds is not None and holds > most:
            says = noted("%(cards)s cards are more than a player can hold: %(most)s at most.")
            raise Malformed(says, where, cards=holds, most=most)
        return most if holds is None else holds

    def check_fits(self, cards: int, holds: int | None, where: str) -> None:
        """Raise `Malformed` if the player plays more cards at once than they can hold."""
        most = self.most_played(holds)
        if cards > most:
            raise Malformed(too_many(cards, most), where)

    def check_held(self, cards: Sequence[Card]) -> None:
        """Raise `Malformed` if the packs do not have these cards."""
        check_packs([(noted("in the cards"), cards)], *self.deck)

    # -- cards left -----------------------------------------------------------------------------

    def most_held(self, charged: Sequence[str], upcards: int, penalty_cards: bool) -> int | None:
        """Return the most cards a player can hold before drawing; None if only packs bound it.

        Calls, upcards and penalty cards add to the cards dealt. ``charged`` has the rule number of
        each of the player's charges, ``penalty_cards`` is true if the player drew any.
        """
        return self.dealt

    def value(self, card: Card) -> int:
        """Return the points of a card left at the end of the hand."""
        return self.counts.get(card.rank, int(card.rank))

    def capped(self, points: int) -> int:
        """Return points of cards left, or the most that they can cost."""
        return points if self.most_points_left is None else min(points, self.most_points_left)

    def left(self, cards: Sequence[Card]) -> Left:
        """Return what these cards cost a player who is left with them."""
        return self.unmelded(cards)

    def unmelded(self, cards: Sequence[Card]) -> Left:
        """Return what these cards cost once all others are arranged in melds."""
        points = self.capped(sum(self.value(card) for card in cards))
        return Left(points, sum(self.limits.is_wild(card) for card in cards), tuple(cards))

    def score(self, ends: Sequence[HandEnd]) -> Mapping[str, Mark]:
        """Return every player's points for the hand, by name.

        Raises `Malformed` for impossible cards, charges or ends of a hand.
        """
        check_ends(ends, nothing_left_is_out=self.nothing_left_is_out)
        places = [(held_by(end.name), end.left.cards or ()) for end in ends]
        check_packs(places, *self.deck, "left")
        return self.marks(ends)

    def marks(self, ends: Sequence[HandEnd]) -> Mapping[str, Mark]:
        """Return the points of some or all players, unchecked."""
        return {end.name: self.mark(end) for end in ends}

    def mark(self, end: HandEnd) -> Mark:
        """Return one player's score for the hand. Raises `Malformed` for an unknown charge."""
        charged = [Charged(rule, self.charge_points(rule)) for rule in end.penalties]
        return Mark(end.left.points, in_order(charged))

    def check_boxes(self, ends: Sequence[HandEnd]) -> None:
        """Raise `Malformed`, ``where`` the player's name, for scores that no box can have."""

    def afterwards(self, ends: Sequence[HandEnd]) -> Sequence[Need]:
        """Return what players need to know after this hand, before the next is dealt."""
        return ()

    # -- what a play breaks -----------------------------------------------------------------------

    def meld_breaches(
        self, laid: Sequence[Laid], open_wilds: int, table: Table, player: Player
    ) -> Breaches:
        """Return what laying these cards as a new meld breaks, whatever their shape."""
        return ()

    def new_meld_breaches(self, meld: Meld, player: Player) -> Breaches:
        """Return what a new meld of the right shape breaks."""
        return ()

    def lay_off_breaches(self, laid: Sequence[Laid], table: Table, player: Player) -> Breaches:
        """Return what laying off these cards breaks, whatever their shape."""
        return ()

    def longer_breaches(self, meld: Meld, longer: Meld) -> Breaches:
        """Return what a lay-off breaks by turning ``meld`` into ``longer``."""
        return ()

    def swapped(self, meld: Meld, taken: Laid, play: Swap) -> Sequence[Meld]:
        """Return what the meld can be once the real card replaces the wild one."""
        card = play.card.card
        real = Laid(card, card, self.limits.is_wild(card))
        return [Meld(meld.kind, tuple(real if laid is taken else laid for laid in meld.cards))]

    def discard_breaches(self, card: Card, table: Table) -> Breaches:
        """Return what discarding this card on this table breaks."""
        return ()

    def take_pile_breaches(self, player: Player) -> Breaches:
        """Return what taking the pile breaks, in a game with ``takes_pile``."""
        return ()

    def has_melded(self, made: Sequence[Made]) -> bool:
        """True if a player who made these plays has melded in the turn."""
        return any(isinstance(one.play, MeldPlay) for one in made)

    def turn_breaches(self, made: Sequence[Made], left: int | None, player: Player) -> Late:
        """Return what a turn of legal plays breaks as a whole.

        ``left`` is how many cards are then held, if known; ``player`` is as the turn began.
        """
        return {}

    # -- what follows -----------------------------------------------------------------------------

    def consequence(self, breach: Breach) -> Consequence:
        """Return the consequence of a breach: by default the play is taken back."""
        return Consequence(0, TakeBack.PLAY)

    def charge_points(self, rule: str) -> int:
        """Return the points of a charge. Raises `Malformed` if this table has no such charge."""
        charge = self.game.charge(rule)
        if not charge.applies(self.house):
            raise Malformed(charge.no_charge, "penalties", rule=rule)
        return self.house.number(charge.points_rule) if charge.points_rule else charge.points

    def charge_for(self, ruling: Ruling) -> str | None:
        """Return the rule number to charge for this ruling; None if it costs no points."""
        return self.charged_as if ruling.consequence.points else None

    def check_has(self, kind: str) -> None:
        """Raise `Malformed` if the game has no plays of this kind."""
        has = self.takes_pile if kind == TakePile.kind else kind in self.asks
        if not has and kind in _HAS_NONE:
            raise Malformed(_HAS_NONE[kind], "ask", game=self.game.name)
