"""smolagents: a ``RunResult`` as an object, or its memory's steps as a list."""

from __future__ import annotations

from typing import Any, Final

from leaderboard.domain.trajectory import Ending, JsonValue, Missing, StepKind, Trajectory
from leaderboard.formats.amounts import Usage, seconds_between, turn_usage
from leaderboard.formats.chat_calls import action_of, calls_in
from leaderboard.formats.content import join_thoughts, text_of
from leaderboard.formats.documents import Notes, note_non_finite
from leaderboard.formats.endings import ending_of_status
from leaderboard.formats.shapes import as_object, as_objects, expect_objects
from leaderboard.formats.step_list import Draft, StepList, message_step
from leaderboard.formats.token_usage import add_usage, usage_of
from leaderboard.formats.tool_calls import Call, answer_in

NAME: Final = "smolagents"

_LISTS: Final = ("steps", "messages")
"""Where a result has its steps; they were called messages before."""

_SIGNS: Final = ("model_output", "code_action", "action_output", "observations")
_CODE_MARKS: Final = ("<code>", "```")
_PARSING: Final = "AgentParsingError"


def detect(document: object) -> bool:
    if isinstance(document, dict):
        return "state" in document and any(_has_steps(document.get(key)) for key in _LISTS)
    return _has_steps(document)


def read(document: JsonValue, *, name: str) -> Trajectory:
    notes = Notes(name)
    result = as_object(document)
    key = next((key for key in _LISTS if key in result), "")
    place = f"$.{key}" if key else "$"
    items = result[key] if key else document
    run = _Run()
    texts = "the steps are {}, not a list", "the step is {}, not an object"
    for _place, item in expect_objects(items, *texts, name=name, place=place):
        run.add(item)
    run.end()
    built = run.steps.build(name=name, place=place)
    answer = _answer(result, run)
    note_non_finite(answer, place="$.output" if result else place, notes=notes)
    ending, detail = ending_of_status(result.get("state") or run.limit)
    if built[-1].kind is StepKind.SUBMIT and ending is Ending.UNKNOWN:
        ending = Ending.SUBMITTED
    total = usage_of(result.get("token_usage"))
    usage = add_usage(run.usages) if total.prompt_tokens is None else total
    return Trajectory(
        steps=built,
        format=NAME,
        query=run.steps.query,
        prompt=run.steps.prompt,
        answer=answer,
        ending=ending,
        ending_detail=detail,
        **usage._asdict(),
        warnings=notes.all(),
        elapsed=_seconds(as_object(result.get("timing"))),
    )


class _Run:
    """The steps of a run, from its items in order; a plan is put before the step that follows it."""

    def __init__(self) -> None:
        self.steps = StepList()
        self.usages: list[Usage] = []
        self.last: dict[str, JsonValue] = {}
        self.limit = ""
        self._plans: list[str] = []
        self._planned: list[Usage] = []

    def add(self, item: dict[str, JsonValue]) -> None:
        usage = usage_of(item.get("token_usage"))
        self.usages.append(usage)
        self.steps.prompt = self.steps.prompt or _prompt(item)
        if "task" in item:
            self.steps.tell(text_of(item["task"]))
        elif "plan" in item:
            self._plans.append(text_of(item["plan"]))
            self._planned.append(usage)
        elif "step_number" in item or any(sign in item for sign in _SIGNS):
            self._act(item, add_usage([*self._planned, usage]) if self._planned else usage)
            self._plans, self._planned = [], []

    def end(self) -> None:
        """Add a plan that nothing followed."""
        if self._plans:
            self.steps.add(message_step(join_thoughts(*self._plans))).usage = add_usage(self._planned)

    def _act(self, item: dict[str, JsonValue], usage: Usage) -> None:
        self.last = item
        timing, error = as_object(item.get("timing")), as_object(item.get("error"))
        self.limit = "max_steps" if error.get("type") == "AgentMaxStepsError" else ""
        thought = join_thoughts(*self._plans, _thought(item))
        drafts = [Draft(call, "", timing.get("start_time")) for call in _calls(item, error)]
        drafts = drafts or [message_step("", started=timing.get("start_time"))]
        for draft in drafts:
            self.steps.add(draft)
        drafts[0].thought, drafts[0].usage = thought, usage
        # What several calls of a step gave is one text.
        drafts[-1].duration = _seconds(timing)
        for text in (item.get("observations"), error.get("message")):
            if text:
                drafts[-1].observe(text_of(text))


def _has_steps(items: object) -> bool:
    return any(
        "step_number" in item and any(sign in item for sign in _SIGNS)
        for item in as_objects(items[:8] if isinstance(items, list) else None)
    )


def _calls(item: dict[str, JsonValue], error: dict[str, JsonValue]) -> list[Call]:
    code = item.get("code_action")
    if isinstance(code, str) and code:
        final = item.get("is_final_answer")
        if final is None:
            final = "final_answer(" in code and not error
        tool = next((call.tool for call in calls_in(item)), "python_interpreter")
        return [Call(StepKind.SUBMIT if final is True else StepKind.EXECUTE, tool, code)]
    if error.get("type") == _PARSING:
        return [Call(StepKind.FORMAT_ERROR, "", "")]
    return [action_of(call) for call in calls_in(item)]


def _thought(item: dict[str, JsonValue]) -> str:
    """What the model wrote before its code."""
    text = text_of(item.get("model_output"))
    if not item.get("code_action"):
        return text
    starts = [at for mark in _CODE_MARKS if (at := text.find(mark)) >= 0]
    return text[: min(starts)].rstrip().removesuffix("Code:").strip() if starts else text.strip()


def _prompt(item: dict[str, JsonValue]) -> str:
    given = item.get("system_prompt")
    said = (one for one in as_objects(item.get("model_input_messages")) if one.get("role") == "system")
    return text_of(given) or text_of(next(said, {}).get("content"))


def _answer(result: dict[str, Any], run: _Run) -> JsonValue | Missing:
    if "output" in result:
        return answer_in(result["output"])
    if run.last.get("is_final_answer") is True:
        return answer_in(run.last.get("action_output"))
    return run.steps.answer()


def _seconds(timing: dict[str, JsonValue]) -> float | None:
    told = None if timing.get("duration") is None else turn_usage(timing["duration"], None, None).cost
    return told if told is not None else seconds_between(timing.get("start_time"), timing.get("end_time"))
