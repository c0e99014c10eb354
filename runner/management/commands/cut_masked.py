"""Cuts Masked tasks out of solved tasks, and proves each by executing it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.catalogue.selectors import get_task_set, task_spec
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.text import plural, storable
from leaderboard.formats.documents import read_file
from leaderboard.intake.yaml_files import Document
from leaderboard.models import Task, TaskSet
from leaderboard.runs import offers
from runner.execution.limits import Limits
from runner.making.cutting import Cuts, CutTask, cut_tasks, read_cuts
from runner.making.files import check_is_new, write_records
from runner.making.proving import prove
from runner.making.solutions import Cell, read_solution, solution_cells
from runner.sandbox.base import SandboxError
from runner.sandbox.engine import Labels
from runner.worker.provision import make_sandbox, owner_id, task_files_of


class Command(BaseCommand):
    help = (
        "Cut Masked tasks out of solved tasks, as descriptions say. Each is executed: its pre-executed cells "
        "have to run, and they and the solution to give the gold answer. If one fails nothing is written."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", metavar="DESCRIPTION", nargs="+", type=Path, help=".yaml or .json")
        parser.add_argument("--set", required=True, help="the full tasks: SET, or BENCHMARK/SET")
        parser.add_argument("--out", type=Path, help="the .jsonl file to write, for manage.py import_tasks")
        parser.add_argument("--list", action="store_true", help="only print the cells with their numbers")
        parser.add_argument("--sandbox", help="docker or local (default: the first that may be used)")
        parser.add_argument(
            "--seconds", type=float, default=Limits().pre_execute_seconds,
            help="how long a cell may run (default: %(default)g)",
        )  # fmt: skip
        parser.add_argument(
            "--unproved", action="store_true", help="execute nothing, and mark the tasks as unproved"
        )

    def handle(self, *args: Any, paths: list[Path], **options: Any) -> None:
        try:
            task_set = get_task_set(options["set"])
            solved = [_read(path, task_set) for path in paths]
            if options["list"]:
                self._list(solved)
            else:
                self._cut(solved, task_set, **options)
        except InputError as error:
            raise CommandError("\n".join(map(str, error.problems))) from error
        except SandboxError as error:
            raise CommandError(f"the sandbox failed, so that nothing is proved: {error}") from error

    def _list(self, solved: list[Solved]) -> None:
        for each in solved:
            for cell in each.cells:
                head = cell.content.strip().splitlines()[0][:100]
                self.stdout.write(f"{each.task.task_id} {cell.number:>3} {cell.kind:<7} {head}")

    def _cut(self, solved: list[Solved], task_set: TaskSet, *, out: Path | None, **options: Any) -> None:
        if out is None:
            raise CommandError("name the file to write with --out, or give --list")
        check_is_new(out)
        if not options["seconds"] > 0:
            raise CommandError("--seconds must be more than 0")
        cut = [
            (each.task, made)
            for each in solved
            for made in cut_tasks(task_spec(each.task), each.cells, each.cuts, each.document, each.name)
        ]
        _check_ids([made for _task, made in cut])
        if not options["unproved"]:
            kind = offers.pick_sandbox(options["sandbox"], task_set.benchmark.slug).name
            self._prove(cut, kind, options["seconds"])
        mark = {"unproved": True} if options["unproved"] else {}
        write_records(out, [{**made.record, **mark} for _task, made in cut])
        done = plural(len(cut), "{n} task", "{n} tasks")
        self.stdout.write(f"{out}: {done}; manage.py import_tasks {out} --set BENCHMARK/SET brings them in")

    def _prove(self, cut: list[tuple[Task, CutTask]], kind: str, seconds: float) -> None:
        failed = 0
        for task, made in cut:
            # Not an owner whose containers a worker's maintenance removes.
            labels = Labels(f"{owner_id()}-cut", "cut_masked", made.spec.task_id)
            with tempfile.TemporaryDirectory(prefix="superboard-cut-") as folder:
                sandbox = make_sandbox(kind, task.task_set, Path(folder) / "sandbox", labels)
                proof = prove(made, sandbox, prepare=task_files_of(task), seconds=seconds)
            if proof.problem:
                failed += 1
                self.stderr.write(f"{made.spec.task_id}: {proof.problem}")
                continue
            before, after = len(made.prefix), len(made.solution)
            self.stdout.write(
                f"{made.spec.task_id}: {before} pre-executed cells run, {after} more give the gold answer "
                f"in {proof.seconds:,.0f} s"
            )
            for note in proof.notes:
                self.stderr.write(f"{made.spec.task_id}: note: {note}")
        if failed:
            raise CommandError(f"{failed} of {len(cut)} are not proved; nothing was written", returncode=1)


class Solved(NamedTuple):
    """A description of cuts, the full task, and the cells that solve it."""

    name: str
    cuts: Cuts
    document: Document
    task: Task
    cells: list[Cell]


def _read(path: Path, task_set: TaskSet) -> Solved:
    cuts, document = read_cuts(path)
    task = task_set.tasks.filter(task_id=storable(cuts.task)).first()
    if task is None:
        reason = f"“{cuts.task}” is not a task of {task_set.key}"
        remedy = "import it first, or check --set"
        raise InputError(Problem(path.name, document.place(("task",)), reason, remedy))
    task.task_set = task_set
    if cuts.notebook:
        cells = read_solution(read_file(path.parent / cuts.notebook, name=cuts.notebook), name=cuts.notebook)
    else:
        cells = solution_cells(task.solution, name=f"task {task.task_id}")
    return Solved(path.name, cuts, document, task, cells)


def _check_ids(cut: list[CutTask]) -> None:
    ids = [made.spec.task_id for made in cut]
    if twice := sorted({task_id for task_id in ids if ids.count(task_id) > 1}):
        reason = f"several descriptions cut the same task: {', '.join(twice)}"
        raise InputError(Problem("--out", "", reason, "give them other ids"))
