from django.db import migrations, models


def name_scorings(apps, schema_editor):
    """Until now every benchmark was scored as SUPER is."""
    apps.get_model("leaderboard", "Benchmark").objects.update(scoring_name="super")


def add_figures(apps, schema_editor):
    """What attempts used is on boards, too: a figure for each of the entry's scorers."""
    Attempt, Figure = (apps.get_model("leaderboard", name) for name in ("Attempt", "Figure"))
    for figure in Figure.objects.filter(metric="submitted", category="").iterator():
        attempts = Attempt.objects.filter(entry=figure.entry_id, has_trajectory=True)
        for metric, field in USED.items():
            by_task = {}
            for task, value in attempts.exclude(**{field: None}).values_list("task", field):
                by_task.setdefault(task, []).append(value)
            means = [sum(values) / len(values) for values in by_task.values()]
            mean = sum(means) / len(means) if means else None
            figure.pk, figure.metric, figure.source, figure.version = None, metric, "recorded", ""
            figure.value = figure.attempted = mean
            figure.scored = figure.tasks = len(means)
            figure.attempts = sum(map(len, by_task.values()))
            figure.stale = False
            figure.save(force_insert=True)


def remove_figures(apps, schema_editor):
    apps.get_model("leaderboard", "Figure").objects.filter(source="recorded").delete()


def count_attempts(apps, schema_editor):
    """Of how many attempts each figure is the mean."""
    Score, Figure, Task = (apps.get_model("leaderboard", name) for name in ("Score", "Figure", "Task"))
    groups = {}
    for task, slug in Task.objects.values_list("pk", "categories__slug"):
        groups.setdefault(task, {""}).add(slug or "")
    for entry in Figure.objects.order_by().values_list("entry", flat=True).distinct():
        known = {}
        rows = Score.objects.filter(attempt__entry=entry, value__isnull=False)
        for scorer, metric, attempt, task in rows.values_list("scorer", "metric", "attempt", "attempt__task"):
            for group in groups[task]:
                known.setdefault((scorer, metric, group), set()).add(attempt)
        for figure in Figure.objects.filter(entry=entry):
            sources = ("reported", "super-strict") if figure.source == "mixed" else (figure.source,)
            found = (known.get((source, figure.metric, figure.category), set()) for source in sources)
            figure.attempts = len(set().union(*found))
            figure.save(update_fields=("attempts",))


USED = {
    "cost": "cost",
    "prompt_tokens": "prompt_tokens",
    "response_tokens": "response_tokens",
    "wall_time": "wall_time",
    "execution_time": "duration",
    "steps": "step_count",
}


class Migration(migrations.Migration):
    """Metrics are data of a scoring: their names and ranges are no longer the database's."""

    dependencies = [("leaderboard", "0013_suspicions_version")]

    operations = [
        migrations.AddField(
            "benchmark",
            "scoring_name",
            models.CharField(
                blank=True,
                default="",
                help_text="One of leaderboard.scoring; empty if only reported scores are shown, in ``metrics``",
                max_length=40,
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            "benchmark",
            "metrics",
            models.JSONField(
                blank=True, default=list, help_text="Without a scoring: what its reported scores are"
            ),
        ),
        migrations.AddField(
            "taskset",
            "level",
            models.PositiveSmallIntegerField(
                blank=True,
                help_text="Where its benchmark's sets have an order, such as by difficulty",
                null=True,
            ),
        ),
        migrations.AddField(
            "attempt",
            "wall_time",
            models.FloatField(help_text="Seconds from its first step to the end of its last", null=True),
        ),
        migrations.AddField(
            "figure",
            "attempts",
            models.PositiveIntegerField(default=0, help_text="Attempts that have a score, at these tasks"),
        ),
        migrations.RemoveConstraint("score", "score_between_0_and_1"),
        migrations.AlterField("score", "metric", models.CharField(max_length=20)),
        migrations.AlterField(
            "score",
            "value",
            models.FloatField(help_text="In the metric's range; null if it is missing", null=True),
        ),
        migrations.AlterField("figure", "metric", models.CharField(max_length=20)),
        migrations.RunPython(name_scorings, migrations.RunPython.noop),
        migrations.RunPython(count_attempts, migrations.RunPython.noop),
        migrations.RunPython(add_figures, remove_figures),
    ]
