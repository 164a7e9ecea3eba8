"""House rules: rules on which tables differ, chosen at setup and frozen with the game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from companion.rules.errors import Malformed
from companion.rules.language import gettext, ngettext, noted

Value = str | int


class Choice(NamedTuple):
    """One choice of a house rule, with the sentence that explains it."""

    value: Value
    says: str


@dataclass(frozen=True, slots=True)
class HouseRule:
    """A rule on which tables differ.

    ``rule`` is the number of the rule it belongs to. The first choice is the default, except on the
    sheets that ``on_sheet`` names. A rule with ``numbers`` also takes any whole number of points in
    that range.
    """

    id: str
    rule: str
    title: str
    on_sheet: Mapping[str, Value] = field(default_factory=dict)
    numbers: range | None = None
    choices: tuple[Choice, ...] = ()

    def with_choices(self, *choices: Choice, **words: str) -> HouseRule:
        """Return the rule with these choices: ``yes="…"`` is the choice ``yes``."""
        by_word = [Choice(word, says) for word, says in words.items()]
        return replace(self, choices=(*choices, *by_word))

    def default_on(self, sheet: str) -> Value:
        """Return the default choice on a sheet."""
        return self.on_sheet.get(sheet, self.choices[0].value)

    def read(self, given: object) -> Value:
        """Return the choice for a value: ``"1"`` is ``1``, true is ``yes``. Raises `Malformed`."""
        text = str(given).strip() if isinstance(given, str | int) else ""
        if isinstance(given, bool):
            text = "yes" if given else "no"
        for choice in self.choices:
            if str(choice.value) == text:
                return choice.value
        if self.numbers is None:
            known = ", ".join(str(choice.value) for choice in self.choices)
            says = noted("The house rule %(id)s has no choice “%(text)s”; it has %(known)s.")
            raise Malformed(says, "rules", id=self.id, text=text[:30], known=known)
        if text.isascii() and text.isdigit() and len(text) < 6 and int(text) in self.numbers:
            return int(text)
        says = noted(
            "The house rule %(id)s takes a whole number from %(fewest)s to %(most)s, "
            "not “%(text)s”."
        )
        fewest, most = self.numbers[0], self.numbers[-1]
        raise Malformed(says, "rules", id=self.id, fewest=fewest, most=most, text=text[:30])

    def says(self, value: Value) -> str:
        """Return the sentence that explains a choice, or a number of points."""
        says = {choice.value: choice.says for choice in self.choices}
        if value in says:
            return gettext(says[value])
        return f"{ngettext('%(number)s point', '%(number)s points', int(value))}."


class Sheet(NamedTuple):
    """One written version of a game's rules, with the source it was read from."""

    id: str
    title: str
    says: str


@dataclass(frozen=True, slots=True)
class House:
    """A sheet and a choice for every house rule. Never changes."""

    sheet: str
    values: tuple[tuple[str, Value], ...]

    def __hash__(self) -> int:
        """Hash the sheet alone: every question looks a house up, and few share a sheet."""
        return hash(self.sheet)

    def __getitem__(self, rule_id: str) -> Value:
        """Return the choice of a house rule by its id. Raises ``KeyError`` for an unknown id."""
        return dict(self.values)[rule_id]

    def get(self, rule_id: str) -> Value | None:
        """Return the choice of a house rule; None if the game has no such rule."""
        return dict(self.values).get(rule_id)

    def number(self, rule_id: str) -> int:
        """Return the choice of a house rule that is a number."""
        return int(self[rule_id])

    def yes(self, rule_id: str) -> bool:
        """True if the choice of this house rule is ``yes``."""
        return self[rule_id] == "yes"
