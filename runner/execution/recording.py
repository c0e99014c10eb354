"""Records the scripted agents' attempts at the bundled tasks as fixtures."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.tasks import TaskSpec
from leaderboard.formats.autoexperiment_tasks import data_point_of, is_data_point, set_of_level
from leaderboard.formats.documents import Notes
from runner.agents.replies import no_action
from runner.agents.scripted import ScriptedAgent
from runner.execution.attempt import work_on
from runner.execution.history import history_json
from runner.execution.limits import DEAD, Limits
from runner.execution.records import OutcomeKind, Recorder
from runner.sandbox.base import Sandbox, SandboxError

OFFLINE = {"PIP_NO_INDEX": "1"}
"""Stops pip from asking the public index for bundled packages, where anyone may own their names."""

SCRATCH_PATHS = re.compile(r"/tmp/[\w./-]*")  # noqa: S108 - looked for, never opened
MACHINE_PATHS = re.compile(r"/(?:work|root|home|Users|private|opt|mnt)/[\w./-]*")
FORMAT_ERROR = f"The reply could not be read: {no_action(ScriptedAgent.actions)}"
UNLIMITED = Limits(
    execution_seconds=None, wall_seconds=None, prompt_tokens=None, steps=None, format_errors=sys.maxsize
)
"""A script ends by itself, and has its own limits."""

GOLD_FIELDS = ("answer", "landmarks", "solution", "pre_execute_cells")

Json = dict[str, Any]


def lay_out(task: Mapping[str, Any], bundle: Path, sandbox: Sandbox) -> None:
    """Copies a task's ``<repository>/`` and ``wheelhouse/`` into a started sandbox.

    ``task`` is one of `read_tasks`; ``bundle`` is the folder that holds repositories/ and any wheelhouse/.
    A link that leads out of them is left out.

    Raises:
        InputError: as `repository_folder`.
    """
    for folder in (repository_folder(task["github_repo"], bundle), bundle / "wheelhouse"):
        for path in sorted(folder.rglob("*")):
            inside = path.resolve().is_relative_to(folder.resolve())
            if inside and path.is_file() and "__pycache__" not in path.parts:
                sandbox.write_file(path.relative_to(folder.parent).as_posix(), path.read_bytes())


def repository_folder(repository: str, bundle: Path) -> Path:
    """The folder of a bundle that a task's ``repository`` names: ``repositories/halflife_0/halflife``.

    What stands before ``repositories/`` does not count. The name comes from a file of tasks, so it must lead
    nowhere else: its folder's files are shown to an agent.

    Raises:
        InputError: it names no folder below the bundle's ``repositories/``.
    """
    name, root = PurePosixPath(repository), (bundle / "repositories").resolve()
    folder = root / repository.rpartition("repositories/")[2]
    try:
        real = folder.resolve()
        fits = not name.is_absolute() and ".." not in name.parts and root in real.parents and real.is_dir()
    except (OSError, RuntimeError, ValueError):
        # A name that no file can have, or a loop of links.
        fits = False
    if not fits:
        reason = f"{repository[:100]!a} names no folder of the bundled repositories"
        remedy = "write repositories/ and the folder's name, without “..”, and import the task again"
        raise InputError(Problem("task", "repository", reason, remedy))
    return folder


def record(task: Mapping[str, Any], agent: ScriptedAgent, sandbox: Sandbox) -> Json:
    """Executes an agent's moves on a task, and returns the trajectory in the layout of history.json.

    The sandbox is started, has the task's files, and stays open.

    Raises:
        SandboxError: the sandbox failed, or the kernel died.
    """
    spec = TaskSpec(task["task_id"], task["query"])
    outcome = work_on(spec, agent, sandbox, UNLIMITED.model_copy(update=dict(agent.limits())), Recorder())
    if outcome.kind is OutcomeKind.INFRASTRUCTURE or outcome.steps[-1].content == DEAD.content:
        raise SandboxError(f"the attempt ended early: {outcome.reason}")
    recording: Json = json.loads(history_json(outcome))
    return recording


def metadata(task: Mapping[str, Any], agent: ScriptedAgent) -> Json:
    """The content of metadata.json: the task without its gold, and the agent's settings."""
    return {
        "task": {name: value for name, value in task.items() if name not in GOLD_FIELDS},
        "args": {
            "agent": agent.scaffold,
            "model": agent.model,
            "context_tokens": agent.context_tokens,
            "cell_seconds": agent.cell_seconds,
        },
    }


def machine_paths(recording: Json) -> list[str]:
    """Paths of this machine in a recording's observations; there should be none."""
    # Remove allowed paths first: no separator marks the start of a path, as a colour code may precede it.
    texts = (SCRATCH_PATHS.sub("", step["observation"]) for step in recording["history"])
    return sorted({path for text in texts for path in MACHINE_PATHS.findall(text)})


def read_tasks(path: Path) -> list[Json]:
    """The tasks in a file of JSON lines, in SUPER's fields; those of data points have ``set`` as well."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [_as_task(record) if is_data_point(record) else record for record in records]


def _as_task(record: Json) -> Json:
    point = data_point_of(record, place="", notes=Notes(""))
    return {
        "task_id": point.task.task_id,
        "title": point.task.title,
        "query": point.task.query,
        "github_repo": point.task.repository,
        "set": set_of_level(point.level),
    }


def save(recording: Json, about: Json, folder: Path) -> None:
    """Writes history.json and metadata.json into a folder, which it creates if needed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (("history.json", recording), ("metadata.json", about)):
        (folder / name).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
