"""Viewers see the sheet and the tally of one game, and nothing else."""

import re
from urllib.parse import urlsplit

import pytest

from companion.notebook.events import HandEntry, HandMarked, PenaltyCharged
from companion.services import game_log
from tests.services.seven_at_table import TOTALS, whole_game
from tests.web.conftest import Marker, begin, find, read_in, text, totals_on, value, viewers_link

LOOK = ("", "/hands/1", "/tally", "/result.svg", "/live", "/screen", "/screen/live")
PICTURE = "/standings.png"


@pytest.fixture
def played(marker: Marker, game: str) -> str:
    """A game with a marked hand, a penalty, and thus something to undo."""
    entries = (HandEntry(1, "KC", melded=True), HandEntry(2, "QC", melded=True))
    marker.write(game, HandMarked(1, 0, entries, True, False))
    marker.write(game, PenaltyCharged(2, 1, "PRO-13.3"))
    return game


@pytest.fixture
def viewed(marker: Marker, played: str) -> str:
    """The address of that game for viewers."""
    return viewers_link(marker, played)


# -- their pages ----------------------------------------------------------------------------------


def test_the_sheet_shows_the_hand_the_leader_the_news_and_everyones_points(stranger, viewed):
    page = stranger.open(viewed)
    said = text(page)
    assert "Hand 2 of 13" in said
    assert "leads with 0 points" in said
    assert "Deals Ben" in said
    assert "Plays first Chandi" in said
    assert page.count("<tr>") == 1 + 13 + 1
    assert totals_on(page) == [0, 33, 12]  # 13 + 20 for Ben
    # 13 for Ben's king and 12 for Chandi's queen, and 20 in the second hand.
    assert "1. Ana 0 2. Chandi 12 3. Ben +20 in this hand, included 33 +20 Ben: Touched" in said
    assert "Hand 1: Ana out. Ben +13, Chandi +12." in said
    assert page.index('class="totals') < page.index('class="news') < page.index("<thead>")
    # Every number links to its explanation.
    # Ana went out in hand 1 and Chandi's 12 are of it, Ben's last 20 of hand 2.
    standings = page.partition('aria-label="Standings"')[2].partition("</ol>")[0]
    assert re.findall(r'href="([^"]+)"', standings) == [
        f"{viewed}/hands/1#player-0",
        f"{viewed}/hands/1#player-2",
        f"{viewed}/hands/2#player-1",
    ]
    sheet = page.partition("<tbody>")[2].partition("</tbody>")[0]
    assert f'href="{viewed}/hands/1#player-1"' in sheet
    hand = stranger.open(f"{viewed}/hands/1")
    assert "Ana went out" in text(hand)
    assert "Ben 13 points" in text(hand)  # a king, PRO-14
    assert "Chandi 12 points" in text(hand)
    assert "PRO-13.3" in text(stranger.open(f"{viewed}/hands/2"))
    # It leads to the other hands and to the sheet.
    links = re.findall(r'<a class="btn[^>]*href="([^"]+)"', hand)
    assert links == [viewed, f"{viewed}/hands/2"]


def test_nobody_has_a_place_before_the_first_mark_or_charge(marker, stranger):
    game = begin(marker)
    viewed = viewers_link(marker, game)
    pages = [viewed, f"{viewed}/screen", f"{viewed}/tally"]
    for address in pages:
        assert not re.search(r"\b1[.=]? (, shared )?Ana", text(stranger.open(address)))
    marker.write(game, PenaltyCharged(1, 1, "PRO-13.3"))
    assert "1. Ana 0 1. Chandi 0 3. Ben +20" in text(stranger.open(viewed))
    assert "1. Ana 0 1. Chandi 0 3. Ben 20" in text(stranger.open(pages[1]))
    assert "1 = , shared Ana 0" in text(stranger.open(pages[2]))


def test_viewers_see_the_contract_of_the_open_hand(marker, stranger, carioca):
    viewed = viewers_link(marker, carioca)
    for page in (viewed, f"{viewed}/screen"):
        assert "Contract 2 trios" in text(stranger.open(page))  # CAR-3


def test_the_tally_is_the_markers_without_the_downloads(marker, stranger, played, viewed):
    page = stranger.open(f"{viewed}/tally")
    theirs = page.partition("<article")[2].partition("</article>")[0]
    marks = marker.open(f"{played}/tally").partition("<article")[2].partition("</article>")[0]
    assert text(theirs) == text(marks)
    assert "Spreadsheet" not in page
    assert "data-print data-scripted" in page


# -- live updates ---------------------------------------------------------------------------------


def asks(page: str) -> dict[str, str]:
    """Return the sheet's address and trigger for polling."""
    return dict(re.findall(r'([\w-]+)="([^"]*)"', find(page, r'<div id="live"([^>]*)>')))


def test_the_screen_and_the_sheet_follow_the_game_also_if_another_server_saves(
    marker, stranger, played, viewed, monkeypatch
):
    page = stranger.open(f"{viewed}/screen")
    assert "Hand 2 of 13 Proter 2 Deals Ben" in text(page)
    assert text(page).strip().endswith("1. Ana 0 2. Chandi 12 3. Ben 33")  # 13 + 20 for Ben
    again = asks(page)
    assert again["hx-trigger"] == "every 2s, look"
    assert stranger.client.get(again["hx-get"]).status_code == 204
    sheet = asks(stranger.open(viewed))["hx-get"]
    with monkeypatch.context() as other:  # what a server remembers, it remembers alone
        other.setattr(game_log, "_CACHE", {})
        marker.write(played, PenaltyCharged(2, 2, "PRO-13.1"))
    part = stranger.open(again["hx-get"])
    assert part.startswith('<div id="live"')
    assert text(part).strip().endswith("1. Ana 0 2. Chandi 32 3. Ben 33")
    part = stranger.open(sheet)  # each has a part of its own
    assert totals_on(part) == totals_on(stranger.open(viewed)) == [0, 33, 32]
    nothing_new = stranger.client.get(asks(part)["hx-get"])
    assert (nothing_new.status_code, nothing_new.data) == (204, b"")
    # A question that makes no sense is answered with the sheet.
    for since in ("", "0", "-1", "99999999999999999999", "x", "1.0", "²", "%00"):
        assert stranger.open(f"{viewed}/live?since={since}").startswith('<div id="live"')
    assert stranger.open(f"{viewed}/live").startswith('<div id="live"')


def test_a_finished_game_names_the_winner_and_links_to_the_next_game(marker, stranger):
    game = read_in(marker, whole_game())
    old = viewers_link(marker, game)
    page = stranger.open(old)
    assert "Final score" in page
    assert "wins with 152 points" in text(page)
    assert totals_on(page) == [*TOTALS]
    assert "The next game has begun" not in page
    again = asks(page)
    assert again["hx-trigger"] == "every 15s, look"
    assert stranger.client.get(again["hx-get"]).status_code == 204
    screen = asks(stranger.open(f"{old}/screen"))["hx-get"]
    begun = marker.act(f"{game}/again").location
    new = viewers_link(marker, begun)
    led = f'The next game has begun. <a class="btn" href="{new}">'
    assert led in stranger.open(again["hx-get"])
    assert stranger.client.get(f"{old}/screen").location == f"{new}/screen"
    assert stranger.client.get(screen).headers["HX-Redirect"] == f"{new}/screen"
    marker.saved(f"{begun}/delete")
    assert "The next game has begun" not in stranger.open(old)


# -- what viewers cannot do -----------------------------------------------------------------------

WRITES_OR_LEADS_ON = ("<form", "<input", "csrf", "/games/", "/settings", "data-last-key", "Undo")


def test_a_page_for_viewers_writes_nothing_and_leads_nowhere_else(stranger, played, viewed):
    for part in LOOK:
        answer = stranger.client.get(viewed + part)
        assert answer.status_code == 200
        assert "Set-Cookie" not in answer.headers
        for never in (*WRITES_OR_LEADS_ON, played.rpartition("/")[2]):
            assert never not in answer.text, part
        links = {
            re.sub(r"[?#].*", "", one)
            for one in re.findall(r'(?:href|hx-get|action)="([^"#][^"]*)"', answer.text)
        }
        leads_to = {one for one in links if not one.startswith("/static/")}
        assert leads_to <= {viewed, *(viewed + part for part in (*LOOK, "/hands/2"))}


def test_messages_for_a_markers_next_page_are_not_shown_to_viewers(marker, played, viewed):
    marker.saved(f"{played}/manage", to=f"{played}/archive")
    page = marker.open(viewed)
    assert "archive" not in page
    assert "notice good" not in page
    for never in WRITES_OR_LEADS_ON:
        assert never not in page


def test_a_wrong_key_shows_nothing(app, stranger, played, viewed):
    key = viewed.removeprefix("/v/")
    wrong = [
        *(key[:-1], key + "A", key[::-1], key.swapcase(), f"{key}%20", f"%20{key}", f"{key}%00"),
        *("A" * 22, "A" * 5000, "%ff", "%F0%9F%8E%B4", "..", "*", "%25"),
        *(played.rpartition("/")[2], app.config["HOUSE_KEY"], app.config["SECRET_KEY"]),
    ]
    app.config["RATE_LIMITS"] = False
    for one in wrong:
        for part in LOOK if one == key[:-1] else ("", "/live"):
            answer = stranger.client.get(f"/v/{one}{part}")
            assert answer.status_code == 404, one
            assert "Set-Cookie" not in answer.headers
            assert "Chandi" not in answer.text
            assert "Ask whoever keeps the score" in answer.text
    part = stranger.open("/v/none/live", 404)
    assert part.startswith('<div id="live">')
    assert "data-live" not in part


# -- the code -------------------------------------------------------------------------------------


def test_the_code_page_shows_the_address_as_a_picture_and_as_text(marker, stranger, played):
    page = marker.open(f"{played}/code")
    assert re.search(r'<img src="data:image/svg\+xml[^"]+" alt="[^"]+"', page)
    found = re.search(r'<a href="(http://localhost/v/[\w-]{22})">(?P<text>[^<]+)</a>', page)
    assert found is not None
    assert found["text"] == found[1]
    stranger.open(urlsplit(found[1]).path)
    for able in ("data-share", "data-copy"):
        assert re.search(rf'<button[^>]* {able}="{re.escape(found[1])}"[^>]* hidden>', page)


@pytest.mark.parametrize(
    ("host", "warned"),
    [("localhost:8000", True), ("127.0.0.1:8000", True), ("192.168.1.5:8000", False)],
)
def test_an_address_that_only_this_machine_can_open_is_warned_of(marker, played, host, warned):
    me = marker.me
    with marker.client.session_transaction(base_url=f"http://{host}") as session:
        session["marker"] = me
    page = marker.client.get(f"{played}/code", base_url=f"http://{host}").text
    assert f"http://{host}/v/" in page
    assert ("Other phones cannot open this address" in page) is warned


def test_a_host_that_is_too_long_for_a_code_is_refused(marker, played):
    host, me = "a." * 2000 + "example", marker.me
    with marker.client.session_transaction(base_url=f"http://{host}") as session:
        session["marker"] = me
    answer = marker.client.get(f"{played}/code", base_url=f"http://{host}")
    assert answer.status_code == 400
    assert answer.text.startswith("The companion is not at this address.")


# -- another link ---------------------------------------------------------------------------------


def test_a_link_that_was_changed_is_like_an_unknown_one(marker, stranger, played, viewed):
    other = begin(marker, ("Ida", "Jon"))
    theirs = viewers_link(marker, other)
    again = asks(stranger.open(viewed))["hx-get"]
    before = marker.open(f"{played}/game.json"), text(marker.open("/"))
    old = value(marker.open(f"{played}/code"), "old")
    assert re.fullmatch("[0-9a-f]{64}", old)
    answer = marker.act(f"{played}/code", {"old": old})
    assert (answer.status_code, answer.location) == (303, f"{played}/code")
    assert "The link is changed." in text(marker.open(f"{played}/code"))
    newer = viewers_link(marker, played)
    assert newer != viewed
    unknown = stranger.open("/v/none", 404), stranger.open("/v/none/live", 404)
    assert (stranger.open(viewed, 404), stranger.open(again, 404)) == unknown
    for part in (*LOOK, PICTURE):
        assert stranger.client.get(viewed + part).status_code == 404
        assert stranger.client.get(newer + part).status_code == 200
        assert stranger.client.get(theirs + part).status_code == 200
    # Nothing was written in the game, and nothing of the list has changed.
    assert (marker.open(f"{played}/game.json"), text(marker.open("/"))) == before
