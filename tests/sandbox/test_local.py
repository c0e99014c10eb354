"""The sandbox on this machine: what it keeps apart, and that nothing of it is left."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from leaderboard.domain.media import from_url
from runner.sandbox.base import Limits, SandboxError
from runner.sandbox.environment import prepare_base
from runner.sandbox.local import LocalSandbox
from tests.pictures import in_base64, png
from tests.sandbox.cells import ENDLESS, LONG
from tests.warmup.places import ROOT, WARMUP


@pytest.fixture
def sandbox(make_local: Callable[[Limits], LocalSandbox]) -> LocalSandbox:
    return make_local(Limits())


def test_the_environment_is_not_the_projects(sandbox: LocalSandbox) -> None:
    imports = sandbox.execute("import importlib.util\nimportlib.util.find_spec('django') is None", LONG)
    prefix = sandbox.execute(
        "import sys\nprint(sys.prefix)\n!python -c 'import sys; print(sys.prefix)'", LONG
    )

    assert imports.output == "True\n"
    own = str(sandbox.working_folder.parent / "env")
    assert prefix.output.split() == [own, own]
    assert own != sys.prefix


def test_images_that_a_cell_displays_are_kept_beside_the_text(sandbox: LocalSandbox) -> None:
    image = in_base64(png(30, 20))
    show = f"import base64\nfrom IPython.display import Image\nImage(base64.b64decode('{image}'))"

    shown = sandbox.execute(show, LONG)

    assert shown.output == "<IPython.core.display.Image object>\n"
    assert [from_url(each).content for each in shown.images] == [png(30, 20)]
    assert sandbox.execute("1", LONG).images == ()


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


def test_an_environment_that_pip_refuses_is_an_error_and_is_not_kept(tmp_path: Path) -> None:
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("this is no requirement\n")

    for _ in range(2):
        with pytest.raises(SandboxError, match="pip could not make the kernels' environment"):
            prepare_base(tmp_path / "base", constraints)


def test_nothing_is_left_after_closing(sandbox: LocalSandbox, tmp_path: Path) -> None:
    threads = {thread.name for thread in threading.enumerate()}
    launch = "import subprocess\nprint(subprocess.Popen(['sleep', '600'], start_new_session=True).pid)"
    pid = sandbox.execute(launch, LONG).output.strip()
    private = sandbox.execute("import sys\nfrom pathlib import Path\nprint(Path(sys.argv[2]).parent)", LONG)
    folder = Path(private.output.strip())
    sandbox.execute(ENDLESS, 0.5)
    assert folder.is_dir()

    sandbox.close()

    assert "kernel-reader" in threads
    assert "kernel-reader" not in {thread.name for thread in threading.enumerate()}
    assert not folder.exists()
    status = Path("/proc") / pid / "status"
    # Gone, or dead and waiting for its new parent to notice.
    assert not status.exists() or "\nState:\tZ" in status.read_text()
