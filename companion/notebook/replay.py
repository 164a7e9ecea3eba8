"""Replay events into the score sheet, all at once or entry by entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import singledispatch

from companion.notebook import events
from companion.notebook.board import Board
from companion.notebook.events import Action, Entry, Event, Marks
from companion.notebook.hand_sheet import (
    HandSheet,
    Marking,
    Penalty,
    RulingLine,
    UpcardLine,
    score_hand,
)
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.serialize import ruling_as_written
from companion.rules.cards import parse_cards
from companion.rules.contracts import ContractJudge
from companion.rules.game import Charge
from companion.rules.games import game_named
from companion.rules.judge import Judge
from companion.rules.question import Pile, Question
from companion.rules.ruling import TakeBack
from companion.rules.scoring import Charged
from companion.rules.table import MeldPlay, Player, parse_play, position_text


def replay(entries: Sequence[Entry]) -> ScoreSheet:
    """Return the score sheet after these entries, which `check` has accepted.

    Raises ``ValueError`` if the first does not start the game, or if actions are undone or redone
    out of order.
    """
    if not entries or not isinstance(entries[0].event, events.GameStarted):
        raise ValueError("A game begins with its setup.")
    done, undone = standing_entries(entries)
    sheet = _start(entries[0], entries[0].event)
    for entry in done[1:]:
        _do(entry, sheet)
    sheet.number, sheet.last = entries[-1].number, entries[-1]
    sheet.can_undo = next((one for one in reversed(done) if isinstance(one.event, Action)), None)
    sheet.can_redo = undone[-1] if undone else None
    return sheet


def standing_entries(entries: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Return the entries that stand, and the actions that can be redone, the next one last.

    Undo takes back the last action that stands; after a new action nothing can be redone. Raises
    ``ValueError`` if any other action is undone or redone.
    """
    done: dict[int, Entry] = {}
    actions: list[Entry] = []
    undone: list[Entry] = []
    for entry in entries:
        match entry.event:
            case events.Undone(act=number):
                undone.append(_last(actions, number))
                del done[number]
            case events.Redone(act=number):
                actions.append(_last(undone, number))
                done[number] = actions[-1]
            case event:
                if isinstance(event, Action):
                    undone.clear()
                    actions.append(entry)
                done[entry.number] = entry
    return [*done.values()], undone


def _last(actions: list[Entry], number: int) -> Entry:
    if not actions or actions[-1].number != number:
        raise ValueError(f"Action {number} is not the last one.")
    return actions.pop()


def sheets(entries: Sequence[Entry]) -> Iterator[ScoreSheet]:
    """Yield the score sheet after each entry, as `replay` makes it.

    It is one sheet, brought up to date when the next one is asked for, so that each entry can be
    `check`ed on the sheet before it.
    """
    sheet = replay(entries[:1])
    yield sheet
    done: list[tuple[Entry, list[HandSheet]]] = []  # the actions that stand, with the hands before
    undone: list[Entry] = []
    for entry in entries[1:]:
        if isinstance(entry.event, events.Undone):
            action, sheet.hands = done.pop()
            undone.append(action)
        else:
            action = undone.pop() if isinstance(entry.event, events.Redone) else entry
            if isinstance(action.event, Action):
                done.append((action, sheet.hands))
            if isinstance(entry.event, Action):
                undone.clear()
            _do(action, sheet)
        sheet.number, sheet.last = entry.number, entry
        sheet.can_undo = done[-1][0] if done else None
        sheet.can_redo = undone[-1] if undone else None
        yield sheet


def with_entry(sheet: ScoreSheet, entries: Sequence[Entry]) -> ScoreSheet:
    """Return what `replay` makes of the entries, given the sheet before the last one.

    That sheet stays unchanged. Only undo and redo need a whole replay.
    """
    entry = entries[-1]
    if isinstance(entry.event, events.Undone | events.Redone):
        return replay(entries)
    sheet = replace(sheet, names=[*sheet.names], number=entry.number, last=entry)
    if isinstance(entry.event, Action):
        sheet.can_undo, sheet.can_redo = entry, None
    _do(entry, sheet)
    return sheet


def _do(entry: Entry, sheet: ScoreSheet) -> None:
    """Bring a sheet up to date with an entry. Its hands before stay unchanged."""
    event = entry.event
    if not isinstance(event, Action):
        _change(event, sheet)
        return
    hand = sheet.hands[event.hand - 1].copy()
    sheet.hands = [*sheet.hands]
    sheet.hands[event.hand - 1] = hand
    _play(event, hand, sheet, entry)


def _start(entry: Entry, event: events.GameStarted) -> ScoreSheet:
    game = game_named(event.game)
    sheet = ScoreSheet(
        game=game,
        house=game.house(event.sheet, event.rules),
        names=list(event.names),
        first_dealer=event.first_dealer,
        title=event.title,
        started=entry,
    )
    sheet.hands.append(sheet.open_hand(1))
    return sheet


def _change(event: Event, sheet: ScoreSheet) -> None:
    """Change what is not of one hand."""
    match event:
        case events.GameRenamed(title=title):
            sheet.title = title
        case events.PlayerRenamed(player=player, name=name):
            sheet.names[player] = name
        case events.GameArchived() | events.GameTakenOut():
            sheet.archived = isinstance(event, events.GameArchived)
        case _:  # GameDeleted or GameRestored
            sheet.deleted = isinstance(event, events.GameDeleted)


@singledispatch
def _play(event: Event, hand: HandSheet, sheet: ScoreSheet, entry: Entry) -> None:
    """Bring a hand up to date with an action."""


@_play.register
def _(event: events.CardTurned, hand: HandSheet, sheet: ScoreSheet, entry: Entry) -> None:
    _turn(hand, sheet, event.rank)


@_play.register
def _(event: events.UpcardGiven, hand: HandSheet, sheet: ScoreSheet, entry: Entry) -> None:
    hand.upcards.append(UpcardLine(entry, event))


@_play.register
def _(event: events.CallNoted, hand: HandSheet, sheet: ScoreSheet, entry: Entry) -> None:
    hand.calls.append(event.player)


def _turn(hand: HandSheet, sheet: ScoreSheet, rank: str | None) -> None:
    turned = sheet.with_turned(hand, rank)
    hand.turned, hand.rules = turned.turned, turned.rules


@_play.register
def _(event: events.PlayRecorded, hand: HandSheet, sheet: ScoreSheet, entry: Entry) -> None:
    play = parse_play(event.play)
    if event.player is None:  # `check` allows only a meld without a player
        hand.board = hand.board.lying_there(MeldPlay(play.plays), hand.rules)
        return
    known = hand.board.pile_for(event.player)
    board = hand.board.put(event.player, play, hand.rules)
    hand.board = board.pile_after((play,), known, event.player, sheet.next_player, entry.number)


@_play.register
def _(event: events.PileSeen, hand: HandSheet, sheet: ScoreSheet, entry: Entry) -> None:
    board = hand.board.see_pile(parse_cards(event.cards))
    hand.board = board.with_pile_known(None, known=Pile(whole=not event.cards))


@_play.register
def _(event: events.RulingGiven, hand: HandSheet, sheet: ScoreSheet, entry: Entry) -> None:
    question = Question(
        event.ask,
        tuple(parse_play(play) for play in event.plays),
        hand.board.table.melds,
        hand.board.pile_for(event.player),
        Player(event.melded_this_hand, event.melded_this_turn),
    )
    line = RulingLine(entry, event, question, ruling_as_written(event.verdict))
    _rule(sheet, hand, hand.board, line)


@_play.register
def _(event: events.Ruled, hand: HandSheet, sheet: ScoreSheet, entry: Entry) -> None:
    if event.instead_of is not None:
        _take_away(hand, event.instead_of, entry)
    board = hand.board.asked_about(event.question, hand.rules)
    _rule(sheet, hand, board, RulingLine(entry, event, event.question, event.ruling))


def _rule(sheet: ScoreSheet, hand: HandSheet, board: Board, line: RulingLine) -> None:
    """Add a ruling to the hand. ``board`` fits its question; legal plays are put on it."""
    before, question, player = hand.board, line.question, line.given.player
    melded = line.melded_before
    turn = board.turn_of_question(player, question.plays, melded=melded)
    if line.ruling.legal and _comes_to_table(line, hand.rules):
        board = board.put_turn(player, question.plays, hand.rules, melded=melded)
        if question.lays_contract and isinstance(hand.rules, ContractJudge):
            board = board.with_contract_of(player)
        by = line.entry.number
        board = board.pile_after(question.plays, question.pile, player, sheet.next_player, by)
    elif turn.known_to != player or line.ruling.consequence.turn_passes:
        # A later player has changed the pile, or is about to.
        board = board.with_pile_known(None)
    hand.board = board
    melds, pile = position_text(before.table)
    hand.rulings.append(
        replace(line, melds=melds, pile=pile, turn=turn.number, before=before, after=board)
    )


def _comes_to_table(line: RulingLine, rules: Judge) -> bool:
    """True if the plays of the ruling go on the recorded table when they are legal.

    In rulings from before facts were kept, they do in every game with a table.
    """
    was_put = isinstance(line.given, events.RulingGiven) and rules.game.has_table
    return was_put or line.question.ask not in rules.asks_off_table


def _found(lines: Sequence[RulingLine | Penalty], number: int) -> int:
    """Return the index of the line that entry ``number`` made."""
    return next(n for n, line in enumerate(lines) if line.entry.number == number)


def _take_away(hand: HandSheet, number: int, by: Entry) -> None:
    """Mark a ruling as replaced, and undo its charge and what it put on the table."""
    at = _found(hand.rulings, number)
    line = hand.rulings[at]
    # Otherwise `check` makes sure that the ruling left the table unchanged.
    if line.after == hand.board:
        hand.board = line.before
    hand.rulings[at] = replace(line, replaced=by)
    for n, penalty in enumerate(hand.penalties):
        if penalty.entry == line.enforced and not penalty.withdrawn:
            hand.penalties[n] = replace(penalty, withdrawn=by)
            hand.scored = None


@_play.register
def _(event: events.RulingEnforced, hand: HandSheet, sheet: ScoreSheet, entry: Entry) -> None:
    at = _found(hand.rulings, event.ruling)
    line = hand.rulings[at]
    before = line.before if line.after == hand.board else hand.board
    player = line.given.player
    if line.charge is not None:
        _charge(hand, entry, player, line.charge)
    takes_turn = line.ruling.consequence.take_back is TakeBack.TURN
    if takes_turn and line.turn == hand.board.number:
        _take_back(hand, player)
    if event.plays:
        plays = [parse_play(play) for play in event.plays]
        board = hand.board.put_turn(player, plays, hand.rules, melded=line.melded_before)
        known, by = line.question.pile, entry.number
        hand.board = board.pile_after(plays, known, player, sheet.next_player, by)
    hand.rulings[at] = replace(line, enforced=entry, before=before, after=hand.board)


@_play.register
def _(event: events.PenaltyCharged, hand: HandSheet, sheet: ScoreSheet, entry: Entry) -> None:
    _charge(hand, entry, event.player, event.rule)
    if sheet.game.charge(event.rule).takes_back:
        _take_back(hand, event.player)


@_play.register
def _(event: events.HousePenalty, hand: HandSheet, sheet: ScoreSheet, entry: Entry) -> None:
    charged = Charged("", event.points, event.text)
    reason = Charge("", event.text, event.text)
    hand.penalties.append(Penalty(entry, event.player, charged, reason))


@_play.register
def _(event: events.PenaltyWithdrawn, hand: HandSheet, sheet: ScoreSheet, entry: Entry) -> None:
    at = _found(hand.penalties, event.charge)
    hand.penalties[at] = replace(hand.penalties[at], withdrawn=entry)
    hand.scored = None


@_play.register
def _(event: events.HandThrownIn, hand: HandSheet, sheet: ScoreSheet, entry: Entry) -> None:
    hand.thrown_in.append(entry)
    # Turn numbers go on, so that no ruling of the old deal is about a turn of the new one.
    hand.board = Board(number=hand.board.number + 1)
    hand.turned = None
    hand.calls = []
    hand.rules = sheet.rules(hand.number)


@_play.register(events.HandMarked)
@_play.register(events.HandCorrected)
def _(event: Marks, hand: HandSheet, sheet: ScoreSheet, entry: Entry) -> None:
    _turn(hand, sheet, event.turned)
    marking = Marking(entry, event, hand.rules, len(sheet.names))
    # Refuses impossible cards. Charges, perhaps hundreds, are added when a page needs the mark.
    score_hand(replace(hand, penalties=[]), marking)
    hand.markings.append(marking)
    hand.scored = None
    goes_on = event.hand < len(sheet.hands) and sheet.hand.marking is None
    if goes_on and sheet.over:
        # The corrected hand is the last; `check` makes sure that the next one is empty.
        sheet.hands.pop()
    if event.hand == len(sheet.hands) < sheet.game.hands and not sheet.over:
        sheet.hands.append(sheet.open_hand(event.hand + 1))


def _take_back(hand: HandSheet, player: int) -> None:
    """Take the player's turn back if it is the last on record and the hand is not marked."""
    if hand.marking is None:
        hand.board = hand.board.take_back(player).with_pile_known(None)


def _charge(hand: HandSheet, entry: Entry, player: int, rule: str) -> None:
    charged = Charged(rule, hand.rules.charge_points(rule))
    hand.penalties.append(Penalty(entry, player, charged, hand.rules.game.charge(rule)))
    hand.scored = None
