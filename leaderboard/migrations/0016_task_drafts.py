"""Drafts of tasks that a model wrote, held for an operator's review."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0015_revisions"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="TaskDraft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("task_id", models.CharField(max_length=200, unique=True)),
                ("title", models.CharField(blank=True, max_length=200)),
                ("query", models.TextField()),
                ("repository", models.CharField(max_length=300)),
                ("commit", models.CharField(blank=True, max_length=64)),
                ("entrypoint", models.CharField(max_length=300)),
                ("command", models.TextField()),
                ("dataset", models.CharField(blank=True, max_length=300)),
                (
                    "model",
                    models.CharField(
                        blank=True, help_text="The pretrained model that the task needs", max_length=300
                    ),
                ),
                ("landmarks", models.JSONField(blank=True, default=list)),
                ("checks", models.JSONField(help_text="Each check as data: `Check.from_data` reads it")),
                (
                    "digest",
                    models.CharField(
                        help_text="Of repository, entry point and command: one draft for each",
                        max_length=64,
                        unique=True,
                    ),
                ),
                ("drafted", models.DateTimeField(auto_now_add=True)),
                ("drafted_by", models.CharField(help_text="The model that wrote it", max_length=200)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("held", "Held for review"),
                            ("approved", "Approved"),
                            ("rejected", "Rejected"),
                        ],
                        default="held",
                        max_length=10,
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1, help_text="Counts its changes")),
                ("why", models.TextField(blank=True)),
                ("decided", models.DateTimeField(blank=True, null=True)),
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
            options={
                "ordering": ("-drafted", "-pk"),
            },
        ),
    ]
