"""`superboard submit`: check, send, wait, and publish when asked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from leaderboard.client.ending import Exit, UsageProblem, exit_on_errors, write_json
from leaderboard.client.following import exit_for, read_report, show_whole_report
from leaderboard.client.server import Server
from leaderboard.client.show import say, show_report
from leaderboard.client.site import AsJson, Site, Url, find_site
from leaderboard.client.uploading import upload_path
from leaderboard.client.validate import MaxTrajectory, check_path
from leaderboard.domain.text import plural
from leaderboard.intake.description import description_from_data
from leaderboard.intake.findings import Severity
from leaderboard.intake.known_tasks import shipped_tasks
from leaderboard.scoring.values import value_text

OwningTeam = Annotated[
    str, typer.Option(help="The owning team, by name or slug. Default: your personal team.")
]
Replace = Annotated[
    bool, typer.Option("--replace", help="Publish even if it replaces an entry of yours with its name.")
]
LeavingOut = Annotated[
    bool, typer.Option("--leaving-out", help="Publish even if files were refused, without them.")
]
Secrets = Annotated[
    bool, typer.Option("--secrets-acknowledged", help="Publish even if something looks like a secret.")
]


def submit(
    path: Annotated[Path, typer.Argument(exists=True, help="A folder, an archive, or a single result file.")],
    task_set: Annotated[str, typer.Option("--set", help="The task set: SET, or BENCHMARK/SET.")] = "",
    agent: Annotated[str, typer.Option(help="The agent's name on the board.")] = "",
    model: Annotated[str, typer.Option(help="Its model's name on the board.")] = "",
    team: OwningTeam = "",
    notes: Annotated[str, typer.Option(help="Anything else about it, plain text.")] = "",
    previous: Annotated[
        str, typer.Option("--version-of", help="The slug of a published entry that it is a new version of.")
    ] = "",
    publish: Annotated[bool, typer.Option("--publish", help="Publish if there are no errors.")] = False,
    replace: Replace = False,
    leaving_out: LeavingOut = False,
    secrets: Secrets = False,
    check: Annotated[bool, typer.Option("--validate/--no-validate", help="Check locally first.")] = True,
    patience: Annotated[float, typer.Option(min=0, help="Seconds to wait for the site's check.")] = 3600,
    max_trajectory_mb: MaxTrajectory = 100,
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Check results, upload them, show the site's report, and publish them with --publish.

    After a broken connection, or Ctrl-C, run the same command again to continue. Options may be given in
    entry.yaml instead. Exit codes: 0 done, 1 there are problems in the files, 2 the command was called
    wrongly, 3 the site refused, 4 the site could not be reached or did not finish in time.
    """
    benchmark, _slash, slug = task_set.rpartition("/")
    options = {"benchmark": benchmark, "set": slug, "agent": agent, "model": model, "notes": notes}
    form = {name: text for name, text in options.items() if text}
    consents = {"leaving_out": leaving_out, "secrets_acknowledged": secrets} if publish else None
    may_replace = "any" if replace else previous
    with exit_on_errors(as_json=as_json):
        site = find_site(url, needs_token=True)
        if check:
            _check_locally(path, form, quiet=as_json, max_trajectory_mb=max_trajectory_mb)
        with Server(site) as server:
            upload = upload_path(server, path, form, team=team, previous=previous, patience=patience)
            report = read_report(server, upload)
            if not as_json:
                show_whole_report(report, site=site.url)
            if consents is None:
                done = exit_for(report)
            else:
                done = _publish(server, report, consents, may_replace=may_replace)
        if as_json:
            write_json({"exit": done.value, **report})
        raise typer.Exit(done)


def _publish(server: Server, report: dict[str, Any], consents: dict[str, bool], *, may_replace: str) -> Exit:
    """Publish an upload without errors, or with errors if files may be left out; add its entry to the report.

    Of several entries, those that can be published are. ``may_replace`` is the slug of the published entry
    that it may replace, ``any``, or empty.

    Raises:
        UsageProblem: it would replace another one.
    """
    if report["parts"]:
        done = [_publish(server, part, consents, may_replace=may_replace) for part in report["parts"]]
        return max([*done, Exit.PROBLEMS if report["summary"].get("errors") else Exit.DONE])
    upload = report["upload"]
    may_leave_out = consents["leaving_out"] and upload["state"] == "checked"
    if exit_for(report) is not Exit.DONE and not may_leave_out:
        _explain_unpublished(server.site, upload, report["summary"].get("errors", 0))
        return exit_for(report)
    replaces = _check_what_is_replaced(server.site, upload, report["preview"] or {}, may_replace)
    report["entry"] = server.post(f"{upload['url']}/publish", {**consents, "replaces": replaces}).json()
    say(f"Published: {server.site.url}{report['entry']['page']}")
    return Exit.DONE


def _check_what_is_replaced(
    site: Site, upload: dict[str, Any], preview: dict[str, Any], may_replace: str
) -> str:
    """Say what a draft would replace, and return its slug; empty if nothing."""
    slug = str(preview.get("replaces") or "")
    if not slug:
        return ""
    figures = ", ".join(
        f"{each['metric']} {_shown(each, 'before')} → {_shown(each, 'after')}" for each in preview["changes"]
    )
    what = f"{preview['replaced']}, at {site.url}/e/{slug}/ ({figures})"
    if may_replace not in ("any", slug):
        raise UsageProblem(
            f"not published: it would replace {what}. Give --replace, or --version-of {slug}; or another "
            f"--agent or --model. The draft: {site.url}/e/{upload['entry']}/"
        )
    say(f"It replaces {what}")
    return slug


def _explain_unpublished(site: Site, upload: dict[str, Any], errors: int) -> None:
    """Print why an upload is not published, and what to do."""
    name, with_errors = upload["part"] or upload["name"], plural(errors, "{n} error", "{n} errors")
    say(f"Not published: {name} is {upload['state']} with {with_errors}.")
    if upload["state"] == "checked" and upload["entry"]:
        draft = f"{site.url}/e/{upload['entry']}/"
        say(f"--leaving-out publishes it without the refused files. The draft: {draft}")


def _check_locally(path: Path, options: dict[str, str], *, quiet: bool, max_trajectory_mb: int) -> None:
    """Check the files before anything is sent.

    Raises:
        Exit: no attempt in it can be used.
        UsageProblem: a required part of the description is missing.
    """
    known_tasks, form = shipped_tasks(), description_from_data({**options})
    if not known_tasks.find_sets(benchmark=form.benchmark, task_set=form.task_set):
        say("This program does not know the task set: only the site checks the files.")
        return
    report = check_path(
        path, known_tasks=known_tasks, form=form, workers=None, max_trajectory_mb=max_trajectory_mb
    )
    if report.count(Severity.ERROR) and not any(entry.attempts for entry in report.entries):
        if quiet:
            write_json({"exit": Exit.PROBLEMS.value, "report": report.as_data()})
        else:
            show_report(report, notes=False)
        raise typer.Exit(Exit.PROBLEMS)
    for entry in report.entries:
        if entry.attempts and (missing := ", ".join(entry.description.missing)):
            where = "by --set, --agent, --model or in entry.yaml"
            raise UsageProblem(f"{entry.name}: still missing: {missing} (give it {where})")


def _shown(change: dict[str, Any], when: str) -> str:
    return value_text(change[when], change["unit"]) or "none"
