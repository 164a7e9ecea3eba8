"""How the pages look on this phone: kept in a cookie of their own, for viewers too."""

from __future__ import annotations

from flask import Blueprint, make_response, redirect, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from wtforms import RadioField

from companion.web.look import CHOICES, COOKIE, YEAR, settings
from companion.web.pages import plain_page

bp = Blueprint("settings", __name__)


class LookForm(FlaskForm):  # type: ignore[misc]  # Flask-WTF ships no types
    """The three settings."""

    theme = RadioField(choices=[(one, one) for one in CHOICES["theme"]])
    suits = RadioField(choices=[(one, one) for one in CHOICES["suits"]])
    text = RadioField(choices=[(one, one) for one in CHOICES["text"]])


@bp.get("/settings")
def show() -> str:
    """The settings page."""
    return plain_page("settings.html", look=settings())


@bp.post("/settings")
def save() -> ResponseReturnValue:
    """Keep the look in a cookie for a year."""
    form = LookForm()
    if not form.validate():
        return plain_page("settings.html", look=settings()), 422
    chosen = [form.theme.data, form.suits.data, form.text.data]
    response = make_response(redirect(url_for("settings.show"), 303))
    response.set_cookie(COOKIE, ".".join(chosen), max_age=YEAR, httponly=True, samesite="Lax")
    return response
