"""A browser without a window: real HTTP, cookies, and the fields of forms.

It keeps its connection open as browsers do, and returns answers of any status.
"""

import gzip
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from http.client import HTTPConnection, HTTPException, HTTPResponse
from urllib.parse import urlencode, urlsplit

HOST = "127.0.0.1"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}

# A phone's browser sends this over plain HTTP; it offers brotli only over HTTPS.
PHONE_ENCODINGS = "gzip, deflate"

_TAG = re.compile(r"<(form|input|select|option|/select|/form)\b([^>]*)>")
_ATTRIBUTE = re.compile(r'([a-z-]+)(?:="([^"]*)")?')

Fields = Mapping[str, str | Sequence[str]]


class Lost(Exception):
    """The connection ended before the whole answer came: the server may have saved the action."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, unpacked."""

    status: int
    text: str = field(repr=False)
    location: str = ""

    @property
    def says(self) -> str:
        """The page's error summary as text; empty if it has none."""
        summary = re.search(r'<div class="summary".*?</div>', self.text, re.DOTALL)
        return " ".join(re.sub(r"<[^>]*>", " ", unescape(summary[0])).split()) if summary else ""


@dataclass
class Browser:
    """One browser on this machine. Threads may not share it; they may share its cookies."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    encodings: str = "identity"
    claims: Mapping[str, str] = field(default_factory=dict)
    """Headers that it sends with every request."""
    host: str = HOST
    patience: float = 120.0
    """How many seconds to wait for an answer: a busy machine may be slow."""
    _connection: HTTPConnection | None = None

    def get(self, path: str) -> Answer:
        """Open a page. Raises Lost."""
        return self._send("GET", path, None, {})

    def post(self, path: str, fields: Fields) -> Answer:
        """Send a form. Raises Lost."""
        return self._send("POST", path, urlencode(fields, doseq=True).encode(), FORM)

    def request(self, method: str, path: str, body: bytes | None = None) -> int:
        """Send a request, read the whole answer, return its status. For measuring. Raises Lost."""
        return self._exchange(method, path, body, FORM if body else {})[0].status

    def enter(self, house_key: str) -> None:
        """Open the house key, which makes this browser a marker. Raises Lost."""
        answer = self.get(f"/k/{house_key}")
        assert answer.status == 303, answer

    def form(self, path: str, action: str) -> dict[str, list[str]]:
        """Return the fields of a page's form. Raises Lost, or KeyError if there is no such form."""
        answer = self.get(path)
        assert answer.status == 200, answer
        return forms(answer.text, path)[action]

    def move(self, port: int) -> None:
        """Continue with the same cookies at another port."""
        self.close()
        self.port = port

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self) -> HTTPConnection:
        return HTTPConnection(self.host, self.port, timeout=self.patience)

    def _send(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Answer:
        response, packed = self._exchange(method, path, body, headers)
        encoding = response.getheader("Content-Encoding", "")
        text = _unpacked(packed, encoding).decode()
        location = response.getheader("Location", "")
        return Answer(response.status, text, urlsplit(location).path if location else "")

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[HTTPResponse, bytes]:
        if self._connection is None:
            self._connection = self._connect()
        sent = {"Accept-Encoding": self.encodings, **self.claims, **headers}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        try:
            self._connection.request(method, path, body, sent)
            response = self._connection.getresponse()
            content = response.read()
        except (OSError, HTTPException) as error:
            self.close()
            raise Lost(f"{method} {path}: {error!r}") from error
        for line in response.headers.get_all("Set-Cookie", ()):
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        return response, content


def forms(page: str, path: str) -> dict[str, dict[str, list[str]]]:
    """Return the fields that a browser sends for each form of a page, by the path of its action.

    ``path`` is the page's own path, the action of a form that names none. If several forms have
    the same action, the first one counts.
    """
    found: dict[str, dict[str, list[str]]] = {}
    fields: dict[str, list[str]] = {}
    select = ""
    for tag, rest in _TAG.findall(page):
        attributes = {name: unescape(value) for name, value in _ATTRIBUTE.findall(rest)}
        if tag == "form":
            fields = {}
            action = attributes.get("action", "").partition("?")[0]
            found.setdefault(action or path, fields)
        elif tag == "/form":
            fields = {}
        elif tag in ("select", "/select"):
            select = attributes.get("name", "")
        elif tag == "option":
            if select and "selected" in attributes:
                fields[select] = [attributes.get("value", "")]
        elif "name" in attributes and "disabled" not in attributes:
            kind = attributes.get("type")
            is_sent = kind not in ("radio", "checkbox") or "checked" in attributes
            if is_sent and kind not in ("submit", "file"):
                fields.setdefault(attributes["name"], []).append(attributes.get("value", ""))
    return found


def _unpacked(content: bytes, encoding: str) -> bytes:
    assert encoding in ("", "gzip"), encoding
    return gzip.decompress(content) if encoding else content
