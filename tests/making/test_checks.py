"""What can be told about a drafted task from the repository's files, with the file and the line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leaderboard.domain.drafts import Check, Draft, Outcome
from runner.making.checks import SHOWN, check_draft
from runner.making.tree import read_tree
from tests.making.repository import COMMIT, README, TRAIN, make_repository

GOOD = Draft(
    title="Train Tiny NLI",
    query="Train Tiny NLI for 3 epochs and report its accuracy.",
    entrypoint="scripts/train.py",
    command="python scripts/train.py --epochs 3",
    dataset="data/train.tsv",
)


def check(tmp_path: Path, draft: Draft = GOOD, *, commit: str = COMMIT, **files: str) -> list[Check]:
    return check_draft(draft, read_tree(make_repository(tmp_path, **files)), commit=commit)


def test_nothing_is_said_against_a_task_that_fits(tmp_path: Path) -> None:
    found = check(tmp_path)

    assert {each.outcome for each in found} == {Outcome.OK}
    assert [(each.name, each.place) for each in found] == [
        ("script", "scripts/train.py, line 1"),
        ("README", "README.md, line 4"),
        ("command", ""),
        ("GPU", ""),
        ("service", ""),
        ("data", ""),
    ]


@pytest.mark.parametrize(
    ("entrypoint", "reason"),
    [
        ("../other/train.py", "outside of the repository"),
        ("/etc/passwd", "outside of the repository"),
        ("scripts\\train.py", "outside of the repository"),
        ("scripts/trian.py", "no file of the repository"),
        ("scripts", "no file of the repository"),
        ("link.py", "no file of the repository"),
        ("data/train.tsv", "neither a Python nor a shell script"),
        ("tiny/__init__.py", "the entry point is empty"),
    ],
)
def test_a_draft_without_a_script_is_refused(tmp_path: Path, entrypoint: str, reason: str) -> None:
    (tmp_path / "link.py").symlink_to("/etc/hostname")

    (found,) = check(tmp_path, replace(GOOD, entrypoint=entrypoint))

    assert (found.outcome, reason in found.text) == (Outcome.REFUSED, True)


@pytest.mark.parametrize(
    ("files", "doubt", "place"),
    [
        ({"scripts/train.py": "x = 1\n"}, "neither a main part nor options", "scripts/train.py"),
        ({"README.md": "# Tiny\n\nRun pretrain.py.\n"}, "does not name the entry point", "README.md"),
        ({"tiny/layers.py": "# x.cuda()\nx.cuda()\n"}, ".cuda( needs a GPU", "tiny/layers.py, line 2"),
        ({"tiny/layers.py": 'DEVICE = Device("cuda")\n'}, "needs a GPU", "tiny/layers.py, line 1"),
        ({"scripts/train.py": f"{TRAIN}import apex\n"}, "apex is made for a GPU", "scripts/train.py, line 7"),
        ({"requirements.txt": "numpy\nflash-attn==2\n"}, "flash-attn is made", "requirements.txt, line 2"),
        ({"README.md": f"{README}It requires a GPU.\n"}, "the README wants a GPU", "README.md, line 7"),
        ({"tiny/model.py": "import openai\n"}, "outside service", "tiny/model.py, line 1"),
        ({"tiny/model.py": "k = env['MY_API_KEY']\n"}, "MY_API_KEY", "tiny/model.py, line 1"),
        (
            {"README.md": f"{README}See https://drive.google.com/x\n"},
            "may not be public",
            "README.md, line 7",
        ),
    ],
)
def test_a_doubt_names_its_file_and_line(
    tmp_path: Path, files: dict[str, str], doubt: str, place: str
) -> None:
    doubts = [each for each in check(tmp_path, GOOD, **files) if each.outcome is Outcome.DOUBT]

    assert [(doubt in each.text, each.place) for each in doubts] == [(True, place)]


def doubts_of(*args: Any, **options: Any) -> list[str]:
    return [each.text for each in check(*args, **options) if each.outcome is Outcome.DOUBT]


def test_code_that_asks_for_a_gpu_first_needs_none(tmp_path: Path) -> None:
    asks = "device = 'cuda' if torch.cuda.is_available() else 'cpu'\nif device != 'cpu':\n    m.cuda()\n"

    assert doubts_of(tmp_path, **{"tiny/layers.py": asks}) == []


def test_a_file_that_the_script_does_not_reach_says_nothing_about_it(tmp_path: Path) -> None:
    assert doubts_of(tmp_path, **{"tiny/other.py": "import openai\nx.cuda()\n"}) == []


def test_a_shell_script_is_followed_to_what_it_calls(tmp_path: Path) -> None:
    script = replace(GOOD, entrypoint="run.sh", command="bash run.sh")
    files = {"run.sh": "python scripts/train.py\n", "README.md": f"{README}bash run.sh\n"}

    assert doubts_of(tmp_path, script, **files) == []
    assert "x.to" not in doubts_of(tmp_path, script, **files, **{"tiny/layers.py": "y.to('cuda')\n"})[0]


def test_data_from_a_public_hub_are_public_and_unknown_ones_are_a_doubt(tmp_path: Path) -> None:
    unknown = replace(GOOD, dataset="SNLI")

    assert doubts_of(tmp_path, unknown) == ["it can't be told where they come from"]
    assert doubts_of(tmp_path, unknown, **{"tiny/model.py": "d = load_dataset('snli')\n"}) == []


def test_a_command_that_runs_something_else_and_an_unknown_commit_are_doubts(tmp_path: Path) -> None:
    other = replace(GOOD, command="cat scripts/train.py")

    assert doubts_of(tmp_path, other, commit="") == [
        "it does not run the entry point, as far as can be told",
        "the commit is unknown, so that the repository may change under the task: give --commit",
    ]


def test_many_places_are_counted(tmp_path: Path) -> None:
    found = doubts_of(tmp_path, **{"tiny/layers.py": "x.cuda()\n" * 500})

    assert len(found) == SHOWN + 1
    assert found[-1] == "and 496 more places like these"


@pytest.mark.parametrize(
    "text",
    [
        "from " + "." * 190_000,
        "a" * 190_000 + ".p",
        "A_" * 95_000,
        "device" + " " * 190_000,
        "need GP " * 20_000,
    ],
    ids=["dots", "word", "capitals", "spaces", "needs"],
)
def test_a_long_line_is_looked_at_in_part_and_holds_nothing_up(tmp_path: Path, text: str) -> None:
    files = {"scripts/train.py": f"{TRAIN}{text} x.cuda()", "run.sh": text, "README.md": f"{README}{text}"}

    assert doubts_of(tmp_path, **files) == []
    assert check(tmp_path, replace(GOOD, entrypoint="run.sh"), **files)[0].outcome is Outcome.OK
