from django.db import migrations, models


class Migration(migrations.Migration):
    """Boards can be ranked by the mean over the tasks that have a score."""

    dependencies = [("leaderboard", "0018_intervals")]

    operations = [
        migrations.AddIndex(
            "figure",
            models.Index(
                fields=["task_set", "scorer", "metric", "category", "ranked", "attempted", "entry"],
                name="figure_ranking_attempted",
            ),
        )
    ]
