"""One request and its answer: what of HTTP is accepted, and what is logged."""

from __future__ import annotations

import logging
import time
from http import HTTPStatus
from typing import Any, Final

from waitress.parser import HTTPRequestParser
from waitress.task import ErrorTask, WSGITask
from waitress.utilities import Error, RequestEntityTooLarge

CLOSE: Final = "close"
access_log = logging.getLogger(__name__)


class LengthRequired(Error):  # type: ignore[misc]
    code = HTTPStatus.LENGTH_REQUIRED.value
    reason = HTTPStatus.LENGTH_REQUIRED.phrase


class Request(HTTPRequestParser):  # type: ignore[misc]
    """A request as it arrives.

    One whose body is too large reaches the site without its body, so that the site answers in its own words:
    `CONTENT_LENGTH` says how large it is. A body without a length is refused. So is a second request before
    the answer to the first: the connection is closed after that answer, and a client asks again.
    """

    # Declared by waitress, without types.
    error: Error | None
    unread = False
    """Whether the sender may still be sending what nobody reads."""

    def received(self, data: bytes) -> int:
        """Take in bytes; returns how many. Those after the end of a request are dropped."""
        consumed: int = super().received(data)
        if isinstance(self.error, RequestEntityTooLarge):
            self._drop_body()
        elif self.chunked and not self.error:
            self.error = LengthRequired("Send the body with a Content-Length.")
            self.completed = True
        if not self.completed or self.empty:
            return consumed
        self.expect_continue = False
        self.unread = self.unread or self.error is not None
        if data[consumed:].strip(b"\r\n"):
            self.headers["CONNECTION"] = CLOSE
        return len(data)

    def _drop_body(self) -> None:
        self.close()
        self.error, self.body_rcv, self.unread = None, None, True
        self.headers["CONNECTION"] = CLOSE


class _Lingering:
    """A task that tells its connection whether the sender may still be sending."""

    channel: Any
    request: Request

    def service(self) -> None:
        self.channel.unread = self.request.unread
        super().service()  # type: ignore[misc]


class Refusal(_Lingering, ErrorTask):  # type: ignore[misc]
    """The answer to a request that is not valid HTTP."""


class Answer(_Lingering, WSGITask):  # type: ignore[misc]
    """The site's answer, with a line in the log."""

    def service(self) -> None:
        try:
            super().service()
        finally:
            access_log.info(
                "%s %s %s %s, %d bytes, %.0f ms",
                self.channel.addr[0],
                ascii(self.request.command)[1:-1],
                # Without the query, which may hold secrets; a client chooses its characters.
                ascii(self.request.request_uri.partition("?")[0])[1:-1],
                self.status.partition(" ")[0],
                self.content_bytes_written,
                (time.time() - self.start_time) * 1000,
            )

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        if self._is_head:
            # It would write the file past `write`.
            environ.pop("wsgi.file_wrapper", None)
        return environ

    def write(self, data: bytes) -> None:
        super().write(b"" if self._is_head else data)

    def finish(self) -> None:
        if self._is_head:
            if not self.wrote_header:
                self.write(b"")
            # Or it would write the end of a body in chunks.
            self.chunked_response = False
        super().finish()

    @property
    def _is_head(self) -> bool:
        return bool(self.request.command == "HEAD")
