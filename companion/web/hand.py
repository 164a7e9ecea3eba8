"""The hand that is being played, what was entered for one that is over, and its contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from flask import Blueprint, abort, flash, redirect, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.notebook.describe import say, score, turned_word
from companion.notebook.events import CardTurned
from companion.notebook.hand_sheet import HandSheet, Penalty
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import Card, Rank, parse_cards
from companion.rules.contract_melds import can_make, nearest
from companion.rules.contracts import ContractJudge
from companion.rules.errors import Malformed
from companion.rules.hand_rules import Need
from companion.rules.melds import Meld
from companion.services import game_log, hands
from companion.services.game_log import LoadedGame, Make
from companion.web.actions import Refused, loaded_game, upcoming_hand, upcoming_hands, write_action
from companion.web.endings import ending_of
from companion.web.fields import small_number
from companion.web.pages import Page, cached_game_page, game_page, refused_page
from companion.web.penalties import reasons
from companion.web.rulings.facts import TURNED_RANKS
from companion.web.templating import signed

bp = Blueprint("hand", __name__)


@bp.get("/games/<game_id>")
def show(game_id: str) -> ResponseReturnValue:
    """The open hand: its number, its Proter, who deals and plays first, everyone's total."""
    loaded = loaded_game(game_id)
    sheet = loaded.sheet
    hand = upcoming_hand(sheet)
    if hand is None:
        return cached_game_page("hand/show.html", loaded, "Hand", lambda: _context(sheet))
    page = HandPage(sheet, hand, upcoming=hand.number)
    return game_page(
        "hand/upcoming.html", loaded, "Hand", ahead_of=hand.number, page=page, keep_awake=True
    )


def _context(sheet: ScoreSheet) -> dict[str, Any]:
    return {"page": HandPage(sheet, sheet.hand), "keep_awake": not sheet.over}


@dataclass(frozen=True, slots=True)
class Total:
    """A player's total; ``note`` stands beside the name, ``now`` is what the hand adds."""

    place: str
    name: str
    note: str
    leads: str
    now: str
    total: str


@dataclass(frozen=True, slots=True)
class HandPage:
    """The words of the page of a hand. ``upcoming`` is its number if it has not begun."""

    sheet: ScoreSheet
    hand: HandSheet
    upcoming: int | None = None

    @property
    def name(self) -> str:
        """``Hand 3``."""
        return f"{self.sheet.game.hand_title} {self.hand.number}"

    @property
    def of(self) -> str:
        """``of 13``; empty in a game that somebody may win before."""
        return "" if self.sheet.game.won_by else f"of {self.sheet.game.hands}"

    @property
    def title(self) -> str:
        """The title of the page."""
        return f"Over: {self.sheet.name}" if self.sheet.over else f"{self.name} {self.of}".strip()

    @property
    def wild_card(self) -> tuple[str, str, str] | None:
        """The wild rank, or the card turned up: in words, as a sign, and what it is called."""
        game, turned = self.sheet.game, self.hand.turned
        rank = game.wild_rank(self.hand.number)
        if rank and not self.hand.rules.needs():
            return f"The {game.wild_word}: {rank.word}", rank.shown, game.wild_word
        if turned is None:
            return None
        return f"Turned up: {turned.word}", turned.shown if turned else "★", "turned up"

    @property
    def turns(self) -> list[tuple[str, str]]:
        """Who deals and who plays first."""
        places, names = self.hand.places, self.sheet.names
        if not self.hand.is_dealt:
            return []
        first = [("Plays first", names[places.first])]
        return [("Deals", names[places.dealer]), *(first * ending_of(self.sheet).plays_first)]

    @property
    def before(self) -> Sequence[Need]:
        """What the hand before has left for this one."""
        past = len(self.sheet.hands) > 1 and not self.upcoming
        return hands.afterwards(self.sheet, self.sheet.hands[-2]) if past else ()

    @property
    def goes_on(self) -> str:
        """How it goes on to an upcoming hand, where that is not a new deal for all."""
        return ending_of(self.sheet).goes_on(self.sheet, self.hand)

    @property
    def needs(self) -> Sequence[Need]:
        """What the hand asks for, once that is known."""
        return () if self.hand.lacks_turned else self.hand.rules.needs()

    @property
    def can_make(self) -> bool:
        """True if the page leads to what can be made of a handful."""
        return "contract" in self.hand.rules.asks

    @property
    def thrown_in(self) -> str:
        """How often the hand was thrown in: ``once``, ``2 times``."""
        times = len(self.hand.thrown_in)
        return "once" if times == 1 else f"{times} times" if times else ""

    @property
    def deal(self) -> Markup | None:
        """How to deal; None where nothing is dealt."""
        sheet, hand, game = self.sheet, self.hand, self.sheet.game
        if not hand.is_dealt:
            return None
        if hand.rules.refill and not hand.thrown_in:
            return Markup("Nobody is dealt eight new cards now. {}").format(hand.rules.refill)
        side, way = "right", "clockwise"
        if game.deal_passes == "right":
            side, way = "left", "anticlockwise"
        up = "One card is turned up and begins the pile"
        return Markup(
            "<bdi>{}</bdi> shuffles and <bdi>{}</bdi>, at the dealer's {}, cuts. {} cards each, "
            "one at a time, {}, beginning with <bdi>{}</bdi>. {}; the rest is the stock.{}"
        ).format(
            sheet.names[hand.places.dealer],
            sheet.names[hand.places.cutter],
            side,
            game.dealt(hand.number, sheet.house.sheet),
            way,
            sheet.names[hand.places.first],
            up if game.turns_up else "No card is turned up",
            ending_of(sheet).before_deal,
        )

    @property
    def calls(self) -> list[tuple[int, str, str]]:
        """Every player's seat, name and calls for the discard: ``3 + 1 charged``."""
        hand, rule = self.hand, self.hand.rules.calls_rule
        beyond = [hand.rules_charged(seat).count(rule) for seat in self.sheet.players]
        return [
            (seat, name, f"{hand.calls.count(seat)}{f' + {more} charged' if more else ''}")
            for seat, (name, more) in enumerate(zip(self.sheet.names, beyond, strict=True))
        ]

    @property
    def totals(self) -> list[Total]:
        """Everyone's total, the leader first."""
        sheet, leads = self.sheet, "wins" if self.sheet.over else "leads"
        counted = bool(sheet.marked or self.charged)
        now = [0 if sheet.over else self.hand.mark(player).points for player in sheet.players]
        return [
            Total(
                f"{one.place}." if counted else "",
                one.name,
                ending_of(sheet).note(sheet, one.player),
                leads if counted and one.place == 1 else "",
                signed(now[one.player]) if now[one.player] else "",
                score(one.total),
            )
            for one in sheet.standings()
        ]

    @property
    def charged(self) -> list[Penalty]:
        """The penalties of the hand that stand."""
        return [one for one in self.hand.penalties if one.withdrawn is None]

    @property
    def charged_title(self) -> str:
        """What stands above the penalties."""
        if all(one.reason.leaves for one in self.charged):
            return "Left the game"
        return f"Penalties of {self.sheet.game.hand_word} {self.hand.number}"

    @property
    def charges_here(self) -> bool:
        """True if the rules have something to charge for in this hand."""
        return bool(reasons(self.sheet, self.hand))

    @property
    def can_leave(self) -> bool:
        """True if a player can leave the game now."""
        return any(one.leaves for one in reasons(self.sheet, self.hand)) and not self.sheet.over

    @property
    def melds(self) -> Sequence[Meld]:
        """The melds of the recorded table."""
        return self.hand.board.table.melds

    @property
    def pile(self) -> list[str]:
        """The last two cards of the recorded pile."""
        return [card.text for card in self.hand.board.table.pile[-2:]]


@bp.post("/games/<game_id>/undo")
def undo(game_id: str) -> ResponseReturnValue:
    """Take the last action back."""
    return _step(game_id, game_log.undo, "Undone")


@bp.post("/games/<game_id>/redo")
def redo(game_id: str) -> ResponseReturnValue:
    """Bring back the action that was undone last."""
    return _step(game_id, game_log.redo, "Done again")


def _step(game_id: str, make: Make, word: str) -> ResponseReturnValue:
    before = loaded_game(game_id).sheet
    act_in_question = before.can_undo if make is game_log.undo else before.can_redo
    try:
        write_action(game_id, make)
    except Refused as refused:
        return refused_page("changed.html", refused, "Hand")
    if act_in_question is not None:
        flash(f"{word}: {say(act_in_question.event, before)}.", "success")
    return redirect(url_for("hand.show", game_id=game_id), 303)


def hand_sent(sheet: ScoreSheet) -> int:
    """The number of the hand that the form was made for. Answers 400 to a form without it."""
    number = request.form.get("hand", type=small_number)
    if number is None or not 1 <= number <= sheet.game.hands:
        abort(400)
    return number


def is_past(sheet: ScoreSheet, number: int | None) -> bool:
    """True if a form was made for a hand that is neither the open one nor one to come."""
    return number not in {None, sheet.hand.number, *upcoming_hands(sheet)}


def past_hand_page(refused: Refused, number: int, what: str, section: str) -> tuple[Page, int]:
    """The two versions side by side, for the hand that ``what`` was entered for.

    It has no form: nothing of it can be sent to another hand.
    """
    sheet = refused.loaded.sheet
    word = sheet.game.hand_word
    says = f"This was entered for {word} {number}, and {word} {sheet.hand.number} is being played."
    if sheet.over:
        says = f"The game is over: its last {word} is marked."
    refused.errors = [("", says)]
    is_marked = number <= len(sheet.hands) and sheet.hands[number - 1].marking is not None
    return refused_page(
        "hand/past.html", refused, section, what=what, number=number, is_marked=is_marked
    )


# -- the card that is turned before the deal, in games where it says what is wild ------------------


@bp.app_template_global("ranks_turned")
def ranks_turned() -> tuple[Rank, ...]:
    """Every rank that a card can have that is turned."""
    return TURNED_RANKS


@bp.get("/games/<game_id>/turned")
def turned_form(game_id: str) -> ResponseReturnValue:
    """Which card was turned before the deal."""
    loaded = _with_turned_card(game_id)
    if loaded.sheet.over:
        flash("The game is over. Correct its last hand to say that another card was turned.")
        return redirect(url_for("hand.show", game_id=game_id), 303)
    ahead = upcoming_hand(loaded.sheet)
    context = {"number": (ahead or loaded.sheet.hand).number, "ahead_of": ahead and ahead.number}
    return game_page("hand/turned.html", loaded, "Hand", errors=[], **context)


@bp.post("/games/<game_id>/turned")
def turn(game_id: str) -> ResponseReturnValue:
    """Write down which card was turned."""
    number = hand_sent(_with_turned_card(game_id).sheet)
    rank = request.form.get("rank", "")[:10]
    try:
        after, _ = write_action(game_id, lambda _: CardTurned(number, rank))
    except Refused as refused:
        if number != refused.loaded.sheet.hand.number:
            return past_hand_page(refused, number, "The card turned up", "Hand")
        return refused_page("hand/turned.html", refused, "Hand", number=number)
    tell_turned(after.sheet.hand)
    page = "rulings.form" if request.form.get("after") == "ruling" else "hand.show"
    return redirect(url_for(page, game_id=game_id), 303)


def _with_turned_card(game_id: str) -> LoadedGame:
    """The game. Answers 404 if no card is turned in it before the deal."""
    loaded = loaded_game(game_id)
    if not ending_of(loaded.sheet).turns_card:
        abort(404)
    return loaded


def tell_turned(hand: HandSheet) -> None:
    """Tell what is wild, once it is on record which card was turned."""
    if hand.turned is not None:
        wild = hand.rules.needs()[0].says
        flash(f"Turned up: {turned_word(hand.turned)}. Wild: {wild}.", "success")


# -- whether a handful of cards can make the contract: nothing is written down --------------------

_MOST_CARDS: Final = 60


@bp.get("/games/<game_id>/contract")
def contract(game_id: str) -> ResponseReturnValue:
    """The cards of the game, and what can be made of those that are tapped."""
    loaded = loaded_game(game_id)
    sheet = loaded.sheet
    rules = sheet.hand.rules
    if not isinstance(rules, ContractJudge):
        abort(404)
    texts = [text[:8] for text in request.args.getlist("cards")[:_MOST_CARDS]]
    cards: Sequence[Card] = ()
    errors: list[tuple[str, str]] = []
    found: dict[str, Any] = {}
    try:
        cards = parse_cards(texts)
        # The card that was drawn is held beside those that were dealt.
        most = sheet.game.dealt(sheet.hand.number, sheet.house.sheet) + 1
        if len(cards) > most and not sheet.over:
            raise Malformed(f"{len(cards)} cards are more than a player can hold: {most} at most.")
        found = _made_of(sheet, cards, rules) if cards else {}
        if "cards" not in request.args and request.args.get("ask"):
            errors = [("cards", "Tap the cards that are held.")]
    except Malformed as problem:
        errors = [("cards", str(problem))]
    page = game_page(
        "hand/contract.html",
        loaded,
        "Hand",
        errors=errors,
        rules=rules,
        cards=[card.text for card in cards],
        wild_rank="".join(rank.text for rank in rules.limits.wild_ranks),
        **found,
    )
    return page, 422 if errors else 200


def _made_of(sheet: ScoreSheet, cards: Sequence[Card], rules: ContractJudge) -> dict[str, Any]:
    """What the page says of these cards. Raises `Malformed` for cards that cannot be held."""
    melds = can_make(cards, rules)
    lacking = ""
    if melds is None:
        most = nearest(cards, rules)
        melds = most.melds
        if any(most.lacking):
            lacking = most.lacking.says(rules.limits)
        answer = "No"
    else:
        answer = "Yes"
    left = Counter(cards) - Counter([one.card for meld in melds for one in meld.cards])
    return {"answer": answer, "melds": melds, "lacking": lacking, "left": sorted(left.elements())}
