"""The hand that is being played, what was entered for one that is over, and its contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from flask import Blueprint, abort, flash, redirect, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.notebook.describe import hand_name, say, score, signed, turned_word
from companion.notebook.events import CardTurned
from companion.notebook.hand_marks import afterwards
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet, Standing
from companion.rules.cards import Card, Rank, parse_cards
from companion.rules.contract_melds import can_make, nearest
from companion.rules.contracts import ContractJudge
from companion.rules.errors import Malformed
from companion.rules.language import gettext as _
from companion.rules.language import ngettext, noted
from companion.services import game_log
from companion.services.game_log import LoadedGame, Make
from companion.services.phones import handle_of
from companion.web.actions import (
    Errors,
    Refused,
    hand_sent,
    loaded_game,
    upcoming_hand,
    write_action,
)
from companion.web.auth import known_marker
from companion.web.endings import ending_of
from companion.web.fields import CardsField, Form, LineField, WordField
from companion.web.pages import (
    Page,
    form_page,
    game_page,
    go_on,
    kept_page,
    of_upcoming,
    past_hand_page,
    refused_page,
)
from companion.web.rulings.facts import TURNED_RANKS
from companion.web.settings import settings
from companion.web.templating import marked, of_hands, winners

bp = Blueprint("hand", __name__)


@bp.get("/games/<game_id>")
def show(game_id: str) -> ResponseReturnValue:
    """The open hand: its number, its Proter, who deals and plays first, everyone's total."""
    loaded = loaded_game(game_id)
    sheet = loaded.sheet
    hand = upcoming_hand(sheet)
    if hand is None:
        phone = _phone_without_name() if sheet.number == 1 else ""
        draw = partial(_open_hand, loaded, phone)
        return draw() if phone else kept_page(loaded, draw)
    context = {"page": _hand_page(sheet, hand, hand.number)} | of_upcoming(sheet, hand.number)
    return game_page("hand/upcoming.html", loaded, "Hand", keep_awake=True, **context)


def _open_hand(loaded: LoadedGame, phone: str) -> Page:
    page, awake = _hand_page(loaded.sheet, loaded.sheet.hand), not loaded.sheet.over
    return game_page("hand/show.html", loaded, "Hand", page=page, phone=phone, keep_awake=awake)


def _phone_without_name() -> str:
    """Return the handle of this phone if nobody said whose it is; otherwise an empty text."""
    this = known_marker()
    if this is None or this.game_id is not None or this.nickname:
        return ""
    return handle_of(this.id)


def _hand_page(sheet: ScoreSheet, hand: HandSheet, upcoming: int | None = None) -> dict[str, Any]:
    """Return what the page of a hand shows. ``upcoming`` is its number if it has not begun.

    ``wild_card`` is the wild rank, or the card turned up: in words, as a sign, and what it is
    called. ``before`` is what the last hand left to be done, ``needs`` what this one asks for.
    """
    game, places, ending = sheet.game, hand.places, ending_of(sheet)
    name, of, here = hand_name(game, hand.number), of_hands(game), sheet.reasons(hand)
    charged = [one for one in hand.penalties if one.withdrawn is None]
    turns = [
        (_("Deals"), sheet.names[places.dealer]),
        (_("Plays first"), sheet.names[places.first]),
    ]
    by_standing = settings()["order"] == "standing"
    orders = (("seats", _("Order by seat")), ("standing", _("Order by standing")))
    past = sheet.hands[-2] if len(sheet.hands) > 1 and not upcoming else None
    title = noted("Penalties of %(hand_word)s %(number)s")
    charged_title = _(title, hand_word=game.hand_word, number=hand.number)
    if all(one.reason.leaves for one in charged):
        charged_title = _("Left the game")
    return {
        "hand": hand,
        "upcoming": upcoming,
        "won": (winners(sheet), ending.result(sheet)) if sheet.over else None,
        "name": name,
        "of": " · ".join(filter(None, [of, _cards_each(sheet, hand)])),
        "title": _("Over: %(name)s", name=sheet.name) if sheet.over else f"{name} {of}".strip(),
        "wild_card": _wild_card(sheet, hand),
        "turns": turns[: 2 if ending.in_turns else 1] if hand.is_dealt else (),
        "asks_turned": ending.lacks_turned(hand),
        "asks_contract": "contract" in hand.rules.asks,
        "before": afterwards(sheet, past) if past else (),
        "needs": hand.rules.needs(),
        "deal": _deal(sheet, hand) if hand.is_dealt else None,
        "calls": [(seat, sheet.names[seat], _calls(hand, seat)) for seat in sheet.players],
        "totals": _totals(sheet, hand, by_standing=by_standing or sheet.over),
        "charged": charged,
        "charged_title": charged_title,
        "charges_here": bool(here),
        "can_leave": any(one.leaves for one in here) and not sheet.over,
        "pile": [card.text for card in hand.board.table.pile[-2:]],
        "next_hand": "" if sheet.over else _next_hand(sheet, hand),
        "other_order": orders[not by_standing],
    }


def _cards_each(sheet: ScoreSheet, hand: HandSheet) -> str:
    """Say how many cards each player is dealt, in a game in which hands differ in that."""
    dealt = [sheet.game.dealt(one, sheet.house.sheet) for one in range(1, sheet.game.hands + 1)]
    if len({*dealt}) < 2 or not hand.is_dealt:
        return ""
    each = sheet.game.dealt(hand.number, sheet.house.sheet)
    return ngettext("%(number)s card", "%(number)s cards", each)


def _next_hand(sheet: ScoreSheet, hand: HandSheet) -> str:
    """Say what the next hand has that this one has not: ``4 cards; wild: jokers, 2s and 4s``."""
    game, number = sheet.game, hand.number + 1
    if not game.won_by.totals or number > game.hands:
        return ""
    dealt, before = (game.dealt(one, sheet.house.sheet) for one in (number, number - 1))
    known = hand.rules.needs()
    needs = [
        f"{one.what.lower()}: {one.says}"
        for one in sheet.open_hand(number).rules.needs()
        if one not in known
    ]
    rank = game.wild_rank(number)
    parts = [ngettext("%(number)s card", "%(number)s cards", dealt)] if dealt != before else []
    parts += needs or ([_("the %(word)ss are wild", word=rank.word)] if rank else [])
    return "; ".join(parts)


def _wild_card(sheet: ScoreSheet, hand: HandSheet) -> tuple[str, str, str] | None:
    game, turned = sheet.game, hand.turned
    rank, word = game.wild_rank(hand.number), game.wild_word
    if rank and not hand.rules.needs():
        return _("The %(wild_word)s: %(rank)s", wild_word=word, rank=rank.word), rank.shown, _(word)
    if turned is None:
        return None
    return (
        _("Turned up: %(word)s", word=turned.word),
        turned.shown if turned else "★",
        _("turned up"),
    )


def _deal(sheet: ScoreSheet, hand: HandSheet) -> Markup:
    """Who shuffles, cuts and gets the first card; or how hands are filled up."""
    game, places = sheet.game, hand.places
    if hand.rules.refill and not hand.thrown_in:
        nobody = _("Nobody is dealt eight new cards now.")
        return Markup("{} {}").format(nobody, hand.rules.refill)
    cuts, dealt = _DEAL[game.deal_passes]
    up = _("No card is turned up; the rest is the stock.")
    if game.turns_up:
        up = _("One card is turned up and begins the pile; the rest is the stock.")
    dealer, cutter = (sheet.names[seat] for seat in (places.dealer, places.cutter))
    each, first = game.dealt(hand.number, sheet.house.sheet), sheet.names[places.first]
    says = [marked(cuts, dealer=dealer, cutter=cutter), marked(dealt, cards=each, first=first), up]
    before = ending_of(sheet).before_deal
    return Markup(" ").join([*says, *([_(before)] if before else [])])


# Who cuts and which way the cards go, by where the deal passes.
_DEAL: Final = {
    "left": (
        noted(
            "<bdi>%(dealer)s</bdi> shuffles and <bdi>%(cutter)s</bdi>, at the dealer's right, cuts."
        ),
        noted(
            "%(cards)s cards each, one at a time, clockwise, beginning with <bdi>%(first)s</bdi>."
        ),
    ),
    "right": (
        noted(
            "<bdi>%(dealer)s</bdi> shuffles and <bdi>%(cutter)s</bdi>, at the dealer's left, cuts."
        ),
        noted(
            "%(cards)s cards each, one at a time, anticlockwise, "
            "beginning with <bdi>%(first)s</bdi>."
        ),
    ),
}


def _calls(hand: HandSheet, seat: int) -> str:
    """A player's calls for the discard: ``3``, ``3 + 1 charged``."""
    beyond = hand.rules_charged(seat).count(hand.rules.calls_rule)
    return f"{hand.calls.count(seat)}{f' + {beyond} charged' if beyond else ''}"


def _totals(sheet: ScoreSheet, hand: HandSheet, *, by_standing: bool) -> list[dict[str, Any]]:
    """Return everyone's total, in order of seats or the leader first.

    ``note`` stands beside the name, ``now`` is what the hand adds so far. Nobody leads before
    anything is counted.
    """
    counted = sheet.marked or any(one.withdrawn is None for one in hand.penalties)
    leads = _("wins") if sheet.over else _("leads")
    standings = sheet.standings()
    ahead = standings[0].total
    if not by_standing:
        standings = sorted(standings, key=lambda one: one.player)
    now = {one.player: 0 if sheet.over else hand.mark(one.player).points for one in standings}
    dealer = hand.places.dealer if hand.is_dealt and not sheet.over else None
    return [
        {
            "place": f"{one.place}." if counted else "",
            "name": one.name,
            "note": ending_of(sheet).note(sheet, one.player),
            "deals": one.player == dealer,
            "change": _change(sheet, one, ahead),
            "leads": leads if counted and one.place == 1 else "",
            "now": signed(now[one.player]) if now[one.player] else "",
            "total": score(one.total),
        }
        for one in standings
    ]


def _change(sheet: ScoreSheet, one: Standing, ahead: int) -> str:
    """Return what the last hand added to a total, and how far the leader is ahead."""
    if not sheet.marked:
        return ""
    last = _("%(points)s last", points=signed(sheet.marked[-1].mark(one.player).points))
    if one.total == ahead or not sheet.game.won_by.totals:
        return last
    behind = _("%(points)s behind", points=abs(one.total - ahead))
    return f"{last} · {behind}"


@bp.post("/games/<game_id>/undo")
def undo(game_id: str) -> ResponseReturnValue:
    """Take the last action back."""
    return _step(game_id, game_log.undo, _("Undone"))


@bp.post("/games/<game_id>/redo")
def redo(game_id: str) -> ResponseReturnValue:
    """Bring back the action that was undone last."""
    return _step(game_id, game_log.redo, _("Done again"))


def _step(game_id: str, make: Make, word: str) -> ResponseReturnValue:
    before = loaded_game(game_id).sheet
    act_in_question = before.can_undo if make is game_log.undo else before.can_redo
    try:
        write_action(game_id, make)
    except Refused as refused:
        return refused_page("changed.html", refused, "Hand")
    then = url_for("hand.show", game_id=game_id)
    if act_in_question is None:
        return redirect(then, 303)
    return go_on(f"{word}: {say(act_in_question.event, before)}.", then)


# -- the card that is turned before the deal, in games where it says what is wild ------------------


@bp.app_template_global("ranks_turned")
def ranks_turned() -> tuple[Rank, ...]:
    """Every rank that a card can have that is turned."""
    return TURNED_RANKS


class TurnedForm(Form):
    """The rank of the card that was turned, and whether a ruling waits for it."""

    rank = LineField()
    after = WordField(("ruling",))


@bp.get("/games/<game_id>/turned")
def turned_form(game_id: str) -> ResponseReturnValue:
    """Which card was turned before the deal."""
    loaded = _with_turned_card(game_id)
    if loaded.sheet.over:
        flash(_("The game is over. Correct its last hand to say that another card was turned."))
        return redirect(url_for("hand.show", game_id=game_id), 303)
    ahead = upcoming_hand(loaded.sheet)
    number = (ahead or loaded.sheet.hand).number
    return form_page("hand/turned.html", loaded, "Hand", number=number, upcoming=ahead and number)


@bp.post("/games/<game_id>/turned")
def turn(game_id: str) -> ResponseReturnValue:
    """Write down which card was turned."""
    form, number = TurnedForm(request.form), hand_sent(_with_turned_card(game_id).sheet)
    try:
        after = write_action(game_id, CardTurned(number, form.rank.data))[0]
    except Refused as refused:
        if number != refused.loaded.sheet.hand.number:
            return past_hand_page(refused, number, _("The card turned up"), "Hand")
        return refused_page("hand/turned.html", refused, "Hand", number=number)
    tell_turned(after.sheet.hand)
    page = "rulings.form" if form.after.data else "hand.show"
    return redirect(url_for(page, game_id=game_id), 303)


def _with_turned_card(game_id: str) -> LoadedGame:
    """The game. Answers 404 if no card is turned in it before the deal."""
    loaded = loaded_game(game_id)
    if not ending_of(loaded.sheet).turns_card:
        abort(404)
    return loaded


def tell_turned(hand: HandSheet) -> None:
    """Tell what is wild, once it is on record which card was turned."""
    if hand.turned is not None:
        wild = hand.rules.needs()[0].says
        says = noted("Turned up: %(rank)s. Wild: %(wild)s.")
        flash(_(says, rank=turned_word(hand.turned), wild=wild), "success")


# -- whether a handful of cards can make the contract: nothing is written down --------------------


class ContractForm(Form):
    """The cards that are held; ``ask`` says that the button was pressed."""

    cards = CardsField()
    ask = LineField()


@bp.get("/games/<game_id>/contract")
def contract(game_id: str) -> ResponseReturnValue:
    """The cards of the game, and what can be made of those that are tapped."""
    loaded, form = loaded_game(game_id), ContractForm(request.args)
    rules = loaded.sheet.hand.rules
    if not isinstance(rules, ContractJudge):
        abort(404)
    errors: Errors = []
    found: dict[str, Any] = {"cards": ()}
    try:
        cards = parse_cards(form.cards.data)
        found = {"cards": [card.text for card in cards]}
        found |= _made_of(loaded.sheet, cards, rules) if cards else {}
        if form.ask.data and not form.cards.raw_data:
            raise Malformed("Tap the cards that are held.")
    except Malformed as problem:
        errors = [("cards", str(problem))]
    wild = "".join(rank.text for rank in rules.limits.wild_ranks)
    found |= {"rules": rules, "wild_rank": wild, "errors": errors}
    return game_page("hand/contract.html", loaded, "Hand", **found), 422 if errors else 200


def _made_of(sheet: ScoreSheet, cards: Sequence[Card], rules: ContractJudge) -> dict[str, Any]:
    """What the page says of these cards. Raises `Malformed` for cards that cannot be held."""
    # The card that was drawn is held beside those that were dealt.
    most = sheet.game.dealt(sheet.hand.number, sheet.house.sheet) + 1
    if len(cards) > most and not sheet.over:
        says = noted("%(cards)s cards are more than a player can hold: %(most)s at most.")
        raise Malformed(says, cards=len(cards), most=most)
    melds, answer, lacking = can_make(cards, rules), _("Yes"), ""
    if melds is None:
        melds, lacks = nearest(cards, rules)
        answer, lacking = _("No"), lacks.says(rules.limits) if any(lacks) else ""
    left = Counter(cards) - Counter([one.card for meld in melds for one in meld.cards])
    return {"answer": answer, "melds": melds, "lacking": lacking, "left": sorted(left.elements())}
