"""Proter as data: its two sheets, what tables differ on, and what is charged (PRO-1 … PRO-16)."""

from __future__ import annotations

from companion.rules.game import Charge
from companion.rules.house_rules import Choice, HouseRule, Sheet

CATS, ONLINE = "catsatcards", "playginrummyonline"


def _both(value: str | int) -> dict[str, str | int]:
    return {CATS: value, ONLINE: value}


SHEETS = (
    Sheet(CATS, "CatsAtCards", "The sheet of CatsAtCards.com, 2015."),
    Sheet(ONLINE, "Play Gin Rummy Online", "The sheet of playginrummyonline.com."),
)

HOUSE_RULES = (
    HouseRule(
        "ace_in_runs",
        "PRO-5",
        "The ace in runs",
        (
            Choice("high", "Above the king only: Q K A is a run, A 2 3 is not."),
            Choice("low", "Below the 2 only: A 2 3 is a run, Q K A is not."),
            Choice("both", "Above the king or below the 2, but never K A 2."),
        ),
        {CATS: "high", ONLINE: "both"},
    ),
    HouseRule(
        "proter_in_own_place",
        "PRO-6",
        "A Proter in its own place",
        (
            Choice("wild", "It is a Proter even where it stands for itself."),
            Choice("natural", "Where it stands for itself, it is an ordinary card."),
        ),
        _both("wild"),
    ),
    HouseRule(
        "min_naturals",
        "PRO-6",
        "Natural cards in a meld",
        (
            Choice(0, "A meld may be all Proters."),
            Choice(1, "Every meld has at least one natural card."),
            Choice(2, "Every meld has at least two natural cards."),
        ),
        _both(0),
    ),
    HouseRule(
        "natural_first_meld",
        "PRO-7",
        "First meld without Proters",
        (
            Choice("each_turn", "In every turn, the first meld that is laid has no Proter."),
            Choice("each_hand", "Only a player's first meld of the hand has no Proter."),
            Choice("off", "Proters may be used from the first meld on."),
        ),
        {CATS: "each_turn", ONLINE: "each_hand"},
    ),
    HouseRule(
        "lay_off_needs_meld",
        "PRO-7",
        "A meld before lay-offs",
        (
            Choice("no", "Lay-offs and swaps need no meld before them."),
            Choice("yes", "Only who has melded in this hand may lay off or swap."),
        ),
        _both("no"),
    ),
    HouseRule(
        "swapped_proter",
        "PRO-10",
        "A Proter that was swapped out",
        (
            Choice("keep", "It may be kept in hand for later."),
            Choice("meld_this_turn", "It must go into a new meld in the same turn."),
        ),
        {CATS: "keep", ONLINE: "meld_this_turn"},
    ),
    HouseRule(
        "swap_own_fresh_proter",
        "PRO-10",
        "Swapping out a Proter laid this turn",
        (
            Choice("yes", "A player may swap out a Proter laid in the same turn."),
            Choice("no", "A player may not swap out a Proter that they laid in the same turn."),
        ),
        {CATS: "yes", ONLINE: "no"},
    ),
    HouseRule(
        "discard_run",
        "PRO-12",
        "Discards near the top card",
        (
            Choice("three_in_suit", "No discard that makes a run of three with the top two cards."),
            Choice("two_adjacent", "No discard of the top card's suit within two ranks of it."),
            Choice("off", "Only the rank of the top card matters."),
        ),
        {CATS: "three_in_suit", ONLINE: "two_adjacent"},
    ),
    HouseRule(
        "discard_run_order",
        "PRO-12",
        "The order of such a run of three",
        (
            Choice("any", "In any order: 7, 5, then 6 is a run."),
            Choice("in_order", "Only as they lie: 5, 6, 7 or 7, 6, 5."),
        ),
        _both("any"),
    ),
    HouseRule(
        "penalty_points",
        "PRO-13",
        "Points for a penalty",
        (Choice(20, "20 points for every penalty."),),
        _both(20),
        range(501),
    ),
    HouseRule(
        "proters_left",
        "PRO-13.4",
        "Proters in hand at the end",
        (
            Choice("flat", "One penalty, however many they are."),
            Choice("each", "One penalty for each of them."),
        ),
        _both("flat"),
    ),
    HouseRule(
        "lay_off_counts_as_meld",
        "PRO-13.5",
        "Does a lay-off count as a meld",
        (
            Choice("no", "Who only laid off has laid no meld, and is charged for it."),
            Choice("yes", "A lay-off is enough to escape the penalty for no meld."),
        ),
        _both("no"),
    ),
    HouseRule(
        "winner_pays_no_meld",
        "PRO-13.5",
        "Out without a meld",
        (
            Choice("yes", "Who goes out without a new meld is charged too."),
            Choice("no", "Who goes out is not charged for having no meld."),
        ),
        _both("yes"),
    ),
    HouseRule(
        "wrong_meld",
        "PRO-13.6",
        "A wrong meld, lay-off or swap",
        (
            Choice("take_back", "It is taken back, without points."),
            Choice("penalty", "It costs a penalty, and the whole turn is taken back."),
        ),
        {CATS: "take_back", ONLINE: "penalty"},
    ),
    HouseRule(
        "claim_until",
        "PRO-13",
        "When a claim is made",
        (Choice("next_draw", "When the turn is over, before the next player draws."),),
        _both("next_draw"),
    ),
    HouseRule(
        "going_out_discard",
        "PRO-14",
        "The last card",
        (
            Choice("optional", "A hand may end with a meld or lay-off, without a discard."),
            Choice("required", "The last card must be discarded."),
        ),
        _both("optional"),
    ),
    HouseRule(
        "proter_left_value",
        "PRO-15",
        "What a Proter left counts",
        (
            Choice("face", "Its face value, like any card."),
            Choice("zero", "Nothing, beside its penalty."),
        ),
        _both("face"),
    ),
    HouseRule(
        "ties",
        "PRO-16",
        "Equal totals",
        (
            Choice("shared", "They share the place."),
            Choice("fewest_penalties", "The one with fewer penalties is ahead."),
        ),
        _both("shared"),
    ),
)

CHARGES = (
    Charge(
        "PRO-13.1",
        "Card already on the table",
        "A card was played that is already on the table, natural or stood for.",
        takes_back=True,
        points_rule="penalty_points",
    ),
    Charge(
        "PRO-13.2",
        "Wrong discard",
        "A discard of the top card's rank, or one that makes a run with the pile.",
        takes_back=True,
        points_rule="penalty_points",
    ),
    Charge(
        "PRO-13.3",
        "Touched stock or pile",
        "The stock or the pile was touched in another player's turn.",
        points_rule="penalty_points",
    ),
    Charge(
        "PRO-13.4",
        "Proter in hand",
        "One or more Proters were in hand at the end of the hand.",
        worked_out=True,
        points_rule="penalty_points",
    ),
    Charge(
        "PRO-13.5",
        "No meld",
        "No new meld was laid in the hand.",
        worked_out=True,
        points_rule="penalty_points",
    ),
    Charge(
        "PRO-13.6",
        "Wrong meld or swap",
        "A meld, lay-off or swap was wrong in any other way.",
        takes_back=True,
        only_if=("wrong_meld", "penalty"),
        points_rule="penalty_points",
    ),
)
