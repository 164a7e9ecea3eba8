"""Pay Me: false calls, and “Pay me!” with all cards held in melds (PAY-7, PAY-8)."""

import pytest

from companion.rules.cards import parse_cards, parse_meld_text
from companion.rules.declaring import cards_laid
from companion.rules.errors import Malformed
from companion.rules.games.pay_me import PAY_ME
from companion.rules.question import Question, rule_on
from companion.rules.ruling import Ruling
from companion.rules.table import Player, Table, parse_play
from companion.rules.turn import Turn, rule_on_turn
from tests.rules.judges import rules_of


@pytest.mark.parametrize(
    ("false_call", "plays", "charge"),
    [
        (0, ["meld 5C 6C 7C"], None),
        (25, ["meld 5C 6C 7C"], "PAY-10"),
        (25, ["meld 5C 6C 9C", "discard 5C"], None),
        (25, ["meld 5C 6C 7C", "discard 9H"], None),
        # PAY-7 as well, and no call.
        (25, ["discard 9H", "discard 5C"], None),
    ],
)
def test_a_false_call_is_charged_if_the_table_says_so(false_call, plays, charge):
    rules = rules_of("pay_me", false_call=false_call)
    turn = rule_on_turn(Turn(rules, Table(), [parse_play(play) for play in plays], Player()))
    assert rules.charge_for(turn) == charge
    assert PAY_ME.charge("PAY-10").applies(rules.house) is bool(false_call)


def called(cards: str, melds: str = "", false_call: int = 0) -> Ruling:
    """The ruling on a call in hand 4, of seven cards; ``melds`` are the player's groups."""
    groups = [parse_meld_text(meld) for meld in melds.split("/") if meld.strip()]
    rules = rules_of("pay_me", 4, false_call=false_call)
    return rules.rule_on_declaration(parse_cards(cards), groups)


# Hand 4 deals six cards; sixes are wild.
CALLS = [
    # cards; as they are grouped; the melds of a legal call, or the broken rules; words of why
    ("3C 4C 5C 9C 9D 9H KH", "", "3C 4C 5C / 9C 9D 9H", "Legal: 6 cards can be laid in melds."),
    ("3C 4C 5C 9C 9D 9H 9S", "", "3C 4C 5C / 9C 9D 9H 9S", "7 cards can be laid in melds."),
    ("3C 4C 5C 9C 9D JH KH", "", "PAY-7", "4 cards would be in no meld, and only one of them may"),
    ("3C 4C 7C 9C 9D JH KH", "", "PAY-7", "7 cards would be in no meld, and only one of them may"),
    # A wild six makes three of the two nines.
    ("3C 4C 5C 9C 9D 6H KH", "", "3C 4C 5C / 9C 9D 6H=9H", "6 cards can be laid in melds."),
    ("3C 4C 5C 9C TD 6H KH", "", "PAY-7", "3 cards would be in no meld"),
    ("3C 4C 5C 9C 9D 9H KH", "3C 4C 5C / 9C 9D 9H", "3C 4C 5C / 9C 9D 9H", "K♥ as the discard"),
    ("3C 4C 5C 9C 9D 9H KH", "3C 4C 5C", "PAY-7", "In no meld: 9♣ 9♦ 9♥ K♥."),
    ("3C 4C 5C 9C 9D 9H KH", "3C 4C 5C", "PAY-7", "4 cards in no meld: a player who goes out"),
    # PAY-8: one card may be the discard, and is not counted.
    ("3C 4C 5C 9C 9D 9H KH", "3C 4C 5C / 9C 9D KH", "PAY-4 PAY-5 PAY-7", "3 cards in no meld"),
    ("3C 4C 5C 9C 9D 9H KH", "3C 4C 5C / 9C 9D", "PAY-4 PAY-7", "4 cards in no meld"),
    # Wild cards beyond a limit make no meld.
    ("5C XX XX 9C 9D 9H KH", "5C XX XX / 9C 9D 9H", "PAY-6 PAY-7", "3 cards in no meld"),
    # A set is not told that wild cards are neighbours, as in a run.
    ("KD 2C 2D 9C 9D 9H 4S", "KD 2C 2D / 9C 9D 9H", "PAY-6 PAY-7", "at most half may be. 3 cards"),
]


@pytest.mark.parametrize(("cards", "melds", "expected", "says"), CALLS)
def test_a_call_needs_all_cards_in_melds_but_one_discard(cards, melds, expected, says):
    ruling = called(cards, melds)
    found = ruling.melds if ruling.legal else ()
    assert (" / ".join(meld.text for meld in found) or " ".join(ruling.broken)) == expected
    assert says in ruling.says


@pytest.mark.parametrize("melds", ["", "3C 4C 5C"])
def test_a_false_call_costs_what_the_table_agreed_on(melds):
    for points, charge in ((0, None), (25, "PAY-10")):
        ruling = called("3C 4C 5C 9C 9D JH KH", melds, points)
        assert (ruling.consequence.points, ruling.consequence.take_back.text) == (points, "play")
        assert rules_of("pay_me", 4, false_call=points).charge_for(ruling) == charge


@pytest.mark.parametrize(
    ("melds", "laid"),
    [
        # Only the king can be discarded.
        (["3C 4C 5C 9C 9D 9H KH"], "3C 4C 5C 9C 9D 9H"),
        # None, or any of the nines.
        (["3C 4C 5C 9C 9D 9H 9S"], "3C 4C 5C 9C 9D 9H 9S"),
        # 3♣ or 5♦: a joker and 5♣ make a meld with either.
        (["9C 9D 3C 5C 5D XX XX"], "9C 9D 3C 5C 5D XX XX"),
        # A nine of clubs: a set has no two.
        (["3C 4C 5C 9C 9C 9D 9H"], "3C 4C 5C 9C 9D 9H"),
        (["3C 4C 5C 9C 9D 9H 9S", "3C 4C 5C", "9C 9D 9H"], "3C 4C 5C 9C 9D 9H"),
    ],
)
def test_a_call_lays_all_cards_if_several_could_be_the_discard(melds, laid):
    question = Question("declare", tuple(parse_play(f"meld {cards}") for cards in melds))
    rules = rules_of("pay_me", 4)
    cards = cards_laid(question, rules, rule_on(rules, question).melds)
    assert sorted(cards) == sorted(parse_cards(laid))


def test_a_card_beside_the_melds_of_a_call_is_the_discard():
    plays = ("meld 3C 4C 5C 9C 9D 9H KH", "meld 3C 4C 5C", "meld 9C 9D 9H")
    question = Question("declare", tuple(map(parse_play, plays)))
    for game in ("pay_me", "three_thirteen"):
        assert rule_on(rules_of(game, 4), question).legal


def test_a_call_is_about_all_cards_held_after_the_draw():
    for cards, says in (
        ("3C 4C 5C 9C 9D 9H", "A declaration is 7 cards, not 6"),
        ("3C 4C 5C 9C 9D 9H KH QH", "is one of them"),
    ):
        with pytest.raises(Malformed, match=says):
            called(cards)
