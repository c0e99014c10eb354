"""Made trajectories in the formats that are read, as large as asked for.

A turn has 3.5 kB of text, as those of the published runs have in the mean.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from backports.zstd import zipfile

from benchmarks import made_chats

TIME: Final = "2026-05-13T14:06:{:02}.5+00:00"
_THOUGHT: Final = (
    "Run {n} went as planned, “{n}” is in the log. Next I look at train_{n}.py, as README says.\n"
)
_LINE: Final = "INFO:root:step {i} of {n}: loss=0.{i:06} accuracy=0.{n:06} <s>&amp; /repo/module_{i}.py\n"


class Turn(NamedTuple):
    """What an agent thought, ran and saw; ``call`` is the id of its call."""

    number: int
    thought: str
    command: str
    output: str

    @property
    def call(self) -> str:
        return f"call_{self.number}"

    @property
    def time(self) -> str:
        return TIME.format(self.number % 60)


def made_turns(count: int) -> Iterator[Turn]:
    for n in range(1, count + 1):
        output = "".join(_LINE.format(i=i, n=n) for i in range(38))
        yield Turn(n, _THOUGHT.format(n=n) * 3, f"python train_{n}.py --epochs {n}", output)


def super_history(turns: list[Turn]) -> bytes:
    steps = [
        {"thought": t.thought, "action": {"type": "execute", "content": t.command}, "observation": t.output}
        for t in turns
    ]
    return _json({"query": "Train it.", "history": steps})


def super_notebook(turns: list[Turn]) -> bytes:
    cells = [_markdown("### Query\nTrain it."), _markdown("### Prompt\n<details>\n…\n</details>")]
    for t in turns:
        seen = {"data": {"text/plain": [t.output]}, "metadata": {}, "execution_count": None}
        result = {"output_type": "execute_result", **seen}
        code = {"cell_type": "code", "metadata": {}, "source": t.command, "outputs": [result]}
        texts = (f"### Step {t.number}", f"**Thought**: {t.thought}", "**Action (execute)**:")
        cells += [*map(_markdown, texts), {**code, "execution_count": None}]
    return _json({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells})


def swe_agent(turns: list[Turn]) -> bytes:
    steps = [
        {
            **{"action": t.command, "observation": t.output, "thought": t.thought},
            **{"response": f"{t.thought}\n```\n{t.command}\n```", "execution_time": 1.5, "state": {}},
        }
        for t in turns
    ]
    return _json({"trajectory": steps, "history": [], "info": {"exit_status": "exit_cost"}})


def mini_swe_agent(turns: list[Turn]) -> bytes:
    messages: list[Any] = [
        {"role": "system", "content": "A shell."},
        {"role": "user", "content": "Train it."},
    ]
    for t in turns:
        actions = [{"command": t.command, "tool_call_id": t.call}]
        extra = {"actions": actions, "cost": 0.1, "response": _response(t)}
        text = f"<returncode>0</returncode>\n<output>\n{t.output}</output>"
        messages.append({"role": "assistant", "content": t.thought, "extra": {**extra, "timestamp": 1.7e9}})
        seen = {"raw_output": t.output, "returncode": 0, "timestamp": 1.7e9 + 1}
        messages.append({"role": "tool", "tool_call_id": t.call, "content": text, "extra": seen})
    return _json({"info": {}, "messages": messages, "trajectory_format": "mini-swe-agent-2.0"})


def astabench(turns: list[Turn]) -> bytes:
    history = [
        {
            "action": {"type": "execute", "content": t.command},
            **{"observation": t.output, "execution_start_time": t.time, "execution_end_time": t.time},
        }
        for t in turns
    ]
    return _json({"exec_result": None, "history": history, "submitted": False})


def openhands_v0(turns: list[Turn]) -> bytes:
    events: list[Any] = []
    for t in turns:
        args = {"command": t.command, "thought": t.thought}
        metadata = {"function_name": "run", "tool_call_id": t.call, "model_response": _response(t)}
        said = {"message": f"Running command: {t.command}", "tool_call_metadata": metadata}
        made = {"id": 2 * t.number, "timestamp": t.time, "source": "agent"}
        acted = {**made, **said, "action": "run", "args": args}
        seen = {"id": 2 * t.number + 1, "timestamp": t.time, "source": "agent", "cause": 2 * t.number}
        events += [acted, {**seen, "observation": "run", "content": t.output, "extras": {"metadata": {}}}]
    return _json(events)


def openhands_v1(turns: list[Turn]) -> bytes:
    events: list[Any] = []
    for t in turns:
        names = {"tool_name": "terminal", "tool_call_id": t.call, "timestamp": t.time}
        acted = {
            "kind": "ActionEvent",
            "id": f"a{t.number}",
            "source": "agent",
            "thought": [_text(t.thought)],
        }
        action = {"kind": "TerminalAction", "command": t.command}
        events.append({**acted, **names, "action": action, "tool_call": _call(t, "terminal")})
        found = {"kind": "TerminalObservation", "content": [_text(t.output)], "exit_code": 0}
        seen = {"kind": "ObservationEvent", "id": f"o{t.number}", "source": "environment"}
        events.append({**seen, **names, "action_id": f"a{t.number}", "observation": found})
    return _json(events)


def atif(turns: list[Turn]) -> bytes:
    steps = [
        {
            **{"step_id": t.number, "timestamp": t.time, "source": "agent", "message": t.thought},
            "tool_calls": [
                {"tool_call_id": t.call, "function_name": "bash", "arguments": {"command": t.command}}
            ],
            "observation": {"results": [{"source_call_id": t.call, "content": t.output}]},
            "metrics": {"prompt_tokens": 900, "completion_tokens": 80, "cost_usd": 0.1},
        }
        for t in turns
    ]
    agent = {"name": "terminus-2", "version": "2.0", "model_name": "m"}
    return _json({"schema_version": "ATIF-v1.6", "session_id": "s", "agent": agent, "steps": steps})


def inspect_json(turns: list[Turn]) -> bytes:
    log = {"version": 2, "status": "success", "eval": {"model": "m"}, "plan": {}, "samples": [_sample(turns)]}
    return _json(log)


def inspect_eval(turns: list[Turn]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_ZSTANDARD) as archive:
        archive.writestr("header.json", _json({"version": 2, "status": "success", "eval": {"model": "m"}}))
        archive.writestr("samples/made_epoch_1.json", _json(_sample(turns)))
    return packed.getvalue()


def json_lines(turns: list[Turn]) -> bytes:
    """OpenHands' output.jsonl with the same task a hundred times."""
    size = max(1, len(turns) // 100)
    parts = [turns[at : at + size] for at in range(0, len(turns), size)]
    lines = (
        {"instance_id": f"task_{n}", "history": json.loads(openhands_v0(part)), "test_result": {}}
        for n, part in enumerate(parts)
    )
    return b"\n".join(map(_json, lines))


def openai_chat(turns: list[Turn]) -> bytes:
    messages: list[Any] = [
        {"role": "system", "content": "A shell."},
        {"role": "user", "content": "Train it."},
    ]
    for t in turns:
        messages.append(_response(t)["choices"][0]["message"])
        messages.append({"role": "tool", "tool_call_id": t.call, "content": t.output})
    return _json({"model": "m", "messages": messages})


def smolagents(turns: list[Turn]) -> bytes:
    steps = [
        {
            **{"step_number": t.number, "model_output": t.thought, "code_action": t.command},
            **{
                "observations": t.output,
                "timing": {"start_time": 1.7e9, "end_time": 1.7e9 + 1},
                "error": None,
            },
            "tool_calls": [{"id": t.call, "type": "function", "function": _call(t, "python_interpreter")}],
            "token_usage": {"input_tokens": 900, "output_tokens": 80},
        }
        for t in turns
    ]
    return _json({"output": None, "state": "max_steps_error", "steps": steps})


MAKERS: Final[dict[str, Callable[[list[Turn]], bytes]]] = {
    "SUPER history.json": super_history,
    "SUPER notebook": super_notebook,
    "SWE-agent": swe_agent,
    "mini-SWE-agent": mini_swe_agent,
    "AstaBench": astabench,
    "OpenHands V0": openhands_v0,
    "OpenHands V1": openhands_v1,
    "ATIF": atif,
    "OpenAI chat": openai_chat,
    "smolagents": smolagents,
    "Inspect .json": inspect_json,
    "Inspect .eval": inspect_eval,
    "a message on each line": made_chats.message_lines,
    "mini-SWE-agent, Responses": made_chats.mini_responses,
    "HAL upload": made_chats.hal,
}
"""How a file of each format is made of turns."""


def _sample(turns: list[Turn]) -> dict[str, Any]:
    """As Inspect condenses it: the messages again in the pool that the model's events refer to."""
    messages: list[Any] = [{"role": "user", "content": "Train it.", "id": "q", "source": "input"}]
    events: list[Any] = [{"event": "span_begin", "id": "s", "type": "agent", "name": "react", "span_id": "s"}]
    for t in turns:
        call = {"id": t.call, "function": "bash", "arguments": {"cmd": t.command}, "type": "function"}
        said = {"role": "assistant", "content": t.thought, "id": f"m{t.number}", "source": "generate"}
        message = {**said, "tool_calls": [call]}
        messages += [
            message,
            {"role": "tool", "content": t.output, "tool_call_id": t.call, "function": "bash"},
        ]
        output = {"choices": [{"message": message, "stop_reason": "tool_calls"}], "completion": t.thought}
        used = {"input_tokens": 900, "output_tokens": 80}
        asked = {"event": "model", "span_id": "s", "input": [], "input_refs": [[0, 2 * t.number - 1]]}
        times = {"timestamp": t.time, "completed": t.time, "working_time": 0.5}
        ran = {"event": "tool", "span_id": "s", "id": t.call, "function": "bash", "result": t.output, **times}
        events += [{**asked, "timestamp": t.time, "tools": [], "output": {**output, "usage": used}}, ran]
    told = {"input": "Train it.", "messages": messages, "events": events, "output": {}, "scores": {}}
    return {"id": "made", "epoch": 1, **told, "events_data": {"messages": messages, "calls": []}}


def _json(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


def _markdown(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _response(turn: Turn) -> dict[str, Any]:
    """A model's whole answer, as frameworks keep it beside what they took from it."""
    function = {"id": turn.call, "type": "function", "function": _call(turn, "bash")}
    message = {"role": "assistant", "content": turn.thought, "tool_calls": [function]}
    answer = {"id": f"r{turn.number}", "model": "m", "object": "chat.completion", "created": 1_740_823_200}
    choices = [{"index": 0, "finish_reason": "tool_calls", "message": message}]
    return {**answer, "choices": choices, "usage": {"prompt_tokens": 900, "completion_tokens": 80}}


def _call(turn: Turn, tool: str) -> dict[str, Any]:
    return {"id": turn.call, "name": tool, "arguments": json.dumps({"command": turn.command})}
