"""What is asked of a ruling that comes from elsewhere: that the rules could have given it.

It is not judged again, as the rules may have been corrected since. But what it says must be the
rules' own words, name rules and sheets of the game, and cost what the table charges.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from companion.notebook.events import Event, NotPossible, Ruled, RulingGiven, Verdict
from companion.notebook.scoresheet import HandSheet, ScoreSheet
from companion.notebook.serialize import ASKS, melds_written
from companion.rules.game import Game
from companion.rules.messages import is_worded_by_rules
from companion.rules.question import DECLARE, DRAW
from companion.rules.ruling import NO_CONSEQUENCE, Consequence, TakeBack, is_rule_number

_OF_SEVERAL_PLAYS: Final = frozenset({"turn", "contract", DECLARE, DRAW})
_COSTS: Final = re.compile(r"\bpoints?;")


def check_imported(event: Event, sheet: ScoreSheet) -> None:
    """Raise `NotPossible` for a ruling that nobody can have been given.

    For an event that `check` has let pass on the sheet.
    """
    match event:
        case RulingGiven(ask=ask, plays=plays, verdict=verdict):
            _check_plays(ask, len(plays))
            if ask not in ASKS:
                raise NotPossible("there are no such rulings.")
            _check_verdict(verdict)
            if len([*melds_written(verdict.readings)]) < len(verdict.readings):
                raise NotPossible("the ruling reads cards that are none.")
            consequence, charge = _consequence(verdict), verdict.charge
            rules, sheets = verdict.broken, [*verdict.elsewhere]
        case Ruled(question=question, ruling=ruling, charge=charge):
            _check_plays(question.ask, len(question.plays))
            consequence = ruling.consequence
            rules, sheets = ruling.broken, [*ruling.elsewhere]
        case _:
            return
    hand = sheet.hands[event.hand - 1]
    if not rules and consequence != NO_CONSEQUENCE:
        raise NotPossible("a legal play costs nothing.")
    _check_names(sheet.game, rules, sheets)
    _check_costs(hand, consequence, charge)


def _check_plays(ask: str, count: int) -> None:
    """Nobody can ask for several plays at once here, and it would not say which it is about."""
    if ask not in _OF_SEVERAL_PLAYS and count > 1:
        raise NotPossible("a ruling on several plays is one on a whole turn.", "plays")


def _check_verdict(verdict: Verdict) -> None:
    if verdict.legal == bool(verdict.broken):
        raise NotPossible("a ruling is illegal by a rule, or legal.")
    says = verdict.says if verdict.legal else verdict.says.removesuffix(_consequence(verdict).says)
    if not is_worded_by_rules(says) or _COSTS.search(says):
        raise NotPossible("no ruling is worded so.")


def _consequence(verdict: Verdict) -> Consequence:
    return Consequence(verdict.points, TakeBack[verdict.take_back.upper()], verdict.turn_passes)


def _check_names(game: Game, rules: Iterable[str], sheets: Iterable[str]) -> None:
    letters = {rule.rule.partition("-")[0] for rule in game.house_rules}
    if not all(is_rule_number(one) and one.partition("-")[0] in letters for one in rules):
        raise NotPossible(f"the ruling names a rule that is none of {game.name}.")
    if not {*sheets} <= {one.id for one in game.sheets}:
        raise NotPossible(f"the ruling names a sheet that is none of {game.name}.")


def _check_costs(hand: HandSheet, consequence: Consequence, charge: str | None) -> None:
    if consequence.points != (0 if charge is None else hand.rules.charge_points(charge)):
        raise NotPossible("the ruling costs other points than the table charges.")
