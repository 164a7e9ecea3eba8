"""Replay events into the score sheet, all at once or entry by entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from companion.notebook import events
from companion.notebook.board import Board
from companion.notebook.events import Action, Entry, Event, Marks
from companion.notebook.hand_sheet import (
    HandSheet,
    Marking,
    Penalty,
    RulingLine,
    UpcardLine,
    on_record,
    score_hand,
)
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import parse_cards
from companion.rules.game import Charge
from companion.rules.games import game_named
from companion.rules.question import NO_PILE, UNKNOWN_PILE, Pile
from companion.rules.ruling import TakeBack
from companion.rules.scoring import Charged
from companion.rules.table import MeldPlay, TakePile, parse_play


def replay(entries: Sequence[Entry]) -> ScoreSheet:
    """Return the score sheet after these entries, which `check` has accepted.

    Raises ``ValueError`` if the first does not start the game, or if actions are undone or redone
    out of order.
    """
    *_, sheet = sheets(entries)
    return sheet


def sheets(entries: Sequence[Entry]) -> Iterator[ScoreSheet]:
    """Yield the score sheet after each entry. Raises as `replay` does.

    It is always the same object, brought up to date when the next one is asked for, so that each
    entry can be `check`ed on the sheet before it.
    """
    if not entries or not isinstance(entries[0].event, events.GameStarted):
        raise ValueError("A game begins with its setup.")
    sheet = _start(entries[0], entries[0].event)
    yield sheet
    done: list[tuple[Entry, list[HandSheet]]] = []  # the actions that stand, with the hands before
    undone: list[Entry] = []  # the actions that can be redone, the next one last
    for entry in entries[1:]:
        match entry.event:
            case events.Undone(act=number):
                _check_last(sheet.can_undo, number)
                action, sheet.hands = done.pop()
                undone.append(action)
            case events.Redone(act=number):
                _check_last(sheet.can_redo, number)
                action = undone.pop()
                done.append((action, sheet.hands))
                _apply(action, sheet)
            case event:
                if isinstance(event, Action):
                    done.append((entry, sheet.hands))
                    undone.clear()
                _apply(entry, sheet)
        sheet.last = entry
        sheet.can_undo = done[-1][0] if done else None
        sheet.can_redo = undone[-1] if undone else None
        yield sheet


def _check_last(action: Entry | None, number: int) -> None:
    if action is None or action.number != number:
        raise ValueError(f"Action {number} is not the last one.")


def standing_entries(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries that were not undone, a redone one where it was redone."""
    standing: dict[int, Entry] = {}
    for entry in entries:
        match entry.event:
            case events.Undone(act=number):
                del standing[number]
            case events.Redone(act=number):
                standing[number] = entries[number - 1]
            case _:
                standing[entry.number] = entry
    return [*standing.values()]


def with_entry(sheet: ScoreSheet, entries: Sequence[Entry]) -> ScoreSheet:
    """Return what `replay` makes of the entries, given the sheet before the last one.

    That sheet stays unchanged. Only undo and redo need a whole replay.
    """
    entry = entries[-1]
    if isinstance(entry.event, events.Undone | events.Redone):
        return replay(entries)
    sheet = replace(sheet, names=[*sheet.names], last=entry)
    if isinstance(entry.event, Action):
        sheet.can_undo, sheet.can_redo = entry, None
    _apply(entry, sheet)
    return sheet


def _apply(entry: Entry, sheet: ScoreSheet) -> None:
    """Bring a sheet up to date with an entry. It gets new hands; the old ones stay unchanged."""
    event = entry.event
    if not isinstance(event, Action):
        _apply_to_game(event, sheet)
        return
    hand = sheet.hands[event.hand - 1].copy()
    sheet.hands = [*sheet.hands]
    sheet.hands[event.hand - 1] = hand
    _apply_to_hand(event, hand, sheet, entry)


def _start(entry: Entry, event: events.GameStarted) -> ScoreSheet:
    game = game_named(event.game)
    sheet = ScoreSheet(
        game=game,
        house=game.house(event.sheet, event.rules),
        names=list(event.names),
        first_dealer=event.first_dealer,
        title=event.title,
        started=entry,
        last=entry,
    )
    sheet.hands.append(sheet.open_hand(1))
    return sheet


def _apply_to_game(event: Event, sheet: ScoreSheet) -> None:
    match event:
        case events.GameRenamed(title=title):
            sheet.title = title
        case events.PlayerRenamed(player=player, name=name):
            sheet.names[player] = name
        case events.FirstDealerChanged(first_dealer=first):
            sheet.first_dealer = first
        case events.GameArchived() | events.GameTakenOut():
            sheet.archived = isinstance(event, events.GameArchived)
        case _:  # GameDeleted or GameRestored
            sheet.deleted = isinstance(event, events.GameDeleted)


def _apply_to_hand(  # noqa: C901 - one case for each kind of action
    event: Action, hand: HandSheet, sheet: ScoreSheet, entry: Entry
) -> None:
    match event:
        case events.CardTurned(rank=rank):
            _turn_card(hand, sheet, rank)
        case events.PlayRecorded(player=player, play=text):
            _record_play(hand, sheet, entry, player, text)
        case events.PileSeen(cards=cards):
            board = hand.board.see_pile(parse_cards(cards))
            hand.board = board.with_pile_known(None, known=Pile(whole=not cards))
        case events.Ruled():
            if event.instead_of is not None:
                _replace_ruling(hand, event.instead_of, entry)
            _add_ruling(sheet, hand, entry, on_record(event, hand.board))
        case events.RulingEnforced():
            _enforce(hand, sheet, entry, event)
        case events.UpcardGiven(gets=gets):
            hand.upcards.append(UpcardLine(entry, event))
            if gets is not None:
                hand.board = hand.board.with_pile(UNKNOWN_PILE)  # its top card is in a hand
        case events.CallNoted(player=player):
            hand.calls.append(player)
            hand.board = hand.board.with_pile(UNKNOWN_PILE)
        case events.PenaltyCharged(player=player, rule=rule):
            _charge(hand, entry, player, rule)
            if sheet.game.charge(rule).takes_back:
                _take_back(hand, player)
        case events.HousePenalty(player=player, points=points, text=text):
            reason = Charge("", text, text)
            hand.penalties.append(Penalty(entry, player, Charged("", points, text), reason))
        case events.PenaltyWithdrawn(charge=number):
            at = _index_of(hand.penalties, number)
            hand.penalties[at] = replace(hand.penalties[at], withdrawn=entry)
        case Marks():
            _mark(hand, sheet, entry, event)
        case events.GameEnded():
            hand.ended = True
        case _:  # HandThrownIn
            hand.thrown_in.append(entry)
            # Turn numbers go on, so that no ruling of the old deal is about a turn of the new one.
            hand.board = Board(number=hand.board.number + 1)
            hand.turned = None
            hand.calls = []
            hand.rules = sheet.rules(hand.number)


def _turn_card(hand: HandSheet, sheet: ScoreSheet, rank: str | None) -> None:
    """Set the rank turned before the deal of a hand, also in the other hands of that deal."""
    turned = sheet.with_turned(hand, rank)
    hand.turned, hand.rules = turned.turned, turned.rules
    for later in takewhile(lambda one: not one.is_dealt, sheet.hands[hand.number :]):
        sheet.hands[later.number - 1] = sheet.with_turned(later, rank)
    while rank is not None and not hand.is_dealt:
        hand = sheet.with_turned(sheet.hands[hand.number - 2], rank)
        sheet.hands[hand.number - 1] = hand


def _record_play(
    hand: HandSheet, sheet: ScoreSheet, entry: Entry, player: int | None, text: str
) -> None:
    play = parse_play(text)
    if player is None:  # `check` allows only a meld without a player
        hand.board = hand.board.put_unowned_meld(MeldPlay(play.cards), hand.rules)
        return
    board, after = hand.board.put(player, play, hand.rules), sheet.next_player(player)
    # Unless it is on record, the player may have taken the pile, and what was known of it.
    took_pile = TakePile() in board.turn_plays and board.known_to == player
    known = NO_PILE if took_pile else UNKNOWN_PILE
    hand.board = board.pile_after((play,), known, player, after, entry.number)


def _add_ruling(sheet: ScoreSheet, hand: HandSheet, entry: Entry, given: events.Ruled) -> None:
    """Add a ruling to the hand. Legal plays are put on the board."""
    before, question, ruling = hand.board, given.question, given.ruling
    player, melded = given.player, given.melded_before
    board = before if given.in_words else before.with_question(question, hand.rules)
    turn = board.turn_of_question(player, question.plays, melded=melded)
    if ruling.legal and given.comes_to_table(hand.rules):
        board = board.put_turn(player, question.plays, hand.rules, melded=melded)
        after = sheet.next_player(player)
        board = board.pile_after(question.plays, question.pile, player, after, entry.number)
    elif turn.known_to != player or ruling.consequence.turn_passes:
        # A later player has changed the pile, or is about to.
        board = board.with_pile_known(None)
    hand.board = board
    known = len(before.table.melds)
    hand.rulings.append(RulingLine(entry, given, known, turn.number, before, board, hand.turned))


def _index_of(lines: Sequence[RulingLine | Penalty], number: int) -> int:
    """Return the index of the line that entry ``number`` made."""
    return next(n for n, line in enumerate(lines) if line.entry.number == number)


def _replace_ruling(hand: HandSheet, number: int, by: Entry) -> None:
    """Mark a ruling as replaced, and undo its charge and what it put on the table."""
    hand.board = hand.without_ruling(number).board
    at = _index_of(hand.rulings, number)
    line = hand.rulings[at]
    hand.rulings[at] = replace(line, replaced=by)
    for n, penalty in enumerate(hand.penalties):
        if penalty.entry == line.enforced and not penalty.withdrawn:
            hand.penalties[n] = replace(penalty, withdrawn=by)


def _enforce(
    hand: HandSheet, sheet: ScoreSheet, entry: Entry, event: events.RulingEnforced
) -> None:
    at = _index_of(hand.rulings, event.ruling)
    line = hand.rulings[at]
    before = line.before if line.after == hand.board else hand.board
    player = line.given.player
    takes_turn = line.ruling.consequence.take_back is TakeBack.TURN
    if takes_turn and line.turn == hand.board.number:
        _take_back(hand, player)
    if event.plays:
        plays = [parse_play(play) for play in event.plays]
        board = hand.board.put_turn(player, plays, hand.rules, melded=line.given.melded_before)
        after, known = sheet.next_player(player), line.question.pile
        hand.board = board.pile_after(plays, known, player, after, entry.number)
    hand.rulings[at] = replace(line, enforced=entry, before=before, after=hand.board)
    if line.given.charge is not None:
        _charge(hand, entry, player, line.given.charge)


def _mark(hand: HandSheet, sheet: ScoreSheet, entry: Entry, event: Marks) -> None:
    _turn_card(hand, sheet, event.turned)
    marking = Marking(entry, event, hand.rules, len(sheet.names))
    # Refuses impossible cards. Charges, perhaps hundreds, are added when a page needs the mark.
    marks = score_hand(replace(hand, penalties=[]), marking)
    has_open_hand = event.hand < len(sheet.hands) and not sheet.over
    hand.markings.append(marking)
    hand.scored = None if hand.penalties else marks
    if has_open_hand and sheet.over:
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
    if rule == hand.rules.calls_rule:  # a call, whose card is in a hand
        hand.board = hand.board.with_pile(UNKNOWN_PILE)
