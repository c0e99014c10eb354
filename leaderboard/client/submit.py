"""`superboard submit`: check, send, wait, and publish when asked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from leaderboard.client.ending import Exit, Misused, ending, write_json
from leaderboard.client.following import exit_for, read_report, show_whole_report
from leaderboard.client.server import Server
from leaderboard.client.show import say, show_report
from leaderboard.client.site import AsJson, Site, Url, find_site
from leaderboard.client.uploading import Said, upload_path
from leaderboard.client.validate import MaxTrajectory, check_path
from leaderboard.domain.text import plural
from leaderboard.intake.description import description_from_data
from leaderboard.intake.findings import Severity
from leaderboard.intake.known_tasks import shipped_catalogue


def submit(
    path: Annotated[Path, typer.Argument(exists=True, help="A folder, an archive, or a single result file.")],
    task_set: Annotated[str, typer.Option("--set", help="The task set: masked, or super/masked.")] = "",
    agent: Annotated[str, typer.Option(help="The agent's name on the board.")] = "",
    model: Annotated[str, typer.Option(help="Its model's name on the board.")] = "",
    team: Annotated[str, typer.Option(help="The slug of the team that owns it; your own if left out.")] = "",
    notes: Annotated[str, typer.Option(help="Anything else about it, plain text.")] = "",
    previous: Annotated[
        str, typer.Option("--version-of", help="The slug of a published entry that it is a new version of.")
    ] = "",
    publish: Annotated[bool, typer.Option("--publish", help="Publish if there are no errors.")] = False,
    leaving_out: Annotated[
        bool, typer.Option("--leaving-out", help="Publish although files were refused, without them.")
    ] = False,
    secrets: Annotated[
        bool,
        typer.Option("--secrets-acknowledged", help="Publish although something looks like a secret."),
    ] = False,
    check: Annotated[bool, typer.Option("--validate/--no-validate", help="Check here first.")] = True,
    patience: Annotated[float, typer.Option(min=0, help="Seconds to wait for the site's check.")] = 3600,
    max_trajectory_mb: MaxTrajectory = 100,
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Check results, upload them, show the site's report, and publish them with --publish.

    After a broken connection, or Ctrl-C, the same command goes on where it stopped. What is not said here can
    stand in entry.yaml. Exit codes: 0 done, 1 there are problems in the files, 2 the command was called
    wrongly, 3 the site said no, 4 the site could not be reached or did not finish in time.
    """
    benchmark, _slash, slug = task_set.rpartition("/")
    said = {"benchmark": benchmark, "set": slug, "agent": agent, "model": model, "notes": notes}
    form = {name: text for name, text in said.items() if text}
    consents = {"leaving_out": leaving_out, "secrets_acknowledged": secrets} if publish else None
    with ending(as_json=as_json):
        site = find_site(url)
        if not site.token:
            raise Misused(f"there is no token for {site.url}: superboard login, or SUPERBOARD_TOKEN")
        if check:
            _check_here(path, form, quiet=as_json, max_trajectory_mb=max_trajectory_mb)
        with Server(site) as server:
            upload = upload_path(server, path, Said(form, team, previous), patience=patience)
            report = read_report(server, upload)
            if not as_json:
                show_whole_report(report, site=site.url)
            done = exit_for(report) if consents is None else _publish(server, report, consents)
        if as_json:
            write_json({"exit": done.value, **report})
        raise typer.Exit(done)


def _publish(server: Server, report: dict[str, Any], consents: dict[str, bool]) -> Exit:
    """Publish what was uploaded, and add its entry to the report; errors only if files may be left out.

    Of several entries each is published that can be.
    """
    if report["parts"]:
        done = [_publish(server, part, consents) for part in report["parts"]]
        return max([*done, Exit.PROBLEMS if report["summary"].get("errors") else Exit.DONE])
    upload = report["upload"]
    may_lack = consents["leaving_out"] and upload["state"] == "checked"
    if exit_for(report) is not Exit.DONE and not may_lack:
        _say_why_not(server.site, upload, report["summary"].get("errors", 0))
        return exit_for(report)
    report["entry"] = server.post(f"{upload['url']}/publish", consents).json()
    say(f"Published: {server.site.url}{report['entry']['page']}")
    return Exit.DONE


def _say_why_not(site: Site, upload: dict[str, Any], errors: int) -> None:
    """Say that an upload is not published, why, and what to do."""
    name, with_errors = upload["part"] or upload["name"], plural(errors, "{n} error", "{n} errors")
    say(f"Not published: {name}, for it is {upload['state']} with {with_errors}.")
    if upload["state"] == "checked" and upload["entry"]:
        draft = f"{site.url}/e/{upload['entry']}/"
        say(f"--leaving-out publishes it without what was refused. The draft: {draft}")


def _check_here(path: Path, said: dict[str, str], *, quiet: bool, max_trajectory_mb: int) -> None:
    """Say what is wrong before anything is sent.

    Raises:
        Exit: nothing in it could be used.
        Misused: something was not said that an entry needs.
    """
    catalogue, form = shipped_catalogue(), description_from_data({**said})
    if not catalogue.find_sets(benchmark=form.benchmark, task_set=form.task_set):
        say("This task set is not known here: the site checks the files alone.")
        return
    report = check_path(
        path, catalogue=catalogue, form=form, workers=None, max_trajectory_mb=max_trajectory_mb
    )
    if report.count(Severity.ERROR) and not any(entry.attempts for entry in report.entries):
        if quiet:
            write_json({"exit": Exit.PROBLEMS.value, "report": report.as_data()})
        else:
            show_report(report, notes=False)
        raise typer.Exit(Exit.PROBLEMS)
    for entry in report.entries:
        if entry.attempts and (missing := ", ".join(entry.description.missing)):
            options = "--set, --agent, --model"
            raise Misused(f"{entry.name}: not said, by {options} or in entry.yaml: {missing}")
