"""The documentation on the site, and what /submit/ says to whoever is not signed in."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.formats import FORMATS
from tests.cast import PET, make_set
from tests.uploads.sample import SAMPLE, sample_report

pytestmark = pytest.mark.django_db


def test_submit_says_what_is_needed_before_one_signs_in(client: Client) -> None:
    make_set(PET)
    page = client.get(reverse("submit"), {"after": "x"})
    text = page.content.decode()

    assert page.status_code == 200
    assert f"{reverse('sign-in')}?next=/submit/%3Fafter%3Dx" in text
    assert ", ".join(each.NAME for each in FORMATS) in text
    assert "<code>super</code>, <code>masked</code>" in text
    for link in set(re.findall(r'href="(/[^"?]*)"', text.partition("<main")[2])):
        assert client.get(link, follow=True).status_code == 200, link


def test_the_sample_report_is_what_the_check_writes(client: Client) -> None:
    assert SAMPLE.read_text("utf-8") == sample_report()
    page = client.get(reverse("sample-report")).content.decode()
    for said in ("verdict-refused", "verdict-used", "verdict-passed-over", "it is a text that holds JSON"):
        assert said in page


def test_a_page_of_the_documentation_links_to_the_others_here(client: Client) -> None:
    page = client.get(reverse("guide", args=("submitting",))).content.decode()
    assert "<h1" in page
    links = re.findall(r'<a href="(/docs/[^"#]*)(?:#([^"]*))?"', page)
    assert links
    for address, anchor in links:
        assert f'id="{anchor}"' in client.get(address).content.decode() or not anchor
    for anchor in re.findall(r'<a href="#([^"]+)"', page.partition("<main")[2]):
        assert f'id="{anchor}"' in page
    assert ".md" not in "".join(re.findall(r'href="([^"]*)"', page))
    assert client.get(reverse("guide", args=("nothing",))).status_code == 404
