"""A notebook on several phones: transferring, listing, removing and recovering."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest
from flask import Flask

from companion.services import phones
from tests.web.conftest import Marker, begin, find, text

USED = "This code does not work"


@pytest.fixture
def second(app: Flask) -> Marker:
    """A phone that was never here."""
    return Marker(app.test_client())


def code(giver: Marker, game: str, way: str = "game") -> tuple[str, str]:
    """Return the link's path and the digits that the giver's phone shows."""
    answer = giver.act(f"{game}/transfer", {"way": way})
    assert answer.status_code == 200, answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    link = find(answer.text, r'data-copy="([^"]*)"')
    assert link.startswith("http://localhost/j/")
    return urlsplit(link).path, find(answer.text, r'<p class="typed">(\d{4} \d{4})</p>')


def taken(taker: Marker, link: str, nickname: str = "Ben") -> str:
    """Open a link and press its button; return the redirect."""
    answer = taker.saved(link, {"nickname": nickname})
    return answer.location


def handles(marker: Marker) -> dict[str, str]:
    """The addresses of the phones in the list, by name."""
    page = marker.open("/phones")
    found = re.findall(r'href="(/phones/[0-9a-f]{16})">\s*<span><b><bdi>([^<]*)', page)
    return {name: address for address, name in found}


def revoke(marker: Marker, address: str) -> int:
    return marker.act(address, to=f"{address}/revoke").status_code


# -- whose phone it is ----------------------------------------------------------------------------


def test_the_first_page_of_a_game_asks_once_who_keeps_the_score(marker, second, game):
    asks = "Which of you keeps the score?"
    name = find(marker.open(game), r'action="(/phones/[0-9a-f]{16}/name[^"]*)"')
    taken(second, code(marker, game)[0], "")
    assert asks not in second.open(game)  # whose phone that is was asked when it took the game
    later = begin(marker, ("Ana", "Ben"))
    assert asks in marker.open(later)
    marker.saved(f"{later}/penalty", {"player": "1", "rule": "PRO-13.3"})
    assert asks not in marker.open(later)
    assert marker.saved(game, {"nickname": "Ben"}, to=name).location == game
    assert asks not in marker.open(game)
    assert "Ben" in handles(marker)
    assert asks not in marker.open(begin(marker, ("Ana", "Ben")))


# -- transferring ---------------------------------------------------------------------------------


def test_a_link_makes_another_phone_a_marker_of_this_game(marker, second, stranger, game):
    other = begin(marker, ("Ida", "Jon"))
    link, _ = code(marker, game)
    for _ in range(3):  # to open it takes nothing
        page = stranger.open(link)
        assert stranger.client.head(link).status_code == 200
    for secret in ("Ana", "Chandi", game.rpartition("/")[2]):
        assert secret not in page
    assert taken(second, link) == game
    assert "Hand 1" in second.open(game)
    second.saved(f"{game}/penalty", {"player": "1", "rule": "PRO-13.3"})
    assert "20" in text(marker.open(f"{game}/sheet"))
    second.open(other, 404)
    home = second.open("/")
    assert game in home
    assert other not in home


def test_a_phone_that_loses_the_answer_gets_it_again(marker, second, game):
    link, _ = code(marker, game, "notebook-all")
    fields = second.hidden(link)
    before = second.cookie
    assert second.post(link, {"nickname": "Ben"}, **fields).status_code == 303
    second.client.set_cookie("companion", before)  # the answer never came
    assert second.post(link, {"nickname": "Ben"}, **fields).status_code == 303
    assert [*handles(second)] == ["Ben"]


def test_a_wrong_code_is_refused_and_stays_in_the_form(second):
    fields = second.hidden("/join")
    for entered in ("12345678", "", "x", "۱۲۳۴۵۶", "²", "9" * 5000, "<script>alert(1)</script>"):
        answer = second.post("/join", {"code": entered, "nickname": "<b>Ben"}, **fields)
        assert answer.status_code == 422
        assert USED in answer.text
        assert "<script>alert" not in answer.text
        assert "&lt;b&gt;Ben" in answer.text
    second.refused("/j/none", {"nickname": ""})
    answer = second.refused("/recover", {"code": '"><script>'})
    assert "letter by letter" in answer.text
    assert "<script>" not in answer.text.partition("<main")[2]


def test_a_phone_can_switch_between_its_own_notebook_and_another(marker, other_marker, game):
    own = begin(other_marker, ("Zoe", "Yan"))
    assert "The games on this phone stay" in other_marker.open("/join")
    taken(other_marker, code(marker, game)[0])
    other_marker.open(own, 404)
    for there, name in ((own, "Zoe, Yan"), (game, "Ana, Ben, Chandi")):
        switch = find(
            other_marker.open("/"), rf'action="(/notebooks/[0-9a-f]{{16}})">.*?<bdi>{name}<'
        )
        assert other_marker.saved("/", to=switch).location == "/"
        other_marker.open(there)
    token = other_marker.hidden("/join")
    assert other_marker.post("/notebooks/0123456789abcdef", **token).status_code == 404


# -- one game only --------------------------------------------------------------------------------


@pytest.fixture
def helper(marker: Marker, second: Marker, game: str) -> Marker:
    """A phone that keeps one game of the marker's notebook."""
    taken(second, code(marker, game)[0])
    return second


def test_a_marker_of_one_game_is_offered_nothing_else(helper, game):
    for part in ("", "/tally", "/manage", "/transfer", "/rules"):
        assert "Rematch" not in helper.open(game + part)
    home = helper.open("/")
    for never in ("New game", "Import a game", "/phones", "/people", "/seasons"):
        assert never not in home
        assert never not in helper.open(f"{game}/manage")
    for address in ("/games/new", "/games/import", "/phones", "/recovery-code"):
        assert "keeps one game" in helper.open(address, 403)


def test_a_marker_of_one_game_can_transfer_it_and_stop(marker, helper, stranger, game):
    for browser, ways in ((marker, ("", "game-all", "everything")), (helper, ("notebook",))):
        fields = browser.hidden(f"{game}/manage")
        for way in ways:
            assert browser.post(f"{game}/transfer", {"way": way}, **fields).status_code == 400
    link, _ = code(helper, game, "game-all")
    assert "already keeps everything" in marker.refused(link).text
    assert taken(stranger, link, "Cem") == game
    for address in ("/", game, f"{game}/sheet", "/games/new", "/phones"):
        page = helper.open(address, 403)
        assert "removed from the notebook" in page
        assert "Chandi" not in page
    stranger.open(game)


# -- the phones -----------------------------------------------------------------------------------


def test_phones_are_listed_renamed_and_removed_from_the_notebook(marker, helper, game):
    says = text(marker.open("/phones"))
    assert "Unknown device the whole notebook since" in says
    assert "this phone here" in says
    assert "Ben Unknown device · only Ana, Ben, Chandi since" in says
    assert "seen: within the hour" in says
    ben, here = handles(marker)["Ben"], handles(marker)["Unknown device"]
    for page in ("/phones", game, f"{game}/log", ben, here):
        assert marker.me not in marker.open(page)
    answer = marker.refused(ben, {"nickname": "A\x00na"}, to=f"{ben}/name")
    assert "cannot be shown" in text(answer.text)
    assert 'aria-invalid="true"' in answer.text
    marker.saved(ben, {"nickname": "<i>Cem"}, to=f"{ben}/name")
    assert "&lt;i&gt;Cem" in marker.open("/phones")
    helper.saved(f"{game}/penalty", {"player": "1", "rule": "PRO-13.3"})
    assert "&lt;i&gt;Cem" in marker.open(f"{game}/log")
    answer = marker.refused(here, to=f"{here}/revoke")
    assert "only phone that keeps the notebook" in answer.text
    stale = helper.hidden(f"{game}/penalty")
    assert revoke(marker, ben) == 303
    assert ben not in marker.open("/phones")
    answer = helper.post(f"{game}/penalty", {"player": "1", "rule": "PRO-13.3"}, **stale)
    assert answer.status_code == 403
    assert "removed from the notebook" in answer.text
    assert "removed from the notebook" in helper.open("/", 403)


def test_the_house_key_gives_a_revoked_phone_a_notebook_of_its_own(app, marker, helper, game):
    revoke(marker, handles(marker)["Ben"])
    assert helper.client.get(f"/k/{app.config['HOUSE_KEY']}").status_code == 303
    assert "Keeps the score of rummy games" in helper.open("/")
    helper.open(game, 404)


def test_the_page_says_roughly_when_a_phone_was_last_seen(app):
    told = {0: "within the hour", 2: "within a day", 30: "a day ago", 24 * 12 + 1: "12 days ago"}
    for ago, says in told.items():
        at = datetime.now(UTC) - timedelta(hours=ago)
        assert app.jinja_env.filters["when"](at) == says


# -- lost -----------------------------------------------------------------------------------------


def test_a_lost_phones_notebook_is_recovered_and_the_old_phone_removed(marker, stranger, game):
    stale = marker.hidden("/recovery-code")
    assert "Show the code" in marker.open("/recovery-code")
    page = marker.act("/recovery-code").text
    paper = find(page, r'<p class="typed long">([0-9a-z-]+)</p>')
    answer = marker.post("/recovery-code", {"replaces": ""}, **stale)
    assert answer.status_code == 409
    assert "A new recovery code was made since" in text(answer.text)
    assert 'class="typed long"' not in answer.text
    assert paper not in marker.open("/recovery-code")
    again = text(marker.open("/recovery-code"))
    assert "There is one already, made on" in again
    assert "on this phone" in again
    assert "Make a new code" in again
    answer = stranger.act("/recover", {"code": paper.replace("-", " ").upper()})
    assert (answer.status_code, answer.location) == (303, "/phones?lost=1")
    assert "Is the old phone lost?" in stranger.open(answer.location)
    stranger.open(game)
    old = f"/phones/{phones.handle_of(marker.me)}"
    assert "recovery code then stops working" in text(stranger.open(old))
    assert revoke(stranger, old) == 303
    marker.open(game, 403)
    page = text(stranger.open("/phones"))
    assert "no longer works: make a new one." in page
    assert "There is no recovery code yet." in page
    answer = marker.refused("/recover", {"code": paper})
    assert "the phone that made it is removed from the notebook" in text(answer.text)


def test_strangers_and_markers_find_their_way(marker, stranger, game):
    for address in ("/", "/settings"):
        page = stranger.open(address)
        assert 'href="/join"' in page
        assert 'href="/recover"' in page
    assert 'href="/phones"' in marker.open("/settings")
    assert f'href="{game}/transfer"' in marker.open(game)
