"""Rulings that were given: the question, the verdict, the facts it rests on, what follows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, Self

from flask import Blueprint, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.notebook.describe import asked_in_words, in_points, ruled_elsewhere
from companion.notebook.events import STATED, Entry, NotPossible, Ruled
from companion.notebook.hand_sheet import HandSheet, RulingLine
from companion.notebook.replay import replay
from companion.notebook.shown_table import Step, question_steps
from companion.rules.cards import format_cards, show_cards
from companion.rules.contracts import ContractJudge, missing_in_words
from companion.rules.declaring import cards_laid
from companion.rules.judge import Judge
from companion.rules.language import gettext as _, noted
from companion.rules.melds import Meld
from companion.rules.question import CALL, DECLARE, DRAW, FLAGS, NO_PILE, Pile
from companion.rules.ruling import TakeBack
from companion.services import NotFound
from companion.services.game_log import LoadedGame, who_wrote
from companion.services.rulings import CALL_FACTS, TURNED, calls_on_record, enforced
from companion.store import UNREADABLE
from companion.web.actions import Refused, loaded_game, needs_rulings, write_action
from companion.web.auth import database
from companion.web.pages import form_page, game_page
from companion.web.penalties import go_on_after, taken_back_by, what_is_taken
from companion.web.rules import words_of_rules
from companion.web.rulings.form import RulingForm, field_of
from companion.web.rulings.question import FACTS, QuestionPage, answer_in, values_of_question
from companion.web.templating import chips, marked

bp = Blueprint("rulings", __name__)
bp.before_request(needs_rulings)

_TAKEN_BACK: Final = {
    "turn": noted("The whole turn is taken back."),
    "melds": noted("The melds are taken back."),
    "play": noted("The play is taken back."),
    "plays": noted("The illegal plays are taken back."),
}

_OF_MELDS: Final = {"melded_this_hand", "melded_this_turn", "contract_met"}
_MELDED: Final = noted("It makes no difference whether %(name)s had melded before.")
_MET: Final = noted("It makes no difference whether %(name)s had met the contract.")
# Unknown facts, with what is said of them if the ruling is the same whatever they are.
_NO_DIFFERENCE: Final = (
    ({"fresh"}, noted("It makes no difference whether that wild card was laid this turn.")),
    ({"drew"}, noted("It makes no difference whether that card was just taken from the pile.")),
    ({"pile"}, noted("It makes no difference what lay on the pile.")),
)


class FactStated(NamedTuple):
    """A fact that a ruling rests on: its words, the cards after them, and where it comes from.

    ``change`` is the name and the value of the button that changes it, or asks for it again.
    """

    says: str
    source: str = ""
    cards: str = ""
    change: tuple[str, str] = ("", "")


class RulingPage:
    """A ruling on a player's play. ``stands`` is false once it was undone or replaced.

    ``is_open`` is true while its deal is played, ``is_off_table`` if its cards do not lie on the
    table. ``against`` is the contract that first melds were compared with. ``rules`` are the rules
    broken, or the one that explains a legal call or draw, and ``words`` their texts. ``elsewhere``
    says how the game's other sheets rule. ``penalty`` is the charge if the ruling was carried out;
    ``taken`` is what that takes back, ``back`` what it does to the recorded table. ``by`` has the
    names of those who made entries. With ``by_rules`` the ruling is on nobody's play, by the rules
    of the hand alone, and not on record.
    """

    def __init__(self, loaded: LoadedGame, hand: HandSheet, line: RulingLine, stands: bool) -> None:
        self.loaded, self.hand, self.line, self.stands = loaded, hand, line, stands
        self.by_rules = not line.entry.number
        self.question, self.ruling, self.player = line.question, line.ruling, line.given.player
        self.name = loaded.sheet.names[self.player]
        self.is_open = loaded.sheet.is_open(hand) and hand.is_of_deal(line.entry)
        rules, ask, enforced = hand.rules, line.question.ask, line.enforced
        self.is_off_table = ask in rules.asks_off_table
        self.against = ""
        if ask == "contract" and self.ruling.plays and isinstance(rules, ContractJudge):
            self.against = rules.label
        self.rules = self.ruling.broken or tuple(filter(None, [rules.allowed_by.get(ask)]))
        self.words = words_of_rules(loaded, self.rules)
        self.elsewhere = ruled_elsewhere(loaded.sheet.game, self.ruling)
        self.penalty = next((one for one in hand.penalties if one.entry == enforced), None)
        self.taken, self.back = what_is_taken(line), taken_back_by(loaded.sheet, hand, line)
        self.by = who_wrote(database(), loaded)

    @classmethod
    def of(cls, loaded: LoadedGame, number: int) -> Self:
        """Return the page of an entry's ruling, also if undone or replaced. Raises `NotFound`."""
        for hand in loaded.sheet.hands:
            for line in hand.rulings:
                if line.entry.number == number:
                    return cls(loaded, hand, line, stands=line.replaced is None)
        event = next((entry.event for entry in loaded.entries if entry.number == number), None)
        if not isinstance(event, Ruled):
            raise NotFound("ruling")
        hand = replay(loaded.entries[:number]).hands[event.hand - 1]
        return cls(loaded, hand, hand.rulings[-1], stands=False)

    @classmethod
    def of_rules(cls, loaded: LoadedGame, given: Ruled) -> Self:
        """Return the page of a ruling by the rules of the open hand, which is not stored."""
        line = RulingLine(Entry(0, UNREADABLE, "", given), given, turned=loaded.sheet.hand.turned)
        return cls(loaded, loaded.sheet.hand, line, stands=False)

    # -- the verdict ------------------------------------------------------------------------------

    @property
    def played(self) -> list[Step]:
        """The plays, each with the ruling on it."""
        steps = question_steps(self.question, self.hand.rules)
        for at, play in enumerate(self.ruling.plays[: len(steps)]):
            verdict, why = _("legal") if play.legal else _("illegal"), ""
            if self.against:
                verdict = play.says if play.legal else _("not part of it")
                why = play.reasons
            steps[at] = steps[at]._replace(verdict=verdict, why=why)
        return steps

    @property
    def says(self) -> str:
        """Why the play is legal or not; `then` says what follows from that."""
        rules = self.hand.rules
        if self.against and isinstance(rules, ContractJudge):
            lacking = missing_in_words(self.ruling.plays, rules)
            if lacking:
                return _("Still missing: %(lacking)s.", lacking=lacking)
        if wrong := self.ruling.reasons:
            return wrong
        says = "" if self.against else self.ruling.says  # the contract is named above the melds
        reason = says.removeprefix(_("Legal") + ": ")  # the heading says that
        return says if reason == says else reason[:1].upper() + reason[1:]

    @property
    def moved(self) -> Meld | None:
        """The meld after a legal swap in which its wild card stays and moves, if this is one."""
        is_swap = self.ruling.legal and self.question.ask == "swap"
        stays = is_swap and not self.hand.rules.swap_gives_wild
        return next(iter(self.ruling.readings), None) if stays else None

    @property
    def then(self) -> str:
        """What follows: the points of an illegal play, and what is taken back."""
        consequence, ask = self.ruling.consequence, self.question.ask
        if self.ruling.legal:
            is_added = self.stands and self.is_open and not self.is_off_table
            return _("Added to the record.") if is_added else ""
        is_call = ask == DECLARE and not self.by_rules
        if self.is_off_table and not consequence.points and not is_call:
            return ""
        if self.by_rules:
            return consequence.says
        then: list[str] = [_("No points.")]
        if consequence.points:
            charged = {"points": in_points(consequence.points), "rule": self.line.given.charge}
            says = noted("%(points)s to <bdi>%(name)s</bdi> (%(rule)s).")
            then = [marked(says, name=self.name, **charged)]
        if ask == DECLARE and self.is_open:
            says = noted("<bdi>%(name)s</bdi> plays on with the same cards.")
            then.append(marked(says, name=self.name))
        elif not self.is_off_table:
            then.append(_(_TAKEN_BACK[self.taken]))
            if consequence.turn_passes:
                sheet = self.loaded.sheet
                follows = sheet.names[sheet.next_player(self.player)]
                then.append(marked("<bdi>%(name)s</bdi> plays next.", name=follows))
        return Markup(" ").join(then)

    # -- asking again -----------------------------------------------------------------------------

    @cached_property
    def again(self) -> RulingForm | None:
        """The form that asks again, if the ruling can be replaced."""
        line, number = self.line, self.line.entry.number
        meant: dict[str, Any] = {"by_rules": True, "turned": line.turned and line.turned.text}
        if not self.by_rules:
            if not (self.stands and self.is_open):
                return None
            try:
                self.hand.without_ruling(number)
            except NotPossible:
                return None
            meant = {"instead_of": number}
        stated = [fact for fact, source in line.given.sources.items() if source == STATED]
        player = None if self.by_rules else self.player
        values = values_of_question(self.question, player, stated, self.hand.rules)
        melds, known = [meld.text for meld in self.question.melds], line.known_melds
        meant |= {"lying": melds[:known], "seen": melds[known:], "hand": self.hand.number}
        return RulingForm(data=values | meant)

    # -- the facts that it rests on ---------------------------------------------------------------

    @property
    def facts(self) -> Sequence[FactStated]:
        """The facts that it rests on."""
        question, call, facts = self.question, self.question.call, list[FactStated]()
        if question.ask == DRAW:
            card, *above = question.pile.cards
            lay = _("Above it") if above else _("Nothing lay above it")
            facts.append(FactStated(_("Drawn"), cards=card.text, change=("change", "drawn")))
            facts.append(FactStated(lay, cards=format_cards(above), change=("change", "above")))
        never = () if call and call.turn is not None and self.ruling.follows else CALL_FACTS
        sources: dict[str, int] = {}
        kept = dict(self.line.given.sources)
        if "melded_this_hand" in kept and not question.player.melded_this_hand:
            kept.pop("melded_this_turn", None)  # it follows from that, and cannot be changed alone
        for fact, number in kept.items():
            field = field_of(fact, self.hand.rules)
            sources[field] = min(number, sources.get(field, number))
        for field in (name for name in ("pile", *FACTS, "calls") if name in sources.keys() - never):
            answer, change = answer_in(question, field), ("change", field)
            source = _source_of(self.loaded, sources[field], question.pile)
            if field == "turn_melded" and not answer:
                source = ""
            if field in FLAGS:  # the other answer is one tap
                change = (field, "0" if answer == "1" else "1")
            facts.append(FactStated(self._fact(field, answer), source, change=change))
        turned = self.line.turned
        if turned is not None and question.ask in self.hand.rules.asks_with_wild_rank:
            says = _("Turned up: %(rank)s", rank=turned.word)
            now = self.loaded.sheet.hand_at(self.hand.number).turned
            source = _("on record") if turned == now else _("no longer on record")
            source = _("as you said") if self.by_rules else source
            facts.append(FactStated(says, source, change=("change", TURNED)))
        return facts

    @property
    def readings(self) -> Sequence[Sequence[str]]:
        """The first readings of an illegal play, card by card, if a wild card leaves a choice."""
        ways = [chips(meld, self.hand.rules.limits) for meld in self.ruling.readings[:6]]
        return ways if any("=" in card for way in ways for card in way) else ()

    @property
    def no_difference(self) -> list[str]:
        """Which unknown facts do not matter, in words. Of a fact in `facts` it says nothing."""
        unknown, known = self.ruling.regardless_of, self.line.given.sources
        name = _("the player") if self.by_rules else self.name
        melded = _MET if isinstance(self.hand.rules, ContractJudge) else _MELDED
        return [
            _(says, name=name)
            for facts, says in ((_OF_MELDS, melded), *_NO_DIFFERENCE)
            if not facts.isdisjoint(unknown) and facts.isdisjoint(known)
        ]

    def _fact(self, field: str, answer: str) -> str:
        """Return a fact that the ruling rests on, in words."""
        pile, call, player = self.question.pile.cards, self.question.call, self.player
        values: dict[str, object] = {}
        says = noted("Nobody said that %(name)s had melded in this hand")
        if field == "pile":
            says = noted("Top of the pile: %(cards)s") if pile else noted("There was no pile")
            values["cards"] = show_cards(pile)
            if len(pile) > 1:
                says = noted("Top of the pile: %(top)s, on %(under)s")
                values = {"top": pile[-1].shown, "under": pile[-2].shown}
            elif pile and self.question.pile.whole:
                says = noted("Top of the pile: %(cards)s, nothing under it")
        elif call and field == "calls":
            # More may have succeeded than were noted.
            says = noted("Calls of %(name)s that were noted: %(calls)s")
            if self.line.given.sources[field] == STATED:
                says = noted("Calls of %(name)s that succeeded before: %(calls)s")
            values["calls"] = call.calls
        elif field == "contract" and answer == "turn" and "contract_met" in self.question.unknown:
            says = noted("%(name)s had met the contract")  # in this turn or in an earlier one
        elif answer:
            _label, says = FACTS[field].answers[answer]
        if call and call.turn is not None and field == "turn_melded":
            player = call.turn
        return _(says, name=self.loaded.sheet.names[player], **values)

    # -- what can be done -------------------------------------------------------------------------

    @property
    def loses_rest(self) -> bool:
        """True if illegal plays are taken back and the rest of the turn cannot be recorded."""
        takes_play = self.ruling.consequence.take_back is TakeBack.PLAY
        has_rest = self.question.ask == "turn" and takes_play and self.is_open
        return has_rest and not self.back.rest and any(play.legal for play in self.ruling.plays)

    @property
    def action(self) -> str:
        """What the marker can do now: ``charge``, ``end`` the hand, ``note`` the call; or empty."""
        ask, sheet = self.question.ask, self.loaded.sheet
        if self.stands and not self.ruling.legal and self.line.enforced is None:
            if self.line.given.charge or (self.is_open and not self.is_off_table):
                return "charge"
        elif self.stands and self.is_open and self.ruling.legal and ask == DECLARE:
            return "end"
        if ask != CALL or not self.again or not self.ruling.legal:
            return ""
        is_last = sheet.can_undo is not None and sheet.can_undo.number == self.line.entry.number
        calls = calls_on_record(sheet.hand, self.player)
        return "note" if is_last and calls < sheet.hand.rules.calls_allowed else ""

    @property
    def takes(self) -> str:
        """What carrying it out takes back: `taken`, with ``_alone`` if a rest stays; or empty."""
        has_points = self.ruling.consequence.points > 0
        if has_points and (self.is_off_table or self.back.stays or not self.is_open):
            return ""
        return f"{self.taken}_alone" if self.back.rest else self.taken


@bp.app_template_global()
def going_out(rules: Judge, declared: RulingLine | None) -> dict[str, object]:
    """Return what the form of the end has of a declaration: who went out, and the cards laid."""
    if declared is None or not rules.game.lays_off_at_end:
        return {} if declared is None else {"out": declared.given.player}
    question, out = declared.question, declared.given.player
    cards = [card.text for card in cards_laid(question, rules, declared.ruling.readings)]
    melds = " / ".join(format_cards(play.cards) for play in question.plays[1:]) or None
    return {"out": out, f"cards-{out}": cards, f"melds-{out}": melds}


def _source_of(loaded: LoadedGame, source: int, pile: Pile = NO_PILE) -> str:
    """Return where a fact comes from, in words.

    A ``pile`` was recorded by its last discard, or when somebody took it. No other fact comes from
    one entry alone.
    """
    if source == STATED:
        return _("as you said")
    event = next((entry.event for entry in loaded.entries if entry.number == source), None)
    player = getattr(event, "player", None)
    if player is None:
        return _("on record")
    says = noted("recorded when %(name)s took the pile")
    if pile.cards:
        says = noted("recorded when %(name)s discarded")
    return _(says, name=loaded.sheet.names[player])


def top_of_pile(page: QuestionPage) -> FactStated | None:
    """Return the top of the pile for ruling on a discard, if it was said or is sure."""
    top, board = page.form.top.data, page.board
    if page.player is None or top == "none":
        return None
    if top:
        return FactStated(_("Top of the pile:"), _source_of(page.loaded, STATED), cards=top)
    pile = board.pile_for(page.player)
    source = _source_of(page.loaded, board.known_by, pile)
    if pile.cards:
        return FactStated(_("Top of the pile:"), source, cards=pile.cards[-1].text)
    return FactStated(_("There is no pile"), source) if pile.whole else None


# -- the pages ------------------------------------------------------------------------------------


@bp.get("/games/<game_id>/rulings/<int:number>")
def show(game_id: str, number: int) -> ResponseReturnValue:
    """Show a ruling with its question, the table at that time, and what follows."""
    return ruling_page(RulingPage.of(loaded_game(game_id), number))


def ruling_page(page: RulingPage, refused: Refused | None = None) -> ResponseReturnValue:
    """Return the page of a ruling; if carrying it out was refused, with the reason."""
    return form_page("rulings/show.html", page.loaded, "Rulings", refused, page=page)


@bp.post("/games/<game_id>/rulings/<int:number>/enforce")
def enforce(game_id: str, number: int) -> ResponseReturnValue:
    """Carry a ruling out: charge what it costs, and take the play or the turn back."""
    hand = RulingPage.of(loaded_game(game_id), number).hand.number
    try:
        after, entry = write_action(game_id, lambda sheet: enforced(sheet, hand, number))
    except Refused as refused:
        return ruling_page(RulingPage.of(refused.loaded, number), refused)
    return go_on_after(after, entry, url_for("hand.show", game_id=game_id))


@bp.get("/games/<game_id>/rulings")
def index(game_id: str) -> ResponseReturnValue:
    """List every ruling of the game, those of the open hand first."""
    loaded = loaded_game(game_id)
    hands = [hand for hand in reversed(loaded.sheet.hands) if hand.all_rulings]
    return game_page("rulings/index.html", loaded, "Rulings", hands=hands, about=asked_in_words)
