"""The text index of the database in use: FTS5 in SQLite, a GIN index in PostgreSQL. Both find the same."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection
from django.db.models.expressions import RawSQL

from leaderboard.domain.words import Term

SQLITE = "SELECT rowid FROM leaderboard_stepindex WHERE leaderboard_stepindex MATCH %s"
# Materialized: until a table has statistics, the planner would begin with the steps that the visitor may see.
POSTGRESQL = (
    "WITH found AS MATERIALIZED (SELECT step_id FROM leaderboard_stepwords"
    " WHERE leaderboard_lexemes(words) @@ %s::tsquery{}) SELECT step_id FROM found"
)
# The index has no positions: a row that has all words of a phrase is looked through for the phrase.
AS_PHRASE = " AND strpos(' ' || words || ' ', %s) > 0"


def steps_with(terms: Sequence[Term]) -> RawSQL:
    """A subquery for the keys of the steps in which all ``terms`` are found."""
    if connection.vendor == "sqlite":
        return RawSQL(SQLITE, [_fts5_query(terms)])  # noqa: S611 - what was asked for is a parameter
    phrases = [
        f" {' '.join(term.words)}" + ("" if term.prefix else " ") for term in terms if len(term.words) > 1
    ]
    query = POSTGRESQL.format(AS_PHRASE * len(phrases))
    return RawSQL(query, [_tsquery(terms), *phrases])  # noqa: S611 - as above


def _fts5_query(terms: Sequence[Term]) -> str:
    # Words are letters and digits: none can end its quotes.
    return " AND ".join(f'"{" ".join(term.words)}"' + (" *" if term.prefix else "") for term in terms)


def _tsquery(terms: Sequence[Term]) -> str:
    lexemes: dict[str, None] = {}
    for term in terms:
        *words, last = (f"'{word}'" for word in term.words)
        lexemes |= dict.fromkeys([*words, f"{last}:*" if term.prefix else last])
    return " & ".join(lexemes)
