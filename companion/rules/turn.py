"""Judging a whole turn, in every reading of its wild cards and on every sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from companion.rules.cards import Card, Laid, check_packs
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.judge import Judge
from companion.rules.language import noted
from companion.rules.melds import Meld, MeldLimits
from companion.rules.messages import Message, Term
from companion.rules.played_turn import PlayedTurn, Turn, play_turn
from companion.rules.readings import MOST_READINGS, open_card, open_end
from companion.rules.ruling import Ruling, TakeBack, agreed, legal_as
from companion.rules.table import LayOff, Play, Player, Swap, Table, with_identities

# The most readings of a turn that are judged.
_MOST_WAYS = 100


def rule_on_turn(
    rules: Judge,
    table: Table,
    plays: Sequence[Play],
    player: Player,
    holding: Sequence[Card] | None = None,
) -> Ruling:
    """Rule on a whole turn, with one charge and the most taken back, and on each of its plays.

    The ruling has the table after the turn, or before it if the turn is taken back: on it, a meld
    with several readings has its cards without what they stand for. An illegal play does not stay
    on the table; the plays after it are judged without it. ``holding`` are all cards held after the
    draw; a player who takes the pile as a play of the turn also holds the pile from then on. A wild
    card with several readings is judged in each of them, and stands for the same card on the game's
    other sheets; a play that cannot be made on another sheet is not legal there. Raises `Malformed`
    for cards that are not held or cannot be there and for more cards than a player can hold, and
    `Ambiguous` for a wild card whose readings give different rulings; ``where`` names the play.
    """
    turn = Turn(rules, table, plays, player, holding)
    each = _each_way(turn)
    found = _as_one(each, plays)
    told = [_elsewhere(turn, one) for one in each]
    whole, *of_plays = (agreed(maps) for maps in zip(*told, strict=True))
    rulings = [
        ruling._replace(elsewhere=there)
        for ruling, there in zip(found.plays, of_plays, strict=True)
    ]
    return found._replace(plays=tuple(rulings), elsewhere=whole)


def check_settled(turn: Ruling, plays: Sequence[Play]) -> None:
    """Raise `Ambiguous` if a play that stays on the table still has several readings."""
    if turn.consequence.take_back is TakeBack.TURN or not turn.plays:
        return
    for number, (play, ruling) in enumerate(zip(plays, turn.plays, strict=True)):
        if ruling.legal and len(ruling.readings) > 1:
            raise _open(number, play, ruling)


def _each_way(turn: Turn) -> list[Ruling]:
    """Return the turn in each reading of its wild cards. Raises `Ambiguous` for too many."""
    rules, table, plays, player, holding = turn
    if holding is not None:
        places = ((noted("in the table"), table.cards), (noted("in the cards held"), holding))
        check_packs(places, *rules.deck, "holding")
        _check_number(rules, len(holding), player.holds)
    found: list[Ruling] = []
    waiting: list[dict[int, tuple[Meld, ...]]] = [{}]
    while waiting:
        read = waiting.pop()
        first_ones = {number: alike[0] for number, alike in read.items()}
        played = play_turn(turn, first_ones)
        if played.open is None:
            found.append(_ruling_of(played, holding, read))
            continue
        ruling = played.rulings[played.open]
        if ruling.number > MOST_READINGS or len(found) + len(waiting) > _MOST_WAYS:
            raise _open(played.open, plays[played.open], ruling)
        groups = _alike(ruling.readings, plays[played.open + 1 :], rules.limits)
        waiting += [read | {played.open: alike} for alike in reversed(groups)]
    return found


def _alike(
    readings: Sequence[Meld], later: Sequence[Play], limits: MeldLimits
) -> list[tuple[Meld, ...]]:
    """Return the readings in groups that later plays of the turn treat alike.

    Which wild card stands for what matters only to lay-offs and swaps.
    """
    if any(isinstance(play, LayOff | Swap) for play in later):
        return [(meld,) for meld in readings]
    groups: dict[object, list[Meld]] = {}
    for meld in readings:
        wild = tuple([limits.counts_as_wild(laid) for laid in meld.cards])
        groups.setdefault((meld.identities, wild), []).append(meld)
    return [tuple(alike) for alike in groups.values()]


def _open(number: int, play: Play, ruling: Ruling) -> Ambiguous:
    """Return the error for a play of a turn with several readings."""
    where = f"plays[{number}]"
    if isinstance(play, Swap):
        return open_end(ruling.readings, where)
    return open_card(play.plays, ruling.readings, where)


def _ruling_of(
    played: PlayedTurn, holding: Sequence[Card] | None, read: Mapping[int, tuple[Meld, ...]]
) -> Ruling:
    rulings = tuple(
        ruling._replace(readings=read[number])
        if number in read and {*ruling.readings} & {*read[number]}
        else ruling
        for number, ruling in enumerate(played.rulings)
    )
    breaches = tuple(dict.fromkeys(breach for ruling in rulings for breach in ruling.breaches))
    whole = played.rules.refusal(breaches) if breaches else Ruling(praise=Message("legal_turn"))
    if whole.consequence.take_back is TakeBack.TURN:
        held = None if holding is None else tuple(holding)
        return whole._replace(plays=rulings, table=played.table.take_back(), holding=held)
    held = None if played.holding is None else tuple(played.holding.elements())
    return whole._replace(plays=rulings, table=played.table, holding=held)


def _as_one(each: Sequence[Ruling], plays: Sequence[Play]) -> Ruling:
    """Return one ruling for all readings of a turn. Raises `Ambiguous` if they are not alike."""
    first, *others = each
    by_play = zip(*(one.plays for one in each), strict=True)
    rulings = tuple(_in_all_readings(same) for same in by_play)
    if any(_outcome(other) != _outcome(first) for other in others):
        number = next(n for n, ruling in enumerate(rulings) if len(ruling.readings) > 1)
        raise _open(number, plays[number], rulings[number])
    legal = [ruling for ruling in rulings if ruling.legal and len(ruling.readings) > 1]
    several = {meld for ruling in legal for meld in ruling.readings}
    if not several or first.table is None:
        return first
    lying = [_unread(meld) if meld in several else meld for meld in first.table.melds]
    return first._replace(plays=rulings, table=replace(first.table, melds=tuple(lying)))


def _outcome(turn: Ruling) -> object:
    """Return what two rulings on a turn must agree on to be given as one."""
    held = None if turn.holding is None else Counter(turn.holding)
    return [ruling.outcome for ruling in (turn, *turn.plays)], held


def _in_all_readings(same: Sequence[Ruling]) -> Ruling:
    """Return the ruling on a play with its readings in all readings of the plays before it."""
    first = same[0]
    melds = tuple(dict.fromkeys(meld for ruling in same for meld in ruling.readings))
    if melds == first.readings:
        return first
    praise = first.praise
    if first.legal and first.took is None:
        praise = legal_as(melds, Term(first.readings[0].kind.value), len(melds))
    return first._replace(
        readings=melds, number=len(melds), praise=praise, added=(), meld_after=None
    )


def _unread(meld: Meld) -> Meld:
    """Return a meld without what its wild cards stand for, these last."""
    cards = sorted(meld.cards, key=lambda laid: laid.wild)
    return Meld(meld.kind, tuple(Laid(laid.card, laid.card) for laid in cards))


def _elsewhere(turn: Turn, ruling: Ruling) -> list[Mapping[str, bool | None]]:
    """Return what the other sheets say of a turn with known readings, and of each of its plays."""
    rules, table, plays, player, holding = turn
    as_read = [settled(play, one) for play, one in zip(plays, ruling.plays, strict=True)]
    by_sheet: dict[str, PlayedTurn] = {}

    def allows(there: Judge) -> bool:
        played = play_turn(turn._replace(rules=there, plays=as_read), {}, elsewhere=True)
        by_sheet[there.house.sheet] = played
        return played.legal

    # A wild card that was taken and played again is on the table already.
    taken = [one.took for one in ruling.plays if one.took and rules.swap_gives_wild]
    played = Counter([offered.card for play in plays for offered in play.plays])
    brought = list((played - Counter(taken)).elements())
    holds = player.holds if holding is None else len(holding)
    whole = rules.elsewhere(table, brought, holds, allows)
    of_plays = [
        {sheet: by_sheet[sheet].rulings[n].legal if sheet in by_sheet else None for sheet in whole}
        for n in range(len(plays))
    ]
    return [whole, *of_plays]


def _check_number(rules: Judge, named: int, holds: int | None) -> None:
    """Raise `Malformed` unless a player can hold so many cards, and as many as was stated."""
    rules.most_played(named, "holding")
    if holds is not None and holds != named:
        raise Malformed(
            "%(named)s cards are named, and the player holds %(holds)s.",
            "holding",
            named=named,
            holds=holds,
        )


def settled(play: Play, ruling: Ruling) -> Play:
    """Return a legal play with what its wild cards stand for, by its first reading."""
    if not ruling.legal or not ruling.readings:
        return play
    return with_identities(play, ruling.added or ruling.readings[0].cards)
