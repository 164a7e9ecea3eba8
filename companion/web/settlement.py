"""Settling up after a game or a season: the form, and who pays whom. Nothing of it is stored."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final, NamedTuple

import flask_babel
from babel.numbers import format_currency
from werkzeug.datastructures import MultiDict

from companion.notebook.events import NotPossible
from companion.notebook.names import characters
from companion.notebook.seasons import by_prizes, by_stake, payments
from companion.rules.language import gettext as _, listed, ngettext, noted
from companion.web.fields import Form, LineField, WordField
from companion.web.templating import ENGLISH

Results = Sequence[tuple[str, int | Fraction, int]]
LONGEST_SIGN: Final = 5
MOST_PRIZES: Final = 20
# What money is counted in, if there is a sign.
_PLACES: Final = 2
_AMOUNT: Final = re.compile(r"(\d{1,6})(?:[.,](\d{1,2}))?")


class SettlementForm(Form):
    """How it is settled; without a sign of money in chips. Prizes are the first place's first."""

    settle = WordField(("points", "prizes"), default="points")
    stake = LineField()
    to = WordField(("winner", "all"), default="winner")
    prizes = LineField()
    sign = LineField()


class Settlement(NamedTuple):
    """The form with what was entered, and what it came to: payer, payee and amount of payments.

    ``asks_to`` is true if people choose whom to pay. ``says`` names the stake or the prizes, and is
    empty if there is nothing to show. ``balances`` have everybody's name and what they get.
    """

    form: SettlementForm
    asks_to: bool
    asked: bool
    errors: Sequence[tuple[str, str]]
    says: str
    payments: Sequence[tuple[str, str, str]]
    balances: Sequence[tuple[str, str]]


def settlement(
    args: MultiDict[str, str], results: Results, *, highest_wins: bool, paid: Sequence[int] = ()
) -> Settlement:
    """Return the form, and who pays whom if the address asks for it.

    ``results`` have everyone's name, points and place. ``paid`` is what each receives by the game's
    own rules, below 0 what they pay, if it has such.
    """
    form, asked = SettlementForm(args), "settle" in args
    errors: list[tuple[str, str]] = []
    balances: list[int] = []
    says = ""
    try:
        if asked:
            says, balances = _balances(form, results, highest_wins, paid)
    except NotPossible as problem:
        errors = [(problem.field, str(problem))]
    names, sign = [name for name, *_points in results], form.sign.data
    paying = [
        (names[payer], names[payee], _shown(amount, sign))
        for payer, payee, amount in payments(balances)
    ]
    shown = [
        (name, ("+" if one > 0 else "−" if one else "") + _shown(abs(one), sign))
        for name, one in zip(names, balances, strict=False)
    ]
    return Settlement(form, not paid, asked, errors, says, paying, shown)


def _balances(
    form: SettlementForm, results: Results, highest_wins: bool, paid: Sequence[int]
) -> tuple[str, list[int]]:
    """Return by what is paid, and the balances. Raises `NotPossible` for what cannot be read."""
    sign, points = form.sign.data, [points for _name, points, _place in results]
    places = [place for *_name, place in results]
    if not sign.isprintable() or re.search(r"\d", sign):
        raise NotPossible("A currency sign has no digits.", "sign")
    if len(characters(sign)) > LONGEST_SIGN:
        raise NotPossible(
            "A currency sign has %(longest)s letters at most.", "sign", longest=LONGEST_SIGN
        )
    if form.settle.data == "prizes":
        texts = [text for text in re.split(r"[\s;]+|,\s+", form.prizes.data) if text]
        if len(texts) > MOST_PRIZES:
            raise NotPossible("%(most)s places at most have prizes.", "prizes", most=MOST_PRIZES)
        prizes = [_amount(text, sign, "prizes") for text in texts]
        if not any(prizes):
            raise NotPossible("Enter the prizes, starting with the first place.", "prizes")
        shown = listed([_shown(one, sign) for one in prizes], "standard-narrow")
        return _("Prizes: %(prizes)s.", prizes=shown), by_prizes(places, prizes)
    stake = _amount(form.stake.data, sign, "stake")
    if not stake:
        raise NotPossible("Enter what a point costs.", "stake")
    to_all = form.to.data == "all" and not paid
    says = noted("%(stake)s a point, to the winner.")
    if to_all:
        says = noted("%(stake)s a point, to everyone ahead.")
    balances = [stake * one for one in paid] or by_stake(
        points, places, stake, highest_wins=highest_wins, to_all=to_all
    )
    return _(says, stake=_shown(stake, sign)), balances


def _amount(text: str, sign: str, field: str) -> int:
    """Return an amount of the smallest unit, 0 for nothing. Raises `NotPossible`."""
    found = _AMOUNT.fullmatch(text or "0")
    if found is None:
        says = noted("“%(text)s” is no amount. Enter one such as 0.05.")
        raise NotPossible(says, field, text=text[:20])
    if sign:
        return int(found[1]) * 10**_PLACES + int((found[2] or "").ljust(_PLACES, "0"))
    if found[2]:
        raise NotPossible("Chips are whole. For money, enter its sign, such as € or Rs.", field)
    return int(found[1])


def _shown(amount: int, sign: str) -> str:
    """Return an amount as people write it: ``€3.20``, ``3,20 €``, ``3 chips``."""
    if not sign:
        return ngettext("%(number)s chip", "%(number)s chips", amount)
    value, locale = Decimal(amount).scaleb(-_PLACES), flask_babel.get_locale() or ENGLISH
    return str(format_currency(value, sign, locale=locale, currency_digits=False))
