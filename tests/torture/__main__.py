"""Try for long what must not happen: ``python3 -m companion torture``."""

import argparse
import logging
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from companion.launcher import ROOT
from tests.programs import NO_CHROMIUM, NO_POSTGRES, find_chromium, find_postgres
from tests.torture import kills, requests
from tests.torture.storage import Cluster, Found, Place

PARTS = ("kills", "cuts", "requests")
DATABASES = ("sqlite", "postgresql")


def main(words: Sequence[str] | None = None) -> int:
    """Do what is asked for: 0, or 1 if anything was lost or doubled or went wrong."""
    asked = _understood(words)
    databases = DATABASES if asked.database == "both" else (asked.database,)
    if "postgresql" in databases and not find_postgres():
        print(NO_POSTGRES, file=sys.stderr)
        return 1
    asked.requests = -(-asked.requests // len(databases))
    begun = time.monotonic()
    figures: list[str] = []
    wrong: list[str] = []
    logging.disable(logging.WARNING)  # refusals are what is asked for here
    for kind in databases:
        for part in asked.only or PARTS:
            name = f"{part.capitalize()}, {kind}"
            print(f"{name} …", file=sys.stderr, flush=True)
            try:
                found = _tried(part, kind, asked)
                figures.append(found.sentence)
                wrong += found.wrong
            except Exception as problem:  # noqa: BLE001 - the other parts are tried all the same
                traceback.print_exc()
                wrong.append(f"{name}, not done: {problem!r}")
    print(*figures, *wrong, sep="\n")
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


def _tried(part: str, kind: str, asked: argparse.Namespace) -> Found:
    # What a commit costs, and survives, depends on the disk; /tmp may be in memory.
    beside_the_real_one = ROOT / "instance"
    beside_the_real_one.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="torture-", dir=beside_the_real_one) as name:
        folder = Path(name)
        place = Cluster(folder) if kind == "postgresql" else Place(folder)
        with closing(place):
            if part == "kills":
                return kills.run(place, folder, asked.kills, asked.seed)
            if part == "requests":
                return requests.run(place, folder, asked.requests, asked.seed)
            from tests.torture import cuts

            assert find_chromium(), NO_CHROMIUM
            with cuts.phone() as phone:
                return cuts.run(place, folder, phone, asked.cuts, asked.seed)


if __name__ == "__main__":
    sys.exit(main())
