"""Indian Chief: seven rounds, a meld for a new box in each, 2 to 8 players (CHI-1 … CHI-6)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from companion.rules.cards import Card, Suit, check_packs
from companion.rules.errors import Malformed
from companion.rules.game import HIGHEST, Deal, Deck, DeckFor, EndsBy, Game
from companion.rules.games.indian_chief_boxes import (
    BOXES,
    Box,
    box_score,
    face_values,
    possible_scores,
    scores_in_words,
)
from companion.rules.hand_rules import COURT_TEN, Need
from companion.rules.house_rules import House, HouseRule, Sheet
from companion.rules.judge import Judge
from companion.rules.language import gettext, listed, noted
from companion.rules.scoring import BoxScore, HandEnd, Left, Mark, held_by


class RoundScore(NamedTuple):
    """What each player scores in a round, by name, and the thieves.

    ``thieves`` are groups of names in the order in which they take a card. The players of a group
    have equal cards, and must agree.
    """

    boxes: Mapping[str, BoxScore]
    thieves: Sequence[Sequence[str]]

    @property
    def says(self) -> str:
        """The round in words: every score with its reason, and the order of the thieves."""
        says = noted("%(name)s scores %(points)s for %(box)s: %(why)s.")
        scores = [
            gettext(says, name=name, points=one.points, box=gettext(one.title), why=one.says)
            for name, one in self.boxes.items()
        ]
        return " ".join([*scores, *([_thieves_in_words(self.thieves)] if self.thieves else [])])


def _thieves(ends: Sequence[HandEnd], *, by_value: bool) -> Mapping[int, Sequence[str]]:
    """Return the thieves by the rank or the face value of their cards, lowest first (CHI-5).

    The points of a thief entered without its card count as its rank; 10 can be any of four.
    """
    thieves: dict[int, list[str]] = defaultdict(list)
    for end in sorted(ends, key=lambda end: bool(end.box)):
        cards = end.left.cards or ()
        if end.box == Box.THIEF.title or len(cards) == Box.THIEF.cards:
            rank = int(cards[0].rank) if cards else end.left.points
            thieves[min(rank, 10) if by_value else rank].append(end.name)
    return {rank: thieves[rank] for rank in sorted(thieves)}


def _thieves_in_words(order: Sequence[Sequence[str]], *, last_is_unsure: bool = False) -> str:
    """Return in words the order of the thieves (CHI-5); the ranks of the last may be unknown."""
    says = noted("%(names)s (equal: they must agree on different cards, or take none)")
    turns = [gettext(says, names=listed(tied)) if len(tied) > 1 else tied[0] for tied in order]
    if last_is_unsure:
        turns[-1] = gettext(
            "%(names)s (the lower rank first; "
            "if equal, they must agree on different cards, or take none)",
            names=listed(order[-1]),
        )
    if len(turns) == 1:
        return gettext("A card from another player's meld is taken by %(names)s.", names=turns[0])
    numbered = listed([f"{n}. {names}" for n, names in enumerate(turns, 1)], "standard-narrow")
    return gettext(
        "Each takes a card from another player's meld, in this order: %(names)s.", names=numbered
    )


class IndianChiefJudge(Judge):
    """The rules of a round, the same in all seven. No melds stay on the table."""

    turn_rule = "CHI-1"
    asks = frozenset({"round"})
    asks_without_hand = asks
    counts = COURT_TEN  # CHI-2
    nothing_left_is_out = False
    boxes = tuple(Box)

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        super().__init__(game, house, deal)
        self._ace_of_hearts_is_both = house["doctor_ace_of_hearts"] == "both"
        self._equal_by_value = house["thief_tie"] == "value"

    @property
    def refill(self) -> str:
        """How players fill up to eight cards; empty in round 1, which deals them (CHI-1)."""
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
        """Return the cards of a meld with the sum of their face values; no card is wild."""
        return Left(face_values(cards), 0, tuple(cards))

    def marks(self, ends: Sequence[HandEnd]) -> Mapping[str, Mark]:
        """Return what each player's meld scores in its box (CHI-3). Raises `Malformed`."""
        boxes = dict(self.score_round([end for end in ends if not end.box]).boxes)
        boxes |= {end.name: self._by_points(end) for end in ends if end.box}
        return {
            end.name: replace(self.mark(end), cards=boxes[end.name].points, box=boxes[end.name])
            for end in ends
        }

    def _by_points(self, end: HandEnd) -> BoxScore:
        """Return a box entered by its points. Raises `Malformed` if it cannot score them."""
        box, points = BOXES.get(end.box), end.left.points
        if box is None:
            says = noted("There is no box “%(box)s” for %(name)s to fill.")
            raise Malformed(says, "box", box=end.box[:20], name=end.name)
        scores = possible_scores(box, self.deck.packs)
        if points not in scores:
            raise Malformed(
                "%(name)s's %(box)s scores %(scores)s, not %(points)s (CHI-3).",
                "points",
                name=end.name,
                box=box.title,
                scores=scores_in_words(scores),
                points=abs(points) if box is Box.RICH_MAN else points,
            )
        return BoxScore(box.title, points, gettext("as it was entered, without the cards"))

    def check_boxes(self, ends: Sequence[HandEnd]) -> None:
        """Raise `Malformed` unless each Beggar Man can score what is entered (CHI-3)."""
        for end in ends:
            others = [other for other in ends if other is not end]
            unseen = [other.name for other in others if other.box]
            is_beggar = len(end.left.cards or ()) == Box.BEGGAR_MAN.cards
            if is_beggar and unseen:
                says = noted(
                    "%(name)s's Beggar Man counts what the others show, "
                    "and the cards of %(names)s are not entered. "
                    "Enter it by its points too (CHI-3)."
                )
                raise Malformed(says, end.name, name=end.name, names=listed(unseen))
            shown = sum(BOXES[o.box].cards if o.box else len(o.left.cards or ()) for o in others)
            if end.box == Box.BEGGAR_MAN.title and end.left.points > 2 * shown:
                says = noted(
                    "%(name)s's Beggar Man scores %(most)s at most: "
                    "the others show %(shown)s cards (CHI-3)."
                )
                raise Malformed(says, end.name, name=end.name, most=2 * shown, shown=shown)

    def afterwards(self, ends: Sequence[HandEnd]) -> Sequence[Need]:
        """Return the order in which thieves take a card (CHI-5); nothing after the last round."""
        thieves = _thieves(ends, by_value=True)
        tens, by_points = thieves.get(10, ()), [end.name for end in ends if end.box]
        is_unsure = not self._equal_by_value and len(tens) > 1 and not {*tens}.isdisjoint(by_points)
        if not self._equal_by_value and not is_unsure:
            thieves = _thieves(ends, by_value=False)
        if not thieves or self.hand == self.game.hands:
            return []
        says = _thieves_in_words([*thieves.values()], last_is_unsure=is_unsure)
        return [Need(gettext("Thieves"), says)]

    def score_round(self, ends: Sequence[HandEnd]) -> RoundScore:
        """Return what every meld of a round scores, and the order in which thieves take a card.

        Raises `Malformed`, ``where`` the meld, for cards that the packs cannot hold or that fill no
        box, for a wrong suit or split, and for a name that occurs twice.
        """
        shown = [end.left.cards or () for end in ends]
        places = [held_by(end.name) for end in ends]
        check_packs(list(zip(places, shown, strict=True)), *self.deck, "plays")
        boxes: dict[str, BoxScore] = {}
        for number, end in enumerate(ends):
            where = f"plays[{number}]"
            if end.name in boxes:
                raise Malformed("%(name)s is entered twice.", where, name=end.name)
            others = [card for cards in (*shown[:number], *shown[number + 1 :]) for card in cards]
            boxes[end.name] = self._box_score(end, others, where)
        return RoundScore(boxes, [*_thieves(ends, by_value=self._equal_by_value).values()])

    def score_meld(
        self, cards: Sequence[Card], others: Sequence[Card] = (), suit: Suit | None = None
    ) -> BoxScore:
        """Return what one meld scores if ``others`` are all cards that the others show (CHI-3).

        A suit that is named for any other box than Doctor is ignored. Raises `Malformed` for cards
        that the packs cannot hold or that fill no box, for a Doctor without a suit, and for a
        Beggar Man without ``others``.
        """
        places = [(noted("in the meld"), cards), (noted("in what the others show"), others)]
        check_packs(places, *self.deck)
        if len(cards) == Box.BEGGAR_MAN.cards and not others:
            says = noted(
                "A Beggar Man scores by what the others show. Tap their cards too (CHI-3)."
            )
            raise Malformed(says, "others")
        is_doctor = len(cards) == Box.DOCTOR.cards
        named = suit.text if is_doctor and suit is not None else ""
        end = HandEnd(gettext("The player"), self.left(cards), suit=named)
        return self._box_score(end, others, "suit" if is_doctor else "cards")

    def _box_score(self, end: HandEnd, others: Sequence[Card], where: str) -> BoxScore:
        both = self._ace_of_hearts_is_both
        return box_score(end, others, where, ace_of_hearts_is_both=both)


INDIAN_CHIEF = Game(
    id="indian_chief",
    name="Indian Chief",
    says="Seven rounds of eight cards, and a score sheet of seven boxes; the highest total wins.",
    hands=7,
    players=(2, 8),
    decks_of=lambda _: (DeckFor(2, 3, Deck(1)), DeckFor(4, 8, Deck(2))),
    cards_dealt={"": (8,)},
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
