"""The agents that ask a model: what they show it and what they make of its replies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from runner.agents.base import EXECUTE, REFLECT, SUBMIT, Action, Agent, Assignment, Past
from runner.agents.messages import digest, prompt_text
from runner.agents.registry import make_agent
from tests.agents.server import ModelServer

Serve = Callable[..., ModelServer]
TASK = Assignment("t", "Find the accuracy.")
LS = "Thought: look\nAction: execute\n<content>\n!ls\n</content>"
ANSWER = 'Thought: done\nAction: submit\n<content>\n{"a": 1}\n</content>'
WRONG = "Verdict: wrong\nReflection: the seed was 4, use 3"
REFLECTED = Past("done", REFLECT, "the seed was 4, use 3", "")


def agent(name: str, server: ModelServer, **settings: Any) -> Agent:
    return make_agent(name, {"model": "tiny", "base_url": server.url, **settings})


@pytest.mark.parametrize("name", ["react", "react-super", "reflexion"])
def test_it_shows_the_task_and_takes_the_action(name: str, serve: Serve) -> None:
    server = serve(LS)
    asked = agent(name, server)

    reply = asked.next(TASK, [])

    assert (reply.thought, reply.action, reply.text) == ("look", Action(EXECUTE, "!ls"), LS)
    assert server.requests[0]["messages"] == asked.prompts(TASK, [])
    assert [call.digest for call in reply.calls] == [digest(asked.prompts(TASK, []))]


def test_react_knows_no_edit_and_react_super_does(serve: Serve) -> None:
    edit = "Thought: x\nAction: edit\n<content>\nf\n</content>"

    assert agent("react", serve(edit)).next(TASK, []).action is None
    assert agent("react-super", serve(edit)).next(TASK, []).action == Action("edit", "f")
    assert "<<<BEFORE_EDIT>>>" in prompt_text("react_super")
    assert "<<<BEFORE_EDIT>>>" not in prompt_text("react")


def test_a_reply_that_can_not_be_read_is_answered_with_the_format(serve: Serve) -> None:
    reply = agent("react", serve("I am lost")).next(TASK, [])

    assert (reply.action, reply.text) == (None, "I am lost")
    assert reply.problem.startswith("there is no line that starts with Action:")
    assert reply.problem.endswith(prompt_text("format"))


def test_sizes_of_observations_are_settings(serve: Serve) -> None:
    server = serve(LS)
    history = [Past("", EXECUTE, "1", "abcdef"), Past("", EXECUTE, "2", "abcdef")]

    agent("react", server, older_observation=2, newest_observation=3).next(TASK, history)

    shown = [message["content"].splitlines()[-1] for message in server.requests[0]["messages"][3::2]]
    assert shown == ["ef", "def"]


def test_reflexion_takes_an_answer_back_that_it_finds_wrong(serve: Serve) -> None:
    server = serve(ANSWER, WRONG)

    reply = agent("reflexion", server).next(TASK, [])

    assert reply.action is not None
    assert reply.action.kind == REFLECT
    assert reply.action.content == 'the seed was 4, use 3\n(The answer was {"a": 1})'
    assert "not submitted" in (reply.action.observation or "")
    assert [call.purpose for call in reply.calls] == ["act", REFLECT]
    assert [(call.prompt_tokens, call.response_tokens) for call in reply.calls] == [(100, 10), (100, 10)]


@pytest.mark.parametrize(
    "verdict", ["Verdict: right", "**Verdict:** Right\nReflection: none", "who knows", ""]
)
def test_reflexion_submits_an_answer_that_it_does_not_find_wrong(verdict: str, serve: Serve) -> None:
    reply = agent("reflexion", serve(ANSWER, verdict)).next(TASK, [])

    assert reply.action == Action(SUBMIT, '{"a": 1}')


def test_the_last_trial_is_submitted_unasked(serve: Serve) -> None:
    server = serve(ANSWER)

    reply = agent("reflexion", server, trials=2).next(TASK, [REFLECTED])

    assert (reply.action, len(server.requests)) == (Action(SUBMIT, '{"a": 1}'), 1)


def test_reflexion_starts_its_next_trial_with_what_it_learned(serve: Serve) -> None:
    server = serve(LS)

    agent("reflexion", server).next(TASK, [Past("t", EXECUTE, "!old", "gone"), REFLECTED])

    opening = server.requests[0]["messages"][1]["content"]
    assert "After trial 1: the seed was 4, use 3" in opening
    assert "!old" not in str(server.requests)
