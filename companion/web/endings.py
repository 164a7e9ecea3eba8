"""The ways in which a hand can end, with what pages add: words, templates, and what is entered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, NamedTuple

from markupsafe import Markup
from wtforms import BooleanField

from companion.notebook import endings
from companion.notebook.describe import in_points
from companion.notebook.events import HandEntry, HandMarked, NotPossible
from companion.notebook.hand_marks import must_have_laid, recorded_melds
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.possible_left import most_left
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import SUITS, parse_cards
from companion.rules.game import EndsBy
from companion.rules.language import gettext as _, ngettext, noted
from companion.services.tally import hands_played
from companion.web.actions import upcoming_hands
from companion.web.fields import CardsField, Form, LineField, NumberField, WordField, one_line
from companion.web.templating import leader_names, marked, names_of, with_cards

_MELDED: Final = {"yes": True, "no": False}


class PlayerForm(Form):
    """What is entered for one player. The names of its fields end with the seat: ``cards-0``.

    It has cards left, or points and the number of wild cards among them. ``melded`` is empty if the
    record says it. Where hands are arranged at their end, ``cards`` are all cards held. With
    ``otherwise`` the player wants an arrangement that is not the best; once that is ``chosen``,
    ``kept`` are the cards it leaves ``among`` those held. With ``penalty_cards`` the player drew
    some. ``laid_as`` says what wild cards laid off stand for, ``melds`` how the player who went out
    grouped the cards.

    For a meld of a box: the ``suit`` named, the cards to ``split`` off, and with points the ``box``
    that scores them, as the number of its cards.
    """

    class Meta:
        """Add the seat to the fields' names."""

        def bind_field(self, form: PlayerForm, unbound_field: Any, options: dict[str, Any]) -> Any:
            """Return the field of the form."""
            return unbound_field.bind(form, **options | {"name": f"{options['name']}-{form.seat}"})

    cards = CardsField()
    points = NumberField()
    wilds = NumberField(default=0)
    melded = WordField(_MELDED)
    otherwise = BooleanField()
    chosen = BooleanField()
    kept = CardsField(name="left")
    among = LineField(filters=[lambda text: text[:200]])
    penalty_cards = BooleanField()
    laid_as = LineField(filters=[lambda text: text[:200]])
    melds = LineField(filters=[lambda text: text[:200]])
    suit = WordField([suit.text for suit in SUITS])
    split = LineField(filters=[lambda text: one_line(text.replace(",", " "))[:60]])
    box = LineField()

    def __init__(self, seat: int, formdata: Any = None, **entered: Any) -> None:
        self.seat = seat
        super().__init__(formdata, **entered)

    def check(self, name: str) -> None:
        """Raise `NotPossible` for points that cannot be read, or that stand beside cards."""
        field, entered = f"points.{self.seat}", self.points.entered
        if entered and self.points.data is None:
            says = noted("“%(entered)s” is not a number of points. Enter %(name)s's in digits.")
            raise NotPossible(says, field, entered=entered, name=name)
        if entered and self.cards.data:
            says = noted("There are cards and points for %(name)s. Clear one of them.")
            raise NotPossible(says, field, name=name)


def values_of_entry(sheet: ScoreSheet, hand: HandSheet, entry: HandEntry) -> dict[str, Any]:
    """Return the values of a player's form that make this entry.

    "Laid a meld?" has no answer where the cards or the record give the same one: if a change to the
    form makes it unsure, it is asked again.
    """
    follows = ending_of(sheet).in_turns and (
        entry.player in recorded_melds(sheet, hand) or must_have_laid(sheet, hand, entry)
    )
    left = texts(entry.cards)
    # If only the cards left are known, they are not arranged again.
    otherwise = entry.otherwise or (hand.rules.arranges and bool(left) and entry.held is None)
    boxes = {box.title: str(box.cards) for box in hand.rules.boxes}
    return {field.name: getattr(entry, field.name) for field in fields(entry)} | {
        "cards": left if entry.held is None else texts(entry.held),
        "points": None if entry.points is None else abs(entry.points),
        "melded": "no" if not entry.melded else "" if follows else "yes",
        "otherwise": otherwise,
        "chosen": otherwise,
        "kept": left,
        "box": boxes.get(entry.box, ""),
    }


def texts(cards: str | None) -> tuple[str, ...]:
    """Return the cards of a text one by one, as a card grid takes them."""
    return tuple(card.text for card in parse_cards(cards or ""))


class PlayerStep(NamedTuple):
    """The step of the form for one player's cards left; ``only`` is the condition that shows it.

    With ``known`` the record says whether a meld was laid; fewer than ``asks_from`` cards say it,
    too. By the record the player has at most ``most`` cards left, or ``more`` with penalty cards;
    None means no limit.

    For a meld of a box: the boxes ``open`` to the player, ``tiles`` of these, and the ``titles`` of
    all boxes.
    """

    seat: int
    only: str = ""
    known: bool = False
    asks_from: int = 1
    most: int | None = None
    more: int | None = None
    open: Markup | str = ""
    titles: str = ""
    tiles: Sequence[tuple[str, str]] = ()


class ByCardsLeft(endings.ByCardsLeft):
    """Somebody goes out, and the cards left of the others count."""

    # Templates: the end of a hand; macros for the score sheet, beside totals and in the tally.
    end_page = "save_hand/form.html"
    sheet_parts = "sheet/_hands.html"
    stylesheet = ""
    # Words. The tag is the game's own word for going out, if it has one.
    asks_out = noted("Who went out?")
    asks_out_link = noted('Who went out? <a href="#out">Say who</a>.')
    was_out = noted("<bdi>%(name)s</bdi> went out.")
    tag = ""
    thrown_in = noted("Nobody scores the cards left")
    before_deal = ""
    # Whether players take turns until one goes out, and whether an upcoming hand's points can be
    # added up.
    in_turns = True
    sums_upcoming = True

    def entry(self, sheet: ScoreSheet, form: PlayerForm, *, is_out: bool) -> HandEntry | None:
        """Return a player's entry; None if nothing was entered.

        Blank is missing, and never zero. Raises `NotPossible` for a field that cannot be read.
        """
        seat, points, arranges = form.seat, form.points.data, sheet.hand.rules.arranges
        # Where hands are arranged, the cards of the player who went out are melds: none is left.
        cards = "" if arranges and is_out else " ".join(form.cards.data)
        if form.wilds.data is None:
            says = noted("How many %(wild_word)ss are in %(name)s's points? Enter a number, or 0.")
            name, word = sheet.names[seat], sheet.game.wild_word
            raise NotPossible(says, f"wilds.{seat}", name=name, wild_word=word)
        if not cards and points is None:
            return None
        melded, otherwise = _MELDED.get(form.melded.data), form.otherwise.data
        if arranges and cards:
            # A card that is no longer held cannot be left; one that is held since then only is.
            held = Counter(form.cards.data)
            since = held - Counter(form.among.data.split() or held)
            kept = held & (Counter(form.kept.data) + since)
            left = " ".join(kept.elements()) if otherwise and form.chosen.data else None
            laid_as = form.laid_as.data
            return HandEntry(
                seat, left, melded=melded, held=cards, otherwise=otherwise, laid_as=laid_as
            )
        drew, wilds = form.penalty_cards.data, 0 if cards else form.wilds.data
        return HandEntry(seat, cards or None, points, wilds, melded, penalty_cards=drew)

    def conditions(self, sheet: ScoreSheet, number: int) -> Mapping[int, str]:
        """Return the seats whose cards can count in a hand, each with the condition for that.

        Empty means always. static/js/end.js reads the conditions: ``out=1,2 second=yes``.
        """
        return dict.fromkeys(sheet.players, "")

    def outs(self, sheet: ScoreSheet, number: int, *, nobody: bool) -> dict[str, Any]:
        """Return who can have gone out of a hand; also nobody, if that can be or was entered.

        ``outs`` have a value, a name, and perhaps a note. ``unsure`` are the seats that may win by
        a Rummy in that hand: the hands before it are not on record yet, so only the marker knows.
        ``won`` is the form's condition for a game that is won by this hand.
        """
        seats: list[tuple[str, ...]] = [(str(seat), name) for seat, name in enumerate(sheet.names)]
        if nobody or sheet.game.ends_undecided:
            seats.append(("none", _("Nobody"), _("all score")))
        return {"outs": seats, "unsure": (), "won": ""}

    def steps(self, sheet: ScoreSheet, hand: HandSheet) -> Sequence[PlayerStep]:
        """Return a step for each player whose cards can count."""
        known, ends = recorded_melds(sheet, hand), HandMarked(hand.number, -1, ())
        dealt, steps = hand.rules.dealt, []
        for seat, only in self.conditions(sheet, hand.number).items():
            entries = [HandEntry(seat, penalty_cards=had) for had in (False, True)]
            most, more = (most_left(hand, ends, entry) for entry in entries)
            # Few cards left do not show a meld, if the player may have laid off the others.
            is_sure = must_have_laid(sheet, hand, HandEntry(seat, ""))
            steps.append(PlayerStep(seat, only, seat in known, dealt if is_sure else 1, most, more))
        return steps

    def leading(self, sheet: ScoreSheet) -> Markup:
        """Return who leads or has won: ``Ana leads with 12 points.``"""
        return _leading(sheet, in_points(sheet.total(sheet.leaders()[0])))

    def result(self, sheet: ScoreSheet) -> str:
        """Return what the winners have when the game is over: ``12 points after 13 hands``."""
        total, hands = sheet.total(sheet.leaders()[0]), hands_played(sheet)
        return _("%(points)s after %(hands)s", points=in_points(total), hands=hands)

    def note(self, sheet: ScoreSheet, player: int) -> str:
        """Return what decides who wins, beside a player's points; here nothing."""
        return ""

    def plays_on(self, sheet: ScoreSheet, hand: HandSheet) -> str:
        """Return how play goes on in an upcoming hand; empty if all cards are dealt again."""
        return ""


class ByDeclaring(ByCardsLeft, endings.ByDeclaring):
    """Somebody declares, and the game goes on until one has two Rummies (IND-7)."""

    asks_out = noted("Who declared Rummy?")
    asks_out_link = noted('Who declared Rummy? <a href="#out">Say who</a>.')
    was_out = noted("<bdi>%(name)s</bdi> declared Rummy.")
    tag = noted("Rummy")
    before_deal = noted(
        "Before that a card is turned up, and lies under the stock: its rank is wild."
    )
    sums_upcoming = False

    def conditions(self, sheet: ScoreSheet, number: int) -> Mapping[int, str]:
        """Return the players who are still in, each with the condition that another one wins."""
        winning, unsure = _winning(sheet, number)
        conditions = {
            seat: _win_condition([other for other in winning if other != seat], unsure)
            for seat in sheet.playing_in(number)
        }
        return {seat: won for seat, won in conditions.items() if won}

    def outs(self, sheet: ScoreSheet, number: int, *, nobody: bool) -> dict[str, Any]:
        """Return who can have declared: the players who were still in."""
        winning, unsure = _winning(sheet, number)
        options = [
            (str(seat), sheet.names[seat], _("second Rummy: wins") if seat in winning else "")
            for seat in sheet.playing_in(number)
        ]
        return {"outs": options, "unsure": unsure, "won": _win_condition(winning, unsure)}

    def leading(self, sheet: ScoreSheet) -> Markup:
        """Return who leads or has won by Rummies: ``Ana wins and is paid 124 points.``"""
        if not sheet.is_counted:
            leads = noted("Nobody who still plays has a Rummy.")
            return marked(noted("Nobody has won.") if sheet.over else leads)
        if sheet.winner is None:
            return _leading(sheet, _("a Rummy"))
        if sheet.uncounted:
            return marked("%(name)s wins.", name=sheet.names[sheet.winner])
        points, names = in_points(sheet.payments()[sheet.winner]), names_of(leader_names(sheet))
        return marked("%(names)s wins and is paid %(points)s.", names=names, points=points)

    def result(self, sheet: ScoreSheet) -> str:
        """Return what the winner has: ``Is paid 134 points``; or that the game was ended early."""
        if sheet.winner is None:
            return _("Ended after %(hands)s, so nobody wins or is paid", hands=hands_played(sheet))
        return _("Is paid %(points)s", points=in_points(sheet.payments()[sheet.winner]))

    def note(self, sheet: ScoreSheet, player: int) -> str:
        """Return what decides who wins, beside a player's points: ``1 Rummy``, ``left``."""
        if player in sheet.left_in:
            return _("left")
        made = sheet.declared().count(player)
        return ngettext("%(number)s Rummy", "%(number)s Rummies", made) if made else ""

    def plays_on(self, sheet: ScoreSheet, hand: HandSheet) -> str:
        """Return how play goes on after the last hand's Rummy; empty in hand 1."""
        if hand.number == 1:
            return ""
        plays_on = _(
            "Whoever declared in hand %(hand)s puts the Rummy under the stock, takes %(dealt)s "
            "new cards, and the others keep theirs. The next player plays on.",
            hand=hand.number - 1,
            dealt=hand.rules.dealt,
        )
        asks = noted("Was it a second Rummy, or is one player left?")
        if hand.number == 2:  # nobody can have had two in hand 1
            asks = noted("Is one player left?")
        won = noted("Then the game is won: who pays whom is worked out when all is saved.")
        return f"{plays_on} {_(asks)} {_(won)}"


class ByBoxes(ByCardsLeft, endings.ByBoxes):
    """Every player shows a meld for a box, and nobody goes out."""

    end_page = "save_hand/shown.html"
    sheet_parts = "sheet/_boxes.html"
    stylesheet = "boxes.css"
    thrown_in = noted("Nobody fills a box")
    in_turns = False

    def entry(self, sheet: ScoreSheet, form: PlayerForm, *, is_out: bool) -> HandEntry | None:
        """Return a player's entry: the cards of the meld, or its box and its points.

        A suit or a split that this box does not ask for is left out: it was entered for other
        cards. Raises `NotPossible` for a field that cannot be read.
        """
        boxes, seat, name = sheet.game.judge.boxes, form.seat, sheet.names[form.seat]
        cards, points = form.cards.data, form.points.data
        if cards:
            asks = next((box.asks for box in boxes if box.cards == len(cards)), "")
            suit = form.suit.data if asks == "suit" else ""
            split = (form.split.data or None) if asks == "split" else None
            return HandEntry(seat, " ".join(cards), melded=True, suit=suit, split=split)
        if points is None and not form.box.data:
            return None
        box = next((box for box in boxes if str(box.cards) == form.box.data), None)
        if box is None:
            raise NotPossible("Which box does %(name)s fill? Tap it.", f"box.{seat}", name=name)
        if points is None:
            says = noted("How many points does %(name)s's %(box)s score? Enter them in digits.")
            raise NotPossible(says, f"points.{seat}", name=name, box=_(box.title))
        # A box that subtracts takes its points with a minus or without.
        score = -abs(points) if box.minus else points
        return HandEntry(seat, points=score, melded=True, box=box.title)

    def steps(self, sheet: ScoreSheet, hand: HandSheet) -> Sequence[PlayerStep]:
        """Return everyone's step: which boxes they filled in other hands, and which are open."""
        boxes, steps = sheet.game.judge.boxes, []
        for seat in sheet.players:
            filled = {
                title: _("%(box)s: filled in round %(round)s", box=_(title), round=mark.hand)
                for title, mark in sheet.filled_boxes(seat).items()
                if mark.hand != hand.number
            }
            unfilled = [box for box in boxes if box.title not in filled]
            titles = "|".join(filled.get(box.title, _(box.title)) for box in boxes)
            tiles = [(str(box.cards), _(box.title)) for box in unfilled]
            steps.append(PlayerStep(seat, open=with_cards(unfilled), titles=titles, tiles=tiles))
        return steps


_ENDINGS: Final = {
    EndsBy.CARDS_LEFT: ByCardsLeft(),
    EndsBy.DECLARING: ByDeclaring(),
    EndsBy.BOXES: ByBoxes(),
}


def ending_of(sheet: ScoreSheet) -> ByCardsLeft:
    """Return the ending of the game's hands, as its pages show it."""
    return _ENDINGS[sheet.game.ends_by]


def leading_word(sheet: ScoreSheet) -> str:
    """Return the word for first place: ``leads``, or ``wins`` once the game is over."""
    return _("wins") if sheet.over else _("leads")


# Who leads or has won, by whether the game is over and whether several players do.
_LEADS: Final = {
    (False, False): noted("%(names)s leads with %(what)s."),
    (False, True): noted("%(names)s lead with %(what)s."),
    (True, False): noted("%(names)s wins with %(what)s."),
    (True, True): noted("%(names)s share the win with %(what)s."),
}


def _leading(sheet: ScoreSheet, what: str) -> Markup:
    says = _LEADS[sheet.over, len(sheet.leaders()) > 1]
    return marked(says, names=names_of(leader_names(sheet)), what=what)


def _winning(sheet: ScoreSheet, number: int) -> tuple[list[int], list[int]]:
    """Return the seats that win by a Rummy in a hand, and those that may win by it."""
    upcoming, playing = upcoming_hands(sheet), sheet.playing_in(number)
    # By the last hand that the game can have, everyone has a Rummy from an earlier hand.
    is_last = number in upcoming and number + 1 not in upcoming
    winning = [seat for seat in playing if is_last or sheet.wins(number, seat)]
    is_later = number in upcoming and number > 1  # nobody has a Rummy from before hand 1
    return winning, [seat for seat in playing if seat not in winning] if is_later else []


def _win_condition(winning: Sequence[int], unsure: Sequence[int]) -> str:
    """Return the form's condition for a game that is won: ``out=0,2 second=yes``."""
    sure = [f"out={','.join(map(str, winning))}"] if winning else []
    return " ".join([*sure, "second=yes"] if unsure else sure)
