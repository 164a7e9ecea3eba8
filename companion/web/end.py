"""The end of a hand: marking it, correcting it later, throwing it in."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook import hand_marks
from companion.notebook.describe import in_points, is_over, news
from companion.notebook.events import Event, HandThrownIn
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.language import gettext as _
from companion.rules.language import listed, ngettext, noted
from companion.rules.scoring import Mark
from companion.services.game_log import LoadedGame
from companion.services.games import hand_of
from companion.web.actions import (
    ActionForm,
    Errors,
    Refused,
    field_id,
    hand_sent,
    loaded_game,
    upcoming_hand,
    upcoming_hands,
    write_action,
)
from companion.web.auth import game_only
from companion.web.end_form import EndForm, sums
from companion.web.endings import ending_of
from companion.web.fields import small_number
from companion.web.pages import (
    form_page,
    go_on,
    of_upcoming,
    past_hand_page,
)
from companion.web.templating import leader_names

bp = Blueprint("end", __name__)
bp.add_app_template_global(ending_of)


@bp.get("/games/<game_id>/end")
def form(game_id: str) -> ResponseReturnValue:
    """The form for the end of the open hand; filled in again if the marking was undone.

    In the address may be who went ``out``, that it is to be ``fresh``, without what was undone, and
    ``of``, the hand that it was sent for, if the page that answered it is loaded again.
    """
    loaded, asked = loaded_game(game_id), request.args
    sheet, number = loaded.sheet, asked.get("of", type=small_number)
    if number in {hand.number for hand in sheet.marked}:
        says = noted("%(title)s %(number)s is marked. Correct it here if its points are wrong.")
        flash(_(says, title=_(sheet.game.hand_title), number=number), "message")
        return redirect(url_for("end.correct_form", game_id=game_id, number=number), 303)
    if sheet.over:
        return _to_the_end(loaded)
    ahead = upcoming_hand(sheet)
    if ahead is not None:
        return _form_page(loaded, ahead.number, EndForm.blank(sheet))
    before = None if "fresh" in asked else EndForm.undone(sheet)
    entered = before or EndForm.blank(sheet)
    entered.out.data = asked.get("out", "")[:4] or entered.out.data
    return _form_page(loaded, sheet.hand.number, entered, refilled=before is not None)


@bp.post("/games/<game_id>/end")
def mark(game_id: str) -> ResponseReturnValue:
    """Mark the hand."""
    return _save(game_id, hand_sent(loaded_game(game_id).sheet), correcting=False)


@bp.post("/games/<game_id>/end/preview")
def preview(game_id: str) -> ResponseReturnValue:
    """What the marks would come to: a part of the page, or without scripts the whole page."""
    loaded, sent = loaded_game(game_id), ActionForm(request.form)
    sheet, number = loaded.sheet, sent.hand.data or 0
    if not 1 <= number <= sheet.game.hands:
        number = sheet.hand.number
    entered = EndForm(sheet, request.form)
    if request.headers.get("HX-Request"):
        shown = sums(sheet, number, entered)
        return render_template("end/_sums.html", sheet=sheet, game_id=game_id, **shown)
    return _form_page(loaded, number, entered, sent=sent.data, again=True)


@bp.get("/games/<game_id>/throw-in")
def throw_in_form(game_id: str) -> ResponseReturnValue:
    """What happens if the hand is thrown in, before it is."""
    loaded = loaded_game(game_id)
    return _to_the_end(loaded) if loaded.sheet.over else _throw_in_page(loaded)


@bp.post("/games/<game_id>/throw-in")
def throw_in(game_id: str) -> ResponseReturnValue:
    """Throw the hand in; the same dealer deals it again."""
    number = hand_sent(loaded_game(game_id).sheet)
    try:
        sheet = write_action(game_id, HandThrownIn(number))[0].sheet
    except Refused as refused:
        if number != refused.loaded.sheet.hand.number:
            return past_hand_page(refused, number, _("Throwing in"), "Hand")
        return _throw_in_page(refused.loaded, refused)
    title, dealer = sheet.game.hand_title, sheet.names[sheet.hand.places.dealer]
    says = noted("%(hand_title)s %(number)s is thrown in. %(dealer)s deals it again.")
    says = _(says, hand_title=title, number=number, dealer=dealer)
    return go_on(says, url_for("hand.show", game_id=game_id))


def _throw_in_page(loaded: LoadedGame, refused: Refused | None = None) -> ResponseReturnValue:
    hand = loaded.sheet.hand
    parts = {"hand": hand, "charges_here": loaded.sheet.reasons(hand)}
    return form_page("end/throw_in.html", loaded, "Hand", refused, **parts)


def _to_the_end(loaded: LoadedGame) -> ResponseReturnValue:
    """Lead to the page of a game that is over, and say why."""
    flash(is_over(loaded.sheet.game), "message")
    return redirect(url_for("hand.show", game_id=loaded.record.id), 303)


@bp.get("/games/<game_id>/hands/<int:number>/correct")
def correct_form(game_id: str, number: int) -> ResponseReturnValue:
    """The form of a hand that is marked, filled with what stands."""
    loaded = loaded_game(game_id)
    hand = loaded.sheet.hands[hand_of(loaded, number) - 1]
    stands = hand_marks.as_entered(hand)
    if stands is None:
        return redirect(url_for("end.form", game_id=game_id), 303)
    return _form_page(loaded, number, EndForm.filled(loaded.sheet, hand, stands), as_saved=True)


@bp.post("/games/<game_id>/hands/<int:number>/correct")
def correct(game_id: str, number: int) -> ResponseReturnValue:
    """Correct the marks of a hand; what stood before stays readable."""
    if not 1 <= number <= loaded_game(game_id).sheet.game.hands:
        abort(404)
    return _save(game_id, number, correcting=True)


def _save(game_id: str, number: int, *, correcting: bool) -> ResponseReturnValue:
    before = loaded_game(game_id).sheet
    entered = EndForm(before, request.form)
    event, problems = entered.marks(number)

    def make(_sheet: ScoreSheet) -> Event:
        if problems:
            raise problems[0]
        return hand_marks.as_correction(event) if correcting else event

    try:
        after = write_action(game_id, make)[0].sheet
    except Refused as refused:
        return _form_page(refused.loaded, number, entered, refused=refused)
    if correcting:
        says = noted("%(hand_title)s %(number)s is corrected. What stood before is below it.")
        says = _(says, hand_title=before.game.hand_title, number=number)
        return go_on(says, url_for("sheet.hand", game_id=game_id, number=number))
    leaders = leader_names(after)
    leads = ngettext("%(names)s leads.", "%(names)s lead.", len(leaders), names=listed(leaders))
    says = news(event, after) if after.over else f"{news(event, after)} {leads}"
    return go_on(says, url_for("hand.show", game_id=game_id))


def _all_errors(refused: Refused, shown: dict[str, Any], entered: EndForm) -> Errors:
    """Every field that needs the marker at once, not the first alone."""
    found = [(field_id(one), str(one)) for one in shown["problems"]] or refused.errors
    errors = {_in_view(field, entered): says for field, says in found}
    for line in (row["line"] for row in shown["lines"]):
        if line.question and line.asks:
            errors.setdefault(f"{line.asks}-{line.player}", line.question)
    return [*errors.items()]


def _in_view(field: str, entered: EndForm) -> str:
    """The field that an error stands beside: not a card grid that is folded away."""
    name, _, seat = field.partition("-")
    by_points = entered.by.data == "points" and name == "cards" and seat
    return f"points-{seat}" if by_points and not entered.holders[int(seat)].cards.data else field


def _form_page(
    loaded: LoadedGame,
    number: int,
    entered: EndForm,
    *,
    refused: Refused | None = None,
    **context: Any,
) -> ResponseReturnValue:
    """Return the form, with what it comes to.

    In the ``context`` are ``again`` for what answers a form, ``refilled`` for what was
    undone, and ``as_saved`` for what stands.
    """
    sheet = loaded.sheet
    hand = sheet.hand_at(number)
    correcting = hand.marking is not None
    hand = sheet.with_turned(hand, entered.turned.data or None)
    ending, shown = ending_of(sheet), sums(sheet, number, entered)
    over_again = refused is not None and correcting and request.endpoint == "end.mark"
    if refused and refused.status == 422:
        refused.errors = _all_errors(refused, shown, entered)
    title = noted("End of %(hand_word)s %(number)s")
    if correcting:
        title = noted("Correct %(hand_word)s %(number)s")
    parts: dict[str, Any] = {
        "title": _(title, hand_word=sheet.game.hand_word, number=number),
        "correcting": correcting,
        "entered": entered,
        "said": dict(reversed(refused.errors)) if refused else {},  # the first of each field
        "sent": {},
        "charges_here": sheet.reasons(hand),
        "keep_awake": True,
        "is_entry": True,
        "over_again": over_again,
        "again": refused is not None,
        **ending.parts(sheet, hand),
        **of_upcoming(sheet, number if shown["ahead"] else None),
        **shown,
        **context,
    }
    if not sheet.game.ends_undecided and entered.out.data != "none":
        parts["outs"] = [one for one in parts["outs"] if one[0] != "none"]
    parts |= _addresses(loaded, hand, parts["won"], ahead=shown["ahead"])
    if "as_saved" in context:  # unless cards can be arranged better now than then
        marks = {row["line"].player: row["line"].mark for row in shown["lines"]}
        parts["as_saved"] = all(
            mark.points == hand.mark(seat).points for seat, mark in marks.items() if mark
        )
    if refused and correcting and (refused.status == 409 or over_again):
        lines = [row["line"] for row in shown["lines"]]
        parts["versus"] = [  # as it is saved, and as it was entered on this phone
            (sheet.names[one.player], _comes_to(hand.mark(one.player)), _comes_to(one.mark))
            for one in lines
        ]
    section = "Sheet" if correcting else "Hand"
    return form_page(ending.end_page, loaded, section, refused, **parts)


def _addresses(loaded: LoadedGame, hand: HandSheet, won: str, *, ahead: bool) -> dict[str, str]:
    """The addresses of the form and of what takes it, and what the phone does with it.

    A page that answers the form is at the address of what takes it. That names the hand, so that
    a reload leads to it and not to the hand that is open then. The phone keeps one page for all
    upcoming hands.

    Where the form waits on the phone, the marker goes on to the next hand (``then``); after the
    last one, or if the hand has ``won`` the game, to the next game for those who may begin one.
    """
    sheet, game_id, number = loaded.sheet, loaded.record.id, hand.number
    correcting, has_next = hand.marking is not None, number + 1 in upcoming_hands(sheet)
    ends = url_for("hand.show" if game_only() else "games.again", game_id=game_id)
    then = url_for("hand.show", game_id=game_id, hand=number + 1 if has_next else None)
    here = url_for("end.form", game_id=game_id)
    sent_to = url_for("end.mark", game_id=game_id, of=None if ahead else number)
    cancel = url_for("hand.show", game_id=game_id, hand=number if ahead else None)
    if correcting:
        here = sent_to = url_for("end.correct_form", game_id=game_id, number=number)
        cancel = url_for("sheet.hand", game_id=game_id, number=number)
    # What is half entered has another name after a hand was thrown in.
    again = f"-{len(hand.thrown_in)}" if hand.thrown_in else ""
    return {
        "here": here,
        "sent_to": sent_to,
        "cancel": cancel,
        "draft": f"{game_id}:hand-{number}:{'correct' if correcting else 'end'}{again}",
        "then": then if has_next or correcting else ends,
        "won_then": ends if has_next and won else "",
    }


def _comes_to(mark: Mark | None) -> str:
    return "missing" if mark is None else in_points(mark.points)
