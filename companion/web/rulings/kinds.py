"""The kinds of question: what can be in dispute in a hand, and what the page of each kind says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from flask import url_for

from companion.notebook.describe import say
from companion.notebook.events import PlayRecorded
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.judge import Judge
from companion.rules.language import gettext as _
from companion.rules.language import noted
from companion.rules.question import CALL, DECLARE, DRAW, MAY_I
from companion.services.game_log import LoadedGame
from companion.web.endings import ending_of
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
    rule: str = noted("Rule on it")
    press: str = ""
    pressed: Mapping[str, str] = {}
    played_on: str = ""
    legend: str = ""
    add: str = ""
    remove: str = ""
    hint: str = ""
    note: str = ""


_DISCARD = Words(
    "discard",
    noted("discard"),
    noted("a discard"),
    noted("What did <bdi>%(name)s</bdi> discard?"),
    own=("cards", "drew"),
)
_MELD = Words(
    "meld",
    noted("meld"),
    noted("a meld"),
    noted("What did <bdi>%(name)s</bdi> meld?"),
    press=noted("Rule on it"),
    legend=noted("The cards of the meld"),
)
_LAY_OFF = _MELD._replace(
    what=noted("lay-off"),
    topic=noted("a lay-off"),
    asks=noted("What did <bdi>%(name)s</bdi> lay off?"),
    played_on=noted("laid off on"),
    legend=noted("The cards of the lay-off"),
)
# The meld that cards were laid off on is asked for first, where none lies there.
_LAID_OFF_ON = _LAY_OFF._replace(
    asks=noted("Which meld did <bdi>%(name)s</bdi> lay %(cards)s on?"),
    pressed={"data-outbox": "no", "name": "add", "value": "lies"},
    legend=noted("The cards of the meld"),
)
_SWAP = Words(
    "swap",
    noted("swap"),
    noted("a swap"),
    noted("What did <bdi>%(name)s</bdi> swap?"),
    played_on=noted("swapped into"),
)
_FIRST_MELDS = Words(
    "melds",
    noted("first melds"),
    noted("first melds"),
    noted("The first melds of <bdi>%(name)s</bdi>"),
    rule=noted("Rule on them"),
    press=noted("Rule on them"),
    legend=noted("The cards of one meld"),
    add=noted("Next meld"),
    remove=noted("Take meld %s out"),
)
_DECLARED = _FIRST_MELDS._replace(
    what=noted("cards"),
    asks=noted("What did <bdi>%(name)s</bdi> declare?"),
    rule=noted("Rule on it"),
    press=noted("Rule on it"),
    legend=noted("The cards that are declared"),
    add="A group",
    remove=noted("Take group %s apart"),
)
_TURN = Words(
    "turn",
    noted("turn"),
    noted("a turn"),
    noted("The turn of <bdi>%(name)s</bdi>"),
    remove=noted("Take play %s out"),
)
_CALL = Words(
    "call",
    noted("call"),
    noted("a call"),
    noted("May this player call?"),
    own=("player", "turn"),
    press=noted("Rule on it"),
    note=noted("A call is for the top of the pile, in another’s turn."),
)
_DRAW = Words(
    "draw_player",
    noted("draw"),
    noted("a draw"),
    noted("Who drew %(cards)s?"),
    press=noted("Go on"),
    note=noted("Melds of a draw are not added to the recorded table."),
)
# What of these words is read as it is; the heading is put together with its name and cards.
_READ: Final = (
    *("what", "topic", "rule", "press", "played_on", "legend", "add", "remove", "note"),
)
_WORDS: Final = {
    "discard": _DISCARD,
    "meld": _MELD,
    "lay_off": _LAY_OFF,
    "lay_off on": _LAID_OFF_ON,
    "lay_off first": _LAID_OFF_ON._replace(asks=noted("Which meld lies there?")),
    "swap": _SWAP,
    "contract": _FIRST_MELDS,
    "turn": _TURN,
    DECLARE: _DECLARED,
    CALL: _CALL,
    "draw drawn": _DRAW._replace(
        template="draw_card",
        asks=noted("Which card is drawn from the pile?"),
        own=("drawn",),
        note="",
    ),
    "draw above": _DRAW._replace(
        template="draw_above",
        asks=noted("What lies above %(cards)s?"),
        own=("above",),
        pressed={"name": "next", "value": "above"},
        note="",
    ),
    "draw cards": _DRAW._replace(
        template="melds",
        asks=noted("Which meld does %(cards)s go into?"),
        own=("cards", "no_meld"),
        legend=noted("The other cards of the meld"),
        add=noted("Next meld"),
        remove=noted("Take meld %s out"),
    ),
    "draw player": _DRAW,
}


def words_of(kind: str, rules: Judge) -> Words:
    """Return what the page of a kind says; of a draw, or a lay-off, of one step in it."""
    words = _WORDS[kind]
    read: dict[str, Any] = {name: _(said) for name in _READ if (said := getattr(words, name))}
    words = words._replace(**read)
    if kind != DECLARE or not isinstance(rules, DeclaringJudge):
        return words
    hint = noted("Tap all %(number)s cards, or one group after the other.")
    if rules.must_discard:
        hint = noted(
            "Tap all %(number)s cards, or one group after the other. One of them is the discard."
        )
    elif rules.declare_discards:
        hint = noted(
            "Tap all %(number)s cards, or one group after the other. "
            "One of them may be the discard."
        )
    hint = _(hint, number=rules.declared)
    return words._replace(topic=f"“{_(rules.declare_call)}”", hint=hint)


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
    declared = _(rules.declare_call) if isinstance(rules, DeclaringJudge) else ""
    kinds = [
        Kind("contract", _("First melds")),
        Kind("discard", _("Discard")),
        Kind("meld", _("Further meld") if has_contract else _("Meld")),
        Kind("lay_off", _("Lay-off")),
        Kind("swap", _("Swap")),
        *([Kind(CALL, _("Call")), Kind(DRAW, _("Draw from the pile"))] if is_begun else []),
        Kind(MAY_I, _("May I?"), address=url_for("upcards.form", game_id=loaded.record.id)),
        Kind(DECLARE, declared, _("all cards, declared at once")),
        Kind("turn", _("A whole turn"), _("several plays, one after the other")),
    ]
    game_id, others = loaded.record.id, []
    if sheet.game.lays_on_table:
        table = url_for("table.show", game_id=game_id, hand=form.hand.data)
        others = [(table, _("The recorded table"))]
    if sheet.number:
        others.append((url_for("rulings.index", game_id=game_id), _("Earlier rulings")))
    before = [("follows", loaded.game_before)] if loaded.game_before else []
    lacks_turned = ending_of(sheet).lacks_turned(sheet.hand)
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
        asks_turned=lacks_turned and is_begun,
        lacks_turned=lacks_turned and not is_begun,
        others=others,
    )


def play_in_dispute(sheet: ScoreSheet) -> str:
    """Return the play that was written down last, in words; empty if something else was."""
    last = sheet.can_undo.event if sheet.can_undo else None
    return say(last, sheet) if isinstance(last, PlayRecorded) else ""
