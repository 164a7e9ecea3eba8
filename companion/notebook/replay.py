"""From events to the score sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, singledispatch
from typing import get_args

from companion.notebook.board import Board
from companion.notebook.events import (
    Act,
    CallNoted,
    CardTurned,
    Entry,
    Event,
    GameArchived,
    GameDeleted,
    GameRenamed,
    GameRestored,
    GameStarted,
    GameTakenOut,
    HandCorrected,
    HandEntry,
    HandMarked,
    HandThrownIn,
    HousePenalty,
    PenaltyCharged,
    PenaltyWithdrawn,
    PileSeen,
    PlayerRenamed,
    PlayRecorded,
    Redone,
    RulingEnforced,
    RulingGiven,
    Undone,
    UpcardGiven,
)
from companion.notebook.scoresheet import (
    HandSheet,
    Marking,
    Penalty,
    RulingLine,
    ScoreSheet,
    UpcardLine,
)
from companion.rules.cards import parse_cards
from companion.rules.game import Charge
from companion.rules.games import game_named
from companion.rules.judge import Judge, position_text
from companion.rules.scoring import Charged, HandEnd, Left
from companion.rules.table import parse_play

_ACTS = get_args(Act)


def replay(entries: Sequence[Entry]) -> ScoreSheet:
    """The score sheet after these entries, each of which `check` has let pass.

    Raises ``ValueError`` if the first does not start the game, or if acts are undone or redone
    out of turn.
    """
    if not entries or not isinstance(entries[0].event, GameStarted):
        raise ValueError("A game begins with its setup.")
    done, undone = standing_acts(entries)
    sheet = _start(entries[0], entries[0].event)
    for entry in done:
        _apply(entry.event, sheet, entry)
    sheet.number = entries[-1].number
    sheet.last = entries[-1]
    acts = [entry for entry in done if isinstance(entry.event, _ACTS)]
    sheet.can_undo = acts[-1] if acts else None
    sheet.can_redo = undone[-1] if undone else None
    return sheet


def standing_acts(entries: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
    """The entries that stand, and the acts that could be redone, the next one last.

    Undo takes back the last act that stands; a new act ends what could be redone. Raises
    ``ValueError`` where another act than that is undone or redone.
    """
    done: list[Entry] = []
    acts: list[Entry] = []
    undone: list[Entry] = []
    for entry in entries:
        match entry.event:
            case Undone(act=number):
                undone.append(_last(acts, number))
                done.remove(undone[-1])
            case Redone(act=number):
                acts.append(_last(undone, number))
                done.append(acts[-1])
            case event:
                if isinstance(event, _ACTS):
                    undone.clear()
                    acts.append(entry)
                done.append(entry)
    return done, undone


def _last(acts: list[Entry], number: int) -> Entry:
    if not acts or acts[-1].number != number:
        raise ValueError(f"Act {number} is not the last one.")
    return acts.pop()


def put_on(sheet: ScoreSheet, entry: Entry) -> None:
    """Bring a sheet up to date with one more entry that stands: no undo, and not undone later."""
    _apply(entry.event, sheet, entry)


def _start(entry: Entry, event: GameStarted) -> ScoreSheet:
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


@singledispatch
def _apply(event: Event, sheet: ScoreSheet, entry: Entry) -> None:
    """The start has been applied already."""


@_apply.register
def _(event: GameRenamed, sheet: ScoreSheet, entry: Entry) -> None:
    sheet.title = event.title


@_apply.register
def _(event: PlayerRenamed, sheet: ScoreSheet, entry: Entry) -> None:
    sheet.names[event.player] = event.name


@_apply.register(GameArchived)
@_apply.register(GameTakenOut)
def _(event: GameArchived | GameTakenOut, sheet: ScoreSheet, entry: Entry) -> None:
    sheet.archived = isinstance(event, GameArchived)


@_apply.register(GameDeleted)
@_apply.register(GameRestored)
def _(event: GameDeleted | GameRestored, sheet: ScoreSheet, entry: Entry) -> None:
    sheet.deleted = isinstance(event, GameDeleted)


@_apply.register
def _(event: CardTurned, sheet: ScoreSheet, entry: Entry) -> None:
    sheet.hands[event.hand - 1] = sheet.with_turned(sheet.hands[event.hand - 1], event.rank)


@_apply.register
def _(event: PlayRecorded, sheet: ScoreSheet, entry: Entry) -> None:
    hand = sheet.hands[event.hand - 1]
    hand.board = hand.board.put(event.player, parse_play(event.play), hand.rules)


@_apply.register
def _(event: PileSeen, sheet: ScoreSheet, entry: Entry) -> None:
    hand = sheet.hands[event.hand - 1]
    hand.board = hand.board.see_pile(parse_cards(event.cards))


@_apply.register
def _(event: RulingGiven, sheet: ScoreSheet, entry: Entry) -> None:
    hand = sheet.hands[event.hand - 1]
    melds, pile = position_text(hand.board.table)
    plays = [parse_play(play) for play in event.plays]
    board = hand.board.turn_of_question(event.player, plays, melded=event.melded_this_turn)
    hand.rulings.append(RulingLine(entry, event, pile, melds, board.number))
    if event.verdict.legal and event.ask not in hand.rules.asks_off_table:
        melded = event.melded_this_turn
        hand.board = hand.board.put_turn(event.player, plays, hand.rules, melded=melded)


@_apply.register
def _(event: RulingEnforced, sheet: ScoreSheet, entry: Entry) -> None:
    hand = sheet.hands[event.hand - 1]
    at = next(n for n, line in enumerate(hand.rulings) if line.entry.number == event.ruling)
    line = hand.rulings[at]
    hand.rulings[at] = replace(line, enforced=entry)
    given = line.given
    if given.verdict.charge is not None:
        _charge(hand, entry, given.player, given.verdict.charge)
    if given.verdict.take_back == "turn" and line.turn == hand.board.number:
        _take_back(hand, given.player)
    if event.plays:
        plays = [parse_play(play) for play in event.plays]
        melded = given.melded_this_turn
        hand.board = hand.board.put_turn(given.player, plays, hand.rules, melded=melded)


@_apply.register
def _(event: UpcardGiven, sheet: ScoreSheet, entry: Entry) -> None:
    sheet.hands[event.hand - 1].upcards.append(UpcardLine(entry, event))


@_apply.register
def _(event: CallNoted, sheet: ScoreSheet, entry: Entry) -> None:
    sheet.hands[event.hand - 1].calls.append(event.player)


@_apply.register
def _(event: PenaltyCharged, sheet: ScoreSheet, entry: Entry) -> None:
    hand = sheet.hands[event.hand - 1]
    _charge(hand, entry, event.player, event.rule)
    if sheet.game.charge(event.rule).takes_back:
        _take_back(hand, event.player)


@_apply.register
def _(event: HousePenalty, sheet: ScoreSheet, entry: Entry) -> None:
    charged = Charged("", event.points, event.text)
    reason = Charge("", event.text, event.text)
    sheet.hands[event.hand - 1].penalties.append(Penalty(entry, event.player, charged, reason))


@_apply.register
def _(event: PenaltyWithdrawn, sheet: ScoreSheet, entry: Entry) -> None:
    hand = sheet.hands[event.hand - 1]
    at = next(n for n, p in enumerate(hand.penalties) if p.entry.number == event.charge)
    hand.penalties[at] = replace(hand.penalties[at], withdrawn=entry)
    _mark_again(hand)


@_apply.register
def _(event: HandThrownIn, sheet: ScoreSheet, entry: Entry) -> None:
    hand = sheet.hands[event.hand - 1]
    hand.thrown_in.append(entry)
    # Turns are counted on, so that no ruling of the old deal is about a turn of the new one.
    hand.board = Board(number=hand.board.number + 1)
    hand.turned = None
    hand.calls = []
    hand.rules = sheet.rules(hand.number)


@_apply.register(HandMarked)
@_apply.register(HandCorrected)
def _(event: HandMarked | HandCorrected, sheet: ScoreSheet, entry: Entry) -> None:
    hand = sheet.with_turned(sheet.hands[event.hand - 1], event.turned)
    sheet.hands[event.hand - 1] = hand
    ends = hand_ends(hand, event, [str(seat) for seat in sheet.players])
    marks = hand.rules.score(ends)
    hand.markings.append(Marking(entry, event, tuple(marks[end.name] for end in ends)))
    goes_on = event.hand < len(sheet.hands) and sheet.hand.marking is None
    if goes_on and sheet.game.judge.declares and sheet.over:
        # Corrected to be the last one; `check` holds that nothing was written for the next.
        sheet.hands.pop()
    if event.hand == len(sheet.hands) < sheet.game.hands and not sheet.over:
        sheet.hands.append(sheet.open_hand(event.hand + 1))


def _take_back(hand: HandSheet, player: int) -> None:
    """Take the turn of a player back if it is the last one on record, in a hand being played."""
    if hand.marking is None:
        hand.board = hand.board.take_back(player)


def _charge(hand: HandSheet, entry: Entry, player: int, rule: str) -> None:
    charged = Charged(rule, hand.rules.charge_points(rule))
    hand.penalties.append(Penalty(entry, player, charged, hand.rules.game.charge(rule)))
    _mark_again(hand)


def _mark_again(hand: HandSheet) -> None:
    """A charge on a hand that is marked already counts in the marks that stand."""
    if hand.marking is not None:
        players = len(hand.marking.marks)
        ends = hand_ends(hand, hand.marking.event, [str(seat) for seat in range(players)])
        marks = hand.rules.score(ends)
        hand.markings[-1] = replace(hand.marking, marks=tuple(marks[end.name] for end in ends))


def hand_ends(
    hand: HandSheet, event: HandMarked | HandCorrected, names: Sequence[str]
) -> list[HandEnd]:
    """Return how the hand ended for each player, penalties included, for the rules to score.

    Players of whom nothing was entered are not among them, unless the hand ends with a declaration:
    then no cards of theirs count.
    """
    entered = {entry.player: entry for entry in event.entries}
    ends = []
    for seat, name in enumerate(names):
        charged = hand.rules_charged(seat)
        if seat == event.out:
            ends.append(
                HandEnd(name, melded=event.out_melded, out=True, penalties=charged, bent=event.bent)
            )
        elif seat in entered:
            ends.append(end_of(hand, entered[seat], name, charged))
        elif hand.rules.declares:
            ends.append(HandEnd(name, penalties=charged))
    return ends


def end_of(
    hand: HandSheet, entry: HandEntry, name: str, penalties: tuple[str, ...] = ()
) -> HandEnd:
    """How the hand ended for a player who did not go out. Raises `Malformed` for unread cards."""
    return HandEnd(
        name,
        left_of(hand, entry),
        bool(entry.melded),
        penalties=penalties,
        suit=entry.suit,
        box=entry.box,
        split=None if entry.split is None else parse_cards(entry.split, "split"),
    )


# Every act replays the whole book, and would read the cards of all its hands again.
@lru_cache(maxsize=4096)
def _left(rules: Judge, cards: str, arranged: bool) -> Left:
    return (rules.unmelded if arranged else rules.left)(parse_cards(cards))


def left_of(hand: HandSheet, entry: HandEntry) -> Left:
    """What an entry says that the player still held."""
    if entry.cards is not None:
        return _left(hand.rules, entry.cards, entry.held is not None)
    points = entry.points or 0
    most = hand.rules.most_left
    return Left(points if most is None else min(points, most), entry.wilds, None)
