"""No page, selector, API or client names a metric, a scorer, a category or a benchmark.

What shows, reads or sends scores takes these names from the scoring and the database, so that a benchmark
with metrics of its own needs no change there.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from django.template.base import Lexer, TokenType

from leaderboard.scoring import all_scorings, scoring_of
from tests.repository.files import ROOT, name_of, ours

PLACES = (
    *(
        f"leaderboard/{folder}/"
        for folder in (
            "accounts", "api", "attempts", "boards", "catalogue", "client", "comparing", "core", "entries",
            "intake", "operating", "runs", "search", "tasks", "templatetags", "uploads", "viewing",
        )
    ),
    "leaderboard/management/",
    "leaderboard/rendering/charts.py",
    "runner/management/",
    "templates/",
)  # fmt: skip
WORDS = {
    "all": "an English word",
    "auto": "an English word",
    "configuration": "an English word",
    "cpu": "of processors",
    "cost": "what a submitter says of an entry, and a limit of a run",
    "data": "an English word",
    "dependency": "an English word",
    "experiments": "an English word",
    "expert": "an English word",
    "goal": "an English word",
    "issue": "an English word",
    "landmarks": "a task's patterns, which pages, API and runs show however it is scored",
    "masked": "of what looks like a secret",
    "prompt tokens": "of a step",
    "prompt_tokens": "of a step, and a column of attempts",
    "response tokens": "of a step",
    "response_tokens": "of a step, and a column of attempts",
    "solved": "at the highest value of a scoring's decisive metric",
    "steps": "of a trajectory",
    "submitted": "an ending of attempts, and where an entry is from",
    "wall_time": "a column of attempts",
}
"""Names that mean something else, too, and what: so they may stand there, but not as what is measured."""
EXCEPTIONS = {
    "leaderboard/management/commands/import_run.py": "the layout of files that SUPER's authors publish",
    "leaderboard/management/commands/make_masked.py": "writes data points in AutoExperiment's format",
    "leaderboard/operating/imports.py": "the layout of files that SUPER's authors publish",
}
MEASURED = re.compile(r"(?:metric|scorer|categor(?:y|ies)|benchmark|task_set|by_key)(?:\.\w+|\[\w+\])*$")
IN_A_TAG = re.compile(
    r"""(?:metric|scorer|category|benchmark|task_set)(?:\.\w+)*\s*(?:==|!=)\s*["']([^"']*)"""
)


def names(benchmarks: Iterable[Path]) -> frozenset[str]:
    """Every key and label of a metric, scorer, category, benchmark and task set that is in the package."""
    files = [json.loads(path.read_text()) for path in benchmarks]
    scorings = [
        *all_scorings().values(),
        *(scoring_of("", file.get("metrics", ())) for file in files if not file.get("scoring")),
    ]
    metrics = [metric for scoring in scorings for metric in scoring.metrics]
    found = {name for metric in metrics for name in (metric.key, metric.label)}
    found |= {scorer.name for scoring in scorings for scorer in scoring.scorers}
    for file in files:
        found |= {file["slug"], file["name"]}
        found |= {each[key] for each in file.get("categories", ()) for key in ("slug", "name")}
        found |= {each["slug"] for each in file["task_sets"]}
        found |= {f"{file['slug']}/{each['slug']}" for each in file["task_sets"]}
    return frozenset(name.lower() for name in found)


NAMES = names(path for path in ours() if path.name == "benchmark.json")
TELLING = NAMES - WORDS.keys()
LONGEST_FIRST = sorted(TELLING, key=len, reverse=True)
NAMED = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, LONGEST_FIRST))})(?![\w-])", re.IGNORECASE)


def in_python(source: str) -> Iterator[tuple[int, str]]:
    """The line and name of each name that stands in strings or identifiers of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from ((node.lineno, found[0].lower()) for found in NAMED.finditer(node.value))
        for name in identifiers(node):
            words = name.lower().split("_")
            parts = {"_".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)}
            yield from ((getattr(node, "lineno", 0), part) for part in parts & TELLING)
        yield from as_measured(node)


def identifiers(node: ast.AST) -> Iterator[str]:
    """The identifier of a node; not of calls of ``super``."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
            yield from () if name == "super" else (name,)
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name


def as_measured(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Strings, of those in `WORDS` too, that are compared with a metric and the like, or given as one."""
    strings: Iterable[ast.AST] = ()
    match node:
        case ast.Compare(left=left, comparators=others):
            sides = [left, *others]
            if any(MEASURED.search(ast.unparse(side)) for side in sides):
                strings = (each for side in sides for each in ast.walk(side))
        case ast.keyword(arg=str(name), value=value) if MEASURED.fullmatch(name):
            strings = (value,)
        case ast.Subscript(value=value, slice=key) if MEASURED.search(ast.unparse(value)):
            strings = (key,)
    for each in strings:
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.lower() in NAMES:
            yield each.lineno, each.value.lower()


def in_template(source: str) -> Iterator[tuple[int, str]]:
    """The line and name of each name that stands in a template's text, or that a tag compares with."""
    for token in Lexer(source).tokenize():
        if token.token_type is TokenType.COMMENT:
            continue
        first = token.lineno or 0
        for found in NAMED.finditer(token.contents):
            yield first + token.contents.count("\n", 0, found.start()), found[0].lower()
        if token.token_type is not TokenType.TEXT:
            compared = (found[1].lower() for found in IN_A_TAG.finditer(token.contents))
            yield from ((first, name) for name in compared if name in NAMES)


def found_in(path: Path) -> Iterator[tuple[int, str]]:
    source = path.read_text()
    return in_python(source) if path.suffix == ".py" else in_template(source)


def test_nothing_that_shows_reads_or_sends_scores_names_what_is_measured() -> None:
    files = [path for path in ours() if path.suffix in (".py", ".html", ".txt")]
    places = [path for path in files if name_of(path).startswith(PLACES)]
    assert len(places) > 200

    assert [
        f"{name_of(path)}, line {line}: {name}"
        for path in places
        if name_of(path) not in EXCEPTIONS
        for line, name in sorted(set(found_in(path)))
    ] == []


@pytest.mark.parametrize(
    "source",
    [
        "columns = ('accuracy',)",
        'HELP = "by default super/masked"',
        '"""The accuracy of a draft."""',
        "draft_accuracy = 0",
        "class Row:\n    script_executed: float",
        "found.filter(metric='landmarks')",
        "is_free = score.metric in ('cost', 'steps')",
        "by_key['cost']",
        "if task_set.benchmark.slug == 'super': pass",
    ],
)
def test_a_name_is_found_in_a_module(source: str) -> None:
    assert list(in_python(source))


@pytest.mark.parametrize(
    "source", ["{'cost': 1.5}", "steps = list(attempt.steps)", "super().__init__()", "kind = 'data'"]
)
def test_a_name_that_means_something_else_may_stand_in_a_module(source: str) -> None:
    assert list(in_python(source)) == []


@pytest.mark.parametrize(
    "source",
    [
        "<th>Accuracy</th>",
        "{{ row.accuracy }}",
        '{% if cell.metric.key == "landmarks" %}',
        "<p>set: super/masked</p>",
    ],
)
def test_a_name_is_found_in_a_template(source: str) -> None:
    assert list(in_template(source))


def test_the_words_and_files_that_are_let_through_need_it() -> None:
    assert sorted(WORDS.keys() - NAMES) == []
    assert [name for name in EXCEPTIONS if not list(found_in(ROOT / name))] == []
