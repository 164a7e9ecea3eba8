"""What the tally says beside the score sheet: penalties, house rules, what was corrected."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from companion.notebook.describe import bending
from companion.notebook.scoresheet import RulingLine, ScoreSheet
from companion.notebook.showing import filled_boxes
from companion.rules.scoring import Charged


@dataclass(frozen=True, slots=True)
class PenaltyLine:
    """A player's charges in one hand by one rule: how many ``times``, and ``points`` in all.

    A house penalty has no rule, and its reason as the title.
    """

    hand: int
    name: str
    rule: str
    title: str
    times: int
    points: int


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A house rule that differs from the sheet: its number, title, and what holds here."""

    rule: str
    title: str
    says: str


def penalty_lines(sheet: ScoreSheet) -> list[PenaltyLine]:
    """Every charge that stands, worked-out ones included, by hand and then in order of seats."""
    lines = []
    for hand in sheet.hands:
        for player in sheet.players:
            charges = hand.mark(player).charges
            points: Counter[tuple[str, str]] = Counter()
            for charge in charges:
                points[charge.rule, charge.text] += charge.points
            times = Counter((charge.rule, charge.text) for charge in charges)
            lines += [
                PenaltyLine(
                    hand.number,
                    sheet.names[player],
                    rule,
                    sheet.game.charge(rule).title if rule else text,
                    times[rule, text],
                    points[rule, text],
                )
                for rule, text in times
            ]
    return lines


def shows_penalties(sheet: ScoreSheet) -> bool:
    """True if the table has penalties by its rules, or has charged one of its own."""
    by_rules = any(charge.applies(sheet.house) for charge in sheet.game.charges)
    return by_rules or any(_house_charges(sheet, player) for player in sheet.players)


def has_bonus(sheet: ScoreSheet) -> bool:
    """True if a house penalty has taken points off a score."""
    return any(one.points < 0 for player in sheet.players for one in _house_charges(sheet, player))


def house_points(sheet: ScoreSheet, player: int) -> int:
    """Return the points of all house penalties of a player."""
    return sum(charge.points for charge in _house_charges(sheet, player))


def _house_charges(sheet: ScoreSheet, player: int) -> list[Charged]:
    return [one for hand in sheet.hands for one in hand.mark(player).charges if not one.rule]


def changed_rules(sheet: ScoreSheet) -> list[RuleLine]:
    """The house rules that differ from the game's sheet."""
    house = sheet.house
    return [
        RuleLine(rule.rule, rule.title, rule.says(house[rule.id]))
        for rule in sheet.game.house_rules
        if house[rule.id] != rule.defaults[house.sheet]
    ]


def sheet_title(sheet: ScoreSheet) -> str:
    """The title of the rule sheet that the game is played by."""
    return next(one.title for one in sheet.game.sheets if one.id == sheet.house.sheet)


def rulings(sheet: ScoreSheet) -> list[RulingLine]:
    """Every ruling that stands, hand by hand."""
    return [line for hand in sheet.hands for line in hand.standing_rulings]


def bendings(sheet: ScoreSheet) -> list[str]:
    """Return a sentence for each hand where the table was bent: doubled, or why not."""
    return [
        f"{sheet.game.hand_title} {hand.number}: {says}"
        for hand in sheet.marked
        if hand.marking is not None and (says := bending(sheet, hand, hand.marking.event))
    ]


def notes(sheet: ScoreSheet) -> list[str]:
    """What a reader of the sheet must know of its hands: thrown in, corrected, bent."""
    word = sheet.game.hand_word
    said = [
        f"{sheet.game.hand_title} {hand.number} was thrown in{_times(len(hand.thrown_in))} "
        "and dealt again."
        for hand in sheet.hands
        if hand.thrown_in
    ]
    corrected = [str(hand.number) for hand in sheet.hands if len(hand.markings) > 1]
    if corrected:
        said.append(
            f"Corrected after marking: {word}{'s' if len(corrected) > 1 else ''} "
            f"{', '.join(corrected)}."
        )
    return said + bendings(sheet)


def _times(count: int) -> str:
    return {1: "", 2: " twice"}.get(count, f" {count} times")


@dataclass(frozen=True, slots=True)
class BoxCell:
    """What a player has in a box: points, and the hand in which it was filled; None while open."""

    player: int
    points: int | None = None
    hand: int | None = None


@dataclass(frozen=True, slots=True)
class BoxRow:
    """A box of the sheet, which a meld of so many ``cards`` fills."""

    title: str
    cards: int
    cells: tuple[BoxCell, ...]


def box_rows(sheet: ScoreSheet) -> list[BoxRow]:
    """The boxes in their order, each with a cell for every player; none in a game without."""
    filled = [filled_boxes(sheet, player) for player in sheet.players]
    return [
        BoxRow(
            box.title,
            box.cards,
            tuple(
                BoxCell(
                    player, filled[player][box.title].mark.cards, filled[player][box.title].hand
                )
                if box.title in filled[player]
                else BoxCell(player)
                for player in sheet.players
            ),
        )
        for box in sheet.game.judge.boxes
    ]
