"""Pay Me: 11 hands of 3 to 13 cards, all of them melded at once to go out (PAY-1 … PAY-10)."""

from companion.rules.cards import Rank
from companion.rules.declaring import FALSE_CALL, GoingOutJudge
from companion.rules.game import Charge, Deal, Game, decks_up_to_eight
from companion.rules.house_rules import Choice, House, HouseRule, Sheet
from companion.rules.language import noted
from companion.rules.melds import AceInRuns, MeldLimits, MeldRules
from companion.rules.ruling import Breach, Consequence, TakeBack

CHARGED_AS = "PAY-10"

HOUSE_RULES = (
    HouseRule("ace_in_runs", "PAY-5", "The ace in runs").with_choices(
        low="Below the 2 only: A 2 3 is a run, Q K A is not.",
        high="Above the king only: Q K A is a run, A 2 3 is not.",
        both="Above the king or below the 2, but never K A 2.",
    ),
    HouseRule("wild_in_own_place", "PAY-6", "A wild rank in its own place").with_choices(
        natural="Where it stands for itself, it is an ordinary card.",
        wild="It is wild even where it stands for itself.",
    ),
    HouseRule("lay_off_order", "PAY-9", "Who lays off first").with_choices(
        in_turn="The players lay off in the order of play after the caller.",
        free="Whoever comes first lays off first; the marker says who that is.",
    ),
    HouseRule("false_call", "PAY-10", "A false “Pay me”", numbers=range(501)).with_choices(
        Choice(0, "A wrong call costs nothing; the melds are taken back."),
    ),
)

CHARGES = (
    Charge(
        CHARGED_AS,
        "False call",
        "“Pay me” was called without the whole hand in melds.",
        applies=lambda house: house["false_call"] != 0,
        points_rule="false_call",
    ),
)


class PayMeJudge(GoingOutJudge):
    """The rules of one hand of Pay Me."""

    asks = GoingOutJudge.asks - {"declare"}  # a player goes out in a turn
    turn_rule = "PAY-7"
    # Melds that are not the whole hand are a false call (PAY-8).
    declare_rule = "PAY-7"
    charged_as = CHARGED_AS
    declare_call = noted("Pay me!")

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        super().__init__(game, house, deal)
        self.limits = MeldLimits(
            rules=MeldRules(set="PAY-4", run="PAY-5", wild="PAY-6", lay_off="PAY-9", swap="PAY-9"),
            wild_ranks=frozenset({Rank.JOKER, Rank.TWO, self.wild_rank_of(deal.hand)}),
            ace_in_runs=AceInRuns(house["ace_in_runs"]),
            wild_in_own_place=house["wild_in_own_place"] == "wild",
            half_wild=True,
            wilds_apart=True,
        )
        by_rank = {rank: 10 if rank >= Rank.EIGHT else 5 for rank in Rank}
        self.counts = by_rank | dict.fromkeys(self.limits.wild_ranks, 15)  # PAY-10
        self.wrong_declaration_points = house.number("false_call")

    def consequence(self, breach: Breach) -> Consequence:
        """Take the play back, and charge the points of a false call (PAY-10)."""
        is_false_call = breach.message == FALSE_CALL
        points = self.wrong_declaration_points if is_false_call else 0
        return Consequence(points, TakeBack.PLAY)


PAY_ME = Game(
    id="pay_me",
    name="Pay Me",
    says="Eleven hands, each a card larger and with another rank wild; out with all cards at once.",
    hands=11,
    players=(2, 8),
    decks_of=lambda _: decks_up_to_eight(2),
    cards_dealt={"": tuple(range(3, 14))},
    sheets=(Sheet("pay_me", "Pay Me", "The rules of Pay Me as Denexa prints them."),),
    house_rules=HOUSE_RULES,
    charges=CHARGES,
    judge=PayMeJudge,
    deal_rule="PAY-2",
    end_rule="PAY-8",
)
