"""The tally as text for spreadsheets, which take some texts for more than text."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from companion.notebook import rummies
from companion.notebook.describe import asked_in_words
from companion.notebook.scoresheet import RulingLine, ScoreSheet, UpcardLine
from companion.services.tally import box_rows, changed_rules, penalty_lines, shows_penalties

# A spreadsheet that parts cells by semicolons, as many do in Europe, would begin a cell there.
_AFTER_SEMICOLON: Final = re.compile(r"(;\s*)(?=[=+\-@＝＋－＠])")


def as_csv(sheet: ScoreSheet) -> str:
    """A row a hand with everyone's points, then boxes and penalties if there are any, changed
    house rules and rulings.

    Cells are parted by commas, lines end as RFC 4180 says, and no text of anybody's begins a
    formula.
    """
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\r\n")
    for row in _rows(sheet):
        rows.writerow([plain(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()


def _rows(sheet: ScoreSheet) -> Iterable[list[str | int]]:
    names = sheet.names
    yield [sheet.game.hand_title, "Wild", "Dealer", "Out", *names]
    for hand in sheet.hands:
        yield [
            hand.number,
            sheet.wild_of(hand.number),
            names[hand.places.dealer] if hand.is_dealt else "",
            "" if hand.out is None else names[hand.out],
            *(
                "" if hand.is_blank(player) else hand.mark(player).points
                for player in sheet.players
            ),
        ]
    yield ["Total", "", "", "", *(sheet.total(player) for player in sheet.players)]
    places = {standing.player: standing.place for standing in sheet.standings()}
    yield ["Place", "", "", "", *(places[player] for player in sheet.players)]
    paid = rummies.payments(sheet)
    if paid:
        yield ["Paid", "", "", "", *(paid[player] for player in sheet.players)]
    yield from _box_rows(sheet)
    if shows_penalties(sheet):
        yield []
        yield [sheet.game.hand_title, "Player", "Rule", "Points", "Penalty"]
    for one in penalty_lines(sheet):
        title = f"{one.title}, {one.times} times" if one.times > 1 else one.title
        yield [one.hand, one.name, one.rule or "house", one.points, title]
    yield []
    yield ["Rule", "House rule", "Here"]
    for rule in changed_rules(sheet):
        yield [rule.rule, rule.title, rule.says]
    yield []
    yield [sheet.game.hand_title, "Player", "Rules", "Ruling", "Plays", "Carried out"]
    for hand in sheet.hands:
        for line in hand.all_rulings:
            yield _upcard_row(line, sheet) if isinstance(line, UpcardLine) else _row(line, sheet)


def _row(line: RulingLine, sheet: ScoreSheet) -> list[str | int]:
    given, question, ruling = line.given, line.question, line.ruling
    return [
        given.hand,
        sheet.names[given.player],
        " ".join(ruling.broken),
        "legal" if ruling.legal else "illegal",
        asked_in_words(question, sheet),
        "" if ruling.legal else "yes" if line.enforced else "no",
    ]


def _upcard_row(line: UpcardLine, sheet: ScoreSheet) -> list[str | int]:
    """Who wanted the upcard of whose turn, and who gets it."""
    given, names = line.given, sheet.names
    gets = "nobody" if given.gets is None else names[given.gets]
    return [
        given.hand,
        names[given.player],
        sheet.hands[given.hand - 1].rules.may_i_rule,
        f"{gets} gets the card",
        f"“May I?”: {', '.join(names[seat] for seat in given.asked)}",
        "",
    ]


def _box_rows(sheet: ScoreSheet) -> Iterable[list[str | int]]:
    """Yield the rows of a game of boxes: what each player has in each, and since what hand."""
    rows = box_rows(sheet)
    if not rows:
        return
    yield []
    yield ["Box", "Cards", "", "", *sheet.names]
    for row in rows:
        points = ["" if cell.points is None else cell.points for cell in row.cells]
        yield [row.title, row.cards, "", "", *points]
    yield []
    yield [f"Filled in {sheet.game.hand_word}", "Cards", "", "", *sheet.names]
    for row in rows:
        hands = ["" if cell.hand is None else cell.hand for cell in row.cells]
        yield [row.title, row.cards, "", "", *hands]


def plain(text: str) -> str:
    """The text with an apostrophe before whatever a spreadsheet would take for a formula.

    Such begin with ``= + - @`` or their wide forms; some programs look past white space and what
    cannot be seen before them, and cells may begin after a semicolon too.
    """
    text = _AFTER_SEMICOLON.sub(r"\1'", text)
    seen = next((char for char in text if not _is_skipped(char)), "")
    begins_formula = unicodedata.normalize("NFKC", seen)[:1] in {"=", "+", "-", "@"}
    return f"'{text}" if begins_formula or text[:1].isspace() else text


def _is_skipped(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) in {"Cc", "Cf"}
