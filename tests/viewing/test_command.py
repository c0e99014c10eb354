"""`superboard view` as a user calls it: over HTTP, and its files and exit codes."""

from __future__ import annotations

import http.client
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.viewing.cast import Served, history, put, run, serve

HOSTILE = "<script>alert(1)</script> needle"
LONG = "\n".join(f"line {n}" for n in range(2_000))
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    tmp_path = tmp_path_factory.mktemp("view")
    runs = put(
        tmp_path / "runs",
        {
            "cake/history.json": history(HOSTILE, LONG, answer={"f1": 1}),
            "pie/history.json": history("needle", "other"),
            "broken.json": b"{",
        },
    )
    with serve(runs, temporary=tmp_path / "temporary") as found:
        found.wait_for("/", "2 attempts")
        yield found


def test_a_single_file_is_shown_at_once(tmp_path: Path) -> None:
    put(tmp_path, {"history.json": history(HOSTILE)})

    with serve(tmp_path / "history.json", temporary=tmp_path / "temporary") as found:
        page = found.get("/")

    assert page.url.endswith("/a/1/")
    assert 'id="step-1"' in page.text
    assert "<script>alert" not in page.text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_and_leaves_nothing_however_it_was_started(tmp_path: Path, number: int) -> None:
    put(tmp_path, {"history.json": history("x")})

    with serve(
        tmp_path / "history.json", temporary=tmp_path / "temporary", ended_by=number, ignored=True
    ) as found:
        assert found.get("/").status == 200

    assert found.process.returncode == 0
    assert list((tmp_path / "temporary").iterdir()) == []


def test_the_list_has_what_can_be_told_without_a_task(served: Served) -> None:
    text = served.get("/").text

    assert re.findall(r'<a href="(/a/\d+/)">(\w+)</a>', text) == [("/a/1/", "cake"), ("/a/2/", "pie")]
    assert "cake/history.json" in text
    assert "broken.json" in text
    assert "1 not read" in text


def test_the_list_is_sorted_and_filtered_by_links(served: Served) -> None:
    by_steps = served.get("/?sort=-steps").text
    filtered = served.get("/?q=PIE").text

    assert by_steps.index(">cake<") < by_steps.index(">pie<")
    assert ">cake<" not in filtered
    assert re.search(r"1 of\s+2 attempts", filtered)


def test_all_attempts_are_searched(served: Served) -> None:
    text = served.get("/search/?q=NEEDLE").text

    assert "2 matches in" in text
    assert "/a/2/#step-1" in text
    assert "<script>alert" not in text


def test_a_trajectory_has_its_pages_texts_and_downloads(served: Served) -> None:
    page = served.get("/a/1/").text

    assert served.get("/a/1/find/?q=line%201999").text.count('data-step="2"') == 1
    assert "line 1999" in served.get("/a/1/2/output/?line=2000").text
    assert served.get("/a/1/2/output.txt").text == LONG
    assert served.get("/a/1/1.md").text.startswith("## Step 1: execute")
    assert served.get("/a/1/download/original/").content == history(HOSTILE, LONG, answer={"f1": 1})
    for kind in ("notebook", "html"):
        assert f"/a/1/download/{kind}/" in page
        assert b"line 1999" in served.get(f"/a/1/download/{kind}/").content


def test_two_attempts_stand_side_by_side(served: Served) -> None:
    assert "/a/1/?vs=2" in served.get("/a/1/?vs=").text
    assert "Where they part" in served.get("/a/1/?vs=2").text
    assert served.get("/a/1/?vs=1").status == 400


@pytest.mark.parametrize("path", ["/a/9/", "/a/1/9/output/1/", "/a/1/download/other/", "/static/../setup.py"])
def test_what_is_not_there_is_said_so(served: Served, path: str) -> None:
    assert served.get(path).status == 404


def test_pages_hold_under_the_policy_of_the_site(served: Served) -> None:
    headers = served.get("/a/1/").headers

    assert "default-src 'none'; script-src 'self'; style-src 'self'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "<style" not in served.get("/a/1/").text


def test_only_this_machines_own_names_are_answered(served: Served) -> None:
    assert served.get("/", Host="rebound.example").status == 400
    assert served.get("/", Host="localhost").status == 200


def test_nothing_is_taken(served: Served) -> None:
    assert served.get("/", method="POST").status == 405
    assert served.get("/a/1/", method="DELETE").status == 405


def test_a_silent_client_keeps_no_other_waiting(served: Served) -> None:
    where = urlsplit(served.address)
    assert where.port
    with socket.create_connection((where.hostname, where.port)):
        assert served.get("/").status == 200


def test_a_browser_that_goes_away_is_no_fault(served: Served) -> None:
    where = urlsplit(served.address)
    connection = http.client.HTTPConnection(where.netloc)
    connection.request("GET", "/a/1/")
    connection.close()

    assert served.get("/").status == 200


def test_a_run_that_writes_is_followed(tmp_path: Path) -> None:
    runs = put(tmp_path / "runs", {"cake/history.json": history("one"), "pie/history.json": history("x")})

    with serve(runs, temporary=tmp_path / "temporary") as found:
        text = found.wait_for("/", "2 attempts")
        seen = re.search(r'"seen": "(\d+)"', text)
        state = re.search(r'hx-get="(/a/1/state/\?seen=\w+)"', found.get("/a/1/").text)
        assert seen
        assert state
        nothing = found.get(f"/?seen={seen[1]}"), found.get(state[1])
        put(runs, {"cake/history.json": history("one", "two"), "tart/history.json": history("y")})
        found.wait_for("/", "3 attempts")
        news = found.wait_for(state[1], "There is more of it now")
        page = found.get("/a/1/").text

    assert [each.status for each in nothing] == [204, 204]
    assert "/a/1/" in news
    assert 'id="step-2"' in page


def test_nothing_is_written_beside_the_files_and_nothing_stays(tmp_path: Path) -> None:
    runs = put(tmp_path / "runs", {"cake/history.json": history("one"), "pie/history.json": history("x")})
    before = sorted(tmp_path.rglob("*"))

    with serve(runs, temporary=tmp_path / "temporary") as found:
        found.wait_for("/", "2 attempts")

    assert found.process.returncode == 0
    assert sorted(tmp_path.rglob("*")) == sorted([*before, tmp_path / "temporary"])


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    put(tmp_path, {"history.json": history("x")})
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run(tmp_path / "history.json", "--port", str(port), temporary=tmp_path / "temporary")

    assert done.returncode == 1
    assert f"port {port} is taken" in done.stderr


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = run(tmp_path / "nowhere", "--no-browser", "--port", "0", temporary=tmp_path / "temporary")

    assert done.returncode == 1
    assert "nowhere: there is no such file or folder" in done.stderr


def test_a_copy_has_every_page_and_no_original_with_a_secret(tmp_path: Path) -> None:
    files = {
        "cake/history.json": history(LONG),
        "pie/history.json": history(f"token: {SECRET}"),
        "x.json": b"{",
    }
    runs, copy = put(tmp_path / "runs", files), tmp_path / "copy"

    done = run(runs, "--export", copy, temporary=tmp_path / "temporary")

    assert done.returncode == 0, done.stderr
    assert "x.json" in done.stderr
    names = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file()}
    assert {"index.html", "a/1/index.html", "a/2/index.html", "a/1/1/output/1/index.html"} <= names
    assert [name for name in names if "original" in name] == ["a/1/download/original/cake-1.original.json"]
    pages = [path.read_text() for path in copy.rglob("*.html")]
    assert not any(SECRET in page for page in pages)
    assert not any(re.search(r'(?:href|src)="(?:/|http://127)', page) for page in pages)


def test_a_copy_replaces_a_copy_and_nothing_else(tmp_path: Path) -> None:
    put(tmp_path, {"history.json": history("x"), "mine/notes.txt": b"keep"})

    codes = [
        run(
            tmp_path / "history.json", "--export", tmp_path / name, temporary=tmp_path / "temporary"
        ).returncode
        for name in ("copy", "copy", "mine")
    ]

    assert codes == [0, 0, 2]
    assert (tmp_path / "mine" / "notes.txt").read_bytes() == b"keep"
