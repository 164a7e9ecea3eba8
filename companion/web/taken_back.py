"""What a ruling or a penalty does to the recorded table, and how the marker is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.notebook.board import Board
from companion.notebook.events import Entry, HousePenalty, PenaltyCharged, RulingEnforced
from companion.notebook.replay import replay
from companion.notebook.scoresheet import HandSheet, RulingLine, ScoreSheet
from companion.notebook.words import house_words
from companion.rules.judge import describe
from companion.rules.question import CALL
from companion.rules.ruling import TakeBack
from companion.rules.table import Play
from companion.services.books import Book
from companion.services.rulings import rest_of_turn
from companion.web.templating import points


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What becomes of a turn on the recorded table, each play in words.

    ``off`` goes off it. ``stays`` lies there still, because the record has gone on with ``since``
    (``Ben's turn``). ``rest`` comes to it, if only one play of the turn is taken back.
    """

    off: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    since: str = ""
    rest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """What was done, in sentences; whether the recorded table has cards that should be off it."""

    says: str
    stays: bool = False


def is_open(sheet: ScoreSheet, hand: HandSheet) -> bool:
    """True if the hand is being played, so that more can be asked about it."""
    return hand.number == sheet.hand.number and not sheet.over


def by_ruling(sheet: ScoreSheet, hand: HandSheet, line: RulingLine) -> TakenBack:
    """What carrying a ruling out does to the recorded table, as it is on this sheet."""
    given, board = line.given, hand.board
    if not is_open(sheet, hand):
        return TakenBack()
    if line.ruling.consequence.take_back is not TakeBack.TURN:
        return TakenBack(rest=_in_words(rest_of_turn(sheet, line)))
    plays = _in_words(board.plays_in(line.turn, given.player))
    if (board.number, board.turn_of) == (line.turn, given.player):
        return TakenBack(off=plays)
    return TakenBack(stays=plays, since=_since(sheet, board, given.player))


def by_penalty(sheet: ScoreSheet, hand: HandSheet, player: int, rule: str) -> TakenBack:
    """What charging a player does to the recorded table, as it is on this sheet."""
    board = hand.board
    if not (is_open(sheet, hand) and sheet.game.charge(rule).takes_back):
        return TakenBack()
    plays = _in_words(board.plays_in(board.last_turn(player), player))
    if board.turn_of == player:
        return TakenBack(off=plays)
    # Only the next player's turn tells that the charge comes late: after others, it may be for a
    # turn that is not on record.
    is_late = board.turn_of == sheet.next_player(player)
    return TakenBack(stays=plays, since=_since(sheet, board, player)) if is_late else TakenBack()


def _in_words(plays: Sequence[Play]) -> tuple[str, ...]:
    return tuple(describe(play) for play in plays)


def _since(sheet: ScoreSheet, board: Board, player: int) -> str:
    if board.turn_of in {None, player}:
        return "a later turn"
    return f"{sheet.names[board.turn_of or 0]}'s turn"


def done(book: Book, entry: Entry) -> Done:
    """What an entry that carried a ruling out or charged a penalty did."""
    before = replay(book.entries[: entry.number - 1])
    if isinstance(entry.event, RulingEnforced):
        return _enforced(before, entry.event)
    if isinstance(entry.event, HousePenalty):
        house = entry.event
        said = house_words(house.points, before.names[house.player])
        return Done(f"{said}: {house.text}. It is the table's own, and no rule's.")
    assert isinstance(entry.event, PenaltyCharged)  # noqa: S101 (no other act is told so)
    return _charged(before, entry.event)


def _enforced(before: ScoreSheet, event: RulingEnforced) -> Done:
    hand = before.hands[event.hand - 1]
    line = next(line for line in hand.rulings if line.entry.number == event.ruling)
    consequence, player = line.ruling.consequence, line.given.player
    name = before.names[player]
    said = []
    if consequence.points:
        said.append(f"{points(consequence.points)} to {name} ({line.charge}).")
    back = by_ruling(before, hand, line)
    if back.stays:
        said.append(_stays(back, name))
    elif line.question.ask == CALL:
        said.append(f"If {name} bends the table, nothing is doubled.")
    elif line.question.ask in hand.rules.asks_off_table:
        said.append(f"{name} plays on with the same cards.")
    elif not is_open(before, hand):
        said.append(f"Hand {hand.number} is over, and its recorded table stays as it is.")
    else:
        what = "turn is" if consequence.take_back is TakeBack.TURN else "play is"
        if line.question.ask == "contract":
            what = "first melds are"
        said.append(f"{name}'s {what} taken back.")
        if consequence.turn_passes:
            said.append(f"{_next(before, player)} plays next.")
        said += _moved(back)
    return Done(" ".join(said), bool(back.stays))


def _charged(before: ScoreSheet, event: PenaltyCharged) -> Done:
    hand, name = before.hands[event.hand - 1], before.names[event.player]
    reason = before.game.charge(event.rule)
    cost = points(hand.rules.charge_points(event.rule))
    said = [f"{cost} to {name}: {reason.title} ({event.rule})."]
    if reason.leaves:
        said = [f"{name} left the game and pays {cost} ({event.rule})."]
    if event.rule == hand.rules.calls_rule:
        said.append(f"If {name} bends the table, nothing is doubled.")
    back = by_penalty(before, hand, event.player, event.rule)
    if back.stays:
        said.append(_stays(back, name))
    elif reason.takes_back and is_open(before, hand):
        said.append(f"The whole turn is taken back; {_next(before, event.player)} plays next.")
        said += _moved(back)
    return Done(" ".join(said), bool(back.stays))


def _stays(back: TakenBack, name: str) -> str:
    return (
        f"The recorded table has {back.since} already, so {name}'s cards stay on it: "
        f"{'; '.join(back.stays)}. Undo takes {back.since} off first, should you want them off."
    )


def _moved(back: TakenBack) -> list[str]:
    said = [f"Off the recorded table: {'; '.join(back.off)}."] if back.off else []
    return [*said, f"On the recorded table: {'; '.join(back.rest)}."] if back.rest else said


def _next(sheet: ScoreSheet, player: int) -> str:
    return sheet.names[sheet.next_player(player)]
