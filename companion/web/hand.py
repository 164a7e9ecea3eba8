"""The hand being played: its page and its recorded table, undo and redo, the card turned up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from flask import Blueprint, abort, flash, redirect, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.notebook import events
from companion.notebook.board import play_on_record, why_not_on_table
from companion.notebook.describe import say, signed
from companion.notebook.events import NotPossible, PlayRecorded, Undone
from companion.notebook.hand_marks import afterwards
from companion.notebook.hand_sheet import HandSheet, in_cards
from companion.notebook.scoresheet import ScoreSheet, Standing
from companion.rules.errors import Ambiguous
from companion.rules.hand_rules import Need
from companion.rules.language import gettext as _, ngettext, noted
from companion.rules.table import Discard, MeldPlay, Table, TakePile, parse_play
from companion.services import game_log
from companion.services.game_log import LoadedGame
from companion.services.phones import handle_of
from companion.services.rulings import OpenWildCard, calls_on_record
from companion.web.actions import (
    Refused,
    check_hand,
    hand_sent,
    is_past,
    loaded_game,
    needs_table,
    upcoming_hand,
    with_hand_of,
    write_action,
)
from companion.web.auth import known_marker
from companion.web.endings import ending_of, leading_word
from companion.web.fields import Form, LineField, WordField
from companion.web.pages import (
    Page,
    cached_page,
    form_page,
    game_page,
    go_on,
    in_words,
    settings,
    tell_turned,
    upcoming_context,
)
from companion.web.rulings.ask import drop_non_cards, read_wild_card, reading_page
from companion.web.rulings.form import RulingForm
from companion.web.rulings.question import TURNED_RANKS, QuestionPage, values_of_plays
from companion.web.templating import marked

bp = Blueprint("hand", __name__)
bp.add_app_template_global(lambda: TURNED_RANKS, "ranks_turned")
table = Blueprint("table", __name__)
table.before_request(needs_table)


@bp.get("/games/<game_id>")
def show(game_id: str) -> ResponseReturnValue:
    """Show the open hand, or an upcoming one: its wild rank, who deals and plays first, totals."""
    loaded = loaded_game(game_id)
    sheet = loaded.sheet
    hand = upcoming_hand(sheet)
    if hand is not None:
        context = upcoming_context(sheet, hand.number) | {"page": HandPage(sheet, hand)}
        return game_page("hand/upcoming.html", loaded, "Hand", keep_awake=True, **context)
    phone = known_marker() if sheet.number == 1 else None  # asked only right after the start
    if phone is not None and phone.game_id is None and not phone.nickname:
        return _open_hand(loaded, handle_of(phone.id))
    return cached_page(loaded, lambda: _open_hand(loaded))


def _open_hand(loaded: LoadedGame, phone: str = "") -> Page:
    """Return the page of the open hand. With a handle as ``phone``, it asks whose phone that is."""
    sheet = loaded.sheet
    charged = [penalty for penalty in sheet.hand.penalties if penalty.withdrawn is None]
    return game_page(
        "hand/show.html",
        loaded,
        "Hand",
        page=HandPage(sheet, sheet.hand),
        totals=_totals(sheet),
        charged=charged,
        only_left=all(penalty.reason.leaves for penalty in charged),
        phone=phone,
        keep_awake=not sheet.over,
    )


def _totals(sheet: ScoreSheet) -> list[tuple[Standing, str, str, str]]:
    """Return everyone's standing with three texts beside it, by seats or the leader first.

    The texts say that the player leads; what this hand adds so far; and what the last hand added,
    with how far the player is behind the leader.
    """
    standings = sheet.standings()
    first, word = standings[0].total, leading_word(sheet)
    if not (sheet.over or settings()["order"] == "standing"):
        standings.sort(key=lambda line: line.player)
    lines = []
    for standing in standings:
        points = 0 if sheet.over else sheet.hand.mark(standing.player).points
        changes = []
        if sheet.marked:
            last = signed(sheet.marked[-1].mark(standing.player).points)
            changes.append(_("%(points)s last", points=last))
        if sheet.marked and sheet.game.won_by.totals and standing.total != first:
            changes.append(_("%(points)s behind", points=abs(standing.total - first)))
        leads = word if sheet.is_counted and standing.place == 1 else ""
        lines.append((standing, leads, signed(points) if points else "", " · ".join(changes)))
    return lines


@dataclass(frozen=True)
class HandPage:
    """What the page of the open hand, or of an upcoming one, says."""

    sheet: ScoreSheet
    hand: HandSheet

    @property
    def wild_card(self) -> tuple[str, str, str] | None:
        """The wild rank, or the card turned up: in words, as a sign, and what it is called."""
        game, turned = self.sheet.game, self.hand.turned
        rank, word = game.wild_rank(self.hand.number), game.wild_word
        if rank and not self.hand.rules.needs():
            says = _("The %(wild_word)s: %(rank)s", wild_word=word, rank=rank.word)
            return says, rank.shown, _(word)
        if turned is None:
            return None
        says = _("Turned up: %(word)s", word=turned.word)
        return says, turned.shown if turned else "★", _("turned up")

    @property
    def turns(self) -> list[tuple[str, str]]:
        """Who deals and who plays first, if cards are dealt."""
        names, places = self.sheet.names, self.sheet.places(self.hand)
        turns = [(_("Deals"), names[places.dealer]), (_("Plays first"), names[places.first])]
        shown = 2 if ending_of(self.sheet).in_turns else 1
        return turns[:shown] if self.hand.is_dealt else []

    @property
    def before(self) -> Sequence[Need]:
        """What players have to know after the last hand, before this one is first dealt."""
        hands, is_open = self.sheet.hands, self.hand is self.sheet.hand
        follows = len(hands) > 1 and is_open and not self.hand.thrown_in
        last = hands[-2] if follows else None
        if last and last.marking and last.out in self.sheet.left_in:  # they take no new cards
            return ending_of(self.sheet).goes_on(self.sheet, last.marking.event)
        return afterwards(self.sheet, last) if last else ()

    @property
    def cards_dealt(self) -> str:
        """How many cards everyone is dealt; empty where they keep what they have."""
        hand = self.hand
        if not hand.is_dealt or (hand.rules.refill and not hand.thrown_in):
            return ""
        return ngettext("%(number)s card each.", "%(number)s cards each.", hand.rules.dealt)

    @cached_property
    def next_hand(self) -> str:
        """What the next hand has that this one has not: ``4 cards; jokers, 2s and 4s wild``."""
        sheet, game, number = self.sheet, self.sheet.game, self.hand.number + 1
        if sheet.over or number > game.hands:
            return ""
        rules, before = sheet.open_hand(number).rules, self.hand.rules
        known = before.needs()
        needs = [_in_short(need) for need in rules.needs() if need not in known]
        rank = game.wild_rank(number)
        parts = [in_cards(rules.dealt)] if rules.dealt != before.dealt else []
        parts += needs or ([_("%(word)ss wild", word=rank.word)] if rank else [])
        return "; ".join(parts)

    @cached_property
    def deal(self) -> Markup | None:
        """Who shuffles, cuts if the rules say so, and gets the first card; or how hands fill up."""
        sheet, hand, places = self.sheet, self.hand, self.sheet.places(self.hand)
        if not hand.is_dealt:
            return None
        if hand.rules.refill and not hand.thrown_in:
            nobody = _("Nobody is dealt eight new cards now.")
            return Markup("{} {}").format(nobody, hand.rules.refill)
        dealer, cutter, first = (
            sheet.names[seat] for seat in (places.dealer, places.cutter, places.first)
        )
        shuffles = noted("<bdi>%(dealer)s</bdi> shuffles and deals.")
        if sheet.game.cuts:
            shuffles = noted("<bdi>%(dealer)s</bdi> shuffles and <bdi>%(cutter)s</bdi> cuts.")
        shuffled = marked(shuffles, dealer=dealer, cutter=cutter)
        dealt = marked(_DEAL[sheet.game.deal_passes], cards=hand.rules.dealt, first=first)
        up = _("No card is turned up; the rest is the stock.")
        if sheet.game.turns_up:
            up = _("One card is turned up and begins the pile; the rest is the stock.")
        before = ending_of(sheet).before_deal
        return Markup(" ").join([shuffled, dealt, up, *([_(before)] if before else [])])

    def calls(self, seat: int) -> str:
        """Return a player's calls for the discard since the deal: ``3``, ``3 + 1 charged``."""
        made, free = calls_on_record(self.hand, seat), self.hand.rules.calls_allowed
        if made <= free:
            return str(made)
        return _("%(calls)s + %(more)s charged", calls=free, more=made - free)


def _in_short(need: Need) -> str:
    """Return a need of the next hand without a colon: ``contract 2 trios``, ``2s wild``."""
    what = need.what.lower()
    return f"{what} {need.says}" if need.what == _("Contract") else f"{need.says} {what}"


# Which way the cards go, by where the deal passes.
_DEAL: Final = {
    "left": noted(
        "%(cards)s cards each, one at a time, clockwise, beginning with <bdi>%(first)s</bdi>."
    ),
    "right": noted(
        "%(cards)s cards each, one at a time, anticlockwise, beginning with <bdi>%(first)s</bdi>."
    ),
}


@bp.post("/games/<game_id>/undo", endpoint="undo")
@bp.post("/games/<game_id>/redo", endpoint="redo")
def undo_or_redo(game_id: str) -> ResponseReturnValue:
    """Take the last action back, or bring back the one that was undone last."""
    make = game_log.undo if request.endpoint == "hand.undo" else game_log.redo
    after, entry = write_action(game_id, make)
    return go_on(f"{in_words(entry.event, after)}.", url_for("hand.show", game_id=game_id))


@bp.app_errorhandler(Refused)
def not_done(refused: Refused) -> ResponseReturnValue:
    """Show why an action was refused, if its form has no page of its own."""
    return form_page("changed.html", refused.loaded, "Hand", refused)


# -- the card that is turned before the deal, in games where it says what is wild ------------------


class TurnedForm(Form):
    """The rank of the card that was turned, and whether a ruling waits for it."""

    rank = LineField()
    after = WordField(("ruling",))


@bp.get("/games/<game_id>/turned")
def turned_form(game_id: str, refused: Refused | None = None) -> ResponseReturnValue:
    """Ask which card was turned before the deal."""
    loaded = refused.loaded if refused else _game_with_turned_card(game_id)
    if loaded.sheet.over and not refused:
        says = _("The game is over. Correct its last hand to say that another card was turned.")
        return go_on(says, url_for("hand.show", game_id=game_id), "message")
    upcoming, what = upcoming_hand(loaded.sheet), _("The card turned up")
    number = (upcoming or loaded.sheet.hand).number
    context = {"number": number, "upcoming": upcoming and number}
    return form_page("hand/turned.html", loaded, "Hand", refused, what, **context)


@bp.post("/games/<game_id>/turned")
def save_turned(game_id: str) -> ResponseReturnValue:
    """Save which card was turned."""
    form, number = TurnedForm(request.form), hand_sent(_game_with_turned_card(game_id).sheet)
    try:
        after = write_action(game_id, events.CardTurned(number, form.rank.data))[0]
    except Refused as refused:
        return turned_form(game_id, refused)
    tell_turned(after.sheet.hand)
    page = "rulings.form" if form.after.data else "hand.show"
    return redirect(url_for(page, game_id=game_id), 303)


def _game_with_turned_card(game_id: str) -> LoadedGame:
    """Return the game. Answers 404 if no card is turned in it before the deal."""
    loaded = loaded_game(game_id)
    if not ending_of(loaded.sheet).turns_card:
        abort(404)
    return loaded


# -- the recorded table: what lies there, and plays that nobody disputes ---------------------------

_A_PLAY_WAITS: Final = noted("Until then what you record here stays on this phone.")


@table.get("/games/<game_id>/table", endpoint="show")
def show_table(
    game_id: str, refused: Refused | None = None, sent: RulingForm | None = None
) -> ResponseReturnValue:
    """Show the recorded melds and pile, and what can be added to them."""
    loaded = refused.loaded if refused else loaded_game(game_id)
    form = sent or RulingForm(request.args)
    if sent is None and is_past(loaded.sheet, form.hand.data):
        form = RulingForm(None)
    loaded = with_hand_of(loaded, form.hand)
    ask_url = _ask_url(loaded, form) if refused and refused.status == 422 else ""
    form.top.data = ""
    drop_non_cards(form)
    page = QuestionPage(loaded, form, refused, beside=("", "player", "top"))
    what = _("A play on the table")
    context = {"page": page, "ask_url": ask_url}
    context |= upcoming_context(loaded.sheet, form.hand.data, _A_PLAY_WAITS)
    return form_page("hand/table.html", loaded, "Rulings", refused, what, **context)


@table.post("/games/<game_id>/table")
def record(game_id: str) -> ResponseReturnValue:
    """Put a play or the top of the pile on record."""
    form = RulingForm(request.form)
    hand_sent(loaded_game(game_id).sheet)
    try:
        after, entry = write_action(game_id, lambda sheet: _record_event(sheet, form))
    except OpenWildCard as problem:
        return reading_page(loaded_game(game_id), form, problem, "table.record")
    except Refused as refused:
        return show_table(game_id, refused, form)
    flash(_("Recorded. %(play)s.", play=say(entry.event, after.sheet)), "success")
    return redirect(url_for("table.show", game_id=game_id), 303)


@table.post("/games/<game_id>/table/dispute")
def dispute(game_id: str) -> ResponseReturnValue:
    """Undo the play that was recorded last, and open the form that asks for a ruling on it."""
    loaded, entry = write_action(game_id, _undo_play)
    assert isinstance(entry.event, Undone)  # noqa: S101 (`_undo_play` makes nothing else)
    taken = loaded.entries[entry.event.act - 1].event
    assert isinstance(taken, PlayRecorded)  # noqa: S101 (and undoes nothing else)
    play = parse_play(taken.play)
    ask = "turn" if isinstance(play, TakePile) else play.kind
    values = values_of_plays(ask, taken.player, [play])
    return redirect(RulingForm(data=values).address(game_id), 303)


def _undo_play(sheet: ScoreSheet) -> events.Event:
    last = sheet.can_undo.event if sheet.can_undo else None
    if not isinstance(last, PlayRecorded):
        raise NotPossible("That play is no longer the last one recorded.")
    return game_log.undo(sheet)


def _record_event(sheet: ScoreSheet, form: RulingForm) -> events.Event:
    check_hand(sheet, form.hand.data)
    hand, top = sheet.hand, form.top.data
    if top:
        return events.PileSeen(hand.number, "" if top == "none" else top)
    recorded = hand.board.table.meld_texts
    read_wild_card(form, sheet)
    play = play_on_record(form.add.play(form.cards.data), form.lying.data, recorded)
    # A meld may be recorded without its player; any other play needs one.
    player = form.player.data
    is_nobodys = player is None and isinstance(play, MeldPlay)
    if player not in sheet.players and not is_nobodys:
        raise NotPossible("Say whose play it was.", "player")
    if not isinstance(play, Discard | TakePile):
        table = Table(hand.board.table.melds)  # whatever the pile is: somebody may have taken it
        problem = why_not_on_table(table, play, hand.rules, grown=is_nobodys)
        if problem:
            raise NotPossible(problem, "cards")
    try:
        if player is not None:
            hand.board.put(player, play, hand.rules)
        elif isinstance(play, MeldPlay):
            hand.board.put_unowned_meld(play, hand.rules)
    except Ambiguous as open_card:
        raise OpenWildCard.of(open_card) from None
    return PlayRecorded(hand.number, player, play.text)


def _ask_url(loaded: LoadedGame, form: RulingForm) -> str:
    """Return the address that asks for a ruling on a refused play; empty if none was entered."""
    if not form.add.data or not form.cards.data:
        return ""
    values = form.data | {"ask": form.add.word, "onto": form.add.onto, "top": ""}
    question = RulingForm(data=values)
    question.find_melds(loaded.sheet, lenient=True)
    return question.address(loaded.record.id)
