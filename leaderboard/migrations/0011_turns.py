from django.db import migrations, models


class Migration(migrations.Migration):
    """Tokens and cost of each step, and what the model was shown: filled in when an attempt is recorded again."""

    dependencies = [("leaderboard", "0010_diagnosis")]

    operations = [
        migrations.AddField("attemptstep", "cost", models.FloatField(help_text="US dollars", null=True)),
        migrations.AddField("attemptstep", "prompt_tokens", models.PositiveBigIntegerField(null=True)),
        migrations.AddField("attemptstep", "response_tokens", models.PositiveBigIntegerField(null=True)),
        migrations.AddField(
            "attemptstep",
            "shown",
            models.JSONField(help_text="What the model was shown of the observation, if not all", null=True),
        ),
    ]
