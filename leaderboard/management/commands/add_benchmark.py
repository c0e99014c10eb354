"""Make or change a benchmark from its file; exit status 1 if it was refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.catalogue.services import save_benchmark
from leaderboard.domain.errors import InputError
from leaderboard.intake.yaml_files import Document, read_document


class Command(BaseCommand):
    help = (
        "Make a benchmark and its task sets from a file of YAML or JSON; docs/importing.md has its keys. The "
        "same file again changes nothing, a changed one updates the benchmark. Nothing with data is removed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help=".yaml, .yml or .json")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        document, changes = Document(None), list[str]()
        try:
            document = read_document(path, name=path.name)
            benchmark = save_benchmark(document.value, file=path.name, say=changes.append)
        except InputError as error:
            for problem in error.problems:
                self.stderr.write(str(document.with_line(problem)))
            raise CommandError(f"{path.name} was not added; the reasons are above", returncode=1) from error
        for change in changes:
            self.stdout.write(change)
        if not changes:
            self.stdout.write(f"benchmark {benchmark.slug}: nothing changed")
