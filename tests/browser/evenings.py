"""Evenings of the games beside Proter and the two Indian ones, worked out by hand.

Every number of points is a sum of the values of PAY-10, CAR-7, KAL-9, CON-11 or TTN-9, or a number
that the marker entered as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Hand:
    """One hand as it is kept, and the points that it makes for each player in turn.

    ``left`` has the cards that players are left with, as text, or their points as a number, in the
    order in which they are asked.
    """

    out: str | None
    left: Mapping[str, str | int]
    points: tuple[int, ...]
    bent: bool = False
    called: tuple[str, ...] = ()  # charged for a call beyond the third, KAL-4
    touched: tuple[str, ...] = ()  # charged for touching the stock, PRO-13.3
    out_melded: bool = True
    wilds: Mapping[str, int] = field(default_factory=dict)  # so many among the points
    melded: Mapping[str, bool] = field(default_factory=dict)  # of whom it is said

    @property
    def by_cards(self) -> bool:
        """Whether cards were tapped."""
        return all(isinstance(left, str) for left in self.left.values())


@dataclass(frozen=True)
class Dispute:
    """Somebody's plays, one after the other, and how they are ruled on.

    A play is what its button says, and its cards: ``lay_off 1`` is on the second meld of the table.
    ``alone``: asked about as a single play and not as a whole turn. ``swap``: the tile of a single
    swap, the real card, the meld, and the end to which the joker goes.
    """

    player: str
    plays: tuple[tuple[str, str], ...] = ()
    breaks: str = ""
    alone: bool = False
    swap: str = ""


@dataclass(frozen=True)
class Evening:
    """What is kept on one evening, and what it comes to.

    ``disputed`` is the hand of the disputes. ``wrong`` is what is tapped to correct the cards of
    hand 1 of the player who is ``corrected``: a tap on a card takes one more of its copies, and
    after the last gives all of them back. ``instead`` are the points that it makes.
    """

    game: str
    players: tuple[str, ...]
    hands: tuple[Hand, ...]
    disputed: int
    disputes: tuple[Dispute, ...]
    corrected: str
    wrong: str
    instead: int
    final: Mapping[str, int]
    standings: tuple[str, ...]


# Three packs and six jokers. Wild cards (jokers, twos, the rank of the cards dealt) 15, 8 to K 10,
# ace to 7 5.
PAY_ME = Evening(
    game="Pay Me",
    players=("Ana", "Ben", "Chandi", "Dilani", "Esha"),
    hands=(
        # 1, threes are wild; Ben has all three kings of clubs
        Hand(
            "Ana",
            {"Ben": "KC KC KC", "Chandi": "XX 3D 2S", "Dilani": "AS 7D 8H", "Esha": "9C"},
            (0, 10 + 10 + 10, 15 + 15 + 15, 5 + 5 + 10, 10),
        ),
        # 2, fours are wild, threes are not any more
        Hand(
            "Chandi",
            {"Dilani": "TD JD QS", "Esha": "AC AC 3S", "Ana": "XX XX 4D 4D", "Ben": "2C 5H"},
            (15 + 15 + 15 + 15, 15 + 5, 0, 10 + 10 + 10, 5 + 5 + 5),
        ),
        Hand("Esha", {"Ana": 25, "Ben": 10, "Chandi": 5, "Dilani": 40}, (25, 10, 5, 40, 0)),
        # 4: Dilani has laid all her cards off on what Ben went out with (PAY-9)
        Hand("Ben", {"Ana": 15, "Chandi": 30, "Dilani": 0, "Esha": 55}, (15, 0, 30, 0, 55)),
        Hand("Dilani", {"Ana": 20, "Ben": 35, "Chandi": 10, "Esha": 5}, (20, 35, 10, 0, 5)),
        Hand("Ana", {"Ben": 10, "Chandi": 45, "Dilani": 15, "Esha": 20}, (0, 10, 45, 15, 20)),
        Hand("Esha", {"Ana": 30, "Ben": 5, "Chandi": 10, "Dilani": 25}, (30, 5, 10, 25, 0)),
        Hand("Chandi", {"Ana": 5, "Ben": 50, "Dilani": 10, "Esha": 50}, (5, 50, 0, 10, 50)),
        Hand("Ben", {"Ana": 40, "Chandi": 20, "Dilani": 5, "Esha": 10}, (40, 0, 20, 5, 10)),
        Hand("Ana", {"Ben": 15, "Chandi": 25, "Dilani": 65, "Esha": 30}, (0, 15, 25, 65, 30)),
        # 11, kings are wild
        Hand(
            "Dilani",
            {"Esha": "2D TS", "Ana": "KC KC KC XX", "Ben": "8H 8H QD", "Chandi": "AH 7S"},
            (15 + 15 + 15 + 15, 10 + 10 + 10, 5 + 5, 0, 15 + 10),
        ),
    ),
    disputed=4,  # six cards, sixes are wild
    disputes=(
        # Two of three cards are wild.
        Dispute("Ana", (("meld", "QH 2C 6D"),), "PAY-6", alone=True),
        # "Pay me!" with six cards dealt and one drawn: a run with the 2♣ as its 10, a set, the K♦.
        Dispute("Ben", (("declare", "9H 2C JH 4C 4D 4S KD"),), alone=True),
        # The run is the only meld: four cards are in none, and one alone may be discarded.
        Dispute("Chandi", (("declare", "9H TH JH 4C 4D KS QS"),), "PAY-7", alone=True),
    ),
    corrected="Chandi",
    wrong="2S",  # the tap unmarks it
    instead=15 + 15,
    final={
        "Ana": 0 + 60 + 25 + 15 + 20 + 0 + 30 + 5 + 40 + 0 + 60,
        "Ben": 30 + 20 + 10 + 0 + 35 + 10 + 5 + 50 + 0 + 15 + 30,
        "Chandi": 30 + 0 + 5 + 30 + 10 + 45 + 10 + 0 + 20 + 25 + 10,
        "Dilani": 20 + 30 + 40 + 0 + 0 + 15 + 25 + 10 + 5 + 65 + 0,
        "Esha": 10 + 15 + 0 + 55 + 5 + 20 + 0 + 50 + 10 + 30 + 25,
    },
    standings=("Chandi", "Ben", "Dilani", "Esha", "Ana"),  # 185, 205, 210, 220, 255
)

# Two packs and four jokers. Joker 50, ace 20, K Q J 10, others their number.
CARIOCA = Evening(
    game="Carioca",
    players=("Ana", "Ben", "Chandi"),
    hands=(
        Hand(
            "Ana",
            {"Ben": "7H 7H XX", "Chandi": "AS AS KD 2C"},
            (0, 7 + 7 + 50, 20 + 20 + 10 + 2),
        ),
        # 2: all the jokers there are
        Hand(
            "Chandi",
            {"Ana": "XX XX XX XX", "Ben": "TD 9C 3S"},
            (50 + 50 + 50 + 50, 10 + 9 + 3, 0),
        ),
        Hand("Ben", {"Ana": 18, "Chandi": 75}, (18, 0, 75)),
        Hand("Ana", {"Ben": 40, "Chandi": 33}, (0, 40, 33)),
        # 5: Ben lays the contract and swaps a card in, and so all eleven
        Hand("Ben", {"Ana": 27, "Chandi": 61}, (27, 0, 61)),
        Hand("Ben", {"Ana": 90, "Chandi": 12}, (90, 0, 12)),
        Hand(
            "Ana",
            {"Ben": "QH QH JC 6D 6D", "Chandi": "AD 5H 5H"},
            (0, 10 + 10 + 10 + 6 + 6, 20 + 5 + 5),
        ),
    ),
    disputed=5,  # two trios and an escalera
    disputes=(
        Dispute("Ana", (("meld", "9C 9D 9S"), ("meld", "4H 5H 6H 7H"), ("discard", "KS")), "CAR-3"),
        Dispute(
            "Ben",
            (
                ("meld", "QC QC QD"),
                ("meld", "8H 8S 8D"),
                ("meld", "JH QH XX AH"),
                ("discard", "2C"),
            ),
        ),
        # Chandi has not met the contract.
        Dispute("Chandi", (("lay_off 0", "QS"),), "CAR-5", alone=True),
        # The ace closes the high end: the joker can go to the low one only, as the 10 of hearts.
        Dispute("Ben", swap="KH 2 high", breaks="CAR-6", alone=True),
        Dispute("Ben", swap="KH 2 low", alone=True),
    ),
    corrected="Ben",
    wrong="7H 7H",  # the first tap unmarks both, the second takes one again
    instead=7 + 50,
    final={
        "Ana": 0 + 200 + 18 + 0 + 27 + 90 + 0,
        "Ben": 57 + 22 + 0 + 40 + 0 + 0 + 42,
        "Chandi": 52 + 0 + 75 + 33 + 61 + 12 + 30,
    },
    standings=("Ben", "Chandi", "Ana"),  # 161, 263, 335
)

# Two packs and four jokers. Joker 50, black ace 15, red ace 1, 10 to K 10, 2 to 9 their number.
KALOOKI = Evening(
    game="Kalooki",
    players=("Ana", "Ben", "Chandi", "Dilani"),
    hands=(
        Hand(
            "Ana",
            {"Ben": "AS AH XX", "Chandi": "KC KC 9D 9D", "Dilani": "XX XX 2C"},
            (0, 15 + 1 + 50, 10 + 10 + 9 + 9, 50 + 50 + 2),
        ),
        # 2: Dilani bends the table, the others' cards count double; Chandi's fourth call does not
        Hand(
            "Dilani",
            {"Ana": "AC AC AD", "Ben": "5H 6H 7H", "Chandi": "TD"},
            (2 * (15 + 15 + 1), 2 * (5 + 6 + 7), 2 * 10 + 50, 0),
            bent=True,
            called=("Chandi",),
        ),
        Hand("Chandi", {"Ana": 24, "Ben": 51, "Dilani": 10}, (24, 51, 0, 10)),
        Hand("Ben", {"Ana": 33, "Chandi": 47, "Dilani": 5}, (33, 0, 47, 5)),
        # 5: bent, by points
        Hand("Ana", {"Ben": 16, "Chandi": 40, "Dilani": 7}, (0, 2 * 16, 2 * 40, 2 * 7), bent=True),
        Hand("Dilani", {"Ana": 60, "Ben": 12, "Chandi": 25}, (60, 12, 25, 0)),
        # 7: Ben bends the table, but has called too often: 50 for him, and no bonus (KAL-4)
        Hand(
            "Ben",
            {"Ana": 15, "Chandi": 30, "Dilani": 44},
            (15, 50, 30, 44),
            bent=True,
            called=("Ben",),
        ),
        Hand("Chandi", {"Ana": 9, "Ben": 70, "Dilani": 21}, (9, 70, 0, 21)),
        Hand(
            "Dilani",
            {"Ana": "JD JD 8S", "Ben": "XX AD", "Chandi": "QH QH QS 4C"},
            (10 + 10 + 8, 50 + 1, 10 + 10 + 10 + 4, 0),
        ),
    ),
    disputed=4,  # three fours
    disputes=(
        Dispute(
            "Ana",
            (
                ("meld", "4H 5H 6H 7H"),
                ("meld", "8C 9C TC JC"),
                ("meld", "KC KD KS"),
                ("discard", "2D"),
            ),
            "KAL-3",
        ),
        Dispute(
            "Ben",
            (
                ("meld", "4H 5H XX 7H"),
                ("meld", "8C 9C TC JC"),
                ("meld", "3S 4S 5S 6S"),
                ("discard", "KD"),
            ),
        ),
        # Chandi has not met the contract. For Ben, the low end is closed until the ace is reached.
        Dispute("Chandi", (("lay_off 0", "8H"),), "KAL-5", alone=True),
        Dispute("Ben", (("lay_off 0", "3H"),), "KAL-5", alone=True),
        Dispute("Ben", swap="6H 0", alone=True),
    ),
    corrected="Dilani",
    wrong="2C",
    instead=50 + 50,
    final={
        "Ana": 0 + 62 + 24 + 33 + 0 + 60 + 15 + 9 + 28,
        "Ben": 66 + 36 + 51 + 0 + 32 + 12 + 50 + 70 + 51,
        "Chandi": 38 + 70 + 0 + 47 + 80 + 25 + 30 + 0 + 34,
        "Dilani": 100 + 0 + 10 + 5 + 14 + 0 + 44 + 21 + 0,
    },
    standings=("Dilani", "Ana", "Chandi", "Ben"),  # 194, 231, 324, 368
)

# Two packs and three jokers. Joker and ace 15, K Q J 10, others their number.
CONTRACT_RUMMY = Evening(
    game="Contract Rummy",
    players=("Ana", "Ben", "Chandi", "Dilani"),
    hands=(
        Hand(
            "Ben",
            {"Ana": "XX XX", "Chandi": "AC AC TD", "Dilani": "9H 9H 8S"},
            (15 + 15, 0, 15 + 15 + 10, 9 + 9 + 8),
        ),
        # 2: Ben lays seven cards, and then the four that are left with the one drawn
        Hand("Ben", {"Ana": 17, "Chandi": 45, "Dilani": 8}, (17, 0, 45, 8)),
        # 3: stock and pile are used up (CON-11), all score
        Hand(None, {"Ana": 22, "Ben": 31, "Chandi": 14, "Dilani": 60}, (22, 31, 14, 60)),
        Hand(
            "Ana",
            {"Ben": "XX KD QD", "Chandi": "7C 7C 3H 3H", "Dilani": "AH"},
            (0, 15 + 10 + 10, 7 + 7 + 3 + 3, 15),
        ),
        Hand("Dilani", {"Ana": 41, "Ben": 12, "Chandi": 29}, (41, 12, 29, 0)),
        Hand("Ben", {"Ana": 10, "Chandi": 55, "Dilani": 33}, (10, 0, 55, 33)),
        Hand("Chandi", {"Ana": 75, "Ben": 50, "Dilani": 90}, (75, 50, 0, 90)),
    ),
    disputed=2,  # a set and a run
    disputes=(
        Dispute("Ana", (("meld", "8C 8D 8S"), ("meld", "KC KD KH"), ("discard", "2D")), "CON-3"),
        Dispute("Ben", (("meld", "9C 9C 9D"), ("meld", "4H 5H XX 7H"), ("discard", "KS"))),
        # In the turn of the contract nothing is laid off.
        Dispute(
            "Chandi",
            (("meld", "QC QD QH"), ("meld", "TS JS QS KS"), ("lay_off 0", "9S"), ("discard", "3C")),
            "CON-8",
        ),
        # The joker that was taken must be in a new meld.
        Dispute("Ben", (("swap 1", "6H"), ("discard", "2D")), "CON-7"),
        Dispute("Ben", (("swap 1", "6H"), ("meld", "JD QD XX AD"))),
    ),
    corrected="Dilani",
    wrong="9H 9H",
    instead=9 + 8,
    final={
        "Ana": 30 + 17 + 22 + 0 + 41 + 10 + 75,
        "Ben": 0 + 0 + 31 + 35 + 12 + 0 + 50,
        "Chandi": 40 + 45 + 14 + 20 + 29 + 55 + 0,
        "Dilani": 17 + 8 + 60 + 15 + 0 + 33 + 90,
    },
    standings=("Ben", "Ana", "Chandi", "Dilani"),  # 128, 195, 203, 223
)

# Two packs, no jokers. Ace 1, K Q J 10, others their number, wild cards as the card they are.
THREE_THIRTEEN = Evening(
    game="Three Thirteen",
    players=("Ana", "Ben", "Chandi"),
    hands=(
        # 1, threes are wild: one of them and two cards that do not fit make no meld
        Hand("Ana", {"Ben": "KC KD 9H", "Chandi": "3D 5H 9C"}, (0, 10 + 10 + 9, 3 + 5 + 9)),
        # 2, fours are wild: Ana's two make a set with the king
        Hand("Chandi", {"Ana": "4H 4S KD 7C", "Ben": "AC AD QH JH"}, (7, 1 + 1 + 10 + 10, 0)),
        Hand("Ben", {"Ana": 12, "Chandi": 25}, (12, 0, 25)),
        Hand("Ben", {"Ana": 15, "Chandi": 31}, (15, 0, 31)),
        Hand("Ana", {"Ben": 40, "Chandi": 6}, (0, 40, 6)),
        Hand("Chandi", {"Ana": 22, "Ben": 9}, (22, 9, 0)),
        Hand("Ana", {"Ben": 33, "Chandi": 18}, (0, 33, 18)),
        # 8: Ana went out too, in her last turn (TTN-7)
        Hand("Ben", {"Ana": 0, "Chandi": 44}, (0, 0, 44)),
        Hand("Chandi", {"Ana": 50, "Ben": 27}, (50, 27, 0)),
        Hand("Ben", {"Ana": 14, "Chandi": 3}, (14, 0, 3)),
        # 11, kings are wild, and 10 if they are left
        Hand("Chandi", {"Ana": "KC 2D 7H", "Ben": "QS QD 5C AH"}, (10 + 2 + 7, 10 + 10 + 5 + 1, 0)),
    ),
    disputed=4,  # six cards, sixes are wild
    disputes=(
        # The ace is low.
        Dispute("Ana", (("meld", "QH KH AH"),), "TTN-5", alone=True),
        # Six cards dealt and one drawn: a run with the 6♣ as its 10, a set, and the K♦ to discard.
        Dispute("Ben", (("declare", "9H 6C JH 4C 4D 4D KD"),), alone=True),
        # The run is the only meld: four cards are in none, and one alone is discarded.
        Dispute("Chandi", (("declare", "9H TH JH 4C 4D KS QS"),), "TTN-7", alone=True),
    ),
    corrected="Chandi",
    wrong="9C",
    instead=3 + 5,
    final={
        "Ana": 0 + 7 + 12 + 15 + 0 + 22 + 0 + 0 + 50 + 14 + 19,
        "Ben": 29 + 22 + 0 + 0 + 40 + 9 + 33 + 0 + 27 + 0 + 26,
        "Chandi": 8 + 0 + 25 + 31 + 6 + 0 + 18 + 44 + 0 + 3 + 0,
    },
    standings=("Chandi", "Ana", "Ben"),  # 135, 139, 186
)

EVENINGS = (PAY_ME, CARIOCA, KALOOKI, CONTRACT_RUMMY, THREE_THIRTEEN)
