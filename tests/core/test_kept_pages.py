"""Pages kept ready: for readers without an account alone, never of a draft, and no page ever fails of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import pytest
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from pytest_django import DjangoAssertNumQueries, Settings

from leaderboard.core import kept_pages
from leaderboard.core.kept_pages import KeptPages
from leaderboard.core.page_files import PageFiles
from leaderboard.entries.services import withdraw_entry
from leaderboard.models import Benchmark, Entry, TaskSet
from leaderboard.runs.services import set_run_public
from tests.cast import RIVAL, SOLVER, attempt_at, report
from tests.entries.cast import masked
from tests.people import client_of
from tests.runs.cast import claim, finish, make_run

GZIP = {"Accept-Encoding": "gzip"}


@pytest.fixture(autouse=True)
def var(settings: Settings, tmp_path: Path) -> Path:
    settings.VAR, settings.SUPERBOARD_PAGE_CACHE_MB = tmp_path / "var", 8
    return tmp_path / "var"


@pytest.fixture
def task_set(db: None) -> TaskSet:
    task_set = masked()
    report(task_set, SOLVER, {"pet": 1.0, "cet": 0.5})
    return task_set


@pytest.fixture
def board(task_set: TaskSet) -> str:
    return task_set.get_absolute_url()


def kept_files(var: Path) -> list[Path]:
    return [path for path in (var / "pages").rglob("*") if path.is_file()]


def test_a_page_is_made_once_and_then_costs_one_query(
    client: Client, board: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    entry = Entry.objects.get().get_absolute_url()
    for address in (
        board,
        f"{board}?sort=agent",
        f"{board}data.csv",
        f"{board}charts.json",
        f"{board}t/",
        entry,
    ):
        made = client.get(address, headers=GZIP)
        with django_assert_num_queries(1):
            again = client.get(address, headers=GZIP)
        assert (again.status_code, again.content) == (made.status_code, made.content) != (200, b"")
        # With the Content-Security-Policy and all the others.
        assert dict(again.items()) == dict(made.items())
        assert "frame-ancestors 'none'" in again["Content-Security-Policy"]


def test_what_a_reader_has_is_not_sent_again(client: Client, board: str) -> None:
    for made in (client.get(board, headers=GZIP), client.get(board)):
        tag = made["ETag"]
        for told in (tag, f'"another", {tag}', "*", tag.removeprefix("W/")):
            for ask in (client.get, client.head):
                again = ask(board, headers={**GZIP, "If-None-Match": told})
                assert (again.status_code, again.content) == (304, b"")
                assert again["ETag"].removeprefix("W/") == tag.removeprefix("W/")
                assert again["Cache-Control"] == made["Cache-Control"] == "public, no-cache"
                assert {"Cookie", "HX-Request"} <= set(again["Vary"].split(", "))
        assert client.get(board, headers={"If-None-Match": '"another"'}).status_code == 200
    Benchmark.objects.update(name="Other")
    assert client.get(board, headers={"If-None-Match": tag}).status_code == 200


def test_a_tag_is_that_of_the_content_so_other_writes_leave_it(client: Client, board: str) -> None:
    page = f"{board}t/pet/"
    tag = client.get(page)["ETag"]
    Entry.objects.update(notes="On another page.")

    assert client.get(page, headers={"If-None-Match": tag}).status_code == 304


def test_head_is_answered_from_what_get_made(client: Client, board: str, var: Path) -> None:
    made = client.get(board)
    head = client.head(board)

    assert (head.status_code, head.content, head["Content-Length"]) == (200, b"", made["Content-Length"])
    assert len(kept_files(var)) == 1


def test_a_part_for_htmx_and_an_encoding_are_pages_of_their_own(client: Client, board: str) -> None:
    whole, part, packed = (
        client.get(board, headers=headers).content for headers in ({}, {"HX-Request": "true"}, GZIP)
    )
    assert (b"<html" in whole, b"<html" in part, packed[:2]) == (True, False, b"\x1f\x8b")
    assert client.get(board, headers={"HX-Request": "true"}).content == part
    assert client.get(board).content == whole


def test_no_header_of_one_reader_changes_the_page_of_another(client: Client, board: str, var: Path) -> None:
    encoded = {"HX-Request-URI-AutoEncoded": "true"}
    made = client.get(f"{board}?q=%C3%A9").content
    for sent in (
        {"HX-Request": "%74rue"} | encoded,
        {"HX-Request": "true"} | encoded,
        {"Content-Type": "text/plain; charset=latin-1"},
        dict.fromkeys(("HX-Boosted", "HX-Target", "HX-Prompt", "HX-Current-URL"), "true"),
        {"Accept-Language": "de", "Cookie": "csrftoken=x", "Referer": "http://x/", "User-Agent": "x"},
        {"X-Forwarded-Host": "x.example", "X-Forwarded-For": "::1", "X-Requested-With": "XMLHttpRequest"},
        {"Accept": "application/json", "Accept-Encoding": "gzip;q=0"},
    ):
        for file in kept_files(var):
            file.unlink()
        assert client.get(f"{board}?q=%C3%A9", headers=sent).status_code == 200
        assert client.get(f"{board}?q=%C3%A9").content == made, sent


def test_a_prefix_of_the_site_in_one_request_does_not_change_the_page_of_another(
    client: Client, board: str
) -> None:
    """A server that takes SCRIPT_NAME from a header lets a caller say where the site begins."""
    front = client.get("/", SCRIPT_NAME=f"{board}t")

    assert front.status_code == 200
    assert client.get(f"{board}t/").content != front.content


def test_who_refuses_gzip_gets_none(client: Client, board: str) -> None:
    packed = client.get(board, headers={"Accept-Encoding": "gzip;q=0.001, identity;q=0"})
    assert packed["Content-Encoding"] == "gzip"
    for refused in ("gzip;q=0", "br, gzip; Q = 0.000, *;q=0"):
        plain = client.get(board, headers={"Accept-Encoding": refused})
        assert not plain.has_header("Content-Encoding")
        assert "Accept-Encoding" in plain["Vary"].split(", ")


def test_who_is_signed_in_is_never_answered_with_a_kept_page_nor_is_theirs_kept(
    client: Client, board: str, var: Path
) -> None:
    alice = client_of("alice")
    assert b">alice<" in alice.get(board).content
    assert kept_files(var) == []

    public = client.get(board)
    own = alice.get(board, headers={"If-None-Match": public["ETag"]})

    assert (own.status_code, b">alice<" in own.content, own.has_header("ETag")) == (200, True, False)
    assert own["Cache-Control"] == "private, no-cache"
    assert b"alice" not in client.get(board).content + public.content
    assert len(kept_files(var)) == 1


@pytest.mark.parametrize("sent", [{"Authorization": "Bearer x"}, {"Cookie": "sessionid=x"}])
def test_what_names_somebody_passes_by(client: Client, board: str, var: Path, sent: dict[str, str]) -> None:
    assert not client.get(board, headers=sent).has_header("ETag")
    assert kept_files(var) == []


def test_what_is_told_to_one_reader_is_told_to_no_other(client: Client, board: str, var: Path) -> None:
    """A message waits in a cookie, also for somebody who has just signed out."""
    client.cookies[CookieStorage.cookie_name] = "x"
    client.get(Entry.objects.get().get_absolute_url())

    assert kept_files(var) == []


@pytest.mark.django_db
def test_no_page_of_a_draft_is_kept(var: Path) -> None:
    """Also of one that every reader may see, as its run is public; a new kept page joins this table."""
    task_set = masked()
    run = make_run(
        task_set=task_set, scaffold="Run", tasks=list(task_set.tasks.filter(task_id="pet")), attempts=2
    )
    set_run_public(run, True)
    attempt, other = (finish(claim()).attempt for _ in range(2))
    assert attempt
    assert other
    slug, vs = run.entry.slug, f"/a/{attempt.pk}/?vs="
    beside = f"?e={slug}&e={report(task_set, RIVAL, {'pet': 1.0}).slug}"
    addresses: dict[str, list[str]] = {
        "entry": [reverse("entry", args=(slug,))],
        "versions": [reverse("versions", args=(slug,))],
        "badge": [reverse("badge", args=(slug,))],
        "compare": [reverse("compare") + beside],
        "compare-csv": [reverse("compare-csv") + beside],
        "attempt": [f"/a/{attempt.pk}/", vs, f"{vs}{other.pk}"],
        "output": [reverse("output", args=(attempt.pk, 1, "output", 1))],
    }
    # No draft is on any of them; it has no picture.
    of_sets = {"home", "board", "board-data", "board-charts", "board-history", "failures", "grid", "tasks"}
    of_sets |= {"feed", "board-feed", "board-picture", "entry-picture"}
    of_tasks = {"task", "task-parting"}
    of_benchmarks = {"benchmark", "benchmark-data", "benchmark-charts"}
    assert kept_names() == addresses.keys() | of_sets | of_tasks | of_benchmarks
    for address in [each for several in addresses.values() for each in several]:
        response = Client().get(address)
        assert (response.status_code, response.has_header("ETag")) == (200, False), address
    assert kept_files(var) == []


def kept_names() -> set[str]:
    """The names of all addresses whose pages may be kept."""

    def walk(patterns: list[Any]) -> Iterator[URLPattern]:
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns)
            else:
                yield pattern

    return {
        str(pattern.name)
        for pattern in walk(get_resolver().url_patterns)
        if getattr(pattern.callback, "kept_ready", False)
    }


def test_errors_are_not_kept(
    client: Client, task_set: TaskSet, board: str, var: Path, tmp_path: Path
) -> None:
    attempt = attempt_at(task_set, tmp_path / "run")
    other = report(task_set, "Other", {"cet": 1.0}).attempts.get()
    for status, address in (
        (400, f"{board}data.json?sort=nonsense"),
        (400, f"/a/{attempt.pk}/?vs={other.pk}"),
        (404, f"{board}t/nowhere/"),
        (404, "/e/nobody/"),
    ):
        response = client.get(address)
        assert (response.status_code, response.has_header("ETag")) == (status, False), address
    withdraw_entry(attempt.entry, user=None, reason="A bug.")
    assert client.get(f"/a/{attempt.pk}/").status_code == 410
    assert kept_files(var) == []


def test_a_kept_page_still_asks_for_https_and_for_the_right_name(
    client: Client, board: str, settings: Settings
) -> None:
    assert client.get(board).status_code == 200
    assert client.get(board, headers={"Host": "elsewhere.example"}).status_code == 400
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get(board).status_code == 301


def test_made_up_queries_take_no_pages_place(client: Client, board: str, var: Path) -> None:
    client.get(board)
    for n in range(3):
        client.get(f"{board}?nonsense={n}")
    client.get(f"{board}?q={'x' * 1000}")

    assert [len(list((var / "pages" / name).iterdir())) for name in ("plain", "queried")] == [1, 3]


def test_files_are_bounded_and_those_longest_unread_go_first(tmp_path: Path) -> None:
    files = PageFiles(tmp_path, most_bytes=1600)
    for n in range(100):
        files.write(str(n), bytes(50))
        # Hours pass between two.
        for path in tmp_path.iterdir():
            age(path, hours=1)
        assert files.read("0") == bytes(50)
        assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 1600
    files.write("large", bytes(101))

    assert files.read("99") == bytes(50)
    assert files.read("1") is files.read("large") is None


def age(path: Path, *, hours: float) -> None:
    at = path.stat().st_mtime - 3600 * hours
    os.utime(path, (at, at))


def test_a_damaged_file_is_made_anew(client: Client, board: str, var: Path) -> None:
    made = client.get(board).content
    (file,) = kept_files(var)
    whole = file.read_bytes()
    for content in (
        *(b"", b"not JSON\nbody", b'{"length": 9, "headers": {"ETag": ""}}\nbody', b"[]\n", b"[" * 100_000),
        *(b'{"length": 0, "headers": %s}\n' % each for each in (b"{}", b"null", b"[]", b"7", b'"ETag"')),
        b'{"length": 0, "headers": {"ETag": "\\n"}}\n',
    ):
        file.write_bytes(content)
        assert client.get(board).content == made, content[:60]
        assert file.read_bytes() == whole, content[:60]


def test_pages_are_served_where_none_can_be_kept(
    client: Client, board: str, var: Path, caplog: pytest.LogCaptureFixture
) -> None:
    var.mkdir()
    (var / "pages").write_text("not a folder")

    assert [client.get(board).status_code for _ in range(3)] == [200] * 3
    # Not a line for each request.
    assert [bool(re.search("SUPERBOARD_PAGE_CACHE_MB", each)) for each in caplog.messages] == [True]


def test_without_kept_pages_there_are_tags_all_the_same(
    client: Client, board: str, settings: Settings
) -> None:
    settings.SUPERBOARD_PAGE_CACHE_MB = 0
    tag = client.get(board)["ETag"]

    assert client.get(board, headers={"If-None-Match": tag}).status_code == 304
    assert kept_files(settings.VAR) == []


@pytest.fixture
def revised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_pages, "current_revision", lambda: 1)


def answer(**cookies: str) -> HttpResponse:
    response = HttpResponse(b"page", headers={"ETag": '"1"'})
    response.to_keep = True  # type: ignore[attr-defined]
    for name, value in cookies.items():
        response.set_cookie(name, value)
    return response


@pytest.mark.usefixtures("revised")
def test_an_answer_that_sets_a_cookie_is_not_kept(var: Path) -> None:
    KeptPages(lambda _: answer(token="x"))(RequestFactory().get("/"))

    assert kept_files(var) == []


@pytest.mark.usefixtures("revised")
def test_of_several_that_ask_at_once_one_makes_the_page() -> None:
    made, begun, done = [], Event(), Event()

    def make(request: HttpRequest) -> HttpResponse:
        made.append(request)
        begun.set()
        done.wait(timeout=30)
        return answer()

    pages, answers = KeptPages(make), []
    readers = [Thread(target=lambda: answers.append(pages(RequestFactory().get("/")))) for _ in range(4)]
    readers[0].start()
    assert begun.wait(timeout=30)
    for reader in readers[1:]:
        reader.start()
    done.set()
    for reader in readers:
        reader.join(timeout=30)

    assert [getattr(each, "content", b"") for each in answers] == [b"page"] * 4
    assert len(made) == 1


@pytest.mark.usefixtures("revised")
def test_nobody_waits_for_one_after_another_where_no_page_is_kept() -> None:
    """Those who waited for the first are answered together."""
    first, together, begun = Event(), Barrier(3), Event()

    def make(request: HttpRequest) -> HttpResponse:
        if not begun.is_set():
            begun.set()
            first.wait(timeout=30)
        else:
            together.wait(timeout=30)
        return HttpResponse(status=404)

    pages, answers = KeptPages(make), []
    readers = [Thread(target=lambda: answers.append(pages(RequestFactory().get("/")))) for _ in range(4)]
    readers[0].start()
    assert begun.wait(timeout=30)
    for reader in readers[1:]:
        reader.start()
    first.set()
    for reader in readers:
        reader.join(timeout=30)

    assert [each.status_code for each in answers] == [404] * 4


def test_another_version_of_a_package_is_other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "django_csp-4.0.dist-info").mkdir()
    before = [*kept_pages.what_pages_are_made_of()]
    (tmp_path / "django_csp-4.0.dist-info").rename(tmp_path / "django_csp-4.1.dist-info")

    assert [*kept_pages.what_pages_are_made_of()] != before


def test_pages_of_other_code_or_settings_are_not_answered(
    client: Client, board: str, var: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.get(board)
    monkeypatch.setattr(kept_pages, "STAMP", "of another version")
    client.get(board)

    assert len(kept_files(var)) == 2
