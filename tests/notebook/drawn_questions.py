"""Random questions of every game, with their rulings."""

from random import Random

from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed
from companion.rules.judge import Judge
from companion.rules.question import CALL, DRAW, FLAGS, UNKNOWN_PILE, Call, Pile, Question, rule_on
from companion.rules.ruling import Ruling
from companion.rules.table import Discard, LayOff, MeldPlay, Play, Player, Swap, TakePile
from tests.rules.drawing import near_meld, some_play, some_rules, some_table

_ASKS: dict[type, str] = {MeldPlay: "meld", LayOff: "lay_off", Swap: "swap", Discard: "discard"}


def a_question(chance: Random) -> tuple[Judge, Question]:
    """The rules of a hand, and a question: some facts are stated, and some are not known."""
    rules = some_rules(chance)
    table = some_table(chance, rules)
    ask, plays = _plays(chance, rules, [some_play(chance, rules, table) for _ in range(4)])
    pile = chance.choice([UNKNOWN_PILE, Pile(table.pile, chance.random() < 0.5)])
    question = Question(ask, plays, table.melds, pile, Player())
    if rules.calls_allowed and chance.random() < 0.2:
        call = Call(chance.choice([None, 0, 3]), chance.randrange(6), chance.choice([None, True]))
        question = Question(CALL, (), table.melds, call=call)
    elif "draw" in rules.takes_by and table.pile and chance.random() < 0.3:
        melds = tuple(MeldPlay(near_meld(chance, rules)) for _ in range(chance.randrange(3)))
        question = Question(DRAW, melds, table.melds, Pile(table.pile, whole=False))
    for flag in FLAGS:
        value = chance.choice([True, False, None])
        stated = value is not None
        question = question.with_flag(flag, bool(value)) if stated else question.without(flag)
    return rules, question


def _plays(chance: Random, rules: Judge, plays: list[Play]) -> tuple[str, tuple[Play, ...]]:
    kind = chance.random()
    if kind < 0.15 and isinstance(rules, ContractJudge):
        melds = sum(rules.contracts[rules.hand - 1])
        return "contract", tuple(MeldPlay(near_meld(chance, rules)) for _ in range(melds))
    if kind < 0.3 and isinstance(rules, DeclaringJudge):
        groups = [near_meld(chance, rules) for _ in range(4)]
        cards = MeldPlay(tuple(card for group in groups for card in group))
        return "declare", (cards, *map(MeldPlay, groups if kind < 0.2 else ()))
    if kind < 0.5 and "turn" in rules.asks:
        begins = [TakePile()] if rules.takes_pile and chance.random() < 0.3 else []
        return "turn", (*begins, *plays[: chance.randint(1, 4)])
    return _ASKS[type(plays[0])], (plays[0],)


def a_ruling(chance: Random) -> tuple[Judge, Question, Ruling]:
    """A question that is ruled on: its cards can be there, and no unknown fact decides."""
    while True:
        rules, question = a_question(chance)
        try:
            found = rule_on(rules, question)
        except Malformed:
            continue
        if isinstance(found, Ruling):
            return rules, question, found
