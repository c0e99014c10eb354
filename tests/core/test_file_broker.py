"""Messages as files: a worker never reads one before it is whole, and none reaches two workers."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from celery import Celery

QUEUE = "celery"
MESSAGES = 300
TEXT = "x" * 300


def _connection(folder: Path) -> Any:
    app = Celery(broker="filesystem://localhost/", set_as_current=False)
    app.conf.broker_transport = "leaderboard.core.file_broker:Transport"
    app.conf.broker_transport_options = {"folder": str(folder)}
    return app.connection_for_write()


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Any]:
    with _connection(tmp_path) as connection:
        yield connection.SimpleQueue(QUEUE)


def _send(folder: Path, number: int) -> None:
    with _connection(folder) as connection:
        queue = connection.SimpleQueue(QUEUE)
        for _ in range(number):
            queue.put({"text": TEXT})


def _receive_all(queue: Any) -> list[Any]:
    received: list[Any] = []
    while True:
        try:
            message = queue.get(block=False)
        except Empty:
            return received
        message.ack()
        received.append(message.payload)


def test_a_reader_beside_a_writer_gets_every_message_whole(queue: Any, tmp_path: Path) -> None:
    writer = multiprocessing.get_context("spawn").Process(target=_send, args=(tmp_path, MESSAGES))
    writer.start()
    received: list[Any] = []
    while writer.is_alive():
        received += _receive_all(queue)
    received += _receive_all(queue)

    assert writer.exitcode == 0
    assert received == [{"text": TEXT}] * MESSAGES
    assert list(tmp_path.iterdir()) == []


def test_readers_at_once_get_each_message_once(queue: Any, tmp_path: Path) -> None:
    for number in range(MESSAGES):
        queue.put(number)

    def read(_: int) -> list[Any]:
        with _connection(tmp_path) as connection:
            return _receive_all(connection.SimpleQueue(QUEUE))

    with ThreadPoolExecutor(4) as readers:
        parts = list(readers.map(read, range(4)))

    assert sorted(number for part in parts for number in part) == list(range(MESSAGES))


def test_the_oldest_message_of_a_queue_comes_first(queue: Any, tmp_path: Path) -> None:
    with _connection(tmp_path) as connection:
        other = connection.SimpleQueue("other")
        other.put(0)
        queue.put(1)
        queue.put(2)

        assert (queue.qsize(), other.qsize()) == (2, 1)
        assert _receive_all(queue) == [1, 2]
        assert other.clear() == 1
        assert _receive_all(other) == []


@pytest.mark.parametrize("content", [b"", b'{"body": ', b"\xff\xfe"], ids=["empty", "cut", "not text"])
def test_a_message_that_cannot_be_read_is_set_aside(
    queue: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    (tmp_path / f"0_broken.{QUEUE}.msg").write_bytes(content)
    queue.put(1)

    assert _receive_all(queue) == [1]

    assert [path.read_bytes() for path in tmp_path.iterdir()] == [content]
    assert f"0_broken.{QUEUE}.unreadable" in caplog.text


def test_a_message_that_is_being_written_is_left_alone(queue: Any, tmp_path: Path) -> None:
    (tmp_path / f"0_half.{QUEUE}.unfinished").write_bytes(b'{"body": ')

    assert _receive_all(queue) == []
    assert [path.name for path in tmp_path.iterdir()] == [f"0_half.{QUEUE}.unfinished"]
