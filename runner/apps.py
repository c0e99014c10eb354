from __future__ import annotations

from django.apps import AppConfig

from leaderboard.runs.offers import offer_from
from runner.worker.app import app


class RunnerConfig(AppConfig):
    name = "runner"
    label = "runner"

    def ready(self) -> None:
        # In every process that sends tasks, not only in the worker.
        app.set_default()
        offer_from("runner.worker.offers.offer_everything")
