"""Send requests that no page of ours would, and then open every page of the resulting games."""

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from flask import Flask
from jinja2 import FileSystemBytecodeCache

from companion.services.games import faults
from companion.web.app import create_app
from companion.web.auth import database
from tests.fuzzing import Fuzzer
from tests.torture.storage import Place, Result

# How many requests have the same seed, and the same database, which is empty at first.
OF_A_SEED = 5_000
PAGES = ("", "/sheet", "/log", "/tally", "/game.json")


def run(place: Place, folder: Path, requests: int, seed: int) -> Result:
    """Send `requests` requests, with an empty database for each seed."""
    begun, first = time.monotonic(), seed
    statuses: Counter[int] = Counter()
    wrong: list[str] = []
    games = 0
    while statuses.total() < requests:
        own = folder / f"seed-{seed}"
        own.mkdir()
        with _application(own, place.another(own)) as app:
            count = min(OF_A_SEED, requests - statuses.total())
            fuzzer, opened, found = one_seed(app, count, seed)
        statuses += fuzzer.statuses
        games += opened
        wrong += [f"Seed {seed}: {error}" for error in found]
        seed += 1
    kinds = ", ".join(f"{count} times {code}" for code, count in sorted(statuses.items()))
    sentence = (
        f"Requests, {place.name}: {statuses.total()} requests with {seed - first} seeds (from "
        f"{first}) in {time.monotonic() - begun:.0f} s. The answers were {kinds}. With {games} "
        f"games that came of it, {len(wrong)} things were wrong: a 500, a page that could not be "
        "opened afterwards, or a fault in the database."
    )
    return Result(sentence, wrong)


def one_seed(app: Flask, requests: int, seed: int) -> tuple[Fuzzer, int, list[str]]:
    """Run a fuzzer; return it, the number of its games, and the errors."""
    client = app.test_client()
    client.get(f"/k/{app.config['HOUSE_KEY']}")
    fuzzer = Fuzzer(app, client, seed)
    fuzzer.run(requests)
    wrong = [f"answered with a 500: {failed}" for failed in fuzzer.failed]
    with app.app_context(), database().read() as session:
        wrong += [f"wrong with the database: {fault}" for fault in faults(session) if fault]
    games = [game for game in fuzzer.games if client.get(game).status_code != 404]  # not deleted
    for page in (game + page for game in games for page in PAGES):
        status = client.get(page).status_code
        if status not in (200, 303):
            wrong.append(f"{page} could not be opened afterwards ({status})")
    return fuzzer, len(games), wrong


@contextmanager
def _application(folder: Path, address: str) -> Iterator[Flask]:
    named = {"COMPANION_INSTANCE": str(folder), "COMPANION_DATABASE_URL": address}
    with patch.dict(os.environ, named):
        app = create_app({"PROPAGATE_EXCEPTIONS": False})
    cache = folder.parent / "compiled"
    cache.mkdir(exist_ok=True)
    app.jinja_env.bytecode_cache = FileSystemBytecodeCache(str(cache))
    yield app
    with app.app_context():
        database().close()
