"""Events as records: nothing is lost on the way to JSON and back, and nothing else is let in."""

import json
from collections.abc import Mapping
from random import Random
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.notebook.events import Event, HandEntry, HandMarked, Ruled, Verdict
from companion.notebook.serialize import KINDS, from_record, ruling_data, ruling_from, to_record
from companion.rules.errors import Malformed
from companion.rules.question import FLAGS
from tests.notebook.drawn_questions import a_ruling
from tests.notebook.leisure import AT_LEISURE
from tests.rules.drawing import CHANCE

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
NUMBER = st.integers(-999_999_999, 999_999_999)
TEXTS = st.lists(TEXT, max_size=4).map(tuple)
# What is drawn for a field of each type that an event has.
DRAWN: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXT,
    int: NUMBER,
    bool: st.booleans(),
    tuple[str, ...]: TEXTS,
    tuple[int, ...]: st.lists(NUMBER, max_size=4).map(tuple),
    Mapping[str, str | int]: st.dictionaries(TEXT, TEXT | NUMBER, max_size=4),
    Mapping[str, bool]: st.dictionaries(TEXT, st.booleans(), max_size=3),
    Mapping[str, int]: st.dictionaries(TEXT, NUMBER, max_size=3),
}


def drawn(kind: type, **others: Any) -> st.SearchStrategy[Any]:
    """Any event of a kind, or any part of one."""
    fields = {
        name: others[name] if name in others else one_of(hint)
        for name, hint in get_type_hints(kind).items()
    }
    return st.builds(kind, **fields)


def one_of(hint: Any) -> st.SearchStrategy[Any]:
    if hint in DRAWN:
        return DRAWN[hint]
    return st.none() | st.one_of(DRAWN[one] for one in get_args(hint) if one is not type(None))


DRAWN[Verdict] = drawn(Verdict)
DRAWN[tuple[HandEntry, ...]] = st.lists(drawn(HandEntry), max_size=4).map(tuple)


def ruled(chance: Random, **fields: Any) -> Ruled:
    """A ruling on a question of any game, as it is when it was kept and read again."""
    _, question, ruling = a_ruling(chance)
    return Ruled(question=question, ruling=ruling_from(ruling_data(ruling), "ruling"), **fields)


EVENTS: dict[type, st.SearchStrategy[Any]] = {
    Ruled: st.builds(
        ruled,
        CHANCE,
        hand=NUMBER,
        player=NUMBER,
        charge=st.none() | TEXT,
        sources=DRAWN[Mapping[str, int]],
        instead_of=st.none() | NUMBER,
    ),
    **{kind: drawn(kind) for kind in get_args(Event) if kind is not Ruled},
}


def test_every_kind_of_event_is_tried():
    assert set(EVENTS) == set(get_args(Event)) == set(KINDS.values())


@pytest.mark.parametrize("kind", EVENTS)
@AT_LEISURE
@given(data=st.data())
def test_an_event_comes_back_from_json_as_it_was(kind, data):
    event = data.draw(EVENTS[kind])
    name, payload = to_record(event)
    assert name == kind.__name__
    read = from_record(name, json.loads(json.dumps(payload)))
    assert read == event
    assert type(read) is kind
    assert to_record(read) == (name, payload)


# -- what is let in ------------------------------------------------------------------------------

# The fields of every record, which files on other installations hold too, each with what it takes.
# A field that ends in "?" may be left out; none of these may be None unless it says so.
MARKS = "hand:number out:number|none entries:entries out_melded?:flag table_is_old?:flag"
FIELDS = {
    kind: dict(field.split(":") for field in fields.split())
    for kind, fields in {
        "GameStarted": "game:text sheet:text rules:choices names:texts first_dealer:number "
        "title:text",
        "GameRenamed": "title:text",
        "PlayerRenamed": "player:number name:text",
        "GameArchived": "",
        "GameTakenOut": "",
        "GameDeleted": "",
        "GameRestored": "",
        "CardTurned": "hand:number rank:text",
        "PlayRecorded": "hand:number player:number|none play:text",
        "PileSeen": "hand:number cards:text",
        "RulingGiven": "hand:number player:number ask:text plays:texts melded_this_hand:flag "
        "melded_this_turn:flag verdict:verdict",
        "Ruled": "hand:number player:number question:question ruling:ruling charge:text|none "
        "sources:numbers_by_name instead_of?:number|none",
        "RulingEnforced": "hand:number ruling:number plays?:texts",
        "UpcardGiven": "hand:number player:number asked:numbers last_taker:number|none "
        "gets:number|none",
        "CallNoted": "hand:number player:number",
        "PenaltyCharged": "hand:number player:number rule:text",
        "HousePenalty": "hand:number player:number points:number text:text",
        "PenaltyWithdrawn": "hand:number charge:number",
        "HandMarked": MARKS,
        "HandCorrected": MARKS,
        "HandThrownIn": "hand:number",
        "Undone": "act:number",
        "Redone": "act:number",
        # and those within an event
        "entry": "player:number cards?:text|none points?:number|none wilds?:number "
        "melded?:flag|none",
        "verdict": "legal:flag broken:texts readings:texts points:number take_back:text "
        "turn_passes:flag says:text elsewhere:flags_by_name charge:text|none",
    }.items()
}
KINDS_OF_EVENT = [kind for kind in FIELDS if kind[0].isupper()]
A_VERDICT = {
    "legal": True,
    "broken": [],
    "readings": [],
    "points": 0,
    "take_back": "none",
    "turn_passes": False,
    "says": "Legal.",
    "elsewhere": {},
    "charge": None,
}
A_QUESTION = {
    "ask": "discard",
    "plays": ["discard 9H"],
    "melds": [],
    "pile": "9S",
    "pile_is_whole": False,
    "player": dict.fromkeys(FLAGS, False),
}
A_RULING_NOW = {"points": 20, "take_back": "turn", "turn_passes": True}
GOOD: dict[str, list[Any]] = {
    "text": ["", "x", "x" * 2000],
    "text|none": [None, "", "x"],
    "texts": [[], ["x", ""], ["x"] * 200],
    "number": [0, -1, 999_999_999],
    "number|none": [None, 0, 7],
    "numbers": [[], [0, 7]],
    "flag": [True, False],
    "flag|none": [None, True, False],
    "choices": [{}, {"a": "x", "b": 7}],
    "flags_by_name": [{}, {"a": True}],
    "entries": [[], [{"player": 1}]],
    "verdict": [A_VERDICT],
    "question": [A_QUESTION],
    "ruling": [A_RULING_NOW],
    "numbers_by_name": [{}, {"pile": 0, "drew": 7}],
}
# What JSON can hold, and the kinds of field that it fits.
ANYTHING: list[tuple[Any, set[str]]] = [
    (None, {"text|none", "number|none", "flag|none"}),
    (True, {"flag", "flag|none"}),
    (7, {"number", "number|none"}),
    (7.0, set()),
    (10**9, set()),
    (-(10**30), set()),
    ("x", {"text", "text|none"}),
    ("1", {"text", "text|none"}),
    ("x" * 2001, set()),
    ("half a pair: \ud83d", set()),
    ([], {"texts", "entries", "numbers"}),
    ([7], {"numbers"}),
    ([True], set()),
    (["x"], {"texts"}),
    (["x"] * 201, set()),
    ([{"player": 1}] * 201, set()),
    ([None], set()),
    ([["x"]], set()),
    ([{"player": 1}], {"entries"}),
    ([{"player": True}], set()),
    ([{"player": 1, "joker": 1}], set()),
    ({}, {"choices", "flags_by_name", "numbers_by_name"}),
    ({"a": "x"}, {"choices"}),
    ({"a": 7}, {"choices", "numbers_by_name"}),
    ({"a": True}, {"flags_by_name"}),
    ({"a": None}, set()),
    ({"a": []}, set()),
    ({"x" * 2001: True}, set()),
    ({str(n): True for n in range(201)}, set()),
    ({str(n): 1 for n in range(201)}, set()),
    (A_VERDICT, {"verdict"}),
    (A_QUESTION, {"question"}),
    (A_RULING_NOW, {"ruling"}),
]


def payload_of(fields: dict[str, str]) -> dict[str, Any]:
    return {name: GOOD[kind][0] for name, kind in fields.items() if not name.endswith("?")}


A_RULING = payload_of(FIELDS["RulingGiven"])


def test_every_kind_of_event_has_its_fields_listed():
    assert set(KINDS_OF_EVENT) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS_OF_EVENT)
def test_a_field_takes_what_it_is_for_and_nothing_else(kind):
    for name, takes in FIELDS[kind].items():
        for value in GOOD[takes]:
            from_record(kind, {**payload_of(FIELDS[kind]), name.rstrip("?"): value})
        for value, fits in ANYTHING:
            payload = {**payload_of(FIELDS[kind]), name.rstrip("?"): value}
            if takes in fits:
                assert to_record(from_record(kind, payload))[1] | payload
            else:
                with pytest.raises(Malformed):
                    from_record(kind, payload)


@pytest.mark.parametrize("kind", KINDS_OF_EVENT)
def test_a_field_that_is_missing_or_unknown_is_refused(kind):
    whole = payload_of(FIELDS[kind])
    from_record(kind, whole)
    for name in whole:
        with pytest.raises(Malformed, match=f"lacks “{name}”"):
            from_record(kind, {key: value for key, value in whole.items() if key != name})
    with pytest.raises(Malformed, match="unknown fields"):
        from_record(kind, {**whole, "joker": 1})


@pytest.mark.parametrize(
    ("kind", "fields", "wrap"),
    [
        ("HandMarked", FIELDS["entry"], lambda one: {"hand": 1, "out": None, "entries": [one]}),
        (
            "RulingGiven",
            FIELDS["verdict"],
            lambda one: {**payload_of(FIELDS["RulingGiven"]), "verdict": one},
        ),
    ],
)
def test_what_is_within_an_event_is_held_to_the_same(kind, fields, wrap):
    whole = payload_of(fields)
    for name, takes in fields.items():
        for value, fits in ANYTHING:
            payload = wrap({**whole, name.rstrip("?"): value})
            if takes in fits:
                from_record(kind, payload)
            else:
                with pytest.raises(Malformed):
                    from_record(kind, payload)
    for name in whole:
        with pytest.raises(Malformed, match=f"lacks “{name}”"):
            from_record(kind, wrap({key: value for key, value in whole.items() if key != name}))


@pytest.mark.parametrize("kind", ["", "Verdict", "HandEntry", "handmarked", "Entry", "x" * 5000])
def test_an_unknown_kind_is_refused(kind):
    with pytest.raises(Malformed, match="There is no event") as problem:
        from_record(kind, {})
    assert len(str(problem.value)) < 80


@pytest.mark.parametrize("payload", [None, True, 1, "x", [], [{}]])
def test_a_payload_must_be_an_object(payload):
    with pytest.raises(Malformed):
        from_record("GameArchived", payload)


def test_nesting_leads_nowhere():
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(Malformed):
        from_record("GameStarted", {**payload_of(FIELDS["GameStarted"]), "names": deep})
    with pytest.raises(Malformed):
        from_record("GameStarted", {**payload_of(FIELDS["GameStarted"]), "rules": {"a": deep}})
    while isinstance(deep, list):  # so that it need not be taken apart all at once
        deep = deep.pop()


def test_a_refusal_says_where():
    entries = [{"player": 1}, {"player": 2, "points": "many"}]
    with pytest.raises(Malformed) as problem:
        from_record("HandMarked", {"hand": 1, "out": None, "entries": entries})
    assert problem.value.where == "HandMarked.entries[1].points"


def test_a_record_from_before_hands_were_arranged_is_read_and_written_as_it_was():
    entry = {"player": 1, "cards": "KC", "points": None, "wilds": 0, "melded": True}
    payload = {
        "hand": 1,
        "out": 0,
        "entries": [entry],
        "out_melded": True,
        "table_is_old": False,
        "bent": False,
    }
    read = from_record("HandMarked", payload)
    assert read == HandMarked(1, 0, (HandEntry(1, "KC", melded=True),))
    assert to_record(read) == ("HandMarked", payload)


def test_a_ruling_from_before_facts_were_kept_is_read_and_written_as_it_was():
    payload = {
        "hand": 1,
        "player": 1,
        "ask": "turn",
        "plays": ["meld 5C 8H=6C 7C", "discard 9H"],
        "melded_this_hand": True,
        "melded_this_turn": False,
        "verdict": {
            "legal": False,
            "broken": ["PRO-11"],
            "readings": ["5C 8H=6C 7C"],
            "points": 20,
            "take_back": "turn",
            "turn_passes": True,
            "says": "9♥ has the rank of 9♠, the top of the pile. 20 points; the whole turn is "
            "taken back and the next player plays.",
            "elsewhere": {"playginrummyonline": False},
            "charge": "PRO-13.2",
        },
    }
    assert to_record(from_record("RulingGiven", payload)) == ("RulingGiven", payload)


def test_a_field_within_a_question_is_named_by_its_event():
    with pytest.raises(Malformed, match=r"“Ruled\.question”") as problem:
        from_record("Ruled", {**payload_of(FIELDS["Ruled"]), "question": {}})
    assert problem.value.where == "Ruled.question"
