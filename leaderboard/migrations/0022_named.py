from django.db import migrations, models

from leaderboard.models.fields import CompressedTextField


class Migration(migrations.Migration):
    """Attempts and steps keep what their file tells of agent, model, tokens, rewards and patch."""

    dependencies = [("leaderboard", "0021_openness")]

    operations = [
        migrations.AddField(
            "attempt",
            "cached_tokens",
            models.PositiveBigIntegerField(
                null=True, help_text="Those of the prompt tokens that came from a cache"
            ),
        ),
        migrations.AddField(
            "attempt",
            "reasoning_tokens",
            models.PositiveBigIntegerField(
                null=True, help_text="Those of the response tokens that were reasoning"
            ),
        ),
        migrations.AddField(
            "attempt", "agent", models.TextField(blank=True, help_text="The scaffold as its file names it")
        ),
        migrations.AddField(
            "attempt", "model", models.TextField(blank=True, help_text="The model as its file names it")
        ),
        migrations.AddField(
            "attempt",
            "rewards",
            models.JSONField(
                default=list,
                blank=True,
                help_text="Name and value, as text, of each score that the tool which wrote its file gave",
            ),
        ),
        migrations.AddField(
            "attempt",
            "patch",
            CompressedTextField(default="", help_text="The diff of what the agent changed"),
        ),
        migrations.AddField("attemptstep", "cached_tokens", models.PositiveBigIntegerField(null=True)),
        migrations.AddField("attemptstep", "reasoning_tokens", models.PositiveBigIntegerField(null=True)),
        migrations.AddField(
            "attemptstep", "agent", models.TextField(blank=True, help_text="The sub-agent whose step it is")
        ),
    ]
