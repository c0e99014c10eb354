"""Drafts Auto tasks from a repository's README, and writes those that an operator has approved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from leaderboard.core.addresses import absolute
from leaderboard.domain.drafts import Outcome
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.text import plural
from leaderboard.operating.drafts import hold_draft
from leaderboard.operating.selectors import approved_records
from runner.agents.base import AgentUnavailable, PromptTooLong
from runner.agents.llm import Model, ModelSettings
from runner.agents.settings import SettingError, fill
from runner.making.checks import check_draft
from runner.making.drafting import MAX_TASKS, Drafted, draft_tasks
from runner.making.files import write_records
from runner.making.tree import Tree, origin_of, public_address, read_tree, repository_name
from runner.management.commands.run import pair


class Command(BaseCommand):
    help = (
        "Have a model draft Auto tasks from a repository's README. Drafts are checked against its files, and "
        "held until an operator approves them; --export writes the approved ones for import_tasks."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--repo", type=Path, metavar="DIR", help="a checked-out repository")
        what.add_argument("--export", type=Path, metavar="FILE", help="the .jsonl file to write")
        parser.add_argument(
            "--setting", action="append", type=pair, default=[], metavar="NAME=VALUE",
            help="of the model: " + ", ".join(ModelSettings.model_fields),
        )  # fmt: skip
        parser.add_argument("--count", type=int, default=3, help=f"tasks, to {MAX_TASKS} (default: 3)")
        parser.add_argument("--url", help="the repository's public address (default: that of its origin)")
        parser.add_argument("--commit", help="the commit that is checked out (default: that of .git)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["export"]:
                self._export(options["export"])
            else:
                self._draft(options["repo"], **options)
        except InputError as error:
            raise CommandError("\n".join(map(str, error.problems))) from error
        except (SettingError, AgentUnavailable, PromptTooLong) as error:
            raise CommandError(f"nothing was drafted: {error}") from error

    def _export(self, path: Path) -> None:
        records = approved_records()
        if not records:
            where = absolute(reverse("task-drafts"))
            raise CommandError(f"no draft is approved; review them at {where}")
        write_records(path, records)
        written = plural(len(records), "{n} approved task", "{n} approved tasks")
        self.stdout.write(
            f"{path}: {written}; manage.py import_tasks {path} --set BENCHMARK/SET brings them in"
        )

    def _draft(self, root: Path, *, setting: list[tuple[str, str]], count: int, **options: Any) -> None:
        if not 1 <= count <= MAX_TASKS:
            raise CommandError(f"--count is from 1 to {MAX_TASKS}")
        settings = fill(ModelSettings, dict(setting))
        tree = read_tree(root)
        origin, head = origin_of(tree.root)
        url = public_address(options["url"] or "") or origin
        if not url:
            reason, remedy = "its public address is unknown", "give --url https://…"
            raise InputError(Problem(str(root), "", reason, remedy))
        model = Model(settings)
        try:
            drafted = draft_tasks(tree, url, model, count=count)
        finally:
            model.close()
        self._say_cost(drafted, settings.model)
        held = self._hold(drafted, tree, url, options["commit"] or head, settings.model)
        self.stdout.write(
            plural(held, "{n} draft is held for review", "{n} drafts are held for review")
            + (f": {absolute(reverse('task-drafts'))}" if held else "")
        )

    def _hold(self, drafted: Drafted, tree: Tree, url: str, commit: str, model: str) -> int:
        held = 0
        for draft in drafted.drafts:
            checks = check_draft(draft, tree, commit=commit)
            what = f"{draft.entrypoint[:100]!a} ({draft.title[:60]!a})"
            if refused := [check.text for check in checks if check.outcome is Outcome.REFUSED]:
                self.stderr.write(f"not held: {what}: {'; '.join(refused)}")
                continue
            name = repository_name(url)
            kept = hold_draft(draft, checks, repository=url, commit=commit, name=name, drafted_by=model)
            if kept is None:
                self.stderr.write(f"not held again: {what}: there is a draft for this command already")
                continue
            held += 1
            doubts = plural(kept.doubts, "{n} doubt", "{n} doubts")
            self.stdout.write(f"{kept.task_id}: {what}: {doubts}")
        return held

    def _say_cost(self, drafted: Drafted, model: str) -> None:
        tokens = sum(call.prompt_tokens + call.response_tokens for call in drafted.calls)
        cost = sum(call.cost for call in drafted.calls)
        calls = plural(len(drafted.calls), "{n} call", "{n} calls")
        self.stdout.write(f"{model}: {calls}, {tokens:,} tokens, {cost:.4f} US dollars by its prices")
        for problem in drafted.problems:
            self.stderr.write(f"not read: {problem}")
        if not drafted.drafts and not drafted.problems:
            self.stderr.write("the model found no task in the README")
