"""Make a user an operator, who may create runs, and accept and hide entries."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.accounts.services import set_operator
from leaderboard.domain.errors import InputError


class Command(BaseCommand):
    help = "Add or remove an operator, who may create runs, and accept and hide entries."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=("add", "remove"))
        parser.add_argument("name", help="the name or the confirmed e-mail address of an account")

    def handle(self, *args: Any, action: str, name: str, **options: Any) -> None:
        try:
            user = set_operator(name, action == "add")
        except InputError as error:
            raise CommandError(str(error)) from error
        now = "is an operator now" if user.is_staff else "is no longer an operator"
        self.stdout.write(f"{user.get_username()} {now}.")
