"""An OpenAI-compatible endpoint on this machine that answers from a script, and as badly as it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Answer:
    """One answer: ``raw`` is sent as it is, in pieces; otherwise a completion with ``text``."""

    text: str | None = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    usage: Mapping[str, Any] | None = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    )
    finish: str = "stop"
    raw: bytes | None = None
    hang: bool = False

    def body(self) -> bytes:
        """The body's bytes."""
        if self.raw is not None:
            return self.raw
        message = {"role": "assistant", "content": self.text}
        document = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "tiny",
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish}],
        }
        return json.dumps(document | ({"usage": self.usage} if self.usage is not None else {})).encode()


def error(status: int, message: str = "no", code: str | None = None, **headers: str) -> Answer:
    """An error as such endpoints send it."""
    body = json.dumps({"error": {"message": message, "code": code, "type": "error", "param": None}}).encode()
    return Answer(status=status, raw=body, headers={name.replace("_", "-"): v for name, v in headers.items()})


class ModelServer:
    """Answers each request with the next of its answers; the last one again when there are no more.

    Attributes:
        requests: the bodies that came, parsed.
        keys: their Authorization headers.
        asked: set while a request hangs.
    """

    def __init__(self, answers: Sequence[Answer | str]) -> None:
        self.answers = [answer if isinstance(answer, Answer) else Answer(answer) for answer in answers]
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.asked = threading.Event()
        self._released = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self._answer))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        """The endpoint, for ``base_url``."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exception: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, request: dict[str, Any], key: str | None) -> Answer:
        with self._lock:
            answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
            self.requests.append(request)
            self.keys.append(key)
        if answer.hang:
            self.asked.set()
            self._released.wait()
        return answer


def _handler(answer_to: Callable[[dict[str, Any], str | None], Answer]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = answer_to(request, self.headers.get("Authorization"))
            if self.path != "/v1/chat/completions":
                answer = error(404)
            body = answer.body()
            try:
                self.send_response(answer.status)
                for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                for start in range(0, len(body), 64):
                    self.wfile.write(body[start : start + 64])
                    self.wfile.flush()
            except OSError:
                self.close_connection = True  # nobody waits for the answer any more

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's word
            """Tests say what matters."""

    return Handler
