"""Small logs of our own making, as agents' own tools write them: lists of events, one a line."""

from __future__ import annotations

import base64
import json
from typing import Any

from leaderboard.domain.trajectory import Trajectory
from leaderboard.formats import read as read_bytes
from tests.formats.samples import Document

Events = list[Any]

PIXEL = base64.b64encode(
    base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
).decode()
IMAGE = {"type": "image", "source": {"type": "base64", "data": PIXEL, "media_type": "image/png"}}


def lines(events: Events) -> bytes:
    return b"\n".join(each if isinstance(each, bytes) else json.dumps(each).encode() for each in events)


def at(second: int) -> str:
    return f"2026-02-08T17:28:{second:02}.000Z"


# Claude Code


def used(new: int, out: int, *, written: int = 0, cached: int = 0) -> Document:
    return {
        "input_tokens": new,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": cached,
        "output_tokens": out,
    }


def says(text: str) -> Document:
    return {"type": "text", "text": text}


def thinks(text: str) -> Document:
    return {"type": "thinking", "thinking": text, "signature": "x"}


def uses(key: str, tool: str, **arguments: Any) -> Document:
    return {"type": "tool_use", "id": key, "name": tool, "input": arguments}


def gives(key: str, content: Any, **fields: Any) -> Document:
    return {"type": "tool_result", "tool_use_id": key, "content": content, **fields}


def answer(key: str, *blocks: Document, usage: Any = None, reason: Any = None) -> Document:
    """The message of an answer of the model."""
    message = {
        "id": key,
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": list(blocks),
    }
    return {"type": "assistant", "message": {**message, "stop_reason": reason, "usage": usage or used(10, 5)}}


def told(*blocks: Any, **fields: Any) -> Document:
    """The message of what the agent was told."""
    content = blocks[0] if len(blocks) == 1 and isinstance(blocks[0], str) else list(blocks)
    return {"type": "user", "message": {"role": "user", "content": content}, **fields}


def session(*events: Document, key: str = "s1", **fields: Any) -> Events:
    """The lines of a session, each after the one before, a second apart; what a line has itself stays."""
    found: Events = []
    parent = None
    for number, event in enumerate(events):
        own = f"{key}-u{number}"
        head = {"parentUuid": parent, "isSidechain": False, "sessionId": key, "version": "2.1.33"}
        found.append({**head, "uuid": own, "timestamp": at(number), **fields, **event})
        parent = found[-1]["uuid"]
    return found


CLAUDE_SESSION: Events = [
    {"type": "summary", "summary": "A score", "leafUuid": "s1-u8"},
    {"type": "queue-operation", "operation": "dequeue", "sessionId": "s1", "timestamp": at(0)},
    *session(
        told("Report the score."),
        answer("m1", thinks("First a look."), usage=used(10, 1, written=100)),
        answer("m1", says("I look."), usage=used(10, 1, written=100)),
        answer("m1", uses("t1", "Bash", command="ls", description="list"), usage=used(10, 30, written=100)),
        answer(
            "m1",
            uses("t2", "Task", subagent_type="Explore", prompt="Read it."),
            usage=used(10, 40, written=100),
        ),
        told(gives("t1", "a.py"), toolUseResult={"stdout": "a.py"}),
        told(gives("t2", [says("It is 0.8."), says("agentId: ag1")]), toolUseResult={"agentId": "ag1"}),
        answer(
            "m2",
            uses("t3", "Edit", file_path="/a.py", old_string="x", new_string="y"),
            usage=used(20, 9, cached=90),
        ),
        told(gives("t3", [says("no such text"), IMAGE], is_error=True)),
        answer("m3", says('{"score": 0.8}'), usage=used(5, 6, cached=80), reason="end_turn"),
    ),
]
SUB_AGENT: Events = session(
    told("Read it."),
    answer("n1", uses("v1", "Read", file_path="/a.py"), usage=used(7, 3)),
    told(gives("v1", "1\tx = 1")),
    answer("n2", says("It is 0.8."), usage=used(8, 4, cached=6), reason="end_turn"),
    isSidechain=True,
    agentId="ag1",
)

CLAUDE_STREAM: Events = [
    {"session_id": "s1", "uuid": str(number), **event}
    for number, event in enumerate(
        [
            {
                "type": "system",
                "subtype": "init",
                "model": "claude-x",
                "tools": ["Bash"],
                "claude_code_version": "2.1.33",
            },
            answer("m1", thinks("A helper."), uses("t1", "Task", subagent_type="Explore", prompt="Read it.")),
            {**told("Read it."), "parent_tool_use_id": "t1"},
            {**answer("n1", uses("v1", "Read", file_path="/a.py")), "parent_tool_use_id": "t1"},
            {**told(gives("v1", "1\tx = 1")), "parent_tool_use_id": "t1"},
            {"type": "stream_event", "event": {"type": "message_stop"}},
            told(gives("t1", "It is 0.8.")),
            answer("m2", says('{"score": 0.8}')),
            {
                "type": "result",
                "subtype": "success",
                "is_error": False,
                "duration_ms": 41_500,
                "num_turns": 2,
                "result": '{"score": 0.8}',
                "total_cost_usd": 0.02,
                "usage": used(40, 90, written=100, cached=60),
            },
        ]
    )
]

# Codex CLI


def rollout(*lines: tuple[str, Document]) -> Events:
    return [{"timestamp": at(n), "type": kind, "payload": payload} for n, (kind, payload) in enumerate(lines)]


def item(kind: str, **fields: Any) -> tuple[str, Document]:
    return "response_item", {"type": kind, **fields}


def event(kind: str, **fields: Any) -> tuple[str, Document]:
    return "event_msg", {"type": kind, **fields}


def counted(sent: int, out: int, last: tuple[int, int], *, cached: int = 0) -> tuple[str, Document]:
    whole = {
        "input_tokens": sent,
        "cached_input_tokens": cached,
        "output_tokens": out,
        "reasoning_output_tokens": 4,
    }
    one = {
        "input_tokens": last[0],
        "cached_input_tokens": 0,
        "output_tokens": last[1],
        "reasoning_output_tokens": 2,
    }
    return event("token_count", info={"total_token_usage": whole, "last_token_usage": one})


META = ("session_meta", {"id": "r1", "cli_version": "0.142.0", "base_instructions": {"text": "A shell."}})
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n a = 0\n-x = 1\n+x = 2\n*** End Patch"

CODEX_ROLLOUT: Events = rollout(
    META,
    item(
        "message",
        role="user",
        content=[{"type": "input_text", "text": "<environment_context>\n</environment_context>"}],
    ),
    ("turn_context", {"model": "gpt-x"}),
    item("message", role="user", content=[{"type": "input_text", "text": "Report the score."}]),
    event("agent_reasoning", text="A look."),
    item("reasoning", summary=[{"type": "summary_text", "text": "A look."}], encrypted_content="x"),
    item("function_call", name="exec_command", arguments='{"cmd": "ls"}', call_id="c1"),
    item("local_shell_call", call_id="c2", action={"type": "exec", "command": ["bash", "-lc", "cat b"]}),
    item(
        "function_call_output",
        call_id="c2",
        output='{"output":"cat: b: none","metadata":{"exit_code":1,"duration_seconds":0.5}}',
    ),
    item(
        "function_call_output",
        call_id="c1",
        output="Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\na.py",
    ),
    counted(100, 20, (100, 20)),
    item("custom_tool_call", call_id="c3", name="apply_patch", input=PATCH),
    item("custom_tool_call_output", call_id="c3", output="Success."),
    counted(250, 35, (150, 15), cached=90),
    counted(250, 35, (150, 15), cached=90),
    ("compacted", {"message": "so far", "replacement_history": []}),
    item("message", role="assistant", content=[{"type": "output_text", "text": '{"score": 0.8}'}]),
    event("agent_message", message='{"score": 0.8}'),
    event("task_complete", last_agent_message='{"score": 0.8}'),
)

CODEX_EXEC: Events = [
    {"type": "thread.started", "thread_id": "r1"},
    {"type": "turn.started"},
    {"type": "item.completed", "item": {"id": "i0", "type": "reasoning", "text": "A look."}},
    {
        "type": "item.started",
        "item": {"id": "i1", "type": "command_execution", "command": "bash -lc ls", "status": "in_progress"},
    },
    {
        "type": "item.completed",
        "item": {
            "id": "i1",
            "type": "command_execution",
            "command": "bash -lc ls",
            "aggregated_output": "a.py\n",
            "exit_code": 2,
            "status": "completed",
        },
    },
    {"type": "item.completed", "item": {"id": "i2", "type": "todo_list", "items": []}},
    {
        "type": "item.completed",
        "item": {
            "id": "i3",
            "type": "file_change",
            "changes": [{"path": "/a.py", "kind": "update"}],
            "status": "completed",
        },
    },
    {
        "type": "item.completed",
        "item": {
            "id": "i4",
            "type": "mcp_tool_call",
            "server": "s",
            "tool": "look",
            "arguments": {"x": "1"},
            "result": {"content": [says("seen")]},
            "status": "completed",
        },
    },
    {"type": "item.completed", "item": {"id": "i5", "type": "web_search", "query": "a paper"}},
    {"type": "item.completed", "item": {"id": "i6", "type": "agent_message", "text": '{"score": 0.8}'}},
    {
        "type": "turn.completed",
        "usage": {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 20},
    },
]

# Gemini CLI


def gemini_call(key: str, tool: str, status: str = "success", response: Any = None, **args: Any) -> Document:
    result = response and [{"functionResponse": {"id": key, "name": tool, "response": response}}]
    return {"id": key, "name": tool, "args": args, "result": result, "status": status, "timestamp": at(4)}


def gemini_message(key: str, text: str, *calls: Document, **fields: Any) -> Document:
    tokens = {"input": 100, "output": 20, "cached": 30, "thoughts": 5, "tool": 0, "total": 125}
    message = {
        "id": key,
        "timestamp": at(3),
        "type": "gemini",
        "content": text,
        "model": "gemini-x",
        "tokens": tokens,
    }
    return {**message, **({"toolCalls": list(calls)} if calls else {}), **fields}


GEMINI_HEAD = {
    "sessionId": "g1",
    "projectHash": "ab",
    "startTime": at(0),
    "lastUpdated": at(9),
    "kind": "main",
}
GEMINI_ASKED = {"id": "q", "timestamp": at(1), "type": "user", "content": [{"text": "Report the score."}]}
GEMINI_WORK = gemini_message(
    "m1",
    "I look.",
    gemini_call("c1", "run_shell_command", response={"output": "a.py"}, command="ls"),
    gemini_call("c2", "read_file", "error", {"error": "no such file"}, absolute_path="/b"),
    thoughts=[{"subject": "A look", "description": "two at once"}],
)
GEMINI_CHAT: Events = [
    GEMINI_HEAD,
    GEMINI_ASKED,
    gemini_message("m1", "I look."),
    GEMINI_WORK,
    gemini_message(
        "m2", "A wrong way.", gemini_call("c3", "run_shell_command", "cancelled", command="rm a.py")
    ),
    {"$rewindTo": "m2"},
    {"$set": {"lastUpdated": at(9)}},
    {"id": "i", "timestamp": at(8), "type": "info", "content": "compressed"},
    gemini_message("m3", '{"score": 0.8}', timestamp=at(9)),
]
GEMINI_LEGACY = {**GEMINI_HEAD, "messages": [GEMINI_ASKED, GEMINI_WORK, GEMINI_CHAT[-1]]}
GEMINI_STREAM: Events = [
    {"type": "init", "timestamp": at(0), "session_id": "g1", "model": "gemini-x"},
    {"type": "message", "timestamp": at(1), "role": "user", "content": "Report the score."},
    {"type": "message", "timestamp": at(2), "role": "assistant", "content": "A ", "delta": True},
    {"type": "message", "timestamp": at(2), "role": "assistant", "content": "look.", "delta": True},
    {
        "type": "tool_use",
        "timestamp": at(3),
        "tool_name": "run_shell_command",
        "tool_id": "c1",
        "parameters": {"command": "ls"},
    },
    {"type": "tool_result", "timestamp": at(5), "tool_id": "c1", "status": "success", "output": "a.py"},
    {"type": "message", "timestamp": at(6), "role": "assistant", "content": '{"score": 0.8}', "delta": True},
    {
        "type": "result",
        "timestamp": at(7),
        "status": "success",
        "stats": {"input_tokens": 300, "output_tokens": 40, "cached": 90, "duration_ms": 7500},
    },
]

# Copilot CLI


def copilot(*events: tuple[str, Document]) -> Events:
    return [
        {"type": kind, "data": data, "id": f"e{n}", "timestamp": at(n), "parentId": f"e{n - 1}"}
        for n, (kind, data) in enumerate(events)
    ]


def request(key: str, tool: str, **arguments: Any) -> Document:
    return {"toolCallId": key, "name": tool, "arguments": arguments, "type": "function"}


def complete(key: str, tool: str, text: str, **fields: Any) -> tuple[str, Document]:
    result = {"content": text, "detailedContent": text}
    return "tool.execution_complete", {
        "toolCallId": key,
        "toolName": tool,
        "success": True,
        "result": result,
        **fields,
    }


COPILOT: Events = copilot(
    ("session.start", {"sessionId": "p1", "copilotVersion": "1.0.13", "selectedModel": "gpt-x"}),
    ("user.message", {"content": "Report the score."}),
    (
        "assistant.message",
        {
            "content": "A look.",
            "toolRequests": [
                request("c0", "report_intent", intent="Looking"),
                request("c1", "bash", command="ls"),
                request("c2", "task", agent_type="explore", prompt="Read it."),
            ],
        },
    ),
    ("tool.execution_start", {"toolCallId": "c1", "toolName": "bash", "arguments": {"command": "ls"}}),
    complete("c0", "report_intent", "noted"),
    complete("c1", "bash", "", success=False, result=None, error={"message": "no room"}),
    ("subagent.started", {"toolCallId": "c2", "agentName": "explore"}),
    ("tool.execution_start", {"toolCallId": "c3", "toolName": "view", "arguments": {"path": "/a.py"}}),
    complete("c3", "view", "x = 1", parentToolCallId="c2"),
    ("subagent.completed", {"toolCallId": "c2", "agentName": "explore"}),
    complete("c2", "task", "It is 0.8."),
    ("assistant.message", {"content": '{"score": 0.8}', "toolRequests": []}),
    (
        "session.shutdown",
        {
            "shutdownType": "routine",
            "modelMetrics": {
                "gpt-x": {
                    "requests": {"count": 2, "cost": 2},
                    "usage": {"inputTokens": 300, "outputTokens": 40, "cacheReadTokens": 90},
                }
            },
        },
    ),
)

# Spans


def span(
    key: str, kind: str, start: int, end: int, *, parent: Any = "root", name: str = "", **fields: Any
) -> Document:
    attributes = {"openinference.span.kind": kind, **fields.pop("attributes", {})}
    times = {"start_time": at(start), "end_time": at(end)}
    context = {"trace_id": "t1", "span_id": key}
    return {
        "name": name or key,
        "context": context,
        "parent_id": parent,
        **times,
        "attributes": attributes,
        **fields,
    }


def openinference(
    side: str, number: int, role: str, text: str, *calls: tuple[str, str, str], **fields: str
) -> Document:
    """A message among a span's attributes, with a call for each (id, function, arguments)."""
    place = f"llm.{side}_messages.{number}.message"
    found = {f"{place}.role": role, f"{place}.content": text}
    for n, (key, tool, arguments) in enumerate(calls):
        call = f"{place}.tool_calls.{n}.tool_call"
        found |= {f"{call}.id": key, f"{call}.function.name": tool, f"{call}.function.arguments": arguments}
    return {**found, **{f"{place}.{key}": value for key, value in fields.items()}}


def tokens(sent: int, out: int) -> Document:
    return {"llm.model_name": "gpt-x", "llm.token_count.prompt": sent, "llm.token_count.completion": out}


_CALLS = ("c1", "bash", '{"command": "ls"}'), ("c2", "bash", '{"command": "cat b"}')
SPANS: Events = [
    span(
        "two", "LLM", 7, 8,
        attributes={
            **tokens(200, 10),
            **openinference("input", 0, "user", "Report the score."),
            **openinference("input", 1, "assistant", "A look.", *_CALLS),
            **openinference("input", 2, "tool", "a.py", tool_call_id="c1"),
            **openinference("output", 0, "assistant", '{"score": 0.8}'),
        },
    ),
    span(
        "b", "TOOL", 5, 6, name="bash", status_code="ERROR",
        attributes={"tool.name": "bash", "input.value": '{"command": "cat b"}'},
        events=[{"name": "exception", "attributes": {"exception.message": "no such file"}}],
    ),
    span(
        "a", "TOOL", 4, 5, name="bash",
        attributes={"tool.name": "bash", "input.value": '{"command": "ls"}', "output.value": "a.py"},
    ),
    span(
        "one", "LLM", 1, 3,
        attributes={
            **tokens(100, 20),
            **openinference("input", 0, "system", "A shell."),
            **openinference("input", 1, "user", "Report the score."),
            **openinference("output", 0, "assistant", "A look.", *_CALLS),
        },
    ),
    span(
        "root", "AGENT", 0, 9, parent=None,
        attributes={"agent.name": "looker", "metadata": '{"task_id": "conv_graph"}'},
    ),
]  # fmt: skip

LOGS: list[Events] = [
    [*CLAUDE_SESSION, *SUB_AGENT],
    CLAUDE_STREAM,
    CODEX_ROLLOUT,
    CODEX_EXEC,
    GEMINI_CHAT,
    GEMINI_STREAM,
    COPILOT,
    SPANS,
]


def read(events: Events, **options: Any) -> Trajectory:
    return read_bytes(lines(events), name="f", **options)


def kinds(trajectory: Trajectory) -> list[str]:
    """Each step's type, with the sub-agent's name before it."""
    return [f"{step.agent}:{step.action_type}".lstrip(":") for step in trajectory.steps]
