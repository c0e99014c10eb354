import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """How certain figures and ranks are. `manage.py refresh_figures` fills in those of stored entries."""

    dependencies = [("leaderboard", "0017_published")]

    operations = [
        migrations.AddField(
            "figure",
            "low",
            models.FloatField(help_text="Of the 95 % interval of value; null if it has none", null=True),
        ),
        migrations.AddField("figure", "high", models.FloatField(null=True)),
        migrations.CreateModel(
            "Standing",
            [
                (
                    "figure",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="standing",
                        serialize=False,
                        to="leaderboard.figure",
                    ),
                ),
                ("first", models.PositiveIntegerField()),
                (
                    "last",
                    models.PositiveIntegerField(help_text="Null if it may be any rank below", null=True),
                ),
                (
                    "more_tasks",
                    models.PositiveIntegerField(
                        help_text="About how many more tasks would tell it from the next entry", null=True
                    ),
                ),
            ],
        ),
    ]
