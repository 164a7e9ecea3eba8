"""Hands that are shown and arranged at their end (PAY-7 … PAY-10), and their events.

In hand 1 of Pay Me three cards are dealt; jokers, twos and threes are wild.
"""

import re
from dataclasses import replace

import pytest

from companion.notebook import arrangements
from companion.notebook.checks import check
from companion.notebook.events import HandEntry, HandMarked, NotPossible
from companion.notebook.hand_marks import preview, settle_marks
from companion.notebook.replay import replay
from companion.rules.cards import format_cards, parse_cards
from tests.notebook.evening import ANA, BEN, CEM, Evening, held, of_game

MELDS = "6C 7C 8C"


def mark(
    evening: Evening, ben: HandEntry, cem: HandEntry, *, out: str | None = MELDS
) -> HandMarked:
    """Return the event of a hand in which Ana goes out."""
    entries = (replace(ben, player=BEN), replace(cem, player=CEM))
    return evening.write(HandMarked(evening.hand.number, ANA, entries, out_held=out)).event


@pytest.mark.parametrize(
    ("out", "cards", "left", "points"),
    [
        # PAY-9: the 9 of clubs is laid off on the run of who went out; king 10, four 5.
        (MELDS, "9C KD 4S", "4S KD", 15),
        (None, "9C KD 4S", "9C 4S KD", 25),
        # PAY-6: one of three may be wild. PAY-10: a wild card left is 15.
        (MELDS, "5D 6D XX", "", 0),
        (None, "5D QH XX", "5D QH XX", 30),
        # A wild card lengthens the run just as well: 6 7 8 and the 9.
        (MELDS, "2D QH 4S", "4S QH", 15),
    ],
)
def test_the_event_has_the_cards_left_of_the_best_arrangement(out, cards, left, points):
    evening = of_game("pay_me")
    event = mark(evening, held(cards), HandEntry(0, points=5), out=out)
    entry = event.entries[0]
    assert entry.held == cards
    assert sorted((entry.cards or "").split()) == sorted(left.split())
    assert evening.points(1) == [0, points, 5]


def test_totals_are_replayed_from_the_cards_left_without_arranging_again(monkeypatch):
    evening = of_game("pay_me")
    mark(evening, held("9C KD 4S"), held("5D 6D XX"))
    monkeypatch.delattr(arrangements, "arrange_in_turn")
    sheet = replay(evening.entries)
    assert [sheet.total(seat) for seat in sheet.players] == [0, 15, 0]


def by_turn(order: str = "in_turn", first: int | None = None) -> list[str | None]:
    """Return Ana's, Ben's and Cem's cards left after Ben went out with 6♣ 7♣ 8♣."""
    evening = of_game("pay_me", lay_off_order=order)
    entries = (HandEntry(ANA, held="9C KD"), HandEntry(CEM, held="9C TC QD"))
    event = evening.write(HandMarked(1, BEN, entries, out_held=MELDS, lays_off_first=first)).event
    return [entry.cards for entry in event.entries]


def test_lay_offs_go_in_the_order_of_play_and_each_place_is_taken_once():
    # Cem plays after Ben, the caller: 9♣ 10♣ go onto the run, and Ana's 9♣ has no place.
    assert by_turn() == ["9C KD", "QD"]
    assert by_turn("free", CEM) == ["9C KD", "QD"]
    # Ana comes first: her 9♣ takes the place of Cem's, whose 10♣ then follows it.
    assert by_turn("free", ANA) == ["KD", "9C QD"]
    # Nobody said who comes first, and the points depend on it.
    with pytest.raises(NotPossible, match=r"first\? It decides what Cem and Ana can") as problem:
        by_turn("free")
    assert problem.value.field == "lays_off_first"


def test_the_marker_says_who_lays_off_first_only_if_the_house_rule_is_free():
    for order, first, sentence in (
        ("in_turn", ANA, "lay-offs go in the order of play"),
        ("free", BEN, "Say which of the others lays off first"),
        ("free", 7, "Say which of the others lays off first"),
    ):
        with pytest.raises(NotPossible, match=sentence) as problem:
            by_turn(order, first)
        assert problem.value.field == "lays_off_first"


def laid_down(*entries: HandEntry, out: str = MELDS) -> list[arrangements.Arranged | None]:
    """Return the arrangements of recorded hands, after Ana went out with these cards."""
    made = arrangements.arranged(of_game("pay_me").hand, HandMarked(1, ANA, entries, out_held=out))
    return [made.get(entry.player) for entry in entries]


def test_cards_are_laid_off_on_the_melds_as_earlier_players_left_them():
    first = HandEntry(BEN, "KD", held="9C KD")
    ben, cem = laid_down(first, HandEntry(CEM, "4S", held="TC 4S"))
    assert [one.onto.text for one in ben.laid_off] == ["6C 7C 8C"]
    assert [one.onto.text for one in cem.laid_off] == ["6C 7C 8C 9C"]
    assert (cem.points, cem.best, cem.unexplained) == (5, 5, ())

    # A player who insists on a taken place is told.
    _, cem = laid_down(first, HandEntry(CEM, "4S", held="9C 4S", otherwise=True))
    assert (cem.points, cem.best, [card.text for card in cem.unexplained]) == (5, 15, ["9C"])

    # An old hand with simultaneous lay-offs is shown unchanged.
    _, cem = laid_down(first, HandEntry(CEM, "4S", held="9C 4S"))
    assert (cem.points, cem.best, cem.unexplained) == (5, 5, ())
    assert [one.onto.text for one in cem.laid_off] == ["6C 7C 8C"]


def test_only_deadwood_is_laid_off_and_takes_a_place():
    # PAY-9, in hand 4: the 10♦ is in Ben's set, the Q♠ in no meld of his, and the 9♣ is left.
    tens = "TC TH TS TD QS 9C"
    evening = of_game("pay_me")
    for _ in range(3):
        evening.write(HandMarked(evening.hand.number, ANA, (HandEntry(BEN, points=5), FIVE)))
    entries = (HandEntry(BEN, held=tens), HandEntry(CEM, held="TD QS KC KD 8C AH"))
    event = HandMarked(4, ANA, entries, out_held="QC QD QH TC TH TS")
    made = arrangements.arranged(evening.hand, event)
    assert [one.text for one in made[BEN].melds] == ["TC TD TH TS"]
    assert [laid.text for one in made[BEN].laid_off for laid in one.cards] == ["QS"]
    # The queen's place is taken, that of the 10♦ is free: Cem is left with 10 + 10 + 10 + 10 + 5.
    assert (made[BEN].points, made[CEM].points) == (10, 45)
    assert [(one.cards, one.by) for one in made[CEM].taken] == [(parse_cards("QS"), BEN)]


@pytest.mark.parametrize(("left", "laid"), [("KD", ["9C"]), ("KD TC", []), (None, [])])
def test_a_player_laid_off_more_than_deadwood_if_only_that_explains_what_is_left(left, laid):
    nines = HandEntry(BEN, "", held="9C 9D 9H 9S")  # a set, or a set of three and a lay-off
    ben, cem = laid_down(nines, HandEntry(CEM, left, held="TC KD"))
    assert [one.text for off in ben.laid_off for one in off.cards] == laid
    assert (ben.points, cem.unexplained) == (0, ())
    assert cem.points == (10 if laid else 20)  # PAY-10: king and ten


def test_players_whose_cards_are_not_known_or_impossible_take_no_place():
    for unknown in (HandEntry(BEN, points=5), HandEntry(BEN, held="9C 9C 9C 9C 9C")):
        _, cem = laid_down(unknown, HandEntry(CEM, held="9C 4S"))
        assert cem.points == 5
    made, _ = laid_down(replace(KEPT, cards=None), FIVE, out="6C 7C 8C 1C")
    assert made.laid_off == ()
    assert made.points == 20  # PAY-10: the king and the nine


@pytest.mark.parametrize(
    ("entries", "waits"),
    [
        # Cem can lay off the 9, but Ben, whose cards are missing, comes first and may have one.
        ([HandEntry(CEM, held="9C KD 4S")], {CEM: True}),
        # The 10 fits only beside a 9 that Ben may lay off.
        ([HandEntry(CEM, held="TC KD 4S")], {CEM: True}),
        # Too many cards are refused: they are as good as missing.
        ([HandEntry(BEN, held="9C 9C 9D 9D 9H"), HandEntry(CEM, held="9C KD 4S")], {CEM: True}),
        # All cards are in a meld, whatever Ben lays off.
        ([HandEntry(CEM, held="5D 6D XX")], {CEM: False}),
        # Ben comes first, and Cem's cards change nothing for him.
        ([HandEntry(BEN, held="9C KD 4S")], {BEN: False}),
        ([HandEntry(BEN, held="9C KD 4S"), HandEntry(CEM, held="9C KH 4D")], {1: False, 2: False}),
        ([HandEntry(BEN, points=5), HandEntry(CEM, held="9C KD 4S")], {BEN: False, CEM: False}),
    ],
)
def test_points_are_open_until_the_cards_of_those_who_lay_off_before_are_known(entries, waits):
    evening = of_game("pay_me")
    for out_held in (MELDS, None):  # without melds nothing is laid off
        event = HandMarked(1, ANA, tuple(entries), out_held=out_held)
        lines = preview(evening.sheet, evening.hand, event)
        assert {seat: lines[seat].so_far for seat in waits} == {
            seat: wait and out_held is not None for seat, wait in waits.items()
        }


@pytest.mark.parametrize(("first", "waits"), [(None, True), (BEN, False), (CEM, True)])
def test_points_are_open_while_a_missing_player_may_be_the_first_to_lay_off(first, waits):
    evening = of_game("pay_me", lay_off_order="free")
    ben = HandEntry(BEN, held="9C KD 4S")
    event = HandMarked(1, ANA, (ben,), out_held=MELDS, lays_off_first=first)
    assert preview(evening.sheet, evening.hand, event)[BEN].so_far is waits


def test_a_wild_cards_identity_must_be_given_if_other_players_depend_on_it():
    evening = of_game("pay_me")
    ben, cem = held("2D QH 4S"), held("9C KD 4H")
    for unsaid in (ben, replace(ben, laid_as="2D=KH")):
        with pytest.raises(NotPossible) as problem:
            mark(evening, unsaid, cem)
        assert (
            str(problem.value) == "What does Ben's 2♦ stand for? It decides what Cem can lay off."
        )
        assert problem.value.field == "laid_as.1"
    event = mark(evening, replace(ben, laid_as="2D=5C"), cem)
    # Queen 10, four 5; king 10, four 5, and the 9 is laid off.
    assert evening.points(1) == [0, 15, 15]
    assert event.entries[0].laid_as == "2D=5C"
    made = arrangements.arranged(evening.sheet.hands[0], event)[BEN]
    assert [laid.text for one in made.laid_off for laid in one.cards] == ["2D=5C"]


ONE, TWO = "What does Ana's ★ stand for?", "What do Ana's ★ ★ stand for?"
WHICH = "In which melds did Ana lay the cards?"
ASKED: list[tuple[int, str, str, str, dict[str, int]]] = [
    # hand; Ana's cards; Ben's cards; what is asked; Ben's points by the answer
    # PAY-5: the joker is the 4 or the 7, and the 8 fits only after a 7. Queen and king 10 each.
    (1, "5C 6C XX", "8C QD KD", ONE, {"XX=4C": 30, "XX=7C": 20}),
    # PAY-4: all suits of a set are different, so the 9 of hearts has no place beside another.
    (1, "9C 9D XX", "9H QD KD", ONE, {"XX=9H": 30, "XX=9S": 20}),
    # The jokers are 9 10 J or 10 J Q, and Q Q Q with the heart or the spade. A nine fits below the
    # ten, the queen of hearts beside two others; king and 8 cost 10 each, 7 and 5 cost 5.
    (
        *(4, "TS JS XX QC QD XX", "9S QH KD 8H 7D 5D", TWO),
        {"XX=9S XX=QH": 50, "XX=9S XX=QS": 40, "XX=QS XX=QH": 40, "XX=QS XX=QS": 30},
    ),
    # Without a queen only the joker in the run is asked for.
    (4, "TS JS XX QC QD XX", "9S KH KD 8H 7D 5D", ONE, {"XX=9S": 50, "XX=QS": 40}),
    (
        *(7, "5C 6C 7C 5D 6D 7D 5H 6H 7H", "8C 4D AC 8H QD QH KD JC 5S", WHICH),
        {"5C 6C 7C / 5D 6D 7D / 5H 6H 7H /": 50, "5C 5D 5H / 6C 6D 6H / 7C 7D 7H /": 70},
    ),
    # The ten is laid off on the nine of clubs or on the joker that stands for it.
    (
        *(4, "7C 8C XX 9C 9D 9H", "TC QD KD JS AH 5D", WHICH),
        {
            "7C 8C XX=9C / 9C 9D 9H /": 40,
            "XX=6C 7C 8C / 9C 9D 9H /": 50,
            "7C 8C 9C / XX=9C 9D 9H /": 40,
        },
    ),
    # Either two lies in the set. The nine of spades has no place only if both stand for it.
    (
        *(4, "9C 9D 2D TS JS 2C", "9S QC KD 8H 7D 5D", WHICH),
        {
            "9C 9D 2D=9H / 2C=9S TS JS /": 40,
            "9C 9D 2D=9S / 2C=9S TS JS /": 50,
            "9C 9D 2C=9H / 2D=9S TS JS /": 40,
            "9C 9D 2C=9S / 2D=9S TS JS /": 50,
            # As it was answered before the melds were asked for.
            "2C=QS 2D=9S": 40,
            "2C=9S 2D=9H": 40,
            "2C=9S 2D=9S": 50,
        },
    ),
]


@pytest.mark.parametrize(("number", "cards", "ben", "asks", "points"), ASKED)
def test_what_decides_in_the_melds_of_who_went_out_is_asked_for(number, cards, ben, asks, points):
    for said, left in points.items():
        evening = of_game("pay_me")
        evening.mark_hands(number - 1)
        entries = (HandEntry(BEN, held=ben), HandEntry(CEM, points=30))
        event = HandMarked(number, ANA, entries, out_held=cards)
        with pytest.raises(NotPossible) as problem:
            evening.write(event)
        assert str(problem.value) == f"{asks} It decides what Ben can lay off."
        assert problem.value.field == "laid_as.0"
        unsure = arrangements.unsure_lay_offs(evening.hand, event)[ANA]
        choices = [one for one in points if "/" in one or asks != WHICH]
        assert sorted(map(unsure.text, unsure.ways)) == sorted(choices)
        written = evening.write(replace(event, out_laid_as=said)).event
        assert evening.points(number) == [0, left, 30]
        made = arrangements.arranged(evening.sheet.hands[number - 1], written)[ANA]
        lying = {card.text for meld in made.melds for card in meld.cards}
        assert {*re.findall(r"\S+=\S+", said)} <= lying


def test_nothing_is_asked_if_others_have_the_same_left_in_any_case():
    for number, cards, ben, left in (
        (1, "5C 6C XX", "QH QD KD", 30),
        (1, "9C 9D XX", "QH QD KD", 30),
        # Nothing of Ben's fits on the nine or the joker, wherever they lie: 10 10 10 5 5 5.
        (4, "7C 8C XX 9C 9D 9H", "QD KD JS AH 5D 4S", 45),
    ):
        evening = of_game("pay_me")
        evening.mark_hands(number - 1)
        entries = (HandEntry(BEN, held=ben), HandEntry(CEM, points=30))
        evening.write(HandMarked(number, ANA, entries, out_held=cards))
        assert evening.points(number) == [0, left, 30]


@pytest.mark.parametrize(
    ("number", "said", "ben", "points"),
    [
        # On the runs go 8 8 4, on the sets the five of spades. The ace counts 5.
        (7, "5C 6C 7C / 5D 6D 7D / 5H 6H 7H", "8C 4D AC 8H QD QH KD JC 5S", 50),
        (7, "5C 5D 5H / 6C 6D 6H / 7C 7D 7H", "8C 4D AC 8H QD QH KD JC 5S", 70),
        # The joker was said to be the nine or the six, so it is not asked for again.
        (4, "7C 8C XX=9C / 9C 9D 9H", "TC QD KD JS AH 5D", 40),
        (4, "7C 8C XX=6C / 9C 9D 9H", "TC QD KD JS AH 5D", 50),
        (4, "7C 8C 9C / 9D 9H XX", "TC QD KD JS AH 5D", 40),
    ],
)
def test_others_lay_off_on_the_melds_in_which_the_cards_were_declared(number, said, ben, points):
    evening = of_game("pay_me")
    evening.mark_hands(number - 1)
    cards = re.sub(r"=\S+|/ ", "", said)
    entries = (HandEntry(BEN, held=ben), HandEntry(CEM, points=30))
    written = evening.write(HandMarked(number, ANA, entries, out_held=cards, out_melds=said))
    assert evening.points(number) == [0, points, 30]
    made = arrangements.arranged(evening.sheet.hands[number - 1], written.event)[ANA]
    laid = [sorted(card.card.text for card in meld.cards) for meld in made.melds]
    assert laid == [sorted(re.sub(r"=\S+", "", group).split()) for group in said.split(" / ")]


def test_the_ways_are_too_many_if_wild_cards_can_stand_for_many_cards():
    evening = of_game("pay_me")
    evening.mark_hands(9)
    # In four sets each joker is one of two cards: 16 ways. They can also be runs, such as 5 ★ 7.
    sets = "5C 5D XX 7C 7D XX 9C 9D XX JC JD XX"
    entries = (HandEntry(BEN, held="5H 7H 9H KC KD KH AC 3C 4S 6S 8S TS"), HandEntry(CEM, points=5))
    event = HandMarked(10, ANA, entries, out_held=sets)
    assert arrangements.arranged(evening.hand, event)[ANA].too_many_ways
    said = "5C 5D XX / 7C 7D XX / 9C 9D XX / JC JD XX"
    event = replace(event, out_melds=said)
    assert not arrangements.arranged(evening.hand, event)[ANA].too_many_ways


def test_melds_that_were_declared_with_an_open_joker_are_asked_for():
    evening = of_game("pay_me")
    evening.mark_hands(3)
    # The joker could be the six or the nine.
    entries = (HandEntry(BEN, held="TC QD KD JS AH 5D"), HandEntry(CEM, points=30))
    event = HandMarked(4, ANA, entries, out_held="7C 8C XX 9C 9D 9H")
    with pytest.raises(NotPossible, match="In which melds did Ana lay"):
        evening.write(replace(event, out_melds="7C 8C XX / 9C 9D 9H"))


def test_melds_are_not_asked_for_if_there_are_too_many_ways():
    evening = of_game("pay_me")
    evening.mark_hands(10)
    entries = (HandEntry(BEN, held="7C JD QD KC 3H 4H 8S"), HandEntry(CEM, points=30))
    cards = "3C 4C 5C 6C 5D 5H 6D 6H 8C 8D XX 2D 2H"
    event = HandMarked(11, ANA, entries, out_held=cards)
    unsure = arrangements.unsure_lay_offs(evening.hand, event)
    assert not any(one.of_melds for one in unsure.values())


@pytest.mark.parametrize("said", ["6C 7C 8C / 9C", "6C 7C", "6C 7C / 8C", "6C 7C what"])
def test_melds_of_other_cards_and_groups_that_are_no_melds_are_not_recorded(said):
    evening = of_game("pay_me")
    entries = (HandEntry(BEN, held="9C KD 4S"), HandEntry(CEM, points=5))
    written = evening.write(HandMarked(1, ANA, entries, out_held=MELDS, out_melds=said))
    assert written.event.out_melds == ""
    assert evening.points(1) == [0, 15, 5]


def test_only_the_wild_cards_that_can_stand_for_several_cards_are_named():
    # PAY-6: the three stands for itself; the two is below it, or above the five.
    evening = of_game("pay_me")
    with pytest.raises(NotPossible, match="What does Ana's 2♥ stand for"):
        mark(evening, held("6C QD KD"), HandEntry(0, points=5), out="3C 4C 5C 2H")


def test_wild_cards_that_the_limits_leave_one_place_are_not_asked_for():
    # PAY-6: two wild cards are no neighbours, so the jokers are the 5 and the 8.
    ends = HandMarked(1, ANA, (HandEntry(BEN, held="9C TC KD"),), out_held="6C 7C XX XX")
    assert arrangements.unsure_lay_offs(of_game("pay_me").hand, ends) == {}


def test_a_record_without_the_identity_is_replayed_as_it_was_saved():
    ben, cem = HandEntry(BEN, "QH", held="2D QH"), HandEntry(CEM, "9C KD", held="9C KD")
    arranged, _ = laid_down(ben, cem)
    assert [laid.text for one in arranged.laid_off for laid in one.cards] == ["2D=9C"]
    check(
        written(replace(ben, melded=True), replace(cem, melded=True), held=MELDS),
        of_game("pay_me").sheet,
    )


def test_cards_left_can_be_entered_alone_or_with_cards_on_the_recorded_table():
    evening = of_game("pay_me")
    event = mark(evening, HandEntry(0, "9C KD 4S"), HandEntry(0, "5D 6D XX"))
    assert event.entries[1].held is None  # as before there was anything to arrange
    assert evening.points(1) == [0, 25, 25]
    evening = of_game("pay_me")
    evening.play(ANA, "meld 6C 7C 8C")
    evening.play(BEN, "lay_off 9C onto 0")
    mark(evening, held("9C KD 4S"), held("5D 6D XX"))
    assert evening.points(1) == [0, 15, 0]


def test_impossible_cards_are_refused_at_their_field():
    for out, ben, sentence, field in (
        ("6C 7C 9C", held("KD"), "Ana are not all in melds. Left over: 6♣ 7♣ 9♣.", "cards.0"),
        ("6C 7C 8C KD", held("KD"), "Ana are not all in melds. Left over: K♦.", "cards.0"),
        ("6C 7C 8C 9C 10C", held("KD"), "Ana holds 4 cards at most, not 5", "cards.0"),
        ("6C 7C 1C", held("KD"), "“1C” is not a card", "cards.0"),
        (MELDS, held("KD KD KD"), "K♦ is three times in the cards", "cards.1"),
        (MELDS, held("KD 4S 4H 4C"), "Ben holds 3 cards at most, not 4", "cards.1"),
        (MELDS, held("KD 4S 4H 4C 9C"), "Ben holds 3 cards at most, not 5", "cards.1"),
        (MELDS, HandEntry(0, held="KD", otherwise=True), "Say which cards Ben has", "left.1"),
        (MELDS, held("KD", "KD 9C"), "Ben is left with .* not among those held: 9♣", "cards.1"),
        (MELDS, held("KD", "9D 9C"), "Ben is left with .* those held: 9♦ 9♣", "cards.1"),
        (MELDS, HandEntry(0, "KD", otherwise=True), "all of the cards that Ben held", "cards.1"),
    ):
        evening = of_game("pay_me")
        with pytest.raises(NotPossible, match=sentence) as problem:
            mark(evening, ben, HandEntry(0, points=5), out=out)
        assert problem.value.field == field


@pytest.mark.parametrize(
    ("melds", "sentence"),
    [
        ("5C 6C 7C", "Ben went out with all 4 cards in melds (PAY-8), not with 3."),
        ("5C 6C 7C 8C", ""),  # one was discarded
        ("5C 6C 7C 8C 9C", ""),  # none was
        ("5C 6C 7C 8C 9C TC", "Ben holds 5 cards at most, not 6."),
        (None, ""),  # nobody lays off then
    ],
)
def test_the_player_who_went_out_has_all_cards_in_melds_but_the_discard(melds, sentence):
    sheet = of_game("pay_me").sheet
    hand = sheet.open_hand(2)
    entries = (HandEntry(ANA, held="KD"), HandEntry(CEM, points=5))
    event = HandMarked(2, BEN, entries, out_held=melds)
    if not sentence:
        assert settle_marks(sheet, hand, event).out_held == melds
        return
    with pytest.raises(NotPossible) as problem:
        settle_marks(sheet, hand, event)
    assert str(problem.value).startswith(sentence)
    assert problem.value.field == f"cards.{BEN}"


def test_no_card_is_in_melds_and_hands_more_often_than_in_the_packs():
    evening = of_game("pay_me")
    with pytest.raises(NotPossible, match=r"6♣ is in .*melds.*, and there are only 2"):
        mark(evening, held("6C 6C"), HandEntry(0, points=5))
    with pytest.raises(NotPossible, match=r"6♣ is in Ana's melds, in Ben's.* and in Cem's"):
        mark(evening, held("6C KD"), held("6C 9D"))


def written(*entries: HandEntry, out: int | None = ANA, held: str | None = None) -> HandMarked:
    return HandMarked(1, out, entries, out_held=held)


KEPT = HandEntry(BEN, "KD", melded=True, held="KD 9C")
FIVE = HandEntry(CEM, None, 5, 0, True)


def test_imported_marks_are_checked_without_arranging():
    sheet = of_game("pay_me").sheet
    check(written(KEPT, FIVE), sheet)
    check(written(KEPT, FIVE, held="KS 4D 9H"), sheet)
    for event, sentence in (
        (written(replace(KEPT, cards=None), FIVE), "Say which cards Ben has left"),
        (written(replace(KEPT, cards=None, points=5), FIVE), "Say which cards Ben has left"),
        (
            written(replace(KEPT, held="KD 9C 4S 5S 6S"), FIVE),
            "Ben holds 4 cards at most, not 5",
        ),
        (written(replace(KEPT, cards="KH"), FIVE), "not among those held: K♥"),
        (
            written(KEPT, FIVE, replace(FIVE, player=ANA), out=None, held=MELDS),
            "Nobody went out, so there are no melds",
        ),
    ):
        with pytest.raises(NotPossible, match=sentence):
            check(event, sheet)


def test_nothing_is_arranged_if_melds_are_laid_during_the_hand():
    for event in (
        written(HandEntry(BEN, "KD", melded=True, held="KD"), FIVE),
        written(HandEntry(BEN, "KD", melded=True, otherwise=True), FIVE),
        written(HandEntry(BEN, "KD", melded=True, laid_as="2D=9C"), FIVE),
        written(HandEntry(BEN, "KD", None, 0, True), FIVE, held=MELDS),
        replace(written(HandEntry(BEN, "KD", melded=True), FIVE), out_laid_as="2D=9C"),
        replace(written(HandEntry(BEN, "KD", melded=True), FIVE), out_melds="5C 6C 7C"),
    ):
        with pytest.raises(NotPossible, match="In Proter melds are laid in the hand"):
            check(event, Evening().sheet)


def late(*hands: str, out: str = "5C 6C 7C", number: int = 1) -> list[tuple[str, int, str]]:
    """Return the last player's cards without a place, who took the place, and with which cards."""
    entries = tuple(HandEntry(seat, held=cards) for seat, cards in enumerate(hands, start=1))
    hand = of_game("pay_me").sheet.open_hand(number)
    made = arrangements.arranged(hand, written(*entries, held=out))[len(hands)]
    return [
        (format_cards(one.cards), one.by, " ".join(laid.text for laid in one.laid))
        for one in made.taken
    ]


def test_the_player_who_took_a_place_is_named():
    for hands, taken in (
        (["8C 4S", "8C 5S"], [("8C", BEN, "8C")]),
        (["4C 8C", "8C 5S"], [("8C", BEN, "8C")]),  # the 4♣ lies at the other end
        (["8C 9C", "8C 9C"], [("8C 9C", BEN, "8C 9C")]),
        (["KD 4S", "8C 5S"], []),
        (["8C 4S", "9C 5S"], []),  # Ben made the place
        (["8C", "KD"], []),  # the king never had one
        # Each of the two takes the place of one card of the last player.
        (["8C", "4C", "4C 8C"], [("8C", BEN, "8C"), ("4C", CEM, "4C")]),
        # Ben's 8♣ makes a place for the 9♣, which Cem takes.
        (["8C", "9C", "9C"], [("9C", CEM, "9C")]),
    ):
        assert late(*hands) == taken
    # No ace comes after the king, and wild cards may not lie side by side (PAY-6).
    assert late("XX 4S", "2D 5S", out="JC QC KC") == [("2D", BEN, "XX=TC")]
    assert late("XX 4S", "9S 5S", out="9C 9D 9H") == [("9S", BEN, "XX=9S")]
    # A taken place is named even if the card is melded elsewhere. With the 8♣ laid off, Cem would
    # meld 7♠ ★ 9♠ and keep 8♦, which counts 10. As it is, 8♣ 8♦ ★ are melded, and 7♠ 9♠ count 15.
    taken = late("8C", "8C 8D XX 7S 9S", out="9C TC JC", number=3)
    assert taken == [("8C", BEN, "8C")]
