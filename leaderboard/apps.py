from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.core.management import call_command
from django.db.models.signals import post_migrate


class LeaderboardConfig(AppConfig):
    name = "leaderboard"
    label = "leaderboard"

    def ready(self) -> None:
        post_migrate.connect(create_cache_table, sender=self)


def create_cache_table(using: str, **kwargs: Any) -> None:
    """Create the table of the database cache after `migrate`, so that no other command is needed."""
    call_command("createcachetable", database=using, verbosity=0)
