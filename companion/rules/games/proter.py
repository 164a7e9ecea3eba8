"""Proter: 13 hands, a new wild rank in each, one pack, 2 to 7 players (PRO-1 … PRO-16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.rules.cards import Card, Laid, Rank, check_packs
from companion.rules.errors import Malformed
from companion.rules.game import Charge, Game
from companion.rules.house import Choice, House, HouseRule, Sheet
from companion.rules.judge import Judge, Made, Player
from companion.rules.melds import AceInRuns, MeldLimits
from companion.rules.ruling import Breach, Consequence, TakeBack
from companion.rules.scoring import Charged, HandEnd, Mark, check_ends
from companion.rules.table import Discard, MeldPlay, Swap, Table

CATS, ONLINE = "catsatcards", "playginrummyonline"


def _both(value: str | int) -> dict[str, str | int]:
    return {CATS: value, ONLINE: value}


SHEETS = (
    Sheet(CATS, "CatsAtCards", "The sheet of CatsAtCards.com, 2015."),
    Sheet(ONLINE, "Play Gin Rummy Online", "The sheet of playginrummyonline.com."),
)

HOUSE_RULES = (
    HouseRule(
        "ace_in_runs",
        "PRO-5",
        "The ace in runs",
        (
            Choice("high", "Above the king only: Q K A is a run, A 2 3 is not."),
            Choice("low", "Below the 2 only: A 2 3 is a run, Q K A is not."),
            Choice("both", "Above the king or below the 2, but never K A 2."),
        ),
        {CATS: "high", ONLINE: "both"},
    ),
    HouseRule(
        "proter_in_own_place",
        "PRO-6",
        "A Proter in its own place",
        (
            Choice("wild", "It is a Proter even where it stands for itself."),
            Choice("natural", "Where it stands for itself, it is an ordinary card."),
        ),
        _both("wild"),
    ),
    HouseRule(
        "min_naturals",
        "PRO-6",
        "Natural cards in a meld",
        (
            Choice(0, "A meld may be all Proters."),
            Choice(1, "Every meld has at least one natural card."),
            Choice(2, "Every meld has at least two natural cards."),
        ),
        _both(0),
    ),
    HouseRule(
        "natural_first_meld",
        "PRO-7",
        "First meld without Proters",
        (
            Choice("each_turn", "In every turn, the first meld that is laid has no Proter."),
            Choice("each_hand", "Only a player's first meld of the hand has no Proter."),
            Choice("off", "Proters may be used from the first meld on."),
        ),
        {CATS: "each_turn", ONLINE: "each_hand"},
    ),
    HouseRule(
        "lay_off_needs_meld",
        "PRO-7",
        "A meld before lay-offs",
        (
            Choice("no", "Lay-offs and swaps need no meld before them."),
            Choice("yes", "Only who has melded in this hand may lay off or swap."),
        ),
        _both("no"),
    ),
    HouseRule(
        "swapped_proter",
        "PRO-10",
        "A Proter that was swapped out",
        (
            Choice("keep", "It may be kept in hand for later."),
            Choice("meld_this_turn", "It must go into a new meld in the same turn."),
        ),
        {CATS: "keep", ONLINE: "meld_this_turn"},
    ),
    HouseRule(
        "swap_own_fresh_proter",
        "PRO-10",
        "Swapping out a Proter laid this turn",
        (
            Choice("yes", "A player may swap out a Proter laid in the same turn."),
            Choice("no", "A player may not swap out a Proter that they laid in the same turn."),
        ),
        {CATS: "yes", ONLINE: "no"},
    ),
    HouseRule(
        "discard_run",
        "PRO-12",
        "Discards near the top card",
        (
            Choice("three_in_suit", "No discard that makes a run of three with the top two cards."),
            Choice("two_adjacent", "No discard of the top card's suit within two ranks of it."),
            Choice("off", "Only the rank of the top card matters."),
        ),
        {CATS: "three_in_suit", ONLINE: "two_adjacent"},
    ),
    HouseRule(
        "discard_run_order",
        "PRO-12",
        "The order of such a run of three",
        (
            Choice("any", "In any order: 7, 5, then 6 is a run."),
            Choice("in_order", "Only as they lie: 5, 6, 7 or 7, 6, 5."),
        ),
        _both("any"),
    ),
    HouseRule(
        "penalty_points",
        "PRO-13",
        "Points for a penalty",
        (Choice(20, "20 points for every penalty."),),
        _both(20),
        range(501),
    ),
    HouseRule(
        "proters_left",
        "PRO-13.4",
        "Proters in hand at the end",
        (
            Choice("flat", "One penalty, however many they are."),
            Choice("each", "One penalty for each of them."),
        ),
        _both("flat"),
    ),
    HouseRule(
        "lay_off_counts_as_meld",
        "PRO-13.5",
        "Does a lay-off count as a meld",
        (
            Choice("no", "Who only laid off has laid no meld, and is charged for it."),
            Choice("yes", "A lay-off is enough to escape the penalty for no meld."),
        ),
        _both("no"),
    ),
    HouseRule(
        "winner_pays_no_meld",
        "PRO-13.5",
        "Out without a meld",
        (
            Choice("yes", "Who goes out without a new meld is charged too."),
            Choice("no", "Who goes out is not charged for having no meld."),
        ),
        _both("yes"),
    ),
    HouseRule(
        "wrong_meld",
        "PRO-13.6",
        "A wrong meld, lay-off or swap",
        (
            Choice("take_back", "It is taken back, without points."),
            Choice("penalty", "It costs a penalty, and the whole turn is taken back."),
        ),
        {CATS: "take_back", ONLINE: "penalty"},
    ),
    HouseRule(
        "claim_until",
        "PRO-13",
        "When a claim is made",
        (Choice("next_draw", "When the turn is over, before the next player draws."),),
        _both("next_draw"),
    ),
    HouseRule(
        "going_out_discard",
        "PRO-14",
        "The last card",
        (
            Choice("optional", "A hand may end with a meld or lay-off, without a discard."),
            Choice("required", "The last card must be discarded."),
        ),
        _both("optional"),
    ),
    HouseRule(
        "proter_left_value",
        "PRO-15",
        "What a Proter left counts",
        (
            Choice("face", "Its face value, like any card."),
            Choice("zero", "Nothing, beside its penalty."),
        ),
        _both("face"),
    ),
    HouseRule(
        "ties",
        "PRO-16",
        "Equal totals",
        (
            Choice("shared", "They share the place."),
            Choice("fewest_penalties", "The one with fewer penalties is ahead."),
        ),
        _both("shared"),
    ),
)

CHARGES = (
    Charge(
        "PRO-13.1",
        "Card already on the table",
        "A card was played that is already on the table, natural or stood for.",
        takes_back=True,
    ),
    Charge(
        "PRO-13.2",
        "Wrong discard",
        "A discard of the top card's rank, or one that makes a run with the pile.",
        takes_back=True,
    ),
    Charge(
        "PRO-13.3",
        "Touched stock or pile",
        "The stock or the pile was touched in another player's turn.",
    ),
    Charge(
        "PRO-13.4",
        "Proter in hand",
        "One or more Proters were in hand at the end of the hand.",
        worked_out=True,
    ),
    Charge(
        "PRO-13.5",
        "No meld",
        "No new meld was laid in the hand.",
        worked_out=True,
    ),
    Charge(
        "PRO-13.6",
        "Wrong meld or swap",
        "A meld, lay-off or swap was wrong in any other way.",
        takes_back=True,
        only_if=("wrong_meld", "penalty"),
    ),
)

# Which charge a broken rule leads to; PRO-13.6 stands for all that are not named.
_CHARGE_FOR = {"PRO-9": "PRO-13.1", "PRO-11": "PRO-13.2", "PRO-12": "PRO-13.2"}
# Breaches that no list of penalties names: the play is taken back, and that is all.
_NO_CHARGE = frozenset({"PRO-3", "PRO-14"})
PROTERS_LEFT, NO_MELD = "PRO-13.4", "PRO-13.5"


class ProterJudge(Judge):
    """The rules of one hand of Proter."""

    one_of_each_card = True
    asks_without_hand = frozenset({"discard"})

    def __init__(self, game: Game, house: House, hand: int) -> None:
        super().__init__(game, house, hand)
        self.wild_rank = Rank(hand)
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
        self.penalty = house.number("penalty_points")

    @classmethod
    def wild_rank_of(cls, hand: int) -> Rank | None:
        """The Proter of hand n is the rank n (PRO-1)."""
        return Rank(hand)

    def value(self, card: Card) -> int:
        """A card's points: its rank, ace 1 to king 13; a Proter by house rule (PRO-15)."""
        if card.rank == self.wild_rank and self.house["proter_left_value"] == "zero":
            return 0
        return int(card.rank)

    # -- PRO-7 and PRO-9: what may come to the table ---------------------------------------------

    def meld_breaches(
        self, laid: Sequence[Laid], open_wilds: int, table: Table, player: Player
    ) -> Sequence[Breach]:
        """The first meld without Proters (PRO-7), and no card on the table twice (PRO-9)."""
        breaches = self._twice_on_table(laid, table)
        wild = [one for one in laid if self.limits.counts_as_wild(one)]
        if wild or (open_wilds and self.limits.wild_in_own_place):
            when = self.house["natural_first_meld"]
            if when == "each_turn" and not player.melded_this_turn:
                breaches.append(_first_meld("turn"))
            elif when == "each_hand" and not player.has_melded:
                breaches.append(_first_meld("hand"))
        return breaches

    def lay_off_breaches(
        self, laid: Sequence[Laid], table: Table, player: Player
    ) -> Sequence[Breach]:
        """No card on the table twice (PRO-9); a meld before it, if the house wants one (PRO-7)."""
        return [*self._twice_on_table(laid, table), *self._needs_meld(player)]

    def _needs_meld(self, player: Player) -> Sequence[Breach]:
        if not self.house.yes("lay_off_needs_meld") or player.has_melded:
            return ()
        return (Breach("PRO-7", "The player has not melded in this hand, as this table asks."),)

    def _twice_on_table(self, laid: Sequence[Laid], table: Table) -> list[Breach]:
        breaches = []
        here = {one.stands_for: one for one in laid}
        for meld in table.melds:
            for there in meld.cards:
                one = here.get(there.stands_for)
                if one is not None:
                    breaches.append(Breach("PRO-9", _already(one, there, meld.shown)))
        if len(here) < len(laid):
            seen: set[Card] = set()
            for one in laid:
                if one.stands_for in seen:
                    breaches.append(
                        Breach("PRO-9", f"{one.stands_for.shown} is twice in one meld.")
                    )
                seen.add(one.stands_for)
        return breaches

    # -- PRO-10: swaps ---------------------------------------------------------------------------

    def swap_breaches(self, taken: Laid | None, play: Swap, player: Player) -> Sequence[Breach]:
        """Only the real card, for a Proter that stands for it, as the house allows (PRO-10)."""
        breaches = list(self._needs_meld(player))
        if taken is None:
            real = play.card.stands_for or play.card.card
            if real != play.card.card:
                says = f"{play.card.card.shown} is not the {real.shown}; only the real card swaps."
            else:
                says = f"No Proter stands for {real.shown} in that meld."
            breaches.append(Breach("PRO-10", says))
        elif taken.card in player.fresh and not self.house.yes("swap_own_fresh_proter"):
            breaches.append(
                Breach(
                    "PRO-10",
                    f"{taken.card.shown} was laid by the same player in this turn and stays.",
                )
            )
        return breaches

    # -- PRO-3, PRO-11, PRO-12, PRO-14: the pile and the end of a turn ----------------------------

    def discard_breaches(self, card: Card, table: Table) -> Sequence[Breach]:
        """Not the top card's rank (PRO-11), no run with the pile (PRO-12)."""
        if not table.pile:
            return ()
        breaches = []
        top = table.pile[-1]
        if card.rank == top.rank:
            breaches.append(
                Breach("PRO-11", f"{card.shown} has the rank of {top.shown}, the top of the pile.")
            )
        kind = self.house["discard_run"]
        if kind == "two_adjacent" and self._within_two(card, top):
            breaches.append(
                Breach(
                    "PRO-12",
                    f"{card.shown} is within two ranks of {top.shown}, the top of the pile, "
                    "in its suit.",
                )
            )
        elif kind == "three_in_suit" and self._makes_run(table.pile[-2:], card):
            under = table.pile[-2]
            breaches.append(
                Breach("PRO-12", f"{card.shown} makes a run with {under.shown} and {top.shown}.")
            )
        return breaches

    def _within_two(self, card: Card, top: Card) -> bool:
        if card.suit != top.suit or card.rank == top.rank:
            return False
        return any(
            abs(a - b) <= 2
            for a in self.ace_in_runs.places(card.rank)
            for b in self.ace_in_runs.places(top.rank)
        )

    def _makes_run(self, top_two: Sequence[Card], card: Card) -> bool:
        cards = (*top_two, card)
        if len(cards) < 3 or len({one.suit for one in cards}) > 1:
            return False
        in_order = self.house["discard_run_order"] == "in_order"
        # One ace at most can be among three cards of one suit, so trying each of its places
        # for all the cards at once is enough.
        for ace in self.ace_in_runs.places(Rank.ACE):
            ranks = [ace if one.rank is Rank.ACE else int(one.rank) for one in cards]
            rising = sorted(ranks)
            if rising[1] - rising[0] == rising[2] - rising[1] == 1 and (
                not in_order or ranks in (rising, rising[::-1])
            ):
                return True
        return False

    def take_pile_breaches(self, player: Player) -> Sequence[Breach]:
        """The pile is taken before anything else is played (PRO-3)."""
        if player.melded_this_turn or player.begun:
            return (Breach("PRO-3", "The pile is taken at the start of a turn, not during it."),)
        return ()

    def turn_over_breach(self) -> Breach:
        """One discard ends the turn (PRO-3)."""
        return Breach("PRO-3", "The turn was over with the discard.")

    def turn_breaches(self, made: Sequence[Made], left: int | None) -> Mapping[int, Breach]:
        """A swapped Proter that was not melded (PRO-10); out without a discard (PRO-14)."""
        late: dict[int, Breach] = {}
        if self.house["swapped_proter"] == "meld_this_turn":
            late |= _unmelded_swaps(made)
        if (
            left == 0
            and made
            and not isinstance(made[-1].play, Discard)
            and self.house["going_out_discard"] == "required"
        ):
            late[len(made) - 1] = Breach("PRO-14", "The last card must be discarded at this table.")
        return late

    # -- PRO-13: what follows --------------------------------------------------------------------

    def consequence(self, breach: Breach) -> Consequence:
        """Points and what is taken back for a breach (PRO-13.1, 13.2 and 13.6)."""
        if breach.rule in _NO_CHARGE:
            return Consequence(0, TakeBack.PLAY)
        charge = _CHARGE_FOR.get(breach.rule)
        if charge is not None or self.house["wrong_meld"] == "penalty":
            return Consequence(self.penalty, TakeBack.TURN, turn_passes=True)
        return Consequence(0, TakeBack.PLAY)

    def charge_for(self, broken: Sequence[str]) -> str | None:
        """The rule number under which broken rules are charged; None if they cost no points."""
        for rule in broken:
            if rule in _CHARGE_FOR:
                return _CHARGE_FOR[rule]
        if self.house["wrong_meld"] == "penalty" and any(r not in _NO_CHARGE for r in broken):
            return "PRO-13.6"
        return None

    # -- PRO-15: marks ---------------------------------------------------------------------------

    def score(self, ends: Sequence[HandEnd]) -> Mapping[str, Mark]:
        """Cards left and penalties of a hand, by player (PRO-13, PRO-15).

        Raises `Malformed` if one pack cannot hold all the cards left, if a charge is not one of
        this sheet's, or if these cannot be the ends of one hand.
        """
        check_ends(ends)
        check_packs(
            ((f"{end.name}'s cards", end.left.cards or ()) for end in ends),
            self.game.packs,
            self.game.jokers,
            "left",
        )
        return {end.name: self.mark(end) for end in ends}

    def mark(self, end: HandEnd) -> Mark:
        """One player's mark. Raises `Malformed` for a charge that is not one of this sheet's."""
        charges = [Charged(rule, self.charge_points(rule)) for rule in end.penalties]
        rules = [charge.rule for charge in charges]
        if PROTERS_LEFT not in rules and end.left.wilds:
            times = end.left.wilds if self.house["proters_left"] == "each" else 1
            charges += [Charged(PROTERS_LEFT, self.penalty)] * times
        if (
            NO_MELD not in rules
            and not end.melded
            and (not end.out or self.house.yes("winner_pays_no_meld"))
        ):
            charges.append(Charged(NO_MELD, self.penalty))
        return Mark(end.left.points, tuple(charges))

    def charge_points(self, rule: str) -> int:
        """The points of a charge. Raises `Malformed` if this table has no such charge (PRO-13)."""
        if not self.game.charge(rule).applies(self.house):
            raise Malformed(
                f"This table takes a wrong meld back without points; {rule} does not apply.",
                "penalties",
            )
        return self.penalty


def _first_meld(when: str) -> Breach:
    return Breach("PRO-7", f"The first meld of a player's {when} has no Proter.")


def _unmelded_swaps(made: Sequence[Made]) -> Mapping[int, Breach]:
    breaches = {}
    for number, (_, ruling) in enumerate(made):
        if ruling.took is None:
            continue
        later = (m.play for m in made[number + 1 :] if isinstance(m.play, MeldPlay))
        if not any(ruling.took == offered.card for play in later for offered in play.cards):
            breaches[number] = Breach(
                "PRO-10", f"{ruling.took.shown} was taken and not melded in the same turn."
            )
    return breaches


def _already(one: Laid, there: Laid, meld: str) -> str:
    card = there.stands_for.shown
    if one.card != one.stands_for:
        stands = f"{one.card.shown} would stand for it"
    else:
        stands = "it may only be swapped in"
    if there.card == there.stands_for:
        return f"{card} is already on the table, in {meld}; {stands}."
    return f"{card} is already on the table: {there.card.shown} stands for it in {meld}; {stands}."


PROTER = Game(
    id="proter",
    name="Proter",
    says="The Sri Lankan rummy of 13 hands, with a new wild rank in each.",
    hands=13,
    players=(2, 7),
    packs=1,
    jokers=0,
    cards_dealt=6,
    deal_passes="right",
    sheets=SHEETS,
    house_rules=HOUSE_RULES,
    charges=CHARGES,
    penalty_rule="penalty_points",
    judge=ProterJudge,
)
