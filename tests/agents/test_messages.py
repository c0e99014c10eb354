"""What a model is shown follows from the history alone."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from runner.agents.base import REFLECT, Assignment, Past
from runner.agents.messages import build, cut, digest, said

TASK = Assignment("t", "Find the accuracy.")
STEPS = st.builds(
    Past,
    thought=st.text(max_size=9),
    kind=st.sampled_from(["execute", "edit", "", "interrupt", "continue_wait"]),
    content=st.text(max_size=9),
    observation=st.text(max_size=40),
)


def step(observation: str = "", kind: str = "execute", content: str = "1", *, given: bool = False) -> Past:
    return Past("t", kind, content, observation, given)


@settings(deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=6), st.integers(0, 9), st.integers(0, 30))
def test_older_observations_are_cut_to_their_end_and_the_newest_is_shown_longer(
    history: list[Past], older: int, newest: int
) -> None:
    messages = build("system", TASK, history, older=older, newest=newest)

    shown = [message["content"].removeprefix("Observation:\n") for message in messages[3::2]]
    sizes = [older] * (len(history) - 1) + [newest]
    assert shown == [cut(past.observation, size) for past, size in zip(history, sizes, strict=True)]
    assert [message["content"] for message in messages[2::2]] == [said(past) for past in history]


@settings(deadline=None)
@given(st.text(max_size=30), st.integers(0, 9))
def test_a_cut_text_ends_as_the_whole_and_says_how_much_is_missing(text: str, size: int) -> None:
    shown = cut(text, size)

    if len(text) <= size:
        assert shown == text
    else:
        head = f"[{len(text) - size} characters before this are not shown]\n"
        assert shown == head + text[len(text) - size :]


def test_roles_take_turns_after_the_instructions() -> None:
    roles = [message["role"] for message in build("system", TASK, [step(), step()])]

    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]


def test_the_query_is_shown_as_it_is() -> None:
    assert build("system", TASK, [])[1]["content"] == "Task:\nFind the accuracy."


def test_no_message_is_empty() -> None:
    assert all(message["content"] for message in build("system", TASK, [step(kind="", content="")]))


def test_a_new_trial_shows_what_was_learned_and_not_what_was_done() -> None:
    history = [step("given", given=True), step("old"), step("", REFLECT, "use seed 3"), step("new")]

    messages = build("system", TASK, history)

    assert "After trial 1: use seed 3" in messages[1]["content"]
    assert [message["content"] for message in messages[3::2]] == ["Observation:\ngiven", "Observation:\nnew"]


def test_messages_that_differ_have_other_digests() -> None:
    assert digest(build("system", TASK, [step("a")])) != digest(build("system", TASK, [step("b")]))
