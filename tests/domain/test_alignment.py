"""Aligning two attempts: from where they part, by landmarks, by similar actions, in linear work."""

from __future__ import annotations

from random import Random

import pytest

from leaderboard.domain import alignment
from leaderboard.domain.alignment import MAX_STEPS, Acted, Alignment, Relation, align, normalised


def ran(*commands: str) -> list[Acted]:
    return [Acted("execute", command) for command in commands]


def shown(found: Alignment) -> list[tuple[int | None, int | None, str]]:
    return [(row.one, row.other, row.relation.value if row.relation else "") for row in found.rows]


def test_they_are_the_same_until_they_part_and_again_after() -> None:
    one = ran("!git clone x/y", "!pip install torch", "!cat setup.py", "!python train.py --seed 1")
    other = ran("!git clone x/y", "!pip install torch", "%cd y", "!python train.py --seed 1")

    found = align(one, other)

    assert found.common == 2
    assert shown(found) == [
        (0, 0, "same"), (1, 1, "same"), (2, None, ""), (None, 2, ""), (3, 3, "same"),
    ]  # fmt: skip


def test_what_makes_no_difference_is_the_same_and_other_kinds_are_not() -> None:
    assert normalised("!pip  install x\n\n# a comment\n") == normalised("pip install x")

    assert align(ran("!ls"), ran("# look\nls")).common == 1
    assert align([Acted("edit", "x")], [Acted("view", "x")]).common == 0


def test_a_pre_executed_cell_is_the_same_in_the_words_of_another_format() -> None:
    one = [Acted("edit", "/content/a.py\n- x_rate = 1\n+ x_rate = 2", given=True)]
    other = [Acted("execute", "EDITING `/content/a.py. CHANGING:\nx_rate = 1\nTO:\nx_rate = 2", given=True)]

    assert align(one, other).common == 1
    assert align(one, [Acted("execute", "!ls -l", given=True)]).common == 0


def test_similar_actions_stand_side_by_side_and_others_alone() -> None:
    one = ran("!pip install torch==1.9", "!python train.py --lr 0.1 --epochs 3")
    other = ran("!wget https://example.org/data.zip", "!python train.py --lr 0.5 --epochs 3")

    assert shown(align(one, other)) == [(0, None, ""), (None, 0, ""), (1, 1, "similar")]


def test_the_first_hits_of_a_landmark_stand_side_by_side_whatever_was_done() -> None:
    one = [*ran("!a", "!b"), Acted("execute", "!sh run.sh", frozenset({2})), *ran("!c")]
    other = [Acted("execute", "main()", frozenset({2})), Acted("execute", "again()", frozenset({2}))]

    assert (2, 0, "landmark") in shown(align(one, other))


def test_landmarks_hit_in_another_order_do_not_cross() -> None:
    one = [Acted("execute", f"one {n}", frozenset({n})) for n in (1, 2, 3)]
    other = [Acted("execute", f"other {n}", frozenset({n})) for n in (3, 1, 2)]

    pairs = [(row.one, row.other) for row in align(one, other).rows if row.relation is Relation.LANDMARK]
    assert pairs == [(0, 1), (1, 2)]


@pytest.mark.parametrize(
    ("one", "other", "common"), [((), (), 0), ((), ("!ls",), 0), (("!ls",), ("!ls", "!pwd"), 1)]
)
def test_an_attempt_may_end_where_the_other_goes_on(
    one: tuple[str, ...], other: tuple[str, ...], common: int
) -> None:
    found = align(ran(*one), ran(*other))

    assert found.common == common
    assert len(found.rows) == max(len(one), len(other))


@pytest.mark.parametrize("seed", range(20))
def test_every_step_is_in_one_row_and_in_order(seed: int) -> None:
    random = Random(seed)  # noqa: S311
    words = ["pip install", "python train.py", "ls", "cat", "--lr", "a", "b", "c"]
    one, other = (
        [
            Acted(
                random.choice(["execute", "edit"]),
                " ".join(random.choices(words, k=random.randint(0, 4))),
                frozenset(random.sample(range(5), random.choice([0, 0, 0, 1]))),
            )
            for _ in range(random.randint(0, 150))
        ]
        for _ in range(2)
    )

    found = align(one, other)

    assert [row.one for row in found.rows if row.one is not None] == list(range(len(one)))
    assert [row.other for row in found.rows if row.other is not None] == list(range(len(other)))
    assert all((row.one is None or row.other is None) == (row.relation is None) for row in found.rows)
    assert align(one, other) == found


def test_the_work_grows_with_the_steps_and_not_with_their_square(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    likeness = alignment._likeness  # noqa: SLF001

    def counted(mine: Acted, theirs: Acted) -> float:
        nonlocal compared
        compared += 1
        return likeness(mine, theirs)

    monkeypatch.setattr(alignment, "_likeness", counted)
    # Nothing fixes a place: every action occurs often.
    align(ran(*["!pip install a", "!ls x"] * 500), ran(*["!pip install b", "!ls y"] * 500))

    assert compared <= 2 * 1000 * alignment.SIDE


def test_only_so_many_steps_are_aligned() -> None:
    many = ran(*["!ls"] * (MAX_STEPS + 1))

    assert len(align(many, many).rows) == MAX_STEPS
