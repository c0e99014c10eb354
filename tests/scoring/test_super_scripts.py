"""What counts as having run the task's script, for each scorer."""

from __future__ import annotations

import pytest

from leaderboard.domain.commands import runs_script
from leaderboard.domain.trajectory import StepKind
from leaderboard.scoring.super.scripts import script_ran_as_paper, script_ran_strictly
from tests.domain.trajectories import Piece, pre_executed, ran, trajectory, waited

RUN = "!python train.py"
RUNNING = (
    "\n\nYour command has already run for 300 seconds. It is still running. You can continue to wait or …"
)
INTERRUPT = ran("", "Kernel interrupted.", 0, kind=StepKind.INTERRUPT)

# name: the steps, by the paper, strictly
GOLDEN: dict[str, tuple[list[Piece], bool, bool]] = {
    "a run": ([ran(RUN)], True, True),
    "a run of exactly 10 seconds": ([ran(RUN, duration=10)], True, True),
    "a run of less than 10 seconds": ([ran(RUN, duration=9.9)], False, False),
    "a run of unknown duration": ([ran(RUN, duration=None)], False, False),
    "a run with a traceback": ([ran(RUN, "Traceback (most recent call last)")], False, False),
    "a run with wrong arguments": ([ran(RUN, "train.py: error: no such option")], False, False),
    "a run without an observation": ([ran(RUN, None)], True, True),
    "a second run that works": ([ran(RUN, "Traceback"), ran(RUN)], True, True),
    "no steps": ([], False, False),
    "another script": ([ran("!python test.py")], False, False),
    "a pre-executed run": ([pre_executed(RUN)], True, False),
    "printing the script": ([ran("!cat train.py")], True, False),
    "a script whose name ends alike": ([ran("!python pretrain.py")], True, False),
    "its dotted name with python -m": ([ran("!python -m src.train")], True, True),
    "python -m of a module of that name elsewhere": ([ran("!python -m pkg.train")], True, False),
    "python -m of another module": ([ran("!python -m pip install train")], True, False),
    "an exception": ([ran(RUN, kind=StepKind.EXCEPTION)], False, False),
    "an edit that took long": ([ran(RUN, kind=StepKind.EDIT)], True, False),
    "a run cut short by the time limit": ([ran(RUN, RUNNING, 300)], True, False),
    "a run that was interrupted": ([ran(RUN, RUNNING, 300), INTERRUPT], True, False),
    "an interrupt that it survived": ([ran(RUN, "KeyboardInterrupt" + "x" * 1000)], True, True),
    "an interrupt without a notice before it": ([ran(RUN), INTERRUPT], True, False),
    "a wait until it finished": ([ran(RUN, RUNNING, 300), waited("done")], True, True),
    "a wait that did not suffice": ([ran(RUN, RUNNING, 300), waited(RUNNING)], True, False),
    "a wait ended by an interrupt": ([ran(RUN, RUNNING, 300), waited(RUNNING), INTERRUPT], True, False),
    "durations add up over waits": ([ran(RUN, RUNNING, 6), waited(duration=6)], False, True),
    "a traceback after a wait": ([ran(RUN, RUNNING, 300), waited("Traceback")], True, False),
    "a wait after a format error": (
        [ran(RUN, RUNNING, 300), ran("?", kind=StepKind.FORMAT_ERROR), waited("done")],
        True,
        True,
    ),
    "a wait without a type": (
        [ran(RUN, RUNNING, 300), ran("continue_wait", "done", kind=StepKind.OTHER)],
        True,
        True,
    ),
    "a wait for another command": ([ran(RUN, RUNNING, 300), ran("!ls", "x", 1), waited("done")], True, False),
    "a wait for nothing": ([waited()], False, False),
}


@pytest.mark.parametrize(("steps", "expected", "_strict"), GOLDEN.values(), ids=GOLDEN)
def test_by_the_paper(steps: list[Piece], expected: bool, _strict: bool) -> None:
    assert script_ran_as_paper("src/train.py", trajectory(*steps)) is expected


@pytest.mark.parametrize(("steps", "_paper", "expected"), GOLDEN.values(), ids=GOLDEN)
def test_strictly(steps: list[Piece], _paper: bool, expected: bool) -> None:
    assert script_ran_strictly("src/train.py", trajectory(*steps)) is expected


def test_the_paper_does_not_judge_what_is_no_script() -> None:
    assert script_ran_as_paper("notebook.ipynb", trajectory(ran("notebook.ipynb"))) is None


@pytest.mark.parametrize(
    "source",
    [
        "!python train.py --lr 0.1",
        "python3.10 -u -W ignore ./src/train.py",
        "!/opt/env/bin/python /content/repo/src/train.py",
        "%run src/train.py --epochs 1",
        "%time %run train.py",
        "!cd src && python train.py 2>&1 | tee log.txt",
        "%cd /content/repo\n# comment\nimport os\n!PYTHONPATH=$(pwd) CUDA_VISIBLE_DEVICES=0 python train.py",
        "!PYTHONPATH=$PYTHONPATH:$(pwd)/src python train.py",
        "!out=$(python train.py) && echo $out",
        "!nohup python train.py > out.log 2>&1 &",
        "!time timeout 600 python train.py",
        "!python \\\n  train.py \\\n  --lr 1",
        "%%bash\nexport A=1\nfor i in 1 2; do python train.py $i; done",
        "%%time\n!python train.py",
        "!python -m src.train",
        "!cd src; python -m train",
        "!cat > a <<E\nx\nE\n!python train.py\n!cat > b <<E\ny\nE",
        "x = 1 << n\n!python train.py",
        "!torchrun --nproc_per_node 2 src/train.py",
        "!python -m torch.distributed.launch --nproc_per_node=1 train.py",
        "!accelerate launch --num_processes 1 train.py",
        "!deepspeed train.py",
        "!chmod +x src/train.py && ./src/train.py",
        "!bash -c 'cd src && python train.py'",
        "import subprocess, sys\nsubprocess.run([sys.executable, 'train.py'], check=True)",
        "import os\nos.system('python train.py')",
        "import runpy\nrunpy.run_path('src/train.py')",
        "for seed in range(3):\n    !python train.py --seed {seed}",
        '!python train.py --text "a\nb"',
    ],
)
def test_what_runs_a_python_script(source: str) -> None:
    assert runs_script(source, "src/train.py")


@pytest.mark.parametrize(
    "source",
    [
        "!cat train.py",
        "!head -n 5 train.py && tail train.py",
        "!sed -i 's/a/b/' train.py",
        "!grep -n lr src/train.py | sort",
        "vim train.py",
        "open train.py",
        "!ls; echo python train.py",
        "!python other.py --config train.py",
        "!python -m pdb_tools train.py",
        "!python -c 'print(open(\"train.py\").read())'",
        "# python train.py\nprint('python train.py')",
        "%%writefile run.sh\npython train.py",
        "!cat > run.sh <<EOF\npython train.py\nEOF",
        "!cat > run.sh <<'END'\npython train.py\nEND\n!chmod +x run.sh",
        "print(open('train.py').read())",
        "!python pretrain.py",
        "!wget https://example.org/train.py",
        "!torchrun other.py train.py",
        "!",
    ],
)
def test_what_only_names_a_python_script(source: str) -> None:
    assert not runs_script(source, "src/train.py")


@pytest.mark.parametrize(
    "source", ["!bash run.sh a", "!sh -x run.sh", "!. ./run.sh", "!source run.sh", "!./run.sh"]
)
def test_what_runs_a_shell_script(source: str) -> None:
    assert runs_script(source, "scripts/run.sh")


@pytest.mark.parametrize(
    "source", ["!cat run.sh", "!bash other.sh run.sh", "!bash -o pipefail other.sh", "!run.sh"]
)
def test_what_only_names_a_shell_script(source: str) -> None:
    assert not runs_script(source, "scripts/run.sh")


@pytest.mark.parametrize("entrypoint", ["", "/", "."])
def test_an_entry_point_without_a_name_is_run_by_nothing(entrypoint: str) -> None:
    assert not runs_script("!python -m a && /", entrypoint)


def test_a_very_long_cell_is_looked_into_up_to_a_limit() -> None:
    assert not runs_script("x = 1\n" * 50_000 + RUN, "train.py")
