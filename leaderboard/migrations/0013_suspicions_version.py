from django.db import migrations, models


class Migration(migrations.Migration):
    """Attempts without suspicions have a version, too: of those of before, re-scoring them makes it known."""

    dependencies = [("leaderboard", "0012_suspicions")]

    operations = [
        migrations.AddField(
            "attempt",
            "suspicions_version",
            models.CharField(
                blank=True,
                help_text="Of the rules in domain.suspicions; empty if it was never looked at",
                max_length=20,
            ),
        ),
        migrations.RemoveField("attemptsuspicions", "version"),
    ]
