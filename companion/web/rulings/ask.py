"""Asking for a ruling: the steps of a question, facts that are asked for, keeping the ruling."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from flask import flash, redirect, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.board import why_not_on_table
from companion.notebook.describe import charge_taken_back, say
from companion.notebook.events import CardTurned, Entry, NotPossible, Ruled
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import Rank, identified, parse_card, parse_meld_text, parse_offered
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.language import gettext as _, listed, ngettext
from companion.rules.question import DRAW
from companion.rules.table import LayOff, MeldPlay, Table, check_onto
from companion.services.game_log import LoadedGame, as_first_sent
from companion.services.rulings import OpenWildCard, UnknownFacts, melds_on_table, ruling_on
from companion.web.actions import (
    Refused,
    field_id,
    hand_sent,
    is_past,
    key_sent,
    loaded_game,
    refusals,
    with_hand_of,
    write_action,
)
from companion.web.endings import ending_of
from companion.web.pages import form_page, past_hand_page, tell_turned, to_ruling, upcoming_context
from companion.web.rulings.form import MOST_SEEN, OF_DRAW, OF_SEVERAL, RulingForm
from companion.web.rulings.question import IT_WAITS, QuestionPage, facts_page
from companion.web.rulings.verdict import RulingPage, bp, ruling_page, top_of_pile

# The button that says that the tapped cards lie on the table as a meld.
LIES: Final = "lies"


@bp.get("/games/<game_id>/ruling")
def form(game_id: str) -> ResponseReturnValue:
    """Return the page that asks whose play is in dispute, which kind, and then its cards."""
    form = RulingForm(request.args)
    loaded = _loaded(game_id, form)
    if is_past(loaded.sheet, form.hand.data):  # an old address, which asks nothing in this hand
        form = RulingForm(data={"ask": form.ask.data, "player": form.player.data})
    is_sent = form.ask.data == DRAW and form.above.raw_data
    errors = refusals(form.check_above) if is_sent else []
    return _form_page(loaded, form, Refused(422, errors, loaded) if errors else None)


@bp.post("/games/<game_id>/ruling")
def ask(game_id: str) -> ResponseReturnValue:
    """Rule on the question and keep the ruling, or ask for the facts that it depends on first.

    A ruling by the rules of a hand alone is shown, and not kept.
    """
    form = RulingForm(request.form)
    loaded = _loaded(game_id, form)
    number = hand_sent(loaded.sheet)
    earlier: list[Entry] = []
    try:
        as_sent = loaded if form.by_rules.data else as_first_sent(loaded, key_sent())
        if not is_past(as_sent.sheet, number):  # else `write_action` refuses it
            if form.change.data in OF_DRAW:
                return _form_page(loaded, form)
            if _take_step(loaded, form):
                return redirect(form.address(game_id), 303)
            form.find_melds(as_sent.sheet)
            form.add_last_meld()
            read_wild_card(form, as_sent.sheet)
            if form.change.data:
                return _ask_facts(loaded, form, form.change.data)
            _check_complete(loaded, form, as_sent.sheet)
            earlier = _record_turned(game_id, form, as_sent.sheet)
        if form.by_rules.data:
            return ruling_page(RulingPage.of_rules(loaded, _make_ruling(loaded.sheet, form)))
        after, entry = write_action(game_id, lambda sheet: _make_ruling(sheet, form), *earlier)
    except UnknownFacts as problem:
        return _ask_facts(_loaded(game_id, form), form, *problem.args)
    except OpenWildCard as problem:
        return reading_page(_loaded(game_id, form), form, problem, "rulings.ask")
    except (NotPossible, Malformed) as problem:
        refused = Refused(422, [(field_id(problem), str(problem))], loaded)
        return _form_page(loaded, form, refused)
    except Refused as refused:
        return _form_page(refused.loaded, form, refused)
    _tell_taken_back(after.sheet, entry)
    address = url_for("rulings.show", game_id=game_id, number=entry.number)
    return to_ruling(say(entry.event, after.sheet), address)


def _tell_taken_back(sheet: ScoreSheet, entry: Entry) -> None:
    """Flash that the charge of a ruling that this entry replaced is taken back."""
    if back := charge_taken_back(entry.event, sheet):
        flash(f"{back}.", "success")


def _loaded(game_id: str, form: RulingForm) -> LoadedGame:
    """Return the game; by the rules alone, with no names and only the hand that the form is for."""
    loaded, number = loaded_game(game_id), form.hand.data or 0
    if not (form.by_rules.data and 1 <= number <= loaded.sheet.game.hands):
        form.by_rules.data = None
        return loaded
    form.player.data, sheet = None, loaded.sheet  # it is nobody's play
    turned = next((rank.text for rank in Rank if rank.text == form.turned.data), None)
    hands = [sheet.with_turned(sheet.open_hand(number), turned)]
    nobody = [_("The player")] * len(sheet.names)
    sheet = replace(sheet, title=sheet.name, names=nobody, hands=hands, can_undo=None)
    return replace(loaded, sheet=replace(sheet, can_redo=None))


def _with_hand(loaded: LoadedGame, form: RulingForm) -> LoadedGame:
    """Return the game with the form's hand open; by the rules alone it is open already."""
    return loaded if form.by_rules.data else with_hand_of(loaded, form.hand)


def _check_complete(loaded: LoadedGame, form: RulingForm, sheet: ScoreSheet) -> None:
    """Raise `Refused` with everything that is missing."""
    lacking = form.lacking(sheet)
    if lacking:
        raise Refused(422, lacking, loaded)


def _make_ruling(sheet: ScoreSheet, form: RulingForm) -> Ruled:
    question = form.question(sheet)
    seat, instead_of = form.seat(sheet), form.instead_of.data
    return ruling_on(sheet, seat, question, instead_of, form.penalty_cards.data)


def _record_turned(game_id: str, form: RulingForm, sheet: ScoreSheet) -> list[Entry]:
    """Record which card was turned up, if the form says it and the record does not.

    A form that replaces a ruling can change the card on record. Returns the new entry, or none.
    """
    rank, turned = form.turned.data, sheet.hand.turned
    is_other = turned is not None and form.instead_of.data is not None and rank != turned.text
    if not rank or not (is_other or ending_of(sheet).lacks_turned(sheet.hand)):
        return []
    after, entry = write_action(game_id, lambda sheet: CardTurned(sheet.hand.number, rank))
    tell_turned(after.sheet.hand)
    return [entry]


# -- a question that is entered in several steps ---------------------------------------------------


def _take_step(loaded: LoadedGame, form: RulingForm) -> bool:
    """Take a step of a question that is entered in several; False if it is to be ruled on now.

    A step stores nothing. Raises `NotPossible`, `Malformed` or `OpenWildCard`.
    """
    is_of_table = form.add.data == LIES or form.unsee.raw_data
    if is_of_table and form.play.data:
        raise NotPossible("Add the melds on the table before the plays of the turn.", "cards")
    if form.add.data == LIES:
        _add_unrecorded_meld(form, loaded.sheet)
    elif form.unsee.raw_data:
        seen = tuple(meld for at, meld in enumerate(form.seen.data) if at != form.unsee.data)
        form.fill({"seen": seen, "onto": None, "lying": None})
    elif form.ask.data in (*OF_SEVERAL, DRAW) and (form.add.data or form.drop.raw_data):
        _with_hand(loaded, form)
        form.add_or_drop()
    else:
        return False
    return True


def _add_unrecorded_meld(form: RulingForm, sheet: ScoreSheet) -> None:
    """Add the tapped cards as a meld that lies on the table but is not on record.

    It belongs to no player. Raises `OpenWildCard`, `NotPossible` or `Malformed`.
    """
    form.find_melds(sheet)
    read_wild_card(form, sheet)
    cards, seen, rules = form.cards.data, form.seen.data, sheet.hand.rules
    if not cards:
        raise NotPossible("Tap the cards of the meld that is on the table.", "cards")
    if len(seen) == MOST_SEEN:
        raise NotPossible("No more melds can be named here. Record them first.", "cards")
    lying = melds_on_table(sheet, seen, form.instead_of.data)
    try:
        problem = why_not_on_table(Table(lying), MeldPlay(parse_meld_text(cards)), rules)
        if problem:
            raise NotPossible(problem, "cards")
        *_others, added = melds_on_table(sheet, (*seen, " ".join(cards)), form.instead_of.data)
    except Ambiguous as problem:
        raise OpenWildCard.of(problem) from None
    form.fill({"seen": (*seen, added.text), "onto": len(lying), "lying": None})
    form.fill({"cards": form.laid_off.data, "laid_off": ()})


# -- the pages of a question ----------------------------------------------------------------------


def _form_page(
    loaded: LoadedGame, form: RulingForm, refused: Refused | None = None
) -> ResponseReturnValue:
    """Return the page on which the question is entered; if it was refused, with the reasons."""
    number = form.hand.data
    if refused is not None and number is not None and is_past(loaded.sheet, number):
        return past_hand_page(refused, number, _("A ruling"), "Rulings")
    loaded = _with_hand(loaded, form)
    sheet = loaded.sheet
    form.find_melds(sheet, lenient=True)
    if sheet.hand.standing_ruling(form.instead_of.data or 0) is None:
        form.instead_of.data = None
    if form.player.data not in sheet.players:
        form.player.data = None
    drop_non_cards(form)
    if refused:
        form.change.data = refused.errors[0][0]
        form.penalty_cards.data = form.penalty_cards.data or None  # a "no" is asked for again
    page = QuestionPage(loaded, form, refused, beside=("player", "cards", "onto", *OF_DRAW, "turn"))
    if form.ask.data == "lay_off" and not page.table.melds and form.add.data != LIES:
        # The cards of the meld are asked for before those laid off.
        form.fill({"cards": (), "laid_off": form.cards.data or form.laid_off.data})
    return _page(page.template, page, refused, top=top_of_pile(page))


def _page(
    template: str, page: QuestionPage, refused: Refused | None = None, **context: Any
) -> ResponseReturnValue:
    # No undo where cards are tapped: it could be taken for removing one of them.
    context |= {"page": page, "is_entry": template != "kinds"}
    context |= upcoming_context(page.sheet, page.form.hand.data, IT_WAITS)
    return form_page(f"rulings/{template}.html", page.loaded, "Rulings", refused, **context)


def _ask_facts(loaded: LoadedGame, form: RulingForm, *facts: str) -> ResponseReturnValue:
    page = QuestionPage(_with_hand(loaded, form), form)
    shown = facts_page(page, facts)
    if shown is None:  # the address asks for a fact that no ruling depends on
        return _form_page(loaded, form)
    return _page("facts", page, asks=" ".join(fact.says for fact in shown["wanted"]), **shown)


def drop_non_cards(form: RulingForm) -> None:
    """Drop texts that are no cards, and what wild cards stand for: the form is shown again.

    "none" stays where it says that no card lies there.
    """
    form.seen.data = tuple(meld for meld in form.seen.data if all(map(_card_in, meld.split())))
    for cards in (form.cards, form.laid_off, form.above):
        if cards is not form.above or cards.data != ("none",):
            cards.data = tuple(filter(None, map(_card_in, cards.data)))
    for card in (form.drawn, form.top, form.under):
        if card is form.drawn or card.data != "none":
            card.data = _card_in(card.data)


def _card_in(text: str) -> str:
    """Return the card that was played, without what it stands for; empty if the text is none."""
    with suppress(Malformed):
        return parse_offered(text).card.text
    return ""


# -- what the wild cards stand for ----------------------------------------------------------------


def read_wild_card(form: RulingForm, sheet: ScoreSheet) -> None:
    """Put the chosen reading, if any, into the other fields; raise `NotPossible` or `Malformed`."""
    if not form.reading.data:
        return
    chosen = parse_meld_text(form.reading.data)
    known = [offered for offered in chosen if offered.stands_for is not None]
    number, plays = form.wild.data, list(form.added)
    kind = "" if form.add.data == LIES else form.ask.data
    if kind == "swap":
        onto, melds = form.onto.data or 0, form.question(sheet).melds
        check_onto(onto, len(melds))
        low = chosen[0].stands_for or chosen[0].card
        form.joker_to.data = "high" if low == melds[onto].identities[0] else "low"
    elif kind not in OF_SEVERAL:
        cards = identified(parse_meld_text(form.cards.data), known)
        form.cards.data = tuple(offered.text for offered in cards)
    elif number is not None and number < len(plays):
        play = plays[number]
        if isinstance(play, MeldPlay | LayOff):
            plays[number] = replace(play, cards=identified(play.cards, known))
        form.play.data = tuple(play.text for play in plays)


def reading_page(
    loaded: LoadedGame, form: RulingForm, problem: OpenWildCard, endpoint: str
) -> ResponseReturnValue:
    """Return the page that asks what a wild card stands for, and sends the form again with that."""
    loaded = _with_hand(loaded, form)
    fields = [("hand", loaded.sheet.hand.number), *form.sent("hand"), ("wild", problem.play)]
    fields += [("add", form.add.data)] if form.add.data else []
    drop_non_cards(form)
    page = QuestionPage(loaded, form)
    wilds = [parse_card(card).shown for card in problem.wilds]
    groups: dict[str, list[str]] = {}
    for meld in problem.readings:
        legend = _("As %(kind)s", kind=page.rules.limits.term(meld.kind).a)
        groups.setdefault(legend, []).append(meld.text)
    if problem.choices:
        groups = {_("%(card)s stands for", card=wilds[0]): [*problem.choices]}
    asks = ngettext(
        "Which card does %(wilds)s stand for?",
        "Which cards do %(wilds)s stand for?",
        len(wilds),
        wilds=listed(wilds),
    )
    ways = len(problem.readings)
    action = url_for(endpoint, game_id=loaded.record.id)
    shown: dict[str, Any] = {"asks": asks, "wilds": wilds, "ways": ways, "groups": groups}
    return _page("reading", page, action=action, fields=fields, **shown)
