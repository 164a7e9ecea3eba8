"""A game whose events are checked and recorded one by one, as the pages do it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from companion.notebook import events
from companion.notebook.checks import check_start, settle
from companion.notebook.events import Entry, Event, GameStarted, HandEntry, HandMarked, Ruled
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.replay import replay, with_entry
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.serialize import from_record
from companion.rules.cards import parse_cards
from companion.rules.games import game_named
from companion.rules.melds import Meld
from companion.rules.question import NO_PILE, Pile, Question, rule_on
from companion.rules.ruling import Ruling
from companion.rules.table import Player, parse_play

ANA, BEN, CEM, DIL = range(4)
NAMES = ("Ana", "Ben", "Cem", "Dil", "Eva", "Fay", "Gus")
NINE_O_CLOCK = datetime(2024, 11, 21, 21, 0, tzinfo=UTC)

# A player's cards left: as text, as points, or as a whole entry.
Left = str | int | HandEntry


def started(
    names: tuple[str, ...] = NAMES[:3],
    first_dealer: int = 0,
    sheet: str | None = None,
    title: str = "",
    *,
    game: str = "proter",
    **rules: str | int,
) -> GameStarted:
    house = game_named(game).house(sheet, rules)
    return GameStarted(game, house.sheet, dict(house.values), names, first_dealer, title)


class Evening:
    """A game in a notebook: its entries, and the sheet after the last of them."""

    def __init__(self, event: GameStarted | None = None) -> None:
        event = started() if event is None else event
        check_start(event)
        self.entries: list[Entry] = [Entry(1, NINE_O_CLOCK, "marker", event, "key-1")]
        self.sheet: ScoreSheet = replay(self.entries)

    @property
    def hand(self) -> HandSheet:
        return self.sheet.hand

    def write(self, event: Event) -> Entry:
        """Check an event against the sheet, and record it, as the services do."""
        event = settle(event, self.sheet)
        number = len(self.entries) + 1
        at = NINE_O_CLOCK + timedelta(seconds=number)
        entry = Entry(number, at, "marker", event, f"key-{number}")
        self.sheet = with_entry(self.sheet, [*self.entries, entry])
        self.entries.append(entry)
        return entry

    def mark(self, out: int | None, left: Mapping[int, Left], **more: bool) -> Entry:
        """Mark the open hand."""
        return self.write(HandMarked(self.hand.number, out, entries(left), **more))

    def correct(self, hand: int, out: int | None, left: Mapping[int, Left], **more: bool) -> Entry:
        return self.write(events.HandCorrected(hand, out, entries(left), **more))

    def mark_hands(self, count: int) -> None:
        """Mark `count` hands: the first player goes out, each other one has one natural card left.

        It is a queen (12 points), in the queens' own hand a jack (11).
        """
        for _ in range(count):
            rank = "J" if self.hand.number == 12 else "Q"
            others = self.sheet.players[1:]
            cards = [f"{rank}{suit}" for suit in "CDHS"]
            if len(others) > len(cards):
                cards += [f"{'9' if self.hand.number == 10 else 'T'}{suit}" for suit in "CDHS"]
            self.mark(ANA, {seat: cards[at] for at, seat in enumerate(others)})

    def end_at(self, end: datetime) -> None:
        """Move the times of all entries so that the last one is at this moment."""
        by = end - self.entries[-1].at
        self.entries = [replace(one, at=one.at + by) for one in self.entries]
        self.sheet = replay(self.entries)

    def charge(self, player: int, rule: str, hand: int | None = None) -> Entry:
        return self.write(events.PenaltyCharged(hand or self.hand.number, player, rule))

    def throw_in(self) -> Entry:
        return self.write(events.HandThrownIn(self.hand.number))

    def play(self, player: int, *plays: str) -> None:
        """Record undisputed plays on the table."""
        for play in plays:
            self.write(events.PlayRecorded(self.hand.number, player, play))

    def rule(
        self,
        player: int,
        *plays: str,
        verdict: Mapping[str, Any],
        melded_this_turn: bool = False,
        ask: str = "turn",
    ) -> Entry:
        """Record a ruling in words, as before rulings had facts."""
        hand, melded = self.hand.number, melded_this_turn
        return self.write(in_words(player, ask, *plays, verdict=verdict, hand=hand, melded=melded))

    def judged(
        self,
        player: int,
        ask: str,
        *plays: str,
        lying: Sequence[Meld] | None = None,
        pile: Pile = NO_PILE,
        unknown: Collection[str] = (),
        sources: Mapping[str, int] | None = None,
        instead_of: int | None = None,
        **stated: bool,
    ) -> Ruled:
        """Return the event of a ruling by the rules, by default on the recorded melds."""
        melds = self.hand.board.table.melds if lying is None else tuple(lying)
        parsed = tuple(parse_play(play) for play in plays)
        facts = Player(**stated)  # type: ignore[arg-type]  # no other facts are bool
        question = Question(ask, parsed, melds, pile, facts, frozenset(unknown))
        ruling = rule_on(self.hand.rules, question)
        assert isinstance(ruling, Ruling), f"It depends on {ruling.on}."
        return Ruled(
            self.hand.number,
            player,
            question,
            ruling._replace(table=None, holding=None, ways=()),
            self.hand.rules.charge_for(ruling),
            sources or {},
            instead_of,
        )

    def undo(self) -> Entry:
        return self.write(events.Undone(self.sheet.can_undo.number))

    def redo(self) -> Entry:
        return self.write(events.Redone(self.sheet.can_redo.number))

    def points(self, hand: int) -> list[int]:
        """Return everyone's points in a hand, by seat."""
        return [self.sheet.hands[hand - 1].mark(player).points for player in self.sheet.players]

    @property
    def totals(self) -> list[int]:
        return [self.sheet.total(player) for player in self.sheet.players]

    @property
    def melds(self) -> list[str]:
        """Return the recorded melds as text."""
        return [meld.text for meld in self.hand.board.table.melds]

    @property
    def pile(self) -> list[str]:
        """Return the recorded pile as text, the top card last."""
        return [card.text for card in self.hand.board.table.pile]


def of_game(
    game: str, sheet: str | None = None, names: tuple[str, ...] = NAMES[:3], **rules: str | int
) -> Evening:
    """Begin a game with the default house rules."""
    return Evening(started(names, sheet=sheet, game=game, **rules))


def begun(event: GameStarted | None = None) -> Evening:
    """Return hand 1 (aces are Proters): Ana has melded 5♣ 6♣ 7♣ and discarded the 9♠."""
    evening = Evening(event)
    evening.play(ANA, "meld 5C 6C 7C", "discard 9S")
    return evening


def entries(left: Mapping[int, Left]) -> tuple[HandEntry, ...]:
    """Return everyone's entries; the answer to "laid a meld?" is yes unless an entry says no."""
    return tuple(entry(player, one) for player, one in left.items())


def entry(player: int, left: Left) -> HandEntry:
    if isinstance(left, HandEntry):
        return replace(left, player=player)
    if isinstance(left, int):
        return HandEntry(player, points=left, melded=True)
    return HandEntry(player, cards=left, melded=True)


def unsaid(cards: str | None = None, points: int | None = None, wilds: int = 0) -> HandEntry:
    """Return an entry that does not say whether the player laid a meld."""
    return HandEntry(0, cards, points, wilds)


def said(
    melded: bool, cards: str | None = None, points: int | None = None, wilds: int = 0
) -> HandEntry:
    """Return an entry that says whether the player laid a meld."""
    return HandEntry(0, cards, points, wilds, melded)


def pile(cards: str, *, whole: bool = False) -> Pile:
    """Return the top of a pile, or the whole of it."""
    return Pile(parse_cards(cards), whole)


def held(cards: str, left: str | None = None) -> HandEntry:
    """Return all cards of a player; with ``left``, as the player wants them arranged."""
    return HandEntry(0, left, held=cards, otherwise=left is not None)


def in_words(
    player: int,
    ask: str,
    *plays: str,
    verdict: Mapping[str, Any],
    hand: int = 1,
    melded: bool = False,
) -> Ruled:
    """Return the event of a ruling in words, as it was kept before rulings had facts."""
    record = {"hand": hand, "player": player, "ask": ask, "plays": [*plays], "verdict": verdict}
    record |= {"melded_this_hand": melded, "melded_this_turn": melded}
    return from_record("RulingGiven", record)  # type: ignore[return-value]


LEGAL: dict[str, Any] = {
    "legal": True,
    "broken": [],
    "readings": [],
    "points": 0,
    "take_back": "none",
    "turn_passes": False,
    "says": "Legal.",
    "elsewhere": {},
    "charge": None,
}
WRONG_DISCARD = LEGAL | {
    "legal": False,
    "broken": ["PRO-11"],
    "points": 20,
    "take_back": "turn",
    "turn_passes": True,
    "says": "9♥ has the rank of 9♠.",
    "charge": "PRO-13.2",
}
WRONG_MELD = LEGAL | {"legal": False, "broken": ["PRO-5"], "take_back": "play"}
WRONG_MELD |= {"says": "That is no run."}
