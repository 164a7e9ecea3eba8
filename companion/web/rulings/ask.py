"""Asking for a ruling: what is in dispute, what decides, and the ruling that is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from flask import redirect, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.board import why_not_there
from companion.notebook.events import CardTurned, Entry, Event, NotPossible
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import parse_card, parse_meld_text
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.question import CALL, DECLARE, DRAW, Depends
from companion.rules.table import MeldPlay, parse_table, position_text
from companion.services.game_log import LoadedGame, as_meant
from companion.services.rulings import (
    CALL_FACTS,
    TURNED,
    judge,
    next_to_play,
    open_readings,
    ruled,
)
from companion.web.actions import Refused, field_id, key_sent, loaded_game, write_action
from companion.web.fields import number_or_none, small_number
from companion.web.hand import hand_sent, is_past, past_hand_page, tell_turned
from companion.web.pages import game_page, refused_page
from companion.web.rulings.facts import facts_asked
from companion.web.rulings.form import MOST_PLAYS, MOST_SEEN, OF_SEVERAL, RulingForm
from companion.web.rulings.kinds import kinds_page
from companion.web.rulings.plays import (
    Open,
    added,
    open_among,
    open_play,
    parsed_plays,
    question_steps,
)
from companion.web.rulings.question import QuestionPage, begun_says, question_page
from companion.web.rulings.verdict import bp
from companion.web.upcoming import book_ahead

FORMS = {
    "": "rulings/kinds.html",
    "discard": "rulings/discard.html",
    "meld": "rulings/meld.html",
    "lay_off": "rulings/meld.html",
    "swap": "rulings/swap.html",
    "contract": "rulings/melds.html",
    "turn": "rulings/turn.html",
    DECLARE: "rulings/melds.html",
    CALL: "rulings/call.html",
    DRAW: "rulings/draw.html",
}
FIELDS = frozenset({"player", "cards", "onto", "turn", "drawn", "above"})
# What an address may ask for again, and the fact that it is.
CHANGES = {"contract": "contract_met", "pile": "pile"} | {fact: fact for fact in CALL_FACTS}
# The button that says of tapped cards that they lie on the table as a meld.
LIES = "lies"


@bp.get("/games/<game_id>/ruling")
def form(game_id: str) -> ResponseReturnValue:
    """What is in dispute: whose play, which kind, and then its cards.

    With ``change`` it asks for that fact of a ruling again.
    """
    loaded, asked = loaded_game(game_id), RulingForm.read(request.args)
    if is_past(
        loaded.sheet, asked.hand.data
    ):  # an old address: nothing of it is asked in this hand
        asked = RulingForm(data={"ask": asked.ask.data, "player": asked.player.data})
    try:
        parsed_plays(asked.plays.data)
        changed = request.args.get("change", "")
        is_step = asked.ask.data == DRAW and changed not in CHANGES
        if changed and not loaded.sheet.over and not is_step:
            return _ask_facts(
                loaded, asked.whole.found(loaded.sheet), [CHANGES.get(changed, "pile")]
            )
    except (NotPossible, Malformed) as problem:
        return _form(asked.but(plays=()), _refused(problem, loaded))
    return _form(asked, loaded)


@bp.post("/games/<game_id>/ruling")
def ask(game_id: str) -> ResponseReturnValue:
    """Rule on it and keep the ruling, or ask what it depends on first."""
    loaded = loaded_game(game_id)
    asked, number = RulingForm.read(request.form), hand_sent(loaded.sheet)
    said: list[Entry] = []
    try:
        meant = as_meant(loaded, key_sent())
        if not is_past(meant.sheet, number):  # else it is refused as it is
            composed = _composing(loaded, asked)
            if composed is not None:
                return composed
            asked = _with_readings(asked.whole.found(meant.sheet), meant.sheet)
            said = _say_turned(game_id, meant.sheet)
        _, entry = write_action(game_id, lambda sheet: _ruled(sheet, asked), *said)
    except Unsaid as problem:
        return _ask_facts(loaded_game(game_id), asked, problem.facts)
    except Open as problem:
        return _ask_reading(loaded_game(game_id), asked, problem)
    except (NotPossible, Malformed) as problem:
        return _form(asked, _refused(problem, loaded))
    except Refused as refused:
        return _form(asked, refused)
    return redirect(url_for("rulings.show", game_id=game_id, number=entry.number), 303)


def _composing(loaded: LoadedGame, asked: RulingForm) -> ResponseReturnValue | None:
    """The next page of a question that is put together; None if it is to be ruled on now."""
    adds = request.form.get("add", "")
    if adds == LIES:
        return _with_meld_there(loaded, asked)
    kind, is_added = asked.ask.data, bool(adds) or "drop" in request.form
    if "unsee" in request.form:
        asked = asked.without_seen(request.form.get("unsee", type=small_number))
    elif kind in (*OF_SEVERAL, DRAW) and is_added:
        asked = _composed(in_its_hand(loaded, asked)[1])
    elif kind == DRAW and (asked.lacks_player or "next" in request.form):
        if not asked.above.data and request.form.get("next") == "above":
            raise NotPossible("Tap the cards that lay above it, or say that none did.", "above")
    else:
        return None
    return redirect(asked.url(loaded.record.id), 303)


class Unsaid(ValueError):
    """The ruling depends on facts that nobody stated."""

    def __init__(self, facts: Sequence[str]) -> None:
        super().__init__("The ruling depends on what nobody has said yet.")
        self.facts = tuple(facts)


def _ruled(sheet: ScoreSheet, form: RulingForm) -> Event:
    asked = form.asked(sheet)
    try:
        found = judge(sheet, asked)
    except Ambiguous as problem:
        raise open_play(problem) from None
    if isinstance(found, Depends):
        raise Unsaid(found.on)
    is_open = open_readings(asked.question, found)
    if is_open is not None:
        raise open_among(*is_open)
    return ruled(sheet, asked, found)


def _say_turned(game_id: str, sheet: ScoreSheet) -> list[Entry]:
    """Put on record which card was turned up, if the form says it and the record does not.

    Returns the entry that this made, if it made one.
    """
    rank = request.form.get(TURNED, "")[:10]
    if not rank or not sheet.hand.lacks_turned:
        return []
    after, entry = write_action(game_id, lambda sheet: CardTurned(sheet.hand.number, rank))
    tell_turned(after.sheet.hand)
    return [entry]


def _refused(problem: ValueError, loaded: LoadedGame) -> Refused:
    return Refused(422, [(field_id(problem), str(problem))], loaded)


def _composed(asked: RulingForm) -> RulingForm:
    """The question with one play more or fewer. Raises `NotPossible` or `Malformed`."""
    plays = [play.text for play in parsed_plays(asked.plays.data)]
    drop = request.form.get("drop", "")
    if drop:
        plays = [play for number, play in enumerate(plays) if str(number) != drop]
    elif len(plays) < MOST_PLAYS:
        plays.append(added(request.form.get("add", ""), asked.with_drawn.cards.data).text)
    else:
        raise NotPossible("No turn has so many plays.", "cards")
    return asked.but(cards=(), onto=None, plays=plays)


def _with_meld_there(loaded: LoadedGame, asked: RulingForm) -> ResponseReturnValue:
    """The question with the tapped cards as a meld that lies on the table, not on record yet.

    It belongs to no player. Nothing is written down before the ruling is.
    """
    _, text = chosen_reading()
    sheet, asked = loaded.sheet, asked.found(loaded.sheet)
    if text:
        asked = asked.standing(0, parse_meld_text(text))
    cards = asked.cards.data
    if not cards:
        raise NotPossible("Tap the cards of the meld that lies there.", "cards")
    if asked.plays.data:
        raise NotPossible("Name the melds that lie there before the plays of the turn.", "cards")
    rules = sheet.hand.rules
    recorded, _ = position_text(asked.board(sheet).table)
    there = parse_table([*recorded, *asked.seen.data], (), rules)
    problem = why_not_there(there, MeldPlay(parse_meld_text(cards)), rules)
    if problem:
        raise NotPossible(problem, "cards")
    try:
        texts = [meld.text for meld in there.melds]
        melds = parse_table([*texts, " ".join(cards)], (), rules, "cards").melds
    except Ambiguous as open_card:
        return _ask_reading(loaded, asked, open_play(open_card), add=LIES)
    seen = (*asked.seen.data, melds[-1].text)[:MOST_SEEN]
    onto = len(recorded) + len(seen) - 1
    under = asked.but(cards=asked.laid_off.data, laid_off=(), seen=seen, onto=onto, lying=None)
    return redirect(under.url(loaded.record.id), 303)


def _with_readings(asked: RulingForm, sheet: ScoreSheet) -> RulingForm:
    """The question with what the marker chose for a wild card, if that is what was sent."""
    number, text = chosen_reading()
    if not text:
        return asked
    if asked.ask.data == "swap":
        return asked.moved(parse_meld_text(text), asked.asked(sheet).question.melds)
    return asked.standing(number, parse_meld_text(text))


def chosen_reading() -> tuple[int, str]:
    """The play whose wild card was asked about, and what was chosen for it, as card text."""
    number, _, wild = request.form.get("wild", "")[:10].partition(":")
    stands = request.form.get("stands", "")[:10]
    text = f"{wild}={stands}" if stands else request.form.get("reading", "")[:300]
    return number_or_none(number) or 0, text


# -- the pages of a question ----------------------------------------------------------------------


def _form(asked: RulingForm, of: LoadedGame | Refused) -> ResponseReturnValue:
    """The page on which the question is entered, or entered again with what is wrong."""
    refused = of if isinstance(of, Refused) else None
    loaded = of.loaded if isinstance(of, Refused) else of
    number = asked.hand.data
    if refused is not None and number is not None and is_past(loaded.sheet, number):
        return past_hand_page(refused, number, "A ruling", "Rulings")
    loaded, asked = in_its_hand(loaded, asked)
    sheet, kind = loaded.sheet, asked.ask.data
    asked = asked.found_in_part(sheet)
    if request.form.get("add") != LIES:
        asked = asked.asking_for_meld(sheet)
    if asked.replaces(sheet) is None:
        asked = asked.but(instead_of=None)
    known = kind in sheet.hand.rules.disputes and not sheet.over
    if asked.player.data not in sheet.players:
        # A form that is asked for without a player has them all to choose from.
        asked = asked.but(player=None if known else next_to_play(sheet))
    errors = refused.errors if refused else []
    errors = [(at if at in FIELDS else "cards", says) for at, says in errors]
    asked = asked.shown
    context: dict[str, Any] = {}
    if known:
        at = errors[0][0] if errors else request.args.get("change", "")
        at = at if at in {"drawn", "above"} else asked.draw_step
        page = question_page(loaded, asked, errors, at if kind == DRAW else "")
    else:
        page = question_page(loaded, asked, errors)
        context["kinds"] = kinds_page(loaded, ahead=asked.hand.data is not None)
    template = FORMS[kind if known else ""]
    return _page(template, loaded, asked, refused, errors=errors, page=page, **context)


def _page(
    template: str,
    loaded: LoadedGame,
    asked: RulingForm,
    refused: Refused | None = None,
    **context: Any,
) -> ResponseReturnValue:
    context["ahead_of"] = asked.hand.data
    context["begun_says"] = begun_says(asked, loaded.sheet.hand.rules)
    if refused is None:
        return game_page(template, loaded, "Rulings", **context)
    refused.loaded, refused.errors = loaded, context.pop("errors")
    return refused_page(template, refused, "Rulings", **context)


def _ask_facts(loaded: LoadedGame, asked: RulingForm, facts: Sequence[str]) -> ResponseReturnValue:
    """The page that asks for what the ruling depends on; the pile comes last."""
    loaded, asked = in_its_hand(loaded, asked)
    question, rules = asked.asked(loaded.sheet).question, loaded.sheet.hand.rules
    wanted = facts_asked([fact for fact in facts if fact != "pile"], asked, loaded.sheet)
    if wanted:
        page = question_page(loaded, asked)
        steps = question_steps(question, [meld.text for meld in question.melds], "", rules)
        shown: dict[str, Any] = {"page": page, "wanted": wanted, "steps": steps}
        shown["asks"] = " ".join(one.says for one in wanted)
        shown["called"] = loaded.sheet.names[asked.turn.data or 0] if page.is_call else ""
        return _page("rulings/facts.html", loaded, asked, **shown)
    if question.discarded is None:
        return _form(asked, loaded)  # an address that asks for what no ruling depends on
    asks_under = bool(question.pile.cards) and not request.args.get("change")
    top = question.pile.cards[-1].text if asks_under else ""
    asked = asked.but(top=top or asked.top.data)
    page = question_page(loaded, asked)
    lies = {card: where for card, where in page.laid.lies.items() if where == "table"}
    lies |= {card.text: "pile" for card in question.pile.cards if asks_under}
    lies[question.discarded.text] = "discard"
    pile = replace(
        _UNDER if asks_under else _TOP,
        card=top or question.discarded.text,
        discarded=question.discarded.shown,
        recorded=_recorded(asked, loaded.sheet, lies),
        lies=lies,
        can_be_taken=rules.takes_pile and not asks_under,
    )
    asks = f"{pile.asks} {parse_card(pile.card).shown}?"
    return _page("rulings/pile.html", loaded, asked, page=page, pile=pile, asks=asks)


@dataclass(frozen=True, slots=True)
class PilePage:
    """The card of the pile that a ruling depends on.

    ``name`` is the field that is asked for: the top of the pile before ``card``, or what lay under
    it; ``without`` are the fields that are not sent as they were. ``recorded`` is the card that the
    record has there, to be said with one tap; or nothing. ``lies`` are the cards that lie
    elsewhere.
    """

    without: Sequence[str]
    asks: str
    empty: str
    legend: str
    card: str = ""
    discarded: str = ""
    recorded: str = ""
    lies: Mapping[str, str] = field(default_factory=dict)
    can_be_taken: bool = False

    @property
    def name(self) -> str:
        """The field of the form that is asked for."""
        return self.without[0]


_TOP = PilePage(
    ("top", "under"),
    "What was on top of the pile before",
    "The pile was empty",
    "The card on top",
)
_UNDER = PilePage(("under",), "What lay under", "Nothing lay under it", "The card under it")


def _recorded(asked: RulingForm, sheet: ScoreSheet, lies: Mapping[str, str]) -> str:
    """The card that the record has there; where the top was said, the one under it."""
    pile = [card.text for card in asked.board(sheet).table.pile]
    top = asked.top.data
    if top:
        pile = pile[: pile.index(top)] if top in pile else []
    return pile[-1] if pile and pile[-1] not in lies else ""


def _ask_reading(
    loaded: LoadedGame, asked: RulingForm, problem: Open, add: str = ""
) -> ResponseReturnValue:
    loaded, asked = in_its_hand(loaded, asked)
    page = question_page(loaded, asked.shown)
    address = url_for("rulings.ask", game_id=loaded.record.id)
    hidden = [*question_page(loaded, asked).again(), *([("add", add)] if add else [])]
    return reading_page(page, problem, address, hidden, is_ruling=not add)


def reading_page(
    page: QuestionPage,
    problem: Open,
    action: str,
    hidden: Sequence[tuple[str, str]],
    *,
    is_ruling: bool,
) -> str:
    """A page that asks what a wild card stands for, and sends the fields again with the answer."""
    return game_page(
        "rulings/reading.html",
        page.loaded,
        "Rulings",
        page=page,
        asks=f"What does {', '.join(problem.wilds)} stand for?",
        open=problem,
        action=action,
        hidden=hidden,
        kept=page.kept(f"{page.whose} play") if is_ruling else {},
        is_legal=is_ruling and page.form.ask.data != "turn",
        ahead_of=page.form.hand.data,
    )


def in_its_hand(loaded: LoadedGame, asked: RulingForm) -> tuple[LoadedGame, RulingForm]:
    """The game as the question sees it: with its hand open, if that has not begun.

    Otherwise no page says which hand it was asked in: it is the open one's.
    """
    ahead = book_ahead(loaded, asked.hand.data)
    return (loaded, asked.but(hand=None)) if ahead is None else (ahead, asked)
