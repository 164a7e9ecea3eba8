"""The recorded table of the open hand: what lies there, and plays that nobody disputes."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.board import play_on_record, why_not_there
from companion.notebook.describe import say
from companion.notebook.events import Event, NotPossible, PileSeen, PlayRecorded, Undone
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.errors import Ambiguous
from companion.rules.language import gettext as _, noted
from companion.rules.table import Discard, MeldPlay, TakePile, parse_play, position_text
from companion.services import game_log
from companion.services.game_log import LoadedGame
from companion.services.rulings import OpenWildCard
from companion.web.actions import (
    Refused,
    check_hand,
    hand_sent,
    is_past,
    loaded_game,
    needs_table,
    with_hand_of,
    write_action,
)
from companion.web.disputes import values_of_plays
from companion.web.pages import form_page, of_upcoming
from companion.web.rulings.ask import read_wild_card, reading_page
from companion.web.rulings.form import RulingForm
from companion.web.rulings.question import QuestionPage

bp = Blueprint("table", __name__)
bp.before_request(needs_table)


_UPCOMING_SAYS = (
    noted(
        "%(hand_title)s %(before)s is not saved yet, so nothing of this one is on record. "
        "What is recorded here waits on this phone."
    ),
    noted(
        "The start of this game is not saved yet, so nothing of it is on record. "
        "What is recorded here waits on this phone."
    ),
)


@bp.get("/games/<game_id>/table")
def show(
    game_id: str, refused: Refused | None = None, sent: RulingForm | None = None
) -> ResponseReturnValue:
    """The melds and the pile as recorded, and what can be put on record."""
    loaded = refused.loaded if refused else loaded_game(game_id)
    form = sent or RulingForm(request.args)
    if sent is None and is_past(loaded.sheet, form.hand.data):
        form = RulingForm(None)
    loaded = with_hand_of(loaded, form.hand)
    ask_url = _ask_url(loaded, form) if refused and refused.status == 422 else ""
    form.top.data = ""
    form.leave_out_no_cards()
    page, what = QuestionPage(loaded, form), _("A play on the table")
    page.tell(refused, ("", "player", "top"))
    context = {"page": page, "ask_url": ask_url} | of_upcoming(
        loaded.sheet, form.hand.data, _UPCOMING_SAYS
    )
    return form_page("table/show.html", loaded, "Rulings", refused, what, **context)


@bp.post("/games/<game_id>/table")
def record(game_id: str) -> ResponseReturnValue:
    """Put a play or the top of the pile on record."""
    form = RulingForm(request.form)
    hand_sent(loaded_game(game_id).sheet)
    try:
        after, entry = write_action(game_id, lambda sheet: _event(sheet, form))
    except OpenWildCard as problem:
        return reading_page(loaded_game(game_id), form, problem, "table.record")
    except Refused as refused:
        return show(game_id, refused, form)
    flash(_("Recorded. %(play)s.", play=say(entry.event, after.sheet)), "success")
    return redirect(url_for("table.show", game_id=game_id), 303)


@bp.post("/games/<game_id>/table/dispute")
def dispute(game_id: str) -> ResponseReturnValue:
    """Take the play that was written down last back, and ask about it."""
    loaded, entry = write_action(game_id, _undo_play)
    undone = entry.event
    taken = loaded.entries[undone.act - 1].event if isinstance(undone, Undone) else None
    values = {}
    if isinstance(taken, PlayRecorded):
        kind, *_cards = taken.play.split(" ")
        kind = "turn" if kind == "take_pile" else kind
        values = values_of_plays(kind, taken.player, [parse_play(taken.play)])
    return redirect(RulingForm(data=values).address(game_id), 303)


def _undo_play(sheet: ScoreSheet) -> Event:
    last = sheet.can_undo.event if sheet.can_undo else None
    if not isinstance(last, PlayRecorded):
        raise NotPossible("That play is no longer the last one recorded.")
    return game_log.undo(sheet)


def _event(sheet: ScoreSheet, form: RulingForm) -> Event:
    check_hand(sheet, form.hand.data)
    hand, top = sheet.hand, form.top.data
    if top:
        return PileSeen(hand.number, "" if top == "none" else top)
    recorded = position_text(hand.board.table)[0]
    read_wild_card(form, sheet)
    play = play_on_record(form.add.play(form.cards.data), form.lying.data, recorded)
    # A meld may lie there, whoever laid it; any other play is somebody's.
    player = form.player.data
    nobodys = player is None and isinstance(play, MeldPlay)
    if player not in sheet.players and not nobodys:
        raise NotPossible("Say whose play it was.", "player")
    if not isinstance(play, Discard | TakePile):
        problem = why_not_there(hand.board.table, play, hand.rules)
        if problem:
            raise NotPossible(problem, "cards")
    try:
        if player is not None:
            hand.board.put(player, play, hand.rules)
        elif isinstance(play, MeldPlay):
            hand.board.lying_there(play, hand.rules)
    except Ambiguous as open_card:
        raise OpenWildCard.of(open_card) from None
    return PlayRecorded(hand.number, player, play.text)


def _ask_url(loaded: LoadedGame, form: RulingForm) -> str:
    """Return where a ruling is asked for on a play that cannot be recorded; empty if nowhere."""
    if not form.add.data or not form.cards.data:
        return ""
    values = form.values | {"ask": form.add.word, "onto": form.add.onto, "top": ""}
    question = RulingForm(data=values)
    question.find_melds(loaded.sheet, some=True)
    return question.address(loaded.record.id)
