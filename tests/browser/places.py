"""The addresses of one page of every kind, some in several states."""

from __future__ import annotations

from leaderboard.models import Attempt, Entry, OutputPage


def attempt_path(benchmark: str, task_id: str, model: str = "") -> str:
    """The page of an attempt that the snapshot holds."""
    attempts = Attempt.objects.filter(
        entry__task_set__benchmark__slug=benchmark, task__task_id=task_id, has_trajectory=True
    )
    return attempts.filter(entry__agent__model__contains=model).earliest("pk").get_absolute_url()


def parting_path(benchmark: str, task_id: str, *models: str) -> str:
    """The page of a task that says where two attempts part."""
    one, other = (attempt_path(benchmark, task_id, model).split("/")[2] for model in models)
    task = Attempt.objects.get(pk=int(one)).task
    return f"{task.get_absolute_url()}parting/?one={one}&other={other}"


def places() -> dict[str, str]:
    """Name to address; the snapshot must be loaded."""
    scores_only = Attempt.objects.filter(has_trajectory=False).earliest("pk")
    masked = Entry.objects.filter(task_set__slug="masked").earliest("pk")
    recorded = attempt_path("warm-up", "keygrain", "expert")
    page = OutputPage.objects.filter(attempt__task__task_id="long").earliest("pk")
    hostile = attempt_path("hostile", "hostile")
    return {
        "board": "/",
        "board without categories": "/b/super/expert/",
        "board without entries": "/b/super/auto/",
        "board without a match": "/?agent=nobody",
        "board that can not be sorted so": "/?sort=nonsense",
        "board with missing figures": "/b/odd/all/",
        "board of hostile names": "/b/hostile/all/",
        "board with every column": "/?columns=cost&columns=steps&sort=wall_time&x=steps",
        "sets side by side": "/b/super/",
        "tasks": "/b/warm-up/all/t/",
        "no tasks": "/b/super/auto/t/",
        "task": "/b/warm-up/all/t/keygrain/",
        "task without landmarks": scores_only.task.get_absolute_url(),
        "where two attempts part": parting_path("warm-up", "keygrain", "expert", "hasty"),
        "hostile task": "/b/hostile/all/t/hostile/",
        "entry": Attempt.objects.get(pk=int(recorded.split("/")[2])).entry.get_absolute_url(),
        "entry by category": f"{masked.get_absolute_url()}?category=cpu",
        "attempt": recorded,
        "attempt with a long output": attempt_path("odd", "long"),
        "attempt in a terminal": attempt_path("odd", "terminal"),
        "attempt that was given a landmark": attempt_path("odd", "given"),
        "hostile attempt": hostile,
        "two attempts": f"{recorded}?vs={attempt_path('warm-up', 'keygrain', 'hasty').split('/')[2]}",
        "attempts to compare with": f"{recorded}?vs=",
        "attempt without a trajectory": scores_only.get_absolute_url(),
        "page of an output": f"{attempt_path('odd', 'long')}{page.step}/{page.part}/{page.number}/",
        "matches": f"{recorded}find/?q=epoch",
        "no matches": f"{recorded}find/?q=nothing+of+the+kind",
        "hostile matches": f"{hostile}find/?q=hacked",
        "comparison": "/compare/?e=scripted-expert-all&e=scripted-hasty-all&e=scripted-patient-all",
        "entries to compare": "/compare/?e=scripted-expert-all",
        "search": "/search/",
        "search with results": "/search/?q=epoch",
        "search of hostile text": "/search/?q=hacked&kind=execute",
        "about": "/about/",
        "reference of the API": "/api/docs",
    }


def long_places() -> dict[str, str]:
    """Pages like others but longer, where axe would take its time."""
    masked = Entry.objects.filter(task_set__slug="masked").earliest("pk")
    return {"many tasks": "/b/super/masked/t/", "an entry of many attempts": masked.get_absolute_url()}
