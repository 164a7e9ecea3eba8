"""An evening of Proter, worked out by hand with PRO-13 and PRO-15: what is entered, what it makes.

Sheet catsatcards with the house rule wrong_meld = penalty, so that every charge of PRO-13 occurs.
Cards count K 13, Q 12, J 11, T 10, their number, A 1; a Proter left adds 20 (13.4), no meld 20
(13.5), each charge during a hand 20.
"""

from tests.browser.evenings import Hand

PLAYERS = ("Ana", "Ben", "Chandi", "Dilani", "Esha")


HANDS = (
    # 1, aces: K+3=16; A+7=8 and a Proter 28; 9+9+2=20; Q=12
    Hand(
        "Ana",
        {"Ben": "KH 3C", "Chandi": "AS 7D", "Dilani": "9S 9D 2C", "Esha": "QC"},
        (0, 16, 28, 20, 12),
    ),
    # 2, twos: 5+6=11; Ben touched the stock: 20; J=11; two Proters 4+20, flat; 10+4=14
    Hand(
        "Ben",
        {"Ana": "5H 6H", "Chandi": "JS", "Dilani": "2H 2C", "Esha": "TD 4S"},
        (11, 20, 11, 24, 14),
        touched=("Ben",),
    ),
    # 3, threes: 8+8+8+4+5+6=39 without a meld 59; K=13; 10 and Chandi's 13.1 = 30; 3+20=23; out 0
    # Chandi plays a card that is on the table already: PRO-9, charged by the ruling.
    Hand(
        "Esha",
        {"Ana": "8C 8H 8S 4D 5D 6D", "Ben": "KD", "Chandi": "TH", "Dilani": "3S"},
        (59, 13, 30, 23, 0),
        melded={"Ana": False},
    ),
    # 4, fours, dealt again after it was thrown in; Dilani's touch of the first deal stays.
    # Nobody out: 9; Q+J=23; 4+5=9 and a Proter 29; 7+20=27; 2+3=5
    Hand(
        None,
        {"Ana": "9C", "Ben": "QH JD", "Chandi": "4C 5S", "Dilani": "7H", "Esha": "2S 3S"},
        (9, 23, 29, 27, 5),
        touched=("Dilani",),
    ),
    # 5, fives, by points: 33; 12; 25 with one Proter among them 45; out 0; 8
    Hand(
        "Dilani",
        {"Ana": 33, "Ben": 12, "Chandi": 25, "Esha": 8},
        (33, 12, 45, 0, 8),
        wilds={"Chandi": 1},
    ),
    # 6, sixes: K+Q=25; 10+9=19 and Ben's 13.2 = 39; out 0; A=1; 6+6+6=18 and 20, flat = 38
    # Ben discards the rank on top of the pile: PRO-11, charged by the ruling.
    Hand(
        "Chandi",
        {"Ana": "KC QC", "Ben": "TS 9H", "Dilani": "AS", "Esha": "6D 6H 6C"},
        (25, 39, 0, 1, 38),
    ),
    # 7, sevens: Ana goes out without a meld: 20; 3+4=7; J=11; K+K=26; 5
    Hand(
        "Ana",
        {"Ben": "3D 4D", "Chandi": "JH", "Dilani": "KS KD", "Esha": "5C"},
        (20, 7, 11, 26, 5),
        out_melded=False,
    ),
    # 8, eights: 8+20=28; out 0; 2+2+2=6 and Chandi's 13.6 = 26; 10+J=21; Q+Q=24
    # Esha's meld is disputed and legal; Chandi's is no run: PRO-5, charged as 13.6.
    Hand(
        "Ben",
        {"Ana": "8S", "Chandi": "2D 2S 2H", "Dilani": "TC JC", "Esha": "QD QH"},
        (28, 0, 26, 21, 24),
    ),
    # 9, nines: 7+7=14; 9+20=29; K=13; A+A=2; out 0
    Hand(
        "Esha",
        {"Ana": "7C 7D", "Ben": "9C", "Chandi": "KH", "Dilani": "AD AC"},
        (14, 29, 13, 2, 0),
    ),
    # 10, tens: J+J=22; 4+5=9; out 0; 10+20=30; Q=12
    Hand(
        "Chandi",
        {"Ana": "JH JS", "Ben": "4H 5H", "Dilani": "TS", "Esha": "QS"},
        (22, 9, 0, 30, 12),
    ),
    # 11, jacks: 3; K=13; J+J=22 and 20 = 42; out 0; 6+7+8+9+10+2=42, six cards, but with a meld
    Hand(
        "Dilani",
        {"Ana": "3C", "Ben": "KS", "Chandi": "JD JC", "Esha": "6S 7S 8S 9S TD 2H"},
        (3, 13, 42, 0, 42),
        melded={"Esha": True},
    ),
    # 12, queens: out 0; A=1; 5+6=11; 12+20=32; 4
    Hand(
        "Ana",
        {"Ben": "AH", "Chandi": "5D 6C", "Dilani": "QC", "Esha": "4S"},
        (0, 1, 11, 32, 4),
    ),
    # 13, kings: K+K=26 and 20 = 46; out 0; 9; 8+8=16; J=11
    Hand(
        "Ben",
        {"Ana": "KH KD", "Chandi": "9D", "Dilani": "8D 8C", "Esha": "JC"},
        (46, 0, 9, 16, 11),
    ),
)

# After every hand, added up on paper.
RUNNING = (
    (0, 16, 28, 20, 12),
    (11, 36, 39, 44, 26),
    (70, 49, 69, 67, 26),
    (79, 72, 98, 94, 31),
    (112, 84, 143, 94, 39),
    (137, 123, 143, 95, 77),
    (157, 130, 154, 121, 82),
    (185, 130, 180, 142, 106),
    (199, 159, 193, 144, 106),
    (221, 168, 193, 174, 118),
    (224, 181, 235, 174, 160),
    (224, 182, 246, 206, 164),
    (270, 182, 255, 222, 175),
)

# At the end the marker finds that the 2♣ of hand 1 was not Dilani's: 9+9 = 18 instead of 20.
CORRECTED = "9S 9D"
FINAL = {"Ana": 270, "Ben": 182, "Chandi": 255, "Dilani": 220, "Esha": 175}
STANDINGS = ("Esha", "Ben", "Dilani", "Chandi", "Ana")
