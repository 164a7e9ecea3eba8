"""Examples of what players dispute most in each game: the play, the hand, and the table.

The ruling on each follows from the rules of a sheet or a table.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, cast

from companion.rules.cards import Suit, parse_card, parse_cards
from companion.rules.games.indian_chief import IndianChiefJudge
from companion.rules.judge import Judge
from companion.rules.question import NOTHING_SAID, Pile, Question, rule_on
from companion.rules.ruling import Ruling
from companion.rules.scoring import BoxScore
from companion.rules.table import Play, Player, parse_play, parse_table


class Dispute(NamedTuple):
    """Plays that people disagree on, and the number of the rule that decides.

    ``played`` has the text of each play, as `parse_play` reads it, after the kind of question if
    that is not the play's own: ``turn: ``. ``on`` has the melds on the table, ``pile`` the top of
    the pile, and ``turned`` is the rank that was turned before the deal.
    """

    title: str
    rule: str
    hand: int
    played: str
    on: str = ""
    player: Player = NOTHING_SAID
    pile: str = ""
    turned: str = ""

    @property
    def ask(self) -> str:
        """The kind of question: ``meld``, ``discard``, ``contract``."""
        return self.played.split(": ")[0].split(" ")[0]

    @property
    def plays(self) -> tuple[Play, ...]:
        """The plays."""
        return tuple(map(parse_play, self.played.split(": ")[-1].split("; ")))

    @property
    def melds(self) -> Sequence[str]:
        """The melds on the table, as text."""
        return self.on.split("; ") if self.on else ()

    def question(self, rules: Judge) -> Question:
        """Return the question. Raises `Malformed` if its table is impossible by these rules."""
        melds = parse_table(self.melds, (), rules).melds
        return Question(self.ask, self.plays, melds, Pile(parse_cards(self.pile)), self.player)

    def ruling(self, rules: Judge) -> Ruling:
        """Return the ruling. Raises `Malformed` if the table or a play is impossible."""
        # Every fact is stated, so the answer is never `Depends`.
        return cast(Ruling, rule_on(rules, self.question(rules)))


class BoxDispute(NamedTuple):
    """A meld for a box of Indian Chief, what the others show, and the suit that is named."""

    title: str
    rule: str
    cards: str
    others: str = ""
    suit: Suit | None = None

    def score(self, rules: IndianChiefJudge) -> BoxScore:
        """Return what the meld scores. Raises `Malformed` as `IndianChiefJudge.score_meld` does."""
        return rules.score_meld(parse_cards(self.cards), parse_cards(self.others), self.suit)


# The player melded in this turn, melded earlier, or met the contract earlier.
_NOW: Final = Player(melded_this_hand=True, melded_this_turn=True)
_BEFORE: Final = Player(melded_this_hand=True)
_MET: Final = Player(melded_this_hand=True, contract_met=True)
_DREW_9D: Final = Player(drew=parse_card("9D"))

_PROTER: Final = (
    Dispute("A run around the corner", "PRO-5", 8, "meld KS AS 2S"),
    Dispute("Ace, two, three", "PRO-5", 8, "meld AS 2S 3S"),
    Dispute(
        "A Proter in the first meld of a later turn", "PRO-7", 8, "meld 5C 8H=6C 7C", "", _BEFORE
    ),
    Dispute("A lay-off that leaves a gap", "PRO-8", 8, "lay_off 9D onto 0", "5D 6D 7D"),
    Dispute("A lay-off before any meld", "PRO-7", 8, "lay_off 4D onto 0", "5D 6D 7D"),
    Dispute("A card that a Proter stands for already", "PRO-9", 8, "meld 6C 6D 6S", "5C 8H=6C 7C"),
    Dispute("Swapping a Proter", "PRO-10", 8, "swap 6C onto 0", "5C 8H=6C 7C"),
    Dispute("A nine on a nine", "PRO-11", 8, "discard 9D", pile="9S"),
    Dispute("The third card of a run on the pile", "PRO-12", 8, "discard 7S", pile="5S 6S"),
    Dispute("The next card of the suit on the pile", "PRO-12", 8, "discard 7S", pile="KD 6S"),
)

_PAY_ME: Final = (
    Dispute("Two wild cards side by side in a run", "PAY-6", 4, "meld 4C 2D 2H 7C"),
    Dispute("More wild cards than others", "PAY-6", 4, "meld 9C XX 2D"),
    Dispute("As many wild cards as others", "PAY-6", 4, "meld 9C 9D XX=9H 2H=9S"),
    Dispute("A two in its own place beside a joker", "PAY-6", 4, "meld AD 2D XX=3D 4D"),
    Dispute("Queen, king, ace", "PAY-5", 4, "meld QS KS AS"),
    Dispute("The same card twice in a set", "PAY-4", 4, "meld 9C 9C 9D"),
    Dispute("Two sets of one rank", "PAY-4", 4, "declare: meld 9C 9D 9H 9C 9D 9H KS"),
    Dispute("Out with one card to discard", "PAY-8", 1, "declare: meld 9C 9D 9H KS"),
    Dispute("Out with two cards over", "PAY-8", 2, "declare: meld 9C 9D 9H QD KS"),
    Dispute("A second wild card laid off", "PAY-9", 4, "lay_off 2D=6C onto 0", "7C 8C XX=9C"),
)

_CARIOCA: Final = (
    Dispute("One trio of two", "CAR-3", 1, "contract: meld 9C 9D 9H"),
    Dispute("A trio of four cards", "CAR-3", 1, "contract: meld 9C 9D 9H 9S; meld 4C 4D 4H"),
    Dispute("The same card twice in a trio", "CAR-2", 1, "contract: meld 9S 9S 9H; meld 4C 4D 4H"),
    Dispute("Around the corner", "CAR-2", 3, "contract: meld QD KD AD 2D; meld 5C 6C 7C 8C"),
    Dispute("Two jokers in a trio", "CAR-4", 1, "contract: meld 9C XX XX; meld 4C 4D 4H"),
    Dispute("A lay-off with the contract", "CAR-5", 1, "lay_off 9S onto 0", "9C 9D 9H", _NOW),
    Dispute("A lay-off in a later turn", "CAR-5", 1, "lay_off 9S onto 0", "9C 9D 9H", _MET),
    Dispute("Another trio after the contract", "CAR-5", 1, "meld 7C 7D 7H", "", _MET),
    Dispute(
        "Swapping a joker in an escalera", "CAR-6", 2, "swap 6S onto 0 high", "5S XX=6S 7S 8S", _MET
    ),
    Dispute("Swapping a joker in a trio", "CAR-6", 2, "swap 9H onto 0", "9C 9D XX=9H", _MET),
)

_KALOOKI: Final = (
    Dispute("One three of three", "KAL-3", 1, "contract: meld 9C 9D 9H"),
    Dispute("Two jokers in a three", "KAL-2", 2, "meld 9C XX XX", "", _MET),
    Dispute("Two jokers side by side in a four", "KAL-2", 2, "meld 7H XX XX TH", "", _MET),
    Dispute(
        "Two fours of one suit",
        "KAL-2",
        3,
        "contract: meld 5C 5D 5H; meld 3S 4S 5S 6S; meld 9S TS JS QS",
    ),
    Dispute("The low end of a four", "KAL-5", 2, "lay_off 5D onto 0", "6D 7D 8D 9D", _MET),
    Dispute("The low end below an ace", "KAL-5", 2, "lay_off TS onto 0", "JS QS KS AS", _MET),
    Dispute("Tacking on with the contract", "KAL-5", 2, "lay_off TD onto 0", "6D 7D 8D 9D", _NOW),
    Dispute("A joker to the low end", "KAL-6", 2, "swap JS onto 0 low", "9S TS XX=JS QS", _MET),
    Dispute("Swapping a joker in a three", "KAL-6", 2, "swap 9H onto 0", "9C 9D XX=9H", _MET),
    Dispute("A joker on the pile", "KAL-7", 2, "discard XX", pile="9C"),
)

_CONTRACT_RUMMY: Final = (
    Dispute("One set of two", "CON-3", 1, "contract: meld 9C 9D 9H"),
    Dispute("The same card twice in a set", "CON-4", 1, "contract: meld 9C 9C 9H; meld 4C 4D 4H"),
    Dispute("A run of three cards", "CON-5", 3, "contract: meld 6D 7D 8D; meld TC JC QC KC"),
    Dispute("Two runs that are one", "CON-5", 3, "contract: meld 3C 4C 5C 6C; meld 7C 8C 9C TC"),
    Dispute("A run around the corner", "CON-5", 3, "contract: meld QS KS AS 2S; meld 5C 6C 7C 8C"),
    Dispute("A lay-off with the contract", "CON-8", 1, "lay_off 9S onto 0", "9C 9D 9H", _NOW),
    Dispute("Swapping a joker in a run", "CON-7", 2, "swap 7S onto 0", "5S 6S XX=7S 8S", _MET),
    Dispute("Swapping a joker in a set", "CON-7", 2, "swap 9H onto 0", "9C 9D XX=9H", _MET),
    Dispute(
        "A joker kept for later",
        "CON-7",
        2,
        "turn: swap 7S onto 0; discard KD",
        "5S 6S XX=7S 8S",
        _MET,
    ),
    Dispute("The card just taken from the pile", "CON-9", 2, "discard 9D", "", _DREW_9D),
)

_INDIAN_RUMMY: Final = (
    Dispute("A sequence around the corner", "IND-2", 1, "meld KH AH 2H"),
    Dispute("Queen, king, ace", "IND-2", 1, "meld QS KS AS"),
    Dispute("The same card twice in a set", "IND-3", 1, "meld 7C 7C 7H"),
    Dispute("Four cards in a set", "IND-3", 1, "meld 9C 9D 9H 9S"),
    Dispute("The same card three times", "IND-4", 1, "meld TD TD TD"),
    Dispute("Two jokers in a set", "IND-5", 1, "meld 9C XX=9D XX=9H"),
    Dispute("The card just taken from the pile", "IND-6", 1, "discard 9D", "", _DREW_9D),
    Dispute("A joker on the pile", "IND-6", 1, "discard XX", pile="9C"),
    Dispute(
        "One clean sequence", "IND-5", 1, "declare: meld 4H 5H 6H 7H 9C XX JC 2S XX 4S KC KD KH"
    ),
    Dispute(
        "An eight as itself, eights being wild",
        "IND-5",
        1,
        "declare: meld 7S 8S 9S 4H 5H 6H 7H 2S XX 4S KC KD XX",
        turned="8",
    ),
)

_THREE_THIRTEEN: Final = (
    Dispute("Ace, two, three", "TTN-5", 4, "meld AS 2S 3S"),
    Dispute("Queen, king, ace", "TTN-5", 4, "meld QS KS AS"),
    Dispute("The same card twice in a set", "TTN-4", 4, "meld 9C 9C 9H"),
    Dispute("Two wild cards in a set", "TTN-6", 6, "meld QH 8C=QC 8S=QS"),
    Dispute("Two wild cards side by side in a run", "TTN-6", 4, "meld TC 6D=JC 6H=QC KC"),
    Dispute("A set of wild cards alone", "TTN-6", 1, "meld 3C=3C 3D=3D 3S=3S"),
    Dispute("A two as a wild card", "TTN-3", 4, "meld 9C 9D 2H"),
    Dispute("Out with one card to discard", "TTN-7", 1, "declare: meld 9C 9D 9H KS"),
    Dispute("Out with two cards over", "TTN-7", 2, "declare: meld 9C 9D 9H QD KS"),
    Dispute("Out with no card to discard", "TTN-7", 3, "declare: meld 9C 9D 9H KC KD KH"),
)

DISPUTES: Final[Mapping[str, Sequence[Dispute]]] = {
    "proter": _PROTER,
    "pay_me": _PAY_ME,
    "carioca": _CARIOCA,
    "kalooki": _KALOOKI,
    "contract_rummy": _CONTRACT_RUMMY,
    "indian_rummy": _INDIAN_RUMMY,
    "three_thirteen": _THREE_THIRTEEN,
}

BOX_DISPUTES: Final = (
    BoxDispute("An ace as Thief", "CHI-2", "AC"),
    BoxDispute(
        "The ace of hearts as ace and as heart", "CHI-3", "AH 4C 6D 9S JC KS", suit=Suit.SPADES
    ),
    BoxDispute("A Doctor with two fours", "CHI-3", "AC 4H 4D 9H JC KS", suit=Suit.HEARTS),
    BoxDispute("A pair as Beggar Man", "CHI-3", "9C 9H", "9D 9S KC 2C"),
    BoxDispute("A heart in a Poor Man", "CHI-3", "KS 5S QH"),
    BoxDispute("A Lawyer of 24", "CHI-3", "KC 9D 4H AS"),
    BoxDispute("A king in a Rich Man", "CHI-3", "AC AD 2H 3S KC"),
    BoxDispute("Ten to ace as a straight", "CHI-4", "TC JD QH KS AC 4D 4H"),
    BoxDispute("A straight around the corner", "CHI-4", "QC KD AH 2S 3C 9C 7D"),
    BoxDispute("A baccarat of 15", "CHI-4", "2C 4C 7C TC QC 6D 9H"),
)
