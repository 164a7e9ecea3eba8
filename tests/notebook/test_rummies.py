"""Games that a second Rummy wins, or being the last who has not left (IND-1, IND-5, IND-7, IND-8).

Where the 8 of a suit was turned, eights are wild. Two packs, two printed jokers, 13 cards.
"""

from collections.abc import Sequence

import pytest

from companion.notebook.arrangements import settle_left
from companion.notebook.checks import check
from companion.notebook.describe import news, say
from companion.notebook.endings import ending_of
from companion.notebook.events import (
    CardTurned,
    HandCorrected,
    HandEntry,
    HandMarked,
    NotPossible,
    PenaltyWithdrawn,
)
from companion.notebook.hand_marks import afterwards
from companion.rules.cards import Rank
from tests.notebook.evening import ANA, BEN, CEM, DIL, NAMES, Evening, Left, held, of_game
from tests.notebook.test_replay import assert_steps_are_replays

EARLY, LATE, WRONG = "IND-7.1", "IND-7.2", "IND-8"

# Two clean sequences (4 5 6 7 of hearts, 9 10 J of clubs), then 2 3 5 and three kings, two of them
# of spades: 2 + 3 + 5 + 10 + 10 + 10 are left of six cards.
BENS = "4H 5H 6H 7H 9C TC JC 2S 3D 5D KS KS KC"
BENS_LEFT = 2 + 3 + 5 + 10 + 10 + 10
# No clean sequence, for eights are wild: all count, the eight and the joker nothing.
CEMS = "8D XX AC AD 3H 5C 7C 9D JD QS KH 4S 6S"
CEMS_LEFT = 0 + 0 + 10 + 10 + 3 + 5 + 7 + 9 + 10 + 10 + 10 + 4 + 6


def indian_rummy(
    *names: str, turned: str = "", declared: Sequence[int] = (), **rules: str | int
) -> Evening:
    """Return a game in which this rank was turned, and these players declared, one a hand."""
    evening = of_game("indian_rummy", names=names or NAMES[:4], **rules)
    if turned:
        turn(evening, turned)
    for seat in declared:
        evening.mark(seat, {})
    return evening


def turn(evening: Evening, rank: str) -> None:
    evening.write(CardTurned(evening.hand.number, rank))


def turned(evening: Evening) -> list[Rank | None]:
    """Return the ranks turned, hand by hand."""
    return [hand.turned for hand in evening.sheet.hands]


def won(ben: Left, cem: Left, **rules: int) -> Evening:
    """Return a game: Ana declares twice, Ben and Cem show their cards, Dil has left early."""
    evening = indian_rummy(turned="8", declared=[ANA], **rules)
    evening.charge(DIL, EARLY)
    evening.mark(ANA, {BEN: ben, CEM: cem})
    return evening


# -- the turned card ----------------------------------------------------------------------------


def test_the_turned_card_makes_its_rank_wild_until_a_new_deal():
    evening = indian_rummy()
    assert evening.hand.rules.limits.wild_ranks == {Rank.JOKER}
    turn(evening, "8")
    assert evening.hand.turned is Rank.EIGHT
    assert evening.hand.rules.limits.wild_ranks == {Rank.JOKER, Rank.EIGHT}
    assert [need.says for need in evening.hand.rules.needs()] == ["jokers and 8s"]
    assert evening.sheet.open_hand(3).turned is Rank.EIGHT  # also in hands that have not begun
    evening.mark(ANA, {})
    assert evening.hand.turned is Rank.EIGHT
    assert evening.hand.rules.limits.wild_ranks == {Rank.JOKER, Rank.EIGHT}
    turn(evening, "X")  # IND-1: aces are wild
    assert evening.hand.rules.limits.wild_ranks == {Rank.JOKER, Rank.ACE}
    assert turned(evening) == [Rank.JOKER, Rank.JOKER]  # the same deal (IND-7)
    assert evening.sheet.hands[0].rules.limits.wild_ranks == {Rank.JOKER, Rank.ACE}
    evening.undo()
    assert turned(evening) == [Rank.EIGHT, Rank.EIGHT]
    evening.redo()
    evening.throw_in()
    assert turned(evening) == [Rank.JOKER, None]
    assert evening.hand.rules.limits.wild_ranks == {Rank.JOKER}
    turn(evening, "5")  # a new deal
    assert turned(evening) == [Rank.JOKER, Rank.FIVE]


def test_the_turned_card_is_recorded_once_for_the_open_hand():
    evening = indian_rummy()
    turn(evening, "8")
    with pytest.raises(NotPossible, match="recorded already"):
        turn(evening, "8")
    with pytest.raises(NotPossible, match="Hand 1 is being played"):
        evening.write(CardTurned(2, "9"))
    with pytest.raises(ValueError, match="“ace” is not a rank"):
        turn(evening, "ace")
    with pytest.raises(NotPossible, match="No card is turned before the deal in Proter"):
        Evening().write(CardTurned(1, "8"))
    # A card that is said again at the end of a hand is not recorded twice.
    again = settle_left(evening.sheet, evening.hand, HandMarked(1, ANA, (), turned="8"))
    assert again.turned is None
    other = settle_left(evening.sheet, evening.hand, HandMarked(1, ANA, (), turned="5"))
    assert other.turned == "5"


def test_after_a_rummy_the_next_remaining_player_plays():
    evening = indian_rummy(declared=[BEN])  # Ana, Ben, Cem and Dil
    assert evening.sheet.next_player(BEN, 2) == CEM
    left = evening.charge(CEM, EARLY)  # right after that Rummy
    says = "Cem left the game and pays 10 points (IND-7.1)"
    assert (say(left.event, evening.sheet), news(left.event, evening.sheet)) == (says, says)
    assert evening.sheet.next_player(BEN, 2) == DIL
    evening.mark(DIL, {})
    assert evening.sheet.next_player(DIL, 3) == ANA
    evening.charge(ANA, LATE)
    assert evening.sheet.next_player(DIL, 3) == BEN
    # Ana still played when hand 2 began, and Cem did not.
    assert evening.sheet.next_player(BEN, 2) == DIL
    assert evening.sheet.next_player(DIL, 2) == ANA
    says = [(need.what, need.says) for need in afterwards(evening.sheet, evening.sheet.hands[1])]
    assert ("Plays next", "Ben") in says


def test_nobody_who_had_left_deals_a_hand_that_is_thrown_in():
    evening = indian_rummy(declared=[ANA])  # Ana, Ben, Cem and Dil
    evening.charge(BEN, EARLY)
    evening.charge(CEM, EARLY)
    assert evening.sheet.places(evening.hand) == (DIL, ANA, ANA)  # hand 2 would be Ben's
    evening.throw_in()
    evening.charge(DIL, EARLY)  # after dealing
    assert evening.sheet.places(evening.hand) == (DIL, ANA, ANA)
    assert evening.sheet.places(evening.sheet.hands[0]) == (ANA, DIL, BEN)


# -- Rummies ------------------------------------------------------------------------------------


def test_the_last_possible_hand_follows_everybodys_first_rummy():
    evening = indian_rummy()  # four players: four first Rummies, and a second
    assert ending_of(evening.sheet).last_hand(evening.sheet) == 5
    evening.mark(ANA, {})
    assert ending_of(evening.sheet).last_hand(evening.sheet) == 5
    evening.charge(ANA, EARLY)  # has had one: Ben, Cem and Dil can have theirs
    assert ending_of(evening.sheet).last_hand(evening.sheet) == 5
    evening.charge(DIL, LATE)  # Ben and Cem can
    assert ending_of(evening.sheet).last_hand(evening.sheet) == 4
    evening.mark(BEN, {})
    evening.mark(CEM, {})
    assert (evening.hand.number, ending_of(evening.sheet).last_hand(evening.sheet)) == (4, 4)
    ten = indian_rummy(*(f"P{seat}" for seat in range(10)))
    assert ending_of(ten.sheet).last_hand(ten.sheet) == 11 == ten.sheet.game.hands


def test_after_a_first_rummy_no_cards_count_and_the_game_goes_on():
    evening = indian_rummy()
    event = evening.mark(ANA, {BEN: 30, CEM: "KC"}).event
    assert event.entries == ()
    assert evening.hand.number == 2
    assert evening.totals == [0, 0, 0, 0]
    assert not evening.hand.is_dealt
    assert evening.sheet.leaders() == [ANA]
    assert say(event, evening.sheet) == "Hand 1 marked, Rummy of Ana"
    assert say(HandMarked(1, None, ()), evening.sheet) == "Hand 1 marked, no Rummy"
    evening.charge(ANA, EARLY)  # who leaves with a Rummy no longer leads
    assert [(one.player, one.place, one.total) for one in evening.sheet.standings()] == [
        (BEN, 1, 0),
        (CEM, 1, 0),
        (DIL, 1, 0),
        (ANA, 4, 10),
    ]


def test_a_second_rummy_wins_and_all_pay_the_winner():
    evening = won(held(BENS), held(CEMS))
    sheet = evening.sheet
    assert sheet.over
    assert sheet.winner == ANA
    assert evening.points(2) == [0, BENS_LEFT, CEMS_LEFT, 10]
    assert sheet.payments() == {ANA: 40 + 84 + 10, BEN: -40, CEM: -84, DIL: -10}
    assert [line.player for line in sheet.standings()] == [ANA, DIL, BEN, CEM]
    assert len(sheet.hands) == 2
    left = sheet.hands[1].marking.event.entries[0].cards or ""
    assert sorted(left.split()) == ["2S", "3D", "5D", "KC", "KS", "KS"]


def test_the_last_remaining_player_wins_without_any_cards():
    evening = indian_rummy("Ana", "Ben", "Cem", declared=[ANA])
    evening.charge(ANA, EARLY)
    evening.charge(BEN, LATE)
    sheet = evening.sheet
    assert sheet.over
    assert sheet.winner == CEM
    assert sheet.hand.marking is None
    assert sheet.payments() == {ANA: -10, BEN: -40, CEM: 50}
    with pytest.raises(NotPossible, match="The game is over: Cem has won"):
        evening.charge(CEM, LATE)
    evening.undo()
    assert not evening.sheet.over
    assert evening.sheet.playing == [BEN, CEM]
    assert evening.sheet.left_in == {ANA: 2}
    # A Rummy before the others left has not won the game.
    evening.redo()
    assert evening.sheet.winner == CEM
    first = evening.sheet.hands[0]
    assert [one.what for one in afterwards(evening.sheet, first)] == ["Goes on", "Plays next"]
    evening.correct(1, BEN, {})  # and nobody's cards count
    assert evening.points(1) == [0, 0, 0]
    assert evening.sheet.payments() == {ANA: -10, BEN: -40, CEM: 50}


def test_leaving_is_refused_if_nobody_can_leave():
    evening = indian_rummy()
    with pytest.raises(NotPossible, match="before the first Rummy"):
        evening.charge(BEN, EARLY)
    evening.mark(ANA, {})
    evening.charge(BEN, EARLY)
    with pytest.raises(NotPossible, match="Ben has left the game already"):
        evening.charge(BEN, LATE)
    with pytest.raises(NotPossible, match="Ben has left the game, and declares no Rummy"):
        evening.mark(BEN, {})
    evening.mark(CEM, {})
    with pytest.raises(NotPossible, match="Hand 2 is marked"):
        evening.charge(DIL, LATE, hand=2)


def test_a_player_who_left_comes_back_if_that_is_undone_before_the_end():
    evening = indian_rummy(declared=[ANA])
    charge = evening.charge(BEN, EARLY)
    evening.mark(CEM, {})
    wrong = evening.charge(ANA, WRONG)
    evening.write(PenaltyWithdrawn(3, wrong.number))
    evening.write(PenaltyWithdrawn(2, charge.number))
    assert evening.sheet.playing == [ANA, BEN, CEM, DIL]
    charge = evening.charge(BEN, LATE)
    evening.mark(ANA, {CEM: 20, DIL: 30})
    with pytest.raises(NotPossible, match="without the cards of the player who left"):
        evening.write(PenaltyWithdrawn(3, charge.number))


def test_a_hand_ends_with_a_rummy_and_takes_no_cards_that_do_not_count():
    evening = indian_rummy()
    for out in (None, 7):
        with pytest.raises(NotPossible, match="Say who declared Rummy") as problem:
            evening.mark(out, {})
        assert problem.value.field == "out"
    turn(evening, "8")
    with pytest.raises(NotPossible, match="Cards count only when the game is won"):
        check(HandMarked(1, ANA, (HandEntry(BEN, points=3, melded=True),)), evening.sheet)


# -- cards left -----------------------------------------------------------------------------------


def test_cards_count_when_somebody_wins_once_all_are_entered():
    evening = indian_rummy(turned="8", declared=[ANA])
    assert ending_of(evening.sheet).counting(evening.sheet, 2, BEN) == []
    assert ending_of(evening.sheet).counting(evening.sheet, 2, ANA) == [BEN, CEM, DIL]
    with pytest.raises(NotPossible, match="Still missing: Cem and Dil"):
        evening.mark(ANA, {BEN: 30})


def test_without_the_turned_card_cards_cannot_be_arranged_and_points_can_be_given():
    evening = indian_rummy("Ana", "Ben", declared=[ANA])
    with pytest.raises(NotPossible, match=r"Say which card was turned up.*IND-1") as problem:
        evening.mark(ANA, {BEN: held(BENS)})
    assert problem.value.field == "turned"
    evening.write(HandMarked(2, ANA, (HandEntry(BEN, held=BENS),), turned="8"))
    assert evening.totals == [0, 40]
    assert evening.sheet.hand.turned is Rank.EIGHT
    evening.undo()
    evening.mark(ANA, {BEN: 55})
    assert evening.totals == [0, 55]


def test_a_correction_can_say_that_another_card_was_turned():
    evening = indian_rummy("Ana", "Ben", turned="8", declared=[ANA])
    evening.mark(ANA, {BEN: held(BENS)})
    # With fives wild the 5 of hearts is a natural card where it is; with the two and the three of
    # other suits nothing changes but that the 5 of diamonds fits: three kings are no set (IND-3).
    evening.write(HandCorrected(2, ANA, (HandEntry(BEN, held=BENS),), turned="5"))
    assert turned(evening) == [Rank.FIVE, Rank.FIVE]
    assert evening.totals == [0, 2 + 3 + 10]  # K♠ K♣ 5♦ is a set of three
    evening.undo()
    assert turned(evening) == [Rank.EIGHT, Rank.EIGHT]
    assert evening.totals == [0, 40]
    with pytest.raises(ValueError, match="“five” is not a rank"):
        evening.write(HandCorrected(2, ANA, (HandEntry(BEN, held=BENS),), turned="five"))
    proter = Evening()
    left = (HandEntry(BEN, "KC"), HandEntry(CEM, "QC"))
    with pytest.raises(NotPossible, match="No card is turned before the deal in Proter"):
        proter.write(HandMarked(1, ANA, left, turned="8"))


def test_a_correction_of_the_turned_card_holds_for_later_hands_of_the_deal():
    evening = indian_rummy("Ana", "Ben", "Cem", turned="8", declared=[ANA, BEN])
    evening.write(HandCorrected(2, BEN, (), turned="5"))
    assert turned(evening) == [Rank.FIVE] * 3
    assert evening.hand.rules.limits.wild_ranks == {Rank.JOKER, Rank.FIVE}
    evening.undo()
    # Points that were entered without cards stay, whatever was wild.
    evening.mark(ANA, {BEN: 40, CEM: 50})
    evening.write(HandCorrected(2, BEN, (), turned="5"))
    assert (turned(evening), evening.totals) == ([Rank.FIVE] * 3, [0, 40, 50])
    evening.undo()
    # Cards would have to be arranged again.
    evening.correct(3, ANA, {BEN: held(BENS), CEM: 50})
    with pytest.raises(NotPossible, match=r"of hand 3, .* Correct it in hand 3\.") as problem:
        evening.write(HandCorrected(2, BEN, (), turned="5"))
    assert problem.value.field == "turned"
    evening.write(
        HandCorrected(3, ANA, (HandEntry(BEN, held=BENS), HandEntry(CEM, points=50)), turned="5")
    )
    assert (turned(evening), evening.totals) == ([Rank.FIVE] * 3, [0, 2 + 3 + 10, 50])
    # A new deal has a card of its own.
    evening = indian_rummy("Ana", "Ben", "Cem", turned="8", declared=[ANA])
    evening.throw_in()
    turn(evening, "9")
    evening.mark(BEN, {})
    evening.write(HandCorrected(1, ANA, (), turned="5"))
    assert turned(evening) == [Rank.FIVE, Rank.NINE, Rank.NINE]
    evening.mark(ANA, {BEN: held("KC"), CEM: 50})
    evening.write(HandCorrected(1, ANA, (), turned="4"))
    assert turned(evening) == [Rank.FOUR, Rank.NINE, Rank.NINE]


def test_the_cap_holds_for_cards_and_for_points_and_a_chosen_arrangement_stays():
    evening = won(held(BENS), held(CEMS), cap=80)
    assert evening.totals == [0, 40, 80, 10]
    evening = won(79, 93, cap=80)
    assert evening.totals == [0, 79, 80, 10]

    # A chosen arrangement is not arranged again. Ben counts the 9 10 J of clubs as left: with one
    # clean sequence fewer all the same.
    left = "9C TC JC 2S 3D 5D KS KS KC"
    evening = won(held(BENS, left), 50)
    assert evening.totals[BEN] == 9 + 10 + 10 + 40


# -- corrections ----------------------------------------------------------------------------------


def test_a_correction_can_end_the_game_or_reopen_it():
    evening = won(40, 84)
    evening.correct(2, BEN, {})
    assert evening.sheet.winner is None
    assert evening.hand.number == 3
    assert evening.totals == [0, 0, 0, 10]
    evening.correct(2, ANA, {BEN: 41, CEM: 84})
    assert len(evening.sheet.hands) == 2
    assert evening.totals == [0, 41, 84, 10]
    evening.undo()
    assert evening.hand.number == 3
    assert_steps_are_replays(evening.entries)


def test_a_correction_cannot_end_the_game_before_hands_that_were_played():
    evening = indian_rummy(declared=[ANA, BEN])
    evening.charge(CEM, WRONG)
    with pytest.raises(NotPossible, match="won before hand 3, which already has"):
        evening.correct(2, ANA, {BEN: 1, CEM: 2, DIL: 3})
    evening.mark(ANA, {BEN: 10, CEM: 20, DIL: 30})
    with pytest.raises(NotPossible, match="won before hand 3"):
        evening.correct(1, BEN, {})
    with pytest.raises(NotPossible, match="Hand 3 would then not win the game"):
        evening.correct(1, CEM, {})
    evening.correct(2, CEM, {})
    assert evening.sheet.over
    assert evening.sheet.winner == ANA
