"""Rulings: kept with their facts, enforced, replaced; and who knows the pile after them.

Old rulings were kept in words, without facts.
"""

from dataclasses import replace
from typing import Any

import pytest

from companion.notebook.events import (
    STATED,
    NotPossible,
    PenaltyWithdrawn,
    PileSeen,
    PlayRecorded,
    Ruled,
    RulingEnforced,
)
from companion.notebook.possible_left import asks_penalty_cards
from companion.rules.errors import Ambiguous, Illegal, Malformed
from companion.rules.games.kalooki import KalookiJudge
from companion.rules.melds import Meld
from companion.rules.question import CALL, DRAW, NO_PILE, UNKNOWN_PILE, Call, Question
from companion.rules.ruling import Ruling
from companion.rules.table import Table, parse_play
from tests.notebook.evening import (
    ANA,
    BEN,
    CEM,
    LEGAL,
    WRONG_DISCARD,
    WRONG_MELD,
    Evening,
    begun,
    of_game,
    pile,
    unsaid,
)
from tests.notebook.test_replay import assert_steps_are_replays

RUN, TWOS, TENS = "5C 6C 7C", "2C 2D 2H", "TD JD QD"
NINE = pile("9S")


def melds(*texts: str) -> tuple[Meld, ...]:
    """Return melds that are on no recorded table."""
    evening = Evening()
    evening.play(ANA, *(f"meld {text}" for text in texts))
    return evening.hand.board.table.melds


def known(evening: Evening) -> dict[int, str]:
    """Return which seat knows which cards of the pile; ``.`` if nothing lies under them."""
    board = evening.hand.board
    piles = {seat: board.pile_for(seat) for seat in evening.sheet.players}
    return {
        seat: ("." if one.whole else "") + "".join(card.text for card in one.cards)
        for seat, one in piles.items()
        if one != UNKNOWN_PILE
    }


# -- steps of a hand -----------------------------------------------------------------------------


def played(seat, *plays):
    return lambda evening: evening.play(seat, *plays)


def asked(seat, ask, *plays, **facts):
    return lambda evening: evening.write(evening.judged(seat, ask, *plays, **facts))


def ruled(seat, *plays, verdict=WRONG_DISCARD, melded=False, ask="turn"):
    """A step that records an old ruling, without facts."""
    return lambda evening: evening.rule(
        seat, *plays, verdict=verdict, melded_this_turn=melded, ask=ask
    )


def enforced(*rest):
    """A step that enforces the latest ruling, with the rest of its turn."""
    return lambda evening: evening.write(
        RulingEnforced(1, evening.hand.rulings[-1].entry.number, rest)
    )


def charged(seat, rule):
    return lambda evening: evening.charge(seat, rule)


def thrown_in(evening):
    evening.throw_in()


def marked(evening):
    evening.mark(ANA, {BEN: "KC", CEM: "2S"})


def after(*steps, evening=None):
    evening = evening or begun()
    for step in steps:
        step(evening)
    return evening


# -- keeping a ruling ----------------------------------------------------------------------------


def test_a_ruling_is_kept_with_its_question_and_the_table_it_was_given_on():
    evening = begun()
    event = evening.judged(BEN, "discard", "discard 9H", pile=NINE, sources={"pile": 3})
    entry = evening.write(event)
    evening.play(BEN, f"meld {TWOS}")
    (kept,) = evening.hand.rulings
    assert (kept.entry, kept.given) == (entry, event)
    assert [meld.text for meld in kept.question.melds[: kept.known_melds]] == [RUN]
    assert (kept.enforced, kept.replaced) == (None, None)
    assert evening.hand.all_rulings == [kept]

    # So is an old one, which rests on no facts.
    evening = begun()
    written = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD, ask="discard")
    evening.play(BEN, f"meld {TWOS}")
    (kept,) = evening.hand.rulings
    assert (kept.entry, kept.enforced, kept.given.melded_before) == (written, None, False)
    assert kept.question.plays == (parse_play("discard 9H"),)
    assert [meld.text for meld in kept.question.melds[: kept.known_melds]] == [RUN]
    assert (kept.given.charge, kept.given.sources) == ("PRO-13.2", {})
    assert kept.ruling.broken == ("PRO-11",)
    assert kept.ruling.says.startswith("9♥ has the rank of 9♠.")


def test_the_plays_of_a_legal_ruling_are_on_the_table_and_illegal_plays_are_not():
    evening = begun()
    turn = (f"meld {TWOS}", "lay_off 8C onto 0", "discard KD")
    evening.write(evening.judged(BEN, "turn", *turn, pile=NINE))
    assert evening.melds == ["5C 6C 7C 8C", TWOS]
    assert evening.pile == ["9S", "KD"]
    assert (evening.hand.board.melded, evening.hand.board.laid_off) == ({ANA, BEN}, {BEN})
    before = evening.hand.board
    evening.write(evening.judged(CEM, "meld", "meld 3C 4C 9D"))
    assert evening.hand.board == before
    evening.undo()
    evening.undo()
    assert (evening.melds, evening.pile) == ([RUN], ["9S"])
    evening.redo()
    assert evening.melds == ["5C 6C 7C 8C", TWOS]
    assert_steps_are_replays(evening.entries)


def test_if_melds_stay_in_hand_only_an_old_rulings_melds_are_on_the_table():
    for step, melds_there in (
        (asked(BEN, "meld", f"meld {RUN}"), []),
        (asked(BEN, "declare", f"meld {RUN} 9D", f"meld {RUN}"), []),
        (ruled(BEN, f"meld {RUN}", verdict=LEGAL, ask="meld"), [RUN]),
    ):
        assert after(step, evening=of_game("pay_me")).melds == melds_there


# -- melds that only lie there -------------------------------------------------------------------


def test_melds_of_a_question_stay_on_record_and_belong_to_nobody():
    for laid_off, on_record, by in (("KD", "TD JD QD KD", {BEN}), ("2D", TENS, frozenset())):
        evening = begun()  # they lie there also if what was asked is illegal
        lying = (*evening.hand.board.table.melds, *melds(TENS))
        play = f"lay_off {laid_off} onto 1"
        evening.write(evening.judged(BEN, "lay_off", play, lying=lying, melded_this_hand=True))
        assert evening.melds == [RUN, on_record]
        assert evening.hand.board.melded == {ANA}
        assert evening.hand.board.laid_off == by

    # They stay when the turn is taken back.
    evening = after(played(BEN, f"meld {TWOS}"))
    lying = (*evening.hand.board.table.melds, *melds(TENS))
    turn = ("lay_off KD onto 2", "discard 9H")
    after(asked(BEN, "turn", *turn, lying=lying, pile=NINE), enforced(), evening=evening)
    assert evening.melds == [RUN, TWOS, TENS]


def test_only_a_meld_may_be_recorded_for_nobody():
    evening = begun()
    evening.write(PlayRecorded(1, None, f"meld {TENS}"))
    assert evening.melds == [RUN, TENS]
    assert evening.hand.board.melded == {ANA}
    assert known(evening) == {BEN: "9S"}
    evening.charge(ANA, "PRO-13.1")  # Ana's turn is the last on record: it is taken back
    assert evening.melds == [TENS]
    evening = Evening()  # with no turn on record
    evening.write(PlayRecorded(1, None, f"meld {TENS}"))
    assert evening.melds == [TENS]
    for play in ("discard 9H", "take_pile", "lay_off 8C onto 0"):
        with pytest.raises(NotPossible, match="Say which player"):
            begun().write(PlayRecorded(1, None, play))
    with pytest.raises(Malformed, match="5♣ is in the melds"):
        begun().write(PlayRecorded(1, None, "meld 5C 5D 5H"))


# -- who knows the pile --------------------------------------------------------------------------

LEGAL_MELD = asked(BEN, "meld", f"meld {TENS}", melded_this_turn=True)
LATER_MELD = asked(BEN, "meld", f"meld {TENS}", melded_this_turn=False)
NO_MELD = asked(BEN, "meld", "meld 2C 3D 4H")
BAD_TURN = ("meld 2C 3D 4H", "discard KD")
REST = (f"meld {TENS}", "discard KH")


@pytest.mark.parametrize(
    ("steps", "knows", "by", "lies"),
    [
        # Steps after Ana's discard of the 9♠, entry 3; who then knows which cards of the pile, from
        # which entry; and what lies on record. None: it does not matter here.
        ([], {BEN: "9S"}, 3, "9S"),
        # Ben may have taken the pile before his discard, with nobody noting that.
        ([played(BEN, "discard KD")], {CEM: "KD"}, 4, "9S KD"),
        # Cem has played too, and nobody noted what.
        ([played(BEN, "discard KD"), played(ANA, "discard 4H")], {BEN: "4H"}, 5, None),
        ([played(BEN, "take_pile")], {BEN: "."}, 4, ""),
        ([played(BEN, "take_pile", "meld 9S 9D 9H", "discard KD")], {CEM: ".KD"}, 6, "KD"),
        (
            [played(BEN, "take_pile", "meld 9S 9D 9H", "discard KD"), played(CEM, "discard 4H")],
            {ANA: "4H"},
            7,
            "KD 4H",
        ),
        # Nobody knows a pile that was only seen.
        ([lambda evening: evening.write(PileSeen(1, "KD 4H"))], {}, None, "KD 4H"),
        # Melds and lay-offs of the one who knows it change nothing; those of others are later.
        ([played(BEN, f"meld {TWOS}", "lay_off 8C onto 0"), LEGAL_MELD], {BEN: "9S"}, 3, "9S"),
        *(
            ([step], {}, None, "9S")
            for seat in (ANA, CEM)
            for step in (
                played(seat, f"meld {TWOS}"),
                asked(seat, "meld", f"meld {TWOS}"),
                asked(seat, "meld", "meld 2C 3D 4H"),
            )
        ),
        # So is a second turn of the player who knew it.
        ([played(BEN, f"meld {TWOS}"), LATER_MELD], {}, None, "9S"),
        (
            [
                played(BEN, f"meld {TWOS}"),
                asked(BEN, "meld", "meld TD JD 4H", melded_this_turn=False),
            ],
            {},
            None,
            "9S",
        ),
        ([asked(BEN, "turn", "take_pile", "meld 9S 9D 9H", "discard KD")], {CEM: ".KD"}, 4, "KD"),
        ([asked(BEN, "turn", f"meld {TWOS}")], {BEN: "9S"}, 3, "9S"),
        # A discard that was ruled legal lies on what was known.
        *(
            ([asked(BEN, "discard", "discard KH", pile=before)], {CEM: known}, 4, lies)
            for before, known, lies in (
                (NINE, "9SKH", "9S KH"),
                (pile("3D 9S"), "3D9SKH", "3D 9S KH"),
                (pile("9S", whole=True), ".9SKH", "9S KH"),
                (NO_PILE, ".KH", "KH"),
            )
        ),
        # An illegal discard passes the turn: Ben may have drawn and discarded since, if it was
        # carried out; or the 9♥ lies there, if not.
        ([asked(BEN, "discard", "discard 9H", pile=NINE)], {}, None, "9S"),
        ([asked(BEN, "discard", "discard 9H", pile=NINE), enforced()], {}, None, "9S"),
        # An illegal meld that is taken back alone leaves the turn to the player.
        ([NO_MELD], {BEN: "9S"}, 3, "9S"),
        ([NO_MELD, enforced()], {BEN: "9S"}, 3, "9S"),
        # Another pile than the known one was said.
        ([asked(BEN, "turn", *BAD_TURN, pile=pile("QC TS"))], {}, None, "QC TS"),
        ([asked(BEN, "turn", *BAD_TURN, pile=NINE)], {BEN: "9S"}, 3, "9S"),
        # The rest of a turn ends with a discard.
        (
            [asked(BEN, "turn", BAD_TURN[0], *REST, pile=NINE), enforced(*REST)],
            {CEM: "9SKH"},
            5,
            "9S KH",
        ),
        # A charge that takes a turn back makes the pile unknown, whosever turn.
        ([charged(BEN, "PRO-13.1")], {}, None, None),
        ([charged(ANA, "PRO-13.3")], {BEN: "9S"}, None, None),
        # A new deal.
        ([thrown_in], {}, None, ""),
        ([marked], {}, None, ""),
        # An old legal ruling says no more than was known: then the recorded pile was taken for
        # what lay there, whoever played.
        ([ruled(CEM, "discard KH", verdict=LEGAL)], {ANA: "KH"}, 4, "9S KH"),
        ([ruled(BEN, "discard KH", verdict=LEGAL)], {CEM: "9SKH"}, 4, "9S KH"),
    ],
)
def test_at_most_one_seat_knows_the_pile(steps, knows, by, lies):
    evening = after(*steps)
    assert known(evening) == knows
    if by is not None:
        assert evening.hand.board.known_by == by
    if lies is not None:
        assert evening.pile == lies.split()


# -- the contract --------------------------------------------------------------------------------

TRIOS = ("meld 7C 7D 7H", "meld 9C 9D 9H")


def met(evening: Evening) -> list[bool]:
    return [evening.hand.board.has_met_contract(seat) for seat in evening.sheet.players]


def test_a_contract_ruled_legal_counts_as_met_from_the_next_turn():
    evening = after(asked(BEN, "contract", *TRIOS), evening=of_game("carioca"))
    assert evening.melds == ["7C 7D 7H", "9C 9D 9H"]
    assert met(evening) == [False, False, False]
    evening.play(BEN, "discard KS")
    assert met(evening) == [False, True, False]
    evening.undo()
    evening.undo()
    assert evening.hand.board.met_contract == frozenset()
    # In a game without contracts there is none to meet.
    evening = after(asked(BEN, "turn", f"meld {TWOS}", "discard KS", pile=NINE))
    assert evening.hand.board.met_contract == frozenset()


def test_only_a_legal_ruling_with_the_whole_contract_meets_it():
    for steps, ben in (
        ([asked(BEN, "turn", *TRIOS, "discard KS")], True),
        ([ruled(BEN, *TRIOS, verdict=LEGAL, ask="contract"), played(BEN, "discard KS")], True),
        # Melds on record are no contract.
        ([played(BEN, *TRIOS, "discard KS")], False),
        # A trio is missing (CAR-3).
        ([asked(BEN, "contract", TRIOS[0]), played(BEN, "discard KS")], False),
        ([asked(BEN, "turn", "discard KS", pile=UNKNOWN_PILE)], False),
        (
            [played(ANA, *TRIOS), asked(BEN, "lay_off", "lay_off 7S onto 0", contract_met=True)],
            False,
        ),
    ):
        evening = after(*steps, evening=of_game("carioca"))
        assert met(evening) == [False, ben, False]
        assert evening.hand.board.met_contract == ({BEN} if ben else frozenset())


MET = {"contract_met": True}


def too_many(
    evening: Evening, *plays: str, penalty_cards: bool | None = None, **facts: bool
) -> bool | str:
    """Return whether to ask for penalty cards of Cem, or why he cannot play so many cards."""
    given = evening.judged(CEM, "turn", *plays, **facts)
    question, ruling = given.question, given.ruling
    try:
        return asks_penalty_cards(evening.hand, CEM, "Cem", question, ruling, penalty_cards)
    except NotPossible as problem:
        return str(problem)


def in_hand(game: str, number: int, *melds: str) -> Evening:
    """Begin a hand in which Ana has laid these melds."""
    evening = of_game(game)
    for _ in range(number - 1):
        evening.mark(ANA, {BEN: "QC", CEM: "QD"})
    evening.play(ANA, *melds)
    return evening


def test_the_cards_of_a_contract_that_is_said_to_be_met_are_held_no_longer():
    # CAR-1, CAR-3: 11 cards dealt, three trios laid, and one drawn.
    evening = in_hand("carioca", 4, "meld 9C 9D 9H", "meld 2C 2D 2H")
    three, four = "lay_off 9S XX XX onto 0", "lay_off 9S XX XX XX onto 0"
    assert too_many(evening, three, **MET) is False
    says = "Cem can hold 3 cards at most: with the contract, Cem had laid 9 cards."
    assert too_many(evening, four, **MET) == says
    # Who had not met it may hold all of them, whatever else is wrong.
    assert too_many(evening, four, contract_met=False) is False
    # What Cem lays off on record is laid beside it.
    stated = {"contract_met": STATED}
    for play in ("lay_off 9S onto 0", "lay_off XX onto 0", "lay_off XX onto 0"):
        assert too_many(evening, play, **MET) is False
        evening.write(evening.judged(CEM, "lay_off", play, **MET, sources=stated))
    says = "Cem can hold 0 cards at most: with the contract, Cem had laid 12 cards."
    assert too_many(evening, "lay_off 2S onto 1", **MET) == says


def test_melds_on_record_are_those_of_the_contract_as_far_as_they_go():
    # CAR-3: hand 1 asks for two trios. Cem's two, and an escalera that can only be a later one.
    evening = of_game("carioca", new_melds_after_contract="yes")
    evening.play(CEM, "meld 7C 7D 7H", "discard KS")
    assert "had laid 6 cards" in too_many(evening, "lay_off 7S 7S XX XX XX XX 7C onto 0", **MET)
    evening.play(CEM, "meld 9C 9D 9H", "meld 2S 3S 4S 5S", "discard KH")
    says = "Cem can hold 2 cards at most: the recorded table has 10 cards that Cem laid."
    assert too_many(evening, "lay_off 7S 7S XX onto 0", **MET) == says


def test_the_cards_of_an_illegal_play_are_held_once_and_can_be_played_again():
    # CAR-1, CAR-3: of 11 cards, two trios are laid, and one is drawn. No further melds (CAR-5).
    evening = in_hand("carioca", 1, "meld 7C 7D 7H", "meld 9C 9D 9H")
    turn = ["meld 2C 3C 4C 6C", "lay_off 7S 7S onto 0"]
    assert too_many(evening, *turn, "discard 6C", **MET) is False
    says = "Cem can hold 6 cards at most: with the contract, Cem had laid 6 cards."
    assert too_many(evening, *turn, "discard 8C", **MET) == says


def test_nobody_lays_off_after_an_earlier_turn_with_a_contract_of_all_cards_dealt():
    # CAR-3: hand 6 uses up the deal: a trio and two escaleras, and the card drawn is discarded.
    evening = in_hand("carioca", 6, "meld 9C 9D 9H")
    says = "Cem can hold 0 cards at most: with the contract, Cem had laid 11 cards."
    assert too_many(evening, "lay_off 9S onto 0", **MET) == says
    assert too_many(evening, "lay_off 9S onto 0", contract_met=False) is False
    # KAL-7: in Kalooki, which deals 9 cards for three threes, a joker drawn cannot be discarded.
    evening = in_hand("kalooki", 1, "meld 9C 9D 9H")
    assert too_many(evening, "lay_off 9S onto 0", **MET) is False


def test_penalty_cards_alone_explain_more_than_the_deal_and_the_contract(monkeypatch):
    # KAL-1: 11 cards in hand 3, for a three and two fours. KAL-4: three calls give six cards.
    evening = in_hand("kalooki", 3, "meld 9C 9D 9H")
    play = "lay_off 9S 9S XX onto 0"
    assert too_many(evening, play, **MET) is True
    assert too_many(evening, play, penalty_cards=True, **MET) is False
    says = "Cem can hold 1 card at most: with the contract, Cem had laid 11 cards."
    assert too_many(evening, play, penalty_cards=False, **MET) == says
    # Nobody is asked in a game that does not say what they are drawn for.
    monkeypatch.setattr(KalookiJudge, "penalty_cards", "")
    assert too_many(evening, play, **MET) == says


# -- enforcing -----------------------------------------------------------------------------------

WRONG = asked(BEN, "discard", "discard 9H", pile=NINE)


@pytest.mark.parametrize("ruling", [WRONG, ruled(BEN, "discard 9H", melded=True)])
def test_enforcing_a_ruling_charges_and_takes_the_turn_back(ruling):
    evening = begun()
    first = evening.hand.board
    after(played(BEN, "lay_off 8C onto 0", f"meld {TWOS}"), ruling, evening=evening)
    before = evening.hand.board
    number = evening.sheet.number
    carried_out = evening.write(RulingEnforced(1, number))
    board = evening.hand.board
    assert board.table == Table(first.table.melds, first.table.pile)
    assert (board.melded, board.laid_off, board.seat_at_turn) == ({ANA}, frozenset(), None)
    assert (evening.melds, evening.pile, evening.totals) == ([RUN], ["9S"], [0, 20, 0])
    (penalty,) = evening.hand.penalties
    assert (penalty.entry, penalty.player) == (carried_out, BEN)
    assert (penalty.charged.rule, penalty.charged.points) == ("PRO-13.2", 20)
    assert evening.hand.rulings[0].enforced == carried_out
    with pytest.raises(NotPossible, match="carried out already"):
        evening.write(RulingEnforced(1, number))
    # Ben has no recorded meld any more, so the end of the hand asks.
    with pytest.raises(NotPossible, match="Did Ben lay a meld"):
        evening.mark(ANA, {BEN: unsaid("KC QC JC TC 9C 8C"), CEM: "2S"})
    evening.undo()
    assert evening.hand.board == before
    assert evening.totals == [0, 0, 0]
    assert evening.hand.rulings[0].enforced is None
    evening.redo()
    evening.write(PenaltyWithdrawn(1, carried_out.number))
    assert evening.totals == [0, 0, 0]


def test_cards_under_a_discard_are_unknown_once_others_have_played_after_the_pile_was_taken():
    evening = begun()
    evening.play(ANA, "take_pile")  # what she discarded then is not on record
    wrong = evening.judged(BEN, "discard", "discard 5H", pile=pile("5D"))
    evening.write(RulingEnforced(1, evening.write(wrong).number))
    evening.play(ANA, "discard 7D")
    assert evening.hand.board.known == pile("7D")
    evening.play(BEN, "take_pile", "discard 6D")
    assert evening.hand.board.known == pile("6D", whole=True)


def test_a_ruling_is_enforced_only_against_a_player():
    evening = begun()
    legal = evening.rule(BEN, f"meld {TWOS}", verdict=LEGAL)
    for event, sentence in (
        (RulingEnforced(1, legal.number), "The play is legal"),
        (RulingEnforced(1, 2), "no such ruling in hand 1"),
        (RulingEnforced(2, legal.number), "Hand 2 has not begun"),
    ):
        with pytest.raises(NotPossible, match=sentence):
            evening.write(event)


OLD, OLD_IN_TURN = ruled(BEN, "discard 9H"), ruled(BEN, "discard 9H", melded=True)
TWO = played(BEN, f"meld {TWOS}")
NINES = ("take_pile", "meld 9S 9H 9D")


@pytest.mark.parametrize(
    ("steps", "left", "ben"),
    [
        # Steps after Ana's turn, and Ben's first ruling is carried out; the melds that are left,
        # and Ben's points.
        # A later turn, or another player's, is not taken back for an earlier one.
        (
            [TWO, OLD_IN_TURN, played(CEM, f"meld {TENS}"), played(BEN, "meld 3C 3D 3H")],
            [RUN, TWOS, TENS, "3C 3D 3H"],
            20,
        ),
        ([OLD, played(CEM, f"meld {TENS}")], [RUN, TENS], 20),
        # A new deal is not taken back for one that was thrown in.
        ([TWO, OLD_IN_TURN, thrown_in, played(BEN, "meld 3C 3D 3H")], ["3C 3D 3H"], 20),
        # The record holds Ben's meld, and neither his discard nor anybody's turn after it. Asked
        # in his next turn, the marker says that he has not melded in this one.
        ([TWO, OLD], [RUN, TWOS], 20),
        ([TWO, ruled(BEN, *NINES)], [RUN, TWOS], 20),
        # A meld before the pile was taken goes with the turn that it was laid in.
        ([TWO, ruled(BEN, *NINES, melded=True)], [RUN], 20),
        # A legal play in a new turn is taken back alone.
        ([TWO, ruled(BEN, "meld 3C 3D 3H", verdict=LEGAL), OLD_IN_TURN], [RUN, TWOS], 20),
        # A wrong meld is taken back alone, without points.
        ([TWO, asked(BEN, "meld", "meld 3C 4C 9D")], [RUN, TWOS], 0),
        ([TWO, ruled(BEN, "meld 3C 4C 9D", verdict=WRONG_MELD, melded=True)], [RUN, TWOS], 0),
        # Which recorded turn a discard was in is not asked: Ben's meld may be of this one.
        ([TWO, WRONG], [RUN], 20),
        ([OLD, marked], [RUN], 33),
        # A turn of a hand that is marked stays on its table.
        ([TWO, OLD_IN_TURN, marked], [RUN, TWOS], 33),
    ],
)
def test_which_turn_is_taken_back(steps, left, ben):
    evening = after(*steps)
    (*_, line) = evening.sheet.hands[0].rulings
    evening.write(RulingEnforced(1, line.entry.number))
    table = evening.sheet.hands[0].board.table
    assert [meld.text for meld in table.melds] == left
    assert [card.text for card in table.pile] == ([] if thrown_in in steps else ["9S"])
    assert evening.points(1) == [0, ben, 2 if marked in steps else 0]


# -- the rest of a turn of which a play is taken back --------------------------------------------

REST_OF_IT = (f"meld {TWOS}", "discard KS")
IN_A_TURN = (REST_OF_IT[0], "meld 3C 4C 9D", REST_OF_IT[1])


@pytest.mark.parametrize(("melded", "number"), [(True, 2), (False, 3)])
def test_the_rest_of_a_turn_continues_the_recorded_turn_or_begins_another(melded, number):
    wrong = ruled(BEN, *IN_A_TURN, verdict=WRONG_MELD, melded=melded)
    evening = after(played(BEN, "meld TC TD TH"), wrong, enforced(*REST_OF_IT))
    assert evening.hand.board.number == number


def test_a_rest_that_cannot_lie_on_the_table_is_refused():
    evening = begun()
    whole = evening.rule(BEN, f"meld {TWOS}", "discard 9H", verdict=WRONG_DISCARD)
    with pytest.raises(NotPossible, match="The whole turn is taken back"):
        evening.write(RulingEnforced(1, whole.number, (f"meld {TWOS}",)))
    ruling = evening.rule(BEN, *IN_A_TURN, verdict=WRONG_MELD).number
    with pytest.raises(Illegal, match="no"):
        evening.write(RulingEnforced(1, ruling, ("meld 3C 4C 9D",)))
    marked(evening)
    with pytest.raises(NotPossible, match="Hand 2 is being played"):
        evening.write(RulingEnforced(1, ruling, REST_OF_IT))
    evening.write(RulingEnforced(1, ruling))


# -- charges that take the turn back (PRO-13.1, PRO-13.2) ----------------------------------------


@pytest.mark.parametrize(
    ("player", "rule", "left"),
    [
        (BEN, "PRO-13.1", [RUN]),
        (BEN, "PRO-13.2", [RUN]),
        (BEN, "PRO-13.3", [RUN, TWOS]),  # costs points, and takes nothing back
        (ANA, "PRO-13.1", [RUN, TWOS]),  # the turn on record is not hers
    ],
)
def test_a_charge_that_takes_back_the_turn_removes_the_recorded_turn(player, rule, left):
    evening = after(played(BEN, f"meld {TWOS}", "discard KS"))
    before = evening.hand.board
    evening.charge(player, rule)
    assert (evening.melds, evening.totals[player]) == (left, 20)
    assert evening.pile == (["9S"] if left == [RUN] else ["9S", "KS"])
    evening.undo()
    assert evening.hand.board == before
    assert evening.totals == [0, 0, 0]


# -- replacing -----------------------------------------------------------------------------------


def right_discard(evening: Evening, number: int, table: tuple[Meld, ...] | None = None) -> Ruled:
    """The ruling on the 9♥ with the fact changed: the 4♦ lies on top."""
    return evening.judged(
        BEN, "discard", "discard 9H", pile=pile("4D"), instead_of=number, lying=table
    )


def test_a_ruling_that_replaces_another_withdraws_its_charge():
    evening = after(WRONG, enforced())
    carried_out = evening.entries[-1]
    assert evening.totals == [0, 20, 0]
    entry = evening.write(right_discard(evening, 4))
    assert evening.totals == [0, 0, 0]
    (penalty,) = evening.hand.penalties
    assert (penalty.entry, penalty.withdrawn) == (carried_out, entry)
    old, new = evening.hand.rulings
    assert (old.replaced, new.replaced) == (entry, None)
    assert evening.hand.standing_rulings == evening.hand.all_rulings == [new]
    assert evening.pile == ["4D", "9H"]
    assert known(evening) == {CEM: "4D9H"}
    # A ruling is replaced once, and not carried out after.
    with pytest.raises(NotPossible, match="has been replaced already"):
        evening.write(right_discard(evening, 4))
    with pytest.raises(NotPossible, match="no such ruling in hand 1"):
        evening.write(RulingEnforced(1, 4))
    evening.undo()
    assert evening.totals == [0, 20, 0]
    assert [one.replaced for one in evening.hand.rulings] == [None]
    assert evening.pile == ["9S"]
    assert_steps_are_replays(evening.entries)


def test_replacing_a_ruling_restores_the_turn_it_took_back_and_removes_what_it_laid():
    evening = after(TWO)
    table = evening.hand.board.table.melds
    after(WRONG, enforced(), evening=evening)
    assert evening.melds == [RUN]
    evening.write(right_discard(evening, 5, table))
    assert evening.melds == [RUN, TWOS]
    assert evening.hand.board.melded == {ANA, BEN}

    evening = begun()
    table = evening.hand.board.table.melds
    first = evening.write(evening.judged(BEN, "lay_off", "lay_off 8C onto 0"))
    assert evening.melds == ["5C 6C 7C 8C"]
    again = {"lying": table, "instead_of": first.number}
    evening.write(evening.judged(CEM, "lay_off", "lay_off 8C onto 0", **again))
    assert evening.melds == ["5C 6C 7C 8C"]
    assert evening.hand.board.laid_off == {CEM}
    again["instead_of"] = evening.sheet.number
    evening.write(evening.judged(CEM, "lay_off", "lay_off 9C onto 0", **again))
    assert evening.melds == [RUN]
    assert evening.hand.board.laid_off == frozenset()
    assert len(evening.hand.standing_rulings) == 1


def test_a_ruling_that_left_the_table_alone_is_replaced_at_any_time():
    for steps, left in (
        # One that left the table alone is replaced also after other plays, and those between it
        # and its carrying out stay.
        ([WRONG, enforced(), played(CEM, f"meld {TENS}", "discard 2S")], [RUN, TENS]),
        ([WRONG, played(CEM, f"meld {TENS}"), enforced()], [RUN, TENS]),
        ([OLD, enforced()], [RUN]),
    ):
        evening = after(*steps)
        evening.write(right_discard(evening, 4))
        assert (evening.melds, evening.totals) == (left, [0, 0, 0])
        assert [one.replaced is None for one in evening.hand.rulings] == [False, True]


def test_a_ruling_that_changed_the_table_is_not_replaced_after_later_plays():
    evening = begun()
    first = evening.write(evening.judged(BEN, "lay_off", "lay_off 8C onto 0"))
    evening.play(CEM, f"meld {TENS}")
    other = evening.judged(CEM, "lay_off", "lay_off 9C onto 0", instead_of=first.number)
    with pytest.raises(NotPossible, match="The recorded table has changed since that ruling"):
        evening.write(other)
    evening.undo()
    again = {"lying": evening.hand.rulings[-1].before.table.melds, "instead_of": first.number}
    evening.write(evening.judged(CEM, "meld", f"meld {TENS}", **again))
    assert evening.melds == [RUN, TENS]


def test_a_withdrawn_charge_is_not_withdrawn_again_and_others_stay():
    evening = after(WRONG, enforced())
    back = evening.write(PenaltyWithdrawn(1, 5))
    with pytest.raises(NotPossible, match="taken back already"):
        evening.write(PenaltyWithdrawn(1, 5))
    evening.write(right_discard(evening, 4))
    (penalty,) = evening.hand.penalties
    assert penalty.withdrawn == back
    assert evening.totals == [0, 0, 0]
    evening = after(charged(BEN, "PRO-13.3"), WRONG)
    evening.write(right_discard(evening, evening.sheet.number))
    assert evening.totals == [0, 20, 0]


# -- impossible rulings --------------------------------------------------------------------------


def test_an_impossible_old_ruling_is_refused():
    with pytest.raises(NotPossible, match="worked out"):
        begun().rule(BEN, "discard 9H", verdict=WRONG_DISCARD | {"charge": "PRO-13.5"})
    with pytest.raises(Malformed, match="no meld 4"):
        begun().rule(BEN, "lay_off 8C onto 4", verdict=LEGAL)


def changed(evening: Evening, **fields: Any) -> Ruled:
    """Return a legal ruling with other fields, or with another question."""
    event = evening.judged(BEN, "lay_off", "lay_off 8C onto 0")
    of_question = {name: fields.pop(name) for name in ("ask", "plays", "melds") if name in fields}
    if "plays" in of_question:
        of_question["plays"] = tuple(map(parse_play, of_question["plays"]))
    return replace(event, question=replace(event.question, **of_question), **fields)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"player": 3}, "Say which player"),
        ({"hand": 2}, "Hand 1 is being played"),
        ({"charge": "PRO-13.6"}, "does not apply"),
        ({"charge": "PRO-13.5"}, "worked out"),
        ({"melds": ()}, "differs from the recorded table"),
        ({"melds": melds(TENS, RUN)}, "differs from the recorded table"),
        ({"ask": "declare"}, "There are no such rulings in Proter"),
        ({"plays": ("lay_off 8C onto 1",)}, "no meld 1 on the table"),
        ({"plays": ("swap 8C onto 7",)}, "no meld 7 on the table"),
        ({"plays": ("lay_off KD onto 0",)}, "cannot be added"),
        ({"plays": ("lay_off AS onto 0",)}, "A♠ could be"),
        ({"plays": ("meld 5C 5D 5H",)}, "5♣ is in"),
    ],
)
def test_an_impossible_ruling_is_refused(fields, sentence):
    evening = begun()
    evening.write(changed(evening))
    evening.undo()
    with pytest.raises((NotPossible, Malformed, Illegal, Ambiguous), match=sentence):
        evening.write(changed(evening, **fields))


def test_a_ruling_that_does_not_fit_its_plays_is_refused():
    evening = begun()
    event = evening.judged(BEN, "turn", "meld 2C 3D 4H", "discard KH", pile=NINE)
    short = replace(event, ruling=event.ruling._replace(plays=event.ruling.plays[:1]))
    with pytest.raises(NotPossible, match="does not match the plays"):
        evening.write(short)
    # A meld of the same turn may be meant by a later play of it.
    turn = (f"meld {TWOS}", "lay_off 2S onto 1")
    evening.write(evening.judged(BEN, "turn", *turn, melded_this_turn=False))


def test_a_card_of_the_recorded_pile_that_is_played_shows_that_somebody_took_it():
    evening = Evening()
    for play in ("meld 3C 4C 5C", "discard 3C"):
        evening.play(ANA, "discard 3C")
        evening.play(BEN, play)
        assert evening.pile == (["3C"] if play == "discard 3C" else [])
        evening.undo()
        evening.undo()
    evening.play(ANA, "discard 3C")
    evening.write(PlayRecorded(1, None, "meld 3C 4C 5C"))
    assert evening.pile == []
    with pytest.raises(Malformed, match="3♣ is in the melds on the table and in the cards played"):
        evening.play(CEM, "meld 3C 3D 3H")


def test_the_recorded_cards_under_the_known_top_stay_on_record():
    evening = Evening()
    evening.play(CEM, "discard 4C")
    evening.play(ANA, "discard 9S")
    evening.write(evening.judged(BEN, "discard", "discard 9H", pile=pile("9S")))
    assert evening.pile == ["4C", "9S"]
    evening.undo()
    # With nothing under it, or another card, those are not there.
    evening.write(evening.judged(BEN, "discard", "discard 9H", pile=pile("9S", whole=True)))
    assert evening.pile == ["9S"]
    evening.write(evening.judged(BEN, "discard", "discard 9H", pile=pile("9C 9S")))
    assert evening.pile == ["9C", "9S"]
    evening.undo()
    # Cards of an earlier pile, which somebody took since.
    evening.write(evening.judged(BEN, "discard", "discard 4C", pile=pile("9S")))
    assert evening.pile == ["9S", "4C"]
    evening.write(evening.judged(CEM, "discard", "discard TD", pile=pile("4C 9S")))
    assert evening.pile == ["4C", "9S", "TD"]


def test_cards_that_cannot_be_on_the_table_are_refused():
    evening = begun()
    with pytest.raises(Malformed, match="6♣ is in the melds on the table and in the pile"):
        evening.write(PileSeen(1, "8S 6C"))
    event = evening.judged(BEN, "discard", "discard 9H", pile=NINE)
    question = replace(event.question, pile=pile("5C 9S"))
    with pytest.raises(Malformed, match="5♣ is in the melds on the table and in the pile"):
        evening.write(replace(event, question=question))
    event = evening.judged(BEN, "lay_off", "lay_off 8C onto 0")
    lying = (*event.question.melds, *melds("5D 5H 5S", "5C AH=6C 7C")[1:])
    with pytest.raises(Malformed, match="5♣ is in the melds"):
        evening.write(replace(event, question=replace(event.question, melds=lying)))


def bare(ask: str, *plays: str, **more: Any) -> Ruled:
    """Return a legal ruling on a question that was not judged."""
    question = Question(ask, tuple(map(parse_play, plays)), **more)
    return Ruled(1, BEN, question, Ruling(), None, {})


LEAVES = replace(bare("discard", "discard KH", pile=UNKNOWN_PILE), charge="IND-7.1")
IN_TURN, NONE_HERE = "made in another player's turn", "There are no such rulings"
ONLY_MELDS = "A draw takes cards from the pile, and only melds"


def test_a_kind_of_ruling_that_the_game_lacks_is_refused():
    for game, sheet, event, sentence in (
        ("indian_rummy", None, LEAVES, "makes a player leave"),
        ("indian_chief", None, bare("discard", "discard KH"), f"{NONE_HERE} in Indian Chief"),
        ("kalooki", None, bare(CALL, call=Call(BEN)), IN_TURN),
        ("kalooki", None, bare(CALL, call=None), IN_TURN),
        ("kalooki", None, bare(CALL, call=Call(9)), "Say which player"),
        ("carioca", None, bare(CALL, call=Call(ANA)), NONE_HERE),
        ("kalooki", None, bare(DRAW, call=Call(ANA)), NONE_HERE),
        ("contract_rummy", "gamerules", bare(DRAW, "meld 7C 7D 7S", pile=pile("")), ONLY_MELDS),
        ("contract_rummy", "gamerules", bare(DRAW, "discard 7C", pile=pile("7C KD")), ONLY_MELDS),
    ):
        with pytest.raises(NotPossible, match=sentence):
            of_game(game, sheet).write(event)


def test_a_draw_leaves_the_recorded_melds_and_an_unknown_pile():
    evening = of_game("contract_rummy", "gamerules")
    evening.play(ANA, "discard 7C")
    evening.play(BEN, "discard KD")
    drawn = bare(DRAW, "meld 7C 7D 7S", "meld KD KC KS", pile=pile("7C KD"))
    evening.write(replace(drawn, player=CEM))
    assert evening.hand.board.table.melds == ()
    assert known(evening) == {}
    assert_steps_are_replays(evening.entries)
    # Carioca has no rule on discards: one ruled legal on any pile is the only known card.
    steps = played(ANA, "discard 9S"), asked(CEM, "discard", "discard KH", pile=UNKNOWN_PILE)
    evening = after(*steps, evening=of_game("carioca"))
    assert known(evening) == {ANA: "KH"}
    assert evening.pile == ["9S", "KH"]
