"""Kept pages: the same page with fresh tokens, and never somebody else's."""

import re
import threading

import pytest
from flask import Flask

from companion.notebook.events import PenaltyCharged
from companion.web.kept_pages import KeptPages, Pieces, cut
from tests.web.conftest import HIDDEN, Marker, begin, write

CSRF, UNDO = "c" * 40, "u" * 16
OTHER_CSRF, OTHER_UNDO = "x" * 40, "y" * 16


def test_a_page_is_cut_at_its_tokens() -> None:
    pieces = cut(f"<a {CSRF}><b {UNDO}><c {CSRF}>", (CSRF, UNDO))
    assert pieces == Pieces(("<a ", "><b ", "><c ", ">"), (0, 1, 0))


def test_a_page_put_together_with_its_own_tokens_is_the_page() -> None:
    page = f"{CSRF}{UNDO} and {UNDO}"
    assert cut(page, (CSRF, UNDO)).with_tokens((CSRF, UNDO)) == page


def test_a_page_has_the_tokens_that_are_given_and_no_others() -> None:
    page = cut(f"<a {CSRF}><b {UNDO}>", (CSRF, UNDO)).with_tokens((OTHER_CSRF, OTHER_UNDO))
    assert page == f"<a {OTHER_CSRF}><b {OTHER_UNDO}>"


def test_text_that_means_something_in_a_pattern_is_only_text() -> None:
    token = "a.b*c+(d)[e]{2}|" * 2
    assert cut(f"-{token}-", (token,)).texts == ("-", "-")


def test_a_page_without_tokens_is_whole() -> None:
    pieces = cut("what viewers see", ())
    assert pieces == Pieces(("what viewers see",), ())
    assert pieces.with_tokens(()) == "what viewers see"


@pytest.mark.parametrize("tokens", [("short",), (CSRF, CSRF), (CSRF, "c" * 20)])
def test_tokens_that_could_be_mistaken_are_refused(tokens: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="mistaken"):
        cut(CSRF, tokens)


def test_a_page_that_was_drawn_with_another_token_is_not_kept() -> None:
    with pytest.raises(ValueError, match="another token"):
        cut(f"<a {OTHER_CSRF}>", (CSRF, UNDO))


def test_a_page_is_drawn_once_for_each_name() -> None:
    drawn: list[str] = []

    def draw(text: str) -> str:
        drawn.append(text)
        return f"{text} {CSRF}"

    kept = KeptPages(2)
    assert kept.page(("g", 1), (CSRF,), lambda: draw("one")) == f"one {CSRF}"
    assert kept.page(("g", 1), (OTHER_CSRF,), lambda: draw("no")) == f"one {OTHER_CSRF}"
    assert kept.page(("g", 2), (CSRF,), lambda: draw("two")) == f"two {CSRF}"
    assert drawn == ["one", "two"]


def test_the_page_that_was_not_asked_for_longest_goes_first() -> None:
    drawn: list[str] = []

    def ask(name: str) -> None:
        kept.page(name, (CSRF,), lambda: f"{drawn.append(name)}{CSRF}")

    kept = KeptPages(2)
    for name in ("a", "b", "a", "c", "a", "b"):
        ask(name)
    assert drawn == ["a", "b", "c", "b"]


def test_threads_may_share_it() -> None:
    kept = KeptPages(3)
    wrong: list[str] = []

    def ask(number: int) -> None:
        token = f"token-number-{number:04}"
        for turn in range(200):
            name = turn % 5
            page = kept.page(name, (token,), lambda name=name: f"{name} {token}")
            if page != f"{name} {token}":
                wrong.append(page)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# -- the pages that are kept ----------------------------------------------------------------------

WRONG_DISCARD = PenaltyCharged(1, 1, "PRO-13.2")
PAGES = ["", "/sheet"]


def tokens_of(page: str) -> set[str]:
    """Every token and key that a page carries."""
    meta = re.findall(r'name="csrf-token" content="([^"]+)"', page)
    return {*meta, *(value for name, value in HIDDEN.findall(page) if name != "base")}


def without_tokens(page: str) -> str:
    for token in tokens_of(page):
        page = page.replace(token, "…")
    return page


@pytest.mark.parametrize("part", PAGES)
def test_a_page_asked_for_again_is_the_same_with_keys_of_its_own(
    app: Flask, marker: Marker, game: str, part: str
) -> None:
    write(app, marker, game, WRONG_DISCARD)
    first, second = marker.open(game + part), marker.open(game + part)
    assert without_tokens(first) == without_tokens(second)
    keys = [set(re.findall(r'name="key" value="([^"]+)"', page)) for page in (first, second)]
    assert keys[0]
    assert not keys[0] & keys[1]


@pytest.mark.parametrize("part", PAGES)
def test_a_kept_page_can_be_acted_on(app: Flask, marker: Marker, game: str, part: str) -> None:
    write(app, marker, game, WRONG_DISCARD)
    marker.open(game + part)
    answer = marker.act(game + part, to=f"{game}/undo")
    assert answer.status_code == 303
    assert "Undone: 20 points to Ben (PRO-13.2)." in marker.open(game)


@pytest.mark.parametrize("part", PAGES)
def test_two_phones_of_one_marker_get_tokens_of_their_own(
    app: Flask, marker: Marker, game: str, part: str
) -> None:
    write(app, marker, game, WRONG_DISCARD)
    second = Marker(app.test_client())
    with marker.client.session_transaction() as session:
        marker_id = session["marker"]
    with second.client.session_transaction() as session:
        session["marker"] = marker_id
    theirs, mine = marker.open(game + part), second.open(game + part)
    assert without_tokens(theirs) == without_tokens(mine)
    assert not tokens_of(theirs) & tokens_of(mine)
    assert second.act(game + part, to=f"{game}/undo").status_code == 303


@pytest.mark.parametrize("part", PAGES)
def test_a_page_that_is_kept_is_kept_from_others(
    marker: Marker, other_marker: Marker, stranger: Marker, game: str, part: str
) -> None:
    marker.open(game + part)
    other_marker.open(game + part, 404)
    stranger.open(game + part, 403)


@pytest.mark.parametrize("part", PAGES)
def test_a_kept_page_follows_the_game(app: Flask, marker: Marker, game: str, part: str) -> None:
    marker.open(game + part)
    write(app, marker, game, WRONG_DISCARD)
    page = marker.open(game + part)
    assert "Undo: 20 points to Ben (PRO-13.2)" in page
    assert 'name="base" value="2"' in page


@pytest.mark.parametrize("part", PAGES)
def test_games_are_not_mixed(marker: Marker, game: str, part: str) -> None:
    other = begin(marker, ("Dee", "Ewa"))
    marker.open(game + part)
    page = marker.open(other + part)
    assert "Dee" in page
    assert "Ana" not in page
    assert game.rpartition("/")[2] not in page


def test_looks_are_not_mixed(marker: Marker, game: str) -> None:
    assert 'data-theme="auto"' in marker.open(game)
    marker.client.set_cookie("look", "dark.four.large")
    assert 'data-theme="dark" data-suits="four" data-text="large"' in marker.open(game)
    marker.client.set_cookie("look", "light.two.normal")
    assert 'data-theme="light" data-suits="two" data-text="normal"' in marker.open(game)


def test_a_message_is_told_once(marker: Marker, game: str) -> None:
    marker.open(game)
    marker.act(f"{game}/manage", {"title": "Friday"}, to=f"{game}/names")
    with marker.client.session_transaction() as session:
        assert session["_flashes"] == [("success", "The names are saved.")]
    assert "The names are saved." in marker.open(game)
    assert "The names are saved." not in marker.open(game)
    assert "Friday" in marker.open(game)


def test_a_companion_below_another_address_is_not_mixed_with_this_one(
    marker: Marker, game: str
) -> None:
    marker.open(game)
    below = marker.client.get(game, base_url="http://localhost/companion").text
    assert f'href="/companion{game}/sheet"' in below
    assert f'href="{game}/sheet"' in marker.open(game)
