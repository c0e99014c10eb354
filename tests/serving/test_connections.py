"""No client keeps another from its page, whatever it does with its connections."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

import pytest

from leaderboard.serving.connections import LINGER_SECONDS, PACE_SECONDS, SILENT_SECONDS
from tests.serving.servers import Serving, is_closed, read_all, serving

HALF_A_HEADER = b"GET /page HTTP/1.1\r\nHost: loc"
HALF_A_FORM = b"POST /form HTTP/1.1\r\nContent-Length: 100000\r\n\r\nname="
LARGE_PAGE = b"GET /large HTTP/1.1\r\n\r\n"
MEGABYTE = 1 << 20


def site(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """Pages as large as their address says, and an echo of how a request came."""
    path = environ["PATH_INFO"]
    start_response("200 OK", [("X-Length", environ.get("CONTENT_LENGTH", ""))])
    if path == "/large":
        return (bytes(MEGABYTE // 2) for _ in range(2))
    if path == "/body":
        return [environ["wsgi.input"].read()]
    if path == "/address":
        return [environ.get("HTTP_X_FORWARDED_FOR", "none").encode()]
    return [b"the page"]


@pytest.mark.parametrize("sent", [HALF_A_HEADER, HALF_A_FORM, LARGE_PAGE], ids=["header", "form", "reading"])
def test_pages_come_while_hundreds_of_connections_stall(sent: bytes) -> None:
    with serving(site) as web, ExitStack() as stack:
        stalled = 400 if sent != LARGE_PAGE else 60
        for _ in range(stalled):
            stack.enter_context(web.connect(sent))
        web.wait_for_connections(stalled)

        assert web.page().endswith(b"the page")


def test_beyond_the_limit_of_connections_the_newest_is_served_and_the_most_silent_closed() -> None:
    with serving(site, connections=10) as web, ExitStack() as stack:
        stalled = [stack.enter_context(web.connect(HALF_A_HEADER)) for _ in range(30)]

        assert web.page().endswith(b"the page")
        assert is_closed(stalled[0])


def test_beyond_the_bytes_that_connections_may_hold_the_most_silent_is_closed() -> None:
    with serving(site, held_bytes=1000) as web, web.connect(HALF_A_FORM + bytes(900)) as first:
        web.wait_for_connections(1)
        with web.connect(HALF_A_FORM + bytes(900)) as second:
            assert is_closed(first)
            second.sendall(bytes(100_000))
            assert second.recv(100).startswith(b"HTTP/1.1 200")


def closed_after(web: Serving, seconds: float, sent: bytes) -> bool:
    """Whether a connection that sent this, and nothing since, is closed after a time."""
    with web.connect(sent) as client:
        web.wait_for_connections(1)
        web.in_loop(lambda: web.server.maintenance(time.time() + seconds))
        open_after = len(web.server.active_channels)
        client.close()
    return not open_after


@pytest.mark.parametrize("sent", [HALF_A_HEADER, HALF_A_FORM])
def test_a_request_that_comes_too_slowly_is_given_up(sent: bytes) -> None:
    with serving(site) as web:
        assert closed_after(web, PACE_SECONDS + 1, sent)


def test_a_body_that_comes_fast_enough_is_waited_for() -> None:
    with serving(site) as web:
        assert not closed_after(web, PACE_SECONDS + 1, HALF_A_FORM + bytes(PACE_SECONDS << 10))


def test_a_reader_has_time_and_one_that_reads_nothing_is_given_up() -> None:
    with serving(site) as web:
        assert not closed_after(web, PACE_SECONDS + 1, LARGE_PAGE)
    with serving(site) as web:
        assert closed_after(web, SILENT_SECONDS + 1, LARGE_PAGE)


def test_a_body_that_is_too_large_is_answered_by_the_site_and_its_sender_comes_to_read_it() -> None:
    size = 20 * MEGABYTE
    head = f"POST /body HTTP/1.1\r\nContent-Length: {size}\r\n\r\n".encode()
    with serving(site) as web, web.connect(head + bytes(size)) as client:
        answer = read_all(client)
        # Nobody waits for the end of what it sends for long.
        web.in_loop(lambda: web.server.maintenance(time.time() + LINGER_SECONDS + 1))

    assert f"X-Length: {size}\r\n".encode() in answer
    assert answer.endswith(b"\r\n\r\n")


@pytest.mark.parametrize("size", [0, 10, MEGABYTE])
def test_a_body_within_the_limit_arrives_whole(size: int) -> None:
    head = f"POST /body HTTP/1.1\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n".encode()
    with serving(site) as web:
        assert web.ask(head + b"x" * size).partition(b"\r\n\r\n")[2] == b"x" * size


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"POST /body HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", b"411"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", b"411"),
        (b"POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", b"400"),
        (b"POST / HTTP/1.1\r\nContent-Length: +3\r\n\r\nabc", b"400"),
        (b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nCookie: " + b"x" * (33 << 10) + b"\r\n\r\n", b"431"),
        (b"no request\r\n\r\n", b"400"),
    ],
)
def test_what_two_servers_could_read_in_two_ways_is_refused(sent: bytes, status: bytes) -> None:
    with serving(site) as web:
        assert web.ask(sent).split(b" ")[1] == status


def test_of_requests_sent_at_once_the_first_is_answered_and_the_connection_closed() -> None:
    with serving(site) as web:
        assert web.ask(b"GET /page HTTP/1.1\r\n\r\n" * 50).count(b"the page") == 1


def test_a_connection_serves_one_request_after_another() -> None:
    with serving(site) as web, web.connect() as client:
        for _ in range(3):
            client.sendall(b"GET /page HTTP/1.1\r\n\r\n")
            answer = b""
            while not answer.endswith(b"the page"):
                answer += client.recv(1000)


def test_a_sender_that_asks_first_is_told_to_go_on() -> None:
    head = b"POST /body HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
    with serving(site) as web, web.connect(head) as client:
        assert client.recv(1000).startswith(b"HTTP/1.1 100 Continue")
        client.sendall(b"hello")
        assert read_all(client).endswith(b"\r\n\r\nhello")


@pytest.mark.parametrize("path", ["page", "large"])
def test_head_has_no_body(path: str) -> None:
    with serving(site) as web:
        answer = web.ask(f"HEAD /{path} HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert answer.endswith(b"\r\n\r\n")


def test_an_old_client_is_answered() -> None:
    with serving(site) as web:
        assert web.ask(b"GET /page HTTP/1.0\r\n\r\n").endswith(b"the page")


@pytest.mark.parametrize(("behind_proxy", "seen"), [(False, b"none"), (True, b"1.2.3.4")])
def test_forwarded_addresses_are_a_proxy_s_or_nobody_s(behind_proxy: bool, seen: bytes) -> None:
    with serving(site, behind_proxy=behind_proxy) as web:
        asked = b"GET /address HTTP/1.1\r\nX-Forwarded-For: 1.2.3.4\r\nConnection: close\r\n\r\n"
        assert web.ask(asked).endswith(seen)
