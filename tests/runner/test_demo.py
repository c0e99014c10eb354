"""`make demo`: one command from a checkout to a site in the browser, and nothing left behind."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.core.restarts import Restarts
from leaderboard.core.staticfiles import collect_static_files_if_stale
from leaderboard.runs.services import publish_run
from runner.management.commands.demo import answers, check_port_is_free, things_to_try, wait_until
from runner.processes import ChildDied, ChildProcess
from tests.cast import PET, make_set
from tests.runs.cast import claim, finish, make_run
from tests.test_supervisor import processes_that_name, until


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def run_demo(var: Path, port: int, stop: signal.Signals, *, kills: bool = False) -> str:
    """Start a demo, look at its first page, stop it; return all that it said.

    With ``kills``, each of its two children is killed and comes back first.
    """
    command = [sys.executable, "manage.py", "demo", "--port", str(port)]
    environment = {**os.environ, "SUPERBOARD_VAR": str(var)}
    with subprocess.Popen(
        command,
        cwd=settings.BASE_DIR,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        umask=0o022,
    ) as demo:
        assert demo.stdout is not None
        said = list(read_until(demo.stdout, "Ctrl-C stops"))
        assert get("/", port) == 200, said
        assert open_to_others(var) == []
        for name in ("serve", "worker") if kills else ():
            child = descendant(demo.pid, name)
            # Links in mails and notices lead to this site.
            variables = Path(f"/proc/{child}/environ").read_text().split("\0")
            assert f"SUPERBOARD_URL=http://127.0.0.1:{port}" in variables
            os.kill(child, signal.SIGKILL)
            said += read_until(demo.stdout, "runs again")
        until(lambda: answers(port), "the site has not come back")
        demo.send_signal(stop)
        said.append(demo.stdout.read())
    assert demo.returncode == 0, said
    return "".join(said)


def read_until(lines: Iterable[str], words: str) -> Iterator[str]:
    for line in lines:
        yield line
        if words in line:
            return


def descendant(parent: int, word: str) -> int:
    """The process with this word in its command line that was started for ``parent``, below its guard."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    for guard in children:
        if word in Path(f"/proc/{guard}/cmdline").read_text().split("\0"):
            return int(Path(f"/proc/{guard}/task/{guard}/children").read_text().split()[0])
    raise AssertionError(word)


COMES_AND_GOES = (
    'INSERT INTO "leaderboard_worker"',
    'INSERT INTO "leaderboard_revision"',
    'INSERT INTO "sqlite_sequence"',
    # Made anew whenever it migrates.
    "CREATE TRIGGER",
)


def rows(database: Path) -> list[str]:
    """All rows but those of workers, of which one that is killed leaves its own a while, and the revision."""
    with closing(sqlite3.connect(database)) as connection:
        return [each for each in connection.iterdump() if not each.startswith(COMES_AND_GOES)]


def open_to_others(var: Path) -> list[str]:
    """What other users of the machine could read or write: database, blobs, logs, mails, secrets and all."""
    files = [path for path in (var, *var.rglob("*")) if not path.is_symlink()]
    assert {"db.sqlite3", "db.sqlite3-wal", "db.sqlite3-shm", "mail.txt", "web.log", "worker.log"} <= {
        path.name for path in files
    }
    return [f"{path} {path.stat().st_mode:o}" for path in files if path.stat().st_mode & 0o077]


def test_it_serves_the_board_until_it_is_stopped_and_changes_nothing_when_run_again(
    free_port: int, tmp_path: Path
) -> None:
    said = run_demo(tmp_path, free_port, signal.SIGTERM, kills=True)
    assert f"Superboard is at http://127.0.0.1:{free_port}/\n" in said
    assert said.split()[-2:] == ["Stopping.", "Stopped."]
    check_port_is_free(free_port)
    after_one_run = rows(tmp_path / "db.sqlite3")
    # As releases before this rule left them.
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)

    run_demo(tmp_path, free_port, signal.SIGINT)

    assert rows(tmp_path / "db.sqlite3") == after_one_run


def get(path: str, port: int) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.django_db
def test_what_there_is_to_try_is_what_any_visitor_can_see() -> None:
    task_set = make_set(PET)
    draft = make_run(task_set=task_set)
    finish(claim())

    before = [path for path, _ in things_to_try()]
    publish_run(draft)
    after = [path for path, _ in things_to_try()]

    # The other task set has no task.
    assert before == [task_set.get_absolute_url(), reverse("about")]
    assert [Client().get(path).status_code for path in after] == [200, 200, 200]


def test_a_taken_port_is_named_together_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(CommandError, match=rf"Port {port} of .* PORT={port + 1} make demo"):
            check_port_is_free(port)


def test_a_child_that_dies_is_reported_with_the_end_of_its_log(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print(*range(99), 'why it died', sep='\\n'); raise SystemExit(3)"]

    with (
        ChildProcess("worker", command, tmp_path / "log" / "worker.log") as child,
        pytest.raises(ChildDied) as error,
    ):
        wait_until(lambda: False, children=(child,))

    assert str(error.value).startswith(
        f"The worker ended with status 3.\nThe end of {tmp_path}/log/worker.log:\n"
    )
    assert str(error.value).splitlines()[-1] == "why it died"
    assert "\n5\n" not in str(error.value)


def test_a_child_ends_together_with_its_context(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import signal; signal.pause()"]

    with ChildProcess("worker", command, tmp_path / "worker.log") as child:
        child.check_it_lives()

    assert child.process.returncode == -signal.SIGTERM


def test_a_child_that_ends_is_started_again_after_pauses_that_grow(tmp_path: Path) -> None:
    with ChildProcess("worker", [sys.executable, "-c", "raise SystemExit(3)"], tmp_path / "log") as child:
        said = [restart(child), restart(child)]

    assert said == [
        f"The worker ended with status 3. It starts again in {seconds} s; its log is {tmp_path}/log."
        for seconds in (1, 2)
    ]


def restart(child: ChildProcess) -> str:
    """Wait until a child has ended and started again; returns what is said when it ends."""
    child.process.wait()
    said = child.restart_if_ended()
    while child.restart_if_ended() == "":
        time.sleep(0.02)
    return said


def test_a_process_that_worked_for_a_while_starts_again_soon() -> None:
    restarts = Restarts()

    pauses = [restarts.pause_after(lived=0) for _ in range(8)]

    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]
    assert restarts.pause_after(lived=61) == 1


KILLED = """
import os, sys, time
from pathlib import Path
from django.conf import settings
settings.configure(BASE_DIR=".")
from runner.processes import ChildProcess

child = [sys.executable, "-c", "import os, time; os.fork(); time.sleep(600)", sys.argv[1]]
with ChildProcess("worker", child, Path(sys.argv[1])):
    print("started", flush=True)
    time.sleep(600)
"""


def test_children_end_with_a_demo_that_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path / "log")]
    with subprocess.Popen(command, cwd=settings.BASE_DIR, stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        assert demo.stdout.readline() == "started\n"
        demo.kill()

    until(lambda: not processes_that_name(tmp_path), "processes are left")


def test_a_child_whose_guard_is_killed_ends_before_another_starts(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import signal; signal.pause()", str(tmp_path)]
    with ChildProcess("worker", command, tmp_path / "log") as child:
        until(lambda: len(processes_that_name(tmp_path)) == 2, "it did not start")
        child.process.kill()

        assert restart(child).startswith("The worker was killed by signal 9. It starts again in 1 s")

        until(lambda: len(processes_that_name(tmp_path)) == 2, "the old one is left")


def test_static_files_are_collected_when_there_is_something_new_and_only_then(
    settings: Settings, tmp_path: Path
) -> None:
    settings.VAR = tmp_path
    settings.STATIC_ROOT = tmp_path / "collected"
    settings.STATICFILES_DIRS = [tmp_path / "source"]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "one.css").write_text("a {}")

    assert collect_static_files_if_stale()
    assert not collect_static_files_if_stale()

    (tmp_path / "source" / "one.css").write_text("a { color: red }")
    assert collect_static_files_if_stale()
    assert (tmp_path / "collected" / "one.css").read_text() == "a { color: red }"
