r"""Some 400 texts that want to be more than texts, of our own making: vectors by contexts by encodings.

In a vector RUN stands for a call of the canary (``canary(17)``: whoever calls it is caught, see
tests/browser/canary.py), HOST for an address on another host, NUM for the payload's number. Families:

elements        tags that run something by themselves, or when touched
breakouts       ends of an attribute or of an element that a text may stand in, and then a vector
links           addresses that run, leave or deceive, each as Markdown and HTML write links
foreign         SVG and MathML, whose parsing rules differ
templates       what a template engine or a script around the text would evaluate
markers         our own markers for addresses (``<!--page-url …-->``), comments, CDATA
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

from tests.browser.xss import characters, vectors


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
        "elements": vectors.ELEMENTS,
        "foreign": vectors.FOREIGN,
        "templates": vectors.TEMPLATES,
        "markers": vectors.MARKERS,
        "unicode": characters.UNICODE,
        "terminal": characters.TERMINAL,
        "mutations": vectors.MUTATIONS,
        "clobbering": vectors.CLOBBERING,
        "formulas": vectors.FORMULAS,
        "encodings": vectors.BASES,
    }
    for family, all_of_it in listed.items():
        yield from ((family, vector) for vector in all_of_it)
    yield from (("breakouts", end + rest) for end, rest in product(vectors.ATTRIBUTE_ENDS, vectors.IN_A_TAG))
    yield from (
        ("breakouts", end + rest) for end, rest in product(vectors.ELEMENT_ENDS, vectors.AFTER_AN_ELEMENT)
    )
    yield from (
        ("links", link.replace("ADDRESS", to)) for link, to in product(vectors.LINKS, vectors.ADDRESSES)
    )


def _payloads() -> Iterator[Payload]:
    for number, (family, vector) in enumerate(_vectors(), start=1):
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
