"""Ending a hand: marking it, correcting it, throwing it in; and ending a game early."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup
from wtforms import BooleanField

from companion.notebook import events, hand_marks
from companion.notebook.arrangements import lay_off_order
from companion.notebook.checks import why_over
from companion.notebook.describe import news, score
from companion.notebook.events import HandEntry, HandMarked, Marks, NotPossible
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import JOKER, PACK, SUITS, Rank
from companion.rules.language import gettext as _, listed, ngettext, noted
from companion.services.game_log import LoadedGame
from companion.services.games import hand_of
from companion.services.tally import bending_and_record, hands_played
from companion.web.actions import (
    ActionForm,
    Errors,
    Refused,
    field_id,
    hand_sent,
    loaded_game,
    upcoming_hand,
    upcoming_hands,
    write_action,
)
from companion.web.endings import PlayerForm, ending_of, texts, values_of_entry
from companion.web.fields import Form, LineField, SmallNumberField, WordField, small_number
from companion.web.pages import form_page, go_on, upcoming_context
from companion.web.rulings.question import TURNED_RANKS
from companion.web.templating import leader_names, marked, names_of

bp = Blueprint("save_hand", __name__)
bp.add_app_template_global(ending_of)


class EndForm(Form):
    """The end of a hand as it was entered, not checked yet.

    ``out`` is a seat, ``none``, or empty while nobody has said; ``by`` is how the form is laid
    out; ``player_forms`` has one for each seat. ``turned`` is the rank turned before the deal, and
    ``lays_off_first`` a seat; empty if not said. With ``rest`` players melded unless they say no.
    """

    out = LineField()
    by = WordField(("cards", "points"), default="cards")
    out_no_meld = BooleanField()
    bent = BooleanField()
    table_is_old = BooleanField()
    turned = WordField([rank.text for rank in Rank])
    lays_off_first = SmallNumberField()
    rest = WordField(("melded",))

    def __init__(self, sheet: ScoreSheet, formdata: Any = None, **entered: Any) -> None:
        super().__init__(formdata, **{"by": usual_layout(sheet)} | entered)
        self.sheet = sheet
        melded = {"melded": "yes" if self.rest.data else ""}
        players = entered.get("players", {})
        self.player_forms = [
            PlayerForm(seat, formdata, **melded | players.get(seat, {})) for seat in sheet.players
        ]

    @classmethod
    def filled(cls, sheet: ScoreSheet, hand: HandSheet, event: Marks) -> Self:
        """Return the form of a hand, filled with marks that were made for it."""
        players = {entry.player: values_of_entry(sheet, hand, entry) for entry in event.entries}
        if event.out is not None:
            said = {"melds": event.out_melds, "laid_as": event.out_laid_as}
            players[event.out] = {"cards": texts(event.out_held)} | said
        return cls(
            sheet,
            players=players,
            out="none" if event.out is None else str(event.out),
            by="points" if event.by_points else "cards",
            out_no_meld=event.out is not None and not event.out_melded,
            bent=event.bent,
            table_is_old=event.table_is_old,
            turned=event.turned,
            lays_off_first=event.lays_off_first,
        )

    def marks(self, number: int, kind: type[Marks] = HandMarked) -> tuple[Marks, list[NotPossible]]:
        """Return the event for hand ``number``, and the problems of fields that cannot be read.

        A player for whom nothing was entered has no entry: blank is missing, and never zero.
        """
        sheet, ending = self.sheet, ending_of(self.sheet)
        seats = {str(seat): seat for seat in sheet.players} if ending.in_turns else {}
        out = seats.get(self.out.data)
        entries: list[HandEntry] = []
        problems: list[NotPossible] = []
        if ending.in_turns and out is None and self.out.data != "none":
            problems.append(NotPossible(ending.lacks_out, "out"))
        for form in self.player_forms:
            try:
                form.check(sheet.names[form.seat])
                entry = ending.entry(sheet, form, is_out=form.seat == out)
            except NotPossible as problem:
                problems.append(problem)
            else:
                entries += [entry] if entry else []
        held = ""
        if out is not None and sheet.game.lays_off_at_end:  # the others lay off on these melds
            held = " ".join(self.player_forms[out].cards.data)
        event = kind(
            number,
            out,
            tuple(entries),
            out_melded=out is None or not self.out_no_meld.data,
            table_is_old=self.table_is_old.data,
            bent=out is not None and self.bent.data,
            out_held=held or None,
            out_melds=self.player_forms[out].melds.data if out is not None and held else "",
            out_laid_as=self.player_forms[out].laid_as.data if out is not None and held else "",
            turned=(ending.turns_card and self.turned.data) or None,
            lays_off_first=self.lays_off_first.data if held else None,
        )
        return event, problems


def usual_layout(sheet: ScoreSheet) -> str:
    """Return how an empty form is laid out: as the last hand was marked."""
    before = sheet.marked[-1].marking if sheet.marked else None
    return "points" if before and before.event.by_points else "cards"


@bp.get("/games/<game_id>/end")
def form(game_id: str) -> ResponseReturnValue:
    """Show the form for the end of the open hand; filled in again if the marking was undone.

    The address may name who went ``out``, with cards. With another player there, or with ``fresh``,
    nothing that was undone is filled in. ``of`` is the hand that is meant: if it is marked already,
    as after a reload or on the way back, its correction is shown.
    """
    loaded, args = loaded_game(game_id), request.args
    sheet, number = loaded.sheet, args.get("of", type=small_number)
    if number in {hand.number for hand in sheet.marked}:
        says = noted("%(title)s %(number)s is marked. Correct it here if its points are wrong.")
        corrects = url_for("save_hand.correct_form", game_id=game_id, number=number)
        return go_on(_(says, title=_(sheet.game.hand_title), number=number), corrects, "message")
    if sheet.over:
        return go_on(why_over(sheet), url_for("hand.show", game_id=game_id), "message")
    upcoming = upcoming_hand(sheet)
    if upcoming is not None:
        return _form_page(loaded, upcoming.number, EndForm(sheet))
    undone = sheet.can_redo.event if sheet.can_redo and "fresh" not in args else None
    entered, refilled = EndForm(sheet, args), False
    if isinstance(undone, HandMarked) and entered.out.data in ("", str(undone.out)):
        entered, refilled = EndForm.filled(sheet, sheet.hand, undone), True
    return _form_page(loaded, sheet.hand.number, entered, refilled=refilled)


@bp.post("/games/<game_id>/end/preview")
def preview(game_id: str) -> ResponseReturnValue:
    """Show the points that the form gives: a part of the page, or all of it without scripts."""
    loaded, sent = loaded_game(game_id), ActionForm(request.form)
    sheet, number = loaded.sheet, sent.hand.data or 0
    if not 1 <= number <= sheet.game.hands:
        number = sheet.hand.number
    entered = EndForm(sheet, request.form)
    if request.headers.get("HX-Request"):
        page = EndPage(sheet, number, entered)
        return render_template("save_hand/_sums.html", page=page, sheet=sheet, game_id=game_id)
    return _form_page(loaded, number, entered, sent=sent)


@bp.get("/games/<game_id>/throw-in", endpoint="throw_in_form")
@bp.get("/games/<game_id>/end-game", endpoint="game_form")
def ask_first(game_id: str, refused: Refused | None = None) -> ResponseReturnValue:
    """Ask before the hand is thrown in, or the game ended here, and say what that does."""
    loaded = refused.loaded if refused else loaded_game(game_id)
    if loaded.sheet.over and not refused:
        return go_on(why_over(loaded.sheet), url_for("hand.show", game_id=game_id), "message")
    template, what = "save_hand/end_game.html", _("Ending the game")
    if request.path.endswith("/throw-in"):
        template, what = "save_hand/throw_in.html", _("Throwing in")
    # No undo button: the page itself says what undo does.
    return form_page(template, loaded, "Hand", refused, what, is_entry=True)


@bp.post("/games/<game_id>/throw-in", endpoint="throw_in")
@bp.post("/games/<game_id>/end-game", endpoint="end_game")
def end_without_marks(game_id: str) -> ResponseReturnValue:
    """Throw the hand in, which is dealt again; or end the game early with its standings."""
    number, is_thrown = hand_sent(loaded_game(game_id).sheet), request.path.endswith("/throw-in")
    try:
        event = events.HandThrownIn(number) if is_thrown else events.GameEnded(number)
        sheet = write_action(game_id, event)[0].sheet
    except Refused as refused:
        return ask_first(game_id, refused)
    says = _("Game ended after %(hands)s. Undo takes that back.", hands=hands_played(sheet))
    if is_thrown:
        title, dealer = sheet.game.hand_title, sheet.names[sheet.places(sheet.hand).dealer]
        says = noted("%(hand_title)s %(number)s is thrown in. %(dealer)s deals it again.")
        says = _(says, hand_title=title, number=number, dealer=dealer)
    return go_on(says, url_for("hand.show", game_id=game_id))


@bp.get("/games/<game_id>/hands/<int:number>/correct")
def correct_form(game_id: str, number: int) -> ResponseReturnValue:
    """Show the form of a marked hand, filled with its marks."""
    loaded = loaded_game(game_id)
    hand = hand_of(loaded, number)
    if hand.marking is None:
        return redirect(url_for("save_hand.form", game_id=game_id), 303)
    stands = replace(hand.marking.event, turned=None)  # the hand has the card that was turned
    return _form_page(loaded, number, EndForm.filled(loaded.sheet, hand, stands), as_saved=True)


@bp.post("/games/<game_id>/end", endpoint="mark")
@bp.post("/games/<game_id>/hands/<int:number>/correct", endpoint="correct")
def save(game_id: str, number: int = 0) -> ResponseReturnValue:
    """Mark the hand; or correct the marks of one, whose earlier marks stay readable."""
    before, correcting = loaded_game(game_id).sheet, request.endpoint == "save_hand.correct"
    number = number if correcting else hand_sent(before)
    if not 1 <= number <= before.game.hands:
        abort(404)
    entered = EndForm(before, request.form)
    kind = events.HandCorrected if correcting else HandMarked
    event, problems = entered.marks(number, kind)

    def make(_sheet: ScoreSheet) -> events.Event:
        if problems:
            raise problems[0]
        return event

    try:
        after = write_action(game_id, make)[0].sheet
    except Refused as refused:
        return _form_page(refused.loaded, number, entered, refused=refused)
    if correcting and not after.uncounted:
        says = noted(
            "%(hand_title)s %(number)s is corrected. The old points are crossed out below."
        )
        says = _(says, hand_title=before.game.hand_title, number=number)
        return go_on(says, url_for("sheet.hand", game_id=game_id, number=number))
    leaders = leader_names(after)
    leads = ngettext("%(names)s leads.", "%(names)s lead.", len(leaders), names=listed(leaders))
    says = news(event, after) if after.over else f"{news(event, after)} {leads}"
    return go_on(says, url_for("hand.show", game_id=game_id))


class EndPage:
    """The end of a hand as it is ``entered``, and the points that it gives.

    ``recorded`` is the hand on record; in ``hand`` the turned card that was entered says what is
    wild. ``upcoming`` is its number if it has not begun on the server.

    ``event`` is what the form would save, ``problems`` are fields that cannot be read, and
    ``refusal`` says why it cannot be saved. ``lines`` are everybody's marks as they would be, in
    the order of lay-offs if there are any; for players in ``missing`` nothing is entered, for those
    in ``incomplete`` not all cards. ``follows`` is what players have to know once this is saved.
    """

    def __init__(self, sheet: ScoreSheet, number: int, entered: EndForm) -> None:
        self.sheet, self.number, self.entered = sheet, number, entered
        self.recorded = sheet.hand_at(number)
        self.hand = sheet.with_turned(self.recorded, entered.turned.data or None)
        self.upcoming = number if number in upcoming_hands(sheet) else None
        self.event, self.problems = entered.marks(number)
        self.refusal = next(iter(self.problems), None) or hand_marks.why_not_saved(
            sheet, self.recorded, self.event
        )
        unread = {problem.field.rpartition(".")[2]: str(problem) for problem in self.problems}
        self.lines = [
            replace(line, problem=unread.get(str(line.player), line.problem))
            for line in hand_marks.preview(sheet, self.recorded, self.event)
        ]
        if sheet.game.lays_off_at_end:
            self.lines = [self.lines[seat] for seat in lay_off_order(sheet.players, self.event)]
        names, lines = sheet.names, self.lines
        self.missing = [names[one.player] for one in lines if one.mark is None and not one.problem]
        self.incomplete = [names[line.player] for line in lines if line.incomplete]
        self.bent_says = bending_and_record(sheet, self.recorded, self.event)
        is_told = not self.refusal and number >= len(sheet.marked)  # else play has gone on since
        follows = hand_marks.afterwards_if_saved
        self.follows = follows(sheet, self.recorded, self.event) if is_told else ()

    def sums(self, line: hand_marks.Preview) -> tuple[str, str]:
        """Return a player's points and total as they are written, a dash for what is unknown."""
        if line.mark is None or line.problem or line.so_far:
            return "–", "–"
        others = self.sheet.total(line.player) - self.recorded.mark(line.player).points
        total = "–" if self.upcoming else score(others + line.mark.points)
        return score(line.mark.points), total

    def refuses(self, line: hand_marks.Preview) -> bool:
        """True if what is entered for a player is refused, and not just missing."""
        if line.problem and not line.asks:
            return True
        if self.refusal is None or self.missing or any(line.asks for line in self.lines):
            return False
        return self.refusal.field.partition(".")[2] == str(line.player)

    @property
    def verdict(self) -> tuple[str, Markup | str] | None:
        """Whether the marks can be saved: how that is shown, and the sentence.

        None if what is wrong is shown beside the player.
        """
        ending, refusal = ending_of(self.sheet), self.refusal
        if ending.in_turns and self.entered.out.data == "":
            return "warn", marked(ending.asks_out_link)
        if self.missing:
            players = names_of(self.missing, "standard-narrow")
            return "warn", marked("Still missing: %(players)s.", players=players)
        if refusal is None and self.incomplete:
            players = names_of(self.incomplete, "standard-narrow")
            says = noted("Not all cards are entered: %(players)s. You can still save.")
            return "warn", marked(says, players=players)
        if refusal is None:
            return "good", _("Nothing is missing: this can be saved.")
        is_shown = any(line.problem for line in self.lines)
        if is_shown or refusal.field.startswith(("melded", "laid_as")):
            return None
        return "bad", str(refusal)

    def errors(self, refused: Refused) -> Errors:
        """Return the errors of all fields that need the marker, not only the first."""
        pairs = [(field_id(problem), str(problem)) for problem in self.problems] or refused.errors
        errors = {self._in_view(field): says for field, says in pairs}
        for line in (line for line in self.lines if line.field):
            at = self._in_view(line.field.replace(".", "-"))
            errors.setdefault(at, line.problem or line.question)
        return sorted(errors.items(), key=lambda error: error[0].partition("-")[2])

    def _in_view(self, field: str) -> str:
        """Return the field that shows an error: the points, if the card grid is folded away."""
        name, _, seat = field.partition("-")
        by_points = self.entered.by.data == "points" and name == "cards" and seat
        is_folded = by_points and not self.entered.player_forms[int(seat)].cards.data
        return f"points-{seat}" if is_folded else field


def _form_page(
    loaded: LoadedGame, number: int, entered: EndForm, refused: Refused | None = None, **given: Any
) -> ResponseReturnValue:
    """Return the form, with the points that it gives, and with why it was ``refused``.

    ``given`` may have ``refilled`` (the form is filled with what was undone), ``as_saved`` (with
    what is saved), and ``sent`` (the form whose preview this is).
    """
    sheet, page = loaded.sheet, EndPage(loaded.sheet, number, entered)
    hand = page.recorded
    over_again = bool(refused and hand.marking) and request.endpoint == "save_hand.mark"
    if refused and refused.status == 422:
        refused.errors = page.errors(refused)
    if "as_saved" in given:  # unless cards can be arranged better now than then
        marks = [(line.mark, hand.mark(line.player)) for line in page.lines]
        given["as_saved"] = all(now.points == then.points for now, then in marks if now)
    if refused and hand.marking and (refused.status == 409 or over_again):
        given["versus"] = hand_marks.saved_and_entered(sheet, hand, page.event, page.lines)
    return form_page(
        ending_of(sheet).end_page,
        loaded,
        "Sheet" if hand.marking else "Hand",
        refused,
        page=page,
        over_again=over_again,
        keep_awake=True,
        is_entry=True,
        **given | _form_context(page) | upcoming_context(sheet, page.upcoming),
    )


def _form_context(page: EndPage) -> dict[str, Any]:
    """Return what the form asks: who went out, the card turned up, and a step for each player."""
    sheet, hand, rules, entered = page.sheet, page.hand, page.hand.rules, page.entered
    ending, penalty, table = ending_of(sheet), rules.wild_left_points, hand.board.table
    pays = sheet.house.get("winner_pays_no_meld") == "yes" and penalty
    ranks = [(rank.text, rank.word.capitalize()) for rank in TURNED_RANKS]
    unsaid = _("As it was entered before") if page.upcoming else _("Not said yet")
    cards = [*PACK, *([JOKER] if rules.deck.jokers else [])]
    lying = dict.fromkeys((card.text for card in table.pile), _("pile"))
    lying |= {laid.card.text: _("table") for meld in table.melds for laid in meld.cards}
    return ending.outs(sheet, page.number, nobody=entered.out.data == "none") | {
        "steps": ending.steps(sheet, hand),
        "asks_first": sheet.house.get("lay_off_order") == "free" and len(sheet.players) > 2,
        "asks_meld": ending.asks_melded(sheet, hand) and hand_marks.melded_question(sheet),
        # Their calls were charged, so that bending the table doubles nothing (KAL-4).
        "called": [seat for seat in sheet.players if rules.calls_rule in hand.rules_charged(seat)],
        # The marker can go on to the next hand while this one waits.
        "has_next": page.number + 1 in upcoming_hands(sheet),
        "turned_options": ranks if hand.turned is not None else [("", unsaid), *ranks],
        "out_no_meld": _("Went out without a meld: %(penalty)s", penalty=penalty) if pays else "",
        # The points of each card left, and where cards lie on the recorded table.
        "values": {} if rules.arranges else {card.text: rules.value(card) for card in cards},
        "tagged": lying,
        "wilds": [(str(number), number) for number in range(4 * sheet.deck.packs + 1)],
        "suits": SUITS,
    }
