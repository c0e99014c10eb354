"""An archive of payloads: a trajectory of each format, files and answers of every name."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from leaderboard.intake.member_names import BadNameError, check_name
from tests.browser.xss.corpus import TEXTS
from tests.formats import frameworks as made

EVERYTHING: Final = "\n".join(TEXTS)
STORED: Final = EVERYTHING.replace("\0", "").encode("utf-8", "ignore").decode()
"""For what a form gives: it has no NUL and no lone surrogates."""
NOTES: Final = STORED[:10_000]
SOME: Final = TEXTS[::4]
"""For formats whose text takes the road of others once it is read."""
KINDS: Final = (
    "execute",
    "edit",
    "create",
    "submit",
    "open",
    "search_dir",
    "interrupt",
    "continue_wait",
    "exception",
)
TASKS: Final = ("history", "edits", "types", "atif", "mini", "notebook", "astabench", "openhands-zero",
                "openhands-one", "inspect", "answer-alone")  # fmt: skip


def step(text: str, number: int) -> dict[str, Any]:
    """A step of history.json that is ``text`` all over."""
    kind = KINDS[number % len(KINDS)]
    return {"thought": text, "action": {"type": kind, "content": text}, "observation": text}


def edit(text: str, number: int) -> dict[str, Any]:
    """An edit, of either shape, of a file called ``text``."""
    shapes = (
        f"{text}\n<<<BEFORE_EDIT>>>\n{text}\n<<<AFTER_EDIT>>>\n{text} \n",
        f"edit 1:2\n{text}\nend_of_edit",
    )
    return {"thought": "", "action": {"type": "edit", "content": shapes[number % 2]}, "observation": text}


def typed(text: str, _: int) -> dict[str, Any]:
    """A step whose kind and clock are ``text``."""
    return {
        "thought": "Go on.",
        "action": {"type": text, "content": text},
        "observation": "done",
        "execution_start_time": text,
        "execution_end_time": text,
    }


def history(make: Callable[[str, int], dict[str, Any]], **fields: Any) -> dict[str, Any]:
    return {"query": EVERYTHING, "history": [make(text, n) for n, text in enumerate(TEXTS)], **fields}


def ended(detail: str) -> dict[str, Any]:
    """The last step of a trajectory that ended with an exception."""
    return {"thought": "", "action": {"type": "exception", "content": detail}, "observation": ""}


def notebook() -> dict[str, Any]:
    """Each payload as a cell, as markdown and as output of SUPER's notebooks."""
    cells: list[dict[str, Any]] = []
    for number, text in enumerate(SOME, start=1):
        outputs = [{"output_type": "stream", "name": "stdout", "text": [text]}]
        heads = (f"### Step {number}", f"**Thought**: {text}", "**Action (execute)**:")
        cells += [{"cell_type": "markdown", "metadata": {}, "source": head} for head in heads]
        code: dict[str, Any] = {
            "cell_type": "code",
            "metadata": {},
            "source": text,
            "execution_count": None,
            "outputs": outputs,
        }
        cells.append(code)
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}


def trajectories() -> dict[str, tuple[str, Any]]:
    """A file of each format by task: its name, and a document in which every text is a payload."""
    answer = {text: n for n, text in enumerate(TEXTS[::2])}
    done = {"thought": "", "action": {"type": "submit", "content": answer}, "observation": ""}
    types, whole = history(typed), history(step)
    types["history"].append(ended(EVERYTHING))
    whole["history"] += [{**step(EVERYTHING, 0), "observation": EVERYTHING * 4}, done]
    mini = [each for text in SOME for each in (made.mini_turn(text, content=text), made.mini_output(text))]
    asked = [
        (made.asks((f"c{n}", text, {"cmd": text}), content=text), made.tells(f"c{n}", text))
        for n, text in enumerate(SOME)
    ]
    inspected = made.inspect_sample(*(said for turn in asked for said in turn), id="inspect")
    called = [made.atif_step((text, {text: text}, text), message=text) for text in TEXTS]
    ran = [made.run(text, text, thought=text) for text in TEXTS]
    typed_in = [("terminal", {"kind": "TerminalAction", "command": text, "x": text}, text) for text in TEXTS]
    executed = [{"type": "execute", "content": text} for text in SOME]
    return {
        "history": ("history.json", whole),
        "edits": ("history.json", history(edit)),
        "types": ("history.json", types),
        "atif": ("trajectory.json", made.atif(*called)),
        "mini": ("run.traj.json", made.mini(*mini, submission=EVERYTHING)),
        "notebook": ("trajectory.ipynb", notebook()),
        "astabench": ("history.json", made.astabench(*executed)),
        "openhands-zero": ("trajectory.json", made.v0_events(*ran)),
        "openhands-one": ("trajectory.json", made.v1_events(*typed_in)),
        "inspect": ("log.json", made.inspect_log(inspected)),
    }


def file_names() -> list[str]:
    """The names for files that the corpus has: those that can be unpacked at all, as they are then."""
    names = []
    for text in TEXTS:
        with suppress(BadNameError):
            names.append("/".join(check_name(f"{text}.json", depth=32)))
    return names


def archive() -> bytes:
    """The upload: trajectories of every format, files of every name, answers to tasks of every name."""
    description = {
        "agent": {"name": agent_name(), "url": address(TEXTS[30])},
        "model": STORED[200:299].replace("\n", " "),
        "links": [{"label": text[:100], "url": address(text)} for text in TEXTS[30:40]],
        "notes": NOTES,
        "benchmark": "hostile",
        "set": "all",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("entry.json", json.dumps(description))
        for task_id, (name, document) in trajectories().items():
            packed.writestr(f"{task_id}/{name}", json.dumps(document))
        for name in file_names():
            packed.writestr(f"other/{name}", "{")
        lines: list[dict[str, Any]] = [{"task_id": text, "answer": text} for text in TEXTS]
        lines.append({"task_id": "answer-alone", "answer": {"all": [{"of": TEXTS[1::2]}]}})
        packed.writestr("answers.jsonl", "\n".join(json.dumps(line) for line in lines))
    return buffer.getvalue()


def agent_name() -> str:
    return "<img src=x onerror=canary(0)>\"'><script>canary(0)</script>"


def address(text: str) -> str:
    """A web address with a payload in it; no longer than one may be."""
    return f"https://evil.invalid/{''.join(text.split())}"[:200]
