"""No two words run together on a page: a block that ends a line takes the line's end with it."""

import re

import pytest
from werkzeug.test import TestResponse

from companion.rules.games import GAMES
from tests.web.conftest import Marker, begin
from tests.web.test_who_may import addresses, world

__all__ = ["world"]

# The end of a sentence before the next one's first letter, and a letter before a link or a name,
# with nothing but the tags of parts of a line between them.
_TAGS = r"(?:</?(?:a|b|bdi|i|span|em)\b[^>]*>)*"
GLUED = re.compile(
    rf"[^\W\d_][.?!]{_TAGS}[A-Z]|[^\W\d_]<(?:a|bdi)\b[^>]*>[^\W\d_]|</(?:a|bdi)>[^\W\d_]"
    rf"|[^\W\d_.]{_TAGS}<small\b[^>]*>{_TAGS}[^\W\d_]|<i>D</i>\d"
)
NOT_SAID = re.compile(r"<(script|style|svg|textarea)\b.*?</\1>|<head>.*?</head>", re.DOTALL)
TAG = re.compile(r"<(/?[a-z]\w*)[^>]*>")
PAGES = (
    *("", "/end", "/penalty", "/throw-in", "/end-game", "/sheet", "/tally", "/hands/1", "/hands/2"),
    *("/hands/1/correct", "/log", "/rules", "/manage", "/code", "/delete"),
)


def with_a_hand(marker: Marker, address: str, game: str) -> TestResponse:
    """Mark the first hand of a game of three people; the answer to it."""
    if GAMES[game].judge.asks_with_wild_rank:
        marker.act(address, {"rank": "8"}, to=f"{address}/turned")
    ends = {"out": "0", "cards-0": ["7C"], "cards-1": ["9C"], "cards-2": ["KD"]}
    if not GAMES[game].judge.boxes:
        del ends["cards-0"]
    return marker.act(f"{address}/end", ends | {"melded-1": "yes", "melded-2": "yes"})


def glued(page: str) -> list[str]:
    """Every place where words run together, with what stands before it."""
    said = TAG.sub(r"<\1>", NOT_SAID.sub("", page))
    return [said[max(0, found.start() - 40) : found.end() + 20] for found in GLUED.finditer(said)]


@pytest.mark.parametrize(
    "page",
    [
        "first.<bdi>Ana",
        "top<a href='#'>Not",
        "<b>watch</b><small>The",
        "<i>D</i>20",
        "<b>done.</b><i>Then",
        "<bdi>Ana</bdi>went",
    ],
)
def test_words_that_run_together_are_found(page):
    assert glued(page)


@pytest.mark.parametrize(
    "page",
    ["first. <bdi>Ana", "top <a>Not", "<p>It ends.</p><p>It", "PRO-13.3", "<bdi>Ana</bdi>'s"],
)
def test_words_that_do_not_are_not(page):
    assert not glued(page)


def test_no_page_runs_words_together(app, world):
    marker = world.people["a marker of this notebook"]
    seen = 0
    for endpoint, address, method in addresses(app, world):
        if method == "GET" and endpoint != "static":
            with marker.client.get(address) as answer:
                if answer.status_code == 200 and answer.mimetype == "text/html":
                    assert glued(answer.text) == [], endpoint
                    seen += 1
    assert seen > 30


@pytest.mark.parametrize("game", GAMES)
def test_no_page_of_a_game_runs_words_together(marker, game):
    address = begin(marker, ("Ana", "Ben", "Chandi"), game=game)
    answer = with_a_hand(marker, address, game)
    for page in PAGES:
        with marker.client.get(address + page) as shown:
            if shown.status_code == 200:
                assert glued(shown.text) == [], page
    for ask in GAMES[game].judge.asks:
        with marker.client.get(f"{address}/ruling?ask={ask}&player=0") as shown:
            assert glued(shown.text) == [], ask
    assert answer.status_code in {303, 422}
