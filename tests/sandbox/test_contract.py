"""What every sandbox promises, with a kernel or without."""

from __future__ import annotations

import json

import pytest

from runner.sandbox.base import Limits, Sandbox, SandboxError, Status
from tests.sandbox.cells import ASKS, DIES, ENDLESS, FAILS, FLOODS, HELLO, LONG, SLOW, STUBBORN, SURROGATE
from tests.sandbox.conftest import Make


def test_a_cell_comes_back_with_its_output_and_its_times(any_sandbox: Sandbox) -> None:
    execution = any_sandbox.execute(HELLO, LONG)

    assert (execution.output, execution.status) == ("hello\n", Status.OK)
    assert (execution.incomplete, execution.dropped, execution.whole) == (False, 0, None)
    assert execution.started < execution.ended
    assert execution.started.tzinfo is not None


def test_an_exception_is_an_error_and_the_kernel_goes_on(any_sandbox: Sandbox) -> None:
    failed = any_sandbox.execute(FAILS, LONG)

    assert failed.status is Status.ERROR
    assert failed.output.endswith("division by zero\n")
    assert any_sandbox.execute(HELLO, LONG).status is Status.OK


def test_input_fails_at_once(any_sandbox: Sandbox) -> None:
    asked = any_sandbox.execute(ASKS, LONG)

    assert asked.status is Status.ERROR
    assert "StdinNotImplementedError" in asked.output


def test_output_is_handed_on_while_it_comes(any_sandbox: Sandbox) -> None:
    pieces: list[str] = []

    execution = any_sandbox.execute(SLOW, LONG, pieces.append)

    assert pieces[0].startswith("0\n")
    assert "".join(pieces) == execution.output == "0\n1\n2\n"


def test_output_is_handed_on_before_the_cell_ends(any_sandbox: Sandbox) -> None:
    pieces: list[str] = []

    first = any_sandbox.execute(ENDLESS, 1, pieces.append)
    any_sandbox.interrupt(pieces.append)

    assert first.status is Status.RUNNING
    assert pieces[0] == first.output == "begun\n"
    assert "KeyboardInterrupt" in "".join(pieces[1:])


def test_what_a_callback_raises_is_its_callers(any_sandbox: Sandbox) -> None:
    def refuse(piece: str) -> None:
        raise RuntimeError(piece)

    with pytest.raises(RuntimeError, match="begun"):
        any_sandbox.execute(ENDLESS, LONG, refuse)
    assert any_sandbox.interrupt().status is Status.ERROR


def test_a_cell_that_runs_out_of_time_goes_on(any_sandbox: Sandbox) -> None:
    assert any_sandbox.execute(ENDLESS, 1).timed_out
    assert any_sandbox.keep_waiting(0.1).output == ""

    assert any_sandbox.interrupt().status is Status.ERROR
    assert any_sandbox.execute(HELLO, LONG).status is Status.OK


def test_a_cell_that_ignores_the_interrupt_costs_the_kernel(make_any: Make) -> None:
    sandbox = make_any(Limits(interrupt_seconds=1))
    sandbox.execute(STUBBORN, 1)

    execution = sandbox.interrupt()

    assert execution.status is Status.DEAD
    assert "it ignored the interrupt for 1 seconds and was killed" in execution.output
    with pytest.raises(SandboxError, match="the kernel is dead"):
        sandbox.execute(HELLO, LONG)


def test_a_kernel_that_dies_is_said_to_be_dead_and_why(any_sandbox: Sandbox) -> None:
    pieces: list[str] = []

    died = any_sandbox.execute(DIES, LONG, pieces.append)

    assert died.status is Status.DEAD
    assert died.output == "".join(pieces)
    assert "[The kernel is gone: it ended with status 3." in died.output
    for _ in range(2):
        with pytest.raises(SandboxError, match="the kernel is dead: it ended with status 3"):
            any_sandbox.execute(HELLO, LONG)


def test_beyond_the_limit_the_middle_is_left_out_and_the_whole_is_in_a_file(make_any: Make) -> None:
    sandbox = make_any(Limits(kept=1000, whole=1_000_000))

    execution = sandbox.execute(FLOODS, LONG)

    assert len(execution.output) < 1100
    assert f"\n[{execution.dropped} characters left out]\n" in execution.output
    assert execution.dropped == 10_000_000 - 1000
    assert execution.whole is not None
    assert execution.whole.stat().st_size == 1_000_000
    sandbox.close()
    assert not execution.whole.exists()


def test_a_piece_has_its_limit(make_any: Make) -> None:
    pieces: list[str] = []

    make_any(Limits(piece=1000)).execute(FLOODS, LONG, pieces.append)

    assert max(map(len, pieces)) < 1100


def test_output_can_always_be_encoded(any_sandbox: Sandbox) -> None:
    assert any_sandbox.execute(SURROGATE, LONG).output == "a\\ud800b\n"


def test_calls_out_of_turn_are_refused(any_sandbox: Sandbox) -> None:
    with pytest.raises(SandboxError, match="no cell is running"):
        any_sandbox.interrupt()
    with pytest.raises(SandboxError, match="no cell is running"):
        any_sandbox.keep_waiting(LONG)
    any_sandbox.execute(ENDLESS, 0.5)
    with pytest.raises(SandboxError, match="a cell is still running"):
        any_sandbox.execute(HELLO, LONG)


def test_files_are_written_and_read(any_sandbox: Sandbox) -> None:
    for data in (b"first", b"\x00\xff" * 100_000):
        any_sandbox.write_file("a/deep/b.bin", data)
        assert any_sandbox.read_file("a/deep/b.bin") == data
        assert any_sandbox.read_file("a/../a/deep/b.bin") == data
    with pytest.raises(FileNotFoundError):
        any_sandbox.read_file("a/nothing")


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/passwd"])
def test_a_name_that_leads_out_is_refused(name: str, any_sandbox: Sandbox) -> None:
    with pytest.raises(SandboxError, match="is not in the working folder"):
        any_sandbox.read_file(name)
    with pytest.raises(SandboxError, match="is not in the working folder"):
        any_sandbox.write_file(name, b"")


def test_a_file_beyond_the_limit_is_not_read(make_any: Make) -> None:
    sandbox = make_any(Limits(file=1000))
    sandbox.write_file("fits", b"x" * 1000)
    sandbox.write_file("large", b"x" * 1001)

    assert len(sandbox.read_file("fits")) == 1000
    with pytest.raises(SandboxError, match="limit of 1,000"):
        sandbox.read_file("large")


def test_it_says_what_it_is_in_json(any_sandbox: Sandbox) -> None:
    said = any_sandbox.describe()

    assert {"kind", "python", "ipykernel", "limits", "hardware"} <= said.keys()
    assert json.loads(json.dumps(said)) == said


def test_closing_twice_is_the_same_as_once(any_sandbox: Sandbox) -> None:
    any_sandbox.execute(ENDLESS, 0.5)
    any_sandbox.close()
    any_sandbox.close()

    for late in (
        any_sandbox.interrupt,
        any_sandbox.describe,
        lambda: any_sandbox.execute(HELLO, LONG),
        lambda: any_sandbox.read_file("x"),
    ):
        with pytest.raises(SandboxError, match="the sandbox is closed"):
            late()
    with pytest.raises(SandboxError, match="started only once"):
        any_sandbox.start()
