"""Events, questions and rulings as records: nothing is lost on the way, and nothing else let in."""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from random import Random
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given, strategies as st

from companion.notebook.events import HandEntry, HandMarked, Ruled, Verdict
from companion.notebook.serialize import (
    KINDS,
    LONGEST_LIST,
    LONGEST_TEXT,
    MOST_READINGS,
    from_record,
    melds_written,
    question_data,
    question_from,
    ruling_data,
    ruling_from,
    to_record,
)
from companion.rules.cards import Laid, parse_card, parse_cards
from companion.rules.errors import Malformed
from companion.rules.games import GAMES
from companion.rules.melds import Kind, Meld
from companion.rules.question import CALL, FLAGS, Call, Pile, Question, rule_on
from companion.rules.ruling import Ruling
from companion.rules.table import Player, parse_play
from tests.notebook.drawn_questions import a_question, a_ruling
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
    **{kind: drawn(kind) for kind in KINDS.values() if kind is not Ruled},
}


def test_every_kind_of_event_is_tried():
    assert set(EVENTS) == set(KINDS.values())


@pytest.mark.parametrize("kind", EVENTS)
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
        "GameEnded": "hand:number",
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
    (["half a pair: \ud83d"], set()),
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


def test_every_kind_of_event_has_its_fields_listed():
    assert set(KINDS_OF_EVENT) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS_OF_EVENT)
def test_a_field_takes_only_values_of_its_type(kind):
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
def test_parts_of_an_event_are_checked_in_the_same_way(kind, fields, wrap):
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


def test_deep_nesting_is_refused():
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


# What is not kept: it follows from what is, and no page shows it.
NOT_KEPT = {"table": None, "holding": None, "ways": (), "meld_after": None}


def sent(data: dict[str, Any]) -> Any:
    """Data as it comes back from where it was kept."""
    return json.loads(json.dumps(data))


# -- there and back ------------------------------------------------------------------------------


@given(CHANCE)
def test_a_question_comes_back_as_it_was(chance):
    _, question = a_question(chance)
    data = question_data(question)
    again = question_from(sent(data), "question")
    assert again == question
    assert question_data(again) == data


@pytest.mark.parametrize("call", [Call(None), Call(2, 3), Call(0, 1, True)])
def test_a_call_comes_back_as_it_was(call):
    question = Question(CALL, (), call=call)
    assert question_from(sent(question_data(question)), "question") == question


@given(CHANCE)
def test_a_ruling_comes_back_in_all_that_is_kept_and_says_the_same(chance):
    _, question, ruling = a_ruling(chance)
    data = ruling_data(ruling)
    again = ruling_from(sent(data), "ruling")
    assert ruling_data(again) == data
    assert_same(again, ruling)
    assert [one.says for one in again.plays] == [one.says for one in ruling.plays]
    for play, one in zip(again.plays, ruling.plays, strict=True):
        assert_same(play, one)
    # What the ruling was on is enough to find the same again.
    assert question_from(sent(question_data(question)), "question") == question


def assert_same(again: Ruling, ruling: Ruling) -> None:
    """Compare two rulings but for the form of the values in their messages."""
    assert again.says == ruling.says
    assert (again.legal, again.broken) == (ruling.legal, ruling.broken)
    messages = {"breaches": (), "praise": None, "plays": (), "readings": ()}
    assert again._replace(**messages) == ruling._replace(**NOT_KEPT, **messages)
    assert again.readings == ruling.readings[:MOST_READINGS]


def test_no_sentence_is_kept():
    house = GAMES["proter"].house()
    question = Question("discard", (parse_play("discard 9H"),), pile=Pile(parse_cards("9S")))
    ruling = rule_on(GAMES["proter"].rules(house, 1), question)
    assert isinstance(ruling, Ruling)
    assert ruling_data(ruling) == {
        "breaches": [
            {
                "rule": "PRO-11",
                "message": "discard_same_rank",
                "values": {"card": "9H", "top": "9S"},
            }
        ],
        "points": 20,
        "take_back": "turn",
        "turn_passes": True,
        "elsewhere": {"playginrummyonline": False},
    }


def test_a_question_as_data():
    run = Meld(Kind.RUN, tuple(Laid(card, card) for card in parse_cards("5C 6C 7C")))
    question = Question(
        "lay_off",
        (parse_play("lay_off 8H=8C onto 0"),),
        (run,),
        Pile(parse_cards("QD 9S"), whole=False),
        Player(melded_this_hand=True),
        frozenset({"contract_met"}),
    )
    assert question_data(question) == {
        "ask": "lay_off",
        "plays": ["lay_off 8H=8C onto 0"],
        "melds": [["run", "5C 6C 7C"]],
        "pile": "QD 9S",
        "pile_is_whole": False,
        "player": {
            "melded_this_hand": True,
            "melded_this_turn": False,
            "contract_met": None,
            "drew": False,
            "fresh": False,
        },
    }


def test_a_wild_card_in_its_own_place_stays_wild():
    eight = Laid(parse_card("8C"), parse_card("8C"), wild=True)
    run = Meld(Kind.RUN, (*(Laid(card, card) for card in parse_cards("6C 7C")), eight))
    question = Question("discard", (parse_play("discard 9H"),), (run,))
    assert question_from(sent(question_data(question)), "question").melds == (run,)


def test_of_very_many_readings_some_are_kept_and_how_many_there_were():
    five = parse_card("5C")
    readings = tuple(
        Meld(
            Kind.SET, (Laid(five, five), Laid(parse_card("XX"), parse_card(f"{rank}{suit}"), True))
        )
        for suit in "CDHS"
        for rank in "2346789"
    )
    data = ruling_data(Ruling(readings=readings, number=28))
    assert len(data["readings"]) == MOST_READINGS
    again = ruling_from(sent(data), "ruling")
    assert again.readings == readings[:MOST_READINGS]
    assert again.number == 28


def test_a_ruling_that_says_nothing_is_read():
    bare = {"points": 0, "take_back": "none", "turn_passes": False}
    assert ruling_data(Ruling()) == bare
    assert ruling_from(bare, "ruling") == Ruling()


# -- what is let in ------------------------------------------------------------------------------

QUESTION: dict[str, Any] = {
    "ask": "turn",
    "plays": ["meld 5C 6C 7C", "discard 9H"],
    "melds": [["run", "5H 6H 7H"], ["set", "2C 2D 8H=2H"]],
    "pile": "QD 9S",
    "pile_is_whole": True,
    "player": {
        "melded_this_hand": True,
        "melded_this_turn": None,
        "contract_met": False,
        "drew": False,
        "fresh": None,
    },
}
PLAY: dict[str, Any] = {
    "praise": {"message": "legal_discard", "values": {"card": "9H"}},
    "points": 0,
    "take_back": "none",
    "turn_passes": False,
}
RULING: dict[str, Any] = {
    "breaches": [
        {"rule": "PRO-11", "message": "discard_same_rank", "values": {"card": "9H", "top": "9S"}}
    ],
    "readings": [["run", "5C 8H=6C 7C"]],
    "number": 1,
    "points": 20,
    "take_back": "turn",
    "turn_passes": True,
    "elsewhere": {"playginrummyonline": True, "another": None},
    "took": "8H",
    "added": "8H=8C",
    "plays": [PLAY, PLAY],
    "melds": [["set", "2C 2D 2H"]],
    "regardless_of": ["melded_this_turn"],
}
REMOVED = object()


def changed(data: dict[str, Any], path: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """The data with another value at a path in it, or without one there."""
    made: Any = deepcopy(data)
    inner = made
    for step in path[:-1]:
        inner = inner[step]
    if value is REMOVED:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return dict(made)


def test_the_data_to_be_damaged_is_good_before():
    assert question_data(question_from(QUESTION, "question")) == QUESTION
    assert ruling_data(ruling_from(RULING, "ruling")) == RULING


HALF_A_PAIR = "\ud83d"
BAD_TEXT: list[object] = [None, 7, True, [], {}, "x" * (LONGEST_TEXT + 1), HALF_A_PAIR]
BAD_LIST: list[object] = [None, 7, "5C", {}, ["discard 9H"] * (LONGEST_LIST + 1), [7], [None]]
BAD_FLAG: list[object] = [0, 1, "", "yes", [], {}]
BAD_MELDS: list[object] = [
    *BAD_LIST,
    [["run"]],
    [["run", ""]],
    [["run", " , "]],
    [["run", "5C 6C", "7C"]],
    [["meld", "5C 6C 7C"]],
    [["run", "5C 6Z 7C"]],
    [["run", "5C 8H=XX 7C"]],
    [[7, "5C 6C 7C"]],
    [["run", 7]],
    [{}],
    [[]],
]


@pytest.mark.parametrize(
    ("path", "values"),
    [
        (("ask",), [*BAD_TEXT, "", "round", "score", "Turn"]),
        (("plays",), [*BAD_LIST, [], ["shuffle"], ["meld"], ["discard 9Z"], [["discard 9H"]]]),
        (("plays", 0), [*BAD_TEXT, "", "lay_off 9H onto -1", "swap 9H onto", "discard XY"]),
        (("melds",), BAD_MELDS),
        (("pile",), [*BAD_TEXT, "9Z", "QD 9S=9C"]),
        (("pile_is_whole",), [None, *BAD_FLAG]),
        (("player",), [None, 7, "Ben", [], {}, {"melded_this_hand": True}]),
        (("player", "drew"), [*BAD_FLAG, REMOVED]),
        (("player", "melded_this_turn"), BAD_FLAG),
        (("player", "holds"), [None, 7]),
        (("joker",), [None, 1]),
        *(((name,), [REMOVED]) for name in QUESTION),
    ],
)
def test_a_damaged_question_is_refused(path, values):
    for value in values:
        with pytest.raises(Malformed):
            question_from(changed(QUESTION, path, value), "question")


@pytest.mark.parametrize(
    ("path", "values"),
    [
        (("breaches",), [*BAD_LIST, [PLAY], [{"rule": "PRO-11"}]]),
        (("breaches", 0, "rule"), [None, 7, "", "PRO", "pro-11", REMOVED]),
        (("breaches", 0, "message"), [None, "", "as written", REMOVED]),
        (("breaches", 0, "values"), [None, {}, {"card": "9H"}, REMOVED]),
        (("praise",), [None, 7, "Legal.", {}, {"message": "legal_discard", "values": {}}]),
        # A sentence is no message: only rulings that were kept in words have one.
        (("praise",), [{"message": "as_written", "values": {"words": "You win."}}]),
        (("readings",), BAD_MELDS),
        (("number",), [None, -1, 1.0, True, "1", 10**9]),
        (("points",), [None, -1, 501, 20.0, True, "20", 10**30, REMOVED]),
        (("take_back",), [None, 7, "", "TURN", "all", REMOVED]),
        (("turn_passes",), [None, *BAD_FLAG, REMOVED]),
        (("elsewhere",), [None, 7, "legal", [], {"online": 1}, {"online": "yes"}]),
        (("elsewhere",), [{"x" * (LONGEST_TEXT + 1): True}, {HALF_A_PAIR: True}]),
        (("elsewhere",), [{str(n): True for n in range(LONGEST_LIST + 1)}]),
        (("took",), [*BAD_TEXT, "", "8Z", "8H=6C"]),
        (("added",), [*BAD_TEXT, "8Z"]),
        (("plays",), [*BAD_LIST, [{}]]),
        (("plays", 0, "points"), [None, -1, 501]),
        (("plays", 0, "plays"), [[], [PLAY]]),  # a play has no plays of its own
        (("melds",), BAD_MELDS),
        (("regardless_of",), [*BAD_LIST, ["luck"], [""]]),
        (("table",), [None, []]),
    ],
)
def test_a_damaged_ruling_is_refused(path, values):
    for value in values:
        with pytest.raises(Malformed):
            ruling_from(changed(RULING, path, value), "ruling")


@pytest.mark.parametrize("data", [None, True, 7, 1.5, "x", [], [QUESTION], {}])
def test_data_that_is_no_object_is_refused(data):
    with pytest.raises(Malformed, match="“question”"):
        question_from(data, "question")
    with pytest.raises(Malformed, match="“ruling”"):
        ruling_from(data, "ruling")


def paths(data: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """The path to everything in the data."""
    if isinstance(data, list):
        data = dict(enumerate(data))
    for step, value in data.items() if isinstance(data, dict) else ():
        yield (*path, step)
        yield from paths(value, *path, step)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


@given(st.sampled_from([*paths(QUESTION)]), JSON)
def test_any_data_is_a_question_or_is_refused(path, value):
    try:
        found = question_from(changed(QUESTION, path, value), "question")
    except Malformed:
        return
    assert question_from(sent(question_data(found)), "question") == found


@given(st.sampled_from([*paths(RULING)]), JSON)
def test_any_data_is_a_ruling_or_is_refused(path, value):
    try:
        found = ruling_from(changed(RULING, path, value), "ruling")
    except Malformed:
        return
    assert ruling_from(sent(ruling_data(found)), "ruling") == found


# -- readings that were kept as text -------------------------------------------------------------


def test_readings_that_were_kept_as_text_are_melds_again():
    run, of_fives = melds_written(["5C 8H=6C 7C", "5C 5D 8H=5H"])
    assert (run.kind, run.text) == (Kind.RUN, "5C 8H=6C 7C")
    assert (of_fives.kind, of_fives.text) == (Kind.SET, "5C 5D 8H=5H")


def test_readings_that_are_no_melds_are_left_out():
    assert [meld.text for meld in melds_written(["fives", "5C 5D 5H", "", "5C=XX"])] == ["5C 5D 5H"]
    assert [*melds_written([])] == []
