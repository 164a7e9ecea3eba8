"""A whole evening of Proter on a phone: setup, 13 hands, disputes, penalties, the printed tally."""

import io
import re

import pytest
from playwright.sync_api import expect
from pypdf import PdfReader

from tests.browser.conftest import ready
from tests.browser.evening_of_proter import (
    CORRECTED,
    FINAL,
    HANDS,
    PLAYERS,
    RUNNING,
    STANDINGS,
)
from tests.browser.evenings import Hand
from tests.browser.thumb import Thumb, tap_cards

pytestmark = pytest.mark.browser


class Marker(Thumb):
    """The marker's thumb on one game."""

    def charge_what_is_wrong(self) -> None:
        """Change a house rule at setup."""
        phone = self.phone
        phone.locator("summary", has_text="Rule sheet and house rules").tap()
        phone.locator("summary", has_text="A wrong meld, lay-off or swap").tap()
        choices = phone.locator("#rule-wrong_meld label.tile")
        choices.filter(has_text="It costs a penalty").last.tap()

    def touched(self, name: str) -> None:
        """Charge a player for touching the stock."""
        self.open()
        self.charge(name, "PRO-13.3")

    def undo(self) -> None:
        """Take the last act back by the button that is always there."""
        super().undo()
        self.settled()

    def ruling(
        self, kind: str, player: str, cards: str, *, before: bool = False, on_empty: bool = False
    ) -> None:
        """Ask whether a player's meld or discard is legal.

        ``before``: the player had melded in that turn; ``on_empty``: the pile was empty.
        """
        self.open(f"/ruling?ask={kind}&player={PLAYERS.index(player)}")
        form = self.phone.locator("form#ask")
        if kind == "discard":
            form.locator(f"button.c[value='{cards}']").tap()
            if on_empty:
                self.phone.get_by_role("button", name="The pile was empty").tap()
        else:
            tap_cards(form, cards)
            self.phone.locator(".actions button").tap()
            if before:
                self.phone.get_by_role("button", name="Yes", exact=True).tap()
        self.phone.wait_for_url(re.compile(r"/rulings/\d+"))
        ready(self.phone)

    def verdict(self, word: str, rule: str = "") -> None:
        """What the page rules."""
        expect(self.phone.locator(".verdict h1")).to_contain_text(word)
        if rule:
            expect(self.phone.locator(".verdict a.ruleno").first).to_have_text(rule)

    def carry_out(self) -> None:
        """The one button: charge it and take the turn back."""
        self.phone.locator(".actions .danger").tap()
        self.settled()

    def mark(self, hand: Hand, *, reload: bool = False) -> None:
        """End the open hand and save it."""
        phone = self.phone
        self.open()
        self.bar("End the hand").tap()
        ready(phone)
        phone.locator(".seg label", has_text="Cards" if hand.by_cards else "Points").tap()
        who = "Nobody" if hand.out is None else hand.out
        if not hand.out_melded:
            phone.locator("label.switch", has_text="Went out without").tap()
        phone.locator("#out label.tile", has_text=who).tap()
        for number, name in enumerate(hand.left):
            self.enter(name, hand)
            if reload and number == 1:
                phone.reload()
                ready(phone)
        self.save()

    def enter(self, name: str, hand: Hand) -> None:
        """One player's cards or points."""
        step, left = self.step(name), hand.left[name]
        if not step.is_visible():
            self.phone.locator(".chips .chip", has_text=name).tap()
        expect(step).to_be_visible()
        if isinstance(left, str):
            tap_cards(step, left)
        else:
            step.locator("input[name^=points]").fill(str(left))
            if name in hand.wilds:
                step.locator("select[name^=wilds]").select_option(str(hand.wilds[name]))
        if name in hand.melded:
            step.locator(".pair label", has_text="Yes" if hand.melded[name] else "No").tap()

    def points(self) -> list[tuple[int, ...]]:
        """Every player's points of every hand, from the downloaded sheet."""
        answer = self.phone.request.get(f"{self.game}/tally.csv")
        assert answer.ok
        rows = [row.split(",") for row in answer.text().splitlines()[1 : len(HANDS) + 1]]
        return [tuple(map(int, row[4:9])) for row in rows]

    def totals_of_hand(self) -> dict[str, int]:
        """Everyone's total, from the page of the open hand, once the numbers have moved there."""
        rows = self.phone.locator(".totals li")
        for cell in rows.locator("[data-total]").all():
            expect(cell).to_have_text(cell.get_attribute("data-total") or "")
        cells = rows.locator("[data-total]").all_inner_texts()
        return dict(zip(rows.locator("bdi").all_inner_texts(), map(int, cells), strict=True))


@pytest.mark.parametrize(
    "motion", ["reduce", pytest.param("no-preference", marks=pytest.mark.exhaustive)]
)
def test_an_evening(phone, server, motion):
    phone.emulate_media(reduced_motion=motion)
    marker = Marker(phone, "Proter", PLAYERS)
    marker.set_up(server, marker.charge_what_is_wrong)
    before = {
        3: lambda: lost_to_pro_9(marker),
        4: lambda: thrown_in(marker),
        6: lambda: lost_to_pro_11(marker),
        8: lambda: one_won_one_lost(marker),
        9: lambda: charged_by_mistake(marker),
    }
    for number, (hand, running) in enumerate(zip(HANDS, RUNNING, strict=True), start=1):
        for name in hand.touched:
            marker.touched(name)
        before.get(number, lambda: None)()
        marker.mark(hand, reload=number == 2)
        if number < len(HANDS):
            totals = dict(zip(PLAYERS, running, strict=True))
            assert marker.totals_of_hand() == totals, f"after hand {number}"
    assert marker.points() == [hand.points for hand in HANDS]
    assert marker.totals() == dict(zip(PLAYERS, RUNNING[-1], strict=True))
    correct_hand_one(marker)
    assert marker.totals() == FINAL
    the_tally(marker)


def lost_to_pro_9(marker: Marker) -> None:
    """Hand 3: with a Proter standing for the 6♣, Chandi melds sixes with the real 6♣."""
    marker.ruling("meld", "Ana", "5C 3H 7C", before=True)
    marker.verdict("Legal")
    marker.ruling("meld", "Chandi", "6C 6D 6H")
    marker.verdict("Illegal", "PRO-9")
    marker.carry_out()


def thrown_in(marker: Marker) -> None:
    """Hand 4: thrown in once; the same dealer deals it again."""
    marker.open()
    dealer = marker.phone.locator("dl.turns dd").first.inner_text()
    marker.open("/end")
    marker.phone.get_by_role("link", name="Thrown in, dealt again").tap()
    ready(marker.phone)
    marker.bar("Throw it in, deal again").tap()
    marker.settled()
    marker.open()
    expect(marker.phone.locator("h1")).to_contain_text("Hand 4")
    expect(marker.phone.locator("dl.turns dd").first).to_have_text(dealer)


def lost_to_pro_11(marker: Marker) -> None:
    """Hand 6: Ana discards the 9♦; Ben puts the 9♣ on it."""
    marker.ruling("discard", "Ana", "9D", on_empty=True)
    marker.verdict("Legal")
    marker.ruling("discard", "Ben", "9C")
    marker.verdict("Illegal", "PRO-11")
    marker.carry_out()


def one_won_one_lost(marker: Marker) -> None:
    """Hand 8: Esha's jacks stand; Chandi's 4♦ 5♦ 7♦ are no run and cost 20 here (PRO-13.6)."""
    marker.ruling("meld", "Esha", "JS JD JH")
    marker.verdict("Legal")
    marker.ruling("meld", "Chandi", "4D 5D 7D")
    marker.verdict("Illegal", "PRO-5")
    marker.carry_out()


def charged_by_mistake(marker: Marker) -> None:
    """Hand 9: a penalty for Esha, undone at once."""
    marker.touched("Esha")
    marker.undo()


def correct_hand_one(marker: Marker) -> None:
    """The 2♣ of hand 1 was not Dilani's; what was entered first stays readable."""
    phone = marker.phone
    marker.open("/sheet")
    phone.locator("table.sheet tbody tr").first.locator("td a").nth(3).tap()
    ready(phone)
    phone.get_by_role("link", name=re.compile("Correct")).first.tap()
    ready(phone)
    phone.locator(".chips .chip", has_text="Dilani").tap()
    assert CORRECTED == "9S 9D"
    tap_cards(marker.step("Dilani"), "2C")
    marker.save()
    marker.open("/hands/1")
    expect(phone.locator("main")).to_contain_text("2♣")


def the_tally(marker: Marker) -> None:
    """Standings, and one page of paper with all of it but the rulings."""
    phone = marker.phone
    marker.open("/tally")
    assert tuple(phone.locator("table.standings tbody th bdi").all_inner_texts()) == STANDINGS
    paper = PdfReader(io.BytesIO(phone.pdf(format="A4", prefer_css_page_size=True)))
    assert len(paper.pages) == 2
    first = paper.pages[0].extract_text()
    for name, total in FINAL.items():
        assert name in first
        assert str(total) in first
    assert "PRO-9" in paper.pages[1].extract_text()
