"""The server's side of the outbox: tokens, answers for scripts, idempotency keys."""

import re
from pathlib import Path

from companion.notebook.events import PenaltyCharged
from tests.web.conftest import Marker, text, totals, viewers_link

LATER = {"X-Action": "later"}
SEND = {"X-Action": "send"}
ANA = {"player": "0", "rule": "PRO-13.3"}  # 20 points


def charge(marker: Marker, game: str, headers: dict[str, str], **fields: str):  # type: ignore[no-untyped-def]
    """Send a penalty as the outbox does."""
    hidden = marker.hidden(f"{game}/penalty")
    return marker.client.post(f"{game}/penalty", data=hidden | ANA | fields, headers=headers)


def test_the_answer_to_a_script_has_the_next_address_and_the_entrys_number(marker, game):
    answer = charge(marker, game, SEND)
    assert answer.status_code == 200
    assert answer.json == {"to": game, "entry": 2, "after": 1}  # the start
    assert answer.headers["X-Action"] == "answered"
    assert "Location" not in answer.headers
    assert "20 points to Ana" in text(marker.open(game))
    assert totals(marker, game) == [20, 0, 0]
    # What writes nothing tells no entry.
    hidden = marker.hidden(f"{game}/ruling?ask=turn&player=0")
    fields = {"ask": "turn", "player": "0", "add": "discard", "cards": "5H"}
    answer = marker.client.post(f"{game}/ruling", data=hidden | fields, headers=SEND)
    assert [*answer.json] == ["to"]
    assert "/ruling?" in answer.json["to"]


def test_an_older_script_gets_no_json_and_sends_again_after_a_reload(marker, game):
    """A page that is open while the companion is updated has a header of its own time."""
    hidden = marker.hidden(f"{game}/penalty")
    answer = marker.client.post(f"{game}/penalty", data=hidden | ANA, headers={"X-Outbox": "send"})
    assert answer.status_code == 303
    assert not {"X-Outbox", "X-Action"} & set(answer.headers.keys())
    again = marker.client.post(f"{game}/penalty", data=hidden | ANA, headers=LATER)
    assert again.json == {"to": game, "entry": 2, "after": 1}
    assert totals(marker, game) == [20, 0, 0]


def test_refusals_give_a_reason_and_for_an_open_page_the_page(marker, game):
    answer = charge(marker, game, LATER, player="9")
    assert answer.status_code == 422
    assert answer.headers["X-Action"] == "answered"
    assert answer.json == {"says": "Say which player, then tap the reason again."}
    hidden = marker.hidden(f"{game}/penalty")
    marker.write(game, PenaltyCharged(1, 1, "PRO-13.3"))
    page = marker.client.post(f"{game}/penalty", data=hidden | ANA)
    assert page.mimetype == "text/html"
    answer = marker.client.post(f"{game}/penalty", data=hidden | ANA, headers=SEND)
    assert (answer.status_code, answer.mimetype) == (409, "application/json")
    assert answer.json == {
        "says": "The game has changed since this page was opened. "
        "Check what changed, then try again. "
        "Saved meanwhile: 20 points to Ben (PRO-13.3).",
        "page": page.text,
    }
    # What asks back says what it asks.
    hidden = marker.hidden(f"{game}/ruling?ask=discard&player=1", f"{game}/ruling")
    fields = {"ask": "discard", "player": "1", "cards": "QS"}
    answer = marker.client.post(f"{game}/ruling", data=hidden | fields, headers=LATER)
    assert answer.status_code == 200
    assert answer.json == {"says": "What was on top of the pile before Q♠?"}


def test_a_page_shows_the_message_of_its_own_save_not_of_a_later_one(marker, game):
    hidden = marker.hidden(f"{game}/penalty")
    later = hidden | {"base": "2", "key": "later", "player": "1", "rule": "PRO-13.3"}
    for fields, headers in ((hidden | ANA, SEND), (later, LATER)):
        answer = marker.client.post(f"{game}/penalty", data=fields, headers=headers)
        assert answer.status_code == 200
    told = text(marker.open(game)).partition("Deals")[0]
    assert "20 points to Ana" in told
    assert "Ben" not in told.partition("20 points")[2]


def test_the_tokens_of_the_outbox_are_valid_for_forms(marker, game):
    answer = marker.client.get("/outbox", headers=LATER)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    hidden = marker.hidden(f"{game}/penalty") | {"csrf_token": answer.json["token"]}
    assert marker.client.post(f"{game}/penalty", data=hidden | ANA).status_code == 303


def test_only_markers_get_tokens_and_precached_pages(stranger, marker, game):
    answer = stranger.client.get("/outbox", headers=LATER)
    assert answer.status_code == 403
    assert answer.headers["X-Action"] == "answered"
    for address in ("/", "/rules", "/settings"):
        page = stranger.open(address)
        outbox = '<meta name="outbox" content="/outbox" data-recover="/recover" data-join="/join">'
        assert outbox in page  # and no pages are kept
        assert "manifest" not in page
    for address in ("/", "/settings", game, f"{game}/end", f"{game}/rules"):
        assert '<meta name="outbox" content="/outbox" data-worker="/sw.js"' in marker.open(address)
    assert f'data-game="{game.rpartition("/")[2]}" data-base="1"' in marker.open(game)
    page = marker.open(viewers_link(marker, game))
    assert 'name="outbox"' not in page
    assert "data-base" not in page


def test_buttons_that_only_change_a_rulings_form_are_not_kept():
    pages = (Path(__file__).parents[2] / "templates" / "rulings").glob("*.html")
    buttons = [
        button
        for page in pages
        for button in re.findall(r"<button[^>]*>|{{ step_button[(]", page.read_text("utf-8"))
        if re.search(r'name="(add|drop|other|{{ name }})"|step_button[(]', button)
    ]
    assert len(buttons) >= 10
    # The macro step_button says it of all its buttons. Of a meld's buttons it is said where they
    # are used, as the table of a hand uses the same ones for actions.
    said = ('data-outbox="no"', "{{ attributes", "{{ step_button(")
    kept = [one for one in buttons if not any(word in one for word in said)]
    assert kept == []


def test_a_question_names_the_player_in_the_waiting_list(marker, game):
    for ask, what in (("turn", "A whole turn"), ("discard", "Discard"), ("lay_off", "Lay-off")):
        named = marker.open(f"{game}/ruling?ask={ask}&player=1")
        assert f'data-what="Ruling on Ben: {what}"' in named
        assert f'data-what="Ruling: {what}"' in marker.open(f"{game}/ruling?ask={ask}")


# -- keys that follow from the marker, the base and the form --------------------------------------

TWENTY = {"player": "1", "rule": "PRO-13.3"}


def test_equal_forms_of_two_tabs_are_one_action_and_after_an_undo_another(marker, game):
    first, second = (marker.hidden(f"{game}/penalty") for _ in range(2))
    assert first == second
    for hidden in (first, second):
        assert marker.post(f"{game}/penalty", TWENTY, **hidden).status_code == 303
    assert totals(marker, game) == [0, 20, 0]
    marker.saved(game, to=f"{game}/undo")
    for _ in range(2):
        hidden = marker.hidden(f"{game}/penalty")
        assert marker.post(f"{game}/penalty", TWENTY, **hidden).status_code == 303
        assert totals(marker, game) == [0, 20, 0]
        undo = marker.hidden(game, f"{game}/undo")
        assert marker.post(f"{game}/undo", **undo).status_code == 303
        assert totals(marker, game) == [0, 0, 0]
    keys = [entry.key for entry in marker.loaded(game).entries]
    assert len({*keys}) == len(keys) == 7
