"""Every event in a few words, for the undo button and the log page."""

import pytest

from companion.notebook import events
from companion.notebook.describe import charge_in_words, news, ruled_elsewhere, say
from companion.notebook.events import Event, HandMarked
from companion.notebook.serialize import KINDS
from companion.rules.games import game_named
from companion.rules.ruling import Breach, Ruling
from tests.notebook.evening import (
    ANA,
    BEN,
    CEM,
    WRONG_DISCARD,
    WRONG_MELD,
    Evening,
    in_words,
    of_game,
    pile,
    started,
)

SAID: list[tuple[Event, str]] = [
    (started(), "Game started"),
    (events.GameRenamed("Saturday"), "Game called Saturday"),
    (events.GameRenamed(""), "Game named after its players"),
    (events.PlayerRenamed(BEN, "Benjamin"), "Player 2 is called Benjamin"),
    (events.FirstDealerChanged(BEN), "Ben deals first"),
    (events.GameArchived(), "Game put in the archive"),
    (events.GameTakenOut(), "Game taken out of the archive"),
    (events.GameDeleted(), "Game deleted"),
    (events.GameRestored(), "Game restored"),
    (events.CardTurned(1, "8"), "Turned up: 8"),
    (events.CardTurned(1, "X"), "Turned up: joker"),
    (events.PlayRecorded(1, BEN, "meld 5C AH=6C 7C"), "Ben: Meld 5♣, A♥ for 6♣, 7♣"),
    (events.PlayRecorded(1, ANA, "take_pile"), "Ana: Took the pile"),
    (events.PileSeen(1, "9C TD"), "Top of the pile 9♣ 10♦"),
    (events.PileSeen(1, ""), "There is no pile"),
    (
        in_words(BEN, "discard", "discard 9H", verdict=WRONG_DISCARD),
        "Ruling on Ben: Discard 9♥: illegal (PRO-11)",
    ),
    (
        Evening().judged(BEN, "discard", "discard 9H", pile=pile("9S", whole=True)),
        "Ruling on Ben: Discard 9♥: illegal (PRO-11)",
    ),
    (
        Evening().judged(ANA, "turn", "meld 5C 6C 7C", "discard KS"),
        "Ruling on Ana: Meld 5♣, 6♣, 7♣; Discard K♠: legal",
    ),
    (events.PlayRecorded(1, None, "meld 5C 6C 7C"), "Meld 5♣, 6♣, 7♣"),
    (events.UpcardGiven(1, ANA, (BEN,), None, BEN), "“May I?”: Ben gets the card"),
    (events.UpcardGiven(1, ANA, (BEN,), BEN, None), "“May I?”: nobody gets the card"),
    (events.PenaltyCharged(1, BEN, "PRO-13.3"), "20 points to Ben (PRO-13.3)"),
    (events.CallNoted(1, BEN), "Ben called for the discard"),
    (events.HousePenalty(1, BEN, 10, "Spilled wine"), "10 points to Ben: Spilled wine (house)"),
    (events.HousePenalty(1, BEN, -1, "Best hat"), "1 point off for Ben: Best hat (house)"),
    (HandMarked(1, ANA, ()), "Hand 1 marked, Ana out"),
    (HandMarked(3, None, ()), "Hand 3 marked, nobody out"),
    (events.HandCorrected(2, BEN, ()), "Hand 2 corrected, Ben out"),
    (events.HandThrownIn(4), "Hand 4 thrown in"),
    (events.GameEnded(10), "Game ended after 9 hands"),
    (events.Undone(7), "Undone: entry 7"),
    (events.Redone(7), "Redone: entry 7"),
    # The sheet no longer has the undone event.
    (events.RulingEnforced(1, 99), "Ruling carried out"),
    (events.PenaltyWithdrawn(1, 99), "Penalty taken back"),
]


@pytest.mark.parametrize(("event", "words"), SAID)
def test_an_event_has_words(event, words):
    assert say(event, Evening().sheet) == words


def test_a_penalty_of_no_points_is_no_bonus():
    assert charge_in_words(0, "Ben") == "0 points to Ben"  # PRO-13 where the house charges nothing


def test_every_kind_of_event_has_words():
    assert {type(event) for event, _ in SAID} == set(KINDS.values())


def test_an_enforced_ruling_names_the_player():
    evening = Evening(started(penalty_points=1))
    evening.play(BEN, "discard 9S")
    charged = evening.rule(BEN, "discard 9H", verdict=WRONG_DISCARD)
    event = evening.write(events.RulingEnforced(1, charged.number)).event
    assert say(event, evening.sheet) == "1 point to Ben (PRO-13.2)"
    free = evening.rule(ANA, "meld 2C 3C 9D", verdict=WRONG_MELD)
    event = evening.write(events.RulingEnforced(1, free.number)).event
    assert say(event, evening.sheet) == "Ana's play taken back"


def test_an_undone_penalty_names_the_player():
    evening = Evening()
    charge = evening.charge(BEN, "PRO-13.1")
    event = evening.write(events.PenaltyWithdrawn(1, charge.number)).event
    assert say(event, evening.sheet) == "20 points taken back from Ben (PRO-13.1)"
    charge = evening.write(events.HousePenalty(1, BEN, 10, "Spilled wine"))
    event = evening.write(events.PenaltyWithdrawn(1, charge.number)).event
    assert say(event, evening.sheet) == "Taken back: 10 points to Ben: Spilled wine (house)"


def test_a_ruling_asked_again_says_which_charge_it_took_back():
    evening = Evening()
    wrong = evening.judged(BEN, "discard", "discard 9H", pile=pile("9S"))
    number = evening.write(wrong).number
    evening.write(events.RulingEnforced(1, number))
    again = evening.judged(BEN, "discard", "discard 9H", pile=pile("4D"), instead_of=number)
    evening.write(again)
    words = "Ruling on Ben: Discard 9♥: legal. 20 points taken back from Ben (PRO-13.2)"
    assert say(again, evening.sheet) == words
    evening.undo()
    assert say(again, evening.sheet) == "Ruling on Ben: Discard 9♥: legal"


def test_a_wild_card_laid_off_on_a_set_of_any_suits_stands_for_no_suit():
    evening = of_game("carioca")
    evening.write(evening.judged(ANA, "contract", "meld 7C 7D 7H", "meld 9C 9D 9H"))
    # Any 7 and any joker can be added to the trio (CAR-5).
    ruled = evening.judged(BEN, "lay_off", "lay_off XX=7C onto 0", contract_met=True)
    assert say(ruled, evening.sheet) == "Ruling on Ben: Lay-off ★ on meld 1: legal"


def test_an_event_undone_with_its_hand_can_still_be_described():
    evening = Evening()
    evening.mark_hands(1)
    charge = evening.charge(BEN, "PRO-13.1")
    back = evening.write(events.PenaltyWithdrawn(2, charge.number))
    for _ in range(3):
        evening.undo()
    assert len(evening.sheet.hands) == 1
    assert say(charge.event, evening.sheet) == "20 points to Ben (PRO-13.1)"
    assert say(back.event, evening.sheet) == "Penalty taken back"


def test_changed_marks_are_described_with_everyones_points():
    evening = Evening()
    evening.charge(BEN, "PRO-13.3")
    marked = evening.mark(ANA, {BEN: "QC", CEM: "5C"})  # 20 + 12, and 5
    assert news(marked.event, evening.sheet) == "Hand 1: Ana out. Ben +32, Cem +5."
    nobody = evening.mark(None, {ANA: "QC", BEN: "KC", CEM: "5C"})
    assert news(nobody.event, evening.sheet) == "Hand 2: nobody out. Ana +12, Ben +13, Cem +5."
    corrected = evening.correct(1, ANA, {BEN: "KC", CEM: "5C"})  # 20 + 13
    assert news(corrected.event, evening.sheet) == "Hand 1 corrected: Ana out. Ben +33, Cem +5."


def test_what_an_event_changed_is_described_briefly():
    for event, words in (
        (events.PenaltyCharged(1, BEN, "PRO-13.3"), "+20 Ben: Touched stock or pile"),
        (events.HousePenalty(1, BEN, -10, "sang"), "−10 Ben: sang"),
        (events.HousePenalty(1, BEN, 5, "was late"), "+5 Ben: was late"),
        (events.HandThrownIn(1), "Hand 1 thrown in"),
    ):
        evening = Evening()
        assert news(evening.write(event).event, evening.sheet) == words

    evening = Evening(started(game="indian_chief"))  # in which nobody goes out
    marked = evening.mark(None, {ANA: "7C", BEN: "8C", CEM: "9C"})  # the thief's box: a card each
    assert news(marked.event, evening.sheet) == "Round 1: Ana +7, Ben +8, Cem +9."


@pytest.mark.parametrize(
    ("here", "there", "says"),
    [
        (True, True, "Legal on the Play Gin Rummy Online sheet too."),
        (False, True, "Legal on the Play Gin Rummy Online sheet."),
        (False, False, "Illegal on the Play Gin Rummy Online sheet too."),
        (True, False, "Illegal on the Play Gin Rummy Online sheet."),
    ],
)
def test_how_the_other_sheet_rules_is_one_sentence(here, there, says):
    breaches = () if here else (Breach("PRO-11", "same_rank"),)
    ruling = Ruling(breaches=breaches, elsewhere={"playginrummyonline": there})
    assert ruled_elsewhere(game_named("proter"), ruling) == [says]
    others = [] if here == there else [says]
    assert ruled_elsewhere(game_named("proter"), ruling, only_others=True) == others
    # A sheet of which the same question cannot be asked is not mentioned.
    ruling = ruling._replace(elsewhere={"playginrummyonline": None})
    assert ruled_elsewhere(game_named("proter"), ruling) == []
