"""ATIF, the interchange format of Harbor and Terminal-Bench, versions 1.0 to 1.8."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, StepKind, Trajectory
from leaderboard.formats.amounts import NO_USAGE, Usage, amount, count, turn_usage
from leaderboard.formats.atif_run import AtifFiles, AtifRun, Inner
from leaderboard.formats.content import join_thoughts, text_beside_media, text_of
from leaderboard.formats.documents import Notes, json_text, kind_of_json, note_non_finite
from leaderboard.formats.endings import MAX_DETAIL
from leaderboard.formats.shapes import as_object, as_objects, expect_objects, name_in
from leaderboard.formats.step_list import Draft, StepList, message_step
from leaderboard.formats.tool_calls import call_of

NAME: Final = "ATIF"
PRIORITY: Final = 20
"""A document that names its format is of that format, whatever else it has."""

_PREFIX: Final = "ATIF-v"
_KNOWN: Final = frozenset(f"{_PREFIX}1.{minor}" for minor in range(9))
# By the field of `Usage`: the keys of a step's metrics, and of a file's totals.
_STEP_KEYS: Final = ("cost_usd", "prompt_tokens", "completion_tokens", "cached_tokens")
_TOTAL_KEYS: Final = tuple(f"total_{key}" for key in _STEP_KEYS)
_REASONING: Final = ("reasoning_tokens", "reasoning_output_tokens")
# What a writer puts in place of a message where the model said nothing.
_SAYS_NOTHING: Final = re.compile(r"(Executed \S+ \S+\s*)+")


def detect(document: JsonValue) -> bool:
    if isinstance(document, AtifRun):
        return True
    version = document.get("schema_version") if isinstance(document, dict) else None
    return isinstance(version, str) and version.startswith(_PREFIX)


def read(document: Any, *, name: str) -> Trajectory:
    run = document if isinstance(document, AtifRun) else AtifRun(document)
    reader = _Reader(Notes(name), AtifFiles(Notes(name), run.archive))
    reader.files.notes = reader.notes
    totals: list[Usage] = []
    for entry in run.names or ("",):
        first = run.archive.json(entry) if run.archive else run.document
        totals.append(reader.add(first, entry))
    built = reader.steps.build(name=name, place=_inside(run.names[0] if run.names else "", "$.steps"))
    answer = reader.steps.answer()
    note_non_finite(answer, place="$.steps", notes=reader.notes)
    last = next((step for step in reversed(built) if not step.agent), built[-1])
    return Trajectory(
        steps=built,
        format=NAME,
        query=reader.first_texts.get("user", ""),
        prompt=reader.first_texts.get("system", ""),
        answer=answer,
        ending=Ending.UNKNOWN if answer is MISSING else Ending.SUBMITTED,
        ending_detail=last.action_type[:MAX_DETAIL] if last.kind is StepKind.SUBMIT else "",
        **Usage(*map(_sum, zip(*totals, strict=True)))._asdict(),
        warnings=reader.notes.all(),
        agent=reader.agent,
        model=reader.model,
    )


@dataclass(slots=True)
class _Place:
    """Where a document's steps are: its file, its path in it, and the sub-agent whose it is.

    ``inner`` has the sub-agents' trajectories inside the file, ``own`` the last step of the document so far.
    """

    name: str
    path: str
    agent: str
    inner: Inner
    own: Draft | None = None


@dataclass(slots=True)
class _Reader:
    """Fills a list of steps from all documents of an attempt."""

    notes: Notes
    files: AtifFiles
    steps: StepList = field(default_factory=StepList)
    first_texts: dict[str, str] = field(default_factory=dict)
    agent: str = ""
    model: str = ""
    # The usage of the turns read since the totals were last reckoned: the attempt's own, and all.
    _own: list[Usage] = field(default_factory=list)
    _all: list[Usage] = field(default_factory=list)

    def add(self, document: JsonValue, name: str) -> Usage:
        """Add the steps of a trajectory and of those that it goes on in; its totals."""
        self._own, self._all = [], []
        last: dict[str, JsonValue] = {}
        for last, entry in self.files.chain(document, name):
            version = json_text(last.get("schema_version"))
            if version not in _KNOWN:
                reason = f"the version {version[:20]} is unknown; read as 1.8"
                self.notes.add(_inside(entry, "$.schema_version"), reason)
            facts = as_object(last.get("agent"))
            about = (name_in(facts.get(key)) for key in ("name", "version"))
            self.agent = self.agent or name_in(" ".join(filter(None, about)))
            self.model = self.model or name_in(facts.get("model_name"))
            self._add_file(last, _Place(entry, _inside(entry, "$"), "", Inner.of(last)))
        return self._totals(last)

    def _add_file(self, document: dict[str, JsonValue], place: _Place) -> None:
        """Add the steps of a file's document, then those of sub-agents inside it that nothing refers to."""
        self._add_steps(document, place)
        while place.inner.documents:
            self._add_sub_agent(place.inner.documents.pop(0), place)

    def _add_steps(self, document: dict[str, JsonValue], place: _Place) -> None:
        of_list, of_item = "the steps are {}, not a list", "the step is {}, not an object"
        where = f"{place.path}.steps"
        items = document.get("steps")
        for path, item in expect_objects(items, of_list, of_item, name=self.notes.name, place=where):
            self._add_item(item, place, path)

    def _add_item(self, item: dict[str, JsonValue], place: _Place, path: str) -> None:
        """Add one item: the prompt, the task, a later message to the agent, or a turn of the agent."""
        source = item.get("source")
        is_first = not place.agent and self.steps.last is None
        if item.get("is_copied_context") and not (is_first and source in ("user", "system")):
            return
        if source == "agent":
            self._turn(item, place, path)
        elif source not in ("user", "system"):
            self.notes.add(f"{path}.source", "unknown source; the step is left out")
        elif is_first:
            self.first_texts.setdefault(source, text_of(item.get("message")))
        else:
            self._tell(item, place, path)

    def _tell(self, item: dict[str, JsonValue], place: _Place, path: str) -> None:
        """Add what was said to the agent to its last step; what was done with its context is left out."""
        results = _results(item)
        references = [ref for result in results for ref in _references(result)]
        for reference in references:
            self._follow(reference, place, f"{path}.observation")
        if references or as_object(item.get("extra")).get("context_management") or place.own is None:
            return
        for content in (item.get("message"), *(result.get("content") for result in results)):
            said, media = text_beside_media(self.files.with_images(content, place.name))
            if said or media:
                place.own.observe(said, media=media)

    def _turn(self, item: dict[str, JsonValue], place: _Place, path: str) -> None:
        """Add the steps of a turn: one for each call, or one without; a sub-agent's stand under its call."""
        calls, message = self._calls(item, path)
        if calls and message.startswith("Executed ") and _SAYS_NOTHING.fullmatch(message):
            message = ""
        thought = join_thoughts(json_text(item.get("reasoning_content")), message)
        usage = _usage(as_object(item.get("metrics")))
        self._all.append(usage)
        if not place.agent:
            self._own.append(usage)
        results = _results(item)
        left = results
        for number, call in enumerate(calls or [{}]):
            draft = message_step(thought) if not calls else Draft(_call(call), "" if number else thought)
            draft.started, draft.agent, place.own = item.get("timestamp"), place.agent, draft
            if not number:
                draft.usage = usage
            self.steps.add(draft)
            key = call.get("tool_call_id")
            for result in results if key else ():
                if result.get("source_call_id") == key:
                    self._observe(result, draft, place, path)
                    left = [each for each in left if each is not result]
        for result in left:
            # A result without a call's id belongs to the turn's last step.
            self._observe(result, draft, place, path)

    def _observe(self, result: dict[str, JsonValue], draft: Draft, place: _Place, path: str) -> None:
        references = _references(result) if "subagent_trajectory_ref" in result else []
        content = result.get("content")
        if content is not None or not references:
            text, media = text_beside_media(self.files.with_images(content, place.name))
            draft.observe(text, media=media)
        for reference in references:
            self._follow(reference, place, f"{path}.observation")

    def _calls(self, item: dict[str, JsonValue], path: str) -> tuple[list[dict[str, JsonValue]], str]:
        """The calls of a turn and its message; calls that the message has as JSON are taken out of it."""
        calls, message = item.get("tool_calls"), text_of(item.get("message"))
        if calls is None:
            return _calls_in_message(message)
        if not isinstance(calls, list):
            self.notes.add(f"{path}.tool_calls", f"{kind_of_json(calls)}, not a list; left out")
            return [], message
        found = as_objects(calls)
        for index, call in enumerate(calls if len(found) < len(calls) else ()):
            if not isinstance(call, dict):
                reason = f"{kind_of_json(call)} where an object was expected; left out"
                self.notes.add(f"{path}.tool_calls[{index}]", reason)
        return found, message

    def _follow(self, reference: dict[str, JsonValue], place: _Place, path: str) -> None:
        """Add the steps of the sub-agent's trajectory that a result refers to."""
        if document := place.inner.take(reference):
            self._add_sub_agent(document, place)
        elif isinstance(reference.get("trajectory_path"), str):
            what = "the sub-agent's trajectory is"
            document, name = self.files.beside(place.name, reference["trajectory_path"], path, what)
            if document:
                inside = _inside(name, "$")
                self._add_file(document, _Place(name, inside, _name_of(document), Inner.of(document)))
        else:
            self.notes.add(path, "a sub-agent's trajectory is not in the file; its steps are missing")

    def _add_sub_agent(self, document: dict[str, JsonValue], place: _Place) -> None:
        """Add the steps of a sub-agent's trajectory that is inside the file."""
        place.inner.documents += Inner.of(document).documents
        path = f"{place.path}.subagent_trajectories[]"
        if isinstance(document.get("steps"), list):
            self._add_steps(document, _Place(place.name, path, _name_of(document), place.inner))
        else:
            self.notes.add(path, "a sub-agent's trajectory has no steps; left out")

    def _totals(self, document: dict[str, JsonValue]) -> Usage:
        """The last file's totals, which are the whole run's; else summed over the steps."""
        final = as_object(document.get("final_metrics"))
        found: list[Any] = []
        nothing = [NO_USAGE]
        own, everybody = (
            [_sum(values) for values in zip(*(each or nothing), strict=True)]
            for each in (self._own, self._all)
        )
        stated = [*(final.get(key) for key in _TOTAL_KEYS), _reasoning(final)]
        for number, value in enumerate(stated):
            place = f"$.final_metrics.{(*_TOTAL_KEYS, _REASONING[0])[number]}"
            whole = (count if number else amount)(value, place=place, notes=self.notes)
            if whole is None or whole == own[number]:
                # Some writers leave out their sub-agents.
                whole = everybody[number]
            found.append(whole)
        return Usage(*found)


def _name_of(document: dict[str, JsonValue]) -> str:
    return name_in(as_object(document.get("agent")).get("name")) or "sub-agent"


def _reasoning(metrics: dict[str, JsonValue]) -> JsonValue:
    extra = metrics.get("extra")
    places = (metrics, extra) if isinstance(extra, dict) else (metrics,)
    return next((one[key] for one in places for key in _REASONING if one.get(key) is not None), None)


def _usage(metrics: dict[str, JsonValue]) -> Usage:
    cost, sent, received, cached = (metrics.get(key) for key in _STEP_KEYS)
    return turn_usage(cost, sent, received, cached, _reasoning(metrics))


def _call(call: dict[str, JsonValue]) -> Any:
    return call_of(json_text(call.get("function_name")), call.get("arguments"))


def _calls_in_message(message: str) -> tuple[list[dict[str, JsonValue]], str]:
    """The commands of Terminus 2 where it kept the model's raw answer, and what else the answer says."""
    if not message.lstrip().startswith("{") or '"commands"' not in message:
        return [], message
    try:
        answer = json.loads(message)
    except (ValueError, RecursionError):
        return [], message
    if not isinstance(answer, dict) or not isinstance(answer.get("commands"), list):
        return [], message
    calls = [{"function_name": "bash_command", "arguments": one} for one in as_objects(answer["commands"])]
    if answer.get("task_complete") is True:
        calls.append({"function_name": "mark_task_complete", "arguments": {}})
    said = [
        f"{key.capitalize()}: {json_text(answer[key])}" for key in ("analysis", "plan") if answer.get(key)
    ]
    return calls, "\n".join(said)


def _results(item: dict[str, JsonValue]) -> list[dict[str, JsonValue]]:
    return as_objects(as_object(item.get("observation")).get("results"))


def _references(result: dict[str, JsonValue]) -> list[dict[str, JsonValue]]:
    references = result.get("subagent_trajectory_ref")
    return as_objects(references if isinstance(references, list) else [references])


def _inside(name: str, place: str) -> str:
    return f"{name}, {place}" if name else place


def _sum(values: tuple[Any, ...]) -> Any:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known else None
