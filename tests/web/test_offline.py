"""Pages that a marker's phone may keep, pages of upcoming hands, and the app itself."""

import gzip
import re
from collections.abc import Iterable, Mapping

import pytest
from werkzeug.test import TestResponse

from companion.notebook.events import PenaltyCharged
from companion.web.templating import FOLDER, without_comments
from tests.web.asking import ask, mark, ruling
from tests.web.conftest import Marker, begin, copies, text

NOW = [
    *("", "/end", "/penalty", "/sheet", "/rulings", "/ruling", "/table", "/tally", "/throw-in"),
    *("/rules", "/manage", "/again"),
]
ASKS = [f"/ruling?ask={ask}" for ask in ("discard", "meld", "lay_off", "swap", "turn")]
AHEAD = ["", "/end", "/penalty"]
ASKS_AHEAD = ["", *(f"&ask={ask}" for ask in ("discard", "meld", "lay_off", "swap", "turn"))]


MARKS = {"out": "0", "cards-1": ["5C"], "cards-2": ["KC"]}


# -- pages that are kept --------------------------------------------------------------------------


def ahead(marker: Marker, address: str) -> TestResponse:
    """Fetch a page as the service worker does."""
    return marker.client.get(address, headers={"X-Precache": "1"})


def kept_as_listed(marker: Marker, listed: Mapping[str, str], addresses: Iterable[str]) -> None:
    """Assert that pages have the X-Keep values of the list."""
    for address in addresses:
        answer = ahead(marker, address)
        assert answer.headers.get("X-Keep") == listed[address], (address, answer.status)
        assert answer.headers["Cache-Control"] == "no-store"


def test_the_pages_of_the_game_and_of_every_hand_to_come_are_fetched_ahead(marker, game):
    assert list(copies(marker, game)) == [
        *(game + part for part in [*NOW, *ASKS, "/hands/1"]),
        *(f"{game}{part}?hand={hand}" for part in AHEAD for hand in range(2, 14)),
        *(
            f"{game}/{kind}hand={hand}{ask}"
            for kind, ask in [*(("ruling?", ask) for ask in ASKS_AHEAD), ("table?", "")]
            for hand in range(2, 14)
        ),
    ]


def test_every_page_of_the_list_has_the_x_keep_value_of_the_list(marker):
    proter, contract, rummy = (
        begin(marker, ("Ana", "Ben", "Cem"), game=kind)
        for kind in ("proter", "contract_rummy", "indian_rummy")
    )
    mark(marker, proter)
    ruling(marker, proter, "meld", "1", cards=["5C", "6C", "8C"], melded_this_turn="0")
    asked = {"player": "1", "asked": ["2"], "last_taker": "nobody"}
    asks = {
        f"{contract}/may-i",
        f"{contract}/may-i?hand=2",
        f"{contract}/ruling?hand=2&ask=contract",
    }
    assert asks | {marker.act(f"{contract}/may-i", asked).location} <= {*copies(marker, contract)}
    # Of other games only pages that Proter lacks, and of one upcoming hand: all have one version.
    for game, kinds in ((proter, ""), (contract, "may-i|contract"), (rummy, "turned|declare|end")):
        wanted = re.compile(rf"/games/\w+(?!.*hand=(?!3)).*({kinds})")
        pages = {at: known for at, known in copies(marker, game).items() if wanted.match(at)}
        assert len(pages) > 3
        kept_as_listed(marker, pages, pages)


def test_an_action_changes_the_current_pages_and_a_new_look_or_name_changes_all(marker, game):
    before = copies(marker, game)
    marker.write(game, PenaltyCharged(1, 1, "PRO-13.3"))
    after = copies(marker, game)
    changed = {address for address in before if before[address] != after[address]}
    lasting = {f"{game}/rules", f"{game}/again"}
    assert changed == {game + part for part in [*NOW, *ASKS, "/hands/1"]} - lasting
    before = copies(marker, game)
    marker.client.set_cookie("look", "dark")
    other_look = copies(marker, game)
    marker.act(f"{game}/manage", {"title": "Thursday"}, f"{game}/names")
    last = copies(marker, game)
    assert not set(before.values()) & set(other_look.values())
    assert not set(other_look.values()) & set(last.values())


def test_another_dealer_changes_all_pages(marker, game):
    before = copies(marker, game)
    assert "Ben deals" in text(ahead(marker, f"{game}/end?hand=2").text)
    marker.saved(f"{game}/manage", {"first_dealer": "1"}, to=f"{game}/names")
    assert "Chandi deals" in text(ahead(marker, f"{game}/end?hand=2").text)
    assert not {*before.values()} & {*copies(marker, game).values()}


def test_the_end_of_a_hand_to_come_is_laid_out_as_the_last_one_was_marked(marker, game):
    end = f"{game}/end?hand=3"
    before = copies(marker, game)[end]
    by_points = {"points-1": "5", "points-2": "9", "melded-1": "yes", "melded-2": "yes"}
    marker.saved(f"{game}/end", {"out": "0", "by": "points"} | by_points)
    assert 'value="points" checked' in ahead(marker, end).text
    assert copies(marker, game)[end] != before


def test_the_last_six_rulings_of_this_hand_and_the_one_before_are_kept(marker, game):
    def rulings() -> list[str]:
        return [address for address in copies(marker, game) if "/rulings/" in address]

    def give(number: int) -> list[str]:
        asked = [ask(marker, game, "meld", "1", cards=["5C", "6C", "8C"]) for _ in range(number)]
        return [answer.location for answer in reversed(asked)]

    second, first = give(2)
    mark(marker, game)
    assert rulings() == [second, first]
    later = give(5)
    assert rulings() == [*later, second]
    mark(marker, game)
    assert rulings() == later


def test_a_game_with_rulings_and_without_a_table_has_the_forms_of_its_questions(marker):
    game = begin(marker, ("Ana", "Ben", "Cem"), game="indian_rummy")
    kept = copies(marker, game)
    asks = ("discard", "meld", "declare")
    assert [address for address in kept if "/ruling" in address] == [
        f"{game}/rulings",
        f"{game}/ruling",
        *(f"{game}/ruling?ask={ask}" for ask in asks),
        *(
            f"{game}/ruling?hand={hand}{kind}"
            for kind in ("", *(f"&ask={ask}" for ask in asks))
            for hand in (2, 3, 4)  # three may have a first Rummy each, and one then a second
        ),
    ]
    assert f"{game}/table" not in kept
    assert f"{game}/turned" in kept


def test_a_page_with_a_message_about_an_action_is_not_kept(marker, game):
    marker.act(f"{game}/penalty", {"player": "0", "rule": "PRO-13.3"})
    fetched = ahead(marker, game)
    assert "20 points to Ana" not in text(fetched.text).partition("Totals")[0]
    assert "X-Keep" in fetched.headers
    looked_at = marker.client.get(game)
    assert "20 points to Ana" in text(looked_at.text)
    assert "X-Keep" not in looked_at.headers
    assert "X-Keep" in marker.client.get(game).headers
    # Nor are other pages, parts of pages and refusals.
    for address in ("/settings", "/games/new", *(game + at for at in ("/code", "/log"))):
        assert "X-Keep" not in marker.client.get(address).headers
    assert "X-Keep" not in marker.client.get(game, headers={"HX-Request": "true"}).headers
    assert "X-Keep" not in marker.act(f"{game}/penalty", {"player": "9"}).headers


# -- hands that have not begun, together -----------------------------------------------------------


def together(marker: Marker, place: str) -> dict[str, str]:
    """Return the pages that are fetched together, put together as the service worker does."""
    pages = {}
    for kind in ahead(marker, place).json["kinds"]:
        for address, changes in kind["pages"]:
            lines = [*kind["lines"]]
            for at, count, now in reversed(changes):
                lines[at : at + count] = now
            pages[address] = "\n".join(lines)
    return pages


@pytest.mark.parametrize("kind", ["proter", "indian_rummy"])
def test_upcoming_pages_are_the_same_together_and_alone(marker, kind):
    game = begin(marker, game=kind)
    listed = marker.client.get(f"{game}/precache").json["pages"]
    every = [address for address, _version, *place in listed if place]
    found = []
    for place in dict.fromkeys(place for _, _, *more in listed for place in more):
        few = re.sub(r"hands=\d+", "hands=2", place)
        for address, page in together(marker, few).items():
            assert page == ahead(marker, address).text, address
            found.append(address)
    assert len(found) >= 6  # of two hands, where nothing is ruled on three pages each
    # Of each kind of page the first two hands.
    assert {*found} == {one for one in every if re.search(r"hand=[23]\b", one)}


def test_at_the_second_hand_few_small_pages_are_fetched(marker, game):
    marker.saved(f"{game}/end", MARKS)
    listed = marker.client.get(f"{game}/precache").json["pages"]
    asked = dict.fromkeys(more[0] if more else address for address, _, *more in listed)
    answers = [ahead(marker, at) for at in asked]
    assert {answer.status_code for answer in answers} == {200}
    assert len(listed) > 130
    assert len(asked) <= 30
    assert sum(len(gzip.compress(answer.data, 6)) for answer in answers) < 150_000
    # A request without a number of hands gets none.
    assert len(marker.client.get(f"{game}/upcoming-hands?part=marks&hands=3").json["kinds"]) == 3
    for odd in ("", "?part=rulings&hands=0", "?part=rulings&hands=x", "?part=others&hands=2"):
        assert marker.client.get(f"{game}/upcoming-hands{odd}").json == {"kinds": []}


# -- a hand that has not begun --------------------------------------------------------------------


ANAS_RUN = {"player": "1", "cards": ["5C", "6C", "7C"], "add": "meld"}
HAND_3 = '<input type="hidden" name="hand" value="3">'
THREES = ("3 of hearts, the Proter", HAND_3, " data-upcoming")
# Pages of hand 3, and what they have in them; {} is the game's address.
OF_HAND_3 = {
    "?": (
        *("The Proter: 3", 'href="{}/end?hand=3"', 'href="{}/penalty?hand=3"'),
        *('href="{}/ruling?hand=3"', 'href="{}/table?hand=3"'),
    ),
    "/end?": (
        *("<h1>End of hand 3</h1>", 'data-then="{}?hand=4"', *THREES),
        *('action="{}/throw-in"', 'data-then="{}?hand=3" data-upcoming'),
    ),
    "/penalty?": ('data-then="{}?hand=3"', HAND_3, " data-upcoming"),
    "/ruling?": (
        *(f'name="ask" value="{ask}"' for ask in ("meld", "lay_off", "swap", "turn")),
        *('href="{}/table?hand=3"', HAND_3, "Until then your question stays on this phone"),
    ),
    **{
        f"/ruling?ask={ask}&": (
            *('data-then="{}?hand=3"', *THREES),
            "Until then your question stays on this phone, and is ruled on once it is saved.",
        )
        for ask in ("discard", "meld", "lay_off", "swap", "turn")
    },
    "/table?": (
        *("No meld is recorded in this hand.", *THREES),
        "Until then what you record here stays on this phone",
    ),
}


def test_pages_of_an_upcoming_hand_have_its_proter_and_nothing_of_the_open_hand(marker, game):
    marker.saved(f"{game}/table", ANAS_RUN)
    for part, there in OF_HAND_3.items():
        page = marker.open(f"{game}{part}hand=3")
        assert "Hand 2 is not saved yet." in text(page), part
        for has in there:
            assert has.format(game) in page, (part, has)
        for never in ('class="totals', "Undo", "taken: table", "The play recorded last"):
            assert never not in page, (part, never)
    # Ana dealt the first hand, and Ben deals the second.
    assert "Deals Chandi Plays first Ana" in text(marker.open(f"{game}?hand=3"))
    assert "Chandi deals" in text(marker.open(f"{game}/end?hand=3"))
    assert f'data-then="{game}/again"' in marker.open(f"{game}/end?hand=13")


def test_a_hand_that_has_begun_has_its_own_pages(marker, game):
    marker.saved(f"{game}/table", ANAS_RUN)
    for hand in ("", "&hand=1"):
        page = marker.open(f"{game}/ruling?ask=turn{hand}")
        assert "taken: table" in page
        assert "data-upcoming" not in page
    assert f'href="{game}/throw-in"' in marker.open(f"{game}/end")
    marker.act(f"{game}/end", MARKS | {"table_is_old": "1"})
    for number in ("2", "1", "0", "14", "x", ""):
        assert "not saved yet" not in marker.open(f"{game}?hand={number}")
        assert "<h1>End of hand 2</h1>" in marker.open(f"{game}/end?hand={number}")
    assert "Hand 2 is not saved yet" in text(marker.open(f"{game}?hand=3"))


# Hand 2, in which the 2 is the Proter: what is sent where, and why it is refused in hand 1.
ASKED_IN_HAND_2 = "This was for hand 2, and hand 1 is being played now."
MELD = {"player": "1", "cards": ["5H", "2S", "7H"]}
QUESTION = MELD | {"ask": "meld", "melded_this_turn": "1", "hand": "2"}
EARLY = [
    ("/end", MARKS, "Hand 1 is being played now, not hand 2."),
    ("/penalty", {"player": "1", "rule": "PRO-13.3"}, "Say in which hand it happened."),
    ("/throw-in", {}, "1 is being played."),
    ("/ruling", QUESTION, ASKED_IN_HAND_2),
    ("/table", MELD | {"add": "meld", "lying": ""}, ASKED_IN_HAND_2),
    ("/table", {"top": "KC"}, ASKED_IN_HAND_2),
]


def test_an_entry_for_a_hand_that_has_not_begun_is_refused_with_a_sentence(marker, game):
    for to, fields, says in EARLY:
        early = marker.refused(f"{game}{to}?hand=2", fields | {"hand": "2"}, f"{game}{to}")
        assert says in text(early.text)
        if says == ASKED_IN_HAND_2:
            assert '<input type="hidden" name="hand" value="2">' in early.text


def test_a_question_of_an_upcoming_hand_is_ruled_on_only_in_that_hand(marker, game):
    form, to = f"{game}/ruling?hand=2&ask=meld", f"{game}/ruling"
    added = marker.act(form, QUESTION | {"ask": "turn", "add": "meld"}, to)
    assert added.location == f"{to}?ask=turn&player=1&play=meld+5H+2S+7H&melded_this_turn=1&hand=2"
    marker.act(f"{game}/end", MARKS)
    page = text(marker.open(marker.saved(form, QUESTION, to).location))
    assert "Legal" in page
    assert "in hand 2." in page
    meld = {"player": "2", "cards": ["9C", "9D", "9H"], "add": "meld", "hand": "2"}
    marker.saved(f"{game}/table?hand=2", meld, f"{game}/table")
    assert "taken: table" in marker.open(f"{game}/table")
    marker.act(f"{game}/end", MARKS)
    late = marker.refused(form, QUESTION, to)
    assert "This was entered for hand 2, and hand 3 is being played." in text(late.text)
    # It is no question of this hand.
    assert 'value="5H"' not in late.text
    assert 'name="hand"' not in late.text


def test_may_i_of_an_upcoming_hand_is_ruled_on_in_that_hand(marker):
    game = begin(marker, ("Ana", "Ben", "Cem"), game="contract_rummy")
    page = marker.open(f"{game}/may-i?hand=2")
    for has in (
        '<input type="hidden" name="hand" value="2">',
        " data-upcoming",
        "Hand 1 is not saved",
    ):
        assert has in page
    assert '<input type="hidden" name="hand" value="1">' in marker.open(f"{game}/may-i?hand=1")
    asked = {"player": "1", "asked": ["2"], "last_taker": "nobody"}
    early = marker.refused(f"{game}/may-i?hand=2", asked | {"hand": "2"}, f"{game}/may-i")
    assert ASKED_IN_HAND_2 in text(early.text)
    marker.saved(f"{game}/may-i", asked | {"hand": "1"})


# -- the app on the phone -------------------------------------------------------------------------


def test_the_manifest_names_icons_that_exist(marker):
    answer = marker.client.get("/manifest.webmanifest")
    assert answer.mimetype == "application/manifest+json"
    said = answer.json
    assert (said["start_url"], said["scope"], said["display"]) == ("/", "/", "standalone")
    for icon in said["icons"]:
        with marker.client.get(icon["src"]) as picture:
            assert picture.data.startswith(b"\x89PNG")
            width = int.from_bytes(picture.data[16:20], "big")
            assert icon["sizes"] == f"{width}x{width}"
    page = marker.open("/")
    assert '<link rel="manifest" href="/manifest.webmanifest">' in page
    with marker.client.get(re.findall(r'apple-touch-icon" href="([^"]+)"', page)[0]) as picture:
        assert picture.data[16:20] == (180).to_bytes(4, "big")


def test_the_worker_knows_the_version_and_every_file_that_pages_load(marker, game):
    answer = marker.client.get("/sw.js")
    assert answer.mimetype == "text/javascript"
    page = marker.open(game)
    loaded = re.findall(r'"(/static/[^"]+\.(?:css|js))"', page)
    assert len(loaded) >= 3
    for address in loaded:
        assert f'"{address}"' in answer.text
    version = loaded[0].split("/")[2]
    for script in (FOLDER / "js").glob("*.js"):
        assert f'"/static/{version}/js/{script.name}"' in answer.text
    assert "worker-src 'self'" in answer.headers["Content-Security-Policy"]


def test_the_scripts_for_offline_use_are_small():
    names = ("sw.js", "js/outbox.js", "js/actions.js", "js/waiting.js")
    parts = [without_comments((FOLDER / name).read_bytes()) for name in names]
    assert sum(len(gzip.compress(part, 6)) for part in parts) < 10_900
