"""A question with its rules, and a ruling in the form of its JSON."""

from __future__ import annotations

from typing import Any, NamedTuple

from companion.check.entries import Entries, entries_of
from companion.rules.judge import Judge
from companion.rules.player import Player
from companion.rules.position import parse_table
from companion.rules.question import NOTHING_SAID, UNKNOWN_PILE, Depends, Pile, Question, rule_on
from companion.rules.readings import MOST_READINGS
from companion.rules.ruling import Ruling
from companion.rules.table import Play

Answer = dict[str, Any]

_FACTS = ("melded_this_hand", "melded_this_turn", "contract_met")
_PLAYER = frozenset({"name", "drew", "holds", *_FACTS})
# More than anybody can hold in any game; the rules say what a player can hold in theirs.
_MOST_HELD = 999


class Asked(NamedTuple):
    """A question, and the rules of its game, house and hand."""

    entries: Entries
    rules: Judge

    def rule_on(self, ask: str, *plays: Play) -> Answer:
        """The answer to a question about plays. Raises `Malformed` or `Ambiguous`."""
        entries = self.entries
        pile = UNKNOWN_PILE
        if "pile" not in entries.given or entries.given["pile"] is not None:
            pile = Pile(entries.any_cards("pile"))
        table = parse_table(entries.melds("table"), pile.cards, self.rules)
        holding = entries.any_cards("holding") if "holding" in entries.given else None
        player, unknown = self.player()
        asked = Question(ask, plays, table.melds, pile, player, unknown, holding)
        return answer_of(rule_on(self.rules, asked))

    def player(self) -> tuple[Player, frozenset[str]]:
        """What is said of the player, and the facts that are not known."""
        if "player" not in self.entries.given:
            return NOTHING_SAID, frozenset()
        said = entries_of(self.entries.given["player"], "player")
        said.only(_PLAYER)
        player = Player(
            bool(said.known_flag("melded_this_hand")),
            bool(said.known_flag("melded_this_turn")),
            bool(said.known_flag("contract_met")),
            drew=said.one_card("drew") if "drew" in said.given else None,
            holds=said.number("holds", _MOST_HELD) if said.given.get("holds") is not None else None,
        )
        return player, frozenset(fact for fact in _FACTS if said.known_flag(fact) is None)


def answer_of(found: Ruling | Depends) -> Answer:
    """A ruling in the form of its JSON, or the facts that it depends on."""
    if isinstance(found, Ruling):
        answer = ruled(found)
        if found.regardless_of:
            answer["regardless_of"] = list(found.regardless_of)
        return answer
    answer = {"legal": None, "depends_on": list(found.on)}
    if found.cases:
        answer["cases"] = [{**facts, **ruled(ruling)} for facts, ruling in found.cases]
    return answer


def ruled(ruling: Ruling) -> Answer:
    """A ruling in the form of its JSON."""
    too_many = ruling.number > MOST_READINGS
    answer: Answer = {
        "legal": ruling.legal,
        "broken": list(ruling.broken),
        "readings": [] if too_many else [meld.text for meld in ruling.readings],
        "points": ruling.consequence.points,
        "take_back": ruling.consequence.take_back.text,
        "turn_passes": ruling.consequence.turn_passes,
        "says": ruling.says,
        "elsewhere": dict(ruling.elsewhere),
    }
    if too_many:
        answer["readings_count"] = ruling.number
    if ruling.took is not None:
        answer["took"] = ruling.took.text
    if ruling.meld_after is not None:
        answer["meld_after"] = ruling.meld_after.text
    if ruling.table is not None:
        answer["plays"] = [ruled(one) for one in ruling.plays]
        answer["table_after"] = [meld.text for meld in ruling.table.melds]
        if "pile" not in ruling.regardless_of:
            answer["pile_after"] = [card.text for card in ruling.table.pile]
    if ruling.holding is not None:
        answer["holding_after"] = [card.text for card in ruling.holding]
    return answer
