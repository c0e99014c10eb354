"""What of the site a copy has."""

from __future__ import annotations

import pytest

from leaderboard.exporting.places import Kind, Place, address_of, place_of


@pytest.mark.parametrize(
    "address",
    [
        *(
            "/",
            "/?sort=-accuracy",
            "/about/",
            "/docs/scoring/",
            "/b/super/",
            "/b/super/expert/?coverage=attempted",
        ),
        *("/b/super/expert/?at=2026-11-01", "/b/super/expert/history/", "/b/super/expert/grid/"),
        *(
            "/b/super/expert/t/",
            "/b/super/expert/t/pet/",
            "/b/super/expert/failures/?finding=no-answer&page=2",
        ),
        *("/e/solver/?category=cpu", "/e/solver/?category=cpu&page=2", "/e/solver/versions/"),
        *("/a/1/", "/a/1/3/output/2/"),
    ],
)
def test_a_page_that_readers_reach_by_links_is_copied(address: str) -> None:
    assert place_of(address) == Place(address, Kind.PAGE)


@pytest.mark.parametrize(
    "address",
    [
        *("/account/", "/account/sign-in/", "/submit/", "/runs/", "/operate/", "/search/?q=pip", "/nowhere/"),
        # The API has an address with the name of a page.
        *("/api/docs", "/api/v1/openapi.json", "/api/v1/attempts/1", "/api/v1/entries/solver"),
        *("/a/1/find/?q=pip", "/a/1/?vs=2", "/a/1/?vs=", "/e/solver/edit/", "/compare/?e=one&e=other"),
        *("/b/super/expert/?agent=x", "/b/super/expert/?scorer=reported&coverage=attempted"),
    ],
)
def test_what_needs_a_server_or_has_no_end_is_not(address: str) -> None:
    assert place_of(address) is None


def test_where_only_the_order_is_not_copied_the_same_rows_are() -> None:
    assert place_of("/e/solver/?sort=-accuracy&category=cpu") == Place("/e/solver/?category=cpu", Kind.PAGE)
    assert place_of("/b/super/expert/data.csv?sort=agent") == Place("/b/super/expert/data.csv", Kind.DATA)


def test_one_page_has_one_address() -> None:
    pages = ("/e/solver/?page=2&category=cpu", "/e/solver/?category=cpu&page=2")

    assert len({place_of(page) for page in pages}) == 1
    assert place_of("/e/solver/?page=1") == place_of("/e/solver/?") == place_of("/e/solver/")


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("?sort=a#attempts", "/e/solver/?sort=a"),
        ("/about/#evidence", "/about/"),
        ("../other/", "/e/other/"),
        ("https://example.org/about/", None),
        ("//example.org/", None),
        ("mailto:a@example.org", None),
        ("http://[no-address", None),
    ],
)
def test_a_link_to_elsewhere_is_no_address_of_the_site(link: str, address: str | None) -> None:
    assert address_of(link, "/e/solver/?page=2") == address
