"""How many cards players can hold and be left with, and which points the free cards can make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from companion.notebook.board import cards_from_hand
from companion.notebook.events import HandEntry, Marks, NotPossible, refused_at
from companion.notebook.hand_sheet import HandSheet, in_cards
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import JOKER, PACK, Card, check_packs, split_cards
from companion.rules.judge import Judge
from companion.rules.language import gettext, listed, ngettext, noted
from companion.rules.question import CALL, DRAW, Question
from companion.rules.ruling import Ruling
from companion.rules.table import Play

# The most values of cards that a message lists.
_FEW = 4


def _laid(hand: HandSheet, event: Marks, player: int) -> int:
    """Return how many cards the player has laid by the record, and by what was said of a contract.

    0 if the recorded table is out of date, or if melds stay in hand to the end.
    """
    if event.table_is_old or hand.rules.arranges:
        return 0
    contract = hand.rules.contract_cards if hand.has_laid_contract(player) else 0
    return hand.board.laid_by(player, hand.rules, contract)


def most_left(hand: HandSheet, event: Marks, entry: HandEntry) -> int | None:
    """Return the most cards the player can be left with; None if only the packs bound it.

    Includes a card drawn and not discarded if nobody went out.
    """
    most = hand.most_held(entry.player, penalty_cards=entry.penalty_cards)
    if most is None:
        return None
    return max(0, most - _laid(hand, event, entry.player)) + (event.out is None)


def fits(hand: HandSheet, entry: HandEntry, most: int | None) -> bool:
    """True if at most ``most`` cards of whole packs can make the entry.

    A player who did not go out has at least one card, unless all may be melded after the hand.
    """
    if entry.points is None:
        return most is None or len(split_cards(entry.shown)) <= most
    fewest = 1 if hand.rules.nothing_left_is_out else 0
    enough = fewest if most is None else most + 1
    totals = whole_packs(hand.rules, enough)
    return totals.can_make(entry.points, known_wilds(hand, entry.wilds), fewest, most)


def asks_penalty_cards(
    hand: HandSheet,
    player: int,
    name: str,
    question: Question,
    ruling: Ruling,
    penalty_cards: bool | None,
) -> bool:
    """True if only penalty cards can explain what is played, and nobody said if there are any.

    Raises `NotPossible` for more cards than the player can hold: those dealt, penalty cards and
    one drawn, less those laid. Each further draw was followed by a discard. A contract that the
    player had laid counts, even if it is not on record.
    """
    rules, met = hand.rules, question.flag("contract_met")
    if not rules.game.lays_on_table or question.ask in {CALL, DRAW}:
        return False
    contract = rules.contract_cards if met or question.flag("melded_this_turn") else 0
    on_record, laid = (hand.board.laid_by(player, rules, cards) for cards in (0, contract))
    played = _needed(question.plays, ruling, rules)
    # A contract of all the cards dealt ends the hand, where the card drawn can be discarded.
    ends_hand = bool(met) and "discard" not in rules.disputes

    def most(*, drew: bool) -> int:
        held = hand.most_held(player, penalty_cards=drew)
        if held is None:
            return laid + played
        return 0 if ends_hand and held <= contract else max(0, held + 1 - laid)

    if played <= most(drew=penalty_cards is True):
        return False
    if penalty_cards is None and played <= most(drew=True):
        return True
    limit = in_cards(most(drew=penalty_cards is not False))
    says = noted("%(name)s can hold %(most)s at most, not %(played)s.")
    if laid > on_record:
        says = noted(
            "%(name)s can hold %(most)s at most: with the contract, %(name)s had laid %(laid)s."
        )
    elif laid:
        says = noted(
            "%(name)s can hold %(most)s at most: the recorded table has %(laid)s "
            "that %(name)s laid."
        )
    raise NotPossible(says, "cards", name=name, most=limit, laid=in_cards(laid), played=played)


def _needed(plays: Sequence[Play], ruling: Ruling, rules: Judge) -> int:
    """Return how many cards the plays take. Those of an illegal play can be played again."""
    made, needed = Counter[Card](), Counter[Card]()
    for number, play in enumerate(plays):
        taken = [offered.card for offered in play.cards if cards_from_hand(play, rules)]
        needed |= made + Counter(taken)
        if not ruling.plays or ruling.plays[number].legal:
            made.update(taken)
    return needed.total()


def known_wilds(hand: HandSheet, wilds: int) -> int | None:
    """Return how many wild cards are left; None if nobody is asked, as they cost nothing."""
    return wilds if hand.rules.wild_left_points else None


def check_most(
    sheet: ScoreSheet, hand: HandSheet, event: Marks, entry: HandEntry, limit: int
) -> None:
    """Raise `NotPossible` if the player is left with more cards than the limit.

    The message asks about penalty cards if these alone can explain the number.
    """
    name, seat = sheet.names[entry.player], entry.player
    if fits(hand, entry, limit):
        return
    if not fits(hand, entry, None) and (entry.points or 0) <= _most_points(hand, entry, limit):
        return  # no number of cards makes these points
    said = {"at_most": _at_most(hand, name, entry, limit), "name": name}
    with_more = most_left(hand, event, replace(entry, penalty_cards=True))
    if with_more != limit and fits(hand, entry, with_more):
        says = noted("%(at_most)s Did %(name)s draw penalty cards for %(penalty_cards)s?")
        at = f"penalty_cards.{seat}"
        raise NotPossible(says, at, penalty_cards=gettext(hand.rules.penalty_cards), **said)
    without_table = most_left(hand, replace(event, table_is_old=True), entry)
    laid = _laid(hand, event, seat)
    if laid and fits(hand, entry, without_table):
        says = noted(
            "%(at_most)s The recorded table has %(cards)s that %(name)s laid. "
            "Correct what is left, or say that the recorded table is out of date."
        )
        if laid > hand.board.laid_by(seat, hand.rules):
            says = noted(
                "%(at_most)s With the contract, %(name)s had laid %(cards)s. "
                "Correct what is left, or say that the recorded table is out of date."
            )
        raise NotPossible(says, "table_is_old", cards=in_cards(laid), **said)
    at = "cards" if entry.points is None else "points"
    raise NotPossible(_at_most(hand, name, entry, without_table or 0), f"{at}.{seat}")


def most_each(sheet: ScoreSheet, hand: HandSheet, event: Marks) -> dict[int, int]:
    """Return by seat the most cards that a player who is not at turn can be left with.

    Leaves out seats that only the packs bound. Raises `NotPossible` as `check_most` does, and if
    several players hold one card more: only the player at turn can.
    """
    most = {}
    for entry in event.entries:
        limit = most_left(hand, event, entry)
        if limit is not None:
            check_most(sheet, hand, event, entry, limit)
            most[entry.player] = limit - (event.out is None)
    bounded = [entry for entry in event.entries if entry.player in most]
    over = [one.player for one in bounded if not fits(hand, one, most[one.player])]
    if len(over) > 1:
        says = noted(
            "%(named)s cannot all hold a card more than was dealt: "
            "only the player who drew last and did not discard can."
        )
        raise NotPossible(says, f"cards.{over[-1]}", named=sheet.named(over))
    return most


def check_apart(
    hand: HandSheet, places: Sequence[tuple[int, str, Sequence[Card]]], advice: str = ""
) -> None:
    """Raise `NotPossible` if players together have more of a card than there are.

    ``places`` has for each the seat, a name for the place, and the cards.
    """
    for count, (seat, _, _) in enumerate(places, start=1):
        with refused_at(f"cards.{seat}", advice):
            check_packs([(name, cards) for _, name, cards in places[:count]], *hand.rules.deck)


def _at_most(hand: HandSheet, name: str, entry: HandEntry, most: int) -> str:
    said: dict[str, object] = {"name": name, "cards": in_cards(most)}
    if entry.points is None:
        entered = len(split_cards(entry.shown))
        says = noted("%(name)s holds %(cards)s at most, not %(entered)s.")
        return gettext(says, entered=entered, **said)
    points = _most_points(hand, entry, most)
    if entry.points > points:
        says = noted("%(name)s holds %(cards)s at most: that is %(points)s points.")
        return gettext(says, points=points, **said)
    says = noted("%(name)s holds %(cards)s at most, and that many cannot make %(points)s points.")
    return gettext(says, points=entry.points, **said)


def _most_points(hand: HandSheet, entry: HandEntry, most: int) -> int:
    return whole_packs(hand.rules, most + 1).largest(known_wilds(hand, entry.wilds), most)


class _Group(NamedTuple):
    """What several players are left with together: ``most`` cards, None if they are not bounded."""

    entries: Sequence[HandEntry]
    points: int
    wilds: int | None
    most: int | None


def check_points(
    sheet: ScoreSheet,
    hand: HandSheet,
    event: Marks,
    held: Mapping[int, Sequence[Card]],
    most: Mapping[int, int],
) -> None:
    """Raise `NotPossible` for points that the free cards cannot make, alone or together.

    ``held`` are the cards given for other players. These are not free, nor are those on the
    recorded table unless that is old (PRO-15). ``most`` is what `most_each` returns: without the
    card drawn if nobody went out.
    """
    counted = sorted(
        (entry for entry in event.entries if entry.player not in held),
        key=lambda entry: (entry.points or 0, entry.wilds, entry.player),
    )
    if not counted:
        return
    drawn = int(event.out is None)
    groups = []
    # Each player has at least one card, so five players cannot have one point each, although a
    # five would make their sum: first each is checked alone, then several with the fewest points.
    alone = [[entry] for entry in counted]
    for entries in [*alone, *(counted[:several] for several in range(2, len(counted) + 1))]:
        bounds = [most[entry.player] for entry in entries if entry.player in most]
        points, wilds = sum(one.points or 0 for one in entries), sum(one.wilds for one in entries)
        together = sum(bounds) + drawn if len(bounds) == len(entries) else None
        groups.append(_Group(entries, points, known_wilds(hand, wilds), together))
    enough = max(len(counted), sum(most.values()) + drawn) + 1
    given = [card for cards in held.values() for card in cards]
    wrong = _impossible(hand, groups, free_totals(hand.rules, given, enough))
    if wrong is not None:
        says = _says_impossible(sheet, hand, wrong)
        raise NotPossible(says, f"points.{wrong.entries[-1].player}")
    on_table = [*hand.board.table.melded_cards, *hand.pile_on_table]
    if on_table and not event.table_is_old:
        wrong = _impossible(hand, groups, free_totals(hand.rules, [*given, *on_table], enough))
    if wrong is not None:
        says = noted(
            "With the recorded table, the cards that are left cannot make the points of "
            "%(named)s. Count again, or say that the recorded table is out of date."
        )
        named = sheet.named([entry.player for entry in wrong.entries])
        raise NotPossible(says, "table_is_old", named=named)


def _impossible(hand: HandSheet, groups: Sequence[_Group], free: Totals) -> _Group | None:
    """Return the first group whose points the free cards cannot make; None if there is none."""
    fewest = 1 if hand.rules.nothing_left_is_out else 0
    for group in groups:
        if not free.can_make(group.points, group.wilds, fewest * len(group.entries), group.most):
            return group
    return None


def _says_impossible(sheet: ScoreSheet, hand: HandSheet, group: _Group) -> str:
    entries, points, wilds, most = group
    rules, first = hand.rules, entries[0]
    names = sheet.named([entry.player for entry in entries])
    if not points and not first.wilds:
        says = noted(
            "%(names)s did not go out, so at least one card is left, and no card counts 0. "
            "Count again, or say who went out."
        )
        if known_wilds(hand, 0) is not None and whole_packs(rules, 1).can_make(0, 1, 1):
            says = noted(
                "%(names)s did not go out, so at least one card is left, and only a %(wild_word)s "
                "counts 0. Say how many %(wild_word)ss are left, count again, or say who went out."
            )
        return gettext(says, names=names, wild_word=sheet.game.wild_word)
    values = sorted({rules.value(card) for card in (*PACK, *[JOKER] * rules.deck.jokers)})
    if not whole_packs(rules, 1).can_make(first.points or 0, None, 0) and len(values) <= _FEW:
        says = noted("%(names)s can't have %(points)s: cards count %(values)s. Count again.")
    elif points < values[0]:
        says = noted(
            "%(names)s can't have %(points)s: the lowest card counts %(lowest)s. Count again."
        )
    elif most is not None and fits(hand, first, None):
        says = noted(
            "%(names)s can't have %(points)s: no %(most)s or fewer of the cards still free add up "
            "to that. Count again."
        )
    else:
        says = noted(
            "%(names)s can't have %(points)s: no cards still free add up to that. Count again."
        )
    shown = _points(points, wilds, sheet.game.wild_word)
    if len(entries) > 1:
        shown = gettext("%(points)s together", points=shown)
    all_values = listed(map(str, values), "or")
    return gettext(says, names=names, points=shown, values=all_values, lowest=values[0], most=most)


def _points(points: int, wilds: int | None, wild_word: str) -> str:
    """Return points in words, with the number of wild cards among them if that is known."""
    says = ngettext("%(number)s point", "%(number)s points", points)
    if wilds is None:
        return says
    if not wilds:
        return gettext("%(points)s without a %(wild_word)s", points=says, wild_word=wild_word)
    return ngettext(
        "%(points)s with %(number)s %(wild_word)s among them",
        "%(points)s with %(number)s %(wild_word)ss among them",
        wilds,
        points=says,
        wild_word=wild_word,
    )


class Totals:
    """Every total that some of the free cards make.

    ``free`` has each card as its points and whether it is wild. Numbers of cards from ``enough`` on
    are not told apart.
    """

    def __init__(self, free: Iterable[tuple[int, bool]], enough: int) -> None:
        cards = tuple(free)
        wilds = sum(wild for _, wild in cards)
        # _made[w][n] has bit t set if n cards, w of them wild, make t points; the last n is
        # "that many or more". Whole rows of totals move at once, where a table of single totals
        # takes tens of milliseconds.
        self._made = [[0] * (enough + 1) for _ in range(wilds + 1)]
        self._made[0][0] = 1
        for value, wild in cards:
            # Count down, so that no card is used twice.
            for before in range(wilds - wild, -1, -1):
                row, onto = self._made[before], self._made[before + wild]
                for count in range(enough, -1, -1):
                    onto[min(count + 1, enough)] |= row[count] << value

    def can_make(
        self, points: int, wilds: int | None, fewest: int, most: int | None = None
    ) -> bool:
        """True if ``fewest`` to ``most`` cards, ``wilds`` of them wild, make these points.

        None stands for any number. ``most`` is less than ``enough``.
        """
        return points >= 0 and bool(self._sums(wilds, fewest, most) >> points & 1)

    def largest(self, wilds: int | None, most: int) -> int:
        """Return the most points that ``most`` cards make; 0 if there are too few wild ones."""
        return max(0, self._sums(wilds, 0, most).bit_length() - 1)

    def _sums(self, wilds: int | None, fewest: int, most: int | None) -> int:
        """Return the possible totals as bits."""
        if not 0 <= (wilds or 0) < len(self._made):
            return 0
        made = 0
        for row in self._made if wilds is None else [self._made[wilds]]:
            for sums in row[fewest : None if most is None else most + 1]:
                made |= sums
        return made


def free_totals(rules: Judge, elsewhere: Iterable[Card], enough: int) -> Totals:
    """Return the totals of the packs without the cards that are elsewhere.

    Wild cards are counted apart only if they cost points.
    """
    packs = Counter(PACK * rules.deck.packs)
    packs[JOKER] = rules.deck.jokers
    free = packs - Counter(elsewhere)
    charged = bool(rules.wild_left_points)
    return Totals(
        ((rules.value(card), charged and rules.limits.is_wild(card)) for card in free.elements()),
        enough,
    )


@lru_cache(maxsize=256)
def whole_packs(rules: Judge, enough: int) -> Totals:
    """Return the totals of whole packs."""
    return free_totals(rules, (), enough)
