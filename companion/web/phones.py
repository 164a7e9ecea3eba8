"""The phones that keep a notebook: names, removal, recovery of a lost one, and transfer."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final
from unicodedata import decimal

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask.typing import ResponseReturnValue
from wtforms.widgets import NumberInput

from companion.notebook.events import NotPossible
from companion.notebook.names import LONGEST_NAME
from companion.rules.language import gettext as _, ngettext, noted
from companion.services import NotFound, games, phones
from companion.services.rate_limits import Tried, count_wrong, must_wait
from companion.store import UNREADABLE, DatabaseProblem, MarkerRecord
from companion.web.actions import Errors, loaded_game
from companion.web.auth import (
    become,
    database,
    device,
    known_marker,
    limit,
    marker,
    notebook_marker,
    other_markers,
)
from companion.web.fields import Form, LineField
from companion.web.pages import game_page, go_on, plain_form, way_back, with_errors
from companion.web.templating import clock
from companion.web.viewers import code_to_scan

bp = Blueprint("phones", __name__)


class PhoneForm(Form):
    """The digits that make a phone a marker, if no link does, and whose phone it is."""

    code = LineField(noted("Eight digits"), widget=NumberInput(), render_kw={"maxlength": 20})
    nickname = LineField(
        noted("Whose phone is this?"),
        description=noted("The others see it. You can leave it empty."),
        render_kw={"maxlength": LONGEST_NAME},
    )


class RecoverForm(Form):
    """The recovery code of a lost phone."""

    code = LineField(
        noted("Recovery code"),
        description=noted("Spaces, dashes and capitals do not matter."),
        render_kw={"autocapitalize": "none", "spellcheck": "false", "maxlength": 100},
    )


@bp.get("/phones")
def index() -> ResponseReturnValue:
    """List the phones that keep the notebook."""
    this_phone = notebook_marker()
    return render_template(
        "phones/index.html",
        phones=phones.phones(database(), this_phone),
        code=phones.recovery_code(database(), this_phone),
        lost="lost" in request.args,
    )


@bp.get("/phones/<handle>")
def show(handle: str, *errors: tuple[str, str]) -> ResponseReturnValue:
    """Show one phone: its nickname, and the button that removes it from the notebook."""
    every = phones.phones(database(), notebook_marker())
    phone = next((phone for phone in every if phone.handle == handle), None)
    if phone is None:
        raise NotFound("phone")
    form = PhoneForm(request.form, nickname=phone.marker.nickname)
    return with_errors("phones/show.html", [*errors], phone=phone, form=form)


@bp.post("/phones/<handle>/name")
def set_nickname(handle: str) -> ResponseReturnValue:
    """Give a phone a nickname, or take it away; then go back to the page that asked for it."""
    nickname = PhoneForm(request.form).nickname.data
    try:
        phones.set_nickname(database(), notebook_marker(), handle, nickname)
    except NotPossible as problem:
        return show(handle, (problem.field, str(problem)))
    back = request.args.get("back")
    return go_on(_("The name is saved."), way_back(back) if back else url_for("phones.index"))


@bp.post("/phones/<handle>/revoke")
def revoke(handle: str) -> ResponseReturnValue:
    """Remove a phone from the notebook, at once."""
    this_phone = notebook_marker()
    try:
        removed, code_made_at = phones.revoke(database(), this_phone, handle)
    except NotPossible as problem:
        return show(handle, ("", str(problem)))
    if removed.id == this_phone.id:
        return redirect(url_for("games.home"), 303)
    says = _("%(name)s no longer keeps the notebook.", name=removed.name)
    if code_made_at is not None:
        lost = noted("The recovery code of %(time)s no longer works: make a new one.")
        says += " " + _(lost, time=clock(code_made_at))
    return go_on(says, url_for("phones.index"))


# -- lost -----------------------------------------------------------------------------------------


@bp.route("/recovery-code", methods=["GET", "POST"])
def recovery_code() -> ResponseReturnValue:
    """Say what a recovery code is for; make one, and show it only this once."""
    this_phone, code, errors = notebook_marker(), None, Errors()
    if request.method == "POST":
        try:
            replaces = request.form.get("replaces", "")
            code = phones.new_recovery_code(database(), this_phone, replaces)
        except NotPossible as problem:
            errors = [("", str(problem))]
    known = None if code else phones.recovery_code(database(), this_phone)
    page = render_template("phones/recovery_code.html", code=code, known=known, errors=errors)
    return page, 409 if errors else 200


@bp.route("/recover", methods=["GET", "POST"])
def recover() -> ResponseReturnValue:
    """Ask for the recovery code of a lost phone, and give its notebook to this one."""
    form, errors = RecoverForm(request.form), Errors()
    if request.method == "POST":
        try:
            become(phones.recover(database(), form.code.data, device(request.user_agent.string)))
        except phones.WrongCode as problem:
            limit(Tried.WRONG_KEY)  # the right code is never held back: nobody guesses it
            errors = [(problem.field, str(problem))]
        else:
            return go_on(_("The notebook is on this phone again."), url_for("phones.index", lost=1))
    lead = _("Type the recovery code of its notebook. This phone keeps the score from then on.")
    failed, button = _("Not recovered"), _("Bring it back")
    return plain_form(_("The phone is lost"), form, errors, button, lead=lead, not_done=failed)


# -- several notebooks ----------------------------------------------------------------------------


def other_notebooks() -> list[tuple[str, str]]:
    """Return the other notebooks that this browser keeps: the handle, and the game played last."""
    notebooks = []
    for record in phones.not_revoked(database(), other_markers()):
        lines = games.lines(database(), record).lines
        unplayed = _("an empty notebook") if record.game_id is None else _("one game")
        notebooks.append((phones.handle_of(record.id), lines[0].name if lines else unplayed))
    return notebooks


@bp.post("/notebooks/<handle>")
def switch_to(handle: str) -> ResponseReturnValue:
    """Switch to another notebook that this browser keeps."""
    for record in phones.not_revoked(database(), other_markers()):
        if phones.handle_of(record.id) == handle:
            become(record)
            return redirect(url_for("games.home"), 303)
    marker()  # 403 to a stranger
    raise NotFound("notebook")


# -- seen -----------------------------------------------------------------------------------------

_SEEN_EVERY: Final = 600.0
_MOST_SEEN: Final = 1000
_SEEN: Final[dict[str, float]] = {}


@bp.after_app_request
def note_seen(response: Response) -> Response:
    """Store that a marker's phone was seen now, at most once in ten minutes."""
    seen = None if request.endpoint == "static" else session.get("marker")
    if not isinstance(seen, str) or time.monotonic() - _SEEN.get(seen, -_SEEN_EVERY) < _SEEN_EVERY:
        return response
    if len(_SEEN) >= _MOST_SEEN:
        _SEEN.clear()
    _SEEN[seen] = time.monotonic()
    with suppress(DatabaseProblem):
        phones.store_seen(database(), seen)
    return response


@bp.app_template_filter()
def when(at: datetime) -> str:
    """Return how long ago a phone was seen: ``within the hour``, ``a day ago``, ``12 days ago``."""
    if at == UNREADABLE:
        return _("at an unknown time")
    age = datetime.now(UTC) - at
    if age.total_seconds() < 3600:
        return _("within the hour")
    if age.days < 1:
        return _("within a day")
    return ngettext("a day ago", "%(number)s days ago", age.days)


# -- transferring ---------------------------------------------------------------------------------

# What a phone can transfer, in words, and what that means for this phone.
_WAYS: Final = {
    "game": (noted("This game"), noted("both phones keep it")),
    "game-all": (noted("This game, and I stop"), noted("this phone keeps nothing")),
    "notebook": (noted("The whole notebook"), noted("both phones keep it")),
    "notebook-all": (noted("The whole notebook, and I stop"), noted("this phone keeps nothing")),
}


@bp.route("/games/<game_id>/transfer", methods=["GET", "POST"])
def transfer(game_id: str) -> ResponseReturnValue:
    """Ask what to transfer, and whether this phone goes on; then show a code, only this once.

    The code is a picture to scan, an address, and digits.
    """
    loaded, way = loaded_game(game_id), request.form.get("way", "")
    others = {"notebook", "notebook-all"} if marker().game_id else {"game-all"}
    ways = {name: words for name, words in _WAYS.items() if name not in others}
    if request.method == "GET":
        return game_page("phones/transfer.html", loaded, "", ways=ways)
    if way not in ways:
        abort(400)
    resigns = way.endswith("-all")
    made = phones.offer(
        database(),
        game_id,
        marker().id,
        secret=str(current_app.config["SECRET_KEY"]),
        whole=way.startswith("notebook"),
        resigns=resigns,
    )
    address = url_for("phones.join_link", key=made.link, _external=True)
    return game_page(
        "phones/transfer.html",
        loaded,
        "",
        title=_(ways[way][0]),
        resigns=resigns,
        made=made,
        minutes=int(phones.TRANSFER_VALID.total_seconds()) // 60,
        **code_to_scan(address),
    )


# -- taking over ---------------------------------------------------------------------------------


@bp.route("/join", methods=["GET", "POST"])
@bp.route("/j/<key>", methods=["GET", "POST"], endpoint="join_link")
def join(key: str = "") -> ResponseReturnValue:
    """Ask for the digits, or follow a link; this phone becomes a marker if they are right.

    A link counts once its form is sent, not when it is opened: previews open links, too.
    """
    form, own, errors = PhoneForm(request.form), known_marker(), Errors()
    if request.method == "POST":
        try:
            taken_over = _take_over(form, key, own)
            become(taken_over)
            then = url_for("games.home")
            if taken_over.game_id is not None:
                then = url_for("hand.show", game_id=taken_over.game_id)
            return go_on(_("This phone keeps the score now."), then)
        except phones.WrongCode as problem:
            if key:
                limit(Tried.WRONG_KEY)
            else:
                limit(Tried.CODE, count_wrong)
            errors = [("" if key else problem.field, str(problem))]
        except NotPossible as problem:
            errors = [(problem.field, str(problem))]
    lead = _("Type the eight digits that the other phone shows.")
    if key:
        lead = _("Somebody wants this phone to keep score.")
        del form.code
    keeps = _("The games on this phone stay: you find them again from the list of games.")
    return plain_form(
        _("Keep the score"),
        form,
        errors,
        _("Keep the score here"),
        lead=lead,
        not_done=_("Not taken over"),
        hint=keeps if own else "",
        leads_to_no_game=True,
    )


def _take_over(form: PhoneForm, key: str, own: MarkerRecord | None) -> MarkerRecord:
    taker = phones.Taker(
        proof=str(session.get("csrf_token", "")),
        label=device(request.user_agent.string),
        nickname=form.nickname.data,
        marker_id=own.id if own else None,
    )
    if key:
        return phones.take_link(database(), key, taker)
    limit(Tried.CODE, must_wait)
    secret = str(current_app.config["SECRET_KEY"])
    # Digits of any script, without what was typed between them.
    digits = "".join(str(decimal(char)) for char in form.code.data if char.isdecimal())
    return phones.take_digits(database(), digits, taker, secret=secret)
