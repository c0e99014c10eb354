"""Which files of a folder are a trial of Harbor's, or an ATIF trajectory in several files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from os.path import commonpath
from typing import Final

from leaderboard.formats.bundles import Group

RESULT: Final = "result.json"
_MAIN: Final = "agent/trajectory.json"
_STEP_MAIN: Final = re.compile(r"steps/[^/]+/agent/trajectory\.json")
_AGENT_FILE: Final = re.compile(
    r"(?:steps/[^/]+/)?agent/(?:trajectory[^/]*\.json|.*\.(?:png|jpe?g)|sessions/.*\.jsonl)", re.DOTALL
)
_SESSION: Final = re.compile(r"agent/sessions/.*\.jsonl", re.DOTALL)
ANSWER: Final = re.compile(r"artifacts/(?:.*/)?(?:final_)?answers?\.(?:json|txt)", re.DOTALL)
REWARD: Final = "verifier/reward.txt"
# Files that somebody put into the folder of a trial.
_GIVEN: Final = frozenset({"metrics.json", "metadata.json", "answers.json", "answers.jsonl"})
_FURTHER: Final = re.compile(r"(?P<main>.*)\.(?:cont-[0-9]+|summarization-[0-9]+-[a-z]+)\.json", re.DOTALL)
_IMAGE: Final = re.compile(r"images/.*\.(?:png|jpe?g)", re.DOTALL)
_TB1: Final = re.compile(r"(?P<trial>(?:.*/)?[^/]+\.[0-9]+-of-[0-9]+(?:\.[^/]*)?)/results\.json", re.DOTALL)


def group(names: Sequence[str]) -> Iterator[Group]:
    """The trials, the trajectories that are in several files, and all trials of Terminal-Bench 1 as one."""
    known = set(names)
    below: defaultdict[str, list[str]] = defaultdict(list)
    roots = {root for name in names if (root := _root(name, known)) is not None}
    for name in names:
        for root in _folders_of(name):
            if root in roots:
                below[root].append(name)
                break
    taken: set[str] = set()
    for root in sorted(roots):
        found = _trial(root, below[root])
        taken.update(found.names, found.beside)
        yield found
    left = [name for name in names if name not in taken]
    yield from _trajectories(left)
    yield from _terminal_bench_1(left)


def main_files(group_: Group) -> tuple[str, ...]:
    """The trajectories of a group, one after another; the agent's session where there is none."""
    inside = {group_.inside(name): name for name in group_.names}
    if RESULT not in inside:
        return group_.names[:1]
    mains = [_MAIN] if _MAIN in inside else sorted(each for each in inside if _STEP_MAIN.fullmatch(each))
    # Sub-agents' sessions lie below the main one's.
    sessions = (each for each in inside if _SESSION.fullmatch(each) and "agent-" not in each)
    found = mains or sorted(sessions, key=lambda each: (each.count("/subagents/"), each))[:1]
    return tuple(inside[each] for each in found)


def session_files(group_: Group, main: str) -> list[str]:
    """The agent's session, and the files of its sub-agents if it is one of Claude Code."""
    folder, own = main.rpartition("/")[0], main.removesuffix(".jsonl")
    starts = (f"{own}/subagents/agent-", f"{folder}/agent-")
    return [main, *sorted(each for each in group_.names if each.startswith(starts) and each != main)]


def is_terminal_bench_1(group_: Group) -> bool:
    return all(_TB1.fullmatch(name) for name in group_.names)


def _folders_of(name: str) -> Iterator[str]:
    """The folders around a file, innermost first, the outermost "" last."""
    folder = name.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def _root(name: str, known: set[str]) -> str | None:
    """The trial's folder of a file of its agent; None for any other file."""
    if "agent/" not in name:
        return None
    parts = name.split("/")
    for index, part in enumerate(parts[:-1]):
        if part == "agent":
            # A step of a task with several may have a result of its own.
            for end in (index - 2, index):
                is_step = end == index or (end >= 0 and parts[end] == "steps")
                root = "/".join(parts[: max(end, 0)])
                if is_step and (f"{root}/{RESULT}" if root else RESULT) in known:
                    return root
    return None


def _trial(root: str, below: list[str]) -> Group:
    whole = Group(root, ())
    inside = {whole.inside(name): name for name in below}
    mains = [each for each in inside if each == _MAIN or _STEP_MAIN.fullmatch(each)]
    kept = [
        each
        for each in sorted(inside)
        if each == REWARD
        or ANSWER.fullmatch(each)
        or (_AGENT_FILE.fullmatch(each) and not (mains and _SESSION.fullmatch(each)))
    ]
    names = tuple(inside[each] for each in dict.fromkeys((*sorted(mains), RESULT, *kept)))
    given = {inside[each] for each in _GIVEN if each in inside}
    return Group(root, names, tuple(name for name in below if name not in {*names, *given}))


def _trajectories(names: Sequence[str]) -> Iterator[Group]:
    """Trajectories without a result of Harbor's, that go on in other files or have images beside them."""
    known = set(names)
    further: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        found = _FURTHER.fullmatch(name)
        if found and f"{found['main']}.json" in known:
            further[f"{found['main']}.json"].append(name)
    for name in names:
        folder, _slash, last = name.rpartition("/")
        above, _slash, images = folder.rpartition("/")
        main = f"{above}/trajectory.json" if above else "trajectory.json"
        if images == "images" and _IMAGE.fullmatch(f"images/{last}") and main in known:
            further[main].append(name)
    for main, others in sorted(further.items()):
        yield Group(main.rpartition("/")[0], (main, *sorted(others)))


def _terminal_bench_1(names: Sequence[str]) -> Iterator[Group]:
    trials = {found["trial"]: name for name in names if (found := _TB1.fullmatch(name))}
    if not trials:
        return
    folder = commonpath([trial.rpartition("/")[0] for trial in trials])
    first = min(trials.values())
    inside = tuple(f"{trial}/" for trial in trials)
    beside = tuple(name for name in names if name.startswith(inside) and name != first)
    yield Group(folder, (first,), beside)
