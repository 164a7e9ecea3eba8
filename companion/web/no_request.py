"""What a server answers by itself: to bytes that are no request, and where the pages failed.

It says no more than the pages would, and as they do: a sentence, their headers, nothing of what was
sent. Plain text, because nothing is known of who asks.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from companion.web.errors import SAYS
from companion.web.security import HEADERS

_TOO_LONG: Final = (
    "What this browser sent is too long: the address, or what it keeps for this site. Open the"
    " address that was printed when the companion was started."
)
_SENTENCES: Final = {
    413: SAYS[413][1],
    414: _TOO_LONG,
    431: _TOO_LONG,
    500: SAYS[500][1],
}
_ANY_OTHER: Final = (
    "What arrived is no request that the companion understands. Open its page again, with the http"
    " or https that its address begins with."
)


def answer(status: int) -> tuple[list[tuple[str, str]], bytes]:
    """The headers, all but those about the connection, and the body of an answer."""
    body = f"{_SENTENCES.get(status, _ANY_OTHER)}\n".encode()
    headers = {
        **HEADERS,
        "Cache-Control": "no-store",
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Length": str(len(body)),
    }
    return list(headers.items()), body


def as_sent(status: int) -> bytes:
    """A whole answer, after which the connection ends."""
    headers, body = answer(status)
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers]
    return "\r\n".join([*lines, "", ""]).encode() + body
