"""The kinds of question: what can be in dispute in a hand, and what the page of each kind says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from flask import url_for

from companion.notebook.describe import say
from companion.notebook.events import PlayRecorded
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.judge import Judge
from companion.rules.question import CALL, DECLARE, DRAW, MAY_I
from companion.services.game_log import LoadedGame
from companion.web.rulings.form import RulingForm, fields_of


class Words(NamedTuple):
    """What the page of a kind of question says.

    ``template`` is the name of its file; ``what`` is disputed; with an article it is the ``topic``.
    ``asks`` is the heading, with the ``name`` of the player and the ``cards`` that it is about.
    ``own`` are the fields that the page asks for itself. ``rule`` is on the button that rules.
    Where the player is tapped last, ``press`` is what Enter does, and ``pressed`` what it sends, if
    that is not to rule. ``played_on`` says what was done to the meld that is chosen. ``legend``
    names the cards to tap, ``add`` is on the button after each play, and ``remove`` on those that
    take one out again. ``note`` stands before the rule that the page names.
    """

    template: str
    what: str
    topic: str
    asks: str
    own: Sequence[str] = ("cards", "onto")
    rule: str = "Rule on it"
    press: str = ""
    pressed: Mapping[str, str] = {}
    played_on: str = ""
    legend: str = ""
    add: str = ""
    remove: str = ""
    hint: str = ""
    note: str = ""


_DISCARD = Words(
    "discard", "discard", "a discard", "What did <bdi>{name}</bdi> discard?", own=("cards", "drew")
)
_MELD = Words(
    "meld",
    "meld",
    "a meld",
    "What did <bdi>{name}</bdi> meld?",
    press="Rule on it",
    legend="The cards of the meld",
)
_LAY_OFF = _MELD._replace(
    what="lay-off",
    topic="a lay-off",
    asks="What did <bdi>{name}</bdi> lay off?",
    played_on="laid off on",
    legend="The cards of the lay-off",
)
# The meld that cards were laid off on is asked for first, where none lies there.
_LAID_OFF_ON = _LAY_OFF._replace(
    asks="Which meld did <bdi>{name}</bdi> lay {cards} on?",
    pressed={"data-outbox": "no", "name": "add", "value": "lies"},
    legend="The cards of the meld",
)
_SWAP = Words(
    "swap", "swap", "a swap", "What did <bdi>{name}</bdi> swap?", played_on="swapped into"
)
_FIRST_MELDS = Words(
    "melds",
    "first melds",
    "first melds",
    "The first melds of <bdi>{name}</bdi>",
    rule="Rule on them",
    press="Rule on them",
    legend="The cards of one meld",
    add="Next meld",
    remove="Take meld %s out",
)
_DECLARED = _FIRST_MELDS._replace(
    what="cards",
    asks="What did <bdi>{name}</bdi> declare?",
    rule="Rule on it",
    press="Rule on it",
    legend="The cards that are declared",
    add="A group",
    remove="Take group %s apart",
)
_TURN = Words("turn", "turn", "a turn", "The turn of <bdi>{name}</bdi>", remove="Take play %s out")
_CALL = Words(
    "call",
    "call",
    "a call",
    "May this player call?",
    own=("player", "turn"),
    press="Rule on it",
    note="A call is for the top of the pile, in another’s turn.",
)
_DRAW = Words(
    "draw_player",
    "draw",
    "a draw",
    "Who drew {cards}?",
    press="Go on",
    note="Melds of a draw are not added to the recorded table.",
)
_WORDS: Final = {
    "discard": _DISCARD,
    "meld": _MELD,
    "lay_off": _LAY_OFF,
    "lay_off on": _LAID_OFF_ON,
    "lay_off first": _LAID_OFF_ON._replace(asks="Which meld lies there?"),
    "swap": _SWAP,
    "contract": _FIRST_MELDS,
    "turn": _TURN,
    DECLARE: _DECLARED,
    CALL: _CALL,
    "draw drawn": _DRAW._replace(
        template="draw_card", asks="Which card is drawn from the pile?", own=("drawn",), note=""
    ),
    "draw above": _DRAW._replace(
        template="draw_above",
        asks="What lies above {cards}?",
        own=("above",),
        pressed={"name": "next", "value": "above"},
        note="",
    ),
    "draw cards": _DRAW._replace(
        template="melds",
        asks="Which meld does {cards} go into?",
        own=("cards", "no_meld"),
        legend="The other cards of the meld",
        add="Next meld",
        remove="Take meld %s out",
    ),
    "draw player": _DRAW,
}


def words_of(kind: str, rules: Judge) -> Words:
    """Return what the page of a kind says; of a draw, or a lay-off, of one step in it."""
    words = _WORDS[kind]
    if kind != DECLARE or not isinstance(rules, DeclaringJudge):
        return words
    hint = f"Tap all {rules.declared} cards, or one group after the other."
    if rules.declare_discards:
        hint += f" One of them {'is' if rules.must_discard else 'may be'} the discard."
    return words._replace(topic=f"“{rules.declare_call}”", hint=hint)


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

    ``fields`` are what the address says already, and ``others`` addresses of other pages with their
    names. ``claim`` says when claims are made at this table, by the rule ``claim_rule``.
    ``asks_turned`` and ``lacks_turned`` say that nobody has said which card was turned up: it is
    asked for here, or in an upcoming hand on another page.
    """

    kinds: Sequence[Kind]
    fields: Sequence[tuple[str, str]]
    dispute: str
    claim: str
    claim_rule: str
    asks_turned: bool
    lacks_turned: bool
    others: Sequence[tuple[str, str]]


def kinds_page(loaded: LoadedGame, form: RulingForm) -> KindsPage:
    """Return what can be in dispute in the hand of the form, in the game's words."""
    is_begun = form.hand.data is None  # in a hand to come there is nothing to call or draw
    sheet, rules = loaded.sheet, loaded.sheet.hand.rules
    has_contract = isinstance(rules, ContractJudge)
    declared = rules.declare_call if isinstance(rules, DeclaringJudge) else ""
    kinds = [
        Kind("contract", "First melds"),
        Kind("discard", "Discard"),
        Kind("meld", "Further meld" if has_contract else "Meld"),
        Kind("lay_off", "Lay-off"),
        Kind("swap", "Swap"),
        *([Kind(CALL, "Call"), Kind(DRAW, "Draw from the pile")] if is_begun else []),
        Kind(MAY_I, "May I?", address=url_for("upcards.form", game_id=loaded.record.id)),
        Kind(DECLARE, declared, "all cards, declared at once"),
        Kind("turn", "A whole turn", "several plays, one after the other"),
    ]
    game_id, others = loaded.record.id, []
    if sheet.game.lays_on_table:
        table = url_for("table.show", game_id=game_id, hand=form.hand.data)
        others = [(table, "The recorded table")]
    if sheet.number:
        others.append((url_for("rulings.index", game_id=game_id), "Earlier rulings"))
    before = [("follows", loaded.game_before)] if loaded.game_before else []
    claim, claim_rule = "", ""
    chosen = dict(sheet.house.values).get("claim_until")
    if chosen is not None:
        rule = sheet.game.house_rule("claim_until")
        claim, claim_rule = rule.says(chosen), rule.rule
    return KindsPage(
        [one for one in kinds if one.ask in rules.disputes],
        [*before, *fields_of(form.data, "ask", "player", "lying")],
        play_in_dispute(sheet),
        claim[:1].lower() + claim[1:],
        claim_rule,
        asks_turned=sheet.hand.lacks_turned and is_begun,
        lacks_turned=sheet.hand.lacks_turned and not is_begun,
        others=others,
    )


def play_in_dispute(sheet: ScoreSheet) -> str:
    """Return the play that was written down last, in words; empty if something else was."""
    last = sheet.can_undo.event if sheet.can_undo else None
    return say(last, sheet) if isinstance(last, PlayRecorded) else ""
