"""Indian Chief: seven rounds, a meld of another box in each, 2 to 8 players (CHI-1 … CHI-6)."""

from __future__ import annotations

from collections.abc import Sequence

from companion.rules.cards import check_packs
from companion.rules.game import Deck, DeckFor, Game
from companion.rules.games.indian_chief_rounds import RoundMeld, RoundScore, score_round
from companion.rules.hand_rules import Need
from companion.rules.house import Choice, HouseRule, Sheet
from companion.rules.judge import Judge

_SHEET = "indian_chief"


class IndianChiefJudge(Judge):
    """The rules of a round, which are the same in all seven: no card is melded on the table."""

    turn_rule = "CHI-1"
    asks = frozenset({"round"})
    asks_without_hand = asks

    def needs(self) -> Sequence[Need]:
        """Nothing that changes from round to round."""
        return []

    def score_round(self, melds: Sequence[RoundMeld]) -> RoundScore:
        """What every meld scores, and in which order thieves take a card (CHI-1 … CHI-5).

        Raises `Malformed` if the packs cannot hold the cards, and as `score_round` does.
        """
        check_packs([(f"{meld.name}'s cards", meld.cards) for meld in melds], *self.deck, "plays")
        return score_round(
            melds,
            ace_of_hearts_is_both=self.house["doctor_ace_of_hearts"] == "both",
            equal_by_value=self.house["thief_tie"] == "value",
        )


INDIAN_CHIEF = Game(
    id="indian_chief",
    name="Indian Chief",
    says="Seven rounds of eight cards, and a score sheet of seven boxes; the highest total wins.",
    hands=7,
    players=(2, 8),
    decks={"": (DeckFor(2, 3, Deck(1)), DeckFor(4, 8, Deck(2)))},
    cards_dealt=(8,),
    deal_passes="left",
    sheets=(Sheet(_SHEET, "Indian Chief", "The rules of denexa.com."),),
    house_rules=(
        HouseRule(
            "doctor_ace_of_hearts",
            "CHI-3",
            "The ace of hearts in a Doctor",
            (
                Choice("both", "It is the ace and the heart that a Doctor needs."),
                Choice("one", "It is the one or the other: beside it there is another heart."),
            ),
            {_SHEET: "both"},
        ),
        HouseRule(
            "thief_tie",
            "CHI-5",
            "Equal thieves",
            (
                Choice("rank", "Cards of one rank are equal; a ten comes before a king."),
                Choice("value", "Cards of one face value are equal, as a ten and a king are."),
            ),
            {_SHEET: "rank"},
        ),
    ),
    charges=(),
    judge=IndianChiefJudge,
    deal_rule="CHI-1",
    end_rule="CHI-1",
    turns_up=False,
    highest_wins=True,
)
