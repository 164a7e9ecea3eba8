"""The commands `backup`, `restore`, `doctor`, `figures` and `rotate`: what they print and ask."""

import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from companion.launcher import StartError
from companion.services import backups, doctor, games
from companion.serving import announce, explained
from companion.store import UNREADABLE, Database, DatabaseProblem
from companion.store.installation import Installation
from companion.web.config import FORMER, from_environment, public_address, replace_key

_EVERY = 1000  # games between two lines of progress
_IN_ENVIRONMENT = {"secret.key": "COMPANION_SECRET_KEY", "house.key": "COMPANION_HOUSE_KEY"}


def back_up(file: str | None) -> None:
    """Make a backup in a file or a folder, by default in the instance folder. Raises StartError."""
    installation, now = Installation.told_by(os.environ), datetime.now(UTC)
    path = Path(file) if file else installation.backups
    if path.is_dir() or not file:
        path = path / backups.name_of(now)
    with _told():
        made = backups.back_up(installation, path, now)
    print(f"{made.file} holds {_said(made.counts)}.")
    print(f"It was checked: no row was changed and no entry is missing. {made.size:,} bytes.")
    for name in backups.keys_lacking(installation, made):
        print(f"{name} holds no key and is not in it: put the saved one back, and back up again.")
    if made.keys:
        print("The keys of this installation are in it: whoever has it can keep the score.")


def restore(file: str, *, yes: bool) -> None:
    """Restore a backup, after asking. Raises StartError if that fails or the answer is no."""
    installation = Installation.told_by(os.environ)
    with _told(), backups.ready(installation, Path(file)) as ready:
        print(f"{file}, made {_day(ready.backup.made_at)}, holds {_said(ready.backup.counts)}.")
        if ready.present is not None:
            print(f"It replaces {_said(ready.present)}.")
        else:
            print("It replaces nothing that can be read.")
        if ready.keys:
            print("It also replaces the keys here, which differ from its own.")
        for name in ready.new_keys:
            print(f"There is no key for {name}, neither in it nor here: {name} gets a new one.")
        if not yes:
            _ask()
        kept = ready.put_in_place(datetime.now(UTC))
    if kept is not None:
        print(f"The old database is kept in {kept}.")
    print("Restored. Start the server again.")


def examine(*, mend: bool) -> bool:
    """Print what is wrong with the installation and what to do; return True if all is well.

    With `mend`, first make a backup and repair what can be. Raises StartError if that fails.
    """
    installation = Installation.told_by(os.environ)
    if mend:
        with _told():
            kept = backups.keep_as_it_is(installation, "repair", datetime.now(UTC))
            print(f"There is a backup in {kept}.")
            for sentence in doctor.repair(installation):
                print(f"MENDED {_printable(sentence)}")
    elsewhere = [name for name, variable in _IN_ENVIRONMENT.items() if os.environ.get(variable)]
    well = True
    for finding in doctor.examine(installation, datetime.now(UTC), elsewhere, _how_far):
        print(f"{'WRONG' if finding.is_wrong else 'ok':5}  {_printable(finding.sentence)}")
        well = well and not finding.is_wrong
    print("All is well." if well else "Something is wrong: see above.")
    return well


def work_out_figures(database: Database) -> bool:
    """Work out everybody's figures from the entries, and print which differed.

    Returns True unless the entries of a game are damaged. Raises StartError if the database cannot
    be used.
    """
    well = True
    with _told(), closing(database):
        for fault in games.rebuild_figures(database, _how_far):
            print(f"{'MENDED' if fault.sheet else 'WRONG '} {_printable(str(fault))}")
            well = well and fault.sheet is not None
    print("The figures are what the entries give." if well else "Run the doctor: see above.")
    return well


def rotate_secret(*, forget: bool) -> None:
    """Make a new secret, which servers use once they restart. Raises StartError.

    What the old secrets signed stays valid, unless ``forget`` is set.
    """
    _from_files(
        "COMPANION_SECRET_KEY",
        "put a new one there, and the old one first into "
        "COMPANION_SECRET_KEY_FALLBACKS; then start the servers again, one by one.",
    )
    with explained():
        replace_key(Installation.told_by(os.environ).key_files[0], 0 if forget else FORMER)
    print("There is a new secret. Restart or reload the server to use it.")
    if forget:
        print("Every phone has to open the printed address again, and gets a new notebook.")
    else:
        print("Cookies and open pages that the old secrets signed stay valid.")


def rotate_house_key(host: str, port: int) -> None:
    """Make a new house key, and print its address. Raises StartError."""
    _from_files("COMPANION_HOUSE_KEY", "put a new one there, and start the servers again.")
    with explained():
        config = {"TRUSTED_HOSTS": None} | from_environment(os.environ)
        key = replace_key(Installation.told_by(os.environ).key_files[1])
    print("Restart or reload the server. Then this address works, and the old one does not.")
    print("Markers stay markers.")
    announce(key, host, port, sys.stdout, public_address(config))


def _how_far(games: int, of: int) -> None:
    if games % _EVERY == 0:
        print(f"{games:,} of {of:,} games were checked.", file=sys.stderr)


def _printable(sentence: str) -> str:
    """Return a sentence without the control characters that a damaged name may hold."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in sentence)


def _ask() -> None:
    if not sys.stdin.isatty():
        raise StartError("Nothing was changed: there is no terminal to ask on, so add --yes.")
    if input("Restore it? Type yes: ").strip().lower() != "yes":
        raise StartError("Nothing was changed.")


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        named = error.filename or error.args[0]
        raise StartError(f"{named} exists already: name another file.") from error
    except OSError as error:
        raise StartError(
            f"{error.filename or 'A file'} cannot be written ({error.strerror}): free some space"
            f" or make the folder writable, and try again."
        ) from error
    except backups.NotABackup as error:
        raise StartError(
            f"It is damaged. {error} `python3 -m companion doctor` says more."
        ) from error
    except DatabaseProblem as problem:
        raise StartError(str(problem)) from problem


def _said(counts: backups.Counts) -> str:
    games = "1 game" if counts.games == 1 else f"{counts.games:,} games"
    if counts.last_at is None:
        return f"{games} and no entries"
    entries = "1 entry" if counts.entries == 1 else f"{counts.entries:,} entries"
    return f"{games} with {entries}, the last one of {_day(counts.last_at)}"


def _day(moment: datetime) -> str:
    if moment == UNREADABLE:
        return "an unknown time"
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _from_files(variable: str, instead: str) -> None:
    if os.environ.get(variable, "").strip():
        raise StartError(f"This key comes from {variable}: {instead}")
