"""Made chats, and files of tools that keep them, of the turns of `made_files`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from benchmarks.made_files import Turn

_ASKED: Final = [{"role": "system", "content": "A shell."}, {"role": "user", "content": "Train it."}]
_USED: Final = {
    "prompt_tokens": 900,
    "completion_tokens": 80,
    "prompt_tokens_details": {"cached_tokens": 300},
}


def message_lines(turns: Sequence[Turn]) -> bytes:
    return b"\n".join(map(_json, _messages(turns)))


def hal(turns: Sequence[Turn]) -> bytes:
    """An upload with ten tasks."""
    size = max(1, len(turns) // 10)
    parts = {f"task_{at}": turns[at : at + size] for at in range(0, len(turns), size)}
    logged = {
        task: {
            "messages": _messages(part),
            "call_metadata": [{"usage": _USED, "started_at": turn.time} for turn in part],
            "model": "m",
        }
        for task, part in parts.items()
    }
    return _json({"config": {}, "raw_eval_results": {}, "raw_logging_results": logged})


def mini_responses(turns: Sequence[Turn]) -> bytes:
    messages: list[Any] = [{"type": "message", **message} for message in _ASKED]
    for t in turns:
        said = {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": t.thought}],
        }
        call = {"type": "function_call", "call_id": t.call, "name": "bash", "arguments": _arguments(t)}
        used = {"input_tokens": 900, "output_tokens": 80}
        extra = {"actions": [{"command": t.command, "tool_call_id": t.call}], "cost": 0.1, "timestamp": 1.7e9}
        messages.append({"object": "response", "output": [said, call], "usage": used, "extra": extra})
        seen = {"raw_output": t.output, "returncode": 0, "timestamp": 1.7e9 + 1}
        text = f"<returncode>0</returncode>\n<output>\n{t.output}</output>"
        messages.append({"type": "function_call_output", "call_id": t.call, "output": text, "extra": seen})
    return _json({"info": {}, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"})


def _messages(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = list(_ASKED)
    for t in turns:
        call = {"id": t.call, "type": "function", "function": {"name": "bash", "arguments": _arguments(t)}}
        messages.append({"role": "assistant", "content": t.thought, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": t.call, "content": t.output})
    return messages


def _arguments(turn: Turn) -> str:
    return json.dumps({"command": turn.command})


def _json(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()
