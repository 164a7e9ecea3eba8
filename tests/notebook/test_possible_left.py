"""How many cards a player can be left with, and the points that free cards make."""

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from companion.notebook.checks import check, settle
from companion.notebook.events import (
    STATED,
    HandEntry,
    HandMarked,
    NotPossible,
    PenaltyCharged,
    UpcardGiven,
)
from companion.notebook.hand_marks import settle_marks
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.possible_left import Totals
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.serialize import to_record
from companion.rules.cards import JOKER, PACK
from companion.rules.games.kalooki import KalookiJudge
from tests.notebook.evening import ANA, BEN, CEM, of_game

CARDS = st.lists(st.tuples(st.integers(0, 13), st.booleans()), max_size=7)


@given(CARDS, st.integers(1, 5))
def test_a_total_can_be_made_if_some_choice_makes_it(cards, enough):
    totals = Totals(cards, enough)
    made = {
        (sum(value for value, _ in choice), sum(wild for _, wild in choice), len(choice))
        for count in range(len(cards) + 1)
        for choice in combinations(cards, count)
    }
    for points in range(-1, 95):
        for wilds in range(-1, len(cards) + 2):
            for fewest in range(enough + 1):
                expected = any((points, wilds, n) in made for n in range(fewest, len(cards) + 1))
                assert totals.can_make(points, wilds, fewest) is expected


SIX = "2C 3C 4C 5C 6C 7C"
NINE = f"{SIX} 8C 9C TC"
ELEVEN = f"{NINE} JC QC"


def hand_of(game: str, number: int) -> tuple[ScoreSheet, HandSheet]:
    """Return a hand of a game of three players, without the hands before it."""
    table = of_game(game).sheet
    return table, table.open_hand(number)


def marked(hand: HandSheet, *left: HandEntry, out: int | None = ANA) -> HandMarked:
    """Mark the players from Ben on; from Ana on if nobody is out."""
    first = ANA if out is None else BEN
    seated = [replace(one, player=seat) for seat, one in enumerate(left, first)]
    return HandMarked(hand.number, out, tuple(seated))


def points(many: int) -> HandEntry:
    return HandEntry(0, points=many)


def cards(text: str) -> HandEntry:
    return HandEntry(0, text)


def refusal(sheet: ScoreSheet, hand: HandSheet, event: HandMarked) -> tuple[str, str]:
    with pytest.raises(NotPossible) as refused:
        settle_marks(sheet, hand, event)
    return str(refused.value), refused.value.field


@pytest.mark.parametrize(
    ("game", "number", "held", "most"),
    [
        # game, hand, the most cards, the most points that they make
        ("carioca", 1, 11, 4 * 50 + 7 * 20),
        ("carioca", 7, 12, 4 * 50 + 8 * 20),
        ("pay_me", 1, 3, 3 * 15),
        ("pay_me", 11, 13, 13 * 15),  # 4 jokers, 8 twos and 8 kings are wild
        ("kalooki", 1, 9, 4 * 50 + 4 * 15 + 10),  # two packs have 4 black aces
        ("kalooki", 9, 16, 4 * 50 + 4 * 15 + 8 * 10),
        ("contract_rummy", 1, 10, 2 * 15 + 8 * 15),  # three players have 2 jokers
        ("contract_rummy", 4, 12, 2 * 15 + 8 * 15 + 2 * 10),
    ],
)
def test_neither_cards_nor_points_left_exceed_the_cards_dealt(game, number, held, most):
    sheet, hand = hand_of(game, number)
    settle_marks(sheet, hand, marked(hand, points(most), points(20)))
    says, field = refusal(sheet, hand, marked(hand, points(20), points(most + 5)))
    assert says.startswith(f"Cem holds {held} cards at most: that is {most} points.")
    # In Kalooki and Contract Rummy two more may be penalty cards.
    assert field == ("points.2" if game in {"carioca", "pay_me"} else "penalty_cards.2")
    assert refusal(sheet, hand, marked(hand, points(9999), points(20)))[1] == "points.1"
    for more in range(4):
        text = " ".join(card.text for card in PACK[: held + more])
        left = HandEntry(0, held=text) if game == "pay_me" else cards(text)
        event = marked(hand, left, points(20))
        if not more:
            settle_marks(sheet, hand, event)
            continue
        says, _ = refusal(sheet, hand, event)
        assert says.startswith(f"Ben holds {held} cards at most, not {held + more}.")


@pytest.mark.parametrize(("game", "sheet"), [("proter", ""), ("contract_rummy", "gamerules")])
def test_a_player_who_takes_the_pile_may_hold_any_number(game, sheet):
    evening = of_game(game, sheet or None)
    many = " ".join(card.text for card in PACK[:30])
    evening.mark(ANA, {BEN: many, CEM: "KS"})
    assert evening.sheet.hands[0].marking is not None


def test_points_that_the_cards_cannot_make_are_refused():
    sheet, hand = hand_of("carioca", 4)
    # 4 jokers and 7 aces are 340; with one card less worth 10, 330: nothing between them.
    says, field = refusal(sheet, hand, marked(hand, points(339), points(20)))
    assert says == "Ben holds 11 cards at most, and that many cannot make 339 points."
    assert field == "points.1"
    # No number of cards makes one point: the ace is 20, and the joker 50.
    says, _ = refusal(sheet, hand, marked(hand, points(1), points(20)))
    assert says == "Ben can't have 1 point: the lowest card counts 2. Count again."

    # Where cards have few values these are named. Pay Me: aces to sevens count 5, eights to kings
    # 10, wild cards 15 (PAY-10).
    sheet, hand = hand_of("pay_me", 4)
    says, field = refusal(sheet, hand, marked(hand, points(7), points(20)))
    assert says == "Ben can't have 7 points: cards count 5, 10 or 15. Count again."
    assert field == "points.1"


def test_points_cannot_be_made_of_other_players_cards():
    sheet, hand = hand_of("carioca", 4)
    says, field = refusal(sheet, hand, marked(hand, cards("XX"), points(340)))
    assert says.startswith("Cem can't have 340 points: no 11 or fewer of the cards still free")
    assert field == "points.2"
    settle_marks(sheet, hand, marked(hand, cards("XX"), points(3 * 50 + 8 * 20)))
    # 4 jokers and 8 aces are all that is worth more than 10: 22 cards are 460 points.
    settle_marks(sheet, hand, marked(hand, points(230), points(230)))
    says, field = refusal(sheet, hand, marked(hand, points(240), points(240)))
    assert says.startswith("Ben and Cem can't have 480 points together: no 22 or fewer of")
    assert field == "points.2"


# -- penalty cards -------------------------------------------------------------------------------


def test_penalty_cards_are_asked_for_once_and_kept():
    evening = of_game("kalooki")
    asked = r"Ben holds 9 cards at most, not 11. Did Ben draw penalty cards for calls"
    with pytest.raises(NotPossible, match=asked) as refused:
        evening.mark(ANA, {BEN: ELEVEN, CEM: "KC"})
    assert refused.value.field == "penalty_cards.1"
    said = HandEntry(0, ELEVEN, penalty_cards=True)
    written = evening.mark(ANA, {BEN: said, CEM: "KC"}).event
    assert to_record(written)[1]["entries"][0]["penalty_cards"] is True
    assert "penalty_cards" not in to_record(written)[1]["entries"][1]
    evening.correct(1, ANA, {BEN: replace(said, cards=f"{ELEVEN} KC"), CEM: "KS"})
    # Three calls are six cards more (KAL-4); a fourth is charged, and explains two more.
    fifteen = f"{ELEVEN} KC 2D 3D 4D"
    evening.correct(1, ANA, {BEN: replace(said, cards=fifteen), CEM: "KS"})
    with pytest.raises(NotPossible, match="Ben holds 15 cards at most, not 16"):
        evening.correct(1, ANA, {BEN: replace(said, cards=f"{fifteen} 5D"), CEM: "KS"})
    evening.write(PenaltyCharged(1, BEN, "KAL-4"))
    evening.correct(1, ANA, {BEN: f"{fifteen} 5D", CEM: "KS"})
    assert evening.sheet.hands[0].mark(BEN).cards == 54 + 10 * 3 + 2 + 3 + 4 + 5


def test_where_nobody_draws_penalty_cards_nothing_is_asked_about_them(monkeypatch):
    evening = of_game("kalooki")
    monkeypatch.setattr(KalookiJudge, "penalty_cards", "")
    with pytest.raises(NotPossible) as refused:
        evening.mark(ANA, {BEN: ELEVEN, CEM: "KC"})
    assert str(refused.value) == "Ben holds 9 cards at most, not 11."
    assert refused.value.field == "cards.1"
    # Calls on record explain cards all the same (KAL-4).
    evening.write(PenaltyCharged(1, BEN, "KAL-4"))
    evening.mark(ANA, {BEN: ELEVEN, CEM: "KC"})


def test_upcards_that_were_given_explain_two_cards_each():
    evening = of_game("contract_rummy")
    evening.write(UpcardGiven(1, ANA, (BEN,), None, BEN))
    evening.write(UpcardGiven(1, ANA, (CEM,), None, CEM))
    twelve = f"{ELEVEN} KC"
    with pytest.raises(NotPossible, match=r"Did Ben draw penalty cards for “May I\?” \(CON-9\)\?"):
        evening.mark(ANA, {BEN: f"{twelve} AC", CEM: "KS"})
    evening.mark(ANA, {BEN: twelve, CEM: "KS"})
    # In the next hand they explain nothing; there the marker's answer explains any number.
    with pytest.raises(NotPossible, match="Ben holds 10 cards at most, not 12"):
        evening.mark(ANA, {BEN: twelve, CEM: "KS"})
    # Penalties of a deal that was thrown in explain no cards either.
    evening.write(UpcardGiven(2, ANA, (BEN,), None, BEN))
    evening.throw_in()
    with pytest.raises(NotPossible, match="Ben holds 10 cards at most, not 11"):
        evening.mark(ANA, {BEN: ELEVEN, CEM: "KS"})
    many = " ".join(card.text for card in PACK[:30])
    evening.mark(ANA, {BEN: HandEntry(0, many, penalty_cards=True), CEM: "KS"})


# -- recorded plays, and the turn ----------------------------------------------------------------


def test_cards_laid_on_record_cannot_be_left():
    evening = of_game("carioca")
    evening.play(BEN, "meld 5C 5D 5H", "meld 9S 9H 9D", "discard KS")
    with pytest.raises(NotPossible) as refused:
        evening.mark(ANA, {BEN: SIX, CEM: "KC"})
    assert str(refused.value).startswith(
        "Ben holds 5 cards at most, not 6. The recorded table has 6 cards that Ben"
    )
    assert refused.value.field == "table_is_old"
    with pytest.raises(NotPossible, match="Ben holds 5 cards at most: that is 220 points"):
        evening.mark(ANA, {BEN: 300, CEM: "KC"})
    with pytest.raises(NotPossible, match="Ben holds 11 cards at most, not 12"):
        evening.mark(ANA, {BEN: f"{ELEVEN} KC", CEM: "KD"})
    evening.mark(ANA, {BEN: SIX, CEM: "KC"}, table_is_old=True)
    evening.correct(1, ANA, {BEN: "2C 3C 4C 5C 6C", CEM: "KC"})

    # All cards that one held may lie on record.
    evening = of_game("carioca")
    evening.play(BEN, "meld 5C 5D 5H", "meld 9S 9H 9D", "discard KS")
    evening.play(CEM, "discard QS")
    evening.play(BEN, "lay_off 5S 5C 5D 5H 5S onto 0")
    with pytest.raises(NotPossible, match="Ben holds 0 cards at most"):
        evening.mark(ANA, {BEN: "KC", CEM: "KD"})


@pytest.mark.parametrize(
    ("facts", "most"),
    [
        # CAR-1, CAR-3: 11 cards dealt, 6 of them in two trios, and one laid off.
        ({"contract_met": True}, 4),
        ({"contract_met": False, "melded_this_turn": True}, 4),
        ({"contract_met": False}, 10),
    ],
)
def test_cards_of_a_contract_that_was_said_to_be_met_cannot_be_left(facts, most):
    evening = of_game("carioca", lay_off_on_contract_turn="yes")
    evening.play(BEN, "meld 5C 5D 5H")
    said = dict.fromkeys(facts, STATED)
    evening.write(evening.judged(CEM, "lay_off", "lay_off 5S onto 0", **facts, sources=said))
    if most == 10:  # it was illegal, and has to be recorded as it lies
        evening.play(CEM, "lay_off 5S onto 0")
    eleven = ELEVEN.split()
    with pytest.raises(NotPossible) as refused:
        evening.mark(ANA, {BEN: "KC", CEM: " ".join(eleven[: most + 1])})
    says, field = str(refused.value), refused.value.field
    assert (says.startswith(f"Cem holds {most} cards at most, not {most + 1}."), field) == (
        True,
        "table_is_old",
    )
    assert ("With the contract, Cem had laid 7 cards." in says) is (most == 4)
    evening.mark(ANA, {BEN: "KC", CEM: " ".join(eleven[:most])})


def test_a_joker_that_stays_in_its_meld_is_a_card_less_in_hand():
    evening = of_game("carioca")
    evening.mark(ANA, {BEN: "KC", CEM: "KS"})  # CAR-3: hand 2 asks for an escalera too
    evening.play(BEN, "meld 5C 5D 5H", "meld 4S XX=5S 6S 7S", "discard KS")
    evening.play(CEM, "discard QS")
    evening.play(BEN, "swap 5S onto 1 high", "lay_off 5S onto 0", "discard JS")
    assert evening.hand.board.laid_by(BEN, evening.hand.rules) == 3 + 4 + 1 + 1
    assert evening.hand.board.laid_by(CEM, evening.hand.rules) == 0


def test_if_nobody_is_out_one_player_may_hold_the_card_just_drawn():
    sheet, hand = hand_of("carioca", 1)
    twelve = [cards(" ".join(f"{rank}{suit}" for rank in "3456789TJQKA")) for suit in "CD"]
    one = marked(hand, twelve[0], cards("2C"), cards("2D"), out=None)
    settle_marks(sheet, hand, one)
    both = marked(hand, *twelve, cards("2D"), out=None)
    says, field = refusal(sheet, hand, both)
    assert says.startswith("Ana and Ben cannot all hold a card more than was dealt")
    assert field == "cards.1"
    says, _ = refusal(sheet, hand, marked(hand, points(361), points(20), points(20), out=None))
    assert says == "Ana holds 12 cards at most: that is 360 points."


# -- marks from before these checks --------------------------------------------------------------


def test_earlier_marks_stay_as_they_are():
    evening = of_game("kalooki")
    kept = HandMarked(
        1, ANA, (HandEntry(BEN, ELEVEN, melded=True), HandEntry(CEM, "KC", melded=True))
    )
    check(kept, evening.sheet)
    with pytest.raises(NotPossible, match="Ben holds 9 cards at most"):
        settle(kept, evening.sheet)


# -- any marks -----------------------------------------------------------------------------------


@given(st.data())
def test_any_cards_that_players_can_hold_can_be_marked_by_cards_and_by_points(data):
    game = data.draw(st.sampled_from(["carioca", "kalooki", "contract_rummy", "pay_me"]))
    number = data.draw(st.integers(1, 7))
    sheet, hand = hand_of(game, number)
    dealt, deck = sheet.game.dealt(number, sheet.house.sheet), hand.rules.deck
    shuffled = data.draw(st.permutations([*PACK * deck.packs, *[JOKER] * deck.jokers]))
    left = {
        seat: shuffled[seat * dealt : seat * dealt + data.draw(st.integers(1, dealt))]
        for seat in (BEN, CEM)
    }
    by_points = tuple(
        HandEntry(seat, points=sum(map(hand.rules.value, held)), melded=True)
        for seat, held in left.items()
    )
    settle_marks(sheet, hand, HandMarked(number, ANA, by_points))
    texts = {seat: " ".join(card.text for card in held) for seat, held in left.items()}
    field = "held" if hand.rules.arranges else "cards"
    by_cards = tuple(HandEntry(seat, melded=True, **{field: text}) for seat, text in texts.items())
    settle_marks(sheet, hand, HandMarked(number, ANA, by_cards))
