"""The fragment of an attempt: its structure, its safety, its by-products."""

from __future__ import annotations

import pytest
from nbconvert.exporters import Exporter

from leaderboard.domain.trajectory import Shown, StepKind
from leaderboard.rendering import render_attempt
from leaderboard.rendering.addresses import fill_with_steps
from leaderboard.rendering.exporter import export_notebook, exporter
from leaderboard.rendering.fragment import ExportState, environment, export
from leaderboard.rendering.notebook import to_notebook
from tests.rendering.helpers import XSS, Elements, hit, marked, step, trajectory


def test_nbconvert_and_the_viewer_of_files_give_the_same() -> None:
    hostile = step(XSS, thought=XSS, action=XSS, number=13, kind=StepKind.EDIT)
    notebook = to_notebook(trajectory(step("saw it", thought="Think.", number=12), hostile))
    stored, viewed = ExportState(), ExportState()

    assert isinstance(exporter(), Exporter)
    assert export_notebook(notebook, stored) == export(notebook, viewed)
    assert stored == viewed
    assert [item.number for item in stored.outline] == [12, 13]


def test_there_is_one_environment_of_templates() -> None:
    assert environment() is environment()


def test_a_step_is_a_named_section_that_can_be_jumped_to() -> None:
    html = render_attempt(trajectory(step("x", number=12))).html
    assert (
        '<section class="step step-execute" id="step-12" tabindex="-1" aria-labelledby="step-12-title">'
        in html
    )
    assert '<h3 id="step-12-title"><a href="#step-12">Step 12</a></h3>' in html


def test_the_parts_of_a_step_come_in_order() -> None:
    html = render_attempt(
        trajectory(step("saw it", thought="Think.", started="06:15:34", duration=723.4))
    ).html
    order = ['<span class="kind">execute</span>', "06:15:34", "12 min 3 s", "Think.", 'class="x">!', "saw it"]
    assert [html.index(part) for part in order] == sorted(html.index(part) for part in order)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (5.0, "5 s"),
        (0.34, "0.3 s"),
        (42.4, "42 s"),
        (59.99, "1 min 0 s"),
        (3_700.0, "1 h 1 min"),
    ],
)
def test_durations_read_naturally(seconds: float, text: str) -> None:
    html = render_attempt(trajectory(step("", duration=seconds))).html
    assert f'<span class="duration">{text}</span>' in html


def test_a_duration_that_is_no_number_is_not_shown() -> None:
    html = render_attempt(trajectory(step("", duration=float("nan")))).html
    assert '<span class="duration"></span>' in html


def test_hits_are_numbered_on_after_those_in_steps_that_are_rendered_elsewhere() -> None:
    html = render_attempt(trajectory(step("loss")), (hit((0, 4)),), hits_before={1: 2}).html
    assert 'id="hit-1-3"' in html
    assert 'id="hit-1-1"' not in html


def test_hits_are_numbered_over_the_attempt() -> None:
    steps = (step("loss loss"), step("loss", number=2))
    html = render_attempt(trajectory(*steps), (hit((0, 4), (5, 9)), hit((0, 4), step=2, number=2))).html
    assert marked(html) == ["loss", "loss", "loss"]
    assert [name for name in Elements(html).ids if "hit" in str(name)] == ["hit-1-1", "hit-1-2", "hit-2-1"]


def test_a_thought_belongs_to_its_own_step_only() -> None:
    html = render_attempt(trajectory(step("", thought="Once."), step("", number=2))).html
    assert html.count("Once.") == 1
    assert html.count('class="thought"') == 1


def test_a_pre_executed_step_has_a_mark_in_place_of_a_thought() -> None:
    html = render_attempt(
        trajectory(step("", thought="[by user]", pre_executed=True), step("", number=2))
    ).html
    assert "[by user]" not in html
    assert html.count('<span class="mark mark-pre-executed">pre-executed</span>') == 1


def test_matches_beyond_the_marked_ones_are_counted() -> None:
    html = render_attempt(trajectory(step("aa")), (hit((0, 1), number=3, more=7),)).html
    assert "7 further matches of landmark 3" in html


def test_an_action_type_of_the_agents_own_is_quoted() -> None:
    html = render_attempt(trajectory(step("", kind=StepKind.OTHER, action_type="I will <b>look</b>"))).html
    assert '<q class="action-type">I will &lt;b&gt;look&lt;/b&gt;</q>' in html


def test_the_outline_tells_kind_title_duration_marks_and_landmarks() -> None:
    steps = (
        step("ValueError: x", action="# go\nrun()", duration=2.0),
        step("", number=2, kind=StepKind.SUBMIT),
    )
    first, second = render_attempt(trajectory(*steps), (hit((0, 1), number=4),)).outline
    assert (first.number, first.kind, first.title, first.duration) == (1, "execute", "run()", 2.0)
    assert (first.marks, first.landmarks) == (("error",), (4,))
    assert (second.marks, second.landmarks) == (("submit",), ())


def test_texts_are_what_is_shown() -> None:
    texts = render_attempt(trajectory(step("a\rb\n\x1b[31mc", thought="T"))).texts
    assert [(text.part, text.text) for text in texts] == [
        ("thought", "T"),
        ("action", "!ls"),
        ("output", "b\nc"),
    ]


def test_long_thoughts_actions_and_outputs_have_pages() -> None:
    long = "word\n" * 1_000
    pages = render_attempt(trajectory(step(long, thought=long, action="a\n" * 600))).pages
    assert {page.part for page in pages} == {"thought", "action", "output"}


def test_a_folded_edit_keeps_its_signs() -> None:
    source = "f\n<<<BEFORE_EDIT>>>\n" + "a\n" * 100 + "<<<AFTER_EDIT>>>\nb\n"
    html = render_attempt(trajectory(step("", kind=StepKind.EDIT, action=source))).html
    assert "<del>- a\n" in html
    assert "<ins>+ b\n" in html


@pytest.mark.parametrize("kind", list(StepKind))
@pytest.mark.parametrize("repeat", [1, 400])
def test_hostile_text_stays_text(kind: StepKind, repeat: int) -> None:
    text = f"{XSS}\n" * repeat
    hostile = step(text, kind=kind, thought=text, action=text, action_type=XSS, started=XSS)
    rendering = render_attempt(trajectory(hostile), (hit((3, 40), (90, 91)),))
    for html in [rendering.html, *(page.html for page in rendering.pages)]:
        found = Elements(fill_with_steps(html))
        assert not {"script", "img", "iframe", "style"} & set(found.tags)
        assert not [name for name, _ in found.attributes if name.startswith("on") or name == "style"]
        assert not [
            value for name, value in found.attributes if name == "href" and "javascript" in str(value)
        ]
        assert "<!--output-url 9-->" not in html


def test_markers_of_an_agent_are_text() -> None:
    forged = "<!--output-url 99-->"
    html = fill_with_steps(render_attempt(trajectory(step(forged, thought=forged))).html)
    assert "#step-99" not in html
    assert html.count("&lt;!--output-url 99--&gt;") == 2


def test_ids_are_unique_over_the_fragment() -> None:
    text = "loss 0.5\rdone\n" * 300
    steps = [step(text, number=n, thought="x") for n in range(1, 5)]
    landmarks = tuple(hit((0, 8), (14, 22), (14 * 200, 14 * 200 + 60), number=n, step=n) for n in range(1, 5))
    ids = Elements(render_attempt(trajectory(*steps), landmarks).html).ids
    assert len(ids) == len(set(ids))
    assert len([name for name in ids if str(name).startswith("hit-")]) == 12


def test_fifty_hits_of_a_step_all_show() -> None:
    text = "loss 0.5\n" * 5_000
    spans = tuple((900 * n, 900 * n + 4) for n in range(50))
    ids = Elements(render_attempt(trajectory(step(text)), (hit(*spans),)).html).ids
    assert [name for name in ids if "hit" in str(name)] == [f"hit-1-{n}" for n in range(1, 51)]


def test_an_export_leaves_the_notebook_as_it_was() -> None:
    notebook = to_notebook(trajectory(step("x", thought="y")))
    before = repr(notebook)
    export(notebook, ExportState())
    assert repr(notebook) == before


def test_no_steps_make_an_empty_fragment() -> None:
    rendering = render_attempt(trajectory())
    assert (rendering.html.strip(), rendering.outline, rendering.pages, rendering.texts) == ("", (), (), ())


def test_steps_that_repeat_one_are_a_line_that_opens() -> None:
    refused = [step("refused", number=n, kind=StepKind.EDIT, action="x") for n in range(2, 7)]
    rendering = render_attempt(trajectory(step("a"), *refused, step("b", number=7)))

    assert [item.number for item in rendering.outline if "repeated" in item.marks] == [3, 4, 5, 6]
    before, _, rest = rendering.html.partition('<details class="repeats">')
    inside, _, after = rest.partition("</details>")
    assert 'id="step-2"' in before
    assert "<summary>Steps 3-6: the same edit 4 more times</summary>" in inside
    assert [f'id="step-{n}"' in inside for n in range(1, 8)] == [False, False, True, True, True, True, False]
    assert 'id="step-7"' in after
    assert "mark-repeated" not in rendering.html


def test_a_repeated_step_with_a_hit_is_not_put_away() -> None:
    alike = [step("loss 0.5", number=n) for n in range(1, 8)]
    rendering = render_attempt(trajectory(*alike), (hit((0, 4), step=4),))

    assert [item.number for item in rendering.outline if "repeated" in item.marks] == [2, 3, 5, 6, 7]
    assert "Steps 2-3: the same command 2 more times" in rendering.html
    assert Elements(rendering.html).tags.count("details") == 2


def test_a_refused_edit_says_so_and_why_and_has_no_line_as_if_it_was_made() -> None:
    edit = "a.py\n<<<BEFORE_EDIT>>>\nold\n<<<AFTER_EDIT>>>\nnew"
    seen = "Could not find the following lines to replace in the file content:\nold"
    rendering = render_attempt(trajectory(step(seen, kind=StepKind.EDIT, action=edit)))
    assert "<b>Refused, nothing was changed:</b> text to replace not found</p>" in rendering.html
    assert '<span class="mark mark-refused">refused</span>' in rendering.html
    assert not {"ins", "del"} & set(Elements(rendering.html).tags)
    assert "- old\n+ new" in rendering.html
    assert rendering.outline[0].title == "a.py: text to replace not found"


@pytest.mark.parametrize("kind", [StepKind.FORMAT_ERROR, StepKind.SUBMIT, StepKind.EXCEPTION])
def test_a_step_says_what_it_is_once(kind: StepKind) -> None:
    html = render_attempt(trajectory(step("", kind=kind, action=""))).html
    assert Elements(html).text.split() == ["Step", "1", *kind.replace("-", " ").split()]


def test_a_step_shows_its_turns_tokens_and_cost_and_what_the_model_was_shown() -> None:
    shown = Shown(5, 12_000, "the last 5")
    made = trajectory(
        step("out", prompt_tokens=1_234, response_tokens=56, cost=0.00123, shown=shown), step("out", number=2)
    )
    rendered = render_attempt(made)
    first, _, second = rendered.html.partition('id="step-2"')
    assert "tokens: 1,234 sent, 56 received" in first
    assert "$0.0012" in first
    assert "The model was shown 5 of 12,000 characters of this output: the last 5" in first
    assert "tokens" not in second
    assert "The model was shown" not in second
    assert rendered.outline[0].prompt_tokens == 1_234
    assert (rendered.outline[0].shown, rendered.outline[1].shown) == (shown, None)
