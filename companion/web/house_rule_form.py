"""House rules as the setup form offers them, and what it says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.notebook.events import GameStarted
from companion.rules.errors import Malformed
from companion.rules.game import Game
from companion.rules.house import HouseRule

Errors = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class HouseRuleField:
    """A house rule in the form. The empty choice leaves it as the sheet has it.

    ``defaults`` are the sentences of the sheets' own choices with the sheet's title and its place
    among the sheets (from 1; 0 and no title if the sheets agree); ``options`` a value, its name
    and its sentence each. ``numbers`` is set for a rule that takes any number of a range.
    """

    id: str
    rule: str
    title: str
    defaults: tuple[tuple[int, str, str], ...]
    options: tuple[tuple[str, str, str], ...]
    numbers: range | None


def house_rule_fields(game: Game) -> list[HouseRuleField]:
    """The house rules that leave a choice."""
    return [
        _field(game, rule) for rule in game.house_rules if len(rule.choices) > 1 or rule.numbers
    ]


def _field(game: Game, rule: HouseRule) -> HouseRuleField:
    defaults = tuple(
        (place, sheet.title, rule.says(rule.defaults[sheet.id]))
        for place, sheet in enumerate(game.sheets, start=1)
    )
    if len({says for _, _, says in defaults}) == 1:
        defaults = ((0, "", defaults[0][2]),)
    options = (
        ("", "As the sheet has it", ""),
        *((str(choice.value), _name(choice.value), choice.says) for choice in rule.choices),
    )
    return HouseRuleField(rule.id, rule.rule, rule.title, defaults, options, rule.numbers)


def _name(value: str | int) -> str:
    return str(value).replace("_", " ").capitalize()


def problems_of(rules: Mapping[str, str], game: Game) -> Errors:
    """What is wrong with the house rules that were entered, each with its field's id."""
    errors = []
    for rule in game.house_rules:
        entered = rules.get(rule.id, "")
        if not entered:
            continue
        try:
            rule.read(entered)
        except Malformed:
            errors.append((f"rule-{rule.id}", f"{rule.title}: {_wanted(rule)}"))
    return errors


def _wanted(rule: HouseRule) -> str:
    if rule.numbers is None:
        return "choose one of these."
    return f"a whole number from {rule.numbers[0]} to {rule.numbers[-1]}, or nothing."


def changed_rules(started: GameStarted, game: Game) -> dict[str, str]:
    """The house rules in which a game differs from its sheet, as the form has them."""
    return {
        rule.id: str(started.rules[rule.id])
        for rule in game.house_rules
        if rule.id in started.rules and started.rules[rule.id] != rule.defaults[started.sheet]
    }
