"""The facts of a question: said by the marker, recorded and still sure, or unknown."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given

from companion.notebook.events import ON_RECORD, STATED, CallNoted, PileSeen, PlayRecorded, Ruled
from companion.rules.cards import PACK, parse_cards
from companion.rules.errors import Malformed
from companion.rules.judge import Judge
from companion.rules.question import (
    CALL,
    FLAGS,
    NO_PILE,
    UNKNOWN_PILE,
    Call,
    Depends,
    Pile,
    Question,
    facts_that_decide_plays,
    rule_on,
)
from companion.rules.table import parse_play
from companion.services import rulings
from tests.notebook.evening import ANA, BEN, CEM, Evening, begun, of_game, pile, started
from tests.rules.drawing import CHANCE, a_ruling

MELDS = ("melded_this_hand", "melded_this_turn", "contract_met")


def asked(
    evening: Evening,
    kind: str,
    *plays: str,
    player: int = BEN,
    instead_of: int | None = None,
    seen: Iterable[str] = (),
    pile: Pile | None = None,
    **flags: bool,
) -> Question:
    """Return the question with the stated facts, and the recorded ones of the others."""
    melds = rulings.melds_on_table(evening.sheet, [*seen], instead_of)
    known = UNKNOWN_PILE if pile is None else pile
    stated = Question(kind, tuple(map(parse_play, plays)), melds, known)
    for flag in FLAGS:
        stated = stated.with_flag(flag, flags.get(flag))
    return rulings.with_record(evening.sheet, player, stated, instead_of)


def found(evening: Evening, one: Question) -> tuple[str, ...]:
    """Return the facts that the ruling depends on; if none, ``legal`` or the broken rules."""
    ruling = rulings.judge(evening.sheet, one)
    if isinstance(ruling, Depends):
        return ruling.on
    return ruling.broken or ("legal",)


def kept(
    evening: Evening, one: Question, player: int = BEN, instead_of: int | None = None
) -> Ruled:
    return rulings.ruling_on(evening.sheet, player, one, instead_of)


# -- recorded facts, and facts that have to be asked for -----------------------------------------


def online() -> Evening:
    """A table where a player's first meld in the hand is without a Proter (PRO-7)."""
    return Evening(started(sheet="playginrummyonline"))


def carioca() -> Evening:
    return of_game("carioca")


def no_drawn_card() -> Evening:
    """A table where a card just drawn is not discarded (CON-9)."""
    return of_game("contract_rummy", "gamerules")


def top_recorded() -> Evening:
    evening = no_drawn_card()
    evening.play(ANA, "discard KS")
    return evening


def fresh_stays() -> Evening:
    """A table where a Proter that the same player laid in this turn stays (PRO-10)."""
    evening = begun(started(swap_own_fresh_proter="no"))
    evening.play(CEM, "meld TD AH=JD QD")
    return evening


def then(before: Callable[[], Evening], *plays: str, player: int = BEN) -> Callable[[], Evening]:
    """Record more plays, and return the game."""

    def made() -> Evening:
        evening = before()
        evening.play(player, *plays)
        return evening

    return made


def with_contract() -> Evening:
    """Carioca: Ben's two trios were ruled legal, and his turn goes on."""
    evening = carioca()
    evening.write(kept(evening, asked(evening, "contract", *TRIOS)))
    return evening


def with_threes() -> Evening:
    """Kalooki: Ben's three threes are right, be they his contract or not, and his joker is not.

    He had laid nothing that is on record; the joker goes back, and the threes stay (KAL-7).
    """
    evening = of_game("kalooki")
    threes = ("meld 7C 7D 7H", "meld 9C 9D 9H", "meld KC KD KH")
    ruled = evening.write(kept(evening, asked(evening, "turn", *threes, "discard XX")))
    evening.write(rulings.enforced(evening.sheet, 1, ruled.number))
    return evening


CLUBS = "meld 5C 6C 7C 8C"
MET = {"contract_met": True}
SAID_MET = {"contract_met": STATED}
SAID_LAID = SAID_MET | {"laid_unowned": STATED}


def four_of_nobody() -> Evening:
    evening = of_game("kalooki")
    evening.write(PlayRecorded(1, None, "meld TC JC QC KC"))
    return evening


def with_spades() -> Evening:
    """Kalooki, hand 2: Ben's contract has a four of spades, which has grown since."""
    evening = of_game("kalooki")
    evening.mark(ANA, {BEN: 10, CEM: 20})
    melds = ("meld 8C 8D 8H", "meld KC KD KH", "meld 2S 3S XX=4S 5S")
    evening.write(kept(evening, asked(evening, "turn", *melds, "discard 4C")))
    evening.play(CEM, "lay_off 6S onto 2")
    return evening


def said_to_have_laid(*each: dict[str, bool], **said: bool) -> Callable[[], Evening]:
    """Kalooki: Ben laid off, and the marker said when his contract had been laid."""

    def made() -> Evening:
        evening = then(lambda: of_game("kalooki"), "meld 7C 7D 7H", player=CEM)()
        for one in each or (said,):
            evening.write(kept(evening, asked(evening, *LAID_OFF, **one)))
        return evening

    return made


def said_in_proter() -> Evening:
    evening = begun()
    evening.write(kept(evening, asked(evening, "meld", A_PROTER, melded_this_turn=True)))
    return evening


def seen_long_ago() -> Evening:
    evening = Evening()
    evening.write(PileSeen(1, "9S"))
    return evening


def refused_before() -> Evening:
    """Ben's 9♥ was refused: when he plays again, three other cards may lie on top."""
    evening = begun()
    evening.write(kept(evening, asked(evening, "discard", "discard 9H")))
    return evening


def only_lying() -> Evening:
    """A meld that the marker named as on the table: nobody's, though Ben laid off on it."""
    evening = online()
    laid_off = asked(evening, "lay_off", "lay_off 8D onto 0", seen=("5D 6D 7D",))
    evening.write(kept(evening, laid_off))
    return evening


A_PROTER = "meld 2C 3C AH=4C"  # hand 1: aces are Proters
TRIOS = ("meld 7C 7D 7H", "meld 9C 9D 9H")
LAID_OFF = ("lay_off", "lay_off 7S onto 0")
TOOK_PILE = then(begun, "take_pile", "meld 9S 9D 9H")
HAS_MELDED = then(online, "meld 5D 6D 7D")
RUN_LAID, TWOS_LAID = (then(begun, f"meld {cards}") for cards in ("5D 6D 7D", "2C 2D 2H"))
CONTRACT_MET = then(with_contract, "discard KS")
SAID_EARLIER = said_to_have_laid(contract_met=True)
SAID_IN_TURN = said_to_have_laid(contract_met=False, melded_this_turn=True)
NOT_YET = {"contract_met": False, "melded_this_turn": False}
DENIED = said_to_have_laid({"contract_met": True}, NOT_YET)
SAID_AGAIN = said_to_have_laid(NOT_YET, {"contract_met": True})
MET_OR_LAID = "melded_this_turn contract_met"
# What is on record of a player's melds: any in the hand, the contract, some of this turn.
MELDED = {"melded_this_hand": ON_RECORD}
EARLIER = MELDED | {"contract_met": ON_RECORD}
THIS_TURN = MELDED | {"melded_this_turn": ON_RECORD}
KD_ON_KS = {"pile": 2, "drew": ON_RECORD}
HAND_AND_TURN = "melded_this_hand melded_this_turn"


@pytest.mark.parametrize(
    ("evening", "question", "stated", "decides", "sources"),
    [
        # The pile: asked for, unless it is sure for the next player after a recorded discard.
        (Evening, ("discard", "discard 9H"), {}, "pile", {}),
        (begun, ("discard", "discard 9H"), {}, "PRO-11", {"pile": 3}),
        (begun, ("discard", "discard 9H"), {"player": ANA}, "pile", {}),
        (begun, ("discard", "discard 9H"), {"player": CEM}, "pile", {}),
        (seen_long_ago, ("discard", "discard 9H"), {}, "pile", {}),
        (refused_before, ("discard", "discard 9C"), {}, "pile", {}),
        # What is asked says that this is a later turn: the recorded meld was laid before it.
        (TWOS_LAID, ("turn", "discard 9C"), {}, "pile", MELDED),
        (TWOS_LAID, ("discard", "discard 9C"), {}, "PRO-11", {"pile": 3}),
        (begun, ("discard", "discard 9H"), {"pile": "4D"}, "legal", {"pile": STATED}),
        # The card under the top is asked for only where it decides. PRO-12: 8♠ on 9♠ is a run with
        # the 7♠ or the 10♠ under it.
        (begun, ("discard", "discard 4H"), {}, "legal", {"pile": 3}),
        (begun, ("discard", "discard 8S"), {}, "pile", {"pile": 3}),
        (begun, ("discard", "discard 8S"), {"pile": "7S 9S"}, "PRO-12", {"pile": STATED}),
        (begun, ("discard", "discard 8S"), {"pile": ". 9S"}, "legal", {"pile": STATED}),
        (TOOK_PILE, ("discard", "discard KS"), {}, "legal", {"pile": 4}),
        # A pile with a card that is played now was taken.
        (begun, ("turn", "meld 9S 9D 9H", "discard KD"), {}, "pile", {}),
        # Where no discard depends on it the pile is no fact.
        *(
            (begun, ("turn", *plays), stated, "legal", {})
            for plays in (
                ("meld 2C 2D 2H",),
                ("take_pile", "meld 9S 9D 9H", "discard KD"),
                ("lay_off 8C onto 0",),
            )
            for stated in ({}, {"pile": "4D"})
        ),
        # A meld in this turn, and in this hand.
        (begun, ("meld", A_PROTER), {}, "melded_this_turn", {}),
        (begun, ("meld", "meld 2C 3C 4C"), {}, "legal", {}),
        (TWOS_LAID, ("meld", "meld 3D 4D AH"), {}, "melded_this_turn", MELDED),
        (online, ("meld", A_PROTER), {}, HAND_AND_TURN, {}),
        (HAS_MELDED, ("meld", A_PROTER), {}, "legal", MELDED),
        (HAS_MELDED, ("meld", A_PROTER), {"player": CEM}, HAND_AND_TURN, {}),
        (only_lying, ("meld", A_PROTER), {}, HAND_AND_TURN, {}),
        # Who has laid none in the hand has laid none in the turn, and no contract.
        (
            *(HAS_MELDED, ("meld", A_PROTER), {"melded_this_hand": False}, "PRO-7"),
            dict.fromkeys(MELDS, STATED),
        ),
        # The plays of a whole turn are all of it.
        (RUN_LAID, ("turn", A_PROTER), {"melded_this_turn": True}, "PRO-7", MELDED),
        (RUN_LAID, ("turn", A_PROTER), {"player": CEM}, "PRO-7", {}),
        # The contract, if it was ruled legal in an earlier turn. It rests on no fact itself.
        (CONTRACT_MET, LAID_OFF, {}, "legal", EARLIER),
        (CONTRACT_MET, LAID_OFF, {"player": CEM}, "contract_met", {}),
        (with_contract, LAID_OFF, {}, "contract_met", THIS_TURN),
        # Melds that are right are the contract, or were laid after it (KAL-3).
        (with_threes, ("meld", "meld QC QD QH"), {}, "legal", THIS_TURN),
        (then(with_threes, "discard 2C"), LAID_OFF, {}, "legal", EARLIER),
        # What was said of the contract before holds: it was laid then, or in an earlier turn.
        (SAID_EARLIER, ("lay_off", "lay_off 7C onto 0"), {}, "legal", EARLIER),
        (SAID_IN_TURN, ("lay_off", "lay_off 7C onto 0"), {}, "legal", THIS_TURN),
        (SAID_IN_TURN, ("turn", "lay_off 7C onto 0"), {}, "contract_met", {}),
        # If two statements contradict each other, the earlier one no longer counts.
        (DENIED, ("lay_off", "lay_off 7C onto 0"), {}, MET_OR_LAID, {}),
        (SAID_AGAIN, ("lay_off", "lay_off 7C onto 0"), {}, "legal", EARLIER),
        (SAID_IN_TURN, ("lay_off", "lay_off 7C onto 0"), {"player": ANA}, MET_OR_LAID, {}),
        (said_in_proter, ("meld", "meld 3D 4D AD"), {}, "melded_this_turn", MELDED),
        # A player never has two fours of one suit, whenever they were laid (KAL-2).
        (with_spades, ("meld", "meld 9S TS JS QS"), {}, "KAL-2", EARLIER),
        (with_spades, ("turn", "meld 9S TS JS QS", "discard 4D"), {}, "KAL-2", EARLIER),
        (with_spades, ("meld", "meld 9H TH JH QH"), {}, "legal", EARLIER),
        (
            *(with_spades, ("meld", "meld 9S TS JS QS"), {"player": CEM, "contract_met": True}),
            *("legal", {"contract_met": STATED}),
        ),
        # So it matters whose a four is that nobody is known to have laid.
        (four_of_nobody, ("meld", CLUBS), MET, "laid_unowned", SAID_MET),
        (four_of_nobody, ("turn", CLUBS, "discard 4D"), MET, "laid_unowned", SAID_MET),
        (four_of_nobody, ("meld", CLUBS), MET | {"laid_unowned": True}, "KAL-2", SAID_LAID),
        (four_of_nobody, ("meld", CLUBS), MET | {"laid_unowned": False}, "legal", SAID_LAID),
        (four_of_nobody, ("meld", "meld 5H 6H 7H 8H"), MET, "legal", SAID_MET),
        (
            *(four_of_nobody, ("meld", CLUBS), {"melded_this_hand": False}, "KAL-3"),
            dict.fromkeys(MELDS, STATED),
        ),
        (
            *(CONTRACT_MET, LAID_OFF, {"contract_met": False}, "CAR-5"),
            THIS_TURN | {"contract_met": STATED},
        ),
        (then(carioca, *TRIOS, "discard KS"), LAID_OFF, {}, "contract_met", MELDED),
        (
            *(carioca, ("contract", *TRIOS), {"melded_this_hand": True, "contract_met": True}),
            *("legal", {}),
        ),
        # Whether a wild card was laid in this turn, where one stands for the card.
        (fresh_stays, ("swap", "swap JD onto 1"), {}, "fresh", {}),
        (fresh_stays, ("swap", "swap JD onto 1"), {"fresh": True}, "PRO-10", {"fresh": STATED}),
        (fresh_stays, ("swap", "swap JD onto 1"), {"fresh": False}, "legal", {"fresh": STATED}),
        (fresh_stays, ("swap", "swap KD onto 1"), {}, "PRO-10", {}),
        # Whether the card was just drawn, where a rule asks.
        (no_drawn_card, ("discard", "discard KS"), {}, "drew", {}),
        (no_drawn_card, ("discard", "discard KS"), {"drew": True}, "CON-9", {"drew": STATED}),
        (no_drawn_card, ("discard", "discard KS"), {"drew": False}, "legal", {"drew": STATED}),
        (top_recorded, ("discard", "discard KS"), {}, "drew", {}),
        (top_recorded, ("discard", "discard KD"), {}, "legal", KD_ON_KS),
        (
            *(top_recorded, ("discard", "discard KD"), {"drew": True}, "CON-9"),
            KD_ON_KS | {"drew": STATED},
        ),
        (top_recorded, ("discard", "discard KD"), {"player": CEM}, "drew", {}),
        (
            *(no_drawn_card, ("turn", "discard KS"), {"contract_met": True}, "drew"),
            {"contract_met": STATED},
        ),
        (Evening, ("discard", "discard KS"), {"drew": True}, "pile", {}),
    ],
)
def test_the_deciding_facts_and_their_sources(evening, question, stated, decides, sources):
    table = evening()
    if "pile" in stated:
        whole, cards = stated["pile"].startswith("."), stated["pile"].lstrip(". ")
        stated = stated | {"pile": pile(cards, whole=whole)}
    one = asked(table, *question, **stated)
    assert found(table, one) == tuple(decides.split())
    assert one.sources == sources


@pytest.mark.parametrize("evening", [SAID_EARLIER, SAID_IN_TURN])
def test_who_was_said_to_have_laid_the_contract_cannot_call(evening):
    table = evening()
    call = Question(CALL, (), call=Call(CEM)).without("melded_this_hand")
    assert found(table, rulings.with_record(table.sheet, BEN, call)) == ("KAL-4",)
    assert found(table, rulings.with_record(table.sheet, ANA, call)) == ("melded_this_hand",)


def test_what_was_said_for_a_ruling_that_was_replaced_counts_no_longer():
    evening = SAID_EARLIER()
    said = evening.entries[-1].number
    never = dict.fromkeys(("melded_this_turn", "contract_met"), False)
    evening.write(kept(evening, asked(evening, *LAID_OFF, instead_of=said, **never), BEN, said))
    call = Question(CALL, (), call=Call(CEM)).without("melded_this_hand")
    again = rulings.with_record(evening.sheet, BEN, call)
    assert found(evening, again) == ("melded_this_hand",)  # KAL-4: not after the contract


@pytest.mark.parametrize(
    "first", ["contract", "turn"], ids=["first melds", "first melds in a whole turn"]
)
def test_illegal_first_melds_deny_what_was_said_of_the_contract_before(first):
    evening = SAID_IN_TURN()
    melds = ["meld 9C 9D 9H", "meld KC KD KH", "meld 5C XX XX"]  # KAL-2: two jokers in a three
    one = asked(evening, first, *melds, contract_met=False)
    evening.write(kept(evening, one))
    assert found(evening, asked(evening, *LAID_OFF)) == ("melded_this_turn", "contract_met")
    call = Question(CALL, (), call=Call(CEM)).without("melded_this_hand")
    call = rulings.with_record(evening.sheet, BEN, call)
    assert found(evening, call) == ("melded_this_hand",)
    assert not evening.hand.has_laid_contract(BEN)
    # A later illegal meld denies nothing.
    evening = SAID_IN_TURN()
    evening.write(kept(evening, asked(evening, "meld", "meld 5C XX XX")))
    assert evening.hand.has_laid_contract(BEN)


def test_a_turn_without_the_pile_that_is_on_record_comes_after_it():
    evening = then(begun, "take_pile")()  # what Ben discarded then is not on record
    assert asked(evening, "turn", "discard 9H").pile == UNKNOWN_PILE
    assert asked(evening, "turn", "take_pile", "discard 9H").pile == NO_PILE
    assert asked(evening, "discard", "discard 9H").pile == NO_PILE


def test_a_card_that_must_have_been_drawn_from_the_pile_leaves_the_pile_unknown():
    # Two packs, so that the nine of spades that Ben discards is the one that Ana had discarded.
    names = ("Ana", "Ben", "Cem", "Dil", "Eva")
    evening = Evening(started(names, game="contract_rummy", sheet="gamerules"))
    evening.play(ANA, "meld 9C 9H 9S", "discard 9S")
    discard = asked(evening, "discard", "discard 9S")
    assert found(evening, discard) == ("drew",)
    assert discard.pile == UNKNOWN_PILE
    drawn = asked(evening, "discard", "discard 9S", drew=True)
    assert found(evening, drawn) == ("CON-9",)


def test_how_many_calls_succeeded_is_asked_if_none_was_noted():
    evening = of_game("kalooki")

    def ruled(calls: int | None = None, *, melded: bool = False) -> Ruled:
        call = Question(CALL, (), call=Call(CEM, calls, None))
        call = call.with_flag("melded_this_hand", melded)
        return kept(evening, rulings.with_record(evening.sheet, BEN, call))

    with pytest.raises(rulings.UnknownFacts, match="calls"):
        ruled()
    assert ruled(calls=0).ruling.legal
    assert "calls" in ruled(calls=0).sources
    # Who has melded may not call, however many succeeded: nobody said that.
    assert ruled(melded=True).ruling.broken == ("KAL-4",)
    assert "calls" not in ruled(melded=True).sources
    evening.write(CallNoted(1, BEN))
    assert ruled().ruling.legal
    assert ruled(calls=3).ruling.broken == ("KAL-4",)


def test_the_stated_or_recorded_pile_is_judged():
    evening = begun()
    assert asked(evening, "discard", "discard 9H").pile == pile("9S")
    assert asked(evening, "discard", "discard 9H", pile=pile("4D")).pile == pile("4D")
    assert asked(TOOK_PILE(), "discard", "discard KS").pile == NO_PILE
    assert asked(evening, "turn", "meld 9S 9D 9H", "discard KD").pile == UNKNOWN_PILE
    either = rulings.judge(evening.sheet, asked(evening, "discard", "discard 4H"))
    assert either.regardless_of == ("pile",)
    # A wild card of this turn is the one in the meld that is swapped into.
    said = asked(fresh_stays(), "swap", "swap JD onto 1", fresh=True)
    assert said.player.fresh == set(parse_cards("AH"))


@pytest.mark.parametrize(
    ("game", "wild", "of"),
    [("proter", "AH", {"fresh"}), ("carioca", "XX", set()), ("contract_rummy", "XX", set())],
)
def test_only_proter_asks_whether_a_wild_card_was_laid_this_turn(game, wild, of):
    # PRO-10 has a house rule on it; CAR-6 and CON-7 say nothing of it.
    one = asked(of_game(game), "swap", "swap 7D onto 0", seen=(f"6D {wild}=7D 8D 9D",))
    assert one.unknown & {"fresh"} == of


def test_another_sheets_ruling_is_open_if_a_fact_decides_that_only_it_asks():
    # CON-9: only on gamerules a single card drawn from the pile may not be discarded.
    evening = of_game("contract_rummy", "denexa")
    turn = asked(evening, "turn", "discard 9D", contract_met=True)
    ruling = rulings.judge(evening.sheet, turn)
    assert (ruling.legal, ruling.elsewhere) == (True, {"gamerules": None})
    assert "drew" in ruling.regardless_of
    known = rulings.judge(evening.sheet, turn.with_flag("drew", value=False))
    assert known.elsewhere == {"gamerules": True}
    # Without a discard nothing depends on it.
    assert "drew" not in asked(evening, "turn", "meld 9D 9H 9S", contract_met=True).unknown


def test_melds_named_in_a_question_come_after_the_recorded_melds():
    evening = begun()
    one = asked(evening, "lay_off", "lay_off KD onto 1", seen=("TD JD QD",))
    assert [meld.text for meld in one.melds] == ["5C 6C 7C", "TD JD QD"]
    assert found(evening, one) == ("legal",)
    with pytest.raises(Malformed, match="5♣ is"):
        asked(evening, "lay_off", "lay_off KD onto 1", seen=("5C 5D 5H",))


# -- facts that are kept with a ruling -----------------------------------------------------------


def test_a_stated_fact_that_does_not_decide_is_not_kept():
    evening = begun()
    natural = asked(evening, "meld", "meld 2C 3C 4C", melded_this_turn=False)
    assert natural.sources == {"melded_this_turn": STATED}
    assert kept(evening, natural).sources == {}
    proter = asked(evening, "meld", A_PROTER, melded_this_turn=True)
    assert kept(evening, proter).sources == {"melded_this_turn": STATED}


def test_of_facts_that_decide_together_only_the_needed_ones_are_kept():
    # KAL-5: tacked on once the contract is met; when it was, does not matter then.
    evening = of_game("kalooki")
    evening.play(ANA, "meld 7C 7D 7H")
    play = "lay_off 7S onto 0"
    one = asked(evening, "lay_off", play, contract_met=True, melded_this_turn=False)
    assert found(evening, one) == ("legal",)
    assert kept(evening, one).sources == {"contract_met": STATED}
    neither = asked(evening, "lay_off", play, contract_met=False, melded_this_turn=False)
    assert found(evening, neither) == ("KAL-5",)
    assert kept(evening, neither).sources == {"contract_met": STATED, "melded_this_turn": STATED}

    # Of two facts that each suffice one is kept: a meld of this turn is one of this hand, whatever
    # was laid before.
    evening = HAS_MELDED()
    one = asked(evening, "meld", A_PROTER, melded_this_turn=True)
    assert set(one.sources) == {"melded_this_hand", "melded_this_turn"}
    assert len(kept(evening, one).sources) == 1


def test_a_fact_that_does_not_decide_is_no_reason():
    # 8♣ is not next to the trio; on the turn of the contract nothing is laid off at all (CAR-5).
    evening = with_contract()
    for said in ({}, {"melded_this_turn": True, "contract_met": False}):
        given = kept(evening, asked(evening, "lay_off", "lay_off 8C onto 0", player=CEM, **said))
        assert not given.sources
        assert [breach.message for breach in given.ruling.breaches] == ["cannot_be_added"]


# -- whatever the question is --------------------------------------------------------------------

Outcome = tuple[object, ...]


def outcome(rules: Judge, question: Question) -> Outcome:
    ruling = rule_on(rules, question)
    if isinstance(ruling, Depends):
        return ("depends",)
    of_plays = tuple([play.outcome for play in ruling.plays if question.ask == "turn"])
    return ruling.legal, ruling.broken, ruling.consequence, of_plays


def possible(rules: Judge, questions: Iterable[Question]) -> Iterator[Outcome]:
    """Yield the outcomes of the questions whose cards are possible."""
    for question in questions:
        with suppress(Malformed):
            yield outcome(rules, question)


def with_other_value(question: Question, fact: str) -> Iterator[Question]:
    """Yield the question with every other value of a fact."""
    if fact != "pile":
        yield question.with_flag(fact, not question.flag(fact))
        return
    free = set(PACK) - {offered.card for play in question.plays for offered in play.cards}
    free -= {laid.card for meld in question.melds for laid in meld.cards}
    for cards in ((), *((top,) for top in free), *permutations(free, 2)):
        yield replace(question, pile=Pile(cards))


@given(CHANCE)
def test_only_kept_facts_change_the_outcome(chance):
    rules, question, ruling = a_ruling(chance)
    stated = {flag: STATED for flag in FLAGS if flag not in question.unknown}
    if question.discarded is not None and question.pile != UNKNOWN_PILE:
        stated["pile"] = STATED
    sources = rulings.sources_kept(rules, replace(question, sources=stated))
    assert set(sources) <= set(stated)
    resting = question
    for fact in set(stated) - set(sources):
        resting = resting.without(fact)
    same = outcome(rules, question)
    assert outcome(rules, resting) == same
    for fact in sources:
        others = possible(rules, with_other_value(resting, fact))
        by_cards = fact in facts_that_decide_plays(
            rules, resting.without(fact)
        )  # they forbid the others
        assert by_cards or any(other != same for other in others), fact
    for fact in ruling.regardless_of:
        if fact != "pile":
            either = [question.with_flag(fact, value=value) for value in (True, False)]
            assert {found[:-1] for found in possible(rules, either)} == {same[:-1]}
