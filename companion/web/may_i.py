"""“May I?”: who gets the card that the player at turn does not want (CON-9)."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import SelectMultipleField

from companion.notebook.describe import why_upcard
from companion.notebook.events import Event, UpcardGiven
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.language import gettext as _
from companion.rules.question import MAY_I
from companion.services import NotFound
from companion.services.game_log import LoadedGame, who_wrote
from companion.services.rulings import last_taker, next_to_play, rule_on_upcard
from companion.web.actions import (
    Refused,
    check_hand,
    hand_sent,
    loaded_game,
    with_hand_of,
    write_action,
)
from companion.web.auth import database
from companion.web.fields import Form, SmallNumberField, small_number
from companion.web.pages import form_page, game_page, of_upcoming
from companion.web.rulings.facts import Choices
from companion.web.rulings.plays import kept
from companion.web.rulings.question import A_QUESTION_WAITS

bp = Blueprint("may_i", __name__)
NOBODY = "nobody"


@bp.before_request
def needs_may_i() -> None:
    """Answer 404 where the table has no rule by which others may ask for the card."""
    game_id = (request.view_args or {}).get("game_id")
    if game_id and MAY_I not in loaded_game(game_id).sheet.hand.rules.disputes:
        abort(404)


class MayIForm(Form):
    """Whose turn it is, who asks, who took the card before, and in which ``hand`` this is."""

    player = SmallNumberField()
    asked = SelectMultipleField(coerce=small_number, validate_choice=False)
    last_taker = SmallNumberField()
    hand = SmallNumberField()


@bp.get("/games/<game_id>/may-i")
def form(game_id: str) -> ResponseReturnValue:
    """Ask who wants the card that lies on the pile."""
    loaded, form = loaded_game(game_id), MayIForm(request.args)
    sheet, player = with_hand_of(loaded, form.hand).sheet, form.player.data
    form.player.data = player if player in sheet.players else next_to_play(sheet)
    form.asked.data, form.last_taker.data = [], last_taker(sheet.hand, sheet)
    return _page(loaded, form)


@bp.post("/games/<game_id>/may-i")
def ask(game_id: str) -> ResponseReturnValue:
    """Rule on who gets it, and keep the ruling."""
    form, number = MayIForm(request.form), hand_sent(loaded_game(game_id).sheet)

    def make(sheet: ScoreSheet) -> Event:
        check_hand(sheet, number)
        asked = sorted({*(form.asked.data or ())})
        return rule_on_upcard(sheet, form.player.data, asked, form.last_taker.data)

    try:
        entry = write_action(game_id, make)[1]
    except Refused as refused:
        return _page(refused.loaded, form, refused)
    return redirect(url_for("may_i.show", game_id=game_id, number=entry.number), 303)


def _page(
    loaded: LoadedGame, form: MayIForm, refused: Refused | None = None
) -> ResponseReturnValue:
    loaded = with_hand_of(loaded, form.hand)
    sheet, before, upcoming = loaded.sheet, form.last_taker.data, form.hand.data
    wrong = dict(refused.errors) if refused else {}
    seats = [(str(seat), sheet.names[seat]) for seat in sheet.players]
    takers = [(NOBODY, _("Nobody")), *seats]
    taker, asked = NOBODY if before is None else str(before), map(str, form.asked.data or ())
    who = [
        Choices("asked", _("Who asked for the card?"), seats, [*asked], kind="checkbox"),
        Choices("player", _("Whose turn was it?"), seats, str(form.player.data)),
        Choices("last_taker", _("Who took the card before this one?"), takers, taker),
    ]
    context = {
        "choices": [one._replace(error=wrong.get(one.name, "")) for one in who],
        "kept": kept(_("“May I?”"), loaded.record.id, upcoming=upcoming),
        "rule": sheet.hand.rules.rule_for(MAY_I),
    }
    context |= of_upcoming(sheet, upcoming, A_QUESTION_WAITS)
    return form_page("rulings/may_i.html", loaded, "Rulings", refused, _("“May I?”"), **context)


@bp.get("/games/<game_id>/may-i/<int:number>")
def show(game_id: str, number: int) -> ResponseReturnValue:
    """Show who gets the card, and why."""
    loaded = loaded_game(game_id)
    sheet, names = loaded.sheet, loaded.sheet.names
    entry = loaded.entries[number - 1] if 1 <= number <= len(loaded.entries) else None
    if entry is None or not isinstance(entry.event, UpcardGiven):
        raise NotFound("ruling")
    given = entry.event
    stands = number in [line.entry.number for line in sheet.hands[given.hand - 1].upcards]
    again = _("Ask about the next card") if stands and given.gets is not None else _("Ask again")
    return game_page(
        "rulings/may_i_ruled.html",
        loaded,
        "Rulings",
        entry=entry,
        given=given,
        gets=_("Nobody") if given.gets is None else names[given.gets],
        why=why_upcard(sheet, given),
        rule=sheet.hand.rules.rule_for(MAY_I),
        player=names[given.player],
        asked=[names[seat] for seat in given.asked],
        before="" if given.last_taker is None else names[given.last_taker],
        by=who_wrote(database(), loaded).get(entry.by, _("another marker")),
        stands=stands,
        again=again if given.hand == sheet.hand.number and not sheet.over else "",
    )
