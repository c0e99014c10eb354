"""Renders trajectories to what is stored and shown. Pure Python, without Django; no web request renders.

The package imports a name on its first use: Jinja, Pygments and plotly take long to import,
and code that only reads stored pages needs none of them. Modules without these are imported by their names.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leaderboard.rendering.charts import bars_by_group as bars_by_group
    from leaderboard.rendering.charts import curve as curve
    from leaderboard.rendering.charts import scatter as scatter
    from leaderboard.rendering.exporter import export_notebook as export_notebook
    from leaderboard.rendering.fragment import render_attempt as render_attempt
    from leaderboard.rendering.notebook import notebook_bytes as notebook_bytes
    from leaderboard.rendering.standalone import standalone_html as standalone_html

_MODULES = {
    "scatter": "charts",
    "bars_by_group": "charts",
    "curve": "charts",
    "export_notebook": "exporter",
    "notebook_bytes": "notebook",
    "render_attempt": "fragment",
    "standalone_html": "standalone",
}
"""The module of each name. No name may equal a module's: Python would return the module instead."""

if not TYPE_CHECKING:  # A type checker would accept any name.

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
