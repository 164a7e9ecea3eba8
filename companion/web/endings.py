"""The ways in which a hand can end: what pages say of each, and what is entered for a player."""

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
from companion.notebook.hand_marks import must_have_played, recorded_melds
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

    Cards, or points and the wild cards among them. ``melded`` is empty if it is left to the record.
    Where hands are arranged at their end, ``cards`` are all that were held. ``otherwise`` asks for
    another arrangement than the best. Once it was ``chosen``, ``kept`` are the cards that it
    leaves. ``penalty_cards`` says that the player drew some. ``laid_as`` says what wild
    cards laid off stand for.

    Where melds are shown for boxes: the ``suit`` named, the cards to ``split`` off, and with points
    the ``box`` that they are for, as the number of its cards.
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
    penalty_cards = BooleanField()
    laid_as = LineField(filters=[lambda text: text[:200]])
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
            says = noted("“%(entered)s” is not a number of points. Give %(name)s's in digits.")
            raise NotPossible(says, field, entered=entered, name=name)
        if entered and self.cards.data:
            says = noted("There are cards and points for %(name)s. Clear one of them.")
            raise NotPossible(says, field, name=name)


def filled(sheet: ScoreSheet, hand: HandSheet, entry: HandEntry) -> dict[str, Any]:
    """Return what the form of a player is filled with.

    "Laid a meld?" is left open where the cards or the record would answer it alike, so that it is
    asked again if what is changed leaves it open.
    """
    told = ending_of(sheet).in_turns and (
        entry.player in recorded_melds(sheet, hand) or must_have_played(sheet, hand, entry)
    )
    left = texts(entry.cards)
    # Of cards left whose player's other cards are not known, none is put into a meld again.
    otherwise = entry.otherwise or (hand.rules.arranges and bool(left) and entry.held is None)
    boxes = {box.title: str(box.cards) for box in hand.rules.boxes}
    as_they_are = {one.name: getattr(entry, one.name) for one in fields(entry)}
    return as_they_are | {
        "cards": left if entry.held is None else texts(entry.held),
        "points": None if entry.points is None else abs(entry.points),
        "melded": "no" if not entry.melded else "" if told else "yes",
        "otherwise": otherwise,
        "chosen": otherwise,
        "kept": left,
        "box": boxes.get(entry.box, ""),
    }


def texts(cards: str | None) -> tuple[str, ...]:
    """Return card text as a card grid has it."""
    return tuple(card.text for card in parse_cards(cards or ""))


class Step(NamedTuple):
    """The step of the form in which a player's cards left are entered; ``only`` says when.

    ``known`` says that the record answers whether a meld was laid; so do fewer than ``asks_from``
    cards. The player can be left with ``most`` cards by the record alone, or ``more`` with penalty
    cards; None means no limit.

    Where a meld is shown it has the boxes ``open`` to the player, ``tiles`` of these, and the
    ``titles`` of all.
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


class ByCardsLeft:
    """Somebody goes out, and the cards left of the others count."""

    # The page of a hand's end; macros of the score sheet, beside totals and in the tally.
    end_page = "save_hand/form.html"
    sheet_parts = "sheet/_hands.html"
    stylesheet = ""
    # Words; the tag is what going out is called, if not that.
    asks_out = noted("Who went out?")
    asks_out_link = noted('Who went out? <a href="#out">Say so</a>.')
    was_out = noted("<bdi>%(name)s</bdi> went out.")
    tag = ""
    thrown_in = noted("Nobody scores the cards left")
    before_deal = ""
    turns_card = endings.ByCardsLeft.turns_card
    # Whether people play in turns until one goes out, and whether sums can be made of an upcoming
    # hand.
    in_turns = True
    sums_upcoming = True

    def entry(self, sheet: ScoreSheet, form: PlayerForm, *, is_out: bool) -> HandEntry | None:
        """Return what is entered for a player; None if that is nothing.

        Blank is missing, and never zero. Raises `NotPossible` for what cannot be read.
        """
        seat, points, arranges = form.seat, form.points.data, sheet.hand.rules.arranges
        # The cards of who went out of an arranged hand are melds: none is left.
        cards = "" if arranges and is_out else " ".join(form.cards.data)
        if form.wilds.data is None:
            says = noted(
                "How many wild cards are in %(name)s's points? Give the number, 0 for none."
            )
            raise NotPossible(says, f"wilds.{seat}", name=sheet.names[seat])
        if not cards and points is None:
            return None
        melded, otherwise = _MELDED.get(form.melded.data), form.otherwise.data
        if arranges and cards:
            # A card that is not among those held any more was taken back, and cannot be left.
            still = Counter(form.cards.data) & Counter(form.kept.data)
            left = " ".join(still.elements()) if otherwise and form.chosen.data else None
            said = form.laid_as.data
            return HandEntry(
                seat, left, melded=melded, held=cards, otherwise=otherwise, laid_as=said
            )
        more, wilds = form.penalty_cards.data, 0 if cards else form.wilds.data
        return HandEntry(seat, cards or None, points, wilds, melded, penalty_cards=more)

    def counting(self, sheet: ScoreSheet, number: int) -> Mapping[int, str]:
        """Return whose cards can count in a hand, and when.

        An empty text is always, any other one is a condition on the form, as static/js/end.js
        reads it.
        """
        return dict.fromkeys(sheet.players, "")

    def outs(self, sheet: ScoreSheet, number: int, *, nobody: bool) -> dict[str, Any]:
        """Return who can have gone out of a hand; also nobody, if that can be or was entered.

        ``outs`` have a value, a name, and perhaps a note. ``unsure`` are the seats that may win by
        a Rummy in that hand: the hands before it are not on record yet, so only the marker knows.
        The game is won where the form meets the condition ``won``.
        """
        seats: list[tuple[str, ...]] = [(str(seat), name) for seat, name in enumerate(sheet.names)]
        if nobody or sheet.game.ends_undecided:
            seats.append(("none", _("Nobody"), _("all score")))
        return {"outs": seats, "unsure": (), "won": ""}

    def steps(self, sheet: ScoreSheet, hand: HandSheet) -> Sequence[Step]:
        """Return the steps of those whose cards can count."""
        known, ends = recorded_melds(sheet, hand), HandMarked(hand.number, -1, ())
        dealt, steps = sheet.game.dealt(hand.number, sheet.house.sheet), []
        for seat, only in self.counting(sheet, hand.number).items():
            entries = [HandEntry(seat, penalty_cards=had) for had in (False, True)]
            most, more = (most_left(hand, ends, entry) for entry in entries)
            # Few cards say nothing of a player who may have got rid of the others by lay-offs.
            is_sure = must_have_played(sheet, hand, HandEntry(seat, ""))
            steps.append(Step(seat, only, seat in known, dealt if is_sure else 1, most, more))
        return steps

    def leading(self, sheet: ScoreSheet) -> Markup:
        """Who leads or has won: ``Ana leads with 12 points.``"""
        return _leading(sheet, in_points(sheet.total(sheet.leaders()[0])))

    def result(self, sheet: ScoreSheet) -> str:
        """What the winners have when the game is over: ``12 points after 13 hands``."""
        total, hands = sheet.total(sheet.leaders()[0]), hands_played(sheet)
        return _("%(points)s after %(hands)s", points=in_points(total), hands=hands)

    def note(self, sheet: ScoreSheet, player: int) -> str:
        """What of a player beside the points decides who wins; here nothing."""
        return ""

    def lacks_turned(self, hand: HandSheet) -> bool:
        """True if a card was turned before the deal and nobody has said which."""
        return self.turns_card and hand.turned is None

    def goes_on(self, sheet: ScoreSheet, hand: HandSheet) -> str:
        """How it goes on to an upcoming hand, where that is not a new deal for all."""
        return ""


class ByDeclaring(ByCardsLeft):
    """Somebody declares, and the game goes on until one has two Rummies (IND-7)."""

    asks_out = noted("Who declared Rummy?")
    asks_out_link = noted('Who declared Rummy? <a href="#out">Say so</a>.')
    was_out = noted("<bdi>%(name)s</bdi> declared Rummy.")
    tag = noted("Rummy")
    before_deal = noted(
        "Before that a card is turned up, and lies under the stock: its rank is wild."
    )
    turns_card = endings.ByDeclaring.turns_card
    sums_upcoming = False

    def counting(self, sheet: ScoreSheet, number: int) -> Mapping[int, str]:
        """Return the cards of who still plays, if another wins."""
        winning, unsure = _winning(sheet, number)
        wanted = {
            seat: _won([one for one in winning if one != seat], unsure)
            for seat in sheet.playing_in(number)
        }
        return {seat: won for seat, won in wanted.items() if won}

    def outs(self, sheet: ScoreSheet, number: int, *, nobody: bool) -> dict[str, Any]:
        """Return who can have declared: who still played in that hand."""
        winning, unsure = _winning(sheet, number)
        options = [
            (str(seat), sheet.names[seat], _("second Rummy: wins") if seat in winning else "")
            for seat in sheet.playing_in(number)
        ]
        return {"outs": options, "unsure": unsure, "won": _won(winning, unsure)}

    def leading(self, sheet: ScoreSheet) -> Markup:
        """Who leads or has won by Rummies: ``Ana wins and is paid 124 points.``"""
        if sheet.winner is None:
            return _leading(sheet, _("a Rummy"))
        points, names = in_points(sheet.payments()[sheet.winner]), names_of(leader_names(sheet))
        return marked("%(names)s wins and is paid %(points)s.", names=names, points=points)

    def result(self, sheet: ScoreSheet) -> str:
        """What the winner has: ``Is paid 134 points``; how far it came if it was ended early."""
        if sheet.winner is None:
            return _("Ended after %(hands)s, so nobody is paid", hands=hands_played(sheet))
        return _("Is paid %(points)s", points=in_points(sheet.payments()[sheet.winner]))

    def note(self, sheet: ScoreSheet, player: int) -> str:
        """What of a player beside the points decides who wins: ``1 Rummy``, ``left``, nothing."""
        if sheet.left_in(player) is not None:
            return _("left")
        made = sheet.declared().count(player)
        return ngettext("%(number)s Rummy", "%(number)s Rummies", made) if made else ""

    def goes_on(self, sheet: ScoreSheet, hand: HandSheet) -> str:
        """How it goes on after a Rummy, but in hand 1."""
        if hand.number == 1:
            return ""
        plays_on = _(
            "Whoever declared in hand %(hand)s takes %(dealt)s new cards, the others keep theirs. "
            "The next player plays on.",
            hand=hand.number - 1,
            dealt=sheet.game.dealt(hand.number, sheet.house.sheet),
        )
        asks = noted("Was it a second Rummy, or is one player left?")
        if hand.number == 2:  # nobody can have had two in hand 1
            asks = noted("Is one player left?")
        won = noted("Then the game is won: who pays whom is worked out when all is saved.")
        return f"{plays_on} {_(asks)} {_(won)}"


class ByBoxes(ByCardsLeft):
    """Every player shows a meld for a box, and nobody goes out."""

    end_page = "save_hand/shown.html"
    sheet_parts = "sheet/_boxes.html"
    stylesheet = "boxes.css"
    thrown_in = noted("Nobody fills a box")
    in_turns = False

    def entry(self, sheet: ScoreSheet, form: PlayerForm, *, is_out: bool) -> HandEntry | None:
        """Return what is entered of a player's meld: its cards, or its box and its points.

        A suit or a split that stands beside a meld for another box is left out: it was said of
        cards that are not shown any more. Raises `NotPossible` for what cannot be read.
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
            says = noted("How many points does %(name)s's %(box)s score? Give them in digits.")
            raise NotPossible(says, f"points.{seat}", name=name, box=_(box.title))
        # People may type the minus that a box has by itself.
        score = -abs(points) if box.minus else points
        return HandEntry(seat, points=score, melded=True, box=box.title)

    def steps(self, sheet: ScoreSheet, hand: HandSheet) -> Sequence[Step]:
        """Return everyone's step: which boxes they filled in other hands, and which are open."""
        boxes, steps = sheet.game.judge.boxes, []
        for seat in sheet.players:
            filled = {
                title: _("%(box)s: filled in round %(round)s", box=_(title), round=one.hand)
                for title, one in sheet.filled_boxes(seat).items()
                if one.hand != hand.number
            }
            still = [box for box in boxes if box.title not in filled]
            titles = "|".join(filled.get(box.title, _(box.title)) for box in boxes)
            tiles = [(str(box.cards), _(box.title)) for box in still]
            steps.append(Step(seat, open=with_cards(still), titles=titles, tiles=tiles))
        return steps


_ENDINGS: Final = {
    EndsBy.CARDS_LEFT: ByCardsLeft(),
    EndsBy.DECLARING: ByDeclaring(),
    EndsBy.BOXES: ByBoxes(),
}


def ending_of(sheet: ScoreSheet) -> ByCardsLeft:
    """What the pages of a game show of how its hands end."""
    return _ENDINGS[sheet.game.ends_by]


def leading_word(sheet: ScoreSheet) -> str:
    """Return what the one in front does: ``leads``, or ``wins`` once the game is over."""
    return _("wins") if sheet.over else _("leads")


# Who leads or has won, by whether the game is over and whether they are several.
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
    """Return the seats that win by a Rummy in a hand, and those that may."""
    ahead, playing = upcoming_hands(sheet), sheet.playing_in(number)
    # In the last hand that there can be everyone has a Rummy from one of those before it.
    is_last = number in ahead and number + 1 not in ahead
    winning = [seat for seat in playing if is_last or sheet.wins(number, seat)]
    is_later = number in ahead and number > 1  # nobody has a Rummy from before hand 1
    return winning, [seat for seat in playing if seat not in winning] if is_later else []


def _won(winning: Sequence[int], unsure: Sequence[int]) -> str:
    """Return the condition on the form under which the hand wins the game."""
    sure = [f"out={','.join(map(str, winning))}"] if winning else []
    return " ".join([*sure, "second=yes"] if unsure else sure)
