"""Penalties, and what they and rulings do to the recorded table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flask import Blueprint, flash, redirect, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.notebook.board import Board
from companion.notebook.describe import hand_name, house_words, in_points
from companion.notebook.events import (
    CallNoted,
    Entry,
    HousePenalty,
    NotPossible,
    PenaltyCharged,
    PenaltyWithdrawn,
    RulingEnforced,
)
from companion.notebook.hand_sheet import HandSheet, Penalty, RulingLine
from companion.notebook.replay import replay
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.game import Charge
from companion.rules.language import gettext as _
from companion.rules.language import listed, noted
from companion.rules.question import CALL
from companion.rules.ruling import TakeBack
from companion.rules.table import Play, describe
from companion.services import NotFound
from companion.services.game_log import LoadedGame, who_wrote
from companion.services.rulings import rest_of_turn
from companion.web.actions import Refused, loaded_game, upcoming_hand, write_action
from companion.web.auth import database
from companion.web.fields import Form, LineField, SmallNumberField
from companion.web.pages import form_page, of_upcoming
from companion.web.templating import clock, marked

bp = Blueprint("penalties", __name__)

# What the two buttons of a house penalty do to the score; phones' number keys have no minus.
_SIGNS = {"add": 1, "off": -1}


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
def form(game_id: str) -> ResponseReturnValue:
    """Whom to charge and for what, and what was charged in the hand already."""
    return _page(loaded_game(game_id), PenaltyForm(request.args))


@bp.post("/games/<game_id>/penalty")
def charge(game_id: str) -> ResponseReturnValue:
    """Charge a player for a reason of the game's list, or for one of the table's own."""
    form = PenaltyForm(request.form)
    try:
        after, entry = write_action(game_id, lambda sheet: _charge(sheet, form))
    except Refused as refused:
        return _page(refused.loaded, form, refused)
    what = done(after, entry)
    flash(what.says, "success")
    if what.stays:  # that is what has to be looked at next
        return redirect(url_for("table.show", game_id=game_id), 303)
    return redirect(_back(after.sheet, game_id, form.hand.data), 303)


@bp.post("/games/<game_id>/call")
def call(game_id: str) -> ResponseReturnValue:
    """Note that a player called for the discard and got it; charge the calls that are too many."""
    form = PenaltyForm(request.form)
    try:
        after, entry = write_action(game_id, lambda sheet: _call(sheet, form))
    except Refused as refused:
        return _page(refused.loaded, form, refused)
    if isinstance(entry.event, CallNoted):
        seat, calls = entry.event.player, after.sheet.hands[entry.event.hand - 1].calls
        allowed = after.sheet.hand.rules.calls_allowed
        says = _(
            "%(name)s: call %(count)s of %(allowed)s.",
            name=after.sheet.names[seat],
            count=calls.count(seat),
            allowed=allowed,
        )
    else:
        says = done(after, entry).says
    flash(says, "success")
    return redirect(url_for("hand.show", game_id=game_id), 303)


def _call(sheet: ScoreSheet, form: PenaltyForm) -> CallNoted | PenaltyCharged:
    number, seat = form.hand.data or sheet.hand.number, form.player.data
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
    loaded = loaded_game(game_id)
    charged = [(hand, one) for hand in loaded.sheet.hands for one in hand.penalties]
    found = next((pair for pair in charged if pair[1].entry.number == number), None)
    if found is None:
        raise NotFound("penalty")
    hand, penalty = found
    try:
        write_action(game_id, lambda _: PenaltyWithdrawn(hand.number, number))
    except Refused as refused:
        return _page(refused.loaded, PenaltyForm(hand=hand.number), refused)
    name = loaded.sheet.names[penalty.player]
    rule, cost, text = penalty.charged
    says = _(
        "%(points)s taken back from %(name)s (%(rule)s). Undo charges them again.",
        points=in_points(cost),
        name=name,
        rule=rule,
    )
    if not rule:
        says = _(
            "Taken back: %(charge)s: %(text)s. Undo brings it back.",
            charge=house_words(cost, name),
            text=text,
        )
    if penalty.reason.takes_back and hand.marking is None:
        says += " " + _("The recorded table stays as it is.")
    flash(says, "success")
    return redirect(_back(loaded.sheet, game_id, hand.number), 303)


def _charge(sheet: ScoreSheet, form: PenaltyForm) -> PenaltyCharged | HousePenalty:
    number = form.hand.data if form.hand.entered else sheet.hand.number
    if number is None or not 1 <= number <= len(sheet.hands):
        raise NotPossible("Say in which hand it happened.", "hand")
    seat = form.player.data
    if seat is None or seat not in sheet.players:
        raise NotPossible("Say which player, then tap the reason again.", "player")
    if form.house.data:  # the notebook checks the words and the points
        cost = (form.points.data or 0) * _SIGNS.get(form.house.data, 0)
        return HousePenalty(number, seat, cost, form.text.data)
    # Where nobody can leave the notebook says why: the hand may have ended while this waited.
    leaving = {one.rule for one in sheet.game.charges if one.leaves}
    if form.rule.data not in leaving | {
        one.rule for one in reasons(sheet, sheet.hands[number - 1])
    }:
        raise NotPossible("Say what for: tap one of the reasons.", "rule")
    return PenaltyCharged(number, seat, form.rule.data)


def reasons(sheet: ScoreSheet, hand: HandSheet) -> list[Charge]:
    """What a player can be charged for in a hand, without what the marks work out.

    A player leaves in the hand that is being played, or in a later one.
    """
    is_open = _can_go_on(sheet, hand)
    return [
        charge
        for charge in sheet.game.charges
        if charge.applies(sheet.house)
        and not charge.worked_out
        and hand.number >= charge.first_hand
        and (is_open or not charge.leaves)
    ]


def _can_go_on(sheet: ScoreSheet, hand: HandSheet) -> bool:
    """True if a hand is being played, or has not begun."""
    return hand.number >= sheet.hand.number and not sheet.over


def reason_tile(hand: HandSheet, reason: Charge, *, alone: bool) -> tuple[str, str, str]:
    """Return a reason as a button: its rule, its title, and what it costs.

    One that stands ``alone`` has room for its sentence too.
    """
    cost = in_points(hand.rules.charge_points(reason.rule))
    if reason.takes_back:
        cost = _("%(points)s, turn taken back", points=cost)
    says = f". {_(reason.says)}" if alone else ""
    return reason.rule, _(reason.title), f"{reason.rule} · {cost}{says}"


def _back(sheet: ScoreSheet, game_id: str, number: int | None) -> str:
    number = number or sheet.hand.number
    if number == sheet.hand.number and not sheet.over:
        return url_for("hand.show", game_id=game_id)
    return url_for("sheet.hand", game_id=game_id, number=number)


@dataclass(frozen=True, slots=True)
class ChargedLine:
    """A penalty that was charged, in words; ``taken_back`` says when, if it was."""

    number: int
    charged: Markup
    says: str
    taken_back: str
    takes_back: str


@dataclass(frozen=True, slots=True)
class PenaltyPage:
    """The words of the page on which a player is charged.

    ``reasons`` and ``leaving`` are buttons; ``last_turn`` is who has the last turn on the recorded
    table, and its plays; ``hands`` are those to choose from.
    """

    hand: HandSheet
    form: PenaltyForm
    title: str
    of_hand: str
    is_open: bool
    player: str
    players: Sequence[tuple[str, str]]
    reasons: Sequence[tuple[str, str, str]]
    leaving: Sequence[tuple[str, str, str]]
    only_leaving: bool
    house_title: str
    is_house_open: bool
    house_buttons: Sequence[tuple[str, str]]
    worked_out: str
    last_turn: tuple[str, str]
    hands: Sequence[tuple[str, str]]
    charged: Sequence[ChargedLine]


def _penalty_page(
    sheet: ScoreSheet, hand: HandSheet, form: PenaltyForm, by: Mapping[str, str]
) -> PenaltyPage:
    game, here, is_open = sheet.game, reasons(sheet, hand), _can_go_on(sheet, hand)
    leaving = [one for one in here if one.leaves]
    only_leaving = bool(leaving and form.leaves.raw_data)
    # First what needs no ruling: nothing is taken back for it.
    tiles = sorted((one for one in here if not one.leaves), key=lambda one: one.takes_back)
    tiles = [] if only_leaving else tiles
    title = _("Penalty") if here else _("House penalty or bonus")
    add, off = noted("Add the points (penalty)"), noted("Take them off (bonus)")
    if game.highest_wins:
        add, off = noted("Add the points (bonus)"), noted("Take them off (penalty)")
    # In a marked hand also those who left the game since.
    seats = sheet.playing if is_open else sheet.players
    worked_out = [one for one in game.charges if one.worked_out and one.applies(sheet.house)]
    # From the page of an upcoming hand nobody goes back to others.
    hands = sheet.hands if hand.number <= len(sheet.hands) > 1 else ()
    of_hand = noted("%(hand_word)s %(number)s") if is_open else noted("in %(hand_word)s %(number)s")
    return PenaltyPage(
        hand,
        form,
        title=_("Somebody leaves the game") if only_leaving else title,
        of_hand=_(of_hand, hand_word=game.hand_word, number=hand.number),
        is_open=is_open,
        player="" if form.player.data is None else str(form.player.data),
        players=[(str(seat), sheet.names[seat]) for seat in seats],
        reasons=[reason_tile(hand, one, alone=len(tiles) == 1) for one in tiles],
        leaving=[reason_tile(hand, one, alone=len(leaving) == 1) for one in leaving],
        only_leaving=only_leaving,
        house_title=_("House penalty or bonus") if here else _("For a reason of the table's own"),
        is_house_open=bool(not tiles or form.text.data or form.points.entered),
        house_buttons=[("add", _(add)), ("off", _(off))],
        worked_out=listed(f"{_(one.title)} ({one.rule})" for one in worked_out),
        last_turn=_last_turn(sheet, hand),
        hands=[(str(one.number), hand_name(game, one.number)) for one in reversed(hands)],
        charged=[_line(one, sheet.names[one.player], by) for one in reversed(hand.penalties)],
    )


def _last_turn(sheet: ScoreSheet, hand: HandSheet) -> tuple[str, str]:
    """Who has the last turn on the recorded table, and its plays in words; empty if nobody has."""
    board = hand.board
    if board.turn_of is None or hand.marking is not None:
        return "", ""
    return sheet.names[board.turn_of], "; ".join(describe(play) for play in board.turn)


def _line(one: Penalty, name: str, by: Mapping[str, str]) -> ChargedLine:
    cost, who = one.charged.points, by.get(one.entry.by, _("another marker"))
    to = noted("%(points)s to <bdi>%(name)s</bdi>")
    off = noted("%(points)s off for <bdi>%(name)s</bdi>")
    return ChargedLine(
        one.entry.number,
        marked(to if cost > 0 else off, points=in_points(abs(cost)), name=name),
        f"{_(one.reason.title)} ({one.charged.rule or 'house'}), {who}, {clock(one.entry.at)}",
        clock(one.withdrawn.at) if one.withdrawn else "",
        _("%(points)s from %(name)s", points=in_points(cost), name=name),
    )


def _page(
    loaded: LoadedGame, form: PenaltyForm, refused: Refused | None = None
) -> ResponseReturnValue:
    sheet, number = loaded.sheet, form.hand.data or 0
    ahead = upcoming_hand(sheet, number)
    hand = ahead or (sheet.hands[number - 1] if 1 <= number <= len(sheet.hands) else sheet.hand)
    page = _penalty_page(sheet, hand, form, who_wrote(database(), loaded))
    context = {"page": page} | of_upcoming(sheet, ahead.number if ahead else None)
    return form_page("penalties/form.html", loaded, "Hand", refused, **context)


# -- what becomes of the recorded table -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What becomes of a turn on the recorded table, each play in words.

    ``off`` goes off it. ``stays`` lies there still, because the record has gone on with ``since``
    (``Ben's turn``). ``rest`` comes to it, if only one play of the turn is taken back.
    """

    off: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    since: str = ""
    rest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """What was done, in sentences; whether the recorded table has cards that should be off it."""

    says: str
    stays: bool = False


def is_open(sheet: ScoreSheet, hand: HandSheet) -> bool:
    """True if the hand is being played, so that more can be asked about it."""
    return hand.number == sheet.hand.number and not sheet.over


def by_ruling(sheet: ScoreSheet, hand: HandSheet, line: RulingLine) -> TakenBack:
    """What carrying a ruling out does to the recorded table, as it is on this sheet."""
    given, board = line.given, hand.board
    if not is_open(sheet, hand):
        return TakenBack()
    if line.ruling.consequence.take_back is not TakeBack.TURN:
        return TakenBack(rest=_in_words(rest_of_turn(sheet, line)))
    plays = _in_words(board.plays_in(line.turn, given.player))
    if (board.number, board.turn_of) == (line.turn, given.player):
        return TakenBack(off=plays)
    return TakenBack(stays=plays, since=_since(sheet, board, given.player))


def by_penalty(sheet: ScoreSheet, hand: HandSheet, player: int, rule: str) -> TakenBack:
    """What charging a player does to the recorded table, as it is on this sheet."""
    board = hand.board
    if not (is_open(sheet, hand) and sheet.game.charge(rule).takes_back):
        return TakenBack()
    plays = _in_words(board.plays_in(board.last_turn(player), player))
    if board.turn_of == player:
        return TakenBack(off=plays)
    # Only the next player's turn tells that the charge comes late: after others, it may be for a
    # turn that is not on record.
    is_late = board.turn_of == sheet.next_player(player)
    return TakenBack(stays=plays, since=_since(sheet, board, player)) if is_late else TakenBack()


def _in_words(plays: Sequence[Play]) -> tuple[str, ...]:
    return tuple(describe(play) for play in plays)


def _since(sheet: ScoreSheet, board: Board, player: int) -> str:
    if board.turn_of in {None, player}:
        return _("a later turn")
    return _("%(name)s's turn", name=sheet.names[board.turn_of or 0])


def done(loaded: LoadedGame, entry: Entry) -> Done:
    """What an entry that carried a ruling out or charged a penalty did."""
    before = replay(loaded.entries[: entry.number - 1])
    if isinstance(entry.event, RulingEnforced):
        return _enforced(before, entry.event)
    if isinstance(entry.event, HousePenalty):
        house = entry.event
        said = house_words(house.points, before.names[house.player])
        return Done(
            _(
                "%(said)s: %(text)s. It is the table's own, and no rule's.",
                said=said,
                text=house.text,
            )
        )
    assert isinstance(entry.event, PenaltyCharged)  # noqa: S101 (no other action is told so)
    return _charged(before, entry.event)


def _enforced(before: ScoreSheet, event: RulingEnforced) -> Done:
    hand = before.hands[event.hand - 1]
    line = next(line for line in hand.rulings if line.entry.number == event.ruling)
    consequence, player = line.ruling.consequence, line.given.player
    name = before.names[player]
    said = []
    if consequence.points:
        said.append(
            _(
                "%(points)s to %(name)s (%(charge)s).",
                points=in_points(consequence.points),
                name=name,
                charge=line.charge,
            )
        )
    back = by_ruling(before, hand, line)
    if back.stays:
        said.append(_stays(back, name))
    elif line.question.ask == CALL:
        said.append(_("If %(name)s bends the table, nothing is doubled.", name=name))
    elif line.question.ask in hand.rules.asks_off_table:
        said.append(_("%(name)s plays on with the same cards.", name=name))
    elif not is_open(before, hand):
        said.append(
            _("Hand %(number)s is over, and its recorded table stays as it is.", number=hand.number)
        )
    else:
        taken = noted("%(name)s's play is taken back.")
        if consequence.take_back is TakeBack.TURN:
            taken = noted("%(name)s's turn is taken back.")
        if line.question.ask == "contract":
            taken = noted("%(name)s's first melds are taken back.")
        said.append(_(taken, name=name))
        if consequence.turn_passes:
            said.append(_("%(next)s plays next.", next=_next(before, player)))
        said += _moved(back)
    return Done(" ".join(said), bool(back.stays))


def _charged(before: ScoreSheet, event: PenaltyCharged) -> Done:
    hand, name = before.hands[event.hand - 1], before.names[event.player]
    reason = before.game.charge(event.rule)
    cost = in_points(hand.rules.charge_points(event.rule))
    said = [
        _(
            "%(cost)s to %(name)s: %(title)s (%(rule)s).",
            cost=cost,
            name=name,
            title=_(reason.title),
            rule=event.rule,
        )
    ]
    if reason.leaves:
        said = [
            _(
                "%(name)s left the game and pays %(cost)s (%(rule)s).",
                name=name,
                cost=cost,
                rule=event.rule,
            )
        ]
    if event.rule == hand.rules.calls_rule:
        said.append(_("If %(name)s bends the table, nothing is doubled.", name=name))
    back = by_penalty(before, hand, event.player, event.rule)
    if back.stays:
        said.append(_stays(back, name))
    elif reason.takes_back and is_open(before, hand):
        said.append(
            _(
                "The whole turn is taken back; %(next)s plays next.",
                next=_next(before, event.player),
            )
        )
        said += _moved(back)
    return Done(" ".join(said), bool(back.stays))


def _stays(back: TakenBack, name: str) -> str:
    return _(
        "The recorded table has %(since)s already, so %(name)s's cards stay on it: %(cards)s. "
        "Undo takes %(since)s off first, should you want them off.",
        since=back.since,
        name=name,
        cards="; ".join(back.stays),
    )


def _moved(back: TakenBack) -> list[str]:
    said = []
    if back.off:
        said.append(_("Off the recorded table: %(cards)s.", cards="; ".join(back.off)))
    if back.rest:
        said.append(_("On the recorded table: %(cards)s.", cards="; ".join(back.rest)))
    return said


def _next(sheet: ScoreSheet, player: int) -> str:
    return sheet.names[sheet.next_player(player)]
