"""A job's folder as Harbor writes it, of our own making: four trials and what lies beside them."""

from __future__ import annotations

import base64
from typing import Any, Final

from tests.formats.frameworks import atif, atif_step
from tests.formats.samples import Document, as_bytes

PNG: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
LS: Final = ("bash_command", {"keystrokes": "ls\n", "duration": 0.1}, "train.py")
SUBMIT: Final = ("finish", {"message": '{"loss": 0.5}'}, "ok")


def result(task: str, trial: str, **fields: Any) -> Document:
    times = {"started_at": "2026-05-13T14:06:00", "finished_at": "2026-05-13T14:08:30.500000"}
    return {
        "task_name": task,
        "trial_name": trial,
        "config": {"agent": {"env": {}}},
        "agent_info": {"name": "terminus-2", "version": "2.0", "model_info": {"name": "m", "provider": "p"}},
        "agent_execution": times,
        "verifier_result": {"rewards": {"reward": 1.0}},
        "exception_info": None,
        **fields,
    }


def copied(*steps: Document) -> list[Document]:
    return [{**step, "is_copied_context": True} for step in steps]


def continued() -> dict[str, bytes]:
    """A trajectory that goes on in another file, with a sub-agent's beside it."""
    ref = {"session_id": "s-sum", "trajectory_path": "trajectory.summarization-1-summary.json"}
    handoff = {"source": "system", "message": "Context summarised.", "observation": {"results": []}}
    handoff["observation"] = {"results": [{"subagent_trajectory_ref": [ref]}]}
    summary = {"source": "agent", "message": "Looked.", "metrics": {"prompt_tokens": 30, "cost_usd": 0.5}}
    first = atif(atif_step(LS), handoff, continued_trajectory_ref="trajectory.cont-1.json")
    last = atif(*copied(atif_step(LS)), atif_step(SUBMIT))
    last["steps"][:2] = copied(*last["steps"][:2])
    last["final_metrics"] = {"total_prompt_tokens": 230, "total_completion_tokens": 20}
    helper = atif(*copied(atif_step(LS)), summary, agent={"name": "summarizer"})
    return {
        "agent/trajectory.json": as_bytes(first),
        "agent/trajectory.cont-1.json": as_bytes(last),
        "agent/trajectory.summarization-1-summary.json": as_bytes(helper),
    }


def with_image() -> dict[str, bytes]:
    source = {"media_type": "image/png", "path": "images/curve.png"}
    parts = [{"type": "text", "text": "a curve"}, {"type": "image", "source": source}]
    view = ("view", {"path": "curve.png"}, parts)
    return {
        "agent/trajectory.json": as_bytes(atif(atif_step(view))),
        "agent/images/curve.png": base64.b64decode(PNG),
    }


def trial(files: dict[str, bytes], told: Document | None, folder: str = "") -> dict[str, bytes]:
    """A trial's files with what Harbor writes beside them."""
    beside = {
        "config.json": b'{"agent": {"env": {"KEY": "v"}}}',
        "trial.log": b"",
        "agent/recording.cast": b"{}\n[]",
        "agent/sessions/todos/x.json": b"[]",
        "agent/episode-0/debug.json": b"{}",
        "verifier/ctrf.json": b'{"results": {}}',
        "verifier/reward.txt": b"1.0\n",
    }
    known = {} if told is None else {"result.json": as_bytes(told)}
    return {f"{folder}{name}": content for name, content in {**beside, **files, **known}.items()}


def job(folder: str = "job/") -> dict[str, bytes]:
    """Three tasks, one tried twice; the second time the agent ran out of time."""
    late = {"exception_type": "AgentTimeoutError", "exception_message": "more than 180 s"}
    timeout = result("org/cet", "cet__bbbbbbb", exception_info=late, verifier_result=None)
    one_call = {"agent/trajectory.json": as_bytes(atif(atif_step(LS)))}
    return {
        **trial(continued(), result("cet", "cet__aaaaaaa"), f"{folder}cet__aaaaaaa/"),
        **trial(one_call, timeout, f"{folder}cet__bbbbbbb/"),
        **trial(with_image(), result("amos", "amos__ccccccc"), f"{folder}amos__ccccccc/"),
        **trial(one_call, result("conv_graph", "con__ddddddd"), f"{folder}con__ddddddd/"),
        f"{folder}result.json": b'{"n_total_trials": 4, "stats": {}}',
        f"{folder}config.json": b"{}",
        f"{folder}job.log": b"",
    }
