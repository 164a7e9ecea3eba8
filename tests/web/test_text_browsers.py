"""Pages without scripts and styles, as a text browser shows them: hidden words too."""

import re

import pytest

from tests.web.conftest import text

PAGES = (
    "{game}",
    "{game}/end",
    "{game}/penalty",
    "{game}/ruling?ask=meld",
    "{game}/ruling",
    "{game}/sheet",
    "{game}/tally",
    "{game}/manage",
    "/",
    "/settings",
    "/games/new?fresh=1",
)


@pytest.mark.parametrize("page", PAGES)
def test_nothing_says_that_no_server_answered(marker, game, page):
    said = text(marker.open(page.format(game=game)))
    assert "not answer" not in said
    assert "No connection" not in said
    assert "Without a connection" not in said
    assert "keep the screen awake" not in said


@pytest.mark.parametrize("page", PAGES)
def test_two_links_side_by_side_do_not_run_into_one_another(marker, game, page):
    assert "</a><a" not in marker.open(page.format(game=game))


@pytest.mark.parametrize("page", PAGES)
def test_every_button_and_link_has_words(marker, game, page):
    page = marker.open(page.format(game=game))
    for tag in "a", "button":
        found = re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", page, re.DOTALL)
        assert all(text(words).strip() for words in found), found
