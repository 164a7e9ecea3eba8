"""The list of games: finding, renaming, archiving, deleting and restoring them."""

import io
import re
from html import unescape
from urllib.parse import unquote

from companion.notebook.events import GameEnded, HandEntry, HandMarked, PenaltyCharged
from companion.services import games
from tests.web.asking import text_of
from tests.web.conftest import begin, sent_again, text, viewers_link


def test_names_from_right_to_left_leave_the_others_in_their_place(marker):
    game = begin(marker, ("דוד", "Ben 3"))
    for page in (marker.open(game), marker.open("/"), marker.open(f"{game}/delete")):
        assert '<bdi dir="ltr">\u2068דוד\u2069, Ben 3</bdi>' in page
    saved = marker.client.get(f"{game}/game.json").headers["Content-Disposition"]
    assert unquote(saved).count("דוד, Ben 3") == 1


def test_games_are_found_by_title_and_players(marker, game):
    begin(marker, ("Dilani", "Esha"), title="Friday")
    assert "Friday" in marker.open("/")
    assert "Friday" in marker.open("/?q=friday")
    assert "Friday" in marker.open("/?q=DILANI")
    assert "Friday" in marker.open("/?q=Esha,+Dilani")
    assert game not in marker.open("/?q=friday")
    for nonsense in ("/?q=%25", "/?page=99999", "/?page=x", "/?q=" + "x" * 500):
        marker.open(nonsense)


def titles_of(page: str) -> list[str]:
    return re.findall(r'<(?:b|small)><bdi dir="ltr">(\w+)</bdi></', page)


def link(page: str, words: str) -> str:
    found = re.search(rf'href="([^"]*)">{words}</a>', page)
    return unescape(found[1]) if found else ""


def test_the_pages_of_a_list_lead_there_and_back(marker, monkeypatch):
    monkeypatch.setattr(games, "PAGE", 2)
    for title in "abcde":
        begin(marker, ("Ana", "Ben"), title=title)
    first = marker.open("/")
    assert (titles_of(first), link(first, "Newer")) == (["e", "d"], "")
    second = marker.open(link(first, "Older"))
    third = marker.open(link(second, "Older"))
    assert (titles_of(second), titles_of(third)) == (["c", "b"], ["a"])
    assert link(third, "Older") == ""
    back = marker.open(link(third, "Newer"))
    assert (titles_of(back), link(back, "Older")) == (["c", "b"], link(second, "Older"))
    assert titles_of(marker.open(link(back, "Newer"))) == ["e", "d"]
    begin(marker, ("Ana", "Ben"), title="f")  # and a link shows the games that it showed
    assert titles_of(marker.open(link(first, "Older"))) == ["c", "b"]
    assert titles_of(marker.open(link(second, "Newer"))) == ["e", "d"]
    # A link to a place where nothing is shows the first page.
    for place in ("0~x", "~", "x~y", f"{'9' * 30}~x", f"-{'9' * 17}~x", "é~x", f"0~{'x' * 99}"):
        for side in ("older", "newer"):
            assert titles_of(marker.open(f"/?{side}={place}")) == ["f", "e"]


def test_the_list_says_who_leads_and_the_totals_are_read_out_in_words(marker, game):
    marker.write(game, HandMarked(1, 0, (HandEntry(1, "5C"), HandEntry(2, "9C"))))
    assert "Continue: hand 2 of 13 Ana leads with 0 · Proter " in text_of(marker.open("/"))
    marker.write(game, HandMarked(2, 1, (HandEntry(0, "5D"), HandEntry(2, "9D"))))
    assert "Continue: hand 3 of 13 Ana and Ben lead with 5 · Proter " in text_of(marker.open("/"))
    marker.saved(game, to=f"{game}/undo")
    marker.write(game, PenaltyCharged(2, 1, "PRO-13.3"))
    said = text_of(marker.open(game))
    # In order of seats: five points and a penalty of twenty for Ben, who deals; nine for Chandi.
    assert (
        "1. Ana leads +0 last 0 3. Ben deals +5 last · 25 behind +20 in this hand, included 25 "
        "2. Chandi +9 last · 9 behind 9 "
    ) in said


def test_the_totals_are_in_the_order_of_seats_or_by_standing(marker, game):
    marker.write(game, HandMarked(1, 1, (HandEntry(0, "9C"), HandEntry(2, "5C"))))
    assert re.findall(r'class="who"><bdi>(\w+)', marker.open(game)) == ["Ana", "Ben", "Chandi"]
    fields = {"order": "standing", "theme": "auto", "suits": "two", "text": "normal"}
    back = marker.act(game, fields, to=f"/settings?back={game}")
    assert (back.status_code, back.location) == (303, game)
    assert re.findall(r'class="who"><bdi>(\w+)', marker.open(game)) == ["Ben", "Chandi", "Ana"]
    marker.act("/settings", fields | {"order": ""})
    assert re.findall(r'class="who"><bdi>(\w+)', marker.open(game)) == ["Ben", "Chandi", "Ana"]


CARIOCA_DEAL = "11 cards each, one at a time, anticlockwise, beginning with Ben"
DEALT = {
    "proter": ["6 cards each. Next: 2s wild", "Ana shuffles and Chandi cuts."],  # PRO-1, PRO-2
    # PAY-2, PAY-3; nothing says who cuts.
    "pay_me": ["3 cards each. Next: 4 cards; jokers, 2s and 4s wild", "Ana shuffles and deals."],
    "carioca": [  # CAR-1, CAR-3
        *("11 cards each. Next: contract 1 trio and 1 escalera", "Contract 2 trios Wild jokers"),
        *(CARIOCA_DEAL, "One card is turned up and begins the pile", "CAR-1"),
    ],
    "indian_chief": ["8 cards each."],  # CHI-1
    "indian_rummy": ["13 cards each."],  # IND-1
}


def test_the_hand_page_says_how_to_deal_and_what_is_wild_or_required(marker):
    for kind, says in DEALT.items():
        page = marker.open(begin(marker, game=kind))
        assert [one for one in says if one not in text(page)] == [], kind
        assert ("Next:" in text_of(page)) is ("Next:" in says[0])
        if kind != "proter":
            assert "Proter" not in text(page).replace("Proter?", "")


def test_a_game_and_its_players_are_renamed(marker, game):
    fields = {"title": "Sunday", "name-0": "Anna", "name-1": "Ben", "name-2": "Chandi"}
    marker.saved(f"{game}/manage", fields, to=f"{game}/names")
    page = marker.open(game)
    assert "Saved." in page
    assert "Sunday" in page
    assert "Anna" in page
    # A name is freed before it is taken.
    fields |= {"name-0": "Ben", "name-1": "Bert"}
    marker.saved(f"{game}/manage", fields, to=f"{game}/names")
    assert "Bert" in marker.open(game)


def test_who_deals_is_corrected_at_any_hand(marker, game):
    marker.write(game, HandMarked(1, 0, (HandEntry(1, "5C"), HandEntry(2, "9C"))))
    assert "DealsBen" in text_of(marker.open(game))
    page = marker.open(f"{game}/manage")
    assert "Dealer of hand 2" in page
    tile = re.search(r'name="first_dealer" value="(.)"[^>]*><span><bdi>Ana<', page)
    marker.saved(f"{game}/manage", {"first_dealer": tile[1]}, to=f"{game}/names")
    assert "DealsAna Plays firstBen" in text_of(marker.open(game))
    assert "Chandi dealt, Ana played first" in text_of(marker.open(f"{game}/hands/1"))
    assert "Chandi deals first" in text_of(marker.open(f"{game}/log"))
    marker.write(game, GameEnded(2))  # nobody said that hand 2 was dealt
    assert "Dealer of hand 1" in marker.open(f"{game}/manage")


def test_impossible_names_are_refused_with_a_reason(marker, game):
    for fields, sentence in (
        ({"name-0": ""}, "needs a name"),
        ({"name-0": "Ben"}, "Two players are called"),
        ({"title": "t" * 61}, "60 characters"),
        ({"first_dealer": "3"}, "Say who deals first"),
        ({"name-0": "Ben", "name-1": "Ana"}, "To swap two names"),
    ):
        answer = marker.refused(f"{game}/manage", fields, to=f"{game}/names")
        assert sentence in answer.text


def test_a_game_is_deleted_also_for_its_viewers_until_it_is_restored(marker, stranger, game):
    viewed = viewers_link(marker, game)
    marker.saved(f"{game}/delete")
    assert game not in marker.open("/")
    assert "This game is deleted. Restore it to go on with it." in text_of(marker.open(game))
    seen = text(stranger.open(viewed, 404))
    assert "the game was deleted" in seen
    assert "for good" not in seen
    marker.saved("/games/deleted", to=f"{game}/restore")
    assert game in marker.open("/")
    assert "This game is deleted" not in marker.open(game)
    assert "Hand 1 of 13" in text(stranger.open(viewed))


def test_a_game_is_archived_once_and_restored(marker, game):
    hidden = marker.hidden(f"{game}/manage", f"{game}/archive")
    assert marker.post(f"{game}/archive", **hidden).status_code == 303
    assert marker.post(f"{game}/archive", **hidden).status_code == 303
    hidden["key"] = "another-key-of-a-form"
    assert marker.post(f"{game}/archive", **hidden).status_code == 409
    assert game not in marker.open("/")
    assert game in marker.open("/games/archive")
    marker.saved(f"{game}/manage", to=f"{game}/take-out")
    assert game in marker.open("/")


def test_a_file_that_is_not_a_saved_game_is_refused(marker):
    hidden = marker.hidden("/games/import")
    for content in (None, b"", b"{", b"\xff\xfe", b'{"format": "other"}'):
        file = {} if content is None else {"file": (io.BytesIO(content), "game.json")}
        answer = marker.client.post("/games/import", data=hidden | file)
        assert answer.status_code == 422
        assert 'id="file-error"' in answer.text
        assert "<h2>Not imported</h2>" in answer.text
        # It says what to do next, unless that is to choose a file.
        says_more = "Save the game as a file again where it is kept" in answer.text
        assert says_more is (content is not None)


def test_a_new_name_that_looks_like_another_is_asked_about_once(marker, game):
    answer = marker.refused(f"{game}/manage", {"name-1": "Аna"}, to=f"{game}/names")
    assert "“Ana” and “Аna” look alike. Change one of them" in unescape(answer.text)
    answer = marker.post(f"{game}/names", sent_again(answer.text, f"{game}/names"))
    assert answer.status_code == 303
    assert "Аna" in marker.open(game)
