"""Mail: where it goes by settings, and how it reads where it goes nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import EmailMessage, get_connection
from pytest_django import Settings

from leaderboard.core.environment import Environment, Mail
from runner.processes import following

LINK = "http://127.0.0.1:8000/account/confirm/" + "x" * 200 + "/"


def mail(url: str) -> Mail:
    return Environment({"EMAIL_URL": url}).mail("EMAIL_URL")


@pytest.mark.parametrize(
    ("url", "host", "port", "starttls", "tls"),
    [
        ("smtp://mail.example.org", "mail.example.org", 587, True, False),
        ("smtp://mail.example.org:25?starttls=no", "mail.example.org", 25, False, False),
        ("smtps://mail.example.org", "mail.example.org", 465, False, True),
    ],
)
def test_a_server_is_named_by_its_url(url: str, host: str, port: int, starttls: bool, tls: bool) -> None:
    found = mail(url)

    assert found.backend == "django.core.mail.backends.smtp.EmailBackend"
    assert (found.host, found.port, found.starttls, found.tls) == (host, port, starttls, tls)


def test_what_an_address_can_not_hold_is_quoted_in_it() -> None:
    found = mail("smtp://me%40example.org:p%2Fw@mail.example.org")

    assert (found.user, found.password) == ("me@example.org", "p/w")


def test_without_a_server_it_is_printed() -> None:
    assert mail("").backend == "django.core.mail.backends.console.EmailBackend"


@pytest.mark.parametrize("url", ["mail.example.org", "http://x", "smtp://", "smtp://x:y", "file:"])
def test_what_is_no_server_is_refused_with_an_example_and_without_the_password(url: str) -> None:
    with pytest.raises(
        ImproperlyConfigured, match=r"EMAIL_URL is not a mail server's URL. Example: "
    ) as error:
        mail(url)

    assert url not in str(error.value).partition("Example")[0]


def test_starttls_is_yes_or_no() -> None:
    with pytest.raises(ImproperlyConfigured, match="starttls=maybe"):
        mail("smtp://x?starttls=maybe")


@pytest.mark.parametrize("url", ["http://x", "localhost:6379"])
def test_a_cache_is_redis_or_what_it_was(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="CACHE_URL=redis://"):
        Environment({"CACHE_URL": url}).cache("CACHE_URL", default={})

    assert Environment({}).cache("CACHE_URL", default={"BACKEND": "x"}) == {"BACKEND": "x"}
    redis = Environment({"CACHE_URL": "redis://h/1"}).cache("CACHE_URL", default={})
    assert redis["LOCATION"] == "redis://h/1"


def test_a_link_stays_on_its_line_for_whoever_follows_the_file(settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "log" / "mail.txt"
    found = mail(path.as_uri())
    settings.EMAIL_FILE_PATH = found.file
    path.parent.mkdir()
    path.write_text("what was said before\n")
    said_lines: list[str] = []

    with following(path, said_lines.append):
        message = EmailMessage("Confirm “it”", f"Open:\n\n{LINK}\n", None, ["alice@example.org"])
        get_connection(found.backend).send_messages([message])

    assert "".join(said_lines) == f"To: alice@example.org\nSubject: Confirm “it”\n\nOpen:\n\n{LINK}\n\n\n"
