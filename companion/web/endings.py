"""What the pages show for each way in which a hand can end: cards left, declaring, boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from flask import Flask

from companion.notebook import endings
from companion.notebook.cards_left import most_left
from companion.notebook.describe import hands_of, in_points
from companion.notebook.events import HandEntry, HandMarked
from companion.notebook.hand_marks import recorded_melds
from companion.notebook.hand_sheet import HandSheet
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import JOKER, PACK, SUITS, Card
from companion.rules.game import EndsBy
from companion.rules.hand_rules import MeldBox
from companion.rules.judge import Judge
from companion.rules.language import gettext as _
from companion.rules.language import ngettext, noted
from companion.web.actions import upcoming_hands
from companion.web.end_form import DeclaredForm, EndForm, MeldsForm
from companion.web.rulings.facts import TURNED_RANKS


class ByCardsLeft:
    """Somebody goes out, and the cards left of the others count."""

    form: ClassVar[type[EndForm]] = EndForm
    # The page of a hand's end, what the marks come to on it, and the page of a hand that is over.
    end_page = "end/form.html"
    sums = "end/_sums.html"
    hand_page = "sheet/hand.html"
    # The score sheet, and what stands beside totals and in the tally: macros of one file.
    sheet_parts = "sheet/_hands.html"
    stylesheet = ""
    # Words.
    step = noted("Out")
    asks_out = noted("Who went out?")
    asks_out_link = noted('Who went out? <a href="#out">Say so</a>, or that nobody did.')
    out = noted("went out")
    was_out = noted("<bdi>%(name)s</bdi> went out.")
    tag = ""
    tally_key = noted("out: went out")
    thrown_in = noted("Nobody scores the cards left")
    # What is said of the card that is turned up, where the rank of one is wild.
    before_deal = ""
    under_number = ""
    in_brackets: tuple[str, ...] = ()
    # Whether a card is turned up before the deal, whether a player plays first, and whether sums
    # can be made of an upcoming hand.
    turns_card = False
    plays_first = True
    sums_upcoming = True

    def parts(self, sheet: ScoreSheet, hand: HandSheet) -> dict[str, Any]:
        """What the form for cards left shows: their values, which are wild, and where some lie."""
        rules, table = hand.rules, hand.board.table
        tagged = dict.fromkeys((card.text for card in table.pile), _("pile")) | {
            laid.card.text: _("table") for meld in table.melds for laid in meld.cards
        }
        return {
            "melds_known": recorded_melds(sheet, hand),
            "most": [_most(hand, seat) for seat in sheet.players],
            "values": {card.text: rules.value(card) for card in cards_of(rules)},
            "wild": "".join(rank.text for rank in rules.limits.wild_ranks),
            "wilds": [(str(number), number) for number in range(4 * sheet.deck.packs + 1)],
            "counts_wilds": bool(rules.wild_left_points()),
            "asks_meld": endings.ending_of(sheet).asks_melded(hand),
            "penalty_cards": rules.penalty_cards,
            "penalty": rules.wild_left_points(),
            "out_no_meld": _out_no_meld(sheet, rules),
            "tagged": tagged,
        }

    def outs(self, sheet: ScoreSheet, number: int) -> dict[str, Any]:
        """Return who can have gone out, whose cards are entered then, and which hand comes next.

        ``steps`` says when the cards of a player count: None is always, any other text is a
        condition on the form, as static/js/steps.js reads it. ``unsure`` are the seats that may win
        by a Rummy in that hand: the hands before it are not on record yet, so only the marker
        knows. ``goes_on`` is the next hand, if there can be one; there is none while the form meets
        the condition ``won``.
        """
        seats = [(str(seat), name) for seat, name in enumerate(sheet.names)]
        return {
            "outs": [*seats, ("none", _("Nobody"), _("all score"))],
            "steps": dict.fromkeys(sheet.players),
            "unsure": [],
            "won": "",
            "goes_on": _next_hand(sheet, number),
        }

    def lead(self, sheet: ScoreSheet) -> str:
        """What the leaders have: ``with 12 points``."""
        return _("with %(points)s", points=in_points(sheet.total(sheet.leaders()[0])))

    def result(self, sheet: ScoreSheet) -> str:
        """What the winners have when the game is over: ``12 points after 13 hands``."""
        total, hands = sheet.total(sheet.leaders()[0]), hands_of(sheet.game, sheet.game.hands)
        return _("%(points)s after %(hands)s", points=in_points(total), hands=hands)

    def note(self, sheet: ScoreSheet, player: int) -> str:
        """What of a player beside the points decides who wins; here nothing."""
        return ""

    def lacks_turned(self, hand: HandSheet) -> bool:
        """True if a card was turned before the deal and nobody has said which."""
        return self.turns_card and hand.turned is None

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

    form = DeclaredForm
    step = noted("Rummy")
    asks_out = noted("Who declared Rummy?")
    asks_out_link = noted('Who declared Rummy? <a href="#out">Say so</a>.')
    out = noted("Rummy")
    was_out = noted("<bdi>%(name)s</bdi> declared Rummy.")
    tag = noted("Rummy")
    tally_key = ""
    before_deal = noted(
        "Before that a card is turned up, and lies under the stock: its rank is wild."
    )
    under_number = noted("Under a hand's number is the card turned up.")
    in_brackets = (noted("In brackets the card turned up"),)
    turns_card = True
    sums_upcoming = False

    def outs(self, sheet: ScoreSheet, number: int) -> dict[str, Any]:
        """The same: only who still plays can have declared, and only who wins has cards counted."""
        ahead = upcoming_hands(sheet)
        goes_on = _next_hand(sheet, number)
        playing = sheet.playing
        is_later = number in ahead and number > 1  # nobody has a Rummy from before hand 1
        # In the last hand that there can be everyone has a Rummy from one of those before it.
        is_last = number in ahead and goes_on is None
        winning = [seat for seat in playing if is_last or sheet.wins(number, seat)]
        unsure = [seat for seat in playing if seat not in winning] if is_later else []
        outs = [
            (str(seat), sheet.names[seat], _("second Rummy: wins") if seat in winning else "")
            for seat in playing
        ]
        wanted = {seat: _won([one for one in winning if one != seat], unsure) for seat in playing}
        return {
            "outs": outs,
            "steps": {seat: won for seat, won in wanted.items() if won},
            "unsure": unsure,
            "won": _won(winning, unsure),
            "goes_on": goes_on,
        }

    def parts(self, sheet: ScoreSheet, hand: HandSheet) -> dict[str, Any]:
        """The same, and which cards can have been turned up."""
        is_upcoming = hand.number in upcoming_hands(sheet)
        unsaid = _("As it was entered before") if is_upcoming else _("Not said yet")
        ranks = [(rank.text, rank.word.capitalize()) for rank in TURNED_RANKS]
        is_known = hand.turned is not None
        options = ranks if is_known else [("", unsaid), *ranks]
        return super().parts(sheet, hand) | {"turned_options": options}

    def lead(self, sheet: ScoreSheet) -> str:
        """What the leaders have: ``with a Rummy``, ``and is paid 134 points``."""
        paid = sheet.payments()
        if not paid:
            return _("with a Rummy")
        return _("and is paid %(points)s", points=in_points(paid[sheet.leaders()[0]]))

    def result(self, sheet: ScoreSheet) -> str:
        """What the winner has: ``Is paid 134 points``."""
        return _("Is paid %(points)s", points=in_points(sheet.payments()[sheet.leaders()[0]]))

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
        dealt = sheet.game.dealt(hand.number, sheet.house.sheet)
        plays_on = _(
            "Who declared in hand %(hand)s takes %(dealt)s new cards, the others keep theirs. "
            "The next player plays on.",
            hand=hand.number - 1,
            dealt=dealt,
        )
        won = _(
            "Is one player left? Then the game is won: "
            "who pays whom is worked out when all is saved."
        )
        if hand.number > 2:
            won = _(
                "Was it a second Rummy, or is one player left? Then the game is won: "
                "who pays whom is worked out when all is saved."
            )
        return f"{plays_on} {won}"

    def known_upcoming(self, sheet: ScoreSheet, endpoint: str) -> tuple[object, ...]:
        """What a page of an upcoming hand shows of the record: the card, who plays."""
        turned = None if endpoint == "penalties.form" else sheet.hand.turned
        playing = () if endpoint == "hand.show" else sheet.playing
        made = sorted(sheet.declared()) if endpoint == "end.form" else ()
        return turned, playing, made


@dataclass(frozen=True, slots=True)
class BoxesOf:
    """The boxes of a player as a hand's end shows them: those not filled in any other hand.

    ``titles`` are those of all boxes, as static/js/end.js reads them; ``options`` the tiles.
    """

    open: tuple[MeldBox, ...]
    titles: str
    options: tuple[tuple[str, str], ...]


class ByBoxes(ByCardsLeft):
    """Every player shows a meld for a box, and nobody goes out."""

    form = MeldsForm
    end_page = "end/shown.html"
    sums = "end/_boxes.html"
    hand_page = "sheet/shown.html"
    sheet_parts = "sheet/_boxes.html"
    stylesheet = "boxes.css"
    tally_key = ""
    thrown_in = noted("Nobody fills a box")
    plays_first = False

    def parts(self, sheet: ScoreSheet, hand: HandSheet) -> dict[str, Any]:
        """What the form for melds shows: in which other hand each player has filled which box."""
        return {
            "asks_meld": False,
            "boxes_of": [_boxes_of(sheet, hand, player) for player in sheet.players],
            "suits": [(suit.text, f"{suit.shown}\ufe0e", suit.word) for suit in SUITS],
        }


_ENDINGS: Final = {
    EndsBy.CARDS_LEFT: ByCardsLeft(),
    EndsBy.DECLARING: ByDeclaring(),
    EndsBy.BOXES: ByBoxes(),
}


def ending_of(sheet: ScoreSheet) -> ByCardsLeft:
    """What the pages of a game show of how its hands end."""
    return _ENDINGS[sheet.game.ends_by]


def _next_hand(sheet: ScoreSheet, number: int) -> int | None:
    return number + 1 if number + 1 in upcoming_hands(sheet) else None


def _won(winning: Sequence[int], unsure: Sequence[int]) -> str:
    """How the form is if the hand wins the game, by who declared or by what the marker says."""
    sure = [f"out={','.join(map(str, winning))}"] if winning else []
    return " ".join([*sure, "second=yes"] if unsure else sure)


def _out_no_meld(sheet: ScoreSheet, rules: Judge) -> str:
    """Return what the switch for a winner without a meld says; empty where none pays for it."""
    penalty = rules.wild_left_points()
    pays = sheet.house.get("winner_pays_no_meld") == "yes" and penalty
    return _("Went out without a meld: %(penalty)s", penalty=penalty) if pays else ""


def _boxes_of(sheet: ScoreSheet, hand: HandSheet, player: int) -> BoxesOf:
    filled = {
        title: _("%(box)s: filled in round %(round)s", box=_(title), round=one.hand)
        for title, one in sheet.filled_boxes(player).items()
        if one.hand != hand.number
    }
    boxes = sheet.game.judge.boxes
    still_open = tuple(box for box in boxes if box.title not in filled)
    return BoxesOf(
        still_open,
        "|".join(filled.get(box.title, _(box.title)) for box in boxes),
        tuple((str(box.cards), _(box.title)) for box in still_open),
    )


def _most(hand: HandSheet, seat: int) -> tuple[int | None, int | None]:
    """Return the most cards a player can be left with when another is out, by the record alone.

    The second number is with penalty cards. None means no limit.
    """
    ends = HandMarked(hand.number, -1, ())
    most, more = (
        most_left(hand, ends, HandEntry(seat, penalty_cards=had)) for had in (False, True)
    )
    return most, more


def cards_of(rules: Judge) -> list[Card]:
    """The cards of the game, each once; the printed joker is the last if there are any."""
    return [*PACK, *([JOKER] if rules.deck.jokers else [])]


def payment_lines(sheet: ScoreSheet) -> list[tuple[str, int]]:
    """Everyone who pays, with what, in the order of the standings; empty unless somebody has won.

    The winner receives the sum of it.
    """
    paid = sheet.payments()
    order = [standing.player for standing in sheet.standings()]
    return [(sheet.names[player], -paid[player]) for player in order if paid and paid[player] < 0]


def init_app(app: Flask) -> None:
    """Give the templates these words."""
    app.jinja_env.globals |= {"ending_of": ending_of, "payment_lines": payment_lines}
