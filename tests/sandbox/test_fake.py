"""What the sandbox without a kernel plays, for tests of those who use it."""

from __future__ import annotations

import pytest

from runner.sandbox.base import Limits, SandboxError, Status
from runner.sandbox.fake import FakeSandbox, Reply
from tests.sandbox.cells import LONG

IMPATIENT = Limits(silence_seconds=0.2, stream_seconds=0.05, start_seconds=0.1)


def test_a_lost_idle_message_ends_after_silence_and_is_said() -> None:
    with FakeSandbox(lambda _: Reply(("said\n",), loses_idle=True), IMPATIENT) as sandbox:
        execution = sandbox.execute("x", LONG)

    assert (execution.output, execution.status, execution.incomplete) == ("said\n", Status.OK, True)


def test_a_lost_idle_message_after_an_error_is_still_an_error() -> None:
    with FakeSandbox(lambda _: Reply(error=True, loses_idle=True), IMPATIENT) as sandbox:
        assert sandbox.execute("x", LONG).status is Status.ERROR


def test_silence_counts_from_the_last_word() -> None:
    with FakeSandbox(lambda _: Reply(loses_idle=True), Limits(silence_seconds=60)) as sandbox:
        assert sandbox.execute("x", 0.5).timed_out


def test_a_slow_start_fails_beyond_its_limit() -> None:
    sandbox = FakeSandbox({}, IMPATIENT, slow=5)

    with pytest.raises(SandboxError, match="did not start in time"):
        sandbox.start()
    with pytest.raises(SandboxError, match="the sandbox is closed"):
        sandbox.execute("x", LONG)


def test_a_cell_without_a_reply_is_an_error_that_names_it() -> None:
    with FakeSandbox({}) as sandbox:
        assert sandbox.execute("what", LONG).output == "NameError: no reply to 'what'\n"
        assert sandbox.codes == ["what"]


def test_a_kernel_that_died_while_nobody_asked_is_reported_once() -> None:
    with FakeSandbox(lambda _: Reply(("hi",))) as sandbox:
        sandbox.die("out of memory")

        found = sandbox.execute("x", LONG)

        assert (found.status, sandbox.codes) == (Status.DEAD, [])
        assert "out of memory" in found.output
        with pytest.raises(SandboxError, match="the kernel is dead: out of memory"):
            sandbox.execute("x", LONG)
