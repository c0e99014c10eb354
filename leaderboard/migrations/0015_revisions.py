from django.db import migrations, models


class Migration(migrations.Migration):
    """The table only: `leaderboard.models.revisions` makes the triggers anew after every `migrate`."""

    dependencies = [("leaderboard", "0013_suspicions_version")]

    operations = [
        migrations.CreateModel(
            "Revision",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.BigIntegerField()),
            ],
        ),
    ]
