"""Settings from environment variables, which fail with instructions when they are missing or malformed."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"0", "false", "no", "off"})
EMAIL_EXAMPLE = "smtp://user:password@mail.example.org:587"


@dataclass(frozen=True)
class Mail:
    """Settings for sending mail; a backend ignores those that it does not need."""

    backend: str
    host: str = "localhost"
    port: int = 25
    user: str = ""
    password: str = ""
    tls: bool = False
    starttls: bool = False
    file: str | None = None


@dataclass(frozen=True)
class Environment:
    """Typed reads of environment variables. An empty variable counts as not set."""

    variables: Mapping[str, str]

    def is_set(self, name: str) -> bool:
        return bool(self.variables.get(name, "").strip())

    def text(self, name: str, *, default: str) -> str:
        return self.variables.get(name, "").strip() or default

    def required(self, name: str, *, because: str, example: str) -> str:
        """The variable's text. If it is not set, the error says why it is needed and how to set it."""
        if not self.is_set(name):
            raise ImproperlyConfigured(
                f"{name} is not set, and {because}. Set it, for example: {name}={example}"
            )
        return self.text(name, default="")

    def flag(self, name: str, *, default: bool) -> bool:
        word = self.text(name, default="true" if default else "false").lower()
        if word in TRUE_WORDS:
            return True
        if word in FALSE_WORDS:
            return False
        raise _malformed(name, word, "is neither true nor false", f"{name}=true")

    def whole_number(self, name: str, *, default: int, at_least: int = 1) -> int:
        word = self.text(name, default=str(default))
        try:
            number = int(word)
        except ValueError:
            raise _malformed(name, word, "is not a whole number", f"{name}={default}") from None
        if number < at_least:
            raise _malformed(name, word, f"is below {at_least}", f"{name}={default}")
        return number

    def comma_separated(self, name: str, *, default: tuple[str, ...] = ()) -> list[str]:
        """Return the items of a comma-separated list."""
        items = self.text(name, default=",".join(default)).split(",")
        return [item.strip() for item in items if item.strip()]

    def pairs(self, name: str, *, example: str) -> dict[str, str]:
        """Return a comma-separated list of ``key=value``; empty if it is not set."""
        pairs = [item.partition("=") for item in self.comma_separated(name)]
        if any(not (key and value) for key, _, value in pairs):
            raise _malformed(
                name, self.text(name, default=""), "is not a list of key=value", f"{name}={example}"
            )
        return {key: value for key, _, value in pairs}

    def choice(self, name: str, *, default: str, choices: tuple[str, ...]) -> str:
        word = self.text(name, default=default)
        if word not in choices:
            raise _malformed(name, word, f"is not one of {', '.join(choices)}", f"{name}={default}")
        return word

    def origins(self, name: str) -> list[str]:
        """Return a comma-separated list of origins, each with its scheme."""
        origins = self.comma_separated(name)
        for origin in origins:
            if not origin.startswith(("https://", "http://")):
                raise _malformed(
                    name, origin, "does not start with https://", f"{name}=https://board.example.org"
                )
        return origins

    def site(self, name: str, *, default: str) -> str:
        """Return the address of a site: scheme, host and port, without a slash at the end."""
        address = self.text(name, default=default)
        example = f"{name}=https://board.example.org"
        try:
            parts = urlsplit(address)
            known = parts.scheme in ("https", "http") and parts.hostname and (parts.port or True)
        except ValueError:
            known = False
        if not known:
            raise _malformed(
                name, address, "is no address that begins with https:// and names a host", example
            )
        if parts.path.strip("/") or parts.query or parts.fragment or parts.username is not None:
            raise _malformed(name, address, "has more than a scheme, a host and a port", example)
        return f"{parts.scheme}://{parts.netloc}"

    def path(self, name: str, *, default: Path) -> Path:
        """Return an absolute path; a relative one is relative to the working directory."""
        return Path(self.text(name, default=str(default))).expanduser().absolute()

    def database(self, name: str, *, default: str, sqlite_options: Mapping[str, Any]) -> dict[str, Any]:
        """Return Django's settings of a database from its URL; `sqlite_options` apply only to SQLite."""
        url = self.text(name, default=default)
        example = f"{name}=postgres://user:password@host:5432/superboard"
        try:
            database: dict[str, Any] = {
                **dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True)
            }
        except ValueError as error:
            # Not the URL itself: it may hold a password.
            raise ImproperlyConfigured(
                f"{name} is not a database URL ({error}). Example: {example}"
            ) from None
        if database["ENGINE"] == "django.db.backends.sqlite3":
            database["OPTIONS"] = {**sqlite_options, **database.get("OPTIONS", {})}
        return database

    def cache(self, name: str, *, default: Mapping[str, Any]) -> dict[str, Any]:
        """Return Django's settings of a Redis cache from its URL; ``default`` if it is not set."""
        url = self.text(name, default="")
        if not url:
            return dict(default)
        if not url.startswith(("redis://", "rediss://", "unix://")):
            # Not the URL itself: it may hold a password.
            raise ImproperlyConfigured(
                f"{name} is not the URL of a Redis server. Example: {name}=redis://localhost:6379/1"
            )
        return {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": url}

    def mail(self, name: str) -> Mail:
        """Return the settings for sending mail, from a URL.

        ``smtp://user:password@host:587`` uses STARTTLS (unless ``?starttls=no``), ``smtps://`` uses TLS,
        ``file:///path`` appends to a file. If the variable is not set, mail is printed.
        """
        url = urlsplit(self.text(name, default=""))
        if not self.is_set(name):
            return Mail("django.core.mail.backends.console.EmailBackend")
        if url.scheme == "file" and url.path:
            return Mail("leaderboard.core.mail.TextBackend", file=unquote(url.path))
        secure = url.scheme == "smtps"
        try:
            port = url.port or (465 if secure else 587)
        except ValueError:
            port = 0
        if url.scheme not in ("smtp", "smtps") or not url.hostname or not port:
            # Not the URL itself: it may hold a password.
            raise ImproperlyConfigured(f"{name} is not a mail server's URL. Example: {name}={EMAIL_EXAMPLE}")
        return Mail(
            "django.core.mail.backends.smtp.EmailBackend",
            host=url.hostname,
            port=port,
            user=unquote(url.username or ""),
            password=unquote(url.password or ""),
            tls=secure,
            starttls=not secure and _wants_starttls(name, url),
        )


def stored_secret(path: Path, *, length: int = 50) -> str:
    """Return the secret stored in a file, which is created on first use and readable only by its owner.

    If several processes create it at once, the first one that links its file wins, and the others read that
    file. ``length`` is the number of random bytes.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(length))
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()


def _wants_starttls(name: str, url: SplitResult) -> bool:
    word = parse_qs(url.query).get("starttls", ["yes"])[0]
    if word not in TRUE_WORDS | FALSE_WORDS:
        raise _malformed(
            name, f"…?starttls={word}", "is neither yes nor no", f"{name}={EMAIL_EXAMPLE}?starttls=no"
        )
    return word in TRUE_WORDS


def _malformed(name: str, value: str, problem: str, example: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} is {value!r}, which {problem}. Example: {example}")
