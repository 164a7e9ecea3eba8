"""Proter: 13 hands, a new wild rank in each, one pack, 2 to 7 players (PRO-1 … PRO-16)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import permutations

from companion.rules.cards import CARD_OF, SUITS, Card, Laid, Rank
from companion.rules.game import Charge, Deal, Deck, DeckFor, Game
from companion.rules.hand_rules import Need
from companion.rules.house_rules import Choice, House, HouseRule, Sheet, Value
from companion.rules.judge import Judge
from companion.rules.melds import STRETCHES, AceInRuns, Meld, MeldLimits, MeldRules
from companion.rules.ruling import Breach, Breaches, Consequence, Late, Made, Ruling, TakeBack
from companion.rules.scoring import HandEnd, Mark
from companion.rules.seating import SeatDraw
from companion.rules.table import Discard, MeldPlay, Player, Swap, Table

# The charge for a broken rule; empty if it costs nothing. Any other is a wrong meld (PRO-13.6).
_CHARGE_FOR = {"PRO-9": "PRO-13.1", "PRO-11": "PRO-13.2", "PRO-12": "PRO-13.2"}
_CHARGE_FOR |= {"PRO-3": "", "PRO-14": ""}
PROTERS_LEFT, NO_MELD = "PRO-13.4", "PRO-13.5"

CATS, ONLINE = "catsatcards", "playginrummyonline"

SHEETS = (
    Sheet(CATS, "CatsAtCards", "The sheet of CatsAtCards.com, 2015."),
    Sheet(ONLINE, "Play Gin Rummy Online", "The sheet of playginrummyonline.com."),
)

HOUSE_RULES = (
    HouseRule("ace_in_runs", "PRO-5", "The ace in runs", {ONLINE: "both"}).with_choices(
        high="Above the king only: Q K A is a run, A 2 3 is not.",
        low="Below the 2 only: A 2 3 is a run, Q K A is not.",
        both="Above the king or below the 2, but never K A 2.",
    ),
    HouseRule("proter_in_own_place", "PRO-6", "A Proter in its own place").with_choices(
        wild="It is a Proter even where it stands for itself.",
        natural="Where it stands for itself, it is an ordinary card.",
    ),
    HouseRule("min_naturals", "PRO-6", "Natural cards in a meld").with_choices(
        Choice(0, "A meld may be all Proters."),
        Choice(1, "Every meld has at least one natural card."),
        Choice(2, "Every meld has at least two natural cards."),
    ),
    HouseRule(
        "natural_first_meld", "PRO-7", "First meld without Proters", {ONLINE: "each_hand"}
    ).with_choices(
        each_turn="In every turn, the first meld that is laid has no Proter.",
        each_hand="Only a player's first meld of the hand has no Proter.",
        off="Proters may be used from the first meld on.",
    ),
    HouseRule("lay_off_needs_meld", "PRO-7", "A meld before lay-offs").with_choices(
        no="Lay-offs and swaps need no meld before them.",
        yes="Only a player who has melded in this hand may lay off or swap.",
    ),
    HouseRule(
        "swapped_proter", "PRO-10", "A Proter that was swapped out", {ONLINE: "meld_this_turn"}
    ).with_choices(
        keep="It may be kept in hand for later.",
        meld_this_turn="It must go into a new meld in the same turn.",
    ),
    HouseRule(
        "swap_own_fresh_proter", "PRO-10", "Swapping out a Proter laid this turn", {ONLINE: "no"}
    ).with_choices(
        yes="A player may swap out a Proter laid in the same turn.",
        no="A player may not swap out a Proter that they laid in the same turn.",
    ),
    HouseRule(
        "discard_run", "PRO-12", "Discards near the top card", {ONLINE: "two_adjacent"}
    ).with_choices(
        three_in_suit="No discard that makes a run of three with the top two cards.",
        two_adjacent="No discard of the top card's suit within two ranks of it.",
        off="Only the rank of the top card matters.",
    ),
    HouseRule("discard_run_order", "PRO-12", "The order of such a run of three").with_choices(
        any="In any order: 7, 5, then 6 is a run.",
        in_order="Only as they lie: 5, 6, 7 or 7, 6, 5.",
    ),
    HouseRule("penalty_points", "PRO-13", "Points for a penalty", numbers=range(501)).with_choices(
        Choice(20, "20 points for every penalty."),
    ),
    HouseRule("proters_left", "PRO-13.4", "Proters in hand at the end").with_choices(
        flat="One penalty, however many they are.",
        each="One penalty for each of them.",
    ),
    HouseRule("lay_off_counts_as_meld", "PRO-13.5", "Lay-off instead of a meld").with_choices(
        no="A player who only laid off has laid no meld, and is charged for it.",
        yes="A lay-off is enough to escape the penalty for no meld.",
    ),
    HouseRule("winner_pays_no_meld", "PRO-13.5", "Out without a meld").with_choices(
        yes="A player who goes out without a new meld is charged too.",
        no="A player who goes out is not charged for having no meld.",
    ),
    HouseRule(
        "wrong_meld", "PRO-13.6", "A wrong meld, lay-off or swap", {ONLINE: "penalty"}
    ).with_choices(
        take_back="It is taken back, without points.",
        penalty="It costs a penalty, and the whole turn is taken back.",
    ),
    HouseRule("claim_until", "PRO-13", "When a claim is made").with_choices(
        next_draw="Claims are made when the turn is over, before the next player draws.",
    ),
    HouseRule("going_out_discard", "PRO-14", "The last card").with_choices(
        optional="A hand may end with a meld or lay-off, without a discard.",
        required="The last card must be discarded.",
    ),
    HouseRule("proter_left_value", "PRO-15", "Points for a Proter left").with_choices(
        face="Its face value, like any card.",
        zero="Nothing, beside its penalty.",
    ),
    HouseRule("ties", "PRO-16", "Equal totals").with_choices(
        shared="They share the place.",
        fewest_penalties="The one with fewer penalties is ahead.",
    ),
)

# Every penalty costs the points that the table chose.
_penalty = partial(Charge, points_rule="penalty_points")

CHARGES = (
    _penalty(
        "PRO-13.1",
        "Card already on the table",
        "A card was played that is already on the table, natural or stood for.",
        takes_back=True,
    ),
    _penalty(
        "PRO-13.2",
        "Wrong discard",
        "A discard of the top card's rank, or one that PRO-12 forbids at this table.",
        takes_back=True,
    ),
    _penalty(
        "PRO-13.3",
        "Touched stock or pile",
        "The stock or the pile was touched in another player's turn.",
    ),
    _penalty(
        PROTERS_LEFT,
        "Proter in hand",
        "One or more Proters were in hand at the end of the hand.",
        worked_out=True,
    ),
    _penalty(
        NO_MELD,
        "No meld",
        "No new meld was laid in the hand.",
        worked_out=True,
    ),
    _penalty(
        "PRO-13.6",
        "Wrong meld or swap",
        "A meld, lay-off or swap was wrong in any other way.",
        takes_back=True,
        applies=lambda house: house["wrong_meld"] == "penalty",
        no_charge="This table takes a wrong meld back without points; %(rule)s does not apply.",
    ),
)


class ProterJudge(Judge):
    """The rules of one hand of Proter."""

    turn_rule = "PRO-3"
    asks = Judge.asks | {"swap"}
    fresh_wilds_can_stay = True
    takes_pile = True
    one_of_each_card = True
    asks_without_hand = frozenset({"discard"})

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        super().__init__(game, house, deal)
        wild_rank = Rank(deal.hand)
        ace_in_runs = AceInRuns(house["ace_in_runs"])
        self.limits = MeldLimits(
            rules=MeldRules(set="PRO-4", run="PRO-5", wild="PRO-6", lay_off="PRO-8", swap="PRO-10"),
            wild_ranks=frozenset({wild_rank}),
            ace_in_runs=ace_in_runs,
            wild_in_own_place=house["proter_in_own_place"] == "wild",
            min_naturals=house.number("min_naturals"),
        )
        if house["proter_left_value"] == "zero":  # PRO-15
            self.counts = {wild_rank: 0}
        # House rules that every play depends on are looked up once.
        self.penalty = self.wild_left_points = house.number("penalty_points")
        self.wild_left_each = house["proters_left"] == "each"
        self.natural_first = house["natural_first_meld"]
        self.lay_off_needs_meld = house.yes("lay_off_needs_meld")
        self.must_meld_swapped = house["swapped_proter"] == "meld_this_turn"
        self.out_by_discard = house["going_out_discard"] == "required"
        self.barred = _barred(ace_in_runs, house["discard_run"], house["discard_run_order"])
        self.wrong_meld_charge = "PRO-13.6" if house["wrong_meld"] == "penalty" else ""

    @classmethod
    def wild_rank_of(cls, hand: int) -> Rank | None:
        """Return the Proter of hand n: the rank n (PRO-1)."""
        return Rank(hand)

    def needs(self) -> Sequence[Need]:
        """Return nothing: pages show the Proter elsewhere."""
        return []

    # -- PRO-7 and PRO-9: melds and lay-offs -----------------------------------------------------

    def meld_breaches(
        self, laid: Sequence[Laid], open_wilds: int, table: Table, player: Player
    ) -> Breaches:
        """Forbid Proters in the first meld (PRO-7) and a card on the table twice (PRO-9)."""
        breaches = _twice_on_table(laid, table)
        of_turn = self.natural_first == "each_turn" and not player.melded_this_turn
        of_hand = self.natural_first == "each_hand" and not player.has_melded
        open_as_wild = open_wilds and self.limits.wild_in_own_place
        if (of_turn or of_hand) and (open_as_wild or self.limits.wilds(laid)):
            breaches.append(_FIRST_OF_TURN if of_turn else _FIRST_OF_HAND)
        return breaches

    def lay_off_breaches(self, laid: Sequence[Laid], table: Table, player: Player) -> Breaches:
        """Forbid a card on the table twice (PRO-9); by house rule ask for a meld first (PRO-7)."""
        return [*_twice_on_table(laid, table), *self._needs_meld(player)]

    def _needs_meld(self, player: Player) -> Breaches:
        return [_NEEDS_MELD] if self.lay_off_needs_meld and not player.has_melded else []

    # -- PRO-10: swaps ---------------------------------------------------------------------------

    def swap_breaches(self, taken: Laid | None, meld: Meld, play: Swap, player: Player) -> Breaches:
        """Allow only the real card for a Proter that stands for it; house rules apply (PRO-10)."""
        breaches = list(self._needs_meld(player))
        card, said = play.card
        if said is not None and said != card:
            breaches.append(Breach.of("PRO-10", "not_the_real_card", card=card, wanted=said))
        elif taken is None:
            breaches.append(Breach.of("PRO-10", "no_proter_for", card=card))
        elif taken.card in player.fresh and not self.house.yes("swap_own_fresh_proter"):
            breaches.append(Breach.of("PRO-10", "fresh_proter_stays", card=taken.card))
        return breaches

    # -- PRO-3, PRO-11, PRO-12, PRO-14: the pile and the end of a turn ----------------------------

    def discard_breaches(self, card: Card, table: Table) -> Breaches:
        """Forbid the rank of the top card (PRO-11) and a run with the pile (PRO-12)."""
        if not table.pile:
            return []
        top = table.pile[-1]
        if card.rank == top.rank:
            return [Breach.of("PRO-11", "discard_same_rank", card=card, top=top)]
        if (top, card) in self.barred:
            return [Breach.of("PRO-12", "discard_near", card=card, top=top)]
        if (*table.pile[-2:], card) in self.barred:
            below = table.pile[-2]
            return [Breach.of("PRO-12", "discard_run", card=card, below=below, top=top)]
        return []

    def take_pile_breaches(self, player: Player) -> Breaches:
        """Allow taking the pile only before any other play (PRO-3)."""
        return [_PILE_FIRST] if player.melded_this_turn or player.turn_begun else []

    def turn_breaches(self, made: Sequence[Made], left: int | None, player: Player) -> Late:
        """Return swapped Proters not melded (PRO-10), and going out without a discard (PRO-14)."""
        late: dict[int, Breaches] = {}
        if self.must_meld_swapped:
            late |= _unmelded_swaps(made)
        if self.out_by_discard and left == 0 and made and not isinstance(made[-1].play, Discard):
            late[len(made) - 1] = [Breach("PRO-14", "last_card_discarded")]
        return late

    # -- PRO-13: what follows --------------------------------------------------------------------

    def consequence(self, breach: Breach) -> Consequence:
        """Return the points of a breach, and what is taken back (PRO-13.1, 13.2 and 13.6)."""
        if _CHARGE_FOR.get(breach.rule, self.wrong_meld_charge):
            return Consequence(self.penalty, TakeBack.TURN, turn_passes=True)
        return Consequence(0, TakeBack.PLAY)

    def charge_for(self, ruling: Ruling) -> str | None:
        """Return the rule number to charge for these broken rules; None if they cost no points."""
        charges = [_CHARGE_FOR.get(rule, self.wrong_meld_charge) for rule in ruling.broken]
        return min(filter(None, charges), default=None)

    def most_held(self, charged: Sequence[str], upcards: int, penalty_cards: bool) -> int | None:
        """Return None: a player who takes the whole pile can hold any number of cards (PRO-3)."""
        return None

    # -- PRO-15: marks ---------------------------------------------------------------------------

    def mark(self, end: HandEnd) -> Mark:
        """Return one player's mark, and charge Proters left and no meld even if not listed."""
        times = Counter(end.penalties)
        if end.left.wilds or times[PROTERS_LEFT]:
            count = max(end.left.wilds, times[PROTERS_LEFT])
            times[PROTERS_LEFT] = count if self.wild_left_each else 1
        excused = end.melded or (end.out and not self.house.yes("winner_pays_no_meld"))
        if times[NO_MELD] or not excused:
            times[NO_MELD] = 1
        return super().mark(replace(end, penalties=tuple(times.elements())))


_FIRST_OF_TURN = Breach("PRO-7", "first_of_turn")
_FIRST_OF_HAND = Breach("PRO-7", "first_of_hand")
_NEEDS_MELD = Breach("PRO-7", "needs_meld")
_PILE_FIRST = Breach("PRO-3", "pile_first")


@lru_cache
def _barred(aces: AceInRuns, discard_run: Value, order: Value) -> frozenset[tuple[Card, ...]]:
    """Return the pairs or triples that may not follow one another on the pile (PRO-12)."""
    threes = [stretch.ranks for stretch in STRETCHES[aces][3]]
    runs = [tuple(CARD_OF[rank, suit] for rank in ranks) for suit in SUITS for ranks in threes]
    if discard_run == "two_adjacent":  # within two ranks of one another, as in a run of three
        return frozenset(pair for run in runs for pair in permutations(run, 2))
    if discard_run == "off":
        return frozenset()
    if order == "in_order":
        return frozenset(runs) | {run[::-1] for run in runs}
    return frozenset(order for run in runs for order in permutations(run))


def _twice_on_table(laid: Sequence[Laid], table: Table) -> list[Breach]:
    """Return the cards that are played and already on the table, or twice in the play (PRO-9)."""
    old = table.by_identity
    breaches = [_on_table(new, *old[new.stands_for]) for new in laid if new.stands_for in old]
    last = {new.stands_for: new for new in laid}
    if len(last) < len(laid):
        twice = [new.stands_for for new in laid if last[new.stands_for] is not new]
        breaches += [Breach.of("PRO-9", "twice_in_meld", card=card) for card in twice]
    return breaches


def _on_table(new: Laid, old: Laid, meld: Meld) -> Breach:
    card, wild = old.stands_for, old.card
    if wild == card:
        return Breach.of("PRO-9", "on_table", card=card, meld=meld, played=new.card)
    if new.card == card:
        return Breach.of("PRO-9", "on_table_as_wild", card=card, wild=wild, meld=meld)
    return Breach.of(
        "PRO-9", "on_table_as_wild_again", card=card, wild=wild, meld=meld, played=new.card
    )


def _unmelded_swaps(made: Sequence[Made]) -> Late:
    """Return the swaps whose Proter is in no later meld."""
    melded: set[Card] = set()
    late = {}
    for number, (play, ruling, _) in reversed(list(enumerate(made))):
        if isinstance(play, MeldPlay):
            melded.update(offered.card for offered in play.cards)
        elif ruling.took is not None and ruling.took not in melded:
            late[number] = [Breach.of("PRO-10", "proter_not_melded", card=ruling.took)]
    return late


PROTER = Game(
    id="proter",
    name="Proter",
    says="The Sri Lankan rummy of 13 hands, with a new wild rank in each.",
    hands=13,
    players=(2, 7),
    decks_of=lambda _: (DeckFor(2, 7, Deck(1)),),
    cards_dealt={"": (6,)},
    deal_passes="right",
    cuts=True,
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
