"""Charging a penalty of the rules or of the table's own making, and taking it back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, flash, redirect, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.events import CallNoted, HousePenalty, PenaltyCharged, PenaltyWithdrawn
from companion.notebook.refusal import NotPossible
from companion.notebook.scoresheet import HandSheet, ScoreSheet
from companion.notebook.words import house_words
from companion.rules.game import Charge
from companion.rules.judge import describe
from companion.services.books import Book, NotFound, who_wrote
from companion.web.acting import Refused, act, book_of
from companion.web.house import database
from companion.web.pages import game_page, refused_page
from companion.web.play_form import number_in
from companion.web.taken_back import done
from companion.web.templating import points
from companion.web.upcoming_hands import hand_ahead

bp = Blueprint("penalties", __name__)

# What the two buttons of a house penalty do to the score; phones' number keys have no minus.
_SIGNS = {"add": 1, "off": -1}


@bp.get("/games/<game_id>/penalty")
def form(game_id: str) -> ResponseReturnValue:
    """Whom to charge and for what, and what was charged in the hand already."""
    return _page(book_of(game_id), request.args.get("hand", ""), request.args.get("player", ""))


@bp.post("/games/<game_id>/penalty")
def charge(game_id: str) -> ResponseReturnValue:
    """Charge a player for a reason of the game's list, or for one of the table's own."""
    hand, player = request.form.get("hand", ""), request.form.get("player", "")
    try:
        after, entry = act(game_id, lambda sheet: _charge(sheet, hand, player))
    except Refused as refused:
        return _page(refused, hand, player)
    what = done(after, entry)
    flash(what.says, "success")
    if what.stays:  # that is what has to be looked at next
        return redirect(url_for("table.show", game_id=game_id), 303)
    return redirect(_back(after.sheet, game_id, hand), 303)


@bp.post("/games/<game_id>/call")
def call(game_id: str) -> ResponseReturnValue:
    """Note that a player called for the discard and got it; charge the calls that are too many."""
    hand, player = request.form.get("hand", ""), request.form.get("player", "")
    try:
        after, entry = act(game_id, lambda sheet: _call(sheet, hand, player))
    except Refused as refused:
        return _page(refused, hand, player)
    if isinstance(entry.event, CallNoted):
        seat, calls = entry.event.player, after.sheet.hands[entry.event.hand - 1].calls
        allowed = after.sheet.hand.rules.calls_allowed
        says = f"{after.sheet.names[seat]}: call {calls.count(seat)} of {allowed}."
    else:
        says = done(after, entry).says
    flash(says, "success")
    return redirect(url_for("hand.show", game_id=game_id), 303)


def _call(sheet: ScoreSheet, hand: str, player: str) -> CallNoted | PenaltyCharged:
    number, seat = number_in(hand) or sheet.hand.number, number_in(player)
    if seat is None or seat not in sheet.players:
        raise NotPossible("Say which player called.", "player")
    rules, calls = sheet.hand.rules, sheet.hand.calls
    is_open = number == sheet.hand.number
    if is_open and 0 < rules.calls_allowed <= calls.count(seat):
        return PenaltyCharged(number, seat, rules.calls_rule)
    return CallNoted(number, seat)


@bp.post("/games/<game_id>/penalties/<int:number>/withdraw")
def withdraw(game_id: str, number: int) -> ResponseReturnValue:
    """Take a charge back. Undo brings it back."""
    book = book_of(game_id)
    charged = [(hand, one) for hand in book.sheet.hands for one in hand.penalties]
    found = next((pair for pair in charged if pair[1].entry.number == number), None)
    if found is None:
        raise NotFound("penalty")
    hand, penalty = found
    try:
        act(game_id, lambda _: PenaltyWithdrawn(hand.number, number))
    except Refused as refused:
        return _page(refused, str(hand.number), "")
    name = book.sheet.names[penalty.player]
    rule, cost, text = penalty.charged
    says = f"{points(cost)} taken back from {name} ({rule}). Undo charges them again."
    if not rule:
        says = f"Taken back: {house_words(cost, name)}: {text}. Undo brings it back."
    if penalty.reason.takes_back and hand.marking is None:
        says += " The recorded table stays as it is."
    flash(says, "success")
    return redirect(_back(book.sheet, game_id, str(hand.number)), 303)


def _charge(sheet: ScoreSheet, hand: str, player: str) -> PenaltyCharged | HousePenalty:
    number = sheet.hand.number if not hand else number_in(hand)
    if number is None or not 1 <= number <= len(sheet.hands):
        raise NotPossible("Say in which hand it happened.", "hand")
    seat = number_in(player)
    if seat is None or seat not in sheet.players:
        raise NotPossible("Say which player, then tap the reason again.", "player")
    if "house" in request.form:
        return _house(number, seat)
    rule = request.form.get("rule", "")[:20]
    # Where nobody can leave the notebook says why: the hand may have ended while this waited.
    leaving = {one.rule for one in sheet.game.charges if one.leaves}
    if rule not in leaving | {one.rule for one in reasons(sheet, sheet.hands[number - 1])}:
        raise NotPossible("Say what for: tap one of the reasons.", "rule")
    return PenaltyCharged(number, seat, rule)


def _house(hand: int, player: int) -> HousePenalty:
    """The house penalty that was entered, for the notebook to check."""
    text = " ".join(request.form.get("text", "")[:1000].split())
    cost = number_in(request.form.get("points", "").strip()) or 0
    return HousePenalty(hand, player, cost * _SIGNS.get(request.form["house"], 0), text)


def reasons(sheet: ScoreSheet, hand: HandSheet) -> list[Charge]:
    """What a player can be charged for in a hand, without what the marks work out.

    A player leaves in the hand that is being played, or in a later one.
    """
    is_open = _is_open(sheet, hand)
    return [
        charge
        for charge in sheet.game.charges
        if charge.applies(sheet.house)
        and not charge.worked_out
        and hand.number >= charge.first_hand
        and (is_open or not charge.leaves)
    ]


def _is_open(sheet: ScoreSheet, hand: HandSheet) -> bool:
    """True if a hand is being played, or has not begun."""
    return hand.number >= sheet.hand.number and not sheet.over


def reason_tile(hand: HandSheet, reason: Charge) -> tuple[str, str, str]:
    """A reason as a button: its rule, its title, and what it costs, in a sentence."""
    cost = points(hand.rules.charge_points(reason.rule))
    turn = " · takes the whole turn back" if reason.takes_back else ""
    return reason.rule, reason.title, f"{reason.rule} · {cost}{turn}. {reason.says}"


def _back(sheet: ScoreSheet, game_id: str, hand: str) -> str:
    number = number_in(hand) or sheet.hand.number
    if number == sheet.hand.number and not sheet.over:
        return url_for("hand.show", game_id=game_id)
    return url_for("sheet.hand", game_id=game_id, number=number)


def _hand(sheet: ScoreSheet, text: str) -> HandSheet:
    number = number_in(text) or 0
    return sheet.hands[number - 1] if 1 <= number <= len(sheet.hands) else sheet.hand


def _players(sheet: ScoreSheet, hand: HandSheet) -> Sequence[int]:
    """Who can be charged in a hand; in a marked one also those who left the game since."""
    return sheet.playing if _is_open(sheet, hand) else sheet.players


def _last_turn(sheet: ScoreSheet, hand: HandSheet) -> tuple[str, str]:
    """Who has the last turn on the recorded table, and its plays in words; empty if nobody has."""
    board = hand.board
    if board.turn_of is None or hand.marking is not None:
        return "", ""
    return sheet.names[board.turn_of], "; ".join(describe(play) for play in board.turn)


def _page(of: Book | Refused, hand: str, player: str) -> ResponseReturnValue:
    refused = of if isinstance(of, Refused) else None
    book = of.book if isinstance(of, Refused) else of
    sheet = book.sheet
    ahead = hand_ahead(sheet, hand)
    of_hand = ahead or _hand(sheet, hand)
    here = reasons(sheet, of_hand)
    leaving = [one for one in here if one.leaves]
    only_leaving = bool(leaving) and "leaves" in request.values
    if only_leaving:
        here = leaving
    context: dict[str, Any] = {
        "of_hand": of_hand,
        "ahead": ahead is not None,
        "player": player,
        "players": [(str(seat), sheet.names[seat]) for seat in _players(sheet, of_hand)],
        "reasons": [reason_tile(of_hand, one) for one in here if not one.leaves],
        "leaving": [reason_tile(of_hand, one) for one in leaving],
        "only_leaving": only_leaving,
        "house": {name: request.form.get(name, "")[:200] for name in ("text", "points")},
        "worked_out": [
            one for one in sheet.game.charges if one.worked_out and one.applies(sheet.house)
        ],
        "last_turn": _last_turn(sheet, of_hand),
        "by": who_wrote(database(), book),
        "hands": [
            (str(one.number), f"{sheet.game.hand_title} {one.number}")
            for one in reversed(sheet.hands)
        ],
    }
    if refused is None:
        return game_page("penalties/form.html", book, "Hand", errors=[], **context)
    return refused_page("penalties/form.html", refused, "Hand", **context)
