"""What the pages of a question and of the recorded table show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flask import url_for

from companion.notebook.events import PlayRecorded
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.words import say
from companion.rules.cards import format_cards
from companion.rules.errors import Malformed
from companion.rules.judge import position_text
from companion.rules.table import Discard, Play
from companion.services.books import Book
from companion.services.pile import is_whole
from companion.web.ahead import book_ahead
from companion.web.course import course
from companion.web.play_form import parsed_plays
from companion.web.rulings_form import OF_SEVERAL, Asked, ask_url


def who_plays(sheet: ScoreSheet, *, next_claim: bool = False) -> int:
    """Who is at turn, as far as the record tells.

    For the ``next_claim`` a turn on which there was a ruling is over too: claims are made when a
    turn is.
    """
    hand, board = sheet.hand, sheet.hand.board
    if board.turn_of is not None:
        ruled = any(line.turn == board.number for line in hand.rulings)
        discarded = bool(board.turn) and isinstance(board.turn[-1], Discard)
        return (board.turn_of + (discarded or (next_claim and ruled))) % len(sheet.names)
    over = [
        (line.enforced.number, line.given.player)
        for line in hand.rulings
        if line.enforced and line.given.verdict.turn_passes
    ]
    over += [
        (penalty.entry.number, penalty.player)
        for penalty in hand.penalties
        if penalty.reason.takes_back
    ]
    at = max(over)[1] + 1 if over else hand.places.first
    order = ((at + after) % len(sheet.names) for after in sheet.players)
    return next(seat for seat in order if seat in sheet.playing)


def in_its_hand(book: Book, asked: Asked) -> tuple[Book, Asked]:
    """The game as the question sees it: with its hand open, if that has not begun.

    Otherwise no page says which hand it was asked in: it is the open one's.
    """
    ahead = book_ahead(book, asked.hand)
    return (book, replace(asked, hand=None)) if ahead is None else (ahead, asked)


def question_context(book: Book, asked: Asked) -> dict[str, Any]:
    """What a page needs to show a question on the recorded table of the open hand."""
    sheet = book.sheet
    hand = sheet.hand
    try:
        plays: Sequence[Play] = parsed_plays(asked.plays)
    except Malformed:
        plays = ()
    melds, pile = position_text(hand.board.table)
    pile_said = format_cards(asked.pile(hand.board.table.pile))
    laid = course(melds, pile_said, hand.rules, plays)
    player = asked.player or 0
    named = asked.player is not None
    address = url_for("rulings.form", game_id=book.record.id, hand=asked.hand, ask=asked.ask)
    known = hand.board.player(player, hand.rules)
    # Of nobody the record says nothing: a switch that is left as it is says nothing either.
    flags = {
        "melded_turn": (asked.melded_this_turn, named and known.melded_this_turn),
        "melded_hand": (asked.melded_this_hand, named and known.has_melded),
    }
    last = sheet.can_undo.event if sheet.can_undo else None
    return {
        "asked": asked,
        "player": player if named else None,
        "name": sheet.names[player] if named else "the player",
        "whose": f"{sheet.names[player]}’s" if named else "a",
        "again": "" if named else address,
        "asked_url": ask_url(book.record.id, asked),
        "ahead_of": asked.hand,
        "several": OF_SEVERAL,
        "at_turn": str(who_plays(sheet, next_claim=True)),
        "laid": laid,
        "lying": {"melds": "; ".join(melds), "pile": pile_said},
        "pile": pile,
        "pile_is_whole": asked.hand is None and is_whole(book),
        "flags": {name: (was if now is None else now, was) for name, (now, was) in flags.items()},
        "wild_rank": "".join(rank.text for rank in hand.rules.limits.wild_ranks),
        "hand_rules": hand.rules,
        "asks": hand.rules.asks,
        "has_swaps": "swap" in hand.rules.asks,
        "joker_ends": hand.rules.joker_ends,
        "takes_pile": hand.rules.takes_pile,
        "claim": _claim(sheet),
        "claim_rule": sheet.game.house_rule("claim_until").rule if _claim(sheet) else "",
        "players": [(str(seat), sheet.names[seat]) for seat in sheet.playing],
        "dispute": say(last, sheet) if isinstance(last, PlayRecorded) else "",
    }


def _claim(sheet: ScoreSheet) -> str:
    """When a claim is made at this table; empty where the game does not say."""
    chosen = dict(sheet.house.values).get("claim_until")
    return "" if chosen is None else sheet.game.house_rule("claim_until").says(chosen)
