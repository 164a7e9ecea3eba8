"""The rematch: the next game of the same people, and its pages before it has begun."""

import re

import pytest

from companion.notebook.events import GameArchived, GameDeleted, GameRestored
from companion.store import next_game_id
from tests.web.asking import mark
from tests.web.conftest import Marker, begin, copies, text, totals, viewers_link
from tests.web.test_damaged import id_of
from tests.web.test_offline import kept_as_listed
from tests.web.test_transfer import code, taken

BEGAN = "The start of this game is not saved yet"


def next_of(game: str) -> str:
    """Return the address that the rematch of a game has, or will have."""
    return f"/games/{next_game_id(id_of(game))}"


@pytest.fixture
def rummy_over(marker: Marker, rummy: str) -> str:
    """A game of Indian Rummy that Ana has won by her second Rummy, in hand 2."""
    marker.act(f"{rummy}/turned", {"rank": "8"})
    left = {"points-1": "5", "points-2": "7"}  # in hand 1 they count nothing
    for _ in range(2):
        marker.saved(f"{rummy}/end", {"out": "0", **left})
    return rummy


def test_a_page_that_is_fetched_ahead_of_a_game_that_is_over_leaves_no_message(marker, game):
    mark(marker, game, hands=13)
    assert marker.client.get(f"{game}/end", headers={"X-Precache": "1"}).status_code == 303
    assert "The game is over: its last hand is marked." not in marker.open(game)
    assert marker.client.get(f"{game}/end").status_code == 303
    assert "The game is over: its last hand is marked." in marker.open(game)


# -- beginning it ---------------------------------------------------------------------------------


def test_the_same_people_play_again_and_the_next_one_deals_first(marker, game):
    page = marker.open(f"{game}/again")
    assert "Ana, Ben, Chandi" in text(page)
    assert "by the same rules of Proter. Ben deals first." in text(page)
    assert f'href="/games/new?like={id_of(game)}"' in page
    begun = marker.saved(f"{game}/again")
    assert begun.location == next_of(game)
    assert "Deals Ben Plays first Chandi" in text(marker.open(begun.location))
    again = marker.open(f"{game}/again")
    assert f'href="{begun.location}"' in again
    assert "<form" not in again.partition("<main")[2].partition("</main>")[0]


def test_a_rematch_is_one_game_however_often_it_is_begun(marker, game):
    first = marker.hidden(f"{game}/again", f"{game}/again")
    refused = marker.post(f"{game}/again", **first | {"key": ""})
    assert refused.status_code == 422
    assert "Part of this form was missing" in text(refused.text)
    assert next_of(game) not in marker.open("/")
    # Those play who are called so now.
    renamed = {"title": "Friday", "name-2": "Chandrika"}
    marker.saved(f"{game}/manage", renamed, f"{game}/names")
    for hidden in (first, first, first | {"key": "kept-on-a-phone"}):
        later = {"X-Action": "later"}
        answer = marker.client.post(f"{game}/again", data=hidden, headers=later)
        assert answer.json == {"to": next_of(game), "entry": 1, "after": 0}
    assert len(re.findall(rf'href="{next_of(game)}"', marker.open("/"))) == 1
    begun = text(marker.open(next_of(game)))
    assert "Chandrika" in begun
    assert "Friday" not in begun


def test_a_game_that_is_deleted_is_not_played_again_until_it_is_restored(marker, game):
    hidden = marker.hidden(f"{game}/again", f"{game}/again")
    marker.write(game, GameDeleted())
    refused = marker.post(f"{game}/again", **hidden)
    assert refused.status_code == 422
    assert "This game is deleted. Restore it to play it again." in text(refused.text)
    assert next_of(game) not in marker.open("/")
    marker.write(game, GameRestored())
    assert marker.post(f"{game}/again", **hidden).location == next_of(game)


# -- its pages, before it has begun ---------------------------------------------------------------


def test_its_hands_have_dealers_and_links_to_their_forms_and_the_next_hand(marker, game):
    at, follows = next_of(game), f"?before={id_of(game)}"
    page = marker.open(f"{at}{follows}&hand=1")
    assert "The Proter: ace" in page
    assert f"{BEGAN}. There are no totals here." in text(page)
    assert "Deals Ben Plays first Chandi" in text(page)
    for part in ("/end", "/penalty", "/ruling", "/table"):
        assert f'href="{at}{part}{follows}&amp;hand=1"' in page
    assert f'data-game="{id_of(at)}" data-base="0"' in page
    assert "data-copies" not in page
    for other in ("/sheet", "/tally", "/code", "/manage", "/rulings"):
        assert f'href="{at}{other}' not in page
    second = marker.open(f"{at}{follows}&hand=2")
    assert "Hand 1 is not saved yet" in text(second)
    assert "Deals Chandi Plays first Ana" in text(second)
    page = marker.open(f"{at}/end{follows}&hand=1")
    assert f'action="{at}/end"' in page
    assert f'data-then="{at}{follows}&amp;hand=2" data-upcoming' in page
    assert BEGAN in text(page)
    last = marker.open(f"{at}/end{follows}&hand=13")
    assert f'data-then="{at}/again" data-upcoming' in last


def test_every_kind_of_page_of_the_next_game_leads_to_others_of_it(marker):
    # Proter and Indian Rummy are tried above and below, and have no other kinds.
    game = begin(marker, game="contract_rummy")
    at, follows = next_of(game), f"before={id_of(game)}"
    asks = re.findall(r'name="ask" value="(\w+)"', marker.open(f"{game}/ruling"))
    asked = [f"/ruling?ask={ask}" for ask in asks]
    for part in ("", "/end", "/penalty", "/ruling", "/table", *asked):
        path, _, ask = part.partition("?")
        page = marker.open(f"{at}{path}?{follows}&hand=1{'&' * bool(ask)}{ask}")
        assert BEGAN in text(page), part
        linked = re.findall(rf'href="{at}[^"]*"', page)
        assert all(f"?{follows}" in link for link in linked), linked
    marker.open(f"{at}/rules?{follows}")


def test_the_first_hand_does_not_ask_who_has_a_rummy(marker, rummy):
    at, follows = next_of(rummy), f"?before={id_of(rummy)}"
    page = marker.open(f"{at}{follows}&hand=1")
    assert "The card turned up was not saved yet when this page was kept" in text(page)
    assert "takes 13 new cards" not in text(page)
    assert f'href="{at}/turned{follows}' in page
    assert 'data-step="Which"' not in marker.open(f"{at}/end{follows}&hand=1")
    assert 'data-step="Which"' in marker.open(f"{at}/end{follows}&hand=2")
    assert f'action="{at}/turned"' in marker.open(f"{at}/turned{follows}")


def test_entries_from_before_the_rematch_began_are_saved_in_order(marker, game):
    mark(marker, game, hands=1)
    at, follows = next_of(game), f"?before={id_of(game)}"
    again = marker.hidden(f"{game}/again", f"{game}/again")
    penalty = marker.hidden(f"{at}/penalty{follows}&hand=1", f"{at}/penalty")
    end = marker.hidden(f"{at}/end{follows}&hand=1", f"{at}/end")
    charged = {"player": "2", "rule": "PRO-13.3", "hand": "1"}
    # It waits behind what begins the game.
    assert marker.post(f"{at}/penalty", charged, **penalty).status_code == 404
    assert marker.post(f"{game}/again", **again).status_code == 303
    assert marker.post(f"{at}/penalty", charged, **penalty | {"base": "1"}).status_code == 303
    marked = {"out": "1", "cards-0": ["6C"], "cards-2": ["KC"], "hand": "1"}
    own = {"base": "2", "key": "kept-first"}  # as the phone sends what was kept there
    assert marker.post(f"{at}/end", marked, **end | own).status_code == 303
    assert totals(marker, at) == [6, 0, 33]  # Chandi 20 + 13
    # Pages that name the game before are from now on pages of the game itself.
    page = text(marker.open(f"{at}{follows}&hand=2"))
    assert "Hand 2 of 13" in page
    assert "not saved yet" not in page


# -- its pages that a phone keeps -----------------------------------------------------------------


def test_as_many_hands_of_the_rematch_are_kept_as_are_marked_and_at_the_end_all(marker, game):
    at, follows = next_of(game), f"?before={id_of(game)}"

    def hands() -> list[str]:
        found = (address.partition(f"{at}{follows}&hand=") for address in copies(marker, game))
        return [number for _, at_hand, number in found if at_hand]

    least = len(copies(marker, game))
    assert hands() == []
    mark(marker, game, hands=2)
    assert hands() == ["1", "2"]
    # The rules, the end of the game, and of two hands what is marked.
    assert len(copies(marker, game)) <= least + 6
    mark(marker, game, hands=11)
    kept = copies(marker, game)
    assert hands() == [str(number) for number in range(1, 14)]
    assert [address.removeprefix(game) for address in kept if address.startswith(game)] == [
        *("", "/penalty", "/sheet", "/rulings", "/table", "/tally", "/rules", "/manage", "/again"),
        *(f"/hands/{hand}" for hand in (13, 12, 11)),
        *(f"/hands/{hand}/correct" for hand in range(13, 0, -1)),
    ]
    # Of each kind the first and the last: the others differ in the number of the hand alone.
    kinds: dict[str, list[str]] = {}
    for address in kept:
        kinds.setdefault(re.sub(r"(hand=|hands/)\d+", r"\1", address), []).append(address)
    kept_as_listed(marker, kept, {one for of in kinds.values() for one in (of[0], of[-1])})


def test_the_pages_of_an_indian_rummy_rematch_have_the_x_keep_values_of_the_list(
    marker, rummy_over
):
    at, follows = next_of(rummy_over), f"?before={id_of(rummy_over)}"
    kept = copies(marker, rummy_over)
    assert f"{at}/turned{follows}" in kept
    ends = [address for address in kept if address.startswith(f"{at}/end")]
    assert ends == [f"{at}/end{follows}&hand={number}" for number in range(1, 5)]
    kept_as_listed(marker, kept, {ends[2], f"{at}/turned{follows}"})


def test_opening_an_older_game_does_not_replace_the_kept_pages(marker, rummy_over):
    assert copies(marker, rummy_over)
    newer = begin(marker, ("Ida", "Jon"))
    assert marker.client.get(f"{rummy_over}/precache").json == {}
    assert copies(marker, newer)
    marker.write(newer, GameDeleted())
    assert marker.client.get(f"{newer}/precache").json == {"pages": []}
    assert copies(marker, rummy_over)
    marker.act(f"{rummy_over}/again")
    marker.write(rummy_over, GameArchived())
    assert marker.client.get(f"{rummy_over}/precache").json == {}


def test_an_early_rematch_is_not_kept_with_its_unfinished_game(marker, game):
    marker.act(f"{game}/again")
    mark(marker, game, hands=1)
    kept = copies(marker, game)
    assert not [address for address in kept if next_of(game) in address]
    kept_as_listed(marker, kept, {f"{game}/again"})


# -- who has them ---------------------------------------------------------------------------------


def test_only_markers_who_may_begin_the_rematch_get_its_pages(
    app, marker, stranger, other_marker, game
):
    mark(marker, game, hands=1)
    address = f"{next_of(game)}?before={id_of(game)}&hand=1"
    helper = Marker(app.test_client())
    taken(helper, code(marker, game)[0])
    stranger.open(viewers_link(marker, game))
    for person, status in ((stranger, 403), (other_marker, 404), (helper, 403)):
        person.open(address, status)
    kept = copies(helper, game)
    assert not [one for one in kept if "again" in one or "before=" in one]
    assert f'data-then="{game}"' in helper.open(f"{game}/end?hand=13")
    marker.act(f"{game}/again")
    helper.open(address, 403)
    other_marker.open(address, 404)
    stranger.open(address, 403)


def test_a_rematch_has_no_other_pages_before_it_begins(marker, game):
    at, follows = next_of(game), f"before={id_of(game)}"
    wrong_games = ("nothing", id_of(at), "%00", "é", "x" * 999)
    wrong_hands = ("0", "14", "-1", "x", "", "9" * 99)
    parts = ("/sheet", "/tally", "/code", "/again", "/log", "/game.json", "/precache", "/hands/1")
    for address in (
        *(at, f"{at}?{follows}", f"{at}?hand=1", f"{at}?before=&hand=1"),
        *(f"{at}?before={wrong}&hand=1" for wrong in wrong_games),
        *(f"{at}?{follows}&hand={wrong}" for wrong in wrong_hands),
        f"/games/{id_of(game)[::-1]}?{follows}&hand=1",
        *(f"{at}{part}?{follows}&hand=1" for part in parts),
        f"{at}/turned?{follows}",  # no card is turned up in Proter
    ):
        marker.open(address, 404)
    marker.open(f"{at}?{follows}&hand=13")
    marker.write(game, GameArchived())
    marker.open(f"{at}?{follows}&hand=1")
    marker.write(game, GameDeleted())
    marker.open(f"{at}?{follows}&hand=1", 404)
