"""Cards as they are written, shown and said; and what packs can hold."""

import pytest

from companion.rules.cards import (
    JOKER,
    PACK,
    RANKS,
    SUITS,
    Card,
    Laid,
    Offered,
    Rank,
    Suit,
    as_run,
    check_packs,
    format_cards,
    identified,
    parse_card,
    parse_cards,
    parse_meld_text,
    parse_offered,
    show_cards,
)
from companion.rules.errors import Malformed

WRITTEN = [
    # what people write; the card as text, as it is shown, and in words
    ("AS", "AS", "A♠", "ace of spades"),
    ("a♠", "AS", "A♠", "ace of spades"),
    ("A♠\ufe0e", "AS", "A♠", "ace of spades"),
    ("A♤", "AS", "A♠", "ace of spades"),
    (" qd ", "QD", "Q♦", "queen of diamonds"),
    ("T♥", "TH", "10♥", "10 of hearts"),
    ("10h", "TH", "10♥", "10 of hearts"),
    ("10♥\ufe0f", "TH", "10♥", "10 of hearts"),
    ("J♢", "JD", "J♦", "jack of diamonds"),
    ("xx", "XX", "★", "joker"),
    ("☆", "XX", "★", "joker"),
    ("Joker", "XX", "★", "joker"),
]


@pytest.mark.parametrize(("written", "text", "shown", "word"), WRITTEN)
def test_a_card_is_read_in_any_spelling(written, text, shown, word):
    card = parse_card(written)
    assert (card.text, card.shown, card.word) == (text, shown, word)


@pytest.mark.parametrize(
    "written", ["", "8", "H", "H8", "1H", "0H", "11H", "8HH", "8 H", "10", "100H", "X", "8X", "XH"]
)
def test_other_text_is_not_a_card(written):
    with pytest.raises(Malformed, match=f"“{written}” is not a card") as raised:
        parse_card(written, "pile")
    assert raised.value.where == "pile"


def test_a_pack_has_52_cards_and_no_joker():
    assert len(set(PACK)) == 52
    assert JOKER not in PACK
    assert [rank.text for rank in RANKS] == list("A23456789TJQK")
    assert [suit.text for suit in SUITS] == list("CDHS")
    assert (Rank.JOKER.text, Suit.JOKER.text, Suit.JOKER.shown) == ("X", "X", "★")
    assert [rank.word for rank in (Rank.ACE, Rank.TEN, Rank.KING)] == ["ace", "10", "king"]
    assert [suit.word for suit in SUITS] == ["clubs", "diamonds", "hearts", "spades"]


def test_cards_are_separated_by_spaces_or_commas():
    cards = [Card(Rank.FIVE, Suit.CLUBS), Card(Rank.SIX, Suit.CLUBS)]
    for text in ("5C 6C", "5C,6C", " 5c ,\n6♣, ", ["5C", "6C"]):
        assert list(parse_cards(text)) == cards
    assert parse_cards("") == ()
    assert parse_meld_text("8H=6C, 5C") == (parse_offered("8H=6C"), Offered(cards[0]))


def test_a_wild_card_is_shown_with_the_card_it_stands_for():
    eight, six = parse_card("8H"), parse_card("6C")
    assert Laid(six, six).shown == "6♣"
    assert Laid(eight, six, True).shown == "8♥ for 6♣"
    assert Laid(eight, eight, True).shown == "8♥"
    assert show_cards([six, Laid(eight, six, True)]) == "6♣, 8♥ for 6♣"


IDENTIFIED = [
    # the cards as they are written; what is known of them; the cards with it
    ("8H", "8H=6C", "8H=6C"),
    ("8H 8H", "8H=6C", "8H=6C 8H"),
    ("8H 8H", "8H=6C 8H=7D", "8H=6C 8H=7D"),
    ("8H 8H=6C", "8H=6C", "8H 8H=6C"),
    ("8H=7D", "8H=6C", "8H=7D"),
    ("9H 8H", "8H=6C", "9H 8H=6C"),
]


@pytest.mark.parametrize(("written", "known", "expected"), IDENTIFIED)
def test_each_card_takes_one_known_identity_unless_it_has_one(written, known, expected):
    cards = [parse_offered(text) for text in written.split()]
    named = identified(cards, [parse_offered(text) for text in known.split()])
    assert format_cards(named) == expected


PACKS = [
    # packs and jokers; where cards lie; what is wrong
    (1, 0, {"in the pile": "5C", "in the table": "5C"}, "5♣ is in the pile and in the table."),
    (1, 0, {"in the pile": "5C 5C"}, "5♣ is twice in the pile."),
    (1, 0, {"in the pile": "XX"}, "There are no jokers in this game."),
    (1, 2, {"in the pile": "XX XX"}, None),
    (1, 2, {"in the pile": "XX XX XX"}, "★ is three times in the pile, and there are only 2."),
    (2, 0, {"in the pile": "5C 5C 5C"}, "5♣ is three times in the pile, and there are only 2."),
    (
        2,
        4,
        {"in the pile": "5C 5C", "in the table": "5C XX", "in Ana's cards": "KC XX"},
        "5♣ is in the pile and in the table, and there are only 2.",
    ),
    (
        1,
        0,
        {"in Ana's cards": "KC QD", "in Ben's cards": "KC", "in Cem's cards": "QD KC"},
        (
            "K♣ is in Ana's cards, in Ben's cards and in Cem's cards; "
            "Q♦ is in Ana's cards and in Cem's cards."
        ),
    ),
]


@pytest.mark.parametrize(("packs", "jokers", "lying", "wrong"), PACKS)
def test_cards_beyond_the_packs_are_named_one_by_one(packs, jokers, lying, wrong):
    places = [(place, parse_cards(cards)) for place, cards in lying.items()]
    if wrong is None:
        check_packs(places, packs, jokers)
        return
    with pytest.raises(Malformed) as raised:
        check_packs(places, packs, jokers, "left")
    assert (str(raised.value), raised.value.where) == (wrong, "left")


def test_an_ace_is_read_after_the_king():
    for given, read in (
        ("AC JC QC KC", "JC QC KC AC"),
        ("AC QC KC XX", "QC KC AC XX"),
        ("AC 9H=JC QC KC", "9H=JC QC KC AC"),
        # Around nothing: with the two the ace is low, and no suit or king makes it high.
        ("AC 2C 3C", "AC 2C 3C"),
        ("AC 2C QC KC", "AC 2C QC KC"),
        ("AC AD KC", "AC AD KC"),
        ("KC AC", "KC AC"),
    ):
        assert format_cards(as_run(parse_meld_text(given))) == read
        assert format_cards(as_run(())) == ""
