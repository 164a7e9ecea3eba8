"""What the pages of a question and of the recorded table show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import url_for

from companion.notebook.board import Board
from companion.notebook.events import PlayRecorded
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.words import say
from companion.rules.cards import format_cards
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed
from companion.rules.judge import position_text
from companion.rules.question import CALL, DECLARE, DRAW, UNKNOWN_PILE
from companion.rules.table import Play
from companion.services.books import Book
from companion.services.rulings import SAID, next_to_play
from companion.web.course import Step, course, question_steps
from companion.web.facts import CONTRACT_ASKS, contract_asked, source_of
from companion.web.play_form import parsed_plays
from companion.web.rulings_form import OF_SEVERAL, RulingForm, ask_url
from companion.web.upcoming_hands import book_ahead, is_ahead


def in_its_hand(book: Book, asked: RulingForm) -> tuple[Book, RulingForm]:
    """The game as the question sees it: with its hand open, if that has not begun.

    Otherwise no page says which hand it was asked in: it is the open one's.
    """
    ahead = book_ahead(book, asked.hand)
    return (book, replace(asked, hand=None)) if ahead is None else (ahead, asked)


def question_context(book: Book, asked: RulingForm) -> dict[str, Any]:
    """What a page needs to show a question on the recorded table of the open hand."""
    sheet = book.sheet
    hand, board = sheet.hand, asked.board(sheet)
    try:
        plays: Sequence[Play] = parsed_plays(asked.plays)
    except Malformed:
        plays = ()
    melds, pile = position_text(board.table)
    # Cards of the pile can be tapped: the player may have taken it in this turn.
    laid = course((*melds, *asked.seen), "", hand.rules, plays)
    player = asked.player if asked.player in sheet.players else None
    address = url_for("rulings.form", game_id=book.record.id, hand=asked.hand, ask=asked.ask)
    name = "the player" if player is None else sheet.names[player]
    last = sheet.can_undo.event if sheet.can_undo else None
    return {
        "asked": asked,
        "player": player,
        "name": name,
        "whose": "a" if player is None else f"{name}’s",
        "again": address if player is None else "",
        "start_url": ask_url(book.record.id, replace(asked.of(None), ask="")),
        "asked_url": ask_url(book.record.id, asked),
        "ahead_of": asked.hand,
        "several": OF_SEVERAL,
        "next_to_play": str(next_to_play(sheet)),
        "laid": laid,
        "lying": {"melds": "; ".join(melds), "pile": ""},
        "pile": pile,
        "pile_is_whole": board.whole,
        "pile_known": _pile_known(book, board, asked),
        "contract": _contract(sheet, asked),
        "wild_rank": "".join(rank.text for rank in hand.rules.limits.wild_ranks),
        "hand_rules": hand.rules,
        "kinds": _kinds(sheet, book.record.id),
        "has_swaps": "swap" in hand.rules.asks,
        "joker_ends": hand.rules.joker_ends,
        "takes_pile": hand.rules.takes_pile,
        "claim": _claim(sheet),
        "claim_rule": sheet.game.house_rule("claim_until").rule if _claim(sheet) else "",
        "players": [(str(seat), sheet.names[seat]) for seat in sheet.playing],
        "dispute": say(last, sheet) if isinstance(last, PlayRecorded) else "",
    }


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of play that can be asked about: what the page sends, its name, and a note under it.

    ``address`` is where it is asked, if that is another page than the others'.
    """

    ask: str
    name: str
    note: str = ""
    address: str = ""


def _kinds(sheet: ScoreSheet, game_id: str) -> list[Kind]:
    """The plays that can be asked about in this hand, in the game's words."""
    rules = sheet.hand.rules
    has_contract = isinstance(rules, ContractJudge)
    declared = rules.declare_call if isinstance(rules, DeclaringJudge) else ""
    kinds = [
        Kind("contract", "First melds"),
        Kind("discard", "Discard"),
        Kind("meld", "Further meld" if has_contract else "Meld"),
        Kind("lay_off", "Lay-off"),
        Kind("swap", "Swap"),
        Kind(DECLARE, declared, "all cards, declared at once"),
        Kind("turn", "A whole turn", "several plays, one after the other"),
    ]
    kinds += [] if is_ahead() else [Kind(CALL, "Call"), Kind(DRAW, "Draw from the pile")]
    found = [one for one in kinds if one.ask in rules.disputes]
    if rules.may_i_rule:
        found.append(Kind("", "May I?", address=url_for("upcards.form", game_id=game_id)))
    return sorted(found, key=lambda kind: bool(kind.note))


def steps_of(asked: RulingForm, sheet: ScoreSheet) -> list[Step]:
    """The plays that are asked about, to be shown beside what is asked back. May raise."""
    question = asked.asked(sheet).question
    return question_steps(question, [meld.text for meld in question.melds], "", sheet.hand.rules)


def _pile_known(book: Book, board: Board, asked: RulingForm) -> tuple[str, str] | None:
    """The top of the pile and where it is known from, if it was said or is sure for this player."""
    if asked.player is None or asked.top == "none":
        return None
    if asked.top:
        return asked.top, source_of(book, SAID)
    pile = board.pile_for(asked.player)
    if pile == UNKNOWN_PILE:
        return None
    return format_cards(pile.cards), source_of(book, board.known_by)


def _contract(sheet: ScoreSheet, asked: RulingForm) -> dict[str, Any] | None:
    """What the form asks about the player's contract; None where no ruling depends on it."""
    if asked.ask not in CONTRACT_ASKS or not isinstance(sheet.hand.rules, ContractJudge):
        return None
    fact = contract_asked(asked, sheet)
    met = asked.player is not None and asked.board(sheet).has_met_contract(asked.player)
    met = met or len(fact.choices) == 1
    return {"fact": fact, "value": asked.contract or ("earlier" if met else "")}


def _claim(sheet: ScoreSheet) -> str:
    """When a claim is made at this table; empty where the game does not say."""
    chosen = dict(sheet.house.values).get("claim_until")
    return "" if chosen is None else sheet.game.house_rule("claim_until").says(chosen)
