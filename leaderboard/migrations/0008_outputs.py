"""Outputs that are no text are files of their step; a landmark's status in the output as printed."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0007_names")]

    operations = [
        migrations.AlterModelOptions(name="attemptfile", options={"ordering": ("kind", "step", "number")}),
        migrations.RemoveConstraint(model_name="attemptfile", name="file_once_a_kind"),
        migrations.AddField(
            model_name="attemptfile", name="number", field=models.PositiveIntegerField(default=0)
        ),
        migrations.AlterField(
            model_name="attemptfile",
            name="kind",
            field=models.CharField(
                max_length=10,
                choices=[
                    ("original", "Original"),
                    ("notebook", "Notebook"),
                    ("html", "Html"),
                    ("output", "Output"),
                    ("answer", "Answer"),
                    ("media", "Media"),
                ],
            ),
        ),
        migrations.AddConstraint(
            model_name="attemptfile",
            constraint=models.UniqueConstraint(
                fields=("attempt", "kind", "step", "number"), name="file_once_a_kind"
            ),
        ),
        migrations.AddField(
            model_name="landmarkoutcome",
            name="printed",
            field=models.CharField(
                max_length=10,
                blank=True,
                choices=[
                    ("hit", "hit"),
                    ("given", "given"),
                    ("missed", "missed"),
                    ("timed-out", "timed-out"),
                    ("invalid", "invalid"),
                ],
                help_text="The status in the output as printed, if a terminal shows it otherwise (LandmarkResult)",
            ),
        ),
    ]
