"""Harbor's jobs: a folder for each trial, with the ATIF trajectory of its agent and Harbor's own result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, StepKind, Trajectory
from leaderboard.formats import harbor_files
from leaderboard.formats.amounts import amount, count, seconds_between
from leaderboard.formats.archives import Archive
from leaderboard.formats.atif_run import AtifRun
from leaderboard.formats.bundles import Group
from leaderboard.formats.documents import Notes, json_text
from leaderboard.formats.endings import ending_of_status
from leaderboard.formats.opening import Lines
from leaderboard.formats.samples import Picked, Sample
from leaderboard.formats.shapes import as_object, as_objects, name_in
from leaderboard.formats.tool_calls import answer_in

NAME: Final = "Harbor's trials"
PRIORITY: Final = 16
"""Before Claude Code: a trial has its agent's logs in its folder, which are no attempts of their own."""

# Faults of the tests, not of the agent.
_NOT_THE_AGENTS: Final = ("Verifier", "Reward", "Download")
_TOTALS: Final = (
    *(("n_input_tokens", "prompt_tokens"), ("n_output_tokens", "response_tokens")),
    *(("n_cache_tokens", "cached_tokens"), ("cost_usd", "cost")),
)


def group(names: Sequence[str]) -> Iterable[Group]:
    return harbor_files.group(names)


@lru_cache(maxsize=4)
def _groups(names: tuple[str, ...]) -> tuple[Group, ...]:
    return tuple(group(names))


def detect(content: object) -> bool:
    return isinstance(content, Archive) and bool(_groups(content.names))


def samples(content: Archive, *, name: str) -> tuple[Sample, ...]:
    """A sample for each trial; its task is the one that Harbor's result names, never the folder's name.

    Raises:
        InputError: these are trials of Terminal-Bench 1, or the only one has no trajectory.
    """
    found = _groups(content.names)
    for each in found:
        if harbor_files.is_terminal_bench_1(each):
            reason = "trials of Terminal-Bench 1, which keeps recordings of the terminal and no trajectory"
            raise InputError(Problem(name, "", reason, "run the tasks with Harbor, and give its job"))
    if len(found) == 1 and not harbor_files.main_files(found[0]):
        reason = "a trial without agent/trajectory.json, and without a session of its agent"
        raise InputError(Problem(name, "", reason, "leave out attempts that never began"))
    content.start()
    return tuple(_sample(content, each, each.folder if len(found) > 1 else "") for each in found)


def _sample(content: Archive, each: Group, key: str) -> Sample:
    result = _result(content, each, Notes(""))
    task = json_text(result.get("task_name")).rpartition("/")[2]
    return Sample(key, task, is_trial=bool(task))


def pick(content: Archive, index: int, sample: Sample, *, name: str) -> Picked:
    """The ATIF trajectories of a trial; the session of its agent where there is none."""
    content.start()
    found = _groups(content.names)[index]
    mains = harbor_files.main_files(found)
    if not mains:
        raise InputError(Problem(name, found.folder, "there is no trajectory in the trial"))
    if mains[0].endswith(".jsonl"):
        log = "\n".join(content.text(each) for each in harbor_files.session_files(found, mains[0]))
        return Picked(Lines(log, name=name), mains[0])
    return Picked(AtifRun(archive=content, names=mains), "")


def complete(content: Archive, index: int, trajectory: Trajectory, *, name: str) -> Trajectory:
    """The trajectory with what Harbor's result says: totals, model, agent, time, rewards, why it ended."""
    notes = Notes(name)
    found = _groups(content.names)[index]
    result = _result(content, found, notes)
    facts: dict[str, Any] = {}
    told = as_object(result.get("agent_result"))
    for key, field in _TOTALS:
        convert = amount if field == "cost" else count
        value = convert(told.get(key), place=f"result.json, $.agent_result.{key}", notes=notes)
        facts[field] = getattr(trajectory, field) if value is None else value
    about = as_object(result.get("agent_info"))
    names = (name_in(about.get(key)) for key in ("name", "version"))
    facts["agent"] = trajectory.agent or name_in(" ".join(filter(None, names)))
    facts["model"] = trajectory.model or name_in(as_object(about.get("model_info")).get("name"))
    facts["elapsed"] = _elapsed(result)
    facts["rewards"] = tuple(_rewards(content, found, result))
    ending = _ending(trajectory, result)
    answer = _answer(content, found, notes) if trajectory.answer is MISSING else trajectory.answer
    if answer is not trajectory.answer:
        ending = Ending.SUBMITTED, trajectory.ending_detail
    facts["answer"], (facts["ending"], facts["ending_detail"]) = answer, ending
    _note_variables(result, notes)
    return replace(trajectory, warnings=(*trajectory.warnings, *notes.all()), **facts)


def _result(content: Archive, found: Group, notes: Notes) -> dict[str, JsonValue]:
    """Harbor's result of a trial; empty if it has none, and with a note if that can't be read."""
    entry = next((each for each in found.names if found.inside(each) == harbor_files.RESULT), None)
    try:
        return as_object(content.json(entry)) if entry else {}
    except InputError as error:
        notes.add(error.problem.place, f"{error.problem.reason}; left out", error.problem.remedy)
        return {}


def _elapsed(result: dict[str, JsonValue]) -> float | None:
    for times in (as_object(result.get("agent_execution")), result):
        seconds = seconds_between(times.get("started_at"), times.get("finished_at"))
        if seconds is not None:
            return seconds
    return None


def _rewards(content: Archive, found: Group, result: dict[str, JsonValue]) -> Iterator[tuple[str, JsonValue]]:
    """What the tests gave, by name; of a task with several steps, with the step's name before it."""
    yield from as_object(as_object(result.get("verifier_result")).get("rewards")).items()
    for step in as_objects(result.get("step_results")):
        rewards = as_object(as_object(step.get("verifier_result")).get("rewards"))
        yield from ((f"{json_text(step.get('step_name'))}: {key}", value) for key, value in rewards.items())
    if "verifier_result" not in result and "step_results" not in result:
        for entry in found.names:
            if found.inside(entry) == harbor_files.REWARD:
                yield "reward", answer_in(content.text(entry).strip()[:100])


def _ending(trajectory: Trajectory, result: dict[str, JsonValue]) -> tuple[Ending, str]:
    fault = as_object(result.get("exception_info"))
    kind = json_text(fault.get("exception_type"))
    own = [step for step in trajectory.steps if not step.agent]
    ended_itself = bool(own) and own[-1].kind is StepKind.SUBMIT
    if not kind or kind.startswith(_NOT_THE_AGENTS) or ended_itself:
        return trajectory.ending, trajectory.ending_detail
    said = (kind, json_text(fault.get("exception_message")))
    return ending_of_status(": ".join(filter(None, said)))


def _answer(content: Archive, found: Group, notes: Notes) -> JsonValue:
    """The answer that the agent left among its artifacts, or MISSING."""
    for entry in found.names:
        if harbor_files.ANSWER.fullmatch(found.inside(entry)):
            answer = answer_in(content.text(entry))
            if answer is not MISSING:
                notes.add("", f"the answer is from {found.inside(entry)}")
                return answer
    return MISSING


def _note_variables(result: dict[str, JsonValue], notes: Notes) -> None:
    """A warning where the result has environment variables: shown nowhere, but in the original."""
    config = as_object(result.get("config"))
    for part in ("agent", "environment", "verifier"):
        if as_object(as_object(config.get(part)).get("env")):
            reason = "environment variables are in it, and would be in the original that others download"
            remedy = "take secrets out of the file, and revoke them"
            notes.add(f"{harbor_files.RESULT}, $.config.{part}.env", reason, remedy)
