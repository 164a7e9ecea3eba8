"""Connections that a test can cut: to PostgreSQL, or between a phone and the server."""

import socket
import struct
import threading
from contextlib import suppress
from pathlib import Path

CHUNK = 65_536


class Relay:
    """A port of this machine that forwards to another port, or to a socket file.

    While it is cut, it accepts new connections but forwards nothing.
    """

    def __init__(self, to: int | Path) -> None:
        self._to = to
        self._changed = threading.Condition()
        self._open: set[socket.socket] = set()
        self.is_cut = False
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        threading.Thread(target=self._let_in, daemon=True).start()

    def cut(self) -> None:
        """Reset the open connections, and forward nothing any more."""
        self.is_cut = True
        self._lose_all()

    def heal(self) -> None:
        """Forward again; reset the open connections, which have lost data."""
        self._lose_all()
        self.is_cut = False

    def close(self) -> None:
        """Close the port and all connections."""
        with suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)  # wakes the thread in accept()
        self._door.close()
        self._lose_all()

    def _let_in(self) -> None:
        while True:
            try:
                near, _ = self._door.accept()
            except OSError:  # closed
                return
            self._connect(near)

    def _connect(self, near: socket.socket) -> None:
        if isinstance(self._to, Path):
            far = socket.socket(socket.AF_UNIX)
            far.connect(str(self._to))
        else:
            far = socket.create_connection(("127.0.0.1", self._to))
        with self._changed:
            self._open |= {near, far}
        self._pass_on_both(near, far)

    def _pass_on_both(self, near: socket.socket, far: socket.socket) -> None:
        for ends in ((near, far), (far, near)):
            threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while content := source.recv(CHUNK):
                if not self.is_cut:
                    sink.sendall(content)
        if not self.is_cut:
            self._end(source, sink)

    def _lose_all(self) -> None:
        with self._changed:
            ends = [*self._open]
        self._end(*ends, lost=True)

    def _end(self, *ends: socket.socket, lost: bool = False) -> None:
        """Close sockets; with `lost`, reset them, as a line does that breaks.

        After an orderly end of plain HTTP, Chromium would take a part of the headers for all of
        them, and the beginning of a cookie for the whole cookie.
        """
        with self._changed:
            mine = self._open & {*ends}
            self._open -= mine
        for end in mine:
            with suppress(OSError):
                if lost:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                # Wakes the thread that reads from it.
                end.shutdown(socket.SHUT_RD if lost else socket.SHUT_RDWR)
            end.close()


class Line(Relay):
    """The line of a phone, which breaks during a request.

    Once armed, it is cut at the next POST, and stays cut until it is healed. If the answer is lost,
    the server has saved the action, and the phone cannot know.
    """

    WAYS = ("before the request", "before the answer", "within the answer")

    def __init__(self, to: int) -> None:
        self.cuts = 0
        self.refused = 0
        """How many connections found the line cut."""
        self._armed = ""
        super().__init__(to)

    def arm(self, way: str) -> None:
        """Cut the line in this way at the next POST."""
        with self._changed:
            self._armed = way

    def wait_for_cut(self) -> None:
        """Wait until a POST has met the cut."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.is_cut, 60), "Nothing was sent."

    def _connect(self, near: socket.socket) -> None:
        with self._changed:
            self._open.add(near)
            self.refused += self.is_cut
        if self.is_cut:
            self._end(near, lost=True)
        else:
            super()._connect(near)

    def _pass_on_both(self, near: socket.socket, far: socket.socket) -> None:
        if self.is_cut:  # meanwhile
            self._end(near, far, lost=True)
        call: list[str] = []  # the way in which the current request is cut, if any
        for work in (self._asks, self._answers):
            threading.Thread(target=work, args=(near, far, call), daemon=True).start()

    def _asks(self, phone: socket.socket, server: socket.socket, call: list[str]) -> None:
        with suppress(OSError):
            while chunk := phone.recv(CHUNK):
                if chunk.startswith(b"POST "):
                    with self._changed:
                        call[:], self._armed = [self._armed] if self._armed else [], ""
                    if call == [self.WAYS[0]]:
                        break
                server.sendall(chunk)
        self._lose(call)  # also if the phone has hung up before the answer came
        self._end(phone, server)

    def _answers(self, phone: socket.socket, server: socket.socket, call: list[str]) -> None:
        with suppress(OSError):
            while chunk := server.recv(CHUNK):
                if call:
                    if call == [self.WAYS[2]]:
                        phone.sendall(chunk[: len(chunk) // 2])
                    self._lose(call)
                    return
                phone.sendall(chunk)
        self._end(phone, server)

    def _lose(self, call: list[str]) -> None:
        with self._changed:
            if not call:
                return
            call.clear()
            self.is_cut = True
            self.cuts += 1
        self._lose_all()
        with self._changed:
            self._changed.notify_all()
