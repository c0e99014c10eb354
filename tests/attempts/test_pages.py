"""An attempt's page, its long outputs, finding text in it, and its downloads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import nbformat
import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from leaderboard.attempts import selectors
from leaderboard.attempts.services import record_attempt
from leaderboard.attempts.views import PROMPT_MAX_LENGTH
from leaderboard.catalogue.selectors import task_spec
from leaderboard.domain.entries import EntryState
from leaderboard.entries.names import draft_slug, ensure_entry
from leaderboard.models import Attempt, Entry, Figure, TaskSet
from leaderboard.pipeline import prepare
from leaderboard.rendering import matches
from leaderboard.scoring.super import SCORING
from tests.cast import (
    NOVICE,
    PET,
    SOLVER,
    add_attempt,
    attempt_at,
    bring_in,
    history,
    make_set,
    metrics,
    report,
)
from tests.entries.cast import team_of
from tests.formats.samples import as_bytes
from tests.people import client_of
from tests.rendering.helpers import Elements

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
TOKENS: dict[str, Any] = {"total_context_tokens_count": 123456, "total_response_tokens_count": 6543}
LONG = "\n".join(f"line {number}" for number in range(5000))


@pytest.fixture
def task_set() -> TaskSet:
    return make_set(PET)


@pytest.fixture
def attempt(task_set: TaskSet, tmp_path: Path) -> Attempt:
    return attempt_at(task_set, tmp_path / "run", total_cost=0.25, **TOKENS)


@pytest.fixture
def long_attempt(task_set: TaskSet, tmp_path: Path) -> Attempt:
    return attempt_at(task_set, tmp_path / "run", observation=LONG)


def body(response: Any) -> bytes:
    content: bytes = b"".join(response.streaming_content)
    return content


def text_of(response: Any) -> str:
    """The text of a page, its white space as single spaces."""
    return " ".join(Elements(response.content.decode()).text.split())


def test_it_shows_what_was_asked_answered_scored_and_done(client: Client, attempt: Attempt) -> None:
    response = client.get(reverse("attempt", args=(attempt.pk,)))

    page = response.content.decode()
    assert response.status_code == 200
    for words in (PET.query, "&quot;loss&quot;: 0.5", 'id="step-1"', 'href="#hit-1-1"'):
        assert words in page
    for amount in ("$0.25", "123,456", "6,543"):
        assert amount in page
    assert [row.scorer for row in response.context["score_rows"]] == ["super-strict", "super-paper"]


def test_what_a_step_and_the_ending_are_is_said_once(client: Client, attempt: Attempt) -> None:
    page = text_of(client.get(reverse("attempt", args=(attempt.pk,))))

    assert "Submitted an answer Cost $0.25 " in page
    # In the time strip, and in the outline.
    assert page.count("submit {") == 2
    assert "submit submit" not in page


def test_the_prompt_is_shown_folded_and_cut_where_it_is_very_long(client: Client, attempt: Attempt) -> None:
    Attempt.objects.update(prompt="<b>You are</b> here." + "x" * PROMPT_MAX_LENGTH)
    page = client.get(attempt.get_absolute_url()).content.decode()

    prompt = page[page.index('<h2 id="prompt">') :]
    assert "&lt;b&gt;You are&lt;/b&gt; here." in prompt
    assert "50,020 characters" in prompt
    assert "Only the first 50,000 characters" in prompt


def test_the_task_s_query_stands_in_for_one_that_the_file_does_not_have(
    client: Client, attempt: Attempt
) -> None:
    Attempt.objects.update(query="")
    attempt.task.query = "Train it.\nGit repository: https://git.example/pet."
    attempt.task.save()

    page = client.get(attempt.get_absolute_url()).content.decode()

    assert "the file of this attempt does not say what the agent was asked" in page
    link = '<a href="https://git.example/pet" rel="nofollow noopener">https://git.example/pet</a>.'
    assert f"Git repository: {link}" in page


def test_without_the_task_s_landmarks_nothing_is_said_of_hits(client: Client, attempt: Attempt) -> None:
    attempt.task.landmarks = []
    attempt.task.save()

    page = client.get(attempt.get_absolute_url()).content.decode()

    assert "No landmark is hit" not in page
    assert 'data-none="This site does not have the task\'s landmarks"' in page
    assert "The score above is the reported one" not in page


def test_an_answer_that_is_json_as_text_is_said_to_be_so(
    client: Client, task_set: TaskSet, tmp_path: Path
) -> None:
    attempt = attempt_at(task_set, tmp_path / "run", answer='{"accuracy": 0.7389}')

    page = text_of(client.get(attempt.get_absolute_url()))

    assert 'Text that holds JSON, shown indented. { "accuracy": 0.7389 }' in page


def test_the_line_that_stays_withholds_what_the_page_of_a_draft_does(attempt: Attempt) -> None:
    Entry.objects.update(state=EntryState.DRAFT, team=team_of("alice"), slug=draft_slug())
    Figure.objects.all().delete()

    def staying(who: str) -> list[tuple[str, str]]:
        page = client_of(who).get(attempt.get_absolute_url()).content.decode()
        return re.findall(r"<span>(\w+) <b>([^<]*)</b>", page.partition('class="opening"')[0])

    assert ("Accuracy", "100.0") in staying("olga")
    assert ("Accuracy", "\N{EN DASH}") in staying("alice")


@pytest.mark.parametrize("who", ["nobody", "alice", "bob", "olga"])
@pytest.mark.parametrize("steps", [2, 300])
def test_it_runs_at_most_eight_queries_at_any_size(
    steps: int,
    who: str,
    task_set: TaskSet,
    tmp_path: Path,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    document = history({"loss": 0.5})
    document["history"][:1] *= steps - 1
    add_attempt(tmp_path, "pet", history=document)
    bring_in(tmp_path, task_set)
    for number in range(steps // 10):
        report(task_set, f"Rival {number}", {"pet": 1.0})

    Entry.objects.filter(attempts__has_trajectory=True).update(team=team_of("alice"))
    address = Attempt.objects.get(has_trajectory=True).get_absolute_url()
    client = client_of(who)

    with django_assert_max_num_queries(8):
        page = client.get(address)

    assert page.content.decode().count('href="#step-') >= steps


def test_an_attempt_without_a_trajectory_says_so_and_names_others(
    client: Client, task_set: TaskSet, attempt: Attempt
) -> None:
    report(task_set, NOVICE, {"pet": 0.25})

    page = client.get(Attempt.objects.get(has_trajectory=False).get_absolute_url()).content.decode()

    assert "Only the scores of this attempt are available" in page
    assert f'href="{attempt.get_absolute_url()}"' in page
    assert "25.0" in page


def test_an_answer_without_a_trajectory_is_shown_alone(client: Client, task_set: TaskSet) -> None:
    task = task_set.tasks.get(task_id="pet")
    entry = ensure_entry(task_set=task_set, agent=NOVICE, model="m")
    data = b'{"task_id": "pet", "answer": {"loss": 0.25}}'
    prepared = prepare(data, name="answers.json", task=task_spec(task), scoring=SCORING, title="pet")
    record_attempt(entry=entry, task=task, number=1, digest="d", prepared=prepared)

    page = client.get(Attempt.objects.get().get_absolute_url()).content.decode()

    assert "Only the answer of this attempt is available" in page
    assert "&quot;loss&quot;: 0.25" in page
    assert "What it did" not in page


@pytest.mark.parametrize("answer", [{"loss": float("nan")}, [float("inf")], None, "<b>&</b>", "x" * 50_000])
def test_any_answer_is_shown(answer: Any, client: Client, task_set: TaskSet, tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=history(answer))
    bring_in(tmp_path, task_set)

    page = client.get(Attempt.objects.get().get_absolute_url())

    assert page.status_code == 200
    assert "<b>&</b>" not in page.content.decode()


@pytest.mark.parametrize("depth", [300, 600, 900])
def test_an_answer_that_nests_deeply_is_shown_or_refused(
    depth: int, client: Client, task_set: TaskSet, tmp_path: Path
) -> None:
    document = as_bytes(history({"loss": 0.5})).replace(b"0.5}", b"[" * depth + b"]" * depth + b"}")
    add_attempt(tmp_path, "pet", history=document)
    refused = bring_in(tmp_path, task_set).problems

    assert refused or client.get(Attempt.objects.get().get_absolute_url()).status_code == 200


def test_hostile_text_is_escaped_wherever_it_stands(
    client: Client, task_set: TaskSet, tmp_path: Path
) -> None:
    evil = '<script>alert(1)</script><img src=x onerror="alert(1)">'
    document = history({evil: evil}, observation=evil)
    document["query"] = evil
    document["history"][0]["thought"] = evil
    document["history"][0]["action"] = {"type": evil, "content": evil}
    add_attempt(tmp_path, "pet", history=document)
    bring_in(tmp_path, task_set)
    address = Attempt.objects.get().get_absolute_url()

    for page in (client.get(address), client.get(f"{address}find/", {"q": evil})):
        assert "<script>alert" not in page.content.decode()
        assert "<img src=x" not in page.content.decode()


def test_the_whole_of_a_long_output_comes_page_by_page(client: Client, long_attempt: Attempt) -> None:
    first_view = client.get(long_attempt.get_absolute_url()).content.decode()
    assert "line 2500\n" not in first_view
    pages = list(long_attempt.pages.order_by("number"))

    shown = [
        client.get(
            reverse("output", args=(long_attempt.pk, page.step, page.part, page.number))
        ).content.decode()
        for page in pages
    ]

    assert len(pages) > 1
    assert sum("line 2500" in text for text in shown) == 1
    assert f"Page 1 of {len(pages)}" in shown[0]


def test_htmx_gets_a_page_of_an_output_alone(client: Client, long_attempt: Attempt) -> None:
    page = long_attempt.pages.order_by("number")[0]

    part = client.get(
        reverse("output", args=(long_attempt.pk, page.step, page.part, page.number)), headers=HTMX
    )

    assert "line 0\n" in part.content.decode()
    assert "<html" not in part.content.decode()
    assert "HX-Request" in part["Vary"]


def test_text_is_found_across_steps_folded_parts_included(client: Client, long_attempt: Attempt) -> None:
    response = client.get(reverse("find", args=(long_attempt.pk,)), {"q": "LINE 2500"})

    (match,) = response.context["matches"].listed
    assert (match.step, match.part, match.line, match.match) == (1, "output", 2501, "line 2500")
    page = long_attempt.pages.get(number=match.page, part="output")
    assert page.first_line <= 2501 <= page.last_line
    address = f"/a/{long_attempt.pk}/1/output/{page.number}/#step-1-L2501"
    assert f'href="{address}"' in response.content.decode()
    assert 'id="step-1-L2501"' in client.get(address).content.decode()


def test_every_line_that_is_found_has_an_address_short_texts_too(client: Client, attempt: Attempt) -> None:
    response = client.get(reverse("find", args=(attempt.pk,)), {"q": "t"})

    parts = {(match.step, match.part): match for match in response.context["matches"].listed}
    assert {part for _, part in parts} == {"action", "output", "thought"}
    for match in parts.values():
        page = client.get(reverse("output", args=(attempt.pk, match.step, match.part, match.page)))
        assert f'id="{match.line_id}"' in page.content.decode()


def test_a_line_leads_to_the_page_that_has_it(client: Client, long_attempt: Attempt) -> None:
    address = reverse("line", args=(long_attempt.pk, 1, "output"))

    assert client.get(address, {"line": 712})["Location"] == f"/a/{long_attempt.pk}/1/output/2/#step-1-L712"
    for nowhere in ("0", "5001", "-1", "x", "", "9" * 30):
        assert client.get(address, {"line": nowhere}).status_code == 404


@pytest.mark.parametrize("part", ["thought", "action", "output"])
def test_matches_of_one_part_are_listed_alone(part: str, client: Client, attempt: Attempt) -> None:
    response = client.get(reverse("find", args=(attempt.pk,)), {"q": "t", "in": part})

    assert {match.part for match in response.context["matches"].listed} == {part}


def test_several_matches_in_a_line_are_told_apart(client: Client, task_set: TaskSet, tmp_path: Path) -> None:
    attempt = attempt_at(task_set, tmp_path / "run", observation="qq qq\nqq")

    response = client.get(reverse("find", args=(attempt.pk,)), {"q": "qq"})

    found = response.context["matches"].listed
    assert [(match.line, match.nth, match.nth_in_part) for match in found] == [
        (1, 0, 0),
        (1, 1, 1),
        (2, 0, 2),
    ]


def test_matches_are_found_where_they_stand_in_any_case(
    client: Client, task_set: TaskSet, tmp_path: Path
) -> None:
    attempt = attempt_at(task_set, tmp_path / "run", observation="İİ GRÖSSE, Größe; ΟΔΟΣ\nİx")

    for text, expected in {
        "größe": ["Größe"],
        "grösse": ["GRÖSSE"],
        "οδος": ["ΟΔΟΣ"],
        "ix": ["İx"],
    }.items():
        found = selectors.find_text(attempt, text, "output").listed
        assert [match.match for match in found] == expected


def test_only_matches_that_are_listed_are_made(
    task_set: TaskSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = attempt_at(task_set, tmp_path / "run", observation="a" * 300_001)
    made = Mock(wraps=matches.Match)
    monkeypatch.setattr(matches, "Match", made)

    assert selectors.find_text(attempt, "AA", "output").total == 150_000
    assert made.call_count == matches.MATCHES_A_STEP


def test_a_long_text_that_nearly_matches_everywhere_is_looked_for_in_linear_time(
    task_set: TaskSet, tmp_path: Path
) -> None:
    # Tried at each place from its beginning, this would take 20,000,000,000 comparisons.
    attempt = attempt_at(task_set, tmp_path / "run", observation="a" * 300_000)

    assert selectors.find_text(attempt, "a" * 100_000 + "b" + "a" * 100).total == 0


def test_the_text_of_a_step_can_be_had_whole_to_be_copied(client: Client, long_attempt: Attempt) -> None:
    answer = client.get(reverse("text", args=(long_attempt.pk, 1, "output")))

    assert answer.content.decode() == LONG
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert client.get(reverse("text", args=(long_attempt.pk, 1, "secrets"))).status_code == 404
    assert client.get(reverse("text", args=(long_attempt.pk, 99, "output"))).status_code == 404


def test_a_step_can_be_had_as_markdown(client: Client, task_set: TaskSet, tmp_path: Path) -> None:
    attempt = attempt_at(task_set, tmp_path / "run", observation="a\n```\n<b>")

    answer = client.get(reverse("step-markdown", args=(attempt.pk, 1)))

    text = answer.content.decode()
    assert text.startswith("## Step 1: execute\n\n")
    assert "\n````text\na\n```\n<b>\n````\n" in text
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert client.get(reverse("step-markdown", args=(attempt.pk, 99))).status_code == 404


def test_repeated_steps_are_one_line_of_the_outline(
    client: Client, task_set: TaskSet, tmp_path: Path
) -> None:
    document = history({"loss": 0.5}, observation="fatal: nothing came of it")
    document["history"][:1] *= 20
    add_attempt(tmp_path, "pet", history=document)
    bring_in(tmp_path, task_set)

    response = client.get(Attempt.objects.get(has_trajectory=True).get_absolute_url())

    assert [run.where for run in response.context["outline"] if run.text] == ["2-20"]
    page = response.content.decode()
    assert page.count("the same command 19 more times, with the same error</summary>") == 2
    assert all(f'href="#step-{number}"' in page for number in range(1, 21))


def test_matches_are_listed_up_to_a_limit_and_counted_beyond(client: Client, long_attempt: Attempt) -> None:
    page = client.get(reverse("find", args=(long_attempt.pk,)), {"q": "line"})

    assert page.context["matches"].total == 5000
    assert len(page.context["matches"].listed) == 20
    assert page.content.decode().count("<mark>line</mark>") == 20


@pytest.mark.parametrize("text", ["", "   ", "\x00", "(", "no such text", "x" * 300])
def test_any_search_gets_an_answer(text: str, client: Client, attempt: Attempt) -> None:
    whole = client.get(reverse("find", args=(attempt.pk,)), {"q": text})
    part = client.get(reverse("find", args=(attempt.pk,)), {"q": text}, headers=HTMX)

    assert whole.context["matches"].total == 0
    assert part.status_code == 200
    assert "<html" not in part.content.decode()


def test_the_original_comes_back_byte_for_byte(client: Client, task_set: TaskSet, tmp_path: Path) -> None:
    original = as_bytes(history({"loss": 0.5}, observation="\x00\ud800" * 50_000)) + b"\n  "
    add_attempt(tmp_path, "pet", history=original)
    bring_in(tmp_path, task_set)

    response = client.get(reverse("download", args=(Attempt.objects.get().pk, "original")))

    assert body(response) == original
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == 'attachment; filename="pet-Solver-gpt-4o.json"'
    assert response["Content-Length"] == str(len(original))
    assert response["X-Content-Type-Options"] == "nosniff"


def test_the_notebook_is_one_that_nbformat_takes(client: Client, attempt: Attempt) -> None:
    response = client.get(reverse("download", args=(attempt.pk, "notebook")))

    nbformat.validate(nbformat.reads(body(response).decode(), as_version=4))  # type: ignore[no-untyped-call]
    assert response["Content-Disposition"] == 'attachment; filename="pet-Solver-gpt-4o.ipynb"'


def test_the_web_page_stands_alone(client: Client, attempt: Attempt) -> None:
    page = body(client.get(reverse("download", args=(attempt.pk, "html")))).decode()

    assert "pet · Solver · gpt-4o" in page
    assert "<script src" not in page
    assert "<link" not in page


@pytest.mark.parametrize(
    "address",
    [
        "/a/4711/",
        "/a/99999999999999999999/",
        "/a/4711/find/",
        "/a/4711/download/original/",
        "/a/{pk}/download/secrets/",
        "/a/9999999999999999999999999999999/download/original/",
        "/a/{pk}/1/output/99/",
        "/a/{pk}/99999999999999999999/output/1/",
    ],
)
def test_what_there_is_not_is_a_404(address: str, client: Client, attempt: Attempt) -> None:
    assert client.get(address.format(pk=attempt.pk)).status_code == 404


def test_reported_scores_stand_beside_the_computed_ones(
    client: Client, task_set: TaskSet, tmp_path: Path
) -> None:
    add_attempt(tmp_path, "pet", history=history({"loss": 0.5}), metrics=metrics(0.2468))
    bring_in(tmp_path, task_set)

    response = client.get(Attempt.objects.get(entry__agent__name=SOLVER).get_absolute_url())

    assert [row.scorer for row in response.context["score_rows"]] == [
        "reported",
        "super-strict",
        "super-paper",
    ]
    assert "24.7" in response.content.decode()


@pytest.mark.parametrize("where", ["1/bogus", f"{10**30}/output", "99/output"])
def test_a_line_of_what_is_not_there_leads_nowhere(client: Client, attempt: Attempt, where: str) -> None:
    address = f"{attempt.get_absolute_url()}{where}/?line=1"

    assert client.get(address).status_code == 404
