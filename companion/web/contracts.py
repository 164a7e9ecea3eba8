"""Help: whether a handful of cards can make the contract. Nothing is written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from flask import Blueprint, abort, request
from flask.typing import ResponseReturnValue

from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import Card, parse_cards
from companion.rules.contract_melds import can_make, nearest
from companion.rules.contracts import ContractJudge
from companion.rules.errors import Malformed
from companion.web.acting import loaded_game
from companion.web.pages import game_page

bp = Blueprint("contracts", __name__)

MOST_CARDS = 60


@bp.get("/games/<game_id>/contract")
def form(game_id: str) -> ResponseReturnValue:
    """The cards of the game, and what can be made of those that are tapped."""
    loaded = loaded_game(game_id)
    sheet = loaded.sheet
    rules = sheet.hand.rules
    if not isinstance(rules, ContractJudge):
        abort(404)
    texts = [text[:8] for text in request.args.getlist("cards")[:MOST_CARDS]]
    cards: Sequence[Card] = ()
    errors: list[tuple[str, str]] = []
    found: dict[str, Any] = {}
    try:
        cards = parse_cards(texts)
        # The card that was drawn is held beside those that were dealt.
        most = sheet.game.dealt(sheet.hand.number, sheet.house.sheet) + 1
        if len(cards) > most and not sheet.over:
            raise Malformed(f"{len(cards)} cards are more than a player can hold: {most} at most.")
        found = _found(sheet, cards, rules) if cards else {}
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


def _found(sheet: ScoreSheet, cards: Sequence[Card], rules: ContractJudge) -> dict[str, Any]:
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
