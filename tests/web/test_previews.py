"""Previews of links in a messenger: the standings for viewers' links, nothing for others."""

import io
import re
from html import unescape
from urllib.parse import urlsplit

import pytest
from PIL import Image, ImageDraw

from companion.notebook.events import GameDeleted, HandEntry, HandMarked, PenaltyCharged
from companion.store import Database
from companion.web import viewers
from companion.web.auth import is_preview
from tests.services.seven_at_table import whole_game
from tests.web.conftest import find, read_in, viewers_link

PICTURE = "/standings.png"
TELEGRAM = "TelegramBot (like TwitterBot)"
WHATSAPP = "WhatsApp/2.23.20.0"


def told(page: str) -> dict[str, str]:
    """Return the tags for previews in the head of a page."""
    found = re.findall(r'<meta (?:property|name)="([a-z:]+)" content="([^"]*)">', page)
    return {name: unescape(content) for name, content in found}


def test_a_viewers_link_shows_the_game_and_its_standings(marker, stranger, game):
    marker.write(game, PenaltyCharged(1, 1, "PRO-13.3"))
    viewed = viewers_link(marker, game)
    for part in ("", "/tally"):
        says = told(stranger.open(viewed + part))
        assert says["og:title"] == "Ana, Ben, Chandi"
        assert says["og:description"] == "Hand 1 of 13: Ana 0, Chandi 0, Ben 20"
        assert says["og:image"] == f"http://localhost{viewed}{PICTURE}?at=2"
        assert says["robots"] == "noindex"
    answer = stranger.client.get(says["og:image"])
    assert answer.content_type == "image/png"
    assert answer.headers["X-Robots-Tag"] == "noindex"
    assert "Set-Cookie" not in answer.headers
    image = Image.open(io.BytesIO(answer.data))
    assert (image.format, image.size) == ("PNG", (1200, 630))
    # So does that of a game that is over.
    viewed = viewers_link(marker, read_in(marker, whole_game()))
    assert told(stranger.open(viewed))["og:description"].startswith("Final score: ")
    assert stranger.client.get(viewed + PICTURE).status_code == 200


def test_the_picture_follows_the_game_until_it_is_deleted(marker, stranger, game):
    address = viewers_link(marker, game) + PICTURE
    first = stranger.client.get(address).data
    marker.write(game, PenaltyCharged(1, 1, "PRO-13.3"))
    assert stranger.client.get(address).data != first
    marker.write(game, GameDeleted())
    assert stranger.client.get(address).status_code == 404
    assert stranger.client.get(f"/v/wrong{PICTURE}").status_code == 404


def test_the_picture_has_no_place_and_no_leader_before_anybody_leads(marker, game, monkeypatch):
    written: dict[str, str] = {}
    write = ImageDraw.ImageDraw.text

    def note(pen, at, text, fill, font, anchor):
        written[text] = fill
        write(pen, at, text, fill, font, anchor=anchor)

    monkeypatch.setattr(ImageDraw.ImageDraw, "text", note)
    viewers.draw(marker.loaded(game).sheet)
    assert written["Ana"] == written["Ben"]
    assert not {"1.", "2.", "3."} & {*written}
    marker.write(game, PenaltyCharged(1, 1, "PRO-13.3"))
    viewers.draw(marker.loaded(game).sheet)
    assert {"1.", "3."} <= {*written}
    assert written["Ana"] == written["Ben"]  # no hand is marked
    marker.write(game, HandMarked(1, 0, (HandEntry(1, "5C"), HandEntry(2, "9C"))))
    viewers.draw(marker.loaded(game).sheet)
    assert written["Ana"] != written["Ben"]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Ana", "Ana"),
        ("Chloé  Ångström", "Chloé Ångström"),
        ("Χρυσή", "Χρυσή"),
        ("Дмитрий", "Дмитрий"),
        ("Bela\u0301 👩‍👧", "Belá"),
        ("👩‍👧‍👦", "Player 2"),
        ("שלום", "Player 2"),
        ("चाँदी", "Player 2"),
        ("小明", "Player 2"),
        ("Ana\u202e", "Ana"),
        ("a\ufe0f", "a"),
    ],
)
def test_a_name_that_the_picture_cannot_draw_is_replaced_by_its_seat(name, written):
    assert viewers.drawable(name, 2) == written


def test_a_name_that_is_too_long_is_cut():
    assert viewers.cut("Ana", 40, 500) == "Ana"
    assert viewers.cut("W" * 60, 40, 200).rstrip("…") in "W" * 10
    assert viewers.cut("W", 40, 0) == "…"


def test_previews_of_secret_links_show_nothing_of_a_game(app, marker, stranger, game):
    page = marker.act(f"{game}/transfer", {"way": "notebook"}).text
    link = find(page, r'data-copy="([^"]*)"')
    secret = link.rpartition("/")[2]
    for address in (link, f"/k/{app.config['HOUSE_KEY']}", "/join", "/v/wrong"):
        answer = stranger.client.get(
            urlsplit(address).path, headers={"User-Agent": WHATSAPP}, follow_redirects=True
        )
        head = answer.text.partition("</head>")[0]
        assert told(head)["og:title"] == "Rummy companion"
        for never in (secret, app.config["HOUSE_KEY"], "Ana", game):
            assert never not in head


@pytest.mark.own_app
def test_a_preview_of_the_house_key_begins_no_notebook(app, stranger):
    answer = stranger.client.get(f"/k/{app.config['HOUSE_KEY']}", headers={"User-Agent": TELEGRAM})
    assert (answer.status_code, answer.location) == (303, "/")
    stranger.open("/games/new", 403)
    database: Database = app.extensions["companion_database"]
    with database.read() as session:
        assert session.connection().exec_driver_sql("SELECT * FROM notebook").all() == []


@pytest.mark.parametrize(
    ("user_agent", "yes"),
    [
        (TELEGRAM, True),
        (WHATSAPP, True),
        ("facebookexternalhit/1.1", True),
        ("Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)", True),
        ("Slackbot-LinkExpanding 1.0", True),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Safari/604.1", False),
        ("", False),
    ],
)
def test_programs_that_draw_previews_say_so(user_agent, yes):
    assert is_preview(user_agent) is yes
