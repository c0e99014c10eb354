"""A search over 15,000 steps, as its page answers it, against the same page with LIKE for the index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from statistics import median
from unittest.mock import patch
from urllib.parse import quote

from django.db import transaction
from django.db.models.expressions import RawSQL

from benchmarks.table import Row
from benchmarks.temporary_site import client, get
from benchmarks.timing import alternate
from leaderboard.domain.trajectory import StepKind
from leaderboard.domain.words import Term, indexed_words
from leaderboard.models import Agent, Attempt, AttemptStep, Entry, StepWords, TaskSet
from leaderboard.search import selectors

ATTEMPTS, STEPS = 300, 50
WORDS = 40_000
"""Different words; how often each comes falls with its number, as in texts."""
WORDS_A_STEP = (20, 900)
MESSAGE = "ModuleNotFoundError: No module named 'flash_attn'"
RUNS = 7
BOUND_MS = 200
QUERIES = {
    "a word of nearly every step": "word1",
    "a word of one step in ten": "word700",
    "a rare word": "word39999",
    "a word that is in none": "word40001",
    "three words": "word20 word300 word7",
    "a phrase": '"word1 word2"',
    "a message as it is printed": MESSAGE,
    "an option": "--word5 0.01",
    "the beginning of a word": "word12*",
}


def measure() -> list[Row]:
    """One row a query: milliseconds of the page, with the index and with LIKE; then the median of all."""
    client()
    _fill()
    rows, ours = [], []
    for name, query in QUERIES.items():
        page = partial(get, f"/search/?q={quote(query)}")
        indexed, scanned = alternate(page, partial(_with_like, page), runs=RUNS)
        ours.append(indexed * 1e3)
        rows.append(Row(f"{name}, {ATTEMPTS * STEPS:,} steps", ours[-1], scanned * 1e3, "ms", "below LIKE"))
    return [*rows, Row("median of these", median(ours), BOUND_MS, "ms", f"at most {BOUND_MS} ms")]


def _with_like(page: Callable[[], object]) -> None:
    """The same page, for which the words of every step are looked through."""
    with patch.object(selectors, "steps_with", _like):
        page()


def _like(terms: Sequence[Term]) -> RawSQL:
    wanted = [f"% {' '.join(term.words)}{'' if term.prefix else ' '}%" for term in terms]
    where = " AND ".join(["' ' || words || ' ' LIKE %s"] * len(wanted))
    return RawSQL(f"SELECT step_id FROM leaderboard_stepwords WHERE {where}", wanted)  # noqa: S608, S611


@transaction.atomic
def _fill() -> None:
    random = Random(1)  # noqa: S311 - made texts, not a secret
    task_set = TaskSet.objects.filter(tasks__isnull=False)[0]
    tasks = list(task_set.tasks.all())
    agents = Agent.objects.bulk_create(Agent(name=f"searched-{n}", model="synthetic") for n in range(10))
    entries = Entry.objects.bulk_create(
        Entry(agent=agent, task_set=task_set, slug=f"searched-{n}") for n, agent in enumerate(agents)
    )
    attempts = Attempt.objects.bulk_create(
        Attempt(entry=entries[n % 10], task=tasks[n // 10 % len(tasks)], number=n // 10 // len(tasks) + 1)
        for n in range(ATTEMPTS)
    )
    for attempt in attempts:
        steps = AttemptStep.objects.bulk_create(_step(attempt, n, random) for n in range(1, STEPS + 1))
        StepWords.objects.bulk_create(
            StepWords(step=step, words=indexed_words(step.thought, step.action, step.observation))
            for step in steps
        )


def _step(attempt: Attempt, number: int, random: Random) -> AttemptStep:
    ranks = [min(int(random.paretovariate(0.35)), WORDS) for _ in range(random.randint(*WORDS_A_STEP))]
    words = [f"word{rank}" for rank in ranks]
    if number % 40 == 0:
        words.append(MESSAGE)
    return AttemptStep(
        attempt=attempt,
        number=number,
        kind=random.choice((StepKind.EXECUTE, StepKind.EDIT, StepKind.VIEW)),
        thought=" ".join(words[:20]),
        action=f"!python train.py --word{number % 9} 0.0{number % 3}",
        observation="\n".join(" ".join(words[start : start + 12]) for start in range(0, len(words), 12)),
    )
