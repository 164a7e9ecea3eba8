"""Events as records (a kind and JSON values), and back, with strict checks.

What is read and written follows from the types: an event has the fields of its class, a question
and a ruling those listed here. A ruling is stored as data: rule numbers, message ids with their
values, readings and the consequence, never a finished sentence. So it can be shown later, in any
language, without judging anything again.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple, NewType, Union, get_args, get_origin, get_type_hints

from companion.notebook import events
from companion.notebook.events import Event, Ruled
from companion.rules.cards import Card, Laid, format_cards, parse_card, parse_cards, parse_meld_text
from companion.rules.errors import Malformed
from companion.rules.melds import Kind, Meld
from companion.rules.messages import NUMBERS, SENTENCES, TERMS, Message, message_from
from companion.rules.question import CALL, DRAW, FLAGS, NO_PILE, Call, Pile, Question
from companion.rules.ruling import Breach, Consequence, Ruling, TakeBack, breach_from
from companion.rules.table import Play, Player, parse_play

KINDS: Final[dict[str, type[Event]]] = {
    name: kind
    for name, kind in vars(events).items()
    if isinstance(kind, type) and issubclass(kind, Event) and not kind.__subclasses__()
}
ASKS: Final = frozenset(
    {"meld", "lay_off", "swap", "discard", "turn", "contract", "declare", CALL, DRAW}
)
# The kind of a ruling that an earlier version kept as a sentence.
IN_WORDS: Final = "RulingGiven"
LONGEST_TEXT: Final = 2000
LONGEST_LIST: Final = 200
LARGEST_COUNT: Final = 999_999_999
# A ruling with more readings keeps the first of them, and how many there were.
MOST_KEPT_READINGS: Final = 24
_MOST_POINTS: Final = 500
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

# The ruling on one play of several, which has no plays of its own.
OfPlay = NewType("OfPlay", Ruling)
_CONSEQUENCE: Final = get_type_hints(Consequence)
# The fields of a ruling. All but its consequence are left out if they are empty.
_RULING: Final[Mapping[str, Any]] = {
    "breaches": tuple[Breach, ...],
    "praise": Message,
    "readings": tuple[Meld, ...],
    "number": int,
    **_CONSEQUENCE,
    "elsewhere": Mapping[str, bool | None],
    "took": Card,
    "added": tuple[Laid, ...],
    "plays": tuple[OfPlay, ...],
    "melds": tuple[Meld, ...],
    "regardless_of": tuple[str, ...],
    "follows": tuple[Message, ...],
}
# The fields of a question. The last three are there only if it rests on them.
_QUESTION: Final[Mapping[str, Any]] = {
    "ask": str,
    "plays": tuple[Play, ...],
    "melds": tuple[Meld, ...],
    "player": Mapping[str, bool | None],
    "pile": tuple[Card, ...],
    "pile_is_whole": bool,
    "call": Call,
}
_PILE: Final = frozenset({"pile", "pile_is_whole"})
_CALL: Final = get_type_hints(Call)
# The fields of a ruling in words, and of its verdict.
Verdict = NewType("Verdict", dict[str, Any])
_IN_WORDS: Final[Mapping[str, Any]] = {
    "hand": int,
    "player": int,
    "ask": str,
    "plays": tuple[Play, ...],
    "melded_this_hand": bool,
    "melded_this_turn": bool,
    "verdict": Verdict,
}
_VERDICT: Final[Mapping[str, Any]] = {
    "legal": bool,
    "broken": tuple[str, ...],
    "readings": tuple[str, ...],
    **_CONSEQUENCE,
    "says": str,
    "elsewhere": Mapping[str, bool],
    "charge": str | None,
}

# -- writing --------------------------------------------------------------------------------------


def to_record(event: Event) -> tuple[str, dict[str, Any]]:
    """Return an event's kind and its fields as JSON values."""
    if isinstance(event, Ruled) and event.in_words is not None:
        return IN_WORDS, dict(event.in_words)
    payload: dict[str, Any] = _as_data(event)
    return type(event).__name__, payload


# A fact that a record leaves out if it has this value: earlier versions did not ask for it.
_UNLESS_SAID: Final = {"laid_unowned": False}


def question_data(question: Question) -> dict[str, Any]:
    """Return a question as JSON data."""
    cards, whole = question.pile
    rests_on_pile = question.discarded is not None or question.pile != NO_PILE
    facts = [(flag, question.flag(flag)) for flag in FLAGS]
    return {
        "ask": question.ask,
        "plays": _as_data(question.plays),
        "melds": _as_data(question.melds),
        **({"pile": format_cards(cards), "pile_is_whole": whole} if rests_on_pile else {}),
        **({} if question.call is None else {"call": question.call._asdict()}),
        "player": dict(fact for fact in facts if fact not in _UNLESS_SAID.items()),
    }


def ruling_data(ruling: Ruling) -> dict[str, Any]:
    """Return a ruling as JSON data, without its empty fields."""
    costs = ruling.consequence._asdict()
    values = {name: costs[name] if name in costs else getattr(ruling, name) for name in _RULING}
    values["readings"] = ruling.readings[:MOST_KEPT_READINGS]
    return {name: _as_data(value) for name, value in values.items() if value or name in costs}


def _as_data(value: Any) -> Any:
    if isinstance(value, Card | TakeBack | Play):
        return value.text
    match value:
        case Question():
            return question_data(value)
        case Ruling():
            return ruling_data(value)
        case Breach() | Message():
            return value.as_data()
        case Meld():
            return [value.kind.value, value.text]
        case (Laid(), *_):
            return format_cards(value)
        case Mapping():
            return {key: _as_data(inner) for key, inner in value.items()}
        case tuple() | list():
            return [_as_data(inner) for inner in value]
    if not is_dataclass(value):
        return value
    given = [(field, getattr(value, field.name)) for field in fields(value)]
    return {
        field.name: _as_data(inner)
        for field, inner in given
        if inner != field.default or not field.metadata.get("omit_default")
    }


# -- reading --------------------------------------------------------------------------------------


def from_record(kind: str, payload: object) -> Event:
    """Return the event in a record: the inverse of `to_record`.

    Raises `Malformed` for an unknown kind, a missing or unknown field, a value of the wrong type,
    text or lists longer than any event has, or text that cannot be stored.
    """
    if kind == IN_WORDS:
        return _ruled_in_words(payload)
    known = KINDS.get(kind)
    if known is None:
        raise Malformed("There is no event “%(kind)s”.", "kind", kind=kind[:40])
    event: Event = _read(known, payload, kind)
    return event


def question_from(data: object, where: str) -> Question:
    """Read a question from JSON data. Raises `Malformed`."""
    given = _read_fields(_QUESTION, _QUESTION.keys() - _PILE - {"call"}, data, where)
    ask, plays, facts, call = given["ask"], given["plays"], given["player"], given.get("call")
    if ask not in ASKS or (ask == CALL) != (call is not None) or (call and (call.calls or 0) < 0):
        raise Malformed("“%(where)s” is not a valid question.", where, where=where)
    if not plays and ask not in {CALL, DRAW}:
        raise Malformed("“%(where)s” asks about no play.", where, where=where)
    pile = Pile(given.get("pile", ()), given.get("pile_is_whole", True))
    question = Question(ask, plays, given["melds"], pile, call=call)
    if question.discarded is not None and not given.keys() >= _PILE:
        raise Malformed("“%(where)s” does not say what was known of the pile.", where, where=where)
    facts = _UNLESS_SAID | facts
    if facts.keys() != set(FLAGS):
        raise Malformed("“%(where)s” has unknown facts, or lacks some.", where, where=where)
    for flag in FLAGS:
        question = question.with_flag(flag, facts[flag])
    return question


def ruling_from(data: object, where: str, *, of_play: bool = False) -> Ruling:
    """Read a ruling from JSON data, ``of_play`` if on one play of several. Raises `Malformed`."""
    known = {name: _RULING[name] for name in _RULING if name != "plays" or not of_play}
    given = _read_fields(known, _CONSEQUENCE.keys(), data, where)
    consequence = Consequence(*(given.pop(name) for name in _CONSEQUENCE))
    if not 0 <= consequence.points <= _MOST_POINTS or given.get("number", 0) < 0:
        raise Malformed("“%(where)s” has an invalid consequence.", where, where=where)
    if not {*FLAGS, "pile"}.issuperset(given.get("regardless_of", ())):
        raise Malformed("“%(where)s” names an unknown fact.", where, where=where)
    return Ruling(**given, consequence=consequence)


def _read(kind: Any, value: object, where: str) -> Any:
    """Return a value of this type. Raises `Malformed`."""
    # To Python a bool is an int; here it is not.
    if type(value) is kind and _can_be_kept(value):
        return value
    if kind in _FROM_DATA:
        return _FROM_DATA[kind](value, where)
    if kind in _FROM_TEXT:
        return _FROM_TEXT[kind](_read(str, value, where))
    if isinstance(kind, type) and is_dataclass(kind):
        return kind(**_read_fields(*_fields_of(kind), value, where))
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        for either in sorted(inner, key=lambda one: one is not type(value)):
            with suppress(Malformed):
                return _read(either, value, where)
    if origin is tuple and isinstance(value, list) and len(value) <= LONGEST_LIST:
        return tuple(_read(inner[0], one, f"{where}[{n}]") for n, one in enumerate(value))
    if origin is Mapping and isinstance(value, dict) and len(value) <= LONGEST_LIST:
        return {
            _read(inner[0], key, where): _read(inner[1], one, f"{where}.{str(key)[:40]}")
            for key, one in value.items()
        }
    raise Malformed("“%(where)s” has the wrong type or is too large.", where, where=where)


def _can_be_kept(value: object) -> bool:
    if isinstance(value, str):
        # Half a surrogate pair, which JSON can hold, has no place in a file or on a page.
        return len(value) <= LONGEST_TEXT and not _SURROGATE.search(value)
    return not isinstance(value, int) or abs(value) <= LARGEST_COUNT


@lru_cache(maxsize=64)
def _fields_of(kind: type) -> tuple[Mapping[str, Any], Collection[str]]:
    """Return the types of the fields of an event or a part of one, and the fields it must have."""
    hints = get_type_hints(kind)
    # A ruling in words has a record of its own kind, so it is never read as a field.
    known = {field.name: hints[field.name] for field in fields(kind) if field.name != "in_words"}
    return known, [f.name for f in fields(kind) if f.default is f.default_factory is MISSING]


def _read_fields(
    known: Mapping[str, Any], needed: Collection[str], value: object, where: str
) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not known.keys() >= value.keys():
        raise Malformed("“%(where)s” has unknown fields or none.", where, where=where)
    for name in needed:
        if name not in value:
            raise Malformed("“%(where)s” lacks “%(name)s”.", where, where=where, name=name)
    return {
        name: _read(kind, value[name], f"{where}.{name}")
        for name, kind in known.items()
        if name in value
    }


def _meld(data: object, where: str) -> Meld:
    parts = _read(tuple[str, ...], data, where)
    if len(parts) != 2 or parts[0] not in _KINDS or not (laid := _laid(parts[1])):
        raise Malformed("“%(where)s” has an invalid meld.", where, where=where)
    return Meld(_KINDS[parts[0]], laid)


def _laid(text: str) -> tuple[Laid, ...]:
    """Return cards as laid; each wild one says what it stands for, even if that is itself."""
    return tuple(
        Laid(card, stands_for or card, stands_for is not None)
        for card, stands_for in parse_meld_text(text)
    )


def _take_back(text: str) -> TakeBack:
    for one in TakeBack:
        if one.text == text:
            return one
    raise Malformed("“%(text)s” is not a value of take_back.", text=text[:40])


_KINDS: Final = {kind.value: kind for kind in Kind}
_FROM_TEXT: Final[Mapping[Any, Callable[[str], Any]]] = {
    Card: parse_card,
    tuple[Card, ...]: parse_cards,
    tuple[Laid, ...]: _laid,
    Play: parse_play,
    TakeBack: _take_back,
}
_FROM_DATA: Final[Mapping[Any, Callable[[object, str], Any]]] = {
    Question: question_from,
    Ruling: ruling_from,
    OfPlay: partial(ruling_from, of_play=True),
    Call: lambda data, where: Call(**_read_fields(_CALL, _CALL, data, where)),
    Meld: _meld,
    Verdict: lambda data, where: _read_fields(_VERDICT, _VERDICT, data, where),
    Breach: breach_from,
    Message: message_from,
}


# -- rulings in words ------------------------------------------------------------------------------


class Sentence(NamedTuple):
    """A whole sentence, as the value of a message."""

    shown: str

    @property
    def text(self) -> str:
        """The sentence."""
        return self.shown


def _ruled_in_words(payload: Any) -> Ruled:
    """Return a ruling that was kept as a sentence: that is its message. Raises `Malformed`.

    In a declaration the first play is a meld of all cards, and the others are the player's groups,
    if those were asked for.
    """
    given = _read_fields(_IN_WORDS, _IN_WORDS, payload, IN_WORDS)
    verdict = given["verdict"]
    if not given["plays"]:
        raise Malformed("“%(where)s” asks about no play.", IN_WORDS, where=IN_WORDS)
    consequence = Consequence(*(verdict[name] for name in _CONSEQUENCE))
    words = Sentence(verdict["says"].removesuffix(consequence.says))
    says = Message.of("as_written", words=words)
    ruling = Ruling(
        breaches=tuple(Breach(rule, *says) for rule in verdict["broken"]),
        readings=tuple(melds_from_texts(verdict["readings"])),
        consequence=consequence,
        praise=says,
        elsewhere=verdict["elsewhere"],
    )
    facts = Player(given["melded_this_hand"], given["melded_this_turn"])
    question = Question(given["ask"], given["plays"], player=facts)
    hand, player, charge = given["hand"], given["player"], verdict["charge"]
    return Ruled(hand, player, question, ruling, charge, {}, in_words=payload)


def melds_from_texts(texts: Iterable[str]) -> Iterator[Meld]:
    """Yield melds from readings stored as text, without their kind."""
    for text in texts:
        try:
            laid = _laid(text)
        except Malformed:
            continue  # an imported game may have anything there
        if laid:
            one_rank = len({one.stands_for.rank for one in laid}) == 1
            yield Meld(Kind.SET if one_rank else Kind.RUN, laid)


def is_worded_by_rules(text: str) -> bool:
    """True if a text has only words and signs from the rules' sentences, and cards."""
    return all(word.lower() in _VOCABULARY for word in _WORD.findall(text)) and all(
        sign in _SIGNS or (sign.isascii() and sign.isalnum()) for sign in text
    )


_WORD: Final = re.compile(r"[^\W\d_]+")
_WORDED: Final = " ".join(
    [
        *(re.sub(r"\{[^}]*\}", " ", sentence) for sentence in SENTENCES.values()),
        *(form for word in TERMS.values() for form in word),
        *NUMBERS,
        "A J Q K ♣ ♦ ♥ ♠ ★ \ufe0e",  # cards, as they are shown
        "for and",
        # what sentences once said
        "allowed anywhere as closed either had here hold other over swaps there",
    ]
)
_VOCABULARY: Final = frozenset(word.lower() for word in _WORD.findall(_WORDED))
_SIGNS: Final = frozenset(sign for sign in _WORDED if not sign.isalnum())
