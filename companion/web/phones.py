"""The phones that keep a notebook: who they are, taking one off, and bringing a lost one back."""

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
    """The digits that make a phone a marker, which a link has in its address, and whose it is."""

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
    """The phones that keep the notebook."""
    here = notebook_marker()
    return render_template(
        "phones/index.html",
        phones=phones.phones(database(), here),
        code=phones.recovery_code(database(), here),
        lost="lost" in request.args,
    )


@bp.get("/phones/<handle>")
def show(handle: str, *errors: tuple[str, str]) -> ResponseReturnValue:
    """One phone: what it is called, and taking it out of the notebook."""
    every = phones.phones(database(), notebook_marker())
    phone = next((one for one in every if one.handle == handle), None)
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
    """Take a phone off the notebook, at once."""
    here = notebook_marker()
    try:
        gone, code_made_at = phones.revoke(database(), here, handle)
    except NotPossible as problem:
        return show(handle, ("", str(problem)))
    if gone.id == here.id:
        return redirect(url_for("games.home"), 303)
    said = _("%(name)s no longer keeps the notebook.", name=gone.name)
    if code_made_at is not None:
        lost = noted("The recovery code of %(time)s no longer works: make a new one.")
        said += " " + _(lost, time=clock(code_made_at))
    return go_on(said, url_for("phones.index"))


# -- lost -----------------------------------------------------------------------------------------


@bp.route("/recovery-code", methods=["GET", "POST"])
def recovery_code() -> ResponseReturnValue:
    """What a recovery code is for; make one, and show it this once."""
    here, code, errors = notebook_marker(), None, Errors()
    if request.method == "POST":
        try:
            replaces = request.form.get("replaces", "")
            code = phones.new_recovery_code(database(), here, replaces)
        except NotPossible as problem:
            errors = [("", str(problem))]
    known = None if code else phones.recovery_code(database(), here)
    page = render_template("phones/recovery_code.html", code=code, known=known, errors=errors)
    return page, 409 if errors else 200


@bp.route("/recover", methods=["GET", "POST"])
def recover() -> ResponseReturnValue:
    """Type the recovery code of a lost phone, whose notebook this one keeps from then on."""
    form, errors = RecoverForm(request.form), Errors()
    if request.method == "POST":
        try:
            become(phones.recover(database(), form.code.data, device(request.user_agent.string)))
        except phones.WrongCode as problem:
            limit(Tried.WRONG_KEY)  # nobody guesses it, so the right one is never held back
            errors = [(problem.field, str(problem))]
        else:
            says = _("The notebook is on this phone again.")
            return go_on(says, url_for("phones.index", lost=1))
    lead = _("Type the recovery code of its notebook. This phone keeps the score from then on.")
    failed, button = _("Not recovered"), _("Bring it back")
    return plain_form(_("The phone is lost"), form, errors, button, lead=lead, not_done=failed)


# -- several notebooks ----------------------------------------------------------------------------


def other_notebooks() -> list[tuple[str, str]]:
    """The other notebooks that this browser keeps: a handle, and what was last played in it."""
    found = []
    for one in phones.not_revoked(database(), other_markers()):
        lines = games.lines(database(), one).lines
        whole = _("an empty notebook") if one.game_id is None else _("one game")
        found.append((phones.handle_of(one.id), lines[0].name if lines else whole))
    return found


@bp.post("/notebooks/<handle>")
def switch_to(handle: str) -> ResponseReturnValue:
    """Switch to another notebook that this browser keeps."""
    for one in phones.not_revoked(database(), other_markers()):
        if phones.handle_of(one.id) == handle:
            become(one)
            return redirect(url_for("games.home"), 303)
    marker()  # 403 to a stranger
    raise NotFound("notebook")


# -- seen -----------------------------------------------------------------------------------------

_TEN_MINUTES: Final = 600.0
_MOST: Final = 1000
_SEEN: Final[dict[str, float]] = {}


@bp.after_app_request
def note(response: Response) -> Response:
    """Store now and then when a marker's phone was last seen."""
    one = None if request.endpoint == "static" else session.get("marker")
    if not isinstance(one, str) or time.monotonic() - _SEEN.get(one, -_TEN_MINUTES) < _TEN_MINUTES:
        return response
    if len(_SEEN) >= _MOST:
        _SEEN.clear()
    _SEEN[one] = time.monotonic()
    with suppress(DatabaseProblem):
        phones.store_seen(database(), one)
    return response


@bp.app_template_filter()
def when(at: datetime) -> str:
    """How long ago a phone was seen, roughly: ``today``, ``yesterday``, ``12 days ago``."""
    if at == UNREADABLE:
        return _("at an unknown time")
    gone = datetime.now(UTC) - at
    if gone.total_seconds() < 3600:
        return _("within the hour")
    if gone.days < 1:
        return _("within a day")
    return ngettext("a day ago", "%(number)s days ago", gone.days)


# -- transferring ---------------------------------------------------------------------------------

# What a phone that keeps the notebook can transfer, or one that keeps a game: the words for each.
_WAYS: Final = {
    "game": (noted("This game"), noted("both phones keep it")),
    "game-all": (noted("This game, and I stop"), noted("this phone keeps nothing")),
    "notebook": (noted("The whole notebook"), noted("both phones keep it")),
    "notebook-all": (noted("The whole notebook, and I stop"), noted("this phone keeps nothing")),
}


@bp.route("/games/<game_id>/hand-on", methods=["GET", "POST"])
def transfer(game_id: str) -> ResponseReturnValue:
    """What to transfer, and whether this phone goes on; then a code, shown this once.

    It is there as a picture to scan, an address, and digits.
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
    """Type the digits, or follow a link; this phone becomes a marker if they are good.

    A link that is only opened is not even looked at: previews open links, too.
    """
    form, own, errors = PhoneForm(request.form), known_marker(), Errors()
    if request.method == "POST":
        try:
            found = _take(form, key, own)
            become(found)
            then = url_for("games.home")
            if found.game_id is not None:
                then = url_for("hand.show", game_id=found.game_id)
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


def _take(form: PhoneForm, key: str, own: MarkerRecord | None) -> MarkerRecord:
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
    # In whatever script they were typed, and whatever stands between them.
    digits = "".join(str(decimal(sign)) for sign in form.code.data if sign.isdecimal())
    return phones.take_digits(database(), digits, taker, secret=secret)
