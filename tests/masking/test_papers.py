"""manage.py make_masked: data points, level by level, with results that were really run."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from leaderboard.masking.functions import RAISE

CODE = '''"""Two means."""


def mean(values):
    """The arithmetic mean."""
    return sum(values) / len(values)


class Trimmed:
    def fit(self, values):
        kept = sorted(values)[1:-1]
        return mean(kept)
'''
EXPERIMENTS = [
    {
        "description": "Average the values.",
        "command": "python run.py",
        "metrics": {"mean": r"mean ([\d.]+)"},
    },
    {
        "description": "Average the values without their extremes.",
        "command": "python run.py trimmed",
        "metrics": {"kept": r"kept (\[.*\])", "pair": r"pair (\d) (\d)"},
    },
]
MEAN, FIT = "means.py::mean", "means.py::Trimmed.fit"


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A paper's code, with what no copy may have."""
    code = tmp_path / "code"
    for folder in (".git", "__pycache__"):
        (code / folder).mkdir(parents=True)
    (code / ".git" / "history").write_text(CODE)
    (code / "__pycache__" / "means.pyc").write_bytes(b"compiled")
    (code / "means.py").write_bytes(CODE.replace("\n", "\r\n").encode())
    (code / "run.py").write_text(
        "import sys\nfrom means import Trimmed, mean\nvalues = [1, 2, 6]\n"
        "print('mean', mean(values)) if len(sys.argv) == 1 else "
        "print('pair 0 0\\nkept', [Trimmed().fit(values)], '\\npair 3 4')\n"
    )
    write(tmp_path / "experiments.jsonl", *EXPERIMENTS)
    return tmp_path


def write(path: Path, *records: Any) -> None:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))


def make(folder: Path, *functions: str, paper: str = "means", out: Path | None = None, **options: Any) -> str:
    said = io.StringIO()
    named = [word for function in functions for word in ("--function", function)]
    options = {"levels": "0-2", **options}
    call_command(
        "make_masked", str(folder / "code"), "--paper", paper, "--out", str(out or folder / "out"), *named,
        "--experiments", str(folder / "experiments.jsonl"),
        *(f"--{name}={value}" for name, value in options.items()), stdout=said,
    )  # fmt: skip
    return said.getvalue()


def refusal(folder: Path, *functions: str, **options: Any) -> str:
    with pytest.raises(CommandError) as caught:
        make(folder, *functions, **options)
    assert not (folder / "out").exists()
    return str(caught.value)


def points(folder: Path, level: int) -> dict[str, Any]:
    lines = (folder / "out" / f"masked_n={level}.jsonl").read_text().splitlines()
    return {f"{point['paper_id']}_{point['func_ids']}": point for point in map(json.loads, lines)}


def test_every_level_has_its_choices_of_functions_with_results_that_were_run(paper: Path) -> None:
    said = make(paper, MEAN, FIT)

    assert 'experiment 1: {"mean": 3.0}' in said
    assert f"experiment 1 without {FIT}: still right" in said
    assert f"experiment 2 without {FIT}: fails" in said
    assert [list(points(paper, level)) for level in range(3)] == [
        ["means_"],
        ["means_0", "means_1"],
        ["means_0,1"],
    ]
    first, second = {"mean": 3.0}, {"kept": [2.0], "pair": [3, 4]}
    assert points(paper, 0)["means_"]["results"] == {"Experiment 1": first, "Experiment 2": second}
    # Only the second experiment needs the class.
    assert points(paper, 1)["means_1"]["results"] == {"Experiment 1": second}


def test_a_data_point_says_what_is_asked_and_what_was_masked(paper: Path) -> None:
    make(paper, MEAN, FIT)

    point = points(paper, 1)["means_1"]
    assert point["experiments"].splitlines() == [
        "Experiment 1: Average the values without their extremes. Return the results in this format "
        '{"kept": [0.0], "pair": [0.0, 0.0]} (replace 0.0 with the actual value).',
        'Return final answer as a json: {"Experiment 1": ...}',
    ]
    assert point["solution"] == "echo Experiment 1\npython run.py trimmed\n"
    (details,) = point["func_details"]
    assert details == {
        "paper_id": "means",
        "func_id": "1",
        "file": "means.py",
        "name": "Trimmed.fit",
        "signature": "def fit(self, values):",
        "header_line": 10,
        "line_start": 11,
        "line_end": 12,
        "description": "",
    }
    assert "kept = sorted" in point["removed"]["1"]


def test_the_masked_code_has_no_copy_of_the_function(paper: Path) -> None:
    make(paper, MEAN, FIT)

    folder = paper / "out" / points(paper, 2)["means_0,1"]["repository"]
    assert sorted(path.name for path in folder.iterdir()) == ["means.py", "run.py"]
    masked = (folder / "means.py").read_bytes().decode()
    assert masked.count(RAISE) == 2
    assert masked.count("\r\n") == masked.count("\n")
    complete = paper / "out" / points(paper, 0)["means_"]["repository"]
    assert (complete / "means.py").read_bytes() == (paper / "code" / "means.py").read_bytes()


def test_again_and_for_another_paper_the_same_files_come_out(paper: Path) -> None:
    make(paper, MEAN, levels="1")
    make(paper, MEAN, paper="2205.00048", levels="1")
    before = {path: path.read_bytes() for path in sorted(paper.rglob("*")) if path.is_file()}

    make(paper, MEAN, levels="1")

    assert before == {path: path.read_bytes() for path in sorted(paper.rglob("*")) if path.is_file()}
    assert list(points(paper, 1)) == ["2205.00048_0", "means_0"]


def echo(folder: Path, command: str, pattern: str = r"acc (\S+)") -> None:
    write(
        folder / "experiments.jsonl", {"description": "Run.", "command": command, "metrics": {"acc": pattern}}
    )


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("echo acc 0.5", "no experiment needs mean: each gives its results without it"),
        ("echo oops; exit 3", "it ended with status 3: oops"),
        ("echo loss 1", "it printed nothing that matches the pattern of acc"),
        ("echo acc high", "acc is “acc high”, not a number or a list of numbers"),
        ("echo >> {0}/runs; echo acc $(wc -l < {0}/runs)", "two runs of the complete code gave"),
    ],
)
def test_results_that_prove_nothing_are_refused(paper: Path, command: str, said: str) -> None:
    echo(paper, command.format(paper))

    assert said in refusal(paper, MEAN, levels="1")


def test_an_experiment_that_never_ends_is_ended_with_its_processes(paper: Path) -> None:
    echo(paper, "sh -c 'sleep 1000'; echo never")

    assert "it ran for more than 0.1 seconds (see --seconds)" in refusal(paper, MEAN, levels="1", seconds=0.1)


def test_a_function_that_stands_in_another_file_too_is_refused(paper: Path) -> None:
    build = paper / "code" / "build"
    build.mkdir()
    (build / "means.py").write_text(CODE)

    said = refusal(paper, FIT, levels="1")

    assert said.startswith(f"build/means.py: it also contains the source of {FIT} (leave the file out with")
    make(paper, FIT, levels="1", exclude="build")


def test_a_function_whose_body_stands_twice_in_its_file_is_refused(paper: Path) -> None:
    twin = "\n\ndef fit_again(values):\n    kept = sorted(values)[1:-1]\n    return mean(kept)\n"
    (paper / "code" / "means.py").write_text(CODE + twin)

    said = refusal(paper, FIT, levels="1")

    assert said.startswith(f"means.py: the source of {FIT} stands in its file a second time (have one of")


@pytest.mark.parametrize("out", ["code", "code/out", "code/../code/deep/out"])
def test_no_folder_inside_the_code_is_written_to_and_nothing_runs(paper: Path, out: str) -> None:
    echo(paper, f"touch {paper}/ran")
    before = sorted(paper.rglob("*"))

    said = refusal(paper, MEAN, out=paper / out)

    assert said.startswith(f"--out, {paper / out}: it is inside the code")
    assert sorted(paper.rglob("*")) == before


def test_copies_never_replace_the_code(paper: Path) -> None:
    (paper / "repositories" / "means_0").mkdir(parents=True)
    code = (paper / "code").rename(paper / "repositories" / "means_0" / "means")
    (paper / "code").symlink_to(code)

    assert "is where copies are written (name another folder" in refusal(paper, MEAN, out=paper)
    assert (code / "means.py").is_file()


def test_points_of_other_papers_stay_however_they_write_their_ids(paper: Path) -> None:
    (paper / "out").mkdir()
    others = [{"paper_id": "a"}, {"paper_id": "b", "func_ids": [0, "x"]}, {"paper_id": "b", "func_ids": "2"}]
    write(paper / "out" / "masked_n=1.jsonl", *others)

    make(paper, MEAN, levels="1")

    lines = (paper / "out" / "masked_n=1.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines][:3] == others


@pytest.mark.parametrize("record", [{}, {"paper_id": 1}, {"paper_id": "a", "func_ids": {"0": 1}}, "text"])
def test_a_file_that_cannot_be_added_to_is_refused_before_anything_runs(paper: Path, record: object) -> None:
    echo(paper, f"touch {paper}/ran")
    (paper / "out").mkdir()
    write(paper / "out" / "masked_n=1.jsonl", record)

    with pytest.raises(CommandError, match=r"masked_n=1\.jsonl, line 1: not a data point"):
        make(paper, MEAN, levels="1")
    assert not (paper / "ran").exists()


def test_everything_that_shows_beforehand_is_listed_before_anything_runs(paper: Path) -> None:
    echo(paper, f"touch {paper}/ran")

    said = refusal(paper, MEAN, "means.py::median", "gone.py::f", paper="a_b", levels="0-4")

    assert "there is no function median (the nearest are mean" in said
    assert "gone.py: there is no such file in the repository" in said
    assert "--paper: “a_b” can't be a part of a task's id" in said
    assert "--levels: level 4 masks more functions than the 3 named" in said
    assert not (paper / "ran").exists()


@pytest.mark.parametrize("name", ["means.py", "means.py::", "::mean", "../means.py::mean", "means.txt::mean"])
def test_a_function_is_named_by_its_file_and_name(paper: Path, name: str) -> None:
    assert "names no function (name a file in the repository" in refusal(paper, name)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[]", "experiments.jsonl, line 1: a list, not an experiment"),
        ('{"description": "x"}', "description or command is missing"),
        ('{"description": "x", "command": "y", "metrics": {}}', "metrics is missing"),
        (
            '{"description": "x", "command": "y", "metrics": {"a": "acc"}}',
            "line 1, a: the pattern has no group",
        ),
        ('{"description": "x", "command": "y", "metrics": {"a": "(acc"}}', "can't compile"),
        ('{"description": ', "the file ends in the middle"),
        ("\n", "there is no experiment in it"),
    ],
)
def test_experiments_are_refused_with_their_line(paper: Path, line: str, said: str) -> None:
    (paper / "experiments.jsonl").write_text(line)

    assert said in refusal(paper, MEAN)
