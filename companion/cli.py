"""The command line: parse it, and run the command.

This module imports only the standard library, so that `--help` and `check` work before anything is
installed. Each command imports what it needs.
"""

import argparse
import io
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from companion import launcher
from companion.launcher import ROOT, StartError

_HELP = "`python3 -m companion --help` explains the commands."

_EXAMPLES = """\
examples:
  python3 -m companion                     serve the house, print the address for the phone
  python3 -m companion --port 9000         the same on another port
  python3 -m companion serve --host 127.0.0.1
                                           serve this machine alone
  python3 -m companion test                run the tests for a change, with coverage
  python3 -m companion test --quick        fewer: no browser, only SQLite
  python3 -m companion test --all          every test on both kinds of database
  python3 -m companion test -k lay_off     some tests; pytest gets the arguments
  python3 -m companion check < questions.jsonl
                                           answer each line with a ruling, in JSON

The first start makes an environment in .venv and installs the pinned packages into it.
With COMPANION_NO_VENV=1 it runs in the Python that you call.
"""

_QUESTIONS = """\
A question is a JSON object on a line of its own, with game (proter, pay_me, indian_rummy, …), ask,
usually hand (its number), and what is asked about; the answer is a line, too, and they come in the
same order. Cards are rank and suit (10H, QS; 8H=6C for an eight that stands for the 6 of clubs;
XX for a joker), with spaces between them. A table is a list of melds, and onto the index of one of
them, from 0. Indian Rummy wants wild_rank with its questions: the rank that was turned up, or null.

  ask         keys
  meld        cards, table
  lay_off     cards, onto, table
  swap        card, onto, table
  discard     card, pile
  turn        plays, table, pile, holding
  contract    melds
  arrange     cards, onto
  declare     cards, melds (as they are grouped, if they are)
  round       plays
  score       players

A question may also have id (it comes back in the answer), sheet, rules, packs and player. A ruling
says legal, broken (the rules), readings, points, take_back, turn_passes, says and elsewhere. Give
null for a fact that is not known: the pile, or melded_this_hand, melded_this_turn or contract_met
of the player. If the fact makes no difference, the ruling names it in regardless_of. If it does,
legal is null, depends_on names the facts that decide, and cases has the ruling for each value.
More than 200 readings are not listed: readings_count says how many there are. A sheet to which
the question does not apply, because of its packs or a meld on the table, has null in elsewhere.
A line that cannot be understood gets error and where, and the run goes on. The exit status is 0 if
every line was ruled on, and 2 if any was not.

example (questions.jsonl):
  {"game": "proter", "hand": 12, "ask": "meld", "cards": "5C 6C 7C"}
"""

# Commands that run a module outside the package, and pass their arguments on to it.
_OUTSIDE = {
    "test": "tests",
    "bench": "tests.bench",
    "torture": "tests.torture",
    "screens": "tests.browser.screens",
}
# The option of `bench` that needs more packages: other people's solvers to compare with.
_BESIDE = "--beside"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit status: 1, with a message on stderr, if it cannot run.

    Exits with 2 and a message if the command line is wrong.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if isinstance(sys.stdout, io.TextIOWrapper):  # its encoding may lack letters of paths and names
        sys.stdout.reconfigure(errors="backslashreplace")
    args = parse(words)
    try:
        if args.needs:
            launcher.enter(launcher.with_driver(args.needs), words)
        status = _COMMANDS[args.command](args)
        sys.stdout.flush()
        return status
    except StartError as error:
        print(error, file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if (error.name or "companion").partition(".")[0] == "companion":
            raise
        print(
            f"The package {error.name!r} is missing: start without COMPANION_NO_VENV, "
            f"or install {args.needs[-1]} yourself.",
            file=sys.stderr,
        )
        return 1
    except BrokenPipeError:  # the reader has stopped, like `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; `serve` is the default. Exits as argparse does if it is wrong."""
    parser = _parser()
    if not words or (words[0].startswith("-") and words[0] not in {"-h", "--help"}):
        words = ["serve", *words]
    if words[0] not in {*_COMMANDS, "-h", "--help"}:
        parser.error(f"there is no command {words[0]!r}, only {', '.join(_COMMANDS)}")
    passed_on: Sequence[str] = ()
    if words[0] in _OUTSIDE and words[1:] not in (["-h"], ["--help"]):
        words, passed_on = words[:1], words[1:]
    args = parser.parse_args(words)
    args.passed_on = list(passed_on)
    if args.command == "bench" and _BESIDE in passed_on:
        args.needs = launcher.BESIDE
    return args


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"Wrong command line: {message}. {_HELP}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python3 -m companion",
        description="Keeps the score of rummy games played with real cards, and settles disputes.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", metavar="command", required=True)

    def add(name: str, does: str, needs: Sequence[str] = ()) -> argparse.ArgumentParser:
        description = f"{does[0].upper()}{does[1:]}."
        command = commands.add_parser(name, help=does, description=description, allow_abbrev=False)
        command.set_defaults(needs=needs)
        return command

    serve = add("serve", "serve the pages (the default command)", launcher.RUNTIME)
    _add_address(serve)
    add(
        "test",
        "run the tests (--quick: fewer, --all: every one); other arguments go to pytest",
        launcher.TESTS,
    )
    check = add("check", "read questions from standard input, one a line, and write rulings")
    check.epilog, check.formatter_class = _QUESTIONS, argparse.RawDescriptionHelpFormatter
    bench = add("bench", "measure how fast it is; arguments go to the benchmarks", launcher.TESTS)
    bench.epilog = f"{_BESIDE} installs other solvers and compares with them."
    torture = add(
        "torture",
        "kill the server and send it nonsense for hours, and count what was lost",
        launcher.TESTS,
    )
    torture.epilog = "--only kills, --kills 500, --database sqlite and more: docs/benchmarks.md."
    screens = add(
        "screens",
        "take pictures of every page on four screens, in light and dark",
        launcher.TESTS,
    )
    screens.epilog = "screens DIR: the folder; --game proter: only this game, may be repeated."
    backup = add("backup", "copy the database and the keys; a server may run", launcher.RUNTIME)
    backup.add_argument(
        "file", nargs="?", metavar="FILE", help="a new file, or a folder (default: backups/)"
    )
    restore = add("restore", "replace the database and the keys with a backup", launcher.RUNTIME)
    restore.add_argument("file", metavar="FILE", help="a file that `backup` or the server made")
    restore.add_argument("--yes", action="store_true", help="do not ask")
    rotate = add(
        "rotate",
        "make a new secret, or a new house key; phones keep their notebooks",
        launcher.RUNTIME,
    )
    which = rotate.add_mutually_exclusive_group()
    which.add_argument(
        "--house", action="store_true", help="make a new house key and print its address"
    )
    which.add_argument(
        "--forget",
        action="store_true",
        help="make a new secret and stop trusting the old ones: phones lose their notebooks",
    )
    _add_address(rotate)
    doctor = add("doctor", "check everything that is stored, say what is wrong", launcher.RUNTIME)
    doctor.add_argument(
        "--repair",
        action="store_true",
        help="make a backup, and repair lists, figures, lookup keys, indexes and permissions",
    )
    add("migrate", "create the database or bring it up to date, and stop", launcher.RUNTIME)
    setup = add("setup", "make or refresh the environment in .venv, and stop", launcher.RUNTIME)
    setup.add_argument(
        "--tests",
        action="store_const",
        dest="needs",
        const=launcher.TESTS,
        default=launcher.RUNTIME,
        help="install what the tests need, too",
    )
    return parser


def _add_address(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--host",
        default="0.0.0.0",  # noqa: S104 - it serves the phones of the house
        help="address to serve on (default: %(default)s, all of them)",
    )
    command.add_argument("--port", type=_port, default=8000, help="default: %(default)s")


def _port(text: str) -> int:
    port = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: give a number up to 65535")
    return port


def _check(_args: argparse.Namespace) -> int:
    from companion.check import main as answer_questions

    return answer_questions()


def _serve(args: argparse.Namespace) -> int:
    from companion.serving import serve
    from companion.web.app import create_app

    serve(create_app, args.host, args.port)
    return 0


def _maintain(args: argparse.Namespace) -> int:
    from companion import maintenance  # which loads Alembic: a server does not need it
    from companion.serving import raising_start_errors

    with raising_start_errors():
        return 0 if maintenance.COMMANDS[args.command](args) else 1


def _setup(_args: argparse.Namespace) -> int:
    print("The environment is ready.")
    return 0


def _run_outside(args: argparse.Namespace) -> int:
    sys.stdout.flush()
    # The tests start hundreds of processes, and with this set each would compile everything again.
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return subprocess.call(  # noqa: S603 - our own interpreter, and no shell
        [sys.executable, "-m", _OUTSIDE[args.command], *args.passed_on],
        cwd=ROOT,
        env=environment,
    )


_COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "serve": _serve,
    "check": _check,
    **dict.fromkeys(("backup", "restore", "rotate", "doctor", "migrate"), _maintain),
    "setup": _setup,
    **dict.fromkeys(_OUTSIDE, _run_outside),
}
