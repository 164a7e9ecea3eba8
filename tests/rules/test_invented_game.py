"""A game that nobody plays, stated in a few lines: what a new game costs."""

from typing import Any

import pytest

from companion.check import answer
from companion.notebook.events import GameStarted, HandEntry, HandMarked, PenaltyCharged
from companion.rules.cards import Card, Rank
from companion.rules.errors import NotInThisGame
from companion.rules.game import Charge, Deal, Deck, DeckFor, Game
from companion.rules.games import GAMES
from companion.rules.house_rules import House, HouseRule, Sheet
from companion.rules.judge import Judge
from companion.rules.melds import AceInRuns, MeldLimits
from tests.notebook.evening import Evening


class FivesJudge(Judge):
    turn_rule = "FIV-1"
    asks = Judge.asks - {"swap"}

    def __init__(self, game: Game, house: House, deal: Deal) -> None:
        super().__init__(game, house, deal)
        self.limits = MeldLimits(
            set_rule="FIV-2",
            run_rule="FIV-3",
            wild_rule="FIV-4",
            lay_off_rule="FIV-5",
            swap_rule="FIV-5",
            wild_ranks=frozenset({Rank.JOKER, Rank.FIVE}),
            ace_in_runs=AceInRuns(house["ace_in_runs"]),
            min_naturals=1,
        )

    def value(self, card: Card) -> int:
        return 5 if self.limits.is_wild(card) else 1


FIVES = Game(
    id="fives",
    name="Fives",
    says="Two hands in which fives and jokers are wild.",
    hands=2,
    players=(2, 3),
    decks={"": (DeckFor(2, 3, Deck(1, 2)),)},
    cards_dealt=(5, 7),
    deal_passes="left",
    sheets=(Sheet("fives", "Fives", "Made up."),),
    house_rules=(
        HouseRule("ace_in_runs", "FIV-3", "The ace in runs", "low").with_choices(
            low="Below the 2.",
            high="Above the king.",
        ),
    ),
    charges=(Charge("FIV-6", "Late", "Somebody was waited for.", points=3),),
    judge=FivesJudge,
)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, FIVES.id, FIVES)


def ask(**question: Any) -> dict[str, Any]:
    return answer({"game": "fives", "hand": 1} | question)


@pytest.mark.parametrize(
    ("question", "broken"),
    [
        ({"ask": "meld", "cards": "2C 3C 5H=4C"}, []),
        ({"ask": "meld", "cards": "AC 2C XX"}, []),
        ({"ask": "meld", "cards": "QC KC AC"}, ["FIV-3"]),
        ({"ask": "meld", "cards": "QC KC AC", "rules": {"ace_in_runs": "high"}}, []),
        ({"ask": "meld", "cards": "9C 9D 8H"}, ["FIV-2", "FIV-3"]),
        ({"ask": "meld", "cards": "XX=9C 5D=9D 5H=9H"}, ["FIV-4"]),
        ({"ask": "lay_off", "cards": "6C", "onto": 0, "table": ["2C 3C 4C"]}, ["FIV-5"]),
        ({"ask": "lay_off", "cards": "5C=5C 6C", "onto": 0, "table": ["2C 3C 4C"]}, []),
        ({"ask": "discard", "card": "5C", "pile": "5D"}, []),
        ({"ask": "turn", "plays": [{"discard": "9C"}, {"discard": "8C"}]}, ["FIV-1"]),
    ],
)
def test_an_invented_game_can_be_asked_about(question, broken):
    ruling = ask(**question)
    assert (ruling["broken"], ruling["legal"]) == (broken, not broken)
    assert ruling["elsewhere"] == {}


def test_an_invented_game_is_arranged_and_marked():
    best = ask(ask="arrange", cards="2C 3C 5H KD QS")
    assert (best["points"], best["deadwood"]) == (2, ["KD", "QS"])
    players = [{"name": "Ana", "out": True}, {"name": "Ben", "left": "5H KD XX"}]
    scores = ask(ask="score", players=players)["scores"]
    assert scores["Ben"] == {"points": 11, "cards": 11, "penalties": []}


@pytest.mark.parametrize("question", ["swap", "contract", "declare", "round"])
def test_an_invented_game_says_what_it_does_not_have(question):
    with pytest.raises(NotInThisGame, match=f"Fives has no question “{question}”"):
        ask(ask=question, card="5C", onto=0)


def test_an_invented_game_is_played_in_the_notebook():
    evening = Evening(GameStarted("fives", "fives", {"ace_in_runs": "low"}, ("Ana", "Ben"), 0, ""))
    evening.write(PenaltyCharged(1, 1, "FIV-6"))
    evening.write(HandMarked(1, 0, (HandEntry(1, "5H KD"),)))
    evening.write(HandMarked(2, 1, (HandEntry(0, "XX"),)))
    sheet = evening.sheet
    assert sheet.over
    assert [sheet.total(player) for player in sheet.players] == [5, 9]  # 5; 5 + 1 and 3 for Late
    assert sheet.leaders() == [0]
