"""Indian Chief: seven rounds, a meld of another box in each, 2 to 8 players (CHI-1 … CHI-6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from companion.rules.cards import SUITS, Card, Suit, check_packs
from companion.rules.errors import Malformed
from companion.rules.game import Deck, DeckFor, Game
from companion.rules.games.indian_chief_boxes import Box, face_value
from companion.rules.games.indian_chief_rounds import (
    BoxScore,
    RoundMeld,
    RoundScore,
    score_round,
    thieves_in_order,
    thieves_in_words,
)
from companion.rules.hand_rules import MeldBox, Need
from companion.rules.house import Choice, HouseRule, Sheet
from companion.rules.judge import Judge
from companion.rules.scoring import HandEnd, Left, Mark, Shown

_SHEET = "indian_chief"
_ASKS = {Box.DOCTOR: "suit", Box.INDIAN_CHIEF: "split"}


class IndianChiefJudge(Judge):
    """The rules of a round, which are the same in all seven: no card is melded on the table."""

    turn_rule = "CHI-1"
    asks = frozenset({"round"})
    asks_without_hand = asks
    nothing_left_is_out = False
    boxes = tuple(MeldBox(box.title, int(box), _ASKS.get(box, "")) for box in Box)

    def needs(self) -> Sequence[Need]:
        """Nothing that changes from round to round."""
        return []

    def value(self, card: Card) -> int:
        """A card's face value (CHI-2)."""
        return face_value(card)

    def left(self, cards: Sequence[Card]) -> Left:
        """The cards of a meld with their face values; none is wild."""
        return Left(sum(map(face_value, cards)), 0, tuple(cards))

    def marks(self, ends: Sequence[HandEnd]) -> Mapping[str, Mark]:
        """What each meld scores in its box among these (CHI-3); raises as `score_round` does."""
        boxes = self.score_round(_melds(ends)).boxes
        return {end.name: self._mark(end, boxes[end.name]) for end in ends}

    def _mark(self, end: HandEnd, score: BoxScore) -> Mark:
        needs_all = score.box is Box.BEGGAR_MAN
        shown = Shown(score.box.title, score.says, score.split, needs_all)
        return replace(self.mark(end), cards=score.points, shown=shown)

    def afterwards(self, ends: Sequence[HandEnd]) -> Sequence[Need]:
        """In which order thieves take a card when hands are filled up again (CHI-5)."""
        order = thieves_in_order(_melds(ends), equal_by_value=self._equal_by_value)
        return [Need("Thieves", thieves_in_words(order))] if order else []

    @property
    def _equal_by_value(self) -> bool:
        return self.house["thief_tie"] == "value"

    def score_round(self, melds: Sequence[RoundMeld]) -> RoundScore:
        """What every meld scores, and in which order thieves take a card (CHI-1 … CHI-5).

        Raises `Malformed` if the packs cannot hold the cards, and as `score_round` does.
        """
        check_packs([(f"{meld.name}'s cards", meld.cards) for meld in melds], *self.deck, "plays")
        return score_round(
            melds,
            ace_of_hearts_is_both=self.house["doctor_ace_of_hearts"] == "both",
            equal_by_value=self._equal_by_value,
        )


def _melds(ends: Sequence[HandEnd]) -> list[RoundMeld]:
    return [RoundMeld(end.name, end.left.cards or (), _suit(end), end.split) for end in ends]


def _suit(end: HandEnd) -> Suit | None:
    """The suit that was named, by its letter. Raises `Malformed` if there is no such suit."""
    if not end.suit:
        return None
    for suit in SUITS:
        if suit.text == end.suit:
            return suit
    raise Malformed(f"There is no suit “{end.suit[:10]}” for {end.name} to name.", "suit")


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
    hand_word="round",
)
