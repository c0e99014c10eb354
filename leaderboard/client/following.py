"""An upload on the site: waited for, and its report shown."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from leaderboard.client.ending import Exit, Unreachable, problem_of
from leaderboard.client.server import Server
from leaderboard.client.show import bars, say, show_findings, show_table
from leaderboard.domain.text import plural
from leaderboard.intake.description import REQUIRED

ENDED: Final = frozenset({"incomplete", "checked", "refused", "failed"})
FIRST_WAIT, LONGEST_WAIT = 0.5, 5.0
"""Seconds between two looks, longer each time."""
ONE_DECIMAL: Final = "{:.1f}"


def wait_until_checked(
    server: Server, upload: str, *, patience: float, clock: Callable[[], float] = time.monotonic
) -> Any:
    """The upload when checking has ended, of all entries where it holds several; progress is shown meanwhile.

    Args:
        server: where it is.
        upload: its address.
        patience: seconds to wait.
        clock: seconds that pass.

    Raises:
        Unreachable: it took longer than ``patience``.
    """
    until, pause, said = clock() + patience, FIRST_WAIT, ""
    with bars() as begin:
        bar = begin("Checking")
        while (now := server.get(upload))["state"] not in ENDED:
            progress = now["progress"]
            told = str(now["state"])
            if told != said:
                say(f"The site has it: {told}")
                said = told
            bar(int(progress.get("done") or 0), int(progress.get("total") or 1))
            if clock() > until:
                raise Unreachable(f"it is still {told}: ask later with superboard status")
            server.sleep(pause)
            pause = min(pause * 1.5, LONGEST_WAIT)
    for part in now["parts"]:
        say(f"Entry in {part['part']}")
        wait_until_checked(server, part["url"], patience=until - clock(), clock=clock)
    return server.get(upload) if now["parts"] else now


def read_report(server: Server, upload: Any) -> dict[str, Any]:
    """The whole report on an upload, with every file that something is to be said of, and on its parts."""
    first = server.get(upload["report"])
    files = first["items"]
    following = first["next"]
    while following:
        page = server.get(following)
        files += page["items"]
        following = page["next"]
    preview = None
    if upload["entry"] and upload["entry_state"] == "draft":
        preview = server.get(f"/api/v1/entries/{upload['entry']}/preview")
    return {
        "upload": upload,
        "summary": first["summary"],
        "findings": first["findings"],
        "files": files,
        "preview": preview,
        "parts": [read_report(server, server.get(part["url"])) for part in upload["parts"]],
    }


def show_whole_report(report: dict[str, Any], *, site: str) -> None:
    """Print what the site at ``site`` found, line by line, and where the draft would rank."""
    upload, summary = report["upload"], report["summary"]
    for findings in (report["findings"], *(line["findings"] for line in report["files"])):
        show_findings((each["severity"], problem_of(each)) for each in findings if each["severity"] != "note")
    counts = [
        plural(summary.get(f"{what}s", 0), f"{{n}} {what}", f"{{n}} {what}s")
        for what in ("attempt", "error", "warning")
    ]
    say(f"{upload['name']} is {upload['state']}: {', '.join(counts)}")
    if upload["state"] == "incomplete":
        missing = ", ".join(key for key in REQUIRED if not upload["description"].get(key))
        say(f"Still to be said, by an option or on {site}{upload['page']}: {missing}")
    if preview := report["preview"]:
        say(f"As {preview['entry']} it would rank so:")
        heads = ("metric", "value", "rank", "of")
        show_table(heads, [_standing(metric) for metric in preview["metrics"]], figures=(1, 2, 3))
    for part in report["parts"]:
        show_whole_report(part, site=site)


def exit_for(report: dict[str, Any]) -> Exit:
    """Whether the files are such that they could be published as they are."""
    upload, summary = report["upload"], report["summary"]
    good = upload["state"] == "checked" and not summary.get("errors")
    return max([Exit.DONE if good else Exit.PROBLEMS, *map(exit_for, report["parts"])])


def _standing(metric: dict[str, Any]) -> tuple[str, ...]:
    value, rank = metric["value"], metric["rank"]
    shown = "" if value is None else ONE_DECIMAL.format(value * 100)
    return metric["metric"], shown, "" if rank is None else str(rank), str(metric["of"])
