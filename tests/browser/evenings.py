"""An evening of each kind of game, worked out by hand.

All points are sums of the values of PRO-15, CHI-4, KAL-9 or TTN-9, or were entered as points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Hand:
    """A hand as the marker enters it, and its points for each player in the order of seats.

    ``out`` is who went out: None for nobody, empty if the form does not ask. ``shown`` has each
    player's cards left or meld, or points, in the order of the form.
    """

    out: str | None
    shown: str
    points: tuple[int, ...]
    bent: bool = False
    charged: tuple[tuple[str, str], ...] = ()  # player and rule
    thrown_in: bool = False  # once, before this deal
    unmelded: bool = False  # the player who went out has no meld
    wilds: Mapping[str, int] = field(default_factory=dict)  # wild cards among the points
    melded: Mapping[str, bool] = field(default_factory=dict)  # answers to the meld question
    suits: Mapping[str, str] = field(default_factory=dict)  # of Doctors

    @property
    def left(self) -> dict[str, str | int]:
        """The cards as text, or the points as a number, by player."""
        each = (entry.partition(" ") for entry in self.shown.split(", "))
        return {name: int(left) if left.isdigit() else left for name, _, left in each}

    @property
    def by_cards(self) -> bool:
        """True if cards are tapped, not points entered."""
        return all(isinstance(left, str) for left in self.left.values())

    @property
    def way(self) -> tuple[object, ...]:
        """How the hand ends, as far as the form differs."""
        asked = (self.unmelded, bool(self.melded), bool(self.wilds), bool(self.suits))
        return self.by_cards, self.bent, self.out is None, *asked


@dataclass(frozen=True)
class Dispute:
    """A player's plays, one after the other, and the rule that they break; empty if legal.

    A play is its button's value and its cards: ``lay_off 1`` is on the second meld of the table.
    ``alone``: the question is about a single play, not a whole turn. ``swap``: the tile of a single
    swap, with the real card, the meld, and the end to which the joker goes. ``says``: the button
    that answers the question that follows.
    """

    player: str
    plays: tuple[tuple[str, str], ...] = ()
    breaks: str = ""
    alone: bool = False
    swap: str = ""
    says: str = ""


@dataclass(frozen=True)
class Evening:
    """The entries of an evening, and its standings.

    ``disputes`` are by the number of their hand. ``corrected`` is the hand and the player whose
    cards are corrected, by tapping ``wrong``: a tap on a card takes one more copy, and after the
    last copy gives all back. ``instead`` are the points after the correction.
    """

    game: str
    players: tuple[str, ...]
    hands: tuple[Hand, ...]
    disputes: Mapping[int, tuple[Dispute, ...]]
    corrected: tuple[int, str]
    wrong: str
    instead: int
    standings: tuple[str, ...]
    hand: str = "Hand"

    def totals(self, hands: int) -> dict[str, int]:
        """Everyone's total after so many hands, before the correction."""
        columns = zip(*(hand.points for hand in self.hands[:hands]), strict=True)
        return dict(zip(self.players, map(sum, columns), strict=True))

    @property
    def final(self) -> dict[str, int]:
        """Everyone's total after the correction."""
        number, name = self.corrected
        before = self.hands[number - 1].points[self.players.index(name)]
        totals = self.totals(len(self.hands))
        return totals | {name: totals[name] - before + self.instead}


# Two packs, no jokers. Ace 1, K Q J 10, others their number, wild cards as the card they are.
THREE_THIRTEEN = Evening(
    game="Three Thirteen",
    players=("Ana", "Ben", "Chandi"),
    hands=(
        # 1, threes are wild: one of them and two cards that do not fit make no meld
        Hand("Ana", "Ben KC KD 9H, Chandi 3D 5H 9C", (0, 10 + 10 + 9, 3 + 5 + 9)),
        # 2, fours are wild: Ana's two make a set with the king
        Hand("Chandi", "Ana 4H 4S KD 7C, Ben AC AD QH JH", (7, 1 + 1 + 10 + 10, 0)),
        Hand("Ben", "Ana 12, Chandi 25", (12, 0, 25)),
        Hand("Ben", "Ana 15, Chandi 31", (15, 0, 31)),
        Hand("Ana", "Ben 40, Chandi 6", (0, 40, 6)),
        Hand("Chandi", "Ana 22, Ben 9", (22, 9, 0)),
        Hand("Ana", "Ben 33, Chandi 18", (0, 33, 18)),
        # 8: Ana went out too, in her last turn (TTN-7)
        Hand("Ben", "Ana 0, Chandi 44", (0, 0, 44)),
        Hand("Chandi", "Ana 50, Ben 27", (50, 27, 0)),
        Hand("Ben", "Ana 14, Chandi 3", (14, 0, 3)),
        # 11, kings are wild, and 10 if they are left
        Hand("Chandi", "Ana KC 2D 7H, Ben QS QD 5C AH", (10 + 2 + 7, 10 + 10 + 5 + 1, 0)),
    ),
    disputes={
        # six cards, sixes are wild
        4: (
            # The ace is low.
            Dispute("Ana", (("meld", "QH KH AH"),), "TTN-5", alone=True),
            # Six cards and one drawn: a run with the 6♣ as its 10, a set, and the K♦ to discard.
            Dispute("Ben", (("declare", "9H 6C JH 4C 4D 4D KD"),), alone=True),
            # The run is the only meld: four cards are in none, and one alone is discarded.
            Dispute("Chandi", (("declare", "9H TH JH 4C 4D KS QS"),), "TTN-7", alone=True),
        ),
    },
    corrected=(1, "Chandi"),
    wrong="9C",
    instead=3 + 5,
    standings=("Chandi", "Ana", "Ben"),  # 135, 139, 186
)

# Two packs and four jokers. Joker 50, black ace 15, red ace 1, 10 to K 10, 2 to 9 their number.
KALOOKI = Evening(
    game="Kalooki",
    players=("Ana", "Ben", "Chandi", "Dilani"),
    hands=(
        Hand(
            "Ana",
            "Ben AS AH XX, Chandi KC KC 9D 9D, Dilani XX XX 2C",
            (0, 15 + 1 + 50, 10 + 10 + 9 + 9, 50 + 50 + 2),
        ),
        # 2: Dilani bends the table, the others' cards count double; Chandi's fourth call does not
        Hand(
            "Dilani",
            "Ana AC AC AD, Ben 5H 6H 7H, Chandi TD",
            (2 * (15 + 15 + 1), 2 * (5 + 6 + 7), 2 * 10 + 50, 0),
            bent=True,
            charged=(("Chandi", "KAL-4"),),
        ),
        Hand("Chandi", "Ana 24, Ben 51, Dilani 10", (24, 51, 0, 10)),
        Hand("Ben", "Ana 33, Chandi 47, Dilani 5", (33, 0, 47, 5)),
        # 5: bent, by points
        Hand("Ana", "Ben 16, Chandi 40, Dilani 7", (0, 2 * 16, 2 * 40, 2 * 7), bent=True),
        Hand("Dilani", "Ana 60, Ben 12, Chandi 25", (60, 12, 25, 0)),
        # 7: Ben bends the table, but has called too often: 50 for him, and no bonus (KAL-4)
        Hand(
            "Ben",
            "Ana 15, Chandi 30, Dilani 44",
            (15, 50, 30, 44),
            bent=True,
            charged=(("Ben", "KAL-4"),),
        ),
        Hand("Chandi", "Ana 9, Ben 70, Dilani 21", (9, 70, 0, 21)),
        Hand(
            "Dilani",
            "Ana JD JD 8S, Ben XX AD, Chandi QH QH QS 4C",
            (10 + 10 + 8, 50 + 1, 10 + 10 + 10 + 4, 0),
        ),
    ),
    disputes={
        # three fours
        4: (
            Dispute(
                "Ben",
                (
                    ("meld", "4H 5H XX 7H"),
                    ("meld", "8C 9C TC JC"),
                    ("meld", "3S 4S 5S 6S"),
                    ("discard", "KD"),
                ),
            ),
            # Chandi has not met the contract.
            Dispute("Chandi", (("lay_off 0", "8H"),), "KAL-5", alone=True),
            Dispute("Ben", swap="6H 0", alone=True),
        ),
    },
    corrected=(1, "Dilani"),
    wrong="2C",
    instead=50 + 50,
    standings=("Dilani", "Ana", "Chandi", "Ben"),  # 194, 231, 324, 368
)

# One pack, with the house rule wrong_meld = penalty, so that every charge of PRO-13 occurs. Cards
# count K 13, Q 12, J 11, T 10, their number, A 1; a Proter left adds 20 (13.4), no meld 20 (13.5),
# each charge during a hand 20.
PROTER = Evening(
    game="Proter",
    players=("Ana", "Ben", "Chandi", "Dilani", "Esha"),
    hands=(
        # 1, aces: K+3=16; A+7=8 and a Proter 28; 9+9+2=20; Q=12
        Hand("Ana", "Ben KH 3C, Chandi AS 7D, Dilani 9S 9D 2C, Esha QC", (0, 16, 28, 20, 12)),
        # 2, twos: 5+6=11; Ben touched the stock: 20; J=11; two Proters 4+20, flat; 10+4=14
        Hand(
            "Ben",
            "Ana 5H 6H, Chandi JS, Dilani 2H 2C, Esha TD 4S",
            (11, 20, 11, 24, 14),
            charged=(("Ben", "PRO-13.3"),),
        ),
        # 3, threes: 8+8+8+4+5+6=39 without a meld 59; K=13; 10 and Chandi's 13.1 = 30; 3+20=23
        # Chandi plays a card that is on the table already: PRO-9, charged by the ruling.
        Hand(
            "Esha",
            "Ana 8C 8H 8S 4D 5D 6D, Ben KD, Chandi TH, Dilani 3S",
            (59, 13, 30, 23, 0),
            melded={"Ana": False},
        ),
        # 4, fours, dealt again after it was thrown in; Dilani's touch of the first deal stays.
        # Nobody out: 9; Q+J=23; 4+5=9 and a Proter 29; 7+20=27; 2+3=5
        Hand(
            None,
            "Ana 9C, Ben QH JD, Chandi 4C 5S, Dilani 7H, Esha 2S 3S",
            (9, 23, 29, 27, 5),
            charged=(("Dilani", "PRO-13.3"),),
            thrown_in=True,
        ),
        # 5, fives, by points: 33; 12; 25 with one Proter among them 45; out 0; 8
        Hand(
            "Dilani", "Ana 33, Ben 12, Chandi 25, Esha 8", (33, 12, 45, 0, 8), wilds={"Chandi": 1}
        ),
        # 6, sixes: K+Q=25; 10+9=19 and Ben's 13.2 = 39; out 0; A=1; 6+6+6=18 and 20, flat = 38
        # Ben discards the rank on top of the pile: PRO-11, charged by the ruling.
        Hand("Chandi", "Ana KC QC, Ben TS 9H, Dilani AS, Esha 6D 6H 6C", (25, 39, 0, 1, 38)),
        # 7, sevens: Ana goes out without a meld: 20; 3+4=7; J=11; K+K=26; 5
        Hand(
            "Ana", "Ben 3D 4D, Chandi JH, Dilani KS KD, Esha 5C", (20, 7, 11, 26, 5), unmelded=True
        ),
        # 8, eights: 8+20=28; out 0; 2+2+2=6 and Chandi's 13.6 = 26; 10+J=21; Q+Q=24
        # Chandi's meld is no run: PRO-5, charged as 13.6.
        Hand("Ben", "Ana 8S, Chandi 2D 2S 2H, Dilani TC JC, Esha QD QH", (28, 0, 26, 21, 24)),
        # 9, nines: 7+7=14; 9+20=29; K=13; A+A=2; out 0
        Hand("Esha", "Ana 7C 7D, Ben 9C, Chandi KH, Dilani AD AC", (14, 29, 13, 2, 0)),
        # 10, tens: J+J=22; 4+5=9; out 0; 10+20=30; Q=12
        Hand("Chandi", "Ana JH JS, Ben 4H 5H, Dilani TS, Esha QS", (22, 9, 0, 30, 12)),
        # 11, jacks: 3; K=13; J+J=22 and 20 = 42; out 0; 6+7+8+9+10+2=42, six cards, but with a meld
        Hand(
            "Dilani",
            "Ana 3C, Ben KS, Chandi JD JC, Esha 6S 7S 8S 9S TD 2H",
            (3, 13, 42, 0, 42),
            melded={"Esha": True},
        ),
        # 12, queens: out 0; A=1; 5+6=11; 12+20=32; 4
        Hand("Ana", "Ben AH, Chandi 5D 6C, Dilani QC, Esha 4S", (0, 1, 11, 32, 4)),
        # 13, kings: K+K=26 and 20 = 46; out 0; 9; 8+8=16; J=11
        Hand("Ben", "Ana KH KD, Chandi 9D, Dilani 8D 8C, Esha JC", (46, 0, 9, 16, 11)),
    ),
    disputes={
        3: (
            Dispute("Ana", (("meld", "5C 3H 7C"),), alone=True, says="Yes"),  # melded before
            # The Proter stands for the 6♣, which is on the table.
            Dispute("Chandi", (("meld", "6C 6D 6H"),), "PRO-9", alone=True),
        ),
        6: (
            Dispute("Ana", (("discard", "9D"),), alone=True, says="The pile was empty"),
            Dispute("Ben", (("discard", "9C"),), "PRO-11", alone=True),
        ),
        8: (Dispute("Chandi", (("meld", "4D 5D 7D"),), "PRO-5", alone=True),),
    },
    corrected=(1, "Dilani"),
    wrong="2C",
    instead=9 + 9,
    standings=("Esha", "Ben", "Dilani", "Chandi", "Ana"),
)

# Two packs. What everybody shows in each round, and what it scores: CHI-3 and CHI-4.
INDIAN_CHIEF = Evening(
    game="Indian Chief",
    hand="Round",
    players=("Ana", "Ben", "Cem"),
    hands=(
        # Thief 7; Lawyer 10 + 9 + 5 + 1 = 25; Poor Man 2 + 9 + 10
        Hand("", "Ana 7C, Ben KD 9D 5D AD, Cem 2S 9S KS", (7, 25, 21)),
        # Beggar Man: two fives in the others' melds; Rich Man 1 + 2 + 3 + 4 + 5; Thief 5
        Hand("", "Ana 5C 5D, Ben AC 2C 3D 4H 5H, Cem 5S", (4, -15, 5)),
        # Poor Man 4 + 8; Doctor: three clubs, the A♥ is heart and ace; Beggar Man: 3♣ 3♥ K♣
        Hand("", "Ana 3C 4S 8S, Ben AH 3H 6D 8C JC KC, Cem 3D KH", (12, 30, 6), suits={"Ben": "C"}),
        # Lawyer 10 + 9 + 5 + 1; Poor Man 1 + 10 + 7; Rich Man 2 + 2 + 2 + 3 + 4
        Hand("", "Ana TC 9H 5H AC, Ben AS QS 7S, Cem 2C 2D 2H 3S 4D", (25, 18, -13)),
        # Rich Man 4 + 2; Thief 10; Lawyer 9 + 9 + 5 + 3 = 26, which is not 25
        Hand("", "Ana AC AD AH AS 2C, Ben KD, Cem 9C 9D 5C 3D", (-6, 10, 0)),
        # Doctor: four clubs; fives full of kings 35 and 9 + 9 is 8; a Doctor without an ace
        Hand(
            "",
            "Ana AH 2C 5C 7C 9C JD, Ben KC KD 5H 5S 5D 9D 9H, Cem 3C 4C 6D 8H TD QS",
            (40, 43, 0),
            suits={"Ana": "C", "Cem": "C"},
        ),
        # Straight flush 45 and 4 + 5; J♠ J♥; straight flush to the ace 45 and 10 + 8 is 8
        Hand("", "Ana 2H 3H 4H 5H 6H 4C 5C, Ben JC JD, Cem AS KS QS JS TS JH 8D", (54, 4, 53)),
    ),
    disputes={},
    corrected=(5, "Cem"),
    wrong="3D 2D",  # 9 + 9 + 5 + 2 is 25
    instead=25,
    standings=("Ana", "Ben", "Cem"),  # 136, 115, 97
)
