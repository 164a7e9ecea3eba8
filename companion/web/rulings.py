"""Disputes: asking for a ruling, keeping it, carrying it out."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, flash, redirect, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.events import DECLARE, Event
from companion.notebook.refusal import NotPossible
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.words import plays_in_words
from companion.rules.cards import parse_meld_text
from companion.rules.errors import Ambiguous, Malformed
from companion.services.acts import as_meant
from companion.services.books import Book
from companion.services.pile import is_missing, is_whole
from companion.services.rulings import enforced, given, judge
from companion.web.acting import Refused, act, book_of, field_id, key_sent, needs_rulings
from companion.web.open_reading import Open, open_answer, open_play, open_readings
from companion.web.pages import game_page, refused_page
from companion.web.play_form import added, number_in, parsed_plays
from companion.web.question_page import in_its_hand, question_context, who_plays
from companion.web.rulings_form import MOST_PLAYS, OF_SEVERAL, Asked, ask_url, read_asked
from companion.web.taken_back import done
from companion.web.verdict import find, seen

bp = Blueprint("rulings", __name__)
bp.before_request(needs_rulings)

FORMS = {
    "": "rulings/ask.html",
    "discard": "rulings/discard.html",
    "meld": "rulings/meld.html",
    "lay_off": "rulings/meld.html",
    "swap": "rulings/swap.html",
    "contract": "rulings/contract.html",
    "turn": "rulings/turn.html",
    DECLARE: "rulings/declare.html",
}
FIELDS = frozenset({"player", "cards", "onto"})


@bp.get("/games/<game_id>/rulings")
def index(game_id: str) -> ResponseReturnValue:
    """Every ruling of the game, those of the open hand first."""
    book = book_of(game_id)
    hands = [(hand, hand.all_rulings[::-1]) for hand in reversed(book.sheet.hands)]
    plays = {
        line.entry.number: plays_in_words(line.given) for hand, _ in hands for line in hand.rulings
    }
    return game_page("rulings/index.html", book, "Rulings", hands=hands, plays=plays)


# -- asking ---------------------------------------------------------------------------------------


@bp.get("/games/<game_id>/ruling")
def form(game_id: str) -> ResponseReturnValue:
    """What is in dispute: whose play, which kind, and then its cards."""
    book = book_of(game_id)
    asked = read_asked(request.args)
    try:
        parsed_plays(asked.plays)
    except Malformed as problem:
        return _form(replace(asked, plays=()), _refused(problem, book))
    return _form(asked, book)


@bp.post("/games/<game_id>/ruling")
def ask(game_id: str) -> ResponseReturnValue:
    """Rule on it and keep the ruling, or ask what is missing first."""
    book = book_of(game_id)
    asked = read_asked(request.form)
    try:
        if asked.ask in OF_SEVERAL and ("add" in request.form or "drop" in request.form):
            return _composed(book, asked)
        meant = as_meant(book, key_sent())
        asked = _with_readings(asked.whole.found(meant.sheet), meant.sheet)
        wanted = _wanted(meant, asked)
        if wanted:
            return _ask_pile(book, asked, wanted)
        if asked.tells_pile:
            act(game_id, asked.pile_seen)
        _, entry = act(game_id, lambda sheet: _given(sheet, asked), step=int(asked.tells_pile))
    except Open as problem:
        if asked.tells_pile:
            asked = replace(asked, top="", under="none")
        return _ask_reading(book_of(game_id), asked, problem)
    except (NotPossible, Malformed) as problem:
        return _form(asked, _refused(problem, book))
    except Refused as refused:
        return _form(asked, refused)
    return redirect(url_for("rulings.show", game_id=game_id, number=entry.number), 303)


def _given(sheet: ScoreSheet, asked: Asked) -> Event:
    question = asked.question(sheet)
    try:
        answer = judge(sheet, question)
    except Ambiguous as problem:
        raise open_play(problem) from None
    if answer.open_readings:
        raise open_answer(answer)
    if answer.open_melds:
        raise open_readings(*answer.open_melds[0])
    return given(sheet, question)


def _refused(problem: ValueError, book: Book) -> Refused:
    return Refused(422, [(field_id(problem), str(problem))], book)


def _composed(book: Book, asked: Asked) -> ResponseReturnValue:
    """The turn with one play more or fewer, at an address of its own. Nothing is written down."""
    _, asked = in_its_hand(book, asked)
    plays = [play.text for play in parsed_plays(asked.plays)]
    drop = request.form.get("drop", "")
    if drop:
        plays = [play for number, play in enumerate(plays) if str(number) != drop]
    elif len(plays) < MOST_PLAYS:
        plays.append(added(request.form.get("add", ""), asked.cards).text)
    else:
        raise NotPossible("No turn has so many plays.", "cards")
    asked = replace(asked, cards=(), onto=None, plays=tuple(plays))
    return redirect(ask_url(book.record.id, asked), 303)


def _with_readings(asked: Asked, sheet: ScoreSheet) -> Asked:
    """The question with what the marker chose for a wild card, if that is what was sent."""
    number, text = chosen_reading()
    if not text:
        return asked
    if asked.ask == "swap":
        return asked.moved(parse_meld_text(text), sheet.hand.board.table)
    return asked.standing(number, parse_meld_text(text))


def chosen_reading() -> tuple[int, str]:
    """The play whose wild card was asked about, and what was chosen for it, as card text."""
    number, _, wild = request.form.get("wild", "")[:10].partition(":")
    stands = request.form.get("stands", "")[:10]
    text = f"{wild}={stands}" if stands else request.form.get("reading", "")[:300]
    return number_in(number) or 0, text


def _wanted(book: Book, asked: Asked) -> str:
    """What the ruling needs to know of the pile: its ``top``, the card ``under`` it, or nothing."""
    hand = book.sheet.hand
    asked.question(book.sheet)  # what is no question is refused before anything is asked back
    card = asked.discarded()
    if card is None:
        return ""
    if asked.top == "ask":
        return "top"
    if asked.is_pile_told(is_whole(book)):
        return ""
    table = asked.table(hand.board.table)
    if not is_missing(hand.rules, table, card):
        return ""
    return "under" if table.pile else "top"


# -- the pages of a question ----------------------------------------------------------------------


def _form(asked: Asked, of: Book | Refused) -> ResponseReturnValue:
    """The page on which the question is entered, or entered again with what is wrong."""
    refused = of if isinstance(of, Refused) else None
    book = of.book if isinstance(of, Refused) else of
    book, asked = in_its_hand(book, asked)
    sheet = book.sheet
    asked = asked.found_in_part(sheet)
    known = asked.ask in sheet.hand.rules.asks and not sheet.over
    if asked.player not in sheet.players:
        # A form that is asked for without a player has them all to choose from.
        asked = replace(asked, player=None if known else who_plays(sheet, next_claim=True))
    template = FORMS[asked.ask if known else ""]
    context = question_context(book, asked.shown)
    if refused is None:
        return game_page(template, book, "Rulings", errors=[], **context)
    refused.book = book
    refused.errors = [(at if at in FIELDS else "cards", says) for at, says in refused.errors]
    return refused_page(template, refused, "Rulings", **context)


def _ask_pile(book: Book, asked: Asked, wanted: str) -> ResponseReturnValue:
    context = question_context(book, replace(asked, hand=None))
    pile = () if wanted == "top" else asked.pile(book.sheet.hand.board.table.pile)
    card = asked.discarded()
    lies = {card: where for card, where in context["laid"].lies.items() if where == "table"}
    lies |= {one.text: "pile" for one in pile}
    lies |= {one.text: "discard" for one in (card,) if one}
    context |= {"wanted": wanted, "discarded": card, "lies": lies, "on_top": pile[-1:]}
    return game_page("rulings/pile.html", book, "Rulings", **context)


def _ask_reading(book: Book, asked: Asked, problem: Open) -> ResponseReturnValue:
    context = question_context(book, replace(asked, hand=None))
    return game_page(
        "rulings/reading.html",
        book,
        "Rulings",
        open=problem,
        action=url_for("rulings.ask", game_id=book.record.id),
        fields=asked.fields,
        is_ruling=True,
        **context,
    )


# -- the ruling -----------------------------------------------------------------------------------


@bp.get("/games/<game_id>/rulings/<int:number>")
def show(game_id: str, number: int) -> ResponseReturnValue:
    """A ruling with its question, the table that it was given on, and what follows."""
    book = book_of(game_id)
    return game_page("rulings/show.html", book, "Rulings", errors=[], **seen(book, number))


@bp.post("/games/<game_id>/rulings/<int:number>/enforce")
def enforce(game_id: str, number: int) -> ResponseReturnValue:
    """Carry a ruling out: charge what it costs, and take the play or the turn back."""
    book = book_of(game_id)
    hand, _, _ = find(book, number)
    try:
        after, entry = act(game_id, lambda sheet: enforced(sheet, hand.number, number))
    except Refused as refused:
        return refused_page("rulings/show.html", refused, "Rulings", **seen(refused.book, number))
    what = done(after, entry)
    flash(what.says, "success")
    # Where cards of the turn stay on the recorded table, that is what has to be looked at next.
    return redirect(url_for("table.show" if what.stays else "hand.show", game_id=game_id), 303)
