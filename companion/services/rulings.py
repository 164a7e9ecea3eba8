"""Asking for a ruling on the recorded table, keeping it, and carrying it out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.notebook.events import DECLARE, RulingEnforced, RulingGiven, Verdict
from companion.notebook.refusal import NotPossible
from companion.notebook.replay import replay
from companion.notebook.scoresheet import RulingLine, ScoreSheet
from companion.rules.cards import Card
from companion.rules.contract_parts import parts
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed
from companion.rules.judge import Judge, position_text
from companion.rules.melds import Meld
from companion.rules.player import Player
from companion.rules.ruling import Ruling, TakeBack, legal_as
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Swap, Table, parse_play
from companion.rules.turn import check_settled, rule_on_turn, settled
from companion.services.books import Book


@dataclass(frozen=True, slots=True)
class Question:
    """What the marker asks: one play or a whole turn of one player.

    The two flags say what the player had melded before; None takes it from the record. ``drew``
    says that the card discarded was just taken from the pile.
    """

    player: int
    plays: tuple[Play, ...]
    ask: str
    melded_this_hand: bool | None = None
    melded_this_turn: bool | None = None
    drew: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """A ruling on a question.

    ``open_readings`` are the readings among which the marker must choose before a legal play can
    stay on the recorded table; empty if nothing is open. ``melds`` are those that make a
    declaration legal.
    """

    question: Question
    whole: Ruling
    plays: tuple[Ruling, ...]
    player: Player
    charge: str | None
    melds: tuple[Meld, ...] = ()

    @property
    def open_readings(self) -> tuple[Meld, ...]:
        """The readings that are left, if there are several."""
        return self.whole.readings if self.whole.legal and len(self.whole.readings) > 1 else ()

    @property
    def open_melds(self) -> list[tuple[int, tuple[Meld, ...]]]:
        """The first melds that can be read in several ways, by number, if they are legal."""
        if self.question.ask != "contract" or not self.whole.legal:
            return []
        found = ((number, ruling.readings) for number, ruling in enumerate(self.plays))
        return [(number, readings) for number, readings in found if len(readings) > 1]


def judge(sheet: ScoreSheet, question: Question) -> Answer:
    """Judge a question on the recorded table of the open hand.

    Raises `Malformed` for cards that cannot be there, `Ambiguous` for an open wild card in a turn.
    """
    hand = sheet.hand
    rules, table = hand.rules, hand.board.table
    if question.ask == "contract":
        return _on_contract(question, rules, table)
    if question.ask in rules.asks_with_wild_rank and hand.turned is None:
        raise NotPossible(
            f"Say first which card was turned up: it makes its rank wild ({sheet.game.deal_rule}).",
            "turned",
        )
    player = _player(sheet, question)
    if question.ask == DECLARE:
        return _declared(rules, question, player)
    if question.ask in rules.asks_off_table:
        return _in_hand(rules, question, player)
    if question.ask != "turn" and len(question.plays) == 1:
        ruling = rules.rule_on(table, question.plays[0], player)
        return Answer(question, ruling, (ruling,), player, rules.charge_for(ruling))
    turn = rule_on_turn(rules, table, question.plays, player)
    check_settled(turn, question.plays)
    return Answer(question, turn.whole, turn.plays, player, rules.charge_for(turn.whole))


def _on_contract(question: Question, rules: Judge, table: Table) -> Answer:
    """The answer on first melds, one ruling a meld; what the player laid before is not asked."""
    if not isinstance(rules, ContractJudge):
        rules.not_here("contracts")
    melds = [play.plays for play in question.plays if isinstance(play, MeldPlay)]
    if len(melds) != len(question.plays):
        raise Malformed("The first melds of a player are melds, and nothing else.")
    rules.check_cards(table, MeldPlay(tuple(offered for meld in melds for offered in meld)))
    found = rules.rule_on_contract(melds)
    charge = rules.charge_for(found.ruling)
    return Answer(question, found.ruling, parts(melds, found, rules), Player(), charge)


def _declared(rules: Judge, question: Question, player: Player) -> Answer:
    """The answer whether all cards may be declared, as they are grouped or grouped anyhow."""
    if not isinstance(rules, DeclaringJudge):
        rules.not_here("declarations")
    cards, *groups = (play.plays for play in question.plays)
    found = rules.rule_on_declaration([offered.card for offered in cards], groups)
    costs = not found.ruling.legal and found.ruling.consequence.points > 0
    charge = rules.declare_charge if costs else None
    return Answer(question, found.ruling, (), player, charge, found.melds)


def _in_hand(rules: Judge, question: Question, player: Player) -> Answer:
    """The answer about a meld that stays in hand: what its wild cards stand for may stay open."""
    play = question.plays[0]
    ruling = rules.rule_on(Table(), play, player)
    if ruling.legal:
        meld = ruling.readings[0]
        praise = legal_as((meld,), rules.limits.term(meld.kind), 1)
        ruling = replace(ruling, readings=(meld,), number=1, praise=praise)
    return Answer(question, ruling, (ruling,), player, rules.charge_for(ruling))


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
    this_turn = player.melded_this_turn if said is None else said
    earlier = player.contract_met or (bool(this_hand) and not this_turn)
    return replace(
        player,
        contract_met=earlier and this_hand is not False,
        melded_this_turn=this_turn,
        melded_this_hand=player.melded_this_hand if this_hand is None else this_hand,
        drew=_drew(question),
    )


def _drew(question: Question) -> Card | None:
    discards = [play.card for play in question.plays if isinstance(play, Discard)]
    return discards[0] if question.drew and discards else None


def given(sheet: ScoreSheet, question: Question) -> RulingGiven:
    """The event that keeps a ruling with its question. Raises as `judge` does.

    The plays of a legal one are written with the identities of their wild cards, so that the
    recorded table never has to guess. An identity that is still open stays so, and such a ruling
    cannot be kept: one reading must be chosen first.
    """
    answer = judge(sheet, question)
    ruling = answer.whole
    open_ones = question.ask == DECLARE or not ruling.legal
    plays = question.plays if open_ones else _settled(answer)
    verdict = verdict_of(ruling, answer.charge)
    if answer.melds:
        verdict = replace(verdict, readings=tuple(meld.text for meld in answer.melds))
    return RulingGiven(
        hand=sheet.hand.number,
        player=question.player,
        ask=question.ask,
        plays=tuple(play.text for play in plays),
        melded_this_hand=answer.player.melded_this_hand,
        melded_this_turn=answer.player.melded_this_turn,
        verdict=verdict,
    )


def _settled(answer: Answer) -> tuple[Play, ...]:
    """The plays, with the identities of wild cards where a legal play leaves one reading."""
    return tuple(
        settled(play, ruling) if len(ruling.readings) == 1 else play
        for play, ruling in zip(answer.question.plays, answer.plays, strict=True)
    )


def enforced(sheet: ScoreSheet, hand: int, number: int) -> RulingEnforced:
    """The event that carries out the ruling of entry ``number`` in that hand."""
    lines = (line for line in sheet.hand.rulings if line.entry.number == number)
    plays = [play.text for line in lines for play in rest_of_turn(sheet, line)]
    return RulingEnforced(hand, number, tuple(plays))


def rest_of_turn(sheet: ScoreSheet, line: RulingLine) -> tuple[Play, ...]:
    """What else of a turn comes to the recorded table when one play of it is taken back.

    Empty if the whole turn is, if the hand is over, or if the table has changed since the ruling:
    the plays were judged on the one that it was given on.
    """
    hand, given = sheet.hand, line.given
    is_open = hand.number == given.hand and not sheet.over
    is_open = is_open and given.ask not in hand.rules.asks_off_table
    all_back = given.ask == "contract" or given.verdict.take_back != TakeBack.PLAY.text
    if not is_open or all_back:
        return ()
    question = kept_question(given)
    melded = given.melded_this_turn
    turn = hand.board.turn_of_question(given.player, question.plays, melded=melded)
    if (turn.number, position_text(turn.table)) != (line.turn, (line.melds, line.pile)):
        return ()
    try:
        answer = judge(sheet, question)
    except ValueError:  # a game that was read in may keep what nobody could ask here
        return ()
    if answer.whole.broken != given.verdict.broken:
        return ()
    return _standing(answer, len(turn.table.melds))


def _standing(answer: Answer, melds: int) -> tuple[Play, ...]:
    """The legal plays, aimed at the melds as they lie without those that were refused."""
    index = list(range(melds))  # where the melds that the turn counts lie
    standing: list[Play] = []
    for play, ruling in zip(_settled(answer), answer.plays, strict=True):
        if isinstance(play, MeldPlay):
            index.append(melds)
            melds += ruling.legal
        if ruling.legal and isinstance(play, LayOff | Swap):
            standing.append(replace(play, onto=index[play.onto]))
        elif ruling.legal:
            standing.append(play)
    return tuple(standing)


def judged_again(book: Book, number: int, ruling: RulingGiven) -> Answer:
    """The answer to the question that entry ``number`` keeps, on the table as it then was.

    Raises as `judge` does.
    """
    return judge(replay(book.entries[: number - 1]), kept_question(ruling))


def kept_question(given: RulingGiven) -> Question:
    """The question of a ruling that was given."""
    plays = tuple(parse_play(play) for play in given.plays)
    return Question(given.player, plays, given.ask, given.melded_this_hand, given.melded_this_turn)


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
        elsewhere={sheet: legal for sheet, legal in ruling.elsewhere.items() if legal is not None},
        charge=charge,
    )
