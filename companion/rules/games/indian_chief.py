"""Indian Chief: seven rounds, a meld of another box in each, 2 to 8 players (CHI-1 … CHI-6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from companion.rules.cards import SUITS, Card, Rank, Suit, check_packs
from companion.rules.errors import Malformed
from companion.rules.game import HIGHEST, Deal, Deck, DeckFor, EndsBy, Game
from companion.rules.games.indian_chief_rounds import (
    Box,
    BoxScore,
    RoundMeld,
    RoundScore,
    box_score,
    face_values,
    possible_scores,
    score_round,
    scores_in_words,
    thieves_in_order,
    thieves_in_words,
)
from companion.rules.hand_rules import COURT_TEN, MeldBox, Need
from companion.rules.house_rules import House, HouseRule, Sheet
from companion.rules.judge import Judge
from companion.rules.language import gettext, listed, noted
from companion.rules.scoring import HandEnd, Left, Mark, ShownMeld

_ASKS = {Box.DOCTOR: "suit", Box.INDIAN_CHIEF: "split"}


class IndianChiefJudge(Judge):
    """The rules of a round, the same in all seven. No card is melded on the table."""

    turn_rule = "CHI-1"
    asks = frozenset({"round"})
    asks_without_hand = asks
    counts = COURT_TEN  # CHI-2
    nothing_left_is_out = False
    boxes = tuple(
        MeldBox(box.title, int(box), _ASKS.get(box, ""), box is Box.RICH_MAN) for box in Box
    )

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        super().__init__(game, house, deal)
        self._ace_of_hearts_is_both = house["doctor_ace_of_hearts"] == "both"
        self._equal_by_value = house["thief_tie"] == "value"

    @property
    def refill(self) -> str:
        """After round 1 hands are filled up to eight cards (CHI-1)."""
        if self.hand == 1:
            return ""
        return gettext(
            "Set the cards that were shown aside. Fill everybody up to eight cards from the stub; "
            "a thief takes a card from another player's meld instead of one of these. Only then "
            "shuffle the cards that were set aside into the stub."
        )

    def needs(self) -> Sequence[Need]:
        """Return nothing: no round differs from the others."""
        return []

    def left(self, cards: Sequence[Card]) -> Left:
        """Return the cards of a meld with the sum of their face values; none is wild."""
        return Left(face_values(cards), 0, tuple(cards))

    def marks(self, ends: Sequence[HandEnd]) -> Mapping[str, Mark]:
        """Return what each meld scores in its box among these (CHI-3).

        Raises as `score_round` does, and for points that the box cannot have.
        """
        boxes = dict(self.score_round(_melds(ends)).boxes)
        boxes |= {end.name: self._entered(end) for end in ends if end.box}
        return {end.name: self._mark(end, boxes[end.name]) for end in ends}

    def _entered(self, end: HandEnd) -> BoxScore:
        box, points = _box(end), end.left.points
        if points not in possible_scores(box, self.deck.packs):
            raise Malformed(
                "%(name)s's %(box)s scores %(scores)s, not %(points)s (CHI-3).",
                "points",
                name=end.name,
                box=box.title,
                scores=scores_in_words(box, self.deck.packs),
                points=abs(points) if box is Box.RICH_MAN else points,
            )
        return BoxScore(box, points, "as it was entered, without the cards")

    def check_boxes(self, ends: Sequence[HandEnd]) -> None:
        """Raise `Malformed` unless the melds can make the points of each Beggar Man (CHI-3)."""
        for end in ends:
            others = [other for other in ends if other is not end]
            unseen = [other.name for other in others if other.box]
            is_beggar = len(end.left.cards or ()) == Box.BEGGAR_MAN
            if is_beggar and unseen:
                says = noted(
                    "%(name)s's Beggar Man counts what the others show, "
                    "and the cards of %(names)s are not entered. "
                    "Enter it by its points too (CHI-3)."
                )
                raise Malformed(says, end.name, name=end.name, names=listed(unseen))
            shown = sum(_box(o) if o.box else len(o.left.cards or ()) for o in others)
            if end.box == Box.BEGGAR_MAN.title and end.left.points > 2 * shown:
                says = noted(
                    "%(name)s's Beggar Man scores %(most)s at most: "
                    "the others show %(shown)s cards (CHI-3)."
                )
                raise Malformed(says, end.name, name=end.name, most=2 * shown, shown=shown)

    def _mark(self, end: HandEnd, score: BoxScore) -> Mark:
        needs_all = score.box is Box.BEGGAR_MAN and not end.box
        shown = ShownMeld(score.box.title, score.says, score.split, needs_all)
        return replace(self.mark(end), cards=score.points, shown=shown)

    def afterwards(self, ends: Sequence[HandEnd]) -> Sequence[Need]:
        """Return the order in which thieves take a card (CHI-5)."""
        points = {end.name: end.left.points for end in ends if end.box == Box.THIEF.title}
        # A number is a card's rank, and a ten one of four: any suit will do.
        unseen = [
            RoundMeld(name, (Card(Rank(number), SUITS[0]),)) for name, number in points.items()
        ]
        melds = [*_melds(ends), *unseen]
        tens = [
            meld.name for meld in melds if len(meld.cards) == 1 and face_values(meld.cards) == 10
        ]
        is_unsure = (
            not self._equal_by_value
            and len(tens) > 1
            and any(points.get(name) == 10 for name in tens)
        )
        by_value = self._equal_by_value or is_unsure
        order = thieves_in_order(melds, equal_by_value=by_value)
        if not order:
            return []
        return [Need(gettext("Thieves"), thieves_in_words(order, last_is_unsure=is_unsure))]

    def score_round(self, melds: Sequence[RoundMeld]) -> RoundScore:
        """Return what every meld scores, and the order of the thieves (CHI-1 … CHI-5).

        Raises `Malformed` if the packs cannot hold the cards, and as `score_round` does.
        """
        places = [(gettext("in %(name)s's cards", name=meld.name), meld.cards) for meld in melds]
        check_packs(places, *self.deck, "plays")
        return score_round(
            melds,
            ace_of_hearts_is_both=self._ace_of_hearts_is_both,
            equal_by_value=self._equal_by_value,
        )

    def score_meld(
        self, cards: Sequence[Card], others: Sequence[Card] = (), suit: Suit | None = None
    ) -> BoxScore:
        """Return what one meld scores where all the ``others`` together show these cards (CHI-3).

        A suit that is named for any other box than Doctor is left out. Raises `Malformed` for cards
        that the packs cannot hold or that fill no box, for a Doctor without a suit, and for a
        Beggar Man if nobody said what the others show.
        """
        places = [(noted("in the meld"), cards), (noted("in what the others show"), others)]
        check_packs(places, *self.deck)
        if len(cards) == Box.BEGGAR_MAN and not others:
            says = noted(
                "A Beggar Man scores by what the others show. Tap their cards too (CHI-3)."
            )
            raise Malformed(says, "others")
        is_doctor = len(cards) == Box.DOCTOR
        meld = RoundMeld(gettext("The player"), tuple(cards), suit if is_doctor else None)
        where = "suit" if is_doctor else "cards"
        return box_score(meld, others, self._ace_of_hearts_is_both, where)


def _melds(ends: Sequence[HandEnd]) -> list[RoundMeld]:
    """Return the melds whose cards were given."""
    return [
        RoundMeld(end.name, end.left.cards or (), _suit(end), end.split)
        for end in ends
        if not end.box
    ]


def _box(end: HandEnd) -> Box:
    """Return the box with this title. Raises `Malformed` if there is none."""
    box = _BOXES.get(end.box)
    if box is None:
        says = noted("There is no box “%(box)s” for %(name)s to fill.")
        raise Malformed(says, "box", box=end.box[:20], name=end.name)
    return box


def _suit(end: HandEnd) -> Suit | None:
    """Return the suit with this letter. Raises `Malformed` if there is none."""
    suit = _SUITS.get(end.suit)
    if end.suit and suit is None:
        says = noted("There is no suit “%(suit)s” for %(name)s to name.")
        raise Malformed(says, "suit", suit=end.suit[:10], name=end.name)
    return suit


_BOXES = {box.title: box for box in Box}
_SUITS = {suit.text: suit for suit in SUITS}

INDIAN_CHIEF = Game(
    id="indian_chief",
    name="Indian Chief",
    says="Seven rounds of eight cards, and a score sheet of seven boxes; the highest total wins.",
    hands=7,
    players=(2, 8),
    decks={"": (DeckFor(2, 3, Deck(1)), DeckFor(4, 8, Deck(2)))},
    cards_dealt={"": (8,)},
    deal_passes="left",
    sheets=(Sheet("indian_chief", "Indian Chief", "The rules of denexa.com."),),
    house_rules=(
        HouseRule("doctor_ace_of_hearts", "CHI-3", "The ace of hearts in a Doctor").with_choices(
            both="It counts both as the ace and as the heart that a Doctor needs.",
            one="It counts as one of the two: another heart is needed beside it.",
        ),
        HouseRule("thief_tie", "CHI-5", "Equal thieves").with_choices(
            rank="Cards of one rank are equal; a ten comes before a king.",
            value="Cards of one face value are equal, as a ten and a king are.",
        ),
    ),
    charges=(),
    judge=IndianChiefJudge,
    ends_by=EndsBy.BOXES,
    deal_rule="CHI-1",
    end_rule="CHI-1",
    turns_up=False,
    won_by=HIGHEST,
    hand_word="round",
)
