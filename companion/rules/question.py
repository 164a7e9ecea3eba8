"""Questions about a dispute, and the facts that their rulings rest on.

A question with an unknown fact is judged for every value that the fact can have. If all values give
the same ruling, that is the ruling. If not, the facts that decide are named (rulebook, "Facts").
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple, cast

from companion.rules.cards import JOKER, PACK, Card
from companion.rules.contracts import ContractJudge, rule_on_parts
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.judge import Judge
from companion.rules.melds import Meld
from companion.rules.ruling import Ruling, agreed, rules_of
from companion.rules.table import Discard, MeldPlay, Play, Player, Swap, Table, TakePile
from companion.rules.turn import Turn, rule_on_turn

DECLARE = "declare"
CALL = "call"
DRAW = "draw"
MAY_I = "may_i"
# Facts about the player that can be unknown. ``drew``: the player took the card now discarded from
# the pile in this turn; ``fresh``: the player laid the wild card now swapped out in this turn;
# ``laid_unowned``: the player laid a meld that nobody is known to have laid.
FLAGS = ("melded_this_hand", "melded_this_turn", "contract_met", "drew", "fresh", "laid_unowned")
# The most cards of the pile that a rule depends on.
_TOP_CARDS = 2


class Pile(NamedTuple):
    """What is known of the pile before the play: its top cards, the topmost last.

    ``whole`` is true if no cards lie under them.
    """

    cards: tuple[Card, ...] = ()
    whole: bool = True


NO_PILE = Pile()
UNKNOWN_PILE = Pile((), whole=False)
NOTHING_SAID = Player()


class Call(NamedTuple):
    """A call for the discard: in whose turn, and how many of the caller's calls succeeded before.

    ``turn`` is the seat of the player whose turn it is, None if it is the caller's own. ``melded``
    is true if that player has melded in the hand, None if unknown. ``calls`` is None until it is
    read from the record.
    """

    turn: int | None
    calls: int | None = 0
    melded: bool | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question: the plays of one player, and the facts that the ruling may rest on.

    ``ask`` is the kind of a play, ``turn``, ``contract``, ``declare``, ``call`` or ``draw``. A call
    has ``call`` and no plays. The plays of a draw are the melds laid with it, and ``pile`` has the
    cards taken, the one drawn first. In a declaration the first play is a meld of all the cards,
    and the others are the player's groups. ``melds`` are the melds on the table. ``unknown`` names
    the facts of `FLAGS` that are unknown; ``player`` has the others. ``holding`` are all cards held
    after the draw, or None. ``sources`` says where known facts come from; rulings ignore it.
    """

    ask: str
    plays: tuple[Play, ...]
    melds: tuple[Meld, ...] = ()
    pile: Pile = NO_PILE
    player: Player = NOTHING_SAID
    unknown: frozenset[str] = frozenset()
    holding: tuple[Card, ...] | None = None
    call: Call | None = None
    sources: Mapping[str, int] = field(default_factory=dict, compare=False)

    @property
    def discarded(self) -> Card | None:
        """The card whose discard depends on the pile; None if there is none."""
        for play in self.plays:
            if isinstance(play, TakePile):
                return None
            if isinstance(play, Discard):
                return play.card
        return None

    def pile_on(self, recorded: Sequence[Card]) -> tuple[Card, ...]:
        """Return the known cards of the pile with those that the record has under them.

        None of these if one is known to lie elsewhere: the record is of an earlier pile.
        """
        known = self.pile.cards
        if self.pile.whole or not known or known[0] not in recorded:
            return known
        lower = recorded[: recorded.index(known[0])]
        elsewhere = {offered.card for play in self.plays for offered in play.cards}
        return (*lower, *known) if elsewhere.union(known).isdisjoint(lower) else known

    @property
    def is_ungrouped(self) -> bool:
        """True if cards are declared, and nobody says in which melds."""
        return self.ask == DECLARE and len(self.plays) == 1

    @property
    def melded_before(self) -> bool | None:
        """True if a meld was laid earlier in the turn; None if unknown or irrelevant."""
        unknown = self.ask == "discard" or "melded_this_turn" in self.unknown
        return None if unknown else self.player.melded_this_turn

    @property
    def _swappable(self) -> frozenset[Card]:
        """The wild cards of the melds that the plays swap a card into."""
        onto = {play.onto for play in self.plays if isinstance(play, Swap)}
        melds = [meld for index, meld in enumerate(self.melds) if index in onto]
        return frozenset(laid.card for meld in melds for laid in meld.cards if laid.wild)

    @property
    def unknown_facts(self) -> tuple[str, ...]:
        """The names of all unknown facts, ``pile`` among them."""
        is_known = self.ask == DRAW or self.pile.whole or len(self.pile.cards) >= _TOP_CARDS
        pile = () if is_known else ("pile",)
        return (*(flag for flag in FLAGS if flag in self.unknown), *pile)

    def flag(self, name: str) -> bool | None:
        """Return the value of one of `FLAGS`; None if it is unknown."""
        return None if name in self.unknown else bool(getattr(self.player, name))

    def with_flag(self, name: str, value: bool | None) -> Question:
        """Return the question with one of `FLAGS` known; unknown if the value is None."""
        if value is None:
            return self.without(name)
        values: dict[str, Any] = {
            "drew": self.discarded if value else None,
            "fresh": self._swappable if value else frozenset(),
        }
        player = self.player._replace(**{name: values.get(name, value)})
        return replace(self, player=player, unknown=self.unknown - {name})

    def without(self, fact: str) -> Question:
        """Return the question with one fact unknown."""
        if fact == "pile":
            return replace(self, pile=UNKNOWN_PILE)
        return replace(self, unknown=self.unknown | {fact})


class Depends(NamedTuple):
    """The answer to a question whose ruling depends on unknown facts.

    ``cases`` has the ruling for all values that they can have; none if the pile is one of them.
    """

    on: tuple[str, ...]
    cases: tuple[tuple[Mapping[str, bool], Ruling], ...] = ()


def rule_on(rules: Judge, question: Question) -> Ruling | Depends:
    """Return the ruling, or the facts it depends on. Raises `Malformed` or `Ambiguous`.

    The question is one that the game has (``rules.asks``, ``rules.disputes``).
    """
    unknown = question.unknown_facts
    if not unknown:
        return _judge(rules, question)
    every_case = _in_every_case(rules, question)
    possible = {values: ruling for values, ruling in every_case.items() if ruling is not None}
    deciding = _deciding({values: ruling.outcome for values, ruling in possible.items()})
    if not deciding:
        return _as_one(list(possible.values()))._replace(regardless_of=unknown)
    on = tuple(unknown[at] for at in deciding)
    if "pile" in on:
        return Depends(on)
    cases = defaultdict(list)
    for values, ruling in possible.items():
        cases[tuple(bool(values[at]) for at in deciding)].append(ruling)
    in_order = sorted(cases, reverse=True)
    each = [(dict(zip(on, values, strict=True)), _as_one(cases[values])) for values in in_order]
    return Depends(on, tuple(each))


def facts_that_decide_plays(rules: Judge, question: Question) -> Sequence[str]:
    """Return the unknown facts that change the ruling on any play of a turn.

    A fact is one of them also if the cards make one of its values impossible.
    """
    unknown = question.unknown_facts if question.ask == "turn" else ()
    if not unknown:
        return ()
    outcomes = {
        values: ruling and tuple(play.outcome for play in ruling.plays)
        for values, ruling in _in_every_case(rules, question).items()
    }
    return [unknown[at] for at in _deciding(outcomes)]


def _in_every_case(rules: Judge, question: Question) -> dict[tuple[bool | int, ...], Ruling | None]:
    """Return the ruling for all values of the unknown facts; None where the cards forbid them."""
    unknown = question.unknown_facts
    flags = [fact for fact in unknown if fact != "pile"]
    piles = _piles(rules, question) if "pile" in unknown else [question.pile]
    rulings: dict[tuple[bool | int, ...], Ruling | None] = {}
    impossible: Malformed | None = None
    for values in product(*[(False, True)] * len(flags)):
        known = question
        for flag, value in zip(flags, values, strict=True):
            known = known.with_flag(flag, value)
        for number, pile in enumerate(piles):
            try:
                rulings[(*values, number)] = _judge(rules, replace(known, pile=pile))
            except Ambiguous:
                raise
            except Malformed as problem:
                impossible, rulings[(*values, number)] = problem, None
    if impossible is not None and not any(rulings.values()):
        raise impossible
    return rulings


def facts_that_decide(rules: Judge, question: Question, stated: Iterable[str]) -> tuple[str, ...]:
    """Return the stated facts that the ruling rests on: it is open if one of them is unknown."""
    deciding = []
    for fact in stated:
        without = question.without(fact)
        is_open = isinstance(rule_on(rules, without), Depends)
        if is_open or fact in facts_that_decide_plays(rules, without):
            deciding.append(fact)
        else:
            question = without
    return tuple(deciding)


def _deciding(outcomes: Mapping[tuple[bool | int, ...], object]) -> list[int]:
    """Return the indexes of the facts whose value changes the outcome, all others being equal."""
    deciding = []
    for at in range(len(next(iter(outcomes)))):
        by_others: dict[tuple[bool | int, ...], set[object]] = {}
        for values, outcome in outcomes.items():
            by_others.setdefault((*values[:at], *values[at + 1 :]), set()).add(outcome)
        if any(len(different) > 1 for different in by_others.values()):
            deciding.append(at)
    return deciding


def _as_one(rulings: Sequence[Ruling]) -> Ruling:
    """Return one ruling for several with the same outcome.

    It has the readings and breaches that all share, or else those of the first. If they rule
    differently on the plays of a turn, it has neither plays nor the table after them.
    """
    first, *others = rulings
    shared = [meld for meld in first.readings if all(meld in other.readings for other in others)]
    always = [breach for breach in first.breaches if all(breach in o.breaches for o in others)]
    outcomes = [[play.outcome for play in ruling.plays] for ruling in rulings]
    if all(outcome == outcomes[0] for outcome in outcomes):
        plays = tuple(map(_as_one, zip(*(ruling.plays for ruling in rulings), strict=True)))
        first = first._replace(plays=plays)
    else:
        first = first._replace(plays=(), table=None, holding=None)
    if rules_of(always) == rules_of(first.breaches):  # these explain every broken rule
        first = first._replace(breaches=tuple(always))
    elsewhere = agreed([ruling.elsewhere for ruling in rulings])
    return first._replace(readings=tuple(shared) or first.readings, elsewhere=elsewhere)


def _piles(rules: Judge, question: Question) -> list[Pile]:
    """Return one pile for each outcome that the discard can have, here and on the other sheets."""
    card = question.discarded
    if card is None:
        return [question.pile]
    sheets, by_outcome = [rules, *rules.on_other_sheets], dict[object, Pile]()
    for pile in _possible_piles(rules, question):
        table = Table(question.melds, pile)
        breaches = [one.discard_breaches(card, table) for one in sheets]
        broken = tuple([tuple([breach.rule for breach in each]) for each in breaches])
        by_outcome.setdefault(broken, Pile(pile))
    return list(by_outcome.values())


def _possible_piles(rules: Judge, question: Question) -> Iterator[tuple[Card, ...]]:
    """Yield the top cards, at most two, of every pile that is possible."""
    known = question.pile.cards
    played = Counter([offered.card for play in question.plays for offered in play.cards])
    in_hand = played | Counter(question.holding)
    melded = [laid.card for meld in question.melds for laid in meld.cards]
    packs, jokers = rules.deck
    free = Counter(dict.fromkeys(PACK, packs)) + Counter({JOKER: jokers})
    free -= in_hand + Counter([*melded, *known])
    yield known
    for under in free:
        yield (under, *known)
        if not known:
            yield from ((lower, under) for lower in free if lower != under or free[under] > 1)


# -- judging a question whose facts are all known -------------------------------------------------


def _judge(rules: Judge, question: Question) -> Ruling:
    table = Table(question.melds, question.pile.cards)
    plays, player = question.plays, question.player
    if question.ask == "turn":
        # After taking an unknown pile the player may hold any cards.
        takes_unknown = TakePile() in plays and not question.pile.whole
        holding = None if takes_unknown else question.holding
        player = player._replace(holds=None) if takes_unknown else player
        return rule_on_turn(Turn(rules, table, plays, player, holding))
    if question.ask == "contract":
        return _rule_on_contract(cast(ContractJudge, rules), question, table)
    if question.ask == DECLARE:
        return _rule_on_declaration(cast(DeclaringJudge, rules), question)
    if question.ask == DRAW:
        return rules.rule_on_draw(table, [play.cards for play in plays], player)
    if question.call is not None:
        return rules.rule_on_call(question.call, player)
    return rules.rule_on(table, plays[0], player)


def _rule_on_contract(rules: ContractJudge, question: Question, table: Table) -> Ruling:
    melds = [play.cards for play in question.plays if isinstance(play, MeldPlay)]
    if len(melds) != len(question.plays):
        raise Malformed("A contract consists of melds only.")
    rules.check_cards(table, MeldPlay(tuple(offered for meld in melds for offered in meld)))
    ruling = rules.rule_on_contract(melds, question.player.holds, table)
    return ruling._replace(plays=rule_on_parts(melds, ruling, rules))


def _rule_on_declaration(rules: DeclaringJudge, question: Question) -> Ruling:
    cards, *groups = (play.cards for play in question.plays)
    rules.check_fits(len(cards), question.player.holds, "cards")
    return rules.rule_on_declaration([offered.card for offered in cards], groups)
