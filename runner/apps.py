from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig

from runner.celery import app


class RunnerConfig(AppConfig):
    name = "runner"
    label = "runner"

    def ready(self) -> None:
        # In every process that sends a task, not in the worker alone.
        app.set_default()
        # It knows models, and these can't be imported before Django has got this far.
        import_module("runner.offers").offer_everything()
