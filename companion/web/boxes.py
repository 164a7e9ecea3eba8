"""What a meld scores in its box: asked beside the game, and nothing is written down."""

from __future__ import annotations

from flask import Blueprint, abort, request
from flask.typing import ResponseReturnValue

from companion.rules.cards import SUITS, parse_cards
from companion.rules.errors import Malformed
from companion.rules.games.disputes import BoxDispute
from companion.rules.games.indian_chief import IndianChiefJudge
from companion.rules.games.indian_chief_rounds import box_for
from companion.web.actions import Errors, field_id, loaded_game
from companion.web.disputes import Example, scored
from companion.web.fields import CardsField, Form, WordField
from companion.web.pages import game_page
from companion.web.rules import words_of_rules

bp = Blueprint("boxes", __name__)

_SUITS = {suit.text: suit for suit in SUITS}


class MeldForm(Form):
    """The cards of a meld, those that all the others show, and the suit that the player names."""

    cards = CardsField()
    others = CardsField()
    suit = WordField(_SUITS)

    def score(self, rules: IndianChiefJudge) -> Example:
        """Return what the meld scores, with the reason. Raises `Malformed` if nobody can say."""
        if not self.cards.data:
            raise Malformed("Tap the cards of the meld.", "cards")
        cards, others = " ".join(self.cards.data), " ".join(self.others.data)
        box = box_for(parse_cards(cards))
        suit = _SUITS.get(self.suit.data)
        return scored(BoxDispute(box.title, box.rule, cards, others, suit), rules)


@bp.get("/games/<game_id>/box")
def form(game_id: str) -> ResponseReturnValue:
    """Show the cards of the game, and what those that are tapped score, by which rule."""
    loaded, form = loaded_game(game_id), MeldForm(request.args)
    rules = loaded.sheet.hand.rules
    if not isinstance(rules, IndianChiefJudge):
        abort(404)
    score, errors = None, Errors()
    try:
        score = form.score(rules) if request.args else None
    except Malformed as problem:
        errors = [(field_id(problem), str(problem))]
    page = game_page(
        "rulings/box.html",
        loaded,
        "Rules",
        form=form,
        suits=[(suit.text, f"{suit.shown}\ufe0e", suit.word) for suit in SUITS],
        score=score,
        words=words_of_rules(loaded, score.rules) if score else [],
        errors=errors,
        is_entry=True,
    )
    return page, 422 if errors else 200
