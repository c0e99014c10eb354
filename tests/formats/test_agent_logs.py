"""What agents' own tools log: all lines of a session are one attempt."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.domain.errors import InputError, UnknownFormatError
from leaderboard.domain.trajectory import MISSING, Ending, StepKind, Trajectory
from leaderboard.formats import Sample, group_files, list_samples
from leaderboard.formats import read as read_bytes
from leaderboard.formats.bundles import Group, pack
from tests.formats import agent_golden, agent_logs
from tests.formats.agent_logs import (
    CLAUDE_SESSION,
    CLAUDE_STREAM,
    CODEX_EXEC,
    CODEX_ROLLOUT,
    COPILOT,
    GEMINI_CHAT,
    GEMINI_HEAD,
    GEMINI_LEGACY,
    GEMINI_STREAM,
    META,
    SPANS,
    SUB_AGENT,
    Events,
    answer,
    copilot,
    counted,
    event,
    gemini_message,
    gives,
    item,
    kinds,
    lines,
    read,
    rollout,
    says,
    session,
    thinks,
    told,
    used,
    uses,
)
from tests.formats.harbor_jobs import result, trial
from tests.formats.samples import as_bytes


@pytest.mark.parametrize(
    ("events", "wanted"),
    [
        ([*CLAUDE_SESSION, *SUB_AGENT], agent_golden.SESSION),
        (CLAUDE_STREAM, agent_golden.CLAUDE),
        (CODEX_ROLLOUT, agent_golden.ROLLOUT),
        (CODEX_EXEC, agent_golden.EXEC),
        (GEMINI_CHAT, agent_golden.CHAT),
        (GEMINI_STREAM, agent_golden.GEMINI),
        (COPILOT, agent_golden.COPILOT_READ),
        (SPANS, agent_golden.TRACE),
    ],
    ids=lambda value: value.format if isinstance(value, Trajectory) else "",
)
def test_every_field_of_a_log_is_read(events: Events, wanted: Trajectory) -> None:
    assert read(events) == wanted


def test_a_chat_of_an_older_gemini_is_read_as_a_newer_one() -> None:
    assert read_bytes(as_bytes(GEMINI_LEGACY), name="f") == agent_golden.CHAT


def test_a_last_line_that_is_cut_off_is_a_note_and_the_lines_before_it_are_read() -> None:
    found = read([*CODEX_ROLLOUT[:-3], b'{"timestamp": "2026'])
    assert len(found.steps) == 3
    assert [(one.place, one.reason) for one in found.warnings] == [("line 17", "the last line is cut off")]


def test_a_line_that_is_no_event_is_a_note_with_its_number() -> None:
    found = read([*COPILOT[:3], b"{oops", 7, *COPILOT[3:]])
    assert found.steps == agent_golden.COPILOT_READ.steps
    assert [one.place for one in found.warnings] == ["line 4, column 2", "line 5"]


def test_a_file_of_lines_that_are_no_events_is_refused_once() -> None:
    with pytest.raises(InputError, match=r"more than 50 lines can't be read"):
        read([*COPILOT[:2], *[b"{oops"] * 51])


@pytest.mark.parametrize("stream", [CLAUDE_STREAM, CODEX_EXEC, GEMINI_STREAM, COPILOT])
def test_several_sessions_in_one_file_are_several_attempts(stream: Events) -> None:
    text = lines(stream)
    two = text + b"\n" + text.replace(b'"s1"', b'"s2"').replace(b'"r1"', b'"r2"').replace(b'"g1"', b'"g2"')
    two = text + b"\n" + two[len(text) + 1 :].replace(b'"p1"', b'"p2"')
    assert list_samples(two, name="f") == (Sample("session 1"), Sample("session 2"))
    alone = read(stream)
    assert read_bytes(two, name="f", sample="session 2").steps == alone.steps


# Claude Code


def test_a_session_and_the_files_of_its_sub_agents_are_one_attempt() -> None:
    files = {"a/s1.jsonl": lines(CLAUDE_SESSION), "a/s1/subagents/agent-ag1.jsonl": lines(SUB_AGENT)}
    (group,) = group_files(["a/notes.txt", *files])
    assert group == Group("a", tuple(files))
    packed = pack({group.inside(name): data for name, data in files.items()})
    assert list_samples(packed, name="f") == (Sample(),)
    assert read_bytes(packed, name="f") == agent_golden.SESSION


def test_a_trial_of_harbor_has_the_session_of_its_agent_with_sub_agents_in_it() -> None:
    folder = "agent/sessions/projects/-app"
    files = {
        f"{folder}/s1.jsonl": lines(CLAUDE_SESSION),
        f"{folder}/s1/subagents/agent-ag1.jsonl": lines(SUB_AGENT),
    }
    whole = trial(files, result("cet", "cet__aaaaaaa"))
    assert len(group_files([f"job/cet__aaaaaaa/{name}" for name in whole])) == 1
    assert read_bytes(pack(whole), name="f").steps == agent_golden.SESSION.steps


def test_sub_agents_beside_a_session_belong_to_it_if_it_is_the_only_one_there() -> None:
    assert list(group_files(["a/agent-1.jsonl", "a/s.jsonl"])) == [
        Group("a", ("a/s.jsonl", "a/agent-1.jsonl"))
    ]
    assert list(group_files(["agent-1.jsonl", "s.jsonl", "t.jsonl"])) == []


def test_the_log_of_a_sub_agent_alone_is_told_from_an_attempt() -> None:
    with pytest.raises(UnknownFormatError, match="sub-agent of Claude Code alone"):
        list_samples(lines(SUB_AGENT), name="f")


def test_of_a_session_that_was_retried_the_last_branch_is_read_and_the_other_noted() -> None:
    first = session(told("Go."), answer("m1", uses("t1", "Bash", command="rm x")), told(gives("t1", "gone")))
    again = session(answer("m2", uses("t2", "Bash", command="ls")), told(gives("t2", "x")), key="b")
    again[0]["parentUuid"] = first[0]["uuid"]
    found = read([*first, *({**line, "sessionId": "s1"} for line in again)])
    assert [step.action for step in found.steps] == ["ls"]
    assert found.warnings[0].reason == "1 answer on a branch that the session left is not read"


def test_results_of_parallel_calls_are_kept_though_they_are_siblings() -> None:
    made = session(
        told("Go."),
        answer("m1", uses("t1", "Bash", command="a")),
        answer("m1", uses("t2", "Bash", command="b")),
        told(gives("t1", "A")),
        told(gives("t2", "B")),
        answer("m2", says("done"), reason="end_turn"),
    )
    made[3]["parentUuid"] = made[1]["uuid"]
    made[4]["parentUuid"] = made[2]["uuid"]
    found = read(made)
    assert [step.observation for step in found.steps] == ["A", "B", None]
    assert found.answer == "done"
    assert not found.warnings


def test_a_session_is_read_across_its_compaction_without_the_summary() -> None:
    made = session(
        told("Go."),
        answer("m1", uses("t1", "Bash", command="a")),
        told(gives("t1", "A")),
        {
            "type": "system",
            "subtype": "compact_boundary",
            "parentUuid": None,
            "logicalParentUuid": "elsewhere",
        },
        told("So far: A.", isCompactSummary=True),
        answer("m2", uses("t2", "Bash", command="b")),
        told(gives("t2", "B")),
    )
    found = read(made)
    assert [(step.action, step.observation) for step in found.steps] == [("a", "A"), ("b", "B")]
    assert found.query == "Go."


def test_a_resumed_session_repeats_no_step() -> None:
    made = session(told("Go."), answer("m1", uses("t1", "Bash", command="a")), told(gives("t1", "A")))
    more = session(answer("m2", says("done"), reason="end_turn"), key="s2", version="2.2.0")
    more[0]["parentUuid"] = made[-1]["uuid"]
    found = read([*made, *made, *more])
    assert kinds(found) == ["Bash", "message"]
    assert (found.prompt_tokens, found.answer) == (20, "done")


def test_two_sessions_in_a_file_that_do_not_go_on_each_other_are_two_attempts() -> None:
    made = session(told("Go."), answer("m1", says("1"), reason="end_turn"))
    other = session(told("Go."), answer("m2", says("2"), reason="end_turn"), key="s2")
    samples = list_samples(lines([*made, *other]), name="f")
    assert [read([*made, *other], sample=sample.key).answer for sample in samples] == [1, 2]


@pytest.mark.parametrize(
    ("last", "detail"),
    [
        (told(says("[Request interrupted by user]")), "interrupted by the user"),
        (answer("m2", says("too lo"), reason="max_tokens"), "max_tokens"),
        (answer("m2", thinks("Hm.")), ""),
        (answer("m2", uses("t2", "Bash", command="sleep")), ""),
    ],
)
def test_a_session_that_did_not_end_by_itself_has_no_answer(last: Any, detail: str) -> None:
    made = session(told("Go."), answer("m1", uses("t1", "Bash", command="a")), told(gives("t1", "A")), last)
    found = read(made)
    assert (found.answer, found.ending, found.ending_detail) == (MISSING, Ending.UNKNOWN, detail)


def test_what_the_tool_says_in_place_of_a_model_or_user_is_no_step_and_no_query() -> None:
    synthetic = answer("x", says("API Error"))
    synthetic["message"]["model"] = "<synthetic>"
    made = session(
        told("<command-name>/clear</command-name>"),
        told(says("Caveat"), isMeta=True),
        told("Go."),
        synthetic,
        answer("m1", says("done"), reason="end_turn"),
    )
    found = read(made)
    assert (found.query, kinds(found), found.answer) == ("Go.", ["message"], "done")


def test_every_kind_of_edit_is_before_and_after() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]
    made = session(
        told("Go."),
        answer("m1", uses("t1", "MultiEdit", file_path="/x", edits=edits)),
        answer("m2", uses("t2", "Write", file_path="/y", content="new")),
        answer("m3", uses("t3", "NotebookEdit", notebook_path="/z", new_source="cell")),
    )
    assert [(step.kind, step.action) for step in read(made).steps] == [
        (StepKind.EDIT, "/x\n<<<BEFORE_EDIT>>>\na\nc\n<<<AFTER_EDIT>>>\nb\nd"),
        (StepKind.CREATE, "/y\n<<<BEFORE_EDIT>>>\n\n<<<AFTER_EDIT>>>\nnew"),
        (StepKind.EDIT, "/z\n<<<BEFORE_EDIT>>>\n\n<<<AFTER_EDIT>>>\ncell"),
    ]


def test_old_sidechains_stand_under_the_call_with_their_prompt() -> None:
    made = session(
        told("Go."),
        answer("m1", uses("t1", "Task", subagent_type="A", prompt="one")),
        answer("m1", uses("t2", "Task", subagent_type="B", prompt="two")),
    )
    sides = [
        session(
            told(prompt),
            answer(f"n{prompt}", uses(prompt, "Bash", command=prompt)),
            key=prompt,
            isSidechain=True,
        )
        for prompt in ("two", "one")
    ]
    events = [*made, *({**line, "sessionId": "s1"} for side in sides for line in side)]
    assert kinds(read(events)) == ["Task", "A:Bash", "Task", "B:Bash"]


def test_a_submission_of_a_sub_agent_is_none_of_the_attempt() -> None:
    stream = [
        answer("m1", uses("t1", "Task", prompt="x")),
        {**answer("n1", uses("v1", "submit", answer="1")), "parent_tool_use_id": "t1"},
        told(gives("t1", "1")),
        answer("m2", uses("t2", "submit", answer="2")),
    ]
    found = read([{"session_id": "s", **line} for line in stream])
    assert [step.kind for step in found.steps] == [StepKind.OTHER, StepKind.OTHER, StepKind.SUBMIT]
    assert (found.answer, found.ending) == (2, Ending.SUBMITTED)


@pytest.mark.parametrize(
    ("result", "ending", "detail"),
    [
        ({"subtype": "error_max_turns", "is_error": True}, Ending.STEPS, "error_max_turns"),
        ({"subtype": "error_max_budget_usd", "is_error": True}, Ending.COST, "error_max_budget_usd"),
        ({"subtype": "error_during_execution", "is_error": True}, Ending.EXCEPTION, "error_during_execution"),
        (
            {"subtype": "success", "is_error": True, "result": "API Error: 500"},
            Ending.EXCEPTION,
            "API Error: 500",
        ),
    ],
)
def test_a_stream_says_why_it_ended(result: Any, ending: Ending, detail: str) -> None:
    found = read([*CLAUDE_STREAM[:-1], {"type": "result", "session_id": "s1", **result}])
    assert (found.answer, found.ending, found.ending_detail) == (MISSING, ending, detail)


def test_a_stream_without_its_result_is_said_to_be_cut_off() -> None:
    found = read(CLAUDE_STREAM[:-1])
    assert (found.answer, found.prompt_tokens) == (MISSING, 30)
    assert "no result line" in found.warnings[0].reason


# Codex CLI


def test_an_old_rollout_of_bare_items_is_read() -> None:
    bare = [line["payload"] for line in CODEX_ROLLOUT if line["type"] == "response_item"]
    head = {"id": "r1", "timestamp": agent_logs.at(0), "instructions": "A shell.", "git": {}}
    found = read([head, {"record_type": "state"}, *bare])
    assert [step.action for step in found.steps] == [step.action for step in agent_golden.ROLLOUT.steps]
    assert (found.query, found.prompt, found.answer) == ("Report the score.", "A shell.", {"score": 0.8})


def test_a_fork_is_one_attempt_and_the_rollout_of_a_sub_agent_none() -> None:
    fork = ("session_meta", {"id": "r2", "forked_from_id": "r1"})
    assert len(list_samples(lines([*rollout(fork), *CODEX_ROLLOUT]), name="f")) == 1
    review = ("session_meta", {"id": "r3", "source": {"subagent": "review"}})
    with pytest.raises(UnknownFormatError, match="sub-agent of Codex CLI"):
        list_samples(lines(rollout(review, event("task_started"))), name="f")


@pytest.mark.parametrize(
    ("last", "ending", "detail"),
    [
        (event("turn_aborted", reason="interrupted"), Ending.UNKNOWN, "aborted: interrupted"),
        (event("error", message="context window exceeded"), Ending.CONTEXT, "context window exceeded"),
    ],
)
def test_a_rollout_that_was_stopped_has_no_answer(last: Any, ending: Ending, detail: str) -> None:
    work = item("function_call", name="shell", arguments='{"command": ["bash", "-lc", "ls"]}', call_id="c")
    found = read(rollout(META, work, event("token_count", info=None), counted(9, 1, (9, 1)), last))
    assert (found.steps[0].action, found.answer, found.ending, found.ending_detail) == (
        "ls",
        MISSING,
        ending,
        detail,
    )


@pytest.mark.parametrize(
    ("kind", "fields", "action"),
    [
        ("function_call", {"name": "shell", "arguments": '{"command": ["apply_patch", "%s"]}'}, "a.py"),
        ("function_call", {"name": "write_stdin", "arguments": '{"session_id": 1, "chars": ""}'}, ""),
        ("web_search_call", {"action": {"query": "a paper"}}, "a paper"),
        ("function_call", {"name": "exec_command", "arguments": '{"cmd": "l'}, '{"cmd": "l'),
    ],
)
def test_calls_of_codex_show_what_was_done(kind: str, fields: Any, action: str) -> None:
    if "%s" in str(fields):
        patch = json.dumps(agent_logs.PATCH)[1:-1]
        fields = {**fields, "arguments": fields["arguments"] % patch}
    found = read(rollout(META, item(kind, **fields, call_id="c")))
    assert found.steps[0].action.partition("\n")[0] == action


def test_a_patch_of_several_files_names_each() -> None:
    patch = agent_logs.PATCH.replace("*** End", "*** Add File: b.py\n+y = 1\n*** End")
    found = read(rollout(META, item("custom_tool_call", name="apply_patch", input=patch, call_id="c")))
    before, after = found.steps[0].action.split("\n<<<AFTER_EDIT>>>\n")
    assert before.startswith("a.py, b.py\n<<<BEFORE_EDIT>>>\na = 0\nx = 1\n")
    assert after == "a = 0\nx = 2\n*** Add File: b.py\ny = 1"


def test_a_failed_turn_of_codex_exec_is_an_error() -> None:
    failed = {"type": "turn.failed", "error": {"message": "the stream was cut off"}}
    found = read([*CODEX_EXEC[:4], failed])
    assert [step.observation for step in found.steps] == [None]
    assert (found.answer, found.ending, found.ending_detail) == (
        MISSING,
        Ending.EXCEPTION,
        "the stream was cut off",
    )


# Gemini CLI and Copilot CLI


def test_a_chat_that_was_set_anew_has_only_its_new_messages() -> None:
    anew = {"$set": {"messages": [gemini_message("n", "42")]}}
    found = read([*GEMINI_CHAT, anew])
    assert (kinds(found), found.answer) == (["message"], 42)
    with pytest.raises(UnknownFormatError, match="sub-agent of Gemini CLI"):
        list_samples(lines([{**GEMINI_HEAD, "kind": "subagent"}, *GEMINI_CHAT[1:]]), name="f")


def test_a_stream_of_gemini_that_failed_has_no_answer() -> None:
    failed = {"type": "result", "timestamp": "x", "status": "error", "error": {"message": "quota timed out"}}
    found = read([*GEMINI_STREAM[:-1], failed])
    assert (found.answer, found.ending, found.ending_detail) == (MISSING, Ending.TIME, "quota timed out")


def test_calls_inside_a_sub_agent_of_copilot_are_its_own_though_no_line_says_so() -> None:
    bare = [
        {**line, "data": {k: v for k, v in line["data"].items() if k != "parentToolCallId"}}
        for line in COPILOT
    ]
    assert kinds(read(bare)) == ["bash", "task", "explore:view", "message"]
    cut = read(COPILOT[:8])
    assert kinds(cut) == ["bash", "task", "explore:view"]
    assert cut.answer is MISSING


def test_a_session_of_copilot_that_failed_has_no_answer() -> None:
    found = read([*COPILOT[:-2], *copilot(("session.error", {"message": "no quota"}))])
    assert (found.answer, found.ending, found.ending_detail) == (MISSING, Ending.EXCEPTION, "no quota")


def test_tokens_of_an_answer_count_once_however_many_lines_it_has() -> None:
    blocks = [answer("m1", uses(f"t{n}", "Bash", command="a"), usage=used(10, n)) for n in range(1, 5)]
    found = read(session(told("Go."), *blocks))
    assert (found.prompt_tokens, found.response_tokens) == (10, 4)
    assert [step.prompt_tokens for step in found.steps] == [10, None, None, None]
