"""SWE-agent's ``.traj``, all versions."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, Missing, StepKind, Trajectory
from leaderboard.formats.amounts import amount, count
from leaderboard.formats.content import text_of
from leaderboard.formats.documents import Notes, json_text, kind_of_json, note_non_finite
from leaderboard.formats.endings import ending_of_status
from leaderboard.formats.shell_commands import call_of_command
from leaderboard.formats.step_list import Draft, StepList
from leaderboard.formats.tool_calls import answer_in

NAME: Final = "SWE-agent .traj"


def detect(document: JsonValue) -> bool:
    """Whether the document has the keys ``trajectory`` and ``info``."""
    return isinstance(document, dict) and "trajectory" in document and "info" in document


def read(document: JsonValue, *, name: str) -> Trajectory:
    """The trajectory in a parsed ``.traj``.

    Raises:
        InputError: there is no list of steps, no step, or a step is not an object.
    """
    items = document["trajectory"]
    if not isinstance(items, list):
        reason = f"the trajectory is {kind_of_json(items)}, not a list of steps"
        raise InputError(Problem(name, "$.trajectory", reason, "export the run again"))
    notes = Notes(name)
    info = document["info"]
    if not isinstance(info, dict):
        notes.add("$.info", f"{kind_of_json(info)} where an object was expected; left out")
        info = {}
    steps = StepList()
    for index, item in enumerate(items):
        place = f"$.trajectory[{index}]"
        if not isinstance(item, dict):
            reason = f"step {index + 1:,} is {kind_of_json(item)}, not an object"
            raise InputError(Problem(name, place, reason, "export the run again"))
        steps.add(_step(item, place=place, last=index == len(items) - 1, notes=notes))
    built = steps.build(name=name, place="$.trajectory")
    ending, detail = ending_of_status(info.get("exit_status"))
    if ending is Ending.UNKNOWN and built[-1].kind is StepKind.EXCEPTION:
        ending, detail = ending_of_status(built[-1].action or built[-1].action_type)
    stats = info.get("model_stats")
    stats = stats if isinstance(stats, dict) else {}
    place = "$.info.model_stats"
    prompt, query = _prompt_and_query(document, items)
    return Trajectory(
        steps=built,
        format=NAME,
        query=query,
        prompt=prompt,
        answer=_answer(info, steps, notes=notes),
        ending=ending,
        ending_detail=detail,
        cost=amount(stats.get("instance_cost"), place=f"{place}.instance_cost", notes=notes),
        prompt_tokens=count(stats.get("tokens_sent"), place=f"{place}.tokens_sent", notes=notes),
        response_tokens=count(stats.get("tokens_received"), place=f"{place}.tokens_received", notes=notes),
        warnings=notes.all(),
    )


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


def _prompt_and_query(document: dict[str, JsonValue], items: list[JsonValue]) -> tuple[str, str]:
    """The system prompt and the task, from the history or else from the first messages to the model."""
    first = items[0] if isinstance(items[0], dict) else {}
    for messages in (document.get("history"), first.get("query"), first.get("messages")):
        if not isinstance(messages, list):
            continue
        prompt = query = ""
        for message in messages:
            if not isinstance(message, dict) or message.get("is_demo"):
                continue
            role = message.get("role")
            if role == "assistant":
                break
            text = text_of(message.get("content"))
            if role == "system" and not prompt:
                prompt = text
            elif role == "user" and message.get("message_type") != "demonstration":
                query = query or text
        if query or prompt:
            return prompt, query
    return "", ""


def _answer(info: dict[str, JsonValue], steps: StepList, *, notes: Notes) -> JsonValue | Missing:
    answer = answer_in(info.get("submission"))
    if answer is MISSING:
        answer = steps.answer()
    if answer is not MISSING:
        note_non_finite(answer, place="$.info.submission", notes=notes)
    return answer
