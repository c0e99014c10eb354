"""Small chats of our own making, and files of the tools that keep chats or write like them."""

from __future__ import annotations

import json
from typing import Any

from leaderboard.domain.media import Media
from leaderboard.domain.trajectory import Ending, Step, StepKind, Trajectory
from tests.formats.samples import Document
from tests.pictures import data_url, png

Call = tuple[str, str, Any]
"""Id, tool and arguments (an object, or text as it is)."""

ASKED: list[Document] = [
    {"role": "system", "content": "A shell."},
    {"role": "user", "content": "Train the model."},
]


def calls(*given: Call, content: Any = "Look.", **fields: Any) -> Document:
    """A message of the assistant with OpenAI's calls."""
    told = [
        {"id": key, "type": "function", "function": {"name": tool, "arguments": as_text(arguments)}}
        for key, tool, arguments in given
    ]
    return {"role": "assistant", "content": content, "tool_calls": told, **fields}


def as_text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def gives(key: str | None, content: Any = "train.py", **fields: Any) -> Document:
    return {"role": "tool", "tool_call_id": key, "content": content, **fields}


def says(role: str, content: Any, **fields: Any) -> Document:
    return {"role": role, "content": content, **fields}


def picture_part() -> Document:
    return {"type": "image_url", "image_url": {"url": data_url(png())}}


def parts(*texts: str) -> list[Document]:
    return [{"type": "text", "text": text} for text in texts]


CUT_OFF = '{"command": "python tra'
SUBMITS = calls(("c5", "submit", {"answer": {"loss": 0.5}}), content=None)


def chat() -> list[Document]:
    """Two calls at once with results out of order, one cut off, an image, and a submission."""
    return [
        *ASKED,
        calls(("c1", "bash", {"command": "ls"}), ("c2", "bash", {"command": "pwd"})),
        gives("c2", "/repo"),
        gives("c1", parts("data.tsv ", "train.py")),
        calls(("c3", "bash", CUT_OFF), content=None, reasoning_content="Train it."),
        gives("c3", "the arguments are no JSON"),
        calls(("c4", "bash", {"command": "python train.py"}), content=parts("Again.")),
        gives("c4", [*parts("loss 0.5"), picture_part()]),
        SUBMITS,
    ]


_PNG = Media("image/png", png(), len(png()), 3, 2)
CHAT_STEPS = (
    Step(1, StepKind.EXECUTE, "bash", "ls", "Look.", "data.tsv train.py"),
    Step(2, StepKind.EXECUTE, "bash", "pwd", "", "/repo"),
    Step(3, StepKind.FORMAT_ERROR, "bash", CUT_OFF, "Train it.", "the arguments are no JSON"),
    Step(4, StepKind.EXECUTE, "bash", "python train.py", "Again.", "loss 0.5", media=(_PNG,)),
    Step(5, StepKind.SUBMIT, "submit", '{"loss": 0.5}'),
)
CHAT_READ = Trajectory(
    steps=CHAT_STEPS,
    format="OpenAI chat",
    query="Train the model.",
    prompt="A shell.",
    answer={"loss": 0.5},
    ending=Ending.SUBMITTED,
    ending_detail="submit",
)
"""What the chat reads as."""


def usage(sent: int, received: int, cached: int = 0, reasoning: int = 0) -> Document:
    return {
        "prompt_tokens": sent,
        "completion_tokens": received,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }


def hal(logged: Any, **fields: Any) -> Document:
    config = {"agent_name": "Some Agent (m)", "agent_args": {"model_name": "m"}}
    scores = {"conv_graph": {"score": 1.0}}
    return {"config": config, "raw_eval_results": scores, "raw_logging_results": logged, **fields}


def hal_task(messages: Any, *usages: Document, **fields: Any) -> Document:
    """One task of an upload, with the usage of each answer of the model."""
    made = [
        {"usage": each, "started_at": f"2026-05-01T10:00:0{number}+00:00"}
        for number, each in enumerate(usages)
    ]
    return {"messages": messages, "call_metadata": made, "model": "m", "call_count": len(made), **fields}


def weave_calls(messages: list[Document], *usages: Document, task: Any = "conv_graph") -> list[Document]:
    """The calls that a conversation was made with, as Weave recorded them, newest first."""
    answers = [number for number, message in enumerate(messages) if message["role"] == "assistant"]
    return [
        {
            "weave_task_id": task,
            "op_name": "weave:///team/project/op/litellm.completion:abc",
            "started_at": f"2026-05-01T10:00:0{answers.index(number)}+00:00",
            "inputs": {"model": "m", "messages": messages[:number]},
            "output": {"choices": [{"message": messages[number]}], "usage": told},
        }
        for number, told in reversed(list(zip(answers, usages, strict=True)))
    ]


def agent_step(number: int, **fields: Any) -> Document:
    """An ActionStep of smolagents, complete."""
    asked = [{"role": "system", "content": [{"type": "text", "text": "You write Python."}]}]
    return {
        "step_number": number,
        "timing": {"start_time": 1777629600.0 + number, "end_time": 1777629600.5 + number, "duration": 0.5},
        "model_input_messages": asked,
        "tool_calls": [],
        "error": None,
        "model_output": None,
        "code_action": None,
        "observations": None,
        "observations_images": None,
        "action_output": None,
        "token_usage": {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110},
        "is_final_answer": False,
        **fields,
    }


def code_step(number: int, code: str, **fields: Any) -> Document:
    function = {"name": "python_interpreter", "arguments": code}
    return agent_step(
        number,
        tool_calls=[{"id": f"call_{number}", "type": "function", "function": function}],
        model_output=f"Thought: step {number}.\n<code>\n{code}\n</code>",
        code_action=code,
        **fields,
    )


def smolagents_steps() -> list[Document]:
    """A plan, a failed step, a good one, an answer without code, and the final answer."""
    return [
        {"task": "Train the model.", "task_images": None},
        {"plan": "Look, then train.", "token_usage": {"input_tokens": 50, "output_tokens": 5}},
        code_step(1, "print(os)", error={"type": "AgentExecutionError", "message": "os is not allowed"}),
        code_step(2, "print(run())", observations="Execution logs:\nloss 0.5"),
        agent_step(
            3, model_output="It is 0.5.", error={"type": "AgentParsingError", "message": "no code found"}
        ),
        code_step(4, "final_answer({'loss': 0.5})", is_final_answer=True, action_output={"loss": 0.5}),
    ]


def smolagents_result(*steps: Document, **fields: Any) -> Document:
    return {
        "output": {"loss": 0.5},
        "state": "success",
        "steps": list(steps) or smolagents_steps(),
        "token_usage": {"input_tokens": 450, "output_tokens": 45, "total_tokens": 495},
        "timing": {"start_time": 1777629600.0, "end_time": 1777629650.0, "duration": 50.0},
        **fields,
    }


def response(number: int, *commands: str, text: str = "Look.", reasoning: str = "", **extra: Any) -> Document:
    """An answer of the Responses API as mini-SWE-agent stores it, with a command for each call."""
    thoughts = [{"type": "reasoning", "summary": [{"type": "summary_text", "text": reasoning}]}]
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    actions = [{"command": each, "tool_call_id": f"k{number}-{n}"} for n, each in enumerate(commands)]
    asked = [
        {
            "type": "function_call",
            "call_id": each["tool_call_id"],
            "name": "bash",
            "arguments": json.dumps({"command": each["command"]}),
        }
        for each in actions
    ]
    return {
        "object": "response",
        "model": "gpt-5-mini",
        "created_at": 1000.0 + number,
        "output": [*(thoughts if reasoning else []), message, *asked],
        "usage": {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 60},
            "output_tokens": 10,
            "output_tokens_details": {"reasoning_tokens": 4},
        },
        "extra": {"actions": actions, "cost": 0.1, "timestamp": 1000.0 + number, **extra},
    }


def response_output(key: str, text: str, *, at: float, **extra: Any) -> Document:
    shown = f"<returncode>0</returncode>\n<output>\n{text}</output>"
    more = {"raw_output": text, "returncode": 0, "timestamp": at, "exception_info": "", **extra}
    return {"type": "function_call_output", "call_id": key, "output": shown, "extra": more}


def mini_responses(*turns: Document, **info: Any) -> Document:
    """A .traj.json of mini-SWE-agent with a Responses model."""
    said = [
        {
            "type": "message",
            "role": each["role"],
            "content": [{"type": "input_text", "text": each["content"]}],
        }
        for each in ASKED
    ]
    known = {
        "model_stats": {"instance_cost": 0.25},
        "config": {"model": {"model_name": "openai/gpt-5-mini"}},
        "mini_version": "2.4.6",
        "exit_status": "Submitted",
        "submission": '{"loss": 0.5}\n',
        **info,
    }
    return {"info": known, "messages": [*said, *turns], "trajectory_format": "mini-swe-agent-1.1"}
