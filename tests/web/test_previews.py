"""What a messenger shows of a link: of a viewer's what the viewer sees, of any other nothing."""

import re
from html import unescape
from urllib.parse import urlsplit

import pytest

from companion.notebook.events import PenaltyCharged
from companion.store import Database
from companion.web.auth import is_preview
from tests.web.conftest import viewers_link, write

TELEGRAM = "TelegramBot (like TwitterBot)"
WHATSAPP = "WhatsApp/2.23.20.0"


def told(page: str) -> dict[str, str]:
    """What the head of a page says for previews."""
    found = re.findall(r'<meta (?:property|name)="([a-z:]+)" content="([^"]*)">', page)
    return {name: unescape(content) for name, content in found}


def test_a_viewers_link_shows_the_game_and_its_standings(app, marker, stranger, game):
    write(app, marker, game, PenaltyCharged(1, 1, "PRO-13.3"))
    viewed = viewers_link(marker, game)
    for part in ("", "/tally"):
        says = told(stranger.open(viewed + part))
        assert says["og:title"] == "Ana, Ben, Chandi"
        assert says["og:description"] == "Hand 1 of 13: Ana 0, Chandi 0, Ben 20"
        assert says["robots"] == "noindex"
    assert says["og:image"].startswith("http://localhost/static/")
    with stranger.client.get(says["og:image"]) as answer:
        assert answer.content_type == "image/png"
        size = (int.from_bytes(answer.data[at : at + 4], "big") for at in (16, 20))
        assert [*size] == [int(says[f"og:image:{side}"]) for side in ("width", "height")]


def test_links_that_let_somebody_in_are_told_in_general(app, marker, stranger, game):
    page = marker.act(f"{game}/hand-on", {"way": "notebook"}).text
    found = re.search(r'data-copy="([^"]*)"', page)
    assert found is not None
    secret = found[1].rpartition("/")[2]
    for address in (found[1], f"/k/{app.config['HOUSE_KEY']}", "/join", "/v/wrong"):
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
