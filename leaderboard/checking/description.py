"""The description of an entry: what entry.yaml or a form says beside the results."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Final

from leaderboard.checking.schema import faults_of
from leaderboard.checking.yaml_files import Document, read_yaml
from leaderboard.domain.errors import InputError, InputErrors, Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import decode, parse_json_text

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
