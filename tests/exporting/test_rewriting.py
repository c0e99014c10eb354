"""A page of the site as a page of a copy."""

from __future__ import annotations

import pytest

from leaderboard.exporting.rewriting import Changes, rewrite

LINKS = {"/about/": "about/index.html", "/x.js": "x.js", "#step-1": "#step-1"}


def rewritten(page: str) -> str:
    changes = Changes(link=LINKS.get, chart=lambda link: f"data:{link}", head="<meta>", foot="<p>Copy</p>")
    return rewrite(page, changes)


@pytest.mark.parametrize(
    ("page", "copied"),
    [
        ('<a class="b" href="/about/">x</a>', '<a class="b" href="about/index.html">x</a>'),
        ('<svg><a href="/about/"><rect/></a></svg>', '<svg><a href="about/index.html"><rect/></a></svg>'),
        ('<script src="/x.js" defer></script>', '<script src="x.js" defer></script>'),
        (
            '<script src="/x.js" data-plotly="/x.js"></script>',
            '<script src="x.js" data-plotly="x.js"></script>',
        ),
        ('<p data-charts="/c.json?a=1&amp;b=2">', '<p data-charts="data:/c.json?a=1&amp;b=2">'),
    ],
)
def test_addresses_become_those_of_the_copy(page: str, copied: str) -> None:
    assert rewritten(page) == copied


def test_a_link_to_what_the_copy_lacks_says_so_and_leads_nowhere() -> None:
    assert rewritten('<a id="n" href="/account/">Account</a>') == (
        '<a id="n" role="link" aria-disabled="true" title="Not part of this copy">Account</a>'
    )
    assert rewritten('<a title="Yours" href="/account/">x</a>').count("title=") == 1
    assert rewritten('<link rel="alternate" href="/feed.atom"><br>') == "<br>"


@pytest.mark.parametrize(
    "page",
    [
        "<form><p>Sign in <input name=n></p></form>",
        '<form method="post" action="/x/"><button>Go</button></form>',
        '<input type="checkbox" form="compare">',
        '<a href="/search/" data-needs-site>Search</a>',
        "<div data-needs-site><div>a</div><div>b<br></div></div>",
        '<script src="/x.js" data-needs-site></script>',
        '<meta name="htmx-config" data-needs-site content="{}">',
        '<link rel="canonical" href="https://boards.example.org/about/" data-needs-site>',
    ],
)
def test_forms_and_what_needs_the_site_are_left_out(page: str) -> None:
    assert rewritten(f"<p>before</p>{page}<p>after</p>") == "<p>before</p><p>after</p>"


def test_nothing_asks_a_server_when_a_reader_clicks() -> None:
    link = '<a href="/about/" hx-get="/about/" hx-target="#b">x</a>'
    fold = '<a class="fold" href="/about/" data-hides="1:0 9:0">x</a>'

    assert rewritten(link) == '<a href="about/index.html">x</a>'
    assert rewritten(fold) == '<a class="fold" href="about/index.html">x</a>'


@pytest.mark.parametrize(
    "page",
    [
        "<!DOCTYPE html>\n<!-- href='/about/' --><p id='a>b'>&lt;a href=&quot;/x&quot;&gt; &amp &copy;</p>",
        '<svg viewBox="0 0 1 1"><linearGradient/></svg>\n\n<pre>\n</pre>',
        '<form method="dialog"><button>Close</button></form>',
        '<a href="#step-1">Step 1</a>',
    ],
)
def test_everything_else_stays_as_it_was(page: str) -> None:
    assert rewritten(page) == page


def test_head_and_footer_get_what_a_copy_says() -> None:
    page = '<head>\n<meta charset="utf-8"></head><footer><p>Site</p></footer>'

    assert rewritten(page) == (
        '<head><meta>\n<meta charset="utf-8"></head><footer><p>Site</p><p>Copy</p></footer>'
    )
