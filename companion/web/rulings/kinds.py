"""What can be asked and what was: the kinds of question, the list of rulings, and “May I?”."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup
from wtforms import SelectMultipleField

from companion.notebook.describe import asked_in_words, in_points, say
from companion.notebook.events import Entry, Event, PlayRecorded, UpcardGiven
from companion.notebook.hand_sheet import RulingLine, UpcardLine
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.language import gettext as _
from companion.rules.language import listed
from companion.rules.question import CALL, DECLARE, DRAW, MAY_I
from companion.services import NotFound
from companion.services.game_log import LoadedGame, who_wrote
from companion.services.rulings import last_taker, next_to_play, rule_on_upcard, why_upcard
from companion.web.actions import (
    Refused,
    check_hand,
    hand_sent,
    is_past,
    loaded_game,
    with_hand_of,
    write_action,
)
from companion.web.auth import database
from companion.web.endings import ending_of
from companion.web.fields import Form, SmallNumberField, small_number
from companion.web.pages import form_page, game_page, of_upcoming, past_hand_page
from companion.web.rulings import verdict
from companion.web.rulings.form import RulingForm, fields_of
from companion.web.rulings.question import THE_QUESTION_WAITS, kept
from companion.web.templating import marked


class Kind(NamedTuple):
    """A kind of play that can be asked about: what the page sends, its name, and a note under it.

    ``address`` is where it is asked, if that is another page than the others'.
    """

    ask: str
    name: str
    note: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class KindsPage:
    """The plays that can be asked about, and the play recorded last.

    ``fields`` are what the address says already, and ``others`` addresses of other pages with their
    names. ``claim`` says when claims are made at this table, by the rule ``claim_rule``.
    ``asks_turned`` and ``lacks_turned`` say that nobody has said which card was turned up: it is
    asked for here, or in an upcoming hand on another page.
    """

    kinds: Sequence[Kind]
    fields: Sequence[tuple[str, str]]
    dispute: str
    claim: str
    claim_rule: str
    asks_turned: bool
    lacks_turned: bool
    others: Sequence[tuple[str, str]]


def kinds_page(loaded: LoadedGame, form: RulingForm) -> KindsPage:
    """Return what can be in dispute in the hand of the form, in the game's words."""
    is_begun = form.hand.data is None  # in a hand to come there is nothing to call or draw
    sheet, rules = loaded.sheet, loaded.sheet.hand.rules
    has_contract = isinstance(rules, ContractJudge)
    declared = _(rules.declare_call) if isinstance(rules, DeclaringJudge) else ""
    kinds = [
        Kind("contract", _("First melds")),
        Kind("discard", _("Discard")),
        Kind("meld", _("Further meld") if has_contract else _("Meld")),
        Kind("lay_off", _("Lay-off")),
        Kind("swap", _("Swap")),
        *([Kind(CALL, _("Call")), Kind(DRAW, _("Draw from the pile"))] if is_begun else []),
        Kind(MAY_I, _("May I?"), address=url_for("upcards.form", game_id=loaded.record.id)),
        Kind(DECLARE, declared, _("all cards, declared at once")),
        Kind("turn", _("A whole turn"), _("several plays, one after the other")),
    ]
    game_id, others = loaded.record.id, []
    if sheet.game.lays_on_table:
        table = url_for("table.show", game_id=game_id, hand=form.hand.data)
        others = [(table, _("The recorded table"))]
    if sheet.number:
        others.append((url_for("rulings.index", game_id=game_id), _("Earlier rulings")))
    before = [("follows", loaded.game_before)] if loaded.game_before else []
    lacks_turned = ending_of(sheet).lacks_turned(sheet.hand)
    claim, claim_rule = "", ""
    chosen = dict(sheet.house.values).get("claim_until")
    if chosen is not None:
        rule = sheet.game.house_rule("claim_until")
        claim, claim_rule = rule.says(chosen), rule.rule
    return KindsPage(
        [one for one in kinds if one.ask in rules.disputes],
        [*before, *fields_of(form.data, "ask", "player", "lying")],
        play_in_dispute(sheet),
        claim[:1].lower() + claim[1:],
        claim_rule,
        asks_turned=lacks_turned and is_begun,
        lacks_turned=lacks_turned and not is_begun,
        others=others,
    )


def play_in_dispute(sheet: ScoreSheet) -> str:
    """Return the play that was written down last, in words; empty if something else was."""
    last = sheet.can_undo.event if sheet.can_undo else None
    return say(last, sheet) if isinstance(last, PlayRecorded) else ""


# -- the list of rulings ---------------------------------------------------------------------------


class ListedRuling(NamedTuple):
    """A ruling in the list: its address, the verdict with the rules broken, and what it is about.

    ``follows`` says what became of it.
    """

    address: str
    verdict: str
    rules: str
    about: str
    follows: str = ""


def _listed(line: RulingLine | UpcardLine, loaded: LoadedGame) -> ListedRuling:
    sheet, game_id, given = loaded.sheet, loaded.record.id, line.given
    name = sheet.names[given.player]
    if isinstance(line, UpcardLine):
        address = url_for("upcards.show", game_id=game_id, number=line.entry.number)
        gets = line.given.gets
        who = _("Nobody") if gets is None else Markup("<bdi>{}</bdi>").format(sheet.names[gets])
        about = marked("“May I?” in the turn of <bdi>%(name)s</bdi>", name=name)
        return ListedRuling(address, marked("%(who)s gets the card", who=who), "", about)
    ruling = line.ruling
    follows = "" if ruling.legal else _("not carried out")
    if line.enforced:
        cost = ruling.consequence.points
        follows = _("%(points)s, carried out", points=in_points(cost)) if cost else _("carried out")
    return ListedRuling(
        url_for("rulings.show", game_id=game_id, number=line.entry.number),
        _("Legal") if ruling.legal else _("Illegal"),
        listed(ruling.broken, "standard-narrow"),
        Markup("<bdi>{}</bdi>: {}").format(name, asked_in_words(line.question, sheet)),
        follows,
    )


@verdict.bp.get("/games/<game_id>/rulings")
def index(game_id: str) -> ResponseReturnValue:
    """List every ruling of the game, those of the open hand first."""
    loaded = loaded_game(game_id)
    sheet = loaded.sheet
    hands = [
        (hand.number, sheet.is_open(hand), [_listed(line, loaded) for line in lines[::-1]])
        for hand in reversed(sheet.hands)
        if (lines := hand.all_rulings)
    ]
    return game_page("rulings/index.html", loaded, "Rulings", hands=hands)


# -- “May I?” --------------------------------------------------------------------------------------

bp = Blueprint("upcards", __name__)
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
        _, entry = write_action(game_id, make)
    except Refused as refused:
        if is_past(refused.loaded.sheet, number):
            return past_hand_page(refused, number, "“May I?”", "Rulings")
        return _page(refused.loaded, form, refused)
    return redirect(url_for("upcards.show", game_id=game_id, number=entry.number), 303)


@dataclass(frozen=True, slots=True)
class MayIPage:
    """The players who can have asked or taken the card before, and what is chosen so far.

    ``kept`` are the form's attributes for a phone without a network.
    """

    seats: Sequence[tuple[str, str]]
    asked: Sequence[str]
    player: str
    takers: Sequence[tuple[str, str]]
    last_taker: str
    kept: Mapping[str, str]
    rule: str


def _page(
    loaded: LoadedGame, form: MayIForm, refused: Refused | None = None
) -> ResponseReturnValue:
    loaded = with_hand_of(loaded, form.hand)
    sheet, before, upcoming = loaded.sheet, form.last_taker.data, form.hand.data
    seats = [(str(seat), sheet.names[seat]) for seat in sheet.players]
    page = MayIPage(
        seats=seats,
        asked=[str(seat) for seat in form.asked.data or ()],
        player=str(form.player.data),
        takers=[(NOBODY, _("Nobody")), *seats],
        last_taker=NOBODY if before is None else str(before),
        kept=kept("“May I?”", loaded.record.id, upcoming=upcoming),
        rule=sheet.hand.rules.rule_for(MAY_I),
    )
    context = {"page": page} | of_upcoming(sheet, upcoming, THE_QUESTION_WAITS)
    return form_page("rulings/may_i.html", loaded, "Rulings", refused, **context)


@dataclass(frozen=True, slots=True)
class UpcardPage:
    """Who gets a card that was asked for.

    ``before`` is who took the card before, if anybody did. ``stands`` is false once the ruling was
    undone; ``again`` is on the link to ask again, if one can.
    """

    entry: Entry
    given: UpcardGiven
    gets: str
    why: str
    rule: str
    player: str
    asked: Sequence[str]
    before: str
    by: str
    stands: bool
    again: str


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
    again = _("The next card is asked for") if stands and given.gets is not None else _("Ask again")
    page = UpcardPage(
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
    return game_page("rulings/may_i_ruled.html", loaded, "Rulings", page=page)
