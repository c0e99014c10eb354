"""Suspicions about attempts, for operators; a benchmark names its own data, which attempts have no need to read."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def name_sources(apps, schema_editor):
    """What the fixture of SUPER says; another benchmark says it when its fixture is loaded again."""
    benchmarks = apps.get_model("leaderboard", "Benchmark").objects.using(schema_editor.connection.alias)
    benchmarks.filter(slug="super").update(sources=["allenai/super", "allenai/super-benchmark"])


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0011_search"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="benchmark",
            name="sources",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text="Names of its own data sets and repositories, such as allenai/super: an attempt that reads them is suspected",
            ),
        ),
        migrations.RunPython(name_sources, migrations.RunPython.noop, elidable=True),
        migrations.CreateModel(
            name="AttemptSuspicions",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.CharField(help_text="Of the rules in domain.suspicions", max_length=20)),
                (
                    "found",
                    models.JSONField(help_text="Each suspicion as data: `Suspicion.from_data` reads it"),
                ),
                ("recorded", models.DateTimeField(auto_now_add=True)),
                (
                    "verdict",
                    models.CharField(
                        blank=True,
                        choices=[("", "Open"), ("dismissed", "Dismissed"), ("confirmed", "Confirmed")],
                        default="",
                        max_length=10,
                    ),
                ),
                ("why", models.TextField(blank=True)),
                ("decided", models.DateTimeField(blank=True, null=True)),
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="suspicions",
                        to="leaderboard.attempt",
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"ordering": ("-recorded", "-pk")},
        ),
    ]
