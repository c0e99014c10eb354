"""A hostile value, wherever it stands, ends its own file, and the client says so in the same words."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.catalogue.selectors import scorings_by_set, task_ids_by_set
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.uploads import UploadState
from leaderboard.intake.archives import unpack
from leaderboard.intake.check import check_folder
from leaderboard.intake.findings import Finding, Verdict
from leaderboard.intake.known_tasks import KnownTasks
from leaderboard.intake.reader import Reader
from leaderboard.models import Upload
from leaderboard.uploads.services import discard_upload
from tests.cast import history, make_set
from tests.formats.mutations import DOCUMENTS
from tests.fuzzing import inputs
from tests.uploads.cast import checked, described, packed
from tests.uploads.test_fuzz import OF_THE_SITE, forget_what_stays

pytestmark = pytest.mark.django_db(transaction=True)

HERE = "@@here@@"
FILES = 30
VALUES = [
    *("null", "true", "0", "-1", "1.5", "1e999", "-1e999", "NaN", "Infinity", "1e400", "10e-400"),
    *("9" * 400, "9" * 5_000, "-" + "9" * 20, "18446744073709551616", "2147483648", "32768", "1" + "0" * 30),
    *('""', '"\\ud800"', '"\\udfff\\u0000"', '"1"', '"NaN"', '"2024-02-30T25:61:00Z"', '"0001-01-01"'),
    *('"' + "x" * 70_000 + '"', '"' + "[" * 3_000 + '"', '"{\\"a\\": NaN}"', '"<script>\\r\\n"'),
    *("[]", "{}", "[null]", "[[[]]]", "[" * 90 + "]" * 90, "[" * 600 + "]" * 600),
    *('{"a":' * 600 + "1" + "}" * 600, '{"\\ud800": "\\u0000"}', '{"a": 1, "a": 2}', '{"": {"": []}}'),
]
"""JSON, as it stands in the file: much of it can't be written by a library."""


def places_in(document: Any) -> Iterator[tuple[Any, ...]]:
    """The path of every value in a document."""
    yield ()
    inner: Any = document.items() if isinstance(document, dict) else ()
    inner = enumerate(document) if isinstance(document, list) else inner
    for key, value in inner:
        yield from ((key, *path) for path in places_in(value))


def with_value(document: Any, path: tuple[Any, ...], value: str) -> bytes:
    """The document as JSON, with ``value`` at a place."""
    if not path:
        return value.encode()
    changed = copy.deepcopy(document)
    container = changed
    for key in path[:-1]:
        container = container[key]
    container[path[-1]] = HERE
    return json.dumps(changed).replace(f'"{HERE}"', value).encode()


PLACES = [list(places_in(document)) for document in DOCUMENTS]
hostile = st.integers(0, len(DOCUMENTS) - 1).flatmap(
    lambda number: st.builds(
        with_value, st.just(DOCUMENTS[number]), st.sampled_from(PLACES[number]), st.sampled_from(VALUES)
    )
)
beside = st.sampled_from(["metrics.json", "metadata.json"]).flatmap(
    lambda name: st.tuples(
        st.just(name),
        st.builds(
            with_value,
            st.just({"output_match": 0.5, "task": {"task_id": "task-0"}, "args": {"a": [1]}}),
            st.sampled_from(
                [(), ("output_match",), ("task",), ("task", "task_id"), ("args",), ("args", "a")]
            ),
            st.sampled_from(VALUES),
        ),
    )
)
folders = st.lists(st.tuples(hostile, st.none() | beside), min_size=FILES, max_size=FILES)


def told(findings: Any) -> list[tuple[str, ...]]:
    return [
        (found.severity.value, *found.problem.as_data().values())
        for found in findings
        if isinstance(found, Finding)
    ]


def told_by_client(data: bytes) -> dict[tuple[str, str], Any]:
    with tempfile.TemporaryDirectory() as folder:
        (archive := Path(folder, "run.zip")).write_bytes(data)
        left_out = unpack(archive, Path(folder, "files"), name="run.zip")
        report = check_folder(
            Path(folder, "files"),
            name="run.zip",
            known_tasks=KnownTasks(task_ids_by_set(), scorings=scorings_by_set()),
            left_out=left_out,
            reader=Reader(workers=1),
        )
    assert json.dumps(report.as_data(), ensure_ascii=True)
    return {(line.name, line.sample): (line.verdict.value, told(line.findings)) for line in report.files}


@settings(OF_THE_SITE, max_examples=inputs("folders of hostile values"))
@given(folders)
def test_it_ends_its_own_file_in_the_same_words_on_the_site_and_with_the_client(
    files: list[tuple[bytes, tuple[str, bytes] | None]],
) -> None:
    make_set(*(TaskSpec(f"task-{n}", gold={"a": 1.0}) for n in range(FILES + 1)))
    # One sound file: the others must not keep it out.
    names: dict[str, Any] = {f"task-{FILES}/history.json": history({"a": 1.0})}
    for number, (document, other) in enumerate(files):
        names[f"task-{number}/trajectory.json"] = document
        if other:
            names[f"task-{number}/{other[0]}"] = other[1]
    data = packed(**names)
    try:
        upload = checked(data, form=described())

        assert upload.state == UploadState.CHECKED, upload.problems
        lines = upload.files.all()
        on_site = {(line.name, line.sample): (line.verdict, told(line.findings)) for line in lines}
        with_client = told_by_client(data)
        assert on_site == with_client
        assert on_site[f"task-{FILES}/history.json", ""][0] == Verdict.USED
        bugs = [
            words for _verdict, found in on_site.values() for words in found if "unexpectedly" in str(words)
        ]
        assert not bugs
    finally:
        for one in Upload.objects.all():
            discard_upload(one, user=None)
        # Or the team would use up its checks a day against the gold answers.
        forget_what_stays()
