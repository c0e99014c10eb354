"""The names of a copy's files: safe on every system, and the same for the same address."""

from __future__ import annotations

import re

import pytest

from leaderboard.exporting.names import download_name, page_name, relative_link

LONG = "long-" * 100


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("/", "index.html"),
        ("/about/", "about/index.html"),
        ("/b/super/expert/t/pet/", "b/super/expert/t/pet/index.html"),
        ("/b/super/expert/data.csv", "b/super/expert/data.csv"),
        ("/static/css/site.12ab.css", "static/css/site.12ab.css"),
    ],
)
def test_a_safe_address_keeps_its_words(address: str, name: str) -> None:
    assert page_name(address) == name


def test_a_query_is_a_file_beside_the_page_without_one() -> None:
    assert re.fullmatch(
        r"b/x/y/index-sort-accuracy-cpu-[0-9a-f]{24}\.html", page_name("/b/x/y/?sort=-accuracy%3Acpu")
    )
    assert re.fullmatch(r"b/x/data-scorer-a-[0-9a-f]{24}\.csv", page_name("/b/x/data.csv?scorer=a"))


@pytest.mark.parametrize(
    "part", ["CON", "nul", "index.html", "com1.txt", "a%3Ab", "dots.", "%20", "..", "A", LONG, "%E4%BB%BB"]
)
def test_a_name_is_one_that_every_system_takes(part: str) -> None:
    folder, _ = page_name(f"/{part}/").split("/")

    assert re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,50}", folder)
    assert folder.partition(".")[0] not in {"con", "nul", "com1", "index"}
    assert not folder.endswith(".")


@pytest.mark.parametrize(
    ("one", "other"),
    [("/t/Pet/", "/t/pet/"), ("/t/a b/", "/t/a-b/"), ("/?sort=a", "/?sort=-a"), (f"/{LONG}a/", f"/{LONG}b/")],
)
def test_two_addresses_never_share_a_file(one: str, other: str) -> None:
    assert page_name(one).lower() != page_name(other).lower()


def test_no_name_is_taken_for_that_of_a_text_that_can_not_be_a_name() -> None:
    made, query = page_name(f"/e/{LONG}/").split("/")[1], page_name("/e/solver/?sort=task").split("/")[2]

    assert page_name(f"/e/{made}/") != page_name(f"/e/{LONG}/")
    assert page_name(f"/e/solver/{query}/").split("/")[2] != query


def test_a_download_keeps_the_name_that_it_comes_with() -> None:
    assert download_name("/a/1/download/original/", "pet-ReAct-gpt.json") == (
        "a/1/download/original/pet-ReAct-gpt.json"
    )
    assert re.fullmatch(r"a/1/media/x-[0-9a-f]{24}\.png", download_name("/a/1/media/", "../x.png"))


@pytest.mark.parametrize(
    ("page", "file", "link"),
    [
        ("index.html", "about/index.html", "about/index.html"),
        ("a/1/index.html", "static/a.css", "../../static/a.css"),
        ("a/1/index.html", "a/1/3/output/1/index.html", "3/output/1/index.html"),
    ],
)
def test_links_are_relative(page: str, file: str, link: str) -> None:
    assert relative_link(page, file) == link
