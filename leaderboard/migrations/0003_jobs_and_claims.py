"""Attempts that a run makes are jobs, once called units; a claim has a number, once called a take."""

from django.db import migrations, models
from django.db.models import Q

LEASED = ("cancelling", "running")


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0002_plain_english")]

    operations = [
        migrations.RemoveConstraint("unit", "unit_once"),
        migrations.RemoveConstraint("unit", "claimed_units_have_a_lease"),
        migrations.RemoveConstraint("unitstep", "unit_step_once"),
        migrations.RenameIndex("unit", new_name="job_queue", old_name="unit_queue"),
        migrations.RenameModel("Unit", "Job"),
        migrations.RenameModel("UnitStep", "JobStep"),
        migrations.RenameField("jobstep", "unit", "job"),
        migrations.RenameField("jobstep", "take", "claim_number"),
        migrations.AlterModelOptions("jobstep", {"ordering": ("claim_number", "number")}),
        *(
            migrations.RenameField(model, old, new)
            for model in ("job", "upload")
            for old, new in (("take", "claim_number"), ("takes_left", "claims_left"))
        ),
        migrations.AlterField(
            "job",
            "attempt",
            models.OneToOneField(
                "leaderboard.Attempt", models.SET_NULL, null=True, blank=True, related_name="job"
            ),
        ),
        migrations.AlterField(
            "job", "run", models.ForeignKey("leaderboard.Run", models.CASCADE, related_name="jobs")
        ),
        migrations.AlterField(
            "job", "task", models.ForeignKey("leaderboard.Task", models.PROTECT, related_name="jobs")
        ),
        migrations.AlterField(
            "worker",
            "notice",
            models.TextField(blank=True, default="", help_text="Why it claims no jobs, if so"),
        ),
        migrations.AddConstraint(
            "job", models.UniqueConstraint(fields=("run", "task", "number"), name="job_once")
        ),
        migrations.AddConstraint(
            "job",
            models.CheckConstraint(
                condition=~Q(state__in=LEASED) | Q(lease_until__isnull=False),
                name="claimed_jobs_have_a_lease",
            ),
        ),
        migrations.AddConstraint(
            "jobstep",
            models.UniqueConstraint(fields=("job", "claim_number", "number"), name="job_step_once"),
        ),
    ]
