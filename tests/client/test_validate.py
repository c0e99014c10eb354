"""`superboard validate`: what it prints, and what it ends with."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from leaderboard.client.main import app
from tests.intake.folders import trajectory, write, write_file
from tests.repository.files import ROOT

PUBLISHED = ROOT.parent / "shared" / "published"
RECORDINGS = ROOT / "fixtures/warmup/runs/scripted-expert"


def validate(*arguments: str | Path) -> Result:
    return CliRunner(env={"COLUMNS": "300"}).invoke(app, ["validate", *map(str, arguments)])


def zipped(folder: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder.parent))
    return target


@pytest.mark.parametrize("packed", [False, True])
def test_sound_recordings_end_with_0(packed: bool, tmp_path: Path) -> None:
    result = validate(zipped(RECORDINGS, tmp_path / "recordings.zip") if packed else RECORDINGS)

    assert result.exit_code == 0
    assert "6 attempts, 6 of 6 tasks of warm-up/all" in result.stdout
    assert "0 errors, 0 warnings" in result.stdout
    assert "agent, model" in result.stdout


def test_a_single_file_is_checked(tmp_path: Path) -> None:
    write(tmp_path, "cet.json")

    assert validate(tmp_path / "cet.json").exit_code == 0


def test_problems_end_with_1_and_say_file_place_reason_and_remedy(tmp_path: Path) -> None:
    write_file(tmp_path, "cet/history.json", b'{"query": "", "history": 3}')

    result = validate(tmp_path)

    assert result.exit_code == 1
    reason = "the history is a number, not a list of steps (export the run again)"
    assert f"error: cet/history.json, $.history: {reason}\n" in result.stdout


def test_an_archive_that_is_refused_ends_with_1(tmp_path: Path) -> None:
    write_file(tmp_path, "results.zip", b"PK\3\4" + bytes(50))

    result = validate(tmp_path / "results.zip")

    assert result.exit_code == 1
    assert "results.zip: it was cut off" in result.stderr


def test_json_is_the_report_and_nothing_else(tmp_path: Path) -> None:
    result = validate(write(tmp_path, "cet/history.json", "nosuch.traj"), "--json")

    report = json.loads(result.stdout)
    assert result.exit_code == 1
    assert report["totals"]["errors"] == 1
    assert [line["name"] for line in report["files"]] == ["cet/history.json", "nosuch.traj"]


def test_json_of_what_was_refused_says_why(tmp_path: Path) -> None:
    write_file(tmp_path, "results.rar", b"Rar!\x1a\x07")

    report = json.loads(validate(tmp_path / "results.rar", "--json").stdout)

    assert report["findings"][0]["reason"] == "RAR archives are not supported"


def test_warnings_count_with_strict_only(tmp_path: Path) -> None:
    key = "gh" + "p_9aK2mQ7xW4vN8rT1yB6cZ3dF5gH0jL9sP2eU"
    write_file(tmp_path, "cet/history.json", trajectory(key))

    result = validate(tmp_path)

    assert result.exit_code == 0
    assert (
        "warning: cet/history.json, step 2, action: this looks like a secret (GitHub token)" in result.stdout
    )
    assert key not in result.stdout
    assert validate(tmp_path, "--strict").exit_code == 1


def test_each_of_several_entries_is_reported(tmp_path: Path) -> None:
    write_file(tmp_path, "a/entry.yaml", "agent: A\nmodel: M\n")
    write_file(tmp_path, "b/entry.yaml", "agent: B\n")

    result = validate(write(tmp_path, "a/cet/history.json", "b/cet/history.json", "b/x.json"))

    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "a: 1 attempts, 1 of 45 tasks of super/expert; 0 errors, 0 warnings"
    assert lines[1].startswith("error: b/x.json: “x” is not a task of super/expert")
    assert lines[2] == "b: 1 attempts, 1 of 45 tasks of super/expert; 1 error, 0 warnings"
    assert lines[3] == "Still missing: model (give it in entry.yaml, or when you submit)"
    assert lines[4] == f"{tmp_path.name}: 2 entries, 2 attempts; 1 error, 0 warnings"


@pytest.mark.parametrize("task_set", ["masked", "super/masked"])
def test_the_set_can_be_said(task_set: str, tmp_path: Path) -> None:
    result = validate(write(tmp_path, "cet/history.json"), "--set", task_set)

    assert result.exit_code == 1
    assert "it is a task of super/expert: upload it there" in result.stdout


def test_a_set_that_does_not_go_with_entry_yaml_is_said_with_both(tmp_path: Path) -> None:
    write_file(tmp_path, "entry.yaml", "benchmark: warm-up\n")
    write_file(tmp_path, "amrbart_data/history.json", b"{}")
    result = validate(tmp_path, "--set", "masked")

    assert result.exit_code == 1
    assert (
        "no task set is both …/masked (from the form or option) and warm-up/… (from entry.yaml)"
        in result.output
    )


def test_tasks_of_another_benchmark_can_be_given(tmp_path: Path) -> None:
    write_file(tmp_path, "mine.jsonl", '{"task_id": "one"}\n{"task_id": "two"}\n')

    result = validate(write(tmp_path / "results", "one/history.json"), "--tasks", tmp_path / "mine.jsonl")

    assert "1 of 2 tasks of mine/all" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [["nowhere"], [".", "--set", "nosuch"], [".", "--tasks", "nowhere"], ["."] * 2, [".", "--workers", "0"]],
)
def test_wrong_calls_end_with_2(arguments: list[str]) -> None:
    assert validate(*arguments).exit_code == 2


def test_a_name_can_not_drive_the_terminal(tmp_path: Path) -> None:
    write_file(tmp_path, "\x1b[2J[bold]x.traj", b"{")

    result = validate(write(tmp_path, "cet/history.json"))

    assert "\x1b" not in result.stdout
    assert "\\x1b[2J[bold]x.traj" in result.stdout


def test_a_file_that_can_not_be_read_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(tmp_path / "output.jsonl"))

    write(tmp_path, "output.jsonl")
    monkeypatch.setattr(Path, "read_bytes", refused)

    result = validate(tmp_path)

    assert result.exit_code == 1
    assert "error: output.jsonl: can't be read: Permission denied" in result.stdout


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published runs are not here")
@pytest.mark.parametrize("run", sorted(path.name for path in PUBLISHED.glob("gpt-4o*")))
def test_a_published_run_in_a_zip_is_sound(run: str, tmp_path: Path) -> None:
    result = validate(zipped(PUBLISHED / run, tmp_path / f"{run}.zip"), "--workers", "1")

    assert result.exit_code == 0
    assert f"tasks of super/{run.rpartition('_')[2]}; 0 errors" in result.stdout
    # The access token in the address of an article, which a README quotes, and agents looked at.
    warning = re.compile(
        r"^warning: [\w.-]+/(\w+)/history.ipynb, step \d+, observation: (.*) \(revoke", re.MULTILINE
    )
    found = warning.findall(result.stdout)
    assert set(found) <= {
        (task, "this looks like a secret (secret in an assignment)")
        for task in ("acqsurvey", "acqsurvey_dependencies")
    }
    assert result.stdout.count("warning: ") == len(found)


@pytest.mark.slow
def test_it_runs_where_only_its_own_dependencies_are_installed(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv")
    # Our own pip: one in the new environment would take as long to install as all the rest.
    pip = (sys.executable, "-m", "pip", "--python", tmp_path / "venv")
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}

    def run(*command: str | Path) -> str:
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    # From a copy: building leaves files beside what it builds.
    source = tmp_path / "source"
    for folder in ("leaderboard", "runner", "templates", "static"):
        shutil.copytree(ROOT / folder, source / folder)
    for name in ("pyproject.toml", "setup.py", "README.md"):
        shutil.copy(ROOT / name, source)
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, source)
    wheel = next(tmp_path.glob("superboard-*.whl"))
    run(*pip, "install", "--quiet", "--no-compile", "--constraint", ROOT / "constraints.txt", wheel)

    assert "6 of 6 tasks of warm-up/all" in run(tmp_path / "venv/bin/superboard", "validate", RECORDINGS)
    assert "history.json" in run(tmp_path / "venv/bin/superboard", "diagnose", RECORDINGS)
    run(tmp_path / "venv/bin/superboard", "view", RECORDINGS, "--export", tmp_path / "copy")
    assert "step-1" in (tmp_path / "copy/a/1/index.html").read_text()
    assert (tmp_path / "copy/static/css/site.css").is_file()
    server_parts = {"allauth", "celery", "docker", "nbconvert", "psycopg", "waitress"}
    assert server_parts.isdisjoint(run(*pip, "list").lower().replace("-", " ").split())
