"""What can be asked, with the words of each kind of question, and what was: the list of rulings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from flask import url_for

from companion.notebook.describe import say
from companion.notebook.events import PlayRecorded
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.language import gettext as _, noted
from companion.rules.question import CALL, DECLARE, DRAW, MAY_I
from companion.services.game_log import LoadedGame
from companion.web.endings import ending_of
from companion.web.rulings.form import ONLINE_ASKS, RulingForm, fields_of


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question: the words and the parts of its page.

    The words are translated where they are shown. ``title`` is on the tile that chooses the kind,
    with ``note`` under it. ``what`` is disputed; with an article it is ``a_play``. ``heading`` has
    the ``name`` of the player and the ``cards`` that it is about.

    ``grid`` is the field that the cards fill, ``legend`` names them, and ``hint`` stands above
    them; with ``at_once`` one tap on a card rules on it. ``asks_for_meld`` is true where the cards
    are those of the meld that was played on, which is not on record. ``played_on`` says what was
    done to that meld. ``add`` is on the button after each play, ``remove`` on those that take one
    out again, and ``rule`` on the one that rules. With ``player_last`` the player is tapped last,
    and Enter rules, or sends ``pressed``. ``of_rule`` stands before the rule that the page names.
    """

    title: str = ""
    note: str = ""
    what: str = ""
    a_play: str = ""
    heading: str = ""
    template: str = "question"
    grid: str = "cards"
    legend: str = ""
    hint: str = ""
    at_once: bool = False
    asks_contract: bool = False
    asks_for_meld: bool = False
    played_on: str = ""
    add: str = ""
    remove: str = ""
    rule: str = noted("Rule on it")
    player_last: bool = False
    pressed: Mapping[str, str] = field(default_factory=dict)
    of_rule: str = ""


NO_KIND: Final = Kind()
# In the order in which they are offered.
KINDS: Final[Mapping[str, Kind]] = {
    "contract": Kind(
        noted("First melds"),
        what=noted("first melds"),
        a_play=noted("first melds"),
        heading=noted("The first melds of <bdi>%(name)s</bdi>"),
        template="melds",
        legend=noted("The cards of one meld"),
        add=noted("Next meld"),
        remove=noted("Take meld %s out"),
        rule=noted("Rule on them"),
        player_last=True,
    ),
    "discard": Kind(
        noted("Discard"),
        what=noted("discard"),
        a_play=noted("a discard"),
        heading=noted("What did <bdi>%(name)s</bdi> discard?"),
        legend=noted("The card discarded"),
        at_once=True,
    ),
    "meld": Kind(
        noted("Meld"),
        what=noted("meld"),
        a_play=noted("a meld"),
        heading=noted("What did <bdi>%(name)s</bdi> meld?"),
        template="meld",
        legend=noted("The cards of the meld"),
        asks_contract=True,
        player_last=True,
    ),
    "lay_off": Kind(
        noted("Lay-off"),
        what=noted("lay-off"),
        a_play=noted("a lay-off"),
        heading=noted("What did <bdi>%(name)s</bdi> lay off?"),
        template="meld",
        legend=noted("The cards of the lay-off"),
        asks_contract=True,
        played_on=noted("laid off on"),
        player_last=True,
    ),
    "swap": Kind(
        noted("Swap"),
        what=noted("swap"),
        a_play=noted("a swap"),
        heading=noted("What did <bdi>%(name)s</bdi> swap?"),
        template="swap",
        asks_contract=True,
        played_on=noted("swapped into"),
    ),
    CALL: Kind(
        noted("Call"),
        what=noted("call"),
        a_play=noted("a call"),
        heading=noted("May this player call?"),
        grid="",
        player_last=True,
        of_rule=noted("A call is for the top of the pile, in another’s turn."),
    ),
    DRAW: Kind(
        noted("Draw from the pile"),
        what=noted("draw"),
        a_play=noted("a draw"),
        heading=noted("Who drew %(cards)s?"),
        grid="",
        player_last=True,
        of_rule=noted("Melds of a draw are not added to the recorded table."),
    ),
    MAY_I: Kind(noted("May I?")),
    DECLARE: Kind(
        note=noted("all cards, declared at once"),
        what=noted("cards"),
        heading=noted("What did <bdi>%(name)s</bdi> declare?"),
        template="melds",
        legend=noted("The cards that are declared"),
        hint=noted("Tap all %(number)s cards, or one group after the other."),
        add="A group",
        remove=noted("Take group %s apart"),
        player_last=True,
    ),
    "turn": Kind(
        noted("A whole turn"),
        noted("several plays, one after the other"),
        what=noted("turn"),
        a_play=noted("a turn"),
        heading=noted("The turn of <bdi>%(name)s</bdi>"),
        template="turn",
        asks_contract=True,
        remove=noted("Take play %s out"),
    ),
}
# Where no meld lies there to lay cards off on, its cards are asked for first.
LAID_OFF_ON: Final = replace(
    KINDS["lay_off"],
    heading=noted("Which meld did <bdi>%(name)s</bdi> lay %(cards)s on?"),
    legend=noted("The cards of the meld"),
    asks_for_meld=True,
    pressed={"data-outbox": "no", "name": "add", "value": "lies"},
)
# The steps of a draw: the card, what lay above it, and the melds that it goes into, or who drew.
DRAW_STEPS: Final = {
    "drawn": replace(
        KINDS[DRAW],
        heading=noted("Which card is drawn from the pile?"),
        grid="drawn",
        legend=noted("The lowest card that is taken"),
        of_rule="",
    ),
    "above": replace(
        KINDS[DRAW],
        heading=noted("What lies above %(cards)s?"),
        grid="above",
        legend=noted("The cards above it"),
        hint=noted("They are all taken with it."),
        pressed={"name": "next", "value": "above"},
        of_rule="",
    ),
    "cards": replace(
        KINDS[DRAW],
        heading=noted("Which meld does %(cards)s go into?"),
        template="melds",
        grid="cards",
        legend=noted("The other cards of the meld"),
        asks_contract=True,
        add=noted("Next meld"),
        remove=noted("Take meld %s out"),
    ),
    "player": KINDS[DRAW],
}


# -- the page that chooses -------------------------------------------------------------------------


def kinds_context(loaded: LoadedGame, form: RulingForm) -> dict[str, Any]:
    """Return what templates/rulings/kinds.html shows: what can be in dispute in the form's hand."""
    is_begun = form.hand.data is None  # in a hand to come there is nothing to call or draw
    sheet, rules = loaded.sheet, loaded.sheet.hand.rules
    named = {"meld": _("Further meld")} if isinstance(rules, ContractJudge) else {}
    named |= {DECLARE: _(rules.declare_call)} if isinstance(rules, DeclaringJudge) else {}
    elsewhere = {MAY_I: url_for("upcards.form", game_id=loaded.record.id)}
    before = [("follows", loaded.game_before)] if loaded.game_before else []
    chosen, claim = dict(sheet.house.values).get("claim_until"), None
    if chosen is not None:
        rule = sheet.game.house_rule("claim_until")
        says = rule.says(chosen)
        claim = says[:1].lower() + says[1:], rule.rule
    return {
        "kinds": [
            (ask, named.get(ask) or _(kind.title), _(kind.note), elsewhere.get(ask))
            for ask, kind in KINDS.items()
            if ask in rules.disputes and (is_begun or ask not in ONLINE_ASKS)
        ],
        "fields": [*before, *fields_of(form.data, "ask", "player", "lying")],
        "dispute": play_in_dispute(sheet),
        "claim": claim,
        "lacks_turned": ending_of(sheet).lacks_turned(sheet.hand),
    }


def play_in_dispute(sheet: ScoreSheet) -> str:
    """Return the play that was written down last, in words; empty if something else was."""
    last = sheet.can_undo.event if sheet.can_undo else None
    return say(last, sheet) if isinstance(last, PlayRecorded) else ""
