"""What a game is: its sheets, house rules, hands, players, packs and charges, as data.

A game's file states one `Game`, and subclasses `companion.rules.judge.Judge` for what no other
game has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from companion.rules.cards import Rank
from companion.rules.errors import Malformed
from companion.rules.house import House, HouseRule, Sheet

if TYPE_CHECKING:
    from companion.rules.judge import Judge


@dataclass(frozen=True, slots=True)
class Charge:
    """A reason for which a player is charged points, by its rule number.

    ``worked_out`` is true where the reason follows from the cards left and is counted when the
    hand is marked; ``only_if`` names a house rule and the choice without which the sheet has no
    such charge.
    """

    rule: str
    title: str
    says: str
    takes_back: bool = False
    worked_out: bool = False
    only_if: tuple[str, str] | None = None

    def applies(self, house: House) -> bool:
        """Whether this table charges for it."""
        return self.only_if is None or house[self.only_if[0]] == self.only_if[1]


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """One game of the family, equal only to itself.

    ``hands`` is how many hands it has; ``players`` the fewest and the most who can play;
    ``deal_passes`` is ``right`` or ``left``; ``charges`` are the reasons for points besides cards
    left; ``penalty_rule`` is the house rule that says how many points a charge is.
    """

    id: str
    name: str
    says: str
    hands: int
    players: tuple[int, int]
    packs: int
    jokers: int
    cards_dealt: int
    deal_passes: str
    sheets: tuple[Sheet, ...]
    house_rules: tuple[HouseRule, ...]
    charges: tuple[Charge, ...]
    penalty_rule: str
    judge: type[Judge]

    def house(self, sheet: str | None = None, rules: Mapping[str, object] | None = None) -> House:
        """A sheet (the game's first if none is named) with this table's choices.

        Raises `Malformed` for an unknown sheet, house rule or choice.
        """
        house = _as_written(self, self.sheets[0].id if sheet is None else sheet)
        if not rules:
            return house
        values = dict(house.values)
        for rule_id, given in rules.items():
            if rule_id not in values:
                raise Malformed(f"{self.name} has no house rule “{rule_id}”.", "rules")
            if given is not None:
                values[rule_id] = self.house_rule(rule_id).read(given)
        return House(house.sheet, tuple(values.items()))

    def house_rule(self, rule_id: str) -> HouseRule:
        """A house rule by its id. Raises ``KeyError`` for an unknown one."""
        for rule in self.house_rules:
            if rule.id == rule_id:
                return rule
        raise KeyError(rule_id)

    def charge(self, rule: str) -> Charge:
        """A charge by its rule number. Raises `Malformed` for an unknown one."""
        for charge in self.charges:
            if charge.rule == rule:
                return charge
        known = ", ".join(charge.rule for charge in self.charges)
        raise Malformed(f"{self.name} has no penalty “{rule}”; it has {known}.", "penalties")

    def check_hand(self, hand: object) -> int:
        """The hand's number, 1 … ``hands``. Raises `Malformed` for anything else."""
        if isinstance(hand, bool) or not isinstance(hand, int) or not 1 <= hand <= self.hands:
            raise Malformed(
                f"{self.name} has hands 1 to {self.hands}; “{str(hand)[:20]}” is none of them.",
                "hand",
            )
        return hand

    def rules(self, house: House, hand: int) -> Judge:
        """The rules in force in one hand of a game played by ``house``.

        Raises `Malformed` if the game has no such hand.
        """
        return _rules(self, house, self.check_hand(hand))

    def elsewhere(self, house: House, hand: int) -> tuple[tuple[str, Judge], ...]:
        """The same hand's rules on the game's other sheets, each as written."""
        return _elsewhere(self, house.sheet, hand)

    def wild_rank(self, hand: int) -> Rank | None:
        """The rank that is wild in a hand, if the hand's number says so."""
        return self.judge.wild_rank_of(hand)


@lru_cache(maxsize=64)
def _as_written(game: Game, sheet: str) -> House:
    if sheet not in {known.id for known in game.sheets}:
        known = ", ".join(known.id for known in game.sheets)
        raise Malformed(f"{game.name} has no sheet “{sheet}”; it has {known}.", "sheet")
    return House(sheet, tuple((rule.id, rule.defaults[sheet]) for rule in game.house_rules))


@lru_cache(maxsize=512)
def _rules(game: Game, house: House, hand: int) -> Judge:
    return game.judge(game, house, hand)


@lru_cache(maxsize=512)
def _elsewhere(game: Game, sheet: str, hand: int) -> tuple[tuple[str, Judge], ...]:
    others = (other.id for other in game.sheets if other.id != sheet)
    return tuple((other, _rules(game, game.house(other), hand)) for other in others)
