"""Ask for a ruling on the recorded table, keep it, and carry it out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self, cast

from companion.notebook import events
from companion.notebook.board import Board
from companion.notebook.events import NotPossible, Ruled, RulingEnforced, UpcardGiven
from companion.notebook.hand_sheet import HandSheet, RulingLine
from companion.notebook.possible_left import asks_penalty_cards
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import Rank
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.judge import Judge
from companion.rules.language import noted
from companion.rules.melds import Meld
from companion.rules.question import (
    CALL,
    DECLARE,
    DRAW,
    FLAGS,
    NO_PILE,
    UNKNOWN_PILE,
    Depends,
    Pile,
    Question,
    facts_that_decide,
    facts_that_decide_plays,
    rule_on,
)
from companion.rules.readings import identities, without_suits
from companion.rules.ruling import Breach, Ruling, TakeBack, legal_as
from companion.rules.seating import who_gets
from companion.rules.table import ENDS, LayOff, MeldPlay, Play, Player, Swap, TakePile, parse_table
from companion.rules.turn import check_one_reading, in_first_reading

# The fact that a card was turned before the deal, which makes its rank wild.
TURNED = "turned"
# The facts that every ruling on a call needs.
CALL_FACTS = ("calls", "turn_melded")


def melds_on_table(
    sheet: ScoreSheet, seen: Sequence[str], instead_of: int | None = None
) -> tuple[Meld, ...]:
    """Return the melds on record, then the others that the marker has ``seen`` (card text).

    ``instead_of`` is the ruling to replace: the record counts as it was without it. Raises
    `NotPossible` or `Malformed`.
    """
    recorded = sheet.hand.without_ruling(instead_of).board.table
    table = parse_table([*recorded.meld_texts, *seen], (), sheet.hand.rules)
    return (*recorded.melds, *table.melds[len(recorded.melds) :])


# The facts that a ruling can rest on, beside the cards and the pile.
_OF_PLAYER: Final = ("melded_this_hand", "melded_this_turn", "contract_met")
_RESTS_ON: Final[Mapping[str, Sequence[str]]] = {
    "discard": ("drew",),
    "meld": (*_OF_PLAYER, "laid_unowned"),
    "lay_off": _OF_PLAYER,
    "swap": ("fresh", *_OF_PLAYER),
    # A whole turn has all melds of the turn.
    "turn": ("drew", "melded_this_hand", "contract_met", "laid_unowned"),
    CALL: ("melded_this_hand",),
    DRAW: ("contract_met",),
}


def with_record(
    sheet: ScoreSheet,
    player: int,
    stated: Question,
    instead_of: int | None = None,
    *,
    by_rules: bool = False,
) -> Question:
    """Return a question as the marker ``stated`` it, with every fact on record that is still sure.

    Its ``sources`` have `STATED` for a fact that was stated, and for one on record the number of
    the entry that recorded it, or `ON_RECORD` if it follows from the record as a whole.
    ``by_rules`` allows everything that the rules judge, even what nobody can do in this hand.
    Raises `NotPossible` or `Malformed` for a question that cannot be asked.
    """
    rules, kind, plays = sheet.hand.rules, stated.ask, stated.plays
    if kind not in rules.disputes and not (by_rules and kind in rules.asks):
        raise NotPossible("No rule of %(name)s decides on that.", "ask", name=sheet.game.name)
    if kind in rules.asks_off_table - {CALL, DRAW}:
        return Question(kind, plays)
    hand, call = sheet.hand.without_ruling(instead_of), stated.call
    board = hand.board
    if call is not None and call.turn is None:  # in the player's own turn, which no fact decides
        return Question(kind, plays, stated.melds, call=call)
    pile, sources = stated.pile if kind == DRAW else NO_PILE, dict[str, int]()
    if stated.discarded is not None:
        # A whole turn has all its plays: a meld on record was laid in an earlier turn.
        turn = board.turn_of_question(player, plays, melded=False if kind == "turn" else None)
        pile, sources = _pile(rules, turn, player, stated)
    if call is not None:
        stated_calls = {} if call.calls is None else {"calls": events.STATED}
        sources = stated_calls | {"turn_melded": events.STATED}
        if call.calls is None and (noted_calls := calls_on_record(hand, player)):
            call = call._replace(calls=noted_calls)
            sources["calls"] = events.ON_RECORD
        if call.melded is None:
            has_melded = call.turn in board.melded | board.laid_off
            call = call._replace(melded=has_melded or None)
            sources["turn_melded"] = events.ON_RECORD
    unowned = board.melds_of_nobody(stated.melds) if rules.own_melds_clash else ()
    nothing_said = Player(own=board.melds_of(player), unowned=unowned)
    question = Question(kind, plays, stated.melds, pile, nothing_said, call=call)
    # The record can show that another card was on top of the pile.
    is_other = sources.get("pile") and stated.discarded not in pile.cards[-1:]
    known = {"drew": (False, events.ON_RECORD)} if is_other else {}
    known |= _facts(hand, player, stated)
    can_matter = stated.discarded and any(one.drawn_rule for one in (rules, *rules.on_other_sheets))
    never = {"drew": not can_matter, "laid_unowned": not unowned}
    never["fresh"] = not rules.fresh_wilds_can_stay
    for fact in _RESTS_ON.get(kind, ()):
        if never.get(fact):
            continue
        value, source = known.get(fact, (None, events.STATED))
        question = question.with_flag(fact, value)
        sources |= {} if value is None else {fact: source}
    return replace(question, sources=sources)


def calls_on_record(hand: HandSheet, seat: int) -> int:
    """Return how many calls of the player the record has since the cards were dealt.

    The free calls come before any that is charged.
    """
    charged = hand.rules_charged_since_deal(seat).count(hand.rules.calls_rule)
    return hand.rules.calls_allowed + charged if charged else hand.calls.count(seat)


def _pile(rules: Judge, board: Board, player: int, stated: Question) -> tuple[Pile, dict[str, int]]:
    """Return the pile as stated or recorded, and its source; unknown if its cards are elsewhere."""
    if stated.pile != UNKNOWN_PILE:
        return stated.pile, {"pile": events.STATED}
    known = board.pile_for(player)
    if stated.ask == "turn" and TakePile() in board.turn_plays and TakePile() not in stated.plays:
        known = UNKNOWN_PILE  # the player took it in an earlier turn
    elsewhere = [one.card for each in (*stated.melds, *stated.plays) for one in each.cards]
    try:
        rules.check_held([*known.cards, *elsewhere])
    except Malformed:
        return UNKNOWN_PILE, {}
    return known, {} if known == UNKNOWN_PILE else {"pile": board.known_by}


def _facts(hand: HandSheet, player: int, stated: Question) -> Mapping[str, tuple[bool, int]]:
    """Return each fact that is stated, or else on record, with its source."""
    board = hand.board
    said = {fact: stated.flag(fact) for fact in FLAGS}
    facts = {fact: (value, events.STATED) for fact, value in said.items() if value is not None}
    on_record = (True, events.ON_RECORD)
    # All melds of a whole turn are in question, so those on record came before it.
    whole_turn = stated.ask in {"turn", DRAW}
    laid = hand.said_to_have_laid(player) and not whole_turn
    if player in board.melded or laid:
        facts.setdefault("melded_this_hand", on_record)
    on_board = player in board.met_contract if whole_turn else board.has_met_contract(player)
    met = on_board or hand.said_to_have_met(player)
    if met and facts.get("contract_met", on_record)[0]:
        facts["contract_met"] = on_record  # even if stated: the form offers what is on record
    elif player in board.met_contract or laid:
        facts.setdefault("melded_this_turn", on_record)  # if it was not in an earlier one
    if not facts.get("melded_this_hand", on_record)[0]:
        facts |= dict.fromkeys(_OF_PLAYER, facts["melded_this_hand"])
    return facts


def judge(sheet: ScoreSheet, question: Question) -> Ruling | Depends:
    """Return the ruling on a question, or the facts that it depends on.

    Judges for every card that may have been turned up before the deal, if nobody said which it was.
    Raises `Malformed` for cards that cannot be there, `Ambiguous` for an open wild card in a turn.
    """
    rules = sheet.hand.rules
    ruling = rule_on(rules, question)
    if isinstance(ruling, Ruling):
        ruling = _with_any_turned(sheet, question, ruling)
    if isinstance(ruling, Depends):
        return ruling
    if question.ask == "turn":
        check_one_reading(ruling, question.plays)
    off_table = rules.asks_off_table - {CALL, DRAW}
    if not ruling.legal or question.ask not in off_table:
        return ruling
    limits = rules.limits
    if question.ask == DECLARE:
        return ruling._replace(readings=tuple([without_suits(one, limits) for one in ruling.melds]))
    # A meld that stays in hand need not say what its wild cards stand for: most are themselves.
    meld = without_suits(max(ruling.readings, key=_in_own_place), limits)
    praise = legal_as([meld], limits.term(meld.kind), 1)
    return ruling._replace(readings=(meld,), praise=praise)


def _in_own_place(meld: Meld) -> int:
    """Return how many cards of a meld stand for no other card."""
    return sum(laid.card == laid.stands_for for laid in meld.cards)


def _with_any_turned(sheet: ScoreSheet, question: Question, ruling: Ruling) -> Ruling | Depends:
    """Return the ruling that holds whichever card was turned up, or that it depends on the card.

    Returns ``ruling`` unchanged if the card is known, or has no bearing on the question.
    """
    hand, rules = sheet.hand, sheet.hand.rules
    if question.ask not in rules.asks_with_wild_rank or rules.deal.wild_rank is not None:
        return ruling
    each = [rule_on(sheet.with_turned(hand, rank.text).rules, question) for rank in Rank]
    if any(isinstance(one, Depends) or one.outcome != ruling.outcome for one in each):
        return Depends((TURNED,))
    says_the_same = all(one.breaches == ruling.breaches for one in each if isinstance(one, Ruling))
    if ruling.legal or says_the_same or question.ask != DECLARE or len(ruling.broken) > 1:
        return ruling
    # The reason differs from rank to rank: give one that holds for all of them.
    breach = Breach.of(
        ruling.broken[0], "no_grouping_ever", runs=rules.all_runs, clean=rules.clean_runs
    )
    return ruling._replace(breaches=(breach,))


class UnknownFacts(ValueError):
    """The ruling depends on facts that nobody stated: ``args`` are their names."""


# More readings are not offered: each wild card is asked about alone.
MOST_OFFERED: Final = 12


@dataclass(eq=False)
class OpenWildCard(ValueError):
    """A play that is only complete once the marker says what its wild cards stand for.

    Later plays depend on it. ``play`` is its number in the turn, ``wilds`` are these cards. If
    there are few enough ``readings`` of the play, one of them is to be chosen; otherwise one of the
    ``choices`` for the first card, as text: ``AH=9C``.
    """

    play: int
    wilds: Sequence[str]
    choices: Sequence[str]
    readings: Sequence[Meld] = ()

    @classmethod
    def among(cls, play: int, readings: Sequence[Meld]) -> Self:
        """Ask about a play that has these readings, more than one."""
        wilds = dict.fromkeys(laid.card for meld in readings for laid in meld.cards if laid.wild)
        each = {card.text: identities(card, readings) for card in wilds}
        is_open = [card for card, choices in each.items() if len(choices) > 1]
        if len(readings) > MOST_OFFERED:
            first = is_open[0]
            return cls(play, [first], [f"{first}={one.text}" for one in each[first]])
        return cls(play, is_open, (), readings)

    @classmethod
    def of(cls, problem: Ambiguous) -> Self:
        """Ask about a play that could not be laid, alone or in a turn.

        Raises the problem itself if a swap does not say to which end its wild card goes.
        """
        if problem.choices == ENDS:
            raise problem
        number = problem.where.removeprefix("plays[").removesuffix("]")
        choices = [f"{problem.card}={one}" for one in problem.choices]
        return cls(int(number) if number.isdecimal() else 0, [problem.card], choices)


def ruling_on(
    sheet: ScoreSheet,
    player: int,
    question: Question,
    instead_of: int | None = None,
    penalty_cards: bool | None = None,
) -> Ruled:
    """Return the event that keeps the ruling on a question.

    ``penalty_cards`` is whether the player had drawn some in this hand; None if nobody said.

    Legal plays that go on the recorded table name what their wild cards stand for.
    Raises `UnknownFacts` for what it depends on, `OpenWildCard` for a wild card that a legal play
    would leave open on the table, `Malformed` for cards that cannot be there, and `NotPossible` for
    plays that cannot follow the player's earlier ones on record.
    """
    rules, plays, name = sheet.hand.rules, question.plays, sheet.names[player]
    sources, hand = sources_kept(rules, question), sheet.hand.without_ruling(instead_of)
    hand.check_first_melds(player, name, question)
    if penalty_cards:
        sources[events.PENALTY_CARDS] = events.STATED
    try:
        ruling = judge(sheet, question)
    except Ambiguous as problem:
        raise OpenWildCard.of(problem) from None
    if isinstance(ruling, Depends):
        raise UnknownFacts(*ruling.on)
    if of_plays := facts_that_decide_plays(rules, question):
        raise UnknownFacts(*of_plays)
    if ruling.legal and question.call is not None and question.call.calls is None:
        raise UnknownFacts("calls")
    if asks_penalty_cards(hand, player, name, question, ruling, penalty_cards) and ruling.legal:
        raise UnknownFacts(events.PENALTY_CARDS)
    if ruling.legal and question.ask not in rules.asks_off_table:
        each = ruling.plays or (ruling,) * len(plays)
        for number, judged in enumerate(each):
            if len(judged.readings) > 1:
                raise OpenWildCard.among(number, judged.readings)
        plays = tuple(map(in_first_reading, plays, each))
    # What is on record is not kept with the ruling.
    said = question.player._replace(own=(), unowned=())
    return Ruled(
        hand=hand.number,
        player=player,
        question=replace(question, plays=plays, player=said, sources={}),
        ruling=ruling._replace(
            breaches=_reasons(sheet, question, ruling, sources), table=None, holding=None, ways=()
        ),
        charge=rules.charge_for(ruling),
        sources=sources,
        instead_of=instead_of,
    )


def _reasons(
    sheet: ScoreSheet, question: Question, ruling: Ruling, kept: Collection[str]
) -> tuple[Breach, ...]:
    """Return the breaches of a ruling; for a single play, as judged from the kept facts alone."""
    others = question.sources.keys() - kept
    if ruling.legal or ruling.plays or not others:
        return ruling.breaches
    for fact in others:
        question = question.without(fact)
    return cast(Ruling, judge(sheet, question)).breaches


def sources_kept(rules: Judge, question: Question) -> dict[str, int]:
    """Return the sources of the facts that a ruling rests on."""
    sources = question.sources
    may_decide = [fact for fact in sources if fact not in CALL_FACTS]
    rests_on = {*facts_that_decide(rules, question, may_decide), *CALL_FACTS}
    return {fact: source for fact, source in sources.items() if fact in rests_on}


def enforced(sheet: ScoreSheet, hand: int, number: int) -> RulingEnforced:
    """Return the event that carries out the ruling of entry ``number`` in that hand."""
    line = sheet.hand.standing_ruling(number)
    plays = () if line is None else rest_of_turn(sheet, line)
    return RulingEnforced(hand, number, tuple(play.text for play in plays))


def rest_of_turn(sheet: ScoreSheet, line: RulingLine) -> tuple[Play, ...]:
    """Return the plays of a turn that go on the recorded table when illegal ones are taken back.

    They number the melds as if the illegal plays had not been made. Empty if the whole turn is
    taken back, if the hand is over, or if the table has changed since the ruling.
    """
    hand, question, ruling = sheet.hand, line.question, line.ruling
    is_open = hand.number == line.given.hand and not sheet.over
    if not is_open or question.ask != "turn" or not ruling.plays:
        return ()
    if ruling.consequence.take_back is not TakeBack.PLAY or line.after != hand.board:
        return ()
    melds = len(question.melds)
    index = list(range(melds))  # where each meld of the turn lies without the refused ones
    staying: list[Play] = []
    for played, judged in zip(question.plays, ruling.plays, strict=True):
        play = in_first_reading(played, judged) if len(judged.readings) == 1 else played
        if isinstance(play, MeldPlay):
            index.append(melds)
            melds += judged.legal
        elif isinstance(play, LayOff | Swap) and judged.legal:
            play = replace(play, onto=index[play.onto])
        staying += [play] if judged.legal else []
    return tuple(staying)


# -- “May I?”: who gets the card that the player at turn does not want (CON-9) --------------------


def rule_on_upcard(
    sheet: ScoreSheet, player: int | None, asked: Sequence[int], last_taker: int | None
) -> UpcardGiven:
    """Return the ruling on who gets the card that ``player``, at turn, did not want.

    Raises `NotPossible` or `Malformed` if nobody asked, or somebody who cannot.
    """
    if player is None or player not in sheet.players:
        raise NotPossible("Say whose turn it was.", "player")
    if not asked:
        raise NotPossible("Say who asked for the card.", "asked")
    if player in asked:
        says = noted("It is %(name)s's turn. Choose only others who asked.")
        raise NotPossible(says, "asked", name=sheet.names[player])
    gets = who_gets(asked, player, len(sheet.names), last_taker)
    return UpcardGiven(sheet.hand.number, player, tuple(asked), last_taker, gets)
