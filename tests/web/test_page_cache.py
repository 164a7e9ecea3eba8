"""A page is the same until the game changes, and never somebody else's."""

import re

import pytest
from itsdangerous import TimestampSigner

from companion.notebook.events import PenaltyCharged
from tests.web.conftest import HIDDEN, Marker, begin, write

WRONG_DISCARD = PenaltyCharged(1, 1, "PRO-13.2")
PAGES = ["", "/sheet"]


def tokens_of(page: str) -> set[str]:
    """Every token against forged forms that a page carries."""
    meta = re.findall(r'name="csrf-token" content="([^"]+)"', page)
    return {*meta, *(value for name, value in HIDDEN.findall(page) if name == "csrf_token")}


def without_tokens(page: str) -> str:
    for token in tokens_of(page):
        page = page.replace(token, "…")
    return page


def test_a_page_asked_for_again_is_the_same(app, marker, game, monkeypatch):
    write(app, marker, game, WRONG_DISCARD)
    pages = [*PAGES, "/end", "/penalty", "/ruling?ask=meld", "/manage"]
    before = [marker.open(game + part) for part in pages]
    present = TimestampSigner.get_timestamp
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda self: present(self) + 60)
    assert [marker.open(game + part) for part in pages] == before


def test_two_phones_of_one_marker_get_tokens_of_their_own(app, marker, game):
    write(app, marker, game, WRONG_DISCARD)
    second = Marker(app.test_client())
    with marker.client.session_transaction() as session:
        marker_id = session["marker"]
    with second.client.session_transaction() as session:
        session["marker"] = marker_id
    for part in PAGES:
        theirs, mine = marker.open(game + part), second.open(game + part)
        assert without_tokens(theirs) == without_tokens(mine)
        assert not tokens_of(theirs) & tokens_of(mine)
    second.saved(game, to=f"{game}/undo")


@pytest.mark.parametrize("part", PAGES)
def test_a_kept_page_follows_its_game_and_is_kept_from_others(
    app, marker, other_marker, stranger, game, part
):
    other = begin(marker, ("Dee", "Ewa"))
    marker.open(game + part)
    other_marker.open(game + part, 404)
    stranger.open(game + part, 403)
    page = marker.open(other + part)
    assert "Dee" in page
    assert "Ana" not in page
    assert game.rpartition("/")[2] not in page
    write(app, marker, game, WRONG_DISCARD)
    page = marker.open(game + part)
    assert "Undo: 20 points to Ben (PRO-13.2)" in page
    assert 'name="base" value="2"' in page
    marker.open(game + part)
    marker.saved(game + part, to=f"{game}/undo")
    assert "Undone: 20 points to Ben (PRO-13.2)." in marker.open(game)


def test_a_companion_below_another_address_is_not_mixed_with_this_one(marker, game):
    marker.open(game)
    below = marker.client.get(game, base_url="http://localhost/companion").text
    assert f'href="/companion{game}/sheet"' in below
    assert f'href="{game}/sheet"' in marker.open(game)
