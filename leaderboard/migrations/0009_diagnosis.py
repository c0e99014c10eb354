from django.db import migrations, models


class Migration(migrations.Migration):
    """Attempts recorded before have no diagnosis yet; re-scoring them makes one."""

    dependencies = [("leaderboard", "0008_outputs")]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="diagnosis",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="`Diagnosis.as_data`: why it failed, if it did; empty if it was never diagnosed",
            ),
        ),
        migrations.AddField(
            model_name="attempt",
            name="diagnosis_version",
            field=models.CharField(blank=True, help_text="Empty if it was never diagnosed", max_length=20),
        ),
        migrations.AddField(
            model_name="attempt",
            name="finding",
            field=models.CharField(
                blank=True,
                db_index=True,
                help_text="The class of the diagnosis's first finding, if any",
                max_length=40,
            ),
        ),
    ]
