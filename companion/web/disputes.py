"""The usual disputes of a game as its page of rules shows them: cards, verdict, rule, ruling."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

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
    differs. ``link`` is the address that asks for it, and what is on the link to that.
    """

    title: str
    given: str
    played: Sequence[Markup]
    word: str
    rules: Sequence[str]
    says: str
    others: Sequence[str] = ()
    link: tuple[str, str] = ("", "")


def examples(
    game: Game, house: House | None = None, loaded: LoadedGame | None = None
) -> Sequence[Example]:
    """Return the disputes of a game as a table plays it, or by its first sheet.

    With a ``loaded`` game that has begun, they can be asked: in the open hand, which may rule
    otherwise, if they can come up there; else by the rules of the example's own hand.
    """
    house = house or game.house()
    deck = loaded.sheet.deck if loaded else game.deck(house)
    to_ask = loaded if loaded and not loaded.game_before else None
    rules = game.rules(house, 1)
    if isinstance(rules, IndianChiefJudge):
        return [
            replace(scored(dispute, rules), link=_box_link(dispute, to_ask))
            for dispute in BOX_DISPUTES
        ]
    return [
        replace(_example(dispute, ruling, rules), link=_link(dispute, rules, to_ask))
        for dispute, ruling, rules in _ruled(game, house, deck)
    ]


def _link(dispute: Dispute, rules: Judge, loaded: LoadedGame | None) -> tuple[str, str]:
    """Return the address of the ruling form with the dispute entered, whatever is on record."""
    if loaded is None:
        return "", ""
    now, by_rules, says = loaded.sheet.hand.rules, {}, noted("Ask this in hand %(number)s")
    if loaded.sheet.over or not _can_be_asked(dispute, now):
        by_rules = {"hand": dispute.hand, "by_rules": True}
        now, says = rules, noted("Ask this by the rules of hand %(number)s")
    pile = Pile(parse_cards(dispute.pile))
    question = Question(dispute.ask, dispute.plays, (), pile, dispute.player)
    stated = (*FLAGS, "pile") if dispute.pile else FLAGS
    values = values_of_question(question, None, stated, now) | {"seen": dispute.melds} | by_rules
    address = RulingForm(data=values).address(loaded.record.id, lying="")
    return address, _(says, number=now.hand)


def _box_link(dispute: BoxDispute, loaded: LoadedGame | None) -> tuple[str, str]:
    """Return the address that asks what the dispute's meld scores."""
    if loaded is None:
        return "", ""
    cards, others = dispute.cards.split(), dispute.others.split()
    suit, game_id = dispute.suit.text if dispute.suit else None, loaded.record.id
    address = url_for("rules.box", game_id=game_id, cards=cards, others=others, suit=suit)
    return address, _("Ask this")


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
    given = _("As %(box)s.", box=_(score.box))
    if dispute.suit and score.box == Box.DOCTOR.title:
        given = _("As %(box)s, naming %(suit)s.", box=_(score.box), suit=dispute.suit.word)
    return Example(_(dispute.title), given, played, in_points(score.points), (dispute.rule,), says)
