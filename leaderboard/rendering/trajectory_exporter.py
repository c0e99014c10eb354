"""nbconvert's template machinery with none of its filters and preprocessors.

`rendering.exporter` loads this module at the first export: nbconvert takes longer to import than Django.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import Environment
from nbconvert.exporters import TemplateExporter
from nbformat import NotebookNode
from traitlets.config import Config


class TrajectoryExporter(TemplateExporter):
    """Exports the notebooks of ``rendering.notebook`` with ``filters`` and no others.

    Pass ``{"gathered": Gathered()}`` as resources.
    """

    def __init__(self, filters: Mapping[str, Callable[..., Any]], **options: Any) -> None:
        self._filters = filters
        super().__init__(**options)  # type: ignore[no-untyped-call]

    @property
    def default_config(self) -> Config:
        """No preprocessor: the notebook is ours, and each would copy it."""
        return Config({"TrajectoryExporter": {"default_preprocessors": []}})

    def default_filters(self) -> Any:
        """Ours alone."""
        return self._filters.items()

    def _create_environment(self) -> Environment:
        environment: Environment = super()._create_environment()  # type: ignore[no-untyped-call]
        environment.autoescape = True
        return environment

    def _preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        return nb, resources
