"""Checks a drafted task against its repository: what can be told without running anything."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from pathlib import PurePosixPath

from leaderboard.domain.commands import runs_script
from leaderboard.domain.drafts import Check, Draft, Outcome
from runner.making.tree import Tree

MAX_REACHED = 60
"""Files that are looked through for one entry point."""
SHOWN = 4
"""Places that a check names; more say the same."""
LINE = 1_000
"""Characters of a line that are looked at."""

_REQUIREMENTS = re.compile(
    r"(?:requirements[\w.-]*\.txt|environment[\w.-]*\.ya?ml|setup\.(?:py|cfg)|pyproject\.toml)"
)
_IMPORT = re.compile(r"[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+([\w, \t]+)|import[ \t]+([\w.]+))")
_NOT_OF_A_PATH = re.compile(r"[^\w./-]+")
_RUNS = re.compile(
    r"^if __name__ *== *|\bargparse\b|\bArgumentParser\b|@click\.|\bfire\.Fire|\btyper\b|@hydra\.|\babsl\b"
)
_CUDA = re.compile(r"\.cuda\(|\.to\(\s*f?['\"]cuda|(?i:device)(?:\s*=|\()\s*f?['\"]cuda|load_in_[48]bit")
_GPU_ONLY = re.compile(
    r"\bnvidia-smi\b|\bnvcc\b|\bapex\b|\bflash[-_]attn\b|\bbitsandbytes\b|\bxformers\b|\bpycuda\b|\bcupy\b"
    r"|\bdeepspeed\b|\btriton\b|\bvllm\b|\bfaiss-gpu\b|\btensorflow-gpu\b|\btorchrun\b|torch\.distributed\.launch"
)
_WANTS_GPU = re.compile(r"\b(?:requir|need)\w*\b[^.]{0,40}\b(?:GPUs?|CUDA)\b", re.IGNORECASE)
_SERVICE = re.compile(
    r"\b(?:import|from)\s+(?:openai|anthropic|cohere|together|replicate|google\.generativeai)\b"
    r"|^\s*(?:openai|anthropic|cohere)\b|\b[A-Z][A-Z0-9_]*_API_KEY\b|\bapi[_-]key\b|\bwandb[. ]login\b"
)
_PUBLIC_DATA = re.compile(
    r"\bload_dataset\(|\bhf_hub_download\(|\bsnapshot_download\(|torchvision\.datasets|sklearn\.datasets"
    r"|nltk\.download\(|\btfds\.load\(|huggingface\.co/datasets/"
)
_CLOSED_DATA = re.compile(
    r"drive\.google\.com|pan\.baidu\.com|dropbox\.com|onedrive|sharepoint\.com|upon request|use agreement"
    r"|licen[cs]e agreement|apply for access|request access|fill (?:in|out) (?:the|a|this) form|catalog\.ldc",
    re.IGNORECASE,
)


def check_draft(draft: Draft, tree: Tree, *, commit: str) -> list[Check]:
    """What is found about a draft; only the first check stands if it refuses the draft."""
    script = _script(draft.entrypoint, tree)
    if script.outcome is Outcome.REFUSED:
        return [script]
    files = _reached(draft.entrypoint, tree)
    checks = [
        script,
        _named(draft.entrypoint, tree),
        _command(draft),
        *_gpu(files, tree),
        *_service(files, tree),
        *_data(draft, files, tree),
    ]
    if not commit:
        text = "the commit is unknown, so that the repository may change under the task: give --commit"
        checks.append(Check("commit", Outcome.DOUBT, text))
    return checks


def _script(entrypoint: str, tree: Tree) -> Check:
    """Whether the entry point is there and can be run."""

    def refused(text: str) -> Check:
        return Check("script", Outcome.REFUSED, text)

    path = PurePosixPath(entrypoint)
    if path.is_absolute() or ".." in path.parts or "\\" in entrypoint:
        return refused("the entry point is outside of the repository")
    if entrypoint not in tree.names:
        return refused("the entry point is no file of the repository")
    if path.suffix not in (".py", ".sh"):
        return refused("the entry point is neither a Python nor a shell script")
    text = tree.text(entrypoint)
    if not text.strip():
        return refused("the entry point is empty")
    if path.suffix == ".sh":
        return Check("script", Outcome.OK, "it is a shell script", entrypoint)
    for number, line in _code(text):
        if _RUNS.search(line):
            return Check("script", Outcome.OK, "it can be run", entrypoint, number)
    return Check(
        "script", Outcome.DOUBT, "it has neither a main part nor options: is it only imported?", entrypoint
    )


def _named(entrypoint: str, tree: Tree) -> Check:
    path = PurePosixPath(entrypoint)
    module = re.escape(".".join(path.with_suffix("").parts))
    pattern = re.compile(rf"(?<![\w-]){re.escape(path.name)}(?![\w-])|-m\s+{module}\b")
    for number, line in _lines(tree.text(tree.readme)):
        if pattern.search(line):
            return Check("README", Outcome.OK, "it names the entry point", tree.readme, number)
    return Check("README", Outcome.DOUBT, "it does not name the entry point", tree.readme)


def _command(draft: Draft) -> Check:
    if runs_script(f"!{draft.command}", draft.entrypoint):
        return Check("command", Outcome.OK, "it runs the entry point")
    return Check("command", Outcome.DOUBT, "it does not run the entry point, as far as can be told")


def _gpu(files: list[str], tree: Tree) -> Iterator[Check]:
    found: list[Check] = []
    for name in files:
        text = tree.text(name)
        asks = "is_available" in text
        for number, line in _code(text):
            if match := _GPU_ONLY.search(line):
                found.append(_doubt("GPU", f"{match[0]} is made for a GPU", name, number))
            elif not asks and (match := _CUDA.search(line)):
                text_ = f"{match[0]} needs a GPU, and the file never asks whether there is one"
                found.append(_doubt("GPU", text_, name, number))
    for number, line in _lines(tree.text(tree.readme)):
        if _WANTS_GPU.search(line):
            found.append(_doubt("GPU", "the README wants a GPU", tree.readme, number))
    yield from _some(found, "GPU", f"none is needed, as far as {len(files):,} files tell")


def _service(files: list[str], tree: Tree) -> Iterator[Check]:
    found = [
        _doubt("service", f"{match[0].strip()} is about an outside service or its key", name, number)
        for name in files
        for number, line in _code(tree.text(name))
        if (match := _SERVICE.search(line))
    ]
    yield from _some(found, "service", f"no outside API is asked, as far as {len(files):,} files tell")


def _data(draft: Draft, files: list[str], tree: Tree) -> Iterator[Check]:
    found = [
        _doubt(
            "data",
            f"{match[0]}: the data may not be public, or not to be had by a program",
            tree.readme,
            number,
        )
        for number, line in _lines(tree.text(tree.readme))
        if (match := _CLOSED_DATA.search(line))
    ]
    path = draft.dataset.strip().strip("/")
    if path and any(name == path or name.startswith(f"{path}/") for name in tree.files):
        yield from _some(found, "data", "the repository has them")
        return
    for name in [*files, tree.readme]:
        for number, line in _code(tree.text(name)):
            if match := _PUBLIC_DATA.search(line):
                public = Check("data", Outcome.OK, f"{match[0]} gets public data", name, number)
                yield from found[:SHOWN] or [public]
                return
    yield from found[:SHOWN] or [Check("data", Outcome.DOUBT, "it can't be told where they come from")]


def _reached(entrypoint: str, tree: Tree) -> list[str]:
    """The entry point, what it imports or calls of the repository, and what names requirements."""
    waiting, seen = deque([entrypoint]), {entrypoint: None}
    while waiting and len(seen) < MAX_REACHED:
        name = waiting.popleft()
        for other in _mentioned(name, tree):
            if other in tree.names and other not in seen and len(seen) < MAX_REACHED:
                seen[other] = None
                waiting.append(other)
    folders = {"", PurePosixPath(entrypoint).parent.as_posix()}
    return [*seen, *(
        name
        for name in tree.files
        if name not in seen
        and _REQUIREMENTS.fullmatch(PurePosixPath(name).name)
        and PurePosixPath(name).parent.as_posix().removeprefix(".") in folders
    )]  # fmt: skip


def _mentioned(name: str, tree: Tree) -> Iterator[str]:
    """Files that a file may import or call; they need not exist."""
    text, folder = tree.text(name), PurePosixPath(name).parent
    if name.endswith(".sh"):
        for word in _NOT_OF_A_PATH.split(text):
            if word.endswith((".py", ".sh")):
                yield from (str(PurePosixPath(word)), str(folder / word))
        return
    for _number, line in _code(text):
        if match := _IMPORT.match(line):
            module = match[1] or match[3]
            up = len(module) - len(module.lstrip("."))
            starts = [_above(folder, up - 1)] if up else [folder, PurePosixPath()]
            parts = [part.split()[0] for part in (match[2] or "").split(",") if part.strip()]
            for start in starts:
                whole = start / PurePosixPath(*module.strip(".").split("."))
                yield f"{whole}.py"
                yield str(whole / "__init__.py")
                yield from (str(whole / f"{part}.py") for part in parts)


def _above(folder: PurePosixPath, levels: int) -> PurePosixPath:
    return [folder, *folder.parents][min(levels, len(folder.parents))]


def _some(found: list[Check], name: str, otherwise: str) -> Iterator[Check]:
    yield from found[:SHOWN] or [Check(name, Outcome.OK, otherwise)]
    if len(found) > SHOWN:
        yield Check(name, Outcome.DOUBT, f"and {len(found) - SHOWN:,} more places like these")


def _doubt(name: str, text: str, file: str, line: int) -> Check:
    return Check(name, Outcome.DOUBT, text, file, line)


def _code(text: str) -> Iterator[tuple[int, str]]:
    """The lines of code with their numbers, without comments."""
    return ((number, line) for number, line in _lines(text) if not line.lstrip().startswith("#"))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    return ((number, line[:LINE]) for number, line in enumerate(text.split("\n"), start=1))
