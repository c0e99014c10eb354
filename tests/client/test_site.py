"""Which site is meant, and where its token is kept."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from leaderboard.client.ending import UsageProblem
from leaderboard.client.site import Site, checked_url, find_site, store_token
from leaderboard.core.tokens import create_token
from leaderboard.domain.access import Scope
from tests.client.commands import superboard
from tests.people import person

ELSEWHERE = "https://board.example.org"


@pytest.mark.parametrize(
    ("url", "checked"),
    [
        ("https://board.example.org/b/x/?q=1", "https://board.example.org"),
        ("https://board.example.org:8443", "https://board.example.org:8443"),
        ("http://localhost:8000/", "http://localhost:8000"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_an_address_is_its_scheme_host_and_port(url: str, checked: str) -> None:
    assert checked_url(url) == checked


@pytest.mark.parametrize(
    "url",
    ["http://board.example.org", "http://127.0.0.1.example.org", "ftp://x", "board.example.org", "", "https://u:p@x",
     "https://[", "https://x:99999"],
)  # fmt: skip
def test_an_address_that_would_give_a_token_away_is_refused(url: str) -> None:
    with pytest.raises(UsageProblem):
        checked_url(url)


def test_a_token_is_for_its_own_site_only(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_token(ELSEWHERE, "secret")

    assert path == home / ".config" / "superboard" / "token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert find_site() == find_site(ELSEWHERE) == Site(ELSEWHERE, "secret")
    assert find_site("https://other.example.org").token == ""
    monkeypatch.setenv("SUPERBOARD_URL", "http://127.0.0.1:1")
    assert find_site() == Site("http://127.0.0.1:1")
    monkeypatch.setenv("SUPERBOARD_TOKEN", "another")
    assert find_site().token == "another"


def test_a_secret_is_in_no_text() -> None:
    assert "secret" not in repr(Site(ELSEWHERE, "secret"))


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_file_that_others_can_read_is_refused(mode: int) -> None:
    path = store_token(ELSEWHERE, "secret")
    path.chmod(mode)

    called = superboard("board")
    assert (called.code, "chmod 600" in called.err) == (2, True)


def test_a_file_that_is_none_of_ours_is_said() -> None:
    store_token(ELSEWHERE, "secret").write_text("secret")

    called = superboard("board")
    assert (called.code, "log in again" in called.err) == (2, True)


@pytest.mark.django_db(transaction=True)
def test_login_keeps_a_token_that_the_site_takes(site: str) -> None:
    _token, secret = create_token(user=person("alice"), name="t", scopes=[Scope.READ], expires=None)

    asked, piped = superboard("login", typed=f"{secret}\n"), superboard("login", "--stdin", typed=secret)
    for called in (asked, piped):
        assert (called.code, secret in called.out + called.err) == (0, False)
        assert "as alice; the token is in" in called.err
    assert find_site().token == secret
    assert superboard("status").code == 0
    assert superboard("logout").code == 0
    assert find_site().token == ""


def test_login_without_a_terminal_or_a_token_says_where_one_goes() -> None:
    called = superboard("login", typed="")

    assert (called.code, "standard input, or set SUPERBOARD_TOKEN" in called.err) == (2, True)


@pytest.mark.django_db(transaction=True)
def test_login_keeps_nothing_that_the_site_does_not_take(site: str) -> None:
    assert superboard("login", typed="nonsense\n").code == 3
    assert superboard("login", "--stdin", typed="").code == 2
    assert find_site().token == ""
