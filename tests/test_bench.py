"""The benchmarks keep the figures that they have, whatever is missing or fails."""

import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

from tests.bench import __main__ as bench
from tests.bench.report import Row


def yields(*rows: Row) -> Callable[..., Iterator[Row]]:
    return lambda *_, **__: iter(rows)


def test_without_the_driver_of_postgresql_the_other_figures_are_printed(monkeypatch, capsys):
    monkeypatch.setattr(bench, "find_postgres", lambda: Path("/usr/lib/postgresql/17/bin"))
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setattr(bench.servers, "companion", nullcontext)
    monkeypatch.setattr(bench.tables, "run", yields(Row("saves", "7 ms")))
    monkeypatch.setattr(bench.memory, "run", yields(Row("memory", "100 MB")))
    assert bench.main(["--only", "tables", "--only", "memory"]) == 0
    printed = capsys.readouterr().out
    assert "7 ms" in printed
    assert "its driver is not installed (requirements-postgres.txt)" in printed
    assert "100 MB" in printed


def test_a_part_that_fails_costs_its_own_figures_alone(monkeypatch, capsys):
    def fail(_: float) -> Iterator[tuple[str, str]]:
        yield "rulings before that", "5"
        raise RuntimeError("no more")

    monkeypatch.setattr(bench.rulings, "run", fail)
    monkeypatch.setattr(bench.memory, "run", yields(Row("memory", "100 MB")))
    assert bench.main(["--only", "rulings", "--only", "memory"]) == 1
    printed = capsys.readouterr()
    assert "rulings before that" in printed.out
    assert "not measured: RuntimeError, see above" in printed.out
    assert "100 MB" in printed.out
    assert "no more" in printed.err
