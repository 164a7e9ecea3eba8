"""Contract Rummy: seven hands, a contract in each, 3 to 5 players (CON-1 … CON-11)."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from companion.rules.cards import JOKER, Groups, Rank, check_packs, without
from companion.rules.contracts import ContractJudge, sets_and_runs
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.game import Deal, Deck, DeckFor, Game
from companion.rules.hand_rules import COURT_TEN, Need
from companion.rules.house_rules import Choice, House, HouseRule, Sheet
from companion.rules.language import gettext, noted
from companion.rules.melds import MOST_OF_A_RANK, Kind, Meld, MeldLimits, MeldRules
from companion.rules.messages import Message
from companion.rules.question import DRAW, MAY_I
from companion.rules.readings import readings
from companion.rules.ruling import Breach, Breaches, Late, Made, Ruling
from companion.rules.seating import SeatDraw
from companion.rules.table import Discard, MeldPlay, Player, Table
from companion.rules.turn import Turn, rule_on_turn

DENEXA, GAMERULES = "denexa", "gamerules"


SHEETS = (
    Sheet(DENEXA, "Denexa", "The sheet of denexa.com: two packs, runs of four or more."),
    Sheet(GAMERULES, "Game Rules", "The sheet of gamerules.com: one pack, runs of three or more."),
)

FIVE_PLAYERS = (
    "One pack and a joker are 53 cards, and five players of twelve cards need 60: "
    "five play with two packs and two jokers."
)
# CON-1: two packs and one joker fewer than players; one pack and one joker if that is enough.
DECKS = {
    DENEXA: tuple(DeckFor(players, players, Deck(2, players - 1)) for players in (3, 4, 5)),
    GAMERULES: (DeckFor(3, 4, Deck(1, 1)), DeckFor(5, 5, Deck(2, 2), FIVE_PLAYERS)),
}

# CON-2, by hand.
CARDS_DEALT = {
    DENEXA: (10, 10, 10, 12, 12, 12, 12),
    GAMERULES: (10, 10, 10, 10, 12, 12, 12),
}

HOUSE_RULES = (
    HouseRule("exact_contract", "CON-3", "How long the melds of a contract are").with_choices(
        no="The melds of a contract may be longer than the shortest.",
        yes="The melds of a contract have as few cards as they can, except in hand 7.",
    ),
    HouseRule(
        "min_naturals", "CON-6", "Natural cards in a meld", {DENEXA: 1, GAMERULES: 1}
    ).with_choices(
        Choice(0, "A meld may be all jokers."),
        Choice(1, "Every meld has at least one natural card."),
        Choice(2, "Every meld has at least two natural cards."),
    ),
    HouseRule("hand7", "CON-10", "The last hand").with_choices(
        all_cards="All cards held are melded at once, and none is discarded.",
        twelve_and_discard="All but one are melded at once, and that is discarded.",
    ),
)


class ContractRummyJudge(ContractJudge):
    """The rules of one hand of Contract Rummy."""

    turn_rule = "CON-9"
    contract_rule = "CON-3"
    counts: Mapping[Rank, int] = {Rank.JOKER: 15, Rank.ACE: 15, **COURT_TEN}  # CON-11
    lay_off_too_early = Breach("CON-8", "lay_off_too_early")
    swap_too_early = Breach("CON-7", "swap_too_early")
    meld_too_early = (Breach("CON-8", "meld_too_early"),)
    must_meld_swapped = True
    asks_without_hand = frozenset({"discard", "arrange", "score"})
    asks_off_table = frozenset({DRAW})

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        super().__init__(game, house, deal)
        self.denexa = house.sheet == DENEXA
        self.drawn_rule = "" if self.denexa else "CON-9"
        self.allowed_by = {MAY_I if self.denexa else DRAW: "CON-9"}
        self.penalty_cards = noted("“May I?” (CON-9)") if self.denexa else ""
        self.all_at_once = deal.hand == game.hands
        self.exact = house.yes("exact_contract") and not self.all_at_once
        self.discards_last = house["hand7"] == "twelve_and_discard"
        self._not_whole_hand = (_ALL_BUT_ONE if self.discards_last else _ALL_AT_ONCE,)
        # The last hand ends with the contract.
        self.no_more_melds = self._not_whole_hand if self.all_at_once else ()
        self.limits = MeldLimits(
            rules=MeldRules(set="CON-4", run="CON-5", wild="CON-6", lay_off="CON-8", swap="CON-7"),
            set_sizes=(3, MOST_OF_A_RANK) if self.denexa else (3, 4),
            run_sizes=(4, 13) if self.denexa else (3, 13),
            min_naturals=house.number("min_naturals"),
            suits_differ=not self.denexa,
        )
        self.runs_apart, self.one_run_a_suit = self.denexa, not self.denexa  # CON-5

    def needs(self) -> Sequence[Need]:
        """Return the contract and the jokers; in the last hand also what to lay (CON-10)."""
        if not self.all_at_once:
            return super().needs()
        all_cards = gettext("every card held")
        if self.discards_last:
            all_cards = gettext("every card held but the discard")
        return [*super().needs(), Need(gettext("Laid at once"), all_cards)]

    def most_held(self, charged: Sequence[str], upcards: int, penalty_cards: bool) -> int | None:
        """Return the cards dealt, and two for each upcard given by “May I?” (CON-9).

        None on the gamerules sheet, where several cards may be taken from the pile, and if the
        player drew penalty cards.
        """
        if penalty_cards or not self.denexa:
            return None
        return self.dealt + 2 * upcards

    # -- CON-3, CON-5: the contract --------------------------------------------------------------

    def first_meld_breaches(self, meld: Meld) -> Breaches:
        """By house rule forbid melds longer than they must be (CON-3), but in hand 7 (CON-10)."""
        wanted = self.limits.smallest(meld.kind)
        if not self.exact or len(meld.cards) == wanted:
            return []
        kind = self.limits.term(meld.kind)
        return [Breach.of("CON-3", "contract_exact_size", meld=meld, kind=kind, wanted=wanted)]

    def together_breaches(self, melds: Sequence[Meld]) -> Breaches:
        """Forbid two runs that are one (denexa), or two of one suit (gamerules; CON-5)."""
        runs = [meld for meld in melds if meld.kind is Kind.RUN]
        message = "runs_are_one" if self.denexa else "runs_of_one_suit"
        return [
            Breach.of("CON-5", message, one=one, other=other)
            for one, other in combinations(runs, 2)
            if one.cards[0].stands_for.suit == other.cards[0].stands_for.suit
            and (not self.denexa or one.high + 1 == other.low or other.high + 1 == one.low)
        ]

    def whole_hand_breaches(self, melds: Sequence[Meld], holds: int | None) -> Breaches:
        """In the last hand, ask for three runs of all cards held, twelve or thirteen (CON-10)."""
        if not self.all_at_once or sets_and_runs(melds) != self.contract:
            return ()
        cards = sum(len(meld.cards) for meld in melds)
        return () if self.is_whole_hand(cards, holds) else self._not_whole_hand

    # -- CON-9: drawing from inside the pile (gamerules) ------------------------------------------

    def rule_on_draw(self, table: Table, melds: Groups, player: Player) -> Ruling:
        """Rule on taking a card from the pile, with all cards above it, and on melds laid with it.

        The table's pile is what is taken, the lowest card first. That card must be in one of the
        ``melds``, unless it is taken alone. If a wild card can be read in several ways, one legal
        way is enough. Raises `Malformed` if an equal card lies above that card, or if the packs
        cannot hold the cards.
        """
        card, *above = table.pile
        where = "above" if above else "drawn"
        if card in above:
            says = noted("Another %(shown)s lies above it in the pile. Choose that one.")
            raise Malformed(says, where, shown=card.shown)
        check_packs(table.places, *self.deck, where)
        if not above:
            return Ruling(praise=Message.of("legal_draw_of_one", card=card))
        melded = [offered.card for meld in melds for offered in meld]
        places = [*table.places, (noted("in the melds from the hand"), without(melded, table.pile))]
        check_packs(places, *self.deck, "melds")
        plays = [MeldPlay(tuple(meld)) for meld in melds]
        try:
            drawn = player._replace(holds=None)
            turn = rule_on_turn(Turn(self, table.with_pile(), plays, drawn))
        except Ambiguous as problem:
            at = int(problem.where.removeprefix("plays[").removesuffix("]"))
            tried = []
            for meld in readings(melds[at], self.limits):
                known = [laid.offered for laid in meld.cards]
                named = [*melds[:at], known, *melds[at + 1 :]]
                tried.append(self.rule_on_draw(table, named, player))
            return next((ruling for ruling in tried if ruling.legal), tried[0])
        if card in melded and turn.legal:
            return Ruling(praise=Message.of("legal_draw", card=card))
        not_melded = Breach.of("CON-9", "drawn_not_melded", card=card)
        return self.refusal([*turn.breaches, not_melded])

    # -- a whole turn ----------------------------------------------------------------------------

    def turn_breaches(self, made: Sequence[Made], left: int | None, player: Player) -> Late:
        """Return what shows only at the end of a turn.

        A wrong contract (CON-3, CON-5), melds besides it (CON-8), cards not melded in the last hand
        (CON-10), and a joker that was taken and not melded (CON-7).
        """
        laid = [n for n, one in enumerate(made) if isinstance(one.play, MeldPlay)]
        if player.contract_met or player.melded_this_turn or not laid:
            return _unmelded_jokers(made)
        further = self._beyond_contract(made, laid)
        if further:
            return dict.fromkeys(further, (*self.meld_too_early, *self.no_more_melds))
        late = super().turn_breaches(made, left, player)
        melds = [made[n].ruling.readings[0] for n in laid]
        of_runs = self.all_at_once and sets_and_runs(melds) == self.contract
        if of_runs and not self._all_melded(made, left):
            return {n: [*late.get(n, ()), *self._not_whole_hand] for n in laid}
        return late

    def _beyond_contract(self, made: Sequence[Made], laid: Sequence[int]) -> Sequence[int]:
        """Return the melds laid besides the contract; none if it is not among them."""
        for kept in combinations(laid, sum(self.contract)):
            if not self._contract_breaches([made[n].ruling.readings[0] for n in kept]):
                return [n for n in laid if n not in kept]
        return []

    def _all_melded(self, made: Sequence[Made], left: int | None) -> bool:
        """True if all cards held went into the contract, or all but the discard (CON-10)."""
        discarded = isinstance(made[-1].play, Discard)
        cards = sum(len(one.play.cards) for one in made if isinstance(one.play, MeldPlay))
        holds = None if left is None else left + cards + discarded
        return self.is_whole_hand(cards, holds) and (self.discards_last or not discarded)


_NOT_MELDED = Breach("CON-7", "joker_not_melded")
_ALL_AT_ONCE = Breach("CON-10", "all_at_once")
_ALL_BUT_ONE = Breach("CON-10", "all_but_one")


def _unmelded_jokers(made: Sequence[Made]) -> Late:
    """Return the swaps whose joker is in no later meld. Jokers are alike, so they are counted."""
    melded = 0
    late = {}
    for number, (play, ruling, _) in reversed(list(enumerate(made))):
        if isinstance(play, MeldPlay):
            melded += sum(offered.card == JOKER for offered in play.cards)
        elif ruling.took is not None:
            if melded == 0:
                late[number] = [_NOT_MELDED]
            melded = max(0, melded - 1)
    return late


CONTRACT_RUMMY = Game(
    id="contract_rummy",
    name="Contract Rummy",
    says="Seven hands, and in each a contract of sets and runs to be laid at once.",
    hands=7,
    players=(3, 5),
    decks_of=lambda house: DECKS[house.sheet],
    cards_dealt=CARDS_DEALT,
    sheets=SHEETS,
    house_rules=HOUSE_RULES,
    judge=ContractRummyJudge,
    deal_rule="CON-2",
    end_rule="CON-11",
    seat_draws={DENEXA: SeatDraw(), GAMERULES: SeatDraw("CON-1", lowest_deals=True)},
    wild_word="joker",
)
