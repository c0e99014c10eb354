"""Made notebooks in the layout of the published ones: as long, and with steps and outputs of the same kinds.

No two steps are the same, so that nothing is found in a cache. The published ones have in the median
43 steps, 1,500 lines and 90 kB of output, and 18 hits of the benchmark's landmarks.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import cycle, islice
from typing import NamedTuple

_PROMPT = "Interact in a notebook to solve the request. Output a thought and an action. " * 60
_THOUGHT = (
    "Step {n} went as planned, and `train_{n}.py` is there. Next I need to {what}, because the README says "
    "that the default of `--epochs` is {n}. After that I will run it again and look at the result.\n"
)
_FILE = "-rw-r--r-- 1 root root {size:7} Aug 22 06:15 module_{i:02}.py\n"
_COUNTED = "remote: Counting objects: {i:3}% ({i}/100), of {n}\x1b[K\r"
_PACKAGE = (
    "Collecting package-{n}-{i}>=1.{i} (from -r requirements.txt (line {i}))\n"
    "  Downloading package_{n}_{i}-1.{i}-py3-none-any.whl.metadata ({i}.2 kB)\n"
)
_DOWNLOADED = (
    "\x1b[2K     \x1b[90m━━━━━━━━━━━━━━━━━━━━\x1b[0m \x1b[32m{i}.{n}/9.9 MB\x1b[0m "
    "\x1b[31m{n}.1 MB/s\x1b[0m eta \x1b[36m0:00:0{i}\x1b[0m\r"
)
_NOTICE = "\x1b[1m[\x1b[0m\x1b[34;49mnotice\x1b[0m\x1b[1;39;49m]\x1b[0m A new release of pip is available\n"
_OPTION = "    parser.add_argument('--option-{i}', type=int, default={i})\n"
_EPOCH = (
    "Epoch {i}:  50%|#####     | 50/100 [00:01<00:01, 9.{n}it/s]\r"
    "Epoch {i}: 100%|##########| 100/100 [00:02<00:00, 9.{n}it/s]\n"
)
_LOGGED = "INFO:root:step {i} of {n}: loss=0.{i:06} <s>&amp;\n"
_FRAME = '  File "/repo/module_{i}.py", line {n}{i}, in run\n    self.run({i})\n'
_EXTRACTED = "extracting: data/train/part-{i:06}/a-file-with-a-name-that-is-as-long-as-those-of-data.json\n"


class _Step(NamedTuple):
    """``what`` its thought is about."""

    what: str
    kind: str
    source: str
    output: str


def made_notebook(steps: int, sizes: tuple[int, ...]) -> bytes:
    """A notebook of so many steps; the outputs of the first ones have about the given sizes, in bytes."""
    cells = [
        _markdown("### Query\nTrain the model of `repo` and report its accuracy, as JSON."),
        _markdown(f"### Prompt\n<details>\n{_PROMPT}\n</details>"),
    ]
    for number, make in enumerate(islice(cycle(_STEPS), steps), start=1):
        step = make(number)
        if number <= len(sizes):
            step = step._replace(output=_times(_EXTRACTED, sizes[number - 1] // len(_EXTRACTED), number))
        cells += [
            _markdown(f"### Step {number}"),
            _markdown("Execution Start time: 10:00:00, End time: 10:00:05 (duration: 5 seconds)"),
            _markdown("**Thought**: " + _THOUGHT.format(n=number, what=step.what)),
            _markdown(f"**Action ({step.kind})**:"),
            _code(step.source, step.output),
        ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1).encode()


def _times(text: str, count: int, n: int) -> str:
    return "".join(text.format(i=i, n=n, size=i * n) for i in range(1, count + 1))


def _clone(n: int) -> _Step:
    output = f"Cloning into 'repo-{n}'...\n{_times(_COUNTED, 100, n)}\n{_times(_FILE, 35, n)}"
    return _Step("clone it", "execute", f"!git clone https://example.org/repo-{n}\n!ls -l repo-{n}", output)


def _install(n: int) -> _Step:
    done = f"\nSuccessfully installed package-{n}-1.{n}\n\n{_NOTICE}"
    output = _times(_PACKAGE, 18, n) + _times(_DOWNLOADED, 8, n) + done
    return _Step("install it", "execute", f"%cd repo\n!pip install -r requirements-{n}.txt", output)


def _edit(n: int) -> _Step:
    before = _times(_OPTION, 2 + n % 6, n)
    after = before.replace("int", "float")
    source = f"repo/train_{n}.py\n<<<BEFORE_EDIT>>>\n{before}<<<AFTER_EDIT>>>\n{after}"
    shown = f"[File: repo/train_{n}.py (120 lines total)]\n{after * 6}"
    return _Step("change the types", "edit", source, shown)


def _train(n: int) -> _Step:
    seed = f"import os\nos.environ['SEED'] = '{n}'  # as in the paper\n"
    output = f"{_times(_EPOCH, 1 + n % 2, n)}{_times(_LOGGED, 45, n)}accuracy: 0.{n}\n"
    return _Step("run it", "execute", f"{seed}!python train_{n}.py --lr 0.0{n} --epochs 3", output)


def _fail(n: int) -> _Step:
    source = f"for path in sorted(glob.glob('out/{n}/*')):\n    print(path, json.load(open(path))['loss'])"
    output = f"Traceback (most recent call last):\n{_times(_FRAME, 12, n)}KeyError: 'loss'\n"
    return _Step("read the results", "execute", source, output)


_STEPS: tuple[Callable[[int], _Step], ...] = (_clone, _install, _edit, _train, _fail)
"""By a step's number, in turns."""


def _markdown(source: str) -> dict[str, object]:
    return {"cell_type": "markdown", "metadata": {}, "source": source.splitlines(keepends=True)}


def _code(source: str, output: str) -> dict[str, object]:
    result: dict[str, object] = {"output_type": "execute_result", "metadata": {}, "execution_count": None}
    return {
        "cell_type": "code",
        "metadata": {},
        "source": source.splitlines(keepends=True),
        "execution_count": None,
        "outputs": [{**result, "data": {"text/plain": [output]}}],
    }
