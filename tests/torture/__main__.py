"""Run the endurance tests: ``python3 -m companion torture``."""

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
from tests.torture.storage import Cluster, Place, Result

PARTS = ("kills", "cuts", "requests")
DATABASES = ("sqlite", "postgresql")


def main(words: Sequence[str] | None = None) -> int:
    """Run the chosen parts. Return 0, or 1 if an action was lost or doubled or a part failed."""
    args = _parse(words)
    databases = DATABASES if args.database == "both" else (args.database,)
    if "postgresql" in databases and not find_postgres():
        print(NO_POSTGRES, file=sys.stderr)
        return 1
    args.requests = -(-args.requests // len(databases))
    begun = time.monotonic()
    figures: list[str] = []
    wrong: list[str] = []
    logging.disable(logging.WARNING)  # refusals are expected here
    for kind in databases:
        for part in args.only or PARTS:
            name = f"{part.capitalize()}, {kind}"
            print(f"{name} …", file=sys.stderr, flush=True)
            try:
                result = _run(part, kind, args)
                figures.append(result.sentence)
                wrong += result.wrong
            except Exception as problem:  # noqa: BLE001 - the other parts still run
                traceback.print_exc()
                wrong.append(f"{name}, not done: {problem!r}")
    print(*figures, *wrong, sep="\n")
    seconds = time.monotonic() - begun
    print(f"{'SOMETHING IS WRONG' if wrong else 'Nothing is wrong'}, after {seconds:.0f} s.")
    return 1 if wrong else 0


def _parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python3 -m companion torture",
        description="For a long time, kills the server while marks are written, cuts a phone's "
        "connection, and sends requests that no browser would. Then counts the actions that were "
        "lost or doubled. The exit status is 1 if there are any.",
    )
    parser.add_argument(
        "--only", action="append", choices=PARTS, metavar="PART", help=f"of {', '.join(PARTS)}"
    )
    parser.add_argument("--kills", type=int, default=500, help="of a server (%(default)s)")
    parser.add_argument("--cuts", type=int, default=100, help="of a phone's line (%(default)s)")
    parser.add_argument("--requests", type=int, default=50_000, help="in all (%(default)s)")
    parser.add_argument("--database", choices=(*DATABASES, "both"), default="both")
    parser.add_argument("--seed", type=int, default=1, help="of the random choices (%(default)s)")
    return parser.parse_args(words)


def _run(part: str, kind: str, args: argparse.Namespace) -> Result:
    # In the checkout, because what a commit survives depends on the disk; /tmp may be in memory.
    on_disk = ROOT / "instance"
    on_disk.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="torture-", dir=on_disk) as name:
        folder = Path(name)
        place = Cluster(folder) if kind == "postgresql" else Place(folder)
        with closing(place):
            if part == "kills":
                return kills.run(place, folder, args.kills, args.seed)
            if part == "requests":
                return requests.run(place, folder, args.requests, args.seed)
            from tests.torture import cuts

            assert find_chromium(), NO_CHROMIUM
            with cuts.phone() as phone:
                return cuts.run(place, folder, phone, args.cuts, args.seed)


if __name__ == "__main__":
    sys.exit(main())
