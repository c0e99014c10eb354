"""An exporter of nbconvert that gives what pages show of a notebook from `rendering.notebook`."""

from __future__ import annotations

from typing import Any

from nbconvert.exporters import Exporter
from nbformat import NotebookNode

from leaderboard.rendering.fragment import ExportState, export


class TrajectoryExporter(Exporter):
    """For programs that use nbconvert; the site and the `superboard` command call `fragment.export`.

    The outline, pages and texts are in the resources' ``state`` then.
    """

    file_extension = ".html"
    output_mimetype = "text/html"

    def from_notebook_node(  # type: ignore[override]  # nbconvert's are annotated as their base is
        self, nb: NotebookNode, resources: Any = None, **_: object
    ) -> tuple[str, Any]:
        """As nbconvert's own, without its copy of the notebook: nothing here changes it."""
        state = (resources or {}).get("state") or ExportState()
        return export(nb, state), {**(resources or {}), "state": state}
