"""Contracts: the melds that a player must lay first in a hand, all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, product
from typing import Final, NamedTuple

from companion.rules.cards import CARD_OF, JOKER, RANKS, Card, Groups, Laid, Offered, check_packs
from companion.rules.hand_rules import Need
from companion.rules.judge import Judge
from companion.rules.language import gettext, noted
from companion.rules.melds import ACE_HIGH, Kind, Meld, MeldLimits, shape_breaches
from companion.rules.messages import Counted, Message, Term, Value
from companion.rules.readings import readings, without_identities
from companion.rules.ruling import Breach, Breaches, Late, Made, Ruling, rules_of
from companion.rules.table import ENDS, NO_TABLE, MeldPlay, Player, Swap, Table

# The most readings of all melds together that are judged.
_MOST_WAYS = 2000


class Contract(NamedTuple):
    """A contract: a number of sets and of runs."""

    sets: int
    runs: int

    def of(self, kind: Kind) -> int:
        """Return how many sets, or how many runs, it asks for."""
        return self.sets if kind is Kind.SET else self.runs

    def lacking(self, melds: Sequence[Meld]) -> Contract:
        """Return the sets and runs that these melds lack."""
        laid = sets_and_runs(melds)
        return Contract(max(0, self.sets - laid.sets), max(0, self.runs - laid.runs))

    def counted(self, limits: MeldLimits) -> Counted:
        """Return the contract as a value of a message, in the game's words."""
        parts = (self.sets, limits.set_word), (self.runs, limits.run_word)
        return Counted(tuple(part for part in parts if part[0]) or ((0, "meld"),))


# The contracts of the seven hands of Carioca and of Contract Rummy.
SEVEN_CONTRACTS: Final = tuple(
    Contract(sets, runs) for sets, runs in ((2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3))
)


class ContractJudge(Judge):
    """The rules of one hand of a game with contracts."""

    asks = Judge.asks | {"contract", "swap"}
    swaps_in_sets = False
    contracts: Sequence[Contract] = SEVEN_CONTRACTS
    contract_rule: str
    # True if no other melds may be laid together with the contract.
    contract_alone: bool = True
    # True if the contract takes all cards held and ends the hand.
    all_at_once: bool = False
    # True if one of these cards is discarded.
    discards_last: bool = False
    # True if the melds of a contract have as few cards as they can.
    exact: bool = False
    # True if the runs of a contract differ in suit.
    one_run_a_suit: bool = False
    # True if no run may begin where another of its suit ends.
    runs_apart: bool = False
    # True if no two sets may have one rank.
    one_set_a_rank: bool = False
    # True if a player may lay off, and swap, in the turn of the contract too.
    lays_off_at_once: bool = False
    # What a lay-off and a swap break if they come too early.
    lay_off_too_early: Breach
    swap_too_early: Breach
    # What a further meld breaks only in the turn of the contract, and what in that turn and later.
    meld_too_early: Breaches = ()
    no_more_melds: Breaches = ()

    @property
    def contract(self) -> Contract:
        """The contract of this hand."""
        return self.contracts[self.hand - 1]

    @property
    def contract_cards(self) -> int:
        """The fewest cards of this hand's contract."""
        sets, runs = self.contract
        return sets * self.limits.smallest(Kind.SET) + runs * self.limits.smallest(Kind.RUN)

    @property
    def label(self) -> str:
        """What differs in this hand from the game's other hands: its contract in words."""
        return self.contract.counted(self.limits).shown

    @cached_property
    def contract_limits(self) -> MeldLimits:
        """The limits for the melds of a contract, which may have to be as short as they can."""
        sets, runs = self.limits.smallest(Kind.SET), self.limits.smallest(Kind.RUN)
        short = replace(self.limits, set_sizes=(sets, sets), run_sizes=(runs, runs))
        limits = short if self.exact else self.limits
        return replace(limits, one_run_a_suit=True) if self.one_run_a_suit else limits

    @property
    def disputes(self) -> frozenset[str]:
        """The questions that a rule can decide; no meld alone if none may follow the contract."""
        return super().disputes - {"meld"} if self.no_more_melds else super().disputes

    # -- what a game overrides --------------------------------------------------------------------

    def first_meld_breaches(self, meld: Meld) -> Breaches:
        """Return what a meld of the right shape breaks as one of a player's first melds."""
        return ()

    def together_breaches(self, melds: Sequence[Meld]) -> Breaches:
        """Return what one player's melds break only together."""
        return ()

    def whole_hand_breaches(self, melds: Sequence[Meld], holds: int | None) -> Breaches:
        """Return what a contract breaks by its number of cards, given how many are held."""
        return ()

    def ends_for_joker(self, run: Meld) -> Sequence[str]:
        """Return the ends to which a joker swapped in a run may move: the open ones (CAR-6)."""
        return open_ends(run)

    def wrong_end_breach(self, run: Meld, end: str) -> Breach:
        """Return what moving the joker to another end breaks."""
        return Breach.of(self.limits.rules.swap, "end_closed", end=Term(end), meld=run)

    def needs(self) -> Sequence[Need]:
        """Return the contract, and which cards are wild."""
        return [Need(gettext("Contract"), self.label), *super().needs()]

    def is_whole_hand(self, cards: int, holds: int | None) -> bool:
        """True if a whole hand has this many cards: those dealt, or one more with no discard."""
        if self.discards_last:
            return cards == self.dealt and holds in (None, self.dealt + 1)
        return cards in (self.dealt, self.dealt + 1) and holds in (None, cards)

    def no_meld(self, cards: Sequence[Offered]) -> list[Breach]:
        """Return why cards form no meld, by the contract's limits if no other melds are laid."""
        return shape_breaches(cards, self.contract_limits if self.no_more_melds else self.limits)

    # -- judging ----------------------------------------------------------------------------------

    def new_meld_breaches(self, meld: Meld, player: Player) -> Breaches:
        """Return what a meld breaks as a first or further one; a first one alone is no contract."""
        if player.contract_met:
            return self.no_more_melds
        if player.melded_this_turn and not player.lays_contract:
            return (*self.meld_too_early, *self.no_more_melds)
        breaches = list(self.first_meld_breaches(meld))
        if not player.lays_contract:
            breaches.append(self.contract_breach("not_the_contract_alone", meld=meld))
        elif self.contract_alone and not self.contract.of(meld.kind):
            kind = self.limits.term(meld.kind)
            breaches.append(self.contract_breach("not_in_contract", meld=meld, kind=kind))
        return breaches

    def lay_off_breaches(self, laid: Sequence[Laid], table: Table, player: Player) -> Breaches:
        """Allow lay-offs once the contract is met: from the next turn on, or at once."""
        return self._early_breaches(player, self.lay_off_too_early)

    def _early_breaches(self, player: Player, too_early: Breach) -> Breaches:
        """Return what a lay-off or swap breaks before the player may make one."""
        early: Breaches = (too_early,)
        if player.contract_met or (self.lays_off_at_once and player.melded_this_turn):
            early = ()
        elif self.lays_off_at_once and player.lays_contract and player.melded_this_hand:
            contract = self.contract.counted(self.limits)
            early = (Breach.of(self.limits.rules.lay_off, "contract_first", contract=contract),)
        return (*early, *self.no_more_melds) if self.all_at_once else early

    def has_melded(self, made: Sequence[Made]) -> bool:
        """True once the whole contract is on the table."""
        melds = [one.ruling.readings[0] for one in made if isinstance(one.play, MeldPlay)]
        return not any(self.contract.lacking(melds))

    def swap_breaches(self, taken: Laid | None, meld: Meld, play: Swap, player: Player) -> Breaches:
        """Allow the real card for a joker in a run, once the player may lay off."""
        early = self._early_breaches(player, self.swap_too_early)
        rule, card = self.limits.rules.swap, play.card.card
        if meld.kind is Kind.SET:
            kind = self.limits.term(meld.kind)
            return [*early, Breach.of(rule, "joker_stays", kind=kind, meld=meld)]
        if card is JOKER:
            return [*early, Breach(rule, "joker_for_joker")]
        if taken is None:
            return [*early, Breach.of(rule, "no_joker_for", card=card, meld=meld)]
        moved = self.swapped(meld, taken, play)
        if not (moved or self.ends_for_joker(meld)):
            return [*early, Breach.of(rule, "no_open_end", meld=meld)]
        if not moved:
            return [*early, self.wrong_end_breach(meld, play.joker_to)]
        if self.limits.breaches(moved[0]):
            return [*early, Breach.of(rule, "jokers_neighbours", meld=moved[0])]
        return early

    def swapped(self, meld: Meld, taken: Laid, play: Swap) -> Sequence[Meld]:
        """Return the run with the real card: the joker is taken, or moves to an end."""
        if self.swap_gives_wild:
            return super().swapped(meld, taken, play)
        ends = [end for end in self.ends_for_joker(meld) if play.joker_to in ("", end)]
        return with_joker_moved(meld, taken, play.card.card, ends)

    def breaches_alone(self, meld: Meld) -> list[Breach]:
        """Return what one of a player's first melds breaks by itself."""
        return [*self.limits.breaches(meld), *self.first_meld_breaches(meld)]

    def rule_on_contract(
        self, melds: Groups, holds: int | None = None, table: Table = NO_TABLE
    ) -> Ruling:
        """Rule whether these melds, laid together, are the contract of this hand, on every sheet.

        The ruling has every legal way to read them, or else those that break the same rules.
        ``holds`` is how many cards the player held, if known; ``table`` is the table before.
        Raises `Malformed` for cards that the packs or the player cannot have, or that cannot stand
        for others.
        """
        self.check_fits(sum(map(len, melds)), holds, "melds")
        ruling = self.judge_contract(melds, holds)
        cards = [offered.card for meld in melds for offered in meld]

        def allows(rules: Judge) -> bool:
            return isinstance(rules, ContractJudge) and rules.judge_contract(melds, holds).legal

        return ruling._replace(elsewhere=self.elsewhere(table, cards, holds, allows))

    def judge_contract(self, melds: Groups, holds: int | None = None) -> Ruling:
        """Rule by these rules alone. Raises `Malformed` as `rule_on_contract` does."""
        cards = [offered.card for meld in melds for offered in meld]
        check_packs([(noted("in the melds"), cards)], *self.deck, "melds")
        by_meld: list[list[Meld]] = []
        shapeless: list[Breach] = []
        for offered in melds:
            self.limits.check_offered(offered, "melds")
            by_meld.append(readings(offered, self.limits))
            if not by_meld[-1]:
                shapeless += shape_breaches(offered, self.contract_limits)
        if shapeless:
            return self.refusal(shapeless)
        ways_of_all = [
            (way, [*self._contract_breaches(way), *self.whole_hand_breaches(way, holds)])
            for way in islice(product(*by_meld), _MOST_WAYS)
        ]
        legal = tuple(way for way, breaches in ways_of_all if not breaches)
        if legal:
            contract = self.contract.counted(self.limits)
            praise = Message.of("legal_contract", contract=contract, hand=self.hand)
            return Ruling(praise=praise, ways=legal)
        fewest = min((breaches for _, breaches in ways_of_all), key=lambda bs: len(rules_of(bs)))
        broken = rules_of(fewest)
        alike = tuple(way for way, breaches in ways_of_all if rules_of(breaches) == broken)
        return self.refusal(fewest)._replace(ways=alike)

    def _contract_breaches(self, melds: Sequence[Meld]) -> Breaches:
        """Return what first melds break, each alone and all together."""
        breaches = [breach for meld in melds for breach in self.breaches_alone(meld)]
        laid = sets_and_runs(melds)
        if laid != self.contract and (self.contract_alone or any(self.contract.lacking(melds))):
            in_words = laid.counted(self.limits)
            breaches.append(self.contract_breach("not_the_contract", laid=in_words))
        return [*breaches, *self.together_breaches(melds)]

    def contract_breach(self, message: str, **values: Value) -> Breach:
        """Return a breach whose message also names the hand and its contract."""
        contract = self.contract.counted(self.limits)
        return Breach.of(self.contract_rule, message, **values, hand=self.hand, contract=contract)

    def turn_breaches(self, made: Sequence[Made], left: int | None, player: Player) -> Late:
        """Return what the melds of a turn break together: a wrong contract, or a clash of melds.

        First melds that are not the contract are all taken back. If the contract is met without
        the melds that clash with earlier ones, or was met before, only the clashing ones are.
        """
        laid = [n for n, one in enumerate(made) if isinstance(one.play, MeldPlay)]
        melds = [made[n].ruling.readings[0] for n in laid]
        clashing = self._clashing(melds)
        alone = {laid[n]: breaches for n, breaches in clashing.items()}
        if player.contract_met or player.melded_this_turn:
            return alone
        breaches = self._contract_breaches(melds)
        if not breaches:
            return {}
        rest = [meld for n, meld in enumerate(melds) if n not in clashing]
        if alone and not self._contract_breaches(rest):
            return alone
        of_all = [breach for breach in breaches if breach.rule == self.contract_rule]
        if not of_all:
            return dict.fromkeys(laid, breaches)
        return {n: [*of_all, *alone.get(n, ())] for n in laid}

    def _clashing(self, melds: Sequence[Meld]) -> Late:
        """Return, by index, what melds break together with earlier melds."""
        kept: list[Meld] = []
        clashing = {}
        for number, meld in enumerate(melds):
            breaches = self.together_breaches([*kept, meld])
            if breaches:
                clashing[number] = breaches
            else:
                kept.append(meld)
        return clashing


def sets_and_runs(melds: Sequence[Meld]) -> Contract:
    """Return how many of these melds are sets and how many are runs."""
    kinds = Counter(meld.kind for meld in melds)
    return Contract(kinds[Kind.SET], kinds[Kind.RUN])


def open_ends(run: Meld) -> Sequence[str]:
    """Return the ends, ``low`` and ``high``, at which a run can still grow."""
    if len(run.cards) == len(RANKS):
        return ()
    return [end for end in ENDS if (run.low > 1 if end == "low" else run.high < ACE_HIGH)]


def with_joker_moved(meld: Meld, taken: Laid, card: Card, ends: Sequence[str]) -> list[Meld]:
    """Return the run with the real card in the joker's place and the joker at each of ``ends``."""
    cards = [Laid(card, card) if laid is taken else laid for laid in meld.cards]
    suit = taken.stands_for.suit

    def joker_as(place: int) -> Laid:
        return Laid(taken.card, CARD_OF[RANKS[(place - 1) % len(RANKS)], suit], True)

    longer = [
        [joker_as(meld.low - 1), *cards] if end == "low" else [*cards, joker_as(meld.high + 1)]
        for end in ends
    ]
    # A whole suit is always read with its ace low, at whichever end the ace was laid.
    if len(cards) + 1 == len(RANKS):
        longer = [sorted(run, key=lambda laid: laid.stands_for.rank) for run in longer[:1]]
    return [Meld(meld.kind, tuple(run)) for run in longer]


def rule_on_parts(melds: Groups, whole: Ruling, rules: ContractJudge) -> tuple[Ruling, ...]:
    """Return a ruling on each of the melds that ``whole`` rules on together, in their order.

    The message for a legal meld is its part of the contract. An illegal one has all its breaches:
    those by itself, those beside the melds before it, or that it is one too many.
    """
    ways = whole.ways[0] if whole.ways else [_best_reading(offered, rules) for offered in melds]
    before: list[Meld] = []
    rulings = []
    for number, (offered, meld) in enumerate(zip(melds, ways, strict=True)):
        if meld is None:
            rulings.append(rules.refusal(shape_breaches(offered, rules.contract_limits)))
            continue
        breaches = [*rules.breaches_alone(meld), *rules.together_breaches([*before, meld])]
        nth = 1 + sum(other.kind is meld.kind for other in before)
        if not breaches:
            before.append(meld)
            if rules.contract_alone and nth > rules.contract.of(meld.kind):
                kind = rules.limits.term(meld.kind)
                breaches = [rules.contract_breach("one_too_many", meld=meld, kind=kind)]
        of_whole = tuple(dict.fromkeys(way[number] for way in whole.ways))
        melds_read = of_whole or (meld,)
        if breaches:
            ruling = rules.refusal(breaches, melds_read)
            if len(of_whole or readings(offered, rules.limits)) > 1:
                ruling = _in_no_reading(ruling, meld)
            rulings.append(ruling)
        else:
            rulings.append(Ruling(readings=melds_read, praise=_praise(meld, nth, rules)))
    return tuple(rulings)


def missing_in_words(rulings: Sequence[Ruling], rules: ContractJudge) -> str:
    """Return what the contract still lacks, in words; empty if it lacks nothing."""
    lacks = rules.contract.lacking([ruling.readings[0] for ruling in rulings if ruling.legal])
    return lacks.counted(rules.limits).shown if any(lacks) else ""


def _in_no_reading(ruling: Ruling, meld: Meld) -> Ruling:
    """Return the ruling with a meld named as it was played, not in one of its readings."""
    as_played = without_identities(meld)
    return ruling.with_values(lambda value: as_played if value == meld else value)


def _best_reading(offered: Sequence[Offered], rules: ContractJudge) -> Meld | None:
    """Return the reading with the fewest breaches by itself; None if the cards form no meld."""
    ways = readings(offered, rules.limits)
    return min(ways, key=lambda meld: len(rules.breaches_alone(meld)), default=None)


def _praise(meld: Meld, nth: int, rules: ContractJudge) -> Message:
    wanted, kind = rules.contract.of(meld.kind), rules.limits.term(meld.kind)
    if nth > wanted:
        return Message.of("beside_contract", kind=kind)
    if wanted == 1:
        return Message.of("the_part", kind=kind)
    return Message.of("nth_part", kind=kind, nth=nth, wanted=wanted)
