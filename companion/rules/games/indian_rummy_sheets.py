"""Indian Rummy as data: its sheet, what tables differ on, and what is charged (IND-1 … IND-8)."""

from __future__ import annotations

from companion.rules.game import Charge
from companion.rules.house_rules import Choice, HouseRule, Sheet, Value

SHEET = "indian_rummy"
LEFT_EARLY, LEFT_LATE, WRONG_DECLARATION = "IND-7.1", "IND-7.2", "IND-8"


def _default(value: Value) -> dict[str, Value]:
    return {SHEET: value}


SHEETS = (Sheet(SHEET, "Indian Rummy", "Paplu as it is played in Maharashtra, by Vasant Mali."),)

HOUSE_RULES = (
    HouseRule(
        "joker_turned",
        "IND-1",
        "A printed joker turned up",
        (
            Choice("aces", "Aces are wild, and printed jokers."),
            Choice("printed_only", "Printed jokers are wild, and no other card."),
        ),
        _default("aces"),
    ),
    HouseRule(
        "set_size",
        "IND-3",
        "The size of a set",
        (
            Choice("3", "A set is three cards, no more."),
            Choice("3-4", "A set is three or four cards."),
        ),
        _default("3"),
    ),
    HouseRule(
        "clean_sequences",
        "IND-5",
        "Clean sequences",
        (
            Choice(2, "Two sequences at least have no card that stands for another."),
            Choice(1, "Two sequences at least, one of which has no card that stands for another."),
        ),
        _default(2),
    ),
    HouseRule(
        "wild_in_own_place",
        "IND-5",
        "A wild rank in its own place",
        (
            Choice("natural", "Where it stands for itself, it is an ordinary card."),
            Choice("wild", "It is a joker even where it stands for itself."),
        ),
        _default("natural"),
    ),
    HouseRule(
        "jokers_per_meld",
        "IND-5",
        "Jokers in a meld",
        (
            Choice("any", "Any number, beside one natural card at least."),
            Choice(1, "One at most."),
        ),
        _default("any"),
    ),
    HouseRule(
        "leave_early",
        "IND-7",
        "Leaving after the first Rummy",
        (Choice(10, "Who leaves then pays 10 points."),),
        _default(10),
        range(501),
    ),
    HouseRule(
        "leave_late",
        "IND-7",
        "Leaving later",
        (Choice(40, "Who leaves later pays 40 points."),),
        _default(40),
        range(501),
    ),
    HouseRule(
        "count",
        "IND-8",
        "Which cards left count",
        (
            Choice(
                "ungrouped",
                "Cards in no meld; with too few clean sequences, all but those in clean ones.",
            ),
            Choice("all", "All cards held, in melds or not."),
        ),
        _default("ungrouped"),
    ),
    HouseRule(
        "cap",
        "IND-8",
        "The most that cards left count",
        (
            Choice("none", "They count as much as they are worth."),
            Choice(80, "They never count more than 80 points."),
        ),
        _default("none"),
    ),
    HouseRule(
        "wrong_declare",
        "IND-8",
        "A wrong declaration",
        (Choice(80, "Who declares wrongly pays 80 points."),),
        _default(80),
        range(501),
    ),
)

CHARGES = (
    Charge(
        LEFT_EARLY,
        "Left the game early",
        "The player left the game after the first Rummy.",
        points_rule="leave_early",
        leaves=True,
        first_hand=2,
    ),
    Charge(
        LEFT_LATE,
        "Left the game later",
        "The player left the game later than that.",
        points_rule="leave_late",
        leaves=True,
        first_hand=2,
    ),
    Charge(
        WRONG_DECLARATION,
        "Wrong declaration",
        "Rummy was declared with cards that are none.",
        points_rule="wrong_declare",
    ),
)
