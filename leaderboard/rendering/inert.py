"""Markdown that leaves this site: an agent's text in it loads nothing and runs nothing, in any program."""

from __future__ import annotations

import re

# HTML, links and images, formulas (which can link), directives and roles of MyST, front matter. Fences: one
# that is left open would end where a later part begins. Bare addresses become links that a reader has to
# follow, so they stay.
_MORE_THAN_TEXT = re.compile(r"[<\[$\\{&]|\A\s*---|^ {0,3}(?:```|~~~)", re.MULTILINE)
# Names and expressions that a Markdown parser takes for emphasis or a quotation: __init__, 2*3, *.py, >>> x.
_CODE = re.compile(r"\b__|\w\*+\w|\*[./]|^ {0,3}>>", re.MULTILINE)
_INLINE_CODE = re.compile(r"`[^`\n]*`")
_BACKTICKS = re.compile("`+")


def inert_markdown(text: str) -> str:
    """Markdown of an agent for programs that we do not know: a block of code if they may show more or less.

    Jupyter and others load images, follow links to scripts, and know more than one dialect of Markdown.
    """
    more_than_text = _MORE_THAN_TEXT.search(text) or _CODE.search(_INLINE_CODE.sub("", text))
    return fenced(text) if more_than_text else text


def fenced(text: str, language: str = "") -> str:
    """``text`` as a block of code that nothing in it can end."""
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def step_markdown(heading: str, kind: str, thought: str, action: str, observation: str) -> str:
    """One step as Markdown, its parts as text as shown; an empty part is left out."""
    parts = [f"## {heading}"]
    if thought.strip():
        parts.append(inert_markdown(thought.strip()))
    if action:
        parts.append(fenced(action, _language(kind, action)))
    if observation:
        parts += ["Output:", fenced(observation, "text")]
    return "\n\n".join(parts) + "\n"


def _language(kind: str, action: str) -> str:
    if kind == "execute":
        return "bash" if action.lstrip().startswith(("%%bash", "%%sh")) else "python"
    return {"edit": "diff", "create": "diff", "submit": "json"}.get(kind, "")
