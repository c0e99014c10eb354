"""Where the bundled benchmark Warm-up lies."""

from __future__ import annotations

from django.conf import settings

WARM_UP = "warm-up"
"""The benchmark whose tasks come with all that they need, and whose code is ours."""
WARM_UP_FILES = settings.BASE_DIR / "fixtures" / "warmup"
SCRIPTS = WARM_UP_FILES / "agents"
