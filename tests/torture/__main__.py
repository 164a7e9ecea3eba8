"""Try for long what must not happen: ``python3 -m companion torture``."""

import argparse
import logging
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from companion.launcher import ROOT
from tests.programs import NO_CHROMIUM, NO_POSTGRES, find_chromium, find_postgres
from tests.torture import kills, requests
from tests.torture.storage import Cluster, Place, SqliteFile

PARTS = ("kills", "cuts", "requests")
DATABASES = ("sqlite", "postgresql")

# What a part found: its figures, and what is wrong.
Found = tuple[str, list[str]]


def main(words: Sequence[str] | None = None) -> int:
    """Do what is asked for: 0, or 1 if anything was lost or doubled or went wrong."""
    asked = _understood(words)
    parts = asked.only or PARTS
    databases = DATABASES if asked.database == "both" else (asked.database,)
    if "postgresql" in databases and not find_postgres():
        print(NO_POSTGRES, file=sys.stderr)
        return 1
    begun = time.monotonic()
    figures: list[str] = []
    wrong: list[str] = []
    logging.disable(logging.WARNING)  # refusals are what is asked for here
    with tempfile.TemporaryDirectory(prefix="torture-", dir=_beside_the_real_one()) as folder:
        for name, part in _parts(parts, databases, asked, Path(folder)):
            print(f"{name} …", file=sys.stderr, flush=True)
            try:
                said, found = part()
            except Exception as problem:  # noqa: BLE001 - the other parts are tried all the same
                traceback.print_exc()
                said, found = f"{name}: not done.", [f"{name}: {problem!r}"]
            figures.append(said)
            wrong += found
    print(*figures, sep="\n")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    seconds = time.monotonic() - begun
    print(f"{'SOMETHING IS WRONG' if wrong else 'Nothing is wrong'}, after {seconds:.0f} s.")
    return 1 if wrong else 0


def _understood(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python3 -m companion torture",
        description="Kills the server while marks are written, cuts the line of a phone, and "
        "sends what no browser would: "
        "for long, and then counts what was lost or doubled. The exit status is 1 if anything was.",
    )
    parser.add_argument(
        "--only", action="append", choices=PARTS, metavar="PART", help=f"of {', '.join(PARTS)}"
    )
    parser.add_argument("--kills", type=int, default=500, help="of a server (%(default)s)")
    parser.add_argument("--cuts", type=int, default=100, help="of a phone's line (%(default)s)")
    parser.add_argument("--requests", type=int, default=50_000, help="altogether (%(default)s)")
    parser.add_argument("--database", choices=(*DATABASES, "both"), default="both")
    parser.add_argument("--seed", type=int, default=1, help="another one tries other things")
    return parser.parse_args(words)


def _parts(
    parts: Sequence[str], databases: Sequence[str], asked: argparse.Namespace, folder: Path
) -> Iterator[tuple[str, Callable[[], Found]]]:
    for kind in databases:
        if "kills" in parts:
            yield f"Kills, {kind}", partial(_kills, kind, _new(folder), asked)
        if "cuts" in parts:
            yield f"Cuts, {kind}", partial(_cuts, kind, _new(folder), asked)
        if "requests" in parts:
            count = -(-asked.requests // len(databases))
            yield f"Requests, {kind}", partial(_requests, kind, _new(folder), count, asked.seed)


def _kills(kind: str, folder: Path, asked: argparse.Namespace) -> Found:
    with ExitStack() as used:
        place = _place(kind, folder, used)
        killed = kills.run(place, folder, asked.kills, asked.seed)
    return killed.sentence(), killed.reckoning.sentences()


def _cuts(kind: str, folder: Path, asked: argparse.Namespace) -> Found:
    from tests.torture import cuts

    assert find_chromium(), NO_CHROMIUM
    with ExitStack() as used:
        place = _place(kind, folder, used)
        found = cuts.run(place, folder, used.enter_context(cuts.phone()), asked.cuts, asked.seed)
    wrong = found.problems
    if found.lost or found.doubled:
        wrong = [f"{found.lost} marks were lost and {found.doubled} doubled.", *wrong]
    return found.sentence(), wrong


def _requests(kind: str, folder: Path, count: int, seed: int) -> Found:
    with ExitStack() as used:
        place = _place(kind, folder, used)
        sent = requests.run(place.name, place.another, folder, count, seed)
    return sent.sentence(), sent.problems()


def _place(kind: str, folder: Path, used: ExitStack) -> Place:
    place: Place = Cluster(folder) if kind == "postgresql" else SqliteFile(folder)
    used.callback(place.close)
    return place


def _new(folder: Path) -> Path:
    return Path(tempfile.mkdtemp(dir=folder))


def _beside_the_real_one() -> Path:
    # What a commit costs, and survives, depends on the disk; /tmp may be in memory.
    place = ROOT / "instance"
    place.mkdir(exist_ok=True)
    return place


if __name__ == "__main__":
    sys.exit(main())
