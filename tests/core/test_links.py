"""Web addresses in texts are links, and nothing else of a text is markup."""

from __future__ import annotations

import pytest

from leaderboard.templatetags.viewer import MAX_LINKS, with_links


def link(address: str) -> str:
    return f'<a href="{address}" rel="nofollow noopener">{address}</a>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("https://github.com/a/b.", link("https://github.com/a/b") + "."),
        ("(see http://a.example/x?y=1)", f"(see {link('http://a.example/x?y=1')})"),
        (
            "javascript:alert(1) ftp://a.example //a.example",
            "javascript:alert(1) ftp://a.example //a.example",
        ),
        ("<b>https://a.example/</b>", f"&lt;b&gt;{link('https://a.example/')}&lt;/b&gt;"),
        ('https://a.example/"onclick=x', link("https://a.example/") + "&quot;onclick=x"),
        ("git@github.com:a/b.git", "git@github.com:a/b.git"),
    ],
)
def test_http_addresses_are_links(text: str, html: str) -> None:
    assert with_links(text) == html


def test_a_text_has_a_limited_number_of_links() -> None:
    assert with_links("https://a.example/ " * (MAX_LINKS + 9)).count("<a ") == MAX_LINKS
