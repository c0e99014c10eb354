"""Uploads as the tests send them by the API."""

from __future__ import annotations

from typing import Any

from django.test import Client

from tests.api.calls import address

DATA = b"0123456789"
CHUNK = "application/offset+octet-stream"


def announce(client: Client, data: bytes = DATA, **fields: Any) -> Any:
    asked = {"name": "run.zip", "size": len(data), **fields}
    response = client.post(address("start"), asked, content_type="application/json")
    assert response.status_code == 201, response.content
    return response.json()


def send(client: Client, where: str, data: bytes, offset: int, **options: Any) -> Any:
    options = {"content_type": CHUNK, **options}
    return client.patch(where, data, headers={"Upload-Offset": str(offset)}, **options)
