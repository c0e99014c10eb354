from django.db import migrations, models


class Migration(migrations.Migration):
    """The table only: `leaderboard.models.revisions` makes the triggers anew after every `migrate`."""

    dependencies = [("leaderboard", "0014_scorings")]

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
