"""What only contract games have: the check of a contract, and who gets a card asked for (CON-9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import SelectMultipleField

from companion.notebook.describe import why_upcard
from companion.notebook.events import Event, UpcardGiven
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.arrange import can_make, nearest
from companion.rules.cards import Card, parse_cards
from companion.rules.contracts import ContractJudge
from companion.rules.errors import Malformed
from companion.rules.language import gettext as _, noted
from companion.rules.melds import Meld
from companion.rules.question import MAY_I
from companion.services import NotFound
from companion.services.game_log import LoadedGame, who_wrote
from companion.services.rulings import last_taker, next_to_play, rule_on_upcard
from companion.web.actions import (
    Errors,
    Refused,
    check_hand,
    hand_sent,
    loaded_game,
    with_hand_of,
    write_action,
)
from companion.web.auth import database
from companion.web.fields import CardsField, Form, LineField, SmallNumberField, small_number
from companion.web.pages import form_page, game_page, of_upcoming
from companion.web.rulings.plays import kept
from companion.web.rulings.question import A_QUESTION_WAITS

bp = Blueprint("contracts", __name__)


# -- whether a handful of cards can make the contract: nothing is written down --------------------


class ContractForm(Form):
    """The cards that are held; ``ask`` says that the button was pressed."""

    cards = CardsField()
    ask = LineField()


@bp.get("/games/<game_id>/contract")
def check(game_id: str) -> ResponseReturnValue:
    """The cards of the game, and what can be made of those that are tapped."""
    loaded, form = loaded_game(game_id), ContractForm(request.args)
    rules = loaded.sheet.hand.rules
    if not isinstance(rules, ContractJudge):
        abort(404)
    cards: Sequence[Card] = ()
    made, errors = None, Errors()
    try:
        cards = parse_cards(form.cards.data)
        made = _made_of(loaded.sheet, cards, rules) if cards else None
        if form.ask.data and not form.cards.raw_data:
            raise Malformed("Tap the cards that are held.")
    except Malformed as problem:
        errors = [("cards", str(problem))]
    page = game_page(
        "contracts/check.html",
        loaded,
        "Hand",
        rules=rules,
        wild_rank="".join(rank.text for rank in rules.limits.wild_ranks),
        cards=[card.text for card in cards],
        made=made,
        errors=errors,
    )
    return page, 422 if errors else 200


class Made(NamedTuple):
    """The melds that cards make; if they are not the contract, ``why``; the cards ``left``."""

    is_contract: bool
    melds: Sequence[Meld]
    why: str
    left: Sequence[Card]


def _made_of(sheet: ScoreSheet, cards: Sequence[Card], rules: ContractJudge) -> Made:
    """Return what can be made of these cards. Raises `Malformed` for cards that cannot be held."""
    # The card that was drawn is held beside those that were dealt.
    most = sheet.game.dealt(sheet.hand.number, sheet.house.sheet) + 1
    if len(cards) > most and not sheet.over:
        says = noted("%(cards)s cards are more than a player can hold: %(most)s at most.")
        raise Malformed(says, cards=len(cards), most=most)
    contract, why = can_make(cards, rules), ""
    melds = contract
    if melds is None:
        melds, lacking = nearest(cards, rules)
        if any(lacking):
            why = _("Missing: %(lacking)s.", lacking=lacking.counted(rules.limits).shown)
        else:  # other cards are left than may be
            why = " ".join(one.says for one in rules.whole_hand_breaches(melds, len(cards)))
    left = Counter(cards) - Counter([one.card for meld in melds for one in meld.cards])
    return Made(contract is not None, melds, why, sorted(left.elements()))


# -- “May I?”: who gets the card that the player at turn does not want ----------------------------


class MayIForm(Form):
    """Whose turn it is, who asks, who took the card before, and in which ``hand`` this is."""

    player = SmallNumberField()
    asked = SelectMultipleField(coerce=small_number, validate_choice=False)
    last_taker = SmallNumberField()
    hand = SmallNumberField()


def _with_may_i(game_id: str) -> LoadedGame:
    """The game. Answers 404 where the table has no rule by which others may ask for the card."""
    loaded = loaded_game(game_id)
    if MAY_I not in loaded.sheet.hand.rules.disputes:
        abort(404)
    return loaded


@bp.get("/games/<game_id>/may-i")
def may_i(
    game_id: str, refused: Refused | None = None, sent: MayIForm | None = None
) -> ResponseReturnValue:
    """Ask who wants the card that lies on the pile."""
    loaded = refused.loaded if refused else _with_may_i(game_id)
    form = sent or MayIForm(request.args)
    loaded = with_hand_of(loaded, form.hand)
    sheet, upcoming, what = loaded.sheet, form.hand.data, _("“May I?”")
    if sent is None:
        if form.player.data not in sheet.players:
            form.player.data = next_to_play(sheet)
        form.asked.data, form.last_taker.data = [], last_taker(sheet.hand, sheet)
    context = {
        "form": form,
        "seats": [(str(seat), sheet.names[seat]) for seat in sheet.players],
        "kept": kept(what, game_id, upcoming=upcoming),
        "rule": sheet.hand.rules.rule_for(MAY_I),
    }
    context |= of_upcoming(sheet, upcoming, A_QUESTION_WAITS)
    return form_page("contracts/may_i.html", loaded, "Rulings", refused, what, **context)


@bp.post("/games/<game_id>/may-i")
def ask_may_i(game_id: str) -> ResponseReturnValue:
    """Rule on who gets it, and keep the ruling."""
    form, number = MayIForm(request.form), hand_sent(_with_may_i(game_id).sheet)

    def make(sheet: ScoreSheet) -> Event:
        check_hand(sheet, number)
        asked = sorted({*(form.asked.data or ())})
        return rule_on_upcard(sheet, form.player.data, asked, form.last_taker.data)

    try:
        entry = write_action(game_id, make)[1]
    except Refused as refused:
        return may_i(game_id, refused, form)
    return redirect(url_for("contracts.upcard", game_id=game_id, number=entry.number), 303)


@bp.get("/games/<game_id>/may-i/<int:number>")
def upcard(game_id: str, number: int) -> ResponseReturnValue:
    """Show who gets the card, and why."""
    loaded = _with_may_i(game_id)
    sheet = loaded.sheet
    entry = loaded.entries[number - 1] if 1 <= number <= len(loaded.entries) else None
    if entry is None or not isinstance(entry.event, UpcardGiven):
        raise NotFound("ruling")
    given = entry.event
    stands = number in [line.entry.number for line in sheet.hands[given.hand - 1].upcards]
    return game_page(
        "contracts/upcard.html",
        loaded,
        "Rulings",
        entry=entry,
        given=given,
        why=why_upcard(sheet, given),
        asked=[sheet.names[seat] for seat in given.asked],
        rule=sheet.hand.rules.rule_for(MAY_I),
        by=who_wrote(database(), loaded)[entry.by],
        stands=stands,
        is_open=given.hand == sheet.hand.number and not sheet.over,
    )
