"""Copy the public site into a folder of static files, which open without a server."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.contrib.staticfiles.storage import ManifestFilesMixin, staticfiles_storage
from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.core.staticfiles import collect_static_files_if_stale
from leaderboard.domain.text import plural
from leaderboard.exporting.bounds import bounds_of
from leaderboard.exporting.copying import BrokenLinksError, SiteCopy
from leaderboard.exporting.folders import FolderError, whole_copy
from leaderboard.exporting.places import Bounds
from leaderboard.models import Benchmark
from leaderboard.models.revisions import current_revision


class Command(BaseCommand):
    help = (
        "Copy the public site into a folder of static files that open without a server: boards, charts, "
        "entries, tasks, trajectories and downloads, as readers without an account get them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="DIR", type=Path, help="the folder to write, new or empty")
        parser.add_argument(
            "--replace", action="store_true", help="replace DIR, if it is a copy that this command made"
        )
        parser.add_argument(
            "--base-url", type=_base_url, metavar="URL",
            help="the site's address, such as https://example.org: what the copy lacks is linked to there",
        )  # fmt: skip
        parser.add_argument(
            "--benchmark", metavar="SLUG", help="copy the first page and what belongs to this benchmark only"
        )

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        if isinstance(staticfiles_storage, ManifestFilesMixin) and not staticfiles_storage.exists(
            staticfiles_storage.manifest_name
        ):
            collect_static_files_if_stale()
        bounds = _bounds(options["benchmark"])
        revision = current_revision()
        try:
            with whole_copy(folder, replace=options["replace"]) as aside:
                copied = SiteCopy(aside, options["base_url"] or "", bounds, self.stderr.write).make()
        except FolderError as error:
            raise CommandError(str(error)) from error
        except BrokenLinksError as error:
            raise CommandError(
                f"Nothing was written, because links of the site lead nowhere:\n{error}"
            ) from error
        except OSError as error:
            raise CommandError(f"The copy could not be written: {error}") from error
        if current_revision() != revision:
            self.stderr.write(
                "Something was published or changed meanwhile: some pages may show it and others not. "
                "Export again, with --replace, for a copy of one state."
            )
        pages, files = (
            plural(copied.pages, "{n} page", "{n} pages"),
            plural(copied.files, "{n} file", "{n} files"),
        )
        self.stdout.write(
            f"Copied {pages} and {files}, {copied.size / 1_000_000:,.1f} MB. Open {folder / 'index.html'}"
        )


def _bounds(benchmark: str | None) -> Bounds | None:
    slugs = Benchmark.objects.values_list("slug", flat=True)
    if benchmark and benchmark not in slugs:
        raise CommandError(f"There is no benchmark {benchmark}. Name one of these: {', '.join(slugs)}.")
    return bounds_of(benchmark) if benchmark else None


def _base_url(text: str) -> str:
    try:
        parts = urlsplit(text)
    except ValueError:
        parts = urlsplit("")
    # Names and passwords before an @ would be in every page.
    is_plain = parts.netloc and not (parts.query or parts.fragment or "@" in parts.netloc)
    if parts.scheme not in ("http", "https") or not is_plain:
        raise ArgumentTypeError(f"{text} is no address of a site: write one as https://example.org")
    return text.rstrip("/")
