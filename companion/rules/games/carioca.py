"""Carioca, also Loba: seven hands, each with a contract of trios and escaleras (CAR-1 … CAR-7)."""

from collections.abc import Mapping

from companion.rules.cards import Rank
from companion.rules.contracts import ContractJudge
from companion.rules.game import Deal, Deck, DeckFor, Game
from companion.rules.hand_rules import COURT_TEN
from companion.rules.house_rules import House, HouseRule, Sheet
from companion.rules.melds import MOST_OF_A_RANK, Meld, MeldLimits, MeldRules
from companion.rules.ruling import Breach, Breaches
from companion.rules.table import ENDS


class CariocaJudge(ContractJudge):
    """The rules of one hand of Carioca."""

    turn_rule = "CAR-1"
    contract_rule = "CAR-3"
    swap_gives_wild = False
    joker_ends = ENDS
    counts: Mapping[Rank, int] = {Rank.JOKER: 50, Rank.ACE: 20, **COURT_TEN}  # CAR-7
    limits = MeldLimits(
        set_word="trio",
        run_word="escalera",
        rules=MeldRules(set="CAR-2", run="CAR-2", wild="CAR-4", lay_off="CAR-5", swap="CAR-6"),
        set_sizes=(3, MOST_OF_A_RANK),
        run_sizes=(4, 13),
        suits_differ=False,
    )

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        super().__init__(game, house, deal)
        self.exact = house.yes("exact_contract")
        self.lays_off_at_once = house.yes("lay_off_on_contract_turn")
        message = "no_contract_met" if self.lays_off_at_once else "lay_off_next_turn"
        self.lay_off_too_early = self.swap_too_early = Breach("CAR-5", message)
        if house.yes("new_melds_after_contract"):
            self.meld_too_early = (Breach("CAR-5", "meld_too_early"),)
        else:
            self.no_more_melds = (Breach("CAR-5", "no_more_melds"),)

    # -- CAR-3 and CAR-4: the contract -----------------------------------------------------------

    def first_meld_breaches(self, meld: Meld) -> Breaches:
        """Allow one joker a meld (CAR-4), and by house rule only the exact size (CAR-3)."""
        breaches = []
        jokers = self.limits.wilds(meld.cards)
        if jokers > 1:
            breaches.append(Breach.of("CAR-4", "contract_jokers", meld=meld, jokers=jokers))
        size, wanted = len(meld.cards), self.limits.smallest(meld.kind)
        if self.exact and size != wanted:
            kind = self.limits.term(meld.kind)
            breaches.append(
                Breach.of("CAR-3", "contract_size", meld=meld, size=size, kind=kind, wanted=wanted)
            )
        return breaches


HOUSE_RULES = (
    HouseRule("exact_contract", "CAR-3", "The size of the first melds").with_choices(
        yes="Trios of the contract have three cards, escaleras four.",
        no="Trios of the contract have three or more, escaleras four or more.",
    ),
    HouseRule(
        "lay_off_on_contract_turn", "CAR-5", "Lay-offs in the turn of the contract"
    ).with_choices(
        no="A player who has laid the contract may lay off from the next turn on.",
        yes="A player who has laid the contract may lay off in the same turn.",
    ),
    HouseRule("new_melds_after_contract", "CAR-5", "New melds after the contract").with_choices(
        no="After the contract, cards may only be laid off.",
        yes="On later turns new melds may be laid, with any number of jokers.",
    ),
)

CARIOCA = Game(
    id="carioca",
    name="Carioca",
    says="Also Loba: seven hands, each with its contract of trios and escaleras.",
    hands=7,
    players=(2, 5),
    decks_of=lambda _: (DeckFor(2, 5, Deck(2, 4)),),
    cards_dealt={"": (11, 11, 11, 11, 11, 11, 12)},
    deal_passes="right",
    sheets=(Sheet("carioca", "Carioca", "The rules of Carioca as Denexa gives them."),),
    house_rules=HOUSE_RULES,
    judge=CariocaJudge,
    deal_rule="CAR-1",
    end_rule="CAR-7",
    wild_word="joker",
)
