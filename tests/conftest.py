"""What every test stands on: settings that keep tests away from a developer's data and the network."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings as django_settings
from pytest_django import Settings


def pytest_configure() -> None:
    # Static files come straight from their folders: no `collectstatic` before a test.
    django_settings.STORAGES = {
        **django_settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    django_settings.WHITENOISE_USE_FINDERS = True
    django_settings.WHITENOISE_AUTOREFRESH = True
    django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    django_settings.CELERY_BROKER_URL = "memory://"
    django_settings.CELERY_BROKER_TRANSPORT_OPTIONS = {}


@pytest.fixture(autouse=True)
def _media_of_its_own(settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
