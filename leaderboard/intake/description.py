"""The description of an entry, from entry.yaml or a form."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.text import NOT_STORABLE, STORE_TEXT, unstorable_in
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import decode, kind_of_json, parse_json_text
from leaderboard.intake.yaml_files import Document, read_yaml

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError


MAX_BYTES: Final = 64 * 1024
"""The longest description."""
REQUIRED: Final = ("benchmark", "set", "agent", "model")
"""The keys that an entry needs to be published."""


@dataclass(frozen=True, slots=True)
class Link:
    """An address that belongs to an entry; ``label`` may be empty."""

    url: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Description:
    """The description of an entry; a missing value is empty.

    ``benchmark`` and ``task_set`` are slugs. ``agent`` is the scaffold's name, ``agent_url`` its home page.
    ``cost`` is in US dollars, for all attempts together. ``evaluated`` is the day on which the attempts were
    made, ``released`` that of the agent's release. ``model_openness`` and ``scaffold_openness`` are values of
    `domain.openness`. ``code`` is the address of the agent's code. ``notes`` is plain text.
    """

    benchmark: str = ""
    task_set: str = ""
    agent: str = ""
    agent_url: str = ""
    model: str = ""
    model_openness: str = ""
    scaffold_openness: str = ""
    code: str = ""
    links: tuple[Link, ...] = ()
    cost: float | None = None
    evaluated: date | None = None
    released: date | None = None
    notes: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        """The keys of `REQUIRED` without a value."""
        data = self.as_data()
        return tuple(key for key in REQUIRED if key not in data)

    def as_data(self) -> dict[str, JsonValue]:
        """As in entry.json, without empty values."""
        agent: JsonValue = {"name": self.agent, "url": self.agent_url} if self.agent_url else self.agent
        links = [{"label": link.label, "url": link.url} if link.label else link.url for link in self.links]
        data: dict[str, JsonValue] = {
            "benchmark": self.benchmark,
            "set": self.task_set,
            "agent": agent,
            "model": self.model,
            "model_openness": self.model_openness,
            "scaffold_openness": self.scaffold_openness,
            "code": self.code,
            "links": links,
            "cost": self.cost,
            "evaluated": self.evaluated and self.evaluated.isoformat(),
            "released": self.released and self.released.isoformat(),
            "notes": self.notes,
        }
        return {key: value for key, value in data.items() if value not in ("", [], None)}


def merge(description: Description, form: Description) -> Description:
    """Both together; a value in the form takes precedence, because it was given later."""
    given = {
        key.name: value for key in fields(form) if (value := getattr(form, key.name)) not in ("", (), None)
    }
    return replace(description, **given)


def read_description(path: Path, *, name: str) -> Description:
    """The description in an entry.yaml or entry.json.

    Raises:
        InputError: all problems, each with its line or its path in the document.
    """
    size = path.stat().st_size
    if size > MAX_BYTES:
        reason = f"it is larger than the limit of {MAX_BYTES // 1024:,} KB"
        raise InputError(Problem(name, "", reason, "put long texts elsewhere, and link to them"))
    text = decode(path.read_bytes(), name=name)
    if path.suffix == ".json":
        return _describe(Document(parse_json_text(text, name=name)), name=name)
    return _describe(read_yaml(text, name=name), name=name)


def description_from_data(data: JsonValue, *, name: str = "form") -> Description:
    """The description in the data of a form or an API call, with the keys of entry.schema.json.

    Raises:
        InputError: all problems, each with its path in the document.
    """
    return _describe(Document(data), name=name)


def _describe(document: Document, *, name: str) -> Description:
    data = document.value if document.value is not None else {}
    if faults := faults_of(data):
        raise InputError(
            *(Problem(name, document.place(path), reason, remedy) for path, reason, remedy in faults)
        )
    agent = data.get("agent", "")
    links = [{"url": link} if isinstance(link, str) else link for link in data.get("links", [])]
    return Description(
        benchmark=data.get("benchmark", ""),
        task_set=data.get("set", ""),
        agent=agent if isinstance(agent, str) else agent["name"],
        agent_url="" if isinstance(agent, str) else agent.get("url", ""),
        model=data.get("model", ""),
        model_openness=data.get("model_openness", ""),
        scaffold_openness=data.get("scaffold_openness", ""),
        code=data.get("code", ""),
        links=tuple(Link(link["url"], link.get("label", "")) for link in links),
        cost=data.get("cost"),
        evaluated=_day(data.get("evaluated")),
        released=_day(data.get("released")),
        notes=data.get("notes", ""),
    )


DAYS: Final = ("evaluated", "released")


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


Fault = tuple[tuple[str | int, ...], str, str]
"""The path of a value, the reason why it is wrong, and the remedy."""


@cache
def entry_schema() -> dict[str, Any]:
    text = resources.files("leaderboard.intake").joinpath("entry.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def faults_of(data: JsonValue) -> list[Fault]:
    """Everything that is wrong with a description, sorted by path."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow to import

    validator = Draft202012Validator(entry_schema())
    found: dict[str, Fault] = {}
    for error in validator.iter_errors(data):
        for path, reason, remedy in _faults(error):
            found.setdefault(str((path, reason)), (path, reason, remedy))
    for path in unstorable_in(data):
        found.setdefault(str(path), (path, NOT_STORABLE, STORE_TEXT))
    if isinstance(data, dict) and isinstance(cost := data.get("cost"), float) and not math.isfinite(cost):
        found["cost"] = (("cost",), "it is not a number", "leave it out if it is unknown")
    if isinstance(data, dict):
        for key in DAYS:
            if key not in found and isinstance(text := data.get(key), str) and not _is_day(text):
                found[key] = ((key,), *_pattern_fault((key,)))
    return sorted(found.values(), key=lambda fault: str(fault[0]))


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _faults(error: ValidationError) -> Iterator[Fault]:
    if error.validator == "anyOf":
        # Text or an object, in this order in the schema: report the errors of the one that was used.
        used = int(isinstance(error.instance, dict))
        for inner in error.context or ():
            if inner.schema_path[0] == used:
                yield from _faults(inner)
        return
    path = tuple(error.absolute_path)
    value = error.instance
    limit: Any = error.validator_value
    schema: Any = error.schema
    match error.validator:
        case "additionalProperties":
            yield from _unknown_keys(path, value, list(schema["properties"]))
        case "enum" | "pattern":
            yield path, *(_enum_fault(value, limit) if isinstance(limit, list) else _pattern_fault(path))
        case "minLength":
            yield path, "it is empty", "leave out the key if the value is unknown"
        case "required":
            yield path, f"the key {limit[0]} is missing", ""
        case "type":
            yield path, f"it is {kind_of_json(value)}, not {limit}", ""
        case "maxLength" | "maxItems":
            yield path, f"it is longer than {limit:,}", "shorten it"
        case _:
            yield path, "it is not a number from 0 to 1,000,000,000", ""


def _unknown_keys(path: tuple[str | int, ...], value: Any, known: list[str]) -> Iterator[Fault]:
    for key in sorted(set(value) - set(known)):
        near = difflib.get_close_matches(key[:50], known, n=1)
        remedy = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(known)}"
        yield (*path, key[:50]), "there is no such key", remedy


def _enum_fault(value: JsonValue, known: list[str]) -> tuple[str, str]:
    near = difflib.get_close_matches(str(value)[:50].lower(), known, n=1)
    remedy = f"did you mean {near[0]}?" if near else f"write {', '.join(known[:-1])} or {known[-1]}"
    return "it is not one of the values to choose from", remedy


def _pattern_fault(path: tuple[str | int, ...]) -> tuple[str, str]:
    if path[-1] in DAYS:
        return "it is not a day", "write it as 2026-05-31"
    if path[-1] in ("benchmark", "set"):
        return "it is not a slug", "write it as in the board's URL: lower-case letters, digits and -"
    if path[-1] in ("url", "code") or ("links" in path[:1] and path[-1] != "label"):
        return "it is not a URL", "start it with https:// or http://, and leave out user names and passwords"
    return "there are control characters in it", "write it on one line"
