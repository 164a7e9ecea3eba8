"""The plays of a turn one after the other as they were said, before anyone has ruled on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from companion.rules.cards import parse_card, parse_offered
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Swap, TakePile

WORDS = {MeldPlay: "Meld", LayOff: "Lay-off", Swap: "Swap", Discard: "Discard"}


@dataclass(frozen=True, slots=True)
class Step:
    """One play as it is shown: what it is, its cards, and the meld that it was played on."""

    word: str
    cards: str
    onto: str = ""
    text: str = ""


@dataclass(slots=True)
class Course:
    """Melds (card text) and cards that lie somewhere, ``lies``: each card and where it lies."""

    melds: list[list[str]] = field(default_factory=list)
    lies: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    @property
    def stood_for(self) -> dict[str, str]:
        """The cards that wild cards on the table stand for, and by which one."""
        stood: dict[str, str] = {}
        for meld in self.melds:
            for text in meld:
                card, _, stands_for = text.partition("=")
                if stands_for and stands_for != card:
                    stood[stands_for] = card
        return stood

    @property
    def tags(self) -> dict[str, str]:
        """What is noted on a card of the grid: by which card it is on the table already."""
        return {
            stands_for: f"as {parse_card(wild).shown}"
            for stands_for, wild in self.stood_for.items()
            if stands_for not in self.lies
        }

    @property
    def swaps(self) -> list[tuple[int, str, str, str]]:
        """Every swap that the rules may allow: the meld's index, the real card, the wild one."""
        return [
            (index, stands_for, wild, " ".join(meld))
            for index, meld in enumerate(self.melds)
            for wild, _, stands_for in (text.partition("=") for text in meld)
            if stands_for and stands_for != wild
        ]

    @property
    def targets(self) -> list[tuple[int, str, bool]]:
        """Every meld: its index, its cards, and whether one of them stands for another."""
        stood = self.stood_for.values()
        return [
            (index, " ".join(meld), any(card[:2] in stood for card in meld))
            for index, meld in enumerate(self.melds)
        ]

    def play(self, play: Play) -> None:
        """Go one play on, whether it is legal or not."""
        texts = [offered.text for offered in play.plays]
        onto = ""
        if isinstance(play, LayOff | Swap) and 0 <= play.onto < len(self.melds):
            onto = " ".join(self.melds[play.onto])
        word = "Takes the pile" if isinstance(play, TakePile) else WORDS[type(play)]
        self.steps.append(Step(word, " ".join(texts), onto, play.text))
        match play:
            case MeldPlay():
                self.melds.append(texts)
            case LayOff() if onto:
                self.melds[play.onto] = [*self.melds[play.onto], *texts]
            case Swap() if onto:
                self._swap(play, self.melds[play.onto])
            case TakePile():
                self.lies = {card: where for card, where in self.lies.items() if where != "pile"}
        self.lies.update((offered.card.text, "turn") for offered in play.plays)

    def _swap(self, play: Swap, meld: list[str]) -> None:
        for at, text in enumerate(meld):
            wild, _, stands_for = text.partition("=")
            if stands_for == play.card.card.text:
                meld[at] = stands_for
                self.lies.pop(wild, None)
                return


def course(melds: Iterable[str], pile: str, plays: Sequence[Play] = ()) -> Course:
    """The course that plays take from a table of melds and a pile, all as card text."""
    laid = [meld.split() for meld in melds]
    lies = {parse_offered(text).card.text: "table" for meld in laid for text in meld}
    lies.update((text, "pile") for text in pile.split())
    taken = Course(laid, lies)
    for play in plays:
        taken.play(play)
    return taken
