"""The score sheet with its chart, one hand of it, and the record of every entry."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any

from flask import Blueprint, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.arrangements import Arranged, lay_off_order
from companion.notebook.describe import bending, score
from companion.notebook.events import HandEntry, Redone, Undone
from companion.notebook.hand_sheet import HandSheet, Marking
from companion.notebook.replay import standing_entries
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import parse_cards
from companion.services import hands, tally
from companion.services.game_log import LoadedGame, who_wrote
from companion.services.games import hand_of
from companion.web.actions import loaded_game
from companion.web.auth import database
from companion.web.endings import ending_of
from companion.web.fields import small_number
from companion.web.pages import cached_game_page, game_page, said
from companion.web.penalties import reasons
from companion.web.templating import fewer, points

bp = Blueprint("sheet", __name__)

LOG_PAGE = 100


@dataclass(frozen=True, slots=True)
class Cell:
    """A player's points for a hand, the total with them, and what is to be marked.

    ``points`` is None while there is nothing to show; ``charged`` is how much of it is penalties;
    ``tag`` stands in the place of the points, if there is one.
    """

    player: int
    points: int | None
    total: int
    charged: int
    corrected: bool
    deals: bool
    out: bool
    tag: str


@dataclass(frozen=True, slots=True)
class Row:
    """A hand on the sheet; ``begun`` is whether there is anything to open, ``wild`` its rank."""

    number: int
    wild: str
    begun: bool
    marked: bool
    cells: tuple[Cell, ...]


@bp.app_template_global("score_rows")
def score_rows(sheet: ScoreSheet) -> list[Row]:
    """Every hand of the game with its cells; those not begun too, where it is known how many."""
    totals = [0 for _ in sheet.players]
    hands = len(sheet.hands) if sheet.game.won_by else sheet.game.hands
    return [_row(sheet, number, totals) for number in range(1, hands + 1)]


def _row(sheet: ScoreSheet, number: int, totals: list[int]) -> Row:
    begun = number <= len(sheet.hands)
    hand = sheet.hands[number - 1] if begun else sheet.open_hand(number)
    wild = sheet.wild_of(number)
    cells = []
    for player in sheet.players:
        mark = hand.mark(player)
        totals[player] += mark.points
        cells.append(
            Cell(
                player,
                None if hand.is_blank(player) else mark.points,
                totals[player],
                mark.points - mark.cards,
                bool(stood_before(hand, player)),
                hand.places.dealer == player and hand.is_dealt,
                hand.out == player,
                ending_of(sheet).tag if hand.out == player else "",
            )
        )
    return Row(number, wild, begun, hand.marking is not None, tuple(cells))


@bp.app_template_global("stood_before")
def stood_before(hand: HandSheet, player: int) -> list[Marking]:
    """The earlier versions of a player's marks that a correction changed, the oldest first."""
    return [
        earlier
        for earlier, later in zip(hand.markings, hand.markings[1:], strict=False)
        if _of(earlier, player) != _of(later, player)
    ]


def _of(marking: Marking, player: int) -> tuple[object, ...]:
    return marking.entered(player), marking.event.out == player, marking.melded(player)


bp.add_app_template_global(tally.box_rows)
bp.add_app_template_global(tally.shows_penalties)
bp.add_app_template_global(tally.has_bonus)
bp.add_app_template_global(tally.house_points)
bp.add_app_template_global(tally.bendings)
bp.add_app_template_global(bending)


@bp.get("/games/<game_id>/sheet")
def show(game_id: str) -> ResponseReturnValue:
    """The score sheet and the chart of the running totals."""
    return cached_game_page("sheet/show.html", loaded_game(game_id), "Sheet", dict)


@bp.get("/games/<game_id>/hands/<int:number>")
def hand(game_id: str, number: int) -> ResponseReturnValue:
    """How each player's points of one hand came about."""
    loaded = loaded_game(game_id)
    page, context = hand_context(loaded, number)
    return game_page(
        page,
        loaded,
        "Sheet",
        by=_by(loaded),
        charges_here=reasons(loaded.sheet, context["hand"]),
        **context,
    )


def hand_context(loaded: LoadedGame, number: int) -> tuple[str, dict[str, Any]]:
    """Return the template of a hand's page and what it lays out. Raises `NotFound` if not begun."""
    sheet = loaded.sheet
    hand = sheet.hands[hand_of(loaded, number) - 1]
    players: Sequence[int] = sheet.players
    if hand.marking and sheet.game.lays_off_at_end:
        players = lay_off_order(players, hand.marking.event)
    return ending_of(sheet).hand_page, {
        "hand": hand,
        "players": players,
        "wild": sheet.game.wild_rank(number),
        "follows": hands.afterwards(sheet, hand),
        "accounts": {
            version.entry.number: _accounts(sheet, hand, version) for version in hand.markings
        },
    }


@bp.app_template_global("hand_url")
def hand_url(number: int) -> str:
    """Return the address of a hand's page, for its marker or for those who watch."""
    address = request.view_args or {}
    if "key" in address:
        return url_for("viewers.hand", key=address["key"], number=number)
    return url_for("sheet.hand", game_id=address["game_id"], number=number)


def _by(loaded: LoadedGame) -> dict[str, str]:
    """Who wrote an entry, by the id that it carries; imported entries carry the name itself."""
    known = who_wrote(database(), loaded)
    return {entry.by: known.get(entry.by, entry.by) for entry in loaded.entries}


@dataclass(frozen=True, slots=True)
class Account:
    """How a player's marks were entered: words around an arrangement, and cards with their values.

    ``why`` says why cards are not arranged for the fewest points. ``comes_to`` stands before the
    ``points`` that the cards left come to; these are None for who went out.
    """

    before: str = ""
    shown: Arranged | None = None
    after: str = ""
    worth: Sequence[tuple[str, int]] = ()
    why: str = ""
    comes_to: str = ""
    points: int | None = None


def _accounts(sheet: ScoreSheet, hand: HandSheet, version: Marking) -> list[Account]:
    """Return every player's account of one version of a hand's marks."""
    shown = hands.arranged(hand, version)
    return [_account(sheet, hand, version, seat, shown.get(seat)) for seat in sheet.players]


def _account(
    sheet: ScoreSheet, hand: HandSheet, version: Marking, player: int, shown: Arranged | None
) -> Account:
    event, entered = version.event, version.entered(player)
    if event.out == player:
        out = ending_of(sheet).out
        meld = "" if event.out_melded else " without a meld"
        bent = ", bending the table" if event.bent else ""
        return Account(f"{out[0].upper()}{out[1:]}{meld}{bent}{': ' if shown else ''}", shown)
    cards = hand.mark(player).cards if version is hand.marking else None
    if entered is None:
        return Account("No cards of this player count", points=cards)
    worth = _worth(hand, entered.cards)
    once = sum(value for _, value in worth) if entered.cards else entered.points
    comes_to = ""
    if once and cards is not None and cards != once:
        comes_to = f" × {cards // once} =" if cards > once else ", which count"
    if shown:
        after = " Left: " if shown.left else " Nothing left"
        left = worth if shown.left else ()
        return Account("", shown, after, left, _why(entered, shown), comes_to, cards)
    if entered.cards:
        return Account(worth=worth, comes_to=comes_to, points=cards)
    among = ""
    if hand.rules.wild_left_points():
        wild = f"{sheet.game.wild_word}{'' if entered.wilds == 1 else 's'}"
        among = f", {entered.wilds or 'no'} {wild} among them"
    says = f"{points(entered.points or 0)}, counted without the cards{among}"
    return Account(says, comes_to=comes_to, points=cards)


def _why(entered: HandEntry, shown: Arranged) -> str:
    if not entered.otherwise and shown.points == shown.best:
        return ""
    way = "as the player insisted" if entered.otherwise else "as it was saved"
    return f"Arranged {way}{': ' if shown.points != shown.best else ''}{fewer(shown)}."


def _worth(hand: HandSheet, text: str | None) -> list[tuple[str, int]]:
    """Return the cards of a text with their values, the dearest first."""
    value = hand.rules.value
    cards = sorted(parse_cards(text or ""), key=lambda card: (-value(card), card.suit))
    return [(card.text, value(card)) for card in cards]


@bp.get("/games/<game_id>/log")
def log(game_id: str) -> ResponseReturnValue:
    """Every entry, the newest first: its number, when, who, what, and whether it was undone."""
    loaded = loaded_game(game_id)
    at = request.args.get("before", 0, type=small_number)
    end = at - 1 if 1 <= at <= len(loaded.entries) else len(loaded.entries)
    shown = loaded.entries[max(0, end - LOG_PAGE) : end]
    standing = {entry.number for entry in standing_entries(loaded.entries)[0]}
    lines = [
        {
            "entry": entry,
            "says": said(entry, loaded),
            "undone": entry.number not in standing and not isinstance(entry.event, Undone | Redone),
        }
        for entry in reversed(shown)
    ]
    older = shown[0].number if shown and shown[0].number > 1 else None
    return game_page("sheet/log.html", loaded, "Sheet", lines=lines, older=older, by=_by(loaded))


# -- the line chart of the running totals ---------------------------------------------------------

# Sized for a phone: the chart is drawn nearly one to one on a screen of 360 pixels.
WIDTH, HEIGHT = 360, 280
LEFT, RIGHT, TOP, BOTTOM = 34, 250, 14, 250
LABEL_AT = RIGHT + 16
# The least distance between two labels; with seven players all fit between TOP and BOTTOM.
LABEL_HEIGHT = 15
LONGEST_LABEL = 10
MOST_TICKS = 5


@dataclass(frozen=True, slots=True)
class Tick:
    """A number on an axis and its place on it."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A player's line: its points, and its label with the place where that is written.

    ``ends`` is the height of the last point, ``label_at`` the height of the label, which is moved
    where several lines end together.
    """

    player: int
    label: str
    total: int
    points: tuple[tuple[float, float], ...]
    label_at: float

    @property
    def ends(self) -> float:
        """The height at which the line ends."""
        return self.points[-1][1]


@dataclass(frozen=True, slots=True)
class Chart:
    """The chart of the hands that are marked: a line a player, from 0 before the first hand.

    It says where each line, label and tick goes; the template draws them.
    """

    lines: tuple[Line, ...]
    hands: tuple[Tick, ...]
    levels: tuple[Tick, ...]
    says: str


@bp.app_template_global("line_chart")
def chart(sheet: ScoreSheet) -> Chart | None:
    """The running totals after each marked hand as lines; None before the first is marked."""
    marked = len(sheet.marked)
    if not marked:
        return None
    totals = [
        [0, *(sheet.total(player, through=hand) for hand in range(1, marked + 1))]
        for player in sheet.players
    ]
    levels = nice_levels(max(map(max, totals)), min(map(min, totals)))
    across = [LEFT + (RIGHT - LEFT) * hand / marked for hand in range(marked + 1)]
    heights = [[_height(total, levels) for total in line] for line in totals]
    labels = spread([line[-1] for line in heights])
    return Chart(
        lines=tuple(
            Line(
                player,
                shortened(sheet.names[player]),
                totals[player][-1],
                tuple(zip(across, heights[player], strict=True)),
                labels[player],
            )
            for player in sheet.players
        ),
        hands=tuple(Tick(across[hand], str(hand)) for hand in range(1, marked + 1)),
        levels=tuple(Tick(_height(level, levels), score(level)) for level in levels),
        says=_says(sheet, marked, [line[-1] for line in totals]),
    )


def _height(total: int, levels: Sequence[int]) -> float:
    lowest, highest = levels[0], levels[-1]
    return round(BOTTOM - (BOTTOM - TOP) * (total - lowest) / (highest - lowest), 1)


def _says(sheet: ScoreSheet, hand: int, totals: Sequence[int]) -> str:
    sign, first = (-1, "highest") if sheet.game.highest_wins else (1, "lowest")
    order = sorted(sheet.players, key=lambda player: (sign * totals[player], player))
    listed = ", ".join(f"{sheet.names[player]} {score(totals[player])}" for player in order)
    return f"Running totals after {sheet.game.hand_word} {hand}, {first} first: {listed}."


def nice_levels(highest: int, lowest: int = 0) -> list[int]:
    """Round numbers, 0 among them, from one that is not above ``lowest`` to one that is not below
    ``highest``; at most six of them, or seven if some are below 0.
    """
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(step for step in steps if step * MOST_TICKS >= highest - lowest)
    top = max(-(-highest // step), lowest // step + 1)
    return [step * n for n in range(lowest // step, top + 1)]


def spread(wanted: Sequence[float]) -> list[float]:
    """Heights for labels, each as near as can be to where it is wanted, and none over another."""
    order = sorted(range(len(wanted)), key=lambda n: (wanted[n], n))
    places = [wanted[n] for n in order]
    for above, below in pairwise(range(len(places))):
        places[below] = max(places[below], places[above] + LABEL_HEIGHT)
    limit = float(BOTTOM)
    for n in reversed(range(len(places))):
        places[n] = min(places[n], limit)
        limit = places[n] - LABEL_HEIGHT
    return [places[order.index(n)] for n in range(len(wanted))]


def shortened(name: str, longest: int = LONGEST_LABEL) -> str:
    """Return a name cut to so many letters, between characters that people see as one each."""
    width = 0
    for at, character in enumerate(name):
        joined = unicodedata.category(character) in {"Mn", "Me", "Mc", "Cf"}
        joined = joined or (at > 0 and name[at - 1] == "\u200d")
        if joined:
            continue
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if width > longest:
            return name[:at].rstrip() + "…"
    return name
