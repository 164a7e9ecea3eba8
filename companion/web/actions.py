"""Load the game that a request is about, and write a form's event into it.

A phone without a network can open pages of upcoming hands and of the next game. They show the
dealer and the wild cards, but no totals, which nobody knows yet. The next game's pages are at the
addresses that it will have, and name the game before it: ``?before=<id>``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from flask import Response, abort, after_this_request, has_request_context, request
from wtforms import StringField

from companion.notebook.endings import ending_of
from companion.notebook.events import Entry, Event, NotPossible
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.errors import Illegal, Malformed
from companion.rules.language import gettext as _, noted
from companion.services import NotFound, game_log
from companion.services.game_log import Conflict, LoadedGame, Make, load_game
from companion.services.games import next_game
from companion.store import is_key
from companion.web.auth import database, marker_id, notebook_marker
from companion.web.fields import Form, SmallNumberField, small_number

Errors = list[tuple[str, str]]

# Endpoints with a page for each upcoming hand, and those with one page for the next game.
PER_HAND: Final = frozenset(
    {
        "hand.show",
        "save_hand.form",
        "penalties.form",
        "rulings.form",
        "table.show",
        "disputes.may_i",
    }
)
PER_GAME: Final = frozenset({"rules.of_game", "hand.turned_form", "offline.hands_together"})
# A phone sends the first header with an action that it kept (`companion.web.offline`). The answer
# has the second header once for each entry that was made, with its number.
ACTION: Final = "X-Action"
ENTRIES: Final = "X-Entries"


@dataclass(eq=False)
class Refused(Exception):
    """An action that was not written, and why.

    ``status`` is 422 (not possible) or 409 (the game has changed); ``errors`` pairs the id of a
    field with a sentence; ``loaded`` is the game now, ``meanwhile`` the entries that the marker had
    not seen, ``meant`` the event that was not written.
    """

    status: int
    errors: Errors
    loaded: LoadedGame
    meanwhile: Sequence[Entry] = ()
    meant: Event | None = None


def form_key(game_id: str, base: int, form: str) -> str:
    """Return the idempotency key of this marker's form after entry ``base``; it never changes.

    A phone that keeps a second action on the same base gives it another key (static/js/actions.js).
    """
    parts = (marker_id(), game_id, str(base), form)
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:20]


class ActionForm(Form):
    """The fields of every action's form: its key, its base, and the hand it was made for."""

    key = StringField()
    base = SmallNumberField(default=0)
    hand = SmallNumberField()


def key_sent() -> str:
    """Return the idempotency key in the form. Raises `NotPossible` if there is none."""
    key = ActionForm(request.form).key.data or ""
    if not is_key(key):
        raise NotPossible(
            "Part of this form was missing. What you entered is still here: try again."
        )
    return key


def loaded_game(game_id: str) -> LoadedGame:
    """Return the game if this browser is a marker of its notebook; otherwise answer 403 or 404.

    For a page of the next game, return that game as it is before it begins.
    """
    try:
        return load_game(database(), game_id, marker_id())
    except NotFound:
        return _next_game(game_id)


def _next_game(game_id: str) -> LoadedGame:
    """Return the next game with this id, not begun yet, if the address is one of its pages.

    Raises `NotFound` for any other address, and if this marker does not keep the game before it.
    Answers 403 to a marker of one game only, who cannot begin another.
    """
    endpoint = request.endpoint or ""
    if request.method != "GET" or endpoint not in PER_HAND | PER_GAME:
        raise NotFound("game")
    before = load_game(database(), request.args.get("before", ""), marker_id())
    notebook_marker()
    loaded = next_game(before)
    has_page = endpoint in PER_GAME or upcoming_hand(loaded.sheet) is not None
    if loaded.record.id != game_id or before.sheet.deleted or not has_page:
        raise NotFound("game")
    return loaded


def name_the_game_before(endpoint: str, values: dict[str, Any]) -> None:
    """On a page of the next game, add ``before``, the game before it, to links to its pages.

    It comes first in the query, as in the addresses that a phone keeps.
    """
    before = request.args.get("before") if has_request_context() else None
    if before is None or endpoint not in PER_HAND | PER_GAME:
        return
    if values.get("game_id") == (request.view_args or {}).get("game_id"):
        rest = {**values}
        values.clear()
        values.update({"before": before} | rest)


def upcoming_hands(sheet: ScoreSheet) -> range:
    """Return the numbers of the upcoming hands, up to the last one that the game can have.

    Before a game's first entry, all its hands are upcoming.
    """
    if sheet.over:
        return range(0)
    begun = sheet.hand.number if sheet.number else 0
    return range(begun + 1, ending_of(sheet).last_hand(sheet) + 1)


def upcoming_hand(sheet: ScoreSheet, number: int | None = None) -> HandSheet | None:
    """Return the hand ``number``, or that of ``?hand=``, if it is upcoming; otherwise None."""
    if number is None:
        number = request.args.get("hand", type=small_number)
    return sheet.open_hand(number) if number and number in upcoming_hands(sheet) else None


def hand_sent(sheet: ScoreSheet) -> int:
    """Return the number of the hand that the form was made for. Answers 400 if it has none."""
    number = ActionForm(request.form).hand.data
    if number is None or not 1 <= number <= sheet.game.hands:
        abort(400)
    return number


def is_past(sheet: ScoreSheet, number: int | None) -> bool:
    """True if a form was made for a hand that is neither the open one nor upcoming."""
    return number not in {None, sheet.hand.number, *upcoming_hands(sheet)}


def with_hand_of(loaded: LoadedGame, number: SmallNumberField) -> LoadedGame:
    """Return the game with the hand of this field open, if that hand is upcoming.

    Otherwise the field is emptied: its form is for the open hand.
    """
    sheet = loaded.sheet
    hand = None if number.data is None else upcoming_hand(sheet, number.data)
    if hand is None:
        number.data = None
        return loaded
    # What can be undone was done in the hand before.
    return replace(loaded, sheet=replace(sheet, hands=[*sheet.hands, hand], can_undo=None))


def check_hand(sheet: ScoreSheet, asked_in: int | None) -> None:
    """Raise `NotPossible` for a question asked in a hand that is not the open one.

    ``asked_in`` is None if the question does not say: its page was that of the open hand.
    """
    if asked_in not in {None, sheet.hand.number}:
        says = noted("This was for hand %(asked_in)s, and hand %(now)s is being played now.")
        raise NotPossible(says, asked_in=asked_in, now=sheet.hand.number)


def _answer_404_without(ability: str) -> None:
    if not getattr(loaded_game((request.view_args or {})["game_id"]).sheet.game, ability):
        abort(404)


# For `before_request`: 404 in a game without rulings, or where no cards are laid on the table.
needs_rulings: Final = partial(_answer_404_without, "has_rulings")
needs_table: Final = partial(_answer_404_without, "lays_on_table")


def write_action(game_id: str, action: Event | Make, *earlier: Entry) -> tuple[LoadedGame, Entry]:
    """Write the event of a form after its base, with its key; return the game and the new entry.

    ``action`` is the event, or a function that makes it from the score sheet. If one form makes
    several events, ``earlier`` are the entries that it has made. Raises `Refused`, which has
    everything to show the form again.
    """
    make = action if callable(action) else lambda _: action
    try:
        sent = ActionForm(request.form)
        key, base = key_sent(), sent.base.data or 0
        if earlier:
            key, base = f"{key[:97]}+{len(earlier)}", earlier[-1].number
        written = game_log.write(
            database(), game_id, marker_id(), base=base, key=key, make=make, hand=sent.hand.data
        )
        add_entry_header(written[1].number)
        return written
    except Conflict as conflict:
        sentence = _(
            "The game has changed since this page was opened. Check what changed, then try again."
        )
        raise Refused(
            409, [("", sentence)], conflict.loaded, conflict.meanwhile, conflict.meant
        ) from None
    except (NotPossible, Malformed, Illegal) as problem:
        raise Refused(422, [(field_id(problem), str(problem))], loaded_game(game_id)) from None


def field_id(problem: ValueError) -> str:
    """Return the id of the form's field that a problem is about; empty if it is about none."""
    match problem:
        case NotPossible(field=at) | Malformed(where=at):
            return at.replace(".", "-")
    return ""


def refusals(*checks: Callable[[], object]) -> Errors:
    """Return what these checks refuse: the first error of each field."""
    errors = dict[str, str]()
    for check in checks:
        try:
            check()
        except (NotPossible, Malformed) as problem:
            errors.setdefault(field_id(problem), str(problem))
    return [*errors.items()]


def add_entry_header(number: int) -> None:
    """Tell a phone that had kept the action the number of its entry, made now or earlier."""

    def add(response: Response) -> Response:
        response.headers.add(ENTRIES, number)
        return response

    if ACTION in request.headers:
        after_this_request(add)
