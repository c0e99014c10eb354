from django.db import migrations, models


class Migration(migrations.Migration):
    """Boards can be ranked by the mean over the tasks that have a score."""

    dependencies = [("leaderboard", "0017_published")]

    operations = [
        migrations.AddIndex(
            "figure",
            models.Index(
                fields=["task_set", "scorer", "metric", "category", "ranked", "attempted", "entry"],
                name="figure_ranking_attempted",
            ),
        )
    ]
