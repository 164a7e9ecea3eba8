"""A whole evening of Indian Chief on a phone: setup, seven rounds, a correction, the tally."""

import csv
import io
import re

import pytest
from playwright.sync_api import expect
from pypdf import PdfReader

from tests.browser.conftest import ready
from tests.browser.evenings import Evening
from tests.browser.test_evenings import Marker
from tests.browser.thumb import tap_cards

pytestmark = pytest.mark.browser

PLAYERS = ("Ana", "Ben", "Cem")
CLUBS = 0  # the first of the suits that a Doctor can name
# What Ana, Ben and Cem show in each round, and what it scores: CHI-3 and CHI-4, by hand.
ROUNDS = (
    # Thief 7; Lawyer 10 + 9 + 5 + 1 = 25; Poor Man 2 + 9 + 10
    (("7C", 7), ("KD 9D 5D AD", 25), ("2S 9S KS", 21)),
    # Beggar Man: two fives in the others' melds; Rich Man 1 + 2 + 3 + 4 + 5; Thief 5
    (("5C 5D", 4), ("AC 2C 3D 4H 5H", -15), ("5S", 5)),
    # Poor Man 4 + 8; Doctor: three clubs, the A♥ is heart and ace; Beggar Man: 3♣ 3♥ K♣
    (("3C 4S 8S", 12), ("AH 3H 6D 8C JC KC", 30), ("3D KH", 6)),
    # Lawyer 10 + 9 + 5 + 1; Poor Man 1 + 10 + 7; Rich Man 2 + 2 + 2 + 3 + 4
    (("TC 9H 5H AC", 25), ("AS QS 7S", 18), ("2C 2D 2H 3S 4D", -13)),
    # Rich Man 4 + 2; Thief 10; Lawyer 9 + 9 + 5 + 3 = 26, which is not 25
    (("AC AD AH AS 2C", -6), ("KD", 10), ("9C 9D 5C 3D", 0)),
    # Doctor: four clubs; fives full of kings 35 and 9 + 9 is 8; a Doctor without an ace
    (("AH 2C 5C 7C 9C JD", 40), ("KC KD 5H 5S 5D 9D 9H", 43), ("3C 4C 6D 8H TD QS", 0)),
    # Straight flush 45 and 4 + 5; Beggar Man: J♠ J♥; straight flush to the ace 45 and 10 + 8 is 8
    (("2H 3H 4H 5H 6H 4C 5C", 54), ("JC JD", 4), ("AS KS QS JS TS JH 8D", 53)),
)
NAMED = {(3, "Ben"), (6, "Ana"), (6, "Cem")}  # Doctors, who name clubs
TOTALS = {
    "Ana": 7 + 4 + 12 + 25 - 6 + 40 + 54,
    "Ben": 25 - 15 + 30 + 18 + 10 + 43 + 4,
    "Cem": 21 + 5 + 6 - 13 + 0 + 0 + 53,
}
# Then it shows that Cem's Lawyer of round 5 had the 2♦ and not the 3♦: 9 + 9 + 5 + 2 = 25.
FINAL = TOTALS | {"Cem": TOTALS["Cem"] + 25}
OF_BOXES = {
    "Thief": [7, 10, 5],
    "Beggar Man": [4, 4, 6],
    "Poor Man": [12, 18, 21],
    "Lawyer": [25, 25, 25],
    "Rich Man": [-6, -15, -13],
    "Doctor": [40, 30, 0],
    "Indian Chief": [54, 43, 53],
}
EVENING = Evening("Indian Chief", PLAYERS, (), 0, (), "Cem", "3D 2D", 25, FINAL, PLAYERS)


def show(marker: Marker, number: int) -> None:
    """Tap in what everyone shows in a round, and save it."""
    phone = marker.phone
    marker.bar("End the round").tap()
    ready(phone)
    for seat, (name, (cards, _)) in enumerate(zip(PLAYERS, ROUNDS[number - 1], strict=True)):
        if seat:
            phone.locator("[data-steps-nav] button", has_text="Next").tap()
        step = phone.locator(f"fieldset[data-step='{name}']")
        expect(step).to_be_visible()
        tap_cards(step, cards)
        if (number, name) in NAMED:
            phone.locator(f"#suit-{seat} label").nth(CLUBS).tap()
    marker.bar("Save").tap()
    marker.settled()


def test_an_evening_of_indian_chief(phone, server):
    marker = Marker(phone, EVENING)
    marker.set_up(server)
    for number in range(1, len(ROUNDS) + 1):
        expect(phone.locator("h1")).to_have_text(f"Round {number} of 7")
        show(marker, number)
        if number == 2:
            marker.undone_and_saved_again()
            assert marker.totals() == {"Ana": 7 + 4, "Ben": 25 - 15, "Cem": 21 + 5}
            marker.open()
    expect(phone.locator(".won h1")).to_have_text("Ana wins")
    assert marker.totals() == TOTALS
    corrected(marker)
    assert marker.totals() == FINAL
    on_paper(marker)
    marker.play_again(server)


def corrected(marker: Marker) -> None:
    """Cem's Lawyer of round 5 had another card."""
    phone = marker.phone
    marker.past("Round 5")
    phone.locator(".chips .chip", has_text="Cem").tap()
    tap_cards(phone.locator("fieldset[data-step='Cem']"), EVENING.wrong)
    marker.bar("Save").tap()
    marker.settled()
    expect(phone.locator("h1")).to_have_text("Round 5 of 7")


def on_paper(marker: Marker) -> None:
    """The standings, what every box has, and the totals on one sheet."""
    phone = marker.phone
    answer = phone.request.get(f"{marker.game}/tally.csv")
    rows = [row for row in csv.reader(io.StringIO(answer.text())) if row]
    at = next(n for n, row in enumerate(rows) if row[0] == "Box") + 1
    boxes = {row[0]: [int(points) for points in row[4:]] for row in rows[at : at + len(OF_BOXES)]}
    assert boxes == OF_BOXES
    marker.open("/tally")
    standings = phone.locator("table.standings tbody tr")
    assert tuple(standings.locator("th bdi").all_inner_texts()) == PLAYERS
    totals = [str(FINAL[name]) for name in PLAYERS]
    assert standings.locator("td b").all_inner_texts() == totals
    for title, points in OF_BOXES.items():
        row = phone.locator("table.boxes tbody tr", has=phone.get_by_text(title))
        assert row.locator("td b").all_inner_texts() == [
            str(one).replace("-", "−") for one in points
        ], title
    paper = PdfReader(io.BytesIO(phone.pdf(format="A4", prefer_css_page_size=True)))
    first = " ".join(paper.pages[0].extract_text().split())
    assert all(title in first for title in OF_BOXES)
    assert re.search(r"136\D+115\D+97", first)
    assert "Corrected after marking: round 5" in first
