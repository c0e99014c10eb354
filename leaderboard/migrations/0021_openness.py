from django.db import migrations, models


def take_code_from_links(apps, schema_editor):
    """A link that is labelled "Code" is the link to the code."""
    Entry = apps.get_model("leaderboard", "Entry")
    for entry in Entry.objects.exclude(links=[]).iterator():
        found = [link for link in entry.links if link.get("label", "").strip().lower() in CODE]
        if found:
            entry.code = found[0]["url"]
            entry.links.remove(found[0])
            entry.save(update_fields=("code", "links"))


def put_code_into_links(apps, schema_editor):
    for entry in apps.get_model("leaderboard", "Entry").objects.exclude(code="").iterator():
        entry.links.append({"label": "Code", "url": entry.code})
        entry.save(update_fields=("links",))


CODE = ("code", "source code")


class Migration(migrations.Migration):
    """An entry says how open its model and scaffold are, and where its code is."""

    dependencies = [("leaderboard", "0020_policy")]

    operations = [
        migrations.AddField(
            "entry",
            "model_openness",
            models.CharField(
                blank=True,
                choices=[
                    ("open-weights-and-data", "open-weights-and-data"),
                    ("open-weights", "open-weights"),
                    ("api-only", "api-only"),
                    ("not-public", "not-public"),
                ],
                default="",
                help_text="As its owners say; empty if they do not",
                max_length=21,
            ),
        ),
        migrations.AddField(
            "entry",
            "scaffold_openness",
            models.CharField(
                blank=True,
                choices=[("open-source", "open-source"), ("closed-source", "closed-source")],
                default="",
                help_text="As its owners say; empty if they do not",
                max_length=21,
            ),
        ),
        migrations.AddField(
            "entry",
            "code",
            models.URLField(blank=True, default="", help_text="Where the agent's code is, as its owners say"),
        ),
        migrations.RunPython(take_code_from_links, put_code_into_links),
    ]
