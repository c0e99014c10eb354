"""What an attempt without an answer was stuck at: each class, and which of several comes first."""

from __future__ import annotations

import pytest

from leaderboard.diagnosis import Confidence, diagnose
from leaderboard.diagnosis.classes import CLASSES
from leaderboard.domain.trajectory import Ending, StepKind
from tests.domain.trajectories import Piece, pre_executed, ran, submitted, trajectory

IN_DATA_CODE = 'File "/content/data_utils.py", line 4, in load\n    features = [row[0] for row in examples]\n'
IN_LIBRARY = 'File "/usr/lib/python3.10/site-packages/sklearn/text.py", line 9, in transform\n'
EXAMPLES = {
    "missing-module": [
        "ModuleNotFoundError: No module named 'apex'",
        "train.sh: line 3: deepspeed: command not found",
        "ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
    ],
    "dependency-conflict": [
        "ERROR: No matching distribution found for torch==1.8.0",
        "ERROR: Could not build wheels for tokenizers, which is required to install some projects\n"
        "[notice] A new release of pip is available: 24.0 -> 24.2\n"
        "[notice] To update, run: pip install --upgrade pip",
        "ImportError: cannot import name 'cached_path' from 'transformers.file_utils'",
        "TypeError: decorate() got an unexpected keyword argument 'tokenizer_class'",
        IN_LIBRARY + "AttributeError: 'CountVectorizer' object has no attribute 'get_feature_names'",
    ],
    "gpu-required": [
        "AssertionError: Torch not compiled with CUDA enabled",
        "RuntimeError: Found no NVIDIA driver on your system.",
    ],
    "out-of-memory": [
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB",
        "run.sh: line 7:  4711 Killed",
        "OSError: [Errno 28] No space left on device",
    ],
    "shape-or-type-error": [
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x8 and 4x8)",
        "TypeError: Object of type ndarray is not JSON serializable",
        "IndexError: list index out of range",
    ],
    "file-not-found": [
        "FileNotFoundError: [Errno 2] No such file or directory: 'data/train.csv'",
        "python3: can't open file '/content/run_glue.py': [Errno 2] No such file or directory",
    ],
    "download-failed": [
        "2024-08-20 23:22:47 ERROR 404: Not Found.",
        "datasets.exceptions.DatasetNotFoundError: Dataset 'MNLI' doesn't exist on the Hub",
        "fatal: repository 'https://example.org/a.git/' not found",
    ],
    "dataset-format": [
        "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        "ValueError: Column name ['idx'] not in the dataset.",
        IN_DATA_CODE + "IndexError: list index out of range",
    ],
    "config-or-arguments": [
        "main.py: error: unrecognized arguments: --train_data a.csv",
        "run.sh: line 9: --template: command not found",
        "ValueError: Some specified arguments are not used by the HfArgumentParser: ['--dataset']",
    ],
    "syntax-error": [
        "SyntaxError: unterminated string literal (detected at line 13)",
        "bash: -c: line 1: syntax error near unexpected token `('",
    ],
    "permission": ["/usr/bin/sh: 1: env/bin/activate: Permission denied"],
}


def stuck(*pieces: Piece, ending: Ending = Ending.CONTEXT, **fields: object) -> list[str]:
    """The classes of what an attempt that ended without an answer was stuck at."""
    return [finding.kind for finding in diagnose(trajectory(*pieces, ending=ending, **fields)).findings]


def edit(observation: str, action: str = "train.py") -> Piece:
    return ran(action, observation, 0.0, kind=StepKind.EDIT)


@pytest.mark.parametrize(("kind", "output"), [(kind, each) for kind in EXAMPLES for each in EXAMPLES[kind]])
def test_a_command_that_fails_again_and_again_shows_its_class(kind: str, output: str) -> None:
    assert stuck(*[ran("!python train.py", output)] * 3)[:1] == [kind]


def test_every_class_of_an_obstacle_has_an_example() -> None:
    of_answers = {
        "wrong-scale", "wrong-metric-or-split", "wrong-hyperparameters", "misread-task", "gave-up",
        "answer-format", "fabricated-answer", "partial-results",
    }  # fmt: skip
    of_steps = {"edit-failed", "format-error", "context-exhausted-reading", "slow-execution"}

    assert set(CLASSES) == set(EXAMPLES) | of_answers | of_steps


@pytest.mark.parametrize(
    "refusal",
    [
        "Could not find the following lines to replace in the file content:\n```\na\n```",
        "Found multiple (3) occurrences of the <<<BEFORE_EDIT>>>  lines.",
        "Your proposed edit has introduced new syntax error.\nERRORS:\n- E999 IndentationError: unexpected",
        "No replacement was performed, old_str `a` did not appear verbatim in train.py.",
        "Error: String to replace not found in file.",
    ],
)
def test_edits_that_are_refused_stop_an_attempt_in_every_loop_s_words(refusal: str) -> None:
    pieces = [ran("!python train.py", "FileNotFoundError: 'a'"), *[edit(refusal)] * 9]

    assert stuck(*pieces)[0] == "edit-failed"


def test_an_edit_that_was_done_is_no_obstacle() -> None:
    shown = "[File: train.py (2 lines total)]\n1:raise ValueError: no\nFile updated."

    assert "edit-failed" not in stuck(*[edit(shown)] * 9)


def test_the_steps_that_work_on_an_error_belong_to_it() -> None:
    pieces = [
        ran("!python train.py", "ModuleNotFoundError: No module named 'apex'"),
        *[ran("!pip install apex", "Successfully installed")] * 3,
        ran("!python train.py", "ModuleNotFoundError: No module named 'apex'"),
        *[ran("cat setup.py", "No such file or directory", kind=StepKind.VIEW)] * 5,
    ]

    (finding,) = diagnose(trajectory(*pieces, ending=Ending.CONTEXT)).findings

    assert (finding.kind, finding.first_step, finding.last_step) == ("missing-module", 1, 10)
    assert "2 commands failed so, in steps 1 to 10, until its context was used up" in finding.sentence
    assert finding.evidence == "ModuleNotFoundError: No module named 'apex'"
    assert finding.evidence_step == 5


def test_what_it_was_stuck_at_in_the_end_comes_before_what_it_got_over() -> None:
    pieces = [
        *[ran("!python train.py", "ModuleNotFoundError: No module named 'apex'")] * 4,
        ran("!python train.py", "done"),
        *[ran("!python eval.py", "FileNotFoundError: [Errno 2] No such file or directory: 'a'")] * 4,
    ]

    assert stuck(*pieces)[:1] == ["file-not-found"]


def test_the_error_is_found_before_lines_that_follow_from_it() -> None:
    output = (
        "Traceback (most recent call last):\n  File \"run.py\"\nModuleNotFoundError: No module named 'apex'\n"
        "cat: results/score.txt: No such file or directory"
    )

    assert stuck(*[ran("!bash run.sh", output)] * 3)[:1] == ["missing-module"]


def test_looking_around_stops_nothing() -> None:
    assert (
        stuck(*[ran("!ls data && cat a.txt", "ls: cannot access 'data': No such file or directory")] * 3)
        == []
    )


def test_the_set_up_that_was_given_is_not_the_agents_work() -> None:
    assert stuck(*[pre_executed("!python train.py", "FileNotFoundError: 'a'")] * 5) == []


def test_reading_is_an_obstacle_only_of_a_budget_that_was_used_up_and_of_much_of_it() -> None:
    reading = [ran("open train.py", "[File: train.py]", kind=StepKind.VIEW)]

    assert stuck(*reading * 30) == ["context-exhausted-reading"]
    assert stuck(*reading * 30, ending=Ending.UNKNOWN) == []
    assert stuck(*reading * 3) == []


def test_time_goes_to_what_took_it() -> None:
    waits = ran(
        "!python train.py", "Your command has already run for 300 seconds. It is still running.", 300.0
    )
    builds = ran("!pip install -r requirements.txt", "ERROR: Could not build wheels for numpy", 300.0)
    error = ran("!python a.py", "KeyError: 'a'", 1.0)

    assert stuck(waits, waits, error, ending=Ending.TIME)[0] == "slow-execution"
    assert stuck(builds, builds, error, ending=Ending.TIME)[0] == "dependency-conflict"


def test_who_submits_nothing_gave_up_and_what_it_was_stuck_at_comes_next() -> None:
    failing = [ran("!wget https://example.org/a", "2024-08-20 23:22:47 ERROR 404: Not Found.")] * 3

    assert stuck(*failing, submitted(), answer=None, ending=Ending.SUBMITTED) == [
        "gave-up",
        "download-failed",
    ]
    assert stuck(*failing, submitted(), answer={"loss": None}, ending=Ending.SUBMITTED)[0] == "gave-up"


def test_confidence_says_how_much_of_the_attempt_it_was() -> None:
    failing = ran("!python train.py", "KeyError: 'a'")
    well = ran("!python train.py", "done")

    def confidence(*pieces: Piece) -> Confidence:
        return diagnose(trajectory(*pieces, ending=Ending.CONTEXT)).findings[0].confidence

    assert confidence(*[failing] * 5) == Confidence.HIGH
    assert confidence(*[well] * 5, failing, failing, well, well) == Confidence.LOW


def test_an_attempt_that_went_well_so_far_has_no_finding() -> None:
    assert stuck(*[ran("!python train.py", "loss 0.5")] * 5) == []


def test_the_end_of_an_attempt_is_no_step_of_what_it_was_stuck_at() -> None:
    failed = ran("!python train.py", "ModuleNotFoundError: No module named 'apex'")
    ended = ran("Total context tokens exceeded.", None, None, kind=StepKind.EXCEPTION)

    (finding,) = diagnose(trajectory(*[failed] * 4, ended, ending=Ending.CONTEXT)).findings

    assert (finding.first_step, finding.last_step) == (1, 4)
