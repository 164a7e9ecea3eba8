"""Random games: accepted events can be replayed, undone, redone and stored."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from hypothesis import given, settings, strategies as st

from companion.notebook import events
from companion.notebook.checks import settle
from companion.notebook.describe import say
from companion.notebook.events import Action, Entry, Event, HandEntry, HandMarked, Ruled
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.replay import replay
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.serialize import from_record, to_record
from companion.rules.cards import PACK, Laid, parse_cards
from companion.rules.errors import Malformed
from companion.rules.melds import Kind, Meld
from companion.rules.question import Pile, Question
from companion.rules.ruling import Breach, Consequence, Ruling, TakeBack
from companion.rules.table import Play, Player, parse_play
from tests.notebook.evening import (
    LEGAL,
    NAMES,
    WRONG_DISCARD,
    WRONG_MELD,
    Evening,
    in_words,
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
Draw = Callable[[st.SearchStrategy[Any]], Any]


def state(sheet: ScoreSheet) -> tuple[Any, ...]:
    """Return everything on a sheet except the number of its last entry."""
    return (
        sheet.names,
        sheet.title,
        sheet.first_dealer,
        (sheet.archived, sheet.deleted),
        sheet.over,
        sheet.hands,
        sheet.standings(),
    )


def points_by_hand(hand: HandSheet, event: HandMarked | events.HandCorrected, player: int) -> int:
    """Return a player's points for a marked hand, computed from the rulebook (PRO-13, PRO-15)."""
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


def ends(draw: Draw, sheet: ScoreSheet, hand: HandSheet) -> tuple[int | None, list[HandEntry]]:
    """Draw who went out, and the others' cards left: free cards, or the points of such cards."""
    lies = hand.board.table.cards
    free = draw(st.permutations([card for card in PACK if card not in lies]))
    out = draw(st.none() | st.sampled_from(sheet.players))
    entries = []
    for player in sheet.players:
        if player == out:
            continue
        cards = [free.pop() for _ in range(draw(st.integers(1, min(6, len(free) // 8))))]
        left, melded = hand.rules.left(cards), draw(st.booleans())
        if draw(st.booleans()):
            text = " ".join(card.text for card in cards)
            entries.append(HandEntry(player, cards=text, melded=melded))
        else:
            entries.append(HandEntry(player, None, left.points, left.wilds, melded))
    return out, draw(st.permutations(entries))


def possible(draw: Draw, sheet: ScoreSheet) -> list[Event]:
    """Draw events of several kinds, each of which must be accepted now."""
    hand, seat = draw(st.sampled_from(sheet.hands)), draw(st.sampled_from(sheet.players))
    title, number = draw(st.sampled_from(["Saturday", ""])), sheet.hand.number
    found = [
        events.PenaltyCharged(hand.number, seat, draw(st.sampled_from(CHARGED))),
        events.GameRenamed(title),
        events.PlayerRenamed(1, title or "Bea"),
        events.FirstDealerChanged(seat),
        events.GameTakenOut() if sheet.archived else events.GameArchived(),
        *(events.PenaltyWithdrawn(hand.number, one.entry.number) for one in hand.charges(seat)),
        *(
            events.RulingEnforced(hand.number, line.entry.number)
            for line in hand.rulings
            if line.enforced is None and not line.ruling.legal
        ),
    ]
    if not sheet.over:
        out, entries = ends(draw, sheet, sheet.hand)
        found.append(HandMarked(number, out, tuple(entries), draw(st.booleans())))
        found.append(events.HandThrownIn(number))
    if not sheet.over and sheet.marked:
        found.append(events.GameEnded(number))
    if hand.marking:
        out, entries = ends(draw, sheet, hand)
        found.append(events.HandCorrected(hand.number, out, tuple(entries)))
    if sheet.can_undo:
        found.append(events.Undone(sheet.can_undo.number))
    if sheet.can_redo:
        found.append(events.Redone(sheet.can_redo.number))
    return found


def on_the_table(draw: Draw, sheet: ScoreSheet) -> Event:
    """Draw a play that the table may not allow."""
    number, seat = sheet.hand.number, draw(st.integers(0, 1))
    plays = draw(st.lists(st.sampled_from(PLAYS), min_size=1, max_size=3))
    verdict = draw(st.sampled_from([LEGAL, WRONG_DISCARD, WRONG_MELD]))
    ruling = {"verdict": verdict, "hand": number, "melded": draw(st.booleans())}
    cards = draw(st.sampled_from(["", "KS", "QH KS", "5C"]))
    of_kinds = [
        events.PlayRecorded(number, seat, plays[0]),
        events.PileSeen(number, cards),
        in_words(seat, "turn", *plays, **ruling),
    ]
    return draw(st.sampled_from(of_kinds))


def write(evening: Evening, event: Event) -> None:
    """Record an event, and check that it can be undone and redone."""
    before = evening.sheet
    entry = evening.write(event)
    after, then = evening.sheet, Entry(entry.number + 1, entry.at, "marker", event)
    assert say(event, after)
    if isinstance(event, events.Undone):
        assert after.can_redo == before.can_undo
        assert state(after) == state(without_undone(evening.entries))
        then = replace(then, event=events.Redone(event.act))
        assert state(replay([*evening.entries, then])) == state(before)
    elif isinstance(event, Action):
        assert (after.can_undo, after.can_redo) == (entry, None)
        then = replace(then, event=events.Undone(entry.number))
        assert state(replay([*evening.entries, then])) == state(before)
    elif not isinstance(event, events.Redone):
        assert (after.can_undo, after.can_redo) == (before.can_undo, before.can_redo)
        assert after.hands == before.hands


def assert_it_adds_up(sheet: ScoreSheet) -> None:
    """Assert that totals are those computed from the rulebook, hand by hand."""
    for player in sheet.players:
        cells = [
            points_by_hand(hand, hand.marking.event, player)
            if hand.marking
            else sum(penalty.charged.points for penalty in hand.charges(player))
            for hand in sheet.hands
        ]
        assert [hand.mark(player).points for hand in sheet.hands] == cells
        assert sheet.total(player) == sum(cells)
    numbers = [hand.number for hand in sheet.hands]
    assert numbers == list(range(1, len(numbers) + 1))
    assert all(hand.marking for hand in sheet.hands[:-1])
    last = sheet.hands[-1]
    assert sheet.over is (last.ended or (last.number == 13 and last.marking is not None))
    for hand in sheet.hands:
        cards = hand.board.table.cards
        assert len(cards) == len({*cards})


@settings(max_examples=settings.default.max_examples // 5)  # each is of many steps
@given(st.integers(2, 7), st.integers(0, 1), RULES, st.data())
def test_any_sequence_of_accepted_events_adds_up(players, dealer, rules, data):
    evening = Evening(started(NAMES[:players], dealer, **rules))
    for _ in range(data.draw(st.integers(1, 30))):
        if not evening.sheet.over and data.draw(st.booleans()):
            try:
                write(evening, on_the_table(data.draw, evening.sheet))
            except ValueError as problem:
                assert str(problem).endswith((".", "?"))  # noqa: PT017 - or it was allowed
        else:
            events_now = possible(data.draw, evening.sheet)
            write(evening, data.draw(st.sampled_from(events_now)))
        assert_it_adds_up(evening.sheet)
    loaded = []
    for entry in evening.entries:
        kind, payload = json.loads(json.dumps(to_record(entry.event)))
        loaded.append(replace(entry, event=from_record(kind, payload)))
    assert loaded == evening.entries
    assert state(replay(loaded)) == state(evening.sheet)


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
    """Return the texts that are plays; a discard of the 9 of hearts if none is."""
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
    """Draw an event with fields of the right type, some of them nearly plausible."""
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
