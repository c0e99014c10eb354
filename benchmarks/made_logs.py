"""Made logs of agents' own tools, an event on each line, as large as asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Final

from benchmarks.made_files import Turn

_CLAUDE_USAGE: Final = {"input_tokens": 9, "cache_read_input_tokens": 900, "output_tokens": 80}
_CODEX_USAGE: Final = {"cached_input_tokens": 90, "output_tokens": 80}


def claude_session(turns: list[Turn]) -> bytes:
    lines: list[Any] = []
    for t in turns:
        for kind, message, more in _claude_messages(t):
            parent = lines[-1]["uuid"] if lines else None
            head = {"parentUuid": parent, "isSidechain": False, "sessionId": "s", "version": "2.1.33"}
            own = {"uuid": f"u{len(lines)}", "timestamp": t.time}
            lines.append({**head, "type": kind, "message": message, **own, **more})
    return _lines(lines)


def claude_stream(turns: list[Turn]) -> bytes:
    begun = {"type": "system", "subtype": "init", "model": "m", "session_id": "s"}
    said = [
        {"type": kind, "message": message, "parent_tool_use_id": None, "session_id": "s"}
        for t in turns
        for kind, message, _more in _claude_messages(t)
    ]
    return _lines([begun, *said])


def codex_rollout(turns: list[Turn]) -> bytes:
    lines = [{"timestamp": turns[0].time, "type": "session_meta", "payload": {"id": "s", "cli_version": "1"}}]
    for t in turns:
        thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": t.thought}]}
        call = {"type": "function_call", "name": "exec_command", "call_id": t.call}
        output = f"Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n{t.output}"
        seen = {"type": "function_call_output", "call_id": t.call, "output": output}
        items = (thought, {**call, "arguments": json.dumps({"cmd": t.command})}, seen)
        lines += [{"timestamp": t.time, "type": "response_item", "payload": item} for item in items]
        total = {"input_tokens": 900 * t.number, **_CODEX_USAGE}
        info = {"total_token_usage": total, "last_token_usage": {"input_tokens": 900, **_CODEX_USAGE}}
        counted = {"type": "token_count", "info": info}
        lines.append({"timestamp": t.time, "type": "event_msg", "payload": counted})
    return _lines(lines)


def codex_exec(turns: list[Turn]) -> bytes:
    lines: list[Any] = [{"type": "thread.started", "thread_id": "s"}, {"type": "turn.started"}]
    for t in turns:
        said = {"id": f"r{t.number}", "type": "reasoning", "text": t.thought}
        ran = {"id": t.call, "type": "command_execution", "command": f"bash -lc '{t.command}'"}
        done = {**ran, "aggregated_output": t.output, "exit_code": 0, "status": "completed"}
        lines.append({"type": "item.completed", "item": said})
        lines.append({"type": "item.started", "item": {**ran, "status": "in_progress"}})
        lines.append({"type": "item.completed", "item": done})
    return _lines(lines)


def gemini_chat(turns: list[Turn]) -> bytes:
    lines: list[Any] = [{"sessionId": "s", "projectHash": "h", "kind": "main"}]
    for t in turns:
        result = [{"functionResponse": {"id": t.call, "response": {"output": t.output}}}]
        name = {"id": t.call, "name": "run_shell_command", "args": {"command": t.command}}
        call = {**name, "result": result, "status": "success", "timestamp": t.time}
        tokens = {"input": 900, "output": 80, "cached": 90, "thoughts": 5}
        said = {"id": f"m{t.number}", "timestamp": t.time, "type": "gemini", "content": t.thought}
        lines.append({**said, "model": "m", "tokens": tokens, "toolCalls": [call]})
    return _lines(lines)


def gemini_stream(turns: list[Turn]) -> bytes:
    lines: list[Any] = [{"type": "init", "timestamp": turns[0].time, "session_id": "s", "model": "m"}]
    for t in turns:
        call = {"tool_name": "run_shell_command", "tool_id": t.call, "parameters": {"command": t.command}}
        seen = {"tool_id": t.call, "status": "success", "output": t.output}
        said = {"type": "message", "role": "assistant", "content": t.thought, "delta": True}
        events = (said, {"type": "tool_use", **call}, {"type": "tool_result", **seen})
        lines += [{"timestamp": t.time, **event} for event in events]
    return _lines(lines)


def copilot_events(turns: list[Turn]) -> bytes:
    lines: list[Any] = [_copilot(turns[0], "session.start", {"sessionId": "s"})]
    for t in turns:
        call = {"toolCallId": t.call, "name": "bash", "arguments": {"command": t.command}}
        result = {"toolCallId": t.call, "success": True, "result": {"content": t.output}}
        lines.append(_copilot(t, "assistant.message", {"content": t.thought, "toolRequests": [call]}))
        lines.append(_copilot(t, "tool.execution_complete", result))
    return _lines(lines)


def spans(turns: list[Turn]) -> bytes:
    """OpenInference's: the three turns before are again in each span, as in a conversation that is cut."""
    lines: list[Any] = []
    for t in turns:
        said: dict[str, Any] = {"openinference.span.kind": "LLM", "llm.model_name": "m"}
        said |= {"llm.token_count.prompt": 900, "llm.token_count.completion": 80}
        for n, before in enumerate(turns[max(0, t.number - 4) : t.number - 1]):
            seen = f"llm.input_messages.{2 * n + 1}.message"
            said |= _answer(f"llm.input_messages.{2 * n}.message", before)
            said |= {f"{seen}.role": "tool", f"{seen}.content": before.output}
            said[f"{seen}.tool_call_id"] = before.call
        said |= _answer("llm.output_messages.0.message", t)
        ran = {"openinference.span.kind": "TOOL", "tool.name": "bash", "output.value": t.output}
        ran["input.value"] = json.dumps({"command": t.command})
        for key, attributes in ((f"m{t.number}", said), (f"t{t.number}", ran)):
            ids = {"context": {"trace_id": "s", "span_id": key}, "parent_id": None}
            times = {"start_time": 1.7e9 + t.number, "end_time": 1.7e9 + t.number}
            lines.append({"name": key, **ids, **times, "attributes": attributes})
    return _lines(lines)


LOG_MAKERS: Final[dict[str, Callable[[list[Turn]], bytes]]] = {
    "Claude Code session": claude_session,
    "Claude Code stream-json": claude_stream,
    "Codex CLI rollout": codex_rollout,
    "Codex CLI exec --json": codex_exec,
    "Gemini CLI chat": gemini_chat,
    "Gemini CLI stream-json": gemini_stream,
    "Copilot CLI events": copilot_events,
    "OpenInference spans": spans,
}
"""How a log of each tool is made of turns."""


def _claude_messages(turn: Turn) -> list[tuple[str, Any, Any]]:
    """Type, message and what else is on the line: an answer in two blocks, and what came of its call."""
    answer = {"id": f"m{turn.number}", "role": "assistant", "model": "m", "usage": _CLAUDE_USAGE}
    call = {"type": "tool_use", "id": turn.call, "name": "Bash", "input": {"command": turn.command}}
    result = {"type": "tool_result", "tool_use_id": turn.call, "content": turn.output}
    return [
        ("assistant", {**answer, "content": [{"type": "text", "text": turn.thought}]}, {}),
        ("assistant", {**answer, "content": [call]}, {}),
        ("user", {"role": "user", "content": [result]}, {"toolUseResult": {"stdout": turn.output}}),
    ]


def _copilot(turn: Turn, kind: str, data: Any) -> Any:
    return {"type": kind, "data": data, "id": f"{kind}-{turn.number}", "timestamp": turn.time}


def _answer(place: str, turn: Turn) -> dict[str, Any]:
    call = f"{place}.tool_calls.0.tool_call"
    return {
        f"{place}.role": "assistant",
        f"{place}.content": turn.thought,
        f"{call}.id": turn.call,
        f"{call}.function.name": "bash",
        f"{call}.function.arguments": json.dumps({"command": turn.command}),
    }


def _lines(events: Iterable[Any]) -> bytes:
    return b"\n".join(json.dumps(event, ensure_ascii=False).encode() for event in events)
