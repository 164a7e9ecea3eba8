"""Answers beside the rulings on a hand's plays.

They are a game's usual disputes, whether cards make the contract, and who gets a card (CON-9).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from flask import Blueprint, abort, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import SelectMultipleField

from companion.notebook.board import why_not_on_table
from companion.notebook.describe import in_points, ruled_elsewhere, say, why_upcard
from companion.notebook.events import Event, NotPossible, UpcardGiven
from companion.notebook.scoresheet import ScoreSheet
from companion.notebook.shown_table import Step, question_steps
from companion.rules.arrange import can_make, nearest
from companion.rules.cards import Card, parse_cards, parse_meld_text, parse_rank
from companion.rules.contracts import ContractJudge
from companion.rules.errors import Malformed
from companion.rules.game import Game
from companion.rules.games.disputes import BOX_DISPUTES, DISPUTES, BoxDispute, Dispute
from companion.rules.games.indian_chief import IndianChiefJudge
from companion.rules.games.indian_chief_boxes import Box
from companion.rules.house_rules import House
from companion.rules.judge import Judge
from companion.rules.language import gettext as _, noted
from companion.rules.melds import Meld
from companion.rules.question import FLAGS, MAY_I
from companion.rules.table import NO_TABLE, MeldPlay
from companion.services import NotFound
from companion.services.game_log import LoadedGame, who_wrote
from companion.services.rulings import rule_on_upcard
from companion.web.actions import (
    Refused,
    check_hand,
    hand_sent,
    loaded_game,
    refusals,
    with_hand_of,
    write_action,
)
from companion.web.auth import database
from companion.web.fields import Form, SmallNumberField, small_number
from companion.web.pages import form_page, game_page, to_ruling, upcoming_context
from companion.web.rulings.form import RulingForm
from companion.web.rulings.question import IT_WAITS, QuestionPage, values_of_question

bp = Blueprint("disputes", __name__)

# -- the usual disputes of a game ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Example:
    """A dispute with its ruling.

    ``given`` says what holds in the hand, ``others`` how the game's other sheets rule where that
    differs. ``link`` is an address that asks for the ruling, with its words; None if there is none.
    """

    title: str
    given: str
    played: Sequence[Step]
    word: str
    rules: Sequence[str]
    says: str
    others: Sequence[str] = ()
    link: tuple[str, str] | None = None


def examples(game: Game, house: House | None, loaded: LoadedGame | None) -> Sequence[Example]:
    """Return the usual disputes of a game by a table's ``house`` rules, or by its first sheet.

    If ``loaded`` has begun, each has a link that asks for its ruling: in the open hand, which may
    rule otherwise, if the dispute can come up there; else by the rules of the example's hand.
    """
    house = house or game.house()
    deck = loaded.sheet.deck if loaded else game.deck(house)
    to_ask = loaded if loaded and not loaded.game_before else None
    rules = game.rules(house, 1)
    if isinstance(rules, IndianChiefJudge):
        return [scored(dispute, rules, to_ask) for dispute in BOX_DISPUTES]
    shown = []
    for dispute in DISPUTES.get(game.id, ()):
        turned = parse_rank(dispute.turned) if dispute.turned else None
        rules = game.rules(house, dispute.hand, deck, turned)
        with suppress(Malformed):  # for cards that these packs cannot hold
            shown.append(_example(dispute, rules, to_ask))
    return shown


def _link(dispute: Dispute, rules: Judge, loaded: LoadedGame) -> tuple[str, str]:
    """Return the address of the ruling form filled with the dispute, and the link's words."""
    now, by_rules, says = loaded.sheet.hand.rules, {}, noted("Ask this in hand %(number)s")
    if loaded.sheet.over or not _can_come_up(dispute, now):
        by_rules = {"hand": dispute.hand, "by_rules": True}
        now, says = rules, noted("Ask this by the rules of hand %(number)s")
    stated = (*FLAGS, "pile") if dispute.pile else FLAGS
    values = values_of_question(dispute.question(now), None, stated, now) | by_rules
    form = RulingForm(data=values | {"seen": dispute.melds, "lying": ()})
    return form.address(loaded.record.id), _(says, number=now.hand)


def _can_come_up(dispute: Dispute, rules: Judge) -> bool:
    """True if the rules of a hand decide the dispute, and allow the melds that lie on its table."""
    melds = [MeldPlay(parse_meld_text(meld)) for meld in dispute.melds]
    with suppress(Malformed):
        dispute.ruling(rules)
        can_lie = not any(why_not_on_table(NO_TABLE, meld, rules) for meld in melds)
        return can_lie and dispute.ask in rules.disputes
    return False


def _example(dispute: Dispute, rules: Judge, to_ask: LoadedGame | None) -> Example:
    """Return the dispute, ruled on in its hand. Raises `Malformed` for cards not in the packs."""
    ruling, played = dispute.ruling(rules), question_steps(dispute.question(rules), rules)
    if dispute.pile:
        played = [step._replace(onto=parse_meld_text(dispute.pile)) for step in played]
    return Example(
        title=_(dispute.title),
        given=" ".join(filter(None, [_not_melded(dispute, rules), _given(dispute, rules, played)])),
        played=played,
        word=_("Legal") if ruling.legal else _("Illegal"),
        rules=ruling.broken or (dispute.rule,),
        says=ruling.says.removeprefix(_("Legal") + ": "),
        others=ruled_elsewhere(rules.game, ruling, only_others=True),
        link=_link(dispute, rules, to_ask) if to_ask else None,
    )


def _not_melded(dispute: Dispute, rules: Judge) -> str:
    """Return that the player has not melded, if the ruling depends on it."""
    if isinstance(rules, ContractJudge):
        return ""
    melded = dispute._replace(player=dispute.player._replace(melded_this_hand=True))
    is_same = melded.ruling(rules).broken == dispute.ruling(rules).broken
    return "" if is_same else _("The player has laid no meld in this hand.")


def _given(dispute: Dispute, rules: Judge, played: Sequence[Step]) -> str:
    if dispute.player.contract_met:
        return _("The contract was met in an earlier turn.")
    if isinstance(rules, ContractJudge) and dispute.ask == "contract":
        return _("Hand %(hand)s asks for %(contract)s.", hand=rules.hand, contract=rules.label)
    wild = rules.game.wild_rank(rules.hand)
    shown = [(*step.cards, *step.onto) for step in played]
    lying = map(parse_meld_text, dispute.melds)
    if wild not in {offered.card.rank for cards in (*shown, *lying) for offered in cards}:
        return ""
    word = rules.game.wild_word
    says = noted("In hand %(hand)s, %(rank)ss are %(wild_word)ss.")
    if word == "wild card":
        says = noted("In hand %(hand)s, %(rank)ss are wild.")
    return _(says, hand=rules.hand, rank=wild.word, wild_word=word)


def scored(
    dispute: BoxDispute, rules: IndianChiefJudge, to_ask: LoadedGame | None = None
) -> Example:
    """Return what a meld scores in its box, and why. Raises `Malformed` as `dispute.score`."""
    score, link = dispute.score(rules), None
    played = [Step(_("Show"), parse_meld_text(dispute.cards))]
    if dispute.others:
        played.append(Step(_("The others show"), parse_meld_text(dispute.others)))
    says = f"{score.says[:1].upper()}{score.says[1:]}."
    given = _("As %(box)s.", box=_(score.title))
    if dispute.suit and score.title == Box.DOCTOR.title:
        given = _("As %(box)s, naming %(suit)s.", box=_(score.title), suit=dispute.suit.word)
    if to_ask:
        meld: dict[str, Any] = {"cards": dispute.cards.split(), "others": dispute.others.split()}
        suit = dispute.suit.text if dispute.suit else None
        link = url_for("rules.box", game_id=to_ask.record.id, **meld, suit=suit), _("Ask this")
    points, rule = in_points(score.points), (dispute.rule,)
    return Example(_(dispute.title), given, played, points, rule, says, link=link)


# -- whether a handful of cards can make the contract: nothing is written down --------------------


@bp.get("/games/<game_id>/contract")
def contract(game_id: str) -> ResponseReturnValue:
    """Show the cards of the game, and the melds that the tapped ones make."""
    loaded, sent = loaded_game(game_id), RulingForm(request.args).cards
    rules = loaded.sheet.hand.rules
    if not isinstance(rules, ContractJudge):
        abort(404)
    made, refused = None, None
    try:
        if request.args and not sent.raw_data:
            raise Malformed("Tap the cards that are held.")
        cards = parse_cards(sent.data)
        made = _melds_of(cards, rules) if cards and not loaded.sheet.over else None
    except Malformed as problem:
        refused = Refused(422, [("cards", str(problem))], loaded)
    page = QuestionPage(loaded, RulingForm(data={"cards": sent.data}), refused)
    return form_page("disputes/contract.html", loaded, "Hand", refused, page=page, made=made)


class BestMelds(NamedTuple):
    """The melds that cards make, ``why`` they are not the contract, and the cards ``left``."""

    is_contract: bool
    melds: Sequence[Meld]
    why: str
    left: Sequence[Card]


def _melds_of(cards: Sequence[Card], rules: ContractJudge) -> BestMelds:
    """Return the melds of these cards that are nearest to the contract. Raises `Malformed`."""
    rules.most_played(len(cards), "cards")
    contract, why = can_make(cards, rules), ""
    melds = contract
    if melds is None:
        melds, lacking = nearest(cards, rules)
        if any(lacking):
            why = _("Missing: %(lacking)s.", lacking=lacking.counted(rules.limits).shown)
        else:  # too many or too few cards are left
            why = " ".join(breach.says for breach in rules.whole_hand_breaches(melds, len(cards)))
    left = Counter(cards) - Counter([laid.card for meld in melds for laid in meld.cards])
    return BestMelds(contract is not None, melds, why, sorted(left.elements()))


# -- “May I?”: who gets the card that the player at turn does not want ----------------------------


class MayIForm(Form):
    """Whose turn it is, who asks, who took the card before, and in which ``hand`` this is.

    ``last_taker`` is a seat, ``nobody``, or blank while nobody has said.
    """

    player = SmallNumberField()
    asked = SelectMultipleField(coerce=small_number, validate_choice=False)
    last_taker = SmallNumberField()
    hand = SmallNumberField()

    def check_last_taker(self) -> None:
        """Raise `NotPossible` if nobody said who took the card before."""
        if self.last_taker.data is None and self.last_taker.entered != "nobody":
            says = noted("Say who took the card before this one, or that nobody did.")
            raise NotPossible(says, "last_taker")


def _game_with_may_i(game_id: str) -> LoadedGame:
    """Return the game. Answers 404 unless others may ask for the card by its rules."""
    loaded = loaded_game(game_id)
    if MAY_I not in loaded.sheet.hand.rules.disputes:
        abort(404)
    return loaded


@bp.get("/games/<game_id>/may-i")
def may_i(
    game_id: str, refused: Refused | None = None, sent: MayIForm | None = None
) -> ResponseReturnValue:
    """Ask who wants the card that lies on the pile."""
    loaded = refused.loaded if refused else _game_with_may_i(game_id)
    form = sent or MayIForm(request.args)
    loaded = with_hand_of(loaded, form.hand)
    sheet = loaded.sheet
    if sent is None:
        if form.player.data not in sheet.players:
            form.player.data = sheet.next_to_play
        form.asked.data = []
    return form_page(
        "disputes/may_i.html",
        loaded,
        "Rulings",
        refused,
        _("“May I?”"),
        form=form,
        seats=[(str(seat), sheet.names[seat]) for seat in sheet.players],
        rule=sheet.hand.rules.allowed_by[MAY_I],
        **upcoming_context(sheet, form.hand.data, IT_WAITS),
    )


@bp.post("/games/<game_id>/may-i")
def ask_may_i(game_id: str) -> ResponseReturnValue:
    """Rule on who gets the card, and keep the ruling."""
    form, number = MayIForm(request.form), hand_sent(_game_with_may_i(game_id).sheet)

    def make(sheet: ScoreSheet) -> Event:
        check_hand(sheet, number)
        asked = sorted({*(form.asked.data or ())})
        event = rule_on_upcard(sheet, form.player.data, asked, form.last_taker.data)
        form.check_last_taker()
        return event

    try:
        after, entry = write_action(game_id, make)
    except Refused as refused:
        field = refused.errors[0][0]
        if field == "player" and not form.asked.data:
            sheet = refused.loaded.sheet
            refused.errors[:0] = refusals(lambda: rule_on_upcard(sheet, 0, (), None))
        if field in ("player", "asked"):
            refused.errors += refusals(form.check_last_taker)
        return may_i(game_id, refused, form)
    address = url_for("disputes.upcard", game_id=game_id, number=entry.number)
    return to_ruling(say(entry.event, after.sheet), address)


@bp.get("/games/<game_id>/may-i/<int:number>")
def upcard(game_id: str, number: int) -> ResponseReturnValue:
    """Show who gets the card, and why."""
    loaded = _game_with_may_i(game_id)
    sheet = loaded.sheet
    entry = next((entry for entry in loaded.entries if entry.number == number), None)
    if entry is None or not isinstance(entry.event, UpcardGiven):
        raise NotFound("ruling")
    given = entry.event
    hand = sheet.hand_at(given.hand)  # it may be undone, too
    return game_page(
        "disputes/upcard.html",
        loaded,
        "Rulings",
        entry=entry,
        given=given,
        why=why_upcard(sheet, given),
        asked=[sheet.names[seat] for seat in given.asked],
        rule=sheet.hand.rules.allowed_by[MAY_I],
        by=who_wrote(database(), loaded)[entry.by],
        stands=entry in [line.entry for line in hand.upcards],
        is_open=sheet.is_open(hand),
    )
