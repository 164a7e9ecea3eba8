"""A whole evening of each other game on a phone: setup, all hands, disputes, the printed tally."""

import csv
import io
import re
from itertools import chain
from operator import add

import pytest
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from tests.browser.conftest import Taps, ready
from tests.browser.evenings import EVENINGS, Dispute, Evening, Hand
from tests.browser.thumb import Thumb, tap_cards

pytestmark = pytest.mark.browser


class Marker(Thumb):
    """The marker's thumb on one evening."""

    def __init__(self, phone: Page, evening: Evening) -> None:
        super().__init__(phone, evening.game, evening.players)
        self.evening = evening

    def ask(self, dispute: Dispute) -> None:
        """Ask for the ruling."""
        phone = self.phone
        seat = self.evening.players.index(dispute.player)
        play = dispute.plays[0][0].partition(" ") if dispute.plays else ("swap", "", "")
        self.open(f"/ruling?ask={play[0] if dispute.alone else 'turn'}&player={seat}")
        form = phone.locator("form#ask")
        contract = form.locator("#contract")
        if contract.count() and not contract.locator("input:checked").count():
            contract.locator("label", has_text="Not yet").tap()  # of others it is on record
        if dispute.swap:
            form.locator(f"button[name=swap][value='{dispute.swap}']").tap()
        elif dispute.alone:
            if play[2]:
                form.locator("#onto label.tile").nth(int(play[2])).tap()
            tap_cards(form, dispute.plays[0][1])
            phone.locator(".actions button.wide").tap()
        else:
            for number, (button, cards) in enumerate(dispute.plays, start=1):
                tap_cards(form, cards)
                phone.locator(f"button[name=add][value='{button}']").tap()
                expect(phone.locator("ol.steps > li")).to_have_count(number)
                ready(phone)
            phone.locator(".actions button[name=rule]").tap()
        phone.wait_for_url(re.compile(r"/rulings/\d+"))
        ready(phone)

    def settle(self, dispute: Dispute) -> None:
        """Have it ruled on; what is illegal is taken back by the one button."""
        self.ask(dispute)
        word = "Illegal" if dispute.breaks else "Legal"
        expect(self.phone.locator(".verdict h1")).to_have_text(re.compile(rf"^\s*{word}\s*$"))
        broken = [dispute.breaks] if dispute.breaks else []
        expect(self.phone.locator(".verdict a.ruleno")).to_have_text(broken)
        expect(self.phone.locator(".rulewords a.ruleno")).to_have_text(broken)
        in_hand = self.evening.game in ("Pay Me", "Three Thirteen")  # melds stay there, uncharged
        if dispute.breaks and not in_hand:
            self.phone.locator(".actions .danger").tap()
            self.settled()

    def mark(self, hand: Hand) -> None:
        """End the open hand from its page and save it."""
        phone, taps = self.phone, Taps()
        taps(self.bar("End the hand"))
        ready(phone)
        ways = {"cards": hand.by_cards, "points": not hand.by_cards}
        way = next(way for way, is_it in ways.items() if is_it)
        switched = not phone.locator(f"input[name=by][value={way}]").is_checked()
        if switched:
            taps(phone.locator(".seg label", has_text=way.capitalize()))
        if hand.bent:
            taps(phone.locator("label.switch", has_text="Bent the table"))
        taps(phone.locator("#out label.tile", has_text=hand.out or "Nobody"))
        # In Pay Me the melds of who went out are asked first; here nobody gives them.
        melds = self.evening.game == "Pay Me" and hand.by_cards
        if melds:
            expect(phone.locator(f"fieldset[data-step='{hand.out}']")).to_be_visible()
            taps(phone.locator("[data-steps-nav] button", has_text="Next"))
        for number, (name, left) in enumerate(hand.left.items()):
            step = self.step(name)
            if isinstance(left, int):
                step.locator("input[name^=points]").fill(str(left))
                continue
            if number:
                taps(phone.locator("[data-steps-nav] button", has_text="Next"))
            expect(step).to_be_visible()
            tap_cards(step, left, taps)
        taps(self.bar("Save"))
        self.settled()
        # By points four; by cards as well, with one for each card and each player after the second.
        cards = sum(len(str(left).split()) for left in hand.left.values())
        by_cards = cards + len(hand.left) - 1 if hand.by_cards else 0
        assert taps.count == by_cards + 3 + switched + hand.bent + melds

    def undone_and_saved_again(self) -> None:
        """Undo the hand; its form comes back as it was, and is saved once more."""
        heading = self.phone.locator("h1").inner_text()
        self.undo()
        expect(self.phone.locator("h1")).not_to_have_text(heading)
        ready(self.phone)
        self.open("/end")
        expect(self.phone.locator("main")).to_contain_text("saved before it was undone")
        self.bar("Save").tap()
        self.settled()
        expect(self.phone.locator("h1")).to_have_text(heading)

    def correct(self) -> None:
        """A player of hand 1 had other cards; what was entered first stays readable."""
        phone, name = self.phone, self.evening.corrected
        self.past("Hand 1")
        phone.locator(".chips .chip", has_text=name).tap()
        for card in self.evening.wrong.split():
            self.step(name).locator(f"label.c:has(input[value='{card}'])").first.tap()
        self.bar("Save").tap()
        self.settled()
        seat = self.evening.players.index(name)
        first = self.evening.hands[0].points[seat]
        expect(phone.locator(f"#player-{seat} del")).to_contain_text(str(first))

    def points(self) -> list[tuple[int, ...]]:
        """Every player's points of every hand that was marked, from the downloaded sheet."""
        answer = self.phone.request.get(f"{self.game}/tally.csv")
        assert answer.ok
        rows = list(csv.reader(io.StringIO(answer.text().removeprefix("\ufeff"))))
        at = [rows[0].index(name) for name in self.evening.players]
        return [
            tuple(int(row[n]) for n in at)
            for row in rows[1 : len(self.evening.hands) + 1]
            if row[at[0]]
        ]


# They are kept by the same pages as the others; those of Pay Me are Three Thirteen's.
LONG = ("Carioca", "Contract Rummy", "Pay Me")


@pytest.mark.parametrize(
    "evening",
    [
        pytest.param(one, id=one.game, marks=[pytest.mark.exhaustive] * (one.game in LONG))
        for one in EVENINGS
    ],
)
def test_an_evening(phone, server, evening):
    marker = Marker(phone, evening)
    marker.set_up(server)
    hands = evening.hands
    for number, hand in enumerate(hands, start=1):
        expect(phone.locator("h1")).to_have_text(f"Hand {number} of {len(hands)}")
        for name in hand.called:
            marker.charge(name, "KAL-4")
        if number == evening.disputed:
            for dispute in evening.disputes:
                marker.settle(dispute)
            marker.open()
        marker.mark(hand)
        if number == 2:
            marker.undone_and_saved_again()
            columns = zip(hands[0].points, hands[1].points, strict=True)
            sums = [first + second for first, second in columns]
            assert marker.totals() == dict(zip(evening.players, sums, strict=True))
            marker.open()
    assert marker.points() == [hand.points for hand in hands]
    marker.correct()
    assert marker.totals() == evening.final
    the_tally(marker)
    marker.play_again(server)


def the_tally(marker: Marker) -> None:
    """Standings on the screen; on paper every hand's points, the totals, and the rulings."""
    phone, evening = marker.phone, marker.evening
    marker.open("/tally")
    rows = phone.locator("table.standings tbody tr")
    assert tuple(rows.locator("th bdi").all_inner_texts()) == evening.standings
    totals = [str(evening.final[name]) for name in evening.standings]
    assert rows.locator("td b").all_inner_texts() == totals
    paper = PdfReader(io.BytesIO(phone.pdf(format="A4", prefer_css_page_size=True)))
    first, *others = (" ".join(page.extract_text().split()) for page in paper.pages)
    uncharged = re.sub(r"▲ ?\d+|\(\w+\)", "", first)  # penalties, and the rank that is wild
    seat = evening.players.index(evening.corrected)
    totals_so_far = [0 for _ in evening.players]
    for number, hand in enumerate(evening.hands, start=1):
        points = list(hand.points)
        if number == 1:
            points[seat] = evening.instead
        totals_so_far = list(map(add, totals_so_far, points))
        both = chain.from_iterable(zip(points, totals_so_far, strict=True))
        cells = r"\D+".join(str(one) for one in (number, *both))
        assert re.search(rf"\b{cells}\b", uncharged), (f"hand {number}", uncharged)
    sums = " ".join(str(evening.final[name]) for name in evening.players)
    assert f"Total {sums}" in first
    broken = {dispute.breaks for dispute in evening.disputes if dispute.breaks}
    assert broken <= set(re.findall(r"[A-Z]{3}-\d+", " ".join(others)))
