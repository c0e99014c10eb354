"""A copy of a whole small site: what is in it, what is not, and that its links hold."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from pytest_django import Settings

from leaderboard.exporting import places
from leaderboard.exporting.bounds import bounds_of
from leaderboard.exporting.copying import file_policy
from leaderboard.models import Attempt, Benchmark
from tests.cast import CET, NOVICE, PET, SOLVER, attempt_at, make_set, report
from tests.entries.cast import make_draft

pytestmark = pytest.mark.django_db
GOLD = 0.731597
LINK = re.compile(r'(?:href|src|data-plotly)="([^"]*)"')
POLICY = re.compile(r'<head><meta http-equiv="Content-Security-Policy" content="([^"]*)">')


def make_site(folder: Path) -> None:
    """Two entries, one with a trajectory whose output has pages of its own, and a draft."""
    task_set = make_set(replace(PET, gold={"loss": GOLD}), CET)
    attempt_at(task_set, folder, observation="epoch 1\n" + "line\n" * 5000)
    report(task_set, NOVICE, {"pet": 0.25})
    make_draft(task_set, {"pet": 0.5}, agent="Unfinished", owner="zebedee", trajectories=True)


def export(copy: Path, *options: str) -> Path:
    call_command("export_site", str(copy), *options, stdout=io.StringIO(), stderr=io.StringIO())
    return copy


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("copies")


@pytest.fixture
def copy(folder: Path) -> Path:
    """A whole copy, which the first test that asks for it makes."""
    if not (folder / "copy").exists():
        make_site(folder / "run")
        export(folder / "copy")
    return folder / "copy"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where to put a copy of a site of which only the first page and trajectories are copied."""
    make_site(tmp_path / "run")
    monkeypatch.setattr(places, "PAGES", dict.fromkeys(("home", "entry", "attempt", "output"), frozenset()))
    return tmp_path / "copy"


def contents(copy: Path) -> dict[str, bytes]:
    return {str(path.relative_to(copy)): path.read_bytes() for path in copy.rglob("*") if path.is_file()}


def pages(copy: Path) -> list[Path]:
    return [path for path in copy.rglob("*.html") if "download" not in path.parts]


def test_a_copy_tells_others_its_titles_and_no_address_of_the_site(copy: Path) -> None:
    for page in pages(copy):
        head = page.read_text().partition("</head>")[0]
        assert '<meta property="og:title" content="' in head, page
        assert "canonical" not in head, page
        assert "http://" not in head, page
        assert "/attempts.zip" not in page.read_text(), page


def test_every_link_of_a_copy_leads_to_a_file_of_it(copy: Path) -> None:
    for page in pages(copy):
        for link in LINK.findall(page.read_text()):
            parts = urlsplit(link)
            if parts.scheme in ("http", "https"):
                continue
            assert not parts.scheme, (page, link)
            assert not link.startswith("/"), (page, link)
            assert not parts.path or (page.parent / parts.path).is_file(), (page, link)


def test_a_copy_has_every_kind_of_page_and_the_files_that_pages_link_to(copy: Path) -> None:
    (trajectory,) = [path.parent for path in (copy / "a").glob("*/download")]

    for name in ("", "about", "b/super/masked", "b/super/masked/t", "b/super/masked/t/pet", "docs/certainty"):
        assert (copy / name / "index.html").is_file(), name
    assert 'id="step-2"' in (trajectory / "index.html").read_text()
    assert (trajectory / "1" / "output" / "2" / "index.html").is_file()
    assert [*trajectory.glob("download/original/*.json")]
    assert (copy / "b/super/masked/data.csv").read_text().count("\n") == 3
    assert [*copy.glob("b/super/masked/index-sort-*.html")]


def test_a_copy_has_nothing_of_drafts_accounts_and_gold_answers(copy: Path) -> None:
    whole = b"".join(contents(copy).values())

    assert SOLVER.encode() in whole
    for hidden in ("Unfinished", "zebedee", str(GOLD), "csrfmiddlewaretoken", 'method="post"', 'href="/'):
        assert hidden.encode() not in whole, hidden


def test_a_page_of_a_copy_may_load_only_files_and_send_nothing(copy: Path) -> None:
    for page in pages(copy):
        policy = POLICY.search(page.read_text())
        assert policy, page
        given = dict(part.strip().partition(" ")[::2] for part in policy[1].replace("&#x27;", "'").split(";"))
        assert given["default-src"] == given["form-action"] == given["base-uri"] == "'none'"
        assert (given["script-src"], given["connect-src"]) == ("'self' file:", "data:")


def test_the_same_site_gives_the_same_bytes(small: Path) -> None:
    assert contents(export(small)) == contents(export(small.with_name("other")))


def test_a_policy_is_the_same_in_whatever_order_the_site_writes_it() -> None:
    orders = ("img-src data: 'self'; script-src 'self'", "script-src 'self'; img-src 'self' data:")

    policies = {file_policy(HttpResponse(headers={"Content-Security-Policy": each})) for each in orders}

    assert len(policies) == 1


def test_what_a_copy_lacks_is_linked_to_on_the_site_if_its_address_is_given(small: Path) -> None:
    home = (export(small, "--base-url", "https://example.org/") / "index.html").read_text()

    assert '<a href="https://example.org/api/docs">API</a>' in home
    assert '<link rel="canonical" href="https://example.org/">' in home


def test_a_copy_of_one_benchmark_has_nothing_of_another(small: Path) -> None:
    with pytest.raises(CommandError, match=r"no benchmark other\..*: super"):
        export(small, "--benchmark", "other")
    attempt = Attempt.objects.get(entry__agent__name=SOLVER)
    bounds = bounds_of("super")
    within = [f"/a/{attempt.pk}/", attempt.entry.get_absolute_url(), "/"]
    other = [f"/a/{attempt.pk + 1000}/", "/e/another/", f"/a/{attempt.pk + 1000}/download/original/"]

    assert all(places.place_of(address, bounds) for address in within)
    assert not any(places.place_of(address, bounds) for address in other)


def test_a_link_that_leads_nowhere_is_an_error_that_names_it_and_nothing_is_written(small: Path) -> None:
    places.PAGES["task-parting"] = frozenset()
    Benchmark.objects.update(url="/b/super/masked/t/pet/parting/")

    with pytest.raises(CommandError, match=r"/parting/ \(linked from /\): status 404"):
        export(small)

    assert not small.exists()


def test_a_site_behind_https_and_a_name_is_copied_too(small: Path, settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = settings.HTTPS = True
    settings.ALLOWED_HOSTS = [".example.org"]

    assert (export(small) / "index.html").is_file()


def test_a_refusal_says_what_to_do(small: Path) -> None:
    export(small)

    with pytest.raises(CommandError, match="--replace"):
        export(small)
    for address in ("example.org", "https://[x", "https://name:password@example.org"):
        with pytest.raises(CommandError, match="write one as https"):
            export(small, "--base-url", address)
