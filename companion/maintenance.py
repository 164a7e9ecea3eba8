"""The commands `backup`, `restore`, `rotate`, `doctor` and `migrate`: what they print and ask.

Each gets the parsed command line and returns True if all is well. If it cannot run, it raises
StartError or another of the errors that `serving.raising_start_errors` turns into one.
"""

import argparse
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from companion.launcher import StartError
from companion.services import backups, doctor
from companion.serving import announce
from companion.store import UNREADABLE
from companion.store.installation import Installation, replace_key
from companion.web.app import create_app
from companion.web.config import MOST_FORMER, from_environment, public_address

_PROGRESS_STEP = 1000  # games between two lines of progress
_JOINERS = "\u200c\u200d"  # parts of letters in several scripts


def back_up(args: argparse.Namespace) -> bool:
    """Make a backup in a file or a folder, by default in the instance folder."""
    installation, now = Installation.from_environment(os.environ), datetime.now(UTC)
    path = Path(args.file) if args.file else installation.backups
    if path.is_dir() or not args.file:
        path = path / backups.name_of(now)
    if path.exists():
        raise StartError(f"{path} exists already: name another file.")
    made = backups.back_up(installation, path, now)
    print(f"{path} holds {_in_words(made.counts)}.")
    size = f"{path.stat().st_size:,} bytes"
    print(f"It was checked: no row was changed and no entry is missing. {size}.")
    for name in backups.keys_lacking(installation, made):
        print(f"It lacks {name}, which holds no key: put the saved one back, and back up again.")
    if made.keys:
        print("It contains the keys: anyone who has the file can keep the score.")
    return True


def restore(args: argparse.Namespace) -> bool:
    """Restore a backup, after asking."""
    installation = Installation.from_environment(os.environ)
    with backups.prepared(installation, Path(args.file)) as prepared:
        made_at, counts = _date_and_time(prepared.backup.made_at), _in_words(prepared.backup.counts)
        print(f"{args.file}, made {made_at}, holds {counts}.")
        if prepared.present is not None:
            print(f"It replaces {_in_words(prepared.present)}.")
        else:
            print("It replaces nothing that can be read.")
        if prepared.keys:
            print("It also replaces the keys, which are different here.")
        for name in sorted(installation.keys_elsewhere & prepared.backup.keys.keys()):
            print(f"Its {name} is not used here: the environment has a key instead.")
        for name in prepared.keys.keys() - prepared.backup.keys.keys():
            print(f"Neither this backup nor {name} here holds a key: {name} gets a new one.")
        if not args.yes:
            _confirm()
        kept = prepared.put_in_place(datetime.now(UTC))
    if kept is not None:
        print(f"The old database is kept in {kept}.")
    print("Restored. Start the server again.")
    return True


def examine(args: argparse.Namespace) -> bool:
    """Print what is wrong with the installation and what to do.

    With `--repair`, first make a backup and repair what can be.
    """
    installation = Installation.from_environment(os.environ)
    if args.repair:
        kept = backups.back_up_unchecked(installation, "repair", datetime.now(UTC))
        print(f"There is a backup in {kept}.")
        for sentence in doctor.repair(installation):
            print(f"FIXED  {_printable(sentence)}")
    well = True
    for finding in doctor.examine(installation, datetime.now(UTC), _print_progress):
        print(f"{'WRONG' if finding.is_wrong else 'ok':5}  {_printable(finding.sentence)}")
        well = well and not finding.is_wrong
    print("All is well." if well else "Something is wrong: see above.")
    return well


def migrate(_args: argparse.Namespace) -> bool:
    """Create the database or bring it up to date."""
    create_app()
    print("The database is up to date.")
    return True


def rotate(args: argparse.Namespace) -> bool:
    """Make a new secret or a new house key, which servers use once they restart."""
    return _rotate_house_key(args.host, args.port) if args.house else _rotate_secret(args.forget)


def _rotate_secret(forget: bool) -> bool:
    fallbacks = "COMPANION_SECRET_KEY_FALLBACKS"
    then = f"remove {fallbacks}" if forget else f"put the old one first into {fallbacks}"
    _refuse_variable(
        "COMPANION_SECRET_KEY",
        f"put a new one there, and {then}; then start the servers again, one by one.",
    )
    folder = Installation.from_environment(os.environ).folder
    replace_key(folder / "secret.key", 0 if forget else MOST_FORMER)
    print("There is a new secret. Restart or reload the server to use it.")
    if forget:
        print("Every phone has to open the printed address again, and gets a new notebook.")
    else:
        print("Cookies and open pages that the old secrets signed stay valid.")
    return True


def _rotate_house_key(host: str, port: int) -> bool:
    _refuse_variable("COMPANION_HOUSE_KEY", "put a new one there, and start the servers again.")
    config = from_environment()
    key = replace_key(Installation.from_environment(os.environ).folder / "house.key")
    print("Restart or reload the server. Then this address works, and the old one does not.")
    print("Phones keep their notebooks.")
    announce(key, host, port, sys.stdout, public_address(config, port))
    return True


COMMANDS: dict[str, Callable[[argparse.Namespace], bool]] = {
    "backup": back_up,
    "restore": restore,
    "rotate": rotate,
    "doctor": examine,
    "migrate": migrate,
}


def _print_progress(games: int, of: int) -> None:
    if games % _PROGRESS_STEP == 0:
        print(f"{games:,} of {of:,} games were checked.", file=sys.stderr)


def _printable(sentence: str) -> str:
    """Return a sentence without the control characters that a damaged name may hold."""
    return "".join(
        letter if letter.isprintable() or letter in _JOINERS else "\ufffd" for letter in sentence
    )


def _confirm() -> None:
    if not sys.stdin.isatty():
        raise StartError("Nothing was changed: there is no terminal to ask on, so add --yes.")
    print("Restore it? Type yes: ", end="", flush=True)
    if sys.stdin.readline().strip().lower() != "yes":  # Ctrl-D is no, too
        raise StartError("Nothing was changed.")


def _in_words(counts: backups.Counts) -> str:
    games = "1 game" if counts.games == 1 else f"{counts.games:,} games"
    if counts.last_at is None:
        return f"{games} and no entries"
    entries = "1 entry" if counts.entries == 1 else f"{counts.entries:,} entries"
    return f"{games} with {entries}, the last one of {_date_and_time(counts.last_at)}"


def _date_and_time(moment: datetime) -> str:
    if moment == UNREADABLE:
        return "an unknown time"
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _refuse_variable(variable: str, instead: str) -> None:
    """Raise StartError if this variable has the key: a command can only change key files."""
    if os.environ.get(variable, "").strip():
        raise StartError(f"This key comes from {variable}: {instead}")
