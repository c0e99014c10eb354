"""A small repository of our own, as somebody may have checked it out."""

from __future__ import annotations

from pathlib import Path

COMMIT = "a" * 40
URL = "https://github.com/example/Tiny-NLI"
README = """# Tiny NLI

    pip install -r requirements.txt
    python scripts/train.py --epochs 3

The data are in `data/train.tsv`.
"""
TRAIN = """import argparse
from tiny.model import Model


def main():
    parser = argparse.ArgumentParser()
"""


def make_repository(root: Path, **files: str) -> Path:
    """Write it, with these files beside its own or in their place."""
    contents = {
        "README.md": README,
        "requirements.txt": "numpy\n",
        "scripts/train.py": TRAIN,
        "tiny/__init__.py": "",
        "tiny/model.py": "from . import layers\n",
        "tiny/layers.py": "import torch\n",
        "data/train.tsv": "a\tb\n",
        ".git/HEAD": "ref: refs/heads/main\n",
        ".git/refs/heads/main": f"{COMMIT}\n",
        ".git/config": '[core]\n\tbare = false\n[remote "origin"]\n'
        "\turl = git@github.com:example/Tiny-NLI.git\n",
    }
    for name, text in (contents | files).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root
