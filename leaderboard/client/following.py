"""Waits for the site's check of an upload, and shows its report."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from leaderboard.client.ending import Exit, Unreachable
from leaderboard.client.server import Server
from leaderboard.client.show import bars, say, show_findings, show_table
from leaderboard.domain.entries import Evidence
from leaderboard.domain.errors import problem_from_data
from leaderboard.domain.text import plural
from leaderboard.intake.description import REQUIRED
from leaderboard.scoring.values import value_text

ENDED: Final = frozenset({"incomplete", "waiting", "checked", "refused", "failed"})
FIRST_WAIT, LONGEST_WAIT = 0.5, 5.0
"""Seconds between two polls, longer each time."""


def wait_until_checked(
    server: Server, upload: str, *, patience: float, clock: Callable[[], float] = time.monotonic
) -> Any:
    """Wait until the upload at an address and all its entries are checked, and show progress; return it.

    Raises:
        Unreachable: it took longer than ``patience``, in seconds.
    """
    until, pause, last_state = clock() + patience, FIRST_WAIT, ""
    with bars() as begin:
        bar, last_reason = begin("Checking"), ""
        while (now := server.get(upload))["state"] not in ENDED:
            progress = now["progress"]
            state = str(now["state"])
            if state != last_state:
                say(f"State on the site: {state}")
                last_state = state
            if (reason := now.get("waits_for", "")) and reason != last_reason:
                say(reason)
            last_reason = reason
            bar(int(progress.get("done") or 0), int(progress.get("total") or 1))
            if clock() > until:
                raise Unreachable(f"it is still {state}: check later with superboard status")
            server.sleep(pause)
            pause = min(pause * 1.5, LONGEST_WAIT)
    for part in now["parts"]:
        say(f"Entry in {part['part']}")
        wait_until_checked(server, part["url"], patience=until - clock(), clock=clock)
    return server.get(upload) if now["parts"] else now


def read_report(server: Server, upload: Any) -> dict[str, Any]:
    """The whole report on an upload and its parts, with all pages of its files."""
    first = server.get(upload["report"])
    files = first["items"]
    if first["next"]:
        files += server.items(first["next"])
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
    """Print the findings, one per line, and where the draft would rank; ``site`` is the site's address."""
    upload, summary = report["upload"], report["summary"]
    for findings in (report["findings"], *(line["findings"] for line in report["files"])):
        show_findings(
            (each["severity"], problem_from_data(each)) for each in findings if each["severity"] != "note"
        )
    counts = [
        plural(summary.get(f"{what}s", 0), f"{{n}} {what}", f"{{n}} {what}s")
        for what in ("attempt", "error", "warning")
    ]
    say(f"{upload['name']} is {upload['state']}: {', '.join(counts)}")
    if reason := upload.get("waits_for"):
        say(reason)
    if upload["state"] == "incomplete":
        missing = ", ".join(key for key in REQUIRED if not upload["description"].get(key))
        say(f"Still missing: {missing} (give it by an option or on {site}{upload['page']})")
    if preview := report["preview"]:
        ranked = preview.get("evidence") != Evidence.SELF_REPORTED
        why = "it would rank" if ranked else "it would have no rank, as not every attempt has a trajectory"
        say(f"The draft is {site}/e/{preview['entry']}/; if published, {why}:")
        heads = ("metric", "value", "rank", "of")
        show_table(heads, [_standing(metric) for metric in preview["metrics"]], figures=(1, 2, 3))
        if used := ", ".join(_used(each) for each in preview["used"] if each["known"]):
            say(f"Its attempts used: {used}")
        if any(metric["value"] is None for metric in preview["metrics"]):
            say(
                "What has no value can't be computed, or is shown once it is published: see the draft's page."
            )
    for part in report["parts"]:
        show_whole_report(part, site=site)


def exit_for(report: dict[str, Any]) -> Exit:
    """DONE if the upload and all its parts were checked without errors, NETWORK if a check was put off."""
    upload, summary = report["upload"], report["summary"]
    if upload["state"] == "waiting":
        return Exit.NETWORK
    good = upload["state"] == "checked" and not summary.get("errors")
    return max([Exit.DONE if good else Exit.PROBLEMS, *map(exit_for, report["parts"])])


def _used(each: dict[str, Any]) -> str:
    text = f"{each['metric']} {value_text(each['total'], each['unit'])}"
    known, attempts = each["known"], each["attempts"]
    return text if known == attempts else f"{text} (known for {known:,} of {attempts:,})"


def _standing(metric: dict[str, Any]) -> tuple[str, ...]:
    value, rank = metric["value"], metric["rank"]
    shown = value_text(value, metric["unit"])
    return metric["metric"], shown, "" if rank is None else str(rank), str(metric["of"])
