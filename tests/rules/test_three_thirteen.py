"""Three Thirteen as the rulebook has it: packs, deal, wild ranks, house rules, arrangements."""

import pytest

from companion.check import answer
from companion.rules.cards import Rank
from companion.rules.errors import Malformed
from companion.rules.game import Deck
from companion.rules.games.three_thirteen import THREE_THIRTEEN

HANDS = [
    # hand, cards dealt, and the only rank that is wild (TTN-2, TTN-3)
    (1, 3, Rank.THREE),
    (2, 4, Rank.FOUR),
    (3, 5, Rank.FIVE),
    (4, 6, Rank.SIX),
    (5, 7, Rank.SEVEN),
    (6, 8, Rank.EIGHT),
    (7, 9, Rank.NINE),
    (8, 10, Rank.TEN),
    (9, 11, Rank.JACK),
    (10, 12, Rank.QUEEN),
    (11, 13, Rank.KING),
]


@pytest.mark.parametrize(("hand", "dealt", "wild"), HANDS)
def test_each_hand_deals_a_card_more_and_has_its_wild_rank(hand, dealt, wild):
    game = THREE_THIRTEEN
    assert (game.dealt(hand), game.wild_rank(hand)) == (dealt, wild)
    assert game.rules(game.house(), hand).limits.wild_ranks == {wild}
    with_jokers = game.house(None, {"jokers": "two_a_pack"})
    assert game.rules(with_jokers, hand).limits.wild_ranks == {wild, Rank.JOKER}


@pytest.mark.parametrize(("players", "packs"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3)])
def test_the_packs_follow_the_players_and_the_jokers_the_house(players, packs):
    game = THREE_THIRTEEN
    assert game.deck(game.house(), players) == Deck(packs, 0)
    with_jokers = game.house(None, {"jokers": "two_a_pack"})
    assert game.deck(with_jokers, players) == Deck(packs, 2 * packs)


@pytest.mark.parametrize("players", [1, 9])
def test_so_many_cannot_play(players):
    with pytest.raises(Malformed, match="Three Thirteen is played by 2 to 8"):
        THREE_THIRTEEN.deck(THREE_THIRTEEN.house(), players)


def test_three_thirteen_is_as_the_rulebook_says():
    game = THREE_THIRTEEN
    assert (game.hands, game.players, game.deal_passes) == (11, (2, 8), "left")
    assert dict(game.house().values) == {
        "jokers": "none",
        "min_naturals": 0,
        "going_out_discard": "required",
        "ace_left": 1,
        "court_left": "10",
    }
    rules = ["TTN-1", "TTN-6", "TTN-7", "TTN-9", "TTN-9"]
    assert [rule.rule for rule in game.house_rules] == rules


ARRANGEMENTS = [
    # cards; house rules; points and deadwood, in hand 6 where eights are wild
    ("9C 9D 9H KS 4C", {}, "14 4C KS"),
    ("9C 9C 9C KS 4C", {}, "14 4C KS"),
    # An eight lengthens any meld, and two of them make one of any card.
    ("9C 9D 9H 8S KS", {}, "10 KS"),
    ("8C 8D KS 4H", {}, "4 4H"),
    ("8C 8D 8H", {}, "0"),
    ("8C 8D 8H", {"min_naturals": 1}, "24 8C 8D 8H"),
    ("8C KS 4H", {}, "22 4H 8C KS"),
    # The ace is low.
    ("QH KH AH", {}, "21 AH KH QH"),
    ("AH 2H 3H", {}, "0"),
    ("QH KH AH", {"ace_left": 15, "court_left": "11-13"}, "40 AH KH QH"),
    # A joker is wild, and 15 if it is left; an eight beside it 8.
    ("XX KS 4H", {"jokers": "two_a_pack"}, "29 4H KS XX"),
    ("XX 8C KS 4H", {"jokers": "two_a_pack"}, "4 4H"),
    ("XX 8C", {"jokers": "two_a_pack"}, "23 8C XX"),
]


@pytest.mark.parametrize(("cards", "agreed", "left"), ARRANGEMENTS)
def test_the_best_arrangement_in_hand_six(cards, agreed, left):
    question = {"game": "three_thirteen", "hand": 6, "ask": "arrange", "rules": agreed}
    best = answer(question | {"cards": cards})
    points, _, deadwood = left.partition(" ")
    assert (best["points"], sorted(best["deadwood"])) == (int(points), deadwood.split())
