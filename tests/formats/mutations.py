"""Sound files of every format, and what can go wrong with them."""

from __future__ import annotations

import copy
import io
import json
from typing import Any, Final

from backports.zstd import zipfile
from hypothesis import strategies as st

from leaderboard.formats.bundles import pack
from tests.formats.agent_logs import GEMINI_LEGACY
from tests.formats.chats import (
    chat,
    hal,
    hal_task,
    mini_responses,
    response,
    response_output,
    smolagents_result,
    smolagents_steps,
    usage,
    weave_calls,
)
from tests.formats.frameworks import (
    MINI_SUBMIT,
    T0,
    T1,
    TURNS,
    archive,
    astabench,
    atif,
    atif_step,
    chunked_log,
    eval_log,
    finish,
    inspect_log,
    inspect_sample,
    mini,
    mini_output,
    mini_turn,
    output_line,
    run,
    stored,
    v0_events,
    v1_events,
)
from tests.formats.harbor_jobs import continued, result
from tests.formats.inspect_events import SOLVING, begin, ran, wrote
from tests.formats.samples import act, as_bytes, history, notebook, step_cells, swe_step, traj

_EDIT: Final = {"command": "str_replace", "path": "/a.py", "old_str": "x", "new_str": "y"}
_LOADED: Final = 'Loaded trajectory:\n```json\n[{"action": {"type": "execute", "content": "ls"}}]\n```'
_TIMED: Final = {"event": "tool", "id": "c1", "timestamp": T0, "completed": T1}
_SAMPLE: Final = inspect_sample(*TURNS, events=[_TIMED], attachments={"h": "x"})
_REACT: Final = inspect_sample(
    events=[
        *SOLVING,
        wrote("m1", ("c1", "reader", {"input": "x"})),
        *ran("c1", "reader", [{"type": "text", "text": "y"}]),
        begin("inner", "agent", "reader", parent="c1 runs"),
        wrote("m2", content=[{"type": "tool_use", "name": "grep", "result": "z"}], span="inner"),
        begin("judge", "scorer", "qa"),
        wrote("m3", span="judge"),
        wrote("m4", ("c2", "submit", {"answer": "1"})),
    ],
    events_data={"messages": [{"role": "tool", "tool_call_id": "c2", "content": "1"}]},
)
_V1: Final = v1_events(
    ("terminal", {"command": "ls"}, "x"), ("file_editor", _EDIT, "ok"), ("finish", {"message": "1"}, None)
)

DOCUMENTS: Final[list[Any]] = [
    history(act("execute"), act("submit", {"a": 1}), total_cost=1.0),
    notebook(step_cells(1), step_cells(2, "submit", '{"a": 1}')),
    traj(swe_step("open a.py"), swe_step("edit 1:2\nx\nend_of_edit"), swe_step("submit"), submission="{}"),
    mini(mini_turn("ls", "pwd"), mini_output("x", "1740823200.0-0", at=1740823201.0), mini_turn(MINI_SUBMIT)),
    [{"role": "user", "content": "q"}, {"role": "assistant", "content": "```bash\nls\n```"}],
    astabench(act("execute"), act("submit", {"a": 1}), exec_result="{}"),
    atif(
        atif_step(("bash", {"command": "ls"}, "x")), atif_step(("submit", {"answer": "1"}, [{"text": "y"}]))
    ),
    v0_events(run("ls"), ("edit", _EDIT, "ok"), finish(outputs={"content": "1"})),
    output_line([v0_events(run("ls"))[2:4]]),
    {"trajectory": _V1},
    output_line(_V1),
    inspect_log(_SAMPLE),
    inspect_log(_REACT, eval={"model": "m"}, plan={"steps": [{"solver": "react"}]}),
    inspect_log(inspect_sample(events=[{"event": "info", "data": _LOADED}], limit={"type": "time"})),
    chat(),
    {"messages": chat(), "model": "m", "usage": usage(1, 2), "metadata": {"task_id": "conv_graph"}},
    [{"id": "conv_graph", "messages": chat()}, chat()],
    hal({"conv_graph": hal_task(chat(), usage(1, 2))}, wall_clock_times={"conv_graph": 1.5}),
    hal(weave_calls(chat(), *(usage(1, 2),) * 4)),
    smolagents_result(),
    smolagents_steps(),
    mini_responses(response(1, "ls", reasoning="x"), response_output("k1-0", "x", at=1001.0)),
    [{"task_id": "a", "answer": 1}, {"task_id": "b", "answer": {}, "attempt": 2}],
    GEMINI_LEGACY,
]

MESSAGE_LINES: Final = b"\n".join(map(as_bytes, chat()))
LINES: Final = b"\n".join(as_bytes(output_line(v0_events(run(word)), word)) for word in ("a", "b"))

ARCHIVES: Final = [
    eval_log(_SAMPLE),
    eval_log(_SAMPLE, method=zipfile.ZIP_ZSTANDARD, header=False),
    chunked_log(inspect_sample(*TURNS, attachments=["x"])),
    pack(stored(_V1, state={"agent": {"llm": {"model": "m"}}, "execution_status": "finished", "stats": {}})),
    pack({**continued(), "result.json": as_bytes(result("a", "a__aaaaaaa"))}),
]

_DEEP: Final[Any] = [[[[[[[[[[{"a": [{}]}]]]]]]]]]]
_ODD: Final[list[Any]] = [
    *(
        None,
        True,
        0,
        -1,
        1.5,
        10**30,
        float("nan"),
        float("inf"),
        "",
        "x",
        "submit",
        "attachment://h",
        "\ud800\0",
    ),
    *(
        [],
        {},
        [None],
        [[]],
        [{}],
        {"type": None},
        {"content": {}},
        [1, "a", {}],
        "{",
        "[[[[",
        _DEEP,
        "9" * 5000,
    ),
]
_WORDS: Final = [
    "action",
    "content",
    "kind",
    "role",
    "history",
    "messages",
    "samples",
    "id",
    "observation",
    "x",
]

choices = st.lists(
    st.tuples(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 4)), min_size=1, max_size=4
)


def mutated(document: Any, changes: list[tuple[int, int, int]]) -> Any:
    """The document with each change made to a part of it: (which part, what instead, how)."""
    whole = {"": copy.deepcopy(document)}
    for where, what, how in changes:
        places = list(_places(whole))
        holder, key = places[where % len(places)]
        _change(holder, key, what, how)
    return whole.get("")


def nested(document: Any, where: int, depth: int) -> bytes:
    """The document's bytes with a part of it nested deeper than anything reads."""
    marked = mutated(document, [(where, 0, 4)])
    return as_bytes(marked).replace(b'"@"', b"[" * depth + b"]" * depth)


def changed_entry(log: bytes, which: int, changes: list[tuple[int, int, int]]) -> bytes:
    """An archive of which one entry's document is mutated."""
    source = zipfile.ZipFile(io.BytesIO(log))
    names = source.namelist()
    entries: dict[str, Any] = {name: source.read(name) for name in names}
    name = names[which % len(names)]
    entries[name] = mutated(json.loads(entries[name]), changes)
    return archive(entries)


def _places(holder: Any) -> Any:
    """Every (holder, key) in a document, outermost first."""
    queue = [holder]
    for item in queue:
        keys = list(item) if isinstance(item, dict) else range(len(item))
        for key in keys:
            yield item, key
            if isinstance(item[key], dict | list):
                queue.append(item[key])


def _change(holder: Any, key: Any, what: int, how: int) -> None:
    if how == 0 and len(holder) > 1:
        del holder[key]
    elif how == 1:
        holder[key] = copy.deepcopy(_ODD[what % len(_ODD)])
    elif how == 2 and isinstance(holder, dict) and key:
        holder[_WORDS[what % len(_WORDS)]] = holder.pop(key)
    elif how == 3 and isinstance(holder, list):
        holder.insert(what % (len(holder) + 1), copy.deepcopy(holder[key]))
    else:
        holder[key] = "@" if how == 4 else [holder[key]]
