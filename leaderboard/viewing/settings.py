"""Django's settings for `superboard view`: templates and addresses, no database and no apps."""

from __future__ import annotations

import logging
import secrets
from typing import Any

import django
from django.conf import settings

from leaderboard.rendering.files import TEMPLATES
from leaderboard.viewing.collection import Collection

HOSTS = ("127.0.0.1", "localhost", "[::1]")
"""The only names under which the server answers: a page of another host could have its own name lead here."""
LIBRARIES = {
    "sharing": "leaderboard.viewing.unshared",
    "partials": "template_partials.templatetags.partials",
    "static": "django.templatetags.static",
    "superboard": "leaderboard.templatetags.viewer",
}


def configure(attempts: Collection) -> None:
    """Set up Django, once in a process, to show these attempts."""
    # The templates of this command come first: they replace those that lead to what only a site has.
    folders = [TEMPLATES / "viewing", TEMPLATES]
    files = [("django.template.loaders.filesystem.Loader", folders)]
    loaders: list[Any] = [
        ("template_partials.loader.Loader", [("django.template.loaders.cached.Loader", files)])
    ]
    settings.configure(
        ALLOWED_HOSTS=HOSTS,
        COLLECTION=attempts,
        HTTPS=False,
        INSTALLED_APPS=[],
        LOGGING_CONFIG=None,
        MIDDLEWARE=["leaderboard.viewing.middleware.Guard"],
        ROOT_URLCONF="leaderboard.viewing.urls",
        SECRET_KEY=secrets.token_urlsafe(),
        STATIC_URL="/static/",
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "OPTIONS": {
                    "context_processors": ["django.template.context_processors.request"],
                    "libraries": LIBRARIES,
                    "loaders": loaders,
                },
            }
        ],
        USE_I18N=False,
        USE_TZ=True,
    )
    django.setup(set_prefix=False)
    # A page that is not there is said to who asked for it.
    logging.getLogger("django.request").setLevel(logging.ERROR)
