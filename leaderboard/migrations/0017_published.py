from django.db import migrations, models


class Migration(migrations.Migration):
    """What the site says of a benchmark is data: published figures, and a sentence on each category."""

    dependencies = [("leaderboard", "0016_task_drafts")]

    operations = [
        migrations.AddField(
            "benchmark",
            "published",
            models.JSONField(
                blank=True,
                default=list,
                help_text="Figures that others have published, each with task_set, tasks, agent, model, metric, "
                "value, source, url and note",
            ),
        ),
        migrations.AddField(
            "category",
            "about",
            models.CharField(
                blank=True, default="", help_text="What makes its tasks hard, in a sentence", max_length=300
            ),
        ),
    ]
