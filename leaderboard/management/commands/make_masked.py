"""Make AutoExperiment's data points, level by level, out of a paper's code."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.domain.errors import InputError
from leaderboard.masking.experiments import read_experiments
from leaderboard.masking.papers import (
    Paper,
    check_paper,
    data_points,
    parse_function,
    prove,
    write_level,
)


class Command(BaseCommand):
    help = (
        "Mask functions of a paper's code and write AutoExperiment's data points: for every level n a file "
        "of JSON lines, with a point for each choice of n functions, and the masked code of each. Results "
        "come from running the experiments, on this machine and without isolation: name code that you trust."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("repository", metavar="REPO", type=Path, help="the folder of the paper's code")
        parser.add_argument("--paper", required=True, help="the paper's id, such as 2309.05569")
        parser.add_argument(
            "--experiments", required=True, type=Path, metavar="FILE",
            help="JSON lines with description, command and metrics: {name: pattern of what is printed}",
        )  # fmt: skip
        parser.add_argument(
            "--function", action="append", dest="functions", default=[], metavar="FILE::NAME",
            help="a function to mask, such as rank/model.py::Ranker.fit; its id is its place, from 0",
        )  # fmt: skip
        parser.add_argument(
            "--levels", type=_levels, default=range(2), help="such as 0-3 or 2 (default: 0-1)"
        )
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="the folder to write")
        parser.add_argument("--name", default="masked", help="files are NAME_n=2.jsonl (default: masked)")
        parser.add_argument(
            "--exclude", action="append", default=[], metavar="PATTERN",
            help="names of files and folders that no copy gets; history and compiled files never are copied",
        )  # fmt: skip
        parser.add_argument(
            "--seconds", type=float, default=600.0, help="longest run of an experiment (default: 600)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        levels = options["levels"]
        try:
            paper = Paper(
                paper_id=options["paper"],
                root=options["repository"],
                experiments=read_experiments(options["experiments"]),
                functions=tuple(map(parse_function, options["functions"])),
                left_out=tuple(options["exclude"]),
                seconds=options["seconds"],
            )
            check_paper(paper, levels, options["out"], name=options["name"])
            proof = prove(paper, say=self.stdout.write)
            for level in levels:
                points = data_points(paper, proof, level)
                path = write_level(paper, points, level, options["out"], name=options["name"])
                self.stdout.write(f"{path}: {len(points):,} tasks of {paper.paper_id}")
        except InputError as error:
            raise CommandError("\n".join(map(str, error.problems))) from error


def _levels(text: str) -> range:
    first, dash, last = text.partition("-")
    try:
        levels = range(int(first), int(last if dash else first) + 1)
    except ValueError:
        levels = range(0)
    if not levels or levels[0] < 0:
        raise ArgumentTypeError(f"“{text}” is no level and no range of levels such as 0-3")
    return levels
