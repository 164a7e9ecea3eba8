"""The usual disputes of each game: what the rulebook says of them, worked out by hand."""

import pytest

from companion.rules.cards import parse_rank
from companion.rules.games import GAMES
from companion.rules.games.disputes import BOX_DISPUTES, DISPUTES
from companion.rules.games.indian_chief import IndianChiefJudge

# The rules that each breaks, on the game's sheets in their order; nothing for a legal play.
BROKEN = {
    "proter": [
        ("A run around the corner", "PRO-5", "PRO-5"),
        # PRO-5: aces are high on the first sheet, high and low on the second.
        ("Ace, two, three", "PRO-5", ""),
        # PRO-7: the first meld of every turn, or of the hand alone.
        ("A Proter in the first meld of a later turn", "PRO-7", ""),
        # PRO-8: after 5 6 7 comes the 8.
        ("A lay-off that leaves a gap", "PRO-8", "PRO-8"),
        # PRO-7: a lay-off needs no meld before it.
        ("A lay-off before any meld", "", ""),
        ("A card that a Proter stands for already", "PRO-9", "PRO-9"),
        ("Swapping a Proter", "", ""),
        ("A nine on a nine", "PRO-11", "PRO-11"),
        # PRO-12: 5 6 7 of spades; and the 7 is within two ranks of the 6.
        ("The third card of a run on the pile", "PRO-12", "PRO-12"),
        # K♦ 6♠ 7♠ is no run, but 7♠ is within two ranks of 6♠.
        ("The next card of the suit on the pile", "", "PRO-12"),
    ],
    "pay_me": [
        # Twos are wild: 4 ? ? 7 has them side by side.
        ("Two wild cards side by side in a run", "PAY-6"),
        ("More wild cards than others", "PAY-6"),
        ("As many wild cards as others", ""),
        # A 2 are natural, the joker is the 3: one of four is wild.
        ("A two in its own place beside a joker", ""),
        # PAY-5: aces are low.
        ("Queen, king, ace", "PAY-5"),
        ("The same card twice in a set", "PAY-4"),
        ("Two sets of one rank", ""),
        ("Out with one card to discard", ""),
        # PAY-8: any other melds laid down are a false call (PAY-7).
        ("Out with two cards over", "PAY-7"),
        # 2♦ is the 6♣: 6 7 8 and the joker as the 9, two of four wild and not side by side.
        ("A second wild card laid off", ""),
    ],
    "carioca": [
        ("One trio of two", "CAR-3"),
        # CAR-3: the contract has trios of three.
        ("A trio of four cards", "CAR-3"),
        ("The same card twice in a trio", ""),
        ("Around the corner", "CAR-2"),
        ("Two jokers in a trio", "CAR-4"),
        ("A lay-off with the contract", "CAR-5"),
        ("A lay-off in a later turn", ""),
        # CAR-5: no new melds after the contract.
        ("Another trio after the contract", "CAR-5"),
        ("Swapping a joker in an escalera", ""),
        ("Swapping a joker in a trio", "CAR-6"),
    ],
    "kalooki": [
        ("One three of three", "KAL-3"),
        # KAL-2: two naturals at least in a three.
        ("Two jokers in a three", "KAL-2"),
        ("Two jokers side by side in a four", "KAL-2"),
        ("Two fours of one suit", "KAL-2"),
        # KAL-5: the low end waits until the high end has reached the ace.
        ("The low end of a four", "KAL-5"),
        ("The low end below an ace", ""),
        ("Tacking on with the contract", ""),
        # KAL-6: the joker goes to the high end, which is open.
        ("A joker to the low end", "KAL-6"),
        ("Swapping a joker in a three", "KAL-6"),
        ("A joker on the pile", "KAL-7"),
    ],
    "contract_rummy": [
        ("One set of two", "CON-3", "CON-3"),
        # CON-4: duplicates are allowed, or all suits are different.
        ("The same card twice in a set", "", "CON-4"),
        # Runs have four cards, or three: T J Q K of clubs is one on both.
        ("A run of three cards", "CON-5", ""),
        # One run on the first sheet; never two of one suit on the second.
        ("Two runs that are one", "CON-5", "CON-5"),
        ("A run around the corner", "CON-5", "CON-5"),
        ("A lay-off with the contract", "CON-8", "CON-8"),
        ("Swapping a joker in a run", "", ""),
        ("Swapping a joker in a set", "CON-7", "CON-7"),
        # CON-7: the joker must go into a new meld in the same turn.
        ("A joker kept for later", "CON-7", "CON-7"),
        # CON-9: only the second sheet forbids it.
        ("The card just taken from the pile", "", "CON-9"),
    ],
    "indian_rummy": [
        ("A sequence around the corner", "IND-2"),
        # IND-2: A-2-3 and Q-K-A are both sequences.
        ("Queen, king, ace", ""),
        ("The same card twice in a set", "IND-3"),
        # IND-3: a set is three cards.
        ("Four cards in a set", "IND-3"),
        # IND-4: with three packs.
        ("The same card three times", ""),
        # IND-5: any number of jokers, beside one natural card.
        ("Two jokers in a set", ""),
        ("The card just taken from the pile", "IND-6"),
        # IND-6: only the card just taken from the pile may not be discarded.
        ("A joker on the pile", ""),
        # 4 5 6 7 of hearts is clean; the other two sequences need a joker.
        ("One clean sequence", "IND-5"),
        # 7 8 9 of spades, with the 8 as itself, and 4 5 6 7 of hearts are clean.
        ("An eight as itself, eights being wild", ""),
    ],
    "three_thirteen": [
        # TTN-5: the ace is low.
        ("Ace, two, three", ""),
        ("Queen, king, ace", "TTN-5"),
        ("The same card twice in a set", ""),
        ("Two wild cards in a set", ""),
        # TTN-6: any number of them. Sixes are wild: 10, 6 as J, 6 as Q, K of clubs.
        ("Two wild cards side by side in a run", ""),
        ("A set of wild cards alone", ""),
        # TTN-3: twos are not wild, so it is neither a set nor a run.
        ("A two as a wild card", "TTN-4 TTN-5"),
        # TTN-7: four cards held in hand 1, the nines melded and the king discarded.
        ("Out with one card to discard", ""),
        ("Out with two cards over", "TTN-7"),
        # TTN-7: one card is discarded, and two sets of three need all six.
        ("Out with no card to discard", "TTN-7"),
    ],
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
        found = []
        for dispute in DISPUTES[game]:
            turned = parse_rank(dispute.turned) if dispute.turned else None
            rules = GAMES[game].rules(GAMES[game].house(sheet.id), dispute.hand, None, turned)
            found.append((dispute.title, " ".join(dispute.ruling(rules).broken)))
        assert found == [(title, broken[place]) for title, *broken in BROKEN[game]]


def test_a_dispute_names_a_rule_of_its_game_and_is_there_once():
    assert {*DISPUTES, "indian_chief"} == {*GAMES}
    for game, disputes in DISPUTES.items():
        assert len({dispute.title for dispute in disputes}) == len(disputes)
        (prefix,) = {dispute.rule.partition("-")[0] for dispute in disputes}
        assert {GAMES[game].deal_rule.partition("-")[0]} == {prefix}


def test_boxes_score_as_the_rulebook_says():
    game = GAMES["indian_chief"]
    rules = game.rules(game.house(), 1)
    assert isinstance(rules, IndianChiefJudge)
    assert {one.title: one.score(rules).points for one in BOX_DISPUTES} == SCORES
