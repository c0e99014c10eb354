"""An archive of several entries: each folder with an entry.yaml of its own is one."""

from __future__ import annotations

from pathlib import Path

from leaderboard.domain.errors import Problem
from leaderboard.intake.archives import unpack
from leaderboard.intake.check import check_folder
from leaderboard.intake.description import Description
from leaderboard.intake.entry_folders import EntrySplit, split_into_entries
from leaderboard.intake.layout import list_files
from leaderboard.intake.reader import Reader
from leaderboard.intake.report import Report
from tests.intake.archives import Zip
from tests.intake.folders import KNOWN_TASKS, write, write_file


def describe(folder: Path, *paths: str, text: str = "agent: A\nmodel: M\n") -> Path:
    for path in paths:
        write_file(folder, f"{path}/entry.yaml", text)
    return folder


def divided(folder: Path) -> EntrySplit:
    return split_into_entries(list_files(folder))


def parts_in(folder: Path) -> list[str]:
    return [part.path for part in divided(folder).parts]


def check(folder: Path, **options: object) -> Report:
    return check_folder(
        folder,
        name="results.zip",
        known_tasks=KNOWN_TASKS,
        reader=Reader(workers=1),
        **options,  # type: ignore[arg-type]
    )


def test_each_described_folder_is_an_entry(tmp_path: Path) -> None:
    describe(write(tmp_path, "all/a/cet/history.json", "all/b/cet.json"), "all/a", "all/b")

    parts = divided(tmp_path).parts

    assert [(part.path, [file.name for file in part.files]) for part in parts] == [
        ("all/a", ["all/a/entry.yaml", "all/a/cet/history.json"]),
        ("all/b", ["all/b/cet.json", "all/b/entry.yaml"]),
    ]


def test_one_description_is_about_all_wherever_it_lies(tmp_path: Path) -> None:
    assert parts_in(describe(write(tmp_path, "a/cet.json", "b/amos.json"), "a")) == []


def test_two_descriptions_in_one_folder_make_no_entries(tmp_path: Path) -> None:
    write_file(tmp_path, "entry.json", {})

    assert parts_in(describe(write(tmp_path, "cet.json"), ".")) == []


def test_a_described_folder_without_results_is_no_entry(tmp_path: Path) -> None:
    describe(write(tmp_path, "a/cet.json", "b/cet.json"), "a", "b", "docs")

    assert parts_in(tmp_path) == ["a", "b"]


def test_a_description_inside_of_an_entry_makes_no_further_one(tmp_path: Path) -> None:
    describe(write(tmp_path, "a/x/cet.json", "b/cet.json"), "a", "a/x", "b")

    assert parts_in(tmp_path) == ["a", "b"]
    inner = check(tmp_path).parts[0].files
    assert [str(line.findings[0].problem.reason) for line in inner if line.findings] == [
        "the description in a/entry.yaml is used instead"
    ]


def test_a_description_above_gives_defaults_and_the_part_s_own_goes_before_them(tmp_path: Path) -> None:
    write_file(tmp_path, "entry.yaml", "agent: A\nmodel: M\nlinks:\n  - https://example.org/\n")
    describe(write(tmp_path, "x/cet.json", "y/cet_data.json"), "x", "y", text="model: M2\nset: expert\n")
    write_file(tmp_path, "y/entry.yaml", "set: masked\n")

    x, y = check(tmp_path).parts

    assert [(part.task_set, part.description.agent, part.description.model) for part in (x, y)] == [
        ("super/expert", "A", "M2"),
        ("super/masked", "A", "M"),
    ]
    assert len(x.description.links) == len(y.description.links) == 1


def test_what_is_said_beside_the_files_gives_defaults_too(tmp_path: Path) -> None:
    describe(write(tmp_path, "x/cet.json", "y/amos.json"), "x", text="agent: X\n")
    describe(tmp_path, "y", text="notes: y\n")

    parts = check(tmp_path, form=Description(agent="Ours", task_set="expert")).parts

    assert [(part.description.agent, part.task_set) for part in parts] == [
        ("X", "super/expert"),
        ("Ours", "super/expert"),
    ]


def test_results_outside_of_every_entry_are_passed_over_with_a_warning(tmp_path: Path) -> None:
    describe(write(tmp_path, "a/cet.json", "b/cet.json", "c/cet.json"), "a", "b")
    write_file(tmp_path, "README.md", "…")
    (tmp_path / "link").symlink_to("README.md")

    report = check(tmp_path)

    assert [(line.name, line.verdict.value, len(line.findings)) for line in report.files] == [
        ("README.md", "passed over", 0),
        ("c/cet.json", "passed over", 1),
        ("link", "refused", 1),
    ]
    assert "in none of the folders that have an entry.yaml" in str(report.files[1].findings[0].problem)


def test_a_description_above_that_can_not_be_read_is_an_error(tmp_path: Path) -> None:
    write_file(tmp_path, "entry.yaml", "agnt: A\n")

    report = check(describe(write(tmp_path, "a/cet.json", "b/cet.json"), "a", "b"))

    assert [(line.name, line.verdict.value) for line in report.files] == [("entry.yaml", "refused")]
    assert report.totals["errors"] == 1
    assert len(report.parts) == 2


def test_the_same_task_in_two_entries_is_no_conflict_and_totals_count_both(tmp_path: Path) -> None:
    describe(write(tmp_path, "a/cet.json", "b/cet.json", "b/amos.json"), "a", "b")

    report = check(tmp_path)
    data = report.as_data()

    assert (report.totals["attempts"], report.totals["errors"], report.totals["tasks"]) == (3, 0, 6)
    assert [part["name"] for part in data["parts"]] == ["a", "b"]
    assert data["missing"] == []


def test_a_problem_of_unpacking_is_told_where_it_belongs(tmp_path: Path) -> None:
    describe(write(tmp_path, "a/cet.json", "ab/cet.json"), "a", "ab")
    left_out = [Problem(name, "", "left out") for name in ("ab/x.json", "c/y.json")]

    report = check(tmp_path, left_out=left_out)

    assert [[line.name for line in each.files if line.findings] for each in (report, *report.parts)] == [
        ["c/y.json"],
        [],
        ["ab/x.json"],
    ]


def test_one_part_alone_can_be_unpacked(tmp_path: Path) -> None:
    archive = tmp_path / "results.zip"
    members = Zip().add("a/x.json").add("./b\\y.json").add("ab/z.json").add("b/../z").add("a/../z")
    archive.write_bytes(members.end())

    problems = unpack(archive, tmp_path / "into", name="results.zip", part="b")

    assert [file.name for file in list_files(tmp_path / "into")] == ["b/y.json"]
    assert [problem.file for problem in problems] == ["b/../z"]
