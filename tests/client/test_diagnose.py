"""`superboard diagnose`: why attempts failed, from their files alone."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest

from tests.cast import LONG_ENOUGH, history
from tests.client.commands import superboard
from tests.formats.frameworks import stored, v1_events

MISSING = "ModuleNotFoundError: No module named 'apex'"


@pytest.fixture
def failed(tmp_path: Path) -> Path:
    """A folder of two attempts, one of which runs into one error until it ends, beside other files."""
    step = {"thought": "", "action": {"type": "execute", "content": "!python train.py"}, **LONG_ENOUGH}
    stuck = {"query": "", "history": [{**step, "observation": f"{MISSING}\x1b[31m"}] * 3}
    for name, told in (("pet", stuck), ("solved", history({"loss": 0.5}))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "history.json").write_text(json.dumps(told))
    (tmp_path / "metrics.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("nothing")
    return tmp_path


def test_it_says_why_with_step_evidence_and_confidence(failed: Path) -> None:
    called = superboard("diagnose", failed / "pet/history.json")

    assert called.code == 0
    out = " ".join(called.out.split())
    assert "3 commands failed so, in steps 1 to 3. (step 3, missing-module, high confidence)" in out
    assert MISSING in out
    assert "same command sent 3 times" in out
    assert "\x1b" not in called.out


def test_json_has_every_attempt_of_a_folder_in_order(failed: Path) -> None:
    called = superboard("diagnose", failed, "--json")

    assert called.code == 0
    stuck, solved = called.data["attempts"]
    assert (stuck["file"], solved["file"]) == tuple(
        str(failed / name / "history.json") for name in ("pet", "solved")
    )
    (finding,) = stuck["findings"]
    assert (finding["kind"], finding["first_step"], finding["last_step"]) == ("missing-module", 1, 3)
    assert (finding["confidence"], finding["evidence"]) == ("high", MISSING)
    assert solved["findings"] == []
    assert called.data["problems"] == []


def test_files_that_are_one_attempt_are_diagnosed_as_one(failed: Path) -> None:
    for name, content in stored(v1_events(("terminal", {"command": "ls"}, "x")), folder="cet/").items():
        (failed / name).parent.mkdir(parents=True, exist_ok=True)
        (failed / name).write_bytes(content)

    told = superboard("diagnose", failed, "--json").data["attempts"]

    assert told[0]["file"] == f"{failed}/cet"
    assert [each["format"] for each in told] == ["OpenHands V1", *["SUPER history.json"] * 2]


def test_several_attempts_in_one_file_are_told_apart(tmp_path: Path) -> None:
    lines = [json.dumps({**history({"loss": 0.5}), "task_id": name}) for name in ("a", "b")]
    (tmp_path / "runs.jsonl").write_text("\n".join(lines))

    found = superboard("diagnose", tmp_path / "runs.jsonl", "--json").data["attempts"]

    assert len({attempt["sample"] for attempt in found}) == 2


def test_a_file_that_can_not_be_read_ends_with_1_and_the_others_are_diagnosed(failed: Path) -> None:
    called = superboard("diagnose", failed / "notes.txt", failed / "pet", "--json")

    assert called.code == 1
    assert len(called.data["attempts"]) == 1
    assert [problem["file"] for problem in called.data["problems"]] == [str(failed / "notes.txt")]
    assert "not valid JSON" in called.err


def test_a_folder_without_an_attempt_is_a_problem(tmp_path: Path) -> None:
    called = superboard("diagnose", tmp_path)

    assert called.code == 1
    assert "no file in it is a trajectory in a known format" in called.err


def test_a_secret_is_masked(failed: Path) -> None:
    secret = "ghp_" + "".join(f"{zlib.crc32(bytes([n])):08x}" for n in range(5))[:36]
    path = failed / "pet/history.json"
    path.write_text(path.read_text().replace("apex", f"OPENAI_API_KEY={secret}"))

    assert secret not in superboard("diagnose", path, "--json").out


def test_a_wrong_call_ends_with_2() -> None:
    assert superboard("diagnose", "no-such-file").code == 2
