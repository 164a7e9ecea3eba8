"""Rules and house rules are found by their words and numbers, in all games."""

import re
from html import unescape

import pytest

from tests.notebook.evening import Evening, started
from tests.web.conftest import Marker, read_in, text

FOUND = re.compile(
    r'<a class="item" href="([^"]+#[^"]+)"><span><b>(.*?)</b>\s*<small>(.*?)</small>', re.DOTALL
)


def found(reader: Marker, words: str, page: str = "/rules") -> list[tuple[str, str, str]]:
    """Address, heading, and game with sentence of all that is found."""
    answer = reader.client.get(page, query_string={"q": words})
    assert answer.status_code == 200
    return [tuple(map(unescape, one)) for one in FOUND.findall(answer.text)]


def addresses(reader: Marker, words: str, page: str = "/rules") -> list[str]:
    return [address for address, _, _ in found(reader, words, page)]


def test_a_rule_is_found_by_its_number(stranger):
    assert addresses(stranger, "KAL-7") == ["/rules/kalooki#KAL-7"]
    assert addresses(stranger, " kal-7. ") == ["/rules/kalooki#KAL-7"]
    assert addresses(stranger, "PRO-13.1") == ["/rules/proter#PRO-13.1"]
    assert addresses(stranger, "PRO-1")[0] == "/rules/proter#PRO-1"
    penalties = addresses(stranger, "PRO-13")
    assert penalties[0] == "/rules/proter#PRO-13"
    assert {f"/rules/proter#PRO-13.{part}" for part in range(1, 7)} <= {*penalties}


def test_a_rule_is_found_by_its_title_before_others(stranger):
    titled = found(stranger, "proter in hand")
    assert titled[0][:2] == ("/rules/proter#PRO-13.4", "PRO-13.4 Proter in hand")
    assert {address for address, heading, _ in titled if "hand" not in heading.lower()}


def test_a_rule_is_found_by_words_of_its_text_and_the_sentence_is_shown(stranger):
    ((address, heading, says),) = found(stranger, "cuts anticlockwise")
    assert (address, heading) == ("/rules/proter#PRO-2", "PRO-2 Seats and deal")
    assert says.startswith("Proter · ")
    ((_, _, says),) = found(stranger, "cuts shuffled pack")
    assert says == "Proter · Whoever sits to the left of the dealer cuts the shuffled pack."


def test_a_house_rule_is_found_by_its_title_and_by_what_a_choice_says(stranger):
    by_title = found(stranger, "doctor ace of hearts")
    assert by_title[0][0] == "/rules/indian_chief#doctor_ace_of_hearts"
    assert by_title[0][1] == "CHI-3 House rule: The ace of hearts in a Doctor"
    ((address, heading, says),) = found(stranger, "suit within two ranks")
    assert (address, heading[:18]) == ("/rules/proter#discard_run", "PRO-12 House rule:")
    assert says == "Proter · No discard of the top card's suit within two ranks of it."


@pytest.mark.parametrize(
    "words", ["CAR-6 ESCALERA", "éscalera ｊoker", "escal jok", "“joker” escalera"]
)
def test_case_accents_quotes_and_endings_make_no_difference(stranger, words):
    assert "/rules/carioca#CAR-6" in addresses(stranger, words)


def test_a_rule_is_found_by_what_players_call_a_dispute_about_it(stranger):
    assert {"/rules/carioca#CAR-6", "/rules/kalooki#KAL-6"} <= {*addresses(stranger, "swap joker")}


def test_all_words_have_to_be_there(stranger):
    assert "/rules/kalooki#KAL-7" in addresses(stranger, "discard joker")
    assert "/rules/kalooki#KAL-7" not in addresses(stranger, "discard joker escalera")
    # A word is found by how it begins.
    assert addresses(stranger, "ooki joker") == []


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


def test_nothing_found_is_said_in_one_sentence(stranger):
    page = stranger.open("/rules?q=canasta")
    assert "No rule has all of “ canasta ” in it." in text(page)
    assert addresses(stranger, "canasta") == []
    for nothing in ("", "   "):
        page = stranger.client.get("/rules", query_string={"q": nothing}).text
        assert "No rule has" not in page
        assert not FOUND.search(page)


def test_of_very_many_the_first_thirty_are_shown(stranger):
    page = stranger.open("/rules?q=a")
    assert len(FOUND.findall(page)) == 30
    assert re.search(r"These are 30 of \d+\. Add a word to find fewer\.", text(page))


def test_any_words_can_be_searched(stranger):
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


def test_the_field_is_on_every_rules_page_and_keeps_what_was_searched(stranger):
    for page in ("/rules", "/rules/proter", "/rules/three_thirteen"):
        shown = stranger.open(f"{page}?q=ace+low")
        assert f'action="{page}" hx-get="{page}"' in shown
        assert 'name="q" type="search" value="ace low"' in shown
