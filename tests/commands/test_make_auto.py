"""manage.py make_auto, with a model that a server on this machine plays."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from leaderboard.models import AuditEvent, Task, TaskDraft
from leaderboard.operating.drafts import review_draft
from tests.agents.server import Answer, ModelServer, error
from tests.cast import make_set
from tests.making.repository import COMMIT, URL, make_repository
from tests.people import person

pytestmark = pytest.mark.django_db
KEY = "sk-this-key-must-stay-where-it-is"
TASK = {
    "title": "Train Tiny NLI",
    "query": "Train Tiny NLI for 3 epochs and report its accuracy.",
    "entrypoint": "scripts/train.py",
    "command": "python scripts/train.py --epochs 3",
    "dataset": "data/train.tsv",
    "landmarks": [r"epoch \d+"],
}
ELSEWHERE = {**TASK, "entrypoint": "../../etc/cron.py"}


def reply(*tasks: Any) -> str:
    return json.dumps({"tasks": tasks})


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ModelServer]]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ExitStack() as stack:
        yield lambda *answers: stack.enter_context(ModelServer(answers))


def draft(root: Path, server: ModelServer, *options: str) -> tuple[str, str]:
    said, complained = io.StringIO(), io.StringIO()
    settings = ("model=tiny", f"base_url={server.url}", "tries=1", "prompt_price=10")
    given = [part for setting in settings for part in ("--setting", setting)]
    call_command("make_auto", "--repo", str(root), *given, *options, stdout=said, stderr=complained)
    return said.getvalue(), complained.getvalue()


def export(path: Path) -> list[dict[str, Any]]:
    said = io.StringIO()
    call_command("make_auto", "--export", str(path), stdout=said)
    assert f"manage.py import_tasks {path} --set BENCHMARK/SET brings them in" in said.getvalue()
    return [json.loads(line) for line in path.read_text().splitlines()]


def approve(held: TaskDraft, query: str = "") -> None:
    review_draft(
        held, "approve", query=query or held.query, why="Ran it.", seen=held.version, user=person("olga")
    )


def test_a_draft_is_held_reviewed_exported_and_imported(
    tmp_path: Path, serve: Callable[..., ModelServer]
) -> None:
    server = serve(reply(TASK, ELSEWHERE))

    said, complained = draft(make_repository(tmp_path / "repo"), server)

    held = TaskDraft.objects.get()
    assert (held.task_id, held.repository, held.commit) == ("tiny-nli-1", URL, COMMIT)
    assert (held.state, held.drafted_by, held.doubts) == ("held", "tiny", 0)
    assert "tiny: 1 call, 110 tokens, 0.0010 US dollars by its prices\n" in said
    assert "1 draft is held for review: " in said
    assert complained.startswith("not held: '../../etc/cron.py'")
    assert AuditEvent.objects.get(action="draft task").target == "draft tiny-nli-1"

    approve(held, "Train it for 2 epochs.\n\nGit repository: https://github.com/example/Tiny-NLI")
    (record,) = export(tmp_path / "Auto.jsonl")
    assert record == {
        "task_id": "tiny-nli-1",
        "title": "Train Tiny NLI",
        "query": "Train it for 2 epochs.\n\nGit repository: https://github.com/example/Tiny-NLI",
        "github_repo": URL,
        "git_commit": COMMIT,
        "entrypoint": "scripts/train.py",
        "landmarks": [r"epoch \d+"],
    }
    make_set(slug="expert")
    call_command("import_tasks", str(tmp_path / "Auto.jsonl"), "--set", "super/expert", stdout=io.StringIO())
    assert Task.objects.get(task_id="tiny-nli-1").gold == ""


def test_the_query_says_where_the_repository_is(tmp_path: Path, serve: Callable[..., ModelServer]) -> None:
    draft(
        make_repository(tmp_path),
        serve(reply(TASK)),
        "--url",
        "https://example.org/fork",
        "--commit",
        "b" * 40,
    )

    held = TaskDraft.objects.get()
    assert held.query == f"{TASK['query']}\n\nGit repository: https://example.org/fork"
    assert (held.task_id, held.commit) == ("fork-1", "b" * 40)


def test_the_same_command_is_drafted_once(tmp_path: Path, serve: Callable[..., ModelServer]) -> None:
    other = {**TASK, "command": "python scripts/train.py --epochs 1"}
    root, server = make_repository(tmp_path), serve(reply(TASK), reply({**TASK, "query": "x" * 30}, other))

    draft(root, server)
    _said, complained = draft(root, server)

    assert complained.startswith("not held again: 'scripts/train.py' ('Train Tiny NLI'): there is a draft")
    assert sorted(TaskDraft.objects.values_list("task_id", flat=True)) == ["tiny-nli-1", "tiny-nli-2"]


def test_what_is_not_approved_is_not_exported(tmp_path: Path, serve: Callable[..., ModelServer]) -> None:
    draft(make_repository(tmp_path / "repo"), serve(reply(TASK)))

    with pytest.raises(CommandError, match=r"no draft is approved; review them at http.*/operate/drafts/"):
        export(tmp_path / "Auto.jsonl")
    assert not (tmp_path / "Auto.jsonl").exists()


def test_an_export_replaces_no_file(tmp_path: Path, serve: Callable[..., ModelServer]) -> None:
    draft(make_repository(tmp_path / "repo"), serve(reply(TASK)))
    approve(TaskDraft.objects.get())
    export(tmp_path / "Auto.jsonl")

    with pytest.raises(CommandError, match="the file exists"):
        export(tmp_path / "Auto.jsonl")


@pytest.mark.parametrize(
    ("answers", "options", "reason"),
    [
        (
            [error(401)],
            [],
            "nothing was drafted: .* check the key in the environment variable OPENAI_API_KEY",
        ),
        ([error(500)], [], "nothing was drafted: .* answered 500; tried 1 times"),
        (["No."], [], "the model's reply: there is no JSON object"),
        ([reply(TASK)], ["--count", "11"], "--count is from 1 to 10"),
        ([reply(TASK)], ["--setting", "modle=x"], "modle: there is no such setting; known are model"),
    ],
)
def test_what_goes_wrong_is_said_and_nothing_is_held(
    tmp_path: Path,
    serve: Callable[..., ModelServer],
    answers: list[Answer | str],
    options: list[str],
    reason: str,
) -> None:
    with pytest.raises(CommandError, match=reason) as refused:
        draft(make_repository(tmp_path), serve(*answers), *options)

    assert KEY not in str(refused.value)
    assert not TaskDraft.objects.exists()


def test_a_repository_without_a_public_address_needs_one(
    tmp_path: Path, serve: Callable[..., ModelServer]
) -> None:
    root = make_repository(tmp_path, **{".git/config": ""})

    with pytest.raises(CommandError, match="its public address is unknown"):
        draft(root, serve(reply(TASK)))


def test_a_readme_without_a_task_gives_none(tmp_path: Path, serve: Callable[..., ModelServer]) -> None:
    said, complained = draft(make_repository(tmp_path), serve(reply()))

    assert complained == "the model found no task in the README\n"
    assert said.endswith("0 drafts are held for review\n")
