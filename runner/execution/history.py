"""Writes an outcome as SUPER's history.json, and rebuilds prompts from such a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from leaderboard.domain.trajectory import MISSING
from leaderboard.formats.super_history import OWN
from runner.agents.base import Assignment, Message, Past
from runner.agents.registry import make_agent
from runner.execution.records import Outcome, StepRecord, clock_text


def history_json(outcome: Outcome) -> bytes:
    """The bytes of a history.json, in ASCII.

    The document and each step have the additional key ``runner``: settings and limits; tokens, cost and times
    of each call of a model.
    """
    used = outcome.used
    document = {
        "query": outcome.query,
        "history": [_step(step) for step in outcome.steps],
        "total_cost": used.cost,
        "total_context_tokens_count": used.prompt_tokens,
        "total_response_tokens_count": used.response_tokens,
        OWN: {
            "kind": outcome.kind.value,
            "reason": outcome.reason,
            "task_id": outcome.task_id,
            "agent": outcome.agent,
            "settings": dict(outcome.settings),
            "limits": outcome.limits.model_dump(),
            "used": asdict(used),
            "sandbox": dict(outcome.sandbox),
            "started": outcome.started,
            "ended": outcome.ended,
        },
    }
    return f"{json.dumps(document, indent=1, default=datetime.isoformat)}\n".encode("ascii")


def shown(document: Mapping[str, Any], number: int) -> list[Message]:
    """The messages for step ``number`` (from 1), rebuilt from a parsed history.json.

    Their digest is that of the step's first call.

    Raises:
        KeyError, ValueError: the document was not made by ``history_json``.
    """
    own = document[OWN]
    history = [_past(step) for step in document["history"][: number - 1]]
    agent = make_agent(own["agent"], own["settings"])
    return agent.prompts(Assignment(own["task_id"], document["query"]), history)


def _step(step: StepRecord) -> dict[str, Any]:
    return {
        "thought": step.thought,
        "action": {
            "type": step.action_type,
            # The files of SUPER's authors hold the parsed answer, not its text.
            "content": step.content if step.answer is MISSING else step.answer,
        },
        "observation": step.observation,
        "execution_start_time": clock_text(step.started),
        "execution_end_time": clock_text(step.ended),
        **({"images": list(step.images)} if step.images else {}),
        OWN: {
            "seconds": step.seconds,
            "pre_executed": step.pre_executed,
            "timed_out": step.timed_out,
            "dropped": step.dropped,
            "incomplete": step.incomplete,
            **_whole(step),
            "prompt_tokens": sum(call.prompt_tokens for call in step.calls),
            "response_tokens": sum(call.response_tokens for call in step.calls),
            "cost": sum(call.cost for call in step.calls),
            "calls": [asdict(call) for call in step.calls],
            "reply": step.reply,
        },
    }


def _whole(step: StepRecord) -> dict[str, Any]:
    whole = step.whole
    return {"whole": {"bytes": whole.size, "sha256": whole.digest, "cut": whole.cut}} if whole else {}


def _past(step: Mapping[str, Any]) -> Past:
    action = step["action"]
    return Past(
        step["thought"], action["type"], action["content"], step["observation"], step[OWN]["pre_executed"]
    )
