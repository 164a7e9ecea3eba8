"""An evening of each kind of game on a phone: setup, hands, disputes, a correction, the tally."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Taps, ready
from tests.browser.evenings import (
    INDIAN_CHIEF,
    KALOOKI,
    PROTER,
    THREE_THIRTEEN,
    Dispute,
    Evening,
    Hand,
)
from tests.browser.offline import tap_in
from tests.browser.sending import listed, send
from tests.browser.thumb import Thumb, tap_cards

pytestmark = pytest.mark.browser


class Marker(Thumb):
    """The marker's thumb on one evening."""

    def __init__(self, phone: Page, evening: Evening) -> None:
        super().__init__(phone, evening.game, evening.players)
        self.evening = evening

    def choose_rules(self) -> None:
        """In Proter, choose a house rule at setup."""
        if self.evening is not PROTER:
            return
        phone = self.phone
        phone.locator("summary", has_text="Rule sheet and house rules").tap()
        phone.locator("summary", has_text="A wrong meld, lay-off or swap").tap()
        choices = phone.locator("#rule-wrong_meld label.tile")
        choices.filter(has_text="It costs a penalty").last.tap()

    def throw_in(self) -> None:
        """The same dealer deals the hand again."""
        phone = self.phone
        dealer = phone.locator("dl.turns dd").first.inner_text()
        self.bar("End the hand").tap()
        phone.get_by_role("link", name="Thrown in, dealt again").tap()
        ready(phone)
        self.bar("Throw it in, deal again").tap()
        self.settled()
        expect(phone.locator("dl.turns dd").first).to_have_text(dealer)

    def ask(self, dispute: Dispute) -> None:
        phone = self.phone
        seat = self.evening.players.index(dispute.player)
        kind, _, onto = dispute.plays[0][0].partition(" ") if dispute.plays else ("swap", "", "")
        self.open(f"/ruling?ask={kind if dispute.alone else 'turn'}&player={seat}")
        form = phone.locator("form#ask")
        contract = form.locator("#contract")
        if contract.count() and not contract.locator("input:checked").count():
            contract.locator("label", has_text="Not yet").tap()  # of others it is on record
        if dispute.swap:
            form.locator(f"button[name=swap][value='{dispute.swap}']").tap()
        elif not dispute.alone:
            for number, (button, cards) in enumerate(dispute.plays, start=1):
                tap_cards(form, cards)
                phone.locator(f"button[name=add][value='{button}']").tap()
                expect(phone.locator("ol.steps > li")).to_have_count(number)
                ready(phone)
            phone.locator(".actions button[name=rule]").tap()
        elif kind == "discard":
            form.locator(f"button.c[value='{dispute.plays[0][1]}']").tap()
        else:
            if onto:
                form.locator("#onto label.tile").nth(int(onto)).tap()
            tap_cards(form, dispute.plays[0][1])
            phone.locator(".actions button.wide").tap()
        if dispute.says:
            phone.get_by_role("button", name=dispute.says, exact=True).tap()
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
        in_hand = self.evening is THREE_THIRTEEN  # melds stay there, uncharged
        if dispute.breaks and not in_hand:
            self.phone.locator(".actions .danger").tap()
            self.settled()

    def mark(self, hand: Hand) -> None:
        """End the open hand from its page and save it."""
        phone, taps = self.phone, Taps()
        taps(self.bar(f"End the {self.evening.hand.lower()}"))
        ready(phone)
        way = "cards" if hand.by_cards else "points"
        switched = not phone.locator(f"input[name=by][value={way}]").is_checked()
        if switched:
            taps(phone.locator(".seg label", has_text=way.capitalize()))
        for switch in ("bending the table",) * hand.bent + ("Went out without",) * hand.unmelded:
            taps(phone.locator("label.switch", has_text=switch))
        if hand.out != "":
            taps(phone.locator("#out label.tile", has_text=hand.out or "Nobody"))
        for name in hand.left:
            self.enter(hand, name, taps)
        rest = phone.locator(".actions .save-rest")  # it is open who has melded: they all have
        taps(rest if rest.is_visible() else self.bar("Save"))
        self.settled()
        # By points four; by cards as well, with one for each card and each player after the second.
        cards = sum(len(str(left).split()) for left in hand.left.values())
        by_cards = cards + len(hand.left) - 1 if hand.by_cards else 0
        answers = switched + hand.bent + hand.unmelded + len(hand.suits)
        assert taps.count <= by_cards + 3 + answers + len(hand.melded)

    def enter(self, hand: Hand, name: str, taps: Taps) -> None:
        """One player's cards or points."""
        step, left = self.step(name), hand.left[name]
        if isinstance(left, int):
            step.locator("input[name^=points]").fill(str(left))
            if name in hand.wilds:
                step.locator("select[name^=wilds]").select_option(str(hand.wilds[name]))
            return
        if not step.is_visible():
            taps(self.phone.locator("[data-steps-nav] button", has_text="Next"))
        expect(step).to_be_visible()
        tap_cards(step, left, taps)
        if name in hand.suits:
            taps(step.locator(f"label:has(input[value='{hand.suits[name]}'])").last)
        if name in hand.melded:
            taps(step.locator(".pair label", has_text="Yes" if hand.melded[name] else "No"))

    def send(self, hand: Hand) -> None:
        """End the open hand without tapping it in."""
        seats = {name: seat for seat, name in enumerate(self.players)}
        way = "cards" if hand.by_cards else "points"
        fields = [("by", way), *(("bent", "1"),) * hand.bent]
        fields.append(("out", "none" if hand.out is None else str(seats.get(hand.out, ""))))
        for name, left in hand.left.items():
            fields += listed(f"{way}-{seats[name]}", str(left))
        fields += [(f"suit-{seats[name]}", suit) for name, suit in hand.suits.items()]
        fields += [(f"melded-{seats[name]}", "yes") for name, is_so in hand.melded.items() if is_so]
        fields.append(("rest", "melded"))
        send(self.phone, f"{self.game}/end", fields)

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
        """A player had other cards in a hand; what was entered first stays readable."""
        phone, (number, name) = self.phone, self.evening.corrected
        self.past(f"{self.evening.hand} {number}")
        tap_in(phone, name, self.evening.wrong)
        self.bar("Save").tap()
        self.settled()
        seat = self.players.index(name)
        first = self.evening.hands[number - 1].points[seat]
        expect(phone.locator(f"#player-{seat} del")).to_contain_text(str(first))


@pytest.mark.parametrize(
    "evening", [PROTER, INDIAN_CHIEF, KALOOKI, THREE_THIRTEEN], ids=lambda evening: evening.game
)
def test_an_evening(phone, server, evening):
    """The first hand that ends in a way of its own is tapped in, the others are sent."""
    marker = Marker(phone, evening)
    marker.set_up(server, marker.choose_rules)
    hands, shown = evening.hands, set()
    for number, hand in enumerate(hands, start=1):
        disputes = evening.disputes.get(number, ())
        if hand.charged or hand.thrown_in or disputes or hand.way not in shown:
            marker.open()
            expect(phone.locator("h1")).to_contain_text(f"{evening.hand} {number} of {len(hands)}")
        for name, rule in hand.charged:
            marker.charge(name, rule)
        for dispute in disputes:
            marker.settle(dispute)
            marker.open()
        if hand.thrown_in:
            marker.throw_in()
        (marker.send if hand.way in shown else marker.mark)(hand)
        shown.add(hand.way)
        if number == 2:
            marker.open()
            marker.undone_and_saved_again()
            assert marker.totals() == evening.totals(2)
    assert marker.totals() == evening.totals(len(hands))
    marker.correct()
    assert marker.totals() == evening.final
    marker.open("/tally")
    standings = phone.locator("table.standings tbody th bdi")
    assert tuple(standings.all_inner_texts()) == evening.standings
    marker.play_again(server)
