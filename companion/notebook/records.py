"""Events as plain records (a kind and a mapping of JSON values), and back, strictly."""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from companion.notebook.events import Event
from companion.notebook.ruling_records import (
    LARGEST_COUNT,
    LONGEST_LIST,
    question_data,
    question_from,
    ruling_data,
    ruling_from,
)
from companion.rules.errors import Malformed
from companion.rules.question import Question
from companion.rules.ruling import Ruling

KINDS: Final[dict[str, type]] = {kind.__name__: kind for kind in get_args(Event)}
LONGEST_TEXT: Final = 2000
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def to_record(event: Event) -> tuple[str, dict[str, Any]]:
    """An event's kind and its fields as JSON values."""
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
    """The event that a record holds: the inverse of `to_record`.

    Raises `Malformed` for an unknown kind, a missing or unknown field, a value of another type
    than the field's, text or lists longer than any event has, or text that cannot be stored.
    """
    known = KINDS.get(kind)
    if known is None:
        raise Malformed(f"There is no event “{kind[:40]}”.", "kind")
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
        return _read_either(inner, value, where)
    if origin is tuple and isinstance(value, list) and len(value) <= LONGEST_LIST:
        return tuple(_read(inner[0], one, f"{where}[{n}]") for n, one in enumerate(value))
    if origin is Mapping and isinstance(value, dict) and len(value) <= LONGEST_LIST:
        return {
            _read(inner[0], key, where): _read(inner[1], one, f"{where}.{str(key)[:40]}")
            for key, one in value.items()
        }
    # A bool is an int to Python, and is none to the marker.
    if origin is None and type(value) is kind and _can_be_kept(value):
        return value
    raise Malformed(f"“{where}” is not what it should be.", where)


def _can_be_kept(value: object) -> bool:
    if isinstance(value, str):
        # Half a surrogate pair, which JSON can spell, has no place in a file or on a page.
        return len(value) <= LONGEST_TEXT and not _SURROGATE.search(value)
    return not isinstance(value, int) or abs(value) <= LARGEST_COUNT


def _read_either(kinds: tuple[Any, ...], value: object, where: str) -> Any:
    for kind in kinds:
        try:
            return _read(kind, value, where)
        except Malformed:
            continue
    raise Malformed(f"“{where}” is not what it should be.", where)


def _read_fields(kind: type, value: object, where: str) -> Any:
    known = _field_types(kind)
    if not isinstance(value, Mapping) or set(value) - set(known):
        raise Malformed(f"“{where}” has unknown fields or none.", where)
    given = {}
    for name, (field_type, required) in known.items():
        if name in value:
            given[name] = _read(field_type, value[name], f"{where}.{name}")
        elif required:
            raise Malformed(f"“{where}” lacks “{name}”.", where)
    return kind(**given)
