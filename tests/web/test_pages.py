"""What all pages share: the look of this browser, the way back, and caching."""

import re

import pytest
from itsdangerous import TimestampSigner

from companion.notebook.events import PenaltyCharged
from companion.web.pages import way_back
from tests.web.conftest import Marker, begin, checked, text

LOOK = {"theme": "dark", "suits": "four", "text": "large"}


@pytest.mark.parametrize("who", ["marker", "stranger"])
def test_anybody_may_choose_the_look(marker, stranger, who):
    browser = {"marker": marker, "stranger": stranger}[who]
    page = browser.open("/settings")  # of a browser that chose nothing, which follows the phone
    assert 'data-theme="auto" data-suits="two" data-text="normal"' in page
    assert [checked(page, name) for name in LOOK] == [["auto"], ["two"], ["normal"]]
    # What plain HTTP lacks is explained to markers.
    note = '<p class="notice" data-insecure hidden>This address is plain HTTP.'
    assert (note in page) is (who == "marker")
    answer = browser.act("/settings", LOOK)
    assert (answer.status_code, answer.location) == (303, "/")
    # It is kept for a year, and from scripts.
    cookie = next(one for one in answer.headers.getlist("Set-Cookie") if one.startswith("look="))
    assert cookie.startswith("look=dark.four.large.seats; ")
    assert {"HttpOnly", "SameSite=Lax", "Max-Age=31536000"} <= {*cookie.split("; ")}
    assert "Secure" not in cookie
    page = browser.open("/settings")
    assert 'data-theme="dark" data-suits="four" data-text="large"' in page
    assert [checked(page, name) for name in LOOK] == [["dark"], ["four"], ["large"]]


def test_a_page_in_another_look_differs_only_in_its_first_tag(marker, game):
    """So one that is changed there is the page as it would be given (test_every_page.py)."""
    paths = ("", "/end", "/penalty", "/ruling?ask=meld", "/sheet", "/tally", "/rules", "/manage")
    places = ["/", "/people", "/phones", *(game + path for path in paths)]
    before = [marker.open(place) for place in places]
    marker.client.set_cookie("look", "auto.four.large")
    told = ('data-theme="auto" data-suits="two" data-text="normal"',)
    told += ('data-theme="auto" data-suits="four" data-text="large"',)
    assert {page.count(told[0]) for page in before} == {1}
    assert [marker.open(place) for place in places] == [page.replace(*told) for page in before]


@pytest.mark.parametrize("cookie", ["", "dark", "x.y.z", "dark." * 500, "ключ", "large.dark"])
def test_an_invalid_look_cookie_means_the_defaults(stranger, cookie):
    stranger.client.set_cookie("look", cookie)
    page = stranger.open("/")
    assert f'data-theme="{"dark" if "dark" in cookie else "auto"}"' in page
    assert f'data-text="{"large" if "large" in cookie else "normal"}"' in page


@pytest.mark.parametrize(
    ("sent", "look"),
    [
        ({}, ["light", "two", "large"]),
        (LOOK | {"suits": "five"}, ["dark", "two", "large"]),
        ({"theme": "<script>", "suits": "four", "text": ""}, ["light", "four", "large"]),
        ({"theme": "dark.four"}, ["light", "two", "large"]),
    ],
)
def test_an_invalid_choice_changes_nothing(stranger, sent, look):
    stranger.act("/settings", {"theme": "light", "suits": "two", "text": "large"})
    assert stranger.act("/settings", sent).status_code == 303
    page = stranger.open("/settings")
    assert [checked(page, name) for name in LOOK] == [[one] for one in look]


# -- the way back ---------------------------------------------------------------------------------


def test_the_settings_lead_back_to_where_they_were_opened(marker, game):
    link = f'href="/settings?back={game}/sheet"'
    assert link in marker.open(f"{game}/sheet")
    settings = f"/settings?back={game}/sheet"
    assert f'href="{game}/sheet">Back</a>' in marker.open(settings)
    assert marker.act(settings, LOOK).location == f"{game}/sheet"


def test_the_house_key_is_in_no_link(app, stranger):
    page = stranger.client.post(f"/k/{app.config['HOUSE_KEY']}").text
    assert app.config["HOUSE_KEY"] not in page


@pytest.mark.parametrize(
    ("path", "back"),
    [
        ("/rules/proter", "/rules/proter"),
        ("/games/abc/sheet", "/games/abc/sheet"),
        ("/v/abc", "/v/abc"),
        ("", "/"),
        ("games", "/"),
        ("/nothing/here", "/"),
        ("//elsewhere.example", "/"),
        ("/\\elsewhere.example", "/"),
        ("https://elsewhere.example/", "/"),
        ("javascript:alert(1)", "/"),
        ("/settings", "/"),
        ("/k/key", "/"),
        ("/static/x/app.css", "/"),
        ("/favicon.ico", "/"),
        ("/games/abc/undo", "/"),
        ("/" + "x" * 5000, "/"),
        ("/v/\r\nSet-Cookie: a=b", "/"),
        ("/v/a\x00b", "/"),
        ("/v/\x85", "/"),
    ],
)
def test_the_way_back_leads_only_to_our_pages(app, path, back):
    with app.test_request_context():
        assert way_back(path) == back


# -- a page is the same until the game changes, and never somebody else's -------------------------


WRONG_DISCARD = PenaltyCharged(1, 1, "PRO-13.2")
PAGES = ["", "/sheet"]


def tokens_of(page: str) -> set[str]:
    """Return every CSRF token of a page."""
    return {*re.findall(r'name="csrf[-_]token" (?:content|value)="([^"]+)"', page)}


def without_tokens(page: str) -> str:
    for token in tokens_of(page):
        page = page.replace(token, "…")
    return page


def test_a_reloaded_page_is_the_same(marker, game, monkeypatch):
    marker.write(game, WRONG_DISCARD)
    pages = [*PAGES, "/end", "/penalty", "/ruling?ask=meld", "/manage"]
    before = [marker.open(game + part) for part in pages]
    present = TimestampSigner.get_timestamp
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda self: present(self) + 60)
    assert [marker.open(game + part) for part in pages] == before


def test_two_phones_of_one_marker_get_tokens_of_their_own(app, marker, game):
    marker.write(game, WRONG_DISCARD)
    second = Marker(app.test_client())
    with second.client.session_transaction() as session:
        session["marker"] = marker.me
    for part in PAGES:
        theirs, mine = marker.open(game + part), second.open(game + part)
        assert without_tokens(theirs) == without_tokens(mine)
        assert not tokens_of(theirs) & tokens_of(mine)
    second.saved(game, to=f"{game}/undo")


@pytest.mark.parametrize("part", PAGES)
def test_a_cached_page_is_of_its_game_and_marker(marker, other_marker, stranger, game, part):
    other = begin(marker, ("Dee", "Ewa"))
    marker.open(game + part)
    other_marker.open(game + part, 404)
    stranger.open(game + part, 403)
    page = marker.open(other + part)
    assert "Dee" in page
    assert "Ana" not in page
    assert game.rpartition("/")[2] not in page
    marker.write(game, WRONG_DISCARD)
    page = marker.open(game + part)
    assert "Undo: 20 points to Ben (PRO-13.2)" in text(page)
    assert 'name="base" value="2"' in page


def test_a_companion_below_another_path_does_not_share_cached_pages(marker, game):
    marker.open(game)
    below = marker.client.get(game, base_url="http://localhost/companion").text
    assert f'href="/companion{game}/sheet"' in below
    assert f'href="{game}/sheet"' in marker.open(game)
