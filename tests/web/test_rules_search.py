"""Rules and house rules are found by their words and numbers, in all games."""

import re
from html import unescape

from tests.notebook.evening import Evening, started
from tests.web.conftest import Marker, read_in, text

FOUND = re.compile(
    r'<a class="item" href="([^"]+#[^"]+)"><span><b>(.*?)</b>\s*<small>(.*?)</small>', re.DOTALL
)


def found(reader: Marker, words: str, page: str = "/rules") -> list[tuple[str, str, str]]:
    """Return address, heading, and game with sentence of each result."""
    answer = reader.client.get(page, query_string={"q": words})
    assert answer.status_code == 200
    return [tuple(map(unescape, one)) for one in FOUND.findall(answer.text)]


def addresses(reader: Marker, words: str, page: str = "/rules") -> list[str]:
    return [address for address, _, _ in found(reader, words, page)]


# The first result for these words: its address, its heading, and the sentence that is shown.
FIRST = {
    "KAL-7": ("kalooki#KAL-7", "", ""),
    " kal-7. ": ("kalooki#KAL-7", "", ""),
    "PRO-13.1": ("proter#PRO-13.1", "", ""),
    "PRO-1": ("proter#PRO-1", "", ""),
    "PRO-13": ("proter#PRO-13", "", ""),
    "proter in hand": ("proter#PRO-13.4", "PRO-13.4 Proter in hand", ""),
    "cuts anticlockwise": ("proter#PRO-2", "PRO-2 Seats and deal", ""),
    "cuts shuffled pack": (
        *("proter#PRO-2", "PRO-2 Seats and deal"),
        "Proter · Whoever sits to the left of the dealer cuts the shuffled pack.",
    ),
    "doctor ace of hearts": (
        "indian_chief#doctor_ace_of_hearts",
        *("CHI-3 House rule: The ace of hearts in a Doctor", ""),
    ),
    "suit within two ranks": (
        *("proter#discard_run", "PRO-12 House rule: "),
        "Proter · No discard of the top card's suit within two ranks of it.",
    ),
}
# What is among what is found, and what is not: all words have to be there, each by how it begins,
# in whatever letters.
AMONG = {
    "PRO-13": ("proter#PRO-13.1", ""),
    **dict.fromkeys(
        ("CAR-6 ESCALERA", "éscalera ｊoker", "escal jok", "“joker” escalera", "swap joker"),
        ("carioca#CAR-6", ""),
    ),
    "discard joker": ("kalooki#KAL-7", ""),
    "discard joker escalera": ("", "kalooki#KAL-7"),
    "ooki joker": ("", "kalooki#KAL-7"),
}


def test_rules_and_house_rules_are_found_by_number_title_and_words(stranger):
    for words, (place, heading, says) in FIRST.items():
        first = found(stranger, words)[0]
        assert first[0] == f"/rules/{place}", words
        assert first[1].startswith(heading), words
        assert says in ("", first[2]), words
    for words, (there, never) in AMONG.items():
        every = {one.removeprefix("/rules/") for one in addresses(stranger, words)}
        assert {there} - {""} <= every, words
        assert never not in every, words


def test_the_game_whose_rules_are_open_comes_first(stranger):
    assert addresses(stranger, "contract joker", "/rules/kalooki")[0].startswith("/rules/kalooki#")
    assert addresses(stranger, "contract joker", "/rules/carioca")[0].startswith("/rules/carioca#")
    games = [one.partition("#")[0] for one in addresses(stranger, "joker", "/rules/kalooki")]
    assert games == sorted(games, key=lambda game: game != "/rules/kalooki")
    assert len({*games}) > 1


def test_in_a_game_its_rules_are_searched_as_the_table_plays_them(marker):
    game = read_in(marker, Evening(started(penalty_points=25)))
    ((address, _, says), *others) = found(marker, "25 points", f"{game}/rules")
    assert address == f"{game}/rules#PRO-13"
    assert says == "Proter · A penalty is 25 points, written to the hand in which it happened."
    assert all(one.startswith((f"{game}/rules#", "/rules/")) for one, _, _ in others)
    assert f'action="{game}/rules"' in marker.open(f"{game}/rules")


def test_a_search_says_if_nothing_is_found_and_shows_thirty_results_at_most(stranger):
    page = stranger.open("/rules?q=canasta")
    assert "No rule has all of “ canasta ” in it." in text(page)
    assert addresses(stranger, "canasta") == []
    for nothing in ("", "   "):
        page = stranger.client.get("/rules", query_string={"q": nothing}).text
        assert "No rule has" not in page
        assert not FOUND.search(page)
    page = stranger.open("/rules?q=a")
    assert len(FOUND.findall(page)) == 30
    assert re.search(r"These are 30 of \d+\. Add a word to find fewer\.", text(page))


def test_any_words_can_be_searched_on_every_rules_page_and_are_kept(stranger):
    for words in (
        "<script>alert(1)</script>", '" onfocus="alert(1)', "{{ 7 * 7 }}",
        "(((((", "[a-", "\\", ".*", "%00", "\0", "%s' OR 1=1 --", "-.-",
        "\ud800", "\u202eקלף", "කාඩ්", "🂡", "a" * 5000, "a " * 5000,
    ):  # fmt: skip
        sent = words.encode("utf-8", "surrogatepass")
        answer = stranger.client.get("/rules/proter", query_string={"q": sent})
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert 'onfocus="alert' not in answer.text
        assert "a" * 101 not in answer.text
    for page in ("/rules", "/rules/proter", "/rules/three_thirteen"):
        shown = stranger.open(f"{page}?q=ace+low")
        assert f'action="{page}" hx-get="{page}"' in shown
        assert 'name="q" type="search" value="ace low"' in shown
