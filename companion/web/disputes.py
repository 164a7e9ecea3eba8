"""The usual disputes of a game as its page of rules shows them: cards, verdict, rule, ruling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from flask import url_for
from markupsafe import Markup

from companion.notebook.board import why_not_there
from companion.notebook.describe import in_points, ruled_elsewhere
from companion.rules.cards import (
    format_cards,
    parse_cards,
    parse_meld_text,
    parse_offered,
    parse_rank,
)
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed
from companion.rules.game import Deck, Game
from companion.rules.games.disputes import BOX_DISPUTES, DISPUTES, BoxDispute, Dispute
from companion.rules.games.indian_chief import IndianChiefJudge
from companion.rules.games.indian_chief_rounds import Box
from companion.rules.house_rules import House
from companion.rules.judge import Judge
from companion.rules.language import gettext as _, noted
from companion.rules.question import FLAGS, Pile, Question
from companion.rules.ruling import Ruling
from companion.rules.table import NO_TABLE, Discard, LayOff, MeldPlay, Play, Swap
from companion.services.game_log import LoadedGame
from companion.web.rulings.facts import values_of_question
from companion.web.rulings.form import RulingForm
from companion.web.rulings.plays import drawn
from companion.web.templating import chips, marked


@dataclass(frozen=True, slots=True)
class Example:
    """A dispute with its ruling.

    ``given`` says what holds in the hand, ``others`` how the game's other sheets rule where that
    differs. ``ask`` is the address that asks for it, and ``asks`` what is on the link, if it can be
    asked there.
    """

    title: str
    given: str
    played: Sequence[Markup]
    word: str
    rules: Sequence[str]
    says: str
    others: Sequence[str] = ()
    ask: str = ""
    asks: str = ""


def examples(game: Game, house: House | None = None, deck: Deck | None = None) -> Sequence[Example]:
    """Return the disputes of a game as a table plays it, or by its first sheet."""
    house = house or game.house()
    rules = game.rules(house, 1)
    if isinstance(rules, IndianChiefJudge):
        return [scored(dispute, rules) for dispute in BOX_DISPUTES]
    ruled = _ruled(game, house, deck or game.deck(house))
    return [_example(*each) for each in ruled]


def examples_to_ask(loaded: LoadedGame) -> Sequence[Example]:
    """Return the same for a game, with the addresses at which they are asked.

    That is in the open hand, which may rule otherwise, if it can come up there; else by the rules
    of the example's own hand. Nothing is asked of a game that has not begun.
    """
    sheet = loaded.sheet
    found = examples(sheet.game, sheet.house, sheet.deck)
    if loaded.game_before:
        return found
    if isinstance(sheet.hand.rules, IndianChiefJudge):
        return [
            replace(one, ask=_box_address(loaded.record.id, dispute), asks=_("Ask this"))
            for one, dispute in zip(found, BOX_DISPUTES, strict=True)
        ]
    ruled = _ruled(sheet.game, sheet.house, sheet.deck)
    return [
        _to_ask(one, loaded, dispute, rules)
        for one, (dispute, _ruling, rules) in zip(found, ruled, strict=True)
    ]


def _to_ask(one: Example, loaded: LoadedGame, dispute: Dispute, rules: Judge) -> Example:
    now, by_rules = loaded.sheet.hand.rules, {"hand": dispute.hand, "by_rules": True}
    if loaded.sheet.over or not _can_be_asked(dispute, now):
        says = _("Ask this by the rules of hand %(number)s", number=dispute.hand)
        return replace(one, ask=_address(loaded.record.id, dispute, rules, by_rules), asks=says)
    says = _("Ask this in hand %(number)s", number=now.hand)
    return replace(one, ask=_address(loaded.record.id, dispute, now), asks=says)


def _can_be_asked(dispute: Dispute, rules: Judge) -> bool:
    """True if a rule of the hand decides it, and what lies on the table can lie there."""
    melds = [MeldPlay(parse_meld_text(meld)) for meld in dispute.melds]
    with suppress(Malformed):
        dispute.ruling(rules)
        can_lie = not any(why_not_there(NO_TABLE, meld, rules) for meld in melds)
        return can_lie and dispute.ask in rules.disputes
    return False


@lru_cache(maxsize=64)
def _ruled(game: Game, house: House, deck: Deck) -> Sequence[tuple[Dispute, Ruling, Judge]]:
    """Return every dispute that can come up with these packs, ruled on in its own hand."""
    ruled = []
    for dispute in DISPUTES.get(game.id, ()):
        turned = parse_rank(dispute.turned) if dispute.turned else None
        rules = game.rules(house, dispute.hand, deck, turned)
        with suppress(Malformed):
            ruling = dispute.ruling(rules)
            ruled.append((dispute, ruling, rules))
    return ruled


def _example(dispute: Dispute, ruling: Ruling, rules: Judge) -> Example:
    return Example(
        title=_(dispute.title),
        given=_given(dispute, rules),
        played=[_played(play, dispute, rules) for play in dispute.plays],
        word=_("Legal") if ruling.legal else _("Illegal"),
        rules=ruling.broken or (dispute.rule,),
        says=ruling.says.removeprefix("Legal: "),
        others=ruled_elsewhere(rules.game, ruling, only_others=True),
    )


def _given(dispute: Dispute, rules: Judge) -> str:
    if dispute.player.contract_met:
        return _("The contract was met in an earlier turn.")
    if isinstance(rules, ContractJudge) and dispute.ask == "contract":
        return _(
            "Hand %(hand)s asks for %(contract)s.",
            hand=rules.hand,
            contract=rules.label,
        )
    wild = rules.game.wild_rank(rules.hand)
    ranks = {offered.card.rank for play in dispute.plays for offered in play.plays}
    ranks |= {parse_offered(text).card.rank for meld in dispute.melds for text in meld.split()}
    if wild not in ranks:
        return ""
    word = rules.game.wild_word
    says = noted("In hand %(hand)s, %(rank)ss are %(wild_word)ss.")
    if word == "wild card":
        says = noted("In hand %(hand)s, %(rank)ss are wild.")
    return _(says, hand=rules.hand, rank=wild.word, wild_word=word)


def _played(play: Play, dispute: Dispute, rules: Judge) -> Markup:
    """Return what is played, and on what: “Lay off 9♦ on 5♦ 6♦ 7♦”."""
    cards = format_cards(play.plays)
    match play:
        case LayOff(onto=onto):
            return _shown(noted("Lay off %(cards)s on %(on)s"), cards, dispute.melds[onto])
        case Swap(onto=onto):
            return _shown(noted("Put %(cards)s into %(on)s"), cards, dispute.melds[onto])
        case Discard() if dispute.pile:
            return _shown(noted("Discard %(cards)s on %(on)s"), cards, dispute.pile)
        case Discard():
            return _shown(noted("Discard %(cards)s"), cards)
    if dispute.ask == "declare" and isinstance(rules, DeclaringJudge):
        return _shown(noted("%(call)s %(cards)s"), cards, call=_(rules.declare_call))
    return _shown(noted("Meld %(cards)s"), cards)


def _shown(says: str, cards: str, on: str = "", call: str = "") -> Markup:
    """Return a sentence with cards, drawn from their text, and what the player says with them."""
    drawn_on = drawn("meld", chips(on)) if on else ""
    return marked(says, cards=drawn("meld", chips(cards)), on=drawn_on, call=call)


def scored(dispute: BoxDispute, rules: IndianChiefJudge) -> Example:
    """Return what a meld scores in its box, with the reason. Raises `Malformed` as its rules do."""
    score = dispute.score(rules)
    played = [_shown(noted("Show %(cards)s"), dispute.cards)]
    if dispute.others:
        played.append(_shown(noted("The others show %(cards)s"), dispute.others))
    says = f"{score.says[:1].upper()}{score.says[1:]}."
    given = _("As %(box)s.", box=_(score.box.title))
    if dispute.suit and score.box is Box.DOCTOR:
        given = _("As %(box)s, naming %(suit)s.", box=_(score.box.title), suit=dispute.suit.word)
    return Example(_(dispute.title), given, played, in_points(score.points), (dispute.rule,), says)


def _box_address(game_id: str, dispute: BoxDispute) -> str:
    """Return the address that asks what the dispute's meld scores."""
    cards, others = dispute.cards.split(), dispute.others.split()
    suit = dispute.suit.text if dispute.suit else None
    return url_for("rules.box", game_id=game_id, cards=cards, others=others, suit=suit)


def _address(
    game_id: str, dispute: Dispute, rules: Judge, by_rules: Mapping[str, Any] = MappingProxyType({})
) -> str:
    """Return the address of the ruling form with the dispute entered, whatever is on record."""
    pile = Pile(parse_cards(dispute.pile))
    question = Question(dispute.ask, dispute.plays, (), pile, dispute.player)
    stated = (*FLAGS, "pile") if dispute.pile else FLAGS
    values = values_of_question(question, None, stated, rules) | {"seen": dispute.melds}
    return RulingForm(data={**values, **by_rules}).address(game_id, lying="")
