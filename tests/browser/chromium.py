"""Find a Chromium for the browser tests, or install one; `make test` passes on what this prints."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import sync_playwright

# The headless shell is Chromium without the parts that show windows: tests take two thirds of the time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
PACKAGES = ("chromium-headless-shell", "fonts-liberation")
HOW_TO = "Install chromium, or name one: CHROMIUM=/path/to/chromium make test. SKIP_BROWSER=1 does without."


class ChromiumMissingError(Exception):
    """There is no Chromium to be had; the message says what to do."""


def find() -> Path:
    """Return the program CHROMIUM names, or the first on PATH, or the one that playwright has downloaded."""
    chosen = os.environ.get("CHROMIUM")
    if chosen:
        program = shutil.which(chosen)
        if program is None:
            raise ChromiumMissingError(f"CHROMIUM is {chosen!r}, which is not a program. {HOW_TO}")
        return Path(program)
    for candidate in candidates():
        if candidate.is_file():
            return candidate
    raise ChromiumMissingError(f"There is no Chromium here. {HOW_TO}")


def candidates() -> Iterator[Path]:
    for name in NAMES:
        if program := shutil.which(name):
            yield Path(program)
    yield playwrights_own()


def playwrights_own() -> Path:
    """Return where playwright keeps the Chromium that it downloads, whether or not it has."""
    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path)


def find_or_install() -> Path:
    try:
        return find()
    except ChromiumMissingError:
        if os.environ.get("CHROMIUM"):
            raise
    install()
    return find()


def install() -> None:
    """Install from Debian's packages when root, through playwright elsewhere. What it says goes to stderr."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        commands = [
            ["apt-get", "update", "-q"],
            ["apt-get", "install", "-q", "-y", "--no-install-recommends", *PACKAGES],
        ]
    else:
        commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    for command in commands:
        try:
            subprocess.run(
                command,
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            )
        except subprocess.CalledProcessError as error:
            raise ChromiumMissingError(f"`{' '.join(command)}` failed. {HOW_TO}") from error


def main() -> None:
    if os.environ.get("SKIP_BROWSER") == "1":
        return
    try:
        sys.stdout.write(f"{find_or_install()}\n")
    except ChromiumMissingError as error:
        # Not the end: the tests that need no browser still run, and those that do fail saying the same.
        sys.stderr.write(f"{error}\n")


if __name__ == "__main__":
    main()
