"""Rulings on the recorded table, kept and enforced. Hand 1: aces are wild, and high in runs."""

from dataclasses import replace

import pytest

from companion.notebook.events import CardTurned, NotPossible, Ruled, RulingEnforced
from companion.rules.cards import Rank, parse_cards
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.question import CALL, DRAW, NO_PILE, NOTHING_SAID, Depends, Pile, Question
from companion.rules.ruling import Ruling
from companion.rules.table import parse_play
from companion.services.rulings import (
    TURNED,
    OpenWildCard,
    UnknownFacts,
    enforced,
    judge,
    rest_of_turn,
    ruling_on,
    with_record,
)
from tests.notebook.evening import (
    ANA,
    BEN,
    CEM,
    WRONG_DISCARD,
    WRONG_MELD,
    Evening,
    begun,
    of_game,
    started,
)
from tests.services.test_facts import asked


def judged(evening: Evening, kind: str, *plays: str, **said: object) -> Ruling:
    """The ruling on a question on the recorded table, which must be given at once.

    Nothing lies on the pile where nothing else is said.
    """
    one = asked(evening, kind, *plays, **said_of(said))
    found = judge(evening.sheet, one)
    assert not isinstance(found, Depends), found.on
    return found


def event(evening: Evening, kind: str, *plays: str, **said: object) -> Ruled:
    """Return the event that keeps the ruling."""
    question = asked(evening, kind, *plays, **said_of(said))
    return ruling_on(evening.sheet, said.get("player", BEN), question, said.get("instead_of"))


def texts(given: Ruled) -> list[str]:
    return [play.text for play in given.question.plays]


def said_of(said: dict[str, object]) -> dict[str, object]:
    return said if said.keys() - {"player", "instead_of"} else said | {"pile": Pile()}


# -- taking the pile (PRO-3) ---------------------------------------------------------------------


def test_recorded_plays_before_the_pile_was_taken_are_of_an_earlier_turn():
    # The plays of a whole turn are all of it.
    evening = Evening()
    evening.play(BEN, "meld 2C 2D 2H")
    assert judged(evening, "turn", "take_pile").legal
    written = evening.write(event(evening, "turn", "take_pile", "discard KS"))
    assert evening.hand.rulings[-1].turn == 2
    assert evening.sheet.next_to_play == CEM
    assert evening.pile == ["KS"]
    assert evening.hand.board.known_by == written.number


# -- a ruling as it is kept ----------------------------------------------------------------------

NINE = Pile(parse_cards("9S"))


def test_a_legal_ruling_is_kept_with_the_identities_of_its_wild_cards():
    given = event(Evening(), "meld", "meld 2C 3C AH", melded_this_turn=True)
    assert texts(given) == ["meld 2C 3C AH=4C"]
    whole = event(Evening(), "turn", "meld 5D 6D 7D", "meld 2C 3C AH", "discard AS")
    assert texts(whole) == ["meld 5D 6D 7D", "meld 2C 3C AH=4C", "discard AS"]

    # An illegal one is kept as it was asked.
    given = event(Evening(), "turn", "meld 2C 3C AH")  # no Proter in the first meld (PRO-7)
    assert given.ruling.broken == ("PRO-7",)
    assert texts(given) == ["meld 2C 3C AH"]

    # The consequences of a ruling are not kept.
    given = event(Evening(), "turn", "meld 5D 6D 7D", "discard KS")
    assert (given.ruling.table, given.ruling.holding, given.ruling.ways) == (None, None, ())
    assert [one.legal for one in given.ruling.plays] == [True, True]


# -- questions that cannot be asked --------------------------------------------------------------


def test_a_question_that_no_rule_decides_is_refused():
    with pytest.raises(NotPossible, match="No rule of Proter decides on that"):
        judged(Evening(), "contract", "meld 5C 6C 7C")
    # No rule of Carioca forbids a discard.
    with pytest.raises(NotPossible, match="No rule of Carioca decides on that"):
        judged(of_game("carioca"), "discard", "discard KS")
    # Cards are drawn from inside the pile by one sheet of one game (CON-9).
    for evening, kind in (
        (Evening(), "declare"),
        (of_game("contract_rummy"), CALL),
        (of_game("kalooki"), DRAW),
        (of_game("contract_rummy", "denexa"), DRAW),
    ):
        with pytest.raises(NotPossible, match="decides on that"):
            judged(evening, kind)

    # Off the record a discard can be asked about in any game.
    carioca = of_game("carioca")
    discard = Question("discard", (parse_play("discard KS"),), (), NO_PILE, NOTHING_SAID)
    found = judge(carioca.sheet, with_record(carioca.sheet, BEN, discard, by_rules=True))
    assert isinstance(found, Ruling)
    assert found.legal
    contract = replace(discard, ask="contract")
    with pytest.raises(NotPossible, match="No rule of Proter decides on that"):
        with_record(Evening().sheet, BEN, contract, by_rules=True)


def test_a_meld_named_as_lying_on_the_table_has_to_be_legal():
    with pytest.raises(Malformed, match="neither a set nor a run"):
        judged(Evening(), "lay_off", "lay_off 8C onto 0", seen=("5C 6C 9D",))
    with pytest.raises(Ambiguous, match="A♥ could be"):
        judged(Evening(), "lay_off", "lay_off 9C onto 0", seen=("TC JC AH",))


def test_the_turned_card_is_asked_for_only_if_the_ruling_depends_on_it():
    evening = of_game("indian_rummy")
    by_rank = [turned(rank.text) for rank in Rank]
    for kind, cards, legal in (
        ("meld", "5C 6C 7C", True),
        ("meld", "5C 6C 8D", None),  # legal where an 8 was turned
        ("meld", "5C XX 7C", True),
        ("declare", "2C 3C 4C 5C 6H 7H 8H 9D TD JD KC KH KD", True),
        ("declare", "2C 3C 4C 5C 6H 7H 8H 9D TD JD KC KH 2D", None),  # two or king
        ("declare", "2C 4C 6C 8C TC QC 2D 4D 6D 8D TD QD AH", False),
    ):
        one = asked(evening, kind, f"meld {cards}")
        found = judge(evening.sheet, one)
        assert (found.on if isinstance(found, Depends) else found.legal) == (
            (TURNED,) if legal is None else legal
        )
        known = [judge(with_it.sheet, one) for with_it in by_rank]
        of_each = {ruling.legal for ruling in known if isinstance(ruling, Ruling)}
        assert of_each == ({True, False} if legal is None else {legal})


def test_a_reason_that_depends_on_the_turned_card_is_not_stated():
    # Four sets and a joker: where twos are wild all are in melds, of which none is a sequence.
    cards = "meld 2C 2D 2H 5C 5D 5H 8C 8D 8H JC JD JH XX"
    found = judged(of_game("indian_rummy"), "declare", cards)
    assert found.broken == ("IND-5",)
    assert found.says.startswith(
        "Whichever card was turned up, the cards are not all in melds with 2 sequences, 2 of them"
    )


# -- cards that stay in hand ---------------------------------------------------------------------

# IND-5: two clean sequences, and all thirteen cards in melds.
RUMMY = "meld 2C 3C 4C 5D 6D 7D 9H 9S 9C TS JS QS KS"


def turned(rank: str = "8") -> Evening:
    evening = of_game("indian_rummy")
    evening.write(CardTurned(1, rank))
    return evening


def test_a_declaration_is_kept_with_the_melds_that_make_it_legal_and_a_wrong_one_is_charged():
    evening = turned()
    given = event(evening, "declare", RUMMY)
    assert given.ruling.legal
    assert given.ruling.readings == given.ruling.melds
    assert sorted(meld.text for meld in given.ruling.melds) == sorted(
        ["2C 3C 4C", "5D 6D 7D", "9C 9H 9S", "TS JS QS KS"]
    )
    assert given.charge is None
    assert given.sources == {}

    # A wrong one is charged.
    given = event(turned(), "declare", RUMMY.replace("KS", "2D"))
    assert given.ruling.broken == ("IND-5",)
    assert given.charge == "IND-8"
    assert given.ruling.consequence.points == 80


def test_the_wild_cards_of_a_meld_that_stays_in_hand_can_stay_open():
    # The joker can be the 4♣ or the 7♣.
    evening = turned()
    given = event(evening, "meld", "meld 5C 6C XX")
    assert given.ruling.legal
    assert (len(given.ruling.readings), given.ruling.number) == (1, 2)
    assert given.ruling.says.startswith("Legal: ")
    assert "readings" not in given.ruling.says


# -- wild cards whose identity is asked for ------------------------------------------------------


def what_is_open(evening: Evening, *asks: str, **said: object) -> OpenWildCard:
    """Return the question about the wild cards of a question."""
    with pytest.raises(OpenWildCard) as raised:
        event(evening, *asks, **said)
    return raised.value


def test_a_legal_meld_with_an_open_wild_card_has_its_readings_to_choose_from():
    evening = Evening()
    found = what_is_open(evening, "meld", "meld TC JC AH", melded_this_turn=True)
    assert found.play == 0
    assert found.wilds == ["AH"]
    assert {meld.text for meld in found.readings} == {"AH=9C TC JC", "TC JC AH=QC"}
    assert event(evening, "meld", "meld TC JC AH=QC", melded_this_turn=True).ruling.legal
    # Of what is illegal nothing comes to the table.
    first = event(evening, "meld", "meld TC JC AH", melded_this_turn=False)
    assert first.ruling.broken == ("PRO-7",)


def test_with_many_readings_one_wild_card_is_asked_about_at_a_time():
    # A♣, A♦ and A♥ are three more cards of a run with the 7♣ and 8♣ (PRO-6): from 4♣ … 8♣ to
    # 7♣ … J♣ there are four runs, and six ways to lay the aces in each.
    found = what_is_open(Evening(), "meld", "meld AC AD AH 7C 8C", melded_this_turn=True)
    assert found.readings == ()
    (card,) = found.wilds
    assert card in {"AC", "AD", "AH"}
    assert sorted(found.choices) == sorted(f"{card}={one}C" for one in "4569TJ")


def test_a_contract_with_open_wild_cards_asks_about_its_first_open_meld():
    # CAR-3, hand 2: a trio and an escalera; the joker is the 4♣ or the 8♣ (CAR-4: one in each).
    evening = of_game("carioca")
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    found = what_is_open(evening, "contract", "meld 9D 9H 9S", "meld 5C 6C 7C XX")
    assert found.play == 1
    assert {meld.text for meld in found.readings} == {"XX=4C 5C 6C 7C", "5C 6C 7C XX=8C"}
    said = event(evening, "contract", "meld 9D 9H 9S", "meld 5C 6C 7C XX=8C")
    assert said.ruling.legal


def test_an_open_wild_card_of_a_turn_is_asked_about_if_later_plays_depend_on_it():
    found = what_is_open(Evening(), "turn", "meld 5D 6D 7D", "meld TC JC AH", pile=Pile())
    assert found.play == 1
    assert (found.wilds, sorted(found.choices)) == (["AH"], ["AH=9C", "AH=QC"])
    assert found.readings == ()


def test_a_swap_in_a_turn_has_to_name_its_end():
    # CAR-6: the joker of 4♠ … 7♠ can become the 3♠ or the 8♠.
    evening = of_game("carioca")
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    evening.play(ANA, "meld 4S XX=5S 6S 7S")
    with pytest.raises(Ambiguous, match="can go to either end"):
        event(evening, "turn", "swap 5S onto 0", contract_met=True)
    assert event(evening, "turn", "swap 5S onto 0 low", contract_met=True).ruling.legal


def test_an_unstated_fact_is_asked_for():
    # PRO-7: a Proter in the first meld of a turn.
    with pytest.raises(UnknownFacts) as raised:
        event(Evening(), "meld", "meld 5H 6H AS=7H")
    assert raised.value.args == ("melded_this_turn",)


# -- the rest of a turn of which a play is taken back (PRO-13.6) ---------------------------------


def kept(*plays: str, evening: Evening | None = None, **said: object) -> tuple[Evening, int]:
    """Return a game with a ruling on a turn of Ben's, and the number of its entry."""
    evening = evening or Evening()
    return evening, evening.write(event(evening, "turn", *plays, **said)).number


def test_the_legal_plays_of_the_turn_are_recorded():
    evening = Evening()
    evening.play(ANA, "meld 9C TC JC", "discard 9S")
    evening, number = kept(
        "meld 2S 3D 9H",  # no set, no run: taken back, and meld 1 of the turn is none
        "meld 5D 6D 7D",
        "meld 2C 3C AH",  # A♥ can only be the 4♣
        "lay_off 8D onto 2",
        "lay_off QC onto 0",
        "swap 4C onto 3",
        "discard KS",
        evening=evening,
        pile=Pile(parse_cards("9S"), whole=False),
    )
    enforcing = enforced(evening.sheet, 1, number)
    assert enforcing.plays == (
        "meld 5D 6D 7D",
        "meld 2C 3C AH=4C",
        "lay_off 8D onto 1",
        "lay_off QC onto 0",
        "swap 4C onto 2",
        "discard KS",
    )
    evening.write(enforcing)
    assert evening.melds == ["9C TC JC QC", "5D 6D 7D 8D", "2C 3C 4C"]
    assert evening.pile == ["9S", "KS"]
    assert evening.totals == [0, 0, 0]

    # Plays on a meld that is taken back are not.
    evening, number = kept("meld 5D 6D 7D", "meld 2S 3D 9H", "lay_off 4S onto 1", "discard KS")
    assert enforced(evening.sheet, 1, number).plays == ("meld 5D 6D 7D", "discard KS")


def test_the_pile_that_was_taken_stays_taken():
    evening = Evening()
    evening.play(ANA, "discard 9S")
    evening, number = kept("take_pile", "meld 9S 3D 9H", "discard KS", evening=evening)
    enforcing = enforced(evening.sheet, 1, number)
    assert enforcing.plays == ("take_pile", "discard KS")
    evening.write(enforcing)
    assert evening.pile == ["KS"]


def test_no_play_is_recorded_of_a_turn_that_is_taken_back():
    evening, number = kept("meld 5D 6D 7D", "discard 9H", pile=NINE)
    assert enforced(evening.sheet, 1, number) == RulingEnforced(1, number)
    # Where a wrong meld costs 20 points, it takes the turn with it.
    evening, number = kept(
        "meld 5D 6D 7D", "meld 2S 3D 9H", evening=Evening(started(sheet="playginrummyonline"))
    )
    assert enforced(evening.sheet, 1, number) == RulingEnforced(1, number)


def test_no_play_is_recorded_on_a_table_that_has_changed_since_the_ruling():
    evening, number = kept("meld 5D 6D 7D", "meld 2S 3D 9H")
    assert enforced(evening.sheet, 1, number).plays == ("meld 5D 6D 7D",)
    evening.play(CEM, "meld TC JC QC")
    assert enforced(evening.sheet, 1, number).plays == ()
    evening.charge(CEM, "PRO-13.1")  # the table is as it was, but another turn has begun since
    assert evening.melds == []
    assert enforced(evening.sheet, 1, number).plays == ()
    evening.undo()
    evening.undo()
    assert enforced(evening.sheet, 1, number).plays == ("meld 5D 6D 7D",)
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})
    assert enforced(evening.sheet, 1, number) == RulingEnforced(1, number)


def test_other_rulings_and_finished_games_have_no_rest_of_a_turn():
    evening, number = kept("meld 5D 6D 7D", "discard KS")  # legal: it lies there already
    assert enforced(evening.sheet, 1, number).plays == ()
    evening = Evening()
    number = evening.write(event(evening, "meld", "meld 2S 3D 9H", melded_this_turn=True)).number
    assert rest_of_turn(evening.sheet, evening.hand.rulings[-1]) == ()
    assert enforced(evening.sheet, 1, number) == RulingEnforced(1, number)
    assert enforced(evening.sheet, 1, 99) == RulingEnforced(1, 99)

    # Nothing comes to the table of a later hand, though it is as empty as the table was then.
    evening, _number = kept("meld 5D 6D 7D", "meld 2S 3D 9H")
    line = evening.hand.rulings[-1]
    assert rest_of_turn(evening.sheet, line) == (parse_play("meld 5D 6D 7D"),)
    evening.mark_hands(1)
    assert rest_of_turn(evening.sheet, line) == ()

    # Nothing comes to the table of a game that is over.
    evening = Evening()
    evening.mark_hands(12)
    number = evening.write(event(evening, "turn", "meld 5D 6D 7D", "meld 2S 3D 9H")).number
    assert enforced(evening.sheet, 13, number).plays == ("meld 5D 6D 7D",)
    evening.mark_hands(1)
    assert rest_of_turn(evening.sheet, evening.hand.rulings[-1]) == ()


@pytest.mark.parametrize(
    "plays", [("meld 5D 6D 7D", "meld 2S 3D 9H"), ("meld 5D 6D 7D", "meld TC JC AH")]
)
def test_an_old_ruling_without_facts_has_no_rest_of_a_turn(plays):
    # It has no ruling on each play.
    evening = Evening()
    number = evening.rule(BEN, *plays, verdict=WRONG_MELD).number
    assert enforced(evening.sheet, 1, number) == RulingEnforced(1, number)


# -- who plays next ------------------------------------------------------------------------------


def ruled_on(kind, *plays, **said):
    return lambda evening: evening.write(event(evening, kind, *plays, **said))


def carried_out(evening):
    evening.write(enforced(evening.sheet, 1, evening.hand.rulings[-1].entry.number))


def old_ruling(evening):
    evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD, ask="discard")


DISCARD = ruled_on("discard", "discard KS")
CEMS = ruled_on(*("turn", "meld 2C 2D 2H", "discard QH"), player=CEM, pile=Pile(parse_cards("4D")))
WRONG = ruled_on("discard", "discard 9H", pile=NINE)


@pytest.mark.parametrize(
    ("steps", "plays"),
    [
        ([], None),
        ([DISCARD], CEM),
        ([DISCARD, CEMS], ANA),
        ([DISCARD, CEMS, lambda evening: evening.undo()], CEM),
        # After an illegal discard once it is carried out, until something else is written.
        ([WRONG], None),
        ([WRONG, carried_out], CEM),
        ([WRONG, carried_out, lambda evening: evening.charge(ANA, "PRO-13.3")], None),
        ([ruled_on("turn", "take_pile", "discard KS")], CEM),
        # A play that ends no turn says nothing.
        ([ruled_on("meld", "meld 2C 2D 2H")], None),
        ([ruled_on("turn", "meld 2C 2D 2H")], None),
        # The discard of the rest of a turn ends it: the wrong meld went back alone.
        ([ruled_on("turn", "meld 2S 3D 9H", "discard KS")], None),
        ([ruled_on("turn", "meld 2S 3D 9H", "discard KS"), carried_out], CEM),
        ([ruled_on("turn", "meld 2S 3D 9H", "meld 5D 6D 7D"), carried_out], None),
        # Whoever notes a discard may note it late.
        ([lambda evening: evening.play(BEN, "discard KS")], None),
        # An old ruling.
        ([old_ruling, carried_out], CEM),
    ],
)
def test_who_plays_next(steps, plays):
    evening = Evening()
    for step in steps:
        step(evening)
    assert evening.sheet.next_to_play == plays


# -- replacing a ruling --------------------------------------------------------------------------


def test_a_question_that_replaces_a_ruling_is_asked_on_the_table_before_it_unless_that_changed():
    evening = begun()
    ask = ("lay_off", "lay_off 8C onto 0")
    first = evening.write(event(evening, *ask, melded_this_turn=True)).number
    second = event(evening, *ask, melded_this_turn=True, player=CEM, instead_of=first)
    assert [meld.text for meld in second.question.melds] == ["5C 6C 7C"]
    evening.write(second)
    assert evening.hand.board.laid_off == {CEM}

    # Once the table has changed it is asked on the one there is.
    evening = begun()
    wrong = evening.write(event(evening, "discard", "discard 9H", pile=NINE._replace(whole=False)))
    evening.play(CEM, "meld TD JD QD")
    four = Pile(parse_cards("4D"))
    second = event(evening, "discard", "discard 9H", pile=four, instead_of=wrong.number)
    assert [meld.text for meld in second.question.melds] == ["5C 6C 7C", "TD JD QD"]
    evening.write(second)
    assert evening.pile == ["4D", "9H"]
