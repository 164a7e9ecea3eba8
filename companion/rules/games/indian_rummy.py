"""Indian Rummy, or Paplu: 13 cards, all in melds, two runs of them clean (IND-1 … IND-8)."""

from collections.abc import Collection, Sequence

from companion.rules.arrange import arrange
from companion.rules.cards import Card, Rank, check_packs
from companion.rules.declaring import DeclaringJudge
from companion.rules.game import Charge, Deal, Deck, DeckFor, EndsBy, Game, WonBy
from companion.rules.hand_rules import COURT_TEN, Need
from companion.rules.house_rules import Choice, House, HouseRule, Sheet
from companion.rules.language import gettext, noted
from companion.rules.melds import MeldLimits, MeldRules
from companion.rules.scoring import HandEnd, Left
from companion.rules.seating import SeatDraw

WINS = "The first player with two Rummies wins, or the last player who has not left."
LEFT_EARLY, LEFT_LATE, WRONG_DECLARATION = "IND-7.1", "IND-7.2", "IND-8"


SHEETS = (
    Sheet("indian_rummy", "Indian Rummy", "Paplu as it is played in Maharashtra, by Vasant Mali."),
)

HOUSE_RULES = (
    HouseRule("joker_turned", "IND-1", "A printed joker turned up").with_choices(
        aces="Aces are wild, and printed jokers.",
        printed_only="Only printed jokers are wild.",
    ),
    HouseRule("set_size", "IND-3", "The size of a set").with_choices(
        Choice("3", "A set is three cards, no more."),
        Choice("3-4", "A set is three or four cards."),
    ),
    HouseRule("clean_sequences", "IND-5", "Clean sequences").with_choices(
        Choice(2, "Two sequences at least have no card that stands for another."),
        Choice(1, "Two sequences at least, one of which has no card that stands for another."),
    ),
    HouseRule("wild_in_own_place", "IND-5", "A wild rank in its own place").with_choices(
        natural="Where it stands for itself, it is an ordinary card.",
        wild="It is a joker even where it stands for itself.",
    ),
    HouseRule("jokers_per_meld", "IND-5", "Jokers in a meld").with_choices(
        Choice("any", "Any number, beside one natural card at least."),
        Choice(1, "One at most."),
    ),
    HouseRule(
        "leave_early", "IND-7", "Leaving after the first Rummy", numbers=range(501)
    ).with_choices(
        Choice(10, "A player who leaves then pays 10 points."),
    ),
    HouseRule("leave_late", "IND-7", "Leaving later", numbers=range(501)).with_choices(
        Choice(40, "A player who leaves later pays 40 points."),
    ),
    HouseRule("count", "IND-8", "Which of the cards left count").with_choices(
        ungrouped="Cards in no meld; with too few sequences, or too few clean ones, "
        "all but those in clean ones.",
        all="All cards held, in melds or not.",
    ),
    HouseRule("cap", "IND-8", "Limit for cards left").with_choices(
        Choice("none", "They count as much as they are worth."),
        Choice(80, "They never count more than 80 points."),
    ),
    HouseRule("wrong_declare", "IND-8", "A wrong declaration", numbers=range(501)).with_choices(
        Choice(80, "A player who declares wrongly pays 80 points."),
    ),
)

CHARGES = (
    Charge(
        LEFT_EARLY,
        "Left the game early",
        "The player left the game right after the first Rummy.",
        points_rule="leave_early",
        leaves=True,
        first_hand=2,
    ),
    Charge(
        LEFT_LATE,
        "Left the game later",
        "The player played on after the first Rummy and left the game later.",
        points_rule="leave_late",
        leaves=True,
        first_hand=2,
    ),
    Charge(
        WRONG_DECLARATION,
        "Wrong declaration",
        "The cards that were declared are no Rummy.",
        points_rule="wrong_declare",
    ),
)


CARDS = 13


class IndianRummyJudge(DeclaringJudge):
    """The rules of one deal of Indian Rummy."""

    turn_rule = "IND-6"
    drawn_rule = "IND-6"
    declare_rule = "IND-5"
    charged_as = WRONG_DECLARATION
    declared = CARDS
    asks = frozenset({"meld", "discard", "declare", "arrange", "score"})
    asks_without_hand = asks
    asks_with_wild_rank = asks - {"discard"}

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        super().__init__(game, house, deal)
        self.limits = MeldLimits(
            run_word="sequence",
            rules=MeldRules(set="IND-3", run="IND-2", wild="IND-5", lay_off="IND-6", swap="IND-6"),
            wild_ranks=_wild_ranks(deal.wild_rank, house),
            set_sizes=(3, 4 if house["set_size"] == "3-4" else 3),
            wild_in_own_place=house["wild_in_own_place"] == "wild",
            min_naturals=1,
            max_wilds=1 if house["jokers_per_meld"] == 1 else None,
            tanala_rule="IND-4" if deal.deck.packs == 3 else "",
        )
        by_rank = {Rank.ACE: 10, **COURT_TEN}
        self.counts = by_rank | dict.fromkeys(self.limits.wild_ranks, 0)  # IND-8
        self.clean_runs = house.number("clean_sequences")
        self.all_runs = 2
        self.is_dealt = deal.hand == 1  # after a Rummy the others keep their cards (IND-7)
        self.wrong_declaration_points = house.number("wrong_declare")
        self.counts_all = house["count"] == "all"
        cap = house["cap"]
        self.most_points_left = None if cap == "none" else int(cap)

    @classmethod
    def winner(cls, declared: Sequence[int], playing: Collection[int]) -> int | None:
        """Return the first player with a second Rummy, or the only one still playing (IND-7)."""
        once: set[int] = set()
        for seat in declared:
            if seat in once:
                return seat
            once.add(seat)
        return next(iter(playing)) if len(playing) == 1 else None

    def needs(self) -> Sequence[Need]:
        """Return which cards are wild, if the card turned up is known (IND-1)."""
        return () if self.deal.wild_rank is None else super().needs()

    def afterwards(self, ends: Sequence[HandEnd]) -> Sequence[Need]:
        """Return how play goes on after a Rummy (IND-7)."""
        says = noted(
            "the 13 cards shown go under the stock, %(name)s takes 13 new cards, "
            "the others keep theirs"
        )
        return [Need(gettext("Goes on"), gettext(says, name=end.name)) for end in ends if end.out]

    def left(self, cards: Sequence[Card]) -> Left:
        """Return the points of the cards held: of those in no meld, or of all (IND-8)."""
        check_packs([(noted("in the cards left"), cards)], *self.deck, "left")
        left = self.unmelded(cards)
        if left.points and not self.counts_all:
            return left._replace(points=self.capped(arrange(cards, self).points))
        return left


def _wild_ranks(turned: Rank | None, house: House) -> frozenset[Rank]:
    """Return the ranks of the joker and the turned card; aces for a turned joker (IND-1)."""
    if turned is Rank.JOKER:
        turned = Rank.ACE if house["joker_turned"] == "aces" else None
    return frozenset({Rank.JOKER} if turned is None else {Rank.JOKER, turned})


INDIAN_RUMMY = Game(
    id="indian_rummy",
    name="Indian Rummy",
    says="Thirteen cards, all of them in melds, with two sequences in which no joker helps.",
    # A hand ends with a Rummy, the game with somebody's second: ten players can have one each.
    hands=11,
    players=(2, 10),
    decks_of=lambda _: (DeckFor(2, 6, Deck(2, 2)), DeckFor(7, 10, Deck(3, 3))),
    cards_dealt={"": (CARDS,)},
    deal_passes="right",
    cuts=True,
    sheets=SHEETS,
    house_rules=HOUSE_RULES,
    charges=CHARGES,
    judge=IndianRummyJudge,
    deal_rule="IND-1",
    end_rule="IND-7",
    seat_draws={"": SeatDraw("IND-6", lowest_deals=True)},
    wild_word="joker",
    ends_by=EndsBy.DECLARING,
    won_by=WonBy(WINS, WINS, totals=False),
)
