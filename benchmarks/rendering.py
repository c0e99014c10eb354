"""Reading, scoring and rendering an attempt, against nbconvert's stock exporter and against our limits.

It measures published runs where they lie beside the repository, else notebooks of the same shape made here.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import nbformat
from nbconvert.exporters import HTMLExporter

from benchmarks.table import Row
from leaderboard import formats
from leaderboard.domain.tasks import TaskSpec
from leaderboard.rendering import render_attempt
from leaderboard.rendering.model import Rendering
from leaderboard.scoring.super import SCORING

PUBLISHED = Path(__file__).parents[2] / "shared" / "published"
TASK = TaskSpec(
    task_id="benchmark",
    entrypoint="train.py",
    landmarks=(r"Successfully installed", r"\d+%\|", r"[Aa]ccuracy\W+\d", r"Training completed"),
    gold={"accuracy": 0.5},
)
REPEATS = 5
MEGABYTE = 1_000_000
# Runs in a process of its own, so that the peak is this text's alone: prints seconds of processor time (other
# programs' work does not count) and the peak in MB.
GROWTH = """
import resource, sys, time
from leaderboard.domain.trajectory import Step, StepKind, Trajectory
from leaderboard.rendering import render_attempt
def attempt(size):
    line = "\\x1b[32mINFO\\x1b[0m step {:08} \\x1b[1mloss\\x1b[0m \\x1b[38;5;208m0.1234\\x1b[0m of the run\\n"
    text = "".join(map(line.format, range(size // len(line.format(0)))))
    return Trajectory((Step(1, StepKind.EXECUTE, "execute", "!train", observation=text),), "benchmark")
render_attempt(attempt(1_000))
made = attempt(int(sys.argv[1]))
start = time.process_time()
render_attempt(made)
print(time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
"""


def measure() -> list[Row]:
    """The rows: against the stock exporter on two notebooks, growth on coloured output, the first view."""
    notebooks = find_notebooks()
    largest, median = notebooks[-1], notebooks[(len(notebooks) - 1) // 2]
    small, large = _grow(MEGABYTE), _grow(10 * MEGABYTE)
    rendering = _ours(largest)
    return [
        _against_stock("read, score, render: largest notebook", largest),
        _against_stock("read, score, render: median notebook", median),
        Row(
            "coloured output, per MB: 10 MB and 1 MB",
            large[0] / 10,
            small[0],
            "s",
            "about 1: it grows linearly",
        ),
        Row("10 MB of coloured output, processor time", large[0], 3, "s", "at most 3 s"),
        Row("10 MB of coloured output, peak of the process", large[1], 300, "MB", "at most 300 MB"),
        Row(
            "first view, compressed",
            len(gzip.compress(rendering.html.encode())) / 1000,
            150,
            "kB",
            "at most 150 kB",
        ),
        Row("first view, elements", _count_elements(rendering.html), 8_000, "", "at most 8,000"),
    ]


def _against_stock(name: str, data: bytes) -> Row:
    exporter = HTMLExporter()  # type: ignore[no-untyped-call]
    ours = _best(lambda: _ours(data))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it misses the IPython lexer, which we don't install
        stock = _best(lambda: _stock(exporter, data))
    return Row(name, ours, stock, "s", "at least 5 times faster")


def _stock(exporter: HTMLExporter, data: bytes) -> object:
    """One exporter for all, as ours is: making it anew would add its setup to every notebook."""
    notebook = nbformat.reads(data.decode(), as_version=4)  # type: ignore[no-untyped-call]
    return exporter.from_notebook_node(notebook)


def _ours(data: bytes) -> Rendering:
    trajectory = formats.read(data, name="history.ipynb")
    return render_attempt(trajectory, SCORING.score(TASK, trajectory).landmarks)


def _best(run: Callable[[], object]) -> float:
    """The shortest of a few times: what else the machine does only ever adds."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def _grow(size: int) -> tuple[float, float]:
    command = [sys.executable, "-c", GROWTH, str(size)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    seconds, megabytes = map(float, output.split())
    return seconds, megabytes


def find_notebooks() -> list[bytes]:
    """The published notebooks, smallest first; else two of their shape, the median and the largest."""
    paths = sorted(PUBLISHED.glob("*/*/history.ipynb"), key=lambda path: path.stat().st_size)
    if paths:
        return [path.read_bytes() for path in paths]
    return [_made(steps=40, sizes=(20_000, 60_000)), _made(steps=70, sizes=(600_000, 2_300_000))]


def _made(steps: int, sizes: tuple[int, ...]) -> bytes:
    """A notebook in the published layout: mostly short outputs and a few of the given sizes."""
    progress = "".join(f"\r {n:3}%|{'#' * (n // 10)}| {n}/100 [00:01, 9.1it/s]" for n in range(100))
    line = "extracting: data/train/part-{:06}.json\n"
    long = ["".join(map(line.format, range(size // len(line.format(0))))) for size in sizes]
    short = f"Collecting torch\n{progress}\n\x1b[32mSuccessfully installed\x1b[0m torch\naccuracy: 0.5\n"
    cells = [_markdown("### Query\nTrain the model and report its accuracy.")]
    for number in range(1, steps + 1):
        output = long[number - 1] if number <= len(long) else short
        cells += [
            _markdown(f"### Step {number}"),
            _markdown("Execution Start time: 10:00:00, End time: 10:00:05 (duration: 5 seconds)"),
            _markdown("**Thought**: Next I install what `train.py` needs, then I **run** it."),
            _markdown("**Action (execute)**:"),
            _code("!pip install torch\nfor n in range(3):\n    print('epoch', n)", output),
        ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook).encode()


def _markdown(source: str) -> dict[str, object]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str, output: str) -> dict[str, object]:
    result: dict[str, object] = {"output_type": "execute_result", "metadata": {}, "execution_count": None}
    outputs = [{**result, "data": {"text/plain": [output]}}]
    return {
        "cell_type": "code",
        "metadata": {},
        "source": source,
        "execution_count": None,
        "outputs": outputs,
    }


class _Counter(HTMLParser):
    count = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count += 1


def _count_elements(html: str) -> int:
    counter = _Counter()
    counter.feed(html)
    return counter.count
