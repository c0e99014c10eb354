"""A stranger's repository is read within bounds; nothing outside of it is, and nothing of it is run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from leaderboard.domain.errors import InputError
from runner.making import tree as trees
from runner.making.tree import MAX_READ, origin_of, public_address, read_tree, repository_name
from tests.making.repository import COMMIT, URL, make_repository


def test_it_lists_regular_files_and_neither_links_nor_git(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo")
    (tmp_path / "secret.py").write_text("key")
    (root / "link.py").symlink_to(tmp_path / "secret.py")
    (root / "outside").symlink_to(tmp_path)
    os.mkfifo(root / "pipe.py")
    (root / "evil\nname.py").write_text("")

    tree = read_tree(root)

    assert tree.files == (
        "README.md",
        "data/train.tsv",
        "requirements.txt",
        "scripts/train.py",
        "tiny/__init__.py",
        "tiny/layers.py",
        "tiny/model.py",
    )
    assert [tree.text(name) for name in ("link.py", "../secret.py", "outside/secret.py", "pipe.py")] == [
        ""
    ] * 4


def test_a_huge_repository_and_a_huge_file_are_read_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "MAX_FILES", 3)
    root = make_repository(tmp_path, **{"README.md": "x" * (MAX_READ + 5)})

    tree = read_tree(root)

    assert (len(tree.files), tree.more) == (3, True)
    assert len(tree.text("README.md")) == MAX_READ


@pytest.mark.parametrize("text", ["", "  \n"])
def test_a_repository_without_a_readme_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="no README at its root, or an empty one"):
        _ = read_tree(make_repository(tmp_path, **{"README.md": text})).readme


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such folder"):
        read_tree(tmp_path / "none")


def test_the_address_and_the_commit_of_a_clone_are_known_without_git(tmp_path: Path) -> None:
    assert origin_of(make_repository(tmp_path)) == (URL, COMMIT)

    (tmp_path / ".git/refs/heads/main").unlink()
    (tmp_path / ".git/packed-refs").write_text(f"# pack-refs\n{'b' * 40} refs/heads/main\n")
    assert origin_of(tmp_path) == (URL, "b" * 40)


@pytest.mark.parametrize(
    ("head", "config"),
    [
        ("ref: refs/../../../etc/passwd", '[remote "origin"]\nurl = ext::sh -c evil'),
        ("not a commit", '[remote "other"]\nurl = https://example.org/a/b'),
    ],
)
def test_a_strange_git_folder_says_nothing(tmp_path: Path, head: str, config: str) -> None:
    assert origin_of(make_repository(tmp_path, **{".git/HEAD": head, ".git/config": config})) == ("", "")


def test_a_folder_that_is_no_clone_has_no_origin(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: elsewhere")

    assert origin_of(tmp_path) == ("", "")


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://user:token@github.com/a/b.git", "https://github.com/a/b"),
        ("ssh://git@example.org/a/b", "https://example.org/a/b"),
        ("http://example.org:8080/a/b/", "https://example.org:8080/a/b"),
        ("file:///etc", ""),
        ("javascript:alert(1)", ""),
        ("https://[", ""),
    ],
)
def test_an_address_is_public_without_user_and_password(url: str, address: str) -> None:
    assert public_address(url) == address


def test_a_task_s_id_begins_with_the_repository_s_name() -> None:
    assert repository_name("https://github.com/example/Tiny_NLI<b>") == "tiny-nli-b"
    assert repository_name("https://example.org/…") == "repository"
