"""Small makers for rendering's tests."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

from leaderboard.domain.scores import LandmarkResult, LandmarkStatus, StepHits
from leaderboard.domain.trajectory import Step, StepKind, Trajectory

XSS = (
    '<script>alert(1)</script>"\'><img src=x onerror=alert(1)><!--output-url 9--><a href="javascript:x">y</a>'
    "[z](javascript:alert(1)) ![i](http://evil.example/i.png) </pre></section>"
)
VOID = {"br", "hr", "img", "meta", "link", "input"}


def step(
    observation: str | None = None, *, number: int = 1, kind: StepKind = StepKind.EXECUTE, **rest: object
) -> Step:
    values: dict[str, object] = {"action_type": "execute", "action": "!ls", **rest}
    return Step(number=number, kind=kind, observation=observation, **values)  # type: ignore[arg-type]


def trajectory(*steps: Step) -> Trajectory:
    return Trajectory(steps=steps, format="test", query="Find it.", answer={"f1": 0.5})


def hit(*spans: tuple[int, int], number: int = 1, step: int = 1, more: int = 0) -> LandmarkResult:
    return LandmarkResult(number, "x", LandmarkStatus.HIT, (StepHits(step, spans, more),))


class Elements(HTMLParser):
    """What a browser would build of a fragment: tags, attributes, ids; unclosed or stray tags are errors."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def ids(self) -> list[str | None]:
        return [value for name, value in self.attributes if name == "id"]

    @property
    def text(self) -> str:
        return "".join(self.texts)


def marked(html: str) -> list[str]:
    """The text of each mark, without its flag."""
    found = re.findall(r'<mark class="hit"[^>]*>(.*?)</mark>', html, re.DOTALL)
    return [unescape(re.sub(r"<sup.*?</sup>|<[^>]*>", "", text)) for text in found]
