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
    """Make the table of the cache where it is kept in the database: `migrate` is all that one has to run."""
    call_command("createcachetable", database=using, verbosity=0)
