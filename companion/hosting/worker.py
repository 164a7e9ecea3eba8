"""gunicorn's worker with threads, but for what it answers by itself."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Any, Final

from gunicorn.http import errors
from gunicorn.util import write_nonblock
from gunicorn.workers.gthread import TConn, ThreadWorker

# The first that fits counts.
_STATUS: Final = (
    (errors.InvalidResponseHeader, 500),
    (errors.InvalidResponseHeaderName, 500),
    (errors.ConfigurationProblem, 500),
    (errors.LimitRequestLine, 414),
    (errors.LimitRequestHeaders, 431),
    (errors.ExpectationFailed, 417),
    (errors.UnsupportedTransferCoding, 501),
    (errors.ParseException, 400),
)


class Worker(ThreadWorker):  # type: ignore[misc]  # it has no types
    """Answers and logs nothing of what is no request, and answers it as the pages would."""

    def handle_error(
        self, _req: object, client: socket.socket, _of: object, exc: Exception
    ) -> None:
        """Say what is wrong with what was sent; or that the application failed, and log how."""
        # Not above: the process that starts workers reads this file, and would hand each of them
        # the application as it was before an upgrade.
        from companion.web.no_request import as_sent

        status = next((status for kind, status in _STATUS if isinstance(exc, kind)), 500)
        if status == 500:
            self.log.error("A request could not be answered.", exc_info=exc)
        else:
            self.log.warning("Somebody sent what is no request.")
        with suppress(OSError):  # they have gone
            write_nonblock(client, as_sent(status))

    def _keepalive_after(self, conn: TConn, keepalive: bool) -> Any:
        """Whether another request may follow. No second answer to a body that is not as it says."""
        try:
            return super()._keepalive_after(conn, keepalive)
        except errors.ParseException:
            self.log.warning("Somebody sent what is no request.")
            return False
