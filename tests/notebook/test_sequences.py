"""Random games: accepted events can be replayed, undone, redone and stored."""

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from companion.notebook import events
from companion.notebook.checks import settle
from companion.notebook.describe import say
from companion.notebook.events import Entry, Event, HandEntry, HandMarked, NotPossible, Ruled
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.replay import replay
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.serialize import from_record, to_record
from companion.rules.cards import PACK, Card, Laid, parse_cards
from companion.rules.errors import Malformed
from companion.rules.melds import Kind, Meld
from companion.rules.question import Pile, Question
from companion.rules.ruling import Breach, Consequence, Ruling, TakeBack
from companion.rules.table import Play, Player, parse_play
from tests.notebook.evening import (
    LEGAL,
    NAMES,
    NINE_O_CLOCK,
    WRONG_DISCARD,
    WRONG_MELD,
    Evening,
    started,
)
from tests.notebook.test_serialize import EVENTS

RULES = st.fixed_dictionaries(
    {},
    optional={
        "penalty_points": st.integers(0, 40),
        "proters_left": st.sampled_from(["flat", "each"]),
        "winner_pays_no_meld": st.sampled_from(["yes", "no"]),
        "lay_off_counts_as_meld": st.sampled_from(["yes", "no"]),
        "proter_left_value": st.sampled_from(["face", "zero"]),
        "ties": st.sampled_from(["shared", "fewest_penalties"]),
    },
)
PLAYS = ["meld 5C 6C 7C", "meld 9D TD JD", "lay_off 8C onto 0", "discard KS", "take_pile"]
CHARGED = ["PRO-13.1", "PRO-13.2", "PRO-13.3"]


def state(sheet: ScoreSheet) -> tuple[Any, ...]:
    """All that a sheet says, but for the number of its last entry."""
    return (
        sheet.names,
        sheet.title,
        (sheet.archived, sheet.deleted),
        sheet.over,
        sheet.hands,
        sheet.standings(),
    )


def points_by_hand(hand: HandSheet, event: HandMarked | events.HandCorrected, player: int) -> int:
    """A player's points for a marked hand, reckoned from the rulebook alone (PRO-13, PRO-15)."""
    house = dict(hand.rules.house.values)
    penalty = int(house["penalty_points"])
    charged = sum(p.player == player and p.withdrawn is None for p in hand.penalties) * penalty
    if player == event.out:
        strikes = not event.out_melded and house["winner_pays_no_meld"] == "yes"
        return charged + strikes * penalty
    (entry,) = (one for one in event.entries if one.player == player)
    points, proters = entry.points or 0, entry.wilds
    if entry.cards is not None:
        ranks = ["A23456789TJQK".index(text[0]) + 1 for text in entry.cards.split()]
        proters = ranks.count(hand.number)
        worth = 0 if house["proter_left_value"] == "zero" else hand.number
        points = sum(rank for rank in ranks if rank != hand.number) + proters * worth
    times = proters if house["proters_left"] == "each" else min(proters, 1)
    return points + charged + times * penalty + (not entry.melded) * penalty


class AGame(RuleBasedStateMachine):
    """A marker who does anything possible, in any order."""

    @initialize(players=st.integers(2, 7), dealer=st.integers(0, 1), rules=RULES)
    def start(self, players: int, dealer: int, rules: dict[str, str | int]) -> None:
        self.evening = Evening(started(NAMES[:players], dealer, **rules))

    @property
    def sheet(self) -> ScoreSheet:
        return self.evening.sheet

    def ends(self, data: st.DataObject, hand: HandSheet) -> tuple[int | None, list[HandEntry]]:
        """Who went out, and what the others hold: free cards, or the points of such cards."""
        lies = hand.board.table.cards
        free = data.draw(st.permutations([card for card in PACK if card not in lies]))
        out = data.draw(st.none() | st.sampled_from(list(self.sheet.players)))
        entries = []
        for player in self.sheet.players:
            if player == out:
                continue
            count = data.draw(st.integers(1, min(6, len(free) // 8)))
            cards: list[Card] = [free.pop() for _ in range(count)]
            left = hand.rules.left(cards)
            melded = data.draw(st.booleans())
            if data.draw(st.booleans()):
                text = " ".join(card.text for card in cards)
                entries.append(HandEntry(player, cards=text, melded=melded))
            else:
                entries.append(HandEntry(player, None, left.points, left.wilds, melded))
        return out, data.draw(st.permutations(entries))

    @precondition(lambda self: not self.sheet.over)
    @rule(data=st.data(), out_melded=st.booleans())
    def mark(self, data: st.DataObject, out_melded: bool) -> None:
        out, entries = self.ends(data, self.sheet.hand)
        event = HandMarked(self.sheet.hand.number, out, tuple(entries), out_melded)
        self.act(event)
        # In whatever order they are entered.
        *before, last = self.evening.entries
        turned = replace(last, event=replace(event, entries=event.entries[::-1]))
        other = replay([*before, turned])
        assert [hand.marking and hand.marks(hand.marking) for hand in other.hands] == [
            hand.marking and hand.marks(hand.marking) for hand in self.sheet.hands
        ]

    @precondition(lambda self: self.sheet.marked)
    @rule(data=st.data())
    def correct(self, data: st.DataObject) -> None:
        hand = data.draw(st.sampled_from(self.sheet.marked))
        out, entries = self.ends(data, hand)
        before = list(hand.markings)
        self.act(events.HandCorrected(hand.number, out, tuple(entries)))
        markings = self.sheet.hands[hand.number - 1].markings
        assert markings[:-1] == before

    @rule(data=st.data(), reason=st.sampled_from(CHARGED))
    def charge(self, data: st.DataObject, reason: str) -> None:
        player = data.draw(st.sampled_from(list(self.sheet.players)))
        hand = data.draw(st.sampled_from(self.sheet.hands))
        before = self.sheet.total(player)
        self.act_with(lambda: self.evening.charge(player, reason, hand.number))
        assert self.sheet.total(player) == before + hand.rules.charge_points(reason)

    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        charges = [
            (hand.number, penalty)
            for hand in self.sheet.hands
            for penalty in hand.penalties
            if penalty.withdrawn is None
        ]
        if charges:
            number, penalty = data.draw(st.sampled_from(charges))
            before = self.sheet.total(penalty.player)
            self.act(events.PenaltyWithdrawn(number, penalty.entry.number))
            assert self.sheet.total(penalty.player) == before - penalty.charged.points

    @precondition(lambda self: not self.sheet.over)
    @rule()
    def throw_in(self) -> None:
        before = (self.sheet.hand.number, self.sheet.hand.places)
        self.act_with(self.evening.throw_in)
        assert (self.sheet.hand.number, self.sheet.hand.places) == before

    @precondition(lambda self: self.sheet.marked and not self.sheet.over)
    @rule()
    def end_the_game(self) -> None:
        self.act(events.GameEnded(self.sheet.hand.number))
        assert self.sheet.over

    @precondition(lambda self: not self.sheet.over)
    @rule(player=st.integers(0, 1), play=st.sampled_from(PLAYS))
    def play(self, player: int, play: str) -> None:
        self.try_to(lambda: self.evening.play(player, play))

    @precondition(lambda self: not self.sheet.over)
    @rule(cards=st.sampled_from(["", "KS", "QH KS", "5C"]))
    def see_the_pile(self, cards: str) -> None:
        self.try_to(lambda: self.evening.write(events.PileSeen(self.sheet.hand.number, cards)))

    @precondition(lambda self: not self.sheet.over)
    @rule(
        player=st.integers(0, 1),
        plays=st.lists(st.sampled_from(PLAYS), min_size=1, max_size=3),
        verdict=st.sampled_from([LEGAL, WRONG_DISCARD, WRONG_MELD]),
        melded=st.booleans(),
    )
    def rule_on(self, player: int, plays: list[str], verdict: Any, melded: bool) -> None:
        self.try_to(
            lambda: self.evening.rule(player, *plays, verdict=verdict, melded_this_turn=melded)
        )

    @rule(data=st.data())
    def enforce(self, data: st.DataObject) -> None:
        rulings = [
            (hand.number, line.entry.number)
            for hand in self.sheet.hands
            for line in hand.rulings
            if line.enforced is None and not line.ruling.legal
        ]
        if rulings:
            self.act(events.RulingEnforced(*data.draw(st.sampled_from(rulings))))

    @precondition(lambda self: self.sheet.can_undo)
    @rule()
    def undo(self) -> None:
        """Undo removes the last action, and redo restores it."""
        action = self.sheet.can_undo
        done = state(self.sheet)
        self.evening.undo()
        undone = self.sheet
        assert undone.can_redo == action
        assert state(undone) == state(without_undone(self.evening.entries))
        again = replay([*self.evening.entries, self.entry(events.Redone(action.number))])
        assert state(again) == done

    @precondition(lambda self: self.sheet.can_redo)
    @rule()
    def redo(self) -> None:
        action = self.sheet.can_redo
        self.evening.redo()
        assert self.sheet.can_undo == action

    @rule(title=st.sampled_from(["Saturday", ""]))
    def rename(self, title: str) -> None:
        self.no_act(events.GameRenamed(title))
        self.no_act(events.PlayerRenamed(1, title or "Bea"))

    @rule()
    def put_away_or_take_out(self) -> None:
        self.no_act(events.GameTakenOut() if self.sheet.archived else events.GameArchived())

    @rule()
    def delete_and_restore(self) -> None:
        self.no_act(events.GameDeleted())
        with pytest.raises(NotPossible, match="deleted"):
            self.evening.write(events.GameRenamed("Sunday"))
        self.no_act(events.GameRestored())

    def entry(self, event: Event) -> Entry:
        return Entry(len(self.evening.entries) + 1, NINE_O_CLOCK, "marker", event)

    def act(self, event: Event) -> None:
        self.act_with(lambda: self.evening.write(event))

    def act_with(self, write: Any) -> None:
        """Write an action that must be accepted. Undo takes it back; redo is cleared."""
        before = state(self.sheet)
        write()
        assert self.sheet.can_undo == self.evening.entries[-1]
        assert self.sheet.can_redo is None
        undone = replay([*self.evening.entries, self.entry(events.Undone(self.sheet.number))])
        assert state(undone) == before

    def try_to(self, write: Any) -> None:
        """Something that the table may not allow: then nothing is written, and it says why."""
        entries = list(self.evening.entries)
        refused = ""
        try:
            self.act_with(write)
        except ValueError as problem:
            refused = str(problem)
        if refused:
            assert refused.endswith((".", "?"))
            assert self.evening.entries == entries

    def no_act(self, event: Event) -> None:
        before = (self.sheet.can_undo, self.sheet.can_redo, self.sheet.hands)
        self.evening.write(event)
        assert (self.sheet.can_undo, self.sheet.can_redo, self.sheet.hands) == before

    @invariant()
    def totals_are_the_sums_of_their_cells(self) -> None:
        for player in self.sheet.players:
            total = 0
            for hand in self.sheet.hands:
                if hand.marking is None:
                    cell = sum(penalty.charged.points for penalty in hand.charges(player))
                else:
                    cell = points_by_hand(hand, hand.marking.event, player)
                assert hand.mark(player).points == cell
                total += cell
            assert self.sheet.total(player) == total

    @invariant()
    def hands_follow_one_another_and_all_but_the_last_are_marked(self) -> None:
        hands = self.sheet.hands
        assert [hand.number for hand in hands] == list(range(1, len(hands) + 1))
        assert all(hand.marking for hand in hands[:-1])
        whole = len(hands) == 13 and hands[-1].marking is not None
        assert self.sheet.over is (whole or hands[-1].ended)

    @invariant()
    def no_card_is_on_the_recorded_table_twice(self) -> None:
        for hand in self.sheet.hands:
            cards = hand.board.table.cards
            assert len(cards) == len(set(cards))

    @invariant()
    def every_entry_can_be_said(self) -> None:
        for entry in self.evening.entries:
            assert say(entry.event, self.sheet)

    def teardown(self) -> None:
        """The events are the same after a round trip through JSON."""
        if not hasattr(self, "evening"):
            return
        loaded = []
        for entry in self.evening.entries:
            kind, payload = json.loads(json.dumps(to_record(entry.event)))
            loaded.append(replace(entry, event=from_record(kind, payload)))
        assert loaded == self.evening.entries
        assert state(replay(loaded)) == state(self.sheet)


def without_undone(entries: list[Entry]) -> ScoreSheet:
    """Return the sheet without the actions that are undone, their undos and their redos."""
    undone: set[int] = set()
    for entry in entries:
        if isinstance(entry.event, events.Undone):
            undone.add(entry.event.act)
        elif isinstance(entry.event, events.Redone):
            undone.discard(entry.event.act)
    about = {one.number: getattr(one.event, "act", one.number) for one in entries}
    return replay([one for one in entries if about[one.number] not in undone])


AGame.TestCase.settings = settings(
    max_examples=settings.default.max_examples // 5,  # each is of many steps
    stateful_step_count=30,
)
TestAGame = AGame.TestCase


# -- any event at all ----------------------------------------------------------------------------

CARD_TEXT = st.sampled_from(
    ["", "5C", "5C 6C 7C", "AS", "8H=6C", "AS=6C", "XX", "9", "5C 5C", "KC,QC", "\ud83d", "onto"]
)
PLAY_TEXT = st.builds(
    "{} {}{}".format,
    st.sampled_from(["meld", "lay_off", "swap", "discard", "take_pile", "see", ""]),
    CARD_TEXT,
    st.sampled_from(["", " onto 0", " onto 7", " onto -1", " onto " + "9" * 500]),
).map(str.strip)
SEAT = st.integers(-1, 3)
HAND = st.integers(-1, 3) | st.sampled_from([13, 14, 10**9])
NUMBERS = st.integers(-2, 9) | st.sampled_from([42, 10**9])
RECORDED = Meld(Kind.RUN, tuple(Laid(card, card) for card in parse_cards("9D TD JD")))


def plays_in(texts: list[str]) -> tuple[Play, ...]:
    """Those of the texts that are plays; the 9 of hearts discarded if none is."""
    found = []
    for text in texts:
        with suppress(Malformed):
            found.append(parse_play(text))
    return tuple(found) or (parse_play("discard 9H"),)


QUESTIONS = st.builds(
    Question,
    st.sampled_from(["turn", "discard", "meld", "lay_off", "swap", "contract", "declare"]),
    st.lists(PLAY_TEXT, max_size=3).map(plays_in),
    st.sampled_from([(RECORDED,), (RECORDED, RECORDED), ()]),
    st.builds(Pile, st.sampled_from(["", "9S", "9S KD", "9D 9D"]).map(parse_cards), st.booleans()),
    st.builds(Player, st.booleans(), st.booleans()),
    st.sampled_from([frozenset(), frozenset({"melded_this_turn"})]),
)
RULINGS = st.sampled_from(
    [
        Ruling(),
        Ruling((Breach("PRO-3", "turn_over"),), consequence=Consequence(20, TakeBack.TURN, True)),
        Ruling((Breach("PRO-3", "turn_over"),), plays=(Ruling(),)),
    ]
)


def strange(event: Any, data: st.DataObject) -> Event:
    """The event with fields of the right type, some of them near what they should be."""
    near: dict[str, st.SearchStrategy[Any]] = {
        "hand": HAND,
        "player": SEAT,
        "play": PLAY_TEXT,
        "cards": CARD_TEXT,
        "plays": st.lists(PLAY_TEXT, max_size=3).map(tuple),
        "out": st.none() | SEAT,
        "rule": st.sampled_from([*CHARGED, "PRO-13.4", "PRO-13.6", "PRO-9", ""]),
        "ruling": NUMBERS,
        "charge": NUMBERS,
        "act": NUMBERS,
        "entries": st.lists(
            st.builds(
                HandEntry,
                SEAT,
                st.none() | CARD_TEXT,
                st.none() | NUMBERS,
                NUMBERS,
                st.none() | st.booleans(),
            ),
            max_size=4,
        ).map(tuple),
    }
    if isinstance(event, Ruled):
        near |= {
            "question": QUESTIONS | st.just(event.question),
            "ruling": RULINGS | st.just(event.ruling),
            "charge": st.none() | near["rule"],
            "instead_of": st.none() | NUMBERS,
        }
    names = [name for name in near if hasattr(event, name)]
    return replace(event, **{name: data.draw(near[name]) for name in names})


@given(st.data())
def test_every_event_is_recorded_or_refused_with_a_reason(data):
    evening = Evening()
    evening.play(0, "meld 9D TD JD")
    evening.charge(1, "PRO-13.3")
    evening.rule(1, "discard 9H", verdict=WRONG_DISCARD)
    for _ in range(data.draw(st.integers(1, 6))):
        kind = data.draw(st.sampled_from(sorted(EVENTS, key=lambda kind: kind.__name__)))
        event = strange(data.draw(EVENTS[kind]), data)
        refused = ""
        try:
            settle(event, evening.sheet)
        except ValueError as problem:
            refused = str(problem)
        if not refused:
            evening.write(event)
            assert say(event, evening.sheet)
