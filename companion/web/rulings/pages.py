"""The page of each kind of question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, Final

from companion.rules.cards import format_cards
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed
from companion.rules.hand_rules import Need
from companion.rules.language import gettext as _
from companion.rules.language import noted
from companion.rules.question import CALL, DECLARE, DRAW, UNKNOWN_PILE
from companion.rules.table import position_text
from companion.services.game_log import LoadedGame
from companion.services.rulings import STATED, next_to_play
from companion.web.rulings.facts import Choices, FactStated, source_of, yes_or_no
from companion.web.rulings.form import RulingForm
from companion.web.rulings.plays import parsed_plays, shown_table
from companion.web.rulings.question import QuestionPage, drawn
from companion.web.templating import marked


class DiscardPage(QuestionPage):
    """A discard: one tap rules on it."""

    template = "discard"
    what, a_play = noted("discard"), noted("a discard")
    heading = noted("What did <bdi>%(name)s</bdi> discard?")
    own = ("cards", "drew")

    @property
    def on_table(self) -> dict[str, str]:
        """Nothing is counted in where no cards lie on a table."""
        return super().on_table if self.sheet.game.lays_on_table else {}

    @property
    def drew(self) -> Choices | None:
        """Whether a discard was just taken from the pile, where that decides."""
        says = _("Just taken from the pile, and alone?")
        said = "" if self.form.drew.data is None else str(int(self.form.drew.data))
        return Choices("drew", says, yes_or_no(), said) if self.rules.drawn_stays else None

    @property
    def top(self) -> FactStated | None:
        """The top of the pile and where it is known from, if it was said or is sure."""
        top, board = self.form.top.data, self.form.board(self.sheet)
        if self.player is None or top == "none":
            return None
        if top:
            return FactStated(_("Top of the pile:"), source_of(self.loaded, STATED), cards=top)
        pile = board.pile_for(self.player)
        if pile == UNKNOWN_PILE:
            return None
        says = _("Top of the pile:") if pile.cards else _("The pile was taken")
        source = source_of(self.loaded, board.known_by, pile)
        return FactStated(says, source, cards=format_cards(pile.cards[-1:]))


class MeldPage(QuestionPage):
    """A meld."""

    template = "meld"
    what, a_play = noted("meld"), noted("a meld")
    heading = noted("What did <bdi>%(name)s</bdi> meld?")
    legend = noted("The cards of the meld")
    player_last = asks_contract = True


class LayOffPage(MeldPage):
    """A lay-off on a meld that lies there."""

    what, a_play = noted("lay-off"), noted("a lay-off")
    heading = noted("What did <bdi>%(name)s</bdi> lay off?")
    played_on = noted("laid off on")
    legend = noted("The cards of the lay-off")


class LaidOffOnPage(LayOffPage):
    """The meld that cards were laid off on: it is asked for first, where none lies there."""

    heading = noted("Which meld did <bdi>%(name)s</bdi> lay %(cards)s on?")
    pressed: ClassVar = {"data-outbox": "no", "name": "add", "value": "lies"}
    legend = noted("The cards of the meld")
    asks_for_meld = True

    @property
    def asks(self) -> str:
        """The heading, with the cards of the lay-off if they are tapped already."""
        cards = self.form.laid_off.data
        if not cards:
            return _("Which meld lies there?")
        return marked(self.heading, name=self.name, cards=drawn("meld", cards))

    @property
    def taken(self) -> dict[str, str]:
        """The cards that nobody can play any more, those laid off among them."""
        return super().taken | dict.fromkeys(self.form.laid_off.data, _("laid off"))


class SwapPage(QuestionPage):
    """A swap: the card that takes the place of a wild one."""

    template = "swap"
    what, a_play = noted("swap"), noted("a swap")
    heading = noted("What did <bdi>%(name)s</bdi> swap?")
    played_on = noted("swapped into")
    asks_contract = True

    @property
    def rules_on(self) -> str:
        """The card that a button rules on: the one that was tapped before, unless that is wrong."""
        return "" if any(field.errors for field in self.form) else self.tapped


class MeldsPage(QuestionPage):
    """Several melds that are ruled on together."""

    template = "melds"
    add = noted("Next meld")
    remove = noted("Take meld %s out")
    player_last = True

    @property
    def needs(self) -> list[Need]:
        """What the melds need; what is wild is on the cards."""
        return []

    @property
    def hint(self) -> str:
        """How to tap the cards, before the first meld."""
        return ""

    @property
    def in_it(self) -> str:
        """A card that is in the meld that is tapped, untapped."""
        return ""


class FirstMeldsPage(MeldsPage):
    """The first melds of a player."""

    what = a_play = noted("first melds")
    heading = noted("The first melds of <bdi>%(name)s</bdi>")
    rule = noted("Rule on them")
    legend = noted("The cards of one meld")

    @property
    def needs(self) -> list[Need]:
        """What the melds need; what is wild is on the cards."""
        return [one for one in self.rules.needs() if one.what != _("Wild")]


class DeclaredPage(MeldsPage):
    """All cards, declared at once or in groups."""

    what = noted("cards")
    heading = noted("What did <bdi>%(name)s</bdi> declare?")
    legend = noted("The cards that are declared")
    add = "A group"
    remove = noted("Take group %s apart")

    @property
    def _call(self) -> str:
        return _(self.rules.declare_call) if isinstance(self.rules, DeclaringJudge) else ""

    @property
    def topic(self) -> str:
        """What a player says who declares."""
        return f"“{self._call}”"

    @property
    def kept_called(self) -> str:
        """What a phone calls the question that it keeps."""
        return self.ruling_on(self._call)

    @property
    def hint(self) -> str:
        """How to tap the cards, and whether one of them is the discard."""
        rules = self.rules
        if not isinstance(rules, DeclaringJudge):
            return ""
        hint = noted("Tap all %(number)s cards, or one group after the other.")
        if rules.must_discard:
            hint = noted(
                "Tap all %(number)s cards, or one group after the other. "
                "One of them is the discard."
            )
        elif rules.declare_discards:
            hint = noted(
                "Tap all %(number)s cards, or one group after the other. "
                "One of them may be the discard."
            )
        return _(hint, number=rules.declared)


class TurnPage(QuestionPage):
    """A whole turn, one play after the other."""

    template = "turn"
    what, a_play = noted("turn"), noted("a turn")
    heading = noted("The turn of <bdi>%(name)s</bdi>")
    remove = noted("Take play %s out")
    asks_contract = True

    @property
    def on_table(self) -> dict[str, str]:
        """The same, and that each play is shown with a word."""
        return super().on_table | {"data-worded": ""}

    @property
    def has_begun(self) -> bool:
        """True if a play was entered."""
        return bool(self.table.steps)

    @property
    def has_ended(self) -> bool:
        """True if the turn ends with the last play so far."""
        return self.has_begun and self.table.steps[-1].word == _("Discard")

    @property
    def may_take_pile(self) -> bool:
        """True if a turn can begin with taking the pile, and nothing was entered yet."""
        return self.rules.takes_pile and not self.has_begun


class OnlinePage(QuestionPage):
    """A question that is asked with a network only: nothing that waits is counted in."""

    player_last = True

    @property
    def on_table(self) -> dict[str, str]:
        """Nothing."""
        return {}


class CallPage(OnlinePage):
    """A call for the top of the pile."""

    template = "call"
    what, a_play = noted("call"), noted("a call")
    heading = noted("May this player call?")
    own = ("player", "turn")
    note = noted("A call is for the top of the pile, in another’s turn.")

    @property
    def kept_called(self) -> str:
        """What a phone calls the question that it keeps."""
        return _("Ruling on %(topic)s", topic=self.topic)

    @property
    def turn(self) -> str:
        """Whose turn a call seems to be made in, as a value of the form."""
        seat = self.form.turn.data
        return self.next_to_play if seat is None else str(seat)


class DrawPage(OnlinePage):
    """A draw from inside the pile; its last step, where it needs no meld: who drew."""

    template = "draw_player"
    what, a_play = noted("draw"), noted("a draw")
    heading = noted("Who drew %(cards)s?")
    note = noted("Melds of a draw are not added to the recorded table.")

    @property
    def asks(self) -> str:
        """The heading, with the card that was drawn."""
        card = self.form.drawn.data
        return marked(self.heading, cards=drawn("card", card) if card else "")


class DrawnPage(DrawPage):
    """The first step of a draw: the card."""

    template = "draw_card"
    heading = noted("Which card is drawn from the pile?")
    own = ("drawn",)
    note = ""

    @property
    def attributes(self) -> dict[str, str]:
        """Nothing is asked yet that a phone could keep."""
        return {"data-outbox": "no"}


class DrawnAbovePage(DrawnPage):
    """The second step: what lay above the card."""

    template = "draw_above"
    heading = noted("What lies above %(cards)s?")
    own = ("above",)
    pressed: ClassVar = {"name": "next", "value": "above"}

    @property
    def taken(self) -> dict[str, str]:
        """The cards that cannot lie there."""
        return super().taken | {self.form.drawn.data: _("drawn")}


class DrawnMeldsPage(DrawPage, MeldsPage):
    """The third step: the melds that the card goes into."""

    template = "melds"
    heading = noted("Which meld does %(cards)s go into?")
    own = ("cards", "no_meld")
    legend = noted("The other cards of the meld")
    asks_contract = True

    @property
    def in_it(self) -> str:
        """The drawn card, where it is in the meld that is tapped, and in none before it."""
        card: str = self.form.drawn.data
        return "" if card in " ".join(step.cards for step in self.table.steps) else card

    @property
    def taken(self) -> dict[str, str]:
        """The cards that nobody can play any more, and the drawn one."""
        return super().taken | {self.form.drawn.data: _("in it") if self.in_it else _("drawn")}

    @property
    def tagged(self) -> dict[str, str]:
        """The notes on cards, also on those that were taken with the drawn one."""
        return super().tagged | dict.fromkeys(self.form.above.data, _("taken"))


_PAGES: Final[Mapping[str, type[QuestionPage]]] = {
    "discard": DiscardPage,
    "meld": MeldPage,
    "lay_off": LayOffPage,
    "swap": SwapPage,
    "contract": FirstMeldsPage,
    "turn": TurnPage,
    DECLARE: DeclaredPage,
    CALL: CallPage,
    DRAW: DrawPage,
}
_STEPS_OF_DRAW: Final[Mapping[str, type[QuestionPage]]] = {
    "drawn": DrawnPage,
    "above": DrawnAbovePage,
    "cards": DrawnMeldsPage,
}


def question_page(
    loaded: LoadedGame, form: RulingForm, errors: Iterable[tuple[str, str]] = (), step: str = ""
) -> QuestionPage:
    """Return what a page shows of a question, with what is wrong in its fields.

    ``step`` is the part of a draw that is asked for.
    """
    sheet, board, kind = loaded.sheet, form.board(loaded.sheet), form.ask.data
    rules = sheet.hand.rules
    try:
        plays = parsed_plays(form.play.data)
    except Malformed:
        plays = ()
    melds, pile = position_text(board.table)
    table = shown_table((*melds, *form.seen.data), rules, plays)
    for name, sentence in errors:
        form[name].errors = [sentence]
    page = _PAGES[kind] if kind in rules.disputes else QuestionPage
    if kind == "lay_off" and not table.melds:
        page = LaidOffOnPage
    player = form.player.data if form.player.data in sheet.players else None
    players = [(str(seat), sheet.names[seat]) for seat in sheet.playing]
    return _STEPS_OF_DRAW.get(step, page)(
        loaded=loaded,
        form=form,
        sheet=sheet,
        rules=rules,
        table=table,
        melds=melds,
        pile=pile,
        player=player,
        name=_("the player") if player is None else sheet.names[player],
        players=players,
        others=[one for one in players if player is not None and one[0] != str(player)],
        next_to_play=str(next_to_play(sheet)),
    )
