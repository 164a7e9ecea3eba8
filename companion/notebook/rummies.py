"""Games that somebody wins before the last hand: who declared, who has left, and who pays whom.

In such a game the cards left count once, when it is won (IND-7, IND-8): after any other Rummy the
players keep their cards, and it goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.notebook.events import NotPossible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from companion.notebook.events import Marks
    from companion.notebook.scoresheet import HandSheet, ScoreSheet


def declared(sheet: ScoreSheet, before: int | None = None) -> list[int]:
    """The seats that have declared rightly, in order; ``before`` a hand, or in all."""
    hands = sheet.hands if before is None else sheet.hands[: before - 1]
    return [hand.out for hand in hands if hand.out is not None]


def left_in(sheet: ScoreSheet, player: int) -> int | None:
    """The hand in which a player left the game; None for one who has not."""
    return _left(sheet).get(player)


def _left(sheet: ScoreSheet) -> Mapping[int, int]:
    """The seats that have left the game, each with the hand."""
    if not any(charge.leaves for charge in sheet.game.charges):
        return {}
    return {
        one.player: hand.number
        for hand in sheet.hands
        for one in hand.penalties
        if one.reason.leaves and one.withdrawn is None
    }


def playing(sheet: ScoreSheet) -> list[int]:
    """The seats that have not left the game."""
    left = _left(sheet)
    return [player for player in sheet.players if player not in left]


def winner(sheet: ScoreSheet) -> int | None:
    """Who has won before the last hand; None while the game goes on, or if nobody can."""
    return _winner(sheet, declared(sheet))


def ahead(sheet: ScoreSheet) -> list[int]:
    """The seats that are before all others while the game goes on, whatever the totals."""
    names = [str(seat) for seat in declared(sheet)]
    return [int(name) for name in sheet.game.judge.ahead(names)]


def last_possible(sheet: ScoreSheet) -> int:
    """Return the number of the last hand that there can be while the game goes on.

    Every player without a Rummy may declare a first one, and then somebody a second (IND-7).
    """
    made = declared(sheet)
    to_come = sum(player not in made for player in playing(sheet))
    return min(sheet.hand.number + to_come, sheet.game.hands)


def wins(sheet: ScoreSheet, hand: int, out: int | None) -> bool:
    """Whether the game is won if that hand ends with a Rummy of ``out``."""
    made = declared(sheet, hand)
    return out is not None and _winner(sheet, [*made, out]) is not None


def _winner(sheet: ScoreSheet, made: list[int]) -> int | None:
    names = [str(seat) for seat in made]
    found = sheet.game.judge.winner(names, [str(seat) for seat in playing(sheet)])
    return None if found is None else int(found)


def plays_next(sheet: ScoreSheet, hand: int, out: int) -> int:
    """Return the seat that plays after the Rummy of ``out``: the next one in the game (IND-7).

    Skips players who left right after that Rummy too, in the hand that it began.
    """
    order = [(out + after) % len(sheet.names) for after in range(1, len(sheet.names))]
    left = _left(sheet)
    return next((seat for seat in order if left.get(seat, hand + 2) > hand + 1), out)


def payments(sheet: ScoreSheet) -> Mapping[int, int]:
    """What each seat receives, or pays if it is below 0; nothing unless somebody has won."""
    won = winner(sheet)
    if won is None:
        return {}
    points = {str(player): sheet.total(player) for player in sheet.players}
    return {int(seat): paid for seat, paid in sheet.game.judge.payments(points, str(won)).items()}


def counting(sheet: ScoreSheet, hand: int, out: int | None) -> list[int]:
    """Return the seats whose cards left count if the hand ends so: all others, or none yet."""
    if not wins(sheet, hand, out):
        return []
    return [player for player in playing(sheet) if player != out]


def check_declared(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> None:
    """Raise `NotPossible` unless the hand can have ended with that Rummy (IND-7)."""
    if event.out is None:
        raise NotPossible("Say who declared Rummy: the hand ends with it.", "out")
    if event.out not in sheet.players:
        raise NotPossible("Say who declared Rummy.", "out")
    name = sheet.names[event.out]
    if left_in(sheet, event.out) is not None:
        raise NotPossible(f"{name} has left the game, and declares no Rummy.", "out")
    _check_later(sheet, hand, event.out)
    count = counting(sheet, hand.number, event.out)
    others = [entry.player for entry in event.entries if entry.player not in count]
    if others:
        raise NotPossible(
            "No cards count in this hand: only when the game is won, and only of those who play.",
            f"cards.{others[0]}",
        )


def _check_later(sheet: ScoreSheet, hand: HandSheet, out: int) -> None:
    """Raise `NotPossible` if a correction wins the game too early, or undoes the win.

    That is before hands with something written down, or with cards counted in the last hand.
    """
    later = sheet.hands[hand.number :]
    made = [*declared(sheet, hand.number), out]
    for next_hand in later:
        if _winner(sheet, made) is not None and not _is_untouched(next_hand):
            raise NotPossible(
                f"The game would be won before hand {next_hand.number}, for which something is "
                "written down. Correct that first, or take it back.",
                "out",
            )
        if next_hand.out is not None:
            made.append(next_hand.out)
    if later and later[-1].marking is not None and _winner(sheet, made) is None:
        raise NotPossible(
            f"Then hand {later[-1].number} would not win the game, and cards were counted in it. "
            "Correct that first.",
            "out",
        )


def _is_untouched(hand: HandSheet) -> bool:
    return not (hand.markings or hand.penalties or hand.rulings or hand.thrown_in)
