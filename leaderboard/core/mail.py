"""A mail backend that sends nothing and appends mails to a file, for the machine's operator."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend


class TextBackend(BaseEmailBackend):
    """Appends mails to ``EMAIL_FILE_PATH`` as plain text with unwrapped lines, so that links stay whole."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        texts = [
            f"To: {', '.join(message.recipients())}\nSubject: {message.subject}\n\n{message.body}\n\n"
            for message in email_messages
        ]
        with Path(settings.EMAIL_FILE_PATH or os.devnull).open("a") as file:
            # In one write: several processes share the file.
            file.write("".join(texts))
        return len(texts)
