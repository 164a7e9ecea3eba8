"""Asking for a ruling: what is in dispute, the steps of the question, and keeping the ruling."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import redirect, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.board import why_not_there
from companion.notebook.events import CardTurned, Entry, NotPossible, Ruled
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import Rank, parse_card, parse_meld_text
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.language import gettext as _, listed
from companion.rules.question import DECLARE, DRAW, MAY_I
from companion.rules.table import MeldPlay, Table
from companion.services.game_log import LoadedGame, as_meant
from companion.services.rulings import (
    OpenWildCard,
    UnknownFacts,
    melds_there,
    next_to_play,
    ruling_on,
)
from companion.web.actions import (
    Refused,
    field_id,
    hand_sent,
    is_past,
    key_sent,
    loaded_game,
    with_hand_of,
    write_action,
)
from companion.web.endings import ending_of
from companion.web.pages import Page, form_page, game_page, of_upcoming, past_hand_page
from companion.web.rulings import bp
from companion.web.rulings.facts import facts_page, tell_turned
from companion.web.rulings.form import LIES, MOST_PLAYS, MOST_SEEN, OF_DRAW, ONLINE_ASKS, RulingForm
from companion.web.rulings.plays import OF_SEVERAL, PlayPage, parsed_plays
from companion.web.rulings.question import A_QUESTION_WAITS, BY_RULES, KINDS, NO_KIND, QuestionPage
from companion.web.rulings.verdict import RulingPage


@bp.get("/games/<game_id>/ruling")
def form(game_id: str) -> ResponseReturnValue:
    """Return the page that asks whose play is in dispute, which kind, and then its cards."""
    form = RulingForm(request.args)
    loaded = _loaded(game_id, form)
    if is_past(loaded.sheet, form.hand.data):  # an old address: nothing of it is asked in this hand
        form = RulingForm(data={"ask": form.ask.data, "player": form.player.data})
    try:
        if form.ask.data == DRAW and form.above.raw_data:
            form.check_above()
    except NotPossible as problem:
        return _form_page(loaded, form, _refused(problem, loaded))
    return _form_page(loaded, form)


@bp.post("/games/<game_id>/ruling")
def ask(game_id: str) -> ResponseReturnValue:
    """Rule on it and keep the ruling, or ask what it depends on first.

    A ruling by the rules of a hand alone is shown, and nothing is written down.
    """
    form = RulingForm(request.form)
    loaded = _loaded(game_id, form)
    number = hand_sent(loaded.sheet)
    earlier: list[Entry] = []
    try:
        meant = loaded if form.by_rules.data else as_meant(loaded, key_sent())
        if not is_past(meant.sheet, number):  # else it is refused as it is
            if form.change.data in OF_DRAW:
                return _form_page(loaded, form)
            if _is_step(loaded, form):
                return redirect(form.address(game_id), 303)
            form.find_melds(meant.sheet)
            form.add_last_meld()
            form.read_wild_card(meant.sheet)
            if form.change.data:
                return _ask_facts(loaded, form, form.change.data)
            earlier = _say_turned(game_id, form, meant.sheet)
        if form.by_rules.data:
            return _ruling_by_rules(loaded, _ruled(loaded.sheet, form))
        _loaded_after, entry = write_action(game_id, lambda sheet: _ruled(sheet, form), *earlier)
    except UnknownFacts as problem:
        return _ask_facts(_loaded(game_id, form), form, *problem.args)
    except OpenWildCard as problem:
        return reading_page(_loaded(game_id, form), form, problem, "rulings.ask")
    except (NotPossible, Malformed) as problem:
        return _form_page(loaded, form, _refused(problem, loaded))
    except Refused as refused:
        return _form_page(refused.loaded, form, refused)
    return redirect(url_for("rulings.show", game_id=game_id, number=entry.number), 303)


def _loaded(game_id: str, form: RulingForm) -> LoadedGame:
    """Return the game; by the rules alone with nothing but the hand that the form is about."""
    loaded, number = loaded_game(game_id), form.hand.data or 0
    if not (form.by_rules.data and 1 <= number <= loaded.sheet.game.hands):
        form.by_rules.data = None
        return loaded
    form.player.data, sheet = None, loaded.sheet  # it is nobody's play
    turned = next((rank.text for rank in Rank if rank.text == form.turned.data), None)
    hand = sheet.with_turned(sheet.open_hand(number), turned)
    return replace(loaded, sheet=replace(sheet, hands=[hand], can_undo=None, can_redo=None))


def _with_hand(loaded: LoadedGame, form: RulingForm) -> LoadedGame:
    """Return the game with the hand of the form open, if that is not so already."""
    return loaded if form.by_rules.data else with_hand_of(loaded, form.hand)


def _refused(problem: ValueError, loaded: LoadedGame) -> Refused:
    return Refused(422, [(field_id(problem), str(problem))], loaded)


def _ruled(sheet: ScoreSheet, form: RulingForm) -> Ruled:
    question = form.question(sheet)
    return ruling_on(sheet, form.seat(sheet), question, form.instead_of.data)


def _ruling_by_rules(loaded: LoadedGame, given: Ruled) -> Page:
    """Return the page of a ruling that is not put on record."""
    says = {"upcoming": given.hand, "upcoming_says": _(BY_RULES, number=given.hand)}
    page = RulingPage.of_rules(loaded, given)
    return game_page("rulings/show.html", loaded, "Rulings", errors=[], page=page, **says)


def _say_turned(game_id: str, form: RulingForm, sheet: ScoreSheet) -> list[Entry]:
    """Record which card was turned up, if the form says it and the record does not.

    Returns the entry that this made, if it made one.
    """
    rank = form.turned.data
    if not rank or not ending_of(sheet).lacks_turned(sheet.hand):
        return []
    after, entry = write_action(game_id, lambda sheet: CardTurned(sheet.hand.number, rank))
    tell_turned(after.sheet.hand)
    return [entry]


# -- a question that is put together in several steps ----------------------------------------------


def _is_step(loaded: LoadedGame, form: RulingForm) -> bool:
    """Take a step of a question that is put together in several; False if it is to be ruled on.

    Nothing is written down before the ruling is. Raises `NotPossible`, `Malformed` or
    `OpenWildCard`.
    """
    if form.add.data == LIES:
        _add_meld_there(form, loaded.sheet)
    elif form.unsee.raw_data:
        _remove_seen(form)
    elif form.ask.data in (*OF_SEVERAL, DRAW) and (form.add.data or form.drop.raw_data):
        _with_hand(loaded, form)
        _add_or_drop(form)
    else:
        return False
    return True


def _add_or_drop(form: RulingForm) -> None:
    """Add the tapped cards as a play, or take one out. Raises `NotPossible` or `Malformed`."""
    plays = [play.text for play in parsed_plays(form.play.data)]
    if form.drop.data is not None:
        del plays[form.drop.data : form.drop.data + 1]
    elif len(plays) < MOST_PLAYS:
        plays.append(form.add.play(form.cards_of_meld).text)
    else:
        raise NotPossible("No turn has that many plays.", "cards")
    form.fill({"cards": (), "onto": None, "play": tuple(plays)})


def _remove_seen(form: RulingForm) -> None:
    """Take out one of the melds that are not on record. Raises `NotPossible`."""
    if form.play.data:
        raise NotPossible("Take the plays of the turn out first.", "cards")
    seen = tuple(meld for at, meld in enumerate(form.seen.data) if at != form.unsee.data)
    form.fill({"seen": seen, "onto": None, "lying": None})


def _add_meld_there(form: RulingForm, sheet: ScoreSheet) -> None:
    """Add the tapped cards as a meld that lies on the table and is not on record.

    It belongs to no player. Raises `OpenWildCard`, `NotPossible` or `Malformed`.
    """
    form.find_melds(sheet)
    form.read_wild_card(sheet)
    cards, seen, rules = form.cards.data, form.seen.data, sheet.hand.rules
    if not cards:
        raise NotPossible("Tap the cards of the meld that lies there.", "cards")
    if form.play.data:
        raise NotPossible("Name the melds that lie there before the plays of the turn.", "cards")
    if len(seen) == MOST_SEEN:
        raise NotPossible("No more melds can be named here. Record them first.", "cards")
    there = melds_there(sheet, seen, form.instead_of.data)
    try:
        problem = why_not_there(Table(there), MeldPlay(parse_meld_text(cards)), rules)
        if problem:
            raise NotPossible(problem, "cards")
        *_there, laid = melds_there(sheet, (*seen, " ".join(cards)), form.instead_of.data)
    except Ambiguous as problem:
        raise OpenWildCard.of(problem) from None
    form.fill({"seen": (*seen, laid.text), "onto": len(there), "lying": None})
    form.fill({"cards": form.laid_off.data, "laid_off": ()})


# -- the pages of a question ----------------------------------------------------------------------


def _form_page(
    loaded: LoadedGame, form: RulingForm, refused: Refused | None = None
) -> ResponseReturnValue:
    """Return the page on which the question is entered, or entered again with what is wrong."""
    number, kind = form.hand.data, form.ask.data
    if refused is not None and number is not None and is_past(loaded.sheet, number):
        return past_hand_page(refused, number, _("A ruling"), "Rulings")
    loaded = _with_hand(loaded, form)
    sheet = loaded.sheet
    form.find_some_melds(sheet)
    lies_none = not (form.seen.data or form.board(sheet).table.melds)
    if kind == "lay_off" and lies_none and form.add.data != LIES:  # the meld's cards come first
        form.fill({"cards": (), "laid_off": form.cards.data or form.laid_off.data})
    if sheet.hand.standing_ruling(form.instead_of.data or 0) is None:
        form.instead_of.data = None
    if form.player.data not in sheet.players:
        # A form that is asked for without a player has them all to choose from.
        has_form = kind in form.asks(sheet.hand.rules) and not sheet.over
        form.player.data = None if has_form else next_to_play(sheet)
    form.leave_out_no_cards()
    if refused:
        form.change.data = refused.errors[0][0]
    page = QuestionPage(loaded, form)
    page.tell(refused, ("player", "cards", "onto", *OF_DRAW, "turn"))
    if page.kind is NO_KIND:
        return _page("kinds", page, refused, **_kinds(loaded, form))
    return _page(page.kind.template, page, refused)


def _page(
    template: str, page: PlayPage, refused: Refused | None = None, **context: Any
) -> ResponseReturnValue:
    # Where cards are tapped, undo would be taken for taking one of them back.
    context |= {"page": page, "is_entry": template != "kinds"}
    hand = page.form.hand.data
    context |= of_upcoming(page.sheet, hand, A_QUESTION_WAITS)
    if page.by_rules:
        context["upcoming_says"] = _(BY_RULES, number=hand)
    return form_page(f"rulings/{template}.html", page.loaded, "Rulings", refused, **context)


def _kinds(loaded: LoadedGame, form: RulingForm) -> dict[str, Any]:
    """Return what templates/rulings/kinds.html shows: what can be in dispute in the form's hand."""
    is_begun = form.hand.data is None  # in a hand to come there is nothing to call or draw
    sheet, rules = loaded.sheet, loaded.sheet.hand.rules
    named = {"meld": _("Further meld")} if isinstance(rules, ContractJudge) else {}
    named |= {DECLARE: _(rules.declare_call)} if isinstance(rules, DeclaringJudge) else {}
    elsewhere = {MAY_I: url_for("contracts.may_i", game_id=loaded.record.id)}
    before = [("follows", loaded.game_before)] if loaded.game_before else []
    chosen, claim = dict(sheet.house.values).get("claim_until"), None
    if chosen is not None:
        rule = sheet.game.house_rule("claim_until")
        claim = rule.says(chosen), rule.rule
    return {
        "kinds": [
            (ask, named.get(ask) or _(kind.title), _(kind.note), elsewhere.get(ask))
            for ask, kind in KINDS.items()
            if ask in rules.disputes and (is_begun or ask not in ONLINE_ASKS)
        ],
        "fields": [*before, *form.sent("ask", "player", "lying")],
        "claim": claim,
        "lacks_turned": ending_of(sheet).lacks_turned(sheet.hand),
    }


def _ask_facts(loaded: LoadedGame, form: RulingForm, *facts: str) -> ResponseReturnValue:
    loaded = _with_hand(loaded, form)
    page = facts_page(loaded, form, facts)
    if page is None:  # an address that asks for what no ruling depends on
        return _form_page(loaded, form)
    return _page("facts", page, asks=" ".join(one.says for one in page.wanted))


def reading_page(
    loaded: LoadedGame, form: RulingForm, problem: OpenWildCard, endpoint: str
) -> Page:
    """Return the page that asks what a wild card stands for, and sends the fields again with it."""
    loaded, add = _with_hand(loaded, form), form.add.data
    fields = [("hand", loaded.sheet.hand.number), *form.sent("hand"), ("wild", problem.play)]
    fields += [("add", add)] if add else []
    form.leave_out_no_cards()
    page = PlayPage(loaded, form)
    wilds = [parse_card(one).shown for one in problem.wilds]
    kinds = dict.fromkeys(meld.kind for meld in problem.readings)
    groups = [
        (
            _("As %(kind)s", kind=page.rules.limits.term(kind).a),
            [meld.text for meld in problem.readings if meld.kind is kind],
        )
        for kind in kinds
    ]
    return game_page(
        "rulings/reading.html",
        loaded,
        "Rulings",
        asks=_("What does %(wilds)s stand for?", wilds=listed(wilds, "standard-narrow")),
        wilds=wilds,
        is_legal=not add and form.ask.data != "turn",
        action=url_for(endpoint, game_id=loaded.record.id),
        fields=fields,
        kept={} if add else page.attributes,
        groups=groups or [(_("%(card)s stands for", card=wilds[0]), problem.choices)],
        is_entry=True,
        upcoming=form.hand.data,
    )
