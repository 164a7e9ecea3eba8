"""Asking for a ruling: what is in dispute, what decides, and the ruling that is kept."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, Final

from flask import redirect, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.notebook.board import why_not_there
from companion.notebook.events import CardTurned, Entry, Event, NotPossible
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import parse_card, parse_meld_text
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.language import gettext as _, listed, ngettext, noted
from companion.rules.question import DRAW, Depends, Question
from companion.rules.table import MeldPlay, parse_table, position_text
from companion.services.game_log import LoadedGame, as_meant
from companion.services.rulings import judge, next_to_play, open_readings, ruled
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
from companion.web.hand import tell_turned
from companion.web.pages import Page, form_page, game_page, of_upcoming, past_hand_page
from companion.web.rulings import bp
from companion.web.rulings.facts import facts_asked
from companion.web.rulings.form import LIES, MOST_PLAYS, MOST_SEEN, RulingForm, form_address
from companion.web.rulings.kinds import kinds_context
from companion.web.rulings.plays import OF_SEVERAL, OpenWildCard, parsed_plays, question_steps
from companion.web.rulings.question import (
    A_QUESTION_WAITS,
    THE_QUESTION_WAITS,
    QuestionPage,
    drawn,
    question_page,
)
from companion.web.templating import marked

# The fields of a form beside which an error can stand.
FIELDS = frozenset({"player", "cards", "onto", "turn", "drawn", "above"})
# The parts of a draw that are entered on pages of their own.
_OF_DRAW: Final = frozenset({"drawn", "above"})


@bp.get("/games/<game_id>/ruling")
def form(game_id: str) -> ResponseReturnValue:
    """Return the page that asks whose play is in dispute, which kind, and then its cards.

    With ``change`` it asks for that fact of a ruling again.
    """
    loaded, form = loaded_game(game_id), RulingForm(request.args)
    if is_past(loaded.sheet, form.hand.data):  # an old address: nothing of it is asked in this hand
        form = RulingForm(None, data={"ask": form.ask.data, "player": form.player.data})
    change = request.args.get("change", "")
    try:
        parsed_plays(form.play.data)
        if change and change not in _OF_DRAW and not loaded.sheet.over:
            form.find_melds(loaded.sheet)
            form.add_last_meld()
            return _ask_facts(loaded, form, [change])
    except (NotPossible, Malformed) as problem:
        form.play.data = ()
        return _form_page(loaded, form, _refused(problem, loaded))
    return _form_page(loaded, form)


@bp.post("/games/<game_id>/ruling")
def ask(game_id: str) -> ResponseReturnValue:
    """Rule on it and keep the ruling, or ask what it depends on first."""
    loaded = loaded_game(game_id)
    form, number = RulingForm(request.form), hand_sent(loaded.sheet)
    earlier: list[Entry] = []
    try:
        meant = as_meant(loaded, key_sent())
        if not is_past(meant.sheet, number):  # else it is refused as it is
            if _is_step(loaded, form):
                return redirect(form_address(game_id, form.data), 303)
            form.find_melds(meant.sheet)
            form.add_last_meld()
            form.read_wild_card(meant.sheet)
            earlier = _say_turned(game_id, form, meant.sheet)
        _, entry = write_action(game_id, lambda sheet: _ruled(sheet, form), *earlier)
    except UnknownFacts as problem:
        return _ask_facts(loaded_game(game_id), form, problem.args)
    except OpenWildCard as problem:
        return reading_page(loaded_game(game_id), form, problem, "rulings.ask")
    except (NotPossible, Malformed) as problem:
        return _form_page(loaded, form, _refused(problem, loaded))
    except Refused as refused:
        return _form_page(refused.loaded, form, refused)
    return redirect(url_for("rulings.show", game_id=game_id, number=entry.number), 303)


def _refused(problem: ValueError, loaded: LoadedGame) -> Refused:
    return Refused(422, [(field_id(problem), str(problem))], loaded)


class UnknownFacts(ValueError):
    """The ruling depends on facts that nobody stated: ``args`` are their names."""


def _ruled(sheet: ScoreSheet, form: RulingForm) -> Event:
    question = form.question(sheet)
    try:
        found = judge(sheet, question)
    except Ambiguous as problem:
        raise OpenWildCard.of(problem) from None
    if isinstance(found, Depends):
        raise UnknownFacts(*found.on)
    is_open = open_readings(question, found)
    if is_open is not None:
        raise OpenWildCard.among(*is_open)
    return ruled(sheet, form.seat(sheet), question, found, form.instead_of.data)


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
    kind, step = form.ask.data, form.draw_step
    lacks_player = step == "player" and form.player.data is None
    if form.add.data == LIES:
        _add_meld_there(form, loaded.sheet)
    elif form.unsee.raw_data:
        _remove_seen(form)
    elif kind in (*OF_SEVERAL, DRAW) and (form.add.data or form.drop.raw_data):
        with_hand_of(loaded, form.hand)
        _add_or_drop(form)
    elif kind == DRAW and (form.next.data or step in _OF_DRAW or lacks_player):
        if not form.above.data and form.next.data == "above":
            raise NotPossible("Tap the cards that lay above it, or say that none did.", "above")
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
    recorded = position_text(form.board(sheet).table)[0]
    try:
        table = parse_table([*recorded, *seen], (), rules)
        problem = why_not_there(table, MeldPlay(parse_meld_text(cards)), rules)
        if problem:
            raise NotPossible(problem, "cards")
        melds = [*(meld.text for meld in table.melds), " ".join(cards)]
        seen = (*seen, parse_table(melds, (), rules, "cards").melds[-1].text)[:MOST_SEEN]
    except Ambiguous as problem:
        raise OpenWildCard.of(problem) from None
    onto = len(recorded) + len(seen) - 1
    under = {"cards": form.laid_off.data, "laid_off": (), "lying": None}
    form.fill({"seen": seen, "onto": onto} | under)


# -- the pages of a question ----------------------------------------------------------------------


def _form_page(
    loaded: LoadedGame, form: RulingForm, refused: Refused | None = None
) -> ResponseReturnValue:
    """Return the page on which the question is entered, or entered again with what is wrong."""
    number, kind = form.hand.data, form.ask.data
    if refused is not None and number is not None and is_past(loaded.sheet, number):
        return past_hand_page(refused, number, "A ruling", "Rulings")
    loaded = with_hand_of(loaded, form.hand)
    sheet = loaded.sheet
    form.find_some_melds(sheet)
    lies_none = not (form.seen.data or form.board(sheet).table.melds)
    if kind == "lay_off" and lies_none and form.add.data != LIES:  # the meld's cards come first
        form.fill({"cards": (), "laid_off": form.cards.data or form.laid_off.data})
    if form.replaces(sheet) is None:
        form.instead_of.data = None
    known = kind in sheet.hand.rules.disputes and not sheet.over
    if form.player.data not in sheet.players:
        # A form that is asked for without a player has them all to choose from.
        form.player.data = None if known else next_to_play(sheet)
    form.leave_out_no_cards()
    errors = refused.errors if refused else []
    errors[:] = [(at if at in FIELDS else "cards", says) for at, says in errors]
    if not known:
        page = question_page(loaded, form, errors)
        return _page("rulings/kinds.html", page, refused, **kinds_context(loaded, form))
    step = ""
    if kind == DRAW:
        step = errors[0][0] if errors else request.args.get("change", "")
        step = step if step in _OF_DRAW else form.draw_step
    page = question_page(loaded, form, errors, step)
    return _page(f"rulings/{page.kind.template}.html", page, refused)


def _page(
    template: str, page: QuestionPage, refused: Refused | None = None, **context: Any
) -> ResponseReturnValue:
    waits = THE_QUESTION_WAITS if page.kind.what else A_QUESTION_WAITS
    context |= {"page": page} | of_upcoming(page.sheet, page.form.hand.data, waits)
    return form_page(template, page.loaded, "Rulings", refused, **context)


_NOBODY_KNOWS: Final = noted("If nobody knows, there is no ruling, and nobody is charged.")


def _ask_facts(loaded: LoadedGame, form: RulingForm, facts: Sequence[str]) -> ResponseReturnValue:
    """Return the page that asks for what the ruling depends on; the pile comes last."""
    loaded = with_hand_of(loaded, form.hand)
    sheet, question = loaded.sheet, form.question(loaded.sheet)
    wanted = facts_asked([fact for fact in facts if fact != "pile"], form, sheet)
    if not wanted:
        return _ask_pile(loaded, form, question)
    page, only = question_page(loaded, form), wanted[0]
    heading, hint = only.says, [_("The ruling depends on it."), only.hint, _(_NOBODY_KNOWS)]
    if len(wanted) > 1:
        heading, hint = _("The ruling depends on this"), []
    return _page(
        "rulings/facts.html",
        page,
        title=only.says,
        heading=heading,
        hint=" ".join(filter(None, hint)),
        asks=" ".join(one.says for one in wanted),
        wanted=wanted,
        fields=page.fields_as_sent(*(one.name for one in wanted)),
        kept=page.kept_as(_("play")),
        steps=question_steps(question, page.rules),
        called_in=sheet.names[form.turn.data or 0] if question.call else "",
        change=_("Change the call") if question.call else _("Change the cards"),
    )


def _ask_pile(loaded: LoadedGame, form: RulingForm, question: Question) -> ResponseReturnValue:
    """Return the page that asks for the top of the pile, or what lay under it if that is known."""
    discarded, known = question.discarded, question.pile.cards
    if discarded is None:
        return _form_page(loaded, form)  # an address that asks for what no ruling depends on
    if request.args.get("change"):
        known = ()
    if known:
        form.top.data = known[-1].text
    page = question_page(loaded, form)
    name, asks, legend = "top", _("What was on top of the pile before"), _("The card on top")
    if known:
        name, asks, legend = "under", _("What lay under"), _("The card under it")
    over = known[-1] if known else discarded
    taken = {text: where for text, where in page.table.taken.items() if where == _("table")}
    taken |= {one.text: _("pile") for one in known} | {discarded.text: _("discard")}
    depends = noted(
        "The ruling on %(card)s depends on it. "
        "If nobody knows, there is no ruling, and nobody is charged."
    )
    return _page(
        "rulings/facts.html",
        page,
        title=_("The pile"),
        heading=Markup("{} {}?").format(asks, drawn("card", over.text)),
        hint=_(depends, card=discarded.shown),
        asks=f"{asks} {over.shown}?",
        field=name,
        buttons=_pile_buttons(page, taken, name),
        cells=page.grid(name, taken=taken, legend=legend, quiet=True),
        fields=page.fields_as_sent(name, "under"),
        kept=page.kept_as(_("discard")),
    )


def _pile_buttons(
    page: QuestionPage, taken: Container[str], name: str
) -> list[tuple[str, str | Markup]]:
    """Return what one tap says of the ``top`` of the pile, or of the card ``under`` it."""
    top, pile = page.form.top.data, page.form.board(page.sheet).table.pile
    texts = [card.text for card in pile]
    if top:  # what lay under it is asked for
        texts = texts[: texts.index(top)] if top in texts else []
    buttons: list[tuple[str, str | Markup]] = []
    if texts and texts[-1] not in taken:
        card = drawn("card", texts[-1])
        buttons.append((texts[-1], marked(noted("%(card)s, as recorded"), card=card)))
    if name == "under":
        return [*buttons, ("none", _("Nothing lay under it"))]
    buttons.append(("none", _("The pile was empty")))
    if page.rules.takes_pile:
        took = marked(noted("<bdi>%(name)s</bdi> took the pile first"), name=page.name)
        buttons.append(("none", took))
    return buttons


def reading_page(
    loaded: LoadedGame, form: RulingForm, problem: OpenWildCard, endpoint: str
) -> Page:
    """Return the page that asks what a wild card stands for, and sends the fields again with it."""
    page, add = question_page(with_hand_of(loaded, form.hand), form), form.add.data
    (card, choices), *_others = problem.choices.items()
    wild = f"{problem.play}:{'' if problem.readings else card}"
    fields = [*page.fields_as_sent(), *([("add", add)] if add else []), ("wild", wild)]
    form.leave_out_no_cards()
    wilds = [parse_card(one).shown for one in problem.choices]
    says, is_legal = _("Later plays depend on it."), not add and form.ask.data != "turn"
    if is_legal:
        says = ngettext(
            "Now say which card %(wilds)s stands for: later plays depend on it.",
            "Now say what %(wilds)s stand for: later plays depend on it.",
            len(wilds),
            wilds=listed(wilds),
        )
    kinds = dict.fromkeys(meld.kind for meld in problem.readings)
    title = _("What does %(wilds)s stand for?", wilds=listed(wilds, "standard-narrow"))
    return game_page(
        "rulings/reading.html",
        page.loaded,
        "Rulings",
        title=title,
        asks=title,
        says=says,
        is_legal=is_legal,
        action=url_for(endpoint, game_id=loaded.record.id),
        fields=fields,
        kept={} if add else page.kept_as(_("play")),
        card=parse_card(card).shown,
        choices=() if problem.readings else choices,
        groups=[
            (
                _("As %(kind)s", kind=page.rules.limits.a(kind)),
                [meld for meld in problem.readings if meld.kind is kind],
            )
            for kind in kinds
        ],
        upcoming=form.hand.data,
    )
