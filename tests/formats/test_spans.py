"""Spans of OpenInference and OpenTelemetry: a trace is an attempt."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.formats import Sample, list_samples
from leaderboard.formats import read as read_bytes
from tests.formats import agent_golden, agent_logs
from tests.formats.agent_logs import (
    SPANS,
    kinds,
    lines,
    read,
    span,
)
from tests.formats.samples import as_bytes


def gen_ai(key: str, start: int, **attributes: Any) -> Any:
    made = span(key, "", start, start + 1, attributes={"gen_ai.operation.name": "chat", **attributes})
    del made["attributes"]["openinference.span.kind"]
    return made


def test_spans_of_otel_are_read_in_its_convention() -> None:
    call = {"type": "tool_call", "id": "c1", "name": "bash", "arguments": {"command": "ls"}}
    gave = {"type": "tool_call_response", "id": "c1", "response": "a.py"}
    asked = [{"role": "user", "parts": [{"type": "text", "content": "Report the score."}]}]
    found = read(
        [
            gen_ai(
                "one",
                1,
                **{
                    "gen_ai.request.model": "gpt-x",
                    "gen_ai.usage.input_tokens": 100,
                    "gen_ai.usage.output_tokens": 20,
                    "gen_ai.input.messages": json.dumps(asked),
                    "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [call]}]),
                },
            ),
            gen_ai(
                "two",
                3,
                **{
                    "gen_ai.input.messages": [*asked, {"role": "tool", "parts": [gave]}],
                    "gen_ai.output.messages": [
                        {"role": "assistant", "parts": [{"type": "text", "content": "0.8"}]}
                    ],
                },
            ),
        ]
    )
    assert [(step.action, step.observation) for step in found.steps] == [("ls", "a.py"), ("", None)]
    assert (found.query, found.answer, found.model) == ("Report the score.", 0.8, "gpt-x")
    assert (found.prompt_tokens, found.response_tokens) == (100, 20)


def test_spans_are_read_from_a_list_from_an_answer_and_from_otlp() -> None:
    def otlp(one: Any) -> Any:
        attributes = [
            {"key": key, "value": {"stringValue": str(value)}} for key, value in one["attributes"].items()
        ]
        ids = {"traceId": one["context"]["trace_id"], "spanId": one["context"]["span_id"]}
        return {
            **one,
            **ids,
            "context": None,
            "parentSpanId": one["parent_id"] or "",
            "attributes": attributes,
        }

    wanted = [step.action for step in agent_golden.TRACE.steps]
    whole = {"resourceSpans": [{"scopeSpans": [{"spans": [otlp(one) for one in SPANS]}]}]}
    for document in (SPANS, {"data": SPANS, "next_cursor": None}, whole):
        data = as_bytes(document)
        assert list_samples(data, name="f")[0].task_id == "conv_graph"
        assert [step.action for step in read_bytes(data, name="f").steps] == wanted


def test_each_trace_of_a_file_is_an_attempt_of_its_own() -> None:
    other = [{**one, "context": {**one["context"], "trace_id": "t2"}} for one in SPANS]
    samples = list_samples(lines([*SPANS, *other]), name="f")
    assert samples == (Sample("trace 1", "conv_graph"), Sample("trace 2", "conv_graph"))


def test_spans_without_messages_are_refused_with_what_to_record() -> None:
    with pytest.raises(InputError, match="no content was recorded"):
        read([gen_ai("one", 1, **{"gen_ai.usage.input_tokens": 5}), gen_ai("two", 2)])


def test_what_an_agent_does_inside_a_tool_is_a_sub_agents() -> None:
    def model(key: str, start: int, parent: str, *calls: tuple[str, str, str], text: str = "") -> Any:
        said = agent_logs.openinference("output", 0, "assistant", text, *calls)
        return span(
            key, "LLM", start, start + 1, parent=parent, attributes={**agent_logs.tokens(10, 1), **said}
        )

    found = read(
        [
            span("root", "AGENT", 0, 9, parent=None),
            model("m1", 1, "root", ("c1", "reader", '{"x": "1"}')),
            span(
                "t", "TOOL", 2, 6, name="reader", attributes={"tool.name": "reader", "output.value": "quick"}
            ),
            span("sub", "AGENT", 2, 6, parent="t", attributes={"agent.name": "helper"}),
            model("m2", 3, "sub", ("c2", "bash", '{"command": "cat n"}')),
            span("u", "TOOL", 4, 5, parent="sub", name="bash", attributes={"output.value": "n"}),
            model("m3", 5, "sub", text="quick"),
            model("m4", 7, "root", text="done"),
        ]
    )
    assert kinds(found) == ["reader", "helper:bash", "message"]
    assert [step.observation for step in found.steps] == ["quick", "n", None]
    assert (found.prompt_tokens, found.answer) == (40, "done")
