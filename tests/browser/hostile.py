"""Texts that want to be more than texts."""

from __future__ import annotations

PAYLOADS = (
    "<script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=2>",
    "<svg/onload=window.hacked=3>",
    '"><a href="javascript:window.hacked=4" autofocus onfocus="window.hacked=4">five</a>',
    '[click](javascript:window.hacked=5) ![i](x "onerror=window.hacked=5")',
    "</pre></textarea></title><script>window.hacked=6</script>",
    "]]><script>window.hacked=7</script><![CDATA[",
    "{{7+7}} {% load x %} ${7+7} <%= 7+7 %>",
    "<!--output-url 1--> <!--page-url 1 output 1-->",
    "evil\u202egpj.exe",
    "nul\0byte",
    "<b onmouseover=window.hacked=8>bold</b>&lt;i&gt;",
)
