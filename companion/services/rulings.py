"""Asking for a ruling on the recorded table, keeping it, and carrying it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.notebook.board import with_identities
from companion.notebook.events import RulingGiven, Verdict
from companion.notebook.replay import replay
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.judge import Player
from companion.rules.melds import Meld
from companion.rules.ruling import Ruling
from companion.rules.table import Play, parse_play
from companion.rules.turn import judge_turn
from companion.services.books import Book


@dataclass(frozen=True, slots=True)
class Question:
    """What the marker asks: one play or a whole turn of one player.

    The two flags say what the player had melded before; None takes it from the record.
    """

    player: int
    plays: tuple[Play, ...]
    ask: str
    melded_this_hand: bool | None = None
    melded_this_turn: bool | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A ruling on a question.

    ``open_readings`` are the readings among which the marker must choose before a legal play can
    stay on the recorded table; empty if nothing is open.
    """

    question: Question
    whole: Ruling
    plays: tuple[Ruling, ...]
    player: Player
    charge: str | None

    @property
    def open_readings(self) -> tuple[Meld, ...]:
        """The readings that are left, if there are several."""
        return self.whole.readings if self.whole.legal and len(self.whole.readings) > 1 else ()


def judge(sheet: ScoreSheet, question: Question) -> Answer:
    """Judge a question on the recorded table of the open hand.

    Raises `Malformed` for cards that cannot be there, `Ambiguous` for an open wild card in a turn.
    """
    hand = sheet.hand
    rules, table = hand.rules, hand.board.table
    player = _player(sheet, question)
    if question.ask != "turn":
        ruling = rules.rule_on(table, question.plays[0], player)
        return Answer(question, ruling, (ruling,), player, rules.charge_for(ruling.broken))
    turn = judge_turn(rules, table, question.plays, player)
    elsewhere = {
        name: judge_turn(other, table, question.plays, player).legal
        for name, other in sheet.game.elsewhere(sheet.house, hand.number)
    }
    whole = replace(turn.whole, elsewhere=elsewhere)
    return Answer(question, whole, turn.plays, player, rules.charge_for(whole.broken))


def _player(sheet: ScoreSheet, question: Question) -> Player:
    hand, seat = sheet.hand, question.player
    recorded = hand.board.player(seat, hand.rules)
    said = question.melded_this_turn
    # Without a meld in it, the turn is another than a recorded one that has a meld.
    turn = hand.board.turn_of_question(
        seat, question.plays, melded=recorded.melded_this_turn if said is None else said
    )
    player = turn.player(seat, hand.rules)
    this_hand = question.melded_this_hand
    return replace(
        player,
        melded_this_turn=player.melded_this_turn if said is None else said,
        melded_this_hand=player.melded_this_hand if this_hand is None else this_hand,
    )


def given(sheet: ScoreSheet, question: Question) -> RulingGiven:
    """The event that keeps a ruling with its question. Raises as `judge` does.

    The plays of a legal one are written with the identities of their wild cards, so that the
    recorded table never has to guess.
    """
    answer = judge(sheet, question)
    ruling = answer.whole
    plays: Sequence[Play] = question.plays
    if ruling.legal:
        plays = [
            with_identities(play, one.readings[0] if one.readings else None)
            for play, one in zip(question.plays, answer.plays, strict=True)
        ]
    return RulingGiven(
        hand=sheet.hand.number,
        player=question.player,
        ask=question.ask,
        plays=tuple(play.text for play in plays),
        melded_this_hand=answer.player.melded_this_hand,
        melded_this_turn=answer.player.melded_this_turn,
        verdict=verdict_of(ruling, answer.charge),
    )


def judged_again(book: Book, number: int, ruling: RulingGiven) -> Answer:
    """The answer to the question that entry ``number`` keeps, on the table as it then was.

    Raises as `judge` does.
    """
    plays = tuple(parse_play(play) for play in ruling.plays)
    question = Question(
        ruling.player, plays, ruling.ask, ruling.melded_this_hand, ruling.melded_this_turn
    )
    return judge(replay(book.entries[: number - 1]), question)


def verdict_of(ruling: Ruling, charge: str | None) -> Verdict:
    """A ruling in the form in which it is kept."""
    return Verdict(
        legal=ruling.legal,
        broken=ruling.broken,
        readings=tuple(meld.text for meld in ruling.readings[:24]),
        points=ruling.consequence.points,
        take_back=ruling.consequence.take_back.text,
        turn_passes=ruling.consequence.turn_passes,
        says=ruling.says,
        elsewhere=dict(ruling.elsewhere),
        charge=charge,
    )
