"""The recorded table of the open hand: what lies there, and plays that nobody disputes."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, flash, redirect, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.board import why_not_there
from companion.notebook.describe import say
from companion.notebook.events import Event, NotPossible, PileSeen, PlayRecorded, Undone
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import parse_meld_text
from companion.rules.errors import Ambiguous
from companion.rules.table import Discard, MeldPlay, Play, TakePile, parse_play, position_text
from companion.services import game_log
from companion.services.game_log import LoadedGame
from companion.web.actions import Refused, loaded_game, needs_rulings, needs_table, write_action
from companion.web.fields import number_or_none
from companion.web.hand import hand_sent, is_past, past_hand_page
from companion.web.pages import game_page, refused_page
from companion.web.rulings.ask import chosen_reading, in_its_hand, reading_page
from companion.web.rulings.form import RulingForm
from companion.web.rulings.kinds import play_in_dispute
from companion.web.rulings.plays import Open, added, ask_for, on_record, open_play
from companion.web.rulings.question import QuestionPage, question_page
from companion.web.upcoming import check_hand

bp = Blueprint("table", __name__)
bp.before_request(needs_rulings)


_BEGUN_SAYS = "so of this one nothing is on record. What is recorded here waits on this phone"


@bp.get("/games/<game_id>/table")
def show(game_id: str) -> ResponseReturnValue:
    """The melds and the pile as recorded, and what can be put on record."""
    needs_table()
    loaded, asked = loaded_game(game_id), RulingForm.read(request.args)
    return _page(loaded, RulingForm() if is_past(loaded.sheet, asked.hand.data) else asked)


@bp.post("/games/<game_id>/table")
def record(game_id: str) -> ResponseReturnValue:
    """Put a play or the top of the pile on record."""
    needs_table()
    asked, number = RulingForm.read(request.form), hand_sent(loaded_game(game_id).sheet)
    try:
        after, entry = write_action(game_id, lambda sheet: _event(sheet, asked))
    except Open as problem:
        return _ask_reading(loaded_game(game_id), asked, problem)
    except Refused as refused:
        if is_past(refused.loaded.sheet, number):
            return past_hand_page(refused, number, "A play on the table", "Rulings")
        return _page(refused, asked)
    flash(f"Recorded. {say(entry.event, after.sheet)}.", "success")
    return redirect(url_for("table.show", game_id=game_id), 303)


@bp.post("/games/<game_id>/table/dispute")
def dispute(game_id: str) -> ResponseReturnValue:
    """Take the play that was written down last back, and ask about it."""
    try:
        loaded, entry = write_action(game_id, _undo_play)
    except Refused as refused:
        return refused_page("changed.html", refused, "Rulings")
    undone = entry.event
    taken = loaded.entries[undone.act - 1].event if isinstance(undone, Undone) else None
    asked = RulingForm()
    if isinstance(taken, PlayRecorded):
        asked = RulingForm.about(ask_for(parse_play(taken.play)), taken.player, [taken.play])
    return redirect(asked.url(game_id), 303)


def _undo_play(sheet: ScoreSheet) -> Event:
    last = sheet.can_undo.event if sheet.can_undo else None
    if not isinstance(last, PlayRecorded):
        raise NotPossible("That play is not what was written down last any more.")
    return game_log.undo(sheet)


def _event(sheet: ScoreSheet, asked: RulingForm) -> Event:
    check_hand(sheet, asked.hand.data)
    hand, top = sheet.hand, asked.top.data
    if top:
        return PileSeen(hand.number, "" if top == "none" else top)
    recorded, _ = position_text(hand.board.table)
    play = on_record(_play(asked), asked.lying.data, recorded)
    # A meld may lie there, whoever laid it; any other play is somebody's.
    player = asked.player.data
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
        raise open_play(open_card) from None
    return PlayRecorded(hand.number, player, play.text)


def _play(asked: RulingForm) -> Play:
    _, text = chosen_reading()
    if text:
        asked = asked.standing(0, parse_meld_text(text))
    return added(request.form.get("add", ""), asked.cards.data)


def _page(of: LoadedGame | Refused, asked: RulingForm) -> ResponseReturnValue:
    refused = of if isinstance(of, Refused) else None
    loaded = of.loaded if isinstance(of, Refused) else of
    loaded, asked = in_its_hand(loaded, asked)
    errors = refused.errors if refused else []
    errors = [(at if at in {"player", "top"} or not at else "cards", says) for at, says in errors]
    page = question_page(loaded, asked.shown.but(top=""), [one for one in errors if one[0]])
    context = {
        "page": page,
        "ahead_of": asked.hand.data,
        "begun_says": _BEGUN_SAYS,
        "dispute": play_in_dispute(loaded.sheet),
        "pile": _top(page),
        "ask_url": "",
    }
    if refused is None:
        return game_page("table/show.html", loaded, "Rulings", errors=[], **context)
    kind, _, onto = request.form.get("add", "").partition(" ")
    if refused.status == 422 and kind and asked.cards.data:
        question = asked.but(ask=kind, onto=number_or_none(onto), top="")
        context["ask_url"] = question.found_in_part(loaded.sheet).url(loaded.record.id)
    refused.loaded, refused.errors = loaded, errors
    return refused_page("table/show.html", refused, "Rulings", **context)


def _top(page: QuestionPage) -> tuple[Sequence[str], str]:
    """The last two cards of the pile as it is recorded, and what there is to say of them."""
    cards = page.pile.split()[-2:]
    if not cards:
        return (), "empty" if page.form.board(page.sheet).whole else "nothing is recorded"
    return cards, "the last one on top" if len(cards) > 1 else "on top"


def _ask_reading(loaded: LoadedGame, asked: RulingForm, problem: Open) -> ResponseReturnValue:
    page = question_page(*in_its_hand(loaded, asked))
    hidden = [*page.again(), ("add", request.form.get("add", ""))]
    action = url_for("table.record", game_id=loaded.record.id)
    return reading_page(page, problem, action, hidden, is_ruling=False)
