"""The exporter of nbconvert that makes what is stored of a notebook from `rendering.notebook`.

Its template and filters are those of `rendering.fragment`, which the viewer of files uses without nbconvert,
whose import takes longer than to read and render most trajectories.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import nbformat
from jinja2 import Environment
from nbconvert.exporters import TemplateExporter
from nbformat import NotebookNode
from traitlets.config import Config

from leaderboard.rendering.fragment import FILTERS, TEMPLATES, ExportState
from leaderboard.rendering.model import Node


class TrajectoryExporter(TemplateExporter):
    """Exports the notebooks of ``rendering.notebook``; the resources may have an `ExportState` as ``state``.

    The outline, pages and texts are in that state then.
    """

    template_name = "trajectory"
    file_extension = ".html"
    output_mimetype = "text/html"
    extra_template_basedirs = [str(TEMPLATES.parent)]  # noqa: RUF012 - a trait of nbconvert's

    @property
    def default_config(self) -> Config:
        """No preprocessors: none is used, and to import them takes long."""
        return Config({"TrajectoryExporter": {"default_preprocessors": []}})

    def default_filters(self) -> Any:
        """The filters of this package only."""
        return FILTERS.items()

    def _create_environment(self) -> Environment:
        environment: Environment = super()._create_environment()  # type: ignore[no-untyped-call]
        environment.autoescape = True
        return environment

    def from_notebook_node(  # type: ignore[override]  # nbconvert's are annotated as their base is
        self, nb: NotebookNode, resources: Any = None, **_: object
    ) -> tuple[str, Any]:
        """As nbconvert's own, without its copy of the notebook: nothing here changes it."""
        known = {"state": ExportState(), **(resources or {})}
        html: str = self.template.render(nb=nb, resources=known)
        return html.lstrip("\r\n"), known


@cache
def exporter() -> TrajectoryExporter:
    """The process's only exporter: creating one takes as long as many exports."""
    return TrajectoryExporter()  # type: ignore[no-untyped-call]


def export_notebook(notebook: Node, state: ExportState) -> str:
    """The HTML fragment of all steps, as `fragment.export` makes it; the rest is in ``state`` then."""
    node = nbformat.from_dict(notebook)  # type: ignore[no-untyped-call]
    return exporter().from_notebook_node(node, {"state": state})[0]
