"""`superboard download`: files of an attempt, of every attempt of an entry, or archives of entries."""

from __future__ import annotations

import hashlib
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from leaderboard.client.ending import Exit, Unreachable, UsageProblem, exit_on_errors, write_json
from leaderboard.client.packing import digest_of
from leaderboard.client.server import Server
from leaderboard.client.show import bars, say
from leaderboard.client.site import AsJson, Url, find_site
from leaderboard.domain.text import plural

UNSAFE = re.compile(r"[^A-Za-z0-9._+-]+")
BOARD = re.compile(r"(?!e/)[\w-]+/[\w-]+")
"""A board's name, and not the end of an entry's address."""
LONGEST_NAME = 100
RESERVED = re.compile(r"(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)")


class Kind(StrEnum):
    """The kinds of files that an attempt has."""

    ORIGINAL = "original"
    NOTEBOOK = "notebook"
    HTML = "html"
    ANSWER = "answer"
    OUTPUT = "output"
    MEDIA = "media"


def download(
    what: Annotated[
        str,
        typer.Argument(
            help="An attempt's number, an entry's slug for all its attempts, or with --archive BENCHMARK/SET."
        ),
    ],
    kind: Annotated[
        Kind, typer.Option(help="The original file, or one that the site made from it.")
    ] = Kind.ORIGINAL,
    archive: Annotated[
        bool,
        typer.Option(
            "--archive",
            help="All attempts of an entry, or of each entry of a board, as a zip for each entry.",
        ),
    ] = False,
    out: Annotated[
        Path, typer.Option("--output", "-o", file_okay=False, help="The folder to put files in.")
    ] = Path(),
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Download the files of attempts, each as TASK/NUMBER/NAME in the folder.

    An original that is already there is not downloaded again; a notebook or page is, as its scores may have
    changed. An incomplete file is never left behind. With --archive it is ENTRY-attempts.zip: originals and
    scores, which `validate` and `submit` take again.

    Exit codes: 0 done, 2 the command was called wrongly, 3 the site refused, 4 the site could not be reached.
    """
    with exit_on_errors(as_json=as_json), Server(find_site(url)) as server:
        if archive:
            _download_archives(server, what, out, as_json=as_json)
        else:
            _download_files(server, what, kind, out, as_json=as_json)


def safe_name(name: str) -> str:
    """A safe file name on every system, made from an untrusted name."""
    plain = UNSAFE.sub("_", name).strip("._")[-LONGEST_NAME:].strip("._") or "file"
    return f"_{plain}" if RESERVED.match(plain) else plain


def _attempts(server: Server, what: str) -> Iterator[Any]:
    if what.isdecimal():
        yield server.get(f"/api/v1/attempts/{what}")
    else:
        yield from server.items(f"/api/v1/entries/{_slug(what)}/attempts", limit=100)


def _download_files(server: Server, what: str, kind: Kind, out: Path, *, as_json: bool) -> None:
    written, withheld = [], 0
    attempts = list(_attempts(server, what))
    with bars() as begin:
        bar = begin("Downloading")
        for done, attempt in enumerate(attempts):
            bar(done, len(attempts))
            found = server.get(attempt["url"])
            withheld += kind in found.get("withheld", ())
            for file in found["files"]:
                if file["kind"] == kind:
                    written.append(str(_fetch(server, attempt, file, out)))
    if as_json:
        write_json({"exit": Exit.DONE.value, "files": written, "withheld": withheld})
        return
    say(plural(len(written), "{n} file", "{n} files") + f" in {out.resolve()}")
    if withheld:
        files = plural(withheld, "{n} attempt's file is", "{n} attempts' files are")
        say(f"{files} withheld: something in each looks like a secret, so only its team gets it")


def _download_archives(server: Server, what: str, out: Path, *, as_json: bool) -> None:
    if what.isdecimal():
        raise UsageProblem(
            f"an archive is of an entry or a board, and {what} is an attempt: leave out --archive"
        )
    slugs = list(_slugs_on(server, what)) if BOARD.fullmatch(what) else [_slug(what)]
    written = []
    with bars() as begin:
        bar = begin("Downloading")
        for done, slug in enumerate(slugs):
            bar(done, len(slugs))
            path = out / f"{safe_name(slug)}-attempts.zip"
            _write(server, f"/api/v1/entries/{slug}/archive", path, _check_archive)
            written.append(str(path))
    if as_json:
        write_json({"exit": Exit.DONE.value, "files": written})
    else:
        say(plural(len(written), "{n} archive", "{n} archives") + f" in {out.resolve()}")


def _slugs_on(server: Server, board: str) -> Iterator[str]:
    """The slugs of the entries on a board, page by page."""
    for row in server.items(f"/api/v1/benchmarks/{board}/board", limit=100):
        yield row["entry"]


def _slug(what: str) -> str:
    """An entry's slug, also from its address."""
    return what.strip("/").rpartition("/")[2]


def _check_archive(path: Path, _digest: str) -> None:
    # What is at its end says that all of it is there.
    if not zipfile.is_zipfile(path):
        raise Unreachable("the archive was damaged on the way: try again")


def _fetch(server: Server, attempt: Any, file: Any, out: Path) -> Path:
    path = out / safe_name(attempt["task_id"]) / str(int(attempt["number"])) / safe_name(file["name"])
    if path.exists() and digest_of(path) == file["sha256"]:
        return path

    def check(_path: Path, digest: str) -> None:
        # A file into which the site fills scores when it is downloaded has no digest.
        if file["sha256"] and digest != file["sha256"]:
            raise Unreachable(f"{file['name']} was damaged on the way: try again")

    _write(server, file["url"], path, check)
    return path


def _write(server: Server, address: str, path: Path, check: Callable[[Path, str], None]) -> None:
    """Write what is at an address to a file, once ``check`` has raised nothing for it and its SHA-256."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # In the same folder, so that the final rename is atomic.
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".part-", delete=False) as part:
        draft = Path(part.name)
        try:
            digest = hashlib.sha256()
            with server.stream(address) as answer:
                for data in answer.iter_bytes():
                    digest.update(data)
                    part.write(data)
            part.flush()
            check(draft, digest.hexdigest())
            draft.chmod(0o644)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
