"""Has a model draft Auto tasks from a repository's README.

The README, the names of files and the reply are a stranger's: they are passed on as data, and what comes back
is read as data, checked, and held until an operator has looked at it. Nothing of them is ever run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from leaderboard.domain.drafts import Draft
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.landmarks import landmark_problem
from leaderboard.domain.text import storable
from runner.agents.base import Call, Message
from runner.agents.llm import Completion
from runner.making.tree import Tree

MAX_TASKS = 10
README_LENGTH = 40_000
"""Characters of a README that are shown to the model."""
FILES_LENGTH = 20_000
"""Characters of the list of files."""

_THINKING = re.compile(r"(?is)\A\s*<think(?:ing)?>.*?</think(?:ing)?>")


class Completes(Protocol):
    """Such as ``runner.agents.llm.Model``."""

    def complete(self, messages: list[Message], purpose: str) -> Completion: ...


class _Reply(BaseModel):
    """A task as the model writes it; what else it writes is ignored."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    title: str = Field(default="", max_length=200)
    query: str = Field(min_length=20, max_length=5_000)
    entrypoint: str = Field(min_length=1, max_length=300)
    command: str = Field(min_length=1, max_length=1_000)
    dataset: str = Field(default="", max_length=300)
    model: str = Field(default="", max_length=300)
    landmarks: list[str] = Field(default=[], max_length=10)


@dataclass(frozen=True, slots=True)
class Drafted:
    """What a model drafted, what of its reply could not be used, and its calls."""

    drafts: tuple[Draft, ...]
    problems: tuple[str, ...]
    calls: tuple[Call, ...]


def draft_tasks(tree: Tree, url: str, model: Completes, *, count: int) -> Drafted:
    """Asks a model for tasks, and once more if its reply can't be used as it is.

    Raises:
        InputError: there is no README, or neither reply can be read.
        AgentUnavailable, PromptTooLong: as ``Model.complete``.
    """
    messages: list[Message] = [
        {"role": "system", "content": instructions(count)},
        {"role": "user", "content": shown(tree, url)},
    ]
    first = model.complete(messages, "draft")
    drafts, problems = _read(first, count)
    calls = [first.call]
    if problems:
        correction = f"That can't be used: {'; '.join(problems)}. Answer with the whole JSON object alone."
        messages += [
            # Some endpoints refuse an empty message.
            {"role": "assistant", "content": first.text or "(nothing)"},
            {"role": "user", "content": correction},
        ]
        second = model.complete(messages, "draft")
        calls.append(second.call)
        again, problems = _read(second, count)
        drafts = again or drafts
    if problems and not drafts:
        remedy = "run it again, or choose another model"
        raise InputError(Problem("the model's reply", "", "; ".join(problems), remedy))
    return Drafted(tuple(drafts), tuple(problems), tuple(calls))


def instructions(count: int) -> str:
    text = (resources.files("runner.making") / "draft.txt").read_text("utf-8").rstrip("\n")
    return text.replace("{count}", str(count))


def shown(tree: Tree, url: str) -> str:
    """What the model is shown of a repository, as JSON: no text of it can end the message's quotes."""
    names: list[str] = []
    left = FILES_LENGTH
    for name in tree.files:
        left -= len(name)
        if left < 0:
            break
        names.append(name)
    readme = tree.text(tree.readme)
    about = {
        "repository": url,
        "files": names,
        "files left out": len(tree.files) - len(names),
        "README": readme[:README_LENGTH],
        "README cut": len(readme) > README_LENGTH,
    }
    return json.dumps(about, ensure_ascii=False)


def _read(completion: Completion, count: int) -> tuple[list[Draft], list[str]]:
    """The drafts in a reply, and what is wrong with the rest of it."""
    if completion.cut_off:
        return [], ["it was cut off because it got too long: write fewer or shorter tasks"]
    document = _object_in(_THINKING.sub("", completion.text))
    tasks = document.get("tasks") if document else None
    if not isinstance(tasks, list):
        return [], ['there is no JSON object with the key "tasks", a list']
    drafts, problems = [], []
    for number, task in enumerate(tasks[: min(count, MAX_TASKS)], start=1):
        try:
            drafts.append(_draft(task))
        except (ValidationError, ValueError) as error:
            problems.append(f"task {number}: {'; '.join(_reasons(error))}")
    return drafts, problems


def _object_in(text: str) -> dict[str, Any] | None:
    """The first JSON object of a text that has tasks, whatever is written around it."""
    decoder = json.JSONDecoder(strict=False)
    for match in list(re.finditer(r"\{", text))[:50]:
        try:
            found, _end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and "tasks" in found:
            return found
    return None


def _draft(task: Any) -> Draft:
    read = _Reply.model_validate(task)
    if wrong := next((text for text in read.landmarks if len(text) > 500 or landmark_problem(text)), None):
        raise ValueError(f"landmarks: {wrong[:60]!a} is no regular expression of up to 500 characters")
    texts = {name: storable(text) for name, text in read.model_dump(exclude={"landmarks"}).items()}
    landmarks = tuple(storable(text) for text in read.landmarks if text)
    return Draft(**{**texts, "entrypoint": texts["entrypoint"].removeprefix("./")}, landmarks=landmarks)


def _reasons(error: ValueError) -> Iterator[str]:
    if not isinstance(error, ValidationError):
        yield str(error)
        return
    for each in error.errors(include_url=False, include_context=False, include_input=False)[:5]:
        where = ".".join(str(part) for part in each["loc"])
        yield f"{where}: {each['msg']}" if where else each["msg"]
