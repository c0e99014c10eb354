"""Reading, scoring and rendering an attempt, against nbconvert's stock exporter and against our limits.

It measures made notebooks (`made_notebooks`), and published ones where they lie beside the repository.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import warnings
from html.parser import HTMLParser
from pathlib import Path

import nbformat
from nbconvert.exporters import HTMLExporter

from benchmarks.made_notebooks import made_notebook
from benchmarks.table import Row
from benchmarks.timing import alternate
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
RUNS = 5
_THOUGHT = b"**Thought**: "
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
    """The rows: against the stock exporter on each notebook, growth on coloured output, the first view."""
    small, large = _grow(MEGABYTE), _grow(10 * MEGABYTE)
    notebooks = _named_notebooks()
    rendering = _ours(next(iter(notebooks.values())))
    return [
        *(_against_stock(name, data) for name, data in notebooks.items()),
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
    """The same notebook each time, but for its thoughts: or else they would be found in a cache."""
    exporter = HTMLExporter()  # type: ignore[no-untyped-call]
    variants = [data.replace(_THOUGHT, _THOUGHT + b"%d. " % number) for number in range(RUNS + 1)]
    our_turn, their_turn = iter(variants), iter(variants)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it misses the IPython lexer, which we don't install
        ours, stock = alternate(
            lambda: _ours(next(our_turn)), lambda: _stock(exporter, next(their_turn)), runs=RUNS
        )
    return Row(f"read, score, render: {name}", ours, stock, "s", "at least 10 times faster")


def _stock(exporter: HTMLExporter, data: bytes) -> object:
    """One exporter for all, as ours is: making it anew would add its setup to every notebook."""
    notebook = nbformat.reads(data.decode(), as_version=4)  # type: ignore[no-untyped-call]
    return exporter.from_notebook_node(notebook)


def _ours(data: bytes) -> Rendering:
    trajectory = formats.read(data, name="history.ipynb")
    return render_attempt(trajectory, SCORING.score(TASK, trajectory).landmarks)


def _grow(size: int) -> tuple[float, float]:
    command = [sys.executable, "-c", GROWTH, str(size)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    seconds, megabytes = map(float, output.split())
    return seconds, megabytes


def find_notebooks() -> list[bytes]:
    """The published notebooks, smallest first; else two made ones, like the median and the largest."""
    return [path.read_bytes() for path in _published()] or _made_notebooks()


def _published() -> list[Path]:
    return sorted(PUBLISHED.glob("*/*/history.ipynb"), key=lambda path: path.stat().st_size)


def _made_notebooks() -> list[bytes]:
    return [made_notebook(43, (20_000,)), made_notebook(70, (600_000, 2_300_000))]


def _named_notebooks() -> dict[str, bytes]:
    """The largest published notebook and their median, where they are, and two made ones like these."""
    median, largest = _made_notebooks()
    made = {"made, like the largest": largest, "made, like the median": median}
    paths = _published()
    if not paths:
        return made
    published = {
        f"largest published ({paths[-1].parent.name})": paths[-1],
        "median published": paths[(len(paths) - 1) // 2],
    }
    return {name: path.read_bytes() for name, path in published.items()} | made


class _Counter(HTMLParser):
    count = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count += 1


def _count_elements(html: str) -> int:
    counter = _Counter()
    counter.feed(html)
    return counter.count
