"""Lets a scripted agent work on a task in a sandbox and writes down what really came back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from runner.agents.scripted import Move, ScriptedAgent
from runner.edits import EditError, apply_edit, parse_edit
from runner.sandbox.base import Execution, Sandbox, SandboxError, Status

OFFLINE = {"PIP_NO_INDEX": "1"}
"""Without it a package of ours would be asked for at the public index, where it may be anyone's."""

CHARACTERS_PER_TOKEN = 4
OLD_OBSERVATION = 500
NEW_OBSERVATION = 50_000
SCRATCH_PATHS = re.compile(r"/tmp/[\w./-]*")  # noqa: S108 - looked for, never opened
MACHINE_PATHS = re.compile(r"/(?:work|root|home|Users|private|opt|mnt)/[\w./-]*")
FORMAT_ERROR = "The reply could not be read: an action needs a type (execute, edit or submit) and a content."
CONTEXT_EXCEEDED = "Total context tokens exceeded."
GOLD_FIELDS = ("answer", "landmarks", "solution", "pre_execute_cells")

Json = dict[str, Any]


@dataclass(slots=True)
class _Attempt:
    """One attempt on its way; ``history`` is in the authors' layout."""

    query: str
    cell_seconds: float
    history: list[Json] = field(default_factory=list)
    said: int = 0
    context_tokens: int = 0
    response_tokens: int = 0

    def count_prompt(self) -> None:
        """Adds what the next prompt would hold: all that was said, older observations cut short."""
        seen = [len(step["observation"]) for step in self.history]
        older, newest = (
            sum(min(size, OLD_OBSERVATION) for size in seen[:-1]),
            min(sum(seen[-1:]), NEW_OBSERVATION),
        )
        self.context_tokens += (len(self.query) + self.said + older + newest) // CHARACTERS_PER_TOKEN

    def add(self, move: Move, observation: str, started: datetime, ended: datetime) -> None:
        """Appends a step."""
        self.said += len(move.thought) + len(move.content)
        self.response_tokens += (len(move.thought) + len(move.content)) // CHARACTERS_PER_TOKEN
        self.history.append(
            {
                "thought": move.thought,
                "action": {"type": move.kind, "content": _content(move)},
                "observation": observation,
                "execution_start_time": _clock(started),
                "execution_end_time": _clock(ended),
            }
        )


def lay_out(task: Mapping[str, Any], warmup: Path, sandbox: Sandbox) -> None:
    """Puts a task's repository and the wheelhouse into a started sandbox's working folder.

    Args:
        task: a record of tasks.jsonl.
        warmup: the folder that holds repositories/ and wheelhouse/.
        sandbox: started; its working folder gets ``<repository>/`` and ``wheelhouse/``.
    """
    repository = warmup / "repositories" / Path(task["github_repo"]).name
    for folder in (repository, warmup / "wheelhouse"):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                sandbox.write_file(path.relative_to(folder.parent).as_posix(), path.read_bytes())


def record(task: Mapping[str, Any], agent: ScriptedAgent, sandbox: Sandbox) -> Json:
    """Makes an agent's moves on a task and returns the trajectory in the authors' history.json layout.

    Args:
        task: a record of tasks.jsonl.
        agent: has moves for the task.
        sandbox: started, laid out.

    Raises:
        SandboxError: the script does not fit (a cell while another runs), or the sandbox failed.
    """
    attempt = _Attempt(task["query"], agent.cell_seconds)
    for move in agent.moves[task["task_id"]]:
        attempt.count_prompt()
        if agent.context_tokens is not None and attempt.context_tokens > agent.context_tokens:
            now = datetime.now(UTC)
            attempt.add(Move("", "exception", CONTEXT_EXCEEDED), "", now, now)
            break
        _make(move, attempt, sandbox)
    return {
        "query": attempt.query,
        "history": attempt.history,
        "total_cost": 0.0,
        "total_context_tokens_count": attempt.context_tokens,
        "total_response_tokens_count": attempt.response_tokens,
    }


def metadata(task: Mapping[str, Any], agent: ScriptedAgent) -> Json:
    """What metadata.json says beside a recording: the task without its gold, and how the attempt was made."""
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
    """Paths in a recording's observations that tell of the machine it was made on; there should be none."""
    # A colour code or a line's end may stand right before a path, so what is known to be neutral goes first.
    texts = (SCRATCH_PATHS.sub("", step["observation"]) for step in recording["history"])
    return sorted({path for text in texts for path in MACHINE_PATHS.findall(text)})


def read_tasks(path: Path) -> list[Json]:
    """The records of a tasks.jsonl file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def save(recording: Json, about: Json, folder: Path) -> None:
    """Writes history.json and metadata.json into a folder, made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (("history.json", recording), ("metadata.json", about)):
        (folder / name).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _make(move: Move, attempt: _Attempt, sandbox: Sandbox) -> None:
    started = datetime.now(UTC)
    if move.kind in ("execute", "continue_wait", "interrupt"):
        execution = _run(move, attempt.cell_seconds, sandbox)
        attempt.add(move, _observation(execution, attempt), execution.started, execution.ended)
        return
    if move.kind == "edit":
        observation = _edit(move.content, sandbox)
    elif move.kind == "submit":
        observation = "The answer was submitted."
    else:
        observation = FORMAT_ERROR
    attempt.add(move, observation, started, datetime.now(UTC))


def _run(move: Move, seconds: float, sandbox: Sandbox) -> Execution:
    if move.kind == "execute":
        return sandbox.execute(move.content, seconds)
    return sandbox.interrupt() if move.kind == "interrupt" else sandbox.keep_waiting(seconds)


def _observation(execution: Execution, attempt: _Attempt) -> str:
    if execution.status is Status.DEAD:
        raise SandboxError(f"the kernel died during step {len(attempt.history) + 1}")
    if execution.timed_out:
        return (
            f"{execution.output}\n[{attempt.cell_seconds:g} seconds are over and the cell is "
            "still running. You can continue to wait or interrupt it.]"
        )
    return execution.output


def _edit(content: str, sandbox: Sandbox) -> str:
    try:
        edit = parse_edit(content)
        text = sandbox.read_file(edit.file).decode()
        sandbox.write_file(edit.file, apply_edit(text, edit).encode())
    except FileNotFoundError:
        return f"The edit was not made. There is no file {edit.file}."
    except EditError as error:
        return f"The edit was not made. {error}"
    return f"The edit was made in {edit.file}."


def _content(move: Move) -> Any:
    # The authors' files hold the parsed answer, not its text.
    return json.loads(move.content) if move.kind == "submit" else move.content


def _clock(moment: datetime) -> str:
    return str(moment.astimezone(UTC).replace(tzinfo=None))


def select(tasks: Iterable[Json], agent: ScriptedAgent) -> list[Json]:
    """The tasks that an agent has moves for."""
    return [task for task in tasks if task["task_id"] in agent.moves]
