"""Load fixtures/, which ship with the project; loading them again changes nothing."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from leaderboard.domain.errors import InputError
from leaderboard.operating.fixtures import load_fixtures


class Command(BaseCommand):
    help = "Load the bundled benchmarks with their tasks, published figures and recorded attempts."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            load_fixtures(settings.BASE_DIR / "fixtures", say=self.stdout.write)
        except InputError as error:
            raise CommandError("\n".join(map(str, error.problems))) from error
