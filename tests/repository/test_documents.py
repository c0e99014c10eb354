"""The documents say what is so."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator

from tests.repository.files import ROOT, code, documents, name_of, nodes, ours

LINK = re.compile(r"(?<!`)\[[^]\n]*\]\(<?([^)>\s]+)>?\)")
# Every system sets these; they are not ours to document.
OF_THE_SYSTEM = frozenset({"DOCKER_HOST", "HOME", "PATH", "TMPDIR"})
HOMES = re.compile(r"/(?:home|Users)/\w+|/root/")
# Files in which a home folder is what the file is about: {"tests/module.py": "because ..."}.
NAMES_A_HOME: dict[str, str] = {"tests/repository/test_documents.py": "it says what a home folder looks like"}


def test_relative_links_lead_somewhere() -> None:
    broken = [
        f"{name_of(path)}:{number}: {target}"
        for path in documents()
        for number, target in links(path.read_text())
        if target and ":" not in target and not (path.parent / target).exists()
    ]

    assert not broken, "\n".join(broken)


def links(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the target, without its fragment, of each link."""
    for match in LINK.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1].partition("#")[0]


def test_every_environment_variable_is_documented_and_nothing_else_is() -> None:
    documented = set(
        re.findall(r"^\| `([A-Z_]+)` ", (ROOT / "docs/settings.md").read_text(), flags=re.MULTILINE)
    )

    read = {name for path in code() for node in nodes(path) for name in variables_read(node)}

    assert read - OF_THE_SYSTEM == documented


def variables_read(node: ast.AST) -> Iterator[str]:
    """Yield NAME for `env.flag("NAME", ...)`, `os.environ.get("NAME")` and `os.environ["NAME"]`."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="env")), args=[ast.Constant(value=str(name)), *_]):
            if name != "NAME":
                yield name
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(attr="environ"), attr="get"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            yield name
        case ast.Subscript(
            value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(name)), ctx=ast.Load()
        ):
            yield name


def test_make_help_lists_every_target() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)

    listed = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert [line.split()[0] for line in listed.stdout.splitlines()] == targets


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    found = {
        name_of(path): places
        for path in ours()
        if (places := HOMES.findall(path.read_text(errors="ignore"))) and name_of(path) not in NAMES_A_HOME
    }

    assert found == {}
