"""Who is at work on a site during chaos: submitters, operators who start runs, and readers."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from typing import Any

from leaderboard.models import TaskSet
from leaderboard.runs.services import create_run
from tests.chaos.plan import BENCHMARK, TASK_SET, TASKS, Plan, archive, make_plan, script

API = "/api/v1"
BOARD = f"{API}/benchmarks/{BENCHMARK}/{TASK_SET}/board"
PAGES = (
    *("/", "/about/", f"/b/{BENCHMARK}/{TASK_SET}/", f"/b/{BENCHMARK}/{TASK_SET}/data.csv"),
    BOARD,
)
PATIENCE = 30
"""Seconds that a request may take."""
SECONDS_TO_END = 120
"""Until an upload or a run must have ended, while processes are killed."""
PIECE = 4096


class Unanswered(Exception):
    """A request had no answer, or one with a status of 500 and more."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that should have been answered."""

    start: float
    end: float
    what: str


@dataclass
class Record:
    """What was asked, sent and made during a round; several threads write to it."""

    requests: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    uploads: dict[str, str] = field(default_factory=dict)
    """Agent's name to the upload's id."""
    refused: list[str] = field(default_factory=list)
    """Uploads that can only be refused."""
    runs: dict[str, int] = field(default_factory=dict)
    """Agent's name to the run's id."""
    errors: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Caller:
    """Somebody who asks a site, with a token or without."""

    port: int
    record: Record
    name: str
    token: str = ""

    def ask(
        self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        """The status and the body of an answer.

        Raises:
            Unanswered: there was none that counts; it is noted.
        """
        start = time.monotonic()
        sent = {**({"Authorization": f"Bearer {self.token}"} if self.token else {}), **(headers or {})}
        if body is not None and not isinstance(body, bytes):
            body, sent = json.dumps(body).encode(), {**sent, "Content-Type": "application/json"}
        problem = ""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            try:
                connection.request(method, path, body, sent)
                answer = connection.getresponse()
                data = answer.read()
                problem = f"status {answer.status}" if answer.status >= 500 else ""
            except (OSError, HTTPException) as error:
                problem = repr(error)
        self.record.requests[self.name] += 1
        if problem:
            what = f"{self.name}: {method} {path}: {problem}"
            self.record.failures.append(Failure(start, time.monotonic(), what))
            raise Unanswered(what)
        is_json = "json" in answer.headers.get("Content-Type", "")
        return answer.status, json.loads(data) if is_json and data else data

    def insist(self, method: str, path: str, body: Any = None, **options: Any) -> tuple[int, Any]:
        """The same, asked again until there is an answer."""
        while True:
            with suppress(Unanswered):
                return self.ask(method, path, body, **options)
            time.sleep(0.2)


def at_work(record: Record, over: threading.Event, once: Callable[[], None]) -> threading.Thread:
    """A thread that calls ``once`` again and again until it is over; its errors are noted."""

    def run() -> None:
        try:
            while not over.wait(0.05):
                once()
        except Exception as error:  # noqa: BLE001 - the round fails with it
            record.errors.append(f"{once.__qualname__}: {error!r}")

    thread = threading.Thread(target=run, name=once.__qualname__)
    thread.start()
    return thread


@dataclass
class Submitter:
    """Sends entries in pieces, as `superboard submit` does, and publishes them; some files are no archive."""

    caller: Caller
    random: Random
    number: int
    sent: int = 0

    def submit(self) -> None:
        self.sent += 1
        agent = f"Submitter {self.number} try {self.sent}"
        record = self.caller.record
        if self.sent % 4 == 0:
            upload = self._send(agent, f"no archive of {agent}".encode())
            record.refused.append(upload)
        else:
            plan = make_plan(agent, self.random, tasks=self.random.choice((3, TASKS)), ran=True)
            upload = self._send(agent, archive(plan))
            record.plans.append(plan)
            record.uploads[agent] = upload
        if until_ended(self.caller, f"{API}/uploads/{upload}", upload_has_ended)["state"] == "checked":
            publish(self.caller, upload)

    def _send(self, agent: str, data: bytes) -> str:
        upload = self._start(f"{agent}.zip", agent, len(data))
        path = f"{API}/uploads/{upload}"
        found = self.caller.insist("GET", path)[1]
        # An empty piece completes what has all of its bytes.
        while found["state"] == "receiving":
            at = found["received"]
            piece = data[at : at + PIECE]
            if self.random.random() < 0.1:
                self._vanish(path, at, piece)
            with suppress(Unanswered):
                self.caller.ask("PATCH", path, piece, headers=_piece_headers(at))
            # What has arrived, whatever came of the answer.
            found = self.caller.insist("GET", path)[1]
        return upload

    def _start(self, name: str, agent: str, size: int) -> str:
        form = {"benchmark": BENCHMARK, "set": TASK_SET, "agent": agent, "model": "sent"}
        while True:
            with suppress(Unanswered):
                status, answer = self.caller.ask(
                    "POST", f"{API}/uploads", {"name": name, "size": size, "form": form}
                )
                assert status == 201, answer
                return str(answer["id"])
            # It may have been started, with the answer lost.
            _status, listed = self.caller.insist("GET", f"{API}/uploads")
            for upload in listed["items"]:
                if upload["name"] == name:
                    return str(upload["id"])

    def _vanish(self, path: str, at: int, piece: bytes) -> None:
        """Send half a piece, and go."""
        connection = HTTPConnection("127.0.0.1", self.caller.port, timeout=PATIENCE)
        with suppress(OSError), closing(connection):
            connection.putrequest("PATCH", path)
            connection.putheader("Authorization", f"Bearer {self.caller.token}")
            for header, value in _piece_headers(at).items():
                connection.putheader(header, value)
            connection.putheader("Content-Length", str(len(piece)))
            connection.endheaders(piece[: len(piece) // 2])


def _piece_headers(at: int) -> dict[str, str]:
    return {"Content-Type": "application/offset+octet-stream", "Upload-Offset": str(at)}


@dataclass
class Operator:
    """Starts one run after the other."""

    caller: Caller
    random: Random
    task_set: TaskSet
    folder: Path
    tasks: int
    sandbox: str
    started: int = 0

    def operate(self) -> None:
        self.started += 1
        plan = make_plan(f"Runner try {self.started}", self.random, tasks=self.tasks, ran=False)
        file = self.folder / f"{self.started}.json"
        file.write_text(json.dumps(script(plan)))
        # Its agent is none that a page or the API offers.
        run = create_run(
            task_set=self.task_set,
            tasks=self.task_set.tasks.filter(task_id__in=[each.task_id for each in plan.tries]),
            attempts=1,
            agent="scripted",
            scaffold=plan.agent,
            model="script",
            settings={"script": str(file)},
            sandbox=self.sandbox,
            limits={},
            max_parallel=2,
        )
        self.caller.record.plans.append(plan)
        self.caller.record.runs[plan.agent] = run.pk
        until_ended(self.caller, f"{API}/runs/{run.pk}", lambda found: bool(found["ended"]))


@dataclass
class Reader:
    """Goes from page to page, as somebody without an account does."""

    caller: Caller
    random: Random
    entries: list[str] = field(default_factory=list)

    def read(self) -> None:
        path = self.random.choice([*PAGES, *self.entries])
        try:
            status, body = self.caller.ask("GET", path)
        except Unanswered:
            time.sleep(0.2)
            return
        assert status == 200, f"{path}: {status}"
        if path == BOARD:
            self.entries = [f"/e/{row['entry']}/" for row in body["items"]][:20]


def upload_has_ended(found: Any) -> bool:
    return found["state"] in {"incomplete", "checked", "refused", "failed"}


def publish(caller: Caller, upload: str) -> None:
    """Publish an upload's draft; it may be published already."""
    status, answer = caller.insist("POST", f"{API}/uploads/{upload}/publish", {})
    assert status == 200, answer


def until_ended(caller: Caller, path: str, has_ended: Callable[[Any], bool]) -> dict[str, Any]:
    """Wait until nothing more happens to what is at an address, and return it."""
    deadline = time.monotonic() + SECONDS_TO_END
    while not has_ended(found := caller.insist("GET", path)[1]):
        assert time.monotonic() < deadline, f"{path} has not ended: {found}"
        time.sleep(0.2)
    return dict(found)
