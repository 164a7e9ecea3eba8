"""The final tally: for the printer, for spreadsheets, for another installation; and settling up."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from io import BytesIO
from typing import Any, Final

import flask_babel
from babel.numbers import format_currency
from flask import Blueprint, Response, render_template, request, send_file, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from companion.notebook.describe import in_points, score
from companion.notebook.events import NotPossible
from companion.notebook.hand_sheet import HandSheet, RulingLine
from companion.notebook.names import characters
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.seasons import by_prizes, by_stake, payments
from companion.notebook.shown_table import Step, question_steps
from companion.rules.language import gettext as _, listed, ngettext, noted
from companion.services import export, tally
from companion.web.actions import Errors, loaded_game
from companion.web.auth import database
from companion.web.endings import ending_of
from companion.web.fields import Form, LineField, WordField
from companion.web.figures import chart, shortened
from companion.web.pages import game_page
from companion.web.templating import ENGLISH, clock, day

bp = Blueprint("tally", __name__)

# More penalties and house rules than this are set in smaller print, to stay on one page.
MOST_LINES = 16
LONGEST_FILE_NAME = 60
# Letters of a name in the picture of the result: as many as fit beside the total.
LONGEST_IN_PICTURE = 26
# What Windows, macOS or Linux do not allow in a file's name, and what nobody can see in one.
_NOT_IN_FILE_NAMES = re.compile(r'[\\/:*?"<>|]')
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def tally_context(sheet: ScoreSheet) -> dict[str, Any]:
    """Return what the tally's template needs beside the sheet."""
    penalties, changed = tally.penalty_lines(sheet), tally.changed_rules(sheet)
    standings = sheet.standings()
    sharing = Counter(line.place for line in standings)
    title = _("Penalties and bonuses") if tally.has_bonus(sheet) else _("Penalties")
    return {
        "lead": ending_of(sheet).leading(sheet) if sheet.marked else "",
        "standings": [(line, sharing[line.place] > 1) for line in standings],
        "counts_penalties": any(line.penalties for line in standings),
        "penalties_title": title if tally.shows_penalties(sheet) else "",
        "result": tally.result(sheet) if sheet.marked else "",
        "penalties": penalties,
        "changed_rules": changed,
        "made_of": _summary(sheet),
        "legend": _legend(sheet),
        "rulings": [
            _ruling_row(hand, line) for hand in sheet.hands for line in hand.standing_rulings
        ],
        "upcards": [line for hand in sheet.hands for line in hand.upcards],
        "crowded": len(sheet.names) > 5 or len(penalties) + len(changed) > MOST_LINES,
        "packed": len(penalties) + len(changed) > MOST_LINES,
    }


def _ruling_row(hand: HandSheet, line: RulingLine) -> tuple[RulingLine, Sequence[Step], str, str]:
    """Return a ruling, the plays it was about, its words, and whether it was carried out."""
    ruling, says, points = line.ruling, line.ruling.says, line.ruling.consequence.points
    if not (ruling.legal or line.given.comes_to_table(hand.rules)):
        says = f"{ruling.reasons} {in_points(points)}." if points else ruling.reasons
    return line, question_steps(line.question, hand.rules), says, tally.carried_out(hand, line)


def _summary(sheet: ScoreSheet) -> str:
    """Return which game it is, when it was played, and how far."""
    game = sheet.game
    by = next(one.title for one in game.sheets if one.id == sheet.house.sheet)
    parts = [_("%(game)s by the %(sheet)s sheet", game=game.name, sheet=by)]
    parts.append(_("begun %(time)s", time=clock(sheet.started.at)))
    if sheet.marked:
        last = sheet.marked[-1].markings[0].entry.at
        word = game.hand_word
        parts.append(_("last %(hand_word)s marked %(time)s", hand_word=word, time=clock(last)))
    return " · ".join([*parts, tally.played(sheet)])


def _legend(sheet: ScoreSheet) -> str:
    """Return what the signs in the table of the hands mean, which total wins, and `tally.notes`."""
    game, ending = sheet.game, ending_of(sheet)
    has_wild = ending.turns_card or game.wild_rank(1)
    signs = [
        _("In brackets the %(wild_word)s", wild_word=game.wild_word) if has_wild else "",
        _("after each mark the total so far"),
        tally.penalty_signs(sheet),
        _("out: went out") if ending.in_turns and not ending.tag else "",
        _("D: deals."),
    ]
    legend = " · ".join(filter(None, signs))
    return " ".join([f"{legend[:1].upper()}{legend[1:]}", _(game.won_by.says), *tally.notes(sheet)])


@bp.get("/games/<game_id>/tally")
def show(game_id: str) -> ResponseReturnValue:
    """Show the tally, to read and to print."""
    loaded = loaded_game(game_id)
    sheet = loaded.sheet
    return game_page(
        "tally/show.html",
        loaded,
        "Tally",
        settled=_settled(sheet) if sheet.has_result else None,
        drawn=url_for("tally.result_picture", game_id=game_id),
        **tally_context(sheet),
    )


def _settled(sheet: ScoreSheet) -> Settlement:
    """Return who pays whom after a game that is over, in seat order."""
    standings, paid = sorted(sheet.standings(), key=lambda line: line.player), sheet.payments()
    return Settlement(
        request.args,
        [(line.name, line.total, line.place) for line in standings],
        highest_wins=sheet.game.won_by.highest,
        paid=[paid[line.player] for line in standings] if paid else (),
    )


@bp.get("/games/<game_id>/result.svg")
def result_picture(game_id: str) -> ResponseReturnValue:
    """Return the result as a picture."""
    return picture(loaded_game(game_id).sheet)


def picture(sheet: ScoreSheet) -> Response:
    """Return the standings and the running totals as an SVG, which the phone turns into a picture.

    So names in any script are drawn with the phone's own fonts.
    """
    drawn = render_template(
        "tally/result.svg",
        title=tally.headline(sheet),
        day=day(sheet.started.at.astimezone(), "d MMMM y"),
        rows=[
            (
                f"{line.place}." if sheet.is_counted else "",
                shortened(line.name, LONGEST_IN_PICTURE),
                score(line.total),
            )
            for line in sheet.standings()
        ],
        chart=chart(sheet) if sheet.marked else None,
    )
    return Response(drawn, content_type="image/svg+xml; charset=utf-8")


@bp.get("/games/<game_id>/tally.csv")
def as_csv(game_id: str) -> ResponseReturnValue:
    """Return the tally as CSV, with the mark by which spreadsheets know UTF-8."""
    sheet = loaded_game(game_id).sheet
    return _download("\ufeff" + tally.as_csv(sheet), "text/csv", sheet)


@bp.get("/games/<game_id>/game.json")
def as_json(game_id: str) -> ResponseReturnValue:
    """Return the whole game as JSON, to be imported elsewhere."""
    loaded = loaded_game(game_id)
    return _download(export.as_json(database(), loaded), "application/json", loaded.sheet)


def _download(text: str, kind: str, sheet: ScoreSheet) -> Response:
    return download(text, kind, sheet.name, f"{sheet.started.at.astimezone():%Y-%m-%d}")


def download(text: str, kind: str, name: str, day: str) -> Response:
    """Return a text as a file, named after a game or a season and the day on which it began."""
    visible = "".join(char for char in name if unicodedata.category(char) not in _UNSEEN)
    name = _NOT_IN_FILE_NAMES.sub("-", visible)[:LONGEST_FILE_NAME].strip(" .-")
    full = f"{name} {day}".strip() + "." + kind.partition("/")[2]
    return send_file(BytesIO(text.encode()), kind, True, full, max_age=0)


# -- settling up after a game or a season: nothing of it is stored --------------------------------

LONGEST_SIGN: Final = 5
MOST_PRIZES: Final = 20
_CENTS: Final = 2  # decimal places of money
_AMOUNT: Final = re.compile(r"(\d{1,6})(?:[.,](\d{1,2}))?")


class Settlement(Form):
    """How the address settles a game or a season, by points or by prizes, and who pays whom.

    ``prizes`` begin with the first place. ``says`` names the stake or the prizes, and is empty if
    there is nothing to show. ``payments`` have payer, payee and amount, ``balances`` everybody's
    name and what they get; ``wrong`` says which fields cannot be read.
    """

    settle = WordField(("points", "prizes"), default="points")
    stake = LineField()
    prizes = LineField()
    sign = LineField()

    def __init__(
        self,
        args: MultiDict[str, str],
        results: Sequence[tuple[str, int | Fraction, int]],
        *,
        highest_wins: bool,
        paid: Sequence[int] = (),
    ) -> None:
        """``results`` have everyone's name, points and place.

        ``paid`` is what each one is paid by the game's own rules, if it has such; below 0 is what
        they pay.
        """
        super().__init__(args)
        self.asked, self.says, self.wrong = "settle" in args, "", Errors()
        names, points, places = zip(*results, strict=True)
        balances: list[int] = []
        try:
            if self.asked:
                amounts = self._amounts()
                shown = listed(map(self._shown, amounts), "standard-narrow")
                if self.settle.data == "prizes":
                    balances = by_prizes(places, amounts)
                    self.says = _("Prizes: %(prizes)s.", prizes=shown)
                else:
                    (stake,) = amounts
                    balances = [stake * points_paid for points_paid in paid] or by_stake(
                        points, places, stake, highest_wins=highest_wins
                    )
                    self.says = _("%(stake)s a point, to the winner.", stake=shown)
        except NotPossible as problem:
            self.wrong = [(problem.field, str(problem))]
        self.payments = [
            (names[payer], names[payee], self._shown(amount))
            for payer, payee, amount in payments(balances)
        ]
        self.balances = [
            (name, ("+" if balance > 0 else "−" if balance else "") + self._shown(abs(balance)))
            for name, balance in zip(names, balances, strict=False)
        ]

    @property
    def _texts(self) -> list[str]:
        """The amounts as they were entered."""
        if self.settle.data == "points":
            return [self.stake.data]
        return [text for text in re.split(r"[\s;]+|,\s+", self.prizes.data) if text]

    @property
    def _places(self) -> int:
        """The decimal places of what is paid: two for money, none for whole chips."""
        is_money = self.sign.data or re.search(r"[.,]", "".join(self._texts))
        return _CENTS if is_money else 0

    def _amounts(self) -> list[int]:
        """Return the amounts in cents or chips. Raises `NotPossible` for what cannot be read."""
        sign, texts = self.sign.data, self._texts
        if not sign.isprintable() or re.search(r"\d", sign):
            raise NotPossible("A currency sign has no digits.", "sign")
        if len(characters(sign)) > LONGEST_SIGN:
            raise NotPossible(
                "A currency sign has %(longest)s letters at most.", "sign", longest=LONGEST_SIGN
            )
        field, lacking = "stake", noted("Enter what a point costs.")
        if self.settle.data == "prizes":
            field, lacking = "prizes", noted("Enter the prizes, starting with the first place.")
        if len(texts) > MOST_PRIZES:
            raise NotPossible("%(most)s places at most have prizes.", field, most=MOST_PRIZES)
        amounts = []
        for text in texts:
            match = _AMOUNT.fullmatch(text or "0")
            if match is None:
                says = noted("“%(text)s” is not an amount. Enter one like 0.05.")
                raise NotPossible(says, field, text=text[:20])
            amounts.append(int(match[1] + (match[2] or "").ljust(self._places, "0")))
        if not any(amounts):
            raise NotPossible(lacking, field)
        return amounts

    def _shown(self, amount: int) -> str:
        """Return an amount as people write it: ``€3.20``, ``3,20 €``, ``3.20``, ``3 chips``."""
        if not self._places:
            return ngettext("%(number)s chip", "%(number)s chips", amount)
        value, locale = Decimal(amount).scaleb(-_CENTS), flask_babel.get_locale() or ENGLISH
        shown = format_currency(value, self.sign.data, locale=locale, currency_digits=False)
        return str(shown).strip()
