"""Limits on what checks tell of gold answers: attempts at a task, checks a day, teams that are admitted."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

UPLOAD_STATES = (
    "receiving",
    "queued",
    "checking",
    "incomplete",
    "waiting",
    "checked",
    "refused",
    "failed",
)


def admit_known_teams(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Teams whose uploads were checked before need no operator's word."""
    known = apps.get_model("leaderboard", "Entry").objects.exclude(team=None).values("team")
    apps.get_model("leaderboard", "Team").objects.filter(pk__in=known).update(admitted=models.F("created"))
    if editor.connection.vendor == "postgresql":
        # PostgreSQL makes no index of a table while foreign keys of it wait to be checked.
        editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0004_evidence"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            "benchmark",
            "max_attempts",
            models.PositiveSmallIntegerField(
                default=10, help_text="Attempts at one task that one entry may have"
            ),
        ),
        migrations.AddConstraint(
            "benchmark",
            models.CheckConstraint(condition=models.Q(max_attempts__gte=1), name="an_attempt_is_allowed"),
        ),
        migrations.AddField(
            "team",
            "admission_asked",
            models.DateTimeField(
                null=True, blank=True, help_text="When its first upload began to wait for that"
            ),
        ),
        migrations.AddField(
            "team",
            "admitted",
            models.DateTimeField(
                null=True, blank=True, help_text="When an operator admitted it, where the site asks for that"
            ),
        ),
        migrations.AddField(
            "team",
            "admitted_by",
            models.ForeignKey(
                settings.AUTH_USER_MODEL,
                django.db.models.deletion.SET_NULL,
                null=True,
                blank=True,
                related_name="+",
            ),
        ),
        migrations.AddField(
            "upload",
            "resume",
            models.DateTimeField(
                null=True,
                blank=True,
                help_text="When a waiting upload is queued again; null until it is admitted",
            ),
        ),
        migrations.AlterField(
            "upload",
            "state",
            models.CharField(
                choices=[(state, state) for state in UPLOAD_STATES], default="receiving", max_length=12
            ),
        ),
        migrations.CreateModel(
            "GoldCheck",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("upload", models.UUIDField(help_text="The upload's key; the upload may be gone")),
                (
                    "digest",
                    models.CharField(help_text="SHA-256 of the file, or of the archive", max_length=64),
                ),
                ("part", models.TextField(blank=True, help_text="The entry's folder in that archive")),
                ("at", models.DateTimeField()),
                (
                    "task_set",
                    models.ForeignKey(
                        "leaderboard.TaskSet", django.db.models.deletion.CASCADE, related_name="gold_checks"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        "leaderboard.Team",
                        django.db.models.deletion.SET_NULL,
                        null=True,
                        related_name="gold_checks",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        settings.AUTH_USER_MODEL,
                        django.db.models.deletion.SET_NULL,
                        null=True,
                        related_name="gold_checks",
                    ),
                ),
            ],
            options={"ordering": ("at",)},
        ),
        migrations.AddIndex(
            "goldcheck", models.Index(fields=["task_set", "team", "at"], name="gold_checks_of_team")
        ),
        migrations.AddIndex(
            "goldcheck", models.Index(fields=["task_set", "user", "at"], name="gold_checks_of_user")
        ),
        migrations.RunPython(admit_known_teams, migrations.RunPython.noop),
    ]
