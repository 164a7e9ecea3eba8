"""Sends what no browser of ours would, and then looks at every page of what came of it."""

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from flask import Flask
from jinja2 import FileSystemBytecodeCache

from companion.services.games import faults
from companion.web.app import create_app
from companion.web.auth import database
from tests.fuzzing import Fuzzer
from tests.torture.storage import Found, Place

# A run of so many has its own seed and an empty database.
OF_A_SEED = 5_000
PAGES = ("", "/sheet", "/log", "/tally", "/game.json")


@dataclass
class Sent:
    """What came of it."""

    seeds: list[int] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    games: int = 0
    failed: list[str] = field(default_factory=list)
    """Requests that were answered with a 500, or not at all."""
    shut: list[str] = field(default_factory=list)
    """Pages that could not be opened afterwards."""
    faults: list[str] = field(default_factory=list)


def run(place: Place, folder: Path, requests: int, seed: int) -> Found:
    """Send so many requests, to an empty database for each seed."""
    begun, sent = time.monotonic(), Sent()
    while sent.statuses.total() < requests:
        own = folder / f"seed-{seed}"
        own.mkdir()
        count = min(OF_A_SEED, requests - sent.statuses.total())
        _one_seed(own, place.another(own), count, seed, sent)
        seed += 1
    kinds = ", ".join(f"{count} times {code}" for code, count in sorted(sent.statuses.items()))
    sentence = (
        f"Requests, {place.name}: {sent.statuses.total()} requests with {len(sent.seeds)} seeds "
        f"(from {sent.seeds[0]}) in {time.monotonic() - begun:.0f} s, {len(sent.failed)} of them "
        f"answered with a 500. The answers were {kinds}. Of {sent.games} games {len(sent.shut)} "
        f"pages could not be opened afterwards, and {len(sent.faults)} faults were found in the "
        "databases."
    )
    said = (
        ("Answered with a 500", sent.failed),
        ("Could not be opened afterwards", sent.shut),
        ("Wrong with the database", sent.faults),
    )
    return Found(sentence, [f"{what}: {one}" for what, found in said for one in found])


def _one_seed(folder: Path, address: str, requests: int, seed: int, sent: Sent) -> None:
    with _application(folder, address) as app:
        client = app.test_client()
        client.get(f"/k/{app.config['HOUSE_KEY']}")
        fuzzer = Fuzzer(app, client, seed)
        fuzzer.run(requests)
        sent.seeds.append(seed)
        sent.statuses += fuzzer.statuses
        sent.failed += [f"seed {seed}: {failed}" for failed in fuzzer.failed]
        with app.app_context(), database().read() as session:
            sent.faults += [f"seed {seed}: {fault}" for fault in faults(session) if fault]
        for game in fuzzer.games:
            if client.get(game).status_code == 404:  # deleted for good
                continue
            sent.games += 1
            for page in PAGES:
                status = client.get(game + page).status_code
                if status not in (200, 303):
                    sent.shut.append(f"seed {seed}: {game}{page} ({status})")


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
