"""Every page has a test. Operations of the API are counted in tests/access."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from django.urls import URLPattern, URLResolver, get_resolver

from tests.repository.files import code, name_of


def names(patterns: Iterable[URLPattern | URLResolver]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from names(pattern.url_patterns) if pattern.namespace != "api" else ()
        elif pattern.name is not None:
            yield pattern.name


def test_a_test_names_every_page() -> None:
    tests = [path for path in code() if name_of(path).startswith("tests/") and "repository" not in path.parts]
    quoted = {text for path in tests for text in re.findall(r"""["']([\w:-]+)["']""", path.read_text())}

    untested = set(names(get_resolver().url_patterns)) - quoted

    assert untested == set()
