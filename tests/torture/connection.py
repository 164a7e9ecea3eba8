"""The line between a phone and the server, which can be cut in the midst of a request."""

import socket
import struct
import threading
from contextlib import suppress

# Where in a request the line is cut.
WAYS = ("before the request", "before the answer", "within the answer")
PATIENCE = 60.0
_CHUNK = 65_536


class Line:
    """Passes on what a browser sends to a port of this machine, until it is cut.

    It is cut at the next act, a POST, after it was armed, and stays so until it is healed. When the
    answer is lost the server has done what it was asked, and the phone cannot know.
    """

    def __init__(self, to: int) -> None:
        self.to = to
        self.cuts = 0
        self.refused = 0
        """Connections that found the line cut."""
        self._armed = ""
        self._is_cut = False
        self._open: set[socket.socket] = set()
        self._changed = threading.Condition()
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        threading.Thread(target=self._let_in, daemon=True).start()

    def arm(self, way: str) -> None:
        """Cut the line in this way at the next act."""
        with self._changed:
            self._armed = way

    def wait_for_cut(self) -> None:
        """Wait until the act that it was armed for has met the cut."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._is_cut, PATIENCE), "Nothing was sent."

    def heal(self) -> None:
        """Let pass what comes from now on."""
        with self._changed:
            self._is_cut = False

    def close(self) -> None:
        """Hang up for good."""
        self._door.close()
        self._drop_all()

    def _let_in(self) -> None:
        while True:
            try:
                phone, _ = self._door.accept()
            except OSError:  # closed
                return
            with self._changed:
                is_cut = self._is_cut
                self.refused += is_cut
            if is_cut:
                _reset(phone)
                continue
            server = socket.create_connection(("127.0.0.1", self.to))
            call = _Call()
            with self._changed:
                is_cut = self._is_cut  # meanwhile
                if not is_cut:
                    self._open |= {phone, server}
            if is_cut:
                _reset(phone)
                _reset(server)
                continue
            for work in (self._asks, self._answers):
                threading.Thread(target=work, args=(phone, server, call), daemon=True).start()

    def _asks(self, phone: socket.socket, server: socket.socket, call: "_Call") -> None:
        with suppress(OSError):
            while chunk := phone.recv(_CHUNK):
                if chunk.startswith(b"POST "):
                    with self._changed:
                        call.way, self._armed = self._armed, ""
                    if call.way == WAYS[0]:
                        break
                server.sendall(chunk)
        self._cut(call)  # as well when the phone has hung up before the answer came
        self._hang_up(phone, server)

    def _answers(self, phone: socket.socket, server: socket.socket, call: "_Call") -> None:
        with suppress(OSError):
            while chunk := server.recv(_CHUNK):
                if call.way:
                    if call.way == WAYS[2]:
                        phone.sendall(chunk[: len(chunk) // 2])
                    self._cut(call)
                    return
                phone.sendall(chunk)
        self._hang_up(phone, server)

    def _cut(self, call: "_Call") -> None:
        with self._changed:
            if not call.way:
                return
            call.way = ""
            self._is_cut = True
            self.cuts += 1
        self._drop_all()
        with self._changed:
            self._changed.notify_all()

    def _drop_all(self) -> None:
        with self._changed:
            dropped, self._open = self._open, set()
        for one in dropped:
            _reset(one)

    def _hang_up(self, *ends: socket.socket) -> None:
        with self._changed:
            open_still = self._open & {*ends}  # the others are being reset
            self._open -= open_still
        for end in open_still:
            _shut(end)


class _Call:
    """One connection: how the request that is on it now is cut, if it is."""

    way = ""


def _reset(end: socket.socket) -> None:
    """Break off, as a line does that is lost.

    After an orderly end of plain HTTP, Chromium would take the headers that came for all there are,
    and the beginning of a cookie for the whole.
    """
    with suppress(OSError):  # whoever has hung up is told nothing
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        end.shutdown(socket.SHUT_RD)  # wakes the thread that reads from it, and sends nothing
    end.close()


def _shut(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads from it
    end.close()
