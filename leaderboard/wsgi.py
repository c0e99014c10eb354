"""The site for a WSGI server. `manage.py serve` is the one that comes with it."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.core.settings")

application = get_wsgi_application()
