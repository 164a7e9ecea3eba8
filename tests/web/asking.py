"""A marker's steps in a dispute: ask, answer a question, record plays."""

import re
from html import unescape
from typing import Any

from werkzeug.test import TestResponse

from companion.notebook.events import HandEntry, HandMarked, PlayRecorded
from tests.web.conftest import Marker, find, sent_again

ANA, BEN, CHANDI = "0", "1", "2"


def ask(marker: Marker, game: str, kind: str, player: str, **fields: Any) -> TestResponse:
    """Send the form of this kind of question."""
    sent = {"ask": kind, "player": player} | fields
    return marker.post(f"{game}/ruling", sent, **marker.fresh(game))


def ruling(marker: Marker, game: str, kind: str, player: str, **fields: Any) -> str:
    """Ask, and open the page of the ruling, which must need no further fact."""
    asked = ask(marker, game, kind, player, **fields)
    assert asked.status_code == 303, asked.text
    return marker.open(asked.location)


def answered(marker: Marker, asked: TestResponse, **fields: str) -> TestResponse:
    """Send the form of a page that asks for a missing fact, with the answer."""
    assert asked.status_code == 200, asked.text
    main = asked.text[asked.text.index("<main") :]
    action = find(main, r'<form[^>]* action="([^"]+)"')
    return marker.post(action, [*sent_again(main, action), *fields.items()])


def text_of(page: str) -> str:
    """Return the text of a page, from its main part on."""
    main = page[page.index("<main") :]
    apart = re.sub(r"</(p|li|h\d|legend|label|button|small|a)>", " ", main)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", apart))).replace("\ufe0e", "")


def verdict(page: str) -> str:
    """Return the verdict on the page of a ruling, without the sign before it."""
    return find(page, r'(?s)class="word"><svg.*?(Legal|Illegal)')


def again(marker: Marker, page: str, name: str, value: str) -> TestResponse:
    """Tap a button on the page of a ruling that asks the question again."""
    form = page[page.index('<form id="change"') :]
    action = find(form, r'action="([^"]+)"')
    return marker.post(action, [*sent_again(form, action), (name, value)])


def changed(marker: Marker, page: str, says: str) -> TestResponse:
    """Tap “Change” beside a fact on the page of a ruling."""
    facts = re.findall(
        r"<li>.*?</li>", page.partition('class="rests"')[2].partition("</ul>")[0], re.DOTALL
    )
    (fact,) = [one for one in facts if says in text_of(f"<main{one}")]
    ((name, value),) = re.findall(r'form="change" name="(\w+)" value="(\w+)"', fact)
    return again(marker, page, name, value)


def played_by(marker: Marker, page: str, player: str) -> TestResponse:
    """Say on the page of a ruling that it was another player's play."""
    assert f'name="other" value="{player}"' in page
    return again(marker, page, "other", player)


def undo(marker: Marker, game: str) -> None:
    assert marker.post(f"{game}/undo", **marker.fresh(game)).status_code == 303


def see(marker: Marker, game: str, *cards: str, to: str = BEN) -> None:
    """Record discards, one of each player in turn, so that ``to`` plays after the last one."""
    players = len(marker.loaded(game).sheet.names)
    for number, card in enumerate(cards):
        seat = (int(to) - len(cards) + number) % players
        _put(marker, game, seat, f"discard {card}")


def lay(marker: Marker, game: str, player: str, *cards: str) -> None:
    """Record a meld."""
    _put(marker, game, int(player), f"meld {' '.join(cards)}")


def _put(marker: Marker, game: str, seat: int, play: str) -> None:
    marker.write(game, PlayRecorded(marker.loaded(game).sheet.hand.number, seat, play))


def record(marker: Marker, game: str, fields: dict[str, Any]) -> TestResponse:
    """Send the form of the recorded table."""
    return marker.post(f"{game}/table", fields, **marker.fresh(game))


def on_table(marker: Marker, game: str) -> str:
    """Return the text of the recorded table."""
    said = text_of(marker.open(f"{game}/table")).partition("Record a play")[0]
    return said[said.index("The recorded table") :]


def mark(marker: Marker, game: str, hands: int = 1) -> None:
    """Mark the next hands: Ana out, Ben left with the 9 of clubs, Chandi with the 10."""
    for _ in range(hands):
        hand = marker.loaded(game).sheet.hand.number
        entries = (HandEntry(1, "9C", melded=True), HandEntry(2, "TC", melded=True))
        marker.write(game, HandMarked(hand, 0, entries, table_is_old=True))
