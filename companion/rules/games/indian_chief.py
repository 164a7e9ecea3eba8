"""Indian Chief: seven rounds, a meld of another box in each, 2 to 8 players (CHI-1 … CHI-6)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from companion.rules.cards import SUITS, Card, Rank, Suit, check_packs, show_cards, without
from companion.rules.errors import Malformed
from companion.rules.game import HIGHEST, Deal, Deck, DeckFor, EndsBy, Game
from companion.rules.games.indian_chief_rounds import (
    LAWYER_TOTAL,
    POKER_HANDS,
    Box,
    RoundMeld,
    RoundScore,
    baccarat,
    best_split,
    box_for,
    chief_points,
    face_values,
    poker_hand,
    possible_scores,
    scores_in_words,
    thieves_in_order,
    thieves_in_words,
)
from companion.rules.hand_rules import COURT_TEN, MeldBox, Need
from companion.rules.house_rules import House, HouseRule, Sheet
from companion.rules.judge import Judge
from companion.rules.language import gettext, listed, ngettext, noted
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
        """Return what each meld scores in its box among these (CHI-3). Raises `Malformed`."""
        boxes = dict(self.score_round(_melds(ends)).boxes)
        boxes |= {end.name: self._entered(end) for end in ends if end.box}
        return {
            end.name: replace(self.mark(end), cards=boxes[end.name].points, shown=boxes[end.name])
            for end in ends
        }

    def _entered(self, end: HandEnd) -> ShownMeld:
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
        return ShownMeld(box.title, points, "as it was entered, without the cards")

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
        unseen_tens = not points.keys().isdisjoint(tens)
        is_unsure = not self._equal_by_value and len(tens) > 1 and unseen_tens
        by_value = self._equal_by_value or is_unsure
        order = thieves_in_order(melds, equal_by_value=by_value)
        if not order:
            return []
        return [Need(gettext("Thieves"), thieves_in_words(order, last_is_unsure=is_unsure))]

    def score_round(self, melds: Sequence[RoundMeld]) -> RoundScore:
        """Return what every meld of a round scores, and the order in which thieves take a card.

        Raises `Malformed`, ``where`` the meld, for what the packs cannot hold or its box does not
        have, and for a name that is there twice.
        """
        places = [(gettext("in %(name)s's cards", name=meld.name), meld.cards) for meld in melds]
        check_packs(places, *self.deck, "plays")
        boxes: dict[str, ShownMeld] = {}
        for number, meld in enumerate(melds):
            where = f"plays[{number}]"
            if meld.name in boxes:
                raise Malformed("%(name)s is there twice.", where, name=meld.name)
            others = [card for other in melds if other is not meld for card in other.cards]
            boxes[meld.name] = self._box_score(meld, others, where)
        return RoundScore(boxes, thieves_in_order(melds, equal_by_value=self._equal_by_value))

    def score_meld(
        self, cards: Sequence[Card], others: Sequence[Card] = (), suit: Suit | None = None
    ) -> ShownMeld:
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
        return self._box_score(meld, others, "suit" if is_doctor else "cards")

    def _box_score(self, meld: RoundMeld, others: Sequence[Card], where: str) -> ShownMeld:
        """Return what a meld scores where all the others show these cards (CHI-3, CHI-4)."""
        name, cards, suit, split = meld
        box = box_for(cards, name, where)
        if suit is not None and box is not Box.DOCTOR:
            raise Malformed("%(name)s names a suit, and shows no Doctor.", where, name=name)
        if split is not None and box is not Box.INDIAN_CHIEF:
            says = noted("%(name)s splits the cards, and shows no Indian Chief.")
            raise Malformed(says, where, name=name)
        match box:
            case Box.THIEF:
                points, says = face_values(cards), gettext("the face value of its card")
            case Box.BEGGAR_MAN:
                ranks = {card.rank for card in cards}
                found = sum(card.rank in ranks for card in others)
                points = 2 * found
                says = ngettext(
                    "of the other melds %(number)s card matches",
                    "of the other melds %(number)s cards match",
                    found,
                )
            case Box.POOR_MAN:
                points = face_values([card for card in cards if card.suit is Suit.SPADES])
                says = gettext("the face values of its spades")
            case Box.LAWYER:
                total = face_values(cards)
                points = LAWYER_TOTAL if total == LAWYER_TOTAL else 0
                says = gettext("its face values add up to %(total)s", total=total)
            case Box.RICH_MAN:
                points, says = -face_values(cards), gettext("minus its face values")
            case Box.DOCTOR:
                points, says = self._doctor(meld, where)
            case _:  # Indian Chief
                return _indian_chief(meld, where)
        return ShownMeld(box.title, points, says, needs_all=box is Box.BEGGAR_MAN)

    def _doctor(self, meld: RoundMeld, where: str) -> tuple[int, str]:
        fault = self._doctor_fault(meld.cards)
        if fault:
            return 0, fault
        counts = Counter(card.suit for card in meld.cards)
        if meld.suit is None:
            most = max(counts.values())
            best = [suit.word for suit in SUITS if counts[suit] == most]
            says = noted("%(name)s shows a Doctor and has to name a suit: %(suits)s. %(best_suit)s")
            raise Malformed(
                says,
                where,
                name=meld.name,
                suits=listed([suit.word for suit in SUITS], "or"),
                best_suit=gettext(
                    "The most is %(most)s, with %(suits)s.",
                    most=10 * most,
                    suits=listed(best, "or"),
                ),
            )
        number, suit = counts[meld.suit], meld.suit.word
        return 10 * number, gettext("%(number)s %(suit)s, 10 each", number=number, suit=suit)

    def _doctor_fault(self, cards: Sequence[Card]) -> str:
        """Return in words why six cards are no Doctor; empty if they are one (CHI-3)."""
        if len({card.rank for card in cards}) < len(cards):
            return gettext("two of its cards have one rank")
        hearts = [card for card in cards if card.suit is Suit.HEARTS]
        if not any(card.rank is Rank.ACE for card in cards):
            return gettext("there is no ace")
        if not hearts:
            return gettext("there is no heart")
        if hearts == [_ACE_OF_HEARTS] and not self._ace_of_hearts_is_both:
            return gettext("the A♥ is the ace, and there is no other heart")
        return ""


def _indian_chief(meld: RoundMeld, where: str) -> ShownMeld:
    split = meld.split
    if split is None:
        split = best_split(meld.cards)
    elif len(split) != 5 or Counter(split) - Counter(meld.cards):
        raise Malformed("%(name)s's split must be five of the seven cards.", where, name=meld.name)
    others = without(meld.cards, split)
    poker, points = poker_hand(split), chief_points(split, others)
    says = gettext(
        "%(five)s is %(poker)s, %(points)s, and %(two)s is %(baccarat)s at baccarat",
        five=show_cards(split),
        poker=gettext(POKER_HANDS[poker]),
        points=poker.points,
        two=show_cards(others),
        baccarat=baccarat(others),
    )
    if meld.split is None:
        says = gettext("%(split)s, the best split", split=says)
    return ShownMeld(Box.INDIAN_CHIEF.title, points, says, split)


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


_ACE_OF_HEARTS = Card(Rank.ACE, Suit.HEARTS)
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
    judge=IndianChiefJudge,
    ends_by=EndsBy.BOXES,
    deal_rule="CHI-1",
    end_rule="CHI-1",
    turns_up=False,
    won_by=HIGHEST,
    hand_word="round",
)
