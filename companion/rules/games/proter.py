"""Proter: 13 hands, a new wild rank in each, one pack, 2 to 7 players (PRO-1 … PRO-16)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import permutations, product

from companion.rules.cards import CARD_OF, SUITS, Card, Laid, Rank
from companion.rules.errors import Malformed
from companion.rules.game import Deal, Deck, DeckFor, Game, SeatDraw
from companion.rules.games.proter_sheets import CHARGES, HOUSE_RULES, SHEETS
from companion.rules.hand_rules import Need
from companion.rules.house_rules import House
from companion.rules.judge import Judge
from companion.rules.melds import AceInRuns, Meld, MeldLimits
from companion.rules.ruling import Breach, Consequence, Made, Ruling, TakeBack
from companion.rules.scoring import Charged, HandEnd, Mark, in_order
from companion.rules.table import Discard, MeldPlay, Player, Swap, Table

# The charge for each broken rule; PRO-13.6 for all others.
_CHARGE_FOR = {"PRO-9": "PRO-13.1", "PRO-11": "PRO-13.2", "PRO-12": "PRO-13.2"}
# Breaches that no penalty names: the play is taken back without points.
_NO_CHARGE = frozenset({"PRO-3", "PRO-14"})
PROTERS_LEFT, NO_MELD = "PRO-13.4", "PRO-13.5"


class ProterJudge(Judge):
    """The rules of one hand of Proter."""

    turn_rule = "PRO-3"
    takes_pile = True
    may_hold_more = True
    one_of_each_card = True
    asks_without_hand = frozenset({"discard"})

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        super().__init__(game, house, deal)
        self.wild_rank = Rank(deal.hand)
        self.ace_in_runs = AceInRuns(house["ace_in_runs"])
        self.limits = MeldLimits(
            set_rule="PRO-4",
            run_rule="PRO-5",
            wild_rule="PRO-6",
            lay_off_rule="PRO-8",
            swap_rule="PRO-10",
            wild_ranks=frozenset({self.wild_rank}),
            ace_in_runs=self.ace_in_runs,
            wild_in_own_place=house["proter_in_own_place"] == "wild",
            min_naturals=house.number("min_naturals"),
        )
        if house["proter_left_value"] == "zero":  # PRO-15
            self.counts = {self.wild_rank: 0}
        # House rules that every play depends on are looked up once.
        self.penalty = house.number("penalty_points")
        self.natural_first = house["natural_first_meld"]
        self.lay_off_needs_meld = house.yes("lay_off_needs_meld")
        self.must_meld_swapped = house["swapped_proter"] == "meld_this_turn"
        self.out_by_discard = house["going_out_discard"] == "required"
        self.discard_run = house["discard_run"]
        self.runs_of_three = _runs_of_three(
            self.ace_in_runs, house["discard_run_order"] == "in_order"
        )
        self.wrong_meld = (
            Consequence(self.penalty, TakeBack.TURN, turn_passes=True)
            if house["wrong_meld"] == "penalty"
            else Consequence(0, TakeBack.PLAY)
        )

    @classmethod
    def wild_rank_of(cls, hand: int) -> Rank | None:
        """Return the Proter of hand n: the rank n (PRO-1)."""
        return Rank(hand)

    def needs(self) -> Sequence[Need]:
        """Return nothing: pages show the Proter by itself."""
        return []

    # -- PRO-7 and PRO-9: what may come to the table ---------------------------------------------

    def meld_breaches(
        self, laid: Sequence[Laid], open_wilds: int, table: Table, player: Player
    ) -> Sequence[Breach]:
        """Forbid Proters in the first meld (PRO-7) and a card on the table twice (PRO-9)."""
        breaches = _twice_on_table(laid, table)
        first = self._first_meld(player)
        if first is not None:
            wilds = self.limits.wilds(laid)
            if wilds or (open_wilds and self.limits.wild_in_own_place):
                breaches.append(first)
        return breaches

    def _first_meld(self, player: Player) -> Breach | None:
        """Return the breach of a Proter in the player's next meld, if that may have none."""
        if self.natural_first == "each_turn":
            return None if player.melded_this_turn else _FIRST_OF_TURN
        if self.natural_first == "each_hand":
            return None if player.has_melded else _FIRST_OF_HAND
        return None

    def lay_off_breaches(
        self, laid: Sequence[Laid], table: Table, player: Player
    ) -> Sequence[Breach]:
        """Forbid a card on the table twice (PRO-9); by house rule ask for a meld first (PRO-7)."""
        return [*_twice_on_table(laid, table), *self._needs_meld(player)]

    def _needs_meld(self, player: Player) -> Sequence[Breach]:
        return [_NEEDS_MELD] if self.lay_off_needs_meld and not player.has_melded else []

    # -- PRO-10: swaps ---------------------------------------------------------------------------

    def swap_breaches(
        self, taken: Laid | None, table: Table, play: Swap, player: Player
    ) -> Sequence[Breach]:
        """Allow only the real card for a Proter standing for it; see the house rules (PRO-10)."""
        breaches = list(self._needs_meld(player))
        card, said = play.card
        if taken is None:
            if said is not None and said != card:
                breaches.append(Breach.of("PRO-10", "not_the_real_card", card=card, wanted=said))
            else:
                breaches.append(Breach.of("PRO-10", "no_proter_for", card=card))
        elif taken.card in player.fresh and not self.house.yes("swap_own_fresh_proter"):
            breaches.append(Breach.of("PRO-10", "fresh_proter_stays", card=taken.card))
        return breaches

    # -- PRO-3, PRO-11, PRO-12, PRO-14: the pile and the end of a turn ----------------------------

    def discard_breaches(self, card: Card, table: Table) -> Sequence[Breach]:
        """Forbid the rank of the top card (PRO-11) and a run with the pile (PRO-12)."""
        if not table.pile:
            return []
        top = table.pile[-1]
        if card.rank == top.rank:
            return [Breach.of("PRO-11", "discard_same_rank", card=card, top=top)]
        if self.discard_run == "two_adjacent" and _near(top, card, self.ace_in_runs):
            return [Breach.of("PRO-12", "discard_near", card=card, top=top)]
        if self.discard_run == "three_in_suit" and (*table.pile[-2:], card) in self.runs_of_three:
            below = table.pile[-2]
            return [Breach.of("PRO-12", "discard_run", card=card, below=below, top=top)]
        return []

    def take_pile_breaches(self, player: Player) -> Sequence[Breach]:
        """Allow taking the pile only before any other play (PRO-3)."""
        return [_PILE_FIRST] if player.melded_this_turn or player.begun else []

    def turn_breaches(
        self, made: Sequence[Made], left: int | None, player: Player
    ) -> Mapping[int, Sequence[Breach]]:
        """Return swapped Proters not melded (PRO-10), and going out without a discard (PRO-14)."""
        late: dict[int, Sequence[Breach]] = {}
        if self.must_meld_swapped:
            late |= _unmelded_swaps(made)
        if self.out_by_discard and left == 0 and made and not isinstance(made[-1].play, Discard):
            late[len(made) - 1] = [Breach("PRO-14", "last_card_discarded")]
        return late

    # -- PRO-13: what follows --------------------------------------------------------------------

    def consequence(self, breach: Breach) -> Consequence:
        """Return the points of a breach, and what is taken back (PRO-13.1, 13.2 and 13.6)."""
        if breach.rule in _NO_CHARGE:
            return Consequence(0, TakeBack.PLAY)
        if breach.rule in _CHARGE_FOR:
            return Consequence(self.penalty, TakeBack.TURN, turn_passes=True)
        return self.wrong_meld

    def wild_left_points(self) -> int:
        """Return the penalty for a Proter in hand at the end (PRO-13.4)."""
        return self.penalty

    def charge_for(self, ruling: Ruling) -> str | None:
        """Return the rule number to charge for these broken rules; None if they cost no points."""
        for rule in ruling.broken:
            if rule in _CHARGE_FOR:
                return _CHARGE_FOR[rule]
        wrong = any(rule not in _NO_CHARGE for rule in ruling.broken)
        if self.house["wrong_meld"] == "penalty" and wrong:
            return "PRO-13.6"
        return None

    def most_held(
        self, charged: Sequence[str] = (), upcards: int = 0, *, penalty_cards: bool = False
    ) -> int | None:
        """Return None: a player who takes the whole pile can hold any number of cards (PRO-3)."""
        return None

    # -- PRO-15: marks ---------------------------------------------------------------------------

    def mark(self, end: HandEnd) -> Mark:
        """Return one player's mark. Raises `Malformed` for a charge this sheet does not have.

        Proters left and no meld are charged once, whether listed or not.
        """
        times = Counter(end.penalties)
        if end.left.wilds or times[PROTERS_LEFT]:
            each = self.house["proters_left"] == "each"
            times[PROTERS_LEFT] = max(end.left.wilds, times[PROTERS_LEFT]) if each else 1
        excused = end.melded or (end.out and not self.house.yes("winner_pays_no_meld"))
        if times[NO_MELD] or not excused:
            times[NO_MELD] = 1
        charged = [Charged(rule, self.charge_points(rule)) for rule in times.elements()]
        return Mark(end.left.points, in_order(charged))

    def charge_points(self, rule: str) -> int:
        """Return the points of a charge. Raises `Malformed` for an unknown one (PRO-13)."""
        if not self.game.charge(rule).applies(self.house):
            raise Malformed(
                "This table takes a wrong meld back without points; %(rule)s does not apply.",
                "penalties",
                rule=rule,
            )
        return self.penalty


_FIRST_OF_TURN = Breach("PRO-7", "first_of_turn")
_FIRST_OF_HAND = Breach("PRO-7", "first_of_hand")
_NEEDS_MELD = Breach("PRO-7", "needs_meld")
_PILE_FIRST = Breach("PRO-3", "pile_first")


def _near(one: Card, other: Card, aces: AceInRuns) -> bool:
    """True if two cards of one suit are within two ranks of each other (PRO-12)."""
    places = product(aces.places(one.rank), aces.places(other.rank))
    return one.suit == other.suit and any(abs(a - b) <= 2 for a, b in places)


@lru_cache
def _runs_of_three(aces: AceInRuns, in_order: bool) -> frozenset[tuple[Card, ...]]:
    """Return every run of three as it can lie on the pile, bottom first (PRO-12)."""
    runs = [
        tuple(CARD_OF[rank, suit] for rank in ranks) for suit in SUITS for ranks in aces.runs(3)
    ]
    if in_order:
        return frozenset(runs) | {run[::-1] for run in runs}
    return frozenset(lies for run in runs for lies in permutations(run))


def _twice_on_table(laid: Sequence[Laid], table: Table) -> list[Breach]:
    there = table.there
    breaches = [_already(one, *there[one.stands_for]) for one in laid if one.stands_for in there]
    here = {one.stands_for: one for one in laid}
    if len(here) < len(laid):
        breaches += [
            Breach.of("PRO-9", "twice_in_meld", card=one.stands_for)
            for one in laid
            if here[one.stands_for] is not one
        ]
    return breaches


def _already(one: Laid, there: Laid, meld: Meld) -> Breach:
    card = there.stands_for
    if there.card == card:
        return Breach.of("PRO-9", "on_table", card=card, meld=meld, played=one.card)
    wild = there.card
    if one.card == card:
        return Breach.of("PRO-9", "on_table_as_wild", card=card, wild=wild, meld=meld)
    return Breach.of(
        "PRO-9", "on_table_as_wild_again", card=card, wild=wild, meld=meld, played=one.card
    )


def _unmelded_swaps(made: Sequence[Made]) -> Mapping[int, Sequence[Breach]]:
    breaches = {}
    for number, (_, ruling, _) in enumerate(made):
        if ruling.took is None:
            continue
        later = (m.play for m in made[number + 1 :] if isinstance(m.play, MeldPlay))
        if not any(ruling.took == offered.card for play in later for offered in play.cards):
            breaches[number] = [Breach.of("PRO-10", "proter_not_melded", card=ruling.took)]
    return breaches


PROTER = Game(
    id="proter",
    name="Proter",
    says="The Sri Lankan rummy of 13 hands, with a new wild rank in each.",
    hands=13,
    players=(2, 7),
    decks={"": (DeckFor(2, 7, Deck(1)),)},
    cards_dealt={"": (6,)},
    deal_passes="right",
    sheets=SHEETS,
    house_rules=HOUSE_RULES,
    charges=CHARGES,
    judge=ProterJudge,
    deal_rule="PRO-2",
    end_rule="PRO-14",
    seat_draws={"": SeatDraw("PRO-2")},
    turns_up=False,
    wild_word="Proter",
    wild_called="the Proter",
)
