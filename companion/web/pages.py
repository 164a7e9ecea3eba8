"""What pages share: settings; on a game's pages navigation, undo, and what was saved meanwhile."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

from flask import (
    Blueprint,
    Response,
    current_app,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask.typing import ResponseReturnValue
from markupsafe import Markup
from werkzeug.exceptions import HTTPException

from companion.notebook.checks import why_over
from companion.notebook.describe import say
from companion.notebook.events import Event, Redone, Undone
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.language import gettext as _, noted
from companion.services.backups import newest
from companion.services.game_log import LoadedGame, who_wrote
from companion.web.actions import ActionForm, Errors, Refused, form_key
from companion.web.auth import database, game_only, marker_id
from companion.web.fields import Form
from companion.web.templating import chosen_language

bp = Blueprint("settings", __name__)

_RULE_NUMBER: Final = re.compile(r"[A-Z]{3}-\d")


@bp.app_template_filter()
def unbroken(sentence: str) -> Markup:
    """Return a sentence in which no rule number is broken at the end of a line."""
    nowrap = Markup('<span class="nowrap">{}</span>').format
    words = [
        nowrap(word) if _RULE_NUMBER.search(word) and "<" not in word else word
        for word in sentence.split(" ")
    ]
    return Markup(" ").join(words)


class Page(Response):
    """A page. ``says`` is its error, question or result; ``loaded`` is the game that it shows."""

    def __init__(self, page: str, says: str = "", loaded: LoadedGame | None = None) -> None:
        super().__init__(page)
        self.says, self.loaded = says, loaded


Drawn = TypeVar("Drawn", str, bytes)
_CACHE: Final[dict[Hashable, Any]] = {}
_MOST_CACHED: Final = 128


def cached(name: Hashable, draw: Callable[[], Drawn]) -> Drawn:
    """Return the page or picture of that name from the cache; draw it if it is not there.

    The name must contain everything that the page depends on. Phones at a table ask for the same
    few pages again and again, and to draw one takes as long as six bare pages (docs/benchmarks.md).
    """
    page: Drawn | None = _CACHE.get(name)
    if page is None:
        page = draw()
        if len(_CACHE) >= _MOST_CACHED:
            _CACHE.clear()
        _CACHE[name] = page
    return page


def cached_page(loaded: LoadedGame, draw: Callable[[], Page]) -> Page:
    """Return the page at this address as it was drawn for this marker, look and last entry.

    Nothing else that differs between two requests may be on it. A page with a flashed message is
    drawn and not cached.
    """
    if "_flashes" in session or "csrf_token" not in session:
        return draw()
    record = loaded.record
    name = (
        *(request.script_root + request.path, record.id, record.last_number, record.updated_at),
        *(chosen_language(), *settings().values()),
        *(marker_id(), session["csrf_token"], game_only()),
    )
    return Page(cached(name, lambda: draw().get_data(as_text=True)), loaded=loaded)


def game_page(template: str, loaded: LoadedGame, section: str, **context: Any) -> Page:
    """Return a page of a game, as a marker sees it. ``asks`` is the question that it asks, if any.

    ``upcoming`` is the number of the upcoming hand that it is about, if it is about one.
    """
    says = [
        *(sentence for _, sentence in context.get("errors", ())),
        *(_("Saved meanwhile: %(says)s.", says=one) for one, *_by in context.get("meanwhile", ())),
        *([context["asks"]] if "asks" in context else []),
    ]
    sheet = loaded.sheet
    game_id = loaded.record.id
    # No undo on the page of an upcoming hand, where the last action may still wait on the phone;
    # where something is entered, as undo could be taken for clearing it; and on pages that are in
    # no section of the game, or kept while it goes on, as the rules are.
    is_current = section not in {"", "Rules"}
    has_undo = is_current and not (context.get("upcoming") or context.get("is_entry"))
    undo, redo = (sheet.can_undo, sheet.can_redo) if has_undo else (None, None)
    page = render_template(
        template,
        loaded=loaded,
        sheet=sheet,
        game_id=game_id,
        section=_(sheet.game.hand_title if section == "Hand" else section),
        game_nav=_sections(sheet, game_id),
        base=sheet.number,
        key=form_key(game_id, sheet.number, template),
        last_key=sheet.last.key,
        undo_url=url_for("hand.undo", game_id=game_id) if undo else None,
        undo_label=_("Undo: %(action)s", action=say(undo.event, sheet)) if undo else None,
        redo_url=url_for("hand.redo", game_id=game_id) if redo else None,
        redo_label=_("Redo: %(action)s", action=say(redo.event, sheet)) if redo else None,
        wrong=dict(context.get("errors", ())),
        **{"upcoming": None} | context,
    )
    return Page(page, " ".join(dict.fromkeys(says)), loaded)


NO_TOTALS: Final = noted("There are no totals here.")


def upcoming_context(
    sheet: ScoreSheet, number: int | None, then: str = NO_TOTALS
) -> dict[str, Any]:
    """Return what a page of an upcoming hand says; ``number`` is None for any other.

    ``then`` says what follows for the page while the hand before, or the start, is not saved.
    """
    if not number:
        return {"upcoming": None, "upcoming_says": ""}
    waits = noted("%(hand_title)s %(before)s is not saved yet.")
    if number == 1:
        waits = noted("The start of this game is not saved yet.")
    says = _(waits, hand_title=sheet.game.hand_title, before=number - 1)
    return {"upcoming": number, "upcoming_says": f"{says} {_(then)}"}


def _sections(sheet: ScoreSheet, game_id: str) -> list[tuple[str, str]]:
    """Return the navigation of a game's pages: labels and addresses, only two before it begins."""
    is_begun, game = bool(sheet.number), sheet.game
    hand = url_for("hand.show", game_id=game_id, hand=None if is_begun else 1)
    sections = [
        (game.hand_title, hand, True),
        (noted("Sheet"), url_for("sheet.show", game_id=game_id), is_begun),
        (
            noted("Rulings"),
            url_for("rulings.index", game_id=game_id),
            is_begun and game.has_rulings,
        ),
        (noted("Tally"), url_for("tally.show", game_id=game_id), is_begun),
        (noted("Rules"), url_for("rules.of_game", game_id=game_id), True),
    ]
    return [(_(label), address) for label, address, is_there in sections if is_there]


def tell_turned(hand: HandSheet) -> None:
    """Flash what is wild, if it is on record which card was turned."""
    if hand.turned is not None:
        wild = hand.rules.needs()[0].says
        says = noted("Turned up: %(rank)s. Wild: %(wild)s.")
        flash(_(says, rank=hand.turned.word, wild=wild), "success")


def go_on(says: str, then: str, kind: str = "success") -> ResponseReturnValue:
    """Redirect to an address, with a message there: a ``success``, or a plain ``message``."""
    flash(says, kind)
    return redirect(then, 303)


def to_ruling(says: str, then: str) -> Page:
    """Redirect to a ruling. ``says`` is for a phone that kept the question and sends it later."""
    page = Page("", says)
    page.status_code, page.location = 303, then
    return page


def with_errors(template: str, errors: Errors, **context: Any) -> tuple[str, int]:
    """Return a page outside the games that shows these errors, and its status."""
    page = render_template(template, errors=errors, wrong=dict(errors), **context)
    return page, 422 if errors else 200


def plain_form(
    title: str, form: Form, errors: Errors, button: str, **context: Any
) -> tuple[str, int]:
    """Return a small page with the fields of a form and one button, and its status."""
    return with_errors("plain.html", errors, title=title, form=form, button=button, **context)


def form_page(
    template: str,
    loaded: LoadedGame,
    section: str,
    refused: Refused | None = None,
    what: str = "",
    **context: Any,
) -> Page:
    """Return the page of a form; if what was sent is ``refused``, with its errors and the status.

    ``what`` says what is entered (``A ruling``), if that is for one hand: the open one or the
    ``upcoming`` one. What was sent for another hand cannot be sent again from here.

    What was saved meanwhile and what was entered stand side by side. One button sends what was
    entered again, on top of what is saved now. Undo and redo have no such button: they would undo
    or redo another action.
    """
    if refused is None:
        return game_page(template, loaded, section, errors=[], **context)
    number = ActionForm(request.form).hand.data
    is_for_this_hand = number in {None, loaded.sheet.hand.number, context.get("upcoming")}
    if what and number and (not is_for_this_hand or loaded.sheet.over):
        return past_hand_page(refused, number, what, section)
    if refused.meanwhile:
        context |= _two_versions(loaded, refused)
    page = game_page(template, loaded, section, errors=refused.errors, **context)
    page.status_code = refused.status
    return page


def past_hand_page(refused: Refused, number: int, what: str, section: str) -> Page:
    """Return the page that shows what is saved for a past hand beside ``what`` was entered for it.

    It has no form to send again: an entry for one hand is never sent to another.
    """
    sheet = refused.loaded.sheet
    word = sheet.game.hand_word
    says = noted(
        "This was entered for %(hand_word)s %(number)s, and %(hand_word)s %(now)s is being played."
    )
    refused.errors = [("", _(says, hand_word=word, number=number, now=sheet.hand.number))]
    if sheet.over:
        refused.errors = [("", why_over(sheet))]
    correct_url = None
    if sheet.hand_at(number).marking is not None:
        game_id = refused.loaded.record.id
        correct_url = url_for("save_hand.correct_form", game_id=game_id, number=number)
    of_hand = _("%(hand_word)s %(number)s", hand_word=word, number=number)
    parts: dict[str, Any] = {"entered": what, "of_hand": of_hand}
    parts |= {"number": number, "correct_url": correct_url}
    return form_page("changed.html", refused.loaded, section, refused, **parts)


def _two_versions(loaded: LoadedGame, refused: Refused) -> dict[str, Any]:
    """Return what templates/_meanwhile.html shows: what was saved meanwhile, what was entered."""
    meant = refused.meant
    names = who_wrote(database(), loaded)
    saved = [(in_words(one.event, loaded), names[one.by], one.at) for one in refused.meanwhile]
    versions: dict[str, Any] = {"meanwhile": saved}
    if isinstance(meant, Undone | Redone):
        events = [entry.event for entry in refused.meanwhile]
        steps = [event for event in events if getattr(event, "act", 0) == meant.act]
        if steps[-1:] == [meant]:  # the other phone has done the same
            return versions
        return versions | {"meant": in_words(meant, loaded), "undoes": isinstance(meant, Undone)}
    if meant is not None:
        sent = request.form.items(multi=True)
        again = [pair for pair in sent if pair[0] not in {"csrf_token", "key", "base"}]
        versions |= {"meant": say(meant, loaded.sheet), "sent_again": again}
    return versions


def in_words(event: Event, loaded: LoadedGame) -> str:
    """Return an event in words; an undo or a redo with the action that it undid or redid."""
    if not isinstance(event, Undone | Redone):
        return say(event, loaded.sheet)
    word = _("Undone") if isinstance(event, Undone) else _("Redone")
    return f"{word}: {say(loaded.entries[event.act - 1].event, loaded.sheet)}"


# -- how the pages look: kept in a cookie of its own, also for viewers -----------------------------

COOKIE = "look"
CHOICES = {
    "theme": ("auto", "light", "dark"),
    "suits": ("two", "four"),
    "text": ("normal", "large"),
    # The order of the totals on the hand page.
    "order": ("seats", "standing"),
}

# Pages that the settings page does not lead back to.
_NO_WAY_BACK = frozenset(
    {"settings.show", "auth.open_house", "phones.join_link", "static", "favicon"}
)


def settings() -> dict[str, str]:
    """Return the look that this browser has chosen, or the default of each setting."""
    chosen = request.cookies.get(COOKIE, "").split(".")
    return {
        name: next((choice for choice in chosen if choice in known), known[0])
        for name, known in CHOICES.items()
    }


@bp.app_context_processor
def look_of_page() -> dict[str, object]:
    """Give every page, also a viewer's, its look and the address of the settings page."""
    leads_back = request.method == "GET" and request.endpoint not in _NO_WAY_BACK
    back = request.path if leads_back else None
    return {"settings": settings(), "settings_url": url_for("settings.show", back=back)}


@bp.get("/settings")
def show() -> str:
    """Show the settings page."""
    return render_template(
        "settings.html",
        chosen=settings(),
        back=way_back(request.args.get("back", "")),
        settings_url=None,
        known="marker" in session and not game_only(),
        backup=newest(current_app.extensions["companion_installation"]),
    )


@bp.post("/settings")
def save() -> ResponseReturnValue:
    """Keep the look in a cookie for a year, and go back to the page that it was chosen from.

    The hand page sends only the order, the settings page the others: what is not sent stays.
    """
    sent = request.form.items()
    chosen = settings() | {name: choice for name, choice in sent if choice in CHOICES.get(name, ())}
    response = make_response(redirect(way_back(request.args.get("back", "")), 303))
    response.set_cookie(
        COOKIE,
        ".".join(chosen.values()),
        max_age=current_app.permanent_session_lifetime,
        httponly=True,
        samesite="Lax",
        secure=current_app.config["SESSION_COOKIE_SECURE"],
    )
    return response


def way_back(path: str) -> str:
    """Return the path if one of our pages is there; otherwise the address of the games."""
    home = url_for("games.home")
    if not path.startswith("/") or not path.isprintable():  # a header holds no line break
        return home
    try:
        endpoint, _ = current_app.url_map.bind("").match(path, method="GET")
    except HTTPException:
        return home
    return home if endpoint in _NO_WAY_BACK else path
