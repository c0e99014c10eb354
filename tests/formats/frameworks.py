"""Small files of our own making, in the formats of other people's frameworks."""

from __future__ import annotations

import io
import json
from typing import Any

from backports.zstd import zipfile

from tests.formats.samples import Document, as_bytes

T0 = "2025-03-01T10:00:00"
T1 = "2025-03-01T10:00:02.500000"


def mini(*turns: Document, submission: Any = '{"loss": 0.5}', **fields: Any) -> Document:
    """A .traj.json of version 2."""
    info = {
        "model_stats": {"instance_cost": 0.25, "api_calls": 2},
        "config": {"agent": {"step_limit": 10, "cost_limit": 3.0}},
        "mini_version": "2.0.0",
        "exit_status": "Submitted",
        "submission": submission,
    }
    said = [{"role": "system", "content": "A shell."}, {"role": "user", "content": "Train the model."}]
    return {"info": info, "messages": [*said, *turns], "trajectory_format": "mini-swe-agent-2.0", **fields}


def mini_turn(
    *commands: str, content: Any = "Look.", at: float | None = 1740823200.0, **extra: Any
) -> Document:
    actions = [{"command": text, "tool_call_id": f"{at}-{n}"} for n, text in enumerate(commands)]
    more = {} if at is None else {"timestamp": at}
    return {
        "role": "assistant",
        "content": content,
        "extra": {"actions": actions, "cost": 0.1, **more, **extra},
    }


def mini_output(text: str, call: str | None = None, *, at: float | None = None) -> Document:
    role = {"role": "user"} if call is None else {"role": "tool", "tool_call_id": call}
    extra = {"raw_output": text, "returncode": 0, "timestamp": at}
    return {**role, "content": f"<output>{text}</output>", "extra": extra}


MINI_SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat answer.json"


def astabench(*actions: Document, exec_result: Any = None, submitted: bool = True) -> Document:
    history = [
        {"action": action, "observation": "train.py", "execution_start_time": T0, "execution_end_time": T1}
        for action in actions
    ]
    return {"exec_result": exec_result, "history": history, "submitted": submitted}


def atif(*steps: Document, version: str = "1.6", **fields: Any) -> Document:
    said = [{"source": "system", "message": "A shell."}, {"source": "user", "message": "Train the model."}]
    numbered = [{"step_id": n, **step} for n, step in enumerate([*said, *steps], start=1)]
    agent = {"name": "terminus-2", "version": "2.0", "model_name": "m"}
    return {
        "schema_version": f"ATIF-v{version}",
        "session_id": "s",
        "agent": agent,
        "steps": numbered,
        **fields,
    }


def atif_step(*calls: tuple[str, Any, Any], message: Any = "Look.", **fields: Any) -> Document:
    """A turn of the agent with a call for each (function, arguments, result)."""
    return {
        "timestamp": f"{T0}Z",
        "source": "agent",
        "message": message,
        "tool_calls": [
            {"tool_call_id": f"c{n}", "function_name": name, "arguments": arguments}
            for n, (name, arguments, _) in enumerate(calls)
        ],
        "observation": {
            "results": [
                {"source_call_id": f"c{n}", "content": result} for n, (_, _, result) in enumerate(calls)
            ]
        },
        "metrics": {"prompt_tokens": 100, "completion_tokens": 10, "cached_tokens": 50, "cost_usd": 0.01},
        **fields,
    }


def v0_events(*pairs: tuple[str, Document, Any]) -> list[Any]:
    """Events of OpenHands V0: the task, then what was done and seen for each (action, args, content)."""
    message = {"content": "Train the model.", "image_urls": None}
    events: list[Any] = [
        {"id": 0, "timestamp": T0, "source": "agent", "action": "system", "args": {"content": "A shell."}},
        {"id": 1, "timestamp": T0, "source": "user", "message": "", "action": "message", "args": message},
    ]
    for action, args, content in pairs:
        number = len(events)
        event = {"id": number, "timestamp": T0, "source": "agent", "message": "m", "action": action}
        events.append({**event, "args": args})
        if content is not None:
            seen = {"id": number + 1, "timestamp": T1, "source": "agent", "cause": number, "message": "m"}
            extras = {"metadata": {"exit_code": 0}}
            events.append({**seen, "observation": action, "content": content, "extras": extras})
    return events


def run(command: str, content: Any = "train.py", **args: Any) -> tuple[str, Document, Any]:
    return "run", {"command": command, "thought": "Look.", "is_input": False, **args}, content


def finish(**args: Any) -> tuple[str, Document, Any]:
    return (
        "finish",
        {"final_thought": "", "outputs": {}, "thought": "Done.", "task_completed": None, **args},
        None,
    )


def output_line(events: Any, instance_id: str = "conv_graph", **fields: Any) -> Document:
    metrics = {
        "accumulated_cost": 0.5,
        "accumulated_token_usage": {"prompt_tokens": 900, "completion_tokens": 80},
    }
    return {
        "instance_id": instance_id,
        "test_result": {"git_patch": ""},
        "instruction": "Train it.",
        "history": events,
        "metrics": metrics,
        "error": None,
        **fields,
    }


def v1_events(*turns: tuple[str, Any, Any]) -> list[Any]:
    """Events of OpenHands V1: prompt, task, then what was done and seen for each (tool, action, content)."""
    events: list[Any] = [
        {"kind": "SystemPromptEvent", "id": "p", "source": "agent", "system_prompt": text_part("A shell.")},
        {
            "kind": "MessageEvent",
            "id": "q",
            "source": "user",
            "llm_message": {"role": "user", "content": [text_part("Train the model.")]},
        },
    ]
    for number, (tool, action, content) in enumerate(turns):
        names = {"tool_name": tool, "tool_call_id": f"call-{number}"}
        events.append(
            {
                "kind": "ActionEvent",
                "id": f"a{number}",
                "timestamp": T0,
                "source": "agent",
                "thought": [text_part("Look.")],
                "reasoning_content": None,
                "action": action,
                "tool_call": {"id": f"call-{number}", "name": tool, "arguments": json.dumps({"x": 1})},
                **names,
            }
        )
        if content is not None:
            seen = {"kind": "TerminalObservation", "content": [text_part(content)], "exit_code": 0}
            event = {"kind": "ObservationEvent", "id": f"o{number}", "timestamp": T1, "source": "environment"}
            events.append({**event, **names, "action_id": f"a{number}", "observation": seen})
    return events


def text_part(text: str) -> Document:
    return {"type": "text", "text": text}


def inspect_sample(*turns: Document, **fields: Any) -> Document:
    said = [{"role": "system", "content": "A shell."}, {"role": "user", "content": "Train the model."}]
    return {
        "id": "conv_graph",
        "epoch": 1,
        "input": "Train the model.",
        "target": "",
        "messages": [*said, *turns],
        "output": {"model": "m", "choices": []},
        "scores": {"super": {"value": 0.5, "answer": '{"loss": 0.5}', "explanation": None}},
        "metadata": {},
        "events": [],
        "model_usage": {
            "a/m": {"input_tokens": 100, "output_tokens": 10, "input_tokens_cache_read": 50},
            "b/m": {"input_tokens": 1, "output_tokens": 2},
        },
        "total_time": 12.5,
        "attachments": {},
        **fields,
    }


def asks(*calls: tuple[str, str, Any], content: Any = "Look.") -> Document:
    """A message of the model with a call for each (id, function, arguments)."""
    told = [{"id": key, "function": name, "arguments": args, "type": "function"} for key, name, args in calls]
    return {"role": "assistant", "content": content, "tool_calls": told}


def tells(key: str, content: Any = "train.py", **fields: Any) -> Document:
    return {"role": "tool", "tool_call_id": key, "content": content, **fields}


TURNS = (
    asks(("c1", "bash", {"cmd": "ls"})),
    tells("c1"),
    asks(("c2", "submit", {"answer": '{"loss": 0.5}'})),
)


def inspect_log(*samples: Any, **fields: Any) -> Document:
    log = {"version": 2, "status": "success", "eval": {"task": "super"}, "plan": {}, "results": None}
    return {**log, "stats": {}, "samples": list(samples), **fields}


def archive(entries: dict[str, Any], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of JSON documents; bytes go in as they are."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as target:
        for name, content in entries.items():
            target.writestr(name, content if isinstance(content, bytes) else as_bytes(content))
    return buffer.getvalue()


def eval_log(
    *samples: Document, method: int = zipfile.ZIP_DEFLATED, header: bool | bytes = True, **fields: Any
) -> bytes:
    """An .eval with samples in one piece; its header says ``fields``, or is other bytes."""
    said = {"version": 2, "eval": {"task": "super"}, **fields}
    entries: dict[str, Any] = {"_journal/start.json": said}
    for sample in samples:
        entries[f"samples/{sample['id']}_epoch_{sample['epoch']}.json"] = sample
    if header:
        entries["header.json"] = {**said, "status": "success"} if header is True else header
    return archive(entries, method=method)


def chunked_log(
    sample: Document, *, size: int = 2, method: int = zipfile.ZIP_ZSTANDARD, **fields: Any
) -> bytes:
    """An .eval with a sample in chunks of ``size`` messages; its attachments are a list."""
    shell = {key: value for key, value in sample.items() if key not in ("messages", "events", "attachments")}
    prefix = f"samples/{sample['id']}_epoch_{sample['epoch']}"
    messages = sample["messages"]
    shell.setdefault("message_refs", [[0, len(messages)]])
    entries: dict[str, Any] = {
        "header.json": {"version": 3, "status": "success", "eval": {}, **fields},
        f"{prefix}/sample.json": shell,
        f"{prefix}/skeleton.json": {},
        f"{prefix}/events/0.json": sample["events"],
        f"{prefix}/events/stats.json": {},
        f"{prefix}/calls/0.json": [],
        f"{prefix}/attachments/0.json": sample["attachments"] or [],
    }
    for start in range(0, len(messages), size):
        entries[f"{prefix}/messages/{start}.json"] = messages[start : start + size]
    return archive(entries, method=method)


def stored(events: list[Any], *, folder: str = "", state: Any = None) -> dict[str, bytes]:
    """The files of an OpenHands V1 conversation, by name: its events, and its state unless that is None."""
    files = {f"{folder}events/event-{n:05}-{n:08x}.json": as_bytes(event) for n, event in enumerate(events)}
    return files if state is None else {**files, f"{folder}base_state.json": as_bytes(state)}
