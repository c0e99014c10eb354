"""All that somebody can reach, by following addresses from where everybody starts."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urldefrag

from django.test import Client

SET = "super/masked"
WORD = "Zanzibar"
"""What stands in every text that nobody else is to see; as it is in no text of the site's."""
STARTS = (
    "/",
    "/about/",
    "/api/docs",
    "/submit/",
    "/account/",
    "/account/teams/",
    "/operate/audit/",
    "/runs/",
    "/robots.txt",
    "/sitemap.xml",
    f"/?q={WORD}",
    f"/search/?q={WORD}",
    "/search/?q=epoch",
    f"/b/{SET}/?sort=coverage&scorer=reported",
    f"/b/{SET}/?sort=-accuracy:data",
    f"/b/{SET}/data.json?agent={WORD}",
    f"/b/{SET}/charts.json",
    f"/b/{SET}/t/pet/",
    f"/b/{SET}/failures/",
    "/api/v1/openapi.json",
    "/api/v1/benchmarks",
    "/api/v1/runs?limit=1",
    "/api/v1/uploads?limit=1",
    *(f"/api/v1/entries?limit=1&state={state}" for state in ("published", "draft", "withdrawn", "hidden")),
    f"/api/v1/entries?agent={WORD}",
    f"/api/v1/search?q={WORD}",
    "/api/v1/search?q=epoch&limit=1",
    f"/api/v1/benchmarks/{SET}",
    f"/api/v1/benchmarks/{SET}/board?limit=1",
    f"/api/v1/benchmarks/{SET}/tasks?limit=1",
    f"/api/v1/benchmarks/{SET}/tasks/pet/attempts?limit=1",
)
LINK = re.compile(r"""(?:href|src|data-charts|hx-get)="(/[^"]*)"|"(/(?:api|e|a|b|t|runs)/[^"{]*)\"""")
VOLATILE = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"|"last_used": "[^"]*"')


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: a status, the text, and the headers that caches go by."""

    status: int
    text: str
    tag: str
    caching: str
    varies: str

    @property
    def private(self) -> bool:
        """Whether no cache but the reader's own keeps it."""
        return "Cookie" in self.varies and bool(
            {"private", "no-store"} & set(re.findall(r"[\w-]+", self.caching))
        )


def ask(client: Client, address: str, **headers: str) -> Answer:
    """The answer to a GET; what changes from request to request is left out."""
    response: Any = client.get(address, headers=headers)
    content = response.getvalue() if response.streaming else response.content
    return Answer(
        status=response.status_code,
        text=VOLATILE.sub("", content.decode("utf-8", "replace")),
        tag=response.get("ETag", ""),
        caching=response.get("Cache-Control", ""),
        varies=response.get("Vary", ""),
    )


def crawl(client: Client, starts: Iterable[str] = STARTS) -> dict[str, Answer]:
    """Every answer that can be reached, by its address.

    Queries are not combined: a link that has one is followed from addresses without, or to a further page.
    """
    waiting = list(starts)
    answers: dict[str, Answer] = {}
    while waiting:
        address = waiting.pop(0)
        if address in answers:
            continue
        answers[address] = ask(client, address)
        for pair in LINK.findall(answers[address].text):
            link = urldefrag(html.unescape("".join(pair)))[0]
            further = "?" not in link or "?" not in address or "page=" in link or "cursor=" in link
            if further and not link.startswith(("/static/", "//")):
                waiting.append(link)
    return answers
