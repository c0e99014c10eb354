#!/usr/bin/env python3
"""Django's command line: `python manage.py help` lists the commands."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    # Otherwise the interpreter searches every module for garbage as it ends: 0.2 s of processor time.
    atexit.register(gc.freeze)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.core.settings")
    execute_from_command_line(sys.argv)
