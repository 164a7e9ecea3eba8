"""What can be in dispute in a hand: the kinds of play, and the play that was recorded last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import url_for

from companion.notebook.describe import say
from companion.notebook.events import PlayRecorded
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.question import CALL, DECLARE, DRAW, MAY_I
from companion.services.game_log import LoadedGame


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of play that can be asked about: what the page sends, its name, and a note under it.

    ``address`` is where it is asked, if that is another page than the others'.
    """

    ask: str
    name: str
    note: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class KindsPage:
    """The plays that can be asked about, and the play recorded last.

    ``claim`` says when claims are made at this table, by the rule ``claim_rule``; ``follows`` is
    the game before this one, if this one is not begun.
    """

    kinds: Sequence[Kind]
    dispute: str
    claim: str
    claim_rule: str
    follows: str


def kinds_page(loaded: LoadedGame, *, ahead: bool) -> KindsPage:
    """What can be in dispute in the open hand, in the game's words.

    ``ahead`` says that the hand has not begun: then there is nothing to call or draw.
    """
    sheet, rules = loaded.sheet, loaded.sheet.hand.rules
    has_contract = isinstance(rules, ContractJudge)
    declared = rules.declare_call if isinstance(rules, DeclaringJudge) else ""
    kinds = [
        Kind("contract", "First melds"),
        Kind("discard", "Discard"),
        Kind("meld", "Further meld" if has_contract else "Meld"),
        Kind("lay_off", "Lay-off"),
        Kind("swap", "Swap"),
        Kind(DECLARE, declared, "all cards, declared at once"),
        Kind("turn", "A whole turn", "several plays, one after the other"),
    ]
    kinds += [] if ahead else [Kind(CALL, "Call"), Kind(DRAW, "Draw from the pile")]
    address = url_for("upcards.form", game_id=loaded.record.id)
    kinds.append(Kind(MAY_I, "May I?", address=address))
    found = [one for one in kinds if one.ask in rules.disputes]
    chosen = dict(sheet.house.values).get("claim_until")
    claim, claim_rule = "", ""
    if chosen is not None:
        rule = sheet.game.house_rule("claim_until")
        claim, claim_rule = rule.says(chosen), rule.rule
    return KindsPage(
        sorted(found, key=lambda kind: bool(kind.note)),
        play_in_dispute(sheet),
        claim[:1].lower() + claim[1:],
        claim_rule,
        loaded.follows,
    )


def play_in_dispute(sheet: ScoreSheet) -> str:
    """The play that was written down last, in words; empty if something else was."""
    last = sheet.can_undo.event if sheet.can_undo else None
    return say(last, sheet) if isinstance(last, PlayRecorded) else ""
