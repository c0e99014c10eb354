"""The description of an entry: what entry.yaml or a form says beside the results."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from leaderboard.domain.errors import InputError, InputErrors, Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import decode, kind_of_json, parse_json_text
from leaderboard.intake.yaml_files import Document, read_yaml

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError


MAX_BYTES: Final = 64 * 1024
"""The longest description that is read."""
REQUIRED: Final = ("benchmark", "set", "agent", "model")
"""What an entry can't be published without."""


@dataclass(frozen=True, slots=True)
class Link:
    """An address that belongs to an entry; ``label`` may be empty."""

    url: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Description:
    """What is said about an entry; what was not said is empty.

    Attributes:
        benchmark: slug, and ``task_set`` another one.
        agent: the scaffold's name.
        agent_url: where it can be had.
        model: the model's name.
        links: paper, code, site.
        cost: US dollars for all attempts together.
        notes: anything else, plain text.
    """

    benchmark: str = ""
    task_set: str = ""
    agent: str = ""
    agent_url: str = ""
    model: str = ""
    links: tuple[Link, ...] = ()
    cost: float | None = None
    notes: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        """The keys of `REQUIRED` that nothing was said about."""
        data = self.as_data()
        return tuple(key for key in REQUIRED if key not in data)

    def as_data(self) -> dict[str, JsonValue]:
        """As entry.json would have it, without what is empty."""
        agent: JsonValue = {"name": self.agent, "url": self.agent_url} if self.agent_url else self.agent
        data: dict[str, JsonValue] = {
            "benchmark": self.benchmark,
            "set": self.task_set,
            "agent": agent,
            "model": self.model,
            "links": [
                {"label": link.label, "url": link.url} if link.label else link.url for link in self.links
            ],
            "cost": self.cost,
            "notes": self.notes,
        }
        return {key: value for key, value in data.items() if value not in ("", [], None)}


def merge(description: Description, form: Description) -> Description:
    """Both together; where both say something, the form does, for it was filled in later."""
    said = {
        part.name: value for part in fields(form) if (value := getattr(form, part.name)) not in ("", (), None)
    }
    return replace(description, **said)


def read_description(path: Path, *, name: str) -> Description:
    """The description in an entry.yaml or entry.json.

    Raises:
        InputErrors: everything that is wrong with it, each with its line or its path in the document.
    """
    size = path.stat().st_size
    if size > MAX_BYTES:
        reason = f"a description has at most {MAX_BYTES // 1024:,} KB"
        raise InputErrors((Problem(name, "", reason, "put long texts elsewhere, and link to them"),))
    try:
        text = decode(path.read_bytes(), name=name)
        if path.suffix == ".json":
            document = Document(parse_json_text(text, name=name))
        else:
            document = read_yaml(text, name=name)
    except InputErrors:
        raise
    except InputError as error:
        raise InputErrors((error.problem,)) from None
    return _describe(document, name=name)


def description_from_data(data: JsonValue, *, name: str = "form") -> Description:
    """The description in what a form or an API call gives, with the keys of entry.schema.json.

    Raises:
        InputErrors: everything that is wrong with it, each with its path in the document.
    """
    return _describe(Document(data), name=name)


def _describe(document: Document, *, name: str) -> Description:
    data = document.value if document.value is not None else {}
    faults = faults_of(data)
    if faults:
        raise InputErrors(
            tuple(Problem(name, document.place(path), reason, remedy) for path, reason, remedy in faults)
        )
    agent = data.get("agent", "")
    links = [{"url": link} if isinstance(link, str) else link for link in data.get("links", [])]
    return Description(
        benchmark=data.get("benchmark", ""),
        task_set=data.get("set", ""),
        agent=agent if isinstance(agent, str) else agent["name"],
        agent_url="" if isinstance(agent, str) else agent.get("url", ""),
        model=data.get("model", ""),
        links=tuple(Link(link["url"], link.get("label", "")) for link in links),
        cost=data.get("cost"),
        notes=data.get("notes", ""),
    )


Fault = tuple[tuple[str | int, ...], str, str]
"""The path of a value, what is wrong with it, and what to do."""


@cache
def entry_schema() -> dict[str, Any]:
    """The JSON schema of a description."""
    text = resources.files("leaderboard.intake").joinpath("entry.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def faults_of(data: JsonValue) -> list[Fault]:
    """All that is wrong with a description, in the order of the document."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow to import

    validator = Draft202012Validator(entry_schema())
    found: dict[str, Fault] = {}
    for error in validator.iter_errors(data):
        for path, reason, remedy in _faults(error):
            found.setdefault(str((path, reason)), (path, reason, remedy))
    if isinstance(data, dict) and isinstance(cost := data.get("cost"), float) and not math.isfinite(cost):
        found["cost"] = (("cost",), "it is not a number", "leave it out where it is unknown")
    return sorted(found.values(), key=lambda fault: str(fault[0]))


def _faults(error: ValidationError) -> Iterator[Fault]:
    if error.validator == "anyOf":
        # Of the two shapes that are allowed, the one that was meant tells what is wrong.
        meant = [
            inner for inner in error.context or () if isinstance(error.instance, dict) == _of_object(inner)
        ]
        for inner in meant:
            yield from _faults(inner)
        return
    path = tuple(error.absolute_path)
    value = error.instance
    limit: Any = error.validator_value
    match error.validator:
        case "additionalProperties":
            yield from _unknown_keys(path, value, list(_properties(error)))
        case "pattern":
            yield path, *_pattern_fault(path)
        case "minLength":
            yield path, "it is empty", "leave the key out where it is unknown"
        case "required":
            yield path, f"the key {limit[0]} is missing", ""
        case "type":
            yield path, f"it is {kind_of_json(value)}, not {limit}", ""
        case "maxLength" | "maxItems":
            yield path, f"it is longer than {limit:,}", "shorten it"
        case _:
            yield path, "it is not a number from 0 to 1,000,000,000", ""


def _properties(error: ValidationError) -> dict[str, Any]:
    schema: Any = error.schema
    properties: dict[str, Any] = schema["properties"]
    return properties


def _unknown_keys(path: tuple[str | int, ...], value: Any, known: list[str]) -> Iterator[Fault]:
    for key in sorted(set(value) - set(known)):
        near = difflib.get_close_matches(key[:50], known, n=1)
        remedy = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(known)}"
        yield (*path, key[:50]), "there is no such key", remedy


def _of_object(error: ValidationError) -> bool:
    """Whether an error is of the shape that is an object with keys."""
    return error.schema_path[0] == 1


def _pattern_fault(path: tuple[str | int, ...]) -> tuple[str, str]:
    if path[-1] in ("benchmark", "set"):
        return "it is no slug", "write it as in the board's address: small letters, digits and -"
    if path[-1] == "url" or ("links" in path[:1] and path[-1] != "label"):
        return "it is no address", "begin it with https:// or http://"
    return "there are control characters in it", "write it on one line"
