"""Events as records: nothing is lost on the way to JSON and back, and nothing else is let in."""

import json
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.notebook.events import (
    CallNoted,
    CardTurned,
    Event,
    GameArchived,
    GameDeleted,
    GameRenamed,
    GameRestored,
    GameStarted,
    GameTakenOut,
    HandCorrected,
    HandEntry,
    HandMarked,
    HandThrownIn,
    HousePenalty,
    PenaltyCharged,
    PenaltyWithdrawn,
    PileSeen,
    PlayerRenamed,
    PlayRecorded,
    Redone,
    Ruled,
    RulingEnforced,
    RulingGiven,
    Undone,
    UpcardGiven,
    Verdict,
)
from companion.notebook.serialize import KINDS, from_record, ruling_data, ruling_from, to_record
from companion.rules.errors import Malformed
from companion.rules.question import FLAGS
from tests.notebook.drawn_questions import a_ruling
from tests.notebook.leisure import AT_LEISURE
from tests.rules.drawing import CHANCE

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
NUMBER = st.integers(-999_999_999, 999_999_999)
TEXTS = st.lists(TEXT, max_size=4).map(tuple)
LEFT = st.builds(
    HandEntry,
    player=NUMBER,
    cards=st.none() | TEXT,
    points=st.none() | NUMBER,
    wilds=NUMBER,
    melded=st.none() | st.booleans(),
    held=st.none() | TEXT,
    otherwise=st.booleans(),
    box=TEXT,
)
VERDICT = st.builds(
    Verdict,
    legal=st.booleans(),
    broken=TEXTS,
    readings=TEXTS,
    points=NUMBER,
    take_back=TEXT,
    turn_passes=st.booleans(),
    says=TEXT,
    elsewhere=st.dictionaries(TEXT, st.booleans(), max_size=3),
    charge=st.none() | TEXT,
)
MARKS = {
    "hand": NUMBER,
    "out": st.none() | NUMBER,
    "entries": st.lists(LEFT, max_size=4).map(tuple),
    "out_melded": st.booleans(),
    "table_is_old": st.booleans(),
    "bent": st.booleans(),
    "out_held": st.none() | TEXT,
    "turned": st.none() | TEXT,
}


def ruled(chance: Random, **fields: Any) -> Ruled:
    """A ruling on a question of any game, as it is when it was kept and read again."""
    _, question, ruling = a_ruling(chance)
    return Ruled(question=question, ruling=ruling_from(ruling_data(ruling), "ruling"), **fields)


EVENTS: dict[type, st.SearchStrategy[Any]] = {
    GameStarted: st.builds(
        GameStarted,
        game=TEXT,
        sheet=TEXT,
        rules=st.dictionaries(TEXT, TEXT | NUMBER, max_size=4),
        names=TEXTS,
        first_dealer=NUMBER,
        title=TEXT,
    ),
    GameRenamed: st.builds(GameRenamed, title=TEXT),
    PlayerRenamed: st.builds(PlayerRenamed, player=NUMBER, name=TEXT),
    GameArchived: st.builds(GameArchived),
    GameTakenOut: st.builds(GameTakenOut),
    GameDeleted: st.builds(GameDeleted),
    GameRestored: st.builds(GameRestored),
    CardTurned: st.builds(CardTurned, hand=NUMBER, rank=TEXT),
    PlayRecorded: st.builds(PlayRecorded, hand=NUMBER, player=st.none() | NUMBER, play=TEXT),
    PileSeen: st.builds(PileSeen, hand=NUMBER, cards=TEXT),
    RulingGiven: st.builds(
        RulingGiven,
        hand=NUMBER,
        player=NUMBER,
        ask=TEXT,
        plays=TEXTS,
        melded_this_hand=st.booleans(),
        melded_this_turn=st.booleans(),
        verdict=VERDICT,
    ),
    Ruled: st.builds(
        ruled,
        CHANCE,
        hand=NUMBER,
        player=NUMBER,
        charge=st.none() | TEXT,
        sources=st.dictionaries(TEXT, NUMBER, max_size=3),
        instead_of=st.none() | NUMBER,
    ),
    RulingEnforced: st.builds(RulingEnforced, hand=NUMBER, ruling=NUMBER, plays=TEXTS),
    UpcardGiven: st.builds(
        UpcardGiven,
        hand=NUMBER,
        player=NUMBER,
        asked=st.lists(NUMBER, max_size=4).map(tuple),
        last_taker=st.none() | NUMBER,
        gets=st.none() | NUMBER,
    ),
    CallNoted: st.builds(CallNoted, hand=NUMBER, player=NUMBER),
    PenaltyCharged: st.builds(PenaltyCharged, hand=NUMBER, player=NUMBER, rule=TEXT),
    HousePenalty: st.builds(HousePenalty, hand=NUMBER, player=NUMBER, points=NUMBER, text=TEXT),
    PenaltyWithdrawn: st.builds(PenaltyWithdrawn, hand=NUMBER, charge=NUMBER),
    HandMarked: st.builds(HandMarked, **MARKS),
    HandCorrected: st.builds(HandCorrected, **MARKS),
    HandThrownIn: st.builds(HandThrownIn, hand=NUMBER),
    Undone: st.builds(Undone, act=NUMBER),
    Redone: st.builds(Redone, act=NUMBER),
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

# The fields of every record, which files on other installations hold too. "?" may be left out.
FIELDS: dict[str, dict[str, str]] = {
    "GameStarted": {
        "game": "text",
        "sheet": "text",
        "rules": "choices",
        "names": "texts",
        "first_dealer": "number",
        "title": "text",
    },
    "GameRenamed": {"title": "text"},
    "PlayerRenamed": {"player": "number", "name": "text"},
    "GameArchived": {},
    "GameTakenOut": {},
    "GameDeleted": {},
    "GameRestored": {},
    "CardTurned": {"hand": "number", "rank": "text"},
    "PlayRecorded": {"hand": "number", "player": "number or none", "play": "text"},
    "PileSeen": {"hand": "number", "cards": "text"},
    "RulingGiven": {
        "hand": "number",
        "player": "number",
        "ask": "text",
        "plays": "texts",
        "melded_this_hand": "yes or no",
        "melded_this_turn": "yes or no",
        "verdict": "verdict",
    },
    "Ruled": {
        "hand": "number",
        "player": "number",
        "question": "question",
        "ruling": "ruling",
        "charge": "text or none",
        "sources": "numbers by name",
        "instead_of?": "number or none",
    },
    "RulingEnforced": {"hand": "number", "ruling": "number", "plays?": "texts"},
    "UpcardGiven": {
        "hand": "number",
        "player": "number",
        "asked": "numbers",
        "last_taker": "number or none",
        "gets": "number or none",
    },
    "CallNoted": {"hand": "number", "player": "number"},
    "PenaltyCharged": {"hand": "number", "player": "number", "rule": "text"},
    "HousePenalty": {"hand": "number", "player": "number", "points": "number", "text": "text"},
    "PenaltyWithdrawn": {"hand": "number", "charge": "number"},
    "HandMarked": {
        "hand": "number",
        "out": "number or none",
        "entries": "entries",
        "out_melded?": "yes or no",
        "table_is_old?": "yes or no",
    },
    "HandCorrected": {
        "hand": "number",
        "out": "number or none",
        "entries": "entries",
        "out_melded?": "yes or no",
        "table_is_old?": "yes or no",
    },
    "HandThrownIn": {"hand": "number"},
    "Undone": {"act": "number"},
    "Redone": {"act": "number"},
}
ENTRY = {
    "player": "number",
    "cards?": "text or none",
    "points?": "number or none",
    "wilds?": "number",
    "melded?": "yes, no or none",
}
VERDICT_FIELDS = {
    "legal": "yes or no",
    "broken": "texts",
    "readings": "texts",
    "points": "number",
    "take_back": "text",
    "turn_passes": "yes or no",
    "says": "text",
    "elsewhere": "yes or no by name",
    "charge": "text or none",
}
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
    "text or none": [None, "", "x"],
    "texts": [[], ["x", ""], ["x"] * 200],
    "number": [0, -1, 999_999_999],
    "number or none": [None, 0, 7],
    "numbers": [[], [0, 7]],
    "yes or no": [True, False],
    "yes, no or none": [None, True, False],
    "choices": [{}, {"a": "x", "b": 7}],
    "yes or no by name": [{}, {"a": True}],
    "entries": [[], [{"player": 1}]],
    "verdict": [A_VERDICT],
    "question": [A_QUESTION],
    "ruling": [A_RULING_NOW],
    "numbers by name": [{}, {"pile": 0, "drew": 7}],
}
# What JSON can hold, and the kinds of field that it fits.
ANYTHING: list[tuple[Any, set[str]]] = [
    (None, {"text or none", "number or none", "yes, no or none"}),
    (True, {"yes or no", "yes, no or none"}),
    (7, {"number", "number or none"}),
    (7.0, set()),
    (10**9, set()),
    (-(10**30), set()),
    ("x", {"text", "text or none"}),
    ("1", {"text", "text or none"}),
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
    ({}, {"choices", "yes or no by name", "numbers by name"}),
    ({"a": "x"}, {"choices"}),
    ({"a": 7}, {"choices", "numbers by name"}),
    ({"a": True}, {"yes or no by name"}),
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
    assert set(FIELDS) == set(KINDS)


@pytest.mark.parametrize("kind", FIELDS)
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


@pytest.mark.parametrize("kind", FIELDS)
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
        ("HandMarked", ENTRY, lambda one: {"hand": 1, "out": None, "entries": [one]}),
        (
            "RulingGiven",
            VERDICT_FIELDS,
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
