"""What the pages show for each way in which a hand can end: cards left, declaring, boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from companion.notebook import endings
from companion.notebook.cards_left import most_left
from companion.notebook.describe import in_points
from companion.notebook.events import HandEntry, HandMarked, NotPossible
from companion.notebook.hand_marks import recorded_melds
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.game import EndsBy
from companion.rules.language import gettext as _, ngettext, noted
from companion.services.tally import hands_played
from companion.web.actions import upcoming_hands
from companion.web.templating import leader_names, marked, names_of, with_cards


class Outs(NamedTuple):
    """Who can have gone out of a hand: a value, a name, and perhaps a note each.

    The game is won where the form meets the condition ``won``. ``unsure`` are the seats that may
    win by a Rummy in that hand: the hands before it are not on record yet, so only the marker
    knows.
    """

    options: Sequence[tuple[str, ...]]
    unsure: Sequence[int] = ()
    won: str = ""


class Step(NamedTuple):
    """The step of the form in which a player's cards left are entered; ``only`` says when.

    ``known`` says that the record answers whether a meld was laid. The player can be left with
    ``most`` cards, or ``more`` with penalty cards; None means no limit.
    """

    seat: int
    only: str
    known: bool
    most: int | None
    more: int | None


class BoxStep(NamedTuple):
    """The step of a player's meld: tiles of the boxes open to them, and the ``titles`` of all."""

    seat: int
    open: Markup
    titles: str
    boxes: Sequence[tuple[str, str]]


Answers = {"yes": True, "no": False}
_BOTH: Final = "There are cards and points for %(name)s. Clear one of them."


class ByCardsLeft:
    """Somebody goes out, and the cards left of the others count."""

    # The page of a hand's end; macros of the score sheet, beside totals and in the tally.
    end_page = "end/form.html"
    sheet_parts = "sheet/_hands.html"
    stylesheet = ""
    # Words; the tag is what going out is called, if not that.
    asks_out = noted("Who went out?")
    asks_out_link = noted('Who went out? <a href="#out">Say so</a>, or that nobody did.')
    was_out = noted("<bdi>%(name)s</bdi> went out.")
    tag = ""
    thrown_in = noted("Nobody scores the cards left")
    before_deal = ""
    lacks_out = noted("Say who went out, or that nobody did.")
    # Who leads or has won, by whether the game is over and whether they are several.
    leads: Mapping[tuple[bool, bool], str] = {
        (False, False): noted("%(names)s leads with %(points)s."),
        (False, True): noted("%(names)s lead with %(points)s."),
        (True, False): noted("%(names)s wins with %(points)s."),
        (True, True): noted("%(names)s share the win with %(points)s."),
    }
    paid = ""
    # Whether a card is turned up before the deal, whether people play in turns until one goes out,
    # and whether sums can be made of an upcoming hand.
    turns_card = False
    in_turns = True
    sums_upcoming = True

    def entry(self, form: Any, holder: Any, name: str, *, is_out: bool) -> HandEntry | None:
        """Return what is entered for a player; None if that is nothing.

        Blank is missing, and never zero. Raises `NotPossible` for what cannot be read.
        """
        seat, points, wilds = holder.seat, holder.points, holder.wilds.data
        # The cards of who went out of an arranged hand are melds: none is left.
        cards = "" if form.arranges and is_out else " ".join(holder.cards.data)
        if points.data is None and points.entered:
            says = noted("“%(entered)s” is not a number of points. Give %(name)s's in digits.")
            raise NotPossible(says, f"points.{seat}", entered=points.entered, name=name)
        if points.data is not None and points.data < 0:
            raise NotPossible("%(name)s's points cannot be below 0.", f"points.{seat}", name=name)
        if wilds is None:
            says = noted(
                "How many wild cards are in %(name)s's points? Give the number, 0 for none."
            )
            raise NotPossible(says, f"wilds.{seat}", name=name)
        if cards and points.data is not None:
            raise NotPossible(_BOTH, f"points.{seat}", name=name)
        if not cards and points.data is None:
            return None
        melded, otherwise = Answers.get(holder.melded.data), holder.otherwise.data
        if form.arranges and cards:
            # A card that is not among those held any more was taken back, and cannot be left.
            still = Counter(holder.cards.data) & Counter(holder.kept.data)
            left = " ".join(still.elements()) if otherwise and holder.chosen.data else None
            said = holder.laid_as.data
            return HandEntry(
                seat, left, melded=melded, held=cards, otherwise=otherwise, laid_as=said
            )
        more, wilds = holder.penalty_cards.data, 0 if cards else wilds
        return HandEntry(seat, cards or None, points.data, wilds, melded, penalty_cards=more)

    def counting(self, sheet: ScoreSheet, number: int) -> Mapping[int, str]:
        """Return whose cards can count in a hand, and when.

        An empty text is always, any other one is a condition on the form, as static/js/end.js
        reads it.
        """
        return dict.fromkeys(sheet.players, "")

    def outs(self, sheet: ScoreSheet, number: int, *, nobody: bool) -> Outs:
        """Return who can have gone out of a hand; also nobody, if that can be or was entered."""
        seats = [(str(seat), name) for seat, name in enumerate(sheet.names)]
        is_offered = nobody or sheet.game.ends_undecided
        return Outs([*seats, *([("none", _("Nobody"), _("all score"))] if is_offered else [])])

    def steps(self, sheet: ScoreSheet, hand: HandSheet) -> Sequence[Step | BoxStep]:
        """Return the steps of those whose cards can count."""
        known, counting = recorded_melds(sheet, hand), self.counting(sheet, hand.number)
        return [
            Step(seat, only, seat in known, *_most(hand, seat)) for seat, only in counting.items()
        ]

    def leading(self, sheet: ScoreSheet) -> Markup:
        """Who leads or has won: ``Ana leads with 12 points.``"""
        paid, leaders = sheet.payments(), sheet.leaders()
        says = self.paid if paid else self.leads[sheet.over, len(leaders) > 1]
        points = in_points(paid[leaders[0]] if paid else sheet.total(leaders[0]))
        return marked(says, names=names_of(leader_names(sheet)), points=points)

    def result(self, sheet: ScoreSheet) -> str:
        """What the winners have when the game is over: ``12 points after 13 hands``."""
        total, hands = sheet.total(sheet.leaders()[0]), hands_played(sheet)
        return _("%(points)s after %(hands)s", points=in_points(total), hands=hands)

    def behind(self, points: int) -> str:
        """How far a player is behind the leader, with so many points more or fewer."""
        return _("%(points)s behind", points=points) if points else ""

    def note(self, sheet: ScoreSheet, player: int) -> str:
        """What of a player beside the points decides who wins; here nothing."""
        return ""

    def lacks_turned(self, hand: HandSheet) -> bool:
        """True if a card was turned before the deal and nobody has said which."""
        return self.turns_card and hand.turned is None

    def has_wild_rank(self, sheet: ScoreSheet) -> bool:
        """True if one rank is wild in a hand, by its number or by the card turned up."""
        return self.turns_card or sheet.game.wild_rank(1) is not None

    def says_melded(self, sheet: ScoreSheet, hand: HandSheet, player: int) -> str:
        """Say whether a player laid a meld in a hand, if its marks depend on it."""
        if hand.marking is None or not endings.ending_of(sheet).asks_melded(hand):
            return ""
        return _("Laid a meld.") if hand.marking.melded(player) else _("Laid no meld.")

    def goes_on(self, sheet: ScoreSheet, hand: HandSheet) -> str:
        """How it goes on to an upcoming hand, where that is not a new deal for all."""
        return ""

    def known_upcoming(self, sheet: ScoreSheet, endpoint: str) -> tuple[object, ...]:
        """What a page of an upcoming hand shows of the record."""
        return ()


class ByDeclaring(ByCardsLeft):
    """Somebody declares, and the game goes on until one has two Rummies (IND-7)."""

    asks_out = noted("Who declared Rummy?")
    asks_out_link = noted('Who declared Rummy? <a href="#out">Say so</a>.')
    was_out = noted("<bdi>%(name)s</bdi> declared Rummy.")
    tag = noted("Rummy")
    before_deal = noted(
        "Before that a card is turned up, and lies under the stock: its rank is wild."
    )
    lacks_out = noted("Say who declared Rummy.")
    leads: Mapping[tuple[bool, bool], str] = {
        (False, False): noted("%(names)s leads with a Rummy."),
        (False, True): noted("%(names)s lead with a Rummy."),
        (True, False): noted("%(names)s wins with a Rummy."),
        (True, True): noted("%(names)s share the win with a Rummy."),
    }
    paid = noted("%(names)s wins and is paid %(points)s.")
    turns_card = True
    sums_upcoming = False

    def counting(self, sheet: ScoreSheet, number: int) -> Mapping[int, str]:
        """Return the cards of who still plays, if another wins."""
        winning, unsure = _winning(sheet, number)
        wanted = {
            seat: _won([one for one in winning if one != seat], unsure) for seat in sheet.playing
        }
        return {seat: won for seat, won in wanted.items() if won}

    def outs(self, sheet: ScoreSheet, number: int, *, nobody: bool) -> Outs:
        """Return who can have declared: who still plays."""
        winning, unsure = _winning(sheet, number)
        options = [
            (str(seat), sheet.names[seat], _("second Rummy: wins") if seat in winning else "")
            for seat in sheet.playing
        ]
        return Outs(options, unsure, _won(winning, unsure))

    def result(self, sheet: ScoreSheet) -> str:
        """What the winner has: ``Is paid 134 points``; how far it came if it was ended early."""
        if sheet.winner is None:
            return _("Ended after %(hands)s, so nobody is paid", hands=hands_played(sheet))
        return _("Is paid %(points)s", points=in_points(sheet.payments()[sheet.leaders()[0]]))

    def behind(self, points: int) -> str:
        """Nothing: Rummies decide who leads."""
        return ""

    def note(self, sheet: ScoreSheet, player: int) -> str:
        """What of a player beside the points decides who wins: ``1 Rummy``, ``left``, nothing."""
        if sheet.left_in(player) is not None:
            return _("left")
        made = sheet.declared().count(player)
        return ngettext("%(number)s Rummy", "%(number)s Rummies", made) if made else ""

    def goes_on(self, sheet: ScoreSheet, hand: HandSheet) -> str:
        """How it goes on after a Rummy, but in hand 1. The Rummy of that hand wins nothing."""
        if hand.number == 1:
            return ""
        plays_on = _(
            "Whoever declared in hand %(hand)s takes %(dealt)s new cards, the others keep theirs. "
            "The next player plays on.",
            hand=hand.number - 1,
            dealt=sheet.game.dealt(hand.number, sheet.house.sheet),
        )
        won = noted(
            "Is one player left? Then the game is won: "
            "who pays whom is worked out when all is saved."
        )
        if hand.number > 2:
            won = noted(
                "Was it a second Rummy, or is one player left? Then the game is won: "
                "who pays whom is worked out when all is saved."
            )
        return f"{plays_on} {_(won)}"

    def known_upcoming(self, sheet: ScoreSheet, endpoint: str) -> tuple[object, ...]:
        """What a page of an upcoming hand shows of the record: the card, who plays."""
        turned = None if endpoint == "penalties.form" else sheet.hand.turned
        playing = () if endpoint == "hand.show" else sheet.playing
        made = sorted(sheet.declared()) if endpoint == "end.form" else ()
        return turned, playing, made


class ByBoxes(ByCardsLeft):
    """Every player shows a meld for a box, and nobody goes out."""

    end_page = "end/shown.html"
    sheet_parts = "sheet/_boxes.html"
    stylesheet = "boxes.css"
    thrown_in = noted("Nobody fills a box")
    in_turns = False

    def entry(self, form: Any, holder: Any, name: str, *, is_out: bool) -> HandEntry | None:
        """Return what is entered of a player's meld: its cards, or its box and its points.

        A suit or a split that stands beside a meld for another box is left out: it was said of
        cards that are not shown any more. Raises `NotPossible` for what cannot be read.
        """
        boxes, seat = form.sheet.game.judge.boxes, holder.seat
        cards, points, entered = holder.cards.data, holder.points.data, holder.points.entered
        if cards and entered:
            raise NotPossible(_BOTH, f"points.{seat}", name=name)
        if cards:
            asks = next((box.asks for box in boxes if box.cards == len(cards)), "")
            suit = holder.suit.data if asks == "suit" else ""
            split = (holder.split.data or None) if asks == "split" else None
            return HandEntry(seat, " ".join(cards), melded=True, suit=suit, split=split)
        if not (entered or holder.box.data):
            return None
        box = next((box for box in boxes if str(box.cards) == holder.box.data), None)
        if box is None:
            raise NotPossible("Which box does %(name)s fill? Tap it.", f"box.{seat}", name=name)
        if points is None:
            says = noted("How many points does %(name)s's %(box)s score? Give them in digits.")
            says = _(says, name=name, box=_(box.title))
            if entered:
                wrong = _("“%(entered)s” is not a number of points.", entered=entered)
                says = f"{wrong} {says}"
            raise NotPossible(says, f"points.{seat}")
        # People may type the minus that a box has by itself.
        score = -abs(points) if box.minus else points
        return HandEntry(seat, points=score, melded=True, box=box.title)

    def steps(self, sheet: ScoreSheet, hand: HandSheet) -> Sequence[Step | BoxStep]:
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
            steps.append(BoxStep(seat, with_cards(still), titles, tiles))
        return steps


_ENDINGS: Final = {
    EndsBy.CARDS_LEFT: ByCardsLeft(),
    EndsBy.DECLARING: ByDeclaring(),
    EndsBy.BOXES: ByBoxes(),
}


def ending_of(sheet: ScoreSheet) -> ByCardsLeft:
    """What the pages of a game show of how its hands end."""
    return _ENDINGS[sheet.game.ends_by]


def _winning(sheet: ScoreSheet, number: int) -> tuple[list[int], list[int]]:
    """Return the seats that win by a Rummy in a hand, and those that may."""
    ahead, playing = upcoming_hands(sheet), sheet.playing
    # In the last hand that there can be everyone has a Rummy from one of those before it.
    is_last = number in ahead and number + 1 not in ahead
    winning = [seat for seat in playing if is_last or sheet.wins(number, seat)]
    is_later = number in ahead and number > 1  # nobody has a Rummy from before hand 1
    return winning, [seat for seat in playing if seat not in winning] if is_later else []


def _won(winning: Sequence[int], unsure: Sequence[int]) -> str:
    """How the form is if the hand wins the game, by who declared or by what the marker says."""
    sure = [f"out={','.join(map(str, winning))}"] if winning else []
    return " ".join([*sure, "second=yes"] if unsure else sure)


def _most(hand: HandSheet, seat: int) -> tuple[int | None, int | None]:
    """Return the most cards a player can be left with when another is out, by the record alone.

    The second number is with penalty cards. None means no limit.
    """
    ends = HandMarked(hand.number, -1, ())
    most, more = (
        most_left(hand, ends, HandEntry(seat, penalty_cards=had)) for had in (False, True)
    )
    return most, more
