"""Run the benchmarks and print their results as a table: ``python3 -m companion bench``."""

import argparse
import sys
import time
import traceback
from collections.abc import Iterator, Sequence

from tests.bench import arrange, pages, rulings, servers, tables
from tests.bench.beside import measure, others
from tests.bench.report import Row, load, machine, markdown
from tests.browsing import PHONE_ENCODINGS
from tests.programs import find_postgres

NAMES = ("rulings", "arrange", "beside", "hand", "sheet", "poll", "saving", "memory", "tables")
PAGES = {"hand", "sheet", "poll", "saving"}  # measured on one server
FAILED = "not measured"


def main(words: Sequence[str] | None = None) -> int:
    """Run the chosen benchmarks. Return 0 whatever the figures are, 1 if a part has failed."""
    parser = argparse.ArgumentParser(
        prog="python3 -m companion bench",
        description="Measures how fast the companion is, in some ten minutes. Other programs on "
        "this machine distort the figures; ratios least, because the two things that they compare "
        "are measured in turns.",
    )
    parser.add_argument("--quick", action="store_true", help="shorter and rougher: half a minute")
    parser.add_argument(
        "--only", action="append", choices=NAMES, metavar="NAME", help=f"of {', '.join(NAMES)}"
    )
    parser.add_argument(
        "--beside",
        action="store_true",
        help="also measure other solvers on the same hands; installs those that are missing",
    )
    args = parser.parse_args(words)
    names = args.only or NAMES
    begun, before = time.monotonic(), load()
    rows: list[Row] = []
    for row in measured(names, quick=args.quick):
        print(".", end="", file=sys.stderr, flush=True)
        rows.append(row)
    print(file=sys.stderr)
    if rows:
        print(markdown(rows))
    if "beside" in names:
        print(f"\n{_beside(4 if args.quick else 25)}")
    print(
        f"\n{machine()}; load {before} at the start, {load()} at the end, which is "
        f"{time.monotonic() - begun:.0f} s later. Pages were asked for on keep-alive connections "
        f"with `Accept-Encoding: {PHONE_ENCODINGS}`, as a phone's browser does over plain HTTP: "
        "the hand page and the score sheet without a save in between, so that caches count; the "
        "page that follows a save is drawn anew."
    )
    return 1 if any(row.measured.startswith(FAILED) for row in rows) else 0


def measured(names: Sequence[str], *, quick: bool) -> Iterator[Row]:
    """Yield the rows as they are measured. If a part fails, only its own figures are missing."""
    parts = {
        "rulings": lambda: rulings.run(1.0 if quick else 6.0),
        "arrange": lambda: arrange.run(26 if quick else 208),
        "pages": lambda: _pages(names, quick=quick),
        "tables": lambda: _tables(15.0 if quick else tables.SECONDS),
        "memory": lambda: pages.memory(*((1_000, 6.0) if quick else (pages.REQUESTS, 115.0))),
    }
    wanted = {"pages" if name in PAGES else name for name in names}
    for name, part in parts.items():
        if name in wanted:
            try:
                yield from part()
            except Exception as error:  # noqa: BLE001 - the other parts are still measured
                traceback.print_exc()
                yield Row(name, f"{FAILED}: {type(error).__name__}, see above")


def _pages(names: Sequence[str], *, quick: bool) -> Iterator[Row]:
    with pages.visit() as visit:
        yield from pages.pages(visit, 3 if quick else 25, names)
        if "saving" in names:
            yield from pages.saving(visit, *((8, 3.0) if quick else (60, 40.0)))


def _tables(seconds: float) -> Iterator[Row]:
    with servers.companion() as server:
        yield from tables.run(server, seconds, "SQLite")
    if find_postgres() is None:
        yield Row("tables on PostgreSQL", "PostgreSQL is not installed")
        return
    with servers.on_postgres(2) as server:
        yield from tables.run(server, seconds, "PostgreSQL, 2 workers")


def _beside(hands: int) -> str:
    """Return the table of the other solvers, and a line with those that are not installed."""
    lines = []
    if missing := others.missing():
        also = "is" if len(missing) == 1 else "are"
        absent = f"Not measured beside {', '.join(missing)}, which {also} not installed"
        lines.append(f"{absent}; `python3 -m companion bench --beside` installs and measures that.")
    if others.others():
        lines.append(markdown(measure.rows([*measure.run(hands)])))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
