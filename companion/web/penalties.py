"""Penalties, and what they and rulings do to the recorded table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from flask import Blueprint, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook import events
from companion.notebook.board import Board
from companion.notebook.checks import check
from companion.notebook.describe import charge_in_words, hand_name, in_points, say
from companion.notebook.events import Entry, NotPossible
from companion.notebook.hand_sheet import HandSheet, RulingLine
from companion.notebook.replay import replay
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.game import Charge
from companion.rules.judge import Judge
from companion.rules.language import gettext as _, listed, noted
from companion.rules.question import CALL
from companion.rules.ruling import TakeBack
from companion.rules.table import describe
from companion.services import NotFound
from companion.services.game_log import LoadedGame, who_wrote
from companion.services.rulings import calls_on_record, rest_of_turn
from companion.web.actions import Errors, Refused, loaded_game, upcoming_hand, write_action
from companion.web.auth import database
from companion.web.fields import Form, LineField, SmallNumberField
from companion.web.pages import form_page, go_on, upcoming_context

bp = Blueprint("penalties", __name__)
bp.add_app_template_global(charge_in_words)


class PenaltyForm(Form):
    """Whom to charge in which hand, and for what: a rule, or the table's own words and points."""

    hand = SmallNumberField()
    player = SmallNumberField()
    rule = LineField()
    leaves = LineField()
    house = LineField()
    text = LineField()
    points = SmallNumberField()


@bp.get("/games/<game_id>/penalty")
def form(
    game_id: str, refused: Refused | None = None, sent: PenaltyForm | None = None
) -> ResponseReturnValue:
    """Ask whom to charge and for what, and show what the hand was charged already."""
    loaded = refused.loaded if refused else loaded_game(game_id)
    form = sent or PenaltyForm(request.args)
    sheet, number = loaded.sheet, form.hand.data or 0
    upcoming = upcoming_hand(sheet, number)
    hand = upcoming or (sheet.hands[number - 1] if 1 <= number <= len(sheet.hands) else sheet.hand)
    charges, rules, game = sheet.reasons(hand), hand.rules, sheet.game
    leaving = [charge for charge in charges if charge.leaves]
    only_leaving = bool(leaving and form.leaves.raw_data)
    others = [charge for charge in charges if not (charge.leaves or only_leaving)]
    # First those that take nothing back and need no ruling.
    asks = {False: _("What for?"), True: _("What for? These take the turn back.")}
    groups = [(asks[back], [one for one in others if one.takes_back is back]) for back in asks]
    add, take_off = _("Add the points (penalty)"), _("Take them off (bonus)")
    if game.won_by.highest:
        add, take_off = _("Add the points (bonus)"), _("Take them off (penalty)")
    # In a marked hand, players who left the game since can be charged, too.
    seats = sheet.playing if sheet.can_go_on(hand) else sheet.players
    takes_back = any(one.takes_back for one in charges)
    at_turn = hand.board.seat_at_turn if takes_back and hand.marking is None else None
    worked_out = [one for one in game.charges if one.worked_out and one.applies(sheet.house)]
    hands = sheet.hands if hand.number <= len(sheet.hands) > 1 else ()
    refusals = {"penalties.withdraw": _("Not taken back")}
    return form_page(
        "penalties/form.html",
        loaded,
        "Hand",
        refused,
        refusal=refusals.get(request.endpoint or "", _("Not charged")),
        is_entry=True,
        form=form,
        hand=hand,
        players=[(str(seat), sheet.names[seat]) for seat in seats],
        has_charges=bool(charges),
        leaving=_tiles(rules, leaving, explained=len(leaving) == 1),
        only_leaving=only_leaving,
        reasons=[
            (asks, _tiles(rules, group, explained=len(others) == 1))
            for asks, group in groups
            if group
        ],
        house_buttons=[("add", add), ("off", take_off)],
        last_player="" if at_turn is None else sheet.names[at_turn],
        last_turn="" if at_turn is None else "; ".join(map(describe, hand.board.turn_plays)),
        hands=[(str(hand.number), hand_name(game, hand.number)) for hand in reversed(hands)],
        worked_out=listed(f"{_(charge.title)} ({charge.rule})" for charge in worked_out),
        by=who_wrote(database(), loaded),
        **upcoming_context(sheet, upcoming.number if upcoming else None),
    )


@bp.post("/games/<game_id>/penalty", endpoint="charge")
@bp.post("/games/<game_id>/call", endpoint="call")
def charge_or_call(game_id: str) -> ResponseReturnValue:
    """Charge a player for a reason of the game's list, or for one of the table's own.

    Or note that a player called for the discard and got it; a call too many is charged.
    """
    make = _call_event if request.endpoint == "penalties.call" else _charge_event
    sent = PenaltyForm(request.form)
    try:
        after, entry = write_action(game_id, lambda sheet: make(sheet, sent))
    except Refused as refused:
        if refused.status == 422 and sent.house.data:
            again = PenaltyForm(request.form)
            refused.errors = _house_errors(refused.loaded.sheet, again) or refused.errors
        return form(game_id, refused, sent)
    return go_on_after(after, entry, _next_address(after.sheet, game_id, sent.hand.data))


def _call_event(sheet: ScoreSheet, form: PenaltyForm) -> events.Event:
    number, seat = form.hand.data or sheet.hand.number, form.player.data
    if seat is None or seat not in sheet.players:
        raise NotPossible("Say which player called.", "player")
    hand, rules = sheet.hand, sheet.hand.rules
    is_open = number == hand.number
    if is_open and 0 < rules.calls_allowed <= calls_on_record(hand, seat):
        return events.PenaltyCharged(number, seat, rules.calls_rule)
    return events.CallNoted(number, seat)


@bp.post("/games/<game_id>/penalties/<int:number>/withdraw")
def withdraw(game_id: str, number: int) -> ResponseReturnValue:
    """Take a charge back. Undo brings it back."""
    loaded = loaded_game(game_id)
    hands = loaded.sheet.hands
    charged = {one.entry.number: (hand, one) for hand in hands for one in hand.penalties}
    if number not in charged:
        raise NotFound("penalty")
    hand, penalty = charged[number]
    event = events.PenaltyWithdrawn(hand.number, number)
    try:
        write_action(game_id, event)
    except Refused as refused:
        return form(game_id, refused, PenaltyForm(hand=hand.number))
    says = f"{say(event, loaded.sheet)}. " + _("Undo brings it back.")
    if penalty.reason.takes_back and hand.marking is None:
        says += " " + _("The recorded table stays as it is.")
    return go_on(says, _next_address(loaded.sheet, game_id, hand.number))


def _charge_event(sheet: ScoreSheet, form: PenaltyForm) -> events.Event:
    number = form.hand.data if form.hand.entered else sheet.hand.number
    if number is None or not 1 <= number <= len(sheet.hands):
        raise NotPossible("Say in which hand it happened.", "hand")
    seat = form.player.data
    if seat is None or seat not in sheet.players:
        raise NotPossible("Say which player, then tap the reason again.", "player")
    if form.house.data:  # the notebook checks the words and the points
        # Two buttons give the sign: phones' number keys have no minus.
        cost = (form.points.data or 0) * {"add": 1, "off": -1}.get(form.house.data, 0)
        return events.HousePenalty(number, seat, cost, form.text.data)
    # If nobody can leave now, `check` says why: the hand may have ended while this waited.
    leaving = {charge.rule for charge in sheet.game.charges if charge.leaves}
    reasons = {charge.rule for charge in sheet.reasons(sheet.hands[number - 1])}
    if form.rule.data not in leaving | reasons:
        raise NotPossible("Say what for: tap one of the reasons.", "rule")
    return events.PenaltyCharged(number, seat, form.rule.data)


def _house_errors(sheet: ScoreSheet, form: PenaltyForm) -> Errors:
    """Return the errors of all fields of a house penalty, not only the first."""
    errors: dict[str, str] = {}
    valid = {"player": sheet.players[0], "text": "…", "points": 1}  # replace what is wrong
    while True:
        try:
            check(_charge_event(sheet, form), sheet)
            break
        except NotPossible as problem:
            errors.setdefault(problem.field, str(problem))
            if problem.field not in valid:
                break
            form[problem.field].data = valid.pop(problem.field)
    return [*errors.items()]


def _next_address(sheet: ScoreSheet, game_id: str, number: int | None) -> str:
    number = number or sheet.hand.number
    if number == sheet.hand.number and sheet.hand.marking is None:
        return url_for("hand.show", game_id=game_id)
    return url_for("sheet.hand", game_id=game_id, number=number)


def _tiles(
    rules: Judge, reasons: Sequence[Charge], *, explained: bool
) -> list[tuple[str, str, str, str]]:
    """Return reasons as buttons: the rule, the title, the text under it, and what it costs."""
    tiles = []
    for reason in reasons:
        cost = in_points(rules.charge_points(reason.rule))
        says = f"{reason.rule} · {cost}. {_(reason.says)}" if explained else cost
        tiles.append((reason.rule, _(reason.title), says, cost))
    return tiles


# -- what happens to the recorded table -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What happens to a turn on the recorded table: its plays in words, or empty.

    Plays in ``off`` are removed. Those in ``stays`` remain, because later plays are on record.
    Those in ``rest`` are added, if only illegal plays of the turn are taken back.
    """

    off: str = ""
    stays: str = ""
    rest: str = ""

    def says(self, name: str) -> Iterator[str]:
        """Yield sentences on what happened to this player's cards."""
        if self.stays:
            says = noted(
                "Later plays were recorded, so %(name)s's cards stay on the recorded table: "
                "%(cards)s. To remove them, undo the later plays first."
            )
            yield _(says, name=name, cards=self.stays)
        if self.off:
            yield _("Removed from the recorded table: %(cards)s.", cards=self.off)
        if self.rest:
            yield _("Added to the recorded table: %(cards)s.", cards=self.rest)


def what_is_taken(line: RulingLine) -> str:
    """Return what carrying out a ruling takes back: ``turn``, ``melds``, ``plays`` or ``play``."""
    if line.ruling.consequence.take_back is TakeBack.TURN:
        return "turn"
    if line.question.ask == "contract":
        return "melds"
    return "plays" if sum(not one.legal for one in line.ruling.plays) > 1 else "play"


def taken_back_by(sheet: ScoreSheet, hand: HandSheet, line: RulingLine) -> TakenBack:
    """Return what carrying out a ruling does to the recorded table of this sheet."""
    if not sheet.is_open(hand):
        return TakenBack()
    if line.ruling.consequence.take_back is not TakeBack.TURN:
        limits, rest = hand.rules.limits, rest_of_turn(sheet, line)
        return TakenBack(rest="; ".join(describe(play, limits) for play in rest))
    return _turn_taken_back(hand.board, line.given.player, line.turn)


def _turn_taken_back(board: Board, player: int, turn: int) -> TakenBack:
    """Return what taking back a player's turn of that number does to the recorded table."""
    plays = "; ".join(map(describe, board.plays_in(turn, player)))
    is_last = (board.number, board.seat_at_turn) == (turn, player)
    return TakenBack(off=plays) if is_last else TakenBack(stays=plays)


def go_on_after(loaded: LoadedGame, entry: Entry, then: str) -> ResponseReturnValue:
    """Redirect with a message on an entry: a ruling carried out, a penalty, or a noted call.

    The redirect leads to ``then``, or to the recorded table if cards stay there that should be off
    it: the marker has to look at them next.
    """
    before, event, back = replay(loaded.entries[: entry.number - 1]), entry.event, TakenBack()
    match event:
        case events.CallNoted(hand=number, player=player):
            hand, name = loaded.sheet.hands[number - 1], before.names[player]
            count, allowed = hand.calls.count(player), hand.rules.calls_allowed
            says = noted("%(name)s: call %(count)s of %(allowed)s.")
            sentences = [_(says, name=name, count=count, allowed=allowed)]
        case events.HousePenalty(player=player, points=points, text=text):
            charge = charge_in_words(points, before.names[player])
            says = noted("%(said)s: %(text)s. Your table's own, not in the rules.")
            sentences = [_(says, said=charge, text=text)]
        case events.RulingEnforced():
            sentences, back = _after_ruling(before, event)
        case events.PenaltyCharged():
            sentences, back = _after_charge(before, event)
    if back.stays:
        then = url_for("table.show", game_id=loaded.record.id)
    return go_on(" ".join(sentences), then)


_NOT_DOUBLED: Final = noted("If %(name)s bends the table, nothing is doubled.")
_TAKEN_BACK: Final = {
    "turn": noted("%(name)s's turn is taken back."),
    "melds": noted("%(name)s's first melds are taken back."),
    "plays": noted("%(name)s's illegal plays are taken back."),
    "play": noted("%(name)s's play is taken back."),
}


def _after_ruling(before: ScoreSheet, event: events.RulingEnforced) -> tuple[list[str], TakenBack]:
    """Return sentences on a ruling that was carried out, and what it did to the table."""
    hand = before.hands[event.hand - 1]
    line = next(line for line in hand.rulings if line.entry.number == event.ruling)
    consequence, player = line.ruling.consequence, line.given.player
    name, ask = before.names[player], line.question.ask
    back = taken_back_by(before, hand, line)
    sentences = [f"{say(event, before)}."] if consequence.points else []
    if ask == CALL:
        sentences.append(_(_NOT_DOUBLED, name=name))
    elif ask in hand.rules.asks_off_table:
        if before.is_open(hand):
            sentences.append(_("%(name)s plays on with the same cards.", name=name))
    elif not before.is_open(hand):
        stays = noted("Hand %(number)s is over, and its recorded table stays as it is.")
        sentences.append(_(stays, number=hand.number))
    elif not back.stays:
        sentences.append(_(_TAKEN_BACK[what_is_taken(line)], name=name))
        if consequence.turn_passes:
            follows = before.names[before.next_player(player)]
            sentences.append(_("%(next)s plays next.", next=follows))
    return [*sentences, *back.says(name)], back


def _after_charge(before: ScoreSheet, event: events.PenaltyCharged) -> tuple[list[str], TakenBack]:
    """Return sentences on a penalty, and what it did to the table."""
    hand, player, rule = before.hands[event.hand - 1], event.player, event.rule
    name, follows = before.names[player], before.next_player(player)
    reason, board, back = before.game.charge(rule), hand.board, TakenBack()
    sentences = [f"{say(event, before)}."]
    if not reason.leaves:
        cost, title = in_points(hand.rules.charge_points(rule)), _(reason.title)
        says = noted("%(cost)s to %(name)s: %(title)s (%(rule)s).")
        sentences = [_(says, cost=cost, name=name, title=title, rule=rule)]
    if rule == hand.rules.calls_rule:
        sentences.append(_(_NOT_DOUBLED, name=name))
    if reason.takes_back and before.is_open(hand):
        # If a turn after the next player's is on record, the charge may be for one that is not.
        if board.seat_at_turn in {player, follows}:
            back = _turn_taken_back(board, player, board.last_turn(player))
        if not back.stays:
            taken = noted("The whole turn is taken back; %(next)s plays next.")
            sentences.append(_(taken, next=before.names[follows]))
    return [*sentences, *back.says(name)], back
