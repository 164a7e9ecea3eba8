"""The usual disputes of each game, with the rulebook's verdicts, worked out by hand."""

import pytest

from companion.rules.cards import parse_rank
from companion.rules.games import GAMES
from companion.rules.games.disputes import BOX_DISPUTES, DISPUTES
from tests.rules.judges import rules_of

# Legal disputes, on the game's sheets in their order. All others break the rule that they name.
LEGAL = {
    "proter": [
        # PRO-7: a lay-off needs no meld before it. PRO-12: K♦ 6♠ 7♠ is no run.
        {
            "A lay-off before any meld",
            "Swapping a Proter",
            "The next card of the suit on the pile",
        },
        # PRO-5: aces are high and low. PRO-7: only the first meld of the hand has no Proter.
        {
            "Ace, two, three",
            "A Proter in the first meld of a later turn",
            "A lay-off before any meld",
            "Swapping a Proter",
        },
    ],
    "pay_me": [
        {
            "As many wild cards as others",
            # A 2 are natural, the joker is the 3: one of four is wild.
            "A two in its own place beside a joker",
            "Two sets of one rank",
            "Out with one card to discard",
            # 2♦ is the 6♣: 6 7 8 and the joker as the 9, two of four wild and not side by side.
            "A second wild card laid off",
        }
    ],
    "carioca": [
        {
            "The same card twice in a trio",
            "A lay-off in a later turn",
            "Swapping a joker in an escalera",
        }
    ],
    # KAL-5: the low end waits until the high end has reached the ace.
    "kalooki": [{"The low end below an ace", "Tacking on with the contract"}],
    "contract_rummy": [
        # CON-4: duplicates are allowed. CON-9: only the other sheet forbids such a discard.
        {
            "The same card twice in a set",
            "Swapping a joker in a run",
            "The card just taken from the pile",
        },
        # CON-3: runs of three.
        {"A run of three cards", "Swapping a joker in a run"},
    ],
    "indian_rummy": [
        {
            "Queen, king, ace",  # IND-2
            "The same card three times",  # IND-4: with three packs
            "Two jokers in a set",  # IND-5: any number, beside one natural card
            "A joker on the pile",  # IND-6: only the card just taken from the pile stays
            # 7 8 9 of spades, with the 8 as itself, and 4 5 6 7 of hearts are clean.
            "An eight as itself, eights being wild",
        }
    ],
    "three_thirteen": [
        {
            "Ace, two, three",  # TTN-5: the ace is low
            "The same card twice in a set",
            "Two wild cards in a set",
            # TTN-6: any number of them. Sixes are wild: 10, 6 as J, 6 as Q, K of clubs.
            "Two wild cards side by side in a run",
            "A set of wild cards alone",
            # TTN-7: four cards held in hand 1, the nines melded and the king discarded.
            "Out with one card to discard",
        }
    ],
}
OTHER_RULES = {
    # PAY-8: any other melds laid down are a false call (PAY-7).
    ("pay_me", "Out with two cards over"): "PAY-7",
    # TTN-3: twos are not wild, so it is neither a set nor a run.
    ("three_thirteen", "A two as a wild card"): "TTN-4 TTN-5",
}

# CHI-2 to CHI-4: what each meld scores in its box.
SCORES = {
    # CHI-2: an ace is 1.
    "An ace as Thief": 1,
    # Six ranks, the A♥ is the ace and the heart; 9♠ and K♠ are 10 each.
    "The ace of hearts as ace and as heart": 20,
    "A Doctor with two fours": 0,
    # Two nines of the others, 2 points each, though both cards match them.
    "A pair as Beggar Man": 4,
    # The spades alone: K is 10, and 5.
    "A heart in a Poor Man": 15,
    # 10 + 9 + 4 + 1.
    "A Lawyer of 24": 0,
    # Minus 1 + 1 + 2 + 3 + 10.
    "A king in a Rich Man": -17,
    # 25 for 10 J Q K A, the ace high, and two fours are 8.
    "Ten to ace as a straight": 33,
    # High card 5, and the best two of the seven for baccarat are 9: 7 and 2, 9 and Q.
    "A straight around the corner": 14,
    # 30 for five clubs; 6 and 9 are 15, of which the 5 counts.
    "A baccarat of 15": 35,
}


@pytest.mark.parametrize("game", DISPUTES)
def test_each_dispute_is_ruled_as_the_rulebook_says(game):
    for place, sheet in enumerate(GAMES[game].sheets):
        legal = set()
        for dispute in DISPUTES[game]:
            turned = parse_rank(dispute.turned) if dispute.turned else None
            rules = GAMES[game].rules(GAMES[game].house(sheet.id), dispute.hand, None, turned)
            broken = " ".join(dispute.ruling(rules).broken)
            if not broken:
                legal.add(dispute.title)
            else:
                assert broken == OTHER_RULES.get((game, dispute.title), dispute.rule)
        assert legal == LEGAL[game][place]


def test_a_dispute_names_a_rule_of_its_game_and_is_there_once():
    assert {*DISPUTES, "indian_chief"} == {*GAMES}
    for game, disputes in DISPUTES.items():
        assert len({dispute.title for dispute in disputes}) == len(disputes)
        (prefix,) = {dispute.rule.partition("-")[0] for dispute in disputes}
        assert {GAMES[game].deal_rule.partition("-")[0]} == {prefix}


def test_boxes_score_as_the_rulebook_says():
    rules = rules_of("indian_chief")
    assert {one.title: one.score(rules).points for one in BOX_DISPUTES} == SCORES
