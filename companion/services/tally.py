"""What the tally has besides the score sheet, and the tally as CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from companion.notebook.describe import asked_in_words, hand_name, hands_of, score
from companion.notebook.events import Marks
from companion.notebook.hand_sheet import HandSheet, RulingLine, UpcardLine
from companion.notebook.scoresheet import Filled, ScoreSheet
from companion.rules.hand_rules import MeldBox
from companion.rules.language import gettext as _, isolated, listed, ngettext, noted
from companion.rules.question import MAY_I
from companion.rules.scoring import Charged


class PenaltyLine(NamedTuple):
    """A player's charges in one hand by one rule: how many ``times``, and all their ``points``.

    All charges have the same points. A house penalty has no rule, and its reason as the title.
    """

    hand: int
    name: str
    rule: str
    title: str
    times: int
    points: int

    @property
    def each(self) -> int:
        """The points of one of the charges."""
        return self.points // self.times


class RuleLine(NamedTuple):
    """A house rule that differs from the rule sheet: its number, title, and the choice here."""

    rule: str
    title: str
    says: str


def penalty_lines(sheet: ScoreSheet) -> list[PenaltyLine]:
    """Return every charge that stands, computed ones too, by hand and then by seat."""
    lines = []
    for hand in sheet.hands:
        for player in sheet.players:
            charges = [(one.rule, one.text, one.points) for one in hand.mark(player).charges]
            lines += [
                PenaltyLine(
                    hand.number,
                    sheet.names[player],
                    rule,
                    _(sheet.game.charge(rule).title) if rule else text,
                    times,
                    times * points,
                )
                for (rule, text, points), times in Counter(charges).items()
            ]
    return lines


def shows_penalties(sheet: ScoreSheet) -> bool:
    """True if the game's rules have penalties here, or the table charged a house penalty."""
    by_rules = any(charge.applies(sheet.house) for charge in sheet.game.charges)
    return by_rules or any(_house_charges(sheet, player) for player in sheet.players)


def has_bonus(sheet: ScoreSheet) -> bool:
    """True if a house penalty made a score better."""
    charges = (one for player in sheet.players for one in _house_charges(sheet, player))
    return any(one.points * sheet.game.won_by.sign < 0 for one in charges)


def penalty_signs(sheet: ScoreSheet) -> str:
    """Return what the signs of penalties on the sheet mean; empty if there are none."""
    if sheet.game.won_by.highest:
        return _("▲ with a bonus, ▼ with penalties") if shows_penalties(sheet) else ""
    if has_bonus(sheet):
        return _("▲ with penalties, ▼ with a bonus")
    return _("▲ with penalties") if shows_penalties(sheet) else ""


def house_points(sheet: ScoreSheet, player: int) -> int:
    """Return the points of all house penalties of a player."""
    return sum(charge.points for charge in _house_charges(sheet, player))


def _house_charges(sheet: ScoreSheet, player: int) -> list[Charged]:
    return [one for hand in sheet.hands for one in hand.mark(player).charges if not one.rule]


def changed_rules(sheet: ScoreSheet) -> list[RuleLine]:
    """Return the house rules that differ from the rule sheet."""
    house = sheet.house
    return [
        RuleLine(rule.rule, _(rule.title), rule.says(house[rule.id]))
        for rule in sheet.game.house_rules
        if house[rule.id] != rule.default_on(house.sheet)
    ]


def hands_played(sheet: ScoreSheet) -> str:
    """Return how many hands were played, and of how many: ``13 hands``, ``9 of 13 hands``.

    A game won by Rummies has no fixed number of hands, so only those played are given.
    """
    hands, every = len(sheet.marked), sheet.game.hands
    if hands == every or not sheet.game.won_by.totals:
        return hands_of(sheet.game, hands)
    return _("%(marked)s of %(hands)s", marked=hands, hands=hands_of(sheet.game, every))


def played(sheet: ScoreSheet) -> str:
    """Return how much was played: ``13 hands``, ``5 of 13 hands so far``, ``2 Rummies``."""
    hands = hands_played(sheet)
    if not sheet.game.won_by.totals:
        hands = ngettext("%(number)s Rummy", "%(number)s Rummies", len(sheet.marked))
    return hands if sheet.over else _("%(hands)s so far", hands=hands)


def headline(sheet: ScoreSheet) -> str:
    """Return the game and how much of it was played: ``Proter, 13 hands``."""
    return f"{sheet.game.name}, {played(sheet)}"


def result(sheet: ScoreSheet) -> str:
    """Return the standings in a line to send: ``Proter, 13 hands: 1. Ana 162, 2. Ben 170``."""
    standings = [
        (f"{one.place}. " if sheet.is_counted else "") + f"{isolated(one.name)} {score(one.total)}"
        for one in sheet.standings()
    ]
    return f"{headline(sheet)}: {listed(standings, 'standard-narrow')}"


def bending(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> str:
    """Return a sentence on whether bending the table doubled points; empty if nobody bent it."""
    words = sheet.game.bends
    if words is None or event.out is None or not event.bent:
        return ""
    name = sheet.names[event.out]
    if hand.rules.calls_rule in hand.rules_charged(event.out):
        says = noted(
            "%(name)s bent the table, but called more than %(calls)s times: not doubled (%(rule)s)."
        )
        return _(says, name=name, calls=hand.rules.calls_allowed, rule=hand.rules.calls_rule)
    return _(words.says, name=name)


def bending_and_record(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> str:
    """Return the sentence of `bending`, and one on a recorded table that says otherwise."""
    says, out, board = bending(sheet, hand, event), event.out, hand.board
    if sheet.game.bends is None or out is None:
        return says
    against, earlier = "", board.melded_before_last_turn(out) or hand.said_to_have_met(out)
    if event.bent and earlier:
        against = noted("By the record, %(name)s had melded in an earlier turn.")
    elif not event.bent and not earlier and board.laid_by(out, hand.rules) >= hand.rules.dealt:
        against = noted("By the record, %(name)s laid all cards in one turn. Bent the table?")
    return f"{says} {_(against, name=sheet.names[out])}".strip() if against else says


def bendings(sheet: ScoreSheet) -> list[str]:
    """Return a sentence for each hand where the table was bent: doubled, or why not."""
    return [
        f"{hand_name(sheet.game, hand.number)}: {says}"
        for hand in sheet.marked
        if hand.marking is not None and (says := bending(sheet, hand, hand.marking.event))
    ]


def notes(sheet: ScoreSheet) -> list[str]:
    """Return sentences on hands thrown in or corrected, and on each time the table was bent."""
    sentences = []
    for hand in sheet.hands:
        if times := len(hand.thrown_in):
            says = {
                1: noted("%(hand)s was thrown in and dealt again."),
                2: noted("%(hand)s was thrown in twice and dealt again."),
            }.get(times, noted("%(hand)s was thrown in %(times)s times and dealt again."))
            sentences.append(_(says, hand=hand_name(sheet.game, hand.number), times=times))
    corrected = [str(hand.number) for hand in sheet.hands if len(hand.markings) > 1]
    if corrected:
        says = ngettext(
            "Corrected after marking: %(hand_word)s %(hands)s.",
            "Corrected after marking: %(hand_word)ss %(hands)s.",
            len(corrected),
            hand_word=sheet.game.hand_word,
            hands=listed(corrected, "standard-narrow"),
        )
        sentences.append(says)
    return sentences + bendings(sheet)


def carried_out(hand: HandSheet, line: RulingLine) -> str:
    """Return whether a ruling was carried out, in words; empty if nothing follows from it.

    If its cards do not lie on the table, only points are charged and nothing is taken back.
    """
    ruling, enforced = line.ruling, line.enforced
    has_effect = line.given.comes_to_table(hand.rules) or ruling.consequence.points
    if ruling.legal or not has_effect:
        return ""
    if enforced is None:
        return _("Not carried out.")
    if any(penalty.entry is enforced and penalty.withdrawn for penalty in hand.penalties):
        return _("Carried out; the points were taken back.")
    return _("Carried out.")


def box_rows(sheet: ScoreSheet) -> list[tuple[MeldBox, list[Filled | None]]]:
    """Return the boxes of the game, and how each player has filled it; None if open."""
    filled = [sheet.filled_boxes(player) for player in sheet.players]
    return [(box, [one.get(box.title) for one in filled]) for box in sheet.game.judge.boxes]


# -- for spreadsheets -----------------------------------------------------------------------------

# Many spreadsheets in Europe separate cells by semicolons, and would begin a cell there.
_AFTER_SEMICOLON: Final = re.compile(r"(;\s*)(?=[=+\-@＝＋－＠])")


def as_csv(sheet: ScoreSheet) -> str:
    """Return the tally as CSV by RFC 4180.

    It has one row for each hand with everyone's points, then boxes and penalties if there are any,
    changed house rules and rulings. No text that somebody entered can begin a formula.
    """
    return in_csv(_rows(sheet))


def in_csv(rows: Iterable[Sequence[str | float]]) -> str:
    """Return rows as CSV by RFC 4180. No text in them can begin a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    for row in rows:
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()


def _rows(sheet: ScoreSheet) -> Iterable[list[str | int]]:
    names = sheet.names
    yield [_(sheet.game.hand_title), _("Wild"), _("Dealer"), _("Out"), *names]
    for hand in sheet.hands:
        yield [
            hand.number,
            sheet.wild_of(hand.number),
            names[sheet.places(hand).dealer] if hand.is_dealt else "",
            "" if hand.out is None else names[hand.out],
            *(
                "" if hand.is_blank(player) else hand.mark(player).points
                for player in sheet.players
            ),
        ]
    yield [_("Total"), "", "", "", *(sheet.total(player) for player in sheet.players)]
    places = {one.player: one.place if sheet.is_counted else "" for one in sheet.standings()}
    yield [_("Place"), "", "", "", *(places[player] for player in sheet.players)]
    paid = sheet.payments()
    if paid:
        yield [_("Paid"), "", "", "", *(paid[player] for player in sheet.players)]
    yield from _box_rows(sheet)
    if shows_penalties(sheet):
        yield []
        yield [_(sheet.game.hand_title), _("Player"), _("Rule"), _("Points"), _("Penalty")]
    for penalty in penalty_lines(sheet):
        title = penalty.title
        if penalty.times > 1:
            title = _("%(title)s, %(times)s times", title=penalty.title, times=penalty.times)
        yield [penalty.hand, penalty.name, penalty.rule or _("house"), penalty.points, title]
    yield []
    yield [_("Rule"), _("House rule"), _("Here")]
    for rule in changed_rules(sheet):
        yield [rule.rule, rule.title, rule.says]
    yield []
    of_ruling = _("Player"), _("Rules"), _("Ruling"), _("Plays"), _("Carried out")
    yield [_(sheet.game.hand_title), *of_ruling]
    for hand in sheet.hands:
        for line in hand.all_rulings:
            if isinstance(line, UpcardLine):
                cells = _upcard(hand, line, names)
            else:
                cells = _ruling(hand, line, sheet)
            yield [hand.number, names[line.given.player], *cells]


def _ruling(hand: HandSheet, line: RulingLine, sheet: ScoreSheet) -> list[str]:
    ruling, enforced = line.ruling, _("yes") if line.enforced else _("no")
    return [
        " ".join(ruling.broken),
        _("legal") if ruling.legal else _("illegal"),
        asked_in_words(line.question, sheet),
        enforced if carried_out(hand, line) else "",
    ]


def _upcard(hand: HandSheet, line: UpcardLine, names: Sequence[str]) -> list[str]:
    given, gets = line.given, _("nobody gets the card")
    if given.gets is not None:
        gets = _("%(name)s gets the card", name=names[given.gets])
    asked = listed((names[seat] for seat in given.asked), "standard-narrow")
    return [hand.rules.allowed_by[MAY_I], gets, _("“May I?”: %(names)s", names=asked), ""]


def _box_rows(sheet: ScoreSheet) -> Iterable[list[str | int]]:
    """Yield each player's points in each box, and the hand that filled it."""
    rows = box_rows(sheet)
    if not rows:
        return
    filled = _("Filled in %(hand_word)s", hand_word=sheet.game.hand_word)
    for at, title in enumerate((_("Box"), filled)):
        yield []
        yield [title, _("Cards"), "", "", *sheet.names]
        for box, cells in rows:
            shown = ["" if one is None else (one.mark.cards, one.hand)[at] for one in cells]
            yield [_(box.title), box.cards, "", "", *shown]


def safe_cell(text: str) -> str:
    """Return a text with an apostrophe before anything that a spreadsheet takes for a formula.

    Formulas begin with ``= + - @`` or their wide forms. Some programs skip white space and
    invisible characters before them, and a cell may also begin after a semicolon.
    """
    text = _AFTER_SEMICOLON.sub(r"\1'", text)
    kinds = ((sign, unicodedata.category(sign)) for sign in text if not sign.isspace())
    seen = next((sign for sign, kind in kinds if kind not in {"Cc", "Cf"}), "")
    begins_formula = unicodedata.normalize("NFKC", seen)[:1] in {"=", "+", "-", "@"}
    return f"'{text}" if begins_formula or text[:1].isspace() else text
