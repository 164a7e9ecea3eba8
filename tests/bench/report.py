"""The rows of the benchmarks, and the table that is printed."""

import os
import platform
import sys
from collections.abc import Iterable, Sequence
from math import ceil
from typing import NamedTuple


class Row(NamedTuple):
    """A row: what was measured, the figures in words, the aim if any, and whether it was met."""

    what: str
    measured: str
    aim: str = ""
    met: bool | None = None


def within(times: Sequence[float]) -> float:
    """Return the time within which 95 % of these took place."""
    return sorted(times)[ceil(0.95 * len(times)) - 1]


def markdown(rows: Iterable[Row]) -> str:
    """Return the rows as a Markdown table that is also readable as plain text."""
    cells = [("what", "measured", "aim", "met")]
    cells += [
        (row.what, row.measured, row.aim, "" if row.met is None else "yes" if row.met else "NO")
        for row in rows
    ]
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    cells.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |"
        for line in cells
    )


def show(rows: Iterable[Row]) -> None:
    """Print each row as it is measured, then the table and the machine."""
    before, shown = load(), []
    for row in rows:
        print(f"{row.what}: {row.measured}", file=sys.stderr, flush=True)
        shown.append(row)
    print(markdown(shown))
    print(f"\n{machine()}; load {before} at the start, {load()} at the end.")


def machine() -> str:
    """Return the interpreter and the machine in words."""
    return (
        f"{platform.python_implementation()} {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}, {os.cpu_count()} cores"
    )


def load() -> str:
    """Return the load average of the last minute, or ``unknown``."""
    if not hasattr(os, "getloadavg"):
        return "unknown"
    return f"{os.getloadavg()[0]:.1f}"
