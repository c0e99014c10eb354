"""A function's body is removed, and not a byte beside it."""

from __future__ import annotations

import ast
import json
import random
import re
import sysconfig
import warnings
from pathlib import Path

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.masking.functions import RAISE, mask_functions

# name: function, a file with « and » around what is removed
FORMS: dict[str, tuple[str, str]] = {
    "a docstring stays": ("f", 'def f(x):\n    """Doc."""\n    «return x»\n\nA = 1\n'),
    "a function without one": ("f", "def f(x):\n    «y = x\n    return y»"),
    "a one-liner": ("f", "def f(): «return 1  # one»\nA = 1\n"),
    "a one-liner of several": ("f", "def f(): «a = 1; return a;»\n"),
    "a statement behind the docstring": ("f", 'def f(): "Doc."; «return 1»\n'),
    "Windows line ends": ("f", "def f():\r\n    «a = 1\r\n\r\n    return a»\r\nA = 1\r\n"),
    "old line ends": ("f", "def f():\r  «a = 1\r  return a»\rA = 1\r"),
    "tabs and a form feed": ("C.f", "\fclass C:\n\tdef f(self):\n\t\t«return 1»\n\n\tx = 2\n"),
    "decorators and async": (
        "C.f", "class C:\n  @d(\n    1,\n  )  # why\n  async def f(self): # g\n    «await x»\n  b = 1\n",
    ),
    "a decorated function in the body": ("f", "def f():\n    «@d\n    def g(): pass\n    return g»\n"),
    "a function in a function": ("f.<locals>.g", "def f():\n  def g():\n    «return 1»\n  return g\n"),
    "a function in a branch": ("f", "try:\n    import x\nexcept E:\n  def f():\n     «return 1»\n"),
    "comments of the body go with it": (
        "f", "def f():  # keep\n\n    «# add\n    return 1  # sum\n    # or 2»\n\n# of g\ndef g(): pass\n",
    ),
    "a docstring's last line like a comment": ("f", 'def f():\n    """Doc\n    # end"""\n    «return 1»\n'),
    "a header of many lines": (
        "f", 'def f(\n  a="""\n# in""",  # no: doc\n  # last\n) -> dict[str, int]:\n  «# c\n  return {}»\n',
    ),
    "a continued header": ("f", "def f(): \\\n  «return 1»\n"),
    "wide characters": ("f", "é = 'ü'; x = 1\ndef f(): 'ö€𝄞'; «return 'ß'»\n"),
    "a generator": ("f", "def f():\n    «yield 1»\n"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "marked"), FORMS.values(), ids=FORMS)
def test_a_body_is_removed_in_every_form(name: str, marked: str) -> None:
    before = marked.replace("«", "").replace("»", "")

    masked, (function,) = mask_functions(before.encode(), [name], file="a.py")

    assert masked.decode() == re.sub("«.*»", RAISE, marked, flags=re.DOTALL)
    assert function.removed.strip() == marked.partition("«")[2].partition("»")[0]


@pytest.mark.parametrize(
    "head", [b"\xef\xbb\xbf", b"# -*- coding: latin-1 -*-\n", b"#!x\n# vim: fileencoding=cp1252\n"]
)
def test_byte_order_marks_and_declared_encodings_stay(head: bytes) -> None:
    encoding = "utf-8" if head.startswith(b"\xef") else "latin-1"
    code = head + "a = 'é'\ndef f(x='é'): 'ü'; return 1\n".encode(encoding)

    masked, _ = mask_functions(code, ["f"], file="a.py")

    assert masked == code.replace(b"return 1", RAISE.encode())


def test_what_was_masked_is_told_with_its_lines() -> None:
    code = (
        'class C:\n    @d\n    def f(self, a: int = 1, *b) -> "C":\n        """Doc.\n\n        More.\n'
        '        """\n\n        # c\n        x = 1\n        return x\n'
    )

    _, (function,) = mask_functions(code.encode(), ["C.f"], file="a.py")

    assert function.signature == "def f(self, a: int=1, *b) -> 'C':"
    assert function.docstring == "Doc.\n\nMore."
    assert (function.header_line, function.line_start, function.line_end) == (3, 9, 11)
    assert function.removed == "        # c\n        x = 1\n        return x"


def test_several_functions_are_masked_at_once() -> None:
    code = b"def f():\n    return 1\n\n\ndef g():\n    return f()\n"

    masked, functions = mask_functions(code, ["g", "f"], file="a.py")

    assert masked.decode() == f"def f():\n    {RAISE}\n\n\ndef g():\n    {RAISE}\n"
    assert [function.name for function in functions] == ["g", "f"]


REFUSALS: dict[str, tuple[bytes, list[str], str]] = {
    "a lambda": (b"x = 1\nf = lambda: 1\n", ["f"], "a.py, line 2: f is a lambda"),
    "a name defined twice": (
        b"if x:\n    def f(): return 1\nelse:\n    def f(): return 2\n",
        ["f"],
        "f is defined 2 times, on the lines 2, 4",
    ),
    "a class": (b"class C: pass\n", ["C"], "line 1: C is a class (name its methods, such as C.__init__)"),
    "an unknown name": (
        b"class C:\n  def fit(self): return 1\n",
        ["fit"],
        "there is no function fit (the nearest are C.fit)",
    ),
    "a docstring alone": (b"def f():\n  'Doc.'\n", ["f"], "f has nothing but a docstring"),
    "a masked function": (
        b"def f():\n  raise NotImplementedError('x')\n",
        ["f"],
        "raises NotImplementedError already",
    ),
    "one function twice": (b"def f(): return 1\n", ["f", "f"], "f is named twice"),
    "a function in one that is masked": (
        b"def f():\n  def g(): return 1\n  return g\n",
        ["f.g", "f"],
        "line 2: f.g is inside f, which is masked too",
    ),
    "no Python": (b"print 'x'\n", ["f"], "a.py, line 1: not Python"),
    "a NUL": (b"x = 1\0\n", ["f"], "null bytes"),
    "an unknown encoding": (b"# coding: rot13\n", ["f"], "can't be decoded"),
    "bytes of another encoding": (b"x = '\xff'\n", ["f"], "can't be decoded"),
    "an encoding with two ways": (
        b"# coding: utf-7\nx = '+AGE-'\ndef f(): return 1\n",
        ["f"],
        "other bytes would change",
    ),
}


@pytest.mark.parametrize(("code", "names", "said"), REFUSALS.values(), ids=REFUSALS)
def test_what_can_not_be_masked_is_refused_with_its_place(code: bytes, names: list[str], said: str) -> None:
    with pytest.raises(InputError) as caught:
        mask_functions(code, names, file="a.py")

    assert said in "\n".join(map(str, caught.value.problems))


def test_every_problem_of_a_file_is_listed() -> None:
    with pytest.raises(InputError) as caught:
        mask_functions(b"f = lambda: 1\n", ["f", "g"], file="a.py")

    assert len(caught.value.problems) == 2


def functions_of(tree: ast.Module) -> dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every function by its name as it is asked for; written anew, to compare with."""
    found: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
    queue: list[tuple[str, ast.AST]] = [("", tree)]
    while queue:
        prefix, node = queue.pop()
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{prefix}{child.name}."
                if not isinstance(child, ast.ClassDef):
                    found.setdefault(prefix + child.name, []).append(child)
            queue.append((inner, child))
    return found


def test_real_files_lose_the_bodies_and_no_other_byte() -> None:
    """Of the standard library's: the tree differs in one body only, the bytes in its lines only."""
    chance = random.Random(3)  # noqa: S311 - the same functions at each run
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("[a-z]*.py")) + sorted(
        Path(json.__file__).parent.glob("*.py")
    )
    masked_functions = 0
    for path in chance.sample(files, 25):
        data = path.read_bytes()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
        functions = functions_of(tree)
        for name in chance.sample(sorted(functions), min(3, len(functions))):
            nodes = functions[name]
            if len(nodes) == 1 and has_a_body(nodes[0]):
                masked, (function,) = mask_functions(data, [name], file=path.name)
                check_only_the_body_changed(data, masked, nodes[0], tree)
                assert function.header_line == nodes[0].lineno
                masked_functions += 1
    assert masked_functions > 40


def has_a_body(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    rest = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return bool(rest) and not isinstance(rest[0], ast.Raise)


def check_only_the_body_changed(
    data: bytes, masked: bytes, node: ast.FunctionDef | ast.AsyncFunctionDef, tree: ast.Module
) -> None:
    lines = data.splitlines(keepends=True)
    documented = ast.get_docstring(node) is not None
    rest = node.body[1 if documented else 0]
    before = b"".join(lines[: node.body[0].end_lineno if documented else node.lineno])
    last = node.body[-1].end_lineno or 0
    while last < len(lines) and (not lines[last].strip() or lines[last].lstrip().startswith(b"#")):
        last += 1
    if rest.lineno > before.count(b"\n"):
        assert masked.startswith(before)
    assert masked.endswith(b"".join(lines[last:]))
    body = node.body
    node.body = [*body[: 1 if documented else 0], *ast.parse(RAISE).body]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert ast.dump(ast.parse(masked)) == ast.dump(tree)
    finally:
        node.body = body
