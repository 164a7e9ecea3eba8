"""The line between a server and its PostgreSQL, which can fall silent, or be lost."""

import socket
import struct
import threading
from contextlib import suppress
from pathlib import Path

_CHUNK = 65_536


class Relay:
    """A port of this machine, whose connections are passed on to a socket in a folder.

    While it is cut, new connections are taken and hear nothing.
    """

    def __init__(self, to: Path) -> None:
        self._to = to
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self.is_silent = False
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        threading.Thread(target=self._let_in, daemon=True).start()

    def cut(self) -> None:
        """Break off what is open, and pass nothing on any more."""
        self.is_silent = True
        self._reset_all()

    def heal(self) -> None:
        """Pass on what comes from now on; what was open is broken off, for something was lost."""
        self._reset_all()
        self.is_silent = False

    def close(self) -> None:
        """Hang up for good."""
        with suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for callers
        self._door.close()
        self._reset_all()

    def _let_in(self) -> None:
        while True:
            try:
                near, _ = self._door.accept()
            except OSError:  # closed
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(str(self._to))
            with self._lock:
                self._open |= {near, far}
            for ends in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while content := source.recv(_CHUNK):
                if not self.is_silent:
                    sink.sendall(content)
        if not self.is_silent:
            self._reset(source, sink)

    def _reset_all(self) -> None:
        with self._lock:
            found = [*self._open]
        self._reset(*found)

    def _reset(self, *ends: socket.socket) -> None:
        with self._lock:
            mine = self._open & {*ends}
            self._open -= mine
        for end in mine:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads from it
            with suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.close()
