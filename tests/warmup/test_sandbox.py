"""What every sandbox promises, tried on the local one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from runner.sandbox import kernel
from runner.sandbox.base import SandboxError, Status
from runner.sandbox.environment import prepare_base
from runner.sandbox.local import LocalSandbox
from tests.warmup.places import ROOT, WARMUP

LONG = 60.0
ENDLESS = "import time\nprint('begun', flush=True)\nwhile True:\n    time.sleep(0.05)"


def test_state_lasts_from_cell_to_cell(sandbox: LocalSandbox) -> None:
    sandbox.write_file("deep/er.txt", b"")

    assert sandbox.execute("x = 20\n%cd -q deep", LONG).output == ""
    assert sandbox.execute("x + 1", LONG).output == "21\n"
    assert sandbox.execute("!ls", LONG).output.strip() == "er.txt"


def test_output_keeps_its_order_colours_and_carriage_returns(sandbox: LocalSandbox) -> None:
    cell = (
        "import sys\nprint('one\\rtwo', flush=True)\nprint('\\x1b[1mred', file=sys.stderr, flush=True)\n1 / 0"
    )

    execution = sandbox.execute(cell, LONG)

    assert execution.output.startswith("one\rtwo\n\x1b[1mred\n")
    assert execution.output.endswith("division by zero\n")
    assert execution.status is Status.ERROR
    assert execution.started < execution.ended


def test_a_cell_that_runs_out_of_time_goes_on_and_can_be_waited_for(sandbox: LocalSandbox) -> None:
    wait = "while not pathlib.Path('go').exists():\n    time.sleep(0.01)"

    first = sandbox.execute(f"import pathlib, time\nprint('waits')\n{wait}\nprint('went')", 1)
    sandbox.write_file("go", b"")
    second = sandbox.keep_waiting(LONG)

    assert (first.status, first.timed_out) == (Status.RUNNING, True)
    assert (second.status, second.timed_out) == (Status.OK, False)
    assert first.output + second.output == "waits\nwent\n"


def test_an_interrupted_cell_ends_and_leaves_the_state(sandbox: LocalSandbox) -> None:
    sandbox.execute("x = 1", LONG)
    assert sandbox.execute(ENDLESS, 1).timed_out

    interrupted = sandbox.interrupt()

    assert interrupted.status is Status.ERROR
    assert "KeyboardInterrupt" in interrupted.output
    assert sandbox.execute("x", LONG).output == "1\n"


def test_an_interrupt_reaches_a_shell_command(sandbox: LocalSandbox) -> None:
    assert sandbox.execute("!sleep 600", 1).timed_out

    assert not sandbox.interrupt().timed_out
    assert sandbox.execute("!echo on", LONG).output.strip() == "on"


def test_a_cell_that_prints_without_end_still_runs_out_of_time(sandbox: LocalSandbox) -> None:
    # Each display is a message at once; what is printed would come in bundles, with pauses between them.
    assert sandbox.execute("while True:\n    display('y' * 1000)", 1).timed_out
    assert not sandbox.interrupt().timed_out


def test_an_error_before_a_timeout_is_not_forgotten(sandbox: LocalSandbox) -> None:
    # IPython shows the error of a cell at once; what it runs afterwards can take time.
    hook = "import time\nget_ipython().events.register('post_run_cell', lambda result: time.sleep(1.5))"
    sandbox.execute(hook, LONG)

    assert sandbox.execute("1 / 0", 0.7).timed_out
    assert sandbox.keep_waiting(LONG).status is Status.ERROR


def test_a_kernel_that_dies_is_reported(sandbox: LocalSandbox) -> None:
    assert sandbox.execute("import os\nos._exit(3)", LONG).status is Status.DEAD
    with pytest.raises(SandboxError, match="the kernel is dead"):
        sandbox.execute("1", LONG)


def test_calls_out_of_turn_are_refused(sandbox: LocalSandbox) -> None:
    for out_of_turn in (sandbox.interrupt, lambda: sandbox.keep_waiting(LONG)):
        with pytest.raises(SandboxError, match="no cell is running"):
            out_of_turn()
    sandbox.execute(ENDLESS, 1)
    with pytest.raises(SandboxError, match="a cell is still running"):
        sandbox.execute("1", LONG)


def test_the_environment_is_not_the_projects(sandbox: LocalSandbox) -> None:
    imports = sandbox.execute("import importlib.util\nimportlib.util.find_spec('django') is None", LONG)
    prefix = sandbox.execute(
        "import sys\nprint(sys.prefix)\n!python -c 'import sys; print(sys.prefix)'", LONG
    )

    assert imports.output == "True\n"
    own = str(sandbox.working_folder.parent / "env")
    assert prefix.output.split() == [own, own]
    assert own != sys.prefix


def test_the_environments_variables_are_not_the_projects(
    base_packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY_OF_OURS", "secret")
    with LocalSandbox(tmp_path / "sandbox", base_packages) as sandbox:
        assert sandbox.execute("import os\n'A_KEY_OF_OURS' in os.environ", LONG).output == "False\n"
        assert str(ROOT) not in sandbox.execute("print(os.environ)", LONG).output


def test_what_a_cell_installs_stays_in_its_sandbox(sandbox: LocalSandbox, base_packages: Path) -> None:
    wheel = next((WARMUP / "wheelhouse").glob("tinymetrics-0.3.1-*.whl"))
    sandbox.write_file(wheel.name, wheel.read_bytes())

    assert "Successfully installed" in sandbox.execute(f"!pip install {wheel.name}", LONG).output
    assert sandbox.execute("import tinymetrics\ntinymetrics.__version__", LONG).output == "'0.3.1'\n"
    assert not list(base_packages.glob("tinymetrics*"))


def test_files_are_written_and_read_in_the_working_folder_only(sandbox: LocalSandbox) -> None:
    sandbox.write_file("a/b.bin", b"\x00\xff")
    sandbox.execute("!ln -s / way_out", LONG)

    assert sandbox.read_file("a/b.bin") == b"\x00\xff"
    with pytest.raises(FileNotFoundError):
        sandbox.read_file("nothing")
    for name in ("../env/x", "/etc/passwd", "way_out/etc/passwd"):
        with pytest.raises(SandboxError, match="is not in the working folder"):
            sandbox.read_file(name)
        with pytest.raises(SandboxError, match="is not in the working folder"):
            sandbox.write_file(name, b"")


def test_closing_twice_is_the_same_as_once(sandbox: LocalSandbox) -> None:
    sandbox.close()
    sandbox.close()

    for late in (lambda: sandbox.execute("1", LONG), lambda: sandbox.read_file("x")):
        with pytest.raises(SandboxError, match="the sandbox is closed"):
            late()
    with pytest.raises(SandboxError, match="started once"):
        sandbox.start()


def test_closing_ends_a_running_shell_command(sandbox: LocalSandbox) -> None:
    output = sandbox.execute("!echo $$; exec sleep 600", 1).output
    while not output.endswith("\n"):
        output += sandbox.keep_waiting(1).output
    process = Path("/proc") / output.strip()
    assert (process / "cmdline").read_bytes().startswith(b"sleep")

    sandbox.close()

    # Gone, or dead and waiting for its new parent to notice.
    assert not process.exists() or "\nState:\tZ" in (process / "status").read_text()


def test_a_sandbox_does_not_move_into_a_used_folder(base_packages: Path, tmp_path: Path) -> None:
    (tmp_path / "something").touch()

    with pytest.raises(SandboxError, match="is not empty"):
        LocalSandbox(tmp_path, base_packages).start()


def test_a_broken_environment_leaves_nothing_running(base_packages: Path, tmp_path: Path) -> None:
    sandbox = LocalSandbox(tmp_path / "sandbox", tmp_path / "no-packages-here")

    with pytest.raises(SandboxError, match="the kernel died at its start"):
        sandbox.start()
    sandbox.close()


def test_output_beyond_the_limit_is_counted_not_kept(
    sandbox: LocalSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "OUTPUT_LIMIT", 10)

    execution = sandbox.execute("print('a' * 8, flush=True)\nprint('b' * 8)", LONG)

    assert execution.output == "aaaaaaaa\nb\n[8 more characters, beyond the limit of 10, were left out]\n"


def test_an_environment_that_pip_refuses_is_an_error_and_is_not_kept(tmp_path: Path) -> None:
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("this is no requirement\n")

    for _ in range(2):
        with pytest.raises(SandboxError, match="pip could not make the kernels' environment"):
            prepare_base(tmp_path / "base", constraints)
