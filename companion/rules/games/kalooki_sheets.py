"""Kalooki as data: its hands, what tables differ on, and what is charged (KAL-1 … KAL-9)."""

from __future__ import annotations

from companion.rules.contracts import Contract
from companion.rules.game import Charge, Deck, DeckFor
from companion.rules.house_rules import Choice, HouseRule, Sheet

TOO_MANY_CALLS = "KAL-4"

SHEETS = (Sheet("kalooki", "Kalooki", "The rules of Kalooki as Denexa gives them."),)
DECKS = {"": (DeckFor(3, 5, Deck(2, 4)),)}

# Of threes and of fours, hand by hand, and the cards dealt for them.
CONTRACTS = (
    Contract(3, 0),
    Contract(2, 1),
    Contract(1, 2),
    Contract(0, 3),
    Contract(4, 0),
    Contract(3, 1),
    Contract(2, 2),
    Contract(1, 3),
    Contract(0, 4),
)
CARDS_DEALT = (9, 10, 11, 12, 12, 13, 14, 15, 16)

HOUSE_RULES = (
    HouseRule(
        "same_rank_threes",
        "KAL-2",
        "Two threes of one rank",
        (
            Choice("yes", "A player may have several threes of one rank."),
            Choice("no", "A player's threes are all of different ranks."),
        ),
        {"kalooki": "yes"},
    ),
    HouseRule(
        "bending_doubles",
        "KAL-9",
        "What bending the table doubles",
        (
            Choice("cards", "The points of the others' cards count double."),
            Choice("all", "The others' cards and their penalties for calls count double."),
        ),
        {"kalooki": "cards"},
    ),
)

CHARGES = (
    Charge(
        TOO_MANY_CALLS,
        "Call beyond the third",
        "A player called for the discard more than three times in the hand. If that player bends "
        "the table, nothing is doubled.",
        points=50,
    ),
)
