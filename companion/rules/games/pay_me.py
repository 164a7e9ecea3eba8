"""Pay Me: 11 hands of 3 to 13 cards, all of them melded at once to go out (PAY-1 … PAY-10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.rules.cards import Card, Rank
from companion.rules.declaring import DeclaringJudge
from companion.rules.game import Charge, Deal, Deck, DeckFor, Game
from companion.rules.house import Choice, House, HouseRule, Sheet
from companion.rules.judge import Judge
from companion.rules.melds import AceInRuns, MeldLimits
from companion.rules.player import Made, Player
from companion.rules.ruling import Breach, Consequence, Ruling, TakeBack
from companion.rules.table import MeldPlay

FALSE_CALL = "PAY-10"

SHEETS = (Sheet("pay_me", "Pay Me", "The rules of Pay Me as Denexa prints them."),)

HOUSE_RULES = (
    HouseRule(
        "ace_in_runs",
        "PAY-5",
        "The ace in runs",
        (
            Choice("low", "Below the 2 only: A 2 3 is a run, Q K A is not."),
            Choice("high", "Above the king only: Q K A is a run, A 2 3 is not."),
            Choice("both", "Above the king or below the 2, but never K A 2."),
        ),
        {"pay_me": "low"},
    ),
    HouseRule(
        "wild_in_own_place",
        "PAY-6",
        "A wild rank in its own place",
        (
            Choice("natural", "Where it stands for itself, it is an ordinary card."),
            Choice("wild", "It is wild even where it stands for itself."),
        ),
        {"pay_me": "natural"},
    ),
    HouseRule(
        "lay_off_order",
        "PAY-9",
        "Who lays off first",
        (
            Choice("in_turn", "The players lay off in the order of play after the caller."),
            Choice("free", "Whoever comes first lays off first; the marker says who that is."),
        ),
        {"pay_me": "in_turn"},
    ),
    HouseRule(
        "false_call",
        "PAY-10",
        "A false “Pay me”",
        (Choice(0, "A wrong call costs nothing; the melds are taken back."),),
        {"pay_me": 0},
        range(501),
    ),
)

CHARGES = (
    Charge(
        FALSE_CALL,
        "False call",
        "“Pay me” was called without the whole hand in melds.",
        unless=("false_call", 0),
        points_rule="false_call",
    ),
)


class PayMeJudge(DeclaringJudge):
    """The rules of one hand of Pay Me."""

    turn_rule = "PAY-7"
    # “Pay me!”: all cards held after the draw, in melds but for one discard (PAY-8).
    declare_rule = "PAY-7"
    declare_charge = FALSE_CALL
    declare_discards = True
    declare_call = "Pay me!"
    asks = Judge.asks - {"swap"}
    # Melds stay in hand until somebody goes out.
    lays_on_table = False
    asks_off_table = frozenset({"meld", "declare"})
    asks_without_hand = frozenset({"discard"})
    # The others lay off when somebody has gone out, and may have nothing left then (PAY-9).
    nothing_left_is_out = False
    # Melds stay in hand; who did not go out arranges them at the end (PAY-7, PAY-10).
    arranges = True

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        super().__init__(game, house, deal)
        self.limits = MeldLimits(
            set_rule="PAY-4",
            run_rule="PAY-5",
            wild_rule="PAY-6",
            lay_off_rule="PAY-9",
            swap_rule="PAY-9",
            wild_ranks=frozenset({Rank.JOKER, Rank.TWO, self.wild_rank_of(deal.hand)}),
            ace_in_runs=AceInRuns(house["ace_in_runs"]),
            wild_in_own_place=house["wild_in_own_place"] == "wild",
            half_wild=True,
            wilds_apart=True,
        )
        self.false_call = house.number("false_call")
        self.declared = self.most_in_turn

    @property
    def disputes(self) -> frozenset[str]:
        """“Pay me!”, and whether cards are a meld: nothing else is played before that (PAY-7)."""
        return frozenset({"meld", "declare"})

    @property
    def held_in_turn(self) -> int:
        """The cards dealt and the one drawn: nothing is laid before somebody goes out (PAY-8)."""
        return self.most_in_turn

    @classmethod
    def wild_rank_of(cls, hand: int) -> Rank:
        """The rank of the number of cards dealt, n + 2 in hand n (PAY-2, PAY-3)."""
        return Rank(hand + 2)

    def value(self, card: Card) -> int:
        """Points of a card left: wild 15, 8 to king 10, ace to 7 5 (PAY-10)."""
        if self.limits.is_wild(card):
            return 15
        return 10 if card.rank >= Rank.EIGHT else 5

    # -- PAY-7 and PAY-8: melds stay in hand until all of it is melds ----------------------------

    def turn_breaches(
        self, made: Sequence[Made], left: int | None, player: Player
    ) -> Mapping[int, Breach]:
        """Melds shown with cards left over: a false call (PAY-7, PAY-8).

        Where melds lay on the table before, somebody has gone out and the others show what they
        have (PAY-9).
        """
        melds = [n for n, one in enumerate(made) if isinstance(one.play, MeldPlay)]
        if not left or not melds or _somebody_is_out(made):
            return {}
        return dict.fromkeys(melds, _false_call(left))

    def false_call_breaches(self, unmelded: int) -> Sequence[Breach]:
        """A false call, if cards are in no meld (PAY-7)."""
        return [_false_call(unmelded)] if unmelded else []

    @property
    def wrong_declaration_points(self) -> int:
        """A false call costs what the table agreed on (PAY-10)."""
        return self.false_call

    def consequence(self, breach: Breach) -> Consequence:
        """A false call costs what the table agreed on (PAY-10); anything else goes back."""
        is_false_call = breach.message == _NOT_ALL_MELDED
        return Consequence(self.false_call if is_false_call else 0, TakeBack.PLAY)

    def charge_for(self, ruling: Ruling) -> str | None:
        """A false call is charged, if this table charges for it (PAY-10)."""
        return FALSE_CALL if ruling.consequence.points else None


_NOT_ALL_MELDED = "not_all_melded"


def _false_call(left: int) -> Breach:
    return Breach.of("PAY-7", _NOT_ALL_MELDED, left=left)


def _somebody_is_out(made: Sequence[Made]) -> bool:
    began = made[0].table.before
    return began is not None and bool(began.melds)


PAY_ME = Game(
    id="pay_me",
    name="Pay Me",
    says="Eleven hands, each a card larger and with another rank wild; out with all cards at once.",
    hands=11,
    players=(2, 8),
    decks={
        "": (
            DeckFor(2, 2, Deck(1, 2)),
            DeckFor(3, 4, Deck(2, 4)),
            DeckFor(5, 8, Deck(3, 6)),
        )
    },
    cards_dealt=tuple(range(3, 14)),
    deal_passes="left",
    sheets=SHEETS,
    house_rules=HOUSE_RULES,
    charges=CHARGES,
    judge=PayMeJudge,
    deal_rule="PAY-2",
    end_rule="PAY-8",
)
