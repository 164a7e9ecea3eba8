"""The recorded table: whose turn it is, plays that are taken back, the pile as it was seen."""

import pytest

from companion.notebook.board import (
    Board,
    grown_readings,
    place_on_record,
    play_on_record,
    why_not_on_table,
)
from companion.notebook.events import NotPossible
from companion.rules.cards import parse_cards, parse_meld_text
from companion.rules.errors import Ambiguous, Illegal, Malformed
from companion.rules.judge import Judge
from companion.rules.question import UNKNOWN_PILE, Pile, Question
from companion.rules.table import NO_TABLE, MeldPlay, parse_play
from tests.notebook.evening import ANA, BEN, CEM, Evening
from tests.rules.judges import rules_of

EIGHTS_WILD = rules_of("proter", 8)


def board(*plays: tuple[int, str], rules: Judge = EIGHTS_WILD) -> Board:
    """Return a board in hand 8, where eights are Proters, after these plays."""
    made = Board()
    for seat, play in plays:
        made = made.put(seat, parse_play(play), rules)
    return made


def melds(made: Board) -> list[str]:
    return [meld.text for meld in made.table.melds]


def pile(made: Board) -> str:
    return " ".join(card.text for card in made.table.pile)


def test_taking_the_pile_begins_a_turn():
    made = board((ANA, "discard KS"), (BEN, "meld 5C 6C 7C"), (BEN, "take_pile"))
    assert pile(made) == ""
    assert [play.text for play in made.turn_plays] == ["take_pile"]
    assert made.number == 3
    back = made.take_back(BEN)
    assert pile(back) == "KS"
    assert melds(back) == ["5C 6C 7C"]


def test_an_impossible_play_is_not_recorded():
    for play, error, sentence in (
        ("meld 5C 6C 9D", Illegal, "is not a set"),
        ("meld TC 8H TD", Ambiguous, "8♥ could be"),
        ("discard 2D", Malformed, "2♦ is in the melds"),
    ):
        made = board((ANA, "meld 2D 3D 4D"))
        with pytest.raises(error, match=sentence):
            made.put(BEN, parse_play(play), EIGHTS_WILD)


def test_rules_about_the_rest_of_a_turn_are_not_checked():
    # The first meld of a turn has no Proter (PRO-7), but the record may lack an earlier meld; and
    # a discard of the same rank as the card below (PRO-11) stays if nobody disputes it.
    made = board((ANA, "meld 5C 8H=6C 7C"), (ANA, "discard KS"), (BEN, "discard KD"))
    assert melds(made) == ["5C 8H=6C 7C"]
    assert pile(made) == "KS KD"


def test_the_plays_of_every_turn_are_known_until_it_is_taken_back():
    made = board(
        (ANA, "meld 5C 6C 7C"), (ANA, "discard KS"), (BEN, "lay_off 4C onto 0"), (CEM, "discard QD")
    )
    texts = [[play.text for play in made.plays_in(n, n - 1)] for n in (1, 2, 3)]
    assert texts == [["meld 5C 6C 7C", "discard KS"], ["lay_off 4C onto 0"], ["discard QD"]]
    assert made.plays_in(2, ANA) == ()
    assert [made.last_turn(seat) for seat in (ANA, BEN, CEM, 3)] == [1, 2, 3, 0]
    back = made.take_back(CEM)
    assert [back.last_turn(seat) for seat in (ANA, BEN, CEM)] == [1, 2, 0]
    assert made.turn_for(ANA).last_turn(CEM) == 3


def turn_after(*plays: tuple[int, str], melded: bool) -> tuple[int, int]:
    """Return the numbers of the last recorded turn, and of that in which Ana takes the pile."""
    made = board(*plays)
    asked = made.turn_of_question(ANA, [parse_play("take_pile")], melded=melded)
    return made.number, asked.number


def test_a_disputed_pile_belongs_to_the_current_turn():
    meld, lay_off = (ANA, "meld 5C 6C 7C"), (ANA, "lay_off 8C=8C onto 0")
    assert turn_after(meld, lay_off, melded=True) == (1, 1)
    # The marker says that the meld was laid in an earlier turn.
    assert turn_after(meld, lay_off, melded=False) == (1, 2)
    assert turn_after((BEN, meld[1]), lay_off, melded=False) == (2, 2)
    # Here the question is about the recorded play itself.
    assert turn_after((ANA, "take_pile"), melded=False) == (1, 2)
    assert turn_after((ANA, "take_pile"), meld, melded=True) == (1, 1)


# -- the contract --------------------------------------------------------------------------------


def test_a_contract_is_taken_back_with_its_turn():
    rules = rules_of("carioca", 3)
    contract = [parse_play("meld 5C 6C 7C 8C"), parse_play("meld 9D TD JD QD")]
    made = board((ANA, "discard KS"), rules=rules).put_turn(BEN, contract, rules, melded=None)
    assert made.met_contract == {BEN}
    back = made.take_back(BEN)
    assert back.met_contract == frozenset()
    assert not back.turn_for(BEN).has_met_contract(BEN)
    # A contract that was met before stays met.
    later = made.put(BEN, parse_play("discard QS"), rules)
    later = later.put(BEN, parse_play("lay_off 4C onto 0"), rules)
    assert later.take_back(BEN).met_contract == {BEN}


# -- melds on the table whose player is unknown --------------------------------------------------


def meld_play(cards: str) -> MeldPlay:
    return MeldPlay(parse_meld_text(cards))


@pytest.mark.parametrize(
    ("play", "why"),
    [
        ("meld 5C 6C 7C", ""),
        ("meld 5C 8H=6C 7C", ""),  # not as the first meld of a turn (PRO-7), but at some time
        ("lay_off 5D onto 0", ""),
        ("meld 2C 8H=2D 2S", "2♦ is already on the table, in 2♦ 3♦ 4♦"),
        ("lay_off KD onto 0", "K♦ cannot be added to the run 2♦ 3♦ 4♦."),
        ("swap 9C onto 0", "No Proter stands for 9♣ in that meld."),
    ],
)
def test_a_sentence_says_why_cards_cannot_be_on_the_table(play, why):
    said = why_not_on_table(board((ANA, "meld 2D 3D 4D")).table, parse_play(play), EIGHTS_WILD)
    assert said.startswith(why)
    assert bool(said) == bool(why)
    if why:
        assert said.endswith(" So it cannot lie on the table.")


def test_a_meld_that_has_grown_is_recorded_for_nobody():
    rules = rules_of("carioca")
    long = meld_play("7C 7D 7H 7S")  # CAR-3: it was three cards when it was laid
    assert why_not_on_table(NO_TABLE, long, rules) == ""
    there = Board().put_unowned_meld(long, rules)
    assert [meld.text for meld in there.table.melds] == ["7C 7D 7H 7S"]
    assert there.melded == there.laid_off == there.met_contract == frozenset()
    said = why_not_on_table(NO_TABLE, long, rules, grown=False)
    assert said.endswith("If it has grown since, record it without saying whose it is.")
    with pytest.raises(Illegal, match="a trio of the contract has 3"):
        Board().put(ANA, long, rules)
    never = meld_play("7C 7D 8H")
    assert why_not_on_table(NO_TABLE, never, rules).endswith("So it cannot lie on the table.")
    with pytest.raises(Illegal):
        Board().put_unowned_meld(never, rules)


# -- the board of a question ---------------------------------------------------------------------


def question(*plays: str) -> Question:
    ask = "discard" if plays[0].startswith("discard") else "turn"
    return Question(ask, tuple(map(parse_play, plays)), (), UNKNOWN_PILE)


def test_a_pile_with_a_card_that_is_now_played_was_taken():
    known = Pile(parse_cards("9D KH"), whole=False)
    before = board((ANA, "discard 9D"), (ANA, "discard KH")).with_pile_known(BEN, 7, known)
    for asked in (question("discard 9D"), question("meld 9D TD JD", "lay_off QD onto 0")):
        made = before.with_question(asked, EIGHTS_WILD)
        assert pile(made) == ""
        assert made.known_to is None
    # A player who takes it in the disputed turn may play its cards.
    taken = question("take_pile", "meld 9D TD JD", "discard KH")
    assert before.with_question(taken, EIGHTS_WILD) == before
    before_taking = question("meld 9D TD JD", "take_pile")
    assert pile(before.with_question(before_taking, EIGHTS_WILD)) == ""


# -- the pile as it was seen ---------------------------------------------------------------------


def seen(made: Board, cards: str) -> Board:
    return made.see_pile(parse_cards(cards))


def test_the_pile_that_the_marker_saw_stays_when_the_turn_is_taken_back():
    made = seen(board((ANA, "meld 5C 6C 7C")), "QD KS")
    assert pile(made) == "QD KS"
    assert pile(made.take_back(ANA)) == "QD KS"
    assert pile(seen(Board(), "QD")) == "QD"
    assert pile(seen(made, "")) == ""
    # Seen after the pile was taken, it does not change the one before.
    made = board((ANA, "discard KS"), (BEN, "take_pile"), (BEN, "discard QD"))
    assert pile(seen(made, "QD").take_back(BEN)) == "KS"


def test_taking_a_turn_back_takes_its_discard_off_the_pile():
    # The discard was recorded, and then the whole pile was seen with it.
    made = seen(board((ANA, "meld 5C 6C 7C"), (ANA, "discard KS")), "QD KS")
    assert pile(made) == "QD KS"
    assert pile(made.take_back(ANA)) == "QD"
    # Here the discard was not recorded, but it is a Proter that Ben has just swapped out.
    made = board((ANA, "meld 5C 8H=6C 7C"), (BEN, "swap 6C onto 0"))
    back = seen(made, "QD 8H").take_back(BEN)
    assert (melds(back), pile(back)) == (["5C 8H=6C 7C"], "QD")


def test_a_meld_that_is_never_possible_is_judged_as_a_first_meld():
    # CAR-3: hand 1 asks for two trios.
    meld = (ANA, "meld 5C 6C 7C 8C")
    with pytest.raises(Illegal, match="is an escalera, and hand 1 asks for 2 trios"):
        board(meld, rules=rules_of("carioca"))
    # Where new melds may follow the contract (CAR-5), there is a time for it.
    later = rules_of("carioca", new_melds_after_contract="yes")
    assert board(meld, rules=later).table.melds


def test_a_meld_that_cannot_have_been_laid_at_once_has_grown():
    for hand, meld, grew in (
        # CAR-3: trios of three and escaleras of four; CAR-5 lets them grow on a later turn.
        (1, "7C 7D 7H 7S", True),
        (1, "XX=7C XX=7D 7H 7S", True),  # CAR-4: one joker first, and the other came later
        (1, "XX=7C XX=7D XX=7H", False),
        (1, "7C 7D 7H", False),  # it is a first meld, and nothing was added
        (1, "5C 6C 7C 8C 9C", False),  # hand 1 has no escaleras
        (2, "5C 6C 7C 8C 9C", True),
        (2, "XX=5C XX=6C 7C 8C 9C", True),  # 6 7 8 9 with a joker, and then the other joker
        (2, "XX=5C XX=6C XX=7C 8C 9C", False),  # any four of them have two jokers
        (2, "7C 7D 7H 7S 8C", False),
    ):
        assert bool(grown_readings(NO_TABLE, meld_play(meld), rules_of("carioca", hand))) is grew
    # PRO-9: the 9 of clubs, for which an eight stands, lies in the run that was laid before.
    laid = board((ANA, "meld 9C TC JC")).table
    assert not grown_readings(laid, meld_play("6C 7C 8H=8C 8D=9C"), EIGHTS_WILD)


# -- melds as a page showed them -------------------------------------------------------------------

CLUBS, NINES, KINGS = "5C 6C 7C", "9D 9H 9S", "KD KH KS"


def test_a_meld_is_found_by_its_cards_on_the_recorded_table():
    for counted, onto, place in (
        (None, 1, 1),
        ([CLUBS, NINES], 1, 1),
        # The first meld of the page is missing: it was refused, or never sent.
        ([KINGS, CLUBS, NINES], 1, 0),
        ([KINGS, CLUBS, NINES], 2, 1),
        # Before it lies a meld that the page did not show.
        ([NINES], 0, 1),
        # The cards are the same in any order, and whatever a wild one is said to be.
        (["7C 5C 6C"], 0, 0),
        (["5C 6C=6C 7C"], 0, 0),
        # What a turn lays itself comes after all that lies there.
        ([CLUBS], 1, 2),
        ([], 0, 2),
    ):
        assert place_on_record(onto, counted, [CLUBS, NINES]) == place
        laid_off, swap = (parse_play(f"{one} onto {onto}") for one in ("lay_off 8C", "swap 6C"))
        for play in (laid_off, swap):
            assert play_on_record(play, counted, [CLUBS, NINES]).onto == place


def test_of_two_equal_melds_the_one_at_the_same_place_is_meant():
    assert place_on_record(1, [CLUBS, CLUBS], [CLUBS, CLUBS, NINES]) == 1
    assert place_on_record(2, [NINES, KINGS, CLUBS], [CLUBS, CLUBS, NINES]) == 0
    for text in ("meld 5D 6D 7D", "discard 5D", "take_pile"):  # and these mean none
        assert play_on_record(parse_play(text), [KINGS], []) == parse_play(text)


def test_a_meld_that_is_not_on_record_is_named():
    for meld in (KINGS, "5C 6C 7C 8C", "5C 6C"):
        with pytest.raises(NotPossible, match="is not on the recorded table") as raised:
            place_on_record(0, [meld], [CLUBS, NINES])
        assert raised.value.field == "onto"
    with pytest.raises(Malformed):
        place_on_record(0, ["x"], [CLUBS, NINES])


def test_a_turn_on_record_is_over_with_its_discard():
    evening = Evening()
    for plays, seat in (((), None), (("meld 5C 6C 7C",), BEN), (("discard KS",), None)):
        evening.play(BEN, *plays)
        assert evening.hand.in_mid_turn == seat
