"""A server that a test can kill and start again quickly, any number of times.

As a program (`python -m tests.killing LIFELINE`) it runs the real `serve` command for each line
that it reads, in a forked process, so that modules are imported only once. It prints the process
id before the command begins, and `gone` when the process has ended. LIFELINE is the descriptor of
a pipe; when the test closes the other end, or ends, the server ends too.
"""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).parents[1]
_ADDRESS = re.compile(r"http://[^/ ]+:(\d+)/k/(\S+)")


class Mortal:
    """A server that can be killed. One thread starts and kills it; others may wait for it."""

    def __init__(self, instance: Path, address: str) -> None:
        """``address`` is the value of COMPANION_DATABASE_URL."""
        self.port = 0
        self.house_key = ""
        self.starts = 0
        """How often it has started, each time at a new address."""
        self.kills = 0
        self._changed = threading.Condition()
        self._faltering = False
        self._process = 0
        lifeline, self._held = os.pipe()
        environment = os.environ | {"COMPANION_INSTANCE": str(instance), "COMPANION_NO_VENV": "1"}
        environment["COMPANION_DATABASE_URL"] = address
        self._program = subprocess.Popen(
            [sys.executable, "-m", "tests.killing", str(lifeline)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=[lifeline],
        )
        os.close(lifeline)

    def begin(self) -> None:
        """Begin to start; after this it can be killed."""
        assert self._program.stdin is not None
        self._program.stdin.write("start\n")
        self._program.stdin.flush()
        self._process = int(self._line())

    def start(self) -> None:
        """Start, and publish the new port and house key."""
        self.begin()
        found = None
        while found is None:
            line = self._line()
            assert line != "gone\n", "The server ended by itself; its output is above."
            found = _ADDRESS.search(line)
        with self._changed:
            self.port, self.house_key = int(found[1]), found[2]
            self.starts += 1
            self._changed.notify_all()

    def kill(self) -> None:
        """Kill the process with SIGKILL, and wait until it is gone."""
        os.kill(self._process, signal.SIGKILL)
        self.kills += 1
        while self._line() != "gone\n":
            pass

    def started_after(self, starts: int, patience: float) -> bool:
        """Wait until it has started more than `starts` times; False after `patience` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self.starts > starts, patience)

    def falter(self) -> None:
        """Note that its database is about to be killed, so that it will answer 503."""
        with self._changed:
            self._faltering = True

    def recover(self) -> None:
        """Note that its database is back."""
        with self._changed:
            self._faltering = False
            self._changed.notify_all()

    def recovered(self, patience: float) -> bool:
        """Wait until its database is back; False after `patience` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._faltering, patience)

    def close(self) -> None:
        """End the server and the program that starts it."""
        os.close(self._held)
        self._program.communicate()

    def _line(self) -> str:
        assert self._program.stdout is not None
        line = self._program.stdout.readline()
        assert line, "The program that starts the server has ended; its output is above."
        return line


def _serve_for_each_line(lifeline: int) -> None:
    # The modules that `serve` imports: imported here, they are shared by every fork.
    from companion import cli, serving, web
    from companion.store import migrations

    assert serving
    assert web
    assert migrations
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
            _say(str(os.getpid()))
            os._exit(cli.main(["serve", "--host", "127.0.0.1", "--port", "0"]))
        os.waitpid(child, 0)
        _say("gone")


def _end_with(lifeline: int) -> None:
    os.read(lifeline, 1)
    os._exit(1)


def _say(line: str) -> None:
    # Without a buffer, so that a line from before a kill reaches the test.
    os.write(1, f"{line}\n".encode())


if __name__ == "__main__":
    _serve_for_each_line(int(sys.argv[1]))
