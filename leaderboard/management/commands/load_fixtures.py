"""Load fixtures/, which ship with the project; loading them again changes nothing."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from leaderboard.operating.fixtures import load_fixtures


class Command(BaseCommand):
    help = "Load SUPER's catalogue, the published figures, and Warm-up with its recorded attempts."

    def handle(self, *args: Any, **options: Any) -> None:
        load_fixtures(settings.BASE_DIR / "fixtures", say=self.stdout.write)
