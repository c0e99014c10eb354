"""entry.yaml says who was tried; what is wrong with it is said with its line, and forms complete it."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from leaderboard.domain.errors import InputError
from leaderboard.domain.openness import ModelOpenness, ScaffoldOpenness
from leaderboard.intake.description import (
    Description,
    Link,
    description_from_data,
    entry_schema,
    merge,
    read_description,
)
from leaderboard.intake.examine import examine_description
from leaderboard.intake.findings import Severity

FULL = """
benchmark: super
set: masked
agent:
  name: ReAct-SUPER
  url: https://example.org/agent
model: Some Model 7B
model_openness: open-weights
scaffold_openness: closed-source
code: https://example.org/repository
links:
  - https://example.org/paper
  - label: Code
    url: https://example.org/code
cost: 12.5
notes: |
  Two attempts at each task.
"""


def read(tmp_path: Path, text: str | bytes, name: str = "entry.yaml") -> Description:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_description(path, name=name)


def test_everything_that_can_be_said_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, FULL) == Description(
        benchmark="super",
        task_set="masked",
        agent="ReAct-SUPER",
        agent_url="https://example.org/agent",
        model="Some Model 7B",
        model_openness="open-weights",
        scaffold_openness="closed-source",
        code="https://example.org/repository",
        links=(Link("https://example.org/paper"), Link("https://example.org/code", "Code")),
        cost=12.5,
        notes="Two attempts at each task.\n",
    )


def test_json_says_the_same(tmp_path: Path) -> None:
    assert read(tmp_path, '{"agent": "A", "cost": 0}', "entry.json") == Description(agent="A", cost=0)


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n"])
def test_an_empty_one_says_nothing(text: str, tmp_path: Path) -> None:
    assert read(tmp_path, text).missing == ("benchmark", "set", "agent", "model")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("agent: A\nmodle: M", "line 2, $.modle: there is no such key (did you mean model?)"),
        ("agent: A\nxyz: M", "line 2, $.xyz: there is no such key (the keys are benchmark, set"),
        ("agent: 3", "line 1, $.agent: it is a number, not string"),
        ("agent:\n  url: https://example.org", "line 2, $.agent: the key name is missing"),
        ("agent:\n  name: A\n  url: ftp://example.org", "line 3, $.agent.url: it is not a URL"),
        ("links:\n- https://a.example\n- nowhere", "line 3, $.links[1]: it is not a URL"),
        ("links: ['https://alice:pw@a.example']", "line 1, $.links[0]: it is not a URL"),
        ("links: [{url: 'javascript:alert(1)'}]", "line 1, $.links[0].url: it is not a URL"),
        ("links: https://a.example", "line 1, $.links: it is a string, not array"),
        ("set: Masked Tasks", "line 1, $.set: it is not a slug"),
        (
            "model_openness: Open Weights",
            "line 1, $.model_openness: it is not one of the values to choose from "
            "(did you mean open-weights?)",
        ),
        (
            "agent: A\nscaffold_openness: partly",
            "line 2, $.scaffold_openness: it is not one of the values to "
            "choose from (write open-source or closed-source)",
        ),
        (
            "model_openness: {}",
            "line 1, $.model_openness: it is not one of the values to choose from (write ",
        ),
        ("code: github", "line 1, $.code: it is not a URL (start it with https://"),
        ("cost: -1", "line 1, $.cost: it is not a number from 0"),
        ("cost: .nan", "line 1, $.cost: it is not a number"),
        ("cost: .inf", "line 1, $.cost: it is not a number"),
        ("cost: true", "line 1, $.cost: it is a boolean, not number"),
        ("model: ''", "line 1, $.model: it is empty"),
        (f"model: {'m' * 101}", "line 1, $.model: it is longer than 100"),
        ('model: "a\\nb"', "line 1, $.model: there are control characters in it"),
        ("- agent", "line 1, $: it is a list, not object"),
        (
            "set: !!timestamp 2024-01-02",
            "line 1: a value is neither text nor number: 2024-01-02 (put it in quotes)",
        ),
        ("agent: A\nagent: B", "line 2: the key agent occurs twice"),
        ("1: A", "line 1: a key is not text"),
        ("? [a]\n: b", "line 1: a key is not text"),
        ("agent: &a A\nmodel: *a", "line 1: anchors and aliases are not supported"),
        ("<<: {agent: A}", "line 1: a key is not text"),
        ("agent: !!python/object:os.system x", "line 1: a value is neither text nor number"),
        ("agent: [", "line 1, column 9: not valid YAML"),
        ("agent: 'A\nmodel: M", "line 2, column 9: not valid YAML"),
        ("\tagent: A", "line 1, column 1: not valid YAML"),
        ("agent: \x07", ": not valid YAML: there are control characters in it"),
        ("a: 1\n---\nb: 2", "line 2, column 1: not valid YAML"),
        ("cost: !!int ''", ": not valid YAML: a value is not of its type"),
        ("cost: !!bool x", ": not valid YAML: a value is not of its type"),
        ('notes: "a\\ud800"', "line 1, $.notes: a text in it has a character that can't be stored"),
        ('notes: "\\0"', "line 1, $.notes: a text in it has a character that can't be stored"),
        ('links: [{url: "https://a", label: "\\udfff"}]', "line 1, $.links[0].label: a text in it has"),
        ('"\\ud800": 1', "line 1, $.�: there is no such key"),
        ("cost: " + "9" * 5_000, ": not valid YAML: Exceeds the limit"),
        ("[" * 5_000, "line 1: lists or objects nest too deeply"),
        ("agent: " + "x" * 70_000, ": it is larger than the limit of 64 KB"),
        (b"agent: caf\xe9", "line 1, byte 10: the file ends in the middle"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str | bytes, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)

    assert str(caught.value.problem).startswith(
        f"entry.yaml{problem}" if problem.startswith(":") else f"entry.yaml, {problem}"
    )


def test_everything_that_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, "cost: -1\nset: A B\nwho: me\n")

    assert {problem.place for problem in caught.value.problems} == {
        "line 1, $.cost",
        "line 2, $.set",
        "line 3, $.who",
    }


def test_json_has_places_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"entry\.json, line 1, column 11"):
        read(tmp_path, '{"agent": A}', "entry.json")
    with pytest.raises(InputError, match=r"entry\.json, \$\.agent"):
        read(tmp_path, '{"agent": 3}', "entry.json")


@pytest.mark.parametrize(
    "value", ["[" * 600 + "]" * 600, '"\\ud800"', "1e999", "9" * 5_000, "NaN", '{"a": {}}']
)
@pytest.mark.parametrize("key", ["notes", "cost", "agent", "links", "benchmark"])
def test_a_hostile_value_in_json_is_named(key: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, f'{{"{key}": {value}}}', "entry.json")

    assert caught.value.problem.file == "entry.json"
    assert str(caught.value.problem).isprintable()


def test_what_a_form_says_goes_before_the_file() -> None:
    file = Description(benchmark="super", agent="A", cost=1, notes="from the file")
    form = Description(agent="B", model="M", cost=0)

    assert merge(file, form) == Description(
        benchmark="super", agent="B", model="M", cost=0, notes="from the file"
    )
    assert merge(file, form).missing == ("set",)


def test_a_description_survives_json(tmp_path: Path) -> None:
    description = read(tmp_path, FULL)

    assert description_from_data(description.as_data()) == description


def test_the_values_to_choose_from_are_those_that_boards_filter_by() -> None:
    properties = entry_schema()["properties"]

    assert properties["model_openness"]["enum"] == list(ModelOpenness)
    assert properties["scaffold_openness"]["enum"] == list(ScaffoldOpenness)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(entry_schema())


def test_a_secret_in_a_description_is_pointed_out_with_its_place() -> None:
    token = "9a" + "Zx7Qk2" * 4
    described = Description(notes="None.", links=(Link(f"https://example.org/?token={token}"),))

    (finding,) = examine_description(described, name="results.zip")

    assert (finding.severity, finding.problem.place) == (Severity.WARNING, "description, $.links[0]")
    assert token not in str(finding.problem)
