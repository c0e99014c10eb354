"""How a file is told apart, and how one of several attempts in it is chosen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.domain.errors import InputError, Problem
from leaderboard.formats import DETECTORS, FORMATS, list_samples, open_file, read
from tests.formats.agent_logs import LOGS
from tests.formats.agent_logs import lines as log_lines
from tests.formats.frameworks import (
    astabench,
    atif,
    atif_step,
    inspect_log,
    inspect_sample,
    mini,
    mini_turn,
    output_line,
    run,
    v0_events,
    v1_events,
)
from tests.formats.mutations import DOCUMENTS
from tests.formats.samples import act, as_bytes, history, notebook, step_cells, swe_step, traj
from tests.repository.files import ROOT

LS = ("terminal", {"command": "ls"}, "x")
KNOWN = {
    "ATIF": atif(atif_step(("bash", {"command": "ls"}, "x"))),
    "mini-SWE-agent .traj.json": mini(mini_turn("ls")),
    "SUPER notebook": notebook(step_cells(1)),
    "AstaBench": astabench(act("execute")),
    "SUPER history.json": history(act("execute")),
    "SWE-agent .traj": traj(swe_step("ls")),
    "OpenHands V0": v0_events(run("ls")),
    "OpenHands V1": v1_events(LS),
}


def refusal(data: bytes, **options: Any) -> Problem:
    with pytest.raises(InputError) as caught:
        read(data, name="f", **options)
    return caught.value.problem


@pytest.mark.parametrize("name", KNOWN)
def test_each_format_is_known_by_its_content(name: str) -> None:
    assert read(as_bytes(KNOWN[name]), name="f").format == name


@pytest.mark.parametrize("key", ["unknown", "metadata", "zzz"])
@pytest.mark.parametrize("name", [name for name in KNOWN if isinstance(KNOWN[name], dict)])
def test_keys_that_are_not_known_change_nothing(name: str, key: str) -> None:
    document = {**KNOWN[name], key: {"x": [1]}}  # type: ignore[dict-item]
    assert read(as_bytes(document), name="f") == read(as_bytes(KNOWN[name]), name="f")


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ({**history(act("execute")), **astabench(act("execute"))}, "AstaBench"),
        ({**history(act("execute")), "instance_id": "a"}, "SUPER history.json"),
        ({**traj(swe_step("ls")), "trajectory_format": "mini-swe-agent-1", "messages": []}, None),
        (output_line(v1_events(LS)), "OpenHands V1"),
        ({"trajectory": v0_events(run("ls"))}, "OpenHands V0"),
    ],
)
def test_of_two_formats_the_more_particular_one_is_it(document: Any, name: str | None) -> None:
    if name is None:
        assert refusal(as_bytes(document)).place == "$.messages"
    else:
        assert read(as_bytes(document), name="f").format == name


@pytest.mark.parametrize("document", [{}, [], [1], [[]], [{}], 3, None, "x", {"trajectory_format": 3}])
def test_what_is_in_no_format_lists_those_that_are_known(document: Any) -> None:
    problem = refusal(as_bytes(document))
    assert problem.reason.startswith("not a known trajectory format: it is ")
    assert "SWE-agent .traj" in problem.remedy


def test_a_file_of_one_needs_no_key_and_has_no_other() -> None:
    assert refusal(as_bytes(history(act("execute"))), sample="line 1").reason == (
        "there is no sample line 1 in the file"
    )


def test_a_container_of_one_needs_no_key() -> None:
    log = as_bytes(inspect_log(inspect_sample({"role": "assistant", "content": "Hm."})))
    assert read(log, name="f") == read(log, name="f", sample="conv_graph_epoch_1")


def test_several_samples_are_not_chosen_from() -> None:
    lines = b"\n".join(as_bytes(output_line(v0_events(run("ls")))) for _ in range(7))
    problem = refusal(lines)
    assert problem.reason == "the file contains 7 samples, and none was chosen"
    assert problem.remedy == "choose one of them: line 1, line 2, line 3, line 4, line 5, …"
    assert refusal(lines, sample="line 8").reason == "there is no sample line 8 in the file"


def test_lines_of_any_format_are_read() -> None:
    lines = as_bytes(history(act("execute"))) + b"\n" + as_bytes(traj(swe_step("ls")))
    formats = [read(lines, name="f", sample=sample.key).format for sample in list_samples(lines, name="f")]
    assert formats == ["SUPER history.json", "SWE-agent .traj"]


def test_a_line_in_no_format_is_named() -> None:
    lines = as_bytes(history(act("execute"))) + b'\n{"b": 2}'
    problem = refusal(lines, sample="line 2")
    assert (problem.place, problem.reason) == (
        "line 2",
        "not a known trajectory format: it is an object with the keys 'b'",
    )


def test_one_document_over_several_lines_is_no_json_lines() -> None:
    text = json.dumps(history(act("execute")), indent=1)
    assert read(text.encode(), name="f").format == "SUPER history.json"
    assert len(list_samples(("\n\n" + text).encode(), name="f")) == 1


def test_white_space_alone_is_refused() -> None:
    assert refusal(b" \n ").reason == "the file contains only white space"


@pytest.mark.parametrize(
    ("fields", "task"),
    [
        ({"task_id": "a"}, "a"),
        ({"task": {"task_id": "a"}}, "a"),
        ({"metadata": {"instance_id": " a "}}, "a"),
        ({"info": {"task": "a"}}, "a"),
        ({"task": "Train\nthe model."}, ""),
        ({"task": "x" * 301}, ""),
        ({"task_id": 3, "metadata": []}, ""),
    ],
)
def test_a_file_names_its_task_in_the_usual_places(fields: Any, task: str) -> None:
    document = {**history(act("execute")), **fields}
    assert list_samples(as_bytes(document), name="f")[0].task_id == task


@pytest.mark.parametrize(("attempt", "number"), [(2, 2), (0, None), (True, None), ("2", None), (10**9, None)])
def test_a_file_numbers_its_attempt(attempt: Any, number: int | None) -> None:
    line = output_line(v0_events(run("ls")), attempt=attempt)
    assert list_samples(as_bytes(line), name="f")[0].attempt == number


def documented_modules(text: str) -> list[str]:
    """The modules in the table of docs/formats.md that says how formats are told apart."""
    table = text.partition("## How they are told apart")[2].partition("\n## ")[0]
    rows = (row for row in table.splitlines() if row.endswith("` |"))
    return [row.rpartition("`")[0].rpartition("`")[2] for row in rows]


def test_the_documentation_tells_formats_apart_in_the_order_of_the_code() -> None:
    documented = documented_modules((ROOT / "docs/formats.md").read_text("utf-8"))
    modules = [str(getattr(each, "__name__", "")).rpartition(".")[2] for each in DETECTORS]
    assert documented == modules, (
        "give each module its row in the first table of docs/formats.md, in this order"
    )


def test_every_format_has_a_document_that_is_rendered_and_broken_in_every_way() -> None:
    files = [open_file(data, name="f") for data in (*map(as_bytes, DOCUMENTS), *map(log_lines, LOGS))]
    known = [file.read(sample.key).format for file in files for sample in file.samples]
    missing = [each.NAME for each in FORMATS if not any(name.startswith(each.NAME) for name in known)]
    assert not missing, f"add a document of {missing} to DOCUMENTS in tests/formats/mutations.py"
