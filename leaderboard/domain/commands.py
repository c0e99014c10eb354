"""The commands of a cell, and whether they run a script, instead of printing, editing or mentioning it."""

from __future__ import annotations

import ast
import re
import shlex
import warnings
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import PurePosixPath

_MAX_NESTING = 3
"""Nested shells (``bash -c "bash -c …"``) that are analysed."""

_MAX_SOURCE = 100_000
"""Characters of a cell that are analysed: a longer cell is data."""

_CONTINUATION = re.compile(r"\\\r?\n")
_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1")
_MAGIC = re.compile(r"^(\s*)(?:!{1,2}|%(?:time|timeit)\s+!|%(?:sx|system|bash|sh)\s)(.*)$")
_RUN = re.compile(r"^(\s*)(?:%(?:time|timeit)\s+)?%run\s(.*)$")
_SUBSTITUTION = re.compile(r"\$\(([^()]*)\)|`([^`]*)`")
_ASSIGNMENT = re.compile(r"^\w+\+?=")
_PYTHON = re.compile(r"^(?:python|pypy|ipython)[\d.]*$")

_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "source", "."})
_LAUNCHERS = frozenset({
    "torchrun", "accelerate", "deepspeed", "mpirun", "mpiexec", "horovodrun", "coverage", "kernprof", "srun",
})  # fmt: skip
_LAUNCHER_MODULES = frozenset({
    "torch.distributed.launch", "torch.distributed.run", "accelerate.commands.launch", "deepspeed",
    "cProfile", "pdb", "trace", "coverage", "kernprof", "debugpy",
})  # fmt: skip
_WRAPPERS = frozenset({
    "nohup", "time", "env", "sudo", "exec", "command", "nice", "stdbuf", "timeout", "xvfb-run", "conda", "uv",
    "poetry", "pipenv", "run", "then", "do", "else", "if", "while", "until", "{", "!",
})  # fmt: skip
_PYTHON_OPTIONS_WITH_VALUE = frozenset({"-W", "-X"})
_SHELL_OPTIONS_WITH_VALUE = frozenset({"-o", "-O", "--rcfile", "--init-file"})
_SHELL_CELLS = frozenset({"%%bash", "%%sh", "%%shell", "%%script", "%%system", "%%sx", "%%!"})
_PYTHON_CELLS = frozenset({"%%time", "%%timeit", "%%capture", "%%prun", "%%python", "%%python3"})
_PYTHON_CALLS = frozenset({
    "system", "popen", "Popen", "run", "call", "check_call", "check_output", "getoutput", "getstatusoutput",
})  # fmt: skip


def runs_script(source: str, entrypoint: str) -> bool:
    """Whether a cell (Python, ``!shell``, ``%magic``) or a plain shell command runs a script.

    A run is a command whose program is the script, or a Python, shell or launcher (``torchrun``, ``accelerate
    launch``, …) that runs it, by its base name, or by its dotted name after ``-m``. Wrappers and variables
    can precede it. ``cat train.py``, ``python other.py --config train.py``, a here-document and a cell that
    only writes the script do not run it.
    """
    script = PurePosixPath(entrypoint)
    if not script.name or script.stem not in source:
        return False
    return any(_command_runs(words, script, 0) for words in commands_in_cell(source))


def commands_in_cell(source: str) -> Iterator[list[str]]:
    """The words of each command that a cell starts: of its shell lines, its magics and Python's calls."""
    yield from _commands_of(source[:_MAX_SOURCE])


def _commands_of(source: str) -> Iterator[list[str]]:
    text = _without_heredocs(_CONTINUATION.sub(" ", source.strip()))
    first, _, rest = text.partition("\n")
    magic = first.split(maxsplit=1)[0] if first.split() else ""
    if magic.startswith("%%"):
        if magic in _SHELL_CELLS:
            yield from _shell_commands(rest)
        elif magic in _PYTHON_CELLS:
            yield from _commands_of(rest)
        return
    python: list[str] = []
    for line in text.split("\n"):
        if found := _MAGIC.match(line):
            yield from _shell_commands(found[2])
        elif found := _RUN.match(line):
            yield from _shell_commands(f"python {found[2]}")
        # The Python code around such a line must still parse, so a statement replaces it.
        python.append(re.sub(r"^(\s*)[!%].*$", r"\1pass", line))
    yield from _python_commands("\n".join(python))


def _without_heredocs(text: str) -> str:
    """Drop the bodies of here-documents: they are data, even if they look like commands."""
    lines = text.split("\n")
    ends: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        ends.setdefault(line.strip(), []).append(number)
    kept: list[str] = []
    dropped_up_to = -1
    for number, line in enumerate(lines):
        if number <= dropped_up_to:
            continue
        kept.append(line)
        if found := _HEREDOC.search(line):
            candidates = ends.get(found[2], [])
            following = bisect_right(candidates, number)
            if following < len(candidates):
                dropped_up_to = candidates[following]
    return "\n".join(kept)


def _python_commands(code: str) -> Iterator[list[str]]:
    """The commands that Python code starts; text that is not Python is treated as shell."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in an agent's code are not our warnings
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from _shell_commands(code)
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in {"run_path", "run_module"} and isinstance(node.args[0], ast.Constant):
            yield ["python", *(["-m"] if name == "run_module" else []), str(node.args[0].value)]
        elif name in _PYTHON_CALLS:
            yield from _commands_of_call(node.args[0])


def _commands_of_call(argument: ast.expr) -> Iterator[list[str]]:
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        yield from _shell_commands(argument.value)
    elif isinstance(argument, (ast.List, ast.Tuple)):
        # A computed word is mostly sys.executable, as the first word; at other places it does not matter.
        yield [str(item.value) if isinstance(item, ast.Constant) else "python" for item in argument.elts]


def _shell_commands(text: str) -> Iterator[list[str]]:
    for raw in _CONTINUATION.sub(" ", text).split("\n"):
        for inner in _SUBSTITUTION.finditer(raw):
            yield from _shell_commands(inner[1] or inner[2] or "")
        # One word replaces each substitution: PYTHONPATH=$(pwd)/src is one assignment.
        line = _SUBSTITUTION.sub("_", raw)
        lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|()")
        lexer.whitespace_split = True
        try:
            words = list(lexer)
        except ValueError:  # an unbalanced quote: the string continues on the next line
            words = line.split()
        command: list[str] = []
        for word in words:
            if word and not word.strip(";&|()"):
                yield command
                command = []
            else:
                command.append(word)
        yield command


def _command_runs(words: list[str], script: PurePosixPath, nesting: int) -> bool:
    while words and (_is_prefix(words[0])):
        words = words[1:]
    if not words or nesting > _MAX_NESTING:
        return False
    program, arguments = PurePosixPath(words[0]).name, words[1:]
    if "/" in words[0] and program == script.name:
        return True
    if program in _SHELLS or words[0] == "." or _PYTHON.match(program):
        return _interpreter_runs(program or ".", arguments, script, nesting)
    return program in _LAUNCHERS and _launcher_runs(arguments, script)


def _is_prefix(word: str) -> bool:
    """Whether a word can precede a program: a variable, a wrapper, its option or its duration."""
    return word in _WRAPPERS or bool(_ASSIGNMENT.match(word)) or word.startswith("-") or word[:1].isdigit()


def _interpreter_runs(program: str, arguments: list[str], script: PurePosixPath, nesting: int) -> bool:
    is_python = bool(_PYTHON.match(program))
    rest = iter(arguments)
    for word in rest:
        if word == "-m" and is_python:
            module = next(rest, "")
            return _is_module(module, script) or (
                module in _LAUNCHER_MODULES and _launcher_runs(list(rest), script)
            )
        if not is_python and re.fullmatch(r"-[a-z]*c", word):
            inner = _shell_commands(next(rest, ""))
            return any(_command_runs(words, script, nesting + 1) for words in inner)
        if is_python and word == "-c":
            return False
        if word in (_PYTHON_OPTIONS_WITH_VALUE if is_python else _SHELL_OPTIONS_WITH_VALUE):
            next(rest, None)
        elif not word.startswith("-"):
            return PurePosixPath(word).name == script.name
    return False


def _launcher_runs(arguments: list[str], script: PurePosixPath) -> bool:
    """Check the first argument that looks like a script: it is unknown which options take values."""
    rest = iter(arguments)
    for word in rest:
        if word in {"-m", "--module"} and _is_module(next(rest, ""), script):
            return True
        if not word.startswith("-") and word.endswith((".py", ".sh", script.suffix or ".py")):
            return PurePosixPath(word).name == script.name
    return False


def _is_module(module: str, script: PurePosixPath) -> bool:
    dotted = ".".join(script.with_suffix("").parts).lstrip("./")
    return bool(module) and (f".{dotted}".endswith(f".{module}") or f".{module}".endswith(f".{dotted}"))
