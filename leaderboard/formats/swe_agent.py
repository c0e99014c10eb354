"""SWE-agent's ``.traj``, all versions."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, StepKind, Trajectory
from leaderboard.formats.amounts import amount, usage_in
from leaderboard.formats.content import text_of
from leaderboard.formats.documents import Notes, json_text, note_non_finite
from leaderboard.formats.endings import ending_of_status
from leaderboard.formats.samples import replay_config
from leaderboard.formats.shapes import (
    as_object,
    as_object_or_note,
    as_objects,
    expect_objects,
    name_in,
)
from leaderboard.formats.shell_commands import call_of_command
from leaderboard.formats.step_list import Draft, StepList
from leaderboard.formats.tool_calls import answer_in

NAME: Final = "SWE-agent .traj"


def detect(document: JsonValue) -> bool:
    return isinstance(document, dict) and "trajectory" in document and "info" in document


def read(document: JsonValue, *, name: str) -> Trajectory:
    notes = Notes(name)
    info = as_object_or_note(document["info"], place="$.info", notes=notes)
    steps, items = StepList(), document["trajectory"]
    texts = "the trajectory is {}, not a list of steps", "step {n} is {}, not an object"
    found = expect_objects(items, *texts, name=name, place="$.trajectory")
    for number, (place, item) in enumerate(found, start=1):
        steps.add(_step(item, place=place, last=number == len(items), notes=notes))
    built = steps.build(name=name, place="$.trajectory")
    ending, detail = ending_of_status(info.get("exit_status"))
    if ending is Ending.UNKNOWN and built[-1].kind is StepKind.EXCEPTION:
        ending, detail = ending_of_status(built[-1].action or built[-1].action_type)
    answer = answer_in(info.get("submission"))
    if answer is MISSING:
        answer = steps.answer()
    note_non_finite(answer, place="$.info.submission", notes=notes)
    stats, place = as_object(info.get("model_stats")), "$.info.model_stats"
    usage = "instance_cost", "tokens_sent", "tokens_received"
    prompt, query = _prompt_and_query(document, items[0])
    return Trajectory(
        steps=built,
        format=NAME,
        query=query,
        prompt=prompt,
        answer=answer,
        ending=ending,
        ending_detail=detail,
        **usage_in(stats, *usage, place=place, notes=notes)._asdict(),
        warnings=notes.all(),
        agent=_agent(info),
        model=_model(document.get("replay_config")),
        patch=_patch(info.get("submission")),
    )


def _patch(submission: JsonValue) -> str:
    """The submission, where it is the diff of what the agent changed."""
    return submission if isinstance(submission, str) and submission.lstrip().startswith("diff --git ") else ""


def _agent(info: dict[str, JsonValue]) -> str:
    version = name_in(info.get("swe_agent_version"))
    return f"SWE-agent {version}" if version else ""


def _model(replay: JsonValue) -> str:
    agent = as_object(replay_config(replay).get("agent"))
    return name_in(as_object(agent.get("model")).get("name"))


def _step(item: dict[str, JsonValue], *, place: str, last: bool, notes: Notes) -> Draft:
    call = call_of_command(json_text(item.get("action")), last=last)
    observation = item.get("observation")
    duration = amount(item.get("execution_time"), place=f"{place}.execution_time", notes=notes)
    thought = json_text(item.get("thought"))
    if not thought and not call.action:
        # A format error has only a response, without an action.
        thought = json_text(item.get("response"))
    draft = Draft(call, thought, duration=duration)
    if observation is not None:
        draft.observations.append(json_text(observation))
    elif "observation" not in item:
        notes.add(f"{place}.observation", "the step has no observation")
    return draft


def _prompt_and_query(document: dict[str, JsonValue], first: dict[str, JsonValue]) -> tuple[str, str]:
    """The system prompt and the task, from the history or else from the first messages to the model."""
    for messages in (document.get("history"), first.get("query"), first.get("messages")):
        prompt = query = ""
        for message in as_objects(messages):
            role = message.get("role")
            if message.get("is_demo"):
                continue
            if role == "assistant":
                break
            text = text_of(message.get("content"))
            if role == "system":
                prompt = prompt or text
            elif role == "user" and message.get("message_type") != "demonstration":
                query = query or text
        if query or prompt:
            return prompt, query
    return "", ""
