"""What a cell can do to whoever reads it, and what it can't; for every sandbox with a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.sandbox.base import Limits, Sandbox, SandboxError, Status
from tests.sandbox.cells import HELLO, LONG
from tests.sandbox.conftest import Make

FLOOD = 400_000_000
"""Bytes: twice what it may take of memory."""
LINES = "for _ in range(4_000):\n    print('y' * 99_999)"
AT_ONCE = f"print('y' * ({FLOOD} - 1))"
MEMORY_LIMIT = FLOOD // 2
PAGE = 4096


def resident() -> int:
    """Bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


@pytest.mark.parametrize("cell", [LINES, AT_ONCE], ids=["lines", "at-once"])
def test_a_flood_of_output_takes_bounded_memory_and_is_counted(cell: str, sandbox: Sandbox) -> None:
    sandbox.execute(HELLO, LONG)
    before, seen = resident(), []

    execution = sandbox.execute(cell, 5 * LONG, lambda _: seen.append(resident()))

    assert execution.status is Status.OK
    assert execution.dropped == FLOOD - Limits().kept
    assert execution.whole is not None
    assert execution.whole.stat().st_size == Limits().whole
    assert max(seen) - before < MEMORY_LIMIT


def test_a_flood_between_calls_takes_bounded_memory(sandbox: Sandbox) -> None:
    flood = f"{LINES.replace('4_000', '3_000')}\nopen('done', 'w').close()\n"
    before, most = resident(), 0

    assert sandbox.execute(f"import time\n{flood}time.sleep(600)", 0.1).timed_out
    while not exists(sandbox, "done"):
        most = max(most, resident())

    assert most - before < MEMORY_LIMIT
    assert sandbox.interrupt().dropped > 200_000_000
    assert sandbox.execute(HELLO, LONG).output == "hello\n"


def exists(sandbox: Sandbox, name: str) -> bool:
    try:
        sandbox.read_file(name)
    except FileNotFoundError:
        return False
    return True


def test_a_result_that_is_too_large_for_a_message_loses_its_middle(sandbox: Sandbox) -> None:
    execution = sandbox.execute("'y' * 50_000_000", LONG)

    assert execution.status is Status.OK
    assert "characters left out]" in execution.output
    assert execution.output.startswith("'yyy")
    assert execution.output.endswith("yyy'\n")


def test_a_message_that_is_too_large_is_never_read(make: Make) -> None:
    sandbox = make(Limits())
    before = resident()

    huge = "get_ipython().kernel.session.pack = None\nio = get_ipython().kernel.iopub_socket\n"
    sandbox.execute(
        f"{huge}io.send_multipart([b'y' * 300_000_000])\nimport os\nos.kill(os.getpid(), 9)", LONG
    )

    assert resident() - before < MEMORY_LIMIT


def test_made_up_messages_are_no_output(sandbox: Sandbox) -> None:
    made_up = """
kernel = get_ipython().kernel
for parts in ([b"x"], [b"<IDS|MSG>"] + [b"{}"] * 5, [b"<IDS|MSG>", b"\\xff"]):
    kernel.iopub_socket.send_multipart(parts)
for content in (None, {"text": None}, {"name": "stdout"}):
    kernel.session.send(kernel.iopub_socket, "stream", content, parent=kernel.get_parent())
"""

    assert sandbox.execute(made_up, LONG).status is Status.OK
    assert sandbox.execute(HELLO, LONG).output == "hello\n"


def test_bytes_that_are_no_text_survive_as_text(sandbox: Sandbox) -> None:
    execution = sandbox.execute(
        "import os\nfor _ in range(3):\n    os.write(1, bytes(range(256)))\nNone", LONG
    )

    assert execution.status is Status.OK
    assert execution.output.startswith("\x00\x01")
    assert "\ufffd" in execution.output
    assert execution.output.encode()


def test_a_lone_surrogate_breaks_neither_an_exception_nor_a_result(sandbox: Sandbox) -> None:
    raised = sandbox.execute("raise ValueError('a\\ud800b')", LONG)
    shown = sandbox.execute("class Odd:\n    __repr__ = lambda self: '\\udcff\\ud800'\nOdd()", LONG)

    assert raised.output.endswith(": a\\ud800b\n")
    assert shown.output.endswith("\\ud800\n")
    assert (raised.output + shown.output).encode()


def test_a_killed_kernel_is_said_to_be_killed(sandbox: Sandbox) -> None:
    killed = sandbox.execute("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", LONG)

    assert killed.status is Status.DEAD
    assert "it died of signal 9" in killed.output


def test_a_kernel_that_dies_between_calls_is_said_to_be_dead_by_the_next(sandbox: Sandbox) -> None:
    sandbox.execute("import os, threading\nthreading.Timer(0.2, os._exit, [4]).start()", LONG)

    # Which of the two calls finds it is a matter of time.
    found = sandbox.execute("import time\ntime.sleep(600)", LONG)

    assert found.status is Status.DEAD
    assert "it ended with status 4" in found.output


def test_an_interrupted_shell_command_that_will_not_end_costs_the_kernel(make: Make) -> None:
    sandbox = make(Limits(interrupt_seconds=2))
    sandbox.execute("import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True:\n    pass", 1)

    assert sandbox.interrupt().status is Status.DEAD


@pytest.mark.parametrize("make_link", ["ln -s / {}", "ln -s ../../../../../../.. {}", "ln -s /etc {}"])
def test_a_link_does_not_lead_out(make_link: str, sandbox: Sandbox) -> None:
    sandbox.execute(f"!{make_link.format('way_out')}", LONG)

    for name in ("way_out/hostname", "way_out/etc/hostname", "way_out"):
        with pytest.raises(SandboxError, match=r"is not (in the working folder|a file)"):
            sandbox.read_file(name)
        with pytest.raises(SandboxError, match=r"is not (in the working folder|a file)"):
            sandbox.write_file(name, b"")


def test_what_is_no_file_is_neither_read_nor_written(sandbox: Sandbox) -> None:
    sandbox.execute("!mkfifo pipe; mkdir folder; touch file; ln -s folder link", LONG)

    for name in ("pipe", "folder", "link"):
        with pytest.raises(SandboxError, match="is not a file"):
            sandbox.read_file(name)
    for name in ("folder", "pipe"):
        with pytest.raises(SandboxError, match="is not a file"):
            sandbox.write_file(name, b"")
    for call in (sandbox.read_file, lambda name: sandbox.write_file(name, b"")):
        with pytest.raises(SandboxError, match="leads through something that is not a folder"):
            call("file/below")
    for name in ("nul\0", "x" * 5000):
        with pytest.raises(SandboxError, match="that is not a file name"):
            sandbox.read_file(name)


def test_a_link_within_the_working_folder_is_followed(sandbox: Sandbox) -> None:
    sandbox.execute("!mkdir folder; ln -s folder link", LONG)

    sandbox.write_file("link/a", b"1")

    assert sandbox.read_file("folder/a") == b"1"


def test_the_environments_variables_are_not_ours(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY_OF_OURS", "secret")

    seen = make(Limits()).execute("import os\nprint('A_KEY_OF_OURS' in os.environ)", LONG)

    assert seen.output == "False\n"
