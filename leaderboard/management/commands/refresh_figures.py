"""Computes the figures of entries anew from their stored scores."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.catalogue.selectors import all_task_sets, get_task_set
from leaderboard.core.figures import refresh_figures
from leaderboard.domain.errors import InputError
from leaderboard.domain.text import plural


class Command(BaseCommand):
    help = (
        "Compute every figure of a task set's entries anew from the stored scores, with its interval, and "
        "the ranks that can't be told apart. For after an update that brings them; writes only what differs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--set", help="task set: SET, or BENCHMARK/SET (default: every one)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            task_sets = [get_task_set(options["set"])] if options["set"] else all_task_sets()
        except InputError as error:
            raise CommandError(str(error)) from error
        for task_set in task_sets:
            entries = list(task_set.entries.all())
            refresh_figures(task_set, entries)
            self.stdout.write(f"{task_set}: {plural(len(entries), '{n} entry', '{n} entries')}")
