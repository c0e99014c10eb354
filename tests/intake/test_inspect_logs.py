"""Inspect's logs in an upload: which task and which attempt each of their samples is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.formats.frameworks import TURNS, eval_log, inspect_log, inspect_sample
from tests.formats.samples import as_bytes
from tests.intake.folders import found_in, reasons, told, write_file


def samples(*epochs: int, task: str = "cet", said: str = "") -> list[Any]:
    """The same task in several epochs; another text makes other bytes."""
    return [inspect_sample(*TURNS, id=task, epoch=epoch, input=said) for epoch in epochs]


def test_the_samples_id_decides_in_a_file_and_folder_named_for_another_task_and_all_epochs_stay(
    tmp_path: Path,
) -> None:
    write_file(tmp_path, "amos/amos.eval", eval_log(*samples(1, 2)))
    write_file(tmp_path, "amos.json", as_bytes(inspect_log(*samples(1, 2, task="conv_graph"))))
    write_file(tmp_path, "amos/one.json", as_bytes(inspect_log(*samples(3))))

    found = found_in(tmp_path)

    assert told(found) == {
        "amos/amos.eval cet_epoch_1": ("cet", 1, "id"),
        "amos/amos.eval cet_epoch_2": ("cet", 2, "id"),
        "amos.json conv_graph_epoch_1": ("conv_graph", 1, "id"),
        "amos.json conv_graph_epoch_2": ("conv_graph", 2, "id"),
        "amos/one.json cet_epoch_3": ("cet", 3, "id"),
    }
    assert reasons(found) == []


def test_several_logs_of_a_task_are_repeats_in_the_order_of_their_names(tmp_path: Path) -> None:
    write_file(tmp_path, "2026-02-01_b.eval", eval_log(*samples(2, 1, said="b")))
    write_file(tmp_path, "2026-01-01_a.eval", eval_log(*samples(1, said="a"), *samples(1, task="amos")))
    write_file(tmp_path, "2026-03-01_c.json", as_bytes(inspect_log(*samples(1, said="c"))))

    found = found_in(tmp_path)

    assert {file: number for file, (_task, number, _by) in told(found).items()} == {
        "2026-01-01_a.eval amos_epoch_1": 1,
        "2026-01-01_a.eval cet_epoch_1": 1,
        "2026-02-01_b.eval cet_epoch_1": 2,
        "2026-02-01_b.eval cet_epoch_2": 3,
        "2026-03-01_c.json cet_epoch_1": 4,
    }
    assert reasons(found) == []


def test_a_copy_of_a_log_is_no_repeat_of_its_task(tmp_path: Path) -> None:
    for name in ("a.eval", "b.eval"):
        write_file(tmp_path, name, eval_log(*samples(1, 2)))

    found = found_in(tmp_path)

    assert list(told(found)) == ["a.eval cet_epoch_1", "a.eval cet_epoch_2"]
    assert {reason.partition(" (")[0] for reason in reasons(found)} == {
        "b.eval: it has the same bytes as a.eval"
    }
