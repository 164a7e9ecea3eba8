"""A game as data: its sheets, house rules, hands, players, packs and charges.

A game's file defines one `Game`, and subclasses `companion.rules.judge.Judge` for what no other
game has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from companion.rules.cards import Rank
from companion.rules.errors import Malformed
from companion.rules.house_rules import House, HouseRule, Sheet
from companion.rules.language import gettext, listed, ngettext, noted
from companion.rules.seating import SeatDraw

if TYPE_CHECKING:
    from companion.rules.judge import Judge


@dataclass(frozen=True, slots=True)
class Charge:
    """A reason to charge a player points, by its rule number.

    With ``takes_back`` it takes the player's turn back. ``worked_out`` is true if it follows from
    how the hand ended and is counted when the hand is marked. ``applies`` returns whether a table
    charges for it; ``no_charge`` is the error where it does not. It costs ``points``, or the choice
    of the house rule ``points_rule``. With ``leaves`` the player leaves the game, which is possible
    from hand ``first_hand`` on.
    """

    rule: str
    title: str
    says: str
    takes_back: bool = False
    worked_out: bool = False
    applies: Callable[[House], bool] = lambda _: True
    no_charge: str = noted("This table does not charge for %(rule)s.")
    points: int = 0
    points_rule: str = ""
    leaves: bool = False
    first_hand: int = 1


class Deck(NamedTuple):
    """The deck of a hand: packs of 52 cards, and printed jokers in all."""

    packs: int
    jokers: int = 0


class DeckFor(NamedTuple):
    """The deck for ``fewest`` to ``most`` players, and a sentence about it if one is needed."""

    fewest: int
    most: int
    deck: Deck
    says: str = ""


def decks_up_to_eight(jokers_a_pack: int) -> tuple[DeckFor, ...]:
    """Return the decks of one pack for 2 players, two for 3 or 4, and three for 5 to 8."""
    by_players = ((2, 2), (3, 4), (5, 8))
    packs = enumerate(by_players, 1)
    return tuple(DeckFor(*players, Deck(n, n * jokers_a_pack)) for n, players in packs)


class Deal(NamedTuple):
    """What the rules of a hand depend on besides the house rules: its number, and its deck.

    ``wild_rank`` is the rank of the card turned before the deal, in games that do so.
    """

    hand: int
    deck: Deck
    wild_rank: Rank | None = None


class EndsBy(Enum):
    """How a hand ends: by cards left, by declaring, or by boxes.

    After a declaration the others keep their cards, which count when the game is won.
    """

    CARDS_LEFT = "cards left"
    DECLARING = "declaring"
    BOXES = "boxes"


class WonBy(NamedTuple):
    """What decides who wins: the lowest total, the ``highest``, or something else.

    ``says`` is a sentence about it, ``in_short`` a shorter one beside the totals. With ``totals``
    the game is over after its last hand. Otherwise it is over once somebody has won, after a
    number of hands that nobody knows beforehand.
    """

    says: str
    in_short: str
    highest: bool = False
    totals: bool = True

    @property
    def sign(self) -> int:
        """The factor for totals that makes the best one the smallest."""
        return -1 if self.highest else 1


LOWEST = WonBy(noted("The lowest total wins."), noted("Lowest wins."))
HIGHEST = WonBy(noted("The highest total wins."), noted("Highest wins."), highest=True)


class Bending(NamedTuple):
    """A game's words for going out with nothing laid before that turn, which doubles points.

    ``says`` is the sentence about the player ``name``; ``out`` is how that player went out.
    """

    says: str
    out: str


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """One game of the family, equal only to itself.

    ``decks_of`` returns a table's decks, from the fewest players to the most. ``cards_dealt`` has
    how many cards are dealt in each hand (the last number also holds for all later hands), and
    ``seat_draws`` how cards are drawn for the seats. Both are by sheet; a sheet that is not listed
    uses the first entry. ``deal_passes`` is ``right`` or ``left``; ``cuts`` is true if the player
    before the dealer cuts. ``charges`` are the reasons for points besides cards left. ``deal_rule``
    and ``end_rule`` are the rules on the deal and the end of a hand; ``turns_up`` is true if a card
    begins the pile. ``wild_word`` is the game's word for a wild card, ``wild_called`` what people
    call such a card. ``bends`` has the words for going out with nothing laid before, if the others'
    cards then count double; ``won_by`` says what decides who wins. ``hand_word`` is the game's word
    for a hand. With ``ends_undecided`` a hand can be marked though nobody went out.
    """

    id: str
    name: str
    says: str
    hands: int
    players: tuple[int, int]
    decks_of: Callable[[House], tuple[DeckFor, ...]]
    cards_dealt: Mapping[str, tuple[int, ...]]
    sheets: tuple[Sheet, ...]
    house_rules: tuple[HouseRule, ...]
    judge: type[Judge]
    deal_passes: str = "left"
    cuts: bool = False
    charges: tuple[Charge, ...] = ()
    deal_rule: str = ""
    end_rule: str = ""
    turns_up: bool = True
    wild_word: str = "wild card"
    wild_called: str = "wild"
    bends: Bending | None = None
    hand_word: str = "hand"
    ends_undecided: bool = True
    won_by: WonBy = LOWEST
    seat_draws: Mapping[str, SeatDraw] = field(default_factory=lambda: {"": SeatDraw()})
    ends_by: EndsBy = EndsBy.CARDS_LEFT

    def house(self, sheet: str | None = None, rules: Mapping[str, object] | None = None) -> House:
        """Return a sheet, by default the first, with this table's choices. Raises `Malformed`."""
        sheets = [known.id for known in self.sheets]
        sheet = sheets[0] if sheet is None else sheet
        if sheet not in sheets:
            says = noted("%(game)s has no sheet “%(sheet)s”; it has %(known)s.")
            known = ", ".join(sheets)
            raise Malformed(says, "sheet", game=self.name, sheet=sheet[:30], known=known)
        values = {rule.id: rule.default_on(sheet) for rule in self.house_rules}
        for rule_id, given in (rules or {}).items():
            if rule_id not in values:
                says = noted("%(game)s has no house rule “%(rule)s”.")
                raise Malformed(says, "rules", game=self.name, rule=str(rule_id)[:30])
            if given is not None:
                values[rule_id] = self.house_rule(rule_id).read(given)
        return House(sheet, tuple(values.items()))

    def house_rule(self, rule_id: str) -> HouseRule:
        """Return a house rule by its id. Raises ``KeyError`` for an unknown one."""
        return {rule.id: rule for rule in self.house_rules}[rule_id]

    def charge(self, rule: str) -> Charge:
        """Return a charge by its rule number. Raises `Malformed` for an unknown one."""
        charges = {charge.rule: charge for charge in self.charges}
        if rule in charges:
            return charges[rule]
        known = ", ".join(charges) or gettext("none")
        says = noted("%(game)s has no penalty “%(rule)s”; it has %(known)s.")
        raise Malformed(says, "penalties", game=self.name, rule=rule[:30], known=known)

    @property
    def hand_title(self) -> str:
        """The game's word for a hand, as a heading begins: ``Hand``."""
        return self.hand_word.capitalize()

    @property
    def has_table(self) -> bool:
        """True if cards are laid on a table, so that it can be recorded."""
        return "lay_off" in self.judge.asks

    @property
    def lays_on_table(self) -> bool:
        """True if cards are laid on the table before somebody goes out."""
        return self.has_table and not self.judge.arranges

    @property
    def lays_off_at_end(self) -> bool:
        """True if players lay off only once somebody is out, on that player's melds (PAY-9)."""
        return self.judge.arranges and self.has_table

    @property
    def has_rulings(self) -> bool:
        """True if plays of a hand can be ruled on."""
        return "discard" in self.judge.asks

    def check_hand(self, hand: object) -> int:
        """Return the hand's number, 1 … ``hands``. Raises `Malformed` for anything else."""
        if isinstance(hand, bool) or not isinstance(hand, int):
            says = noted("“hand” must be a whole number from 1 to %(hands)s.")
            raise Malformed(says, "hand", hands=self.hands)
        if not 1 <= hand <= self.hands:
            says = noted("%(game)s has hands 1 to %(hands)s, and no hand %(hand)s.")
            raise Malformed(says, "hand", game=self.name, hands=self.hands, hand=hand)
        return hand

    def seat_draw(self, sheet: str) -> SeatDraw:
        """Return how cards are drawn for the seats on a sheet."""
        return self.seat_draws.get(sheet) or next(iter(self.seat_draws.values()))

    def deck(self, house: House, players: int | None = None) -> Deck:
        """Return the deck for this many players, by default the largest. Raises `Malformed`."""
        if players is None:
            return self.decks_of(house)[-1].deck
        return self.deck_for(house, players).deck

    def deck_for(self, house: House, players: int) -> DeckFor:
        """Return the deck for this many players, with its sentence. Raises `Malformed`."""
        for deck_for in self.decks_of(house):
            if deck_for.fewest <= players <= deck_for.most:
                return deck_for
        fewest, most = self.players
        says = noted("%(game)s is played by %(fewest)s to %(most)s, not %(players)s.")
        raise Malformed(says, "players", game=self.name, fewest=fewest, most=most, players=players)

    def deck_of(self, house: House, packs: object) -> Deck:
        """Return the largest deck of ``packs`` packs. Raises `Malformed` if there is none."""
        known = self._by_packs(house)
        deck = known.get(packs) if isinstance(packs, int) and packs is not True else None
        if deck is None:
            says = ngettext(
                "%(game)s is played with %(packs)s pack.",
                "%(game)s is played with %(packs)s packs.",
                max(known),
                game=self.name,
                packs=listed(map(str, known), "or"),
            )
            raise Malformed(says, "packs")
        return deck

    def _by_packs(self, house: House) -> Mapping[int, Deck]:
        """Return the largest deck of each number of packs."""
        return {deck_for.deck.packs: deck_for.deck for deck_for in self.decks_of(house)}

    def rules(
        self, house: House, hand: int, deck: Deck | None = None, wild_rank: Rank | None = None
    ) -> Judge:
        """Return the rules of one hand, by default with the largest deck. Raises `Malformed`."""
        deal = Deal(self.check_hand(hand), deck or self.deck(house), wild_rank)
        return _rules(self, house, deal)

    @lru_cache(maxsize=512)  # noqa: B019 - a game lives as long as the program
    def elsewhere(self, house: House, deal: Deal) -> Sequence[tuple[str, Judge | None]]:
        """Return the hand's rules on each other sheet as written; None if it has no such deck."""
        judges: list[tuple[str, Judge | None]] = []
        for other in (self.house(sheet.id) for sheet in self.sheets if sheet.id != house.sheet):
            same = self.decks_of(other) == self.decks_of(house)
            deck = deal.deck if same else self._by_packs(other).get(deal.deck.packs)
            judges.append((other.sheet, deck and _rules(self, other, deal._replace(deck=deck))))
        return judges

    def dealt(self, hand: int, sheet: str = "") -> int:
        """Return how many cards a player is dealt in a hand."""
        dealt = self.cards_dealt.get(sheet) or next(iter(self.cards_dealt.values()))
        return dealt[min(hand, len(dealt)) - 1]

    def wild_rank(self, hand: int) -> Rank | None:
        """Return the rank that the hand's number makes wild; None if it makes none."""
        return self.judge.wild_rank_of(hand)


@lru_cache(maxsize=512)
def _rules(game: Game, house: House, deal: Deal) -> Judge:
    return game.judge(game, house, deal)
