"""What supports an entry's scores and where it comes from become facts of the site.

``verified`` becomes ``accepted``. What a submitter wrote as the source of an entry moves to its notes and links; what
an operator's import wrote stays, as its origin. Imported entries count as accepted. Figures of boards are computed
anew: a reported score no longer counts where there is a computed one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

MOST_LINKS, NOTES_LENGTH = 10, 10_000
PLACEHOLDERS = ("", "run here", "uploaded")
"""Sources that the site itself wrote."""
ACCEPTED_BY_IMPORT = "An operator imported it."
NO_ANSWER = r'^("(\s|\\[nrtf])*"|null|\[\]|\{\})?$'
NEEDED = {"accuracy": "gold", "landmarks": "landmarks", "script_executed": "entrypoint"}
"""The task's field that a metric is computed from."""
COMPUTED, REPORTED, MIXED, BOARD = "super-strict", "reported", "mixed", "board"

PROVENANCES = [(each, each) for each in ("imported", "submitted", "run-here")]
EVIDENCE = [(each, each) for each in ("trajectories", "accepted", "self-reported")]
ENDINGS = [
    (each, each)
    for each in ("submitted", "empty", "exception", "context", "cost", "time", "steps", "unknown")
]


def carry_over(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    entries = apps.get_model("leaderboard", "Entry").objects
    attempts = apps.get_model("leaderboard", "Attempt").objects
    attempts.filter(ending="submitted", answer__regex=NO_ANSWER).update(ending="empty")
    runs = set(apps.get_model("leaderboard", "Run").objects.values_list("entry", flat=True))
    uploaded = set(apps.get_model("leaderboard", "Upload").objects.values_list("entry", flat=True))
    for entry in entries.order_by("pk"):
        _say_where_it_is_from(entry, run_here=entry.pk in runs, uploaded=entry.pk in uploaded)
        _judge(apps, entry)
        entry.save()
    if editor.connection.vendor == "postgresql":
        # PostgreSQL makes no index of a table while foreign keys of it wait to be checked.
        editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def _say_where_it_is_from(entry: Any, *, run_here: bool, uploaded: bool) -> None:
    submitted = uploaded or entry.team_id or entry.owner_left or entry.origin == "uploaded"
    entry.provenance = "run-here" if run_here else "submitted" if submitted else "imported"
    if entry.provenance == "imported":
        if not entry.accepted:
            entry.accepted, entry.accepted_why = entry.published or entry.created, ACCEPTED_BY_IMPORT
        return
    text, url = entry.origin if entry.origin not in PLACEHOLDERS else "", entry.origin_url
    entry.origin = entry.origin_url = ""
    if url and len(entry.links) < MOST_LINKS:
        entry.links = [*entry.links, {"label": text[:100], "url": url}]
    elif said := f"{text} {url}".strip():
        entry.notes = f"{entry.notes}\n\nSource: {said}".strip()[-NOTES_LENGTH:]


def _judge(apps: Apps, entry: Any) -> None:
    """Write the entry's evidence, and its figures' sources, versions and ranks; compute those of boards."""
    rows = apps.get_model("leaderboard", "Attempt").objects.filter(entry=entry)
    attempts = list(rows.only("task_id", "has_trajectory").order_by("number"))
    supported = all(each.has_trajectory or entry.provenance == "run-here" for each in attempts)
    accepted = entry.accepted is not None
    entry.evidence = "trajectories" if attempts and supported else "accepted" if accepted else "self-reported"
    figures = apps.get_model("leaderboard", "Figure").objects.filter(entry=entry)
    figures.update(ranked=entry.evidence != "self-reported")
    figures.filter(scorer=REPORTED).update(ranked=accepted)
    scores = apps.get_model("leaderboard", "Score").objects.filter(attempt__entry=entry)
    versions: dict[str, set[str]] = defaultdict(set)
    for scorer, version in scores.order_by().values_list("scorer", "version").distinct():
        versions[scorer].add(version)
    for scorer, found in versions.items():
        figures.filter(scorer=scorer).update(version=", ".join(sorted(filter(None, found)))[:40])
    _compute_board(apps, attempts, list(scores), list(figures.filter(scorer=BOARD)))


def _compute_board(apps: Apps, attempts: list[Any], scores: list[Any], figures: Iterable[Any]) -> None:
    tasks = apps.get_model("leaderboard", "Task").objects.filter(task_set__entries__attempts__in=attempts)
    known = {task.pk: task for task in tasks.distinct().prefetch_related("categories")}
    categories = {pk: {each.slug for each in task.categories.all()} for pk, task in known.items()}
    by_attempt = {(score.attempt_id, score.scorer, score.metric): score for score in scores}
    for figure in figures:
        members = [pk for pk in known if not figure.category or figure.category in categories[pk]]
        counting: dict[int, list[Any]] = {pk: [] for pk in members}
        for attempt in attempts:
            if attempt.task_id in counting:
                counting[attempt.task_id].append(
                    _counting_score(by_attempt, attempt, figure.metric, known[attempt.task_id])
                )
        _compute(figure, counting.values())


def _counting_score(scores: dict[Any, Any], attempt: Any, metric: str, task: Any) -> Any:
    computed, reported = (scores.get((attempt.pk, scorer, metric)) for scorer in (COMPUTED, REPORTED))
    has_computed = computed is not None and (computed.value is not None or computed.reason)
    computable = metric not in NEEDED or getattr(task, NEEDED[metric])
    return computed if has_computed or not reported or (computable and attempt.has_trajectory) else reported


def _compute(figure: Any, tasks: Iterable[list[Any]]) -> None:
    means, unattempted, made_by, stale = [], 0, set(), False
    for scores in tasks:
        unattempted += not scores
        valued = [score for score in scores if score is not None and score.value is not None]
        stale = stale or any(score is not None and score.stale for score in scores)
        made_by |= {(score.scorer, score.version) for score in valued}
        if valued:
            means.append(math.fsum(score.value for score in valued) / len(valued))
    total, scorers = math.fsum(means), {scorer for scorer, _version in made_by}
    figure.scored, figure.tasks, figure.stale = len(means), len(means) + unattempted, stale
    figure.value = total / figure.tasks if means else None
    figure.attempted = total / len(means) if means else None
    figure.source = MIXED if len(scorers) > 1 else next(iter(scorers), REPORTED)
    figure.version = ", ".join(sorted({version for _scorer, version in made_by if version}))[:40]
    figure.save()


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("leaderboard", "0003_jobs_and_claims"),
    ]

    operations = [
        migrations.RemoveIndex("Entry", name="entry_listed"),
        migrations.RemoveIndex("Figure", name="figure_ranking"),
        migrations.RenameField("Entry", old_name="verified", new_name="accepted"),
        migrations.RenameField("Entry", old_name="verified_by", new_name="accepted_by"),
        migrations.RenameField("Entry", old_name="verified_how", new_name="accepted_why"),
        migrations.RenameField("Entry", old_name="source", new_name="origin"),
        migrations.RenameField("Entry", old_name="source_url", new_name="origin_url"),
        migrations.AlterField(
            "Entry",
            "accepted",
            models.DateTimeField(blank=True, null=True, help_text="When an operator accepted it"),
        ),
        migrations.AlterField(
            "Entry",
            "accepted_why",
            models.TextField(blank=True, help_text="Shown publicly: why the operator accepted it"),
        ),
        migrations.AlterField(
            "Entry",
            "origin",
            models.CharField(
                blank=True,
                max_length=200,
                help_text="Where an operator imported it from; empty for other entries",
            ),
        ),
        migrations.AlterField(
            "Entry",
            "published",
            models.DateTimeField(
                blank=True,
                null=True,
                help_text="When it was first on its board; for an import, when it was imported",
            ),
        ),
        migrations.AddField(
            "Entry",
            "provenance",
            models.CharField(choices=PROVENANCES, default="submitted", max_length=10),
        ),
        migrations.AddField(
            "Entry",
            "evidence",
            models.CharField(
                choices=EVIDENCE,
                default="self-reported",
                max_length=13,
                help_text="Written with the figures",
            ),
        ),
        migrations.AddField(
            "Entry",
            "evaluated",
            models.DateField(blank=True, null=True, help_text="When the attempts were made, as said"),
        ),
        migrations.AddField(
            "Entry",
            "released",
            models.DateField(blank=True, null=True, help_text="When the agent was released, as said"),
        ),
        migrations.AddField("Figure", "ranked", models.BooleanField(default=False)),
        migrations.AddField(
            "Figure",
            "version",
            models.CharField(
                blank=True,
                max_length=40,
                help_text="Of the source's rules; several after a change of the rules",
            ),
        ),
        migrations.AlterField(
            "Attempt",
            "ending",
            models.CharField(choices=ENDINGS, default="unknown", max_length=20),
        ),
        migrations.AddIndex(
            "Entry",
            models.Index(
                fields=["task_set", "state", "attempted", "agent", "evidence", "accepted", "origin"],
                name="entry_listed",
            ),
        ),
        migrations.AddIndex(
            "Figure",
            models.Index(
                fields=["task_set", "scorer", "metric", "category", "ranked", "value", "entry"],
                name="figure_ranking",
            ),
        ),
        # Last: PostgreSQL alters no table while a change of its rows waits for the end of the transaction.
        migrations.RunPython(carry_over, migrations.RunPython.noop),
    ]
