"""The notebook of a trajectory."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from nbconvert import HTMLExporter
from nbconvert.filters import markdown2html

from leaderboard.domain.scores import LandmarkResult, LandmarkStatus
from leaderboard.domain.trajectory import Ending, Step, StepKind, Trajectory
from leaderboard.rendering.inert import step_markdown
from leaderboard.rendering.notebook import notebook_bytes, to_notebook
from tests.rendering.helpers import hit, step, trajectory

TEXTS = st.text(st.characters(codec=None), max_size=20)
# The first validation loads its schema: on a busy machine that takes longer than one example of a test may.
nbformat.validate(to_notebook(trajectory()))


def test_a_step_is_a_thought_and_a_code_cell_with_stable_ids() -> None:
    notebook = to_notebook(trajectory(step("out", thought="Why."), step(None, number=2)))
    assert [cell["id"] for cell in notebook["cells"]] == ["thought-1", "step-1", "step-2"]
    assert notebook["cells"][1]["outputs"] == [{"output_type": "stream", "name": "stdout", "text": "out"}]
    assert notebook["cells"][2]["outputs"] == []


def test_hits_are_in_metadata_and_tags() -> None:
    cell = to_notebook(trajectory(step("loss 0.5")), (hit((5, 8), number=2, more=4),))["cells"][0]
    assert cell["metadata"]["superboard"]["landmarks"] == [{"number": 2, "spans": [[5, 8]], "more": 4}]
    assert cell["metadata"]["tags"] == ["step-1", "landmark-2"]


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_any_trajectory_makes_a_valid_notebook(
    thought: str, action: str, observation: str, query: str
) -> None:
    steps = (Step(1, StepKind.OTHER, action, action, thought, observation, 0.5, thought, True),)
    made = Trajectory(steps, "test", query=query, answer={query: [float("nan")]}, ending=Ending.COST)
    data = notebook_bytes(to_notebook(made, (hit((0, 1)),)))
    read = nbformat.reads(data.decode(), as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(read)


def test_the_file_says_what_was_asked_and_answered() -> None:
    about = json.loads(notebook_bytes(to_notebook(trajectory())))["metadata"]["superboard"]
    assert about["query"] == "Find it."
    assert json.loads(about["answer"]) == {"f1": 0.5}


HOSTILE = {
    "an image": "![x](http://tracker.example/a.png)",
    "an image by reference": "![x][1]\n\n[1]: http://tracker.example/a.png",
    "raw HTML": "<img src=http://tracker.example/a.png><script>alert(1)</script>",
    "HTML in a line": "see <b onclick=alert(1)>this</b>",
    "a script's link": "[x](javascript:alert(1)) <javascript:alert(2)>",
    "a link with data": "[x](data:text/html,<script>alert(1)</script>)",
    "a formula with a link": r"$\href{javascript:alert(1)}{x}$ and \(\href{javascript:alert(1)}{x}\)",
    "out of a fence": "```\n![x](http://tracker.example/a.png)\n```\n`````\n~~~\n<img src=x>",
    "a directive": "```{image} http://tracker.example/a.png\n```",
    "other line ends": "a\r```\r![x](http://tracker.example/a.png)",
    "front matter": "---\nthumbnail: http://tracker.example/a.png\n---",
}


def markdown_cells(made: Trajectory) -> dict[str, str]:
    """The sources of the file's Markdown cells by their ids; `rendering.facts` has tests of its own."""
    cells = json.loads(notebook_bytes(to_notebook(made)))["cells"]
    return {
        cell["id"]: cell["source"]
        for cell in cells
        if cell["cell_type"] == "markdown" and cell["id"] != "facts"
    }


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.links: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        self.links += [value or "" for name, value in attrs if name == "href"]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("thought", HOSTILE.values(), ids=HOSTILE)
def test_no_program_that_shows_the_file_loads_or_runs_what_an_agent_wrote(thought: str) -> None:
    made = replace(trajectory(step("out", thought=thought, action=thought)), query=thought, answer=thought)
    cells = markdown_cells(made)

    for key, source in cells.items():
        for shown in (markdown2html(source), MarkdownIt("commonmark").render(source)):
            page = Tags(shown)
            # Headings are ours, and nbconvert makes each a link to itself.
            assert page.found <= {"div", "pre", "code", "span", "h2", "a", "em"}
            assert all(href.startswith("#") for href in page.links)
            if key in ("thought-1", "query"):
                assert "".join(page.text.split()).endswith("".join(thought.split()))
            if key == "thought-1":
                assert page.found <= {"div", "pre", "code", "span"}


@pytest.mark.parametrize("thought", ["Edit __init__.py.", "2*3*4", "All *.py and *.txt", ">>> import x"])
def test_no_program_that_shows_the_file_takes_code_in_a_thought_for_markup(thought: str) -> None:
    assert markdown_cells(trajectory(step("out", thought=thought)))["thought-1"] == f"```\n{thought}\n```"


def test_a_thought_that_is_only_text_stays_markdown() -> None:
    thought = "**First**, I look at `train.py`:\n\n- its arguments, see https://example.org/x\n- its data\n"

    assert markdown_cells(trajectory(step("out", thought=thought)))["thought-1"] == thought


def test_stock_nbconvert_shows_query_answer_landmarks_outline_and_a_heading_for_each_step() -> None:
    steps = (step("loss 0.5", thought="Why.", duration=63.0), step("no", number=2, kind=StepKind.EDIT))
    landmarks = (hit((0, 4)), LandmarkResult(2, "x", LandmarkStatus.MISSED))
    data = notebook_bytes(to_notebook(trajectory(*steps), landmarks), landmarks)
    notebook = nbformat.reads(data.decode(), as_version=4)  # type: ignore[no-untyped-call]

    html = HTMLExporter().from_notebook_node(notebook)[0]  # type: ignore[no-untyped-call]

    page = Tags(html)
    for words in ("Find it.", '"f1": 0.5', "1 min 3 s · landmark 1", "Landmark 2: missed", "1  execute  !ls"):
        assert words in page.text
    assert page.text.index("Step 1 · execute") < page.text.index("Why.") < page.text.index("Step 2 · edit")
    (link,) = [href for href in page.links if href.startswith("#Step-1")][:1]
    assert f'id="{link[1:]}"' in html


def test_the_hits_of_a_landmark_that_is_not_shown_have_no_heading() -> None:
    secret = hit((0, 4), number=7)
    file = json.loads(notebook_bytes(to_notebook(trajectory(step("loss 0.5")), (secret,)), ()))

    texts = [cell["source"] for cell in file["cells"] if cell["cell_type"] == "markdown"]
    assert not any("7" in text for text in texts)


@pytest.mark.parametrize("fence", ["~~~", "```", "   ~~~~"])
def test_a_fence_that_a_thought_leaves_open_hides_no_other_part(fence: str) -> None:
    made = step_markdown("Step 2", "execute", f"Look.\n{fence}", f"cat x\n{fence}\n<img src=x>", "")

    assert "<img" not in MarkdownIt("commonmark").render(made)
