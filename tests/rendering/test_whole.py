"""Where an output is cut there is a link to all of it, and nowhere else."""

from __future__ import annotations

import pytest

from leaderboard.domain.text import left_out_line
from leaderboard.rendering import render_attempt, standalone_html
from leaderboard.rendering.addresses import fill_with_steps
from leaderboard.rendering.model import Rendering, Whole
from tests.rendering.helpers import Elements, step, trajectory

LONG = "line\n" * 5_000
CUT = f"{LONG}{left_out_line(7)}\n{LONG}"
MARKER = '<a class="whole-output" href="<!--output-url 1-->">'


def render(observation: str, *, cut: bool = False) -> Rendering:
    return render_attempt(trajectory(step(observation)), outputs={1: Whole(34_000_000, cut=cut)})


@pytest.mark.parametrize(
    "observation", ["a\n[7 characters were left out here]\nb", CUT], ids=["short", "long"]
)
def test_the_line_that_says_what_is_left_out_is_shown_with_the_link(observation: str) -> None:
    html = render(observation).html

    assert html.count(MARKER) == 1
    line = fill_with_steps(html).split('<span class="left-out">')[1].split("</span>")[0]
    assert line == (
        '[7 characters were left out here] <a class="whole-output" href="#step-1">Whole output, 34.0 MB</a>\n'
    )
    Elements(fill_with_steps(html))


def test_the_page_with_that_line_has_the_link_too() -> None:
    assert [MARKER in page.html for page in render(CUT).pages].count(True) == 1


def test_one_that_even_the_larger_limit_cut_is_said_to_be() -> None:
    html = render(CUT, cut=True).html

    assert "The first 34.0 MB of the output; the limit is reached there" in html


def test_where_no_line_says_so_the_link_is_below() -> None:
    assert render("all").html.count(f'<p class="size">{MARKER}') == 1


def test_a_line_that_an_agent_wrote_leads_nowhere() -> None:
    html = render_attempt(trajectory(step(CUT))).html

    assert "left-out" not in html
    assert "output-url" not in html


def test_an_agent_that_writes_such_lines_gets_one_link_and_unfolds_nothing() -> None:
    html = render(f"{left_out_line(7)}\n" * 5_000).html

    assert html.count(MARKER) == 1
    assert len(html) < 10_000


def test_a_page_without_a_server_names_it_and_links_nothing() -> None:
    html = standalone_html(render(CUT).notebook, (), "An attempt")

    assert "[7 characters were left out here] Whole output, 34.0 MB\n" in html
    assert 'class="whole-output"' not in html
