"""Names that look alike have one key; what is said about an agent is said by an entry; drafts have secret slugs."""

import secrets

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Exists, OuterRef

from leaderboard.domain.name_keys import KEY_LENGTH, name_key

AGENT_KEY = models.CharField(
    max_length=KEY_LENGTH, db_index=True, help_text="The same for names that look alike; set when saved"
)
TEAM_KEY = models.CharField(
    max_length=KEY_LENGTH, unique=True, help_text="The same for names that look alike; set when saved"
)


def carry_over(apps, schema_editor):
    def rows(model):
        return apps.get_model("leaderboard", model).objects.using(schema_editor.connection.alias)

    for agent in rows("Agent").iterator():
        rows("Agent").filter(pk=agent.pk).update(key=name_key(agent.name, agent.model))
        if agent.url:
            rows("Entry").filter(agent=agent.pk).update(agent_url=agent.url)
    taken = set()
    for team in rows("Team").order_by("pk").iterator():
        key = name_key(team.name)
        if key in taken:
            # The names of two teams look alike already: both keep theirs, and the older one the key.
            key = f"{key[: KEY_LENGTH - 20]} {team.pk}"
        taken.add(key)
        rows("Team").filter(pk=team.pk).update(key=key)
    figures = rows("Figure")
    overall = figures.filter(
        category="", value__isnull=False, **{name: OuterRef(name) for name in ("entry", "scorer", "metric")}
    )
    # A category of which no task was tried counts as failed, as the overall figure has it already.
    untried = figures.filter(Exists(overall), value=None, tasks__gt=0).exclude(category="")
    figures.filter(pk__in=untried.values("pk")).update(value=0.0)
    for draft in rows("Entry").filter(state="draft").iterator():
        slug = f"draft-{secrets.token_hex(10)}"
        rows("Entry").filter(pk=draft.pk).update(slug=slug, draft_slug=draft.slug)
    if schema_editor.connection.vendor == "postgresql":
        # PostgreSQL makes no index of a table while foreign keys of it wait to be checked.
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0006_checks")]

    operations = [
        migrations.AddField(
            "agent", "key", models.CharField(max_length=KEY_LENGTH, default=""), preserve_default=False
        ),
        migrations.AddField(
            "team", "key", models.CharField(max_length=KEY_LENGTH, default=""), preserve_default=False
        ),
        migrations.AddField(
            "entry",
            "agent_url",
            models.URLField(blank=True, default="", help_text="The agent's home page, as its owners say"),
            preserve_default=False,
        ),
        migrations.AddField(
            "entry",
            "draft_slug",
            models.SlugField(
                max_length=200, blank=True, default="", help_text="Its slug before it was published"
            ),
            preserve_default=False,
        ),
        migrations.AlterField(
            "entry",
            "slug",
            models.SlugField(max_length=200, unique=True, help_text="A draft's can't be guessed"),
        ),
        migrations.RunPython(carry_over, migrations.RunPython.noop, elidable=True),
        migrations.AlterField("agent", "key", AGENT_KEY),
        migrations.RemoveConstraint("team", "team_name_once"),
        migrations.AlterField("team", "key", TEAM_KEY),
        migrations.RemoveField("agent", "url"),
        migrations.CreateModel(
            "FormerUpload",
            [
                (
                    "id",
                    models.UUIDField(
                        primary_key=True, editable=False, serialize=False, help_text="Of the deleted upload"
                    ),
                ),
                (
                    "upload",
                    models.ForeignKey(
                        "leaderboard.Upload",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former",
                    ),
                ),
            ],
        ),
    ]
