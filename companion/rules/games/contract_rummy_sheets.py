"""Contract Rummy as data: two sheets, packs, deals, contracts and house rules (CON-1 … CON-11)."""

from __future__ import annotations

from companion.rules.contracts import Contract
from companion.rules.game import Deck, DeckFor
from companion.rules.house_rules import Choice, HouseRule, Sheet

DENEXA, GAMERULES = "denexa", "gamerules"


def _both(value: str | int) -> dict[str, str | int]:
    return {DENEXA: value, GAMERULES: value}


SHEETS = (
    Sheet(DENEXA, "Denexa", "The sheet of denexa.com: two packs, runs of four or more."),
    Sheet(GAMERULES, "Game Rules", "The sheet of gamerules.com: one pack, runs of three or more."),
)

# CON-1: two packs and one joker fewer than players; one pack and one joker, as far as it serves.
DECKS = {
    DENEXA: (
        DeckFor(3, 3, Deck(2, 2)),
        DeckFor(4, 4, Deck(2, 3)),
        DeckFor(5, 5, Deck(2, 4)),
    ),
    GAMERULES: (
        DeckFor(3, 4, Deck(1, 1)),
        DeckFor(
            5,
            5,
            Deck(2, 2),
            "One pack and a joker are 53 cards, and five players of twelve cards need 60: "
            "five play with two packs and two jokers.",
        ),
    ),
}

# CON-2, by hand.
CARDS_DEALT = {
    DENEXA: (10, 10, 10, 12, 12, 12, 12),
    GAMERULES: (10, 10, 10, 10, 12, 12, 12),
}

# CON-3, by hand.
CONTRACTS = (
    Contract(sets=2, runs=0),
    Contract(sets=1, runs=1),
    Contract(sets=0, runs=2),
    Contract(sets=3, runs=0),
    Contract(sets=2, runs=1),
    Contract(sets=1, runs=2),
    Contract(sets=0, runs=3),
)

HOUSE_RULES = (
    HouseRule(
        "exact_contract",
        "CON-3",
        "How long the melds of a contract are",
        (
            Choice("no", "The melds of a contract may be longer than the shortest."),
            Choice(
                "yes", "The melds of a contract have as few cards as a meld can, but in hand 7."
            ),
        ),
        _both("no"),
    ),
    HouseRule(
        "min_naturals",
        "CON-6",
        "Natural cards in a meld",
        (
            Choice(0, "A meld may be all jokers."),
            Choice(1, "Every meld has at least one natural card."),
            Choice(2, "Every meld has at least two natural cards."),
        ),
        _both(1),
    ),
    HouseRule(
        "hand7",
        "CON-10",
        "The last hand",
        (
            Choice("all_cards", "All cards held are melded at once, and none is discarded."),
            Choice("twelve_and_discard", "All but one are melded at once, and that is discarded."),
        ),
        _both("all_cards"),
    ),
)
