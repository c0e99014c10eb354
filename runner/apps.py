from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig

from runner.celery import app


class RunnerConfig(AppConfig):
    name = "runner"
    label = "runner"

    def ready(self) -> None:
        # In every process that sends tasks, not only in the worker.
        app.set_default()
        # Imported here, as models can't be imported before Django is ready.
        import_module("runner.offers").offer_everything()
