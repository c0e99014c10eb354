"""An index of the words of all steps: FTS5 in SQLite, GIN in PostgreSQL."""

from itertools import islice

from django.db import migrations, models

from leaderboard.domain.words import indexed_words

TEXTS = ("thought", "action", "observation")
# The words are made by `domain.words`: FTS5 only has to split them at spaces. It stores no text of its own.
SQLITE = (
    "CREATE VIRTUAL TABLE leaderboard_stepindex USING fts5"
    " (words, content='leaderboard_stepwords', content_rowid='step_id', tokenize='ascii')",
    "INSERT INTO leaderboard_stepindex (leaderboard_stepindex) VALUES ('rebuild')",
    "CREATE TRIGGER leaderboard_stepwords_added AFTER INSERT ON leaderboard_stepwords BEGIN"
    " INSERT INTO leaderboard_stepindex (rowid, words) VALUES (new.step_id, new.words); END",
    "CREATE TRIGGER leaderboard_stepwords_deleted AFTER DELETE ON leaderboard_stepwords BEGIN"
    " INSERT INTO leaderboard_stepindex (leaderboard_stepindex, rowid, words)"
    " VALUES ('delete', old.step_id, old.words); END",
    "CREATE TRIGGER leaderboard_stepwords_changed AFTER UPDATE ON leaderboard_stepwords BEGIN"
    " INSERT INTO leaderboard_stepindex (leaderboard_stepindex, rowid, words)"
    " VALUES ('delete', old.step_id, old.words);"
    " INSERT INTO leaderboard_stepindex (rowid, words) VALUES (new.step_id, new.words); END",
)
# The words as lexemes, as they are: PostgreSQL's own parser would take paths and numbers apart in its own
# way. A function with a cost: the planner takes the expression to cost nothing, and computes it for every row.
POSTGRESQL = (
    "CREATE FUNCTION leaderboard_lexemes(words text) RETURNS tsvector LANGUAGE plpgsql"
    " IMMUTABLE STRICT PARALLEL SAFE COST 10000"
    " AS 'BEGIN RETURN array_to_tsvector(string_to_array(words, '' '')); END'",
    "CREATE INDEX leaderboard_stepindex ON leaderboard_stepwords USING gin (leaderboard_lexemes(words))",
)


def make_index(apps, schema_editor):
    for statement in SQLITE if schema_editor.connection.vendor == "sqlite" else POSTGRESQL:
        schema_editor.execute(statement)


def drop_index(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        # The triggers go with the table of the words.
        schema_editor.execute("DROP TABLE leaderboard_stepindex")
    else:
        schema_editor.execute("DROP FUNCTION leaderboard_lexemes CASCADE")


def index_steps(apps, schema_editor):
    def rows(model):
        return apps.get_model("leaderboard", model).objects.using(schema_editor.connection.alias)

    StepWords = apps.get_model("leaderboard", "StepWords")
    steps = rows("AttemptStep").values_list("pk", *TEXTS).iterator(chunk_size=200)
    while some := [StepWords(step_id=pk, words=indexed_words(*texts)) for pk, *texts in islice(steps, 200)]:
        rows("StepWords").bulk_create(some)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0010_turns")]

    operations = [
        migrations.CreateModel(
            "StepWords",
            [
                (
                    "step",
                    models.OneToOneField(
                        "leaderboard.AttemptStep",
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="indexed",
                        serialize=False,
                    ),
                ),
                ("words", models.TextField(blank=True)),
            ],
        ),
        # First the words: an index that is made of all of them at once is made much faster.
        migrations.RunPython(index_steps, migrations.RunPython.noop),
        migrations.RunPython(make_index, drop_index),
    ]
