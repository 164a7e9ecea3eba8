"""How the templates write cards, points, names and times, and static files with their version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from flask import Flask, Response, abort, send_from_directory, url_for
from markupsafe import Markup

from companion.notebook.arrangements import Arranged
from companion.notebook.describe import say, score, signed
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import Laid, parse_card, parse_offered
from companion.rules.game import Deck, Game
from companion.rules.melds import Meld
from companion.rules.table import describe, parse_play
from companion.store import UNREADABLE

FOLDER = Path(__file__).resolve().parents[2] / "static"
YEAR = 365 * 24 * 60 * 60


def card_name(text: str) -> str:
    """A card in words, for a screen reader: ``8 of hearts``."""
    return parse_card(text).word


def shown(text: str) -> str:
    """Cards of a meld or a pile as people write them: ``5♣ 8♥ for 6♣ 7♣``."""
    cards = [parse_offered(part) for part in text.split()]
    return ", ".join(
        one.card.shown
        if one.stands_for in (None, one.card)
        else f"{one.card.shown} for {one.stands_for.shown}"
        for one in cards
    )


def chips(cards: Meld | str | Sequence[Laid]) -> list[str]:
    """The cards of a meld or a lay-off, or of card text, for the ``meld`` macro.

    A wild card that stands for itself is shown plainly.
    """
    if isinstance(cards, Meld):
        cards = cards.cards
    texts = cards.split() if isinstance(cards, str) else [laid.text for laid in cards]
    return [text[:2] if text[:2] == text[3:] else text for text in texts]


def play_words(text: str) -> str:
    """A play in words, from its text: ``Meld 5♣, 8♥ for 6♣, 7♣``."""
    return describe(parse_play(text))


def fewer(shown: Arranged) -> str:
    """What the best arrangement would come to, beside this one: ``could be 5 points fewer``."""
    if shown.points > shown.best:
        return f"could be {points(shown.points - shown.best)} fewer"
    if shown.points < shown.best:
        return f"{points(shown.best - shown.points)} fewer than can be"
    return ""


def clock(at: datetime) -> str:
    """A moment, in the server's time: ``21 Nov 2026, 23:05``."""
    if at == UNREADABLE:
        return "an unknown time"
    local = at.astimezone()
    return f"{local.day} {local:%b %Y, %H:%M}"


def points(number: int) -> str:
    """``1 point``, ``20 points``, ``−5 points``."""
    return f"{score(number)} point{'' if number == 1 else 's'}"


def arrow(number: int) -> str:
    """What of a hand's points is penalties: ``▲20``; or a bonus: ``▼10``."""
    return f"▲{number}" if number >= 0 else f"▼{-number}"


def listed(names: Iterable[str], last: str = ", ") -> Markup:
    """Names one after the other, each kept apart from the direction of what stands around it."""
    *before, end = [Markup("<bdi>{}</bdi>").format(name) for name in names]
    return Markup("{}{}{}").format(Markup(", ").join(before), last, end) if before else end


def leader_names(sheet: ScoreSheet) -> list[str]:
    """The names of those in first place."""
    return [sheet.names[player] for player in sheet.leaders()]


def leads_or_wins(sheet: ScoreSheet) -> str:
    """What the leaders do: ``leads``, ``lead``, ``wins``, ``share the win``."""
    several = len(sheet.leaders()) > 1
    if sheet.over:
        return "share the win" if several else "wins"
    return "lead" if several else "leads"


def packs_of(game: Game) -> str:
    """What a game is played with: ``1 pack``, ``1 to 3 packs with jokers``."""
    decks = [one.deck for sheet in game.sheets for one in game.decks_of(game.house(sheet.id))]
    packs = sorted({deck.packs for deck in decks})
    counts = f"{packs[0]} to {packs[-1]}" if len(packs) > 1 else str(packs[0])
    jokers = " with jokers" if any(deck.jokers for deck in decks) else ""
    return f"{counts} pack{'' if counts == '1' else 's'}{jokers}"


def deck_says(sheet: ScoreSheet) -> str:
    """What this table plays with, and why where that must be said: ``2 packs and 2 jokers.``"""
    fits = next(
        one
        for one in sheet.game.decks_of(sheet.house)
        if one.fewest <= len(sheet.names) <= one.most
    )
    return f"{deck_words(fits.deck)}. {fits.says}".strip()


def deck_words(deck: Deck) -> str:
    """``1 pack``, ``2 packs and 4 jokers``."""
    packs = f"{deck.packs} pack{'' if deck.packs == 1 else 's'}"
    jokers = f" and {deck.jokers} joker{'' if deck.jokers == 1 else 's'}" if deck.jokers else ""
    return packs + jokers


def decks_said(game: Game) -> list[tuple[str, str]]:
    """Why so many packs, where that must be said: the sheet's title, and the sentence."""
    several = len(game.sheets) > 1
    return [
        (sheet.title if several else "", one.says)
        for sheet in game.sheets
        for one in game.decks_of(game.house(sheet.id))
        if one.says
    ]


@lru_cache(maxsize=1)
def version() -> str:
    """Return a short text that changes when any static file does."""
    digest = hashlib.sha256()
    for path in sorted(FOLDER.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(FOLDER).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def asset(name: str) -> str:
    """Return the address of a static file with its version, so that a phone need not ask again."""
    return url_for("static", version=version(), filename=name)


def send(version: str, filename: str) -> Response:
    """Send a static file; another version's address gives today's file, but is not to be kept."""
    fresh = version == globals()["version"]()
    response = send_from_directory(FOLDER, filename, max_age=YEAR if fresh else 0)
    # Read as a whole, since what is handed on piece by piece is never compressed with gzip.
    response.direct_passthrough = False
    whole = response.get_data()
    response.set_data(without_comments(whole) if filename.endswith(".js") else whole)
    if fresh:
        response.cache_control.immutable = True
    return response


def without_comments(script: bytes) -> bytes:
    """Return a script without the lines that only say something to its readers."""
    lines = script.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.lstrip().startswith(b"//"))


def init_app(app: Flask) -> None:
    """Give the templates their words, and serve the static files."""
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.add_url_rule("/static/<version>/<path:filename>", "static", send)
    app.add_url_rule("/favicon.ico", "favicon", lambda: abort(404))
    app.jinja_env.globals |= {
        "asset": asset,
        "card_name": card_name,
        "deck_says": deck_says,
        "leader_names": leader_names,
        "leads_or_wins": leads_or_wins,
        "say": say,
    }
    app.jinja_env.filters |= {
        "chips": chips,
        "play_words": play_words,
        "shown": shown,
        "fewer": fewer,
        "clock": clock,
        "listed": listed,
        "points": points,
        "score": score,
        "signed": signed,
        "arrow": arrow,
    }
