"""A benchmark without rules, from its file to its pages: values beyond 1 and below 0, less is better."""

from __future__ import annotations

import csv
import io
import json
import textwrap
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from leaderboard.models import Attempt, Entry, Score
from tests.repository.files import ROOT

pytestmark = pytest.mark.django_db
BOARD = "/b/tiny-bench/easy/"
REPORTED = {"Strong": {"reward": 1250.5, "regret": 3.25}, "Weak": {"reward": -4, "regret": 900}}


@pytest.fixture(autouse=True)
def _two_agents(tmp_path: Path) -> None:
    """The benchmark of docs/importing.md with two tasks, of which each agent tried one."""
    text = (ROOT / "docs/importing.md").read_text("utf-8").partition("    slug:")[2].partition("\n\n")[0]
    (tmp_path / "tiny.yaml").write_text(textwrap.dedent(f"    slug:{text}"))
    tasks = [{"task_id": "a", "categories": ["maze"]}, {"task_id": "b"}]
    (tmp_path / "easy.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in tasks))
    out = io.StringIO()
    call_command("add_benchmark", str(tmp_path / "tiny.yaml"), stdout=out)
    call_command("import_tasks", str(tmp_path / "easy.jsonl"), stdout=out)
    for agent, metrics in REPORTED.items():
        folder = tmp_path / agent / "a"
        folder.mkdir(parents=True)
        (folder / "metrics.json").write_text(json.dumps(metrics))
        call_command("import_run", str(folder.parent), set="easy", agent=agent, model="m", stdout=out)


def test_the_board_ranks_by_the_first_metric_and_sorts_by_any(client: Client) -> None:
    page = client.get(BOARD).content.decode()
    best = [row["agent"] for row in client.get(f"{BOARD}data.json").json()["entries"]]
    least = [row["agent"] for row in client.get(f"{BOARD}data.json?sort=-regret").json()["entries"]]

    assert "Reward" in page
    assert "1,250" in page
    assert (best, least) == (["Strong", "Weak"], ["Weak", "Strong"])


def test_a_task_that_was_not_tried_counts_as_nothing_where_nothing_bounds_the_metric(client: Client) -> None:
    rows = {row["agent"]: row["figures"] for row in client.get(f"{BOARD}data.json").json()["entries"]}

    assert (rows["Strong"]["reward"]["value"], rows["Strong"]["reward"]["tasks"]) == (1250.5, 1)
    assert (rows["Weak"]["regret"]["value"], rows["Weak"]["regret"]["source"]) == (900, "reported")
    assert rows["Weak"]["reward:maze"]["value"] == -4


def test_entry_attempt_csv_and_api_show_them_in_their_unit(client: Client) -> None:
    entry = Entry.objects.get(agent__name="Strong")
    attempt = Attempt.objects.get(entry=entry)
    table = list(csv.DictReader(io.StringIO(client.get(f"{BOARD}data.csv").content.decode())))
    scores = client.get(f"/api/v1/attempts/{attempt.pk}").json()["scores"]
    benchmark = client.get("/api/v1/benchmarks").json()

    for address in (entry.get_absolute_url(), attempt.get_absolute_url(), reverse("about")):
        page = client.get(address)
        assert page.status_code == 200, address
        assert "Reward" in page.content.decode() or address == reverse("about"), address
    assert {row["agent"]: float(row["reward"]) for row in table} == {"Strong": 1250.5, "Weak": -4}
    assert {(each["metric"], each["value"]) for each in scores} >= {("reward", 1250.5), ("regret", 3.25)}
    assert "tiny-bench" in json.dumps(benchmark)


def test_where_there_is_always_better_nothing_is_solved(client: Client) -> None:
    Attempt.objects.update(has_trajectory=True)
    Score.objects.filter(attempt__entry__agent__name="Weak").update(value=None)

    assert "2 of 2 published attempts" in " ".join(client.get(f"{BOARD}failures/").content.decode().split())
    assert 'name="solved"' not in client.get(f"{BOARD}t/").content.decode()
