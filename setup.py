"""Puts what pages are made of into the installed package; everything else is in pyproject.toml."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithPages(build_py):
    """Templates and static files are beside the package in a checkout, and inside it once installed."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        for name in ("templates", "static"):
            shutil.copytree(name, Path(self.build_lib, "leaderboard", "page_files", name), dirs_exist_ok=True)


setup(cmdclass={"build_py": BuildWithPages})
