"""A place to unpack to, and what must be true of it afterwards."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from leaderboard.domain.errors import InputError, Problem
from leaderboard.intake.archives import unpack
from leaderboard.intake.destination import ArchiveLimits


class Unpacker:
    """Unpacks bytes into a folder of its own; nothing may ever be outside of it."""

    def __init__(self, root: Path) -> None:
        self._archive = root / "upload"
        self._around = root / "around"
        self._around.mkdir()
        self.into = self._around / "into"
        self.most_memory: int | None = None

    def __call__(
        self, data: bytes, *, name: str = "results.zip", limits: ArchiveLimits | None = None
    ) -> list[Problem]:
        self._archive.write_bytes(data)
        if self.most_memory:
            tracemalloc.start()
        try:
            return list(unpack(self._archive, self.into, name=name, limits=limits))
        except InputError:
            assert not self.into.exists(), "what was refused leaves nothing"
            raise
        finally:
            if self.most_memory:
                _now, peak = tracemalloc.get_traced_memory()
                tracemalloc.stop()
                assert peak < self.most_memory
            assert set(self._around.iterdir()) <= {self.into}, "nothing is written outside"


@pytest.fixture
def unpacked(tmp_path: Path) -> Unpacker:
    return Unpacker(tmp_path)


Refused = Callable[..., Problem]


@pytest.fixture
def refused(unpacked: Unpacker) -> Refused:
    """Unpack what is to be refused whole; gives the problem."""

    def refuse(data: bytes, **options: object) -> Problem:
        with pytest.raises(InputError) as caught:
            unpacked(data, **options)  # type: ignore[arg-type]
        return caught.value.problem

    return refuse
