"""A question with its rules, and a ruling in the form of its JSON."""

from __future__ import annotations

from typing import Any, NamedTuple

from companion.check.entries import Entries, entries_of
from companion.rules.judge import Judge
from companion.rules.player import Player
from companion.rules.position import parse_table
from companion.rules.ruling import Ruling
from companion.rules.table import Play, Table

Answer = dict[str, Any]

_PLAYER = frozenset({"name", "melded_this_hand", "melded_this_turn", "contract_met", "drew"})


class Asked(NamedTuple):
    """A question, and the rules of its game, house and hand."""

    entries: Entries
    rules: Judge

    def table(self) -> Table:
        """The melds and the pile. Raises `Malformed`, or `Ambiguous` for an open wild card."""
        if "table" not in self.entries.given and "pile" not in self.entries.given:
            return _EMPTY_TABLE
        return parse_table(self.entries.melds("table"), self.entries.any_cards("pile"), self.rules)

    def player(self) -> Player:
        """What is said of the player. Raises `Malformed` for what a player has not."""
        if "player" not in self.entries.given:
            return _NOTHING_SAID
        said = entries_of(self.entries.given["player"], "player")
        said.only(_PLAYER)
        return Player(
            said.flag("melded_this_hand"),
            said.flag("melded_this_turn"),
            said.flag("contract_met"),
            drew=said.one_card("drew") if "drew" in said.given else None,
        )

    def rule_on(self, play: Play) -> Answer:
        """The answer to a question about one play."""
        return ruled(self.rules.rule_on(self.table(), play, self.player()))


_EMPTY_TABLE = Table()
_NOTHING_SAID = Player()


def ruled(ruling: Ruling) -> Answer:
    """A ruling in the form of its JSON."""
    answer: Answer = {
        "legal": ruling.legal,
        "broken": list(ruling.broken),
        "readings": [meld.text for meld in ruling.readings],
        "points": ruling.consequence.points,
        "take_back": ruling.consequence.take_back.text,
        "turn_passes": ruling.consequence.turn_passes,
        "says": ruling.says,
        "elsewhere": dict(ruling.elsewhere),
    }
    if ruling.took is not None:
        answer["took"] = ruling.took.text
    if ruling.meld_after is not None:
        answer["meld_after"] = ruling.meld_after.text
    return answer
