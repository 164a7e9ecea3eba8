"""Proter as data: its two sheets, what tables differ on, and what is charged (PRO-1 … PRO-16)."""

from __future__ import annotations

from companion.rules.game import Charge
from companion.rules.house_rules import Choice, HouseRule, Sheet

CATS, ONLINE = "catsatcards", "playginrummyonline"


SHEETS = (
    Sheet(CATS, "CatsAtCards", "The sheet of CatsAtCards.com, 2015."),
    Sheet(ONLINE, "Play Gin Rummy Online", "The sheet of playginrummyonline.com."),
)

HOUSE_RULES = (
    HouseRule("ace_in_runs", "PRO-5", "The ace in runs", {ONLINE: "both"}).with_choices(
        high="Above the king only: Q K A is a run, A 2 3 is not.",
        low="Below the 2 only: A 2 3 is a run, Q K A is not.",
        both="Above the king or below the 2, but never K A 2.",
    ),
    HouseRule("proter_in_own_place", "PRO-6", "A Proter in its own place").with_choices(
        wild="It is a Proter even where it stands for itself.",
        natural="Where it stands for itself, it is an ordinary card.",
    ),
    HouseRule("min_naturals", "PRO-6", "Natural cards in a meld").with_choices(
        Choice(0, "A meld may be all Proters."),
        Choice(1, "Every meld has at least one natural card."),
        Choice(2, "Every meld has at least two natural cards."),
    ),
    HouseRule(
        "natural_first_meld", "PRO-7", "First meld without Proters", {ONLINE: "each_hand"}
    ).with_choices(
        each_turn="In every turn, the first meld that is laid has no Proter.",
        each_hand="Only a player's first meld of the hand has no Proter.",
        off="Proters may be used from the first meld on.",
    ),
    HouseRule("lay_off_needs_meld", "PRO-7", "A meld before lay-offs").with_choices(
        no="Lay-offs and swaps need no meld before them.",
        yes="Only a player who has melded in this hand may lay off or swap.",
    ),
    HouseRule(
        "swapped_proter", "PRO-10", "A Proter that was swapped out", {ONLINE: "meld_this_turn"}
    ).with_choices(
        keep="It may be kept in hand for later.",
        meld_this_turn="It must go into a new meld in the same turn.",
    ),
    HouseRule(
        "swap_own_fresh_proter", "PRO-10", "Swapping out a Proter laid this turn", {ONLINE: "no"}
    ).with_choices(
        yes="A player may swap out a Proter laid in the same turn.",
        no="A player may not swap out a Proter that they laid in the same turn.",
    ),
    HouseRule(
        "discard_run", "PRO-12", "Discards near the top card", {ONLINE: "two_adjacent"}
    ).with_choices(
        three_in_suit="No discard that makes a run of three with the top two cards.",
        two_adjacent="No discard of the top card's suit within two ranks of it.",
        off="Only the rank of the top card matters.",
    ),
    HouseRule("discard_run_order", "PRO-12", "The order of such a run of three").with_choices(
        any="In any order: 7, 5, then 6 is a run.",
        in_order="Only as they lie: 5, 6, 7 or 7, 6, 5.",
    ),
    HouseRule("penalty_points", "PRO-13", "Points for a penalty", numbers=range(501)).with_choices(
        Choice(20, "20 points for every penalty."),
    ),
    HouseRule("proters_left", "PRO-13.4", "Proters in hand at the end").with_choices(
        flat="One penalty, however many they are.",
        each="One penalty for each of them.",
    ),
    HouseRule("lay_off_counts_as_meld", "PRO-13.5", "Does a lay-off count as a meld").with_choices(
        no="A player who only laid off has laid no meld, and is charged for it.",
        yes="A lay-off is enough to escape the penalty for no meld.",
    ),
    HouseRule("winner_pays_no_meld", "PRO-13.5", "Out without a meld").with_choices(
        yes="A player who goes out without a new meld is charged too.",
        no="A player who goes out is not charged for having no meld.",
    ),
    HouseRule(
        "wrong_meld", "PRO-13.6", "A wrong meld, lay-off or swap", {ONLINE: "penalty"}
    ).with_choices(
        take_back="It is taken back, without points.",
        penalty="It costs a penalty, and the whole turn is taken back.",
    ),
    HouseRule("claim_until", "PRO-13", "When a claim is made").with_choices(
        next_draw="Claims are made when the turn is over, before the next player draws.",
    ),
    HouseRule("going_out_discard", "PRO-14", "The last card").with_choices(
        optional="A hand may end with a meld or lay-off, without a discard.",
        required="The last card must be discarded.",
    ),
    HouseRule("proter_left_value", "PRO-15", "What a Proter left counts").with_choices(
        face="Its face value, like any card.",
        zero="Nothing, beside its penalty.",
    ),
    HouseRule("ties", "PRO-16", "Equal totals").with_choices(
        shared="They share the place.",
        fewest_penalties="The one with fewer penalties is ahead.",
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
        applies=lambda house: house["wrong_meld"] == "penalty",
        points_rule="penalty_points",
    ),
)
