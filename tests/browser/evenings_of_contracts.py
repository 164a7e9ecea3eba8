"""Evenings of the games with contracts, worked out by hand.

Every number of points is a sum of the values of CAR-7, KAL-9 or CON-11, or a number that the marker
entered as it is.
"""

from tests.browser.evenings import Dispute, Evening, Hand

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
    disputes={
        # two trios and an escalera
        5: (
            Dispute(
                "Ana", (("meld", "9C 9D 9S"), ("meld", "4H 5H 6H 7H"), ("discard", "KS")), "CAR-3"
            ),
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
            # The ace closes the high end: the joker can go to the low one only, as the 10♥.
            Dispute("Ben", swap="KH 2 high", breaks="CAR-6", alone=True),
            Dispute("Ben", swap="KH 2 low", alone=True),
        ),
    },
    corrected=(1, "Ben"),
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
            charged=(("Chandi", "KAL-4"),),
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
            charged=(("Ben", "KAL-4"),),
        ),
        Hand("Chandi", {"Ana": 9, "Ben": 70, "Dilani": 21}, (9, 70, 0, 21)),
        Hand(
            "Dilani",
            {"Ana": "JD JD 8S", "Ben": "XX AD", "Chandi": "QH QH QS 4C"},
            (10 + 10 + 8, 50 + 1, 10 + 10 + 10 + 4, 0),
        ),
    ),
    disputes={
        # three fours
        4: (
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
            # Chandi has not met the contract; for Ben the low end is closed until the ace is there.
            Dispute("Chandi", (("lay_off 0", "8H"),), "KAL-5", alone=True),
            Dispute("Ben", (("lay_off 0", "3H"),), "KAL-5", alone=True),
            Dispute("Ben", swap="6H 0", alone=True),
        ),
    },
    corrected=(1, "Dilani"),
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
    disputes={
        # a set and a run
        2: (
            Dispute(
                "Ana", (("meld", "8C 8D 8S"), ("meld", "KC KD KH"), ("discard", "2D")), "CON-3"
            ),
            Dispute("Ben", (("meld", "9C 9C 9D"), ("meld", "4H 5H XX 7H"), ("discard", "KS"))),
            # In the turn of the contract nothing is laid off.
            Dispute(
                "Chandi",
                (
                    ("meld", "QC QD QH"),
                    ("meld", "TS JS QS KS"),
                    ("lay_off 0", "9S"),
                    ("discard", "3C"),
                ),
                "CON-8",
            ),
            # The joker that was taken must be in a new meld.
            Dispute("Ben", (("swap 1", "6H"), ("discard", "2D")), "CON-7"),
            Dispute("Ben", (("swap 1", "6H"), ("meld", "JD QD XX AD"))),
        ),
    },
    corrected=(1, "Dilani"),
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
