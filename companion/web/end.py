"""The end of a hand: marking it, correcting it later, throwing it in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.notebook import hand_marks
from companion.notebook.arrangements import lay_off_order
from companion.notebook.describe import bending, in_points, is_over, news, score
from companion.notebook.events import Event, HandThrownIn, NotPossible
from companion.notebook.hand_marks import Preview
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.language import gettext as _
from companion.rules.language import listed, ngettext, noted
from companion.rules.scoring import Mark
from companion.services.game_log import LoadedGame
from companion.services.games import hand_of
from companion.web.actions import (
    Errors,
    Refused,
    hand_sent,
    loaded_game,
    upcoming_hand,
    write_action,
)
from companion.web.auth import game_only
from companion.web.end_form import EndForm
from companion.web.endings import ending_of
from companion.web.fields import small_number
from companion.web.pages import (
    form_page,
    game_page,
    go_on,
    of_upcoming,
    past_hand_page,
    refused_page,
)
from companion.web.templating import leader_names, marked, names_of

bp = Blueprint("end", __name__)


@bp.get("/games/<game_id>/end")
def form(game_id: str) -> ResponseReturnValue:
    """The form for the end of the open hand; filled in again if the marking was undone."""
    loaded = loaded_game(game_id)
    number = request.args.get("of", type=small_number)
    if number in {hand.number for hand in loaded.sheet.marked}:  # what answered a form is reloaded
        says = noted("%(title)s %(number)s is marked. Correct it here if its points are wrong.")
        flash(_(says, title=_(loaded.sheet.game.hand_title), number=number), "message")
        return redirect(url_for("end.correct_form", game_id=game_id, number=number), 303)
    if loaded.sheet.over:
        return _to_the_end(loaded)
    end_form = ending_of(loaded.sheet).form
    ahead = upcoming_hand(loaded.sheet)
    if ahead is not None:
        blank = end_form.blank(loaded.sheet)
        return _form_page(loaded, ahead.number, blank)
    before = None if "fresh" in request.args else end_form.undone(loaded.sheet)
    entered = before or end_form.blank(loaded.sheet)
    if "out" in request.args:
        entered.out.data = request.args["out"][:4]
    return _form_page(loaded, loaded.sheet.hand.number, entered, refilled=before is not None)


@bp.post("/games/<game_id>/end")
def mark(game_id: str) -> ResponseReturnValue:
    """Mark the hand."""
    return _save(game_id, hand_sent(loaded_game(game_id).sheet), correcting=False)


@bp.post("/games/<game_id>/end/preview")
def preview(game_id: str) -> ResponseReturnValue:
    """What the marks would come to: a part of the page, or without scripts the whole page."""
    loaded = loaded_game(game_id)
    number = _hand_shown(loaded.sheet)
    entered = ending_of(loaded.sheet).form(loaded.sheet, request.form)
    if request.headers.get("HX-Request"):
        sums = _sums(loaded.sheet, number, entered)
        part = ending_of(loaded.sheet).sums
        return render_template(part, sheet=loaded.sheet, game_id=game_id, **sums)
    sent = {name: request.form.get(name) for name in ("key", "base")}
    return _form_page(loaded, number, entered, sent=sent, entered_again=True)


@bp.get("/games/<game_id>/throw-in")
def throw_in_form(game_id: str) -> ResponseReturnValue:
    """What happens if the hand is thrown in, before it is."""
    loaded = loaded_game(game_id)
    if loaded.sheet.over:
        return _to_the_end(loaded)
    return game_page("end/throw_in.html", loaded, "Hand", errors=[], **_throw_in(loaded.sheet))


@bp.post("/games/<game_id>/throw-in")
def throw_in(game_id: str) -> ResponseReturnValue:
    """Throw the hand in; the same dealer deals it again."""
    number = hand_sent(loaded_game(game_id).sheet)
    try:
        loaded = write_action(game_id, HandThrownIn(number))[0]
    except Refused as refused:
        if number != refused.loaded.sheet.hand.number:
            return past_hand_page(refused, number, _("Throwing in"), "Hand")
        parts = _throw_in(refused.loaded.sheet)
        return refused_page("end/throw_in.html", refused, "Hand", **parts)
    sheet = loaded.sheet
    title, dealer = sheet.game.hand_title, sheet.names[sheet.hand.places.dealer]
    says = noted("%(hand_title)s %(number)s is thrown in. %(dealer)s deals it again.")
    says = _(says, hand_title=title, number=number, dealer=dealer)
    return go_on(says, url_for("hand.show", game_id=game_id))


def _to_the_end(loaded: LoadedGame) -> ResponseReturnValue:
    """Lead to the page of a game that is over, and say why."""
    flash(is_over(loaded.sheet.game), "message")
    return redirect(url_for("hand.show", game_id=loaded.record.id), 303)


def _throw_in(sheet: ScoreSheet) -> dict[str, Any]:
    return {
        "hand": sheet.hand,
        "charges_here": sheet.reasons(sheet.hand),
    }


@bp.get("/games/<game_id>/hands/<int:number>/correct")
def correct_form(game_id: str, number: int) -> ResponseReturnValue:
    """The form of a hand that is marked, filled with what stands."""
    loaded = loaded_game(game_id)
    hand = loaded.sheet.hands[hand_of(loaded, number) - 1]
    stands = hand_marks.as_entered(hand)
    if stands is None:
        return redirect(url_for("end.form", game_id=game_id), 303)
    entered = ending_of(loaded.sheet).form.filled(loaded.sheet, hand, stands)
    return _form_page(loaded, number, entered, as_saved=True)


@bp.post("/games/<game_id>/hands/<int:number>/correct")
def correct(game_id: str, number: int) -> ResponseReturnValue:
    """Correct the marks of a hand; what stood before stays readable."""
    if not 1 <= number <= loaded_game(game_id).sheet.game.hands:
        abort(404)
    return _save(game_id, number, correcting=True)


def _hand_shown(sheet: ScoreSheet) -> int:
    """The hand that the form was made for; the open one if it does not say. Nothing is written."""
    number = request.form.get("hand", 0, type=small_number)
    return number if 1 <= number <= sheet.game.hands else sheet.hand.number


def _save(game_id: str, number: int, *, correcting: bool) -> ResponseReturnValue:
    before = loaded_game(game_id).sheet
    names = before.names
    entered = ending_of(before).form(before, request.form)
    event, problems = entered.marks(number, names)

    def make(_sheet: ScoreSheet) -> Event:
        if problems:
            field, sentence = problems[0]
            raise NotPossible(sentence, field)
        return hand_marks.as_correction(event) if correcting else event

    try:
        after = write_action(game_id, make)[0].sheet
    except Refused as refused:
        if refused.status == 422:
            refused.errors = _all_errors(refused, number, entered, problems)
        return _form_page(refused.loaded, number, entered, refused=refused)
    if correcting:
        says = noted("%(hand_title)s %(number)s is corrected. What stood before is below it.")
        says = _(says, hand_title=before.game.hand_title, number=number)
        return go_on(says, url_for("sheet.hand", game_id=game_id, number=number))
    leaders = leader_names(after)
    leads = ngettext("%(names)s leads.", "%(names)s lead.", len(leaders), names=listed(leaders))
    says = news(event, after) if after.over else f"{news(event, after)} {leads}"
    return go_on(says, url_for("hand.show", game_id=game_id))


def _all_errors(refused: Refused, number: int, entered: EndForm, problems: Errors) -> Errors:
    """Every field that needs the marker at once, not the first alone."""
    sheet = refused.loaded.sheet
    event = entered.marks(number, sheet.names)[0]
    errors = {_in_view(field, entered): says for field, says in problems or refused.errors}
    for line in hand_marks.preview(sheet, sheet.hand_at(number), event):
        if line.question and line.asks:
            errors.setdefault(f"{line.asks}-{line.player}", line.question)
    return [*errors.items()]


def _in_view(field: str, entered: EndForm) -> str:
    """The field that an error stands beside: not a card grid that is folded away."""
    name, _, seat = field.partition("-")
    if (
        name == "cards"
        and entered.by.data == "points"
        and seat
        and not entered.holders[int(seat)].cards.data
    ):
        return f"points-{seat}"
    return field


def _form_page(
    loaded: LoadedGame,
    number: int,
    entered: EndForm,
    *,
    refused: Refused | None = None,
    **context: Any,
) -> ResponseReturnValue:
    sheet = loaded.sheet
    hand = sheet.hand_at(number)
    correcting = hand.marking is not None
    hand = sheet.with_turned(hand, entered.turned.data or None)
    ending = ending_of(sheet)
    outs, sums = ending.outs(sheet, number), _sums(sheet, number, entered)
    ahead = number if sums["ahead"] else None
    if not (sheet.game.ends_undecided or entered.out.data == "none"):
        outs["outs"] = [option for option in outs["outs"] if option[0] != "none"]
    parts: dict[str, Any] = {
        "correcting": correcting,
        "draft": _draft_name(loaded.record.id, hand, correcting=correcting),
        "entered": entered,
        "entered_again": refused is not None,
        "said": dict(reversed(refused.errors)) if refused else {},  # the first of each field
        "sent": {"key": None, "base": None},
        "charges_here": sheet.reasons(hand),
        "keep_awake": True,
        "is_entry": True,
        "cancel": url_for("sheet.hand", game_id=loaded.record.id, number=number)
        if correcting
        else url_for("hand.show", game_id=loaded.record.id, hand=ahead),
        **ending.parts(sheet, hand),
        **outs,
        **_addresses(loaded.record.id, hand, outs["goes_on"], ahead=sums["ahead"]),
        **of_upcoming(sheet, ahead),
        **sums,
        **context,
    }
    if "as_saved" in context:  # unless cards can be arranged better now than then
        previews = [line.preview for line in sums["lines"] if line.preview.mark]
        stands = [hand.mark(one.player).points for one in previews]
        parts["as_saved"] = [one.mark.points for one in previews] == stands
    section = "Sheet" if correcting else "Hand"
    if refused and correcting and (refused.status == 409 or request.endpoint == "end.mark"):
        parts["versus"] = _versus(sheet, hand, entered)
    return form_page(ending.end_page, loaded, section, refused, **parts)


def _draft_name(game_id: str, hand: HandSheet, *, correcting: bool) -> str:
    """Return the name of what is half entered, on the phone; another one after a hand thrown in."""
    name = f"{game_id}:hand-{hand.number}:{'correct' if correcting else 'end'}"
    return f"{name}-{len(hand.thrown_in)}" if hand.thrown_in else name


def _addresses(
    game_id: str, hand: HandSheet, goes_on: int | None, *, ahead: bool
) -> dict[str, str]:
    """The addresses of the form, of what takes it, and of where the marker goes on meanwhile.

    A page that answers the form is at the address of what takes it. That names the hand, so that
    a reload leads to it and not to the hand that is open then. The phone keeps one page for all
    upcoming hands.

    Where the form waits on the phone, the marker goes on to ``then``; after the last hand to
    ``ends``, the next game for those who may begin one.
    """
    correcting = hand.marking is not None
    ends = url_for("hand.show" if game_only() else "games.again", game_id=game_id)
    then = url_for("hand.show", game_id=game_id, hand=goes_on) if goes_on or correcting else ends
    here = url_for("end.form", game_id=game_id)
    sent_to = url_for("end.mark", game_id=game_id, of=None if ahead else hand.number)
    if correcting:
        here = sent_to = url_for("end.correct_form", game_id=game_id, number=hand.number)
    return {"here": here, "sent_to": sent_to, "then": then, "ends": ends}


def _versus(sheet: ScoreSheet, hand: HandSheet, entered: EndForm) -> list[tuple[str, str, str]]:
    """What each player's hand comes to as it is saved, and as it was entered on this phone."""
    event, _ = entered.marks(hand.number, sheet.names)
    return [
        (sheet.names[line.player], _comes_to(hand.mark(line.player)), _comes_to(line.mark))
        for line in hand_marks.preview(sheet, hand, event)
    ]


def _comes_to(mark: Mark | None) -> str:
    return "missing" if mark is None else in_points(mark.points)


def _refused_seats(
    lines: Sequence[Preview],
    unread: Mapping[str, str],
    refusal: NotPossible | None,
    missing: Sequence[int],
) -> str:
    """Return the seats whose entry is refused, and not just missing, with spaces between them."""
    seats = {str(line.player) for line in lines if line.problem and not line.asks} | set(unread)
    if refusal is not None and not missing and not any(line.asks for line in lines):
        seats.add(refusal.field.partition(".")[2])
    return " ".join(sorted(seat for seat in seats if seat.isdecimal()))


@dataclass(frozen=True, slots=True)
class SumLine:
    """What the entry of a player comes to.

    ``problem`` says why it cannot be read or cannot be; ``points`` and ``total`` are as they are
    written, and a dash where they are not known.
    """

    name: str
    preview: Preview
    problem: str
    points: str
    total: str


def _verdict(
    sheet: ScoreSheet,
    entered: EndForm,
    missing: Sequence[str],
    refusal: NotPossible | None,
    unread: Mapping[str, str],
    lines: Sequence[Preview],
) -> tuple[str, Markup | str] | None:
    """Return whether the hand can be saved, in a sentence, and how that is shown.

    None where what is wrong stands beside the player that it is about.
    """
    if entered.out.data == "":
        return "warn", marked(ending_of(sheet).asks_out_link)
    if missing:
        return "warn", marked(
            "Still missing: %(players)s.", players=names_of(missing, "unit-short")
        )
    if refusal is None:
        return None if unread else ("good", _("Nothing is missing: this can be saved."))
    is_told = refusal.field.startswith(("melded", "laid_as"))
    is_told = is_told or any(line.problem for line in lines)
    return None if is_told else ("bad", str(refusal))


def _sums(sheet: ScoreSheet, number: int, entered: EndForm) -> dict[str, Any]:
    """What the fragment of the sums shows."""
    hand = sheet.hand_at(number)
    event, problems = entered.marks(number, sheet.names)
    lines = hand_marks.preview(sheet, hand, event)
    if sheet.game.lays_off_at_end:
        lines = [lines[seat] for seat in lay_off_order(sheet.players, event)]
    unread = {field.rpartition("-")[2]: sentence for field, sentence in problems}
    refusal = None if problems else hand_marks.refusal(sheet, hand, event)
    unmarked = (line.player for line in lines if line.mark is None and not line.problem)
    missing = [player for player in unmarked if str(player) not in unread]
    names = [sheet.names[player] for player in missing]
    can_be = not problems and refusal is None
    ahead = number > sheet.hand.number or not sheet.number
    rows = []
    for line in lines:
        problem, points, total = unread.get(str(line.player)) or line.problem, "–", "–"
        if line.mark and not problem and not line.so_far:
            added = line.mark.points
            others = sheet.total(line.player) - hand.mark(line.player).points
            points, total = score(added), "–" if ahead else score(others + added)
        rows.append(SumLine(sheet.names[line.player], line, problem, points, total))
    return {
        "hand": hand,
        "lines": rows,
        "follows": hand_marks.would_follow(sheet, hand, event) if can_be else (),
        "verdict": _verdict(sheet, entered, names, refusal, unread, lines),
        "refused_seats": _refused_seats(lines, unread, refusal, missing),
        "bent_says": bending(sheet, hand, event),
        "entered": entered,
        "ahead": ahead,
        "dealt": sheet.game.dealt(number, sheet.house.sheet),
        "by_points": entered.by.data == "points",
        "still_playing": sheet.playing,
    }
