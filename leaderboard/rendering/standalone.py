"""One self-contained HTML file: the whole trajectory and its stylesheet, readable without a server."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterable
from functools import cache

from markupsafe import Markup

from leaderboard.domain.scores import LandmarkResult
from leaderboard.rendering.addresses import fill_with_steps
from leaderboard.rendering.answers import indented_json, shown_answer
from leaderboard.rendering.facts import MARKER
from leaderboard.rendering.files import STATIC
from leaderboard.rendering.fragment import Export, ExportState, environment, export
from leaderboard.rendering.lines import visible
from leaderboard.rendering.model import Node
from leaderboard.rendering.prose import as_written, prose

STYLESHEET = STATIC / "css" / "notebook.css"
SCRIPT = STATIC / "js" / "standalone.js"
TEMPLATE = "standalone.html.j2"


def standalone_html(
    notebook: Node, landmarks: Iterable[LandmarkResult], title: str, exported: Export = export
) -> str:
    """A complete HTML page of a notebook from ``to_notebook``; folded text is in ``details``.

    It loads nothing, and runs one script of ours, for keys; a Content-Security-Policy in a meta element
    enforces both: it names the script by its hash. `rendering.facts` are filled in when the file is served.
    """
    state = ExportState(whole=True)
    steps = exported(notebook, state)
    script = _script()
    about = notebook["metadata"]["superboard"]
    query, answer = prose(about["query"]), about["answer"]
    template = environment().get_template(TEMPLATE)
    page = template.render(
        title=visible(title),
        css=Markup(STYLESHEET.read_text(encoding="utf-8")),  # noqa: S704 - a file of this project
        script=Markup(script),  # noqa: S704 - a file of this project
        script_hash=b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        facts=Markup(MARKER),  # noqa: S704 - a constant
        outline=state.outline,
        query=Markup(query + as_written(about["query"], query)),  # noqa: S704 - cleaned by nh3, and escaped
        answer=shown_answer(indented_json(answer) or answer, limit=None) if answer else None,
        landmarks=[
            {"number": result.number, "status": str(result.status), "first_step": result.first_step}
            for result in landmarks
        ],
        steps=Markup(steps),  # noqa: S704 - escaped by the exporter
    )
    return fill_with_steps(page)


@cache
def _script() -> str:
    return SCRIPT.read_text(encoding="utf-8")
