"""Events as records (a kind and JSON values), and back, with strict checks.

A ruling is stored as data: rule numbers, message ids with their values, readings and the
consequence, never a finished sentence. So it can be shown later, in any language, without judging
anything again.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import lru_cache, partial
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from companion.notebook.events import Event, Verdict
from companion.rules.cards import Laid, format_cards, parse_card, parse_cards, parse_meld_text
from companion.rules.errors import Malformed
from companion.rules.melds import Kind, Meld
from companion.rules.messages import Message, Written, message_from
from companion.rules.question import CALL, DRAW, FLAGS, NO_PILE, Call, Pile, Question
from companion.rules.ruling import (
    NO_CONSEQUENCE,
    Breach,
    Consequence,
    Ruling,
    TakeBack,
    breach_from,
)
from companion.rules.table import parse_play

KINDS: Final[dict[str, type]] = {kind.__name__: kind for kind in get_args(Event)}
LONGEST_TEXT: Final = 2000
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def to_record(event: Event) -> tuple[str, dict[str, Any]]:
    """Return an event's kind and its fields as JSON values."""
    payload: dict[str, Any] = _plain(event)
    return type(event).__name__, payload


def _plain(value: Any) -> Any:
    if isinstance(value, Question):
        return question_data(value)
    if isinstance(value, Ruling):
        return ruling_data(value)
    if is_dataclass(value):
        given = [(field, getattr(value, field.name)) for field in fields(value)]
        return {
            field.name: _plain(inner)
            for field, inner in given
            if inner != field.default or not field.metadata.get("said_only")
        }
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in value]
    return value


def from_record(kind: str, payload: object) -> Event:
    """Return the event in a record: the inverse of `to_record`.

    Raises `Malformed` for an unknown kind, a missing or unknown field, a value of the wrong type,
    text or lists longer than any event has, or text that cannot be stored.
    """
    known = KINDS.get(kind)
    if known is None:
        raise Malformed("There is no event “%(kind)s”.", "kind", kind=kind[:40])
    event: Event = _read(known, payload, kind)
    return event


@lru_cache(maxsize=64)
def _field_types(kind: type) -> dict[str, tuple[Any, bool]]:
    hints = get_type_hints(kind)
    required = {
        field.name: field.default is field.default_factory  # both MISSING: no default
        for field in fields(kind)
    }
    return {name: (hints[name], required[name]) for name in hints if name in required}


def _read(kind: Any, value: object, where: str) -> Any:
    if kind is Question:
        return question_from(value, where)
    if kind is Ruling:
        return ruling_from(value, where)
    if isinstance(kind, type) and is_dataclass(kind):
        return _read_fields(kind, value, where)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        for either in inner:
            with suppress(Malformed):
                return _read(either, value, where)
    if origin is tuple and isinstance(value, list) and len(value) <= LONGEST_LIST:
        return tuple(_read(inner[0], one, f"{where}[{n}]") for n, one in enumerate(value))
    if origin is Mapping and isinstance(value, dict) and len(value) <= LONGEST_LIST:
        return {
            _read(inner[0], key, where): _read(inner[1], one, f"{where}.{str(key)[:40]}")
            for key, one in value.items()
        }
    # To Python a bool is an int; here it is not.
    if origin is None and type(value) is kind and _can_be_kept(value):
        return value
    raise Malformed("“%(where)s” is not what it should be.", where, where=where)


def _can_be_kept(value: object) -> bool:
    if isinstance(value, str):
        # Half a surrogate pair, which JSON can hold, has no place in a file or on a page.
        return len(value) <= LONGEST_TEXT and not _SURROGATE.search(value)
    return not isinstance(value, int) or abs(value) <= LARGEST_COUNT


def _read_fields(kind: type, value: object, where: str) -> Any:
    known = _field_types(kind)
    if not isinstance(value, Mapping) or set(value) - set(known):
        raise Malformed("“%(where)s” has unknown fields or none.", where, where=where)
    given = {}
    for name, (field_type, required) in known.items():
        if name in value:
            given[name] = _read(field_type, value[name], f"{where}.{name}")
        elif required:
            raise Malformed("“%(where)s” lacks “%(name)s”.", where, where=where, name=name)
    return kind(**given)


ASKS: Final = frozenset(
    {"meld", "lay_off", "swap", "discard", "turn", "contract", "declare", CALL, DRAW}
)
LONGEST_LIST: Final = 200
LONGEST_RULING_TEXT: Final = 600
LARGEST_COUNT: Final = 999_999_999
# A ruling with more readings keeps the first of them, and how many there were.
MOST_READINGS: Final = 24
_KINDS: Final = {kind.value: kind for kind in Kind}
_TAKE_BACK: Final = {one.text: one for one in TakeBack}
_T = TypeVar("_T")


# -- writing --------------------------------------------------------------------------------------


def question_data(question: Question) -> dict[str, Any]:
    """Return a question as JSON data."""
    player = question.player
    pile = {}  # unless the question rests on it
    if question.discarded is not None or question.pile != NO_PILE:
        cards, whole = question.pile
        pile = {"pile": format_cards(cards), "pile_is_whole": whole}
    stated = {
        "melded_this_hand": player.melded_this_hand,
        "melded_this_turn": player.melded_this_turn,
        "contract_met": player.contract_met,
        "drew": player.drew is not None,
        "fresh": bool(player.fresh),
    }
    return {
        "ask": question.ask,
        "plays": [play.text for play in question.plays],
        "melds": [_meld_data(meld) for meld in question.melds],
        **pile,
        **({} if question.call is None else {"call": question.call._asdict()}),
        "player": {flag: None if flag in question.unknown else stated[flag] for flag in FLAGS},
    }


def ruling_data(ruling: Ruling) -> dict[str, Any]:
    """Return a ruling as JSON data, without its empty fields."""
    points, take_back, turn_passes = ruling.consequence
    data = {
        "breaches": [breach.plain() for breach in ruling.breaches],
        "praise": ruling.praise.plain() if ruling.praise else None,
        "readings": [_meld_data(meld) for meld in ruling.readings[:MOST_READINGS]],
        "number": ruling.number,
        "points": points,
        "take_back": take_back.text,
        "turn_passes": turn_passes,
        "elsewhere": dict(ruling.elsewhere),
        "took": ruling.took.text if ruling.took else "",
        "added": format_cards(ruling.added),
        "plays": [ruling_data(play) for play in ruling.plays],
        "melds": [_meld_data(meld) for meld in ruling.melds],
        "regardless_of": list(ruling.regardless_of),
        "follows": [message.plain() for message in ruling.follows],
    }
    return {name: value for name, value in data.items() if value or name in _ALWAYS}


_ALWAYS: Final = frozenset({"points", "take_back", "turn_passes"})


def _meld_data(meld: Meld) -> list[str]:
    return [meld.kind.value, meld.text]


# -- reading --------------------------------------------------------------------------------------


def question_from(data: object, where: str) -> Question:
    """Read a question from JSON data. Raises `Malformed`."""
    given = _fields(data, _QUESTION, _PILE | {"call"}, where)
    ask = _text(given["ask"], where)
    plays = tuple(parse_play(_text(play, where)) for play in _list(given["plays"], where))
    if ask not in ASKS or (ask == CALL) != ("call" in given):
        raise Malformed("“%(where)s” asks nothing.", where, where=where)
    if not plays and ask not in {CALL, DRAW}:
        raise Malformed("“%(where)s” asks about no play.", where, where=where)
    question = Question(
        ask,
        plays,
        _melds(given["melds"], where),
        Pile(
            parse_cards(_text(given.get("pile", ""), where)),
            _flag(given.get("pile_is_whole", True), where),
        ),
        call=_call(given["call"], where) if ask == CALL else None,
    )
    if question.discarded is not None and not given.keys() >= _PILE:
        raise Malformed("“%(where)s” does not say what was known of the pile.", where, where=where)
    for flag, value in _fields(given["player"], frozenset(FLAGS), frozenset(), where).items():
        if value is None:
            question = question.without(flag)
        else:
            question = question.with_flag(flag, _flag(value, where))
    return question


def _call(data: object, where: str) -> Call:
    given = _fields(data, frozenset(Call._fields), frozenset(), where)
    turn, calls, melded = (given[name] for name in Call._fields)
    return Call(
        None if turn is None else _count(turn, where),
        _count(calls, where),
        None if melded is None else _flag(melded, where),
    )


_QUESTION: Final = frozenset({"ask", "plays", "melds", "player"})
_PILE: Final = frozenset({"pile", "pile_is_whole"})


def ruling_from(data: object, where: str, *, of_play: bool = False) -> Ruling:
    """Read a ruling from JSON data. Raises `Malformed`.

    ``of_play`` is true for the ruling on one play of several, which has no plays of its own.
    """
    given = _fields(data, _ALWAYS, _RULING - ({"plays"} if of_play else set()), where)
    take_back = _TAKE_BACK.get(_text(given["take_back"], where))
    points = _count(given["points"], where)
    if take_back is None or points > _MOST_POINTS:
        raise Malformed("“%(where)s” has no such consequence.", where, where=where)
    elsewhere = given.get("elsewhere", {})
    if not isinstance(elsewhere, Mapping) or len(elsewhere) > LONGEST_LIST:
        raise Malformed("“%(where)s” does not say how other sheets rule.", where, where=where)
    return Ruling(
        breaches=_each(given, "breaches", breach_from, where),
        readings=_melds(given.get("readings", []), where),
        consequence=Consequence(points, take_back, _flag(given["turn_passes"], where)),
        praise=message_from(given["praise"], where) if "praise" in given else None,
        elsewhere={
            _text(sheet, where): None if legal is None else _flag(legal, where)
            for sheet, legal in elsewhere.items()
        },
        took=parse_card(_text(given["took"], where)) if "took" in given else None,
        added=_laid(_text(given.get("added", ""), where)),
        plays=_each(given, "plays", partial(ruling_from, of_play=True), where),
        melds=_melds(given.get("melds", []), where),
        regardless_of=_each(given, "regardless_of", _fact, where),
        number=_count(given.get("number", 0), where),
        follows=_each(given, "follows", message_from, where),
    )


_RULING: Final = frozenset(
    {"breaches", "praise", "readings", "number", "elsewhere", "took", "added"}
    | {"plays", "melds", "regardless_of", "follows"}
)
_MOST_POINTS: Final = 500


def _fields(
    data: object, needed: frozenset[str], more: frozenset[str], where: str
) -> Mapping[str, Any]:
    if not isinstance(data, Mapping) or not needed <= data.keys() <= needed | more:
        raise Malformed("“%(where)s” has unknown fields, or lacks some.", where, where=where)
    return data


def _each(
    given: Mapping[str, Any], name: str, read: Callable[[object, str], _T], where: str
) -> tuple[_T, ...]:
    return tuple(read(one, where) for one in _list(given.get(name, []), where))


def _list(data: object, where: str) -> list[Any]:
    if not isinstance(data, list) or len(data) > LONGEST_LIST:
        raise Malformed("“%(where)s” has no list where one should be.", where, where=where)
    return data


def _count(data: object, where: str) -> int:
    if type(data) is not int or not 0 <= data <= LARGEST_COUNT:
        raise Malformed("“%(where)s” has no number where one should be.", where, where=where)
    return data


def _text(data: object, where: str) -> str:
    # Half a surrogate pair, which JSON can hold, has no place in a file or on a page.
    if not isinstance(data, str) or len(data) > LONGEST_RULING_TEXT or not data.isprintable():
        raise Malformed("“%(where)s” has no text where some should be.", where, where=where)
    return data


def _flag(data: object, where: str) -> bool:
    if not isinstance(data, bool):
        raise Malformed("“%(where)s” does not say yes or no where it should.", where, where=where)
    return data


def _fact(data: object, where: str) -> str:
    fact = _text(data, where)
    if fact not in {*FLAGS, "pile"}:
        raise Malformed("“%(where)s” names a fact that there is not.", where, where=where)
    return fact


def _melds(data: object, where: str) -> tuple[Meld, ...]:
    return tuple(_meld(one, where) for one in _list(data, where))


def _meld(data: object, where: str) -> Meld:
    parts = [_text(part, where) for part in _list(data, where)]
    if len(parts) != 2 or parts[0] not in _KINDS or not (laid := _laid(parts[1])):
        raise Malformed("“%(where)s” has a meld that is none.", where, where=where)
    return Meld(_KINDS[parts[0]], laid)


def ruling_as_written(verdict: Verdict) -> Ruling:
    """Return a ruling that was stored in words, with its sentence as the message."""
    consequence = NO_CONSEQUENCE if verdict.legal else verdict.consequence
    says = Message.of("as_written", words=Written(verdict.says.removesuffix(consequence.says)))
    return Ruling(
        breaches=tuple(Breach(rule, *says) for rule in verdict.broken),
        readings=tuple(melds_written(verdict.readings)),
        consequence=consequence,
        praise=says,
        elsewhere=dict(verdict.elsewhere),
    )


def melds_written(texts: Iterable[str]) -> Iterator[Meld]:
    """Yield melds from readings stored as text, without their kind."""
    for text in texts:
        try:
            laid = _laid(text)
        except Malformed:
            continue  # an imported game may have anything there
        if laid:
            one_rank = len({one.stands_for.rank for one in laid}) == 1
            yield Meld(Kind.SET if one_rank else Kind.RUN, laid)


def _laid(text: str) -> tuple[Laid, ...]:
    """Return cards as laid; each wild one says what it stands for, even if that is itself."""
    return tuple(
        Laid(card, stands_for or card, stands_for is not None)
        for card, stands_for in parse_meld_text(text)
    )
