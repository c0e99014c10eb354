"""Highlighting."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rendering.code import MAX_HIGHLIGHTED, cell_lines
from leaderboard.rendering.lines import visible


def styled(source: str) -> list[list[tuple[str, str]]]:
    return [[(name, line.text[a:b]) for a, b, name in line.styles] for line in cell_lines(source)]


def test_python_has_its_keywords_strings_numbers_and_comments() -> None:
    assert styled("if x: print('a', 1)  # c") == [
        [("k", "if"), ("u", "print"), ("s", "'a'"), ("n", "1"), ("c", "# c")]
    ]


def test_a_shell_line_begins_with_its_bang_and_is_not_python() -> None:
    assert styled("x = 1\n!pip install 'a'\ny = 2") == [
        [("n", "1")],
        [("x", "!"), ("s", "'a'")],
        [("n", "2")],
    ]


def test_a_shell_line_goes_on_after_a_backslash() -> None:
    assert styled("!run \\\n  if 'b'")[1][-1] == ("s", "'b'")


def test_a_bash_cell_is_all_shell() -> None:
    assert styled("%%bash\nexport A='b'")[0] == [("x", "%%bash")]


def test_a_string_over_lines_is_styled_on_each() -> None:
    assert styled('"""a\nb"""') == [[("s", '"""a')], [("s", 'b"""')]]


def test_code_too_long_to_highlight_is_plain() -> None:
    assert not any(line.styles for line in cell_lines("if 1:\n" * MAX_HIGHLIGHTED))


@given(st.text(alphabet="ab !%\\\n'\"#\t\r\x00(){}", max_size=80))
def test_highlighting_changes_no_text(source: str) -> None:
    lines = cell_lines(source)
    assert "\n".join(line.text for line in lines) == visible(source.replace("\r\n", "\n")).rstrip("\n")
    for line in lines:
        ends = [0, *(edge for a, b, _ in line.styles for edge in (a, b)), len(line.text)]
        assert ends == sorted(ends)
