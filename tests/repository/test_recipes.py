"""The recipes of CONTRIBUTING.md do what they say: a copy of the project gets the files that they show."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cast import history
from tests.formats.test_registry import documented_modules
from tests.repository.files import ROOT
from tests.repository.test_names_of_metrics import names

RECIPES = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
PARTS = ("leaderboard", "runner", "templates", "static", "tests", "docs")
FOUND_BY_PLACE = {"manage.py", "leaderboard/core/settings.py"}
"""Files and no links, because the project's folder is where they are."""
SMALL = {"slug": "small", "name": "Small", "scoring": "super", "task_sets": [{"slug": "all", "name": "All"}]}
SESSION = {"commands": [{"command": "python train.py", "output": "loss 0.5"}], "result": {"loss": 0.5}}
FILES = {
    "small.json": SMALL,
    "tasks.jsonl": {"task_id": "pet", "answer": '{"loss": 0.5}'},
    "super/pet/history.json": history({"loss": 0.5}),
    "session/pet/history.json": SESSION,
    "riddles/keys/history.json": history("a piano"),
}
PROGRAM = """
import json, sys
from functools import partial
from django.core.management import call_command
from django.test import Client
from leaderboard.formats import DETECTORS
from leaderboard.intake.known_tasks import shipped_tasks

call = partial(call_command, stdout=sys.stderr)
call("migrate", verbosity=0)
call("add_benchmark", "small.json")
call("import_tasks", "tasks.jsonl", set="small/all")
call("load_fixtures")
RUNS = {"super": "small/all", "session": "small/all", "riddles": "riddles/easy"}
for folder, task_set in RUNS.items():
    call("import_run", folder, set=task_set, agent=folder, model="m", workers=1)
get = lambda address: Client().get(address, HTTP_HOST="localhost").content.decode()
data = lambda address: json.loads(get(address))
print(json.dumps({
    "pages": {each: get(each) for each in ("/b/small/all/?columns=longest_step", "/b/riddles/easy/")},
    "csv": get("/b/small/all/data.csv?columns=longest_step"),
    "small": data("/b/small/all/data.json?columns=longest_step"),
    "riddles": data("/b/riddles/easy/data.json"),
    "attempts": {each: data(f"/api/v1/attempts/{number}") for number, each in enumerate(RUNS, start=1)},
    "trajectory": get("/a/2/"),
    "shipped": dict(shipped_tasks().sets),
    "modules": [each.__name__.rpartition(".")[2] for each in DETECTORS],
}))
"""


def recipe(title: str) -> str:
    return RECIPES.partition(f"### {title}\n")[2].partition("\n### ")[0]


def new_files(title: str) -> dict[str, str]:
    """The files that a recipe shows, each in a block whose first line names it."""
    return dict(re.findall(r"^```\w+ (\S+)\n(.*?)^```$", recipe(title), flags=re.DOTALL | re.MULTILINE))


def patches(title: str) -> list[str]:
    return re.findall(r"^```diff\n(.*?)^```$", recipe(title), flags=re.DOTALL | re.MULTILINE)


def patched(title: str) -> list[str]:
    return re.findall(r"^\+\+\+ b/(\S+)$", "".join(patches(title)), flags=re.MULTILINE)


def commands(title: str) -> list[str]:
    """The modules of ours that a recipe runs."""
    return re.findall(r"`\.venv/bin/python -m ([\w.]+)`", recipe(title))


def written(title: str) -> list[str]:
    """The files that those modules write."""
    return re.findall(r"writes\s`(\S+)`", recipe(title))


TITLES = ("Add a metric", "Add a benchmark", "Add a trajectory format")
TOUCHED = {title: [*new_files(title), *patched(title), *written(title)] for title in TITLES}


def mirror(source: Path, target: Path, touched: set[str]) -> None:
    """Link to everything in a folder; what is touched, and the folders above it, are of the copy itself."""
    target.mkdir()
    for path in source.iterdir():
        name = path.relative_to(ROOT).as_posix()
        if name in touched:
            shutil.copy2(path, target / path.name)
        elif any(each.startswith(f"{name}/") for each in touched):
            mirror(path, target / path.name, touched)
        else:
            (target / path.name).symlink_to(path)


def own_files(folder: Path) -> Iterator[str]:
    """The files below a folder that are no links."""
    for where, folders, files in os.walk(folder):
        paths = [Path(where, name) for name in (*files, *folders)]
        yield from (
            str(path.relative_to(folder)) for path in paths if path.is_file() and not path.is_symlink()
        )


def follow(title: str, root: Path) -> None:
    """Do in a copy what a recipe says."""
    env = os.environ | {"GIT_CEILING_DIRECTORIES": str(root.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    for name, text in new_files(title).items():
        assert not (ROOT / name).exists(), f"{title}: the project has {name} already; choose another name"
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for patch in patches(title):
        done = subprocess.run(
            ["git", "apply", "-"], input=patch, cwd=root, text=True, check=False, capture_output=True, env=env
        )
        assert not done.returncode, f"“{title}” in CONTRIBUTING.md: renew its diff: {done.stderr}"
    for module in commands(title):
        subprocess.run([sys.executable, "-m", module], cwd=root, check=True, env=env)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a site shows after all three recipes, each followed to the letter and with a run imported."""
    root = tmp_path_factory.mktemp("recipes") / "project"
    touched = {name for names in TOUCHED.values() for name in names} | FOUND_BY_PLACE
    root.mkdir()
    shutil.copy2(ROOT / "manage.py", root)
    for part in PARTS:
        mirror(ROOT / part, root / part, touched)
    for title in TITLES:
        follow(title, root)
    assert set(own_files(root)) == touched
    work = root.parent / "work"
    for name, content in FILES.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(json.dumps(content))
    done = subprocess.run(
        [sys.executable, str(root / "manage.py"), "shell", "--no-imports", "-c", PROGRAM],
        cwd=work,
        env={
            **os.environ,
            "SUPERBOARD_VAR": str(root.parent / "var"),
            "DATABASE_URL": "",
            "DEBUG": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert set(own_files(root)) == touched
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found | {
        "formats": (root / "docs/formats.md").read_text("utf-8"),
        "names": names(root.glob("fixtures/*/benchmark.json")),
    }


def scores(seen: dict[str, Any], agent: str) -> dict[tuple[str, str], float | None]:
    return {(each["scorer"], each["metric"]): each["value"] for each in seen["attempts"][agent]["scores"]}


def test_a_metric_more_is_one_file_and_a_column_everywhere(seen: dict[str, Any]) -> None:
    assert TOUCHED["Add a metric"] == ["leaderboard/scoring/super/rules.py"]

    page = seen["pages"]["/b/small/all/?columns=longest_step"]
    assert "Longest step" in page
    assert "20 s" in page
    assert "longest_step" in seen["csv"].splitlines()[0]
    entries = {each["agent"]: each["figures"] for each in seen["small"]["entries"]}
    assert entries["super"]["longest_step"]["value"] == 20
    assert entries["session"]["longest_step"]["value"] is None
    assert scores(seen, "super")["super-strict", "longest_step"] == 20


def test_a_benchmark_with_rules_of_its_own_is_a_scoring_a_fixture_and_a_page(seen: dict[str, Any]) -> None:
    assert TOUCHED["Add a benchmark"] == [
        "leaderboard/scoring/riddles/__init__.py",
        "fixtures/riddles/benchmark.json",
        "fixtures/riddles/tasks.jsonl",
        "docs/riddles.md",
        "leaderboard/intake/catalogue.json",
    ]

    assert "Words found" in seen["pages"]["/b/riddles/easy/"]
    (entry,) = seen["riddles"]["entries"]
    assert entry["figures"]["words_found"]["percent"] == "50.0"
    assert seen["shipped"] == {"riddles/easy": ["keys"]}, "what `superboard validate` knows"
    assert "riddles/easy" in seen["names"], "what tests/repository reads of a fixture"


def test_a_trajectory_format_is_a_module_and_its_row_in_the_documentation(seen: dict[str, Any]) -> None:
    assert TOUCHED["Add a trajectory format"] == ["leaderboard/formats/shell_session.py", "docs/formats.md"]

    assert documented_modules(seen["formats"]) == seen["modules"]
    assert scores(seen, "session")["super-strict", "accuracy"] == 1
    assert "python train.py" in seen["trajectory"]
