"""What every sandbox with a kernel promises beyond the contract's words: Python, shells, packages."""

from __future__ import annotations

import pytest

from runner.sandbox.base import Limits, Sandbox, Status
from tests.sandbox.cells import DIES, ENDLESS, LONG
from tests.sandbox.conftest import DOCKER, Make
from tests.sandbox.shared import SharedSandboxes
from tests.warmup.places import WARMUP


def test_state_lasts_from_cell_to_cell(sandbox: Sandbox) -> None:
    sandbox.write_file("deep/er.txt", b"")

    assert sandbox.execute("x = 20\n%cd -q deep", LONG).output == ""
    assert sandbox.execute("x + 1", LONG).output == "21\n"
    assert sandbox.execute("!ls", LONG).output.strip() == "er.txt"


def test_output_keeps_its_order_colours_and_carriage_returns(sandbox: Sandbox) -> None:
    cell = (
        "import sys\nprint('one\\rtwo', flush=True)\nprint('\\x1b[1mred', file=sys.stderr, flush=True)\n1 / 0"
    )

    execution = sandbox.execute(cell, LONG)

    assert execution.output.startswith("one\rtwo\n\x1b[1mred\n")
    assert execution.output.endswith("division by zero\n")
    assert execution.status is Status.ERROR
    assert execution.started < execution.ended


def test_each_output_of_a_cell_begins_a_line(sandbox: Sandbox) -> None:
    cell = (
        "import sys\nprint('a', end='', flush=True)\nprint('b', end='', file=sys.stderr, flush=True)\n"
        "display(1)\nprint('c', end='', flush=True)\n42"
    )

    assert sandbox.execute(cell, LONG).output.splitlines() == ["a", "b", "1", "c", "42"]


def test_a_cell_that_runs_out_of_time_goes_on_and_can_be_waited_for(sandbox: Sandbox) -> None:
    wait = "while not pathlib.Path('go').exists():\n    time.sleep(0.01)"

    first = sandbox.execute(f"import pathlib, time\nprint('waits')\n{wait}\nprint('went')", 1)
    sandbox.write_file("go", b"")
    second = sandbox.keep_waiting(LONG)

    assert (first.status, first.timed_out) == (Status.RUNNING, True)
    assert (second.status, second.timed_out) == (Status.OK, False)
    assert first.output + second.output == "waits\nwent\n"


def test_an_interrupted_cell_ends_and_leaves_the_state(sandbox: Sandbox) -> None:
    sandbox.execute("x = 1", LONG)
    assert sandbox.execute(ENDLESS, 1).timed_out

    interrupted = sandbox.interrupt()

    assert interrupted.status is Status.ERROR
    assert "KeyboardInterrupt" in interrupted.output
    assert sandbox.execute("x", LONG).output == "1\n"


def test_an_interrupt_reaches_a_shell_command(sandbox: Sandbox) -> None:
    assert sandbox.execute("!sleep 600", 1).timed_out

    assert not sandbox.interrupt().timed_out
    assert sandbox.execute("!echo on", LONG).output.strip() == "on"


def test_a_cell_that_prints_without_end_still_runs_out_of_time(sandbox: Sandbox) -> None:
    # Each display is a message at once; what is printed would come in bundles, with pauses between them.
    assert sandbox.execute("while True:\n    display('y' * 1000)", 1).timed_out
    assert not sandbox.interrupt().timed_out


def test_an_error_before_a_timeout_is_not_forgotten(make: Make) -> None:
    sandbox = make(Limits())
    # IPython shows the error of a cell at once; what it runs afterwards can take time.
    hook = "import time\nget_ipython().events.register('post_run_cell', lambda result: time.sleep(1.5))"
    sandbox.execute(hook, LONG)

    assert sandbox.execute("1 / 0", 0.7).timed_out
    assert sandbox.keep_waiting(LONG).status is Status.ERROR


def test_what_a_cell_installs_is_there_for_python_and_for_shells(make: Make) -> None:
    sandbox = make(Limits())
    wheel = next((WARMUP / "wheelhouse").glob("tinymetrics-0.3.1-*.whl"))
    sandbox.write_file(wheel.name, wheel.read_bytes())

    assert "Successfully installed" in sandbox.execute(f"!pip install {wheel.name}", LONG).output
    assert sandbox.execute("import tinymetrics\ntinymetrics.__version__", LONG).output == "'0.3.1'\n"
    assert not sandbox.execute("!python -c 'import tinymetrics'", LONG).output


@pytest.mark.parametrize("name", ["base", "docker", "environment", "runner", "leaderboard"])
def test_our_own_modules_are_not_there(name: str, sandbox: Sandbox) -> None:
    cell = f"import importlib.util\nprint(importlib.util.find_spec('{name}'))"

    assert sandbox.execute(cell, LONG).output == "None\n"


@pytest.mark.parametrize("kind", ["local", DOCKER])
def test_what_a_test_leaves_in_a_shared_sandbox_is_gone_for_the_next(
    kind: str, shared: SharedSandboxes
) -> None:
    sandbox = shared.get(kind)
    sandbox.write_file("a/deep/b.bin", b"1")
    sandbox.execute("x = 1\n!mkfifo pipe; ln -s / link; touch .hidden\n%cd -q a", LONG)
    assert sandbox.execute(ENDLESS, 0.5).timed_out

    assert shared.get(kind) is sandbox
    assert sandbox.execute("'x' in globals()", LONG).output == "False\n"
    assert sandbox.execute("!ls -A; basename $PWD", LONG).output.split() == ["workspace"]


def test_a_shared_sandbox_that_died_is_replaced(shared: SharedSandboxes) -> None:
    sandbox = shared.get("local")
    sandbox.execute(DIES, LONG)

    assert shared.get("local") is not sandbox
    assert shared.get("local").execute("1 + 1", LONG).output == "2\n"
