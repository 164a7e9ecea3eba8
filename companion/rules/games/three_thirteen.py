"""Three Thirteen: 11 hands of 3 to 13 cards, one rank wild in each, no lay-offs (TTN-1 … TTN-9)."""

from companion.rules.cards import Rank
from companion.rules.declaring import GoingOutJudge
from companion.rules.game import Deal, Game, decks_up_to_eight
from companion.rules.hand_rules import COURT_TEN
from companion.rules.house_rules import Choice, House, HouseRule, Sheet
from companion.rules.language import noted
from companion.rules.melds import AceInRuns, MeldLimits, MeldRules

_WHOLE_HAND = 14

HOUSE_RULES = (
    HouseRule("jokers", "TTN-1", "Jokers").with_choices(
        none="No jokers: only the rank of the hand is wild.",
        two_a_pack="Two a pack, wild in every hand; 15 points each if left.",
    ),
    HouseRule("min_naturals", "TTN-6", "Melds of wild cards alone").with_choices(
        Choice(0, "They are melds like any others."),
        Choice(1, "A meld has at least one card that is not wild."),
    ),
    HouseRule("going_out_discard", "TTN-7", "Discard when going out").with_choices(
        required="One card is discarded, and all others are in melds.",
        optional="All cards may be in melds, without a discard.",
    ),
    HouseRule("ace_left", "TTN-9", "An ace left").with_choices(
        Choice(1, "1 point."),
        Choice(15, "15 points."),
    ),
    HouseRule("court_left", "TTN-9", "A king, queen or jack left").with_choices(
        Choice("10", "10 points each."),
        Choice("11-13", "Jack 11, queen 12, king 13 points."),
    ),
)


class ThreeThirteenJudge(GoingOutJudge):
    """The rules of one hand of Three Thirteen."""

    turn_rule = "TTN-7"
    declare_rule = "TTN-7"
    declare_call = noted("Going out")
    asks = GoingOutJudge.asks - {"lay_off"}

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        super().__init__(game, house, deal)
        jokers = {Rank.JOKER} if deal.deck.jokers else set()
        self.limits = MeldLimits(
            rules=MeldRules(set="TTN-4", run="TTN-5", wild="TTN-6", lay_off="TTN-8", swap="TTN-8"),
            wild_ranks=frozenset({self.wild_rank_of(deal.hand), *jokers}),
            ace_in_runs=AceInRuns.LOW,
            set_sizes=(3, _WHOLE_HAND),
            suits_differ=False,
            min_naturals=house.number("min_naturals"),
        )
        # TTN-9 says nothing about a joker: it counts 15, as in Pay Me (PAY-10).
        court = {} if house["court_left"] == "11-13" else COURT_TEN
        self.counts = {Rank.JOKER: 15, Rank.ACE: house.number("ace_left"), **court}
        self.must_discard = house["going_out_discard"] == "required"


THREE_THIRTEEN = Game(
    id="three_thirteen",
    name="Three Thirteen",
    says="Eleven hands, each a card larger; the rank of the number dealt is wild.",
    hands=11,
    players=(2, 8),
    decks_of=lambda house: decks_up_to_eight(2 if house["jokers"] == "two_a_pack" else 0),
    cards_dealt={"": tuple(range(3, 14))},
    sheets=(Sheet("three_thirteen", "Three Thirteen", "The usual rules, as in the rulebook."),),
    house_rules=HOUSE_RULES,
    judge=ThreeThirteenJudge,
    deal_rule="TTN-2",
    end_rule="TTN-7",
)
