"""The score sheet, one hand of it, and the record of every entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final, NamedTuple

from flask import Blueprint, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.notebook.arrangements import Arranged, arranged, lay_off_order
from companion.notebook.describe import hand_name, in_points, say, score
from companion.notebook.events import HandEntry, Redone, Undone
from companion.notebook.hand_marks import (
    afterwards,
    lay_offs_count,
    must_have_laid,
    recorded_melds,
)
from companion.notebook.hand_sheet import HandSheet, Marking, Penalty, RulingLine, UpcardLine
from companion.notebook.replay import standing_entries
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import parse_cards
from companion.rules.language import gettext as _, ngettext, noted
from companion.services import tally
from companion.services.game_log import LoadedGame, who_wrote
from companion.services.games import hand_of
from companion.services.tally import bending
from companion.web.actions import loaded_game
from companion.web.auth import database
from companion.web.endings import ending_of, leading_word
from companion.web.figures import chart, heat_map
from companion.web.pages import cached_page, game_page, in_words
from companion.web.templating import clock, fewer, marked

bp = Blueprint("sheet", __name__)


class Cell(NamedTuple):
    """A player's points for a hand, how much of them is charged, and the total with them.

    ``has_bonus`` is true if the charges make the score better. ``points`` is None while there is
    nothing to show.
    """

    player: int
    points: int | None
    charged: int
    has_bonus: bool
    total: int


@bp.app_template_global("score_rows")
def score_rows(sheet: ScoreSheet) -> list[tuple[HandSheet, list[Cell]]]:
    """Return every hand with its cells; also those to come, if their number is known.

    A hand in which the game was ended is left out if nothing in it counts.
    """
    totals, rows = [0 for _ in sheet.players], []
    is_known = sheet.game.won_by.totals and not sheet.over
    hands = sheet.game.hands if is_known else len(sheet.hands)
    for number in range(1, hands + 1):
        hand, cells = sheet.hand_at(number), []
        for player in sheet.players:
            mark = hand.mark(player)
            totals[player] += mark.points
            points = None if hand.is_blank(player) else mark.points
            charged = mark.points - mark.cards
            has_bonus = charged * sheet.game.won_by.sign < 0
            cells.append(Cell(player, points, charged, has_bonus, totals[player]))
        if not (hand.ended and all(cell.points is None for cell in cells)):
            rows.append((hand, cells))
    return rows


@bp.app_template_global("sheet_legend")
def sheet_legend(sheet: ScoreSheet) -> str:
    """Return what the numbers and signs of a score sheet mean."""
    game, signs = sheet.game, tally.penalty_signs(sheet)
    big = noted("Big: the points of the %(hand_word)s; below them the total.")
    says = [_(game.won_by.in_short), _(big, hand_word=game.hand_word)]
    says += [f"{signs} ·"] if signs else []
    says.append(_("◤ corrected · D deals · ★ %(leads)s.", leads=leading_word(sheet)))
    if ending_of(sheet).turns_card or game.wild_rank(1):
        says.append(_("Under a hand's number is its %(wild_word)s.", wild_word=game.wild_word))
    return " ".join(says)


@bp.app_template_global("corrected_marks")
def corrected_marks(hand: HandSheet, player: int) -> list[Marking]:
    """Return the versions of a player's marks that corrections changed, the oldest first."""

    def marks(marking: Marking) -> tuple[object, ...]:
        entered, counted = marking.entered(player), hand.marks(marking)[player].cards
        return entered, counted, marking.event.out == player, marking.melded(player)

    return [before for before, after in pairwise(hand.markings) if marks(before) != marks(after)]


for known in (
    tally.box_rows,
    tally.carried_out,
    tally.shows_penalties,
    tally.house_points,
    tally.bendings,
    heat_map,
):
    bp.add_app_template_global(known)
bp.add_app_template_global(chart, "totals_chart")
bp.add_app_template_global(leading_word)


@bp.get("/games/<game_id>/sheet")
def show(game_id: str) -> ResponseReturnValue:
    """Show the score sheet and the chart of the running totals."""
    loaded = loaded_game(game_id)
    return cached_page(loaded, lambda: game_page("sheet/show.html", loaded, "Sheet"))


@bp.get("/games/<game_id>/hands/<int:number>")
def hand(game_id: str, number: int) -> ResponseReturnValue:
    """Show one hand, and how each player's points came about."""
    loaded = loaded_game(game_id)
    return game_page("sheet/hand.html", loaded, "Sheet", **hand_context(loaded, number))


@bp.app_template_global("hand_url")
def hand_url(number: int) -> str:
    """Return the address of a hand's page, for its marker or for those who watch."""
    address = request.view_args or {}
    if "key" in address:
        return url_for("viewers.hand", key=address["key"], number=number)
    return url_for("sheet.hand", game_id=address["game_id"], number=number)


def hand_context(loaded: LoadedGame, number: int, watched: str = "") -> dict[str, Any]:
    """Return what sheet/hand.html shows. Raises `NotFound` for a hand that has not begun.

    ``watched`` is the address of the viewers' sheet, on a viewers' page: it has nothing that only
    the marker may do or see, such as who made an entry.
    """
    sheet = loaded.sheet
    hand, players = hand_of(loaded, number), list(sheet.players)
    rulings = () if watched else hand.all_rulings
    if hand.marking and sheet.game.lays_off_at_end:
        players = lay_off_order(players, hand.marking.event)
    accounts = {}  # by the entry number of each version of the marks
    for version in hand.markings:
        as_then = replace(hand, rules=version.rules)
        shown = arranged(as_then, version.event)
        accounts[version.entry.number] = [
            _account(sheet, as_then, version, seat, shown.get(seat)) for seat in sheet.players
        ]
    return {
        "hand": hand,
        "watched": watched,
        "about": _about(sheet, hand),
        "players": [(player, _total_says(sheet, hand, player)) for player in players],
        "accounts": accounts,
        "rulings": [_ruling_link(line, hand, loaded) for line in rulings],
        "by": {} if watched else who_wrote(database(), loaded),
        "buttons": _buttons(loaded, hand, watched),
    }


# Who deals a hand, and plays first, by whether it is marked and whether players take turns.
_DEALS: Final = {
    (False, False): noted("<bdi>%(dealer)s</bdi> deals."),
    (False, True): noted("<bdi>%(dealer)s</bdi> deals, <bdi>%(first)s</bdi> plays first."),
    (True, False): noted("<bdi>%(dealer)s</bdi> dealt."),
    (True, True): noted("<bdi>%(dealer)s</bdi> dealt, <bdi>%(first)s</bdi> played first."),
}


def _about(sheet: ScoreSheet, hand: HandSheet) -> list[Markup | str]:
    """Return what is wild in a hand, who deals it, and how it ended."""
    names, needs, marking = sheet.names, hand.rules.needs(), hand.marking
    ending, wild = ending_of(sheet), sheet.game.wild_rank(hand.number)
    says: list[Markup | str] = [f"{need.what}: {need.says}." for need in needs]
    if wild and not needs:
        word = sheet.game.wild_word
        says = [_("The %(wild_word)s: the %(rank)ss.", wild_word=word, rank=wild.word)]
    if marking is None and not sheet.is_open(hand):  # perhaps it was never dealt
        return [*says, _("The game was over before it was marked.")]
    if hand.is_dealt:
        places, deals = sheet.places(hand), _DEALS[marking is not None, ending.in_turns]
        says.append(marked(deals, dealer=names[places.dealer], first=names[places.first]))
    if marking is None:
        return [*says, _("Not marked yet.")]
    if not ending.in_turns:
        return [*says, *(f"{need.what}: {need.says}" for need in afterwards(sheet, hand))]
    out, first = marking.event.out, marking.event.lays_off_first
    says.append(_("Nobody went out.") if out is None else marked(ending.was_out, name=names[out]))
    says.append(bending(sheet, hand, marking.event))
    if first is not None:
        says.append(marked("<bdi>%(name)s</bdi> laid off first.", name=names[first]))
    return says


def _total_says(sheet: ScoreSheet, hand: HandSheet, player: int) -> str:
    """Return the player's total after the hand, and if it counts, whether a meld was laid."""
    if sheet.is_open(hand):
        total = score(sheet.total(player))
        blank = hand.is_blank(player)
        return _("Nothing yet. Total so far: %(total)s", total=total) if blank else ""
    total, word = score(sheet.total(player, hand.number)), sheet.game.hand_word
    says = _("Total after the %(hand_word)s: %(total)s", hand_word=word, total=total)
    if hand.marking is None or not ending_of(sheet).asks_melded(sheet, hand):
        return says
    return f"{_melded_says(sheet, hand, hand.marking, player)} {says}".lstrip()


def _melded_says(sheet: ScoreSheet, hand: HandSheet, marking: Marking, player: int) -> str:
    """Return whether the player laid a meld; empty if that is not known."""
    if not marking.melded(player):
        return _("Laid no meld.")
    entry = marking.entered(player)
    if entry is None:  # nobody said how the player went out
        return ""
    by_cards = must_have_laid(sheet, hand, entry)
    is_recorded = player in recorded_melds(sheet, hand, marking.event)
    either = lay_offs_count(sheet) or (by_cards and not is_recorded)
    return _("Laid a meld or laid off.") if either else _("Laid a meld.")


def _buttons(loaded: LoadedGame, hand: HandSheet, watched: str) -> list[tuple[str, str, str]]:
    """Return links to other hands and to what can be done: address, words and look of each."""
    sheet, game_id, number = loaded.sheet, loaded.record.id, hand.number
    game, links = sheet.game, []
    if number > 1:
        links.append((hand_url(number - 1), f"‹ {hand_name(game, number - 1)}", "quiet"))
    if watched or (sheet.over and not hand.marking):
        links.append((watched or url_for("sheet.show", game_id=game_id), _("To the sheet"), ""))
    elif hand.marking:
        address = url_for("save_hand.correct_form", game_id=game_id, number=number)
        links.append((address, _("Correct"), ""))
    else:
        end = _("End the %(hand_word)s", hand_word=game.hand_word)
        links.append((url_for("save_hand.form", game_id=game_id), end, ""))
    if number < len(sheet.hands):
        links.append((hand_url(number + 1), f"{hand_name(game, number + 1)} ›", "quiet"))
    return links


def _ruling_link(
    line: RulingLine | UpcardLine, hand: HandSheet, loaded: LoadedGame
) -> tuple[str, str, str]:
    """Return the address of a ruling, what was ruled, and a note beside it."""
    endpoint, note = "disputes.upcard", ""
    if isinstance(line, RulingLine):
        endpoint = "rulings.show"
        note = " · " + tally.carried_out(hand, line) if line.enforced else ""
    address = url_for(endpoint, game_id=loaded.record.id, number=line.entry.number)
    return address, say(line.given, loaded.sheet), clock(line.entry.at) + note


class Account(NamedTuple):
    """How a player's marks were entered: words around an arrangement, and cards with their values.

    In a game of boxes a ``meld`` is shown. ``why`` says why cards are arranged so: not for the
    fewest points, or as one way of many. ``comes_to`` stands before the ``points`` of the cards
    left; these are None for the player who went out.
    """

    before: Markup | str = ""
    meld: Sequence[str] = ()
    shown: Arranged | None = None
    after: str = ""
    worth: Sequence[tuple[str, int]] = ()
    why: str = ""
    comes_to: str = ""
    points: int | None = None


def _account(
    sheet: ScoreSheet, hand: HandSheet, version: Marking, player: int, shown: Arranged | None
) -> Account:
    event, entered = version.event, version.entered(player)
    if event.out == player:
        bends = sheet.game.bends if event.bent else None
        out = noted("Went out") if event.out_melded else noted("Went out without a meld")
        out = _(ending_of(sheet).tag) or _(bends.out if bends else out)
        why = _("One way of many to lay these cards.") if shown and shown.too_many_ways else ""
        return Account(f"{out}: " if shown else out, shown=shown, why=why)
    box = hand.marks(version)[player].box
    if box and entered:
        after = " " + box.says + (_("; split by the player") if entered.split else "")
        name = Markup("<b>{}</b>").format(_(box.title))
        return Account(name, (entered.cards or "").split(), after=after)
    cards = hand.mark(player).cards if version is hand.marking else None
    if entered is None and version is sheet.hand.marking and player in sheet.uncounted:
        return Account(_("The cards left are not counted yet"))
    if entered is None:
        return Account(_("No cards of this player count"), points=cards)
    value = hand.rules.value
    held = sorted(parse_cards(entered.cards or ""), key=lambda card: (-value(card), card.suit))
    worth = [(card.text, value(card)) for card in held]  # the dearest first
    once = sum(map(value, held)) if entered.cards else entered.points
    before = after = why = comes_to = ""
    if shown:
        after = " " + (_("Left:") + " " if shown.left else _("Nothing left"))
        why = _arrangement_note(entered, shown)
    elif not entered.cards:
        before = _without_cards(hand, entered)
    if once and cards is not None and cards != once:
        comes_to = f" × {cards // once} =" if cards > once else ", " + _("which count")
    return Account(before, (), shown, after, worth, why, comes_to, cards)


@bp.app_template_global("multiplied")
def multiplied(hand: HandSheet, penalty: Penalty) -> str:
    """Return what a charge counts if that is more than its points: `` × 2 = 100``."""
    rule, points, _text = penalty.charged
    if not rule or penalty.withdrawn:
        return ""
    charges = hand.mark(penalty.player).charges
    counted = next((one.points for one in charges if one.rule == rule), points)
    return f" × {counted // points} = {counted}" if counted > points else ""


def _without_cards(hand: HandSheet, entered: HandEntry) -> str:
    says = _("%(points)s, entered without cards", points=in_points(entered.points or 0))
    if not (entered.wilds and hand.rules.wild_left_points):
        return says  # the form says 0 by itself
    among = ngettext("%(number)s Proter among them", "%(number)s Proters among them", entered.wilds)
    return f"{says}, {among}"


def _arrangement_note(entered: HandEntry, shown: Arranged) -> str:
    """Return why cards are not arranged for the fewest points; empty if they are."""
    if not entered.otherwise and shown.points == shown.best:
        return ""
    says = _("Arranged as the player chose") if entered.otherwise else _("Arranged as saved")
    return f"{says}: {fewer(shown)}." if shown.points != shown.best else f"{says}."


@bp.get("/games/<game_id>/log")
def log(game_id: str) -> ResponseReturnValue:
    """List every entry, the newest first: number, time, who, what, and whether it was undone."""
    loaded = loaded_game(game_id)
    steps = {entry.number for entry in loaded.entries if isinstance(entry.event, Undone | Redone)}
    stand = {entry.number for entry in standing_entries(loaded.entries)} | steps
    entries = reversed(loaded.entries)
    lines = [(entry, in_words(entry.event, loaded), entry.number not in stand) for entry in entries]
    by = who_wrote(database(), loaded)
    return game_page("sheet/log.html", loaded, "Sheet", lines=lines, by=by)
