"""Kalooki as Jamaica plays it: nine hands, contracts of threes and fours (KAL-1 … KAL-9)."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from companion.rules.cards import RANKS, Card, Rank, Suit
from companion.rules.contracts import Contract, ContractJudge, open_ends
from companion.rules.errors import Malformed
from companion.rules.game import Bending, Charge, Deal, Deck, DeckFor, Game
from companion.rules.hand_rules import COURT_TEN
from companion.rules.house_rules import House, HouseRule, Sheet
from companion.rules.language import noted
from companion.rules.melds import ACE_HIGH, MOST_OF_A_RANK, Kind, Meld, MeldLimits, MeldRules
from companion.rules.messages import Message, Term
from companion.rules.question import CALL, Call
from companion.rules.ruling import Breach, Breaches, Consequence, Ruling
from companion.rules.scoring import Charged, HandEnd, Mark
from companion.rules.table import Player, Table

TOO_MANY_CALLS = "KAL-4"

# How many threes and fours each hand asks for.
CONTRACTS = tuple(Contract(melds - fours, fours) for melds in (3, 4) for fours in range(melds + 1))

HOUSE_RULES = (
    HouseRule("same_rank_threes", "KAL-2", "Two threes of one rank").with_choices(
        yes="A player may have several threes of one rank.",
        no="A player's threes are all of different ranks.",
    ),
    HouseRule("bending_doubles", "KAL-9", "What bending the table doubles").with_choices(
        cards="The points of the others' cards count double.",
        all="The others' cards and their penalties for calls count double.",
    ),
)

CHARGES = (
    Charge(
        TOO_MANY_CALLS,
        "Call beyond the third",
        "A player called for the discard again after getting it three times in the hand. If that "
        "player bends the table, nothing is doubled.",
        points=50,
    ),
)


CALLS_ALLOWED = 3
_RED = frozenset({Suit.DIAMONDS, Suit.HEARTS})

# Messages on refusing a call, by whether the player whose turn it is has melded.
_REFUSAL = {
    True: "call_cannot_be_refused",
    False: "call_may_be_refused",
    None: "call_may_be_refused_unless_melded",
}


class KalookiJudge(ContractJudge):
    """The rules of one hand of Kalooki."""

    turn_rule = "KAL-7"
    contract_rule = "KAL-3"
    contract_alone = False
    counts: Mapping[Rank, int] = {Rank.JOKER: 50, Rank.ACE: 15, **COURT_TEN}
    lays_off_at_once = True
    lay_off_too_early = swap_too_early = Breach("KAL-5", "no_contract_met")
    swap_gives_wild = False
    contracts = CONTRACTS
    penalty_cards = noted("calls (KAL-4)")
    calls_allowed = CALLS_ALLOWED
    calls_rule = charged_as = TOO_MANY_CALLS
    allowed_by: Mapping[str, str] = {CALL: TOO_MANY_CALLS}
    own_melds_clash = True
    asks_off_table = frozenset({CALL})
    limits = MeldLimits(
        set_word="three",
        run_word="four",
        rules=MeldRules(set="KAL-2", run="KAL-2", wild="KAL-2", lay_off="KAL-5", swap="KAL-6"),
        set_sizes=(3, MOST_OF_A_RANK),
        run_sizes=(4, 13),
        set_min_naturals=2,
        suits_differ=False,
        wilds_apart=True,
        one_run_a_suit=True,
    )

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        super().__init__(game, house, deal)
        self.one_set_a_rank = not house.yes("same_rank_threes")
        self.doubles_calls = house["bending_doubles"] == "all"

    # -- KAL-2: what a player's melds are together -----------------------------------------------

    def new_meld_breaches(self, meld: Meld, player: Player) -> Breaches:
        """Forbid also a meld that clashes with one of the player's earlier melds (KAL-2)."""
        # Before the contract is met, a player has no meld on the table.
        has_laid = player.contract_met or (player.melded_this_turn and not player.lays_contract)
        unowned = player.unowned if player.laid_unowned and has_laid else ()
        earlier = (*player.own, *unowned)
        clashes = [breach for own in earlier for breach in self.together_breaches([own, meld])]
        return [*super().new_meld_breaches(meld, player), *clashes]

    def together_breaches(self, melds: Sequence[Meld]) -> Breaches:
        """Forbid two fours of one suit, and by house rule two threes of one rank (KAL-2)."""
        breaches = []
        for one, other in combinations(melds, 2):
            card, other_card = one.cards[0].stands_for, other.cards[0].stands_for
            if one.kind is not other.kind:
                continue
            if one.kind is Kind.RUN and card.suit is other_card.suit:
                breaches.append(Breach.of("KAL-2", "two_fours_of_suit", one=one, other=other))
            if one.kind is Kind.SET and self.one_set_a_rank and card.rank is other_card.rank:
                breaches.append(Breach.of("KAL-2", "two_threes_of_rank", one=one, other=other))
        return breaches

    # -- KAL-5: tacking on -----------------------------------------------------------------------

    def longer_breaches(self, meld: Meld, longer: Meld) -> Breaches:
        """Let a four grow at its high end, and at the low end once that has the ace (KAL-5)."""
        if meld.kind is Kind.SET or longer.low == meld.low:
            return ()
        # A whole suit is read with its ace low, but the ace may lie at the high end.
        if longer.high == ACE_HIGH or len(longer.cards) == len(RANKS):
            return ()
        return (Breach.of("KAL-5", "low_end_waits", meld=meld),)

    # -- KAL-6: jokers that move -----------------------------------------------------------------

    def ends_for_joker(self, run: Meld) -> Sequence[str]:
        """Return the high end, or the low end once the high end has the ace (KAL-6)."""
        return [end for end in open_ends(run) if end == _joker_end(run)]

    def wrong_end_breach(self, run: Meld, end: str) -> Breach:
        """Return the breach of moving the joker to an end that KAL-6 does not name."""
        return Breach.of("KAL-6", "joker_goes_to", end=Term(_joker_end(run)), meld=run)

    # -- KAL-7: the discard ----------------------------------------------------------------------

    def discard_breaches(self, card: Card, table: Table) -> Breaches:
        """Allow any discard but a joker (KAL-7)."""
        return (Breach("KAL-7", "joker_discarded"),) if self.limits.is_wild(card) else ()

    # -- KAL-4: calls ----------------------------------------------------------------------------

    def rule_on_call(self, call: Call, player: Player) -> Ruling:
        """Rule whether a player may call for the top of the pile now (KAL-4)."""
        breaches = []
        if call.turn is None:
            breaches.append(Breach(TOO_MANY_CALLS, "own_turn_no_call"))
        if player.melded_this_hand:
            breaches.append(Breach(TOO_MANY_CALLS, "melded_no_call"))
        if breaches:
            return Ruling(tuple(breaches))
        calls = call.calls or 0
        follows = (Message(_REFUSAL[call.melded]), Message("call_takes_penalty_card"))
        if calls < CALLS_ALLOWED:
            return Ruling(praise=Message("legal_call"), follows=follows)
        breach = Breach.of(TOO_MANY_CALLS, "call_beyond_third", calls=calls)
        consequence = Consequence(self.charge_points(TOO_MANY_CALLS))
        return Ruling((breach,), consequence=consequence, follows=follows)

    # -- KAL-4 and KAL-9: marks ------------------------------------------------------------------

    def value(self, card: Card) -> int:
        """Return a card's points: a red ace 1, others by their rank (KAL-9)."""
        return 1 if card.rank is Rank.ACE and card.suit in _RED else super().value(card)

    def most_held(self, charged: Sequence[str], upcards: int, penalty_cards: bool) -> int | None:
        """Return the cards dealt, and two for each call: three, and those charged (KAL-4)."""
        calls = charged.count(TOO_MANY_CALLS)
        allowed = CALLS_ALLOWED if calls or penalty_cards else 0
        return self.dealt + 2 * (allowed + calls)

    def score(self, ends: Sequence[HandEnd]) -> Mapping[str, Mark]:
        """Return every player's points. Raises `Malformed` if one bent the table but is not out."""
        for end in ends:
            if end.bent and not end.out:
                says = noted(
                    "%(name)s bent the table and did not go out. "
                    "A player who bends the table goes out in that turn."
                )
                raise Malformed(says, "players", name=end.name)
        return super().score(ends)

    def marks(self, ends: Sequence[HandEnd]) -> Mapping[str, Mark]:
        """Return the points, doubled for the others if a player bent the table uncharged."""
        marks = super().marks(ends)
        bent = {end.name for end in ends if end.bent and not _calls_charged(end)}
        if not bent:
            return marks
        return {name: mark if name in bent else self._doubled(mark) for name, mark in marks.items()}

    def _doubled(self, mark: Mark) -> Mark:
        times = 2 if self.doubles_calls else 1
        charges = tuple(Charged(rule, times * points) for rule, points, _ in mark.charges)
        return Mark(2 * mark.cards, charges)

    def mark(self, end: HandEnd) -> Mark:
        """Return one player's mark, not doubled: cards left, and calls beyond the third (KAL-4)."""
        for rule in end.penalties:
            self.charge_points(rule)
        points = self.charge_points(TOO_MANY_CALLS)
        return Mark(end.left.points, (Charged(TOO_MANY_CALLS, points),) * _calls_charged(end))


def _calls_charged(end: HandEnd) -> int:
    """Return how many calls a player is charged for: those beyond the third, or those listed."""
    return max(end.calls - CALLS_ALLOWED, end.penalties.count(TOO_MANY_CALLS), 0)


def _joker_end(run: Meld) -> str:
    """Return the end to which a joker moves: high, or low once the high end has the ace."""
    return "low" if run.high == ACE_HIGH else "high"


KALOOKI = Game(
    id="kalooki",
    name="Kalooki",
    says="The Jamaican rummy of nine hands, each with its contract of threes and fours.",
    hands=9,
    players=(3, 5),
    decks_of=lambda _: (DeckFor(3, 5, Deck(2, 4)),),
    cards_dealt={"": (9, 10, 11, 12, 12, 13, 14, 15, 16)},
    sheets=(Sheet("kalooki", "Kalooki", "The rules of Kalooki as Denexa gives them."),),
    house_rules=HOUSE_RULES,
    charges=CHARGES,
    judge=KalookiJudge,
    deal_rule="KAL-1",
    end_rule="KAL-8",
    wild_word="joker",
    bends=Bending(
        says=noted("%(name)s bent the table: doubled."),
        out=noted("Went out, bending the table"),
    ),
    ends_undecided=False,
)
