"""Messages: an id and values that give a sentence, also after a round trip through JSON."""

import json
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

import companion
from companion.notebook.serialize import Sentence
from companion.rules.cards import PACK, Card, Laid, Suit
from companion.rules.errors import Malformed
from companion.rules.melds import Kind, Meld
from companion.rules.messages import SENTENCES, TERMS, Cards, Counted, Message, Term, message_from
from companion.rules.ruling import Breach, Consequence, Ruling, TakeBack, breach_from


def kept(plain: dict[str, Any]) -> Any:
    """Return data after a round trip through JSON."""
    return json.loads(json.dumps(plain))


# -- the catalogue ---------------------------------------------------------------------------------


def test_every_message_is_used():
    folder = Path(companion.__file__).parent
    texts = [path.read_text("utf-8") for path in folder.rglob("*.py") if path.stem != "messages"]
    assert [one for one in SENTENCES if not any(f'"{one}"' in text for text in texts)] == []


def test_every_format_of_a_sentence_exists():
    for sentence in SENTENCES.values():
        for _, name, form, _ in Formatter().parse(sentence):
            assert name is None or name.isidentifier(), sentence
            assert not form or form in TERMS or form in {"a", "word"}, sentence


# -- wording ---------------------------------------------------------------------------------------

EIGHT_FOR_SIX = Laid(Card(PACK[7].rank, Suit.HEARTS), PACK[5], True)
RUN = Meld(Kind.RUN, (Laid(PACK[4], PACK[4]), EIGHT_FOR_SIX, Laid(PACK[6], PACK[6])))


CLUBS = Cards(tuple(PACK[:2]))
WORDED = [
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
    *(
        (
            Message.of("meld_too_small", cards=CLUBS, fewest=fewest),
            f"A♣ 2♣: a meld needs at least {word} cards.",
        )
        for fewest, word in ((3, "three"), (7, "7"))
    ),
    (
        Message.of("legal_contract", contract=Counted(((2, "trio"), (1, "escalera"))), hand=5),
        "Legal: 2 trios and 1 escalera, the contract of hand 5.",
    ),
]


@pytest.mark.parametrize(("message", "says"), WORDED)
def test_a_message_in_words(message, says):
    assert message.says == says
    assert message_from(kept(message.as_data())).says == says


def test_a_message_as_data():
    message = Message.of("not_in_contract", meld=RUN, kind=Term("run"), hand=1, contract=TWO_SETS)
    assert message.as_data() == {
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
def test_the_costs_of_a_breach_have_words(consequence, says):
    assert consequence.says.startswith(says)


# -- data that was damaged -------------------------------------------------------------------------

GOOD = {"message": "discard_same_rank", "values": {"card": "8H", "top": "8C"}}


NO_VALUES = [
    *(None, True, 1.5, 10**7, -(10**7), "", " ", "8Z", "8H " * 1000, "@", "@knave"),
    *("@2", "@2 knave", "@two trio", "@-2 trio", "@² trio", "@99999999 trio"),
]


@pytest.mark.parametrize(
    "data",
    [
        *(None, [], "discard_same_rank", {}, GOOD | {"values": None}),
        *(GOOD | {"message": id_} for id_ in ("discard_same_colour", 5, ["discard_same_rank"])),
        GOOD | {"values": {"card": "8H"}},
        GOOD | {"values": {"card": "8H", "top": "8C", "bottom": "8D"}},
        *(GOOD | {"values": {"card": "8H", "top": value}} for value in NO_VALUES),
    ],
)
def test_damaged_data_is_refused(data):
    with pytest.raises(Malformed):
        message_from(data)


def test_a_value_of_another_type_is_worded_unchanged():
    odd = {"message": "too_few_naturals", "values": {"naturals": "8H", "wanted": "@trio"}}
    assert message_from(odd).says == "This meld has 8♥, and needs at least trio."


@pytest.mark.parametrize("rule", [None, 9, "", "PRO", "PRO-", "PRO-x", "PRO-9.", "PRO-999"])
def test_a_breach_names_a_rule(rule):
    with pytest.raises(Malformed):
        breach_from(GOOD | {"rule": rule})
    with pytest.raises(Malformed):
        breach_from(None)
    assert breach_from(GOOD | {"rule": "PRO-13.1"}).rule == "PRO-13.1"


def test_a_ruling_without_praise_says_nothing():
    assert Ruling().says == ""
    assert Breach("PRO-3", "pile_first").as_data() == {
        "rule": "PRO-3",
        "message": "pile_first",
        "values": {},
    }


def test_only_an_old_ruling_can_have_its_own_sentence():
    written = Message.of("as_written", words=Sentence("That is no run."))
    assert written.says == "That is no run."
    assert written.as_data() == {"message": "as_written", "values": {"words": "That is no run."}}
    with pytest.raises(Malformed):
        message_from(written.as_data())
