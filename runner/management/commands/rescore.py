"""Scores stale attempts anew."""

from __future__ import annotations

from typing import Any

from celery import current_app
from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.catalogue.selectors import get_task_set
from leaderboard.domain.errors import InputError
from leaderboard.models import Attempt, TaskSet
from leaderboard.operating.rescoring import RESCORE_TASK, preview_rescore, rescore_attempt, stale_attempts


class Command(BaseCommand):
    help = (
        "Score those attempts of a task set anew whose gold, landmarks, entry point or scorer has changed. "
        "Without --apply it only prints the ranks that would change."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--set", required=True, help="task set: SET, or BENCHMARK/SET")
        parser.add_argument("--apply", action="store_true", help="let the new scores take effect")
        parser.add_argument(
            "--background", action="store_true", help="with --apply: leave the work to the workers"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            task_set = get_task_set(options["set"])
        except InputError as error:
            raise CommandError(str(error)) from error
        attempts = list(stale_attempts().filter(task__task_set=task_set))
        if not attempts:
            self.stdout.write(f"{task_set}: no stale scores")
        elif not options["apply"]:
            self._preview(task_set, attempts)
        elif options["background"]:
            for attempt in attempts:
                current_app.signature(RESCORE_TASK, (attempt.pk,)).delay()
            self.stdout.write(f"{task_set}: {len(attempts)} attempts sent to the workers")
        else:
            for attempt in attempts:
                rescore_attempt(attempt)
            self.stdout.write(f"{task_set}: {len(attempts)} attempts re-scored")

    def _preview(self, task_set: TaskSet, attempts: list[Attempt]) -> None:
        changes = preview_rescore(task_set, attempts)
        for change in changes:
            self.stdout.write(f"{change.entry}: rank {change.before or '-'} becomes {change.after or '-'}")
        self.stdout.write(
            f"{task_set}: {len(attempts)} attempts to re-score, {len(changes)} ranks would change; "
            "--apply does it"
        )
