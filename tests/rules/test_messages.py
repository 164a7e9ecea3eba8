"""Messages: an id and values that word a sentence, and are the same when they were kept as data."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from string import Formatter
from typing import Any

import pytest
from hypothesis import given, strategies as st

import companion
from companion.notebook.serialize import Written
from companion.rules.cards import PACK, SUITS, Card, Laid, Offered, Suit, parse_meld_text, without
from companion.rules.contracts import ContractJudge, parts
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed
from companion.rules.games import GAMES
from companion.rules.judge import Judge
from companion.rules.melds import Kind, Meld
from companion.rules.messages import (
    SENTENCES,
    TERMS,
    Cards,
    Counted,
    Message,
    Term,
    message_from,
    names_in,
)
from companion.rules.ruling import Breach, Consequence, Ruling, TakeBack, breach_from
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Player, Swap, Table
from companion.rules.turn import judge_turn
from tests.rules.drawing import CHANCE

JOKER_TEXT = "XX"


# -- every breach that random questions produce ----------------------------------------------------


def some_rules(chance: Random) -> Judge:
    game = chance.choice([game for game in GAMES.values() if game.has_rulings])
    chosen = {
        rule.id: chance.choice(rule.choices).value
        for rule in game.house_rules
        if chance.random() < 0.3
    }
    house = game.house(chance.choice(game.sheets).id, chosen)
    deck = chance.choice(game.decks_of(house)).deck
    return game.rules(house, chance.randint(1, game.hands), deck, chance.choice(PACK).rank)


def near_meld(chance: Random, rules: Judge) -> tuple[Offered, ...]:
    """Cards that are a meld, or nearly, with some wild ones among them."""
    low, suit = chance.choice(PACK)
    size = chance.choice([1, 2, 3, 3, 3, 4, 4, 5, 6])
    if chance.random() < 0.5:
        meant = [PACK[13 * suit + (low - 1 + n) % 13] for n in range(size)]
    else:
        meant = [Card(low, SUITS[n % 4]) for n in range(size)]
    wilds = [card for card in PACK if rules.limits.is_wild(card)]
    cards = [Offered(chance.choice(PACK) if chance.random() < 0.1 else card) for card in meant]
    for place, offered in enumerate(cards):
        if wilds and chance.random() < 0.25:
            named = offered.card if chance.random() < 0.5 else None
            cards[place] = Offered(chance.choice(wilds), named)
        elif rules.deck.jokers and chance.random() < 0.2:
            named = offered.card if chance.random() < 0.5 else None
            cards[place] = Offered(parse_meld_text(JOKER_TEXT)[0].card, named)
    chance.shuffle(cards)
    return tuple(cards)


def some_player(chance: Random) -> Player:
    return Player(*(chance.random() < 0.5 for _ in range(3)), drew=chance.choice(PACK))


def some_play(chance: Random, rules: Judge, table: Table) -> Play:
    if not table.melds or chance.random() < 0.3:
        return MeldPlay(near_meld(chance, rules))
    onto = chance.randrange(len(table.melds))
    near = chance.choice(table.melds[onto].cards).stands_for
    if "swap" in rules.asks and chance.random() < 0.5:
        return Swap(Offered(near), onto, chance.choice(["", *rules.joker_ends]))
    if chance.random() < 0.3:
        return Discard(near)
    return LayOff(near_meld(chance, rules)[:2], onto)


def some_table(chance: Random, rules: Judge) -> Table:
    melds: list[Meld] = []
    for _ in range(3):
        play = MeldPlay(near_meld(chance, rules))
        try:
            found = rules.judge(Table(tuple(melds)), play, Player(contract_met=True))
        except Malformed:
            continue
        melds += found.readings[:1]
    return Table(tuple(melds), tuple(chance.sample(PACK, 2)))


def rulings(chance: Random) -> Iterator[Ruling]:
    """Rulings on a random question of each kind, for a random table of a random game."""
    rules = some_rules(chance)
    table, player = some_table(chance, rules), some_player(chance)
    for _ in range(6):
        try:
            yield rules.judge(table, some_play(chance, rules, table), player)
        except Malformed:
            continue
    try:
        plays = [some_play(chance, rules, table) for _ in range(3)]
        turn = judge_turn(rules, table, plays, player)
        yield turn
        yield from turn.plays
    except Malformed:
        pass
    melds = [near_meld(chance, rules) for _ in range(chance.randint(1, 4))]
    try:
        if isinstance(rules, ContractJudge):
            found = rules.judge_contract(melds)
            yield found
            yield from parts(melds, found, rules)
        elif isinstance(rules, DeclaringJudge):
            cards = [offered.card for meld in melds for offered in meld]
            others = without(PACK, cards)
            cards += others[: max(0, rules.declared - len(cards))]
            yield rules.rule_on_declaration(cards, melds)
    except Malformed:
        pass


def kept(plain: dict[str, Any]) -> Any:
    """Data as it comes back from where it was kept."""
    return json.loads(json.dumps(plain))


@given(CHANCE)
def test_stored_data_gives_the_same_sentence(chance):
    for ruling in rulings(chance):
        for breach in ruling.breaches:
            again = breach_from(kept(breach.plain()))
            assert again.rule == breach.rule
            assert again.says == breach.says
            assert again.plain() == breach.plain()
            hash(breach)
        messages = [ruling.consequence.message, *([ruling.praise] if ruling.praise else [])]
        for message in messages:
            again_said = message_from(kept(message.plain()))
            assert again_said.says == message.says
            assert again_said.plain() == message.plain()
        assert (ruling.praise is None) is bool(ruling.breaches)
        assert ruling.says


# -- the catalogue ---------------------------------------------------------------------------------


def sources() -> list[tuple[Path, ast.Module]]:
    folder = Path(companion.__file__).parent
    files = [path for path in folder.rglob("*.py") if path.name != "messages.py"]
    return [(path, ast.parse(path.read_text("utf-8"))) for path in files]


SOURCES = sources()
TEXTS = {
    node.value
    for _, tree in SOURCES
    for node in ast.walk(tree)
    if isinstance(node, ast.Constant) and isinstance(node.value, str)
}


def test_every_message_is_used():
    assert [message for message in SENTENCES if message not in TEXTS] == []


def test_every_format_of_a_sentence_exists():
    for sentence in SENTENCES.values():
        for _, name, form, _ in Formatter().parse(sentence):
            assert name is None or name.isidentifier(), sentence
            assert not form or form in TERMS or form in {"a", "word"}, sentence


def said() -> Iterator[tuple[str, str, set[str]]]:
    """Where a message is made with its values by name: its place, its id, and the names."""
    for path, tree in SOURCES:
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            made = ast.unparse(node.func)
            if made in ("Breach.of", "Message.of", "Breach", "Message"):
                at = 1 if made.startswith("Breach") else 0
                given = node.args[at] if len(node.args) == at + 1 else None
                if isinstance(given, ast.Constant) and isinstance(given.value, str):
                    names = {str(keyword.arg) for keyword in node.keywords}
                    yield f"{path.name}:{node.lineno}", given.value, names


def test_every_value_of_a_sentence_is_given():
    made = list(said())
    assert [one for one in made if one[2] != names_in(one[1])] == []
    assert len({message for _, message, _ in made}) > 50


# -- wording ---------------------------------------------------------------------------------------

EIGHT_FOR_SIX = Laid(Card(PACK[7].rank, Suit.HEARTS), PACK[5], True)
RUN = Meld(Kind.RUN, (Laid(PACK[4], PACK[4]), EIGHT_FOR_SIX, Laid(PACK[6], PACK[6])))


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (
            Message.of("legal_meld", meld=RUN, kind=Term("escalera")),
            "Legal: 5♣, 8♥ for 6♣, 7♣ is an escalera.",
        ),
        (
            Message.of("too_few_naturals", naturals=0, wanted=1),
            "This meld has no natural cards, and needs at least 1.",
        ),
        (
            Message.of("too_few_naturals", naturals=1, wanted=2),
            "This meld has 1 natural card, and needs at least 2.",
        ),
        (
            Message.of("meld_too_small", cards=Cards(tuple(PACK[:2])), fewest=3),
            "A♣ 2♣: a meld needs at least three cards.",
        ),
        (
            Message.of("meld_too_small", cards=Cards(tuple(PACK[:2])), fewest=7),
            "A♣ 2♣: a meld needs at least 7 cards.",
        ),
        (
            Message.of("wild_neighbours", kind=Term("four")),
            "Two wild cards are neighbours in the four.",
        ),
        (
            Message.of("legal_contract", contract=Counted(((2, "trio"), (1, "escalera"))), hand=5),
            "Legal: 2 trios and 1 escalera, the contract of hand 5.",
        ),
    ],
)
def test_a_message_in_words(message, says):
    assert message.says == says
    assert message_from(kept(message.plain())).says == says


def test_a_message_as_data():
    message = Message.of("not_in_contract", meld=RUN, kind=Term("run"), hand=1, contract=TWO_SETS)
    assert message.plain() == {
        "message": "not_in_contract",
        "values": {"meld": "5C 8H=6C 7C", "kind": "@run", "hand": 1, "contract": "@2 set"},
    }


TWO_SETS = Counted(((2, "set"),))


@pytest.mark.parametrize(
    ("consequence", "says"),
    [
        (Consequence(20, TakeBack.TURN, True), "20 points; the whole turn is taken back and the"),
        (Consequence(1, TakeBack.TURN), "1 point; the whole turn is taken back."),
        (Consequence(80, TakeBack.PLAY), "80 points; the play is taken back."),
        (Consequence(80, TakeBack.PLAY, True), "80 points; the play is taken back and the next"),
        (Consequence(0, TakeBack.PLAY), "No points; the play is taken back."),
        (Consequence(0, TakeBack.PLAY, True), "No points; the play is taken back and the next"),
        (Consequence(0, TakeBack.TURN), "No points; the whole turn is taken back."),
        (Consequence(0, TakeBack.TURN, True), "No points; the whole turn is taken back and the"),
    ],
)
def test_what_a_breach_costs_in_words(consequence, says):
    assert consequence.says.startswith(says)
    assert message_from(consequence.message.plain()).says == consequence.says


# -- data that was damaged -------------------------------------------------------------------------

GOOD = {"message": "discard_same_rank", "values": {"card": "8H", "top": "8C"}}


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "discard_same_rank",
        {},
        GOOD | {"message": "discard_same_colour"},
        GOOD | {"message": 5},
        GOOD | {"message": ["discard_same_rank"]},
        GOOD | {"values": None},
        GOOD | {"values": {"card": "8H"}},
        GOOD | {"values": {"card": "8H", "top": "8C", "bottom": "8D"}},
        GOOD | {"values": {"card": "8H", "top": None}},
        GOOD | {"values": {"card": "8H", "top": True}},
        GOOD | {"values": {"card": "8H", "top": 1.5}},
        GOOD | {"values": {"card": "8H", "top": 10**7}},
        GOOD | {"values": {"card": "8H", "top": -(10**7)}},
        GOOD | {"values": {"card": "8H", "top": ""}},
        GOOD | {"values": {"card": "8H", "top": " "}},
        GOOD | {"values": {"card": "8H", "top": "8Z"}},
        GOOD | {"values": {"card": "8H", "top": "8H " * 1000}},
        GOOD | {"values": {"card": "8H", "top": "@"}},
        GOOD | {"values": {"card": "8H", "top": "@knave"}},
        GOOD | {"values": {"card": "8H", "top": "@2"}},
        GOOD | {"values": {"card": "8H", "top": "@2 knave"}},
        GOOD | {"values": {"card": "8H", "top": "@two trio"}},
        GOOD | {"values": {"card": "8H", "top": "@-2 trio"}},
        GOOD | {"values": {"card": "8H", "top": "@² trio"}},
        GOOD | {"values": {"card": "8H", "top": "@99999999 trio"}},
    ],
)
def test_damaged_data_is_refused(data):
    with pytest.raises(Malformed):
        message_from(data)


def test_a_value_of_another_kind_is_worded_as_it_is():
    odd = {"message": "too_few_naturals", "values": {"naturals": "8H", "wanted": "@trio"}}
    assert message_from(odd).says == "This meld has 8♥, and needs at least trio."


@pytest.mark.parametrize("rule", [None, 9, "", "PRO", "PRO-", "PRO-x", "PRO-9.", "PRO-999"])
def test_a_breach_names_a_rule(rule):
    with pytest.raises(Malformed):
        breach_from(GOOD | {"rule": rule})
    with pytest.raises(Malformed):
        breach_from(None)
    assert breach_from(GOOD | {"rule": "PRO-13.1"}).rule == "PRO-13.1"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["message", "values", "card", "top"]), inner)
    ),
    max_leaves=8,
)
VALUES = JSON | st.sampled_from(["8H", "8H=9C XX", "@trio", "@2 trio 1 run", "@1"])


@given(JSON, st.sampled_from(sorted(SENTENCES)), st.data())
def test_any_data_is_a_message_or_is_refused(data, message, more):
    values = {name: more.draw(VALUES) for name in sorted(names_in(message))}
    for one in (data, {"message": message, "values": values}):
        try:
            found = message_from(one)
        except Malformed:
            continue
        assert found.says
        assert message_from(kept(found.plain())).says == found.says


def test_a_ruling_without_praise_says_nothing():
    assert Ruling().says == ""
    assert Breach("PRO-3", "pile_first").plain() == {
        "rule": "PRO-3",
        "message": "pile_first",
        "values": {},
    }


def test_only_an_old_ruling_can_have_its_own_sentence():
    written = Message.of("as_written", words=Written("That is no run."))
    assert written.says == "That is no run."
    assert written.plain() == {"message": "as_written", "values": {"words": "That is no run."}}
    with pytest.raises(Malformed):
        message_from(written.plain())
