from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0005_gold_budget")]

    operations = [
        migrations.AddField(
            model_name="team",
            name="last_check",
            field=models.DateTimeField(
                blank=True,
                help_text="When a check of one of its uploads last began: teams take turns",
                null=True,
            ),
        ),
    ]
