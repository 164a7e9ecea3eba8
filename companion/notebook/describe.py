"""Events in words, for the undo button and for the record."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

from companion.notebook.endings import ending_of
from companion.notebook.events import (
    CallNoted,
    CardTurned,
    Event,
    GameArchived,
    GameDeleted,
    GameRenamed,
    GameRestored,
    GameStarted,
    GameTakenOut,
    HandCorrected,
    HandMarked,
    HandThrownIn,
    HousePenalty,
    Marks,
    PenaltyCharged,
    PenaltyWithdrawn,
    PileSeen,
    PlayerRenamed,
    PlayRecorded,
    Redone,
    Ruled,
    RulingEnforced,
    RulingGiven,
    Undone,
    UpcardGiven,
)
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import Rank, parse_cards, parse_rank, show_cards
from companion.rules.question import DECLARE, DRAW, Question
from companion.rules.table import describe, parse_play


@singledispatch
def say(event: Event, sheet: ScoreSheet) -> str:
    """Return an event in a few words, with names and cards as people write them."""
    match event:
        case GameRenamed(title=title):
            return f"Game called {title}" if title else "Game named after its players"
        case PlayerRenamed(player=player, name=name):
            return f"Player {player + 1} is called {name}"
        case CardTurned(rank=rank):
            return f"Turned up: {turned_word(parse_rank(rank))}"
        case CallNoted(player=player):
            return f"{sheet.names[player]} called for the discard"
        case HandThrownIn(hand=hand):
            return f"{sheet.game.hand_title} {hand} thrown in"
        case Undone(act=number) | Redone(act=number):
            return f"{type(event).__name__}: entry {number}"
    return _PLAIN[type(event)]


_PLAIN: dict[type, str] = {
    GameStarted: "Game started",
    GameArchived: "Game put in the archive",
    GameTakenOut: "Game taken out of the archive",
    GameDeleted: "Game deleted",
    GameRestored: "Game restored",
}


def turned_word(rank: Rank) -> str:
    """Return a turned rank in words: ``a joker``, ``an ace``, ``an 8``, ``a 7``."""
    return f"{'an' if rank in {Rank.ACE, Rank.EIGHT} else 'a'} {rank.word}"


@say.register
def _(event: PlayRecorded, sheet: ScoreSheet) -> str:
    play = describe(parse_play(event.play))
    return play if event.player is None else f"{sheet.names[event.player]}: {play}"


@say.register
def _(event: PileSeen, sheet: ScoreSheet) -> str:
    if not event.cards:
        return "The pile was taken"
    return f"Top of the pile {show_cards(parse_cards(event.cards))}"


@say.register
def _(event: RulingGiven, sheet: ScoreSheet) -> str:
    verdict = event.verdict
    question = Question(event.ask, tuple(parse_play(play) for play in event.plays))
    return _ruling(sheet, event.player, question, verdict.broken)


@say.register
def _(event: Ruled, sheet: ScoreSheet) -> str:
    return _ruling(sheet, event.player, event.question, event.ruling.broken)


def _ruling(sheet: ScoreSheet, player: int, question: Question, broken: Sequence[str]) -> str:
    ruled = f"illegal ({', '.join(broken)})" if broken else "legal"
    return f"Ruling on {sheet.names[player]}: {asked_in_words(question, sheet)}: {ruled}"


@say.register
def _(event: UpcardGiven, sheet: ScoreSheet) -> str:
    return f"“May I?”: {'nobody' if event.gets is None else sheet.names[event.gets]} gets the card"


def asked_in_words(question: Question, sheet: ScoreSheet) -> str:
    """Return in words what a ruling is about: its plays, a call, or the cards declared or drawn."""
    if question.call is not None:
        turn = question.call.turn
        whose = "the player's own turn" if turn is None else f"the turn of {sheet.names[turn]}"
        return f"Call in {whose}"
    plays = [describe(play) for play in question.plays]
    if question.ask == DRAW:
        plays.insert(0, f"Draw {show_cards(question.pile.cards)} from the pile")
    if question.ask != DECLARE:
        return "; ".join(plays)
    cards, *groups = (show_cards(play.plays) for play in question.plays)
    grouped = f", grouped as {'; '.join(groups)}" if groups else ""
    return f"Declared {cards}{grouped}"


# The record also has undone events, whose hand may not be on the sheet any more.


@say.register
def _(event: RulingEnforced, sheet: ScoreSheet) -> str:
    lines = (line for hand in sheet.hands for line in hand.rulings)
    line = next((line for line in lines if line.entry.number == event.ruling), None)
    if line is None:
        return "Ruling carried out"
    name = sheet.names[line.given.player]
    rule = line.charge
    if rule is None:
        return f"{name}'s play taken back"
    return f"{_points(rule, event.hand, sheet)} to {name} ({rule})"


def bending(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> str:
    """Return a sentence on whether bending the table doubled points; empty if nobody bent it."""
    if event.out is None or not event.bent:
        return ""
    name = sheet.names[event.out]
    if hand.rules.calls_rule in hand.rules_charged(event.out):
        return (
            f"{name} bent the table, but called more than {hand.rules.calls_allowed} times: "
            f"not doubled ({hand.rules.calls_rule})."
        )
    return f"{name} bent the table: doubled."


@say.register
def _(event: PenaltyCharged, sheet: ScoreSheet) -> str:
    cost, name = _points(event.rule, event.hand, sheet), sheet.names[event.player]
    if sheet.game.charge(event.rule).leaves:
        return f"{name} left the game and pays {cost} ({event.rule})"
    return f"{cost} to {name} ({event.rule})"


@say.register
def _(event: HousePenalty, sheet: ScoreSheet) -> str:
    return f"{house_words(event.points, sheet.names[event.player])}: {event.text} (house)"


def house_words(number: int, name: str) -> str:
    """Return a house penalty or bonus in words: ``10 points to Ben``, ``10 points off for Ben``."""
    return f"{_many(abs(number))} {'to' if number > 0 else 'off for'} {name}"


@say.register
def _(event: PenaltyWithdrawn, sheet: ScoreSheet) -> str:
    penalties = (penalty for hand in sheet.hands for penalty in hand.penalties)
    penalty = next((one for one in penalties if one.entry.number == event.charge), None)
    if penalty is None:
        return "Penalty taken back"
    rule, points, text = penalty.charged
    name = sheet.names[penalty.player]
    if not rule:
        return f"Taken back: {house_words(points, name)}: {text} (house)"
    return f"{_points(rule, event.hand, sheet)} taken back from {name} ({rule})"


def _points(rule: str, hand: int, sheet: ScoreSheet) -> str:
    return _many(_cost(rule, hand, sheet))


def _cost(rule: str, hand: int, sheet: ScoreSheet) -> int:
    return sheet.game.rules(sheet.house, hand, sheet.deck).charge_points(rule)


def score(points: int) -> str:
    """Return points or a total with a minus sign, not a hyphen: ``20``, ``−5``."""
    return str(points).replace("-", "−")


def _many(points: int) -> str:
    return "1 point" if points == 1 else f"{score(points)} points"


@say.register(HandMarked)
@say.register(HandCorrected)
def _(event: Marks, sheet: ScoreSheet) -> str:
    word = "marked" if isinstance(event, HandMarked) else "corrected"
    return f"{sheet.game.hand_title} {event.hand} {word}{ending_of(sheet).says(sheet, event)}"


def news(event: Event, sheet: ScoreSheet) -> str:
    """Return what an event of the sheet changed: ``Hand 2: Ben out. Ana +57, Dora +64.``"""
    if isinstance(event, Marks):
        mark = sheet.hands[event.hand - 1].mark
        ended = ending_of(sheet).says(sheet, event).removeprefix(", ")
        points = [
            f"{sheet.names[player]} {signed(mark(player).points)}"
            for player in sheet.players
            if mark(player).points
        ]
        title = f"{sheet.game.hand_title} {event.hand}"
        head = f"{title}: {ended}." if ended else f"{title}:"
        return f"{head} {', '.join(points)}." if points else f"{title}: {ended or 'no points'}."
    if isinstance(event, PenaltyCharged):
        charge = sheet.game.charge(event.rule)
        if not charge.leaves:
            cost = signed(_cost(event.rule, event.hand, sheet))
            return f"{cost} {sheet.names[event.player]}: {charge.title}"
    if isinstance(event, HousePenalty):
        return f"{signed(event.points)} {sheet.names[event.player]}: {event.text}"
    return say(event, sheet)


def signed(points: int) -> str:
    """Write points that are added or taken off: ``+20``, ``−10``."""
    return f"+{points}" if points >= 0 else score(points)
