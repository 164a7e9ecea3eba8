"""Rulings that come from elsewhere: those of every game are let in, and forged ones are not."""

import pytest
from hypothesis import given

from companion.notebook.events import Ruled, RulingGiven, Verdict
from companion.notebook.replay import replay
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.serialize import is_worded_by_rules, ruling_data, ruling_from
from companion.rules.judge import Judge
from companion.rules.question import CALL, DRAW
from companion.rules.ruling import Ruling
from companion.services.export import check_imported
from tests.notebook.drawn_questions import a_ruling
from tests.notebook.evening import NINE_O_CLOCK, Entry, GameStarted
from tests.rules.drawing import CHANCE


def sheet_of(rules: Judge) -> ScoreSheet:
    """The sheet of a game that is played by these rules, in the hand that they are of."""
    house, players = rules.house, ("Ana", "Ben", "Chandi")
    start = GameStarted(rules.game.id, house.sheet, dict(house.values), players, 0, "")
    sheet = replay([Entry(1, NINE_O_CLOCK, "marker", start, "key-1")])
    sheet.hands = [sheet.open_hand(1)] * rules.hand
    sheet.hands[-1].rules = rules
    return sheet


def in_words(ruling: Ruling, charge: str | None) -> Verdict:
    """A ruling as it was kept before `Ruled`."""
    points, take_back, turn_passes = ruling.consequence
    return Verdict(
        ruling.legal,
        ruling.broken,
        tuple(meld.text for meld in ruling.readings[:24]),
        points,
        take_back.text,
        turn_passes,
        ruling.says,
        {sheet: legal for sheet, legal in ruling.elsewhere.items() if legal is not None},
        charge,
    )


@given(CHANCE)
def test_every_ruling_of_every_game_is_let_in(chance):
    rules, question, ruling = a_ruling(chance)
    charge = rules.charge_for(ruling)
    sheet = sheet_of(rules)
    kept = ruling_from(ruling_data(ruling), "ruling")
    check_imported(Ruled(rules.hand, 1, question, kept, charge, {}), sheet)
    if question.ask in {CALL, DRAW}:
        return  # these were never kept in words
    plays = tuple(play.text for play in question.plays)
    verdict = in_words(ruling, charge)
    given = RulingGiven(rules.hand, 1, question.ask, plays, False, False, verdict)
    check_imported(given, sheet)


@pytest.mark.parametrize(
    "text",
    [
        "You win.",
        "Ana cheats.",
        "http://example.com",
        "Legal: <b>8♥</b>",
        "Lеgal.",  # with a Cyrillic letter
        "\u202eLegal.",
        "Legal.\x00",
        "Legal.\n",
        "=1+1",
    ],
)
def test_sentences_of_no_rule_are_refused(text):
    assert not is_worded_by_rules(text)
