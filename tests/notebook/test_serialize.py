"""Events, questions and rulings as JSON: nothing is lost, and damaged data is refused."""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from hypothesis import given, strategies as st

from companion.notebook.events import HandEntry, HandMarked, Ruled
from companion.notebook.serialize import (
    IN_WORDS,
    KINDS,
    LARGEST_COUNT,
    LONGEST_LIST,
    LONGEST_TEXT,
    MOST_KEPT_READINGS,
    from_record,
    melds_from_texts,
    question_data,
    question_from,
    ruling_data,
    ruling_from,
    to_record,
)
from companion.rules.cards import Laid, parse_card, parse_cards
from companion.rules.errors import Malformed
from companion.rules.melds import Kind, Meld
from companion.rules.question import CALL, Call, Question
from companion.rules.ruling import Ruling
from companion.rules.table import parse_play
from tests.notebook.evening import WRONG_DISCARD
from tests.rules.drawing import CHANCE, a_ruling

NUMBER = st.integers(-999_999_999, 999_999_999)
st.register_type_strategy(int, NUMBER)  # an event holds no larger one


def ruled(chance: Random, **fields: Any) -> Ruled:
    """Draw a ruling on a question of any game, kept and read again."""
    _, question, ruling = a_ruling(chance)
    return Ruled(question=question, ruling=ruling_from(ruling_data(ruling), "ruling"), **fields)


EVENTS: dict[type, st.SearchStrategy[Any]] = {
    Ruled: st.builds(
        ruled,
        CHANCE,
        hand=NUMBER,
        player=NUMBER,
        charge=st.none() | st.text(),
        sources=st.from_type(Mapping[str, int]),
        instead_of=st.none() | NUMBER,
    ),
    **{kind: st.from_type(kind) for kind in KINDS.values() if kind is not Ruled},
}


OTHERS = st.one_of(any_of_it for kind, any_of_it in EVENTS.items() if kind is not Ruled)


@pytest.mark.parametrize("events", [EVENTS[Ruled], OTHERS], ids=["rulings", "others"])
@given(data=st.data())
def test_an_event_comes_back_from_json_as_it_was(events, data):
    event = data.draw(events)
    name, payload = to_record(event)
    assert name == type(event).__name__
    read = from_record(name, json.loads(json.dumps(payload)))
    assert read == event
    assert type(read) is type(event)
    assert to_record(read) == (name, payload)


# -- records of every release --------------------------------------------------------------------

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
VERDICT = WRONG_DISCARD | {
    "readings": ["5C 8H=6C 7C"],
    "elsewhere": {"playginrummyonline": False},
}
ENTRY = {"player": 1, "cards": "KC", "points": None, "wilds": 0, "melded": True}
MARKS = {"hand": 1, "out": None, "entries": [ENTRY]}
MARKS |= {"out_melded": True, "table_is_old": False, "bent": False}
# A record of every kind, as files on other installations have it.
RECORDS: dict[str, dict[str, Any]] = {
    "GameStarted": {
        "game": "proter",
        "sheet": "catsatcards",
        "rules": {"ties": "shared", "cap": 80},
        "names": ["Ana", "Ben"],
        "first_dealer": 0,
        "title": "",
    },
    "GameRenamed": {"title": "Saturday"},
    "PlayerRenamed": {"player": 1, "name": "Benjamin"},
    "FirstDealerChanged": {"first_dealer": 1},
    "GameArchived": {},
    "GameTakenOut": {},
    "GameDeleted": {},
    "GameRestored": {},
    "CardTurned": {"hand": 1, "rank": "8"},
    "PlayRecorded": {"hand": 1, "player": None, "play": "meld 5C 6C 7C"},
    "PileSeen": {"hand": 1, "cards": "9S"},
    "RulingGiven": {
        "hand": 1,
        "player": 1,
        "ask": "turn",
        "plays": ["meld 5C 8H=6C 7C", "discard 9H"],
        "melded_this_hand": True,
        "melded_this_turn": False,
        "verdict": VERDICT,
    },
    "Ruled": {
        "hand": 1,
        "player": 1,
        "question": QUESTION,
        "ruling": RULING,
        "charge": None,
        "sources": {"pile": 0, "drew": 7},
        "instead_of": None,
    },
    "RulingEnforced": {"hand": 1, "ruling": 7, "plays": ["meld 5C 6C 7C"]},
    "UpcardGiven": {"hand": 1, "player": 0, "asked": [1, 2], "last_taker": None, "gets": 1},
    "CallNoted": {"hand": 1, "player": 1},
    "PenaltyCharged": {"hand": 1, "player": 1, "rule": "PRO-13.3"},
    "HousePenalty": {"hand": 1, "player": 1, "points": -10, "text": "Best hat"},
    "PenaltyWithdrawn": {"hand": 1, "charge": 7},
    "HandMarked": MARKS,
    "HandCorrected": MARKS,
    "HandThrownIn": {"hand": 1},
    "GameEnded": {"hand": 2},
    "Undone": {"act": 7},
    "Redone": {"act": 7},
}
# Fields that came later, which the records before them lack.
LATER = {"out_melded", "table_is_old", "bent", "instead_of"}


def needed(kind: str) -> list[str]:
    """Return the fields that every record of a kind has."""
    later = {"plays"} if kind == "RulingEnforced" else LATER
    return [name for name in RECORDS[kind] if name not in later]


@pytest.mark.parametrize("said", [None, True])
def test_a_meld_of_nobody_is_in_a_record_only_where_it_may_be_the_players(said):
    payload = changed(RECORDS["Ruled"], ("question", "player", "laid_unowned"), said)
    assert to_record(from_record("Ruled", payload)) == ("Ruled", payload)
    not_laid = changed(payload, ("question", "player", "laid_unowned"), False)
    assert to_record(from_record("Ruled", not_laid)) == ("Ruled", RECORDS["Ruled"])


@pytest.mark.parametrize("kind", RECORDS)
def test_a_record_is_read_and_written_with_exactly_its_fields(kind):
    payload = RECORDS[kind]
    assert to_record(from_record(kind, payload)) == (kind, payload)
    for name in needed(kind):
        with pytest.raises(Malformed, match=f"lacks “{name}”"):
            from_record(kind, changed(payload, (name,), REMOVED))
    from_record(kind, {name: payload[name] for name in needed(kind)})
    with pytest.raises(Malformed, match="unknown fields"):
        from_record(kind, {**payload, "joker": 1})


def test_every_kind_of_event_has_a_record_and_players_need_only_their_seat():
    assert set(RECORDS) == {*KINDS, IN_WORDS}
    read = from_record("HandMarked", {**MARKS, "entries": [{"player": 1}]})
    assert read == HandMarked(1, None, (HandEntry(1),))


# -- refused data --------------------------------------------------------------------------------

REMOVED = object()


def changed(data: dict[str, Any], path: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """Return the data with another value at a path, or without it."""
    made: Any = deepcopy(data)
    inner = made
    for step in path[:-1]:
        inner = inner[step]
    if value is REMOVED:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return dict(made)


HALF_A_PAIR = "\ud83d"
BAD_TEXT: list[object] = [None, 7, True, [], {}, "x" * (LONGEST_TEXT + 1), HALF_A_PAIR]
BAD_NUMBER: list[object] = [7.0, True, "1", LARGEST_COUNT + 1, -(10**30), [], {}]
BAD_LIST: list[object] = [None, 7, "5C", {}, ["discard 9H"] * (LONGEST_LIST + 1), [7], [None]]
BAD_FLAG: list[object] = [0, 1, "", "yes", [], {}]
BAD_KEYS: list[object] = [
    *({"x" * (LONGEST_TEXT + 1): True}, {HALF_A_PAIR: True}),
    {str(n): True for n in range(LONGEST_LIST + 1)},
]


def test_a_field_takes_only_values_of_its_type():
    for kind, path, values in (
        ("GameRenamed", ("title",), BAD_TEXT),
        ("Undone", ("act",), [None, *BAD_NUMBER]),
        ("UpcardGiven", ("gets",), BAD_NUMBER),
        ("UpcardGiven", ("asked",), [None, 7, {}, [True], ["1"], [7] * (LONGEST_LIST + 1)]),
        ("GameStarted", ("names",), [*BAD_LIST, [HALF_A_PAIR], [["x"]]]),
        ("GameStarted", ("rules",), [None, [], {"a": True}, {"a": None}, {"a": []}, *BAD_KEYS]),
        ("HandMarked", ("bent",), [None, *BAD_FLAG]),
        ("HandMarked", ("entries",), [*BAD_LIST, [ENTRY] * (LONGEST_LIST + 1)]),
        ("HandMarked", ("entries", 0, "player"), [None, *BAD_NUMBER, REMOVED]),
        ("HandMarked", ("entries", 0, "cards"), BAD_TEXT[1:]),
        ("HandMarked", ("entries", 0, "melded"), BAD_FLAG),
        ("HandMarked", ("entries", 0, "joker"), [1]),
        ("RulingGiven", ("plays",), [*BAD_LIST, [], ["shuffle"]]),
        ("RulingGiven", ("verdict",), [None, 7, "Legal.", [], {}]),
        ("RulingGiven", ("verdict", "take_back"), [*BAD_TEXT, "all"]),
        ("Ruled", ("in_words",), [None, {}, RECORDS["RulingGiven"]]),
        ("RulingGiven", ("verdict", "elsewhere"), [None, {"a": 7}, *BAD_KEYS]),
        *(("RulingGiven", ("verdict", name), [REMOVED]) for name in VERDICT),
        ("Ruled", ("sources",), [None, {"a": True}, {"a": "x"}, *BAD_KEYS]),
        ("Ruled", ("question",), [None, 7, {}]),
        ("Ruled", ("ruling",), [None, 7, {}]),
    ):
        for value in values:
            with pytest.raises(Malformed):
                from_record(kind, changed(RECORDS[kind], path, value))


def test_deep_nesting_is_refused():
    deep: Any = "x"
    for _ in range(20_000):
        deep = [deep]
    for name, value in (("names", deep), ("rules", {"a": deep})):
        with pytest.raises(Malformed):
            from_record("GameStarted", {**RECORDS["GameStarted"], name: value})
    while isinstance(deep, list):  # so that it need not be taken apart all at once
        deep = deep.pop()


def test_a_refusal_names_the_place_and_shortens_an_unknown_kind():
    for kind in ("", "Verdict", "HandEntry", "handmarked", "Entry", "x" * 5000):
        with pytest.raises(Malformed, match="There is no event") as problem:
            from_record(kind, {})
        assert len(str(problem.value)) < 80
    for kind, path, where in (
        ("HandMarked", ("entries", 0, "points"), "HandMarked.entries[0].points"),
        ("Ruled", ("question",), "Ruled.question"),
    ):
        with pytest.raises(Malformed) as problem:
            from_record(kind, changed(RECORDS[kind], path, "many"))
        assert problem.value.where == where
        assert f"“{where}”" in str(problem.value)


DAMAGED_QUESTIONS: list[tuple[tuple[str | int, ...], list[object]]] = [
    (("ask",), [*BAD_TEXT, "", "round", "score", "Turn"]),
    (("plays",), [*BAD_LIST, [], ["shuffle"], ["meld"], ["discard 9Z"], [["discard 9H"]]]),
    (("plays", 0), [*BAD_TEXT, "", "lay_off 9H onto -1", "swap 9H onto", "discard XY"]),
    (("melds",), [*BAD_LIST, [["run"]], [{}], [[]], [[7, "5C 6C 7C"]], [["run", 7]]]),
    (("melds", 0), [["run", ""], ["run", " , "], ["run", "5C 6C", "7C"], ["meld", "5C 6C 7C"]]),
    (("melds", 0), [["run", "5C 6Z 7C"], ["run", "5C 8H=XX 7C"]]),
    (("pile",), [*BAD_TEXT, "9Z", "QD 9S=9C"]),
    (("pile_is_whole",), [None, *BAD_FLAG]),
    (("player",), [None, 7, "Ben", [], {}, {"melded_this_hand": True}]),
    (("player", "drew"), [*BAD_FLAG, REMOVED]),
    (("player", "holds"), [None, 7]),
    (("joker",), [None, 1]),
    *(((name,), [REMOVED]) for name in QUESTION),
]
DAMAGED_RULINGS: list[tuple[tuple[str | int, ...], list[object]]] = [
    (("breaches",), [*BAD_LIST, [PLAY], [{"rule": "PRO-11"}]]),
    (("breaches", 0, "rule"), [None, 7, "", "PRO", "pro-11", REMOVED]),
    (("breaches", 0, "message"), [None, "", "as written", REMOVED]),
    (("breaches", 0, "values"), [None, {}, {"card": "9H"}, REMOVED]),
    (("praise",), [None, 7, "Legal.", {}, {"message": "legal_discard", "values": {}}]),
    # A sentence is no message: only rulings that were kept in words have one.
    (("praise",), [{"message": "as_written", "values": {"words": "You win."}}]),
    (("number",), [None, -1, *BAD_NUMBER]),
    (("points",), [None, -1, 501, *BAD_NUMBER, REMOVED]),
    (("take_back",), [None, 7, "", "TURN", "all", REMOVED]),
    (("turn_passes",), [None, *BAD_FLAG, REMOVED]),
    (("elsewhere",), [None, 7, [], {"online": 1}, {"online": "yes"}, *BAD_KEYS]),
    (("took",), [*BAD_TEXT, "", "8Z", "8H=6C"]),
    (("added",), [*BAD_TEXT, "8Z"]),
    (("plays",), [*BAD_LIST, [{}]]),
    (("plays", 0, "points"), [None, -1, 501]),
    (("plays", 0, "plays"), [[], [PLAY]]),  # a play has no plays of its own
    (("regardless_of",), [*BAD_LIST, ["luck"], [""]]),
    (("table",), [None, []]),
]


@pytest.mark.parametrize(
    ("part", "damaged"), [("question", DAMAGED_QUESTIONS), ("ruling", DAMAGED_RULINGS)]
)
def test_a_damaged_question_or_ruling_is_refused(part, damaged):
    for path, values in damaged:
        for value in values:
            with pytest.raises(Malformed):
                from_record("Ruled", changed(RECORDS["Ruled"], (part, *path), value))


def paths(data: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """Yield the path to every value in the data."""
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


@given(st.sampled_from([*paths(RECORDS["Ruled"])]), JSON)
def test_any_data_is_read_as_a_ruling_or_refused(path, value):
    try:
        found = from_record("Ruled", changed(RECORDS["Ruled"], path, value))
    except Malformed:
        return
    assert from_record(*sent(to_record(found))) == found


# -- questions and rulings, there and back -------------------------------------------------------


def sent(data: Any) -> Any:
    """Return data after a round trip through JSON."""
    return json.loads(json.dumps(data))


EIGHT = Laid(parse_card("8C"), parse_card("8C"), wild=True)


def test_rare_questions_come_back_from_json():
    # A wild card in its own place stays wild.
    run = Meld(Kind.RUN, (*(Laid(card, card) for card in parse_cards("6C 7C")), EIGHT))
    for question in (
        *(Question(CALL, (), call=call) for call in (Call(None), Call(2, 3), Call(0, 1, True))),
        Question("discard", (parse_play("discard 9H"),), (run,)),
    ):
        assert question_from(sent(question_data(question)), "question") == question


# Fields that are not kept: they follow from others, and no page shows them.
NOT_KEPT = {"table": None, "holding": None, "ways": ()}


def assert_same(again: Ruling, ruling: Ruling) -> None:
    """Assert that two rulings are equal, apart from the form of the values in their messages."""
    assert again.says == ruling.says
    assert (again.legal, again.broken) == (ruling.legal, ruling.broken)
    messages = {"breaches": (), "praise": None, "plays": (), "readings": ()}
    assert again._replace(**messages) == ruling._replace(**NOT_KEPT, **messages)
    assert again.readings == ruling.readings[:MOST_KEPT_READINGS]


@given(CHANCE)
def test_a_ruling_comes_back_from_json_and_says_the_same(chance):
    *_, ruling = a_ruling(chance)
    data = ruling_data(ruling)
    again = ruling_from(sent(data), "ruling")
    assert ruling_data(again) == data
    assert_same(again, ruling)
    for play, one in zip(again.plays, ruling.plays, strict=True):
        assert_same(play, one)


def test_of_very_many_readings_some_and_their_number_are_kept():
    five, joker = parse_card("5C"), parse_card("XX")
    twos = [parse_card(f"{rank}{suit}") for suit in "CDHS" for rank in "2346789"]
    readings = tuple(Meld(Kind.SET, (Laid(five, five), Laid(joker, two, True))) for two in twos)
    data = ruling_data(Ruling(readings=readings, number=28))
    assert len(data["readings"]) == MOST_KEPT_READINGS
    again = ruling_from(sent(data), "ruling")
    assert (again.readings, again.number) == (readings[:MOST_KEPT_READINGS], 28)


def test_readings_kept_as_text_are_read_as_melds_or_left_out():
    texts = ["5C 8H=6C 7C", "fives", "5C 5D 8H=5H", "", "5C=XX"]
    assert [(meld.kind, meld.text) for meld in melds_from_texts(texts)] == [
        (Kind.RUN, texts[0]),
        (Kind.SET, texts[2]),
    ]
