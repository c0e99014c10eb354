"""`superboard view`: read trajectories in the browser, from files of any tool."""

from __future__ import annotations

import signal
import sys
import tempfile
import threading
import webbrowser
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from django.core.handlers.wsgi import WSGIHandler

from leaderboard.client.ending import Exit, UsageProblem, exit_on_errors
from leaderboard.client.show import bars, say, show_findings
from leaderboard.domain.errors import InputError
from leaderboard.domain.text import plural
from leaderboard.exporting.folders import FolderError
from leaderboard.viewing.collection import Collection
from leaderboard.viewing.reading import Reader
from leaderboard.viewing.server import ADDRESS, Server, listen
from leaderboard.viewing.settings import configure
from leaderboard.viewing.sources import open_roots
from leaderboard.viewing.tasks import Tasks

Paths = Annotated[
    list[Path], typer.Argument(metavar="PATH…", help="Trajectory files, folders of them, or archives.")
]
Port = Annotated[
    int | None,
    typer.Option(min=0, max=65535, help="The port to serve on; 0 for any. Default: a free one, from 7575."),
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the address, and open no browser.")]
TaskFile = Annotated[
    Path | None,
    typer.Option(
        exists=True,
        dir_okay=False,
        help="Tasks to score by: a file that import_tasks takes, or a benchmark's file beside them.",
    ),
]
Export = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", file_okay=False, help="Write the pages into DIR as files, and serve nothing."
    ),
]
MaxTrajectory = Annotated[
    int,
    typer.Option(
        "--max-trajectory-mb",
        envvar="SUPERBOARD_MAX_TRAJECTORY_MB",
        min=1,
        help="The largest attempt that is read, in MB.",
    ),
]


def view(
    paths: Paths,
    port: Port = None,
    no_browser: NoBrowser = False,
    tasks: TaskFile = None,
    export: Export = None,
    max_trajectory_mb: MaxTrajectory = 100,
) -> None:
    """Read trajectories in the browser, without a site: any agent's, any task's.

    The pages are served to this machine alone, and follow the files while a run writes them. Nothing is sent
    anywhere, and nothing is written beside the files. Ctrl-C ends it.
    """
    with exit_on_errors(as_json=False), tempfile.TemporaryDirectory(prefix="superboard-view-") as temporary:
        known = _tasks(tasks)
        # Before anything is read: the browser starts meanwhile, and waits for the first page.
        server = None if export else listen(port)
        folder = Path(temporary)
        roots, left_out = open_roots(paths, folder)
        show_findings(("warning", problem) for problem in left_out)
        attempts = Collection(roots, Reader(known, max_trajectory_mb << 20), folder=folder)
        configure(attempts)
        if server is not None:
            _serve(server, attempts, no_browser=no_browser)
        elif export is not None:
            _export(attempts, export)


def _tasks(path: Path | None) -> Tasks:
    if path is None:
        return Tasks()
    try:
        known: Tasks = import_module("leaderboard.viewing.task_files").read_task_file(path)
    except InputError as refused:
        reasons = "; ".join(str(problem) for problem in refused.problems[:5])
        raise typer.BadParameter(reasons, param_hint="--tasks") from None
    return known


def _serve(server: Server, attempts: Collection, *, no_browser: bool) -> None:
    address = f"http://{ADDRESS}:{server.server_port}/"
    # For people and for programs that start it.
    sys.stdout.write(f"{address}\n")
    sys.stdout.flush()
    say("Reading the files; Ctrl-C ends it.")
    # SIGINT as well: a shell that starts this in the background has it ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    server.set_app(WSGIHandler())
    stopped = threading.Event()
    follower = threading.Thread(target=attempts.follow, args=(stopped,), daemon=True)
    follower.start()
    if not no_browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    try:
        server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        say("Ended.")
    finally:
        stopped.set()
        server.server_close()
        # It may be in the middle of a file, in the temporary folder.
        follower.join(timeout=5)


def _export(attempts: Collection, folder: Path) -> None:
    with bars() as begin:
        attempts.update(on_progress=begin("Reading"))
    state = attempts.state()
    show_findings(("warning", problem) for problem in state.problems)
    if not state.rows:
        say("No attempt was found, so nothing was written.")
        raise typer.Exit(Exit.PROBLEMS)
    try:
        # With it, what a site's copy needs; to show pages it is not.
        copied = import_module("leaderboard.viewing.copying").write_copy(attempts, folder, say)
    except FolderError as error:
        raise UsageProblem(str(error)) from None
    attempts_text = plural(len(state.rows), "{n} attempt", "{n} attempts")
    say(f"Wrote {attempts_text} as {copied.pages:,} pages. Open {folder / 'index.html'}")
